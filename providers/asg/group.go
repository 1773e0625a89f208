package asg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// describe reads one group with its machines: one call. The error wraps
// ErrNotFound if there is no such group.
func (c *Client) describe(ctx context.Context, name string) (types.AutoScalingGroup, error) {
	return c.describeWith(ctx, name, true)
}

// describeWith reads one group, with its instances or, which is much quicker for a large
// one, without them.
func (c *Client) describeWith(ctx context.Context, name string, instances bool) (types.AutoScalingGroup, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	in := &autoscaling.DescribeAutoScalingGroupsInput{AutoScalingGroupNames: []string{name}}
	if !instances {
		in.IncludeInstances = aws.Bool(false)
	}
	out, err := c.scaling.DescribeAutoScalingGroups(ctx, in)
	if err != nil {
		return types.AutoScalingGroup{}, c.explain(err)
	}
	if len(out.AutoScalingGroups) == 0 {
		return types.AutoScalingGroup{}, &transport.Problem{Kind: transport.ErrNotFound, Words: fmt.Sprintf("no Auto Scaling group %q in %s", transport.Clean(name), c.region)}
	}
	return out.AutoScalingGroups[0], nil
}

// describeAll reads every group of the region that passes all filters.
func (c *Client) describeAll(ctx context.Context, filters ...types.Filter) ([]types.AutoScalingGroup, error) {
	var all []types.AutoScalingGroup
	pages := autoscaling.NewDescribeAutoScalingGroupsPaginator(c.scaling, &autoscaling.DescribeAutoScalingGroupsInput{Filters: filters, MaxRecords: aws.Int32(100)})
	for pages.HasMorePages() {
		page, err := c.nextGroups(ctx, pages)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
	}
	return all, nil
}

func (c *Client) nextGroups(ctx context.Context, pages *autoscaling.DescribeAutoScalingGroupsPaginator) ([]types.AutoScalingGroup, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	page, err := pages.NextPage(ctx)
	if err != nil {
		return nil, c.explain(err)
	}
	return page.AutoScalingGroups, nil
}

// group is the world's view of a group, its templates resolved to numbers.
// Activities and subnets are not part of the description and left empty.
func (c *Client) group(ctx context.Context, g types.AutoScalingGroup) (world.Group, error) {
	out := world.Group{
		Name:     transport.Text(g.AutoScalingGroupName),
		ID:       transport.Text(g.AutoScalingGroupARN),
		Provider: Provider,
		Sizes:    sizesOf(g),
		Tags:     tagsOf(g),
		Refused:  refusal(g),
		Mixed:    g.MixedInstancesPolicy != nil,

		NoLaunchInZone: notServed(g),
		Upkeep:         upkeepOf(g),
	}
	for _, z := range g.AvailabilityZones {
		out.Zones = append(out.Zones, transport.Clean(z))
	}
	slices.Sort(out.Zones)
	for _, b := range append(slices.Clone(g.LoadBalancerNames), g.TargetGroupARNs...) {
		out.Balancers = append(out.Balancers, transport.Clean(b))
	}
	for _, p := range g.SuspendedProcesses {
		out.Suspended = append(out.Suspended, transport.Text(p.ProcessName))
		if why := transport.Text(p.SuspensionReason); why != "" {
			if out.SuspensionReasons == nil {
				out.SuspensionReasons = map[string]string{}
			}
			out.SuspensionReasons[transport.Text(p.ProcessName)] = why
		}
	}
	slices.Sort(out.Suspended)
	err := c.fillTemplates(ctx, g, &out)
	if errors.Is(err, transport.ErrNotFound) { // a group that cannot launch is refused, and no error of ours
		out.Refused = cmp.Or(out.Refused, "it cannot launch instances: "+strings.TrimSuffix(err.Error(), "."))
		err = nil
	}
	return out, err
}

