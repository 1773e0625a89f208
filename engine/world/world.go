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
	// Nodes is the Kubernetes API without its pods: fresh as of when all else was first
	// read, which is before Cluster is (see Partial). No decision asks for it.
	Nodes Source = "nodes"
)

// World is everything known at one moment. The zero value is not ready; use New.
type World struct {
	// Group is the group being looked at; SetGroup sets it.
	Group Group
	// Health tells for each source when it was last known to be true, and what
	// is wrong with it now; SetHealth sets it.
	Health map[Source]Health

	nodes     map[string]*Node
	names     []*Node         // of nodes, sorted; nil until asked for
	renewed   []*Node         // of nodes that are in names as they were before
	pods      map[string]*Pod // by UID
	stopping  map[string]*Pod // as they were seen last, those that were asked to stop, gone or not
	budgets   map[string]*Budget
	machines  map[string]*Machine
	places    []*Machine      // of machines, sorted; nil until asked for
	order     []*Machine      // of machines, as they were given
	sorted    []*Machine      // the same by ID
	daemons   map[string]bool // UIDs of living DaemonSets
	podsOn    podIndexes      // by node name, "" for those without one
	podsIn    podIndexes      // by namespace
	podsOf    podIndexes      // by their owner's UID
	budgetsOf budgetIndex
	coverage  int               // see Coverage
	nodeOf    map[string]*Node  // machine id -> node
	ranOn     map[string]string // node name -> machine id, as far as the machines say so
	knowsDS   bool
	early     map[string][]*Pod // by node, read before all others; nil unless Partial
	changes   changes
	derived   any // see Keep
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
		stopping:  map[string]*Pod{},
		budgets:   map[string]*Budget{},
		machines:  map[string]*Machine{},
		daemons:   map[string]bool{},
		podsOn:    podIndexes{},
		podsIn:    podIndexes{},
		podsOf:    podIndexes{},
		budgetsOf: newBudgetIndex(),
		nodeOf:    map[string]*Node{},
	}
}

// Stale reports whether a source is older than max at now.
func (w *World) Stale(s Source, now time.Time, max time.Duration) bool {
	h := w.Health[s]
	return h.Fresh.IsZero() || now.Sub(h.Fresh) > max
}

// SetGroup says what the group is like.
func (w *World) SetGroup(g Group) { w.Group = g.Clean() }

// SetHealth says how a source is.
func (w *World) SetHealth(s Source, h Health) {
	h.Problem = Clean(h.Problem)
	w.Health[s] = h
	w.settle()
}

// SetNode adds or replaces a node.
func (w *World) SetNode(n *Node) {
	n = n.Clean()
	if id := w.ranOn[n.Name]; id != "" && n.Machine != id {
		named := *n
		named.Machine, n = id, &named
	}
	old := w.nodes[n.Name]
	if old != nil && old.Machine != n.Machine {
		delete(w.nodeOf, old.Machine)
		w.changed(ChangedMachine, old.Machine)
	}
	if old == nil || old.Machine != n.Machine {
		w.changed(ChangedName, n.Name)
	}
	w.nodes[n.Name] = n
	switch {
	case w.names == nil:
	case old == nil || len(w.renewed) >= fewChanges(len(w.names)):
		w.names = nil
	default:
		w.renewed = append(w.renewed, n)
	}
	if n.Machine != "" {
		w.nodeOf[n.Machine] = n
		w.changed(ChangedMachine, n.Machine)
	}
}

// DeleteNode removes a node by name.
func (w *World) DeleteNode(name string) {
	old := w.nodes[name]
	if old == nil {
		return
	}
	if w.nodeOf[old.Machine] == old {
		delete(w.nodeOf, old.Machine)
		w.changed(ChangedMachine, old.Machine)
	}
	w.changed(ChangedName, name)
	delete(w.nodes, name)
	w.names = nil
}

// SetPod adds or replaces a pod, which is known by its UID: a StatefulSet's
// next pod of the same name is another pod.
func (w *World) SetPod(p *Pod) {
	p = p.Clean()
	old := w.pods[p.UID]
	if old == nil {
		w.changed(ChangedPod, p.UID)
		old = &Pod{}
	}
	w.pods[p.UID] = p
	if p.Terminating() {
		w.stops(p)
	}
	w.podsOn.move(old.Node, p.Node, p)
	w.podsIn.move(old.Namespace, p.Namespace, p)
	w.podsOf.move(old.Owner.UID, p.Owner.UID, p)
}

// DeletePod removes a pod by UID.
func (w *World) DeletePod(uid string) {
	old := w.pods[uid]
	if old == nil {
		return
	}
	w.podsOn.take(old.Node, uid)
	w.podsIn.take(old.Namespace, uid)
	w.podsOf.take(old.Owner.UID, uid)
	w.changed(ChangedPod, uid)
	delete(w.pods, uid)
}

// mostStopping is how many pods that were asked to stop are kept beside those that are there.
const mostStopping = 1000

