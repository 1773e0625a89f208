package asg

import (
	"net/url"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

const detachedTag = "example.com/detached-from"

func TestDetach(t *testing.T) {
	yes := e("return", "true")
	tests := []struct {
		name, member, ec2, tag, answer, untag string
		verdict                               record.Verdict
		refusal                               record.Refusal
		words                                 string
		sent                                  string // the calls that change something, in order
	}{
		{"in service", member("web", "InService"), "", yes, "", "", record.Done, "", "", "CreateTags DetachInstances"},
		{"ending", member("web", "Terminating:Wait"), "", "", "", "", record.Done, "", "is already ending", ""},
		{"gone", "", fail(400, "InvalidInstanceID.NotFound", "The instance ID 'i-1' does not exist"), "", "", "", record.Done, "", "is already ending", ""},
		{"detached", "", reservation(machine("i-1", "running", detachedTag, "web")), "", "", "", record.Done, "", "is already detached", ""},
		{"leaving its load balancers", member("web", "Detaching"), reservation(machine("i-1", "running", detachedTag, "web")), "", "", "", record.Done, "", "is already detached", ""},
		{"detached from another", "", reservation(machine("i-1", "running", detachedTag, "db")), "", "", "", record.Refused, record.RefusedGone, "no longer belongs to an", ""},
		{"detached by another user", "", reservation(machine("i-1", "running", "Name", "web")), "", "", "", record.Refused, record.RefusedGone, "no longer belongs to an", ""},
		{"another group's", member("db", "InService"), "", "", "", "", record.Refused, record.RefusedGone, "belongs to group db, not web", ""},
		{"in the warm pool", member("web", "Warmed:Stopped"), "", "", "", "", record.Refused, record.RefusedInvalid, "is in the warm pool", ""},
		{"may not look", fail(403, "AccessDenied", "no"), "", "", "", "", record.Refused, record.RefusedForbidden, "autoscaling:DescribeAutoScalingInstances", ""},

		{"may not tag", member("web", "InService"), "", fail(403, "UnauthorizedOperation", "no"), "", "", record.Refused, record.RefusedForbidden, "ec2:CreateTags", "CreateTags"},
		{"may not detach", member("web", "InService"), "", yes, fail(403, "AccessDenied", "no"), yes, record.Refused, record.RefusedForbidden, "autoscaling:DetachInstances", "CreateTags DetachInstances DeleteTags"},
		{"nor untag", member("web", "InService"), "", yes, fail(403, "AccessDenied", "no"), fail(403, "UnauthorizedOperation", "no"), record.Refused, record.RefusedForbidden, "its tag " + detachedTag + " was not removed: AWS does not allow the IAM action ec2:DeleteTags", "CreateTags DetachInstances DeleteTags"},
		{"left meanwhile", member("web", "InService"), "", yes, fail(400, "ValidationError", "The instance i-1 is not part of Auto Scaling group web."), "", record.Done, "", "is already not in its group", "CreateTags DetachInstances"},
		{"pending", member("web", "Pending"), "", yes, fail(400, "ValidationError", "The instance i-1 is not in InService or Standby."), "", record.Refused, record.RefusedConflict, "InService or Standby", "CreateTags DetachInstances"},
		{"throttled", member("web", "InService"), "", yes, fail(400, "Throttling", "Rate exceeded"), "", record.Refused, record.RefusedBusy, "throttles", "CreateTags DetachInstances"},
		{"scaling", member("web", "InService"), "", yes, fail(400, "ScalingActivityInProgress", "busy scaling"), "", record.Refused, record.RefusedBusy, "busy scaling", "CreateTags DetachInstances"},
		{"lost answer", member("web", "InService"), "", yes, drop, "", record.Unknown, "", "AWS does not answer", "CreateTags DetachInstances"},
		{"trouble", member("web", "InService"), "", yes, fail(500, "InternalFailure", "oops"), "", record.Unknown, "", "oops", "CreateTags DetachInstances"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, c := connect(t)
			s.on("DescribeAutoScalingInstances", tt.member)
			s.on("DescribeInstances", tt.ec2)
			for action, answer := range map[string]string{"CreateTags": tt.tag, "DetachInstances": tt.answer, "DeleteTags": tt.untag} {
				s.on(action, answer)
			}
			x := c.Executor(ExecutorOptions{Detached: detachedTag})
			expect(t, x.Do(t.Context(), record.Action{Kind: record.Detach, Group: "web", Machine: "i-1"}), tt.verdict, tt.refusal, tt.words)
			if got := s.changes(); got != tt.sent {
				t.Errorf("sent %q, want %q", got, tt.sent)
			}
			for _, action := range []string{"CreateTags", "DeleteTags"} {
				for _, f := range s.sent(action) {
					if f.Get("ResourceId.1") != "i-1" || f.Get("Tag.1.Key") != detachedTag || f.Get("Tag.1.Value") != "web" || f.Has("Tag.2.Key") {
						t.Errorf("%s: sent %v", action, f)
					}
				}
			}
			for _, f := range s.sent("DetachInstances") {
				if f.Get("InstanceIds.member.1") != "i-1" || f.Get("AutoScalingGroupName") != "web" || f.Get("ShouldDecrementDesiredCapacity") != "false" {
					t.Errorf("sent %v", f)
				}
			}
		})
	}
}

