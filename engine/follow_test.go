package engine_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// follower is an onlooker who has a run of gardener-follow in a pool of two zones, each of
// one machine deployment: what the run asks for is told, and done when done is called.
type follower struct {
	*onlooker
	rules engine.Strategy
	is    record.Run
	asked []record.Action
	away  bool // the control cluster does not answer
}

// follow makes a pool of that many machines that are to be rolled. Its deployments are there
// with the control cluster only.
func follow(t *testing.T, nodes int, control bool) *follower {
	f := &follower{onlooker: look(t, nodes), rules: strategy.GardenerFollow{}}
	p := world.Pool{Control: control, Update: world.AutoRollingUpdate, Namespace: "shoot--dev--prod"}
	if control {
		p.Deployments = []world.MachineDeployment{{Name: "web-z1", Zone: "a", Desired: nodes, Total: nodes, MaxSurge: 1}}
	}
	f.pool(p)
	g := f.w.Group
	g.Sizes.Desired = nodes
	f.w.SetGroup(g)
	if control {
		f.minds(0, nil)
	}
	for i := 1; i <= nodes; i++ {
		f.taint(i, "deployment.machine.sapcloud.io/prefer-no-schedule", "True", "PreferNoSchedule")
	}
	f.fresh()
	plan := snapshot.MakePlan(f.rules, f.now, f.w, assess.NewRun(f.rules, "r", 1, f.w, f.rules.Defaults(), record.Target{}), 1)
	if len(plan.Nodes) != nodes {
		t.Fatalf("the plan has %d nodes of %d: %+v", len(plan.Nodes), nodes, plan)
	}
	f.is = engine.Start(plan.Run, f.now, "me@here")
	return f
}

