package eks

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/drainboard/drainboard/lab/cloud"
)

// Who the service is when it acts: an access key in Cloud.Calls, a user in the audit log.
const (
	ServiceKey  = "AWSServiceRoleForAmazonEKSNodegroup"
	ServiceUser = "eks:node-manager"
)

// A Release is one of the AMI releases of a Kubernetes version.
type Release struct {
	Kubernetes string // 1.32
	Version    string // 1.32.1-20250203
	AMI        string
}

// Options describe the service and its one cluster. Cluster and Releases are needed.
type Options struct {
	Cluster string // its name
	Version string // of its control plane, such as 1.32
	// Releases are those of Amazon Linux 2023 for x86_64, oldest first: the last one of a
	// version is the recommended one.
	Releases []Release
	Times    Times
	// Seed of the random picks.
	Seed uint64
	// Log takes a line for each Entry. nil: silent.
	Log io.Writer
}

// Times are how long things take and may take. Zero means what the service does, as far
// as is known; a nanosecond means none.
type Times struct {
	// Poll is how often the worker looks whether something has come true; default 5 s.
	Poll time.Duration
	// Setup is from the call to the first change; default 10 s.
	Setup time.Duration
	// Join is how long new nodes may take to be Ready until NodeCreationFailure; default
	// 15 min.
	Join time.Duration
	// Window is how long the pods of a node may take to leave it; default 15 min. With
	// force they are deleted after one, without it the update fails after Windows of
	// them; default 3.
	Window  time.Duration
	Windows int
	// Retry is the time between two attempts to evict; default 5 s.
	Retry time.Duration
	// Settle is from the end of a drain to the termination with DEFAULT; default 60 s. MINIMAL has no such wait.
	Settle time.Duration
	// Shrink is between two steps of the scale down; default 30 s.
	Shrink time.Duration
	// Delete is how long the pods of a node may take when the node group is deleted, or
	// the Auto Scaling group terminates a node; default 5 min.
	Delete time.Duration
	// Config is how long an update of the configuration takes; default 10 s.
	Config time.Duration
}

func (t Times) withDefaults() Times {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&t.Poll, 5*time.Second)
	set(&t.Setup, 10*time.Second)
	set(&t.Join, 15*time.Minute)
	set(&t.Window, 15*time.Minute)
	set(&t.Retry, 5*time.Second)
	set(&t.Settle, time.Minute)
	set(&t.Shrink, 30*time.Second)
	set(&t.Delete, 5*time.Minute)
	set(&t.Config, 10*time.Second)
	if t.Windows == 0 {
		t.Windows = 3
	}
	return t
}

// Service is the running service. Its methods may be called from any goroutine.
type Service struct {
	o     Options
	cloud *cloud.Cloud
	kube  kubernetes.Interface
	asg   *autoscaling.Client
	ec2   *ec2.Client

	ctx  context.Context
	stop context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	times    Times
	taints   bool                  // see SetTaints
	groups   map[string]*nodegroup // by name
	insights []types.Insight
	tokens   map[string]string // operation and client token: the update's id
	random   *rand.Rand
	log      []Entry
}

// nodegroup is a node group with what the service keeps of it beside its description.
type nodegroup struct {
	types.Nodegroup
	template string // id of the launch template that the service made for it
	updates  []*types.Update
	active   bool // an update, or the deletion, is under way
	ending   map[string]bool
}

// asg is the name of its Auto Scaling group.
func (n *nodegroup) asg() string { return *n.Resources.AutoScalingGroups[0].Name }

