package e2e

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// board is the dashboard of a worker pool, and all that it has shown.
type board struct {
	*person

	mu   sync.Mutex
	seen []sight
}

// sight is what a board showed at one moment.
type sight struct {
	at    time.Time
	zones map[string]zoneShown // by the name that the pool's pane gives them
	rows  map[string]rowShown  // by the name that the table gives them
	pods  []podForced
}

// zoneShown is a zone in the pool's pane: total is 0 where nothing is said of it.
type zoneShown struct{ updated, desired, available, total int }

// rowShown is a node in the table.
type rowShown struct {
	stage, version string
	updated        bool
	what           string // its countdown, "" without one
	guess          bool
	left           time.Duration
	note           string
}

// podForced is the countdown of a pod, as the pane of what is blocked has it.
type podForced struct {
	guess bool
	left  time.Duration
}

var (
	zoneLine  = regexp.MustCompile(`^ (\S+) +(\d+) of (\d+) updated, (\d+) available(?:, (\d+) in all)?`)
	rowLine   = regexp.MustCompile(`^[ ›](\S+) +[^\sA-Za-z0-9] ([a-z]+)(?: +(\d+\.\d+\.\d+)( new)?)?( .*|)$`)
	timeShown = regexp.MustCompile(`(?:(~?)(drain forced|sick: forced|update fails|is given up|creation fails|is kept) +)?(~?)(\d+(?::\d\d){1,2}|\d+h\d\dm?|\d+h|\d+m)\b`)
	podTime   = regexp.MustCompile(`the pod is forced in (about )?(\d+(?::\d\d){1,2})`)
)

// blink is how often a board is looked at: far more often than it changes.
const blink = 40 * time.Millisecond

// newBoard looks at what a person has before him until the program ends. What is only
// half drawn is not looked at.
func newBoard(p *person) *board {
	b := &board{person: p}
	go func() {
		looks := time.NewTicker(blink)
		defer looks.Stop()
		last, drawn := "", 0
		for {
			select {
			case <-p.ended:
				return
			case <-looks.C:
			}
			p.mu.Lock()
			shown, now := p.screen.String(), p.raw.Len()
			p.mu.Unlock()
			still := now == drawn
			drawn = now
			if still && shown != last {
				last = shown
				b.mu.Lock()
				b.seen = append(b.seen, read(shown, time.Now().Add(-blink)))
				b.mu.Unlock()
			}
		}
	}()
	return b
}

// read is what a screen says of zones, nodes and pods.
func read(shown string, at time.Time) sight {
	s := sight{at: at, zones: map[string]zoneShown{}, rows: map[string]rowShown{}}
	pane := ""
	for line := range strings.SplitSeq(shown, "\n") {
		if strings.HasPrefix(line, "╭") {
			pane = strings.Trim(line, "╭─ ")
			continue
		}
		if m := podTime.FindStringSubmatch(line); m != nil {
			s.pods = append(s.pods, podForced{m[1] != "", clockTime(m[2])})
		}
		for cell := range strings.SplitSeq(strings.Trim(line, "│"), "││") {
			if m := zoneLine.FindStringSubmatch(cell); m != nil && strings.HasPrefix(pane, "pool ") {
				s.zones[m[1]] = zoneShown{counted(m[2]), counted(m[3]), counted(m[4]), counted(m[5])}
			} else if m := rowLine.FindStringSubmatch(cell); m != nil && !strings.HasPrefix(pane, "pool ") {
				s.rows[m[1]] = row(m)
			}
		}
	}
	return s
}

func row(m []string) rowShown {
	r := rowShown{stage: m[2], version: m[3], updated: m[4] != "", note: m[5]}
	if t := timeShown.FindStringSubmatchIndex(m[5]); t != nil {
		part := func(i int) string {
			if t[2*i] < 0 {
				return ""
			}
			return m[5][t[2*i]:t[2*i+1]]
		}
		// A note may tell of times as well; what is counted down is before it.
		if before := strings.TrimSpace(m[5][:t[0]]); !strings.Contains(before, ": ") {
			r.what, r.guess, r.left, r.note = part(2), part(1)+part(3) != "", clockTime(part(4)), m[5][t[1]:]
		}
	}
	r.note = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(r.note), "⚑!◆ "))
	return r
}

