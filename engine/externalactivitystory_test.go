package engine_test

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

const kopsTaint, eksTaint = "kops.k8s.io/scheduled-for-update", "eks.amazonaws.com/nodegroup"

// A user cordons a node and drains it with kubectl, and a budget holds its last pod.
// The node is drained as soon as its pods leave, is drained when none is left, and is
// replaced when its machine has gone; nobody is named, because nothing names him.
func TestKubectlDrain(t *testing.T) {
	o := look(t, 2)
	o.pod("cart", 1)
	o.pod("checkout", 1)
	o.pod("api", 2)
	o.budget("checkout", 0)
	o.sees(0, `
		n1 outdated 2/2
		n2 outdated 1/1
`)
	o.cordon(1)
	o.sees(time.Minute, `
		cordoned by a user, or by a tool that leaves no mark: n1
		0 replaced since 12:00, 0 of 2 current
		n1 outdated 2/2 | was cordoned by an unknown user or tool: it takes no new pods
		n2 outdated 1/1
		12:01:00 node.cordoned n1: was cordoned by an unknown user or tool: it takes no new pods (cordoned)
`)
	o.goes("cart")
	o.sees(time.Second, `
		drained by a user, or by a tool that leaves no mark: n1 draining
		0 replaced since 12:00, 0 of 2 current
		n1 draining 2/2 blocked | cordoned, and pods leave: probably being drained
		n2 outdated 1/1
		shop/checkout on n1: PDB shop/checkout allows 0 disruptions: 1 healthy, 1 required, so it never allows any -> scale checkout to 2, loosen minAvailable 1, or delete the pod
		12:01:01 node.draining n1: 2 pods to move: cordoned, and pods leave: probably being drained (cordoned)
`)
	o.w.DeletePod("cart")
	o.sees(time.Minute, `
		drained by a user, or by a tool that leaves no mark: n1 draining
		0 replaced since 12:00, 0 of 2 current
		n1 draining 1/2 blocked | cordoned, and pods leave: probably being drained
		n2 outdated 1/1
		shop/checkout on n1: PDB shop/checkout allows 0 disruptions: 1 healthy, 1 required, so it never allows any -> scale checkout to 2, loosen minAvailable 1, or delete the pod
`)
	o.budget("checkout", 1)
	o.sees(time.Minute, `
		drained by a user, or by a tool that leaves no mark: n1 draining
		0 replaced since 12:00, 0 of 2 current
		n1 draining 1/2 | cordoned, and pods leave: probably being drained
		n2 outdated 1/1
`)
	o.w.DeletePod("checkout")
	o.sees(time.Minute, `
		drained by a user, or by a tool that leaves no mark: n1 drained
		0 replaced since 12:00, 0 of 2 current
		n1 settling | drained, next step unknown
		n2 outdated 1/1
		12:04:01 node.drained n1: drained, next step unknown
`)
	o.cordon(2)
	o.sees(time.Second, `
		drained by a user, or by a tool that leaves no mark: n1 drained, n2 cordoned
		0 replaced since 12:00, 0 of 2 current
		n1 settling | drained, next step unknown
		n2 outdated 1/1 | was cordoned by an unknown user or tool: it takes no new pods
		12:04:02 node.cordoned n2: was cordoned by an unknown user or tool: it takes no new pods (cordoned)
`)
	o.node(2, func(n *world.Node) { n.Unschedulable, n.Tainted = false, nil })
	o.machines(2, 2)
	o.w.DeleteNode("n1")
	// One read without the machine is not its end.
	o.sees(time.Second, `
		n1 settling | drained, next step unknown
		n2 outdated 1/1
		12:04:03 node.outdated n2: its mark is gone: cordoned
`)
	o.machines(2, 2, 11)
	o.sees(time.Minute, `
		1 replaced since 12:00, 0 of 2 current
		i-11 launching | i-11 in a has not joined the cluster
		n1 replaced
		n2 outdated 1/1
		12:05:03 node.replaced n1: gone
		12:05:03 node.launching i-11: launching
`)
	o.node(11, func(*world.Node) {})
	o.sees(time.Minute, `
		1 replaced since 12:00, 1 of 2 current
		n1 replaced
		n11 ready
		n2 outdated 1/1
		12:06:03 node.ready n11: ready
`)
	// Long over.
	o.sees(11*time.Minute, `
		n11 ready
		n2 outdated 1/1
`)
}

