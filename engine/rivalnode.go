package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/world"
)

const (
	// patience is how long a node is waited for that somebody takes out of service, if its
	// mover has no limit of its own; with one it is twice that. Marks may be left behind.
	patience = 30 * time.Minute
	// lull is how long somebody may let no pod go, and still drain the node: kubectl drain
	// tries again every 5 s.
	lull = 10 * time.Second
)

// nodeRivals lists those that the group's nodes tell of, by the marks on them that are
// not ours and by pods that leave and that we did not evict.
func (s *Step) nodeRivals() []Rival {
	var out []Rival
	add := func(r Rival, node string) {
		if i := slices.IndexFunc(out, func(o Rival) bool { return o.is(r) && o.Handling == r.Handling }); i >= 0 {
			out[i].Nodes = append(out[i].Nodes, node)
			if r.Seen.After(out[i].Seen) {
				out[i].Seen = r.Seen
			}
			return
		}
		r.Nodes = []string{node}
		out = append(out, r)
	}
	coming := s.comingOff()
	var bare world.Node // in the middle of a roll half of the nodes wear our taint: no copy for each
	for _, m := range s.W.Machines() {
		n := s.W.NodeOf(m.ID)
		if n == nil || m.State == world.MachineStandby {
			continue
		}
		ours := s.Run.Marks[m.ID]
		if off := coming[m.ID]; off != nil {
			ours = append(slices.Clip(ours), off...)
		}
		theirs := &bare
		if bare = *n; onlyOurs(n, ours) {
			bare.Taints, bare.Unschedulable = nil, false
		} else {
			theirs = others(n, ours)
		}
		for _, move := range theirs.Moves() {
			add(s.rivalOf(m.ID, n, move), n.Name)
		}
	}
	slices.SortStableFunc(out, func(a, b Rival) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Who, b.Who)) })
	return out
}

// onlyOurs reports whether all taints and the cordon of a node are ours.
func onlyOurs(n *world.Node, marks []Mark) bool {
	ours := func(kind ActionKind, t world.Taint) bool {
		return slices.ContainsFunc(marks, func(m Mark) bool {
			return !m.Foreign && m.Put.Kind == kind && m.Put.Node == n.Name && m.Put.taint() == t
		})
	}
	for _, t := range n.Taints {
		if !ours(AddTaint, t) {
			return false
		}
	}
	return !n.Unschedulable || ours(Cordon, world.Taint{})
}

// comingOff are the marks of ours that were taken off, by machine, as long as the nodes
// may still show them.
func (s *Step) comingOff() map[string][]Mark {
	out := map[string][]Mark{}
	for _, p := range s.Run.Pending {
		put := p.Action
		switch put.Kind {
		case RemoveTaint:
			put.Kind = AddTaint
		case Uncordon:
			put.Kind = Cordon
		case RemoveLabel:
			put.Kind = AddLabel
		default:
			continue
		}
		out[put.Machine] = append(out[put.Machine], Mark{Put: put})
	}
	return out
}

// rivalOf is who moves a node, by a mark on it, and what the run does about it.
func (s *Step) rivalOf(machine string, n *world.Node, move world.Move) Rival {
	r := Rival{Kind: RivalMark, Who: string(move.By), Does: "has marked", Since: move.Since, Mark: move.Mark, Handling: RivalLeft,
		How: "the node is rolled like any other, and the mark stays"}
	asked := strings.HasPrefix(move.Mark, "annotation ") && move.Step == world.MoveForeseen // of a roll that has not begun
	switch {
	case move.By == world.MoverSomebody && move.Step == world.MoveCordoned:
		return s.cordonRival(machine, n, r)
	case move.By == world.MoverEKSRepair:
		r.Kind, r.Does = RivalRepair, "may replace or reboot"
		r.How = "it is not waited for, and such a node counts as replaced, not by us"
	case move.By == world.MoverEKS, move.By == world.MoverDrainboard, move.By == world.MoverSomebody, move.By == world.MoverCloud, move.Step == world.MoveFailed, asked:
		// EKS moves no nodes of groups that are not its own: what looks so was left behind.
	case move.Roll:
		r.Kind, r.Does, r.Acts, r.Handling = RivalRoll, "is rolling", true, RivalRefused
		r.How = refusedHow
		r.WayOut = "wait until its roll is over; if it is, take its marks off" + unmarkCommand(n.Name, move.Mark)
	case move.Step != world.MoveForeseen:
		r.Kind, r.Does, r.Acts = RivalDrain, deeds[move.Step], true
		return s.drainRival(machine, r, move.Limit)
	}
	return r
}

