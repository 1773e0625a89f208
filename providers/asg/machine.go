package asg

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// launchIn launches one machine in a zone with LaunchInstances, which answers
// when EC2 has accepted or refused it. What the service does (user guide,
// "Launch instances synchronously"; API reference, LaunchInstances):
//
//   - A launch that succeeds raises the group's desired capacity by what was
//     launched, and the new desired capacity must fit under the maximum: raise
//     the maximum first. With the retry strategy none, which is used, a launch
//     that fails leaves the desired capacity as it is and nothing is tried later.
//   - Only one zone a call, and only groups with a launch template. Groups with
//     a warm pool are refused (UnsupportedOperation), and mixed policies with
//     both On-Demand and Spot. With instance weights, 1 is a unit of capacity.
//   - The machine is Pending and may still fail later.
//   - AZRebalance may launch more on top of it: suspend it first.
//   - The client token holds for 8 hours: a repeat is answered with what the
//     first call came to, a failed one too. The token is therefore changed after
//     a definite no, and kept after a lost answer. While the first call is still
//     at work the repeat says IdempotentCallInProgress, and a call that takes too
//     long answers with neither machines nor errors.
func (e *Executor) launchIn(ctx context.Context, a record.Action) record.Outcome {
	e.mu.Lock()
	try := e.spent[a.Token]
	e.mu.Unlock()
	ctx, cancel := transport.Bounded(ctx, launchTimeout)
	defer cancel()
	out, err := e.c.scaling.LaunchInstances(ctx, &autoscaling.LaunchInstancesInput{
		AutoScalingGroupName: &a.Group,
		ClientToken:          aws.String(token(a.Token, try)),
		RequestedCapacity:    aws.Int32(1),
		AvailabilityZones:    []string{a.Zone},
		RetryStrategy:        types.RetryStrategyNone,
	}, transport.Once)
	if err != nil {
		o := e.c.judge(err, false)
		code, _ := transport.Answered(err)
		if notOffered(code) {
			o = record.Outcome{Verdict: record.Refused, Refusal: record.RefusedInvalid,
				Message: fmt.Sprintf("AWS does not offer LaunchInstances for this group or in %s (%s)", e.c.region, code)}
		}
		if g, err := e.c.describe(ctx, a.Group); err == nil && o.Refusal == record.RefusedInvalid && notServed(g) != "" {
			o.Message = notServed(g) + ": " + o.Message
		}
		return o
	}
	if len(out.Instances) > 0 {
		return done(transport.Clean(strings.Join(out.Instances[0].InstanceIds, ", ")) + " is launching in " + a.Zone)
	}
	if len(out.Errors) > 0 {
		e.mu.Lock()
		e.spent[a.Token] = try + 1
		e.mu.Unlock()
		failed := out.Errors[0]
		return launchRefused(transport.Text(failed.ErrorCode), transport.FirstSentence(aws.ToString(failed.ErrorMessage)), a.Zone)
	}
	return record.Outcome{Verdict: record.Unknown, Message: "AWS has not confirmed the launch"}
}

// launchRefused is the outcome of a launch that EC2 did not make: nothing was
// launched, whatever the code.
func launchRefused(code, message, zone string) record.Outcome {
	r := transport.Refusal(code, message)
	if r == "" {
		r = record.RefusedBusy
	}
	return record.Outcome{Verdict: record.Refused, Refusal: r, Message: fmt.Sprintf("no instance in %s: %s (%s)", zone, message, code)}
}

// notServed says why LaunchInstances does not serve a group, "" if nothing is
// known against it (user guide, "Launch instances synchronously").
func notServed(g types.AutoScalingGroup) string {
	if g.WarmPoolConfiguration != nil {
		return "the group has a warm pool, for which LaunchInstances is not supported"
	}
	p := g.MixedInstancesPolicy
	if p == nil || p.InstancesDistribution == nil || p.InstancesDistribution.OnDemandPercentageAboveBaseCapacity == nil {
		return ""
	}
	base, percent := aws.ToInt32(p.InstancesDistribution.OnDemandBaseCapacity), *p.InstancesDistribution.OnDemandPercentageAboveBaseCapacity
	if percent < 100 && (percent > 0 || base > 0) {
		return "the group mixes On-Demand and Spot instances, for which LaunchInstances is not supported"
	}
	return ""
}

// notOffered reports whether an error says that the service knows no such call,
// or not for such a group.
func notOffered(code string) bool {
	switch code {
	case "InvalidAction", "UnknownOperationException", "UnsupportedOperation", "UnsupportedOperationException", "NotImplemented":
		return true
	}
	return false
}

var plainToken = regexp.MustCompile(`^[A-Za-z0-9_/-]{1,56}$`)

// token is the client token for the n-th try with the token of an action. AWS
// takes at most 64 characters of [A-Za-z0-9_/-].
func token(s string, n int) string {
	if !plainToken.MatchString(s) {
		sum := sha256.Sum256([]byte(s))
		s = "drainboard-" + hex.EncodeToString(sum[:20])
	}
	if n > 0 {
		s += "/" + strconv.Itoa(n)
	}
	return s
}

// terminate terminates an instance through its group. It reads it again first: one
// that is gone or on its way counts as done, one that belongs to no group or to
// another is refused as gone.
func (e *Executor) terminate(ctx context.Context, a record.Action) record.Outcome {
	if a.Direct {
		return e.terminateDirectly(ctx, a)
	}
	m, err := e.c.member(ctx, a.Machine)
	if err != nil {
		return notAsked(err)
	}
	if m.ending {
		o := done(a.Machine + " is already terminating")
		o.Already = true
		return o
	}
	if o, wrong := misplaced(a, m); wrong {
		return o
	}
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	_, err = e.c.scaling.TerminateInstanceInAutoScalingGroup(ctx, &autoscaling.TerminateInstanceInAutoScalingGroupInput{
		InstanceId: &a.Machine, ShouldDecrementDesiredCapacity: &a.Decrement,
	}, transport.Once)
	if err != nil {
		return e.c.judge(err, false)
	}
	return done("")
}

