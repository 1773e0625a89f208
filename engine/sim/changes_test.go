package sim_test

import (
	"testing"

	"github.com/drainboard/drainboard/engine/sim/script"
)

// Controllers that look only at lists that have changed do the same as those that look at all.
func TestCountChanges(t *testing.T) {
	for _, s := range script.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			var told [2]string
			for i := range told {
				c, err := s.Open(1, true)
				if err != nil {
					t.Fatal(err)
				}
				if i > 0 {
					c.Sim.CountsAlone()
				}
				if told[i], err = c.Do("start"); err != nil {
					t.Fatal(err)
				}
				c.Driver.Audit = 1 << 30 // TestScenarios audits these rolls
				rolled, err := c.Do("run until=end")
				if err != nil {
					t.Fatal(err)
				}
				told[i] += rolled
			}
			if told[0] != told[1] {
				t.Errorf("with changes counted:\n%s\nand without:\n%s", told[1], told[0])
			}
		})
	}
}
