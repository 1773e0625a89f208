package check

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// passing is what is held of the pods that Gardener deletes past their budgets as a drain times out.
type passing struct {
	looked int                       // how many of Sim.pool.passed were looked at
	kept   map[string]record.KeptPod // those that the run knew of when it decided
	owed   map[string]string         // pods that are to be told, by UID
	ours   map[string]bool           // pods that the run has asked to delete as well, by UID: which was first it knows once that is refused
	past   map[string]int            // how often a pod of that name was deleted so
	told   map[string]int            // and how often that was told, by this process
	at     time.Time                 // of the last decision of this process that saw the cluster, zero before it
}

// unwatched is how long nobody decides before it counts as a stretch in which nobody looked.
const unwatched = 15 * time.Second

// passed checks that each pod that was deleted past its budget is told once, as soon as the run sees
// that it is gone, and no other: as inferred, since no Machines are read here.
func (c *Checker) passed(dec engine.Decision) {
	s, p := c.d.Sim, &c.passing
	for _, pod := range s.Pool.Passed[p.looked:] {
		p.past[pod.Ref()]++
		if _, kept := p.kept[pod.UID]; kept {
			p.owed[pod.UID] = pod.Ref()
		}
	}
	p.looked = len(s.Pool.Passed)
	for _, e := range dec.Events {
		if e.Type == record.PodForced && e.By != "" {
			c.tellsPassed(e)
		}
	}
	saw, late := c.sees(world.Cluster) && c.readOnce() && s.View.Health[world.Cluster].Problem == "", s.Now().Sub(p.at) > unwatched
	for _, e := range dec.Events {
		if e.Type == record.Warning && strings.Contains(e.Message, "kept by PDBs went unseen") {
			if !late {
				c.d.Breaks("passed: pods are told to have gone unseen, and the last decision was at %s", p.at)
			}
			clear(p.owed)
		}
	}
	p.at = time.Time{}
	if saw {
		p.at = s.Now()
	}
	for uid, ref := range p.owed {
		if pod := s.View.Pod(uid); pod == nil && saw && !p.ours[uid] {
			c.d.Breaks("passed: %s was deleted past its budget, and that is not told", ref)
		}
	}
	if n := dec.Run.Passed.Seen + dec.Run.Passed.Inferred; n > len(s.Pool.Passed) {
		c.d.Breaks("passed: %d pods are counted as deleted past their budgets, and %d were", n, len(s.Pool.Passed))
	}
}

// tellsPassed checks an event of a pod that was deleted past its budget.
func (c *Checker) tellsPassed(e record.Event) {
	p := &c.passing
	if p.told[e.Pod]++; p.told[e.Pod] > p.past[e.Pod] || !e.Inferred || e.By != "machine-controller-manager" {
		c.d.Breaks("passed: %s was deleted past its budget %d times, and is told %d times: %+v", e.Pod, p.past[e.Pod], p.told[e.Pod], e)
	}
	maps.DeleteFunc(p.owed, func(_, ref string) bool { return ref == e.Pod })
}

// readOnce reports whether the process has read every source: one that has just begun looks at nothing
// before that.
func (c *Checker) readOnce() bool {
	return !slices.ContainsFunc(c.d.Run.Sources(), func(source world.Source) bool { return c.d.Sim.View.Health[source].Fresh.IsZero() })
}

// resumed: the last process may have told what the record does not say, and another one has to tell
// only of those that the record has. A delete that is in the record may have been asked for.
func (p *passing) resumed(saved record.Run) {
	clear(p.told)
	p.at = time.Time{}
	for uid := range p.owed {
		if _, kept := saved.Kept[uid]; !kept {
			delete(p.owed, uid)
		}
	}
	for _, open := range saved.Pending {
		if open.Action.Kind == record.Delete {
			p.ours[open.Action.UID] = true
		}
	}
}
