package cloud

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/access"
	"github.com/drainboard/drainboard/lab/cloud/wire"
)

var autoscalingHandlers = map[string]handler{
	"DescribeAutoScalingGroups":    describeGroups,
	"DescribeAutoScalingInstances": describeGroupInstances,
	"DescribeScalingActivities":    describeActivities,
	"DescribeTags":                 describeTags,

	"DescribeInstanceRefreshes":    describeRefreshes,
	"DescribeLaunchConfigurations": nothing("LaunchConfigurations"),
	"DescribePolicies":             nothing("ScalingPolicies"),
	"DescribeScheduledActions":     nothing("ScheduledUpdateGroupActions"),
	"DescribeLifecycleHooks":       describeHooks,
	"DescribeWarmPool":             describeWarmPool,

	"DescribeLoadBalancers":            attachedTo(true, "LoadBalancers", "LoadBalancerName"),
	"DescribeLoadBalancerTargetGroups": attachedTo(false, "LoadBalancerTargetGroups", "LoadBalancerTargetGroupARN"),

	"UpdateAutoScalingGroup": updateGroup,
	"SetDesiredCapacity":     setDesired,
	"SuspendProcesses":       suspend,
	"ResumeProcesses":        resume,
	"CreateOrUpdateTags":     createTags,
	"DeleteTags":             deleteTags,

	"StartInstanceRefresh":           startRefresh,
	"CancelInstanceRefresh":          cancelRefresh,
	"PutLifecycleHook":               putHook,
	"DeleteLifecycleHook":            deleteHook,
	"CompleteLifecycleAction":        completeAction,
	"RecordLifecycleActionHeartbeat": heartbeat,
	"PutWarmPool":                    putWarmPool,
	"DeleteWarmPool":                 deleteWarmPool,

	"TerminateInstanceInAutoScalingGroup": terminateInGroup,
	"LaunchInstances":                     launchInstances,
	"AttachInstances":                     attach,
	"DetachInstances":                     detach,
	"EnterStandby":                        enterStandby,
	"ExitStandby":                         exitStandby,
	"SetInstanceProtection":               setProtection,
}

// Auto Scaling's names for the parameters of a describe call.
const (
	groupFilters = "Filters.member"
	filterValues = "Values.member"
)

// nothing answers that a group has none of a kind of thing, or that there is no
// such group.
func nothing(list string) handler {
	return func(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
		if name := r.Str("AutoScalingGroupName"); name != "" && c.seen().groups[name] == nil {
			return nil, errNoGroup(name)
		}
		return []wire.Node{wire.El(list)}, nil
	}
}

func errNoGroup(name string) *wire.Error {
	return wire.Invalid("AutoScalingGroup name not found - AutoScalingGroup: %s not found", name)
}

func describeGroups(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	s := c.seen()
	names := r.List("AutoScalingGroupNames.member")
	fs := r.Filters(groupFilters, filterValues)
	var groups []*group
	for _, g := range s.sortedGroups() {
		if (len(names) == 0 || slices.Contains(names, g.Name)) && !slices.ContainsFunc(fs, func(f wire.Filter) bool { return !g.passes(f) }) {
			groups = append(groups, g)
		}
	}
	from, to, token, err := r.Page(len(groups), func(n int) string { return groups[n].Name }, "MaxRecords", 50, 100)
	if err != nil {
		return nil, err
	}
	with := r.Str("IncludeInstances") != "false"
	return []wire.Node{
		wire.Each("AutoScalingGroups", "member", groups[from:to], func(g *group) []wire.Node { return c.groupNodes(s, g, with) }),
		wire.Text("NextToken", token),
	}, nil
}

// passes checks a tag filter.
func (g *group) passes(f wire.Filter) bool {
	return slices.ContainsFunc(g.tags, func(t tag) bool {
		switch f.Name {
		case "tag-key":
			return f.Matches(t.key)
		case "tag-value":
			return f.Matches(t.value)
		default:
			return f.Name == "tag:"+t.key && f.Matches(t.value)
		}
	})
}

