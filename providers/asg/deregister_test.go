package asg

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

const (
	webTargets = "arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/web-https/0123"
	apiTargets = "arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/api/4567"
)

// balancers are the load balancers of a service: the states in which a machine is seen
// to be at each look, by target group or name. The last one stays.
type balancers struct {
	mu     sync.Mutex
	states map[string][]string
}

// withBalancers answers for group web with these load balancers.
func (s *service) withBalancers(states map[string][]string) {
	b := &balancers{states: states}
	var names, arns []string
	for name := range states {
		if strings.HasPrefix(name, "arn:") {
			arns = append(arns, name)
		} else {
			names = append(names, name)
		}
	}
	s.on("DescribeAutoScalingGroups", groups(group("web", members("LoadBalancerNames", names...), members("TargetGroupARNs", arns...))))
	s.onCall("DescribeTargetHealth", func(f url.Values) string {
		state := b.next(f.Get("TargetGroupArn"))
		if strings.HasPrefix(state, "\x00") {
			return state
		}
		return members("TargetHealthDescriptions", e("Target", e("Id", f.Get("Targets.member.1.Id")), "TargetHealth", e("State", state)))
	})
	s.onCall("DescribeInstanceHealth", func(f url.Values) string {
		state := b.next(f.Get("LoadBalancerName"))
		if state == "" || strings.HasPrefix(state, "\x00") {
			return state
		}
		state, description, _ := strings.Cut(state, ":")
		return members("InstanceStates", e("InstanceId", f.Get("Instances.member.1.InstanceId"), "State", state, "Description", description))
	})
	s.on("DeregisterTargets", "")
	s.on("DeregisterInstancesFromLoadBalancer", "")
}

func (b *balancers) next(name string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	states := b.states[name]
	if len(states) > 1 {
		b.states[name] = states[1:]
	}
	return states[0]
}

// deregister takes i-1 out of the load balancers of group web.
func deregister(ctx context.Context, c *Client, limit time.Duration) record.Outcome {
	x := c.Executor(ExecutorOptions{DeregisterPoll: time.Millisecond})
	return x.Do(ctx, record.Action{Kind: record.Deregister, Group: "web", Machine: "i-1", Limit: limit})
}

func TestDeregister(t *testing.T) {
	const leaving = "InService:Instance deregistration currently in progress."
	busy := fail(400, "ResourceInUse", "later")
	for _, tt := range []struct {
		name    string
		states  map[string][]string
		sent    int // deregistrations
		already bool
	}{
		{"no load balancers", nil, 0, true},
		{"in a target group", map[string][]string{webTargets: {"healthy", "draining", "draining", "unused"}}, 1, false},
		{"unhealthy there", map[string][]string{webTargets: {"unhealthy", "unused"}}, 1, false},
		{"leaving by itself", map[string][]string{webTargets: {"draining", "unused"}}, 0, false},
		{"not registered", map[string][]string{webTargets: {"unused"}, "old": {"OutOfService:Instance is not currently registered with the LoadBalancer."}}, 0, true},
		{"in a classic one", map[string][]string{"old": {"InService:N/A", leaving, leaving, "OutOfService:Instance is not currently registered with the LoadBalancer."}}, 1, false},
		{"in several", map[string][]string{webTargets: {"initial", "draining", "unused"}, apiTargets: {"healthy", "unused"}, "old": {"InService:N/A", ""}}, 3, false},
		{"a look that does not know it yet", map[string][]string{webTargets: {"healthy", "healthy", "draining", "unused"}}, 2, false},
		{"a target group that is gone", map[string][]string{webTargets: {fail(400, "TargetGroupNotFound", "One or more target groups not found")}}, 0, true},
		{"a load balancer that is gone", map[string][]string{"old": {fail(400, "LoadBalancerNotFound", "There is no ACTIVE Load Balancer named 'old'")}}, 0, true},
		{"a machine that is gone", map[string][]string{"old": {fail(400, "InvalidInstance", "Could not find EC2 instance i-1.")}, webTargets: {fail(400, "InvalidTarget", "The following targets are not in the VPC")}}, 0, true},
		{"a bad minute", map[string][]string{webTargets: {"healthy", busy, fail(400, "Throttling", "Rate exceeded"), busy, "draining", "unused"}}, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, c := connect(t)
			s.withBalancers(tt.states)
			o := deregister(t.Context(), c, time.Minute)
			if expect(t, o, record.Done, "", ""); o.Message != "" || o.Already != tt.already {
				t.Errorf("got %+v", o)
			}
			if sent := len(s.sent("DeregisterTargets")) + len(s.sent("DeregisterInstancesFromLoadBalancer")); sent != tt.sent {
				t.Errorf("deregistered %d times, want %d", sent, tt.sent)
			}
			for _, f := range s.sent("DeregisterTargets") {
				if tt.states[f.Get("TargetGroupArn")] == nil || f.Get("Targets.member.1.Id") != "i-1" || f.Has("Targets.member.1.Port") {
					t.Errorf("sent %v", f)
				}
			}
			for _, f := range s.sent("DeregisterInstancesFromLoadBalancer") {
				if f.Get("LoadBalancerName") != "old" || f.Get("Instances.member.1.InstanceId") != "i-1" {
					t.Errorf("sent %v", f)
				}
			}
		})
	}
}

