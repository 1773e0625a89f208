package main

import (
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
)

// pages are the texts of all documents, by their paths from the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md", ".github/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %q, %v", pattern, files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			path, _ := filepath.Rel(root, file)
			all[filepath.ToSlash(path)] = string(text)
		}
	}
	return all
}

var (
	fenced = regexp.MustCompile("(?s)```.*?```")
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	title  = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// anchors are what links within a page lead to: its headings in lower case, without marks.
func anchors(page string) (all []string) {
	for _, m := range title.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, m[1]))
	}
	return all
}

// TestDocsLinks holds that each link of the documents leads to a file and to a heading of it.
func TestDocsLinks(t *testing.T) {
	all, links := pages(t), 0
	for from, text := range all {
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			to, err := url.Parse(m[1])
			if err != nil {
				t.Errorf("%s: %v", from, err)
				continue
			}
			if to.Scheme != "" {
				continue
			}
			links++
			path := from
			if to.Path != "" {
				path = filepath.ToSlash(filepath.Join(filepath.Dir(from), to.Path))
			}
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("%s links to %s: %v", from, m[1], err)
			} else if to.Fragment != "" && !slices.Contains(anchors(all[path]), to.Fragment) {
				t.Errorf("%s links to %s, and that page has no such heading", from, m[1])
			}
		}
	}
	if links < 30 {
		t.Errorf("only %d links were found", links)
	}
}

// written is a command line in a document's code, up to a comment.
var written = regexp.MustCompile(`(?m)(?:^|[("$ ])drainboard((?: +[^ \n|)"#]+)+)`)

// code are the parts of a page that are code: blocks, and words in backticks.
func code(page string) (parts []string) {
	parts = fenced.FindAllString(page, -1)
	page = fenced.ReplaceAllString(page, "")
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
			parts = append(parts, strings.TrimSpace(line))
			continue
		}
		for i, part := range strings.Split(line, "`") {
			if i%2 == 1 {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// TestDocsCommands holds that each command in the documents exists, with each of its flags.
func TestDocsCommands(t *testing.T) {
	found := 0
	for from, text := range pages(t) {
		for _, part := range code(text) {
			for _, m := range written.FindAllStringSubmatch(part, -1) {
				words := strings.Fields(m[1])
				program := newRoot(nil, io.Discard, io.Discard)
				program.InitDefaultCompletionCmd()
				if strings.HasPrefix(part, "kubectl") || strings.ToUpper(words[0]) == words[0] || strings.HasPrefix(words[0], "[") {
					continue // a namespace, COMMAND, [flags]
				}
				cmd, _, err := program.Find(words)
				if err != nil || cmd == program && !strings.HasPrefix(words[0], "-") {
					t.Errorf("%s: there is no command drainboard %s", from, words[0])
					continue
				}
				found++
				checkFlags(t, from, cmd, words)
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d commands were found", found)
	}
}

// checkFlags holds that a command has the flags of a line.
func checkFlags(t *testing.T, from string, cmd *cobra.Command, words []string) {
	t.Helper()
	cmd.InitDefaultHelpFlag()
	cmd.InheritedFlags()
	for _, word := range words {
		name, isFlag := strings.CutPrefix(strings.Trim(word, "[].,;'"), "--")
		if name, _, _ = strings.Cut(name, "="); isFlag && name != "" && cmd.Flag(name) == nil {
			t.Errorf("%s: %s has no flag --%s (%s)", from, cmd.CommandPath(), name, strings.Join(words, " "))
		}
	}
}
