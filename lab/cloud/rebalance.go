package cloud

import (
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// extras are the instances on top of the desired ones that AZRebalance launched
// and has not paid for yet by a termination. Those that went away, or that a
// higher desired capacity has taken up, are none any more.
func (c *Cloud) extras(g *group, have int) []string {
	extra := slices.DeleteFunc(slices.Clone(c.extra[g.Name]), func(id string) bool {
		i := c.state.instances[id]
		return i == nil || !i.counts()
	})
	if over := max(have-g.Desired, 0); len(extra) > over {
		extra = extra[len(extra)-over:]
	}
	c.extra[g.Name] = extra
	return extra
}

// rebalance is the process AZRebalance: where zones differ by more than one
// instance for a while, it launches in the emptiest zone first and, when the new
// instance is in service, terminates one in the fullest. It exceeds the desired
// capacity by a tenth of the maximum or one instance, whichever is more.
func (c *Cloud) rebalance(g *group, now time.Time) {
	have := c.counted(g)
	for _, id := range c.extras(g, have) {
		if c.state.instances[id].State == InService && !g.isSuspended("Terminate") {
			c.payForExtra(g, id, now)
		}
	}
	if g.isSuspended("AZRebalance") || g.isSuspended("Launch") || len(g.Zones) < 2 {
		delete(c.unbalanced, g.Name)
		return
	}

	zones := c.zonesByCount(g)
	n := c.perZone(g)
	few, many := zones[0], zones[len(zones)-1]
	have = c.counted(g)
	extra := c.extras(g, have)
	if n[many]-n[few] < 2 || have != g.Desired+len(extra) || len(extra) >= max(1, g.Max/10) || !c.movable(g, many) {
		delete(c.unbalanced, g.Name)
		return
	}
	since, known := c.unbalanced[g.Name]
	if !known {
		since = now
		c.unbalanced[g.Name] = now
	}
	if !c.reached(since.Add(c.o.Rebalance), now) {
		return
	}
	for _, zone := range zones {
		if n[many]-n[zone] < 2 {
			return
		}
		cause := fmt.Sprintf("At %s availability zones %s and %s had %d and %d instances respectively. "+
			"An instance was launched to aid in balancing the group's zones.", wire.Stamp(now), many, zone, n[many], n[zone])
		if i := c.launchIn(g, zone, Pending, cause, now); i != nil {
			c.extra[g.Name] = append(extra, i.ID)
			return
		}
	}
}

// payForExtra terminates an instance of the fullest zone in place of the extra
// one; if another user has restored the balance, the size is for scale to mend.
func (c *Cloud) payForExtra(g *group, id string, now time.Time) {
	have := c.counted(g)
	c.extra[g.Name] = slices.DeleteFunc(slices.Clone(c.extra[g.Name]), func(e string) bool { return e == id })
	i := c.scaleInChoice(g)
	if i == nil {
		return
	}
	zone := c.state.instances[id].Zone
	c.terminate(g, i, fmt.Sprintf("At %s instances were launched to balance instances in zones %s with other zones resulting in more than "+
		"desired number of instances in the group.  At %s an instance was taken out of service in response to a difference between desired "+
		"and actual capacity, shrinking the capacity from %d to %d.  At %s instance %s was selected for termination.",
		wire.Stamp(now), zone, wire.Stamp(now), have, have-1, wire.Stamp(now), i.ID), now)
}

// movable says whether a zone has an instance that scale-in may take.
func (c *Cloud) movable(g *group, zone string) bool {
	return slices.ContainsFunc(c.state.members(g.Name), func(i *instance) bool {
		return i.Zone == zone && i.counts() && !i.protected
	})
}