// followTwo makes a pool of two machines, and takes the first look at it.
func followTwo(t *testing.T) *follower {
	t.Helper()
	f := follow(t, 2, true)
	f.shows(0, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n2 outdated | Gardener will update or replace it: new pods avoid it
		node.tainted n1: Gardener will update or replace it: new pods avoid it (taint deployment.machine.sapcloud.io/prefer-no-schedule=True:PreferNoSchedule)
		node.tainted n2: Gardener will update or replace it: new pods avoid it (taint deployment.machine.sapcloud.io/prefer-no-schedule=True:PreferNoSchedule)
		phase.started : roll
`)
	return f
}

func (f *follower) fresh() {
	f.w.SetHealth(world.Cluster, world.Health{Fresh: f.now})
	if !f.away {
		f.w.SetHealth(world.Cloud, world.Health{Fresh: f.now})
	}
}

// deployment changes the machine deployment.
func (f *follower) deployment(change func(*world.MachineDeployment)) {
	g := f.w.Group
	p := *g.Pool
	p.Deployments = slices.Clone(p.Deployments)
	change(&p.Deployments[0])
	g.Pool = &p
	f.w.SetGroup(g)
}

// steps lets time go by, and tells what came of it: the stages, the actions, the events.
func (f *follower) steps(d time.Duration, in engine.Inputs) string {
	f.t.Helper()
	f.now = f.now.Add(d)
	f.fresh()
	decision := engine.Decide(f.rules, f.now, f.w, f.is, in)
	f.is = decision.Run
	f.asked = append(f.asked, decision.Actions...)
	var out strings.Builder
	for _, id := range slices.Sorted(f.is.Nodes.Keys()) {
		n := f.is.Nodes.Get(id)
		fmt.Fprintf(&out, "%s %s", cmp.Or(n.Name, id), n.Stage)
		if n.Wait != nil {
			fmt.Fprintf(&out, " %s %s", n.Wait.For, n.Wait.End.Sub(f.now))
		}
		if n.Reason != "" {
			fmt.Fprintf(&out, " | %s", n.Reason)
		}
		out.WriteString("\n")
	}
	for _, a := range decision.Actions {
		fmt.Fprintln(&out, "asks:", cmp.Or(a.Command(), a.Sentence()))
	}
	for _, e := range decision.Events {
		fmt.Fprintln(&out, strings.TrimSpace(fmt.Sprintf("%s %s: %s", e.Type, e.Node, e.Message)))
	}
	return out.String()
}

// waits lets time go by as in a run that is driven, with a decision every few seconds.
func (f *follower) waits(d time.Duration) {
	f.t.Helper()
	for ; d > 0; d -= engine.Heartbeat {
		f.steps(min(d, engine.Heartbeat), engine.Inputs{})
	}
}

// shows compares what came of a step.
func (f *follower) shows(d time.Duration, want string, commands ...record.Command) {
	f.t.Helper()
	same(f.t, f.steps(d, engine.Inputs{Commands: commands}), want)
}

// done tells the run that all it has asked for was done.
func (f *follower) done(d time.Duration, want string) {
	f.t.Helper()
	var in engine.Inputs
	for _, a := range f.asked {
		in.Outcomes = append(in.Outcomes, record.Outcome{Key: a.Key, At: f.now, Verdict: record.Done})
	}
	f.asked = nil
	same(f.t, f.steps(d, in), want)
}

func same(t *testing.T, got, want string) {
	t.Helper()
	want = strings.TrimSpace(strings.ReplaceAll(want, "\n\t\t", "\n"))
	if got = strings.TrimSpace(got); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func says(kind record.CommandKind, node string) record.Command {
	return record.Command{Kind: kind, Node: node, By: "me@here", Reason: "because"}
}

// ends says that the controller ends a machine, and how far that is.
func (f *follower) ends(i int, step string) {
	f.minds(i, func(g *world.ManagedMachine) {
		g.Phase, g.Deleted, g.Description = world.PhaseTerminating, noon, step
	})
}

// A roll is followed from its first drain to its end: the machine that comes, the step that
// the old one's end is at, and that it is over when the machine deployment is complete.
func TestFollowsARoll(t *testing.T) {
	f := follow(t, 1, true)
	f.pod("cart", 1)
	f.shows(0, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		node.tainted n1: Gardener will update or replace it: new pods avoid it (taint deployment.machine.sapcloud.io/prefer-no-schedule=True:PreferNoSchedule)
		phase.started : roll
`)
	f.machines(1, 1, 11)
	f.ends(1, "Initiate node drain")
	f.node(11, func(*world.Node) {})
	f.shows(time.Second, `
		n1 draining drain forced 1h59m59s | Gardener is terminating its machine: it is drained
		n11 ready
		node.draining n1: 1 pod to move: Gardener is terminating its machine: it is drained (Machine i-1 is Terminating)
`)
	f.w.DeletePod("cart")
	f.ends(1, "Initiate VM deletion")
	f.shows(time.Second, `
		n1 settling | Gardener is terminating its machine: its VM is deleted
		n11 ready
		node.drained n1: Gardener is terminating its machine: its VM is deleted
`)
	f.machines(11, 11)
	f.w.DeleteNode("n1")
	f.deployment(func(d *world.MachineDeployment) { d.Updated, d.Available = 1, 0 })
	f.shows(time.Second, `
		n1 replaced
		n11 ready
		node.replaced n1: gone
`)
	f.deployment(func(d *world.MachineDeployment) { d.Available = 1 })
	f.shows(time.Second, `
		n1 replaced
		n11 ready
		warning : the Shoot is not read (--garden-kubeconfig, --shoot): a change that has not reached the machine deployments is not visible
		phase.finished : roll took 4s
		run.finished : succeeded (1 of 1 nodes replaced in 4s)
`)
}

