package asg

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/providers/asg/transport"
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
		"DetachInstances": func(ctx context.Context) error {
			no := false
			_, err := c.scaling.DetachInstances(ctx, &autoscaling.DetachInstancesInput{AutoScalingGroupName: &group, InstanceIds: []string{machine}, ShouldDecrementDesiredCapacity: &no})
			return err
		},
		"CreateTags": func(ctx context.Context) error {
			_, err := c.compute.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{machine}, Tags: []ec2types.Tag{{Key: &group, Value: &group}}})
			return err
		},
		"DeleteTags": func(ctx context.Context) error {
			_, err := c.compute.DeleteTags(ctx, &ec2.DeleteTagsInput{Resources: []string{machine}})
			return err
		},
		"DeregisterTargets":                   func(ctx context.Context) error { return targetGroup{c, "arn"}.remove(ctx, machine) },
		"DeregisterInstancesFromLoadBalancer": func(ctx context.Context) error { return classic{c, "old"}.remove(ctx, machine) },
	} {
		if err := do(t.Context()); !errors.Is(err, transport.ErrReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(s.Calls()) > 0 {
		t.Errorf("sent: %v", s.Calls())
	}
	for name, do := range map[string]func(context.Context) error{
		"DescribeAutoScalingGroups": func(ctx context.Context) error { _, err := c.describeAll(ctx); return err },
		"DescribeTargetHealth": func(ctx context.Context) error {
			_, err := targetGroup{c, "arn"}.standing(ctx, machine)
			return err
		},
		"DescribeInstanceHealth": func(ctx context.Context) error { _, err := classic{c, "old"}.standing(ctx, machine); return err },
	} {
		if err := do(t.Context()); errors.Is(err, transport.ErrReadOnly) || len(s.sent(name)) == 0 {
			t.Errorf("%s is not let through: %v", name, err)
		}
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
	if err := suspend(); !errors.Is(err, live.ErrNotSure) || len(s.Calls()) > 0 {
		t.Errorf("got %v, sent %v", err, s.Calls())
	}
	if _, err := c.describe(ctx, group); errors.Is(err, live.ErrNotSure) || len(s.Calls()) == 0 {
		t.Errorf("nothing can be read: %v", err)
	}
	sure = true
	before := len(s.Calls())
	if err := suspend(); errors.Is(err, live.ErrNotSure) || len(s.Calls()) == before {
		t.Errorf("nothing can be changed: %v", err)
	}
}
