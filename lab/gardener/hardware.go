package gardener

import (
	"context"
	"maps"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/try"
	"github.com/drainboard/drainboard/lab/vms"
)

// criticalTaint keeps pods off a node until its critical components are ready.
const criticalTaint = "node.gardener.cloud/critical-components-not-ready"

// hardware turns the virtual machines of a Shoot into Nodes, as machines does with
// instances: the hooks that vms.Serve takes.
type hardware struct {
	shoot *Shoot
	fleet *machines.Fleet
	work  sync.WaitGroup

	mu       sync.Mutex
	launched map[string]context.CancelFunc // by VM; ends a boot under way
}

// stop ends all boots under way. Those of the lab's machines end with it.
func (m *hardware) stop() {
	m.mu.Lock()
	for _, cancel := range m.launched {
		cancel()
	}
	m.mu.Unlock()
	m.work.Wait()
}

// Launch implements vms.Machines.
func (m *hardware) Launch(vm vms.VM, joins bool) {
	ctx, cancel := context.WithCancel(m.fleet.Context())
	m.mu.Lock()
	m.launched[vm.ID] = cancel
	m.mu.Unlock()
	if !joins {
		return
	}
	m.work.Go(func() {
		if !try.Sleep(ctx, m.fleet.Options().Boot) {
			return
		}
		try.Insist(ctx, m.shoot.host.Log, "create node "+vm.Node, func() error {
			_, err := m.shoot.client.CoreV1().Nodes().Create(ctx, m.node(vm), metav1.CreateOptions{})
			return err
		})
	})
}

// Terminate implements vms.Machines. The Node goes as well: a cloud controller sees to
// that in Gardener, if machine-controller-manager does not do so before.
func (m *hardware) Terminate(vm vms.VM) {
	m.mu.Lock()
	m.launched[vm.ID]()
	delete(m.launched, vm.ID)
	m.mu.Unlock()
	m.work.Go(func() {
		if try.Sleep(m.fleet.Context(), m.fleet.Options().Terminate) {
			m.fleet.Remove(vm.Node)
		}
	})
}

// node is the Node object of a VM.
func (m *hardware) node(vm vms.VM) *corev1.Node {
	labels := map[string]string{
		kubernetesVersionLabel: strings.TrimPrefix(vm.Spec.Kubelet, "v"),
		shootLabel:             m.shoot.Name,
	}
	maps.Copy(labels, vm.Spec.Labels)
	return m.fleet.Register(machines.Booted{
		Node: vm.Node, IP: vm.IP, ProviderID: vm.ID,
		Zone: vm.Spec.Zone, Type: vm.Spec.Type, Group: m.shoot.Group(vm.Spec.Pool),
		Ready: m.fleet.Options().Ready.String(), Labels: labels,
		Taints:  []corev1.Taint{{Key: criticalTaint, Effect: corev1.TaintEffectNoSchedule}},
		Kubelet: vm.Spec.Kubelet, System: vm.Spec.OS, Runtime: "containerd://2.1.4", Kernel: "6.12.0",
	})
}
