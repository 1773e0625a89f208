package strategy_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// instanceGroup is a run of a group of machines, of which so many are to be replaced.
func instanceGroup(role world.Role, machines, outdated int, surge, unavailable string) (*world.World, *record.Run) {
	w := world.New()
	w.SetGroup(world.Group{Name: "nodes", Role: role})
	r := &record.Run{Base: world.Sizes{Desired: machines}, Nodes: shards.Of(map[string]record.Node{}), Settings: strategy.Kops{}.Defaults()}
	var list []world.Machine
	for i := range machines {
		id := fmt.Sprint("i-", i)
		list = append(list, world.Machine{ID: id, State: world.MachineInService})
		n := record.Node{Stage: record.Outdated}
		if i >= outdated {
			n = record.Node{Stage: record.Ready, New: true}
		}
		r.Nodes = r.Nodes.With(id, n)
	}
	w.SetMachines(list)
	for text, to := range map[string]*record.Amount{surge: &r.Settings.MaxSurge, unavailable: &r.Settings.MaxUnavailable} {
		if text == "" {
			continue
		}
		a, err := record.ParseAmount(text)
		if err != nil {
			panic(err)
		}
		*to = a
	}
	return w, r
}

// resolveSettings (kops pkg/instancegroups/settings.go) and the concurrency of
// rollingUpdateInstanceGroup (pkg/instancegroups/instancegroups.go).
func TestKopsLimits(t *testing.T) {
	k := strategy.Kops{}
	for _, c := range []struct {
		what               string
		role               world.Role
		machines, outdated int
		surge, unavailable string
		extra, limit       int
	}{
		{"defaults", world.RoleNode, 6, 6, "", "", 1, 1},
		{"no surge: one may be unavailable", world.RoleNode, 6, 6, "0", "", 0, 1},
		{"both", world.RoleNode, 6, 6, "2", "1", 2, 3},
		{"surge rounds up", world.RoleNode, 6, 6, "25%", "0", 2, 2},
		{"surge of all machines, not of the outdated ones", world.RoleNode, 8, 3, "25%", "0", 2, 2},
		{"no more than are chosen", world.RoleNode, 6, 1, "5", "", 1, 1},
		{"unavailable rounds down", world.RoleNode, 5, 5, "0", "50%", 0, 2},
		{"but to one at least", world.RoleNode, 3, 3, "0", "10%", 0, 1},
		{"also beside a surge", world.RoleNode, 3, 3, "1", "10%", 1, 2},
		{"the control plane does not surge", world.RoleControlPlane, 3, 3, "2", "", 0, 1},
		{"API servers do", world.RoleAPIServer, 3, 3, "", "", 1, 1},
		{"bastions do", world.RoleBastion, 2, 2, "", "", 1, 1},
	} {
		w, r := instanceGroup(c.role, c.machines, c.outdated, c.surge, c.unavailable)
		if extra, limit := k.Extra(w, r), k.Limit(w, r); extra != c.extra || limit != c.limit {
			t.Errorf("%s: %d more and %d at once, want %d and %d", c.what, extra, limit, c.extra, c.limit)
		}
	}
	w, r := instanceGroup(world.RoleNode, 4, 4, "25%", "")
	r.Base.Desired = 8
	if extra := k.Extra(w, r); extra != 2 {
		t.Errorf("%s: %d more, want a quarter of 8", "a share in a group that lacks machines", extra)
	}
	w, r = instanceGroup(world.RoleNode, 6, 6, "3", "")
	r.Settings.CloudOnly = true
	if k.Extra(w, r) != 0 || k.Limit(w, r) != 1 {
		t.Error("nothing is detached without the Kubernetes API")
	}
}

// All waits that kops forces are in the estimate: with two to go at once and none of the
// new specification, two proofs in the surge, and a round of the attached and one of the
// detached machines.
func TestKopsEstimate(t *testing.T) {
	k := strategy.Kops{}
	w, r := instanceGroup(world.RoleNode, 4, 4, "2", "")
	r.Limit = k.Limit(w, r)
	proof := 15*time.Second + 10*time.Second
	drain := 5*time.Second + assess.DrainGuess
	want := 2*(proof+assess.JoinGuess) + (drain + proof + assess.JoinGuess) + (drain + proof)
	if got := k.Estimate(w, r, 4); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r.ValidatedOnce = true
	if got := k.Estimate(w, r, 4); got != want-proof-assess.JoinGuess {
		t.Errorf("proven: %s, want %s", got, want-proof-assess.JoinGuess)
	}
	w, r = instanceGroup(world.RoleBastion, 3, 3, "0", "")
	r.Limit = 1
	if got, want := k.Estimate(w, r, 3), 3*(assess.DrainGuess+proof+assess.JoinGuess); got != want {
		t.Errorf("bastions: %s, want %s", got, want)
	}
}

// A user who approves a phase reads what it will do.
func TestKopsSaysWhatItDoes(t *testing.T) {
	w, r := instanceGroup(world.RoleNode, 4, 4, "2", "")
	r.Limit = 2
	for _, phase := range (strategy.Kops{}).Phases()[1:] {
		if (strategy.Kops{}).Does(phase, w, r) == "" {
			t.Errorf("kops does not say what %s does", phase)
		}
	}
}
