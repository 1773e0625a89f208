package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
)

// approve keeps the batches going: it forms the next one when a slot is free and
// nothing approved is left to start (or the gate holds that, and a node that waits for
// approval would pass it), and moves the nodes of an approved batch to queued.
func (s *Step) approve(slots int) {
	if slots <= 0 || s.startable() && (s.Run.Gate == "" || !s.anyPassesGate()) {
		return
	}
	if n := len(s.Run.Batches); n > 0 && s.Run.Batches[n-1].Approved.IsZero() {
		s.refreshBatch()
		return
	}
	if s.capabilities().WholeBatches && s.Count(record.Updating, record.Queued) > 0 && s.Run.Settings.Approve != record.ApproveNone {
		return // the last batch has to be healthy first
	}
	if !s.canaryOver() {
		return
	}
	next := s.nextBatch()
	if len(next) == 0 {
		return
	}
	b := s.newBatch(len(s.Run.Batches)+1, next)
	if how := s.Run.Settings.Approve; how == record.ApproveNone || how == record.ApprovePhase {
		b.Approved, b.By = s.Now, text.ApprovedBySetting(string(how))
	}
	s.Run.Batches = append(s.Run.Batches, b)
	if b.Approved.IsZero() {
		s.Report(record.Event{Type: record.BatchWaiting, Batch: b.ID, Message: text.BatchWaiting(b.Names)})
		return
	}
	s.queue(b)
}

// startable reports whether a node that is approved waits for nothing but its turn.
func (s *Reader) startable() bool {
	return slices.ContainsFunc(s.facts().stages[record.Queued], func(id string) bool { return !s.zoneBusy(id) })
}

// anyPassesGate reports whether a node of the order passes the gate before it is approved.
func (s *Reader) anyPassesGate() bool {
	f := s.orderFacts()
	return anyKey(f.with[outOfUse], func(id string) bool {
		_, there := f.places[id]
		return there && s.passesGate(id)
	})
}

// zoneBusy reports whether the strategy holds a node back because others of its zone are
// in work, which may last: other zones need not wait for it.
func (s *Reader) zoneBusy(id string) bool {
	if s.held(id, nil) == "" {
		return false
	}
	zone := s.Run.Nodes[id].Zone
	return slices.ContainsFunc(s.In(record.Draining, record.Settling, record.Terminating, record.Updating), func(other string) bool { return s.Run.Nodes[other].Zone == zone })
}

// nextBatch lists the machines that would be approved next: first those that take
// nothing out of service, which may be what the gate waits for.
func (s *Reader) nextBatch() []string {
	var first, waiting, held []string
	for _, id := range s.Run.Order {
		switch {
		case s.Run.Nodes[id].Stage != record.Outdated:
		case s.passesGate(id):
			first = append(first, id)
		case s.zoneBusy(id):
			held = append(held, id)
		default:
			waiting = append(waiting, id)
		}
	}
	waiting = slices.Concat(first, waiting, held)
	return waiting[:min(len(waiting), s.batchSize(len(waiting)))]
}

func (s *Reader) batchSize(waiting int) int {
	switch {
	case s.Run.Settings.Approve == record.ApproveNone, s.Run.Settings.Approve == record.ApprovePhase:
		return waiting
	case s.Run.Settings.Approve == record.ApproveCanary && s.canaryStarted():
		return waiting
	case s.Run.Settings.Approve == record.ApproveCanary:
		return 1
	case s.Run.Settings.BatchSize > 0:
		return s.Run.Settings.BatchSize
	}
	return s.atOnce()
}

func (s *Reader) newBatch(id int, machines []string) record.Batch {
	b := record.Batch{ID: id, Machines: machines, Waiting: s.Now}
	for _, m := range machines {
		b.Names = append(b.Names, s.label(m, s.Run.Nodes[m]))
	}
	b.Hash = s.hash(machines)
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
	b := record.Batch{ID: len(s.Run.Batches) + 1, Phase: phase, Waiting: s.Now, Hash: s.hash([]string{phasePrefix + phase})}
	s.Run.Batches = append(s.Run.Batches, b)
	s.Report(record.Event{Type: record.BatchWaiting, Batch: b.ID, Phase: phase, Message: text.PhaseWaiting(phase)})
	return false
}

// phasePrefix tells the approval of a phase from that of a machine.
const phasePrefix = "phase "

// hash sums up what an approval is for: the machines, in their order.
func (s *Reader) hash(machines []string) string {
	h := sha256.New()
	for _, m := range machines {
		h.Write([]byte(m + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// refreshBatch makes the waiting batch anew when its nodes are no longer all
// there to be rolled.
func (s *Step) refreshBatch() {
	last := len(s.Run.Batches) - 1
	b := s.Run.Batches[last]
	next := s.nextBatch()
	if slices.Equal(next, b.Machines) {
		return
	}
	s.Run.Batches = s.Run.Batches[:last]
	s.changed = true
	if len(next) > 0 && b.Phase == "" {
		s.Run.Batches = append(s.Run.Batches, s.newBatch(b.ID, next))
	}
}

// queue moves the nodes of an approved batch to queued.
func (s *Step) queue(b record.Batch) {
	for _, id := range b.Machines {
		if n := s.Run.Nodes[id]; n.Stage == record.Outdated {
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

// podsToMove counts the pods that have to leave a node, and those that stay.
func (s *Reader) podsToMove(node string) (leave, stay int) {
	for _, p := range s.W.PodsOn(node) {
		if drain.Judge(s.W, p, s.Consents()).Fate == drain.Stays {
			stay++
		} else {
			leave++
		}
	}
	return leave, stay
}
