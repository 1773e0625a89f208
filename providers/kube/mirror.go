package kube

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/cache"

	"github.com/drainboard/drainboard/engine/world"
)

// mirror is the store that a reflector fills. Of each object it keeps only the
// slim value that the world shows, and passes on only what differs.
type mirror[T any] struct {
	// kind is for errors, key what the world knows the object by.
	kind string
	key  func(obj any) (string, error)
	// slim drops from an object what convert does not read; nil keeps it.
	slim    cache.TransformFunc
	convert func(obj any) (*T, bool)
	// emit passes on what changed.
	emit func(changed []*T, gone []string)
	// synced is called after every full list.
	synced func()

	have map[string]*T
}

var _ cache.TransformingStore = (*mirror[int])(nil)

// Transformer lets the reflector slim objects while it still gathers a list.
func (m *mirror[T]) Transformer() cache.TransformFunc { return m.slim }

// Add takes in a new object.
func (m *mirror[T]) Add(obj any) error {
	key, v, err := m.take(obj)
	if err != nil {
		return err
	}
	if old := m.have[key]; old != nil && reflect.DeepEqual(old, v) {
		return nil
	}
	m.have[key] = v
	m.emit([]*T{v}, nil)
	return nil
}

// Update takes in a changed object.
func (m *mirror[T]) Update(obj any) error { return m.Add(obj) }

// Delete drops an object.
func (m *mirror[T]) Delete(obj any) error {
	key, err := m.key(obj)
	if err != nil {
		return err
	}
	if m.have[key] != nil {
		delete(m.have, key)
		m.emit(nil, []string{key})
	}
	return nil
}

// Replace takes in a whole list: what is not in it is gone.
func (m *mirror[T]) Replace(list []any, _ string) error {
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
	m.emit(changed, gone)
	m.synced()
	return nil
}

// Resync has nothing to do: nothing here depends on being told again.
func (m *mirror[T]) Resync() error { return nil }

func (m *mirror[T]) take(obj any) (string, *T, error) {
	key, err := m.key(obj)
	if err != nil {
		return "", nil, err
	}
	if i, ok := obj.(*item[T]); ok {
		return key, i.value, nil
	}
	v, ok := m.convert(obj)
	if !ok {
		return "", nil, fmt.Errorf("expected %s, got %T", m.kind, obj)
	}
	return key, v, nil
}

func byName(obj any) (string, error) {
	o, err := meta.Accessor(obj)
	if err != nil {
		return "", err
	}
	if o.GetNamespace() == "" {
		return world.Clean(o.GetName()), nil
	}
	return world.Clean(o.GetNamespace()) + "/" + world.Clean(o.GetName()), nil
}

// byBareName is byName for kinds that are read in one namespace only.
func byBareName(obj any) (string, error) {
	o, err := meta.Accessor(obj)
	if err != nil {
		return "", err
	}
	return world.Clean(o.GetName()), nil
}

func byUID(obj any) (string, error) {
	o, err := meta.Accessor(obj)
	if err != nil {
		return "", err
	}
	return string(o.GetUID()), nil
}
