package world

import "slices"

// Partial reports whether all of the cluster is known but its pods, which are being read
// for the first time. Such a world is for those who look: nothing is decided before
// Cluster is fresh.
func (w *World) Partial() bool { return w.early != nil }

// KnowsPodsOn reports whether the pods of a node have been read.
func (w *World) KnowsPodsOn(node string) bool {
	_, early := w.early[node]
	return early || !w.Partial()
}

// SetEarly says which pods are on a node whose pods are read before those of all others.
// Only PodsOn knows of them. It says nothing new once the world is not partial any more.
func (w *World) SetEarly(node string, pods []*Pod) {
	if !w.Partial() {
		return
	}
	list := make([]*Pod, len(pods))
	for i, p := range pods {
		list[i] = p.Clean()
	}
	slices.SortFunc(list, InOrder)
	w.early[node] = list
}

// settle begins to be partial with the cluster's nodes, and ends it with the whole.
func (w *World) settle() {
	switch {
	case !w.Health[Cluster].Fresh.IsZero():
		w.early = nil
	case !w.Health[Nodes].Fresh.IsZero() && w.early == nil:
		w.early = map[string][]*Pod{}
	}
}
