package lab

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/drainboard/drainboard/lab/try"
	"github.com/drainboard/drainboard/lab/workload"
)

// The priority classes of what a cluster cannot do without.
const (
	clusterCritical = "system-cluster-critical"
	nodeCritical    = "system-node-critical"
)

// staticPods run on each machine of the control plane without a controller; its kubelet
// shows the API server a mirror of each.
var staticPods = []struct{ name, priority string }{
	{"etcd-manager-events", clusterCritical},
	{"etcd-manager-main", clusterCritical},
	{"kube-apiserver", clusterCritical},
	{"kube-controller-manager", clusterCritical},
	{"kube-scheduler", clusterCritical},
}

// mirrorPods are the pods that the kubelet of a node mirrors: those of the control
// plane, and kube-proxy on every node that kops manages.
func mirrorPods(node *corev1.Node) []*corev1.Pod {
	if node.Labels[kopsGroupKey] == "" {
		return nil
	}
	pods := []*corev1.Pod{mirrorPod(node, "kube-proxy", nodeCritical)}
	if _, master := node.Labels["node-role.kubernetes.io/control-plane"]; master {
		for _, p := range staticPods {
			pods = append(pods, mirrorPod(node, p.name, p.priority))
		}
	}
	return pods
}

func mirrorPod(node *corev1.Node, name, priority string) *corev1.Pod {
	template := workload.Place{}.PodTemplate(name)
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Name, pod.Namespace = name+"-"+node.Name, metav1.NamespaceSystem
	pod.Labels["k8s-app"] = name
	pod.Annotations["kubernetes.io/config.mirror"] = name
	pod.Annotations["kubernetes.io/config.source"] = "file"
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID, Controller: new(true)}}
	pod.Spec.NodeSelector, pod.Spec.NodeName, pod.Spec.HostNetwork, pod.Spec.PriorityClassName = nil, node.Name, true, priority
	pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	return pod
}

// startSystem starts the system pods that have controllers, if they are not there, and
// waits until those on a cluster's nodes are Ready.
func (l *Lab) startSystem(ctx context.Context, cluster string) error {
	for _, object := range systemWorkloads() {
		if err := l.Apply(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	var waits string
	err := try.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		var err error
		waits, err = l.systemWaits(ctx)
		return waits == "", try.IgnoreUnlessDone(ctx, err)
	})
	if err != nil && waits != "" {
		return fmt.Errorf("%s of %s: %w", waits, cluster, err)
	}
	return err
}

// systemWaits names something of the system that is not as it is to be, "" if all is.
func (l *Lab) systemWaits(ctx context.Context) (string, error) {
	ready, want, err := l.Ready(ctx, metav1.NamespaceSystem)
	if err != nil || ready < want {
		return fmt.Sprintf("%d of %d system pods are ready", ready, want), err
	}
	nodes, err := l.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: kopsGroupKey})
	if err != nil {
		return "", err
	}
	pods, err := l.client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	up := map[string]bool{}
	for i := range pods.Items {
		if pod := &pods.Items[i]; podReady(pod) {
			up[pod.Name] = true
		}
	}
	for i := range nodes.Items {
		for _, pod := range mirrorPods(&nodes.Items[i]) {
			if !up[pod.Name] {
				return pod.Name + " is not ready", nil
			}
		}
	}
	return "", nil
}

// systemWorkloads are the system pods of a kops cluster that have controllers:
// kops-controller on the control plane, cilium on every node, coredns on the workers.
func systemWorkloads() []runtime.Object {
	place := workload.Place{Namespace: metav1.NamespaceSystem}
	budget := place.MaxUnavailable("coredns", 1)
	budget.Spec.MaxUnavailable = new(intstr.FromString("50%"))
	dns := place.Deployment("coredns", 2)
	dns.Spec.Template.Spec.NodeSelector = map[string]string{"node-role.kubernetes.io/node": ""}
	dns.Spec.Template.Spec.PriorityClassName = clusterCritical
	dns.Spec.Template.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: workload.Selector("coredns"),
	}}
	return []runtime.Object{
		budget, dns,
		systemDaemon("kops-controller", clusterCritical, "node-role.kubernetes.io/control-plane"),
		systemDaemon("cilium", nodeCritical, kopsGroupKey),
	}
}

// systemDaemon is a DaemonSet for all nodes that have a label, whatever their taints.
func systemDaemon(name, priority, label string) *appsv1.DaemonSet {
	d := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceSystem},
		Spec:       appsv1.DaemonSetSpec{Selector: workload.Selector(name), Template: workload.Place{}.PodTemplate(name)},
	}
	spec := &d.Spec.Template.Spec
	spec.NodeSelector, spec.PriorityClassName = nil, priority
	spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: label, Operator: corev1.NodeSelectorOpExists}},
		}},
	}}}
	return d
}
