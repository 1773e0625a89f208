package engine

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// handle carries out an operator's command, or reports why it cannot.
func (s *Step) handle(c record.Command) {
	c.By, c.Node, c.Reason = world.Clean(c.By), world.Clean(c.Node), world.Clean(c.Reason)
	if why := s.unable(c.Kind); why != "" {
		s.refuse(c, text.NotPossible(string(c.Kind), why))
		return
	}
	s.changed = true
	switch c.Kind {
	case record.CmdApprove:
		s.handleApprove(c)
	case record.CmdPause:
		s.Pause(text.AskedForBy(c.Who()) + s.conduct().pauseNote(&s.Reader))
	case record.CmdResume:
		s.takeExternalPause()
		s.Run.State, s.Run.Why = record.Running, ""
		s.openGate()
		s.acceptCanary(c.By)
		s.Report(record.Event{Type: record.RunResumed, Reason: c.By, Message: text.Resumed})
	case record.CmdForce:
		s.handleForce(c)
	case record.CmdSkip, record.CmdReturn:
		s.drive().reorder(s, c)
	case record.CmdAbort:
		s.Report(record.Event{Type: record.RunAborting, Reason: c.By, Message: text.Aborting})
		s.stop(record.Aborted, text.AbortedBy(c.Who()))
	}
}

// refuse reports why a command is not obeyed.
func (s *Step) refuse(c record.Command, why string) {
	s.declined = true
	s.Report(record.Event{Type: record.Warning, Reason: "refused", Node: c.Node, Batch: c.Batch, Message: why})
}

func (s *Step) handleApprove(c record.Command) {
	last := len(s.Run.Batches) - 1
	b := s.Run.Batches[last]
	if c.Batch != b.ID || c.Hash != b.Hash {
		s.refuse(c, text.ApprovalRefused(c.Batch))
		return
	}
	b.Approved, b.By, b.Preview = s.Now, c.By, record.BatchPreview{}
	s.Run.Batches[last] = b
	if b.Phase != "" {
		s.Report(record.Event{Type: record.BatchApproved, Batch: b.ID, Phase: b.Phase, Reason: b.By, Message: text.PhaseApproved(b.Phase)})
		return
	}
	s.queue(b)
}

func (s *Step) handleForce(c record.Command) {
	id, ok := s.machineNamed(c.Node)
	if !ok || !isDraining(s.Run.Nodes[id]) {
		s.refuse(c, text.ForceRefused(c.Node))
		return
	}
	if c.UID != "" {
		if p := s.W.Pod(c.UID); p == nil || p.Node != c.Node {
			s.refuse(c, text.ForcedPodGone(c.Node))
			return
		}
	}
	why := c.Reason
	if why == "" {
		why = text.ForcedByHand
	}
	s.orderForce(id, c.UID, c.By, why)
}

func (s *Step) handleSkip(c record.Command) {
	id, _ := s.machineNamed(c.Node)
	switch n := s.Run.Nodes[id]; {
	case skippable(n):
		s.skip(id, text.AskedForBy(c.By))
	default:
		s.refuse(c, text.SkipRefused(c.Node))
	}
}

// handleReturn puts a skipped or failed node at the end of the order.
func (s *Step) handleReturn(c record.Command) {
	id, _ := s.machineNamed(c.Node)
	n := s.Run.Nodes[id]
	if !returnable(n) || s.W.Machine(id) == nil {
		s.refuse(c, text.ReturnRefused(c.Node))
		return
	}
	if m := s.W.Machine(id); m.State == world.MachineStandby {
		s.refuse(c, text.ReturnInStandby(c.Node))
		return
	}
	s.Run.BlockingPods = slices.DeleteFunc(slices.Clone(s.Run.BlockingPods), func(line string) bool { return slices.Contains(n.BlockingPods, line) })
	n.Stage, n.Since, n.Began, n.Reason, n.Order, n.Batch = record.Outdated, s.Now, time.Time{}, "", "", 0
	n.Result, n.BlockingPods = "", nil
	s.SetNode(id, n)
	s.endOrders(id)
	s.inOrder(id)
	s.Report(record.Event{Type: record.NodeOutdated, Node: s.label(id, n), Zone: n.Zone, Reason: "returned", Message: text.Returned(c.By)})
}

// returnable reports whether a node was left out and can be taken up again.
func returnable(n record.Node) bool {
	return !n.New && (n.Stage == record.Skipped || n.Stage == record.NodeFail)
}

// skippable reports whether a node is still to be replaced and can be left out.
func skippable(n record.Node) bool {
	return !n.New && (n.Stage == record.Outdated || n.Stage == record.Queued || n.Stage == record.Draining || n.Stage == record.Settling || n.Stage == record.Updating && n.Blocked)
}

func (s *Reader) machineNamed(node string) (string, bool) {
	for id, n := range s.Run.Nodes {
		if node != "" && (n.Name == node || id == node) {
			return id, true
		}
	}
	return "", false
}

// Pause stops evictions and terminations; what terminates finishes.
func (s *Step) Pause(why string) {
	s.Run.State, s.Run.Why = record.Paused, why
	s.Report(record.Event{Type: record.RunPaused, Reason: why, Message: text.Paused(why)})
}

// noReturn says why no node can be returned to now, "" if one can.
func (s *Reader) noReturn() string {
	if last := s.Run.Phases[len(s.Run.Phases)-1]; !last.Start.IsZero() && !rolls(last.Name) {
		return text.LastPhaseBegun
	}
	for _, n := range s.Run.Nodes {
		if returnable(n) {
			return ""
		}
	}
	return text.NothingToReturn
}

// unable says why a command is not possible now, "" if it is.
func (s *Reader) unable(kind record.CommandKind) string {
	r := &s.Run
	for _, a := range s.Rules.Abilities() {
		if a.Kind == kind && a.Answer == record.No {
			return a.How
		}
	}
	if r.State == record.Finished {
		return text.RunHasEnded
	}
	if r.State == record.Ending {
		return text.RunIsEnding
	}
	if why, settled := s.conduct().unable(s, kind); settled {
		return why
	}
	switch kind {
	case record.CmdApprove:
		if _, waiting := r.Waiting(); !waiting {
			return text.NothingToApprove
		}
		if r.State == record.Paused {
			return text.RunIsPaused
		}
	case record.CmdPause:
		if r.State == record.Paused {
			return text.AlreadyPaused
		}
	case record.CmdResume:
		if r.State != record.Paused {
			return text.NotPaused
		}
	case record.CmdForce:
		switch {
		case r.State == record.Paused:
			return text.RunIsPaused
		case !s.Fresh(world.Cluster):
			return text.TooOldToForce
		case s.Count(record.Draining) == 0 && !s.someTheirs():
			return text.NothingDrains
		}
	case record.CmdSkip:
		if s.Count(record.Draining, record.Queued, record.Outdated, record.Settling) == 0 && s.FailureIn("") == "" {
			return text.NothingToSkip
		}
	case record.CmdReturn:
		return s.noReturn()
	}
	return ""
}
