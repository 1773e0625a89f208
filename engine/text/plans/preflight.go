package plans

import (
	"fmt"
	"github.com/drainboard/drainboard/engine/text"
	"strings"
	"time"
)

// What a plan says nothing about.
const (
	WebhooksUnknown  = "admission webhooks: they answer only evictions"
	RoomUnknown      = "room on other nodes: the scheduler decides it"
	ClusterUnseen    = "cluster not read (--cloudonly)"
	PodsUnknown      = "pods and PDBs not read yet"
	CloudTooOld      = "lifecycle hooks, warm pool, Spot and protection: cloud data too old"
	MoversUnknown    = "others who move nodes of the group: cloud data too old"
	ControlUnknown   = "machine phases, drain failures, force orders, paused or frozen zones, machines that have not joined: known in the control cluster only (--control-kubeconfig)"
	UpdateStrategy   = "the update strategy"
	ReplacedAtATime  = "how many are replaced at a time"
	LimitsAreDefault = "time limits (the defaults are assumed)"
)

func PodsTooOld(age time.Duration) string {
	return "data on pods and PDBs is " + text.Seconds(age) + " old"
}

// BlockersUnknown and ScalingUnknown say why a plan does not tell of these.
func BlockersUnknown(why string) string { return "blockers: " + why }

func ScalingUnknown(why string) string { return "scaling policies and scheduled actions: " + why }

// ShootUnread names what only the Shoot has.
func ShootUnread(missing []string) string {
	return "Shoot not read (--garden-kubeconfig, --shoot): it has " + strings.Join(missing, ", ")
}

func ShootInfoUnread(why string) string {
	return "maintenance window, Shoot name and version: ConfigMap kube-system/shoot-info in the Shoot's cluster not read: " + why
}

// NeedsConsent names a pod that needs one, and why.
func NeedsConsent(pod, node, why string) string { return fmt.Sprintf("%s on %s %s", pod, node, why) }

// OfNode is a sentence about a node.
func OfNode(node, sentence string) string { return node + ": " + sentence }

func MayComeBack(pod string) string {
	return pod + " tolerates every taint: it may return to the node"
}

func HasFinalizers(pod string) string {
	return pod + " has finalizers: its deletion waits for them"
}

// DrainsNotReady warns of a node that is not Ready; why may be "".
func DrainsNotReady(why string) string {
	if why == "" {
		why = "no reason given"
	}
	return "node is not Ready (" + why + "): evicted pods may not terminate"
}

// What becomes of a node that is not heard from.
const (
	SilentIsEnded  = "its instance is terminated with its pods"
	SilentIsFailed = "it counts as failed"
	SilentGoesLast = "it goes last, nothing confirms that its pods have terminated"
)

func DrainsSilent(silent time.Duration, what string) string {
	return "node " + text.Silent(silent) + ": " + what
}

func PodOverdueHeld(pod string, over time.Duration, finalizers []string) string {
	return pod + ": " + text.Seconds(over) + " past its grace period, held by finalizers: " + strings.Join(finalizers, ", ")
}

func PodOverdue(pod string, over time.Duration) string {
	return pod + ": " + text.Overdue(over)
}

func TwoBudgets(pod, one, other string) string {
	return fmt.Sprintf("%s is covered by two PDBs (%s, %s): it cannot be evicted", pod, one, other)
}

func BudgetUnseen(pod, budget string) string {
	return pod + ": " + text.OfBudget(budget, text.BudgetChanged) + ": not evaluated"
}

func BudgetNever(pod, budget, expression string, healthy, expected int) string {
	return fmt.Sprintf("%s: PDB %s never allows a disruption (%s, %d of %d healthy)", pod, budget, expression, healthy, expected)
}

func BudgetClosed(pod, budget string, healthy, desired int) string {
	return fmt.Sprintf("%s: PDB %s allows 0 disruptions now (%d healthy, %d required)", pod, budget, healthy, desired)
}

func OnlyReplica(pod, owner string) string {
	return pod + " is the only replica of " + owner + ": down while it moves"
}

// SecondReplica says how the only pod of a Deployment moves without a gap.
func SecondReplica(pod, owner string) string {
	return pod + " is the only replica of " + owner + ": it gets a second one before its eviction, unless another user or controller decides on its replicas"
}

// BudgetTurns tells of a budget that covers more pods, on so many nodes that drain together,
// than it lets go at once; surges: new nodes are there before.
func BudgetTurns(budget string, allowed, pods, nodes int, surges bool) string {
	where := "this node"
	if nodes > 1 {
		where = text.Plural(nodes, "node") + " that drain together"
	}
	turns := "evicted in turn"
	if !surges {
		turns = "the others wait until the evicted ones are Ready elsewhere, which may need a new node"
	}
	return fmt.Sprintf("PDB %s allows %s, covers %s on %s: %s", budget, text.Plural(allowed, "disruption"), text.Plural(pods, "pod"), where, turns)
}
