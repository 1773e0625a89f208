package rehearse

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/strategy"
)

// A rehearsal costs time in proportion to what moves: each turn looks at what has changed.
func BenchmarkRehearse(b *testing.B) {
	for nodes, limit := range map[int]int{100: 5, 1000: 20} {
		b.Run(fmt.Sprintf("%d", nodes), func(b *testing.B) {
			s := group(b, nodes, limit, nodes/2, 20)
			for b.Loop() {
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
				end, told := Once(ctx, strategy.EKS{}, s.Sim.View, s.Sim.Now(), s.Planned.Run)
				cancel()
				if !told || !end.Smooth() {
					b.Fatalf("%v %+v", told, end)
				}
				b.ReportMetric(end.Took.Minutes(), "min/roll")
			}
		})
	}
}

// Of the largest cluster is played what there is time for, and the rest is extrapolated: the time of the roll is
// compared with that of the whole.
func BenchmarkLargest(b *testing.B) {
	s := group(b, 5000, 100, 1500, 100)
	for _, limit := range []time.Duration{10 * time.Second, 10 * time.Minute} {
		b.Run(limit.String(), func(b *testing.B) {
			for b.Loop() {
				ctx, cancel := context.WithTimeout(context.Background(), limit)
				end, told := Once(ctx, strategy.EKS{}, s.Sim.View, s.Sim.Now(), s.Planned.Run)
				cancel()
				if !told {
					b.Fatal("nothing is told")
				}
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				b.ReportMetric(end.Took.Minutes(), "min/roll")
				b.ReportMetric(float64(m.Sys>>20), "MB")
			}
		})
	}
}

// group is a group that is planned: so many nodes, of which limit go at once, and workloads with a PDB each.
func group(b *testing.B, nodes, limit, workloads, replicas int) *script.Script {
	s := script.New()
	text := fmt.Sprintf("cluster zones=a,b,c nodes=%d slots=%d\nworkload logs kind=daemonset\nsettings max-unavailable=%d\n", nodes, max(20, 2*workloads*replicas/nodes), limit)
	for i := range workloads {
		text += fmt.Sprintf("workload w%d replicas=%d\nbudget w%d max=10%%\n", i, replicas, i)
	}
	if out, err := s.Do(text + "start"); err != nil {
		b.Fatal(err, out)
	}
	return s
}
