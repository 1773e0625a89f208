package lines

import (
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// How long it is silent before the plain mode says how the run stands: while nodes
// are at work, and while it only waits for the operator. What has changed only in its
// details is printed again after moments at the earliest, and who keeps a pod in a roll that no run
// follows when it has for lasts: under a PDB pods wait for each other for a second or two.
const (
	patienceAtWork  = 30 * time.Second
	patienceWaiting = 5 * time.Minute
	moments         = 30 * time.Second
	lasts           = 5 * time.Second
)

// teller remembers what was told.
type teller struct {
	// events counts the log's events by what they say; last is the newest.
	events map[eventKey]int
	last   eventKey
	length int
	// blockers and notes are what was told of them, by pod and by topic; invalid is when
	// something was last told to be not valid.
	blockers map[string]toldBlocker // nil: none was looked at
	notes    map[string]note
	invalid  map[string]time.Time
}

// toldBlocker is what was told of a blocker last, since when there is one, and when it was told, zero: not yet.
type toldBlocker struct {
	key         string
	since, said time.Time
}

type note struct {
	said string
	at   time.Time
}

func newTeller() teller {
	return teller{events: map[eventKey]int{}, notes: map[string]note{}, invalid: map[string]time.Time{}}
}

// eventKey is what tells events apart; a log has no numbers, and may get events in
// its middle that others report late.
type eventKey struct {
	at                       int64
	kind                     record.EventType
	phase, node, pod, budget string
	batch                    int
	message                  string
}

func keyOf(e *record.Event) eventKey {
	return eventKey{e.Time.UnixNano(), e.Type, e.Phase, e.Node, e.Pod, e.Budget, e.Batch, e.Message}
}

// tell tells what is new in the snapshot.
func (n *narrator) tell() {
	n.tellEvents(nil)
	n.tellNotes()
	n.tellInvalid()
	n.tellBlockers()
}

// tellEvents tells each event once. With only, other new events count as told.
func (n *narrator) tellEvents(only func(*record.Event) bool) {
	sc, t := n.m.Scene, &n.told
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
		case seen[k] <= t.events[k], only != nil && !only(e):
			continue
		case e.Type == record.PodBlocked && blocked[e.Pod]:
			continue // tellBlockers says more
		case e.Type == record.BatchWaiting && sc.Batch != nil && sc.Batch.ID == e.Batch && n.need() != "":
			continue // the question says more
		}
		n.sayAt(e.Time, n.eventSentence(e))
	}
	t.events, t.last, t.length = seen, keyOf(&events[len(events)-1]), len(events)
}

// eventSentence is an event for a line of its own: what the log tells by a sign
// stands there as a word.
func (n *narrator) eventSentence(e *record.Event) string {
	m := n.m
	text := m.Scene.EventText(e)
	switch e.Type {
	case record.Warning:
		text = "warning: " + text
	case record.RunFinished:
		text = "the run has " + text
	}
	if m.Commands && e.Command != "" {
		text += " (equivalent command: " + e.Command + ")"
	}
	return text
}

// tellNotes tells what the dashboard has banners for: when it begins, when it has
// become something else, and when it is over.
func (n *narrator) tellNotes() {
	m, sc := n.m, n.m.Scene
	for i := range sc.Sources {
		src := &sc.Sources[i]
		text := ""
		if src.Stale && !m.Scene.Over() {
			text = "warning: " + m.Scene.StaleText(src)
			if src.Problem != "" {
				text += ": " + strings.TrimPrefix(src.Problem, "the control cluster: ")
			}
			text += sc.StaleMeans(src)
		}
		if sc.Partial && src.Problem == "" {
			text = "" // they are being read, which is printed
		}
		n.note(string(src.Name), text, fmt.Sprintf("the data of the %s is fresh again", sc.SourceName(src.Name)))
	}
	if m.Opts.ReadOnly {
		n.tellWatched()
	}
	alone := ""
	if sc.CloudOnly && !m.Scene.Over() {
		alone = "warning: " + scene.CloudOnlyText
	}
	n.note("kubernetes", alone, "")
	gate := ""
	if sc.Gate != "" && sc.State == record.Running {
		gate = "no new drain starts: " + style.Lower(sc.Brief(sc.Gate))
	}
	n.note("gate", gate, "drains may start again")
	canary := ""
	if sc.Canary != nil && sc.State == record.Running {
		canary, _ = sc.CanaryText(m.Styles)
	}
	n.note("canary", canary, "")
	n.note("accepted", sc.AcceptedText(), "the canary is healthy again")
	skew := ""
	if sc.Skew.Abs() > scene.SkewShown {
		skew = m.Scene.SkewText()
	}
	n.note("skew", skew, "")
	waits := ""
	if sc.Batch != nil && !m.Scene.Over() && m.Approved != sc.Batch.Hash && sc.State == record.Running {
		if why := m.Why(m.ActionFor("a")); why != "" {
			waits = style.Upper(scene.BatchName(sc.Batch)) + " waits for approval"
			if !m.Opts.ReadOnly {
				waits += ", not possible now: " + why
			}
		}
	}
	n.note("batch", waits, "")
}

