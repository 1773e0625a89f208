package ui

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// footer is the last line: what can be pressed, what cannot in brackets; or a
// notice.
func (m *Model) footer(w int) string {
	st := m.Styles
	if m.search.open {
		return m.searchLine(w)
	}
	if m.Notice != "" {
		p, mark := st.Title, st.Glyphs.Done
		if m.refused {
			p, mark = st.Warn, "!"
		}
		return style.NewLine(st, w).Space(1).Add(p, mark+" "+m.Notice).String()
	}
	type entry struct {
		key, label string
		off, ask   bool
		worth      int
	}
	var list []entry
	for _, a := range m.Actions {
		if a.Label == nil || m.Opts.ReadOnly && a.Command != nil { // never possible here
			continue
		}
		e := entry{key: a.Show, label: a.Label(m), off: m.Why(a) != "", worth: a.worth}
		e.ask = a.Name == "approve" && !e.off
		if e.off && a.Command != nil {
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
			n += style.Width(style.Clean(e.key)) + 1 + style.Width(style.Clean(e.label)) + gap
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
	l := style.NewLine(st, w).Space(1)
	for i, e := range list {
		if i > 0 {
			l.Space(gap)
		}
		switch {
		case e.off:
			l.Add(st.Off, "("+e.key+" "+e.label+")")
		case e.ask:
			l.Add(st.Ask, e.key+" "+e.label)
		default:
			l.Add(st.Key, e.key).Space(1).Add(st.Text, e.label)
		}
	}
	return l.String()
}

// tabLine names the panes and what is in them, where only one fits.
func (m *Model) tabLine(w int) string {
	st := m.Styles
	l := style.NewLine(st, w)
	blocked := "blocked 0"
	stuck, _ := m.Scene.BlockedPods()
	switch {
	case m.Scene.Partial:
		blocked = "blocked " + st.Glyphs.Ellipsis
	case stuck > 0:
		blocked = fmt.Sprintf("%s blocked %d", st.Glyphs.Blocked, stuck)
	}
	for i, name := range []string{"nodes " + summary(m.Scene), blocked, "log"} {
		p, mark := st.Dim, " "
		if pane(i) == m.Focus {
			p, mark = st.Title, st.Glyphs.Cursor
		} else if pane(i) == BlockedPane && stuck > 0 {
			p = st.Warn
		}
		l.Begin(mark).Add(p, name).Space(2)
	}
	return l.String()
}

// summary says what matters most about the nodes: failed, at work, done.
func summary(sc *scene.Scene) string {
	if sc.State == record.NoRun {
		if words := sc.AtWork(); sc.External != nil && len(words) > 0 {
			return strings.Join(words[:min(len(words), 2)], ", ")
		}
		return fmt.Sprintf("%d outdated", sc.Outdated())
	}
	words := sc.AtWork()
	if len(words) == 0 {
		return fmt.Sprintf("%d/%d", sc.Done, sc.Total)
	}
	return strings.Join(words[:min(len(words), 2)], ", ")
}
