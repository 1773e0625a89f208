package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"

	"github.com/drainboard/drainboard/lab/gardener"
)

// lags is by how much a board may be behind the API server.
const lags = 3 * time.Second

// abreast is by how much a board may be ahead of this test's own look at the API server.
const abreast = time.Second

// nodesLag is by how much nodes are behind their Machines: the condition Terminating comes
// some 15 s after a machine's end began, the node goes 10 s before its Machine.
const nodesLag = 25 * time.Second

// Steps of a machine's end: as the board says them, and as the Machine's last operation
// does.
var endSteps = []struct{ told, by string }{
	{"its VM is looked up", "getting VM Status"},
	{"it is drained", "Initiate node drain"},
	{"its VM is deleted", "Initiate VM deletion"},
	{"its Node is deleted", "Initiate node object deletion"},
	{"its Machine object is removed", "finalizer removal"},
}

// A rolling update of three zones is watched from start to end: with the control cluster,
// with the Shoot alone, and from the nodes alone. What the boards show is what the Machines
// and machine deployments were at that time, and what cannot be known is said to be unknown.
func TestGardenerRoll(t *testing.T) {
	s := newShootScene(t, gardener.Options{Name: "watched", Pools: []gardener.Pool{
		{Name: "zoned", Size: 3, Zones: zones[:3], MaxSurge: "1", MaxUnavailable: "0", Drain: 20 * time.Minute},
	}})
	s.on("zoned").deploy("batch", "agent")
	all := s.watches("zoned", 540, 60, s.withAll()...) // wide enough for what is said of each node
	shoot := s.watches("zoned", 240, 60, s.withShoot()...)
	nodes := s.watches("zoned", 240, 60, "--provider", "gardener")

	all.expect("READ-ONLY", "AutoRollingUpdate", "3 of 3 updated", "surge 1, unavailable 0", "surge 0, unavailable 0, which counts as 1", "limits: drain 20m, health 10m, creation 20m (from the Shoot; each machine has its own)")
	shoot.expect("READ-ONLY", "AutoRollingUpdate", "1 of 1 updated, 1 available  inferred from their nodes  ~surge 1, unavailable 0", "limits: drain 20m, health 10m, creation 20m (from the Shoot)", "not known: machine phases, drain failures, force orders, paused or frozen zones, machines that have not joined: known in the control cluster only")
	nodes.expect("READ-ONLY", "update strategy unknown", "inferred from their nodes", "limits: drain 2h, health 10m, creation 20m (the defaults, a guess)", "not known: machine phases",
		"not known: Shoot not read (--garden-kubeconfig, --shoot): it has the update strategy, how many are replaced at a time")
	for _, b := range []*board{all, shoot, nodes} {
		b.expect("no roll is under way")
	}
	old := slices.Collect(maps.Keys(s.machines.of("zoned")))

	s.change(gardener.Change{KubernetesVersion: newKubernetes})
	all.expect("Gardener is at work here", "is Processing")
	if err := s.shoot.WaitUpdated(s.ctx, "zoned"); err != nil {
		t.Fatal(err)
	}
	all.expect("3 nodes replaced", "0 of 3 nodes outdated", "3 of 3 updated")
	shoot.expect("3 nodes replaced", "0 of 3 nodes outdated")
	nodes.expect("3 nodes replaced", "0 of 3 nodes outdated")

	s.checkZones(all, "zoned")
	s.checkSteps(all, old)
	for b, late := range map[*board]time.Duration{all: lags, shoot: nodesLag, nodes: nodesLag} {
		ahead := lags // of the Machines, which go by their nodes too
		if b == all {
			ahead = abreast
		}
		s.checkRows(b, "zoned", late, ahead)
		var last sight
		s.eventually(func() error { // what was expected is on the screen, and is about to be noted
			last = b.all()[len(b.all())-1]
			stages := map[string]int{}
			for _, r := range last.rows {
				stages[r.stage]++
			}
			if stages["replaced"] != 3 || stages["ready"] != 3 || len(last.rows) != 6 {
				return fmt.Errorf("in the end: %v", stages)
			}
			return nil
		})
		for zone, z := range last.zones {
			if z.updated != 1 || z.available != 1 || len(last.zones) != 3 {
				t.Errorf("in the end %s has %+v", zone, z)
			}
		}
		if strings.Contains(b.shows(), "left the group") {
			t.Error("it says that a node has left the group")
		}
	}
	if strings.Contains(nodes.shows(), "surge 1,") {
		t.Error("without the Shoot it says how many each zone may have")
	}
	for _, b := range []*board{shoot, nodes} {
		if strings.Contains(b.shows(), "in all") {
			t.Error("without the control cluster it says how many machines there are in all")
		}
		for _, at := range b.all() {
			for name, r := range at.rows {
				if r.what != "" && !r.guess {
					t.Errorf("%s: without the control cluster %q is sure", name, r.what)
				}
			}
		}
	}
	// How the drain is limited: by the Shoot, or as a guess.
	for b, limit := range map[*board]time.Duration{all: 20 * time.Minute, shoot: 20 * time.Minute, nodes: 2 * time.Hour} {
		seen := time.Duration(0)
		for _, at := range b.all() {
			for _, r := range at.rows {
				if r.stage == "draining" {
					seen = max(seen, r.left)
				}
			}
		}
		if seen > limit || seen < limit-time.Minute {
			t.Errorf("the longest time that a drain had left was %s, want nearly %s", seen, limit)
		}
	}
	s.checkOnlyLooked()
}

