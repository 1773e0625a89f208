package rights

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/awstest"
)

const groupARN = "arn:aws:autoscaling:eu-west-1:123456789012:autoScalingGroup:0a:autoScalingGroupName/ng"

func ofGroup() Objects {
	return Objects{
		Group: &world.Group{Name: "ng", ID: groupARN, Template: world.Template{ID: "lt-1", Version: 4}, Tags: map[string]string{"team": "web"}, Balancers: []string{"old"}},
		Image: "ami-2", Machine: "i-1", Tag: "taken-out",
	}
}

func rights(actions ...string) (out []snapshot.Right) {
	for _, a := range actions {
		out = append(out, snapshot.Right{Action: a})
	}
	return out
}

// evaluated is IAM's answer for one action ("API_SimulatePrincipalPolicy").
func evaluated(action, decision string, missing ...string) string {
	values := ""
	for _, m := range missing {
		values += "<member>" + m + "</member>"
	}
	return fmt.Sprintf("<member><EvalActionName>%s</EvalActionName><EvalDecision>%s</EvalDecision><EvalResourceName>*</EvalResourceName><ResourceSpecificResults><member><EvalResourceName>x</EvalResourceName><EvalResourceDecision>%[2]s</EvalResourceDecision><MissingContextValues>%s</MissingContextValues></member></ResourceSpecificResults></member>", action, decision, values)
}

func caller(arn string) string {
	return "<Arn>" + arn + "</Arn><UserId>A</UserId><Account>123456789012</Account>"
}

const (
	update = "autoscaling:UpdateAutoScalingGroup"
	resume = "autoscaling:ResumeProcesses"
)

// What EC2 has dry runs for is asked so, what is read is read, and each answer but a denial and
// a grant leaves the right open.
func TestCheckAsksServices(t *testing.T) {
	s, c := connect(t)
	s.On("DescribeAutoScalingInstances", "<AutoScalingInstances></AutoScalingInstances>")
	s.On("CreateLaunchTemplateVersion", awstest.Fail(412, "DryRunOperation", "Request would have succeeded, but DryRun flag is set."))
	s.On("TerminateInstances", awstest.Fail(403, "UnauthorizedOperation", "You are not authorized to perform this operation."))
	s.On("CreateTags", awstest.Fail(400, "InvalidInstanceID.NotFound", "The instance ID 'i-1' does not exist"))
	s.On("DeleteTags", "<return>true</return>") // it does not know DryRun: nothing is known
	got := New(c).Check(t.Context(), ofGroup(), rights("autoscaling:DescribeAutoScalingInstances", "ec2:CreateLaunchTemplateVersion", "ec2:TerminateInstances", "ec2:CreateTags", "ec2:DeleteTags"))
	want := []snapshot.RightVerdict{snapshot.RightAllowed, snapshot.RightAllowed, snapshot.RightDenied, snapshot.RightUnchecked, snapshot.RightUnchecked}
	for i, r := range got {
		if r.Verdict != want[i] || (r.Message == "") != (r.Verdict == snapshot.RightAllowed) {
			t.Errorf("%s: %q (%s), want %q", r.Action, r.Verdict, r.Message, want[i])
		}
	}
	if got[1].Resource != "arn:aws:ec2:eu-west-1:123456789012:launch-template/lt-1" || got[2].Resource != "arn:aws:ec2:eu-west-1:123456789012:instance/i-1" {
		t.Errorf("on %s and %s", got[1].Resource, got[2].Resource)
	}
	for _, call := range s.Calls() {
		if !strings.HasPrefix(call.Get("Action"), "Describe") && call.Get("DryRun") != "true" {
			t.Errorf("%s is no dry run", call.Get("Action"))
		}
	}
	if made := s.Sent("CreateLaunchTemplateVersion")[0]; made.Get("LaunchTemplateId") != "lt-1" || made.Get("SourceVersion") != "4" || made.Get("LaunchTemplateData.ImageId") != "ami-2" {
		t.Errorf("asked with %v", made)
	}
}

