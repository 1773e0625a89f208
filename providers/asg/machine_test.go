package asg

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/record"
)

// member is the answer to DescribeAutoScalingInstances.
func member(group, state string) string {
	return members("AutoScalingInstances", e("InstanceId", "i-1", "AutoScalingGroupName", group, "LifecycleState", state))
}

func TestTerminate(t *testing.T) {
	state := func(s string) string {
		return items("reservationSet", items("instancesSet", e("instanceId", "i-1", "instanceState", e("name", s))))
	}
	tests := []struct {
		name, member, ec2, answer string
		verdict                   record.Verdict
		refusal                   record.Refusal
		words                     string
		sent                      int
	}{
		{"in service", member("web", "InService"), "", "", record.Done, "", "", 1},
		{"standby", member("web", "Standby"), "", "", record.Done, "", "", 1},
		{"terminating", member("web", "Terminating"), "", "", record.Done, "", "already terminating", 0},
		{"held by a hook", member("web", "Terminating:Wait"), "", "", record.Done, "", "already terminating", 0},
		{"in the warm pool", member("web", "Warmed:Stopped"), "", "", record.Refused, record.RefusedInvalid, "is in the warm pool of group web", 0},
		{"another group's", member("db", "InService"), "", "", record.Refused, record.RefusedGone, "belongs to group db, not web", 0},
		{"detached", member("web", "Detached"), "", "", record.Refused, record.RefusedGone, "no longer belongs to an", 0},
		{"detached and forgotten", "", state("running"), "", record.Refused, record.RefusedGone, "no longer belongs to an", 0},
		{"shutting down", "", state("shutting-down"), "", record.Done, "", "already terminating", 0},
		{"gone", "", fail(400, "InvalidInstanceID.NotFound", "The instance ID 'i-1' does not exist"), "", record.Done, "", "already terminating", 0},
		{"EC2 may not be asked", "", fail(403, "UnauthorizedOperation", "no"), "", record.Refused, record.RefusedGone, "no longer belongs to an", 0},
		{"may not look", fail(403, "AccessDenied", "no"), "", "", record.Refused, record.RefusedForbidden, "autoscaling:DescribeAutoScalingInstances", 0},

		{"lost answer", member("web", "InService"), "", drop, record.Unknown, "", "AWS does not answer", 1},
		{"throttled", member("web", "InService"), "", fail(400, "Throttling", "Rate exceeded"), record.Refused, record.RefusedBusy, "throttles", 1},
		{"trouble", member("web", "InService"), "", fail(500, "InternalFailure", "oops"), record.Unknown, "", "oops", 1},
		{"trouble before it", member("web", "InService"), "", fail(503, "ServiceUnavailable", "later"), record.Refused, record.RefusedBusy, "later", 1},
		{"gone meanwhile", member("web", "InService"), "", fail(400, "ValidationError", "Instance Id not found - No managed instance found for instance ID: i-1"), record.Refused, record.RefusedGone, "No managed instance", 1},
		{"below the minimum", member("web", "InService"), "", fail(400, "ValidationError", "Currently, desiredSize equals minSize (3). Terminating instance without replacement will violate group's min size constraint."), record.Refused, record.RefusedConflict, "min size constraint", 1},
		{"scaling", member("web", "InService"), "", fail(400, "ScalingActivityInProgress", "busy scaling"), record.Refused, record.RefusedBusy, "busy scaling", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, c := connect(t)
			s.on("DescribeAutoScalingInstances", tt.member)
			s.on("DescribeInstances", tt.ec2)
			s.on("TerminateInstanceInAutoScalingGroup", tt.answer)
			poked := 0
			o := c.Executor(ExecutorOptions{Changed: func() { poked++ }}).Do(t.Context(), record.Action{Kind: record.Terminate, Group: "web", Machine: "i-1", Decrement: true})
			expect(t, o, tt.verdict, tt.refusal, tt.words)
			sent := s.sent("TerminateInstanceInAutoScalingGroup")
			if len(sent) != tt.sent {
				t.Fatalf("sent %d times, want %d", len(sent), tt.sent)
			}
			if tt.sent > 0 && (sent[0].Get("InstanceId") != "i-1" || sent[0].Get("ShouldDecrementDesiredCapacity") != "true") {
				t.Errorf("sent %v", sent[0])
			}
			if changed := o.Verdict != record.Refused; changed != (poked == 1) {
				t.Errorf("told %d times of a change", poked)
			}
		})
	}
}

