package engine

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// isolateSlack is how long after its limit an answer of those who take a node out of its
// load balancers is still waited for.
const isolateSlack = time.Minute

// isolate sets a node apart before its first eviction, where the strategy wants that: it is
// cordoned, labelled, and taken out of its group's load balancers until its connections
// are over, in this order. It reports whether that is done; the time that the drain has
// begins then.
func isolate(s *Step, id string, n record.Node) bool {
	if isolated(&s.Reader, n) {
		return true
	}
	if s.Capabilities().CordonsFirst {
		return cordonFirst(s, id, n)
	}
	if s.Run.State != record.Running || !s.Mark(record.CordonOf(id, n.Name)) || !s.Mark(record.LabelOf(id, n.Name, record.ExcludeLabel, "true")) || !deregistered(s, id, n) {
		return false
	}
	n = s.Run.Nodes.Get(id)
	n.Isolated, n.Wait = true, drainWait(&s.Reader)
	s.SetNode(id, n)
	s.changed = true
	return true
}

// cordonFirst cordons a node before its first eviction. A new one is retired in an end,
// too.
func cordonFirst(s *Step, id string, n record.Node) bool {
	if s.Run.State != record.Running && !(n.New && s.Run.State == record.Ending) || !s.Mark(record.CordonOf(id, n.Name)) {
		return false
	}
	n.Isolated, n.Wait = true, drainWait(&s.Reader)
	s.SetNode(id, n)
	s.changed = true
	return true
}

// isolated reports whether the pods of a draining node may be asked to go. One that a controller
// drains has been cordoned by it.
func isolated(s *assess.Reader, n record.Node) bool {
	return n.Isolated || !isolatesFirst(s) || assess.DrainedByController(n) || s.W.Node(n.Name) == nil
}

// isolatesFirst reports whether something is done with a node before its first eviction.
func isolatesFirst(s *assess.Reader) bool {
	return s.Capabilities().IsolatesFirst || s.Capabilities().CordonsFirst
}

// deregistered takes a node out of its group's load balancers. It reports whether that is
// over: it is out, or the time for it is up, which is told and no more.
func deregistered(s *Step, id string, n record.Node) bool {
	limit := s.Run.Settings.DeregisterLimit
	if limit <= 0 {
		return true
	}
	if onlyAPI(&s.Reader) {
		s.Report(record.Event{Type: record.Warning, Node: s.Label(id, n), Zone: n.Zone, Reason: record.WaitDeregister, Message: text.StaysBalanced})
		return true
	}
	if n.Wait == nil || n.Wait.For != record.WaitDeregister {
		n.Wait = s.NewWait(record.WaitDeregister, limit, world.Cloud)
		s.SetNode(id, n)
		s.changed = true
	}
	if refused := s.Run.Retries[record.DeregisterKey(id)]; refused.Hopeless() {
		if s.Run.Settings.PassDrain {
			s.Report(record.Event{Type: record.Warning, Node: s.Label(id, n), Zone: n.Zone, Reason: record.WaitDeregister, Message: text.CannotLeave})
			return true
		}
		s.Fail(record.DeregisterFail, text.DeregistrationFailed(s.Label(id, n), refused.Message))
		return false
	}
	asked, busy := s.Run.Pending[record.DeregisterKey(id)]
	if !asked.Accepted.IsZero() {
		return true
	}
	if late := n.Wait.End.Add(isolateSlack); s.Now.Before(late) {
		if !busy {
			s.Run.Balancers = s.W.Group.Balancers
		}
		s.WakeAt(late)
		return s.Ensure(record.Action{Kind: record.Deregister, Key: record.DeregisterKey(id), Machine: id, Node: n.Name, Zone: n.Zone, Group: s.Run.Group, Balancers: s.Run.Balancers, Limit: limit})
	}
	s.Report(record.Event{Type: record.Warning, Node: s.Label(id, n), Zone: n.Zone, Reason: record.WaitDeregister, Message: text.DidNotLeave(limit)})
	offBalancers(s, id, &n)
	s.SetNode(id, n)
	return true
}

const (
	// leastRouted is the least wait after a drain where it ends by what routes to the node.
	leastRouted = 5 * time.Second
	// routesEvery is how often that is looked up, balancersEvery where load balancers of the group are asked.
	routesEvery    = 2 * time.Second
	balancersEvery = 5 * time.Second
)

