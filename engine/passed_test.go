package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// drainedAt makes a run in a pool of one machine that is being drained, with two pods that a shut
// budget keeps: the control cluster tells of it, or the node's condition alone.
func drainedAt(t *testing.T, control bool) *follower {
	f := follow(t, 1, control)
	f.pod("cart", 1)
	f.pod("till", 1)
	f.budget("cart", 0)
	f.budget("till", 0)
	if control {
		f.ends(1, "Initiate node drain")
	} else {
		f.condition(1, "Terminating", "ScaleDown")
	}
	f.steps(time.Second, engine.Inputs{})
	if len(f.is.Kept) != 2 {
		t.Fatalf("kept: %+v", f.is.Kept)
	}
	return f
}

// forcedIn are the pod.forced events of a step.
func (f *follower) forcedIn(d time.Duration) (out []record.Event) {
	f.t.Helper()
	f.now = f.now.Add(d)
	f.fresh()
	decision := engine.Decide(f.rules, f.now, f.w, f.is, engine.Inputs{})
	f.is = decision.Run
	for _, e := range decision.Events {
		if e.Type == record.PodForced {
			out = append(out, e)
		}
	}
	return out
}

// Pods that the controller deletes past their budgets as its drain times out are told, each, and
// summed up at the end.
func TestControllerPassesBudgets(t *testing.T) {
	f := drainedAt(t, true)
	f.waits(2*time.Hour - 10*time.Second)
	f.now = noon.Add(2 * time.Hour)
	f.w.DeletePod("cart")
	f.w.DeletePod("till")
	got := f.forcedIn(time.Second)
	want := record.Event{Time: f.now, Run: "r", Group: "ng", Type: record.PodForced, Node: "n1", Zone: "a", Phase: "roll", Pod: "shop/cart", Budget: "shop/cart", By: "machine-controller-manager", Message: "deleted past PDB shop/cart by machine-controller-manager"}
	if len(got) != 2 || got[0] != want || got[1].Pod != "shop/till" {
		t.Errorf("got %+v", got)
	}
	f.machines(11, 11)
	f.w.DeleteNode("n1")
	f.node(11, func(*world.Node) {})
	f.deployment(func(d *world.MachineDeployment) { d.Updated, d.Available = 1, 1 })
	if told := f.steps(time.Second, engine.Inputs{}) + f.steps(time.Second, engine.Inputs{}); !strings.Contains(told, "; 2 pods deleted past PDBs by machine-controller-manager on 1 node") {
		t.Errorf("the end says\n%s", told)
	}
	if f.is.Kept != nil || f.is.Passed.Seen != 2 {
		t.Errorf("kept %+v, passed %+v", f.is.Kept, f.is.Passed)
	}
}

// What goes before the controller's time is up is not its: a pod whose budget opened, one that
// was evicted, and one that another user deleted.
func TestControllerKeepsBudgets(t *testing.T) {
	f := drainedAt(t, true)
	f.budget("cart", 1)
	f.goes("cart")
	f.forcedIn(time.Second)
	f.w.DeletePod("cart")
	f.w.DeletePod("till") // by force, by a user
	if got := f.forcedIn(time.Second); len(got) > 0 {
		t.Errorf("got %+v", got)
	}
	// A pod that stops with its grace period at the deadline was asked to before it.
	f.pod("cart", 1)
	f.budget("cart", 0)
	f.forcedIn(time.Second)
	f.now = noon.Add(2*time.Hour - 10*time.Second)
	f.goes("cart")
	f.forcedIn(0)
	f.w.DeletePod("cart")
	if got := f.forcedIn(10 * time.Second); len(got) > 0 {
		t.Errorf("got %+v", got)
	}
}

// A pod that goes some seconds before the controller's time is up was deleted by another user, and one
// that our own order has deleted is not told again.
func TestControllerPassesAtItsTime(t *testing.T) {
	f := drainedAt(t, true)
	f.waits(2*time.Hour - 15*time.Second)
	f.w.DeletePod("cart")
	if got := f.forcedIn(time.Second); len(got) > 0 {
		t.Errorf("some seconds before its time: %+v", got)
	}
	f.is.Pods = shards.Of(map[string]record.Pod{"till": {Ref: "shop/till", Node: "n1", Forced: true}})
	f.now = noon.Add(2 * time.Hour)
	f.w.DeletePod("till")
	if got := f.forcedIn(time.Second); len(got) > 0 {
		t.Errorf("by our own order: %+v", got)
	}
}

