package present

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess/preflight"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/world"
)

// planned is a plan of two nodes.
func planned() snapshot.Plan {
	r := record.Run{Strategy: "eks", Settings: strategy.EKS{}.Defaults(), Base: world.Sizes{Min: 1, Max: 2, Desired: 2}, Seed: 7}
	return snapshot.Plan{
		Run: r, Group: "ng-web", Strategy: "eks", From: "1.31", To: "1.32", Limit: 1, Extra: 6,
		Nodes: []snapshot.PlannedNode{{Machine: "i-1", Name: "a1", Batch: 1, Evict: 3}, {Machine: "i-2", Name: "a2", Batch: 2}},
	}
}

func planText(p snapshot.Plan) string {
	var b bytes.Buffer
	WritePlan(&b, p, nil, false)
	return b.String()
}

func TestPlanShowsEverySetting(t *testing.T) {
	p := planned()
	s := &p.Run.Settings
	s.Origin = map[string]string{}
	for _, row := range Settings {
		s.Origin[row.Flag] = "from " + row.Flag
	}
	s.Approve, s.Order, s.Until = record.ApproveCanary, []record.Order{record.OrderOldest, record.OrderName}, time.Date(2026, 11, 22, 5, 0, 0, 0, time.Local)
	p.Run.Target.Only = []string{"a1", "a2"}
	got := planText(p)
	for _, row := range Settings {
		if strings.Contains(got, "(from "+row.Flag+")") != row.Of("eks") {
			t.Errorf("the plan does not show %s with its origin", row.Flag)
		}
	}
	zone, _ := s.Until.Zone()
	for _, want := range []string{
		"canary-watch         2m0s (", "order                oldest,name;", "only                 a1, a2 (",
		"until                Sun 22 Nov 2026 05:00:00 " + zone, "unreachable          wait (", "unreachable-after    5m0s (", "seed                 7 (",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the plan does not show %q:\n%s", want, got)
		}
	}
}

// Silence is for what was judged: what was not says so.
func TestPlanTellsSilenceFromIgnorance(t *testing.T) {
	p := planned()
	p.Nodes[1].NotEvaluated = "data on pods and PDBs is 1m0s old"
	p.NotEvaluated = []string{"blockers: data on pods and PDBs is 1m0s old"}
	got := planText(p)
	for _, want := range []string{"Not evaluated:\n  - blockers: data on pods and PDBs"} {
		if !strings.Contains(got, want) {
			t.Errorf("the plan does not say %q:\n%s", want, got)
		}
	}
	for line := range strings.Lines(got) {
		switch {
		case strings.Contains(line, "a1") && !strings.HasSuffix(strings.TrimSpace(line), "-"):
			t.Errorf("a1 was judged: %q", line)
		case strings.Contains(line, "a2") && !strings.Contains(line, "not evaluated"):
			t.Errorf("a2 was not judged: %q", line)
		}
	}
	for _, word := range []string{"fine", "no blocker", "OK"} {
		if strings.Contains(got, word) {
			t.Errorf("the plan says %q", word)
		}
	}
}

func TestPlanNamesWhatTheGroupDoes(t *testing.T) {
	p := planned()
	p.Nodes[0].Unreachable, p.Nodes[0].Spot = time.Date(2026, 11, 21, 4, 5, 6, 0, time.Local), true
	p.Nodes[1].Protected = true
	p.Hooks = []snapshot.PlannedHook{{Name: "proxies", Timeout: time.Hour}, {Name: "boot", Launching: true, Timeout: time.Minute, Abandon: true}}
	p.Warm = []string{"i-7"}
	p.Extra = 0
	got := planText(p)
	for _, want := range []string{
		"unreachable since 04:05:06, Spot", "protected", "lifecycle hook proxies holds every termination until it is completed, at most 1h0m0s",
		"lifecycle hook boot holds every new instance until it is completed, at most 1m0s; then the instance is terminated",
		"1 outdated instance of the warm pool is also terminated: i-7", "1 node is Spot", "1 node is protected",
		"No surge: while a node is replaced",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the plan does not say %q:\n%s", want, got)
		}
	}
	p.ExtraWhy = "fit: other nodes have room"
	if got := planText(p); !strings.Contains(got, "No surge (fit: other nodes have room).") || !strings.Contains(string(printed(t, PlanOf(p))), `"surgeReason"`) {
		t.Errorf("the plan does not say why there is no surge:\n%s", got)
	}
	p.Extra = 2
	if got := planText(p); !strings.Contains(got, "Surge during the run: 2 instances, ") || !strings.Contains(got, " (fit: other nodes have room).") {
		t.Errorf("the plan does not say why there is a surge:\n%s", got)
	}
	var out struct {
		Order, WarmPoolInstances, UnreachableNodes []string
		LifecycleHooks                             []struct{ Name, Transition, Timeout string }
		Nodes                                      []struct{ Spot, ScaleInProtected bool }
		Strategy, EstimatedDuration                string
		Settings                                   struct{ DrainTimeout, MaxUnavailable string }
	}
	if err := json.Unmarshal(printed(t, PlanOf(p)), &out); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(out.Order, out.WarmPoolInstances, out.UnreachableNodes, out.LifecycleHooks, out.Nodes, " ", out.Strategy, " ", out.EstimatedDuration, " ", out.Settings); got != "[random] [i-7] [a1] [{proxies terminating 1h0m0s} {boot launching 1m0s}] [{true false} {false true}] eks 0s {15m0s 1}" {
		t.Errorf("JSON: %s", got)
	}
}

