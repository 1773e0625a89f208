package rehearse

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// itsOwn is a group that its own controller rolls.
type itsOwn struct {
	script  string
	rules   engine.Strategy
	group   func(*sim.Sim)
	starts  bool // the run has the controller start
	outlook record.Outlook
	result  record.Result
	// least and most are how long it takes from its start, reckoned by hand.
	least, most time.Duration
}

// pooled makes the group a worker pool of two zones that Gardener is about to update.
func pooled(update string, surge, unavailable int, drain time.Duration) func(*sim.Sim) {
	return func(s *sim.Sim) {
		p := &world.Pool{Name: "pool", Update: update, Namespace: "shoot--dev--test", Control: true, Limits: world.DefaultLimits(update)}
		p.Limits.Drain, p.Limits.EvictRetries = drain, int(drain/world.RetryEvery)
		p.Shoot, p.Progress = "garden/test", &world.ShootProgress{Generation: 2, Observed: 2, Operation: "Reconcile", State: "Processing", Percent: 60}
		for _, zone := range s.Group.Zones {
			p.Deployments = append(p.Deployments, world.MachineDeployment{Name: "pool-" + zone, Zone: zone, Generation: 2, Observed: 1, MaxSurge: surge, MaxUnavailable: unavailable})
		}
		for _, m := range s.Alive() {
			m.Managed = &world.ManagedMachine{Name: "machine-" + m.Name, Phase: world.PhaseRunning, Deployment: "pool-" + m.Zone, Created: s.Now().Add(-time.Hour), Priority: world.UsualPriority, Limits: p.Limits}
			p.Deployment("pool-"+m.Zone).Desired++
			if world.InPlace(update) {
				s.EditByOthers(m.Name, func(n *world.Node) { n.Labels[sim.CandidateLabel] = "true" })
			}
		}
		s.Group.Provider, s.Group.Pool = "gardener", p
	}
}

// throughInPlace makes the group such a pool, updated in place, of which a node's agent has just updated one: its label says so, and
// the condition that machine-controller-manager writes does not yet.
func throughInPlace(s *sim.Sim) {
	pooled(world.AutoInPlaceUpdate, 0, 1, 2*time.Hour)(s)
	m := s.Alive()[0]
	m.Managed.Phase = world.PhaseInPlaceUpdating
	s.EditByOthers(m.Name, func(n *world.Node) {
		n.Labels[sim.SelectedLabel], n.Labels["node.machine.sapcloud.io/update-result"] = "true", "successful"
		n.Conditions = append(n.Conditions, world.Condition{Type: "InPlaceUpdate", Reason: world.GardenerReady, On: true, Since: s.Now()})
		sim.Cordon(n, s.Now())
	})
}

// managed makes the group an EKS managed node group whose update has just begun.
func managed(most string, minimal bool) func(*sim.Sim) {
	return func(s *sim.Sim) {
		s.Group.Managed = &world.ManagedGroup{Cluster: "dev", Name: s.Group.Name, Status: "UPDATING", MaxUnavailable: most, Minimal: minimal, UpdatesKnown: true,
			Update: &world.ManagedUpdate{ID: "u-1", Kind: "VersionUpdate", Status: world.UpdateRuns, Since: s.Now()}}
		for _, m := range s.Alive() {
			s.EditByOthers(m.Name, func(n *world.Node) { n.Labels[world.EKSGroupKey] = s.Group.Name })
		}
	}
}

// notUpdated makes the group an EKS managed node group of which no update is under way.
func notUpdated(most string) func(*sim.Sim) {
	return func(s *sim.Sim) {
		managed(most, false)(s)
		s.Group.Managed.Status, s.Group.Managed.Update = "ACTIVE", nil
		s.Group.Template = s.Alive()[0].Template
	}
}

// unread makes the group such a one whose updates cannot be read at the moment.
func unread(group func(*sim.Sim)) func(*sim.Sim) {
	return func(s *sim.Sim) {
		group(s)
		s.Group.Managed.UpdatesUnread = "ThrottlingException"
	}
}

