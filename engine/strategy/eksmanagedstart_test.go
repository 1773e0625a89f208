package strategy

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// starter is a run that has EKS start an update of a managed node group.
type starter struct {
	*watched
	group  world.Group
	asked  []record.Action
	events []record.Event
}

func startingUpdate(t *testing.T, asked record.UpdateRequest) *starter {
	x := &starter{watched: &watched{t: t, w: world.New(), now: began}}
	x.group = world.Group{Name: "web", Provider: "eks", Template: world.Template{ID: "lt", Version: 1}, Sizes: world.Sizes{Max: 4, Desired: 1},
		Managed: &world.ManagedGroup{Name: "web", Cluster: "prod", MaxUnavailable: "1", UpdatesKnown: true}}
	x.w.SetGroup(x.group)
	x.node("a", 1, began.Add(-time.Hour), false)
	asked.Cluster = "prod"
	x.run = engine.Start(EKSManaged{}.Starts(x.w, "run", EKSManaged{}.Defaults(), asked), x.now, "ana")
	return x
}

// eks changes what EKS tells of the group.
func (x *starter) eks(change func(*world.ManagedGroup)) {
	m := *x.group.Managed
	change(&m)
	x.group.Managed = &m
	x.w.SetGroup(x.group)
}

// decide takes the run on by some seconds, with outcomes and commands at first.
func (x *starter) decide(seconds int, in engine.Inputs) {
	for range seconds {
		x.now = x.now.Add(time.Second)
		for _, source := range []world.Source{world.Cluster, world.Cloud} {
			x.w.SetHealth(source, world.Health{Fresh: x.now})
		}
		out := engine.Decide(EKSManaged{}, x.now, x.w, x.run, in)
		x.run, x.asked, x.events, in = out.Run, append(x.asked, out.Actions...), append(x.events, out.Events...), engine.Inputs{}
	}
}

func (x *starter) answered(o record.Outcome) {
	x.decide(1, engine.Inputs{Outcomes: []record.Outcome{o}})
}

// kinds are those of the actions that were asked for, which are forgotten.
func (x *starter) kinds() (out []record.ActionKind) {
	for _, a := range x.asked {
		out = append(out, a.Kind)
	}
	x.asked = nil
	return out
}

func (x *starter) asks(want ...record.ActionKind) {
	x.t.Helper()
	if got := x.kinds(); !slices.Equal(got, want) {
		x.t.Fatalf("it asks for %q, want %q", got, want)
	}
}

func (x *starter) tells(want string) {
	x.t.Helper()
	if !slices.ContainsFunc(x.events, func(e record.Event) bool { return strings.Contains(e.Message, want) }) {
		x.t.Errorf("it does not tell %q: %+v", want, x.events)
	}
}

var started = record.Outcome{Key: record.StartUpdateKey, Verdict: record.Done, Update: "u-1"}

func running(id string) *world.ManagedUpdate {
	return &world.ManagedUpdate{ID: id, Kind: world.VersionUpdate, Status: world.UpdateRuns, Since: began, Version: "1.32", Release: "1.32.1-9"}
}

// EKS is asked once, with a token of the run's, and no event names a node before its update is seen. Then that is
// followed to its end.
func TestStartsUpdate(t *testing.T) {
	x := startingUpdate(t, record.UpdateRequest{Release: "1.32.1-9", Force: true})
	x.decide(1, engine.Inputs{})
	a := x.asked[0]
	x.asks(record.StartUpdate)
	if a.Token != "run" || a.Group != "web" || a.Last != "" || a.Command() != "aws eks update-nodegroup-version --cluster-name prod --nodegroup-name web --release-version 1.32.1-9 --force" {
		t.Errorf("%+v: %s", a, a.Command())
	}
	x.decide(5, engine.Inputs{})
	x.answered(started)
	x.decide(5, engine.Inputs{})
	x.asks()
	x.tells("EKS update u-1 started")
	if x.run.Update != "u-1" || x.run.Nodes.Len() > 0 || x.run.State != record.Running {
		t.Errorf("%+v", x.run)
	}
	x.eks(func(m *world.ManagedGroup) { m.Update = running("u-1") })
	x.group.Template.Version = 2
	x.w.SetGroup(x.group)
	x.decide(2, engine.Inputs{})
	if x.run.Nodes.Get("i-a").Stage != record.Outdated || len(x.run.Pending) > 0 {
		t.Errorf("%+v %+v", x.run.Nodes, x.run.Pending)
	}
	x.eks(func(m *world.ManagedGroup) { u := *m.Update; u.Status = world.UpdateSucceeded; m.Update = &u })
	x.w.SetMachines(nil)
	x.decide(120, engine.Inputs{})
	x.asks()
	if x.run.State != record.Finished || x.run.Result != record.Succeeded || x.run.Outstanding() != nil {
		t.Errorf("%s %s %q", x.run.State, x.run.Why, x.run.Outstanding())
	}
}

