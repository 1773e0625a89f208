package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// uncaught are the goroutines that may go without live.Caught: file and function, and why.
var uncaught = map[string]string{
	"cmd/drainboard/internal/driver/upgrade.go listening":    "waits for a signal, before the run and any dashboard",
	"cmd/drainboard/internal/console/console.go Answer":      "reads one line, before the run and any dashboard",
	"cmd/drainboard/internal/driver/runhooks.go close":       "waits for a signal, after the run and its dashboard",
	"cmd/drainboard/internal/driver/operator.go headless":    "waits for signals, and there is no dashboard",
	"cmd/drainboard/internal/driver/operator.go interactive": "the loop's own Run catches; the other waits for signals",
	"cmd/drainboard/internal/clitest/terminal.go OpenRaw":    "is for tests, and has no terminal of its own",
	"engine/live/save.go save":                               "waits for one of two ends",
}

// TestGoroutinesAreCaught holds that a fault of ours on a goroutine does not end the
// process with the terminal raw and actions in flight: whatever starts one wraps what
// it does in live.Caught or live.Guarded.
func TestGoroutinesAreCaught(t *testing.T) {
	seen, used := 0, map[string]bool{}
	for _, dir := range []string{"providers", "engine/live", "cmd/drainboard"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			for _, where := range started(t, string(text)) {
				seen++
				key := filepath.ToSlash(name) + " " + where.function
				switch {
				case where.caught:
				case uncaught[key] != "":
					used[key] = true
				default:
					t.Errorf("%s:%d: a goroutine without live.Caught, in %s", name, where.line, where.function)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 20 {
		t.Errorf("only %d goroutines: this test sees nothing", seen)
	}
	for key := range uncaught {
		if !used[key] {
			t.Errorf("%s starts no goroutine that needs its exception", key)
		}
	}
}

// A goroutine that is seen to be started: by go, or by a method Go as a WaitGroup's.
type goroutine struct {
	function string
	line     int
	caught   bool
}

func started(t *testing.T, text string) (out []goroutine) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		function := ""
		if f, ok := d.(*ast.FuncDecl); ok {
			function = f.Name.Name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); !ok || s.Sel.Name != "Go" {
					return true
				}
			default:
				return true
			}
			what := text[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset]
			caught := strings.Contains(what, "Caught(") || strings.Contains(what, "Guarded(")
			out = append(out, goroutine{function, files.Position(n.Pos()).Line, caught})
			return true
		})
	}
	return out
}

// The test above sees all ways to start one.
func TestStarted(t *testing.T) {
	found := started(t, `package p
func f() { go g(); go func() { g() }(); w.Go(func() { g() }); w.Go(g); go live.Guarded(g, nil)() }
var h = func() { w.Go(func() { _ = live.Caught(g) }) }`)
	caught := 0
	for _, g := range found {
		if g.caught {
			caught++
		}
	}
	if len(found) != 6 || caught != 2 {
		t.Errorf("%+v", found)
	}
}
