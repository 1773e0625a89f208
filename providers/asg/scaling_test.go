package asg

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/world"
)

// withScaling answers for a group with two pages of policies, and two scheduled actions.
func (s *service) withScaling() {
	s.onCall("DescribePolicies", func(f url.Values) string {
		if f.Get("NextToken") == "" {
			return members("ScalingPolicies", e("PolicyName", "cpu", "PolicyType", "TargetTrackingScaling", "Enabled", "true"),
				e("PolicyName", "off", "PolicyType", "StepScaling", "Enabled", "false")) + e("NextToken", "more")
		}
		return members("ScalingPolicies", e("PolicyName", "burst\u200b", "PolicyType", "StepScaling"))
	})
	s.on("DescribeScheduledActions", members("ScheduledUpdateGroupActions",
		e("ScheduledActionName", "morning", "StartTime", "2026-11-22T06:00:00Z", "Recurrence", "0 6 * * *", "MinSize", "6", "DesiredCapacity", "9"),
		e("ScheduledActionName", "night", "StartTime", "2026-11-21T20:00:00Z", "DesiredCapacity", "0")))
}

func TestFeedScaling(t *testing.T) {
	s, c := connect(t)
	s.withGroup("InService")
	s.withScaling()
	f := c.Feed("web", FeedOptions{Slow: 5 * time.Millisecond})
	seen := 0
	follow(t, f, func(w *world.World) bool {
		seen++
		g := w.Group.Scaling
		switch seen {
		case 1, 2, 4:
			if len(g.Policies) != 2 || g.Policies[0] != (world.Policy{Name: "burst", Kind: "StepScaling"}) || g.Policies[1].Name != "cpu" {
				t.Errorf("look %d: policies %+v, want burst and cpu: the other one is switched off", seen, g.Policies)
			}
			if len(g.Schedule) != 2 || g.Schedule[0].Sets() != "desired 0" || g.Schedule[1].Sets() != "min 6, desired 9" || g.Schedule[1].Recurs != "0 6 * * *" ||
				!g.Schedule[1].At.Equal(time.Date(2026, 11, 22, 6, 0, 0, 0, time.UTC)) || g.Unread != "" {
				t.Errorf("look %d: schedule %+v", seen, g)
			}
			if seen == 2 { // a minute later AWS has no answer: what is known stays
				s.on("DescribePolicies", fail(400, "ValidationError", "not now"))
				f.extras.scalingAt = f.extras.scalingAt.Add(-extrasEvery)
			}
			if seen == 4 { // and then it is not ours to read any more
				s.on("DescribePolicies", fail(403, "AccessDenied", "no"))
				f.extras.scalingAt = f.extras.scalingAt.Add(-extrasEvery)
			}
		case 5:
			if len(g.Policies)+len(g.Schedule) != 0 || !strings.Contains(g.Unread, "autoscaling:DescribePolicies") {
				t.Errorf("got %+v, want that it may not be read", g)
			}
			if p := w.Health[world.Cloud].Problem; p != "" {
				t.Errorf("the cloud has a problem (%s), and only a help is lost", p)
			}
		}
		return seen == 5
	})
	if n := len(s.sent("DescribeScheduledActions")); n != 1 {
		t.Errorf("read the scheduled actions %d times, want once a minute, and not after the policies were refused", n)
	}
}

// What was read once is old after five minutes without an answer, and says so until it
// can be read again.
func TestScalingGrowsOld(t *testing.T) {
	s, c := connect(t)
	s.withScaling()
	g := types.AutoScalingGroup{AutoScalingGroupName: aws.String("web")}
	x := &extras{}
	later := func(by time.Duration) world.Scaling {
		x.scalingAt, x.scalingGood = x.scalingAt.Add(-by), x.scalingGood.Add(-by)
		x.readScaling(t.Context(), c, g)
		return x.scaling
	}
	if got := later(0); got.Unread != "" || len(got.Policies) != 2 {
		t.Fatalf("read %+v", got)
	}
	s.on("DescribePolicies", fail(400, "ValidationError", "not now"))
	if got := later(2 * time.Minute); got.Unread != "" || len(got.Policies) != 2 {
		t.Errorf("after 2 minutes %+v", got)
	}
	for _, look := range []struct {
		after time.Duration
		want  string
	}{{4 * time.Minute, "read 6m ago"}, {2 * time.Minute, "read 8m ago"}} {
		if got := later(look.after); !strings.Contains(got.Unread, look.want) || !strings.Contains(got.Unread, "not now") || len(got.Policies) != 2 {
			t.Errorf("want %q: %+v", look.want, got)
		}
	}
	s.withScaling()
	if got := later(2 * time.Minute); got.Unread != "" || len(got.Policies) != 2 {
		t.Errorf("read again %+v", got)
	}
}
