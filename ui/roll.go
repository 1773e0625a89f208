package ui

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// A dashboard of a roll goes from the run of one group to that of the next. Between two
// of them the last one stays on the screen.

// allOver reports whether a scene's run has ended, and no run of its roll is to follow.
func (sc *scene) allOver() bool {
	return sc != nil && sc.State == engine.Finished && (sc.Roll == nil || sc.Roll.Over())
}

// allOver reports whether nothing more will come.
func (m *Model) allOver() bool { return m.sc.allOver() }

// between reports whether the run has ended and its roll goes on.
func (m *Model) between() bool { return m.over() && !m.allOver() }

// another reports whether a snapshot is of another run of the roll than the one shown.
func (m *Model) another(s *engine.Snapshot) bool {
	return m.sc != nil && s.Roll != nil && m.sc.Roll != nil && (s.Group != m.sc.Group || s.RunID != m.sc.RunID)
}

// turned makes room for another run: what was asked and marked was of the one before, and
// so is a key that is on its way.
func (m *Model) turned(s *engine.Snapshot) {
	m.dismiss()
	m.focus = nodesPane
	m.nodes.marks, m.nodes.cursor, m.nodes.tops = nil, "", nil
	m.blockers.cursor, m.log.cursor, m.approved = "", 0, ""
	m.late, m.attention.told = nil, nil
	m.grace.begin(m.opts.Now())
	n, of := s.Roll.Place(s.Group)
	m.say(fmt.Sprintf("the group %s now, %d of %d", s.Group, n, of))
}

// lastDialog is what a dashboard ends with: how the run ended, or the roll.
func (m *Model) lastDialog() dialog {
	if m.sc.Roll != nil && m.allOver() {
		return &rollDialog{}
	}
	return newEndDialog()
}

// endsWithIt says what of a roll an abort of the run ends, "" if nothing.
func (sc *scene) endsWithIt() string {
	if sc.Roll == nil {
		return ""
	}
	return strings.TrimSuffix("the roll ends with it: "+sc.notToBegin(), ": ")
}

// heldWithIt says what of a roll waits when its dashboard is left, "" if nothing.
func (sc *scene) heldWithIt() string {
	if sc.Roll == nil || sc.notToBegin() == "" {
		return ""
	}
	return "The roll is held: " + sc.notToBegin() + "."
}

// notToBegin says which groups of a roll would not be started any more, "" if none.
func (sc *scene) notToBegin() string {
	names := sc.Roll.Names(engine.RollWaiting)
	if sc.State == engine.Finished {
		names = append(sc.next(), names...) // they are read, and have not begun
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0] + " is not started"
	}
	return list(names) + " are not started"
}

// next are the groups whose turn has come beside the one that is shown.
func (sc *scene) next() (names []string) {
	for _, name := range sc.Roll.Names(engine.RollRunning) {
		if name != sc.Group {
			names = append(names, name)
		}
	}
	return names
}

// again is the command that goes on with a run, or with its roll.
func (m *Model) again() string {
	if r := m.sc.Roll; r != nil && r.Again != "" {
		return r.Again
	}
	return cmp.Or(m.opts.Again, "drainboard upgrade "+m.sc.Group)
}

// betweenText says what comes next, and how the run ended.
func (sc *scene) betweenText() string {
	text := sc.ofRoll().Sentence()
	if next := sc.next(); len(next) > 0 {
		return "Next: " + list(next) + ", being read. " + text
	}
	return text
}

// ofRoll is what the roll knows of the group that is shown.
func (sc *scene) ofRoll() engine.RollGroup {
	for _, g := range sc.Roll.Groups {
		if g.Name == sc.Group {
			return g
		}
	}
	return engine.RollGroup{Name: sc.Group}
}

// groupLook tells at a glance how a group of a roll stands.
func (m *Model) groupLook(g engine.RollGroup) look {
	st := m.st
	switch g.State {
	case engine.RollWaiting:
		return look{st.g.Todo, st.dim}
	case engine.RollRunning:
		return look{st.g.Running, st.active}
	case engine.RollLeftOut, engine.RollNotStarted:
		return look{st.g.Skipped, st.off}
	}
	switch {
	case g.Code == 0:
		return look{st.g.Done, st.good}
	case !g.Bad():
		return look{st.g.Done, st.warn}
	case g.Code == engine.Aborted.ExitCode():
		return look{st.g.Ended, st.warn}
	case g.Word() == string(engine.Paused):
		return look{st.g.Paused, st.warn}
	}
	return look{st.g.Failed, st.bad}
}

// rollLine is a roll in a line, in the fullest form that fits: all its groups by name;
// those under way and those that went wrong, and how many others there are; those under
// way, and how many of all others.
func (m *Model) rollLine(w int) string {
	for named := range 3 {
		if l := m.rollForm(w, named); l.left() > 0 || named == 2 {
			return l.String()
		}
	}
	return ""
}

