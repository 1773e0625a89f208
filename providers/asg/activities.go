package asg

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/world"
)

const (
	activityPage = 50
	// activityPages bounds one look at the activities: a group that fails to
	// launch again and again makes one every few seconds.
	activityPages = 4
)

// activities reads what a group tried since a time, newest first. It stops at an
// activity that known has in its final form already, and adds the rest of known.
func (c *Client) activities(ctx context.Context, name string, since time.Time, known []history) ([]history, error) {
	ctx, cancel := bounded(ctx, callTimeout)
	defer cancel()
	final := map[string]bool{}
	for _, k := range known {
		final[k.ID] = k.final
	}
	pages := autoscaling.NewDescribeScalingActivitiesPaginator(c.scaling, &autoscaling.DescribeScalingActivitiesInput{
		AutoScalingGroupName: &name, MaxRecords: aws.Int32(activityPage),
	})
	var out []history
	for n, more := 0, true; more && n < activityPages && pages.HasMorePages(); n++ {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, c.explain(err)
		}
		for _, a := range page.Activities {
			h := historyOf(a)
			more = more && !final[h.ID] && !h.At.Before(since)
			out = append(out, h)
		}
	}
	for _, k := range known {
		if !slices.ContainsFunc(out, func(h history) bool { return h.ID == k.ID }) {
			out = append(out, k)
		}
	}
	out = slices.DeleteFunc(out, func(h history) bool { return h.At.Before(since) })
	slices.SortStableFunc(out, func(a, b history) int { return b.At.Compare(a.At) })
	return out, nil
}

// history is an activity and whether it has come to its end.
type history struct {
	world.Activity
	final bool
}

func historyOf(a types.Activity) history {
	return history{
		Activity: world.Activity{
			ID:      text(a.ActivityId),
			At:      aws.ToTime(a.StartTime),
			Failed:  a.StatusCode == types.ScalingActivityStatusCodeFailed && !strings.HasPrefix(aws.ToString(a.Description), "Terminating"),
			Cause:   short(aws.ToString(a.Cause)),
			Message: firstSentence(aws.ToString(a.StatusMessage)),
		},
		final: slices.Contains([]types.ScalingActivityStatusCode{
			types.ScalingActivityStatusCodeSuccessful, types.ScalingActivityStatusCodeFailed, types.ScalingActivityStatusCodeCancelled,
		}, a.StatusCode),
	}
}
