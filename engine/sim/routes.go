package sim

import (
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

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
