package cloud

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// The two load balancing APIs share their name in IAM.
const balancing = "elasticloadbalancing"

var targetGroupHandlers = map[string]handler{
	"DescribeTargetHealth": describeTargetHealth,
	"DeregisterTargets":    deregisterTargets,
}

var classicHandlers = map[string]handler{
	"DescribeInstanceHealth":              describeInstanceHealth,
	"DeregisterInstancesFromLoadBalancer": deregisterInstances,
}

// targetGroup is the one that a call names.
func targetGroup(s *state, r *wire.Request) (*balancer, *wire.Error) {
	b := s.balancers[r.Str("TargetGroupArn")]
	if b == nil || b.Classic {
		return nil, wire.NewError("TargetGroupNotFound", "One or more target groups not found", http.StatusBadRequest)
	}
	return b, nil
}

// describeTargetHealth tells of the targets that the call names, also of those that are
// not registered, or of all that are.
func describeTargetHealth(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	s := c.seen()
	b, err := targetGroup(s, r)
	if err != nil {
		return nil, err
	}
	ids := s.registered(b.id)
	if r.Any("Targets.member.") {
		ids = nil
		for _, p := range r.Structs("Targets.member") {
			ids = append(ids, r.Str(p+".Id"))
		}
	}
	return []wire.Node{wire.Each("TargetHealthDescriptions", "member", ids, func(id string) []wire.Node {
		state, reason, description := s.targetHealth(b, id)
		return []wire.Node{
			wire.El("Target", wire.Text("Id", id), wire.Text("Port", b.Port)),
			wire.Text("HealthCheckPort", strconv.Itoa(b.Port)),
			wire.El("TargetHealth", wire.Text("State", state), wire.Text("Reason", reason), wire.Text("Description", description)),
		}
	})}, nil
}

func (s *state) targetHealth(b *balancer, id string) (state, reason, description string) {
	r, registered := s.registrations[place{b.id, id}]
	i := s.instances[id]
	switch {
	case !registered:
		return "unused", "Target.NotRegistered", "Target is not registered to the target group"
	case r.state == draining:
		return draining, "Target.DeregistrationInProgress", "Target deregistration is in progress"
	case i == nil || i.ec2 != "running":
		return "unused", "Target.InvalidState", "Target is in the stopped or terminated state"
	case r.state == initial:
		return initial, "Elb.InitialHealthChecking", "Initial health checks in progress"
	}
	return healthy, "", ""
}

// deregisterTargets succeeds for targets that are not registered too.
func deregisterTargets(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	b, err := targetGroup(&c.state, r)
	if err != nil {
		return nil, err
	}
	for _, p := range r.Structs("Targets.member") {
		c.deregister(r.Str(p+".Id"), b.id, time.Now())
	}
	return nil, nil
}

// classicBalancer is the classic load balancer that a call names.
func classicBalancer(s *state, r *wire.Request) (*balancer, *wire.Error) {
	b := s.balancers[r.Str("LoadBalancerName")]
	if b == nil || !b.Classic {
		return nil, wire.NewError("LoadBalancerNotFound", fmt.Sprintf("There is no ACTIVE Load Balancer named '%s'", r.Str("LoadBalancerName")), http.StatusBadRequest)
	}
	return b, nil
}

// classicInstances are those that a call names, which must have existed.
func classicInstances(s *state, r *wire.Request) ([]string, *wire.Error) {
	var ids []string
	for _, p := range r.Structs("Instances.member") {
		id := r.Str(p + ".InstanceId")
		if s.instances[id] == nil {
			return nil, wire.NewError("InvalidInstance", fmt.Sprintf("Could not find EC2 instance %s.", id), http.StatusBadRequest)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// describeInstanceHealth tells of the instances that the call names, also of those that
// are not registered, or of all that are; never of terminated ones.
func describeInstanceHealth(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	s := c.seen()
	b, err := classicBalancer(s, r)
	if err != nil {
		return nil, err
	}
	ids, err := classicInstances(s, r)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		ids = s.registered(b.id)
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return s.instances[id] == nil || s.instances[id].ec2 == "terminated" })
	return []wire.Node{wire.Each("InstanceStates", "member", ids, func(id string) []wire.Node {
		state, reason, description := s.instanceHealth(b, id)
		return []wire.Node{wire.Text("InstanceId", id), wire.Text("State", state), wire.Text("ReasonCode", reason), wire.Text("Description", description)}
	})}, nil
}

// instanceHealth is in service also while connections drain, as the description says.
func (s *state) instanceHealth(b *balancer, id string) (state, reason, description string) {
	r, registered := s.registrations[place{b.id, id}]
	switch {
	case !registered:
		return "OutOfService", "Instance", "Instance is not currently registered with the LoadBalancer"
	case r.state == draining:
		return "InService", "N/A", "Instance deregistration currently in progress."
	case s.instances[id].ec2 != "running":
		return "OutOfService", "Instance", "Instance is in stopped state."
	case r.state == initial:
		return "OutOfService", "ELB", "Instance registration is still in progress."
	}
	return "InService", "N/A", "N/A"
}

// deregisterInstances answers with the instances that are left.
func deregisterInstances(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	b, err := classicBalancer(&c.state, r)
	if err != nil {
		return nil, err
	}
	ids, err := classicInstances(&c.state, r)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		c.deregister(id, b.id, time.Now())
	}
	left := slices.DeleteFunc(c.state.registered(b.id), func(id string) bool { return slices.Contains(ids, id) })
	return []wire.Node{wire.Each("Instances", "member", left, func(id string) []wire.Node { return []wire.Node{wire.Text("InstanceId", id)} })}, nil
}

// attachedTo answers which balancers of one kind a group has.
func attachedTo(classic bool, list, name string) handler {
	return func(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
		s := c.seen()
		g := s.groups[r.Str("AutoScalingGroupName")]
		if g == nil {
			return nil, errNoGroup(r.Str("AutoScalingGroupName"))
		}
		ids := s.attached(g, classic)
		slices.Sort(ids)
		from, to, token, err := r.Page(len(ids), func(n int) string { return ids[n] }, "MaxRecords", 100, 100)
		if err != nil {
			return nil, err
		}
		return []wire.Node{
			wire.Each(list, "member", ids[from:to], func(id string) []wire.Node { return []wire.Node{wire.Text(name, id), wire.Text("State", "InService")} }),
			wire.Text("NextToken", token),
		}, nil
	}
}