// upkeepOf is what a group does to its machines by itself. A bound of -1 in a maintenance policy
// is one that was taken off.
func upkeepOf(g types.AutoScalingGroup) world.Upkeep {
	u := world.Upkeep{
		MaxLifetime:       time.Duration(aws.ToInt32(g.MaxInstanceLifetime)) * time.Second,
		CapacityRebalance: aws.ToBool(g.CapacityRebalance),
	}
	if p := g.InstanceMaintenancePolicy; p != nil {
		u.MinHealthy, u.MaxHealthy = max(0, int(aws.ToInt32(p.MinHealthyPercentage))), max(0, int(aws.ToInt32(p.MaxHealthyPercentage)))
	}
	if p := g.AvailabilityZoneImpairmentPolicy; p != nil {
		u.ZonalShift = aws.ToBool(p.ZonalShiftEnabled)
	}
	return u
}

// fillTemplates resolves what the group launches from.
func (c *Client) fillTemplates(ctx context.Context, g types.AutoScalingGroup, out *world.Group) error {
	spec := specOf(g)
	if spec == nil {
		return nil
	}
	main, err := c.resolveSpec(ctx, spec)
	if err != nil {
		return err
	}
	out.Template, out.TemplateName, out.Image = main.Template, main.Name, main.Image
	out.TemplateSpec = cmp.Or(transport.Text(spec.Version), "$Default")
	for _, o := range overridesOf(g) {
		if o.LaunchTemplateSpecification == nil {
			continue
		}
		v, err := c.resolveSpec(ctx, o.LaunchTemplateSpecification)
		if err != nil {
			return err
		}
		if v.Template != out.Template && !slices.Contains(out.Overrides, v.Template) {
			out.Overrides = append(out.Overrides, v.Template)
		}
	}
	return nil
}

// specOf is the launch template version that a group launches from, nil for one
// with a launch configuration.
func specOf(g types.AutoScalingGroup) *types.LaunchTemplateSpecification {
	if m := g.MixedInstancesPolicy; m != nil && m.LaunchTemplate != nil {
		return m.LaunchTemplate.LaunchTemplateSpecification
	}
	return g.LaunchTemplate
}

func overridesOf(g types.AutoScalingGroup) []types.LaunchTemplateOverrides {
	if m := g.MixedInstancesPolicy; m != nil && m.LaunchTemplate != nil {
		return m.LaunchTemplate.Overrides
	}
	return nil
}

func sizesOf(g types.AutoScalingGroup) world.Sizes {
	return world.Sizes{
		Min:     int(aws.ToInt32(g.MinSize)),
		Max:     int(aws.ToInt32(g.MaxSize)),
		Desired: int(aws.ToInt32(g.DesiredCapacity)),
	}
}

func tagsOf(g types.AutoScalingGroup) map[string]string {
	tags := make(map[string]string, len(g.Tags))
	for _, t := range g.Tags {
		tags[transport.Text(t.Key)] = transport.Text(t.Value)
	}
	return tags
}

// machines are the members of a group, without those of a warm pool and those
// that have left. Whether they are Spot is not part of the description.
func machines(g types.AutoScalingGroup) []world.Machine {
	out := make([]world.Machine, 0, len(g.Instances))
	for _, i := range g.Instances {
		if state := stateOf(i.LifecycleState); state != "" {
			out = append(out, machineOf(i, state))
		}
	}
	return out
}

// warmMachines are the machines of a warm pool, without those that have left.
func warmMachines(instances []types.Instance) []world.Machine {
	var out []world.Machine
	for _, i := range instances {
		if state := warmState(i.LifecycleState); state != "" {
			out = append(out, machineOf(i, state))
		}
	}
	return out
}

