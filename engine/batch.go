package engine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/preflight"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// approve keeps the batches going: it forms the next one when a slot is free and
// nothing approved is left to start (or the gate holds that, and a node that waits for
// approval would pass it), and moves the nodes of an approved batch to queued.
func approve(s *Step, slots int) {
	if slots <= 0 || s.Startable() && (s.Run.Gate == "" || !s.AnyPassesGate()) {
		return
	}
	if n := len(s.Run.Batches); n > 0 && s.Run.Batches[n-1].Approved.IsZero() {
		refreshBatch(s)
		return
	}
	if s.Capabilities().WholeBatches && s.Count(record.Updating, record.Queued) > 0 && s.Run.Settings.Approve != record.ApproveNone {
		return // the last batch has to be healthy first
	}
	if !canaryOver(s) {
		return
	}
	next := nextBatch(&s.Reader)
	if len(next) == 0 {
		return
	}
	b := newBatch(&s.Reader, len(s.Run.Batches)+1, next)
	if how := s.Run.Settings.Approve; how == record.ApproveNone || how == record.ApprovePhase {
		b.Approved, b.By = s.Now, text.ApprovedBySetting(string(how))
	}
	s.Run.Batches = append(s.Run.Batches, b)
	if b.Approved.IsZero() {
		s.Report(record.Event{Type: record.BatchWaiting, Batch: b.ID, Message: b.WaitsFor()})
		return
	}
	queue(s, b)
}

// nextBatch lists the machines that would be approved next: first those that take
// nothing out of service, which may be what the gate waits for.
func nextBatch(s *assess.Reader) []string {
	var first, waiting, held []string
	for _, id := range s.Run.Order {
		switch {
		case s.Run.Nodes.Peek(id).Stage != record.Outdated:
		case s.PassesGate(id):
			first = append(first, id)
		case s.ZoneBusy(id):
			held = append(held, id)
		default:
			waiting = append(waiting, id)
		}
	}
	waiting = slices.Concat(first, waiting, held)
	return waiting[:min(len(waiting), batchSize(s, len(waiting)))]
}

func batchSize(s *assess.Reader, waiting int) int {
	switch {
	case s.Run.Settings.Approve == record.ApproveNone, s.Run.Settings.Approve == record.ApprovePhase:
		return waiting
	case s.Run.Settings.Approve == record.ApproveCanary && assess.CanaryStarted(&s.Run):
		return waiting
	case s.Run.Settings.Approve == record.ApproveCanary:
		return 1
	case s.Run.Settings.BatchSize > 0:
		return s.Run.Settings.BatchSize
	}
	return s.AtOnce()
}

func newBatch(s *assess.Reader, id int, machines []string) record.Batch {
	b := record.Batch{ID: id, Machines: machines, Waiting: s.Now}
	for _, m := range machines {
		b.Names = append(b.Names, s.Label(m, s.Run.Nodes.Get(m)))
	}
	b.Hash = hash(s, machines)
	return b
}

// Approved reports whether a phase may begin: at once, unless every phase is to be
// approved; then it waits for that.
func (s *Step) Approved(phase string) bool {
	if s.Run.Settings.Approve != record.ApprovePhase || s.Run.State != record.Running {
		return s.Run.State == record.Running
	}
	for _, b := range s.Run.Batches {
		if b.Phase == phase {
			return !b.Approved.IsZero()
		}
	}
	b := record.Batch{ID: len(s.Run.Batches) + 1, Phase: phase, Waiting: s.Now, Hash: hash(&s.Reader, []string{assess.PhasePrefix + phase})}
	s.Run.Batches = append(s.Run.Batches, b)
	s.Report(record.Event{Type: record.BatchWaiting, Batch: b.ID, Phase: phase, Message: b.WaitsFor()})
	return false
}

