package ui

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// outdated is how many nodes are outdated, present how many the group has.
func (sc *scene) outdated() int { return sc.Total - sc.Done }

func (sc *scene) present() int { return len(sc.rows) - sc.Done }

// othersWord says in two words who moves the nodes of a group without a run, "" if nobody
// does, or nobody has begun to.
func (sc *scene) othersWord() string {
	if sc.State != engine.NoRun || sc.Others == nil || len(sc.Others.Movers) == 0 {
		return ""
	}
	switch first := sc.Others.Movers[0]; {
	case first.By == world.MoverSomebody && first.Working > 0:
		return "drained by hand"
	case first.By == world.MoverSomebody, first.By == world.MoverDrainboard, !first.Roll && first.Working == 0:
		return ""
	default:
		return string(first.By) + " at work"
	}
}

// othersBanners say who else is at work on a group without a run, how far it has come,
// and what is not known of it.
func (m *Model) othersBanners() []banner {
	var out []banner
	for _, text := range m.othersTexts() {
		if text != "" {
			out = append(out, banner{m.st.calm, m.st.g.Running + " " + text})
		}
	}
	return out
}

// othersTexts are who is at work on a group without a run beside the first, "" for nobody,
// and how far all of them have come.
func (m *Model) othersTexts() (texts [2]string) {
	sc, o := m.sc, m.sc.Others
	if o == nil || sc.State != engine.NoRun {
		return texts
	}
	var rest []string
	for i, mover := range o.Movers {
		if i > 0 {
			rest = append(rest, mover.Text)
		}
	}
	texts[0] = sc.brief(strings.Join(rest, "; "))
	from := o.From.In(m.opts.Now().Location()).Format("15:04")
	text := fmt.Sprintf("since %s: %s replaced (before: not known); %d of %d up to date", from, count(o.Replaced, "node"), o.Current, o.Nodes)
	switch {
	case o.Pace != "":
		text += "; time left by the pace of " + o.Pace
	case len(o.Movers) > 0 && o.Movers[0].Roll && sc.outdated() > 0:
		text += "; time left: not known yet"
	}
	texts[1] = text
	return texts
}

// movesText says whose marks are on a node besides ours.
func (m *Model) movesText(moves []world.Move, w int) []string {
	var out []string
	for _, move := range moves {
		text := string(move.By)
		if move.Guess {
			text += ", as it looks"
		}
		text += ": " + move.Means + " (" + move.Mark
		if !move.Since.IsZero() {
			text += ", since " + m.since(move.Since)
		}
		text += ")"
		if move.Limit > 0 && move.Told {
			text += fmt.Sprintf(". Its drains take %s at most", move.Limit)
		} else if move.Limit > 0 {
			text += fmt.Sprintf(". Its drains take %s at most unless it was told otherwise, which cannot be seen", move.Limit)
		} else if move.Step == world.MoveDraining {
			text += ". How long its drain may take is not known"
		}
		out = append(out, named(m.st, "others", m.sc.brief(text), m.st.text, w)...)
	}
	return out
}

// driverBlind names what the driver of a watched run does not see although it is seen
// here, "" for nothing.
func (sc *scene) driverBlind() string {
	var names []string
	for _, src := range sc.Blind {
		if here := sc.source(src); here != nil && !here.Stale {
			names = append(names, string(src))
		}
	}
	return strings.Join(names, " and the ")
}
