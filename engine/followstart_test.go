package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven/mcm"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// followEarly makes a run in a pool of one machine, right after its Shoot was changed: no node
// has a mark yet, and the machine deployment, where it is read, is complete as it was.
func followEarly(t *testing.T, control bool) *follower {
	t.Helper()
	f := &follower{onlooker: look(t, 1), rules: strategy.GardenerFollow{}}
	p := world.Pool{ShootStatus: world.ShootStatus{Shoot: "garden-dev/prod", Progress: &world.ShootProgress{Generation: 2, Observed: 1, Operation: "Reconcile", State: "Succeeded", Percent: 100}}, Update: world.AutoRollingUpdate, Control: control, Namespace: "shoot--dev--prod"}
	if control {
		p.Deployments = []world.MachineDeployment{{Name: "web-z1", Zone: "a", Generation: 1, Observed: 1, Desired: 1, Updated: 1, Available: 1, Total: 1, MaxSurge: 1}}
	}
	f.pool(p)
	g := f.w.Group
	g.Sizes.Desired = 1
	g.Template.Version = 1
	f.w.SetGroup(g)
	if control {
		f.minds(0, nil)
	}
	f.fresh()
	plan := snapshot.MakePlan(f.rules, f.now, f.w, assess.NewRun(f.rules, "r", 1, f.w, f.rules.Defaults(), record.Target{}), 1)
	if len(plan.Nodes) != 0 || len(plan.Awaited) != 1 || plan.Awaited[0].Kind != world.UnfinishedGeneration {
		t.Fatalf("the plan has the nodes %+v, and awaits %+v", plan.Nodes, plan.Awaited)
	}
	f.is = engine.Start(plan.Run, f.now, "me@here")
	return f
}

// shoot changes how far Gardener is with the Shoot.
func (f *follower) shoot(change func(*world.Pool, *world.ShootProgress)) {
	g := f.w.Group
	p := *g.Pool
	progress := *p.Progress
	p.Progress = &progress
	change(&p, p.Progress)
	g.Pool = &p
	f.w.SetGroup(g)
}

// reconciles says that Gardener has started the Shoot's generation, and how far it is.
func (f *follower) reconciles(state string, percent int) {
	f.shoot(func(_ *world.Pool, s *world.ShootProgress) {
		s.Observed, s.State, s.Percent = s.Generation, state, percent
	})
}

// A run that begins before Gardener does waits for it, follows the update to its end, and
// succeeds when the machine deployment is complete and the Shoot's operation has succeeded.
func TestFollowWaitsForStart(t *testing.T) {
	f := followEarly(t, true)
	f.shows(0, `
		n1 ready
		phase.started : roll
		warning : no node is outdated yet; waiting for Gardener: Gardener has not started generation 2 of Shoot garden-dev/prod (observed: 1)
`)
	f.waits(25 * time.Second)
	f.reconciles("Processing", 10)
	f.shows(time.Second, `
		n1 ready
		warning : no node is outdated yet; waiting for Gardener: the last operation of Shoot garden-dev/prod, Reconcile, is Processing (10 %)
`)
	f.waits(25 * time.Second)
	f.reconciles("Processing", 40)
	f.shows(5*time.Second, `
		n1 ready
		warning : no node is outdated yet; waiting for Gardener: the last operation of Shoot garden-dev/prod, Reconcile, is Processing (40 %)
`)
	// Gardener comes to the pool: the machine deployment changes, and the node is outdated.
	f.deployment(func(d *world.MachineDeployment) { d.Generation = 2 })
	f.shows(time.Second, `
		n1 ready
		warning : no node is outdated yet; waiting for Gardener: the last operation of Shoot garden-dev/prod, Reconcile, is Processing (40 %); machine deployment web-z1 has 1 of 1 machines updated, 1 available, 1 in total (its generation 2 is not observed yet)
`)
	f.taint(1, "deployment.machine.sapcloud.io/prefer-no-schedule", "True", "PreferNoSchedule")
	f.deployment(func(d *world.MachineDeployment) { d.Observed, d.Updated = 2, 0 })
	g := f.w.Group
	g.Template.Version = 2
	f.w.SetGroup(g)
	f.shows(time.Second, `
		n1 outdated | Gardener will update or replace it: new pods avoid it
		node.tainted n1: Gardener will update or replace it: new pods avoid it (taint deployment.machine.sapcloud.io/prefer-no-schedule=True:PreferNoSchedule)
`)
	f.machines(1, 1, 11)
	f.ends(1, "Initiate VM deletion")
	f.node(11, func(*world.Node) {})
	f.steps(time.Second, engine.Inputs{})
	if f.is.Awaits != nil || f.is.PhaseWait != nil {
		t.Errorf("it waits while a node is under way: %+v", f.is.Awaits)
	}
	f.machines(11, 11)
	f.w.DeleteNode("n1")
	f.deployment(func(d *world.MachineDeployment) { d.Updated, d.Total = 1, 2 })
	f.shows(time.Second, `
		n1 replaced
		n11 ready
		node.replaced n1: gone
`)
	f.waits(25 * time.Second)
	f.shows(5*time.Second, `
		n1 replaced
		n11 ready
		warning : no node is left to update; waiting for Gardener: the last operation of Shoot garden-dev/prod, Reconcile, is Processing (40 %); machine deployment web-z1 has 1 of 1 machines updated, 1 available, 2 in total
`)
	f.deployment(func(d *world.MachineDeployment) { d.Total = 1 })
	f.reconciles("Succeeded", 100)
	f.steps(time.Second, engine.Inputs{})
	if f.is.State != record.Finished || f.is.Result != record.Succeeded || f.is.Awaits != nil {
		t.Errorf("the run is %s, %s: %s", f.is.State, f.is.Result, f.is.Why)
	}
}

