package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
)

// Reasons that the program has are words without blanks for programs, and each that has another
// word here is still one.
func TestReasonsAreWords(t *testing.T) {
	has := map[string]bool{}
	for _, top := range []string{"..", "../../providers", "../../cmd"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				for _, reason := range reasonsIn(n) {
					has[reason] = true
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(has) < 60 {
		t.Errorf("only %d reasons were found", len(has))
	}
	for reason := range has {
		if got := Reason(reason); strings.Contains(got, " ") {
			t.Errorf("the reason %q is no word", got)
		}
	}
	for reason := range reasons {
		if !has[reason] {
			t.Errorf("nothing has the reason %q", reason)
		}
	}
	for reason := range apart {
		if !has[reason] {
			t.Errorf("nothing has the reason %q", reason)
		}
	}
	if got := Reason("the shop is quiet"); got != "the shop is quiet" {
		t.Errorf("what a user said is %q", got)
	}
	if got := EventOf(record.Event{Reason: "rival"}).Reason; got != "external-mover" {
		t.Errorf("an event has the reason %q", got)
	}
}

// typed are the types whose constants are reasons.
var typed = []string{"BlockerKind", "Refusal", "Result"}

// reasonsIn are the reasons that a piece of source has: of an event, of a constant, and of what
// is told as a warning.
func reasonsIn(n ast.Node) (out []string) {
	add := func(e ast.Expr) {
		if lit, is := e.(*ast.BasicLit); is && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && text != "" {
				out = append(out, text)
			}
		}
	}
	switch n := n.(type) {
	case *ast.File:
		if n.Name.Name == "roll" { // the state of a group is the reason of its event
			ast.Inspect(n, func(n ast.Node) bool {
				if v, is := n.(*ast.ValueSpec); is && len(v.Values) == 1 && name(v.Type) == "State" {
					add(v.Values[0])
				}
				return true
			})
		}
	case *ast.CompositeLit:
		if name(n.Type) != "Event" {
			return nil
		}
		for _, e := range n.Elts {
			if kv, is := e.(*ast.KeyValueExpr); is && name(kv.Key) == "Reason" {
				add(kv.Value)
			}
		}
	case *ast.ValueSpec:
		if len(n.Values) == 1 && (slices.Contains(typed, name(n.Type)) || strings.HasPrefix(strings.ToLower(n.Names[0].Name), "reason")) {
			add(n.Values[0])
		}
	case *ast.CallExpr:
		switch f := name(n.Fun); {
		case f == "warn" && len(n.Args) == 2:
			add(n.Args[0])
		case (f == "warn" || f == "tell") && len(n.Args) == 3:
			add(n.Args[1])
		}
	}
	return out
}

// name is the last part of an expression that names something.
func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
