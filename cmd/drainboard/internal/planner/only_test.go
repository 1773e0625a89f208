package planner

import (
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

func TestOnly(t *testing.T) {
	w := world.New()
	w.Group.Name = "ng-web"
	w.SetMachines([]world.Machine{{ID: "i-1"}, {ID: "i-2"}, {ID: "i-3"}})
	w.SetNode(&world.Node{Name: "a1", Machine: "i-1"})
	w.SetNode(&world.Node{Name: "a2", Machine: "i-2"})
	w.SetNode(&world.Node{Name: "other", Machine: "i-9"})
	for _, c := range []struct {
		given, want string // names, or what the error says
	}{
		{"a1", "a1"},
		{"a1, a2,a1", "a1 a2"},
		{"i-3", "i-3"}, // has not joined
		{"a1,a7,a8", "no node a7, a8 in this cluster"},
		{"a1,other", "not in group ng-web: other"},
		{"other,a7", "no node a7 in this cluster, and other belong to another group than ng-web"},
		{"a1,", "contains an empty name"},
	} {
		got, err := only(w, strings.Split(c.given, ","))
		switch {
		case err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v, want %q", c.given, err, c.want)
		case err == nil && strings.Join(got, " ") != c.want:
			t.Errorf("%s: %v, want %s", c.given, got, c.want)
		}
	}
}

func TestNotRolled(t *testing.T) {
	w := world.New()
	w.Group.Template = world.Template{ID: "lt-1", Version: 3}
	w.SetMachines([]world.Machine{{ID: "i-1"}, {ID: "i-2"}, {ID: "i-3"}, {ID: "i-4", State: world.MachineStandby}, {ID: "i-5", State: world.MachineTerminating}})
	w.SetNode(&world.Node{Name: "a4", Machine: "i-4"})
	p := snapshot.Plan{Nodes: []snapshot.PlannedNode{{Machine: "i-1", Name: "a1"}, {Machine: "i-3"}}, Warm: []string{"i-7"}}
	p.Run.Target.Only = []string{"a1", "i-2", "i-3", "a4", "i-5"}
	p.Run.Target.Templates = []world.Template{{ID: "lt-1", Version: 2}}
	only := []string{"i-2 of --only is already up to date", "a4 of --only is in Standby", "i-5 of --only is already terminating"}
	check := func(want []string) {
		t.Helper()
		got := notRolled(p, w)
		if !slices.EqualFunc(got, want, strings.Contains) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(only)
	p.Run.Target.Only, p.Nodes = nil, nil
	check([]string{"i-4 is outdated, but in Standby", "outdated instances of the warm pool stay", "it still launches " + w.Group.Template.String()})
}
