package engine

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// blockerOf says what keeps a pod on its node now, and the way out.
func (s *Reader) blockerOf(p *world.Pod, n record.Node, machine string) *Blocker {
	known := s.Run.Pods[p.UID]
	b := &Blocker{
		Pod: p.Ref(), UID: p.UID, Node: n.Name, Machine: machine, Owner: ownerName(p),
		Tries: known.Tries, Since: known.First, Next: known.Next, Deadline: n.Wait, AtDeadline: s.atDeadline(n),
	}
	for _, budget := range s.W.BudgetsOf(p) {
		b.Budgets = append(b.Budgets, budgetView(budget))
	}
	defer func() {
		b.WayOut = s.wayOut(b.WayOut)
		s.pastBudget(b, n)
		s.pastTries(b, p, n)
	}()
	verdict := s.judge(p)
	switch {
	case p.Terminating():
		s.explainTerminating(b, p, n)
	case verdict.Fate == drain.Asks && s.Run.External != nil:
		b.Kind, b.Detail = BlockedByConsent, leftBehind(verdict.Reason)
		b.WayOut = "see how the drain was started, or delete the pod yourself"
	case verdict.Fate == drain.Asks:
		b.Kind, b.Detail = BlockedByConsent, verdict.Reason.Sentence()
		b.WayOut = "give the consent and start again, delete the pod yourself, or force it with f"
	case known.Returns > 0 && known.Refusal == "":
		b.Kind, b.Detail = BlockedByReturn, fmt.Sprintf("came back %s: ", text.Times(known.Returns))+whyBack(p)
		b.WayOut = "narrow its tolerations, scale " + b.Owner + " to 0, or force the node with f"
	case known.Refusal == record.RefusedJournal:
		b.Kind, b.Detail = BlockedByJournal, cmp.Or(known.Message, "the journal cannot be written, and nothing is forced without it")
		b.WayOut = "see to the disk that the journal is on: it is forced as soon as that can be written"
	case known.Refusal == record.RefusedWebhook:
		b.Kind, b.Detail = BlockedByWebhook, cmp.Or(known.Message, "an admission webhook denies it")
		b.WayOut = "see why the webhook denies it, or force with f"
	case known.Refusal == record.RefusedForbidden:
		b.Kind, b.Detail = BlockedByRights, known.Message
		b.WayOut = "grant create on pods/eviction in " + p.Namespace
	case len(b.Budgets) > 1:
		b.Kind = BlockedByBudgets
		b.Detail = "covered by " + text.Plural(len(b.Budgets), "budget") + " (" + b.budgetRefs() + "), which the eviction API never lets through"
		b.WayOut = "delete or narrow one of the budgets, or force with f"
	case len(b.Budgets) == 1:
		s.explainBudget(b, p)
	default:
		b.Kind, b.Detail = BlockedByAPI, known.Message
		b.WayOut = "tried again by itself"
		if known.Message == "" {
			b.Detail, b.WayOut = "not asked to leave yet", "evicted as soon as its turn comes"
		}
	}
	return b
}

// leftBehind says of a pod that kubectl drain leaves unless it was told otherwise why it
// does.
func leftBehind(r drain.Reason) string {
	if r == drain.EmptyDirPod {
		return "keeps data in an emptyDir: kubectl drain leaves it unless it was started with --delete-emptydir-data"
	}
	return "has no controller: kubectl drain leaves it unless it was started with --force"
}

// wayOut is a way out for those who see it: in what others drain there is nothing to
// force.
func (s *Reader) wayOut(text string) string {
	if s.Run.External == nil || s.Run.State != record.NoRun {
		return text
	}
	return strings.ReplaceAll(text, "force with f", "delete the pod")
}

// whyBack says why a pod could come back to a node that drains.
func whyBack(p *world.Pod) string {
	if p.ToleratesAll {
		return "it tolerates every taint"
	}
	return "the node takes it, in spite of its taints"
}

func (s *Reader) explainTerminating(b *Blocker, p *world.Pod, n record.Node) {
	b.Grace = graceOf(p)
	over := s.Now.Sub(p.Ends)
	switch {
	case over < 5*time.Second:
		b.Kind, b.Detail = BlockedByGrace, "is terminating, with a grace period of "+p.Grace.String()
		b.WayOut = "ends by itself"
	case s.silent(p.Node):
		b.Kind, b.Detail = BlockedByGrace, "should have ended "+over.Round(time.Second).String()+" ago: its node has not been heard from for "+s.Now.Sub(s.W.Node(p.Node).Unreachable).Round(time.Second).String()
		b.WayOut = "look at the machine, or force with f"
		if n.Stage != record.Updating && s.Run.External == nil { // else a controller, or somebody else, drains it
			b.WayOut = "look at the machine, force with f, or start with --unreachable=terminate"
		}
	case len(p.Finalizers) > 0:
		b.Kind, b.Detail = BlockedByFinalizer, "its grace period is over, and these finalizers hold it: "+strings.Join(p.Finalizers, ", ")
		b.WayOut = "see to the controller that owns the finalizer, or remove it"
	default:
		b.Kind, b.Detail = BlockedByGrace, "should have ended "+over.Round(time.Second).String()+" ago: its kubelet has not said so"
		b.WayOut = "look at the node's kubelet, or force with f"
	}
}

