package gardener

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	machinev1alpha1 "github.com/gardener/machine-controller-manager/pkg/client/clientset/versioned/typed/machine/v1alpha1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/vms"
)

// A Shoot is what Lab.AddShoot made: a cluster of Gardener whose garden, control and target
// cluster is the lab.
type Shoot struct {
	Name             string
	Namespace        string // of the Shoot
	ControlNamespace string // of its machines, in the control cluster
	// GardenKubeconfig and ControlKubeconfig have all rights on Shoots, or machines, in
	// just these namespaces. Their users are garden-NAME and control-NAME.
	GardenKubeconfig, ControlKubeconfig string

	host     Host
	client   kubernetes.Interface // of the lab
	options  Options              // with their defaults
	vms      *vms.Service
	hardware *hardware
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

// Group is the name of a pool's group, for workload.Place, Lab.Nodes and Lab.WaitNodes.
func (s *Shoot) Group(pool string) string { return s.Name + "-" + pool }

// MachineControllerManager is the component of Gardener's that is real: its user, and the lab's
// program's name of it.
const MachineControllerManager = "machine-controller-manager"

// Component is the name of its machine-controller-manager, for Lab.Process and Lab.Restart.
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

// Host is what a Shoot is made on: a lab, which is its garden, control and target cluster.
type Host struct {
	Config     *rest.Config    // of a user with all rights
	Kubeconfig string          // of MachineControllerManager, a user with all rights
	Machines   *machines.Fleet // what has the nodes of the lab
	Zones      []string
	Dir        string // for files
	BinDir     string // with the definitions of machine-controller-manager's kinds
	Log        func(format string, args ...any)

	// User makes a user with rights in just one namespace, and returns the path of its kubeconfig.
	User func(ctx context.Context, name, namespace string, rules []rbacv1.PolicyRule) (string, error)
	// Start starts the lab's program with arguments, as a component of the lab.
	Start func(component string, args ...string) error
}

// New is a Shoot that is not made yet; see Make. It refuses options that Gardener would not take
// either, or that the lab cannot do.
func New(h Host, o Options) (*Shoot, error) {
	o = o.withDefaults(h.Zones)
	if err := o.check(h.Zones); err != nil {
		return nil, fmt.Errorf("add shoot %s: %w", o.Name, err)
	}
	return &Shoot{
		Name: o.Name, Namespace: "garden-" + o.Project, ControlNamespace: "shoot--" + o.Project + "--" + o.Name,
		host: h, client: h.Machines.Options().Client, options: o,
	}, nil
}

// Make makes the Shoot and what works for it, and returns when all its nodes can be used. The number
// is another one than that of every Shoot of the lab, up to 250. Close ends what was begun, also after
// an error.
func (s *Shoot) Make(ctx context.Context, number int) error {
	if err := s.add(ctx, number); err != nil {
		return fmt.Errorf("add shoot %s: %w", s.Name, err)
	}
	return nil
}

func (s *Shoot) add(ctx context.Context, number int) error {
	if err := s.defineKinds(ctx); err != nil {
		return err
	}
	all := func(group, resource string) []rbacv1.PolicyRule {
		return []rbacv1.PolicyRule{{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{"*"}}}
	}
	var err error
	if s.GardenKubeconfig, err = s.host.User(ctx, "garden-"+s.Name, s.Namespace, all(shootResource.Group, "*")); err != nil {
		return err
	}
	control := append(all("machine.sapcloud.io", "*"), all("", "events")...)
	if s.ControlKubeconfig, err = s.host.User(ctx, "control-"+s.Name, s.ControlNamespace, control); err != nil {
		return err
	}
	if s.machines, err = machinev1alpha1.NewForConfig(s.host.Config); err != nil {
		return err
	}
	anything, err := dynamic.NewForConfig(s.host.Config)
	if err != nil {
		return err
	}
	s.shoots = anything.Resource(shootResource).Namespace(s.Namespace)
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = cancel
	s.hardware = &hardware{shoot: s, fleet: s.host.Machines, launched: map[string]context.CancelFunc{}}
	if s.vms, err = vms.Serve(s.hardware, fmt.Sprintf("10.%d", 250-number)); err != nil {
		return err
	}
	if err := s.startMachineController(); err != nil {
		return err
	}
	if err := s.create(ctx, s.options.object(s)); err != nil {
		return err
	}
	s.agent = newNodeAgent(s)
	keeper := newGardenlet(s)
	s.work.Go(func() { s.agent.run(background) })
	s.work.Go(func() { keeper.run(background) })
	for _, pool := range s.options.Pools {
		if err := s.WaitUpdated(ctx, pool.Name); err != nil {
			return err
		}
	}
	return nil
}

// Pools are the names of the worker pools that the Shoot was made with.
func (s *Shoot) Pools() []string {
	var names []string
	for _, p := range s.options.Pools {
		names = append(names, p.Name)
	}
	return names
}

// startMachineController starts the machine-controller-manager of the Shoot.
func (s *Shoot) startMachineController() error {
	way, err := json.Marshal(s.vms.Way())
	if err != nil {
		return err
	}
	wayFile := filepath.Join(s.host.Dir, s.Component()+".json")
	if err := os.WriteFile(wayFile, way, 0o600); err != nil {
		return err
	}
	return s.host.Start(s.Component(), append([]string{
		MachineControllerManager,
		"--target-kubeconfig=" + s.host.Kubeconfig,
		"--namespace=" + s.ControlNamespace,
		"--node-selector=" + s.nodeSelector(),
		"--vms=" + wayFile,
		"--kube-api-qps=500", "--kube-api-burst=1000",
	}, s.options.Flags...)...)
}

// Close stops what runs for the Shoot in this process.
func (s *Shoot) Close() {
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
