package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// pool makes the onlooker's group a worker pool. With control its machines are those of the
// control cluster.
func (o *onlooker) pool(p world.Pool) {
	if p.Limits.Drain == 0 {
		p.Limits = world.DefaultLimits(p.Update)
	}
	g := o.w.Group
	p.Name, g.Pool, g.Provider = "web", &p, "gardener"
	o.w.SetGroup(g)
}

// minds says what the control cluster tells of a machine.
func (o *onlooker) minds(i int, change func(*world.ManagedMachine)) {
	var list []world.Machine
	for _, m := range o.w.Machines() {
		c := *m
		if c.Managed == nil {
			l := world.DefaultLimits("")
			l.Guessed = false
			c.Managed = &world.ManagedMachine{Name: c.ID, Phase: world.PhaseRunning, Since: noon, Created: noon, Deployment: "web-z1", Priority: 3, Limits: l}
		}
		if c.ID == "i-"+string(rune('0'+i)) {
			g := *c.Managed
			change(&g)
			c.Managed = &g
			c.Template.Version = 1
		}
		list = append(list, c)
	}
	o.w.SetMachines(list)
}

func (o *onlooker) condition(i int, kind, reason string) {
	o.node(i, func(n *world.Node) {
		n.Conditions = []world.Condition{{Type: kind, Reason: reason, On: true, Since: o.now}}
	})
}

func sick(since time.Time) func(*world.Node) {
	return func(n *world.Node) { n.Ready, n.Sick, n.Trouble = false, since, "not ready: KubeletNotReady" }
}

// basis is what the countdown of a node rests on, with ~ before an estimate.
func (o *onlooker) basis(name string) string {
	for _, z := range o.view.Zones {
		for _, r := range z.Rows {
			if r.Name == name || r.ID == name {
				switch {
				case r.Wait == nil:
					return ""
				case r.Wait.Guess:
					return "~" + r.Wait.Basis
				}
				return r.Wait.Basis
			}
		}
	}
	return "there is no such node"
}

func (o *onlooker) rests(name, want string) {
	o.t.Helper()
	if got := o.basis(name); got != want {
		o.t.Errorf("the countdown of %s rests on %q, want %q", name, got, want)
	}
}

// With the control cluster a machine's end is told step by step, with the time at which its
// own limit has it forced; a drain that fails says why.
func TestGardenerEndsAMachine(t *testing.T) {
	o := look(t, 2)
	o.pool(world.Pool{Control: true, Update: world.AutoRollingUpdate})
	o.pod("cart", 1)
	o.minds(1, func(g *world.ManagedMachine) {
		g.Phase, g.Deleted, g.Limits.Drain = world.PhaseTerminating, noon, 30*time.Minute
		g.Description = "Drain failed due to - failed to create update conditions for node. Will retry in next sync. Initiate node drain"
		g.Failed = true
	})
	o.sees(5*time.Minute, `
		Gardener is at work here: n1 draining
		0 replaced since 12:05, 0 of 2 current
		n1 draining 1/1 drain forced 25m0s | Gardener is terminating its machine: it is drained; the last attempt failed: failed to create update conditions for node
		n2 outdated
		12:00:00 node.draining n1: 1 pod to move: Gardener is terminating its machine: it is drained; the last attempt failed: failed to create update conditions for node (Machine i-1 is Terminating)
`)
	o.rests("n1", "the Machine's deletion was asked for at 12:00:00 UTC, and 30m0s after that: its machineDrainTimeout")

	// Not Ready for 5 minutes forces it before, if the Machine knew of it when its end began.
	o.node(1, sick(o.now))
	o.after(time.Minute)
	o.rests("n1", "the Machine's deletion was asked for at 12:00:00 UTC, and 30m0s after that: its machineDrainTimeout")
	o.minds(1, func(g *world.ManagedMachine) { g.Sick = noon.Add(5 * time.Minute) })
	o.after(0)
	o.rests("n1", "~it is not Ready, or not writable, since 12:05:00 UTC; a drain attempt that starts 5m0s after that is forced")
	o.minds(1, func(g *world.ManagedMachine) { g.Sick = time.Time{} })
	o.node(1, func(n *world.Node) { n.Ready, n.Sick, n.Trouble = true, time.Time{}, "" })

	// Its time is up.
	o.after(25 * time.Minute)
	if row := o.view.Zones[0].Rows[0]; row.Wait != nil || row.Note != "Gardener is terminating its machine: it is drained; the last attempt failed: failed to create update conditions for node; overdue by 1m0s: Gardener forces it, past all PDBs" {
		t.Errorf("after its time: %+v, %v", row, row.Wait)
	}

	o.w.DeletePod("cart")
	o.minds(1, func(g *world.ManagedMachine) {
		g.Description, g.Failed = "Drain successful. Initiate VM deletion", false
	})
	o.after(time.Minute)
	if row := o.view.Zones[0].Rows[0]; row.Stage != "settling" || row.Note != "Gardener is terminating its machine: its VM is deleted" {
		t.Errorf("drained: %s, %q", row.Stage, row.Note)
	}
}

