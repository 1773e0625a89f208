package asg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// extrasEvery is how often what changes slowly is read.
const extrasEvery = time.Minute

// scalingOld is how long policies and scheduled actions that were read hold, when they
// cannot be read any more.
const scalingOld = 5 * time.Minute

// extras are what a group's description leaves out, each read as rarely as it
// can be:
//
//   - the subnets' free addresses, and whether an instance refresh is at work:
//     every extrasEvery, and every busyEvery while AWS does not tell for trouble of its own;
//   - what changes the size by itself: as often; where we may not read it, it says so;
//   - the lifecycle hooks: as often, and every busyEvery while a machine waits for
//     one that is not known;
//   - the warm pool, if the group has one: as often, after each of our changes, and
//     every busyEvery while something changes or its size has changed;
//   - which machines are Spot, if the group may have any: once for each machine.
//
// A group is known without them, so what cannot be read is told and holds nothing
// up.
type extras struct {
	subnets []world.Subnet
	refresh world.Refresh
	unsure  error // whether one is at work could not be read
	err     error // of reading these
	at      time.Time

	scaling     world.Scaling
	scalingAt   time.Time
	scalingGood time.Time // when it was last read in fact; zero: what is there was not

	hooks    []world.Hook
	hooksErr error
	hooksAt  time.Time

	warm     []world.Machine
	warmSize int32 // when it was read
	warmErr  error
	warmAt   time.Time

	spot    map[string]bool // by machine, of those that were asked about
	spotErr error
	spotAt  time.Time
}

// read brings up to date what is due. busy: machines come or go, or something was
// changed just now, at the time changed.
func (x *extras) read(ctx context.Context, c *Client, g types.AutoScalingGroup, busy bool, changed time.Time) error {
	var all sync.WaitGroup // none needs another
	parts := []func(){
		func() { x.readSlow(ctx, c, g) },
		func() { x.readScaling(ctx, c, g) },
		func() { x.readHooks(ctx, c, g) },
		func() { x.readWarm(ctx, c, g, busy, changed) },
		func() { x.readSpot(ctx, c, g) },
	}
	crashes := make(chan error, len(parts))
	for _, part := range parts {
		all.Go(live.Guarded(part, func(err error) { crashes <- err }))
	}
	all.Wait()
	select {
	case err := <-crashes:
		return err
	default:
	}
	return cmp.Or(x.err, x.hooksErr, x.warmErr, x.spotErr)
}

func (x *extras) readSlow(ctx context.Context, c *Client, g types.AutoScalingGroup) {
	every := extrasEvery
	if errors.Is(x.unsure, live.ErrUnreachable) {
		every = busyEvery // a run that is to start waits for it, a minute at most
	}
	if time.Since(x.at) < every {
		return
	}
	x.at = time.Now()
	subnets, err := c.subnets(ctx, g)
	if err == nil {
		x.subnets = subnets
	}
	refresh, err2 := c.refreshing(ctx, transport.Text(g.AutoScalingGroupName))
	if err2 == nil {
		x.refresh = refresh
	}
	x.err, x.unsure = cmp.Or(err, err2), err2
}

func (x *extras) readScaling(ctx context.Context, c *Client, g types.AutoScalingGroup) {
	if time.Since(x.scalingAt) < extrasEvery {
		return
	}
	x.scalingAt = time.Now()
	scaling, err := c.sizers(ctx, transport.Text(g.AutoScalingGroupName))
	switch {
	case err == nil:
		x.scaling, x.scalingGood = scaling, x.scalingAt
	case x.scalingGood.IsZero(), errors.Is(err, transport.ErrForbidden):
		x.scaling, x.scalingGood = world.Scaling{Unread: err.Error()}, time.Time{}
	case x.scalingAt.Sub(x.scalingGood) > scalingOld:
		x.scaling.Unread = fmt.Sprintf("last read %.0fm ago: %s", x.scalingAt.Sub(x.scalingGood).Minutes(), err)
	}
}

func (x *extras) readHooks(ctx context.Context, c *Client, g types.AutoScalingGroup) {
	every := extrasEvery
	if x.hooksErr == nil && x.unknownHook(g) {
		every = busyEvery
	}
	if time.Since(x.hooksAt) < every {
		return
	}
	x.hooksAt = time.Now()
	hooks, err := c.hooks(ctx, transport.Text(g.AutoScalingGroupName))
	if x.hooksErr = err; err == nil {
		x.hooks = hooks
	}
}

// unknownHook reports whether a machine waits for a hook while none of its kind is
// known: it was added since.
func (x *extras) unknownHook(g types.AutoScalingGroup) bool {
	return slices.ContainsFunc(g.Instances, func(i types.Instance) bool {
		launching := i.LifecycleState == types.LifecycleStatePendingWait
		return (launching || i.LifecycleState == types.LifecycleStateTerminatingWait) &&
			!slices.ContainsFunc(x.hooks, func(h world.Hook) bool { return h.Launching == launching })
	})
}

func (x *extras) readWarm(ctx context.Context, c *Client, g types.AutoScalingGroup, busy bool, changed time.Time) {
	if g.WarmPoolConfiguration == nil {
		x.warm, x.warmErr, x.warmAt = nil, nil, time.Time{}
		return
	}
	size := aws.ToInt32(g.WarmPoolSize)
	busy = busy || slices.ContainsFunc(x.warm, func(m world.Machine) bool { return m.State != world.MachineStandby })
	every := extrasEvery
	if busy || size != x.warmSize {
		every = busyEvery
	}
	if time.Since(x.warmAt) < every && !changed.After(x.warmAt) {
		return
	}
	x.warmAt, x.warmSize = time.Now(), size
	warm, err := c.warmPool(ctx, transport.Text(g.AutoScalingGroupName))
	if x.warmErr = err; err == nil {
		x.warm = warm
	}
}

