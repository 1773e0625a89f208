package live_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/sim/rehearse"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// posts is a feed that posts what a test sends.
type posts chan live.Change

func (p posts) Run(ctx context.Context, post func(live.Change)) error {
	for {
		select {
		case c := <-p:
			post(c)
		case <-ctx.Done():
			return nil
		}
	}
}

// wallClock is the local clock.
type wallClock struct{}

func (wallClock) Now() time.Time      { return time.Now().Round(0) }
func (wallClock) Skew() time.Duration { return 0 }

// Who watches sees the group as it is, the run when it starts, who drives it, that
// nobody does any more, and how it ends.
func TestWatch(t *testing.T) {
	feed := make(posts)
	w := &live.Watch{World: world.New(), Clock: wallClock{}, Rules: strategy.Named, Idle: strategy.EKS{}, Cluster: "prod"}
	w.World.SetGroup(world.Group{Name: "ng", Provider: "asg", Template: world.Template{ID: "lt", Version: 2}})
	w.World.SetMachines([]world.Machine{{ID: "i-1", Zone: "a", State: world.MachineInService, Template: world.Template{ID: "lt", Version: 1}}})
	w.World.SetNode(&world.Node{Name: "n1", Machine: "i-1", Zone: "a", Version: "v1.31.4", Ready: true})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.Queue = live.Open(ctx, feed)
	defer w.Queue.Close()
	shown := make(chan *snapshot.Snapshot, 100)
	w.Publish = func(s *snapshot.Snapshot) { shown <- s }
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()

	until := func(what string, is func(*snapshot.Snapshot) bool) *snapshot.Snapshot {
		t.Helper()
		late := time.After(10 * time.Second)
		for {
			select {
			case s := <-shown:
				if is(s) {
					return s
				}
			case <-late:
				t.Fatalf("never shown: %s", what)
			}
		}
	}
	rec := func(run record.Run) { feed <- func(*world.World) { w.SeeRecord(run, true, nil) } }

	s := until("the group", func(s *snapshot.Snapshot) bool { return s.State == record.NoRun })
	if s.Cluster != "prod" || len(s.Zones) != 1 || s.Zones[0].Rows[0].Stage != record.Outdated {
		t.Errorf("got %+v", s)
	}
	// A run that ended long ago is not what there is to see.
	long := assess.NewRun(strategy.EKS{}, "old", 1, w.World, strategy.EKS{}.Defaults(), record.Target{})
	long.State, long.Result, long.Finished = record.Finished, record.Succeeded, time.Now().Add(-time.Hour)
	rec(long)
	until("still the group", func(s *snapshot.Snapshot) bool { return s.State == record.NoRun })

	run := assess.NewRun(strategy.EKS{}, "r1", 1, w.World, strategy.EKS{}.Defaults(), record.Target{})
	run = engine.Start(run, time.Now(), "ann@laptop")
	run.Seen = time.Now()
	run.Nodes = shards.Of(map[string]record.Node{"i-1": {Name: "n1", Zone: "a", Stage: record.Draining, Since: time.Now()}})
	rec(run)
	feed <- func(*world.World) { w.SeeHolder("ann@laptop pid 7") }
	s = until("the run and its driver", func(s *snapshot.Snapshot) bool { return s.State == record.Running && s.Driver != "" })
	if s.RunID != "r1" || !s.Unattended.IsZero() || s.Zones[0].Rows[0].Stage != record.Draining {
		t.Errorf("got %+v", s)
	}
	heard := map[record.EventType]bool{}
	for _, e := range s.Events {
		heard[e.Type] = true
	}
	if !heard[record.RunStarted] || !heard[record.NodeDraining] {
		t.Errorf("the log has %+v", s.Events)
	}

	run.Seen = time.Now().Add(-time.Minute)
	rec(run)
	s = until("that its record is not written", func(s *snapshot.Snapshot) bool { return s.UnwrittenSince.Equal(run.Seen) })
	if s.Driver != "ann@laptop pid 7" || !s.Unattended.IsZero() {
		t.Errorf("driven by %q, unattended since %s", s.Driver, s.Unattended)
	}
	feed <- func(*world.World) { w.SeeHolder("") }
	until("that nobody drives it", func(s *snapshot.Snapshot) bool { return s.Unattended.Equal(run.Seen) })

	odd := run
	odd.Provider, odd.State, odd.Limit, odd.GroupID = "asg", record.Running, 1, "arn:of the group before"
	rec(odd)
	feed <- func(v *world.World) {
		v.Group.ID = "arn:of the group now"
		for _, source := range []world.Source{world.Cluster, world.Cloud} {
			v.SetHealth(source, world.Health{Fresh: time.Now()})
		}
	}
	until("that the record is of a group that was there before", func(s *snapshot.Snapshot) bool {
		return strings.Contains(s.Mismatches, "deleted and recreated")
	})

	run.State, run.Result, run.Finished = record.Finished, record.Aborted, time.Now().Add(-time.Hour)
	rec(run)
	until("its end, since it was seen before", func(s *snapshot.Snapshot) bool { return s.State == record.Finished && s.Result == record.Aborted })

	feed <- func(*world.World) { w.SeeRecord(record.Run{}, true, errors.New("the record is damaged")) }
	s = until("why there is no run", func(s *snapshot.Snapshot) bool { return s.State == record.NoRun })
	if last := s.Events[len(s.Events)-1]; last.Type != record.Warning || s.Unreadable != "the record is damaged" {
		t.Errorf("unreadable: %q, the log ends with %+v", s.Unreadable, last)
	}
	feed <- func(*world.World) { w.SeeRecord(record.Run{}, false, nil) }
	until("that there is no record", func(s *snapshot.Snapshot) bool { return s.State == record.NoRun && s.Unreadable == "" })
	run.Strategy, run.State = "of tomorrow", record.Running
	rec(run)
	until("that the strategy is not known", func(s *snapshot.Snapshot) bool { return strings.Contains(s.Unreadable, "the run r1 cannot be shown") })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Who watches a managed node group that EKS updates sees the update as a run that is followed, and
// when it fails EKS's own words with the pod that was held on the node that it names.
func TestWatchOfManagedUpdate(t *testing.T) {
	feed := make(posts)
	w := &live.Watch{World: world.New(), Clock: wallClock{}, Rules: strategy.Named, Idle: strategy.EKS{}, Cluster: "prod",
		Follow: strategy.EKSManaged{}, NewID: func(time.Time) string { return "web-1" },
		Foresee: func(rules engine.Strategy) live.Foresee {
			return func(ctx context.Context, w *world.World, now time.Time, r record.Run) snapshot.Forecast {
				return rehearse.Foresee(ctx, rules, w, now, r)
			}
		}}
	began := time.Now().Add(-10 * time.Minute)
	managed := func(status string, errors ...world.ManagedIssue) world.Group {
		return world.Group{Name: "web", Provider: "eks", Sizes: world.Sizes{Min: 1, Desired: 3, Max: 4}, Template: world.Template{ID: "lt", Version: 2}, Managed: &world.ManagedGroup{Name: "web", MaxUnavailable: "1",
			Update: &world.ManagedUpdate{ID: "u-1", Kind: world.VersionUpdate, Status: status, Since: began, Version: "1.32", Release: "1.32.1-9", Errors: errors}}}
	}
	w.World.SetGroup(managed(world.UpdateRuns))
	w.World.SetMachines([]world.Machine{{ID: "i-1", Zone: "a", State: world.MachineInService, Template: world.Template{ID: "lt", Version: 1}},
		{ID: "i-2", Zone: "a", State: world.MachineInService, Template: world.Template{ID: "lt", Version: 2}}})
	w.World.SetNode(&world.Node{Name: "n2", Machine: "i-2", Zone: "a", Version: "v1.32.1", Ready: true, Created: began.Add(2 * time.Minute), Labels: map[string]string{world.EKSGroupKey: "web"}})
	w.World.SetNode(&world.Node{Name: "n1", Machine: "i-1", Zone: "a", Version: "v1.31.4", Ready: true, Unschedulable: true,
		Labels: map[string]string{world.EKSGroupKey: "web", "node.kubernetes.io/exclude-from-external-load-balancers": "true"}})
	w.World.SetPod(&world.Pod{UID: "p", Namespace: "shop", Name: "checkout-1", Node: "n1", Phase: world.PodRunning, Ready: true, Labels: map[string]string{"app": "checkout"},
		Owner: world.Owner{Kind: "ReplicaSet", Name: "checkout", UID: "o"}})
	w.World.SetBudget(&world.Budget{Namespace: "shop", Name: "checkout", Expression: "minAvailable 1", Healthy: 1, Desired: 1, Current: true, Selector: labels.Everything()})
	for _, source := range []world.Source{world.Cluster, world.Cloud} {
		w.World.SetHealth(source, world.Health{Fresh: time.Now()})
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.Queue = live.Open(ctx, feed)
	defer w.Queue.Close()
	shown := make(chan *snapshot.Snapshot, 100)
	w.Publish = func(s *snapshot.Snapshot) { shown <- s }
	go func() { _ = w.Run(ctx) }()
	next := func() *snapshot.Snapshot {
		select {
		case s := <-shown:
			return s
		case <-time.After(time.Minute):
			t.Fatal("nothing more is shown")
			return nil
		}
	}
	s := next()
	if s.State != record.Running || s.Strategy != "eks-managed" || s.RunID != "web-1" || len(s.Phases) != 4 || s.Phases[2].Start.IsZero() {
		t.Errorf("%+v", s)
	}
	for s.Zones[0].Rows[0].Stage != record.Draining { // once nothing has left it for a while
		s = next()
	}
	for s.Forecast == nil { // which nobody else tells of
		s = next()
	}
	told := func(e record.Event) bool { return e.Type == record.ForecastChanged && e.Run == "web-1" }
	if f := s.Forecast; f.Outlook != record.WillFail || f.Result != record.EvictionFail || !slices.ContainsFunc(s.Events, told) {
		t.Errorf("foreseen: %+v, and told %v", f.Foreseen, s.Events)
	}
	feed <- func(v *world.World) {
		v.SetGroup(managed(world.UpdateFailed, world.ManagedIssue{Code: "PodEvictionFailure", Message: "Reached max retries", Resources: []string{"n1"}}))
	}
	for s.State != record.Finished {
		s = next()
	}
	if s.Result != record.EvictionFail || !strings.HasPrefix(s.Why, "EKS update u-1 failed: PodEvictionFailure: Reached max retries (n1); held there: shop/checkout-1") {
		t.Errorf("%s: %s", s.Result, s.Why)
	}
}

// Of a worker pool that Gardener rolls, and that no run follows, a watch tells how that will end, and nothing more once
// it has ended. A pool in which nothing is outdated has no forecast, nor one of which the user selects the nodes.
func TestWatchForeseesARollOfGardener(t *testing.T) {
	pool := func(update string, desired int) world.Group {
		p := &world.Pool{Name: "worker-kkfk1", Update: update, Namespace: "shoot--shop--prod", Control: true, Limits: world.DefaultLimits(update)}
		p.Shoot, p.Progress = "garden-shop/prod", &world.ShootProgress{Generation: 2, Observed: 2, Operation: "Reconcile", State: "Processing", Percent: 60}
		p.Deployments = []world.MachineDeployment{{Name: "worker-kkfk1-z1", Zone: "a", Generation: 2, Observed: 2, MaxSurge: 1, Desired: desired}}
		return world.Group{Name: "worker-kkfk1", Provider: "gardener", Sizes: world.Sizes{Min: 1, Desired: desired, Max: 4}, Template: world.Template{ID: "class-new"}, Pool: p}
	}
	machine := func(id, class string) world.Machine {
		m := world.Machine{ID: id, Zone: "a", State: world.MachineInService, Template: world.Template{ID: class}}
		m.Managed = &world.ManagedMachine{Name: id, Phase: world.PhaseRunning, Deployment: "worker-kkfk1-z1", Created: time.Now().Add(-time.Hour), Priority: world.UsualPriority, Limits: world.DefaultLimits(world.AutoRollingUpdate)}
		return m
	}
	node := func(v *world.World, id string) {
		v.SetNode(&world.Node{Name: "ip-" + id, Machine: id, Zone: "a", Version: "v1.31.4", Ready: true, Created: time.Now().Add(-time.Hour), Labels: map[string]string{}})
	}
	rolls := func(v *world.World, update string, classes ...string) {
		var list []world.Machine
		for i, class := range classes {
			list = append(list, machine(fmt.Sprint("m-", i, class), class))
			node(v, list[i].ID)
		}
		v.SetGroup(pool(update, len(classes)))
		v.SetMachines(list)
	}
	for name, c := range map[string]struct {
		update   string
		classes  []string
		foreseen bool
	}{
		"rolls":            {world.AutoRollingUpdate, []string{"class-old", "class-new", "class-old"}, true},
		"in place":         {world.AutoInPlaceUpdate, []string{"class-old", "class-old"}, true},
		"in place by hand": {world.ManualInPlaceUpdate, []string{"class-old", "class-old"}, false},
		"up to date":       {world.AutoRollingUpdate, []string{"class-new", "class-new"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			feed := make(posts)
			w := &live.Watch{World: world.New(), Clock: wallClock{}, Rules: strategy.Named, Idle: strategy.EKS{}, Cluster: "prod", Roller: strategy.GardenerFollow{},
				Foresee: func(rules engine.Strategy) live.Foresee {
					return func(ctx context.Context, w *world.World, now time.Time, r record.Run) snapshot.Forecast {
						return rehearse.Foresee(ctx, rules, w, now, r)
					}
				}}
			rolls(w.World, c.update, c.classes...)
			for _, source := range []world.Source{world.Cluster, world.Cloud} {
				w.World.SetHealth(source, world.Health{Fresh: time.Now()})
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w.Queue = live.Open(ctx, feed)
			defer w.Queue.Close()
			shown := make(chan *snapshot.Snapshot, 100)
			w.Publish = func(s *snapshot.Snapshot) { shown <- s }
			go func() { _ = w.Run(ctx) }()
			s := <-shown
			if !c.foreseen {
				feed <- func(v *world.World) { v.SetHealth(world.Cloud, world.Health{Fresh: time.Now()}) }
				if s = <-shown; s.Forecast != nil || s.State != record.NoRun {
					t.Fatalf("%s, foreseen: %+v", s.State, s.Forecast)
				}
				return
			}
			for s.Forecast == nil {
				select {
				case s = <-shown:
				case <-time.After(time.Minute):
					t.Fatal("nothing is foreseen")
				}
			}
			told := func(e record.Event) bool { return e.Type == record.ForecastChanged && e.Run == "" }
			if f := s.Forecast; s.State != record.NoRun || f.Outlook != record.EndsWell || !f.End.After(time.Now().Add(time.Minute)) || !slices.ContainsFunc(s.Events, told) {
				t.Errorf("%s, foreseen: %+v, and told %v", s.State, f.Foreseen, s.Events)
			}
			feed <- func(v *world.World) { rolls(v, c.update, "class-new", "class-new") }
			for s.Forecast != nil {
				select {
				case s = <-shown:
				case <-time.After(10 * time.Second):
					t.Fatalf("all nodes are new, and it is foreseen: %+v", s.Forecast.Foreseen)
				}
			}
		})
	}
}
