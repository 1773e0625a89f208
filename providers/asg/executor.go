package asg

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// ExecutorOptions say what an executor works with. The zero value works.
type ExecutorOptions struct {
	// Now is the cluster's time, for outcomes. nil is time.Now.
	Now func() time.Time
	// Changed is called after each change that happened or may have, such as
	// Feed.Poke. It must not block.
	Changed func()
	// Detached is the key of the tag for machines that are detached; its value is the
	// name of the group they were in. Without one none is detached.
	Detached string
	// DeregisterPoll is the interval between reads of load balancers that an instance leaves. Zero:
	// 5 s.
	DeregisterPoll time.Duration
}

// Executor carries out the actions on the cloud. It implements live.Executor; see
// Does for the kinds it knows. It is safe for concurrent use.
type Executor struct {
	c *Client
	o ExecutorOptions

	mu sync.Mutex
	// spent counts the launches with a token that were answered with a definite
	// no: the service gives that answer again for 8 hours, so the next try needs
	// another token.
	spent map[string]int
}

var _ live.Executor = (*Executor)(nil)

// Executor makes an executor for this client's region.
func (c *Client) Executor(o ExecutorOptions) *Executor {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.DeregisterPoll == 0 {
		o.DeregisterPoll = 5 * time.Second
	}
	return &Executor{c: c, o: o, spent: map[string]int{}}
}

// Do carries out one action and says what came of it. Unknown means that the
// answer was lost and a CheckEffect has to tell; with Refused nothing happened.
func (e *Executor) Do(ctx context.Context, a record.Action) record.Outcome {
	o := e.do(ctx, a)
	o.Key, o.At = a.Key, e.o.Now()
	if !a.ReadOnly() && o.Verdict != record.Refused {
		e.o.Changed()
	}
	return o
}

func (e *Executor) do(ctx context.Context, a record.Action) record.Outcome {
	switch lacks := a.Lacks(); {
	case a.Place() != record.InCloud:
		return invalid("%s is not an action on an Auto Scaling group", a.Kind)
	case lacks != "":
		return invalid("the action %s lacks the %s", a.Kind, lacks)
	case a.Kind == record.CheckEffect:
		return e.check(ctx, *a.Of)
	}
	return executors[a.Kind](e, ctx, a)
}

// executors carry out each kind of action in the cloud.
var executors = map[record.ActionKind]func(*Executor, context.Context, record.Action) record.Outcome{
	record.CreateTemplate:  (*Executor).createTemplate,
	record.SetTemplate:     (*Executor).setTemplate,
	record.SetSizes:        (*Executor).setSizes,
	record.Suspend:         (*Executor).suspend,
	record.Resume:          (*Executor).resume,
	record.LaunchIn:        (*Executor).launchIn,
	record.Terminate:       (*Executor).terminate,
	record.EndWarm:         (*Executor).endWarm,
	record.Detach:          (*Executor).detach,
	record.Deregister:      (*Executor).deregister,
	record.Inspect:         (*Executor).inspect,
	record.LookAtBalancers: (*Executor).lookAtBalancers,
}

func invalid(format string, args ...any) record.Outcome {
	return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedInvalid, Message: fmt.Sprintf(format, args...)}
}

func done(message string) record.Outcome {
	return record.Outcome{Verdict: record.Done, Message: message}
}

// createTemplate makes a version of Template's launch template that is its
// version Template with another image, unless there is one that is just that.
func (e *Executor) createTemplate(ctx context.Context, a record.Action) record.Outcome {
	equal, found, err := e.c.equalVersion(ctx, *a.Template, a.Image)
	if err != nil {
		return notAsked(err)
	}
	if found {
		return record.Outcome{Verdict: record.Done, Template: &equal, Message: fmt.Sprintf("version %d is equal and reused", equal.Version)}
	}
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	out, err := e.c.compute.CreateLaunchTemplateVersion(ctx, &ec2.CreateLaunchTemplateVersionInput{
		LaunchTemplateId:   &a.Template.ID,
		SourceVersion:      aws.String(strconv.FormatInt(a.Template.Version, 10)),
		ClientToken:        aws.String(token(a.Token, 0)),
		VersionDescription: aws.String("Drainboard: image " + a.Image),
		LaunchTemplateData: &ec2types.RequestLaunchTemplateData{ImageId: &a.Image},
	})
	if err != nil {
		return e.c.judge(err, true)
	}
	if out.LaunchTemplateVersion == nil {
		return record.Outcome{Verdict: record.Unknown, Message: "AWS did not return the new version"}
	}
	made := world.Template{ID: a.Template.ID, Version: aws.ToInt64(out.LaunchTemplateVersion.VersionNumber)}
	return record.Outcome{Verdict: record.Done, Template: &made}
}

