package cloud

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"

	"github.com/drainboard/drainboard/lab/cloud/access"
)

// bench is a served cloud with the real SDK's clients pointed at it.
type bench struct {
	*Cloud
	t    *testing.T
	ctx  context.Context
	asg  *autoscaling.Client
	ec2  *ec2.Client
	sts  *sts.Client
	s3   *s3.Client
	elb  *elasticloadbalancing.Client
	tgs  *elasticloadbalancingv2.Client
	idle func() // closes the clients' connections
	lt   string // a launch template with two versions, 1 the default
}

// quick is a cloud that answers at once and lets little time pass.
var quick = Options{
	Boot: 10 * time.Millisecond, Terminate: 10 * time.Millisecond, HealthCheck: 10 * time.Millisecond,
	Retry: 50 * time.Millisecond, Rebalance: 30 * time.Millisecond,
}

func serve(t *testing.T, o Options, m Machines) *bench {
	t.Helper()
	b := &bench{Cloud: New(o, m), t: t, ctx: t.Context()}
	b.lt = b.CreateLaunchTemplate("nodes", TemplateData{ImageID: "ami-1", InstanceType: "t3.large", UserData: "b25l", Tags: map[string]string{"kind": "node"}})
	b.AddTemplateVersion("nodes", TemplateData{ImageID: "ami-2", InstanceType: "t3.large", UserData: "dHdv"})
	if err := b.Serve(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	cfg := aws.Config{
		Region:       "eu-west-1",
		BaseEndpoint: aws.String(b.URL()),
		Credentials:  credentials.NewStaticCredentialsProvider("AKIALAB", "secret", ""),
		HTTPClient:   &http.Client{Transport: transport},
		// As the SDK's default config has them.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenSupported,
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) {
				o.MaxBackoff = time.Millisecond
				o.MaxAttempts = 4
			})
		},
	}
	b.idle = transport.CloseIdleConnections
	b.asg, b.ec2, b.sts, b.s3 = autoscaling.NewFromConfig(cfg), ec2.NewFromConfig(cfg), sts.NewFromConfig(cfg), s3.NewFromConfig(cfg)
	b.elb, b.tgs = elasticloadbalancing.NewFromConfig(cfg), elasticloadbalancingv2.NewFromConfig(cfg)
	return b
}

// group makes a group of the size, all of it in service.
func (b *bench) group(name string, low, desired, high int) {
	b.t.Helper()
	b.CreateGroup(GroupSpec{Name: name, Min: low, Desired: desired, Max: high, Template: TemplateRef{Name: "nodes", Version: "1"}})
	b.settle(name, desired)
}

// settle waits until a group has exactly n members, all in service.
func (b *bench) settle(name string, n int) {
	b.t.Helper()
	b.until(fmt.Sprintf("%s has %d instances in service", name, n), func() bool {
		is := b.Instances(name)
		return len(is) == n && !slices.ContainsFunc(is, func(i Instance) bool { return i.State != InService })
	})
}

func (b *bench) until(what string, holds func() bool) {
	b.t.Helper()
	for end := time.Now().Add(3 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// zones counts a group's instances by the last letter of their zone: a2 b1.
func (b *bench) zones(name string) string {
	n := map[string]int{}
	for _, i := range b.Instances(name) {
		n[i.Zone[len(i.Zone)-1:]]++
	}
	var s []string
	for _, z := range []string{"a", "b", "c"} {
		s = append(s, fmt.Sprintf("%s%d", z, n[z]))
	}
	return strings.Join(s, " ")
}

// described is the group as the API tells it.
func (b *bench) described(name string) types.AutoScalingGroup {
	b.t.Helper()
	out, err := b.asg.DescribeAutoScalingGroups(b.ctx, &autoscaling.DescribeAutoScalingGroupsInput{AutoScalingGroupNames: []string{name}})
	if err != nil || len(out.AutoScalingGroups) != 1 {
		b.t.Fatalf("describing %s: %v, %d groups", name, err, len(out.AutoScalingGroups))
	}
	return out.AutoScalingGroups[0]
}

func (b *bench) activities(name string) []types.Activity {
	b.t.Helper()
	out, err := b.asg.DescribeScalingActivities(b.ctx, &autoscaling.DescribeScalingActivitiesInput{AutoScalingGroupName: &name})
	if err != nil {
		b.t.Fatal(err)
	}
	return out.Activities
}

func (b *bench) must(_ any, err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// fails checks the code of an error and that its message has the words.
func (b *bench) fails(err error, code, words string) {
	b.t.Helper()
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != code || !strings.Contains(api.ErrorMessage(), words) {
		b.t.Errorf("got error %v, want %s: ...%s...", err, code, words)
	}
}

// machines records what the cloud tells Machines.
type machines struct {
	mu               sync.Mutex
	launched, ended  []string
	templateVersions []int64
}

func (m *machines) Launch(i Instance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.launched = append(m.launched, i.ID)
	m.templateVersions = append(m.templateVersions, i.TemplateVersion)
}

func (m *machines) Terminate(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = append(m.ended, id)
}

func (m *machines) count() (launched, ended int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.launched), len(m.ended)
}

func TestCallerIdentityAndCalls(t *testing.T) {
	b := serve(t, quick, nil)
	out, err := b.sts.GetCallerIdentity(b.ctx, &sts.GetCallerIdentityInput{})
	b.must(out, err)
	if *out.Account != access.Account || *out.Arn != access.User {
		t.Errorf("got %s, %s", *out.Account, *out.Arn)
	}
	calls := b.Calls()
	if len(calls) != 1 || calls[0].Service != "sts" || calls[0].Action != "GetCallerIdentity" || calls[0].AccessKey != "AKIALAB" ||
		!strings.Contains(calls[0].UserAgent, "aws-sdk-go-v2") {
		t.Errorf("calls: %+v", calls)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	b := serve(t, quick, &machines{})
	b.group("workers", 0, 3, 3)
	b.described("workers")
	b.Close()
	b.Close()
	b.idle()
	b.until("all goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
	if _, err := http.Get(b.URL()); err == nil {
		t.Error("still answers after Close")
	}
	New(quick, nil).Close()
}

func TestMachinesAreTold(t *testing.T) {
	m := &machines{}
	b := serve(t, quick, m)
	b.NeverJoin("workers", 1)
	b.group("workers", 0, 3, 5)
	b.until("two launches are told, the third never joins", func() bool { n, _ := m.count(); return n == 2 })
	is := b.Instances("workers")
	for _, i := range is {
		b.must(b.asg.TerminateInstanceInAutoScalingGroup(b.ctx, &autoscaling.TerminateInstanceInAutoScalingGroupInput{
			InstanceId: &i.ID, ShouldDecrementDesiredCapacity: aws.Bool(true),
		}))
	}
	b.until("two terminations are told", func() bool { _, n := m.count(); return n == 2 })
	b.settle("workers", 0)
	out, err := b.ec2.GetConsoleOutput(b.ctx, &ec2.GetConsoleOutputInput{InstanceId: &is[0].ID})
	b.must(out, err)
	if out.Output == nil {
		t.Error("no console output")
	}
}
