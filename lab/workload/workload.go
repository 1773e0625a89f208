// Package workload is what runs on a lab: pods, owners and budgets of a namespace and a group of
// nodes, and a catalog of workloads that make a drain interesting. It makes the objects; the lab
// creates them.
package workload

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// GroupLabel is a label of every node: the name of its Auto Scaling group.
// Workloads select nodes by it, so that groups live side by side in one lab.
const GroupLabel = "lab.drainboard.dev/group"

// A Place is where a workload goes: a namespace, and the group whose nodes its
// pods run on. Places differ in the namespace.
type Place struct {
	Namespace string
	Group     string
}

// appLabel marks the pods of one workload.
const appLabel = "app"

// PodTemplate is a pod of one pause container with small requests, bound to the
// place's group, labelled app=NAME. Nothing is run: KWOK only says so.
func (p Place) PodTemplate(name string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{appLabel: name}, Annotations: map[string]string{}},
		Spec: corev1.PodSpec{
			NodeSelector: map[string]string{GroupLabel: p.Group},
			Containers: []corev1.Container{{
				Name: "main", Image: "pause:3.10",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("50m"), corev1.ResourceMemory: resource.MustParse("32Mi"),
				}},
			}},
		},
	}
}

// Deployment is a deployment of PodTemplate pods. Change it before Apply.
func (p Place) Deployment(name string, replicas int) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: p.meta(name),
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(replicas)),
			Selector: Selector(name),
			Template: p.PodTemplate(name),
		},
	}
}

// MaxUnavailable is a budget for the pods app=NAME that lets n be away.
func (p Place) MaxUnavailable(name string, n int) *policyv1.PodDisruptionBudget {
	budget := p.budget(name)
	budget.Spec.MaxUnavailable = new(intstr.FromInt(n))
	return budget
}

// MinAvailable is a budget for the pods app=NAME that wants n to be there.
func (p Place) MinAvailable(name string, n int) *policyv1.PodDisruptionBudget {
	budget := p.budget(name)
	budget.Spec.MinAvailable = new(intstr.FromInt(n))
	return budget
}

func (p Place) budget(name string) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: p.meta(name), Spec: policyv1.PodDisruptionBudgetSpec{Selector: Selector(name)},
	}
}

func (p Place) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: p.Namespace}
}

// Selector selects the pods app=NAME.
func Selector(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{appLabel: name}}
}