// setTemplate points the group at a template version. Of a mixed instances
// policy everything but the version is sent back as it was read.
func (e *Executor) setTemplate(ctx context.Context, a record.Action) record.Outcome {
	g, err := e.c.describe(ctx, a.Group)
	if err != nil {
		return notAsked(err)
	}
	if uses(g, a) {
		return done("the group already has it")
	}
	if specOf(g) == nil {
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedInvalid, Message: "the group has no launch template"}
	}
	spec := &types.LaunchTemplateSpecification{LaunchTemplateId: &a.Template.ID, Version: aws.String(wanted(a))}
	in := &autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: &a.Group}
	if g.MixedInstancesPolicy == nil {
		in.LaunchTemplate = spec
	} else {
		in.MixedInstancesPolicy = withSpec(*g.MixedInstancesPolicy, spec)
	}
	return e.update(ctx, in)
}

// wanted is the version that an action sets, as it is to stand in the group.
func wanted(a record.Action) string {
	if a.TemplateSpec != "" {
		return a.TemplateSpec
	}
	return strconv.FormatInt(a.Template.Version, 10)
}

// uses reports whether a group has what a SetTemplate asks for.
func uses(g types.AutoScalingGroup, a record.Action) bool {
	s := specOf(g)
	return s != nil && transport.Text(s.LaunchTemplateId) == a.Template.ID && transport.Text(s.Version) == wanted(a)
}

// withSpec is a policy with another template version. Descriptions have both id
// and name of each template; a request may have only one.
func withSpec(p types.MixedInstancesPolicy, spec *types.LaunchTemplateSpecification) *types.MixedInstancesPolicy {
	t := types.LaunchTemplate{LaunchTemplateSpecification: spec}
	if p.LaunchTemplate != nil {
		for _, o := range p.LaunchTemplate.Overrides {
			if s := o.LaunchTemplateSpecification; s != nil && s.LaunchTemplateId != nil {
				o.LaunchTemplateSpecification = &types.LaunchTemplateSpecification{LaunchTemplateId: s.LaunchTemplateId, Version: s.Version}
			}
			t.Overrides = append(t.Overrides, o)
		}
	}
	p.LaunchTemplate = &t
	return &p
}

// setSizes sets in one request those of min, max and desired that change, if the
// group still has the sizes that the change was worked out from.
func (e *Executor) setSizes(ctx context.Context, a record.Action) record.Outcome {
	g, err := e.c.describe(ctx, a.Group)
	if err != nil {
		return notAsked(err)
	}
	change := a.SizeChange()
	switch now := sizesOf(g); {
	case change.IsIn(now):
		return done("the group already has these sizes")
	case a.From != nil && now != *a.From:
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedConflict,
			Message: fmt.Sprintf("the group's sizes were changed, not by this run: they are %s, not %s", now, *a.From)}
	}
	return e.update(ctx, &autoscaling.UpdateAutoScalingGroupInput{
		AutoScalingGroupName: &a.Group,
		MinSize:              sent(change.Min),
		MaxSize:              sent(change.Max),
		DesiredCapacity:      sent(change.Desired),
	})
}

// sent is a size as a request has it; nil is not in it.
func sent(size *int) *int32 {
	if size == nil {
		return nil
	}
	return aws.Int32(int32(*size))
}

// update sends one UpdateAutoScalingGroup, once: repeated later it could undo
// what other users did in between.
func (e *Executor) update(ctx context.Context, in *autoscaling.UpdateAutoScalingGroupInput) record.Outcome {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	if _, err := e.c.scaling.UpdateAutoScalingGroup(ctx, in, transport.Once); err != nil {
		return e.c.judge(err, false)
	}
	return done("")
}

// suspend stops one process of the group. Repeating it is harmless.
func (e *Executor) suspend(ctx context.Context, a record.Action) record.Outcome {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	_, err := e.c.scaling.SuspendProcesses(ctx, &autoscaling.SuspendProcessesInput{AutoScalingGroupName: &a.Group, ScalingProcesses: []string{a.Process}})
	if err != nil {
		return e.c.judge(err, true)
	}
	return done("")
}

// resume lets one process of the group act again. Repeating it is harmless.
func (e *Executor) resume(ctx context.Context, a record.Action) record.Outcome {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	_, err := e.c.scaling.ResumeProcesses(ctx, &autoscaling.ResumeProcessesInput{AutoScalingGroupName: &a.Group, ScalingProcesses: []string{a.Process}})
	if err != nil {
		return e.c.judge(err, true)
	}
	return done("")
}
