package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// GroupRow is a group that can be picked.
type GroupRow struct {
	Name, Provider, Version string
	// Role is what its machines do in the cluster, "" where the provider does not tell.
	Role            string
	Nodes, Outdated int
	// Running says which run is under way in it, "" for none.
	Running string
	// Others names who else is at work on its nodes, "" for nobody.
	Others string
	// Refused says why the group cannot be upgraded, "" if it can.
	Refused string
}

// kind is a group's provider, and its role if it has one.
func (r GroupRow) kind() string { return strings.TrimSpace(r.Provider + " " + r.Role) }

// groupsEvery is how often the list of groups is read again while it is on the screen.
const groupsEvery = 5 * time.Second

// PickGroup lets the operator choose a group; ok is false when none was chosen.
// The groups are read again every few seconds by again, which may be nil. Of the
// options only the terminal, the look and ReadOnly are used: to watch, any group may
// be chosen.
func PickGroup(ctx context.Context, rows []GroupRow, again func(context.Context) ([]GroupRow, error), o Options) (name string, ok bool, err error) {
	pk := newPicker(rows, o)
	if again != nil {
		pk.again = func() tea.Msg {
			rows, err := again(ctx)
			return groupsMsg{rows, err}
		}
	}
	p := newProgram(ctx, o, pk)
	done := make(chan struct{})
	defer close(done)
	go follow(p, o.Appearances, done)
	if err := onTerminal(p, o, pk.tty); err != nil {
		if ctx.Err() != nil {
			return "", false, context.Cause(ctx)
		}
		return "", false, fmt.Errorf("choosing a group: %w", err)
	}
	return pk.picked, pk.picked != "", nil
}

// picker is a list of groups; it borrows the board's model for theme and size.
type picker struct {
	*Model
	all    []GroupRow
	rows   []GroupRow // of all, those that fit the filter
	text   string     // the filter
	cursor string
	picked string
	again  tea.Cmd // reads the groups again, nil for a list that stays as it is
	read   time.Time
	// problem is why they could not be read the last time, "" if they could.
	problem string
}

// groupsMsg is a new list of groups, or why there is none.
type groupsMsg struct {
	rows []GroupRow
	err  error
}

// againMsg: it is time to read the groups again.
type againMsg struct{}

func newPicker(rows []GroupRow, o Options) *picker {
	p := &picker{Model: newModel(o), all: rows}
	p.read = p.opts.Now()
	p.choose()
	return p
}

// follow takes a new list. A cursor whose group is gone is dropped: a key on its way
// must not hit a neighbour.
func (p *picker) follow() {
	was := p.cursor
	if p.choose(); p.cursor != was && was != "" {
		p.cursor = ""
		p.refuse(was + " is no longer listed")
	}
}

// choose works out which groups are shown. A cursor whose group is not among them
// goes to the first.
func (p *picker) choose() {
	f := parseFilter(p.text)
	p.rows = nil
	for _, r := range p.all {
		if f.mentioned(strings.Join([]string{r.Name, r.kind(), r.Version, r.Running, r.Others, r.Refused}, " ")) {
			p.rows = append(p.rows, r)
		}
	}
	if p.at() < 0 {
		p.cursor = ""
		if len(p.rows) > 0 {
			p.cursor = p.rows[0].Name
		}
	}
}

// at is the row under the cursor, -1 if there is none.
func (p *picker) at() int {
	return slices.IndexFunc(p.rows, func(r GroupRow) bool { return r.Name == p.cursor })
}

// Init asks the terminal what the board would, and for the groups in a while.
func (p *picker) Init() tea.Cmd { return tea.Batch(p.Model.Init(), p.later()) }

func (p *picker) later() tea.Cmd {
	if p.again == nil {
		return nil
	}
	return tea.Tick(groupsEvery, func(time.Time) tea.Msg { return againMsg{} })
}

// Update moves the cursor and picks.
func (p *picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case againMsg:
		return p, p.again
	case groupsMsg:
		p.dirty, p.problem = true, ""
		if msg.err != nil {
			p.problem = msg.err.Error()
		} else {
			p.all, p.read = msg.rows, p.opts.Now()
			p.follow()
		}
		return p, p.later()
	case tea.KeyPressMsg:
		p.dirty, p.notice = true, ""
		return p, p.press(msg)
	}
	_, cmd := p.Model.Update(msg)
	return p, cmd
}

func (p *picker) press(key tea.KeyPressMsg) tea.Cmd {
	at, k := p.at(), key.String()
	if p.blindToKeys() && k != "ctrl+c" {
		return nil
	}
	if p.search.open && k != "ctrl+c" && k != "up" && k != "down" {
		p.typeGroup(key)
		return nil
	}
	switch k {
	case "esc":
		if p.text != "" {
			p.text = ""
			p.choose()
			return nil
		}
		return tea.Quit
	case "q", "ctrl+c":
		return tea.Quit
	case "/":
		p.search = search{input: newInput(60), was: p.text, open: true}
		p.search.input.SetValue(p.text)
		return nil
	case "up", "k":
		at--
	case "down", "j":
		at++
	case "g", "home":
		at = 0
	case "G", "end":
		at = len(p.rows) - 1
	case "enter":
		if at < 0 {
			return nil
		}
		if r := p.rows[at]; r.Refused != "" && !p.opts.ReadOnly {
			p.refuse("cannot upgrade " + r.Name + ": " + r.Refused)
			return p.tick()
		}
		p.picked = p.cursor
		return tea.Quit
	}
	if len(p.rows) > 0 {
		p.cursor = p.rows[min(max(at, 0), len(p.rows)-1)].Name
	}
	return nil
}

