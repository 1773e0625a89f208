package engine

import (
	"maps"
	"slices"
)

// SetNode writes a node into the run. It is the only way to: nodes are many and
// seldom change, so they are copied at the first change of a decision, and found by
// their stage.
func (s *Step) SetNode(id string, n Node) {
	if old, known := s.Run.Nodes[id]; !known || old.Stage != n.Stage {
		s.stages = nil
	}
	s.copyNodes()
	s.touched = append(s.touched, id)
	s.Run.Nodes[id] = n
}

func (s *Step) dropNode(id string) {
	s.copyNodes()
	s.touched = append(s.touched, id)
	delete(s.Run.Nodes, id)
	s.stages = nil
}

func (s *Step) copyNodes() {
	if !s.copied {
		s.Run.Nodes, s.copied = maps.Clone(s.Run.Nodes), true
	}
}

// In lists the machines in any of the given stages, sorted.
func (s *Reader) In(stages ...Stage) []string {
	var out []string
	for _, stage := range stages {
		out = append(out, s.byStage()[stage]...)
	}
	slices.Sort(out)
	return out
}

// Count counts the machines in any of the given stages.
func (s *Reader) Count(stages ...Stage) int {
	count := 0
	for _, stage := range stages {
		count += len(s.byStage()[stage])
	}
	return count
}

// byStage are the machines of each stage, in no order.
func (s *Reader) byStage() map[Stage][]string {
	if s.stages == nil {
		s.stages = map[Stage][]string{}
		for id, n := range s.Run.Nodes {
			s.stages[n.Stage] = append(s.stages[n.Stage], id)
		}
	}
	return s.stages
}
