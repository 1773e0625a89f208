package term

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/ui/style"
)

// notifyWay is how a terminal is asked to notify.
type notifyWay int

const (
	// ByBell rings; every terminal can.
	ByBell notifyWay = iota
	// byOSC9 is iTerm2's: one text.
	byOSC9
	// byOSC99 is kitty's: title and text, and a newer one takes the place of the last.
	byOSC99
	// byOSC777 is rxvt's, which many have taken over: title and text.
	byOSC777
)

// NotifyCells is how long a notification's text may be.
const NotifyCells = 160

// Notification is what makes a terminal notify. A multiplexer may keep it from the
// terminal, but never the bell.
func (t TTY) Notification(way notifyWay, title, text string) string {
	const bell = "\a"
	// A semicolon would end the title.
	title = strings.ReplaceAll(style.Cut(style.Clean(title), NotifyCells, "..."), ";", ",")
	text = style.Cut(style.Clean(text), NotifyCells, "...")
	seq := ""
	switch way {
	case byOSC9:
		seq = ansi.Notify(title + ": " + text)
	case byOSC99:
		seq = ansi.DesktopNotification(title, "i=drainboard", "d=0", "p=title") + ansi.DesktopNotification(text, "i=drainboard", "d=1", "p=body")
	case byOSC777:
		seq = ansi.URxvtExt("notify", title, text)
	default:
		return bell
	}
	if t.Mux == NoMux {
		return seq
	}
	return t.Through(seq) + bell
}
