package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"

	"github.com/drainboard/drainboard/lab/gardener"
)

// follows drives a run of a pool headless.
func (s *shootScene) follows(pool string, flags ...string) *process {
	s.t.Helper()
	return s.launch(append([]string{"upgrade", pool, "--auto", "-o", "json"}, flags...)...)
}

// updated sees that all Machines of a pool are made from another class than before, that none
// is on its way out, and that their machine deployments are complete.
func (s *shootScene) updated(pool string, old map[string]bool) {
	s.t.Helper()
	left := 0
	for name, history := range s.machines.of(pool) {
		last := history[len(history)-1].is
		if last == nil {
			continue
		}
		if left++; old[name] || last.DeletionTimestamp != nil || last.Status.CurrentStatus.Phase != machineapi.MachineRunning {
			s.t.Errorf("machine %s of pool %s is %s, of before %t", name, pool, last.Status.CurrentStatus.Phase, old[name])
		}
	}
	if left != len(old) {
		s.t.Errorf("pool %s has %d machines, and had %d", pool, left, len(old))
	}
	for _, history := range s.machines.zones(pool) {
		d := history[len(history)-1].is
		if d.Status.ObservedGeneration < d.Generation || d.Status.UpdatedReplicas != d.Spec.Replicas || d.Status.Replicas != d.Spec.Replicas {
			s.t.Errorf("machine deployment %s: %+v", d.Name, d.Status)
		}
	}
}

// present are the names of a pool's Machines that there are now.
func (s *shootScene) present(pool string) map[string]bool {
	s.t.Helper()
	nodes := len(s.nodesOf(pool))
	for {
		s.machines.mu.Lock()
		news := s.machines.news
		s.machines.mu.Unlock()
		out := map[string]bool{}
		for name, history := range s.machines.of(pool) {
			if history[len(history)-1].is != nil {
				out[name] = true
			}
		}
		if len(out) >= nodes {
			return out
		}
		select { // the watch has not told all of them yet
		case <-news:
		case <-s.ctx.Done():
			s.t.Fatalf("pool %s has %d nodes, and %d machines were seen", pool, nodes, len(out))
		}
	}
}

// A run that is started right after a change of the Shoot, while Gardener still sees to the
// control plane, waits for it and follows the update: it ends with 0 only when all nodes were
// replaced, with the control cluster and with the Shoot alone.
func TestGardenerRunBeforeStart(t *testing.T) {
	s := newShootScene(t, gardener.Options{Name: "early", Pools: []gardener.Pool{
		{Name: "both", Size: 1, Zones: zones[:1], MaxSurge: "1", MaxUnavailable: "0"},
		{Name: "garden", Size: 1, Zones: zones[:1], MaxSurge: "1", MaxUnavailable: "0"},
	}})
	s.drives()
	s.shoot.PrepareFor(25 * time.Second)
	old := map[string]map[string]bool{"both": s.present("both"), "garden": s.present("garden")}
	before := map[string][]string{"both": s.nodesOf("both"), "garden": s.nodesOf("garden")}
	s.change(gardener.Change{ImageVersion: newImage}) // the kubelets' version, by which nodes would be outdated, stays
	runs := map[string]*process{"both": s.follows("both", s.withAll()...), "garden": s.follows("garden", s.withShoot()...)}
	for pool, p := range runs {
		p.await("warning", because("controller-not-complete"), saying("waiting for Gardener"))
		p.exits(0)
		finished := p.all("run.finished")
		if len(finished) != 1 || !strings.Contains(finished[0].Message, "1 of 1 nodes") {
			t.Errorf("pool %s: %v", pool, finished)
		}
		s.updated(pool, old[pool])
		s.checkReplaced(pool, before[pool], p)
	}
}

// Gardener never starts: a run ends with 9 when the time for it is up, says what is missing,
// and leaves the machine deployments free. Resumed, it follows the update that has started
// meanwhile. From the nodes alone nothing of this can be seen, so that a run waits as well and ends with 9.
func TestGardenerNeverStarts(t *testing.T) {
	s := newShootScene(t, gardener.Options{Name: "never", Pools: []gardener.Pool{{Name: "still", Size: 1, Zones: zones[:1], MaxSurge: "1", MaxUnavailable: "0"}}})
	s.drives()
	s.shoot.StopGardenlet(true)
	old, before := s.present("still"), s.nodesOf("still")
	s.change(gardener.Change{ImageVersion: newImage})

	blind := s.follows("still", "--provider", "gardener", "--wait-for-start", "10s").exits(9)
	if warned := blind.all("warning", saying("an update that Gardener has not started is not visible")); len(warned) == 0 || len(blind.all("run.finished")) > 0 {
		t.Errorf("from the nodes alone it does not say what cannot be seen:\n%s", blind.tail())
	}
	s.checkUntouchedPool("still", before, blind)
	s.run("abort", "still", "--yes").exits(3)

	flags := append(s.withAll(), "--wait-for-start", "40s")
	p := s.follows("still", flags...).exits(9)
	told := p.all("warning", because("controller-not-complete"), saying("has not started generation 2"))
	if len(told) < 2 || told[0].Until == nil {
		t.Errorf("it waits, and says so %d times: %v", len(told), told)
	}
	if paused := p.all("run.paused", because("Gardener has not finished after 40s"), because("has not started generation 2")); len(paused) != 1 || len(p.all("run.finished")) > 0 {
		t.Errorf("it does not end paused:\n%s", p.tail())
	}
	s.paused("still", false)
	s.checkUntouchedPool("still", before, p)

	s.shoot.StopGardenlet(false)
	end := s.follows("still", flags...).exits(0)
	s.updated("still", old)
	s.checkReplaced("still", before, p, end)
	if slices.ContainsFunc(s.machines.zones("still"), func(history []version[machineapi.MachineDeployment]) bool {
		return slices.ContainsFunc(history, func(v version[machineapi.MachineDeployment]) bool { return v.is != nil && v.is.Spec.Paused })
	}) {
		t.Error("a machine deployment was paused")
	}
}
