package present

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
)

// What keeps a cluster from being valid is named, what is ignored as such and last.
func TestStatusOfAValidation(t *testing.T) {
	now := time.Date(2026, 11, 21, 21, 7, 0, 0, time.UTC)
	r := record.Run{ID: "nodes-1", Group: "nodes-a.k8s.example.com", Alias: "nodes-a", State: record.Running, Seen: now, Validation: &record.Validation{
		Wait: &record.Wait{Start: now.Add(-time.Minute), End: now.Add(14 * time.Minute)}, Passes: 1, Need: 2,
		Failures: []record.Invalid{{Kind: "node", Name: "b1", Message: "node b1 of nodes-b is not Ready", Ignored: true}, {Kind: "pod", Name: "kube-system/dns", Message: "pod kube-system/dns is pending"}},
	}}
	var b bytes.Buffer
	WriteStatus(&b, StatusOf(r), now)
	want := "  cluster validation: passed 1 of 2, 14m0s left\n    - pod kube-system/dns is pending\n    - ignored: node b1 of nodes-b is not Ready\n"
	if got := b.String(); !strings.Contains(got, want) || !strings.HasPrefix(got, "nodes-a  nodes-1  running") {
		t.Errorf("status does not say %q:\n%s", want, got)
	}
	r.State, r.Result, r.Validation.Failed = record.Finished, record.InvalidFail, now
	b.Reset()
	if WriteStatus(&b, StatusOf(r), now); !strings.Contains(b.String(), "cluster not valid in time\n    - pod kube-system/dns is pending") {
		t.Errorf("status of one that failed:\n%s", b.String())
	}
	r.Validation.Failed, r.Validation.Passed = time.Time{}, now
	b.Reset()
	if WriteStatus(&b, StatusOf(r), now); strings.Contains(b.String(), "valid") {
		t.Errorf("status of one that passed:\n%s", b.String())
	}
}

func TestStatus(t *testing.T) {
	now := time.Date(2026, 11, 21, 21, 7, 0, 0, time.UTC)
	r := record.Run{
		ID: "ng-web-1", Group: "ng-web", Strategy: "eks", State: record.Running, Seen: now,
		Settings: record.Settings{Order: []record.Order{record.OrderOldest}, Until: now.Add(time.Hour)},
		Target:   record.Target{Only: []string{"a1", "a2", "a3"}},
		Canary:   &record.Canary{Wait: &record.Wait{End: now.Add(90 * time.Second)}, Trouble: "web crash-loops"},
		Batches:  []record.Batch{{ID: 3, Phase: "scale down", Hash: "0123456789ab"}},
		Nodes: shards.Of(map[string]record.Node{
			"i-1": {Name: "a1", Stage: record.NodeFail, Reason: "2 pods not gone after 15m0s"},
			"i-2": {Name: "a2", Stage: record.Skipped, Reason: "requested by ann@laptop"},
			"i-3": {Name: "a3", Stage: record.Terminating, Lost: true},
			"i-4": {Stage: record.Skipped, Reason: "not named by --only"},
		}),
	}
	var b bytes.Buffer
	s := StatusOf(r)
	s.Driver = "ann@laptop pid 7"
	WriteStatus(&b, s, now)
	for _, want := range []string{
		"strategy eks, order oldest, only a1, a2, a3, until Sat 21 Nov 2026 ", "  phase scale down waits for approval (drainboard approve ng-web --batch 3 --hash 0123456789ab)",
		"canary watched for another 1m30s (web crash-loops)", "failed (2 pods not gone after 15m0s): a1",
		"skipped (requested by ann@laptop): a2", "skipped (not named by --only): i-4", "terminated as unreachable: a3",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("status does not say %q:\n%s", want, b.String())
		}
	}
	out := strings.Join(strings.Fields(string(printed(t, s.JSON()))), "")
	for _, want := range []string{`"order":["oldest"]`, `"only":["a1","a2","a3"]`, `"until":"2026-11-21T22:07:00Z"`, `"failedNodes":[{"node":"a1","message":"2podsnotgoneafter15m0s"}]`, `"unreachableNodes":["a3"]`, `"hash":"0123456789ab"`, `"canary":{`} {
		if !strings.Contains(out, want) {
			t.Errorf("JSON lacks %s: %s", want, out)
		}
	}
	printed(t, StatusList([]Status{s}, []error{errors.New("the run record drainboard/run-b is damaged")}))
	printed(t, StatusList(nil, nil))
	for want, c := range map[string]record.Canary{
		"canary unhealthy: web crash-loops. The dashboard that drives the run accepts it": {Trouble: "web crash-loops", Stands: true},
		"canary unhealthy, accepted by ann@laptop: web crash-loops":                       {Trouble: "web crash-loops", Stands: true, Passed: true, By: "ann@laptop"},
	} {
		r.Canary = &c
		b.Reset()
		if WriteStatus(&b, StatusOf(r), now); !strings.Contains(b.String(), want) || strings.Contains(b.String(), "drainboard approve") {
			t.Errorf("status does not say %q, or names a command that is refused:\n%s", want, b.String())
		}
	}
	r.Canary = &record.Canary{}
	r.Canary.Passed, r.Settings, r.Target = true, record.Settings{}, record.Target{}
	b.Reset()
	WriteStatus(&b, StatusOf(r), now)
	if got := b.String(); strings.Contains(got, "canary") || strings.Contains(got, "only a1") || strings.Contains(got, "until") || !strings.Contains(got, "order random") {
		t.Errorf("status says more than there is:\n%s", got)
	}
}

