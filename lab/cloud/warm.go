package cloud

import (
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// WarmPool is a group's pool of instances that were launched ahead of time.
type WarmPool struct {
	// State is what the instances rest in: Stopped (also if empty), Running or
	// Hibernated.
	State string
	// MinSize is how many instances the pool has at least. It is filled until pool
	// and desired size come to MaxPrepared, or to the group's maximum if that is
	// nil.
	MinSize     int
	MaxPrepared *int

	deleting bool
}

var restStates = []string{"Stopped", "Running", "Hibernated"}

// PutWarmPool gives a group a warm pool, or another one. It panics if there is no
// such group.
func (c *Cloud) PutWarmPool(name string, p WarmPool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.state.groups[name]
	if g == nil {
		panic("cloud: no group " + name)
	}
	if p.State == "" {
		p.State = restStates[0]
	}
	c.editGroup(g, func(g *group) { g.pool = &p })
}

// warmTarget is how many instances the warm pool is to have.
func (g *group) warmTarget() int {
	if g.pool == nil || g.pool.deleting {
		return 0
	}
	prepared := g.Max
	if g.pool.MaxPrepared != nil {
		prepared = *g.pool.MaxPrepared
	}
	return max(prepared-g.Desired, g.pool.MinSize, 0)
}

// takeWarm moves an instance from the warm pool into the group, of the zone with
// the fewest members that has one at rest; nil if none has. It keeps the template
// that it was launched from.
func (c *Cloud) takeWarm(g *group, cause string, now time.Time) *instance {
	for _, zone := range c.zonesByCount(g) {
		for _, i := range c.state.warm(g.Name) {
			if i.Zone != zone || !slices.Contains(restStates, i.phase()) || !i.alive() {
				continue
			}
			a := c.record(g, activity{
				description: "Launching a new EC2 instance from warm pool: " + i.ID,
				cause:       cause, status: "PreInService", progress: 30, start: now, zone: zone, subnet: i.subnet,
			})
			i = c.edit(i, func(i *instance) {
				i.State, i.ec2, i.started, i.activity = Pending, "pending", now, a.id
				i.protected = g.ProtectNew
				c.start(i)
			})
			c.logf("%s: took %s in %s from the warm pool", g.Name, i.ID, zone)
			return i
		}
	}
	return nil
}

// fillWarm launches into the warm pool and terminates in it until it has the size
// that it is to have. New instances are of the group's template as it is now.
func (c *Cloud) fillWarm(g *group, now time.Time) {
	var resting []*instance
	for _, i := range c.state.warm(g.Name) {
		if i.phase() != Terminating {
			resting = append(resting, i)
		}
	}
	have, want := len(resting), g.warmTarget()
	for ; have < want && !g.isSuspended("Launch"); have++ {
		cause := fmt.Sprintf("At %s an instance was started in response to a difference between desired and actual warm pool capacity, "+
			"increasing the warm pool capacity from %d to %d.", wire.Stamp(now), have, have+1)
		if c.launchAnywhere(g, Warmed+Pending, cause, now) == nil {
			break
		}
	}
	for ; have > want && !g.isSuspended("Terminate"); have-- {
		cause := fmt.Sprintf("At %s an instance was taken out of the warm pool in response to a difference between desired and actual warm pool "+
			"capacity, shrinking the warm pool capacity from %d to %d.", wire.Stamp(now), have, have-1)
		c.terminate(g, resting[have-1], cause, now)
	}
	if g.pool != nil && g.pool.deleting && len(c.state.warm(g.Name)) == 0 {
		c.editGroup(g, func(g *group) { g.pool = nil })
	}
}

func putWarmPool(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	p := WarmPool{State: restStates[0]}
	if g.pool != nil && !g.pool.deleting {
		p = *g.pool
	}
	if r.Has("PoolState") {
		p.State = r.Str("PoolState")
	}
	p.MinSize = r.Int("MinSize", p.MinSize)
	if r.Has("MaxGroupPreparedCapacity") {
		p.MaxPrepared = nil
		if n := r.Int("MaxGroupPreparedCapacity", -1); n >= 0 { // -1 takes it back
			p.MaxPrepared = &n
		}
	}
	switch {
	case !slices.Contains(restStates, p.State):
		return nil, wire.Invalid("1 validation error detected: Value '%s' at 'poolState' failed to satisfy constraint: Member must satisfy enum value set: %v", p.State, restStates)
	case p.MaxPrepared != nil && *p.MaxPrepared < p.MinSize:
		return nil, wire.Invalid("MaxGroupPreparedCapacity must be greater than or equal to MinSize.")
	case g.mixesMarkets() || c.spotNext(g):
		return nil, wire.Invalid("You can't add a warm pool to an Auto Scaling group that requests Spot Instances.")
	case r.Bool("InstanceReusePolicy.ReuseOnScaleIn"):
		return nil, wire.Invalid("The lab does not know ReuseOnScaleIn.")
	}
	c.editGroup(g, func(g *group) { g.pool = &p })
	return nil, nil
}

// deleteWarmPool terminates the pool's instances; the pool is gone when they are,
// or with ForceDelete at once.
func deleteWarmPool(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	if g.pool == nil {
		return nil, wire.Invalid("No warm pool found for Auto Scaling group %s", g.Name)
	}
	p := *g.pool
	p.deleting = true
	g = c.editGroup(g, func(g *group) { g.pool = &p })
	if !r.Bool("ForceDelete") {
		return nil, nil
	}
	c.fillWarm(g, time.Now())
	for _, i := range c.state.warm(g.Name) {
		c.skipHooks(i)
	}
	c.editGroup(c.state.groups[g.Name], func(g *group) { g.pool = nil })
	return nil, nil
}

func describeWarmPool(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	s := c.seen()
	g := s.groups[r.Str("AutoScalingGroupName")]
	if g == nil {
		return nil, errNoGroup(r.Str("AutoScalingGroupName"))
	}
	is := s.warm(g.Name)
	from, to, token, err := r.Page(len(is), func(n int) string { return order(is[n].seq) }, "MaxRecords", 50, 50)
	if err != nil {
		return nil, err
	}
	nodes := []wire.Node{wire.Each("Instances", "member", is[from:to], c.memberNodes), wire.Text("NextToken", token)}
	if g.pool != nil {
		nodes = append(nodes, wire.El("WarmPoolConfiguration", g.pool.nodes()...))
	}
	return nodes, nil
}

func (p *WarmPool) nodes() []wire.Node {
	nodes := []wire.Node{
		wire.Text("MinSize", p.MinSize), wire.Text("PoolState", p.State),
		wire.El("InstanceReusePolicy", wire.Text("ReuseOnScaleIn", false)),
	}
	if p.MaxPrepared != nil {
		nodes = append(nodes, wire.Text("MaxGroupPreparedCapacity", *p.MaxPrepared))
	}
	if p.deleting {
		nodes = append(nodes, wire.Text("Status", "PendingDelete"))
	}
	return nodes
}
