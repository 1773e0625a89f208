package asg

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

var (
	refusedGroup = e("LaunchTemplate", spec("lt-1", "1"))
	sizes        = world.Sizes{Min: 1, Max: 5, Desired: 3} // as of group
	raised       = world.Sizes{Min: 1, Max: 11, Desired: 9}
	template1    = world.Template{ID: "lt-1", Version: 1}
)

// do carries out an action with a new executor.
func do(t *testing.T, c *Client, a record.Action) record.Outcome {
	t.Helper()
	a.Key = "key"
	o := c.Executor(ExecutorOptions{}).Do(t.Context(), a)
	if o.Key != "key" || o.At.IsZero() {
		t.Errorf("outcome without key or time: %+v", o)
	}
	return o
}

func expect(t *testing.T, o record.Outcome, v record.Verdict, r record.Refusal, words string) {
	t.Helper()
	if o.Verdict != v || o.Refusal != r || !strings.Contains(o.Message, words) {
		t.Errorf("got %s %q %q, want %s %q %q", o.Verdict, o.Refusal, o.Message, v, r, words)
	}
}

func TestSetSizes(t *testing.T) {
	a := record.Action{Kind: record.SetSizes, Group: "web", From: &sizes, Sizes: &raised}
	t.Run("sent", func(t *testing.T) {
		s, c := connect(t)
		s.on("DescribeAutoScalingGroups", groups(group("web")))
		s.on("UpdateAutoScalingGroup", "")
		expect(t, do(t, c, a), record.Done, "", "")
		sent := s.sent("UpdateAutoScalingGroup")
		if len(sent) != 1 || sent[0].Has("MinSize") || sent[0].Get("MaxSize")+" "+sent[0].Get("DesiredCapacity") != "11 9" {
			t.Errorf("sent %v", sent)
		}
	})
	t.Run("only the maximum", func(t *testing.T) {
		s, c := connect(t)
		s.on("DescribeAutoScalingGroups", groups(group("web")))
		s.on("UpdateAutoScalingGroup", "")
		lower := a
		lower.Sizes = &world.Sizes{Min: 1, Max: 4, Desired: 3}
		expect(t, do(t, c, lower), record.Done, "", "")
		sent := s.sent("UpdateAutoScalingGroup")
		if len(sent) != 1 || sent[0].Has("MinSize") || sent[0].Has("DesiredCapacity") || sent[0].Get("MaxSize") != "4" {
			t.Errorf("sent %v", sent)
		}
	})
	t.Run("found by what it changes", func(t *testing.T) {
		s, c := connect(t)
		s.on("DescribeAutoScalingGroups", groups(group("web")))
		lower := a
		lower.From, lower.Sizes = &world.Sizes{Min: 1, Max: 9, Desired: 2}, &world.Sizes{Min: 1, Max: 5, Desired: 2}
		if o := do(t, c, record.Action{Kind: record.CheckEffect, Key: "check", Of: &lower}); !o.Happened {
			t.Errorf("a size that it did not change decides: %+v", o)
		}
		lower.Sizes = &world.Sizes{Min: 1, Max: 4, Desired: 2}
		if o := do(t, c, record.Action{Kind: record.CheckEffect, Key: "check", Of: &lower}); o.Happened {
			t.Errorf("another maximum: %+v", o)
		}
	})
	t.Run("another user was quicker", func(t *testing.T) {
		s, c := connect(t)
		s.on("DescribeAutoScalingGroups", groups(group("web")))
		other := a
		other.From = &world.Sizes{Min: 1, Max: 5, Desired: 2}
		expect(t, do(t, c, other), record.Refused, record.RefusedConflict, "they are min 1, max 5, desired 3, not min 1, max 5, desired 2")
		if len(s.sent("UpdateAutoScalingGroup")) != 0 {
			t.Error("it was sent all the same")
		}
	})
	t.Run("equal already", func(t *testing.T) {
		s, c := connect(t)
		s.on("DescribeAutoScalingGroups", groups(group("web")))
		same := a
		same.From, same.Sizes = &raised, &sizes
		expect(t, do(t, c, same), record.Done, "", "already")
		if len(s.sent("UpdateAutoScalingGroup")) != 0 {
			t.Error("it was sent all the same")
		}
	})
	t.Run("lost answer", func(t *testing.T) {
		s, c := connect(t)
		s.on("DescribeAutoScalingGroups", groups(group("web")))
		s.on("UpdateAutoScalingGroup", drop)
		expect(t, do(t, c, a), record.Unknown, "", "")
		if n := len(s.sent("UpdateAutoScalingGroup")); n != 1 {
			t.Errorf("sent %d times", n)
		}
		expect(t, do(t, c, record.Action{Kind: record.CheckEffect, Of: &a}), record.Done, "", "")
	})
	t.Run("no group", func(t *testing.T) {
		s, c := connect(t)
		s.on("DescribeAutoScalingGroups", "")
		expect(t, do(t, c, a), record.Refused, record.RefusedInvalid, `no Auto Scaling group "web"`)
	})
}