// A Machine that is labelled to be deleted by force passes budgets at once, by whatever user,
// also where the label and what it does are seen together.
func TestControllerPassesWhenForced(t *testing.T) {
	f := drainedAt(t, true)
	f.minds(1, func(g *world.ManagedMachine) { g.Forced = true })
	f.w.DeletePod("cart")
	if got := f.forcedIn(time.Second); len(got) != 1 || got[0].Pod != "shop/cart" || got[0].Inferred {
		t.Errorf("got %+v", got)
	}
}

// From the nodes alone it is inferred, and counted apart.
func TestControllerPassesInferred(t *testing.T) {
	f := drainedAt(t, false)
	f.waits(time.Minute)
	f.w.DeletePod("cart")
	got := f.forcedIn(time.Second)
	if len(got) != 1 || !got[0].Inferred || got[0].By != "machine-controller-manager" || !strings.Contains(got[0].Message, "inferred") {
		t.Errorf("got %+v", got)
	}
	if p := f.is.Passed; p.Seen != 0 || p.Inferred != 1 || !slices.Equal(p.Nodes, []string{"n1"}) {
		t.Errorf("passed %+v", p)
	}
}

// A node whose drain times out soon is told as blocked before its pods are deleted.
func TestControllerPassesTheBlocked(t *testing.T) {
	f := drainedAt(t, false)
	g := f.w.Group
	p := *g.Pool
	p.Limits.Guessed, p.Limits.Drain = false, 40*time.Second
	g.Pool = &p
	f.w.SetGroup(g)
	if told := f.steps(10*time.Second, engine.Inputs{}); strings.Contains(told, "node.blocked") {
		t.Errorf("told after 10 s:\n%s", told)
	}
	if told := f.steps(10*time.Second, engine.Inputs{}); !strings.Contains(told, "node.blocked n1") {
		t.Errorf("told after 20 s:\n%s", told)
	}
}

// With the Shoot's own limits the time has to be up for that, too.
func TestControllerPassesByShoot(t *testing.T) {
	f := drainedAt(t, false)
	g := f.w.Group
	p := *g.Pool
	p.Limits.Guessed, p.Limits.Drain = false, 10*time.Minute
	g.Pool = &p
	f.w.SetGroup(g)
	f.waits(time.Minute)
	f.w.DeletePod("cart")
	if got := f.forcedIn(time.Second); len(got) > 0 {
		t.Errorf("before its time: %+v", got)
	}
	f.waits(9 * time.Minute)
	f.w.DeletePod("till")
	if got := f.forcedIn(time.Second); len(got) != 1 || !got[0].Inferred {
		t.Errorf("got %+v", got)
	}
}

// A node that its controller has updated in place is told as updated, and keeps the version
// that it had before: it is neither gone nor outdated without a mark.
func TestControllerUpdatedInPlace(t *testing.T) {
	f := follow(t, 1, true)
	g := f.w.Group
	p := *g.Pool
	p.Update = world.AutoInPlaceUpdate
	g.Pool = &p
	f.w.SetGroup(g)
	f.condition(1, "InPlaceUpdate", "CandidateForUpdate")
	f.steps(time.Second, engine.Inputs{})
	f.condition(1, "InPlaceUpdate", "ReadyForUpdate")
	f.minds(1, func(g *world.ManagedMachine) { g.Phase, g.Since = world.PhaseInPlaceUpdating, f.now })
	f.steps(time.Second, engine.Inputs{})
	f.node(1, func(n *world.Node) { n.Version = "v1.32.9" }) // its kubelet is new before all else is done
	f.steps(time.Second, engine.Inputs{})
	f.node(1, func(n *world.Node) { n.Taints, n.Conditions = nil, nil })
	f.minds(1, func(g *world.ManagedMachine) { g.Phase = world.PhaseRunning })
	list := f.w.Machines()
	m := *list[0]
	m.Template = f.w.Group.Template
	f.w.SetMachines([]world.Machine{m})
	told := f.steps(time.Second, engine.Inputs{})
	if !strings.Contains(told, "node.ready n1: updated in place") || strings.Contains(told, "gone") || strings.Contains(told, "node.outdated") {
		t.Errorf("told\n%s", told)
	}
	if n := f.is.Nodes.Get("i-1"); n.Stage != record.Replaced || n.Old != "v1.31.4" {
		t.Errorf("%+v", n)
	}
}

