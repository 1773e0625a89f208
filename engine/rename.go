package engine

import (
	"slices"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// A node's name is given out again when its machine is gone: names often follow from
// addresses. What is done with a node by its name must not reach the next machine.

// anotherMachines reports whether a node is known to be that of another machine.
func anotherMachines(node *world.Node, machine string) bool {
	return node.Machine != "" && node.Machine != machine
}

// dropNames takes the names off the nodes that are another machine's node now, whatever their
// stage: what begins in this decision goes by the name, too. Their own machines are gone, which
// the cloud may not have told yet. One that is replaced keeps its name for who reads of it.
func (s *Step) dropNames() {
	var lost []string
	for id, n := range s.Run.Nodes {
		if n.Name == "" || n.Stage == record.Replaced {
			continue
		}
		if node := s.W.Node(n.Name); node != nil && anotherMachines(node, id) {
			lost = append(lost, id)
		}
	}
	slices.Sort(lost)
	for _, id := range lost {
		n := s.Run.Nodes[id]
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
func (s *Step) freeName(machine, name string) {
	for id, n := range s.Run.Nodes {
		if id != machine && n.Name == name {
			n.Name = ""
			s.SetNode(id, n)
		}
	}
}
