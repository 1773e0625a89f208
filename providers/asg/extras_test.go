package asg

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

func TestFeedHooks(t *testing.T) {
	s, c := connect(t)
	s.withGroup("Terminating:Wait")
	s.on("DescribeScalingActivities", "")
	s.on("DescribeLifecycleHooks", members("LifecycleHooks",
		e("LifecycleHookName", "join", "LifecycleTransition", "autoscaling:EC2_INSTANCE_LAUNCHING", "HeartbeatTimeout", "300", "DefaultResult", "ABANDON"),
		e("LifecycleHookName", "flush", "LifecycleTransition", "autoscaling:EC2_INSTANCE_TERMINATING", "HeartbeatTimeout", "3600", "DefaultResult", "CONTINUE")))
	seen := 0
	follow(t, c.Feed("web", FeedOptions{Fast: 5 * time.Millisecond}), func(w *world.World) bool {
		want := []world.Hook{{Name: "flush", Timeout: time.Hour}, {Name: "join", Launching: true, Timeout: 5 * time.Minute, Abandon: true}}
		if !slices.Equal(w.Group.Hooks, want) {
			t.Errorf("got %+v", w.Group.Hooks)
		}
		if m := w.Machine("i-3"); !m.Leaving() || m.Detail != "Terminating:Wait" {
			t.Errorf("got %+v", m)
		}
		seen++
		return seen == 5
	})
	if n := len(s.sent("DescribeLifecycleHooks")); n != 1 {
		t.Errorf("read the hooks %d times, want once a minute", n)
	}
}

// A hook that was added meanwhile is looked for when a machine waits for it.
func TestFeedHookAddedMeanwhile(t *testing.T) {
	s, c := connect(t)
	s.withGroup("Terminating:Wait")
	s.on("DescribeScalingActivities", "")
	f := c.Feed("web", FeedOptions{Fast: 5 * time.Millisecond})
	seen := 0
	follow(t, f, func(w *world.World) bool {
		seen++
		if seen == 3 {
			s.on("DescribeLifecycleHooks", members("LifecycleHooks",
				e("LifecycleHookName", "flush", "LifecycleTransition", "autoscaling:EC2_INSTANCE_TERMINATING", "HeartbeatTimeout", "60", "DefaultResult", "CONTINUE")))
			f.extras.hooksAt = f.extras.hooksAt.Add(-busyEvery) // some seconds later
		}
		if seen == 4 && len(w.Group.Hooks) != 1 {
			t.Errorf("got %+v", w.Group.Hooks)
		}
		return seen == 6
	})
	if n := len(s.sent("DescribeLifecycleHooks")); n != 2 {
		t.Errorf("read the hooks %d times, want 2", n)
	}
}

// withWarmPool answers for a group with a warm pool of a size, of which the first
// machine is in the state.
func (s *service) withWarmPool(size int, state string) {
	s.on("DescribeAutoScalingGroups", groups(group("web", e("LaunchTemplate", spec("lt-1", "$Latest")),
		members("Instances", instance("i-1", "eu-west-1a", "InService", "3"), instance("i-2", "eu-west-1a", "InService", "2"), instance("i-3", "eu-west-1b", "InService", "2")),
		e("WarmPoolSize", fmt.Sprint(size), "WarmPoolConfiguration", e("MinSize", "1")))))
	s.onCall("DescribeWarmPool", func(f url.Values) string {
		if f.Get("NextToken") == "" {
			return members("Instances", instance("i-8", "eu-west-1a", state, "2")) + e("NextToken", "more")
		}
		return members("Instances", instance("i-9", "eu-west-1b", "Warmed:Stopped", "3"), instance("i-0", "eu-west-1b", "Warmed:Terminated", "3"))
	})
}

func TestFeedWarmPool(t *testing.T) {
	s, c := connect(t)
	s.withGroup("InService")
	s.withWarmPool(2, "Warmed:Terminating:Wait")
	follow(t, c.Feed("web", FeedOptions{}), func(w *world.World) bool {
		g := w.Group.Warm
		if len(g) != 2 || g[0].ID != "i-8" || !g[0].Leaving() || g[0].Detail != "Warmed:Terminating:Wait" || g[0].Template != (world.Template{ID: "lt-1", Version: 2}) ||
			g[1].ID != "i-9" || g[1].State != world.MachineStandby || g[1].Zone != "eu-west-1b" || g[1].Template.Version != 3 {
			t.Errorf("got %+v", g)
		}
		if len(w.Machines()) != 3 {
			t.Errorf("%d members", len(w.Machines()))
		}
		return true
	})
}

