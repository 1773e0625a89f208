package cloud

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

func TestTerminateInGroup(t *testing.T) {
	slow := quick
	slow.Terminate = 200 * time.Millisecond
	b := serve(t, slow, nil)
	b.group("workers", 2, 3, 5)
	is := b.Instances("workers")
	end := func(id string, decrement bool) (*autoscaling.TerminateInstanceInAutoScalingGroupOutput, error) {
		return b.asg.TerminateInstanceInAutoScalingGroup(b.ctx, &autoscaling.TerminateInstanceInAutoScalingGroupInput{
			InstanceId: &id, ShouldDecrementDesiredCapacity: &decrement,
		})
	}
	out, err := end(is[0].ID, true)
	b.must(out, err)
	if *out.Activity.Description != "Terminating EC2 instance: "+is[0].ID || !strings.Contains(*out.Activity.Cause, "shrinking the capacity from 3 to 2.") {
		t.Errorf("activity %+v", out.Activity)
	}
	again, err := end(is[0].ID, true)
	b.must(again, err)
	if *again.Activity.ActivityId != *out.Activity.ActivityId || *b.described("workers").DesiredCapacity != 2 {
		t.Errorf("terminated twice: desired %d", *b.described("workers").DesiredCapacity)
	}
	if g := b.described("workers"); len(g.Instances) != 3 || g.Instances[0].LifecycleState != types.LifecycleStateTerminating {
		t.Errorf("not Terminating: %+v", g.Instances)
	}
	_, err = end(is[1].ID, true)
	b.fails(err, "ValidationError", "Currently, desiredSize equals minSize (2). Terminating instance without replacement will violate group's min size constraint. "+
		"Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.")
	b.must(end(is[1].ID, false))
	b.settle("workers", 2)
	if slices.ContainsFunc(b.Instances("workers"), func(i Instance) bool { return i.ID == is[1].ID }) {
		t.Error("the instance is still there")
	}
	_, err = end(is[1].ID, false)
	b.fails(err, "ValidationError", "No managed instance found")

	is = b.Instances("workers")
	several, err := b.asg.TerminateInstanceInAutoScalingGroup(b.ctx, &autoscaling.TerminateInstanceInAutoScalingGroupInput{
		AutoScalingGroupName: aws.String("workers"), InstanceIds: []string{is[0].ID, is[1].ID}, ShouldDecrementDesiredCapacity: aws.Bool(false),
	})
	b.must(several, err)
	if len(several.Activities) != 2 {
		t.Errorf("activities %+v", several.Activities)
	}
}

func TestLaunchInstances(t *testing.T) {
	b := serve(t, quick, nil)
	b.CreateGroup(GroupSpec{Name: "workers", Desired: 2, Max: 6, Zones: []string{"eu-west-1a", "eu-west-1b"}, Template: TemplateRef{Name: "nodes", Version: "$Default"}})
	b.settle("workers", 2)
	launch := func(zone, token string, n int32, retry types.RetryStrategy) (*autoscaling.LaunchInstancesOutput, error) {
		in := &autoscaling.LaunchInstancesInput{AutoScalingGroupName: aws.String("workers"), RequestedCapacity: &n, ClientToken: &token, RetryStrategy: retry}
		if zone != "" {
			in.AvailabilityZones = []string{zone}
		}
		return b.asg.LaunchInstances(b.ctx, in)
	}
	out, err := launch("eu-west-1b", "one", 1, "")
	b.must(out, err)
	if len(out.Errors) != 0 || len(out.Instances) != 1 || len(out.Instances[0].InstanceIds) != 1 || *out.Instances[0].AvailabilityZone != "eu-west-1b" || *out.Instances[0].InstanceType != "t3.large" {
		t.Errorf("launched %+v", out)
	}
	again, err := launch("eu-west-1b", "one", 1, "")
	b.must(again, err)
	if again.Instances[0].InstanceIds[0] != out.Instances[0].InstanceIds[0] || *b.described("workers").DesiredCapacity != 3 {
		t.Errorf("same token: %+v, desired %d", again.Instances, *b.described("workers").DesiredCapacity)
	}
	_, err = launch("eu-west-1a", "one", 1, "")
	b.fails(err, "IdempotentParameterMismatch", "")
	_, err = launch("", "two", 1, "")
	b.fails(err, "ValidationError", "Availability Zone or subnet")
	_, err = launch("eu-west-1c", "three", 1, "")
	b.fails(err, "ValidationError", "eu-west-1c")
	_, err = launch("eu-west-1a", "four", 4, "")
	b.fails(err, "ValidationError", "max size 6")

	// One of two fits: the answer has both, desired rises by what was started.
	b.SetCapacity("eu-west-1a", 1)
	out, err = launch("eu-west-1a", "five", 2, "")
	b.must(out, err)
	if len(out.Instances[0].InstanceIds) != 1 || len(out.Errors) != 1 || *out.Errors[0].ErrorCode != "InsufficientInstanceCapacity" ||
		*out.Errors[0].AvailabilityZone != "eu-west-1a" || *out.Errors[0].InstanceType != "t3.large" {
		t.Errorf("part of it: %+v", out)
	}
	if d := *b.described("workers").DesiredCapacity; d != 4 {
		t.Errorf("desired %d, want 4", d)
	}
	out, err = launch("eu-west-1a", "six", 1, types.RetryStrategyRetryWithGroupConfiguration)
	b.must(out, err)
	if len(out.Instances) != 0 || len(out.Errors) != 1 || *b.described("workers").DesiredCapacity != 5 {
		t.Errorf("with retry: %+v", out)
	}
	b.settle("workers", 5)
}

