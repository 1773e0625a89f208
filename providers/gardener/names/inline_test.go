package names

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// odd are what tests write into a Shoot although Gardener's API has no such field, or has it no
// more, each with what for.
var odd = map[string]string{
	"extra": "any object is read as it is (providers/kube)",
	"spec.provider.workers[web].kubernetes.kubelet.systemReserved": "Gardener had it before v1.141",
}

// Every Shoot and every profile that a test of any package writes out, as text or as a map, has
// the names of Gardener's API.
func TestInlineShootsAreGardeners(t *testing.T) {
	found := map[string]int{}
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"bin", ".git"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "names/inline_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		path = strings.TrimPrefix(filepath.ToSlash(path), "../../../")
		for _, o := range inline(file) {
			found[path]++
			for _, name := range misnamed(o) {
				if odd[name] == "" && !strings.HasSuffix(name, ".x") && path != "providers/gardener/names/names_test.go" {
					t.Errorf("%s: a %s has %s, which Gardener's API has not", path, o["kind"], name)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"providers/gardener/feed_test.go", "providers/gardener/scene_test.go", "providers/gardener/shoot/shoot_test.go", "providers/gardener/shoot/hash_test.go",
		"providers/gardener/shoot/share_test.go", "providers/gardener/shoot/facts_test.go", "lab/gardener/plan_test.go", "lab/e2e/gardener_change_test.go"} {
		if found[path] == 0 {
			t.Errorf("no Shoot was found in %s", path)
		}
	}
	t.Log(found)
}

// Shoots are found in all forms that tests write them in, and their wrong names with them.
func TestInlineIsFound(t *testing.T) {
	for source, want := range map[string]string{
		"const a = `kind: Shoot\nspec: {kubernets: 1}\n`":                                                                                                                  "spec.kubernets",
		"var a = \"kind: Shoot\\nspec: \" + b + \"\\nstatus: {observed: 1}\"":                                                                                              "status.observed",
		"var a = f(`{\"kind\":\"Shoot\",\"metadata\":{\"name\":%q},\"spec\":{\"kubernetes\":{\"v\":%d}}}`)":                                                                "spec.kubernetes.v",
		"var a = map[string]any{\"kind\": \"Shoot\", \"spec\": map[string]any{\"provider\": map[string]any{\"workers\": []any{map[string]any{\"name\": b, \"max\": 1}}}}}": "spec.provider.workers[x].max",
		"const a = `kind: CloudProfile\nspec: {machineTypes: [{name: a, arch: b}]}`":                                                                                       "spec.machineTypes[a].arch",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range inline(file) {
			got = append(got, misnamed(o)...)
		}
		if !slices.Equal(got, []string{want}) {
			t.Errorf("%s\n\tgives %q, want %q", source, got, want)
		}
	}
}

var (
	aShoot = regexp.MustCompile(`kind"?: *"?(Shoot|CloudProfile|NamespacedCloudProfile)\b`)
	verbs  = regexp.MustCompile(`%[+#]?[a-z]`)
)

// inline are the Shoots and profiles in the literals of a file. Text that is no YAML is what a test
// wants refused.
func inline(file *ast.File) (out []map[string]any) {
	ast.Inspect(file, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		switch e.(type) {
		case *ast.BasicLit, *ast.BinaryExpr:
			text, is := written(e).(string)
			if !is || !aShoot.MatchString(text) {
				return true
			}
			for doc := range strings.SplitSeq(text, "\n---\n") {
				var o map[string]any
				for _, fill := range []string{"x", `"x": 1`, "1"} { // what a verb stands for
					if err := yaml.Unmarshal([]byte(verbs.ReplaceAllString(doc, fill)), &o); err == nil {
						break
					}
				}
				if o != nil {
					out = append(out, o)
				}
			}
			return false
		case *ast.CompositeLit:
			if o, is := written(e).(map[string]any); is && aShoot.MatchString(fmt.Sprintf("kind: %v", o["kind"])) {
				out = append(out, o)
				return false
			}
		}
		return true
	})
	return out
}

// written is what an expression is worth as far as it is written out; x stands for what is not.
func written(e ast.Expr) any {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return text
		}
		return 1
	case *ast.BinaryExpr:
		if left, right := written(e.X), written(e.Y); e.Op == token.ADD {
			return fmt.Sprint(left) + fmt.Sprint(right)
		}
	case *ast.CompositeLit:
		if _, isMap := e.Type.(*ast.MapType); isMap {
			m := map[string]any{}
			for _, item := range e.Elts {
				if kv, ok := item.(*ast.KeyValueExpr); ok {
					m[fmt.Sprint(written(kv.Key))] = written(kv.Value)
				}
			}
			return m
		}
		if _, isList := e.Type.(*ast.ArrayType); isList {
			list := []any{}
			for _, item := range e.Elts {
				list = append(list, written(item))
			}
			return list
		}
	}
	return "x"
}

func misnamed(o map[string]any) []string {
	if kind := fmt.Sprint(o["kind"]); kind != "NamespacedCloudProfile" || Kind("core."+kind).Known() {
		return Kind("core." + kind).Unknown(o)
	}
	return Kind("core.CloudProfile").Unknown(map[string]any{"spec": o["spec"]})
}
