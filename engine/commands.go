package engine

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// handle carries out an operator's command, or reports why it cannot.
func handle(s *Step, c record.Command) {
	c.By, c.Client, c.Node, c.Reason = world.Clean(c.By), world.Clean(c.Client), world.Clean(c.Node), world.Clean(c.Reason)
	if why := s.Unable(c.Kind); why != "" {
		s.refuse(c, text.NotPossible(string(c.Kind), why))
		return
	}
	s.changed = true
	switch c.Kind {
	case record.CmdApprove:
		handleApprove(s, c)
	case record.CmdPause:
		s.Pause(text.AskedForBy(c.Who()) + s.Conduct().PauseNote(&s.Reader))
	case record.CmdResume:
		takeExternalPause(s)
		startAgain(s)
		s.Run.State, s.Run.Why = record.Running, ""
		gate{s}.open()
		s.Report(record.Event{Type: record.RunResumed, Reason: c.Sender(), Message: text.Resumed})
	case record.CmdAccept:
		handleAccept(s, c)
	case record.CmdForce:
		handleForce(s, c)
	case record.CmdSkip, record.CmdReturn:
		driveOf(s.Rules).reorder(s, c)
	case record.CmdExtend:
		handleExtend(s, c)
	case record.CmdMaxUnavailable:
		handlePace(s, c)
	case record.CmdAbort:
		handleAbort(s, c)
	}
}

// handleAbort begins to end the run. One that only retires surplus nodes any more stops that,
// and keeps the result that it has.
func handleAbort(s *Step, c record.Command) {
	s.Report(record.Event{Type: record.RunAborting, Reason: c.Sender(), Message: text.Aborting})
	switch {
	case s.Run.State == record.Ending:
		s.Run.Retire = false
	case keepsResult(&s.Run):
		s.FailReported(record.Aborted, text.AbortedBy(c.Who()))
	case s.Run.FailedUpdate != nil: // it ends as the update has
		s.FailReported(s.Run.FailedUpdate.Result, s.Run.FailedUpdate.Why)
	default:
		s.Run.Retire = c.Retire
		s.stop(record.Aborted, text.AbortedBy(c.Who()))
	}
}

// refuse reports why a command is not obeyed.
func (s *Step) refuse(c record.Command, why string) {
	s.declined = true
	s.Report(record.Event{Type: record.Warning, Reason: "refused", Node: c.Node, Batch: c.Batch, Message: why})
}

func handleApprove(s *Step, c record.Command) {
	last := len(s.Run.Batches) - 1
	b := s.Run.Batches[last]
	if c.Batch != b.ID || c.Hash != b.Hash {
		s.refuse(c, text.ApprovalRefused(c.Batch))
		return
	}
	if canary := s.Run.Canary; c.ID != "" && canary != nil && canary.Stands {
		s.refuse(c, text.ApprovalOverCanary(canary.Trouble))
		return
	}
	b.Approved, b.By, b.Preview = s.Now, c.Sender(), record.BatchPreview{}
	s.Run.Batches[last] = b
	if b.Phase != "" {
		s.Report(record.Event{Type: record.BatchApproved, Batch: b.ID, Phase: b.Phase, Reason: b.By, Message: text.PhaseApproved(b.Phase)})
		return
	}
	queue(s, b)
}

// handleAccept lets the other nodes follow a canary that is not well, and the run continue.
func handleAccept(s *Step, c record.Command) {
	canary := *s.Run.Canary
	if c.Trouble != canary.Trouble {
		s.refuse(c, text.AcceptanceRefused(canary.Trouble))
		return
	}
	canary.Passed, canary.By = true, c.Sender()
	s.Run.Canary, s.Run.State, s.Run.Why = &canary, record.Running, ""
	gate{s}.open()
	s.Report(record.Event{Type: record.Warning, Reason: "canary", Message: text.CanaryAccepted(c.Who(), canary.Trouble)})
	s.Report(record.Event{Type: record.RunResumed, Reason: canary.By, Message: text.Resumed})
}

