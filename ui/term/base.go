package term

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/style"
)

// Screen is what every full-screen program has: the size and the colours of its terminal,
// and its appearance.
type Screen struct {
	Appearance    Appearance
	Width, Height int
	Styles        *style.Styles
	Terminal      themes.Terminal
	TTY           TTY
	environ       []string
}

// The least size that a board is drawn in.
const LeastWidth, LeastHeight = 44, 14

// StackedWidth is from which width on a line has room for all that it should say.
const StackedWidth = 80

// NoticeTime is how long a notice stays when no key is pressed.
const NoticeTime = 8 * time.Second

func NewScreen(environ []string, a Appearance) Screen {
	b := Screen{environ: environ, Appearance: a, Terminal: TerminalOf(environ), TTY: TTYOf(environ)}
	b.choose()
	return b
}

// choose makes the styles for the terminal as far as it is known.
func (b *Screen) choose() { b.Styles = style.New(b.Appearance.Theme.On(b.Terminal)) }

// Start asks the terminal for its background.
func (b *Screen) Start() tea.Cmd {
	var cmds []tea.Cmd
	if b.Terminal.Term != "dumb" {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	for _, kv := range b.environ {
		if strings.HasPrefix(kv, "SSH_TTY=") && b.Terminal.Term != "dumb" {
			// Over SSH Bubble Tea does not ask whether the terminal can show a frame at
			// once; those that cannot ignore the mode.
			cmds = append(cmds, func() tea.Msg {
				return tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset}
			})
		}
	}
	return tea.Batch(cmds...)
}

// Learn takes what a message tells of the terminal or the appearance, and reports whether
// it was one of those and the frame must be drawn again.
func (b *Screen) Learn(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		b.Width, b.Height = msg.Width, msg.Height
		return true
	case tea.BackgroundColorMsg:
		b.Terminal.Dark = msg.IsDark()
	case tea.ColorProfileMsg:
		if noColour(b.environ) {
			return false
		}
		b.Terminal.Colours = coloursOf(msg.Profile)
	case AppearanceMsg:
		b.Appearance = msg.Appearance
	default:
		return false
	}
	b.choose()
	return true
}

// TooSmall reports whether the screen is too small for what keys would do to be read on it.
// Before its size is known nothing is held back.
func (b *Screen) TooSmall() bool {
	return b.Width > 0 && (b.Width < LeastWidth || b.Height < LeastHeight)
}

// Problem says what is wrong with the operator's theme or configuration, "" if nothing is.
func (b *Screen) Problem() string {
	if b.Appearance.Problem == "" {
		return ""
	}
	return b.Styles.Glyphs.Warning + " " + b.Appearance.Problem
}

// markCells is as much as a mark may take; what is longer is cut.
const markCells = 24

// Mark is the word that says where one is, as it stands in the header and on
// dialogs: with a cell of its colour on both sides. "" is none.
func (b *Screen) Mark() string {
	if b.Appearance.Mark == "" {
		return ""
	}
	return " " + style.Cut(style.Clean(b.Appearance.Mark), markCells, b.Styles.Glyphs.Ellipsis) + " "
}

// Marked puts the mark before a window's title.
func (b *Screen) Marked(title string) string {
	if b.Appearance.Mark == "" {
		return title
	}
	return style.Clean(b.Appearance.Mark) + " " + title
}

// BareHeader is the header where there is nothing to tell yet.
func (b *Screen) BareHeader(text string) string {
	l := style.NewLine(b.Styles, b.Width).Space(1)
	if mark := b.Mark(); mark != "" {
		l.Add(b.Styles.Mark, mark).Space(2)
	}
	return l.Add(b.Styles.Brand, "drainboard").Add(b.Styles.Text, text).String()
}

// TooSmallText is the screen that is too small for more: a title, "" for none, and what size
// is needed.
func (b *Screen) TooSmallText(title string) string {
	var out []string
	if b.Height > 1 && title != "" {
		out = append(out, style.NewLine(b.Styles, b.Width).Add(b.Styles.Text, b.Marked(title)).String())
	}
	for _, s := range style.Wrap(fmt.Sprintf("too small: needs at least %dx%d, has %dx%d", LeastWidth, LeastHeight, b.Width, b.Height), b.Width) {
		out = append(out, style.NewLine(b.Styles, b.Width).Add(b.Styles.Warn, s).String())
	}
	return strings.Join(out[:min(len(out), b.Height)], "\n")
}
