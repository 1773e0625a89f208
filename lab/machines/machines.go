package machines

import (
	"context"
	"encoding/base64"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/kops"
	"github.com/drainboard/drainboard/lab/try"
)

// EKSGroupLabel makes a node one of an EKS node group: with it among the labels of its user
// data a node gets the others that EKS gives. The service itself, package eks, gives its nodes
// their eksImageLabel too, and all others.
const (
	EKSGroupLabel = "eks.amazonaws.com/nodegroup"
	eksImageLabel = "eks.amazonaws.com/nodegroup-image"
)

// The AMIs of Lab.AddGroup's defaults, with an old and a new kubelet.
const (
	OldAMI = "ami-0a131131131131131"
	NewAMI = "ami-0a132132132132132"
)

// An Image is what boots from an AMI.
type Image struct {
	Kubelet    string        // version that the node reports, such as "v1.32.1"
	Ready      time.Duration // from the Node to its being Ready; 0: Options.Ready
	NeverReady bool          // the Node stays NotReady
}

// DefaultImages are the AMIs that every lab knows. An unknown one boots like
// NewAMI.
var DefaultImages = map[string]Image{
	OldAMI: {Kubelet: "v1.31.4"},
	NewAMI: {Kubelet: "v1.32.1"},
}

// An Offer is what an instance type offers to pods, as Kubernetes quantities.
type Offer struct {
	CPU, Memory string
	Pods        int
}

// DefaultOffers are the instance types that every lab knows. An unknown one
// is like m5.large.
var DefaultOffers = map[string]Offer{
	"m5.large":   {"1930m", "7244Mi", 29},
	"m5.xlarge":  {"3920m", "14918Mi", 58},
	"m5.2xlarge": {"7910m", "30508Mi", 58},
	"m6i.large":  {"1930m", "7244Mi", 29},
	"m5a.large":  {"1930m", "7244Mi", 29},
}

// A Fleet turns the cloud's instances into Nodes: the hooks that cloud.New
// takes. A Node comes Boot after the launch and goes, with its pods, Terminate
// after the shutdown, as a cloud controller and the pod collector would do
// within minutes.
type Fleet struct {
	o      Options
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu         sync.Mutex
	images     map[string]Image
	neverReady map[string]int      // group: launches left whose nodes do not turn Ready
	nodes      map[string]*machine // by instance id
}

type machine struct {
	node   string
	cancel context.CancelFunc // ends a boot under way
	booted chan struct{}      // closed when the boot is over
}

// Options are what machines boot with. Times are used as they are: zero means none.
type Options struct {
	Client    kubernetes.Interface
	Log       func(format string, args ...any)
	Region    string
	Kubelet   int              // port of all kubelets, which are one program
	Boot      time.Duration    // from an instance's launch to its Node
	Ready     time.Duration    // from the Node to its being Ready, if the image says nothing
	Terminate time.Duration    // from an instance's shutdown to the end of its Node
	Images    map[string]Image // by AMI, beside DefaultImages
	Offers    map[string]Offer // by instance type, beside DefaultOffers
}

// New is a fleet without machines.
func New(o Options) *Fleet {
	m := &Fleet{o: o, images: maps.Clone(DefaultImages), neverReady: map[string]int{}, nodes: map[string]*machine{}}
	maps.Copy(m.images, o.Images)
	m.ctx, m.cancel = context.WithCancel(context.Background())
	return m
}

// Name is how EC2 names the image: after its kubelet.
func (i Image) Name() string { return "lab-node-" + i.Kubelet }

// Options are those that the fleet was made with.
func (m *Fleet) Options() Options { return m.o }

// SetImage says what boots from an AMI from now on.
func (m *Fleet) SetImage(ami string, image Image) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.images[ami] = image
}

// Images says what boots from each known AMI.
func (m *Fleet) Images() map[string]Image {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.images)
}

// NeverReady makes the nodes of a group's next n instances stay NotReady; 0 ends
// that for instances launched from then on.
func (m *Fleet) NeverReady(group string, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.neverReady[group] = n
}

// Context ends with Stop, as the boots and removals of others that have their Nodes from here do.
func (m *Fleet) Context() context.Context { return m.ctx }

// Stop ends all boots and removals under way.
func (m *Fleet) Stop() {
	m.cancel()
	m.work.Wait()
}

