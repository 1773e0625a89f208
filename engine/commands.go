package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// handle carries out an operator's command, or reports why it cannot.
func (s *Step) handle(c Command) {
	c.By, c.Node, c.Reason = world.Clean(c.By), world.Clean(c.Node), world.Clean(c.Reason)
	if why := s.unable(c.Kind); why != "" {
		s.refuse(c, string(c.Kind)+" is not possible now: "+why)
		return
	}
	s.changed = true
	switch c.Kind {
	case CmdApprove:
		s.handleApprove(c)
	case CmdPause:
		s.Pause("asked for by " + c.who() + s.conduct().pauseNote(&s.Reader))
	case CmdResume:
		s.takeExternalPause()
		s.Run.State, s.Run.Why = Running, ""
		s.openGate()
		s.acceptCanary(c.By)
		s.Report(Event{Type: RunResumed, Reason: c.By, Message: "resumed"})
	case CmdForce:
		s.handleForce(c)
	case CmdSkip, CmdReturn:
		s.conduct().reorder(s, c)
	case CmdAbort:
		s.Report(Event{Type: RunAborting, Reason: c.By, Message: "nothing new starts; what is in flight finishes or is put back"})
		s.stop(Aborted, "aborted by "+c.who())
	}
}

// refuse reports why a command is not obeyed.
func (s *Step) refuse(c Command, why string) {
	s.declined = true
	s.Report(Event{Type: Warning, Reason: "refused", Node: c.Node, Batch: c.Batch, Message: why})
}

func (s *Step) handleApprove(c Command) {
	last := len(s.Run.Batches) - 1
	b := s.Run.Batches[last]
	if c.Batch != b.ID || c.Hash != b.Hash {
		s.refuse(c, fmt.Sprintf("approval of batch %d refused: it has changed, look at it again", c.Batch))
		return
	}
	b.Approved, b.By, b.Preview = s.Now, c.By, BatchPreview{}
	s.Run.Batches[last] = b
	if b.Phase != "" {
		s.Report(Event{Type: BatchApproved, Batch: b.ID, Phase: b.Phase, Reason: b.By, Message: b.Phase + " approved"})
		return
	}
	s.queue(b)
}

func (s *Step) handleForce(c Command) {
	id, ok := s.machineNamed(c.Node)
	if !ok || !isDraining(s.Run.Nodes[id]) {
		s.refuse(c, "force is for a node that is draining; "+c.Node+" is not")
		return
	}
	if c.UID != "" {
		if p := s.W.Pod(c.UID); p == nil || p.Node != c.Node {
			s.refuse(c, "the pod to force is no longer on "+c.Node)
			return
		}
	}
	why := c.Reason
	if why == "" {
		why = "asked for by hand"
	}
	s.orderForce(id, c.UID, c.By, why)
}

func (s *Step) handleSkip(c Command) {
	id, _ := s.machineNamed(c.Node)
	switch n := s.Run.Nodes[id]; {
	case skippable(n):
		s.skip(id, "asked for by "+c.By)
	default:
		s.refuse(c, "skip is for a node that is still to be replaced; "+c.Node+" is not")
	}
}

// handleReturn puts a skipped or failed node at the end of the order.
func (s *Step) handleReturn(c Command) {
	id, _ := s.machineNamed(c.Node)
	n := s.Run.Nodes[id]
	if !returnable(n) || s.W.Machine(id) == nil {
		s.refuse(c, "return is for an outdated node that was skipped or has failed; "+c.Node+" is not")
		return
	}
	if m := s.W.Machine(id); m.State == world.MachineStandby {
		s.refuse(c, c.Node+" is in Standby: put it back into service first")
		return
	}
	s.Run.BlockingPods = slices.DeleteFunc(slices.Clone(s.Run.BlockingPods), func(line string) bool { return slices.Contains(n.BlockingPods, line) })
	n.Stage, n.Since, n.Began, n.Reason, n.Order, n.Batch = Outdated, s.Now, time.Time{}, "", "", 0
	n.Result, n.BlockingPods = "", nil
	s.SetNode(id, n)
	s.endOrders(id)
	s.inOrder(id)
	s.Report(Event{Type: NodeOutdated, Node: s.label(id, n), Zone: n.Zone, Reason: "returned", Message: "back in the order, at its end, as asked for by " + c.By})
}

// returnable reports whether a node was left out and can be taken up again.
func returnable(n Node) bool { return !n.New && (n.Stage == Skipped || n.Stage == NodeFail) }

// skippable reports whether a node is still to be replaced and can be left out.
func skippable(n Node) bool {
	return !n.New && (n.Stage == Outdated || n.Stage == Queued || n.Stage == Draining || n.Stage == Settling || n.Stage == Updating && n.Blocked)
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
	s.Run.State, s.Run.Why = Paused, why
	s.Report(Event{Type: RunPaused, Reason: why, Message: "paused: " + why})
}

// noReturn says why no node can be returned to now, "" if one can.
func (s *Reader) noReturn() string {
	if last := s.Run.Phases[len(s.Run.Phases)-1]; !last.Start.IsZero() && !rolls(last.Name) {
		return "the last phase has begun: start another run for what was left"
	}
	for _, n := range s.Run.Nodes {
		if returnable(n) {
			return ""
		}
	}
	return "no node was skipped or has failed"
}

// unable says why a command is not possible now, "" if it is.
func (s *Reader) unable(kind CommandKind) string {
	r := &s.Run
	for _, a := range s.Rules.Abilities() {
		if a.Kind == kind && a.Answer == No {
			return a.How
		}
	}
	if r.State == Finished {
		return "the run has ended"
	}
	if r.State == Ending {
		return "the run is ending"
	}
	if why, settled := s.conduct().unable(s, kind); settled {
		return why
	}
	switch kind {
	case CmdApprove:
		if _, waiting := r.Waiting(); !waiting {
			return "nothing waits for approval"
		}
		if r.State == Paused {
			return "the run is paused"
		}
	case CmdPause:
		if r.State == Paused {
			return "it is paused already"
		}
	case CmdResume:
		if r.State != Paused {
			return "it is not paused"
		}
	case CmdForce:
		switch {
		case r.State == Paused:
			return "the run is paused"
		case !s.Fresh(world.Cluster):
			return "what is known of the cluster is too old to force anything"
		case s.Count(Draining) == 0 && !s.someTheirs():
			return "no node is draining"
		}
	case CmdSkip:
		if s.Count(Draining, Queued, Outdated, Settling) == 0 && s.FailureIn("") == "" {
			return "no node can be skipped now"
		}
	case CmdReturn:
		return s.noReturn()
	}
	return ""
}
