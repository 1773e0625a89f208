package cloud

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/drainboard/drainboard/lab/gate"
)

// A key that is granted some actions may do no others, and who it is all the same;
// another key may do everything.
func TestGrant(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 1, 1)
	b.Grant("user", "ec2:DescribeInstances")
	b.must(b.ec2.DescribeInstances(b.ctx, &ec2.DescribeInstancesInput{}))
	b.Grant("AKIALAB", "ec2:DescribeInstances")
	b.must(b.ec2.DescribeInstances(b.ctx, &ec2.DescribeInstancesInput{}))
	b.must(b.sts.GetCallerIdentity(b.ctx, &sts.GetCallerIdentityInput{}))
	_, err := b.asg.SuspendProcesses(b.ctx, &autoscaling.SuspendProcessesInput{AutoScalingGroupName: aws.String("workers")})
	b.fails(err, "AccessDenied", "autoscaling:SuspendProcesses")
}

// The troubles of a busy endpoint, one by one: what is not answered may have happened.
func TestTroubles(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 1, 3)
	once := func(o *autoscaling.Options) { o.Retryer = aws.NopRetryer{} }
	for i, c := range []struct {
		code string
		done bool
	}{{"Throttling", false}, {"InternalFailure", false}, {"InternalFailure", true}, {"", false}} {
		b.must(nil, b.resize("workers", 0, 1, 3))
		end := b.Gate().Fail(1, Asks("AKIALAB", "SetDesiredCapacity"), Troubles[i])
		ctx := b.ctx
		if c.code == "" {
			var leave func()
			ctx, leave = context.WithTimeout(ctx, 100*time.Millisecond)
			defer leave()
		}
		_, err := b.asg.SetDesiredCapacity(ctx, &autoscaling.SetDesiredCapacityInput{AutoScalingGroupName: aws.String("workers"), DesiredCapacity: aws.Int32(2)}, once)
		end()
		if c.code != "" {
			b.fails(err, c.code, "")
		} else if err == nil {
			t.Error("an answer came")
		}
		if g, _ := b.Group("workers"); (g.Desired == 2) != c.done {
			t.Errorf("trouble %d: the desired size is %d", i, g.Desired)
		}
	}
	stop := b.Gate().Stop(gate.Before, Asks("AKIALAB", ""))
	answer := make(chan error, 1)
	go func() {
		_, err := b.sts.GetCallerIdentity(b.ctx, &sts.GetCallerIdentityInput{})
		answer <- err
	}()
	<-stop.Hit()
	stop.Release()
	select {
	case err := <-answer:
		b.must(nil, err)
	case <-time.After(20 * time.Second):
		t.Error("no answer")
	}
}