// When Gardener never starts the run pauses itself when the time for it is up, never before,
// and never succeeds. Such a pause holds no machine deployment, so that Gardener may still
// start; resume waits again.
func TestFollowNeverStarts(t *testing.T) {
	for _, control := range []bool{true, false} {
		f := followEarly(t, control)
		f.shoot(func(p *world.Pool, _ *world.ShootProgress) {
			p.Notes = []string{"MaintenancePreconditionsSatisfied is False"}
		})
		f.waits(engine.WaitForStart)
		if f.is.State != record.Running {
			t.Fatalf("control %t: %s before its time is up: %s", control, f.is.State, f.is.Why)
		}
		f.waits(2 * engine.Heartbeat)
		if f.is.State != record.Paused || !strings.Contains(f.is.Why, "not finished after 30m0s: Gardener has not started generation 2") || !strings.Contains(f.is.Why, "; MaintenancePreconditionsSatisfied is False; resume") {
			t.Fatalf("control %t: %s: %s", control, f.is.State, f.is.Why)
		}
		f.waits(time.Minute)
		if len(f.asked) > 0 || len(f.is.PausedDeployments) > 0 {
			t.Errorf("control %t: asked for %v, and holds %q", control, f.asked, f.is.PausedDeployments)
		}
		f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdResume, "")}})
		if f.is.State != record.Running || f.is.PhaseWait == nil || f.is.PhaseWait.End.Sub(f.now) != engine.WaitForStart {
			t.Fatalf("control %t: resumed it is %s, and waits %+v", control, f.is.State, f.is.PhaseWait)
		}
		f.reconciles("Succeeded", 100) // the change did not concern the pool
		f.steps(time.Second, engine.Inputs{})
		if f.is.State != record.Finished || f.is.ExitCode() != 0 {
			t.Errorf("control %t: %s: %s", control, f.is.State, f.is.Why)
		}
	}
}

// Time in which nothing can be seen is no part of the wait.
func TestFollowWaitsWhileBlind(t *testing.T) {
	f := followEarly(t, true)
	f.waits(20 * time.Minute)
	f.away = true
	f.waits(20 * time.Minute)
	f.away = false
	f.waits(8 * time.Minute)
	if f.is.State != record.Running {
		t.Errorf("%s: %s", f.is.State, f.is.Why)
	}
	f.waits(5 * time.Minute)
	if f.is.State != record.Paused {
		t.Errorf("%s after more than its time", f.is.State)
	}
}

