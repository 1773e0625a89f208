package movers

import (
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// A run's own marks are nobody else's; what it found on a node, and what comes on top of
// its own, is.
func TestMovesOfOthers(t *testing.T) {
	eks := world.Taint{Key: "eks.amazonaws.com/nodegroup", Value: "unschedulable", Effect: "NoSchedule"}
	kops := world.Taint{Key: "kops.k8s.io/scheduled-for-update", Effect: "PreferNoSchedule"}
	const exclude = "node.kubernetes.io/exclude-from-external-load-balancers"
	n := &world.Node{
		Name: "n1", Unschedulable: true, Taints: []world.Taint{eks},
		Labels: map[string]string{"eks.amazonaws.com/nodegroup": "ng", exclude: "drainboard"},
	}
	ours := []record.Mark{{Put: record.TaintOf("i-1", "n1", eks)}, {Put: record.CordonOf("i-1", "n1")}, {Put: record.LabelOf("i-1", "n1", exclude, "drainboard")}}
	found := []record.Mark{ours[0], {Put: ours[1].Put, Foreign: true}, ours[2]}
	touched := *n
	touched.Taints = append([]world.Taint{kops}, n.Taints...)
	for _, tt := range []struct {
		name  string
		node  *world.Node
		marks []record.Mark
		want  world.Mover
	}{
		{"no run", n, nil, world.MoverEKS},
		{"all ours", n, ours, ""},
		{"the cordon was there before", n, found, world.MoverUnknown},
		{"kops as well", &touched, ours, world.MoverKops},
		{"marks of the node before it", n, []record.Mark{{Put: record.TaintOf("i-1", "n0", eks)}, {Put: record.CordonOf("i-1", "n0")}}, world.MoverEKS},
		{"no node", nil, ours, ""},
	} {
		r := &record.Run{Marks: map[string][]record.Mark{"i-1": tt.marks}}
		got := r.Moves("i-1", tt.node)
		if len(got) == 0 && tt.want == "" {
			continue
		}
		if len(got) == 0 || got[0].By != tt.want {
			t.Errorf("%s: got %+v, want %s", tt.name, got, tt.want)
		}
	}
	if len(n.Taints) != 1 || !n.Unschedulable || n.Labels[exclude] == "" {
		t.Error("the node itself was changed")
	}
}

// What our last run has left behind is named as long as it is there, and nothing else is.
func TestMovesAfterOurs(t *testing.T) {
	const keep = world.KeepFromScaleDown
	left := []record.Mark{{Put: record.AnnotationOf("i-1", "n1", keep, "true")}}
	for _, tt := range []struct {
		name string
		node *world.Node
		want world.Mover
	}{
		{"annotation there", &world.Node{Name: "n1", Annotations: map[string]string{keep: "true"}}, world.MoverDrainboard},
		{"gone, and an operator cordons", &world.Node{Name: "n1", Unschedulable: true}, world.MoverUnknown},
		{"gone", &world.Node{Name: "n1"}, ""},
	} {
		moves := MovesAfter(tt.node, nil, left)
		if len(moves) == 0 && tt.want == "" {
			continue
		}
		if len(moves) != 1 || moves[0].By != tt.want {
			t.Errorf("%s: got %+v, want %q", tt.name, moves, tt.want)
		}
	}
}

// Beside an update by EKS nothing is suspended and no node protected.
func TestMoversOfEKS(t *testing.T) {
	list := []record.ExternalMover{
		{Kind: record.ExternalRebalance, Who: "AZRebalance", Handling: record.HandlingSuspended, How: text.SuspendedMeantime},
		{Kind: record.ExternalAutoscaler, Handling: record.HandlingLeft, How: text.AutoscalerLeft},
		{Kind: record.ExternalRefresh, Handling: record.HandlingRefused, How: text.NoRunBeside},
	}
	OfEKS(list)
	if list[0].Handling != record.HandlingLeft || list[0].How != systems.EKSRebalanceLeft || list[1].How != systems.EKSAutoscalerLeft || list[2].How != text.NoRunBeside {
		t.Errorf("%+v", list)
	}
}