// deeds are what a mover does at a step.
var deeds = map[world.MoveStep]string{world.MoveDraining: "drains", world.MoveUpdating: "updates or reboots", world.MoveEnding: "ends"}

// unmarkCommand is the command that takes a mark off, "" where there is none.
func unmarkCommand(node, mark string) string {
	mark, _, _ = strings.Cut(mark, ", ")
	kind, name, _ := strings.Cut(mark, " ")
	key, _, _ := strings.Cut(name, "=")
	switch kind {
	case "taint":
		return ": kubectl taint node " + node + " " + name + "-"
	case "label":
		return ": kubectl label node " + node + " " + key + "-"
	case "annotation":
		return ": kubectl annotate node " + node + " " + key + "-"
	}
	return ""
}

// cordonRival is whoever has cordoned a node: somebody drains it as long as pods leave it
// that we did not evict.
func (s *Step) cordonRival(machine string, n *world.Node, r Rival) Rival {
	r.Kind, r.Does, r.Mark, r.How = RivalCordon, "has cordoned", "", "such a node is rolled like any other, and the cordon stays"
	drains := r
	drains.Kind, drains.Does, drains.Acts, drains.Seen = RivalDrain, "drains", true, s.Now
	if s.inWork(machine) {
		return r // and what leaves it does so because of us
	}
	if s.leavesByOthers(n) {
		return s.drainRival(machine, drains, 0)
	}
	drains.Handling = RivalWaited
	old, known := s.rival(drains)
	if known && slices.Contains(old.Nodes, n.Name) && s.Now.Sub(old.Seen) < lull {
		drains.Seen = old.Seen
		s.WakeAt(old.Seen.Add(lull))
		return s.drainRival(machine, drains, 0)
	}
	return r
}

// leavesByOthers reports whether a pod leaves a node that we did not evict and whose time
// to go is not over.
func (s *Step) leavesByOthers(n *world.Node) bool {
	for _, p := range s.W.PodsOn(n.Name) {
		known := s.Run.Pods[p.UID]
		if p.Terminating() && s.Now.Before(p.Ends) && known.Evicted.IsZero() && !known.Forced && s.settled(evictKey(p.UID)) && s.judge(p).Fate != drain.Stays {
			s.WakeAt(p.Ends)
			return true
		}
	}
	return false
}

// drainRival waits for whoever takes a node out of service, unless the run is at it
// already, or it takes too long.
func (s *Step) drainRival(machine string, r Rival, limit time.Duration) Rival {
	if s.inWork(machine) {
		r.How = "our own drain of it goes on"
		return r
	}
	wait := cmp.Or(2*limit, patience)
	since := r.Since
	for _, old := range s.Run.Rivals {
		if since.IsZero() && old.Kind == r.Kind && old.Who == r.Who {
			since = old.Since
		}
	}
	if !since.IsZero() {
		s.WakeAt(since.Add(wait))
	}
	if !since.IsZero() && !s.Now.Before(since.Add(wait)) {
		r.How = fmt.Sprintf("it has not come to an end in %s: the node is rolled like any other", wait)
		return r
	}
	r.Handling, r.How = RivalWaited, "not drained by us meanwhile, and counts as out of service"
	r.WayOut = "wait for it; if nobody is at it any more, take the mark off" + unmarkCommand("NODE", r.Mark) + ", or skip the node"
	return r
}

// inWork reports whether the run is about to end a machine.
func (s *Step) inWork(machine string) bool {
	switch s.Run.Nodes[machine].Stage {
	case Draining, Settling, Terminating:
		return true
	}
	return false
}
