package main

import (
	"strings"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
)

// Without a terminal a watch is one in lines, by itself and when told to.
func TestAWatchWithoutATerminal(t *testing.T) {
	for _, args := range [][]string{{"watch", "ng-web"}, {"watch", "--plain"}} {
		out, code := call(append(args, "--kubeconfig", "/nonexistent")...)
		if code != exitcode.WrongUse || strings.Contains(out, "terminal") || strings.Contains(out, "unknown") {
			t.Errorf("%v: exit code %d\n%s", args, code, out)
		}
	}
}
