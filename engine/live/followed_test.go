package live

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// A watch tells once that EKS's updates cannot be read: at once where they never were, and after a while
// where what was read before still stands; and once that they can again. An update of the configuration
// is told once.
func TestUnreadUpdatesAreTold(t *testing.T) {
	now := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	for _, known := range []bool{false, true} {
		var told []string
		w := &Watch{World: world.New(), Events: func(list []record.Event) {
			for _, e := range list {
				told = append(told, e.Message)
			}
		}}
		after := func(d time.Duration, m world.ManagedGroup) []string {
			told, m.UpdatesKnown = nil, known
			w.World.SetGroup(world.Group{Name: "web", Managed: &m})
			for range d / time.Second {
				now = now.Add(time.Second)
				w.tellManaged(now)
			}
			return told
		}
		const problem = "its updates cannot be read: throttled"
		if got := after(10*time.Second, world.ManagedGroup{UpdatesUnread: problem}); len(got) > 0 == known {
			t.Errorf("known %v, after 10 s: %q", known, got)
		}
		if got := after(5*time.Second, world.ManagedGroup{}); len(got) > 0 == known {
			t.Errorf("known %v, read again: %q", known, got)
		}
		if got := after(time.Minute, world.ManagedGroup{UpdatesUnread: problem}); len(got) != 1 || !strings.HasPrefix(got[0], problem) || strings.Contains(got[0], "read before") != known {
			t.Errorf("known %v, after a minute: %q", known, got)
		}
		if got := after(10*time.Second, world.ManagedGroup{}); !slices.Equal(got, []string{"EKS's updates of the node group are read again"}) {
			t.Errorf("known %v, read again: %q", known, got)
		}
		runs := world.ManagedGroup{Configured: &world.ManagedUpdate{ID: "c-1", Kind: "ConfigUpdate", Status: world.UpdateRuns}}
		if got := after(10*time.Second, runs); len(got) != 1 || !strings.HasPrefix(got[0], "EKS update c-1 changes the configuration") {
			t.Errorf("the configuration: %q", got)
		}
		over := world.ManagedGroup{Configured: &world.ManagedUpdate{ID: "c-2", Kind: "ConfigUpdate", Status: world.UpdateSucceeded}}
		if got := after(10*time.Second, over); len(got) > 0 {
			t.Errorf("one that is over: %q", got)
		}
	}
}
