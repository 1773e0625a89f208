package assess

import (
	"slices"

	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Sick says in a few words why the node of a machine is not healthy, "" if it is: it is
// gone, not Ready, or has a condition that the settings name and that is not False.
func (s *Reader) Sick(m *world.Machine) string {
	n := s.W.NodeOf(m.ID)
	if n == nil {
		return text.NodeGone
	}
	for _, c := range n.Conditions {
		if slices.Contains(s.Run.Settings.NodeConditions, c.Type) && !c.Off {
			return c.Type
		}
	}
	if !n.Ready {
		return text.NotReady
	}
	return ""
}
