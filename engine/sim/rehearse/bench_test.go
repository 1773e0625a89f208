package rehearse

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/strategy"
)

// BenchmarkRehearse is a rehearsal of a roll with 10 pods on each node, cut off after half a
// minute where it takes longer.
func BenchmarkRehearse(b *testing.B) {
	for nodes, limit := range map[int]int{100: 5, 1000: 20} {
		b.Run(fmt.Sprintf("%d", nodes), func(b *testing.B) {
			s := script.New()
			text := fmt.Sprintf("cluster zones=a,b,c nodes=%d slots=20\nworkload logs kind=daemonset\nsettings max-unavailable=%d\n", nodes, limit)
			for i := range nodes / 2 {
				text += fmt.Sprintf("workload w%d replicas=20\nbudget w%d max=10%%\n", i, i)
			}
			if out, err := s.Do(text + "start"); err != nil {
				b.Fatal(err, out)
			}
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
