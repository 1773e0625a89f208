package cloud

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"
)

// forgotten is how long EC2 still tells of a terminated instance.
const forgotten = time.Hour

// launchError is why an instance cannot start, by EC2's code.
type launchError struct{ code, message string }

// launch starts an instance of the group in a zone, in the state Pending or, for
// the warm pool, Warmed:Pending; or says why it cannot. The activity for it is
// recorded either way. The caller holds mu.
func (c *Cloud) launch(g *group, zone, state, cause string, now time.Time) (*instance, *launchError) {
	i := &instance{
		Instance: Instance{Group: g.Name, Zone: zone, State: state, LaunchTime: now, Tags: map[string]string{}, Spot: c.spotNext(g)},
		subnet:   c.subnet(zone),
		ec2:      "pending",
		started:  now,
		boot:     c.o.Boot,
	}
	err := c.configure(i, g)
	if err == nil {
		err = c.room(i)
	}
	if err != nil {
		message := err.message + " Launching EC2 instance failed."
		c.record(g, activity{
			description: "Launching a new EC2 instance.  Status Reason: " + message,
			cause:       cause, status: "Failed", message: message, progress: 100,
			start: now, end: now, zone: zone, subnet: i.subnet,
		})
		c.logf("%s: launch in %s failed: %s", g.Name, zone, err.code)
		return nil, err
	}

	i.ID = c.id("i")
	i.seq = c.seq
	i.PrivateIP = c.address(zone)
	i.PrivateDNS = fmt.Sprintf("ip-%s.%s.compute.internal", strings.ReplaceAll(i.PrivateIP, ".", "-"), c.o.Region)
	i.Tags[groupTag] = g.Name
	i.protected = g.ProtectNew
	if d, ok := c.faults.boot[g.Name]; ok {
		i.boot = d
	}
	description := "Launching a new EC2 instance: "
	if i.warm() {
		description = "Launching a new EC2 instance into warm pool: "
	}
	i.activity = c.record(g, activity{
		description: description + i.ID,
		cause:       cause, status: "PreInService", progress: 30,
		start: now, zone: zone, subnet: i.subnet,
	}).id
	if n, limited := c.faults.capacity[zone]; limited {
		c.faults.capacity[zone] = n - 1
	}
	c.faults.fail(i, now)
	if !i.warm() {
		c.start(i)
	}
	c.state.instances[i.ID] = i
	c.changed()
	c.logf("%s: launched %s in %s", g.Name, i.ID, zone)
	return i, nil
}

// start tells Machines of an instance, which is not in the state yet or a copy,
// unless it never joins.
func (c *Cloud) start(i *instance) {
	if i.failing {
		return
	}
	i.told = true
	started := i.Instance
	started.Tags = maps.Clone(i.Tags)
	c.tell(func(m Machines) { m.Launch(started) })
}

// configure fills in what the group's template says, resolved now.
func (c *Cloud) configure(i *instance, g *group) *launchError {
	for _, t := range g.tags {
		if t.propagate {
			i.Tags[t.key] = t.value
		}
	}
	if g.LaunchConfiguration != "" {
		i.launchConfig, i.ImageID, i.Type = g.LaunchConfiguration, "ami-0000000000000c0f1", "m5.large"
		return nil
	}
	ref := g.Template
	if len(g.Overrides) > 0 && g.Overrides[0].Template != nil {
		ref = *g.Overrides[0].Template
	}
	t, v, problem := c.state.resolve(ref)
	if problem != "" {
		return &launchError{"InvalidLaunchTemplate", problem}
	}
	i.TemplateID, i.TemplateName, i.TemplateVersion = t.id, t.name, v.number
	i.ImageID, i.Type, i.UserData = v.data.ImageID, v.data.InstanceType, v.data.UserData
	if len(g.Overrides) > 0 && g.Overrides[0].InstanceType != "" {
		i.Type = g.Overrides[0].InstanceType
	}
	maps.Copy(i.Tags, v.data.Tags)
	i.Tags["aws:ec2launchtemplate:id"] = t.id
	i.Tags["aws:ec2launchtemplate:version"] = fmt.Sprint(v.number)
	if _, exists := c.faults.imageName(i.ImageID); !exists {
		return &launchError{"InvalidAMIID.NotFound", fmt.Sprintf("The image id '[%s]' does not exist.", i.ImageID)}
	}
	return nil
}

