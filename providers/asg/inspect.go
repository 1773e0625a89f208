package asg

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

const (
	// consoleLines is how much of the end of a machine's console is told.
	consoleLines = 10
	// lineLimit is how many bytes of a line are.
	lineLimit = 200
)

// inspect tells what EC2 knows of a machine that does not join: its state and
// why it is so, its status checks, and the end of its console. What may not be
// read is said in a line; only a machine whose state cannot be had is an error.
func (e *Executor) inspect(ctx context.Context, a record.Action) record.Outcome {
	id := a.Machine
	i, err := e.c.instance(ctx, id)
	if errors.Is(err, transport.ErrNotFound) {
		o := done("")
		o.Lines = []string{"instance unknown to EC2"}
		return o
	}
	state := instanceState(i)
	switch {
	case errors.Is(err, transport.ErrForbidden):
		state = cut("state not readable: " + err.Error())
	case err != nil:
		return notAsked(err)
	}
	o := done("")
	o.Lines = []string{state}
	if i.State == nil || i.State.Name == ec2types.InstanceStateNameRunning {
		if checks := e.c.statusChecks(ctx, id); checks != "" {
			o.Lines = append(o.Lines, checks)
		}
	}
	o.Lines = append(o.Lines, e.c.console(ctx, id)...)
	return o
}

// instance reads one instance; the error wraps ErrNotFound if EC2 knows none.
func (c *Client) instance(ctx context.Context, id string) (ec2types.Instance, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	out, err := c.compute.DescribeInstances(ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{id}})
	if err != nil {
		return ec2types.Instance{}, c.explain(err)
	}
	for _, r := range out.Reservations {
		for _, i := range r.Instances {
			return i, nil
		}
	}
	return ec2types.Instance{}, &transport.Problem{Kind: transport.ErrNotFound, Words: "no instance " + transport.Clean(id)}
}

// instanceState is a machine's state in a line, and why it is so. The state
// reason says more than the reason of the transition, which may be all there is.
func instanceState(i ec2types.Instance) string {
	state := "unknown"
	if i.State != nil {
		state = transport.Clean(string(i.State.Name))
	}
	why := transport.Text(i.StateTransitionReason)
	if r := i.StateReason; r != nil && (r.Message != nil || r.Code != nil) {
		why = transport.Text(r.Message)
		if code := transport.Text(r.Code); !strings.HasPrefix(why, code) {
			why = strings.TrimSuffix(code+": "+why, ": ")
		}
	}
	if why == "" {
		return "state " + state
	}
	return cut(fmt.Sprintf("state %s: %s", state, why))
}

// statusChecks says in a line what EC2's status checks of a running machine
// found, "" if it knows of none.
func (c *Client) statusChecks(ctx context.Context, id string) string {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	out, err := c.compute.DescribeInstanceStatus(ctx, &ec2.DescribeInstanceStatusInput{InstanceIds: []string{id}, IncludeAllInstances: aws.Bool(true)})
	if err != nil {
		return cut("status checks not readable: " + c.explain(err).Error())
	}
	if len(out.InstanceStatuses) == 0 {
		return ""
	}
	s := out.InstanceStatuses[0]
	return fmt.Sprintf("status checks: instance %s, system %s", summary(s.InstanceStatus), summary(s.SystemStatus))
}

// summary is the result of a status check, with the checks that failed.
func summary(s *ec2types.InstanceStatusSummary) string {
	if s == nil {
		return "unknown"
	}
	words := transport.Clean(string(s.Status))
	for _, d := range s.Details {
		if d.Status == ec2types.StatusTypeFailed {
			words += " (" + transport.Clean(string(d.Name)) + " failed)"
		}
	}
	return words
}

// console is the end of a machine's console. What it shows now can be had of
// machines on Nitro only; of others, and where that is empty, it is what was kept
// when the machine last started or ended.
func (c *Client) console(ctx context.Context, id string) []string {
	var lines []string
	for _, latest := range []bool{true, false} {
		output, err := c.consoleOutput(ctx, id, latest)
		if err != nil && latest && !errors.Is(err, transport.ErrForbidden) {
			continue
		}
		if err != nil {
			return []string{cut("console not readable: " + err.Error())}
		}
		if lines = consoleEnd(output); len(lines) > 0 {
			lines[0] = "console ends: " + lines[0]
			return lines
		}
	}
	return []string{"console output is empty"}
}

func (c *Client) consoleOutput(ctx context.Context, id string, latest bool) (string, error) {
	ctx, cancel := transport.Bounded(ctx, callTimeout)
	defer cancel()
	in := &ec2.GetConsoleOutputInput{InstanceId: &id}
	if latest {
		in.Latest = &latest
	}
	out, err := c.compute.GetConsoleOutput(ctx, in)
	if err != nil {
		return "", c.explain(err)
	}
	plain, err := base64.StdEncoding.DecodeString(aws.ToString(out.Output))
	if err != nil {
		return "", fmt.Errorf("EC2 did not send base64: %w", err)
	}
	return string(plain), nil
}

var (
	// escapes are what colours a console and moves its cursor (ECMA-48).
	escapes = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|[ -/]*[0-~])")
	// idle are lines that every Linux machine's console ends with, whatever went
	// wrong before: the SSH keys that cloud-init shows, and the login prompt.
	idle = regexp.MustCompile(`SSH HOST KEY|(^|ec2: |\]: )(#{5,}$|\d+ SHA256:|(ssh|ecdsa|sk)-\S+ AAAA)|ec2:$|^\S+ login:( |$)`)
)

// consoleEnd are the last lines of a console that tell something, clean and short.
func consoleEnd(output string) []string {
	var lines []string
	for line := range strings.SplitSeq(escapes.ReplaceAllString(output, ""), "\n") {
		line = strings.TrimSuffix(line, "\r")
		line = line[strings.LastIndexByte(line, '\r')+1:] // what was written over
		line = strings.Join(strings.Fields(transport.Clean(line)), " ")
		if line == "" || idle.MatchString(line) || len(lines) > 0 && lines[len(lines)-1] == line {
			continue
		}
		lines = append(lines, line)
	}
	lines = lines[max(0, len(lines)-consoleLines):]
	for n, line := range lines {
		lines[n] = cut(line)
	}
	return lines
}

// cut is text for one line of an answer.
func cut(s string) string { return transport.ShortTo(s, lineLimit) }
