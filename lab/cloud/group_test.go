package cloud

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
)

func (b *bench) resize(name string, low, desired, high int32) error {
	_, err := b.asg.UpdateAutoScalingGroup(b.ctx, &autoscaling.UpdateAutoScalingGroupInput{
		AutoScalingGroupName: &name, MinSize: &low, DesiredCapacity: &desired, MaxSize: &high,
	})
	return err
}

func TestScalesUpAndDownBalanced(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 1, 4, 10)
	if z := b.zones("workers"); z != "a2 b1 c1" {
		t.Errorf("zones %s", z)
	}
	b.must(nil, b.resize("workers", 1, 9, 10))
	b.settle("workers", 9)
	if z := b.zones("workers"); z != "a3 b3 c3" {
		t.Errorf("zones %s", z)
	}

	g := b.described("workers")
	if *g.MinSize != 1 || *g.MaxSize != 10 || *g.DesiredCapacity != 9 || len(g.Instances) != 9 || len(g.AvailabilityZones) != 3 {
		t.Errorf("described %+v", g)
	}
	if i := g.Instances[0]; i.LifecycleState != types.LifecycleStateInService || *i.HealthStatus != "Healthy" || *i.LaunchTemplate.Version != "1" ||
		*i.LaunchTemplate.LaunchTemplateId != b.lt || *i.InstanceType != "t3.large" {
		t.Errorf("described instance %+v", i)
	}
	a := b.activities("workers")
	if len(a) != 9 || a[0].StatusCode != types.ScalingActivityStatusCodeSuccessful || !strings.HasPrefix(*a[0].Description, "Launching a new EC2 instance: i-") ||
		!strings.Contains(*a[0].Cause, "changing the desired capacity from 4 to 9.  At") || !strings.Contains(*a[0].Cause, "increasing the capacity from 8 to 9.") {
		t.Errorf("%d activities, newest %s: %s", len(a), *a[0].Description, *a[0].Cause)
	}

	b.must(b.asg.SetDesiredCapacity(b.ctx, &autoscaling.SetDesiredCapacityInput{AutoScalingGroupName: aws.String("workers"), DesiredCapacity: aws.Int32(4)}))
	b.settle("workers", 4)
	if z := b.zones("workers"); z != "a1 b1 c2" {
		t.Errorf("zones after scaling in %s", z)
	}
	if a := b.activities("workers")[0]; !strings.Contains(*a.Cause, "was selected for termination") {
		t.Errorf("cause %s", *a.Cause)
	}
}

func TestScaleInTakesOldTemplatesAndSparesProtected(t *testing.T) {
	b := serve(t, quick, nil)
	b.CreateGroup(GroupSpec{Name: "workers", Desired: 2, Max: 9, Zones: []string{"eu-west-1a"}, Template: TemplateRef{ID: b.lt, Version: "$Latest"}})
	b.settle("workers", 2)
	latest := b.Instances("workers")
	b.must(b.asg.UpdateAutoScalingGroup(b.ctx, &autoscaling.UpdateAutoScalingGroupInput{
		AutoScalingGroupName: aws.String("workers"), DesiredCapacity: aws.Int32(4),
		LaunchTemplate: &types.LaunchTemplateSpecification{LaunchTemplateName: aws.String("nodes"), Version: aws.String("1")},
	}))
	b.settle("workers", 4)
	old := b.Instances("workers")[2:]
	b.must(b.asg.SetInstanceProtection(b.ctx, &autoscaling.SetInstanceProtectionInput{
		AutoScalingGroupName: aws.String("workers"), InstanceIds: []string{latest[0].ID}, ProtectedFromScaleIn: aws.Bool(true),
	}))

	for _, want := range []Instance{old[0], old[1], latest[1]} {
		n := int32(len(b.Instances("workers")) - 1)
		b.must(b.asg.SetDesiredCapacity(b.ctx, &autoscaling.SetDesiredCapacityInput{AutoScalingGroupName: aws.String("workers"), DesiredCapacity: &n}))
		b.settle("workers", int(n))
		if slices.ContainsFunc(b.Instances("workers"), func(i Instance) bool { return i.ID == want.ID }) {
			t.Errorf("%s, of version %d, is still there", want.ID, want.TemplateVersion)
		}
	}
	b.must(b.asg.SetDesiredCapacity(b.ctx, &autoscaling.SetDesiredCapacityInput{AutoScalingGroupName: aws.String("workers"), DesiredCapacity: aws.Int32(0)}))
	time.Sleep(50 * time.Millisecond)
	b.settle("workers", 1) // the protected one stays
}

