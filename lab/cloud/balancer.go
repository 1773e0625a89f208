package cloud

import (
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/access"
)

// Balancer is what Auto Scaling registers the instances of a group with: a target
// group of a network or application load balancer, or a classic load balancer.
type Balancer struct {
	Name    string
	Classic bool
	Port    int // 0: 443
	// Initial is how long a new target takes to be healthy.
	Initial time.Duration
	// Draining is how long a target keeps its connections after it was deregistered.
	Draining time.Duration
}

// balancer is the full record, which is replaced, never changed.
type balancer struct {
	Balancer
	id string // the ARN of a target group, the name of a classic load balancer
}

// registration is an instance's place in a balancer.
type registration struct {
	state      string // initial, healthy or draining
	since      time.Time
	registered uint64 // the order of the registrations
}

// The states of a registration, as target groups name them.
const (
	initial  = "initial"
	healthy  = "healthy"
	draining = "draining"
)

// place is where a registration is.
type place struct{ balancer, instance string }

// CreateBalancer makes a balancer and returns the id that GroupSpec.Balancers takes:
// the ARN of a target group, the name of a classic load balancer. A name that is taken
// is a mistake in the program and panics.
func (c *Cloud) CreateBalancer(b Balancer) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.Port == 0 {
		b.Port = 443
	}
	id := b.Name
	if !b.Classic {
		id = fmt.Sprintf("arn:aws:elasticloadbalancing:%s:%s:targetgroup/%s/%s", c.o.Region, access.Account, b.Name, c.id("x")[3:])
	}
	for _, o := range c.state.balancers {
		if o.Name == b.Name && o.Classic == b.Classic {
			panic("cloud: there is a balancer " + b.Name)
		}
	}
	c.state.balancers[id] = &balancer{b, id}
	c.changed()
	return id
}

// SetDraining sets how long targets of a balancer keep their connections, of those too
// that are draining now. It panics if there is no such balancer.
func (c *Cloud) SetDraining(id string, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.state.balancers[id]
	if b == nil {
		panic("cloud: no balancer " + id)
	}
	n := *b
	n.Draining = d
	c.state.balancers[id] = &n
	c.changed()
}

// Balancers are all balancers by id.
func (c *Cloud) Balancers() map[string]Balancer {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]Balancer{}
	for id, b := range c.state.balancers {
		all[id] = b.Balancer
	}
	return all
}

// Targets are the instances in a balancer as they are now: initial, healthy or
// draining.
func (c *Cloud) Targets(balancer string) map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	targets := map[string]string{}
	for at, r := range c.state.registrations {
		if at.balancer == balancer {
			targets[at.instance] = r.state
		}
	}
	return targets
}

// register puts an instance into the balancers of its group. The caller holds mu.
func (c *Cloud) register(g *group, id string, now time.Time) {
	if g == nil || g.isSuspended("AddToLoadBalancer") {
		return
	}
	for _, b := range g.Balancers {
		c.seq++
		c.state.registrations[place{b, id}] = registration{initial, now, c.seq}
		c.changed()
	}
}

// deregister takes an instance out of a balancer, or out of all of them if that is
// empty: those with connections to keep drain first. The caller holds mu.
func (c *Cloud) deregister(id, balancer string, now time.Time) {
	for at, r := range c.state.registrations {
		if at.instance != id || balancer != "" && at.balancer != balancer || r.state == draining {
			continue
		}
		if c.state.balancers[at.balancer].Draining <= 0 {
			delete(c.state.registrations, at)
		} else {
			c.state.registrations[at] = registration{draining, now, r.registered}
		}
		c.changed()
	}
}

// balanced says whether an instance is in a balancer still, if only to drain.
func (c *Cloud) balanced(id string) bool {
	for at := range c.state.registrations {
		if at.instance == id {
			return true
		}
	}
	return false
}

// balance lets registrations come to rest and end. An instance that is no more is in
// no balancer. The caller holds mu.
func (c *Cloud) balance(now time.Time) {
	for at, r := range c.state.registrations {
		b, i := c.state.balancers[at.balancer], c.state.instances[at.instance]
		switch {
		case i == nil || i.ec2 == "terminated" || r.state == draining && c.reached(r.since.Add(b.Draining), now):
			delete(c.state.registrations, at)
		case r.state == initial && c.reached(r.since.Add(b.Initial), now):
			c.state.registrations[at] = registration{healthy, now, r.registered}
		default:
			continue
		}
		c.changed()
	}
}

// registered are the instances in a balancer, in the order they came.
func (s *state) registered(balancer string) []string {
	var ids []string
	for at := range s.registrations {
		if at.balancer == balancer {
			ids = append(ids, at.instance)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		return int(s.registrations[place{balancer, a}].registered) - int(s.registrations[place{balancer, b}].registered)
	})
	return ids
}

// attached are the ids of a group's balancers of one kind.
func (s *state) attached(g *group, classic bool) []string {
	return slices.DeleteFunc(slices.Clone(g.Balancers), func(id string) bool { return s.balancers[id].Classic != classic })
}