// stops keeps a pod that was asked to stop.
func (w *World) stops(p *Pod) {
	if len(w.stopping) > mostStopping+len(w.pods) {
		maps.DeleteFunc(w.stopping, func(uid string, _ *Pod) bool { return w.pods[uid] == nil })
	}
	w.stopping[p.UID] = p
}

// Stopping is a pod as it was seen last after it was asked to stop, also for some time after it has gone;
// nil if that was not seen. Between two decisions a pod may have been asked, and have gone.
func (w *World) Stopping(uid string) *Pod { return w.stopping[uid] }

// SetBudget adds or replaces a budget.
func (w *World) SetBudget(b *Budget) {
	b = b.Clean()
	old := w.budgets[b.Ref()]
	if old == nil || !sameSelector(old.Selector, b.Selector) {
		w.coverage++
	}
	if old != nil {
		w.budgetsOf.take(old)
	}
	w.budgets[b.Ref()] = b
	w.budgetsOf.put(b)
}

// DeleteBudget removes the budget "namespace/name".
func (w *World) DeleteBudget(ref string) {
	if b := w.budgets[ref]; b != nil {
		w.coverage++
		w.budgetsOf.take(b)
		delete(w.budgets, ref)
	}
}

// SetDaemonSets says which DaemonSets (by UID) exist, so that a pod whose
// DaemonSet is gone is not mistaken for one that will be recreated.
func (w *World) SetDaemonSets(uids []string) {
	daemons := make(map[string]bool, len(uids))
	for _, uid := range uids {
		daemons[uid] = true
	}
	if !w.knowsDS || !maps.Equal(w.daemons, daemons) {
		w.podsOn.forget() // what becomes of their pods changes with them
	}
	w.daemons, w.knowsDS = daemons, true
}

// HasDaemonSet reports whether a DaemonSet exists; true as long as nobody said
// which do.
func (w *World) HasDaemonSet(uid string) bool { return !w.knowsDS || w.daemons[uid] }

// SetMachines replaces the machines of the group; unchanged ones keep their pointer.
func (w *World) SetMachines(list []Machine) {
	kept := make([]*Machine, len(list))
	for i := range list {
		old := (*Machine)(nil)
		if i < len(w.order) && w.order[i].ID == list[i].ID {
			old = w.order[i]
		} else {
			old = w.machines[list[i].ID]
		}
		if old == nil || !old.same(&list[i]) {
			m := list[i] // the list is the caller's
			old = &m
		}
		kept[i] = old
	}
	w.KeepMachines(kept)
}

// KeepMachines is SetMachines for machines that nobody changes any more.
func (w *World) KeepMachines(list []*Machine) {
	if w.ranOn != nil && slices.Equal(list, w.order) {
		return
	}
	order, changed := make([]*Machine, len(list)), []*Machine(nil)
	moved := w.ranOn == nil // they run on other nodes
	once := true            // each stands in the list once, which is in order
	for i, m := range list {
		if i >= len(w.order) || w.order[i] != m {
			m = w.clean(m)
		}
		if was := w.machines[m.ID]; was != m {
			moved = moved || was == nil && m.Node != "" || was != nil && was.Node != m.Node
			changed = append(changed, m)
		}
		order[i] = m
		once = once && (i == 0 || order[i-1].ID < m.ID)
	}
	w.order = order
	w.changeMachines(changed)
	was := w.sorted
	if w.sorted = order; !once {
		w.sorted = slices.SortedFunc(slices.Values(order), byID)
	}
	if !once || len(order) != len(w.machines) {
		moved = w.dropMachines(was) || moved
	}
	if moved {
		w.moveMachines()
	}
}

// clean is the machine that is known where it is the same, else the one that is given, with clean strings.
func (w *World) clean(m *Machine) *Machine {
	if old := w.machines[m.ID]; old != nil && (old == m || old.same(m)) {
		return old
	}
	if clean := m.Clean(); clean != *m {
		if old := w.machines[clean.ID]; old != nil && old.same(&clean) {
			return old
		}
		return &clean
	}
	return m
}

func byID(a, b *Machine) int { return cmp.Compare(a.ID, b.ID) }

// changeMachines takes in machines that have come or changed.
func (w *World) changeMachines(changed []*Machine) {
	if len(changed) > 0 {
		w.places = slices.Clone(w.places)
	}
	for _, m := range changed {
		w.changed(ChangedMachine, m.ID)
		was := w.machines[m.ID]
		i, found := slices.BinarySearchFunc(w.places, m, byPlace)
		switch {
		case w.places == nil:
		case found:
			w.places[i] = m
		case was == nil:
			w.places = slices.Insert(w.places, i, m)
		default: // it has moved to another zone
			w.places = nil
		}
		w.machines[m.ID] = m
	}
}

