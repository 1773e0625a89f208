package asg

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// heldFor is how long a machine that has left its group, and of which EC2 does not tell
// yet that it was detached, is kept in the picture. EC2's answers lag behind its tags,
// usually by a second or two.
const heldFor = 30 * time.Second

// alive are the states of an instance that is not ending, and endingStates the others.
var (
	alive        = []string{"pending", "running", "stopping", "stopped"}
	endingStates = []string{"shutting-down", "terminated"}
)

// outside is what the description of a group that is part of a Whole leaves out, and EC2
// tells:
//
//   - the machines that were detached: at each read. One that is in neither list for a
//     moment is read by its id, since it would count as gone;
//   - the members that are ending already, of which their groups do not know for up to a
//     minute or two: while something changes. Until then they count as in service.
type outside struct {
	ended   map[string]bool // of all groups of the whole
	trouble error           // of reading these

	last map[string]world.Machine // the picture before this one
	lost map[string]time.Time     // since when one of them has been missing
	busy bool                     // machines were ending in it
}

// read adds to a group's members what EC2 tells. Without the detached machines there is
// no picture: that is the error.
func (o *outside) read(ctx context.Context, c *Client, w Whole, group string, members []world.Machine, busy bool) ([]world.Machine, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	found, err := c.instances(ctx, filter("tag:"+w.Key, w.Value), filter("tag:"+w.Detached, group), filter("instance-state-name", append(slices.Clip(alive), endingStates[0])...))
	if err != nil {
		return nil, err
	}
	detached := map[string]world.Machine{}
	for _, i := range found {
		detached[transport.Text(i.InstanceId)] = detachedMachine(i)
	}
	o.readEnded(ctx, c, w, busy || o.busy || o.last == nil || o.trouble != nil)
	out := make([]world.Machine, 0, len(members)+len(detached))
	for _, m := range members {
		d, tagged := detached[m.ID]
		delete(detached, m.ID) // while it is a member, the tag says nothing
		switch {
		case tagged && m.Detail == string(types.LifecycleStateDetaching): // once it has left the load balancers
			m = d
		case o.ended[m.ID] && !m.Leaving():
			m.State, m.Detail = world.MachineTerminating, endingStates[0]
		}
		out = append(out, m)
	}
	out = append(out, slices.SortedFunc(maps.Values(detached), func(a, b world.Machine) int { return cmp.Compare(a.ID, b.ID) })...)
	if out, err = o.find(ctx, c, w, group, out); err != nil {
		return nil, err
	}
	o.last, o.busy = map[string]world.Machine{}, false
	for _, m := range out {
		o.last[m.ID] = m
		o.busy = o.busy || m.Leaving()
	}
	return out, nil
}

// readEnded brings up to date which machines EC2 has ended, if that is due.
func (o *outside) readEnded(ctx context.Context, c *Client, w Whole, due bool) {
	if !due {
		return
	}
	found, err := c.instances(ctx, filter("tag:"+w.Key, w.Value), filter("instance-state-name", endingStates...))
	if o.trouble = err; err != nil {
		return // those that were known have not come back
	}
	o.ended = map[string]bool{}
	for _, i := range found {
		o.ended[transport.Text(i.InstanceId)] = true
	}
}

// find reads the instances that have left the group and were not terminating.
// One that is still there was detached; if no tag says so before long, another user
// took it, and it is let go.
func (o *outside) find(ctx context.Context, c *Client, w Whole, group string, now []world.Machine) ([]world.Machine, error) {
	missing := map[string]world.Machine{}
	for id, m := range o.last {
		if !m.Leaving() {
			missing[id] = m
		}
	}
	for _, m := range now {
		delete(missing, m.ID)
	}
	maps.DeleteFunc(o.lost, func(id string, _ time.Time) bool { _, still := missing[id]; return !still })
	ids := slices.Sorted(maps.Keys(missing))
	for some := range slices.Chunk(ids, filterValues) {
		found, err := c.instances(ctx, filter("instance-id", some...), filter("instance-state-name", alive...))
		if err != nil {
			return nil, err
		}
		for _, i := range found {
			id := transport.Text(i.InstanceId)
			if tagOf(i, w.Detached) == group {
				now = append(now, detachedMachine(i))
				continue
			}
			if o.lost == nil {
				o.lost = map[string]time.Time{}
			}
			if o.lost[id].IsZero() {
				o.lost[id] = time.Now()
			}
			if time.Since(o.lost[id]) < heldFor {
				now = append(now, missing[id])
			}
		}
	}
	return now, nil
}

// detachedMachine is a machine that no group describes. What it was launched from, AWS
// has written on it.
func detachedMachine(i ec2types.Instance) world.Machine {
	m := world.Machine{
		ID:       transport.Text(i.InstanceId),
		State:    world.MachineStandby,
		Type:     transport.Clean(string(i.InstanceType)),
		Spot:     i.InstanceLifecycle == ec2types.InstanceLifecycleTypeSpot,
		Detached: true,
	}
	if i.Placement != nil {
		m.Zone = transport.Text(i.Placement.AvailabilityZone)
	}
	if i.State != nil {
		m.Detail = transport.Clean(string(i.State.Name))
		switch i.State.Name {
		case ec2types.InstanceStateNamePending:
			m.State = world.MachinePending
		case ec2types.InstanceStateNameRunning:
			m.State = world.MachineInService
		case ec2types.InstanceStateNameShuttingDown, ec2types.InstanceStateNameTerminated:
			m.State = world.MachineTerminating
		}
	}
	n, _ := strconv.ParseInt(tagOf(i, "aws:ec2launchtemplate:version"), 10, 64) // without one it is outdated
	m.Template = world.Template{ID: tagOf(i, "aws:ec2launchtemplate:id"), Version: n}
	return m
}
