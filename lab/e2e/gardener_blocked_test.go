package e2e

import (
	"strings"
	"testing"
	"time"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/drainboard/drainboard/lab/gardener"
)

// A budget holds the drain of a machine: the board names it and its pods, why the drain
// fails, and what becomes of it. Forced, the machine goes past the budget, and the roll ends.
// From the nodes alone the same is seen but for why, and who ordered it.
func TestGardenerBlocked(t *testing.T) {
	s := newShootScene(t, gardener.Options{Name: "stopped", Pools: []gardener.Pool{{Name: "stopped", Size: 1, Zones: zones[:1]}}})
	pool := s.on("stopped")
	pool.deploy("checkout", "agent")
	all := s.watches("stopped", 240, 60, s.withAll()...)
	nodes := s.watches("stopped", 240, 60, "--provider", "gardener")
	all.expect("no roll is under way")
	nodes.expect("no roll is under way")
	held := pool.podsOn(s.nodeOf("stopped"))

	s.change(gardener.Change{KubernetesVersion: newKubernetes})
	m := s.machines.until("stopped", "fail at the budget", describedAs("pod disruption budget "+pool.place.Namespace+"/checkout is misconfigured"))
	node, _, _ := strings.Cut(m.Labels[machineapi.NodeLabelKey], ".")
	for _, b := range []*board{all, nodes} {
		b.expect(node+" draining", pool.place.Namespace+"/checkout  allows 0: 3 healthy, 3 required", "on "+node,
			"scale checkout to 4", "Gardener's drain fails on it and restarts every 5 s", "timeout gets past it")
		found := 0
		for _, pod := range held {
			if strings.Contains(b.shows(), pod.Name) {
				found++
			}
		}
		if found == 0 {
			t.Error("no pod that is held is named")
		}
	}
	all.expect("the last attempt failed: ")
	for _, b := range []*board{all, nodes} {
		b.expect("drain forced")
		c, ok := b.countdownOf("drain forced", node)
		for limit := time.Now().Add(20 * time.Second); !ok && time.Now().Before(limit); time.Sleep(200 * time.Millisecond) { // until a look has it
			c, ok = b.countdownOf("drain forced", node)
		}
		want := m.DeletionTimestamp.Add(2 * time.Hour)
		if off := c.ends.Sub(want); !ok || c.guess != (b == nodes) || off.Abs() > time.Minute { // hours are shown without seconds
			t.Errorf("the drain is said to be forced at %s, want %s", c.ends, want)
		}
	}

	patch := `{"metadata":{"labels":{"force-deletion":"true"}}}`
	if _, err := s.shoot.Machines().Machines(m.Namespace).Patch(s.ctx, m.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	all.expectLike("Gardener is terminating its machine: .*, by force") // whichever of its steps is seen
	if err := s.shoot.WaitUpdated(s.ctx, "stopped"); err != nil {
		t.Fatal(err)
	}
	for _, b := range []*board{all, nodes} {
		b.expect("1 node replaced", "0 of 1 node outdated").expectGone("allows 0")
		if strings.Contains(b.shows(), "left the group") {
			t.Error("it says that a node has left the group")
		}
	}
	all.expect("1 of 1 updated")
	for _, at := range nodes.all() {
		for name, r := range at.rows {
			if strings.Contains(r.note, "by force") || strings.Contains(r.note, "last attempt failed") {
				t.Errorf("from the nodes alone %s is said to be %q", name, r.note)
			}
		}
	}
	s.checkRows(all, "stopped", lags, abreast)
	s.checkRows(nodes, "stopped", nodesLag, lags)
}
