package strategy

import (
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
)

// What the tables of strategies say: where their defaults come from, what an operator can do
// and how that is done, and what sets a group's template. Their sentences are in engine/text.

// What changes the template that a group launches from, other than a run.
const (
	setByKops  = "kops update cluster --yes"
	setByShoot = "a change of the Shoot"
)

// minimalOrigin says where EKSMinimal's wait before a termination comes from, which is not EKS's.
const minimalOrigin = "EKS MINIMAL: none"

// surgeOrigin says where EKS's surge comes from.
const surgeOrigin = "EKS: the larger of twice the zones and max-unavailable"

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

// drainboardOrigin says where the defaults of Drainboard come from, by flag.
func drainboardOrigin() map[string]string {
	return map[string]string{
		"max-surge":          "Drainboard: one machine",
		"max-unavailable":    "Drainboard: none beside the surge",
		"drain-timeout":      "Drainboard: 15 minutes, as EKS",
		"post-drain-wait":    "Drainboard: until nothing routes to the node, at most 60 seconds",
		"on-drain-timeout":   "Drainboard: fails, as EKS",
		"singles":            "Drainboard: a single replica gets a second one while it moves",
		"on-trouble":         "Drainboard: no drain starts until it is over",
		"order":              "Drainboard: nodes that go together share as few PDBs as possible",
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
		"validate-count":         "kops: 2 validations in a row",
		"validate-pause":         "kops: 10 seconds",
		"validate-retry":         "kops: 30 seconds",
		"validation-timeout":     "kops: 15 minutes",
		"fail-on-validate-error": "kops: true",
		"fail-on-drain-error":    "kops: true",
		"drain-and-terminate":    "kops: true",
		"allow-quorum-loss":      "Drainboard: no; kops does not look",
		"deregister-limit":       "Drainboard: kops waits indefinitely",
		"force-unmanaged":        "kops: drains with force",
		"delete-emptydir-data":   "kops: deletes the data",
		"order":                  "Drainboard: zones in turn, at random in each; detached instances last, as by kops",
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
		"on-drain-timeout":     "Gardener: pods are deleted past their PDBs",
		"eviction-retry":       "Gardener: 20 seconds, and at once when a PDB allows it",
		"health-timeout":       "Gardener: 10 minutes (machineHealthTimeout)",
		"unreachable":          "Gardener: a node that is not Ready is terminated with its pods",
		"unreachable-after":    "Gardener: 5 minutes",
		"order":                "Gardener: unhealthy nodes, then the oldest",
		"post-drain-wait":      "Gardener: none",
		"force-unmanaged":      "Gardener: evicts all pods",
		"delete-emptydir-data": "Gardener: evicts all pods",
		"approve":              "Drainboard",
	}
	if seed {
		origin["node-ready-timeout"] = "Gardener's document: 10 minutes (machineCreationTimeout)"
		origin["max-evict-retries"] = "Gardener's document: 10"
		origin["node-conditions"] = "Gardener's document"
		return origin
	}
	origin["node-ready-timeout"] = "Gardener: 20 minutes (machineCreationTimeout)"
	origin["max-evict-retries"] = "Gardener: 360, or fewer if the drain timeout is shorter"
	origin["node-conditions"] = "Gardener"
	return origin
}

// inPlaceOrigin says where those defaults of GardenerInPlace come from that are not Gardener's.
func inPlaceOrigin() map[string]string {
	return map[string]string{
		"max-surge":       "Gardener: none",
		"max-unavailable": "Gardener: one node; one in each zone that has no share of it or of the surge",
		"health-timeout":  "Gardener: none for a pool with in-place updates (disableHealthTimeout)",
		"order":           "Gardener: none",
		"approve":         "Gardener: no approval",
	}
}

// manualOrigin says where the defaults of GardenerManual come from, by flag.
func manualOrigin() map[string]string {
	return map[string]string{
		"max-unavailable":      "Drainboard: one node; Gardener has no limit for a manual update",
		"drain-timeout":        "Gardener: 2 hours (machineDrainTimeout), then it deletes the pods left",
		"on-drain-timeout":     "Gardener drains, then deletes the pods left",
		"node-ready-timeout":   "Drainboard",
		"order":                "Drainboard: fewest blockers",
		"force-unmanaged":      "Gardener: evicts all pods",
		"delete-emptydir-data": "Gardener: evicts all pods",
		"approve":              "Drainboard",
	}
}