// watchRoutes looks up what routes to a node that settles, where its strategy wants that, and ends its
// wait once nothing does. What cannot be looked up is waited for in full.
func watchRoutes(s *Step, id string) {
	n := s.Run.Nodes.Get(id)
	if !s.Capabilities().AwaitsRoutes || n.Unrouted || n.Wait == nil || s.Over(n.Wait) || s.W.Node(n.Name) == nil {
		return
	}
	asks := len(s.W.Group.Balancers) > 0
	if o, answered := s.balancers[id]; answered {
		delete(s.balancers, id)
		tookRoutes(s, id, balancersOf(o))
		return
	}
	o, answered := s.routes[id]
	if !answered {
		if _, busy := s.Run.Pending[record.BalancersKey(id)]; busy {
			return
		}
		every := routesEvery
		if asks {
			every = balancersEvery
		}
		if next := n.LookedAt.Add(every); s.Now.Before(next) {
			s.WakeAt(next)
			return
		}
		s.ask(record.Action{Kind: record.LookAtRoutes, Key: record.RoutesKey(id), Machine: id, Node: n.Name})
		return
	}
	delete(s.routes, id)
	routes := routesOf(&s.Reader, n.Name, o)
	if asks && len(routes) == 0 { // these are asked last: they are bounded to fewer requests
		s.ask(record.Action{Kind: record.LookAtBalancers, Key: record.BalancersKey(id), Machine: id, Node: n.Name, Group: s.Run.Group, Balancers: s.W.Group.Balancers})
		return
	}
	tookRoutes(s, id, routes)
}

// tookRoutes notes what routes to a node that settles, and ends its wait where nothing does.
func tookRoutes(s *Step, id string, routes []string) {
	n := s.Run.Nodes.Get(id)
	if n.LookedAt.IsZero() {
		n.Routed = routes
	}
	n.Routes, n.LookedAt, n.Unrouted = routes, s.Now, len(routes) == 0
	if n.Unrouted {
		short := *n.Wait
		if end := n.Wait.Start.Add(leastRouted); end.Before(s.Now) {
			short.End = s.Now
		} else if end.Before(n.Wait.End) {
			short.End = end
		}
		n.Wait = &short
	}
	s.WakeAt(n.Wait.End)
	s.SetNode(id, n)
	s.changed = true
}

// routesOf names what routes to a node, each once, by an answer: but for endpoints of pods that stay,
// which end with the node.
func routesOf(s *assess.Reader, node string, o record.Outcome) (out []string) {
	if o.Verdict != record.Done {
		return []string{text.RoutesUnread(o.Message)}
	}
	stays := map[string]bool{}
	for _, p := range s.W.PodsOn(node) {
		stays[p.Ref()] = s.Judge(p).Fate == drain.Stays
	}
	for _, r := range o.Routes {
		switch {
		case r.EveryNode:
			out = append(out, text.EveryNodeBalancer(r.Service))
		case r.Pod == "" || !stays[r.Pod]:
			out = append(out, r.Service)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// balancersOf names the load balancers of the group that have a machine, by an answer.
func balancersOf(o record.Outcome) []string {
	if o.Verdict != record.Done {
		return []string{text.RoutesUnread(o.Message)}
	}
	return slices.Compact(slices.Sorted(slices.Values(o.Balancers)))
}

// reportRoutes tells what the wait of a node was for that is over.
func reportRoutes(s *Step, id string, n record.Node) {
	if s.Capabilities().AwaitsRoutes && n.Wait != nil && s.W.Node(n.Name) != nil {
		s.Report(record.Event{Type: record.NodeSettling, Node: s.Label(id, n), Zone: n.Zone, Reason: record.ReasonRoutes, Message: text.RoutesAwaited(s.Now.Sub(n.Since), n.Routed, n.Routes, n.LookedAt.IsZero())})
	}
}

// onlyAPI reports whether a node that is about to be drained is the last one that serves
// the API, beside those in work: out of its load balancer nobody could continue (kops
// cmd/kops/rolling-update_cluster.go turns deregistering off for a single control plane).
func onlyAPI(s *assess.Reader) bool {
	serves := func(r world.Role) bool { return r == world.RoleControlPlane || r == world.RoleAPIServer }
	if !serves(s.W.Group.Role) {
		return false
	}
	size := 0
	for _, p := range s.W.Group.Peers {
		if serves(p.Role) {
			size += p.Size
		}
	}
	return size-(s.Unavailable()-1) <= 1
}

// tookOut notes that a node has left its load balancers, or that the time for it is up.
func tookOut(s *Step, a record.Action, o record.Outcome) {
	n, known := s.Run.Nodes.Find(a.Machine)
	if !known || o.Already {
		return // it was in none
	}
	n.OffBalancers = true
	s.SetNode(a.Machine, n)
	s.reportChange(a)
	if o.Message != "" {
		s.Report(record.Event{Type: record.Warning, Node: s.Label(a.Machine, n), Zone: n.Zone, Reason: record.WaitDeregister, Message: text.DrainBeginsAnyway(o.Message)})
	}
}

// offBalancers takes it that a node is out of its load balancers whose answer is not
// waited for any more.
func offBalancers(s *Step, id string, n *record.Node) {
	if _, asked := s.Run.Pending[record.DeregisterKey(id)]; asked {
		delete(s.Run.Pending, record.DeregisterKey(id))
		n.OffBalancers = true
	}
	n.Isolated = false
}
