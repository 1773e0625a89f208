package asg

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// terminateDirectly ends a machine of a group, or one that was detached from it, without
// asking the group. It reads it again first: one that EC2 is terminating counts as done,
// one that has nothing to do with the group (any more) is not touched.
func (e *Executor) terminateDirectly(ctx context.Context, a record.Action) record.Outcome {
	already := done(a.Machine + " is already terminating")
	already.Already = true
	i, err := e.c.instance(ctx, a.Machine)
	switch {
	case errors.Is(err, transport.ErrNotFound):
		return already
	case err != nil:
		return notAsked(err)
	case i.State != nil && over(i.State.Name):
		return already
	}
	m, err := e.c.member(ctx, a.Machine)
	if err != nil {
		return notAsked(err)
	}
	if m.ending {
		return already
	}
	if o, wrong := misplaced(a, m); wrong && (m.group != "" || !e.detachedFrom(i, a.Group)) {
		return o
	}
	return e.end(ctx, a.Machine)
}

// end makes EC2 terminate an instance. It sends one request: the caller checks whether it happened.
func (e *Executor) end(ctx context.Context, id string) record.Outcome {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	_, err := e.c.compute.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{id}},
		func(o *ec2.Options) { o.Retryer = aws.NopRetryer{} })
	if code, _ := transport.Answered(err); code == "InvalidInstanceID.NotFound" {
		return done(id + " is already gone")
	}
	if err != nil {
		return e.c.judge(err, false)
	}
	return done("")
}
