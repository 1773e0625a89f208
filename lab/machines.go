package lab

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

	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/try"
)

// eksGroupLabel makes a node one of an EKS node group; see machines.node. The service
// itself, package eks, gives its nodes their eksImageLabel too, and all others.
const (
	eksGroupLabel = "eks.amazonaws.com/nodegroup"
	eksImageLabel = "eks.amazonaws.com/nodegroup-image"
)

// The AMIs of AddGroup's defaults, with an old and a new kubelet.
const (
	OldAMI = "ami-0a131131131131131"
	NewAMI = "ami-0a132132132132132"
)

// An Image is what boots from an AMI.
type Image struct {
	Kubelet    string        // version that the node reports, such as "v1.32.1"
	Ready      time.Duration // from the Node to its being Ready; 0: Times.Ready
	NeverReady bool          // the Node stays NotReady
}

// DefaultImages are the AMIs that every lab knows. An unknown one boots like
// NewAMI.
var DefaultImages = map[string]Image{
	OldAMI: {Kubelet: "v1.31.4"},
	NewAMI: {Kubelet: "v1.32.1"},
}

// A Machine is what an instance type offers to pods, as Kubernetes quantities.
type Machine struct {
	CPU, Memory string
	Pods        int
}

// DefaultMachines are the instance types that every lab knows. An unknown one
// is like m5.large.
var DefaultMachines = map[string]Machine{
	"m5.large":   {"1930m", "7244Mi", 29},
	"m5.xlarge":  {"3920m", "14918Mi", 58},
	"m5.2xlarge": {"7910m", "30508Mi", 58},
	"m6i.large":  {"1930m", "7244Mi", 29},
	"m5a.large":  {"1930m", "7244Mi", 29},
}

// machines turns the cloud's instances into Nodes: the hooks that cloud.New
// takes. A Node comes Boot after the launch and goes, with its pods, Terminate
// after the shutdown, as a cloud controller and the pod collector would do
// within minutes.
type machines struct {
	lab    *Lab
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

func newMachines(l *Lab) *machines {
	m := &machines{lab: l, images: maps.Clone(DefaultImages), neverReady: map[string]int{}, nodes: map[string]*machine{}}
	maps.Copy(m.images, l.options.Images)
	m.ctx, m.cancel = context.WithCancel(context.Background())
	return m
}

// SetImage says what boots from an AMI from now on. EC2 names the image after
// its kubelet.
func (l *Lab) SetImage(ami string, image Image) {
	l.machines.mu.Lock()
	l.machines.images[ami] = image
	l.machines.mu.Unlock()
	l.cloud.SetImage(ami, imageName(image))
}

// NeverReady makes the nodes of a group's next n instances stay NotReady; 0 ends
// that for instances launched from then on. See Image for an AMI that does so, and
// cloud.NeverJoin for instances without a node.
func (l *Lab) NeverReady(group string, n int) {
	l.machines.mu.Lock()
	defer l.machines.mu.Unlock()
	l.machines.neverReady[group] = n
}

func imageName(image Image) string { return "lab-node-" + image.Kubelet }

// stop ends all boots and removals under way.
func (m *machines) stop() {
	m.cancel()
	m.work.Wait()
}

// Launch implements cloud.Machines.
func (m *machines) Launch(i cloud.Instance) {
	if bastion(i.Tags) {
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
		image.Ready = m.lab.options.Times.Ready
	}
	if m.neverReady[i.Group] > 0 {
		m.neverReady[i.Group]--
		image.NeverReady = true
	}
	booting := &machine{node: i.PrivateDNS, cancel: cancel, booted: make(chan struct{})}
	m.nodes[i.ID] = booting
	m.work.Go(func() {
		defer close(booting.booted)
		if !try.Sleep(ctx, m.lab.options.Times.Boot) {
			return
		}
		node := m.node(i, image)
		m.insist(ctx, "create node "+node.Name, func() error {
			_, err := m.lab.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
			return err
		})
		m.mirror(ctx, node)
	})
}

// mirror creates the mirror pods of a node, as its kubelet does.
func (m *machines) mirror(ctx context.Context, node *corev1.Node) {
	if len(mirrorPods(node)) == 0 {
		return
	}
	m.insist(ctx, "read node "+node.Name, func() error { // they name its UID
		created, err := m.lab.client.CoreV1().Nodes().Get(ctx, node.Name, metav1.GetOptions{})
		if err == nil {
			node = created
		}
		return err
	})
	if node.UID == "" {
		return // it is gone already
	}
	for _, pod := range mirrorPods(node) {
		m.insist(ctx, "create pod "+pod.Name, func() error {
			_, err := m.lab.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
			return err
		})
	}
}

// Terminate implements cloud.Machines.
func (m *machines) Terminate(id string) {
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
		if try.Sleep(m.ctx, m.lab.options.Times.Terminate) {
			m.remove(gone.node)
		}
	})
}

// remove deletes a Node and the pods that were on it.
func (m *machines) remove(node string) {
	api := m.lab.client.CoreV1()
	m.insist(m.ctx, "delete node "+node, func() error {
		return api.Nodes().Delete(m.ctx, node, metav1.DeleteOptions{})
	})
	m.insist(m.ctx, "delete the pods of "+node, func() error {
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

// insist repeats a request until it is done, since the API server may be away.
func (m *machines) insist(ctx context.Context, what string, do func() error) {
	for {
		err := do()
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) {
			return
		}
		if ctx.Err() == nil {
			m.lab.logf("%s: %v", what, err)
		}
		if !try.Sleep(ctx, 500*time.Millisecond) {
			return
		}
	}
}

// node is the Node object of an instance, with labels as its user data asks and as EKS
// would give them.
func (m *machines) node(i cloud.Instance, image Image) *corev1.Node {
	labels := kubeletLabels(i.UserData)
	kops, taints := kopsLabels(i.Tags)
	taints = append(taints, kubeletTaints(i.UserData)...)
	maps.Copy(labels, kops)
	if labels[eksGroupLabel] != "" && labels[eksImageLabel] == "" {
		labels[eksImageLabel] = i.ImageID
		labels["eks.amazonaws.com/sourceLaunchTemplateId"] = i.TemplateID
		labels["eks.amazonaws.com/sourceLaunchTemplateVersion"] = strconv.FormatInt(i.TemplateVersion, 10)
	}
	ready := image.Ready.String()
	if image.NeverReady {
		ready = "never"
	}
	return m.register(bootedMachine{
		node: i.PrivateDNS, ip: i.PrivateIP, providerID: "aws:///" + i.Zone + "/" + i.ID,
		zone: i.Zone, kind: i.Type, group: i.Group, ready: ready, labels: labels, taints: taints,
		kubelet: image.Kubelet, system: "Amazon Linux 2023", runtime: "containerd://1.7.27", kernel: "6.1.0",
	})
}

// resources of an instance type, as a Node's allocatable.
func (m *machines) resources(instanceType string) corev1.ResourceList {
	offer, ok := m.lab.options.Machines[instanceType]
	if !ok {
		if offer, ok = DefaultMachines[instanceType]; !ok {
			offer = DefaultMachines["m5.large"]
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
