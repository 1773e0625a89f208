package rights

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// timeout bounds each request that only asks for rights. IAM and STS may be out of
// reach where Auto Scaling is not.
const timeout = 5 * time.Second

// Objects are what a run takes rights on.
type Objects struct {
	Group   *world.Group
	Image   string // of a template version that is to be created
	Machine string // one that is to be ended, "" for none
	Tag     string // of machines that are to be detached
	// NodeGroup is the ARN of the managed node group that the group belongs to, "" for none.
	NodeGroup string
	// SetsTemplate: the group is pointed at a template version.
	SetsTemplate bool
}

// Checker finds out which rights the caller has in AWS.
type Checker struct{ aws *asg.Client }

// New makes a Checker that asks as a client does.
func New(c *asg.Client) *Checker { return &Checker{c} }

// Check finds out, without changing anything, which of the rights the caller has: what is
// read is read, EC2 is asked by dry runs, and IAM simulates the caller's policies for the rest,
// if the caller may have it do so. The result has the rights in the same order, and what AWS
// alone will check.
func (k *Checker) Check(ctx context.Context, on Objects, rights []snapshot.Right) []snapshot.Right {
	out := slices.Clone(rights)
	left := map[string][]int{} // by resource: those to simulate
	for i := range out {
		r := &out[i]
		r.Resource = on.resource(r.Action)
		if asked, err := k.ask(ctx, on, r.Action); asked {
			r.Verdict, r.Message = k.verdict(err)
		} else {
			left[r.Resource] = append(left[r.Resource], i)
		}
	}
	if len(left) > 0 {
		k.simulateAll(ctx, on, left, out)
	}
	if on.SetsTemplate {
		for _, action := range []string{"ec2:RunInstances", "iam:PassRole"} {
			out = append(out, snapshot.Right{Action: action, Resource: "*", Message: plans.RightLeftToAWS})
		}
	}
	return out
}

// resource is what an action is allowed or denied on.
func (o Objects) resource(action string) string {
	group, err := arn.Parse(o.Group.ID)
	if err != nil {
		return "*"
	}
	in := func(service, resource string) string {
		return arn.ARN{Partition: group.Partition, Service: service, Region: group.Region, AccountID: group.AccountID, Resource: resource}.String()
	}
	service, name, _ := strings.Cut(action, ":")
	switch {
	case strings.HasPrefix(name, "Describe"):
		return "*"
	case service == "eks" && o.NodeGroup != "":
		return o.NodeGroup
	case service == "autoscaling":
		return o.Group.ID
	case name == "CreateLaunchTemplateVersion":
		return in("ec2", "launch-template/"+o.Group.Template.ID)
	case service == "ec2":
		return in("ec2", "instance/"+o.Machine)
	}
	for _, balancer := range o.Group.Balancers {
		switch target := strings.HasPrefix(balancer, "arn:"); {
		case target && name == "DeregisterTargets":
			return balancer
		case !target && name != "DeregisterTargets":
			return in(service, "loadbalancer/"+balancer)
		}
	}
	return "*"
}

// ask asks the service itself for a right, by a read or a dry run; false where it has neither.
func (k *Checker) ask(ctx context.Context, on Objects, action string) (bool, error) {
	ctx, cancel := transport.Bounded(ctx, timeout)
	defer cancel()
	dry, once := aws.Bool(true), func(o *ec2.Options) { o.Retryer = aws.NopRetryer{} }
	var err error
	switch action {
	case "autoscaling:DescribeAutoScalingInstances":
		in := &autoscaling.DescribeAutoScalingInstancesInput{MaxRecords: aws.Int32(1)}
		if _, err = k.aws.AutoScaling().DescribeAutoScalingInstances(ctx, in); err == nil {
			return true, nil
		}
	case "ec2:CreateLaunchTemplateVersion":
		_, err = k.aws.EC2().CreateLaunchTemplateVersion(ctx, &ec2.CreateLaunchTemplateVersionInput{
			DryRun: dry, LaunchTemplateId: &on.Group.Template.ID, SourceVersion: aws.String(strconv.FormatInt(on.Group.Template.Version, 10)),
			LaunchTemplateData: &ec2types.RequestLaunchTemplateData{ImageId: &on.Image},
		}, once)
	case "ec2:TerminateInstances":
		_, err = k.aws.EC2().TerminateInstances(ctx, &ec2.TerminateInstancesInput{DryRun: dry, InstanceIds: []string{on.Machine}}, once)
	case "ec2:CreateTags":
		_, err = k.aws.EC2().CreateTags(ctx, &ec2.CreateTagsInput{DryRun: dry, Resources: []string{on.Machine}, Tags: on.tags()}, once)
	case "ec2:DeleteTags":
		_, err = k.aws.EC2().DeleteTags(ctx, &ec2.DeleteTagsInput{DryRun: dry, Resources: []string{on.Machine}, Tags: on.tags()}, once)
	default:
		return false, nil
	}
	if code, _ := transport.Answered(err); code == "DryRunOperation" {
		return true, nil
	}
	if err == nil {
		err = errors.New("AWS did not say what came of the dry run")
	}
	return true, err
}

func (o Objects) tags() []ec2types.Tag { return []ec2types.Tag{{Key: &o.Tag, Value: &o.Group.Name}} }

// verdict is what the answer to a request says of the caller's right to it. Any error but a
// denial leaves that open.
func (k *Checker) verdict(err error) (snapshot.RightVerdict, string) {
	switch err = k.aws.Explain(err); {
	case err == nil:
		return snapshot.RightAllowed, ""
	case errors.Is(err, transport.ErrForbidden):
		return snapshot.RightDenied, err.Error()
	}
	return snapshot.RightUnchecked, err.Error()
}

// Prove finds out by requests that change nothing which rights the caller has that could
// not be checked: an update of the group without a field, and resuming a process that is not
// suspended. Only who holds the group's lock may ask so: another run may have suspended it.
func (k *Checker) Prove(ctx context.Context, group string, rights []snapshot.Right) []snapshot.Right {
	out := slices.Clone(rights)
	for i := range out {
		r := &out[i]
		prove := provers[r.Action]
		if r.Verdict != snapshot.RightUnchecked || prove == nil {
			continue
		}
		if err := prove(ctx, k.aws, group); !errors.Is(err, errUnproven) {
			r.Verdict, r.Message = k.verdict(err)
		}
	}
	return out
}

// errUnproven means that there is no request now that would change nothing.
var errUnproven = errors.New("not proven")

var provers = map[string]func(context.Context, *asg.Client, string) error{
	"autoscaling:UpdateAutoScalingGroup": func(ctx context.Context, c *asg.Client, group string) error {
		ctx, cancel := transport.Bounded(ctx, timeout)
		defer cancel()
		_, err := c.AutoScaling().UpdateAutoScalingGroup(ctx, &autoscaling.UpdateAutoScalingGroupInput{AutoScalingGroupName: &group}, transport.Once)
		return err
	},
	"autoscaling:ResumeProcesses": func(ctx context.Context, c *asg.Client, group string) error {
		const process = "AZRebalance"
		suspended, err := c.Suspended(ctx, group)
		if err != nil {
			return err
		}
		if slices.Contains(suspended, process) {
			return errUnproven
		}
		ctx, cancel := transport.Bounded(ctx, timeout)
		defer cancel()
		_, err = c.AutoScaling().ResumeProcesses(ctx, &autoscaling.ResumeProcessesInput{AutoScalingGroupName: &group, ScalingProcesses: []string{process}}, transport.Once)
		return err
	},
}
