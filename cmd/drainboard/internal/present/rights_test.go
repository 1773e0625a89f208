package present

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// A plan tells what rights are missing and what was not checked; only what every run takes keeps
// it from starting.
func TestPlanTellsRights(t *testing.T) {
	p := planned()
	p.Rights = []snapshot.Right{
		{Action: "autoscaling:UpdateAutoScalingGroup", Resource: "arn:g", Verdict: snapshot.RightAllowed},
		{Action: "autoscaling:ResumeProcesses", Resource: "arn:g", Message: "IAM is away"},
		{Action: "autoscaling:SuspendProcesses", Resource: "arn:g", Message: "IAM is away"},
		{Action: "autoscaling:LaunchInstances", Resource: "arn:g", When: "where a zone gets no new machine", Verdict: snapshot.RightDenied, Message: "no policy allows it"},
	}
	if err := CannotStart(p); err != nil {
		t.Errorf("refused: %v", err)
	}
	p.Rights = append(p.Rights, snapshot.Right{Action: "ec2:CreateLaunchTemplateVersion", Resource: "arn:t", Verdict: snapshot.RightDenied, Message: "a policy denies it"})
	got := planText(p)
	for _, want := range []string{
		"IAM rights missing, without which an upgrade does not start:\n  - ec2:CreateLaunchTemplateVersion on arn:t: a policy denies it; allow it, or upgrade as a user or role that may\n",
		"IAM rights missing:\n  - autoscaling:LaunchInstances on arn:g, needed where a zone gets no new machine: no policy allows it\n",
		"IAM rights not checked:\n  - autoscaling:ResumeProcesses, autoscaling:SuspendProcesses: IAM is away\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the plan does not say %q:\n%s", want, got)
		}
	}
	err := CannotStart(p)
	if exitcode.Of(err) != exitcode.Denied || !strings.Contains(err.Error(), "nothing was changed: AWS does not allow ec2:CreateLaunchTemplateVersion on arn:t: a policy denies it; allow it") {
		t.Errorf("got %v", err)
	}
	var read struct {
		Rights []struct{ Action, Resource, When, Verdict, Message string }
	}
	if err := json.Unmarshal(printed(t, PlanOf(p)), &read); err != nil || len(read.Rights) != 5 || read.Rights[0].Verdict != "allowed" || read.Rights[1].Verdict != "unchecked" || read.Rights[3].Verdict != "denied" || read.Rights[3].When == "" {
		t.Errorf("got %+v, %v", read, err)
	}
	several := RollPlan{Plans: map[string]snapshot.Plan{"a": p, "b": planned()}, Roll: roll.New(roll.Rules{}, "r", []roll.Group{{Name: "a"}, {Name: "b"}})}
	if err := CannotRoll(several); exitcode.Of(err) != exitcode.Denied || !strings.Contains(err.Error(), "group a: not started") {
		t.Errorf("a roll: %v", err)
	}
	other := planned()
	other.Refusals = []string{"jobs/x needs --force-unmanaged"}
	several.Plans["b"] = other
	if err := CannotRoll(several); exitcode.Of(err) != exitcode.WrongUse {
		t.Errorf("a roll that wants consent, too: %v", err)
	}
	p.Refusals = other.Refusals
	if err := CannotStart(p); exitcode.Of(err) != exitcode.WrongUse {
		t.Errorf("with consent missing, too: %v", err)
	}
}
