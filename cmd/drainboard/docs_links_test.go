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
				if strings.HasPrefix(part, "kubectl") || strings.ToUpper(words[0]) == words[0] || strings.HasPrefix(words[0], "[") || strings.HasPrefix(words[0], "(") {
					continue // a namespace, COMMAND, [flags], (the strategy of this name)
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

// commandLines are the command lines of drainboard in a page's blocks of code, up to a comment, a
// pipe or a redirection.
func commandLines(page string) (lines []string) {
	page = strings.ReplaceAll(page, "\\\n", " ")
	for _, part := range code(page) {
		for line := range strings.Lines(part) {
			line = strings.TrimSpace(line)
			for _, before := range []string{"- run: ", "$ ", "source <("} {
				line = strings.TrimPrefix(line, before)
			}
			line, isCommand := strings.CutPrefix(line, "drainboard ")
			if !isCommand {
				continue
			}
			for _, end := range []string{" #", " |", " >", " && ", ")", "; ", " <"} {
				line, _, _ = strings.Cut(line, end)
			}
			if !strings.ContainsAny(line, "[…") && !strings.Contains(line, "...") {
				lines = append(lines, strings.Join(strings.Fields(line), " "))
			}
		}
	}
	return lines
}

// placeholders are words of documents, and what stands for them.
var placeholders = strings.NewReplacer("GROUP", "ng-web", "POOL", "web", "RUN", "run-1", "NODE", "n1", "DIRECTORY", "man1", "bash|zsh|fish|powershell", "bash")

// needed is what a command lacks here that is well in all else: a cluster, a journal, a Shoot's
// file, or a cloud.
var needed = regexp.MustCompile(`no kubeconfig: set KUBECONFIG|kubeconfig has no context|no journal of|cannot read the kubeconfig|no such file or directory|AWS does not answer`)

// TestDocsCommandsRun runs each command line of the documents. Those that need no cluster do what
// they are for; the others are taken as they are, up to the cluster that is not there.
func TestDocsCommandsRun(t *testing.T) {
	all, dir := pages(t), t.TempDir()
	t.Chdir(dir)
	for name, value := range map[string]string{
		"HOME": dir, "XDG_CONFIG_HOME": dir, "XDG_STATE_HOME": dir, "XDG_CACHE_HOME": dir, "KUBECONFIG": "", "AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_REGION": "eu-west-1",
		"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_EC2_METADATA_DISABLED": "true", "SLACK_WEBHOOK_URL": "https://hooks.example.com/x", "KOPS_CLUSTER_NAME": "", "KOPS_STATE_STORE": "",
	} {
		t.Setenv(name, value)
	}
	ran := map[string]bool{}
	for from, text := range all {
		if slices.Contains(madePages, from) {
			continue // TestExamples
		}
		for _, line := range commandLines(text) {
			args := shellWords(placeholders.Replace(line))
			name := args[0]
			if _, takes := groupCommands[name]; (takes || name == "report") && len(args) == 1 {
				args = append(args, "ng-web") // a command that is only mentioned
			}
			has := func(flags ...string) bool {
				return slices.ContainsFunc(args, func(a string) bool { return slices.Contains(flags, a) })
			}
			want := 2
			switch {
			case name == "demo":
				if want = 0; !has("--auto") && !has("list") {
					args = append(args, "--auto")
				}
				args = slices.DeleteFunc(append(args, "--speed", "1000"), func(a string) bool { return a == "--tour" }) // it is for a screen
			case name == "version" || name == "completion" || name == "man" || strings.HasPrefix(name, "-") || has("--help"):
				want = 0
			case name == "upgrade" && !has("--auto", "--dry-run") || name == "retire":
				args = append(args, "--plain")
			case name == "watch" && !has("--auto"):
				args = append(args, "--plain")
			case (name == "abort" || name == "approve") && !has("--yes"):
				args = append(args, "--yes")
			}
			if key := strings.Join(args, " "); ran[key] {
				continue
			} else {
				ran[key] = true
			}
			if has("--cloudonly") {
				args = append(args, "--start-timeout", "1s")
			}
			got, out, errOut := called(t.Context(), "", args...)
			if want == 0 && got != 0 || want != 0 && !needed.MatchString(errOut) {
				t.Errorf("%s: drainboard %s: exit code %d\n%s%.300s", from, line, got, errOut, out)
			}
		}
	}
	if len(ran) < 50 {
		t.Errorf("only %d commands were run", len(ran))
	}
}
