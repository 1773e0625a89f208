package words

import (
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// invalid checks what a look at the cluster has found: each failure says what it is about, and that is there.
func (c *Check) invalid(r *record.Run) {
	v := r.Validation
	if v == nil || !v.Looked.Equal(c.d.Sim.Now()) {
		return
	}
	for _, f := range v.Failures {
		if begins, there := c.about(f); !there || !strings.HasPrefix(strings.TrimPrefix(f.Message, "instance "), begins) {
			c.d.Breaks("validation: there is no such thing, or its message is not about it: %+v", f)
		}
	}
}

// about is how the message of a failure has to begin, and whether what it is about is there.
func (c *Check) about(f record.Invalid) (begins string, there bool) {
	view := c.d.Sim.View
	of := view.Group.Name == f.Group
	var machines []string
	for _, p := range view.Group.Peers {
		if p.Name == f.Group {
			of, machines = true, p.Machines
		}
	}
	switch f.Kind {
	case "group":
		return "group " + f.Name + " has ", of && f.Name == f.Group
	case "machine":
		return "machine " + f.Name + " of " + f.Group + " ", of && (view.Machine(f.Name) != nil || slices.Contains(machines, f.Name))
	case "node":
		n := view.Node(f.Name)
		return "node " + f.Name + " of " + f.Group + " ", of && n != nil && c.unfit(n, f.Message)
	case "pod":
		return "pod " + f.Name + " (", c.pods[f.Name]
	}
	return "", false
}

// unfit reports whether a message is of what a node lacks: what it says itself if it is not Ready, or else a pod.
func (c *Check) unfit(n *world.Node, message string) bool {
	if n.Ready && !n.NoNetwork {
		return lacks.MatchString(message)
	}
	return strings.HasSuffix(message, strings.TrimPrefix(n.Trouble, "not ready: "))
}