func TestBounds(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 2, 2, 4)
	b.fails(b.resize("workers", 2, 5, 4), "ValidationError", "Desired capacity:5 must be between the specified min size:2 and max size:4")
	b.fails(b.resize("workers", 3, 2, 4), "ValidationError", "Desired capacity:2 must be between the specified min size:3 and max size:4")
	b.fails(b.resize("workers", 5, 5, 4), "ValidationError", "Max bound, 4, must be greater than or equal to min bound, 5")
	b.fails(b.resize("nobody", 0, 0, 0), "ValidationError", "nobody not found")
	set := func(n int32) error {
		_, err := b.asg.SetDesiredCapacity(b.ctx, &autoscaling.SetDesiredCapacityInput{AutoScalingGroupName: aws.String("workers"), DesiredCapacity: &n})
		return err
	}
	b.fails(set(5), "ValidationError", "New SetDesiredCapacity value 5 is above max value 4 for the AutoScalingGroup.")
	b.fails(set(1), "ValidationError", "New SetDesiredCapacity value 1 is below min value 2 for the AutoScalingGroup.")
	_, err := b.asg.UpdateAutoScalingGroup(b.ctx, &autoscaling.UpdateAutoScalingGroupInput{
		AutoScalingGroupName: aws.String("workers"),
		LaunchTemplate:       &types.LaunchTemplateSpecification{LaunchTemplateId: &b.lt, Version: aws.String("9")},
	})
	b.fails(err, "ValidationError", "Could not find the specified version 9")

	// A bound alone takes the desired capacity along.
	b.must(b.asg.UpdateAutoScalingGroup(b.ctx, &autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: aws.String("workers"), MinSize: aws.Int32(3)}))
	b.settle("workers", 3)
}

func TestCapacityOfZones(t *testing.T) {
	b := serve(t, quick, nil)
	b.SetCapacity("eu-west-1a", 0)
	b.CreateGroup(GroupSpec{Name: "workers", Desired: 4, Max: 9, Template: TemplateRef{Name: "nodes", Version: "1"}})
	b.settle("workers", 4)
	if z := b.zones("workers"); z != "a0 b2 c2" {
		t.Errorf("zones %s", z)
	}
	var failed []types.Activity
	for _, a := range b.activities("workers") {
		if a.StatusCode == types.ScalingActivityStatusCodeFailed {
			failed = append(failed, a)
		}
	}
	want := "We currently do not have sufficient t3.large capacity in the Availability Zone you requested (eu-west-1a). " +
		"Our system will be working on provisioning additional capacity. You can currently get t3.large capacity by not specifying " +
		"an Availability Zone in your request or choosing eu-west-1b, eu-west-1c. Launching EC2 instance failed."
	if len(failed) == 0 || *failed[0].StatusMessage != want || *failed[0].Description != "Launching a new EC2 instance.  Status Reason: "+want {
		t.Fatalf("failed activities: %+v", failed)
	}

	// Capacity comes back: the group rebalances, without losing size on the way.
	b.SetCapacity("eu-west-1a", -1)
	low := 4
	b.until("zones are balanced", func() bool {
		g, _ := b.Group("workers")
		serving := 0
		for _, i := range g.Instances {
			if i.State == InService {
				serving++
			}
		}
		low = min(low, serving)
		return serving == 4 && len(g.Instances) == 4 && b.zones("workers") != "a0 b2 c2"
	})
	if z := b.zones("workers"); z != "a1 b1 c2" || low < 4 {
		t.Errorf("zones %s, lowest number in service %d", z, low)
	}

	b.SetImage("ami-1", "")
	b.must(nil, b.resize("workers", 0, 5, 9))
	b.until("the launch fails", func() bool {
		return strings.HasPrefix(aws.ToString(b.activities("workers")[0].StatusMessage), "The image id '[ami-1]' does not exist.")
	})
}