// A kops rolling update is watched from its middle on: what came before is not known, how
// long the rest takes only once a node was replaced. A drain that takes longer than usual
// has no countdown any more, and an update that is given up leaves a group without marks.
func TestKopsRoll(t *testing.T) {
	o := look(t, 4)
	o.pod("cart", 1)
	o.pod("web", 2)
	for i := 1; i <= 4; i++ {
		o.taint(i, kopsTaint, "", "PreferNoSchedule")
	}
	o.machines(1, 4, 11)
	o.node(11, func(*world.Node) {})
	o.now = noon.Add(-5 * time.Minute)
	o.cordon(1)
	o.now = noon
	o.sees(0, `
		kops rolling-update is at work here: n1 draining, 3 to go
		0 replaced since 12:00, 1 of 5 current
		n1 draining 1/1 drain limit 10m0s | kops rolling-update has cordoned it and drains it, then terminates it
		n11 ready
		n2 outdated 1/1 | kops rolling-update will replace it: new pods avoid it
		n3 outdated | kops rolling-update will replace it: new pods avoid it
		n4 outdated | kops rolling-update will replace it: new pods avoid it
		11:55:00 node.draining n1: 1 pod to move: kops rolling-update has cordoned it and drains it, then terminates it (taint kops.k8s.io/scheduled-for-update:PreferNoSchedule, cordoned)
		12:00:00 node.tainted n2: kops rolling-update will replace it: new pods avoid it (taint kops.k8s.io/scheduled-for-update:PreferNoSchedule)
		12:00:00 node.tainted n3: kops rolling-update will replace it: new pods avoid it (taint kops.k8s.io/scheduled-for-update:PreferNoSchedule)
		12:00:00 node.tainted n4: kops rolling-update will replace it: new pods avoid it (taint kops.k8s.io/scheduled-for-update:PreferNoSchedule)
`)
	o.w.DeletePod("cart")
	o.sees(time.Minute, `
		kops rolling-update is at work here: n1 drained, 3 to go
		0 replaced since 12:00, 1 of 5 current
		n1 settling | drained by kops
		n11 ready
		n2 outdated 1/1 | kops rolling-update will replace it: new pods avoid it
		n3 outdated | kops rolling-update will replace it: new pods avoid it
		n4 outdated | kops rolling-update will replace it: new pods avoid it
		12:01:00 node.drained n1: drained by kops
`)
	o.w.DeleteNode("n1")
	o.machines(2, 4, 11)
	o.sees(time.Minute, `
		kops rolling-update is at work here: 3 nodes
		0 replaced since 12:00, 1 of 5 current
		n1 settling | drained by kops
		n11 ready
		n2 outdated 1/1 | kops rolling-update will replace it: new pods avoid it
		n3 outdated | kops rolling-update will replace it: new pods avoid it
		n4 outdated | kops rolling-update will replace it: new pods avoid it
`)
	o.machines(2, 4, 11, 12)
	o.node(12, func(*world.Node) {})
	o.cordon(2)
	o.sees(time.Minute, `
		kops rolling-update is at work here: n2 draining, 2 to go
		1 replaced since 12:00, 2 of 5 current, about 9m0s left: 1 node in 3m
		n1 replaced
		n11 ready
		n12 ready
		n2 draining 1/1 drain limit 14m0s | kops rolling-update has cordoned it and drains it, then terminates it
		n3 outdated | kops rolling-update will replace it: new pods avoid it
		n4 outdated | kops rolling-update will replace it: new pods avoid it
		12:03:00 node.replaced n1: gone
		12:03:00 node.draining n2: 1 pod to move: kops rolling-update has cordoned it and drains it, then terminates it (taint kops.k8s.io/scheduled-for-update:PreferNoSchedule, cordoned)
`)
	o.sees(16*time.Minute, `
		kops rolling-update is at work here: n2 draining, 2 to go
		1 replaced since 12:00, 2 of 5 current, about 57m0s left: 1 node in 19m
		n1 replaced
		n11 ready
		n12 ready
		n2 draining 1/1 | kops rolling-update has cordoned it and drains it, then terminates it, longer than the usual 15m0s
		n3 outdated | kops rolling-update will replace it: new pods avoid it
		n4 outdated | kops rolling-update will replace it: new pods avoid it
`)
	for i := 2; i <= 4; i++ {
		o.node(i, func(n *world.Node) { n.Taints, n.Unschedulable = nil, false })
	}
	o.sees(time.Minute, `
		1 replaced since 12:00, 2 of 5 current
		n1 replaced
		n11 ready
		n12 ready
		n2 outdated 1/1
		n3 outdated
		n4 outdated
		12:20:00 node.outdated n3: its mark is gone: taint kops.k8s.io/scheduled-for-update:PreferNoSchedule
		12:20:00 node.outdated n4: its mark is gone: taint kops.k8s.io/scheduled-for-update:PreferNoSchedule
		12:20:00 node.outdated n2: its mark is gone: taint kops.k8s.io/scheduled-for-update:PreferNoSchedule, cordoned
`)
}