// A run with a driver and an old record has a record that apparently cannot be written. With an
// unknown driver it may also be a run without one.
func TestStatusOfAnOldRecord(t *testing.T) {
	now := time.Date(2026, 11, 21, 21, 7, 0, 0, time.UTC)
	for _, c := range []struct {
		driver, unknown string
		want, not       string
	}{
		{"ann@laptop pid 7", "", "record not written since", "no process drives it"},
		{"", "may not get leases", "either no process drives it, or its record cannot be written", "apparently"},
		{"", "", "no process drives it, and its record was last written 1m0s ago; drainboard upgrade ng-web resumes it", "cannot be written"},
	} {
		s := StatusOf(record.Run{ID: "ng-web-1", Group: "ng-web", State: record.Running, Seen: now.Add(-time.Minute)})
		s.DrivenBy(c.driver, c.unknown, now)
		var b bytes.Buffer
		if WriteStatus(&b, s, now); !strings.Contains(b.String(), c.want) || strings.Contains(b.String(), c.not) {
			t.Errorf("%+v:\n%s", c, b.String())
		}
		if s.UnwrittenSince.IsZero() != (c.driver == "") {
			t.Errorf("%+v: since %s", c, s.UnwrittenSince)
		}
	}
}

// A run whose driver was killed moments ago waits for an approval that nobody would hear.
func TestStatusWithoutADriver(t *testing.T) {
	now := time.Date(2026, 11, 21, 21, 7, 0, 0, time.UTC)
	s := StatusOf(record.Run{ID: "ng-web-1", Group: "ng-web", State: record.Running, Seen: now.Add(-18 * time.Second), Batches: []record.Batch{{ID: 2, Hash: "abc", Names: []string{"a"}}}})
	var b bytes.Buffer
	WriteStatus(&b, s, now)
	if got := b.String(); !strings.Contains(got, "no process drives it, and its record was last written 18s ago; drainboard upgrade ng-web resumes it") ||
		!strings.Contains(got, "batch 2 waits for approval: a") || strings.Contains(got, "drainboard approve") {
		t.Error(got)
	}
	s.Driver = "ann@laptop pid 7"
	b.Reset()
	if WriteStatus(&b, s, now); !strings.Contains(b.String(), "drainboard approve ng-web --batch 2 --hash abc") || strings.Contains(b.String(), "no process") {
		t.Error(b.String())
	}
}

// While a look at a run takes its time its record grows old: who drives it has been seen.
func TestStatusOfARecordThatGrowsOld(t *testing.T) {
	now := time.Date(2026, 11, 21, 21, 7, 0, 0, time.UTC)
	s := StatusOf(record.Run{ID: "ng-web-1", Group: "ng-web", State: record.Running, Seen: now.Add(-30 * time.Second)})
	s.DrivenBy("ann@laptop pid 7", "", now)
	var b bytes.Buffer
	if WriteStatus(&b, s, now.Add(time.Second)); strings.Contains(b.String(), "no process drives it") {
		t.Errorf("a process drives it:\n%s", b.String())
	}
}

