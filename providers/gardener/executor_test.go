package gardener

import (
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// What a run asks of the control cluster is a small patch, which the picture then shows, and
// which a direct read tells of.
func TestExecutor(t *testing.T) {
	t.Parallel()
	api := newFakeAPI(t)
	api.put(control)
	o := Options{Control: api.kubeconfig(), Namespace: "shoot--dev--prod"}
	c, err := Connect(t.Context(), o, "test", false)
	if err != nil {
		t.Fatal(err)
	}
	until, _ := feeding(t, c.Feed("web", FeedOptions{}))
	until("fresh", fresh)
	e := c.Executor(nil)
	const z1, m2 = "shoot--dev--prod-web-z1", "m-2"
	gardeners := func(w *world.World) *world.ManagedMachine { return w.Machine(m2).Managed }
	for _, tt := range []struct {
		a    record.Action
		seen func(*world.World) bool
	}{
		{record.Action{Kind: record.HoldRoll, Object: z1}, func(w *world.World) bool { return w.Group.Pool.Deployment(z1).Paused }},
		{record.Action{Kind: record.LetRoll, Object: z1}, func(w *world.World) bool { return !w.Group.Pool.Deployment(z1).Paused }},
		{record.Action{Kind: record.Prioritize, Object: m2, Priority: 4}, func(w *world.World) bool { return gardeners(w).Priority == 4 }},
		{record.Action{Kind: record.ForceMachine, Object: m2}, func(w *world.World) bool { return gardeners(w).Forced }},
	} {
		tt.a.Key = "k"
		check := record.Action{Kind: record.CheckEffect, Key: "c", Of: &tt.a}
		if out := e.Do(t.Context(), check); out.Verdict != record.Done || out.Happened {
			t.Errorf("%s: it has happened before: %+v", tt.a.Kind, out)
		}
		if out := e.Do(t.Context(), tt.a); out.Verdict != record.Done || out.Key != "k" {
			t.Fatalf("%s: %+v", tt.a.Kind, out)
		}
		until(string(tt.a.Kind), tt.seen)
		if out := e.Do(t.Context(), check); out.Verdict != record.Done || !out.Happened {
			t.Errorf("%s: it has not happened: %+v", tt.a.Kind, out)
		}
	}
	gone := record.Action{Kind: record.Prioritize, Object: "m-9", Priority: 2}
	if out := e.Do(t.Context(), gone); out.Refusal != record.RefusedGone {
		t.Errorf("a Machine that has gone: %+v", out)
	}
	if out := e.Do(t.Context(), record.Action{Kind: record.CheckEffect, Of: &gone}); !out.Happened {
		t.Errorf("a Machine that has gone has still to be put in order: %+v", out)
	}
}

// A run needs the rights to act there; who only looks cannot act, and without the control
// cluster there is nothing to act on.
func TestExecutorWithoutRights(t *testing.T) {
	t.Parallel()
	api := newFakeAPI(t)
	api.put(control)
	o := Options{Control: api.kubeconfig(), Namespace: "shoot--dev--prod"}
	hold := record.Action{Kind: record.HoldRoll, Key: "k", Object: "shoot--dev--prod-web-z1"}
	looks, err := Connect(t.Context(), o, "test", true)
	if err != nil {
		t.Fatal(err)
	}
	if out := looks.Executor(nil).Do(t.Context(), hold); out.Verdict == record.Done {
		t.Errorf("who only looks holds a roll: %+v", out)
	}
	if out := (*Client)(nil).Executor(nil).Do(t.Context(), hold); out.Refusal != record.RefusedInvalid || !strings.Contains(out.Message, "requires the control cluster: pause machine deployment shoot--dev--prod-web-z1") {
		t.Errorf("without the control cluster: %+v", out)
	}
	api.forbid("patch", deployments)
	if _, err := Connect(t.Context(), o, "test", true); err != nil {
		t.Errorf("to look at it: %v", err)
	}
	if _, err := Connect(t.Context(), o, "test", false); err == nil || !strings.Contains(err.Error(), "patch machinedeployments.machine.sapcloud.io") && !strings.Contains(err.Error(), "patch machinedeployments") {
		t.Errorf("to act on it: %v", err)
	}
}
