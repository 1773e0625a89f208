package assess

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"unsafe"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Of thousands of machines a decision has to do with few. Which these are is kept with the
// world, and renewed for the machines that changed: factOf works out what one machine is,
// and nothing else says it.

// Traits are what a decision looks for among the machines, a bit each.
type Traits uint16

const (
	// Changing: the machine is listed, and the run's node may have to follow it (see mayChange).
	Changing Traits = 1 << iota
	// Unlisted: the run's node is not replaced, and the group does not list its machine.
	Unlisted
	// outOfUse: the machine is listed and does not serve (see servesItself).
	outOfUse
	// MovedByOthers: a mark on the node that is not ours tells of another mover.
	MovedByOthers
	// Unhealthy: the cloud finds the machine unhealthy.
	Unhealthy
	// holding: the node holds a slot (see holdsSlot).
	holding
	// leftMarked: the node is done with, or left out, and still wears marks; or a new one was to go, stays,
	// and still wears those of its drain.
	leftMarked
	// untainted: the node is to go, and is not known to wear the taint of facts.taint.
	untainted
	// outside and outsideStill: the machine was detached; and is still there, or unproven.
	outside
	outsideStill
	// Misnamed: the name of the run's node, which is not replaced, is another machine's now.
	Misnamed
	// counted: the machine is one of those that the group is to have (see NotLaunched).
	counted
	// unproven: the cluster has yet to prove valid after the machine.
	unproven

	allTraits Traits = 1<<iota - 1
)

// fact is what one machine is in the run.
type fact struct {
	stage record.Stage // of the run's node, "" without one
	name  string       // likewise
	is    Traits
}

// facts are the facts of all machines that the group lists or the run knows, for one world,
// and one run's nodes, marks and pods.
type facts struct {
	w           *world.World
	nodes       unsafe.Pointer // the run's maps; a Step that changes one makes its own first
	marks, pods unsafe.Pointer
	nodeless    bool
	taint       world.Taint // see untainted

	changes int      // of the world, that are worked in
	stale   []string // machines whose node or marks the run has changed since

	of     map[string]fact
	stages map[record.Stage][]string // machines, sorted
	named  map[string][]string       // machines, by the name of the run's node
	with   map[Traits]map[string]bool
	absent absentPods

	order  []string       // the run's, that the following are made from
	places map[string]int // in the order
	queued []string       // in the order; nil when to be made again
}

// facts are the facts as they are now.
func (s *Reader) facts() *facts {
	if s.kept == nil || !s.kept.fit(s) {
		s.kept = s.keptFacts()
	}
	if s.kept != nil && s.kept.renew(s) {
		return s.kept
	}
	return s.keepFacts(world.Taint{})
}

// keepFacts works all of them out, and keeps them with the world.
func (s *Reader) keepFacts(taint world.Taint) *facts {
	s.kept = s.allFacts(taint)
	s.W.Keep(s.kept)
	return s.kept
}

// keptFacts are those that are kept with the world, nil if they are of another run, or of
// another moment of it.
func (s *Reader) keptFacts() *facts {
	if f, ok := s.W.Kept().(*facts); ok && f.fit(s) {
		return f
	}
	return nil
}

// fit reports whether facts are of this world and this run.
func (f *facts) fit(s *Reader) bool {
	return f.w == s.W && f.nodes == s.Run.Nodes.Identity() && f.marks == identity(s.Run.Marks) && f.pods == s.Run.Pods.Identity() && f.nodeless == s.Nodeless()
}

// identity tells a map from all others that are in use.
func identity[V any](m map[string]V) unsafe.Pointer { return reflect.ValueOf(m).UnsafePointer() }

// allFacts works out the facts of all machines.
func (s *Reader) allFacts(taint world.Taint) *facts {
	f := &facts{
		w: s.W, nodes: s.Run.Nodes.Identity(), marks: identity(s.Run.Marks), pods: s.Run.Pods.Identity(), nodeless: s.Nodeless(), taint: taint, changes: s.W.Changes(),
		of: make(map[string]fact, s.Run.Nodes.Len()), stages: map[record.Stage][]string{}, named: map[string][]string{}, with: map[Traits]map[string]bool{}, absent: allAbsent(s),
	}
	for bit := Traits(1); bit < allTraits; bit <<= 1 {
		f.with[bit] = map[string]bool{}
	}
	add := func(id string) {
		now := s.factOf(id, taint)
		f.of[id] = now
		f.stages[now.stage] = append(f.stages[now.stage], id)
		f.named[now.name] = append(f.named[now.name], id)
		f.count(id, 0, now.is)
	}
	for _, m := range s.W.Machines() {
		add(m.ID)
	}
	for id := range s.Run.Nodes.Keys() {
		if _, listed := f.of[id]; !listed {
			add(id)
		}
	}
	delete(f.stages, "")
	delete(f.named, "")
	for _, ids := range f.stages {
		slices.Sort(ids)
	}
	return f
}