func TestSetTemplate(t *testing.T) {
	two := world.Template{ID: "lt-1", Version: 2}
	a := record.Action{Kind: record.SetTemplate, Group: "web", Template: &two, TemplateSpec: "2"}
	s, c := connect(t)
	s.on("UpdateAutoScalingGroup", "")
	s.on("DescribeAutoScalingGroups", groups(group("web", e("LaunchTemplate", spec("lt-1", "1")))))
	expect(t, do(t, c, a), record.Done, "", "")
	if sent := s.sent("UpdateAutoScalingGroup")[0]; sent.Get("LaunchTemplate.LaunchTemplateId") != "lt-1" || sent.Get("LaunchTemplate.Version") != "2" || sent.Has("MinSize") {
		t.Errorf("sent %v", sent)
	}

	overrides := members("Overrides", e("InstanceType", "m5.large", "WeightedCapacity", "2"),
		e("InstanceType", "m6g.large", "LaunchTemplateSpecification", spec("lt-9", "4")))
	s.on("DescribeAutoScalingGroups", groups(group("web", e("MixedInstancesPolicy", e(
		"LaunchTemplate", e("LaunchTemplateSpecification", spec("lt-1", "1"))+overrides,
		"InstancesDistribution", e("OnDemandPercentageAboveBaseCapacity", "20", "SpotAllocationStrategy", "price-capacity-optimized"))))))
	expect(t, do(t, c, a), record.Done, "", "")
	sent := s.sent("UpdateAutoScalingGroup")[1]
	const policy = "MixedInstancesPolicy.LaunchTemplate."
	for key, want := range map[string]string{
		policy + "LaunchTemplateSpecification.LaunchTemplateId":                          "lt-1",
		policy + "LaunchTemplateSpecification.LaunchTemplateName":                        "",
		policy + "LaunchTemplateSpecification.Version":                                   "2",
		policy + "Overrides.member.1.InstanceType":                                       "m5.large",
		policy + "Overrides.member.1.WeightedCapacity":                                   "2",
		policy + "Overrides.member.2.LaunchTemplateSpecification.LaunchTemplateId":       "lt-9",
		policy + "Overrides.member.2.LaunchTemplateSpecification.LaunchTemplateName":     "",
		policy + "Overrides.member.2.LaunchTemplateSpecification.Version":                "4",
		"MixedInstancesPolicy.InstancesDistribution.OnDemandPercentageAboveBaseCapacity": "20",
		"MixedInstancesPolicy.InstancesDistribution.SpotAllocationStrategy":              "price-capacity-optimized",
		"LaunchTemplate.LaunchTemplateId":                                                "",
	} {
		if got := sent.Get(key); got != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}

	s.on("DescribeAutoScalingGroups", groups(group("web", e("LaunchTemplate", spec("lt-1", "2")))))
	expect(t, do(t, c, a), record.Done, "", "already")
	if o := do(t, c, record.Action{Kind: record.CheckEffect, Of: &a}); !o.Happened {
		t.Errorf("check: got %+v", o)
	}
	s.on("DescribeAutoScalingGroups", groups(group("web", e("LaunchConfigurationName", "old"))))
	expect(t, do(t, c, a), record.Refused, record.RefusedInvalid, "no launch template")
	if n := len(s.sent("UpdateAutoScalingGroup")); n != 2 {
		t.Errorf("sent %d times", n)
	}
}

func TestCreateTemplate(t *testing.T) {
	s, c := connect(t)
	s.withTemplate()
	a := record.Action{Kind: record.CreateTemplate, Group: "web", Template: &template1, Image: "ami-2", Token: "run-1"}
	o := do(t, c, a)
	if expect(t, o, record.Done, "", "reused"); o.Template == nil || o.Template.Version != 2 {
		t.Fatalf("an equal version was not used: %+v", o)
	}
	if o := do(t, c, record.Action{Kind: record.CheckEffect, Of: &a}); !o.Happened || o.Template.Version != 2 {
		t.Errorf("check: got %+v", o)
	}

	a.Image = "ami-3" // version 3 has it, but other user data
	if o := do(t, c, record.Action{Kind: record.CheckEffect, Of: &a}); o.Happened || o.Verdict != record.Done {
		t.Errorf("check: got %+v", o)
	}
	answers := []string{drop, e("launchTemplateVersion", templateVersion("4", "ami-3", "x"))}
	s.onCall("CreateLaunchTemplateVersion", func(url.Values) string {
		answer := answers[0]
		answers = answers[1:]
		return answer
	})
	o = do(t, c, a)
	if expect(t, o, record.Done, "", ""); o.Template == nil || o.Template.Version != 4 {
		t.Fatalf("got %+v", o)
	}
	sent := s.sent("CreateLaunchTemplateVersion")
	if len(sent) != 2 || sent[0].Get("ClientToken") != "run-1" || sent[1].Get("ClientToken") != "run-1" ||
		sent[0].Get("SourceVersion") != "1" || sent[0].Get("LaunchTemplateData.ImageId") != "ami-3" {
		t.Errorf("sent %v", sent)
	}
}

