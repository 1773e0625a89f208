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
		{[]string{"abort", "ng"}, "not a terminal, so no prompt is possible: give --yes"},
		{[]string{"abort", "ng", "-o", "json"}, "-o json and -o yaml do not prompt"},
		{[]string{"approve", "ng", "--batch", "3"}, "--batch and --hash must be given together"},
		{[]string{"approve", "ng", "--hash", "abc"}, "--batch and --hash must be given together"},
		{[]string{"pause", "ng", "--wait", "0s"}, "--wait: 0s is out of range: 1s to 5m0s"},
		{[]string{"pause", "ng", "--reason", strings.Repeat("x", 501)}, "--reason: 501 characters"},
		{[]string{"pause", "ng", "-o", "xml"}, "not one of text, json, yaml"},
		{[]string{"resume"}, "name a GROUP (drainboard groups lists them)"},
		{[]string{"pause", "ng", "--yes"}, "drainboard pause has no flag --yes"},
		{[]string{"abort", "ng", "--yes", "--control-kubeconfig", "seed.yaml"}, "--control-namespace"},
		{[]string{"pause", "ng", "--control-kubeconfig", "seed.yaml"}, "drainboard pause has no flag --control-kubeconfig"},
	} {
		root := newRoot(strings.NewReader("y\n"), io.Discard, io.Discard)
		root.SetArgs(append(c.args, "--kubeconfig", "/does/not/exist"))
		err := root.Execute()
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %q", c.args, err, c.says)
		}
	}
}
