package engine

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// A node says in whole seconds when it was made: one made in the second in which the run
// began is the run's, and its launch is told. But for those that the run finds at its first
// look: its plan had them, too.
func TestMadeInTheSecondOfTheStart(t *testing.T) {
	began := time.Date(2026, 11, 22, 1, 33, 11, 55e6, time.UTC)
	for _, c := range []struct {
		name   string
		made   time.Time
		first  bool
		before bool
	}{
		{"the same second", began.Truncate(time.Second), false, false},
		{"the second before", began.Truncate(time.Second).Add(-time.Second), false, true},
		{"a second later", began.Truncate(time.Second).Add(time.Second), false, false},
		{"the same second, seen at the first look", began.Truncate(time.Second), true, true},
		{"a second later, seen at the first look", began.Truncate(time.Second).Add(time.Second), true, false},
	} {
		w := world.New()
		w.SetMachines([]world.Machine{{ID: "i-1", State: world.MachineInService}})
		w.SetNode(&world.Node{Name: "n1", Machine: "i-1", Ready: true, Created: c.made})
		s := &Step{Reader: assess.Reader{W: w, First: c.first, Run: record.Run{Started: began}}}
		if got := s.LaunchedBefore(w.Machine("i-1")); got != c.before {
			t.Errorf("made in %s: launched before the run is %v", c.name, got)
		}
	}
}
