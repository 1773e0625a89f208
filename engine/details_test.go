package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

var lookedAt = time.Date(2026, 3, 14, 21, 7, 12, 0, time.UTC)

// sight is one node, n1 on i-1, in a world and a run that are made by hand.
type sight struct {
	w *world.World
	r record.Run
}

func newSight(stage record.Stage) *sight {
	w := world.New()
	w.SetGroup(world.Group{Name: "web", Template: world.Template{ID: "lt-1", Version: 2}, TemplateName: "web-nodes"})
	w.SetHealth(world.Cluster, world.Health{Fresh: lookedAt})
	w.SetHealth(world.Cloud, world.Health{Fresh: lookedAt})
	w.SetMachines([]world.Machine{{ID: "i-1", Zone: "a", State: world.MachineInService, Type: "m5.large", Template: world.Template{ID: "lt-1", Version: 1}, Spot: true}})
	w.SetNode(&world.Node{Name: "n1", Machine: "i-1", Zone: "a", Version: "v1.31", Ready: true, Unschedulable: true, Taints: []world.Taint{{Key: "k", Effect: "NoSchedule"}}})
	w.SetDaemonSets([]string{"daemon"})
	r := engine.Start(assess.NewRun(strategy.EKS{}, "r", 1, w, strategy.EKS{}.Defaults(), record.Target{}), lookedAt.Add(-time.Hour), "ann")
	r.Nodes = r.Nodes.With("i-1", record.Node{Name: "n1", Zone: "a", Stage: stage, Since: lookedAt, Wait: &record.Wait{For: "drain deadline", Start: lookedAt, End: lookedAt.Add(time.Minute)}})
	r.Pods, r.Marks, r.Pending = shards.Of(map[string]record.Pod{}), map[string][]record.Mark{}, map[string]record.Pending{}
	return &sight{w, r}
}

func (s *sight) view(at snapshot.Look) *snapshot.Snapshot {
	return snapshot.View(strategy.EKS{}, lookedAt, s.w, s.r, at, nil)
}

// web is a pod of a Deployment on n1, as one changes it.
func web(change ...func(*world.Pod)) *world.Pod {
	p := &world.Pod{
		UID: "u1", Namespace: "app", Name: "web-7d9f-x2", Node: "n1", Owner: world.Owner{Kind: "ReplicaSet", Name: "web-7d9f", UID: "rs"},
		Labels: map[string]string{"app": "web", "pod-template-hash": "7d9f"}, Phase: world.PodRunning, Ready: true, Grace: 30 * time.Second,
		Created: lookedAt.Add(-10 * time.Minute),
	}
	for _, f := range change {
		f(p)
	}
	return p
}

func ends(in time.Duration) func(*world.Pod) {
	return func(p *world.Pod) { p.Ends = lookedAt.Add(in) }
}

func budget(name string, allowed, healthy, desired, expected int) *world.Budget {
	return &world.Budget{Namespace: "app", Name: name, Selector: labels.SelectorFromSet(labels.Set{"app": "web"}), Expression: fmt.Sprintf("minAvailable %d", desired),
		Allowed: allowed, Healthy: healthy, Desired: desired, Expected: expected, Current: true}
}

// rule is a budget that asks for all of its pods.
func rule(expression string, pods int) *world.Budget {
	b := budget("b", 0, pods, pods, pods)
	b.Expression = expression
	return b
}

