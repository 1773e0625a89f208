package ui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// filter chooses nodes by words, all of which must fit: a text that is part of
// what the row shows, "blocked", or zone=, stage=, version= and batch=. A word
// that begins with ! must not fit.
type filter []needle

// needle is one word of a filter.
type needle struct {
	key, value string
	not        bool
}

func parseFilter(text string) filter {
	var f filter
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		word, not := strings.CutPrefix(word, "!")
		if word == "" || strings.HasSuffix(word, "=") {
			continue // it is still being typed
		}
		t := needle{value: word, not: not}
		if key, value, found := strings.Cut(word, "="); found {
			switch key {
			case "zone", "stage", "version", "batch":
				t.key, t.value = key, value
			}
		}
		f = append(f, t)
	}
	return f
}

// fits reports whether a node is among those that are looked for.
func (f filter) fits(r *engine.NodeRow) bool {
	for _, t := range f {
		if t.node(r) == t.not {
			return false
		}
	}
	return true
}

func (t needle) node(r *engine.NodeRow) bool {
	switch t.key {
	case "zone": // its end is what tells zones apart, its beginning is the region
		zone := strings.ToLower(r.Zone)
		return strings.HasSuffix(zone, t.value) || strings.HasPrefix(zone, t.value)
	case "stage":
		return strings.HasPrefix(string(r.Stage), t.value)
	case "version":
		return strings.HasPrefix(strings.ToLower(shortVersion(r.Version)), strings.TrimPrefix(t.value, "v"))
	case "batch":
		return fmt.Sprint(r.Batch) == t.value
	}
	if t.value == "blocked" && r.Blocked || t.value == "detached" && r.Detached {
		return true
	}
	for _, s := range []string{r.Name, r.ID, string(r.Stage), r.Version, r.Zone, r.Note} {
		if strings.Contains(strings.ToLower(s), t.value) {
			return true
		}
	}
	return false
}

// mentioned reports whether a line of the log has the words of the filter.
func (f filter) mentioned(line string) bool {
	line = strings.ToLower(line)
	for _, t := range f {
		word := t.value
		if t.key != "" {
			word = t.key + "=" + t.value
		}
		if strings.Contains(line, word) == t.not {
			return false
		}
	}
	return true
}

// problem reports whether a node needs a look by somebody.
func problem(r *engine.NodeRow) bool {
	return r.Blocked || r.Stage == engine.NodeFail || r.Stage == engine.Unreachable || notReady(r)
}

// search is the line in which a filter is typed. What is typed holds at once.
type search struct {
	input textinput.Model
	was   string // before it was opened, for esc
	open  bool
}

// filterOf is the text of the filter of the pane that has the keyboard.
func (m *Model) filterOf() string {
	if m.focus == logPane {
		return m.log.text
	}
	return m.nodes.text
}

// setFilter gives that pane another filter.
func (m *Model) setFilter(text string) {
	if m.focus == logPane {
		m.log.search(text)
		return
	}
	m.nodes.text = text
	m.nodes.arrange(m.sc)
}

// startSearch opens the line for typing.
func startSearch(m *Model) tea.Cmd {
	if m.focus == blockedPane {
		m.focus = nodesPane // what blocks is never hidden
	}
	text := m.filterOf()
	m.search = search{input: newInput(100), was: text, open: true}
	m.search.input.SetValue(text)
	m.search.input.CursorEnd()
	return nil
}

// typeSearch handles a key while the line is open.
func (m *Model) typeSearch(key tea.KeyPressMsg) {
	s := &m.search
	switch key.String() {
	case "enter":
		s.open = false
	case "esc":
		s.open = false
		m.setFilter(s.was)
	case "up", "down", "pgup", "pgdown":
		m.navigate(key.String())
	default:
		s.input, _ = s.input.Update(key)
		m.setFilter(s.input.Value())
	}
}

// searchLine is the footer while a filter is typed.
func (m *Model) searchLine(w int) string {
	st := m.st
	l := newLine(st, w).space(1).add(st.key, "/ ")
	const least = 16 // cells for what is typed
	hint, found := "enter keeps it, esc drops it", m.found()
	if more := "text !text blocked zone=a stage=drain   "; l.left() >= least+width(found)+width(more+hint)+6 && m.focus != logPane {
		hint = more + hint
	}
	typeCells(l, m.search.input, max(l.left()-width(found)-width(hint)-6, least))
	return l.space(3).add(st.text, found).space(3).add(st.dim, hint).String()
}

// found says how much of the whole fits the filter.
func (m *Model) found() string {
	if m.focus == logPane {
		return fmt.Sprintf("%d of %s", m.log.count(m.sc), count(len(m.sc.Events), "line"))
	}
	return fmt.Sprintf("%d of %s", m.nodes.shown(), count(len(m.sc.rows), "node"))
}

// choiceLine says which nodes the tables show and how, "" when they show all in
// the usual order.
func (m *Model) choiceLine(w int) string {
	t, st := &m.nodes, m.st
	if !t.chosen() {
		return ""
	}
	l := newLine(st, w).space(1)
	sep := func() {
		if l.at > 1 {
			l.space(3)
		}
	}
	if t.text != "" {
		l.add(st.key, "/ ").add(st.title, t.text)
	}
	if t.problems {
		sep()
		l.add(st.warn, "problems only")
	}
	if t.filtered() {
		sep()
		p := st.text
		if t.shown() == 0 {
			p = st.warn
		}
		l.add(p, fmt.Sprintf("%d of %s", t.shown(), count(len(m.sc.rows), "node")))
		if hidden := t.hiddenProblems(m.sc); hidden > 0 {
			sep()
			l.add(st.warn, fmt.Sprintf("%s %s hidden", st.g.Warning, count(hidden, "problem")))
		}
	}
	if t.order != byName {
		sep()
		l.add(st.text, "sorted by "+string(t.order))
	}
	if n := len(t.marks); n > 0 {
		sep()
		l.add(st.key, st.g.Mark).add(st.text, fmt.Sprintf(" %d marked", n))
	}
	if t.filtered() || len(t.marks) > 0 {
		what := "esc shows all"
		if !t.filtered() {
			what = "esc drops the marks"
		}
		sep()
		l.add(st.dim, what)
	}
	return l.String()
}

// newInput is a line to type in, of at most n characters.
func newInput(n int) textinput.Model {
	in := textinput.New()
	in.CharLimit = n
	in.Focus()
	return in
}

// typeCells draws what is typed in at most w cells; of a text that is too long its
// end, where names differ.
func typeCells(l *line, in textinput.Model, w int) {
	value := []rune(clean(in.Value()))
	at := min(in.Position(), len(value))
	under := " "
	if at < len(value) {
		under = string(value[at])
	}
	from := max(0, at-max(w-2, 1))
	l.add(l.st.input, string(value[from:at])).add(l.st.inputCursor, under)
	if at+1 < len(value) {
		l.add(l.st.input, string(value[at+1:]))
	}
}
