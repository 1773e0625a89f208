package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// handle carries out an operator's command, or reports why it cannot.
func (s *Step) handle(c record.Command) {
	c.By, c.Node, c.Reason = world.Clean(c.By), world.Clean(c.Node), world.Clean(c.Reason)
	if why := s.unable(c.Kind); why != "" {
		s.refuse(c, string(c.Kind)+" is not possible now: "+why)
		return
	}
	s.changed = true
	switch c.Kind {
	case record.CmdApprove:
		s.handleApprove(c)
	case record.CmdPause:
		s.Pause("asked for by " + c.Who() + s.conduct().pauseNote(&s.Reader))
	case record.CmdResume:
		s.takeExternalPause()
		s.Run.State, s.Run.Why = record.Running, ""
		s.openGate()
		s.acceptCanary(c.By)
		s.Report(record.Event{Type: record.RunResumed, Reason: c.By, Message: "resumed"})
	case record.CmdForce:
		s.handleForce(c)
	case record.CmdSkip, record.CmdReturn:
		s.conduct().reorder(s, c)
	case record.CmdAbort:
		s.Report(record.Event{Type: record.RunAborting, Reason: c.By, Message: "nothing new starts; what is in flight finishes or is put back"})
		s.stop(record.Aborted, "aborted by "+c.Who())
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
		s.refuse(c, fmt.Sprintf("approval of batch %d refused: it has changed, look at it again", c.Batch))
		return
	}
	b.Approved, b.By, b.Preview = s.Now, c.By, record.BatchPreview{}
	s.Run.Batches[last] = b
	if b.Phase != "" {
		s.Report(record.Event{Type: record.BatchApproved, Batch: b.ID, Phase: b.Phase, Reason: b.By, Message: b.Phase + " approved"})
		return
	}
	s.queue(b)
}

func (s *Step) handleForce(c record.Command) {
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

func (s *Step) handleSkip(c record.Command) {
	id, _ := s.machineNamed(c.Node)
	switch n := s.Run.Nodes[id]; {
	case skippable(n):
		s.skip(id, "asked for by "+c.By)
	default:
		s.refuse(c, "skip is for a node that is still to be replaced; "+c.Node+" is not")
	}
}

// handleReturn puts a skipped or failed node at the end of the order.
func (s *Step) handleReturn(c record.Command) {
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
	n.Stage, n.Since, n.Began, n.Reason, n.Order, n.Batch = record.Outdated, s.Now, time.Time{}, "", "", 0
	n.Result, n.BlockingPods = "", nil
	s.SetNode(id, n)
	s.endOrders(id)
	s.inOrder(id)
	s.Report(record.Event{Type: record.NodeOutdated, Node: s.label(id, n), Zone: n.Zone, Reason: "returned", Message: "back in the order, at its end, as asked for by " + c.By})
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
	s.Report(record.Event{Type: record.RunPaused, Reason: why, Message: "paused: " + why})
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
func (s *Reader) unable(kind record.CommandKind) string {
	r := &s.Run
	for _, a := range s.Rules.Abilities() {
		if a.Kind == kind && a.Answer == record.No {
			return a.How
		}
	}
	if r.State == record.Finished {
		return "the run has ended"
	}
	if r.State == record.Ending {
		return "the run is ending"
	}
	if why, settled := s.conduct().unable(s, kind); settled {
		return why
	}
	switch kind {
	case record.CmdApprove:
		if _, waiting := r.Waiting(); !waiting {
			return "nothing waits for approval"
		}
		if r.State == record.Paused {
			return "the run is paused"
		}
	case record.CmdPause:
		if r.State == record.Paused {
			return "it is paused already"
		}
	case record.CmdResume:
		if r.State != record.Paused {
			return "it is not paused"
		}
	case record.CmdForce:
		switch {
		case r.State == record.Paused:
			return "the run is paused"
		case !s.Fresh(world.Cluster):
			return "what is known of the cluster is too old to force anything"
		case s.Count(record.Draining) == 0 && !s.someTheirs():
			return "no node is draining"
		}
	case record.CmdSkip:
		if s.Count(record.Draining, record.Queued, record.Outdated, record.Settling) == 0 && s.FailureIn("") == "" {
			return "no node can be skipped now"
		}
	case record.CmdReturn:
		return s.noReturn()
	}
	return ""
}
