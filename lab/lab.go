package lab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/drainboard/drainboard/lab/apigate"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/eks"
	"github.com/drainboard/drainboard/lab/gardener"
	"github.com/drainboard/drainboard/lab/line"
	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/process"
	"github.com/drainboard/drainboard/lab/try"
)

// A Lab is a running control plane with its fake kubelets and AWS endpoint.
type Lab struct {
	options     Options
	temporary   bool   // Dir is ours to remove
	server      string // URL of the API server
	kubelet     int    // port of all kubelets, which are one program
	ca          []byte // PEM
	tokens      map[string]string
	processMu   sync.Mutex
	processes   map[string]*process.Process
	config      *rest.Config
	client      kubernetes.Interface
	cloud       *cloud.Cloud
	eks         *eks.Service // nil: none
	machines    *machines.Fleet
	faultMu     sync.Mutex
	lines       map[string]*line.Line    // by user
	gates       map[string]*apigate.Gate // by user
	deniers     map[string]*denier       // by the webhook's name
	switches    switches
	shootMu     sync.Mutex
	shoots      []*gardener.Shoot
	controlPort *http.Server // nil: none
	logMu       sync.Mutex
	audit       auditTail
	stopOnce    sync.Once
}

// startTimeout is how long the control plane may take to come up, on a machine
// that is busy with other things.
const startTimeout = 2 * time.Minute

// Start starts a lab and returns when its API server is ready and its AWS
// endpoint answers; there are no nodes yet. The context bounds the start only;
// Stop ends the lab.
func Start(ctx context.Context, o Options) (*Lab, error) {
	l := &Lab{options: o}
	if err := l.start(ctx); err != nil {
		l.Stop()
		return nil, fmt.Errorf("start the lab: %w", err)
	}
	return l, nil
}

func (l *Lab) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("not up after %s", startTimeout))
	defer cancel()
	begin := time.Now()
	if err := l.prepare(); err != nil {
		return err
	}
	var err error
	if l.processes, err = l.controlPlane(); err != nil {
		return err
	}
	if l.config, err = clientcmd.BuildConfigFromFlags("", l.path("lab.kubeconfig")); err != nil {
		return err
	}
	l.config.QPS, l.config.UserAgent = -1, "drainboard-lab"
	l.config.WarningHandler = rest.NoWarnings{} // of mirror pods' names, which have dots
	if l.client, err = kubernetes.NewForConfig(l.config); err != nil {
		return err
	}
	for _, name := range []string{Etcd, APIServer} {
		if err := l.processes[name].Start(); err != nil {
			return err
		}
	}
	if err := l.waitAPI(ctx); err != nil {
		return err
	}
	for _, name := range []string{ControllerManager, Scheduler, Kwok} {
		if err := l.processes[name].Start(); err != nil {
			return err
		}
	}
	l.logf("API server ready after %s", time.Since(begin).Round(10*time.Millisecond))
	l.machines = machines.New(machines.Options{
		Client: l.client, Log: l.logf, Region: l.options.Cloud.Region, Kubelet: l.kubelet,
		Boot: l.options.Times.Boot, Ready: l.options.Times.Ready, Terminate: l.options.Times.Terminate,
		Images: l.options.Images, Offers: l.options.Machines,
	})
	l.cloud = cloud.New(l.options.Cloud, l.machines)
	for ami, image := range l.machines.Images() {
		l.cloud.SetImage(ami, image.Name())
	}
	if err := l.cloud.Serve(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	return l.waitControllers(ctx)
}

// waitAPI waits until the API server says that it is ready. A component that
// ends meanwhile ends the wait, with the end of its log.
func (l *Lab) waitAPI(ctx context.Context) error {
	rest := l.client.Discovery().RESTClient()
	return try.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		if err := errors.Join(l.processes[Etcd].Alive(), l.processes[APIServer].Alive()); err != nil {
			return false, err
		}
		return rest.Get().AbsPath("/readyz").Timeout(time.Second).Do(ctx).Error() == nil, nil
	})
}

