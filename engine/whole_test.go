package engine

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

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
