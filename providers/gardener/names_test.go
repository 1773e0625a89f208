package gardener

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/gardener/names"
)

// Every field of a Machine, a machine deployment or a Shoot that is read or written is one of its type
// in Gardener's API.
func TestNamesReadAreGardeners(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "read.go" { // the functions themselves
			continue
		}
		n, wrong := misread(t, file, nil)
		checked += n
		for _, w := range wrong {
			t.Error(w)
		}
	}
	if checked < 40 {
		t.Errorf("%d fields were looked at", checked)
	}
	for _, step := range pacePatch(0, record.Action{Group: "a", FromPace: &world.Pace{MaxSurge: "1", MaxUnavailable: "0"}, Pace: &world.Pace{MaxSurge: "2", MaxUnavailable: "1"}}) {
		of, end := objects["core.Shoot"], ""
		for _, name := range strings.Split(step.Path, "/")[1:] {
			if _, err := strconv.Atoi(name); err != nil && end == "" {
				of, end = of.field(name)
			}
		}
		if end != "" {
			t.Errorf("%s: %s", step.Path, end)
		}
	}
}

// A field of another type does not pass, nor one that is read of nobody knows what.
func TestMisreadIsFound(t *testing.T) {
	for source, want := range map[string]string{
		`func toMachine() { textAt(o, "status", "currentStatus", "phase"); textAt(o, "status", "phase") }`:                    `machine.MachineStatus has no "phase"`,
		`func toMachine() { textAt(o, "spec", "machineInPlaceUpdateTimeout") }`:                                               `machine.MachineSpec has no "machineInPlaceUpdateTimeout"`,
		`func toMachine() { for _, c := range entries(o, "status", "conditions") { textAt(c, "phase") } }`:                    `v1.NodeCondition has no "phase"`,
		`func toDeployment() { for _, c := range entries(o, "status", "conditions") { textAt(c, "lastHeartbeatTime") } }`:     `machine.MachineDeploymentCondition has no "lastHeartbeatTime"`,
		`func toDeployment() { x := within(o, "spec", "strategy"); number(within(x, "rollingUpdate"), "orchestrationType") }`: `machine.RollingUpdateMachineDeployment has no "orchestrationType"`,
		`func paceIn() { entries(shoot, "spec", "workers") }`:                                                                 `core.ShootSpec has no "workers"`,
		`func patchOf() any { return map[string]any{"spec": map[string]any{"phase": 1}} }`:                                    `machine.MachineDeploymentSpec has no "phase"`,
		`func limits() { use(list{{"drainsTimeout", 1}, {"drainTimeout", 1}}) }`:                                              `machine.MachineSpec has no "drainsTimeout"`,
		`func other() { textAt(o, "spec") }`:                                                                                  `other.o is of no known type`,
	} {
		if _, wrong := misread(t, "x.go", "package x\n"+source); len(wrong) != 1 || !strings.HasSuffix(wrong[0], want) {
			t.Errorf("%s\n\tgives %q, want %q", source, wrong, want)
		}
	}
}

// kind is a type of Gardener's API, or one of Kubernetes' that it has a field of.
type kind struct {
	name string
	is   names.Type
	kube reflect.Type
}

func kindOf(name string) kind { return kind{name: name, is: names.Kind(name)} }

// objects are the types that the functions of this package are given objects of, by function and
// variable, and those that patches are of.
var objects = map[string]kind{
	"toMachine.o": kindOf("machine.Machine"), "limits.spec": kindOf("machine.MachineSpec"), "limits": kindOf("machine.MachineSpec"),
	"toDeployment.o": kindOf("machine.MachineDeployment"), "is.u.Object": kindOf("machine.MachineDeployment"), "patchOf": kindOf("machine.MachineDeployment"),
	"updateOf.strategy": kindOf("machine.MachineDeploymentStrategy"), "asWritten.strategy": kindOf("machine.MachineDeploymentStrategy"),
	"paceIn.shoot": kindOf("core.Shoot"), "core.Shoot": kindOf("core.Shoot"),
}

// ofKubernetes are the fields of Gardener's types that are of Kubernetes' types.
var ofKubernetes = map[string]reflect.Type{
	"machine.MachineStatus.conditions": reflect.TypeFor[corev1.NodeCondition](),
	"metadata":                         reflect.TypeFor[metav1.ObjectMeta](),
}

