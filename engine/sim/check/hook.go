package check

import (
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
)

// hooks holds a driver to what it promises of the hooks around nodes: no drain starts
// that those before it have not let go, of late; none of them starts while the run does
// not run; who waits for them holds a slot; and when a run has ended, those after each
// node that we ended have been told.
type hooks struct {
	asked  map[string]record.Action // by key, those that run
	letGo  map[string]time.Time     // by machine
	told   map[string]bool          // by machine: those after it have had their say
	worked map[string]bool          // machines whose end was asked for, and that are gone
	unfit  bool                     // those before it were asked for a new node that is not Ready: it is the first to go
}

// How long a word of the hooks before a node counts, and how many run at once.
const (
	wordValid  = 5 * time.Minute
	manyAtOnce = 10
)

func (h *hooks) init() {
	*h = hooks{asked: map[string]record.Action{}, letGo: map[string]time.Time{}, told: map[string]bool{}, worked: map[string]bool{}}
}

// hookAsked checks hooks when they start.
func (c *Checker) hookAsked(a record.Action) {
	d, h := c.d, &c.hooks
	if a.Kind != record.RunHook {
		return
	}
	h.asked[a.Key] = a
	before := 0
	for _, b := range h.asked {
		if n, known := d.Run.Nodes.Find(b.Machine); b.Phase == record.BeforeNode && known && n.Stage != record.Replaced { // else it has gone meanwhile
			before++
		}
	}
	if a.Limit <= 0 {
		d.Breaks("hooks: %s has no time", a.Key)
	}
	if len(h.asked) > manyAtOnce {
		d.Breaks("hooks: %d run at once", len(h.asked))
	}
	if a.Phase != record.BeforeNode {
		return
	}
	if node := d.Sim.View.NodeOf(a.Machine); d.Run.Nodes.Peek(a.Machine).New && (node == nil || !node.Ready) {
		h.unfit = true
	}
	if d.Run.State != record.Running {
		d.Breaks("hooks: %s is asked while the run is %s", a.Key, d.Run.State)
	}
	working := 0
	for id, n := range d.Run.Nodes.All() {
		if c.kops.freed[id] {
			continue
		}
		if n.Stage == record.Draining || n.Stage == record.Settling || n.Stage == record.Terminating {
			working++
		}
	}
	if before+working > d.Run.Limit {
		d.Breaks("hooks: %d nodes wait for their hooks and %d are in work, the limit is %d", before, working, d.Run.Limit)
	}
}

// hookAnswered notes what hooks said.
func (c *Checker) hookAnswered(a record.Action, o record.Outcome) {
	h := &c.hooks
	delete(h.asked, a.Key)
	switch {
	case a.Phase == record.AfterNode:
		h.told[a.Machine] = true
	case o.Verdict == record.Done:
		h.letGo[a.Machine] = c.d.Sim.Now()
	default:
		delete(h.letGo, a.Machine)
	}
}

// hookedDrains checks the drains that a decision starts, and the end of the run.
func (c *Checker) hookedDrains(dec engine.Decision) {
	d, h := c.d, &c.hooks
	set := &dec.Run.Settings
	for id, n := range dec.Run.Nodes.All() {
		was := c.clock.was.Nodes.Peek(id).Stage
		fresh := slices.Contains([]record.Stage{record.Outdated, record.Queued, record.Ready, record.Surplus, record.Launching}, was)
		if set.BeforeNode == 0 || n.Stage != record.Draining || !fresh || dec.Run.State == record.Ending {
			continue
		}
		if word, said := h.letGo[id]; !said || d.Sim.Now().Sub(word) > wordValid {
			d.Breaks("hooks: %s drains, and the hooks before it have not let it go", id)
		}
		delete(h.letGo, id)
	}
	if set.AfterNode == 0 {
		return
	}
	for id, n := range c.clock.was.Nodes.All() {
		now, still := dec.Run.Nodes.Find(id)
		if n.Stage == record.Terminating && (!still || now.Stage == record.Replaced) {
			h.worked[id] = true
		}
	}
	if dec.Run.State != record.Finished {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(h.worked)) {
		if !h.told[id] && !reported(d, "the hooks after ") {
			d.Breaks("hooks: %s is gone, and the hooks after it were not run", id)
		}
	}
}
