package asg

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// sizers reads what changes a group's size by itself: its scaling policies and
// scheduled actions.
func (c *Client) sizers(ctx context.Context, name string) (world.Scaling, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	policies, err := c.policies(ctx, name)
	if err != nil {
		return world.Scaling{}, c.explain(err)
	}
	schedule, err := c.schedule(ctx, name)
	if err != nil {
		return world.Scaling{}, c.explain(err)
	}
	return world.Scaling{Policies: policies, Schedule: schedule}, nil
}

// policies are those of a group that act, by name.
func (c *Client) policies(ctx context.Context, name string) ([]world.Policy, error) {
	var out []world.Policy
	pages := autoscaling.NewDescribePoliciesPaginator(c.scaling, &autoscaling.DescribePoliciesInput{AutoScalingGroupName: &name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range page.ScalingPolicies {
			if p.Enabled == nil || *p.Enabled {
				out = append(out, world.Policy{Name: transport.Text(p.PolicyName), Kind: transport.Text(p.PolicyType)})
			}
		}
	}
	slices.SortFunc(out, func(a, b world.Policy) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// schedule are the scheduled actions of a group, those that come first before the
// others.
func (c *Client) schedule(ctx context.Context, name string) ([]world.Scheduled, error) {
	var out []world.Scheduled
	pages := autoscaling.NewDescribeScheduledActionsPaginator(c.scaling, &autoscaling.DescribeScheduledActionsInput{AutoScalingGroupName: &name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, a := range page.ScheduledUpdateGroupActions {
			out = append(out, world.Scheduled{
				Name: transport.Text(a.ScheduledActionName), At: aws.ToTime(a.StartTime), Recurs: transport.Text(a.Recurrence),
				Min: number(a.MinSize), Max: number(a.MaxSize), Desired: number(a.DesiredCapacity),
			})
		}
	}
	slices.SortStableFunc(out, func(a, b world.Scheduled) int { return a.At.Compare(b.At) })
	return out, nil
}

func number(n *int32) *int {
	if n == nil {
		return nil
	}
	out := int(*n)
	return &out
}
