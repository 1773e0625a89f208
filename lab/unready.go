package lab

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	"github.com/drainboard/drainboard/lab/kwok"
	"github.com/drainboard/drainboard/lab/try"
)

// Unready makes the pods of a namespace whose names begin so not ready, as if their
// probes failed, until ReadyAgain. Pods that come later are well.
func (l *Lab) Unready(ctx context.Context, namespace, prefix string) error {
	pods, err := l.podsNamed(ctx, namespace, prefix)
	if err == nil && len(pods) == 0 {
		err = fmt.Errorf("no pod in namespace %s has a name that begins with %s", namespace, prefix)
	}
	for _, pod := range pods {
		if err == nil {
			err = l.annotatePod(ctx, pod, `"true"`) // before the kubelet would see a reason to mend it
		}
		if err == nil {
			err = l.setReady(ctx, pod, false)
		}
	}
	if err != nil {
		return fmt.Errorf("make pods unready: %w", err)
	}
	return nil
}

// ReadyAgain ends what Unready made, of the pods that are there still.
func (l *Lab) ReadyAgain(ctx context.Context, namespace, prefix string) error {
	pods, err := l.podsNamed(ctx, namespace, prefix)
	for _, pod := range pods {
		if pod.Annotations[kwok.Unready] == "" {
			continue
		}
		if err == nil {
			err = l.annotatePod(ctx, pod, "null")
		}
		if err == nil {
			err = l.setReady(ctx, pod, true)
		}
	}
	if err != nil {
		return fmt.Errorf("make pods ready again: %w", err)
	}
	return nil
}

// CrashLoop makes the pods of a namespace whose names begin so crash-loop, until ReadyAgain. Pods that come later are
// well.
func (l *Lab) CrashLoop(ctx context.Context, namespace, prefix string) error {
	if err := l.Unready(ctx, namespace, prefix); err != nil {
		return err
	}
	pods, err := l.podsNamed(ctx, namespace, prefix)
	for _, pod := range pods {
		if err == nil {
			err = l.setStatus(ctx, pod, crashes)
		}
	}
	if err != nil {
		return fmt.Errorf("make pods crash: %w", err)
	}
	return nil
}

// crashes is the status of a pod whose containers have ended four times, and wait to be started again.
func crashes(now *corev1.PodStatus) {
	for i := range now.ContainerStatuses {
		c := &now.ContainerStatuses[i]
		off := false
		c.Started, c.RestartCount = &off, 4
		c.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
			Reason: "CrashLoopBackOff", Message: "back-off 1m20s restarting failed container=" + c.Name,
		}}
		c.LastTerminationState = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 2, Reason: "Error", StartedAt: metav1.Now(), FinishedAt: metav1.Now(),
		}}
	}
}

func (l *Lab) podsNamed(ctx context.Context, namespace, prefix string) ([]*corev1.Pod, error) {
	list, err := l.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var pods []*corev1.Pod
	for i := range list.Items {
		if strings.HasPrefix(list.Items[i].Name, prefix) && list.Items[i].DeletionTimestamp == nil {
			pods = append(pods, &list.Items[i])
		}
	}
	return pods, nil
}

func (l *Lab) annotatePod(ctx context.Context, pod *corev1.Pod, value string) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%s}}}`, kwok.Unready, value)
	_, err := l.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return try.IgnoreGone(err)
}

// setReady writes what the kubelet would say of a pod and its containers.
func (l *Lab) setReady(ctx context.Context, pod *corev1.Pod, ready bool) error {
	status, reason := corev1.ConditionTrue, ""
	if !ready {
		status, reason = corev1.ConditionFalse, "ContainersNotReady"
	}
	return l.setStatus(ctx, pod, func(now *corev1.PodStatus) {
		for i := range now.Conditions {
			if c := &now.Conditions[i]; c.Type == corev1.PodReady || c.Type == corev1.ContainersReady {
				c.Status, c.Reason, c.LastTransitionTime = status, reason, metav1.Now()
			}
		}
		for i := range now.ContainerStatuses {
			c := &now.ContainerStatuses[i]
			if c.Ready = ready; ready && c.State.Waiting != nil {
				c.Started, c.State = &ready, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}
			}
		}
	})
}

// setStatus changes what is said of a pod, as its kubelet would.
func (l *Lab) setStatus(ctx context.Context, pod *corev1.Pod, change func(*corev1.PodStatus)) error {
	api := l.client.CoreV1().Pods(pod.Namespace)
	return try.IgnoreGone(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		now, err := api.Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(&now.Status)
		_, err = api.UpdateStatus(ctx, now, metav1.UpdateOptions{})
		return err
	}))
}

// UnreadyNode makes a node NotReady at once, until ReadyNode: its kubelet shows signs
// of life, and says that something is wrong. See Silence for one that shows none.
func (l *Lab) UnreadyNode(ctx context.Context, node string) error {
	return l.UnreadyNodeSince(ctx, node, time.Now())
}

// UnreadyNodeSince is UnreadyNode for a node that says that it is so for a while already.
func (l *Lab) UnreadyNodeSince(ctx context.Context, node string, since time.Time) error {
	err := l.annotateNode(ctx, node, "never")
	if err == nil {
		patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":"False","lastTransitionTime":%q,"reason":"KubeletNotReady","message":"container runtime is down"}]}}`,
			since.UTC().Format(time.RFC3339))
		_, err = l.client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	}
	if err != nil {
		return fmt.Errorf("make node %s unready: %w", node, err)
	}
	return nil
}

// ReadyNode makes a node Ready that UnreadyNode has made NotReady; one that is gone
// meanwhile is no mistake.
func (l *Lab) ReadyNode(ctx context.Context, node string) error {
	if err := try.IgnoreGone(l.annotateNode(ctx, node, l.options.Times.Ready.String())); err != nil {
		return fmt.Errorf("make node %s ready: %w", node, err)
	}
	return nil
}

func (l *Lab) annotateNode(ctx context.Context, node, ready string) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, kwok.ReadyAfter, ready)
	_, err := l.client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}
