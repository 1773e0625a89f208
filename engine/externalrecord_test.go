package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
)

// moverRecord checks every decision: what is said of a mover differs only where the decision
// reports a change, so that the record is written and a process that watches by it reads the same.
type moverRecord struct {
	t    *testing.T
	said []string // how the movers are handled, in turn
}

func (r *moverRecord) Decided(before record.Run, d engine.Decision) {
	say := func(list []record.ExternalMover) (out []string) {
		for _, one := range list {
			out = append(out, one.Sentence())
		}
		return out
	}
	was, is := say(before.ExternalMovers), say(d.Run.ExternalMovers)
	if slices.Equal(was, is) {
		return
	}
	r.said = append(r.said, is...)
	if !d.Changed {
		r.t.Errorf("the record is not written although the movers %q have become %q", was, is)
	}
}

func (*moverRecord) Heard([]record.Command) {}

func (*moverRecord) Events([]record.Event) {}

func (*moverRecord) Asked(record.Action) {}

func (*moverRecord) Answered(record.Action, record.Outcome) {}

func (*moverRecord) Resumed(record.Run) {}

// A node that another tool drains for too long is drained by the run, which is then in the
// record, too.
func TestRecordOfMovers(t *testing.T) {
	s := script.New()
	say := func(lines string) {
		if out, err := s.Do(lines); err != nil {
			t.Fatal(out, err)
		}
	}
	say("cluster zones=a nodes=2\nsettings strategy=gardener max-surge=1\nuser moves a1 by=handler\nstart")
	seen := &moverRecord{t: t}
	s.Driver.Witness = seen
	say("run for=4m30s")
	for _, how := range []string{"not finished after 4m0s: rolled like any other node", "our own drain of it continues"} {
		if !slices.ContainsFunc(seen.said, func(line string) bool { return strings.HasSuffix(line, how) }) {
			t.Errorf("never said: %s\n%q", how, seen.said)
		}
	}
}
