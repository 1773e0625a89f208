package news

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
)

const (
	// Every is the least time between notifications; what comes meanwhile is told together.
	Every = 20 * time.Second
	// Idle is how long no key must have been pressed before the bell rings in a terminal
	// that has never said whether it is in focus.
	Idle = time.Minute
)

// Attention is what is known of the operator's: whether the window has the focus, and what
// was told. The zero value knows nothing.
type Attention struct {
	// reports: the terminal has said at least once whether the window has the focus.
	reports, away bool
	// key is when a key was last pressed, first when the dashboard began.
	key time.Time
	// told are the news that were on the screen in focus, or were sent.
	told map[string]bool
	last time.Time
}

// Here notes that the user is at the keyboard.
func (a *Attention) Here(now time.Time) { a.key, a.away = now, false }

// FocusIn notes that the terminal says that its window has the focus, FocusOut that it has not.
func (a *Attention) FocusIn(now time.Time) {
	a.reports = true
	a.Here(now)
}

// FocusOut is described with FocusIn.
func (a *Attention) FocusOut() { a.reports, a.away = true, true }

// Forget forgets what was told: another run is shown.
func (a *Attention) Forget() { a.told = nil }

// Notification is what has a terminal notify, if there are news and nobody looks; "" where
// there is nothing to tell. approved is as in Of.
func (a *Attention) Notification(tty term.TTY, sc *scene.Scene, st *style.Styles, approved string, now time.Time) string {
	if a.told == nil {
		a.told = map[string]bool{}
		if a.key.IsZero() {
			a.key = now
		}
	}
	list := Of(sc, st, approved, now)
	if !slices.ContainsFunc(list, func(n Item) bool { return n.Key == pausedKey }) {
		delete(a.told, pausedKey) // the next pause is another one
	}
	way := tty.Notify
	if !a.reports {
		if now.Sub(a.key) < Idle {
			return ""
		}
		way = term.ByBell
		list = slices.DeleteFunc(list, func(n Item) bool { return !strings.HasPrefix(n.Key, batchKey) })
	} else if !a.away {
		for _, n := range list {
			a.told[n.Key] = true
		}
		return ""
	}
	fresh := slices.DeleteFunc(list, func(n Item) bool { return a.told[n.Key] })
	if len(fresh) == 0 || now.Sub(a.last) < Every && !sc.Over() {
		return ""
	}
	var texts []string
	for _, n := range fresh {
		a.told[n.Key] = true
		texts = append(texts, n.Text)
	}
	a.last = now
	texts = slices.Compact(texts)
	if len(texts) > 2 {
		texts = append(texts[:2:2], fmt.Sprintf("and %d more", len(texts)-2))
	}
	return tty.Notification(way, "drainboard "+sc.Group, strings.Join(texts, ". "))
}
