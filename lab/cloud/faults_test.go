package cloud

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

func TestLag(t *testing.T) {
	o := quick
	o.Lag = 150 * time.Millisecond
	b := serve(t, o, nil)
	b.group("workers", 0, 1, 3)
	b.until("the group is visible", func() bool {
		out, err := b.asg.DescribeAutoScalingGroups(b.ctx, &autoscaling.DescribeAutoScalingGroupsInput{})
		b.must(out, err)
		return len(out.AutoScalingGroups) == 1 && len(out.AutoScalingGroups[0].Instances) == 1
	})
	start := time.Now()
	b.must(nil, b.resize("workers", 0, 2, 3))
	if d := *b.described("workers").DesiredCapacity; d != 1 {
		t.Errorf("describe does not lag: desired %d", d)
	}
	if g, _ := b.Group("workers"); g.Desired != 2 {
		t.Errorf("Group lags: desired %d", g.Desired)
	}
	b.settle("workers", 2)
	id := b.Instances("workers")[1].ID
	_, err := b.ec2.DescribeInstances(b.ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{id}})
	b.fails(err, "InvalidInstanceID.NotFound", id)
	b.until("describe has caught up", func() bool { return *b.described("workers").DesiredCapacity == 2 })
	if d := time.Since(start); d < o.Lag || d > o.Lag+200*time.Millisecond {
		t.Errorf("caught up after %v, lag is %v", d, o.Lag)
	}
	// A change by name acts on what is, not on what describe tells.
	_, err = b.asg.SetDesiredCapacity(b.ctx, &autoscaling.SetDesiredCapacityInput{AutoScalingGroupName: aws.String("workers"), DesiredCapacity: aws.Int32(4)})
	b.fails(err, "ValidationError", "above max value 3")
}

func TestThrottlingIsRetried(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 1, 1)
	b.Throttle(0.5)
	for range 4 {
		b.described("workers")
		b.must(b.ec2.DescribeInstances(b.ctx, &ec2.DescribeInstancesInput{}))
	}
	codes := map[string]int{}
	for _, c := range b.Calls() {
		codes[c.Service+" "+c.Code]++
	}
	if codes["autoscaling "]+codes["ec2 "] != 8 || codes["autoscaling Throttling"]+codes["ec2 RequestLimitExceeded"] != 7 {
		t.Errorf("codes %v", codes)
	}
	b.Throttle(1)
	_, err := b.asg.DescribeAutoScalingGroups(b.ctx, &autoscaling.DescribeAutoScalingGroupsInput{})
	b.fails(err, "Throttling", "Rate exceeded")
	_, err = b.ec2.DescribeInstances(b.ctx, &ec2.DescribeInstancesInput{})
	b.fails(err, "RequestLimitExceeded", "Request limit exceeded.")
}

func TestLostAnswers(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 3, 3)
	b.LoseAnswers("autoscaling:TerminateInstanceInAutoScalingGroup", 1)
	is := b.Instances("workers")
	once := func(o *autoscaling.Options) { o.RetryMaxAttempts = 1; o.Retryer = aws.NopRetryer{} }
	_, err := b.asg.TerminateInstanceInAutoScalingGroup(b.ctx, &autoscaling.TerminateInstanceInAutoScalingGroupInput{
		InstanceId: &is[0].ID, ShouldDecrementDesiredCapacity: aws.Bool(true),
	}, once)
	if err == nil {
		t.Error("the answer was not lost")
	}
	b.settle("workers", 2)

	// The SDK repeats a call whose answer got lost; the client token makes that harmless.
	b.must(nil, b.resize("workers", 0, 2, 9))
	b.LoseAnswers("LaunchInstances", 1)
	out, err := b.asg.LaunchInstances(b.ctx, &autoscaling.LaunchInstancesInput{
		AutoScalingGroupName: aws.String("workers"), RequestedCapacity: aws.Int32(2), AvailabilityZones: []string{"eu-west-1a"}, RetryStrategy: types.RetryStrategyNone,
	})
	b.must(out, err)
	b.settle("workers", 4)
	lost := 0
	for _, c := range b.Calls() {
		if c.Lost {
			lost++
		}
	}
	if lost != 2 {
		t.Errorf("%d answers lost, want 2", lost)
	}
}