// The rest is simulated, for the role of a session, with the group's tags.
func TestCheckSimulates(t *testing.T) {
	s, c := connect(t)
	s.On("GetCallerIdentity", caller("arn:aws:sts::123456789012:assumed-role/admin/kim"))
	s.On("GetRole", "<Role><Path>/ops/</Path><RoleName>admin</RoleName><RoleId>A</RoleId><Arn>arn:aws:iam::123456789012:role/ops/admin</Arn><CreateDate>2026-01-01T00:00:00Z</CreateDate></Role>")
	s.OnCall("SimulatePrincipalPolicy", func(form url.Values) string {
		if form.Get("ResourceArns.member.1") != groupARN {
			return "<IsTruncated>false</IsTruncated><EvaluationResults>" + evaluated("elasticloadbalancing:DeregisterInstancesFromLoadBalancer", "allowed") + "</EvaluationResults>"
		}
		if form.Get("Marker") == "" {
			return "<IsTruncated>true</IsTruncated><Marker>more</Marker><EvaluationResults>" + evaluated(update, "allowed") + evaluated(resume, "implicitDeny") + "</EvaluationResults>"
		}
		return "<IsTruncated>false</IsTruncated><EvaluationResults>" + evaluated("autoscaling:SuspendProcesses", "explicitDeny") + evaluated("autoscaling:LaunchInstances", "implicitDeny", "aws:PrincipalTag/team") + "</EvaluationResults>"
	})
	got := New(c).Check(t.Context(), ofGroup(), rights(update, resume, "autoscaling:SuspendProcesses", "autoscaling:LaunchInstances", "autoscaling:DetachInstances", "elasticloadbalancing:DeregisterInstancesFromLoadBalancer"))
	for i, want := range []struct {
		verdict snapshot.RightVerdict
		words   string
	}{
		{snapshot.RightAllowed, ""}, {snapshot.RightDenied, "not allowed by any policy of arn:aws:iam::123456789012:role/ops/admin"}, {snapshot.RightDenied, "denied by a policy"},
		{snapshot.RightUnchecked, "aws:PrincipalTag/team"}, {snapshot.RightUnchecked, "says nothing"}, {snapshot.RightAllowed, ""},
	} {
		if got[i].Verdict != want.verdict || !strings.Contains(got[i].Message, want.words) {
			t.Errorf("%s: %q %q, want %q %q", got[i].Action, got[i].Verdict, got[i].Message, want.verdict, want.words)
		}
	}
	if at := got[5].Resource; at != "arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/old" {
		t.Errorf("the load balancer is %s", at)
	}
	sent := s.Sent("SimulatePrincipalPolicy")
	var context []string
	for i := 1; sent[0].Has(fmt.Sprintf("ContextEntries.member.%d.ContextKeyName", i)); i++ {
		at := fmt.Sprintf("ContextEntries.member.%d.", i)
		context = append(context, sent[0].Get(at+"ContextKeyName")+"="+sent[0].Get(at+"ContextKeyValues.member.1"))
	}
	if of := sent[0].Get("PolicySourceArn"); of != "arn:aws:iam::123456789012:role/ops/admin" || !slices.Equal(context, []string{"aws:RequestedRegion=eu-west-1", "aws:ResourceTag/team=web", "autoscaling:ResourceTag/team=web"}) {
		t.Errorf("simulated for %s with %v", of, context)
	}
}

