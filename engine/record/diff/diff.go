package diff

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Between is what happened between two records of a run, as far as they tell: for
// a user who watches a run that another process drives. A before of another run,
// or the zero value, gives everything that the record still knows. The events are in
// the order of their times, which are the record's.
func Between(before, after record.Run) []record.Event {
	if before.ID != after.ID || before.State == record.NoRun != (after.State == record.NoRun) {
		before = record.Run{}
	}
	t := &differ{was: before, is: after}
	if after.State != record.NoRun {
		t.run()
		t.phases()
		t.batches()
		t.orders()
		t.movers()
		t.pods()
		t.workloads()
	}
	t.nodes()
	t.validation()
	t.moves()
	slices.SortStableFunc(t.events, func(a, b record.Event) int { return a.Time.Compare(b.Time) })
	return t.events
}

// Nodes lists as events what two records say differently of nodes and of who else moves them.
func Nodes(before, after record.Run) []record.Event {
	t := differ{was: before, is: after}
	t.nodes()
	t.moves()
	return t.events
}

// differ compares two records.
type differ struct {
	was, is record.Run
	events  []record.Event
}

func (t *differ) tell(at time.Time, e record.Event) {
	e.Time, e.Run, e.Group = at, t.is.ID, t.is.Group
	t.events = append(t.events, e)
}

// first reports whether there is no record to compare with.
func (t *differ) first() bool { return t.was.Nodes.IsNil() }

func (t *differ) run() {
	r := &t.is
	if t.was.Started.IsZero() && !r.Started.IsZero() {
		t.tell(r.Started, record.Event{Type: record.RunStarted, Reason: r.By, Message: text.RunStarted(r.By)})
	}
	if r.State == t.was.State {
		return
	}
	now := cmp.Or(r.Seen, r.Started)
	switch {
	case r.State == record.Paused:
		t.tell(now, record.Event{Type: record.RunPaused, Message: r.Why})
	case r.State == record.Ending:
		t.tell(now, record.Event{Type: record.RunAborting, Result: string(r.Result), Message: r.Why})
	case r.State == record.Running && t.was.State == record.Paused:
		t.tell(now, record.Event{Type: record.RunResumed})
	case r.State == record.Finished:
		code := r.ExitCode()
		t.tell(cmp.Or(r.Finished, now), record.Event{Type: record.RunFinished, Result: string(r.Result), ExitCode: &code, Message: cmp.Or(r.Why, string(r.Result))})
	}
}

func (t *differ) phases() {
	for i, p := range t.is.Phases {
		var was record.Phase
		if i < len(t.was.Phases) {
			was = t.was.Phases[i]
		}
		if was.Start.IsZero() && !p.Start.IsZero() {
			t.tell(p.Start, record.Event{Type: record.PhaseStarted, Phase: p.Name})
		}
		if was.End.IsZero() && !p.End.IsZero() {
			t.tell(p.End, record.Event{Type: record.PhaseFinished, Phase: p.Name, Message: text.PhaseFinished(p.End.Sub(p.Start))})
		}
	}
}

func (t *differ) batches() {
	for i, b := range t.is.Batches {
		var was record.Batch
		if i < len(t.was.Batches) {
			was = t.was.Batches[i]
		}
		what := text.BatchOf(len(b.Machines), b.Phase)
		if was.ID != b.ID && b.Approved.IsZero() {
			t.tell(b.Waiting, record.Event{Type: record.BatchWaiting, Batch: b.ID, Message: b.WaitsFor()})
		}
		if was.Approved.IsZero() && !b.Approved.IsZero() {
			t.tell(b.Approved, record.Event{Type: record.BatchApproved, Batch: b.ID, Reason: b.By, Message: text.WasApproved(what, b.By)})
		}
	}
}

func (t *differ) orders() {
	for _, o := range t.is.Orders {
		if !slices.ContainsFunc(t.was.Orders, func(was record.ForceOrder) bool { return was.ID == o.ID }) {
			t.tell(o.At, record.Event{Type: record.Warning, Node: o.Node, Reason: record.ReasonForced, Message: text.WasForced(o.By, cmp.Or(o.Node, o.Machine), o.Why)})
		}
	}
}

func (t *differ) movers() {
	now := cmp.Or(t.is.Seen, t.is.Started)
	if t.is.State == record.Finished {
		return // nobody looks any more
	}
	over, come := record.MoverNews(t.was.ExternalMovers, t.is.ExternalMovers)
	for _, r := range over {
		t.tell(now, r.GoneEvent())
	}
	for _, r := range come {
		at := cmp.Or(r.Since, now)
		if slices.ContainsFunc(t.was.ExternalMovers, r.Is) {
			at = now // its first nodes are older
		}
		t.tell(at, r.AppearedEvent())
	}
}

