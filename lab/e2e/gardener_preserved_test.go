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

// A new machine fails while the pool is rolled, and its user has the controller preserve it: the
// roll is over all the same, for Gardener and for the run, which says what is kept. Nothing is to do
// for the next one.
func TestGardenerPreserved(t *testing.T) {
	s := newShootScene(t, gardener.Options{Name: "preserved", Pools: []gardener.Pool{{Name: "retained", Size: 2, Zones: zones[:1], MaxSurge: "1", MaxUnavailable: "1", Health: 5 * time.Second}}})
	s.drives()
	old, before := s.present("retained"), s.nodesOf("retained")
	s.change(gardener.Change{ImageVersion: newImage})
	p := s.follows("retained", s.withAll()...)
	first := s.machines.until("retained", "be new and run", func(m *machineapi.Machine) bool {
		return !old[m.Name] && m.Status.CurrentStatus.Phase == machineapi.MachineRunning && m.Labels[machineapi.NodeLabelKey] != ""
	})
	if _, err := s.shoot.Machines().Machines(s.shoot.ControlNamespace).Patch(s.ctx, first.Name, types.MergePatchType, []byte(`{"metadata":{"annotations":{"node.machine.sapcloud.io/preserve":"when-failed"}}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := shared.UnreadyNode(s.ctx, first.Labels[machineapi.NodeLabelKey]); err != nil {
		t.Fatal(err)
	}
	s.machines.until("retained", "fail and be preserved", func(m *machineapi.Machine) bool {
		return m.Name == first.Name && m.Status.CurrentStatus.Phase == machineapi.MachineFailed && m.Status.CurrentStatus.PreserveExpiryTime != nil
	})
	p.exits(0)
	if told := p.all("warning", saying(first.Labels[machineapi.NodeLabelKey]+" has failed and is up to date: Gardener preserves its machine until ")); len(told) != 1 {
		t.Errorf("it does not tell what is kept:\n%s", p.tail())
	}
	for _, history := range s.machines.zones("retained") {
		if d := history[len(history)-1].is; d.Status.PreservedFailedReplicas != 1 || d.Status.AvailableReplicas != 1 || d.Status.UpdatedReplicas != 2 {
			t.Errorf("machine deployment %s: %+v", d.Name, d.Status)
		}
	}
	s.checkReplaced("retained", before, p)
	for _, flags := range [][]string{s.withAll(), s.withShoot()} {
		if told := s.follows("retained", flags...).exits(0).all("run.finished"); len(told) != 1 || !strings.Contains(told[0].Message, "nothing to do") {
			t.Errorf("the next run told %v", told)
		}
	}
}