// dropMachines drops the machines of a list sorted by ID that are listed no more. It reports whether one of
// them ran on a node.
func (w *World) dropMachines(was []*Machine) (moved bool) {
	now := w.sorted
	for _, old := range was {
		for len(now) > 0 && now[0].ID < old.ID {
			now = now[1:]
		}
		m := w.machines[old.ID]
		if m == nil || len(now) > 0 && now[0].ID == m.ID {
			continue
		}
		w.changed(ChangedMachine, m.ID)
		delete(w.machines, m.ID)
		moved = moved || m.Node != ""
		if i, found := slices.BinarySearchFunc(w.places, m, byPlace); found {
			w.places = slices.Concat(w.places[:i], w.places[i+1:])
		} else {
			w.places = nil
		}
	}
	return moved
}

// moveMachines notes on which nodes machines say that they run.
func (w *World) moveMachines() {
	w.ranOn = map[string]string{}
	for id, m := range w.machines {
		if m.Node == "" {
			continue
		}
		w.ranOn[m.Node] = id
		if n := w.nodes[m.Node]; n != nil && n.Machine != id {
			w.SetNode(n)
		}
	}
}

// Node returns a node by name, nil if unknown.
func (w *World) Node(name string) *Node { return w.nodes[name] }

// NodeOf returns the node that runs on a machine, nil if it has not joined.
func (w *World) NodeOf(machine string) *Node { return w.nodeOf[machine] }

// Machine returns a machine of the group by id, nil if unknown.
func (w *World) Machine(id string) *Machine { return w.machines[id] }

// Machines returns the machines of the group, sorted by zone and id. The list is
// not to be changed; nor are those that the following return.
func (w *World) Machines() []*Machine {
	if w.places == nil {
		w.places = slices.SortedFunc(maps.Values(w.machines), byPlace)
	}
	return w.places
}

func byPlace(a, b *Machine) int {
	return cmp.Or(cmp.Compare(a.Zone, b.Zone), cmp.Compare(a.ID, b.ID))
}

// Nodes returns all nodes of the cluster, sorted by name.
func (w *World) Nodes() []*Node {
	byName := func(a, b *Node) int { return cmp.Compare(a.Name, b.Name) }
	switch {
	case w.names == nil:
		w.names = slices.SortedFunc(maps.Values(w.nodes), byName)
	case len(w.renewed) > 0:
		w.names = slices.Clone(w.names)
		for _, n := range w.renewed {
			i, _ := slices.BinarySearchFunc(w.names, n, byName)
			w.names[i] = n
		}
	default:
		return w.names
	}
	w.renewed = nil
	return w.names
}

// Pod returns a pod by UID, nil if unknown.
func (w *World) Pod(uid string) *Pod { return w.pods[uid] }

// PodsOn returns the pods of a node, sorted by namespace and name. It is the same
// list as before as long as none of them changed, nor which DaemonSets exist.
func (w *World) PodsOn(node string) []*Pod {
	switch {
	case node == "":
		return nil
	case w.Partial():
		return w.early[node]
	}
	return w.podsOn.list(node)
}

// Unplaced returns the pods without a node, sorted by namespace and name.
func (w *World) Unplaced() []*Pod { return w.podsOn.list("") }

// PodsIn returns the pods of a namespace, sorted by name.
func (w *World) PodsIn(namespace string) []*Pod { return w.podsIn.list(namespace) }

// PodsOf returns the pods of an owner (its UID), sorted by namespace and name.
func (w *World) PodsOf(owner string) []*Pod {
	if owner == "" {
		return nil
	}
	return w.podsOf.list(owner)
}

// EachOf are the pods of an owner (its UID), by their UIDs. The map is not to be changed.
func (w *World) EachOf(owner string) map[string]*Pod {
	if at := w.podsOf[owner]; at != nil && owner != "" {
		return at.pods
	}
	return nil
}

// KeepOf keeps what was derived from the pods of an owner alone, until one of them changes.
func (w *World) KeepOf(owner string, derived any) {
	if at := w.podsOf[owner]; at != nil {
		at.derived = derived
	}
}

// KeptOf is what was kept of an owner's pods last, nil for nothing.
func (w *World) KeptOf(owner string) any {
	if at := w.podsOf[owner]; at != nil {
		return at.derived
	}
	return nil
}

// Budget returns the budget "namespace/name", nil if unknown.
func (w *World) Budget(ref string) *Budget { return w.budgets[ref] }

// Budgets returns all budgets, sorted by namespace and name.
func (w *World) Budgets() []*Budget {
	return slices.SortedFunc(maps.Values(w.budgets), func(a, b *Budget) int { return cmp.Compare(a.Ref(), b.Ref()) })
}

// BudgetsOf returns the budgets that cover a pod, sorted by name.
func (w *World) BudgetsOf(p *Pod) []*Budget {
	return w.budgetsOf.list(p)
}

// Coverage is another number as soon as a pod may be under other budgets than before, whatever
// becomes of their figures.
func (w *World) Coverage() int { return w.coverage }

// Alone reports whether no other living pod shares a pod's owner; a pod without an
// owner has none beside it.
func (w *World) Alone(p *Pod) bool {
	if p.Owner.UID == "" {
		return true
	}
	return !slices.ContainsFunc(w.PodsOf(p.Owner.UID), func(q *Pod) bool { return q.UID != p.UID && !q.Finished() })
}
