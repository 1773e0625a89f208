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

// Sizes that were read before an end was looked up do not say whether it took the size down: they
// have the size before, and the next ones would pass for a lowering by others.
func TestDoubtAwaitsNewSizes(t *testing.T) {
	now := time.Unix(1000, 0)
	w := world.New()
	w.SetGroup(world.Group{Name: "ng", Sizes: world.Sizes{Max: 9, Desired: 8}})
	w.SetHealth(world.Cloud, world.Health{Fresh: now})
	r := record.Run{State: record.Running, Settings: record.Common(), Base: world.Sizes{Max: 5, Desired: 5}, Raise: 4, Lowered: 2, Doubted: 1, DoubtedAt: now.Add(time.Second), MaxSet: 9, Raised: true}
	s := newStep(nil, now.Add(time.Second), w, r)
	if s.WatchSizes(); s.Run.Lowered != 2 || s.Run.Doubted != 1 {
		t.Errorf("by sizes from before: %d lowered, %d in doubt", s.Run.Lowered, s.Run.Doubted)
	}
	w.SetGroup(world.Group{Name: "ng", Sizes: world.Sizes{Max: 9, Desired: 7}})
	w.SetHealth(world.Cloud, world.Health{Fresh: now.Add(2 * time.Second)})
	s = newStep(nil, now.Add(2*time.Second), w, s.Run)
	if s.WatchSizes(); s.Run.Lowered != 2 || s.Run.Doubted != 0 || s.Run.Others != 0 {
		t.Errorf("by new sizes: %d lowered, %d in doubt, %d by others", s.Run.Lowered, s.Run.Doubted, s.Run.Others)
	}
}

// A run inherits what an earlier one has left of its raise, as far as the group shows it.
func TestInherit(t *testing.T) {
	left := record.Raise{Run: "ng-1", Desired: 4, Max: 4, Sizes: world.Sizes{Max: 16, Desired: 16}}
	open := left
	open.OpenEnds = 1
	unsure := record.Raise{Run: "ng-1", Desired: 4, Max: 4, Unsure: true, Sizes: world.Sizes{Max: 12, Desired: 12}}
	for _, c := range []struct {
		name                 string
		left                 record.Raise
		max, desired         int // of the group now
		base, mine, doubtful int
	}{
		{"as it left it", left, 16, 16, 12, 4, 0},
		{"others raised it", left, 20, 18, 14, 4, 0},
		{"others lowered it, or took ours", left, 16, 15, 12, 3, 1},
		{"it was taken back by hand", left, 12, 12, 12, 0, 0},
		{"the desired size only", left, 16, 12, 12, 0, 4},
		{"more than it", left, 16, 10, 10, 0, 4},
		{"an end that nobody knows of", open, 16, 17, 13, 4, 1},
		{"nobody knows of the raise: there is none", unsure, 12, 12, 12, 0, 0},
		{"nobody knows of the raise: it is there", unsure, 16, 16, 12, 4, 0},
		{"nobody knows of the raise", unsure, 16, 14, 14, 0, 4},
	} {
		now := world.Sizes{Max: c.max, Desired: c.desired}
		r := record.Run{Base: now}
		r.Inherit(c.left, now)
		mine, doubtful := 0, 0
		if r.Inherited != nil {
			mine, doubtful = r.Inherited.Desired, r.Inherited.Doubtful
		}
		if r.Base.Desired != c.base || mine != c.mine || doubtful != c.doubtful {
			t.Errorf("%s: base %d, %d of it ours, %d in doubt; want %d, %d, %d", c.name, r.Base.Desired, mine, doubtful, c.base, c.mine, c.doubtful)
		}
	}
}

// What cannot be asked for yet is not suspended by the run: a user who suspends it meanwhile would find it
// resumed in the end. Nor would it be in the record.
func TestSuspendedIsWhatWasAskedFor(t *testing.T) {
	now := time.Unix(1000, 0)
	w := world.New()
	w.SetGroup(world.Group{Name: "ng", Sizes: world.Sizes{Max: 9, Desired: 6}})
	s := newStep(noRules{}, now, w, record.Run{State: record.Running, Settings: record.Common()})
	if s.SuspendProcess("AZRebalance") || len(s.Run.Suspended) > 0 || len(s.actions) > 0 {
		t.Fatalf("while AWS does not answer %v count as suspended, %v are asked for", s.Run.Suspended, s.actions)
	}
	w.SetHealth(world.Cloud, world.Health{Fresh: now})
	s = newStep(noRules{}, now, w, s.Run)
	if s.SuspendProcess("AZRebalance") || len(s.Run.Suspended) != 1 || len(s.actions) != 1 {
		t.Errorf("once it answers %v count as suspended, %v are asked for", s.Run.Suspended, s.actions)
	}
}

// A minimum that keeps machines is told, and none where nothing is kept that others had not taken away.
func TestKeptMinimumIsTold(t *testing.T) {
	for least, want := range map[int]string{0: "", 2: "minimum size is 2: the group keeps 2 machines, not 0"} {
		w := world.New()
		w.SetGroup(world.Group{Name: "ng", Sizes: world.Sizes{Min: least, Max: 9, Desired: 2}})
		s := newStep(noRules{}, time.Unix(1000, 0), w, record.Run{State: record.Running, Base: world.Sizes{Max: 9, Desired: 1}, Others: -2, Raise: 3, Raised: true})
		s.keepMinimum()
		if got := strings.Join(s.Run.Notes, "; "); got != want {
			t.Errorf("minimum %d: %q, want %q", least, got, want)
		}
	}
}
