package kube

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// readNode reads what toNode looks at, as what slimNode leaves, into a node that may
// have held another: its lists are used again.
func readNode(b []byte, n *corev1.Node, w words) error {
	*n = corev1.Node{
		Spec:   corev1.NodeSpec{Taints: n.Spec.Taints[:0]},
		Status: corev1.NodeStatus{Conditions: n.Status.Conditions[:0]},
	}
	m := message{rest: b}
	for m.next() {
		switch m.number {
		case 1:
			m.noting(readMeta(m.value, &n.ObjectMeta, w))
		case 2:
			m.noting(readNodeSpec(m.value, &n.Spec, w))
		case 3:
			m.noting(readNodeStatus(m.value, &n.Status, w))
		}
	}
	return m.err
}

func readNodeSpec(b []byte, spec *corev1.NodeSpec, w words) error {
	m := message{rest: b}
	for m.next() {
		switch m.number {
		case 3:
			spec.ProviderID = string(m.value)
		case 4:
			spec.Unschedulable = m.varint != 0
		case 5:
			var t corev1.Taint
			m.noting(readTaint(m.value, &t, w))
			spec.Taints = append(spec.Taints, t)
		}
	}
	return m.err
}

func readTaint(b []byte, t *corev1.Taint, w words) error {
	m := message{rest: b}
	for m.next() {
		switch m.number {
		case 1:
			t.Key = w.of(m.value)
		case 2:
			t.Value = w.of(m.value)
		case 3:
			t.Effect = corev1.TaintEffect(w.of(m.value))
		case 4:
			t.TimeAdded = &metav1.Time{}
			m.noting(t.TimeAdded.Unmarshal(m.value))
		}
	}
	return m.err
}

func readNodeStatus(b []byte, s *corev1.NodeStatus, w words) error {
	const info, kubeletVersion = 7, 7
	m := message{rest: b}
	for m.next() {
		switch m.number {
		case 4:
			var c corev1.NodeCondition
			m.noting(readNodeCondition(m.value, &c, w))
			s.Conditions = append(s.Conditions, c)
		case info:
			m.noting(eachPart(m.value, kubeletVersion, func(b []byte) error {
				s.NodeInfo.KubeletVersion = w.of(b)
				return nil
			}))
		}
	}
	return m.err
}

func readNodeCondition(b []byte, c *corev1.NodeCondition, w words) error {
	m := message{rest: b}
	for m.next() {
		switch m.number {
		case 1:
			c.Type = corev1.NodeConditionType(w.of(m.value))
		case 2:
			c.Status = corev1.ConditionStatus(w.of(m.value))
		case 4:
			m.noting(c.LastTransitionTime.Unmarshal(m.value))
		case 5:
			c.Reason = w.of(m.value)
		case 6:
			c.Message = w.of(m.value)
		}
	}
	return m.err
}
