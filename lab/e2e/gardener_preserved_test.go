package e2e

import (
	"errors"
	"slices"
	"testing"
	"time"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/drainboard/drainboard/lab"
)

// A machine that has failed, and that its user has the controller preserve, keeps no run from its end:
// with the control cluster, and with the Shoot alone. An update replaces it as every other.
func TestGardenerPreserved(t *testing.T) {
	s := newShootScene(t, lab.ShootOptions{Name: "preserved", Pools: []lab.ShootPool{{Name: "retained", Size: 2, Zones: zones[:1], MaxSurge: "1", MaxUnavailable: "0", Health: 5 * time.Second}}})
	s.drives()
	old, before := s.present("retained"), s.nodesOf("retained")
	sick := before[0]
	if _, err := shared.Client().CoreV1().Nodes().Patch(s.ctx, sick, types.MergePatchType, []byte(`{"metadata":{"annotations":{"node.machine.sapcloud.io/preserve":"when-failed"}}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := shared.UnreadyNode(s.ctx, sick); err != nil {
		t.Fatal(err)
	}
	s.machines.until("retained", "fail and be preserved", func(m *machineapi.Machine) bool {
		is := m.Status.CurrentStatus
		return m.Labels[machineapi.NodeLabelKey] == sick && is.Phase == machineapi.MachineFailed && is.PreserveExpiryTime != nil
	})
	s.eventually(func() error { // and its machine deployment tells it
		for _, history := range s.machines.zones("retained") {
			if d := history[len(history)-1].is; d == nil || d.Status.PreservedFailedReplicas != 1 || d.Status.AvailableReplicas != 1 {
				return errors.New("the machine deployment has no preserved machine")
			}
		}
		return nil
	})
	for _, flags := range [][]string{s.withAll(), s.withShoot()} {
		p := s.follows("retained", flags...).exits(0)
		if told := p.all("warning", saying("has failed and is up to date: Gardener preserves its machine until ")); len(told) != 1 {
			t.Errorf("it does not tell what stays:\n%s", p.tail())
		}
		s.checkUntouchedPool("retained", before, p)
	}

	s.change(lab.ShootChange{ImageVersion: newImage})
	p := s.follows("retained", s.withAll()...).exits(0)
	s.updated("retained", old)
	s.checkReplaced("retained", before, p)
	if gone := s.goneByAudit(before); !slices.Contains(gone, sick) {
		t.Errorf("gone are %v, without %s", gone, sick)
	}
}
