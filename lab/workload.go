package lab

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

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
			Selector: selector(name),
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
		ObjectMeta: p.meta(name), Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector(name)},
	}
}

func (p Place) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: p.Namespace}
}

func selector(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{appLabel: name}}
}

// Deploy creates workloads of the catalog by name (see Workloads); none means
// all. It returns when they are created; WaitReady waits for their pods.
func (l *Lab) Deploy(ctx context.Context, p Place, names ...string) error {
	if len(names) == 0 {
		names = Workloads()
	}
	for _, name := range names {
		objects, ok := catalog[name]
		if !ok {
			return fmt.Errorf("no workload %q; there are %v", name, Workloads())
		}
		if err := l.Apply(ctx, objects(p)...); err != nil {
			return fmt.Errorf("deploy %s: %w", name, err)
		}
	}
	return nil
}

// Apply creates objects, and the namespaces they are in.
func (l *Lab) Apply(ctx context.Context, objects ...runtime.Object) error {
	for _, object := range objects {
		if err := l.ensureNamespace(ctx, object.(metav1.Object).GetNamespace()); err != nil {
			return err
		}
		if err := l.create(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

func (l *Lab) create(ctx context.Context, object runtime.Object) error {
	var err error
	switch o := object.(type) {
	case *appsv1.Deployment:
		_, err = l.client.AppsV1().Deployments(o.Namespace).Create(ctx, o, metav1.CreateOptions{})
	case *appsv1.StatefulSet:
		_, err = l.client.AppsV1().StatefulSets(o.Namespace).Create(ctx, o, metav1.CreateOptions{})
	case *appsv1.DaemonSet:
		_, err = l.client.AppsV1().DaemonSets(o.Namespace).Create(ctx, o, metav1.CreateOptions{})
	case *batchv1.Job:
		_, err = l.client.BatchV1().Jobs(o.Namespace).Create(ctx, o, metav1.CreateOptions{})
	case *corev1.Pod:
		_, err = l.client.CoreV1().Pods(o.Namespace).Create(ctx, o, metav1.CreateOptions{})
	case *policyv1.PodDisruptionBudget:
		_, err = l.client.PolicyV1().PodDisruptionBudgets(o.Namespace).Create(ctx, o, metav1.CreateOptions{})
	default:
		err = fmt.Errorf("the lab cannot create a %T", object)
	}
	return err
}

// ensureNamespace makes a namespace, if need be, and waits until pods can be
// created in it.
func (l *Lab) ensureNamespace(ctx context.Context, name string) error {
	accounts := l.client.CoreV1().ServiceAccounts(name)
	if _, err := accounts.Get(ctx, "default", metav1.GetOptions{}); err == nil {
		return nil
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := l.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return poll(ctx, 20*time.Millisecond, func() (bool, error) {
		_, err := accounts.Get(ctx, "default", metav1.GetOptions{})
		return err == nil, nil
	})
}
