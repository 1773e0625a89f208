package asg

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

const (
	activityPage = 100
	// activityPages bounds one read of the activities: a group that fails to
	// launch again and again makes one every few seconds.
	activityPages = 10
)

// activities reads what a group tried since a time, newest first. It stops at an
// activity that known has in its final form already, once it has met those of
// known that had not come to their end, and adds the rest of known.
func (c *Client) activities(ctx context.Context, name string, since time.Time, known []history) ([]history, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	final, open := map[string]bool{}, map[string]bool{}
	for _, k := range known {
		if k.final {
			final[k.ID] = true
		} else {
			open[k.ID] = true
		}
	}
	pages := autoscaling.NewDescribeScalingActivitiesPaginator(c.scaling, &autoscaling.DescribeScalingActivitiesInput{
		AutoScalingGroupName: &name, MaxRecords: aws.Int32(activityPage),
	})
	var out []history
	for n, met, before := 0, false, false; !before && (!met || len(open) > 0) && n < activityPages && pages.HasMorePages(); n++ {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, c.explain(err)
		}
		for _, a := range page.Activities {
			h := historyOf(a)
			met = met || final[h.ID]
			before = before || h.At.Before(since)
			delete(open, h.ID)
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

// latest is how many of a group's last launches are kept.
const latest = 20

// lately reads a group's history before it is followed: when its machines were launched, how long
// ends took, and how the last launches went. What may not be read is left out.
func (c *Client) lately(ctx context.Context, g types.AutoScalingGroup) *world.Lately {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	out := &world.Lately{Launched: map[string]time.Time{}}
	var ids []string
	for _, i := range g.Instances {
		ids = append(ids, transport.Text(i.InstanceId))
	}
	for some := range slices.Chunk(ids, filterValues) {
		instances, err := c.instances(ctx, filter("instance-id", some...))
		for _, i := range instances {
			if i.LaunchTime != nil {
				out.Launched[transport.Text(i.InstanceId)] = *i.LaunchTime
			}
		}
		if err != nil {
			break
		}
	}
	page, err := c.scaling.DescribeScalingActivities(ctx, &autoscaling.DescribeScalingActivitiesInput{
		AutoScalingGroupName: g.AutoScalingGroupName, MaxRecords: aws.Int32(activityPage),
	})
	if err != nil {
		return out
	}
	for _, a := range page.Activities {
		h := historyOf(a)
		switch {
		case h.Ends != "" && a.StatusCode == types.ScalingActivityStatusCodeSuccessful && a.EndTime != nil:
			if took := a.EndTime.Sub(h.At); took > 0 {
				out.Ends = append(out.Ends, took)
			}
		case (h.Failed || h.Launches != "") && len(out.Launches) < latest:
			out.Launches = append(out.Launches, h.Activity)
		}
	}
	return out
}

// shrunk reports whether a group's history has the end of a machine at a user's request that
// took the desired size down with it: "instance i-1 was taken out of service in response to a
// user request, shrinking the capacity from 5 to 4". Where that may not be read, the answer is
// no.
func (c *Client) shrunk(ctx context.Context, a record.Action) bool {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	pages := autoscaling.NewDescribeScalingActivitiesPaginator(c.scaling, &autoscaling.DescribeScalingActivitiesInput{
		AutoScalingGroupName: &a.Group, MaxRecords: aws.Int32(activityPage),
	})
	for n := 0; n < activityPages && pages.HasMorePages(); n++ {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return false
		}
		for _, is := range page.Activities {
			if h := historyOf(is); h.Ends == a.Machine {
				return h.Why == world.EndShrinks
			}
		}
	}
	return false
}

// history is an activity and whether it has come to its end.
type history struct {
	world.Activity
	final bool
}

// failedLaunch reports whether an activity is a launch that came to nothing. One
// whose machine ended by itself, or was given up by a lifecycle hook, counts as
// cancelled; so does one that was called off, which is no failure.
func failedLaunch(a types.Activity) bool {
	if strings.HasPrefix(aws.ToString(a.Description), "Terminating") {
		return false
	}
	switch a.StatusCode {
	case types.ScalingActivityStatusCodeFailed:
		return true
	case types.ScalingActivityStatusCodeCancelled:
		message := aws.ToString(a.StatusMessage)
		return strings.HasPrefix(message, "Instance became unhealthy") || strings.HasPrefix(message, "Instance failed")
	}
	return false
}

func historyOf(a types.Activity) history {
	final := slices.Contains([]types.ScalingActivityStatusCode{
		types.ScalingActivityStatusCodeSuccessful, types.ScalingActivityStatusCodeFailed, types.ScalingActivityStatusCodeCancelled,
	}, a.StatusCode)
	h := history{
		Activity: world.Activity{
			ID:      transport.Text(a.ActivityId),
			At:      aws.ToTime(a.StartTime),
			Failed:  failedLaunch(a),
			Cause:   transport.Short(aws.ToString(a.Cause)),
			Message: transport.FirstSentence(aws.ToString(a.StatusMessage)), InProgress: !final,
			Zone: zoneOf(a),
		},
		final: final,
	}
	if id, is := strings.CutPrefix(transport.Text(a.Description), "Launching a new EC2 instance: "); is && !h.Failed {
		h.Launches, h.Launched = id, a.StatusCode == types.ScalingActivityStatusCodeSuccessful
	}
	if id, is := strings.CutPrefix(transport.Text(a.Description), "Terminating EC2 instance: "); is && a.StatusCode != types.ScalingActivityStatusCodeFailed {
		h.Ends, h.Why = id, whyEnded(aws.ToString(a.Cause))
	}
	return h
}

// zoneOf is the zone in the details of an activity, "" where there is none.
func zoneOf(a types.Activity) string {
	var in struct {
		Zone string `json:"Availability Zone"`
	}
	_ = json.Unmarshal([]byte(aws.ToString(a.Details)), &in) // none is known then
	return transport.Clean(in.Zone)
}

// whyEnded reads the cause of a termination (Auto Scaling user guide, "Verify a scaling activity for an
// Auto Scaling group" and "Availability Zone rebalancing").
func whyEnded(cause string) world.EndCause {
	says := func(what string) bool { return strings.Contains(cause, what) }
	switch {
	case says("to balance instances in zones"):
		return world.EndRebalance
	case says("in response to a user request"):
		if says("shrinking the capacity") {
			return world.EndShrinks
		}
		return world.EndRequested
	case says("health check"), says("health-check"):
		return world.EndUnhealthy
	case says("difference between desired and actual capacity"):
		return world.EndScaledIn
	}
	return world.EndOther
}
