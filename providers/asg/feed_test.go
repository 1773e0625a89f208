package asg

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// follow runs a feed on a world and calls look after each change, until it says
// that it has seen enough.
func follow(t *testing.T, f *Feed, look func(w *world.World) bool) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	w := world.New()
	enough := false
	err := f.Run(ctx, func(c live.Change) {
		if c(w); !enough && look(w) {
			enough = true
			cancel()
		}
	})
	if !enough && err == nil {
		t.Errorf("the feed never came to what was waited for: %+v", w.Health)
	}
	return err
}

func (s *service) withGroup(state string) {
	s.withTemplate()
	s.on("DescribeInstanceRefreshes", "")
	s.on("DescribePolicies", "")
	s.on("DescribeScheduledActions", "")
	s.on("DescribeLifecycleHooks", "")
	s.on("DescribeSubnets", items("subnetSet", e("subnetId", "subnet-a", "availabilityZone", "eu-west-1a", "availableIpAddressCount", "17")))
	s.on("DescribeAutoScalingGroups", groups(group("web", e("LaunchTemplate", spec("lt-1", "$Latest"), "VPCZoneIdentifier", "subnet-a"),
		members("AvailabilityZones", "eu-west-1b", "eu-west-1a"), members("SuspendedProcesses", e("ProcessName", "AZRebalance", "SuspensionReason", "User suspended at 2026-11-20T10:00:00Z")),
		members("Instances", instance("i-1", "eu-west-1a", "InService", "3"), instance("i-2", "eu-west-1a", "InService", "2"), instance("i-3", "eu-west-1b", state, "2")))))
}

func TestFeed(t *testing.T) {
	s, c := connect(t)
	s.withGroup("InService")
	at := time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)
	f := c.Feed("web", FeedOptions{Now: func() time.Time { return at }})
	follow(t, f, func(w *world.World) bool {
		g := w.Group
		if g.Name != "web" || g.Provider != "asg" || g.Template.String() != "lt-1:3" || g.TemplateSpec != "$Latest" || g.TemplateName != "web" || g.Image != "ami-3" ||
			strings.Join(g.Zones, " ") != "eu-west-1a eu-west-1b" || !g.HasSuspended("AZRebalance") || g.SuspensionReasons["AZRebalance"] != "User suspended at 2026-11-20T10:00:00Z" ||
			len(g.Subnets) != 1 || g.Subnets[0] != (world.Subnet{ID: "subnet-a", Zone: "eu-west-1a", Free: 17}) {
			t.Errorf("got %+v", g)
		}
		if n := len(w.Machines()); n != 3 {
			t.Errorf("got %d machines", n)
		}
		if h := w.Health[world.Cloud]; h != (world.Health{Fresh: at}) {
			t.Errorf("got %+v", h)
		}
		return true
	})
	for _, action := range []string{"DescribeScalingActivities", "DescribeWarmPool", "DescribeInstances"} {
		if n := len(s.sent(action)); n != 0 {
			t.Errorf("%s was asked for %d times at rest, of an ordinary group", action, n)
		}
	}
}

// A feed for which a caller waits tries again while AWS has trouble of its own, and ends at once
// with what no waiting mends.
func TestCertainFeed(t *testing.T) {
	for _, c := range []struct {
		code int
		word string
		kind error
	}{{503, "ServiceUnavailable", nil}, {400, "Throttling", nil}, {403, "AccessDenied", live.ErrDenied}} {
		s, k := connect(t)
		s.withGroup("InService")
		reads := 0
		s.onCall("DescribeAutoScalingGroups", func(url.Values) string {
			if reads++; reads <= 4 {
				return fail(c.code, c.word, "so it is")
			}
			return groups(group("web", e("LaunchTemplate", spec("lt-1", "2"))))
		})
		f := k.Feed("web", FeedOptions{Certain: true})
		told := false
		err := follow(t, f, func(w *world.World) bool {
			h := w.Health[world.Cloud]
			told = told || h.Problem != ""
			return !h.Fresh.IsZero()
		})
		if c.kind == nil && (err != nil || !told) || c.kind != nil && !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, told %t", c.word, err, told)
		}
	}
}

