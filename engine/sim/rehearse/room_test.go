package rehearse

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// Where room is scarce a rehearsal foresees what finds none, and the roll comes to the same.
func TestRehearsalFindsRoom(t *testing.T) {
	for name, c := range map[string]struct {
		script  string
		waiting bool // some pods find no room for a while
		outlook record.Outlook
	}{
		"room for all":        {"cluster zones=a,b nodes=4 slots=8\nworkload web replicas=20\nbudget web max=2\nsettings post-drain-wait=5s", false, record.EndsWell},
		"without surge":       {"cluster zones=a,b nodes=4 slots=5\nworkload web replicas=20\nworkload logs kind=daemonset\nbudget web max=20\nsettings strategy=eks-minimal post-drain-wait=5s", true, record.EndsWell},
		"cpu without surge":   {"cluster zones=a,b nodes=4 slots=50 cpu=1000\nworkload web replicas=4 cpu=900\nbudget web max=4\nsettings strategy=eks-minimal post-drain-wait=5s", true, record.EndsWell},
		"no room under a PDB": {"cluster zones=a nodes=3 slots=8\nworkload web replicas=3 apart=host\nbudget web max=1\nsettings strategy=eks-minimal post-drain-wait=5s drain-timeout=5m max-unavailable=1", true, record.EndsWell},
		"two pods, no surge":  {"cluster zones=a nodes=2 slots=50 cpu=1000\nworkload web replicas=4 cpu=400\nbudget web max=1\nsettings strategy=eks-minimal post-drain-wait=5s drain-timeout=4m", true, record.WillFail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := script.New()
			if out, err := s.Do(c.script + "\nwait for=1m\nstart"); err != nil || s.Driver == nil {
				t.Fatal(err, out)
			}
			known := paceFor(s.Sim.View, &s.Driver.Run)
			known.Config.Launch, known.Config.Boot, known.Config.NodeReady, known.Config.Terminate = s.Sim.Config.Launch, s.Sim.Config.Boot, s.Sim.Config.NodeReady, s.Sim.Config.Terminate
			known.PodStop = 2 * time.Second
			r, told := rehearse(context.Background(), s.Rules, s.Sim.View, s.Sim.Now(), s.Driver.Run, known)
			f := snapshot.ForecastOf(s.Sim.Now(), r, nil)
			if !told || (r.Load.Waiting > 0) != c.waiting || f.Outlook != c.outlook {
				t.Errorf("%+v", r)
			}
			if c.outlook == record.WillFail && !strings.Contains(f.Cause, "finds no room") {
				t.Errorf("the cause is %q", f.Cause)
			}
			began := s.Sim.Now()
			s.Driver.Advance(began.Add(3*time.Hour), func() bool { return s.Driver.Run.State == record.Finished })
			took := s.Driver.Run.Finished.Sub(began)
			if off := (r.Took - took).Abs(); s.Driver.Run.Result != r.Result || off > took/5+15*time.Second {
				t.Errorf("foreseen: %s after %s; came: %s after %s", r.Result, r.Took, s.Driver.Run.Result, took)
			}
			t.Logf("%s, %s: %s", r.Took, took, r.Room())
		})
	}
}