// A run that follows a group's own controller is foreseen from its start and from its middle, as long as that does what is
// known of it.
func TestForeseeWhatOthersDrive(t *testing.T) {
	const timing = "timing launch=10s boot=60s ready=20s terminate=60s\n"
	for name, c := range map[string]itsOwn{
		"Gardener, surge": {
			script: timing + "cluster zones=a,b nodes=6\nworkload web replicas=12 stop=5s\nbudget web max=2",
			rules:  strategy.GardenerFollow{}, group: pooled(world.AutoRollingUpdate, 1, 0, 2*time.Hour), outlook: record.EndsWell, result: record.Succeeded,
			least: 3 * 90 * time.Second, most: 12 * time.Minute, // three boots one after the other, and the drains and ends between them
		},
		"Gardener, unavailable": {
			script: timing + "cluster zones=a,b nodes=6\nworkload web replicas=12 stop=5s\nbudget web max=2",
			rules:  strategy.GardenerFollow{}, group: pooled(world.AutoRollingUpdate, 0, 1, 2*time.Hour), outlook: record.EndsWell, result: record.Succeeded,
			least: 3 * 150 * time.Second, most: 12 * time.Minute,
		},
		"Gardener, PDB never opens": {
			script: timing + "cluster zones=a,b nodes=4\nworkload web replicas=4 stop=5s\nbudget web min=4",
			rules:  strategy.GardenerFollow{}, group: pooled(world.AutoRollingUpdate, 1, 0, 30*time.Minute), outlook: record.EndsWell, result: record.Succeeded,
			least: time.Hour, most: 80 * time.Minute, // each of two nodes of a zone is drained by force
		},
		"Gardener, in place": {
			script: timing + "cluster zones=a,b nodes=6\nworkload web replicas=12 stop=5s\nbudget web max=2",
			rules:  strategy.GardenerFollow{}, group: pooled(world.AutoInPlaceUpdate, 0, 1, 2*time.Hour), outlook: record.EndsWell, result: record.Succeeded,
			least: 15 * time.Minute, most: 20 * time.Minute, // three updates of five minutes in each zone
		},
		"Gardener, in place, a node is through": {
			script: timing + "cluster zones=a,b nodes=4\nworkload web replicas=8 stop=5s\nbudget web max=2",
			rules:  strategy.GardenerFollow{}, group: throughInPlace, outlook: record.EndsWell, result: record.Succeeded,
			least: 10 * time.Minute, most: 14 * time.Minute, // two updates in the other zone
		},
		"EKS": {
			script: timing + "cluster zones=a,b nodes=4\nworkload web replicas=8 stop=5s\nbudget web max=1",
			rules:  strategy.EKSManaged{}, group: managed("1", false), outlook: record.EndsWell, result: record.Succeeded,
			least: 4 * 2 * time.Minute, most: 20 * time.Minute, // each node takes its drain, a minute, and its end
		},
		"EKS, started": {
			script: timing + "cluster zones=a,b nodes=4\nworkload web replicas=8 stop=5s\nbudget web max=1",
			rules:  strategy.EKSManaged{}, group: notUpdated("1"), starts: true, outlook: record.EndsWell, result: record.Succeeded,
			least: 4 * 2 * time.Minute, most: 20 * time.Minute,
		},
		"EKS, started while its updates are not read": {
			script: timing + "cluster zones=a,b nodes=4\nworkload web replicas=8 stop=5s\nbudget web max=1",
			rules:  strategy.EKSManaged{}, group: unread(notUpdated("1")), starts: true, outlook: record.EndsWell, result: record.Succeeded,
			least: 4 * 2 * time.Minute, most: 20 * time.Minute,
		},
		"EKS, MINIMAL": {
			script: timing + "cluster zones=a,b nodes=4\nworkload web replicas=8 stop=5s\nbudget web max=4",
			rules:  strategy.EKSManaged{}, group: managed("1", true), outlook: record.EndsWell, result: record.Succeeded,
			least: 3 * 2 * time.Minute, most: 20 * time.Minute, // the last one's replacement is not waited for
		},
		"EKS, PDB never opens": {
			script: timing + "cluster zones=a,b nodes=4\nworkload web replicas=8 stop=5s\nbudget web min=8",
			rules:  strategy.EKSManaged{}, group: managed("1", false), outlook: record.WillFail, result: record.EvictionFail,
			least: 45 * time.Minute, most: 50 * time.Minute,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := script.New()
			if out, err := s.Do(c.script); err != nil {
				t.Fatal(err, out)
			}
			c.group(s.Sim)
			s.Sim.ListMachines()
			s.Sim.Advance(s.Sim.Now().Add(5 * time.Second))
			s.Use(c.rules)
			if out, err := s.Do("start"); err != nil || s.Driver == nil {
				t.Fatal(err, out)
			}
			run := s.Driver.Run
			switch m := s.Sim.Group.Managed; {
			case c.starts:
				run = engine.Start(strategy.EKSManaged{}.Starts(s.Sim.View, "run-1", s.Settings, record.UpdateRequest{Cluster: "dev", Kubernetes: "1.32"}), s.Sim.Now(), "test")
			case m != nil:
				run.Update = m.Update.ID
			}
			ctx, began, pace := context.Background(), s.Sim.Now(), sim.Guesses()
			pace.Config = s.Sim.Config
			s.Sim.DrivesItself(c.rules, run, pace)
			s.Sim.Group.Suspended = []string{sim.AZRebalance}
			comes := &rehearsal{rules: c.rules, sim: s.Sim, grain: leastBreath, run: run, wake: began, since: began, from: s.Sim.View.Copy()(), began: began, moved: map[string]bool{}, holds: map[string]int{}}
			if f := Foresee(ctx, c.rules, s.Sim.View, began, run); f.Outlook != c.outlook || f.Latest.Before(f.End) {
				t.Errorf("from the start: %+v", f.Foreseen)
			} else if p := s.Sim.Group.Pool; p != nil && world.InPlace(p.Update) && !slices.ContainsFunc(f.Assumptions, func(a snapshot.Assumption) bool { return a.What == snapshot.NodeUpdated }) {
				t.Errorf("nothing says how long an update in place is assumed to take: %v", f.Assumptions)
			}
			var foreseen []snapshot.Rehearsal
			var at []time.Time
			for comes.run.State != record.Finished && s.Sim.Now().Sub(began) < farthest {
				if len(at) < 10 {
					f, told := Once(ctx, c.rules, s.Sim.View, s.Sim.Now(), comes.run)
					if !told {
						t.Fatalf("nothing is foreseen after %s", s.Sim.Now().Sub(began))
					}
					at, foreseen = append(at, s.Sim.Now()), append(foreseen, f)
				}
				comes.play(ctx, s.Sim.Now().Add(2*time.Minute))
			}
			r := comes.run
			if took := r.Finished.Sub(began); r.Result != c.result || took < c.least || took > c.most {
				t.Errorf("%s %s, after %s: %s", r.State, r.Result, took, r.Why)
			}
			for i, f := range foreseen {
				left := r.Finished.Sub(at[i])
				if off := (f.Took - left).Abs(); off > max(left/10, 30*time.Second) || f.Result != r.Result {
					t.Errorf("after %s it was foreseen to end after %s: %s", at[i].Sub(began), at[i].Add(f.Took).Sub(began), f.Result)
				}
			}
			if t.Failed() {
				t.Logf("it ended after %s", r.Finished.Sub(began))
			}
		})
	}
}

