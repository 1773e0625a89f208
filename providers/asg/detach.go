package asg

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// detach takes a machine out of its group, which launches another in its place. The
// machine is tagged first: whatever happens then, it is found again and not left
// running unseen. It is read again before: one that is detached or terminating counts
// as done, and so does one that has left the group since: what is read
// lags, and that was us or, with our tag, as good as us. Where the service will never do
// it, the tag goes again, as far as it can; else it stays: while the machine is in its
// group, it says nothing.
func (e *Executor) detach(ctx context.Context, a record.Action) record.Outcome {
	if e.o.Detached == "" {
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedInvalid, Message: "no tag given for a detached instance"}
	}
	m, err := e.member(ctx, a)
	if err != nil {
		return notAsked(err)
	}
	already := func(how string) record.Outcome {
		o := done(a.Machine + " is already " + how)
		o.Already = true
		return o
	}
	switch {
	case m.ending:
		return already("ending")
	case m.detached:
		return already("detached")
	}
	if o, wrong := misplaced(a, m); wrong {
		return o
	}
	tag := []ec2types.Tag{{Key: &e.o.Detached, Value: &a.Group}}
	if err := e.c.tag(ctx, a.Machine, tag); err != nil {
		return notAsked(err) // the tag may be there: the machine is in its group, so it says nothing
	}
	call, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	_, err = e.c.scaling.DetachInstances(call, &autoscaling.DetachInstancesInput{
		AutoScalingGroupName: &a.Group, InstanceIds: []string{a.Machine}, ShouldDecrementDesiredCapacity: aws.Bool(false),
	}, transport.Once)
	if err == nil {
		return done("")
	}
	o := e.c.judge(err, false)
	if o.Refusal == record.RefusedGone {
		return already("not in its group")
	}
	if o.Refusal == record.RefusedForbidden || o.Refusal == record.RefusedInvalid {
		if err := e.c.untag(ctx, a.Machine, tag); err != nil {
			o.Message += fmt.Sprintf("; its tag %s was not removed: %s", e.o.Detached, err)
		}
	}
	return o
}

// member reads an instance, and for one in no group whether it was detached from
// the action's.
func (e *Executor) member(ctx context.Context, a record.Action) (membership, error) {
	m, err := e.c.member(ctx, a.Machine)
	if err != nil || m.group != "" || m.ending {
		return m, err
	}
	i, err := e.c.instance(ctx, a.Machine)
	if err != nil {
		return m, err
	}
	m.detached = e.detachedFrom(i, a.Group)
	return m, nil
}

// detachedFrom reports whether the tag of an instance that is in no group says that it
// was taken out of this one.
func (e *Executor) detachedFrom(i ec2types.Instance, group string) bool {
	return e.o.Detached != "" && tagOf(i, e.o.Detached) == group
}

// tag puts tags on a machine. Repeating it is harmless.
func (c *Client) tag(ctx context.Context, id string, tags []ec2types.Tag) error {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	_, err := c.compute.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{id}, Tags: tags})
	return c.explain(err)
}

// untag takes tags off a machine, those with just these values.
func (c *Client) untag(ctx context.Context, id string, tags []ec2types.Tag) error {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	_, err := c.compute.DeleteTags(ctx, &ec2.DeleteTagsInput{Resources: []string{id}, Tags: tags})
	return c.explain(err)
}

// tagOf is the value of an instance's tag, "" if it has none.
func tagOf(i ec2types.Instance, key string) string {
	for _, t := range i.Tags {
		if aws.ToString(t.Key) == key {
			return transport.Text(t.Value)
		}
	}
	return ""
}
