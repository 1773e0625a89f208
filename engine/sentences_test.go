package engine_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Every sentence in the pages of sentences names scenarios that are there, and every
// scenario of a system is named by a sentence of its page.
func TestSentences(t *testing.T) {
	for _, page := range []struct {
		system string
		rows   int             // at least
		beyond map[string]bool // what Drainboard adds and no sentence speaks of
	}{
		{"eks", 40, map[string]bool{"eks_foreign_lowering": true, "eks_foreign_raise_midway": true, "eks_nothing_outdated": true}},
		{"kops", 40, nil},
		{"gardener", 20, nil},
	} {
		t.Run(page.system, func(t *testing.T) {
			named, rows := namedScenarios(t, "../docs/internals/"+page.system+"-sentences.md")
			if rows < page.rows {
				t.Errorf("%d sentences were read: the table has more", rows)
			}
			files, err := filepath.Glob("testdata/" + page.system + "_*.txt")
			if err != nil || len(files) == 0 {
				t.Fatalf("%d scenarios: %v", len(files), err)
			}
			for _, f := range files {
				if name := strings.TrimSuffix(filepath.Base(f), ".txt"); !named[name] && !page.beyond[name] {
					t.Errorf("no sentence names the scenario %s", name)
				}
			}
		})
	}
}

// namedScenarios are the scenarios that the rows of a page name. Each has to be there.
func namedScenarios(t *testing.T, file string) (named map[string]bool, rows int) {
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	named = map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 2 || strings.Contains(line, "---") || strings.Contains(line, "| scenarios |") {
			continue
		}
		rows++
		for _, name := range strings.Split(cells[1], ",") {
			name = strings.TrimSpace(name)
			named[name] = true
			if _, err := os.Stat(filepath.Join("testdata", name+".txt")); err != nil {
				t.Errorf("%q names a scenario %q that is not there", strings.TrimSpace(cells[0]), name)
			}
		}
	}
	return named, rows
}

// The table of facts on kops has a case, kops's function, whether it is the same here, with the
// reason where it is not, and scenarios and tests that are there.
func TestKopsFacts(t *testing.T) {
	page, err := os.ReadFile("../docs/internals/kops-facts.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := testsByName(t, ".", "roll", "validation", "strategy", "../providers/asg", "../providers/kops", "../providers/kube", "../providers/kube/objects", "../cmd/drainboard", "../cmd/drainboard/internal/flags")
	rows, held := 0, 0
	seen := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 6 || strings.Contains(line, "---") || strings.Contains(line, "| held by |") {
			if strings.HasPrefix(line, "|") && len(cells) != 6 {
				t.Errorf("no row of the table: %s", line)
			}
			continue
		}
		rows++
		fact, function, here := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3])
		if why, differs := strings.CutPrefix(here, "different: "); here != "same" && (!differs || why == "") {
			t.Errorf("%s: %q is neither same nor different with a reason", fact, here)
		}
		if file, name, _ := strings.Cut(function, " "); !strings.HasSuffix(file, ".go") || name == "" || seen[fact] {
			t.Errorf("%s: %q names no function, or the case is there twice", fact, function)
		}
		seen[fact] = true
		by := strings.TrimSpace(cells[4])
		if by == "" {
			continue
		}
		held++
		for strings.HasPrefix(by, "kops_") || strings.HasPrefix(by, "rival_") {
			name, rest, _ := strings.Cut(by, ", ")
			if _, err := os.Stat(filepath.Join("testdata", name+".txt")); err != nil {
				t.Errorf("%s names a scenario %q that is not there", fact, name)
			}
			by = rest
		}
		name, test, _ := strings.Cut(by, "/") // a case is of the last test, and may have commas
		names := strings.Split(name, ", ")
		for i, name := range names {
			if by != "" && (tests[name] == "" || i == len(names)-1 && test != "" && !strings.Contains(tests[name], strconv.Quote(test))) {
				t.Errorf("%s names a test %q with the case %q that is not there", fact, name, test)
			}
		}
	}
	if rows < 140 || held < rows*9/10 {
		t.Errorf("%d facts, %d of them held", rows, held)
	}
}

// testsByName are the texts of the tests in some folders, by their names.
func testsByName(t *testing.T, folders ...string) map[string]string {
	t.Helper()
	tests := map[string]string{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no tests: %v", folder, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, test := range strings.Split(string(text), "\nfunc ")[1:] {
				if name, _, found := strings.Cut(test, "(t *testing.T)"); found && strings.HasPrefix(name, "Test") {
					tests[name] += test
				}
			}
		}
	}
	return tests
}
