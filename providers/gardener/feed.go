package gardener

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/gardener/shoot"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/feed"
)

const (
	// beat is how often the pool is computed again although nothing changed: health goes
	// on, and so does the maintenance window.
	beat = 2 * time.Second
	// eager is the same as long as nothing has been shown yet.
	eager = 50 * time.Millisecond
	// askAgain is how often the Shoot's own cluster is asked about its Shoot.
	askAgain = 2 * time.Minute
)

// FeedOptions say how a pool is followed.
type FeedOptions struct {
	// Now is the cluster's time, nil for time.Now.
	Now func() time.Time
	// Read reads an object of the Shoot's own cluster by its path, as JSON: what that says of
	// its Shoot, where the Shoot itself is not read. nil for nothing.
	Read func(ctx context.Context, path string) ([]byte, error)
}

// Feed keeps a world up to date with one worker pool and its machines, and posts the health
// of world.Cloud. What it knows of Nodes it takes from the world that it fills: NodesChanged
// is to be applied to that after every change of them. It implements live.Feed.
//
// Where the control cluster is not read, the pool is as fresh as the Nodes are.
type Feed struct {
	pool string
	// namespace is that of the Machines, "" where the control cluster is not read.
	namespace string
	o         FeedOptions
	parts     []part
	kick      chan struct{}
	shown     chan struct{} // closed with the first picture

	// All below is used where changes are applied only.

	first       bool
	control     health
	garden      health
	deployments []*deployment
	sets        []*set
	machines    []*machine
	shoots      []*found
	read        map[string]bool // kinds that have come
	implied     string          // why a garden cluster that no flag names is not read
	info        *shootInfo      // nil before it was asked for, and where the Shoot is read
}

// part is a cluster that is followed.
type part struct {
	name string
	feed *feed.Feed
}

// found is the Shoot, or why what came as it is none that can be read.
type found struct {
	is      *shoot.Shoot
	problem string
}

func toShoot(u *unstructured.Unstructured) *found {
	is, err := shoot.From(u.Object)
	if err != nil {
		return &found{problem: err.Error()}
	}
	return &found{is: is}
}

// health is how a cluster besides the pool's own is.
type health struct {
	used bool
	is   world.Health
}

var _ live.Feed = (*Feed)(nil)

// Feed follows the pool of that name. c may be nil: then the Nodes are all that is known. A
// feed is used for one Run.
func (c *Client) Feed(pool string, o FeedOptions) *Feed {
	if o.Now == nil {
		o.Now = time.Now
	}
	f := &Feed{pool: pool, o: o, kick: make(chan struct{}, 1), shown: make(chan struct{}), first: true, read: map[string]bool{}}
	if c == nil {
		return f
	}
	f.implied = c.unread
	if c.garden != nil {
		f.o.Read = nil
	}
	if c.control != nil {
		f.control.used, f.namespace = true, c.o.Namespace
		in := feed.NewEmpty(c.control, "machine deployments, machine sets and machines", f.told(&f.control))
		follow(f, in, c.kind(deployments), toDeployment, &f.deployments)
		follow(f, in, c.kind(sets), toSet, &f.sets)
		follow(f, in, c.kind(machines), toMachine, &f.machines)
		f.parts = append(f.parts, part{controlCluster, in})
	}
	if c.garden != nil {
		f.garden.used = true
		in := feed.NewEmpty(c.garden, "the Shoot", f.told(&f.garden))
		follow(f, in, c.shootKind(), toShoot, &f.shoots)
		f.parts = append(f.parts, part{gardenCluster, in})
	}
	return f
}

// told notes how a cluster is.
func (f *Feed) told(h *health) func(*world.World, world.Health) {
	return func(w *world.World, is world.Health) {
		h.is = is
		f.tell(w)
	}
}

// Poke requests a new state soon. It never blocks and may be called from any
// goroutine.
func (f *Feed) Poke() {
	select {
	case f.kick <- struct{}{}:
	default:
	}
}

// ReadNow is Poke: what is known comes by itself, and there is nothing to read.
func (f *Feed) ReadNow() { f.Poke() }

// NodesChanged takes in what has changed of the Nodes.
func (f *Feed) NodesChanged(w *world.World) { f.show(w) }

// Run posts changes until ctx ends, which is no error. It returns early if something that
// is needed may not be read.
func (f *Feed) Run(ctx context.Context, post func(live.Change)) error {
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	ended := make(chan error, len(f.parts)+1)
	for _, p := range f.parts {
		running.Go(func() {
			err := live.Caught(func() error { return p.feed.Run(ctx, post) })
			if err != nil {
				ended <- fmt.Errorf("the %s: %w", p.name, err)
			}
		})
	}
	if f.o.Read != nil {
		running.Go(live.Guarded(func() { f.inform(ctx, post) }, func(err error) { ended <- err }))
	}
	return f.refresh(ctx, post, ended)
}

