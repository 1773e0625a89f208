package sim

import (
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// balancer is the load balancer in front of the group's machines.
type balancer struct {
	there bool // there is one
	// takes is how long the connections of a machine last once it is taken out; fails:
	// nothing is taken out.
	takes time.Duration
	fails bool
	// follows: a user takes machines out whose nodes have the label that excludes them.
	follows bool
	// out is when the last connection of those that were taken out is over, by machine.
	out map[string]time.Time
}

// leave takes a machine out, once.
func (b *balancer) leave(machine string, now time.Time) {
	if _, left := b.out[machine]; left {
		return
	}
	if b.out == nil {
		b.out = map[string]time.Time{}
	}
	b.out[machine] = now.Add(b.takes)
}

// over reports whether a machine has left, and its connections are over.
func (b *balancer) over(machine string, now time.Time) bool {
	end, left := b.out[machine]
	return !b.there || left && !now.Before(end)
}

// deregister answers a request to take a machine out of the load balancer. The answer
// takes as long as its connections (lasts), at most the request's limit.
func (s *Sim) deregister(a record.Action) record.Outcome {
	switch {
	case s.machines[a.Machine] == nil:
		return refuse(record.RefusedGone, "The instance ID '%s' does not exist", a.Machine)
	case !s.balancer.there:
		return record.Outcome{Verdict: record.Done, Already: true}
	case s.balancer.fails:
		return refuse(record.RefusedInvalid, "InvalidTarget: the target group of the group's load balancer does not let %s go", a.Machine)
	}
	s.balancer.leave(a.Machine, s.now)
	if left := s.balancer.out[a.Machine].Sub(s.now); a.Limit > 0 && left > a.Limit {
		return record.Outcome{Verdict: record.Done, Message: "the load balancer web still has connections to " + a.Machine + " after " + a.Limit.String()}
	}
	return done
}

// lasts is how long an answer is still to come after the request was served.
func (s *Sim) lasts(a record.Action, o record.Outcome) time.Duration {
	if a.Kind != record.Deregister || o.Verdict != record.Done {
		return 0
	}
	left := max(0, s.balancer.out[a.Machine].Sub(s.now))
	if a.Limit > 0 {
		left = min(left, a.Limit)
	}
	return left
}

// lookAtBalancers answers which load balancers have a machine.
func (s *Sim) lookAtBalancers(a record.Action) record.Outcome {
	o := record.Outcome{Verdict: record.Done}
	if m := s.machines[a.Machine]; m != nil && !s.balancer.over(a.Machine, s.now) {
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
func (p *pod) route() record.Route {
	return record.Route{Service: p.Namespace + "/" + p.Labels["app"], Pod: p.Ref()}
}

// lookAtRoutes answers what routes to a node.
func (s *Sim) lookAtRoutes(a record.Action) record.Outcome {
	return record.Outcome{Verdict: record.Done, Routes: s.routesTo(a.Node)}
}

// routesTo are the Services that lead to a node, and the load balancers that use every one.
func (s *Sim) routesTo(node string) (out []record.Route) {
	for _, p := range s.Truth.PodsOn(node) {
		if q := s.pods.byUID[p.UID]; q.shape.Service && !p.Finished() {
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