func (c *Cloud) groupNodes(s *state, g *group, withInstances bool) []wire.Node {
	var members []*instance
	if withInstances {
		members = s.members(g.Name)
	}
	nodes := []wire.Node{
		wire.Text("AutoScalingGroupName", g.Name),
		wire.Text("AutoScalingGroupARN", g.arn),
		wire.Text("MinSize", g.Min),
		wire.Text("MaxSize", g.Max),
		wire.Text("DesiredCapacity", g.Desired),
		wire.Text("DefaultCooldown", 300),
		wire.Texts("AvailabilityZones", "member", g.Zones),
		wire.Texts("LoadBalancerNames", "member", s.attached(g, true)),
		wire.Texts("TargetGroupARNs", "member", s.attached(g, false)),
		wire.Text("HealthCheckType", "EC2"),
		wire.Text("HealthCheckGracePeriod", 0),
		wire.Each("Instances", "member", members, c.memberNodes),
		wire.Text("CreatedTime", g.created),
		wire.Each("SuspendedProcesses", "member", g.suspended, func(p string) []wire.Node {
			return []wire.Node{wire.Text("ProcessName", p), wire.Text("SuspensionReason", "User suspended at "+wire.Stamp(g.suspendedAt))}
		}),
		wire.Text("VPCZoneIdentifier", strings.Join(g.SubnetIDs, ",")),
		wire.Each("Tags", "member", g.tags, func(t tag) []wire.Node { return tagNodes(g, t) }),
		wire.Texts("TerminationPolicies", "member", []string{"Default"}),
		wire.Text("NewInstancesProtectedFromScaleIn", g.ProtectNew),
		wire.Text("ServiceLinkedRoleARN", fmt.Sprintf("arn:aws:iam::%s:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling", access.Account)),
		wire.Text("CapacityRebalance", false),
	}
	if g.pool != nil {
		nodes = append(nodes, wire.El("WarmPoolConfiguration", g.pool.nodes()...), wire.Text("WarmPoolSize", len(s.warm(g.Name))))
	}
	switch {
	case g.LaunchConfiguration != "":
		nodes = append(nodes, wire.Text("LaunchConfigurationName", g.LaunchConfiguration))
	case g.mixed:
		nodes = append(nodes, wire.El("MixedInstancesPolicy", g.mixedNodes()...))
	default:
		nodes = append(nodes, wire.El("LaunchTemplate", refNodes(g.Template)...))
	}
	return nodes
}

func (g *group) mixedNodes() []wire.Node {
	distribution := wire.El("InstancesDistribution")
	for _, d := range []struct{ name, usual string }{
		{"OnDemandAllocationStrategy", "prioritized"},
		{"OnDemandBaseCapacity", "0"},
		{"OnDemandPercentageAboveBaseCapacity", "100"},
		{"SpotAllocationStrategy", "lowest-price"},
		{"SpotInstancePools", ""},
		{"SpotMaxPrice", ""},
	} {
		value, set := g.distribution[d.name]
		if !set {
			value = d.usual
		}
		distribution.Kids = append(distribution.Kids, wire.Text(d.name, value))
	}
	return []wire.Node{
		wire.El("LaunchTemplate",
			wire.El("LaunchTemplateSpecification", refNodes(g.Template)...),
			wire.Each("Overrides", "member", g.Overrides, func(o Override) []wire.Node {
				nodes := []wire.Node{wire.Text("InstanceType", o.InstanceType)}
				if o.Template != nil {
					nodes = append(nodes, wire.El("LaunchTemplateSpecification", refNodes(*o.Template)...))
				}
				return nodes
			})),
		distribution,
	}
}

func refNodes(r TemplateRef) []wire.Node {
	return []wire.Node{wire.Text("LaunchTemplateId", r.ID), wire.Text("LaunchTemplateName", r.Name), wire.Text("Version", r.Version)}
}