// waitControllers waits until the controller manager works: it has made the
// default ServiceAccount, without which no pod can be created.
func (l *Lab) waitControllers(ctx context.Context) error {
	return try.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		for _, name := range []string{ControllerManager, Scheduler, Kwok} {
			if err := l.processes[name].Alive(); err != nil {
				return false, err
			}
		}
		_, err := l.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err == nil, nil
	})
}

// Stop ends all processes and the AWS endpoint, and removes the directory if the
// lab made it. It may be called more than once.
func (l *Lab) Stop() {
	l.stopOnce.Do(func() {
		if l.controlPort != nil {
			_ = l.controlPort.Close()
			_ = os.Remove(l.path(controlFile))
		}
		for _, line := range l.lines {
			line.Close()
		}
		for _, g := range l.gates {
			g.Close()
		}
		for _, denier := range l.deniers {
			denier.close()
		}
		for _, s := range l.Shoots() {
			s.Close()
		}
		if l.cloud != nil {
			l.cloud.Close()
		}
		if l.eks != nil {
			l.eks.Close()
		}
		if l.machines != nil {
			l.machines.Stop()
		}
		// Nothing is kept, so all may go at the same time.
		var group sync.WaitGroup
		for _, process := range l.processes {
			group.Go(process.Stop)
		}
		group.Wait()
		if l.temporary {
			_ = os.RemoveAll(l.options.Dir)
		}
	})
}

// Restart stops a component (one of the component names, such as APIServer) and
// starts it again; for the API server it waits until it is ready.
func (l *Lab) Restart(ctx context.Context, component string) error {
	process := l.Process(component)
	process.Stop()
	if component == Kwok {
		// A new KWOK takes a node over only when its predecessor's lease has run
		// out, 40 s later.
		leases := l.client.CoordinationV1().Leases("kube-node-lease")
		if err := leases.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			return err
		}
	}
	if err := process.Start(); err != nil {
		return err
	}
	if component == APIServer || component == Etcd {
		return l.waitAPI(ctx)
	}
	return nil
}

// Process returns a component by name, to stop, kill, freeze and start it. It
// panics for an unknown name.
func (l *Lab) Process(component string) *process.Process {
	l.processMu.Lock()
	defer l.processMu.Unlock()
	process, ok := l.processes[component]
	if !ok {
		panic("lab: no component " + strconv.Quote(component))
	}
	return process
}

// Dir is the directory with the lab's state and logs.
func (l *Lab) Dir() string { return l.options.Dir }

// AuditLog is the file of the API server's audit log.
func (l *Lab) AuditLog() string { return l.options.AuditLog }

// Kubeconfig is the path of a kubeconfig with all rights (user "admin").
func (l *Lab) Kubeconfig() string { return l.path("admin.kubeconfig") }

// RESTConfig is the lab's own way to the API server (user "lab", user agent
// "drainboard-lab", no client-side rate limit).
func (l *Lab) RESTConfig() *rest.Config { return rest.CopyConfig(l.config) }

// Client is a client with RESTConfig.
func (l *Lab) Client() kubernetes.Interface { return l.client }

// Cloud is the AWS endpoint.
func (l *Lab) Cloud() *cloud.Cloud { return l.cloud }

// AWSEnv is the environment that makes an AWS SDK use the lab's endpoint.
func (l *Lab) AWSEnv() []string {
	return []string{
		"AWS_ENDPOINT_URL=" + l.cloud.URL(),
		"AWS_REGION=" + l.options.Cloud.Region,
		"AWS_ACCESS_KEY_ID=lab",
		"AWS_SECRET_ACCESS_KEY=lab",
		"AWS_EC2_METADATA_DISABLED=true",
	}
}

// Env is KUBECONFIG, AWSEnv, and the directory, by which `lab fault` finds the lab.
func (l *Lab) Env() []string {
	return append([]string{"KUBECONFIG=" + l.Kubeconfig(), "DRAINBOARD_LAB=" + l.Dir()}, l.AWSEnv()...)
}

func (l *Lab) path(name string) string { return filepath.Join(l.options.Dir, name) }

func (l *Lab) logf(format string, args ...any) {
	if l.options.Log == nil {
		return
	}
	l.logMu.Lock()
	defer l.logMu.Unlock()
	fmt.Fprintf(l.options.Log, "lab: "+format+"\n", args...)
}
