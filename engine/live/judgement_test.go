package live

import (
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// A record that nobody drives is compared with its group when it is another one, and
// else every now and then, not whenever something is shown.
func TestWatchJudgesARecordNowAndThen(t *testing.T) {
	now := time.Now()
	w := &Watch{World: world.New()}
	w.World.SetGroup(world.Group{Name: "ng", ID: "arn:1", Provider: "asg", Sizes: world.Sizes{Min: 1, Max: 3, Desired: 1}})
	for _, source := range []world.Source{world.Cluster, world.Cloud} {
		w.World.SetHealth(source, world.Health{Fresh: now})
	}
	run := record.Run{ID: "r", Group: "ng", GroupID: "arn:1", Provider: "asg", State: record.Running, Limit: 1, Base: w.World.Group.Sizes, Phases: []record.Phase{{Name: "setup"}}}
	w.SeeRecord(run, true, nil)
	if why := w.unfit(run, now); why != "" {
		t.Fatal(why)
	}
	w.World.Group.ID = "arn:2"
	if why := w.unfit(run, now.Add(judgeEvery-time.Millisecond)); why != "" {
		t.Errorf("it was compared again at once: %s", why)
	}
	if why := w.unfit(run, now.Add(judgeEvery)); !strings.Contains(why, "recreated") {
		t.Errorf("that the group is another one was not noticed: %q", why)
	}
	run.GroupID = "arn:2"
	w.SeeRecord(run, true, nil)
	if why := w.unfit(run, now.Add(judgeEvery)); why != "" {
		t.Errorf("of a record that was repaired: %s", why)
	}
}
