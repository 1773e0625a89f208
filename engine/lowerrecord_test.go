package engine_test

import (
	"testing"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
)

// lowerRecord checks that a decision which counts a termination no longer among those that took
// the desired size down reports a change: the record is then written, and a process that watches by
// it sees as many surge nodes.
type lowerRecord struct {
	t      *testing.T
	silent int // decisions that changed the count and reported nothing else
}

func (r *lowerRecord) Decided(before record.Run, d engine.Decision) {
	if before.Lowered <= d.Run.Lowered {
		return
	}
	if len(d.Events) == 0 && len(d.Actions) == 0 {
		r.silent++
	}
	if !d.Changed {
		r.t.Errorf("the record is not written although %d terminations took the desired size down, no longer %d", d.Run.Lowered, before.Lowered)
	}
}

func (*lowerRecord) Heard([]record.Command) {}

func (*lowerRecord) Events([]record.Event) {}

func (*lowerRecord) Asked(record.Action) {}

func (*lowerRecord) Answered(record.Action, record.Outcome) {}

func (*lowerRecord) Resumed(record.Run) {}

// The cloud refuses to end a surplus machine for a while. Another user ends it meanwhile and
// lowers the size of the group, so nothing else happens in that decision.
func TestRecordOfLowered(t *testing.T) {
	s := script.New()
	seen := &lowerRecord{t: t}
	say := func(lines string) {
		if out, err := s.Do(lines); err != nil {
			t.Fatal(out, err)
		}
	}
	say("timing terminate=20s\ncluster zones=a nodes=1\nstart")
	s.Driver.Witness = seen
	say("run until=scale-down\nrun until=settling\nrun for=55s\nfault refuse kind=terminate as=busy count=1 after=40s\nrun for=7s\nuser kills a3v2\nuser scale group=-1\nrun for=30s")
	if seen.silent == 0 {
		t.Error("no decision changed the count of terminations alone")
	}
}
