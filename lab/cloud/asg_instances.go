package cloud

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// member is the instance that a call names, of the given group or, if that is
// empty, of any.
func (c *Cloud) member(group, id string) (*instance, *wire.Error) {
	i := c.state.instances[id]
	if i != nil && i.warm() {
		return nil, wire.Invalid("Instance %s is in a warm pool. This operation cannot be called on instances in a warm pool.", id)
	}
	if i == nil || !i.member() || group != "" && i.Group != group || c.state.groups[i.Group] == nil {
		return nil, wire.Invalid("Instance Id not found - No managed instance found for instance ID: %s", id)
	}
	return i, nil
}

// membersNamed are all instances of InstanceIds, which must be members.
func (c *Cloud) membersNamed(r *wire.Request, group string) ([]*instance, *wire.Error) {
	var is []*instance
	for _, id := range r.List("InstanceIds.member") {
		i, err := c.member(group, id)
		if err != nil {
			return nil, err
		}
		is = append(is, i)
	}
	return is, nil
}

// terminateInGroup terminates one instance, or with InstanceIds up to 100. One
// that is terminating already is answered with its activity and changes nothing.
func terminateInGroup(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	several := r.Has("InstanceIds.member.1")
	name := r.Str("AutoScalingGroupName")
	if several && name == "" {
		return nil, wire.Invalid("AutoScalingGroupName is required when using InstanceIds.")
	}
	if r.Has("InstanceIds.member.101") {
		return nil, wire.Invalid("1 validation error detected: Value at 'instanceIds' failed to satisfy constraint: Member must have length less than or equal to 100")
	}
	is, err := c.membersNamed(r, name)
	if !several {
		var i *instance
		i, err = c.member(name, r.Str("InstanceId"))
		is = []*instance{i}
	}
	if err != nil {
		return nil, err
	}
	decrement := r.Bool("ShouldDecrementDesiredCapacity")
	g := c.state.groups[is[0].Group]
	if n := counting(is); decrement && n > 0 && g.Desired-n < g.Min {
		return nil, wire.Invalid("Currently, desiredSize equals minSize (%d). Terminating instance without replacement will violate group's min size constraint. "+
			"Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.", g.Min)
	}

	now := time.Now()
	var activities []*activity
	for _, i := range is {
		if i.phase() == Terminating {
			activities = append(activities, c.activity(i.activity))
			continue
		}
		cause := fmt.Sprintf("At %s instance %s was taken out of service in response to a user request", wire.Stamp(now), i.ID)
		if decrement && i.counts() {
			cause += fmt.Sprintf(", shrinking the capacity from %d to %d", g.Desired, g.Desired-1)
			g = c.editGroup(g, func(g *group) { g.Desired-- })
		}
		activities = append(activities, c.terminate(g, i, cause+".", now))
	}
	if several {
		return []wire.Node{wire.Each("Activities", "member", activities, (*activity).nodes)}, nil
	}
	return []wire.Node{wire.El("Activity", activities[0].nodes()...)}, nil
}

func counting(is []*instance) int {
	n := 0
	for _, i := range is {
		if i.counts() {
			n++
		}
	}
	return n
}

func (c *Cloud) activity(id string) *activity {
	for _, a := range slices.Backward(c.state.activities) {
		if a.id == id {
			return a
		}
	}
	return &activity{id: id}
}

// tokenUse is a client token: the call it came with and what was answered.
type tokenUse struct {
	params string
	answer []wire.Node
	at     time.Time
}

// used finds the answer that a client token got before; other parameters with
// the same token are a mismatch.
func (c *Cloud) used(r *wire.Request, life time.Duration) (answer []wire.Node, mismatch bool) {
	u, known := c.tokens[r.Action+" "+r.Str("ClientToken")]
	if !known || time.Since(u.at) > life {
		return nil, false
	}
	return u.answer, u.params != params(r.Form)
}

func (c *Cloud) use(r *wire.Request, answer []wire.Node) {
	if t := r.Str("ClientToken"); t != "" {
		c.tokens[r.Action+" "+t] = tokenUse{params(r.Form), answer, time.Now()}
	}
}

// params are the parameters of a call in a form that can be compared.
func params(form url.Values) string { return form.Encode() }

