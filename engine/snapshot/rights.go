package snapshot

import (
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/world"
)

// readsMembership is how each executor reads a machine before it ends it.
const readsMembership = "autoscaling:DescribeAutoScalingInstances"

// deregister is how a machine leaves a load balancer: a target group, whose name is an ARN, or a
// classic one.
var deregister = map[bool]string{true: "elasticloadbalancing:DeregisterTargets", false: "elasticloadbalancing:DeregisterInstancesFromLoadBalancer"}

// describes is how such a one is asked whether it has a machine.
var describes = map[bool]string{true: "elasticloadbalancing:DescribeTargetHealth", false: "elasticloadbalancing:DescribeInstanceHealth"}

// RightsOf lists the rights in the cloud that a planned run takes, those first without which
// it cannot be done. A run that only follows another controller takes none.
func RightsOf(rules engine.Strategy, w *world.World, p *Plan) []record.Right {
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
	slices.SortStableFunc(t.rights, func(a, b record.Right) int { return min(len(a.When), 1) - min(len(b.When), 1) })
	return t.rights
}

// taken collects rights, each once.
type taken struct{ rights []record.Right }

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
		if !slices.ContainsFunc(t.rights, func(r record.Right) bool { return r.Action == action }) {
			t.rights = append(t.rights, record.Right{Action: action, When: when})
		}
	}
}
