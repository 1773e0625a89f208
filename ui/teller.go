package ui

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/drainboard/drainboard/engine"
)

// How long it is silent before the plain mode says how the run stands: while nodes
// are at work, and while it only waits for the operator. What has changed only in its
// details is told again after moments at the earliest.
const (
	patienceAtWork  = 30 * time.Second
	patienceWaiting = 5 * time.Minute
	moments         = 30 * time.Second
)

// teller remembers what was told.
type teller struct {
	// events counts the log's events by what they say; last is the newest.
	events map[eventKey]int
	last   eventKey
	length int
	// blockers and notes are what was told of them, by pod and by topic; invalid is when
	// something was last told to be not valid.
	blockers map[string]string
	notes    map[string]note
	invalid  map[string]time.Time
}

type note struct {
	said string
	at   time.Time
}

func newTeller() teller {
	return teller{events: map[eventKey]int{}, blockers: map[string]string{}, notes: map[string]note{}, invalid: map[string]time.Time{}}
}

// eventKey is what tells events apart; a log has no numbers, and may get events in
// its middle that others report late.
type eventKey struct {
	at                       int64
	kind                     engine.EventType
	phase, node, pod, budget string
	batch                    int
	message                  string
}

func keyOf(e *engine.Event) eventKey {
	return eventKey{e.Time.UnixNano(), e.Type, e.Phase, e.Node, e.Pod, e.Budget, e.Batch, e.Message}
}

// tell tells what is new in the snapshot.
func (n *narrator) tell() {
	n.tellEvents()
	n.tellNotes()
	n.tellInvalid()
	n.tellBlockers()
}

// tellEvents tells each event once.
func (n *narrator) tellEvents() {
	sc, t := n.m.sc, &n.told
	events := sc.Events
	if len(events) == 0 || len(events) == t.length && keyOf(&events[len(events)-1]) == t.last {
		return
	}
	blocked := map[string]bool{}
	for _, b := range sc.Blockers {
		blocked[b.Pod] = true
	}
	seen := make(map[eventKey]int, len(events))
	for i := range events {
		e := &events[i]
		k := keyOf(e)
		seen[k]++
		switch {
		case seen[k] <= t.events[k]:
			continue
		case e.Type == engine.PodBlocked && blocked[e.Pod]:
			continue // tellBlockers says more
		case e.Type == engine.BatchWaiting && sc.Batch != nil && sc.Batch.ID == e.Batch && n.need() != "":
			continue // the question says more
		}
		n.sayAt(e.Time, n.m.eventSentence(e))
	}
	t.events, t.last, t.length = seen, keyOf(&events[len(events)-1]), len(events)
}

// eventSentence is an event for a line of its own: what the log tells by a sign
// stands there as a word.
func (m *Model) eventSentence(e *engine.Event) string {
	text := m.sc.eventText(e)
	switch e.Type {
	case engine.Warning:
		text = "warning: " + text
	case engine.RunFinished:
		text = "the run has " + text
	}
	if m.commands && e.Command != "" {
		text += " (the same by hand: " + e.Command + ")"
	}
	return text
}

// tellNotes tells what the dashboard has banners for: when it begins, when it has
// become something else, and when it is over.
func (n *narrator) tellNotes() {
	m, sc := n.m, n.m.sc
	for i := range sc.Sources {
		src := &sc.Sources[i]
		text := ""
		if src.Stale && !m.over() {
			text = "warning: " + m.staleText(src)
			if src.Problem != "" {
				text += ": " + strings.TrimPrefix(src.Problem, "the control cluster: ")
			}
			text += sc.staleMeans(src)
		}
		if sc.Partial && src.Problem == "" {
			text = "" // they are being read, which is told
		}
		n.note(string(src.Name), text, fmt.Sprintf("the data of the %s is fresh again", sc.sourceName(src.Name)))
	}
	if m.opts.ReadOnly {
		n.tellWatched()
	}
	alone := ""
	if sc.CloudOnly && !m.over() {
		alone = "warning: " + undrained
	}
	n.note("kubernetes", alone, "")
	gate := ""
	if sc.Gate != "" && sc.State == engine.Running {
		gate = "no new drain starts: " + lower(sc.brief(sc.Gate))
	}
	n.note("gate", gate, "drains may start again")
	canary := ""
	if sc.Canary != nil && sc.State == engine.Running {
		canary = m.canaryBanner(sc.Canary).text
	}
	n.note("canary", canary, "")
	skew := ""
	if sc.Skew.Abs() > skewShown {
		skew = m.skewText()
	}
	n.note("skew", skew, "")
	waits := ""
	if sc.Batch != nil && !m.over() && m.approved != sc.Batch.Hash && sc.State == engine.Running {
		if why := m.why(m.actionFor("a")); why != "" {
			waits = upper(batchShort(sc.Batch)) + " waits for approval"
			if !m.opts.ReadOnly {
				waits += ", not possible now: " + why
			}
		}
	}
	n.note("batch", waits, "")
}

