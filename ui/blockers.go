package ui

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
)

// blockerList is the cursor of the panel of blockers, by pod.
type blockerList struct {
	cursor string
	top    int
}

// blockerKey tells blockers apart.
func blockerKey(b *engine.Blocker) string { return b.Pod + "\x00" + b.UID }

func (bl *blockerList) index(sc *scene) int {
	for i, b := range sc.Blockers {
		if blockerKey(b) == bl.cursor {
			return i
		}
	}
	return -1
}

// moved drops a cursor whose blocker is gone.
func (bl *blockerList) moved(sc *scene) {
	if bl.index(sc) < 0 {
		bl.cursor = ""
	}
}

func (bl *blockerList) move(sc *scene, n int) {
	if len(sc.Blockers) == 0 {
		return
	}
	at := bl.index(sc)
	if at < 0 {
		n = 0
	}
	bl.cursor = blockerKey(sc.Blockers[min(max(at, 0)+n, len(sc.Blockers)-1)])
	if at+n < 0 {
		bl.cursor = blockerKey(sc.Blockers[0])
	}
}

// at is the blocker under the cursor, nil without one.
func (bl *blockerList) at(sc *scene) *engine.Blocker {
	if i := bl.index(sc); i >= 0 {
		return sc.Blockers[i]
	}
	return nil
}

// height is how many lines all blockers need; it stops counting where no screen
// could show more.
func (bl *blockerList) height(m *Model, w int) int {
	n := 0
	var above *engine.Blocker
	for _, b := range m.sc.Blockers {
		if n += len(m.blockerLines(b, above, w)); n > m.height {
			break
		}
		above = b
	}
	return n
}

// lines draws the panel.
func (bl *blockerList) lines(m *Model, l layout) []string {
	sc, st := m.sc, m.st
	w, h, room := l.blocked.w, l.blocked.h, l.blocked.h-2
	focus := m.focus == blockedPane
	if sc.Partial {
		return framed(st, st.border, "blocked", "", "", []string{m.unread(w - 2)}, w, h, focus)
	}
	if len(sc.Blockers) == 0 {
		body := []string{newLine(st, w-2).space(1).add(st.good, st.g.Done).add(st.text, " nothing is blocked").String()}
		return framed(st, st.border, "blocked", "", "", body, w, h, focus)
	}
	bl.top = min(bl.top, len(sc.Blockers)-1)
	cursor := bl.index(sc)
	if cursor >= 0 && cursor < bl.top {
		bl.top = cursor
	}
	var body []string
	shown := 0
	for {
		body, shown = body[:0], 0
		var above *engine.Blocker
		for _, b := range sc.Blockers[bl.top:] {
			ls := m.blockerLines(b, above, w-2)
			if len(body)+len(ls) > room {
				if shown == 0 {
					body, shown = append(body, ls[:room]...), 1
				}
				break
			}
			body = append(body, ls...)
			shown++
			above = b
		}
		if cursor < bl.top+shown || cursor < 0 {
			break
		}
		bl.top++
	}
	more := ""
	if rest := len(sc.Blockers) - shown; rest > 0 {
		more = fmt.Sprintf("+%d more", rest)
	}
	right := ""
	if n := len(sc.Evictions); n > 0 && l.evictions.h == 0 {
		right = fmt.Sprintf("%d terminating", n)
	}
	return framed(st, st.warn, m.blockedTitle(), right, more, body, w, h, focus)
}

// blocked counts the pods that are kept and the budgets that keep them.
func (m *Model) blocked() (pods, budgets int) {
	refs := map[string]bool{}
	for _, b := range m.sc.Blockers {
		for _, v := range b.Budgets {
			refs[v.Ref] = true
		}
	}
	return len(m.sc.Blockers), len(refs)
}

// blockedTitle counts what is in the way and what it keeps.
func (m *Model) blockedTitle() string {
	pods, budgets := m.blocked()
	title := m.st.g.Blocked + " blocked: "
	if budgets > 0 {
		title += count(budgets, "budget") + ", "
	}
	return title + count(pods, "pod")
}

