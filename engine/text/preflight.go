package text

import (
	"fmt"
	"strings"
	"time"
)

// What a plan says nothing about.
const (
	WebhooksUnknown  = "admission webhooks: only an eviction shows what they say"
	RoomUnknown      = "room: whether the pods find a place on other nodes is the scheduler's to say"
	ClusterUnseen    = "the cluster is not looked at (--cloudonly)"
	PodsUnknown      = "nothing is known of the cluster's pods and budgets"
	CloudTooOld      = "lifecycle hooks, warm pool, Spot and protection: what is known of the cloud is too old"
	MoversUnknown    = "others who move nodes of the group: what is known of the cloud is too old"
	ControlUnknown   = "phases of machines, why a drain fails, orders to force, zones that are paused or frozen, and machines that have not joined are known in the control cluster only (--control-kubeconfig)"
	UpdateStrategy   = "the update strategy"
	ReplacedAtATime  = "how many are replaced at a time"
	LimitsAreDefault = "time limits, which are taken for the defaults"
)

func PodsTooOld(age time.Duration) string {
	return "what is known of pods and budgets is " + seconds(age) + " old"
}

// BlockersUnknown and ScalingUnknown say why a plan does not tell of these.
func BlockersUnknown(why string) string { return "blockers: " + why }

func ScalingUnknown(why string) string { return "scaling policies and scheduled actions: " + why }

// ShootUnread names what only the Shoot has.
func ShootUnread(missing []string) string {
	return "the Shoot is not read (--garden-kubeconfig, --shoot): it has " + strings.Join(missing, ", ")
}

func ShootInfoUnread(why string) string {
	return "the maintenance window, the Shoot's name and its version: the ConfigMap kube-system/shoot-info in the Shoot's cluster has them, and is not read: " + why
}

// NeedsConsent names a pod that needs one, and why.
func NeedsConsent(pod, node, why string) string { return fmt.Sprintf("%s on %s %s", pod, node, why) }

// OfNode is a sentence about a node.
func OfNode(node, sentence string) string { return node + ": " + sentence }

func MayComeBack(pod string) string {
	return pod + " tolerates every taint: it may come back to the node"
}

func HasFinalizers(pod string) string {
	return pod + " has finalizers that must be served before it goes"
}

// DrainsNotReady warns of a node that is not Ready; why may be "".
func DrainsNotReady(why string) string {
	if why == "" {
		why = "no reason given"
	}
	return "the node is not Ready (" + why + "): its pods may not end when they are evicted"
}

// What becomes of a node that is not heard from.
const (
	SilentIsEnded  = "its machine is ended with the pods on it"
	SilentIsFailed = "it counts as failed"
	SilentGoesLast = "it goes last, and nobody confirms that its pods have ended"
)

func DrainsSilent(silent time.Duration, what string) string {
	return "its kubelet has not been heard from for " + seconds(silent) + ": " + what
}

func PodOverdueHeld(pod string, over time.Duration, finalizers []string) string {
	return pod + " should have ended " + seconds(over) + " ago, and these finalizers hold it: " + strings.Join(finalizers, ", ")
}

func PodOverdue(pod string, over time.Duration) string {
	return pod + " " + Overdue(over)
}

func TwoBudgets(pod, one, other string) string {
	return fmt.Sprintf("%s is covered by two budgets (%s, %s): it cannot be evicted", pod, one, other)
}

func BudgetUnseen(pod, budget string) string {
	return fmt.Sprintf("%s: budget %s was changed and its controller has not looked at it since: not evaluated", pod, budget)
}

func BudgetNever(pod, budget, expression string, healthy, expected int) string {
	return fmt.Sprintf("%s: budget %s never allows an eviction (%s, %d of %d healthy)", pod, budget, expression, healthy, expected)
}

func BudgetClosed(pod, budget string, healthy, desired int) string {
	return fmt.Sprintf("%s: budget %s allows none now (%d healthy, %d required)", pod, budget, healthy, desired)
}

func OnlyReplica(pod, owner string) string {
	return pod + " is the only replica of " + owner + ": it will be down while it moves"
}

// BudgetTurns tells of a budget that covers more pods, on so many nodes that drain together,
// than it lets go at once; surges: new nodes are there before.
func BudgetTurns(budget string, allowed, pods, nodes int, surges bool) string {
	where := "this node"
	if nodes > 1 {
		where = Plural(nodes, "node") + " that drain together"
	}
	turns := "they take turns"
	if !surges {
		turns = "the others wait until those that went are Ready elsewhere, which may take a new node"
	}
	return fmt.Sprintf("budget %s lets %d go at once, and covers %s on %s: %s", budget, allowed, Plural(pods, "pod"), where, turns)
}