// Who else moves nodes is named with the run that knows them, or apart; a run's own marks
// are not those of an external mover, and what a finished one has left behind is said so.
func TestStatusNamesOthers(t *testing.T) {
	eks := world.Taint{Key: "eks.amazonaws.com/nodegroup", Value: "unschedulable", Effect: "NoSchedule"}
	kops := world.Taint{Key: "kops.k8s.io/scheduled-for-update", Effect: "PreferNoSchedule"}
	nodes := []*world.Node{
		{Name: "a1", Machine: "i-1", Taints: []world.Taint{eks}},
		{Name: "a2", Machine: "i-2", Taints: []world.Taint{eks, kops}},
		{Name: "b1", Machine: "i-9", Unschedulable: true},
		{Name: "b2", Machine: "i-8"},
	}
	r := record.Run{
		ID: "r1", Group: "ng-web", State: record.Running, Nodes: shards.Of(map[string]record.Node{"i-1": {Name: "a1"}, "i-2": {Name: "a2"}}),
		Marks: map[string][]record.Mark{"i-1": {{Put: record.TaintOf("i-1", "a1", eks)}}, "i-2": {{Put: record.TaintOf("i-2", "a2", eks)}}},
	}
	text := func() string {
		var b bytes.Buffer
		s := StatusOf(r)
		s.Others = Others(NodesOf(r, nodes), r)
		WriteStatus(&b, s, time.Now())
		WriteUnclaimed(&b, Unclaimed([]live.Stored{{Run: r}}, nodes))
		return b.String()
	}
	running := text()
	for _, want := range []string{"others: kops rolling-update is at work here: a2\n", "Nodes without a run that external movers move", "cordoned by a user, or by a tool that leaves no mark: b1\n"} {
		if !strings.Contains(running, want) {
			t.Errorf("it does not say %q:\n%s", want, running)
		}
	}
	if strings.Contains(running, "EKS") || strings.Contains(running, "a1") || strings.Contains(running, "b2") || strings.Contains(running, "Drainboard") {
		t.Errorf("our own marks count as an external mover's:\n%s", running)
	}
	r.State, r.Result = record.Finished, record.Failed
	if finished := text(); !strings.Contains(finished, "a run of Drainboard has left marks behind: a1 and a2") {
		t.Errorf("marks left behind are not shown:\n%s", finished)
	}
	if got := WhoElse(Others(nodes, record.Run{})); got != "EKS, kops, a user or a tool" {
		t.Errorf("without a run: %q", got)
	}
}

func TestStatusOfEarlierRuns(t *testing.T) {
	at := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	done := record.Run{ID: "ng-web-0", By: "ann@laptop", State: record.Finished, Result: record.Succeeded, Finished: at, Nodes: shards.Of(map[string]record.Node{"i-1": {Stage: record.Replaced}})}
	past := PastOf([]live.Stored{{Name: "run-ng-web-past-2", Run: done}, {Name: "run-ng-web-past-1", Err: errors.New("it is damaged"), Discarded: "discarded by bob@desk: it is damaged"}})
	s := StatusOf(record.Run{ID: "ng-web-1", Group: "ng-web", State: record.Running, By: "bob@desk", Seen: at, Started: at})
	s.Driver, s.Past = "bob@desk pid 7", past
	var b bytes.Buffer
	WriteStatus(&b, s, at)
	for _, want := range []string{"started by bob@desk, ", "driven by bob@desk pid 7", "earlier runs:", "ng-web-0  succeeded  1 of 1 nodes replaced  ended ", "started by ann@laptop", "run-ng-web-past-1  discarded by bob@desk: it is damaged (configmap run-ng-web-past-1)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("status does not say %q:\n%s", want, b.String())
		}
	}
}

// A run under way shows how its driver foresees its end, as long as that is new.
func TestStatusOfAForecast(t *testing.T) {
	now := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	foreseen := &record.Foreseen{Outlook: record.WillFail, At: now.Add(-10 * time.Second), FailsAt: now.Add(263 * time.Second), Result: record.EvictionFail, Cause: "PDB shop/checkout never opens", Budget: "shop/checkout", Stay: 5, Nodes: 12}
	run := record.Run{ID: "run-1", Group: "ng-web", State: record.Running, Seen: now, Foreseen: foreseen}
	for _, c := range []struct {
		name string
		edit func(*record.Run)
		want string
	}{
		{"new", func(*record.Run) {}, "forecast: will fail in 4:23: PDB shop/checkout never opens, 5 of 12 nodes stay old\n"},
		{"while an approval is waited for", func(r *record.Run) { r.Batches = []record.Batch{{ID: 1}} }, "forecast: will fail in 4:33: PDB"},
		{"old", func(r *record.Run) { r.Seen = now.Add(5 * time.Minute) }, ""},
		{"paused", func(r *record.Run) { r.State = record.Paused }, ""},
	} {
		r := run
		c.edit(&r)
		s := StatusOf(r)
		s.DrivenBy("ann@laptop", "", now)
		var out strings.Builder
		WriteStatus(&out, s, now)
		if c.want != "" && !strings.Contains(out.String(), c.want) || c.want == "" && strings.Contains(out.String(), "forecast") {
			t.Errorf("%s:\n%s", c.name, out.String())
		}
		if doc := string(printed(t, s.JSON())); strings.Contains(doc, `"outlook": "fails"`) != (c.want != "") {
			t.Errorf("%s:\n%s", c.name, doc)
		}
	}
}

