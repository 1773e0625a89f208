package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// setGardener reads the settings of Gardener's updates.
func (c *Script) setGardener(a *args) {
	k := &c.settings
	k.EvictRetries = a.int("evict-retries", k.EvictRetries)
	for name, v := range map[string]*time.Duration{
		"misconfigured-retry": &k.MisconfiguredRetry, "health-timeout": &k.HealthTimeout, "update-timeout": &k.UpdateTimeout, "wait-for-start": &k.WaitForStart,
	} {
		*v = a.span(name, *v)
	}
}

// condition gives a node a condition, or takes it off.
func (c *Script) condition(over bool, a *args) error {
	s := c.Sim
	name, kind, span := a.next(), a.next(), a.span("for", 0)
	set := func(on bool) func(*world.Node) {
		return func(n *world.Node) {
			n.Conditions = slices.DeleteFunc(slices.Clone(n.Conditions), func(x world.Condition) bool { return x.Type == kind })
			if on {
				n.Conditions = append(n.Conditions, world.Condition{Type: kind, On: true, Since: s.now})
			}
		}
	}
	if span > 0 {
		s.after(span, func() { s.editNode(name, set(false)) })
	}
	return c.onNode(name, set(!over))
}

// pool makes the group a worker pool of Gardener that is updated in place.
func (c *Script) pool(a *args) error {
	s := c.Sim
	s.pool = pool{
		update: a.word("update"), drain: a.span("drain", gardenerDrain), takes: a.span("takes", 2*time.Minute), critical: a.span("critical", 5*time.Second),
		fails: map[string]string{}, hangs: map[string]bool{}, at: map[string]time.Time{},
	}
	if starts := a.word("shoot"); starts == "never" {
		s.pool.applied, s.pool.starts = true, -1
	} else if starts != "" {
		d, err := time.ParseDuration(starts)
		if err != nil {
			return fmt.Errorf("shoot=%s: the time until Gardener starts, or never", starts)
		}
		s.pool.applied, s.pool.starts = true, d
	}
	if !world.InPlace(s.pool.update) {
		return fmt.Errorf("a pool is simulated with update=%s or %s", world.ManualInPlaceUpdate, world.AutoInPlaceUpdate)
	}
	s.group.Provider, s.group.Name = "gardener", "pool"
	s.group.Pool = &world.Pool{Name: "pool", Update: s.pool.update, Limits: world.DefaultLimits(s.pool.update)}
	return nil
}

// updateFault decides what becomes of the next update of a node in place.
func (c *Script) updateFault(a *args) error {
	node := a.next()
	switch why := strings.ReplaceAll(a.word("why"), "-", " "); {
	case a.flag("hangs"):
		c.Sim.pool.hangs[node] = true
	case a.flag("fails") && why != "":
		c.Sim.pool.fails[node] = why
	default:
		return fmt.Errorf("an update fails, for a reason, or hangs")
	}
	return nil
}