// Every stage of a pod, and every reason why one stays or is not touched.
func TestPodStages(t *testing.T) {
	forced := record.ForceOrder{ID: "force-1", Machine: "i-1", Node: "n1", By: "ann"}
	for _, c := range []struct {
		name    string
		on      record.Stage
		pod     *world.Pod
		known   record.Pod
		orders  []record.ForceOrder
		budgets []*world.Budget
		also    func(*sight)

		want    snapshot.PodStage
		reason  drain.Reason
		blocker blockers.BlockerKind // "" for none
		why     string               // part of the sentence, "" for none at all
	}{
		{name: "its turn has not come", pod: web(), want: snapshot.StageToEvict},
		{name: "outdated node", on: record.Outdated, pod: web(), known: record.Pod{Refusal: record.RefusedBudget}, want: snapshot.StageToEvict},
		{name: "new node", on: record.Ready, pod: web(), also: func(s *sight) {
			n := s.r.Nodes.Get("i-1")
			n.New = true
			s.r.Nodes = s.r.Nodes.With("i-1", n)
		}, want: snapshot.StageRuns},
		{name: "skipped node", on: record.Skipped, pod: web(), known: record.Pod{Tries: 3, Refusal: record.RefusedBudget}, want: snapshot.StageRuns},
		{name: "evicted, and nothing seen of it yet", pod: web(), known: record.Pod{Tries: 1}, want: snapshot.StageEvicting},
		{name: "grace period", pod: web(ends(20 * time.Second)), known: record.Pod{Tries: 1}, want: snapshot.StageTerminating},
		{name: "grace period on a node that does not drain", on: record.Outdated, pod: web(ends(20 * time.Second)), want: snapshot.StageTerminating},
		{name: "grace period is over", pod: web(ends(-time.Minute)), want: snapshot.StageBlocked, blocker: blockers.BlockedByGrace, why: "1m0s past its grace period: not confirmed by its kubelet"},
		{name: "its node is silent", pod: web(ends(-time.Minute)), also: func(s *sight) {
			n := *s.w.Node("n1")
			n.Ready, n.Unreachable = false, lookedAt.Add(-5*time.Minute)
			s.w.SetNode(&n)
		}, want: snapshot.StageBlocked, blocker: blockers.BlockedByGrace, why: "node unreachable for 5m0s"},
		{name: "finalizer", pod: web(ends(-time.Minute), func(p *world.Pod) { p.Finalizers = []string{"example.com/x"} }),
			want: snapshot.StageBlocked, blocker: blockers.BlockedByFinalizer, why: "held by finalizers: example.com/x"},
		{name: "budget", pod: web(), known: record.Pod{Tries: 14, Refusal: record.RefusedBudget}, budgets: []*world.Budget{budget("b", 0, 3, 3, 3)},
			want: snapshot.StageBlocked, blocker: blockers.BlockedByBudget, why: "PDB app/b allows 0 disruptions: 3 healthy, 3 required, so it never allows any"},
		{name: "two budgets", pod: web(), known: record.Pod{Tries: 1, Refusal: record.RefusedBudgets}, budgets: []*world.Budget{budget("b", 1, 3, 2, 3), budget("c", 1, 3, 2, 3)},
			want: snapshot.StageBlocked, blocker: blockers.BlockedByBudgets, why: "covered by 2 PDBs (app/b,app/c)"},
		{name: "no room for its sibling", pod: web(), known: record.Pod{Tries: 1, Refusal: record.RefusedBudget}, budgets: []*world.Budget{budget("b", 0, 2, 2, 3)},
			also: func(s *sight) {
				s.w.SetPod(web(func(p *world.Pod) {
					p.UID, p.Name, p.Node, p.Phase, p.Ready, p.Unplaced = "u2", "web-2", "", world.PodPending, false, "0/3 nodes are available"
				}))
			}, want: snapshot.StageBlocked, blocker: blockers.BlockedByRoom, why: "web-2 is Pending: 0/3 nodes are available"},
		{name: "webhook", pod: web(), known: record.Pod{Tries: 1, Refusal: record.RefusedWebhook, Message: "not on a Friday"}, want: snapshot.StageBlocked, blocker: blockers.BlockedByWebhook, why: "not on a Friday"},
		{name: "no rights", pod: web(), known: record.Pod{Tries: 1, Refusal: record.RefusedForbidden, Message: "forbidden"}, want: snapshot.StageBlocked, blocker: blockers.BlockedByRights, why: "forbidden"},
		{name: "the API is busy", pod: web(), known: record.Pod{Tries: 1, Refusal: record.RefusedBusy, Message: "too many requests"}, want: snapshot.StageBlocked, blocker: blockers.BlockedByAPI, why: "too many requests"},
		{name: "failed node", on: record.NodeFail, pod: web(), known: record.Pod{Tries: 1, Refusal: record.RefusedBudget}, budgets: []*world.Budget{budget("b", 0, 3, 3, 3)},
			want: snapshot.StageBlocked, blocker: blockers.BlockedByBudget, why: "never allows any"},
		{name: "comes back", pod: web(), known: record.Pod{Returns: 2}, want: snapshot.StageReturns, blocker: blockers.BlockedByReturn, why: "came back 2 times"},
		{name: "comes back in spite of a force order", pod: web(func(p *world.Pod) { p.ToleratesAll = true }), orders: []record.ForceOrder{forced}, also: func(s *sight) {
			s.r.Pods = s.r.Pods.With("gone", record.Pod{Node: "n1", Owner: "rs", Evicted: lookedAt.Add(-time.Hour)})
		}, want: snapshot.StageReturns, why: "terminated with its node"},
		{name: "forced", pod: web(), known: record.Pod{Tries: 1}, orders: []record.ForceOrder{forced}, want: snapshot.StageForced, why: "by order of ann"},
		{name: "forced, and in its grace period", pod: web(ends(10 * time.Second)), known: record.Pod{Forced: true}, orders: []record.ForceOrder{forced}, want: snapshot.StageForced, why: "by order of ann"},
		{name: "forced in spite of a consent", pod: web(func(p *world.Pod) { p.EmptyDir = true }), orders: []record.ForceOrder{forced}, want: snapshot.StageForced, why: "by order of ann"},
		{name: "forced, and denied", pod: web(), known: record.Pod{Tries: 2, Refusal: record.RefusedWebhook, Message: "never"}, orders: []record.ForceOrder{forced}, want: snapshot.StageBlocked, blocker: blockers.BlockedByWebhook, why: "never"},
		{name: "an order for another pod", pod: web(), orders: []record.ForceOrder{{ID: "force-1", Machine: "i-1", UID: "u9"}}, want: snapshot.StageToEvict},
		{name: "an order that is over", pod: web(), orders: []record.ForceOrder{{ID: "force-1", Machine: "i-1", Over: true}}, want: snapshot.StageToEvict},
		{name: "emptyDir", pod: web(func(p *world.Pod) { p.EmptyDir = true }), want: snapshot.StageAsks, reason: drain.EmptyDirPod, blocker: blockers.BlockedByConsent, why: "--delete-emptydir-data"},
		{name: "unmanaged", pod: web(func(p *world.Pod) { p.Owner = world.Owner{} }), want: snapshot.StageAsks, reason: drain.UnmanagedPod, blocker: blockers.BlockedByConsent, why: "has no controller"},
		{name: "its DaemonSet is gone", pod: web(func(p *world.Pod) { p.Owner = world.Owner{Kind: "DaemonSet", Name: "old", UID: "gone"} }), want: snapshot.StageAsks, reason: drain.OrphanDaemonPod, blocker: blockers.BlockedByConsent, why: "a DaemonSet that is gone"},
		{name: "consent given", pod: web(func(p *world.Pod) { p.EmptyDir = true }), also: func(s *sight) { s.r.Settings.EmptyDir = true }, want: snapshot.StageToEvict},
		{name: "DaemonSet", pod: web(func(p *world.Pod) { p.Owner = world.Owner{Kind: "DaemonSet", Name: "logs", UID: "daemon"} }), want: snapshot.StageIgnored, reason: drain.DaemonSetPod, why: "belongs to a DaemonSet"},
		{name: "mirror", pod: web(func(p *world.Pod) { p.Mirror = true }), want: snapshot.StageIgnored, reason: drain.MirrorPod, why: "mirrors a static pod"},
		{name: "finished", pod: web(func(p *world.Pod) { p.Phase = world.PodSucceeded }), want: snapshot.StageIgnored, reason: drain.FinishedPod, why: "has completed"},
		{name: "a DaemonSet's pod that is replaced", pod: web(ends(-time.Hour), func(p *world.Pod) { p.Owner = world.Owner{Kind: "DaemonSet", UID: "daemon"} }), want: snapshot.StageIgnored, reason: drain.DaemonSetPod, why: "belongs to a DaemonSet"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.on == "" {
				c.on = record.Draining
			}
			s := newSight(c.on)
			s.w.SetPod(c.pod)
			if c.known.Tries > 0 || c.known.Returns > 0 || c.known.Forced || c.known.Refusal != "" {
				c.known.First, c.known.Next = lookedAt.Add(-time.Minute), lookedAt.Add(4*time.Second)
				s.r.Pods = s.r.Pods.With(c.pod.UID, c.known)
			}
			s.r.Orders = c.orders
			for _, b := range c.budgets {
				s.w.SetBudget(b)
			}
			if c.also != nil {
				c.also(s)
			}
			v := s.view(snapshot.Look{Machine: "i-1"})
			if v.Node == nil || len(v.Node.Pods) != 1 {
				t.Fatalf("got %+v", v.Node)
			}
			p := v.Node.Pods[0]
			kind := blockers.BlockerKind("")
			if p.Blocker != nil {
				kind = p.Blocker.Kind
			}
			if p.Stage != c.want || p.Reason != c.reason || kind != c.blocker || c.why == "" && p.Why != "" || !strings.Contains(p.Why, c.why) {
				t.Errorf("got %s, reason %q, blocked by %q: %q", p.Stage, p.Reason, kind, p.Why)
			}
			if p.Ref != c.pod.Ref() || p.UID != c.pod.UID || p.Tries != c.known.Tries || len(p.Budgets) != len(c.budgets) {
				t.Errorf("got %+v", p)
			}
			if (p.Grace != nil) != c.pod.Terminating() || p.Grace != nil && (!p.Grace.End.Equal(c.pod.Ends) || p.Grace.End.Sub(p.Grace.Start) != c.pod.Grace) {
				t.Errorf("its grace period is %+v", p.Grace)
			}
			if (p.Order != "") != (len(c.orders) > 0 && c.orders[0].ID != "" && c.want != snapshot.StageToEvict) {
				t.Errorf("covered by order %q", p.Order)
			}
			if retried := c.want == snapshot.StageBlocked || c.want == snapshot.StageEvicting; retried && c.known.Tries > 0 && !p.Next.Equal(lookedAt.Add(4*time.Second)) {
				t.Errorf("tried again at %s", p.Next)
			}
		})
	}
}

