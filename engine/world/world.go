// Package world holds what is known about a cluster and the cloud behind it:
// nodes, pods, disruption budgets, the machines of one group and the group
// itself, each slim and immutable, with the time every source was last fresh.
//
// A World is filled by providers (or by the simulator) and read by the engine.
// Objects are replaced, never changed: a pointer taken from a World stays true
// for the moment it was taken, and an unchanged pointer means an unchanged row.
// A World is not safe for concurrent use; the loop that owns it is its only
// writer and reader.
package world

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Source is a place that facts come from. Freshness is kept for each.
type Source string

const (
	// Cluster is the Kubernetes API: nodes, pods and budgets.
	Cluster Source = "cluster"
	// Cloud is the provider's API: the group and its machines.
	Cloud Source = "cloud"
)

// World is everything known at one moment. The zero value is not ready; use New.
type World struct {
	// Group is the group being looked at.
	Group Group
	// Health tells for each source when it was last known to be true, and what
	// is wrong with it now.
	Health map[Source]Health

	nodes     map[string]*Node
	pods      map[string]*Pod // by UID
	budgets   map[string]*Budget
	machines  map[string]*Machine
	daemons   map[string]bool            // UIDs of living DaemonSets
	podsOn    map[string]map[string]*Pod // node name -> UID -> pod
	podsIn    map[string]map[string]*Pod // namespace -> UID -> pod
	budgetsIn map[string]map[string]*Budget
	nodeOf    map[string]*Node // machine id -> node
	knowsDS   bool
}

// Health is the state of one source.
type Health struct {
	// Fresh is the moment the source was last known to be up to date, in the
	// cluster's time. The zero value means never.
	Fresh time.Time
	// Problem says in one sentence why it is not fresh, "" when all is well.
	Problem string
	// Retry is when the next attempt is due; zero when unknown.
	Retry time.Time
}

// New returns an empty World.
func New() *World {
	return &World{
		Health:    map[Source]Health{},
		nodes:     map[string]*Node{},
		pods:      map[string]*Pod{},
		budgets:   map[string]*Budget{},
		machines:  map[string]*Machine{},
		daemons:   map[string]bool{},
		podsOn:    map[string]map[string]*Pod{},
		podsIn:    map[string]map[string]*Pod{},
		budgetsIn: map[string]map[string]*Budget{},
		nodeOf:    map[string]*Node{},
	}
}

// Stale reports whether a source is older than max at now.
func (w *World) Stale(s Source, now time.Time, max time.Duration) bool {
	h := w.Health[s]
	return h.Fresh.IsZero() || now.Sub(h.Fresh) > max
}

// SetNode adds or replaces a node.
func (w *World) SetNode(n *Node) {
	if old := w.nodes[n.Name]; old != nil && old.Machine != n.Machine {
		delete(w.nodeOf, old.Machine)
	}
	w.nodes[n.Name] = n
	if n.Machine != "" {
		w.nodeOf[n.Machine] = n
	}
}

// DeleteNode removes a node by name.
func (w *World) DeleteNode(name string) {
	if old := w.nodes[name]; old != nil && w.nodeOf[old.Machine] == old {
		delete(w.nodeOf, old.Machine)
	}
	delete(w.nodes, name)
}

// SetPod adds or replaces a pod, which is known by its UID: a StatefulSet's
// next pod of the same name is another pod.
func (w *World) SetPod(p *Pod) {
	if old := w.pods[p.UID]; old != nil && old.Node != p.Node {
		remove(w.podsOn, old.Node, p.UID)
	}
	w.pods[p.UID] = p
	add(w.podsIn, p.Namespace, p.UID, p)
	if p.Node != "" {
		add(w.podsOn, p.Node, p.UID, p)
	}
}

// DeletePod removes a pod by UID.
func (w *World) DeletePod(uid string) {
	if old := w.pods[uid]; old != nil {
		remove(w.podsOn, old.Node, uid)
		remove(w.podsIn, old.Namespace, uid)
		delete(w.pods, uid)
	}
}

// SetBudget adds or replaces a budget.
func (w *World) SetBudget(b *Budget) {
	w.budgets[b.Ref()] = b
	add(w.budgetsIn, b.Namespace, b.Name, b)
}

