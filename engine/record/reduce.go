package record

import (
	"maps"
	"slices"

	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/text"
)

// reducedCulprits is how many lines a reduced record has of what kept nodes.
const reducedCulprits = 100

// Reducible reports whether less of the run is enough to continue from: it ends, has ended or is
// paused, so no drain depends on what Reduced leaves out.
func (r *Run) Reducible() bool {
	return r.State == Ending || r.State == Finished || r.State == Paused
}

// Reduced is the run with what its end and a later resume need, for a record that is too
// large with everything. It keeps each node with its stage, marks, values to restore and
// changes without an answer. It leaves out what was tried on pods: the attempts to evict
// them, evictions that were accepted (the pods terminate, which is seen on them), the pods
// of force orders, and lists that are only shown. A pod that a force order has deleted stays
// known: once the run resumes it must not be deleted a second time, which would cut its grace
// period; and so does a pod whose eviction or deletion has no answer yet, which is told by its name. r is not changed.
func (r Run) Reduced() Run {
	r.Pending = maps.Clone(r.Pending)
	maps.DeleteFunc(r.Pending, func(_ string, p Pending) bool {
		return p.Action.ReadOnly() || (p.Action.Kind == Evict || p.Action.Kind == Delete) && !p.Accepted.IsZero()
	})
	pods := map[string]Pod{}
	for uid, p := range r.Pods.All() {
		_, evicts := r.Pending[EvictKey(uid)]
		_, deletes := r.Pending[DeleteKey(uid)]
		if forced := p.Forced && p.Gone.IsZero(); !forced && !evicts && !deletes {
			continue
		}
		pods[uid] = Pod{Ref: p.Ref, Node: p.Node, Owner: p.Owner, Tries: p.Tries, First: p.First, Last: p.Last, Next: p.Next, Forced: p.Forced}
	}
	r.Pods = shards.Of(pods)
	r.Retries = maps.Clone(r.Retries)
	maps.DeleteFunc(r.Retries, func(_ string, p Retry) bool { return p.Denied == 0 })
	r.Orders = slices.Clone(r.Orders)
	for i := range r.Orders {
		r.Orders[i].Pods = nil
	}
	r.Batches = slices.Clone(r.Batches)
	for i := range r.Batches {
		r.Batches[i].Preview = BatchPreview{}
	}
	if r.State == Paused {
		return r
	}
	r.Evicted, r.ExternalMovers, r.Workloads, r.Leaving = nil, nil, nil, nil
	if r.Validation != nil {
		v := *r.Validation
		v.Failures = nil
		r.Validation = &v
	}
	var edit shards.Editor[Node]
	for id, n := range r.Nodes.All() {
		if n.BlockingPods != nil || n.Findings != nil {
			n.BlockingPods, n.Findings = nil, nil
			r.Nodes = edit.With(r.Nodes, id, n)
		}
	}
	if more := len(r.BlockingPods) - reducedCulprits; more > 0 {
		r.BlockingPods = append(slices.Clone(r.BlockingPods[:reducedCulprits]), text.MoreThanListed(more))
	}
	return r
}