func TestNodeDetail(t *testing.T) {
	s := newSight(record.Draining)
	taint := world.Taint{Key: "k", Effect: "NoSchedule"}
	s.r.Marks["i-1"] = []record.Mark{
		{Put: record.CordonOf("i-1", "n1"), Foreign: true}, {Put: record.LabelOf("i-1", "n1", "l", "v")}, {Put: record.TaintOf("i-1", "n1", taint)},
	}
	pods := map[string]func(*world.Pod){
		"daemon": func(p *world.Pod) { p.Owner = world.Owner{Kind: "DaemonSet", Name: "logs", UID: "daemon"} },
		"goes":   ends(time.Second),
		"stuck":  ends(-time.Hour),
		"waits":  func(*world.Pod) {},
		"bare":   func(p *world.Pod) { p.Owner = world.Owner{} },
		"stateful": func(p *world.Pod) {
			p.Owner, p.Labels = world.Owner{Kind: "StatefulSet", Name: "db", UID: "db"}, nil
		},
	}
	for name, change := range pods {
		s.w.SetPod(web(func(p *world.Pod) { p.UID, p.Name = "u-"+name, name }, change))
	}
	s.w.SetPod(web(func(p *world.Pod) { p.UID, p.Node = "elsewhere", "n2" }))
	d := s.view(snapshot.Look{Machine: "i-1"}).Node
	var order []string
	owners := map[string]string{}
	for _, p := range d.Pods {
		order = append(order, strings.TrimPrefix(p.Ref, "app/"))
		owners[p.Ref] = strings.TrimSpace(p.OwnerKind + " " + p.Owner)
	}
	if want := []string{"stuck", "bare", "goes", "stateful", "waits", "daemon"}; !slices.Equal(order, want) {
		t.Errorf("pods are listed as %v, want what blocks or leaves first: %v", order, want)
	}
	for ref, want := range map[string]string{"app/waits": "Deployment web", "app/daemon": "DaemonSet logs", "app/stateful": "StatefulSet db", "app/bare": ""} {
		if owners[ref] != want {
			t.Errorf("%s belongs to %q, want %q", ref, owners[ref], want)
		}
	}
	if d.ID != "i-1" || d.Machine != s.w.Machine("i-1") || d.Node != s.w.Node("n1") || d.TemplateName != "web-nodes" {
		t.Errorf("got %+v", d)
	}
	want := []snapshot.MarkDetail{{What: "cordoned", Foreign: true, There: true}, {What: "labelled l=v"}, {What: "tainted k:NoSchedule", There: true}}
	if !slices.Equal(d.Marks, want) {
		t.Errorf("marks: %+v, want %+v", d.Marks, want)
	}

	s.w.SetMachines(nil)
	s.w.DeleteNode("n1")
	if d := s.view(snapshot.Look{Machine: "i-1"}).Node; d == nil || d.Machine != nil || d.Node != nil || d.TemplateName != "" || d.Marks[0].There {
		t.Errorf("a node that is gone: %+v", d)
	}
	if v := s.view(snapshot.Look{Machine: "i-9"}); v.Node != nil {
		t.Errorf("a machine that the run does not know: %+v", v.Node)
	}
	if v := s.view(snapshot.Look{}); v.Node != nil || v.Budget != nil {
		t.Error("details are worked out that nobody looks at")
	}
}

