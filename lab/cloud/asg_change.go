package cloud

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// processes are those that can be suspended, in the order of AWS's docs.
var processes = []string{"Launch", "Terminate", "AddToLoadBalancer", "AlarmNotification", "AZRebalance", "HealthCheck",
	"InstanceRefresh", "ReplaceUnhealthy", "ScheduledActions"}

// named is the group that a changing call names.
func (c *Cloud) named(r *wire.Request) (*group, *wire.Error) {
	name := r.Str("AutoScalingGroupName")
	if g := c.state.groups[name]; g != nil {
		return g, nil
	}
	return nil, errNoGroup(name)
}

func updateGroup(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	n := *g
	if err := n.resize(r); err != nil {
		return nil, err
	}
	if err := c.retemplate(&n, r); err != nil {
		return nil, err
	}
	if v := r.Str("VPCZoneIdentifier"); v != "" {
		n.SubnetIDs, n.Zones = strings.Split(v, ","), nil
		for _, id := range n.SubnetIDs {
			zone := c.zoneOf(id)
			if zone == "" {
				return nil, wire.Invalid("The subnet ID '%s' does not exist", id)
			}
			n.Zones = append(n.Zones, zone)
		}
	}
	if r.Has("NewInstancesProtectedFromScaleIn") {
		n.ProtectNew = r.Bool("NewInstancesProtectedFromScaleIn")
	}
	if n.Desired != g.Desired {
		n.why = fmt.Sprintf("At %s a user request update of AutoScalingGroup constraints to min: %d, max: %d, desired: %d "+
			"changing the desired capacity from %d to %d.", wire.Stamp(time.Now()), n.Min, n.Max, n.Desired, g.Desired, n.Desired)
	}
	c.editGroup(g, func(g *group) { *g = n })
	return nil, nil
}

// resize sets the sizes that the call names. A bound that is moved past the
// desired capacity takes it along, unless the call names that too.
func (g *group) resize(r *wire.Request) *wire.Error {
	g.Min, g.Max = r.Int("MinSize", g.Min), r.Int("MaxSize", g.Max)
	if g.Min < 0 || g.Max < 0 {
		return wire.Invalid("The min and max size of an AutoScalingGroup must not be negative.")
	}
	if g.Max < g.Min {
		return wire.Invalid("Max bound, %d, must be greater than or equal to min bound, %d", g.Max, g.Min)
	}
	if !r.Has("DesiredCapacity") {
		g.Desired = min(max(g.Desired, g.Min), g.Max)
		return nil
	}
	g.Desired = r.Int("DesiredCapacity", g.Desired)
	if g.Desired < g.Min || g.Desired > g.Max {
		return wire.Invalid("Desired capacity:%d must be between the specified min size:%d and max size:%d", g.Desired, g.Min, g.Max)
	}
	return nil
}

// retemplate sets the launch template or the mixed instances policy, whichever
// the call has; one replaces the other.
func (c *Cloud) retemplate(g *group, r *wire.Request) *wire.Error {
	const mixed = "MixedInstancesPolicy.LaunchTemplate."
	switch {
	case r.Any("LaunchTemplate.") && r.Any("MixedInstancesPolicy."):
		return wire.Invalid("Valid requests must contain only one of LaunchTemplate, LaunchConfigurationName, InstanceId or MixedInstancesPolicy parameter.")
	case r.Any("LaunchTemplate."):
		ref, err := c.ref(r, "LaunchTemplate.")
		if err != nil {
			return err
		}
		g.Template, g.Overrides, g.mixed, g.LaunchConfiguration = ref, nil, false, ""
	case r.Any("MixedInstancesPolicy."):
		g.mixed, g.LaunchConfiguration = true, ""
		if r.Any(mixed + "LaunchTemplateSpecification.") {
			ref, err := c.ref(r, mixed+"LaunchTemplateSpecification.")
			if err != nil {
				return err
			}
			g.Template = ref
		}
		if overrides := r.Structs(mixed + "Overrides.member"); overrides != nil {
			g.Overrides = nil
			for _, p := range overrides {
				o := Override{InstanceType: r.Str(p + ".InstanceType")}
				if r.Any(p + ".LaunchTemplateSpecification.") {
					ref, err := c.ref(r, p+".LaunchTemplateSpecification.")
					if err != nil {
						return err
					}
					o.Template = &ref
				}
				g.Overrides = append(g.Overrides, o)
			}
		}
		g.distribution = r.Under("MixedInstancesPolicy.InstancesDistribution.", g.distribution)
	}
	return nil
}

// ref decodes a launch template specification and checks that there is one.
func (c *Cloud) ref(r *wire.Request, prefix string) (TemplateRef, *wire.Error) {
	ref := TemplateRef{ID: r.Str(prefix + "LaunchTemplateId"), Name: r.Str(prefix + "LaunchTemplateName"), Version: r.Str(prefix + "Version")}
	if ref.ID != "" && ref.Name != "" {
		return ref, wire.Invalid("Valid requests must contain either launchTemplateId or LaunchTemplateName")
	}
	t, _, problem := c.state.resolve(ref)
	if problem != "" {
		return ref, wire.Invalid("You must use a valid fully-formed launch template. %s", problem)
	}
	ref.ID, ref.Name = t.id, t.name
	return ref, nil
}

