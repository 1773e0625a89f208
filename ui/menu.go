package ui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/style"
)

// menu lists everything that can be done here, with the reason where it cannot be
// now; typing narrows it, and enter does what is chosen.
type menu struct {
	input textinput.Model
	at    string // the name of the action under the cursor
	// long has the menu explain itself: what each key does, and what the signs mean.
	long bool
	top  int
}

func newMenu(long bool) *menu { return &menu{input: style.NewInput(60), long: long} }

func (d *menu) Title(*Model) string {
	if d.long {
		return "Actions"
	}
	return "Which action?"
}

// entries are the actions that have all the words typed.
func (d *menu) entries(m *Model) []*Action {
	words := strings.Fields(strings.ToLower(d.input.Value()))
	var out []*Action
	for _, a := range m.Actions {
		text := strings.ToLower(a.Name + " " + a.Show + " " + a.help)
		if (d.long || a.do != nil) && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			out = append(out, a)
		}
	}
	return out
}

// chosen is the action under the cursor, the first one without.
func (d *menu) chosen(list []*Action) *Action {
	for _, a := range list {
		if a.Name == d.at {
			return a
		}
	}
	if len(list) > 0 {
		return list[0]
	}
	return nil
}

func (d *menu) Body(m *Model, w int) []string {
	out, _ := d.content(m, w)
	return out
}

func (d *menu) content(m *Model, w int) (out []string, cursor span) {
	st := m.Styles
	l := style.NewLine(st, w).Add(st.Key, ": ")
	style.DrawInput(l, d.input, min(l.Left(), 40))
	out = []string{l.String(), style.NewLine(st, w).String()}
	list := d.entries(m)
	chosen := d.chosen(list)
	if chosen == nil {
		return append(out, style.NewLine(st, w).Add(st.Dim, "no action has that name").String()), cursor
	}
	for _, a := range list {
		if a == chosen {
			cursor.from = len(out)
		}
		out = append(out, d.entry(m, a, a == chosen, w)...)
		if a == chosen {
			cursor.to = len(out)
		}
	}
	if d.long && d.input.Value() == "" {
		out = append(out, legend(st, w)...)
	}
	return out, cursor
}

// entry is an action with its key, what it does, and why not now.
func (d *menu) entry(m *Model, a *Action, chosen bool, w int) []string {
	st := m.Styles
	const column = 14
	why := m.Why(a)
	key, p, mark := a.Show, st.Key, " "
	if why != "" {
		key, p = "("+a.Show+")", st.Off
	}
	if chosen {
		mark = st.Glyphs.Cursor
	}
	start := func(mark string) *style.Line {
		l := style.NewLine(st, w)
		if chosen {
			l.Over = &st.Cursor
		}
		return l.Begin(mark)
	}
	if !d.long {
		l := start(mark).Fit(p, key, column-2).Space(1)
		if why == "" {
			l.Add(st.Text, a.Name)
		} else {
			l.Add(st.Off, a.Name).Add(st.Warn, "  not now: "+why)
		}
		return []string{l.String()}
	}
	var out []string
	for i, part := range style.Wrap(a.help, w-column) {
		l := start(" ")
		if i == 0 {
			l = start(mark).Add(p, key)
		}
		out = append(out, l.To(column).Add(st.Text, part).String())
	}
	if why != "" {
		for _, part := range style.Wrap("not now: "+why, w-column) {
			out = append(out, start(" ").To(column).Add(st.Warn, part).String())
		}
	}
	return out
}

// legend says what the signs mean.
func legend(st *style.Styles, w int) []string {
	out := []string{style.NewLine(st, w).String(), style.NewLine(st, w).Add(st.Title, "signs").String()}
	l := style.NewLine(st, w)
	for _, s := range []record.Stage{record.Outdated, record.Queued, record.Draining, record.Settling, record.Terminating, record.Replaced,
		record.Launching, record.Ready, record.Surplus, record.Unreachable, record.NodeFail, record.Skipped} {
		if l.Left() < 14 {
			out, l = append(out, l.String()), style.NewLine(st, w)
		}
		lk := st.Stages[s]
		l.Fit(lk.Pen, lk.Glyph+" "+string(s), 14)
	}
	out = append(out, l.String())
	out = append(out, style.NewLine(st, w).Add(st.Warn, st.Glyphs.Blocked).Add(st.Text, " blocked: only an operator or time resolves it").String())
	return append(out, style.NewLine(st, w).Add(st.Text, "3/17 pods: 3 of 17 remain to be moved").String())
}

