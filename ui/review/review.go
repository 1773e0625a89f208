package review

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
)

// Options are the terminal and the look of a review.
type Options struct {
	// Compare works out the comparison, on its own goroutine; nil: there is none.
	Compare func(context.Context) (Comparison, error)
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

// Answer is what was decided.
type Answer struct {
	// Start: the plan is to be started.
	Start bool
	// Variant is which settings of the comparison were taken, 0 for those given.
	Variant int
}

// grace is for how long after the plan has come keys are ignored: they were typed before.
const grace = 425 * time.Millisecond

// Show shows a plan until it is decided.
func Show(ctx context.Context, p Plan, o Options) (Answer, error) {
	r := newReview(p, o)
	if o.Compare != nil {
		r.compare = func() tea.Msg {
			c, err := o.Compare(ctx)
			return comparedMsg{c, err}
		}
	}
	d := term.Device{Input: o.Input, Output: o.Output, Environ: o.Environ}
	if err := term.Run(term.NewProgram(ctx, d, r), d, o.Appearances); err != nil {
		if ctx.Err() != nil {
			return Answer{}, context.Cause(ctx)
		}
		return Answer{}, fmt.Errorf("showing the plan: %w", err)
	}
	return r.answer, nil
}

// comparedMsg is a comparison, or why there is none.
type comparedMsg struct {
	Comparison
	err error
}

// noticeMsg: a notice may have been read by now.
type noticeMsg struct{}

// review is a plan on the screen.
type review struct {
	term.Screen
	now    func() time.Time
	plan   Plan
	answer Answer
	// later: enter is "not now".
	later bool
	shown time.Time // when the first frame was drawn

	top, most int   // of the lines that are scrolled
	heads     []int // the lines at which sections begin
	drawn     []string
	drawnFor  drawing // what drawn are the lines of

	// comparing: the comparison is on the screen. It is worked out once, by compare.
	comparing bool
	compare   tea.Cmd
	asked     bool
	compared  *Comparison
	failed    string // why there is none
	cursor    int    // of its variants

	notice  string
	noticed time.Time
	frame   string
}

func newReview(p Plan, o Options) *review {
	if o.Now == nil {
		o.Now = time.Now
	}
	environ := o.Environ
	if environ == nil {
		environ = os.Environ()
	}
	return &review{Screen: term.NewScreen(environ, o.Appearance), now: o.Now, plan: p, later: p.Alarms}
}

// Init asks the terminal what the dashboard would.
func (r *review) Init() tea.Cmd { return r.Start() }

// Update scrolls, compares and decides.
func (r *review) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case comparedMsg:
		r.takeComparison(msg)
	case noticeMsg:
		if r.now().Sub(r.noticed) >= term.NoticeTime {
			r.notice = ""
		}
	case tea.KeyPressMsg:
		cmd = r.press(msg.String())
	default:
		if !r.Learn(msg) {
			return r, nil
		}
	}
	r.frame = r.render()
	if r.shown.IsZero() && r.frame != "" {
		r.shown = r.now()
	}
	return r, cmd
}

func (r *review) takeComparison(msg comparedMsg) {
	if msg.err != nil {
		r.failed = msg.err.Error()
		return
	}
	r.compared = &msg.Comparison
}

// press handles a key.
func (r *review) press(k string) tea.Cmd {
	switch {
	case k == "ctrl+c":
		return tea.Quit
	case r.TooSmall(), r.now().Sub(r.shown) < grace:
		return nil
	}
	r.notice = ""
	if r.comparing {
		return r.choose(k)
	}
	switch k {
	case "y":
		return r.start()
	case "enter":
		if r.later {
			return tea.Quit
		}
		return r.start()
	case "n", "q", "esc":
		return tea.Quit
	case "left", "right", "h", "l":
		r.later = !r.later
	case "b":
		return r.openComparison()
	case "tab":
		r.jump(1)
	case "shift+tab":
		r.jump(-1)
	default:
		r.scroll(k)
	}
	return nil
}

func (r *review) start() tea.Cmd {
	if r.plan.Refused != "" {
		return r.refuse("cannot start: " + r.plan.Refused)
	}
	r.answer.Start = true
	return tea.Quit
}

// refuse says why something was not done.
func (r *review) refuse(text string) tea.Cmd {
	r.notice, r.noticed = text, r.now()
	return tea.Tick(term.NoticeTime, func(time.Time) tea.Msg { return noticeMsg{} })
}

// scroll moves the sections by a key.
func (r *review) scroll(k string) {
	page := max(r.room()-1, 1)
	switch k {
	case "up", "k":
		r.top--
	case "down", "j":
		r.top++
	case "pgup":
		r.top -= page
	case "pgdown", "space":
		r.top += page
	case "g", "home":
		r.top = 0
	case "G", "end":
		r.top = r.most
	}
	r.top = min(max(r.top, 0), r.most)
}

