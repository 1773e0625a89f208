package world_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// taints makes a node with taints, each "key", "key=value" or "key@", the last of which
// says since when (noon).
func taints(list ...string) *world.Node {
	n := &world.Node{Name: "n", Tainted: map[string]time.Time{}}
	for _, t := range list {
		key, at := strings.CutSuffix(t, "@")
		key, value, _ := strings.Cut(key, "=")
		n.Taints = append(n.Taints, world.Taint{Key: key, Value: value, Effect: "NoSchedule"})
		if at {
			n.Tainted[key] = noon
		}
	}
	return n
}

// cordonedAt is a node cordoned at noon.
func cordonedAt(n *world.Node) *world.Node {
	n.Unschedulable = true
	more := taints("node.kubernetes.io/unschedulable@")
	n.Taints = append(n.Taints, more.Taints...)
	if n.Tainted == nil {
		n.Tainted = map[string]time.Time{}
	}
	n.Tainted["node.kubernetes.io/unschedulable"] = noon
	return n
}

func labelled(n *world.Node, pairs ...string) *world.Node {
	n.Labels = map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		n.Labels[pairs[i]] = pairs[i+1]
	}
	return n
}

func annotated(pairs ...string) *world.Node {
	n := labelled(&world.Node{}, pairs...)
	n.Labels, n.Annotations = nil, n.Labels
	return n
}

func condition(kind, reason string, on bool) *world.Node {
	return &world.Node{Conditions: []world.Condition{{Type: kind, Reason: reason, On: on, Off: !on, Since: noon}}}
}

