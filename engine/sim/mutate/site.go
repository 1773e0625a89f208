package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// kind is a way to mutate code.
type kind string

// The kinds of mutations. Strings are never mutated.
const (
	// negate negates a condition: of an if, of a case without a tag, or a returned one.
	negate kind = "negate"
	// operand drops one side of && or ||.
	operand kind = "operand"
	// boundary shifts a comparison by one: < to <=, > to >=, and back.
	boundary kind = "boundary"
	// number adds one to an integer.
	number kind = "number"
	// statement drops a call, an assignment, a continue or a break.
	statement kind = "statement"
	// early drops a return that is not the last statement of its function.
	early kind = "return"
	// swap swaps two arguments of one type, the operands of a subtraction, or max and min.
	swap kind = "swap"
)

var kinds = []kind{negate, operand, boundary, number, statement, early, swap}

// site is a place in the code with one mutation.
type site struct {
	File     string     `json:"file"`
	Line     int        `json:"line"`
	Column   int        `json:"column"`
	Func     string     `json:"func"`
	Kind     kind       `json:"kind"`
	Start    int        `json:"start"` // offsets in the file
	End      int        `json:"end"`
	Before   string     `json:"before"`
	After    string     `json:"after"`
	args     [2]string  // two arguments that are swapped
	typ      types.Type // of the expression, of each of two arguments; nil for a statement
	excluded string     // why it is not drawn, "" if it may be
	in       *file
	of       *source
}

// id names a site among those of one state of the code.
func (m *site) id() string {
	side := "" // of an operator, either operand may be dropped
	if m.Kind == operand {
		side = ":" + strconv.Itoa(len(m.After))
	}
	return fmt.Sprintf("%s:%d:%d:%s%s", m.File, m.Line, m.Column, m.Kind, side)
}

// mutated returns the text of a file with the mutation.
func (m *site) mutated(text []byte) []byte {
	return slices.Concat(text[:m.Start], []byte(m.After), text[m.End:])
}

// finder lists the sites of a file.
type finder struct {
	*source
	*loader
	f     *file
	fn    *ast.FuncDecl
	last  ast.Stmt // the last statement of the function
	why   string   // why nothing in this function is drawn
	stack []ast.Node
	sites []*site
}

// sitesOf lists the sites of a package, those that are excluded with the reason.
func sitesOf(l *loader, s *source, decides map[ast.Decl]bool) (all []*site) {
	for _, f := range s.files {
		v := &finder{source: s, loader: l, f: f}
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || len(fn.Body.List) == 0 {
				continue
			}
			v.fn, v.last, v.why = fn, fn.Body.List[len(fn.Body.List)-1], ""
			switch {
			case onlyText(s, f, fn):
				v.why = "text"
			case !decides[fn]:
				v.why = "display"
			}
			ast.PreorderStack(fn.Body, nil, v.visit)
		}
		all = append(all, v.sites...)
	}
	return all
}

// visit adds the sites of a node.
func (v *finder) visit(n ast.Node, stack []ast.Node) bool {
	v.stack = stack
	switch n := n.(type) {
	case *ast.IfStmt:
		v.negation(n.Cond)
	case *ast.CaseClause:
		if sw, ok := v.above(1).(*ast.SwitchStmt); ok && sw.Tag == nil {
			for _, e := range n.List {
				v.negation(e)
			}
		}
		v.statements(n.Body)
	case *ast.CommClause:
		v.statements(n.Body)
	case *ast.BlockStmt:
		v.statements(n.List)
	case *ast.ReturnStmt:
		if len(n.Results) == 1 && v.isBool(n.Results[0]) {
			v.negation(n.Results[0])
		}
	case *ast.BinaryExpr:
		v.binary(n)
	case *ast.BasicLit:
		v.integer(n)
	case *ast.CallExpr:
		v.call(n)
	}
	return true
}

// above returns the node so many levels up.
func (v *finder) above(levels int) ast.Node {
	if len(v.stack) < levels+1 {
		return nil
	}
	return v.stack[len(v.stack)-1-levels]
}

// add notes a mutation of a node to a text.
func (v *finder) add(k kind, n ast.Node, after string) {
	p, end := v.fset.Position(n.Pos()), v.fset.Position(n.End())
	m := &site{File: v.f.name, Line: p.Line, Column: p.Column, Func: funcName(v.fn), Kind: k, Start: p.Offset, End: end.Offset, After: after, in: v.f, of: v.source, excluded: v.why}
	m.Before = string(v.f.text[m.Start:m.End])
	switch n := n.(type) {
	case ast.Expr:
		m.typ = v.info.Types[n].Type
	case *pair:
		m.typ = v.info.Types[n.a].Type
	}
	if m.excluded == "" && v.inText(n) {
		m.excluded = "text"
	}
	v.sites = append(v.sites, m)
}

