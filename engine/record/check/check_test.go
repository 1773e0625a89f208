package check_test

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/check"
)

// A run whose process died before its first phase knew the limit is whole, later it is
// not without one.
func TestWholeWithoutALimit(t *testing.T) {
	r := record.Run{ID: "ng-1", Group: "ng", Provider: "asg", State: record.Running, Phases: []record.Phase{{Name: "setup"}, {Name: "scale up"}}}
	if err := check.Run(&r); err != nil {
		t.Errorf("before the limit is known: %v", err)
	}
	r.Phases[0].End = time.Unix(1, 0)
	if check.Run(&r) == nil {
		t.Error("a limit was lost, and nobody has noticed")
	}
	if r.Limit = 1; check.Run(&r) != nil {
		t.Error(check.Run(&r))
	}
}
