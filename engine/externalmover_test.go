package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/diff"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// change edits a copy of a node of a world.
func change(w *world.World, name string, edit func(*world.Node)) {
	n := *w.Node(name)
	edit(&n)
	w.SetNode(&n)
}

// What a plan says of who else moves nodes, and how each is handled.
func TestMoversOfPlan(t *testing.T) {
	taint := func(key, value, effect string) func(*world.World, time.Time) {
		return func(w *world.World, _ time.Time) {
			change(w, "a1", func(n *world.Node) {
				n.Taints = append(n.Taints, world.Taint{Key: key, Value: value, Effect: effect})
			})
		}
	}
	group := func(edit func(g *world.Group, now time.Time)) func(*world.World, time.Time) {
		return func(w *world.World, now time.Time) {
			g := w.Group
			edit(&g, now)
			w.SetGroup(g)
		}
	}
	two := 2
	for _, c := range []struct {
		name   string
		change func(*world.World, time.Time)
		kind   record.ExternalKind // "" for nobody
		how    record.Handling
		says   string
		wayOut string
	}{
		{"nobody", func(*world.World, time.Time) {}, "", "", "", ""},
		{"instance refresh", group(func(g *world.Group, _ time.Time) { g.Refresh = world.Refresh{ID: "r-1", Status: "Pending", Percent: 7} }),
			record.ExternalRefresh, record.HandlingRefused, "instance refresh r-1 replaces the group's instances (Pending, 7 %)", "aws autoscaling cancel-instance-refresh --auto-scaling-group-name ng"},
		{"kops", taint("kops.k8s.io/scheduled-for-update", "", "PreferNoSchedule"), record.ExternalRoll, record.HandlingRefused, "kops is rolling a1 (taint kops", "kubectl taint node a1 kops.k8s.io/scheduled-for-update:PreferNoSchedule-"},
		{"Karpenter", taint("karpenter.sh/disrupted", "", "NoSchedule"), record.ExternalRoll, record.HandlingRefused, "Karpenter is rolling a1", "karpenter.sh/disrupted:NoSchedule-"},
		{"Cyclops", func(w *world.World, _ time.Time) {
			change(w, "a1", func(n *world.Node) { n.Labels = map[string]string{"cyclops.atlassian.com/terminate": "cnr-1"} })
		}, record.ExternalRoll, record.HandlingRefused, "Cyclops is rolling a1", "kubectl label node a1 cyclops.atlassian.com/terminate-"},
		{"autoscaler", taint("ToBeDeletedByClusterAutoscaler", "1793610000", "NoSchedule"), record.ExternalDrain, record.HandlingWaited, "Cluster Autoscaler drains a1", "skip the node"},
		{"a mark that is older than anybody waits", func(w *world.World, now time.Time) {
			taint("ToBeDeletedByClusterAutoscaler", "1793600000", "NoSchedule")(w, now)
		}, record.ExternalDrain, record.HandlingLeft, "not finished after 30m0s", ""},
		{"the autoscaler thinks about it", taint("DeletionCandidateOfClusterAutoscaler", "", "PreferNoSchedule"), record.ExternalMark, record.HandlingLeft, "Cluster Autoscaler has marked a1", ""},
		{"handler, no cordon", taint("aws-node-termination-handler/spot-itn", "", "NoSchedule"), record.ExternalMark, record.HandlingLeft, "Node Termination Handler has marked a1", ""},
		{"an update of EKS that was ours once", taint("eks.amazonaws.com/nodegroup", "unschedulable", "NoSchedule"), record.ExternalMark, record.HandlingLeft, "EKS has marked a1", ""},
		{"out of service by hand", taint("node.kubernetes.io/out-of-service", "", "NoExecute"), record.ExternalMark, record.HandlingLeft, "a user or a tool has marked a1", ""},
		{"a cordon", func(w *world.World, _ time.Time) { change(w, "a1", func(n *world.Node) { n.Unschedulable = true }) },
			record.ExternalCordon, record.HandlingLeft, "a user or a tool has cordoned a1: rolled like any other node", ""},
		{"kubectl drain of a node that was cordoned long before", func(w *world.World, now time.Time) {
			change(w, "a1", func(n *world.Node) {
				n.Unschedulable, n.Tainted = true, map[string]time.Time{"node.kubernetes.io/unschedulable": now.Add(-time.Hour)}
			})
			p := *w.PodsOn("a1")[0]
			p.Ends = now.Add(20 * time.Second)
			w.SetPod(&p)
		}, record.ExternalDrain, record.HandlingWaited, "a user or a tool drains a1", ""},
		{"a pod that nobody will see end", func(w *world.World, now time.Time) {
			change(w, "a1", func(n *world.Node) { n.Unschedulable = true })
			p := *w.PodsOn("a1")[0]
			p.Ends = now.Add(-time.Minute)
			w.SetPod(&p)
		}, record.ExternalCordon, record.HandlingLeft, "a user or a tool has cordoned and may be draining a1: no pod was seen leaving", ""},
		{"handler, on a node that was cordoned long before", func(w *world.World, now time.Time) {
			taint("aws-node-termination-handler/spot-itn", "", "NoSchedule")(w, now)
			change(w, "a1", func(n *world.Node) {
				n.Unschedulable, n.Tainted = true, map[string]time.Time{"node.kubernetes.io/unschedulable": now.Add(-time.Hour)}
			})
		}, record.ExternalDrain, record.HandlingWaited, "Node Termination Handler drains a1", "skip the node"},
		{"kops, on a machine that ends", func(w *world.World, now time.Time) {
			taint("kops.k8s.io/scheduled-for-update", "", "PreferNoSchedule")(w, now)
			var list []world.Machine
			for _, m := range w.Machines() {
				c := *m
				if m.ID == "i-a1" {
					c.State = world.MachineTerminating
				}
				list = append(list, c)
			}
			w.SetMachines(list)
		}, "", "", "", ""},
		{"unhealthy", func(w *world.World, _ time.Time) {
			var list []world.Machine
			for _, m := range w.Machines() {
				c := *m
				c.Unhealthy = m.ID == "i-a1"
				list = append(list, c)
			}
			w.SetMachines(list)
		}, record.ExternalUnhealthy, record.HandlingLeft, "Auto Scaling (ReplaceUnhealthy) terminates as unhealthy, without a drain, a1", ""},
		{"scaling policies", group(func(g *world.Group, _ time.Time) {
			g.Scaling.Policies = []world.Policy{{Name: "cpu", Kind: "TargetTrackingScaling"}, {Name: "queue", Kind: "StepScaling"}}
		}), record.ExternalPolicy, record.HandlingWarned, "scaling policies cpu, queue change the desired capacity", "suspend-processes --auto-scaling-group-name ng --scaling-processes AlarmNotification"},
		{"scaling policies that are suspended", group(func(g *world.Group, _ time.Time) {
			g.Scaling.Policies, g.Suspended = []world.Policy{{Name: "cpu"}}, []string{"AlarmNotification"}
		}), "", "", "", ""},
		{"a forecast", group(func(g *world.Group, _ time.Time) {
			g.Scaling.Policies = []world.Policy{{Name: "week", Kind: "PredictiveScaling"}}
		}), record.ExternalPolicy, record.HandlingWarned, "scaling policy week changes", "--scaling-processes ScheduledActions"},
		{"a scheduled action", group(func(g *world.Group, now time.Time) {
			g.Scaling.Schedule = []world.Scheduled{{Name: "night", At: now.Add(time.Hour), Recurs: "0 20 * * *", Min: &two, Desired: &two}}
		}), record.ExternalSchedule, record.HandlingWarned, "scheduled action night sets min 2, desired 2 at 2026-11-02 10:", "--scaling-processes ScheduledActions"},
		{"a scheduled action in a week", group(func(g *world.Group, now time.Time) {
			g.Scaling.Schedule = []world.Scheduled{{Name: "week", At: now.Add(7 * 24 * time.Hour), Desired: &two}}
		}), "", "", "", ""},
		{"an autoscaler's group", group(func(g *world.Group, _ time.Time) {
			g.Tags = map[string]string{"k8s.io/cluster-autoscaler/prod": "owned"}
		}),
			record.ExternalAutoscaler, record.HandlingLeft, "Cluster Autoscaler scales the group (tag k8s.io/cluster-autoscaler/prod)", ""},
		{"only what a node would be like", group(func(g *world.Group, _ time.Time) {
			g.Tags = map[string]string{"k8s.io/cluster-autoscaler/node-template/label/x": "y"}
		}), "", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := planOf(t, "cluster zones=a nodes=2\nworkload web replicas=2", c.change)
			rebalance := func(r record.ExternalMover) bool { return r.Kind == record.ExternalRebalance }
			if i := slices.IndexFunc(p.ExternalMovers, rebalance); i < 0 || p.ExternalMovers[i].Handling != record.HandlingSuspended {
				t.Errorf("AZRebalance is not said to be suspended: %+v", p.ExternalMovers)
			}
			got := slices.DeleteFunc(slices.Clone(p.ExternalMovers), rebalance)
			if c.kind == "" {
				if len(got) > 0 {
					t.Errorf("got %+v", got)
				}
				return
			}
			if len(got) != 1 {
				t.Fatalf("got %+v", got)
			}
			r := got[0]
			if r.Kind != c.kind || r.Handling != c.how || !strings.Contains(r.Sentence(), c.says) || !strings.Contains(r.WayOut, c.wayOut) {
				t.Errorf("got %+v\n%s\n%s", r, r.Sentence(), r.WayOut)
			}
			if opposed := len(p.Opposed()) > 0; opposed != (c.how == record.HandlingRefused) {
				t.Errorf("a run may start: %t", !opposed)
			}
		})
	}
}