func TestAccessDenied(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 1, 1)
	b.Deny("autoscaling:UpdateAutoScalingGroup")
	b.Deny("ec2:DescribeLaunchTemplates")
	g := b.described("workers")
	b.fails(b.resize("workers", 0, 0, 1), "AccessDenied", "User: arn:aws:iam::123456789012:user/lab is not authorized to perform: "+
		"autoscaling:UpdateAutoScalingGroup on resource: "+*g.AutoScalingGroupARN+" because no identity-based policy allows the autoscaling:UpdateAutoScalingGroup action")
	_, err := b.ec2.DescribeLaunchTemplates(b.ctx, &ec2.DescribeLaunchTemplatesInput{})
	b.fails(err, "UnauthorizedOperation", "You are not authorized to perform this operation. User: arn:aws:iam::123456789012:user/lab is not authorized to perform: ec2:DescribeLaunchTemplates")
	_, err = b.ec2.TerminateInstances(b.ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{*g.Instances[0].InstanceId}, DryRun: aws.Bool(true)})
	b.fails(err, "DryRunOperation", "would have succeeded")
	b.Allow("autoscaling:UpdateAutoScalingGroup")
	b.must(nil, b.resize("workers", 0, 0, 1))

	b.DenyKey("AKIAOTHER", "autoscaling:UpdateAutoScalingGroup", true)
	b.must(nil, b.resize("workers", 0, 0, 1))
	b.DenyKey("AKIALAB", "autoscaling:UpdateAutoScalingGroup", true)
	b.fails(b.resize("workers", 0, 0, 1), "AccessDenied", "")
	b.DenyKey("AKIALAB", "autoscaling:UpdateAutoScalingGroup", false)
	b.must(nil, b.resize("workers", 0, 0, 1))
}

func TestExpiredCredentials(t *testing.T) {
	b := serve(t, quick, nil)
	b.ExpireCredentials(true)
	_, err := b.asg.DescribeAutoScalingGroups(b.ctx, &autoscaling.DescribeAutoScalingGroupsInput{})
	b.fails(err, "ExpiredToken", "The security token included in the request is expired")
	_, err = b.ec2.DescribeInstances(b.ctx, &ec2.DescribeInstancesInput{})
	b.fails(err, "RequestExpired", "Request has expired.")
	_, err = b.sts.GetCallerIdentity(b.ctx, &sts.GetCallerIdentityInput{})
	b.fails(err, "ExpiredToken", "")
	b.ExpireCredentials(false)
	b.must(b.sts.GetCallerIdentity(b.ctx, &sts.GetCallerIdentityInput{}))

	b.ExpireKey("AKIALAB", true)
	_, err = b.sts.GetCallerIdentity(b.ctx, &sts.GetCallerIdentityInput{})
	b.fails(err, "ExpiredToken", "")
	b.ExpireKey("AKIALAB", false)
	b.ExpireKey("AKIAOTHER", true)
	b.must(b.sts.GetCallerIdentity(b.ctx, &sts.GetCallerIdentityInput{}))
}

func TestNothingOfAKind(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 0, 1)
	name := aws.String("workers")
	refreshes, err := b.asg.DescribeInstanceRefreshes(b.ctx, &autoscaling.DescribeInstanceRefreshesInput{AutoScalingGroupName: name})
	b.must(refreshes, err)
	hooks, err := b.asg.DescribeLifecycleHooks(b.ctx, &autoscaling.DescribeLifecycleHooksInput{AutoScalingGroupName: name})
	b.must(hooks, err)
	pool, err := b.asg.DescribeWarmPool(b.ctx, &autoscaling.DescribeWarmPoolInput{AutoScalingGroupName: name})
	b.must(pool, err)
	configs, err := b.asg.DescribeLaunchConfigurations(b.ctx, &autoscaling.DescribeLaunchConfigurationsInput{})
	b.must(configs, err)
	if len(refreshes.InstanceRefreshes)+len(hooks.LifecycleHooks)+len(pool.Instances)+len(configs.LaunchConfigurations) > 0 || pool.WarmPoolConfiguration != nil {
		t.Error("something where nothing is")
	}
	policies, err := b.asg.DescribePolicies(b.ctx, &autoscaling.DescribePoliciesInput{AutoScalingGroupName: name})
	b.must(policies, err)
	actions, err := b.asg.DescribeScheduledActions(b.ctx, &autoscaling.DescribeScheduledActionsInput{AutoScalingGroupName: name})
	b.must(actions, err)
	if len(policies.ScalingPolicies)+len(actions.ScheduledUpdateGroupActions) > 0 {
		t.Error("something changes the size")
	}
	_, err = b.asg.DescribeLifecycleHooks(b.ctx, &autoscaling.DescribeLifecycleHooksInput{AutoScalingGroupName: aws.String("nobody")})
	b.fails(err, "ValidationError", "nobody")
	_, err = b.asg.DeletePolicy(b.ctx, &autoscaling.DeletePolicyInput{PolicyName: name})
	b.fails(err, "InvalidAction", "DeletePolicy")
}
