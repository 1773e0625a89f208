package cloud

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// detach takes instances out of a group as the API does it.
func (b *bench) detach(group string, decrement bool, ids ...string) ([]string, error) {
	b.t.Helper()
	out, err := b.asg.DetachInstances(b.ctx, &autoscaling.DetachInstancesInput{
		AutoScalingGroupName: &group, InstanceIds: ids, ShouldDecrementDesiredCapacity: &decrement,
	})
	if err != nil {
		return nil, err
	}
	var causes []string
	for _, a := range out.Activities {
		causes = append(causes, *a.Description+" | "+*a.Cause)
	}
	return causes, nil
}

// kill ends instances past their group.
func (b *bench) kill(ids ...string) *ec2.TerminateInstancesOutput {
	b.t.Helper()
	out, err := b.ec2.TerminateInstances(b.ctx, &ec2.TerminateInstancesInput{InstanceIds: ids})
	b.must(out, err)
	return out
}

func TestDetachAndStandby(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 2, 3, 3)
	is := b.Instances("workers")
	group := aws.String("workers")
	b.must(b.asg.DetachInstances(b.ctx, &autoscaling.DetachInstancesInput{
		AutoScalingGroupName: group, InstanceIds: []string{is[0].ID}, ShouldDecrementDesiredCapacity: aws.Bool(true),
	}))
	if i, _ := b.Instance(is[0].ID); i.State != Detached {
		t.Errorf("state %s", i.State)
	}
	found, err := b.ec2.DescribeInstances(b.ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{is[0].ID}})
	b.must(found, err)
	if s := found.Reservations[0].Instances[0].State.Name; s != ec2types.InstanceStateNameRunning {
		t.Errorf("EC2 state %s", s)
	}
	_, err = b.asg.DetachInstances(b.ctx, &autoscaling.DetachInstancesInput{
		AutoScalingGroupName: group, InstanceIds: []string{is[1].ID}, ShouldDecrementDesiredCapacity: aws.Bool(true),
	})
	b.fails(err, "ValidationError", "AutoScalingGroup workers has min-size=2, max-size=3, and desired-size=2. To detach 1 instance, please update")

	// Without decrement a standby instance is replaced, and back again it is one too many to be let in above max.
	b.must(b.asg.EnterStandby(b.ctx, &autoscaling.EnterStandbyInput{
		AutoScalingGroupName: group, InstanceIds: []string{is[1].ID}, ShouldDecrementDesiredCapacity: aws.Bool(false),
	}))
	b.until("a replacement serves", func() bool {
		return len(b.Instances("workers")) == 3 && b.Instances("workers")[2].State == InService
	})
	b.must(nil, b.resize("workers", 0, 0, 3))
	b.until("only the standby instance is left", func() bool { return len(b.Instances("workers")) == 1 })
	if i := b.Instances("workers")[0]; i.ID != is[1].ID || i.State != Standby {
		t.Errorf("left: %+v", i)
	}
	b.must(b.asg.ExitStandby(b.ctx, &autoscaling.ExitStandbyInput{AutoScalingGroupName: group, InstanceIds: []string{is[1].ID}}))
	b.settle("workers", 1)
	if d := *b.described("workers").DesiredCapacity; d != 1 {
		t.Errorf("desired %d", d)
	}
}

