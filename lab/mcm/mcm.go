// Package mcm runs Gardener's machine-controller-manager: the real controllers of
// machine deployments, machine sets and machines, in one process, with a driver whose
// virtual machines are those of package vms.
//
// Its flags are the real ones (drain, health, creation and in-place timeouts, eviction
// retries, safety periods, resync period, and so on), beside a few for what the lab
// is. These waits are constants in machine-controller-manager and cannot be set:
//
//   - after a step or an error it looks at a machine again after 5 s, 3 min or 10 min
//     (machineutils.ShortRetry, MediumRetry, LongRetry), after a conflict after 200 ms;
//   - while a creation, health or in-place timeout runs it looks once a minute, so that
//     a shorter timeout is noticed late unless the machine changes;
//   - an eviction that a budget refuses is tried again after 20 s, and whether pods are
//     gone is looked at every 5 s (package drain);
//   - a node that is not Ready for 5 min is drained by force;
//   - a freeze is looked at again by its own period, but machines that were Unknown while
//     an API server was away are looked at 30 s after it is back.
package mcm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/Masterminds/semver/v3"
	managerapp "github.com/gardener/machine-controller-manager/cmd/machine-controller-manager/app/options"
	machineclient "github.com/gardener/machine-controller-manager/pkg/client/clientset/versioned"
	machinescheme "github.com/gardener/machine-controller-manager/pkg/client/clientset/versioned/scheme"
	machineinformers "github.com/gardener/machine-controller-manager/pkg/client/informers/externalversions"
	"github.com/gardener/machine-controller-manager/pkg/controller"
	machineapp "github.com/gardener/machine-controller-manager/pkg/util/provider/app/options"
	machinecontroller "github.com/gardener/machine-controller-manager/pkg/util/provider/machinecontroller"
	"github.com/gardener/machine-controller-manager/pkg/util/provider/machineutils"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"

	"github.com/drainboard/drainboard/lab/vms"
)

// settings are what the flags say.
type settings struct {
	manager *managerapp.MCMServer // of machine deployments and sets
	machine *machineapp.MCServer  // of machines
	vms     string                // file that says where the virtual machines are
	nodes   string                // label selector
}

// Main runs the controllers as the arguments of the process say, until it is told to
// stop, and returns its exit code.
func Main() int {
	s := settings{manager: managerapp.NewMCMServer(), machine: machineapp.NewMCServer()}
	flags := s.flags()
	if err := flags.Parse(os.Args[1:]); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return 0
		}
		fmt.Fprintln(os.Stderr, "machine-controller-manager:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "machine-controller-manager:", err)
		return 1
	}
	return 0
}

// flags are those of both programs of which machine-controller-manager consists, and the
// lab's. What both have, such as the namespace, is one flag. Those for ports and leader
// election do nothing: it listens nowhere, and there is one of it. Control and target
// cluster are that of --target-kubeconfig.
func (s *settings) flags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("machine-controller-manager", pflag.ContinueOnError)
	flags.StringVar(&s.vms, "vms", "", "file that says, in JSON, where the service of virtual machines is, and its token")
	flags.StringVar(&s.nodes, "node-selector", "", "label selector of the nodes that belong to the target cluster")
	for _, add := range []func(*pflag.FlagSet){s.machine.AddFlags, s.manager.AddFlags} {
		own := pflag.NewFlagSet("", pflag.ContinueOnError)
		add(own)
		flags.AddFlagSet(own) // but for those that are there
	}
	return flags
}

func (s *settings) run(ctx context.Context) error {
	way, err := os.ReadFile(s.vms)
	if err != nil {
		return err
	}
	var host vms.Client
	if err := json.Unmarshal(way, &host); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", s.machine.TargetKubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = s.machine.KubeAPIQPS, int(s.machine.KubeAPIBurst)
	config.UserAgent = "machine-controller-manager"
	core, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	machines, err := machineclient.NewForConfig(config)
	if err != nil {
		return err
	}
	server, err := core.Discovery().ServerVersion()
	if err != nil {
		return err
	}
	version, err := semver.NewVersion(server.GitVersion)
	if err != nil {
		return err
	}
	namespace, resync := s.machine.Namespace, s.machine.MinResyncPeriod.Duration
	control := machineinformers.NewSharedInformerFactoryWithOptions(machines, resync, machineinformers.WithNamespace(namespace))
	controlCore := informers.NewSharedInformerFactoryWithOptions(core, resync, informers.WithNamespace(namespace))
	recorder := newRecorder(core)
	objects := control.Machine().V1alpha1()

	target := s.target(core, resync)
	manager, err := controller.NewController(namespace, machines.MachineV1alpha1(), core, core, target,
		objects.Machines(), objects.MachineSets(), objects.MachineDeployments(), recorder,
		s.manager.SafetyOptions, s.manager.AutoscalerScaleDownAnnotationDuringRollout)
	if err != nil {
		return err
	}
	// The other controller gets caches of its own, as it has in Gardener, where it is a
	// process of its own: the first one changes Nodes that are in its cache.
	controlOwn := machineinformers.NewSharedInformerFactoryWithOptions(machines, resync, machineinformers.WithNamespace(namespace))
	objectsOwn, targetOwn := controlOwn.Machine().V1alpha1(), s.target(core, resync)
	machine, err := machinecontroller.NewController(namespace, machines.MachineV1alpha1(), core, core, machineDriver{host}, targetOwn,
		controlCore.Core().V1().Secrets(), objectsOwn.MachineClasses(), objectsOwn.Machines(), recorder,
		s.machine.SafetyOptions, s.machine.NodeConditions, s.machine.BootstrapTokenAuthExtraGroups, version,
		machineutils.RetryPeriod(s.machine.ResourceExhaustedRetry.Duration))
	if err != nil {
		return err
	}
	done := ctx.Done()
	control.Start(done)
	controlOwn.Start(done)
	controlCore.Start(done)
	target.Start(done)
	targetOwn.Start(done)
	go manager.Run(int(s.manager.ConcurrentNodeSyncs), done)
	go machine.Run(int(s.machine.ConcurrentNodeSyncs), done)
	<-done // a drain that runs would hold the controllers' own end up for minutes
	return nil
}

// target are the caches of the target cluster: of all it has, but only of the nodes that
// belong to it, since in a lab several clusters are one.
func (s *settings) target(core kubernetes.Interface, resync time.Duration) informers.SharedInformerFactory {
	factory := informers.NewSharedInformerFactory(core, resync)
	factory.InformerFor(&corev1.Node{}, func(core kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
		return coreinformers.NewFilteredNodeInformer(core, resync, cache.Indexers{}, func(o *metav1.ListOptions) { o.LabelSelector = s.nodes })
	})
	return factory
}

// newRecorder writes events to the control cluster.
func newRecorder(core kubernetes.Interface) record.EventRecorder {
	broadcaster := record.NewBroadcaster()
	broadcaster.StartLogging(klog.Infof)
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: core.CoreV1().Events("")})
	return broadcaster.NewRecorder(machinescheme.Scheme, corev1.EventSource{Component: "machine-controller-manager"})
}
