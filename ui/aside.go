package ui

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
)

// asideMsg is what this process or a child wrote to stderr while the screen is up.
type asideMsg struct{ lines []string }

const (
	// asideEvery is how long lines are gathered before they are shown.
	asideEvery = 100 * time.Millisecond
	// asideShown is how many lines the log keeps, asideKept how many are printed when
	// the screen is closed: the newest.
	asideShown = 50
	asideKept  = 200
)

// overhear puts what was written to stderr into the log.
func (m *Model) overhear(lines []string) {
	at := m.opts.Now()
	if m.sc != nil {
		at = m.sc.now(at)
	}
	var events []engine.Event
	for _, l := range lines[max(len(lines)-asideShown, 0):] {
		events = append(events, engine.Event{Time: at, Type: engine.Warning, Reason: "stderr", Message: "written to stderr: " + l})
	}
	m.overheard = append(m.overheard, events...)
	m.overheard = m.overheard[max(len(m.overheard)-asideShown, 0):]
	if m.sc != nil {
		s := *m.sc.Snapshot // what was published is never changed
		s.Events = slices.Concat(s.Events, events)
		m.sc.Snapshot, m.dirty = &s, true
	}
}

// withOverheard is a snapshot with what was overheard in its log.
func (m *Model) withOverheard(s *engine.Snapshot) *engine.Snapshot {
	if len(m.overheard) == 0 {
		return s
	}
	with := *s
	with.Events = slices.Concat(s.Events, m.overheard)
	slices.SortStableFunc(with.Events, func(a, b engine.Event) int { return a.Time.Compare(b.Time) })
	return &with
}