func TestPlanIsShortForPeople(t *testing.T) {
	p := planned()
	for i := range 50 {
		p.Nodes[0].Foreseen = append(p.Nodes[0].Foreseen, fmt.Sprintf("app/web-%d is kept", i))
	}
	if got := planText(p); !strings.Contains(got, "(+49 more)") || !strings.Contains(got, "  - a1: app/web-49 is kept\n") {
		t.Errorf("not short, or not in full:\n%s", got)
	}
	if p.Nodes = nil; !strings.Contains(planText(p), "no node is outdated") {
		t.Error("an empty plan does not say so")
	}
	p.Run.Target.Only = []string{"a1"}
	if !strings.Contains(planText(p), "no node of --only is outdated") {
		t.Error("an empty plan does not name --only")
	}
}

// A plan tells who else moves nodes, how each is handled and what can be done; beside
// some of them nothing is started.
func TestPlanTellsExternalMovers(t *testing.T) {
	p := planned()
	p.ExternalMovers = []record.ExternalMover{
		{Kind: record.ExternalRebalance, Who: "AZRebalance", Does: "moves machines", Handling: record.HandlingSuspended, How: "suspended while nodes are replaced"},
		{Kind: record.ExternalCordon, Who: "a user", Does: "has cordoned", Nodes: []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7"}, Handling: record.HandlingLeft, How: "the cordon stays"},
	}
	if err := CannotStart(p); err != nil {
		t.Errorf("refused: %v", err)
	}
	p.ExternalMovers = append(p.ExternalMovers, record.ExternalMover{
		Kind: record.ExternalRefresh, Who: "instance refresh r-1", Does: "replaces the group's instances (InProgress, 40 %)", Handling: record.HandlingRefused,
		How: "no run starts beside it", WayOut: "stop it with aws autoscaling cancel-instance-refresh --auto-scaling-group-name ng-web",
	})
	got := planText(p)
	for _, want := range []string{
		"External movers of this group's nodes:\n  - suspended: AZRebalance moves machines: suspended while nodes are replaced\n",
		"  - left alone: a user has cordoned a1, a2, a3, a4, a5 and 2 more: the cordon stays\n",
		"  - refused: instance refresh r-1 replaces the group's instances (InProgress, 40 %): no run starts beside it; to change that: stop it with aws autoscaling cancel-instance-refresh --auto-scaling-group-name ng-web\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the plan does not say %q:\n%s", want, got)
		}
	}
	err := CannotStart(p)
	if err == nil || !strings.Contains(err.Error(), "instance refresh r-1 replaces the group's instances (InProgress, 40 %): stop it with aws autoscaling cancel") {
		t.Errorf("got %v", err)
	}
	var read struct {
		ExternalMovers []struct{ Type, Mover, Handling, Remedy string }
	}
	if err := json.Unmarshal(printed(t, PlanOf(p)), &read); err != nil || len(read.ExternalMovers) != 3 || read.ExternalMovers[2].Type != "instance-refresh" || read.ExternalMovers[2].Handling != "refused" || read.ExternalMovers[2].Remedy == "" {
		t.Errorf("got %+v, %v", read, err)
	}
	p.Nodes = nil // and where nothing is to be done nobody is in the way
	if err := CannotStart(p); err != nil {
		t.Errorf("refused: %v", err)
	}
}

