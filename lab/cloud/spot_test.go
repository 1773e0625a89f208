package cloud

import (
	"encoding/base64"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// ec2State is an instance as EC2 describes it.
func (b *bench) ec2State(id string) ec2types.Instance {
	b.t.Helper()
	out, err := b.ec2.DescribeInstances(b.ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{id}})
	b.must(out, err)
	return out.Reservations[0].Instances[0]
}

func TestSpot(t *testing.T) {
	b := serve(t, quick, nil)
	b.CreateGroup(GroupSpec{Name: "workers", Desired: 5, Max: 9, SpotPercent: 50, OnDemandBase: 1, Template: TemplateRef{Name: "nodes", Version: "1"},
		Overrides: []Override{{InstanceType: "m5.large"}, {InstanceType: "m5a.large"}}})
	b.settle("workers", 5)
	var spot []Instance
	for _, i := range b.Instances("workers") {
		if i.Spot {
			spot = append(spot, i)
		}
	}
	found, err := b.ec2.DescribeInstances(b.ctx, &ec2.DescribeInstancesInput{Filters: []ec2types.Filter{{Name: aws.String("instance-lifecycle"), Values: []string{"spot"}}}})
	b.must(found, err)
	if len(spot) != 2 || len(found.Reservations) != 2 || found.Reservations[0].Instances[0].InstanceLifecycle != ec2types.InstanceLifecycleTypeSpot {
		t.Fatalf("Spot: %+v, described %d", spot, len(found.Reservations))
	}
	if d := b.described("workers").MixedInstancesPolicy.InstancesDistribution; *d.OnDemandBaseCapacity != 1 || *d.OnDemandPercentageAboveBaseCapacity != 50 {
		t.Errorf("distribution %+v", d)
	}
	_, err = b.asg.LaunchInstances(b.ctx, &autoscaling.LaunchInstancesInput{
		AutoScalingGroupName: aws.String("workers"), RequestedCapacity: aws.Int32(1), ClientToken: aws.String("t"), AvailabilityZones: []string{"eu-west-1a"},
	})
	b.fails(err, "ValidationError", "On-Demand and Spot")
	_, err = b.asg.PutWarmPool(b.ctx, &autoscaling.PutWarmPoolInput{AutoScalingGroupName: aws.String("workers")})
	b.fails(err, "ValidationError", "Spot")

	// Interrupted: it runs on for the notice, and is replaced by a Spot Instance.
	b.Interrupt(spot[0].ID, 60*time.Millisecond)
	if i := b.ec2State(spot[0].ID); i.State.Name != "running" {
		t.Errorf("ended before its notice was over: %s", i.State.Name)
	}
	b.until("it is replaced", func() bool {
		is := b.Instances("workers")
		return len(is) == 5 && !slices.ContainsFunc(is, func(i Instance) bool { return i.ID == spot[0].ID || i.State != InService }) && is[4].Spot
	})
	if i := b.ec2State(spot[0].ID); *i.StateReason.Code != "Server.SpotInstanceTermination" || *i.StateTransitionReason != "Server.SpotInstanceTermination" {
		t.Errorf("reason %+v %s", i.StateReason, *i.StateTransitionReason)
	}
}

func TestFailures(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 0, 9)
	b.SetBoot("workers", 200*time.Millisecond)
	b.Fail("workers", 1, Failure{Code: "Client.InvalidKMSKey.InvalidState", Message: "The KMS key provided is in an incorrect state", After: 20 * time.Millisecond})
	b.must(nil, b.resize("workers", 0, 1, 9))
	b.settle("workers", 1)
	var failed []types.Activity
	for _, a := range b.activities("workers") {
		if a.StatusCode == types.ScalingActivityStatusCodeCancelled {
			failed = append(failed, a)
		}
	}
	want := "Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: " +
		"Client.InvalidKMSKey.InvalidState: The KMS key provided is in an incorrect state"
	if len(failed) != 1 || *failed[0].StatusMessage != want {
		t.Errorf("failed: %+v", failed)
	}

	b.SetBoot("workers", -1)
	console := func(id string, latest bool) (string, error) {
		out, err := b.ec2.GetConsoleOutput(b.ctx, &ec2.GetConsoleOutputInput{InstanceId: &id, Latest: &latest})
		if err != nil {
			return "", err
		}
		text, err := base64.StdEncoding.DecodeString(*out.Output)
		return string(text), err
	}
	b.Fail("workers", 1, Failure{Console: "bootstrap: no route to the API server", Impaired: true})
	b.must(nil, b.resize("workers", 0, 2, 9))
	b.settle("workers", 2)
	fine, broken := b.Instances("workers")[0].ID, b.Instances("workers")[1].ID
	if text, err := console(broken, false); err != nil || text != "bootstrap: no route to the API server" {
		t.Errorf("console %q %v", text, err)
	}
	status, err := b.ec2.DescribeInstanceStatus(b.ctx, &ec2.DescribeInstanceStatusInput{InstanceIds: []string{fine, broken}, IncludeAllInstances: aws.Bool(true)})
	b.must(status, err)
	if s := status.InstanceStatuses; len(s) != 2 || s[0].InstanceStatus.Status != ec2types.SummaryStatusOk || s[1].InstanceStatus.Status != ec2types.SummaryStatusImpaired ||
		s[1].SystemStatus.Status != ec2types.SummaryStatusOk || s[1].InstanceStatus.Details[0].Status != ec2types.StatusTypeFailed {
		t.Errorf("status %+v", s)
	}
	b.SetImpaired(broken, false)
	b.SetConsole(fine, "all is well")
	if text, err := console(fine, true); err != nil || text != "all is well" {
		t.Errorf("console %q %v", text, err)
	}
	b.Deny("ec2:GetConsoleOutput")
	_, err = console(fine, true)
	b.fails(err, "UnauthorizedOperation", "ec2:GetConsoleOutput")
}

func TestConsoleOfOldTypes(t *testing.T) {
	b := serve(t, quick, nil)
	b.CreateLaunchTemplate("old", TemplateData{ImageID: "ami-1", InstanceType: "t2.large"})
	b.CreateGroup(GroupSpec{Name: "workers", Desired: 1, Max: 1, Template: TemplateRef{Name: "old"}})
	b.settle("workers", 1)
	id := b.Instances("workers")[0].ID
	_, err := b.ec2.GetConsoleOutput(b.ctx, &ec2.GetConsoleOutputInput{InstanceId: &id, Latest: aws.Bool(true)})
	b.fails(err, "UnsupportedOperation", "latest console logs")
	b.must(b.ec2.GetConsoleOutput(b.ctx, &ec2.GetConsoleOutputInput{InstanceId: &id}))
}
