package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// A node that is updated in place and comes back with the taint of the critical components, which
// from the nodes alone looks like one that was launched, is the node of before: it counts as updated.
func TestFollowReturnsFromAnUpdate(t *testing.T) {
	f := follow(t, 1, false)
	f.steps(time.Second, engine.Inputs{})
	f.condition(1, world.GardenerInPlace, world.GardenerReady)
	f.steps(time.Second, engine.Inputs{})
	if n := f.is.Nodes.Get("i-1"); n.Stage != record.Updating || n.New {
		t.Fatalf("it is %+v", n)
	}
	f.node(1, func(n *world.Node) { n.Taints, n.Conditions, n.Unschedulable, n.Ready = nil, nil, false, false })
	m := *f.w.Machine("i-1")
	m.State, m.Template = world.MachinePending, f.w.Group.Template
	f.w.SetMachines([]world.Machine{m})
	if told := f.steps(time.Second, engine.Inputs{}); strings.Contains(told, "launching") || f.is.Nodes.Get("i-1").New {
		t.Errorf("it is told as launched:\n%s", told)
	}
	f.node(1, func(n *world.Node) { n.Ready = true })
	m.State = world.MachineInService
	f.w.SetMachines([]world.Machine{m})
	told := f.steps(time.Second, engine.Inputs{})
	if n := f.is.Nodes.Get("i-1"); n.Stage != record.Replaced || n.New || !strings.Contains(told, "updated in place") {
		t.Errorf("it is %+v:\n%s", n, told)
	}
}
