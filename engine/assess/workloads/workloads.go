package workloads

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Of lists the workloads whose pods the run has moved as they stand now, those in most trouble
// first. Of a run that has ended, and as long as the cluster's pods are not all read, they are as
// the record has them.
func Of(s *assess.Reader) []*record.Workload {
	if s.W.Partial() || s.Run.State == record.Finished {
		return Recorded(&s.Run)
	}
	return list(&s.Run, func(owner string, w record.Workload) record.Workload { return Now(s.W, owner, w) })
}

// Recorded lists them as the run's record has them.
func Recorded(r *record.Run) []*record.Workload {
	return list(r, func(_ string, w record.Workload) record.Workload { return w })
}

func list(r *record.Run, stands func(owner string, w record.Workload) record.Workload) []*record.Workload {
	if len(r.Workloads) == 0 {
		return nil
	}
	type name struct{ namespace, kind, name string }
	by := make(map[name]*record.Workload, len(r.Workloads))
	for owner, w := range r.Workloads {
		w = stands(owner, w)
		key := name{w.Namespace, w.Kind, w.Name}
		if other := by[key]; other != nil { // a Deployment was rolled out meanwhile: its pods have another owner
			w = together(w, *other)
		}
		by[key] = &w
	}
	return slices.SortedFunc(maps.Values(by), func(a, b *record.Workload) int {
		return cmp.Or(cmp.Compare(a.Trouble().Rank(), b.Trouble().Rank()), a.TroubleSince.Compare(b.TroubleSince), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
}

// CrashLooping are the replacements that crash-loop, one for each node, by its name.
func CrashLooping(s *assess.Reader, of []*record.Workload) map[string]string {
	if !slices.ContainsFunc(of, func(w *record.Workload) bool { return w.CrashLooping > 0 }) {
		return nil
	}
	out := map[string]string{}
	for owner, w := range s.Run.Workloads {
		if countedOf(s.W, owner, &w).crashLooping == 0 {
			continue
		}
		for _, p := range s.W.PodsOf(owner) {
			if p.Node != "" && loops(p, &w) && (out[p.Node] == "" || p.Ref() < out[p.Node]) {
				out[p.Node] = p.Ref()
			}
		}
	}
	return out
}

// replaces reports whether a pod was created after the run moved the first one of its workload.
func replaces(p *world.Pod, w *record.Workload) bool {
	return replacesSince(p, from(w))
}

// from is since when pods that are created replace those that the run has moved.
func from(w *record.Workload) time.Time { return w.Since.Truncate(time.Second).Add(-skew) }

func replacesSince(p *world.Pod, from time.Time) bool {
	return !p.Finished() && !p.Terminating() && !p.Created.Before(from)
}

// Replaces reports whether a pod that is about to be moved, or was just now, stands in for one that was.
func Replaces(p *world.Pod, w *record.Workload) bool {
	return w.Moved > 0 && p.Created.After(from(w))
}

// skew is how far a pod's creation, which is told in whole seconds, and the time of the eviction may
// be apart: both are the cluster's, and the second is inferred.
const skew = 2 * time.Second

// loops reports whether a replacement crash-loops. Between two crashes it runs.
func loops(p *world.Pod, w *record.Workload) bool {
	return replaces(p, w) && (p.Crashing || w.Reported == record.InCrashLoop && w.Pod == p.Ref())
}

// together is a workload of which a run has moved pods of two owners.
func together(a, b record.Workload) record.Workload {
	if cmp.Or(cmp.Compare(a.Trouble().Rank(), b.Trouble().Rank()), a.TroubleSince.Compare(b.TroubleSince), a.Since.Compare(b.Since), cmp.Compare(a.Pod, b.Pod)) > 0 {
		a, b = b, a
	}
	a.Again += b.Again
	a.Moved, a.Ready, a.Starting, a.Pending, a.CrashLooping = a.Moved+b.Moved, a.Ready+b.Ready, a.Starting+b.Starting, a.Pending+b.Pending, a.CrashLooping+b.CrashLooping
	if b.Since.Before(a.Since) {
		a.Since = b.Since
	}
	if a.Short == 0 {
		a.Budget, a.Short = b.Budget, b.Short
	}
	return a
}

// Named is a workload without figures, as a pod of it shows it.
func Named(p *world.Pod) record.Workload {
	w := record.Workload{Namespace: p.Namespace, Kind: p.Owner.Kind, Name: assess.OwnerName(p)}
	if w.Kind == "ReplicaSet" && w.Name != p.Owner.Name {
		w.Kind = "Deployment"
	}
	return w
}

// Now is a workload as it stands in the world.
func Now(in *world.World, owner string, was record.Workload) record.Workload {
	c := countedOf(in, owner, &was)
	w := was
	w.Ready, w.Starting, w.Pending, w.CrashLooping, w.Short = c.ready, c.starting, c.pending, c.crashLooping, 0
	w.Pod, w.Node, w.Reason, w.Budget, w.TroubleSince = "", "", "", "", time.Time{}
	if c.worst != nil {
		w.Pod, w.Node, w.TroubleSince = c.worst.Ref(), c.worst.Node, c.worst.Created
		if c.trouble == record.IsPending {
			w.Reason = c.worst.Unplaced
		}
	}
	if c.like == nil {
		return w
	}
	if w.Kind == "" { // the first pod was gone before it could be read whose it was
		named := Named(c.like)
		w.Kind, w.Name = named.Kind, named.Name
	}
	if c.coverage != in.Coverage() || !c.covered {
		c.cover(in)
	}
	for _, ref := range c.budgets {
		b := in.Budget(ref)
		if short := b.Desired - b.Healthy; b.Current && short > w.Short {
			w.Budget, w.Short = b.Ref(), short
			if c.worst == nil {
				w.TroubleSince = b.Since
			}
		}
	}
	return w
}

// counted is what the pods of an owner are to its workload. It is kept with them: they are many, and
// few workloads' change.
type counted struct {
	since    time.Time // of the workload that they were counted for
	reported record.Trouble
	pod      string

	ready, starting, pending, crashLooping int
	worst                                  *world.Pod // the replacement in most trouble, nil if all are Ready
	trouble                                record.Trouble
	like                                   *world.Pod // the last one in order that has not ended, nil for none

	covered  bool     // budgets is known, as it was by this coverage
	coverage int      // of the world
	budgets  []string // that cover it
}

// cover notes which budgets cover the pods.
func (c *counted) cover(in *world.World) {
	c.covered, c.coverage, c.budgets = true, in.Coverage(), nil
	for _, b := range in.BudgetsOf(c.like) {
		c.budgets = append(c.budgets, b.Ref())
	}
}

// countedOf counts the pods of an owner, if they or what they are counted for have changed.
func countedOf(in *world.World, owner string, was *record.Workload) *counted {
	if c, kept := in.KeptOf(owner).(*counted); kept && c.since.Equal(was.Since) && c.reported == was.Reported && c.pod == was.Pod {
		return c
	}
	c, since := &counted{since: was.Since, reported: was.Reported, pod: was.Pod}, from(was)
	for _, p := range in.EachOf(owner) {
		if p.Finished() {
			continue
		}
		if c.like == nil || world.InOrder(p, c.like) > 0 {
			c.like = p
		}
		if replacesSince(p, since) {
			c.add(p, was)
		}
	}
	in.KeepOf(owner, c)
	return c
}

// add counts a replacement.
func (c *counted) add(p *world.Pod, was *record.Workload) {
	var trouble record.Trouble
	switch {
	case loops(p, was):
		trouble = record.InCrashLoop
		c.crashLooping++
	case p.Node == "" && p.Unplaced != "":
		trouble = record.IsPending
		c.pending++
	case !p.Ready:
		trouble = record.IsStarting
		c.starting++
	default:
		c.ready++
		return
	}
	if c.worst == nil || cmp.Or(cmp.Compare(trouble.Rank(), c.trouble.Rank()), p.Created.Compare(c.worst.Created), world.InOrder(p, c.worst)) < 0 {
		c.worst, c.trouble = p, trouble
	}
}
