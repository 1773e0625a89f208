package strategy

import (
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/selfdriven/mcm"
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
func (GardenerFollow) Capabilities() engine.Capabilities {
	return engine.Capabilities{TemplateSetBy: "a change of the Shoot", TakesOverFrom: world.MoverGardener}
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
	d.Origin = map[string]string{
		"max-unavailable":      "Gardener: the Shoot's, split over the zones",
		"drain-timeout":        "Gardener: machineDrainTimeout of each Machine",
		"on-drain-timeout":     "Gardener drains, and forces in the end",
		"node-ready-timeout":   "Gardener: 20 minutes (machineCreationTimeout)",
		"order":                "Gardener: machine priority, then phase and age",
		"force-unmanaged":      "Gardener: all pods go",
		"delete-emptydir-data": "Gardener: all pods go",
		"approve":              "Gardener asks nobody",
	}
	return d
}

// Abilities are what Gardener offers.
func (GardenerFollow) Abilities() []record.Ability {
	return []record.Ability{
		{Kind: record.CmdApprove, Answer: record.No, How: "Gardener asks nobody; pause holds it"},
		{Kind: record.CmdPause, Answer: record.Substitute, How: "spec.paused of the machine deployments: no further node goes; drains that have begun go on, and what is new still comes up to the surge"},
		{Kind: record.CmdResume, Answer: record.Yes, How: "lets the machine deployments go on"},
		{Kind: record.CmdForce, Answer: record.Yes, How: "deletes the pods past their budgets, and labels the Machine force-deletion"},
		{Kind: record.CmdSkip, Answer: record.Substitute, How: "goes after the others of its zone (machinepriority 4 of its Machine); it cannot be left out"},
		{Kind: record.CmdReturn, Answer: record.Substitute, How: "goes in its turn again; asked once more, before the others of its zone (machinepriority 2 of its Machine)"},
		{Kind: record.CmdAbort, Answer: record.Substitute, How: "pauses the machine deployments for good and ends the run; Gardener finishes what it has begun"},
	}
}

// Warnings say what cannot be told or done from here.
func (GardenerFollow) Warnings(w *world.World, _ *record.Run) (out []string) {
	if p := w.Group.Pool; p != nil && !p.Control {
		out = append(out, "without the control cluster (--control-kubeconfig) the roll can be followed and pods can be forced, but nothing can pause it or change its order")
	}
	return out
}