// Whether an instance refresh is at work is asked again soon where AWS has trouble of its own,
// since a run that is to start waits for it.
func TestCertainFeedAsksForRefreshAgain(t *testing.T) {
	s, k := connect(t)
	s.withGroup("InService")
	reads := 0
	s.onCall("DescribeInstanceRefreshes", func(url.Values) string {
		if reads++; reads <= 4 {
			return fail(500, "InternalFailure", "so it is")
		}
		return members("InstanceRefreshes")
	})
	if err := follow(t, k.Feed("web", FeedOptions{Certain: true}), func(w *world.World) bool { return !w.Health[world.Cloud].Fresh.IsZero() }); err != nil {
		t.Error(err)
	}
}

// While machines come, the feed looks often and reads why some do not.
func TestFeedActivities(t *testing.T) {
	s, c := connect(t)
	s.withGroup("Pending:Wait")
	since := time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)
	activity := func(id int, at time.Time, status, message string) string {
		return e("ActivityId", fmt.Sprint("a-", id), "AutoScalingGroupName", "web", "StartTime", at.Format(time.RFC3339), "StatusCode", status, "Cause", "because", "StatusMessage", message)
	}
	s.onCall("DescribeScalingActivities", func(f url.Values) string {
		if f.Get("NextToken") == "" {
			return members("Activities", activity(3, since.Add(3*time.Minute), "InProgress", "")) + e("NextToken", "next")
		}
		return members("Activities",
			activity(2, since.Add(2*time.Minute), "Failed", "We have no m5.large in eu-west-1c. Launching EC2 instance failed."),
			activity(1, since.Add(-time.Minute), "Failed", "older than the run")) + e("NextToken", "more")
	})
	f := c.Feed("web", FeedOptions{Since: since, Fast: 10 * time.Millisecond, Slow: time.Hour})
	seen := 0
	follow(t, f, func(w *world.World) bool {
		a := w.Group.Activities
		if len(a) != 2 || a[0].ID != "a-3" || a[0].Failed || !a[1].Failed || a[1].Message != "We have no m5.large in eu-west-1c" {
			t.Errorf("got %+v", a)
		}
		seen++
		return seen == 3
	})
	if n := len(s.sent("DescribeScalingActivities")); n != 2 {
		t.Errorf("read %d pages of activities, want 2: what is before the run is not of interest", n)
	}
}

// A resumed run reads what failed before it was resumed, at rest too.
func TestFeedActivitiesOfAResumedRun(t *testing.T) {
	s, c := connect(t)
	s.withGroup("InService")
	since := time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)
	s.on("DescribeScalingActivities", members("Activities", e("ActivityId", "a-1", "StartTime", since.Add(time.Minute).Format(time.RFC3339),
		"Description", "Launching a new EC2 instance: i-9.  Status Reason: ...", "StatusCode", "Cancelled",
		"StatusMessage", "Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: Client.InvalidKMSKey.InvalidState: The KMS key provided is in an incorrect state")))
	f := c.Feed("web", FeedOptions{Since: since, Slow: 10 * time.Millisecond})
	seen := 0
	follow(t, f, func(w *world.World) bool {
		a := w.Group.Activities
		if len(a) != 1 || !a[0].Failed || a[0].Message != "Termination Reason: Client.InvalidKMSKey.InvalidState: The KMS key provided is in an incorrect state" {
			t.Errorf("got %+v", a)
		}
		seen++
		return seen == 3
	})
	if n := len(s.sent("DescribeScalingActivities")); n != 1 {
		t.Errorf("read activities %d times at rest", n)
	}
}