// renew brings the facts up to date. It reports false if the world has forgotten what changed.
func (f *facts) renew(s *Reader) bool {
	changed, known := s.W.ChangedSince(f.changes)
	if !known {
		return false
	}
	for _, id := range f.stale {
		f.set(id, s.factOf(id, f.taint))
	}
	for _, uid := range f.absent.stale {
		f.absent.set(uid, absenceOf(s, uid))
	}
	for _, c := range changed {
		switch c.What {
		case world.ChangedMachine:
			f.set(c.ID, s.factOf(c.ID, f.taint))
		case world.ChangedName:
			for _, id := range f.named[c.ID] {
				f.set(id, s.factOf(id, f.taint))
			}
		case world.ChangedPod:
			f.absent.set(c.ID, absenceOf(s, c.ID))
		}
	}
	f.changes, f.stale, f.absent.stale = s.W.Changes(), f.stale[:0], f.absent.stale[:0]
	return true
}

// set puts a machine where its fact belongs.
func (f *facts) set(id string, now fact) {
	was := f.of[id]
	if was == now {
		return
	}
	if was.stage != now.stage {
		if list := f.stages[was.stage]; was.stage != "" {
			at, _ := slices.BinarySearch(list, id)
			f.stages[was.stage] = slices.Delete(list, at, at+1)
		}
		if list := f.stages[now.stage]; now.stage != "" {
			at, _ := slices.BinarySearch(list, id)
			f.stages[now.stage] = slices.Insert(list, at, id)
		}
		if was.stage == record.Queued || now.stage == record.Queued {
			f.queued = nil
		}
	}
	if was.name != now.name {
		f.rename(id, was.name, now.name)
	}
	f.count(id, was.is, now.is)
	if now == (fact{}) {
		delete(f.of, id)
	} else {
		f.of[id] = now
	}
}

// rename puts a machine where the name of its node belongs.
func (f *facts) rename(id, was, now string) {
	if was != "" {
		f.named[was] = slices.DeleteFunc(f.named[was], func(other string) bool { return other == id })
		if len(f.named[was]) == 0 {
			delete(f.named, was)
		}
	}
	if now != "" {
		f.named[now] = append(f.named[now], id)
	}
}

// count moves a machine between the sets.
func (f *facts) count(id string, was, is Traits) {
	for bit := Traits(1); bit < allTraits; bit <<= 1 {
		switch {
		case is&bit != 0 && was&bit == 0:
			f.with[bit][id] = true
		case is&bit == 0 && was&bit != 0:
			delete(f.with[bit], id)
		}
	}
}

// factOf works out what a machine is, from itself, its node, the run's node and our marks on it.
func (s *Reader) factOf(id string, taint world.Taint) fact {
	m, node := s.W.Machine(id), s.W.NodeOf(id)
	n, known := s.Run.Nodes.Find(id)
	f := fact{stage: n.Stage, name: n.Name}
	is := func(bit Traits, so bool) {
		if so {
			f.is |= bit
		}
	}
	if m != nil {
		is(Changing, mayChange(m, n, known))
		is(outOfUse, !s.servesItself(m))
		is(MovedByOthers, node != nil && len(TheirMoves(node, s.Run.Marks[id])) > 0)
		is(Unhealthy, m.Unhealthy)
		is(counted, counts(m) && !n.Decrement)
	}
	if !known {
		return f
	}
	is(Unlisted, m == nil && n.Stage != record.Replaced)
	is(holding, holdsSlot(&s.Run, id, n))
	is(leftMarked, (n.Stage == record.Skipped || n.Stage == record.Replaced || n.Stage == record.NodeFail) && len(s.Run.Marks[id]) > 0 || (n.Stage == record.Ready || n.Stage == record.Surplus) && !n.Began.IsZero() && slices.ContainsFunc(s.Run.Marks[id], record.Mark.Isolates))
	is(untainted, toGo(n.Stage) && !wears(s, id, n, node, taint))
	is(outside, n.Outside())
	is(outsideStill, n.OutsideStill())
	is(unproven, !n.PendingValidation.IsZero())
	is(Misnamed, n.Name != "" && n.Stage != record.Replaced && anothers(s, n.Name, id))
	return f
}

// anothers reports whether the node of a name is known to be that of another machine.
func anothers(s *Reader, name, machine string) bool {
	node := s.W.Node(name)
	return node != nil && node.OfAnother(machine)
}

// toGo reports whether a node still runs what it is to be replaced for.
func toGo(stage record.Stage) bool {
	return stage == record.Outdated || stage == record.Queued || stage == record.Draining
}

// wears reports whether a node has a taint, and the run knows that it put it, or found it there.
func wears(s *Reader, id string, n record.Node, node *world.Node, t world.Taint) bool {
	return node != nil && node.Name == n.Name && node.HasTaint(t) && slices.ContainsFunc(s.Run.Marks[id], func(m record.Mark) bool {
		return m.Put.Kind == record.AddTaint && m.Put.AsTaint() == t && m.Put.Node == n.Name
	})
}

// Among are the machines with a trait, the caller's to change.
func (s *Reader) Among(bit Traits) map[string]bool { return maps.Clone(s.facts().with[bit]) }

// With lists the machines with a trait that only listed ones have, as the world sorts them.
func (s *Reader) With(bit Traits) []string { return s.Placed(s.facts().with[bit]) }

