package script

import (
	"testing"

	"github.com/drainboard/drainboard/engine/record"
)

// BenchmarkRoll is a whole simulated roll of 24 nodes in 3 zones with 120 pods,
// three nodes at once, every step checked against the rules, every 20th audited.
func BenchmarkRoll(b *testing.B) {
	steps := 0
	for b.Loop() {
		s := New()
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