// typeGroup handles a key while the filter is typed.
func (p *picker) typeGroup(key tea.KeyPressMsg) {
	switch key.String() {
	case "enter":
		p.search.open = false
		return
	case "esc":
		p.search.open = false
		p.text = p.search.was
	default:
		p.search.input, _ = p.search.input.Update(key)
		p.text = p.search.input.Value()
	}
	p.choose()
}

// View is the list.
func (p *picker) View() tea.View {
	if p.dirty {
		p.frame, p.dirty = p.render(), false
	}
	v := tea.NewView(p.frame)
	v.AltScreen, v.WindowTitle = true, p.marked("drainboard")
	return v
}

func (p *picker) render() string {
	if p.width <= 0 || p.height <= 0 {
		return ""
	}
	if p.width < leastWidth || p.height < leastHeight {
		return p.tooSmall()
	}
	st, w := p.st, p.width-2
	question := "   which group?"
	if p.opts.Cluster != "" {
		question = "   " + p.opts.Cluster + "   which group?"
	}
	out := []string{p.bare(question)}
	if p.mistake != "" {
		out = append(out, p.lineOf(p.mistakeBanner(), p.width))
	}
	h := p.height - len(out) - 1
	room := h - 3
	at := max(p.at(), 0)
	top := max(min(at-room/2, len(p.rows)-room), 0)

	body := []string{p.groupLine(newLine(st, w).space(1), st.dim, "group", "version", "provider", "outdated", "")}
	for _, r := range p.rows[top:min(top+room, len(p.rows))] {
		body = append(body, p.group(r, w))
	}
	switch {
	case len(p.all) == 0:
		body = append(body, newLine(st, w).space(1).add(st.text, "no groups were found in this cluster").String())
	case len(p.rows) == 0:
		body = append(body, newLine(st, w).space(1).add(st.dim, "no group is like that").String())
	}
	more := ""
	if len(p.rows) > room {
		more = fmt.Sprintf("%d of %d", at+1, len(p.rows))
	}
	right := ""
	if p.text != "" {
		right = fmt.Sprintf("/ %s   %d of %s", p.text, len(p.rows), count(len(p.all), "group"))
	}
	out = append(out, framed(st, st.border, "groups", right, more, body, p.width, h, true)...)
	return strings.Join(append(out, spaces(1)+p.footer(p.width-1)), "\n")
}

// footer is what can be pressed, what is typed, or what went wrong.
func (p *picker) footer(w int) string {
	st := p.st
	switch {
	case p.search.open:
		l := newLine(st, w).add(st.key, "/ ")
		typeCells(l, p.search.input, 24)
		return l.space(3).add(st.dim, "enter keeps it, esc drops it").String()
	case p.notice != "":
		return newLine(st, w).add(st.warn, "! "+p.notice).String()
	case p.problem != "":
		text := fmt.Sprintf("%s the groups are as of %s ago: %s", st.g.Warning, age(p.opts.Now().Sub(p.read)), p.problem)
		return newLine(st, w).add(st.bad, text).String()
	}
	enter := "plan and upgrade"
	if p.opts.ReadOnly {
		enter = "watch"
	}
	return keyLine(st, w, "enter", enter, "up/down", "move", "/", "filter", "q", "quit")
}

// group is a line of the list.
func (p *picker) group(r GroupRow, w int) string {
	st := p.st
	l := newLine(st, w)
	mark := " "
	if r.Name == p.cursor {
		mark, l.over = st.g.Cursor, &st.cursor
	}
	l.begin(mark)
	lk := look{st.g.Done, st.good}
	state := "up to date"
	switch {
	case r.Refused != "":
		lk, state = look{st.g.Skipped, st.off}, r.Refused
	case r.Running != "":
		lk, state = st.states[engine.Running], r.Running
		if l, known := st.states[engine.State(r.Running)]; known {
			lk = l
		}
	case r.Others != "":
		lk, state = st.states[engine.Running], r.Others+" at work"
	case r.Outdated > 0:
		lk, state = look{st.g.Outdated, st.warn}, "outdated"
	}
	outdated := fmt.Sprintf("%d of %d", r.Outdated, r.Nodes)
	return p.groupLine(l, lk.pen, r.Name, shortVersion(clean(r.Version)), r.kind(), outdated, lk.glyph+" "+state)
}

// groupLine lays the cells out: what a narrow terminal can do without goes first.
func (p *picker) groupLine(l *line, look pen, name, version, kind, outdated, state string) string {
	st := p.st
	n := min(max(l.w/4, 16), 40)
	const least, most = 9, 18
	kinds := least
	for _, r := range p.all {
		kinds = min(max(kinds, width(clean(r.kind()))), most)
	}
	l.fit(st.text, shorten(name, n, st.g.Ellipsis), n).space(2)
	if l.w >= stackedWidth-2 {
		l.fit(st.dim, shorten(version, min(l.w/6, 24), st.g.Ellipsis), min(l.w/6, 24)).space(1).fit(st.dim, kind, kinds).space(1)
	}
	return l.right(st.text, outdated, 10).space(2).add(look, state).String()
}
