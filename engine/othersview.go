package engine

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// OthersView is what others do with a group, for those who look.
type OthersView struct {
	// Movers are who does, whose work has come furthest first.
	Movers []MoverView
	// From is since when the group is watched: what happened before is not known.
	From time.Time
	// Replaced is how many nodes were replaced since then; Current of Nodes are of the
	// template that the group launches from now.
	Replaced, Current, Nodes int
	// Pace says what the time left is estimated from, "" while nothing is known of it.
	Pace string
}

// MoverView is one who moves nodes of the group.
type MoverView struct {
	By world.Mover
	// Roll and Guess are those of world.Move.
	Roll, Guess bool
	// Nodes are those with a mark of it, Working those of them that it has begun to move.
	Nodes, Working int
	// Text is one sentence: who does what, and with how many nodes.
	Text string
}

// othersView works out what others do, nil if nobody does.
func (s *Step) othersView() *OthersView {
	o := s.Run.Others
	if o == nil {
		return nil
	}
	v := &OthersView{From: o.From}
	found := map[world.Mover]*MoverView{}
	stages := map[world.Mover]map[Stage][]string{} // names of nodes
	for _, id := range slices.Sorted(maps.Keys(s.Run.Nodes)) {
		n := s.Run.Nodes[id]
		switch n.Stage {
		case Replaced:
			v.Replaced++
			continue
		case Terminating:
		default:
			v.Nodes++
			if m := s.W.Machine(id); n.Stage != Launching && m != nil && s.upToDate(m) {
				v.Current++
			}
		}
		for i, move := range o.of(id) {
			m := found[move.By]
			if m == nil {
				m = &MoverView{By: move.By, Guess: true}
				found[move.By], stages[move.By] = m, map[Stage][]string{}
			}
			m.Nodes++
			m.Roll, m.Guess = m.Roll || move.Roll, m.Guess && move.Guess
			stage := Outdated
			if i == 0 {
				stage = n.Stage
			}
			if working(stage) {
				m.Working++
			}
			if !working(stage) {
				stage = Outdated
			}
			stages[move.By][stage] = append(stages[move.By][stage], s.label(id, n))
		}
	}
	for _, by := range slices.Sorted(maps.Keys(found)) {
		m := found[by]
		m.Text = m.By.Does(m.Working > 0, m.Guess) + ": " + strings.Join(standing(m, stages[by]), ", ")
		v.Movers = append(v.Movers, *m)
	}
	slices.SortStableFunc(v.Movers, func(a, b MoverView) int {
		return cmp.Or(-yes(a.Roll)+yes(b.Roll), -yes(a.Working > 0)+yes(b.Working > 0), b.Nodes-a.Nodes)
	})
	if len(v.Movers) == 0 && v.Replaced == 0 {
		return nil
	}
	replaced, total := s.Run.Outdated()
	_, v.Pace = o.pace(s.Now, replaced, total-replaced)
	return v
}

// working reports whether somebody who has marked a node has begun to move it.
func working(stage Stage) bool {
	switch stage {
	case Draining, Settling, Terminating, Updating, NodeFail:
		return true
	}
	return false
}

// named is how many nodes are named rather than counted.
const named = 2

// standing tells of the nodes of a mover how far they have come: few by their names.
func standing(m *MoverView, stages map[Stage][]string) (out []string) {
	for _, stage := range []Stage{NodeFail, Draining, Updating, Settling, Terminating} {
		word := string(stage)
		if stage == Settling {
			word = "drained"
		}
		switch nodes := stages[stage]; {
		case len(nodes) > named:
			out = append(out, plural(len(nodes), "node")+" "+word)
		case len(nodes) > 0:
			out = append(out, strings.Join(nodes, " and ")+" "+word)
		}
	}
	rest, word := stages[Outdated], " to go"
	if m.By == world.MoverSomebody {
		word = " cordoned"
	}
	switch {
	case len(rest) == 0:
	case len(rest) <= named && !m.Roll:
		out = append(out, strings.Join(rest, " and "))
	case len(out) > 0:
		out = append(out, strconv.Itoa(len(rest))+word)
	case len(rest) <= named:
		out = append(out, strings.Join(rest, " and "))
	default:
		out = append(out, plural(len(rest), "node"))
	}
	return out
}

func yes(b bool) int {
	if b {
		return 1
	}
	return 0
}
