package engine

import (
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// inspectAtMost is how many machines the cloud is asked about when new nodes do
// not come, and findingsKept how many lines of each answer the run keeps.
const (
	inspectAtMost = 3
	findingsKept  = 12
)

// FailLaunch ends the run with NodeCreationFailure, once the cloud was asked what
// is wrong with the new machines that are not Ready. Each is named with what is
// known: its state, its node's conditions, the last lines of its console. A launch
// that failed since the run began is named in the cloud's own words.
func (s *Step) FailLaunch(why string) {
	var sick []*world.Machine
	for _, m := range s.W.Machines() {
		if n := s.Run.Nodes[m.ID]; n.New && !m.Leaving() && s.WhyNotReady(m) != "" && len(sick) < inspectAtMost {
			sick = append(sick, m)
		}
	}
	waiting := false
	for _, m := range sick {
		if s.Run.Nodes[m.ID].Findings == nil {
			s.ask(record.Action{Kind: record.Inspect, Key: "inspect/" + m.ID, Machine: m.ID, Group: s.Run.Group})
			waiting = true
		}
	}
	if waiting {
		return
	}
	for _, m := range sick {
		n := s.Run.Nodes[m.ID]
		cause := s.WhyNotReady(m)
		if len(n.Findings) > 0 {
			cause += "; " + strings.Join(n.Findings, "; ")
		}
		s.Run.BlockingPods = append(s.Run.BlockingPods, cause)
		s.Report(record.Event{Type: record.NodeFailed, Node: s.label(m.ID, n), Zone: n.Zone, Reason: string(record.CreationFail), Message: cause})
	}
	s.Fail(record.CreationFail, text.LaunchTimedOut(why, s.LaunchFailure()))
}

// takeInspection keeps what the cloud said of a machine. No answer is an answer
// too: the run does not wait for another.
func (s *Step) takeInspection(machine string, o record.Outcome) {
	n, known := s.Run.Nodes[machine]
	if !known {
		return
	}
	n.Findings = append([]string{}, o.Lines[:min(len(o.Lines), findingsKept)]...)
	if o.Verdict != record.Done {
		n.Findings = []string{text.NoFindings(machine, o.Message)}
	}
	s.SetNode(machine, n)
}