// DeleteBudget removes the budget "namespace/name".
func (w *World) DeleteBudget(ref string) {
	if b := w.budgets[ref]; b != nil {
		remove(w.budgetsIn, b.Namespace, b.Name)
		delete(w.budgets, ref)
	}
}

// SetDaemonSets says which DaemonSets (by UID) exist, so that a pod whose
// DaemonSet is gone is not mistaken for one that will be put back.
func (w *World) SetDaemonSets(uids []string) {
	w.knowsDS = true
	clear(w.daemons)
	for _, uid := range uids {
		w.daemons[uid] = true
	}
}

// HasDaemonSet reports whether a DaemonSet exists; true as long as nobody said
// which do.
func (w *World) HasDaemonSet(uid string) bool { return !w.knowsDS || w.daemons[uid] }

// SetMachines replaces the machines of the group; unchanged ones keep their pointer.
func (w *World) SetMachines(list []Machine) {
	next := make(map[string]*Machine, len(list))
	for _, m := range list {
		if old := w.machines[m.ID]; old != nil && *old == m {
			next[m.ID] = old
			continue
		}
		next[m.ID] = &m
	}
	w.machines = next
}

// Node returns a node by name, nil if unknown.
func (w *World) Node(name string) *Node { return w.nodes[name] }

// NodeOf returns the node that runs on a machine, nil if it has not joined.
func (w *World) NodeOf(machine string) *Node { return w.nodeOf[machine] }

// Machine returns a machine of the group by id, nil if unknown.
func (w *World) Machine(id string) *Machine { return w.machines[id] }

// Machines returns the machines of the group, sorted by zone and id.
func (w *World) Machines() []*Machine {
	return slices.SortedFunc(maps.Values(w.machines), func(a, b *Machine) int {
		return cmp.Or(cmp.Compare(a.Zone, b.Zone), cmp.Compare(a.ID, b.ID))
	})
}

// Nodes returns all nodes of the cluster, sorted by name.
func (w *World) Nodes() []*Node {
	return slices.SortedFunc(maps.Values(w.nodes), func(a, b *Node) int { return cmp.Compare(a.Name, b.Name) })
}

// Pod returns a pod by UID, nil if unknown.
func (w *World) Pod(uid string) *Pod { return w.pods[uid] }

// PodsOn returns the pods of a node, sorted by namespace and name.
func (w *World) PodsOn(node string) []*Pod { return sortedPods(w.podsOn[node]) }

// PodsIn returns the pods of a namespace, sorted by name.
func (w *World) PodsIn(namespace string) []*Pod { return sortedPods(w.podsIn[namespace]) }

// Budget returns the budget "namespace/name", nil if unknown.
func (w *World) Budget(ref string) *Budget { return w.budgets[ref] }

// Budgets returns all budgets, sorted by namespace and name.
func (w *World) Budgets() []*Budget {
	return slices.SortedFunc(maps.Values(w.budgets), func(a, b *Budget) int { return cmp.Compare(a.Ref(), b.Ref()) })
}

// BudgetsOf returns the budgets that cover a pod, sorted by name.
func (w *World) BudgetsOf(p *Pod) []*Budget {
	var out []*Budget
	for _, b := range w.budgetsIn[p.Namespace] {
		if b.Covers(p) {
			out = append(out, b)
		}
	}
	slices.SortFunc(out, func(a, b *Budget) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// Siblings counts the living pods that share a pod's owner, itself included.
// A pod without an owner has none but itself.
func (w *World) Siblings(p *Pod) int {
	if p.Owner.UID == "" {
		return 1
	}
	n := 0
	for _, q := range w.podsIn[p.Namespace] {
		if q.Owner.UID == p.Owner.UID && !q.Finished() {
			n++
		}
	}
	return n
}

func sortedPods(m map[string]*Pod) []*Pod {
	return slices.SortedFunc(maps.Values(m), func(a, b *Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
}

func add[V any](index map[string]map[string]V, at, key string, v V) {
	m := index[at]
	if m == nil {
		m = map[string]V{}
		index[at] = m
	}
	m[key] = v
}

func remove[V any](index map[string]map[string]V, at, key string) {
	delete(index[at], key)
	if len(index[at]) == 0 {
		delete(index, at)
	}
}
