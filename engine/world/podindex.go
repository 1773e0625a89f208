package world

import (
	"cmp"
	"maps"
	"slices"
)

// podIndexes are the pods of something by its name: of nodes, namespaces, owners.
type podIndexes map[string]*podIndex

// podIndex is a set of pods, and the sorted list of them once it was asked for it.
type podIndex struct {
	pods   map[string]*Pod // by UID
	sorted []*Pod          // nil when the set has changed since
	// derived is what a reader worked out from them, nil when the set has changed since.
	derived any
}

func (s podIndexes) put(name string, p *Pod) {
	at := s[name]
	if at == nil {
		at = &podIndex{pods: map[string]*Pod{}}
		s[name] = at
	}
	at.pods[p.UID], at.sorted, at.derived = p, nil, nil
}

func (s podIndexes) take(name, uid string) {
	at := s[name]
	delete(at.pods, uid)
	at.sorted, at.derived = nil, nil
	if len(at.pods) == 0 {
		delete(s, name)
	}
}

// list returns the pods in order. A list that was given away is never changed:
// the next one after a change is another.
func (s podIndexes) list(name string) []*Pod {
	at := s[name]
	if at == nil {
		return nil
	}
	if at.sorted == nil {
		at.sorted = slices.SortedFunc(maps.Values(at.pods), inOrder)
	}
	return at.sorted
}

func inOrder(a, b *Pod) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
}

// forget drops the lists: the next ones are others.
func (s podIndexes) forget() {
	for _, at := range s {
		at.sorted, at.derived = nil, nil
	}
}