func setDesired(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	n, bad := strconv.Atoi(r.Str("DesiredCapacity"))
	switch {
	case bad != nil || n < 0:
		return nil, wire.Invalid("1 validation error detected: Value '%s' at 'desiredCapacity' failed to satisfy constraint", r.Str("DesiredCapacity"))
	case n > g.Max:
		return nil, wire.Invalid("New SetDesiredCapacity value %d is above max value %d for the AutoScalingGroup.", n, g.Max)
	case n < g.Min:
		return nil, wire.Invalid("New SetDesiredCapacity value %d is below min value %d for the AutoScalingGroup.", n, g.Min)
	}
	c.editGroup(g, func(g *group) {
		if n != g.Desired {
			g.why = fmt.Sprintf("At %s a user request explicitly set group desired capacity changing the desired capacity from %d to %d.",
				wire.Stamp(time.Now()), g.Desired, n)
		}
		g.Desired = n
	})
	return nil, nil
}

func suspend(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	return setSuspended(c, r, func(has, named []string) []string {
		return slices.Compact(slices.Sorted(slices.Values(slices.Concat(has, named))))
	})
}

func resume(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	return setSuspended(c, r, func(has, named []string) []string {
		return slices.DeleteFunc(slices.Clone(has), func(p string) bool { return slices.Contains(named, p) })
	})
}

func setSuspended(c *Cloud, r *wire.Request, change func(has, named []string) []string) ([]wire.Node, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	named := r.List("ScalingProcesses.member")
	if len(named) == 0 {
		named = processes
	}
	for _, p := range named {
		if !slices.Contains(processes, p) {
			return nil, wire.Invalid("1 validation error detected: Value '[%s]' at 'scalingProcesses' failed to satisfy constraint: "+
				"Member must satisfy enum value set: [%s]", p, strings.Join(processes, ", "))
		}
	}
	c.editGroup(g, func(g *group) { g.suspended, g.suspendedAt = change(g.suspended, named), time.Now() })
	return nil, nil
}

func tagNodes(g *group, t tag) []wire.Node {
	return []wire.Node{
		wire.Text("Key", t.key),
		{Name: "Value", Text: t.value},
		wire.Text("PropagateAtLaunch", t.propagate),
		wire.Text("ResourceId", g.Name),
		wire.Text("ResourceType", "auto-scaling-group"),
	}
}

func describeTags(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	type tagged struct {
		g *group
		t tag
	}
	fs := r.Filters(groupFilters, filterValues)
	var found []tagged
	for _, g := range c.seen().sortedGroups() {
		for _, t := range g.tags {
			has := map[string]string{"auto-scaling-group": g.Name, "key": t.key, "value": t.value, "propagate-at-launch": fmt.Sprint(t.propagate)}
			if !slices.ContainsFunc(fs, func(f wire.Filter) bool { return !f.Matches(has[f.Name]) }) {
				found = append(found, tagged{g, t})
			}
		}
	}
	slices.SortFunc(found, func(a, b tagged) int {
		return strings.Compare(a.g.Name+"\x00"+a.t.key, b.g.Name+"\x00"+b.t.key)
	})
	key := func(n int) string { return found[n].g.Name + "\x00" + found[n].t.key }
	from, to, token, err := r.Page(len(found), key, "MaxRecords", 50, 100)
	if err != nil {
		return nil, err
	}
	return []wire.Node{
		wire.Each("Tags", "member", found[from:to], func(t tagged) []wire.Node { return tagNodes(t.g, t.t) }),
		wire.Text("NextToken", token),
	}, nil
}

func createTags(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	return changeTags(c, r, func(tags []tag, t tag) []tag { return append(tags, t) })
}

func deleteTags(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	return changeTags(c, r, func(tags []tag, t tag) []tag { return tags })
}

// changeTags takes each named tag out of its group and lets put add it again.
func changeTags(c *Cloud, r *wire.Request, put func(tags []tag, t tag) []tag) ([]wire.Node, *wire.Error) {
	named := r.Structs("Tags.member")
	for _, p := range named {
		if name := r.Str(p + ".ResourceId"); c.state.groups[name] == nil {
			return nil, errNoGroup(name)
		}
	}
	for _, p := range named {
		t := tag{r.Str(p + ".Key"), r.Str(p + ".Value"), r.Bool(p + ".PropagateAtLaunch")}
		c.editGroup(c.state.groups[r.Str(p+".ResourceId")], func(g *group) {
			g.tags = put(slices.DeleteFunc(slices.Clone(g.tags), func(has tag) bool { return has.key == t.key }), t)
		})
	}
	return nil, nil
}
