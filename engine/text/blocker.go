package text

import (
	"fmt"
	"strings"
	"time"
)

// What keeps a pod on its node, where it takes no figures.
const (
	JournalUnwritable = "journal cannot be written: nothing is forced without it"
	DeniedByWebhook   = "denied by an admission webhook"
	NotAskedYet       = "eviction not requested yet"
	// LeftForItsData and LeftWithoutController are why kubectl drain does not evict a pod.
	LeftForItsData        = "has an emptyDir volume: kubectl drain does not evict it without --delete-emptydir-data"
	LeftWithoutController = "has no controller: kubectl drain does not evict it without --force"
	// ToleratesEverything and ToleratesThese are why a pod could come back to a node that drains.
	ToleratesEverything = "it tolerates every taint"
	ToleratesThese      = "the node accepts it despite its taints"
	CameBackAfterForce  = "came back after its forced deletion: terminated with its node"
	CoversNoPod         = "selects no pods"
)

// withKey ends a way out in which the user forces a pod by a key of the dashboard, and orForce
// leads to it where it is the last of several. Only the functions below replace them.
const (
	withKey = " with f"
	orForce = ", or force"
)

// Ways out, where they take no figures.
const (
	SeeTheDrain        = "check how the drain was started, or delete the pod"
	GiveConsent        = "allow it by its flag and start again, delete the pod yourself" + orForce + withKey
	SeeJournalDisk     = "check the journal's disk: the pod is forced once the journal can be written"
	SeeWebhook         = "check why the webhook denies it" + orForce + withKey
	NarrowBudgets      = "delete a PDB or narrow its selector" + orForce + withKey
	TriedAgain         = "retried automatically"
	EvictedInTurn      = "evicted in turn"
	EndsByItself       = "ends by itself"
	OpensByItself      = "opens by itself"
	SeeMachine         = "check the instance" + orForce + withKey
	SeeMachineOrPolicy = "check the instance, force" + withKey + ", or start with --unreachable=terminate"
	SeeFinalizers      = "check the finalizer's controller, or remove the finalizer"
	SeeKubelet         = "check the node's kubelet" + orForce + withKey
	SeeBudgetControl   = "opens once recomputed; if it does not, check kube-controller-manager" + orForce + withKey
	MakeRoom           = "add or uncordon a node" + orForce + withKey
	HoldsNothing       = "blocks nothing"
)

// WithoutForce is a way out where nothing can be forced: the pod has to be deleted.
func WithoutForce(wayOut string) string {
	return strings.ReplaceAll(wayOut, "force"+withKey, "delete the pod")
}

// ForceWhereDriven is a way out on a screen without keys to force with, such as a watch.
func ForceWhereDriven(wayOut string) string {
	return strings.ReplaceAll(wayOut, withKey, " where the run is driven")
}

// ForceInDashboard is a way out that is read outside of the dashboard, such as in a notification.
func ForceInDashboard(wayOut string) string {
	return strings.ReplaceAll(wayOut, withKey, " in the dashboard")
}

// ForceNotNow is a way out while nothing can be forced: without that, if there is another.
func ForceNotNow(wayOut string) string {
	if at := strings.LastIndex(wayOut, orForce); at > 0 && strings.HasSuffix(wayOut, withKey) {
		return wayOut[:at]
	}
	return wayOut
}

// WithWayOut is what keeps a pod, and the way out.
func WithWayOut(detail, wayOut string) string { return detail + "; way out: " + wayOut }

// CameBack tells of a pod that came back so many times, and why it could.
func CameBack(times int, why string) string {
	return fmt.Sprintf("came back %s: ", Times(times)) + why
}

func NarrowTolerations(owner string) string {
	return "narrow its tolerations, scale " + owner + " to 0" + orForce + " the node" + withKey
}

func GrantEviction(namespace string) string {
	return "grant create on pods/eviction in namespace " + namespace
}

