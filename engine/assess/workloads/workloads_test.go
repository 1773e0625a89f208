package workloads

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

var (
	moved = time.Date(2026, 11, 26, 3, 0, 0, 400_000_000, time.UTC)
	node  = "ip-10-0-12-131.eu-central-1.compute.internal"
)

// pod is one of the Deployment shop/checkout-gateway, created after the first was moved.
func pod(owner string, n int, change func(*world.Pod)) *world.Pod {
	p := &world.Pod{UID: fmt.Sprint(owner, "-", n), Namespace: "shop", Name: fmt.Sprintf("checkout-gateway-7d9f8c6b5-x2x4%d", n), Node: node,
		Owner: world.Owner{Kind: "ReplicaSet", Name: "checkout-gateway-7d9f8c6b5", UID: owner}, Labels: map[string]string{"app": "checkout-gateway", "pod-template-hash": "7d9f8c6b5"},
		Phase: world.PodRunning, Ready: true, Created: moved.Truncate(time.Second).Add(time.Duration(n) * time.Minute)}
	if change != nil {
		change(p)
	}
	return p
}

func crashes(p *world.Pod) { p.Ready, p.Crashing = false, true }
func starts(p *world.Pod)  { p.Ready = false }
func pends(p *world.Pod) {
	p.Ready, p.Node, p.Phase, p.Unplaced = false, "", world.PodPending, "0/36 nodes are available: 36 Insufficient cpu."
}

// A workload whose first pod had gone before it was read whose it is gets its name from the next one.
func TestNowNamesTheWorkload(t *testing.T) {
	w := world.New()
	w.SetPod(pod("a", 1, nil))
	is := Now(w, "a", record.Workload{Namespace: "shop", Name: "checkout-gateway-7d9f8c6b5-x2x40", Moved: 1, Since: moved})
	if is.Kind != "Deployment" || is.Ref() != "shop/checkout-gateway" {
		t.Errorf("it is named %s %s", is.Kind, is.Ref())
	}
}

func TestNow(t *testing.T) {
	for _, c := range []struct {
		name     string
		pods     []*world.Pod
		budget   *world.Budget
		reported record.Trouble
		want     string
	}{
		{"replaced", []*world.Pod{pod("a", 0, nil), pod("a", 1, nil)}, nil, "", "2 replacements Ready, 3 moved"},
		{"created as the first was evicted", []*world.Pod{pod("a", 0, func(p *world.Pod) { crashes(p); p.Created = p.Created.Add(-time.Second) })}, nil, "", "replacement shop/checkout-gateway-7d9f8c6b5-x2x40 crash-loops on " + node},
		{"older pods are none", []*world.Pod{pod("a", -1, crashes), pod("a", 1, nil)}, nil, "", "1 replacement Ready, 3 moved"},
		{"nor those that go or have ended", []*world.Pod{pod("a", 1, func(p *world.Pod) { crashes(p); p.Ends = moved }), pod("a", 2, func(p *world.Pod) { p.Phase = world.PodFailed; p.Ready = false })}, nil, "", "0 replacements Ready, 3 moved"},
		{"starts", []*world.Pod{pod("a", 1, starts), pod("a", 2, starts)}, nil, "", "2 replacements start"},
		{"not looked at yet", []*world.Pod{pod("a", 1, func(p *world.Pod) { starts(p); p.Node = "" })}, nil, "", "1 replacement starts"},
		{"pending is worse than starting, the oldest is named", []*world.Pod{pod("a", 1, starts), pod("a", 3, pends), pod("a", 2, pends)}, nil, "",
			"replacement shop/checkout-gateway-7d9f8c6b5-x2x42 is Pending, 1 more too: 0/36 nodes are available: 36 Insufficient cpu."},
		{"crash-looping is worst", []*world.Pod{pod("a", 1, pends), pod("a", 2, crashes)}, nil, "", "replacement shop/checkout-gateway-7d9f8c6b5-x2x42 crash-loops on " + node},
		{"it runs between two crashes", []*world.Pod{pod("a", 2, nil)}, nil, record.InCrashLoop, "replacement shop/checkout-gateway-7d9f8c6b5-x2x42 crash-loops on " + node},
		{"below its PDB", []*world.Pod{pod("a", 1, starts)}, &world.Budget{Healthy: 2, Desired: 4, Current: true}, "", "2 pods fewer healthy than PDB shop/checkout requires"},
		{"a PDB that is behind says nothing", []*world.Pod{pod("a", 1, nil)}, &world.Budget{Healthy: 2, Desired: 4}, "", "1 replacement Ready, 3 moved"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := world.New()
			for _, p := range c.pods {
				w.SetPod(p)
			}
			if c.budget != nil {
				c.budget.Namespace, c.budget.Name, c.budget.Selector = "shop", "checkout", labels.SelectorFromSet(labels.Set{"app": "checkout-gateway"})
				w.SetBudget(c.budget)
			}
			was := record.Workload{Namespace: "shop", Kind: "Deployment", Name: "checkout-gateway", Moved: 3, Since: moved, Reported: c.reported, Pod: "shop/checkout-gateway-7d9f8c6b5-x2x42", Ready: 9, Reason: "old"}
			if is := Now(w, "a", was); is.Sentence() != c.want {
				t.Errorf("it says %q, want %q", is.Sentence(), c.want)
			}
		})
	}
}

