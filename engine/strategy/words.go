package strategy

import "github.com/drainboard/drainboard/engine/record"

// What the tables of strategies say: where their defaults come from, what an operator can do
// and how that is done, and what sets a group's template. Their sentences are in engine/text.

// What changes the template that a group launches from, other than a run.
const (
	setByKops  = "kops update cluster --yes"
	setByShoot = "a change of the Shoot"
)

// minimalOrigin says where EKSMinimal's wait before a termination comes from, which is not EKS's.
const minimalOrigin = "EKS MINIMAL: none"

// eksOrigin says where the defaults of EKS come from, by flag.
func eksOrigin() map[string]string {
	return map[string]string{
		"max-unavailable":    "EKS: one node",
		"drain-timeout":      "EKS: 15 minutes",
		"post-drain-wait":    "EKS: 60 seconds",
		"on-drain-timeout":   "EKS: fails with PodEvictionFailure",
		"order":              "EKS: random",
		"node-ready-timeout": "Drainboard",
		"approve":            "Drainboard",
	}
}

// kopsOrigin says where the defaults of Kops come from, by flag.
func kopsOrigin() map[string]string {
	return map[string]string{
		"max-surge":              "kops: one machine on AWS, none for the control plane",
		"max-unavailable":        "kops: none beside a surge, else one node",
		"drain-timeout":          "kops: 15 minutes",
		"on-drain-timeout":       "kops: fails (fail-on-drain-error)",
		"post-drain-wait":        "kops: 5 seconds (post-drain-delay)",
		"interval":               "kops: 15 seconds",
		"validate-count":         "kops: 2 looks in a row",
		"validate-pause":         "kops: 10 seconds",
		"validate-retry":         "kops: 30 seconds",
		"validation-timeout":     "kops: 15 minutes",
		"fail-on-validate-error": "kops: true",
		"fail-on-drain-error":    "kops: true",
		"drain-and-terminate":    "kops: true",
		"deregister-limit":       "Drainboard: kops waits without end",
		"force-unmanaged":        "kops: drains with force",
		"delete-emptydir-data":   "kops: deletes the data",
		"order":                  "Drainboard: zones in turn, at random in each; detached machines last as kops has it",
		"node-ready-timeout":     "Drainboard: only shown, the validation's time counts",
		"approve":                "Drainboard",
	}
}

// gardenerOrigin says where the defaults of Gardener come from, by flag: from what is deployed,
// or (seed) from its document.
func gardenerOrigin(seed bool) map[string]string {
	origin := map[string]string{
		"max-surge":            "Gardener: one machine",
		"max-unavailable":      "Gardener: none; one in a zone that has no share of the surge",
		"drain-timeout":        "Gardener: 2 hours (machineDrainTimeout)",
		"on-drain-timeout":     "Gardener: pods are deleted past their budgets",
		"eviction-retry":       "Gardener: 20 seconds, and at once when a budget opens",
		"health-timeout":       "Gardener: 10 minutes (machineHealthTimeout)",
		"unreachable":          "Gardener: a node that is not Ready is ended with its pods",
		"unreachable-after":    "Gardener: 5 minutes",
		"order":                "Gardener: those that are not healthy, then the oldest",
		"post-drain-wait":      "Gardener: none",
		"force-unmanaged":      "Gardener: all pods go",
		"delete-emptydir-data": "Gardener: all pods go",
		"approve":              "Drainboard",
	}
	if seed {
		origin["node-ready-timeout"] = "Gardener's document: 10 minutes (machineCreationTimeout)"
		origin["max-evict-retries"] = "Gardener's document: 10"
		origin["node-conditions"] = "Gardener's document"
		return origin
	}
	origin["node-ready-timeout"] = "Gardener: 20 minutes (machineCreationTimeout)"
	origin["max-evict-retries"] = "Gardener: 360, no more than fit into the drain's time"
	origin["node-conditions"] = "Gardener"
	return origin
}

// inPlaceOrigin says where those defaults of GardenerInPlace come from that are not Gardener's.
func inPlaceOrigin() map[string]string {
	return map[string]string{
		"max-surge":       "Gardener: none",
		"max-unavailable": "Gardener: one node; one in each zone that has no share of it or of the surge",
		"health-timeout":  "Gardener: none for a pool that is updated in place (disableHealthTimeout)",
		"order":           "Gardener: none",
		"approve":         "Gardener: nobody is asked",
	}
}

