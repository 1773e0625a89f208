package sim_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/strategy"
)

// BenchmarkRoll is a whole simulated roll of 24 nodes in 3 zones with 120 pods,
// three nodes at once, every step checked against the rules, every 20th audited.
func BenchmarkRoll(b *testing.B) {
	steps := 0
	for b.Loop() {
		s := sim.NewScript()
		out, err := s.Do(`
			cluster zones=a,b,c nodes=24 slots=8
			workload web replicas=60
			workload api replicas=30
			workload db kind=statefulset replicas=6
			workload logs kind=daemonset
			budget web max=10%
			budget api max=3
			budget db max=1
			settings max-unavailable=3 post-drain-wait=5s
			start`)
		if err == nil {
			s.Driver.Audit = 20
			out, err = s.Do("run until=end")
		}
		if err != nil || s.Driver.Run.Result != record.Succeeded {
			b.Fatal(err, out)
		}
		steps += s.Driver.Decisions
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rolls/s")
	b.ReportMetric(float64(steps)/float64(b.N), "decisions/roll")
}

// BenchmarkRehearse is a rehearsal of a roll with 10 pods on each node, cut off after half a
// minute where it takes longer.
func BenchmarkRehearse(b *testing.B) {
	for nodes, limit := range map[int]int{100: 5, 1000: 20} {
		b.Run(fmt.Sprintf("%d", nodes), func(b *testing.B) {
			s := sim.NewScript()
			text := fmt.Sprintf("cluster zones=a,b,c nodes=%d slots=20\nworkload logs kind=daemonset\nsettings max-unavailable=%d\n", nodes, limit)
			for i := range nodes / 2 {
				text += fmt.Sprintf("workload w%d replicas=20\nbudget w%d max=10%%\n", i, i)
			}
			if out, err := s.Do(text + "start"); err != nil {
				b.Fatal(err, out)
			}
			for b.Loop() {
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
				end, told := sim.Rehearse(ctx, strategy.EKS{}, s.Sim.View, s.Sim.Now(), s.Planned.Run)
				cancel()
				if !told || !end.Smooth() {
					b.Fatalf("%v %+v", told, end)
				}
				b.ReportMetric(end.Took.Minutes(), "min/roll")
			}
		})
	}
}
