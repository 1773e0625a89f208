package kops

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

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

// MirrorPods are the pods that the kubelet of a node mirrors: those of the control
// plane, and kube-proxy on every node that kops manages.
func MirrorPods(node *corev1.Node) []*corev1.Pod {
	if node.Labels[GroupKey] == "" {
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

// System are the system pods of a kops cluster that have controllers:
// kops-controller on the control plane, cilium on every node, coredns on the workers.
func System() []runtime.Object {
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
		systemDaemon("cilium", nodeCritical, GroupKey),
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
