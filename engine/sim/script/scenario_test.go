package script

import (
	"strings"
	"testing"
	"time"
)

var ends = map[string]string{"tour": "exit 0", "prod": "exit 0", "forced": "exit 0", "stuck": "exit 4", "minimal": "exit 0", "canary": "exit 0", "sick": "exit 0", "inplace": "exit 0"}

// Every built-in scenario comes to its end by itself and breaks no rule on the way.
func TestScenarios(t *testing.T) {
	for _, s := range Scenarios() {
		if s.About == "" || strings.HasPrefix(s.About, "cluster") {
			t.Errorf("%s does not say what it is about", s.Name)
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			c, err := s.Open(1, true)
			if err != nil {
				t.Fatal(err)
			}
			out, err := c.Do("start\nrun until=end")
			if err != nil || !strings.Contains(out, ends[s.Name]) {
				t.Errorf("%v\n%s", err, out)
			}
			if took := c.Sim.Now().Sub(c.Began); took > 50*time.Minute {
				t.Errorf("it takes %s: too long for a demo", took)
			}
		})
	}
}
