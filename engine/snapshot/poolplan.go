package snapshot

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/assess/preflight"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// PoolPlan is what a roll of a pool would meet as the pool stands. Its controller rolls it when
// it is asked for something else, in an order of its own.
type PoolPlan struct {
	AsOf time.Time
	// All: no machine is to be updated, so that all are looked at: a roll of the pool moves
	// every one. Else it is what the roll under way has still to do.
	All bool
	// Nodes are those that would be moved, by zone and name.
	Nodes []PoolNode
	// Meets is what is in the way, or takes time.
	Meets []Obstacle
	// Said are the sentences of a Plan's foreseen blockers, each with its node before it, that
	// Meets says for all nodes at once.
	Said []string
	// NotEvaluated is what nothing is said about, a sentence each.
	NotEvaluated []string
}

// PoolNode is a node that a roll would move.
type PoolNode struct {
	Machine string
	Name    string
	Zone    string
	Version string
	// Evict pods have to leave, Volumes of them one after the other, Stay stay.
	Evict   int
	Volumes int
	Stay    int
	// Foreseen are blockers to expect, a sentence each; Stuck the pods that can never be
	// evicted as it stands.
	Foreseen []string
	Stuck    []string
	// NotEvaluated says why nothing could be foreseen, "" if what is known was judged.
	NotEvaluated string
}

// Obstacle is something that a roll of a pool would meet.
type Obstacle struct {
	Kind ObstacleKind
	// Text is one sentence.
	Text string
	// Zone, Nodes, Pods and Budget are what it is about, as far as it is about any.
	Zone   string
	Nodes  []string
	Pods   []string
	Budget string
}

// ObstacleKind is what kind of thing a roll meets.
type ObstacleKind string

// Kinds of obstacles.
const (
	MeetsBudget     ObstacleKind = "budget"         // allows no eviction now
	MeetsNever      ObstacleKind = "misconfigured"  // allows none though all its pods are well
	MeetsBudgets    ObstacleKind = "two-budgets"    // over one pod, which can never be evicted
	MeetsSingle     ObstacleKind = "single-replica" // down while it moves
	MeetsVolumes    ObstacleKind = "volumes"        // pods that leave one after the other
	MeetsNoShare    ObstacleKind = "no-share"       // a zone that gets nothing of the limits
	MeetsNoSurge    ObstacleKind = "no-surge"       // a node goes before another comes
	MeetsCandidates ObstacleKind = "candidates"     // nodes that await an update in place
	MeetsFailed     ObstacleKind = "failed"         // updates in place that failed
	MeetsPaused     ObstacleKind = "paused"
	MeetsFrozen     ObstacleKind = "frozen"
	MeetsSick       ObstacleKind = "not-ready" // drained by force
	MeetsKept       ObstacleKind = "preserved"
)

// PlanPool works out what a roll of a pool would meet. r is the pool as Idle has it.
func PlanPool(rules assess.Rules, now time.Time, w *world.World, r record.Run) PoolPlan {
	s := &assess.Reader{Now: now, W: w, Run: r, Rules: rules} // it looks, and changes nothing
	p := PoolPlan{AsOf: now, Nodes: []PoolNode{}, Meets: []Obstacle{}}
	var all, old []*world.Machine
	for _, m := range w.Machines() {
		n := r.Nodes.Get(m.ID)
		if m.Leaving() || w.NodeOf(m.ID) == nil {
			continue
		}
		all = append(all, m)
		if !n.New {
			old = append(old, m)
		}
	}
	if p.All = len(old) == 0; p.All {
		old = all
	}
	for _, m := range old {
		p.Nodes = append(p.Nodes, poolNode(s, m))
	}
	v := poolView(s)
	p.Meets = slices.Concat(p.Meets, meetsZones(s, v), meetsInPlace(s, v), meetsBudgets(s, old), meetsPods(s, old), meetsNodes(s, old))
	p.Said = said(s, old)
	if why := preflight.Gap(s); why != "" {
		p.NotEvaluated = append(p.NotEvaluated, plans.BlockersUnknown(why))
	}
	p.NotEvaluated = slices.Concat(p.NotEvaluated, preflight.NotEvaluated, v.Unknown)
	return p
}