// room says whether the zone has a machine and an address for the instance.
func (c *Cloud) room(i *instance) *launchError {
	if n, limited := c.faults.capacity[i.Zone]; limited && n <= 0 {
		message := fmt.Sprintf("We currently do not have sufficient %s capacity in the Availability Zone you requested (%s). "+
			"Our system will be working on provisioning additional capacity.", i.Type, i.Zone)
		var others []string
		for _, z := range c.o.Zones {
			if n, limited := c.faults.capacity[z]; !limited || n > 0 {
				others = append(others, z)
			}
		}
		if len(others) > 0 {
			message += fmt.Sprintf(" You can currently get %s capacity by not specifying an Availability Zone in your request or choosing %s.",
				i.Type, strings.Join(others, ", "))
		}
		return &launchError{"InsufficientInstanceCapacity", message}
	}
	if limit, used := cmp.Or(c.faults.quota, defaultQuota), c.vCPUs(); !i.Spot && used+i.vCPUs() > limit {
		return &launchError{"VcpuLimitExceeded", fmt.Sprintf("You have requested more vCPU capacity than your current vCPU limit of %d allows for the instance bucket that the specified "+
			"instance type belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.", limit)}
	}
	if c.freeAddresses(&c.state, i.Zone) <= 0 {
		return &launchError{"InsufficientFreeAddressesInSubnet",
			fmt.Sprintf("There are not enough free addresses in subnet '%s' to satisfy the requested number of instances.", i.subnet)}
	}
	return nil
}

// vCPUs are those of the On-Demand instances that run.
func (c *Cloud) vCPUs() (n int) {
	for _, i := range c.state.instances {
		if !i.Spot && (i.ec2 == "pending" || i.ec2 == "running") {
			n += i.vCPUs()
		}
	}
	return n
}

// vCPUs are those of an instance, by the size of its type: large has two, and each xlarge four.
func (i *instance) vCPUs() int {
	_, size, _ := strings.Cut(i.Type, ".")
	times, is := strings.CutSuffix(size, "xlarge")
	if !is {
		return 2
	}
	n, err := strconv.Atoi(times)
	if err != nil {
		n = 1
	}
	return 4 * n
}

func (c *Cloud) freeAddresses(s *state, zone string) int {
	free, limited := c.faults.addresses[zone]
	if !limited {
		free = subnetAddresses
	}
	for _, i := range s.instances {
		if i.Zone == zone && i.ec2 != "terminated" {
			free--
		}
	}
	return max(free, 0)
}

// terminate lets the group shut down an instance, after its connections have drained
// and its lifecycle hooks are done, and returns the activity. The caller holds mu.
func (c *Cloud) terminate(g *group, i *instance, cause string, now time.Time) *activity {
	a := c.record(g, activity{
		description: "Terminating EC2 instance: " + i.ID,
		cause:       cause, status: "InProgress", start: now, zone: i.Zone, subnet: i.subnet,
	})
	if i.phase() == Pending {
		c.finish(i.activity, now)
	}
	i = c.edit(i, func(i *instance) { i.State, i.activity, i.waits = i.in(Terminating), a.id, nil })
	c.logf("%s: terminating %s in %s", g.Name, i.ID, i.Zone)
	c.deregister(i.ID, "", now)
	c.drained(g, i, now)
	return a
}

