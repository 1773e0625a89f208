package main

import (
	"io"
	"strings"
	"testing"
)

// A user who leaves out or mistypes a word is told what belongs there.
func TestMissingAndMistypedWords(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"plan", "name a GROUP, or give --all (drainboard groups lists them)"},
		{"upgrade", "name a GROUP, or give --all (drainboard groups lists them)"},
		{"abort a b", "one GROUP at a time, not 2"},
		{"report", "name a RUN, or a GROUP"},
		{"upgrad ng-web", `unknown subcommand "upgrad"; did you mean upgrade?`},
		{"xyzzy", `unknown subcommand "xyzzy"; drainboard --help lists them`},
	} {
		root := newRoot(strings.NewReader(""), io.Discard, io.Discard)
		root.SetArgs(strings.Fields(c.args))
		if err := root.Execute(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.args, err, c.says)
		}
	}
}
