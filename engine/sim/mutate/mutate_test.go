package main

import (
	"go/ast"
	"go/importer"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sample is a file with sites of every kind, and with code that is left alone.
const sample = `package sample

import "fmt"

func decide(a, b int, ready bool) int {
	if a < b && ready {
		a = b - 1
		return a
	}
	note(a, b)
	return max(a, b)
}

func why(a int) string {
	if a > 1 {
		return "many"
	}
	return "few"
}

func gate(a int) string {
	if a > 1 {
		return "shut"
	}
	return ""
}

func note(a, b int) { word = fmt.Sprint(a, b) }

var word string

func way(a int) (what, command string) { return fmt.Sprint(a), fmt.Sprint(a+1) }

func any(of ...int) bool { return any(1, 2) }

func shown(a int) int { return a - 1 }
`

// sites lists those of the sample.
func sites(t *testing.T) (*loader, []*site) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sample.go"), []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	l := &loader{root: dir, fset: token.NewFileSet(), exports: exports(t, "fmt")}
	l.imports = importer.ForCompiler(l.fset, "gc", l.open)
	s, err := l.source(listed{ImportPath: module + "/sample", Dir: dir, GoFiles: []string{"sample.go"}})
	if err != nil {
		t.Fatal(err)
	}
	decides := map[ast.Decl]bool{}
	for _, d := range s.files[0].syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			decides[d] = fn.Name.Name != "shown"
		}
	}
	return l, sitesOf(l, s, decides)
}

// exports are the files with what a package, and those that it imports, export. The go command
// knows them: a test built with -trimpath does not know where Go is.
func exports(t *testing.T, path string) map[string]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for l := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(l), " ")
		files[name] = file
	}
	return files
}

func TestSites(t *testing.T) {
	_, all := sites(t)
	var got []string
	for _, m := range all {
		if m.excluded == "" {
			got = append(got, string(m.Kind)+" "+m.change())
		} else if want := map[string]string{"why": "text", "way": "text", "note": "text", "shown": "display"}[m.Func]; m.excluded != want {
			t.Errorf("%s in %s is left out as %s", m.change(), m.Func, m.excluded)
		}
	}
	want := []string{
		"negate `a < b && ready` → `!(a < b && ready)`", "operand `a < b && ready` → `a < b`", "operand `a < b && ready` → `ready`", "boundary `a < b` → `a <= b`",
		"statement `a = b - 1` dropped", "return `return a` dropped", "swap `b - 1` → `(1) - (b)`", "number `1` → `2`",
		"statement `note(a, b)` dropped", "statement `word = fmt.Sprint(a, b)` dropped", "swap `a, b` → `b, a`", "swap `max(a, b)` → `min(a, b)`",
		"negate `a > 1` → `!(a > 1)`", "boundary `a > 1` → `a >= 1`", "number `1` → `2`", "return `return \"shut\"` dropped",
		"negate `any(1, 2)` → `!(any(1, 2))`", "number `1` → `2`", "number `2` → `3`",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What does not compile is not drawn, and the same seed draws the same.
func TestDrawn(t *testing.T) {
	l, all := sites(t)
	var before []string
	for range 2 {
		list, _ := drawn(l, newDeck(all, 7), 6)
		var ids []string
		for _, m := range list {
			if !l.compiles(m.of, m.in, m) || m.excluded != "" {
				t.Errorf("%s was drawn", m.id())
			}
			ids = append(ids, m.id())
		}
		if before != nil && !slices.Equal(ids, before) {
			t.Errorf("%v, and then %v", before, ids)
		}
		before = ids
	}
	if len(before) != 6 {
		t.Errorf("%d were drawn, not 6", len(before))
	}
	for _, m := range all {
		if m.Before == "return a" && !strings.Contains(string(m.mutated(m.in.text)), "a = b - 1\n\t\t\n\t}") {
			t.Errorf("the mutated file is\n%s", m.mutated(m.in.text))
		}
	}
}

// Mutations that are built together compile with their switches; those that overlap are
// built apart.
func TestBatches(t *testing.T) {
	l, all := sites(t)
	list, _ := drawn(l, newDeck(all, 1), 100)
	count := 0
	for _, b := range batches(l, list) {
		if b.alone {
			t.Errorf("%s cannot be switched", b.sites[0].id())
		}
		if !l.switches(b) {
			t.Errorf("these do not compile together:\n%s", b.overlay()["sample.go"])
		}
		for i, m := range b.sites {
			count++
			for _, o := range b.sites[:i] {
				if o.Start < m.End && m.Start < o.End {
					t.Errorf("%s overlaps %s", o.change(), m.change())
				}
			}
		}
	}
	if count != len(list) || count < 15 {
		t.Errorf("%d of %d drawn are built", count, len(list))
	}
}

func TestFirstWords(t *testing.T) {
	for out, want := range map[string]string{
		"--- FAIL: TestRandom (1s)\n    random_test.go:1: plays seeds 1 to 9\n    random_test.go:9: seed 3: rule 1: x\n": "TestRandom random_test.go:9: seed 3: rule 1: x",
		"panic: runtime error\n\ngoroutine 1": "panic: runtime error",
		"":                                    "it ended without a word",
	} {
		if got := firstWords(out); got != want {
			t.Errorf("%q: got %q, want %q", out, got, want)
		}
	}
}

// TestSuitesAreThoseOfCrashTest holds that every random suite that make crash-test plays is played with the mutations.
func TestSuitesAreThoseOfCrashTest(t *testing.T) {
	makefile, err := os.ReadFile("../../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, recipe, _ := strings.Cut(string(makefile), "\ncrash-test: ##")
	names, plays := map[string]bool{}, regexp.MustCompile(`-run '(\^Test\(.*\))\$\$'`).FindAllStringSubmatch(recipe, -1)
	for i, dir := range []string{"../play", "../../live"} {
		pattern := regexp.MustCompile(plays[i][1] + "$")
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, declared := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
				if pattern.MatchString(declared[1]) {
					names[declared[1]] = true
				}
			}
		}
	}
	played := newSuites(600)
	for _, s := range slices.Concat(played.soon, played.random) {
		delete(names, s.name)
	}
	if len(names) > 0 {
		t.Errorf("of the suites of crash-test these are not played: %v", slices.Sorted(maps.Keys(names)))
	}
}
