package gardener

import (
	"slices"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// marked is a world with nodes of the pool web, the last one the newest, each with its hash.
func marked(hashes ...string) *world.World {
	w := world.New()
	for i, hash := range hashes {
		n := node(string(rune('a'+i)), "m-"+string(rune('a'+i)), "a", "web")
		n.Created, n.Version = noon.Add(time.Duration(i)*time.Minute-time.Hour), "v1.33.1"
		n.Labels[world.GardenerSecret] = hash
		w.SetNode(n)
	}
	return w
}

// Nodes are held against the hash that the Shoot asks for, and without it against the newest.
func TestBehind(t *testing.T) {
	through := &world.ShootProgress{Generation: 2, Observed: 2, State: "Succeeded"}
	applied := &world.ShootProgress{Generation: 2, Observed: 1, State: "Succeeded"}
	confined := &world.ShootProgress{Generation: 2, Observed: 2, State: "Succeeded", Confined: true}
	for _, c := range []struct {
		what     string
		nodes    []string
		asked    string
		progress *world.ShootProgress
		control  bool
		unhashed string
		behind   []string
		unmarked int
		notes    int
	}{
		{"all as asked", []string{"x", "x"}, "x", through, false, "", nil, 0, 0},
		{"one is not", []string{"old", "x"}, "x", through, false, "", []string{"a"}, 0, 0},
		{"Gardener has not begun", []string{"old", "old"}, "x", applied, false, "", []string{"a", "b"}, 0, 0},
		{"the window is waited for", []string{"old"}, "x", confined, false, "", []string{"a"}, 0, 0},
		{"Gardener is through, and hashes in another way", []string{"old", "old"}, "x", through, false, "", nil, 0, 1},
		{"without the Shoot, alike", []string{"old", "old"}, "", nil, false, "", nil, 0, 0},
		{"without the Shoot", []string{"old", "x"}, "", nil, false, "", []string{"a"}, 0, 0},
		{"the control cluster tells it better", []string{"old", "x"}, "", nil, true, "", nil, 0, 0},
		{"Gardener is through, hashes in another way, and is not", []string{"old", "new"}, "x", through, false, "", []string{"a"}, 0, 1},
		{"an older Gardener, alike", []string{"old", "old"}, "", through, false, "Gardener v1.145.2 is older than 1.146", nil, 0, 1},
		{"an older Gardener", []string{"old", "new"}, "", applied, false, "Gardener v1.145.2 is older than 1.146", []string{"a"}, 0, 1},
		{"an older Gardener, with the control cluster", []string{"old", "new"}, "", applied, true, "Gardener v1.145.2 is older than 1.146", nil, 0, 1},
		{"one node without the label", []string{"", "x"}, "x", through, false, "", nil, 1, 0},
		{"nodes without the label", []string{"", ""}, "x", applied, false, "", nil, 2, 0},
	} {
		w, p := marked(c.nodes...), &world.Pool{Name: "web", Control: c.control, ShootStatus: world.ShootStatus{NodeSecret: c.asked, Progress: c.progress, Unhashed: c.unhashed}}
		compare(w, p)
		if !slices.Equal(p.Behind, c.behind) || len(p.Unmarked) != c.unmarked || len(p.Notes) != c.notes || p.Disproved != (c.notes > 0 && c.unhashed == "") {
			t.Errorf("%s: behind %v, without a hash %v, disproved %t, notes %q", c.what, p.Behind, p.Unmarked, p.Disproved, p.Notes)
		}
		g := world.Group{Name: "web", Provider: Provider, Pool: p, Template: world.Template{ID: "web", Version: 1}}
		for _, m := range fromNodes(w, &g, noon) {
			if outdated := m.Template.Version == 0; outdated != slices.Contains(c.behind, w.NodeOf(m.ID).Name) {
				t.Errorf("%s: %s is outdated: %t", c.what, m.ID, outdated)
			}
		}
	}
}

// A machine of the newest set is outdated all the same while the Shoot asks for another hash.
func TestBehindBeforeItsSet(t *testing.T) {
	f := (&Client{}).Feed("web", FeedOptions{Now: func() time.Time { return noon }})
	f.machines = []*machine{{name: "m-a", node: "a", is: world.ManagedMachine{Deployment: "d", Set: "s", Phase: world.PhaseRunning}}}
	f.sets = []*set{{name: "s", deployment: "d", revision: 1}}
	f.deployments = []*deployment{{pool: "web", is: world.MachineDeployment{Name: "d", Desired: 1}}}
	w := marked("old")
	for _, shoot := range []string{"", "garden-dev/prod"} {
		g := world.Group{Name: "web", Provider: Provider, Pool: &world.Pool{Name: "web", Control: true, ShootStatus: world.ShootStatus{Shoot: shoot, NodeSecret: "new"}}}
		members := f.minded(w, &g)
		if outdated := members[0].Template != g.Template; outdated != (shoot != "") {
			t.Errorf("with the Shoot %q: %+v, group %+v", shoot, members, g.Template)
		}
	}
}
