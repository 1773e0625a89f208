package engine

import "github.com/drainboard/drainboard/engine/world"

// A node's name is given out again when its machine is gone: names often follow from
// addresses. What is done with a node by its name must not reach the next machine.

// anotherMachines reports whether a node is known to be that of another machine.
func anotherMachines(node *world.Node, machine string) bool {
	return node.Machine != "" && node.Machine != machine
}

// dropNames takes the names off the nodes in work that are another machine's node now. Their
// own machines are gone, which the cloud may not have told yet.
func (s *Step) dropNames() {
	for _, id := range s.In(Draining, Settling, Terminating) {
		n := s.Run.Nodes[id]
		node := s.W.Node(n.Name)
		if node == nil || !anotherMachines(node, id) {
			continue
		}
		s.Report(Event{Type: Warning, Node: n.Name, Zone: n.Zone, Message: "this is the node of " + node.Machine + " now: the drain of " + id + " ends"})
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
