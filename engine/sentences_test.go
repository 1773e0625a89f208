package engine_test

import (
	"os"
	"path/filepath"
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
			named, rows := namedScenarios(t, "../docs/"+page.system+"-sentences.md")
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
// reason where it is not, and scenarios that are there.
func TestKopsFacts(t *testing.T) {
	page, err := os.ReadFile("../docs/kops-facts.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, played := 0, 0
	seen := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 6 || strings.Contains(line, "---") || strings.Contains(line, "| scenarios |") {
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
		for name := range strings.SplitSeq(strings.TrimSpace(cells[4]), ", ") {
			if name == "" {
				continue
			}
			played++
			if _, err := os.Stat(filepath.Join("testdata", name+".txt")); err != nil {
				t.Errorf("%s names a scenario %q that is not there", fact, name)
			}
		}
	}
	if rows < 100 || played < 60 {
		t.Errorf("%d facts, %d scenarios", rows, played)
	}
}
