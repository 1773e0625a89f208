package shoot

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/world"
)

// lastApplied is where kubectl apply keeps what it was given.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// operationKey is the annotation that asks Gardener for an operation.
const operationKey = "gardener.cloud/operation"

// Apply is what the Shoot becomes when a manifest is applied to it. Where kubectl apply has
// left what it was given last, the manifest is laid over the Shoot as kubectl apply does: what
// neither of the two manifests has stays. Otherwise (threeWay is false) the manifest is the
// whole spec, as with kubectl replace. The status stays as it is: only Gardener writes it.
func (s *Shoot) Apply(manifest *Shoot) (become *Shoot, threeWay bool, err error) {
	if ns := manifest.Metadata.Namespace; ns != "" && s.Metadata.Namespace != "" && ns != s.Metadata.Namespace || manifest.Metadata.Name != s.Metadata.Name {
		return nil, false, fmt.Errorf("the change is for Shoot %s, not for %s", manifest.Ref(), s.Ref())
	}
	object := clone(s.object)
	var last map[string]any
	if given := s.Metadata.Annotations[lastApplied]; given != "" && json.Unmarshal([]byte(given), &last) == nil {
		threeWay = true
		before, _ := at(last, "spec")
		was, _ := before.(map[string]any)
		now, _ := manifest.object["spec"].(map[string]any)
		live, _ := object["spec"].(map[string]any)
		lay(live, was, clone(now))
	} else {
		object["spec"] = clone(manifest.object)["spec"]
	}
	for key, value := range manifest.Metadata.Annotations {
		if key == lastApplied {
			continue
		}
		if err := fillIn(object, map[string]any{}, "metadata", "annotations"); err != nil {
			return nil, false, err
		}
		notes, _ := at(object, "metadata", "annotations")
		notes.(map[string]any)[key] = value
	}
	become, err = s.with(object)
	return become, threeWay, err
}

// lay lays what is wanted over what is there: maps field by field, everything else as a
// whole. What was wanted before and is not any more goes.
func lay(there, before, wanted map[string]any) {
	for key := range before {
		if _, still := wanted[key]; !still {
			delete(there, key)
		}
	}
	for key, value := range wanted {
		deep, isMap := value.(map[string]any)
		under, wasMap := there[key].(map[string]any)
		switch {
		case value == nil:
			delete(there, key)
		case isMap && wasMap:
			was, _ := before[key].(map[string]any)
			lay(under, was, deep)
		default:
			there[key] = value
		}
	}
}

// with is the Shoot with another spec and other annotations. A pool whose image is left out
// keeps the one it has (gardener, plugin/pkg/shoot/validator).
func (s *Shoot) with(object map[string]any) (*Shoot, error) {
	for _, w := range workers(object) {
		name, _ := w["name"].(string)
		old, known := s.pool(name)
		if !known {
			continue
		}
		image, _ := at(old.raw, "machine", "image")
		was, _ := image.(map[string]any)
		if was == nil {
			continue
		}
		if err := fillIn(w, was["name"], "machine", "image", "name"); err != nil {
			return nil, err
		}
		if now, _ := at(w, "machine", "image", "name"); now == was["name"] {
			if err := fillIn(w, was["version"], "machine", "image", "version"); err != nil {
				return nil, err
			}
		}
	}
	return read(object)
}

// WithKubernetes is the Shoot with another version of Kubernetes: of the whole Shoot, or if
// pools are named, of their kubelets.
func (s *Shoot) WithKubernetes(version string, pools []string) (*Shoot, error) {
	if _, err := versionOf(version); err != nil {
		return nil, err
	}
	object := clone(s.object)
	if len(pools) == 0 {
		kubernetes, _ := at(object, "spec", "kubernetes")
		kubernetes.(map[string]any)["version"] = version
		return s.with(object)
	}
	return s.inPools(object, pools, func(w map[string]any) error {
		if err := fillIn(w, version, "kubernetes", "version"); err != nil {
			return err
		}
		kubernetes, _ := at(w, "kubernetes")
		kubernetes.(map[string]any)["version"] = version
		return nil
	})
}

// WithImage is the Shoot with another version of the machine image of its pools, or of those
// that are named.
func (s *Shoot) WithImage(version string, pools []string) (*Shoot, error) {
	if _, err := versionOf(version); err != nil {
		return nil, err
	}
	var images []string
	for _, w := range s.Spec.Provider.Workers {
		if name := world.Clean(w.Machine.Image.Name); (len(pools) == 0 || slices.Contains(pools, w.Name)) && !slices.Contains(images, name) {
			images = append(images, name)
		}
	}
	if len(images) > 1 {
		return nil, fmt.Errorf("the pools have different images (%s): name the POOLs of one of them", strings.Join(images, ", "))
	}
	return s.inPools(clone(s.object), pools, func(w map[string]any) error {
		if err := fillIn(w, version, "machine", "image", "version"); err != nil {
			return err
		}
		image, _ := at(w, "machine", "image")
		image.(map[string]any)["version"] = version
		return nil
	})
}

// inPools changes pools, all if none is named.
func (s *Shoot) inPools(object map[string]any, pools []string, change func(map[string]any) error) (*Shoot, error) {
	if err := s.Has(pools); err != nil {
		return nil, err
	}
	for _, w := range workers(object) {
		if name, _ := w["name"].(string); len(pools) == 0 || slices.Contains(pools, name) {
			if err := change(w); err != nil {
				return nil, err
			}
		}
	}
	return s.with(object)
}

// Has says which of the pools the Shoot does not have, nil if it has them all.
func (s *Shoot) Has(pools []string) error {
	for _, name := range pools {
		if _, ok := s.pool(name); !ok {
			return fmt.Errorf("the Shoot %s has no pool %q; it has %s", s.Ref(), world.Clean(name), s.poolNames())
		}
	}
	return nil
}

func (s *Shoot) poolNames() string {
	return cmp.Or(strings.Join(s.Pools(), ", "), "none")
}

// WithOperation is the Shoot with an operation asked of Gardener.
func (s *Shoot) WithOperation(operation string) (*Shoot, error) {
	if strings.TrimSpace(operation) == "" {
		return nil, errors.New("the operation is empty")
	}
	object := clone(s.object)
	if err := fillIn(object, map[string]any{}, "metadata", "annotations"); err != nil {
		return nil, err
	}
	notes, _ := at(object, "metadata", "annotations")
	notes.(map[string]any)[operationKey] = operation
	return s.with(object)
}

// clone copies an object, deeply.
func clone(m map[string]any) map[string]any {
	out := maps.Clone(m)
	for k, v := range out {
		out[k] = cloneValue(v)
	}
	return out
}

func cloneValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return clone(v)
	case []any:
		list := slices.Clone(v)
		for i := range list {
			list[i] = cloneValue(list[i])
		}
		return list
	}
	return v
}

// join writes a path as Gardener's documents do.
func join(path []string) string { return strings.Join(path, ".") }
