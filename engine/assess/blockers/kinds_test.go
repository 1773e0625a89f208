package blockers_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/drainboard/drainboard/engine/assess/blockers"
)

// Kinds has every constant of its type: metrics count what it lists.
func TestKindsAreAll(t *testing.T) {
	source, err := os.ReadFile("blockers.go")
	if err != nil {
		t.Fatal(err)
	}
	named := map[blockers.BlockerKind]bool{}
	for _, m := range regexp.MustCompile(`BlockerKind += "(.+)"`).FindAllSubmatch(source, -1) {
		named[blockers.BlockerKind(m[1])] = true
	}
	for _, kind := range blockers.Kinds {
		delete(named, kind)
	}
	if len(blockers.Kinds) < 11 || len(named) > 0 {
		t.Errorf("%d kinds are listed, and not %v", len(blockers.Kinds), named)
	}
}
