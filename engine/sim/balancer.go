package sim

import (
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// Balancer is the load balancer in front of the group's machines.
type Balancer struct {
	// There: there is one.
	There bool
	// Takes is how long the connections of a machine last once it is taken out. Fails:
	// nothing can be taken out.
	Takes time.Duration
	Fails bool
	// Follows: a user takes machines out whose nodes have the label that excludes them.
	Follows bool
	// Out is when the last connection of those that were taken out is over, by machine.
	Out map[string]time.Time
}

// leave takes a machine out, once.
func (b *Balancer) leave(machine string, now time.Time) {
	if _, left := b.Out[machine]; left {
		return
	}
	if b.Out == nil {
		b.Out = map[string]time.Time{}
	}
	b.Out[machine] = now.Add(b.Takes)
}

// Over reports whether a machine has left, and its connections are over.
func (b *Balancer) Over(machine string, now time.Time) bool {
	end, left := b.Out[machine]
	return !b.There || left && !now.Before(end)
}

// deregister answers a request to take a machine out of the load balancer. The answer
// takes as long as its connections (lasts), at most the request's limit.
func (s *Sim) deregister(a record.Action) record.Outcome {
	switch {
	case s.machines[a.Machine] == nil:
		return Refuse(record.RefusedGone, "The instance ID '%s' does not exist", a.Machine)
	case !s.Balancer.There:
		return record.Outcome{Verdict: record.Done, Already: true}
	case s.Balancer.Fails:
		return Refuse(record.RefusedInvalid, "InvalidTarget: the target group of the group's load balancer does not let %s go", a.Machine)
	}
	s.Balancer.leave(a.Machine, s.now)
	if left := s.Balancer.Out[a.Machine].Sub(s.now); a.Limit > 0 && left > a.Limit {
		return record.Outcome{Verdict: record.Done, Message: "the load balancer web still has connections to " + a.Machine + " after " + a.Limit.String()}
	}
	return done
}

// AnswerTakes is how long an answer is still to come after the request was served.
func (s *Sim) AnswerTakes(a record.Action, o record.Outcome) time.Duration {
	if a.Kind != record.Deregister || o.Verdict != record.Done {
		return 0
	}
	left := max(0, s.Balancer.Out[a.Machine].Sub(s.now))
	if a.Limit > 0 {
		left = min(left, a.Limit)
	}
	return left
}

// lookAtBalancers answers which load balancers have a machine.
func (s *Sim) lookAtBalancers(a record.Action) record.Outcome {
	o := record.Outcome{Verdict: record.Done}
	if m := s.machines[a.Machine]; m != nil && !s.Balancer.Over(a.Machine, s.now) {
		o.Balancers = []string{"target group web"}
	}
	return o
}

// gone is a pod that is gone, and to which a Service leads until then.
type gone struct {
	node  string
	route record.Route
	until time.Time
}

// route leads to a pod.
func (p *Pod) route() record.Route {
	return record.Route{Service: p.Namespace + "/" + p.Labels["app"], Pod: p.Ref()}
}

// lookAtRoutes answers what routes to a node.
func (s *Sim) lookAtRoutes(a record.Action) record.Outcome {
	return record.Outcome{Verdict: record.Done, Routes: s.RoutesTo(a.Node)}
}

// RoutesTo are the Services that lead to a node, and the load balancers that use every one.
func (s *Sim) RoutesTo(node string) (out []record.Route) {
	for _, p := range s.Truth.PodsOn(node) {
		if q := s.pods.byUID[p.UID]; q.Shape.Service && !p.Finished() {
			out = append(out, q.route())
		}
	}
	for _, uid := range sortedKeys(s.routes) {
		if r := s.routes[uid]; r.node == node && s.now.Before(r.until) {
			out = append(out, r.route)
		}
	}
	return out
}