// A pause holds the machine deployments, resume continues those that it has held; one that
// another user has paused pauses the run, and resume continues it, too.
func TestFollowPauses(t *testing.T) {
	f := followTwo(t)
	f.shows(time.Second, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n2 outdated | Gardener will update or replace it: new pods avoid it
		asks: kubectl -n shoot--dev--prod patch machinedeployment web-z1 --type merge -p '{"spec":{"paused":true}}'
		run.paused : paused: requested by me@here: because; Gardener continues what it has begun
`, says(record.CmdPause, ""))
	f.done(time.Second, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n2 outdated | Gardener will update or replace it: new pods avoid it
		capacity.changed : pause machine deployment web-z1 in the control cluster
`)
	f.deployment(func(d *world.MachineDeployment) { d.Paused = true })
	f.shows(time.Minute, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n2 outdated | Gardener will update or replace it: new pods avoid it
		asks: kubectl -n shoot--dev--prod patch machinedeployment web-z1 --type merge -p '{"spec":{"paused":false}}'
		run.resumed : resumed
`, says(record.CmdResume, ""))
	f.done(time.Second, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n2 outdated | Gardener will update or replace it: new pods avoid it
		capacity.changed : resume machine deployment web-z1 in the control cluster
`)
	f.deployment(func(d *world.MachineDeployment) { d.Paused = false })
	f.shows(time.Minute, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n2 outdated | Gardener will update or replace it: new pods avoid it
`)
	f.deployment(func(d *world.MachineDeployment) { d.Paused = true })
	f.shows(time.Minute, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n2 outdated | Gardener will update or replace it: new pods avoid it
		run.paused : paused: another user has paused web-z1: resume continues it
`)
	f.shows(time.Second, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n2 outdated | Gardener will update or replace it: new pods avoid it
		asks: kubectl -n shoot--dev--prod patch machinedeployment web-z1 --type merge -p '{"spec":{"paused":false}}'
		run.resumed : resumed
`, says(record.CmdResume, ""))
}

// What Gardener continues with in a run that is paused is told, although the time of a pause
// moves the node's waits along first.
func TestFollowTellsWhilePaused(t *testing.T) {
	f := follow(t, 1, true)
	f.pod("cart", 1)
	f.ends(1, "Initiate node drain")
	f.shows(time.Second, `
		n1 draining drain forced 1h59m59s | Gardener is terminating its machine: it is drained
		node.draining n1: 1 pod to move: Gardener is terminating its machine: it is drained (Machine i-1 is Terminating)
		phase.started : roll
`)
	f.shows(time.Second, `
		n1 draining drain forced 1h59m58s | Gardener is terminating its machine: it is drained
		asks: kubectl -n shoot--dev--prod patch machinedeployment web-z1 --type merge -p '{"spec":{"paused":true}}'
		run.paused : paused: requested by me@here: because; Gardener continues what it has begun
`, says(record.CmdPause, ""))
	f.done(time.Second, `
		n1 draining drain forced 1h59m57s | Gardener is terminating its machine: it is drained
		capacity.changed : pause machine deployment web-z1 in the control cluster
`)
	f.w.DeletePod("cart")
	f.ends(1, "Initiate VM deletion")
	f.shows(time.Second, `
		n1 settling | Gardener is terminating its machine: its VM is deleted
		node.drained n1: Gardener is terminating its machine: its VM is deleted
`)
}

// A pause that comes while the control cluster is away holds nothing before that is back:
// what another user has paused meanwhile is that user's to resume.
func TestFollowPausesBlind(t *testing.T) {
	f := follow(t, 1, true)
	f.steps(0, engine.Inputs{})
	f.away = true
	f.waits(10 * time.Minute)
	f.shows(time.Second, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		run.paused : paused: requested by me@here: because; Gardener continues what it has begun
`, says(record.CmdPause, ""))
	f.deployment(func(d *world.MachineDeployment) { d.Paused = true })
	f.away = false
	f.shows(time.Second, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
`)
	if len(f.is.PausedDeployments) > 0 {
		t.Errorf("took what another user has paused: %q", f.is.PausedDeployments)
	}
}

// An abort while the control cluster is away does not wait for it for ever, and says how the
// machine deployments are paused.
func TestFollowAbortsBlind(t *testing.T) {
	f := follow(t, 1, true)
	f.steps(0, engine.Inputs{})
	f.away = true
	f.waits(10 * time.Minute)
	f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdAbort, "")}})
	f.waits(10 * time.Minute)
	want := []string{"machine deployment web-z1 may not be paused: further nodes may start; to pause it in the control cluster: kubectl -n shoot--dev--prod patch machinedeployment web-z1 --type merge -p '{\"spec\":{\"paused\":true}}'"}
	if f.is.State != record.Finished || !slices.Equal(f.is.Unrestored, want) {
		t.Errorf("%s, left %q", f.is.State, f.is.Unrestored)
	}
}

// A node whose time is up is no other one every second: what changes is written each time.
func TestFollowStaysTheSame(t *testing.T) {
	f := follow(t, 1, true)
	f.pod("cart", 1)
	f.ends(1, "Initiate node drain")
	f.waits(2*time.Hour + 10*time.Second)
	was := f.is.Nodes.Get("i-1").Reason
	f.steps(time.Second, engine.Inputs{})
	if now := f.is.Nodes.Get("i-1").Reason; now != was || !strings.Contains(now, "overdue by 10s") {
		t.Errorf("%q, and before %q", now, was)
	}
}

// A node that is skipped goes after the others, one that is returned to in its turn again,
// and once more first.
func TestFollowOrders(t *testing.T) {
	f := followTwo(t)
	f.shows(time.Second, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n2 outdated | Gardener will update or replace it: new pods avoid it
		asks: kubectl -n shoot--dev--prod annotate --overwrite machine i-1 machinepriority.machine.sapcloud.io=4
`, says(record.CmdSkip, "n1"))
	f.done(time.Second, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n2 outdated | Gardener will update or replace it: new pods avoid it
		node.tainted n1: give machine i-1 the deletion priority 4 in the control cluster
`)
	f.minds(1, func(g *world.ManagedMachine) { g.Priority = 4 })
	f.shows(time.Second, `
		n1 outdated | goes after the others of its zone (machinepriority 4)
		n2 outdated | Gardener will update or replace it: new pods avoid it
`)
	f.shows(time.Minute, `
		n1 outdated | goes after the others of its zone (machinepriority 4)
		n2 outdated | Gardener will update or replace it: new pods avoid it
		asks: kubectl -n shoot--dev--prod annotate --overwrite machine i-1 machinepriority.machine.sapcloud.io=3
`, says(record.CmdReturn, "n1"))
	f.done(time.Second, `
		n1 outdated | goes after the others of its zone (machinepriority 4)
		n2 outdated | Gardener will update or replace it: new pods avoid it
		node.tainted n1: give machine i-1 the deletion priority 3 in the control cluster
`)
	f.minds(1, func(g *world.ManagedMachine) { g.Priority = 3 })
	f.shows(time.Minute, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n2 outdated | Gardener will update or replace it: new pods avoid it
		asks: kubectl -n shoot--dev--prod annotate --overwrite machine i-1 machinepriority.machine.sapcloud.io=2
`, says(record.CmdReturn, "n1"))
	f.ends(2, "Initiate node drain")
	f.shows(time.Second, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n2 settling | Gardener is terminating its machine: it is drained
		node.drained n2: Gardener is terminating its machine: it is drained
		warning n2: n2 cannot be reordered: it is not waiting to be replaced
`, says(record.CmdSkip, "n2"))
}

// A force deletes the pods past their budgets and labels the Machine.
func TestFollowForces(t *testing.T) {
	f := follow(t, 1, true)
	f.pod("cart", 1)
	f.budget("cart", 0)
	f.ends(1, "Initiate node drain")
	f.shows(time.Second, `
		n1 draining drain forced 1h59m59s | Gardener is terminating its machine: it is drained
		node.draining n1: 1 pod to move: Gardener is terminating its machine: it is drained (Machine i-1 is Terminating)
		phase.started : roll
`)
	f.shows(slow, `
		n1 draining drain forced 1h59m18s | Gardener is terminating its machine: it is drained
		node.blocked n1: PDB shop/cart allows 0 disruptions: 1 healthy, 1 required, so it never allows any; way out: scale cart to 2, loosen minAvailable 1, or force with f; Gardener's drain fails on it and restarts every 5 s: only the drain timeout gets past it
`)
	f.shows(time.Second, `
		n1 draining drain forced 1h59m17s | Gardener is terminating its machine: it is drained
		asks: kubectl delete pod -n shop cart
		asks: kubectl -n shoot--dev--prod label machine i-1 force-deletion=true
		warning n1: force ordered by me@here (because): 1 pod may be deleted past its PDBs
`, says(record.CmdForce, "n1"))
	f.done(time.Second, `
		n1 draining drain forced 1h59m16s | Gardener is terminating its machine: it is drained
		pod.forced n1: deleted past its PDBs by force order force-1
		node.tainted n1: force machine i-1 in the control cluster
`)
}

// An abort leaves the machine deployments held, and says how they continue.
func TestFollowAborts(t *testing.T) {
	f := follow(t, 2, true)
	f.ends(1, "Initiate node drain")
	f.shows(time.Second, `
		n1 settling | Gardener is terminating its machine: it is drained
		n2 outdated | Gardener will update or replace it: new pods avoid it
		node.drained n1: Gardener is terminating its machine: it is drained
		node.tainted n2: Gardener will update or replace it: new pods avoid it (taint deployment.machine.sapcloud.io/prefer-no-schedule=True:PreferNoSchedule)
		phase.started : roll
`)
	f.shows(time.Second, `
		n1 settling | Gardener is terminating its machine: it is drained
		n2 outdated | Gardener will update or replace it: new pods avoid it
		asks: kubectl -n shoot--dev--prod patch machinedeployment web-z1 --type merge -p '{"spec":{"paused":true}}'
		run.aborting : nothing new starts; work in flight finishes or is undone
`, says(record.CmdAbort, ""))
	f.done(time.Second, `
		n1 settling | Gardener is terminating its machine: it is drained
		n2 outdated | Gardener will update or replace it: new pods avoid it
		capacity.changed : pause machine deployment web-z1 in the control cluster
		warning : machine deployment web-z1 stays paused: no further node starts; to resume it in the control cluster
		warning : n1: begun by Gardener, which finishes them
		warning : to roll back, change the Shoot back; a Kubernetes version cannot be lowered
		phase.finished : roll took 2s
		run.finished : aborted by me@here: because (0 of 2 nodes replaced in 3s)
`)
	if want := []string{"machine deployment web-z1 stays paused: no further node starts; to resume it in the control cluster: kubectl -n shoot--dev--prod patch machinedeployment web-z1 --type merge -p '{\"spec\":{\"paused\":false}}'"}; !slices.Equal(f.is.Unrestored, want) || f.is.Result != record.Aborted {
		t.Errorf("%s: left %q", f.is.Result, f.is.Unrestored)
	}
}

// Without the control cluster nothing can hold the roll, and it is over when as many nodes
// serve as did, or when that has not come for long.
func TestFollowsFromTheNodes(t *testing.T) {
	f := follow(t, 2, false)
	f.shows(0, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n2 outdated | Gardener will update or replace it: new pods avoid it
		node.tainted n1: Gardener will update or replace it: new pods avoid it (taint deployment.machine.sapcloud.io/prefer-no-schedule=True:PreferNoSchedule)
		node.tainted n2: Gardener will update or replace it: new pods avoid it (taint deployment.machine.sapcloud.io/prefer-no-schedule=True:PreferNoSchedule)
		phase.started : roll
`)
	f.shows(time.Second, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n2 outdated | Gardener will update or replace it: new pods avoid it
		warning : pause not possible now: it needs the control cluster (--control-kubeconfig, --control-namespace)
		warning n1: skip not possible now: it needs the control cluster (--control-kubeconfig, --control-namespace)
`, says(record.CmdPause, ""), says(record.CmdSkip, "n1"))
	f.w.DeleteNode("n1")
	f.w.DeleteNode("n2")
	f.node(11, func(*world.Node) {})
	f.machines(11, 11)
	f.shows(time.Minute, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		n11 ready
		n2 outdated | Gardener will update or replace it: new pods avoid it
`)
	f.shows(time.Minute, `
		n1 replaced
		n11 ready
		n2 replaced
		node.replaced n1: gone
		node.replaced n2: gone
`)
	f.waits(20*time.Minute - 5*time.Second)
	f.shows(5*time.Second, `
		n1 replaced
		n11 ready
		n2 replaced
		warning : 1 node in service, of 2 at the start: only the control cluster knows whether more are to come
		warning : neither the Shoot (--garden-kubeconfig, --shoot) nor the control cluster (--control-kubeconfig, --control-namespace) is read: an update that Gardener has not started is not visible
		phase.finished : roll took 22m1s
		run.finished : succeeded (2 of 2 nodes replaced in 22m1s)
`)
	if len(f.is.Notes) != 2 || !strings.HasPrefix(f.is.Notes[0], "1 node in service, of 2 at the start") {
		t.Errorf("notes: %q", f.is.Notes)
	}
}