func (t *differ) pods() {
	for _, uid := range slices.Sorted(t.is.Pods.Keys()) {
		p, was := t.is.Pods.Get(uid), t.was.Pods.Get(uid)
		e := record.Event{Node: p.Node, Pod: p.Ref}
		if !p.Evicted.IsZero() && was.Evicted.IsZero() {
			e.Type = record.PodEvicted
			t.tell(p.Evicted, e)
		}
		if !p.Gone.IsZero() && was.Gone.IsZero() {
			e.Type, e.Message = record.PodGone, text.PodLeft(p.Gone.Sub(p.Went()))
			t.tell(p.Gone, e)
		}
		if p.Refusal != "" && was.Refusal == "" && p.Gone.IsZero() {
			e.Type, e.Message = record.PodBlocked, p.Message
			if len(p.Budgets) > 0 {
				e.Budget = p.Budgets[0]
			}
			t.tell(cmp.Or(p.Last, p.First), e)
		}
	}
}

// workloadEvents are what the trouble of moved pods' replacements is called.
var workloadEvents = map[record.Trouble]record.EventType{record.InCrashLoop: record.WorkloadCrashing, record.IsPending: record.WorkloadPending, record.NoTrouble: record.WorkloadReady}

func (t *differ) workloads() {
	for _, owner := range slices.Sorted(maps.Keys(t.is.Workloads)) {
		if w := t.is.Workloads[owner]; w.Reported != t.was.Workloads[owner].Reported {
			t.tell(cmp.Or(t.is.Seen, t.is.Started), record.Event{Type: workloadEvents[w.Reported], Pod: w.Pod, Node: w.Node, Message: w.Sentence()})
		}
	}
}

// stageEvents are what entering a stage is called.
var stageEvents = map[record.Stage]record.EventType{
	record.Outdated: record.NodeOutdated, record.Draining: record.NodeDraining, record.Settling: record.NodeSettling, record.Terminating: record.NodeTerminating, record.Replaced: record.NodeReplaced,
	record.Launching: record.NodeLaunching, record.Ready: record.NodeReady, record.Updating: record.NodeUpdating, record.NodeFail: record.NodeFailed, record.Skipped: record.NodeSkipped,
}

// validation tells how the last one ended.
func (t *differ) validation() {
	is, was := t.is.Validation, t.was.Validation
	if was == nil {
		was = &record.Validation{}
	}
	switch {
	case is == nil:
	case is.Passed.After(was.Passed):
		t.tell(is.Passed, record.Event{Type: record.ValidationPassed, Reason: record.ValidationReason, Message: text.Valid(text.AfterNodes(is.After), text.PassesInARow(is.Need))})
	case is.Failed.After(was.Failed):
		t.tell(is.Failed, record.Event{Type: record.ValidationFailed, Reason: record.ValidationReason, Message: text.ClusterInvalid(text.AfterNodes(is.After), record.Messages(record.Counting(is.Failures)))})
	}
}

func (t *differ) nodes() {
	for _, id := range slices.Sorted(t.is.Nodes.Keys()) {
		n := t.is.Nodes.Get(id)
		was, known := t.was.Nodes.Find(id)
		if known && n.Detached && !was.Detached {
			t.tell(cmp.Or(n.PendingValidation, t.is.Seen), record.Event{Type: record.InstanceDetached, Node: record.NameOf(id, n), Zone: n.Zone, Message: text.Detached(id)})
		}
		if known && n.OffBalancers && !was.OffBalancers {
			t.tell(t.is.Seen, record.Event{Type: record.InstanceOut, Node: record.NameOf(id, n), Zone: n.Zone, Message: text.Deregistered})
		}
		if w := n.Wait; w != nil && w.For == string(record.BeforeNode) && (was.Wait == nil || !was.Wait.Start.Equal(w.Start)) {
			t.tell(w.Start, record.Event{Type: record.HookStarted, Node: cmp.Or(n.Name, id), Zone: n.Zone, Reason: w.For, Until: &w.End, Message: text.HooksAsked})
		}
		if (!known || was.Stage != n.Stage) && t.newStage(n, was) {
			t.stage(id, n)
		}
	}
	for _, id := range slices.Sorted(t.was.Nodes.Keys()) {
		if !t.is.Nodes.Has(id) && (t.is.External == nil || t.was.Nodes.Peek(id).Stage != record.Replaced) {
			n := t.was.Nodes.Get(id)
			t.tell(cmp.Or(t.is.Seen, n.Since), record.Event{Type: record.Warning, Node: cmp.Or(n.Name, id), Zone: n.Zone, Message: text.HasLeftGroup(cmp.Or(n.Name, id))})
		}
	}
}