func (d *menu) first() int { return d.top }

// fit keeps the action under the cursor in sight.
func (d *menu) fit(lines, room int, cursor span) {
	d.top = min(max(d.top, cursor.to-room), cursor.from, max(lines-room, 0))
	if cursor.from <= 2 {
		d.top = 0
	}
}

func (d *menu) keys(m *Model, w int) string {
	return style.KeyLine(m.Styles, w, "enter", "do it", "up/down", "choose", "esc", "close")
}

func (d *menu) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	list := d.entries(m)
	chosen := d.chosen(list)
	at := slices.Index(list, chosen)
	switch k := key.String(); k {
	case "esc":
		m.Close()
		return nil
	case "enter":
		if chosen == nil || chosen.do == nil {
			return nil
		}
		if m.Why(chosen) == "" {
			m.Close()
		}
		return m.Do(chosen)
	case "up", "ctrl+p", "shift+tab":
		at--
	case "down", "ctrl+n", "tab":
		at++
	case "pgup":
		at -= 8
	case "pgdown":
		at += 8
	default:
		d.input, _ = d.input.Update(key)
		d.at, d.top = "", 0
		return nil
	}
	if len(list) > 0 {
		d.at = list[min(max(at, 0), len(list)-1)].Name
	}
	return nil
}

func (d *menu) paste(msg tea.PasteMsg) { d.input, _ = d.input.Update(msg) }

func (d *menu) refresh(*Model) {}

// tourSteps explain the screen, one after the other.
var tourSteps = []struct{ title, text string }{
	{"how will it end", "The first line is the forecast: the run is rehearsed in a copy of the cluster all the time. It tells how long the run still takes, or when it will fail and why. It is red only when the run will not end well."},
	{"the nodes", "The table has a line for each node: stage, version, pods that have still to leave, what it waits for and how long. Urgent nodes come first. o sorts by another column, / filters, z zooms, enter tells all of a node."},
	{"the whole group", "Each sign in the strip is a node: ○ outdated, ▼ draining, ⚑ blocked, ▽ settling, △ launching, ● ready. T shows the pace, and the nodes replaced over time against the forecast."},
	{"what blocks a pod", "A PDB that allows no disruption keeps its pods on their node. The blocked panel names the pod, the PDB and its numbers, a way out, and the time until the node fails. In this demo w scales the workload up, as a user would."},
	{"your turn", "The canary goes first and is watched; then the others wait for your approval: a shows what will go before you confirm. p pauses, s skips a node, f forces a pod past its PDB after you type its name, x aborts and restores."},
	{"where the pods went", "W lists the workloads whose pods were moved: Ready again, Pending with the scheduler's reason, or crash-looping. The log has every change, with the kubectl or aws command that does the same. ? lists all keys, q leaves."},
}

// tourDialog is the tour of the screen.
type tourDialog struct {
	reader
	step int
}

func (d *tourDialog) Title(*Model) string {
	return fmt.Sprintf("tour %d of %d: %s", d.step+1, len(tourSteps), tourSteps[d.step].title)
}

func (d *tourDialog) Body(m *Model, w int) []string {
	g := m.Styles.Glyphs
	signs := strings.NewReplacer("○", g.Outdated, "▼", g.Draining, "⚑", g.Blocked, "▽", g.Settling, "△", g.Launching, "●", g.Ready)
	return style.Paragraph(m.Styles, m.Styles.Text, "", signs.Replace(tourSteps[d.step].text), w)
}

func (d *tourDialog) keys(m *Model, w int) string {
	next := "next"
	if d.step == len(tourSteps)-1 {
		next = "to the demo"
	}
	back := "left"
	if d.step == 0 {
		back = ""
	}
	return style.KeyLine(m.Styles, w, "enter", next, back, "before", "esc", "ends the tour")
}

func (d *tourDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "enter", "right", "space":
		if d.step++; d.step == len(tourSteps) {
			d.step--
			m.Close()
		}
	case "left":
		d.step = max(d.step-1, 0)
	default:
		return d.reader.key(m, key)
	}
	return nil
}
