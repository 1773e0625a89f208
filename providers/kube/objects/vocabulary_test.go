package objects

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const coreAPI = "k8s.io/api/core/v1"

// vocabulary is what random objects of the API are filled with.
type vocabulary struct {
	texts []string            // that our code knows
	typed map[string][]string // the constants of a type of the API, by its name
	// conditions are those of the texts that may be the type of a condition.
	conditions []string
}

// conditionType is what the types of conditions look like.
var conditionType = regexp.MustCompile(`^[A-Z][A-Za-z]+$`)

// quantities are amounts of resources.
var quantities = []string{"0", "100m", "2", "1500Mi", "3G", "110"}

// sentences are messages of which our code reads a part.
var sentences = []string{
	"Machine preserved until 2026-03-05 12:00:00 +0000 UTC.",
	"0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available.",
}

// vocabularyOf finds the texts that our code compares with what it reads: the literals of
// the conversions and of the world, and those constants of the API that they name.
func vocabularyOf(t testing.TB) *vocabulary {
	t.Helper()
	v := &vocabulary{texts: []string{"", "a", "b-2", "aws:///eu-west-1a/i-0abc"}, typed: map[string][]string{}}
	named := map[string]string{} // constants of the API
	for _, f := range sources(t, packageDir(t, coreAPI), "*.go") {
		for _, d := range f.Decls {
			for _, spec := range constants(d) {
				for i, name := range spec.Names {
					text, ok := literal(spec.Values, i)
					if !ok {
						continue
					}
					named[name.Name] = text
					if of, ok := spec.Type.(*ast.Ident); ok {
						v.typed[of.Name] = append(v.typed[of.Name], text)
					}
				}
			}
		}
	}
	for _, some := range [][2]string{{".", "convert*.go"}, {".", "readfields.go"}, {filepath.Join("..", "..", "..", "engine", "world"), "*.go"}} {
		for _, f := range sources(t, some[0], some[1]) {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ImportSpec, *ast.StructType: // its tags are no texts of objects
					return false
				case *ast.BasicLit:
					if text, ok := literal([]ast.Expr{n}, 0); ok && !strings.Contains(text, " ") {
						v.texts = append(v.texts, text)
						if conditionType.MatchString(text) {
							v.conditions = append(v.conditions, text)
						}
					}
				case *ast.SelectorExpr:
					if text, ok := named[n.Sel.Name]; ok {
						v.texts = append(v.texts, text)
					}
				}
				return true
			})
		}
	}
	slices.Sort(v.texts)
	v.texts = slices.Compact(v.texts)
	for _, text := range []string{"system-cluster-critical", "CrashLoopBackOff", "Ready", "PodScheduled", "node.gardener.cloud/machine-name"} {
		if !slices.Contains(v.texts, text) {
			t.Errorf("%q is not found in the code", text)
		}
	}
	return v
}

// fill gives every field of a value something.
func (v *vocabulary) fill(x reflect.Value, r *rand.Rand) {
	switch to := x.Addr().Interface().(type) {
	case *metav1.Time:
		if r.IntN(4) > 0 {
			*to = metav1.Unix(1_700_000_000+r.Int64N(1_000_000), 0)
		}
		return
	case **metav1.Time: // one that is set is not zero: JSON has no such time
		if r.IntN(4) > 0 {
			*to = &metav1.Time{Time: time.Unix(1_700_000_000+r.Int64N(1_000_000), 0)}
		}
		return
	case *quantity.Quantity:
		*to = quantity.MustParse(quantities[r.IntN(len(quantities))])
		return
	case *intstr.IntOrString:
		*to = intstr.FromInt32(r.Int32N(100))
		return
	case *metav1.FieldsV1:
		to.SetRawBytes([]byte("{}"))
		return
	}
	switch x.Kind() {
	case reflect.String:
		texts := v.texts
		if own := v.typed[x.Type().Name()]; x.Type().PkgPath() == coreAPI && len(own) > 0 && r.IntN(3) > 0 {
			texts = own
		}
		if x.Type().Name() == "NodeConditionType" && r.IntN(2) == 0 {
			texts = v.conditions
		}
		if r.IntN(4) == 0 {
			return // it is not set
		}
		x.SetString(texts[r.IntN(len(texts))])
	case reflect.Int32, reflect.Int64, reflect.Int:
		x.SetInt(r.Int64N(100))
	case reflect.Bool:
		x.SetBool(r.IntN(2) == 0)
	case reflect.Pointer:
		if r.IntN(4) > 0 {
			x.Set(reflect.New(x.Type().Elem()))
			v.fill(x.Elem(), r)
		}
	case reflect.Slice:
		most := 3
		if strings.HasSuffix(x.Type().Elem().Name(), "Condition") { // what we make of one depends on several of its fields
			most = 9
		}
		x.Set(reflect.MakeSlice(x.Type(), r.IntN(most+1), most))
		for i := range x.Len() {
			v.fill(x.Index(i), r)
		}
	case reflect.Map:
		x.Set(reflect.MakeMap(x.Type()))
		for range r.IntN(4) {
			key, value := reflect.New(x.Type().Key()).Elem(), reflect.New(x.Type().Elem()).Elem()
			v.fill(key, r)
			v.fill(value, r)
			x.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range x.NumField() {
			if !x.Type().Field(i).IsExported() {
				continue
			}
			if v.fill(x.Field(i), r); x.Type().Field(i).Name == "Message" && x.Field(i).Kind() == reflect.String && r.IntN(2) == 0 {
				x.Field(i).SetString(sentences[r.IntN(len(sentences))])
			}
		}
	}
}

// packageDir is where the source of a package is.
func packageDir(t testing.TB, path string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", path, err)
	}
	return strings.TrimSpace(string(out))
}

// sources are files of a package, without tests and what is generated.
func sources(t testing.TB, dir, pattern string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("no source in %s: %v", dir, err)
	}
	set := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "generated") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

func constants(d ast.Decl) (specs []*ast.ValueSpec) {
	if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
		for _, s := range g.Specs {
			specs = append(specs, s.(*ast.ValueSpec))
		}
	}
	return specs
}

// literal is a text that stands in the code.
func literal(values []ast.Expr, i int) (string, bool) {
	if i >= len(values) {
		return "", false
	}
	l, ok := values[i].(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(l.Value)
	return text, err == nil
}
