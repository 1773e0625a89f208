package cloud

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// mostMoved is how many instances one call can detach, attach or put into standby.
const mostMoved = 20

// partsNamed are all instances of InstanceIds, which must be part of the group and in
// one of the states. Auto Scaling words it so for calls that move instances in or out.
func (c *Cloud) partsNamed(r *wire.Request, g *group, states ...string) ([]*instance, *wire.Error) {
	var is []*instance
	for _, id := range r.List("InstanceIds.member") {
		i, err := c.member(g.Name, id)
		switch {
		case i == nil && c.state.instances[id] != nil && c.state.instances[id].warm():
			return nil, err
		case i == nil:
			return nil, wire.Invalid("The instance %s is not part of Auto Scaling group %s.", id, g.Name)
		case !slices.Contains(states, i.State):
			return nil, wire.Invalid("The instance %s is not in %s.", id, strings.Join(states, " or "))
		}
		is = append(is, i)
	}
	if len(is) > mostMoved {
		return nil, wire.Invalid("1 validation error detected: Value at 'instanceIds' failed to satisfy constraint: Member must have length less than or equal to %d", mostMoved)
	}
	return is, nil
}

// detach takes instances out of the group for good: they run on, and the group thinks
// no more of them. Without a decrement it launches others in their place.
func detach(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	return takeOut(c, r, "To detach", "Detaching EC2 instance: ", "was detached", c.letGo, InService, Standby)
}

// letGo begins to make an instance one that no group has, which it is when it has left
// the balancers.
func (c *Cloud) letGo(i *instance, now time.Time) {
	i = c.edit(i, func(i *instance) { i.State = Detaching })
	c.deregister(i.ID, "", now)
	if !c.balanced(i.ID) {
		c.detached(i, now)
	}
}

// detached takes an instance off its group. The group's name goes from its tags; all
// others stay.
func (c *Cloud) detached(i *instance, now time.Time) *instance {
	c.finish(i.activity, now)
	return c.edit(i, func(i *instance) {
		i.State = Detached
		i.Tags = maps.Clone(i.Tags)
		delete(i.Tags, groupTag)
	})
}

// groupTag is the tag by which Auto Scaling marks the instances of a group.
const groupTag = "aws:autoscaling:groupName"

func enterStandby(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	return takeOut(c, r, "To place into standby", "Moving EC2 instance to Standby: ", "was moved to standby", func(i *instance, now time.Time) {
		c.deregister(i.ID, "", now)
		c.edit(i, func(i *instance) { i.State = Standby })
	}, InService)
}

// takeOut takes instances out of those that count: by detaching, or into standby.
func takeOut(c *Cloud, r *wire.Request, toDo, description, did string, take func(*instance, time.Time), states ...string) ([]wire.Node, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	is, err := c.partsNamed(r, g, states...)
	if err != nil {
		return nil, err
	}
	decrement := r.Bool("ShouldDecrementDesiredCapacity")
	if n := counting(is); decrement && g.Desired-n < g.Min {
		return nil, errSizes(g, toDo, n)
	}
	now := time.Now()
	var activities []*activity
	for _, i := range is {
		cause := fmt.Sprintf("At %s instance %s %s in response to a user request", wire.Stamp(now), i.ID, did)
		if decrement && i.counts() {
			cause += fmt.Sprintf(", shrinking the capacity from %d to %d", g.Desired, g.Desired-1)
			g = c.editGroup(g, func(g *group) { g.Desired-- })
		}
		take(i, now)
		a := c.record(g, activity{
			description: description + i.ID, cause: cause + ".", status: "InProgress", progress: 50,
			start: now, zone: i.Zone, subnet: i.subnet,
		})
		if i = c.state.instances[i.ID]; i.State == Detaching {
			c.edit(i, func(i *instance) { i.activity = a.id })
		} else {
			c.finish(a.id, now)
		}
		activities = append(activities, c.activity(a.id))
	}
	return []wire.Node{wire.Each("Activities", "member", activities, (*activity).nodes)}, nil
}

func errSizes(g *group, toDo string, n int) *wire.Error {
	s := ""
	if n != 1 {
		s = "s"
	}
	return wire.Invalid("AutoScalingGroup %s has min-size=%d, max-size=%d, and desired-size=%d. %s %d instance%s, please update the AutoScalingGroup sizes appropriately.",
		g.Name, g.Min, g.Max, g.Desired, toDo, n, s)
}

func exitStandby(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	is, err := c.partsNamed(r, g, Standby)
	if err != nil {
		return nil, err
	}
	if g.Desired+len(is) > g.Max {
		return nil, errSizes(g, "To remove from standby", len(is))
	}
	now := time.Now()
	var activities []*activity
	for _, i := range is {
		cause := fmt.Sprintf("At %s instance %s was moved out of standby in response to a user request, increasing the capacity from %d to %d.",
			wire.Stamp(now), i.ID, g.Desired, g.Desired+1)
		g = c.editGroup(g, func(g *group) { g.Desired++ })
		activities = append(activities, c.bringIn(g, i, "Moving EC2 instance out of Standby: ", cause, now))
	}
	return []wire.Node{wire.Each("Activities", "member", activities, (*activity).nodes)}, nil
}

// bringIn begins an instance's way into service that runs already.
func (c *Cloud) bringIn(g *group, i *instance, description, cause string, now time.Time) *activity {
	a := c.record(g, activity{
		description: description + i.ID, cause: cause, status: "PreInService", progress: 30,
		start: now, zone: i.Zone, subnet: i.subnet,
	})
	c.edit(i, func(i *instance) { i.State, i.activity = Pending, a.id })
	return a
}

// attach makes running instances of no group part of one, which raises its desired
// capacity by their number. They keep the template that they were launched from.
func attach(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	ids := r.List("InstanceIds.member")
	if len(ids) > mostMoved {
		return nil, wire.Invalid("1 validation error detected: Value at 'instanceIds' failed to satisfy constraint: Member must have length less than or equal to %d", mostMoved)
	}
	var is []*instance
	for _, id := range ids {
		i := c.state.instances[id]
		switch {
		case i == nil:
			return nil, wire.Invalid("Invalid Instance ID(s): [%s] specified", id)
		case i.member() || i.warm():
			return nil, wire.Invalid("The instance %s is already part of AutoScalingGroup:%s", id, i.Group)
		case i.ec2 != "running":
			return nil, wire.Invalid("The instance %s is not in correct state.", id)
		case !slices.Contains(g.Zones, i.Zone):
			return nil, wire.Invalid("The instance %s is in the Availability Zone %s, which is not one of the AutoScalingGroup's.", id, i.Zone)
		}
		is = append(is, i)
	}
	if g.Desired+len(is) > g.Max {
		return nil, errSizes(g, "To attach", len(is))
	}
	now := time.Now()
	for _, i := range is {
		cause := fmt.Sprintf("At %s an instance was added in response to a user request, increasing the capacity from %d to %d.",
			wire.Stamp(now), g.Desired, g.Desired+1)
		g = c.editGroup(g, func(g *group) { g.Desired++ })
		i = c.edit(i, func(i *instance) {
			i.Group, i.Tags, i.protected = g.Name, maps.Clone(i.Tags), g.ProtectNew
			i.Tags[groupTag] = g.Name
		})
		c.bringIn(g, i, "Attaching an existing EC2 instance: ", cause, now)
	}
	return nil, nil
}
