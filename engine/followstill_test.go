package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// A followed run that nobody moves pauses itself by a limit of its own, with what is known, and holds
// no machine deployment. Resumed it waits again, and ends when the controller has moved on.
func TestFollowStandsStill(t *testing.T) {
	for _, control := range []bool{true, false} {
		f := follow(t, 2, control)
		notes := func(p *world.Pool) {
			p.Notes = []string{"MaintenancePreconditionsSatisfied is False (ProblematicWebhooks)"}
			if control {
				p.Deployments[0].Frozen = true
			}
		}
		g := f.w.Group
		p := *g.Pool
		notes(&p)
		g.Pool = &p
		f.w.SetGroup(g)
		f.waits(engine.WaitForStart - time.Minute)
		if f.is.State != record.Running {
			t.Fatalf("control %t: %s before its time: %s", control, f.is.State, f.is.Why)
		}
		f.waits(2 * time.Minute)
		for _, want := range []string{"Gardener has moved nothing for 30m", "2 nodes outdated", "MaintenancePreconditionsSatisfied is False", map[bool]string{true: "frozen", false: "why is known in the control cluster only (--control-kubeconfig)"}[control]} {
			if f.is.State != record.Paused || !strings.Contains(f.is.Why, want) {
				t.Errorf("control %t: it is %s, and does not say %q: %s", control, f.is.State, want, f.is.Why)
			}
		}
		f.waits(time.Minute)
		if len(f.asked) > 0 || len(f.is.PausedDeployments) > 0 {
			t.Errorf("control %t: asked for %v, holds %q", control, f.asked, f.is.PausedDeployments)
		}
		f.steps(time.Second, engine.Inputs{Commands: []record.Command{says(record.CmdResume, "")}})
		f.waits(engine.WaitForStart - time.Minute)
		if f.is.State != record.Running {
			t.Errorf("control %t: resumed it is %s at once: %s", control, f.is.State, f.is.Why)
		}
	}
}

// A drain that the controller ends by a deadline of its own is no standstill before that; after it
// one is, and says of which node.
func TestFollowStandsStillPastADeadline(t *testing.T) {
	f := follow(t, 1, true)
	f.pod("cart", 1)
	f.ends(1, "Initiate node drain")
	f.node(1, func(n *world.Node) { n.Unschedulable = true })
	f.waits(10 * time.Second)
	n := f.is.Nodes.Get("i-1")
	if n.Wait == nil {
		t.Fatalf("the node has no deadline: %+v", n)
	}
	f.waits(n.Wait.End.Sub(f.now) + engine.WaitForStart - time.Minute)
	if f.is.State != record.Running {
		t.Fatalf("it is %s before its time: %s", f.is.State, f.is.Why)
	}
	f.waits(2 * time.Minute)
	if f.is.State != record.Paused || !strings.Contains(f.is.Why, "n1 is draining, 30m longer than it should be") {
		t.Errorf("it is %s: %s", f.is.State, f.is.Why)
	}
}
