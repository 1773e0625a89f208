package rehearse

import (
	"context"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/learn"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/sim/check"
	"github.com/drainboard/drainboard/engine/sim/play"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

var rehearsalsFlag = flag.Int("rehearsals", 12, "how many random runs to rehearse")

// paceOfScripts is how fast the worlds of scripts are whose workloads say nothing of it.
func paceOfScripts(c *script.Script) sim.Pace {
	p := sim.Guesses()
	p.Config, p.Slots = c.Sim.Config, 1<<20
	p.PodReady, p.PodStop = 3*time.Second, 2*time.Second
	return p
}

// paceFor is the likeliest pace of a run.
func paceFor(w *world.World, run *record.Run) sim.Pace {
	known := learn.Of(w, run)
	return likeliest(run, &known)
}

// listOf lists the machines of a world, for another one.
func listOf(w *world.World) (out []world.Machine) {
	for _, m := range w.Machines() {
		out = append(out, *m)
	}
	return out
}

// A rehearsal from the middle of a run tells when it ends, and how.
func TestRehearsalTellsTheEnd(t *testing.T) {
	const app = "workload web replicas=8\nworkload api replicas=6\nworkload logs kind=daemonset\n"
	for name, given := range map[string]string{
		"plain":          "cluster zones=a nodes=6\n" + app + "settings post-drain-wait=10s",
		"three zones":    "cluster zones=a,b,c nodes=9\n" + app + "settings post-drain-wait=10s max-unavailable=3",
		"budget in turn": "cluster zones=a,b nodes=6\n" + app + "workload db kind=statefulset replicas=6 volume\nbudget db max=1\nbudget web min=7\nsettings post-drain-wait=5s max-unavailable=2",
		"minimal":        "cluster zones=a,b nodes=6\n" + app + "settings strategy=eks-minimal post-drain-wait=5s max-unavailable=2",
		"kops":           "cluster provider=kops role=node name=ig zones=a,b nodes=6\npeer masters role=control-plane nodes=1\n" + app + "budget web max=1\nsettings strategy=kops max-surge=1 interval=5s",
		"gardener":       "cluster zones=a,b nodes=6\n" + app + "budget web max=1\nsettings strategy=gardener max-surge=1",
		"batches":        "cluster zones=a,b nodes=6\n" + app + "settings post-drain-wait=5s max-unavailable=2 approve=canary canary-watch=60s",
		"never opens":    "cluster zones=a,b nodes=4\n" + app + "budget web min=8\nsettings post-drain-wait=5s drain-timeout=5m",
		"skips":          "cluster zones=a,b nodes=4\n" + app + "budget web min=8\nsettings post-drain-wait=5s drain-timeout=2m on-drain-timeout=skip",
		"long grace":     "cluster zones=a,b nodes=4\nworkload web replicas=8 grace=3m stop=2s\nworkload bare kind=bare replicas=1\nworkload done kind=job replicas=1\nsettings force-unmanaged post-drain-wait=5s",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := script.New()
			if out, err := c.Do(given + "\nstart"); err != nil || c.Driver == nil {
				t.Fatal(err, out)
			}
			c.Driver.Audit = 50
			type guess struct {
				at  time.Time
				end snapshot.Rehearsal
			}
			var guesses []guess
			for at := c.Sim.Now(); c.Driver.Run.State != record.Finished && len(c.Driver.Broken) == 0; at = at.Add(90 * time.Second) {
				c.Driver.Advance(at, func() bool {
					if b, waiting := c.Driver.Run.Waiting(); waiting {
						c.Driver.Say(record.Command{Kind: record.CmdApprove, By: "ann@laptop", Batch: b.ID, Hash: b.Hash})
					}
					return false
				})
				end, told := rehearse(context.Background(), c.Rules, c.Sim.View, c.Sim.Now(), c.Driver.Run, paceOfScripts(c))
				if !told || end.Extrapolated {
					t.Fatalf("nothing was told at %s: %+v", c.Sim.Now().Sub(c.Began), end)
				}
				guesses = append(guesses, guess{c.Sim.Now(), end})
			}
			r := c.Driver.Run
			for _, b := range c.Driver.Broken {
				t.Error(b)
			}
			for _, g := range guesses {
				took := r.Finished.Sub(g.at)
				if off := (g.end.Took - took).Abs(); off > max(took/4, 20*time.Second) {
					t.Errorf("after %s: %s more, and it took %s of %s", g.at.Sub(c.Began), g.end.Took, took, r.Finished.Sub(c.Began))
				}
				if g.end.Result != r.Result {
					t.Errorf("after %s: %q, and it came to %q: %s", g.at.Sub(c.Began), g.end.Result, r.Result, g.end.Why)
				}
			}
		})
	}
}

