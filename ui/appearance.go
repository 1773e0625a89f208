package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/themes"
)

// Appearance is what may change of the look while a dashboard is open.
type Appearance struct {
	Theme  themes.Theme // as Options.Theme
	Mark   string       // as Options.Mark
	Silent bool         // as Options.Silent
	// Problem says what is wrong with what the operator wrote about it, until it is
	// mended; "" if nothing is.
	Problem string
}

// appearanceMsg is a new look.
type appearanceMsg struct{ Appearance }

// follow hands new looks to the program, until done.
func follow(p *tea.Program, looks <-chan Appearance, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case a, ok := <-looks:
			if !ok {
				return
			}
			p.Send(appearanceMsg{a})
		}
	}
}

// wear takes a new look.
func (m *Model) wear(a Appearance) {
	m.opts.Theme, m.opts.Mark, m.opts.Silent, m.mistake = a.Theme, a.Mark, a.Silent, a.Problem
	m.choose()
}

// mistakeBanner says what is wrong with the operator's files.
func (m *Model) mistakeBanner() banner {
	return banner{m.st.calm, m.st.g.Warning + " " + m.mistake}
}

// markCells is as much as a mark may take; what is longer is cut.
const markCells = 24

// mark is the word that says where one is, as it stands in the header and on
// dialogs: with a cell of its colour on both sides. "" is none.
func (m *Model) mark() string {
	if m.opts.Mark == "" {
		return ""
	}
	return " " + cut(clean(m.opts.Mark), markCells, m.st.g.Ellipsis) + " "
}

// marked puts the mark before a window's title.
func (m *Model) marked(title string) string {
	if m.opts.Mark == "" {
		return title
	}
	return clean(m.opts.Mark) + " " + title
}

// bare is the header where there is nothing to tell yet.
func (m *Model) bare(text string) string {
	l := newLine(m.st, m.width).space(1)
	if mark := m.mark(); mark != "" {
		l.add(m.st.mark, mark).space(2)
	}
	return l.add(m.st.brand, "drainboard").add(m.st.text, text).String()
}

// dialogTop is the upper edge of a dialog, where the mark stands once more: that is
// where is decided.
func (m *Model) dialogTop(w int) string {
	st, mark := m.st, m.mark()
	if mark == "" || width(mark)+12 > w {
		return frameTop(st, st.focus, m.dialog.title(m), "", w, true)
	}
	top := frameTop(st, st.focus, m.dialog.title(m), "", w-width(mark)-1, true)
	return slice(top, 0, w-width(mark)-2) + newLine(st, width(mark)).add(st.mark, mark).String() +
		newLine(st, 2).add(st.focus, st.g.Frame[1]+st.g.Frame[2]).String()
}