func TestRebalance(t *testing.T) {
	b := serve(t, quick, nil)
	b.CreateGroup(GroupSpec{Name: "workers", Min: 0, Desired: 6, Max: 6, Template: TemplateRef{Name: "nodes", Version: "1"}})
	b.settle("workers", 6)
	suspend := &autoscaling.SuspendProcessesInput{AutoScalingGroupName: aws.String("workers"), ScalingProcesses: []string{"AZRebalance"}}
	b.must(b.asg.SuspendProcesses(b.ctx, suspend))
	b.dropZone("workers", "eu-west-1a")
	b.settle("workers", 4)
	time.Sleep(100 * time.Millisecond)
	if z := b.zones("workers"); z != "a0 b2 c2" {
		t.Errorf("suspended, yet zones became %s", z)
	}
	if g := b.described("workers"); len(g.SuspendedProcesses) != 1 || *g.SuspendedProcesses[0].ProcessName != "AZRebalance" {
		t.Errorf("suspended: %+v", g.SuspendedProcesses)
	}

	b.must(b.asg.ResumeProcesses(b.ctx, &autoscaling.ResumeProcessesInput{AutoScalingGroupName: aws.String("workers")}))
	most := 0
	b.until("zones are balanced", func() bool {
		most = max(most, len(b.Instances("workers")))
		return b.zones("workers") == "a1 b1 c2"
	})
	b.settle("workers", 4)
	if most != 5 {
		t.Errorf("at most %d instances at once, want one above desired", most)
	}
	causes := ""
	for _, a := range b.activities("workers")[:2] {
		causes += *a.Cause
	}
	if !strings.Contains(causes, "to aid in balancing the group's zones") || !strings.Contains(causes, "with other zones resulting in more than desired") {
		t.Errorf("causes: %s", causes)
	}
}

// dropZone terminates with decrement whatever a group has in a zone.
func (b *bench) dropZone(name, zone string) {
	b.t.Helper()
	for _, i := range b.Instances(name) {
		if i.Zone == zone {
			b.must(b.asg.TerminateInstanceInAutoScalingGroup(b.ctx, &autoscaling.TerminateInstanceInAutoScalingGroupInput{
				InstanceId: &i.ID, ShouldDecrementDesiredCapacity: aws.Bool(true),
			}))
		}
	}
}

func TestSuspendedProcesses(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 3, 6)
	b.must(b.asg.SuspendProcesses(b.ctx, &autoscaling.SuspendProcessesInput{
		AutoScalingGroupName: aws.String("workers"), ScalingProcesses: []string{"Launch", "Terminate"},
	}))
	b.must(nil, b.resize("workers", 0, 5, 6))
	time.Sleep(60 * time.Millisecond)
	b.settle("workers", 3)
	b.must(nil, b.resize("workers", 0, 1, 6))
	time.Sleep(60 * time.Millisecond)
	b.settle("workers", 3)
	b.must(b.asg.ResumeProcesses(b.ctx, &autoscaling.ResumeProcessesInput{AutoScalingGroupName: aws.String("workers"), ScalingProcesses: []string{"Terminate"}}))
	b.settle("workers", 1)
	_, err := b.asg.SuspendProcesses(b.ctx, &autoscaling.SuspendProcessesInput{AutoScalingGroupName: aws.String("workers"), ScalingProcesses: []string{"Sleep"}})
	b.fails(err, "ValidationError", "enum value set")
}

func TestPagingThroughManyGroups(t *testing.T) {
	b := serve(t, quick, nil)
	for n := range 120 {
		b.CreateGroup(GroupSpec{Name: fmt.Sprintf("group-%03d", n), Max: 1, Template: TemplateRef{Name: "nodes"},
			Tags: map[string]string{"odd": fmt.Sprint(n%2 == 1)}})
	}
	count := func(in *autoscaling.DescribeAutoScalingGroupsInput) (groups, pages int) {
		seen := map[string]bool{}
		for p := autoscaling.NewDescribeAutoScalingGroupsPaginator(b.asg, in); p.HasMorePages(); pages++ {
			out, err := p.NextPage(b.ctx)
			b.must(out, err)
			for _, g := range out.AutoScalingGroups {
				seen[*g.AutoScalingGroupName] = true
			}
		}
		return len(seen), pages
	}
	if g, p := count(&autoscaling.DescribeAutoScalingGroupsInput{}); g != 120 || p != 3 {
		t.Errorf("%d groups on %d pages, want 120 on 3", g, p)
	}
	if g, p := count(&autoscaling.DescribeAutoScalingGroupsInput{MaxRecords: aws.Int32(100)}); g != 120 || p != 2 {
		t.Errorf("%d groups on %d pages, want 120 on 2", g, p)
	}
	odd := []types.Filter{{Name: aws.String("tag:odd"), Values: []string{"true"}}}
	if g, p := count(&autoscaling.DescribeAutoScalingGroupsInput{Filters: odd}); g != 60 || p != 2 {
		t.Errorf("%d groups on %d pages, want 60 on 2", g, p)
	}
	_, err := b.asg.DescribeAutoScalingGroups(b.ctx, &autoscaling.DescribeAutoScalingGroupsInput{NextToken: aws.String("!")})
	b.fails(err, "InvalidNextToken", "")
}

