package names

import (
	"reflect"
	"slices"
	"testing"
)

// A name that Gardener's API never had is found wherever it stands, with its path.
func TestUnknown(t *testing.T) {
	shoot := map[string]any{
		"apiVersion": "core.gardener.cloud/v1beta1", "kind": "Shoot", "metadata": map[string]any{"name": "a"},
		"spec": map[string]any{
			"kubernets":  1,
			"kubernetes": map[string]any{"version": "1.33.0", "kubelet": map[string]any{"kubeReserved": map[string]any{"cpu": "1", "gpu": "1"}}},
			"provider": map[string]any{"type": "aws", "workers": []any{map[string]any{
				"name": "web", "labels": map[string]any{"any": "x"}, "providerConfig": map[string]any{"any": 1},
				"machineControllerManager": map[string]any{"inPlaceUpdateTimeout": "1h", "machineInPlaceUpdateTimeout": "1h"},
			}}},
		},
		"status": map[string]any{"inPlaceUpdates": map[string]any{"pendingWorkerUpdates": map[string]any{"autoInPlaceUpdate": []any{"a"}, "auto": 1}}},
	}
	want := []string{
		"spec.kubernetes.kubelet.kubeReserved.gpu", "spec.kubernets", "spec.provider.workers[web].machineControllerManager.machineInPlaceUpdateTimeout",
		"status.inPlaceUpdates.pendingWorkerUpdates.auto",
	}
	if got := Kind("core.Shoot").Unknown(shoot); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// The kinds of two groups that have one name are two.
	if got := Kind("core.Machine").Unknown(map[string]any{"type": 1, "spec": 1}); !slices.Equal(got, []string{"spec"}) {
		t.Errorf("%q", got)
	}
	if got := Kind("machine.Machine").Unknown(map[string]any{"type": 1, "spec": map[string]any{"inPlaceUpdateTimeout": 1}}); !slices.Equal(got, []string{"type"}) {
		t.Errorf("%q", got)
	}
}

// The names of a Go struct are compared with those of a type.
func TestMisnamed(t *testing.T) {
	type Base struct {
		Right int `json:"creationTimeout"`
		Bad   int `json:"machineCreationTimeout"`
	}
	type embedded struct { // which JSON has as well
		Bad int `json:"limits"`
		_   int
	}
	type form struct {
		Kind string `json:"kind"`
		Spec *struct {
			Base `json:",inline"`
			None int `json:"-"`
			embedded
		} `json:"spec"`
		Wrong int `json:"state"`
	}
	if got := Kind("machine.Machine").Misnamed(reflect.TypeFor[form]()); !slices.Equal(got, []string{"spec.machineCreationTimeout", "spec.limits", "state"}) {
		t.Errorf("%q", got)
	}
	if got := Kind("machine.MachineSpec").Misnamed(reflect.TypeFor[struct{ embedded }]()); !slices.Equal(got, []string{"limits"}) {
		t.Errorf("at the top: %q", got)
	}
	if got := (Type{}).Misnamed(reflect.TypeFor[form]()); got != nil {
		t.Errorf("of nothing: %q", got)
	}
}

// Lists that kubectl apply merges have the key by which it does.
func TestMergeKeys(t *testing.T) {
	spec, _, _ := Kind("core.Shoot").Field("spec")
	provider, _, _ := spec.Field("provider")
	for _, c := range []struct {
		of        Type
		name, key string
	}{{provider, "workers", "name"}, {spec, "tolerations", "key"}, {Kind("core.Worker"), "zones", ""}, {Kind("core.Worker"), "dataVolumes", ""}} {
		if _, key, has := c.of.Field(c.name); key != c.key || !has {
			t.Errorf("%s: %q, %t", c.name, key, has)
		}
	}
	if _, _, has := provider.Field("pools"); has {
		t.Error("a name that there is not is known")
	}
}
