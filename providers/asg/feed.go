package asg

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

const (
	// pokedFor is how long after a Poke the feed reads often: describe calls lag
	// behind a change, usually by a second or two.
	pokedFor = 20 * time.Second
	// pokeGap is the least time between two reads, however often it is poked.
	pokeGap = 300 * time.Millisecond
	// maxBackoff is the longest pause after failed reads: 1, 2, 4 ... 30 s.
	maxBackoff = 30 * time.Second
	// busyEvery is how often activities are read while instances come or go.
	busyEvery = 3 * time.Second
	// goneAfter is how many reads in a row must not find the group before it
	// counts as deleted.
	goneAfter = 3
)

// FeedOptions say how a group is followed.
type FeedOptions struct {
	// Since is how far back activities are wanted: the start of the run, which are
	// read when the feed starts. Zero is when the feed starts.
	Since time.Time
	// Begin, if set, tells Since when the feed starts. It may take its time.
	Begin func(context.Context) time.Time
	// Certain has the feed end with the error of a read before the first good one, unless AWS is not
	// reachable or throttles: there is a reader, and nothing to wait for.
	Certain bool
	// Whole, if set, is what the group is a part of: its other groups are read with it,
	// and the machines that were detached from it.
	Whole *Whole
	// Part, if set, adds to each picture of the group what its own system tells of it. It
	// bounds its calls itself.
	Part func(context.Context, *world.Group)
	// Lately has the group's history read once, when the feed starts: forecasts rest on it.
	Lately bool
	// Now is the cluster's time, which freshness is told in. nil is time.Now.
	Now func() time.Time
	// Fast is the interval while machines come or go or after a Poke, Slow the
	// one at rest. Zero: 1.5 s and 7 s.
	Fast, Slow time.Duration
}

// Feed keeps a world up to date with one group and its machines, by one Describe
// call each time, and posts the health of world.Cloud. Activities are read while
// machines come and go; see extras for the rest, and outside for what a part of a
// Whole needs besides. It implements live.Feed.
type Feed struct {
	c    *Client
	name string
	o    FeedOptions
	kick chan struct{} // see Poke
	ask  chan struct{} // see ReadNow

	// Times of this machine's clock, as all pacing.
	poked, activitiesRead time.Time

	history []history
	stirred bool // there may be activities that were not read
	extras  extras
	outside outside
	problem string // of the last read, which was good otherwise
	lately  *world.Lately
}

var _ live.Feed = (*Feed)(nil)

// Feed follows the group of that name. A feed is used for one Run.
func (c *Client) Feed(group string, o FeedOptions) *Feed {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Fast == 0 {
		o.Fast = 1500 * time.Millisecond
	}
	if o.Slow == 0 {
		o.Slow = 7 * time.Second
	}
	return &Feed{c: c, name: group, o: o, kick: make(chan struct{}, 1), ask: make(chan struct{}, 1)}
}

// begin settles since when activities are wanted.
func (f *Feed) begin(ctx context.Context) {
	if f.o.Begin != nil {
		f.o.Since = f.o.Begin(ctx)
	}
	f.stirred = !f.o.Since.IsZero() // a resumed run: some may have been missed
	if !f.stirred {
		f.o.Since = f.o.Now()
	}
}

// Poke asks for a fresh read soon, as after an action. It never blocks and may
// be called from any goroutine.
func (f *Feed) Poke() {
	select {
	case f.kick <- struct{}{}:
	default:
	}
}

// ReadNow asks for one read that begins now, and leaves the pace as it is, also after a read
// that failed: AWS may want fewer. It never blocks and may be called from any goroutine.
func (f *Feed) ReadNow() {
	select {
	case f.ask <- struct{}{}:
	default:
	}
}

// Run posts changes until ctx ends, which is no error. It returns early only if
// the group does not exist (any more), or as FeedOptions.Certain says. While AWS cannot be read, the health of
// world.Cloud says why and when it is tried again.
func (f *Feed) Run(ctx context.Context, post func(live.Change)) error {
	failed, gone := 0, 0
	f.begin(ctx)
	for unread := true; ; {
		now := f.o.Now()
		group, members, err := f.read(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil && unread && f.o.Certain {
			err = f.extras.unsure // nobody may begin beside an instance refresh
		}
		if unread && f.o.Certain && err != nil && !errors.Is(err, live.ErrUnreachable) {
			if errors.Is(err, transport.ErrNotFound) {
				err = f.c.Unknown(ctx, err, f.name)
			}
			return err
		}
		if err == nil {
			unread, failed, gone = false, 0, 0
			health := world.Health{Fresh: now, Problem: f.problem}
			post(func(w *world.World) {
				w.SetGroup(group)
				w.SetMachines(members)
				w.SetHealth(world.Cloud, health)
			})
			f.wait(ctx, f.pace(group, members), f.ask)
			continue
		}
		gone++
		if !errors.Is(err, transport.ErrNotFound) {
			gone = 0
		}
		if gone >= goneAfter {
			return err
		}
		pause := min(time.Second<<min(failed, 5), maxBackoff)
		failed++
		problem, retry := err.Error(), f.o.Now().Add(pause)
		post(func(w *world.World) {
			h := w.Health[world.Cloud]
			h.Problem, h.Retry = problem, retry
			w.SetHealth(world.Cloud, h)
		})
		f.wait(ctx, pause, nil)
	}
}

// wait lets the pause pass, or less if poked or asked.
func (f *Feed) wait(ctx context.Context, pause time.Duration, ask <-chan struct{}) {
	t := time.NewTimer(pause)
	defer t.Stop()
	gap := time.NewTimer(min(pause, pokeGap))
	defer gap.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	case <-f.kick:
		f.poked = time.Now()
		f.waitGap(ctx, gap)
	case <-ask:
		f.waitGap(ctx, gap)
	}
}

