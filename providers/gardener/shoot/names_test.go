package shoot

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/drainboard/drainboard/providers/gardener/names"
)

// formerly are names that Gardener's API had, with the version that has them no more.
var formerly = map[string]string{
	"spec.kubernetes.kubelet.systemReserved": "v1.141", "kubernetes.kubelet.systemReserved": "v1.141",
}

// Every JSON name that is read of a Shoot or a profile is one of Gardener's API.
func TestNamesReadAreGardeners(t *testing.T) {
	for _, c := range []struct {
		of   string
		form reflect.Type
	}{
		{"core.Shoot", reflect.TypeFor[form]()}, {"core.CloudProfileSpec", reflect.TypeFor[profileSpec]()}, {"core.Worker", reflect.TypeFor[worker]()},
		{"core.MachineControllerManagerSettings", reflect.TypeFor[settings]()},
	} {
		if !names.Kind(c.of).Known() {
			t.Fatalf("%s is no type", c.of)
		}
		for _, name := range names.Kind(c.of).Misnamed(c.form) {
			if last := strings.TrimPrefix(name, "spec.provider.workers."); formerly[last] == "" {
				t.Errorf("%s has no %s", c.of, name)
			}
		}
	}
}

// What the tables speak of, and what is filled in, has Gardener's names.
func TestNamesInTablesAreGardeners(t *testing.T) {
	path := regexp.MustCompile(`^[a-zA-Z.\[\]]+`)
	checked := 0
	for _, r := range triggers {
		if strings.HasPrefix(r.field, "metadata.") {
			continue
		}
		checked++
		of := names.Kind("core.Shoot")
		for step := range strings.SplitSeq(path.FindString(strings.TrimSuffix(r.field, " (any other field)")), ".") {
			next, _, has := of.Field(strings.TrimSuffix(step, "[]"))
			if short := strings.TrimPrefix(r.field, "spec.provider.workers[]."); !has && formerly[short] == "" {
				t.Errorf("%s: Gardener's API has no %q there", r.field, step)
			}
			of = next
		}
	}
	if checked < 30 {
		t.Errorf("%d fields were looked at", checked)
	}
	for _, path := range ownRows {
		of := names.Kind("core.Worker")
		for _, step := range path {
			next, _, has := of.Field(step)
			if !has {
				t.Errorf("worker.%s: Gardener's API has no %q there", strings.Join(path, "."), step)
			}
			of = next
		}
	}
	noUnknown(t, "what is filled in", baseShoot(t, "").object)
}

// noUnknownIn sees that a fixture, as YAML, has no field that a type of Gardener's API does not have.
func noUnknownIn(t *testing.T, of names.Type, what, text string) {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	if !of.Known() {
		t.Fatalf("%s: of no type", what)
	}
	for _, field := range of.Unknown(object) {
		t.Errorf("%s: Gardener's API has no %s", what, field)
	}
}

// noUnknown sees that a Shoot of a fixture has no field that Gardener's API does not have.
func noUnknown(t *testing.T, what string, object map[string]any) {
	t.Helper()
	for _, field := range names.Kind("core.Shoot").Unknown(object) {
		if formerly[regexp.MustCompile(`spec\.provider\.workers\[\w+\]\.`).ReplaceAllString(field, "")] == "" && !strings.HasPrefix(field, "spec.addons.") && !strings.HasSuffix(field, ".fieldOfTomorrow") {
			t.Errorf("%s: Gardener's API has no %s", what, field)
		}
	}
}