// What a rehearsal says that a run does to pods, PDBs and the bill comes.
func TestRehearsalTellsTheLoad(t *testing.T) {
	for name, given := range map[string]string{
		"surge":    "cluster zones=a,b nodes=6\nworkload web replicas=12\nworkload api replicas=6\nbudget web max=2\nbudget api min=1\nsettings post-drain-wait=5s max-unavailable=2",
		"no surge": "cluster zones=a,b nodes=6\nworkload web replicas=12\nworkload api replicas=6\nbudget web max=2\nbudget api min=1\nsettings strategy=eks-minimal post-drain-wait=5s max-unavailable=2",
		"in turn":  "cluster zones=a nodes=6\nworkload web replicas=12 ready=20s\nworkload api replicas=6\nbudget web max=1\nbudget api max=5\nsettings post-drain-wait=5s max-unavailable=2",
		"no PDB":   "cluster zones=a nodes=3\nworkload web replicas=6\nsettings post-drain-wait=5s",
	} {
		t.Run(name, func(t *testing.T) {
			c := script.New()
			if out, err := c.Do(given + "\nstart"); err != nil || c.Driver == nil {
				t.Fatal(err, out)
			}
			before := 0
			for _, n := range c.Sim.View.Nodes() {
				before += len(c.Sim.View.PodsOn(n.Name))
			}
			pace := paceOfScripts(c)
			if name == "in turn" {
				pace.PodReady = 20 * time.Second
			}
			end, told := rehearse(context.Background(), c.Rules, c.Sim.View, c.Sim.Now(), c.Driver.Run, pace)
			if !told {
				t.Fatal("nothing was told")
			}
			got, came := end.Load, snapshot.Load{}
			machines, at := len(c.Sim.Machines()), c.Sim.Now()
			for ; c.Driver.Run.State != record.Finished && len(c.Driver.Broken) == 0; at = at.Add(time.Second) {
				c.Driver.Advance(at, func() bool { return false })
				came.Extra += time.Duration(max(0, len(c.Sim.Machines())-machines)) * time.Second
				for ref, b := range c.Sim.Budgets() {
					if spare := b.Healthy - b.Budget.Desired; came.Budget == "" || spare < came.Spare || spare == came.Spare && ref < came.Budget {
						came.Spare, came.Budget = spare, ref
					}
				}
			}
			var blocked, held []string
			for _, e := range c.Driver.Events {
				switch {
				case e.Type == record.PodEvicted:
					came.Moves++
				case e.Type == record.PodBlocked && e.Budget != "" && !slices.Contains(blocked, e.Budget):
					blocked = append(blocked, e.Budget)
				}
			}
			for _, h := range end.Holds {
				if held = append(held, h.Budget); h.Pods < 1 {
					t.Errorf("PDB %s keeps %d pods waiting", h.Budget, h.Pods)
				}
			}
			slices.Sort(blocked)
			slices.Sort(held)
			if !slices.Equal(held, blocked) || name == "in turn" && len(blocked) == 0 {
				t.Errorf("PDBs %q keep pods waiting, and it came to %q", held, blocked)
			}
			if got.Moved == 0 || got.Moved > before || got.Moves < got.Moved || (got.Moves-came.Moves)*(got.Moves-came.Moves) > 9 {
				t.Errorf("%d pods move %d times, and %d moves came of %d pods", got.Moved, got.Moves, came.Moves, before)
			}
			if off := (got.Extra - came.Extra).Abs(); off > came.Extra/4+time.Minute {
				t.Errorf("extra machines for %s, and it came to %s", got.Extra, came.Extra)
			}
			if got.Spare != came.Spare || got.Budget != came.Budget {
				t.Errorf("%d above %q, and it came to %d above %q", got.Spare, got.Budget, came.Spare, came.Budget)
			}
			if once := got.MovesPerPod(); once < 1 || name == "surge" && once > 1.5 {
				t.Errorf("%.2f moves a pod", once)
			}
			t.Logf("%+v came: %+v", got, came)
		})
	}
}