// At rest the warm pool is read as rarely as what else changes slowly, unless its
// size says that it changed.
func TestFeedWarmPoolIsReadRarely(t *testing.T) {
	s, c := connect(t)
	s.withGroup("InService")
	s.withWarmPool(2, "Warmed:Stopped")
	f := c.Feed("web", FeedOptions{Slow: 5 * time.Millisecond})
	seen := 0
	follow(t, f, func(w *world.World) bool {
		seen++
		switch seen {
		case 5:
			s.withWarmPool(1, "Warmed:Stopped")
			f.extras.warmAt = f.extras.warmAt.Add(-busyEvery) // some seconds later
		case 10:
			s.on("DescribeWarmPool", fail(403, "AccessDenied", "no"))
			f.extras.warmAt = f.extras.warmAt.Add(-extrasEvery)
		case 11:
			f.poked = time.Now() // as after a change of ours
		case 12:
			if len(w.Group.Warm) != 2 || w.Health[world.Cloud].Problem == "" || w.Health[world.Cloud].Fresh.IsZero() {
				t.Errorf("got %+v %+v", w.Group.Warm, w.Health[world.Cloud])
			}
			s.withGroup("InService") // the warm pool is gone
		case 14:
			if len(w.Group.Warm) != 0 || w.Health[world.Cloud].Problem != "" {
				t.Errorf("got %+v %+v", w.Group.Warm, w.Health[world.Cloud])
			}
		}
		return seen == 14
	})
	if n := len(s.sent("DescribeWarmPool")); n != 2+2+1+1 {
		t.Errorf("read %d pages of the warm pool, want 2 at first, 2 when its size changed, 1 after a minute, 1 after a change", n)
	}
}

// Which machines are Spot is asked once for each, of a group that may have any.
func TestFeedSpot(t *testing.T) {
	s, c := connect(t)
	s.withGroup("InService")
	mixed := func(more ...string) {
		s.on("DescribeAutoScalingGroups", groups(group("web", e("MixedInstancesPolicy", e("LaunchTemplate", e("LaunchTemplateSpecification", spec("lt-1", "2")))),
			members("Instances", append(more, instance("i-1", "eu-west-1a", "InService", "2"), instance("i-2", "eu-west-1a", "InService", "2"), instance("i-3", "eu-west-1a", "InService", "2"))...))))
	}
	mixed()
	s.onCall("DescribeInstances", func(f url.Values) string {
		if f.Get("Filter.1.Name") != "instance-id" {
			t.Errorf("sent %v", f)
		}
		if f.Get("Filter.1.Value.1") == "i-4" {
			return ""
		}
		return items("reservationSet", items("instancesSet", e("instanceId", "i-1"), e("instanceId", "i-2", "instanceLifecycle", "spot"), e("instanceId", "i-3", "instanceLifecycle", "scheduled")))
	})
	f := c.Feed("web", FeedOptions{Slow: 5 * time.Millisecond})
	seen := 0
	follow(t, f, func(w *world.World) bool {
		if w.Machine("i-1").Spot || !w.Machine("i-2").Spot || w.Machine("i-3").Spot {
			t.Errorf("got %+v", w.Machines())
		}
		seen++
		if seen == 3 {
			mixed(instance("i-4", "eu-west-1a", "InService", "2"))
			f.extras.spotAt = time.Time{}
		}
		return seen == 6
	})
	if sent := s.sent("DescribeInstances"); len(sent) != 2 || sent[1].Has("Filter.1.Value.2") {
		t.Errorf("asked %d times, want once for three machines and once for a fourth", len(sent))
	}
}

// A template may ask for Spot without any policy.
func TestFeedSpotByTemplate(t *testing.T) {
	s, c := connect(t)
	s.withGroup("InService")
	s.on("DescribeLaunchTemplateVersions", items("launchTemplateVersionSet", e("launchTemplateId", "lt-1", "versionNumber", "3",
		"launchTemplateData", e("imageId", "ami-3", "instanceMarketOptions", e("marketType", "spot")))))
	s.on("DescribeInstances", fail(403, "UnauthorizedOperation", "no"))
	seen := 0
	follow(t, c.Feed("web", FeedOptions{Slow: 5 * time.Millisecond}), func(w *world.World) bool {
		if h := w.Health[world.Cloud]; h.Fresh.IsZero() || h.Problem == "" {
			t.Errorf("got %+v", h)
		}
		seen++
		return seen == 4
	})
	if n := len(s.sent("DescribeInstances")); n != 1 {
		t.Errorf("asked %d times for what is forbidden", n)
	}
}
