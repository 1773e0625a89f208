package asg

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbv2types "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// standing is how a machine stands to a load balancer.
type standing int

const (
	departed  standing = iota // it gets no traffic, and has no connections left
	departing                 // it gets no new connections, and may have old ones
	serving                   // it is registered, healthy or not
)

// balancer is what hands traffic to machines. Errors of standing are in words; that the
// machine or the balancer is not known (any more) is none: it has departed.
type balancer interface {
	standing(ctx context.Context, machine string) (standing, error)
	// remove begins the departure. Repeating it is harmless.
	remove(ctx context.Context, machine string) error
	String() string
}

// targetGroup is one of an application, network or gateway load balancer.
type targetGroup struct {
	c   *Client
	arn string
}

// String is the name in the ARN: arn:aws:elasticloadbalancing:...:targetgroup/NAME/ID.
func (t targetGroup) String() string {
	name := t.arn
	if parts := strings.Split(t.arn, "/"); len(parts) == 3 {
		name = parts[1]
	}
	return "target group " + transport.Clean(name)
}

func (t targetGroup) targets(machine string) []elbv2types.TargetDescription {
	return []elbv2types.TargetDescription{{Id: &machine}}
}

// standing: any state but unused and draining may mean traffic. A target that is not
// registered is unused.
func (t targetGroup) standing(ctx context.Context, machine string) (standing, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	out, err := t.c.targets.DescribeTargetHealth(ctx, &elasticloadbalancingv2.DescribeTargetHealthInput{TargetGroupArn: &t.arn, Targets: t.targets(machine)})
	if err != nil {
		return t.c.unknownHere(err, "InvalidTarget")
	}
	at := departed
	for _, d := range out.TargetHealthDescriptions {
		state := elbv2types.TargetHealthStateEnum("")
		if d.TargetHealth != nil {
			state = d.TargetHealth.State
		}
		switch state {
		case elbv2types.TargetHealthStateEnumUnused:
		case elbv2types.TargetHealthStateEnumDraining:
			at = max(at, departing)
		default:
			at = serving
		}
	}
	return at, nil
}

func (t targetGroup) remove(ctx context.Context, machine string) error {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	_, err := t.c.targets.DeregisterTargets(ctx, &elasticloadbalancingv2.DeregisterTargetsInput{TargetGroupArn: &t.arn, Targets: t.targets(machine)})
	return err
}

// classic is a load balancer of the first kind.
type classic struct {
	c    *Client
	name string
}

func (l classic) String() string { return "load balancer " + transport.Clean(l.name) }

func (l classic) instances(machine string) []elbtypes.Instance {
	return []elbtypes.Instance{{InstanceId: &machine}}
}

// standing: the state is InService also while connections drain, when only the
// description says so (API reference, InstanceState).
func (l classic) standing(ctx context.Context, machine string) (standing, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	out, err := l.c.balancers.DescribeInstanceHealth(ctx, &elasticloadbalancing.DescribeInstanceHealthInput{LoadBalancerName: &l.name, Instances: l.instances(machine)})
	if err != nil {
		return l.c.unknownHere(err, "InvalidInstance")
	}
	at := departed
	for _, s := range out.InstanceStates {
		switch {
		case transport.Text(s.State) != "InService":
		case strings.Contains(transport.Text(s.Description), "deregistration currently in progress"):
			at = max(at, departing)
		default:
			at = serving
		}
	}
	return at, nil
}

func (l classic) remove(ctx context.Context, machine string) error {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	_, err := l.c.balancers.DeregisterInstancesFromLoadBalancer(ctx, &elasticloadbalancing.DeregisterInstancesFromLoadBalancerInput{LoadBalancerName: &l.name, Instances: l.instances(machine)})
	return err
}

// lookAtBalancers asks load balancers of a group which of them have a machine still, or connections to it. One that
// cannot be asked refuses the answer as a whole.
func (e *Executor) lookAtBalancers(ctx context.Context, a record.Action) record.Outcome {
	o := done("")
	for _, name := range a.Balancers {
		var b balancer = classic{e.c, name}
		if strings.HasPrefix(name, "arn:") {
			b = targetGroup{e.c, name}
		}
		at, err := b.standing(ctx, a.Machine)
		if err != nil {
			return notAsked(err)
		}
		if at != departed {
			o.Balancers = append(o.Balancers, b.String())
		}
	}
	return o
}

// unknownHere is the result of a failed request: a balancer that is gone, and one
// that does not know the machine (which the code says), are left.
func (c *Client) unknownHere(err error, machineUnknown string) (standing, error) {
	code, _ := transport.Answered(err)
	switch code {
	case machineUnknown, "TargetGroupNotFound", "LoadBalancerNotFound":
		return departed, nil
	}
	return serving, c.explain(err)
}
