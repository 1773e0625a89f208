package assess

import (
	"slices"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Controls reports whether the controller's own objects can be changed.
func (s *Reader) Controls() bool { return s.Rules.Follows().Controls(&s.W.Group) }

// Parts are what can be paused of the group.
func (s *Reader) Parts() []selfdriven.Part { return s.Rules.Follows().Parts(&s.W.Group) }

// Guessed reports whether it is only inferred that a group's controller drains a node, from what holds its pods: no
// eviction was seen there.
func Guessed(by world.Mover, n record.Node) bool {
	return n.Reason == systems.Candidate(string(by), 1)
}

// noControl is why the controller cannot be told anything.
func (f following) noControl() string {
	w := f.by.Words()
	return systems.Needs(w.Where, w.Flags)
}

// PauseKey is the key of what pauses a deployment, or lets it continue.
func PauseKey(deployment string) string { return "hold/" + deployment }

// HeldByOthers lists the parts of the group that another user has paused.
func (s *Reader) HeldByOthers() (out []string) {
	for _, d := range s.Parts() {
		if d.Paused && !slices.Contains(s.Run.PausedDeployments, d.Name) && s.Settled(PauseKey(d.Name)) && s.Settled("un"+PauseKey(d.Name)) {
			out = append(out, d.Name)
		}
	}
	return out
}

// LeftToOthers reports whether another user has paused all parts of the group that are not
// complete.
func (s *Reader) LeftToOthers() bool {
	held, left := s.HeldByOthers(), false
	if len(held) == len(s.Parts()) {
		return true
	}
	for _, d := range s.Parts() {
		switch {
		case d.Complete:
		case !slices.Contains(held, d.Name):
			return false
		default:
			left = true
		}
	}
	return left
}

// kinds are what commands become.
var kinds = map[record.CommandKind]selfdriven.Kind{
	record.CmdPause: selfdriven.Pause, record.CmdResume: selfdriven.Resume, record.CmdForce: selfdriven.Force, record.CmdSkip: selfdriven.Turn, record.CmdReturn: selfdriven.Turn,
}

// unableFollowing says why a command is not possible now in a group that its own controller
// rolls, "" if it is.
func (f following) unableFollowing(s *Reader, kind record.CommandKind) string {
	turns := kind == record.CmdSkip || kind == record.CmdReturn
	if kind == record.CmdAbort && s.Run.Target.Update != nil {
		return ""
	}
	switch {
	case (turns || kind == record.CmdPause) && !s.Controls():
		return f.noControl()
	case kind == record.CmdResume && len(s.Run.PausedDeployments) > 0 && !s.Controls():
		return systems.PausedByRun(s.Run.PausedDeployments, f.noControl())
	case kind == record.CmdResume && s.Run.Target.Update != nil: // an update is started again, or for the first time
		return noResume(&s.Run)
	case kind == record.CmdForce && s.Run.HelpsAlong(): // the pods are ours to delete
	case f.by.Refuses(&s.W.Group, kinds[kind]) != "":
		return f.by.Refuses(&s.W.Group, kinds[kind])
	case turns && !s.Fresh(world.Cloud):
		return text.PoolTooOldToOrder
	case turns && s.Count(record.Outdated) == 0:
		return text.NothingLeftToGo
	}
	return ""
}

// abortFollowing says what becomes of the group if the run is aborted now.
func (f following) abortFollowing(s *Reader) (out []string) {
	w := f.by.Words()
	if n := s.Count(record.Draining, record.Settling, record.Terminating, record.Updating); n > 0 {
		out = append(out, systems.AbortBegun(n, f.name()))
	}
	if s.Run.FailedUpdate != nil {
		return append(out, systems.EKSFailedAlready)
	}
	if s.Run.Target.Update != nil {
		return append(out, systems.EKSAborted(s.Run.Update))
	}
	if s.Controller() == nil { // by its record alone
		return append(out, systems.AbortUnknown(w.Part, f.name(), w.Where))
	}
	if !s.Controls() {
		flag := ""
		if len(w.Flags) > 0 {
			flag = w.Flags[0]
		}
		return append(out, systems.AbortContinues(f.name(), w.Where, flag))
	}
	return append(out, systems.AbortPauses(w.Part))
}

// FailedInPlace says of which nodes the update in place has failed, "" of none: they keep
// their share of what may be out of service.
func (s *Reader) FailedInPlace() string {
	var failed []string
	for _, id := range s.In(record.NodeFail) {
		if node := s.W.NodeOf(id); node != nil && node.InPlace().Failed {
			failed = append(failed, node.Name)
		}
	}
	if len(failed) == 0 {
		return ""
	}
	return systems.UpdatesFailed(failed, s.DrivenBy())
}

// Serving counts the nodes that serve: up to date, or updated in place.
func Serving(w *world.World) (n int) {
	for _, m := range w.Machines() {
		if node := w.NodeOf(m.ID); node != nil && node.Ready && !node.Unschedulable && !m.Leaving() {
			n++
		}
	}
	return n
}

// KeptFailed lists the machines that are up to date, have failed, and that the controller keeps as
// they are: nothing is to come of them.
func (s *Reader) KeptFailed() (ids []string) {
	for _, m := range s.W.Machines() {
		if s.Run.Nodes.Peek(m.ID).New && m.KeptFailed(s.W.NodeOf(m.ID)) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// FailureIn says which update in place has failed in a zone ("" for any) and was not made up
// for, and the way out; "" if none has.
func (s *Reader) FailureIn(zone string) string {
	for _, id := range s.In(record.Updating) {
		if n := s.Run.Nodes.Get(id); n.Blocked && (zone == "" || n.Zone == zone) {
			return systems.RepairOrSkip(s.Label(id, n), s.DrivenBy())
		}
	}
	return ""
}

// Stalled says which failed update takes the slot that the next node needs, while nothing
// else is under way; "" if none does.
func (s *Reader) Stalled() string {
	if s.Slots() > 0 || !s.Idles() {
		return ""
	}
	return s.FailureIn("")
}

// updateGoesOn reports whether an update in place is under way that has not failed.
func (s *Reader) updateGoesOn() bool {
	return slices.ContainsFunc(s.In(record.Updating), func(id string) bool { return !s.Run.Nodes.Peek(id).Blocked })
}

// ShutBudget names a pod of a node whose budget lets none go now, and the budget, "" if
// there is none: the controller deletes such pods past their budgets in the end, so that the node
// is not selected before.
func (s *Reader) ShutBudget(node string) string {
	for _, p := range s.W.PodsOn(node) {
		if drain.Judge(s.W, p, s.Consents()).Fate != drain.Leaves {
			continue
		}
		if g := drain.GateOf(s.W, p, func(string) int { return 0 }); !g.Open && len(g.Budgets) > 0 {
			return systems.KeptByBudget(p.Ref(), g.Budgets[0].Ref())
		}
	}
	return ""
}
