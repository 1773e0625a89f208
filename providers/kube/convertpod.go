package kube

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/world"
)

// slimPod is a pod with only what toPod reads, so that lists do not hold on to
// whole specs.
func slimPod(p *corev1.Pod) *corev1.Pod {
	out := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Namespace, Name: p.Name, UID: p.UID, ResourceVersion: p.ResourceVersion,
			Labels: p.Labels, OwnerReferences: p.OwnerReferences, Finalizers: p.Finalizers,
			CreationTimestamp: p.CreationTimestamp, DeletionTimestamp: p.DeletionTimestamp,
			DeletionGracePeriodSeconds: p.DeletionGracePeriodSeconds,
		},
		Spec: corev1.PodSpec{
			NodeName:                      p.Spec.NodeName,
			Tolerations:                   p.Spec.Tolerations,
			TerminationGracePeriodSeconds: p.Spec.TerminationGracePeriodSeconds,
			PriorityClassName:             critical(p),
		},
		Status: corev1.PodStatus{
			Phase: p.Status.Phase, Conditions: p.Status.Conditions,
			ContainerStatuses: p.Status.ContainerStatuses, InitContainerStatuses: p.Status.InitContainerStatuses,
		},
	}
	if mirror, ok := p.Annotations[corev1.MirrorPodAnnotationKey]; ok {
		out.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: mirror}
	}
	for _, v := range p.Spec.Volumes {
		if v.EmptyDir != nil || v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
			out.Spec.Volumes = append(out.Spec.Volumes, v)
		}
	}
	return out
}

func toPod(p *corev1.Pod) *world.Pod {
	out := &world.Pod{
		UID: string(p.UID), Namespace: p.Namespace, Name: p.Name, Node: p.Spec.NodeName,
		Labels:  p.Labels,
		Phase:   string(p.Status.Phase),
		Created: p.CreationTimestamp.Time,
		Grace:   graceOf(p), Critical: critical(p),
	}
	if p.DeletionTimestamp != nil {
		out.Ends = p.DeletionTimestamp.Time
	}
	if owner := metav1.GetControllerOfNoCopy(p); owner != nil {
		out.Owner = world.Owner{Kind: owner.Kind, Name: owner.Name, UID: string(owner.UID)}
	}
	_, out.Mirror = p.Annotations[corev1.MirrorPodAnnotationKey]
	out.Finalizers = append(out.Finalizers, p.Finalizers...)
	for _, v := range p.Spec.Volumes {
		out.EmptyDir = out.EmptyDir || v.EmptyDir != nil
		out.Volume = out.Volume || v.PersistentVolumeClaim != nil || v.Ephemeral != nil
	}
	for _, t := range p.Spec.Tolerations {
		out.ToleratesAll = out.ToleratesAll || t.Operator == corev1.TolerationOpExists && t.Key == "" && t.Effect == ""
	}
	for _, c := range p.Status.Conditions {
		switch {
		case c.Type == corev1.PodReady:
			out.Ready = c.Status == corev1.ConditionTrue
		case c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && p.Spec.NodeName == "":
			out.Unplaced = sentence(whyUnplaced(c.Message))
			if out.Unplaced == "" {
				out.Unplaced = sentence(c.Reason)
			}
		}
	}
	out.Crashing = crashing(p.Status.InitContainerStatuses) || crashing(p.Status.ContainerStatuses)
	return out
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
func graceOf(p *corev1.Pod) time.Duration {
	seconds := int64(corev1.DefaultTerminationGracePeriodSeconds)
	switch {
	case p.DeletionTimestamp != nil && p.DeletionGracePeriodSeconds != nil:
		seconds = *p.DeletionGracePeriodSeconds
	case p.Spec.TerminationGracePeriodSeconds != nil:
		seconds = *p.Spec.TerminationGracePeriodSeconds
	}
	return time.Duration(seconds) * time.Second
}

// critical is the pod's priority class where its cluster cannot do without it, "" else.
func critical(p *corev1.Pod) string {
	for _, class := range []string{world.ClusterCritical, world.NodeCritical} {
		if p.Spec.PriorityClassName == class {
			return class // a constant: no pod holds on to one of its own
		}
	}
	return ""
}

func crashing(containers []corev1.ContainerStatus) bool {
	for _, c := range containers {
		if c.State.Waiting != nil && c.State.Waiting.Reason == "CrashLoopBackOff" {
			return true
		}
	}
	return false
}
