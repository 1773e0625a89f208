package ui

import (
	"io"
	"os"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// tty is what the environment tells of the terminal beside its colours, and of what
// lies between it and this process. Bubble Tea asks the terminal itself for what can be asked.
type tty struct {
	// name is TERM.
	name string
	// mux is the multiplexer that lies between.
	mux mux
	// notify is the way of desktop notifications.
	notify notifyWay
	// progress: it shows a progress on its tab or icon. Others read the same sequence
	// (OSC 9;4) as a notification, kitty and older iTerm2 among them.
	progress bool
}

// mux is a program that shows several terminals in one.
type mux int

const (
	noMux mux = iota
	tmux
	screen
)

// ttyOf reads an environment.
func ttyOf(environ []string) tty {
	env := map[string]string{}
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			env[k] = v
		}
	}
	t := tty{name: env["TERM"]}
	switch {
	case env["TMUX"] != "" || strings.HasPrefix(t.name, "tmux"):
		t.mux = tmux
	case env["STY"] != "" || strings.HasPrefix(t.name, "screen"):
		t.mux = screen
	}
	if t.dumb() {
		return t
	}
	// What started the multiplexer is still in its environment, but for TERM and
	// TERM_PROGRAM, which are its own. SSH hands on TERM and often LC_*.
	program, has := env["TERM_PROGRAM"], func(k string) bool { return env[k] != "" }
	iterm := ""
	switch {
	case program == "iTerm.app":
		iterm = env["TERM_PROGRAM_VERSION"]
	case env["LC_TERMINAL"] == "iTerm2":
		iterm = env["LC_TERMINAL_VERSION"]
	}
	vte, _ := strconv.Atoi(env["VTE_VERSION"])
	ghostty := program == "ghostty" || strings.Contains(t.name, "ghostty") || has("GHOSTTY_RESOURCES_DIR")
	wezterm := program == "WezTerm" || strings.Contains(t.name, "wezterm") || has("WEZTERM_PANE")
	switch {
	case strings.Contains(t.name, "kitty") || has("KITTY_WINDOW_ID"):
		t.notify = byOSC99
	case ghostty, wezterm, vte > 0, strings.HasPrefix(t.name, "foot"), strings.HasPrefix(t.name, "rxvt"), strings.HasPrefix(t.name, "contour"), has("KONSOLE_VERSION"):
		t.notify = byOSC777
	case iterm != "" || has("ITERM_SESSION_ID") || program == "WarpTerminal":
		t.notify = byOSC9
	}
	t.progress = t.notify != byOSC99 &&
		(ghostty || wezterm || vte >= 7900 || has("WT_SESSION") || env["ConEmuANSI"] == "ON" || atLeast(iterm, 3, 6, 6))
	return t
}

// dumb reports whether the terminal is known to obey no sequences.
func (t tty) dumb() bool { return t.name == "dumb" }

// atLeast reports whether a version like "3.6.6" is not before another.
func atLeast(version string, least ...int) bool {
	parts := strings.Split(version, ".")
	for i, want := range least {
		n := 0
		if i < len(parts) {
			n, _ = strconv.Atoi(parts[i])
		}
		if n != want {
			return n > want
		}
	}
	return version != ""
}

// screenString is how long a string screen passes on may be.
const screenString = 768

// through makes a sequence pass the multiplexer, which otherwise keeps it. tmux
// needs its option allow-passthrough for that.
func (t tty) through(seq string) string {
	switch t.mux {
	case tmux:
		return ansi.TmuxPassthrough(seq)
	case screen:
		return ansi.ScreenPassthrough(seq, screenString)
	}
	return seq
}

// declare says in a view what the terminal is to do beside showing the frame.
func (m *Model) declare(v *tea.View) {
	v.AltScreen = true
	if m.tty.dumb() {
		return
	}
	v.ReportFocus = !m.opts.Silent
	if m.mouse.on {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.sc != nil {
		v.WindowTitle = m.marked(windowTitle(m.sc, m.st))
		if m.tty.progress {
			v.ProgressBar = taskbar(m.sc)
		}
	}
}

// The window's title, kept by the terminal on a stack of its own (XTWINOPS).
const (
	keepTitle   = "\x1b[22;2t"
	returnTitle = "\x1b[23;2t"
)

// borrow makes the terminal keep what it is asked to give back: the window's title.
// Bubble Tea gives back all else.
func (o Options) borrow(t tty) (giveBack func()) {
	if t.dumb() {
		return func() {}
	}
	out := o.Output
	if out == nil {
		out = os.Stdout
	}
	// A terminal that is gone cannot be told.
	_, _ = io.WriteString(out, keepTitle)
	return func() { _, _ = io.WriteString(out, returnTitle) }
}
