package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine"
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
		{"a1,a7,a8", "no node of this cluster is called a7, a8"},
		{"a1,other", "not of group ng-web: other"},
		{"other,a7", "called a7, and other belong to another group than ng-web"},
		{"a1,", "a name is empty"},
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

func TestOnlyUpToDate(t *testing.T) {
	p := engine.Plan{Nodes: []engine.PlannedNode{{Machine: "i-1", Name: "a1"}, {Machine: "i-3"}}}
	p.Run.Target.Only = []string{"a1", "a2", "i-3"}
	if got := upToDate(p); !slices.Equal(got, []string{"a2"}) {
		t.Errorf("up to date: %v, want a2", got)
	}
}
