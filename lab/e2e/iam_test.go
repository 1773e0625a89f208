package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
)

// actionCase is an IAM action, and how an upgrade ends without it.
type actionCase struct {
	action string
	flags  []string
	code   int
	left   string          // what cannot be restored without the action, as it is named
	behind *cloud.Balancer // the group's nodes are registered with it
}

// ownRules asks load balancers while a node settles.
var ownRules = []string{"--strategy", "drainboard", "--post-drain-wait", "6s"}

var toImage = []string{"--ami", "ami-0a133133133133133"}

var actionCases = []actionCase{
	{action: "autoscaling:DescribeAutoScalingGroups", code: 11},
	{action: "autoscaling:DescribeInstanceRefreshes", code: 11},
	{action: "autoscaling:DescribeScalingActivities"},
	{action: "autoscaling:DescribeLifecycleHooks"},
	{action: "autoscaling:DescribePolicies"},
	{action: "autoscaling:DescribeScheduledActions"},
	{action: "autoscaling:DescribeWarmPool"}, // the group has none, as for ec2:TerminateInstances
	{action: "autoscaling:DescribeAutoScalingInstances", code: 11},
	{action: "ec2:DescribeLaunchTemplates"},
	{action: "ec2:DescribeLaunchTemplateVersions", code: 11},
	{action: "ec2:DescribeSubnets"},
	{action: "ec2:DescribeImages", flags: toImage},
	{action: "ec2:DescribeInstances"},
	{action: "ec2:DescribeInstanceStatus"},
	{action: "ec2:GetConsoleOutput"},
	{action: "ec2:TerminateInstances"},
	{action: "ec2:CreateLaunchTemplateVersion", flags: toImage, code: 11},
	{action: "autoscaling:UpdateAutoScalingGroup", code: 11},
	{action: "autoscaling:SuspendProcesses", code: 11},
	{action: "autoscaling:ResumeProcesses", code: 11},
	{action: "autoscaling:TerminateInstanceInAutoScalingGroup", code: 11},
	{action: "autoscaling:LaunchInstances"}, // no zone goes without a new node here
	{action: "iam:SimulatePrincipalPolicy"},
	{action: "iam:GetRole"},
	{action: "elasticloadbalancing:DescribeTargetHealth", flags: ownRules, behind: &cloud.Balancer{Name: "iam-targets"}},
	{action: "elasticloadbalancing:DescribeInstanceHealth", flags: ownRules, behind: &cloud.Balancer{Name: "iam-classic", Classic: true}},
}

// simulation is the right to have IAM check rights.
const simulation = "iam:SimulatePrincipalPolicy"

// uncheckedCases are those that are found otherwise without it, or when they are needed.
var uncheckedCases = []actionCase{
	{action: "ec2:CreateLaunchTemplateVersion", flags: toImage, code: 11},
	{action: "autoscaling:DescribeAutoScalingInstances", code: 11},
	{action: "autoscaling:UpdateAutoScalingGroup", flags: toImage, code: 11},
	{action: "autoscaling:SuspendProcesses", code: 1},
	{action: "autoscaling:ResumeProcesses", code: 11},
	{action: "autoscaling:TerminateInstanceInAutoScalingGroup", code: 1, left: "desired capacity stays 2 above its base"},
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
			o, rights := lab.GroupOptions{Nodes: 1, Zones: oneZone}, []string(nil)
			if c.behind != nil {
				o.Balancers, rights = []string{shared.Cloud().CreateBalancer(*c.behind)}, []string{"read", "upgrade", "routes", "scale", "events", "hear"}
			}
			s := newScene(t, "iam-"+name, o, rights...)
			s.deploy("batch")
			shared.Cloud().DenyKey(s.key, c.action, true)

			p := s.upgrade(c.flags...).exits(c.code)

			checkEvents(t, p.said())
			if c.code == 0 {
				if slices.Equal(c.flags, toImage) {
					s.group.New++ // made for the image
				}
				if c.behind != nil {
					p.await("node.settling", because("routes"), saying("what routes to it could not be read"), saying(c.action))
					s.checkRefused(c.action)
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

// checkRefused sees that an action was called and denied.
func (s *scene) checkRefused(action string) {
	s.t.Helper()
	if !slices.ContainsFunc(s.calls(), func(c cloud.Call) bool { return c.Service+":"+c.Action == action && c.Code != "" }) {
		s.t.Errorf("%s was not called, or not denied", action)
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
