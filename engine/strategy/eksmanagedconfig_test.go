package strategy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

var two = world.UpdateConfig{MaxUnavailable: "2"}

// configures has EKS carry out an update of the configuration that the run has asked for, and returns the request.
func (x *starter) configures(id, status string, to world.UpdateConfig) record.Action {
	x.t.Helper()
	x.decide(1, engine.Inputs{})
	if len(x.asked) == 0 {
		x.t.Fatal("nothing is asked for")
	}
	a := x.asked[len(x.asked)-1]
	x.asks(record.SetUpdateConfig)
	if a.Update.Config != to {
		x.t.Fatalf("%+v is asked for, want %+v", a.Update.Config, to)
	}
	x.answered(record.Outcome{Key: a.Key, Verdict: record.Done, Update: id})
	x.decide(30, engine.Inputs{}) // it is read late
	x.asked = nil
	x.configuring(id, world.UpdateRuns, to)
	x.decide(5, engine.Inputs{})
	x.asks()
	x.eks(func(m *world.ManagedGroup) {
		if status == world.UpdateSucceeded {
			m.MaxUnavailable, m.Minimal = to.MaxUnavailable, to.Strategy == world.OldFirst
		}
	})
	x.configuring(id, status, to)
	x.decide(1, engine.Inputs{}) // its end is seen
	x.asks()
	return a
}

func (x *starter) configuring(id, status string, to ...world.UpdateConfig) {
	x.eks(func(m *world.ManagedGroup) {
		m.Configured = &world.ManagedUpdate{ID: id, Kind: "ConfigUpdate", Status: status, Since: x.now}
		if len(to) > 0 {
			m.Configured.Config = to[0]
		}
	})
}

// updates has EKS start and end its update of the nodes.
func (x *starter) updates(status string, errors ...world.ManagedIssue) {
	x.t.Helper()
	x.decide(1, engine.Inputs{})
	x.asks(record.StartUpdate)
	x.answered(started)
	x.eks(func(m *world.ManagedGroup) { m.Update = running("u-1") })
	x.group.Template.Version = 2
	x.w.SetGroup(x.group)
	x.decide(2, engine.Inputs{})
	x.asks()
	x.eks(func(m *world.ManagedGroup) { u := *m.Update; u.Status, u.Errors = status, errors; m.Update = &u })
	if status == world.UpdateSucceeded {
		x.w.SetMachines(nil)
		return
	}
	x.decide(1, engine.Inputs{})
	x.asks()
}

func (x *starter) ended(result record.Result) {
	x.t.Helper()
	if x.decide(3, engine.Inputs{}); x.run.State != record.Finished || x.run.Result != result {
		x.t.Fatalf("%s %s: %s", x.run.State, x.run.Result, x.run.Why)
	}
}

// The update configuration is set and in force before the update starts, and restored after it, however that ends.
func TestSetsUpdateConfig(t *testing.T) {
	was, set := world.UpdateConfig{MaxUnavailable: "1", Strategy: world.NewFirst}, world.UpdateConfig{MaxUnavailable: "50%", Strategy: world.OldFirst}
	for status, result := range map[string]record.Result{world.UpdateSucceeded: record.Succeeded, world.UpdateFailed: record.EvictionFail} {
		x := startingUpdate(t, record.UpdateRequest{Config: set})
		a := x.configures("c-1", world.UpdateSucceeded, set)
		if *a.FromConfig != was || a.Token != "run-config-0" || a.Command() != "aws eks update-nodegroup-config --cluster-name prod --nodegroup-name web --update-config maxUnavailablePercentage=50,updateStrategy=MINIMAL" {
			t.Errorf("%+v: %s", a, a.Command())
		}
		if left := x.run.Outstanding(); len(left) != 1 || !strings.Contains(left[0], "--update-config maxUnavailable=1,updateStrategy=DEFAULT") {
			t.Errorf("%q", left)
		}
		x.updates(status, world.ManagedIssue{Code: "PodEvictionFailure", Message: "reached max retries"})
		if status == world.UpdateSucceeded {
			x.decide(int(lagging/time.Second), engine.Inputs{})
		}
		if x.run.State == record.Finished {
			t.Error("it ends before the configuration is restored")
		}
		if a := x.configures("c-2", world.UpdateSucceeded, was); *a.FromConfig != set || a.Token != "run-config-1" || a.Last != "c-1" {
			t.Errorf("%+v", a)
		}
		x.ended(result)
		if x.asks(); x.run.UpdateConfig != nil || x.run.Outstanding() != nil || x.run.Unrestored != nil {
			t.Errorf("%+v %q %q", x.run.UpdateConfig, x.run.Unrestored, x.run.Outstanding())
		}
	}
}

