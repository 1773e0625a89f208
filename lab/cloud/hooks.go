package cloud

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/wire"
)

// Hook is a lifecycle hook of a group.
type Hook struct {
	Name string
	// Launching: it holds instances in Pending:Wait, else in Terminating:Wait.
	Launching bool
	// Timeout is how long an instance waits without a heartbeat. On the wire AWS
	// takes 30 s to 2 h only.
	Timeout time.Duration
	// Abandon is the result when the time is up.
	Abandon bool
}

// The transitions of hooks, and the results of their actions.
const (
	launching   = "autoscaling:EC2_INSTANCE_LAUNCHING"
	terminating = "autoscaling:EC2_INSTANCE_TERMINATING"

	Continue = "CONTINUE"
	Abandon  = "ABANDON"
)

// longestWait is how long heartbeats can draw out an action, as are a hundred
// heartbeat timeouts.
const longestWait = 48 * time.Hour

func (h Hook) limit() time.Duration { return min(longestWait, 100*h.Timeout) }

func (h Hook) transition() string {
	if h.Launching {
		return launching
	}
	return terminating
}

func (h Hook) result() string {
	if h.Abandon {
		return Abandon
	}
	return Continue
}

// wait is a lifecycle action under way: an instance waits for a user or tool to
// complete it.
type wait struct {
	Hook
	token        string
	until, limit time.Time
}

// waits begins the actions of a group's hooks for one transition.
func (c *Cloud) waits(g *group, launching bool, now time.Time) []wait {
	var ws []wait
	if g == nil {
		return nil // it was deleted meanwhile, with its hooks
	}
	for _, h := range g.hooks {
		if h.Launching == launching {
			ws = append(ws, wait{Hook: h, token: c.uuid(), until: now.Add(h.Timeout), limit: now.Add(h.limit())})
		}
	}
	return ws
}

// heedHooks lets the time of an instance's actions run out.
func (c *Cloud) heedHooks(i *instance, now time.Time) {
	for _, w := range i.waits {
		until := w.until
		if w.limit.Before(until) {
			until = w.limit
		}
		if !c.reached(until, now) {
			continue
		}
		if !c.complete(i, w, w.result(), "Heartbeat Timeout", now) {
			return
		}
		i = c.state.instances[i.ID]
	}
}

// complete ends one action and reports whether the others still count: an
// instance whose launch is abandoned is terminated and replaced, one that
// terminates then does so.
func (c *Cloud) complete(i *instance, w wait, result, how string, now time.Time) bool {
	left := slices.DeleteFunc(slices.Clone(i.waits), func(o wait) bool { return o.token == w.token })
	if result == Abandon {
		left = nil
	}
	proceed := i.in(PendingProceed)
	if !w.Launching {
		proceed = i.in(TerminatingProceed)
	}
	i = c.edit(i, func(i *instance) {
		if i.waits = left; len(left) == 0 {
			i.State = proceed
		}
	})
	if result != Abandon {
		return true
	}
	if g := c.state.groups[i.Group]; w.Launching && g != nil {
		c.cancel(i.activity, fmt.Sprintf("Instance failed to complete user's Lifecycle Action: Lifecycle Action with token %s was abandoned: %s", w.token, how), now)
		c.terminate(g, i, fmt.Sprintf("At %s an instance was taken out of service in response to a lifecycle action that was abandoned.", wire.Stamp(now)), now)
	}
	return false
}

// skipHooks lets a terminating instance continue without its hooks.
func (c *Cloud) skipHooks(i *instance) {
	if len(i.waits) > 0 {
		c.edit(i, func(i *instance) { i.State, i.waits = i.in(TerminatingProceed), nil })
	}
}

// PutHook adds a lifecycle hook to a group, or replaces the one of that name; it
// holds for transitions that begin from now on. It panics if there is no such group.
func (c *Cloud) PutHook(group string, h Hook) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.state.groups[group]
	if g == nil {
		panic("cloud: no group " + group)
	}
	c.putHook(g, h)
}

func (c *Cloud) putHook(g *group, h Hook) {
	c.editGroup(g, func(g *group) { g.hooks = append(withoutHook(g.hooks, h.Name), h) })
}

func withoutHook(hooks []Hook, name string) []Hook {
	return slices.DeleteFunc(slices.Clone(hooks), func(h Hook) bool { return h.Name == name })
}

