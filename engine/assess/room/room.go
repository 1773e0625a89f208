package room

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/world"
)

// Need is what the pods of nodes that drain ask for.
type Need struct {
	// Known: it is known of these nodes how much room they have; nothing else holds if not.
	Known bool
	// AtOnce nodes drain together, the fullest ones; Pods move from them, Elsewhere of those have
	// room on other nodes.
	AtOnce, Pods, Elsewhere int
	// New is how many new nodes the others of these pods need: never more than AtOnce, because
	// one new node takes what one old node had.
	New int
	// Zones are those where no other node takes a pod that is bound to the zone.
	Zones []string
}

// Labels that bind a pod to a zone or a host.
const (
	zoneLabel = "topology.kubernetes.io/zone"
	hostLabel = "kubernetes.io/hostname"
)

// For is the need of nodes that drain, so many of them at once, in any order. others reports whether a node
// that does not drain keeps its pods.
func For(w *world.World, going []*world.Node, atOnce int, others func(*world.Node) bool) Need {
	e := estimate{w: w, going: map[string]bool{}}
	for _, n := range going {
		if n.Room.Pods == 0 {
			return Need{}
		}
		e.going[n.Name] = true
	}
	if len(going) == 0 {
		return Need{Known: true}
	}
	e.model(going)
	for _, n := range w.Nodes() {
		if !e.going[n.Name] && n.Ready && !n.Unschedulable && n.Room.Pods > 0 && others(n) {
			e.nodes = append(e.nodes, e.space(n))
		}
	}
	need := Need{Known: true, Zones: e.zones(going)}
	going = slices.Clone(going)
	slices.SortStableFunc(going, func(a, b *world.Node) int {
		return cmp.Or(cmp.Compare(e.share(b), e.share(a)), strings.Compare(a.Name, b.Name))
	})
	going = going[:min(len(going), atOnce)]
	need.AtOnce = len(going)
	e.place(going, &need)
	return need
}

// estimate places pods on nodes as far as it can be known.
type estimate struct {
	w     *world.World
	going map[string]bool
	nodes []*space
	fresh world.Room // what a new node has for pods that move
}

// space is what a node still has for pods. node is nil for a new one, whose zone is "" as long
// as none of its pods is bound to one.
type space struct {
	node  *world.Node
	zone  string
	room  world.Room
	added []*world.Pod
}

// asks is what a pod takes of a node.
func asks(p *world.Pod) world.Room {
	r := world.Room{Pods: 1}
	if p.Needs != nil {
		r.CPU, r.Memory = p.Needs.CPU, p.Needs.Memory
	}
	return r
}

func plus(a, b world.Room) world.Room {
	return world.Room{CPU: a.CPU + b.CPU, Memory: a.Memory + b.Memory, Pods: a.Pods + b.Pods}
}

func less(r, by world.Room) world.Room {
	return world.Room{CPU: r.CPU - by.CPU, Memory: r.Memory - by.Memory, Pods: r.Pods - by.Pods}
}

// within reports whether a room has enough for what is asked. What nobody asks for may be short.
func within(asked, has world.Room) bool {
	return asked.Pods <= has.Pods && (asked.CPU == 0 || asked.CPU <= has.CPU) && (asked.Memory == 0 || asked.Memory <= has.Memory)
}

func (e *estimate) moves(p *world.Pod) bool {
	return p.Ends.IsZero() && drain.Judge(e.w, p, drain.Consents{}).Fate != drain.Stays
}

// space is what a node that stays has left.
func (e *estimate) space(n *world.Node) *space {
	s := &space{node: n, zone: n.Zone, room: n.Room}
	for _, p := range e.w.PodsOn(n.Name) {
		if !p.Finished() {
			s.room = less(s.room, asks(p))
		}
	}
	return s
}

// model takes a new node for one like the smallest of those that go, less what stays on any.
func (e *estimate) model(going []*world.Node) {
	e.fresh = going[0].Room
	var own world.Room
	for _, n := range going {
		e.fresh = world.Room{CPU: min(e.fresh.CPU, n.Room.CPU), Memory: min(e.fresh.Memory, n.Room.Memory), Pods: min(e.fresh.Pods, n.Room.Pods)}
		var stays world.Room
		for _, p := range e.w.PodsOn(n.Name) {
			if !p.Finished() && drain.Judge(e.w, p, drain.Consents{}).Fate == drain.Stays {
				stays = plus(stays, asks(p))
			}
		}
		own = world.Room{CPU: max(own.CPU, stays.CPU), Memory: max(own.Memory, stays.Memory), Pods: max(own.Pods, stays.Pods)}
	}
	e.fresh = less(e.fresh, own)
}

// share is how much of a new node the pods of a node take, of what they take most of.
func (e *estimate) share(n *world.Node) float64 {
	var all world.Room
	for _, p := range e.w.PodsOn(n.Name) {
		if e.moves(p) {
			all = plus(all, asks(p))
		}
	}
	return e.part(all)
}

func (e *estimate) part(r world.Room) float64 {
	of := func(n, of int) float64 { return float64(n) / float64(max(1, of)) }
	return max(of(r.CPU, e.fresh.CPU), of(r.Memory, e.fresh.Memory), of(r.Pods, e.fresh.Pods))
}