func TestOf(t *testing.T) {
	w := world.New()
	w.SetPod(pod("a", 1, nil))
	w.SetPod(pod("b", 2, pends)) // the same Deployment, rolled out since
	w.SetPod(pod("c", 3, crashes))
	at := func(name string) record.Workload {
		return record.Workload{Namespace: "shop", Kind: "Deployment", Name: name, Moved: 1, Since: moved}
	}
	run := record.Run{State: record.Running, Workloads: map[string]record.Workload{"a": at("checkout-gateway"), "b": at("checkout-gateway"), "c": at("cart"), "d": at("web")}}
	s := &assess.Reader{W: w, Run: run}
	list := Of(s)
	var got string
	for _, l := range list {
		got += fmt.Sprintf("%s %s %d/%d;", l.Name, l.Trouble(), l.Ready, l.Moved)
	}
	if want := "cart crash-looping 0/1;checkout-gateway pending 1/2;web  0/1;"; got != want {
		t.Errorf("they are %s, want %s", got, want)
	}
	if on := CrashLooping(s, list); len(on) != 1 || on[node] != "shop/checkout-gateway-7d9f8c6b5-x2x43" {
		t.Errorf("crash-looping are %v", on)
	}
	s.Run.State = record.Finished
	for _, l := range Of(s) {
		if l.Trouble() != record.NoTrouble {
			t.Errorf("of a run that has ended, %s is %s; its record says nothing of it", l.Name, l.Trouble())
		}
	}
}

func TestNamed(t *testing.T) {
	p := pod("a", 1, nil)
	if w := Named(p); w.Kind != "Deployment" || w.Name != "checkout-gateway" {
		t.Errorf("it is %s %s", w.Kind, w.Name)
	}
	p.Owner, p.Labels = world.Owner{Kind: "StatefulSet", Name: "db"}, nil
	if w := Named(p); w.Kind != "StatefulSet" || w.Name != "db" {
		t.Errorf("it is %s %s", w.Kind, w.Name)
	}
}

// The PDB that requires more pods than there are is the one that covers them now, whether it came, changed its
// figures, changed what it covers, or is gone, while the pods stayed as they were.
func TestNowFollowsBudgets(t *testing.T) {
	w := world.New()
	w.SetPod(pod("a", 1, nil))
	was := record.Workload{Namespace: "shop", Kind: "Deployment", Name: "checkout-gateway", Moved: 1, Since: moved}
	covers, others := labels.SelectorFromSet(labels.Set{"app": "checkout-gateway"}), labels.SelectorFromSet(labels.Set{"app": "basket"})
	budget := func(name string, selector labels.Selector, short int) {
		w.SetBudget(&world.Budget{Namespace: "shop", Name: name, Selector: selector, Desired: short, Current: true})
	}
	for i, step := range []struct {
		do     func()
		budget string
		short  int
	}{
		{func() {}, "", 0},
		{func() { budget("one", covers, 2) }, "shop/one", 2},
		{func() { budget("one", covers, 1) }, "shop/one", 1},
		{func() { budget("two", covers, 3) }, "shop/two", 3},
		{func() { budget("two", others, 3) }, "shop/one", 1},
		{func() { budget("two", labels.SelectorFromSet(labels.Set{"app": "checkout-gateway"}), 4) }, "shop/two", 4},
		{func() { w.DeleteBudget("shop/two") }, "shop/one", 1},
		{func() { budget("one", labels.Nothing(), 1) }, "", 0},
		{func() { budget("one", labels.Everything(), 1) }, "shop/one", 1},
		{func() { budget("one", nil, 1) }, "", 0},
	} {
		step.do()
		if is := Now(w, "a", was); is.Budget != step.budget || is.Short != step.short {
			t.Errorf("step %d: %q requires %d more, not %q %d", i, is.Budget, is.Short, step.budget, step.short)
		}
	}
}