// jump goes to the next section, or the one before.
func (r *review) jump(by int) {
	at := r.section()
	if by < 0 && at < len(r.heads) && r.top > r.heads[at] {
		by = 0 // to its beginning first
	}
	if at += by; at >= 0 && at < len(r.heads) {
		r.top = min(r.heads[at], r.most)
	}
}

// section is the one at the top of the screen.
func (r *review) section() int {
	for i := len(r.heads) - 1; i > 0; i-- {
		if r.heads[i] <= r.top {
			return i
		}
	}
	return 0
}

// openComparison shows what other settings would do, which is worked out at the first time.
func (r *review) openComparison() tea.Cmd {
	if r.compare == nil {
		return r.refuse("the settings of this group are compared by its own system")
	}
	r.comparing = true
	if r.asked {
		return nil
	}
	r.asked = true
	return r.compare
}

// choose handles a key of the comparison.
func (r *review) choose(k string) tea.Cmd {
	switch k {
	case "esc", "q", "n":
		r.comparing = false
		return nil
	}
	if r.compared == nil || len(r.compared.Variants) == 0 {
		return nil
	}
	last := len(r.compared.Variants) - 1
	switch k {
	case "up", "k":
		r.cursor = max(r.cursor-1, 0)
	case "down", "j":
		r.cursor = min(r.cursor+1, last)
	case "g", "home":
		r.cursor = 0
	case "G", "end":
		r.cursor = last
	case "enter", "space":
		r.plan, r.answer.Variant = r.compared.Variants[r.cursor].Plan, r.cursor
		r.later, r.top, r.comparing = r.plan.Alarms, 0, false
	}
	return nil
}

// View is the plan.
func (r *review) View() tea.View {
	v := tea.NewView(r.frame)
	v.AltScreen, v.WindowTitle = true, r.Marked("drainboard: "+style.Clean(r.plan.Title))
	return v
}

// room is how many lines of the sections fit.
func (r *review) room() int { return max(r.Height-len(r.head())-3, 1) }

// head is what stays above what is scrolled.
func (r *review) head() []string {
	st, w := r.Styles, r.Width
	pen, mark := st.Good, st.Glyphs.Done
	if r.plan.Alarms {
		pen, mark = st.Bad, st.Glyphs.Warning
	}
	out := []string{r.BareHeader("   " + r.plan.Title)}
	if text := r.Problem(); text != "" {
		out = append(out, style.BannerLine(st, st.Calm, text, w))
	}
	indent := func(lines []string) {
		for _, l := range lines {
			out = append(out, style.Spaces(1)+l)
		}
	}
	indent(style.Paragraph(st, pen, mark, r.plan.Verdict, w-2))
	var facts []string
	for _, f := range r.plan.Facts {
		facts = append(facts, style.Paragraph(st, st.Text, "", f, w-2)...)
	}
	if most := max(r.Height/3-len(out), 1); len(facts) > most { // the sections say them all
		facts = facts[:most]
	}
	indent(facts)
	return out
}

func (r *review) render() string {
	if r.Width <= 0 || r.Height <= 0 {
		return ""
	}
	if r.Width < term.LeastWidth || r.Height < term.LeastHeight {
		return r.TooSmallText("")
	}
	st, w := r.Styles, r.Width-2
	head := r.head()
	h := r.Height - len(head) - 1
	title, right, more := "", "", ""
	var body []string
	if r.comparing {
		title, body = "settings compared", r.comparison(w)
	} else {
		lines := r.lines(w)
		r.most = max(len(lines)-(h-2), 0)
		r.top = min(max(r.top, 0), r.most)
		body = lines[r.top:min(r.top+h-2, len(lines))]
		title = "plan"
		if len(r.plan.Sections) > 0 {
			at := r.section()
			title = r.plan.Sections[at].Name
			right = fmt.Sprintf("section %d of %d", at+1, len(r.plan.Sections))
		}
		if r.most > 0 {
			more = fmt.Sprintf("%d of %d lines", r.top+len(body), len(lines))
		}
	}
	out := append(head, style.Framed(st, st.Border, title, right, more, body[:min(len(body), h-2)], r.Width, h, true)...)
	return strings.Join(append(out, style.Spaces(1)+r.footer(r.Width-1)), "\n")
}

// drawing is what the lines of a plan depend on: they may be thousands.
type drawing struct {
	variant, width int
	styles         *style.Styles
}

// lines are the sections.
func (r *review) lines(w int) []string {
	if d := (drawing{r.answer.Variant, w, r.Styles}); d != r.drawnFor {
		r.drawn, r.drawnFor = r.draw(w), d
	}
	return r.drawn
}

