package record

import (
	"os"
	"regexp"
	"testing"

	"github.com/drainboard/drainboard/engine/world"
)

// Each kind of action is described, once and whole: the constants say which there are.
func TestKindsAreWhole(t *testing.T) {
	source, err := os.ReadFile("action.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`ActionKind = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(named) < 15 || len(named) != len(Kinds) {
		t.Fatalf("%d constants, %d described", len(named), len(Kinds))
	}
	for _, name := range named {
		a := Action{Kind: ActionKind(name[1]), Key: "k"}
		k := KindOf(a.Kind)
		switch {
		case k.Means == "":
			t.Errorf("%s is not described", a.Kind)
		case a.Kind != CheckEffect && (k.Place == "" || k.Rights == nil && k.Place != OnThisMachine):
			t.Errorf("%s: where is it carried out, and by what right?", a.Kind)
		case k.ReadOnly == (k.Needs != nil) && k.Place != OnThisMachine:
			t.Errorf("%s changes something, and needs to know nothing", a.Kind)
		case k.Undo != "" && (k.on == nil || KindOf(k.Undo).Undo != ""):
			t.Errorf("%s is undone by %s", a.Kind, k.Undo)
		}
		if err := a.Check(); (err == nil) != (len(k.requires) == 0) {
			t.Errorf("an empty %s: %v", a.Kind, err)
		}
		full := Action{Kind: a.Kind, Key: "k", Taint: &world.Taint{}, Label: "l", Annotation: "n", Template: &world.Template{}, Image: "ami-1", Sizes: &world.Sizes{}, From: &world.Sizes{},
			Process: "Launch", Zone: "z", Token: "t", UID: "u", Pod: "p", Order: "o", Machine: "i-1", Group: "g", Limit: 1, Object: "m", Replicas: 2, FromReplicas: 1, Pace: &world.Pace{}, FromPace: &world.Pace{}, Update: &UpdateRequest{}, FromConfig: &world.UpdateConfig{}, Of: &Action{Kind: Cordon}}
		if err := full.Check(); err != nil || full.Sentence() == "" {
			t.Errorf("%s: %v", a.Kind, err)
		}
	}
	if a := (Action{Kind: "odd", Key: "k"}); a.Check() == nil || a.Place() != "" {
		t.Error("an action that does not exist passes")
	}
	nested := Action{Kind: CheckEffect, Key: "k", Of: &Action{Kind: SetSizes}}
	if nested.Check() == nil {
		t.Error("a check of an action without its sizes passes")
	}
}
