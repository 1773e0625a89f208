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
	"github.com/drainboard/drainboard/providers/gardener/names"
)

// lastApplied is where kubectl apply keeps what it was given.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// operationKey is the annotation that asks Gardener for an operation.
const operationKey = "gardener.cloud/operation"

// How says how a manifest changes a Shoot.
type How string

const (
	// Applies: as kubectl apply. Pools are merged by name, what the manifest never spoke of
	// stays, and what the one before had and this one does not goes.
	Applies How = "applies"
	// Adds: the same, but what was applied last is not known, so that nothing goes.
	Adds How = "adds"
	// Replaces: as kubectl edit or replace. The manifest is the whole Shoot as the API gave it.
	Replaces How = "replaces"
)

// Apply is what the Shoot becomes when kubectl is given a manifest. Lists are merged by Gardener's
// keys. The status stays as it is: only Gardener writes it.
func (s *Shoot) Apply(manifest *Shoot) (become *Shoot, how How, err error) {
	if ns := manifest.Metadata.Namespace; ns != "" && s.Metadata.Namespace != "" && ns != s.Metadata.Namespace || manifest.Metadata.Name != s.Metadata.Name {
		return nil, "", fmt.Errorf("the change is for Shoot %s, not for %s", manifest.Ref(), s.Ref())
	}
	object := clone(s.object)
	last, known := s.applied()
	if !known {
		last = nil
	}
	switch how = Applies; {
	case manifest.served():
		how, object["spec"] = Replaces, clone(manifest.object)["spec"]
	case !known:
		how = Adds
		fallthrough
	default:
		lay(names.Kind("core.ShootSpec"), under(object, "spec"), under(last, "spec"), clone(under(manifest.given, "spec")))
	}
	for key, value := range manifest.Metadata.Annotations {
		if key == lastApplied {
			continue
		}
		if err := fillIn(object, map[string]any{}, "metadata", "annotations"); err != nil {
			return nil, "", err
		}
		notes, _ := at(object, "metadata", "annotations")
		notes.(map[string]any)[key] = value
	}
	become, err = s.with(object)
	return become, how, err
}

// applied is the manifest that was applied last: what kubectl apply has left on the Shoot, or
// the Shoot itself where it did not come from the API.
func (s *Shoot) applied() (last map[string]any, known bool) {
	if given := s.Metadata.Annotations[lastApplied]; given != "" && json.Unmarshal([]byte(given), &last) == nil {
		return last, true
	}
	return s.given, !s.served() && s.given["status"] == nil
}

// served reports whether the Shoot is as the API gave it.
func (s *Shoot) served() bool {
	_, served := at(s.given, "metadata", "resourceVersion")
	return served
}

// under is a map of an object, empty where there is none.
func under(m map[string]any, field string) map[string]any {
	in, ok := m[field].(map[string]any)
	if !ok {
		return map[string]any{}
	}
	return in
}

// lay lays what is wanted over what is there, as a strategic merge patch does: maps field by
// field, lists that have a key item by item, everything else as a whole. What was wanted before
// and is not any more goes.
func lay(of names.Type, there, before, wanted map[string]any) {
	for key := range before {
		if _, still := wanted[key]; !still {
			delete(there, key)
		}
	}
	for key, value := range wanted {
		next, by, _ := of.Field(key)
		deep, isMap := value.(map[string]any)
		below, wasMap := there[key].(map[string]any)
		items, isList := value.([]any)
		old, _ := there[key].([]any)
		last, _ := before[key].([]any)
		switch {
		case value == nil:
			delete(there, key)
		case isMap && wasMap:
			lay(next, below, under(before, key), deep)
		case isList && by != "" && keyed(by, items, old, last):
			there[key] = layList(next, by, old, last, items)
		default:
			there[key] = value
		}
	}
}

// keyed reports whether all items of some lists are maps with a key.
func keyed(by string, lists ...[]any) bool {
	for _, item := range slices.Concat(lists...) {
		if m, ok := item.(map[string]any); !ok || m[by] == nil {
			return false
		}
	}
	return true
}

// layList merges lists item by item, which a key tells apart.
func layList(of names.Type, by string, there, before, wanted []any) (out []any) {
	find := func(list []any, item any) map[string]any {
		for _, other := range list {
			if m := other.(map[string]any); m[by] == item.(map[string]any)[by] {
				return m
			}
		}
		return nil
	}
	for _, item := range wanted {
		if old := find(there, item); old != nil {
			lay(of, old, find(before, item), item.(map[string]any))
			item = old
		}
		out = append(out, item)
	}
	for _, item := range there {
		if find(wanted, item) == nil && find(before, item) == nil {
			out = append(out, item)
		}
	}
	return out
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