// memberNodes is what a group and DescribeAutoScalingInstances say of an instance.
func (c *Cloud) memberNodes(i *instance) []wire.Node {
	health := "Healthy"
	if i.unhealthy {
		health = "Unhealthy"
	}
	nodes := []wire.Node{
		wire.Text("InstanceId", i.ID),
		wire.Text("InstanceType", i.Type),
		wire.Text("ImageId", i.ImageID),
		wire.Text("AvailabilityZone", i.Zone),
		wire.Text("AvailabilityZoneId", c.zoneID(i.Zone)),
		wire.Text("LifecycleState", i.State),
		wire.Text("HealthStatus", health),
		wire.Text("ProtectedFromScaleIn", i.protected),
		wire.Text("LaunchConfigurationName", i.launchConfig),
	}
	if i.TemplateID != "" {
		nodes = append(nodes, wire.El("LaunchTemplate", refNodes(TemplateRef{i.TemplateID, i.TemplateName, fmt.Sprint(i.TemplateVersion)})...))
	}
	return nodes
}

func describeGroupInstances(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	ids := r.List("InstanceIds.member")
	var is []*instance
	for _, i := range c.seen().all() {
		if (i.member() || i.warm()) && (len(ids) == 0 || slices.Contains(ids, i.ID)) {
			is = append(is, i)
		}
	}
	from, to, token, err := r.Page(len(is), func(n int) string { return order(is[n].seq) }, "MaxRecords", 50, 50)
	if err != nil {
		return nil, err
	}
	return []wire.Node{
		wire.Each("AutoScalingInstances", "member", is[from:to], func(i *instance) []wire.Node {
			return append([]wire.Node{wire.Text("AutoScalingGroupName", i.Group)}, c.memberNodes(i)...)
		}),
		wire.Text("NextToken", token),
	}, nil
}

// order is a sequence number as a key that sorts like the number.
func order(seq uint64) string { return fmt.Sprintf("%020d", seq) }

func describeActivities(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	s := c.seen()
	name, ids := r.Str("AutoScalingGroupName"), r.List("ActivityIds.member")
	if name != "" && s.groups[name] == nil && !r.Bool("IncludeDeletedGroups") {
		return nil, errNoGroup(name)
	}
	fs := r.Filters(groupFilters, filterValues)
	var found []*activity
	for _, a := range slices.Backward(s.activities) {
		if name != "" && a.group != name || len(ids) > 0 && !slices.Contains(ids, a.id) ||
			slices.ContainsFunc(fs, func(f wire.Filter) bool { return !a.passes(f) }) {
			continue
		}
		found = append(found, a)
	}
	newestFirst := func(n int) string { return order(^found[n].seq) }
	from, to, token, err := r.Page(len(found), newestFirst, "MaxRecords", 100, 100)
	if err != nil {
		return nil, err
	}
	return []wire.Node{wire.Each("Activities", "member", found[from:to], (*activity).nodes), wire.Text("NextToken", token)}, nil
}

// passes checks one of the filters that DescribeScalingActivities knows.
func (a *activity) passes(f wire.Filter) bool {
	if f.Name == "Status" {
		return f.Matches(a.status)
	}
	return slices.ContainsFunc(f.Values, func(v string) bool {
		at, err := time.Parse(time.RFC3339, v)
		if err != nil {
			return false
		}
		return f.Name == "StartTimeLowerBound" && !a.start.Before(at) || f.Name == "StartTimeUpperBound" && !a.start.After(at)
	})
}

func (a *activity) nodes() []wire.Node {
	return []wire.Node{
		wire.Text("ActivityId", a.id),
		wire.Text("AutoScalingGroupName", a.group),
		wire.Text("AutoScalingGroupARN", a.arn),
		wire.Text("Description", a.description),
		wire.Text("Cause", a.cause),
		wire.Text("StartTime", a.start),
		wire.Text("EndTime", a.end),
		wire.Text("StatusCode", a.status),
		wire.Text("StatusMessage", a.message),
		wire.Text("Progress", a.progress),
		wire.Text("Details", fmt.Sprintf(`{"Subnet ID":%q,"Availability Zone":%q}`, a.subnet, a.zone)),
	}
}
