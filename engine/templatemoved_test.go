package engine_test

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/movers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// A template that is not the run's target is one that another user has set, while the run rolls. An
// aborted run has set the one of before again, and retires its surplus beside it.
func TestTemplateOfAnAbort(t *testing.T) {
	now := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	w := world.New()
	before, target := world.Template{ID: "lt-0d5c1f6a9b3e7a210", Version: 1}, world.Template{ID: "lt-0d5c1f6a9b3e7a210", Version: 2}
	w.Group = world.Group{Name: "ng-web", Template: before}
	w.Health[world.Cloud] = world.Health{Fresh: now}
	r := record.Run{Settings: strategy.EKS{}.Defaults(), Target: record.Target{Templates: []world.Template{target}}, BaseTemplate: before}
	for phase, want := range map[string]bool{"upgrade": true, record.PhaseRetire: false} {
		r.Phases = []record.Phase{{Name: "setup", Start: now, End: now}, {Name: phase, Start: now}}
		s := assess.NewReader(strategy.EKS{}, now, w, r)
		told := false
		for _, m := range movers.OfGroup(&s) {
			told = told || m.Kind == record.ExternalTemplate
		}
		if told != want {
			t.Errorf("in the phase %s a template of another user is told: %t", phase, told)
		}
	}
}
