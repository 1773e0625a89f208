package gardener

import (
	"os"
	"reflect"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/drainboard/drainboard/providers/gardener/names"
)

// What the lab has of a Shoot has the names of Gardener's API, in the types that it reads and
// writes and in the definition that the API server checks by; and the lists there are merged by
// Gardener's keys.
func TestNamesAreGardeners(t *testing.T) {
	of := names.Kind("core.Shoot")
	for _, name := range of.Misnamed(reflect.TypeFor[struct {
		Spec   shootSpec   `json:"spec"`
		Status shootStatus `json:"status"`
	}]()) {
		t.Errorf("Gardener's Shoot has no %s", name)
	}
	text, err := os.ReadFile("shoot_crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					Is shootSchema `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	checked := 0
	crd.Spec.Versions[0].Schema.Is.check(of, "", "", func(path, problem string) {
		if checked++; problem != "" {
			t.Errorf("%s: %s", path, problem)
		}
	})
	if checked < 60 {
		t.Errorf("%d fields were looked at", checked)
	}
}

// shootSchema is what of a schema counts here.
type shootSchema struct {
	Properties map[string]shootSchema `json:"properties"`
	Items      *shootSchema           `json:"items"`
	Keys       []string               `json:"x-kubernetes-list-map-keys"`
}

// check tells of every field of a schema, with what is wrong about it.
func (s shootSchema) check(of names.Type, path, key string, tell func(path, problem string)) {
	if s.Items != nil {
		switch {
		case key == "" && len(s.Keys) > 0:
			tell(path, "Gardener's API replaces this list as a whole")
		case key != "" && (len(s.Keys) != 1 || s.Keys[0] != key):
			tell(path, "Gardener's API merges this list by "+key)
		}
		s.Items.check(of, path+"[]", "", tell)
	}
	for name, under := range s.Properties {
		next, key, has := of.Field(name)
		problem := ""
		if of.Known() && !has {
			problem = "Gardener's Shoot has no such field"
		}
		tell(path+"."+name, problem)
		under.check(next, path+"."+name, key, tell)
	}
}