// putHook is PutLifecycleHook: of a hook that exists, what the call does not name
// stays.
func putHook(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	h := Hook{Name: r.Str("LifecycleHookName"), Timeout: time.Hour, Abandon: true}
	known := slices.IndexFunc(g.hooks, func(o Hook) bool { return o.Name == h.Name })
	if known >= 0 {
		h = g.hooks[known]
	}
	switch r.Str("LifecycleTransition") {
	case launching:
		h.Launching = true
	case terminating:
		h.Launching = false
	default:
		if known < 0 || r.Has("LifecycleTransition") {
			return nil, wire.Invalid("Invalid Lifecycle Transition. Valid values are: [%s, %s]", launching, terminating)
		}
	}
	if r.Has("HeartbeatTimeout") {
		seconds := r.Int("HeartbeatTimeout", 0)
		if seconds < 30 || seconds > 7200 {
			return nil, wire.Invalid("1 validation error detected: Value '%d' at 'heartbeatTimeout' failed to satisfy constraint: must be between 30 and 7200", seconds)
		}
		h.Timeout = time.Duration(seconds) * time.Second
	}
	if result := r.Str("DefaultResult"); result != "" {
		if result != Continue && result != Abandon {
			return nil, wire.Invalid("Invalid DefaultResult. Valid values are: [%s, %s]", Continue, Abandon)
		}
		h.Abandon = result == Abandon
	}
	c.putHook(g, h)
	return nil, nil
}

// deleteHook completes what waits for the hook first: launches are abandoned,
// terminations continue.
func deleteHook(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, err
	}
	name := r.Str("LifecycleHookName")
	if len(withoutHook(g.hooks, name)) == len(g.hooks) {
		return nil, wire.Invalid("No Lifecycle Hook found with name: %s", name)
	}
	c.editGroup(g, func(g *group) { g.hooks = withoutHook(g.hooks, name) })
	for _, i := range c.state.all() {
		for _, w := range i.waits {
			if i.Group != g.Name || w.Name != name {
				continue
			}
			result := Continue
			if w.Launching {
				result = Abandon
			}
			c.complete(i, w, result, "Lifecycle Hook Deleted", time.Now())
		}
	}
	return nil, nil
}

func describeHooks(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	g := c.seen().groups[r.Str("AutoScalingGroupName")]
	if g == nil {
		return nil, errNoGroup(r.Str("AutoScalingGroupName"))
	}
	names := r.List("LifecycleHookNames.member")
	hooks := slices.DeleteFunc(slices.Clone(g.hooks), func(h Hook) bool { return len(names) > 0 && !slices.Contains(names, h.Name) })
	slices.SortFunc(hooks, func(a, b Hook) int { return strings.Compare(a.Name, b.Name) })
	return []wire.Node{wire.Each("LifecycleHooks", "member", hooks, func(h Hook) []wire.Node {
		return []wire.Node{
			wire.Text("LifecycleHookName", h.Name),
			wire.Text("AutoScalingGroupName", g.Name),
			wire.Text("LifecycleTransition", h.transition()),
			wire.Text("HeartbeatTimeout", int(max(h.Timeout, time.Second).Seconds())),
			wire.Text("GlobalTimeout", int(max(h.limit(), time.Second).Seconds())),
			wire.Text("DefaultResult", h.result()),
		}
	})}, nil
}

// action finds the lifecycle action that a call names, by token or by instance.
func (c *Cloud) action(r *wire.Request) (*instance, wait, *wire.Error) {
	g, err := c.named(r)
	if err != nil {
		return nil, wait{}, err
	}
	token, id, name := r.Str("LifecycleActionToken"), r.Str("InstanceId"), r.Str("LifecycleHookName")
	for _, i := range c.state.all() {
		for _, w := range i.waits {
			if i.Group == g.Name && w.Name == name && (token == "" || w.token == token) && (token != "" || i.ID == id) {
				return i, w, nil
			}
		}
	}
	if token != "" {
		return nil, wait{}, wire.Invalid("No active Lifecycle Action found with token %s", token)
	}
	return nil, wait{}, wire.Invalid("No active Lifecycle Action found with instance ID %s", id)
}

func completeAction(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	i, w, err := c.action(r)
	if err != nil {
		return nil, err
	}
	result := r.Str("LifecycleActionResult")
	if result != Continue && result != Abandon {
		return nil, wire.Invalid("Invalid LifecycleActionResult. Valid values are: [%s, %s]", Continue, Abandon)
	}
	c.complete(i, w, result, "Lifecycle Action Completed with ABANDON Result", time.Now())
	return nil, nil
}

// heartbeat is RecordLifecycleActionHeartbeat: the action's time starts again.
func heartbeat(c *Cloud, r *wire.Request) ([]wire.Node, *wire.Error) {
	i, w, err := c.action(r)
	if err != nil {
		return nil, err
	}
	c.edit(i, func(i *instance) {
		i.waits = slices.Clone(i.waits)
		for n := range i.waits {
			if i.waits[n].token == w.token {
				i.waits[n].until = time.Now().Add(w.Timeout)
			}
		}
	})
	return nil, nil
}