func TestFailedLaunch(t *testing.T) {
	for _, tt := range []struct {
		description, status, message string
		want                         bool
	}{
		{"Launching a new EC2 instance.  Status Reason: none left", "Failed", "none left", true},
		{"Launching a new EC2 instance: i-1.  Status Reason: ...", "Cancelled", "Instance failed to complete user's Lifecycle Action: Lifecycle Action with token t was abandoned: Heartbeat Timeout", true},
		{"Launching a new EC2 instance: i-1", "Cancelled", "Received cancellation request", false},
		{"Launching a new EC2 instance: i-1", "Successful", "", false},
		{"Terminating EC2 instance: i-1", "Failed", "no", false},
	} {
		a := types.Activity{Description: &tt.description, StatusCode: types.ScalingActivityStatusCode(tt.status), StatusMessage: &tt.message}
		if got := failedLaunch(a); got != tt.want {
			t.Errorf("%s %s: got %v", tt.status, tt.message, got)
		}
	}
}

// An activity that had not ended is looked for until it is met, behind those that
// had.
func TestActivitiesThatEndLate(t *testing.T) {
	s, c := connect(t)
	at := time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)
	activity := func(id string, after time.Duration, status string) string {
		return e("ActivityId", id, "StartTime", at.Add(after).Format(time.RFC3339), "Description", "Launching a new EC2 instance", "StatusCode", status, "StatusMessage", "no")
	}
	s.onCall("DescribeScalingActivities", func(f url.Values) string {
		switch f.Get("NextToken") {
		case "":
			return members("Activities", activity("a-3", 3*time.Minute, "InProgress")) + e("NextToken", "2")
		case "2":
			return members("Activities", activity("a-2", 2*time.Minute, "Successful")) + e("NextToken", "3")
		}
		return members("Activities", activity("a-1", time.Minute, "Failed")) + e("NextToken", "4")
	})
	known := []history{{Activity: world.Activity{ID: "a-2", At: at.Add(2 * time.Minute)}, final: true}, {Activity: world.Activity{ID: "a-1", At: at.Add(time.Minute)}}}
	got, err := c.activities(t.Context(), "web", at, known)
	if err != nil || len(got) != 3 || got[0].ID != "a-3" || !got[2].Failed || !got[2].final {
		t.Errorf("got %+v %v", got, err)
	}
	if _, err = c.activities(t.Context(), "web", at, got[1:]); err != nil {
		t.Error(err)
	}
	if n := len(s.sent("DescribeScalingActivities")); n != 3+2 {
		t.Errorf("read %d pages, want 3, then 2 up to one that had ended", n)
	}
}

func TestFeedPoke(t *testing.T) {
	s, c := connect(t)
	s.withGroup("InService")
	f := c.Feed("web", FeedOptions{Slow: time.Hour})
	start, seen := time.Now(), 0
	follow(t, f, func(*world.World) bool {
		f.Poke()
		f.Poke()
		seen++
		return seen == 3
	})
	if took := time.Since(start); took < 2*pokeGap || took > 10*time.Second {
		t.Errorf("three reads took %s", took)
	}
}

// One read is asked for, and the pace is the slow one after it.
func TestFeedReadNow(t *testing.T) {
	s, c := connect(t)
	s.withGroup("InService")
	f := c.Feed("web", FeedOptions{Fast: time.Millisecond, Slow: time.Hour})
	start, seen := time.Now(), 0
	follow(t, f, func(*world.World) bool {
		if seen++; seen < 3 {
			f.ReadNow()
			f.ReadNow()
		}
		return seen == 3
	})
	if took := time.Since(start); took < 2*pokeGap || took > 10*time.Second {
		t.Errorf("three reads took %s", took)
	}
	if pace := f.pace(world.Group{}, nil); pace != time.Hour {
		t.Errorf("the next read is in %s", pace)
	}
}

