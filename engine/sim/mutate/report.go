package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// change is a mutation in one line.
func (m *site) change() string {
	short := func(s string) string {
		s = strings.Join(strings.Fields(s), " ")
		if runes := []rune(s); len(runes) > 80 {
			s = string(runes[:79]) + "…"
		}
		return s
	}
	if m.After == "" {
		return "`" + short(m.Before) + "` dropped"
	}
	return "`" + short(m.Before) + "` → `" + short(m.After) + "`"
}

// by is who found a mutation.
func (v *verdict) by() string {
	var who []string
	for _, f := range []struct{ found, name string }{{v.Scenarios, "scenarios"}, {v.Random, "random play"}, {v.Units, "unit tests"}} {
		if f.found != "" {
			who = append(who, f.name)
		}
	}
	if who == nil {
		return "nobody"
	}
	return strings.Join(who, ", ")
}

// report writes the table, the sums, and the survivors.
func report(w io.Writer, all []verdict) {
	fmt.Fprintln(w, "| site | kind | mutation | found by |\n|---|---|---|---|")
	for _, v := range all {
		fmt.Fprintf(w, "| %s:%d %s | %s | %s | %s |\n", v.File, v.Line, v.Func, v.Kind, strings.ReplaceAll(v.change(), "|", "\\|"), v.by())
	}
	sum := func(title string, of []verdict) {
		var random, scenarios, both, units int
		for _, v := range of {
			random += one(v.Random != "")
			scenarios += one(v.Scenarios != "")
			both += one(v.Random != "" || v.Scenarios != "")
			units += one(v.Random != "" || v.Scenarios != "" || v.Units != "")
		}
		n := max(1, len(of))
		fmt.Fprintf(w, "%-12s %3d mutations: random play finds %d (%.0f %%), scenarios %d (%.0f %%), both together %d (%.0f %%), with unit tests %d (%.0f %%)\n",
			title, len(of), random, percent(random, n), scenarios, percent(scenarios, n), both, percent(both, n), units, percent(units, n))
	}
	fmt.Fprintln(w)
	for _, k := range kinds {
		var of []verdict
		for _, v := range all {
			if v.Kind == k {
				of = append(of, v)
			}
		}
		sum(string(k), of)
	}
	sum("all", all)
	for _, part := range []struct {
		title string
		in    func(verdict) bool
	}{
		{"Found by nobody", func(v verdict) bool { return v.Random == "" && v.Scenarios == "" && v.Units == "" }},
		{"Found by unit tests only", func(v verdict) bool { return v.Random == "" && v.Scenarios == "" && v.Units != "" }},
		{"Not found by random play", func(v verdict) bool { return v.Random == "" && v.Scenarios != "" }},
	} {
		fmt.Fprintf(w, "\n%s:\n", part.title)
		for _, v := range all {
			if part.in(v) {
				fmt.Fprintf(w, "- %s in %s: %s\n", v.id(), v.Func, v.change())
			}
		}
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(of) }

// census says how many sites there are, and how many are never drawn.
func census(all []*site) string {
	count := map[string]int{}
	for _, m := range all {
		count[m.excluded]++
	}
	return fmt.Sprintf("%d sites, and %d that only word something, %d that no decision can come through", count[""], count["text"], count["display"])
}

// treeHash is the state of everything that the tests are built from and read.
func treeHash(root string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(filepath.Join(root, "engine"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == "mutate" {
				return filepath.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		fmt.Fprintf(h, "%s %d\n%s", filepath.ToSlash(name), len(text), text)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), err
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