func poolNode(s *assess.Reader, m *world.Machine) PoolNode {
	n := s.W.NodeOf(m.ID)
	found := PlannedNode{Machine: m.ID, Name: n.Name}
	look(s, &found)
	out := PoolNode{Machine: m.ID, Name: n.Name, Zone: cmp.Or(m.Zone, n.Zone), Version: n.Version, Foreseen: found.Foreseen, Stuck: found.Stuck, NotEvaluated: found.NotEvaluated}
	out.Evict, out.Stay = s.PodsToMove(n.Name)
	volumes, _ := inTurn(s, n.Name)
	out.Volumes = len(volumes)
	return out
}

// inTurn are the pods of a node that leave one after the other, and how long that takes.
func inTurn(s *assess.Reader, node string) (pods []*world.Pod, takes string) {
	if c := s.Controller(); c != nil {
		return c.InTurn(s.W, node)
	}
	return nil, ""
}

// meetsZones are what the zones' limits and states mean for a roll.
func meetsZones(s *assess.Reader, v *PoolView) (out []Obstacle) {
	if v.Update == world.ManualInPlaceUpdate {
		return nil
	}
	surge, known := 0, false
	for _, z := range v.Zones {
		surge, known = surge+z.Surge, known || z.AtOnce() != ""
	}
	for _, z := range v.Zones {
		if z.Paused {
			out = append(out, Obstacle{Kind: MeetsPaused, Zone: z.Name, Text: systems.ZoneIsPaused(z.Name)})
		}
		if z.Frozen {
			out = append(out, Obstacle{Kind: MeetsFrozen, Zone: z.Name, Text: systems.ZoneIsFrozen(z.Name)})
		}
		if surge > 0 && z.NoShare() {
			out = append(out, Obstacle{Kind: MeetsNoShare, Zone: z.Name, Text: systems.ZoneHasNoShare(z.Name, z.AtOnce())})
		}
	}
	if known && surge == 0 && !world.InPlace(v.Update) {
		out = append(out, Obstacle{Kind: MeetsNoSurge, Text: systems.NoShareOfSurge})
	}
	return out
}

// NoShare reports whether a zone gets nothing of maxSurge and maxUnavailable, so that the
// controller lets one machine be missing.
func (z PoolZone) NoShare() bool {
	nothing := func(written string, n int) bool { return n == 0 || written != "" && strings.Trim(written, "0%") == "" }
	return z.AtOnce() != "" && nothing(z.SurgeAs, z.Surge) && nothing(z.UnavailableAs, z.Unavailable)
}

// meetsInPlace are the nodes of an update in place that is under way.
func meetsInPlace(s *assess.Reader, v *PoolView) (out []Obstacle) {
	if n := v.InPlace[world.InPlaceCandidate]; n > 0 {
		label := ""
		if v.Update == world.ManualInPlaceUpdate {
			label = world.SelectLabel
		}
		out = append(out, Obstacle{Kind: MeetsCandidates, Text: systems.AwaitingInPlace(n, label)})
	}
	if n := v.InPlace[world.InPlaceFailed]; n > 0 {
		out = append(out, Obstacle{Kind: MeetsFailed, Text: systems.FailedInPlace(n)})
	}
	return out
}