// An update by EKS that is followed: its phase, what it keeps, and at which nodes EKS may be; nothing that EKS
// refuses is recommended.
func TestStatusOfFollowedUpdate(t *testing.T) {
	now := time.Date(2026, 11, 2, 9, 10, 0, 0, time.UTC)
	run := record.Run{ID: "web-1", Group: "web", Strategy: "eks-managed", State: record.Running, By: "EKS update u-1", Started: now.Add(-10 * time.Minute), Seen: now, Candidates: []string{"a", "b"},
		Phases: []record.Phase{{Name: "upgrade", Start: now.Add(-time.Minute)}},
		Nodes:  shards.Of(map[string]record.Node{"i-a": {Name: "a", Stage: record.Outdated}, "i-b": {Name: "b", Stage: record.Outdated}, "i-c": {Name: "c", Stage: record.Replaced}})}
	kept := []*blockers.Blocker{{Pod: "shop/checkout-1", Node: "a", Detail: "PDB shop/checkout allows none", Budgets: []blockers.BudgetView{{Ref: "shop/checkout"}}}}
	of := FollowedOf(run, kept, "EKS drains probably one of: a; b")
	var out strings.Builder
	WriteStatus(&out, of, now)
	for _, want := range []string{"running  upgrade  1 of 3 nodes replaced", "strategy eks-managed", "shop/checkout-1 on a: PDB shop/checkout allows none", "EKS drains probably one of: a; b"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "drainboard ") || strings.Contains(out.String(), "aws ") {
		t.Errorf("it recommends what EKS refuses:\n%s", out.String())
	}
	doc := of.JSONWith(GroupRow{Summary: asg.Summary{Group: world.Group{Managed: &world.ManagedGroup{Name: "web", Cluster: "prod"}}}})
	if r := doc.LatestRun; !slices.Equal(r.Candidates, run.Candidates) || r.Phase != "upgrade" || len(r.BlockedPods) != 1 || r.BlockedPods[0].Budgets[0] != "shop/checkout" || doc.NodeGroup == nil {
		t.Errorf("%+v", doc)
	}
}

func TestStatusTellsWorkloads(t *testing.T) {
	now := time.Date(2026, 11, 26, 3, 10, 0, 0, time.UTC)
	run := record.Run{ID: "ng-web-1", Group: "ng-web", State: record.Running, Seen: now, Workloads: map[string]record.Workload{
		"a": {Namespace: "shop", Kind: "Deployment", Name: "web", Moved: 11, Ready: 11, Since: now.Add(-9 * time.Minute)},
		"b": {Namespace: "shop", Kind: "Deployment", Name: "checkout-gateway", Moved: 3, Ready: 2, Pending: 1, Since: now.Add(-9 * time.Minute), TroubleSince: now.Add(-3 * time.Minute),
			Pod: "shop/checkout-gateway-7d9f8c6b5-p9x4q", Reason: "0/36 nodes are available: 36 Insufficient cpu."},
	}}
	s := StatusOf(run)
	var out strings.Builder
	WriteStatus(&out, s, now)
	const why = "replacement shop/checkout-gateway-7d9f8c6b5-p9x4q is Pending: 0/36 nodes are available: 36 Insufficient cpu."
	if !strings.Contains(out.String(), "deployment shop/checkout-gateway: "+why) || strings.Contains(out.String(), "shop/web") {
		t.Error("it says\n" + out.String())
	}
	list := s.JSON().LatestRun.Workloads
	if len(list) != 2 || list[0].Name != "checkout-gateway" || list[0].Trouble != "pending" || list[0].Message != why || list[0].MovedPods != 3 || !list[0].TroubleSince.Equal(now.Add(-3*time.Minute)) || list[1].Trouble != "" {
		t.Errorf("JSON has %+v", list)
	}
}
