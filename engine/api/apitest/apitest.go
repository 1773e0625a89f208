package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/drainboard/drainboard/engine/api"
)

// Dir is the folder of the schemas: of the repository that the working directory, a package's
// when its tests run, is in.
var Dir = func() string {
	schemas := filepath.Join("docs", "reference", "schema")
	for up := "."; ; up = filepath.Join("..", up) {
		if _, err := os.Stat(filepath.Join(up, schemas)); err == nil {
			return filepath.Join(up, schemas)
		}
		if at, err := filepath.Abs(up); err != nil || at == filepath.Dir(at) {
			return schemas
		}
	}
}()

var (
	mu      sync.Mutex
	schemas = map[string]*jsonschema.Schema{}
)

// Valid fails a test unless text is one or more documents, each as the schema of its kind has
// it. It returns their kinds in order.
func Valid(t testing.TB, text []byte) (kinds []string) {
	t.Helper()
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var doc json.RawMessage
		switch err := dec.Decode(&doc); {
		case errors.Is(err, io.EOF):
			if len(kinds) == 0 {
				t.Errorf("there is no document in %q", text)
			}
			return kinds
		case err != nil:
			t.Fatalf("this is no JSON (%v): %s", err, text)
		}
		var is api.TypeMeta
		if err := json.Unmarshal(doc, &is); err != nil || is.APIVersion != api.APIVersion {
			t.Fatalf("this says not what it is (%v): %s", err, doc)
		}
		kinds = append(kinds, is.Kind)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema(t, is.Kind).Validate(value); err != nil {
			t.Errorf("%v\n%s", err, doc)
		}
	}
}

// schema is that of a kind.
func schema(t testing.TB, kind string) *jsonschema.Schema {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	if s := schemas[kind]; s != nil {
		return s
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	s, err := c.Compile(filepath.Join(Dir, kind+".json"))
	if err != nil {
		t.Fatal(err)
	}
	schemas[kind] = s
	return s
}
