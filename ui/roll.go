package ui

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/style"
)

// Another reports whether a snapshot is of another run of the roll than the one shown.
func (m *Model) Another(s *snapshot.Snapshot) bool {
	return m.Scene != nil && s.Roll != nil && m.Scene.Roll != nil && (s.Group != m.Scene.Group || s.RunID != m.Scene.RunID)
}

// turned makes room for another run: what was asked and marked was of the one before, and
// so is a key that is on its way.
func (m *Model) turned(s *snapshot.Snapshot) {
	m.Dismiss()
	m.Focus = NodesPane
	m.Nodes.marks, m.Nodes.Cursor, m.Nodes.tops = nil, "", nil
	m.Blockers.Cursor, m.log.cursor, m.Approved = "", 0, ""
	m.late = nil
	m.attention.Forget()
	m.grace.begin(m.Opts.Now())
	n, of := s.Roll.Place(s.Group)
	m.say(fmt.Sprintf("the group %s now, %d of %d", s.Group, n, of))
}

// LastDialog is what a dashboard ends with: how the run ended, or the roll.
func (m *Model) LastDialog() Dialog {
	if m.Scene.Roll != nil && m.Scene.AllOver() {
		return &rollDialog{}
	}
	return NewEndDialog()
}

// Again is the command that resumes a run, or with its roll.
func (m *Model) Again() string {
	if r := m.Scene.Roll; r != nil && r.Again != "" {
		return r.Again
	}
	return cmp.Or(m.Opts.Again, "drainboard upgrade "+m.Scene.Group)
}

// groupLook tells at a glance how a group of a roll stands.
func groupLook(st *style.Styles, g roll.Group) style.Look {
	switch g.State {
	case roll.Waiting:
		return style.Look{Glyph: st.Glyphs.Todo, Pen: st.Dim}
	case roll.Running:
		return style.Look{Glyph: st.Glyphs.Running, Pen: st.Active}
	case roll.LeftOut, roll.NotStarted:
		return style.Look{Glyph: st.Glyphs.Skipped, Pen: st.Off}
	}
	switch {
	case g.Code == 0:
		return style.Look{Glyph: st.Glyphs.Done, Pen: st.Good}
	case !g.Bad():
		return style.Look{Glyph: st.Glyphs.Done, Pen: st.Warn}
	case g.Code == record.Aborted.ExitCode():
		return style.Look{Glyph: st.Glyphs.Ended, Pen: st.Warn}
	case g.Word() == string(record.Paused):
		return style.Look{Glyph: st.Glyphs.Paused, Pen: st.Warn}
	}
	return style.Look{Glyph: st.Glyphs.Failed, Pen: st.Bad}
}

// rollLine is a roll in a line, in the fullest form that fits: all its groups by name;
// those under way and those that went wrong, and how many others there are; those under
// way, and how many of all others.
func (m *Model) rollLine(w int) string {
	for named := range 3 {
		if l := m.rollForm(w, named); l.Left() > 0 || named == 2 {
			return l.String()
		}
	}
	return ""
}

// rollForm is the line with the names of all groups (0), of those under way and those that
// went wrong (1), or of those under way (2).
func (m *Model) rollForm(w, form int) *style.Line {
	st := m.Styles
	l := style.NewLine(st, w).Space(1).Add(st.Dim, "roll:")
	var words []string
	counts, looks := map[string]int{}, map[string]style.Look{}
	for _, g := range m.Scene.Roll.Groups {
		lk := groupLook(m.Styles, g)
		switch {
		case g.State == roll.LeftOut:
		case form == 0, g.State == roll.Running, form == 1 && g.Bad():
			l.Space(2).Add(lk.Pen, lk.Glyph+" ").Add(st.Text, groupText(g))
		default:
			word := string(g.State)
			if g.Bad() {
				word = "failed"
			} else if g.State == roll.Finished {
				word = "done"
			}
			if counts[word]++; counts[word] == 1 {
				words, looks[word] = append(words, word), lk
			}
		}
	}
	for _, word := range words {
		l.Space(2).Add(looks[word].Pen, looks[word].Glyph+" ").Add(st.Text, fmt.Sprintf("%d %s", counts[word], word))
	}
	return l
}