// note tells about a topic. What differs by numbers only, as a countdown does, is the
// same; what changes often is printed now and then.
func (n *narrator) note(topic, text, over string) {
	now := n.m.Opts.Now()
	key := withoutNumbers(text)
	was, known := n.told.notes[topic]
	switch {
	case text == "" && known:
		delete(n.told.notes, topic)
		if over != "" && !n.m.Scene.Over() {
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
	m, sc := n.m, n.m.Scene
	if m.Scene.Over() {
		return
	}
	now, idle, first := m.Opts.Now(), sc.State == record.NoRun, n.told.blockers == nil
	told := make(map[string]toldBlocker, len(sc.Blockers))
	for _, b := range sc.Blockers {
		if b.Guess { // the event that names the nodes says more
			continue
		}
		key := string(b.Kind) + b.WayOut
		for _, v := range b.Budgets {
			key += fmt.Sprintf("%s %d", v.Ref, v.Allowed)
		}
		if b.Deadline != nil {
			left, _ := sc.Remaining(b.Deadline, now)
			key += near(left)
		}
		pod := scene.BlockerKey(b)
		is, known := n.told.blockers[pod]
		if !known {
			is.since = now
		}
		switch {
		case is.said.IsZero() && idle && !first && now.Sub(is.since) < lasts, is.key != key && idle && now.Sub(is.said) < moments:
		case is.said.IsZero():
			n.say("blocked: " + blockerSentence(sc, b))
			is.key, is.said = key, now
		case is.key != key:
			n.say("still blocked: " + blockerSentence(sc, b))
			is.key, is.said = key, now
		}
		told[pod] = is
	}
	for pod, was := range n.told.blockers {
		ref, _, _ := strings.Cut(pod, "\x00")
		if _, is := told[pod]; !is && idle && !was.said.IsZero() { // a run's events tell it
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
func blockerSentence(sc *scene.Scene, b *blockers.Blocker) string {
	text := sc.KeptText(b)
	if len(b.Budgets) == 0 {
		text += ", " + string(b.Kind)
		if b.Detail != "" {
			text += ": " + sc.Brief(b.Detail)
		}
	}
	if b.WayOut != "" {
		way := sc.Brief(b.WayOut)
		if sc.ReadOnly {
			way = sc.WayOut(b.WayOut)
		}
		text += ". Way out: " + way
	}
	if d := sc.DeadlineText(b); d != "" {
		text += ". " + style.Upper(d)
	}
	return text + "."
}

// patience is how long it may be silent.
func (n *narrator) patience() time.Duration {
	m, sc := n.m, n.m.Scene
	waits := n.need() != "" || m.Opts.ReadOnly && (sc.Batch != nil || sc.State == record.NoRun)
	if sc.State == record.Paused || sc.Abandoned() || waits && !m.Scene.Busy() {
		return patienceWaiting
	}
	return patienceAtWork
}

// progress is how the run stands, in a line.
func (n *narrator) progress() string {
	m, sc := n.m, n.m.Scene
	if m.Scene.Between() {
		return sc.BetweenText()
	}
	word, _ := m.Scene.StandingLook(m.Styles)
	if p, _ := sc.CurrentPhase(); p != nil && word == "upgrading" {
		word = p.Name
	}
	parts := append([]string{sc.NodesText()}, m.Scene.AtWork()...)
	if text := sc.PoolProgress(); text != "" {
		parts = append(parts, text)
	}
	if text := n.blockedText(); text != "" {
		parts = append(parts, text)
	}
	if b := sc.Batch; b != nil && m.Approved != b.Hash {
		text := scene.BatchName(b) + " waits for approval"
		if !b.Since.IsZero() {
			text += " since " + style.Countdown(sc.Now(m.Opts.Now()).Sub(b.Since))
		}
		parts = append(parts, text)
	}
	if sc.Validating() {
		parts = append(parts, style.Lower(m.Scene.ValidationSentence(m.Styles)))
	}
	if src := sc.StalestSource(); src != nil {
		parts = append(parts, m.Scene.StaleText(src))
	}
	if t, _ := sc.EndText(sc.Now(m.Opts.Now())); t != "" {
		parts = append(parts, t)
	}
	if t := sc.ForecastText(); t != "" {
		parts = append(parts, t)
	}
	return word + ": " + strings.Join(parts, ", ")
}

// blockedText counts what is blocked, and names the one with the nearest deadline.
func (n *narrator) blockedText() string {
	m, sc := n.m, n.m.Scene
	pods, _ := m.Scene.BlockedPods()
	if pods == 0 {
		return ""
	}
	var first *blockers.Blocker
	for _, b := range sc.Blockers {
		if first == nil || b.Deadline != nil && (first.Deadline == nil || b.Deadline.End.Before(first.Deadline.End)) {
			first = b
		}
	}
	text := style.Count(pods, "pod") + " blocked: "
	if first.Guess {
		text = style.Count(pods, "pod") + " may be blocked: "
	}
	if pods > 1 {
		text += "first "
	}
	text += first.Pod + " on " + sc.NodeName(first.Node)
	if d := m.Scene.DeadlineText(first); d != "" {
		text += ", " + d
	}
	return text
}

// ignoredKey begins the keys of what is ignored, which is printed once for several validations.
const ignoredKey = "ignored "

// tellInvalid names what keeps the cluster from being valid, each when it appears: what
// comes and goes again is printed now and then.
func (n *narrator) tellInvalid() {
	m, sc := n.m, n.m.Scene
	if !sc.Validating() {
		maps.DeleteFunc(n.told.invalid, func(key string, _ time.Time) bool { return !strings.HasPrefix(key, ignoredKey) })
		return
	}
	now := m.Opts.Now()
	var lines []string
	for _, f := range scene.Failures(sc.Validation) {
		key := f.Kind + " " + f.Name + " " + withoutNumbers(f.Message)
		if f.Ignored {
			key = ignoredKey + key
		}
		if was, known := n.told.invalid[key]; known && now.Sub(was) < patienceWaiting {
			continue
		}
		n.told.invalid[key] = now
		line := sc.FailureText(f)
		if !f.Ignored {
			line = "not valid yet: " + line
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return
	}
	for _, line := range lines {
		n.say(line)
	}
	n.say(m.Scene.ValidationSentence(m.Styles) + ".")
}
