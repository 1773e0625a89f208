package asg

import (
	"context"
	"errors"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// One answer that never comes does not use up the time of a read; a change is not asked for
// again, however late its answer is.
func TestLostAnswerIsAskedForAgain(t *testing.T) {
	s, c := connect(t)
	over := make(chan struct{})
	defer close(over)
	var asked, changed atomic.Int32
	s.onCall("DescribeAutoScalingGroups", func(url.Values) string {
		if asked.Add(1) == 1 {
			<-over
		}
		return `<AutoScalingGroups></AutoScalingGroups>`
	})
	s.onCall("ResumeProcesses", func(url.Values) string {
		changed.Add(1)
		<-over
		return ""
	})
	ctx, cancel := transport.Bounded(t.Context(), callTimeout)
	defer cancel()
	begin := time.Now()
	if _, err := c.scaling.DescribeAutoScalingGroups(ctx, &autoscaling.DescribeAutoScalingGroupsInput{}); err != nil {
		t.Errorf("after %s: %v", time.Since(begin), err)
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("asked %d times", n)
	}

	name := "ng"
	short, cancel := context.WithTimeout(t.Context(), transport.TryTimeout+500*time.Millisecond)
	defer cancel()
	_, err := c.scaling.ResumeProcesses(short, &autoscaling.ResumeProcessesInput{AutoScalingGroupName: &name})
	if !errors.Is(err, context.DeadlineExceeded) || changed.Load() != 1 {
		t.Errorf("a change was asked for %d times: %v", changed.Load(), err)
	}
}

// A read that is never answered says so as it did.
func TestSilentErrorReadsAsATimeout(t *testing.T) {
	if err := transport.Explain(transport.SilentError{}); !errors.Is(err, transport.ErrUnreachable) || err.Error() != "AWS did not answer in time" {
		t.Errorf("%v", err)
	}
}
