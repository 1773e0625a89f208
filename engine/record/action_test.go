package record_test

import (
	"testing"

	"github.com/drainboard/drainboard/engine/record"
)

// The command of an action does all that its executor does.
func TestCommandsOfTheGroup(t *testing.T) {
	for _, c := range []struct {
		name   string
		action record.Action
		want   string
	}{
		{"detach, tagged first", record.Action{Kind: record.Detach, Machine: "i-1", Group: "nodes", Tag: "kops.k8s.io/detached-from-asg"},
			"aws ec2 create-tags --resources i-1 --tags Key=kops.k8s.io/detached-from-asg,Value=nodes && aws autoscaling detach-instances --auto-scaling-group-name nodes --instance-ids i-1 --no-should-decrement-desired-capacity"},
		{"detach", record.Action{Kind: record.Detach, Machine: "i-1", Group: "nodes"},
			"aws autoscaling detach-instances --auto-scaling-group-name nodes --instance-ids i-1 --no-should-decrement-desired-capacity"},
		{"out of a target group and a classic load balancer", record.Action{Kind: record.Deregister, Machine: "i-1", Group: "nodes", Balancers: []string{"arn:aws:x:targetgroup/web/1", "api"}},
			"aws elbv2 deregister-targets --target-group-arn arn:aws:x:targetgroup/web/1 --targets Id=i-1 && aws elb deregister-instances-from-load-balancer --load-balancer-name api --instances i-1"},
		{"out of none that is known", record.Action{Kind: record.Deregister, Machine: "i-1", Group: "nodes"}, ""},
	} {
		if got := c.action.Command(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
