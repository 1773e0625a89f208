package ui

import (
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/uitest"
)

// A node that takes no new pods says so in its row, unless that is part of its stage.
func TestACordonedNodeSaysSo(t *testing.T) {
	s := uitest.Busy()
	r := s.Zones[0].Rows[1]
	r.Cordoned = true
	for _, width := range []int{80, 200} {
		sit(t, width, 36, s).Expect("cordoned")
	}
	drains := uitest.Busy()
	drains.Zones[0].Rows[1].Cordoned, drains.Zones[0].Rows[1].Stage = true, record.Draining
	drains.Events = nil
	sit(t, 80, 36, drains).Expect("draining").Gone("cordoned")
}
