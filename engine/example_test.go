package engine_test

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// Decide takes a run one step further: what is known goes in, and what is to be asked for
// comes out. The same function plans, rolls, resumes and rehearses.
func ExampleDecide() {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	w := world.New()
	w.SetGroup(world.Group{Name: "ng-web", ID: "arn:aws:autoscaling:eu-west-1:123456789012:autoScalingGroup:1:autoScalingGroupName/ng-web", Provider: "asg",
		Sizes: world.Sizes{Min: 1, Max: 2, Desired: 1}, Zones: []string{"eu-west-1a"}, Template: world.Template{ID: "lt-0123456789abcdef0", Version: 2}})
	w.SetMachines([]world.Machine{{ID: "i-0abcdef0123456789", Zone: "eu-west-1a", State: world.MachineInService, Template: world.Template{ID: "lt-0123456789abcdef0", Version: 1}}})
	w.SetNode(&world.Node{Name: "ip-10-0-1-5.eu-west-1.compute.internal", Machine: "i-0abcdef0123456789", Zone: "eu-west-1a", Ready: true})
	for _, source := range []world.Source{world.Cluster, world.Cloud} {
		w.SetHealth(source, world.Health{Fresh: now})
	}
	rules := strategy.EKS{}
	settings := rules.Defaults()
	settings.Approve = record.ApproveNone
	run := assess.NewRun(rules, "ng-web-1", 1, w, settings, record.Target{Templates: []world.Template{w.Group.Template}})
	run = engine.Start(run, now, "ann@laptop")
	d := engine.Decide(rules, now, w, run, engine.Inputs{})
	for _, e := range d.Events {
		fmt.Println(e.Type, e.Node, e.Message)
	}
	// d.Run is saved, and then its actions are carried out; what comes of them is an input
	// of the next decision.
	for _, a := range d.Actions {
		fmt.Println(a.Sentence())
	}
	// Output:
	// node.outdated ip-10-0-1-5.eu-west-1.compute.internal runs lt-0123456789abcdef0:1
	// phase.started  setup
	// set the group to launch template lt-0123456789abcdef0 version 2
}