// The marks of an update in place are gone before the node is Ready for pods again: it is not told as
// outdated meanwhile, and then as updated.
func TestControllerTakesMarksOff(t *testing.T) {
	f := follow(t, 1, false)
	g := f.w.Group
	p := *g.Pool
	p.Update = world.AutoInPlaceUpdate
	g.Pool = &p
	f.w.SetGroup(g)
	const mark = "node.machine.sapcloud.io/"
	taint := world.Taint{Key: world.GardenerTaint, Value: "True", Effect: "PreferNoSchedule"}
	f.node(1, func(n *world.Node) {
		n.Labels, n.Taints = map[string]string{mark + "candidate-for-update": "true", mark + "selected-for-update": "true"}, []world.Taint{taint}
		n.Conditions = []world.Condition{{Type: "InPlaceUpdate", Reason: "ReadyForUpdate", On: true, Since: f.now}}
	})
	f.steps(time.Second, engine.Inputs{})
	f.node(1, func(n *world.Node) {
		n.Labels = map[string]string{mark + "candidate-for-update": "true", mark + "update-result": "successful"}
		n.Conditions[0].Reason = "UpdateSuccessful"
	})
	f.steps(time.Second, engine.Inputs{})
	list := f.w.Machines()
	m := *list[0]
	m.Template, m.State = f.w.Group.Template, world.MachinePending
	f.w.SetMachines([]world.Machine{m})
	f.node(1, func(n *world.Node) {
		n.Labels, n.Conditions, n.Taints = nil, nil, []world.Taint{{Key: world.CriticalTaint, Effect: "NoSchedule"}}
	})
	told := f.steps(time.Second, engine.Inputs{})
	m.State = world.MachineInService
	f.w.SetMachines([]world.Machine{m})
	f.node(1, func(n *world.Node) { n.Taints = nil })
	told += f.steps(time.Second, engine.Inputs{})
	if !strings.Contains(told, "node.ready n1: updated in place") || strings.Contains(told, "node.outdated") || strings.Contains(told, "mark is gone") {
		t.Errorf("told\n%s", told)
	}
}

// A machine that is preserved although it failed keeps none of its zone from being given up.
func TestPreservedDoesNotBlock(t *testing.T) {
	o := look(t, 2)
	o.pool(world.Pool{Control: true})
	o.minds(1, func(g *world.ManagedMachine) { g.Phase, g.Since = world.PhaseUnknown, noon })
	o.node(1, sick(noon))
	for _, c := range []struct {
		preserved time.Time
		waits     bool
	}{{time.Time{}, true}, {noon.Add(time.Hour), false}} {
		o.minds(2, func(g *world.ManagedMachine) { g.Phase, g.Preserved = world.PhaseFailed, c.preserved })
		if told := o.after(time.Second); strings.Contains(told, "once no other machine of web-z1") != c.waits {
			t.Errorf("preserved until %v:\n%s", c.preserved, told)
		}
	}
}

// A pod that was asked to stop with its grace period and went before the next decision was not deleted
// past its budget.
func TestControllerKeepsBudgetsBetweenDecisions(t *testing.T) {
	f := drainedAt(t, false)
	f.goes("cart")
	f.w.DeletePod("cart")
	f.w.DeletePod("till")
	if got := f.forcedIn(time.Second); len(got) != 1 || got[0].Pod != "shop/till" {
		t.Errorf("got %+v", got)
	}
}

// What went while nobody looked is told as such: after a sleep, and to another process.
func TestControllerPassesUnwatched(t *testing.T) {
	for name, away := range map[string]func(f *follower) time.Duration{
		"a sleep": func(*follower) time.Duration { return inattentive + time.Second },
		"another process": func(f *follower) time.Duration {
			f.is = engine.TakeOver(f.is, f.now)
			return time.Second
		},
	} {
		f := drainedAt(t, false)
		d := away(f)
		f.w.DeletePod("cart")
		f.w.DeletePod("till")
		if got := f.forcedIn(d); len(got) > 0 || len(f.is.Notes) != 1 || !strings.Contains(f.is.Notes[0], "2 pods kept by PDBs went unseen (shop/cart, shop/till)") || f.is.Passed.Inferred > 0 {
			t.Errorf("%s: got %+v, notes %q", name, got, f.is.Notes)
		}
	}
}

// inattentive is the longest stretch between two decisions after which it is known how a pod went.
const inattentive = 15 * time.Second