// Nothing is set where it is so already.
func TestSetsNoUpdateConfigThatIsSo(t *testing.T) {
	x := startingUpdate(t, record.UpdateRequest{Config: world.UpdateConfig{MaxUnavailable: "1", Strategy: world.NewFirst}})
	x.updates(world.UpdateSucceeded)
	x.decide(60, engine.Inputs{})
	x.ended(record.Succeeded)
	x.asks()
}

// An update of the configuration that EKS fails ends the run, which has nothing to restore.
func TestUpdateConfigFails(t *testing.T) {
	x := startingUpdate(t, record.UpdateRequest{Config: two})
	x.configures("c-1", world.UpdateFailed, world.UpdateConfig{MaxUnavailable: "2", Strategy: world.NewFirst})
	x.ended(record.Failed)
	x.asks()
	if !strings.Contains(x.run.Why, "EKS update c-1 of the update configuration ended as Failed") || x.run.UpdateConfig != nil {
		t.Errorf("%s %+v", x.run.Why, x.run.UpdateConfig)
	}
}

// One that restores it is asked for again where EKS fails it, with another token, and given up in the end.
func TestUpdateConfigIsNotRestored(t *testing.T) {
	was, set := world.UpdateConfig{MaxUnavailable: "1", Strategy: world.NewFirst}, world.UpdateConfig{MaxUnavailable: "2", Strategy: world.NewFirst}
	x := startingUpdate(t, record.UpdateRequest{Config: two})
	x.configures("c-0", world.UpdateSucceeded, set)
	x.updates(world.UpdateFailed)
	for i := range mostRestores {
		if a := x.configures(fmt.Sprint("c-", i+1), world.UpdateFailed, was); a.Token != fmt.Sprint("run-config-", i+1) {
			t.Errorf("%+v", a)
		}
	}
	x.ended(record.Failed)
	if x.asks(); len(x.run.Unrestored) != 1 || !strings.Contains(x.run.Unrestored[0], "maxUnavailable=1") || x.run.UpdateConfig == nil {
		t.Errorf("%q", x.run.Unrestored)
	}
}

// An update that another user starts meanwhile is followed with the configuration that is asked for only.
func TestUpdateConfigBesideAnother(t *testing.T) {
	x := startingUpdate(t, record.UpdateRequest{Config: two})
	x.eks(func(m *world.ManagedGroup) { m.Update = running("u-2") })
	x.ended(record.Failed)
	x.asks()
	if !strings.Contains(x.run.Why, "EKS update u-2 is under way with maxUnavailable 1, updateStrategy DEFAULT, not maxUnavailable 2") || x.run.UpdateConfig != nil {
		t.Errorf("%s %+v", x.run.Why, x.run.UpdateConfig)
	}

	x = startingUpdate(t, record.UpdateRequest{Config: two})
	x.configures("c-1", world.UpdateSucceeded, world.UpdateConfig{MaxUnavailable: "2", Strategy: world.NewFirst})
	x.eks(func(m *world.ManagedGroup) { m.Update = running("u-2") })
	x.decide(2, engine.Inputs{})
	x.asks()
	if x.run.Update != "u-2" || x.run.State != record.Running {
		t.Errorf("%+v", x.run)
	}
}

// What another user sets meanwhile stays as it is.
func TestUpdateConfigIsChangedByAnother(t *testing.T) {
	x := startingUpdate(t, record.UpdateRequest{Config: two})
	x.configures("c-1", world.UpdateSucceeded, world.UpdateConfig{MaxUnavailable: "2", Strategy: world.NewFirst})
	x.updates(world.UpdateSucceeded)
	x.eks(func(m *world.ManagedGroup) { m.MaxUnavailable = "7" })
	x.configuring("c-2", world.UpdateSucceeded)
	x.decide(60, engine.Inputs{})
	x.ended(record.Succeeded)
	x.asks()
	if !slices.ContainsFunc(x.run.Notes, func(n string) bool {
		return strings.Contains(n, "another user has set the update configuration maxUnavailable 7")
	}) {
		t.Errorf("%q", x.run.Notes)
	}
}

