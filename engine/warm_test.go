package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// After the template was set back, warm machines of the run's template go, though
// the world shows the group with that still.
func TestEndWarmAfterTheTemplateIsSetBack(t *testing.T) {
	now := time.Unix(100, 0)
	old, made, other := world.Template{ID: "lt", Version: 1}, world.Template{ID: "lt", Version: 2}, world.Template{ID: "arm", Version: 7}
	w := world.New()
	w.Group = world.Group{Name: "g", Template: made, Overrides: []world.Template{other}, Warm: []world.Machine{
		{ID: "i-old", Template: old}, {ID: "i-new", Template: made}, {ID: "i-arm", Template: other}, {ID: "i-going", Template: made, State: world.MachineTerminating},
	}}
	w.Health[world.Cloud] = world.Health{Fresh: now}
	r := record.Run{Group: "g", Pending: map[string]record.Pending{}, Retries: map[string]record.Retry{}}
	asked := func(accepted time.Time) []string {
		r.Pending[record.RestoreTemplate] = record.Pending{Action: record.Action{Kind: record.SetTemplate, Key: record.RestoreTemplate, Template: &old}, Asked: now, Accepted: accepted, Expires: now.Add(time.Minute)}
		s := newStep(noRules{}, now, w, r)
		s.EndWarm(s.Launches())
		var ids []string
		for _, a := range s.actions {
			ids = append(ids, a.Machine)
		}
		return ids
	}
	if got := asked(now); !slices.Equal(got, []string{"i-new"}) {
		t.Errorf("set back: ends %v, want i-new", got)
	}
	if got := asked(time.Time{}); !slices.Equal(got, []string{"i-old"}) {
		t.Errorf("not known to be set back: ends %v, want i-old", got)
	}
}
