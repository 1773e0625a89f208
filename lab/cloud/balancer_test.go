package cloud

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	classictypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	targettypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
)

// behind makes a group of the size behind the balancers, all of it in service.
func (b *bench) behind(name string, size int, balancers ...string) []Instance {
	b.t.Helper()
	b.CreateGroup(GroupSpec{Name: name, Desired: size, Max: size, Template: TemplateRef{Name: "nodes", Version: "1"}, Balancers: balancers})
	b.settle(name, size)
	return b.Instances(name)
}

// health is what a target group says of targets: state and reason, by instance.
func (b *bench) health(arn string, ids ...string) map[string]string {
	b.t.Helper()
	in := &elasticloadbalancingv2.DescribeTargetHealthInput{TargetGroupArn: &arn}
	for _, id := range ids {
		in.Targets = append(in.Targets, targettypes.TargetDescription{Id: aws.String(id)})
	}
	out, err := b.tgs.DescribeTargetHealth(b.ctx, in)
	b.must(out, err)
	health := map[string]string{}
	for _, d := range out.TargetHealthDescriptions {
		health[*d.Target.Id] = fmt.Sprint(d.TargetHealth.State, " ", d.TargetHealth.Reason)
	}
	return health
}

// served is what a classic load balancer says of instances: state and description.
func (b *bench) served(name string, ids ...string) map[string]string {
	b.t.Helper()
	in := &elasticloadbalancing.DescribeInstanceHealthInput{LoadBalancerName: &name}
	for _, id := range ids {
		in.Instances = append(in.Instances, classictypes.Instance{InstanceId: aws.String(id)})
	}
	out, err := b.elb.DescribeInstanceHealth(b.ctx, in)
	b.must(out, err)
	served := map[string]string{}
	for _, s := range out.InstanceStates {
		served[*s.InstanceId] = *s.State + " " + *s.Description
	}
	return served
}

// A group's instances are in its target group by themselves, and leave it when
// a user says so: first draining, then unused.
func TestTargetGroup(t *testing.T) {
	b := serve(t, quick, nil)
	arn := b.CreateBalancer(Balancer{Name: "tcp", Initial: 100 * time.Millisecond, Draining: 150 * time.Millisecond})
	is := b.behind("masters", 2, arn)
	if h := b.health(arn); len(h) != 2 || h[is[0].ID] != "initial Elb.InitialHealthChecking" {
		t.Errorf("new targets: %v", h)
	}
	b.until("both are healthy", func() bool { h := b.health(arn); return h[is[0].ID] == "healthy " && h[is[1].ID] == "healthy " })

	tgs, err := b.asg.DescribeLoadBalancerTargetGroups(b.ctx, &autoscaling.DescribeLoadBalancerTargetGroupsInput{AutoScalingGroupName: aws.String("masters")})
	b.must(tgs, err)
	lbs, err := b.asg.DescribeLoadBalancers(b.ctx, &autoscaling.DescribeLoadBalancersInput{AutoScalingGroupName: aws.String("masters")})
	b.must(lbs, err)
	if len(tgs.LoadBalancerTargetGroups) != 1 || *tgs.LoadBalancerTargetGroups[0].LoadBalancerTargetGroupARN != arn || *tgs.LoadBalancerTargetGroups[0].State != "InService" || len(lbs.LoadBalancers) != 0 {
		t.Errorf("attached: %+v, %+v", tgs.LoadBalancerTargetGroups, lbs.LoadBalancers)
	}
	if g := b.described("masters"); len(g.TargetGroupARNs) != 1 || g.TargetGroupARNs[0] != arn || len(g.LoadBalancerNames) != 0 {
		t.Errorf("the group says %v, %v", g.TargetGroupARNs, g.LoadBalancerNames)
	}

	began := time.Now()
	leave := &elasticloadbalancingv2.DeregisterTargetsInput{TargetGroupArn: &arn, Targets: []targettypes.TargetDescription{{Id: &is[0].ID}, {Id: aws.String("i-0")}}}
	b.must(b.tgs.DeregisterTargets(b.ctx, leave))
	if h := b.health(arn); h[is[0].ID] != "draining Target.DeregistrationInProgress" || h[is[1].ID] != "healthy " {
		t.Errorf("while it drains: %v", h)
	}
	b.must(b.tgs.DeregisterTargets(b.ctx, leave)) // once more does not begin again
	b.until("it is unused", func() bool { return b.health(arn, is[0].ID)[is[0].ID] == "unused Target.NotRegistered" })
	if d := time.Since(began); d < 150*time.Millisecond {
		t.Errorf("drained after %v", d)
	}
	if h := b.health(arn); len(h) != 1 {
		t.Errorf("left: %v", h)
	}
	if is := b.Instances("masters"); len(is) != 2 || is[0].State != InService {
		t.Errorf("the group minds: %+v", is)
	}
	b.kill(is[1].ID)
	b.without("masters", is[1].ID, 2)
	b.until("its successor is there in its place", func() bool { h := b.health(arn); return len(h) == 1 && h[is[1].ID] == "" })

	_, err = b.tgs.DeregisterTargets(b.ctx, &elasticloadbalancingv2.DeregisterTargetsInput{TargetGroupArn: aws.String("arn:x"), Targets: leave.Targets})
	var none *targettypes.TargetGroupNotFoundException
	if !errors.As(err, &none) {
		t.Errorf("an unknown target group: %v", err)
	}
}