func TestDescribeInstances(t *testing.T) {
	o := quick
	o.PageSize = 2
	b := serve(t, o, nil)
	b.group("workers", 0, 5, 5)
	b.group("others", 0, 1, 1)
	filter := []ec2types.Filter{
		{Name: aws.String("tag:aws:autoscaling:groupName"), Values: []string{"work*"}},
		{Name: aws.String("instance-state-name"), Values: []string{"running", "pending"}},
	}
	var found []ec2types.Instance
	pages := 0
	for p := ec2.NewDescribeInstancesPaginator(b.ec2, &ec2.DescribeInstancesInput{Filters: filter}); p.HasMorePages(); pages++ {
		out, err := p.NextPage(b.ctx)
		b.must(out, err)
		for _, r := range out.Reservations {
			found = append(found, r.Instances...)
		}
	}
	if len(found) != 5 || pages != 3 {
		t.Fatalf("%d instances on %d pages, want 5 on 3", len(found), pages)
	}
	if i := found[0]; *i.PrivateDnsName != "ip-192-168-0-4.eu-west-1.compute.internal" || *i.Placement.AvailabilityZone != "eu-west-1a" || *i.ImageId != "ami-1" || i.InstanceType != "t3.large" {
		t.Errorf("instance %+v", i)
	}
	_, err := b.ec2.DescribeInstances(b.ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{"i-0"}})
	b.fails(err, "InvalidInstanceID.NotFound", "'i-0' does not exist")

	status, err := b.ec2.DescribeInstanceStatus(b.ctx, &ec2.DescribeInstanceStatusInput{InstanceIds: []string{*found[0].InstanceId}})
	b.must(status, err)
	if len(status.InstanceStatuses) != 1 || status.InstanceStatuses[0].InstanceStatus.Status != ec2types.SummaryStatusOk {
		t.Errorf("status %+v", status.InstanceStatuses)
	}
	b.must(b.ec2.CreateTags(b.ctx, &ec2.CreateTagsInput{Resources: []string{*found[0].InstanceId}, Tags: []ec2types.Tag{{Key: aws.String("by"), Value: aws.String("me")}}}))
	if i, _ := b.Instance(*found[0].InstanceId); i.Tags["by"] != "me" || i.Tags["kind"] != "node" {
		t.Errorf("tags %v", i.Tags)
	}
	details, err := b.asg.DescribeAutoScalingInstances(b.ctx, &autoscaling.DescribeAutoScalingInstancesInput{InstanceIds: []string{*found[0].InstanceId, "i-0"}})
	b.must(details, err)
	if len(details.AutoScalingInstances) != 1 || *details.AutoScalingInstances[0].AutoScalingGroupName != "workers" {
		t.Errorf("details %+v", details.AutoScalingInstances)
	}
}

func TestNetworkAndImages(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 3, 9)
	b.SetAddresses("eu-west-1b", 1)
	out, err := b.ec2.DescribeSubnets(b.ctx, &ec2.DescribeSubnetsInput{SubnetIds: []string{b.SubnetID("eu-west-1a"), b.SubnetID("eu-west-1b")}})
	b.must(out, err)
	if len(out.Subnets) != 2 || *out.Subnets[0].AvailableIpAddressCount != subnetAddresses-1 || *out.Subnets[1].AvailableIpAddressCount != 0 {
		t.Errorf("subnets %+v", out.Subnets)
	}
	b.must(nil, b.resize("workers", 0, 6, 9))
	b.settle("workers", 6)
	if z := b.zones("workers"); z == "a2 b2 c2" {
		t.Error("launched without an address")
	}
	zones, err := b.ec2.DescribeAvailabilityZones(b.ctx, &ec2.DescribeAvailabilityZonesInput{})
	b.must(zones, err)
	if len(zones.AvailabilityZones) != 3 || *zones.AvailabilityZones[2].ZoneName != "eu-west-1c" {
		t.Errorf("zones %+v", zones.AvailabilityZones)
	}
	b.SetImage("ami-9", "node-1.36")
	b.SetImage("ami-8", "")
	images, err := b.ec2.DescribeImages(b.ctx, &ec2.DescribeImagesInput{ImageIds: []string{"ami-9", "ami-7"}})
	b.must(images, err)
	if len(images.Images) != 2 || *images.Images[0].Name != "node-1.36" || *images.Images[1].Name != "lab-node-7" {
		t.Errorf("images %+v", images.Images)
	}
	_, err = b.ec2.DescribeImages(b.ctx, &ec2.DescribeImagesInput{ImageIds: []string{"ami-8"}})
	b.fails(err, "InvalidAMIID.NotFound", "ami-8")
}
