package planner

import (
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// A group is left out of a roll unless nodes or its warm pool are outdated, or an earlier run has
// left it larger: that is taken back in a roll, too.
func TestNeedsRun(t *testing.T) {
	for name, c := range map[string]struct {
		plan  snapshot.Plan
		needs bool
	}{
		"nothing":                   {snapshot.Plan{}, false},
		"nodes":                     {snapshot.Plan{Nodes: []snapshot.PlannedNode{{Machine: "i-1"}}}, true},
		"a warm pool that stays":    {snapshot.Plan{Warm: []string{"i-1"}}, false},
		"a warm pool alone":         {snapshot.Plan{Warm: []string{"i-1"}, WarmAlone: true}, true},
		"a raise of an earlier run": {snapshot.Plan{Run: record.Run{Inherited: &record.Raise{Desired: 1}}}, true},
	} {
		if got := needsRun(c.plan); got != c.needs {
			t.Errorf("%s: %v", name, got)
		}
	}
}
