package engine

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// canaryOver reports whether the nodes after the canary may be asked for: it is
// replaced, and every new node has been Ready for CanaryWatch with no pod that
// crash-loops only there. A trouble that lasts as long pauses the run; resuming it
// accepts the trouble.
func (s *Step) canaryOver() bool {
	if s.Run.Settings.Approve != record.ApproveCanary || !s.canaryStarted() {
		return true
	}
	if s.Run.Canary != nil && s.Run.Canary.Passed {
		return true
	}
	if s.Count(record.Queued, record.Draining, record.Settling, record.Terminating, record.Updating) > 0 || !s.Fresh(world.Cluster) || !s.Fresh(world.Cloud) {
		return false
	}
	c := record.Canary{Wait: s.newWait("canary", s.Run.Settings.CanaryWatch, world.Cluster, world.Cloud)}
	if s.Run.Canary != nil {
		c = *s.Run.Canary
	}
	trouble, complete := s.canaryTrouble()
	c.Open = !complete
	switch {
	case !complete:
		c.Wait = s.newWait("canary", s.Run.Settings.CanaryWatch, world.Cluster, world.Cloud)
	case trouble == "" && c.Trouble != "":
		c.Trouble, c.Since = "", time.Time{}
		c.Wait = s.newWait("canary", s.Run.Settings.CanaryWatch, world.Cluster, world.Cloud)
	case trouble != "" && c.Trouble == "":
		c.Since = s.Now
		c.Wait = s.newWait("canary", s.Run.Settings.CanaryWatch, world.Cluster, world.Cloud)
		s.Report(record.Event{Type: record.ValidationFailed, Reason: "canary", Until: until(c.Wait), Message: text.CanaryInTrouble(trouble)})
	}
	c.Trouble = trouble
	if s.Over(c.Wait) {
		if trouble != "" {
			s.Run.Canary = &c
			s.Pause(text.CanaryPause(trouble))
			return false
		}
		c.Passed = true
		s.Report(record.Event{Type: record.ValidationPassed, Reason: "canary", Message: text.CanaryPassed(s.Run.Settings.CanaryWatch.String())})
	}
	s.changed = s.changed || s.Run.Canary == nil || s.Run.Canary.Trouble != c.Trouble || s.Run.Canary.Open != c.Open
	s.Run.Canary = &c
	return c.Passed
}

// canaryStarted reports whether the canary is no longer to come: a node of the
// first batch was replaced or is in work. One that was skipped or failed is no
// canary, another one is taken.
func (s *Reader) canaryStarted() bool {
	for _, n := range s.Run.Nodes {
		if n.Batch > 0 && !n.New && n.Stage != record.Outdated && n.Stage != record.Skipped && n.Stage != record.NodeFail {
			return true
		}
	}
	return false
}

// canaryTrouble says what is wrong with the new nodes, "" if nothing is. They are
// not complete as long as one is launching, or is yet to be launched, and has time
// left.
func (s *Reader) canaryTrouble() (trouble string, complete bool) {
	old := map[string]bool{} // owners with pods that crash-loop elsewhere too
	crashing := map[string]*world.Pod{}
	for _, id := range slices.Sorted(maps.Keys(s.Run.Nodes)) {
		n := s.Run.Nodes[id]
		if m := s.W.Machine(id); n.New && n.Stage != record.Terminating && m != nil && !m.Leaving() {
			switch why := s.WhyNotReady(m); {
			case why == "":
			case n.Stage == record.Launching && !s.Over(n.Wait):
				return "", false
			default:
				return why, true
			}
		}
		for _, p := range s.W.PodsOn(n.Name) {
			owner := cmp.Or(p.Owner.UID, p.UID)
			switch {
			case !p.Crashing:
			case !n.New && n.Stage != record.Replaced: // one that was updated in place is still there
				old[owner] = true
			case crashing[owner] == nil:
				crashing[owner] = p
			}
		}
	}
	if missing := s.notLaunched(); missing != "" {
		return missing, s.LaunchFailure() != "" || s.Now.Sub(s.lastReplaced()) >= s.Run.Settings.NodeReadyTimeout
	}
	for _, owner := range slices.Sorted(maps.Keys(crashing)) {
		if p := crashing[owner]; !old[owner] {
			return text.CrashesHereOnly(p.Ref(), p.Node, ownerName(p)), true
		}
	}
	return "", true
}

// notLaunched says how many machines the group has yet to launch, "" if none.
func (s *Reader) notLaunched() string {
	have := 0
	for _, m := range s.W.Machines() {
		if !m.Leaving() && !m.Detached && m.State != world.MachineStandby {
			have++
		}
	}
	want := s.W.Group.Sizes.Desired
	if have >= want {
		return ""
	}
	return text.MachinesMissing(have, want, s.LaunchFailure())
}

// lastReplaced is when the last outdated node was replaced.
func (s *Reader) lastReplaced() (last time.Time) {
	for _, id := range s.In(record.Replaced) {
		if since := s.Run.Nodes[id].Since; since.After(last) {
			last = since
		}
	}
	return last
}

// acceptCanary lets the other nodes follow although the canary is not well, if that
// is why the run was paused.
func (s *Step) acceptCanary(by string) {
	if c := s.Run.Canary; c != nil && c.Trouble != "" && !c.Passed && s.Over(c.Wait) {
		s.Run.Canary = &record.Canary{Wait: c.Wait, Trouble: c.Trouble, Since: c.Since, Passed: true, By: by}
		s.Report(record.Event{Type: record.ValidationPassed, Reason: "canary", Message: text.CanaryAccepted(by, c.Trouble)})
	}
}
