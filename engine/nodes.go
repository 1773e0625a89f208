package engine

import (
	"maps"
	"slices"

	"github.com/drainboard/drainboard/engine/record"
)

// SetNode writes a node into the run. It is the only way to: nodes are many and
// seldom change, so they are copied at the first change of a decision, and found by
// their stage.
func (s *Step) SetNode(id string, n record.Node) {
	s.copyNodes()
	s.touched = append(s.touched, id)
	s.Run.Nodes[id] = n
	s.renewed(id)
}

func (s *Step) dropNode(id string) {
	s.copyNodes()
	s.touched = append(s.touched, id)
	delete(s.Run.Nodes, id)
	s.renewed(id)
}

func (s *Step) copyNodes() {
	if s.copied {
		return
	}
	s.Run.Nodes, s.copied = maps.Clone(s.Run.Nodes), true
	s.copiedMaps()
}

// copyMarks makes the marks this step's own before they are changed.
func (s *Step) copyMarks() {
	if s.copiedMarks {
		return
	}
	s.Run.Marks, s.copiedMarks = cloneMap(s.Run.Marks), true
	s.copiedMaps()
}

// In lists the machines in any of the given stages, sorted.
func (s *Reader) In(stages ...record.Stage) []string {
	var out []string
	for _, stage := range stages {
		out = append(out, s.facts().stages[stage]...)
	}
	if len(stages) > 1 {
		slices.Sort(out)
	}
	return out
}

// Count counts the machines in any of the given stages.
func (s *Reader) Count(stages ...record.Stage) int {
	count := 0
	for _, stage := range stages {
		count += len(s.facts().stages[stage])
	}
	return count
}
