package world

import (
	"time"

	"k8s.io/apimachinery/pkg/labels"
)

// Taint is a node's taint.
type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect"`
}

// String is the form that kubectl taint takes: key=value:Effect.
func (t Taint) String() string {
	if t.Value == "" {
		return t.Key + ":" + t.Effect
	}
	return t.Key + "=" + t.Value + ":" + t.Effect
}

// Node is a Kubernetes node.
type Node struct {
	Name string
	// Machine is the cloud's id of the machine (the last part of the provider id).
	Machine string
	Zone    string
	// Version is the kubelet's version.
	Version       string
	Labels        map[string]string
	Taints        []Taint
	Unschedulable bool
	Ready         bool
	// NoNetwork: its condition NetworkUnavailable is on.
	NoNetwork bool
	// Trouble names the conditions that keep it from being Ready, or that warn
	// (DiskPressure and the like), as the kubelet words them.
	Trouble string
	// Unreachable is since when the kubelet has not been heard from (its Ready
	// condition is Unknown); zero while it is heard.
	Unreachable time.Time
	// Sick is since when it is not Ready, or its file system cannot be written to, as its
	// conditions say; zero while neither is so.
	Sick    time.Time
	Created time.Time
	// Joining is how long after its creation it has been Ready since, zero where it is not: the
	// time that its kubelet took, unless it ceased to be Ready in between.
	Joining time.Duration
	// Room is what it has for pods (its allocatable resources); zero where that is not known.
	Room Room
	// Deleted is when a client asked the API to delete the node; zero if none has.
	Deleted time.Time
	// Preserved is until when Gardener keeps the node's machine although it could go, as its
	// condition GardenerPreserved says; zero where it does not.
	Preserved time.Time

	// Tainted is since when taints are there, by key, for those that say it. Annotations
	// and Conditions are those that tell of others who move nodes (see Moves), and those
	// that make a node unhealthy (see HealthCondition). All are nil on most nodes.
	Tainted     map[string]time.Time
	Annotations map[string]string
	Conditions  []Condition
}

// Condition is a condition of a node. One that is neither On nor Off is unknown.
type Condition struct {
	Type, Reason string
	On, Off      bool
	Since        time.Time
}

// HasTaint reports whether the node carries exactly this taint.
func (n *Node) HasTaint(t Taint) bool {
	for _, have := range n.Taints {
		if have == t {
			return true
		}
	}
	return false
}

// OfAnother reports whether the node is known to be that of another machine.
func (n *Node) OfAnother(machine string) bool { return n.Machine != "" && n.Machine != machine }

// Owner is the controller of a pod.
type Owner struct {
	Kind, Name, UID string
}

// Pod phases, as the API has them.
const (
	PodPending   = "Pending"
	PodRunning   = "Running"
	PodSucceeded = "Succeeded"
	PodFailed    = "Failed"
	PodUnknown   = "Unknown"
)

// Pod is what draining needs to know of a pod; the spec is not kept.
type Pod struct {
	UID, Namespace, Name, Node string

	Owner   Owner
	Labels  map[string]string
	Phase   string
	Ready   bool
	Created time.Time
	// Starting is how long after it got its node it has been Ready since, zero where it is not:
	// the time that it took to start, unless it ceased to be Ready in between.
	Starting time.Duration
	// Ends is when the grace period of a pod that is being deleted runs out (its
	// deletionTimestamp); zero when nobody has asked it to go.
	Ends time.Time
	// Evicted: it goes because the eviction API was asked for it, by whomever (its condition
	// DisruptionTarget).
	Evicted bool
	// Grace is how long the pod is given to stop.
	Grace time.Duration
	// Mirror: the API's picture of a static pod, which only its node can remove.
	Mirror bool
	// EmptyDir: it keeps data in an emptyDir volume that goes with the pod.
	EmptyDir bool
	// Volume: it uses a persistent volume.
	Volume bool
	// ToleratesAll: it tolerates every taint, so it may be placed on a node that
	// is being drained.
	ToleratesAll bool
	Finalizers   []string
	// Unplaced is the scheduler's reason why a Pending pod has no node.
	Unplaced string
	// Crashing: a container waits in CrashLoopBackOff.
	Crashing bool
	// Unready are the names of its containers whose status is not ready, of a critical pod
	// only. One that its kubelet does not admit has no status of any container.
	Unready []string
	// Needs are what it asks of its node, nil for nothing, or where that is not known. Pods that
	// ask for the same share them.
	Needs *Needs
	// Critical is ClusterCritical or NodeCritical, "" for a pod that its cluster can do
	// without.
	Critical string
}

// Priority classes of the pods that a cluster cannot do without: they have to be ready
// for it to be valid.
const (
	ClusterCritical = "system-cluster-critical"
	NodeCritical    = "system-node-critical"
)

// Ref is "namespace/name".
func (p *Pod) Ref() string { return p.Namespace + "/" + p.Name }

// Terminating reports whether the pod has been asked to go.
func (p *Pod) Terminating() bool { return !p.Ends.IsZero() }

// Finished reports whether the pod has run to its end.
func (p *Pod) Finished() bool { return p.Phase == PodSucceeded || p.Phase == PodFailed }

// Budget is a PodDisruptionBudget with what its controller last wrote.
type Budget struct {
	Namespace, Name string
	Selector        labels.Selector
	// Expression is the rule as written: "minAvailable 3", "maxUnavailable 10%".
	Expression string
	// Allowed is how many more pods may be disrupted now.
	Allowed int
	// Healthy, Desired and Expected are the pods that are healthy, that must be,
	// and that the budget counts on in all.
	Healthy, Desired, Expected int
	// AlwaysAllow: unhealthy pods may always be evicted (unhealthyPodEvictionPolicy).
	AlwaysAllow bool
	// Current: the controller has seen the budget's newest rule.
	Current bool
	// Since is when it began, or ceased, to allow evictions; zero if unknown.
	Since time.Time
}

// Ref is "namespace/name".
func (b *Budget) Ref() string { return b.Namespace + "/" + b.Name }

// Misconfigured reports whether machine-controller-manager takes the budget for one that
// never allows an eviction: all its pods are healthy, and it allows none (its
// pkg/util/provider/drain).
func (b *Budget) Misconfigured() bool {
	return b.Current && b.Expected > 0 && b.Healthy >= b.Expected && b.Allowed == 0
}

// Covers reports whether the budget protects a pod.
func (b *Budget) Covers(p *Pod) bool {
	return b.Namespace == p.Namespace && b.Selector != nil && b.Selector.Matches(labels.Set(p.Labels))
}
