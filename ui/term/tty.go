package term

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// TTY is what the environment tells of the terminal beside its colours, and of what
// lies between it and this process. Bubble Tea asks the terminal itself for what can be asked.
type TTY struct {
	// name is TERM.
	name string
	// Mux is the multiplexer that lies between.
	Mux mux
	// Notify is the way of desktop notifications.
	Notify notifyWay
	// Progress: it shows a progress on its tab or icon. Others read the same sequence
	// (OSC 9;4) as a notification, kitty and older iTerm2 among them.
	Progress bool
}

// mux is a program that shows several terminals in one.
type mux int

const (
	NoMux mux = iota
	tmux
	screen
)

// TTYOf reads an environment.
func TTYOf(environ []string) TTY {
	env := map[string]string{}
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			env[k] = v
		}
	}
	t := TTY{name: env["TERM"]}
	switch {
	case env["TMUX"] != "" || strings.HasPrefix(t.name, "tmux"):
		t.Mux = tmux
	case env["STY"] != "" || strings.HasPrefix(t.name, "screen"):
		t.Mux = screen
	}
	if t.Dumb() {
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
		t.Notify = byOSC99
	case ghostty, wezterm, vte > 0, strings.HasPrefix(t.name, "foot"), strings.HasPrefix(t.name, "rxvt"), strings.HasPrefix(t.name, "contour"), has("KONSOLE_VERSION"):
		t.Notify = byOSC777
	case iterm != "" || has("ITERM_SESSION_ID") || program == "WarpTerminal":
		t.Notify = byOSC9
	}
	t.Progress = t.Notify != byOSC99 &&
		(ghostty || wezterm || vte >= 7900 || has("WT_SESSION") || env["ConEmuANSI"] == "ON" || atLeast(iterm, 3, 6, 6))
	return t
}

// Dumb reports whether the terminal is known to obey no sequences.
func (t TTY) Dumb() bool { return t.name == "dumb" }

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

// Through makes a sequence pass the multiplexer, which otherwise keeps it. tmux
// needs its option allow-passthrough for that.
func (t TTY) Through(seq string) string {
	switch t.Mux {
	case tmux:
		return ansi.TmuxPassthrough(seq)
	case screen:
		return ansi.ScreenPassthrough(seq, screenString)
	}
	return seq
}
