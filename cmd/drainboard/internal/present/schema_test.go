package present

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/api/apitest"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/gardener/shoot"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the schemas and the reference in docs/reference/json.md")

// documents are all that programs get, in the order of docs/reference/json.md.
var documents = []any{
	api.GroupList{}, api.GroupStatus{}, api.GroupStatusList{}, api.GroupPlan{}, api.PlanComparison{}, api.RollPlan{}, api.ShootChangePlan{}, api.CommandResult{},
	api.Event{}, api.HookEvent{}, api.Exit{}, api.Version{},
}

const repository = "../../../.."

// Schemas and reference are what the types say: a field without a schema, or a property that no
// field has, makes them differ.
func TestSchemas(t *testing.T) {
	src := readAPI(t)
	var kinds []string
	for _, doc := range documents {
		of := reflect.TypeOf(doc)
		kinds = append(kinds, of.Name())
		text, err := json.MarshalIndent(src.schema(of), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		same(t, filepath.Join(apitest.Dir, of.Name()+".json"), append(text, '\n'))
	}
	for name, s := range src.structs {
		if s.document && !slices.Contains(kinds, name) {
			t.Errorf("%s is a document, and not in the list here", name)
		}
	}
	files, err := os.ReadDir(apitest.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(kinds, strings.TrimSuffix(f.Name(), ".json")) {
			t.Errorf("there is no document of the schema %s", f.Name())
		}
	}
	page := filepath.Join(repository, "docs", "reference", "json.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- reference: made by go test ./cmd/drainboard/internal/present -run TestSchemas -rewrite -->\n", "<!-- end -->\n"
	head, rest, found := strings.Cut(string(text), begin)
	_, tail, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("docs/reference/json.md lacks %s%s", begin, end)
	}
	same(t, page, []byte(head+begin+src.reference()+end+tail))
}

// same holds a file to what it should be, or writes it.
func same(t *testing.T, path string, want []byte) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the types say (%v): run this test with -rewrite", path, err)
	}
}

// apiSource is what the source of package api says beside its types.
type apiSource struct {
	structs map[string]structSource
	enums   map[string][]any
}

type structSource struct {
	doc      string
	document bool // it has an apiVersion
	fields   map[string]string
}

func readAPI(t *testing.T) apiSource {
	t.Helper()
	src := apiSource{structs: map[string]structSource{}, enums: enumerations(t)}
	for _, file := range parsed(t, filepath.Join(repository, "engine", "api")) {
		for _, decl := range file.Decls {
			gen, is := decl.(*ast.GenDecl)
			if !is {
				continue
			}
			for _, spec := range gen.Specs {
				of, is := spec.(*ast.TypeSpec)
				if !is {
					continue
				}
				fields, is := of.Type.(*ast.StructType)
				if !is {
					continue
				}
				s := structSource{doc: strings.Join(strings.Fields(gen.Doc.Text()), " "), fields: map[string]string{}}
				for _, f := range fields.Fields.List {
					if len(f.Names) == 0 {
						s.document = s.document || f.Type.(*ast.Ident).Name == "TypeMeta"
						continue
					}
					s.fields[f.Names[0].Name] = strings.TrimSpace(f.Comment.Text())
					if f.Comment.Text() == "" {
						t.Errorf("api.%s.%s is not described", of.Name.Name, f.Names[0].Name)
					}
				}
				src.structs[of.Name.Name] = s
			}
		}
	}
	if len(src.structs) < 40 {
		t.Fatalf("%d types were read", len(src.structs))
	}
	return src
}

func parsed(t *testing.T, dir string) (out []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, file)
	}
	return out
}

