package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// only checks the nodes that --only names: each is a node of the group, or the id
// of one of its machines. It returns them without doubles.
func only(w *world.World, given []string) ([]string, error) {
	var names, unknown, foreign []string
	for _, name := range given {
		name = strings.TrimSpace(name)
		node := w.Node(name)
		switch {
		case name == "":
			return nil, fmt.Errorf("--only: a name is empty")
		case slices.Contains(names, name):
		case w.Machine(name) != nil, node != nil && w.Machine(node.Machine) != nil:
			names = append(names, name)
		case node != nil:
			foreign = append(foreign, name)
		default:
			unknown = append(unknown, name)
		}
	}
	switch {
	case len(unknown) > 0 && len(foreign) > 0:
		return nil, fmt.Errorf("--only: no node of this cluster is called %s, and %s belong to another group than %s", strings.Join(unknown, ", "), strings.Join(foreign, ", "), w.Group.Name)
	case len(unknown) > 0:
		return nil, fmt.Errorf("--only: no node of this cluster is called %s", strings.Join(unknown, ", "))
	case len(foreign) > 0:
		return nil, fmt.Errorf("--only: not of group %s: %s", w.Group.Name, strings.Join(foreign, ", "))
	}
	return names, nil
}

// upToDate names the nodes of --only that a plan has nothing to do for.
func upToDate(p engine.Plan) []string {
	var out []string
	for _, name := range p.Run.Target.Only {
		if !slices.ContainsFunc(p.Nodes, func(n engine.PlannedNode) bool { return n.Name == name || n.Machine == name }) {
			out = append(out, name)
		}
	}
	return out
}
