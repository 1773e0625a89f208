package rehearse

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
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
			s := script.New()
			if out, err := s.Do(c.script + "\nstart"); err != nil || s.Driver == nil {
				t.Fatal(err, out)
			}
			foresee := func(run record.Run) snapshot.Forecast {
				f := Foresee(context.Background(), s.Rules, s.Sim.View, s.Sim.Now(), run)
				if f.Outlook != c.outlook || c.cause != "" && f.Cause != c.cause || (f.Pod != "") != c.pod {
					t.Errorf("after %s: %+v", s.Sim.Now().Sub(s.Began), f.Foreseen)
				}
				if f.Outlook == record.EndsWell && (f.Earliest.IsZero() || f.Earliest.After(f.End) || f.Latest.Before(f.End) || !f.Earliest.Before(f.Latest)) {
					t.Errorf("from %s to %s, and probably %s", f.Earliest, f.Latest, f.End)
				}
				return f
			}
			plan := foresee(s.Planned.Run)
			s.Driver.Advance(s.Sim.Now().Add(45*time.Second), func() bool { return false })
			foresee(s.Driver.Run)
			if c.outlook == record.WillNotEnd {
				return
			}
			s.Driver.Advance(s.Sim.Now().Add(2*time.Hour), func() bool { return s.Driver.Run.State == record.Finished })
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

// In a cluster that is far from what is guessed, a forecast is right from what the cluster, the run
// and the group's earlier run have shown, and it says what it rests on.
func TestDurationsAreLearnt(t *testing.T) {
	const cluster = "timing launch=4s boot=15s ready=70s terminate=4m\ncluster zones=a,b nodes=8\nworkload web replicas=16 ready=50s stop=25s\nbudget web max=1\nsettings post-drain-wait=10s max-unavailable=2\nwait for=2m"
	play := func(t *testing.T, earlier record.Measured, at time.Duration) (f snapshot.Forecast, off float64, of record.Run) {
		s := script.New()
		if out, err := s.Do(cluster + "\nstart"); err != nil || s.Driver == nil {
			t.Fatal(err, out)
		}
		s.Driver.Run.Earlier = earlier
		s.Driver.Advance(s.Sim.Now().Add(at), func() bool { return false })
		now := s.Sim.Now()
		f = Foresee(context.Background(), s.Rules, s.Sim.View, now, s.Driver.Run)
		s.Driver.Advance(now.Add(24*time.Hour), func() bool { return s.Driver.Run.State == record.Finished })
		took := s.Driver.Run.Finished.Sub(now)
		t.Logf("foreseen: %s, came: %s", f.End.Sub(now), took)
		for _, a := range f.Assumptions {
			t.Log(a)
		}
		return f, (float64(f.End.Sub(now)) / float64(took)) - 1, s.Driver.Run
	}
	basis := func(f snapshot.Forecast, what snapshot.Assumed) snapshot.Basis {
		for _, a := range f.Assumptions {
			if a.What == what {
				return a.Basis
			}
		}
		return ""
	}
	f, off, first := play(t, nil, 0)
	if basis(f, snapshot.InstanceEnds) != snapshot.FromGuess || basis(f, snapshot.NodeGetsReady) != snapshot.FromNodes || basis(f, snapshot.PodGetsReady) != snapshot.FromPods {
		t.Errorf("at the start of the first run: %v", f.Assumptions)
	}
	if off > -0.2 {
		t.Errorf("the guesses are as good as what is learnt, so nothing is shown: %.0f %%", 100*off)
	}
	f, off, _ = play(t, nil, 16*time.Minute)
	if basis(f, snapshot.InstanceEnds) != snapshot.FromRun || basis(f, snapshot.PodStops) != snapshot.FromRun || off < -0.15 || off > 0.15 {
		t.Errorf("in the middle of the first run: off by %.0f %%, %v", 100*off, f.Assumptions)
	}
	f, off, _ = play(t, first.Measured.After(first.Earlier), 0)
	if basis(f, snapshot.InstanceEnds) != snapshot.FromEarlier || off < -0.15 || off > 0.15 {
		t.Errorf("at the start of the second run: off by %.0f %%, %v", 100*off, f.Assumptions)
	}
}

// How long a group takes to have an instance in service, and to launch another one for one that was ended past it,
// is learnt from an earlier run.
func TestGroupsPaceIsLearnt(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		rests  snapshot.Assumed
		kind   record.Timed
	}{
		"in service late": {"timing boot=20s ready=10s terminate=20s\ncluster zones=a nodes=3\nhook warm-up launching timeout=10m after=4m\nworkload web replicas=3\nsettings post-drain-wait=5s strategy=eks-minimal max-surge=0", snapshot.InService, record.TimeServe},
		"found at once":   {"timing boot=20s ready=10s terminate=60s notice=1s\ncluster provider=kops zones=a nodes=8\nworkload web replicas=3\nsettings strategy=kops approve=none max-surge=0 post-drain-wait=1s interval=1s validate-pause=1s validate-retry=2s", snapshot.EndNoticed, record.TimeNotice},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play := func(earlier record.Measured) (f snapshot.Forecast, off float64, run record.Run) {
				s := script.New()
				if out, err := s.Do(c.script + "\nstart"); err != nil || s.Driver == nil {
					t.Fatal(err, out)
				}
				s.Driver.Run.Earlier = earlier
				now := s.Sim.Now()
				f = Foresee(t.Context(), s.Rules, s.Sim.View, now, s.Driver.Run)
				s.Driver.Advance(now.Add(24*time.Hour), func() bool { return s.Driver.Run.State == record.Finished })
				return f, float64(f.End.Sub(now))/float64(s.Driver.Run.Finished.Sub(now)) - 1, s.Driver.Run
			}
			_, _, first := play(nil)
			learnt := first.Measured.After(nil)
			f, off, _ := play(learnt)
			if i := slices.IndexFunc(f.Assumptions, func(a snapshot.Assumption) bool { return a.What == c.rests }); i < 0 || f.Assumptions[i].Basis != snapshot.FromEarlier {
				t.Errorf("%s does not rest on the earlier run: %v", c.rests, f.Assumptions)
			}
			delete(learnt, c.kind)
			_, without, _ := play(learnt)
			t.Logf("off by %.0f %%, without it by %.0f %%", 100*off, 100*without)
			if off < -0.1 || off > 0.1 || without > -0.15 && without < 0.15 {
				t.Errorf("off by %.0f %%, without it by %.0f %%", 100*off, 100*without)
			}
		})
	}
}
