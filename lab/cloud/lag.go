package cloud

import "time"

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