// A user's pause of a run that waits holds the machine deployments as any other does.
func TestFollowPausedWhileWaiting(t *testing.T) {
	f := followEarly(t, true)
	f.waits(time.Minute)
	f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdPause, "")}})
	if len(f.asked) != 1 || f.asked[0].Kind != record.HoldRoll {
		t.Errorf("asked for %v", f.asked)
	}
}

// Each sign that Gardener is not done keeps the run from ending, alone.
func TestFollowEndsOnlyWhenDone(t *testing.T) {
	for name, is := range map[string]func(*world.Pool, *world.ShootProgress){
		"generation":         func(_ *world.Pool, s *world.ShootProgress) { s.Generation = 3 },
		"operation":          func(_ *world.Pool, s *world.ShootProgress) { s.State = "Error" },
		"no operation":       func(_ *world.Pool, s *world.ShootProgress) { s.State, s.Operation = "", "" },
		"failed":             func(_ *world.Pool, s *world.ShootProgress) { s.State = "Failed" },
		"in-place-pending":   func(p *world.Pool, _ *world.ShootProgress) { p.Pending = true },
		"rollout-pending":    func(_ *world.Pool, s *world.ShootProgress) { s.Rollout = true },
		"shoot-unread":       func(p *world.Pool, _ *world.ShootProgress) { p.Unread = "connection refused" },
		"no deployment":      func(p *world.Pool, _ *world.ShootProgress) { p.Deployments = nil },
		"observed":           func(p *world.Pool, _ *world.ShootProgress) { p.Deployments[0].Generation = 7 },
		"machine-deployment": func(p *world.Pool, _ *world.ShootProgress) { p.Deployments[0].Total = 2 },
	} {
		f := followEarly(t, true)
		f.reconciles("Succeeded", 100)
		g := f.w.Group
		p := *g.Pool
		p.Deployments = append([]world.MachineDeployment(nil), p.Deployments...)
		g.Pool = &p
		f.w.SetGroup(g)
		f.shoot(is)
		f.waits(time.Minute)
		if f.is.State != record.Running || f.is.Awaits == nil {
			t.Errorf("%s: the run is %s: %s", name, f.is.State, f.is.Why)
		}
	}
	f := followEarly(t, true)
	f.reconciles("Succeeded", 100)
	if f.steps(time.Second, engine.Inputs{}); f.is.State != record.Finished {
		t.Errorf("with all done it is %s", f.is.State)
	}
}

// Where the Shoot alone is read nodes are outdated at once by their version. Gardener has the
// same time to come to them.
func TestFollowOutdatedByVersion(t *testing.T) {
	f := followEarly(t, false)
	g := f.w.Group
	g.Template.Version = 2
	f.w.SetGroup(g)
	f.waits(engine.WaitForStart + 2*engine.Heartbeat)
	if f.is.State != record.Paused || !strings.Contains(f.is.Why, "the update of the outdated nodes has not started") {
		t.Errorf("%s: %s", f.is.State, f.is.Why)
	}
}

// Once a node has come beside the outdated one the update is not said to be still to start.
func TestFollowStartedByANewNode(t *testing.T) {
	f := followEarly(t, false)
	g := f.w.Group
	g.Template.Version = 2
	f.w.SetGroup(g)
	if told := f.steps(time.Second, engine.Inputs{}); !strings.Contains(told, "the update of the outdated nodes has not started") {
		t.Errorf("told\n%s", told)
	}
	f.reconciles("Processing", 80)
	f.machines(1, 1, 11)
	f.node(11, func(n *world.Node) { n.Created = f.now })
	if told := f.steps(time.Second, engine.Inputs{}) + f.steps(time.Minute, engine.Inputs{}); strings.Contains(told, "has not started") {
		t.Errorf("told\n%s", told)
	}
}

// A wait that is in a record is the same wait after it was read again.
func TestFollowWaitInARecord(t *testing.T) {
	f := followEarly(t, true)
	f.waits(10 * time.Minute)
	was := f.is.PhaseWait.End
	f.is = again(t, f.is)
	f.waits(time.Minute)
	if f.is.PhaseWait == nil || !f.is.PhaseWait.End.Equal(was) || f.is.Awaits == nil {
		t.Errorf("it waits until %+v, and before until %s", f.is.PhaseWait, was)
	}
}