func TestProcesses(t *testing.T) {
	s, c := connect(t)
	s.on("SuspendProcesses", "")
	s.on("ResumeProcesses", "")
	s.on("DescribeAutoScalingGroups", groups(group("web", members("SuspendedProcesses", e("ProcessName", "AZRebalance")))))
	for kind, happened := range map[record.ActionKind]bool{record.Suspend: true, record.Resume: false} {
		a := record.Action{Kind: kind, Group: "web", Process: "AZRebalance"}
		expect(t, do(t, c, a), record.Done, "", "")
		if o := do(t, c, record.Action{Kind: record.CheckEffect, Of: &a}); o.Happened != happened {
			t.Errorf("%s: check says %v", kind, o.Happened)
		}
	}
	for _, action := range []string{"SuspendProcesses", "ResumeProcesses"} {
		if sent := s.sent(action)[0]; sent.Get("ScalingProcesses.member.1") != "AZRebalance" || sent.Has("ScalingProcesses.member.2") {
			t.Errorf("sent %v", sent)
		}
	}
}

func TestIncomplete(t *testing.T) {
	s, c := connect(t)
	for _, a := range []record.Action{
		{Kind: record.Suspend, Group: "web"}, {Kind: record.Evict}, {Kind: record.CheckEffect}, {Kind: record.CheckEffect, Of: &record.Action{Kind: record.Cordon}},
		{Kind: record.SetSizes, Group: "web"}, {Kind: record.Terminate}, {Kind: record.EndWarm, Group: "web"}, {Kind: record.EndWarm, Machine: "i-1"}, {Kind: record.Inspect},
		{Kind: record.Detach, Group: "web"}, {Kind: record.Detach, Machine: "i-1"}, {Kind: record.Deregister, Group: "web", Limit: time.Minute}, {Kind: record.Deregister, Group: "web", Machine: "i-1"}, {Kind: record.LaunchIn, Group: "web", Zone: "a"}, {Kind: record.SetTemplate, Group: "web"},
		{Kind: record.Resume, Process: "Launch"}, {Kind: record.CheckEffect, Of: &record.Action{Kind: record.SetSizes, Group: "web"}},
	} {
		expect(t, do(t, c, a), record.Refused, record.RefusedInvalid, "")
	}
	if len(s.actions()) != 0 {
		t.Errorf("sent %v", s.actions())
	}
}

// Checks send Describe calls only.
func TestChecksRead(t *testing.T) {
	s, c := connect(t)
	s.withTemplate()
	s.on("DescribeAutoScalingGroups", groups(group("web", refusedGroup)))
	s.on("DescribeAutoScalingInstances", "")
	s.on("DescribeInstances", "")
	for _, a := range []record.Action{
		{Kind: record.CreateTemplate, Group: "web", Template: &template1, Image: "ami-7", Token: "t"},
		{Kind: record.SetTemplate, Group: "web", Template: &template1}, {Kind: record.SetSizes, Group: "web", Sizes: &sizes, From: &sizes},
		{Kind: record.Suspend, Group: "web", Process: "Launch"}, {Kind: record.Resume, Group: "web", Process: "Launch"},
		{Kind: record.LaunchIn, Group: "web", Zone: "a", Token: "t"}, {Kind: record.Terminate, Machine: "i-1"}, {Kind: record.EndWarm, Group: "web", Machine: "i-1"},
	} {
		if o := do(t, c, record.Action{Kind: record.CheckEffect, Of: &a}); o.Verdict != record.Done {
			t.Errorf("%s: %+v", a.Kind, o)
		}
	}
	for _, action := range s.actions() {
		if !strings.HasPrefix(action, "Describe") {
			t.Errorf("a check sent %s", action)
		}
	}
}

func TestCancelled(t *testing.T) {
	_, c := connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := c.Executor(ExecutorOptions{})
	if o := x.Do(ctx, record.Action{Kind: record.Suspend, Group: "web", Process: "Launch"}); o.Verdict != record.Unknown {
		t.Errorf("got %+v", o)
	}
	if o := x.Do(ctx, record.Action{Kind: record.Terminate, Machine: "i-1"}); o.Verdict != record.Refused || o.Refusal != record.RefusedBusy {
		t.Errorf("nothing was sent, but got %+v", o)
	}
}
