package record

import (
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// What was put on a node is not advised to be taken off once its machine is ended: it goes with it.
func TestOutstandingLeavesOutNodesThatAreGone(t *testing.T) {
	r := Run{Group: "web", Phases: []Phase{{}}, Nodes: shards.Of(map[string]Node{}), Marks: map[string][]Mark{}}
	for id, n := range map[string]Node{
		"i-1": {Name: "stays", Stage: Draining}, "i-2": {Name: "asked", Stage: Terminating},
		"i-3": {Name: "ended", Stage: Terminating, Ends: true}, "i-4": {Name: "gone", Stage: Replaced},
	} {
		r.Nodes = r.Nodes.With(id, n)
		r.Marks[id] = []Mark{{Put: CordonOf(id, n.Name)}}
	}
	got := strings.Join(r.Outstanding(), "\n")
	for name, want := range map[string]bool{"stays": true, "asked": true, "ended": false, "gone": false} {
		if strings.Contains(got, "kubectl uncordon "+name) != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// What a run has made of the group's sizes is outstanding, whether it is known or not. No command
// sets a size below what the group has, or ends a node that was not drained.
func TestOutstandingSizes(t *testing.T) {
	const describe = "aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names ng"
	sizes := func(raised, unsure bool, raise, lowered, limit int) Run {
		return Run{
			Group: "ng", Base: world.Sizes{Min: 1, Max: 10, Desired: 10}, Phases: []Phase{{}},
			Raised: raised, RaiseUnsure: unsure, Raise: raise, Lowered: lowered, MaxSet: limit,
		}
	}
	known := sizes(true, false, 2, 0, 12)
	known.Nodes = shards.Of(map[string]Node{"i-1": {New: true, Name: "n1"}, "i-2": {New: true, Name: "n2", Stage: Surplus}, "i-3": {Name: "old"}})
	for _, tt := range []struct {
		run                          Run
		what, outstanding, abandoned string
	}{
		{sizes(true, false, 2, 0, 12), "the group ng is 2 machines larger than before", "drainboard abort ng --retire", describe},
		{known, "the group ng is 2 machines larger than before", "drainboard abort ng --retire",
			"kubectl drain n2 --ignore-daemonsets && aws autoscaling terminate-instance-in-auto-scaling-group --instance-id i-2 --should-decrement-desired-capacity && " +
				"kubectl drain n1 --ignore-daemonsets && aws autoscaling terminate-instance-in-auto-scaling-group --instance-id i-1 --should-decrement-desired-capacity"},
		{sizes(false, true, 2, 0, 0), "the group ng may be 2 machines larger than before", "aws autoscaling describe-scaling-activities --auto-scaling-group-name ng", "aws autoscaling describe-scaling-activities --auto-scaling-group-name ng"},
		{sizes(true, false, 2, 2, 12), "the group's maximum is 12, was 10", "drainboard abort ng",
			`aws autoscaling update-auto-scaling-group --auto-scaling-group-name ng --max-size "$(` + describe + " --query 'max([AutoScalingGroups[0].DesiredCapacity, `10`])' --output text)\""},
	} {
		for want, got := range map[string][]string{tt.outstanding: tt.run.Outstanding(), tt.abandoned: tt.run.Abandoned()} {
			if len(got) != 1 || !strings.HasPrefix(got[0], tt.what) || !strings.HasSuffix(got[0], ": "+want) {
				t.Errorf("got %q, want %q: %q", got, tt.what, want)
			}
		}
	}
}
