package gardener

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/selfdriven/mcm"
	"github.com/drainboard/drainboard/engine/world"
)

// Summary is a pool and its state at one moment.
type Summary struct {
	world.Group
	// Machines counts the members, Outdated those of them that are to be updated or replaced.
	// Machines on their way out count in neither.
	Machines, Outdated int
	// Members are the ids of those that count, All what is known of every machine.
	Members []string        `json:"-"`
	All     []world.Machine `json:"-"`
}

// Pools finds the worker pools: those that Nodes are labelled with, those of the Shoot, and
// those that the control cluster has machine deployments of. They are sorted by name. c may
// be nil: then the Nodes are all that is asked.
func (c *Client) Pools(ctx context.Context, nodes []*world.Node, o FeedOptions) ([]Summary, error) {
	f := c.Feed("", o)
	if err := c.readOnce(ctx, f); err != nil {
		return nil, err
	}
	f.info = askInfo(ctx, f.o.Read)
	w := world.New()
	names := map[string]bool{}
	for _, n := range nodes {
		w.SetNode(n)
		names[n.Labels[world.GardenerPool]] = true
	}
	for _, d := range f.deployments {
		names[d.pool] = true
	}
	for _, s := range f.shoots {
		for _, pool := range s.is.Pools() {
			names[pool] = true
		}
	}
	delete(names, "")
	var out []Summary
	for _, name := range slices.SortedFunc(maps.Keys(names), cmp.Compare[string]) {
		f.pool = name
		out = append(out, f.summary(w))
	}
	return out, nil
}

// readOnce reads once what the feed would follow.
func (c *Client) readOnce(ctx context.Context, f *Feed) error {
	if c == nil {
		return nil
	}
	if c.control != nil {
		for _, read := range []func() error{
			func() error { return once(ctx, c, deployments, toDeployment, &f.deployments) },
			func() error { return once(ctx, c, sets, toSet, &f.sets) },
			func() error { return once(ctx, c, machines, toMachine, &f.machines) },
		} {
			if err := read(); err != nil {
				return fmt.Errorf("the %s: %w", controlCluster, err)
			}
		}
	}
	if c.garden == nil {
		return nil
	}
	list, err := c.garden.Custom(ctx, c.shootKind())
	if err != nil {
		return fmt.Errorf("the %s: %w", gardenCluster, err)
	}
	if len(list) == 0 {
		return fmt.Errorf("the %s has no Shoot %s", gardenCluster, c.o.Shoot)
	}
	s := toShoot(&list[0])
	if s.problem != "" {
		return fmt.Errorf("the Shoot %s: %s", c.o.Shoot, s.problem)
	}
	f.shoots = []*found{s}
	return nil
}

// once reads a kind of the control cluster.
func once[T any](ctx context.Context, c *Client, resource string, convert converter[T], into *[]*T) error {
	list, err := c.control.Custom(ctx, c.kind(resource))
	for i := range list {
		*into = append(*into, convert(&list[i]))
	}
	return err
}

// summary is the feed's pool in the world.
func (f *Feed) summary(w *world.World) Summary {
	group, members := f.picture(w)
	w.SetGroup(group)
	w.SetMachines(members)
	s := SummaryOf(w)
	s.All = members
	return s
}

// SummaryOf is the pool that is a world's group, without All.
func SummaryOf(w *world.World) Summary {
	s := Summary{Group: w.Group}
	current := append([]world.Template{w.Group.Template}, w.Group.Overrides...)
	for _, m := range w.Machines() {
		if m.Leaving() {
			continue
		}
		s.Machines++
		s.Members = append(s.Members, m.ID)
		rolled := false
		if n := w.NodeOf(m.ID); n != nil {
			rolled = slices.ContainsFunc(n.MovesWith(mcm.Controller{}.Told(m, n)), func(v world.Move) bool { return v.Roll })
		}
		if rolled || !slices.Contains(current, m.Template) {
			s.Outdated++
		}
	}
	return s
}

// Find finds the pool of that name. The error names those that there are.
func (c *Client) Find(ctx context.Context, pool string, nodes []*world.Node) (*world.Pool, error) {
	list, err := c.Pools(ctx, nodes, FeedOptions{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, p := range list {
		if p.Name == pool {
			return p.Pool, nil
		}
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no worker pool %q: no node has the label %s", world.Clean(pool), world.GardenerPool)
	}
	return nil, fmt.Errorf("no worker pool %q; choose from %s", world.Clean(pool), strings.Join(names, ", "))
}
