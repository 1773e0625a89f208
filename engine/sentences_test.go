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
