package lab

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab/kwok"
	"github.com/drainboard/drainboard/lab/workload"
)

// kubeletAddress is where the API server finds the kubelets of all nodes, which are one program.
const kubeletAddress = corev1.NodeExternalDNS

// bootedMachine is what the Node of a machine tells of it.
type bootedMachine struct {
	node, ip, providerID string
	zone, kind, group    string // kind is the instance type
	ready                string // from the Node to its being Ready; see ReadyAfter
	labels               map[string]string
	taints               []corev1.Taint
	kubelet, system      string // versions, as the node reports them
	runtime, kernel      string
}

// register is the Node object of a machine as its kubelet registers it: NotReady.
func (m *machines) register(b bootedMachine) *corev1.Node {
	labels := map[string]string{
		corev1.LabelHostname:           b.node,
		corev1.LabelTopologyZone:       b.zone,
		corev1.LabelTopologyRegion:     m.lab.options.Cloud.Region,
		corev1.LabelInstanceTypeStable: b.kind,
		corev1.LabelArchStable:         "amd64",
		corev1.LabelOSStable:           "linux",
		workload.GroupLabel:            b.group,
	}
	maps.Copy(labels, b.labels)
	resources := m.resources(b.kind)
	now := metav1.Now()
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: b.node, Labels: labels, Annotations: map[string]string{kwok.ReadyAfter: b.ready}},
		Spec:       corev1.NodeSpec{ProviderID: b.providerID, Taints: b.taints},
		Status: corev1.NodeStatus{
			Capacity:    resources,
			Allocatable: resources,
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: b.ip},
				{Type: corev1.NodeHostName, Address: b.node},
				{Type: corev1.NodeInternalDNS, Address: b.node},
				{Type: kubeletAddress, Address: "localhost"},
			},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: int32(m.lab.kubelet)}},
			Conditions: []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "KubeletNotReady",
				Message:           "container runtime network not ready",
				LastHeartbeatTime: now, LastTransitionTime: now,
			}},
			NodeInfo: corev1.NodeSystemInfo{
				KubeletVersion: b.kubelet, OperatingSystem: "linux", Architecture: "amd64",
				OSImage: b.system, ContainerRuntimeVersion: b.runtime, KernelVersion: b.kernel,
			},
		},
	}
}
