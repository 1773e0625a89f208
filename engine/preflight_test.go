package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// planOf makes the plan of a simulated world after it was changed by hand.
func planOf(t *testing.T, lines string, change func(w *world.World, now time.Time)) snapshot.Plan {
	t.Helper()
	c := script.New()
	if _, err := c.Do(lines); err != nil {
		t.Fatal(err)
	}
	p := c.Plan("r")
	change(c.Sim.View, p.AsOf)
	return snapshot.MakePlan(strategy.EKS{}, p.AsOf, c.Sim.View, p.Run, p.Limit)
}

// podOn is a copy of one pod of a workload, to be changed and set again.
func podOn(w *world.World, app string) world.Pod {
	for _, p := range w.PodsIn("app") {
		if p.Labels["app"] == app {
			return *p
		}
	}
	panic("no pod of " + app)
}

func allForeseen(p snapshot.Plan) string {
	var out []string
	for _, n := range p.Nodes {
		out = append(out, n.Foreseen...)
	}
	return strings.Join(out, "\n")
}

// What a plan foresees is what the drain's rules would say.
func TestForesee(t *testing.T) {
	const web = `
		cluster zones=a nodes=2
		workload web replicas=4
	`
	for _, c := range []struct {
		name, script string
		change       func(w *world.World, now time.Time)
		says         string // "" for nothing at all
	}{
		{"nothing in the way", web, func(*world.World, time.Time) {}, ""},
		{"a budget covers pods on both nodes of a batch", web + "budget web max=1\nsettings max-unavailable=2", func(*world.World, time.Time) {},
			"PDB app/web allows 1 disruption, covers 4 pods on 2 nodes that drain together: evicted in turn"},
		{"a budget lets all of a batch's pods go", web + "budget web max=4\nsettings max-unavailable=2", func(*world.World, time.Time) {}, ""},
		{"unready pods that pass cost their budget nothing", web + "budget web max=2", func(w *world.World, _ time.Time) {
			for _, p := range w.PodsIn("app") {
				q := *p
				q.Ready = q.Name == "web-1"
				w.SetPod(&q)
			}
		}, ""},
		{"a budget that nobody looked at since it was changed", web + "budget web max=1", func(w *world.World, _ time.Time) {
			b := *w.Budget("app/web")
			b.Current = false
			w.SetBudget(&b)
		}, "not yet recomputed by its controller: not evaluated"},
		{"a pod on its way out", web, func(w *world.World, now time.Time) {
			p := podOn(w, "web")
			p.Ends, p.Finalizers = now.Add(20*time.Second), []string{"example.com/x"}
			w.SetPod(&p)
		}, ""},
		{"a finalizer holds a pod past its grace", web, func(w *world.World, now time.Time) {
			p := podOn(w, "web")
			p.Ends, p.Finalizers = now.Add(-3*time.Minute), []string{"example.com/x"}
			w.SetPod(&p)
		}, "3m0s past its grace period, held by finalizers: example.com/x"},
		{"a kubelet that never says a pod has ended", web, func(w *world.World, now time.Time) {
			p := podOn(w, "web")
			p.Ends = now.Add(-time.Minute)
			w.SetPod(&p)
		}, "1m0s past its grace period: not confirmed by its kubelet"},
		{"a node that is not heard from", web, func(w *world.World, now time.Time) {
			n := *w.Node("a1")
			n.Ready, n.Unreachable = false, now.Add(-6*time.Minute)
			w.SetNode(&n)
		}, "node unreachable for 6m0s: it goes last"},
		{"a node that is down", web, func(w *world.World, _ time.Time) {
			n := *w.Node("a1")
			n.Ready, n.Trouble = false, "KubeletNotReady"
			w.SetNode(&n)
		}, "node is not Ready (KubeletNotReady)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := planOf(t, c.script, c.change)
			got := allForeseen(p)
			if c.says == "" && got != "" || !strings.Contains(got, c.says) {
				t.Errorf("foreseen: %q, want %q", got, c.says)
			}
			if !slices.ContainsFunc(p.NotEvaluated, func(s string) bool { return strings.HasPrefix(s, "admission webhooks") }) {
				t.Errorf("the plan does not say that it asked no webhook: %q", p.NotEvaluated)
			}
		})
	}
}

// On data that is too old nothing is foreseen, and the plan says so: silence
// must not pass for good news.
func TestForeseeOnStaleData(t *testing.T) {
	p := planOf(t, "cluster zones=a nodes=1\nworkload web replicas=2\nbudget web min=2", func(w *world.World, now time.Time) {
		w.Health[world.Cluster] = world.Health{Fresh: now.Add(-time.Minute)}
		w.Health[world.Cloud] = world.Health{}
	})
	if n := p.Nodes[0]; len(n.Foreseen) > 0 || n.NotEvaluated != "data on pods and PDBs is 1m0s old" {
		t.Errorf("foreseen %q, not evaluated %q", n.Foreseen, n.NotEvaluated)
	}
	if all := strings.Join(p.NotEvaluated, "\n"); !strings.Contains(all, "blockers: data on pods and PDBs") || !strings.Contains(all, "lifecycle hooks") {
		t.Errorf("not evaluated: %q", p.NotEvaluated)
	}
}