// Launch implements cloud.Machines.
func (m *Fleet) Launch(i cloud.Instance) {
	if kops.Nodeless(i.Tags) {
		return
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	image, ok := m.images[i.ImageID]
	if !ok {
		image = m.images[NewAMI]
	}
	if image.Ready == 0 {
		image.Ready = m.o.Ready
	}
	if m.neverReady[i.Group] > 0 {
		m.neverReady[i.Group]--
		image.NeverReady = true
	}
	booting := &machine{node: i.PrivateDNS, cancel: cancel, booted: make(chan struct{})}
	m.nodes[i.ID] = booting
	m.work.Go(func() {
		defer close(booting.booted)
		if !try.Sleep(ctx, m.o.Boot) {
			return
		}
		node := m.node(i, image)
		try.Insist(ctx, m.o.Log, "create node "+node.Name, func() error {
			_, err := m.o.Client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
			return err
		})
		m.mirror(ctx, node)
	})
}

// mirror creates the mirror pods of a node, as its kubelet does.
func (m *Fleet) mirror(ctx context.Context, node *corev1.Node) {
	if len(kops.MirrorPods(node)) == 0 {
		return
	}
	try.Insist(ctx, m.o.Log, "read node "+node.Name, func() error { // they name its UID
		created, err := m.o.Client.CoreV1().Nodes().Get(ctx, node.Name, metav1.GetOptions{})
		if err == nil {
			node = created
		}
		return err
	})
	if node.UID == "" {
		return // it is gone already
	}
	for _, pod := range kops.MirrorPods(node) {
		try.Insist(ctx, m.o.Log, "create pod "+pod.Name, func() error {
			_, err := m.o.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
			return err
		})
	}
}

// Terminate implements cloud.Machines.
func (m *Fleet) Terminate(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	gone, ok := m.nodes[id]
	if !ok {
		return
	}
	delete(m.nodes, id)
	gone.cancel()
	m.work.Go(func() {
		<-gone.booted
		if try.Sleep(m.ctx, m.o.Terminate) {
			m.Remove(gone.node)
		}
	})
}

// Remove deletes a Node and the pods that were on it.
func (m *Fleet) Remove(node string) {
	api := m.o.Client.CoreV1()
	try.Insist(m.ctx, m.o.Log, "delete node "+node, func() error {
		return api.Nodes().Delete(m.ctx, node, metav1.DeleteOptions{})
	})
	try.Insist(m.ctx, m.o.Log, "delete the pods of "+node, func() error {
		pods, err := api.Pods("").List(m.ctx, metav1.ListOptions{
			FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node).String(),
		})
		if err != nil {
			return err
		}
		for _, pod := range pods.Items {
			err := api.Pods(pod.Namespace).Delete(m.ctx, pod.Name, metav1.DeleteOptions{
				GracePeriodSeconds: new(int64(0)),
				Preconditions:      metav1.NewUIDPreconditions(string(pod.UID)),
			})
			if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
				return err
			}
		}
		return nil
	})
}

// node is the Node object of an instance, with labels as its user data asks and as EKS
// would give them.
func (m *Fleet) node(i cloud.Instance, image Image) *corev1.Node {
	labels := kubeletLabels(i.UserData)
	given, taints := kops.NodeOf(i.Tags)
	taints = append(taints, kubeletTaints(i.UserData)...)
	maps.Copy(labels, given)
	if labels[EKSGroupLabel] != "" && labels[eksImageLabel] == "" {
		labels[eksImageLabel] = i.ImageID
		labels["eks.amazonaws.com/sourceLaunchTemplateId"] = i.TemplateID
		labels["eks.amazonaws.com/sourceLaunchTemplateVersion"] = strconv.FormatInt(i.TemplateVersion, 10)
	}
	ready := image.Ready.String()
	if image.NeverReady {
		ready = "never"
	}
	return m.Register(Booted{
		Node: i.PrivateDNS, IP: i.PrivateIP, ProviderID: "aws:///" + i.Zone + "/" + i.ID,
		Zone: i.Zone, Type: i.Type, Group: i.Group, Ready: ready, Labels: labels, Taints: taints,
		Kubelet: image.Kubelet, System: "Amazon Linux 2023", Runtime: "containerd://1.7.27", Kernel: "6.1.0",
	})
}

// Resources of an instance type, as a Node's allocatable.
func (m *Fleet) Resources(instanceType string) corev1.ResourceList {
	offer, ok := m.o.Offers[instanceType]
	if !ok {
		if offer, ok = DefaultOffers[instanceType]; !ok {
			offer = DefaultOffers["m5.large"]
		}
	}
	return corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(offer.CPU),
		corev1.ResourceMemory: resource.MustParse(offer.Memory),
		corev1.ResourcePods:   *resource.NewQuantity(int64(offer.Pods), resource.DecimalSI),
	}
}

var nodeLabels = regexp.MustCompile(`--node-labels[= ]["']?([^\s"']+)`)

// kubeletLabels reads the kubelet's --node-labels=a=b,c=d out of user data,
// which may be in base64.
func kubeletLabels(userData string) map[string]string {
	if decoded, err := base64.StdEncoding.DecodeString(userData); err == nil {
		userData = string(decoded)
	}
	labels := map[string]string{}
	for _, match := range nodeLabels.FindAllStringSubmatch(userData, -1) {
		for pair := range strings.SplitSeq(match[1], ",") {
			if key, value, ok := strings.Cut(pair, "="); ok {
				labels[key] = value
			}
		}
	}
	return labels
}

var nodeTaints = regexp.MustCompile(`--register-with-taints[= ]["']?([^\s"']+)`)

// kubeletTaints reads the kubelet's --register-with-taints=a=b:NoSchedule,c=d:NoExecute out of
// user data, which may be in base64.
func kubeletTaints(userData string) (taints []corev1.Taint) {
	if decoded, err := base64.StdEncoding.DecodeString(userData); err == nil {
		userData = string(decoded)
	}
	for _, match := range nodeTaints.FindAllStringSubmatch(userData, -1) {
		for one := range strings.SplitSeq(match[1], ",") {
			pair, effect, _ := strings.Cut(one, ":")
			key, value, _ := strings.Cut(pair, "=")
			taints = append(taints, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)})
		}
	}
	return taints
}