// An instance's end that a run has measured is played as long as it was: its cloud tells of it later.
func TestMeasuredEndIsPlayed(t *testing.T) {
	for _, takes := range []time.Duration{20 * time.Second, 90 * time.Second} {
		c := script.New()
		if out, err := c.Do(fmt.Sprintf("timing terminate=%s\ncluster zones=a nodes=6\nworkload web replicas=6\nsettings post-drain-wait=5s\nstart\nrun until=end", takes)); err != nil {
			t.Fatal(err, out)
		}
		p := paceFor(c.Sim.View, &c.Driver.Run)
		if off := (p.Terminate - takes).Abs(); off > c.Sim.Config.CloudEvery/4 {
			t.Errorf("instances end within %s, and %s is played", takes, p.Terminate)
		}
	}
}

// What the Sim of a world shows first is that world.
func TestFromShowsTheWorld(t *testing.T) {
	c := script.New()
	if out, err := c.Do(`cluster provider=kops role=node name=ig zones=a,b nodes=6 warm=1 detached=1
		peer masters role=control-plane nodes=1
		balancer takes=20s
		workload web replicas=8
		workload db kind=statefulset replicas=3 volume
		workload logs kind=daemonset
		workload one kind=bare replicas=1
		budget web max=1
		settings strategy=kops max-surge=1 force-unmanaged
		start
		run for=3m`); err != nil {
		t.Fatal(err, out)
	}
	from, now := c.Sim.View, c.Sim.Now()
	s := sim.From(from, now, c.Driver.Run, paceOfScripts(c))
	shown := from.Group
	shown.Lately = nil // how long things took is in the pace
	for _, w := range []*world.World{s.Truth, s.View} {
		if !reflect.DeepEqual(w.Group, shown) {
			t.Errorf("the group is\n%+v\nnot\n%+v", w.Group, shown)
		}
		if !reflect.DeepEqual(w.Machines(), from.Machines()) || !reflect.DeepEqual(w.Nodes(), from.Nodes()) || !reflect.DeepEqual(w.Budgets(), from.Budgets()) {
			t.Error("machines, nodes or budgets differ")
		}
		for _, n := range from.Nodes() {
			if !reflect.DeepEqual(w.PodsOn(n.Name), from.PodsOn(n.Name)) {
				t.Errorf("the pods on %s differ", n.Name)
			}
		}
	}
	if s.Now() != now {
		t.Error("its clock does not begin at now")
	}
	s.Advance(now.Add(time.Minute))
	for _, p := range s.Truth.Unplaced() {
		t.Errorf("%s has no place", p.Ref())
	}
	if n := len(s.AllPods()); n < len(c.Sim.AllPods())-2 || n > len(c.Sim.AllPods())+6 {
		t.Errorf("%d pods became %d", len(c.Sim.AllPods()), n)
	}
}

