package ui

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine"
)

// footer is the last line: what can be pressed, what cannot in brackets; or a
// notice.
func (m *Model) footer(w int) string {
	st := m.st
	if m.search.open {
		return m.searchLine(w)
	}
	if m.notice != "" {
		p, mark := st.title, st.g.Done
		if m.refused {
			p, mark = st.warn, "!"
		}
		return newLine(st, w).space(1).add(p, mark+" "+m.notice).String()
	}
	type entry struct {
		key, label string
		off, ask   bool
		worth      int
	}
	var list []entry
	for _, a := range m.actions {
		if a.label == nil || m.opts.ReadOnly && a.command != nil { // never possible here
			continue
		}
		e := entry{key: a.show, label: a.label(m), off: m.why(a) != "", worth: a.worth}
		e.ask = a.name == "approve" && !e.off
		if e.off && a.command != nil {
			e.worth -= 2
		}
		list = append(list, e)
	}
	gap := 3
	if w < wideWidth {
		gap = 2
	}
	total := func() int {
		n := 1 - gap
		for _, e := range list {
			n += width(clean(e.key)) + 1 + width(clean(e.label)) + gap
			if e.off {
				n += 2
			}
		}
		return n
	}
	if total() > w {
		gap = 2
	}
	for total() > w && len(list) > 1 {
		least := 0
		for i := range list {
			if list[i].worth < list[least].worth {
				least = i
			}
		}
		list = append(list[:least], list[least+1:]...)
	}
	l := newLine(st, w).space(1)
	for i, e := range list {
		if i > 0 {
			l.space(gap)
		}
		switch {
		case e.off:
			l.add(st.off, "("+e.key+" "+e.label+")")
		case e.ask:
			l.add(st.ask, e.key+" "+e.label)
		default:
			l.add(st.key, e.key).space(1).add(st.text, e.label)
		}
	}
	return l.String()
}

// tabLine names the panes and what is in them, where only one fits.
func (m *Model) tabLine(w int) string {
	st := m.st
	l := newLine(st, w)
	blocked := "blocked 0"
	stuck, _ := m.blocked()
	switch {
	case m.sc.Partial:
		blocked = "blocked " + st.g.Ellipsis
	case stuck > 0:
		blocked = fmt.Sprintf("%s blocked %d", st.g.Blocked, stuck)
	}
	for i, name := range []string{"nodes " + m.summary(), blocked, "log"} {
		p, mark := st.dim, " "
		if pane(i) == m.focus {
			p, mark = st.title, st.g.Cursor
		} else if pane(i) == blockedPane && stuck > 0 {
			p = st.warn
		}
		l.begin(mark).add(p, name).space(2)
	}
	return l.String()
}

// summary says what matters most about the nodes: failed, at work, done.
func (m *Model) summary() string {
	if m.sc.State == engine.NoRun {
		if words := m.atWork(); m.sc.Others != nil && len(words) > 0 {
			return strings.Join(words[:min(len(words), 2)], ", ")
		}
		return fmt.Sprintf("%d outdated", m.sc.outdated())
	}
	words := m.atWork()
	if len(words) == 0 {
		return fmt.Sprintf("%d/%d", m.sc.Done, m.sc.Total)
	}
	return strings.Join(words[:min(len(words), 2)], ", ")
}

// atWork counts the nodes that failed or on which something is under way, by stage.
func (m *Model) atWork() []string {
	counts := map[engine.Stage]int{}
	for _, z := range m.sc.Zones {
		for _, r := range z.Rows {
			counts[r.Stage]++
		}
	}
	var words []string
	for _, s := range []engine.Stage{engine.NodeFail, engine.Unreachable, engine.Draining, engine.Updating, engine.Settling, engine.Terminating, engine.Launching} {
		if counts[s] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	return words
}