// EKS takes no other configuration while it updates the group: an abort names what stays. The next run restores it: before
// its own update, after one that it follows, or alone.
func TestUpdateConfigAfterAbort(t *testing.T) {
	was, set := world.UpdateConfig{MaxUnavailable: "1", Strategy: world.NewFirst}, world.UpdateConfig{MaxUnavailable: "2", Strategy: world.NewFirst}
	abort := engine.Inputs{Commands: []record.Command{{Kind: record.CmdAbort, By: "ana", At: began}}}
	x := startingUpdate(t, record.UpdateRequest{Config: two})
	x.configures("c-1", world.UpdateSucceeded, set)
	x.decide(1, engine.Inputs{})
	x.asks(record.StartUpdate)
	x.answered(started)
	x.eks(func(m *world.ManagedGroup) { m.Update = running("u-1") })
	x.decide(2, engine.Inputs{})
	x.decide(1, abort)
	x.ended(record.Aborted)
	x.asks()
	if len(x.run.Unrestored) != 1 || !strings.Contains(x.run.Unrestored[0], "the next drainboard upgrade restores maxUnavailable 1") || x.run.UpdateConfig == nil {
		t.Fatalf("%q", x.run.Unrestored)
	}
	left := *x.run.UpdateConfig
	left.Update = ""
	next := func(asked record.UpdateRequest) *starter {
		y := startingUpdate(t, asked)
		y.eks(func(m *world.ManagedGroup) { m.MaxUnavailable = "2" })
		y.configuring("c-1", world.UpdateSucceeded)
		y.run.UpdateConfig, y.run.ID = &left, "next"
		return y
	}

	y := next(record.UpdateRequest{})
	y.configures("c-2", world.UpdateSucceeded, was)
	y.updates(world.UpdateSucceeded)
	y.decide(60, engine.Inputs{})
	y.ended(record.Succeeded)

	y = next(record.UpdateRequest{})
	y.eks(func(m *world.ManagedGroup) { m.Update = running("u-1") })
	y.decide(5, engine.Inputs{})
	y.asks()
	y.eks(func(m *world.ManagedGroup) { u := *m.Update; u.Status = world.UpdateFailed; m.Update = &u })
	y.decide(1, engine.Inputs{})
	y.asks()
	y.configures("c-2", world.UpdateSucceeded, was)
	y.ended(record.Failed)

	y = next(record.UpdateRequest{OnlyRestores: true})
	y.configures("c-2", world.UpdateSucceeded, was)
	y.ended(record.Succeeded)
	y.asks()

	y = next(record.UpdateRequest{Config: world.UpdateConfig{MaxUnavailable: "3"}})
	if a := y.configures("c-2", world.UpdateSucceeded, world.UpdateConfig{MaxUnavailable: "3", Strategy: world.NewFirst}); *a.FromConfig != set || y.run.UpdateConfig.Was != was {
		t.Errorf("%+v %+v", a, y.run.UpdateConfig)
	}
	y.updates(world.UpdateFailed)
	y.configures("c-3", world.UpdateSucceeded, was)
	y.ended(record.Failed)
}

// An abort before the update starts restores the configuration once EKS has changed it.
func TestUpdateConfigAbortedBeforeTheUpdate(t *testing.T) {
	x := startingUpdate(t, record.UpdateRequest{Config: two})
	x.decide(1, engine.Inputs{})
	x.asks(record.SetUpdateConfig)
	x.decide(1, engine.Inputs{Commands: []record.Command{{Kind: record.CmdAbort, By: "ana", At: began}}})
	x.answered(record.Outcome{Key: record.UpdateConfigKey, Verdict: record.Done, Update: "c-1"})
	x.configuring("c-1", world.UpdateRuns)
	x.decide(5, engine.Inputs{})
	x.asks()
	x.eks(func(m *world.ManagedGroup) { m.MaxUnavailable = "2" })
	x.configuring("c-1", world.UpdateSucceeded)
	x.decide(1, engine.Inputs{})
	x.configures("c-2", world.UpdateSucceeded, world.UpdateConfig{MaxUnavailable: "1", Strategy: world.NewFirst})
	x.ended(record.Aborted)
	if x.asks(); x.run.Unrestored != nil {
		t.Errorf("%q", x.run.Unrestored)
	}
}

// A process that takes over looks up what became of the request, and sends it again with its token where nothing did.
func TestUpdateConfigThoughTheAnswerIsLost(t *testing.T) {
	set := world.UpdateConfig{MaxUnavailable: "2", Strategy: world.NewFirst}
	for _, happened := range []bool{true, false} {
		x := startingUpdate(t, record.UpdateRequest{Config: two})
		x.decide(1, engine.Inputs{})
		x.asks(record.SetUpdateConfig)
		x.run = engine.TakeOver(x.run, x.now)
		x.decide(1, engine.Inputs{})
		check := x.asked[0]
		x.asks(record.CheckEffect)
		out := record.Outcome{Key: check.Key, Verdict: record.Done, Happened: happened}
		if happened {
			out.Update = "c-1"
		}
		x.answered(out)
		if !happened {
			if a := x.configures("c-1", world.UpdateSucceeded, set); a.Token != "run-config-0" {
				t.Errorf("%+v", a)
			}
		} else {
			x.eks(func(m *world.ManagedGroup) { m.MaxUnavailable = "2" })
			x.configuring("c-1", world.UpdateSucceeded)
			x.decide(1, engine.Inputs{})
		}
		x.updates(world.UpdateSucceeded)
	}
}

