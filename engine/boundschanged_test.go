package engine_test

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// While the roll of updates in place waits for approval, a user scales the group. How many nodes the zones
// have, and how many may go at once, is written down with that decision: another process would continue with
// the sizes of before.
func TestBoundsAreWritten(t *testing.T) {
	f := &follower{onlooker: look(t, 6), rules: strategy.GardenerInPlace{}}
	f.pool(world.Pool{Update: world.AutoInPlaceUpdate})
	g := f.w.Group
	g.Sizes.Desired, g.Zones = 6, []string{"a"}
	f.w.SetGroup(g)
	for i := 1; i <= 6; i++ {
		f.node(i, func(n *world.Node) {
			n.Labels = map[string]string{"node.machine.sapcloud.io/candidate-for-update": "true"}
		})
	}
	f.fresh()
	settings := f.rules.Defaults()
	settings.Approve, settings.MaxUnavailable = record.ApprovePhase, record.Amount{N: 50, Percent: true}
	plan := snapshot.MakePlan(f.rules, f.now, f.w, assess.NewRun(f.rules, "r", 1, f.w, settings, record.Target{}), 1)
	r := engine.Start(plan.Run, f.now, "me@here")
	decide := func() engine.Decision {
		f.now = f.now.Add(time.Second)
		f.fresh()
		d := engine.Decide(f.rules, f.now, f.w, r, engine.Inputs{})
		r = d.Run
		return d
	}
	for range 3 {
		decide()
	}
	if d := decide(); d.Changed || r.Limit != 3 || r.Zones["a"] != 6 {
		t.Fatalf("waiting counts as changed: %v; limit %d of %v", d.Changed, r.Limit, r.Zones)
	}
	f.machines(1, 5)
	if d := decide(); !d.Changed || len(d.Events) > 0 || r.Limit != 2 || r.Zones["a"] != 5 {
		t.Errorf("scaled from 6 to 5 machines: limit %d of %v, counts as changed: %v, events %v", r.Limit, r.Zones, d.Changed, d.Events)
	}
}
