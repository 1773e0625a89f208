package sim

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/drainboard/drainboard/engine/world"
)

// Keys of labels that every node has in a real cluster; ZoneLabel is that of its zone.
const (
	hostLabel = "kubernetes.io/hostname"
	ZoneLabel = "topology.kubernetes.io/zone"
)

// fit is what pods ask of their node, ready to be asked often.
type fit struct {
	needs           *world.Needs
	nodes           []labels.Selector // one of them has to match, nil for any node
	apart, together []*near
	spread          []*near
	skew            []int // of spread
}

// near counts the pods that a rule is about, by the value of the label that the rule goes by.
type near struct {
	topology   string
	namespaces map[string]bool // nil for all
	selector   labels.Selector
	there      map[string]int // pods that it is about
	holders    map[string]int // pods that have it as a rule of theirs to be apart
	all        int
}

// part is what a pod adds to the counts of a rule.
type part struct {
	of     *near
	value  string
	there  bool
	holder bool
}

// fits are the rules of a Sim that was made of a world.
type fits struct {
	known map[*world.Needs]map[string]*fit // by namespace
	nears map[string]*near
	list  []*near
	about map[string][]*near // by the UID of the owner of pods that they are about
}

// operators of the API as labels has them.
var operators = map[string]selection.Operator{
	"In": selection.In, "NotIn": selection.NotIn, "Exists": selection.Exists, "DoesNotExist": selection.DoesNotExist, "Gt": selection.GreaterThan, "Lt": selection.LessThan,
}

// selectorOf is what requirements make together; one that cannot be is met by nothing.
func selectorOf(list []world.Requirement) labels.Selector {
	out := labels.NewSelector()
	for _, r := range list {
		one, err := labels.NewRequirement(r.Key, operators[r.Operator], r.Values)
		if err != nil {
			return labels.Nothing()
		}
		out = out.Add(*one)
	}
	return out
}

// nodeLabels are the labels of a node with those that every node has.
type nodeLabels struct{ *world.Node }

func (n nodeLabels) Lookup(key string) (string, bool) {
	if value, has := n.Labels[key]; has {
		return value, true
	}
	switch key {
	case world.NodeName, hostLabel:
		return n.Name, true
	case ZoneLabel:
		return n.Zone, n.Zone != ""
	}
	return "", false
}

func (n nodeLabels) Has(key string) bool {
	_, has := n.Lookup(key)
	return has
}

func (n nodeLabels) Get(key string) string {
	value, _ := n.Lookup(key)
	return value
}

// of is what pods of a namespace ask by their needs, nil for nothing.
func (f *fits) of(needs *world.Needs, namespace string) *fit {
	if needs == nil {
		return nil
	}
	if known := f.known[needs][namespace]; known != nil {
		return known
	}
	out := &fit{needs: needs}
	for _, list := range needs.Nodes {
		out.nodes = append(out.nodes, selectorOf(list))
	}
	for _, n := range needs.Apart {
		out.apart = append(out.apart, f.near(n, namespace))
	}
	for _, n := range needs.Together {
		out.together = append(out.together, f.near(n, namespace))
	}
	for _, s := range needs.Spread {
		out.spread = append(out.spread, f.near(world.Near{Topology: s.Topology, Selector: s.Selector, None: s.None}, namespace))
		out.skew = append(out.skew, max(1, s.MaxSkew))
	}
	if f.known[needs] == nil {
		f.known[needs] = map[string]*fit{}
	}
	f.known[needs][namespace] = out
	return out
}

// near is the count of a rule, one for all pods that have the same.
func (f *fits) near(n world.Near, namespace string) *near {
	if len(n.Namespaces) == 0 && !n.Any {
		n.Namespaces = []string{namespace}
	}
	key := fmt.Sprint(n)
	if known := f.nears[key]; known != nil {
		return known
	}
	out := &near{topology: n.Topology, selector: selectorOf(n.Selector), there: map[string]int{}, holders: map[string]int{}}
	if n.None {
		out.selector = labels.Nothing()
	}
	if !n.Any {
		out.namespaces = map[string]bool{}
		for _, name := range n.Namespaces {
			out.namespaces[name] = true
		}
	}
	f.nears[key] = out
	f.list = append(f.list, out)
	return out
}

// rulesAbout are the rules that a pod is one of the pods of.
func (f *fits) rulesAbout(p *Pod) []*near {
	if len(f.list) == 0 {
		return nil
	}
	if known, is := f.about[p.Owner.UID]; is && p.Owner.UID != "" {
		return known
	}
	var known []*near
	for _, n := range f.list {
		if (n.namespaces == nil || n.namespaces[p.Namespace]) && n.selector.Matches(labels.Set(p.Labels)) {
			known = append(known, n)
		}
	}
	f.about[p.Owner.UID] = known
	return known
}

// counts brings the counts up to date with where a pod is.
func (s *Sim) counts(p *Pod) {
	for _, c := range p.shares {
		c.add(-1)
	}
	p.shares = nil
	n := s.Truth.Node(p.at.node)
	if n == nil {
		return
	}
	for _, r := range s.fits.rulesAbout(p) {
		p.shares = append(p.shares, part{of: r, value: nodeLabels{n}.Get(r.topology), there: true})
	}
	if p.Shape.fit != nil {
		for _, r := range p.Shape.fit.apart {
			p.shares = append(p.shares, part{of: r, value: nodeLabels{n}.Get(r.topology), holder: true})
		}
	}
	for _, c := range p.shares {
		c.add(1)
	}
}