// place moves the pods of nodes, the largest first: to nodes that stay, else to new ones.
func (e *estimate) place(going []*world.Node, need *Need) {
	var pods []*world.Pod
	for _, n := range going {
		for _, p := range e.w.PodsOn(n.Name) {
			if e.moves(p) {
				pods = append(pods, p)
			}
		}
	}
	slices.SortStableFunc(pods, func(a, b *world.Pod) int {
		return cmp.Or(cmp.Compare(e.part(asks(b)), e.part(asks(a))), strings.Compare(a.UID, b.UID))
	})
	need.Pods = len(pods)
	var fresh []*space
	for _, p := range pods {
		on := func(s *space) bool { return e.takes(s, p) }
		if i := slices.IndexFunc(e.nodes, on); i >= 0 {
			e.nodes[i].add(p)
			need.Elsewhere++
			continue
		}
		i := slices.IndexFunc(fresh, on)
		if i < 0 {
			fresh = append(fresh, &space{room: e.fresh})
			i = len(fresh) - 1
		}
		fresh[i].add(p)
		if bound(p) {
			fresh[i].zone = e.w.Node(p.Node).Zone
		}
	}
	need.New = min(len(fresh), len(going))
}

func (s *space) add(p *world.Pod) {
	s.room = less(s.room, asks(p))
	s.added = append(s.added, p)
}

// zones are the zones of nodes that go where no node that stays takes a pod that is bound to its zone.
func (e *estimate) zones(going []*world.Node) []string {
	bare := map[string]bool{}
	for _, n := range going {
		if bare[n.Zone] {
			continue
		}
		for _, p := range e.w.PodsOn(n.Name) {
			if bound(p) && e.moves(p) && !slices.ContainsFunc(e.nodes, func(s *space) bool { return e.takes(s, p) }) {
				bare[n.Zone] = true
				break
			}
		}
	}
	return slices.Sorted(maps.Keys(bare))
}

// bound reports whether a pod may have to stay in its zone.
func bound(p *world.Pod) bool {
	if p.Volume || p.Needs == nil {
		return p.Volume
	}
	_, zone := p.Needs.NodeLabels[zoneLabel]
	return zone || slices.ContainsFunc(p.Needs.Nodes, func(list []world.Requirement) bool {
		return slices.ContainsFunc(list, func(r world.Requirement) bool { return r.Key == zoneLabel })
	})
}

// takes reports whether a pod can be placed.
func (e *estimate) takes(s *space, p *world.Pod) bool {
	if !within(asks(p), s.room) || bound(p) && s.zone != "" && s.zone != e.w.Node(p.Node).Zone {
		return false
	}
	if s.node != nil && !admits(s.node, p) {
		return false
	}
	return p.Needs == nil || len(p.Needs.Together)+len(p.Needs.Spread) == 0 && e.apart(s, p)
}

// admits reports whether taints and labels of a node let a pod run there.
func admits(n *world.Node, p *world.Pod) bool {
	for _, t := range n.Taints {
		tolerated := p.ToleratesAll || p.Needs != nil && slices.ContainsFunc(p.Needs.Tolerations, func(have world.Toleration) bool { return have.Tolerates(t) })
		if (t.Effect == "NoSchedule" || t.Effect == "NoExecute") && !tolerated {
			return false
		}
	}
	if p.Needs == nil {
		return true
	}
	for key, value := range p.Needs.NodeLabels {
		if label(n, key) != value {
			return false
		}
	}
	return len(p.Needs.Nodes) == 0 || slices.ContainsFunc(p.Needs.Nodes, func(list []world.Requirement) bool {
		return !slices.ContainsFunc(list, func(r world.Requirement) bool { return !meets(n, r) })
	})
}

func label(n *world.Node, key string) string {
	if value, has := n.Labels[key]; has {
		return value
	}
	switch key {
	case world.NodeName, hostLabel:
		return n.Name
	case zoneLabel:
		return n.Zone
	}
	return ""
}

// meets reports whether a node's label meets a requirement.
func meets(n *world.Node, r world.Requirement) bool {
	has := label(n, r.Key)
	switch r.Operator {
	case "In":
		return slices.Contains(r.Values, has)
	case "NotIn":
		return !slices.Contains(r.Values, has)
	case "Exists":
		return has != ""
	case "DoesNotExist":
		return has == ""
	case "Gt", "Lt":
		is, err := strconv.Atoi(has)
		than, bad := strconv.Atoi(strings.Join(r.Values, ""))
		return err == nil && bad == nil && (r.Operator == "Gt" && is > than || r.Operator == "Lt" && is < than)
	}
	return false
}

// apart reports whether no pod of a node is one that a pod must not share it with. Where a pod must
// not share a zone, or more than a node, it finds no place.
func (e *estimate) apart(s *space, p *world.Pod) bool {
	for _, rule := range p.Needs.Apart {
		if rule.Topology != hostLabel {
			return false
		}
		meant := func(q *world.Pod) bool {
			return q.UID != p.UID && !q.Finished() && (rule.Any || q.Namespace == p.Namespace || slices.Contains(rule.Namespaces, q.Namespace)) && selects(rule, q)
		}
		if slices.ContainsFunc(s.added, meant) || s.node != nil && slices.ContainsFunc(e.w.PodsOn(s.node.Name), meant) {
			return false
		}
	}
	return true
}

// selects reports whether a rule may be about a pod, by its labels.
func selects(rule world.Near, q *world.Pod) bool {
	if rule.None {
		return false
	}
	return !slices.ContainsFunc(rule.Selector, func(r world.Requirement) bool {
		return !meets(&world.Node{Labels: q.Labels}, r)
	})
}
