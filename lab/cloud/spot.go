package cloud

import (
	"fmt"
	"strconv"
	"time"
)

// onDemand is the share of On-Demand Instances that a group's policy asks for:
// the first base ones, and this percentage of those above.
func (g *group) onDemand() (base, percent int) {
	number := func(name string, usual int) int {
		if n, err := strconv.Atoi(g.distribution[name]); err == nil {
			return n
		}
		return usual
	}
	return number("OnDemandBaseCapacity", 0), number("OnDemandPercentageAboveBaseCapacity", 100)
}

// mixesMarkets says whether a group is to have both On-Demand and Spot Instances.
func (g *group) mixesMarkets() bool {
	base, percent := g.onDemand()
	return g.mixed && percent < 100 && (base > 0 || percent > 0)
}

// spotNext says whether the group's next instance is a Spot Instance: On-Demand
// Instances come first until there are enough for the size it makes.
func (c *Cloud) spotNext(g *group) bool {
	if !g.mixed {
		return false
	}
	total, has := 1, 0
	for _, i := range c.state.members(g.Name) {
		if i.counts() {
			total++
			if !i.Spot {
				has++
			}
		}
	}
	base, percent := g.onDemand()
	wanted := min(total, base)
	if above := total - wanted; above > 0 {
		wanted += (above*percent + 99) / 100
	}
	return has >= wanted
}

// market is a purchase option as LaunchInstances tells it.
func market(spot bool) string {
	if spot {
		return "Spot"
	}
	return "OnDemand"
}

var spotTermination = stateReason{"Server.SpotInstanceTermination", "Spot instance termination"}

// Interrupt takes a Spot Instance back after a notice, which AWS makes two
// minutes long: it ends by itself, and its group replaces it when it notices. A
// machine that is none is a mistake in the program and panics.
func (c *Cloud) Interrupt(id string, notice time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.state.instances[id]
	if i == nil || !i.Spot {
		panic(fmt.Sprintf("cloud: %s is not a Spot Instance", id))
	}
	c.edit(i, func(i *instance) { i.dies, i.reason = time.Now().Add(notice), spotTermination })
}