func (s *Reader) explainBudget(b *Blocker, p *world.Pod) {
	v := b.Budgets[0]
	b.Kind = BlockedByBudget
	budget := s.W.Budget(v.Ref)
	switch {
	case budget != nil && !budget.Current:
		b.Detail = v.Ref + " was changed, and its controller has not counted by the new rule yet"
		b.WayOut = "opens by itself once it has; if it does not, look at kube-controller-manager, or force with f"
	case v.Allowed <= 0 && v.Healthy > v.Desired:
		b.Detail = fmt.Sprintf("%s allows 0, although %d are healthy and %d required: it counts pods that it let go and that have not gone, for 2 minutes at most", v.Ref, v.Healthy, v.Desired)
		b.WayOut = "opens by itself"
	case v.Expected > 0 && v.Desired >= v.Expected && v.Allowed <= 0: // also while some of its pods are not healthy
		b.Detail = fmt.Sprintf("%s allows 0: %d healthy, %d required, so it never allows any", v.Ref, v.Healthy, v.Desired)
		if sick := cmp.Or(s.pendingSibling(p), s.sickSiblings(p)); sick != "" {
			b.Detail += "; " + sick
		}
		b.WayOut = fmt.Sprintf("loosen %s, or force with f", v.Expression)
		if n := opensAt(v); n > 0 && scales(p) {
			b.WayOut = fmt.Sprintf("scale %s to %d, ", b.Owner, n) + b.WayOut
		}
	case v.Allowed <= 0:
		b.Detail = fmt.Sprintf("%s allows 0: %d healthy, %d required", v.Ref, v.Healthy, v.Desired)
		if why := s.pendingSibling(p); why != "" {
			b.Kind, b.WayOut = BlockedByRoom, "make room (add a node, or uncordon one), or force with f"
			b.Detail += "; " + why
		} else {
			b.WayOut = fmt.Sprintf("opens when %d more of its pods are healthy", max(1, v.Desired+1-v.Healthy))
			if sick := s.sickSiblings(p); sick != "" {
				b.Detail += "; " + sick
			}
		}
	default:
		b.Detail = fmt.Sprintf("%s allows %d: waiting for its turn", v.Ref, v.Allowed)
		b.WayOut = "evicted as soon as its turn comes"
	}
}

// opensAt is how many pods, all healthy, a budget that asks for as many as there are lets
// go from, 0 if it never does, because it asks for all however many there are: a share
// rounds up (getExpectedPodCount of pkg/controller/disruption/disruption.go).
func opensAt(v BudgetView) int {
	rule, written, _ := strings.Cut(v.Expression, " ")
	least, err := record.ParseAmount(written)
	switch {
	case err != nil || rule == "maxUnavailable" || least.Percent && least.N >= 100:
		return 0
	case !least.Percent:
		return v.Desired + 1
	}
	spare := 100 - least.N
	return (100 + spare - 1) / spare // the least n whose share, rounded up, is below n
}

// scales reports whether somebody can have more pods of the owner of this one.
func scales(p *world.Pod) bool {
	return p.Owner.Kind != "" && p.Owner.Kind != "DaemonSet" && p.Owner.Kind != "Node"
}

// pendingSibling is the scheduler's reason why a pod of the same owner finds no
// place, "" if all have one.
func (s *Reader) pendingSibling(p *world.Pod) string {
	for _, q := range s.W.PodsOf(p.Owner.UID) {
		if q.Node == "" && q.Unplaced != "" {
			return q.Name + " is Pending: " + q.Unplaced
		}
	}
	return ""
}

// sickSiblings names the pods of the same owner that are not Ready although they
// run, and why as far as it is known.
func (s *Reader) sickSiblings(p *world.Pod) string {
	var sick []string
	for _, q := range s.W.PodsIn(p.Namespace) {
		if q.Owner.UID != p.Owner.UID || q.Owner.UID == "" || q.Ready || q.Node == "" || q.Terminating() || q.Finished() {
			continue
		}
		why := "is not Ready"
		if q.Crashing {
			why = "crash-loops"
		}
		sick = append(sick, q.Name+" on "+q.Node+" "+why)
	}
	return text.AndMore(sick, 3, 0)
}

// Sentence is the blocker in one line, for messages: the pod, where it is, and
// what is in the way with its counts.
func (b *Blocker) Sentence() string {
	where := b.Pod + " on " + b.Node
	if b.Tries > 1 {
		where += fmt.Sprintf(" (tried %s)", text.Times(b.Tries))
	}
	return where + ": " + b.Detail
}

func (b *Blocker) budgetRefs() string {
	refs := make([]string, len(b.Budgets))
	for i, v := range b.Budgets {
		refs[i] = v.Ref
	}
	return strings.Join(refs, ",")
}

func budgetView(b *world.Budget) BudgetView {
	return BudgetView{Ref: b.Ref(), Expression: b.Expression, Allowed: b.Allowed, Healthy: b.Healthy, Desired: b.Desired, Expected: b.Expected}
}

// ownerName is the name people know a pod's owner by: a Deployment's rather than
// its ReplicaSet's.
func ownerName(p *world.Pod) string {
	if hash := p.Labels["pod-template-hash"]; p.Owner.Kind == "ReplicaSet" && hash != "" {
		return strings.TrimSuffix(p.Owner.Name, "-"+hash)
	}
	return p.Owner.Name
}