// manualOrigin says where the defaults of GardenerManual come from, by flag.
func manualOrigin() map[string]string {
	return map[string]string{
		"max-unavailable":      "Drainboard: one node; Gardener has no limit for a manual update",
		"drain-timeout":        "Gardener: 2 hours (machineDrainTimeout), then it deletes what is left",
		"on-drain-timeout":     "Gardener drains, and forces in the end",
		"node-ready-timeout":   "Drainboard",
		"order":                "Drainboard: fewest blockers",
		"force-unmanaged":      "Gardener: all pods go",
		"delete-emptydir-data": "Gardener: all pods go",
		"approve":              "Drainboard",
	}
}

// followOrigin says where the defaults of GardenerFollow come from, by flag.
func followOrigin() map[string]string {
	return map[string]string{
		"max-unavailable":      "Gardener: the Shoot's, split over the zones",
		"drain-timeout":        "Gardener: machineDrainTimeout of each Machine",
		"on-drain-timeout":     "Gardener drains, and forces in the end",
		"node-ready-timeout":   "Gardener: 20 minutes (machineCreationTimeout)",
		"order":                "Gardener: machine priority, then phase and age",
		"force-unmanaged":      "Gardener: all pods go",
		"delete-emptydir-data": "Gardener: all pods go",
		"approve":              "Gardener asks nobody",
	}
}

// everything is what an operator can do to a run that we drive.
func everything() []record.Ability {
	return []record.Ability{
		{Kind: record.CmdApprove, Answer: record.Yes, How: "lets the batch's nodes drain"},
		{Kind: record.CmdPause, Answer: record.Yes, How: "no eviction and no termination starts, deadlines stand still"},
		{Kind: record.CmdResume, Answer: record.Yes, How: "goes on"},
		{Kind: record.CmdForce, Answer: record.Yes, How: "deletes pods past their budgets"},
		{Kind: record.CmdSkip, Answer: record.Yes, How: "leaves the node as it was"},
		{Kind: record.CmdReturn, Answer: record.Yes, How: "takes a skipped or failed node up again, at the end of the order"},
		{Kind: record.CmdAbort, Answer: record.Yes, How: "finishes or puts back what is in flight"},
	}
}

// inPlaceAbilities is what an operator can do where Gardener drains and updates what is
// selected, and a run ends what is too many.
func inPlaceAbilities() []record.Ability {
	return []record.Ability{
		{Kind: record.CmdApprove, Answer: record.Yes, How: "lets the batch's nodes be selected"},
		{Kind: record.CmdPause, Answer: record.Yes, How: "no further node is selected, no eviction and no termination starts; Gardener finishes what is selected"},
		{Kind: record.CmdResume, Answer: record.Yes, How: "goes on"},
		{Kind: record.CmdForce, Answer: record.Yes, How: "deletes the pods of the node past their budgets; where Gardener drains it, that then goes on"},
		{Kind: record.CmdSkip, Answer: record.Yes, How: "leaves the node as it is; one whose update has failed is left to Gardener"},
		{Kind: record.CmdReturn, Answer: record.Yes, How: "takes a skipped node up again, at the end of the order"},
		{Kind: record.CmdAbort, Answer: record.Substitute, How: "no further node is selected; Gardener finishes those that are"},
	}
}

// manualAbilities is what an operator can do where Gardener drains and updates what is selected.
func manualAbilities() []record.Ability {
	return []record.Ability{
		{Kind: record.CmdApprove, Answer: record.Yes, How: "lets the batch's nodes be selected"},
		{Kind: record.CmdPause, Answer: record.Yes, How: "no further node is selected; Gardener finishes those that are"},
		{Kind: record.CmdResume, Answer: record.Yes, How: "goes on"},
		{Kind: record.CmdForce, Answer: record.Yes, How: "deletes the pods of the node past their budgets; Gardener's drain then goes on"},
		{Kind: record.CmdSkip, Answer: record.Yes, How: "leaves the node as it is; one that is selected is left to Gardener"},
		{Kind: record.CmdReturn, Answer: record.Yes, How: "takes a skipped node up again, at the end of the order"},
		{Kind: record.CmdAbort, Answer: record.Substitute, How: "no further node is selected; Gardener finishes those that are"},
	}
}

// followAbilities is what an operator can do where Gardener's controller rolls the pool.
func followAbilities() []record.Ability {
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
