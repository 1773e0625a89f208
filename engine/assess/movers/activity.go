package movers

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// afterwards is for how long what was replaced stays on the screen after the last sign of
// a user or tool at work.
const afterwards = 10 * time.Minute

// eksSettles is for how long an EKS managed update waits between a drain and the end of
// the machine (EKS user guide, "Understand each phase of node updates").
const eksSettles = time.Minute

// NewActivity reads the marks of the group's nodes, as far as they have changed since last,
// which may be nil.
func NewActivity(now time.Time, w *world.World, last *record.ExternalActivity, left map[string][]record.Mark) *record.ExternalActivity {
	o := &record.ExternalActivity{From: now, ByMachine: make(map[string]record.SeenMoves, len(w.Machines()))}
	by := selfdriven.Of(&w.Group)
	var limit time.Duration
	if by != nil {
		limit = by.Limits(&w.Group, nil).Drain
	}
	if last != nil {
		o.From, o.Began, o.Active, o.Rolls, o.Blind = last.From, last.Began, last.Active, last.Rolls, last.Blind
	}
	for _, m := range w.Machines() {
		n := w.NodeOf(m.ID)
		if n == nil && m.Managed == nil {
			continue
		}
		var first *record.Mark
		if marks := left[m.ID]; len(marks) > 0 {
			first = &marks[0]
		}
		var is record.SeenMoves
		if last != nil {
			is = last.ByMachine[m.ID]
		}
		if is.Node != n || is.Left != first || is.Managed != m.Managed || is.Limit != limit {
			is = record.SeenMoves{Node: n, Managed: m.Managed, Limit: limit, Left: first, Moves: movesOf(by, w, m, n, left[m.ID])}
		}
		for _, move := range is.Moves {
			if atWork(move) {
				o.Began, o.Active, o.Rolls = cmp.Or(o.Began, now), now, o.Rolls || move.Roll
			}
		}
		o.ByMachine[m.ID] = is
	}
	if now.Sub(o.Active) > afterwards {
		o.Began, o.Rolls = time.Time{}, false
	}
	return o
}

// movesOf are the moves of a machine's node, with the limits of the controller that drives the
// group, if one does.
func movesOf(by selfdriven.Controller, w *world.World, m *world.Machine, n *world.Node, left []record.Mark) []world.Move {
	if by == nil {
		return MovesAfter(n, nil, left)
	}
	moves := MovesAfter(n, by.Told(m, n), left)
	if limits := by.Limits(&w.Group, m); limits.Drain > 0 {
		for i := range moves {
			if moves[i].By == by.Mover() {
				moves[i].Limit, moves[i].Told = limits.Drain, !limits.Guess
			}
		}
	}
	return moves
}

// MovesAfter are the moves of a node that our last run has left marks on, and those that its
// controller tells of.
func MovesAfter(n *world.Node, told []world.Move, left []record.Mark) []world.Move {
	if n == nil { // it never joined, or has left already
		return (&world.Node{}).MovesWith(told)
	}
	moves := record.WithoutMarks(n, left).MovesWith(told)
	if i := slices.IndexFunc(left, func(m record.Mark) bool { return !m.Foreign && m.Put.Node == n.Name && m.Put.IsOn(n) }); i >= 0 {
		moves = append(moves, world.Move{By: world.MoverDrainboard, Step: world.MoveForeseen, Mark: left[i].What(),
			Means: text.LeftByLastRun})
	}
	return moves
}

// atWork reports whether a move is more than an announcement that may come to nothing.
func atWork(m world.Move) bool { return m.Roll || m.Step != world.MoveForeseen }

