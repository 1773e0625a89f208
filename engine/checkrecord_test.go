package engine

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// A run whose process died before its first phase knew the limit is whole, later it is
// not without one.
func TestWholeWithoutALimit(t *testing.T) {
	r := Run{ID: "ng-1", Group: "ng", Provider: "asg", State: Running, Phases: []Phase{{Name: "setup"}, {Name: "scale up"}}}
	if err := r.Check(); err != nil {
		t.Errorf("before the limit is known: %v", err)
	}
	r.Phases[0].End = time.Unix(1, 0)
	if r.Check() == nil {
		t.Error("a limit was lost, and nobody has noticed")
	}
	if r.Limit = 1; r.Check() != nil {
		t.Error(r.Check())
	}
}

// Stages has every stage that there is, once.
func TestStagesAreAll(t *testing.T) {
	source, err := os.ReadFile("run.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(` Stage = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(named) != len(Stages) || len(named) < 10 {
		t.Errorf("run.go has %d stages, the list %d", len(named), len(Stages))
	}
	for _, stage := range named {
		if !slices.Contains(Stages, Stage(stage[1])) {
			t.Errorf("the list lacks %q", stage[1])
		}
	}
}

// Every kind of action that there is may be pending in a record.
func TestWholeKnowsEveryAction(t *testing.T) {
	source, err := os.ReadFile("action.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`ActionKind = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(kinds) < 15 {
		t.Fatalf("found %d kinds of actions", len(kinds))
	}
	for _, kind := range kinds {
		a := Action{Kind: ActionKind(kind[1]), Key: "k"}
		if err := a.whole(); err != nil && strings.Contains(err.Error(), "there is no action") {
			t.Error(err)
		}
	}
	if a := (Action{Kind: "odd", Key: "k"}); a.whole() == nil {
		t.Error("an action that does not exist is whole")
	}
}