// A batch that waits for approval names what its pods still need.
func TestForeseeABatch(t *testing.T) {
	c := script.New()
	if _, err := c.Do(`
		cluster zones=a nodes=2
		workload web replicas=2
		budget web min=2
		settings approve=batch
		start
		run until=batch.waiting`); err != nil {
		t.Fatal(err)
	}
	w, now := c.Sim.View, c.Sim.Now()
	bare := podOn(w, "web")
	bare.UID, bare.Name, bare.Owner = "bare", "job", world.Owner{}
	w.SetPod(&bare)
	waiting, _ := c.Driver.Run.Waiting()
	bare.Node = waiting.Names[0]
	w.SetPod(&bare)
	look := func(later time.Duration, h world.Health) *snapshot.BatchView { // as the run looks again from time to time
		w.Health[world.Cluster] = h
		run := engine.Decide(strategy.EKS{}, now.Add(later), w, c.Driver.Run, engine.Inputs{}).Run
		return snapshot.View(strategy.EKS{}, now.Add(later), w, run, snapshot.Look{}, nil).Batch
	}
	v := look(time.Minute, world.Health{Fresh: now.Add(time.Minute)})
	all := strings.Join(v.Foreseen, "\n")
	if !strings.Contains(all, waiting.Names[0]+": app/web-") || !strings.Contains(all, "app/job on "+waiting.Names[0]+" has no controller") || v.NotEvaluated != "" {
		t.Errorf("foreseen: %q, not evaluated: %q", all, v.NotEvaluated)
	}
	v = look(2*time.Minute, world.Health{Fresh: now.Add(-time.Hour)})
	if len(v.Foreseen) > 0 || v.NotEvaluated == "" {
		t.Errorf("on stale data: foreseen %q, not evaluated %q", v.Foreseen, v.NotEvaluated)
	}
}

// A plan names what the cloud will do beside: hooks that hold machines, warm
// machines of the old template, Spot and protected ones.
func TestPlanNamesTheCloudsOwn(t *testing.T) {
	p := planOf(t, "cluster zones=a nodes=2", func(w *world.World, _ time.Time) {
		w.Group.Hooks = []world.Hook{{Name: "drain-proxies", Timeout: time.Hour, Abandon: true}, {Name: "bootstrap", Launching: true, Timeout: time.Minute, Abandon: true}}
		w.Group.Warm = []world.Machine{
			{ID: "i-old", Template: world.Template{ID: w.Group.Template.ID, Version: 1}},
			{ID: "i-new", Template: w.Group.Template},
			{ID: "i-going", State: world.MachineTerminating},
		}
		var list []world.Machine
		for i, m := range w.Machines() {
			q := *m
			q.Spot, q.Protected = i == 0, i == 1
			list = append(list, q)
		}
		w.SetMachines(list)
	})
	if len(p.Hooks) != 2 || p.Hooks[0] != (snapshot.PlannedHook{Name: "drain-proxies", Timeout: time.Hour}) || !p.Hooks[1].Launching || !p.Hooks[1].Abandon {
		t.Errorf("hooks: %+v", p.Hooks)
	}
	if !slices.Equal(p.Warm, []string{"i-old"}) {
		t.Errorf("warm machines to end: %v", p.Warm)
	}
	for _, n := range p.Nodes {
		if n.Spot != (n.Machine == "i-a1") || n.Protected != (n.Machine == "i-a2") {
			t.Errorf("%s: Spot %v, protected %v", n.Machine, n.Spot, n.Protected)
		}
	}
}

// The batches of a plan are those that will be asked for.
func TestPlannedBatches(t *testing.T) {
	for _, c := range []struct {
		settings string
		want     []int
	}{
		{"approve=batch max-unavailable=2", []int{1, 1, 2, 2, 3}},
		{"approve=batch batch-size=4", []int{1, 1, 1, 1, 2}},
		{"approve=canary max-unavailable=2", []int{1, 2, 2, 2, 2}},
		{"approve=phase", []int{1, 1, 1, 1, 1}},
		{"approve=none", []int{1, 1, 1, 1, 1}},
	} {
		p := planOf(t, "cluster zones=a nodes=5\nsettings "+c.settings, func(*world.World, time.Time) {})
		var got []int
		for _, n := range p.Nodes {
			got = append(got, n.Batch)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: batches %v, want %v", c.settings, got, c.want)
		}
	}
}

// A plan that cannot be over in time says so.
func TestPlanWarnsOfItsEnd(t *testing.T) {
	for _, c := range []struct {
		until string
		warns bool
	}{{"10m", true}, {"5h", false}} {
		p := planOf(t, "cluster zones=a nodes=5\nsettings until="+c.until, func(*world.World, time.Time) {})
		if got := strings.Contains(strings.Join(p.Warnings, "\n"), "nodes will remain outdated"); got != c.warns {
			t.Errorf("until %s: %q", c.until, p.Warnings)
		}
	}
}

// The pods that no waiting will free are named, and no others.
func TestForeseeStuck(t *testing.T) {
	for budget, stuck := range map[string]int{
		"": 0, "budget web max=0": 4, "budget web max=1": 0,
	} {
		p, n := planOf(t, "cluster zones=a nodes=2\nworkload web replicas=4\n"+budget, func(*world.World, time.Time) {}), 0
		for _, node := range p.Nodes {
			n += len(node.Stuck)
		}
		if n != stuck {
			t.Errorf("%q: %d pods are stuck, want %d", budget, n, stuck)
		}
	}
}
