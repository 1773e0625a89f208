package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine"
)

// notifyWay is how a terminal is told to notify.
type notifyWay int

const (
	// byBell rings; every terminal can.
	byBell notifyWay = iota
	// byOSC9 is iTerm2's: one text.
	byOSC9
	// byOSC99 is kitty's: title and text, and a newer one takes the place of the last.
	byOSC99
	// byOSC777 is rxvt's, which many have taken over: title and text.
	byOSC777
)

const (
	// notifyEvery is the least time between notifications; what comes meanwhile is
	// told together.
	notifyEvery = 20 * time.Second
	// blockedLong is how long (of the cluster's time) a pod must be kept before that is
	// news: a budget that lets pods go one after the other is none.
	blockedLong = 30 * time.Second
	// idleLong is how long no key must have been pressed before the bell rings in a
	// terminal that has never said whether it is in focus.
	idleLong = time.Minute
	// notifyCells is how long a notification's text may be.
	notifyCells = 160
)

// attention is what is known of the operator's: whether the window has the focus,
// and what was told.
type attention struct {
	// reports: the terminal has said at least once whether the window has the focus.
	reports, away bool
	// key is when a key was last pressed, first when the dashboard began.
	key time.Time
	// told are the news that were on the screen in focus, or were sent.
	told map[string]bool
	last time.Time
}

// news is something that wants a person. The key tells it from others.
type news struct{ key, text string }

// here notes that somebody is at the keyboard.
func (a *attention) here(now time.Time) { a.key, a.away = now, false }

// attend sends a notification if there are news and nobody looks.
func (m *Model) attend() tea.Cmd {
	if m.sc == nil || m.opts.Silent {
		return nil
	}
	a, now := &m.attention, m.opts.Now()
	if a.told == nil {
		a.told = map[string]bool{}
		if a.key.IsZero() {
			a.key = now
		}
	}
	list := m.news(now)
	if !slices.ContainsFunc(list, func(n news) bool { return n.key == pausedNews }) {
		delete(a.told, pausedNews) // the next pause is another one
	}
	way := m.tty.notify
	if !a.reports {
		if now.Sub(a.key) < idleLong {
			return nil
		}
		way = byBell
		list = slices.DeleteFunc(list, func(n news) bool { return !strings.HasPrefix(n.key, batchNews) })
	} else if !a.away {
		for _, n := range list {
			a.told[n.key] = true
		}
		return nil
	}
	fresh := slices.DeleteFunc(list, func(n news) bool { return a.told[n.key] })
	if len(fresh) == 0 || now.Sub(a.last) < notifyEvery && !m.over() {
		return nil
	}
	var texts []string
	for _, n := range fresh {
		a.told[n.key] = true
		texts = append(texts, n.text)
	}
	a.last = now
	texts = slices.Compact(texts)
	if len(texts) > 2 {
		texts = append(texts[:2:2], fmt.Sprintf("and %d more", len(texts)-2))
	}
	return tea.Raw(m.tty.notification(way, "drainboard "+m.sc.Group, strings.Join(texts, ". ")))
}

// Keys of news.
const (
	batchNews  = "batch "
	pausedNews = "paused"
)

// news lists what wants a person now, what matters most first.
func (m *Model) news(now time.Time) []news {
	sc := m.sc
	switch {
	case sc.State == engine.Finished && sc.Roll != nil:
		return m.rollNews()
	case sc.State == engine.Finished:
		word, _ := m.state()
		return []news{{"finished", word + because(sc.brief(sc.Why))}}
	case sc.State == engine.Ending && sc.Result != engine.Aborted && sc.Result != engine.NotStartedYet:
		return []news{{"failing", "failing" + because(sc.brief(sc.Why))}}
	case sc.State == engine.Ending:
		return nil
	case sc.State == engine.Paused:
		return []news{{pausedNews, "paused" + because(sc.brief(sc.Why))}}
	}
	var out []news
	if b := sc.Batch; b != nil && m.approved != b.Hash {
		out = append(out, news{fmt.Sprintf("%s%d %s", batchNews, b.ID, b.Phase), batchName(b) + " waits for approval"})
	}
	return append(append(out, m.invalidNews(now)...), m.blockedNews(now)...)
}

// blockedNews is a piece of news for each thing that keeps pods on a node: pods of one
// owner are one thing, and those of one node are told in one sentence.
func (m *Model) blockedNews(now time.Time) []news {
	sc := m.sc
	pods := map[string]int{} // on a node
	var long []*engine.Blocker
	for _, b := range sc.Blockers {
		if sc.now(now).Sub(b.Since) < blockedLong {
			continue
		}
		pods[b.Machine]++
		long = append(long, b)
	}
	var out []news
	for _, b := range long {
		owner := b.Owner
		if owner == "" {
			owner = b.Pod
		}
		text := fmt.Sprintf("%s is blocked: %s", sc.node(b.Node), b.Pod)
		if n := pods[b.Machine]; n > 1 {
			text = fmt.Sprintf("%s is blocked: %d pods", sc.node(b.Node), n)
		}
		out = append(out, news{"blocked " + b.Machine + " " + owner, text})
	}
	return out
}

// notification is what makes a terminal notify. A multiplexer may keep it from the
// terminal, but never the bell.
func (t tty) notification(way notifyWay, title, text string) string {
	const bell = "\a"
	// A semicolon would end the title.
	title = strings.ReplaceAll(cut(clean(title), notifyCells, "..."), ";", ",")
	text = cut(clean(text), notifyCells, "...")
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
	if t.mux == noMux {
		return seq
	}
	return t.through(seq) + bell
}