// groupText is a group in the line of a roll: a word for what is not as it should be, and
// its nodes while they are rolled.
func groupText(g roll.Group) string {
	switch {
	case g.State == roll.Running && g.Total > 0:
		return fmt.Sprintf("%s %d/%d", g.Name, g.Done, g.Total)
	case g.State == roll.Running:
		return g.Name + " ..."
	case g.Code != 0:
		return g.Name + " " + g.Word()
	case g.State == roll.NotStarted:
		return g.Name + " not started"
	}
	return g.Name
}

// groupLines is the panel of a roll: a group a line, those before the one under way left
// out where there is no room.
func (m *Model) groupLines(r rect) []string {
	st, value := m.Styles, m.Scene.Roll
	n, of := value.Place(m.Scene.Group)
	room, at := r.h-2, 0
	for i, g := range value.Groups {
		if g.State == roll.Running {
			at = i
			break
		}
	}
	first := min(max(at-room/2, 0), max(len(value.Groups)-room, 0))
	var body []string
	for _, g := range value.Groups[first:min(first+max(room, 0), len(value.Groups))] {
		l, lk := style.NewLine(st, r.w-2), groupLook(m.Styles, g)
		mark := " "
		if g.Name == m.Scene.Group {
			mark = st.Glyphs.Cursor
		}
		p := st.Text
		if lk.Pen == st.Off {
			p = st.Off
		}
		l.Begin(mark).Add(lk.Pen, lk.Glyph).Space(1).Fit(p, g.Name, 20).To(24)
		l.Fit(lk.Pen, g.Word(), 18).To(43)
		if g.Total > 0 {
			l.Add(st.Dim, fmt.Sprintf("%d/%d", g.Done, g.Total))
		}
		body = append(body, l.String())
	}
	bottom := ""
	if hidden := len(value.Groups) - len(body); hidden > 0 {
		bottom = fmt.Sprintf("%d more", hidden)
	}
	return style.Framed(st, st.Border, "groups", fmt.Sprintf("%d of %d", n, of), bottom, body, r.w, r.h, false)
}

// rollDialog tells how a roll ended. It opens by itself.
type rollDialog struct{ reader }

func (d *rollDialog) Title(m *Model) string {
	lk := style.Look{Glyph: m.Styles.Glyphs.Done, Pen: m.Styles.Good}
	if code := m.Scene.Roll.ExitCode(); code != 0 {
		lk = groupLook(m.Styles, roll.Group{State: roll.Finished, Code: code})
	}
	return lk.Glyph + " the roll: " + strings.SplitN(m.Scene.Roll.Sentence(), ";", 2)[0]
}

func (d *rollDialog) Body(m *Model, w int) []string {
	st, r := m.Styles, m.Scene.Roll
	var out []string
	for _, g := range r.Groups {
		lk := groupLook(m.Styles, g)
		glyph := lk.Glyph
		if st.Plain {
			glyph = ""
		}
		out = append(out, style.Paragraph(st, lk.Pen, glyph, m.Scene.Brief(g.Sentence()), w)...)
	}
	out = append(out, style.NewLine(st, w).String())
	out = append(out, style.Fact(st, "exit code", fmt.Sprint(r.ExitCode()), st.Title, w)...)
	if r.Stop != "" {
		out = append(out, style.Fact(st, "stopped", r.Stop, st.Warn, w)...)
	}
	if len(r.Names(roll.NotStarted)) > 0 {
		out = append(out, style.Fact(st, "to continue", r.Again, st.Text, w)...)
	}
	for _, g := range r.Groups {
		for i, what := range g.Left {
			if i == 0 {
				out = append(out, style.NewLine(st, w).String(), style.NewLine(st, w).Add(st.Warn, "not restored in "+g.Name+", with the command that restores it").String())
			}
			out = append(out, style.Paragraph(st, st.Text, st.Glyphs.Warning, what, w)...)
		}
	}
	return out
}

func (d *rollDialog) keys(m *Model, w int) string {
	return style.KeyLine(m.Styles, w, "q", "leave", "esc", "back to the board", d.moreKey(), "more")
}

func (d *rollDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	if key.String() == "q" {
		return quit(m)
	}
	return d.reader.key(m, key)
}

// notTurn says why there is no other run to show.
func notTurn(m *Model) string {
	if m.Scene.Roll == nil || len(m.Scene.Roll.Names(roll.Running)) < 2 {
		return "no other group is under way"
	}
	return ""
}
