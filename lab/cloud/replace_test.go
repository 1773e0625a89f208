package cloud

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// without waits until a group has n instances in service, and not this one.
func (b *bench) without(group, id string, n int) {
	b.t.Helper()
	b.until(group+" has others in service", func() bool {
		is := b.Instances(group)
		return len(is) == n && !slices.ContainsFunc(is, func(i Instance) bool { return i.ID == id || i.State != InService })
	})
}

// The group hears of an instance that EC2 ended with its next health check, not
// before, and says what it does about it.
func TestReplacesWhatEC2Terminated(t *testing.T) {
	o := quick
	o.HealthCheck = 150 * time.Millisecond
	b := serve(t, o, nil)
	b.group("workers", 3, 3, 3)
	gone := b.Instances("workers")[0].ID
	began := time.Now()
	out := b.kill(gone)
	if c := out.TerminatingInstances[0]; *c.InstanceId != gone || c.PreviousState.Name != ec2types.InstanceStateNameRunning || c.CurrentState.Name != ec2types.InstanceStateNameShuttingDown {
		t.Errorf("answer %+v", c)
	}
	if g := b.described("workers"); len(g.Instances) != 3 || g.Instances[0].LifecycleState != InService {
		t.Errorf("the group knows at once: %+v", g.Instances)
	}
	b.without("workers", gone, 3)
	if d := time.Since(began); d < o.HealthCheck {
		t.Errorf("replaced after %v, the health check takes %v", d, o.HealthCheck)
	}
	if z := b.zones("workers"); z != "a1 b1 c1" {
		t.Errorf("zones %s", z)
	}
	a := b.activities("workers")
	if !strings.HasPrefix(*a[0].Description, "Launching a new EC2 instance: ") || *a[1].Description != "Terminating EC2 instance: "+gone ||
		!strings.Contains(*a[1].Cause, "taken out of service in response to an EC2 health check") {
		t.Errorf("activities: %s; %s: %s", *a[0].Description, *a[1].Description, *a[1].Cause)
	}
	again := b.kill(gone)
	if c := again.TerminatingInstances[0]; c.PreviousState.Name != ec2types.InstanceStateNameTerminated {
		t.Errorf("ended twice: %+v", c)
	}
}

// Suspended processes keep the group from replacing what EC2 ended: ReplaceUnhealthy
// leaves it in the group, Launch takes it out and puts nothing in its place.
func TestReplacementSuspended(t *testing.T) {
	b := serve(t, quick, nil)
	suspend := func(group, process string) {
		b.must(b.asg.SuspendProcesses(b.ctx, &autoscaling.SuspendProcessesInput{AutoScalingGroupName: &group, ScalingProcesses: []string{process}}))
	}
	resume := func(group string) {
		b.must(b.asg.ResumeProcesses(b.ctx, &autoscaling.ResumeProcessesInput{AutoScalingGroupName: &group}))
	}
	b.group("kept", 0, 2, 2)
	gone := b.Instances("kept")[0].ID
	suspend("kept", "ReplaceUnhealthy")
	b.kill(gone)
	b.until("it is unhealthy", func() bool { return *b.described("kept").Instances[0].HealthStatus == "Unhealthy" })
	time.Sleep(5 * quick.HealthCheck)
	if is := b.Instances("kept"); len(is) != 2 || is[0].ID != gone || is[0].State != InService {
		t.Errorf("with ReplaceUnhealthy suspended: %+v", is)
	}
	resume("kept")
	b.without("kept", gone, 2)

	b.group("short", 0, 2, 2)
	gone = b.Instances("short")[0].ID
	suspend("short", "Launch")
	b.kill(gone)
	b.without("short", gone, 1)
	time.Sleep(5 * quick.HealthCheck)
	b.settle("short", 1)
	resume("short")
	b.settle("short", 2)
	if g := b.described("short"); aws.ToInt32(g.DesiredCapacity) != 2 {
		t.Errorf("desired %d", *g.DesiredCapacity)
	}
}