// While the group may have been read before the end of EKS's update of its configuration, what it says settles nothing.
func TestUpdateConfigThatIsOld(t *testing.T) {
	x := startingUpdate(t, record.UpdateRequest{Config: two})
	x.eks(func(m *world.ManagedGroup) { m.ConfigOld = true })
	x.decide(20, engine.Inputs{})
	x.asks()
	x.eks(func(m *world.ManagedGroup) { m.ConfigOld = false })
	x.configures("c-1", world.UpdateSucceeded, world.UpdateConfig{MaxUnavailable: "2", Strategy: world.NewFirst})
	x.updates(world.UpdateSucceeded)
	x.eks(func(m *world.ManagedGroup) { m.ConfigOld = true })
	x.decide(60, engine.Inputs{})
	x.asks()
	if x.run.State != record.Running {
		t.Error(x.run.State)
	}
}

// A request whose answer was lost has not arrived, and another user has set less than it asked for, which makes it the same.
func TestUpdateConfigOfAnotherUserAlone(t *testing.T) {
	for set, restored := range map[world.UpdateConfig]bool{two: false, {MaxUnavailable: "2", Strategy: world.NewFirst}: true} {
		x := startingUpdate(t, record.UpdateRequest{Config: two})
		x.decide(1, engine.Inputs{})
		x.asks(record.SetUpdateConfig)
		x.run = engine.TakeOver(x.run, x.now)
		x.decide(1, engine.Inputs{})
		check := x.asked[0]
		x.asks(record.CheckEffect)
		x.eks(func(m *world.ManagedGroup) {
			m.MaxUnavailable = "2"
			m.Configured = &world.ManagedUpdate{ID: "c-9", Kind: "ConfigUpdate", Status: world.UpdateSucceeded, Since: x.now, Config: set}
		})
		x.answered(record.Outcome{Key: check.Key, Verdict: record.Done})
		x.decide(1, engine.Inputs{})
		x.updates(world.UpdateFailed)
		x.decide(30, engine.Inputs{})
		if restores := slices.ContainsFunc(x.asked, func(a record.Action) bool { return a.Key == record.RestoreConfigKey }); restores != restored {
			t.Errorf("%s: restored %v, want %v: %q", set, restores, restored, x.run.Notes)
		}
		if !restored && (x.run.UpdateConfig != nil || !slices.ContainsFunc(x.run.Notes, func(n string) bool { return strings.Contains(n, "another user has set") })) {
			t.Errorf("%+v %q", x.run.UpdateConfig, x.run.Notes)
		}
	}
}

// A configuration that another user has set after the run is the user's, also where it is the one that the run has set: the last
// update of the configuration tells. A token that was answered gets no other update.
func TestUpdateConfigOfAnotherUser(t *testing.T) {
	set := world.UpdateConfig{MaxUnavailable: "2", Strategy: world.NewFirst}
	const before, answered, refused = "before it is restored", "once that was answered", "once that was refused"
	for _, when := range []string{before, answered, refused} {
		x := startingUpdate(t, record.UpdateRequest{Config: two})
		x.configures("c-1", world.UpdateSucceeded, set)
		users := func() {
			x.now = x.now.Add(time.Second)
			x.eks(func(m *world.ManagedGroup) {
				m.MaxUnavailable = "2"
				m.Configured = &world.ManagedUpdate{ID: "c-9", Kind: "ConfigUpdate", Status: world.UpdateSucceeded, Since: x.now, Config: set}
			})
		}
		if when == before {
			users()
		}
		x.updates(world.UpdateFailed)
		if when != before {
			x.decide(1, engine.Inputs{})
			x.asks(record.SetUpdateConfig)
		}
		switch when {
		case answered:
			x.answered(record.Outcome{Key: record.RestoreConfigKey, Verdict: record.Done, Update: "c-2"})
			users()
		case refused:
			x.answered(record.Outcome{Key: record.RestoreConfigKey, Verdict: record.Refused, Refusal: record.RefusedBusy, Message: "503"})
			users()
		}
		x.decide(30, engine.Inputs{})
		x.asks()
		if x.run.State != record.Finished || x.run.UpdateConfig != nil || !slices.ContainsFunc(x.run.Notes, func(n string) bool { return strings.Contains(n, "another user has set") }) {
			t.Errorf("set %s: %s %+v %q", when, x.run.State, x.run.UpdateConfig, x.run.Notes)
		}
	}
}