// drained continues the termination of an instance when it is in no balancer any more, or
// not alive.
func (c *Cloud) drained(g *group, i *instance, now time.Time) {
	if i.alive() && c.balanced(i.ID) {
		return
	}
	if waits := c.waits(g, false, now); len(waits) > 0 {
		c.edit(i, func(i *instance) { i.State, i.waits = i.in(TerminatingWait), waits })
		return
	}
	c.shutDown(i, userInitiated, now)
}

// shutDown is what EC2 does to terminate an instance. The caller holds mu.
func (c *Cloud) shutDown(i *instance, why stateReason, now time.Time) {
	if !i.alive() {
		return
	}
	c.edit(i, func(i *instance) { i.ec2, i.ended, i.reason, i.dies = "shutting-down", now, why, time.Time{} })
	if id := i.ID; i.told {
		c.tell(func(m Machines) { m.Terminate(id) })
	}
}

// advance moves instances on whose time has come. The caller holds mu.
func (c *Cloud) advance(now time.Time) {
	c.balance(now)
	for _, i := range c.state.all() {
		id := i.ID
		if !i.dies.IsZero() && i.alive() && c.reached(i.dies, now) {
			c.shutDown(i, i.reason, now)
		}
		if i = c.state.instances[id]; i.ec2 == "pending" && c.reached(i.started.Add(i.boot/2), now) {
			c.edit(i, func(i *instance) { i.ec2 = "running" })
		}
		c.enter(c.state.instances[id], now)
		c.leave(c.state.instances[id], now)
	}
}

// enter moves an instance on its way into service, or into the warm pool's rest.
func (c *Cloud) enter(i *instance, now time.Time) {
	if i.phase() != Pending || i.ec2 != "running" {
		return
	}
	g := c.state.groups[i.Group]
	if i.State == i.in(Pending) && g != nil {
		if waits := c.waits(g, true, now); len(waits) > 0 {
			i = c.edit(i, func(i *instance) { i.State, i.waits = i.in(PendingWait), waits })
		}
	}
	if i.State == i.in(PendingWait) {
		c.heedHooks(i, now)
		return
	}
	if !c.reached(i.started.Add(i.boot), now) {
		return
	}
	c.edit(i, func(i *instance) {
		switch {
		case !i.warm():
			i.State = InService
		case g == nil || g.pool == nil || g.pool.State == "Running":
			i.State = Warmed + "Running"
		default:
			i.State, i.ec2 = Warmed+g.pool.State, "stopped"
		}
	})
	c.finish(i.activity, now)
	if !i.warm() {
		c.register(g, i.ID, now)
	}
}

// leave moves an instance on its way out, until it is forgotten.
func (c *Cloud) leave(i *instance, now time.Time) {
	if i.State == Detaching && !(i.alive() && c.balanced(i.ID)) {
		i = c.detached(i, now)
	}
	if i.State == i.in(Terminating) && i.alive() {
		c.drained(c.state.groups[i.Group], i, now)
		i = c.state.instances[i.ID]
	}
	if i.State == i.in(TerminatingWait) {
		c.heedHooks(i, now)
		return
	}
	if i.State == i.in(TerminatingProceed) {
		c.shutDown(i, userInitiated, now)
		i = c.state.instances[i.ID]
	}
	if i.ec2 == "shutting-down" && c.reached(i.ended.Add(c.o.Terminate), now) {
		i = c.edit(i, func(i *instance) { i.ec2 = "terminated" })
	}
	if i.ec2 == "terminated" && (i.phase() == Terminating || i.State == Detached) {
		if i.phase() == Terminating {
			c.finish(i.activity, now)
		}
		i = c.edit(i, func(i *instance) { i.State = Terminated })
	}
	if i.State == Terminated && c.reached(i.ended.Add(c.o.Terminate+forgotten), now) {
		delete(c.state.instances, i.ID)
		c.changed()
	}
}

// reached says whether a time has come; if not, reconcile runs again at that time.
func (c *Cloud) reached(t, now time.Time) bool {
	if !t.After(now) {
		return true
	}
	if c.due.IsZero() || t.Before(c.due) {
		c.due = t
	}
	return false
}