// An answer that is lost is looked up: an update that is newer than the last one known is followed, and without one
// EKS is asked again, with the same token.
func TestStartsUpdateThoughTheAnswerIsLost(t *testing.T) {
	for _, happened := range []bool{true, false} {
		x := startingUpdate(t, record.UpdateRequest{})
		x.eks(func(m *world.ManagedGroup) { m.Update = running("u-0"); m.Update.Status = world.UpdateFailed })
		x.decide(1, engine.Inputs{})
		if x.asked[0].Last != "u-0" {
			t.Errorf("%+v", x.asked[0])
		}
		x.asks(record.StartUpdate)
		x.run = engine.TakeOver(x.run, x.now) // by another process
		x.decide(1, engine.Inputs{})
		check := x.asked[0]
		x.asks(record.CheckEffect)
		x.answered(record.Outcome{Key: check.Key, Verdict: record.Done, Happened: happened, Update: map[bool]string{true: "u-1"}[happened]})
		x.decide(2, engine.Inputs{})
		if happened {
			x.asks()
			if x.run.Update != "u-1" {
				t.Errorf("%q", x.run.Update)
			}
		} else if token := x.asked[0].Token; token != "run" {
			t.Errorf("%q", token)
		} else {
			x.asks(record.StartUpdate)
		}
	}
}

// EKS carries out one update at a time: another user's is followed where it goes to what is asked for, one of the
// configuration is waited for, and what EKS does is never asked for twice.
func TestStartsUpdateBesideAnother(t *testing.T) {
	x := startingUpdate(t, record.UpdateRequest{Release: "1.32.1-9"})
	x.eks(func(m *world.ManagedGroup) {
		m.Configured = &world.ManagedUpdate{ID: "c-1", Kind: "ConfigUpdate", Status: world.UpdateRuns, Since: began}
	})
	x.decide(3, engine.Inputs{})
	x.asks()
	x.tells("the update has not started; waiting for EKS: EKS update c-1 changes the configuration")
	x.eks(func(m *world.ManagedGroup) { m.Configured = nil })
	x.decide(1, engine.Inputs{})
	x.asks(record.StartUpdate)
	x.answered(record.Outcome{Key: record.StartUpdateKey, Verdict: record.Refused, Refusal: record.RefusedConflict, Message: "ResourceInUseException"})
	x.asks()
	x.eks(func(m *world.ManagedGroup) { m.Update = running("u-2") })
	x.decide(60, engine.Inputs{})
	x.asks()
	x.tells("EKS update u-2 is under way, so none is started")
	if x.run.Update != "u-2" || x.run.State != record.Running {
		t.Errorf("%+v", x.run)
	}

	x = startingUpdate(t, record.UpdateRequest{Release: "1.32.1-8", Kubernetes: "1.32"})
	x.eks(func(m *world.ManagedGroup) { m.Update = running("u-3") })
	x.decide(20, engine.Inputs{})
	x.asks()
	if x.run.State != record.Finished || x.run.Result != record.Failed || !strings.Contains(x.run.Why, "release 1.32.1-9, not 1.32.1-8") {
		t.Errorf("%s %s %s", x.run.State, x.run.Result, x.run.Why)
	}
}

