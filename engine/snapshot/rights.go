package snapshot

import (
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// readsMembership is how each executor reads a machine before it ends it.
const readsMembership = "autoscaling:DescribeAutoScalingInstances"

// deregister is how a machine leaves a load balancer: a target group, whose name is an ARN, or a
// classic one.
var deregister = map[bool]string{true: "elasticloadbalancing:DeregisterTargets", false: "elasticloadbalancing:DeregisterInstancesFromLoadBalancer"}

// RightsOf lists the rights in the cloud that a planned run takes, those first without which
// it cannot be done. A run that only follows another controller takes none.
func RightsOf(rules engine.Strategy, w *world.World, p *Plan) []record.Right {
	if !p.HasWork() || p.Pool != nil || rules.Follows() != nil || rules.Updates() != nil {
		return nil
	}
	t := taken{}
	does := rules.Capabilities()
	rolls := len(p.Nodes) > 0 || p.Run.Inherited != nil
	target := p.Run.Target
	if target.Image != "" {
		t.kind("", record.CreateTemplate)
	}
	if rolls && does.TemplateSetBy == "" || target.Image != "" || len(target.Templates) > 0 && target.Templates[0] != w.Group.Template {
		t.kind("", record.SetTemplate)
	}
	if suspends := slices.ContainsFunc(rules.Suspends(), func(process string) bool { return !w.Group.HasSuspended(process) }); rolls && suspends {
		t.kind("", record.Suspend, record.Resume)
	}
	switch {
	case rolls && does.Direct:
		t.add("", readsMembership, "ec2:TerminateInstances")
	case rolls:
		t.add("", readsMembership, "autoscaling:TerminateInstanceInAutoScalingGroup")
	}
	if len(p.Warm) > 0 {
		when := text.RightForWarm // without it they are replaced once they serve
		if p.WarmAlone {
			when = ""
		}
		t.add(when, readsMembership)
		t.kind(when, record.EndWarm)
	}
	if len(p.Detach) > 0 {
		t.add("", "ec2:CreateTags", "autoscaling:DetachInstances")
		t.add(text.RightForUntag, "ec2:DeleteTags")
	}
	if does.IsolatesFirst && rolls && !p.Run.Settings.PassDrain && !p.Run.Settings.CloudOnly {
		for _, balancer := range w.Group.Balancers {
			t.add("", deregister[strings.HasPrefix(balancer, "arn:")])
		}
	}
	if raises := does.Surges && !does.Detaches && rolls; raises {
		if w.Group.NoLaunchInZone == "" {
			t.kind(text.RightForZone, record.LaunchIn)
		}
		t.kind(text.RightForEnd, record.Suspend, record.Resume)
	}
	slices.SortStableFunc(t.rights, func(a, b record.Right) int { return min(len(a.When), 1) - min(len(b.When), 1) })
	return t.rights
}

// taken collects rights, each once.
type taken struct{ rights []record.Right }

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