func TestClassicLoadBalancer(t *testing.T) {
	b := serve(t, quick, nil)
	name := b.CreateBalancer(Balancer{Name: "bastion-lab", Classic: true, Port: 22, Draining: 100 * time.Millisecond})
	arn := b.CreateBalancer(Balancer{Name: "tcp"})
	is := b.behind("bastions", 2, name, arn)
	b.until("both serve", func() bool {
		s := b.served(name)
		return s[is[0].ID] == "InService N/A" && s[is[1].ID] == "InService N/A"
	})
	lbs, err := b.asg.DescribeLoadBalancers(b.ctx, &autoscaling.DescribeLoadBalancersInput{AutoScalingGroupName: aws.String("bastions")})
	b.must(lbs, err)
	if len(lbs.LoadBalancers) != 1 || *lbs.LoadBalancers[0].LoadBalancerName != name {
		t.Errorf("attached: %+v", lbs.LoadBalancers)
	}
	out, err := b.elb.DeregisterInstancesFromLoadBalancer(b.ctx, &elasticloadbalancing.DeregisterInstancesFromLoadBalancerInput{
		LoadBalancerName: &name, Instances: []classictypes.Instance{{InstanceId: &is[0].ID}},
	})
	b.must(out, err)
	if len(out.Instances) != 1 || *out.Instances[0].InstanceId != is[1].ID {
		t.Errorf("left: %+v", out.Instances)
	}
	if s := b.served(name)[is[0].ID]; s != "InService Instance deregistration currently in progress." {
		t.Errorf("while it drains: %s", s)
	}
	b.until("it is out", func() bool {
		return b.served(name, is[0].ID)[is[0].ID] == "OutOfService Instance is not currently registered with the LoadBalancer"
	})
	if h := b.health(arn); len(h) != 2 {
		t.Errorf("the other balancer minds: %v", h)
	}
	_, err = b.elb.DescribeInstanceHealth(b.ctx, &elasticloadbalancing.DescribeInstanceHealthInput{LoadBalancerName: aws.String("nobody")})
	b.fails(err, "LoadBalancerNotFound", "There is no ACTIVE Load Balancer named 'nobody'")
	_, err = b.elb.DescribeInstanceHealth(b.ctx, &elasticloadbalancing.DescribeInstanceHealthInput{LoadBalancerName: &name, Instances: []classictypes.Instance{{InstanceId: aws.String("i-0")}}})
	b.fails(err, "InvalidInstance", "Could not find EC2 instance i-0.")
}

