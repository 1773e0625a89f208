package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// readsNodes makes the world of an onlooker partial: its nodes are known, and no pod.
func (o *onlooker) readsNodes() {
	o.w.SetHealth(world.Nodes, world.Health{Fresh: o.now})
	o.w.SetHealth(world.Cloud, world.Health{Fresh: o.now})
}

// rows are those of a snapshot, by the nodes' names.
func rows(v *snapshot.Snapshot) map[string]*snapshot.NodeRow {
	out := map[string]*snapshot.NodeRow{}
	for _, z := range v.Zones {
		for _, r := range z.Rows {
			out[r.Name] = r
		}
	}
	return out
}

// While the pods are being read the nodes are shown with their stages, and nothing is
// said of pods that nobody has read: neither that a node is empty, nor that one is
// drained, nor that nothing blocks.
func TestPartialGroup(t *testing.T) {
	o := look(t, 5)
	o.taint(1, "ToBeDeletedByClusterAutoscaler", "1772366400", "NoSchedule")
	o.cordon(2)
	o.readsNodes()
	see := func() *snapshot.Snapshot {
		t.Helper()
		run := snapshot.Idle(strategy.EKS{}, o.now, o.w, record.Run{}, nil)
		o.view = snapshot.View(strategy.EKS{}, o.now, o.w, run, snapshot.Look{Machine: "i-3"}, o.view)
		if !o.view.Partial || len(o.view.Blockers)+len(o.view.Evictions) > 0 || len(o.view.Node.Pods) > 0 {
			t.Errorf("it tells of what it does not know: %+v", o.view)
		}
		return o.view
	}
	v := see()
	for name, r := range rows(v) {
		want := record.Outdated
		if name == "n1" { // says its mark; that no pod is left on it is not known
			want = record.Draining
		}
		if r.Stage != want || !r.PodsUnread || r.Pods != 0 || r.PodsLeft != 0 || r.Blocked || r.Version == "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for _, src := range v.Sources {
		if src.Stale {
			t.Errorf("what is read for the first time passes for old: %+v", src)
		}
	}

	stuck := &world.Pod{UID: "p", Namespace: "shop", Name: "p", Node: "n1", Phase: world.PodRunning, Ends: noon.Add(-time.Minute), Owner: world.Owner{Kind: "ReplicaSet", Name: "p", UID: "rs"}}
	moves := *stuck
	moves.UID, moves.Node, moves.Ends = "q", "n3", time.Time{}
	o.w.SetEarly("n1", []*world.Pod{stuck})
	o.w.SetEarly("n3", []*world.Pod{&moves})
	o.w.SetEarly("n4", nil)
	before := rows(v)
	now := rows(see())
	if r := now["n1"]; r.PodsUnread || r.PodsLeft != 1 || r.Stage != record.Draining {
		t.Errorf("n1: %+v", r)
	}
	if r := now["n3"]; r.PodsUnread || r.Pods != 1 {
		t.Errorf("n3: %+v", r)
	}
	if r := now["n4"]; r.PodsUnread || r.Pods != 0 {
		t.Errorf("n4, which has none: %+v", r)
	}
	if now["n5"] != before["n5"] || !now["n5"].PodsUnread {
		t.Errorf("n5: %+v", now["n5"])
	}

	o.w.SetHealth(world.Cluster, world.Health{Problem: "no answer"})
	if src := see().Sources[0]; !src.Stale || src.Problem != "no answer" {
		t.Errorf("that the pods cannot be read is not said: %+v", src)
	}

	o.pod("q", 3)
	whole := o.after(0)
	if o.view.Partial || rows(o.view)["n1"].Stage != record.Settling || rows(o.view)["n5"].PodsUnread {
		t.Errorf("all is read, and seen is\n%s", whole)
	}
}

// A run that is watched shows its record's stages while the pods are being read.
func TestPartialRun(t *testing.T) {
	o := look(t, 2)
	o.readsNodes()
	run := engine.Start(assess.NewRun(strategy.EKS{}, "r1", 1, o.w, strategy.EKS{}.Defaults(), record.Target{}), noon, "ann@laptop")
	run.Nodes = shards.Of(map[string]record.Node{
		"i-1": {Name: "n1", Zone: "a", Stage: record.Draining, Since: noon, Pods: 17},
		"i-2": {Name: "n2", Zone: "a", Stage: record.Queued, Since: noon},
	})
	run.Batches = []record.Batch{{ID: 1, Names: []string{"n2"}}}
	v := snapshot.View(strategy.EKS{}, noon, o.w, run, snapshot.Look{}, nil)
	drains, queued := v.Zones[0].Rows[0], v.Zones[0].Rows[1]
	if drains.Stage != record.Draining || !drains.PodsUnread || drains.Pods != 0 || !queued.PodsUnread {
		t.Errorf("%+v, %+v", drains, queued)
	}
	if v.Batch != nil {
		t.Errorf("it tells what an approval does: %+v", v.Batch)
	}
	run.Batches[0].Preview = record.BatchPreview{AsOf: noon, Evict: 12}
	if v = snapshot.View(strategy.EKS{}, noon, o.w, run, snapshot.Look{}, nil); v.Batch == nil || v.Batch.Evict != 12 {
		t.Errorf("what the record says of the batch is not shown: %+v", v.Batch)
	}
}

// Nothing is decided by a world that is partial: a run stands, and a plan judges nothing.
func TestNothingIsDecidedByAPartialWorld(t *testing.T) {
	o := look(t, 3)
	o.readsNodes()
	o.w.SetEarly("n1", nil)
	rules := strategy.EKS{}
	settings := rules.Defaults()
	settings.Approve = record.ApproveNone
	run := engine.Start(assess.NewRun(rules, "r1", 1, o.w, settings, record.Target{Templates: []world.Template{{ID: "lt", Version: 2}}}), noon, "ann@laptop")
	d := engine.Decide(rules, noon, o.w, run, engine.Inputs{})
	if len(d.Actions) > 0 || d.Run.Nodes.Len() > 0 {
		t.Errorf("decided: %+v, nodes %+v", d.Actions, d.Run.Nodes)
	}
	plan := snapshot.MakePlan(rules, noon, o.w, run, 0)
	if len(plan.Nodes) == 0 {
		t.Error("the plan has no nodes")
	}
	for _, n := range plan.Nodes {
		if !strings.Contains(n.NotEvaluated, "not read yet") {
			t.Errorf("foreseen: %+v", n)
		}
	}
	o.w.SetHealth(world.Cluster, world.Health{Fresh: noon})
	if d = engine.Decide(rules, noon, o.w, run, engine.Inputs{}); d.Run.Nodes.Len() != 3 {
		t.Errorf("all is read, and the run knows of %+v", d.Run.Nodes)
	}
}