// Each tool is known by its own marks, and how far it has come with the node; without a
// mark nobody is named, and a cordon alone is a user's.
func TestMoves(t *testing.T) {
	const exclude, group = "node.kubernetes.io/exclude-from-external-load-balancers", "eks.amazonaws.com/nodegroup"
	const prefix = "node.machine.sapcloud.io/"
	const handler = "aws-eks-asg-rolling-update-handler/"
	failed := labelled(annotated(prefix+"update-failed-reason", "disk full"), prefix+"update-result", "failed")
	deleted := taints("karpenter.sh/disrupted")
	deleted.Deleted = noon
	unhealthy := labelled(condition("KernelReady", "SoftLockup", false), group, "ng")
	for _, tt := range []struct {
		name string
		node *world.Node
		want string // by step since(minutes after noon, - for unknown) limit, guess and roll; joined by ", "
	}{
		{"untouched", labelled(taints("node-role.kubernetes.io/control-plane", "dedicated=gpu"), group, "ng"), ""},
		{"kubectl cordon", cordonedAt(&world.Node{}), "a user or a tool cordoned 0 0s guess"},
		{"kubectl cordon, no taint yet", &world.Node{Unschedulable: true}, "a user or a tool cordoned - 0s guess"},
		{"kops, waiting", taints("kops.k8s.io/scheduled-for-update"), "kops foreseen - 15m0s roll"},
		{"kops, draining", cordonedAt(labelled(taints("kops.k8s.io/scheduled-for-update"), exclude, "")), "kops draining 0 15m0s roll"},
		{"kops, asked for", annotated("kops.k8s.io/needs-update", ""), "kops foreseen - 15m0s roll"},
		{"EKS, waiting", taints(group + "=unschedulable"), "EKS foreseen - 15m0s roll"},
		{"EKS, draining", cordonedAt(taints(group + "=unschedulable@")), "EKS draining 0 15m0s roll"},
		{"EKS, without the taint", cordonedAt(labelled(&world.Node{}, exclude, "true", group, "ng")), "EKS draining 0 15m0s guess roll"},
		{"the group's own taint", taints(group + "=ng"), ""},
		{"EKS group, cordoned by hand", cordonedAt(labelled(&world.Node{}, group, "ng")), "a user or a tool cordoned 0 0s guess"},
		{"Karpenter, before its replacement", taints("karpenter.sh/disrupted"), "Karpenter foreseen - 0s roll"},
		{"Karpenter, draining", deleted, "Karpenter draining 0 0s roll"},
		{"Karpenter, cordoned by hand", cordonedAt(taints("karpenter.sh/disrupted")), "a user or a tool cordoned 0 0s guess, Karpenter foreseen - 0s roll"},
		{"autoscaler", taints(fmt.Sprintf("ToBeDeletedByClusterAutoscaler=%d", noon.Unix())), "Cluster Autoscaler draining 0 0s"},
		{"autoscaler, candidate", taints("DeletionCandidateOfClusterAutoscaler=junk"), "Cluster Autoscaler foreseen - 0s"},
		{"Spot", cordonedAt(taints("aws-node-termination-handler/spot-itn=abc")), "Node Termination Handler draining 0 2m0s"},
		{"handler without taints", cordonedAt(labelled(&world.Node{}, exclude, "aws-node-termination-handler")), "Node Termination Handler draining 0 2m0s"},
		{"handler's label", labelled(&world.Node{}, "aws-node-termination-handler/action", "cordon-and-drain", "aws-node-termination-handler/action-time", fmt.Sprint(noon.Unix())), "Node Termination Handler foreseen 0 2m0s"},
		{"Gardener, waiting", taints("deployment.machine.sapcloud.io/prefer-no-schedule=True"), "Gardener foreseen - 2h0m0s roll"},
		{"Gardener, replacing", condition("Terminating", "ScaleDown", true), "Gardener draining 0 2h0m0s roll"},
		{"Gardener, over", condition("Terminating", "", false), ""},
		{"Gardener in place, candidate", labelled(&world.Node{}, prefix+"candidate-for-update", "true"), "Gardener foreseen - 2h0m0s roll"},
		{"Gardener in place, selected", labelled(condition("InPlaceUpdate", "SelectedForUpdate", true), prefix+"selected-for-update", "true"), "Gardener draining 0 2h0m0s roll"},
		{"Gardener in place, updating", cordonedAt(condition("InPlaceUpdate", "ReadyForUpdate", true)), "Gardener updating 0 2h0m0s roll"},
		{"Gardener in place, done", condition("InPlaceUpdate", "UpdateSuccessful", true), ""},
		{"Gardener in place, failed", failed, "Gardener failed - 2h0m0s roll"},
		{"Cluster API", cordonedAt(taints("node.cluster.x-k8s.io/outdated-revision")), "Cluster API draining 0 0s roll"},
		{"rolling update handler", annotated(handler+"started-at", noon.Format(time.RFC3339)), "aws-eks-asg-rolling-update-handler draining 0 5m0s roll"},
		{"rolling update handler, drained", annotated(handler+"started-at", "x", handler+"drained-at", noon.Format(time.RFC3339)), "aws-eks-asg-rolling-update-handler ending 0 5m0s roll"},
		{"Cyclops", cordonedAt(labelled(&world.Node{}, "cyclops.atlassian.com/terminate", "cnr-1")), "Cyclops draining 0 0s roll"},
		{"kured", cordonedAt(annotated("weave.works/kured-reboot-in-progress", noon.Format(time.RFC3339))), "kured updating 0 0s"},
		{"medik8s", cordonedAt(taints("medik8s.io/drain@")), "Node Maintenance Operator draining 0 0s"},
		{"out of service", taints("node.kubernetes.io/out-of-service=nodeshutdown@"), "a user or a tool ending 0 0s guess"},
		{"shut down", taints("node.cloudprovider.kubernetes.io/shutdown"), "the cloud ending - 0s"},
		{"left behind", taints("drainboard.dev/surplus"), "Drainboard foreseen - 0s"},
		{"unhealthy", unhealthy, "EKS node repair foreseen 0 0s guess"},
		{"unhealthy elsewhere", condition("KernelReady", "SoftLockup", false), ""},
		{"two at once", cordonedAt(taints("kops.k8s.io/scheduled-for-update", "karpenter.sh/disrupted")), "kops draining 0 15m0s roll, Karpenter foreseen - 0s roll"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range tt.node.Moves() {
				since := "-"
				if !m.Since.IsZero() {
					since = fmt.Sprint(m.Since.Sub(noon).Minutes())
				}
				s := fmt.Sprint(m.By, " ", m.Step, " ", since, " ", m.Limit)
				if m.Guess {
					s += " guess"
				}
				if m.Roll {
					s += " roll"
				}
				got = append(got, s)
				if m.Mark == "" || m.Means == "" {
					t.Errorf("no mark or meaning: %+v", m)
				}
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), tt.want)
			}
		})
	}
	if why := failed.Moves()[0].Means; !strings.HasSuffix(why, ": disk full") {
		t.Errorf("the reason is not told: %s", why)
	}
}

// What Moves reads of annotations and conditions is what a provider is told to keep.
func TestTelling(t *testing.T) {
	for _, key := range []string{"kops.k8s.io/needs-update", "weave.works/kured-reboot-in-progress", "aws-eks-asg-rolling-update-handler/started-at",
		"aws-eks-asg-rolling-update-handler/drained-at", "aws-eks-asg-rolling-update-handler/terminated-at"} {
		if !world.Telling(key) || len(annotated(key, "").Moves()) == 0 {
			t.Errorf("%s is not kept, or not read", key)
		}
	}
	if world.Telling("csi.volume.kubernetes.io/nodeid") || world.TellingCondition("Ready") || !world.TellingCondition("InPlaceUpdate") {
		t.Error("kept the wrong ones")
	}
}
