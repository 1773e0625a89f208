package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// nodeMovers lists those that the group's nodes tell of, by the marks on them that are
// not ours and by pods that leave and that we did not evict; and what is to be kept of each
// that is waited for.
func (s *Reader) nodeMovers() (out []record.ExternalMover, deferrals map[string]record.Deferral) {
	add := func(r record.ExternalMover, node string) {
		if i := slices.IndexFunc(out, func(o record.ExternalMover) bool { return o.Is(r) && o.Handling == r.Handling }); i >= 0 {
			out[i].Nodes = append(out[i].Nodes, node)
			if !r.Since.IsZero() && (out[i].Since.IsZero() || r.Since.Before(out[i].Since)) {
				out[i].Since = r.Since // each node is waited for by itself
			}
			return
		}
		r.Nodes = []string{node}
		out = append(out, r)
	}
	deferrals = map[string]record.Deferral{}
	coming, conduct := s.comingOff(), s.conduct()
	about := s.among(movedByOthers)
	for id := range coming {
		about[id] = true
	}
	for _, id := range s.placed(about) {
		m, n := s.W.Machine(id), s.W.NodeOf(id)
		if m == nil || n == nil || m.State == world.MachineStandby || s.Run.Nodes[m.ID].Stage == record.Terminating {
			continue // tools mark what ends, and here it is we who end it
		}
		ours := s.Run.Marks[m.ID]
		if off := coming[m.ID]; off != nil {
			ours = append(slices.Clip(ours), off...)
		}
		for _, move := range theirMoves(n, ours) {
			if conduct.partner(move.By) {
				continue // it is what we work with
			}
			r := s.moverOf(m.ID, n, move, deferrals)
			if m.Leaving() && r.Handling != record.HandlingWaited {
				continue // nothing more becomes of it; whoever ends it may still be draining it
			}
			add(r, n.Name)
		}
	}
	slices.SortStableFunc(out, func(a, b record.ExternalMover) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Who, b.Who))
	})
	return out, deferrals
}

// theirMoves is what a node tells of others, by what is left of its marks without ours.
func theirMoves(n *world.Node, ours []record.Mark) []world.Move {
	if onlyOurs(n, ours) { // in the middle of a roll half of the nodes wear our taint and nothing else
		bare := *n
		bare.Taints, bare.Unschedulable = nil, false
		return bare.Moves()
	}
	return record.WithoutMarks(n, ours).Moves()
}

// onlyOurs reports whether all taints and the cordon of a node are ours.
func onlyOurs(n *world.Node, marks []record.Mark) bool {
	ours := func(kind record.ActionKind, t world.Taint) bool {
		return slices.ContainsFunc(marks, func(m record.Mark) bool {
			return !m.Foreign && m.Put.Kind == kind && m.Put.Node == n.Name && m.Put.AsTaint() == t
		})
	}
	for _, t := range n.Taints {
		if !ours(record.AddTaint, t) {
			return false
		}
	}
	return !n.Unschedulable || ours(record.Cordon, world.Taint{})
}

// comingOff are the marks of ours that were taken off, by machine, as long as the nodes
// may still show them.
func (s *Reader) comingOff() map[string][]record.Mark {
	out := map[string][]record.Mark{}
	for _, p := range s.Run.Pending {
		put := p.Action.Opposite()
		if put.Kind == p.Action.Kind {
			continue // it takes nothing off
		}
		out[put.Machine] = append(out[put.Machine], record.Mark{Put: put})
	}
	return out
}

// moverOf is who moves a node, by a mark on it, and what the run does about it.
func (s *Reader) moverOf(machine string, n *world.Node, move world.Move, deferrals map[string]record.Deferral) record.ExternalMover {
	r := record.ExternalMover{Kind: record.ExternalMark, Who: string(move.By), Does: text.HasMarked, Since: move.Since, Mark: move.Mark, Handling: record.HandlingLeft,
		How: text.MarkStays}
	switch {
	case move.By == world.MoverSomebody && move.Step == world.MoveCordoned:
		return s.cordonMover(machine, n, r, deferrals)
	case move.By == world.MoverEKSRepair:
		r.Kind, r.Does = record.ExternalRepair, text.MayRepair
		r.How = text.NotWaitedFor
	case move.By == world.MoverEKS, move.By == world.MoverDrainboard, move.By == world.MoverSomebody, move.By == world.MoverCloud, move.Step == world.MoveFailed, move.Asked():
		// EKS moves no nodes of groups that are not its own: what looks so was left behind.
	case move.Roll && move.By == s.capabilities().TakesOverFrom && move.Step == world.MoveForeseen:
		r.Handling, r.How = record.HandlingWarned, text.RollMayRun
		r.WayOut = text.MakeSureNoOne
	case move.Roll:
		r.Kind, r.Does, r.Acts, r.Handling = record.ExternalRoll, text.IsRolling, true, record.HandlingRefused
		r.How = text.NoRunBeside
		r.WayOut = text.WaitForRoll(n.Name, move.Mark)
	case move.Step != world.MoveForeseen:
		r.Kind, r.Does, r.Acts = record.ExternalDrain, deeds[move.Step], true
		if move.SinceCordon { // which may be older than what the mover does
			r.Since = time.Time{}
		}
		return s.drainMover(machine, r, move.Limit, s.Run.Deferrals[record.DeferralKey(machine, r.Who)], deferrals)
	}
	return r
}

// deeds are what a mover does at a step.
var deeds = map[world.MoveStep]string{world.MoveDraining: text.Drains, world.MoveUpdating: text.UpdatesOrReboots, world.MoveEnding: text.Ends}