// hash sums up what an approval is for: the machines, in their order.
func hash(s *assess.Reader, machines []string) string {
	h := sha256.New()
	for _, m := range machines {
		h.Write([]byte(m + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// refreshBatch makes the waiting batch again when its nodes are no longer all
// there to be rolled.
func refreshBatch(s *Step) {
	last := len(s.Run.Batches) - 1
	b := s.Run.Batches[last]
	next := nextBatch(&s.Reader)
	if slices.Equal(next, b.Machines) {
		return
	}
	s.Run.Batches = s.Run.Batches[:last]
	s.changed = true
	if len(next) > 0 && b.Phase == "" {
		s.Run.Batches = append(s.Run.Batches, newBatch(&s.Reader, b.ID, next))
	}
}

// queue moves the nodes of an approved batch to queued.
func queue(s *Step, b record.Batch) {
	for _, id := range b.Machines {
		if n := s.Run.Nodes.Get(id); n.Stage == record.Outdated {
			n.Stage, n.Since, n.Batch = record.Queued, s.Now, b.ID
			s.SetNode(id, n)
		}
	}
	for i := range s.Run.Batches {
		if s.Run.Batches[i].ID == b.ID {
			s.Run.Batches[i].Names = nil
		}
	}
	s.Report(record.Event{Type: record.BatchApproved, Batch: b.ID, Reason: b.By, Message: text.BatchApproved(b.Names)})
}

// previewBatch keeps the outlook of a waiting batch in the run.
func previewBatch(s *Step) {
	b, waiting := s.Run.Waiting()
	if !waiting || s.Run.State == record.Ending || s.Run.State == record.Finished || s.Now.Sub(b.Preview.AsOf) < preflight.PreviewEvery {
		return
	}
	was := b.Preview
	b.Preview = preflight.Batch(&s.Reader, b)
	if more := len(b.Preview.Foreseen) - preflight.MostForeseen; more > 0 {
		b.Preview.Foreseen = append(b.Preview.Foreseen[:preflight.MostForeseen:preflight.MostForeseen], text.Rest(more))
	}
	s.Run.Batches[len(s.Run.Batches)-1] = b
	s.changed = s.changed || was.Evict != b.Preview.Evict || was.Ignore != b.Preview.Ignore || was.NotEvaluated != b.Preview.NotEvaluated || !slices.Equal(was.Foreseen, b.Preview.Foreseen)
}

// canaryOver reports whether the nodes after the canary may be asked for: it is
// replaced, and every new node has been Ready for CanaryWatch with no pod that
// crash-loops only there. A trouble that lasts as long pauses the run until it is over, or
// accepted.
func canaryOver(s *Step) bool {
	if s.Run.Settings.Approve != record.ApproveCanary || !assess.CanaryStarted(&s.Run) {
		return true
	}
	if s.Run.Canary != nil && s.Run.Canary.Passed {
		return true
	}
	if s.Count(record.Queued, record.Draining, record.Settling, record.Terminating, record.Updating) > 0 || !s.Fresh(world.Cluster) || !s.Fresh(world.Cloud) {
		return false
	}
	c := record.Canary{Wait: s.NewWait("canary", s.Run.Settings.CanaryWatch, world.Cluster, world.Cloud)}
	if s.Run.Canary != nil {
		c = *s.Run.Canary
	}
	trouble, complete := canaryTrouble(&s.Reader)
	c.Open = !complete
	switch {
	case !complete:
		c.Wait = s.NewWait("canary", s.Run.Settings.CanaryWatch, world.Cluster, world.Cloud)
	case trouble == "" && c.Trouble != "":
		c.Trouble, c.Since = "", time.Time{}
		c.Wait = s.NewWait("canary", s.Run.Settings.CanaryWatch, world.Cluster, world.Cloud)
	case trouble != "" && c.Trouble == "":
		c.Since = s.Now
		c.Wait = s.NewWait("canary", s.Run.Settings.CanaryWatch, world.Cluster, world.Cloud)
		s.Report(record.Event{Type: record.ValidationFailed, Reason: "canary", Until: until(s, c.Wait), Message: text.CanaryInTrouble(trouble)})
	}
	c.Trouble = trouble
	if s.Over(c.Wait) {
		if trouble != "" {
			c.Stands = true
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

// canaryTrouble says what is wrong with the new nodes, "" if nothing is. They are
// not complete as long as one is launching, or is yet to be launched, and has time
// left.
func canaryTrouble(s *assess.Reader) (trouble string, complete bool) {
	old := map[string]bool{} // owners with pods that crash-loop elsewhere too
	crashing := map[string]*world.Pod{}
	for _, id := range slices.Sorted(s.Run.Nodes.Keys()) {
		n := s.Run.Nodes.Get(id)
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
	if missing := notLaunched(s); missing != "" {
		return missing, s.LaunchFailure() != "" || s.Now.Sub(lastReplaced(s)) >= s.Run.Settings.NodeReadyTimeout
	}
	for _, owner := range slices.Sorted(maps.Keys(crashing)) {
		if p := crashing[owner]; !old[owner] {
			return text.CrashesHereOnly(p.Ref(), p.Node, assess.OwnerName(p)), true
		}
	}
	return "", true
}

// notLaunched says how many machines the group has yet to launch, "" if none.
func notLaunched(s *assess.Reader) string {
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
func lastReplaced(s *assess.Reader) (last time.Time) {
	for _, id := range s.In(record.Replaced) {
		if since := s.Run.Nodes.Peek(id).Since; since.After(last) {
			last = since
		}
	}
	return last
}

// observeCanary pauses the run, before anything else begins, for a trouble that has lasted as long as a canary
// is watched, and ends one that stands once the new nodes have been well for as long: it holds the run no more.
func observeCanary(s *Step) {
	if c := s.Run.Canary; c != nil && !c.Stands && c.Trouble != "" && s.Run.State == record.Running && s.Over(c.Wait) {
		canaryOver(s)
	}
	c := s.Run.Canary
	if c == nil || !c.Stands || !s.Fresh(world.Cluster) || !s.Fresh(world.Cloud) {
		return
	}
	next := *c
	switch trouble, complete := canaryTrouble(&s.Reader); {
	case trouble != "" || !complete:
		next.Well = time.Time{}
	case c.Well.IsZero():
		next.Well = s.Now
		s.WakeAt(s.Now.Add(s.Run.Settings.CanaryWatch))
	case s.Now.Sub(c.Well) >= s.Run.Settings.CanaryWatch:
		next = record.Canary{Wait: s.NewWait("canary", s.Run.Settings.CanaryWatch, world.Cluster, world.Cloud), Passed: c.Passed, By: c.By}
		s.Report(record.Event{Type: record.ValidationPassed, Reason: "canary", Message: text.CanaryRecovered(c.Trouble)})
		if c.Holds() && s.Run.State == record.Paused {
			s.Run.Why = text.CanaryRecovered(c.Trouble)
		}
	default:
		s.WakeAt(c.Well.Add(s.Run.Settings.CanaryWatch))
		return
	}
	s.changed = s.changed || next.Well != c.Well || next.Stands != c.Stands
	s.Run.Canary = &next
}
