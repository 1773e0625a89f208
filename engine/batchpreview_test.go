package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
)

// The record of a run that waits for an approval says what that would do, no older
// than some seconds, and of an approved batch nothing more.
func TestOutlookOfAWaitingBatch(t *testing.T) {
	script := script.New()
	do := func(line string) {
		t.Helper()
		if _, err := script.Do(line); err != nil {
			t.Fatal(err)
		}
	}
	do("cluster zones=a nodes=2\nworkload web replicas=4\nworkload db replicas=1\nbudget db min=1\nsettings approve=batch max-unavailable=2")
	do("start")
	do("run until=waiting")
	b, _ := script.Driver.Run.Waiting()
	if o := b.Preview; o.Evict != 5 || len(o.Foreseen) == 0 || !strings.Contains(strings.Join(o.Foreseen, "\n"), "PDB db never allows a disruption") {
		t.Errorf("%+v", o)
	}
	do("user scale web=2")
	do("run for=1m")
	b, _ = script.Driver.Run.Waiting()
	run := script.Driver.Run
	if v := snapshot.View(strategy.EKS{}, run.Seen.Add(time.Second), script.Sim.View, run, snapshot.Look{}, nil).Batch; v == nil || !v.AsOf.Equal(b.Preview.AsOf) || v.Evict != 3 {
		t.Errorf("what is shown is not what is kept: %+v", v)
	}
	if o := b.Preview; o.Evict != 3 || script.Driver.Run.Seen.Sub(o.AsOf) > 15*time.Second {
		t.Errorf("a minute later: %+v, seen %s", o, script.Driver.Run.Seen)
	}
	do("operator approve")
	do("run for=1s")
	if b := script.Driver.Run.Batches[0]; b.Approved.IsZero() || b.Preview.Evict != 0 || !b.Preview.AsOf.IsZero() {
		t.Errorf("approved: %+v", b)
	}
}
