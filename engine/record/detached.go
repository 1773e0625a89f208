package record

import (
	"fmt"

	"github.com/drainboard/drainboard/engine/text"
)

// Stays reports whether a refusal is more than bad luck.
func (r Retry) Stays() bool {
	return r.Tries > 0 && r.Refusal != RefusedBusy && r.Refusal != RefusedStale
}

// LeftOut reports whether the run was never to replace the node.
func (n Node) LeftOut() bool { return n.Stage == Skipped && n.Reason == NotSelected }

// Detached counts the machines that are out of their group and still to be replaced.
func (r *Run) Detached() (count int) {
	for _, n := range r.Nodes {
		if n.Detached && n.Stage != Replaced && n.Stage != Terminating {
			count++
		}
	}
	return count
}

// outside counts the machines that are or were out of their group, and of these those that
// are not ended, or whose end the cluster has yet to stand. Those that the run is not to
// replace stand in for nothing.
func (r *Run) outside() (all, left int) {
	for _, n := range r.Nodes {
		if n.Outside() {
			all++
		}
		if n.OutsideStill() {
			left++
		}
	}
	return all, left
}

func (n Node) Outside() bool { return n.Detached && !n.LeftOut() }

func (n Node) OutsideStill() bool {
	return n.Outside() && !n.Validated && (n.Stage != Replaced || !n.PendingValidation.IsZero())
}

// Surged is how many nodes may go at once: the limit, less what the detached machines that
// are ended stood in for.
func (r *Run) Surged() int {
	all, left := r.outside()
	return max(1, r.Limit-all+left)
}

// LeaveDetached names a machine that runs outside its group, with the commands that end
// it or put it back.
func (r *Run) LeaveDetached(id string) (what, command string) {
	return text.StaysDetached(NameOf(id, r.Nodes[id])),
		fmt.Sprintf("aws ec2 terminate-instances --instance-ids %s  # or: aws autoscaling attach-instances --auto-scaling-group-name %s --instance-ids %s", id, r.Group, id)
}

// LeaveOff names a node that is out of its group's load balancers and stays in service:
// nothing puts it back by itself.
func (r *Run) LeaveOff(id string) (what, command string) {
	what = text.StaysDeregistered(NameOf(id, r.Nodes[id]))
	if command := atBalancers(id, r.Balancers, "register-targets", "register-instances-with-load-balancer"); command != "" {
		return what, command
	}
	return what, fmt.Sprintf("aws elbv2 register-targets --targets Id=%s --target-group-arn ARN  # each of: aws autoscaling describe-load-balancer-target-groups --auto-scaling-group-name %s", id, r.Group)
}
