package cloud

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// member is the instance that a call names, of the given group or, if that is
// empty, of any.
func (c *Cloud) member(group, id string) (*instance, *apiError) {
	i := c.state.instances[id]
	if i != nil && i.warm() {
		return nil, invalid("Instance %s is in a warm pool. This operation cannot be called on instances in a warm pool.", id)
	}
	if i == nil || !i.member() || group != "" && i.Group != group || c.state.groups[i.Group] == nil {
		return nil, invalid("Instance Id not found - No managed instance found for instance ID: %s", id)
	}
	return i, nil
}

// membersNamed are all instances of InstanceIds, which must be members.
func (c *Cloud) membersNamed(r *request, group string) ([]*instance, *apiError) {
	var is []*instance
	for _, id := range r.list("InstanceIds.member") {
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
func terminateInGroup(c *Cloud, r *request) ([]node, *apiError) {
	several := r.has("InstanceIds.member.1")
	name := r.str("AutoScalingGroupName")
	if several && name == "" {
		return nil, invalid("AutoScalingGroupName is required when using InstanceIds.")
	}
	if r.has("InstanceIds.member.101") {
		return nil, invalid("1 validation error detected: Value at 'instanceIds' failed to satisfy constraint: Member must have length less than or equal to 100")
	}
	is, err := c.membersNamed(r, name)
	if !several {
		var i *instance
		i, err = c.member(name, r.str("InstanceId"))
		is = []*instance{i}
	}
	if err != nil {
		return nil, err
	}
	decrement := r.bool("ShouldDecrementDesiredCapacity")
	g := c.state.groups[is[0].Group]
	if n := counting(is); decrement && n > 0 && g.Desired-n < g.Min {
		return nil, invalid("Currently, desiredSize equals minSize (%d). Terminating instance without replacement will violate group's min size constraint. "+
			"Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.", g.Min)
	}

	now := time.Now()
	var activities []*activity
	for _, i := range is {
		if i.phase() == Terminating {
			activities = append(activities, c.activity(i.activity))
			continue
		}
		cause := fmt.Sprintf("At %s instance %s was taken out of service in response to a user request", stamp(now), i.ID)
		if decrement && i.counts() {
			cause += fmt.Sprintf(", shrinking the capacity from %d to %d", g.Desired, g.Desired-1)
			g = c.editGroup(g, func(g *group) { g.Desired-- })
		}
		activities = append(activities, c.terminate(g, i, cause+".", now))
	}
	if several {
		return []node{each("Activities", "member", activities, (*activity).nodes)}, nil
	}
	return []node{el("Activity", activities[0].nodes()...)}, nil
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
	answer []node
	at     time.Time
}

// used finds the answer that a client token got before; other parameters with
// the same token are a mismatch.
func (c *Cloud) used(r *request, life time.Duration) (answer []node, mismatch bool) {
	u, known := c.tokens[r.action+" "+r.str("ClientToken")]
	if !known || time.Since(u.at) > life {
		return nil, false
	}
	return u.answer, u.params != params(r.form)
}

func (c *Cloud) use(r *request, answer []node) {
	if t := r.str("ClientToken"); t != "" {
		c.tokens[r.action+" "+t] = tokenUse{params(r.form), answer, time.Now()}
	}
}

// params are the parameters of a call in a form that can be compared.
func params(form url.Values) string { return form.Encode() }

// launchInstances starts instances in one zone while the caller waits. What was
// started raises the desired capacity; what failed is told at once and, unless
// the call asks for a retry, leaves it alone.
func launchInstances(c *Cloud, r *request) ([]node, *apiError) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	answer, mismatch := c.used(r, 8*time.Hour)
	switch {
	case mismatch:
		return nil, &apiError{"IdempotentParameterMismatch", "The parameters do not match those of an earlier request with the same client token.", http.StatusBadRequest}
	case answer != nil:
		return answer, nil
	}
	want := r.int("RequestedCapacity", 0)
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
		i, failed = c.launch(g, zone, Pending, fmt.Sprintf("At %s an instance was launched in response to a LaunchInstances request.", stamp(now)), now)
		if failed == nil {
			ids, kind = append(ids, i.ID), i.Type
		}
	}
	raise := len(ids)
	if failed != nil && r.str("RetryStrategy") == "retry-with-group-configuration" {
		raise = want
	}
	g = c.editGroup(g, func(g *group) { g.Desired += raise })
	c.changed()

	where := []node{
		text("AvailabilityZone", zone), text("AvailabilityZoneId", c.zoneID(zone)),
		text("SubnetId", c.subnet(zone)), text("MarketType", market(c.spotNext(g))),
	}
	instances, errors := el("Instances"), el("Errors")
	if len(ids) > 0 {
		instances.kids = []node{el("member", append(where, text("InstanceType", kind), texts("InstanceIds", "member", ids))...)}
	}
	if failed != nil {
		probe := &instance{Instance: Instance{Tags: map[string]string{}}}
		c.configure(probe, g)
		errors.kids = []node{el("member", append(where, text("InstanceType", probe.Type),
			text("ErrorCode", failed.code), text("ErrorMessage", failed.message))...)}
	}
	answer = []node{text("AutoScalingGroupName", g.Name), text("ClientToken", r.str("ClientToken")), instances, errors}
	c.use(r, answer)
	return answer, nil
}

// launchZone checks a LaunchInstances call and finds the zone it means.
func (c *Cloud) launchZone(g *group, r *request, want int) (string, *apiError) {
	zones, ids, subnets := r.list("AvailabilityZones.member"), r.list("AvailabilityZoneIds.member"), r.list("SubnetIds.member")
	if len(zones) > 0 && len(ids) > 0 {
		return "", invalid("You cannot specify both AvailabilityZones and AvailabilityZoneIds.")
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
		return "", invalid("LaunchInstances is not supported for AutoScalingGroups that use a launch configuration.")
	case r.str("ClientToken") == "":
		return "", invalid("1 validation error detected: Value null at 'clientToken' failed to satisfy constraint: Member must not be null")
	case want < 1:
		return "", invalid("1 validation error detected: Value '%d' at 'requestedCapacity' failed to satisfy constraint: Member must have value greater than or equal to 1", want)
	case want > 100:
		return "", invalid("LaunchInstances can launch at most 100 instances.")
	case len(zones) != 1 || len(subnets) > 1:
		return "", invalid("Exactly one Availability Zone or subnet must be specified for an AutoScalingGroup with multiple Availability Zones.")
	case !slices.Contains(g.Zones, zones[0]):
		return "", invalid("The Availability Zone %s is not one of the AutoScalingGroup's.", zones[0])
	case g.Desired+want > g.Max:
		return "", invalid("The requested capacity %d would take the AutoScalingGroup from desired capacity %d above its max size %d.", want, g.Desired, g.Max)
	case g.pool != nil:
		return "", &apiError{"UnsupportedOperation", "LaunchInstances is not supported for AutoScalingGroups that have a warm pool.", http.StatusBadRequest}
	case g.mixesMarkets():
		return "", invalid("LaunchInstances is not supported for AutoScalingGroups with a mixed instances policy that combines On-Demand and Spot Instances.")
	case g.isSuspended("Launch"):
		return "", invalid("The Launch process of AutoScalingGroup %s is suspended.", g.Name)
	}
	return zones[0], nil
}

func setProtection(c *Cloud, r *request) ([]node, *apiError) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	is, err := c.membersNamed(r, g.Name)
	if err != nil {
		return nil, err
	}
	for _, i := range is {
		c.edit(i, func(i *instance) { i.protected = r.bool("ProtectedFromScaleIn") })
	}
	return nil, nil
}
