package ui

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// blockerList is the cursor of the panel of blockers, by pod.
type blockerList struct {
	Cursor string
	top    int
}

func (bl *blockerList) index(sc *scene.Scene) int {
	for i, b := range sc.Blockers {
		if scene.BlockerKey(b) == bl.Cursor {
			return i
		}
	}
	return -1
}

// moved drops a cursor whose blocker is gone.
func (bl *blockerList) moved(sc *scene.Scene) {
	if bl.index(sc) < 0 {
		bl.Cursor = ""
	}
}

func (bl *blockerList) move(sc *scene.Scene, n int) {
	if len(sc.Blockers) == 0 {
		return
	}
	at := bl.index(sc)
	if at < 0 {
		n = 0
	}
	bl.Cursor = scene.BlockerKey(sc.Blockers[min(max(at, 0)+n, len(sc.Blockers)-1)])
	if at+n < 0 {
		bl.Cursor = scene.BlockerKey(sc.Blockers[0])
	}
}

// at is the blocker under the cursor, nil without one.
func (bl *blockerList) at(sc *scene.Scene) *blockers.Blocker {
	if i := bl.index(sc); i >= 0 {
		return sc.Blockers[i]
	}
	return nil
}

// height is how many lines all blockers need; it stops counting where no screen
// could show more.
func (bl *blockerList) height(m *Model, w int) int {
	n := 0
	var above *blockers.Blocker
	for _, b := range m.Scene.Blockers {
		if n += len(m.blockerLines(b, above, w)); n > m.Height {
			break
		}
		above = b
	}
	return n
}

// fit moves the window so that the cursor is visible.
func (bl *blockerList) fit(m *Model, l layout) {
	if l.blocked.h <= 0 || m.Scene.Partial || len(m.Scene.Blockers) == 0 {
		return
	}
	bl.top = min(bl.top, len(m.Scene.Blockers)-1)
	cursor := bl.index(m.Scene)
	if cursor < 0 {
		return
	}
	bl.top = min(bl.top, cursor)
	for {
		if _, shown := bl.visible(m, l.blocked.w-2, l.blocked.h-2); cursor < bl.top+shown {
			return
		}
		bl.top++
	}
}

// visible are the lines of the blockers that fit into the window, and how many blockers
// those are: at least one, cut if it does not fit.
func (bl *blockerList) visible(m *Model, w, room int) (body []string, shown int) {
	var above *blockers.Blocker
	for _, b := range m.Scene.Blockers[bl.top:] {
		ls := m.blockerLines(b, above, w)
		if len(body)+len(ls) > room {
			if shown == 0 {
				return ls[:room], 1
			}
			break
		}
		body = append(body, ls...)
		shown++
		above = b
	}
	return body, shown
}

// lines draws the panel.
func (bl *blockerList) lines(m *Model, l layout) []string {
	sc, st := m.Scene, m.Styles
	w, h, room := l.blocked.w, l.blocked.h, l.blocked.h-2
	focus := m.Focus == BlockedPane
	if sc.Partial {
		return style.Framed(st, st.Border, "blocked", "", "", []string{unread(m.Styles, w-2)}, w, h, focus)
	}
	if len(sc.Blockers) == 0 {
		body := []string{style.NewLine(st, w-2).Space(1).Add(st.Good, st.Glyphs.Done).Add(st.Text, " nothing is blocked").String()}
		return style.Framed(st, st.Border, "blocked", "", "", body, w, h, focus)
	}
	body, shown := bl.visible(m, w-2, room)
	more := ""
	if rest := len(sc.Blockers) - shown; rest > 0 {
		more = fmt.Sprintf("+%d more", rest)
	}
	right := ""
	if n := len(sc.Evictions); n > 0 && l.evictions.h == 0 {
		right = fmt.Sprintf("%d terminating", n)
	}
	if n := sc.AlarmingWorkloads(); n > 0 && l.evictions.h == 0 {
		right = strings.TrimPrefix(right+", "+style.Count(n, "workload")+" in trouble: W", ", ")
	}
	return style.Framed(st, st.Warn, m.blockedTitle(), right, more, body, w, h, focus)
}

// blockedTitle counts what is in the way and what it keeps.
func (m *Model) blockedTitle() string {
	pods, budgets := m.Scene.BlockedPods()
	title := m.Styles.Glyphs.Blocked + " blocked: "
	if !slices.ContainsFunc(m.Scene.Blockers, func(b *blockers.Blocker) bool { return !b.Guess }) {
		title = m.Styles.Glyphs.Blocked + " may be blocked: "
	}
	if budgets > 0 {
		title += style.Count(budgets, "PDB") + ", "
	}
	return title + style.Count(pods, "pod")
}