// blockerLines tells one blocker: what is in the way of which pod, and below it
// the way out and how long it may still take. Below one of which the same is said it is
// a line with the pod.
func (m *Model) blockerLines(b, above *engine.Blocker, w int) []string {
	sc, st := m.sc, m.st
	now := m.opts.Now()
	mark := " "
	chosen := blockerKey(b) == m.blockers.cursor && m.focus == blockedPane
	if chosen {
		mark = st.g.Cursor
	}
	start := func(mark string) *line {
		l := newLine(st, w)
		if chosen {
			l.over = &st.cursor
		}
		return l.begin(mark).space(1)
	}

	_, pod, _ := strings.Cut(b.Pod, "/")
	tries := ""
	switch b.Tries {
	case 0:
	case 1:
		tries = "  tried once"
	default:
		tries = fmt.Sprintf("  tried %d%s", b.Tries, st.g.Times)
	}
	if b.Next.After(sc.now(now)) && sc.acting() {
		tries += ", again in " + countdown(b.Next.Sub(sc.now(now)))
	}
	node := " on " + sc.node(b.Node)
	where := shorten(pod, max(w-6-width(clean(node+tries)), 16), st.g.Ellipsis) + node + tries
	if sameButPod(b, above) {
		return []string{start(mark).space(2).add(st.text, where).String()}
	}

	var heads []string
	for _, v := range b.Budgets {
		heads = append(heads, fmt.Sprintf("%s  allows %d: %d healthy, %d required", v.Ref, v.Allowed, v.Healthy, v.Desired))
	}
	if len(heads) == 0 {
		heads = []string{string(b.Kind) + "  " + sc.brief(b.Detail)}
		if b.Kind == engine.BlockedByReturn { // the detail says so itself
			heads = []string{sc.brief(b.Detail)}
		}
	}
	var out []string
	first := start(mark)
	first.add(st.warn, heads[0])
	if len(heads) == 1 && first.left() >= width(clean(where))+4 {
		first.space(3).add(st.text, where)
		out = append(out, first.String())
	} else {
		out = append(out, first.String())
		for _, h := range heads[1:] {
			out = append(out, start("").space(1).add(st.warn, h).String())
		}
		out = append(out, start("").space(3).add(st.text, where).String())
	}

	way := b.WayOut
	if way == "" {
		way = b.Detail
	}
	way = clean(m.wayOut(way))
	if b.Deadline == nil {
		return append(out, m.wayLines(start, way, w)...)
	}
	left, still := sc.remaining(b.Deadline, now)
	deadline := deadlineWord(b) + countdown(left)
	if still {
		deadline += ", stands still"
	}
	const indent, least, most = 5, 8, 20
	if room := w - indent - width(way) - width(deadline) - 5; room >= least {
		// Both fit on a line: the way out on the left, the deadline on the right.
		bar := min(room, most)
		l := start("").space(1).add(st.good, st.g.Arrow+" ").add(st.text, way)
		l.to(w-width(deadline)-bar-2).add(st.text, deadline).space(1)
		m.timeBar(l, left, b.Deadline, bar)
		return append(out, l.String())
	}
	out = append(out, m.wayLines(start, way, w)...)
	l := start("").space(3).add(st.text, deadline).space(1)
	m.timeBar(l, left, b.Deadline, min(max(l.left()-2, 0), most))
	return append(out, l.String())
}

// sameButPod reports whether two blockers differ in their pods alone: what is in the way,
// the way out and the deadline are the same.
func sameButPod(b, above *engine.Blocker) bool {
	if above == nil {
		return false
	}
	other := *b
	other.Pod, other.UID, other.Owner, other.Grace = above.Pod, above.UID, above.Owner, above.Grace
	other.Tries, other.Since, other.Next = above.Tries, above.Since, above.Next
	return reflect.DeepEqual(&other, above)
}

// wayOut is a way out for those who read it here: a watcher has no key to force with,
// and what is not possible now is not offered.
func (m *Model) wayOut(text string) string {
	text = m.sc.brief(text)
	if m.opts.ReadOnly {
		return strings.ReplaceAll(text, " with f", " where the run is driven")
	}
	if _, able := m.sc.Able(engine.CmdForce); !able && strings.HasSuffix(text, " with f") {
		if at := strings.LastIndex(text, ", or force"); at > 0 {
			return text[:at]
		}
	}
	return text
}

// wayLines is the way out on lines of its own.
func (m *Model) wayLines(start func(string) *line, way string, w int) []string {
	const most = 3
	var out []string
	for i, s := range wrap(way, w-7) {
		l := start("")
		if i == 0 {
			l.space(1).add(m.st.good, m.st.g.Arrow+" ")
		} else {
			l.space(3)
		}
		out = append(out, l.add(m.st.text, s).String())
	}
	return out[:min(len(out), most)]
}

// timeBar shows how much of a wait is left.
func (m *Model) timeBar(l *line, left time.Duration, wait *engine.Wait, cells int) {
	full := cells
	if whole := wait.End.Sub(wait.Start).Seconds(); whole > 0 {
		full = min(max(int(float64(cells)*left.Seconds()/whole+0.5), 0), cells)
	}
	l.add(l.st.active, repeat(l.st.g.TimeFull, full)).add(l.st.rest, repeat(l.st.g.TimeRest, cells-full))
}

// deadlineWord says what happens to a node when its drain's time is up, in words that
// go on with when.
func deadlineWord(b *engine.Blocker) string {
	about := ""
	if b.Deadline != nil && b.Deadline.Guess {
		about = "about "
	}
	if b.Deadline != nil && b.Deadline.For == engine.UntilPodForced {
		if b.Refusals > 0 {
			return "forced after " + count(b.Refusals, "more refusal") + ", in " + about
		}
		return "the pod is forced in " + about
	}
	switch b.AtDeadline {
	case engine.TimeoutFail:
		return "fails in "
	case engine.TimeoutSkip:
		return "is skipped in "
	case engine.TimeoutForce:
		return "is forced in " + about
	}
	return "deadline in " + about
}

// acting reports whether evictions are tried at all now.
func (sc *scene) acting() bool { return sc.State == engine.Running && !sc.abandoned() }
