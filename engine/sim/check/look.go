package check

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/drive"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// How often what costs much is looked at: the snapshot of every so manieth
// decision, and the whole world of every so manieth of these. In a group of more than
// lookNodes nodes it is as much more rarely.
const (
	lookEvery  = 8
	digestEach = 8
	lookNodes  = 50
)

// look checks what those get who only look, after a decision: plans and
// snapshots change nothing (rule 8), nothing that is said or kept holds what a
// terminal would obey (rule 9), and a snapshot agrees with its run.
func (c *Checker) look(dec engine.Decision) {
	d, s := c.d, c.d.Sim
	if len(dec.Events) > 0 {
		c.raw("an event", d.Encode(dec.Events))
	}
	every := lookEvery * max(1, dec.Run.Nodes.Len()/lookNodes)
	if d.Decisions%every != 1 && dec.Run.State != record.Finished {
		return
	}
	whole := d.Decisions%(every*digestEach) == 1
	before, world := d.Encode(drive.Compared(dec.Run)), uint64(0)
	if whole {
		world = Digest(s.View)
		c.keeps(s.View)
	}
	at := c.somewhere(&dec.Run)
	v := snapshot.View(d.Rules, s.Now(), s.View, dec.Run, at, c.shown)
	again := snapshot.View(d.Rules, s.Now(), s.View, dec.Run, at, v)
	p := snapshot.MakePlan(d.Rules, s.Now(), s.View, dec.Run, dec.Run.Limit)
	if !bytes.Equal(before, d.Encode(drive.Compared(dec.Run))) || whole && world != Digest(s.View) {
		d.Breaks("rule 8: looking at the run has changed it")
	}
	c.raw("the record", before)
	c.raw("a snapshot", d.Encode(v))
	c.raw("a plan", d.Encode(p))
	c.words.Plan(&p)
	if s.Faults.Hostile {
		c.raw("the world", d.Encode(s.View.Contents()))
	}
	c.agrees(v, again, &dec.Run)
	c.details(v, at, &dec.Run)
	if fresh := snapshot.View(d.Rules, s.Now(), s.View, dec.Run, at, nil); len(v.Zones) > 0 && !bytes.Equal(d.Encode(fresh), d.Encode(v)) {
		d.Breaks("snapshot: it is not what one made from nothing would be:\n%s\n%s", d.Encode(v), d.Encode(fresh))
	}
	c.watched(v, at)
	c.shown = v
}

// watched checks that one who watches by the record sees what the driver sees: all that
// is shown is in the record within saveSoon, and what stands still does so for him too.
func (c *Checker) watched(v *snapshot.Snapshot, at snapshot.Look) {
	d := c.d
	if d.Dirty || d.Failing {
		return // it is written at most saveSoon later
	}
	record := engine.Meanwhile(d.Sim.Now(), d.Decode(d.Encode(d.Saved)))
	theirs := snapshot.View(d.Rules, d.Sim.Now(), d.Sim.View, record, at, nil)
	if theirs.Batch != nil && v.Batch != nil { // when it was looked at last is nothing to write a record for
		theirs.Batch.AsOf = v.Batch.AsOf
	}
	if theirs.External != nil && v.External != nil { // each has watched the group since it began to
		theirs.External.From = v.External.From
	}
	got, want := d.Encode(theirs), d.Encode(v)
	if bytes.Equal(got, want) {
		return
	}
	d.Breaks("watch: the record of %s ago shows another run than its driver sees:\n%s", d.Sim.Now().Sub(d.SavedAt), difference(got, want))
}