// An annotation that was on a node before is not ours: it stays when the run ends.
func TestGuardLeavesWhatIsNotOurs(t *testing.T) {
	const keep = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
	for _, theirs := range []string{"", "true", "false"} {
		c := script.New()
		script := "cluster zones=a nodes=2 new=1\nworkload web replicas=2\nautoscaler\nstart"
		if _, err := c.Do(script); err != nil {
			t.Fatal(err)
		}
		if theirs != "" {
			for _, w := range []*world.World{c.Sim.Truth, c.Sim.View} {
				change(w, "a3v2", func(n *world.Node) { n.Annotations = map[string]string{keep: theirs} })
			}
		}
		if _, err := c.Do("run until=upgrade"); err != nil {
			t.Fatal(err)
		}
		want := theirs
		if want == "" {
			want = "true"
		}
		if got := c.Sim.Truth.Node("a3v2").Annotations[keep]; got != want {
			t.Errorf("%q before: %q during the run", theirs, got)
		}
		if _, err := c.Do("operator abort\nrun until=end"); err != nil {
			t.Fatal(err)
		}
		if n := c.Sim.Truth.Node("a3v2"); n == nil || n.Annotations[keep] != theirs {
			t.Errorf("%q before: %+v after the run", theirs, n)
		}
	}
}