func machineOf(i types.Instance, state string) world.Machine {
	m := world.Machine{
		ID:        transport.Text(i.InstanceId),
		Zone:      transport.Text(i.AvailabilityZone),
		State:     state,
		Detail:    transport.Clean(string(i.LifecycleState)),
		Type:      transport.Text(i.InstanceType),
		Protected: aws.ToBool(i.ProtectedFromScaleIn),
		Unhealthy: !strings.EqualFold(transport.Text(i.HealthStatus), "Healthy"),
	}
	if t := i.LaunchTemplate; t != nil {
		// An instance has the number it was launched with. Anything else would
		// not say what it runs: version 0, which is outdated.
		n, _ := strconv.ParseInt(transport.Text(t.Version), 10, 64)
		m.Template = world.Template{ID: transport.Text(t.LaunchTemplateId), Version: n}
	}
	return m
}

// warmed is what the lifecycle states of a warm pool's machines start with.
const warmed = "Warmed:"

// stateOf maps a lifecycle state to one that the engine acts on, "" for a
// machine that is not a member (any more) or rests in a warm pool. States:
// "Amazon EC2 Auto Scaling instance lifecycle" in the user guide.
func stateOf(s types.LifecycleState) string {
	if strings.HasPrefix(string(s), warmed) {
		return ""
	}
	phase, _, _ := strings.Cut(string(s), ":")
	switch phase {
	case "Pending", "Quarantined", "ReplacingRootVolume", "RootVolumeReplaced":
		return world.MachinePending // not in service, but meant to be
	case "InService":
		return world.MachineInService
	case "Terminating":
		return world.MachineTerminating
	case "Terminated", "Detached":
		return ""
	}
	return world.MachineStandby // Standby, on its way there or out of the group, or unheard of: ours to leave alone
}

// warmState is stateOf for a machine of a warm pool, "" for one that has left it.
// One that rests there is in Standby; so is any in a state unheard of.
func warmState(s types.LifecycleState) string {
	rest, warm := strings.CutPrefix(string(s), warmed)
	if !warm {
		return ""
	}
	return stateOf(types.LifecycleState(rest))
}

// refusal says why Drainboard does not touch a group, "" if it does. An instance
// refresh is no reason to be refused, and none of the description: see refreshing.
func refusal(g types.AutoScalingGroup) string {
	tags := tagsOf(g)
	name := transport.Text(g.AutoScalingGroupName)
	switch {
	case tags[nodeGroupTag] != "":
		node, cluster := tags[nodeGroupTag], tags["eks:cluster-name"]
		if cluster == "" {
			cluster = "CLUSTER"
		}
		return fmt.Sprintf("it belongs to the EKS managed node group %s, whose own updates would undo ours: refused for now; use aws eks update-nodegroup-version --cluster-name %s --nodegroup-name %s, and drainboard watch %s to follow it", node, cluster, node, name)
	case g.Operator != nil:
		return fmt.Sprintf("only its operator %s may change it", transport.Text(g.Operator.Principal))
	case transport.Text(g.Status) != "":
		return "it is being deleted (" + strings.ToLower(transport.Text(g.Status)) + ")"
	case specOf(g) == nil && transport.Text(g.LaunchConfigurationName) != "":
		return fmt.Sprintf("it uses the launch configuration %s, which has no versions: copy it to a launch template (EC2 console: Launch Configurations, Copy to launch template), then aws autoscaling update-auto-scaling-group --auto-scaling-group-name %s --launch-template 'LaunchTemplateName=NAME,Version=1'", transport.Text(g.LaunchConfigurationName), name)
	case specOf(g) == nil:
		return "it has no launch template"
	case transport.Text(g.DesiredCapacityType) != "" && transport.Text(g.DesiredCapacityType) != "units":
		return fmt.Sprintf("its sizes are counted in %s, not in instances", transport.Text(g.DesiredCapacityType))
	case slices.ContainsFunc(overridesOf(g), func(o types.LaunchTemplateOverrides) bool { return o.WeightedCapacity != nil }):
		return "its instance types have weights, so its sizes are not counted in instances"
	}
	return ""
}
