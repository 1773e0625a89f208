package asg

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/drainboard/drainboard/engine/live"
)

// A client for those who only look sends no call that changes something.
func TestConnectReadOnly(t *testing.T) {
	s, _ := connect(t)
	c, err := Connect(t.Context(), Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	group, machine := "ng", "i-1"
	for name, do := range map[string]func(context.Context) error{
		"UpdateAutoScalingGroup": func(ctx context.Context) error {
			_, err := c.scaling.UpdateAutoScalingGroup(ctx, &autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: &group})
			return err
		},
		"SuspendProcesses": func(ctx context.Context) error {
			_, err := c.scaling.SuspendProcesses(ctx, &autoscaling.SuspendProcessesInput{AutoScalingGroupName: &group})
			return err
		},
		"TerminateInstanceInAutoScalingGroup": func(ctx context.Context) error {
			no := false
			_, err := c.scaling.TerminateInstanceInAutoScalingGroup(ctx, &autoscaling.TerminateInstanceInAutoScalingGroupInput{InstanceId: &machine, ShouldDecrementDesiredCapacity: &no})
			return err
		},
		"TerminateInstances": func(ctx context.Context) error {
			_, err := c.compute.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{machine}})
			return err
		},
	} {
		if err := do(t.Context()); !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(s.calls) > 0 {
		t.Errorf("sent: %v", s.calls)
	}
	if _, err := c.describeAll(t.Context()); errors.Is(err, ErrReadOnly) {
		t.Error("nothing can be read")
	}
	if len(s.calls) == 0 {
		t.Error("no read was sent")
	}
}

// A process that may have lost its lock while it slept sends no call of an action that
// changes something; reads go out.
func TestConnectOnlyWhileSure(t *testing.T) {
	s, c := connect(t)
	sure := false
	ctx := live.WithPermit(t.Context(), func() bool { return sure })
	group := "ng"
	suspend := func() error {
		_, err := c.scaling.SuspendProcesses(ctx, &autoscaling.SuspendProcessesInput{AutoScalingGroupName: &group})
		return err
	}
	if err := suspend(); !errors.Is(err, live.ErrNotSure) || len(s.calls) > 0 {
		t.Errorf("got %v, sent %v", err, s.calls)
	}
	if _, err := c.describe(ctx, group); errors.Is(err, live.ErrNotSure) || len(s.calls) == 0 {
		t.Errorf("nothing can be read: %v", err)
	}
	sure = true
	before := len(s.calls)
	if err := suspend(); errors.Is(err, live.ErrNotSure) || len(s.calls) == before {
		t.Errorf("nothing can be changed: %v", err)
	}
}