// An EKS managed update taints all its nodes and may cordon them only after their drain:
// that one has begun is seen by its pods. After it the machine ends within a minute.
func TestEKSUpdate(t *testing.T) {
	o := look(t, 2)
	o.pod("cart", 1)
	o.pod("web", 1)
	o.sees(0, `
		n1 outdated 2/2
		n2 outdated
`)
	for i := 1; i <= 2; i++ {
		o.taint(i, eksTaint, "unschedulable", "NoSchedule")
	}
	o.sees(time.Minute, `
		an EKS managed update is at work here: n1 and n2
		0 replaced since 12:00, 0 of 2 current
		n1 outdated 2/2 | an EKS managed update will replace it: it takes no new pods
		n2 outdated | an EKS managed update will replace it: it takes no new pods
		12:01:00 node.tainted n1: an EKS managed update will replace it: it takes no new pods (taint eks.amazonaws.com/nodegroup=unschedulable:NoSchedule)
		12:01:00 node.tainted n2: an EKS managed update will replace it: it takes no new pods (taint eks.amazonaws.com/nodegroup=unschedulable:NoSchedule)
`)
	o.w.DeletePod("web")
	o.sees(time.Minute, `
		an EKS managed update is at work here: n1 draining, 1 to go
		0 replaced since 12:00, 0 of 2 current
		n1 draining 1/2 drain limit 15m0s | pods leave: an EKS managed update drains it
		n2 outdated | an EKS managed update will replace it: it takes no new pods
		12:02:00 node.draining n1: 2 pods to move: pods leave: an EKS managed update drains it (taint eks.amazonaws.com/nodegroup=unschedulable:NoSchedule)
`)
	o.w.DeletePod("cart")
	o.sees(time.Minute, `
		an EKS managed update is at work here: n1 drained, 1 to go
		0 replaced since 12:00, 0 of 2 current
		n1 settling settling 1m0s | drained by EKS
		n2 outdated | an EKS managed update will replace it: it takes no new pods
		12:03:00 node.drained n1: drained by EKS
`)
	o.cordon(1)
	o.sees(time.Second, `
		an EKS managed update is at work here: n1 drained, 1 to go
		0 replaced since 12:00, 0 of 2 current
		n1 settling settling 59s | drained by EKS
		n2 outdated | an EKS managed update will replace it: it takes no new pods
`)
}