// draw draws the sections, and notes where they begin.
func (r *review) draw(w int) (out []string) {
	st := r.Styles
	r.heads = r.heads[:0]
	for i, s := range r.plan.Sections {
		if i > 0 {
			out = append(out, style.NewLine(st, w).String())
		}
		r.heads = append(r.heads, len(out))
		pen := st.Title
		if s.Trouble {
			pen = st.Warn
		}
		out = append(out, style.NewLine(st, w).Space(1).Add(pen, s.Name).String())
		for j, text := range s.Lines {
			switch {
			case s.Table && j == 0:
				out = append(out, style.NewLine(st, w).Space(3).Add(st.Dim, style.Cut(style.Clean(text), w-4, st.Glyphs.Ellipsis)).String())
			case s.Table:
				out = append(out, style.NewLine(st, w).Space(3).Add(st.Text, style.Cut(style.Clean(text), w-4, st.Glyphs.Ellipsis)).String())
			default:
				for _, l := range style.Paragraph(st, st.Text, st.Glyphs.Dot, text, w-5) {
					out = append(out, style.Spaces(3)+l+style.Spaces(2))
				}
			}
		}
	}
	return out
}

// comparison is the table of the settings.
func (r *review) comparison(w int) (out []string) {
	st := r.Styles
	say := func(pen style.Pen, text string) []string {
		return []string{style.NewLine(st, w).Space(1).Add(pen, text).String()}
	}
	switch {
	case r.failed != "":
		return say(st.Bad, "not compared: "+r.failed)
	case r.compared == nil:
		return say(st.Dim, "rehearsing the run by other settings ...")
	}
	widths := make([]int, len(r.compared.Heads))
	row := func(cells []string, measure func(i int, cell string)) {
		for i, c := range cells[:min(len(cells), len(widths))] {
			measure(i, style.Clean(c))
		}
	}
	grow := func(i int, cell string) { widths[i] = max(widths[i], style.Width(cell)) }
	row(r.compared.Heads, grow)
	for _, v := range r.compared.Variants {
		row(v.Cells, grow)
	}
	line := func(mark string, pen style.Pen, cells []string) *style.Line {
		l := style.NewLine(st, w)
		if mark == st.Glyphs.Cursor {
			l.Over = &st.Cursor
		}
		l.Begin(mark)
		row(cells, func(i int, cell string) {
			if i == 0 || l.Left() >= widths[i]+2 {
				n := min(widths[i], l.Left()-1)
				l.Fit(pen, style.Cut(cell, n, st.Glyphs.Ellipsis), n).Space(2)
			} else {
				l.To(l.Width) // nor do those after it fit
			}
		})
		return l
	}
	out = append(out, line(" ", st.Dim, r.compared.Heads).String())
	for i, v := range r.compared.Variants {
		pen, mark := st.Text, " "
		if v.Alarms {
			pen = st.Bad
		}
		if i == r.cursor {
			mark = st.Glyphs.Cursor
		}
		out = append(out, line(mark, pen, v.Cells).String())
	}
	out = append(out, style.NewLine(st, w).String())
	chosen := r.compared.Variants[r.cursor]
	for _, text := range append([]string{chosen.Verdict}, chosen.Facts...) {
		for _, l := range style.Paragraph(st, st.Dim, "", text, w-2) {
			out = append(out, style.Spaces(1)+l+style.Spaces(1))
		}
	}
	return out
}

// footer is what can be pressed, or why something was not done.
func (r *review) footer(w int) string {
	st := r.Styles
	switch {
	case r.notice != "":
		return style.NewLine(st, w).Add(st.Warn, "! "+r.notice).String()
	case r.comparing && r.compared == nil:
		return style.KeyLine(st, w, "esc", "back")
	case r.comparing:
		return style.KeyLine(st, w, "enter", "take these settings", "up/down", "move", "esc", "back")
	}
	keys := []string{"tab", "section", "up/down", "scroll"}
	if r.compare != nil {
		keys = append([]string{"b", "other settings"}, keys...)
	}
	return r.buttons(w, keys)
}

// buttons are the answers, and as many of the other keys as fit.
func (r *review) buttons(w int, keys []string) string {
	st := r.Styles
	l := style.NewLine(st, w)
	for _, b := range []struct {
		focus      bool
		key, label string
	}{{!r.later, "y", "start"}, {r.later, "n", "not now"}} {
		if b.focus {
			l.Add(st.Key, st.Glyphs.Cursor).Add(st.Selected, "["+b.key+" "+b.label+"]")
		} else {
			l.Space(1).Add(st.Key, "["+b.key).Add(st.Text, " "+b.label+"]")
		}
		l.Space(2)
	}
	for i := 0; i+1 < len(keys); i += 2 {
		if l.Left() > style.Width(keys[i]+keys[i+1])+4 {
			l.Space(1).Add(st.Key, keys[i]).Space(1).Add(st.Text, keys[i+1]).Space(2)
		}
	}
	return l.String()
}
