package sim

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// alone checks that the drain of a node begins while nobody else is known to take it out
// of service, or to replace the machines of the group.
func (c *checker) alone(id string, n engine.Node) {
	switch c.nodes[id].Stage {
	case engine.Draining, engine.Settling, engine.Terminating:
		return // it goes on
	}
	d, view := c.d, c.d.Sim.View
	if d.Run.State == engine.Ending {
		return // empty surge nodes go, whoever else is at work
	}
	if r := view.Group.Refresh; r.ID != "" {
		d.breaks("rivals: the drain of %s begins beside instance refresh %s", n.Name, r.ID)
	}
	for _, m := range view.Machines() {
		if node := view.NodeOf(m.ID); node != nil && slices.ContainsFunc(node.Taints, rolls) {
			d.breaks("rivals: the drain of %s begins while another tool rolls %s: %v", n.Name, node.Name, node.Taints)
		}
	}
	node := view.NodeOf(id)
	if node == nil || d.Sim.now.Sub(d.Run.Started) > 30*time.Minute {
		return // who takes so long may not be waited for any more
	}
	_, reboots := node.Annotations["weave.works/kured-reboot-in-progress"]
	if reboots || node.HasTaint(autoscalerTaint) {
		d.breaks("rivals: the drain of %s begins while somebody else drains it", n.Name)
	}
}

// rolls reports whether a taint is of a tool that replaces nodes to update them.
func rolls(t world.Taint) bool {
	return strings.HasPrefix(t.Key, "kops.k8s.io/") || strings.HasPrefix(t.Key, "karpenter.sh/")
}
