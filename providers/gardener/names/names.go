// Package names has the JSON names of Gardener's API: of the Shoot and its profiles
// (core.gardener.cloud/v1beta1), and of the objects of machine-controller-manager
// (machine.sapcloud.io/v1alpha1). They come from the tags of Gardener's own Go types, from
// which its OpenAPI is made, so that no name here or in a test is from memory. The same list
// says which lists kubectl apply merges, and by which key.
package names

import (
	_ "embed"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

//go:embed names.txt
var list string

// Of says which Gardener the names are of.
const Of = "Gardener v1.150"

// field is what is known of a field of a type.
type field struct {
	of   string // the struct that it is, or has many of; "" for all else
	many bool   // a list
	keys bool   // a map with keys of the user's
	key  string // by which kubectl apply merges a list, "" where it replaces the list
}

// types are the fields of each struct.
var types = sync.OnceValue(func() map[string]map[string]field {
	out, group := map[string]map[string]field{}, ""
	for line := range strings.Lines(list) {
		parts := strings.Fields(line)
		switch {
		case len(parts) == 0 || parts[0] == "#":
			continue
		case parts[0] == "group":
			group = parts[1] + "."
			continue
		}
		fields := map[string]field{}
		for _, part := range parts[1:] {
			name, kind, _ := strings.Cut(part, ":")
			of, key, many := strings.Cut(kind, "[")
			fields[name] = field{of: group + strings.TrimSuffix(of, "{}"), many: many, keys: strings.HasSuffix(of, "{}"), key: strings.TrimSuffix(key, "]")}
		}
		out[group+parts[0]] = fields
	}
	return out
})

// Type is a struct of Gardener's API. The zero Type is one of which nothing is known.
type Type struct{ name string }

// Kind is the type of a kind by its API group and name ("core.Shoot", "machine.Machine"), or any
// other struct by its Go name ("core.Worker").
func Kind(name string) Type {
	if types()[name] == nil {
		return Type{}
	}
	return Type{name}
}

// Name is what Kind has it by.
func (t Type) Name() string { return t.name }

// Known reports whether the type is one of Gardener's.
func (t Type) Known() bool { return t.name != "" }

// Field is the type of a field, or of what its list or map has, and the key by which kubectl
// apply merges that list, "" where it does not. has is false where there is no such field.
func (t Type) Field(name string) (of Type, key string, has bool) {
	f, has := types()[t.name][name]
	return Kind(f.of), f.key, has
}

// Unknown lists what an object has that the type does not, as paths below it.
func (t Type) Unknown(object map[string]any) (out []string) {
	t.walk("", object, func(path string) { out = append(out, path) })
	return out
}

func (t Type) walk(path string, object map[string]any, unknown func(string)) {
	if !t.Known() {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value, at := object[name], strings.TrimPrefix(path+"."+name, ".")
		f, has := types()[t.name][name]
		of := Kind(f.of)
		items, isList := value.([]any)
		under, isMap := value.(map[string]any)
		switch {
		case path == "" && (name == "apiVersion" || name == "kind"):
		case !has:
			unknown(at)
		case isList && f.many:
			for i, item := range items {
				if m, ok := item.(map[string]any); ok {
					of.walk(fmt.Sprintf("%s[%s]", at, index(m, i)), m, unknown)
				}
			}
		case isMap && f.keys:
			for _, key := range slices.Sorted(maps.Keys(under)) {
				if m, ok := under[key].(map[string]any); ok {
					of.walk(at+"."+key, m, unknown)
				}
			}
		case isMap:
			of.walk(at, under, unknown)
		}
	}
}

// index names an item of a list, by its name where it has one.
func index(item map[string]any, i int) string {
	if name, ok := item["name"].(string); ok {
		return name
	}
	return fmt.Sprint(i)
}

// Misnamed lists the JSON names of a Go struct that the type does not have, as paths below it.
func (t Type) Misnamed(form reflect.Type) (out []string) {
	t.compare("", form, func(path string) { out = append(out, path) })
	return out
}

func (t Type) compare(path string, form reflect.Type, unknown func(string)) {
	for form.Kind() == reflect.Pointer || form.Kind() == reflect.Slice || form.Kind() == reflect.Map {
		form = form.Elem()
	}
	if !t.Known() || form.Kind() != reflect.Struct {
		return
	}
	for i := range form.NumField() {
		f := form.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		at := strings.TrimPrefix(path+"."+name, ".")
		switch {
		case name == "-", path == "" && (name == "apiVersion" || name == "kind"), !f.IsExported() && !f.Anonymous:
		case strings.Contains(options, "inline") || f.Anonymous && name == "":
			t.compare(path, f.Type, unknown)
		default:
			of, _, has := t.Field(name)
			if !has {
				unknown(at)
			}
			of.compare(at, f.Type, unknown)
		}
	}
}
