package lab

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/try"
	"github.com/drainboard/drainboard/lab/workload"
)

// WaitReady waits until the workloads in a namespace are as their owners want
// them: every replica Ready, jobs done, and budgets aware of it.
func (l *Lab) WaitReady(ctx context.Context, namespace string) error {
	ready, want := 0, 0
	err := try.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		var err error
		if ready, want, err = l.Ready(ctx, namespace); err != nil || ready < want {
			return false, try.IgnoreUnlessDone(ctx, err)
		}
		settled, err := l.budgetsSettled(ctx, namespace)
		return settled, try.IgnoreUnlessDone(ctx, err)
	})
	if err != nil {
		return fmt.Errorf("namespace %s has %d of %d pods ready: %w", namespace, ready, want, err)
	}
	return nil
}

// Ready counts the pods in a namespace that are Ready, or finished where that
// is their end, and those that should be.
func (l *Lab) Ready(ctx context.Context, namespace string) (ready, want int, err error) {
	deployments, err := l.client.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, 0, err
	}
	for _, d := range deployments.Items {
		want += int(*d.Spec.Replicas)
		ready += int(d.Status.ReadyReplicas)
	}
	sets, err := l.client.AppsV1().StatefulSets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, 0, err
	}
	for _, s := range sets.Items {
		want += int(*s.Spec.Replicas)
		ready += int(s.Status.ReadyReplicas)
	}
	daemons, err := l.client.AppsV1().DaemonSets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, 0, err
	}
	for _, d := range daemons.Items {
		if d.Status.ObservedGeneration < d.Generation {
			want++ // its own count is not known yet
		}
		want += int(d.Status.DesiredNumberScheduled)
		ready += int(d.Status.NumberReady)
	}
	jobs, err := l.client.BatchV1().Jobs(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, 0, err
	}
	for _, j := range jobs.Items {
		want += int(*j.Spec.Completions)
		ready += int(j.Status.Succeeded)
	}
	pods, err := l.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, 0, err
	}
	for i := range pods.Items {
		if pod := &pods.Items[i]; len(pod.OwnerReferences) == 0 {
			want++
			if podReady(pod) {
				ready++
			}
		}
	}
	return ready, want, nil
}

// budgetsSettled reports whether the disruption controller has counted, for
// every budget, the Ready pods that there are. Budgets that share a pod are not
// asked: the controller gives the pod to an arbitrary one of them, and the
// others may keep a count of long ago.
func (l *Lab) budgetsSettled(ctx context.Context, namespace string) (bool, error) {
	budgets, err := l.client.PolicyV1().PodDisruptionBudgets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	pods, err := l.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	healthy, shared := make([]int, len(budgets.Items)), make([]bool, len(budgets.Items))
	for p := range pods.Items {
		pod := &pods.Items[p]
		var selecting []int
		for b := range budgets.Items {
			selector, err := metav1.LabelSelectorAsSelector(budgets.Items[b].Spec.Selector)
			if err != nil {
				return false, err
			}
			if selector.Matches(labels.Set(pod.Labels)) {
				selecting = append(selecting, b)
			}
		}
		for _, b := range selecting {
			shared[b] = shared[b] || len(selecting) > 1
			if podReady(pod) {
				healthy[b]++
			}
		}
	}
	for b := range budgets.Items {
		status := &budgets.Items[b].Status
		counted := status.ObservedGeneration >= budgets.Items[b].Generation && int(status.CurrentHealthy) == healthy[b]
		if !counted && !shared[b] {
			return false, nil
		}
	}
	return true, nil
}

// WaitNodes waits until a group has exactly n nodes and all are Ready.
func (l *Lab) WaitNodes(ctx context.Context, group string, n int) error {
	have, ready := 0, 0
	interval := 100*time.Millisecond + time.Duration(n)*time.Millisecond // a list of many costs them time
	err := try.Until(ctx, interval, func() (bool, error) {
		nodes, err := l.Nodes(ctx, group)
		if err != nil {
			return false, try.IgnoreUnlessDone(ctx, err)
		}
		have, ready = len(nodes), 0
		for i := range nodes {
			if machines.NodeReady(&nodes[i]) {
				ready++
			}
		}
		return have == n && ready == n, nil
	})
	if err != nil {
		return fmt.Errorf("group %s has %d nodes, %d ready, not %d: %w", group, have, ready, n, err)
	}
	return nil
}

// Nodes lists the nodes of a group.
func (l *Lab) Nodes(ctx context.Context, group string) ([]corev1.Node, error) {
	nodes, err := l.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{
		LabelSelector: labels.SelectorFromSet(labels.Set{workload.GroupLabel: group}).String(),
	})
	if err != nil {
		return nil, err
	}
	return nodes.Items, nil
}

func podReady(pod *corev1.Pod) bool {
	if pod.DeletionTimestamp != nil {
		return false
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