// code is the text of a node.
func (v *finder) code(n ast.Node) string {
	return string(v.f.text[v.fset.Position(n.Pos()).Offset:v.fset.Position(n.End()).Offset])
}

func (v *finder) negation(e ast.Expr) {
	if tv := v.info.Types[e]; tv.Value != nil {
		return // true or false
	}
	if not, ok := e.(*ast.UnaryExpr); ok && not.Op == token.NOT {
		v.add(negate, e, v.code(not.X))
		return
	}
	v.add(negate, e, "!("+v.code(e)+")")
}

func (v *finder) isBool(e ast.Expr) bool {
	b, ok := v.info.Types[e].Type.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

func (v *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.DeferStmt, *ast.IncDecStmt:
			v.add(statement, s, "")
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				v.add(statement, s, "")
			}
		case *ast.BranchStmt:
			if s.Tok == token.CONTINUE || s.Tok == token.BREAK {
				v.add(statement, s, "")
			}
		case *ast.ReturnStmt:
			if ast.Stmt(s) != v.last {
				v.add(early, s, "")
			}
		}
	}
}

// shifted are the comparisons one further.
var shifted = map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">"}

func (v *finder) binary(n *ast.BinaryExpr) {
	if v.info.Types[n].Value != nil {
		return
	}
	switch n.Op {
	case token.LAND, token.LOR:
		v.add(operand, n, v.code(n.X))
		v.add(operand, n, v.code(n.Y))
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		v.add(boundary, n, v.code(n.X)+" "+shifted[n.Op]+" "+v.code(n.Y))
	case token.SUB:
		v.add(swap, n, "("+v.code(n.Y)+") - ("+v.code(n.X)+")")
	}
}

// integer adds one to a literal. Lengths of time are left alone: how long a wait is, is
// chosen, and what depends on it is compared with the same number.
func (v *finder) integer(n *ast.BasicLit) {
	if n.Kind != token.INT {
		return
	}
	if c, ok := v.above(0).(*ast.CallExpr); ok && callee(c) == "make" {
		return // room for what comes
	}
	for _, of := range append(slices.Clone(v.stack), n) {
		if e, ok := of.(ast.Expr); ok {
			if tv := v.info.Types[e]; tv.Value != nil && tv.Type.String() == "time.Duration" {
				return
			}
		}
	}
	if value, err := strconv.Atoi(n.Value); err == nil {
		v.add(number, n, strconv.Itoa(value+1))
	}
}

// symmetric are functions whose arguments may be swapped without any effect.
var symmetric = []string{"Equal", "EqualFunc", "DeepEqual", "EqualFold"}

func (v *finder) call(n *ast.CallExpr) {
	name := ""
	switch f := n.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	if other := map[string]string{"max": "min", "min": "max"}[name]; other != "" {
		v.add(swap, n, other+strings.TrimPrefix(v.code(n), name))
		return
	}
	if slices.Contains(symmetric, name) || v.info.Types[n.Fun].IsType() {
		return
	}
	swapped := len(n.Args)
	if f, ok := v.info.Types[n.Fun].Type.(*types.Signature); ok && f.Variadic() && v.ours(n.Fun) {
		swapped = f.Params().Len() // our functions that take any number of values take them as a set
	}
	for i := range swapped - 1 {
		if i+1 >= len(n.Args) {
			break
		}
		a, b := n.Args[i], n.Args[i+1]
		ta, tb := v.info.Types[a], v.info.Types[b]
		if ta.Type == nil || tb.Type == nil || !types.Identical(ta.Type, tb.Type) || v.code(a) == v.code(b) || isString(a) || isString(b) {
			continue
		}
		between := string(v.f.text[v.fset.Position(a.End()).Offset:v.fset.Position(b.Pos()).Offset])
		v.add(swap, &pair{a, b, n}, v.code(b)+between+v.code(a))
		v.sites[len(v.sites)-1].args = [2]string{v.code(a), v.code(b)}
	}
}

// ours reports whether a function is one of the project's.
func (v *finder) ours(fun ast.Expr) bool {
	switch f := fun.(type) {
	case *ast.Ident:
		return isOurs(v.info.Uses[f])
	case *ast.SelectorExpr:
		return isOurs(v.info.Uses[f.Sel])
	}
	return false
}

func isOurs(o types.Object) bool {
	return o != nil && o.Pkg() != nil && strings.HasPrefix(o.Pkg().Path(), module+"/")
}

// pair is two neighbouring arguments of a call.
type pair struct {
	a, b ast.Expr
	call *ast.CallExpr
}

func (p *pair) Pos() token.Pos { return p.a.Pos() }
func (p *pair) End() token.Pos { return p.b.End() }

func isString(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}

// funcName is a function's name with its receiver's type.
func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	return t.(*ast.Ident).Name + "." + fn.Name.Name
}