// enumerations are the values that the tag enum stands for: the constants of a type, as
// documents have them.
func enumerations(t *testing.T) map[string][]any {
	t.Helper()
	byType := map[string][]any{} // by the type's name, with its package where that is not enough
	for _, top := range []string{"engine", "providers"} {
		err := filepath.WalkDir(filepath.Join(repository, top), func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || strings.Contains(dir, "testdata") {
				return err
			}
			for _, file := range parsed(t, dir) {
				constants(file, func(of, value string) {
					if value != "" && !(file.Name.Name == "record" && value == string(record.NoRun)) { // which no run has
						byType[file.Name.Name+"."+of] = append(byType[file.Name.Name+"."+of], api.Word(value))
						byType["."+of] = append(byType["."+of], api.Word(value))
					}
				})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	out := map[string][]any{
		"startWhen":    {shoot.StartNow, shoot.StartWindow, shoot.StartNever},
		"outlook":      {api.OutlookEndsWell, api.OutlookFails, api.OutlookDoesNotEnd, api.OutlookNotEvaluated},
		"rightVerdict": {api.RightAllowed, api.RightDenied, api.RightUnchecked},
		"transition":   {api.TransitionLaunching, api.TransitionTerminating},
		"trouble":      {"", string(record.InCrashLoop), string(record.IsPending), string(record.BelowPDB), string(record.IsStarting)},
		"command":      {string(record.CmdPause), string(record.CmdResume), string(record.CmdApprove), string(record.CmdAbort)},
	}
	for name, of := range map[string]string{
		"eventType": "record.EventType", "state": "record.State", "result": "record.Result", "stage": "record.Stage", "role": "world.Role",
		"approval": "record.Approval", "timeoutPolicy": "record.TimeoutPolicy", "troublePolicy": "record.TroublePolicy", "unreachablePolicy": "record.UnreachablePolicy", "order": "record.Order",
		"rollState": "roll.State", "moverType": "record.ExternalKind", "handling": "record.Handling", "blockerType": ".BlockerKind",
		"obstacleType": ".ObstacleKind", "effect": "shoot.Effect", "shootRule": "shoot.Rule", "hook": "hooks.On", "source": "world.Source", "assumed": "snapshot.Assumed", "basis": "snapshot.Basis",
	} {
		if out[name] = byType[of]; len(out[name]) < 2 {
			t.Errorf("the type %s has %d constants", of, len(out[name]))
		}
	}
	out["groupRunState"] = append(slices.Clone(out["state"]), RunElsewhere, RunUnreadable)
	codes := map[int]bool{exitcode.Failed: true, exitcode.WrongUse: true, exitcode.Aborted: true, exitcode.Held: true, exitcode.Paused: true, exitcode.Unreachable: true, exitcode.Denied: true}
	for _, result := range out["result"] {
		if result == api.Word(string(record.NodesLeft)) {
			result = string(record.NodesLeft)
		}
		codes[record.Result(result.(string)).ExitCode()] = true
	}
	for code := range 16 {
		if codes[code] {
			out["exitCode"] = append(out["exitCode"], code)
			if word := ExitOf(code, "").Result; word != "" {
				out["exit"] = append(out["exit"], word)
			}
		}
	}
	return out
}

// constants calls found with the type and the value of each constant that is a string of a type.
func constants(file *ast.File, found func(of, value string)) {
	for _, decl := range file.Decls {
		gen, is := decl.(*ast.GenDecl)
		if !is || gen.Tok != token.CONST {
			continue
		}
		for _, spec := range gen.Specs {
			v := spec.(*ast.ValueSpec)
			of, is := v.Type.(*ast.Ident)
			if !is || len(v.Values) != 1 {
				continue
			}
			if lit, is := v.Values[0].(*ast.BasicLit); is && lit.Kind == token.STRING {
				value, _ := strconv.Unquote(lit.Value)
				found(of.Name, value)
			}
		}
	}
}

// object is JSON whose keys keep their order.
type object []member

type member struct {
	key   string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(m.key); err != nil {
			return nil, err
		}
		out.WriteByte(':')
		if err := enc.Encode(m.value); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// property is a field as documents have it.
type property struct {
	name, about, enum string
	of                reflect.Type
	optional          bool
}

// properties are the fields of a struct, with those of embedded ones.
func (src apiSource) properties(of reflect.Type) (out []property) {
	for i := range of.NumField() {
		f := of.Field(i)
		if f.Anonymous {
			out = append(out, src.properties(f.Type)...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, property{name, src.structs[of.Name()].fields[f.Name], f.Tag.Get("enum"), f.Type, options != ""})
	}
	return out
}

// schema is that of a document.
func (src apiSource) schema(of reflect.Type) object {
	defs := map[string]object{}
	about := src.structs[of.Name()].doc
	out := append(object{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", of.Name()}, {"description", about}}, src.body(of, of.Name(), defs)...)
	if len(defs) > 0 {
		out = append(out, member{"$defs", defs})
	}
	return out
}

// body is the type of a struct; kind is set for documents.
func (src apiSource) body(of reflect.Type, kind string, defs map[string]object) object {
	var properties object
	required := []string{}
	for _, p := range src.properties(of) {
		value := src.value(p, p.of, defs)
		switch {
		case kind != "" && p.name == "apiVersion":
			value = object{{"const", api.APIVersion}}
		case kind != "" && p.name == "kind":
			value = object{{"const", kind}}
		}
		properties = append(properties, member{p.name, append(object{{"description", p.about}}, value...)})
		if !p.optional {
			required = append(required, p.name)
		}
	}
	return object{{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}}
}

// value is the type of a field.
func (src apiSource) value(p property, of reflect.Type, defs map[string]object) object {
	text := object{{"type", "string"}}
	if p.enum != "" {
		text = append(text, member{"enum", src.enums[p.enum]})
	}
	switch of {
	case reflect.TypeFor[time.Time]():
		return object{{"type", "string"}, {"format", "date-time"}}
	case reflect.TypeFor[api.Duration]():
		return object{{"type", "string"}, {"pattern", `^-?(\d+(\.\d+)?(h|m|s|ms|µs|ns))+$`}}
	}
	switch of.Kind() {
	case reflect.Pointer:
		return src.value(p, of.Elem(), defs)
	case reflect.String:
		return text
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Int, reflect.Int64:
		if p.enum != "" {
			return object{{"type", "integer"}, {"enum", src.enums[p.enum]}}
		}
		return object{{"type", "integer"}}
	case reflect.Uint64:
		return object{{"type", "integer"}, {"minimum", 0}}
	case reflect.Slice:
		return object{{"type", "array"}, {"items", src.value(p, of.Elem(), defs)}}
	case reflect.Map:
		out := object{{"type", "object"}}
		if p.enum != "" {
			out = append(out, member{"propertyNames", object{{"enum", src.enums[p.enum]}}})
		}
		return append(out, member{"additionalProperties", src.value(property{}, of.Elem(), defs)})
	case reflect.Struct:
		if _, known := defs[of.Name()]; !known {
			defs[of.Name()] = nil
			defs[of.Name()] = append(object{{"description", src.structs[of.Name()].doc}}, src.body(of, "", defs)...)
		}
		return object{{"$ref", "#/$defs/" + of.Name()}}
	}
	panic("a document has no " + of.String())
}

// reference is what docs/reference/json.md says of all documents, each type once.
func (src apiSource) reference() string {
	var out strings.Builder
	told := map[string]bool{} // by name; the fields of a document count as the document
	var tell func(of reflect.Type, depth string)
	tell = func(of reflect.Type, depth string) {
		told[typeTitle(of)] = true
		fmt.Fprintf(&out, "\n%s %s\n\n%s\n\n| field | type | what |\n|---|---|---|\n", depth, typeTitle(of), src.structs[of.Name()].doc)
		var next []reflect.Type
		for _, p := range src.properties(of) {
			if p.name == "apiVersion" || p.name == "kind" {
				continue
			}
			name, about := "`"+p.name+"`", p.about
			if p.optional {
				name += "?"
			}
			if values := src.enums[p.enum]; len(values) > 0 && p.enum != "eventType" && p.enum != "shootRule" {
				about += ". One of"
				for i, v := range values {
					about += strings.Repeat(",", min(i, 1)) + fmt.Sprintf(" `%v`", v)
				}
			}
			fmt.Fprintf(&out, "| %s | %s | %s |\n", name, typeName(p.of), about)
			if of := within(p.of); of.Kind() == reflect.Struct && of != reflect.TypeFor[time.Time]() && !told[typeTitle(of)] && !slices.Contains(next, of) {
				next = append(next, of)
			}
		}
		for _, of := range next {
			if !told[typeTitle(of)] {
				tell(of, "####")
			}
		}
	}
	for _, doc := range documents {
		tell(reflect.TypeOf(doc), "###")
	}
	return out.String() + "\n"
}

// within is the type of what a list, a map or a pointer has.
func within(of reflect.Type) reflect.Type {
	for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	return of
}

// typeTitle is the heading of a type.
func typeTitle(of reflect.Type) string { return strings.TrimSuffix(of.Name(), "Fields") }

// typeName is a type for people.
func typeName(of reflect.Type) string {
	switch {
	case of == reflect.TypeFor[time.Time]():
		return "time"
	case of == reflect.TypeFor[api.Duration]():
		return "duration"
	}
	switch of.Kind() {
	case reflect.Pointer:
		return typeName(of.Elem())
	case reflect.Slice:
		return "list of " + typeName(of.Elem())
	case reflect.Map:
		return "map to " + typeName(of.Elem())
	case reflect.Struct:
		name := typeTitle(of)
		return "[" + name + "](#" + strings.ToLower(name) + ")"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	}
	return "number"
}
