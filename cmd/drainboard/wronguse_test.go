package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
)

// A dry run plans what the run would be: headless with --auto.
func TestDryRunIsOfTheRunAskedFor(t *testing.T) {
	root := newRoot(strings.NewReader(""), io.Discard, io.Discard)
	root.SetArgs([]string{"upgrade", "a", "--dry-run", "--auto", "--approve", "canary"})
	if err := root.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "--auto never prompts") {
		t.Errorf("planned what could not be run: %v", err)
	}
}

// TestWrongUse runs whole command lines that must end in exit code 2 before
// anything is connected to.
func TestWrongUse(t *testing.T) {
	for _, args := range [][]string{
		{"upgrade"},
		{"upgrade", "a", "b"},
		{"plan", "a", "--nonsense"},
		{"frobnicate"},
		{"groups", "-o", "yaml"},
		{"upgrade", "a", "-o", "json"},
		{"upgrade", "a"}, // not a terminal
		{"upgrade", "a", "--auto", "--provider", "gke"},
		{"upgrade", "a", "--auto", "--strategy", "yolo"},
	} {
		var out, errOut bytes.Buffer
		root := newRoot(strings.NewReader(""), &out, &errOut)
		if code := execute(t.Context(), root, args); code != exitcode.WrongUse {
			t.Errorf("%v: exit code %d, want %d", args, code, exitcode.WrongUse)
		}
	}
}
