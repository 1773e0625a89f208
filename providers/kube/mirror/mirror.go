package mirror

import (
	"fmt"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"

	"github.com/drainboard/drainboard/engine/world"
)

// Mirror is the store that a reflector fills. Of each object it keeps only a slim value T, and passes
// on only what differs. Set its fields before Reflector.
type Mirror[T any] struct {
	// Key is what an object is known by: ByName, ByBareName or ByUID.
	Key func(obj any) (string, error)
	// Slim drops from an object what Convert does not read; nil keeps it.
	Slim cache.TransformFunc
	// Convert makes the value of an object; false if the object is of another kind.
	Convert func(obj any) (*T, bool)
	// Emit passes on what changed, and the keys of what is gone. It is called on the reflector's
	// goroutine, and must not block.
	Emit func(changed []*T, gone []string)

	kind   string // for errors
	synced func() // is called after every full list
	have   map[string]*T
}

var _ cache.TransformingStore = (*Mirror[int])(nil)

// Have is what there is, by key. It may be read within Emit only.
func (m *Mirror[T]) Have() map[string]*T { return m.have }

// Reflector fills m from s, with pages of so many objects, while it runs. example is an object of
// the kind.
func Reflector[T any](example runtime.Object, s *Source, m *Mirror[T], pageSize int64) *cache.Reflector {
	m.kind, m.have, m.synced = s.Resource, map[string]*T{}, s.synced
	r := cache.NewReflectorWithOptions(listWatch{s}, example, m, cache.ReflectorOptions{
		Name: "drainboard/" + s.Resource,
		// An API that comes back is noticed within seconds, not half a minute.
		Backoff: &wait.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Jitter: 0.5, Steps: 10, Cap: 4 * time.Second},
	})
	r.WatchListPageSize = pageSize
	return r
}

// Transformer lets the reflector slim objects while it still gathers a list.
func (m *Mirror[T]) Transformer() cache.TransformFunc { return m.Slim }

// Add takes in a new object.
func (m *Mirror[T]) Add(obj any) error {
	key, v, err := m.take(obj)
	if err != nil {
		return err
	}
	if old := m.have[key]; old != nil && reflect.DeepEqual(old, v) {
		return nil
	}
	m.have[key] = v
	m.Emit([]*T{v}, nil)
	return nil
}

// Update takes in a changed object.
func (m *Mirror[T]) Update(obj any) error { return m.Add(obj) }

// Delete drops an object.
func (m *Mirror[T]) Delete(obj any) error {
	key, err := m.Key(obj)
	if err != nil {
		return err
	}
	if m.have[key] != nil {
		delete(m.have, key)
		m.Emit(nil, []string{key})
	}
	return nil
}

// Replace takes in a whole list: what is not in it is gone.
func (m *Mirror[T]) Replace(list []any, _ string) error {
	next := make(map[string]*T, len(list))
	var changed []*T
	for _, obj := range list {
		key, v, err := m.take(obj)
		if err != nil {
			return err
		}
		if old := m.have[key]; old != nil && reflect.DeepEqual(old, v) {
			v = old
		} else {
			changed = append(changed, v)
		}
		next[key] = v
	}
	var gone []string
	for key := range m.have {
		if next[key] == nil {
			gone = append(gone, key)
		}
	}
	m.have = next
	m.Emit(changed, gone)
	m.synced()
	return nil
}

// Resync has nothing to do: nothing here depends on being told again.
func (m *Mirror[T]) Resync() error { return nil }

func (m *Mirror[T]) take(obj any) (string, *T, error) {
	key, err := m.Key(obj)
	if err != nil {
		return "", nil, err
	}
	if i, ok := obj.(*Item[T]); ok {
		return key, i.Value, nil
	}
	v, ok := m.Convert(obj)
	if !ok {
		return "", nil, fmt.Errorf("expected %s, got %T", m.kind, obj)
	}
	return key, v, nil
}

// ByName is an object's "namespace/name", or its name where it is in no namespace, clean.
func ByName(obj any) (string, error) {
	o, err := meta.Accessor(obj)
	if err != nil {
		return "", err
	}
	if o.GetNamespace() == "" {
		return world.Clean(o.GetName()), nil
	}
	return world.Clean(o.GetNamespace()) + "/" + world.Clean(o.GetName()), nil
}

// ByBareName is ByName for kinds that are read in one namespace only.
func ByBareName(obj any) (string, error) {
	o, err := meta.Accessor(obj)
	if err != nil {
		return "", err
	}
	return world.Clean(o.GetName()), nil
}

// ByUID is an object's UID.
func ByUID(obj any) (string, error) {
	o, err := meta.Accessor(obj)
	if err != nil {
		return "", err
	}
	return string(o.GetUID()), nil
}

// Slimming is a Slim that leaves objects of other kinds as they are.
func Slimming[O any](slim func(*O) *O) cache.TransformFunc {
	return func(obj any) (any, error) {
		if o, ok := obj.(*O); ok {
			return slim(o), nil
		}
		return obj, nil
	}
}

// Converting is a Convert of objects O.
func Converting[O, T any](convert func(*O) *T) func(any) (*T, bool) {
	return func(obj any) (*T, bool) {
		o, ok := obj.(*O)
		if !ok {
			return nil, false
		}
		return convert(o), true
	}
}
