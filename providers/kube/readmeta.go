package kube

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// words are the texts of a page, one copy of each that comes again and again:
// namespaces, nodes, the names of conditions and labels.
type words map[string]string

func (w words) of(b []byte) string {
	if known, ok := w[string(b)]; ok {
		return known
	}
	s := string(b)
	w[s] = s
	return s
}

// readMeta reads what is looked at of the metadata of pods and nodes.
func readMeta(b []byte, o *metav1.ObjectMeta, w words) error {
	m := message{rest: b}
	for m.next() {
		switch m.number {
		case 1:
			o.Name = string(m.value)
		case 3:
			o.Namespace = w.of(m.value)
		case 5:
			o.UID = types.UID(m.value)
		case 8:
			m.noting(o.CreationTimestamp.Unmarshal(m.value))
		case 9:
			o.DeletionTimestamp = &metav1.Time{}
			m.noting(o.DeletionTimestamp.Unmarshal(m.value))
		case 10:
			o.DeletionGracePeriodSeconds = seconds(m.varint)
		case 11:
			key, value, err := readPair(m.value)
			m.noting(err)
			if o.Labels == nil {
				o.Labels = map[string]string{}
			}
			o.Labels[w.of(key)] = w.of(value)
		case 12:
			key, value, err := readPair(m.value)
			m.noting(err)
			if name := w.of(key); looksAt(name) {
				if o.Annotations == nil {
					o.Annotations = map[string]string{}
				}
				o.Annotations[name] = string(value)
			}
		case 13:
			var owner metav1.OwnerReference
			m.noting(readOwner(m.value, &owner, w))
			o.OwnerReferences = append(o.OwnerReferences, owner)
		case 14:
			o.Finalizers = append(o.Finalizers, w.of(m.value))
		}
	}
	return m.err
}

// looksAt reports whether an annotation says that a pod is a mirror pod, or what other
// tools do with a node.
func looksAt(annotation string) bool {
	return annotation == corev1.MirrorPodAnnotationKey || tells(annotation)
}

func readOwner(b []byte, o *metav1.OwnerReference, w words) error {
	m := message{rest: b}
	for m.next() {
		switch m.number {
		case 1:
			o.Kind = w.of(m.value)
		case 3:
			o.Name = w.of(m.value)
		case 4:
			o.UID = types.UID(w.of(m.value))
		case 6:
			controller := m.varint != 0
			o.Controller = &controller
		}
	}
	return m.err
}

// readPair reads an entry of a map of texts.
func readPair(b []byte) (key, value []byte, err error) {
	m := message{rest: b}
	for m.next() {
		switch m.number {
		case 1:
			key = m.value
		case 2:
			value = m.value
		}
	}
	return key, value, m.err
}

func seconds(varint uint64) *int64 {
	s := int64(varint)
	return &s
}