// newStage reports whether a node's stage, which it did not have before, is an event.
func (t *differ) newStage(n, was record.Node) bool {
	switch {
	case stageEvents[n.Stage] == "":
		return false
	case t.first() && (n.Stage == record.Outdated || n.Stage == record.Ready || n.Stage == record.Skipped && n.Reason == record.NotSelected):
		return false // how it has been all along
	case t.is.External != nil && was.Stage != record.Launching && (n.Stage == record.Outdated || n.Stage == record.Ready):
		return false // that its marks are gone is an event of its own
	}
	return true
}

// stage tells the stage that a node has reached.
func (t *differ) stage(id string, n record.Node) {
	e := record.Event{Type: stageEvents[n.Stage], Node: cmp.Or(n.Name, id), Zone: n.Zone, Message: n.Reason}
	if n.Stage == record.Draining && n.Pods > 0 {
		e.Message = text.DrainOf(n.Pods, n.Reason)
	}
	if moves := t.is.External.MovesOf(id); n.Stage == record.Draining && len(moves) > 0 {
		e.Reason, e.Message = string(moves[0].By), text.Marked(e.Message, moves[0].Mark)
	}
	at := n.Since
	if t.is.External != nil {
		if !t.first() {
			at = t.is.Seen // since when it is so may be long before it is seen
		}
		switch n.Stage {
		case record.Settling:
			e.Type = record.NodeDrained
		case record.Replaced:
			if e.Message = "gone"; n.Reason == text.InPlaceDone {
				e.Type, e.Message = record.NodeReady, n.Reason // it is the same node
			}
		}
	}
	if e.Message == "" {
		e.Message = string(n.Stage)
	}
	t.tell(at, e)
}

// markGone tells that the last mark of a node has gone; not from an update in place, which its stage tells.
func (t *differ) markGone(id string) (e record.Event, gone bool) {
	n, was := t.is.Nodes.Get(id), t.was.External.MovesOf(id)
	if len(was) == 0 || len(t.is.External.MovesOf(id)) > 0 || t.is.External.ByMachine[id].Node == nil {
		return e, false
	}
	if n.Reason == text.InPlaceDone || was[0].Step == world.MoveUpdating && (n.Stage == record.Updating || n.Stage == record.Launching) {
		return e, false
	}
	e = record.Event{Time: t.is.Seen, Type: record.NodeOutdated, Node: cmp.Or(n.Name, id), Zone: n.Zone, Reason: string(was[0].By), Message: text.NoMarkLeft(was[0].Mark)}
	if n.New {
		e.Type = record.NodeReady
	}
	return e, true
}

// marked tells whose marks have come onto a node, but those that its stage tells.
func (t *differ) marked(id string) (told []record.Event) {
	n, was := t.is.Nodes.Get(id), t.was.External.MovesOf(id)
	for _, m := range t.is.External.MovesOf(id) {
		known := slices.ContainsFunc(was, func(w world.Move) bool { return w.By == m.By && m.Step.Compare(w.Step) <= 0 })
		if known || m.Step != world.MoveForeseen && record.WorkingOn(n.Stage) {
			continue
		}
		e := record.Event{Time: t.is.Seen, Type: record.NodeTainted, Node: cmp.Or(n.Name, id), Zone: n.Zone, Reason: string(m.By), Message: text.Marked(m.Means, m.Mark)}
		if m.Step != world.MoveForeseen {
			e.Type = record.NodeCordoned
		}
		if t.first() && !m.Since.IsZero() {
			e.Time = m.Since
		}
		told = append(told, e)
	}
	return told
}

// manyMarks is from how many nodes on marks of one kind that appear together are told
// together.
const manyMarks = 4

// moves tells whose marks have come onto the nodes of a group without a run, and that
// the last of them has gone.
func (t *differ) moves() {
	if t.is.External == nil {
		return
	}
	alike := map[string][]record.Event{} // by what is told
	for _, id := range slices.Sorted(t.is.Nodes.Keys()) {
		if e, gone := t.markGone(id); gone {
			alike[e.Message] = append(alike[e.Message], e)
		}
		for _, e := range t.marked(id) {
			alike[e.Message] = append(alike[e.Message], e)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(alike)) {
		list := alike[what]
		if len(list) >= manyMarks {
			list[0].Node, list[0].Zone, list[0].Message = "", "", text.EachOf(len(list), what)
			list = list[:1]
		}
		for _, e := range list {
			t.tell(e.Time, e)
		}
	}
}