func TestLaunchIn(t *testing.T) {
	a := record.Action{Kind: record.LaunchIn, Group: "web", Zone: "eu-west-1c", Token: "run-1/eu-west-1c"}
	full := members("Errors", e("ErrorCode", "InsufficientInstanceCapacity", "ErrorMessage", "We do not have enough m5.large.", "AvailabilityZone", "eu-west-1c"))
	launched := members("Instances", e("InstanceType", "m5.large")+members("InstanceIds", "i-7"))
	s, c := connect(t)
	x := c.Executor(ExecutorOptions{})
	steps := []struct {
		answer  string
		verdict record.Verdict
		refusal record.Refusal
		words   string
		token   string
	}{
		{drop, record.Unknown, "", "", "run-1/eu-west-1c"},
		{fail(400, "IdempotentCallInProgress", "still at it"), record.Refused, record.RefusedBusy, "still at it", "run-1/eu-west-1c"},
		{full, record.Refused, record.RefusedCapacity, "no instance in eu-west-1c: We do not have enough m5.large (InsufficientInstanceCapacity)", "run-1/eu-west-1c"},
		{"", record.Unknown, "", "not confirmed the launch", "run-1/eu-west-1c/1"}, // the old token would be answered with the old no
		{fail(400, "ValidationError", "Above max size"), record.Refused, record.RefusedInvalid, "Above max size", "run-1/eu-west-1c/1"},
		{fail(400, "InvalidAction", "Could not find operation LaunchInstances"), record.Refused, record.RefusedInvalid, "does not offer LaunchInstances", "run-1/eu-west-1c/1"},
		{fail(400, "UnsupportedOperation", "warm pool"), record.Refused, record.RefusedInvalid, "does not offer LaunchInstances", "run-1/eu-west-1c/1"},
		{launched, record.Done, "", "i-7 is launching in eu-west-1c", "run-1/eu-west-1c/1"},
	}
	for i, step := range steps {
		s.on("LaunchInstances", step.answer)
		expect(t, x.Do(t.Context(), a), step.verdict, step.refusal, step.words)
		sent := s.sent("LaunchInstances")
		if len(sent) != i+1 {
			t.Fatalf("after step %d: sent %d times", i, len(sent))
		}
		if got := sent[i]; got.Get("ClientToken") != step.token || got.Get("AvailabilityZones.member.1") != "eu-west-1c" || got.Get("RequestedCapacity") != "1" || got.Get("RetryStrategy") != "none" {
			t.Errorf("step %d: sent %v", i, got)
		}
	}
}

// Why LaunchInstances refuses a group is said in words.
func TestLaunchNotServed(t *testing.T) {
	a := record.Action{Kind: record.LaunchIn, Group: "web", Zone: "eu-west-1c", Token: "run-1/eu-west-1c"}
	mixed := func(base, percent string) string {
		return e("MixedInstancesPolicy", e("InstancesDistribution", e("OnDemandBaseCapacity", base, "OnDemandPercentageAboveBaseCapacity", percent)))
	}
	for _, tt := range []struct{ group, code, want string }{
		{e("WarmPoolConfiguration", e("MinSize", "1")), "UnsupportedOperation", "the group has a warm pool"},
		{mixed("0", "20"), "ValidationError", "the group mixes On-Demand and Spot instances"},
		{mixed("1", "0"), "ValidationError", "the group mixes On-Demand and Spot instances"},
		{mixed("0", "0"), "ValidationError", "the service's own words"},
		{"", "ValidationError", "the service's own words"},
	} {
		s, c := connect(t)
		s.on("LaunchInstances", fail(400, tt.code, "the service's own words"))
		s.on("DescribeAutoScalingGroups", groups(group("web", tt.group)))
		if o := do(t, c, a); o.Verdict != record.Refused || o.Refusal != record.RefusedInvalid || !strings.HasPrefix(o.Message, tt.want) {
			t.Errorf("%s: got %+v", tt.group, o)
		}
		foreseen := notServed(described(t, c))
		if known := strings.HasPrefix(tt.want, "the group"); known != strings.HasPrefix(foreseen, tt.want) || known != (foreseen != "") {
			t.Errorf("%s: a plan foresees %q", tt.group, foreseen)
		}
	}
}