// waitGap lets the least time between two reads pass.
func (f *Feed) waitGap(ctx context.Context, gap *time.Timer) {
	select {
	case <-ctx.Done():
	case <-gap.C:
	}
}

// pace is how long to wait until the next read.
func (f *Feed) pace(g world.Group, members []world.Machine) time.Duration {
	if moving(g, members) || time.Since(f.poked) < pokedFor {
		return f.o.Fast
	}
	return f.o.Slow
}

// moving reports whether machines come or go.
func moving(g world.Group, members []world.Machine) bool {
	return shortOf(g, members) || slices.ContainsFunc(members, func(m world.Machine) bool {
		return m.State == world.MachinePending || m.State == world.MachineTerminating
	})
}

// shortOf reports whether the group has fewer machines than asked for. Those in
// Standby are not counted by the group.
func shortOf(g world.Group, members []world.Machine) bool {
	n := 0
	for _, m := range members {
		if !m.Detached && (m.State == world.MachinePending || m.State == world.MachineInService) {
			n++
		}
	}
	return n < g.Sizes.Desired
}

// read makes one picture of the group.
func (f *Feed) read(ctx context.Context) (world.Group, []world.Machine, error) {
	raw, all, err := f.describe(ctx)
	if err != nil {
		return world.Group{}, nil, err
	}
	group, err := f.c.group(ctx, raw)
	if err != nil {
		return world.Group{}, nil, err
	}
	members := machines(raw)
	f.problem = ""
	if f.o.Part != nil {
		f.o.Part(ctx, &group)
		f.reachBack(group)
	}
	stirring := moving(group, members)
	f.stirred = f.stirred || stirring
	busy := stirring || time.Since(f.poked) < pokedFor
	f.note(f.extras.read(ctx, f.c, raw, busy, f.poked))
	if f.stirred && time.Since(f.activitiesRead) >= busyEvery {
		f.activitiesRead = time.Now()
		h, err := f.c.activities(ctx, f.name, f.o.Since, f.history)
		if err == nil {
			f.history = h
		}
		if err == nil || errors.Is(err, transport.ErrForbidden) {
			f.stirred = stirring
		}
		f.note(err)
	}
	for _, h := range f.history {
		group.Activities = append(group.Activities, h.Activity)
	}
	if f.o.Lately && f.lately == nil {
		f.lately = f.c.lately(ctx, raw)
	}
	group.Lately = f.lately
	f.extras.fill(&group, members)
	if w := f.o.Whole; w != nil {
		members, err = f.outside.read(ctx, f.c, *w, group.Name, members, busy)
		if err != nil {
			return world.Group{}, nil, err
		}
		f.note(f.outside.trouble)
		w.fill(&group)
		group.Peers, err = w.peers(ctx, all, f.outside.ended)
		f.note(err)
	}
	return group, members, nil
}

// lately is for how long after its start an update that is over is of interest.
const lately = 10 * time.Minute

// reachBack has activities read from the start of an update by the group's own system, where that
// began before the feed did: they tell what it did until then.
func (f *Feed) reachBack(g world.Group) {
	if g.Managed == nil || g.Managed.Update == nil {
		return
	}
	u := g.Managed.Update
	if u.Since.Before(f.o.Since) && (!u.Over() || f.o.Now().Sub(u.Since) < lately) {
		f.o.Since, f.history, f.stirred, f.activitiesRead = u.Since, nil, true, time.Time{}
	}
}

// describe reads the group, and all groups of the whole that it is a part of.
func (f *Feed) describe(ctx context.Context) (types.AutoScalingGroup, []types.AutoScalingGroup, error) {
	if f.o.Whole == nil {
		g, err := f.c.describe(ctx, f.name)
		return g, nil, err
	}
	all, err := f.o.Whole.groups(ctx, f.c)
	if err != nil {
		return types.AutoScalingGroup{}, nil, err
	}
	for _, g := range all {
		if transport.Text(g.AutoScalingGroupName) == f.name {
			return g, all, nil
		}
	}
	return types.AutoScalingGroup{}, nil, &transport.Problem{Kind: transport.ErrNotFound, Words: fmt.Sprintf("no Auto Scaling group %q with the tag %s in %s", transport.Clean(f.name), f.o.Whole, f.c.region)}
}

// note keeps why something beside the group could not be read. The group is
// fresh without it, so it is told and holds nothing up.
func (f *Feed) note(err error) {
	if err != nil {
		f.problem = err.Error()
	}
}
