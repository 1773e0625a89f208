package text_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// worded are the packages whose sentences are all in engine/text and below, by their folders from here.
var worded = []string{"..", "../drain", "../live", "../record", "../roll", "../selfdriven", "../selfdriven/mcm", "../selfdriven/mng", "../strategy", "../validation", "../world"}

// tables are files of these packages that say in a table's rows what something is: the
// defaults and abilities of strategies, the kinds of actions, what a controller writes, and EC2's words for why a
// launch failed.
var tables = []string{"../world/lately.go", "../record/actionkinds.go", "../selfdriven/mcm/machine.go", "../strategy/names.go", "../strategy/words.go"}

// names are of results and reasons, which records have.
var names = []string{"nodes left by choice", "not named by --only"}

// commands are no sentences: users and shells read them alike.
var commands = regexp.MustCompile(`^(kubectl|aws) |^ +# one of: aws |^ \| jq `)

// Packages that decide hand over values; how they read is written in engine/text, in one
// place for all who show them.
func TestSentencesAreHere(t *testing.T) {
	for _, pkg := range worded {
		files, err := filepath.Glob(filepath.Join(pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files: %v", pkg, len(files), err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") && !slices.Contains(tables, filepath.ToSlash(file)) {
				for _, s := range sentences(t, file, nil) {
					t.Errorf("%s: a sentence belongs into engine/text", s)
				}
			}
		}
	}
}

func TestSentencesAreFound(t *testing.T) {
	const source = `package p
import ("errors"; "fmt"; "strings")
type kind string
const Kind kind = "two budgets"
const long = "a constant that is a sentence"
type s struct { A string ` + "`json:\"a, omitempty\"`" + ` }
func f(n int, id string) (string, error) {
	const term = "drain limit"
	_ = "one-word: " + strings.Join(nil, ", ")
	_ = fmt.Sprintf("%s/%s", id, id)
	_ = fmt.Sprintf("%d nodes", n)
	_ = id + " drains"
	_ = "node " + id
	_ = "goes on"
	if n > 0 { panic("a developer reads this") }
	return "was: put back", errors.Join(errors.New("not for users"), fmt.Errorf("of %s: %w", id, nil))
}`
	want := []string{"a constant that is a sentence", "%d nodes", " drains", "node ", "goes on", "was: put back"}
	if got := sentences(t, "p.go", source); !slices.EqualFunc(got, want, strings.HasSuffix) {
		t.Errorf("found %q, want %q", got, want)
	}
}

var (
	formatVerb = regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]`)
	// twoWords are two words, or one that is to be joined to another.
	twoWords = regexp.MustCompile(`\pL['")]?[,;:.]? ['"(]?\pL|^[,;:]? \pL|\pL[,;]? $`)
)

// sentences lists the literals of a file that are sentences or parts of one, with their
// places. Terms are none: constants of at most three words, such as a kind or a reason; nor
// are the errors that only developers read.
func sentences(t *testing.T, file string, source any) (found []string) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	term := false
	var look func(ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			ast.Inspect(n.Type, look)
			return false
		case *ast.GenDecl:
			was := term
			term = n.Tok == token.CONST
			for _, spec := range n.Specs {
				ast.Inspect(spec, look)
			}
			term = was
			return false
		case *ast.CallExpr:
			switch callee := n.Fun.(type) {
			case *ast.Ident:
				return callee.Name != "panic"
			case *ast.SelectorExpr:
				return callee.Sel.Name != "Errorf" && !isErrorsNew(callee)
			}
		case *ast.BasicLit:
			s, err := strconv.Unquote(n.Value)
			if n.Kind == token.STRING && err == nil && !commands.MatchString(s) && !slices.Contains(names, s) && twoWords.MatchString(formatVerb.ReplaceAllString(s, "x")) && !(term && len(strings.Fields(s)) <= 3) {
				found = append(found, fmt.Sprintf("%s: %s", fset.Position(n.Pos()), s))
			}
		}
		return true
	}
	ast.Inspect(f, look)
	return found
}

func isErrorsNew(s *ast.SelectorExpr) bool {
	pkg, isName := s.X.(*ast.Ident)
	return isName && pkg.Name == "errors" && s.Sel.Name == "New"
}