// refresh computes the pool again from time to time, until ctx or a part ends.
func (f *Feed) refresh(ctx context.Context, post func(live.Change), ended <-chan error) error {
	pause, shown := eager, f.shown
	for {
		post(f.show)
		wait := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			wait.Stop()
			return nil
		case err := <-ended:
			wait.Stop()
			return err
		case <-shown:
			pause, shown = beat, nil
		case <-f.kick:
		case <-wait.C:
		}
		wait.Stop()
	}
}

// inform asks from time to time what the Shoot's own cluster says of its Shoot, until ctx ends.
func (f *Feed) inform(ctx context.Context, post func(live.Change)) {
	for {
		info := askInfo(ctx, f.o.Read)
		post(func(w *world.World) {
			f.info = info
			f.show(w)
		})
		wait := time.NewTimer(askAgain)
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
		}
	}
}

// ready reports whether enough is known to show the pool.
func (f *Feed) ready(w *world.World) bool {
	if w.Health[world.Cluster].Fresh.IsZero() || f.o.Read != nil && f.info == nil || f.garden.used && !f.read["shoots"] && f.garden.is.Problem == "" {
		return false
	}
	return !f.control.used || f.read[deployments] && f.read[sets] && f.read[machines]
}

// show draws the pool as it is known now.
func (f *Feed) show(w *world.World) {
	if !f.ready(w) {
		f.tell(w)
		return
	}
	group, members := f.picture(w)
	w.SetGroup(group)
	w.SetMachines(members)
	if f.first {
		f.first = false
		close(f.shown)
	}
	f.tell(w)
}

// tell says how fresh the pool is. One that is seen without its Shoot is no less fresh: what
// is missing is told.
func (f *Feed) tell(w *world.World) {
	h := w.Health[world.Cluster]
	if f.control.used {
		h = f.control.is
		if h.Problem != "" {
			h.Problem = "the control cluster: " + h.Problem
		}
	}
	if !f.ready(w) || f.first { // news of a cluster's health may come before the picture
		h.Fresh = time.Time{}
	}
	if trouble := f.unread(); trouble != "" && h.Problem == "" {
		h.Problem = "the Shoot cannot be read: " + trouble
	}
	w.SetHealth(world.Cloud, h)
}

// unread is why the Shoot is not known as it is now, "" if it is, or where it is not asked for.
func (f *Feed) unread() string {
	if !f.garden.used {
		return ""
	}
	trouble := f.garden.is.Problem
	for _, s := range f.shoots {
		trouble = cmp.Or(trouble, s.problem)
	}
	if trouble == "" && f.read["shoots"] && len(f.shoots) == 0 {
		trouble = "not in the " + gardenCluster
	}
	return trouble
}

// follow keeps a list of a kind, and computes the pool again when it changes.
func follow[T any](f *Feed, in *feed.Feed, k kube.Kind, convert converter[T], into *[]*T) {
	feed.FollowKind(in, k, convert, func(w *world.World, all []*T) {
		*into, f.read[k.Resource] = all, true
		f.show(w)
	})
}

// picture is the pool and its machines.
func (f *Feed) picture(w *world.World) (world.Group, []world.Machine) {
	p := &world.Pool{Name: f.pool, Control: f.control.used, Limits: world.DefaultLimits("")}
	g := world.Group{Name: f.pool, Provider: Provider, Pool: p, Template: world.Template{ID: f.pool, Version: 1}}
	p.Namespace = f.namespace
	for _, s := range f.shoots {
		if s.is != nil {
			g.Sizes = s.is.Describe(p, f.o.Now())
			p.WindowFrom = "the Shoot"
		}
	}
	p.Unread = f.unread()
	if f.implied != "" {
		p.Notes = append(p.Notes, "the garden cluster that the kubeconfig names is not read: "+f.implied)
	}
	f.info.describe(p, f.o.Now())
	compare(w, p)
	var members []world.Machine
	if f.control.used {
		members = f.minded(w, &g)
	} else {
		members = fromNodes(w, &g, f.o.Now())
		p.Shares = f.shares(perZone(members))
	}
	for _, m := range members {
		if m.Zone != "" && !slices.Contains(g.Zones, m.Zone) {
			g.Zones = append(g.Zones, m.Zone)
		}
	}
	slices.Sort(g.Zones)
	return g, members
}