// rollForm is the line with the names of all groups (0), of those under way and those that
// went wrong (1), or of those under way (2).
func (m *Model) rollForm(w, form int) *line {
	st := m.st
	l := newLine(st, w).space(1).add(st.dim, "roll:")
	var words []string
	counts, looks := map[string]int{}, map[string]look{}
	for _, g := range m.sc.Roll.Groups {
		lk := m.groupLook(g)
		switch {
		case g.State == engine.RollLeftOut:
		case form == 0, g.State == engine.RollRunning, form == 1 && g.Bad():
			l.space(2).add(lk.pen, lk.glyph+" ").add(st.text, groupText(g))
		default:
			word := string(g.State)
			if g.Bad() {
				word = "failed"
			} else if g.State == engine.RollFinished {
				word = "done"
			}
			if counts[word]++; counts[word] == 1 {
				words, looks[word] = append(words, word), lk
			}
		}
	}
	for _, word := range words {
		l.space(2).add(looks[word].pen, looks[word].glyph+" ").add(st.text, fmt.Sprintf("%d %s", counts[word], word))
	}
	return l
}

// groupText is a group in the line of a roll: a word for what is not as it should be, and
// its nodes while they are rolled.
func groupText(g engine.RollGroup) string {
	switch {
	case g.State == engine.RollRunning && g.Total > 0:
		return fmt.Sprintf("%s %d/%d", g.Name, g.Done, g.Total)
	case g.State == engine.RollRunning:
		return g.Name + " ..."
	case g.Code != 0:
		return g.Name + " " + g.Word()
	case g.State == engine.RollNotStarted:
		return g.Name + " not started"
	}
	return g.Name
}

// groupLines is the panel of a roll: a group a line, those before the one under way left
// out where there is no room.
func (m *Model) groupLines(r rect) []string {
	st, roll := m.st, m.sc.Roll
	n, of := roll.Place(m.sc.Group)
	room, at := r.h-2, 0
	for i, g := range roll.Groups {
		if g.State == engine.RollRunning {
			at = i
			break
		}
	}
	first := min(max(at-room/2, 0), max(len(roll.Groups)-room, 0))
	var body []string
	for _, g := range roll.Groups[first:min(first+max(room, 0), len(roll.Groups))] {
		l, lk := newLine(st, r.w-2), m.groupLook(g)
		mark := " "
		if g.Name == m.sc.Group {
			mark = st.g.Cursor
		}
		p := st.text
		if lk.pen == st.off {
			p = st.off
		}
		l.begin(mark).add(lk.pen, lk.glyph).space(1).fit(p, g.Name, 20).to(24)
		l.fit(lk.pen, g.Word(), 18).to(43)
		if g.Total > 0 {
			l.add(st.dim, fmt.Sprintf("%d/%d", g.Done, g.Total))
		}
		body = append(body, l.String())
	}
	bottom := ""
	if hidden := len(roll.Groups) - len(body); hidden > 0 {
		bottom = fmt.Sprintf("%d more", hidden)
	}
	return framed(st, st.border, "groups", fmt.Sprintf("%d of %d", n, of), bottom, body, r.w, r.h, false)
}

// rollDialog tells how a roll ended. It opens by itself.
type rollDialog struct{ reader }

func (d *rollDialog) title(m *Model) string {
	lk := look{m.st.g.Done, m.st.good}
	if code := m.sc.Roll.ExitCode(); code != 0 {
		lk = m.groupLook(engine.RollGroup{State: engine.RollFinished, Code: code})
	}
	return lk.glyph + " the roll: " + strings.SplitN(m.sc.Roll.Sentence(), ";", 2)[0]
}

func (d *rollDialog) body(m *Model, w int) []string {
	st, roll := m.st, m.sc.Roll
	var out []string
	for _, g := range roll.Groups {
		lk := m.groupLook(g)
		glyph := lk.glyph
		if st.plain {
			glyph = ""
		}
		out = append(out, para(st, lk.pen, glyph, m.sc.brief(g.Sentence()), w)...)
	}
	out = append(out, newLine(st, w).String())
	out = append(out, named(st, "exit code", fmt.Sprint(roll.ExitCode()), st.title, w)...)
	if roll.Stop != "" {
		out = append(out, named(st, "stopped", roll.Stop, st.warn, w)...)
	}
	if len(roll.Names(engine.RollNotStarted)) > 0 {
		out = append(out, named(st, "to go on", roll.Again, st.text, w)...)
	}
	for _, g := range roll.Groups {
		for i, what := range g.Left {
			if i == 0 {
				out = append(out, newLine(st, w).String(), newLine(st, w).add(st.warn, "left behind in "+g.Name+", with what puts it back").String())
			}
			out = append(out, para(st, st.text, st.g.Warning, what, w)...)
		}
	}
	return out
}

func (d *rollDialog) keys(m *Model, w int) string {
	return keyLine(m.st, w, "q", "leave", "esc", "look at the board", d.moreKey(), "more")
}

func (d *rollDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	if key.String() == "q" {
		return quit(m)
	}
	return d.reader.key(m, key)
}

// rollNews is what wants a person when the run of a group has ended: that it went wrong,
// or that all is over.
func (m *Model) rollNews() []news {
	sc := m.sc
	switch g := sc.ofRoll(); {
	case m.allOver():
		return []news{{"finished", "the roll: " + sc.Roll.Sentence()}}
	case g.Bad():
		return []news{{"finished " + g.Name, sc.brief(g.Sentence())}}
	}
	return nil
}

// notTurn says why there is no other run to show.
func notTurn(m *Model) string {
	if m.sc.Roll == nil || len(m.sc.Roll.Names(engine.RollRunning)) < 2 {
		return "no other group is under way"
	}
	return ""
}