// A run that only sees the cloud is foreseen as well.
func TestForeseeCloudOnly(t *testing.T) {
	s := script.New()
	if out, err := s.Do("timing launch=10s boot=60s ready=20s terminate=60s\ncluster provider=kops zones=a,b nodes=4\nworkload web replicas=8\nbudget web min=8\nsettings strategy=kops cloudonly approve=none interval=15s\nstart"); err != nil || s.Driver == nil {
		t.Fatal(err, out)
	}
	w := world.New() // as such a run sees it
	w.SetGroup(s.Sim.View.Group)
	w.SetMachines(listOf(s.Sim.View))
	w.SetHealth(world.Cloud, world.Health{Fresh: s.Sim.Now()})
	f := Foresee(context.Background(), s.Rules, w, s.Sim.Now(), s.Driver.Run)
	began := s.Sim.Now()
	s.Driver.Advance(began.Add(time.Hour), func() bool { return s.Driver.Run.State == record.Finished })
	took, off := s.Driver.Run.Finished.Sub(began), f.End.Sub(s.Driver.Run.Finished)
	if f.Outlook != record.EndsWell || s.Driver.Run.Result != record.Succeeded || off.Abs() > took/5 {
		t.Errorf("%s after %s, and it was off by %s: %+v", s.Driver.Run.Result, took, off, f.Foreseen)
	}
}
