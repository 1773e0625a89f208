package cloud

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/access"
	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// GroupSpec is an Auto Scaling group as it is asked for.
type GroupSpec struct {
	Name                string
	Min, Max, Desired   int
	Zones               []string // empty: the zones of SubnetIDs, or all zones of the cloud
	SubnetIDs           []string // empty: the subnets of the zones; see Cloud.SubnetID
	Template            TemplateRef
	Overrides           []Override // not empty: a mixed instances policy around Template
	LaunchConfiguration string     // instead of Template: a group of the old kind
	Tags                map[string]string
	ProtectNew          bool // new instances are protected from scale-in

	// SpotPercent of the instances above the first OnDemandBase ones are Spot
	// Instances; not 0: a mixed instances policy around Template.
	SpotPercent, OnDemandBase int

	Balancers []string // that its instances are registered with; see Cloud.CreateBalancer
}

// Override is one instance type of a mixed instances policy. Template, where
// set, takes the place of the group's for this type. The first override is used,
// as the prioritized allocation strategy would.
type Override struct {
	InstanceType string
	Template     *TemplateRef
}

// Group is a group as it is now, without lag. Template has ID and Name, Version
// as it was asked for.
type Group struct {
	GroupSpec
	Suspended []string // process names, sorted
	Instances []Instance
	Warm      []Instance // of the warm pool

	// WarmTarget is how many instances the warm pool is to have.
	WarmTarget int
}

// CreateGroup makes a group, which starts at once to launch what it desires. All
// its tags are propagated at launch. A spec that makes no sense is a mistake in the
// program and panics.
func (c *Cloud) CreateGroup(s GroupSpec) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Name == "" || c.state.groups[s.Name] != nil || s.Min > s.Desired || s.Desired > s.Max {
		panic(fmt.Sprintf("cloud: group %q: no name, a name that is taken, or not min <= desired <= max", s.Name))
	}
	s.Zones = slices.Clone(s.Zones)
	if len(s.Zones) == 0 {
		for _, id := range s.SubnetIDs {
			s.Zones = append(s.Zones, c.zoneOf(id))
		}
	}
	if len(s.Zones) == 0 {
		s.Zones = slices.Clone(c.o.Zones)
	}
	s.SubnetIDs, s.Overrides, s.Balancers = slices.Clone(s.SubnetIDs), slices.Clone(s.Overrides), slices.Clone(s.Balancers)
	for _, id := range s.Balancers {
		if c.state.balancers[id] == nil {
			panic(fmt.Sprintf("cloud: group %s: no balancer %s", s.Name, id))
		}
	}
	if len(s.SubnetIDs) == 0 {
		for _, z := range s.Zones {
			s.SubnetIDs = append(s.SubnetIDs, c.subnet(z))
		}
	}
	if s.LaunchConfiguration == "" {
		t, _, problem := c.state.resolve(s.Template)
		if problem != "" {
			panic(fmt.Sprintf("cloud: group %s: %s", s.Name, problem))
		}
		s.Template.ID, s.Template.Name = t.id, t.name
	}
	g := &group{
		GroupSpec: s,
		arn:       fmt.Sprintf("arn:aws:autoscaling:%s:%s:autoScalingGroup:%s:autoScalingGroupName/%s", c.o.Region, access.Account, c.uuid(), s.Name),
		created:   time.Now(),
		mixed:     len(s.Overrides) > 0 || s.SpotPercent > 0,
		why: fmt.Sprintf("At %s a user request created an AutoScalingGroup changing the desired capacity from 0 to %d.",
			wire.Stamp(time.Now()), s.Desired),
	}
	if s.SpotPercent > 0 {
		g.distribution = map[string]string{
			"OnDemandBaseCapacity":                strconv.Itoa(s.OnDemandBase),
			"OnDemandPercentageAboveBaseCapacity": strconv.Itoa(100 - s.SpotPercent),
		}
	}
	for _, k := range slices.Sorted(maps.Keys(s.Tags)) {
		g.tags = append(g.tags, tag{k, s.Tags[k], true})
	}
	c.state.groups[s.Name] = g
	c.changed()
}

// DeleteGroup removes a group and terminates its instances, as a forced delete does.
func (c *Cloud) DeleteGroup(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.state.groups[name]
	if g == nil {
		return
	}
	now := time.Now()
	g = c.editGroup(g, func(g *group) { g.hooks, g.pool = nil, nil })
	for _, i := range append(c.state.members(name), c.state.warm(name)...) {
		if i.phase() == Terminating {
			c.skipHooks(i)
		} else {
			c.terminate(g, i, fmt.Sprintf("At %s a user request deleted the AutoScalingGroup.", wire.Stamp(now)), now)
		}
	}
	delete(c.state.groups, name)
	c.changed()
}

// Groups are the names of all groups, sorted.
func (c *Cloud) Groups() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.state.groups))
}

// Group is the group as it is now; false if there is none.
func (c *Cloud) Group(name string) (Group, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.state.groups[name]
	if g == nil {
		return Group{}, false
	}
	s := g.GroupSpec
	s.Zones, s.SubnetIDs, s.Overrides = slices.Clone(s.Zones), slices.Clone(s.SubnetIDs), slices.Clone(s.Overrides)
	s.Balancers = slices.Clone(s.Balancers)
	s.Tags = map[string]string{}
	for _, t := range g.tags {
		s.Tags[t.key] = t.value
	}
	return Group{GroupSpec: s, Suspended: slices.Clone(g.suspended),
		Instances: told(c.state.members(name)), Warm: told(c.state.warm(name)), WarmTarget: g.warmTarget()}, true
}

// Instances are the members of a group as they are now, oldest first.
func (c *Cloud) Instances(group string) []Instance {
	c.mu.Lock()
	defer c.mu.Unlock()
	return told(c.state.members(group))
}

// told are instances as the Go interface tells of them.
func told(is []*instance) []Instance {
	var out []Instance
	for _, i := range is {
		n := i.Instance
		n.Tags = maps.Clone(n.Tags)
		out = append(out, n)
	}
	return out
}

// Instance is any instance that is not forgotten yet, members or not.
func (c *Cloud) Instance(id string) (Instance, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.state.instances[id]
	if i == nil {
		return Instance{}, false
	}
	n := i.Instance
	n.Tags = maps.Clone(n.Tags)
	return n, true
}

// SubnetID is the id of the subnet of a zone.
func (c *Cloud) SubnetID(zone string) string { return c.subnet(zone) }