// While EKS's updates cannot be read, whether one is under way is not known: none is started.
func TestStartsNoUpdateUnseen(t *testing.T) {
	x := startingUpdate(t, record.UpdateRequest{})
	x.eks(func(m *world.ManagedGroup) { m.UpdatesUnread = "its updates cannot be read: no" })
	x.decide(100, engine.Inputs{})
	x.asks()
	x.tells("its updates cannot be read: no")
	x.decide(int(engine.WaitForStart/time.Second), engine.Inputs{})
	if x.run.State != record.Paused {
		t.Errorf("%s", x.run.State)
	}
}

// What EKS refuses for good ends the run.
func TestUpdateIsRefused(t *testing.T) {
	x := startingUpdate(t, record.UpdateRequest{})
	for range 3 {
		x.decide(40, engine.Inputs{})
		x.asks(record.StartUpdate)
		x.answered(record.Outcome{Key: record.StartUpdateKey, Verdict: record.Refused, Refusal: record.RefusedInvalid, Message: "Requested release version 1 is not valid"})
	}
	x.decide(60, engine.Inputs{})
	x.asks()
	if x.run.State != record.Finished || x.run.Result != record.Failed || !strings.Contains(x.run.Why, "Requested release version 1 is not valid") {
		t.Errorf("%s %s %s", x.run.State, x.run.Result, x.run.Why)
	}
}

// An abort starts nothing, and says what EKS continues with: also where the answer comes after it.
func TestAbortOfManagedUpdate(t *testing.T) {
	abort := engine.Inputs{Commands: []record.Command{{Kind: record.CmdAbort, By: "ana", At: began}}}
	x := startingUpdate(t, record.UpdateRequest{})
	x.decide(1, abort)
	x.decide(60, engine.Inputs{})
	x.asks()
	x.tells("EKS has started no update")
	if x.run.State != record.Finished || x.run.Result != record.Aborted {
		t.Errorf("%s %s", x.run.State, x.run.Result)
	}

	x = startingUpdate(t, record.UpdateRequest{})
	x.decide(1, engine.Inputs{})
	x.decide(1, abort)
	x.decide(3, engine.Inputs{})
	if x.asks(record.StartUpdate); x.run.State != record.Ending {
		t.Errorf("it does not wait for the answer: %s", x.run.State)
	}
	x.answered(started)
	x.decide(30, engine.Inputs{})
	x.tells("EKS continues with EKS update u-1")
	if x.run.State != record.Finished || x.run.Result != record.Aborted {
		t.Errorf("%s %s", x.run.State, x.run.Result)
	}
}

// A failed update is started again as often as is asked for, each time with another token, and the run ends as the last
// one did. What is new and what is old is told each time.
func TestRetriesUpdate(t *testing.T) {
	failed := func(x *starter, id, code string) {
		x.eks(func(m *world.ManagedGroup) {
			if m.Update != nil && m.Update.ID != id {
				m.Earlier = append([]world.ManagedUpdate{*m.Update}, m.Earlier...)
			}
			m.Update = running(id)
			m.Update.Since = x.now
		})
		x.decide(3, engine.Inputs{})
		x.asks()
		x.eks(func(m *world.ManagedGroup) {
			u := *m.Update
			u.Status, u.Errors = world.UpdateFailed, []world.ManagedIssue{{Code: code, Message: "no"}}
			m.Update = &u
		})
		x.events = nil
		x.decide(1, engine.Inputs{})
		x.tells("0 of 1 node replaced; old: a")
	}
	x := startingUpdate(t, record.UpdateRequest{Retry: 2})
	x.decide(1, engine.Inputs{})
	for i, token := range []string{"run", "run-retry-1", "run-retry-2"} {
		id := []string{"u-0", "u-1", "u-2"}[i]
		if len(x.asked) != 1 || x.asked[0].Token != token || i > 0 && x.asked[0].Last != []string{"", "u-0", "u-1"}[i] {
			t.Fatalf("%+v", x.asked)
		}
		x.asks(record.StartUpdate)
		x.answered(record.Outcome{Key: record.StartUpdateKey, Verdict: record.Done, Update: id})
		x.group.Template.Version = int64(2 + i)
		x.w.SetGroup(x.group)
		failed(x, id, []string{"PodEvictionFailure", "NodeCreationFailure", "PodEvictionFailure"}[i])
		if i < 2 {
			x.tells("the update starts again: retry " + []string{"1 of 2", "2 of 2"}[i])
			x.tells("EKS update " + id + " failed: ")
			x.decide(1, engine.Inputs{})
		}
	}
	x.ended(record.EvictionFail)
	x.asks()
	if len(x.run.FailedUpdates) != 2 || x.run.FailedUpdates[1].Result != record.CreationFail || x.run.Update != "u-2" {
		t.Errorf("%+v", x.run)
	}

	x = startingUpdate(t, record.UpdateRequest{})
	x.decide(1, engine.Inputs{})
	x.asks(record.StartUpdate)
	x.answered(started)
	x.group.Template.Version = 2
	x.w.SetGroup(x.group)
	failed(x, "u-1", "PodEvictionFailure")
	x.ended(record.EvictionFail)
	x.asks()
}

