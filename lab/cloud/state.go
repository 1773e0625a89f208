package cloud

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// state is everything that describe calls can see. Its records are replaced,
// never changed, and so are maps and slices within them: clone is cheap and a
// clone stays as it was.
type state struct {
	groups     map[string]*group
	instances  map[string]*instance
	templates  map[string]*template // by id
	activities []*activity          // oldest first

	balancers     map[string]*balancer // by id
	registrations map[place]registration
}

func newState() state {
	return state{
		groups:    map[string]*group{},
		instances: map[string]*instance{},
		templates: map[string]*template{},

		balancers:     map[string]*balancer{},
		registrations: map[place]registration{},
	}
}

func (s state) clone() state {
	return state{
		groups:     maps.Clone(s.groups),
		instances:  maps.Clone(s.instances),
		templates:  maps.Clone(s.templates),
		activities: slices.Clip(s.activities),

		balancers:     maps.Clone(s.balancers),
		registrations: maps.Clone(s.registrations),
	}
}

// all are the instances in the order of their launch.
func (s *state) all() []*instance {
	return slices.SortedFunc(maps.Values(s.instances), func(a, b *instance) int { return int(a.seq) - int(b.seq) })
}

// members are a group's instances in the order of their launch, without those of
// its warm pool.
func (s *state) members(group string) []*instance {
	return s.those(func(i *instance) bool { return i.Group == group && i.member() })
}

// warm are the instances of a group's warm pool in the order of their launch.
func (s *state) warm(group string) []*instance {
	return s.those(func(i *instance) bool { return i.Group == group && i.warm() })
}

func (s *state) those(are func(*instance) bool) []*instance {
	var is []*instance
	for _, i := range s.instances {
		if are(i) {
			is = append(is, i)
		}
	}
	slices.SortFunc(is, func(a, b *instance) int { return int(a.seq) - int(b.seq) })
	return is
}

func (s *state) sortedGroups() []*group {
	return slices.SortedFunc(maps.Values(s.groups), func(a, b *group) int { return strings.Compare(a.Name, b.Name) })
}

// group is an Auto Scaling group. Its Template is resolved: ID and Name are both
// set, Version is as it was asked for.
type group struct {
	GroupSpec
	arn          string
	created      time.Time
	mixed        bool              // has a mixed instances policy, maybe without overrides
	distribution map[string]string // of the mixed instances policy, as it was asked for
	tags         []tag
	suspended    []string // process names, sorted
	suspendedAt  time.Time
	hooks        []Hook
	pool         *WarmPool
	refresh      refresh
	why          string // the last change of desired, as activities tell it
}

type tag struct {
	key, value string
	propagate  bool
}

func (g *group) isSuspended(process string) bool { return slices.Contains(g.suspended, process) }

// activity is a scaling activity.
type activity struct {
	id, group, arn     string
	description, cause string
	status             string // PreInService, InProgress, Successful, Failed, Cancelled
	message            string
	start, end         time.Time
	zone, subnet       string
	progress           int
	seq                uint64
}

// edit replaces an instance's record by a changed copy. The caller holds mu.
func (c *Cloud) edit(i *instance, change func(*instance)) *instance {
	n := *i
	change(&n)
	c.state.instances[n.ID] = &n
	c.changed()
	return &n
}

// editGroup replaces a group's record by a changed copy. The caller holds mu.
func (c *Cloud) editGroup(g *group, change func(*group)) *group {
	n := *g
	change(&n)
	c.state.groups[n.Name] = &n
	c.changed()
	return &n
}

// record adds an activity and returns its id. The caller holds mu.
func (c *Cloud) record(g *group, a activity) *activity {
	a.id = c.uuid()
	a.seq = c.seq
	a.group, a.arn = g.Name, g.arn
	c.state.activities = append(c.state.activities, &a)
	c.changed()
	return &a
}

// finish completes an activity. The caller holds mu.
func (c *Cloud) finish(id string, now time.Time) {
	c.end(id, func(a *activity) { a.status, a.progress, a.end = "Successful", 100, now })
}

// cancel ends an activity that came to nothing. The caller holds mu.
func (c *Cloud) cancel(id, message string, now time.Time) {
	c.end(id, func(a *activity) {
		a.status, a.progress, a.end, a.message = "Cancelled", 100, now, message
		a.description += ".  Status Reason: " + message
	})
}

// end changes an activity that has not ended yet.
func (c *Cloud) end(id string, change func(*activity)) {
	for n, a := range slices.Backward(c.state.activities) {
		if a.id != id || !a.end.IsZero() {
			continue
		}
		done := *a
		change(&done)
		c.state.activities = slices.Clone(c.state.activities)
		c.state.activities[n] = &done
		c.changed()
		return
	}
}

// snapshot is the state at a time, for describe calls that lag behind.
type snapshot struct {
	at    time.Time
	state state
}

// remember takes a snapshot if something changed, and forgets those that no
// describe call can want any more. The caller holds mu.
func (c *Cloud) remember(now time.Time) {
	if c.o.Lag <= 0 || !c.dirty {
		return
	}
	c.dirty = false
	c.history = append(c.history, snapshot{now, c.state.clone()})
	cut := now.Add(-c.o.Lag)
	for len(c.history) > 1 && !c.history[1].at.After(cut) {
		c.history = c.history[1:]
	}
}

// seen is the state as describe calls see it now: at least Lag old. The caller
// holds mu.
func (c *Cloud) seen() *state {
	if c.o.Lag <= 0 {
		return &c.state
	}
	cut := time.Now().Add(-c.o.Lag)
	n := 0
	for n+1 < len(c.history) && !c.history[n+1].at.After(cut) {
		n++
	}
	return &c.history[n].state
}