// A machine that does not get out in time is said to be in, and holds nothing up.
func TestDeregisterTakesTooLong(t *testing.T) {
	s, c := connect(t)
	s.withBalancers(map[string][]string{webTargets: {"healthy", "draining"}, apiTargets: {"unused"}})
	o := deregister(t.Context(), c, 50*time.Millisecond)
	expect(t, o, record.Done, "", "i-1 has not left target group web-https within 50ms: open connections are cut")
	if o.Already {
		t.Errorf("got %+v", o)
	}
}

// Time in which AWS cannot be seen is not the machine's: credentials that were expired for
// longer than the limit do not cut a connection.
func TestDeregisterOutOfSight(t *testing.T) {
	const limit = 500 * time.Millisecond
	s, c := connect(t)
	states := []string{"healthy", "draining"}
	for range limit / time.Millisecond { // a look takes a millisecond at least
		states = append(states, fail(400, "ExpiredToken", "expired"))
	}
	s.withBalancers(map[string][]string{webTargets: append(states, "draining", "unused")})
	if o := deregister(t.Context(), c, limit); o.Verdict != record.Done || o.Message != "" {
		t.Errorf("got %+v", o)
	}
}

// Where nothing could be seen until the time was up, nothing is said to have happened.
func TestDeregisterBlind(t *testing.T) {
	s, c := connect(t)
	s.withBalancers(map[string][]string{"old": {fail(400, "ValidationError", "later")}})
	expect(t, deregister(t.Context(), c, 20*time.Millisecond), record.Refused, record.RefusedBusy, "later")
}

func TestDeregisterRefused(t *testing.T) {
	denied := fail(403, "AccessDenied", "User: arn:aws:iam::1:user/me is not authorized")
	for _, tt := range []struct{ denied, want string }{
		{"DescribeAutoScalingGroups", "autoscaling:DescribeAutoScalingGroups"},
		{"DescribeTargetHealth", "elasticloadbalancing:DescribeTargetHealth to arn:aws:iam::1:user/me"},
		{"DeregisterTargets", "elasticloadbalancing:DeregisterTargets"},
		{"DescribeInstanceHealth", "elasticloadbalancing:DescribeInstanceHealth"},
		{"DeregisterInstancesFromLoadBalancer", "elasticloadbalancing:DeregisterInstancesFromLoadBalancer"},
	} {
		s, c := connect(t)
		s.withBalancers(map[string][]string{webTargets: {"healthy"}, "old": {"InService:N/A"}})
		s.on(tt.denied, denied)
		expect(t, deregister(t.Context(), c, time.Minute), record.Refused, record.RefusedForbidden, "AWS does not allow the IAM action "+tt.want)
	}
}