// agrees checks a snapshot, and one made right after it, against its run.
func (c *Checker) agrees(v, again *snapshot.Snapshot, r *record.Run) {
	d := c.d
	done, total, rows := 0, 0, 0
	for i, z := range v.Zones {
		done, total = done+z.Done, total+z.Total
		for j, row := range z.Rows {
			rows++
			if n, known := r.Nodes.Find(row.ID); !known || n.Stage != row.Stage && row.Stage != record.Unreachable || n.New != row.New || row.PodsLeft > row.Pods {
				d.Breaks("snapshot: the row of %s (%s, %d of %d pods) is not that of the run", row.ID, row.Stage, row.PodsLeft, row.Pods)
			}
			if again.Zones[i].Rows[j] != row {
				d.Breaks("snapshot: the row of %s is another one, and nothing has changed", row.ID)
			}
		}
	}
	if done != v.Done || total != v.Total || rows != r.Nodes.Len() {
		d.Breaks("snapshot: %d of %d replaced in %d rows; the zones say %d of %d, the run has %d nodes", v.Done, v.Total, rows, done, total, r.Nodes.Len())
	}
	for _, b := range v.Blockers {
		if b.Detail == "" || b.WayOut == "" || b.Kind == "" {
			d.Breaks("snapshot: the blocker of %s does not say what it is, or the way out", b.Pod)
		}
	}
	if _, waiting := r.Waiting(); (v.Batch != nil) != (waiting && r.State != record.Ending && r.State != record.Finished) {
		d.Breaks("snapshot: a batch waits: %t, and shown: %t", waiting, v.Batch != nil)
	}
}

// raw checks rule 9 on a text of JSON, which escapes control characters.
func (c *Checker) raw(what string, text []byte) {
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		switch {
		case text[i] == '\\' && text[i+1] == 'u':
			if _, err := fmt.Sscanf(string(text[i+2:i+6]), "%04x", &r); err != nil {
				r = utf8.RuneError
			}
			size = 6
		case text[i] == '\\':
			size = 2
			if text[i+1] != '"' && text[i+1] != '\\' && text[i+1] != '/' {
				r = '\n' // or another one of those
			}
		case r >= utf8.RuneSelf:
			r, size = utf8.DecodeRune(text[i:])
		}
		if r < ' ' || r > '~' && (r == 0x7f || unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)) {
			c.d.Breaks("rule 9: %s holds %U: ...%s", what, r, text[max(0, i-60):min(len(text), i+20)])
			return
		}
		i += size
	}
}

// stops are pods that were seen stopping in a World.
type stops struct {
	seenIn *world.World
	pods   []string
}

// keeps checks what a World promises to those who read it: its lists are sorted, it remembers the last 1000
// changes, and pods that were seen stopping, when they have gone.
func (c *Checker) keeps(w *world.World) {
	pods := func(a, b *world.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	}
	sorted := slices.IsSortedFunc(w.Nodes(), func(a, b *world.Node) int { return cmp.Compare(a.Name, b.Name) }) &&
		slices.IsSortedFunc(w.Machines(), func(a, b *world.Machine) int {
			return cmp.Or(cmp.Compare(a.Zone, b.Zone), cmp.Compare(a.ID, b.ID))
		}) &&
		slices.IsSortedFunc(w.Budgets(), func(a, b *world.Budget) int {
			return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
		})
	for _, n := range w.Nodes() {
		sorted = sorted && slices.IsSortedFunc(w.PodsOn(n.Name), pods)
	}
	if !sorted {
		c.d.Breaks("the world: a list is not sorted")
	}
	if _, known := w.ChangedSince(max(0, w.Changes()-1000)); !known {
		c.d.Breaks("the world: the last 1000 changes are not known")
	}
	if c.stops.seenIn != w {
		c.stops = stops{seenIn: w}
	}
	for _, uid := range c.stops.pods {
		if w.Stopping(uid) == nil {
			c.d.Breaks("the world: pod %s was seen stopping, and is forgotten", uid)
		}
	}
	for _, n := range w.Nodes() {
		for _, p := range w.PodsOn(n.Name) {
			if p.Terminating() && len(c.stops.pods) < 500 && !slices.Contains(c.stops.pods, p.UID) {
				c.stops.pods = append(c.stops.pods, p.UID)
			}
		}
	}
}

// Digest sums a world up.
func Digest(w *world.World) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%+v %+v", w.Group, w.Health)
	for _, n := range w.Nodes() {
		fmt.Fprintf(h, "%+v", *n)
		for _, p := range w.PodsOn(n.Name) {
			fmt.Fprintf(h, "%+v", *p)
		}
	}
	for _, b := range w.Budgets() {
		fmt.Fprintf(h, "%+v", *b)
	}
	for _, m := range w.Machines() {
		fmt.Fprintf(h, "%+v", *m)
	}
	return h.Sum64()
}
