package blockers

import (
	"cmp"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Of says what keeps a pod on its node now, and the way out.
func Of(s *assess.Reader, p *world.Pod, n record.Node, machine string) *Blocker {
	known := s.Run.Pods.Get(p.UID)
	b := &Blocker{
		Pod: p.Ref(), UID: p.UID, Node: n.Name, Machine: machine, Owner: assess.OwnerName(p),
		Tries: known.Tries, Since: known.First, Next: known.Next, Deadline: n.Wait, AtDeadline: assess.AtDeadline(&s.Run, n),
	}
	for _, budget := range s.W.BudgetsOf(p) {
		b.Budgets = append(b.Budgets, BudgetViewOf(budget))
	}
	defer func() {
		b.WayOut, b.Command = WayOut(s, b.WayOut), cmp.Or(b.Command, shows(b, p))
		pastBudget(s, b, n)
		pastTries(s, b, p, n)
	}()
	verdict := s.Judge(p)
	switch {
	case p.Terminating():
		explainTerminating(s, b, p, n)
	case verdict.Fate == drain.Asks && s.Run.External != nil:
		b.Kind, b.Detail = BlockedByConsent, leftBehind(verdict.Reason)
		b.WayOut = text.SeeTheDrain
	case verdict.Fate == drain.Asks:
		b.Kind, b.Detail = BlockedByConsent, verdict.Reason.Sentence()
		b.WayOut = text.GiveConsent
	case known.Returns > 0 && known.Refusal == "":
		b.Kind, b.Detail = BlockedByReturn, text.CameBack(known.Returns, whyBack(p))
		b.WayOut = text.NarrowTolerations(b.Owner)
	case known.Refusal == record.RefusedJournal:
		b.Kind, b.Detail = BlockedByJournal, cmp.Or(known.Message, text.JournalUnwritable)
		b.WayOut = text.SeeJournalDisk
	case known.Refusal == record.RefusedWebhook:
		b.Kind, b.Detail = BlockedByWebhook, cmp.Or(known.Message, text.DeniedByWebhook)
		b.WayOut = text.SeeWebhook
	case known.Refusal == record.RefusedForbidden:
		b.Kind, b.Detail = BlockedByRights, known.Message
		b.WayOut = text.GrantEviction(p.Namespace)
	case len(b.Budgets) > 1:
		b.Kind = BlockedByBudgets
		b.Detail = text.CoveredByBudgets(b.refs())
		b.WayOut = text.NarrowBudgets
	case len(b.Budgets) == 1:
		b.Detail = text.OfBudget(b.Budgets[0].Ref, ExplainBudget(s, b, p))
	default:
		b.Kind, b.Detail = BlockedByAPI, known.Message
		b.WayOut = text.TriedAgain
		if known.Message == "" {
			b.Detail, b.WayOut = text.NotAskedYet, text.EvictedInTurn
		}
	}
	return b
}

// leftBehind says of a pod that kubectl drain leaves unless it was told otherwise why it
// does.
func leftBehind(r drain.Reason) string {
	if r == drain.EmptyDirPod {
		return text.LeftForItsData
	}
	return text.LeftWithoutController
}

// WayOut is a way out for those who see it: in what others drain there is nothing to
// force.
func WayOut(s *assess.Reader, way string) string {
	by := s.Rules.Follows()
	if s.Run.External != nil && s.Run.State == record.NoRun || by != nil && by.Refuses(&s.W.Group, selfdriven.Force) != "" {
		return text.WithoutForce(way)
	}
	return way
}

// whyBack says why a pod could come back to a node that drains.
func whyBack(p *world.Pod) string {
	if p.ToleratesAll {
		return text.ToleratesEverything
	}
	return text.ToleratesThese
}

func explainTerminating(s *assess.Reader, b *Blocker, p *world.Pod, n record.Node) {
	b.Grace = GraceOf(p)
	over := s.Now.Sub(p.Ends)
	switch {
	case over < 5*time.Second:
		b.Kind, b.Detail = BlockedByGrace, text.Terminating(p.Grace)
		b.WayOut = text.EndsByItself
	case assess.Silent(s.W, p.Node):
		b.Kind, b.Detail = BlockedByGrace, text.OverdueUnreachable(over, s.Now.Sub(s.W.Node(p.Node).Unreachable))
		b.WayOut = text.SeeMachine
		if n.Stage != record.Updating && s.Run.External == nil { // else a controller or another user drains it
			b.WayOut = text.SeeMachineOrPolicy
		}
	case len(p.Finalizers) > 0:
		b.Kind, b.Detail = BlockedByFinalizer, text.HeldByFinalizers(p.Finalizers)
		b.WayOut = text.SeeFinalizers
	default:
		b.Kind, b.Detail = BlockedByGrace, text.Overdue(over)
		b.WayOut = text.SeeKubelet
	}
}

// ExplainBudget says why a pod's only budget keeps it, in words that follow the budget's name,
// and sets the kind and the way out.
func ExplainBudget(s *assess.Reader, b *Blocker, p *world.Pod) (why string) {
	v := b.Budgets[0]
	b.Kind = BlockedByBudget
	figures := v.Figures()
	budget := s.W.Budget(v.Ref)
	switch {
	case budget != nil && !budget.Current:
		b.WayOut = text.SeeBudgetControl
		return text.BudgetChanged
	case v.Allowed <= 0 && v.Healthy > v.Desired:
		b.WayOut = text.OpensByItself
		return figures.Lagging()
	case v.Expected > 0 && v.Desired >= v.Expected && v.Allowed <= 0: // also while some of its pods are not healthy
		scaleTo := 0
		if scales(p) {
			scaleTo = opensAt(v)
		}
		b.WayOut = figures.Loosen(b.Owner, scaleTo)
		if scaleTo > 0 {
			b.Command = scaleCommand(p, scaleTo)
		}
		return figures.Never(cmp.Or(pendingSibling(s, p), sickSiblings(s, p)))
	case v.Allowed <= 0:
		if why := pendingSibling(s, p); why != "" {
			b.Kind, b.WayOut = BlockedByRoom, text.MakeRoom
			return figures.Closed(why)
		}
		b.WayOut = figures.Opens()
		return figures.Closed(sickSiblings(s, p))
	}
	b.WayOut = text.EvictedInTurn
	return figures.Open()
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

// scales reports whether a user can have more pods of the owner of this one.
func scales(p *world.Pod) bool {
	return p.Owner.Kind != "" && p.Owner.Kind != "DaemonSet" && p.Owner.Kind != "Node"
}

// scaleCommand scales the owner of a pod, "" for an owner that kubectl scale does not know by
// itself.
func scaleCommand(p *world.Pod, replicas int) string {
	kind := map[string]string{"ReplicaSet": "replicaset", "StatefulSet": "statefulset", "ReplicationController": "rc"}[p.Owner.Kind]
	if name := assess.OwnerName(p); kind != "" {
		if name != p.Owner.Name { // its pods carry the hash of a Deployment's template
			kind = "deploy"
		}
		return text.ScaleCommand(p.Namespace, kind, name, replicas)
	}
	return ""
}

// shows is the command that shows what keeps a pod.
func shows(b *Blocker, p *world.Pod) string {
	if budget := b.Kind == BlockedByBudget || b.Kind == BlockedByBudgets; budget && len(b.Budgets) > 0 {
		var names []string
		for _, v := range b.Budgets {
			_, name, _ := strings.Cut(v.Ref, "/")
			names = append(names, name)
		}
		return text.DescribeCommand(p.Namespace, "pdb", names...)
	}
	return text.DescribeCommand(p.Namespace, "pod", p.Name)
}

// pendingSibling is the scheduler's reason why a pod of the same owner finds no
// place, "" if all have one.
func pendingSibling(s *assess.Reader, p *world.Pod) string {
	for _, q := range s.W.PodsOf(p.Owner.UID) {
		if q.Node == "" && q.Unplaced != "" {
			return text.PodPending(q.Name, q.Unplaced)
		}
	}
	return ""
}

// sickSiblings names the pods of the same owner that are not Ready although they
// run, and why as far as it is known.
func sickSiblings(s *assess.Reader, p *world.Pod) string {
	var sick []string
	for _, q := range s.W.PodsIn(p.Namespace) {
		if q.Owner.UID != p.Owner.UID || q.Owner.UID == "" || q.Ready || q.Node == "" || q.Terminating() || q.Finished() {
			continue
		}
		sick = append(sick, text.PodSick(q.Name, q.Node, q.Crashing))
	}
	return text.AndMore(sick, 3, 0)
}

// Sentence is the blocker in one line, for messages: the pod, where it is, and
// what is in the way with its counts.
func (b *Blocker) Sentence() string { return text.Blocked(b.Pod, b.Node, b.Tries, b.Detail) }

func (b *Blocker) BudgetRefs() string { return strings.Join(b.refs(), ",") }

func (b *Blocker) refs() []string {
	refs := make([]string, len(b.Budgets))
	for i, v := range b.Budgets {
		refs[i] = v.Ref
	}
	return refs
}

// Figures are a budget's, as its sentences take them.
func (v BudgetView) Figures() text.Budget {
	return text.Budget{Ref: v.Ref, Expression: v.Expression, Allowed: v.Allowed, Healthy: v.Healthy, Desired: v.Desired, Expected: v.Expected}
}

// BudgetViewOf is how a budget stands.
func BudgetViewOf(b *world.Budget) BudgetView {
	return BudgetView{Ref: b.Ref(), Expression: b.Expression, Allowed: b.Allowed, Healthy: b.Healthy, Desired: b.Desired, Expected: b.Expected}
}

// BlockerKind says what keeps a pod on its node.
type BlockerKind string

// Blockers.
const (
	BlockedByBudget    BlockerKind = "budget"
	BlockedByBudgets   BlockerKind = "two budgets"
	BlockedByWebhook   BlockerKind = "webhook"
	BlockedByFinalizer BlockerKind = "finalizer"
	BlockedByGrace     BlockerKind = "grace period"
	BlockedByRoom      BlockerKind = "no room"
	BlockedByReturn    BlockerKind = "comes back"
	BlockedByConsent   BlockerKind = "needs consent"
	BlockedByRights    BlockerKind = "forbidden"
	BlockedByAPI       BlockerKind = "API trouble"
	BlockedByJournal   BlockerKind = "no journal"
)

// Kinds are all there are.
var Kinds = []BlockerKind{
	BlockedByBudget, BlockedByBudgets, BlockedByWebhook, BlockedByFinalizer, BlockedByGrace, BlockedByRoom, BlockedByReturn,
	BlockedByConsent, BlockedByRights, BlockedByAPI, BlockedByJournal,
}

// Blocker is what keeps a pod on its node now, with the way out.
type Blocker struct {
	Kind BlockerKind
	// Pod is "namespace/name"; Node and Machine where it is.
	Pod, UID, Node, Machine, Owner string
	// Budgets are "namespace/name" of those in the way, with their counts.
	Budgets []BudgetView
	// Tries and Since of the evictions refused so far; Next is the fallback timer.
	Tries int
	Since time.Time
	Next  time.Time
	// Deadline is the node's drain deadline, or the pod's own if that is nearer
	// (UntilPodForced); nil when there is none.
	Deadline *record.Wait
	// AtDeadline is what happens to the node then.
	AtDeadline record.TimeoutPolicy
	// Refusals is after how many more refusals the pod is deleted past its budget, where
	// Deadline is its own and they are counted here; 0 once there were enough.
	Refusals int
	// Grace is the pod's own countdown while it terminates; nil otherwise.
	Grace *record.Wait
	// Detail is one sentence: what exactly is in the way.
	Detail string
	// WayOut is one sentence: what would open it.
	WayOut string
	// Command is the kubectl command that opens it or, where none is known to, that shows what is
	// in the way.
	Command string
	// Guess: the group's own controller may be at the node, and is not seen there.
	Guess bool
}

// BudgetView is a budget's state in a snapshot.
type BudgetView struct {
	Ref, Expression                     string
	Allowed, Healthy, Desired, Expected int
}

// Stuck reports whether something keeps a pod on its node that does not pass by
// itself at once: a refusal, or a grace period that is over.
func Stuck(s *assess.Reader, p *world.Pod) bool {
	if p.Terminating() {
		return s.Now.Sub(p.Ends) >= 5*time.Second
	}
	if s.DrainedByOthers(p.Node) { // what the eviction API told others is not known
		return !drain.GateOf(s.W, p, func(string) int { return 0 }).Open
	}
	known := s.Run.Pods.Get(p.UID)
	return known.Refusal != "" || known.Returns > 0
}

// GraceOf is the countdown of a pod that terminates.
func GraceOf(p *world.Pod) *record.Wait {
	return &record.Wait{For: record.WaitGrace, Start: p.Ends.Add(-p.Grace), End: p.Ends}
}