// Without a decrement the group launches another in place of a detached instance, of
// its template as it is now; the old one runs on, nobody replaces it when it ends.
func TestDetachForSurge(t *testing.T) {
	m := &machines{}
	b := serve(t, quick, m)
	b.group("workers", 2, 3, 3)
	is := b.Instances("workers")
	b.must(b.ec2.CreateTags(b.ctx, &ec2.CreateTagsInput{Resources: []string{is[0].ID}, Tags: []ec2types.Tag{{Key: aws.String("detached-from"), Value: aws.String("workers")}}}))
	causes, err := b.detach("workers", false, is[0].ID, is[1].ID)
	b.must(causes, err)
	if len(causes) != 2 || !strings.HasPrefix(causes[0], "Detaching EC2 instance: "+is[0].ID+" | At ") || strings.Contains(causes[0], "shrinking") {
		t.Errorf("activities %q", causes)
	}
	b.until("two replacements serve", func() bool {
		now := b.Instances("workers")
		return len(now) == 3 && now[0].ID == is[2].ID && !slices.ContainsFunc(now, func(i Instance) bool { return i.State != InService })
	})
	if g := b.described("workers"); *g.DesiredCapacity != 3 {
		t.Errorf("desired %d, want 3", *g.DesiredCapacity)
	}
	detached := []ec2types.Filter{
		{Name: aws.String("tag:detached-from"), Values: []string{"workers"}},
		{Name: aws.String("instance-state-name"), Values: []string{"pending", "running"}},
	}
	found, err := b.ec2.DescribeInstances(b.ctx, &ec2.DescribeInstancesInput{Filters: detached})
	b.must(found, err)
	if len(found.Reservations) != 1 || *found.Reservations[0].Instances[0].InstanceId != is[0].ID {
		t.Errorf("found by their tag: %+v", found.Reservations)
	}
	if i, _ := b.Instance(is[0].ID); i.Tags[groupTag] != "" || i.Tags["kind"] != "node" {
		t.Errorf("tags of the detached instance: %v", i.Tags)
	}
	if n, _ := m.count(); n != 5 {
		t.Errorf("%d launches, want 5", n)
	}
	b.kill(is[0].ID)
	b.until("the detached one is gone", func() bool { return b.ec2State(is[0].ID).State.Name == ec2types.InstanceStateNameTerminated })
	time.Sleep(5 * quick.HealthCheck) // a replacement would be launched by now
	if n, ended := m.count(); n != 5 || ended != 1 {
		t.Errorf("%d launches and %d ends, want 5 and 1", n, ended)
	}

	for _, c := range []struct{ id, words string }{
		{is[0].ID, "The instance " + is[0].ID + " is not part of Auto Scaling group workers."},
		{"i-0", "The instance i-0 is not part of Auto Scaling group workers."},
	} {
		_, err = b.detach("workers", false, c.id)
		b.fails(err, "ValidationError", c.words)
	}
	_, err = b.detach("nobody", false, is[1].ID)
	b.fails(err, "ValidationError", "AutoScalingGroup name not found")
}

// One that is about to end cannot be detached, and of several named none is.
func TestDetachNeedsService(t *testing.T) {
	o := quick
	o.Boot, o.Terminate = time.Hour, time.Hour
	b := serve(t, o, nil)
	b.CreateGroup(GroupSpec{Name: "workers", Desired: 2, Max: 2, Template: TemplateRef{Name: "nodes", Version: "1"}})
	b.until("two are on their way", func() bool { return len(b.Instances("workers")) == 2 })
	id := b.Instances("workers")[0].ID
	_, err := b.detach("workers", false, id)
	b.fails(err, "ValidationError", "The instance "+id+" is not in InService or Standby.")
	if i, _ := b.Instance(id); i.State != Pending {
		t.Errorf("state %s", i.State)
	}
}

func TestAttach(t *testing.T) {
	b := serve(t, quick, nil)
	b.group("workers", 0, 2, 2)
	b.group("others", 0, 1, 2)
	id := b.Instances("workers")[0].ID
	attach := func(group, id string) error {
		_, err := b.asg.AttachInstances(b.ctx, &autoscaling.AttachInstancesInput{AutoScalingGroupName: &group, InstanceIds: []string{id}})
		return err
	}
	b.fails(attach("others", id), "ValidationError", "already part of AutoScalingGroup:workers")
	b.must(b.detach("workers", false, id))
	b.settle("workers", 2)
	b.fails(attach("workers", id), "ValidationError", "AutoScalingGroup workers has min-size=0, max-size=2, and desired-size=2. To attach 1 instance, please update")
	b.must(nil, attach("others", id))
	b.settle("others", 2)
	if g := b.described("others"); *g.DesiredCapacity != 2 || *g.Instances[0].InstanceId != id || *g.Instances[0].LaunchTemplate.Version != "1" {
		t.Errorf("attached: %+v", g.Instances)
	}
	if i, _ := b.Instance(id); i.Group != "others" || i.Tags[groupTag] != "others" {
		t.Errorf("instance %+v", i)
	}
	if a := b.activities("others")[0]; *a.Description != "Attaching an existing EC2 instance: "+id || !strings.Contains(*a.Cause, "from 1 to 2") {
		t.Errorf("activity %s: %s", *a.Description, *a.Cause)
	}
	b.kill(id) // and from now on it is replaced
	b.until("it is replaced", func() bool {
		is := b.Instances("others")
		return len(is) == 2 && !slices.ContainsFunc(is, func(i Instance) bool { return i.ID == id || i.State != InService })
	})
	b.fails(attach("workers", "i-0"), "ValidationError", "i-0")
}
