package snapshot

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Look is what a user looks at more closely. Its details are in the snapshots
// from then on.
type Look struct {
	// Machine is a machine's id, "" for none.
	Machine string
	// Budget is "namespace/name", "" for none.
	Budget string
}

// NodeDetail is all that is known of one node of the run.
type NodeDetail struct {
	// ID is the machine's.
	ID string
	// Machine is the member of the group, nil when the group does not list it (any
	// more); TemplateName the name of what it was launched from, "" if unknown.
	Machine      *world.Machine
	TemplateName string
	// Node is the cluster's, nil before it joins and after it has left.
	Node  *world.Node
	Marks []MarkDetail
	// Moves are the marks of others, what has come furthest first.
	Moves []world.Move
	// Pods are all that are on the node: those that block or leave first; none in a
	// snapshot that is Partial.
	Pods []*PodDetail
}

// MarkDetail is something on a node that the run has put there, or found there.
type MarkDetail struct {
	// What it is, in a few words: "cordoned", "tainted key=value:Effect".
	What string
	// Foreign: it was there before the run and stays.
	Foreign bool
	// There: the cluster shows it.
	There bool
}

// PodStage is where a pod stands on its way off a node.
type PodStage string

// Stages of a pod.
const (
	StageBlocked     PodStage = "blocked"       // something keeps it that only a person or time can change
	StageAsks        PodStage = "needs consent" // it must go, and the user has not allowed it
	StageReturns     PodStage = "comes back"    // it took the place of one that was evicted from this node
	StageForced      PodStage = "forced"        // a force order covers it
	StageTerminating PodStage = "terminating"
	StageEvicting    PodStage = "evicting" // an eviction is under way
	StageToEvict     PodStage = "to evict"
	StageRuns        PodStage = "running" // nobody asks it to leave: its node is not to be drained
	StageIgnored     PodStage = "ignored" // it goes with its node
)

// stageOrder is the order in which a node's pods are listed.
var stageOrder = []PodStage{StageBlocked, StageAsks, StageReturns, StageForced, StageTerminating, StageEvicting, StageToEvict, StageRuns, StageIgnored}

// PodDetail is one pod of a node that a user looks at.
type PodDetail struct {
	// Ref is "namespace/name".
	Ref, UID string
	// OwnerKind and Owner name its owner as people know it, both "" without one.
	OwnerKind, Owner string
	// Budgets cover it.
	Budgets []blockers.BudgetView
	Stage   PodStage
	// Reason is why it is ignored or needs a consent, Why the same as a sentence about
	// the pod, or why else it stands where it does; "" where the stage says it all.
	Reason drain.Reason
	Why    string
	// Blocker is what keeps it, with the way out; nil unless it is blocked, needs a
	// consent or comes back.
	Blocker *blockers.Blocker
	// Tries are the evictions (and deletes) asked for so far, the first at First; Next
	// is when it is tried again at the latest, zero when that is not known.
	Tries       int
	First, Next time.Time
	// Grace is its own countdown while it terminates, nil otherwise.
	Grace *record.Wait
	// Order is the force order that covers it, "" for none; By who gave it.
	Order, By string
	// Ready, Crashing and Phase as the cluster has them.
	Ready, Crashing bool
	Phase           string
	Created         time.Time
}

// BudgetDetail is all that is known of one budget.
type BudgetDetail struct {
	blockers.BudgetView
	// Current: its controller has counted by the newest rule.
	Current bool
	// AlwaysAllow: unhealthy pods may always be evicted.
	AlwaysAllow bool
	// Since is when it last began, or ceased, to allow evictions; zero if unknown.
	Since time.Time
	// Why says in a sentence why it allows none, "" while it allows some; WayOut what
	// would open it.
	Why, WayOut string
	// Pods that it covers: those that count against it first, then those on nodes that
	// drain. More are covered and not listed.
	Pods []BudgetPod
	More int
}

// BudgetPod is a pod that a budget covers, and where it is.
type BudgetPod struct {
	// Ref is "namespace/name".
	Ref, UID string
	// Node is the node's name, "" without one; Stage that of the node in the run, ""
	// for a node that is not of the group.
	Node  string
	Stage record.Stage
	// Ready: it counts as healthy. Crashing, Finished and Terminating say why one does
	// not.
	Ready, Crashing, Finished, Terminating bool
	// Grace is its countdown while it terminates, nil otherwise.
	Grace *record.Wait
	// Unplaced is the scheduler's reason why it has no node.
	Unplaced string
	// Others are further budgets that cover it: the eviction API then lets it go under
	// none.
	Others []string
}

