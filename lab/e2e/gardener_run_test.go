package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab/gardener"
)

// drives makes the scene's user one who may drive a run: by the published roles, in the
// Shoot's own cluster and in the control cluster.
func (s *shootScene) drives() {
	s.t.Helper()
	s.as(s.name+"-driver", published(s.t, "read", "watch", "upgrade", "force", "events", "hear"))
	s.control = s.kubeconfigBeside(s.name+"-control-driver", s.shoot.ControlNamespace, publishedBeside(s.t, "rbac-control.yaml")...)
}

// sitsAt is a person at the dashboard of a run in a pool.
func (s *shootScene) sitsAt(pool string, flags ...string) *person {
	s.t.Helper()
	return s.sitBefore(200, 50, append([]string{"upgrade", pool, "--yes"}, flags...)...)
}

// labelled are the short names of the pool's nodes with a label.
func (s *shootScene) labelled(pool, label string) (names []string) {
	s.t.Helper()
	list, err := shared.Client().CoreV1().Nodes().List(s.ctx, metav1.ListOptions{LabelSelector: "worker.gardener.cloud/pool=" + pool + "," + label})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, n := range list.Items {
		name, _, _ := strings.Cut(n.Name, ".")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

const (
	candidateLabel = "node.machine.sapcloud.io/candidate-for-update=true"
	selectedLabel  = "node.machine.sapcloud.io/selected-for-update=true"
)

// A pool that is updated by hand goes in approved batches of two, from its nodes alone. One
// update fails: the run stops, says why, selects nobody else, and continues when the node
// agent's next try has worked out.
func TestGardenerBatches(t *testing.T) {
	s := newShootScene(t, gardener.Options{Name: "batched", Times: gardener.Times{Retry: 20 * time.Second},
		Pools: []gardener.Pool{{Name: "hands", Size: 4, Zones: zones[:2], Update: gardener.ManualInPlaceUpdate}}})
	s.on("hands").deploy("batch", "agent")
	s.drives()
	s.change(gardener.Change{KubernetesVersion: newKubernetes})
	s.eventually(func() error {
		if got := s.labelled("hands", candidateLabel); len(got) != 4 {
			return fmt.Errorf("candidates: %v", got)
		}
		return nil
	})

	p := s.sitsAt("hands", "--provider", "gardener", "--strategy", "gardener-manual", "--max-unavailable", "2", "--batch-size", "2")
	p.expect("Batch 1 waits for approval", "0 of 4 nodes")
	if got := s.labelled("hands", selectedLabel); len(got) > 0 {
		t.Errorf("selected before any approval: %v", got)
	}
	p.pressUntil("a", "Approve batch 1: 2 nodes")
	names := regexp.MustCompile(`nodes +(ip-[0-9-]+), (ip-[0-9-]+) `).FindStringSubmatch(p.shows())
	if len(names) != 3 {
		t.Fatalf("the dialog names %v", names)
	}
	first := names[1:]
	full := func(short string) string {
		for _, n := range s.nodesOf("hands") {
			if strings.HasPrefix(n, short+".") {
				return n
			}
		}
		return short
	}
	s.shoot.FailUpdates("hands", gardener.UpdateFault{Node: full(first[1]), Times: 1, Reason: "no space left on device"})
	p.pressUntil("y", "batch 1 approved")
	p.expect(first[0]+" ", "updated in place, v"+newKubernetes)
	p.expect("paused", "the update of "+first[1]+" failed", "no space left on device", "repair it")
	s.stays("hands", first)

	// The node agent tries again, and it works out; who resumes continues.
	p.expect("2 of 4 nodes")
	s.eventually(func() error {
		if left := s.labelled("hands", candidateLabel); len(left) != 2 {
			return fmt.Errorf("candidates: %v", left)
		}
		return nil
	})
	s.stays("hands", first)
	p.pressUntil("p", "resumed")
	p.expect("Batch 2 waits for approval", "2 of 4 nodes")
	p.pressUntil("a", "Approve batch 2: 2 nodes")
	p.pressUntil("y", "batch 2 approved")
	p.expect("exit code", "0: done", "4 of 4 nodes")
	p.quits(0)
	if err := s.shoot.WaitUpdated(s.ctx, "hands"); err != nil {
		t.Fatal(err)
	}
	for name, history := range s.machines.of("hands") {
		if last := history[len(history)-1].is; last == nil || last.DeletionTimestamp != nil {
			t.Errorf("machine %s has gone", name)
		}
	}
	s.checkReplaced("hands", s.nodesOf("hands"))
}

// stays sees that nobody but those of a batch is or was selected.
func (s *shootScene) stays(pool string, batch []string) {
	s.t.Helper()
	for _, name := range s.labelled(pool, selectedLabel) {
		if !slices.Contains(batch, name) {
			s.t.Errorf("%s is selected, and is not of the batch %v", name, batch)
		}
	}
}

// nodesOf are the names of a pool's nodes.
func (s *shootScene) nodesOf(pool string) (names []string) {
	s.t.Helper()
	list, err := shared.Client().CoreV1().Nodes().List(s.ctx, metav1.ListOptions{LabelSelector: "worker.gardener.cloud/pool=" + pool})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, n := range list.Items {
		names = append(names, n.Name)
	}
	return names
}

// A rolling update that Gardener drives is followed and helped: it is paused and let continue,
// from the dashboard and from elsewhere, and what a budget blocks is forced by its typed name.
// Then it is over.
func TestGardenerDriven(t *testing.T) {
	s := newShootScene(t, gardener.Options{Name: "driven", Pools: []gardener.Pool{{Name: "paced", Size: 1, Zones: zones[:1], MaxSurge: "1", MaxUnavailable: "0"}}})
	s.on("paced").deploy("checkout", "agent")
	s.drives()
	before := s.nodesOf("paced")
	s.change(gardener.Change{KubernetesVersion: newKubernetes})
	begun := s.machines.until("paced", "be drained", func(m *machineapi.Machine) bool { return m.DeletionTimestamp != nil })
	held, _, _ := strings.Cut(begun.Labels[machineapi.NodeLabelKey], ".")

	p := s.sitsAt("paced", s.withAll()...)
	p.expect("gardener-follow", "0 of 1 node", held+" ", "allows 0", "force with f", "blocked")
	p.pressUntil("p", "paused: requested by", "Gardener continues what it has begun")
	s.paused("paced", true)
	p.pressUntil("p", "resumed")
	s.paused("paced", false)
	o := *s.scene
	o.as(s.name+"-operator", published(t, "command"))
	o.run("pause", "paced", "--reason", "lunch").exits(0)
	p.expect("lunch")
	s.paused("paced", true)
	o.run("resume", "paced").exits(0)
	s.paused("paced", false)

	p.pressUntil("f", "Type "+held+" to force").text(held).press("enter")
	s.machines.until("paced", "be forced", func(m *machineapi.Machine) bool { return m.Labels["force-deletion"] == "true" })
	p.expect("exit code", "0: done", "1 of 1 node")
	p.quits(0)
	if err := s.shoot.WaitUpdated(s.ctx, "paced"); err != nil {
		t.Fatal(err)
	}
	s.paused("paced", false)
	s.checkReplaced("paced", before)
	if told := s.run("report", "paced").exits(0).out(); !strings.Contains(told, "force-1") || !strings.Contains(told, "force machine") {
		t.Errorf("the report does not tell of the forced pods and Machine:\n%s", told)
	}
}

// paused waits until all machine deployments of a pool are paused, or none is.
func (s *shootScene) paused(pool string, want bool) {
	s.t.Helper()
	s.eventually(func() error {
		for _, history := range s.machines.zones(pool) {
			if d := history[len(history)-1].is; d == nil || d.Spec.Paused != want {
				return fmt.Errorf("a machine deployment is not as wanted: paused %t", want)
			}
		}
		return nil
	})
}
