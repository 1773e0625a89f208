package text

import (
	"fmt"
	"strings"
	"time"
)

// What keeps a pod on its node, where it takes no figures.
const (
	JournalUnwritable = "the journal cannot be written, and nothing is forced without it"
	DeniedByWebhook   = "an admission webhook denies it"
	NotAskedYet       = "not asked to leave yet"
	// LeftForItsData and LeftWithoutController are why kubectl drain leaves a pod.
	LeftForItsData        = "keeps data in an emptyDir: kubectl drain leaves it unless it was started with --delete-emptydir-data"
	LeftWithoutController = "has no controller: kubectl drain leaves it unless it was started with --force"
	// ToleratesEverything and ToleratesThese are why a pod could come back to a node that drains.
	ToleratesEverything = "it tolerates every taint"
	ToleratesThese      = "the node takes it, in spite of its taints"
	CameBackAfterForce  = "came back after it was deleted by force, and goes with its node"
	CoversNoPod         = "covers no pod"
)

// Ways out, where they take no figures.
const (
	SeeTheDrain        = "see how the drain was started, or delete the pod yourself"
	GiveConsent        = "give the consent and start again, delete the pod yourself, or force it with f"
	SeeJournalDisk     = "see to the disk that the journal is on: it is forced as soon as that can be written"
	SeeWebhook         = "see why the webhook denies it, or force with f"
	NarrowBudgets      = "delete or narrow one of the budgets, or force with f"
	TriedAgain         = "tried again by itself"
	EvictedInTurn      = "evicted as soon as its turn comes"
	EndsByItself       = "ends by itself"
	OpensByItself      = "opens by itself"
	SeeMachine         = "look at the machine, or force with f"
	SeeMachineOrPolicy = "look at the machine, force with f, or start with --unreachable=terminate"
	SeeFinalizers      = "see to the controller that owns the finalizer, or remove it"
	SeeKubelet         = "look at the node's kubelet, or force with f"
	SeeBudgetControl   = "opens by itself once it has; if it does not, look at kube-controller-manager, or force with f"
	MakeRoom           = "make room (add a node, or uncordon one), or force with f"
	HoldsNothing       = "holds nothing up"
)

// WithoutForce is a way out where nothing can be forced: the pod has to be deleted.
func WithoutForce(wayOut string) string {
	return strings.ReplaceAll(wayOut, "force with f", "delete the pod")
}

// WithWayOut is what keeps a pod, and the way out.
func WithWayOut(detail, wayOut string) string { return detail + "; way out: " + wayOut }

// CameBack tells of a pod that came back so many times, and why it could.
func CameBack(times int, why string) string {
	return fmt.Sprintf("came back %s: ", Times(times)) + why
}

func NarrowTolerations(owner string) string {
	return "narrow its tolerations, scale " + owner + " to 0, or force the node with f"
}

func GrantEviction(namespace string) string { return "grant create on pods/eviction in " + namespace }

func CoveredByBudgets(budgets []string) string {
	return "covered by " + Plural(len(budgets), "budget") + " (" + strings.Join(budgets, ",") + "), which the eviction API never lets through"
}

func Terminating(grace time.Duration) string {
	return "is terminating, with a grace period of " + grace.String()
}

// OverdueUnreachable tells of a pod that should have ended so long ago, on a node that has not
// been heard from for silent.
func OverdueUnreachable(over, silent time.Duration) string {
	return "should have ended " + seconds(over) + " ago: its node has not been heard from for " + seconds(silent)
}

func Overdue(over time.Duration) string {
	return "should have ended " + seconds(over) + " ago: its kubelet has not said so"
}

func HeldByFinalizers(finalizers []string) string {
	return "its grace period is over, and these finalizers hold it: " + strings.Join(finalizers, ", ")
}

// Budget are a budget's figures.
type Budget struct {
	Ref, Expression                     string
	Allowed, Healthy, Desired, Expected int
}

func (b Budget) Changed() string {
	return b.Ref + " was changed, and its controller has not counted by the new rule yet"
}

// Lagging tells of a budget that allows none although more are healthy than it asks for.
func (b Budget) Lagging() string {
	return fmt.Sprintf("%s allows 0, although %d are healthy and %d required: it counts pods that it let go and that have not gone, for 2 minutes at most", b.Ref, b.Healthy, b.Desired)
}

// Never tells of a budget that asks for all its pods; why is what else there is to say, or "".
func (b Budget) Never(why string) string {
	return and(fmt.Sprintf("%s allows 0: %d healthy, %d required, so it never allows any", b.Ref, b.Healthy, b.Desired), why)
}

// Loosen is the way out of a budget that asks for all its pods: to scale the owner to so many,
// 0 where that would not help, or to ask for fewer.
func (b Budget) Loosen(owner string, scaleTo int) string {
	out := fmt.Sprintf("loosen %s, or force with f", b.Expression)
	if scaleTo > 0 {
		out = fmt.Sprintf("scale %s to %d, ", owner, scaleTo) + out
	}
	return out
}

// Closed tells of a budget that allows none now; why is what else there is to say, or "".
func (b Budget) Closed(why string) string {
	return and(fmt.Sprintf("%s allows 0: %d healthy, %d required", b.Ref, b.Healthy, b.Desired), why)
}

// Opens says what opens a budget that allows none now.
func (b Budget) Opens() string {
	return fmt.Sprintf("opens when %d more of its pods are healthy", max(1, b.Desired+1-b.Healthy))
}

// Open tells of a budget that allows some, and a pod that waits for its turn.
func (b Budget) Open() string {
	return fmt.Sprintf("%s allows %d: waiting for its turn", b.Ref, b.Allowed)
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
		where += fmt.Sprintf(" (tried %s)", Times(tries))
	}
	return where + ": " + detail
}