func TestBudgetDetail(t *testing.T) {
	for _, c := range []struct {
		name        string
		budget      *world.Budget
		pods        []*world.Pod
		why, wayOut string
		order       string // the pods as they are listed
	}{
		{"allows some", budget("b", 1, 3, 2, 3), []*world.Pod{web()}, "", "", "web-7d9f-x2"},
		{"covers nothing", budget("b", 0, 0, 2, 0), nil, "selects no pods", "blocks nothing", ""},
		{"never allows any", budget("b", 0, 3, 3, 3), []*world.Pod{web()}, "allows 0 disruptions: 3 healthy, 3 required, so it never allows any", "scale web to 4, loosen minAvailable 3, or force with f", "web-7d9f-x2"},
		{"never, by a rule of none", rule("maxUnavailable 0", 3), []*world.Pod{web()}, "so it never allows any", "=loosen maxUnavailable 0, or force with f", "web-7d9f-x2"},
		{"never, by a share of none", rule("maxUnavailable 0%", 3), []*world.Pod{web()}, "so it never allows any", "=loosen maxUnavailable 0%, or force with f", "web-7d9f-x2"},
		{"never, by a share of all", rule("minAvailable 100%", 3), []*world.Pod{web()}, "so it never allows any", "=loosen minAvailable 100%, or force with f", "web-7d9f-x2"},
		{"a share that rounds up", rule("minAvailable 90%", 3), []*world.Pod{web()}, "so it never allows any", "=scale web to 10, loosen minAvailable 90%, or force with f", "web-7d9f-x2"},
		{"a share that rounds up to a little more", rule("minAvailable 67%", 3), []*world.Pod{web()}, "so it never allows any", "=scale web to 4, loosen minAvailable 67%, or force with f", "web-7d9f-x2"},
		{"half of one", rule("minAvailable 50%", 1), []*world.Pod{web()}, "so it never allows any", "=scale web to 2, loosen minAvailable 50%, or force with f", "web-7d9f-x2"},
		{"a pod without an owner", rule("minAvailable 1", 1), []*world.Pod{web(func(p *world.Pod) { p.Owner = world.Owner{} })}, "so it never allows any", "=loosen minAvailable 1, or force with f", "web-7d9f-x2"},
		{"a daemon", rule("minAvailable 1", 1), []*world.Pod{web(func(p *world.Pod) { p.Owner.Kind = "DaemonSet" })}, "so it never allows any", "=loosen minAvailable 1, or force with f", "web-7d9f-x2"},
		{"a pod without a place", budget("b", 0, 2, 2, 3), []*world.Pod{web(), web(func(p *world.Pod) {
			p.UID, p.Name, p.Node, p.Ready, p.Phase, p.Unplaced = "u2", "web-a", "", false, world.PodPending, "0/3 nodes are available"
		})}, "web-a is Pending: 0/3 nodes are available", "add or uncordon a node", "web-a web-7d9f-x2"},
		{"a pod without a place, of another owner", budget("b", 0, 2, 2, 3), []*world.Pod{web(), web(func(p *world.Pod) {
			p.UID, p.Name, p.Node, p.Ready, p.Unplaced, p.Owner.UID = "u2", "web-z", "", false, "no room", "other"
		})}, "web-z is Pending: no room", "add or uncordon a node", "web-z web-7d9f-x2"},
		{"a sick pod", budget("b", 0, 2, 2, 3), []*world.Pod{web(), web(func(p *world.Pod) { p.UID, p.Name, p.Node, p.Ready, p.Crashing = "u2", "web-z", "n2", false, true })},
			"web-z on n2 crash-loops", "opens with 1 more healthy pod", "web-z web-7d9f-x2"},
		{"pods that were let go", budget("b", 0, 3, 2, 3), []*world.Pod{web(func(p *world.Pod) { p.Ready = false })}, "evicted pods that still run count", "opens by itself", "web-7d9f-x2"},
		{"the rule was changed", func() *world.Budget { b := budget("b", 1, 3, 2, 3); b.Current = false; return b }(), []*world.Pod{web()}, "changed, not yet recomputed by its controller", "opens once recomputed", "web-7d9f-x2"},
		{"where pods are", budget("b", 1, 3, 2, 5), []*world.Pod{
			web(func(p *world.Pod) { p.UID, p.Name, p.Node = "u1", "a-elsewhere", "n2" }), web(func(p *world.Pod) { p.UID, p.Name = "u2", "b-drains" }),
			web(ends(time.Second), func(p *world.Pod) { p.UID, p.Name, p.Node = "u3", "c-goes", "n2" }), web(func(p *world.Pod) { p.UID, p.Name, p.Phase = "u4", "d-done", world.PodSucceeded }),
			web(func(p *world.Pod) { p.UID, p.Name, p.Labels = "u5", "e-not-covered", nil }),
		}, "", "", "c-goes b-drains a-elsewhere d-done"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSight(record.Draining)
			c.budget.Since = lookedAt.Add(-time.Hour)
			s.w.SetBudget(c.budget)
			for _, p := range c.pods {
				s.w.SetPod(p)
			}
			d := s.view(snapshot.Look{Budget: "app/b"}).Budget
			if d == nil {
				t.Fatal("nothing is known of it")
			}
			var order []string
			for _, p := range d.Pods {
				order = append(order, strings.TrimPrefix(p.Ref, "app/"))
			}
			if got := strings.Join(order, " "); got != c.order {
				t.Errorf("pods are listed as %q, want %q", got, c.order)
			}
			if (d.Why == "") != (c.why == "") || !strings.Contains(d.Why, c.why) || (d.WayOut == "") != (c.wayOut == "") || !strings.Contains("="+d.WayOut, c.wayOut) {
				t.Errorf("why %q, way out %q", d.Why, d.WayOut)
			}
			if d.Ref != "app/b" || d.Expression != c.budget.Expression || d.Allowed != c.budget.Allowed || d.Current != c.budget.Current || !d.Since.Equal(c.budget.Since) {
				t.Errorf("got %+v", d)
			}
		})
	}
	s := newSight(record.Draining)
	if v := s.view(snapshot.Look{Budget: "app/b"}); v.Budget != nil {
		t.Errorf("a budget that is not there: %+v", v.Budget)
	}
}

