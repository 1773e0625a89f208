package movers

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// ofNodes lists those that the group's nodes tell of, by the marks on them that are
// not ours and by pods that leave and that we did not evict; and what is to be kept of each
// that is waited for.
func ofNodes(s *assess.Reader) (out []record.ExternalMover, deferrals map[string]record.Deferral) {
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
	changes, conduct := changing(s), s.Conduct()
	about := s.Among(assess.MovedByOthers)
	for id := range changes {
		about[id] = true
	}
	for _, id := range s.Placed(about) {
		m, n := s.W.Machine(id), s.W.NodeOf(id)
		if m == nil || n == nil || m.State == world.MachineStandby || s.Run.Nodes.Peek(m.ID).Stage == record.Terminating {
			continue // tools mark what ends, and here it is we who end it
		}
		ours := s.Run.Marks[m.ID]
		if list := changes[m.ID]; list != nil {
			ours = append(slices.Clip(ours), list...)
		}
		for _, move := range assess.TheirMoves(n, ours) {
			if conduct.Partner(move.By) {
				continue // it is what we work with
			}
			r := moverOf(s, m.ID, n, move, deferrals)
			if m.Leaving() && r.Handling != record.HandlingWaited {
				continue // nothing more becomes of it; the mover that ends it may still be draining it
			}
			add(r, n.Name)
		}
	}
	slices.SortStableFunc(out, func(a, b record.ExternalMover) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Who, b.Who))
	})
	return out, deferrals
}

// changing are the marks of ours that are being put or taken off, by machine: the nodes may still
// show those that were taken off. Of other changes nothing shows on a node.
func changing(s *assess.Reader) map[string][]record.Mark {
	out := map[string][]record.Mark{}
	for _, p := range s.Run.Pending {
		put := p.Action.Opposite()
		out[put.Machine] = append(out[put.Machine], record.Mark{Put: put})
	}
	return out
}

// moverOf is who moves a node, by a mark on it, and what the run does about it.
func moverOf(s *assess.Reader, machine string, n *world.Node, move world.Move, deferrals map[string]record.Deferral) record.ExternalMover {
	r := record.ExternalMover{Kind: record.ExternalMark, Who: string(move.By), Does: text.HasMarked, Since: move.Since, Mark: move.Mark, Handling: record.HandlingLeft,
		How: text.MarkStays}
	switch {
	case move.By == world.MoverUnknown && move.Step == world.MoveCordoned:
		return cordonMover(s, machine, n, r, deferrals)
	case move.By == world.MoverEKSRepair:
		r.Kind, r.Does = record.ExternalRepair, text.MayRepair
		r.How = text.NotWaitedFor
	case move.By == world.MoverEKS, move.By == world.MoverDrainboard, move.By == world.MoverUnknown, move.By == world.MoverCloud, move.Step == world.MoveFailed, move.Asked():
		// EKS moves no nodes of groups that are not its own: what looks so was left behind.
	case move.Roll && move.By == s.Capabilities().TakesOverFrom && move.Step == world.MoveForeseen:
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
		return drainMover(s, machine, r, move.Limit, s.Run.Deferrals[record.DeferralKey(machine, r.Who)], deferrals)
	}
	return r
}

// deeds are what a mover does at a step.
var deeds = map[world.MoveStep]string{world.MoveDraining: text.Drains, world.MoveUpdating: text.UpdatesOrReboots, world.MoveEnding: text.Ends}
