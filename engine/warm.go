package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// EndWarm ends the machines of the group's warm pool that were made from another
// template than those to keep, so that they do not come into service; the group
// fills its pool again. It reports whether none is left. One that cannot be ended
// is no harm: it is rolled like any other when it comes into service.
func (s *Step) EndWarm(keep []world.Template) bool {
	done := true
	for _, m := range s.W.Group.Warm {
		key := "end-warm/" + m.ID
		if slices.Contains(keep, m.Template) || m.Leaving() {
			continue
		}
		if s.givenUp(key) {
			s.Note(text.WarmNotEnded(m.ID, s.Run.Retries[key].Message))
			continue
		}
		done = s.Ensure(record.Action{Kind: record.EndWarm, Key: key, Machine: m.ID, Zone: m.Zone, Group: s.Run.Group}) && done
	}
	return done
}

// Launches are the templates that the group launches from. One that was set back
// counts from the service's answer on, not only when it shows.
func (s *Reader) Launches() []world.Template {
	g := &s.W.Group
	now := g.Template
	if p, ok := s.Run.Pending[record.RestoreTemplate]; ok && !p.Accepted.IsZero() {
		now = *p.Action.Template
	}
	return append([]world.Template{now}, g.Overrides...)
}

// holdTime is how long the group's lifecycle hooks may hold a machine that
// launches or ends: hooks of one kind run side by side.
func (s *Reader) holdTime(launching bool) (longest time.Duration) {
	for _, h := range s.W.Group.Hooks {
		if h.Launching == launching {
			longest = max(longest, h.Timeout)
		}
	}
	return longest
}

// heldBy names the lifecycle hooks that hold a machine now, "" when none does.
func (s *Reader) heldBy(m *world.Machine) string {
	if m == nil || !strings.HasSuffix(m.Detail, ":Wait") {
		return ""
	}
	var names []string
	for _, h := range s.W.Group.Hooks {
		if h.Launching == (m.State == world.MachinePending) {
			names = append(names, h.Name)
		}
	}
	return text.HeldByHooks(names, s.holdTime(m.State == world.MachinePending).String())
}
