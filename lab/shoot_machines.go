package lab

import (
	"context"
	"maps"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab/try"
	"github.com/drainboard/drainboard/lab/vms"
)

// criticalTaint keeps pods off a node until its critical components are ready.
const criticalTaint = "node.gardener.cloud/critical-components-not-ready"

// shootMachines turns the virtual machines of a Shoot into Nodes, as machines does with
// instances: the hooks that vms.Serve takes.
type shootMachines struct {
	shoot    *Shoot
	machines *machines
	work     sync.WaitGroup

	mu       sync.Mutex
	launched map[string]context.CancelFunc // by VM; ends a boot under way
}

// stop ends all boots under way. Those of the lab's machines end with it.
func (m *shootMachines) stop() {
	m.mu.Lock()
	for _, cancel := range m.launched {
		cancel()
	}
	m.mu.Unlock()
	m.work.Wait()
}

// Launch implements vms.Machines.
func (m *shootMachines) Launch(vm vms.VM, joins bool) {
	ctx, cancel := context.WithCancel(m.machines.ctx)
	m.mu.Lock()
	m.launched[vm.ID] = cancel
	m.mu.Unlock()
	if !joins {
		return
	}
	m.work.Go(func() {
		if !try.Sleep(ctx, m.shoot.lab.options.Times.Boot) {
			return
		}
		m.machines.insist(ctx, "create node "+vm.Node, func() error {
			_, err := m.shoot.lab.client.CoreV1().Nodes().Create(ctx, m.node(vm), metav1.CreateOptions{})
			return err
		})
	})
}

// Terminate implements vms.Machines. The Node goes as well: a cloud controller sees to
// that in Gardener, if machine-controller-manager does not do so before.
func (m *shootMachines) Terminate(vm vms.VM) {
	m.mu.Lock()
	m.launched[vm.ID]()
	delete(m.launched, vm.ID)
	m.mu.Unlock()
	m.work.Go(func() {
		if try.Sleep(m.machines.ctx, m.shoot.lab.options.Times.Terminate) {
			m.machines.remove(vm.Node)
		}
	})
}

// node is the Node object of a VM.
func (m *shootMachines) node(vm vms.VM) *corev1.Node {
	labels := map[string]string{
		kubernetesVersionLabel: strings.TrimPrefix(vm.Spec.Kubelet, "v"),
		shootLabel:             m.shoot.Name,
	}
	maps.Copy(labels, vm.Spec.Labels)
	return m.machines.register(bootedMachine{
		node: vm.Node, ip: vm.IP, providerID: vm.ID,
		zone: vm.Spec.Zone, kind: vm.Spec.Type, group: m.shoot.Group(vm.Spec.Pool),
		ready: m.shoot.lab.options.Times.Ready.String(), labels: labels,
		taints:  []corev1.Taint{{Key: criticalTaint, Effect: corev1.TaintEffectNoSchedule}},
		kubelet: vm.Spec.Kubelet, system: vm.Spec.OS, runtime: "containerd://2.1.4", kernel: "6.12.0",
	})
}
