package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/providers/journal"
)

// overtaken reports whether another process has taken over from the writer of a line. A
// writer drives the run from its first line on, and again where it says so.
func (b *builder) overtaken(l journal.Line) bool {
	_, known := b.drivers[l.Writer]
	if !known {
		b.drivers[l.Writer] = -1
	}
	if !known && b.driven && l.Kind != journal.KindOpened { // whose beginning cannot be read
		b.leave(b.r.Ended, silently)
	}
	if !known || l.Kind == journal.KindOpened {
		b.newest = l.Writer
	}
	return l.Writer != b.newest
}

// takeLate takes in a line of a process that slept, and woke when another had taken
// over: what came of its actions, and what it warns of. How the run stands is for the
// other to say.
func (b *builder) takeLate(l journal.Line) {
	switch l.Kind {
	case journal.KindCommand:
		b.r.Commands = append(b.r.Commands, said(l.At, *l.Command))
	case journal.KindAction:
		b.ask(l)
	case journal.KindOutcome:
		b.answer(l)
	case journal.KindEvent:
		if l.Event.Type == record.Warning {
			b.hear(*l.Event)
		}
	case journal.KindGap:
		b.miss(l)
	case journal.KindClosed:
		if i := b.drivers[l.Writer]; i >= 0 {
			b.r.Drivers[i].End = join("suspended, and another process took over", l.Closed.Error)
		}
	}
}

// silently is how a process left that did not write how.
const silently = "killed or crashed"

// open takes in that a process begins to drive the run. again: it did so before, and
// nobody else since.
func (b *builder) open(l journal.Line, again bool) {
	r, o := b.r, l.Opened
	if r.Run == "" {
		r.Run, r.Group, r.Cluster, r.Provider, r.Strategy = l.Run, cmp.Or(o.Alias, o.Group), o.Cluster, o.Provider, o.Strategy
		r.Roll = o.Roll
		r.From, r.To, r.Started, r.StartedBy, r.Limit = o.From, o.To, o.Started, o.StartedBy, o.Limit
		r.Ended = l.At
		if o.Elsewhere {
			r.Missing = append(r.Missing, fmt.Sprintf("events before %s: the run was driven on another machine, which has their journal", l.At.UTC().Format(time.RFC3339)))
		}
		if o.Elsewhere && o.Seen.After(r.Started) {
			r.Alone = append(r.Alone, Span{"not driven", o.Seen, l.At})
		}
	} else {
		r.Alone = append(r.Alone, Span{"not driven", r.Ended, l.At})
		switch {
		case b.driven && again:
			b.leave(r.Ended, "lost the lock for a while")
		case b.driven: // it did not say goodbye
			b.leave(r.Ended, silently)
		}
	}
	if l.At.After(r.Ended) {
		r.Ended = l.At
	}
	b.driven = true
	b.drivers[l.Writer] = len(r.Drivers)
	r.Drivers = append(r.Drivers, Driver{From: l.At, By: o.By, PID: o.PID, Version: o.Drainboard, Args: o.Args, Resumed: o.Resumed})
	if r.State = o.State; r.State == record.Paused {
		b.pauseAt(l.At)
	}
	for _, p := range o.Phases {
		b.phase(p.Name, p.Start, p.End)
	}
	for _, s := range o.Nodes {
		b.stage(s, s.Since)
	}
	b.approve(o.Batches)
	b.ordered(o.Orders)
	if o.Plan != nil {
		r.Foreseen = append(slices.Clone(o.Plan.Warnings), foreseen(o.Plan)...)
		for _, n := range o.Plan.Nodes {
			b.outdated[n.Machine] = true
		}
	}
	if len(r.Drivers) == 1 {
		for name, origin := range o.Settings.Origin {
			if origin == "flag" {
				r.Chosen = append(r.Chosen, Choice{name, origin})
			}
		}
		slices.SortFunc(r.Chosen, func(a, b Choice) int { return cmp.Compare(a.Name, b.Name) })
	}
}

func foreseen(p *snapshot.Plan) (out []string) {
	for _, n := range p.Nodes {
		for _, f := range n.Foreseen {
			out = append(out, n.Name+": "+f)
		}
	}
	return out
}

func (b *builder) close(l journal.Line) {
	c := l.Closed
	b.r.State = c.State
	if len(c.Outstanding) > 0 {
		b.r.Left = c.Outstanding
	}
	how := "left the run " + string(c.State)
	if c.State == record.Finished {
		how = "drove the run to its end"
	}
	b.leave(l.At, join(how, c.Error))
}

func (b *builder) leave(at time.Time, how string) {
	b.driven = false
	if len(b.r.Drivers) == 0 { // its beginning cannot be read
		return
	}
	last := &b.r.Drivers[len(b.r.Drivers)-1]
	last.To, last.End = at, how
}