func described(t *testing.T, c *Client) types.AutoScalingGroup {
	t.Helper()
	g, err := c.describe(t.Context(), "web")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestEndWarm(t *testing.T) {
	state := func(s string) string {
		return items("reservationSet", items("instancesSet", e("instanceId", "i-1", "instanceState", e("name", s))))
	}
	tests := []struct {
		name, member, ec2, answer string
		verdict                   record.Verdict
		refusal                   record.Refusal
		words                     string
		sent                      int
	}{
		{"stopped", member("web", "Warmed:Stopped"), state("stopped"), "", record.Done, "", "", 1},
		{"running in the pool", member("web", "Warmed:Running"), state("running"), "", record.Done, "", "", 1},
		{"EC2 may not be asked", member("web", "Warmed:Stopped"), fail(403, "UnauthorizedOperation", "no"), "", record.Refused, record.RefusedForbidden, "ec2:DescribeInstances", 0},
		{"EC2 does not tell", member("web", "Warmed:Stopped"), fail(400, "ExpiredToken", "The provided token has expired."), "", record.Refused, record.RefusedBusy, "expired", 0},
		{"being started", member("web", "Warmed:Stopped"), state("pending"), "", record.Refused, record.RefusedConflict, "may be taking it into service", 0},
		{"held by a hook", member("web", "Warmed:Pending:Wait"), state("running"), "", record.Done, "", "", 1},
		{"terminating", member("web", "Warmed:Terminating:Wait"), state("stopped"), "", record.Done, "", "already terminating", 0},
		{"ended, and not noticed yet", member("web", "Warmed:Stopped"), state("shutting-down"), "", record.Done, "", "already terminating", 0},
		{"taken into service", member("web", "InService"), state("running"), "", record.Refused, record.RefusedGone, "took it into service", 0},
		{"about to be in service", member("web", "Pending"), state("pending"), "", record.Refused, record.RefusedGone, "took it into service", 0},
		{"another group's", member("db", "Warmed:Stopped"), state("stopped"), "", record.Refused, record.RefusedGone, "belongs to group db, not web", 0},
		{"detached", "", state("running"), "", record.Refused, record.RefusedGone, "no longer belongs to an", 0},
		{"gone", "", fail(400, "InvalidInstanceID.NotFound", "The instance ID 'i-1' does not exist"), "", record.Done, "", "already terminating", 0},
		{"may not look", fail(403, "AccessDenied", "no"), "", "", record.Refused, record.RefusedForbidden, "autoscaling:DescribeAutoScalingInstances", 0},

		{"lost answer", member("web", "Warmed:Stopped"), state("stopped"), drop, record.Unknown, "", "AWS does not answer", 1},
		{"throttled", member("web", "Warmed:Stopped"), state("stopped"), fail(503, "RequestLimitExceeded", "Request limit exceeded."), record.Refused, record.RefusedBusy, "throttles", 1},
		{"may not", member("web", "Warmed:Stopped"), state("stopped"), fail(403, "UnauthorizedOperation", "no"), record.Refused, record.RefusedForbidden, "ec2:TerminateInstances", 1},
		{"gone meanwhile", member("web", "Warmed:Stopped"), state("stopped"), fail(400, "InvalidInstanceID.NotFound", "The instance ID 'i-1' does not exist"), record.Done, "", "already gone", 1},
		{"protected", member("web", "Warmed:Stopped"), state("stopped"), fail(400, "OperationNotPermitted", "The instance may not be terminated. Modify its 'disableApiTermination' instance attribute and try again."), record.Refused, record.RefusedInvalid, "disableApiTermination", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, c := connect(t)
			s.on("DescribeAutoScalingInstances", tt.member)
			s.on("DescribeInstances", tt.ec2)
			s.on("TerminateInstances", tt.answer)
			a := record.Action{Kind: record.EndWarm, Group: "web", Machine: "i-1", Zone: "eu-west-1a"}
			expect(t, do(t, c, a), tt.verdict, tt.refusal, tt.words)
			sent := s.sent("TerminateInstances")
			if len(sent) != tt.sent {
				t.Fatalf("sent %d times, want %d", len(sent), tt.sent)
			}
			if tt.sent > 0 && (sent[0].Get("InstanceId.1") != "i-1" || sent[0].Has("InstanceId.2")) {
				t.Errorf("sent %v", sent[0])
			}
			if n := len(s.sent("TerminateInstanceInAutoScalingGroup")); n != 0 {
				t.Error("asked the group, which does not end such machines")
			}
			check := do(t, c, record.Action{Kind: record.CheckEffect, Of: &a})
			if ending := tt.verdict == record.Done && tt.sent == 0; check.Happened != ending {
				t.Errorf("check: got %+v", check)
			}
		})
	}
}