// A machine that is forced has nothing to wait for.
func TestGardenerForcesAMachine(t *testing.T) {
	o := look(t, 1)
	o.pool(world.Pool{Control: true})
	o.pod("cart", 1)
	o.minds(1, func(g *world.ManagedMachine) {
		g.Phase, g.Deleted, g.Forced, g.Description = world.PhaseTerminating, noon, true, "Initiate node drain"
	})
	o.sees(time.Minute, `
		Gardener is at work here: n1 draining
		0 replaced since 12:01, 0 of 1 current
		n1 draining 1/1 | Gardener is terminating its machine: it is drained, by force
		12:00:00 node.draining n1: 1 pod to move: Gardener is terminating its machine: it is drained, by force (Machine i-1 is Terminating)
`)
}

// Without the control cluster the drain began with its condition, as far as the node tells,
// and the Shoot's limits are taken.
func TestGardenerFromTheNodes(t *testing.T) {
	o := look(t, 2)
	limits := world.DefaultLimits(world.AutoRollingUpdate)
	limits.Drain, limits.Guessed = time.Hour, false
	o.pool(world.Pool{ShootStatus: world.ShootStatus{Shoot: "garden-dev/prod"}, Update: world.AutoRollingUpdate, Limits: limits})
	o.pod("cart", 1)
	o.condition(1, "Terminating", "ScaleDown")
	o.node(2, sick(o.now))
	o.sees(time.Minute, `
		Gardener is at work here: n1 draining
		0 replaced since 12:01, 0 of 2 current
		n1 draining 1/1 drain forced 58m45s | Gardener is replacing it: drained first, then terminated
		n2 outdated is given up 9m0s | is unhealthy (not ready: KubeletNotReady): Gardener replaces it once no other machine of its zone comes or goes
		12:00:00 node.draining n1: 1 pod to move: Gardener is replacing it: drained first, then terminated (condition Terminating (ScaleDown))
`)
	o.rests("n1", "~its condition Terminating was set at 12:00:00 UTC, and 1h0m0s after that: its machineDrainTimeout, which began some 15s before, by the Shoot")
	o.rests("n2", "~it stopped being Ready, or writable, at 12:00:00 UTC, and 10m0s after that: its machineHealthTimeout, by the Shoot")

	// Not Ready forces it before, if it was so when the machine's end began.
	o.node(1, sick(o.now.Add(-30*time.Second)))
	o.after(0)
	o.rests("n1", "~its condition Terminating was set at 12:00:00 UTC, and 1h0m0s after that: its machineDrainTimeout, which began some 15s before, by the Shoot")
	o.node(1, sick(noon.Add(-time.Minute)))
	o.after(0)
	o.rests("n1", "~it is not Ready, or not writable, since 11:59:00 UTC; a drain attempt that starts 5m0s after that is forced")
	o.node(1, func(n *world.Node) { n.Ready, n.Sick, n.Trouble = true, time.Time{}, "" })

	// An update in place that takes longer than it may.
	o.condition(1, "InPlaceUpdate", "ReadyForUpdate")
	o.after(21 * time.Minute)
	if row := o.view.Zones[0].Rows[0]; row.Wait != nil || !strings.HasSuffix(row.Note, "; probably overdue: it has had more than 20m") {
		t.Errorf("its time is up: %+v", row)
	}
	o.condition(1, "Terminating", "ScaleDown")
	o.node(1, func(n *world.Node) { n.Conditions[0].Since = noon })

	// With nothing but the nodes the limits are the defaults, and that is said.
	o.pool(world.Pool{})
	o.after(time.Second)
	o.rests("n1", "~its condition Terminating was set at 12:00:00 UTC, and 2h0m0s after that: its machineDrainTimeout, which began some 15s before, by default")
	o.machines(1, 2, 11)
	o.node(11, func(*world.Node) {})
	if o.after(time.Second); o.view.External.Current != 1 || o.view.External.Nodes != 3 {
		t.Errorf("%d of %d nodes are up to date", o.view.External.Current, o.view.External.Nodes)
	}
	o.machines(1, 2)
	o.after(time.Second)
	if v := o.view.Pool; len(v.Unknown) != 2 || len(v.Zones) != 1 || v.Zones[0].Total != 2 || v.Zones[0].Available != 0 {
		t.Errorf("the pool is %+v", v)
	}
}