// budgetPods is how many pods of a budget are listed.
const budgetPods = 200

// nodeDetail works out what is known of a node, nil if the run knows no such machine.
func nodeDetail(s *assess.Reader, id string) *NodeDetail {
	n, known := s.Run.Nodes.Find(id)
	if !known {
		return nil
	}
	d := &NodeDetail{ID: id, Machine: s.W.Machine(id), Node: s.W.NodeOf(id)}
	if d.Machine != nil && d.Machine.Template.ID == s.W.Group.Template.ID {
		d.TemplateName = s.W.Group.TemplateName
	}
	d.Moves = s.Run.Moves(id, d.Node)
	for _, m := range s.Run.Marks[id] {
		d.Marks = append(d.Marks, MarkDetail{What: m.What(), Foreign: m.Foreign, There: d.Node != nil && m.Put.IsSeen(s.W)})
	}
	if !s.W.Partial() { // what keeps a pod may depend on all others
		for _, p := range s.W.PodsOn(n.Name) {
			d.Pods = append(d.Pods, podDetail(s, p, n, id))
		}
	}
	slices.SortStableFunc(d.Pods, func(a, b *PodDetail) int {
		return cmp.Compare(slices.Index(stageOrder, a.Stage), slices.Index(stageOrder, b.Stage))
	})
	return d
}

func podDetail(s *assess.Reader, p *world.Pod, n record.Node, machine string) *PodDetail {
	known, verdict := s.Run.Pods.Get(p.UID), s.Judge(p)
	d := &PodDetail{
		Ref: p.Ref(), UID: p.UID, Owner: assess.OwnerName(p), OwnerKind: ownerKind(p),
		Tries: known.Tries, First: known.First, Ready: p.Ready, Crashing: p.Crashing, Phase: p.Phase, Created: p.Created,
	}
	for _, b := range s.W.BudgetsOf(p) {
		d.Budgets = append(d.Budgets, blockers.BudgetViewOf(b))
	}
	if p.Terminating() {
		d.Grace = blockers.GraceOf(p)
	}
	if o := covers(s, p, machine); o != nil {
		d.Order, d.By = o.ID, o.By
	}
	d.Stage = podStage(s, p, n, machine, verdict)
	switch d.Stage {
	case StageIgnored:
		d.Reason, d.Why = verdict.Reason, verdict.Reason.Sentence()
	case StageBlocked, StageAsks, StageReturns:
		if verdict.Fate == drain.Asks {
			d.Reason = verdict.Reason
		}
		if releasedWith(s, p, machine) {
			d.Why = text.CameBackAfterForce
			break
		}
		d.Blocker, d.Next = blockers.Of(s, p, n, machine), known.Next
		d.Why = d.Blocker.Detail
	case StageForced:
		d.Why = text.ForcedBy(d.By)
	case StageEvicting:
		d.Next = known.Next
	}
	return d
}

// podStage is where a pod stands on its way off a node.
func podStage(s *assess.Reader, p *world.Pod, n record.Node, machine string, v drain.Verdict) PodStage {
	known := s.Run.Pods.Get(p.UID)
	drains := assess.IsDraining(n) || n.Stage == record.NodeFail
	order := covers(s, p, machine)
	switch {
	case v.Fate == drain.Stays:
		return StageIgnored
	case p.Terminating():
		return terminatingStage(s, p, order != nil && known.Forced)
	case releasedWith(s, p, machine):
		return StageReturns
	case !drains && (n.New || n.Stage == record.Skipped || n.Stage == record.Replaced):
		return StageRuns
	case drains && v.Fate == drain.Leaves && (known.Refusal != "" || s.DrainedByOthers(p.Node) && blockers.Stuck(s, p)):
		return StageBlocked
	case order != nil:
		return StageForced
	case v.Fate == drain.Asks:
		return StageAsks
	case !drains:
		return StageToEvict
	case known.Returns > 0:
		return StageReturns
	case known.Tries > 0:
		return StageEvicting
	}
	return StageToEvict
}

