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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/drainboard/drainboard/lab/try"
	"github.com/drainboard/drainboard/lab/workload"
)

// Deploy creates workloads of the catalog by name (see workload.Names); none means
// all. It returns when they are created; WaitReady waits for their pods.
func (l *Lab) Deploy(ctx context.Context, p workload.Place, names ...string) error {
	if len(names) == 0 {
		names = workload.Names()
	}
	for _, name := range names {
		objects, err := p.Objects(name)
		if err != nil {
			return err
		}
		if err := l.Apply(ctx, objects...); err != nil {
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
	return try.Until(ctx, 20*time.Millisecond, func() (bool, error) {
		_, err := accounts.Get(ctx, "default", metav1.GetOptions{})
		return err == nil, nil
	})
}
