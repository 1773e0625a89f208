package driver

import (
	"errors"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// Settings that would take the majority of a control plane away are refused where nobody is
// asked, in a run as in a roll.
func TestQuorumIsNotLostUnasked(t *testing.T) {
	lost := snapshot.Plan{QuorumLost: "2 of 3"}
	several := present.RollPlan{Roll: roll.Roll{Groups: []roll.Group{{Name: "masters", State: roll.Waiting}}}, Plans: map[string]snapshot.Plan{"masters": lost}}
	for _, err := range []error{cannotStart(lost, true), cannotRoll(several, true)} {
		var coded *exitcode.Error
		if !errors.As(err, &coded) || coded.Code != 2 || !strings.Contains(err.Error(), "nothing was started: 2 of 3") {
			t.Errorf("got %v", err)
		}
	}
	for _, err := range []error{cannotStart(lost, false), cannotRoll(several, false), cannotStart(snapshot.Plan{}, true)} {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
	}
}