func TestLaunchCheck(t *testing.T) {
	a := record.Action{Kind: record.LaunchIn, Group: "web", Zone: "eu-west-1c", Token: "run-1/eu-west-1c"}
	s, c := connect(t)
	for answer, want := range map[string]bool{
		items("reservationSet", items("instancesSet", e("instanceId", "i-1"))): true,
		"":                                       false,
		fail(403, "UnauthorizedOperation", "no"): false,
	} {
		s.on("DescribeInstances", answer)
		if o := do(t, c, record.Action{Kind: record.CheckEffect, Of: &a}); o.Verdict != record.Done || o.Happened != want {
			t.Errorf("got %+v, want %v", o, want)
		}
	}
	sent := s.sent("DescribeInstances")[0]
	if sent.Get("Filter.1.Name") != "client-token" || sent.Get("Filter.1.Value.1") != "run-1/eu-west-1c" || sent.Get("Filter.1.Value.2") != "run-1/eu-west-1c/*" {
		t.Errorf("sent %v", sent)
	}
}

func TestToken(t *testing.T) {
	if got := token("run-1/eu-west-1a", 0); got != "run-1/eu-west-1a" {
		t.Errorf("got %s", got)
	}
	for _, odd := range []string{strings.Repeat("x", 65), "2026-11-21T01:02:03.4", ""} {
		got := token(odd, 12)
		if len(got) > 64 || !plainToken.MatchString(strings.TrimSuffix(got, "/12")) || got != token(odd, 12) || got == token(odd+".", 12) {
			t.Errorf("token(%q) = %q", odd, got)
		}
	}
}

// Whether the end of a machine took the desired size down is told by the group's history, and by
// nothing else: another user may have ended it.
func TestCheckOfTerminate(t *testing.T) {
	a := record.Action{Kind: record.Terminate, Group: "web", Machine: "i-1", Decrement: true}
	activity := func(id, cause string) string {
		return e("ActivityId", "a-"+id, "Description", "Terminating EC2 instance: "+id, "Cause", "At 2026-03-01T12:00:00Z "+cause,
			"StartTime", "2026-03-01T12:00:00Z", "StatusCode", "InProgress")
	}
	request := "instance i-1 was taken out of service in response to a user request"
	for _, tt := range []struct {
		name, answer string
		shrunk       bool
	}{
		{"ours", members("Activities", activity("i-2", "instance i-2 was taken out of service in response to a user request."), activity("i-1", request+", shrinking the capacity from 3 to 2.")), true},
		{"without decrement", members("Activities", activity("i-1", request+".")), false},
		{"chosen by the group", members("Activities", activity("i-1", "an instance was taken out of service in response to a difference between desired and actual capacity, shrinking the capacity from 3 to 2.")), false},
		{"ended through EC2", members("Activities", activity("i-1", "an instance was taken out of service in response to an EC2 health check indicating it has been terminated or stopped.")), false},
		{"another machine", members("Activities", activity("i-2", "instance i-2 was taken out of service in response to a user request, shrinking the capacity from 3 to 2.")), false},
		{"not told yet", "", false},
		{"not to be read", fail(403, "AccessDenied", "not authorized"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, c := connect(t)
			s.on("DescribeAutoScalingInstances", members("AutoScalingInstances", e("InstanceId", "i-1", "AutoScalingGroupName", "web", "LifecycleState", "Terminating")))
			s.on("DescribeScalingActivities", tt.answer)
			o := do(t, c, record.Action{Kind: record.CheckEffect, Of: &a})
			if o.Verdict != record.Done || !o.Happened || o.Shrunk != tt.shrunk {
				t.Errorf("got %+v", o)
			}
		})
	}
}