func (x *extras) readSpot(ctx context.Context, c *Client, g types.AutoScalingGroup) {
	if !c.maySpot(ctx, g) {
		x.spotErr = nil
		return
	}
	known := x.spot
	x.spot = make(map[string]bool, len(g.Instances))
	var unknown []string
	for _, i := range g.Instances {
		id := transport.Text(i.InstanceId)
		if spot, ok := known[id]; ok {
			x.spot[id] = spot
		} else {
			unknown = append(unknown, id)
		}
	}
	every := busyEvery // a machine just launched is not told of at once
	if x.spotErr != nil {
		every = extrasEvery
	}
	if len(unknown) == 0 || time.Since(x.spotAt) < every {
		return
	}
	x.spotAt = time.Now()
	spot, err := c.spots(ctx, unknown)
	x.spotErr = err
	maps.Copy(x.spot, spot)
}

// fill adds what is known to a description and its machines.
func (x *extras) fill(g *world.Group, members []world.Machine) {
	g.Subnets, g.Hooks = x.subnets, x.hooks
	g.Refresh, g.Scaling = x.refresh, x.scaling
	g.Warm = slices.Clone(x.warm)
	for i := range members {
		members[i].Spot = x.spot[members[i].ID]
	}
}

// subnets reads where the group places machines, and the addresses left there.
func (c *Client) subnets(ctx context.Context, g types.AutoScalingGroup) ([]world.Subnet, error) {
	var ids []string
	for id := range strings.SplitSeq(transport.Text(g.VPCZoneIdentifier), ",") {
		if id = strings.TrimSpace(id); id != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	pages := ec2.NewDescribeSubnetsPaginator(c.compute, &ec2.DescribeSubnetsInput{SubnetIds: ids})
	var out []world.Subnet
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, c.explain(err)
		}
		for _, s := range page.Subnets {
			free := 0
			if s.AvailableIpAddressCount != nil {
				free = int(*s.AvailableIpAddressCount)
			}
			out = append(out, world.Subnet{ID: transport.Text(s.SubnetId), Zone: transport.Text(s.AvailabilityZone), Free: free})
		}
	}
	return out, nil
}

// hooks reads a group's lifecycle hooks.
func (c *Client) hooks(ctx context.Context, name string) ([]world.Hook, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	out, err := c.scaling.DescribeLifecycleHooks(ctx, &autoscaling.DescribeLifecycleHooksInput{AutoScalingGroupName: &name})
	if err != nil {
		return nil, c.explain(err)
	}
	var hooks []world.Hook
	for _, h := range out.LifecycleHooks {
		hooks = append(hooks, world.Hook{
			Name:      transport.Text(h.LifecycleHookName),
			Launching: strings.HasSuffix(transport.Text(h.LifecycleTransition), "LAUNCHING"),
			Timeout:   time.Duration(aws.ToInt32(h.HeartbeatTimeout)) * time.Second,
			Abandon:   !strings.EqualFold(transport.Text(h.DefaultResult), "CONTINUE"), // the default of the default
		})
	}
	slices.SortFunc(hooks, func(a, b world.Hook) int { return strings.Compare(a.Name, b.Name) })
	return hooks, nil
}

// warmPool reads the machines of a group's warm pool.
func (c *Client) warmPool(ctx context.Context, name string) ([]world.Machine, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	pages := autoscaling.NewDescribeWarmPoolPaginator(c.scaling, &autoscaling.DescribeWarmPoolInput{AutoScalingGroupName: &name})
	var out []world.Machine
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, c.explain(err)
		}
		out = append(out, warmMachines(page.Instances)...)
	}
	return out, nil
}

// maySpot reports whether a group may have Spot machines: it has a mixed
// instances policy, or its template asks for them.
func (c *Client) maySpot(ctx context.Context, g types.AutoScalingGroup) bool {
	if g.MixedInstancesPolicy != nil {
		return true
	}
	if g.LaunchTemplate == nil {
		return false
	}
	v, err := c.resolveSpec(ctx, g.LaunchTemplate) // it was, a moment ago
	return err == nil && v.Spot
}

// filterValues is how many values EC2 takes in a filter.
const filterValues = 200

// spots says of machines whether they are Spot. One that EC2 does not tell of
// (yet) is left out.
func (c *Client) spots(ctx context.Context, ids []string) (map[string]bool, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	out := map[string]bool{}
	for some := range slices.Chunk(ids, filterValues) {
		instances, err := c.instances(ctx, filter("instance-id", some...)) // an id that is not known (yet) is an error otherwise
		for _, i := range instances {
			out[transport.Text(i.InstanceId)] = i.InstanceLifecycle == ec2types.InstanceLifecycleTypeSpot
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// instances are those in EC2 that pass all filters, as far as they could be read.
func (c *Client) instances(ctx context.Context, filters ...ec2types.Filter) ([]ec2types.Instance, error) {
	var out []ec2types.Instance
	pages := ec2.NewDescribeInstancesPaginator(c.compute, &ec2.DescribeInstancesInput{Filters: filters})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return out, c.explain(err)
		}
		for _, r := range page.Reservations {
			out = append(out, r.Instances...)
		}
	}
	return out, nil
}

func filter(name string, values ...string) ec2types.Filter {
	return ec2types.Filter{Name: &name, Values: values}
}