// clockTime is a duration as the board writes it: 1:59:41, 0:30, 1h58, 20m.
func clockTime(text string) (d time.Duration) {
	if minutes, ok := strings.CutSuffix(text, "m"); ok {
		text = minutes
		if !strings.Contains(text, "h") {
			return time.Duration(counted(text)) * time.Minute
		}
	}
	if hours, minutes, ok := strings.Cut(text, "h"); ok {
		return time.Duration(counted(hours))*time.Hour + time.Duration(counted(minutes))*time.Minute
	}
	for part := range strings.SplitSeq(text, ":") {
		d = d*60 + time.Duration(counted(part))*time.Second
	}
	return d
}

func counted(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// all is what it has shown so far.
func (b *board) all() []sight {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seen[:len(b.seen):len(b.seen)]
}

// A countdown is what a board said of when something comes: from its first sight to its
// last.
type countdown struct {
	what        string
	guess       bool
	first, last time.Time // when it was seen
	ends        time.Time // by its last sight
	wandered    time.Duration
}

func (c *countdown) add(at time.Time, left time.Duration, guess bool) {
	ends := at.Add(left)
	if c.first.IsZero() {
		c.first, c.ends, c.guess = at, ends, guess
	}
	c.wandered = max(c.wandered, ends.Sub(c.ends).Abs())
	c.last, c.ends = at, ends
}

// countdownOf is the countdown of a name on the row of a node, or of the only one that has
// such a countdown; ok is false if there was none.
func (b *board) countdownOf(what, node string) (c countdown, ok bool) {
	c.what = what
	for _, s := range b.all() {
		for name, r := range s.rows {
			if r.what == what && (node == "" || shortens(name, node)) {
				c.add(s.at, r.left, r.guess)
			}
		}
	}
	return c, !c.first.IsZero()
}

// shortens reports whether a row's name is that of a node or a machine, which may be cut in
// the middle.
func shortens(row, name string) bool {
	front, back, cut := strings.Cut(row, "…")
	return row == name || cut && strings.HasPrefix(name, front) && strings.HasSuffix(name, back)
}

// podCountdown is that of the pods that are held.
func (b *board) podCountdown() (c countdown, ok bool) {
	c.what = "pod forced"
	for _, s := range b.all() {
		for _, p := range s.pods {
			c.add(s.at, p.left, p.guess)
		}
	}
	return c, !c.first.IsZero()
}

// whole is how far apart two times may be because the API keeps whole seconds, and so does
// the board, whose rows move in turns within one.
const whole = 2500 * time.Millisecond

// busy is how much longer the controller's own steps, and a look of the board, may take on a
// machine that is busy with other tests.
const busy = 3 * time.Second

// agrees holds a countdown against what machine-controller-manager did: not before it
// ended, and after it within the period in which the controller looks again, which source
// names. early is by how much the countdown, where it is an estimate, may be too late.
func agrees(t *testing.T, c countdown, did string, at time.Time, period, early time.Duration, source string) {
	t.Helper()
	off := at.Sub(c.ends)
	mark := ""
	if c.guess {
		mark = "~"
	}
	t.Logf("countdown %s%q, seen for %s (to %s before its end), ended at %s; %s at %s: %+.1f s (looks again: %s, %s)", mark, c.what,
		c.last.Sub(c.first).Round(time.Second), max(c.ends.Sub(c.last), 0).Round(time.Second), c.ends.Format("15:04:05.0"), did, at.Format("15:04:05.0"), off.Seconds(), period, source)
	if off < -early-whole || off > period+whole+busy {
		t.Errorf("%s came %s after the end of %q, want it between %s before and %s after", did, off, c.what, early, period)
	}
	if !c.guess && early > 0 {
		t.Errorf("%q is not called an estimate", c.what)
	}
	if c.wandered > whole+busy {
		t.Errorf("%q moved by %s from one look to the next", c.what, c.wandered)
	}
}

// tellLast logs what it shows now.
func (b *board) tellLast() {
	b.t.Helper()
	b.t.Logf("the board shows\n%s", b.shows())
}