// Whose policies are simulated, and of whom that cannot be done.
func TestCheckOfWhom(t *testing.T) {
	for arn, want := range map[string]string{
		"arn:aws:iam::123456789012:user/people/kim":           "arn:aws:iam::123456789012:user/people/kim",
		"arn:aws-cn:sts::123456789012:assumed-role/admin/kim": "arn:aws-cn:iam::123456789012:role/admin", // IAM does not tell its path
		"arn:aws:iam::123456789012:root":                      "",
		"arn:aws:sts::123456789012:federated-user/kim":        "",
	} {
		s, c := connect(t)
		s.On("GetCallerIdentity", caller(arn))
		s.On("SimulatePrincipalPolicy", awstest.Fail(403, "AccessDenied", "User: "+arn+" is not authorized to perform: iam:SimulatePrincipalPolicy"))
		r := New(c).Check(t.Context(), ofGroup(), rights(update))[0]
		if r.Verdict != snapshot.RightUnchecked || r.Message == "" {
			t.Errorf("%s: %+v", arn, r)
		}
		switch sent := s.Sent("SimulatePrincipalPolicy"); {
		case want == "" && (len(sent) > 0 || !strings.Contains(r.Message, arn)):
			t.Errorf("%s: asked for %v, says %s", arn, sent, r.Message)
		case want != "" && (len(sent) != 1 || sent[0].Get("PolicySourceArn") != want || !strings.Contains(r.Message, "iam:SimulatePrincipalPolicy")):
			t.Errorf("%s: asked for %v, says %s", arn, sent, r.Message)
		}
	}
}

// What is left is proven by requests that change nothing, none where one would.
func TestProve(t *testing.T) {
	suspended := awstest.Members("SuspendedProcesses", awstest.E("ProcessName", "AZRebalance"))
	for name, c := range map[string]struct {
		group            string
		update, resume   string // their answers
		updated, resumed snapshot.RightVerdict
		sent             int // ResumeProcesses
	}{
		"granted":            {"", "", "", snapshot.RightAllowed, snapshot.RightAllowed, 1},
		"denied":             {"", awstest.Fail(403, "AccessDenied", "no"), awstest.Fail(403, "AccessDenied", "no"), snapshot.RightDenied, snapshot.RightDenied, 1},
		"others' suspension": {suspended, "", "", snapshot.RightAllowed, snapshot.RightUnchecked, 0},
		"not offered":        {"", awstest.Fail(400, "ValidationError", "At least one field"), "", snapshot.RightUnchecked, snapshot.RightAllowed, 1},
	} {
		s, client := connect(t)
		s.On("DescribeAutoScalingGroups", awstest.Groups(awstest.E("AutoScalingGroupName", "ng")+c.group))
		s.On("UpdateAutoScalingGroup", c.update)
		s.On("ResumeProcesses", c.resume)
		got := New(client).Prove(t.Context(), "ng", append(rights(update, resume, "autoscaling:SuspendProcesses"), snapshot.Right{Action: update, Verdict: snapshot.RightAllowed}))
		if got[0].Verdict != c.updated || got[1].Verdict != c.resumed || got[2].Verdict != snapshot.RightUnchecked {
			t.Errorf("%s: %+v", name, got)
		}
		updates, resumes := s.Sent("UpdateAutoScalingGroup"), s.Sent("ResumeProcesses")
		if len(updates) != 1 || len(resumes) != c.sent {
			t.Errorf("%s: sent %d and %d", name, len(updates), len(resumes))
		}
		for name := range updates[0] {
			if !slices.Contains([]string{"Action", "Version", "AutoScalingGroupName", "agent", "auth"}, name) {
				t.Errorf("the update has the field %s", name)
			}
		}
		if c.sent > 0 && (resumes[0].Get("ScalingProcesses.member.1") != "AZRebalance" || resumes[0].Has("ScalingProcesses.member.2")) {
			t.Errorf("resumed %v", resumes[0])
		}
	}
}

// Processes that only read ask so, too; what does not say DryRun stays here.
func TestReadOnlyAsksByDryRun(t *testing.T) {
	s, _ := connect(t)
	s.On("TerminateInstances", awstest.Fail(412, "DryRunOperation", "Request would have succeeded, but DryRun flag is set."))
	c, err := asg.Connect(t.Context(), asg.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if r := New(c).Check(t.Context(), ofGroup(), rights("ec2:TerminateInstances"))[0]; r.Verdict != snapshot.RightAllowed {
		t.Errorf("%+v", r)
	}
	if r := New(c).Prove(t.Context(), "ng", rights(update))[0]; r.Verdict != snapshot.RightUnchecked || len(s.Sent("UpdateAutoScalingGroup")) > 0 {
		t.Errorf("%+v, sent %v", r, s.Calls())
	}
}