// Rehearsals of random runs in random worlds, from their start and from their middle, come to
// an end and say the same twice. They change nothing that they are given.
func TestRandomRehearsals(t *testing.T) {
	for seed := range uint64(*rehearsalsFlag) {
		c := script.New()
		names := []string{[]string{"eks", "eks", "eks-minimal"}[(seed+1)%3], "kops", "gardener"}
		told, _ := play.Random(c, seed+1, names[seed%3])
		if c.Driver == nil {
			continue
		}
		d := c.Driver
		fresh := assess.NewRun(c.Rules, "again", seed, c.Sim.View, c.Settings, record.Target{All: true})
		part := newRehearsal(c.Rules, c.Sim.View, c.Sim.Now(), engine.Start(fresh, c.Sim.Now(), ""), paceFor(c.Sim.View, &fresh))
		part.play(context.Background(), c.Sim.Now().Add(4*time.Minute))
		for what, of := range map[string]struct {
			*sim.Sim
			run record.Run
		}{"start": {c.Sim, fresh}, "middle": {part.sim, part.run}} {
			if of.run.State == record.Finished {
				continue
			}
			before := fmt.Sprint(check.Digest(of.View), string(d.Encode(of.run)))
			one, ok := rehearse(context.Background(), c.Rules, of.View, of.Now(), of.run, paceFor(c.Sim.View, &fresh))
			if two, _ := rehearse(context.Background(), c.Rules, of.View, of.Now(), of.run, paceFor(c.Sim.View, &fresh)); !reflect.DeepEqual(one, two) {
				t.Errorf("seed %d, %s: %+v, and then %+v", seed+1, what, one, two)
			}
			if fmt.Sprint(check.Digest(of.View), string(d.Encode(of.run))) != before {
				t.Errorf("seed %d, %s: the rehearsal has changed what it was given", seed+1, what)
			}
			if !ok || one.Extrapolated || one.Took < 0 || one.Took > farthest {
				t.Errorf("seed %d, %s: %v %+v\n%s", seed+1, what, ok, one, told)
			}
			t.Logf("seed %d, %s: %s %s %s", seed+1, what, c.Rules.Name(), one.Took, one.Sentence())
		}
	}
}