// From the nodes alone nothing proves that no update is due: a run that finds none waits for
// one, and pauses when the time for it is up.
func TestFollowUnproven(t *testing.T) {
	f := &follower{onlooker: look(t, 1), rules: strategy.GardenerFollow{}}
	f.pool(world.Pool{})
	g := f.w.Group
	g.Sizes.Desired, g.Template.Version = 1, 1
	f.w.SetGroup(g)
	f.fresh()
	f.is = engine.Start(assess.NewRun(f.rules, "r", 1, f.w, f.rules.Defaults(), record.Target{}), f.now, "me@here")
	f.is.Settings.WaitForStart = time.Minute
	if said := mcm.Unseen(f.w.Group.Pool); !strings.Contains(said, "an update that Gardener has not started is not visible") {
		t.Errorf("it says %q", said)
	}
	told := f.steps(0, engine.Inputs{})
	if !strings.Contains(told, "no node is outdated yet; waiting for Gardener: neither the Shoot") || f.is.State != record.Running {
		t.Errorf("it is %s, and told\n%s", f.is.State, told)
	}
	f.waits(time.Minute + engine.Heartbeat)
	if f.is.State != record.Paused || !strings.Contains(f.is.Why, "Gardener has not finished after 1m0s") {
		t.Errorf("it is %s: %s", f.is.State, f.is.Why)
	}
}

// Nodes that do not carry the hash that the Shoot asks for are outdated, and are waited for: with
// confineSpecUpdateRollout until the maintenance time window.
func TestFollowWaitsForWindow(t *testing.T) {
	f := followEarly(t, false)
	g := f.w.Group
	p := *g.Pool
	p.Progress = &world.ShootProgress{Generation: 1, Observed: 1, Operation: "Reconcile", State: "Succeeded", Percent: 100, Confined: true}
	p.Behind, p.Opens, p.Closes = []string{"n1"}, noon.Add(10*time.Hour), noon.Add(11*time.Hour)
	g.Pool, g.Template.Version = &p, 2
	f.w.SetGroup(g)
	if told := f.steps(time.Second, engine.Inputs{}); !strings.Contains(told, "1 node of pool web is not made as the Shoot asks (n1); the change waits for the maintenance time window, 22:00:00 UTC to 23:00:00 UTC") {
		t.Errorf("told\n%s", told)
	}
}

// What the hash of the nodes does not prove is proved by the Machines, or by the Shoot's status, and
// told at the end; where both are missing, or the nodes contradict the status, the run ends with 9.
func TestFollowWithoutHash(t *testing.T) {
	const old = "Gardener v1.145.2 is older than 1.146"
	for _, c := range []struct {
		what    string
		control bool
		is      func(*world.Pool)
		exit    int
		told    string
	}{
		{"an older Gardener, by the status", false, func(p *world.Pool) { p.Unhashed = old }, 0, "is proved by the Shoot's status, which says that Gardener has finished the current generation; the hash of the nodes does not tell: " + old},
		{"an older Gardener, by the Machines", true, func(p *world.Pool) { p.Unhashed = old }, 0, "is proved by the Machines, all of the newest machine set, and the machine deployments"},
		{"no node has the hash", false, func(p *world.Pool) { p.Unhashed, p.Disproved = "none has", true }, 9, "no node has the hash that the Shoot comes to"},
		{"no node has the hash, by the Machines", true, func(p *world.Pool) { p.Unhashed, p.Disproved = "none has", true }, 0, "is proved by the Machines"},
		{"nodes without a hash", false, func(p *world.Pool) { p.Unmarked = []string{"n1"} }, 9, "1 node of pool web (n1) without the label " + world.GardenerSecret},
		{"nodes without a hash, by the Machines", true, func(p *world.Pool) { p.Unmarked = []string{"n1"} }, 0, "is proved by the Machines"},
		{"with the hash", false, func(*world.Pool) {}, 0, ""},
	} {
		f := followEarly(t, c.control)
		f.reconciles("Succeeded", 100)
		f.shoot(func(p *world.Pool, _ *world.ShootProgress) { c.is(p) })
		told := f.steps(time.Second, engine.Inputs{})
		if c.exit == 9 {
			f.waits(engine.WaitForStart + 2*engine.Heartbeat)
			if f.is.State != record.Paused || !strings.Contains(f.is.Why, c.told) || !strings.Contains(told, c.told) {
				t.Errorf("%s: %s: %s; told\n%s", c.what, f.is.State, f.is.Why, told)
			}
			continue
		}
		if f.is.State != record.Finished || f.is.ExitCode() != 0 || !strings.Contains(strings.Join(f.is.Notes, "\n"), c.told) || c.told == "" && len(f.is.Notes) > 0 {
			t.Errorf("%s: %s, notes %q", c.what, f.is.State, f.is.Notes)
		}
	}
}

