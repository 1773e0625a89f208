package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ownFields are the fields in which a Reader ownFields what it worked out.
var ownFields = []string{"wake", "evicted", "kept", "theirs", "judged"}

// TestReaderReads holds that nothing that takes a Reader changes the run or the world that it
// reads, neither in the packages of what reads nor here or in the strategies: no assignment and no
// delete through it, but for what it ownFields for itself.
func TestReaderReads(t *testing.T) {
	var files []string
	for _, dir := range []string{".", "assess", "assess/*", "snapshot", "strategy"} {
		found, err := filepath.Glob(dir + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	readers := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			for _, name := range readersOf(f) {
				readers++
				for _, n := range changesThrough(name, f.Body) {
					t.Errorf("%s: %s changes what it is to read", fset.Position(n.Pos()), f.Name.Name)
				}
			}
		}
	}
	if readers < 200 {
		t.Errorf("only %d functions that take a Reader were found", readers)
	}
}

// readersOf names the receiver and the parameters of a function that are Readers.
func readersOf(f *ast.FuncDecl) (names []string) {
	fields := f.Type.Params.List
	if f.Recv != nil {
		fields = slices.Concat(f.Recv.List, fields)
	}
	for _, field := range fields {
		ptr, ok := field.Type.(*ast.StarExpr)
		if !ok {
			continue
		}
		typ := ptr.X
		if sel, ok := typ.(*ast.SelectorExpr); ok {
			typ = sel.Sel
		}
		if id, ok := typ.(*ast.Ident); ok && id.Name == "Reader" {
			for _, name := range field.Names {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

// changesThrough lists what changes something that is reached through a variable.
func changesThrough(name string, body ast.Node) (found []ast.Node) {
	reaches := func(e ast.Expr) bool { return reachesThrough(name, e) }
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE && slices.ContainsFunc(n.Lhs, reaches) {
				found = append(found, n)
			}
		case *ast.IncDecStmt:
			if reaches(n.X) {
				found = append(found, n)
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "delete" || id.Name == "clear") && reaches(n.Args[0]) {
				found = append(found, n)
			}
		}
		return true
	})
	return found
}

// reachesThrough reports whether an expression is a part of the run or the world of a Reader.
func reachesThrough(name string, e ast.Expr) bool {
	first := ""
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			first, e = x.Sel.Name, x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			return x.Name == name && first != "" && !slices.Contains(ownFields, first)
		default:
			return false
		}
	}
}
