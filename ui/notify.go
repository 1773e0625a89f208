package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
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

// here notes that the user is at the keyboard.
func (a *attention) here(now time.Time) { a.key, a.away = now, false }

// attend sends a notification if there are news and nobody looks.
func (m *Model) attend() tea.Cmd {
	if m.Scene == nil || m.Appearance.Silent {
		return nil
	}
	a, now := &m.attention, m.Opts.Now()
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
	way := m.TTY.Notify
	if !a.reports {
		if now.Sub(a.key) < idleLong {
			return nil
		}
		way = term.ByBell
		list = slices.DeleteFunc(list, func(n news) bool { return !strings.HasPrefix(n.key, batchNews) })
	} else if !a.away {
		for _, n := range list {
			a.told[n.key] = true
		}
		return nil
	}
	fresh := slices.DeleteFunc(list, func(n news) bool { return a.told[n.key] })
	if len(fresh) == 0 || now.Sub(a.last) < notifyEvery && !m.Scene.Over() {
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
	return tea.Raw(m.TTY.Notification(way, "drainboard "+m.Scene.Group, strings.Join(texts, ". ")))
}

// Keys of news.
const (
	batchNews  = "batch "
	pausedNews = "paused"
)

// news lists what wants a person now, what matters most first.
func (m *Model) news(now time.Time) []news {
	sc := m.Scene
	switch {
	case sc.State == record.Finished && sc.Roll != nil:
		return rollNews(m.Scene)
	case sc.State == record.Finished:
		word, _ := m.Scene.StateLook(m.Styles)
		return []news{{"finished", word + style.Because(sc.Brief(sc.Why))}}
	case sc.State == record.Ending && sc.Result != record.Aborted && sc.Result != record.NotStartedYet:
		return []news{{"failing", "failing" + style.Because(sc.Brief(sc.Why))}}
	case sc.State == record.Ending:
		return nil
	case sc.State == record.Paused:
		return []news{{pausedNews, "paused" + style.Because(sc.Brief(sc.Why))}}
	}
	var out []news
	if b := sc.Batch; b != nil && m.Approved != b.Hash {
		out = append(out, news{fmt.Sprintf("%s%d %s", batchNews, b.ID, b.Phase), scene.BatchNameAndSize(b) + " waits for approval"})
	}
	if f := sc.Foreseen(); f != nil && f.Alarms() {
		out = append(out, news{"forecast " + string(f.Outlook) + f.Cause, f.Headline(sc.Now(now))})
	}
	out = append(append(out, invalidNews(m.Scene, now)...), problemNews(m.Scene)...)
	return append(out, blockedNews(m.Scene, now)...)
}

// problemNews is a piece of news for each node with a problem that no other news tells of. That a
// node is not Ready may pass by itself, and is none.
func problemNews(sc *scene.Scene) []news {
	var out []news
	for _, z := range sc.Zones {
		for _, r := range z.Rows {
			switch key := "problem " + r.ID + " "; r.Problem {
			case snapshot.NoProblem, snapshot.PodBlocked, snapshot.NodeNotReady, snapshot.ForeseenStuck:
			case snapshot.CrashLoops:
				out = append(out, news{key + r.CrashLooping, r.CrashLooping + " crash-loops on " + sc.Names[r.ID]})
			default:
				out = append(out, news{key + string(r.Problem), sc.Names[r.ID] + ": " + string(r.Problem)})
			}
		}
	}
	return out
}

// blockedNews is a piece of news for each thing that keeps pods on a node: pods of one
// owner are one thing, and those of one node are told in one sentence.
func blockedNews(sc *scene.Scene, now time.Time) []news {
	pods := map[string]int{} // on a node
	var long []*blockers.Blocker
	for _, b := range sc.Blockers {
		if sc.Now(now).Sub(b.Since) < blockedLong {
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
		is := "is"
		if b.Guess {
			is = "may be"
		}
		text := fmt.Sprintf("%s %s blocked: %s", sc.NodeName(b.Node), is, b.Pod)
		if n := pods[b.Machine]; n > 1 {
			text = fmt.Sprintf("%s %s blocked: %d pods", sc.NodeName(b.Node), is, n)
		}
		out = append(out, news{"blocked " + b.Machine + " " + owner, text})
	}
	return out
}

// invalidLong is how long the cluster may not be valid before that is news: as long as
// machines boot it never is.
const invalidLong = 5 * time.Minute

// invalidNews is that the cluster does not get valid, while a validation is under way.
func invalidNews(sc *scene.Scene, now time.Time) []news {
	v := sc.Validation
	if !sc.Validating() || sc.InvalidCount() == 0 || v.Wait != nil && sc.Now(now).Sub(v.Wait.Start) < invalidLong {
		return nil
	}
	key := "invalid"
	if v.Wait != nil {
		key += v.Wait.Start.String()
	}
	text := "the cluster is not valid: " + scene.FoundText(v)
	if limit := sc.LimitText(v); limit != "" {
		text += ", " + limit
	}
	return []news{{key, text}}
}
