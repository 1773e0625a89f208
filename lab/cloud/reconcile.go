package cloud

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// reconcile lets time and the groups act. The caller holds mu.
func (c *Cloud) reconcile(now time.Time) {
	c.due = now.Add(time.Hour)
	c.advance(now)
	for _, g := range c.state.sortedGroups() {
		c.replaceUnhealthy(g, now)
		c.scale(g, now)
		c.rebalance(c.state.groups[g.Name], now)
		c.fillWarm(c.state.groups[g.Name], now)
	}
}

// replaceUnhealthy terminates the members that EC2 has stopped, or another user
// called unhealthy; scale then replaces them.
func (c *Cloud) replaceUnhealthy(g *group, now time.Time) {
	for _, i := range append(c.state.members(g.Name), c.state.warm(g.Name)...) {
		if !i.counts() && (!i.warm() || i.phase() == Terminating) {
			continue
		}
		gone := !i.alive()
		if gone && !i.unhealthy && !g.isSuspended("HealthCheck") && c.reached(i.ended.Add(c.o.HealthCheck), now) {
			i = c.edit(i, func(i *instance) { i.unhealthy = true })
		}
		if i.unhealthy && !g.isSuspended("ReplaceUnhealthy") && !g.isSuspended("Terminate") {
			if gone && i.phase() == Pending {
				c.cancel(i.activity, "Instance became unhealthy while waiting for instance to be in InService state. "+
					"Termination Reason: "+i.reason.String(), now)
			}
			c.terminate(g, i, fmt.Sprintf("At %s an instance was taken out of service in response to an EC2 health check "+
				"indicating it has been terminated or stopped.", wire.Stamp(now)), now)
		}
	}
}

// scale launches and terminates until as many instances count as are desired, or
// AZRebalance's extra ones more.
func (c *Cloud) scale(g *group, now time.Time) {
	have := c.counted(g)
	for have < g.Desired && !g.isSuspended("Launch") {
		cause := c.cause(g, now, "an instance was started in response to a difference between desired and actual capacity, "+
			"increasing the capacity from %d to %d.", have, have+1)
		if c.takeWarm(g, cause, now) == nil && c.launchAnywhere(g, Pending, cause, now) == nil {
			break
		}
		have++
	}
	extra := c.extras(g, have)
	for have > g.Desired+len(extra) && !g.isSuspended("Terminate") {
		i := c.scaleInChoice(g)
		if i == nil {
			break
		}
		cause := c.cause(g, now, "an instance was taken out of service in response to a difference between desired and actual capacity, "+
			"shrinking the capacity from %d to %d.", have, have-1)
		c.terminate(g, i, fmt.Sprintf("%s  At %s instance %s was selected for termination.", cause, wire.Stamp(now), i.ID), now)
		have--
	}
	if have == g.Desired && g.why != "" {
		c.editGroup(g, func(g *group) { g.why = "" }) // what comes later has other causes
	}
}

func (c *Cloud) counted(g *group) int {
	n := 0
	for _, i := range c.state.members(g.Name) {
		if i.counts() {
			n++
		}
	}
	return n
}

// cause is the text of an activity's cause: why the group wants another size,
// and what it did about it.
func (c *Cloud) cause(g *group, now time.Time, format string, args ...any) string {
	s := fmt.Sprintf("At %s ", wire.Stamp(now)) + fmt.Sprintf(format, args...)
	if g.why != "" {
		s = g.why + "  " + s
	}
	return s
}

// launchAnywhere launches one instance in the zone with the fewest, or in the
// next one if that has no room; nil if none has.
func (c *Cloud) launchAnywhere(g *group, state, cause string, now time.Time) *instance {
	for _, zone := range c.zonesByCount(g) {
		if i := c.launchIn(g, zone, state, cause, now); i != nil {
			return i
		}
	}
	return nil
}

// launchIn launches one instance in a zone, unless a launch there failed a moment
// ago.
func (c *Cloud) launchIn(g *group, zone, state, cause string, now time.Time) *instance {
	key := g.Name + " " + zone
	if !c.reached(c.backoffs[key].until, now) {
		return nil
	}
	i, err := c.launch(g, zone, state, cause, now)
	if err == nil {
		delete(c.backoffs, key)
		return i
	}
	b := c.backoffs[key]
	b.wait = min(max(2*b.wait, c.o.Retry), 16*c.o.Retry)
	b.until = now.Add(b.wait)
	c.backoffs[key] = b
	c.reached(b.until, now)
	return nil
}

// backoff is how long a group leaves a zone alone where a launch failed.
type backoff struct {
	wait  time.Duration
	until time.Time
}

// perZone counts a group's counting members by zone.
func (c *Cloud) perZone(g *group) map[string]int {
	n := map[string]int{}
	for _, i := range c.state.members(g.Name) {
		if i.counts() {
			n[i.Zone]++
		}
	}
	return n
}

// zonesByCount are the group's zones, those with the fewest instances first.
func (c *Cloud) zonesByCount(g *group) []string {
	n := c.perZone(g)
	zones := slices.Clone(g.Zones)
	slices.SortStableFunc(zones, func(a, b string) int { return n[a] - n[b] })
	return zones
}

// scaleInChoice picks what the default termination policy picks: of the zone
// with the most instances, the one with the oldest launch template, the oldest
// first. Protected instances are never picked; nil if only those are left.
func (c *Cloud) scaleInChoice(g *group) *instance {
	n := c.perZone(g)
	var candidates []*instance
	for _, i := range c.state.members(g.Name) {
		if i.counts() && !i.protected {
			candidates = append(candidates, i)
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	return slices.MinFunc(candidates, func(a, b *instance) int {
		return cmp.Or(
			cmp.Compare(n[b.Zone], n[a.Zone]),
			cmp.Compare(a.Zone, b.Zone),
			compareTemplates(g, a, b),
			cmp.Compare(a.seq, b.seq),
		)
	})
}

// compareTemplates puts instances of a launch configuration first, then those of
// another template than the group's, then older versions.
func compareTemplates(g *group, a, b *instance) int {
	age := func(i *instance) int64 {
		switch {
		case i.launchConfig != "":
			return -1
		case i.TemplateID != g.Template.ID:
			return 0
		default:
			return i.TemplateVersion
		}
	}
	return cmp.Compare(age(a), age(b))
}
