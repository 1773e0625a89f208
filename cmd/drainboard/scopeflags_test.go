package main

import (
	"io"
	"strings"
	"testing"
)

// What is for one group is refused before anything is connected to.
func TestNotForSeveralGroups(t *testing.T) {
	for _, c := range [][2]string{
		{"upgrade a b --auto --only n1", "--only cannot be used for several groups"},
		{"upgrade --all --auto --launch-template-version 7", "--launch-template-version cannot be used for several groups"},
		{"upgrade --all --auto --record discard", "--record cannot be used for several groups"},
		{"plan a b --only n1", "--only cannot be used for several groups"},
		{"upgrade a --all --auto", "give either --all or names"},
	} {
		root := newRoot(strings.NewReader(""), io.Discard, io.Discard)
		root.SetArgs(strings.Fields(c[0]))
		if err := root.Execute(); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v", c[0], err)
		}
	}
}
