package engine_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/check"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// pausedRoll is a run that has paused its machine deployment.
func pausedRoll(t *testing.T, nodes int) *follower {
	t.Helper()
	f := follow(t, nodes, true)
	f.steps(0, engine.Inputs{})
	f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdPause, "")}})
	f.answers()
	f.deployment(func(d *world.MachineDeployment) { d.Paused = true })
	f.steps(time.Second, engine.Inputs{})
	return f
}

// answers tells the run that all it has asked for was done.
func (f *follower) answers() string {
	f.t.Helper()
	var in engine.Inputs
	for _, a := range f.asked {
		in.Outcomes = append(in.Outcomes, record.Outcome{Key: a.Key, At: f.now, Verdict: record.Done})
	}
	f.asked = nil
	return f.steps(time.Second, in)
}

// hasNoControl takes the control cluster away, as from a user who continues with the run and
// does not give it.
func (f *follower) hasNoControl() {
	f.pool(world.Pool{Update: world.AutoRollingUpdate})
	f.is = engine.TakeOver(again(f.t, f.is), f.now)
}

const lets = `kubectl -n shoot--dev--prod patch machinedeployment web-z1 --type merge -p '{"spec":{"paused":false}}'`

// A user who resumes a roll before its pause is seen waits for that: what is seen then is no
// sign that it continues.
func TestFollowResumesAtOnce(t *testing.T) {
	f := follow(t, 1, true)
	f.steps(0, engine.Inputs{})
	f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdPause, "")}})
	f.answers()
	f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdResume, "")}})
	f.deployment(func(d *world.MachineDeployment) { d.Paused = true }) // the watch has caught up
	if got := f.steps(time.Second, engine.Inputs{}); !strings.Contains(got, "asks: "+lets) || f.is.State != record.Running {
		t.Errorf("%s, and asks for nothing that lets it continue:\n%s", f.is.State, got)
	}
	f.answers()
	f.deployment(func(d *world.MachineDeployment) { d.Paused = false })
	f.steps(time.Second, engine.Inputs{})
	if len(f.is.PausedDeployments) > 0 || len(f.is.Pending) > 0 {
		t.Errorf("held %q, pending %v", f.is.PausedDeployments, f.is.Pending)
	}
}

// An abort right after a resume holds the roll again, whatever is still seen of the pause
// before.
func TestFollowAbortsAfterResume(t *testing.T) {
	f := pausedRoll(t, 1)
	f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdResume, "")}})
	f.answers()
	if got := f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdAbort, "")}}); strings.Contains(got, "asks:") || f.is.State != record.Ending {
		t.Errorf("%s, before it is seen to continue:\n%s", f.is.State, got)
	}
	f.deployment(func(d *world.MachineDeployment) { d.Paused = false })
	f.steps(time.Second, engine.Inputs{})
	f.steps(time.Second, engine.Inputs{})
	f.answers()
	if f.is.State != record.Finished || len(f.is.Unrestored) != 1 || !strings.Contains(f.is.Unrestored[0], "web-z1 stays paused") {
		t.Errorf("%s: left %q", f.is.State, f.is.Unrestored)
	}
}

// What a run has paused is never forgotten: not by a process that continues with it without the control
// cluster, nor by one that ends it so.
func TestFollowWithoutItsControl(t *testing.T) {
	f := pausedRoll(t, 1)
	if left := f.is.Outstanding(); len(left) != 1 || !strings.HasSuffix(left[0], lets) {
		t.Errorf("outstanding: %q", left)
	}
	f.hasNoControl()
	if got := f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdResume, "")}}); f.is.State != record.Paused || !strings.Contains(got, "the run has paused web-z1: to resume, it needs the control cluster") {
		t.Errorf("%s:\n%s", f.is.State, got)
	}
	f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdAbort, "")}})
	f.steps(time.Second, engine.Inputs{})
	if f.is.State != record.Finished || len(f.is.Unrestored) != 1 || !strings.HasSuffix(f.is.Unrestored[0], lets) {
		t.Errorf("%s: left %q", f.is.State, f.is.Unrestored)
	}
}

