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
	sorted []*Pod          // nil before it was asked for, and when too much has changed since
	// came and gone are what has changed since the list was sorted. A pod may be in both.
	came, gone []*Pod
	// derived is what a reader worked out from them, nil when the set has changed since.
	derived any
}

// put puts a pod where it is now, in place of what it was before, if that was there.
func (s podIndexes) put(name string, p *Pod) {
	at := s[name]
	if at == nil {
		at = &podIndex{pods: map[string]*Pod{}}
		s[name] = at
	}
	if old := at.pods[p.UID]; old != nil {
		at.changed(nil, old)
	}
	at.pods[p.UID] = p
	at.changed(p, nil)
}

// move puts a pod where it is now, and takes it from where it was.
func (s podIndexes) move(from, to string, p *Pod) {
	if from != to && s[from] != nil && s[from].pods[p.UID] != nil {
		s.take(from, p.UID)
	}
	s.put(to, p)
}

func (s podIndexes) take(name, uid string) {
	at := s[name]
	at.changed(nil, at.pods[uid])
	delete(at.pods, uid)
	if len(at.pods) == 0 {
		delete(s, name)
	}
}

// fewChanges is up to how many changes the sorted list of n pods is merged with them: beyond it,
// sorting afresh costs no more.
func fewChanges(n int) int { return max(4, n/8) }

// changed notes a pod that came, or one that is gone.
func (at *podIndex) changed(came, gone *Pod) {
	at.derived = nil
	switch {
	case at.sorted == nil:
	case len(at.came)+len(at.gone) >= fewChanges(len(at.sorted)):
		at.sorted, at.came, at.gone = nil, nil, nil
	case came != nil:
		at.came = append(at.came, came)
	default:
		at.gone = append(at.gone, gone)
	}
}

// merge is the sorted list with what has changed since. The old one stays as it is.
func (at *podIndex) merge() []*Pod {
	at.came = slices.DeleteFunc(at.came, func(p *Pod) bool { return at.pods[p.UID] != p })
	slices.SortFunc(at.came, InOrder)
	at.came = slices.Compact(at.came) // one that was set twice
	slices.SortFunc(at.gone, InOrder)
	out, rest := make([]*Pod, 0, len(at.pods)), at.sorted
	upTo := func(p *Pod) (found bool) { // moves what lies before p from rest to out
		n, found := slices.BinarySearchFunc(rest, p, InOrder)
		out, rest = append(out, rest[:n]...), rest[n:]
		return found
	}
	gone := at.gone
	for _, p := range at.came {
		for len(gone) > 0 && InOrder(gone[0], p) <= 0 {
			if upTo(gone[0]) {
				rest = rest[1:]
			}
			gone = gone[1:]
		}
		upTo(p)
		out = append(out, p)
	}
	for _, p := range gone {
		if upTo(p) {
			rest = rest[1:]
		}
	}
	return append(out, rest...)
}

// list returns the pods in order. A list that was given away is never changed:
// the next one after a change is another.
func (s podIndexes) list(name string) []*Pod {
	at := s[name]
	if at == nil {
		return nil
	}
	switch {
	case at.sorted == nil:
		at.sorted = slices.SortedFunc(maps.Values(at.pods), InOrder)
	case len(at.came)+len(at.gone) > 0:
		at.sorted, at.came, at.gone = at.merge(), nil, nil
	}
	return at.sorted
}

// InOrder compares pods by namespace, name and UID, as lists of them are sorted.
func InOrder(a, b *Pod) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
}

// forget drops the lists: the next ones are others.
func (s podIndexes) forget() {
	for _, at := range s {
		at.sorted, at.came, at.gone, at.derived = nil, nil, nil, nil
	}
}
