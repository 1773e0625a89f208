package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every sentence in docs/eks-sentences.md names scenarios that are there, and every
// scenario of EKS is named by a sentence.
func TestSentences(t *testing.T) {
	page, err := os.ReadFile("../docs/eks-sentences.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	rows := 0
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
	if rows < 40 {
		t.Errorf("%d sentences were read: the table has more", rows)
	}
	files, err := filepath.Glob("testdata/eks_*.txt")
	if err != nil {
		t.Fatal(err)
	}
	beyond := map[string]bool{ // what Drainboard adds to EKS's sentences
		"eks_foreign_lowering": true, "eks_foreign_raise_midway": true, "eks_nothing_outdated": true,
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".txt"); !named[name] && !beyond[name] {
			t.Errorf("no sentence names the scenario %s", name)
		}
	}
}