// A driver that dies between a pause and its answer leaves a run that ends as well without the
// control cluster: nobody can look up there what became of it.
func TestFollowKilledBeforeTheAnswer(t *testing.T) {
	for _, control := range []bool{true, false} {
		f := follow(t, 1, true)
		f.steps(0, engine.Inputs{})
		f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdPause, "")}})
		f.asked = nil
		if control {
			f.is = engine.TakeOver(again(t, f.is), f.now)
			f.steps(time.Second, engine.Inputs{})
			if len(f.asked) != 1 || f.asked[0].Kind != record.CheckEffect {
				t.Errorf("it is asked again, or not looked up: %+v", f.asked)
			}
			continue
		}
		f.hasNoControl()
		f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdAbort, "")}})
		f.steps(time.Second, engine.Inputs{})
		if f.is.State != record.Finished || len(f.is.Unrestored) != 1 {
			t.Errorf("%s: left %q, pending %v", f.is.State, f.is.Unrestored, f.is.Pending)
		}
	}
}

// An abort whose pause was never answered does not claim that the roll is held.
func TestFollowAbortsUnheld(t *testing.T) {
	f := follow(t, 1, true)
	f.steps(0, engine.Inputs{})
	f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdAbort, "")}})
	for range 200 {
		var in engine.Inputs
		for _, a := range f.asked {
			in.Outcomes = append(in.Outcomes, record.Outcome{Key: a.Key, At: f.now, Verdict: record.Refused, Refusal: record.RefusedForbidden, Message: "no"})
		}
		f.asked = nil
		f.steps(engine.Heartbeat, in)
	}
	if f.is.State != record.Finished || len(f.is.Unrestored) != 1 || !strings.Contains(f.is.Unrestored[0], "may not be paused") {
		t.Errorf("%s: left %q", f.is.State, f.is.Unrestored)
	}
}

// Who paused the roll may resume it: the run continues with it, and does not hold it.
func TestFollowTheirPause(t *testing.T) {
	f := follow(t, 1, true)
	f.deployment(func(d *world.MachineDeployment) { d.Paused = true })
	f.steps(0, engine.Inputs{})
	f.steps(time.Second, engine.Inputs{})
	if f.is.State != record.Paused {
		t.Fatal(f.is.State)
	}
	f.is = engine.TakeOver(again(t, f.is), f.now)
	f.deployment(func(d *world.MachineDeployment) { d.Paused = false })
	f.steps(time.Second, engine.Inputs{})
	f.steps(time.Second, engine.Inputs{})
	if f.is.State != record.Running || len(f.asked) > 0 || len(f.is.PausedDeployments) > 0 {
		t.Errorf("%s, held %q, asks %+v", f.is.State, f.is.PausedDeployments, f.asked)
	}
}

// The time for which a roll may stand still is not used up by a pause, nor by time in which
// nobody could see.
func TestFollowStandsStillInTimeThatCounts(t *testing.T) {
	f := follow(t, 2, true)
	f.steps(0, engine.Inputs{})
	f.node(1, func(n *world.Node) {
		n.Labels = map[string]string{"node.machine.sapcloud.io/candidate-for-update": "true", "node.machine.sapcloud.io/update-result": "failed"}
	})
	f.waits(10 * time.Minute)
	f.steps(time.Hour, engine.Inputs{}) // asleep
	f.waits(9 * time.Minute)
	if f.is.State != record.Running {
		t.Errorf("%s: %s", f.is.State, f.is.Why)
	}
	f.waits(2 * time.Minute)
	if f.is.Result != record.Failed {
		t.Errorf("%s %s: %s", f.is.State, f.is.Result, f.is.Why)
	}
}

// The order cannot be changed by what is known of it no more, nor where there is none.
func TestFollowOrderRefused(t *testing.T) {
	f := follow(t, 2, true)
	f.steps(0, engine.Inputs{})
	f.now = f.now.Add(10 * time.Minute)
	f.w.SetHealth(world.Cluster, world.Health{Fresh: f.now})
	d := engine.Decide(f.rules, f.now, f.w, f.is, engine.Inputs{Commands: []record.Command{says(record.CmdSkip, "n1")}})
	if len(d.Actions) > 0 || !slices.ContainsFunc(d.Events, func(e record.Event) bool { return strings.Contains(e.Message, "too old to change the order") }) {
		t.Errorf("%+v", d.Events)
	}
	g := f.w.Group
	p := *g.Pool
	p.Update = world.AutoInPlaceUpdate
	g.Pool = &p
	f.w.SetGroup(g)
	if got := f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdSkip, "n1")}}); !strings.Contains(got, "no order can be set") || len(f.asked) > 0 {
		t.Error(got)
	}
}

