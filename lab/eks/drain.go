package eks

import (
	"context"
	"encoding/json"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	apitypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/try"
)

// The marks of old nodes.
const (
	oldTaint       = "eks.amazonaws.com/nodegroup"
	oldTaintValue  = "unschedulable"
	noLoadBalancer = "node.kubernetes.io/exclude-from-external-load-balancers"
)

// grant gives the service's user what a cluster of the real service gives it.
func grant(ctx context.Context, kube kubernetes.Interface) error {
	meta := metav1.ObjectMeta{Name: ServiceUser}
	role := &rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list", "watch", "delete"}},
		{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get", "list", "watch", "patch"}},
		{APIGroups: []string{""}, Resources: []string{"pods/eviction"}, Verbs: []string{"create"}},
	}}
	if _, err := kube.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: meta,
		Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: ServiceUser}},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: ServiceUser}}
	if _, err := kube.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// markNode keeps new pods off a node: a cordon, and a label that takes it out of load
// balancers, or the taint of former years. A node that is gone needs none.
func (s *Service) markNode(ctx context.Context, name string) error {
	node, err := s.kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return try.IgnoreGone(err)
	}
	patch := map[string]any{
		"metadata": map[string]any{"labels": map[string]string{noLoadBalancer: "true"}},
		"spec":     map[string]any{"unschedulable": true},
	}
	s.mu.Lock()
	taint := s.taints
	s.mu.Unlock()
	if taint {
		taints := append(node.Spec.Taints, corev1.Taint{Key: oldTaint, Value: oldTaintValue, Effect: corev1.TaintEffectNoSchedule})
		for _, t := range node.Spec.Taints {
			if t.Key == oldTaint {
				return nil
			}
		}
		patch = map[string]any{"metadata": map[string]any{"resourceVersion": node.ResourceVersion}, "spec": map[string]any{"taints": taints}}
	}
	return s.patchNode(ctx, name, patch)
}

// relabel changes the labels of a node as a configuration asks.
func (s *Service) relabel(ctx context.Context, name string, change *types.UpdateLabelsPayload) error {
	labels := map[string]any{}
	for key, value := range change.AddOrUpdateLabels {
		labels[key] = value
	}
	for _, key := range change.RemoveLabels {
		labels[key] = nil
	}
	return s.patchNode(ctx, name, map[string]any{"metadata": map[string]any{"labels": labels}})
}

func (s *Service) patchNode(ctx context.Context, name string, patch map[string]any) error {
	data, err := json.Marshal(patch)
	if err != nil {
		panic(err) // strings, and what Kubernetes can encode
	}
	_, err = s.kube.CoreV1().Nodes().Patch(ctx, name, apitypes.MergePatchType, data, metav1.PatchOptions{})
	return try.IgnoreGone(err)
}

// drain is one node to empty.
type drain struct {
	group, update, node string
	force               bool
	ending              bool         // the Auto Scaling group terminates it: Times.Delete instead of windows
	deadlines           func() Times // as they are at each moment
}

// over reports whether pods are deleted now, and whether the drain has failed.
func (d drain) over(since time.Duration) (force, failed bool) {
	t := d.deadlines()
	switch {
	case d.ending:
		return since > t.Delete, false
	case d.force:
		return since > t.Window, false
	}
	return false, since > time.Duration(t.Windows)*t.Window
}

// drain evicts the pods of a node until none is left that has to leave, and reports whether
// that came true. What the API refuses is tried again.
func (s *Service) drain(ctx context.Context, d drain) bool {
	began := time.Now()
	for {
		left, err := s.leaving(ctx, d.node)
		if err == nil && len(left) == 0 {
			return true
		}
		force, failed := d.over(time.Since(began))
		if failed {
			return false
		}
		for _, pod := range left {
			if pod.DeletionTimestamp == nil {
				s.takeOff(ctx, d, pod, force)
			}
		}
		if !try.Sleep(ctx, s.now().Retry) {
			return false
		}
	}
}

// leaving lists the pods of a node that have to leave it: those of DaemonSets, mirror pods
// and finished ones stay.
func (s *Service) leaving(ctx context.Context, node string) ([]corev1.Pod, error) {
	pods, err := s.kube.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String()})
	if err != nil {
		return nil, err
	}
	var left []corev1.Pod
	for _, pod := range pods.Items {
		owner := metav1.GetControllerOf(&pod)
		_, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]
		finished := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if !mirror && !finished && (owner == nil || owner.Kind != "DaemonSet") {
			left = append(left, pod)
		}
	}
	return left, nil
}

// takeOff evicts a pod, or deletes it.
func (s *Service) takeOff(ctx context.Context, d drain, pod corev1.Pod, force bool) {
	step, why := Evicted, ""
	var err error
	if force {
		step = Deleted
		err = s.kube.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(pod.UID))})
	} else {
		err = s.kube.CoreV1().Pods(pod.Namespace).EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace}})
	}
	if err != nil && !apierrors.IsNotFound(err) {
		step, why = Refused, err.Error()
	}
	s.note(Entry{Group: d.group, Update: d.update, Step: step, Node: d.node, Pod: pod.Namespace + "/" + pod.Name, Detail: why})
}

// terminateHook holds instances that the Auto Scaling group terminates, until their nodes
// are drained.
var terminateHook = cloud.Hook{Name: "Terminate-LC-Hook", Timeout: 30 * time.Minute}

// drained says that an instance needs no drain any more when it ends.
func (s *Service) drained(n *nodegroup, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n.ending[id] = true
}

// keepHooks drains what Auto Scaling groups terminate, for every caller, and lets the
// terminations continue.
func (s *Service) keepHooks() {
	for {
		s.mu.Lock()
		var groups []*nodegroup
		for _, n := range s.groups {
			groups = append(groups, n)
		}
		s.mu.Unlock()
		for _, n := range groups {
			s.keepHook(n)
		}
		if !try.Sleep(s.ctx, s.now().Poll) {
			return
		}
	}
}

func (s *Service) keepHook(n *nodegroup) {
	members, err := s.members(s.ctx, n)
	if err != nil {
		return
	}
	for _, m := range members {
		if m.state != cloud.TerminatingWait {
			continue
		}
		s.mu.Lock()
		empty, known := n.ending[m.id]
		n.ending[m.id] = false
		s.mu.Unlock()
		if known && !empty {
			continue // a user is at it
		}
		s.work.Go(func() {
			if !empty && m.node != "" {
				if s.markNode(s.ctx, m.node) == nil {
					s.drain(s.ctx, drain{group: *n.NodegroupName, node: m.node, ending: true, deadlines: s.now})
				}
			}
			s.insist(s.ctx, func(ctx context.Context) error {
				_, err := s.asg.CompleteLifecycleAction(ctx, &autoscaling.CompleteLifecycleActionInput{AutoScalingGroupName: aws.String(n.asg()),
					LifecycleHookName: aws.String(terminateHook.Name), InstanceId: aws.String(m.id), LifecycleActionResult: aws.String(cloud.Continue)})
				return err
			})
		})
	}
}
