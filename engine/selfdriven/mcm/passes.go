package mcm

import (
	"time"

	"github.com/drainboard/drainboard/engine/selfdriven"
)

// early is how long before one of its deadlines a pod may be seen to go that the controller has
// deleted: the API's clock and the controller's differ. earlyByNode is that where only the
// node's condition tells when the drain began.
const (
	early       = 3 * time.Second
	earlyByNode = 20 * time.Second
)

// Passes is when the machine is being forced: at once where its Machine is labelled so, else when the drain
// times out, the node has been sick for long enough, or the pod's refusals are used up. Where
// nothing tells the drain timeout, a pod that was never asked to stop was deleted past its
// budget whenever it goes.
func (c Controller) Passes(k selfdriven.Kept) selfdriven.Passing {
	limits, read := limitsOf(k.World.Group.Pool, k.Machine)
	t := timers{node: k.Node, limits: limits, read: read}
	if k.Machine != nil {
		t.g = k.Machine.Managed
	}
	out := selfdriven.Passing{By: program, Guess: t.g == nil}
	if t.g != nil && t.g.Forced || t.g == nil && limits.Guessed {
		out.At = k.Since
		return out
	}
	slack := early
	if t.g == nil {
		slack = earlyByNode
	}
	for _, d := range []*selfdriven.Deadline{t.forced(), t.sick(), c.Kept(k).Deadline} {
		if d == nil {
			continue
		}
		if at := d.End.Add(-slack); out.At.IsZero() || at.Before(out.At) {
			out.At = at
		}
	}
	return out
}