// followOrigin says where the defaults of GardenerFollow come from, by flag.
func followOrigin() map[string]string {
	return map[string]string{
		"max-unavailable":      "Gardener: the Shoot's, split over the zones",
		"max-surge":            "Gardener: the Shoot's, split over the zones",
		"drain-timeout":        "Gardener: machineDrainTimeout of each Machine",
		"on-drain-timeout":     "Gardener drains, then deletes the pods left",
		"node-ready-timeout":   "Gardener: 20 minutes (machineCreationTimeout)",
		"order":                "Gardener: machine priority, then phase and age",
		"force-unmanaged":      "Gardener: evicts all pods",
		"delete-emptydir-data": "Gardener: evicts all pods",
		"approve":              "Gardener needs no approval",
	}
}

// managedOrigin says where the defaults of EKSManaged come from, by flag.
func managedOrigin() map[string]string {
	return map[string]string{
		"max-unavailable":      "EKS: the node group's update configuration",
		"drain-timeout":        "EKS: 3 windows of 15 minutes, as reported",
		"on-drain-timeout":     "EKS fails the update",
		"node-ready-timeout":   "EKS: 15 minutes, as reported",
		"order":                "EKS picks nodes at random",
		"force-unmanaged":      "EKS: nobody is asked",
		"delete-emptydir-data": "EKS: nobody is asked",
		"approve":              "EKS: nobody is asked",
	}
}

// managedAbilities is what cannot be had of EKS's own update, with the nearest substitute.
func managedAbilities() []record.Ability {
	return []record.Ability{
		{Kind: record.CmdApprove, Answer: record.No, How: "EKS asks nobody once an update has started"},
		{Kind: record.CmdPause, Answer: record.No, How: "an update cannot be paused; nearest: a PDB that allows no disruption holds the nodes that are not drained yet, until EKS gives up"},
		{Kind: record.CmdResume, Answer: record.No, How: "an update cannot be paused; a failed one is started again with drainboard upgrade"},
		{Kind: record.CmdAccept, Answer: record.No, How: "EKS tries no node first"},
		{Kind: record.CmdForce, Answer: record.Substitute, How: systems.EKSForcesAll},
		{Kind: record.CmdSkip, Answer: record.No, How: "EKS picks at random from all old nodes; nearest: none"},
		{Kind: record.CmdReturn, Answer: record.No, How: "EKS picks at random from all old nodes; nearest: --max-unavailable 1, before the update starts"},
		{Kind: record.CmdExtend, Answer: record.No, How: "EKS gives each node its own windows; nearest: none"},
		{Kind: record.CmdMaxUnavailable, Answer: record.No, How: "EKS fixes it when an update starts; nearest: --max-unavailable, before that"},
		{Kind: record.CmdAbort, Answer: record.No, How: "an update cannot be cancelled; nearest: a PDB that allows no disruption, until EKS gives up"},
	}
}

// changesMaxUnavailable is what a new max-unavailable does.
const changesMaxUnavailable = "changes how many nodes may be out of service at once, within the strategy's bounds"

// everything is what an operator can do to a run that we drive.
func everything() []record.Ability {
	return []record.Ability{
		{Kind: record.CmdApprove, Answer: record.Yes, How: "lets the batch's nodes drain"},
		{Kind: record.CmdPause, Answer: record.Yes, How: "no eviction and no termination starts, deadlines stand still"},
		{Kind: record.CmdResume, Answer: record.Yes, How: "continues the run"},
		{Kind: record.CmdAccept, Answer: record.Yes, How: "continues a run that a canary's trouble holds"},
		{Kind: record.CmdForce, Answer: record.Yes, How: "deletes pods past their PDBs"},
		{Kind: record.CmdSkip, Answer: record.Yes, How: "leaves the node as it was"},
		{Kind: record.CmdReturn, Answer: record.Yes, How: "returns a skipped or failed node to the end of the order"},
		{Kind: record.CmdExtend, Answer: record.Yes, How: "gives the node another drain timeout"},
		{Kind: record.CmdMaxUnavailable, Answer: record.Yes, How: changesMaxUnavailable},
		{Kind: record.CmdAbort, Answer: record.Yes, How: "finishes or undoes what is in progress"},
	}
}

