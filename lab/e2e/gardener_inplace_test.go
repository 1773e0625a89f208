package e2e

import (
	"slices"
	"strings"
	"testing"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"

	"github.com/drainboard/drainboard/lab/gardener"
)

// A pool that is updated in place by itself, with a machine more: one is new, one is
// updated and stays, one is left over and goes. The board tells which, what of it is pending
// by the Shoot, and how far each is; so do the nodes, as far as they know.
func TestGardenerInPlace(t *testing.T) {
	s := newShootScene(t, gardener.Options{Name: "placed", Pools: []gardener.Pool{
		{Name: "db", Size: 2, Zones: zones[:1], Update: gardener.AutoInPlaceUpdate, MaxSurge: "1", MaxUnavailable: "0"},
	}})
	s.on("db").deploy("batch", "agent")
	all := s.watches("db", 240, 60, s.withAll()...)
	shoot := s.watches("db", 240, 60, s.withShoot()...)
	nodes := s.watches("db", 240, 60, "--provider", "gardener")
	for _, b := range []*board{all, shoot, nodes} {
		b.expect("no roll is under way")
	}
	all.expect("AutoInPlaceUpdate", "2 of 2 updated", "surge 1, unavailable 0", "no health timeout", "update 20m")
	before, nodesBefore := s.machines.of("db"), s.nodesOf("db")

	s.change(gardener.Change{ImageVersion: newImage})
	all.expect("in place: 2 candidates; pending (Shoot status)")
	shoot.expect("pending (Shoot status)")
	nodes.expect("in place: ").expectGone("as the Shoot says")
	all.expectLike(`1 candidate, 1 selected; pending|1 candidate, 1 updated; pending`)
	if err := s.shoot.WaitUpdated(s.ctx, "db"); err != nil {
		t.Fatal(err)
	}
	all.expect("2 of 2 updated", "0 of 2 nodes outdated", "1 node replaced").expectGone("in place: ", "is Processing")
	shoot.expect("0 of 2 nodes outdated").expectGone("in place: ")
	nodes.expect("0 of 2 nodes outdated").expectGone("in place: ")

	s.checkZones(all, "db")
	// Who was updated, who went, who came, by the Machines; and what the board said of them.
	gone := s.goneByAudit(nodesBefore)
	for name, history := range s.machines.of("db") {
		was := map[machineapi.MachinePhase]bool{}
		node, full := "", ""
		for _, v := range history {
			if v.is != nil {
				was[v.is.Status.CurrentStatus.Phase] = true
				full = v.is.Labels[machineapi.NodeLabelKey]
				node, _, _ = strings.Cut(full, ".")
			}
		}
		stages := map[string]bool{}
		for _, at := range all.all() {
			stages[at.rows[node].stage] = true
		}
		want, never := "launching", "draining"
		switch {
		case was[machineapi.MachineInPlaceUpdateSuccessful]:
			want, never = "updating", "replaced"
		case before[name] != nil:
			want, never = "replaced", "updating"
		}
		t.Logf("%s: phases %v, stages %v", node, was, stages)
		if slices.Contains(gone, full) != stages["replaced"] {
			t.Errorf("%s: by the audit log %v are gone, and the board showed %v", full, gone, stages)
		}
		if !stages[want] || stages[never] {
			t.Errorf("%s was %v, and the board showed %v: want %s, and never %s", name, was, stages, want, never)
		}
	}
	s.checkOnlyLooked()
}
