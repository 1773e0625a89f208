package snapshot

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
)

// Problem is what of a node wants a person. Marks, filters, titles and notifications read it.
type Problem string

// Problems, the worst first; a row has the worst of its node.
const (
	NodeFailed    Problem = "failed"
	FailedInPlace Problem = "update failed"
	PodBlocked    Problem = "blocked"
	CrashLoops    Problem = "crash-looping"
	NotHeard      Problem = "unreachable"
	NotJoining    Problem = "not joining"
	Overdue       Problem = "overdue"
	NodeNotReady  Problem = "not Ready"
	ForeseenStuck Problem = "foreseen stuck"
	NoProblem     Problem = ""
)

// Broken reports whether something has failed, or does not work, beyond a wait.
func (p Problem) Broken() bool {
	return slices.Contains([]Problem{NodeFailed, FailedInPlace, CrashLoops, NotHeard}, p)
}

// ProblemOf is what a row shows by itself.
func ProblemOf(r *NodeRow) Problem {
	switch {
	case r.Stage == record.NodeFail:
		return NodeFailed
	case r.Blocked:
		return PodBlocked
	case r.CrashLooping != "":
		return CrashLoops
	case r.Stage == record.Unreachable:
		return NotHeard
	case r.Name != "" && !r.Ready && r.Stage != record.Terminating && r.Stage != record.Replaced && r.Stage != record.Launching:
		return NodeNotReady
	}
	return NoProblem
}

// lateAfter is for how long a wait must be up before its node is overdue: the next decision may
// be under way.
const lateAfter = 10 * time.Second

// problemOf is what of a node wants a person. foreseen: the forecast names it as what fails.
func problemOf(s *assess.Reader, id string, n record.Node, r *NodeRow, foreseen bool) Problem {
	node, shown := s.W.NodeOf(id), ProblemOf(r)
	switch gone := n.Stage == record.Terminating || n.Stage == record.Replaced; {
	case n.Stage == record.Updating && node != nil && node.InPlace().Failed:
		return FailedInPlace
	case shown != NoProblem && shown != NodeNotReady:
		return shown
	case node != nil && !node.Unreachable.IsZero() && !gone:
		return NotHeard
	case n.Stage == record.Launching && n.Wait != nil && s.Now.Sub(n.Wait.Start) > n.Wait.End.Sub(n.Wait.Start)/2: // most join in a fraction of it
		return NotJoining
	case overdue(s.Now, n.Stage, r.Wait):
		return Overdue
	case shown == NoProblem && foreseen && n.Stage != record.Replaced:
		return ForeseenStuck
	}
	return shown
}

// overdue reports whether the time of a node at work is up, and it is still there.
func overdue(now time.Time, stage record.Stage, w *record.Wait) bool {
	return w != nil && (stage == record.Draining || stage == record.Terminating || stage == record.Updating) && now.Sub(w.End) > lateAfter
}

// foreseenStuck is the node that the run's last forecast names as what fails, "" for none.
func foreseenStuck(r *record.Run) string {
	if f := r.Foreseen; f != nil && r.State == record.Running && f.Alarms() && r.Seen.Sub(f.At) < record.Foreseeable {
		return f.Node
	}
	return ""
}