// A group without a run shows which part of the cloud is at work on it, and nobody who
// only may be. What its nodes tell is OthersView's.
func TestMoversWithoutARun(t *testing.T) {
	c := script.New()
	if _, err := c.Do("cluster zones=a nodes=2\nworkload web replicas=2\nuser cordon a1\nuser refreshes percent=30\nautoscaler\nuser moves a2 by=kured"); err != nil {
		t.Fatal(err)
	}
	p := c.Plan("r")
	w := c.Sim.View
	snapshot := snapshot.View(strategy.EKS{}, p.AsOf, w, snapshot.Idle(strategy.EKS{}, p.AsOf, w, record.Run{}, nil), snapshot.Look{}, nil)
	var got []string
	for _, r := range snapshot.ExternalMovers {
		got = append(got, string(r.Kind)+" "+r.Who)
	}
	if want := []string{"instance refresh instance refresh r-1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Who watches a run from elsewhere is told who has come and who has gone.
func TestMoversOfDiff(t *testing.T) {
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	run := func(movers ...record.ExternalMover) record.Run {
		return record.Run{ID: "r", State: record.Running, Started: at, Seen: at.Add(time.Minute), Nodes: shards.Of(map[string]record.Node{}), ExternalMovers: movers}
	}
	kops := record.ExternalMover{Kind: record.ExternalRoll, Who: "kops", Does: "is rolling", Nodes: []string{"a1"}, Handling: record.HandlingRefused, How: "the run pauses", Since: at.Add(time.Second)}
	later := kops
	later.Nodes = []string{"a1", "a2"}
	quiet := record.ExternalMover{Kind: record.ExternalRebalance, Who: "AZRebalance", Handling: record.HandlingSuspended}
	tell := func(before, after record.Run) (out []string) {
		for _, e := range diff.Between(before, after) {
			out = append(out, e.Reason+": "+e.Message)
		}
		return out
	}
	if got := tell(run(), run(kops, quiet)); !slices.Equal(got, []string{"rival: kops is rolling a1: the run pauses"}) {
		t.Errorf("come: %q", got)
	}
	if got := tell(run(kops), run(later)); len(got) > 0 {
		t.Errorf("the same: %q", got)
	}
	one := record.ExternalMover{Kind: record.ExternalDrain, Who: "kured", Does: "drains", Nodes: []string{"a1"}, Handling: record.HandlingWaited, How: "waited for", Since: at}
	two := one
	two.Nodes = []string{"a1", "a2"}
	if got := tell(run(one), run(two)); !slices.Equal(got, []string{"rival: kured drains a2: waited for"}) {
		t.Errorf("one more node: %q", got)
	}
	if got := tell(run(later, quiet), run()); !slices.Equal(got, []string{"rival gone: over: kops is rolling a1, a2"}) {
		t.Errorf("gone: %q", got)
	}
}

// A record has room for what it says of nodes that are not waited for, however many.
func TestMoversOfManyNodes(t *testing.T) {
	p := planOf(t, "cluster zones=a nodes=9\nworkload web replicas=2", func(w *world.World, _ time.Time) {
		for _, n := range w.Nodes() {
			change(w, n.Name, func(n *world.Node) { n.Unschedulable = true })
		}
	})
	i := slices.IndexFunc(p.ExternalMovers, func(r record.ExternalMover) bool { return r.Kind == record.ExternalCordon })
	if i < 0 {
		t.Fatalf("%+v", p.ExternalMovers)
	}
	r := p.ExternalMovers[i]
	if len(r.Nodes) != 5 || r.More != 4 || !strings.HasSuffix(r.Action(), " and 4 more") {
		t.Errorf("%d nodes and %d more: %s", len(r.Nodes), r.More, r.Action())
	}
}
