package snapshot

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/movers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// ExternalView is what others do with a group, for those who look.
type ExternalView struct {
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
	Roll  bool
	Guess bool
	// Nodes are those with a mark of it, Working those of them that it has begun to move.
	Nodes   int
	Working int
	// Text is one sentence: who does what, and with which nodes.
	Text string
}

// othersView works out what others do, nil if nobody does.
func othersView(s *assess.Reader) *ExternalView {
	o := s.Run.External
	if o == nil {
		return nil
	}
	v := &ExternalView{From: o.From}
	var t tally
	for _, id := range slices.Sorted(s.Run.Nodes.Keys()) {
		n := s.Run.Nodes.Get(id)
		switch n.Stage {
		case record.Replaced:
			v.Replaced++
			continue
		case record.Terminating:
		default:
			v.Nodes++
			m := s.W.Machine(id)
			current := m != nil && s.UpToDate(m)
			if s.Controller() != nil { // there a mark may be all that tells
				current = m != nil && n.New
			}
			if n.Stage != record.Launching && current {
				v.Current++
			}
		}
		t.add(s.Label(id, n), n.Stage, o.MovesOf(id))
	}
	if v.Movers = t.movers(); len(v.Movers) == 0 && v.Replaced == 0 {
		return nil
	}
	if s.Run.State != record.NoRun { // its record tells for how long it lasts, however often it was resumed
		return v
	}
	replaced, total := s.Run.Outdated()
	_, v.Pace = o.Pace(s.Now, replaced, total-replaced)
	return v
}

// Movers are who else moves nodes, as far as the marks on them tell at one look. marks are
// those that our runs have put, by machine.
func Movers(nodes []*world.Node, marks map[string][]record.Mark) []MoverView {
	stages := map[world.MoveStep]record.Stage{
		world.MoveDraining: record.Draining, world.MoveUpdating: record.Updating, world.MoveEnding: record.Settling, world.MoveFailed: record.NodeFail,
	}
	var t tally
	for _, n := range nodes {
		if moves := movers.MovesAfter(n, nil, marks[n.Machine]); len(moves) > 0 {
			t.add(n.Name, stages[moves[0].Step], moves)
		}
	}
	return t.movers()
}

// tally counts the nodes of each mover by their stages.
type tally struct {
	found map[world.Mover]*MoverView
	nodes map[world.Mover]map[record.Stage][]string // names
}

// add counts a node, which is at the stage to which the first of its movers has taken it.
func (t *tally) add(node string, at record.Stage, moves []world.Move) {
	for i, move := range moves {
		m := t.found[move.By]
		if m == nil {
			if t.found == nil {
				t.found, t.nodes = map[world.Mover]*MoverView{}, map[world.Mover]map[record.Stage][]string{}
			}
			m = &MoverView{By: move.By, Guess: true}
			t.found[move.By], t.nodes[move.By] = m, map[record.Stage][]string{}
		}
		m.Nodes++
		m.Roll, m.Guess = m.Roll || move.Roll, m.Guess && move.Guess
		stage := record.Outdated
		if i == 0 && record.WorkingOn(at) {
			stage = at
			m.Working++
		}
		t.nodes[move.By][stage] = append(t.nodes[move.By][stage], node)
	}
}

// movers are those that were counted: who rolls first, then who is at work.
func (t *tally) movers() (out []MoverView) {
	for _, by := range slices.Sorted(maps.Keys(t.found)) {
		m := t.found[by]
		m.Text = m.By.Does(m.Working > 0, m.Guess) + ": " + strings.Join(standing(m, t.nodes[by]), ", ")
		out = append(out, *m)
	}
	slices.SortStableFunc(out, func(a, b MoverView) int {
		return cmp.Or(-yes(a.Roll)+yes(b.Roll), -yes(a.Working > 0)+yes(b.Working > 0), b.Nodes-a.Nodes)
	})
	return out
}

// named is how many nodes are named rather than counted.
const named = 2

// standing tells of the nodes of a mover how far they have come: few by their names.
func standing(m *MoverView, stages map[record.Stage][]string) (out []string) {
	for _, stage := range []record.Stage{record.NodeFail, record.Draining, record.Updating, record.Settling, record.Terminating} {
		word := string(stage)
		if stage == record.Settling {
			word = "drained"
		}
		switch nodes := stages[stage]; {
		case len(nodes) > named:
			out = append(out, text.NodeCountIs(len(nodes), word))
		case len(nodes) > 0:
			out = append(out, text.NodesAre(nodes, word))
		}
	}
	left := text.MoverRest{Nodes: stages[record.Outdated], Cordoned: m.By == world.MoverUnknown}
	switch few := len(left.Nodes) <= named; {
	case len(left.Nodes) == 0:
	case few && !m.Roll && len(out) > 0:
		out = append(out, left.NamedBeside())
	case len(out) > 0:
		out = append(out, left.CountedBeside())
	case few:
		out = append(out, left.Named())
	default:
		out = append(out, text.Plural(len(left.Nodes), "node"))
	}
	return out
}

func yes(b bool) int {
	if b {
		return 1
	}
	return 0
}
