package sim

import (
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// ours are the keys of the marks that Drainboard puts on nodes.
var ours = []string{"eks.amazonaws.com/nodegroup", "drainboard.dev/surplus"}

const excludeLabel = "node.kubernetes.io/exclude-from-external-load-balancers"

// marksOn lists the marks on a node that look like ours, as node/mark.
func marksOn(n *world.Node) []string {
	var out []string
	for _, t := range n.Taints {
		if slices.Contains(ours, t.Key) {
			out = append(out, n.Name+"/"+t.Key)
		}
	}
	if n.Unschedulable {
		out = append(out, n.Name+"/cordon")
	}
	if _, ok := n.Labels[excludeLabel]; ok {
		out = append(out, n.Name+"/"+excludeLabel)
	}
	return out
}

// end checks rules 4 and 5 on the Truth when a run has ended.
func (c *checker) end() {
	d, s := c.d, c.d.Sim
	r := &d.Run
	for _, n := range s.Truth.Nodes() {
		if m := s.machines[n.Machine]; m == nil || m.Leaving() {
			continue
		}
		for _, mark := range marksOn(n) {
			if _, foreign := s.marks[mark]; !foreign && !named(r, n.Name) {
				d.breaks("rule 4: mark of ours left: %s", mark)
			}
		}
	}
	for _, mark := range sortedKeys(s.marks) {
		if !s.marks[mark] {
			continue
		}
		node, _, _ := strings.Cut(mark, "/")
		if n := s.Truth.Node(node); n != nil && !slices.Contains(marksOn(n), mark) {
			d.breaks("a mark that is not ours was taken off: %s", mark)
		}
	}
	if slices.Contains(r.Suspended, azRebalance) != s.group.HasSuspended(azRebalance) && !s.suspended || len(r.Suspended) > 0 && !named(r, azRebalance) {
		d.breaks("rule 4: %s is not as it was before", azRebalance)
	}
	c.sizes()
	if r.Result != engine.Succeeded {
		return
	}
	late := 0
	for _, m := range s.alive() {
		if !m.began.Before(s.View.Health[world.Cloud].Fresh) {
			late++ // it stands in for one that somebody ended, and nobody could know
			continue
		}
		if !slices.Contains(r.Target.Templates, m.Template) {
			d.breaks("rule 4: %s runs %s", m.ID, m.Template)
		}
		if n := s.Truth.NodeOf(m.ID); (n == nil || !n.Ready) && r.Foreign == "" {
			d.breaks("rule 4: %s is not Ready", m.ID)
		}
	}
	if n := len(s.alive()); !s.balanced() && late == 0 && s.shrunk.Before(s.View.Health[world.Cloud].Fresh) && r.Foreign == "" {
		d.breaks("rule 4: %d machines, desired %d", n, s.group.Sizes.Desired)
	}
}

// sizes checks that our net change of the sizes is zero, or named.
func (c *checker) sizes() {
	d, s := c.d, c.d.Sim
	r, have := &d.Run, s.group.Sizes
	want := world.Sizes{Min: s.before.Min + s.foreign.Min, Max: s.before.Max + s.foreign.Max, Desired: s.before.Desired + s.foreign.Desired}
	noted := slices.ContainsFunc(r.Notes, func(line string) bool { return strings.Contains(line, "somebody else") })
	if have == want || r.Foreign != "" || noted || s.foreign != (world.Sizes{}) {
		return
	}
	if r.Result != engine.Succeeded && (named(r, "desired size") || named(r, "maximum")) {
		return
	}
	d.breaks("rule 4: the group has %s, before us it had %s", have, want)
}

// named reports whether what the run left behind mentions something.
func named(r *engine.Run, what string) bool {
	return slices.ContainsFunc(r.Left, func(line string) bool { return strings.Contains(line, what) })
}