// A group that ends an instance or lets it go has it drain first, and launches the
// next one meanwhile; EC2 waits for nobody.
func TestGroupDrains(t *testing.T) {
	b := serve(t, quick, nil)
	arn := b.CreateBalancer(Balancer{Name: "tcp", Draining: time.Hour})
	is := b.behind("masters", 3, arn)
	b.must(b.detach("masters", false, is[0].ID))
	b.must(b.asg.TerminateInstanceInAutoScalingGroup(b.ctx, &autoscaling.TerminateInstanceInAutoScalingGroupInput{InstanceId: &is[1].ID, ShouldDecrementDesiredCapacity: aws.Bool(false)}))
	b.until("two more serve", func() bool {
		now := b.Instances("masters")
		return len(now) == 5 && now[3].State == InService && now[4].State == InService
	})
	now := b.Instances("masters")
	if now[0].State != Detaching || now[1].State != Terminating || b.ec2State(is[0].ID).State.Name != "running" || b.ec2State(is[1].ID).State.Name != "running" {
		t.Errorf("while they drain: %+v", now)
	}
	if s := b.described("masters").Instances[0].LifecycleState; s != types.LifecycleStateDetaching {
		t.Errorf("described as %s", s)
	}
	_, err := b.detach("masters", false, is[0].ID)
	b.fails(err, "ValidationError", "is not in InService or Standby.")

	b.SetDraining(arn, 0)
	b.settle("masters", 3)
	if i, _ := b.Instance(is[0].ID); i.State != Detached || b.ec2State(is[0].ID).State.Name != "running" {
		t.Errorf("detached: %+v", i)
	}
	for _, a := range b.activities("masters") {
		if a.StatusCode != types.ScalingActivityStatusCodeSuccessful {
			t.Errorf("activity %s: %s", *a.Description, a.StatusCode)
		}
	}
	if targets := b.Targets(arn); len(targets) != 3 || targets[is[2].ID] != "healthy" {
		t.Errorf("targets %v", targets)
	}
	b.SetDraining(arn, time.Hour)
	b.kill(is[2].ID)
	b.without("masters", is[2].ID, 3)
}

// New instances stay out of the balancer while AddToLoadBalancer is suspended.
func TestAddToLoadBalancerSuspended(t *testing.T) {
	b := serve(t, quick, nil)
	arn := b.CreateBalancer(Balancer{Name: "tcp"})
	first := b.behind("masters", 1, arn)[0].ID
	b.must(b.asg.SuspendProcesses(b.ctx, &autoscaling.SuspendProcessesInput{AutoScalingGroupName: aws.String("masters"), ScalingProcesses: []string{"AddToLoadBalancer"}}))
	b.must(b.detach("masters", false, first))
	b.without("masters", first, 1)
	if targets := b.Targets(arn); len(targets) != 0 {
		t.Errorf("targets %v", targets)
	}
}

// The faults of all services are those of load balancers too.
func TestBalancerFaults(t *testing.T) {
	o := quick
	o.Lag = 100 * time.Millisecond
	b := serve(t, o, nil)
	arn := b.CreateBalancer(Balancer{Name: "tcp"})
	id := b.behind("masters", 1, arn)[0].ID
	b.until("it is told", func() bool {
		out, err := b.tgs.DescribeTargetHealth(b.ctx, &elasticloadbalancingv2.DescribeTargetHealthInput{TargetGroupArn: &arn})
		return err == nil && len(out.TargetHealthDescriptions) == 1
	})
	leave := func() error {
		_, err := b.tgs.DeregisterTargets(b.ctx, &elasticloadbalancingv2.DeregisterTargetsInput{TargetGroupArn: &arn, Targets: []targettypes.TargetDescription{{Id: &id}}})
		return err
	}
	b.DenyKey("AKIALAB", "elasticloadbalancing:DeregisterTargets", true)
	b.fails(leave(), "AccessDenied", "elasticloadbalancing:DeregisterTargets on resource: "+arn+" because")
	b.DenyKey("AKIALAB", "elasticloadbalancing:DeregisterTargets", false)
	b.Throttle(1)
	b.fails(leave(), "Throttling", "Rate exceeded")
	b.Throttle(0)
	b.must(nil, leave())
	if h := b.health(arn)[id]; h != "healthy " {
		t.Errorf("the describe call does not lag: %q", h)
	}
	b.until("it has caught up", func() bool { return b.health(arn, id)[id] == "unused Target.NotRegistered" })
}
