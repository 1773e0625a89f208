package main

import (
	"io"
	"strings"
	"testing"
)

// What makes no sense is refused before anything is asked of the cluster: tests have no
// terminal, so nobody can be asked.
func TestSendRefusesWrongUse(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"approve", "ng"}, "give --yes, or --batch and --hash"},
		{[]string{"abort", "ng"}, "this is not a terminal, so nobody can be asked: give --yes"},
		{[]string{"abort", "ng", "-o", "json"}, "-o json asks nothing"},
		{[]string{"approve", "ng", "--batch", "3"}, "--batch and --hash go together"},
		{[]string{"approve", "ng", "--hash", "abc"}, "--batch and --hash go together"},
		{[]string{"pause", "ng", "--wait", "0s"}, "--wait: 0s is not between 1s and 5m0s"},
		{[]string{"pause", "ng", "--reason", strings.Repeat("x", 501)}, "--reason has 501 characters"},
		{[]string{"pause", "ng", "-o", "yaml"}, "neither text nor json"},
		{[]string{"resume"}, "name a GROUP; drainboard groups lists them"},
		{[]string{"pause", "ng", "--yes"}, "there is no flag --yes"},
		{[]string{"abort", "ng", "--yes", "--control-kubeconfig", "seed.yaml"}, "--control-namespace"},
		{[]string{"pause", "ng", "--control-kubeconfig", "seed.yaml"}, "there is no flag --control-kubeconfig"},
	} {
		root := newRoot(strings.NewReader("y\n"), io.Discard, io.Discard)
		root.SetArgs(append(c.args, "--kubeconfig", "/does/not/exist"))
		err := root.Execute()
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %q", c.args, err, c.says)
		}
	}
}
