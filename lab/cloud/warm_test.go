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
)

// warm is a group's warm pool as the API tells it.
func (b *bench) warm(group string) *autoscaling.DescribeWarmPoolOutput {
	b.t.Helper()
	out, err := b.asg.DescribeWarmPool(b.ctx, &autoscaling.DescribeWarmPoolInput{AutoScalingGroupName: &group})
	b.must(out, err)
	return out
}

func TestWarmPool(t *testing.T) {
	m := &machines{}
	b := serve(t, quick, m)
	b.group("workers", 0, 1, 4)
	group := aws.String("workers")
	b.must(b.asg.PutWarmPool(b.ctx, &autoscaling.PutWarmPoolInput{AutoScalingGroupName: group, MinSize: aws.Int32(2), MaxGroupPreparedCapacity: aws.Int32(3)}))
	warm := b.inState("workers", "Warmed:Stopped", 2)
	if n, _ := m.count(); n != 1 {
		t.Errorf("%d launches told: those of the warm pool must not be", n)
	}
	g := b.described("workers")
	if len(g.Instances) != 1 || *g.WarmPoolSize != 2 || g.WarmPoolConfiguration.PoolState != types.WarmPoolStateStopped || *g.WarmPoolConfiguration.MinSize != 2 {
		t.Errorf("described %+v", g)
	}
	p := b.warm("workers")
	if len(p.Instances) != 2 || p.Instances[0].LifecycleState != types.LifecycleStateWarmedStopped || *p.Instances[0].LaunchTemplate.Version != "1" || *p.WarmPoolConfiguration.MaxGroupPreparedCapacity != 3 {
		t.Errorf("warm pool %+v", p)
	}
	if i := b.ec2State(warm[0].ID); i.State.Name != "stopped" || *i.StateReason.Code != "Client.UserInitiatedShutdown" {
		t.Errorf("EC2 state %+v %+v", i.State, i.StateReason)
	}

	// A scale-out takes a warm instance, with the template that it was made from;
	// the pool is filled up from the group's.
	b.must(b.asg.UpdateAutoScalingGroup(b.ctx, &autoscaling.UpdateAutoScalingGroupInput{
		AutoScalingGroupName: group, DesiredCapacity: aws.Int32(2),
		LaunchTemplate: &types.LaunchTemplateSpecification{LaunchTemplateName: aws.String("nodes"), Version: aws.String("2")},
	}))
	b.settle("workers", 2)
	if i := b.Instances("workers")[1]; i.TemplateVersion != 1 || !slices.ContainsFunc(warm, func(w Instance) bool { return w.ID == i.ID }) {
		t.Errorf("not one of the warm pool: %+v", i)
	}
	b.until("the warm pool is full again", func() bool {
		g, _ := b.Group("workers")
		return len(g.Warm) == 2 && g.Warm[1].TemplateVersion == 2 && g.Warm[0].TemplateVersion == 1 && g.Warm[1].State == "Warmed:Stopped"
	})
	b.until("the launch is told", func() bool { // a moment after it is listed
		n, _ := m.count()
		return n == 2
	})
	if !slices.ContainsFunc(b.activities("workers"), func(a types.Activity) bool {
		return strings.HasPrefix(*a.Description, "Launching a new EC2 instance from warm pool: i-") && strings.Contains(*a.Cause, "increasing the capacity from 1 to 2")
	}) {
		t.Error("no activity tells of the warm pool")
	}

	// It is not the group's to terminate; EC2 does, and the pool is filled again.
	old, _ := b.Group("workers")
	_, err := b.asg.TerminateInstanceInAutoScalingGroup(b.ctx, &autoscaling.TerminateInstanceInAutoScalingGroupInput{
		InstanceId: &old.Warm[0].ID, ShouldDecrementDesiredCapacity: aws.Bool(false),
	})
	b.fails(err, "ValidationError", "cannot be called on instances in a warm pool")
	b.must(b.ec2.TerminateInstances(b.ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{old.Warm[0].ID}}))
	b.until("it is replaced", func() bool {
		g, _ := b.Group("workers")
		return len(g.Warm) == 2 && g.Warm[0].TemplateVersion == 2
	})
	details, err := b.asg.DescribeAutoScalingInstances(b.ctx, &autoscaling.DescribeAutoScalingInstancesInput{InstanceIds: []string{old.Warm[1].ID}})
	b.must(details, err)
	if d := details.AutoScalingInstances; len(d) != 1 || !strings.HasPrefix(*d[0].LifecycleState, "Warmed:") {
		t.Errorf("details %+v", d)
	}

	_, err = b.asg.LaunchInstances(b.ctx, &autoscaling.LaunchInstancesInput{
		AutoScalingGroupName: group, RequestedCapacity: aws.Int32(1), ClientToken: aws.String("t"), AvailabilityZones: []string{"eu-west-1a"},
	})
	b.fails(err, "UnsupportedOperation", "warm pool")
	b.must(b.asg.DeleteWarmPool(b.ctx, &autoscaling.DeleteWarmPoolInput{AutoScalingGroupName: group}))
	b.until("the warm pool is gone", func() bool { return b.described("workers").WarmPoolConfiguration == nil })
	b.settle("workers", 2)
	if p := b.warm("workers"); len(p.Instances) != 0 || p.WarmPoolConfiguration != nil {
		t.Errorf("warm pool %+v", p)
	}
}

// A launching hook holds an instance twice: on its way into the pool, and into the
// group. A pool of Running instances is filled up to the maximum.
func TestWarmPoolWithHooks(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 1, 2)
	b.PutHook("workers", Hook{Name: "join", Launching: true, Timeout: time.Hour})
	b.PutHook("workers", Hook{Name: "flush", Timeout: time.Hour})
	b.PutWarmPool("workers", WarmPool{State: "Running"})
	i := b.inState("workers", "Warmed:Pending:Wait", 1)[0]
	b.must(nil, b.complete("workers", "join", i.ID, Continue))
	b.inState("workers", "Warmed:Running", 1)
	b.must(nil, b.resize("workers", 0, 2, 2))
	if again := b.inState("workers", PendingWait, 1)[0]; again.ID != i.ID {
		t.Errorf("%s waits, not %s", again.ID, i.ID)
	}
	b.must(nil, b.complete("workers", "join", i.ID, Continue))
	b.settle("workers", 2)

	b.must(nil, b.resize("workers", 0, 2, 3))
	i = b.inState("workers", "Warmed:Pending:Wait", 1)[0]
	b.must(nil, b.complete("workers", "join", i.ID, Abandon))
	b.inState("workers", "Warmed:Terminating:Wait", 1)
	b.must(nil, b.complete("workers", "flush", i.ID, Continue))
	b.until("another one is on its way into the pool", func() bool {
		g, _ := b.Group("workers")
		return len(g.Warm) == 1 && g.Warm[0].ID != i.ID
	})
}