// checkZones sees that the counts of each zone were those of its machine deployment, and
// that what that had for long was seen.
func (s *shootScene) checkZones(b *board, pool string) {
	s.t.Helper()
	seen := map[string]map[zoneShown]bool{}
	looks := 0
	for i, deployments := range s.machines.zones(pool) {
		zone := zones[i]
		seen[zone] = map[zoneShown]bool{}
		for _, at := range b.all() {
			z, ok := at.zones[zone]
			if !ok {
				continue
			}
			looks++
			seen[zone][z] = true
			had := during(deployments, at.at.Add(-lags), at.at.Add(abreast))
			if !slices.ContainsFunc(had, func(d *machineapi.MachineDeployment) bool { return countsOf(d) == z }) {
				s.t.Errorf("%s: the board says %+v of %s at %s, where its machine deployment had %+v", pool, z, zone, at.at.Format("15:04:05.0"), list(had))
			}
		}
		for j, v := range deployments {
			if lasted := j+1 < len(deployments) && deployments[j+1].from.Sub(v.from) > lags; lasted && !seen[zone][countsOf(v.is)] && v.from.After(b.all()[0].at) {
				s.t.Errorf("%s: the board never showed %+v of %s", pool, countsOf(v.is), zone)
			}
		}
	}
	s.t.Logf("%d looks at zones, counts seen: %v", looks, seen)
}

// countsOf is what a board should say of a machine deployment.
func countsOf(d *machineapi.MachineDeployment) zoneShown {
	z := zoneShown{int(d.Status.UpdatedReplicas), int(d.Spec.Replicas), int(d.Status.AvailableReplicas), int(d.Status.Replicas)}
	if z.total == z.desired {
		z.total = 0
	}
	return z
}

func list(all []*machineapi.MachineDeployment) (out []zoneShown) {
	for _, d := range all {
		out = append(out, countsOf(d))
	}
	return out
}

// fits says in which phases a Machine may be whose node has a stage, "gone" for none.
var fits = map[string][]machineapi.MachinePhase{
	"launching":   {"", machineapi.MachinePending, machineapi.MachineCrashLoopBackOff},
	"ready":       {machineapi.MachineRunning},
	"outdated":    {machineapi.MachineRunning},
	"draining":    {machineapi.MachineTerminating},
	"settling":    {machineapi.MachineTerminating},
	"terminating": {machineapi.MachineTerminating, "gone"},
	"replaced":    {"gone"},
}

// checkRows sees that each node's stage was what its Machine's phase was, at most so long
// before or after.
func (s *shootScene) checkRows(b *board, pool string, late, ahead time.Duration) {
	s.t.Helper()
	machineOf := map[string]string{}
	history := s.machines.of(pool)
	for name, list := range history {
		machineOf[name] = name
		for _, v := range list {
			if v.is != nil && v.is.Labels[machineapi.NodeLabelKey] != "" {
				node, _, _ := strings.Cut(v.is.Labels[machineapi.NodeLabelKey], ".")
				machineOf[node] = name
			}
		}
	}
	stages, wrong := map[string]int{}, 0
	for _, at := range b.all() {
		for row, r := range at.rows {
			stages[r.stage]++
			machine := machineOf[row]
			for name := range history {
				if machine == "" && shortens(row, name) {
					machine = name
				}
			}
			var had []machineapi.MachinePhase
			for _, m := range during(history[machine], at.at.Add(-late), at.at.Add(ahead)) {
				phase := machineapi.MachinePhase("gone")
				if m != nil {
					phase = m.Status.CurrentStatus.Phase
				}
				had = append(had, phase)
			}
			if !slices.ContainsFunc(had, func(phase machineapi.MachinePhase) bool { return slices.Contains(fits[r.stage], phase) }) {
				if wrong++; wrong < 5 {
					s.t.Errorf("%s is %q at %s; its Machine %s was %q", row, r.stage, at.at.Format("15:04:05.0"), machine, had)
				}
			}
		}
	}
	s.t.Logf("%d looks, stages seen: %v", len(b.all()), stages)
}

// checkSteps sees that of each machine that went every step of its end was told, in order,
// and when it was taken.
func (s *shootScene) checkSteps(b *board, old []string) {
	s.t.Helper()
	for _, name := range old {
		history := s.machines.of("zoned")[name]
		node, _, _ := strings.Cut(history[0].is.Labels[machineapi.NodeLabelKey], ".")
		var told []string
		for _, at := range b.all() {
			note := at.rows[node].note
			for _, step := range endSteps {
				if !strings.Contains(note, step.told) || len(told) > 0 && told[len(told)-1] == step.told {
					continue
				}
				told = append(told, step.told)
				if !slices.ContainsFunc(during(history, at.at.Add(-lags), at.at.Add(abreast)), func(m *machineapi.Machine) bool {
					return m != nil && strings.Contains(m.Status.LastOperation.Description, step.by)
				}) {
					s.t.Errorf("%s: %q is told at %s, and the Machine did not say so", node, step.told, at.at.Format("15:04:05.0"))
				}
			}
		}
		var want []string
		for _, step := range endSteps {
			if slices.ContainsFunc(history, func(v version[machineapi.Machine]) bool {
				return v.is != nil && strings.Contains(v.is.Status.LastOperation.Description, step.by)
			}) {
				want = append(want, step.told)
			}
		}
		if fmt.Sprint(told) != fmt.Sprint(want) || len(want) < 4 {
			s.t.Errorf("%s: steps told are %q, those taken %q", node, told, want)
			s.machines.tell("zoned")
		}
		s.t.Logf("%s: %q", node, told)
	}
}
