package picker

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
)

// Group is a group that can be picked.
type Group struct {
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
func (r Group) kind() string { return strings.TrimSpace(r.Provider + " " + r.Role) }

// groupsEvery is how often the list of groups is read again while it is on the screen.
const groupsEvery = 5 * time.Second

// Options are the terminal and the look of a list of groups.
type Options struct {
	// Cluster is where the groups are; "" is not told.
	Cluster string
	// ReadOnly: to watch, any group may be chosen.
	ReadOnly bool
	// Appearance is the look, and Appearances are those that replace it as they come.
	Appearance  term.Appearance
	Appearances <-chan term.Appearance
	// Now is the local clock; nil means time.Now.
	Now func() time.Time
	// Input, Output and Environ are the terminal; nil means the process's own.
	Input   io.Reader
	Output  io.Writer
	Environ []string
}

// Pick lets the operator choose a group; ok is false when none was chosen.
// The groups are read again every few seconds by again, which may be nil.
func Pick(ctx context.Context, rows []Group, again func(context.Context) ([]Group, error), o Options) (name string, ok bool, err error) {
	pk := newPicker(rows, o)
	if again != nil {
		pk.again = func() tea.Msg {
			rows, err := again(ctx)
			return groupsMsg{rows, err}
		}
	}
	d := term.Device{Input: o.Input, Output: o.Output, Environ: o.Environ}
	if err := term.Run(term.NewProgram(ctx, d, pk), d, o.Appearances); err != nil {
		if ctx.Err() != nil {
			return "", false, context.Cause(ctx)
		}
		return "", false, fmt.Errorf("choosing a group: %w", err)
	}
	return pk.picked, pk.picked != "", nil
}

// picker is a list of groups.
type picker struct {
	term.Screen
	opts   Options
	all    []Group
	rows   []Group // of all, those that fit the filter
	text   string  // the filter
	cursor string
	picked string
	again  tea.Cmd // reads the groups again, nil for a list that stays as it is
	read   time.Time
	// readError is why they could not be read the last time, "" if they could.
	readError string
	// typing: the filter is typed into input; was is what it was before.
	typing bool
	input  textinput.Model
	was    string
	// notice says why something was not done, until the next key; noticed is since when.
	notice  string
	noticed time.Time
	frame   string
}

// groupsMsg is a new list of groups, or why there is none.
type groupsMsg struct {
	rows []Group
	err  error
}

// againMsg: it is time to read the groups again.
type againMsg struct{}

// noticeMsg: a notice may have been read by now.
type noticeMsg struct{}

func newPicker(rows []Group, o Options) *picker {
	if o.Now == nil {
		o.Now = time.Now
	}
	environ := o.Environ
	if environ == nil {
		environ = os.Environ()
	}
	p := &picker{Screen: term.NewScreen(environ, o.Appearance), opts: o, all: rows, read: o.Now()}
	p.filter()
	return p
}

// refuse says why something was not done.
func (p *picker) refuse(text string) { p.notice, p.noticed = text, p.opts.Now() }

// replace takes a new list. A cursor whose group is gone is dropped: a key on its way
// must not hit a neighbour.
func (p *picker) replace() {
	was := p.cursor
	if p.filter(); p.cursor != was && was != "" {
		p.cursor = ""
		p.refuse(was + " is no longer listed")
	}
}

// filter works out which groups are shown. A cursor whose group is not among them
// goes to the first.
func (p *picker) filter() {
	f := scene.ParseFilter(p.text)
	p.rows = nil
	for _, r := range p.all {
		if f.MatchesText(strings.Join([]string{r.Name, r.kind(), r.Version, r.Running, r.Others, r.Refused}, " ")) {
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
	return slices.IndexFunc(p.rows, func(r Group) bool { return r.Name == p.cursor })
}

// Init asks the terminal what the board would, and for the groups in a while.
func (p *picker) Init() tea.Cmd { return tea.Batch(p.Start(), p.later()) }

func (p *picker) later() tea.Cmd {
	if p.again == nil {
		return nil
	}
	return tea.Tick(groupsEvery, func(time.Time) tea.Msg { return againMsg{} })
}

// Update moves the cursor and picks.
func (p *picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd, changed := p.update(msg)
	if changed {
		p.frame = p.render()
	}
	return p, cmd
}

func (p *picker) update(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	if p.Learn(msg) {
		return nil, true
	}
	switch msg := msg.(type) {
	case againMsg:
		return p.again, false
	case groupsMsg:
		p.readError = ""
		if msg.err != nil {
			p.readError = msg.err.Error()
		} else {
			p.all, p.read = msg.rows, p.opts.Now()
			p.replace()
		}
		return p.later(), true
	case noticeMsg:
		if p.notice != "" && p.opts.Now().Sub(p.noticed) >= term.NoticeTime {
			p.notice = ""
		}
		return nil, true
	case tea.KeyPressMsg:
		p.notice = ""
		return p.press(msg), true
	case tea.PasteMsg:
		if p.typing && !p.TooSmall() {
			p.typeText(msg)
			return nil, true
		}
	}
	return nil, false
}

func (p *picker) press(key tea.KeyPressMsg) tea.Cmd {
	at, k := p.at(), key.String()
	if p.TooSmall() && k != "ctrl+c" {
		return nil
	}
	if p.typing && k != "ctrl+c" && k != "up" && k != "down" {
		p.typeGroup(key)
		return nil
	}
	switch k {
	case "esc":
		if p.text != "" {
			p.text = ""
			p.filter()
			return nil
		}
		return tea.Quit
	case "q", "ctrl+c":
		return tea.Quit
	case "/":
		p.input, p.was, p.typing = style.NewInput(60), p.text, true
		p.input.SetValue(p.text)
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
			return tea.Tick(term.NoticeTime, func(time.Time) tea.Msg { return noticeMsg{} })
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
		p.typing = false
		return
	case "esc":
		p.typing = false
		p.text = p.was
		p.filter()
	default:
		p.typeText(key)
	}
}

// typeText gives the filter what was typed or pasted.
func (p *picker) typeText(msg tea.Msg) {
	p.input, _ = p.input.Update(msg)
	p.text = p.input.Value()
	p.filter()
}

// View is the list.
func (p *picker) View() tea.View {
	v := tea.NewView(p.frame)
	v.AltScreen, v.WindowTitle = true, p.Marked("drainboard")
	return v
}

func (p *picker) render() string {
	if p.Width <= 0 || p.Height <= 0 {
		return ""
	}
	if p.Width < term.LeastWidth || p.Height < term.LeastHeight {
		return p.TooSmallText("")
	}
	st, w := p.Styles, p.Width-2
	question := "   which group?"
	if p.opts.Cluster != "" {
		question = "   " + p.opts.Cluster + "   which group?"
	}
	out := []string{p.BareHeader(question)}
	if text := p.Problem(); text != "" {
		out = append(out, style.BannerLine(st, st.Calm, text, p.Width))
	}
	h := p.Height - len(out) - 1
	room := h - 3
	at := max(p.at(), 0)
	top := max(min(at-room/2, len(p.rows)-room), 0)

	body := []string{p.groupLine(style.NewLine(st, w).Space(1), st.Dim, "group", "version", "provider", "outdated", "")}
	for _, r := range p.rows[top:min(top+room, len(p.rows))] {
		body = append(body, p.group(r, w))
	}
	switch {
	case len(p.all) == 0:
		body = append(body, style.NewLine(st, w).Space(1).Add(st.Text, "no groups were found in this cluster").String())
	case len(p.rows) == 0:
		body = append(body, style.NewLine(st, w).Space(1).Add(st.Dim, "no group matches").String())
	}
	more := ""
	if len(p.rows) > room {
		more = fmt.Sprintf("%d of %d", at+1, len(p.rows))
	}
	right := ""
	if p.text != "" {
		right = fmt.Sprintf("/ %s   %d of %s", p.text, len(p.rows), style.Count(len(p.all), "group"))
	}
	out = append(out, style.Framed(st, st.Border, "groups", right, more, body, p.Width, h, true)...)
	return strings.Join(append(out, style.Spaces(1)+p.footer(p.Width-1)), "\n")
}

// footer is what can be pressed, what is typed, or what went wrong.
func (p *picker) footer(w int) string {
	st := p.Styles
	switch {
	case p.typing:
		l := style.NewLine(st, w).Add(st.Key, "/ ")
		style.DrawInput(l, p.input, 24)
		return l.Space(3).Add(st.Dim, "enter keeps it, esc clears it").String()
	case p.notice != "":
		return style.NewLine(st, w).Add(st.Warn, "! "+p.notice).String()
	case p.readError != "":
		text := fmt.Sprintf("%s the groups are as of %s ago: %s", st.Glyphs.Warning, style.Age(p.opts.Now().Sub(p.read)), p.readError)
		return style.NewLine(st, w).Add(st.Bad, text).String()
	}
	enter := "plan and upgrade"
	if p.opts.ReadOnly {
		enter = "watch"
	}
	return style.KeyLine(st, w, "enter", enter, "up/down", "move", "/", "filter", "q", "quit")
}

// group is a line of the list.
func (p *picker) group(r Group, w int) string {
	st := p.Styles
	l := style.NewLine(st, w)
	mark := " "
	if r.Name == p.cursor {
		mark, l.Over = st.Glyphs.Cursor, &st.Cursor
	}
	l.Begin(mark)
	lk := style.Look{Glyph: st.Glyphs.Done, Pen: st.Good}
	state := "up to date"
	switch {
	case r.Refused != "":
		lk, state = style.Look{Glyph: st.Glyphs.Skipped, Pen: st.Off}, r.Refused
	case r.Running != "":
		lk, state = st.States[record.Running], r.Running
		if l, known := st.States[record.State(r.Running)]; known {
			lk = l
		}
	case r.Others != "":
		lk, state = st.States[record.Running], r.Others+" busy"
	case r.Outdated > 0:
		lk, state = style.Look{Glyph: st.Glyphs.Outdated, Pen: st.Warn}, "outdated"
	}
	outdated := fmt.Sprintf("%d of %d", r.Outdated, r.Nodes)
	return p.groupLine(l, lk.Pen, r.Name, style.ShortVersion(style.Clean(r.Version)), r.kind(), outdated, lk.Glyph+" "+state)
}

// groupLine lays the cells out: what a narrow terminal can do without goes first.
func (p *picker) groupLine(l *style.Line, look style.Pen, name, version, kind, outdated, state string) string {
	st := p.Styles
	n := min(max(l.Width/4, 16), 40)
	const least, most = 9, 18
	kinds := least
	for _, r := range p.all {
		kinds = min(max(kinds, style.Width(style.Clean(r.kind()))), most)
	}
	l.Fit(st.Text, style.Shorten(name, n, st.Glyphs.Ellipsis), n).Space(2)
	if l.Width >= term.StackedWidth-2 {
		l.Fit(st.Dim, style.Shorten(version, min(l.Width/6, 24), st.Glyphs.Ellipsis), min(l.Width/6, 24)).Space(1).Fit(st.Dim, kind, kinds).Space(1)
	}
	return l.Right(st.Text, outdated, 10).Space(2).Add(look, state).String()
}
