package shards_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// What Peek points to is shared by all versions of a map: everywhere it is read at once, one field of it, and
// nothing is written to it.
func TestPeekOnlyReads(t *testing.T) {
	files, found := token.NewFileSet(), 0
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(f.Name.Name, "_test") || f.Name.Name == "shards_test" {
			found += peeks(t, files, f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 50 {
		t.Errorf("only %d places were found", found)
	}
}

// peeks checks the places of a file.
func peeks(t *testing.T, files *token.FileSet, f *ast.File) (found int) {
	reads := map[ast.Node]bool{} // Peek(k) whose field is read
	written := map[ast.Expr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				written[to] = true
			}
		case *ast.IncDecStmt:
			written[n.X] = true
		case *ast.UnaryExpr:
			written[n.X] = written[n.X] || n.Op == token.AND
		case *ast.SelectorExpr:
			if written[n] {
				written[n.X] = true
			} else {
				reads[n.X] = true
			}
		case *ast.IndexExpr:
			written[n.X] = written[n.X] || written[n]
		case *ast.CallExpr:
			if !isPeek(n) {
				break
			}
			if found++; !reads[n] {
				t.Errorf("%s: what Peek points to is kept, or written to", files.Position(n.Pos()))
			}
		}
		return true
	})
	return found
}

// isPeek reports whether a call is that of a map of a run: other types have a Peek, too.
func isPeek(call *ast.CallExpr) bool {
	is, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || is.Sel.Name != "Peek" {
		return false
	}
	switch of := is.X.(type) {
	case *ast.SelectorExpr:
		return of.Sel.Name == "Nodes" || of.Sel.Name == "Pods"
	case *ast.Ident:
		return of.Name == "nodes" || of.Name == "pods"
	}
	return false
}
