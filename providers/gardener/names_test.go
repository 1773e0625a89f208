package gardener

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/providers/gardener/names"
)

// Every name by which a field of a Machine, a machine set or a machine deployment is read or
// written is one of Gardener's API.
func TestNamesReadAreGardeners(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	known := func(at token.Position, name string) {
		checked++
		if !names.Has(name) && !slices.Contains([]string{"annotations", "labels", "topology.kubernetes.io/zone"}, name) {
			t.Errorf("%s: Gardener's API has no %q", at, name)
		}
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				called, _ := n.Fun.(*ast.Ident)
				if called == nil || !slices.Contains([]string{"textAt", "at", "number", "truth", "within", "entries", "share", "duration"}, called.Name) {
					return true
				}
				for _, arg := range n.Args {
					if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						name, _ := strconv.Unquote(lit.Value)
						known(set.Position(lit.Pos()), name)
					}
				}
			case *ast.CompositeLit: // {"drainTimeout", &l.Drain}, map[string]any{"spec": ...}
				for _, e := range n.Elts {
					key := e
					if kv, ok := e.(*ast.KeyValueExpr); ok {
						key = kv.Key
					}
					if lit, ok := key.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.HasSuffix(lit.Value, `Timeout"`) || ok && isObject(n) {
						name, _ := strconv.Unquote(lit.Value)
						known(set.Position(lit.Pos()), name)
					}
				}
			}
			return true
		})
	}
	if checked < 40 {
		t.Errorf("%d names were looked at", checked)
	}
	t.Logf("%d names", checked)
}

// isObject reports whether a literal is an object as the API has it.
func isObject(n *ast.CompositeLit) bool {
	m, ok := n.Type.(*ast.MapType)
	if !ok {
		return false
	}
	value, ok := m.Value.(*ast.Ident)
	return ok && value.Name == "any"
}
