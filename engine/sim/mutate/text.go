package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// What only words something is not mutated: neither a rule nor what a run does can depend on
// how it is worded. That is
//
//   - a file whose name ends in text.go;
//   - package engine/text, which has the sentences, but for its functions that may say nothing;
//   - a function that returns nothing but strings, none of which can be the empty one: the
//     engine decides on reasons by whether there is one, so nobody can decide on these;
//   - an argument of package fmt or errors, a concatenation of strings, and the Message of an
//     event.

// onlyText reports whether a function only words something.
func onlyText(s *source, f *file, fn *ast.FuncDecl) bool {
	if strings.HasPrefix(f.name, "engine/text/") {
		return !saysNothing(fn)
	}
	if strings.HasSuffix(f.name, "text.go") || fn.Name.Name == "String" || fn.Name.Name == "Error" {
		return true
	}
	if fn.Type.Results == nil {
		return false
	}
	for _, r := range fn.Type.Results.List {
		if !isText(s.info.Types[r.Type].Type) {
			return false
		}
	}
	anyWorded, anyEmpty := false, false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			anyEmpty = anyEmpty || len(n.Results) == 0 // it cannot be told
			for _, r := range n.Results {
				worded, empty := wording(r)
				anyWorded, anyEmpty = anyWorded || worded, anyEmpty || empty
			}
		}
		return true
	})
	return anyWorded && !anyEmpty
}

// saysNothing reports whether a function returns the empty string somewhere.
func saysNothing(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok {
			for _, of := range r.Results {
				l, literal := of.(*ast.BasicLit)
				found = found || literal && l.Value == `""`
			}
		}
		return true
	})
	return found
}

// wording reports whether a result is put together as a text, and whether it can be empty.
func wording(result ast.Expr) (worded, empty bool) {
	switch r := result.(type) {
	case *ast.BasicLit:
		return true, r.Value == `""`
	case *ast.BinaryExpr:
		return true, false
	case *ast.CallExpr:
		name := callee(r)
		ofFmt := strings.HasPrefix(name, "fmt.")
		return ofFmt || strings.HasPrefix(name, "strings.") || name == "out.String" || name == "b.String", !ofFmt
	}
	return false, true // it cannot be told
}

// isText reports whether a type is string itself; a named one is a value to decide on.
func isText(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.String
}

// callee is the function of a call as it is written.
func callee(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
		return "." + f.Sel.Name
	}
	return ""
}

// inText reports whether what is mutated in a node is a part of a text.
func (v *finder) inText(at ast.Node) bool {
	for i := len(v.stack); i >= 0; i-- {
		if i < len(v.stack) {
			at = v.stack[i]
		}
		if p, ok := at.(*pair); ok {
			at = p.call
		}
		switch n := at.(type) {
		case *ast.CallExpr:
			if name := callee(n); strings.HasPrefix(name, "fmt.") || strings.HasPrefix(name, "errors.New") {
				return true
			}
		case *ast.BinaryExpr:
			if t := v.info.Types[n].Type; n.Op == token.ADD && t != nil && isText(t) {
				return true
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Message" {
				return true
			}
		case ast.Stmt:
			if _, ok := n.(*ast.BlockStmt); ok {
				return false
			}
		}
	}
	return false
}
