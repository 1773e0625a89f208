package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/waves"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// SetNode writes a node into the run. It is the only way to: nodes are many and
// seldom change, so they are found by their stage.
func (s *Step) SetNode(id string, n record.Node) {
	s.touched = append(s.touched, id)
	s.Run.Nodes = s.nodes.With(s.Run.Nodes, id, n)
	s.Invalidate(id)
	assess.CopiedNodes(&s.Reader)
}

func (s *Step) dropNode(id string) {
	s.touched = append(s.touched, id)
	s.Run.Nodes = s.nodes.Without(s.Run.Nodes, id)
	s.Invalidate(id)
	assess.CopiedNodes(&s.Reader)
}

// copyMarks makes the marks this step's own before they are changed.
func (s *Step) copyMarks() {
	if s.copiedMarks {
		return
	}
	s.Run.Marks, s.copiedMarks = cloneMap(s.Run.Marks), true
	assess.CopiedMarks(&s.Reader)
}

// setPod writes a pod into the run.
func setPod(s *Step, uid string, p record.Pod) {
	s.Run.Pods = s.pods.With(s.Run.Pods, uid, p)
	assess.InvalidatePod(&s.Reader, uid)
	assess.CopiedPods(&s.Reader)
}

// dropPod removes a pod from the run.
func dropPod(s *Step, uid string) {
	s.Run.Pods = s.pods.Without(s.Run.Pods, uid)
	assess.InvalidatePod(&s.Reader, uid)
	assess.CopiedPods(&s.Reader)
}

// startEnd lets a machine without a node go: there is nothing to drain.
func (s *Step) startEnd(id string) {
	n := s.Run.Nodes.Get(id)
	n.Stage, n.Since, n.Began, n.LetGo, n.Wave = record.Terminating, s.Now, s.Now, time.Time{}, waves.Number(&s.Run)
	n.Wait = s.NewWait("terminating", s.Run.Settings.TerminateTimeout+assess.HoldTime(s.W, false), world.Cloud)
	s.SetNode(id, n)
	s.terminate(id, n)
}

// A node's name is given out again when its machine is gone: names often follow from
// addresses. What is done with a node by its name must not reach the next machine.

// dropNames takes the names off the nodes that are another machine's node now, whatever their
// stage: what begins in this decision goes by the name, too. Their own machines are gone, which
// the cloud may not have told yet. One that is replaced keeps its name for who reads of it.
func dropNames(s *Step) {
	for _, id := range slices.Sorted(maps.Keys(s.Among(assess.Misnamed))) {
		n := s.Run.Nodes.Get(id)
		ends := ""
		switch n.Stage {
		case record.Draining, record.Settling, record.Terminating:
			ends = text.DrainEnds(id)
		case record.Updating:
			ends = text.UpdateEnds(id)
		}
		s.Report(record.Event{Type: record.Warning, Node: n.Name, Zone: n.Zone, Message: text.Renamed(s.W.Node(n.Name).Machine, ends)})
		n.Name = ""
		s.SetNode(id, n)
	}
}

// freeName takes a name off the nodes that had it before a machine.
func freeName(s *Step, machine, name string) {
	for _, id := range slices.Clone(assess.Named(&s.Reader, name)) {
		if n := s.Run.Nodes.Get(id); id != machine {
			n.Name = ""
			s.SetNode(id, n)
		}
	}
}
