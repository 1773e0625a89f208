package record

import (
	"fmt"
	"maps"
	"slices"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Waiting is the batch that waits for approval, if one does.
func (r *Run) Waiting() (Batch, bool) {
	if n := len(r.Batches); n > 0 && r.Batches[n-1].Approved.IsZero() {
		return r.Batches[n-1], true
	}
	return Batch{}, false
}

// Current reports whether a machine was launched from a target template.
func (r *Run) Current(m *world.Machine) bool { return slices.Contains(r.Target.Templates, m.Template) }

// Consents are what the user allowed for this run.
func (r *Run) Consents() drain.Consents {
	return drain.Consents{Unmanaged: r.Settings.Unmanaged, EmptyDir: r.Settings.EmptyDir}
}

// Sources are those that the run looks at.
func (r *Run) Sources() []world.Source {
	if r.Settings.CloudOnly {
		return []world.Source{world.Cloud}
	}
	return []world.Source{world.Cluster, world.Cloud}
}

// Outdated counts the machines that were outdated and how many of these are replaced.
func (r *Run) Outdated() (replaced, total int) {
	for _, n := range r.Nodes.All() {
		if n.New {
			continue
		}
		total++
		if n.Stage == Replaced {
			replaced++
		}
	}
	return replaced, total
}

// Standing is a run in a line or two for who continues with it: how far it is, and
// what was under way when it was last seen.
func (r *Run) Standing() string {
	count := map[Stage]int{}
	for _, n := range r.Nodes.All() {
		count[n.Stage]++
	}
	replaced, total := r.Outdated()
	var parts []string
	for _, stage := range []Stage{Draining, Settling, Terminating, Queued, Outdated, Launching, NodeFail, Skipped} {
		if n := count[stage]; n > 0 {
			parts = append(parts, text.InStage(n, string(stage)))
		}
	}
	var open []string
	for _, key := range slices.Sorted(maps.Keys(r.Pending)) {
		if p := r.Pending[key]; p.Accepted.IsZero() && !p.Action.ReadOnly() && p.Action.Kind != RunHook {
			open = append(open, p.Action.Sentence())
		}
	}
	return text.Standing(replaced, total, parts, open)
}

// Next says what is done first by who continues with a run.
func (r *Run) Next() string {
	open := false
	for _, p := range r.Pending {
		if p.Accepted.IsZero() && !p.Action.ReadOnly() && p.Action.Kind != RunHook {
			open = true
		}
	}
	switch {
	case r.State == Ending:
		return text.Next(open, text.NextEnds)
	case r.State == Paused:
		return text.Next(open, text.NextStaysPaused)
	}
	if b, waiting := r.Waiting(); waiting {
		return text.Next(open, b.WaitsFor())
	}
	for _, p := range r.Phases {
		if !p.Start.IsZero() && p.End.IsZero() {
			return text.Next(open, text.NextPhase(p.Name))
		}
	}
	return text.Next(open, text.NextBegins)
}

// Stays reports whether a refusal is more than bad luck.
func (r Retry) Stays() bool {
	return r.Tries > 0 && r.Refusal != RefusedBusy && r.Refusal != RefusedStale
}

// LeftOut reports whether the run was never to replace the node.
func (n Node) LeftOut() bool { return n.Stage == Skipped && n.Reason == NotSelected }

// Detached counts the machines that are out of their group and still to be replaced.
func (r *Run) Detached() (count int) {
	for _, n := range r.Nodes.All() {
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
	for _, n := range r.Nodes.All() {
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
	return text.StaysDetached(NameOf(id, r.Nodes.Get(id))),
		fmt.Sprintf("aws ec2 terminate-instances --instance-ids %s  # or: aws autoscaling attach-instances --auto-scaling-group-name %s --instance-ids %s", id, r.Group, id)
}

// LeaveOff names a node that is out of its group's load balancers and stays in service:
// nothing puts it back by itself.
func (r *Run) LeaveOff(id string) (what, command string) {
	what = text.StaysDeregistered(NameOf(id, r.Nodes.Get(id)))
	if command := atBalancers(id, r.Balancers, "register-targets", "register-instances-with-load-balancer"); command != "" {
		return what, command
	}
	return what, fmt.Sprintf("aws elbv2 register-targets --targets Id=%s --target-group-arn ARN  # each of: aws autoscaling describe-load-balancer-target-groups --auto-scaling-group-name %s", id, r.Group)
}
