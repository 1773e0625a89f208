package engine_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/diff"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// onlooker watches a group of old machines i-1, i-2, ... with nodes n1, n2, ... of the
// same numbers, minute by minute from noon.
type onlooker struct {
	t    *testing.T
	w    *world.World
	now  time.Time
	left map[string][]record.Mark
	run  record.Run
	view *snapshot.Snapshot
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func look(t *testing.T, nodes int) *onlooker {
	o := &onlooker{t: t, w: world.New(), now: noon}
	o.w.SetGroup(world.Group{Name: "ng", Template: world.Template{ID: "lt", Version: 2}})
	o.w.SetDaemonSets([]string{"ds"})
	for i := 1; i <= nodes; i++ {
		o.node(i, func(*world.Node) {})
	}
	o.machines(1, nodes)
	return o
}

// machines says that the group has the machines of these numbers; those above 10 are of
// the new template.
func (o *onlooker) machines(from, to int, more ...int) {
	var list []world.Machine
	for i := from; i <= to; i++ {
		more = append(more, i)
	}
	for _, i := range more {
		version := int64(1)
		if i > 10 {
			version = 2
		}
		list = append(list, world.Machine{ID: fmt.Sprint("i-", i), Zone: "a", State: world.MachineInService, Template: world.Template{ID: "lt", Version: version}})
	}
	o.w.SetMachines(list)
}

// node changes a node, or makes it.
func (o *onlooker) node(i int, change func(*world.Node)) {
	n := &world.Node{Name: fmt.Sprint("n", i), Machine: fmt.Sprint("i-", i), Zone: "a", Version: "v1.31.4", Ready: true, Created: noon.Add(-time.Hour)}
	if was := o.w.Node(n.Name); was != nil {
		c := *was
		n = &c
	}
	change(n)
	o.w.SetNode(n)
}

func (o *onlooker) taint(i int, key, value, effect string) {
	o.node(i, func(n *world.Node) {
		n.Taints = append(n.Taints[:len(n.Taints):len(n.Taints)], world.Taint{Key: key, Value: value, Effect: effect})
	})
}

// cordon cordons a node, as the control plane then shows it.
func (o *onlooker) cordon(i int) {
	o.node(i, func(n *world.Node) {
		n.Unschedulable, n.Tainted = true, map[string]time.Time{"node.kubernetes.io/unschedulable": o.now}
	})
}

// pod puts a pod of a Deployment of that name on a node.
func (o *onlooker) pod(name string, on int) {
	o.w.SetPod(&world.Pod{UID: name, Namespace: "shop", Name: name, Node: fmt.Sprint("n", on), Phase: world.PodRunning, Ready: true, Grace: 30 * time.Second,
		Owner: world.Owner{Kind: "ReplicaSet", Name: name, UID: name + "-rs"}, Labels: map[string]string{"app": name}})
}

// goes makes a pod terminate.
func (o *onlooker) goes(name string) {
	p := *o.w.Pod(name)
	p.Ends = o.now.Add(p.Grace)
	o.w.SetPod(&p)
}

// budget makes a budget over a pod that allows so many evictions.
func (o *onlooker) budget(name string, allowed int) {
	selector, _ := labels.Parse("app=" + name)
	o.w.SetBudget(&world.Budget{Namespace: "shop", Name: name, Selector: selector, Expression: "minAvailable 1", Allowed: allowed, Healthy: 1 + allowed, Desired: 1, Expected: 1 + allowed, Current: true})
}

// after looks again after so long, and returns what is seen: who is at work, the nodes
// with their stage, pods, countdown and note, what is blocked, and what is told.
func (o *onlooker) after(d time.Duration) string {
	o.t.Helper()
	o.now = o.now.Add(d)
	o.w.SetHealth(world.Cluster, world.Health{Fresh: o.now})
	o.w.SetHealth(world.Cloud, world.Health{Fresh: o.now})
	before := o.run
	o.run = snapshot.Idle(strategy.EKS{}, o.now, o.w, before, o.left)
	o.view = snapshot.View(strategy.EKS{}, o.now, o.w, o.run, snapshot.Look{}, o.view)
	v := o.view
	var out strings.Builder
	if v.External != nil {
		for _, m := range v.External.Movers {
			fmt.Fprintln(&out, m.Text)
		}
		fmt.Fprintf(&out, "%d replaced since %s, %d of %d current", v.External.Replaced, v.External.From.Format("15:04"), v.External.Current, v.External.Nodes)
		if v.TimeLeft > 0 {
			fmt.Fprintf(&out, ", about %s left: %s", v.TimeLeft, v.External.Pace)
		}
		fmt.Fprintln(&out)
	}
	for _, z := range v.Zones {
		for _, r := range z.Rows {
			fmt.Fprintf(&out, "%s %s", cmp.Or(r.Name, r.ID), r.Stage)
			if r.Pods > 0 {
				fmt.Fprintf(&out, " %d/%d", r.PodsLeft, r.Pods)
			}
			if r.Wait != nil {
				fmt.Fprintf(&out, " %s %s", r.Wait.For, r.Wait.End.Sub(o.now))
			}
			if r.Blocked {
				out.WriteString(" blocked")
			}
			if r.Note != "" {
				fmt.Fprintf(&out, " | %s", r.Note)
			}
			fmt.Fprintln(&out)
		}
	}
	for _, b := range v.Blockers {
		fmt.Fprintf(&out, "%s on %s: %s -> %s\n", b.Pod, b.Node, b.Detail, b.WayOut)
	}
	for _, e := range diff.Between(before, o.run) {
		fmt.Fprintln(&out, strings.TrimSpace(fmt.Sprintf("%s %s %s: %s", e.Time.Format("15:04:05"), e.Type, e.Node, e.Message)))
	}
	return out.String()
}

// sees compares what is seen.
func (o *onlooker) sees(d time.Duration, want string) {
	o.t.Helper()
	got := strings.TrimSpace(o.after(d))
	want = strings.ReplaceAll(strings.TrimSpace(want), "\t", "")
	if got != want {
		o.t.Errorf("at %s, got\n%s\n\nwant\n%s", o.now.Format("15:04:05"), got, want)
	}
}

// A run of ours names whose marks are on its nodes besides its own, in the row and in the
// details; its own are nobody else's.
func TestOthersOnNodesOfARun(t *testing.T) {
	o := look(t, 2)
	o.taint(1, eksTaint, "unschedulable", "NoSchedule")
	o.taint(2, eksTaint, "unschedulable", "NoSchedule")
	o.taint(2, kopsTaint, "", "PreferNoSchedule")
	run := engine.Start(assess.NewRun(strategy.EKS{}, "r1", 1, o.w, strategy.EKS{}.Defaults(), record.Target{}), noon, "ann@laptop")
	run.Nodes = shards.Of(map[string]record.Node{})
	run.Marks = map[string][]record.Mark{}
	for i := 1; i <= 2; i++ {
		id, name := fmt.Sprint("i-", i), fmt.Sprint("n", i)
		run.Nodes = run.Nodes.With(id, record.Node{Name: name, Zone: "a", Stage: record.Outdated, Since: noon})
		run.Marks[id] = []record.Mark{{Put: record.TaintOf(id, name, world.Taint{Key: eksTaint, Value: "unschedulable", Effect: "NoSchedule"})}}
	}
	v := snapshot.View(strategy.EKS{}, noon, o.w, run, snapshot.Look{Machine: "i-2"}, nil)
	ours, both := v.Zones[0].Rows[0], v.Zones[0].Rows[1]
	if ours.By != "" || ours.Note != "" {
		t.Errorf("our own taint is taken for %s: %s", ours.By, ours.Note)
	}
	if both.By != world.MoverKops || !strings.Contains(both.Note, "kops rolling-update will replace it") {
		t.Errorf("kops is not named: %+v", both)
	}
	if v.External != nil || len(v.Node.Moves) != 1 || v.Node.Moves[0].By != world.MoverKops {
		t.Errorf("the details have %+v, the group %+v", v.Node.Moves, v.External)
	}
}