// misplaced is the outcome of a change to a machine of a group that is not there (any
// more), false if it is there.
func misplaced(a record.Action, m membership) (record.Outcome, bool) {
	no := func(r record.Refusal, format string, args ...any) (record.Outcome, bool) {
		return record.Outcome{Verdict: record.Refused, Refusal: r, Message: fmt.Sprintf(format, args...)}, true
	}
	switch {
	case m.group == "":
		return no(record.RefusedGone, "instance %s no longer belongs to an Auto Scaling group", a.Machine)
	case a.Group != "" && m.group != a.Group:
		return no(record.RefusedGone, "instance %s belongs to group %s, not %s", a.Machine, m.group, a.Group)
	case m.warm:
		return no(record.RefusedInvalid, "instance %s is in the warm pool of group %s", a.Machine, m.group)
	}
	return record.Outcome{}, false
}

// endWarm ends a machine of a warm pool, which only EC2 does: the group does not
// terminate those. It reads it again first: one that is gone or terminating counts as
// done, and one that the group has taken into service is not touched.
func (e *Executor) endWarm(ctx context.Context, a record.Action) record.Outcome {
	m, err := e.c.member(ctx, a.Machine)
	if err != nil {
		return notAsked(err)
	}
	gone := func(format string, args ...any) record.Outcome {
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedGone, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case m.ending:
		return done(a.Machine + " is already terminating")
	case m.group == "":
		return gone("instance %s no longer belongs to an Auto Scaling group", a.Machine)
	case m.group != a.Group:
		return gone("instance %s belongs to group %s, not %s", a.Machine, m.group, a.Group)
	case !m.warm:
		return gone("instance %s is no longer in the warm pool: the group took it into service", a.Machine)
	}
	// EC2 knows of both before the group's description does. A machine of which it
	// does not tell may be about to serve, and is left alone.
	state, err := e.c.stateOf(ctx, a.Machine)
	switch {
	case err != nil:
		return notAsked(err)
	case over(state):
		return done(a.Machine + " is already terminating")
	case m.resting && (state == ec2types.InstanceStateNamePending || state == ec2types.InstanceStateNameRunning):
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedConflict, Message: fmt.Sprintf("instance %s is starting: the group may be taking it into service", a.Machine)}
	}
	return e.end(ctx, a.Machine)
}

// membership is where a machine stands.
type membership struct {
	group    string // "": a member of none
	warm     bool   // in its warm pool
	resting  bool   // stopped or hibernated there
	ending   bool   // gone, or on its way
	detached bool   // taken out of the group that is asked about; only Executor.member tells
}

// member reads an instance directly.
func (c *Client) member(ctx context.Context, id string) (membership, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	out, err := c.scaling.DescribeAutoScalingInstances(ctx, &autoscaling.DescribeAutoScalingInstancesInput{InstanceIds: []string{id}})
	if err != nil {
		return membership{}, c.explain(err)
	}
	if len(out.AutoScalingInstances) == 0 {
		return membership{ending: c.ended(ctx, id)}, nil
	}
	i := out.AutoScalingInstances[0]
	state := types.LifecycleState(transport.Text(i.LifecycleState))
	if state == types.LifecycleStateDetached || state == types.LifecycleStateDetaching {
		return membership{}, nil
	}
	rest, warm := strings.CutPrefix(string(state), warmed)
	return membership{
		group: transport.Text(i.AutoScalingGroupName), warm: warm,
		resting: state == types.LifecycleStateWarmedStopped || state == types.LifecycleStateWarmedHibernated,
		ending:  strings.HasPrefix(rest, "Terminat"),
	}, nil
}

// ended reports whether EC2 says that an instance is gone or on its way. Where
// EC2 may not be asked the answer is no.
func (c *Client) ended(ctx context.Context, id string) bool {
	state, err := c.stateOf(ctx, id)
	return err == nil && over(state)
}

func over(s ec2types.InstanceStateName) bool {
	return s == ec2types.InstanceStateNameShuttingDown || s == ec2types.InstanceStateNameTerminated
}

// stateOf is an instance's state in EC2: terminated for one that it does not know
// (any more).
func (c *Client) stateOf(ctx context.Context, id string) (ec2types.InstanceStateName, error) {
	i, err := c.instance(ctx, id)
	switch {
	case errors.Is(err, transport.ErrNotFound):
		return ec2types.InstanceStateNameTerminated, nil
	case err != nil || i.State == nil:
		return "", err
	}
	return i.State.Name, nil
}

// launched reports whether an instance was started with one of the tokens that
// the launch of an action may have used. Where EC2 may not be asked the answer
// is no: a repeat with the same token is harmless for 8 hours.
func (c *Client) launched(ctx context.Context, a record.Action) (bool, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	t := token(a.Token, 0)
	out, err := c.compute.DescribeInstances(ctx, &ec2.DescribeInstancesInput{Filters: []ec2types.Filter{
		{Name: aws.String("client-token"), Values: []string{t, t + "/*"}},
		{Name: aws.String("instance-state-name"), Values: []string{"pending", "running"}},
	}})
	if err != nil {
		err = c.explain(err)
		if errors.Is(err, transport.ErrForbidden) {
			return false, nil
		}
		return false, err
	}
	return len(out.Reservations) > 0, nil
}