// A budget's pod says where it is and what it is worth.
func TestBudgetPods(t *testing.T) {
	s := newSight(record.Draining)
	s.w.SetBudget(budget("b", 0, 1, 1, 2))
	s.w.SetBudget(budget("c", 0, 1, 1, 2))
	s.w.SetPod(web(ends(20 * time.Second)))
	s.w.SetPod(web(func(p *world.Pod) { p.UID, p.Name, p.Node, p.Ready, p.Unplaced = "u2", "web-2", "", false, "no room" }))
	s.w.SetPod(web(func(p *world.Pod) { p.UID, p.Name, p.Node = "u3", "web-3", "somewhere" }))
	pods := s.view(snapshot.Look{Budget: "app/b"}).Budget.Pods
	if len(pods) != 3 {
		t.Fatalf("got %+v", pods)
	}
	if p := pods[0]; p.Ready || p.Node != "" || p.Unplaced != "no room" || p.Stage != "" {
		t.Errorf("pending: %+v", p)
	}
	if p := pods[1]; p.Ready || !p.Terminating || p.Grace == nil || p.Node != "n1" || p.Stage != record.Draining || !slices.Equal(p.Others, []string{"app/c"}) {
		t.Errorf("terminating: %+v", p)
	}
	if p := pods[2]; !p.Ready || p.Terminating || p.Grace != nil || p.Node != "somewhere" || p.Stage != "" {
		t.Errorf("elsewhere: %+v", p)
	}
	for i := range 300 {
		s.w.SetPod(web(func(p *world.Pod) { p.UID, p.Name, p.Node = fmt.Sprint("m", i), fmt.Sprint("many-", i), "somewhere" }))
	}
	if d := s.view(snapshot.Look{Budget: "app/b"}).Budget; len(d.Pods) != 200 || d.More != 103 || d.Pods[0].UID != "u2" {
		t.Errorf("%d pods are listed and %d are not, the first is %+v", len(d.Pods), d.More, d.Pods[0])
	}
}

// A mark whose taint is missing (a damaged record) is no reason to panic.
func TestAMarkWithoutItsTaint(t *testing.T) {
	s := newSight(record.Draining)
	put := record.TaintOf("i-1", "n1", world.Taint{Key: "k"})
	put.Taint = nil
	s.r.Marks["i-1"] = []record.Mark{{Put: put}}
	s.r.Pending[put.Key] = record.Pending{Action: put, Asked: lookedAt}
	if row := s.view(snapshot.Look{Machine: "i-1"}).Zones[0].Rows[0]; row.Tainted {
		t.Error("the node is said to have a taint that nobody knows")
	}
	engine.Decide(strategy.EKS{}, lookedAt, s.w, s.r, engine.Inputs{})
}