// What is cut off is extrapolated, or not told; what cannot be played is not told.
func TestRehearsalIsCutOff(t *testing.T) {
	c := script.New()
	if out, err := c.Do("cluster zones=a,b nodes=20\nworkload web replicas=40\nstart\nrun for=8m"); err != nil {
		t.Fatal(err, out)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if _, told := Once(over, c.Rules, c.Sim.View, c.Sim.Now(), c.Driver.Run); told {
		t.Error("something was told with no time to play")
	}
	r := newRehearsal(c.Rules, c.Sim.View, c.Sim.Now(), c.Driver.Run, paceOfScripts(c))
	cut := r.play(context.Background(), c.Sim.Now().Add(10*time.Minute))
	end, told := r.tell(c.Sim.Now(), cut)
	if !cut || !told || !end.Extrapolated || end.Endless() {
		t.Fatalf("it was not cut off: %v %v %+v", cut, told, end)
	}
	if out, err := c.Do("run until=end"); err != nil {
		t.Fatal(err, out)
	}
	if took := c.Driver.Run.Finished.Sub(r.sim.Now().Add(-10 * time.Minute)); (took - end.Took).Abs() > took/4 {
		t.Errorf("extrapolated %s, and it took %s", end.Took, took)
	}
}

// A run that nothing ends is reported, with what it waits for.
func TestRehearsalThatNeverEnds(t *testing.T) {
	c := script.New()
	if out, err := c.Do("cluster zones=a,b nodes=4\nworkload web replicas=8\nbudget web min=8\nsettings on-drain-timeout=wait\nstart"); err != nil {
		t.Fatal(err, out)
	}
	end, told := Once(context.Background(), c.Rules, c.Sim.View, c.Sim.Now(), c.Planned.Run)
	if !told || !end.Endless() || !strings.Contains(end.Why, "web") || !strings.Contains(end.Sentence(), "would not end") {
		t.Errorf("%v %+v: %s", told, end, end.Sentence())
	}
}

// A world of a real cluster has what no script makes: nodes without labels, a group of its own
// taint, owners of any kind, pods whose budget has a selector of its own.
func TestRehearsalOfARealWorld(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	old, fresh := world.Template{ID: "lt-1", Version: 41}, world.Template{ID: "lt-1", Version: 44}
	dedicated := world.Taint{Key: "dedicated", Value: "db", Effect: "NoSchedule"}
	given := func() (*world.World, record.Run) {
		w := world.New()
		w.SetGroup(world.Group{Name: "eks-db", Provider: "asg", Zones: []string{"eu-west-1a", "eu-west-1b"}, Template: fresh, TemplateSpec: "$Latest", Image: "ami-0c", Sizes: world.Sizes{Min: 2, Max: 4, Desired: 3},
			Hooks: []world.Hook{{Name: "boot", Launching: true, Timeout: time.Hour}}})
		var machines []world.Machine
		for i, zone := range []string{"eu-west-1a", "eu-west-1b", "eu-west-1a"} {
			id, name := fmt.Sprintf("i-0%d", i), fmt.Sprintf("ip-10-0-0-%d", i)
			machines = append(machines, world.Machine{ID: id, Zone: zone, State: world.MachineInService, Template: old})
			w.SetNode(&world.Node{Name: name, Machine: id, Zone: zone, Ready: true, Version: "v1.31.2", Taints: []world.Taint{dedicated}, Created: now.Add(-24 * time.Hour)})
			pod := func(what, owner string, edit func(*world.Pod)) {
				p := world.Pod{UID: what + name, Namespace: "db", Name: what + "-" + fmt.Sprint(i), Node: name, Owner: world.Owner{Kind: owner, Name: what, UID: what}, Phase: world.PodRunning, Ready: true, Created: now.Add(-time.Hour), Grace: 30 * time.Second, Labels: map[string]string{"cluster": what}}
				edit(&p)
				w.SetPod(&p)
			}
			pod("pg", "Cluster", func(p *world.Pod) { p.Volume = true })
			pod("kafka", "StatefulSet", func(p *world.Pod) { p.Volume, p.Finalizers = true, []string{"x/y"} })
			pod("work", "Job", func(p *world.Pod) { p.Finalizers = []string{"batch.kubernetes.io/job-tracking"} })
			pod("done", "Job", func(p *world.Pod) { p.Phase, p.Ready = world.PodSucceeded, false })
			pod("agent", "DaemonSet", func(p *world.Pod) { p.ToleratesAll = true })
		}
		w.SetMachines(machines)
		w.SetNode(&world.Node{Name: "elsewhere", Zone: "eu-west-1a", Ready: true})
		w.SetPod(&world.Pod{UID: "waits", Namespace: "db", Name: "waits", Phase: world.PodPending, Owner: world.Owner{Kind: "ReplicaSet", Name: "waits", UID: "waits"}, Unplaced: "no room", Created: now})
		selector, err := labels.Parse("cluster in (pg)")
		if err != nil {
			t.Fatal(err)
		}
		w.SetBudget(&world.Budget{Namespace: "db", Name: "pg", Selector: selector, Expression: "minAvailable 67%", Healthy: 3, Desired: 2, Expected: 3, Allowed: 1, Current: true})
		w.SetDaemonSets([]string{"agent"})
		w.SetHealth(world.Cluster, world.Health{Fresh: now})
		w.SetHealth(world.Cloud, world.Health{Fresh: now})
		settings := strategy.EKS{}.Defaults()
		settings.NewLabels = map[string]string{"eks.amazonaws.com/nodegroup": ""}
		return w, assess.NewRun(strategy.EKS{}, "run-1", 7, w, settings, record.Target{Templates: []world.Template{fresh}})
	}
	down := func(w *world.World, since time.Duration) {
		for _, uid := range []string{"pgip-10-0-0-0", "pgip-10-0-0-1"} {
			p := *w.Pod(uid)
			p.Ready = false
			w.SetPod(&p)
		}
		b := *w.Budget("db/pg")
		b.Healthy, b.Allowed, b.Since = 1, 0, now.Add(-since)
		w.SetBudget(&b)
	}
	for name, c := range map[string]struct {
		edit func(*world.World, *record.Run)
		want record.Result
	}{
		"as it is":       {func(*world.World, *record.Run) {}, record.Succeeded},
		"an image to be": {func(_ *world.World, r *record.Run) { r.Target = record.Target{Image: "ami-0d"} }, record.Succeeded},
		"minimal":        {func(_ *world.World, r *record.Run) { r.Strategy = "eks-minimal" }, record.Succeeded},
		"a pod that is over": {func(w *world.World, _ *record.Run) {
			p := *w.Pod("kafkaip-10-0-0-0")
			p.Ends = now.Add(-time.Hour)
			w.SetPod(&p)
		}, record.EvictionFail},
		"pods that are down": {func(w *world.World, _ *record.Run) {
			down(w, time.Hour)
		}, record.EvictionFail},
		"pods that are down for a moment": {func(w *world.World, _ *record.Run) {
			down(w, time.Second)
		}, record.Succeeded},
		"a long grace period": {func(w *world.World, _ *record.Run) {
			p := *w.Pod("pgip-10-0-0-0")
			p.Grace = time.Hour
			w.SetPod(&p)
		}, record.Succeeded},
		"not heard from for a moment": {func(w *world.World, _ *record.Run) {
			n := *w.Node("ip-10-0-0-1")
			n.Ready, n.Unreachable = false, now.Add(-time.Minute)
			w.SetNode(&n)
		}, record.Succeeded},
		"another node is sick for a moment": {func(w *world.World, _ *record.Run) {
			n := *w.Node("elsewhere")
			n.Ready, n.Sick = false, now.Add(-time.Minute)
			w.SetNode(&n)
		}, record.Succeeded},
		"it settles for hours": {func(_ *world.World, r *record.Run) { r.Settings.Settle = 4 * time.Hour }, record.Succeeded},
		"no zones on nodes": {func(w *world.World, _ *record.Run) {
			for _, known := range w.Nodes() {
				n := *known
				n.Zone = ""
				w.SetNode(&n)
			}
		}, record.Succeeded},
		"only some": {func(_ *world.World, r *record.Run) { r.Target.Only = []string{"ip-10-0-0-0"} }, record.NodesLeft},
		"not heard from": {func(w *world.World, r *record.Run) {
			n := *w.Node("ip-10-0-0-1")
			n.Ready, n.Unreachable = false, now.Add(-time.Hour)
			w.SetNode(&n)
			r.Settings.Unreachable = record.UnreachableTerminate
		}, record.Succeeded},
		"a machine comes, one goes": {func(w *world.World, _ *record.Run) {
			list := listOf(w)
			list[0].State = world.MachineTerminating
			w.SetMachines(append(list, world.Machine{ID: "i-09", Zone: "eu-west-1a", State: world.MachinePending, Template: fresh}))
		}, record.Succeeded},
	} {
		t.Run(name, func(t *testing.T) {
			w, run := given()
			c.edit(w, &run)
			var rules engine.Strategy = strategy.EKS{}
			if run.Strategy == "eks-minimal" {
				rules = strategy.EKSMinimal{}
				run = assess.NewRun(rules, "run-1", 7, w, run.Settings, run.Target)
			}
			end, told := rehearse(context.Background(), rules, w, now, run, paceFor(w, &run))
			if !told || end.Result != c.want || end.Extrapolated || end.Smooth() != (c.want != record.EvictionFail) {
				t.Errorf("%v %+v", told, end)
			}
			t.Log(end.Took, end.Sentence(), end.Held)
		})
	}
}