// blockerLines tells one blocker: what is in the way of which pod, and below it
// the way out and how long it may still take. Below one of which the same is said it is
// a line with the pod.
func (m *Model) blockerLines(b, above *blockers.Blocker, w int) []string {
	sc, st := m.Scene, m.Styles
	now := m.Opts.Now()
	mark := " "
	chosen := scene.BlockerKey(b) == m.Blockers.Cursor && m.Focus == BlockedPane
	if chosen {
		mark = st.Glyphs.Cursor
	}
	start := func(mark string) *style.Line {
		l := style.NewLine(st, w)
		if chosen {
			l.Over = &st.Cursor
		}
		return l.Begin(mark).Space(1)
	}

	_, pod, _ := strings.Cut(b.Pod, "/")
	tries := ""
	switch b.Tries {
	case 0:
	case 1:
		tries = "  tried once"
	default:
		tries = fmt.Sprintf("  tried %d%s", b.Tries, st.Glyphs.Times)
	}
	if b.Next.After(sc.Now(now)) && sc.Evicts() {
		tries += ", again in " + style.Countdown(b.Next.Sub(sc.Now(now)))
	}
	node := " on " + sc.NodeName(b.Node)
	if b.Guess {
		node += ", which EKS may drain"
	}
	where := style.Shorten(pod, max(w-6-style.Width(style.Clean(node+tries)), 16), st.Glyphs.Ellipsis) + node + tries
	if sameButPod(b, above) {
		return []string{start(mark).Space(2).Add(st.Text, where).String()}
	}

	var heads []string
	for _, v := range b.Budgets {
		heads = append(heads, fmt.Sprintf("%s  allows %d: %d healthy, %d required", v.Ref, v.Allowed, v.Healthy, v.Desired))
	}
	if len(heads) == 0 {
		heads = []string{string(b.Kind) + "  " + sc.Brief(b.Detail)}
		if b.Kind == blockers.BlockedByReturn { // the detail says so itself
			heads = []string{sc.Brief(b.Detail)}
		}
	}
	var out []string
	first := start(mark)
	first.Add(st.Warn, heads[0])
	if len(heads) == 1 && first.Left() >= style.Width(style.Clean(where))+4 {
		first.Space(3).Add(st.Text, where)
		out = append(out, first.String())
	} else {
		out = append(out, first.String())
		for _, h := range heads[1:] {
			out = append(out, start("").Space(1).Add(st.Warn, h).String())
		}
		out = append(out, start("").Space(3).Add(st.Text, where).String())
	}

	way := b.WayOut
	if way == "" {
		way = b.Detail
	}
	way = style.Clean(m.Scene.WayOut(way))
	if b.Deadline == nil {
		return append(out, wayLines(m.Styles, start, way, w)...)
	}
	left, still := sc.Remaining(b.Deadline, now)
	deadline := scene.DeadlineWord(b) + style.Countdown(left)
	if still {
		deadline += ", stopped"
	}
	const indent, least, most = 5, 8, 20
	if room := w - indent - style.Width(way) - style.Width(deadline) - 5; room >= least {
		// Both fit on a line: the way out on the left, the deadline on the right.
		bar := min(room, most)
		l := start("").Space(1).Add(st.Good, st.Glyphs.Arrow+" ").Add(st.Text, way)
		l.To(w-style.Width(deadline)-bar-2).Add(st.Text, deadline).Space(1)
		m.timeBar(l, left, b.Deadline, bar)
		return append(out, l.String())
	}
	out = append(out, wayLines(m.Styles, start, way, w)...)
	l := start("").Space(3).Add(st.Text, deadline).Space(1)
	m.timeBar(l, left, b.Deadline, min(max(l.Left()-2, 0), most))
	return append(out, l.String())
}

// sameButPod reports whether two blockers differ in their pods alone: what is in the way,
// the way out and the deadline are the same.
func sameButPod(b, above *blockers.Blocker) bool {
	if above == nil {
		return false
	}
	other := *b
	other.Pod, other.UID, other.Owner, other.Grace, other.Command = above.Pod, above.UID, above.Owner, above.Grace, above.Command
	other.Tries, other.Since, other.Next = above.Tries, above.Since, above.Next
	return reflect.DeepEqual(&other, above)
}

// wayLines is the way out on lines of its own.
func wayLines(st *style.Styles, start func(string) *style.Line, way string, w int) []string {
	const most = 3
	var out []string
	for i, s := range style.Wrap(way, w-7) {
		l := start("")
		if i == 0 {
			l.Space(1).Add(st.Good, st.Glyphs.Arrow+" ")
		} else {
			l.Space(3)
		}
		out = append(out, l.Add(st.Text, s).String())
	}
	return out[:min(len(out), most)]
}

// timeBar shows how much of a wait is left.
func (m *Model) timeBar(l *style.Line, left time.Duration, wait *record.Wait, cells int) {
	full := cells
	if whole := wait.End.Sub(wait.Start).Seconds(); whole > 0 {
		full = min(max(int(float64(cells)*left.Seconds()/whole+0.5), 0), cells)
	}
	l.Add(l.Styles.Active, style.Repeat(l.Styles.Glyphs.TimeFull, full)).Add(l.Styles.Rest, style.Repeat(l.Styles.Glyphs.TimeRest, cells-full))
}

// evicting reports whether there is, or soon will be, something for the pane of
// moved pods to show. It looks at nodes rather than at pods, so that the panes do
// not jump whenever a pod is gone.
func evicting(sc *scene.Scene) bool {
	if len(sc.Evictions)+len(sc.Troubled()) > 0 {
		return true
	}
	for _, r := range sc.Rows {
		if r.Stage == record.Draining {
			return true
		}
	}
	return false
}

func (m *Model) evictionLine(e *snapshot.Eviction, w int) string {
	sc, st := m.late, m.Styles
	left, _ := sc.Remaining(e.Grace, m.Opts.Now())
	const clock = 6
	bar := min(max((w-48)/2, 5), 20)
	room := w - 1 - clock - 1 - bar - 1
	node := " on " + sc.NodeName(e.Node)
	pod := e.Pod
	if style.Width(style.Clean(node)) > room-12 {
		node = ""
	}
	l := style.NewLine(st, w).Space(1)
	l.Add(st.Text, style.Shorten(pod, room-style.Width(style.Clean(node)), st.Glyphs.Ellipsis)).Add(st.Dim, node)
	l.To(w-1-bar-1-clock).Right(st.Text, style.Countdown(left), clock).Space(1)
	m.timeBar(l, left, e.Grace, bar)
	return l.String()
}
