package e2e

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/lab"
)

// A budget that allows nothing holds a node; a user scales the deployment up,
// and the eviction goes out at once: the fallback timer is set so long that it
// cannot be why.
func TestABudgetOpens(t *testing.T) {
	s := newScene(t, "opens", lab.GroupOptions{Nodes: 3, Zones: oneZone})
	s.deploy("checkout", "batch")

	p := s.upgrade("--eviction-retry", "5m")
	blocked := p.await("node.blocked")
	if blocked.Budget != "opens/checkout" || !strings.HasPrefix(blocked.Pod, "opens/checkout-") || blocked.Until == nil {
		t.Errorf("the node is not said to be blocked by the budget of its pod: %v", blocked)
	}
	s.scale("checkout", 4)
	p.await("pod.unblocked", ofPod(blocked.Pod))
	p.exits(0)

	checkEvents(t, p.said())
	checkOrder(t, p.said())
	s.checkRolled()
	if after := s.reaction("checkout", blocked.Pod); after > 20*time.Second {
		t.Errorf("the eviction came %s after the budget had opened", after)
	}
}

// reaction is the time from a budget's last opening before it to the accepted eviction
// of a pod, by the API server's stamps.
func (s *scene) reaction(budget, pod string) time.Duration {
	s.t.Helper()
	log := s.audit()
	_, name, _ := strings.Cut(pod, "/")
	evicted := log.Where(lab.By(s.user), lab.Request.Eviction, func(r lab.Request) bool { return r.Name == name && r.Code == 201 })
	refused := log.Where(lab.By(s.user), lab.Request.Eviction, func(r lab.Request) bool { return r.Name == name && r.Code == 429 })
	if len(evicted) != 1 || len(refused) == 0 {
		s.t.Fatalf("%s was refused %d times and evicted %d times", pod, len(refused), len(evicted))
	}
	var opened time.Time
	for _, r := range log.Where(lab.By(lab.ControllerManager)) {
		var body struct {
			Status struct{ DisruptionsAllowed int }
		}
		if r.Resource == "poddisruptionbudgets" && r.Subresource == "status" && r.Namespace == s.place.Namespace && r.Name == budget &&
			r.Done.After(refused[0].Done) && r.Received.Before(evicted[0].Done) && json.Unmarshal(r.Body, &body) == nil && body.Status.DisruptionsAllowed > 0 {
			opened = r.Done
		}
	}
	if opened.IsZero() {
		s.t.Fatalf("budget %s never opened", budget)
	}
	return evicted[0].Done.Sub(opened)
}

// Pods that cannot be evicted in time: exit code 4 and every pod, budget and
// count by name; then everything is as before, for nothing ran on the new nodes.
func TestEvictionFailure(t *testing.T) {
	s := newScene(t, "stuck", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.deploy("checkout", "twice", "agent")

	p := s.upgrade("--drain-timeout", "5s").exits(4)

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "PodEvictionFailure", 4)
	failed := p.await("node.failed")
	for _, app := range []string{"checkout", "twice"} {
		for _, pod := range s.pods(app) {
			ref := "stuck/" + pod.Name
			said := p.all("pod.blocked", ofPod(ref))
			if len(said) == 0 {
				t.Errorf("no event names %s", ref)
				continue
			}
			last := said[len(said)-1]
			if last.Time.Before(failed.Time) {
				t.Errorf("%s is not named when its node failed", ref)
			}
			want := map[string]string{"checkout": "stuck/checkout", "twice": "stuck/twice,stuck/twice-again"}[app]
			if last.Budget != want {
				t.Errorf("%s is blocked by %q, want %s", ref, last.Budget, want)
			}
			p.says(pod.Name)
		}
	}
	p.says("PodEvictionFailure", "stuck/checkout", "stuck/twice", "twice-again", "3 healthy", "3 required")
	s.checkRestored()
	s.checkAsBefore()
}

// checkAsBefore sees that the group is what it was: the same machines, sizes and
// template.
func (s *scene) checkAsBefore() {
	s.t.Helper()
	s.checkSizes()
	g, _ := shared.Cloud().Group(s.group.Name)
	if g.Template != s.before.Template {
		s.t.Errorf("the group launches from %v, before %v", g.Template, s.before.Template)
	}
	for _, i := range s.before.Instances {
		if now, ok := shared.Cloud().Instance(i.ID); !ok || now.State != i.State {
			s.t.Errorf("instance %s is %s", i.ID, now.State)
		}
	}
	s.checkNodes(len(s.before.Instances))
	s.checkPods()
}

// --force deletes what the budgets keep, by an order in the record that names
// the pods before.
func TestForce(t *testing.T) {
	s := newScene(t, "force", lab.GroupOptions{Nodes: 1, Zones: oneZone}, "read", "upgrade", "force")
	s.deploy("checkout", "twice", "agent")
	var held []string
	for _, app := range []string{"checkout", "twice"} {
		for _, pod := range s.pods(app) {
			held = append(held, pod.Name)
		}
	}

	p := s.upgrade("--force", "--drain-timeout", "4s").exits(0)

	checkEvents(t, p.said())
	checkOrder(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	log := s.requests()
	for _, name := range held {
		if forced := p.all("pod.forced", ofPod("force/"+name)); len(forced) != 1 || !strings.HasPrefix(forced[0].Reason, "force-") {
			t.Errorf("%s: events of its force: %v", name, forced)
		}
	}
	deletes := log.Where(lab.Request.PodDelete)
	if len(deletes) != len(held) {
		t.Errorf("%d deletes of pods, want %d", len(deletes), len(held))
	}
	for _, r := range deletes {
		if r.UID() == "" {
			t.Errorf("a delete without a UID: %v", r)
		}
		named := log.Where(func(w lab.Request) bool {
			return w.Resource == "configmaps" && w.Verb == "update" && w.Done.Before(r.Received) && ordersIn(t, w).names("force/"+r.Name)
		})
		if len(named) == 0 {
			t.Errorf("no order in the record named %s before its delete", r.Name)
		}
	}
	s.checkSizes()
	s.checkNodes(1)
	s.checkPods()
	s.checkActions()
}

// orders are the force orders of a run record.
type orders []struct {
	Pods    []string
	By, Why string
}

func (o orders) names(pod string) bool {
	for _, order := range o {
		for _, ref := range order.Pods {
			if ref == pod && order.By != "" && order.Why != "" {
				return true
			}
		}
	}
	return false
}

// ordersIn reads the force orders out of a write of the run record.
func ordersIn(t *testing.T, w lab.Request) orders {
	t.Helper()
	var object struct{ Data map[string]string }
	var run struct{ Orders orders }
	if err := json.Unmarshal(w.Body, &object); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(object.Data["run.json"]), &run); err != nil {
		t.Fatal(err)
	}
	return run.Orders
}