// field is the type of a field, or what is wrong with its name. What no type is known of, as what
// is below labels, has all fields.
func (k kind) field(name string) (of kind, wrong string) {
	switch {
	case k.kube != nil && k.kube.Kind() == reflect.Struct:
		for i := range k.kube.NumField() {
			if f := k.kube.Field(i); strings.Split(f.Tag.Get("json"), ",")[0] == name {
				return kind{name: fmt.Sprint(f.Type), kube: f.Type}, ""
			}
		}
		return kind{}, fmt.Sprintf("%s has no %q", k.name, name)
	case !k.is.Known():
		return kind{}, ""
	}
	next, _, has := k.is.Field(name)
	if !has {
		return kind{}, fmt.Sprintf("%s has no %q", k.name, name)
	}
	for _, at := range []string{k.name + "." + name, name} {
		if of := ofKubernetes[at]; of != nil {
			return kind{name: of.String(), kube: of}, ""
		}
	}
	return kind{next.Name(), next, nil}, ""
}

// reader follows what the functions of a file read of objects.
type reader struct {
	at      string          // the function
	vars    map[string]kind // what its variables are
	checked int
	tell    func(n ast.Node, wrong string)
}

// misread tells how many fields a file reads or writes, and which of them there are not. source is
// its text, nil for what is on disk.
func misread(t *testing.T, file string, source any) (checked int, wrong []string) {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		r := reader{at: f.Name.Name, vars: maps.Clone(objects), tell: func(n ast.Node, what string) {
			wrong = append(wrong, fmt.Sprintf("%s: %s", set.Position(n.Pos()), what))
		}}
		ast.Inspect(f.Body, r.look)
		checked += r.checked
	}
	return checked, wrong
}

// look is at one node after the other, as they stand in the text.
func (r *reader) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt: // block := within(strategy, "rollingUpdate")
		for i, to := range n.Lhs {
			if name, ok := to.(*ast.Ident); ok && i < len(n.Rhs) {
				if of, calls := r.read(n.Rhs[i], false); calls {
					r.vars[r.at+"."+name.Name] = of
				}
			}
		}
	case *ast.RangeStmt: // for _, c := range entries(o, "status", "conditions")
		if name, ok := n.Value.(*ast.Ident); ok {
			if of, calls := r.read(n.X, false); calls {
				r.vars[r.at+"."+name.Name] = of
			}
		}
	case *ast.CallExpr:
		r.read(n, true)
	case *ast.CompositeLit:
		if isObject(n) {
			if of, known := objects[r.at]; known {
				r.object(of, n)
				return false
			}
		}
		for _, e := range n.Elts { // {"drainTimeout", &l.Drain}
			if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.HasSuffix(lit.Value, `Timeout"`) {
				r.field(objects[r.at], lit)
			}
		}
	}
	return true
}

// read is the type of what a call reads; false where it is no call that reads. It tells what is
// wrong of it if that is asked for, for the call is looked at more than once.
func (r *reader) read(e ast.Expr, tell bool) (of kind, calls bool) {
	n, ok := e.(*ast.CallExpr)
	if !ok {
		return kind{}, false
	}
	called, _ := n.Fun.(*ast.Ident)
	if called == nil || len(n.Args) < 2 || !slices.Contains([]string{"textAt", "at", "number", "truth", "within", "entries", "share", "duration"}, called.Name) {
		return kind{}, false
	}
	if inner, calls := r.read(n.Args[0], false); calls {
		of = inner
	} else {
		name := r.at
		switch from := n.Args[0].(type) {
		case *ast.Ident:
			name += "." + from.Name
		case *ast.SelectorExpr:
			name += fmt.Sprintf(".%s.%s", from.X, from.Sel)
		}
		if of, ok = r.vars[name]; !ok && tell {
			r.tell(n, name+" is of no known type")
			return kind{}, true
		}
	}
	for _, arg := range n.Args[1:] {
		lit, ok := arg.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return kind{}, true // a label, or a name of a list that is looked at by itself
		}
		next, wrong := of.field(unquoted(lit))
		if tell {
			r.field(of, lit)
		}
		if of = next; wrong != "" {
			return kind{}, true
		}
	}
	return of, true
}

// object looks at an object that is written.
func (r *reader) object(of kind, n *ast.CompositeLit) {
	for _, e := range n.Elts {
		kv, _ := e.(*ast.KeyValueExpr)
		if lit, ok := kv.Key.(*ast.BasicLit); ok {
			next, _ := of.field(unquoted(lit))
			r.field(of, lit)
			if below, ok := kv.Value.(*ast.CompositeLit); ok {
				r.object(next, below)
			}
		}
	}
}

func (r *reader) field(of kind, lit *ast.BasicLit) {
	r.checked++
	if _, wrong := of.field(unquoted(lit)); wrong != "" {
		r.tell(lit, wrong)
	}
}

func unquoted(lit *ast.BasicLit) string {
	name, _ := strconv.Unquote(lit.Value)
	return name
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