// A failed update in place that nobody repairs ends the run, and names the node.
func TestFollowFails(t *testing.T) {
	f := followTwo(t)
	f.node(1, func(n *world.Node) {
		n.Labels = map[string]string{"node.machine.sapcloud.io/candidate-for-update": "true", "node.machine.sapcloud.io/update-result": "failed"}
		n.Annotations = map[string]string{"node.machine.sapcloud.io/update-failed-reason": "no space"}
	})
	f.shows(time.Minute, `
		n1 failed | its in-place update failed: no space
		n2 outdated | Gardener will update or replace it: new pods avoid it
		node.failed n1: its in-place update failed: no space
`)
	f.waits(20*time.Minute - 5*time.Second)
	f.shows(5*time.Second, `
		n1 failed | its in-place update failed: no space
		n2 outdated | Gardener will update or replace it: new pods avoid it
		warning : in-place update of n1 failed, Gardener waits for it: repair the node, its agent retries
`)
}

const slow = 41 * time.Second

// Machines that never get Ready, one after the other, end the run; one that does begins the
// time again.
func TestFollowGivesUp(t *testing.T) {
	f := follow(t, 1, true)
	f.pod("cart", 1)
	f.steps(0, engine.Inputs{})
	next := 10
	phase := func(phase string) {
		f.machines(1, 1, next)
		f.minds(0, nil)
		g := *f.w.Machine(fmt.Sprint("i-", next)).Managed
		g.Phase, g.Created, g.Since = phase, f.now, f.now
		f.w.Machine(fmt.Sprint("i-", next)).Managed = &g
	}
	comes := func(d time.Duration) {
		next++
		phase(world.PhasePending)
		f.waits(d)
	}
	for range 2 {
		comes(19 * time.Minute)
	}
	f.node(next, func(*world.Node) {})
	phase(world.PhaseRunning)
	f.steps(time.Second, engine.Inputs{})
	for range 2 {
		comes(19 * time.Minute)
	}
	if f.is.State != record.Running {
		t.Fatalf("%s: %s", f.is.State, f.is.Why)
	}
	comes(3 * time.Minute)
	if f.is.Result != record.CreationFail || !strings.Contains(f.is.Why, "no machine became Ready within 40m") {
		t.Errorf("%s: %s", f.is.Result, f.is.Why)
	}
}

