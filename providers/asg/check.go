package asg

import (
	"context"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// check reads directly whether an action happened. It sends only Describe calls;
// these may lag behind a change by a second or two, and the actions are such
// that a repeat after a "no" that came too early does no harm: sizes and
// terminations are read again first, versions and launches have a token.
func (e *Executor) check(ctx context.Context, a record.Action) record.Outcome {
	o := done("")
	var err error
	switch a.Kind {
	case record.CreateTemplate:
		made, found, failed := e.c.equalVersion(ctx, *a.Template, a.Image)
		if err = failed; found {
			o.Happened, o.Template = true, &made
		}
	case record.LaunchIn:
		o.Happened, err = e.c.launched(ctx, a)
	case record.Terminate:
		o.Happened, err = e.c.terminated(ctx, a)
		o.Shrunk = o.Happened && a.Decrement && e.c.shrunk(ctx, a)
	case record.Detach:
		var m membership
		m, err = e.member(ctx, a)
		o.Happened = m.ending || m.detached
	case record.Deregister:
		o.Happened, err = e.c.deregistered(ctx, a)
	case record.EndWarm:
		var m membership
		m, err = e.c.member(ctx, a.Machine)
		// Until its group notices, only EC2 knows that it was ended.
		o.Happened = m.ending || m.warm && e.c.ended(ctx, a.Machine)
	default:
		o.Happened, err = e.checkGroup(ctx, a)
	}
	if err != nil {
		return notAsked(err)
	}
	return o
}

// terminated reports whether a machine is ending. Of one that was ended directly, its
// group does not know for a while.
func (c *Client) terminated(ctx context.Context, a record.Action) (bool, error) {
	if a.Direct {
		state, err := c.stateOf(ctx, a.Machine)
		return over(state), err
	}
	m, err := c.member(ctx, a.Machine)
	return m.ending, err
}

// checkGroup reads whether a change to the group itself happened.
func (e *Executor) checkGroup(ctx context.Context, a record.Action) (bool, error) {
	g, err := e.c.describe(ctx, a.Group)
	if err != nil {
		return false, err
	}
	suspended := false
	for _, p := range g.SuspendedProcesses {
		suspended = suspended || transport.Text(p.ProcessName) == a.Process
	}
	switch a.Kind {
	case record.SetTemplate:
		return uses(g, a), nil
	case record.SetSizes:
		return a.SizeChange().IsIn(sizesOf(g)), nil
	case record.Suspend:
		return suspended, nil
	}
	return !suspended, nil
}
