package cloud

import (
	"fmt"
	"slices"
	"strings"
	"time"
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
	return func(c *Cloud, r *request) ([]node, *apiError) {
		if name := r.str("AutoScalingGroupName"); name != "" && c.seen().groups[name] == nil {
			return nil, errNoGroup(name)
		}
		return []node{el(list)}, nil
	}
}

func errNoGroup(name string) *apiError {
	return invalid("AutoScalingGroup name not found - AutoScalingGroup: %s not found", name)
}

func describeGroups(c *Cloud, r *request) ([]node, *apiError) {
	s := c.seen()
	names := r.list("AutoScalingGroupNames.member")
	fs := r.filters(groupFilters, filterValues)
	var groups []*group
	for _, g := range s.sortedGroups() {
		if (len(names) == 0 || slices.Contains(names, g.Name)) && !slices.ContainsFunc(fs, func(f filter) bool { return !g.passes(f) }) {
			groups = append(groups, g)
		}
	}
	from, to, token, err := c.page(r, len(groups), func(n int) string { return groups[n].Name }, "MaxRecords", 50, 100)
	if err != nil {
		return nil, err
	}
	with := r.str("IncludeInstances") != "false"
	return []node{
		each("AutoScalingGroups", "member", groups[from:to], func(g *group) []node { return c.groupNodes(s, g, with) }),
		text("NextToken", token),
	}, nil
}

// passes checks a tag filter.
func (g *group) passes(f filter) bool {
	return slices.ContainsFunc(g.tags, func(t tag) bool {
		switch f.name {
		case "tag-key":
			return f.matches(t.key)
		case "tag-value":
			return f.matches(t.value)
		default:
			return f.name == "tag:"+t.key && f.matches(t.value)
		}
	})
}

func (c *Cloud) groupNodes(s *state, g *group, withInstances bool) []node {
	var members []*instance
	if withInstances {
		members = s.members(g.Name)
	}
	nodes := []node{
		text("AutoScalingGroupName", g.Name),
		text("AutoScalingGroupARN", g.arn),
		text("MinSize", g.Min),
		text("MaxSize", g.Max),
		text("DesiredCapacity", g.Desired),
		text("DefaultCooldown", 300),
		texts("AvailabilityZones", "member", g.Zones),
		texts("LoadBalancerNames", "member", s.attached(g, true)),
		texts("TargetGroupARNs", "member", s.attached(g, false)),
		text("HealthCheckType", "EC2"),
		text("HealthCheckGracePeriod", 0),
		each("Instances", "member", members, c.memberNodes),
		text("CreatedTime", g.created),
		each("SuspendedProcesses", "member", g.suspended, func(p string) []node {
			return []node{text("ProcessName", p), text("SuspensionReason", "User suspended at "+stamp(g.suspendedAt))}
		}),
		text("VPCZoneIdentifier", strings.Join(g.SubnetIDs, ",")),
		each("Tags", "member", g.tags, func(t tag) []node { return tagNodes(g, t) }),
		texts("TerminationPolicies", "member", []string{"Default"}),
		text("NewInstancesProtectedFromScaleIn", g.ProtectNew),
		text("ServiceLinkedRoleARN", fmt.Sprintf("arn:aws:iam::%s:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling", Account)),
		text("CapacityRebalance", false),
	}
	if g.pool != nil {
		nodes = append(nodes, el("WarmPoolConfiguration", g.pool.nodes()...), text("WarmPoolSize", len(s.warm(g.Name))))
	}
	switch {
	case g.LaunchConfiguration != "":
		nodes = append(nodes, text("LaunchConfigurationName", g.LaunchConfiguration))
	case g.mixed:
		nodes = append(nodes, el("MixedInstancesPolicy", g.mixedNodes()...))
	default:
		nodes = append(nodes, el("LaunchTemplate", refNodes(g.Template)...))
	}
	return nodes
}

func (g *group) mixedNodes() []node {
	distribution := el("InstancesDistribution")
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
		distribution.kids = append(distribution.kids, text(d.name, value))
	}
	return []node{
		el("LaunchTemplate",
			el("LaunchTemplateSpecification", refNodes(g.Template)...),
			each("Overrides", "member", g.Overrides, func(o Override) []node {
				nodes := []node{text("InstanceType", o.InstanceType)}
				if o.Template != nil {
					nodes = append(nodes, el("LaunchTemplateSpecification", refNodes(*o.Template)...))
				}
				return nodes
			})),
		distribution,
	}
}

