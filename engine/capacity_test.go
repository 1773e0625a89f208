package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// A maximum that was set as low as the desired size let it is not the one to go back
// to when the desired size has come down since: the change that was asked for before
// must not pass for the one that is needed now.
func TestRestoreMaxAgain(t *testing.T) {
	now := time.Unix(1000, 0)
	w := world.New()
	w.SetGroup(world.Group{Name: "ng", Sizes: world.Sizes{Max: 6, Desired: 5}})
	w.SetHealth(world.Cloud, world.Health{Fresh: now})
	from, before := world.Sizes{Max: 9, Desired: 6}, world.Sizes{Max: 6, Desired: 6}
	r := record.Run{
		State: record.Ending, Settings: record.Common(), Base: world.Sizes{Max: 5, Desired: 5}, Raise: 4, Lowered: 4, MaxSet: 6, Raised: true,
		Pending: map[string]record.Pending{"restore-max": {
			Action: record.Action{Kind: record.SetSizes, Key: "restore-max", From: &from, Sizes: &before},
			Asked:  now.Add(-time.Second), Accepted: now.Add(-time.Second), Expires: now.Add(time.Minute),
		}},
	}
	s := newStep(noRules{}, now, w, r)
	if s.RestoreMax() {
		t.Error("the maximum counts as restored at 6, it was 5")
	}
	delete(s.Run.Pending, "restore-max")
	if s.RestoreMax() || len(s.actions) != 1 || s.actions[0].Sizes.Max != 5 {
		t.Errorf("asked for %v, want a maximum of 5", s.actions)
	}
}

// Of two terminations that were counted as taking the desired size down one may not have. The
// size tells that it did, or that it did not: either way it is written down.
func TestRecordOfDoubted(t *testing.T) {
	now := time.Unix(1000, 0)
	for desired, lowered := range map[int]int{7: 2, 8: 1} {
		w := world.New()
		w.SetGroup(world.Group{Name: "ng", Sizes: world.Sizes{Max: 9, Desired: desired}})
		w.SetHealth(world.Cloud, world.Health{Fresh: now})
		r := record.Run{State: record.Running, Settings: record.Common(), Base: world.Sizes{Max: 5, Desired: 5}, Raise: 4, Lowered: 2, Doubted: 1, MaxSet: 9, Raised: true}
		s := newStep(nil, now, w, r)
		s.WatchSizes()
		if s.Run.Lowered != lowered || s.Run.Doubted != 0 || len(s.events) > 0 {
			t.Errorf("desired %d: %d lowered, %d in doubt, %v", desired, s.Run.Lowered, s.Run.Doubted, s.events)
		}
		if !s.changed {
			t.Errorf("desired %d: the record is not written", desired)
		}
	}
}

// Who plans the next run is told that the last one has left the group larger, as long as
// it is.
func TestLarger(t *testing.T) {
	last := record.Run{ID: "ng-1", Group: "ng", State: record.Finished, Base: world.Sizes{Max: 5, Desired: 5}, Raise: 4, Lowered: 1, Raised: true}
	going := last
	going.State = record.Running
	for _, c := range []struct {
		name    string
		run     record.Run
		desired int
		says    string
	}{
		{"as it left it", last, 8, "left the group 3 machines larger than before (min 0, max 5, desired 5)"},
		{"one was taken away since", last, 7, "2 machines larger"},
		{"as before", last, 5, ""},
		{"it still goes", going, 8, ""},
	} {
		got := c.run.Larger(&world.Group{Sizes: world.Sizes{Max: 9, Desired: c.desired}})
		if (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want %q in it", c.name, got, c.says)
		}
	}
}