// Seen is how a machine stands, given how it stood before.
func Seen(s *assess.Reader, m *world.Machine, was record.Node, known bool) record.Node {
	moves := s.Run.External.MovesOf(m.ID)
	n := record.Node{Zone: m.Zone, Since: s.Now, New: s.UpToDate(m) && !slices.ContainsFunc(moves, func(v world.Move) bool { return v.Roll })}
	node := s.W.NodeOf(m.ID)
	if node != nil {
		n.Name, n.Old = node.Name, node.Version
	} else if known && m.Leaving() { // people know it by its node's name
		n.Name, n.Old = was.Name, was.Old
	}
	n.Stage, n.Reason = atRest(s, m, n.New)
	switch {
	case node == nil && known && was.Name != "" && !m.Leaving():
		n.Name, n.Old, n.New = was.Name, was.Old, was.New
		n.Stage, n.Reason, n.Pods = record.Terminating, text.NodeLeftCluster, was.Pods
	case node != nil && len(moves) > 0 && n.Stage != record.Skipped:
		taken(s, &n, node, moves[0], was, known)
	}
	if by := s.Controller(); by != nil {
		n = sightOf(s, by, m, node, n, was)
	}
	if n.Stage == record.Terminating && was.Reason != "" && n.Reason == "" {
		n.Reason = was.Reason // who ends it
	}
	if known && was.Stage == n.Stage {
		n.Since = was.Since
	}
	return n
}

// sightOf adds to how a machine stands what the group's controller does next with it.
func sightOf(s *assess.Reader, by selfdriven.Controller, m *world.Machine, node *world.Node, n, was record.Node) record.Node {
	sight := selfdriven.Sight{
		Now: s.Now, World: s.W, Machine: m, Node: node, Name: n.Name, Moves: s.Run.External.MovesOf(m.ID),
		Was: selfdriven.Stage(was.Stage), WasSince: was.Since, Pods: n.Pods,
		New: n.New, Stage: selfdriven.Stage(n.Stage), Reason: n.Reason,
	}
	sight.Guessed = assess.Guessed(by.Mover(), was)
	if slices.Contains(s.Run.Candidates, n.Name) {
		sight.Among, sight.More = len(s.Run.Candidates), s.Run.MoreDrains
	}
	if w := n.Wait; w != nil {
		sight.Deadline = &selfdriven.Deadline{For: w.For, Start: w.Start, End: w.End, Basis: w.Basis, Guess: w.Guess}
	}
	sight = by.Next(sight)
	n.Stage, n.Reason, n.Wait = record.Stage(sight.Stage), sight.Reason, assess.WaitOf(sight.Deadline)
	n.New, n.Since = sight.New, cmp.Or(sight.Since, n.Since)
	return n
}

// taken is the stage to which others have taken a node, by what has come furthest.
func taken(s *assess.Reader, n *record.Node, node *world.Node, move world.Move, was record.Node, known bool) {
	n.Reason = move.Means
	left, _ := assess.LeavingPods(s.W, s.W.PodsOn(node.Name), s.ConsentsOn(node.Name))
	n.Pods = len(left)
	if known && closed(node) { // no pod comes any more: how many there were is what was seen at most
		n.Pods = max(was.Pods, len(left))
	}
	if n.Stage == record.Terminating {
		return
	}
	switch step := stepOf(s, move, left, n, was); step {
	case world.MoveFailed:
		n.Stage = record.NodeFail
	case world.MoveUpdating:
		n.Stage = record.Updating
	case world.MoveDraining, world.MoveEnding:
		if len(left) > 0 || !s.W.KnowsPodsOn(n.Name) {
			n.Stage, n.Since = record.Draining, cmp.Or(move.Since, s.Now)
			if by := s.Controller(); by != nil && move.By == by.Mover() {
				break // it is known better
			}
			n.Wait = limitOf(s, move, was, known)
			if move.Limit > 0 && s.Now.Sub(n.Since) >= move.Limit && n.Wait == nil {
				n.Reason = text.LongerThanUsual(n.Reason, move.Limit)
			}
			break
		}
		n.Stage, n.Reason = record.Settling, text.DrainedBy(move.By.Name())
		if move.By == world.MoverUnknown {
			n.Reason = text.DrainedAndThen
		}
		if move.By == world.MoverEKS && was.Stage == record.Draining {
			n.Wait = &record.Wait{For: "settling", Start: s.Now, End: s.Now.Add(eksSettles)}
		} else if move.By == world.MoverEKS && was.Stage == record.Settling {
			n.Wait = was.Wait
		}
	}
}

