package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
)

var rewrite = flag.Bool("rewrite", false, "rewrite what is made from the commands")

// made holds a file to what is made of the commands, or writes it.
func made(t *testing.T, path, want string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the commands say (%v): run this test with -rewrite", path, err)
	}
}

func program() *cobra.Command {
	root := newRoot(strings.NewReader(""), io.Discard, io.Discard)
	for _, cmd := range documented(root) {
		cmd.InitDefaultHelpFlag()
	}
	return root
}

// Each flag is below a heading, each heading's flags exist, and no line is wider than the
// help is to be.
func TestHelp(t *testing.T) {
	root := program()
	used := map[string]bool{}
	for _, cmd := range documented(root) {
		for _, g := range groupedFlags(cmd) {
			if g.heading == otherFlags {
				t.Errorf("%s: %q are in no group of help.go", cmd.CommandPath(), g.flags)
			}
			for _, name := range g.flags {
				used[name] = true
			}
		}
		var help strings.Builder
		writeHelp(&help, cmd)
		for line := range strings.Lines(help.String()) {
			if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > helpWidth {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), utf8.RuneCountInString(line), line)
			}
		}
	}
	for _, g := range flagGroups {
		for _, name := range g.flags {
			if !used[name] {
				t.Errorf("no command has --%s, which is below %s", name, g.heading)
			}
		}
	}
	for name := range examples {
		if name != "" && !slices.ContainsFunc(root.Commands(), func(cmd *cobra.Command) bool { return cmd.Name() == name }) {
			t.Errorf("examples of %s, which is no command", name)
		}
	}
}

// The help of each command, hidden ones and help itself included, has three examples at least, and
// their flags and arguments are taken.
func TestExamples(t *testing.T) {
	names := []string{""}
	for _, cmd := range program().Commands() {
		names = append(names, cmd.Name())
	}
	if !slices.Contains(names, "help") || !slices.Contains(names, "man") {
		t.Errorf("%q", names)
	}
	for _, name := range names {
		code, help, errOut := called(t.Context(), "", append(strings.Fields(name), "--help")...)
		_, part, _ := strings.Cut(help, "\nExamples:\n")
		part, _, _ = strings.Cut(part, "\n\n")
		shown := map[string]bool{}
		for line := range strings.Lines(part) {
			if line = strings.TrimSpace(line); line == "drainboard" || strings.HasPrefix(line, "drainboard ") {
				shown[line] = true
			}
		}
		if code != 0 || len(shown) < 3 {
			t.Errorf("drainboard %s --help: %d, %d examples\n%s%s", name, code, len(shown), errOut, help)
		}
	}
	for _, list := range examples {
		for _, e := range list {
			root := program()
			cmd, args, err := root.Find(shellWords(e.line))
			if err == nil {
				err = cmd.ParseFlags(args)
			}
			if err == nil && cmd.Args != nil {
				err = cmd.Args(cmd, cmd.Flags().Args())
			}
			if err != nil {
				t.Errorf("drainboard %s: %v", e.line, err)
			}
		}
	}
}

// shellWords takes a command line apart; one word may be in single quotes.
func shellWords(line string) []string {
	before, rest, quoted := strings.Cut(line, "'")
	words := strings.Fields(before)
	if quoted {
		words = append(words, strings.TrimSuffix(rest, "'"))
	}
	return words
}

// What was mistyped, or is another program's word, is refused as wrong use, with what was
// meant.
func TestMistyped(t *testing.T) {
	for _, c := range []struct{ line, says string }{
		{"help nosuch", `unknown subcommand "nosuch"; drainboard --help lists them`},
		{"help upgrde", "did you mean upgrade?"},
		{"help upgrade ng-web", `drainboard upgrade has no subcommand "ng-web"`},
		{"upgrde ng-web", "did you mean upgrade?"},
		{"get groups", "did you mean groups?"},
		{"get", "did you mean groups?"},
		{"ls", "did you mean groups?"},
		{"list", "did you mean groups?"},
		{"describe ng-web", "did you mean status?"},
		{"rolling-update cluster", "did you mean upgrade?"},
		{"nosuch", "drainboard --help lists them"},
		{"completion", "name a SHELL: bash, zsh, fish, powershell"},
		{"completion nosuch", `"nosuch" is not one of the shells bash, zsh, fish, powershell`},
		{"completion bash zsh", "one SHELL at a time, not 2"},
		{"man", "name one DIRECTORY"},
	} {
		code, out, errOut := called(t.Context(), "", strings.Fields(c.line)...)
		if code != exitcode.WrongUse || !strings.Contains(errOut, c.says) || out != "" {
			t.Errorf("%s: %d, %s%s", c.line, code, out, errOut)
		}
	}
	for _, line := range []string{"help", "help upgrade", "upgrade --help", "help completion", "completion bash --help", "completion bash", "--version"} {
		if code, out, errOut := called(t.Context(), "", strings.Fields(line)...); code != 0 || out == "" {
			t.Errorf("%s: %d\n%s%s", line, code, out, errOut)
		}
	}
}

// TestReference holds docs/reference/commands.md to the help.
func TestReference(t *testing.T) {
	var page strings.Builder
	page.WriteString("# Commands\n\nWhat `--help` says of each command, flags included. Made by `go test ./cmd/drainboard -run TestReference -rewrite`.\n")
	for _, cmd := range documented(program()) {
		var help bytes.Buffer
		writeHelp(&help, cmd)
		fmt.Fprintf(&page, "\n## %s\n\n```\n%s```\n", cmd.CommandPath(), help.String())
	}
	made(t, root+"/docs/reference/commands.md", page.String())
}

// A manual page is made of each command; no text of it is taken for a request of roff.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	if code, _, errOut := called(t.Context(), "", "man", filepath.Join(dir, "man1")); code != 0 {
		t.Fatal(errOut)
	}
	for _, cmd := range documented(program()) {
		page, err := os.ReadFile(filepath.Join(dir, "man1", strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(page)) {
			if line[0] == '.' && !slices.Contains([]string{".TH", ".SH", ".TP", ".B", ".nf", ".fi"}, strings.TrimSpace(strings.SplitN(line, " ", 2)[0])) || line[0] == '\'' {
				t.Errorf("%s: %s", cmd.CommandPath(), line)
			}
		}
		if !strings.Contains(string(page), ".SH EXAMPLES\n") || !strings.Contains(string(page), `\-\-help`) {
			t.Errorf("%s: it has no examples or no flags:\n%s", cmd.CommandPath(), page)
		}
	}
}