func CoveredByBudgets(budgets []string) string {
	return "covered by " + Plural(len(budgets), "PDB") + " (" + strings.Join(budgets, ",") + "): the eviction API refuses it"
}

func Terminating(grace time.Duration) string {
	return "terminating, grace period " + grace.String()
}

// OverdueUnreachable tells of a pod that should have terminated so long ago, on a node that is
// unreachable for silent.
func OverdueUnreachable(over, silent time.Duration) string {
	return Seconds(over) + " past its grace period: node unreachable for " + Seconds(silent)
}

func Overdue(over time.Duration) string {
	return Seconds(over) + " past its grace period: not confirmed by its kubelet"
}

func HeldByFinalizers(finalizers []string) string {
	return "past its grace period, held by finalizers: " + strings.Join(finalizers, ", ")
}

// Budget are a budget's figures. Its sentences follow the PDB's name: see OfBudget.
type Budget struct {
	Ref, Expression                     string
	Allowed, Healthy, Desired, Expected int
}

// BudgetChanged tells of a budget whose status is older than its rule.
const BudgetChanged = "changed, not yet recomputed by its controller"

// OfBudget is a sentence about a budget with its name.
func OfBudget(ref, sentence string) string { return "PDB " + ref + " " + sentence }

// Lagging tells of a budget that allows none although more are healthy than it asks for.
func (b Budget) Lagging() string {
	return fmt.Sprintf("allows 0 disruptions, although %d healthy and %d required: evicted pods that still run count for up to 2 minutes", b.Healthy, b.Desired)
}

// Never tells of a budget that asks for all its pods; why is what else there is to say, or "".
func (b Budget) Never(why string) string {
	return and(fmt.Sprintf("allows 0 disruptions: %d healthy, %d required, so it never allows any", b.Healthy, b.Desired), why)
}

// Loosen is the way out of a budget that asks for all its pods: to scale the owner to so many,
// 0 where that would not help, or to ask for fewer.
func (b Budget) Loosen(owner string, scaleTo int) string {
	out := "loosen " + b.Expression + orForce + withKey
	if scaleTo > 0 {
		out = fmt.Sprintf("scale %s to %d, ", owner, scaleTo) + out
	}
	return out
}

// Closed tells of a budget that allows none now; why is what else there is to say, or "".
func (b Budget) Closed(why string) string {
	return and(fmt.Sprintf("allows 0 disruptions: %d healthy, %d required", b.Healthy, b.Desired), why)
}

// Opens says what opens a budget that allows none now.
func (b Budget) Opens() string {
	return "opens with " + Plural(max(1, b.Desired+1-b.Healthy), "more healthy pod")
}

// Open tells of a budget that allows some, and a pod that waits for its turn.
func (b Budget) Open() string {
	return "allows " + Plural(b.Allowed, "disruption") + ": the pod waits for its turn"
}

// and is a sentence and another, which may be "".
func and(what, more string) string {
	if more == "" {
		return what
	}
	return what + "; " + more
}

func PodPending(pod, why string) string { return pod + " is Pending: " + why }

func PodSick(pod, node string, crashing bool) string {
	if crashing {
		return pod + " on " + node + " crash-loops"
	}
	return pod + " on " + node + " is not Ready"
}

// Blocked is a pod, where it is, how often it was tried, and what is in the way.
func Blocked(pod, node string, tries int, detail string) string {
	where := pod + " on " + node
	if tries > 1 {
		where += " (" + Plural(tries, "attempt") + ")"
	}
	return where + ": " + detail
}

// ScaleCommand is the command that gives a workload so many replicas.
func ScaleCommand(namespace, kind, name string, replicas int) string {
	return fmt.Sprintf("kubectl -n %s scale %s/%s --replicas=%d", namespace, kind, name, replicas)
}

// DescribeCommand is the command that shows objects of a kind.
func DescribeCommand(namespace, kind string, names ...string) string {
	return "kubectl -n " + namespace + " describe " + kind + " " + strings.Join(names, " ")
}
