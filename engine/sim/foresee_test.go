package sim

import (
	"context"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// A run that is about to fail is foreseen to, by when and by what, from its plan and from its
// middle; and so it comes.
func TestForesee(t *testing.T) {
	for name, c := range map[string]struct {
		script  string
		outlook record.Outlook
		cause   string
		pod     bool
	}{
		"ends well":      {"cluster zones=a,b nodes=4\nworkload web replicas=8\nbudget web max=1\nsettings post-drain-wait=5s", record.EndsWell, "", false},
		"never opens":    {"cluster zones=a,b nodes=4\nworkload web replicas=8\nbudget web min=8\nsettings post-drain-wait=5s drain-timeout=5m", record.WillFail, "PDB app/web never opens", true},
		"two PDBs":       {"cluster zones=a nodes=3\nworkload web replicas=3\nbudget web max=1\nbudget second app=web max=1\nsettings post-drain-wait=5s drain-timeout=5m", record.WillFail, "", true},
		"skips":          {"cluster zones=a,b nodes=4\nworkload web replicas=8\nbudget web min=8\nsettings post-drain-wait=5s drain-timeout=2m on-drain-timeout=skip", record.WillFail, "PDB app/web never opens", true},
		"waits for ever": {"cluster zones=a,b nodes=4\nworkload web replicas=8\nbudget web min=8\nsettings on-drain-timeout=wait", record.WillNotEnd, "PDB app/web never opens", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := NewScript()
			if out, err := s.Do(c.script + "\nstart"); err != nil || s.Driver == nil {
				t.Fatal(err, out)
			}
			foresee := func(run record.Run) snapshot.Forecast {
				f := Foresee(context.Background(), s.rules, s.Sim.View, s.Sim.now, run)
				if f.Outlook != c.outlook || c.cause != "" && f.Cause != c.cause || (f.Pod != "") != c.pod {
					t.Errorf("after %s: %+v", s.Sim.now.Sub(s.start), f.Foreseen)
				}
				if f.Outlook == record.EndsWell && (f.Earliest.IsZero() || f.Earliest.After(f.End) || f.Latest.Before(f.End) || !f.Earliest.Before(f.Latest)) {
					t.Errorf("from %s to %s, and probably %s", f.Earliest, f.Latest, f.End)
				}
				return f
			}
			plan := foresee(s.Planned.Run)
			s.Driver.Advance(s.Sim.now.Add(45*time.Second), func() bool { return false })
			foresee(s.Driver.Run)
			if c.outlook == record.WillNotEnd {
				return
			}
			s.Driver.Advance(s.Sim.now.Add(2*time.Hour), func() bool { return s.Driver.Run.State == record.Finished })
			r := s.Driver.Run
			if plan.Result != r.Result {
				t.Errorf("foreseen: %s; came: %s", plan.Result, r.Result)
			}
			replaced, total := r.Outdated()
			if c.outlook == record.WillFail && (plan.Stay != total-replaced || plan.Nodes != total) {
				t.Errorf("%d of %d nodes stay, and it came to %d of %d", plan.Stay, plan.Nodes, total-replaced, total)
			}
		})
	}
}
