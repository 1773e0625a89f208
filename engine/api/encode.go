package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// APIVersion is the apiVersion of all documents.
const APIVersion = "drainboard/v1"

// TypeMeta says what a document is. Marshal fills it in.
type TypeMeta struct {
	APIVersion string `json:"apiVersion"` // drainboard/v1
	Kind       string `json:"kind"`       // What the document is; its schema has the same name
}

// Duration is a time span, written as Go does: 1m30s.
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// Marshal is a document in JSON on one line, which it ends. It panics if doc is no document:
// then the program is wrong.
func Marshal(doc any) []byte { return encode(doc, "") }

// MarshalIndent is a document in JSON for people too, which a line feed ends.
func MarshalIndent(doc any) []byte { return encode(doc, "  ") }

func encode(doc any, indent string) []byte {
	of := reflect.New(reflect.TypeOf(doc)).Elem()
	of.Set(reflect.ValueOf(doc))
	of.FieldByName("TypeMeta").Set(reflect.ValueOf(TypeMeta{APIVersion, of.Type().Name()}))
	fillEmpty(of)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", indent)
	enc.SetEscapeHTML(false) // <none> is read in pipelines, and no browser reads it
	if err := enc.Encode(of.Interface()); err != nil {
		panic(fmt.Sprintf("%s is a plain value: %v", of.Type(), err))
	}
	return out.Bytes()
}

// fillEmpty makes lists and maps that are nil empty, so that they are not written as null.
func fillEmpty(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fillEmpty(v.Elem())
		}
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		if v.Type().Elem().Kind() == reflect.Struct {
			for i := range v.Len() {
				fillEmpty(v.Index(i))
			}
		}
	case reflect.Map:
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for _, field := range v.Fields() {
			fillEmpty(field)
		}
	}
}

// Word is a value as documents have it: parts are joined by hyphens ("grace period" is
// grace-period). A value of one part stays as it is.
func Word(value string) string {
	if !strings.Contains(value, " ") {
		return value
	}
	return strings.ToLower(strings.ReplaceAll(value, " ", "-"))
}