// Several at once are each named with their own nodes, those who roll first.
func TestOthersAtOnce(t *testing.T) {
	o := look(t, 8)
	o.pod("cart", 1)
	o.taint(1, "karpenter.sh/disrupted", "", "NoSchedule")
	o.taint(2, "DeletionCandidateOfClusterAutoscaler", "1772366400", "PreferNoSchedule")
	o.cordon(3)
	for i := 4; i <= 8; i++ {
		o.taint(i, kopsTaint, "", "PreferNoSchedule")
	}
	o.sees(time.Hour, `
		kops rolling-update is at work here: 5 nodes
		Karpenter is at work here: n1
		the Cluster Autoscaler may act here: n2
		cordoned by a user, or by a tool that leaves no mark: n3
		0 replaced since 13:00, 0 of 8 current
		n1 outdated 1/1 | Karpenter will replace it, and drains it once the replacement is Ready: it takes no new pods
		n2 outdated | the Cluster Autoscaler finds it unneeded, and may remove it
		n3 outdated | was cordoned by an unknown user or tool: it takes no new pods
		n4 outdated | kops rolling-update will replace it: new pods avoid it
		n5 outdated | kops rolling-update will replace it: new pods avoid it
		n6 outdated | kops rolling-update will replace it: new pods avoid it
		n7 outdated | kops rolling-update will replace it: new pods avoid it
		n8 outdated | kops rolling-update will replace it: new pods avoid it
		12:00:00 node.tainted n2: the Cluster Autoscaler finds it unneeded, and may remove it (taint DeletionCandidateOfClusterAutoscaler=1772366400:PreferNoSchedule)
		12:00:00 node.cordoned n3: was cordoned by an unknown user or tool: it takes no new pods (cordoned)
		13:00:00 node.tainted n1: Karpenter will replace it, and drains it once the replacement is Ready: it takes no new pods (taint karpenter.sh/disrupted:NoSchedule)
		13:00:00 node.tainted : each of 5 nodes: kops rolling-update will replace it: new pods avoid it (taint kops.k8s.io/scheduled-for-update:PreferNoSchedule)
`)
	o.node(1, func(n *world.Node) { n.Deleted = o.now })
	o.sees(time.Minute, `
		Karpenter is at work here: n1 draining
		kops rolling-update is at work here: 5 nodes
		the Cluster Autoscaler may act here: n2
		cordoned by a user, or by a tool that leaves no mark: n3
		0 replaced since 13:00, 0 of 8 current
		n1 draining 1/1 | Karpenter is replacing it: drained first, then terminated
		n2 outdated | the Cluster Autoscaler finds it unneeded, and may remove it
		n3 outdated | was cordoned by an unknown user or tool: it takes no new pods
		n4 outdated | kops rolling-update will replace it: new pods avoid it
		n5 outdated | kops rolling-update will replace it: new pods avoid it
		n6 outdated | kops rolling-update will replace it: new pods avoid it
		n7 outdated | kops rolling-update will replace it: new pods avoid it
		n8 outdated | kops rolling-update will replace it: new pods avoid it
		13:01:00 node.draining n1: 1 pod to move: Karpenter is replacing it: drained first, then terminated (taint karpenter.sh/disrupted:NoSchedule)
`)
}

// A mark that our own last run has left behind is not taken for another user's.
func TestLeftBehind(t *testing.T) {
	o := look(t, 1)
	o.taint(1, eksTaint, "unschedulable", "NoSchedule")
	o.left = map[string][]record.Mark{"i-1": {{Put: record.TaintOf("i-1", "n1", world.Taint{Key: eksTaint, Value: "unschedulable", Effect: "NoSchedule"})}}}
	o.sees(0, `
		a run of Drainboard has left marks behind: n1
		0 replaced since 12:00, 0 of 1 current
		n1 outdated | carries a mark that our last run left
		12:00:00 node.tainted n1: carries a mark that our last run left (tainted eks.amazonaws.com/nodegroup=unschedulable:NoSchedule)
`)
}

// Who looks late at a drain by hand that hangs sees what holds it.
func TestAttachToADrainThatHangs(t *testing.T) {
	o := look(t, 1)
	o.pod("checkout", 1)
	o.budget("checkout", 0)
	o.w.SetPod(&world.Pod{UID: "bare", Namespace: "shop", Name: "bare", Node: "n1", Phase: world.PodRunning})
	o.w.SetPod(&world.Pod{UID: "agent", Namespace: "kube-system", Name: "agent", Node: "n1", Owner: world.Owner{Kind: "DaemonSet", UID: "ds"}})
	o.now = noon.Add(-time.Hour)
	o.cordon(1)
	o.now = noon
	o.sees(0, `
		drained by a user, or by a tool that leaves no mark: n1 draining
		0 replaced since 12:00, 0 of 1 current
		n1 draining 2/2 blocked | cordoned, all pods blocked: a drain may be waiting
		shop/bare on n1: has no controller: kubectl drain does not evict it without --force -> check how the drain was started, or delete the pod
		shop/checkout on n1: PDB shop/checkout allows 0 disruptions: 1 healthy, 1 required, so it never allows any -> scale checkout to 2, loosen minAvailable 1, or delete the pod
		11:00:00 node.draining n1: 2 pods to move: cordoned, all pods blocked: a drain may be waiting (cordoned)
`)
}
