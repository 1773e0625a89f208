package snapshot_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// The rights that a run takes are those of what it will do, and no run takes one twice.
func TestRightsOf(t *testing.T) {
	const read, update, end = "autoscaling:DescribeAutoScalingInstances", "autoscaling:UpdateAutoScalingGroup", "autoscaling:TerminateInstanceInAutoScalingGroup"
	const suspend, resume, launch = "autoscaling:SuspendProcesses", "autoscaling:ResumeProcesses", "autoscaling:LaunchInstances"
	nodes := []snapshot.PlannedNode{{Machine: "i-1"}}
	suspended := world.Group{Suspended: []string{"AZRebalance"}}
	balanced := world.Group{Balancers: []string{"arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/web/1", "old"}}
	now := world.Template{ID: "lt", Version: 1}
	for name, c := range map[string]struct {
		rules        engine.Strategy
		group        world.Group
		plan         snapshot.Plan
		always, some string
	}{
		"eks":                  {strategy.EKS{}, world.Group{}, snapshot.Plan{Nodes: nodes}, update + " " + suspend + " " + resume + " " + read + " " + end, launch},
		"a new image":          {strategy.EKS{}, world.Group{}, snapshot.Plan{Nodes: nodes, Run: record.Run{Target: record.Target{Image: "ami-2"}}}, "ec2:CreateLaunchTemplateVersion " + update + " " + suspend + " " + resume + " " + read + " " + end, launch},
		"others' suspension":   {strategy.EKS{}, suspended, snapshot.Plan{Nodes: nodes}, update + " " + read + " " + end, launch + " " + suspend + " " + resume},
		"no launch in a zone":  {strategy.EKS{}, world.Group{NoLaunchInZone: "it has a warm pool"}, snapshot.Plan{Nodes: nodes, Warm: []string{"i-9"}}, update + " " + suspend + " " + resume + " " + read + " " + end, "ec2:TerminateInstances"},
		"minimal":              {strategy.EKSMinimal{}, world.Group{}, snapshot.Plan{Nodes: nodes}, update + " " + suspend + " " + resume + " " + read + " " + end, ""},
		"kops":                 {strategy.Kops{}, balanced, snapshot.Plan{Nodes: nodes, Detach: []string{"i-1"}}, read + " ec2:TerminateInstances ec2:CreateTags autoscaling:DetachInstances elasticloadbalancing:DeregisterTargets elasticloadbalancing:DeregisterInstancesFromLoadBalancer", "ec2:DeleteTags"},
		"kops, to a template":  {strategy.Kops{}, world.Group{Template: now}, snapshot.Plan{Nodes: nodes, Run: record.Run{Target: record.Target{Templates: []world.Template{{ID: "lt", Version: 2}}}}}, update + " " + read + " ec2:TerminateInstances", ""},
		"a warm pool alone":    {strategy.Kops{}, world.Group{}, snapshot.Plan{WarmAlone: true, Warm: []string{"i-9"}}, read + " ec2:TerminateInstances", ""},
		"a raise to take back": {strategy.EKS{}, world.Group{}, snapshot.Plan{Run: record.Run{Inherited: &record.Raise{Desired: 2}}}, update + " " + suspend + " " + resume + " " + read + " " + end, launch},
		"our own, balanced":    {strategy.Drainboard{}, balanced, snapshot.Plan{Nodes: nodes}, update + " " + suspend + " " + resume + " " + read + " " + end, "elasticloadbalancing:DescribeTargetHealth elasticloadbalancing:DescribeInstanceHealth " + launch},
		"nothing to do":        {strategy.EKS{}, world.Group{}, snapshot.Plan{}, "", ""},
		"gardener's own":       {strategy.GardenerFollow{}, world.Group{}, snapshot.Plan{Nodes: nodes}, "", ""},
	} {
		var always, some []string
		for _, r := range snapshot.RightsOf(c.rules, &world.World{Group: c.group}, &c.plan) {
			if r.When == "" {
				always = append(always, r.Action)
			} else {
				some = append(some, r.Action)
			}
			if r.Verdict != snapshot.RightUnchecked {
				t.Errorf("%s: %s is %s before anybody asked", name, r.Action, r.Verdict)
			}
		}
		if !slices.Equal(always, strings.Fields(c.always)) || !slices.Equal(some, strings.Fields(c.some)) {
			t.Errorf("%s: always %v, in some cases %v", name, always, some)
		}
	}
}
