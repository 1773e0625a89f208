package assess

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// JoinTime is the time that a new machine has to be Ready, lifecycle hooks of launching
// machines included.
func (s *Reader) JoinTime() time.Duration {
	return s.Run.Settings.NodeReadyTimeout + HoldTime(s.W, true)
}

// Missing says what is not there of the machines that the group is to have, "" if all are
// there and the new ones Ready.
func (s *Reader) Missing() string {
	ready, why := 0, ""
	for _, m := range s.W.Machines() {
		if !counts(m) {
			continue
		}
		if not := s.WhyNotReady(m); not != "" && s.Run.Nodes.Peek(m.ID).New {
			why = not
			continue
		}
		ready++
	}
	if want := s.W.Group.Sizes.Desired; why == "" && ready < want {
		why = systems.NodesReady(ready, want, s.LaunchTrouble())
	}
	return why
}

// AwaitedLaunch says what is not there of the machines that the run depends on while it
// drains, "" if all are: one that has not joined, or so many that the group has not launched.
// What others add to the group is not waited for, nor what the run began without.
func (s *Reader) AwaitedLaunch() string {
	for _, id := range s.In(record.Launching) {
		if m := s.W.Machine(id); m != nil && counts(m) {
			if why := s.WhyNotReady(m); why != "" {
				return why
			}
		}
	}
	if n := s.NotLaunched(min(s.W.Group.Sizes.Desired, s.Run.Expected()-max(0, s.Run.Others))) - s.Run.Forgone; n > 0 {
		return text.NotLaunched(n, s.LaunchTrouble())
	}
	return ""
}

// NotLaunched is how many machines the group lacks of so many. One whose termination was
// requested is not there, unless the request was refused before and has no answer yet; nor one that takes the group's
// size down with it while the request is refused: what its end does to the size counts from the same moment.
func (s *Reader) NotLaunched(want int) int {
	there := s.facts().with[counted]
	missing := want - len(there)
	for key, p := range s.Run.Pending {
		id, ends := strings.CutPrefix(key, "terminate/")
		if _, refused := s.Run.Retries[key]; ends && there[id] && (!refused || !p.Accepted.IsZero()) {
			missing++
		}
	}
	return missing
}

// counts reports whether a machine is one of those that its group is to have.
func counts(m *world.Machine) bool {
	return !m.Leaving() && !m.Detached && m.State != world.MachineStandby
}

// LateLaunch says of the new machine that used up its own time first why it is not Ready, ""
// if none has.
func (s *Reader) LateLaunch() string {
	var first *world.Machine
	end := func(m *world.Machine) time.Time { return s.Run.Nodes.Peek(m.ID).Wait.End }
	for _, id := range s.In(record.Launching) {
		m := s.W.Machine(id)
		if m != nil && counts(m) && s.Run.Nodes.Peek(id).Wait != nil && s.Over(s.Run.Nodes.Peek(id).Wait) && (first == nil || end(m).Before(end(first))) {
			first = m
		}
	}
	if first == nil {
		return ""
	}
	return s.WhyNotReady(first)
}

// JoinedSince reports whether a new machine has got Ready since then.
func (s *Reader) JoinedSince(then time.Time) bool {
	return slices.ContainsFunc(s.In(record.Ready), func(id string) bool { return s.Run.Nodes.Peek(id).Since.After(then) })
}

// HasDrained reports whether the run has begun to drain a node that it is to replace.
func HasDrained(run *record.Run) bool {
	for _, n := range run.Nodes.All() {
		if !n.New && (!n.Began.IsZero() || n.Stage == record.Replaced && n.Reason != text.LeftNotByUs) {
			return true
		}
	}
	return false
}

// LaunchTrouble is why the group launches nothing, in the cloud's own words: its process is
// suspended, or the newest launch that failed since the run began; "" if neither is known.
func (s *Reader) LaunchTrouble() string {
	if g := &s.W.Group; g.HasSuspended(world.LaunchProcess) {
		return text.LaunchSuspended(g.SuspensionReasons[world.LaunchProcess])
	}
	return s.LaunchFailure()
}
