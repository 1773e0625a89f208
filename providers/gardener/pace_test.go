package gardener

import (
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// paceOf is the change of the pace of a pool of the fake garden cluster.
func paceOf(pool string, from, to world.Pace) record.Action {
	return record.Action{Kind: record.SetPace, Key: "k", Namespace: "garden-dev", Object: "prod", Group: pool, FromPace: &from, Pace: &to}
}

// The pace is set in the Shoot by a patch that does nothing where the pool has another pace, or is
// another pool by then; a direct read tells of it.
func TestExecutorSetsPace(t *testing.T) {
	t.Parallel()
	api := newFakeAPI(t)
	api.put(strings.Replace(prod, "maxUnavailable: 0", "maxUnavailable: 20%", 1))
	o := Options{Garden: api.kubeconfig(), Shoot: "garden-dev/prod"}
	c, err := Connect(t.Context(), o, "test", false)
	if err != nil {
		t.Fatal(err)
	}
	e := c.Executor(nil)
	was, set := paceNow(t, api), world.Pace{MaxSurge: "0", MaxUnavailable: "1"}
	if was.MaxUnavailable != "20%" {
		t.Fatalf("the fixture has %s", was)
	}
	do := func(a record.Action, want record.Verdict, refusal record.Refusal) {
		t.Helper()
		if out := e.Do(t.Context(), a); out.Verdict != want || out.Refusal != refusal || out.Key != a.Key {
			t.Errorf("%s: %+v, want %s %s", a.Sentence(), out, want, refusal)
		}
	}
	happened := func(a record.Action, want bool) {
		t.Helper()
		if out := e.Do(t.Context(), record.Action{Kind: record.CheckEffect, Key: "c", Of: &a}); out.Verdict != record.Done || out.Happened != want {
			t.Errorf("%s: %+v, want happened %t", a.Sentence(), out, want)
		}
	}
	there := paceOf("web", was, set)
	happened(there, false)
	do(there, record.Done, "")
	happened(there, true)
	if now := paceNow(t, api); now != set {
		t.Fatalf("the Shoot has %s, want %s", now, set)
	}
	do(there, record.Refused, record.RefusedConflict)
	do(paceOf("web", set, world.Pace{MaxSurge: "0", MaxUnavailable: "0%"}), record.Refused, record.RefusedInvalid)
	do(paceOf("other", was, set), record.Refused, record.RefusedGone)
	do(paceOf("web", set, was), record.Done, "")
	if now := paceNow(t, api); now != was {
		t.Errorf("restored the Shoot has %s, want %s", now, was)
	}

	// Between its read and its patch another user has set the pace.
	other := "maxUnavailable: 30%"
	api.beforePatch = func() { api.put(strings.Replace(prod, "maxUnavailable: 0", other, 1)) }
	do(paceOf("web", was, set), record.Refused, record.RefusedConflict)
	if now := paceNow(t, api); now.MaxUnavailable != "30%" {
		t.Errorf("what another user has set is %s", now)
	}
	api.beforePatch = nil
	api.put(strings.Replace(prod, "maxUnavailable: 0", "maxUnavailable: 20%", 1))

	// Between its read and its patch the pool has gone elsewhere in the list.
	before := api.patches
	api.beforePatch = func() { api.put(strings.Replace(prod, "name: web", "name: api", 1)) }
	do(paceOf("web", was, set), record.Refused, record.RefusedConflict)
	if api.patches == before {
		t.Error("no patch was sent")
	}
	happened(there, true) // there is nothing left to set it in
}

// paceNow is the pace of the pool web in the fake garden cluster.
func paceNow(t *testing.T, api *fakeAPI) world.Pace {
	t.Helper()
	api.mu.Lock()
	defer api.mu.Unlock()
	i, p := paceIn(api.objects[gardenPath+"shoots/prod"], "web")
	if i < 0 {
		t.Fatal("no pool web")
	}
	return p
}

// Who only looks cannot set a pace, nor without the garden cluster; the right for it is asked for
// by itself.
func TestPaceNeedsItsRight(t *testing.T) {
	t.Parallel()
	api := newFakeAPI(t)
	api.put(prod)
	o := Options{Garden: api.kubeconfig(), Shoot: "garden-dev/prod"}
	was := paceNow(t, api)
	set := paceOf("web", was, world.Pace{MaxSurge: "4", MaxUnavailable: was.MaxUnavailable})
	looks, err := Connect(t.Context(), o, "test", true)
	if err != nil {
		t.Fatal(err)
	}
	if out := looks.Executor(nil).Do(t.Context(), set); out.Verdict == record.Done || paceNow(t, api) != was {
		t.Errorf("who only looks sets a pace: %+v", out)
	}
	if out := (*Client)(nil).Executor(nil).Do(t.Context(), set); out.Refusal != record.RefusedInvalid || !strings.Contains(out.Message, "requires the garden cluster") {
		t.Errorf("without the garden cluster: %+v", out)
	}
	api.forbid("patch", "shoots")
	acts, err := Connect(t.Context(), o, "test", false)
	if err != nil {
		t.Fatalf("a run that sets no pace needs the right to: %v", err)
	}
	if r := acts.MaySetPace(t.Context()); !r.Stops() || r.Action != "patch shoots in namespace garden-dev" || !strings.Contains(r.Message, `{apiGroups: ["core.gardener.cloud"], resources: ["shoots"], verbs: ["patch"]}`) {
		t.Errorf("the right is denied: %+v", r)
	}
	api.forbid("", "")
	if r := acts.MaySetPace(t.Context()); r.Verdict != snapshot.RightAllowed {
		t.Errorf("the right is there: %+v", r)
	}
}
