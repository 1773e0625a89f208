package api

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
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
	sources(t, func(_ string, n ast.Node) {
		for _, reason := range reasonsIn(n) {
			has[reason] = true
		}
	})
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

// docs/reference/events.md names each event type, and each reason that a warning is given.
func TestPageNamesEveryEvent(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/events.md")
	if err != nil {
		t.Fatal(err)
	}
	types, warnings, found := strings.Cut(string(page), "\nReasons of warnings:\n")
	if warnings, _, _ = strings.Cut(warnings, "\n## "); !found || warnings == "" {
		t.Fatal("docs/reference/events.md has no reasons of warnings")
	}
	constants := map[string]string{}
	sources(t, func(_ string, n ast.Node) {
		spec, is := n.(*ast.ValueSpec)
		if !is || len(spec.Values) != 1 {
			return
		}
		value := literal(spec.Values[0])
		if name(spec.Type) == "EventType" && !strings.Contains(types, "`"+value+"`") {
			t.Errorf("docs/reference/events.md does not name %s", value)
		}
		if strings.HasPrefix(spec.Names[0].Name, "Reason") {
			constants[spec.Names[0].Name] = value
		}
	})
	var listed []string
	for row := range strings.Lines(warnings) {
		if cells := strings.Split(row, "|"); len(cells) > 2 {
			listed = append(listed, strings.FieldsFunc(cells[1], func(r rune) bool { return r == ',' || r == ' ' })...)
		}
	}
	given := map[string]bool{}
	sources(t, func(file string, n ast.Node) {
		e := warned(n)
		if e == nil {
			return
		}
		reason := cmp.Or(literal(e), constants[name(e)])
		if given[reason] = true; reason != "" && !slices.Contains(listed, Reason(reason)) {
			t.Errorf("docs/reference/events.md does not name the reason %s of %s", Reason(reason), file)
		}
	})
	if len(given) < 25 {
		t.Errorf("only %d reasons were found", len(given))
	}
}

// warned is the reason that a piece of source gives a warning, nil if it gives none.
func warned(n ast.Node) (reason ast.Expr) {
	switch n := n.(type) {
	case *ast.CompositeLit:
		warns := false
		for _, e := range n.Elts {
			switch kv, _ := e.(*ast.KeyValueExpr); {
			case kv == nil:
			case name(kv.Key) == "Type" && name(kv.Value) == "Warning":
				warns = true
			case name(kv.Key) == "Reason":
				reason = kv.Value
			}
		}
		if !warns {
			return nil
		}
	case *ast.CallExpr:
		switch f := name(n.Fun); {
		case f == "warn" && len(n.Args) == 2:
			return n.Args[0]
		case (f == "warn" || f == "tell") && len(n.Args) == 3:
			return n.Args[1]
		}
	}
	return reason
}

// sources hands each node of the program's sources to see; packages for tests, such as
// providers/kube/kubetest, are no part of it.
func sources(t *testing.T, see func(file string, n ast.Node)) {
	t.Helper()
	for _, top := range []string{"..", "../../providers", "../../cmd"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(filepath.Dir(path), "test") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool { see(path, n); return true })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// typed are the types whose constants are reasons.
var typed = []string{"BlockerKind", "Refusal", "Result"}

// reasonsIn are the reasons that a piece of source has: of an event, of a constant, and of what
// is told as a warning.
func reasonsIn(n ast.Node) (out []string) {
	add := func(e ast.Expr) {
		if text := literal(e); text != "" {
			out = append(out, text)
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
		add(warned(n))
	}
	return out
}

// literal is the text of a string in the source, "" for what is none.
func literal(e ast.Expr) string {
	if lit, is := e.(*ast.BasicLit); is && lit.Kind == token.STRING {
		if text, err := strconv.Unquote(lit.Value); err == nil {
			return text
		}
	}
	return ""
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
