package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Pod is a pod with what only its kubelet and its owner know.
type Pod struct {
	world.Pod
	owner   *Workload // nil: a bare pod
	Shape   Shape     // what it is like
	up      bool      // its containers are ready, as its kubelet has told last
	Placed  time.Time // when it got its node
	stopped bool      // asked to go, and only its finalizers hold it
	lists   []string  // the lists that it is in, nil for the one of its label app
	changes []*int    // where its changes are counted, those of its lists
	at      spot      // where it is counted
	shares  []part    // what it adds to the counts of rules
}

// spot is a node with an owner (its UID) that has a pod there.
type spot struct{ node, owner string }

// pods are the pods of the Truth as controllers look for them: none of these looks
// at all of them.
type pods struct {
	byUID map[string]*Pod
	names map[string]*Pod // by namespace/name
	// lists are the pods that controllers and budgets look for together (those with a label
	// app, by namespace and label), as they were made. A list is replaced, never changed.
	lists map[string][]*Pod
	// loads are what is on each node, spread where an owner (by UID) has how many pods;
	// finished pods aside, and nothing is kept that is zero.
	loads  map[string]load
	spread map[string]map[string]int
	// changes count the changes of the pods of each list; nil where controllers look at all
	// of them each time.
	changes map[string]*int
	// moved gets a pod whose node has changed, nil if no rules depend on that.
	moved func(*Pod)
}

// load is what the pods of a node ask for.
type load struct {
	pods, all   int // DaemonSet and static pods aside, and with them
	cpu, memory int
}

func newPods() pods {
	return pods{byUID: map[string]*Pod{}, names: map[string]*Pod{}, lists: map[string][]*Pod{}, loads: map[string]load{}, spread: map[string]map[string]int{}}
}

// set adds a pod, or counts it where it is now.
func (ps *pods) set(p *Pod) {
	if ps.changes != nil && p.changes == nil {
		ps.countOf(p)
	}
	ps.changed(p)
	if ps.byUID[p.UID] != p {
		ps.byUID[p.UID], ps.names[p.Ref()] = p, p
		for _, of := range listsOf(p) {
			list := ps.lists[of]
			i, _ := slices.BinarySearchFunc(list, p, byAge)
			if i < len(list) {
				list = slices.Clone(list)
			}
			ps.lists[of] = slices.Insert(list, i, p) // behind the end of those that have the list
		}
	}
	var at spot
	if p.Node != "" && !p.Finished() {
		at = spot{p.Node, p.Owner.UID}
	}
	if at != p.at {
		ps.count(p, -1)
		p.at = at
		ps.count(p, 1)
		if ps.moved != nil {
			ps.moved(p)
		}
	}
}

// drop removes a pod.
func (ps *pods) drop(p *Pod) {
	ps.changed(p)
	ps.count(p, -1)
	if p.at = (spot{}); ps.moved != nil {
		ps.moved(p)
	}
	delete(ps.byUID, p.UID)
	if ps.names[p.Ref()] == p {
		delete(ps.names, p.Ref())
	}
	for _, of := range listsOf(p) {
		list := ps.lists[of]
		if len(list) == 1 {
			delete(ps.lists, of)
			continue
		}
		i, _ := slices.BinarySearchFunc(list, p, byAge)
		ps.lists[of] = slices.Delete(slices.Clone(list), i, i+1)
	}
}

// changed notes that a pod changes.
func (ps *pods) changed(p *Pod) {
	if ps.changes == nil {
		return
	}
	for _, of := range p.changes {
		*of++
	}
}

// changesOf counts the changes of a list's pods, nil where none are counted.
func (ps *pods) changesOf(list string) *int {
	if ps.changes == nil {
		return nil
	}
	if ps.changes[list] == nil {
		ps.changes[list] = new(int)
	}
	return ps.changes[list]
}

// countOf has the changes of a pod counted for its lists.
func (ps *pods) countOf(p *Pod) {
	for _, of := range listsOf(p) {
		p.changes = append(p.changes, ps.changesOf(of))
	}
}

// countChanges has controllers look at the pods of a list only when one of them has changed.
func (s *Sim) countChanges() {
	s.pods.changes = map[string]*int{}
	for _, p := range s.pods.byUID {
		s.pods.countOf(p)
	}
	for _, w := range s.workloads {
		w.changes = s.pods.changesOf(w.list)
	}
	for _, b := range s.budgets {
		b.changes = s.pods.changesOf(b.list)
	}
}

// state is how things are that a controller looks at: how often its pods have changed, how many
// there are to be, and the list of nodes, which is another one as soon as one has changed.
type state struct {
	changes, replicas int
	nodes             **world.Node
}

// known reports whether a controller has found all in order as it is now. Nothing is known where
// changes are not counted.
func (s *state) known(now state) bool { return now.changes > 0 && *s == now }

// stateOf is how a list of pods is by its changes.
func stateOf(changes *int, replicas int) state {
	if changes == nil {
		return state{}
	}
	return state{changes: 1 + *changes, replicas: replicas}
}

// count adds a pod to what is on its node, n = 1, or takes it off, n = -1.
func (ps *pods) count(p *Pod, n int) {
	if p.at.node == "" {
		return
	}
	l := ps.loads[p.at.node]
	l.cpu += n * p.Shape.CPU
	l.memory += n * p.Shape.Memory
	l.all += n
	if p.Owner.Kind != DaemonSet && !p.Mirror {
		l.pods += n
	}
	ps.loads[p.at.node] = l
	if l == (load{}) {
		delete(ps.loads, p.at.node)
	}
	own := ps.spread[p.at.owner]
	if own == nil {
		own = map[string]int{}
		ps.spread[p.at.owner] = own
	}
	if own[p.at.node] += n; own[p.at.node] == 0 {
		delete(own, p.at.node)
	}
	if len(own) == 0 {
		delete(ps.spread, p.at.owner)
	}
}

// of lists the pods of a list, as they were made. What happens to pods meanwhile does not
// change the list.
func (ps *pods) of(list string) []*Pod { return ps.lists[list] }

// sorted lists pods of the Truth as they were made, those of one moment by their UIDs.
func (ps *pods) sorted(seen []*world.Pod) []*Pod {
	out := make([]*Pod, len(seen))
	for i, p := range seen {
		out[i] = ps.byUID[p.UID]
	}
	slices.SortFunc(out, byAge)
	return out
}

// listsOf names the lists that a pod is in.
func listsOf(p *Pod) []string {
	if p.lists != nil {
		return p.lists
	}
	return []string{appList(p.Namespace, p.Labels["app"])}
}

// appList is the list of the pods of a namespace with a label app.
func appList(namespace, app string) string { return namespace + "/" + app }

func byAge(a, b *Pod) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.UID, b.UID))
}

// PodOf is a pod of the Truth by its UID, nil if there is none.
func (s *Sim) PodOf(uid string) *Pod { return s.pods.byUID[uid] }

// PodNamed is a pod of the Truth by its namespace and name ("app/web-1"), nil if there is none.
func (s *Sim) PodNamed(ref string) *Pod { return s.pods.names[ref] }