// One that another user has cancelled is not started again.
func TestRetriesNoCancelledUpdate(t *testing.T) {
	x := startingUpdate(t, record.UpdateRequest{Retry: 2})
	x.decide(1, engine.Inputs{})
	x.asks(record.StartUpdate)
	x.answered(started)
	x.eks(func(m *world.ManagedGroup) { m.Update = running("u-1"); m.Update.Status = world.UpdateCancelled })
	x.ended(record.Failed)
	x.asks()
}

// An update that has failed for good waits for a user at the dashboard: resume starts it again, with a token of its own, and an
// abort ends the run as the update has ended. What is new and what is old is told. Where nobody is there the run ends.
func TestAsksAfterFailedUpdate(t *testing.T) {
	says := func(kind record.CommandKind) engine.Inputs {
		return engine.Inputs{Commands: []record.Command{{Kind: kind, By: "ana", At: began}}}
	}
	waits := func() *starter {
		x := startingUpdate(t, record.UpdateRequest{Asks: true})
		x.decide(1, says(record.CmdResume))
		x.tells("resume not possible now: not paused")
		x.updates(world.UpdateFailed, world.ManagedIssue{Code: "PodEvictionFailure", Message: "no"})
		x.decide(60, engine.Inputs{})
		x.asks()
		if x.run.State != record.Paused || !strings.HasPrefix(x.run.Why, "PodEvictionFailure, 0 of 1 node replaced; old: a; EKS update u-1 failed: ") {
			t.Fatalf("%s %s", x.run.State, x.run.Why)
		}
		x.events = nil
		return x
	}
	x := waits()
	for i, id := range []string{"u-2", "u-3"} { // it asks after each
		x.decide(2, says(record.CmdResume))
		if len(x.asked) != 1 || x.asked[0].Token != []string{"run-retry-1", "run-retry-2"}[i] {
			t.Fatalf("%+v", x.asked)
		}
		x.asks(record.StartUpdate)
		x.tells([]string{"retry 1 of 1", "retry 2 of 2"}[i])
		if slices.ContainsFunc(x.events, func(e record.Event) bool { return strings.Contains(e.Message, "replaced; old:") }) {
			t.Errorf("what stands is told twice: %+v", x.events)
		}
		x.answered(record.Outcome{Key: record.StartUpdateKey, Verdict: record.Done, Update: id})
		x.eks(func(m *world.ManagedGroup) {
			m.Earlier, m.Update = append([]world.ManagedUpdate{*m.Update}, m.Earlier...), running(id)
			m.Update.Since = x.now
		})
		x.decide(3, engine.Inputs{})
		if x.run.State != record.Running || x.run.FailedUpdate != nil {
			t.Errorf("%s %+v", x.run.State, x.run.FailedUpdate)
		}
		x.eks(func(m *world.ManagedGroup) { u := *m.Update; u.Status = world.UpdateFailed; m.Update = &u })
		x.decide(2, engine.Inputs{})
		x.events = nil
	}
	x.decide(1, says(record.CmdAbort))
	x.ended(record.Failed)

	x = waits()
	x.decide(1, says(record.CmdAbort))
	x.ended(record.EvictionFail)
	x.asks()

	x = waits()
	headless := *x.run.Target.Update
	headless.Asks = false
	x.run.Target.Update = &headless
	x.decide(1, engine.Inputs{})
	x.ended(record.EvictionFail)
	x.asks()
}