// changes are the calls so far that are no reads, in order.
func (s *service) changes() string {
	var names []string
	for _, c := range s.Calls() {
		if name := c.Get("Action"); !transport.Reads(name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// Nothing is detached that could not be found again.
func TestDetachUntold(t *testing.T) {
	s, c := connect(t)
	expect(t, do(t, c, record.Action{Kind: record.Detach, Group: "web", Machine: "i-1"}), record.Refused, record.RefusedInvalid, "no tag given for a detached instance")
	if len(s.Calls()) > 0 {
		t.Errorf("sent %v", s.Calls())
	}
}

// The tag alone is no detachment, nor is being out of the group without it.
func TestCheckDetach(t *testing.T) {
	for _, tt := range []struct {
		name, member, ec2 string
		want              bool
	}{
		{"in the group", member("web", "InService"), "", false},
		{"tagged and in the group", member("web", "InService"), reservation(machine("i-1", "running", detachedTag, "web")), false},
		{"out of it", "", reservation(machine("i-1", "running", detachedTag, "web")), true},
		{"on its way out", member("web", "Detaching"), reservation(machine("i-1", "running", detachedTag, "web")), true},
		{"out of it without the tag", "", reservation(machine("i-1", "running")), false},
		{"gone", "", reservation(machine("i-1", "terminated")), true},
	} {
		s, c := connect(t)
		s.on("DescribeAutoScalingInstances", tt.member)
		s.on("DescribeInstances", tt.ec2)
		o := c.Executor(ExecutorOptions{Detached: detachedTag}).Do(t.Context(), record.Action{Kind: record.CheckEffect, Of: &record.Action{Kind: record.Detach, Group: "web", Machine: "i-1"}})
		if o.Verdict != record.Done || o.Happened != tt.want {
			t.Errorf("%s: got %+v", tt.name, o)
		}
	}
}

func TestTerminateDirectly(t *testing.T) {
	running := reservation(machine("i-1", "running"))
	tests := []struct {
		name, member, ec2, answer string
		verdict                   record.Verdict
		refusal                   record.Refusal
		words                     string
		sent                      int
	}{
		{"in service", member("web", "InService"), running, "", record.Done, "", "", 1},
		{"detached", "", reservation(machine("i-1", "running", detachedTag, "web")), "", record.Done, "", "", 1},
		{"being detached", member("web", "Detaching"), reservation(machine("i-1", "running", detachedTag, "web")), "", record.Done, "", "", 1},
		{"stopped", member("web", "InService"), reservation(machine("i-1", "stopped")), "", record.Done, "", "", 1},
		{"ending, and not noticed yet", member("web", "InService"), reservation(machine("i-1", "shutting-down")), "", record.Done, "", "already terminating", 0},
		{"over", "", reservation(machine("i-1", "terminated")), "", record.Done, "", "already terminating", 0},
		{"held by a hook", member("web", "Terminating:Wait"), running, "", record.Done, "", "already terminating", 0},
		{"unknown", "", fail(400, "InvalidInstanceID.NotFound", "The instance ID 'i-1' does not exist"), "", record.Done, "", "already terminating", 0},
		{"another group's", member("db", "InService"), running, "", record.Refused, record.RefusedGone, "belongs to group db, not web", 0},
		{"another group's, tagged", member("db", "InService"), reservation(machine("i-1", "running", detachedTag, "web")), "", record.Refused, record.RefusedGone, "belongs to group db, not web", 0},
		{"nobody's", "", running, "", record.Refused, record.RefusedGone, "no longer belongs to an", 0},
		{"detached from another", "", reservation(machine("i-1", "running", detachedTag, "db")), "", record.Refused, record.RefusedGone, "no longer belongs to an", 0},
		{"in the warm pool", member("web", "Warmed:Running"), running, "", record.Refused, record.RefusedInvalid, "is in the warm pool", 0},
		{"may not look", member("web", "InService"), fail(403, "UnauthorizedOperation", "no"), "", record.Refused, record.RefusedForbidden, "ec2:DescribeInstances", 0},

		{"lost answer", member("web", "InService"), running, drop, record.Unknown, "", "AWS does not answer", 1},
		{"throttled", member("web", "InService"), running, fail(503, "RequestLimitExceeded", "Request limit exceeded."), record.Refused, record.RefusedBusy, "throttles", 1},
		{"trouble", member("web", "InService"), running, fail(500, "InternalError", "oops"), record.Unknown, "", "oops", 1},
		{"may not", member("web", "InService"), running, fail(403, "UnauthorizedOperation", "no"), record.Refused, record.RefusedForbidden, "ec2:TerminateInstances", 1},
		{"protected", member("web", "InService"), running, fail(400, "OperationNotPermitted", "The instance 'i-1' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again."), record.Refused, record.RefusedInvalid, "disableApiTermination", 1},
		{"gone meanwhile", member("web", "InService"), running, fail(400, "InvalidInstanceID.NotFound", "no"), record.Done, "", "already gone", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, c := connect(t)
			s.on("DescribeAutoScalingInstances", tt.member)
			s.on("DescribeInstances", tt.ec2)
			s.on("TerminateInstances", tt.answer)
			o := c.Executor(ExecutorOptions{Detached: detachedTag}).Do(t.Context(), record.Action{Kind: record.Terminate, Group: "web", Machine: "i-1", Direct: true})
			expect(t, o, tt.verdict, tt.refusal, tt.words)
			sent := s.sent("TerminateInstances")
			if len(sent) != tt.sent || tt.sent > 0 && sent[0].Get("InstanceId.1") != "i-1" {
				t.Errorf("sent %v, want %d", sent, tt.sent)
			}
			if o.Already != strings.Contains(tt.words, "already terminating") {
				t.Errorf("already: %v", o.Already)
			}
			if n := len(s.sent("TerminateInstanceInAutoScalingGroup")); n != 0 {
				t.Errorf("its group was asked %d times", n)
			}
		})
	}
}

// Whether a machine was ended directly, EC2 tells: its group may take a while to notice.
func TestCheckTerminateDirectly(t *testing.T) {
	s, c := connect(t)
	s.on("DescribeAutoScalingInstances", member("web", "InService"))
	state := "running"
	s.onCall("DescribeInstances", func(url.Values) string { return reservation(machine("i-1", state)) })
	check := record.Action{Kind: record.CheckEffect, Of: &record.Action{Kind: record.Terminate, Group: "web", Machine: "i-1", Direct: true}}
	if o := do(t, c, check); o.Happened || o.Verdict != record.Done {
		t.Errorf("running: got %+v", o)
	}
	state = "shutting-down"
	if o := do(t, c, check); !o.Happened {
		t.Errorf("shutting down: got %+v", o)
	}
}