// A request whose answer was lost is looked after, and made again if it did nothing.
func TestDeregisterLostAnswer(t *testing.T) {
	s, c := connect(t)
	s.withBalancers(map[string][]string{webTargets: {"healthy", "healthy", "draining", "unused"}})
	sent := 0
	s.onCall("DeregisterTargets", func(url.Values) string {
		if sent++; sent == 1 {
			return fail(400, "ServiceUnavailable", "oops")
		}
		return ""
	})
	expect(t, deregister(t.Context(), c, time.Minute), record.Done, "", "")
	if n := len(s.sent("DeregisterTargets")); n != 2 {
		t.Errorf("sent %d times", n)
	}
}

func TestDeregisterStopped(t *testing.T) {
	s, c := connect(t)
	ctx, stop := context.WithCancel(t.Context())
	s.withBalancers(map[string][]string{webTargets: {"healthy", "draining"}})
	s.onCall("DeregisterTargets", func(url.Values) string { stop(); return "" })
	expect(t, deregister(ctx, c, time.Hour), record.Unknown, "", "interrupted while i-1 was leaving target group web-https")
}

func TestCheckDeregister(t *testing.T) {
	for _, tt := range []struct {
		states map[string][]string
		want   bool
	}{
		{nil, true},
		{map[string][]string{webTargets: {"unused"}, "old": {""}}, true},
		{map[string][]string{webTargets: {"draining"}, "old": {""}}, false},
		{map[string][]string{webTargets: {"unused"}, "old": {"InService:N/A"}}, false},
	} {
		s, c := connect(t)
		s.withBalancers(tt.states)
		o := do(t, c, record.Action{Kind: record.CheckEffect, Of: &record.Action{Kind: record.Deregister, Group: "web", Machine: "i-1", Limit: time.Minute}})
		if o.Verdict != record.Done || o.Happened != tt.want {
			t.Errorf("%v: got %+v", tt.states, o)
		}
		if got := s.changes(); got != "" {
			t.Errorf("a look sent %s", got)
		}
	}
}

// Load balancers say which of them have a machine, or connections to it; one that cannot be asked leaves that open.
func TestLookAtBalancers(t *testing.T) {
	const leaving = "InService:Instance deregistration currently in progress."
	for _, tt := range []struct {
		name    string
		states  map[string][]string
		has     string
		refusal record.Refusal
	}{
		{"in both", map[string][]string{webTargets: {"healthy"}, "old": {"InService"}}, "load balancer old, target group web-https", ""},
		{"connections are left", map[string][]string{webTargets: {"draining"}, "old": {leaving}}, "load balancer old, target group web-https", ""},
		{"unhealthy ones may get traffic", map[string][]string{webTargets: {"unhealthy"}, "old": {"OutOfService"}}, "target group web-https", ""},
		{"in none", map[string][]string{webTargets: {"unused"}, "old": {fail(400, "InvalidInstance", "no such")}}, "", ""},
		{"not allowed", map[string][]string{webTargets: {fail(403, "AccessDenied", "no")}}, "", record.RefusedForbidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, c := connect(t)
			s.withBalancers(tt.states)
			var names []string
			for name := range tt.states {
				names = append(names, name)
			}
			o := c.Executor(ExecutorOptions{}).Do(t.Context(), record.Action{Kind: record.LookAtBalancers, Group: "web", Machine: "i-1", Balancers: names})
			slices.Sort(o.Balancers)
			if has := strings.Join(o.Balancers, ", "); has != tt.has || o.Refusal != tt.refusal {
				t.Errorf("got %q, %s (%s)", has, o.Refusal, o.Message)
			}
			if n := len(s.sent("DeregisterTargets")) + len(s.sent("DeregisterInstancesFromLoadBalancer")); n > 0 {
				t.Errorf("%d requests take a machine out", n)
			}
		})
	}
}