// confine has the Shoot's changes wait for the maintenance time window; nothing shows that one does.
func (f *follower) confine() {
	f.reconciles("Succeeded", 100)
	f.shoot(func(p *world.Pool, s *world.ShootProgress) {
		s.Confined, p.Opens, p.Closes = true, noon.Add(10*time.Hour), noon.Add(11*time.Hour)
	})
}

// A change that the maintenance window is waited for, and that is not in the hash of the nodes, is not
// visible: a run that finds nothing to do says so, waits, and pauses.
func TestFollowConfined(t *testing.T) {
	for _, control := range []bool{true, false} {
		f := followEarly(t, control)
		f.confine()
		told := f.steps(time.Second, engine.Inputs{})
		if !strings.Contains(told, "waiting for Gardener: changes of the Shoot wait for its maintenance time window, 22:00:00 UTC to 23:00:00 UTC") {
			t.Errorf("control %t: told\n%s", control, told)
		}
		f.waits(engine.WaitForStart + 2*engine.Heartbeat)
		if f.is.State != record.Paused || !strings.Contains(f.is.Why, "maintenance time window, 22:00:00 UTC") {
			t.Errorf("control %t: %s: %s", control, f.is.State, f.is.Why)
		}
	}
}

// Once Gardener has begun while such a run waited, its end proves that nothing is left, also to
// another process.
func TestFollowConfinedBegins(t *testing.T) {
	f := followEarly(t, false)
	f.confine()
	f.waits(time.Minute)
	f.reconciles("Processing", 10)
	f.waits(time.Minute)
	f.is = again(t, f.is)
	f.reconciles("Succeeded", 100)
	f.steps(time.Second, engine.Inputs{})
	if f.is.State != record.Finished || f.is.ExitCode() != 0 {
		t.Errorf("%s: %s", f.is.State, f.is.Why)
	}
}

// An operation that began before the run proves nothing: the change may have come after its begin.
func TestFollowConfinedUnderWay(t *testing.T) {
	f := followEarly(t, false)
	f.confine()
	f.reconciles("Processing", 10)
	f.waits(time.Minute)
	f.reconciles("Succeeded", 100)
	f.waits(time.Minute)
	if f.is.State != record.Running || f.is.Awaits == nil || !f.is.Awaits.Unseen() {
		t.Errorf("%s: %s, awaits %+v", f.is.State, f.is.Why, f.is.Awaits)
	}
}

// An update that was followed to its end ends the run, which says that a later change is not visible.
func TestFollowConfinedUpdated(t *testing.T) {
	f := followEarly(t, false)
	f.confine()
	f.reconciles("Processing", 80)
	f.taint(1, "deployment.machine.sapcloud.io/prefer-no-schedule", "True", "PreferNoSchedule")
	f.steps(time.Second, engine.Inputs{})
	f.node(1, func(n *world.Node) { n.Taints = nil })
	f.reconciles("Succeeded", 100)
	f.steps(time.Second, engine.Inputs{})
	if f.is.State != record.Finished || len(f.is.Notes) != 1 || !strings.Contains(f.is.Notes[0], "changes of the Shoot wait for its maintenance time window") {
		t.Errorf("%s: %s, notes %q", f.is.State, f.is.Why, f.is.Notes)
	}
}

