package machines

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab/kwok"
	"github.com/drainboard/drainboard/lab/workload"
)

// KubeletAddress is where the API server finds the kubelets of all nodes, which are one program.
const KubeletAddress = corev1.NodeExternalDNS

// Booted is what the Node of a machine tells of it.
type Booted struct {
	Node, IP, ProviderID string
	Zone, Type, Group    string // Type is the instance type
	Ready                string // from the Node to its being Ready; see kwok.ReadyAfter
	Labels               map[string]string
	Taints               []corev1.Taint
	Kubelet, System      string // versions, as the node reports them
	Runtime, Kernel      string
}

// Register is the Node object of a machine as its kubelet registers it: NotReady.
func (m *Fleet) Register(b Booted) *corev1.Node {
	labels := map[string]string{
		corev1.LabelHostname:           b.Node,
		corev1.LabelTopologyZone:       b.Zone,
		corev1.LabelTopologyRegion:     m.o.Region,
		corev1.LabelInstanceTypeStable: b.Type,
		corev1.LabelArchStable:         "amd64",
		corev1.LabelOSStable:           "linux",
		workload.GroupLabel:            b.Group,
	}
	maps.Copy(labels, b.Labels)
	resources := m.Resources(b.Type)
	now := metav1.Now()
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: b.Node, Labels: labels, Annotations: map[string]string{kwok.ReadyAfter: b.Ready}},
		Spec:       corev1.NodeSpec{ProviderID: b.ProviderID, Taints: b.Taints},
		Status: corev1.NodeStatus{
			Capacity:    resources,
			Allocatable: resources,
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: b.IP},
				{Type: corev1.NodeHostName, Address: b.Node},
				{Type: corev1.NodeInternalDNS, Address: b.Node},
				{Type: KubeletAddress, Address: "localhost"},
			},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: int32(m.o.Kubelet)}},
			Conditions: []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "KubeletNotReady",
				Message:           "container runtime network not ready",
				LastHeartbeatTime: now, LastTransitionTime: now,
			}},
			NodeInfo: corev1.NodeSystemInfo{
				KubeletVersion: b.Kubelet, OperatingSystem: "linux", Architecture: "amd64",
				OSImage: b.System, ContainerRuntimeVersion: b.Runtime, KernelVersion: b.Kernel,
			},
		},
	}
}

// NodeReady reports whether pods can go to a node: it is Ready and no longer
// tainted as if it were not.
func NodeReady(node *corev1.Node) bool {
	for _, t := range node.Spec.Taints {
		if t.Key == corev1.TaintNodeNotReady {
			return false
		}
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