// The last lines before the question hold what is asked: they are read however long the
// list of nodes is.
func TestThePlanEndsWithWhatIsAsked(t *testing.T) {
	p := planned()
	p.Run.Cluster, p.Estimate = "lab", 90*time.Second
	p.Nodes[0].Foreseen, p.Nodes[0].Stuck = []string{"app/web-1: PDB web never allows a disruption", "app/web-2: PDB web never allows a disruption"}, []string{"app/web-1", "app/web-2"}
	end := func() string {
		var b bytes.Buffer
		WriteForApproval(&b, p)
		_, last, _ := strings.Cut(b.String(), "\nlab / ng-web: ")
		return last
	}
	for _, want := range []string{
		"2 nodes to replace, 1.31 → 1.32", "Up to 1 at once, about 1m30s.", "Surge during the run: 6 instances, desired 2 → 8, max 2 → 8.",
		"Foreseen blockers and downtime: 2 cases, listed above.\n", "2 pods can never be evicted: as things stand the run ends in PodEvictionFailure",
	} {
		if !strings.Contains(end(), want) {
			t.Errorf("the end does not say %q:\n%s", want, end())
		}
	}
	p.Run.Settings.OnDrainTimeout = record.TimeoutForce
	if strings.Contains(end(), "PodEvictionFailure") {
		t.Errorf("what is forced is said to fail:\n%s", end())
	}
	if got := planText(p); !strings.HasPrefix(got, "lab / ng-web: 2 nodes to replace") {
		t.Errorf("the plan begins\n%s", got)
	}
}

// A plan that needs consent is not rehearsed, and says so.
func TestPlanWithoutConsent(t *testing.T) {
	p := planned()
	p.Refusals = []string{"shop/db-0 has no controller"}
	if got := planText(p); !strings.Contains(got, " (not rehearsed: consent is missing)") {
		t.Errorf("the plan does not say that it was not rehearsed:\n%s", got)
	}
}

// A plan says what its time rests on, and what a rehearsal met.
func TestPlanTellsItsRehearsal(t *testing.T) {
	for _, c := range []struct {
		of         snapshot.Rehearsal
		want       []string
		json, hide string
	}{
		{snapshot.Rehearsal{Took: 9 * time.Minute, Result: record.Succeeded, Replaced: 2}, []string{"Up to 1 at once, about 9m0s (rehearsed)."}, `"rehearsal": {`, "As it stands"},
		{snapshot.Rehearsal{Took: 3 * time.Hour, Extrapolated: true, Left: 1}, []string{"about 3h0m0s (rehearsed in part)."}, `"extrapolated": true`, "As it stands"},
		{snapshot.Rehearsal{Took: 16 * time.Minute, Result: record.EvictionFail, Why: "PodEvictionFailure: 1 pod on a1 not gone after 15m0s: app/web-1", Failed: 1, Left: 1, Held: []string{"a1: app/web-1"}},
			[]string{"about 16m0s until it ends, with failures (rehearsed).", "The run would end after 16m0s (PodEvictionFailure), with 0 nodes replaced, 1 failed, 1 left: 1 pod on a1 not gone after 15m0s: app/web-1.\nBlocked in the rehearsal:\n  - a1: app/web-1\n"}, `"result": "PodEvictionFailure"`, "PodEvictionFailure: "},
		{snapshot.Rehearsal{Took: 9 * time.Minute, Result: record.Succeeded, Load: snapshot.Load{Waiting: 3, WaitingFor: 2 * time.Minute}}, []string{"Up to 3 pods would wait for room at once, for up to 2m0s: the surge does not suffice for all.\n"}, `"podsWaiting": 3`, "without room"},
		{snapshot.Rehearsal{Took: 9 * time.Minute, Result: record.Succeeded, Homeless: 1, NoRoom: []snapshot.NoRoom{{Pod: "app/web-1", Why: "0/3 nodes are available: 3 Insufficient cpu."}}},
			[]string{"1 pod would be left without room", "Without room in the rehearsal:\n  - pod app/web-1 finds no room: 0/3 nodes are available: 3 Insufficient cpu."}, `"podsLeft": 1`, "would wait"},
		{snapshot.Rehearsal{Took: time.Minute, Why: "a1: app/web-1: budget", Left: 2}, []string{"without an end (rehearsed).", "The run would not end: nothing moves after 1m0s, with 0 nodes replaced, 2 left: a1: app/web-1: budget.\n"}, `"finishes": false`, "about 1m0s"},
	} {
		p := planned()
		p.NotEvaluated = preflight.NotEvaluated
		p.Foresee(snapshot.ForecastOf(p.AsOf, c.of, nil))
		if !slices.Equal(p.NotEvaluated, []string{plans.WebhooksUnknown}) { // the rehearsal places the pods
			t.Errorf("not evaluated: %q", p.NotEvaluated)
		}
		got := planText(p)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("the plan does not say %q:\n%s", want, got)
			}
		}
		if out := string(printed(t, PlanOf(p))); !strings.Contains(out, c.json) {
			t.Errorf("no %s:\n%s", c.json, out)
		}
		if strings.Contains(got, c.hide) {
			t.Errorf("the plan says %q:\n%s", c.hide, got)
		}
	}
}
