package kube

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// readPod reads what toPod looks at, as what slimPod leaves, into a pod that may have
// held another: its lists are used again.
func readPod(b []byte, p *corev1.Pod, w words) error {
	*p = corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{OwnerReferences: p.OwnerReferences[:0], Finalizers: p.Finalizers[:0]},
		Spec:       corev1.PodSpec{Volumes: p.Spec.Volumes[:0], Tolerations: p.Spec.Tolerations[:0]},
		Status: corev1.PodStatus{
			Conditions:        p.Status.Conditions[:0],
			ContainerStatuses: p.Status.ContainerStatuses[:0], InitContainerStatuses: p.Status.InitContainerStatuses[:0],
		},
	}
	m := message{rest: b}
	for m.next() {
		switch m.number {
		case 1:
			m.noting(readMeta(m.value, &p.ObjectMeta, w))
		case 2:
			m.noting(readPodSpec(m.value, &p.Spec, w))
		case 3:
			m.noting(readPodStatus(m.value, &p.Status, w))
		}
	}
	return m.err
}

func readPodSpec(b []byte, spec *corev1.PodSpec, w words) error {
	m := message{rest: b}
	for m.next() {
		switch m.number {
		case 1:
			var v corev1.Volume
			m.noting(readVolume(m.value, &v.VolumeSource))
			if v.VolumeSource != (corev1.VolumeSource{}) {
				spec.Volumes = append(spec.Volumes, v)
			}
		case 4:
			spec.TerminationGracePeriodSeconds = seconds(m.varint)
		case 10:
			spec.NodeName = w.of(m.value)
		case 22:
			var t corev1.Toleration
			m.noting(readToleration(m.value, &t, w))
			spec.Tolerations = append(spec.Tolerations, t)
		}
	}
	return m.err
}

// readVolume reads what a volume's source is, as far as it is told apart.
func readVolume(b []byte, v *corev1.VolumeSource) error {
	const source, emptyDir, claim, ephemeral = 2, 2, 10, 29
	return eachPart(b, source, func(b []byte) error {
		m := message{rest: b}
		for m.next() {
			switch m.number {
			case emptyDir:
				v.EmptyDir = &corev1.EmptyDirVolumeSource{}
			case claim:
				v.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{}
			case ephemeral:
				v.Ephemeral = &corev1.EphemeralVolumeSource{}
			}
		}
		return m.err
	})
}

func readToleration(b []byte, t *corev1.Toleration, w words) error {
	m := message{rest: b}
	for m.next() {
		switch m.number {
		case 1:
			t.Key = w.of(m.value)
		case 2:
			t.Operator = corev1.TolerationOperator(w.of(m.value))
		case 4:
			t.Effect = corev1.TaintEffect(w.of(m.value))
		}
	}
	return m.err
}

func readPodStatus(b []byte, s *corev1.PodStatus, w words) error {
	m := message{rest: b}
	for m.next() {
		switch m.number {
		case 1:
			s.Phase = corev1.PodPhase(w.of(m.value))
		case 2:
			var c corev1.PodCondition
			m.noting(readPodCondition(m.value, &c, w))
			s.Conditions = append(s.Conditions, c)
		case 8:
			var c corev1.ContainerStatus
			m.noting(readContainer(m.value, &c, w))
			s.ContainerStatuses = append(s.ContainerStatuses, c)
		case 10:
			var c corev1.ContainerStatus
			m.noting(readContainer(m.value, &c, w))
			s.InitContainerStatuses = append(s.InitContainerStatuses, c)
		}
	}
	return m.err
}

func readPodCondition(b []byte, c *corev1.PodCondition, w words) error {
	m := message{rest: b}
	for m.next() {
		switch m.number {
		case 1:
			c.Type = corev1.PodConditionType(w.of(m.value))
		case 2:
			c.Status = corev1.ConditionStatus(w.of(m.value))
		case 5:
			c.Reason = w.of(m.value)
		case 6:
			c.Message = w.of(m.value)
		}
	}
	return m.err
}

// readContainer reads why a container waits.
func readContainer(b []byte, c *corev1.ContainerStatus, w words) error {
	const state, waiting, reason = 2, 1, 1
	return eachPart(b, state, func(b []byte) error {
		return eachPart(b, waiting, func(b []byte) error {
			if c.State.Waiting == nil {
				c.State.Waiting = &corev1.ContainerStateWaiting{}
			}
			return eachPart(b, reason, func(b []byte) error {
				c.State.Waiting.Reason = w.of(b)
				return nil
			})
		})
	})
}