// meetsBudgets are the budgets that let no pod of those machines' nodes go now.
func meetsBudgets(s *assess.Reader, machines []*world.Machine) (out []Obstacle) {
	if preflight.Gap(s) != "" {
		return nil
	}
	shut := map[string]*Obstacle{}
	for _, m := range machines {
		node := s.W.NodeOf(m.ID).Name
		for _, p := range s.W.PodsOn(node) {
			gate := drain.GateOf(s.W, p, func(string) int { return 0 })
			switch {
			case s.Judge(p).Fate != drain.Leaves || p.Terminating() || gate.Open && !gate.Double():
			case gate.Double():
				out = append(out, Obstacle{Kind: MeetsBudgets, Nodes: []string{node}, Pods: []string{p.Ref()},
					Text: systems.NeverEvicted(p.Ref(), gate.Budgets[0].Name, gate.Budgets[1].Name)})
			default:
				b := gate.Budgets[0]
				if shut[b.Ref()] == nil {
					shut[b.Ref()] = &Obstacle{Budget: b.Ref()}
				}
				o := shut[b.Ref()]
				o.Pods = append(o.Pods, p.Ref())
				if !slices.Contains(o.Nodes, node) {
					o.Nodes = append(o.Nodes, node)
				}
			}
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(shut)) {
		describeBudget(s, shut[ref])
		out = append(out, *shut[ref])
	}
	return out
}

// describeBudget says what a budget that lets no pod go means.
func describeBudget(s *assess.Reader, o *Obstacle) {
	b := s.W.Budget(o.Budget)
	limits := s.W.Group.Pool.Limits
	if o.Kind = MeetsBudget; b.Misconfigured() {
		o.Kind = MeetsNever
	}
	o.Text = systems.PoolBudget{
		Budget: blockers.BudgetViewOf(b).Figures(), Unseen: !b.Current, Misconfigured: b.Misconfigured(), Controller: s.DrivenBy(),
		Refusals: limits.EvictRetries, Past: limits.Past(), Drain: limits.Drain, Pods: len(o.Pods), Nodes: len(o.Nodes),
	}.String()
}

// meetsPods are the pods of those machines' nodes that are down while they move, or leave
// one after the other.
func meetsPods(s *assess.Reader, machines []*world.Machine) (out []Obstacle) {
	if preflight.Gap(s) != "" {
		return nil
	}
	single := Obstacle{Kind: MeetsSingle}
	for _, m := range machines {
		node := s.W.NodeOf(m.ID).Name
		for _, p := range s.W.PodsOn(node) {
			if s.Judge(p).Fate == drain.Leaves && !p.Terminating() && preflight.Single(s, p) != "" {
				single.Pods, single.Nodes = append(single.Pods, p.Ref()), append(single.Nodes, node)
			}
		}
		volumes, takes := inTurn(s, node)
		if len(volumes) > 1 {
			o := Obstacle{Kind: MeetsVolumes, Nodes: []string{node}, Text: systems.VolumesInTurn(node, len(volumes), takes)}
			for _, p := range volumes {
				o.Pods = append(o.Pods, p.Ref())
			}
			out = append(out, o)
		}
	}
	if n := len(single.Pods); n > 0 {
		single.Nodes = slices.Compact(single.Nodes)
		single.Text = systems.OnlyReplicas(single.Pods)
		out = append([]Obstacle{single}, out...)
	}
	return out
}

// said are the sentences that meetsBudgets and meetsPods stand for.
func said(s *assess.Reader, machines []*world.Machine) (out []string) {
	if preflight.Gap(s) != "" {
		return nil
	}
	for _, m := range machines {
		node := s.W.NodeOf(m.ID).Name
		for _, p := range s.W.PodsOn(node) {
			if s.Judge(p).Fate != drain.Leaves || p.Terminating() {
				continue
			}
			for _, sentence := range []string{preflight.Budget(s, p), preflight.Single(s, p)} {
				if sentence != "" {
					out = append(out, plans.OfNode(node, sentence))
				}
			}
		}
	}
	return out
}

// meetsNodes are the nodes that are not well, or kept.
func meetsNodes(s *assess.Reader, machines []*world.Machine) (out []Obstacle) {
	for _, m := range machines {
		n := s.W.NodeOf(m.ID)
		if !n.Sick.IsZero() {
			out = append(out, Obstacle{Kind: MeetsSick, Nodes: []string{n.Name}, Text: systems.SickNode(n.Name, s.Now.Sub(n.Sick), world.SickFor)})
		}
		if until := keptUntil(s, m, n); !until.IsZero() {
			out = append(out, Obstacle{Kind: MeetsKept, Nodes: []string{n.Name}, Text: systems.Preserved(n.Name, until.Sub(s.Now))})
		}
	}
	return out
}

// keptUntil is until when a machine is preserved, zero if it is not, or not any more.
func keptUntil(s *assess.Reader, m *world.Machine, n *world.Node) time.Time {
	until := n.Preserved
	if m.Managed != nil {
		until = m.Managed.Preserved
	}
	if !until.After(s.Now) {
		return time.Time{}
	}
	return until
}
