// Package mng is EKS's update of a managed node group: what can be told of it from outside. EKS
// tells no progress, names no node that it has picked, and leaves no trace of an eviction that
// was refused. What it does is inferred, and every conclusion says so:
//
//   - the phase of an update from launch templates, marks and ages of nodes (Infer);
//   - who ends a machine, and what was replaced before the watch began, from the activities of the Auto
//     Scaling group (Foreign): AZRebalance and autoscalers end machines as well, and EKS drains those too;
//   - which marked nodes it has picked from pods that the eviction API was asked for, or that
//     have left (Next). All old nodes of an update are marked, so a mark alone says nothing;
//   - where nothing leaves although a node must be under way, the nodes that it may be are those
//     whose pods are all kept by PDBs (Infer: candidates).
//
// Nothing can be asked of EKS here: an update cannot be paused, aborted or given an order.
package mng

import (
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Controller is EKS's own worker for managed node groups.
type Controller struct{}

func init() { selfdriven.Register(Controller{}) }

const (
	part = "node group"
	// window is for how long EKS evicts the pods of a node before it counts as a failure, or
	// deletes them with force (EKS user guide, "Understand each phase of node updates").
	window = world.EKSDrainLimit
	// givesUp is after how long updates were reported to fail (pulumi-eks 875 and
	// terraform-aws-eks 2845: about 45 minutes).
	givesUp = 3 * window
	// settle is from the last pod to the termination with DEFAULT (same page).
	settle = time.Minute
	// most is EKS's bound on maxUnavailable.
	most = 100
)

// ID is "eks".
func (Controller) ID() string { return "eks" }

// Mover is EKS.
func (Controller) Mover() world.Mover { return world.MoverEKS }

// Words are those of EKS.
func (Controller) Words() selfdriven.Words {
	return selfdriven.Words{Part: part, Where: "EKS", Back: systems.EKSNoWayBack}
}

// Drives reports whether EKS has updated the nodes of a managed node group, or does.
func (Controller) Drives(g *world.Group) bool {
	return g.Managed != nil && g.Managed.Update != nil
}

// Told is nothing beside the marks on nodes.
func (Controller) Told(*world.Machine, *world.Node) []world.Move { return nil }

// Limits are those of the user guide.
func (Controller) Limits(*world.Group, *world.Machine) selfdriven.Limits {
	return selfdriven.Limits{Drain: window, Slow: quiet, Guess: true}
}

// Kept is an end of the whole update: it fails, or deletes the pod if it was started with
// force, which is not known.
func (Controller) Kept(k selfdriven.Kept) selfdriven.Outlook {
	return selfdriven.Outlook{Adds: systems.EKSFailsThen}
}

// Passes is not known: whether the update was started with force is not readable.
func (Controller) Passes(selfdriven.Kept) selfdriven.Passing { return selfdriven.Passing{} }

// InTurn is nothing: pods leave side by side.
func (Controller) InTurn(*world.World, string) ([]*world.Pod, string) { return nil, "" }

// Object is none.
func (Controller) Object(*world.Machine) (selfdriven.Object, bool) { return selfdriven.Object{}, false }

// Unfinished is an update that is not over.
func (Controller) Unfinished(g *world.Group) []world.Unfinished {
	if !Under(g) {
		return nil
	}
	return []world.Unfinished{{Kind: world.UnfinishedOperation, Text: text.EKSUpdate(g.Managed.Update.ID)}}
}

// Proof is EKS's own word, as always.
func (Controller) Proof(*world.Group) string { return "" }

// Unproven is nothing: EKS's own word is read.
func (Controller) Unproven(*world.Group) []world.Unfinished { return nil }

// Under reports whether an update of the group's nodes is under way. A status that is not
// known here is none of an end.
func Under(g *world.Group) bool { return Controller{}.Drives(g) && !g.Managed.Update.Over() }

// Unstarted is never known.
func (Controller) Unstarted([]world.Unfinished) bool { return false }

// AtOnce is maxUnavailable of the update configuration. A percentage rounds down, to no less
// than one.
func (Controller) AtOnce(g *world.Group) int {
	if g.Managed == nil {
		return 0
	}
	share, percent := strings.CutSuffix(g.Managed.MaxUnavailable, "%")
	n, err := strconv.Atoi(share)
	if err != nil {
		return 0
	}
	if percent {
		n = g.Sizes.Desired * n / 100
	}
	return min(most, max(1, n))
}

// Controls is false: EKS has no objects to change.
func (Controller) Controls(*world.Group) bool { return false }

// Namespace is none.
func (Controller) Namespace(*world.Group) string { return "" }

// Parts are none.
func (Controller) Parts(*world.Group) []selfdriven.Part { return nil }

// Refuses everything: EKS takes no request.
func (Controller) Refuses(_ *world.Group, kind selfdriven.Kind) string {
	switch kind {
	case selfdriven.Turn:
		return systems.EKSPicksAtRandom
	case selfdriven.Force:
		return systems.EKSForcesAll
	}
	return systems.EKSCannotPause
}

// Turns are none.
func (Controller) Turns() selfdriven.Turns { return selfdriven.Turns{} }

// Describe says nothing, as nothing can be asked.
func (Controller) Describe(selfdriven.Request) (what, command string) { return "", "" }