// Who asks for a read does not shorten the pause after one that failed.
func TestFeedReadNowFails(t *testing.T) {
	s, c := connect(t)
	s.withGroup("InService")
	s.on("DescribeAutoScalingGroups", fail(400, "AccessDenied", "no"))
	f := c.Feed("web", FeedOptions{})
	start, seen := time.Now(), 0
	follow(t, f, func(*world.World) bool {
		f.ReadNow()
		seen++
		return seen == 2
	})
	if took := time.Since(start); took < time.Second {
		t.Errorf("it was tried again after %s", took)
	}
}

func TestFeedTrouble(t *testing.T) {
	s, c := connect(t)
	s.withGroup("InService")
	s.on("DescribeAutoScalingGroups", fail(403, "ExpiredToken", "The security token included in the request is expired"))
	at := time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)
	f := c.Feed("web", FeedOptions{Now: func() time.Time { return at }})
	failures := 0
	follow(t, f, func(w *world.World) bool {
		h := w.Health[world.Cloud]
		if failures < 2 {
			want := world.Health{Problem: "AWS credentials expired (ExpiredToken): The security token included in the request is expired", Retry: at.Add(time.Second << failures)}
			if h != want {
				t.Errorf("got  %+v\nwant %+v", h, want)
			}
			failures++
			if failures == 2 {
				s.withGroup("InService")
			}
			f.Poke()
			return false
		}
		if h != (world.Health{Fresh: at}) {
			t.Errorf("got %+v", h)
		}
		return true
	})
}

// What is only nice to know holds nothing up.
func TestFeedWithoutExtras(t *testing.T) {
	s, c := connect(t)
	s.withGroup("Pending")
	for _, action := range []string{"DescribeSubnets", "DescribeInstanceRefreshes", "DescribePolicies", "DescribeLifecycleHooks", "DescribeScalingActivities"} {
		s.on(action, fail(403, "AccessDenied", "no"))
	}
	follow(t, c.Feed("web", FeedOptions{}), func(w *world.World) bool {
		if h := w.Health[world.Cloud]; h.Fresh.IsZero() || !strings.Contains(h.Problem, "autoscaling:DescribeScalingActivities") {
			t.Errorf("got %+v", h)
		}
		return true
	})
}

