package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// only checks the names of --only: each is a node of the group, or the id of one of its
// machines. It returns them without duplicates.
func only(w *world.World, given []string) ([]string, error) {
	var names, unknown, foreign []string
	for _, name := range given {
		name = strings.TrimSpace(name)
		switch {
		case name == "":
			return nil, fmt.Errorf("--only: contains an empty name")
		case slices.Contains(names, name):
		case machineOf(w, name) != nil:
			names = append(names, name)
		case w.Node(name) != nil:
			foreign = append(foreign, name)
		default:
			unknown = append(unknown, name)
		}
	}
	switch {
	case len(unknown) > 0 && len(foreign) > 0:
		return nil, fmt.Errorf("--only: no node %s in this cluster, and %s belong to another group than %s", strings.Join(unknown, ", "), strings.Join(foreign, ", "), w.Group.Name)
	case len(unknown) > 0:
		return nil, fmt.Errorf("--only: no node %s in this cluster", strings.Join(unknown, ", "))
	case len(foreign) > 0:
		return nil, fmt.Errorf("--only: not in group %s: %s", w.Group.Name, strings.Join(foreign, ", "))
	}
	return names, nil
}

// notRolled returns what a user might expect of a plan and it does not do: nodes of
// --only that are left out, and, if there is nothing to roll, what stays unchanged.
func notRolled(p snapshot.Plan, w *world.World) []string {
	var out []string
	for _, name := range p.Run.Target.Only {
		if slices.ContainsFunc(p.Nodes, func(n snapshot.PlannedNode) bool { return n.Name == name || n.Machine == name }) {
			continue
		}
		why := "is already up to date"
		if m := machineOf(w, name); m != nil && m.State == world.MachineStandby {
			why = "is in Standby, not rolled"
		} else if m != nil && m.Leaving() {
			why = "is already terminating"
		}
		out = append(out, name+" of --only "+why)
	}
	if len(p.Nodes) > 0 {
		return out
	}
	target := p.Run.Target.Templates
	if len(target) == 0 {
		target = append([]world.Template{w.Group.Template}, w.Group.Overrides...)
	}
	for _, m := range w.Machines() {
		if m.State == world.MachineStandby && !slices.Contains(target, m.Template) {
			out = append(out, m.ID+" is outdated, but in Standby: not rolled")
		}
	}
	if len(p.Warm) > 0 && !p.WarmAlone {
		out = append(out, "outdated instances of the warm pool stay, and are rolled once they are in service: "+strings.Join(p.Warm, ", "))
	}
	if target[0] != w.Group.Template {
		out = append(out, fmt.Sprintf("no node to roll, so the group is not set to %s: it still launches %s", target[0], w.Group.Template))
	}
	return out
}

// machineOf returns the machine with a name of --only: its node or its id.
func machineOf(w *world.World, name string) *world.Machine {
	if n := w.Node(name); n != nil {
		return w.Machine(n.Machine)
	}
	return w.Machine(name)
}
