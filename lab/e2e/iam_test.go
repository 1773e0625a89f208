package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/lab"
)

// actionCase is an IAM action, and how an upgrade ends without it.
type actionCase struct {
	action string
	flags  []string
	code   int
	left   string // what cannot be restored without the action, as it is named
}

var toImage = []string{"--ami", "ami-0a133133133133133"}

var actionCases = []actionCase{
	{"autoscaling:DescribeAutoScalingGroups", nil, 11, ""},
	{"autoscaling:DescribeInstanceRefreshes", nil, 11, ""},
	{"autoscaling:DescribeScalingActivities", nil, 0, ""},
	{"autoscaling:DescribeLifecycleHooks", nil, 0, ""},
	{"autoscaling:DescribePolicies", nil, 0, ""},
	{"autoscaling:DescribeScheduledActions", nil, 0, ""},
	{"autoscaling:DescribeWarmPool", nil, 0, ""}, // the group has none, as for ec2:TerminateInstances
	{"autoscaling:DescribeAutoScalingInstances", nil, 11, ""},
	{"ec2:DescribeLaunchTemplates", nil, 0, ""},
	{"ec2:DescribeLaunchTemplateVersions", nil, 11, ""},
	{"ec2:DescribeSubnets", nil, 0, ""},
	{"ec2:DescribeImages", toImage, 0, ""},
	{"ec2:DescribeInstances", nil, 0, ""},
	{"ec2:DescribeInstanceStatus", nil, 0, ""},
	{"ec2:GetConsoleOutput", nil, 0, ""},
	{"ec2:TerminateInstances", nil, 0, ""},
	{"ec2:CreateLaunchTemplateVersion", toImage, 11, ""},
	{"autoscaling:UpdateAutoScalingGroup", nil, 11, ""},
	{"autoscaling:SuspendProcesses", nil, 11, ""},
	{"autoscaling:ResumeProcesses", nil, 11, ""},
	{"autoscaling:TerminateInstanceInAutoScalingGroup", nil, 11, ""},
	{"autoscaling:LaunchInstances", nil, 0, ""}, // no zone goes without a new node here
	{"iam:SimulatePrincipalPolicy", nil, 0, ""},
	{"iam:GetRole", nil, 0, ""},
}

// simulation is the right to have IAM check rights.
const simulation = "iam:SimulatePrincipalPolicy"

// uncheckedCases are those that are found otherwise without it, or when they are needed.
var uncheckedCases = []actionCase{
	{"ec2:CreateLaunchTemplateVersion", toImage, 11, ""},
	{"autoscaling:DescribeAutoScalingInstances", nil, 11, ""},
	{"autoscaling:UpdateAutoScalingGroup", toImage, 11, ""},
	{"autoscaling:SuspendProcesses", nil, 1, ""},
	{"autoscaling:ResumeProcesses", nil, 11, ""},
	{"autoscaling:TerminateInstanceInAutoScalingGroup", nil, 1, "desired capacity stays 2 above its base"},
}

// passed are actions that drainboard never calls: Auto Scaling looks whether the
// caller has them, which the lab's does not.
var passed = []string{"ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateTags", "iam:PassRole"}

// tagged are those that only a run without Kubernetes needs: providers/asg denies them.
var tagged = []string{"autoscaling:DescribeTags", "autoscaling:CreateOrUpdateTags", "autoscaling:DeleteTags"}

// Each IAM action of docs/reference/rights.md denied in turn: what only helps is done without;
// for what is needed one sentence names the action, and nothing was touched, or
// all is restored that can be.
func TestEachAction(t *testing.T) {
	t.Parallel()
	documented := documentedActions(t)
	for _, c := range actionCases {
		delete(documented, c.action)
	}
	for _, action := range slices.Concat(passed, tagged) {
		delete(documented, action)
	}
	for action := range documented {
		t.Errorf("%s is in docs/reference/rights.md and not tried", action)
	}
	for _, c := range actionCases {
		t.Run(c.action, func(t *testing.T) {
			name := strings.ToLower(c.action[strings.Index(c.action, ":")+1:])
			s := newScene(t, "iam-"+name, lab.GroupOptions{Nodes: 1, Zones: oneZone})
			s.deploy("batch")
			shared.Cloud().DenyKey(s.key, c.action, true)

			p := s.upgrade(c.flags...).exits(c.code)

			checkEvents(t, p.said())
			if c.code == 0 {
				if len(c.flags) > 0 {
					s.group.New++ // made for the image
				}
				s.checkRolled()
				return
			}
			p.says(c.action)
			if c.code == 11 {
				checkSentence(t, p.errOut())
				s.checkReadOnly()
				s.checkAsBefore()
				return
			}
			checkFinished(t, p.said(), "failed", 1)
			if c.left != "" {
				p.says("Not restored", c.left)
				s.checkNoMarks()
				s.checkPods()
				return
			}
			s.checkRestored()
			s.checkAsBefore()
		})
	}
}

// Who may not have IAM simulate its policies is told what was not checked. What EC2 or a request
// that changes nothing tells still keeps the run from starting; what is found missing later
// leaves nothing behind, but for the right to end machines, which only ending one tells.
func TestEachActionUnchecked(t *testing.T) {
	t.Parallel()
	for _, c := range uncheckedCases {
		t.Run(c.action, func(t *testing.T) {
			name := strings.ToLower(c.action[strings.Index(c.action, ":")+1:])
			s := newScene(t, "open-"+name, lab.GroupOptions{Nodes: 1, Zones: oneZone})
			s.deploy("batch")
			shared.Cloud().DenyKey(s.key, simulation, true)
			plan := s.run("plan", s.group.Name).exits(0).out()
			for _, want := range []string{"IAM rights not checked:", "autoscaling:UpdateAutoScalingGroup, autoscaling:SuspendProcesses, autoscaling:ResumeProcesses", simulation, "iam:PassRole"} {
				if !strings.Contains(plan, want) {
					t.Errorf("the plan does not say %q:\n%s", want, plan)
				}
			}
			shared.Cloud().DenyKey(s.key, c.action, true)

			p := s.upgrade(c.flags...).exits(c.code).says(c.action)

			switch {
			case c.code == 11:
				s.checkUntouchedButProofs()
				s.checkAsBefore()
			case c.left != "":
				p.says("Not restored", c.left)
				s.checkNoMarks()
				s.checkPods()
			default:
				s.checkRestored()
				s.checkAsBefore()
			}
			for _, call := range s.calls() {
				if call.Action == "CreateLaunchTemplateVersion" && call.Code == "" {
					t.Errorf("a version of the launch template was made: %v", call.Params)
				}
			}
		})
	}
}

// checkUntouchedButProofs is checkUntouched of a process that proves rights: by updates of the group
// without a field, and by resuming what is not suspended.
func (s *scene) checkUntouchedButProofs() {
	s.t.Helper()
	for _, r := range changes(s.requests()) {
		s.t.Errorf("the cluster was touched: %v", r)
	}
	for _, c := range s.calls() {
		proof := c.Action == "UpdateAutoScalingGroup" && len(c.Params) == 3 || c.Action == "ResumeProcesses"
		if !c.Reads() && c.Code == "" && !proof {
			s.t.Errorf("the cloud was touched: %s:%s", c.Service, c.Action)
		}
	}
	g, _ := shared.Cloud().Group(s.group.Name)
	if !slices.Equal(g.Suspended, s.before.Suspended) {
		s.t.Errorf("suspended processes %v, before %v", g.Suspended, s.before.Suspended)
	}
}