// terminatingStage is where a pod stands whose deletion has been accepted.
func terminatingStage(s *assess.Reader, p *world.Pod, forced bool) PodStage {
	switch {
	case blockers.Stuck(s, p):
		return StageBlocked
	case forced:
		return StageForced
	}
	return StageTerminating
}

// covers is the force order that covers a pod on the node of a machine, nil if none
// does.
func covers(s *assess.Reader, p *world.Pod, machine string) *record.ForceOrder {
	if s.Run.Nodes.Peek(machine).Stage != record.Draining {
		return nil
	}
	for i := range s.Run.Orders {
		if o := &s.Run.Orders[i]; o.Machine == machine && !o.Over && (o.UID == "" || o.UID == p.UID) {
			return o
		}
	}
	return nil
}

// releasedWith reports whether a pod came back to a node under a force order, which
// then goes with the pod on it: deleting it again would bring it back again.
func releasedWith(s *assess.Reader, p *world.Pod, machine string) bool {
	o := covers(s, p, machine)
	return o != nil && !p.Terminating() && p.ToleratesAll && !slices.Contains(o.Pods, p.Ref()) && s.CameBack(p)
}

// ownerKind is the kind of what OwnerName names.
func ownerKind(p *world.Pod) string {
	if p.Owner.Kind == "ReplicaSet" && assess.OwnerName(p) != p.Owner.Name {
		return "Deployment"
	}
	return p.Owner.Kind
}

// budgetDetail works out what is known of a budget, nil if there is none.
func budgetDetail(s *assess.Reader, ref string) *BudgetDetail {
	b := s.W.Budget(ref)
	if b == nil {
		return nil
	}
	d := &BudgetDetail{BudgetView: blockers.BudgetViewOf(b), Current: b.Current, AlwaysAllow: b.AlwaysAllow, Since: b.Since}
	stages := map[string]record.Stage{}
	for _, n := range s.Run.Nodes.All() {
		if n.Name != "" && n.Stage != record.Replaced {
			stages[n.Name] = n.Stage
		}
	}
	var covered []*world.Pod
	for _, p := range s.W.PodsIn(b.Namespace) {
		if b.Covers(p) {
			covered = append(covered, p)
		}
	}
	slices.SortStableFunc(covered, func(a, b *world.Pod) int {
		return cmp.Compare(weight(a, stages[a.Node]), weight(b, stages[b.Node]))
	})
	d.More = max(0, len(covered)-budgetPods)
	for _, p := range covered[:len(covered)-d.More] {
		d.Pods = append(d.Pods, budgetPod(s, b, p, stages[p.Node]))
	}
	explainClosed(s, d, covered)
	return d
}

// weight sorts the pods of a budget: what keeps it closed, what it holds up, the rest.
func weight(p *world.Pod, on record.Stage) int {
	switch {
	case p.Finished():
		return 4
	case p.Node == "":
		return 0
	case !p.Ready, p.Terminating():
		return 1
	case on == record.Draining:
		return 2
	}
	return 3
}

func budgetPod(s *assess.Reader, b *world.Budget, p *world.Pod, on record.Stage) BudgetPod {
	out := BudgetPod{
		Ref: p.Ref(), UID: p.UID, Node: p.Node, Stage: on,
		Ready: p.Ready && !p.Terminating() && !p.Finished(), Crashing: p.Crashing, Finished: p.Finished(), Terminating: p.Terminating(),
	}
	if p.Node == "" {
		out.Unplaced = p.Unplaced
	}
	if p.Terminating() {
		out.Grace = blockers.GraceOf(p)
	}
	for _, other := range s.W.BudgetsOf(p) {
		if other != b {
			out.Others = append(out.Others, other.Ref())
		}
	}
	return out
}

// explainClosed says why a budget allows none and what would open it. The sentences
// are those of a pod that it blocks; the first of its pods stands for all, which is
// one without a node or one that is not Ready if there is any.
func explainClosed(s *assess.Reader, d *BudgetDetail, covered []*world.Pod) {
	switch {
	case d.Allowed > 0 && d.Current: // open
	case len(covered) == 0:
		d.Why = text.CoversNoPod
		d.WayOut = text.HoldsNothing
	default:
		b := &blockers.Blocker{Owner: assess.OwnerName(covered[0]), Budgets: []blockers.BudgetView{d.BudgetView}}
		d.Why = blockers.ExplainBudget(s, b, covered[0])
		d.WayOut = blockers.WayOut(s, b.WayOut)
	}
}
