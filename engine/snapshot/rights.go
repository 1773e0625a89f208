package snapshot

import (
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/world"
)

// Right is a right outside the group's own cluster that a run takes, and what is known of it before
// the start.
type Right struct {
	// Action is the IAM action, such as autoscaling:ResumeProcesses, or that of another API, such
	// as "patch shoots"; Resource what it is needed on, "" until it is looked at.
	Action, Resource string
	// When it is needed, "" for always: without a right that is not always needed the run
	// starts.
	When string
	// Verdict is what was found, RightUnchecked until then. Message is how it is denied, or why
	// it was not checked.
	Verdict RightVerdict
	Message string
}

// RightVerdict is what is known of a right.
type RightVerdict string

// Verdicts. The zero value is a right that was not checked.
const (
	RightUnchecked RightVerdict = ""
	RightAllowed   RightVerdict = "allowed"
	RightDenied    RightVerdict = "denied"
)

// Stops reports whether a run cannot do without what is denied.
func (r Right) Stops() bool { return r.Verdict == RightDenied && r.When == "" }

// readsMembership is how each executor reads a machine before it ends it.
const readsMembership = "autoscaling:DescribeAutoScalingInstances"

// deregister is how a machine leaves a load balancer: a target group, whose name is an ARN, or a
// classic one.
var deregister = map[bool]string{true: "elasticloadbalancing:DeregisterTargets", false: "elasticloadbalancing:DeregisterInstancesFromLoadBalancer"}

// describes is how such a one is asked whether it has a machine.
var describes = map[bool]string{true: "elasticloadbalancing:DescribeTargetHealth", false: "elasticloadbalancing:DescribeInstanceHealth"}

// RightsOf lists the rights in the cloud that a planned run takes, those first without which
// it cannot be done. A run that only follows another controller takes none.
func RightsOf(rules engine.Strategy, w *world.World, p *Plan) []Right {
	if !p.HasWork() || p.Pool != nil || rules.Follows() != nil || rules.Updates() != nil {
		return nil
	}
	t := taken{}
	rolls := len(p.Nodes) > 0 || p.Run.Inherited != nil
	t.setup(rules, &w.Group, p.Run.Target, rolls)
	if rolls {
		t.roll(rules, &w.Group)
	}
	if len(p.Warm) > 0 {
		when := plans.RightForWarm // without it they are replaced once they serve
		if p.WarmAlone {
			when = ""
		}
		t.add(when, readsMembership)
		t.kind(when, record.EndWarm)
	}
	if len(p.Detach) > 0 {
		t.add("", "ec2:CreateTags", "autoscaling:DetachInstances")
		t.add(plans.RightForUntag, "ec2:DeleteTags")
	}
	if rolls {
		t.around(rules, &w.Group, &p.Run.Settings)
	}
	slices.SortStableFunc(t.rights, func(a, b Right) int { return min(len(a.When), 1) - min(len(b.When), 1) })
	return t.rights
}

// taken collects rights, each once.
type taken struct{ rights []Right }

// setup adds the rights to create and set the group's template.
func (t *taken) setup(rules engine.Strategy, g *world.Group, target record.Target, rolls bool) {
	if target.Image != "" {
		t.kind("", record.CreateTemplate)
	}
	if rolls && rules.Capabilities().TemplateSetBy == "" || target.Image != "" || len(target.Templates) > 0 && target.Templates[0] != g.Template {
		t.kind("", record.SetTemplate)
	}
}

// roll adds the rights to end the machines of a group.
func (t *taken) roll(rules engine.Strategy, g *world.Group) {
	does := rules.Capabilities()
	if slices.ContainsFunc(rules.Suspends(), func(process string) bool { return !g.HasSuspended(process) }) {
		t.kind("", record.Suspend, record.Resume)
	}
	end := "autoscaling:TerminateInstanceInAutoScalingGroup"
	if does.Direct {
		end = "ec2:TerminateInstances"
	}
	t.add("", readsMembership, end)
}

// around adds the rights to isolate the machines of a group that is rolled, and to raise it.
func (t *taken) around(rules engine.Strategy, g *world.Group, settings *record.Settings) {
	does := rules.Capabilities()
	if does.IsolatesFirst && !settings.PassDrain && !settings.CloudOnly {
		for _, balancer := range g.Balancers {
			t.add("", deregister[strings.HasPrefix(balancer, "arn:")])
		}
	}
	if does.AwaitsRoutes {
		for _, balancer := range g.Balancers {
			t.add(plans.RightForRoutes, describes[strings.HasPrefix(balancer, "arn:")])
		}
	}
	if does.Surges && !does.Detaches {
		if g.NoLaunchInZone == "" {
			t.kind(plans.RightForZone, record.LaunchIn)
		}
		t.kind(plans.RightForEnd, record.Suspend, record.Resume)
	}
}

// kind adds the rights of kinds of actions.
func (t *taken) kind(when string, kinds ...record.ActionKind) {
	for _, k := range kinds {
		t.add(when, record.KindOf(k).Rights...)
	}
}

func (t *taken) add(when string, actions ...string) {
	for _, action := range actions {
		if !slices.ContainsFunc(t.rights, func(r Right) bool { return r.Action == action }) {
			t.rights = append(t.rights, Right{Action: action, When: when})
		}
	}
}