// A run of which nothing is left but what another user has paused is paused, and continues with
// it.
func TestFollowLeavesToOthers(t *testing.T) {
	f := follow(t, 1, true)
	g := f.w.Group
	p := *g.Pool
	p.Deployments = append(slices.Clone(p.Deployments), world.MachineDeployment{Name: "web-z2", Zone: "b", Desired: 1, Total: 1, Updated: 0})
	g.Pool = &p
	f.w.SetGroup(g)
	f.steps(0, engine.Inputs{})
	f.deployment(func(d *world.MachineDeployment) { d.Paused = true })
	f.steps(time.Minute, engine.Inputs{})
	if f.is.State != record.Running {
		t.Fatalf("%s, and web-z2 continues: %s", f.is.State, f.is.Why)
	}
	second := func(change func(*world.MachineDeployment)) {
		f.deployment(func(*world.MachineDeployment) {})
		change(&f.w.Group.Pool.Deployments[1])
	}
	second(func(d *world.MachineDeployment) { d.Updated, d.Available = 1, 1 })
	f.shows(time.Second, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		run.paused : paused: another user has paused web-z1: resume continues it
`)
	second(func(d *world.MachineDeployment) { d.Available = 0 })
	f.shows(time.Second, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		run.resumed : resumed: nodes are left beside what another user has paused (web-z1)
`)
	second(func(d *world.MachineDeployment) { d.Available = 1 })
	f.steps(time.Second, engine.Inputs{})
	f.deployment(func(d *world.MachineDeployment) { d.Paused = false })
	f.shows(time.Second, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		run.resumed : resumed: another user has resumed the machine deployments
`)
}

// Pods that the controller takes off a node are counted once each, by their workload, and what
// replaces them is watched.
func TestFollowCountsMovedPods(t *testing.T) {
	f := followTwo(t)
	pod := func(name, node string, change func(*world.Pod)) {
		p := &world.Pod{UID: "u-" + name, Namespace: "shop", Name: name, Node: node, Phase: world.PodRunning, Ready: true, Grace: 30 * time.Second, Created: f.now,
			Owner: world.Owner{Kind: "StatefulSet", Name: "db", UID: "u-db"}}
		if change != nil {
			change(p)
		}
		f.w.SetPod(p)
	}
	goes := func(p *world.Pod) { p.Ends, p.Created = f.now.Add(p.Grace), f.now.Add(-time.Hour) }
	pod("db-0", "n1", goes)
	pod("db-9", "n2", goes) // its node is not drained: the run has nothing to do with it
	f.ends(1, "")
	f.steps(time.Second, engine.Inputs{})
	pod("db-1", "n1", goes)
	for range 4 {
		f.steps(2*time.Second, engine.Inputs{})
	}
	f.w.DeletePod("u-db-0")
	f.w.DeletePod("u-db-1")
	pod("db-0b", "n2", func(p *world.Pod) { p.Ready, p.Crashing = false, true })
	told := f.steps(2*time.Second, engine.Inputs{})
	w := f.is.Workloads["u-db"]
	if w.Moved != 2 || w.CrashLooping != 1 || w.Kind != "StatefulSet" || w.Ref() != "shop/db" || len(f.is.Leaving) != 0 {
		t.Errorf("it counts %+v, leaving %v", w, f.is.Leaving)
	}
	if !strings.Contains(told, "workload.crash-looping n2: replacement shop/db-0b crash-loops on n2") {
		t.Errorf("it tells\n%s", told)
	}
}
