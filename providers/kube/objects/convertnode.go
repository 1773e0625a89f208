package objects

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/drainboard/drainboard/engine/world"
)

// oldZoneLabel is the zone label before Kubernetes 1.17; some clusters still
// carry only this one.
const oldZoneLabel = "failure-domain.beta.kubernetes.io/zone"

func ToNode(n *corev1.Node) *world.Node { return NodeOf(NodeDecoder.Pick(n)) }

// NodeOf copies what it takes of lists: they are used again for the next node.
func NodeOf(n *NodeFields) *world.Node {
	o := &n.ObjectMeta
	out := &world.Node{
		Name:          o.Name,
		Machine:       MachineOf(o.Labels, n.Spec.ProviderID),
		Zone:          o.Labels[corev1.LabelTopologyZone],
		Version:       n.Status.NodeInfo.KubeletVersion,
		Labels:        o.Labels,
		Unschedulable: n.Spec.Unschedulable,
		Created:       o.CreationTimestamp.Time,
		Room:          n.Status.Allocatable.room(),
	}
	if out.Zone == "" {
		out.Zone = o.Labels[oldZoneLabel]
	}
	for _, t := range n.Spec.Taints {
		out.Taints = append(out.Taints, world.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)})
		if t.TimeAdded != nil {
			if out.Tainted == nil {
				out.Tainted = map[string]time.Time{}
			}
			out.Tainted[t.Key] = t.TimeAdded.Time
		}
	}
	out.Annotations = telling(o.Annotations)
	for _, c := range n.Status.Conditions {
		sick := world.HealthCondition(string(c.Type)) && c.Status != corev1.ConditionFalse
		if sick || world.TellingCondition(string(c.Type)) {
			out.Conditions = append(out.Conditions, world.Condition{
				Type: string(c.Type), Reason: c.Reason, Since: c.LastTransitionTime.Time,
				On: c.Status == corev1.ConditionTrue, Off: c.Status == corev1.ConditionFalse,
			})
		}
	}
	if o.DeletionTimestamp != nil {
		out.Deleted = o.DeletionTimestamp.Time
	}
	out.Ready, out.Trouble = nodeHealth(n.Status.Conditions)
	out.NoNetwork = slices.ContainsFunc(n.Status.Conditions, func(c nodeConditionFields) bool {
		return c.Type == corev1.NodeNetworkUnavailable && c.Status == corev1.ConditionTrue
	})
	if out.Ready {
		out.Joining = between(out.Created, heardSince(n.Status.Conditions))
	}
	out.Preserved = preserved(n.Status.Conditions)
	out.Unreachable, out.Sick = unheard(n.Status.Conditions), sick(n.Status.Conditions)
	return out
}

// telling are the annotations that tell of others who move nodes, and the one that we
// put, nil without any.
func telling(all map[string]string) map[string]string { return those(all, tells) }

// those are the entries with such keys, nil without any.
func those(all map[string]string, such func(key string) bool) (out map[string]string) {
	for key, value := range all {
		if such(key) {
			if out == nil {
				out = map[string]string{}
			}
			out[key] = value
		}
	}
	return out
}

// tells reports whether an annotation of a node tells of others who move nodes, or is the
// one that we put.
func tells(annotation string) bool {
	return world.Telling(annotation) || annotation == world.KeepFromScaleDown
}

// unheard is since when the node's kubelet has not been heard from, zero while it
// is: the control plane sets the Ready condition to Unknown some 40 s after the
// last sign of life, not the kubelet itself.
func unheard(conditions []nodeConditionFields) time.Time {
	for _, c := range conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionUnknown {
			return c.LastTransitionTime.Time
		}
	}
	return time.Time{}
}

// heardSince is since when the node's condition Ready is as it is, zero without one.
func heardSince(conditions []nodeConditionFields) (since time.Time) {
	for _, c := range conditions {
		if c.Type == corev1.NodeReady {
			since = c.LastTransitionTime.Time
		}
	}
	return since
}

// sick is since when a node is not Ready, or its file system cannot be written to (a
// condition of the node problem detector), zero while neither is so.
func sick(conditions []nodeConditionFields) (since time.Time) {
	for _, c := range conditions {
		ill := c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue || c.Type == "ReadonlyFilesystem" && c.Status != corev1.ConditionFalse
		if at := c.LastTransitionTime.Time; ill && (since.IsZero() || at.Before(since)) {
			since = at
		}
	}
	return since
}

// preserved is until when Gardener keeps the node's machine, zero where it does not: its
// condition says so in words, "Machine preserved until 2026-03-05 12:00:00 +0000 UTC."
// (machine-controller-manager pkg/util/provider/machinecontroller,
// computeNewNodePreservedCondition).
func preserved(conditions []nodeConditionFields) time.Time {
	const form, before = "2006-01-02 15:04:05 -0700", "preserved until "
	for _, c := range conditions {
		_, until, says := strings.Cut(c.Message, before)
		if c.Type != world.GardenerPreserved || !says {
			continue
		}
		until = until[:min(len(until), len(form))]
		if t, err := time.Parse(form, until); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// machineName is put on a node by machine-controller-manager, with its Machine's name
// (pkg/util/provider/machineutils, MachineLabelKey).
const machineName = "node.gardener.cloud/machine-name"

// MachineOf is the last part of a provider id: "i-0abc" of
// "aws:///eu-west-1a/i-0abc"; "" as long as the cloud has not named the machine. What
// machine-controller-manager made is known by the name of its Machine, which it has before
// there is anything in the cloud.
func MachineOf(labels map[string]string, providerID string) string {
	if name := labels[machineName]; name != "" {
		return name
	}
	return providerID[strings.LastIndexByte(providerID, '/')+1:]
}

// nodeHealth is whether a node is Ready, and what is wrong with it: why it is
// not Ready, and every other condition that is on, which all are warnings but those
// that say what becomes of the node, or that a part of it is fine.
func nodeHealth(conditions []nodeConditionFields) (ready bool, trouble string) {
	var all []string
	known := false
	for _, c := range conditions {
		switch {
		case c.Type == corev1.NodeReady:
			known = true
			ready = c.Status == corev1.ConditionTrue
			if !ready {
				all = append(all, condition("not ready", c))
			}
		case world.TellingCondition(string(c.Type)):
		case c.Status == corev1.ConditionTrue:
			all = append(all, condition(string(c.Type), c))
		}
	}
	if !known {
		all = append(all, "not ready: its kubelet has not reported yet")
	}
	return ready, strings.Join(all, "; ")
}

func condition(name string, c nodeConditionFields) string {
	switch {
	case c.Message != "":
		return name + ": " + Sentence(c.Message)
	case c.Reason != "":
		return name + ": " + Sentence(c.Reason)
	}
	return name
}
