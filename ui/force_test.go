package ui

import (
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/uitest"
)

// With several nodes blocked and no cursor, f goes to where one is chosen, and then asks.
func TestForceWithoutACursorGoesToWhatIsBlocked(t *testing.T) {
	s := uitest.Busy()
	second := *s.Blockers[0]
	drains := s.Zones[1].Rows[1]
	second.Pod, second.UID, second.Node, second.Machine = "shop/cart-55c-9", "u-9", drains.Name, drains.ID
	s.Blockers = append(s.Blockers, &second)
	ui := sit(t, 120, 36, s)
	ui.Expect("2 pods").Press("f").Expect("several nodes are blocked: choose a pod (up, down), then f").SentNothing()
	ui.Press("down", "f").Expect("Force cart-55c-9").Type("cart-55c-9").Press("enter").Sent(record.Command{Kind: record.CmdForce, Node: drains.Name, UID: "u-9"})
}

// What is not possible now is not offered.
func TestABlockedPodOffersNoForceThatIsNotPossible(t *testing.T) {
	s := uitest.Busy()
	sit(t, 120, 36, s).Expect("or force with f")
	s = uitest.Busy()
	for i := range s.Abilities {
		if a := &s.Abilities[i]; a.Kind == record.CmdForce {
			a.Why = "the run is paused"
		}
	}
	sit(t, 120, 36, s).Expect("scale checkout to 4, loosen minAvailable 3 ").Gone("force with f")
}