// note tells about a topic. What differs by numbers only, as a countdown does, is the
// same; what changes often is told now and then.
func (n *narrator) note(topic, text, over string) {
	now := n.m.opts.Now()
	key := withoutNumbers(text)
	was, known := n.told.notes[topic]
	switch {
	case text == "" && known:
		delete(n.told.notes, topic)
		if over != "" && !n.m.over() {
			n.say(over)
		}
	case text == "", known && (was.said == key || now.Sub(was.at) < moments):
	default:
		n.told.notes[topic] = note{key, now}
		n.say(text)
	}
}

func withoutNumbers(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}

// tellBlockers tells each blocker with its way out: when it appears, when it has
// become another, and when its deadline comes near.
func (n *narrator) tellBlockers() {
	m, sc := n.m, n.m.sc
	if m.over() {
		return
	}
	now := m.opts.Now()
	told := make(map[string]string, len(sc.Blockers))
	for _, b := range sc.Blockers {
		key := string(b.Kind) + b.WayOut
		for _, v := range b.Budgets {
			key += fmt.Sprintf("%s %d", v.Ref, v.Allowed)
		}
		if b.Deadline != nil {
			left, _ := sc.remaining(b.Deadline, now)
			key += near(left)
		}
		pod := blockerKey(b)
		told[pod] = key
		switch was, known := n.told.blockers[pod]; {
		case !known:
			n.say("blocked: " + m.blockerSentence(b))
		case was != key:
			n.say("still blocked: " + m.blockerSentence(b))
		}
	}
	for pod := range n.told.blockers {
		if ref, _, _ := strings.Cut(pod, "\x00"); told[pod] == "" && sc.State == engine.NoRun { // a run's events tell it
			n.say("no longer blocked: " + ref)
		}
	}
	n.told.blockers = told
}

// near tells deadlines apart by how soon they are.
func near(left time.Duration) string {
	switch {
	case left <= time.Minute:
		return "1m"
	case left <= 5*time.Minute:
		return "5m"
	}
	return ""
}

// blockerSentence tells a blocker whole: what is in the way, the way out, and how
// long it may still take.
func (m *Model) blockerSentence(b *engine.Blocker) string {
	sc := m.sc
	text := sc.kept(b)
	if len(b.Budgets) == 0 {
		text += ", " + string(b.Kind)
		if b.Detail != "" {
			text += ": " + sc.brief(b.Detail)
		}
	}
	if b.WayOut != "" {
		way := sc.brief(b.WayOut)
		if m.opts.ReadOnly {
			way = m.wayOut(b.WayOut)
		}
		text += ". Way out: " + way
	}
	if d := m.deadlineText(b); d != "" {
		text += ". " + upper(d)
	}
	return text + "."
}

// deadlineText is how long a blocked pod's node may still take, "" if for ever.
func (m *Model) deadlineText(b *engine.Blocker) string {
	if b.Deadline == nil {
		return ""
	}
	left, still := m.sc.remaining(b.Deadline, m.opts.Now())
	text := deadlineWord(b) + countdown(left)
	if still {
		text += ", stands still"
	}
	return text
}

// patience is how long it may be silent.
func (n *narrator) patience() time.Duration {
	m, sc := n.m, n.m.sc
	waits := n.need() != "" || m.opts.ReadOnly && (sc.Batch != nil || sc.State == engine.NoRun)
	if sc.State == engine.Paused || sc.abandoned() || waits && !m.busy() {
		return patienceWaiting
	}
	return patienceAtWork
}

// progress is how the run stands, in a line.
func (n *narrator) progress() string {
	m, sc := n.m, n.m.sc
	if m.between() {
		return sc.betweenText()
	}
	word, _ := m.standing()
	if p, _ := sc.phase(); p != nil && word == "upgrading" {
		word = p.Name
	}
	parts := append([]string{sc.nodesText()}, m.atWork()...)
	if text := sc.poolProgress(); text != "" {
		parts = append(parts, text)
	}
	if text := n.blockedText(); text != "" {
		parts = append(parts, text)
	}
	if b := sc.Batch; b != nil && m.approved != b.Hash {
		text := batchShort(b) + " waits for approval"
		if !b.Since.IsZero() {
			text += " since " + countdown(sc.now(m.opts.Now()).Sub(b.Since))
		}
		parts = append(parts, text)
	}
	if sc.validating() {
		parts = append(parts, lower(m.validationSentence()))
	}
	if src := sc.stale(); src != nil {
		parts = append(parts, m.staleText(src))
	}
	if t := sc.timeLeft(); t != "" {
		parts = append(parts, t)
	}
	return word + ": " + strings.Join(parts, ", ")
}

// blockedText counts what is blocked, and names the one with the nearest deadline.
func (n *narrator) blockedText() string {
	m, sc := n.m, n.m.sc
	pods, _ := m.blocked()
	if pods == 0 {
		return ""
	}
	var first *engine.Blocker
	for _, b := range sc.Blockers {
		if first == nil || b.Deadline != nil && (first.Deadline == nil || b.Deadline.End.Before(first.Deadline.End)) {
			first = b
		}
	}
	text := count(pods, "pod") + " blocked: "
	if pods > 1 {
		text += "first "
	}
	text += first.Pod + " on " + sc.node(first.Node)
	if d := m.deadlineText(first); d != "" {
		text += ", " + d
	}
	return text
}
