package engine_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
)

// A snapshot made from the one before shows the same as one made from nothing, and shares
// the rows that did not change.
func TestViewFromTheOneBefore(t *testing.T) {
	s := script.New()
	if out, err := s.Do(`
		cluster zones=a,b nodes=4
		workload web replicas=6
		budget web max=1
		workload logs kind=daemonset
		settings max-unavailable=2 approve=batch
		start`); err != nil {
		t.Fatal(err, out)
	}
	var before *snapshot.Snapshot
	rows, shared := 0, 0
	for step := 0; s.Driver.Run.State != record.Finished; step++ {
		if step > 5000 {
			t.Fatal("the run does not end")
		}
		if b, waiting := s.Driver.Run.Waiting(); waiting && step%7 == 0 {
			s.Driver.Say(record.Command{Kind: record.CmdApprove, Batch: b.ID, Hash: b.Hash, By: "test"})
		}
		s.Driver.Advance(s.Sim.Now().Add(300*time.Millisecond), nil)
		fresh := snapshot.View(strategy.EKS{}, s.Sim.Now(), s.Sim.View, s.Driver.Run, snapshot.Look{}, nil)
		next := snapshot.View(strategy.EKS{}, s.Sim.Now(), s.Sim.View, s.Driver.Run, snapshot.Look{}, before)
		for i, z := range fresh.Zones {
			if got := next.Zones[i]; !reflect.DeepEqual(got.Rows, z.Rows) || got.Name != z.Name || got.Done != z.Done || got.Total != z.Total {
				t.Fatalf("step %d: zone %s is not as made from nothing", step, z.Name)
			}
		}
		old := map[*snapshot.NodeRow]bool{}
		if before != nil {
			for _, z := range before.Zones {
				for _, row := range z.Rows {
					old[row] = true
				}
			}
		}
		for _, z := range next.Zones {
			for _, row := range z.Rows {
				rows++
				if old[row] {
					shared++
				}
			}
		}
		before = next
	}
	if shared*10 < rows*9 {
		t.Errorf("%d of %d rows are those of before, want nine of ten", shared, rows)
	}
}