func TestFeedGroupDeleted(t *testing.T) {
	s, c := connect(t)
	s.withGroup("InService")
	s.on("DescribeAutoScalingGroups", "")
	f := c.Feed("web", FeedOptions{})
	err := follow(t, f, func(*world.World) bool {
		f.Poke()
		return false
	})
	if !errors.Is(err, transport.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// What an activity says of a machine: which one it brings or takes, where, and why.
func TestActivitiesOfMachines(t *testing.T) {
	s, c := connect(t)
	at := time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		description, status, cause string
		want                       world.Activity
	}{
		{"Launching a new EC2 instance: i-1", "Successful", "At 2026-11-21T02:00:00Z an instance was started in response to a difference between desired and actual capacity, increasing the capacity from 2 to 3.", world.Activity{Launches: "i-1", Launched: true}},
		{"Launching a new EC2 instance: i-1", "Failed", "At 2026-11-21T02:00:00Z an instance was started.", world.Activity{Failed: true}},
		{"Terminating EC2 instance: i-1", "InProgress", "At 2026-11-21T02:00:00Z instance i-1 was taken out of service in response to a user request.", world.Activity{Ends: "i-1", Why: world.EndRequested, InProgress: true}},
		{"Terminating EC2 instance: i-1", "Failed", "At 2026-11-21T02:00:00Z instance i-1 was taken out of service in response to a user request.", world.Activity{}},
		{"Terminating EC2 instance: i-1", "Successful", "At 2026-11-21T02:00:00Z instance i-1 was taken out of service in response to a user request, shrinking the capacity from 5 to 4.", world.Activity{Ends: "i-1", Why: world.EndShrinks}},
		{"Terminating EC2 instance: i-1", "Successful", "At 2026-11-21T02:00:00Z a user request update of AutoScalingGroup constraints to min: 1, max: 3, desired: 2 changing the desired capacity from 3 to 2.  At 2026-11-21T02:00:09Z an instance was taken out of service in response to a difference between desired and actual capacity, shrinking the capacity from 3 to 2.  At 2026-11-21T02:00:09Z instance i-1 was selected for termination.", world.Activity{Ends: "i-1", Why: world.EndScaledIn}},
		{"Terminating EC2 instance: i-1", "Successful", "At 2026-11-21T02:00:00Z instances were launched to balance instances in zones eu-west-1c with other zones resulting in more than desired number of instances in the group.  At 2026-11-21T02:00:09Z an instance was taken out of service in response to a difference between desired and actual capacity, shrinking the capacity from 7 to 6.  At 2026-11-21T02:00:09Z instance i-1 was selected for termination.", world.Activity{Ends: "i-1", Why: world.EndRebalance}},
		{"Terminating EC2 instance: i-1", "Successful", "At 2026-11-21T02:00:00Z an instance was taken out of service in response to an ELB system health check failure.", world.Activity{Ends: "i-1", Why: world.EndUnhealthy}},
		{"Terminating EC2 instance: i-1", "Successful", "At 2026-11-21T02:00:00Z an instance was taken out of service in response to an EC2 instance rebalance recommendation.", world.Activity{Ends: "i-1", Why: world.EndOther}},
		{"Detaching EC2 instance: i-1", "Successful", "At 2026-11-21T02:00:00Z instance i-1 was detached in response to a user request.", world.Activity{}},
	} {
		s.on("DescribeScalingActivities", members("Activities", e("ActivityId", "a", "AutoScalingGroupName", "web", "StartTime", at.Format(time.RFC3339), "StatusCode", tt.status,
			"Description", tt.description, "Cause", tt.cause, "Details", `{"Subnet ID":"subnet-1","Availability Zone":"eu-west-1a"}`)))
		got, err := c.activities(t.Context(), "web", at, nil)
		if err != nil || len(got) != 1 {
			t.Fatal(got, err)
		}
		is := got[0].Activity
		tt.want.ID, tt.want.At, tt.want.Zone, tt.want.Cause, tt.want.Message = "a", at, "eu-west-1a", is.Cause, is.Message
		if is != tt.want {
			t.Errorf("%s, %s\ngot  %+v\nwant %+v", tt.description, tt.cause, is, tt.want)
		}
	}
}

// A feed that comes in the middle of an update by EKS reads what the group did since that began, once.
func TestFeedReachesBack(t *testing.T) {
	s, c := connect(t)
	s.withGroup("InService")
	began := time.Now().Add(-20 * time.Minute).Truncate(time.Second)
	s.on("DescribeScalingActivities", members("Activities",
		e("ActivityId", "late", "StartTime", began.Add(time.Minute).Format(time.RFC3339), "StatusCode", "Successful", "Cause", "because"),
		e("ActivityId", "early", "StartTime", began.Add(-time.Minute).Format(time.RFC3339), "StatusCode", "Successful", "Cause", "because")))
	for status, want := range map[string]int{world.UpdateRuns: 1, world.UpdateSucceeded: 0} {
		before := len(s.sent("DescribeScalingActivities"))
		f := c.Feed("web", FeedOptions{Fast: 10 * time.Millisecond, Slow: 10 * time.Millisecond, Part: func(_ context.Context, g *world.Group) {
			g.Managed = &world.ManagedGroup{Update: &world.ManagedUpdate{ID: "u-1", Status: status, Since: began}}
		}})
		reads := 0
		_ = follow(t, f, func(w *world.World) bool {
			reads++
			if got := w.Group.Activities; reads > 3 && (len(got) != want || want == 1 && got[0].ID != "late") {
				t.Errorf("%s: %+v", status, got)
			}
			return reads > 5
		})
		if n := len(s.sent("DescribeScalingActivities")) - before; n != want {
			t.Errorf("%s: read %d times", status, n)
		}
	}
}

// A forecast knows when machines were launched, how long others took to end, and how the last
// launches went, from one read before the group is followed. What may not be read is not missed.
func TestFeedReadsHistory(t *testing.T) {
	at := time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)
	in := func(d time.Duration) string { return at.Add(d).Format(time.RFC3339) }
	tried := func(id, status, what string, start, end time.Duration, more ...string) string {
		return e(append([]string{"ActivityId", id, "StatusCode", status, "Description", what, "StartTime", in(start), "EndTime", in(end), "Details", `{"Availability Zone":"eu-west-1a"}`}, more...)...)
	}
	for _, denied := range []bool{false, true} {
		s, c := connect(t)
		s.withGroup("InService")
		s.on("DescribeInstances", reservation(machine("i-1", "running")+e("launchTime", in(-time.Hour)), machine("i-2", "running")+e("launchTime", in(-2*time.Hour)), machine("i-3", "pending")))
		s.on("DescribeScalingActivities", members("Activities",
			tried("a-6", "InProgress", "Terminating EC2 instance: i-9", -time.Minute, 0),
			tried("a-5", "Failed", "Launching a new EC2 instance.  Status Reason: no", -2*time.Minute, -time.Minute, "StatusMessage", "We currently do not have sufficient m5.large capacity. Launching EC2 instance failed."),
			tried("a-4", "Successful", "Terminating EC2 instance: i-8", -20*time.Minute, -14*time.Minute),
			tried("a-3", "Successful", "Launching a new EC2 instance: i-1", -time.Hour, -59*time.Minute),
			tried("a-2", "Cancelled", "Terminating EC2 instance: i-7", -3*time.Hour, -2*time.Hour),
			tried("a-1", "Successful", "Terminating EC2 instance: i-6", -5*time.Hour, -5*time.Hour+70*time.Second)))
		if denied {
			s.on("DescribeInstances", fail(403, "UnauthorizedOperation", "no"))
			s.on("DescribeScalingActivities", fail(403, "AccessDenied", "no"))
		}
		f := c.Feed("web", FeedOptions{Lately: true, Now: func() time.Time { return at }})
		follow(t, f, func(w *world.World) bool {
			if h := w.Health[world.Cloud]; h != (world.Health{Fresh: at}) {
				t.Errorf("denied %t: %+v", denied, h)
			}
			l := w.Group.Lately
			if denied {
				if len(l.Launched)+len(l.Ends)+len(l.Launches) > 0 || w.Group.Lacks(at) != nil {
					t.Errorf("denied: %+v", l)
				}
				return true
			}
			if len(l.Launched) != 2 || !l.Launched["i-2"].Equal(at.Add(-2*time.Hour)) || len(l.Ends) != 2 || l.Ends[0] != 6*time.Minute || l.Ends[1] != 70*time.Second {
				t.Errorf("%+v", l)
			}
			if len(l.Launches) != 2 || !l.Launches[0].Failed || !l.Launches[1].Launched || l.Launches[1].Launches != "i-1" || len(w.Group.Activities) > 0 {
				t.Errorf("%+v, %+v", l.Launches, w.Group.Activities)
			}
			if k := w.Group.Lacks(at); len(k) != 1 || k[0].Zone != "eu-west-1a" || k[0].Message != "We currently do not have sufficient m5.large capacity" {
				t.Errorf("lacks %+v", k)
			}
			return true
		})
		if n, m := len(s.sent("DescribeScalingActivities")), len(s.sent("DescribeInstances")); n != 1 || m != 1 {
			t.Errorf("denied %t: %d and %d calls", denied, n, m)
		}
	}
}
