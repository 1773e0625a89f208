package shoot

import (
	"errors"
	"fmt"

	"github.com/drainboard/drainboard/engine/world"
)

// fill puts into a Shoot what Gardener's API fills in where a manifest leaves it out, as far
// as it counts here: a Shoot that was read from the API and a manifest of the same compare
// as equal (gardener, pkg/apis/core/v1beta1/defaults_shoot.go).
func fill(object map[string]any) error {
	if _, ok := object["spec"].(map[string]any); !ok {
		return errors.New("the Shoot has no spec")
	}
	list, there := at(object, "spec", "provider", "workers")
	if items, ok := list.([]any); there && list != nil {
		if !ok {
			return errors.New("spec.provider.workers is not a list")
		}
		for i, item := range items {
			if _, ok := item.(map[string]any); !ok {
				return fmt.Errorf("spec.provider.workers[%d] is not a pool", i)
			}
		}
	}
	if len(workers(object)) == 0 {
		return nil // a Shoot without workers has none of these
	}
	for _, d := range []struct {
		value any
		path  []string
	}{
		{"80m", []string{"kubeReserved", "cpu"}},
		{"1Gi", []string{"kubeReserved", "memory"}},
		{"20k", []string{"kubeReserved", "pid"}},
		{true, []string{"failSwapOn"}},
		{50.0, []string{"imageGCHighThresholdPercent"}},
		{40.0, []string{"imageGCLowThresholdPercent"}},
		{true, []string{"serializeImagePulls"}},
	} {
		if err := fillIn(object, d.value, append([]string{"spec", "kubernetes", "kubelet"}, d.path...)...); err != nil {
			return err
		}
	}
	if err := fillIn(object, "IPTables", "spec", "kubernetes", "kubeProxy", "mode"); err != nil {
		return err
	}
	for _, w := range workers(object) {
		if err := fillWorker(w); err != nil {
			return err
		}
	}
	return nil
}

func fillWorker(w map[string]any) error {
	for _, d := range []struct {
		value any
		path  []string
	}{
		{world.AutoRollingUpdate, []string{"updateStrategy"}},
		{"containerd", []string{"cri", "name"}},
		{true, []string{"systemComponents", "allow"}},
	} {
		if err := fillIn(w, d.value, d.path...); err != nil {
			return err
		}
	}
	strategy, _ := w["updateStrategy"].(string)
	if inPlace(strategy) {
		if err := fillIn(w, true, "machineControllerManager", "disableHealthTimeout"); err != nil {
			return err
		}
	}
	surge, unavailable := 1.0, 0.0
	switch strategy {
	case world.ManualInPlaceUpdate:
		return nil // it must have neither
	case world.AutoInPlaceUpdate:
		surge, unavailable = 0, 1
	}
	if err := fillIn(w, surge, "maxSurge"); err != nil {
		return err
	}
	return fillIn(w, unavailable, "maxUnavailable")
}

// fillIn sets a field that is not there.
func fillIn(m map[string]any, value any, path ...string) error {
	for i, key := range path[:len(path)-1] {
		switch next := m[key].(type) {
		case map[string]any:
			m = next
		case nil:
			made := map[string]any{}
			m[key] = made
			m = made
		default:
			return fmt.Errorf("%s is not a map", join(path[:i+1]))
		}
	}
	if last := path[len(path)-1]; m[last] == nil {
		m[last] = value
	}
	return nil
}

// at is a field of an object, false if it is not there.
func at(m map[string]any, path ...string) (any, bool) {
	var x any = m
	for _, key := range path {
		next, ok := x.(map[string]any)
		if !ok {
			return nil, false
		}
		if x, ok = next[key]; !ok {
			return nil, false
		}
	}
	return x, true
}

// workers are the pools of a Shoot, in its order.
func workers(object map[string]any) []map[string]any {
	list, _ := at(object, "spec", "provider", "workers")
	items, _ := list.([]any)
	var out []map[string]any
	for _, item := range items {
		if w, ok := item.(map[string]any); ok {
			out = append(out, w)
		}
	}
	return out
}