// New mounts the service in a cloud that is served already. Its worker reaches the
// control plane with config, impersonating ServiceUser.
func New(o Options, c *cloud.Cloud, config *rest.Config) (*Service, error) {
	if o.Cluster == "" || len(o.Releases) == 0 || c.URL() == "" {
		return nil, fmt.Errorf("the lab's EKS needs the name of a cluster, releases, and a served cloud")
	}
	as := rest.CopyConfig(config)
	as.Impersonate = rest.ImpersonationConfig{UserName: ServiceUser}
	as.UserAgent = ServiceUser
	kube, err := kubernetes.NewForConfig(as)
	if err != nil {
		return nil, err
	}
	admin, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	if err := grant(ctx, admin); err != nil {
		stop()
		return nil, err
	}
	account := aws.Config{
		Region: c.Region(), BaseEndpoint: aws.String(c.URL()), HTTPClient: &http.Client{},
		Credentials: credentials.NewStaticCredentialsProvider(ServiceKey, "service", ""),
	}
	s := &Service{
		o: o, cloud: c, kube: kube, asg: autoscaling.NewFromConfig(account), ec2: ec2.NewFromConfig(account),
		ctx: ctx, stop: stop,
		times: o.Times.withDefaults(), groups: map[string]*nodegroup{}, tokens: map[string]string{},
		random: rand.New(rand.NewPCG(o.Seed, o.Seed)),
	}
	c.Mount(eksName, s)
	c.Mount(ssmName, parameters{s})
	c.Mount(quotasName, quotas{s})
	s.work.Go(s.keepHooks)
	return s, nil
}

// Close ends all work under way.
func (s *Service) Close() {
	s.stop()
	s.work.Wait()
}

// SetTimes changes how long things take from now on.
func (s *Service) SetTimes(t Times) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times = t.withDefaults()
}

func (s *Service) now() Times {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.times
}

// SetTaints lets updates from now on taint old nodes, as the service did in former years,
// instead of cordoning and labelling them.
func (s *Service) SetTaints(taints bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taints = taints
}

// SetInsights sets what the service has found out about the cluster.
func (s *Service) SetInsights(insights ...types.Insight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.insights = insights
}

// SetIssues sets the health issues of a node group. It panics for an unknown one.
func (s *Service) SetIssues(name string, issues ...types.Issue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups[name].Health = &types.NodegroupHealth{Issues: issues}
}

// SetUpdateStatus makes an update tell a status, such as one that no SDK knows yet, while
// its work continues. It panics for an unknown node group.
func (s *Service) SetUpdateStatus(group, id string, status types.UpdateStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.groups[group].updates {
		if *u.Id == id {
			u.Status = status
		}
	}
}

// AutoScalingGroup is the name of a node group's Auto Scaling group, "" for an unknown
// node group.
func (s *Service) AutoScalingGroup(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.groups[name]; n != nil {
		return n.asg()
	}
	return ""
}

// Steps of an Entry.
const (
	SetUp      = "setup"
	ScaleUp    = "scale up"
	Upgrade    = "upgrade"
	ScaleDown  = "scale down"
	Marked     = "marked"  // an old node
	Picked     = "picked"  // a node to drain
	Evicted    = "evicted" // a pod: the eviction was accepted
	Refused    = "refused" // a pod: the eviction was refused
	Deleted    = "deleted" // a pod, by force
	Drained    = "drained"
	Terminated = "terminated" // asked for
	Gone       = "gone"       // a node that was terminated
	Shrunk     = "shrunk"     // one step of the scale down
	LeftRaised = "left raised"
	Succeeded  = "succeeded"
	Failed     = "failed"
)

// Entry is something that the worker did.
type Entry struct {
	Time      time.Time
	Group     string
	Update    string // id, "" for what belongs to none
	Step      string // one of the steps above
	Node, Pod string // where the step has one; Pod is NAMESPACE/NAME
	Detail    string
}

// Log is what the worker did so far, oldest first.
func (s *Service) Log() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// note writes an entry down.
func (s *Service) note(e Entry) {
	e.Time = time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, e)
	if s.o.Log != nil {
		fmt.Fprintf(s.o.Log, "eks: %s %s %s %s %s\n", e.Group, e.Step, e.Node, e.Pod, e.Detail)
	}
}