// Named lists the machines whose nodes have a name in the run. The list is not to be changed.
func Named(s *Reader, name string) []string { return s.facts().named[name] }

// Placed sorts machines as the world lists them.
func (s *Reader) Placed(set map[string]bool) []string {
	return slices.SortedFunc(maps.Keys(set), s.ByPlace)
}

// ByPlace compares machines of the group as the world sorts them.
func (s *Reader) ByPlace(a, b string) int {
	zone := func(id string) string {
		if m := s.W.Machine(id); m != nil {
			return m.Zone
		}
		return ""
	}
	return cmp.Or(cmp.Compare(zone(a), zone(b)), cmp.Compare(a, b))
}

// orderFacts are the facts, with what follows from the run's order.
func (s *Reader) orderFacts() *facts {
	f, order := s.facts(), s.Run.Order
	if f.places == nil || len(f.order) != len(order) || unsafe.SliceData(f.order) != unsafe.SliceData(order) {
		f.order, f.places, f.queued = order, make(map[string]int, len(order)), nil
		for i, id := range order {
			f.places[id] = i
		}
	}
	return f
}

// NextQueued lists the queued machines in their order. The list is not to be changed.
func (s *Reader) NextQueued() []string {
	f := s.orderFacts()
	if f.queued == nil {
		f.queued = make([]string, 0, s.Count(record.Queued))
		for _, id := range s.Run.Order {
			if s.Run.Nodes.Peek(id).Stage == record.Queued {
				f.queued = append(f.queued, id)
			}
		}
	}
	return f.queued
}

// inPlaces sorts machines by the run's order, without those that are not in it.
func (s *Reader) inPlaces(machines []string) []string {
	places := s.orderFacts().places
	machines = slices.DeleteFunc(machines, func(id string) bool { _, there := places[id]; return !there })
	slices.SortFunc(machines, func(a, b string) int { return cmp.Compare(places[a], places[b]) })
	return slices.Compact(machines)
}

// Invalidate notes that the run's node or the marks of a machine have changed.
func (s *Reader) Invalidate(id string) {
	if s.kept != nil {
		s.kept.stale = append(s.kept.stale, id)
	}
}

// CopiedNodes, CopiedMarks and CopiedPods note that the run has them in a copy of their map now, and as they were.
func CopiedNodes(s *Reader) {
	if s.kept != nil {
		s.kept.nodes = s.Run.Nodes.Identity()
	}
}

func CopiedMarks(s *Reader) {
	if s.kept != nil {
		s.kept.marks = identity(s.Run.Marks)
	}
}

func CopiedPods(s *Reader) {
	if s.kept != nil {
		s.kept.pods = s.Run.Pods.Identity()
	}
}

// StaleFact says in which fact that is kept with a world differs from one that is worked out
// now, nil if none does. It is for tests: nothing is brought up to date by it but what every
// decision brings up to date.
func StaleFact(rules Rules, w *world.World, r record.Run) error {
	s := &Reader{W: w, Run: r, Rules: rules}
	kept := s.keptFacts()
	if kept == nil || !kept.renew(s) {
		return nil
	}
	fresh := s.allFacts(kept.taint)
	for _, id := range slices.Sorted(maps.Keys(fresh.of)) {
		if kept.of[id] != fresh.of[id] {
			return fmt.Errorf("%s is %+v, and kept as %+v", id, fresh.of[id], kept.of[id])
		}
	}
	for id := range kept.of {
		if _, there := fresh.of[id]; !there && kept.of[id] != (fact{}) {
			return fmt.Errorf("%s is kept and is not there", id)
		}
	}
	for stage, ids := range kept.stages {
		if !slices.Equal(ids, fresh.stages[stage]) {
			return fmt.Errorf("%s: %v, and kept are %v", stage, fresh.stages[stage], ids)
		}
	}
	for bit, ids := range kept.with {
		if !maps.Equal(ids, fresh.with[bit]) {
			return fmt.Errorf("trait %b: %v, and kept are %v", bit, fresh.with[bit], ids)
		}
	}
	for name, ids := range kept.named {
		if !slices.Equal(slices.Sorted(slices.Values(ids)), slices.Sorted(slices.Values(fresh.named[name]))) {
			return fmt.Errorf("named %s are %v, and kept are %v", name, fresh.named[name], ids)
		}
	}
	if len(kept.named) != len(fresh.named) {
		return fmt.Errorf("%d names, and kept are %d", len(fresh.named), len(kept.named))
	}
	if err := kept.absent.differs(&fresh.absent); err != nil {
		return err
	}
	if kept.queued != nil && !slices.Equal(kept.queued, slices.DeleteFunc(slices.Clone(kept.order), func(id string) bool { return r.Nodes.Peek(id).Stage != record.Queued })) {
		return fmt.Errorf("the queue is kept as %v", kept.queued)
	}
	return nil
}

// anyKey reports whether one of a set is so.
func anyKey(set map[string]bool, so func(string) bool) bool {
	for key := range set {
		if so(key) {
			return true
		}
	}
	return false
}
