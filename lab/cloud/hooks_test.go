package cloud

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
)

// complete ends the lifecycle action that an instance waits for.
func (b *bench) complete(group, hook, id, result string) error {
	_, err := b.asg.CompleteLifecycleAction(b.ctx, &autoscaling.CompleteLifecycleActionInput{
		AutoScalingGroupName: &group, LifecycleHookName: &hook, InstanceId: &id, LifecycleActionResult: &result,
	})
	return err
}

// inState waits until a group has n instances in a state, and is those.
func (b *bench) inState(group, state string, n int) []Instance {
	b.t.Helper()
	var found []Instance
	b.until(group+" has instances in "+state, func() bool {
		g, _ := b.Group(group)
		found = slices.DeleteFunc(append(g.Instances, g.Warm...), func(i Instance) bool { return i.State != state })
		return len(found) == n
	})
	return found
}

func TestHooks(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 1, 9)
	group := aws.String("workers")
	b.must(b.asg.PutLifecycleHook(b.ctx, &autoscaling.PutLifecycleHookInput{
		AutoScalingGroupName: group, LifecycleHookName: aws.String("join"), LifecycleTransition: aws.String(launching), HeartbeatTimeout: aws.Int32(300),
	}))
	b.must(b.asg.PutLifecycleHook(b.ctx, &autoscaling.PutLifecycleHookInput{
		AutoScalingGroupName: group, LifecycleHookName: aws.String("flush"), LifecycleTransition: aws.String(terminating), DefaultResult: aws.String(Continue),
	}))
	hooks, err := b.asg.DescribeLifecycleHooks(b.ctx, &autoscaling.DescribeLifecycleHooksInput{AutoScalingGroupName: group})
	b.must(hooks, err)
	if h := hooks.LifecycleHooks; len(h) != 2 || *h[0].LifecycleHookName != "flush" || *h[0].HeartbeatTimeout != 3600 || *h[0].DefaultResult != Continue ||
		*h[1].DefaultResult != Abandon || *h[1].HeartbeatTimeout != 300 || *h[1].GlobalTimeout != 30000 || *h[1].LifecycleTransition != launching {
		t.Errorf("hooks %+v", h)
	}

	// A launch waits, and counts, until the hook is completed.
	b.must(nil, b.resize("workers", 0, 2, 9))
	waiting := b.inState("workers", PendingWait, 1)[0]
	if s := b.described("workers").Instances[1].LifecycleState; s != types.LifecycleStatePendingWait {
		t.Errorf("state %s", s)
	}
	b.fails(b.complete("workers", "join", "i-0", Continue), "ValidationError", "No active Lifecycle Action found with instance ID i-0")
	b.fails(b.complete("workers", "flush", waiting.ID, Continue), "ValidationError", "No active Lifecycle Action")
	b.must(nil, b.complete("workers", "join", waiting.ID, Continue))
	b.settle("workers", 2)

	// One that is abandoned is replaced.
	b.must(nil, b.resize("workers", 0, 3, 9))
	first := b.inState("workers", PendingWait, 1)[0]
	b.must(nil, b.complete("workers", "join", first.ID, Abandon))
	b.inState("workers", TerminatingWait, 1)
	b.until("another one is launched", func() bool { return len(b.Instances("workers")) == 4 })
	var cancelled []types.Activity
	for _, a := range b.activities("workers") {
		if a.StatusCode == types.ScalingActivityStatusCodeCancelled {
			cancelled = append(cancelled, a)
		}
	}
	if len(cancelled) != 1 || !strings.Contains(*cancelled[0].Description, first.ID+".  Status Reason: Instance failed to complete user's Lifecycle Action: ") ||
		!strings.HasSuffix(*cancelled[0].StatusMessage, "was abandoned: Lifecycle Action Completed with ABANDON Result") {
		t.Errorf("cancelled: %+v", cancelled)
	}
	second := b.inState("workers", PendingWait, 1)[0]
	b.must(nil, b.complete("workers", "join", second.ID, Continue))
	b.must(nil, b.complete("workers", "flush", first.ID, Abandon)) // of a termination, it continues all the same
	b.settle("workers", 3)

	// A termination waits; EC2 runs the instance meanwhile.
	b.must(b.asg.TerminateInstanceInAutoScalingGroup(b.ctx, &autoscaling.TerminateInstanceInAutoScalingGroupInput{
		InstanceId: &second.ID, ShouldDecrementDesiredCapacity: aws.Bool(true),
	}))
	b.inState("workers", TerminatingWait, 1)
	if i := b.ec2State(second.ID); i.State.Name != "running" {
		t.Errorf("EC2 state %s", i.State.Name)
	}
	b.must(b.asg.DeleteLifecycleHook(b.ctx, &autoscaling.DeleteLifecycleHookInput{AutoScalingGroupName: group, LifecycleHookName: aws.String("flush")}))
	b.settle("workers", 2)

	_, err = b.asg.PutLifecycleHook(b.ctx, &autoscaling.PutLifecycleHookInput{
		AutoScalingGroupName: group, LifecycleHookName: aws.String("join"), HeartbeatTimeout: aws.Int32(5),
	})
	b.fails(err, "ValidationError", "between 30 and 7200")
}

// When nobody completes a hook, its own result counts; heartbeats put that off.
func TestHooksThatTimeOut(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 0, 9)
	b.PutHook("workers", Hook{Name: "join", Launching: true, Timeout: 50 * time.Millisecond})
	b.PutHook("workers", Hook{Name: "flush", Timeout: 400 * time.Millisecond, Abandon: true})
	b.must(nil, b.resize("workers", 0, 1, 9))
	b.settle("workers", 1)

	b.must(nil, b.resize("workers", 0, 0, 9))
	i := b.inState("workers", TerminatingWait, 1)[0]
	begin := time.Now()
	for range 3 {
		time.Sleep(150 * time.Millisecond)
		b.must(b.asg.RecordLifecycleActionHeartbeat(b.ctx, &autoscaling.RecordLifecycleActionHeartbeatInput{
			AutoScalingGroupName: aws.String("workers"), LifecycleHookName: aws.String("flush"), InstanceId: &i.ID,
		}))
	}
	b.settle("workers", 0)
	if took := time.Since(begin); took < 800*time.Millisecond {
		t.Errorf("waited %s only, in spite of the heartbeats", took)
	}

	b.PutHook("workers", Hook{Name: "join", Launching: true, Timeout: 50 * time.Millisecond, Abandon: true})
	b.must(nil, b.resize("workers", 0, 1, 9))
	b.until("two launches were given up", func() bool {
		n := 0
		for _, a := range b.activities("workers") {
			if strings.HasSuffix(aws.ToString(a.StatusMessage), "was abandoned: Heartbeat Timeout") {
				n++
			}
		}
		return n >= 2
	})
}

// What continues while an instance waits for two hooks: all must be completed.
func TestTwoHooks(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 0, 9)
	b.PutHook("workers", Hook{Name: "one", Launching: true, Timeout: time.Hour})
	b.PutHook("workers", Hook{Name: "two", Launching: true, Timeout: time.Hour})
	b.must(nil, b.resize("workers", 0, 1, 9))
	i := b.inState("workers", PendingWait, 1)[0]
	b.must(nil, b.complete("workers", "one", i.ID, Continue))
	b.fails(b.complete("workers", "one", i.ID, Continue), "ValidationError", "No active Lifecycle Action")
	if got, _ := b.Instance(i.ID); got.State != PendingWait {
		t.Errorf("state %s", got.State)
	}
	b.must(nil, b.complete("workers", "two", i.ID, Continue))
	b.settle("workers", 1)
}