func (c part) add(n int) {
	if c.holder {
		c.of.holders[c.value] += n
	}
	if c.there {
		c.of.there[c.value] += n
		c.of.all += n
	}
}

// selects reports whether a node is one of those that pods may run on, whatever is there now.
func (f *fit) selects(n *world.Node) bool {
	of := nodeLabels{n}
	for key, value := range f.needs.NodeLabels {
		if has, is := of.Lookup(key); !is || has != value {
			return false
		}
	}
	return len(f.nodes) == 0 || slices.ContainsFunc(f.nodes, func(s labels.Selector) bool { return s.Matches(of) })
}

// tolerates reports whether pods tolerate a taint.
func (f *fit) tolerates(t world.Taint) bool {
	return f != nil && slices.ContainsFunc(f.needs.Tolerations, func(have world.Toleration) bool { return have.Tolerates(t) })
}

// misplaced says which rule about other pods keeps a pod off a node, "" if none does.
func (s *Sim) misplaced(p *Pod, n *world.Node, domains *domains) string {
	if s.fits == nil || len(s.fits.list) == 0 {
		return ""
	}
	of, f := nodeLabels{n}, p.Shape.fit
	for _, r := range s.fits.rulesAbout(p) {
		if value, has := of.Lookup(r.topology); has && r.holders[value] > 0 {
			return "node(s) didn't satisfy existing pods anti-affinity rules"
		}
	}
	if f == nil {
		return ""
	}
	about := s.fits.rulesAbout(p)
	for _, r := range f.apart {
		if value, has := of.Lookup(r.topology); has && r.there[value] > 0 {
			return "node(s) didn't match pod anti-affinity rules"
		}
	}
	for _, r := range f.together {
		value, has := of.Lookup(r.topology)
		if first := r.all == 0 && slices.Contains(about, r); !has || r.there[value] == 0 && !first {
			return "node(s) didn't match pod affinity rules"
		}
	}
	for i, r := range f.spread {
		value, has := of.Lookup(r.topology)
		if !has {
			return "node(s) didn't match pod topology spread constraints (missing required label)"
		}
		self := 0
		if slices.Contains(about, r) {
			self = 1
		}
		if r.there[value]+self-domains.least(s, f, r) > f.skew[i] {
			return "node(s) didn't match pod topology spread constraints"
		}
	}
	return ""
}

// domains are the fewest pods that a domain of a rule has, as long as one pod is placed.
type domains struct{ known map[*near]int }

// least is the fewest pods of a rule in a domain of the nodes that pods may run on.
func (d *domains) least(s *Sim, f *fit, r *near) int {
	if fewest, is := d.known[r]; is {
		return fewest
	}
	fewest := -1
	for _, n := range s.Truth.Nodes() {
		value, has := nodeLabels{n}.Lookup(r.topology)
		if has && (fewest < 0 || r.there[value] < fewest) && f.selects(n) {
			fewest = r.there[value]
		}
	}
	if d.known == nil {
		d.known = map[*near]int{}
	}
	d.known[r] = max(0, fewest)
	return d.known[r]
}

// short names what a node of a known room has not enough of for a pod.
func short(p *Pod, n *world.Node, l load) (out []string) {
	if n.Room.Pods > 0 && l.all >= n.Room.Pods {
		out = append(out, "Too many pods")
	}
	if n.Room.CPU > 0 && p.Shape.CPU > 0 && l.cpu+p.Shape.CPU > n.Room.CPU {
		out = append(out, "Insufficient cpu")
	}
	if n.Room.Memory > 0 && p.Shape.Memory > 0 && l.memory+p.Shape.Memory > n.Room.Memory {
		out = append(out, "Insufficient memory")
	}
	return out
}

// model is what the new nodes of a group are like: what its nodes have in common.
type model struct {
	labels map[string]string
	taints []world.Taint
	room   world.Room
}

// modelOf is what the nodes of the world's group have in common, but for what moves their pods.
func (f *from) modelOf() (m model) {
	first := true
	rooms := map[world.Room]int{}
	for _, machine := range f.w.Machines() {
		n := f.w.NodeOf(machine.ID)
		if n == nil {
			continue
		}
		if rooms[n.Room]++; first {
			m.labels, first = map[string]string{}, false
			for key, value := range n.Labels {
				m.labels[key] = value
			}
			m.taints = slices.DeleteFunc(slices.Clone(n.Taints), func(t world.Taint) bool { return !f.stays(t) })
			continue
		}
		for key, value := range m.labels {
			if n.Labels[key] != value {
				delete(m.labels, key)
			}
		}
		m.taints = slices.DeleteFunc(m.taints, func(t world.Taint) bool { return !n.HasTaint(t) })
	}
	for _, key := range []string{hostLabel, ZoneLabel} {
		delete(m.labels, key)
	}
	best := 0
	for room, n := range rooms {
		if n > best || n == best && cmp.Or(cmp.Compare(room.CPU, m.room.CPU), cmp.Compare(room.Memory, m.room.Memory), cmp.Compare(room.Pods, m.room.Pods)) < 0 {
			best, m.room = n, room
		}
	}
	return m
}