func TestTags(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 0, 1)
	tag := func(key, value string) types.Tag {
		return types.Tag{Key: &key, Value: &value, PropagateAtLaunch: aws.Bool(true), ResourceId: aws.String("workers"), ResourceType: aws.String("auto-scaling-group")}
	}
	b.must(b.asg.CreateOrUpdateTags(b.ctx, &autoscaling.CreateOrUpdateTagsInput{Tags: []types.Tag{tag("lock", "a"), tag("team", "x")}}))
	b.must(b.asg.CreateOrUpdateTags(b.ctx, &autoscaling.CreateOrUpdateTagsInput{Tags: []types.Tag{tag("lock", "")}}))
	b.must(b.asg.DeleteTags(b.ctx, &autoscaling.DeleteTagsInput{Tags: []types.Tag{tag("team", "x")}}))
	out, err := b.asg.DescribeTags(b.ctx, &autoscaling.DescribeTagsInput{
		Filters: []types.Filter{{Name: aws.String("auto-scaling-group"), Values: []string{"workers"}}},
	})
	b.must(out, err)
	if len(out.Tags) != 1 || *out.Tags[0].Key != "lock" || *out.Tags[0].Value != "" {
		t.Errorf("tags %+v", out.Tags)
	}
	b.must(nil, b.resize("workers", 0, 1, 1))
	b.settle("workers", 1)
	if _, has := b.Instances("workers")[0].Tags["lock"]; !has {
		t.Error("tag is not propagated")
	}
}

func TestMixedInstancesPolicyAndLaunchConfiguration(t *testing.T) {
	b := serve(t, quick, nil)
	b.CreateGroup(GroupSpec{Name: "mixed", Desired: 1, Max: 2, Template: TemplateRef{ID: b.lt, Version: "1"},
		Overrides: []Override{{InstanceType: "m5.large"}, {InstanceType: "m5a.large"}}})
	b.settle("mixed", 1)
	g := b.described("mixed")
	if g.LaunchTemplate != nil || *g.MixedInstancesPolicy.LaunchTemplate.LaunchTemplateSpecification.Version != "1" || len(g.MixedInstancesPolicy.LaunchTemplate.Overrides) != 2 {
		t.Errorf("mixed group: %+v", g.MixedInstancesPolicy)
	}
	b.must(b.asg.UpdateAutoScalingGroup(b.ctx, &autoscaling.UpdateAutoScalingGroupInput{
		AutoScalingGroupName: aws.String("mixed"), DesiredCapacity: aws.Int32(2),
		MixedInstancesPolicy: &types.MixedInstancesPolicy{LaunchTemplate: &types.LaunchTemplate{
			LaunchTemplateSpecification: &types.LaunchTemplateSpecification{LaunchTemplateId: &b.lt, Version: aws.String("2")},
			Overrides:                   g.MixedInstancesPolicy.LaunchTemplate.Overrides,
		}, InstancesDistribution: g.MixedInstancesPolicy.InstancesDistribution},
	}))
	b.settle("mixed", 2)
	if is := b.Instances("mixed"); is[0].TemplateVersion != 1 || is[1].TemplateVersion != 2 || is[1].Type != "m5.large" {
		t.Errorf("instances %+v", is)
	}

	b.CreateGroup(GroupSpec{Name: "old", Desired: 1, Max: 1, LaunchConfiguration: "lc-1"})
	b.settle("old", 1)
	if g := b.described("old"); aws.ToString(g.LaunchConfigurationName) != "lc-1" || g.LaunchTemplate != nil || g.Instances[0].LaunchTemplate != nil {
		t.Errorf("group of a launch configuration: %+v", g)
	}
}
