package record

import (
	"time"

	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// ExternalActivity is what others do with a group that no run of ours is under way in: what the
// marks on its nodes tell now, and what was seen of it before. It lives in a watcher,
// and in a run that follows the group's own controller, never in a record.
type ExternalActivity struct {
	// Blind is when something of the group or of the cluster was last not known, the zero time for never.
	Blind time.Time
	// From is when the group was first looked at: what happened before is not known.
	From time.Time
	// Began is when a user was first seen at work, zero as long as nobody was; Active
	// when a user last was.
	Began, Active time.Time
	// Rolls: among them was one who replaces nodes to update them.
	Rolls bool

	ByMachine map[string]SeenMoves // by machine
}

// SeenMoves is what the marks on a node tell, and the node that they were read from: it is
// replaced when it changes.
type SeenMoves struct {
	Node    *world.Node
	Managed *world.ManagedMachine
	Limit   time.Duration // of the pool
	Left    *Mark         // the first mark of those that our last run has left behind
	Moves   []world.Move
}

// MovesOf are the moves of a machine's node, what has come furthest first.
func (o *ExternalActivity) MovesOf(machine string) []world.Move {
	if o == nil {
		return nil
	}
	return o.ByMachine[machine].Moves
}

// Moves lists who else moves the node of a machine, by the marks on it that are not the
// run's own; nil if nobody does. What the run found there and left as it was counts as
// others'.
func (r *Run) Moves(machine string, n *world.Node) []world.Move {
	switch {
	case n == nil:
		return nil
	case r.External != nil:
		return r.External.MovesOf(machine)
	}
	return WithoutMarks(n, r.Marks[machine]).Moves()
}

// Pace is how long the nodes that are left take if they continue as those seen so far did,
// and what that is worked out from, "" where nothing is known.
func (o *ExternalActivity) Pace(now time.Time, replaced, left int) (time.Duration, string) {
	if o == nil || !o.Rolls || !o.Active.Equal(now) || replaced == 0 || left == 0 {
		return 0, ""
	}
	took := now.Sub(o.Began)
	return (took / time.Duration(replaced) * time.Duration(left)).Round(time.Second), text.Pace(replaced, took)
}

// WorkingOn reports whether the mover that has marked a node has begun to move it.
func WorkingOn(stage Stage) bool {
	switch stage {
	case Draining, Settling, Terminating, Updating, NodeFail:
		return true
	}
	return false
}