// closed reports whether a node takes no new pods.
func closed(n *world.Node) bool {
	return n.Unschedulable || slices.ContainsFunc(n.Taints, func(t world.Taint) bool {
		return t.Effect != "PreferNoSchedule" && t.Key == world.EKSGroupKey
	})
}

// stepOf is how far a move has come, by its mark and by what becomes of the pods: a
// cordon by hand does not say whether a drain follows, nor does the taint of an EKS
// managed update of the kind that cordons after its drain.
func stepOf(s *assess.Reader, move world.Move, left []*world.Pod, n *record.Node, was record.Node) world.MoveStep {
	if !s.W.KnowsPodsOn(n.Name) || move.Step != world.MoveCordoned && !(move.By == world.MoverEKS && move.Step == world.MoveForeseen) {
		return move.Step
	}
	sure := manuallyDrained(s, n.Name)
	drains := sure == drainSeen || len(left) < n.Pods || was.Stage == record.Draining
	switch {
	case drains && move.By == world.MoverEKS:
		n.Reason = text.EKSDrains
	case drains && (sure != drainPossible || len(left) < n.Pods):
		n.Reason = text.LooksDrained
	case move.Step == world.MoveCordoned && sure == drainPossible:
		n.Reason = text.MayWaitToDrain
	case move.Step == world.MoveCordoned && len(left) == 0 && n.Pods > 0: // they have left
	default:
		return move.Step
	}
	return world.MoveDraining
}

// limitOf is the countdown of a drain by others: from the mark, or from when it was
// seen to begin; nil when neither is known, when it has no limit, and when it is over.
func limitOf(s *assess.Reader, move world.Move, was record.Node, known bool) *record.Wait {
	start := move.Since
	if start.IsZero() && known && was.Stage != record.Draining && !s.Run.External.From.Equal(s.Now) {
		start = s.Now
	}
	if was.Stage == record.Draining && was.Wait != nil && move.Since.IsZero() {
		start = was.Wait.Start
	}
	if move.Limit == 0 || start.IsZero() || !s.Now.Before(start.Add(move.Limit)) {
		return nil
	}
	return &record.Wait{For: record.WaitOthersDrain, Start: start, End: start.Add(move.Limit)}
}

// KeepReplaced adds to nodes what others have replaced while a user watched, for a while
// after the last sign of them; last is the group as it was before.
func KeepReplaced(o *record.ExternalActivity, nodes *shards.Map[record.Node], last record.Run, now time.Time) {
	if o.Began.IsZero() {
		return
	}
	var edit shards.Editor[record.Node]
	for id, n := range last.Nodes.All() {
		if nodes.Has(id) || n.New {
			continue
		}
		switch {
		case n.Stage == record.Replaced:
		case n.Missing.IsZero() && n.Stage != record.Terminating: // one read that lags is not its end
			n.Missing = now
		case n.Stage != record.Terminating && now.Sub(n.Missing) < assess.MissingFor:
		default:
			n.Stage, n.Since, n.Wait, n.Reason = record.Replaced, now, nil, ""
		}
		*nodes = edit.With(*nodes, id, n)
	}
}

// atRest is the stage of a machine that nobody rolls.
func atRest(s *assess.Reader, m *world.Machine, upToDate bool) (stage record.Stage, reason string) {
	switch {
	case m.Leaving():
		return record.Terminating, ""
	case m.State == world.MachineStandby:
		return record.Skipped, text.InStandby
	case s.W.NodeOf(m.ID) == nil:
		return record.Launching, ""
	case !upToDate:
		return record.Outdated, ""
	case m.State == world.MachinePending:
		return record.Launching, ""
	}
	return record.Ready, ""
}