// An update in place: the drain's time begins when the node is selected, the update's when
// its machine is; a failed one says why.
func TestGardenerInPlace(t *testing.T) {
	const prefix = "node.machine.sapcloud.io/"
	o := look(t, 3)
	o.pool(world.Pool{Control: true, Update: world.ManualInPlaceUpdate})
	for i := 1; i <= 3; i++ {
		o.node(i, func(n *world.Node) { n.Labels = map[string]string{prefix + "candidate-for-update": "true"} })
	}
	o.pod("cart", 1)
	o.minds(1, func(g *world.ManagedMachine) {})
	o.node(1, func(n *world.Node) { n.Labels = map[string]string{prefix + "selected-for-update": "true"} })
	o.condition(1, "InPlaceUpdate", "SelectedForUpdate")
	o.minds(2, func(g *world.ManagedMachine) { g.Phase, g.Since = world.PhaseInPlaceUpdating, noon })
	o.condition(2, "InPlaceUpdate", "ReadyForUpdate")
	o.node(3, func(n *world.Node) {
		n.Labels = map[string]string{prefix + "update-result": "failed"}
		n.Annotations = map[string]string{prefix + "update-failed-reason": "no space left"}
	})
	o.sees(2*time.Minute, `
		Gardener is at work here: n3 failed, n1 draining, n2 updating
		0 replaced since 12:02, 0 of 3 current
		n1 draining 1/1 drain forced 1h58m0s | Gardener drains it, then updates it in place
		n2 updating update fails 18m0s | Gardener updates it in place
		n3 failed | its in-place update failed: no space left
		12:00:00 node.draining n1: 1 pod to move: Gardener drains it, then updates it in place (condition InPlaceUpdate (SelectedForUpdate))
		12:02:00 node.updating n2: Gardener updates it in place
		12:02:00 node.failed n3: its in-place update failed: no space left
`)
	o.rests("n1", "it was selected for the update at 12:00:00 UTC, and 2h0m0s after that: its machineDrainTimeout")
	o.rests("n2", "the Machine became InPlaceUpdating at 12:00:00 UTC, and 20m0s after that: its inPlaceUpdateTimeout")
	o.after(19 * time.Minute)
	if row := o.view.Zones[0].Rows[1]; row.Wait != nil || row.Note != "Gardener updates it in place; overdue by 1m0s: Gardener checks once a minute" {
		t.Errorf("its time is up: %+v", row)
	}
	o.minds(2, func(g *world.ManagedMachine) { g.Phase = world.PhaseInPlaceFailed })
	o.node(2, func(n *world.Node) { n.Labels = map[string]string{prefix + "selected-for-update": "true"} })
	o.after(time.Second)
	if v := o.view.Pool; v.InPlace[world.InPlaceSelected] != 1 || v.InPlace[world.InPlaceFailed] != 2 || len(v.Failed) != 1 {
		t.Errorf("the controller has given an update up: %+v", v)
	}
	o.minds(2, func(g *world.ManagedMachine) { g.Phase = world.PhaseInPlaceUpdating })
	o.node(2, func(n *world.Node) { n.Labels = map[string]string{prefix + "candidate-for-update": "true"} })
	o.after(time.Second)
	v := o.view.Pool
	if v.InPlace[world.InPlaceCandidate] != 1 || v.InPlace[world.InPlaceSelected] != 1 || v.InPlace[world.InPlaceFailed] != 1 || len(v.Failed) != 1 {
		t.Errorf("the pool is %+v", v)
	}
}

