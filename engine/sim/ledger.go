package sim

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Ledger is what was really done to the group and its nodes, and by whom: by runs, by other users and
// by tools. It is the ground truth that runs are held to, whatever they say of it, and spans the runs of a
// group. What nobody but the simulated cloud can know is in it as well.
type Ledger struct {
	// Before are the group's sizes before the first run of a chain, Foreign is what others have
	// changed on them since, summed up, and Slack how much less that may be: see keepMinimum.
	Before, Foreign world.Sizes
	Slack           int
	// RaisedBy is by how much others have raised the desired size in all, Lowered how often they
	// have lowered it, and Lowerings by how much, by when they did; raises are likewise.
	RaisedBy, Lowered int
	raises, Lowerings map[time.Time]int
	// TheirMaxima are the maximum sizes that others have set, AskedMaxima those that runs have asked for.
	TheirMaxima, AskedMaxima map[int]bool
	// Grew: a request of a run has raised the desired size. Who holds runs to their rules takes it back
	// once that raise is no more.
	Grew bool
	// Doubts counts the machines of which no driver may know whether their end took the size down: ends
	// with decrement whose answer was lost, or that others had begun before. See Doubted.
	Doubts int
	// KnewNone: the last launch by name was asked for by a driver that knew that the group is to have none.
	KnewNone bool
	// Written are the group's sizes when our last change of them was written.
	Written world.Sizes
	// ShrunkAt is when the group last lost a machine, or others changed how many it is to have.
	ShrunkAt time.Time
	// Tilted: others, or a zone without room, had a hand in which zone has how many.
	Tilted bool

	// Began: the run has begun.
	Began bool
	// LastKnew is as of when the last run that has ended knew the cloud, zero before the first.
	LastKnew time.Time
	// Planned are the machines (by ID) that the plan has, PlannedTo the template that they are to have.
	Planned   map[string]bool
	PlannedTo world.Template
	// PlannedLimit is how many nodes the plan has out of service at once, 0 for none, of a group that Stands like PlannedFor.
	PlannedLimit int
	PlannedFor   string
	// Retargeted: another user has set the group's template since the start.
	Retargeted bool

	// RebalanceSuspended: the process AZRebalance was suspended before the run.
	RebalanceSuspended bool
	// TheirSuspended are the processes that others have suspended, ResumedAt when they have last
	// resumed one, both by process.
	TheirSuspended map[string]bool
	ResumedAt      map[string]time.Time

	// Scaled are the replicas that runs have set, by the UIDs of Deployments.
	Scaled map[string]int

	// OtherMarks are the marks on nodes, as MarksOn names them, that are not ours; true: from before the
	// run, so that they must stay.
	OtherMarks map[string]bool
	// HandDrained are the machines (by ID) that a user drains by hand, LeftByHand the pods (by UID) that
	// left because of that.
	HandDrained, LeftByHand map[string]bool
	// TakenOut are the machines (by ID) that a user took out of the group: they run on.
	TakenOut map[string]bool
}

func newLedger() Ledger {
	return Ledger{
		raises: map[time.Time]int{}, Lowerings: map[time.Time]int{}, TheirMaxima: map[int]bool{}, AskedMaxima: map[int]bool{},
		Scaled: map[string]int{}, TheirSuspended: map[string]bool{}, ResumedAt: map[string]time.Time{},
		OtherMarks: map[string]bool{}, HandDrained: map[string]bool{}, LeftByHand: map[string]bool{}, TakenOut: map[string]bool{},
	}
}

// RaisedBetween is by how much others have raised the desired size after a time, until another.
func (l *Ledger) RaisedBetween(after, until time.Time) (by int) {
	for at, n := range l.raises {
		if at.After(after) && !at.After(until) {
			by += n
		}
	}
	return by
}

// ChangedBetween is by how much others have changed the desired size after a time, until another: less than zero
// where they have lowered it.
func (l *Ledger) ChangedBetween(after, until time.Time) int {
	by := l.RaisedBetween(after, until)
	for at, n := range l.Lowerings {
		if at.After(after) && !at.After(until) {
			by -= n
		}
	}
	return by
}

// Doubted is by how many machines the desired size may be off: none where nobody but runs has changed it,
// since reading it then tells what became of each end.
func (s *Sim) Doubted() int {
	if s.RaisedBy+s.Lowered == 0 {
		return 0
	}
	return s.Doubts
}

// Stands is all that a plan's figures are worked out from: the settings, and the group as it is seen.
func (s *Sim) Stands(set record.Settings) string {
	g := &s.View.Group
	out := fmt.Sprint(set.MaxUnavailable, set.MaxSurge, g.Sizes, g.Template, g.Overrides, g.Zones)
	for _, m := range s.View.Machines() {
		out += fmt.Sprint(" ", m.ID, m.Zone, m.State, m.Detached, m.Template)
	}
	return out
}
