package ui

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine"
)

// part is a piece of the header; those with the least worth go first when there
// is no room for all.
type part struct {
	pen   pen
	text  string
	worth int
}

// header says what is being upgraded, how it stands and how long it takes.
func (m *Model) header(l layout) []string {
	sc, st := m.sc, m.st
	name := clean(sc.Group)
	if sc.Cluster != "" {
		name = clean(sc.Cluster) + " / " + name
	}
	var what []part
	room := l.header.w - 4
	if mark := m.mark(); mark != "" {
		what = append(what, part{st.mark, mark, 11})
		room -= width(mark) + 2
	}
	what = append(what, part{st.brand, "drainboard", 2}, part{st.title, shorten(name, max(room, 10), st.g.Ellipsis), 10})
	if sc.To != "" {
		what = append(what, part{st.text, versions(sc.From, sc.To, st.g.Arrow), 6})
	}
	if sc.Strategy != "" {
		what = append(what, part{st.dim, sc.Strategy, 1})
	}
	if r := sc.Roll; r != nil {
		n, of := r.Place(sc.Group)
		what = append(what, part{st.text, fmt.Sprintf("group %d of %d", n, of), 8})
	}
	if m.opts.ReadOnly {
		what = append(what, part{st.ask, " READ-ONLY ", 9})
	}
	if sc.CloudOnly {
		what = append(what, part{st.ask, " NO KUBERNETES ", 9})
	}

	word, look := m.standing()
	how := []part{{look.pen, look.glyph + " " + word, 9}}
	how = append(how, part{st.text, sc.nodesText(), 8})
	if n := sc.detached(); n > 0 && sc.State != engine.Finished {
		how = append(how, part{st.dim, fmt.Sprintf("%d detached", n), 3})
	}
	if sc.Driver != "" {
		how = append(how, part{st.dim, "driven by " + sc.Driver, 3})
	}
	if sc.Partial {
		how = append(how, part{st.dim, "reading pods " + st.g.Ellipsis, 8})
	}
	if t := sc.timeLeft(); t != "" && sc.State != engine.Finished {
		how = append(how, part{st.text, t, 7})
	}
	if !sc.Until.IsZero() && sc.State != engine.Finished {
		how = append(how, part{st.text, untilText(sc.Until.In(m.opts.Now().Location()), m.opts.Now()), 5})
	}
	if !sc.Started.IsZero() {
		end := sc.now(m.opts.Now())
		if !sc.Ended.IsZero() {
			end = sc.Ended
		}
		how = append(how, part{st.dim, elapsed(end.Sub(sc.Started)), 4})
	}
	if l.header.h == 1 {
		return []string{m.parts(append(what, how...), l.header.w, 3)}
	}
	return []string{m.parts(what, l.header.w, 2), m.parts(how, l.header.w, 2)}
}

// parts writes as many as fit, most worth first kept, in their order, the last
// one on the right edge.
func (m *Model) parts(ps []part, w, gap int) string {
	total := func() (n int) {
		for _, p := range ps {
			n += width(clean(p.text)) + gap
		}
		return n - gap + 2
	}
	for len(ps) > 1 && total() > w {
		least := 0
		for i := range ps {
			if ps[i].worth < ps[least].worth {
				least = i
			}
		}
		ps = append(ps[:least:least], ps[least+1:]...)
	}
	room := 0
	if len(ps) > 2 {
		room = min(max(w-total(), 0)/(len(ps)-1), 2)
	}
	l := newLine(m.st, w-1).space(1)
	for i, p := range ps {
		if i > 0 && i == len(ps)-1 {
			l.to(w - 1 - width(clean(p.text)))
		} else if i > 0 {
			l.space(gap + room)
		}
		l.add(p.pen, p.text)
	}
	return l.String() + spaces(1)
}

// nodesText is how many nodes a run has done; without a run, how many are outdated.
func (sc *scene) nodesText() string {
	if sc.State == engine.NoRun {
		return fmt.Sprintf("%d of %s outdated", sc.outdated(), count(sc.present(), "node"))
	}
	return fmt.Sprintf("%d of %s", sc.Done, count(sc.Total, "node"))
}

// untilText is when the run is to be over, on the local clock; what is not within a
// day has its date.
func untilText(t, now time.Time) string {
	if t.Sub(now) < 24*time.Hour {
		return "until " + t.Format("15:04")
	}
	return "until " + t.Format("2 Jan 15:04")
}

// versions is "1.31 → 1.32", or one version when only the template changes.
func versions(from, to, arrow string) string {
	from, to = shortVersion(from), shortVersion(to)
	if from == "" || from == to {
		return to
	}
	return from + " " + arrow + " " + to
}

// state is the run's state as a word and a look.
func (m *Model) state() (string, look) {
	sc, st := m.sc, m.st
	lk := st.states[sc.State]
	switch sc.State {
	case engine.NoRun:
		if sc.Unreadable != "" {
			return "run not known", look{st.g.Warning, st.warn}
		}
		if who := m.sc.othersWord(); who != "" {
			return who, st.states[engine.Running]
		}
		return "no run", lk
	case engine.Finished:
		switch sc.Result {
		case engine.Succeeded:
			return "done", lk
		case engine.NodesLeft:
			return "done, nodes left", look{st.g.Done, st.warn}
		case engine.Aborted:
			return "aborted", look{st.g.Ended, st.warn}
		}
		return "failed", look{st.g.Failed, st.bad}
	case engine.Ending:
		if sc.Result == engine.Aborted || sc.Result == engine.NotStartedYet {
			return "aborting", lk
		}
		return "failing", look{st.g.Failed, st.bad}
	case engine.Paused:
		return "paused", lk
	case engine.Planned:
		return "planned", lk
	}
	if sc.Batch != nil && !m.busy() {
		return "waits for you", look{st.g.Ask, st.warn}
	}
	if sc.Canary != nil {
		return "watching the canary", lk
	}
	if sc.validating() && !m.moving() {
		if sc.invalid() > 0 {
			_, lk = m.validationLook()
		}
		return "validating", lk
	}
	return "upgrading", lk
}

// detached counts the machines that are out of their group and still there.
func (sc *scene) detached() int {
	n := 0
	for _, z := range sc.Zones {
		for _, r := range z.Rows {
			if r.Detached && r.Stage != engine.Replaced {
				n++
			}
		}
	}
	return n
}

// standing is the state, unless the run stands still because nobody drives it.
func (m *Model) standing() (string, look) {
	if m.sc.abandoned() {
		return "no driver", look{m.st.g.Warning, m.st.warn}
	}
	return m.state()
}

// abandoned reports whether nobody drives a run that was not paused before.
func (sc *scene) abandoned() bool { return !sc.Unattended.IsZero() && sc.State != engine.Paused }

// timeLeft is how long it will still take, "" if that is not known: nothing moves on
// while nobody drives the run.
func (sc *scene) timeLeft() string {
	if !sc.Unattended.IsZero() {
		return ""
	}
	return timeLeft(sc.Left)
}

// moving reports whether a node is on its way out.
func (m *Model) moving() bool {
	for _, z := range m.sc.Zones {
		for _, r := range z.Rows {
			if r.Stage == engine.Draining || r.Stage == engine.Settling || r.Stage == engine.Terminating {
				return true
			}
		}
	}
	return false
}

// busy reports whether something is under way on any node.
func (m *Model) busy() bool {
	for _, z := range m.sc.Zones {
		for _, r := range z.Rows {
			if active(r) {
				return true
			}
		}
	}
	return false
}
