package asg

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// inFlight are the states of an instance refresh that still replaces machines
// or may put them back.
var inFlight = []types.InstanceRefreshStatus{
	types.InstanceRefreshStatusPending, types.InstanceRefreshStatusInProgress, types.InstanceRefreshStatusCancelling,
	types.InstanceRefreshStatusRollbackInProgress, types.InstanceRefreshStatusBaking,
}

// refreshing is the instance refresh that is at work on a group, the zero one if
// none is.
func (c *Client) refreshing(ctx context.Context, name string) (world.Refresh, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	out, err := c.scaling.DescribeInstanceRefreshes(ctx, &autoscaling.DescribeInstanceRefreshesInput{AutoScalingGroupName: &name, MaxRecords: aws.Int32(10)})
	if err != nil {
		return world.Refresh{}, c.explain(err)
	}
	for _, r := range out.InstanceRefreshes {
		if slices.Contains(inFlight, r.Status) {
			return world.Refresh{
				ID: transport.Text(r.InstanceRefreshId), Status: transport.Clean(string(r.Status)), Percent: int(aws.ToInt32(r.PercentageComplete)), Since: aws.ToTime(r.StartTime),
			}, nil
		}
	}
	return world.Refresh{}, nil
}