func refNodes(r TemplateRef) []node {
	return []node{text("LaunchTemplateId", r.ID), text("LaunchTemplateName", r.Name), text("Version", r.Version)}
}

// memberNodes is what a group and DescribeAutoScalingInstances say of an instance.
func (c *Cloud) memberNodes(i *instance) []node {
	health := "Healthy"
	if i.unhealthy {
		health = "Unhealthy"
	}
	nodes := []node{
		text("InstanceId", i.ID),
		text("InstanceType", i.Type),
		text("ImageId", i.ImageID),
		text("AvailabilityZone", i.Zone),
		text("AvailabilityZoneId", c.zoneID(i.Zone)),
		text("LifecycleState", i.State),
		text("HealthStatus", health),
		text("ProtectedFromScaleIn", i.protected),
		text("LaunchConfigurationName", i.launchConfig),
	}
	if i.TemplateID != "" {
		nodes = append(nodes, el("LaunchTemplate", refNodes(TemplateRef{i.TemplateID, i.TemplateName, fmt.Sprint(i.TemplateVersion)})...))
	}
	return nodes
}

func describeGroupInstances(c *Cloud, r *request) ([]node, *apiError) {
	ids := r.list("InstanceIds.member")
	var is []*instance
	for _, i := range c.seen().all() {
		if (i.member() || i.warm()) && (len(ids) == 0 || slices.Contains(ids, i.ID)) {
			is = append(is, i)
		}
	}
	from, to, token, err := c.page(r, len(is), func(n int) string { return order(is[n].seq) }, "MaxRecords", 50, 50)
	if err != nil {
		return nil, err
	}
	return []node{
		each("AutoScalingInstances", "member", is[from:to], func(i *instance) []node {
			return append([]node{text("AutoScalingGroupName", i.Group)}, c.memberNodes(i)...)
		}),
		text("NextToken", token),
	}, nil
}

// order is a sequence number as a key that sorts like the number.
func order(seq uint64) string { return fmt.Sprintf("%020d", seq) }

func describeActivities(c *Cloud, r *request) ([]node, *apiError) {
	s := c.seen()
	name, ids := r.str("AutoScalingGroupName"), r.list("ActivityIds.member")
	if name != "" && s.groups[name] == nil && !r.bool("IncludeDeletedGroups") {
		return nil, errNoGroup(name)
	}
	fs := r.filters(groupFilters, filterValues)
	var found []*activity
	for _, a := range slices.Backward(s.activities) {
		if name != "" && a.group != name || len(ids) > 0 && !slices.Contains(ids, a.id) ||
			slices.ContainsFunc(fs, func(f filter) bool { return !a.passes(f) }) {
			continue
		}
		found = append(found, a)
	}
	newestFirst := func(n int) string { return order(^found[n].seq) }
	from, to, token, err := c.page(r, len(found), newestFirst, "MaxRecords", 100, 100)
	if err != nil {
		return nil, err
	}
	return []node{each("Activities", "member", found[from:to], (*activity).nodes), text("NextToken", token)}, nil
}

// passes checks one of the filters that DescribeScalingActivities knows.
func (a *activity) passes(f filter) bool {
	if f.name == "Status" {
		return f.matches(a.status)
	}
	return slices.ContainsFunc(f.values, func(v string) bool {
		at, err := time.Parse(time.RFC3339, v)
		if err != nil {
			return false
		}
		return f.name == "StartTimeLowerBound" && !a.start.Before(at) || f.name == "StartTimeUpperBound" && !a.start.After(at)
	})
}

func (a *activity) nodes() []node {
	return []node{
		text("ActivityId", a.id),
		text("AutoScalingGroupName", a.group),
		text("AutoScalingGroupARN", a.arn),
		text("Description", a.description),
		text("Cause", a.cause),
		text("StartTime", a.start),
		text("EndTime", a.end),
		text("StatusCode", a.status),
		text("StatusMessage", a.message),
		text("Progress", a.progress),
		text("Details", fmt.Sprintf(`{"Subnet ID":%q,"Availability Zone":%q}`, a.subnet, a.zone)),
	}
}
