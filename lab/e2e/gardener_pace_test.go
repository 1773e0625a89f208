package e2e

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/gardener"
)

// paces makes the scene's user one who may also change the Shoot, by the role published for that.
func (s *shootScene) paces() {
	s.t.Helper()
	s.garden = s.kubeconfigBeside(s.name+"-garden-owner", s.shoot.Namespace, publishedBeside(s.t, "rbac-garden.yaml")...)
}

// shootChanges are the requests of Drainboard that change the Shoot.
func (s *shootScene) shootChanges() []lab.Request {
	s.t.Helper()
	return s.audit().Where(lab.By("drainboard/"), func(r lab.Request) bool {
		return r.Resource == "shoots" && r.Name == s.shoot.Name && r.Verb != "get" && r.Verb != "list" && r.Verb != "watch"
	})
}

// surges are the values of maxSurge that a pool's machine deployments had, one after the other, and
// most how many Machines more than desired there were at most with each.
func (s *shootScene) surges(pool string) (values []int, most map[int]int) {
	most = map[int]int{}
	for _, history := range s.machines.zones(pool) {
		for _, v := range history {
			if v.is == nil || v.is.Spec.Strategy.RollingUpdate == nil {
				continue
			}
			now := v.is.Spec.Strategy.RollingUpdate.MaxSurge.IntValue()
			if len(values) == 0 || values[len(values)-1] != now {
				values = append(values, now)
			}
			most[now] = max(most[now], int(v.is.Status.Replicas-v.is.Spec.Replicas))
		}
	}
	return values, most
}

// A user who reaches only the Shoot slows down a roll that Gardener drives: the pool has another
// maxSurge while the run lasts, also after the process that set it was killed, and its own again at
// the end. The Shoot is changed twice, by just that. Without the right for it nothing starts.
func TestGardenerPace(t *testing.T) {
	s := newShootScene(t, gardener.Options{Name: "pace", Pools: []gardener.Pool{{Name: "slowed", Size: 2, Zones: zones[:1], MaxSurge: "2", MaxUnavailable: "0"}}})
	s.on("slowed").deploy("batch", "agent")
	s.drives()
	old, before := s.present("slowed"), s.nodesOf("slowed")
	slower := append(s.withShoot(), "--max-surge", "1")
	denied := s.follows("slowed", slower...).exits(11)
	if said := denied.errOut(); !strings.Contains(said, "the garden cluster does not allow patch shoots in namespace "+s.shoot.Namespace) || len(s.shootChanges()) > 0 {
		t.Errorf("without the right it says\n%s\nand changes %v", said, s.shootChanges())
	}
	s.paces()
	slower = append(s.withShoot(), "--max-surge", "1")
	if told := s.follows("slowed", append(s.withShoot(), "--max-surge", "0")...).exits(2); !strings.Contains(told.errOut(), "both 0") {
		t.Errorf("of no pace it says\n%s", told.errOut())
	}

	s.shoot.StopGardenlet(true)
	s.change(gardener.Change{ImageVersion: newImage})
	p := s.follows("slowed", slower...)
	p.await("capacity.changed", saying("set maxSurge 2, maxUnavailable 0 → maxSurge 1, maxUnavailable 0 of pool slowed in Shoot "+s.shoot.Namespace+"/pace"))
	s.shoot.StopGardenlet(false)
	s.machines.until("slowed", "be ended", func(m *machineapi.Machine) bool { return m.DeletionTimestamp != nil })
	p.crash()
	if values, _ := s.surges("slowed"); !slices.Equal(values, []int{2, 1}) {
		t.Errorf("the machine deployment had maxSurge %v, want 2 and then 1", values)
	}
	if left := s.run("status", "slowed").out(); !strings.Contains(left, "pace: maxSurge 1, maxUnavailable 0 of pool slowed in Shoot garden-lab/pace, set by this run, which restores maxSurge 2, maxUnavailable 0") {
		t.Errorf("status of the killed run does not tell of the pace that is set:\n%s", left)
	}
	killed := p
	p = s.follows("slowed", s.withShoot()...).exits(0)
	s.checkReplaced("slowed", before, killed, p)
	p.await("capacity.changed", saying("set maxSurge 1, maxUnavailable 0 → maxSurge 2, maxUnavailable 0"))
	s.updated("slowed", old)
	values, most := s.surges("slowed")
	if !slices.Equal(values, []int{2, 1, 2}) || most[1] > 1 {
		t.Errorf("the machine deployment had maxSurge %v, and up to %v Machines more", values, most)
	}
	changes := s.shootChanges()
	for _, r := range changes {
		if r.Verb != "patch" || r.Code != 200 || r.Subresource != "" || !strings.HasSuffix(r.User, s.name+"-garden-owner") {
			t.Errorf("a change of the Shoot: %v", r)
		}
	}
	if len(changes) != 2 {
		t.Errorf("%d changes of the Shoot, want 2", len(changes))
	}
	if told := s.run("report", "slowed").exits(0).out(); strings.Count(told, "maxSurge 2, maxUnavailable 0") < 2 {
		t.Errorf("the report does not tell that both were changed:\n%s", told)
	}
}

// A run that was killed while a PDB keeps its node is aborted by another process, which restores the pace.
func TestGardenerPaceAborted(t *testing.T) {
	s := newShootScene(t, gardener.Options{Name: "paceless", Pools: []gardener.Pool{{Name: "paceless", Size: 1, Zones: zones[:1], MaxSurge: "2", MaxUnavailable: "0"}}})
	s.on("paceless").deploy("checkout", "agent")
	s.drives()
	s.paces()
	before := s.nodesOf("paceless")
	s.change(gardener.Change{ImageVersion: newImage})
	s.machines.until("paceless", "be ended", func(m *machineapi.Machine) bool { return m.DeletionTimestamp != nil })
	p := s.follows("paceless", append(s.withShoot(), "--max-surge", "1")...)
	p.await("capacity.changed", saying("→ maxSurge 1"))
	p.crash()
	s.eventually(func() error { // its lock runs out
		if told := s.run("status", "paceless").out(); !strings.Contains(told, "no process drives it") {
			return errors.New("the killed process still holds the lock")
		}
		return nil
	})
	// Aborted by a process of its own, which restores what the killed one had set.
	s.run(append([]string{"abort", "paceless", "--yes"}, s.withShoot()[2:]...)...).exits(3)
	changes := s.shootChanges()
	if len(changes) != 2 || !bytes.Contains(changes[1].Body, []byte(`"value":2`)) {
		t.Errorf("changes of the Shoot: %v", changes)
	}
	// The PDB keeps its node.
	report := s.run("report", "paceless").exits(0).out()
	if gone := s.goneByAudit(before); len(gone) > 0 || len(p.all("node.replaced")) > 0 || !strings.Contains(report, "0 of 1 nodes replaced") || strings.Count(report, "maxSurge 2, maxUnavailable 0") < 2 {
		t.Errorf("gone are %v, told was\n%s\nand the report is\n%s", gone, p.tail(), report)
	}
}
