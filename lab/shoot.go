package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	machinev1alpha1 "github.com/gardener/machine-controller-manager/pkg/client/clientset/versioned/typed/machine/v1alpha1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/drainboard/drainboard/lab/process"
	"github.com/drainboard/drainboard/lab/vms"
)

// A Shoot is what AddShoot made: a cluster of Gardener whose garden, control and target
// cluster is the lab.
type Shoot struct {
	Name             string
	Namespace        string // of the Shoot
	ControlNamespace string // of its machines, in the control cluster
	// GardenKubeconfig and ControlKubeconfig have all rights on Shoots, or machines, in
	// just these namespaces. Their users are garden-NAME and control-NAME.
	GardenKubeconfig, ControlKubeconfig string

	lab      *Lab
	pools    []string
	times    ShootTimes
	vms      *vms.Service
	hardware *shootMachines
	agent    *nodeAgent
	machines machinev1alpha1.MachineV1alpha1Interface
	shoots   dynamic.ResourceInterface
	stop     context.CancelFunc
	away     atomic.Bool  // see StopGardenlet
	prepares atomic.Int64 // nanoseconds, see PrepareFor
	window   atomic.Bool  // see OpenWindow
	troubles atomic.Pointer[[]shootCondition]
	work     sync.WaitGroup
}

// Group is the name of a pool's group, for Place, Nodes and WaitNodes.
func (s *Shoot) Group(pool string) string { return s.Name + "-" + pool }

// Component is the name of its machine-controller-manager, for Process and Restart.
func (s *Shoot) Component() string { return MachineControllerManager + "-" + s.Name }

// Machines is a client for the kinds of machine-controller-manager, with all rights.
func (s *Shoot) Machines() machinev1alpha1.MachineV1alpha1Interface { return s.machines }

// Env is where a client finds the Shoot and its machines. GARDENER_FLAGS is all of it as
// flags of Drainboard.
func (s *Shoot) Env() []string {
	name := s.Namespace + "/" + s.Name
	return []string{
		"GARDEN_KUBECONFIG=" + s.GardenKubeconfig,
		"GARDEN_SHOOT=" + name,
		"CONTROL_KUBECONFIG=" + s.ControlKubeconfig,
		"CONTROL_NAMESPACE=" + s.ControlNamespace,
		fmt.Sprintf("GARDENER_FLAGS=--provider gardener --garden-kubeconfig %s --shoot %s --control-kubeconfig %s --control-namespace %s",
			s.GardenKubeconfig, name, s.ControlKubeconfig, s.ControlNamespace),
	}
}

// AddShoot makes a Shoot, with a machine-controller-manager of its own and stand-ins for
// the other parts of Gardener, and returns when all its nodes can be used. See doc.go for
// what is real.
func (l *Lab) AddShoot(ctx context.Context, o ShootOptions) (*Shoot, error) {
	o = o.withDefaults(l.options.Cloud.Zones)
	s := &Shoot{Name: o.Name, Namespace: "garden-" + o.Project, ControlNamespace: "shoot--" + o.Project + "--" + o.Name, lab: l, times: o.Times}
	for _, p := range o.Pools {
		s.pools = append(s.pools, p.Name)
	}
	if err := s.add(ctx, o); err != nil {
		return nil, fmt.Errorf("add shoot %s: %w", o.Name, err)
	}
	return s, nil
}