// A machine that has failed and is preserved, and that is up to date, keeps no run from its end: with the
// control cluster, where the machine deployment has one available less, and from the nodes and the
// Shoot. One that is not preserved is waited for.
func TestFollowPreservedFailed(t *testing.T) {
	until := noon.Add(96 * time.Hour)
	for name, c := range map[string]struct {
		control   bool
		preserved time.Time
		ends      bool
	}{
		"with the control cluster": {true, until, true}, "with the Shoot": {false, until, true},
		"with the control cluster, not preserved": {true, time.Time{}, false}, "with the Shoot, not preserved": {false, time.Time{}, false},
	} {
		f := followEarly(t, c.control)
		f.machines(1, 2)
		g := f.w.Group
		g.Sizes.Desired = 2
		f.w.SetGroup(g)
		f.node(2, sick(noon))
		f.node(2, func(n *world.Node) { n.Preserved = c.preserved })
		if c.control {
			f.minds(2, func(g *world.ManagedMachine) { g.Phase, g.Preserved = world.PhaseFailed, c.preserved })
			f.deployment(func(d *world.MachineDeployment) {
				d.Desired, d.Updated, d.Total, d.Available, d.Preserved = 2, 2, 2, 1, 0
				if c.ends {
					d.Preserved = 1
				}
			})
		}
		f.is.Base.Desired = 2
		f.reconciles("Succeeded", 100)
		told := f.steps(time.Second, engine.Inputs{}) + f.steps(time.Second, engine.Inputs{})
		if ended := f.is.State == record.Finished; ended != c.ends {
			t.Errorf("%s: it is %s\n%s", name, f.is.State, told)
			continue
		}
		if !c.ends {
			continue
		}
		if f.is.Result != record.Succeeded || !strings.Contains(told, "n2 has failed and is up to date: Gardener preserves its machine until 2026-03-") {
			t.Errorf("%s: it ends with %s\n%s", name, f.is.Result, told)
		}
	}
}

// A run that starts while a surge node is there ends when the Shoot says that Gardener is through, though
// fewer nodes serve than at its start. Before that it waits.
func TestFollowBegunWithSurge(t *testing.T) {
	f := followEarly(t, false)
	f.is.Base.Desired = 2
	f.reconciles("Processing", 80)
	f.waits(30 * time.Second)
	if f.is.State != record.Running {
		t.Fatalf("it is %s while Gardener works", f.is.State)
	}
	f.reconciles("Succeeded", 100)
	if told := f.steps(time.Second, engine.Inputs{}) + f.steps(time.Second, engine.Inputs{}); f.is.State != record.Finished || f.is.Result != record.Succeeded {
		t.Errorf("it is %s\n%s", f.is.State, told)
	}
}

// A new machine that fails is not taken for an outdated one, before it is preserved and after that.
func TestFollowNewFails(t *testing.T) {
	f := followEarly(t, true)
	f.steps(time.Second, engine.Inputs{})
	for _, preserved := range []time.Time{{}, noon.Add(time.Hour)} {
		f.minds(1, func(g *world.ManagedMachine) { g.Phase, g.Preserved = world.PhaseFailed, preserved })
		f.steps(time.Second, engine.Inputs{})
		if n := f.is.Nodes.Get("i-1"); !n.New || n.Stage != record.NodeFail {
			t.Errorf("preserved until %v: %+v", preserved, n)
		}
	}
}

// An outdated machine that has failed and is preserved is replaced last, and a run waits for that.
func TestFollowPreservedOutdated(t *testing.T) {
	f := follow(t, 2, true)
	f.minds(2, func(g *world.ManagedMachine) { g.Phase, g.Preserved = world.PhaseFailed, noon.Add(96*time.Hour) })
	f.node(2, sick(noon))
	f.deployment(func(d *world.MachineDeployment) { d.Preserved = 1 })
	f.steps(time.Second, engine.Inputs{})
	if f.is.State != record.Running || f.is.Nodes.Get("i-2").New {
		t.Errorf("it is %s, with %+v", f.is.State, f.is.Nodes.Get("i-2"))
	}
}
