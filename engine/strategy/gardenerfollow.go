package strategy

import (
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/selfdriven/mcm"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// GardenerFollow is the update of a Gardener worker pool by machine-controller-manager
// (AutoRollingUpdate, AutoInPlaceUpdate), followed and helped:
//
//	roll  stages are read from the Machines, where the control cluster is given, and from the
//	      marks on the Nodes. A pause sets spec.paused of the machine deployments, a force
//	      deletes the pods of a node past their budgets and labels its Machine, skip and
//	      return set the Machine's deletion priority
//
// Gardener is done when the Shoot's last operation has succeeded for its current generation, the
// pool is in no list of pending ones, and all machine deployments are complete, as far as these
// are read.
type GardenerFollow struct{ Follow }

// Name is "gardener-follow".
func (GardenerFollow) Name() string { return "gardener-follow" }

// Follows machine-controller-manager.
func (GardenerFollow) Follows() selfdriven.Controller { return mcm.Controller{} }

// Capabilities: Gardener's controller rolls the pool.
func (GardenerFollow) Capabilities() assess.Capabilities {
	return assess.Capabilities{TemplateSetBy: setByShoot, TakesOverFrom: world.MoverGardener}
}

// Defaults are how long is waited for what is not known, and what Gardener does with pods.
// Its own limits are those of its Machines.
func (GardenerFollow) Defaults() record.Settings {
	d := record.Common()
	d.Order = []record.Order{record.OrderFewestBlockers}
	d.DrainTimeout, d.OnDrainTimeout = 2*time.Hour, record.TimeoutWait
	d.NodeReadyTimeout, d.WaitForStart = 20*time.Minute, engine.WaitForStart
	d.Unmanaged, d.EmptyDir = true, true
	d.Approve = record.ApproveNone
	d.Origin = followOrigin()
	return d
}

// Rolls is a run that would follow the roll which Gardener is at, false where no node is outdated, or nobody but the
// user selects nodes.
func (g GardenerFollow) Rolls(w *world.World, now time.Time) (record.Run, bool) {
	if p := w.Group.Pool; p == nil || p.Update == world.ManualInPlaceUpdate || !g.Follows().Drives(&w.Group) {
		return record.Run{}, false
	}
	run := engine.Start(assess.NewRun(g, "", 0, w, g.Defaults(), record.Target{}), now, string(g.Follows().Mover()))
	run = engine.Decide(g, now, w, run, engine.Inputs{}).Run
	done, total := run.Outdated()
	return run, done < total
}

// Abilities are what Gardener offers.
func (GardenerFollow) Abilities() []record.Ability {
	return followAbilities()
}

// Warnings say what cannot be told or done from here.
func (GardenerFollow) Warnings(w *world.World, _ *record.Run) (out []string) {
	if p := w.Group.Pool; p != nil && !p.Control {
		out = append(out, systems.WithoutControlCluster)
	}
	return out
}