func (s *Shoot) add(ctx context.Context, o ShootOptions) error {
	l := s.lab
	if err := o.check(l.options.Cloud.Zones); err != nil {
		return err
	}
	number, err := l.enter(s)
	if err != nil {
		return err
	}
	if err := l.defineGardener(ctx); err != nil {
		return err
	}
	all := func(group, resource string) []rbacv1.PolicyRule {
		return []rbacv1.PolicyRule{{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{"*"}}}
	}
	garden := Rights{Namespaces: map[string][]rbacv1.PolicyRule{s.Namespace: all(shootResource.Group, "*")}}
	if s.GardenKubeconfig, err = l.KubeconfigFor(ctx, "garden-"+s.Name, garden); err != nil {
		return err
	}
	control := Rights{Namespaces: map[string][]rbacv1.PolicyRule{s.ControlNamespace: append(all("machine.sapcloud.io", "*"), all("", "events")...)}}
	if s.ControlKubeconfig, err = l.KubeconfigFor(ctx, "control-"+s.Name, control); err != nil {
		return err
	}
	if s.machines, err = machinev1alpha1.NewForConfig(l.RESTConfig()); err != nil {
		return err
	}
	anything, err := dynamic.NewForConfig(l.RESTConfig())
	if err != nil {
		return err
	}
	s.shoots = anything.Resource(shootResource).Namespace(s.Namespace)
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = cancel
	s.hardware = &shootMachines{shoot: s, machines: l.machines, launched: map[string]context.CancelFunc{}}
	if s.vms, err = vms.Serve(s.hardware, fmt.Sprintf("10.%d", 250-number)); err != nil {
		return err
	}
	if err := l.startMachineController(s, o.Flags); err != nil {
		return err
	}
	if err := s.create(ctx, o.object(s)); err != nil {
		return err
	}
	s.agent = newNodeAgent(s)
	keeper := newGardenlet(s)
	s.work.Go(func() { s.agent.run(background) })
	s.work.Go(func() { keeper.run(background) })
	for _, pool := range o.Pools {
		if err := s.WaitUpdated(ctx, pool.Name); err != nil {
			return err
		}
	}
	return nil
}

// enter lists a Shoot among the lab's, for its end. It returns its number.
func (l *Lab) enter(s *Shoot) (int, error) {
	l.shootMu.Lock()
	defer l.shootMu.Unlock()
	if slices.ContainsFunc(l.shoots, func(other *Shoot) bool { return other.Name == s.Name }) {
		return 0, errors.New("there is one of this name")
	}
	l.shoots = append(l.shoots, s)
	return len(l.shoots) - 1, nil
}

// Shoots are those that AddShoot made.
func (l *Lab) Shoots() []*Shoot {
	l.shootMu.Lock()
	defer l.shootMu.Unlock()
	return slices.Clone(l.shoots)
}

// startMachineController starts the machine-controller-manager of a Shoot.
func (l *Lab) startMachineController(s *Shoot, flags []string) error {
	way, err := json.Marshal(s.vms.Way())
	if err != nil {
		return err
	}
	wayFile := l.path(s.Component() + ".json")
	if err := os.WriteFile(wayFile, way, 0o600); err != nil {
		return err
	}
	manager := process.New(s.Component(), l.path(s.Component()+".log"), append([]string{
		filepath.Join(l.options.BinDir, "lab"), MachineControllerManager,
		"--target-kubeconfig=" + l.path(MachineControllerManager+".kubeconfig"),
		"--namespace=" + s.ControlNamespace,
		"--node-selector=" + s.nodeSelector(),
		"--vms=" + wayFile,
		"--kube-api-qps=500", "--kube-api-burst=1000",
	}, flags...)...)
	l.processMu.Lock()
	l.processes[manager.Name] = manager
	l.processMu.Unlock()
	return manager.Start()
}

// end stops what runs for a Shoot in this process.
func (s *Shoot) end() {
	if s.stop != nil {
		s.stop()
	}
	s.work.Wait()
	if s.vms != nil {
		s.vms.Close()
	}
	if s.hardware != nil {
		s.hardware.stop()
	}
}

// nodeSelector selects the nodes of a Shoot among those of the lab.
func (s *Shoot) nodeSelector() string { return shootLabel + "=" + s.Name }

// shootLabel is a label of a Shoot's nodes: its name.
const shootLabel = "lab.drainboard.dev/shoot"

// Labels by which Gardener's nodes name their pool and their Machine. The second is given
// by machine-controller-manager, some seconds after the node is there.
const (
	poolLabel        = "worker.gardener.cloud/pool"
	machineNameLabel = "node.gardener.cloud/machine-name"
)

// meta is the name of something in the control cluster.
func (s *Shoot) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: s.ControlNamespace}
}
