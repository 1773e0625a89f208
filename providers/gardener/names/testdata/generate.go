// Names prints the JSON names that Gardener's API has, by the tags of its Go types, which
// its OpenAPI is made of: a line for each type, with the type of each field that has one.
// Run it with checkouts of gardener/gardener and gardener/machine-controller-manager:
//
//	go run testdata/generate.go GARDENER MCM > names.txt
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// from are the packages, by checkout, and the types that lead to all others.
var from = []struct {
	group, name, dir string
	roots            []string
}{
	{"core", "gardener/gardener", "pkg/apis/core/v1beta1", []string{"Shoot", "CloudProfile", "NamespacedCloudProfile"}},
	{"machine", "gardener/machine-controller-manager", "pkg/apis/machine/v1alpha1", []string{"MachineDeployment", "MachineSet", "Machine", "MachineClass"}},
}

func main() {
	if len(os.Args) != 1+len(from) {
		log.Fatal("give a checkout each of gardener and machine-controller-manager")
	}
	fmt.Println("# JSON names of the Go types of Gardener's API, printed by testdata/generate.go: field:Type, [] for a list, {} for a map.\n# [key]: kubectl apply merges the list by that key (patchMergeKey).")
	for i, f := range from {
		commit, err := exec.Command("git", "-C", os.Args[1+i], "rev-parse", "HEAD").Output()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("\n# %s %.12s %s\ngroup %s\n", f.name, commit, f.dir, f.group)
		structs := read(filepath.Join(os.Args[1+i], f.dir))
		for _, name := range reached(structs, f.roots) {
			fmt.Println(name, strings.Join(structs[name], " "))
		}
	}
}

// read is the structs of a package, each with its fields as "name:Type".
func read(dir string) map[string][]string {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		log.Fatal(err)
	}
	all, inline := map[string][]string{}, map[string][]string{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			log.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok && !strings.HasSuffix(file, "_test.go") {
				all[spec.Name.Name], inline[spec.Name.Name] = fields(s)
			}
			return false
		})
	}
	for name, list := range inline {
		for _, under := range list {
			all[name] = append(all[name], all[under]...)
		}
	}
	for name := range all {
		slices.Sort(all[name])
	}
	return all
}

// fields are a struct's own, and the types that it has inline.
func fields(s *ast.StructType) (own, inline []string) {
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
		name, options, _ := strings.Cut(tag.Get("json"), ",")
		kind := kindOf(f.Type)
		if key := tag.Get("patchMergeKey"); key != "" {
			kind = strings.TrimSuffix(kind, "[]") + "[" + key + "]"
		}
		switch {
		case strings.Contains(options, "inline") || name == "" && len(f.Names) == 0:
			inline = append(inline, kind)
		case name == "" || name == "-":
		case kind == "":
			own = append(own, name)
		default:
			own = append(own, name+":"+kind)
		}
	}
	return own, inline
}

// kindOf is a struct of the same package, with [] or {} around it; "" for all else, and for
// what other packages have.
func kindOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return kindOf(e.X)
	case *ast.ArrayType:
		return kindOf(e.Elt) + "[]"
	case *ast.MapType:
		return kindOf(e.Value) + "{}"
	case *ast.Ident:
		if ast.IsExported(e.Name) {
			return e.Name
		}
	}
	return ""
}

// reached are the structs that others lead to, by name.
func reached(structs map[string][]string, roots []string) []string {
	there := map[string]bool{}
	for todo := slices.Clone(roots); len(todo) > 0; todo = todo[1:] {
		if name := todo[0]; structs[name] != nil && !there[name] {
			there[name] = true
			for _, f := range structs[name] {
				_, kind, _ := strings.Cut(f, ":")
				kind, _, _ = strings.Cut(strings.TrimRight(kind, "{}"), "[")
				todo = append(todo, kind)
			}
		}
	}
	return slices.Sorted(maps.Keys(there))
}