// inPlaceAbilities is what an operator can do where Gardener drains and updates what is
// selected, and a run ends what is too many.
func inPlaceAbilities() []record.Ability {
	return []record.Ability{
		{Kind: record.CmdApprove, Answer: record.Yes, How: "lets the batch's nodes be selected"},
		{Kind: record.CmdPause, Answer: record.Yes, How: "no further node is selected, no eviction and no termination starts; Gardener finishes what is selected"},
		{Kind: record.CmdResume, Answer: record.Yes, How: "continues the run"},
		{Kind: record.CmdAccept, Answer: record.Yes, How: "continues a run that a canary's trouble holds"},
		{Kind: record.CmdForce, Answer: record.Yes, How: "deletes the pods of the node past their PDBs; Gardener's own drain then continues"},
		{Kind: record.CmdSkip, Answer: record.Yes, How: "leaves the node as it is; one whose update failed is left to Gardener"},
		{Kind: record.CmdReturn, Answer: record.Yes, How: "returns a skipped node to the end of the order"},
		{Kind: record.CmdExtend, Answer: record.No, How: "the drain is Gardener's, with its own timeout; nearest: machineDrainTimeout"},
		{Kind: record.CmdMaxUnavailable, Answer: record.Yes, How: changesMaxUnavailable},
		{Kind: record.CmdAbort, Answer: record.Substitute, How: "no further node is selected; Gardener finishes those that are"},
	}
}

// manualAbilities is what an operator can do where Gardener drains and updates what is selected.
func manualAbilities() []record.Ability {
	return []record.Ability{
		{Kind: record.CmdApprove, Answer: record.Yes, How: "lets the batch's nodes be selected"},
		{Kind: record.CmdPause, Answer: record.Yes, How: "no further node is selected; Gardener finishes those that are"},
		{Kind: record.CmdResume, Answer: record.Yes, How: "continues the run"},
		{Kind: record.CmdAccept, Answer: record.Yes, How: "continues a run that a canary's trouble holds"},
		{Kind: record.CmdForce, Answer: record.Yes, How: "deletes the pods of the node past their PDBs; Gardener's drain then continues"},
		{Kind: record.CmdSkip, Answer: record.Yes, How: "leaves the node as it is; one that is selected is left to Gardener"},
		{Kind: record.CmdReturn, Answer: record.Yes, How: "returns a skipped node to the end of the order"},
		{Kind: record.CmdExtend, Answer: record.No, How: "the drain is Gardener's, with its own timeout; nearest: machineDrainTimeout"},
		{Kind: record.CmdMaxUnavailable, Answer: record.Yes, How: changesMaxUnavailable},
		{Kind: record.CmdAbort, Answer: record.Substitute, How: "no further node is selected; Gardener finishes those that are"},
	}
}

// followAbilities is what an operator can do where Gardener's controller rolls the pool.
func followAbilities() []record.Ability {
	return []record.Ability{
		{Kind: record.CmdApprove, Answer: record.No, How: "Gardener needs no approval; pause holds it"},
		{Kind: record.CmdPause, Answer: record.Substitute, How: "spec.paused of the machine deployments: no further node is replaced; started drains continue, new nodes still come up to the surge"},
		{Kind: record.CmdResume, Answer: record.Yes, How: "resumes the machine deployments"},
		{Kind: record.CmdAccept, Answer: record.No, How: "Gardener tries no node first"},
		{Kind: record.CmdForce, Answer: record.Yes, How: "deletes the pods past their PDBs, and labels the Machine force-deletion"},
		{Kind: record.CmdSkip, Answer: record.Substitute, How: "moves behind the others of its zone (machinepriority 4 of its Machine); it cannot be left out"},
		{Kind: record.CmdReturn, Answer: record.Substitute, How: "returns to its turn; asked again, moves before the others of its zone (machinepriority 2 of its Machine)"},
		{Kind: record.CmdExtend, Answer: record.No, How: "the drain is Gardener's; nearest: machineDrainTimeout in the Shoot"},
		{Kind: record.CmdMaxUnavailable, Answer: record.No, How: "Gardener has it from the Shoot; nearest: maxUnavailable there"},
		{Kind: record.CmdAbort, Answer: record.Substitute, How: "pauses the machine deployments and ends the run; Gardener finishes what it has started"},
	}
}