// A machine that does not come is given up after its creation timeout, one that is not well
// after its health timeout, but only while no other of its zone comes or goes.
func TestGardenerGivesUp(t *testing.T) {
	o := look(t, 2)
	o.pool(world.Pool{Control: true})
	o.machines(1, 2, 3)
	o.minds(3, func(g *world.ManagedMachine) {
		g.Phase, g.Failed, g.Description = world.PhaseCrashLoop, true, "Cloud provider message - machine codes error: code = [ResourceExhausted] message = [no capacity]"
	})
	o.minds(2, func(g *world.ManagedMachine) { g.Phase, g.Since = world.PhaseUnknown, noon.Add(time.Minute) })
	o.node(2, sick(noon))
	o.sees(4*time.Minute, `
		i-3 launching creation fails 16m0s | its machine could not be created, retrying: Cloud provider message - machine codes error: code = [ResourceExhausted] message = [no capacity]
		n1 outdated
		n2 outdated is given up 7m0s | is unhealthy (not ready: KubeletNotReady): Gardener replaces it once no other machine of web-z1 comes or goes
		12:04:00 node.launching i-3: its machine could not be created, retrying: Cloud provider message - machine codes error: code = [ResourceExhausted] message = [no capacity]
`)
	o.rests("i-3", "the Machine was made at 12:00:00 UTC, and 20m0s after that: its machineCreationTimeout")
	o.rests("n2", "the Machine became Unknown at 12:01:00 UTC, and 10m0s after that: its machineHealthTimeout")

	o.after(16*time.Minute + 30*time.Second)
	if row := o.view.Zones[0].Rows[0]; row.Wait != nil || !strings.HasSuffix(row.Note, "no capacity]; overdue by 30s: Gardener checks once a minute") {
		t.Errorf("its time is up: %+v", row)
	}
	if row := o.view.Zones[0].Rows[2]; row.Wait != nil || !strings.HasSuffix(row.Note, " comes or goes") {
		t.Errorf("its time is up, and others come and go: %+v", row)
	}
	o.minds(3, func(g *world.ManagedMachine) { g.Phase, g.Failed, g.Description = world.PhaseRunning, false, "" })
	o.after(time.Second)
	if row := o.view.Zones[0].Rows[2]; !strings.HasSuffix(row.Note, "replaces it; overdue by 9m30s: Gardener checks once a minute") {
		t.Errorf("its time is up: %+v", row)
	}

	o.minds(2, func(g *world.ManagedMachine) { g.Limits.NoHealth = true })
	o.after(time.Second)
	o.rests("n2", "")
	o.minds(2, func(g *world.ManagedMachine) {
		g.Phase, g.Preserved, g.Description = world.PhaseFailed, noon.Add(time.Hour), ""
	})
	o.after(time.Second)
	o.rests("n2", "its preserveExpiryTime")
}

// What a budget holds on a node that Gardener drains: one that is taken for misconfigured
// fails the drain for ever, others are passed after so many refusals.
func TestGardenerAndBudgets(t *testing.T) {
	o := look(t, 1)
	limits := world.DefaultLimits("")
	limits.EvictRetries, limits.Guessed = 10, false
	o.pool(world.Pool{ShootStatus: world.ShootStatus{Shoot: "garden-dev/prod"}, Limits: limits})
	o.pod("checkout", 1)
	o.budget("checkout", 0)
	o.condition(1, "Terminating", "ScaleDown")
	o.after(time.Minute)
	b := o.view.Blockers[0]
	const restarts = "; Gardener's drain fails on it and restarts every 5 s: only the drain timeout gets past it"
	if b.WayOut != "scale checkout to 2, loosen minAvailable 1, or delete the pod"+restarts || b.Deadline.For != "drain forced" || b.AtDeadline != "force" {
		t.Errorf("misconfigured: %q, %+v, %s", b.WayOut, b.Deadline, b.AtDeadline)
	}
	budget := *o.w.Budget("shop/checkout")
	budget.Healthy, budget.Desired, budget.Expected = 1, 1, 2
	o.w.SetBudget(&budget)
	o.after(time.Second)
	b = o.view.Blockers[0]
	if b.Deadline.For != "pod forced" || !b.Deadline.Guess || !b.Deadline.End.Equal(noon.Add(200*time.Second)) {
		t.Errorf("10 refusals: %+v", b.Deadline)
	}
	if row := o.view.Zones[0].Rows[0]; row.Wait.For != "drain forced" {
		t.Errorf("the node's countdown is that of %s", row.Wait.For)
	}
}