// launchInstances starts instances in one zone while the caller waits. What was
// started raises the desired capacity; what failed is told at once and, unless
// the call asks for a retry, leaves it alone.
func launchInstances(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	answer, mismatch := c.used(r, 8*time.Hour)
	switch {
	case mismatch:
		return nil, wire.NewError("IdempotentParameterMismatch", "The parameters do not match those of an earlier request with the same client token.", http.StatusBadRequest)
	case answer != nil:
		return answer, nil
	}
	want := r.Int("RequestedCapacity", 0)
	zone, err := c.launchZone(g, r, want)
	if err != nil {
		return nil, err
	}

	now := time.Now()
	var ids []string
	var kind string
	var failed *launchError
	for len(ids) < want && failed == nil {
		var i *instance
		i, failed = c.launch(g, zone, Pending, fmt.Sprintf("At %s an instance was launched in response to a LaunchInstances request.", wire.Stamp(now)), now)
		if failed == nil {
			ids, kind = append(ids, i.ID), i.Type
		}
	}
	raise := len(ids)
	if failed != nil && r.Str("RetryStrategy") == "retry-with-group-configuration" {
		raise = want
	}
	g = c.editGroup(g, func(g *group) { g.Desired += raise })
	c.changed()

	where := []wire.Node{
		wire.Text("AvailabilityZone", zone), wire.Text("AvailabilityZoneId", c.zoneID(zone)),
		wire.Text("SubnetId", c.subnet(zone)), wire.Text("MarketType", market(c.spotNext(g))),
	}
	instances, errors := wire.El("Instances"), wire.El("Errors")
	if len(ids) > 0 {
		instances.Kids = []wire.Node{wire.El("member", append(where, wire.Text("InstanceType", kind), wire.Texts("InstanceIds", "member", ids))...)}
	}
	if failed != nil {
		probe := &instance{Instance: Instance{Tags: map[string]string{}}}
		c.configure(probe, g)
		errors.Kids = []wire.Node{wire.El("member", append(where, wire.Text("InstanceType", probe.Type),
			wire.Text("ErrorCode", failed.code), wire.Text("ErrorMessage", failed.message))...)}
	}
	answer = []wire.Node{wire.Text("AutoScalingGroupName", g.Name), wire.Text("ClientToken", r.Str("ClientToken")), instances, errors}
	c.use(r, answer)
	return answer, nil
}

// launchZone checks a LaunchInstances call and finds the zone it means.
func (c *Cloud) launchZone(g *group, r *wire.Request, want int) (string, *wire.Error) {
	zones, ids, subnets := r.List("AvailabilityZones.member"), r.List("AvailabilityZoneIds.member"), r.List("SubnetIds.member")
	if len(zones) > 0 && len(ids) > 0 {
		return "", wire.Invalid("You cannot specify both AvailabilityZones and AvailabilityZoneIds.")
	}
	for _, id := range ids {
		for _, z := range c.o.Zones {
			if c.zoneID(z) == id {
				zones = append(zones, z)
			}
		}
	}
	for _, s := range subnets {
		zones = append(zones, c.zoneOf(s))
	}
	slices.Sort(zones)
	zones = slices.Compact(zones)
	if len(zones) == 0 && len(ids) == 0 && len(g.Zones) == 1 {
		zones = g.Zones
	}
	switch {
	case g.LaunchConfiguration != "":
		return "", wire.Invalid("LaunchInstances is not supported for AutoScalingGroups that use a launch configuration.")
	case r.Str("ClientToken") == "":
		return "", wire.Invalid("1 validation error detected: Value null at 'clientToken' failed to satisfy constraint: Member must not be null")
	case want < 1:
		return "", wire.Invalid("1 validation error detected: Value '%d' at 'requestedCapacity' failed to satisfy constraint: Member must have value greater than or equal to 1", want)
	case want > 100:
		return "", wire.Invalid("LaunchInstances can launch at most 100 instances.")
	case len(zones) != 1 || len(subnets) > 1:
		return "", wire.Invalid("Exactly one Availability Zone or subnet must be specified for an AutoScalingGroup with multiple Availability Zones.")
	case !slices.Contains(g.Zones, zones[0]):
		return "", wire.Invalid("The Availability Zone %s is not one of the AutoScalingGroup's.", zones[0])
	case g.Desired+want > g.Max:
		return "", wire.Invalid("The requested capacity %d would take the AutoScalingGroup from desired capacity %d above its max size %d.", want, g.Desired, g.Max)
	case g.pool != nil:
		return "", wire.NewError("UnsupportedOperation", "LaunchInstances is not supported for AutoScalingGroups that have a warm pool.", http.StatusBadRequest)
	case g.mixesMarkets():
		return "", wire.Invalid("LaunchInstances is not supported for AutoScalingGroups with a mixed instances policy that combines On-Demand and Spot Instances.")
	case g.isSuspended("Launch"):
		return "", wire.Invalid("The Launch process of AutoScalingGroup %s is suspended.", g.Name)
	}
	return zones[0], nil
}

func setProtection(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	is, err := c.membersNamed(r, g.Name)
	if err != nil {
		return nil, err
	}
	for _, i := range is {
		c.edit(i, func(i *instance) { i.protected = r.Bool("ProtectedFromScaleIn") })
	}
	return nil, nil
}
