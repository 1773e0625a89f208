package objects

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/drainboard/drainboard/engine/world"
)

// ByEviction is the reason of the condition DisruptionTarget of a pod that the eviction API
// was asked for (k8s.io/kubernetes pkg/registry/core/pod/storage/eviction.go).
const ByEviction = "EvictionByEvictionAPI"

func ToPod(p *corev1.Pod) *world.Pod { return PodOf(PodDecoder.Pick(p)) }

// PodOf copies what it takes of lists: they are used again for the next pod.
func PodOf(p *PodFields) *world.Pod {
	o := &p.ObjectMeta
	out := &world.Pod{
		UID: string(o.UID), Namespace: o.Namespace, Name: o.Name, Node: p.Spec.NodeName,
		Owner:   controllerOf(o),
		Labels:  o.Labels,
		Phase:   string(p.Status.Phase),
		Created: o.CreationTimestamp.Time,
		Grace:   graceOf(p), Critical: critical(p), Needs: needsOf(p),
	}
	if o.DeletionTimestamp != nil {
		out.Ends = o.DeletionTimestamp.Time
	}
	_, out.Mirror = o.Annotations[corev1.MirrorPodAnnotationKey]
	out.Finalizers = append(out.Finalizers, o.Finalizers...)
	for _, v := range p.Spec.Volumes {
		out.EmptyDir = out.EmptyDir || v.VolumeSource.EmptyDir != nil
		out.Volume = out.Volume || v.VolumeSource.PersistentVolumeClaim != nil || v.VolumeSource.Ephemeral != nil
	}
	for _, t := range p.Spec.Tolerations {
		out.ToleratesAll = out.ToleratesAll || t.Operator == corev1.TolerationOpExists && t.Key == "" && t.Effect == ""
	}
	var placed, ready time.Time
	for _, c := range p.Status.Conditions {
		switch {
		case c.Type == corev1.DisruptionTarget:
			out.Evicted = c.Status == corev1.ConditionTrue && c.Reason == ByEviction
		case c.Type == corev1.PodReady:
			if out.Ready = c.Status == corev1.ConditionTrue; out.Ready {
				ready = c.LastTransitionTime.Time
			}
		case c.Type == corev1.PodScheduled && c.Status == corev1.ConditionTrue:
			placed = c.LastTransitionTime.Time
		case c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && p.Spec.NodeName == "":
			out.Unplaced = Sentence(whyUnplaced(c.Message))
			if out.Unplaced == "" {
				out.Unplaced = Sentence(c.Reason)
			}
		}
	}
	out.Starting = between(placed, ready)
	if out.Critical != "" {
		out.Unready = unready(p.Status.ContainerStatuses)
	}
	out.Crashing = crashing(p.Status.InitContainerStatuses) || crashing(p.Status.ContainerStatuses)
	return out
}

// between is how long after one moment another one was, zero if one of them is not known.
func between(from, to time.Time) time.Duration {
	if from.IsZero() || to.IsZero() {
		return 0
	}
	return max(0, to.Sub(from))
}

// controllerOf is the owner that is a pod's controller.
func controllerOf(o *ObjectFields) world.Owner {
	for _, owner := range o.OwnerReferences {
		if owner.Controller != nil && *owner.Controller {
			return world.Owner{Kind: owner.Kind, Name: owner.Name, UID: string(owner.UID)}
		}
	}
	return world.Owner{}
}

// whyUnplaced is the scheduler's reason without what it adds on preemption and on
// resource claims (pkg/scheduler/framework/types.go, FitError.Error).
func whyUnplaced(message string) string {
	why, _, _ := strings.Cut(message, " no new claims to deallocate")
	why, _, _ = strings.Cut(why, " preemption: ")
	return why
}

// graceOf is how long the pod is given to stop: what was settled when it was
// asked to go, otherwise what its spec says (30 s where it says nothing).
func graceOf(p *PodFields) time.Duration {
	seconds := int64(corev1.DefaultTerminationGracePeriodSeconds)
	switch o := &p.ObjectMeta; {
	case o.DeletionTimestamp != nil && o.DeletionGracePeriodSeconds != nil:
		seconds = *o.DeletionGracePeriodSeconds
	case p.Spec.TerminationGracePeriodSeconds != nil:
		seconds = *p.Spec.TerminationGracePeriodSeconds
	}
	return time.Duration(seconds) * time.Second
}

// critical is the pod's priority class where its cluster cannot do without it, "" else.
func critical(p *PodFields) string {
	for _, class := range []string{world.ClusterCritical, world.NodeCritical} {
		if p.Spec.PriorityClassName == class {
			return class // a constant: no pod holds on to one of its own
		}
	}
	return ""
}

// unready are the names of the containers whose status is not ready.
func unready(containers []containerFields) (names []string) {
	for _, c := range containers {
		if !c.Ready {
			names = append(names, c.Name)
		}
	}
	return names
}

func crashing(containers []containerFields) bool {
	for _, c := range containers {
		if c.State.Waiting != nil && c.State.Waiting.Reason == "CrashLoopBackOff" {
			return true
		}
	}
	return false
}