func handleForce(s *Step, c record.Command) {
	id, ok := machineNamed(&s.Reader, c.Node)
	if !ok || !assess.IsDraining(s.Run.Nodes.Get(id)) {
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
	orderForce(s, id, c.UID, c.Sender(), why)
}

func handleSkip(s *Step, c record.Command) {
	id, _ := machineNamed(&s.Reader, c.Node)
	switch n := s.Run.Nodes.Get(id); {
	case assess.Skippable(n):
		s.skip(id, text.AskedForBy(c.Sender()))
	default:
		s.refuse(c, text.SkipRefused(c.Node))
	}
}

// handleExtend gives a node that drains another drain timeout.
func handleExtend(s *Step, c record.Command) {
	id, _ := machineNamed(&s.Reader, c.Node)
	n := s.Run.Nodes.Get(id)
	if !assess.Extendable(n) {
		s.refuse(c, text.ExtendRefused(c.Node))
		return
	}
	wait, more := *n.Wait, s.Run.Settings.DrainTimeout
	if wait.End.Before(s.Now) {
		wait.End = s.Now
	}
	wait.End = wait.End.Add(more)
	n.Wait, n.Extended = &wait, n.Extended+more
	s.SetNode(id, n)
	s.WakeAt(wait.End)
	s.Report(record.Event{Type: record.Warning, Reason: "extended", Node: s.Label(id, n), Zone: n.Zone, Until: &wait.End, Message: text.Extended(more, c.Who())})
}

// handlePace changes how many nodes may be out of service at once. Drains that have begun continue.
func handlePace(s *Step, c record.Command) {
	set, b := &s.Run.Settings, s.Bounds()
	was, to := set.MaxUnavailable, record.Amount{N: c.Nodes}
	switch {
	case c.Nodes < b.Least || c.Nodes > b.Most:
		s.refuse(c, text.MaxUnavailableRefused(c.Nodes, b.Least, b.Most, b.Why))
		return
	case was == to:
		s.refuse(c, text.AsBefore(c.Nodes))
		return
	}
	set.MaxUnavailable, set.Origin = to, maps.Clone(set.Origin)
	if set.Origin == nil {
		set.Origin = map[string]string{}
	}
	set.Origin["max-unavailable"] = text.ChangedBy(c.Sender())
	limit := s.Rules.Limit(s.W, &s.Run)
	if s.Run.Limit > 0 { // else the first phase settles it
		s.Run.Limit = limit
	}
	s.Report(record.Event{Type: record.Warning, Reason: record.ReasonPace, Message: text.MaxUnavailableChanged(was.String(), to.N, limit, c.Who())})
}

// handleReturn puts a skipped or failed node at the end of the order.
func handleReturn(s *Step, c record.Command) {
	id, _ := machineNamed(&s.Reader, c.Node)
	n := s.Run.Nodes.Get(id)
	if !assess.Returnable(n) || s.W.Machine(id) == nil {
		s.refuse(c, text.ReturnRefused(c.Node))
		return
	}
	if m := s.W.Machine(id); m.State == world.MachineStandby {
		s.refuse(c, text.ReturnInStandby(c.Node))
		return
	}
	s.Run.BlockingPods = slices.DeleteFunc(slices.Clone(s.Run.BlockingPods), func(line string) bool { return slices.Contains(n.BlockingPods, line) })
	n.Stage, n.Since, n.Began, n.Reason, n.Order, n.Batch, n.Wave = record.Outdated, s.Now, time.Time{}, "", "", 0, 0
	n.Result, n.BlockingPods = "", nil
	s.SetNode(id, n)
	endOrders(s, id)
	observer{s}.inOrder(id)
	s.Report(record.Event{Type: record.NodeOutdated, Node: s.Label(id, n), Zone: n.Zone, Reason: "returned", Message: text.Returned(c.Sender())})
}

func machineNamed(s *assess.Reader, node string) (string, bool) {
	for id, n := range s.Run.Nodes.All() {
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

const (
	// takenFor is how long it is remembered that a command was obeyed: it is not heard
	// again after its life, and another machine's clock may be behind by a little.
	takenFor = record.CommandLife + time.Minute
	// mostTaken is how many are remembered; beyond that only what stops a run is obeyed,
	// and the oldest is forgotten.
	mostTaken = 64
)

// handleRemote obeys a command from elsewhere, once, and answers it.
func handleRemote(s *Step, c record.Command) {
	if i := slices.IndexFunc(s.Run.HandledCommands, func(a record.Ack) bool { return a.ID == c.ID }); i >= 0 {
		s.acks = append(s.acks, s.Run.HandledCommands[i]) // the answer did not reach the sender
		return
	}
	c.Run, c.Kind = world.Clean(c.Run), record.CommandKind(world.Clean(string(c.Kind)))
	before := len(s.events)
	s.declined = false
	if why := unheard(&s.Reader, c); why != "" {
		s.refuse(c, why)
	} else {
		handle(s, c)
	}
	ack := record.Ack{ID: c.ID, At: s.Now, Given: c.At, Accepted: !s.declined}
	var words []string
	for i := range s.events[before:] {
		e := &s.events[before+i]
		words = append(words, e.Message)
		if e.Remote = true; !strings.Contains(e.Message, c.Who()) {
			e.Message = text.ByCommand(e.Message, string(c.Kind), c.Who())
		}
	}
	ack.Answer = strings.Join(words, "; ")
	s.acks = append(s.acks, ack)
	if ack.Accepted {
		s.Run.HandledCommands = append(s.Run.HandledCommands, ack)
		s.Run.HandledCommands = s.Run.HandledCommands[max(0, len(s.Run.HandledCommands)-mostTaken):]
	}
}

// unheard says why a command from elsewhere is not even looked at, "" if it is.
func unheard(s *assess.Reader, c record.Command) string {
	switch {
	case !c.Kind.Remote():
		return text.NotTakenRemotely(string(c.Kind))
	case c.Run != s.Run.ID:
		return text.ForAnotherRun(string(c.Kind), c.Run, s.Run.ID)
	case s.Now.After(c.At.Add(record.CommandLife)), s.Now.After(c.Expires):
		return text.CommandExpired(string(c.Kind), s.Now.Sub(c.At))
	case len(s.Run.HandledCommands) >= mostTaken && !c.Kind.Stops():
		return text.TooManyCommands(string(c.Kind))
	}
	return ""
}

// forgetHandled forgets the commands that cannot be heard again.
func forgetHandled(s *Step) {
	s.Run.HandledCommands = slices.DeleteFunc(s.Run.HandledCommands, func(a record.Ack) bool { return s.Now.After(a.Given.Add(takenFor)) })
}
