package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// Nodes that become candidates while a manual update is under way belong to it: those that
// Gardener marks later, and those that were updated and are marked again as the Shoot was
// changed once more.
func TestManualTakesUpCandidates(t *testing.T) {
	f := &follower{onlooker: look(t, 2), rules: strategy.GardenerManual{}}
	f.pool(world.Pool{Update: world.ManualInPlaceUpdate})
	g := f.w.Group
	g.Sizes.Desired = 2
	g.Template.Version = 1 // an update in place changes none
	f.w.SetGroup(g)
	candidate := func(i int, is bool) {
		f.node(i, func(n *world.Node) {
			n.Labels = map[string]string{}
			if is {
				n.Labels["node.machine.sapcloud.io/candidate-for-update"] = "true"
			}
		})
	}
	selected := func(i int) {
		t.Helper()
		for range 5 {
			f.steps(time.Second, engine.Inputs{})
			for _, a := range f.asked {
				if a.Kind == record.AddLabel && a.Node == fmt.Sprint("n", i) {
					f.node(i, func(n *world.Node) {
						n.Labels = map[string]string{"node.machine.sapcloud.io/candidate-for-update": "true", world.SelectLabel: "true"}
					})
					f.answers()
					return
				}
			}
		}
		t.Fatalf("n%d is not selected: %s, %+v", i, f.is.State, f.is.Nodes)
	}
	candidate(1, true)
	f.fresh()
	settings := f.rules.Defaults()
	settings.Approve = record.ApproveNone
	f.is = engine.Start(assess.NewRun(f.rules, "r", 1, f.w, settings, record.Target{}), f.now, "me@here")
	selected(1)
	candidate(2, true) // it is marked later
	candidate(1, false)
	selected(2)
	candidate(2, false)
	candidate(1, true) // the Shoot is changed once more
	selected(1)
	candidate(1, false)
	for range 5 {
		f.steps(time.Second, engine.Inputs{})
	}
	if f.is.State != record.Finished || f.is.Result != record.Succeeded {
		t.Errorf("%s %s: %+v", f.is.State, f.is.Result, f.is.Nodes)
	}
}