// The deletion priority that a Machine keeps when its run is aborted is named, with the
// namespace that it is in, whether or not the control cluster is given then.
func TestFollowLeavesTurns(t *testing.T) {
	for _, given := range []bool{true, false} {
		leavesTurns(t, given)
	}
}

func leavesTurns(t *testing.T, given bool) {
	f := follow(t, 2, true)
	f.steps(0, engine.Inputs{})
	f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdSkip, "n1")}})
	f.answers()
	f.minds(1, func(g *world.ManagedMachine) { g.Priority = 4 })
	f.is = again(t, f.is)
	if !given {
		g := f.w.Group
		g.Pool = &world.Pool{Update: g.Pool.Update}
		f.w.SetGroup(g)
		f.machines(1, 2)
	}
	f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdAbort, "")}})
	f.answers()
	f.steps(time.Second, engine.Inputs{})
	want := "machine i-1 keeps the deletion priority of this run; to restore it in the control cluster: kubectl -n shoot--dev--prod annotate --overwrite machine i-1 machinepriority.machine.sapcloud.io=3"
	if f.is.State != record.Finished || !slices.Contains(f.is.Unrestored, want) {
		t.Errorf("control cluster %t: %s, left %q", given, f.is.State, f.is.Unrestored)
	}
}

// A process that watches a run from elsewhere, by its record, sees what its driver sees: what keeps
// pods on their nodes, and who drains them.
func TestFollowFromElsewhere(t *testing.T) {
	f := follow(t, 2, true)
	f.pod("cart", 1)
	f.budget("cart", 0)
	f.ends(1, "Initiate node drain")
	f.steps(time.Second, engine.Inputs{})
	f.steps(slow, engine.Inputs{})
	own := snapshot.View(f.rules, f.now, f.w, f.is, snapshot.Look{}, nil)
	elsewhere := snapshot.View(f.rules, f.now, f.w, engine.Meanwhile(f.now, again(t, f.is)), snapshot.Look{}, nil)
	if len(own.Blockers) != 1 || len(elsewhere.Blockers) != 1 || own.Blockers[0].Detail != elsewhere.Blockers[0].Detail || own.Blockers[0].WayOut != elsewhere.Blockers[0].WayOut {
		t.Errorf("blockers: %+v, and from elsewhere %+v", own.Blockers, elsewhere.Blockers)
	}
	if !reflect.DeepEqual(own.Zones[0].Rows, elsewhere.Zones[0].Rows) {
		t.Errorf("rows: %+v, and from elsewhere %+v", *own.Zones[0].Rows[0], *elsewhere.Zones[0].Rows[0])
	}
}

// The time that is left does not begin again for a process that continues with a run.
func TestFollowTimeLeftAfterResume(t *testing.T) {
	f := follow(t, 3, true)
	f.steps(0, engine.Inputs{})
	f.waits(10 * time.Minute)
	f.machines(2, 3, 11)
	f.w.DeleteNode("n1")
	f.node(11, func(*world.Node) {})
	f.waits(time.Minute)
	f.is = engine.TakeOver(again(t, f.is), f.now)
	f.waits(10 * time.Second)
	if left := snapshot.View(f.rules, f.now, f.w, f.is, snapshot.Look{}, nil).TimeLeft; left < 20*time.Minute {
		t.Errorf("one node in 11 minutes, and the two others in %s", left)
	}
}

// The record of a run in a worker pool fits its pool, whose sizes are not all known and whose
// templates are numbered by the source that tells of them.
func TestFollowFits(t *testing.T) {
	for _, control := range []bool{true, false} {
		f := follow(t, 3, control)
		f.steps(0, engine.Inputs{})
		g := f.w.Group
		g.Template.ID, g.Sizes = "as the nodes tell", world.Sizes{Min: 9, Max: 12, Desired: 9}
		f.w.SetGroup(g)
		r := again(t, f.is)
		if err := check.Run(&r); err != nil {
			t.Error(err)
		}
		if why := check.OtherGroup(&r, f.w); why != "" {
			t.Error(why)
		}
		if _, unfit := check.Reconcile(r, f.w, nil); len(unfit) > 0 {
			t.Errorf("control %t: %q", control, unfit)
		}
	}
}

// again is a copy of a run that shares nothing with it.
func again(t *testing.T, r record.Run) (c record.Run) {
	t.Helper()
	text, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}
