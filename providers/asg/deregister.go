package asg

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	autoscalingtypes "github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// deregister takes a machine out of the load balancers that are attached to its group,
// and waits until its connections are over, or the action's Limit: that is no failure,
// and the only outcome that is Done with a message. Already: the machine was in none of
// them. Of load balancers that know the machine from elsewhere nothing is known here.
//
// Repeating it is harmless. Time in which requests fail after a successful one does not count.
func (e *Executor) deregister(ctx context.Context, a record.Action) record.Outcome {
	end := time.Now().Add(a.Limit)
	g, err := e.c.describe(ctx, a.Group)
	if err != nil {
		return notAsked(err)
	}
	d := departure{machine: a.Machine, from: e.c.balancersOf(g)}
	for {
		began := time.Now()
		if o, over := d.step(ctx, e.c); over {
			return o
		}
		blind := d.trouble != nil && d.read
		if !blind && time.Until(end) < e.o.DeregisterPoll {
			return d.late(a.Limit)
		}
		pause := time.NewTimer(e.o.DeregisterPoll)
		select {
		case <-ctx.Done():
			pause.Stop()
			return record.Outcome{Verdict: record.Unknown, Message: "interrupted while " + a.Machine + " was leaving " + d.names()}
		case <-pause.C:
		}
		if blind {
			end = end.Add(time.Since(began))
		}
	}
}

// departure is a machine on its way out of load balancers.
type departure struct {
	machine string
	from    []balancer // that it may not have left yet
	read    bool       // at least one of them, successfully
	known   bool       // to one of them
	trouble error      // of the last failed request
}

// step reads what the machine has not left, and deregisters it where that was not requested. It
// reports whether that was all.
func (d *departure) step(ctx context.Context, c *Client) (record.Outcome, bool) {
	var left []balancer
	d.trouble = nil
	for _, b := range d.from {
		at, err := b.standing(ctx, d.machine)
		switch {
		case errors.Is(err, transport.ErrForbidden):
			return notAsked(err), true
		case err != nil:
			d.trouble = err
			left = append(left, b)
			continue
		}
		d.read = true
		if at == departed {
			continue
		}
		d.known = true
		left = append(left, b)
		if at == departing {
			continue
		}
		if err := b.remove(ctx, d.machine); err != nil {
			o := c.judge(err, true)
			if o.Verdict == record.Refused && o.Refusal != record.RefusedBusy {
				return o, true
			}
			d.trouble = c.explain(err) // the next read shows the result
		}
	}
	if d.from = left; len(left) > 0 {
		return record.Outcome{}, false
	}
	o := done("")
	o.Already = !d.known
	return o, true
}

// late is the outcome when the time is up.
func (d *departure) late(limit time.Duration) record.Outcome {
	if !d.read {
		return notAsked(d.trouble)
	}
	o := done(fmt.Sprintf("%s has not left %s within %s: open connections are cut", d.machine, d.names(), limit))
	if d.trouble != nil {
		o.Message += " (" + d.trouble.Error() + ")"
	}
	return o
}

func (d *departure) names() string {
	names := make([]string, len(d.from))
	for i, b := range d.from {
		names[i] = b.String()
	}
	return strings.Join(names, ", ")
}

// deregistered reports whether a machine is in none of its group's load balancers, with
// its connections over.
func (c *Client) deregistered(ctx context.Context, a record.Action) (bool, error) {
	g, err := c.describe(ctx, a.Group)
	if err != nil {
		return false, err
	}
	for _, b := range c.balancersOf(g) {
		if at, err := b.standing(ctx, a.Machine); err != nil || at != departed {
			return false, err
		}
	}
	return true, nil
}

// balancersOf are the load balancers and target groups that are attached to a group.
func (c *Client) balancersOf(g autoscalingtypes.AutoScalingGroup) []balancer {
	var all []balancer
	for _, name := range g.LoadBalancerNames {
		all = append(all, classic{c, name})
	}
	for _, arn := range g.TargetGroupARNs {
		all = append(all, targetGroup{c, arn})
	}
	return all
}