// Who looks when a machine's node has gone already sees it end and be replaced.
func TestGardenerEndsAMachineWithoutANode(t *testing.T) {
	o := look(t, 1)
	o.pool(world.Pool{Control: true})
	o.machines(1, 1, 2)
	o.minds(2, func(g *world.ManagedMachine) {
		g.Phase, g.Deleted, g.Description = world.PhaseTerminating, noon, "Deletion of Node Object is successful. Initiate machine object finalizer removal"
	})
	var list []world.Machine
	for _, m := range o.w.Machines() {
		c := *m
		if c.ID == "i-2" {
			c.State = world.MachineTerminating
		}
		list = append(list, c)
	}
	o.w.SetMachines(list)
	o.sees(0, `
		Gardener is at work here: i-2 terminating
		0 replaced since 12:00, 0 of 1 current
		i-2 terminating | Gardener is terminating its machine: its Machine object is removed
		n1 outdated
		12:00:00 node.terminating i-2: Gardener is terminating its machine: its Machine object is removed
`)
	o.machines(1, 1)
	o.after(time.Second)
	if row := o.view.Zones[0].Rows[0]; row.ID != "i-2" || row.Stage != "replaced" {
		t.Errorf("its machine has gone: %+v", row)
	}
}

// A machine keeps the name that people know it by when its node goes before it does.
func TestGardenerEndsAMachineAfterItsNode(t *testing.T) {
	o := look(t, 2)
	o.pool(world.Pool{Control: true})
	o.minds(1, func(g *world.ManagedMachine) {
		g.Phase, g.Deleted, g.Description = world.PhaseTerminating, noon, "Drain successful. Initiate VM deletion"
	})
	o.after(time.Second)
	o.w.DeleteNode("n1")
	o.minds(1, func(g *world.ManagedMachine) { g.Description = "Initiate machine object finalizer removal" })
	leaving := *o.w.Machine("i-1")
	leaving.State = world.MachineTerminating
	o.w.SetMachines([]world.Machine{leaving, *o.w.Machine("i-2")})
	o.sees(time.Second, `
		Gardener is at work here: n1 terminating
		0 replaced since 12:00, 0 of 1 current
		n1 terminating | Gardener is terminating its machine: its Machine object is removed
		n2 outdated
		12:00:02 node.terminating n1: Gardener is terminating its machine: its Machine object is removed
`)
	o.w.SetMachines([]world.Machine{*o.w.Machine("i-2")})
	o.after(time.Second)
	if row := o.view.Zones[0].Rows[0]; row.Name != "n1" || row.Stage != "replaced" {
		t.Errorf("its machine has gone: %+v", row)
	}
}

// A node that has just come, and is not Ready yet, is not called ready, nor given up, where
// the nodes are all that is known.
func TestGardenerNewNodeFromTheNodes(t *testing.T) {
	o := look(t, 1)
	o.pool(world.Pool{})
	o.machines(1, 1, 12)
	o.node(12, sick(noon))
	coming := *o.w.Machine("i-12")
	coming.State = world.MachinePending
	o.w.SetMachines([]world.Machine{*o.w.Machine("i-1"), coming})
	o.sees(time.Second, `
		n1 outdated
		n12 launching | its node has joined but is not Ready yet
		12:00:01 node.launching n12: its node has joined but is not Ready yet
`)
	o.rests("n12", "")
}
