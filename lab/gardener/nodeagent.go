package gardener

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/try"
)

// rolledBackKey is the annotation by which a node agent remembers which system it tried
// to boot. While it names the one that is wanted, it does not try again.
const rolledBackKey = "node-agent.gardener.cloud/updating-operating-system-version"

// A nodeImage is what the nodes of a pool are to be.
type nodeImage struct {
	Kubelet string // version
	OS      string // version of the machine image
}

// system is the name that a node gives its operating system.
func (i nodeImage) system() string { return "Garden Linux " + i.OS }

// UpdateFault is how updates in place go wrong.
type UpdateFault struct {
	Node     string // empty: every node of the pool
	Times    int    // tries that fail; 0: all
	Reason   string // that the node gives; empty: the kubelet is not healthy
	Rollback bool   // the system boots the old image, and the node agent tries no more
}

// A nodeAgent stands in for gardener-node-agent on every node of a Shoot, and for what
// takes the taint away that keeps pods off new nodes (gardener-resource-manager). An
// update in place takes ShootTimes.Update and ends with all pods of the node deleted, as
// Gardener's does; one that failed is tried again after ShootTimes.Retry.
type nodeAgent struct {
	shoot  *Shoot
	events chan struct{}

	// Of the nodes that are minded: when their components are ready, and when their
	// update, or its next try, ends.
	components, updates map[string]time.Time

	mu     sync.Mutex
	images map[string]nodeImage     // by pool
	slow   map[string]time.Duration // by pool: what an update takes
	broken map[string]*UpdateFault  // by pool
}

func newNodeAgent(s *Shoot) *nodeAgent {
	return &nodeAgent{
		shoot: s, events: make(chan struct{}, 1), components: map[string]time.Time{}, updates: map[string]time.Time{},
		images: map[string]nodeImage{}, slow: map[string]time.Duration{}, broken: map[string]*UpdateFault{},
	}
}

// want says what the nodes of all pools are to be from now on.
func (a *nodeAgent) want(images map[string]nodeImage) {
	a.mu.Lock()
	a.images = images
	a.mu.Unlock()
	a.happened()
}

func (a *nodeAgent) happened() {
	select {
	case a.events <- struct{}{}:
	default:
	}
}

// run works until the context ends.
func (a *nodeAgent) run(ctx context.Context) {
	nodes := a.shoot.client.CoreV1().Nodes()
	mine := metav1.ListOptions{LabelSelector: a.shoot.nodeSelector()}
	go follow(ctx, a.happened, func() (watch.Interface, error) { return nodes.Watch(ctx, mine) })
	for {
		next := time.Now().Add(time.Minute)
		list, err := nodes.List(ctx, mine)
		if err == nil {
			for i := range list.Items {
				due, failed := a.see(ctx, &list.Items[i])
				if failed != nil {
					err, due = failed, time.Now().Add(500*time.Millisecond)
				}
				if !due.IsZero() && due.Before(next) {
					next = due
				}
			}
		}
		if err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) {
			a.shoot.host.Log("node agent of %s: %v", a.shoot.Name, err)
			next = time.Now().Add(500 * time.Millisecond)
		}
		wait := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-a.events:
			wait.Stop()
		case <-wait.C:
		}
	}
}

// see does what a node needs now, and says when it needs something again; zero for not
// before something happens.
func (a *nodeAgent) see(ctx context.Context, node *corev1.Node) (time.Time, error) {
	first, err := a.admit(ctx, node)
	if err != nil {
		return time.Time{}, err
	}
	second, err := a.update(ctx, node)
	if second.IsZero() || !first.IsZero() && first.Before(second) {
		return first, err
	}
	return second, err
}

// admit takes the taint off a node whose critical components are ready.
func (a *nodeAgent) admit(ctx context.Context, node *corev1.Node) (time.Time, error) {
	if !tainted(node, criticalTaint) || !machines.NodeReady(node) {
		delete(a.components, node.Name)
		return time.Time{}, nil
	}
	due, known := a.components[node.Name]
	if !known {
		due = time.Now().Add(a.shoot.options.Times.Components)
		a.components[node.Name] = due
	}
	if time.Now().Before(due) {
		return due, nil
	}
	kept := []corev1.Taint{}
	for _, t := range node.Spec.Taints {
		if t.Key != criticalTaint {
			kept = append(kept, t)
		}
	}
	change := map[string]any{"metadata": map[string]any{"resourceVersion": node.ResourceVersion}, "spec": map[string]any{"taints": kept}}
	return time.Time{}, a.patch(ctx, node.Name, change)
}

// update brings a node to what its pool is to be: at once if only the patch version of
// its kubelet differs, or else when it is ready for an update in place.
func (a *nodeAgent) update(ctx context.Context, node *corev1.Node) (time.Time, error) {
	pool := node.Labels[poolLabel]
	a.mu.Lock()
	image, known := a.images[pool]
	takes := a.shoot.options.Times.Update
	if slow, ok := a.slow[pool]; ok {
		takes = slow
	}
	a.mu.Unlock()
	info := node.Status.NodeInfo
	if !known {
		return time.Time{}, nil
	}
	if info.KubeletVersion != image.Kubelet && minor(info.KubeletVersion) == minor(image.Kubelet) && info.OSImage == image.system() {
		return time.Time{}, a.install(ctx, node.Name, image)
	}
	result := node.Labels[machineapi.LabelKeyNodeUpdateResult]
	ready := inPlaceReason(node) == machineapi.ReadyForUpdate
	if result == machineapi.LabelValueNodeUpdateSuccessful || !ready && result != machineapi.LabelValueNodeUpdateFailed || node.Annotations[rolledBackKey] == image.OS {
		delete(a.updates, node.Name)
		return time.Time{}, nil
	}
	due, begun := a.updates[node.Name]
	if !begun {
		due = time.Now().Add(takes)
		if result == machineapi.LabelValueNodeUpdateFailed {
			due = time.Now().Add(a.shoot.options.Times.Retry)
		}
		a.updates[node.Name] = due
	}
	if time.Now().Before(due) {
		return due, nil
	}
	delete(a.updates, node.Name)
	if fault := a.breaks(pool, node.Name); fault != nil {
		return time.Now(), a.fail(ctx, node, image, *fault)
	}
	return time.Time{}, a.succeed(ctx, node, image)
}

// inPlaceReason is the reason of a node's condition for updates in place.
func inPlaceReason(node *corev1.Node) string {
	for _, c := range node.Status.Conditions {
		if c.Type == machineapi.NodeInPlaceUpdate {
			return c.Reason
		}
	}
	return ""
}

// breaks is the fault by which the update of a node fails, nil if it does not.
func (a *nodeAgent) breaks(pool, node string) *UpdateFault {
	a.mu.Lock()
	defer a.mu.Unlock()
	fault := a.broken[pool]
	if fault == nil || fault.Node != "" && fault.Node != node {
		return nil
	}
	now := *fault
	if fault.Times == 1 {
		delete(a.broken, pool)
	} else if fault.Times > 1 {
		fault.Times--
	}
	return &now
}

// install has the kubelet of a node, and its system, report new versions.
func (a *nodeAgent) install(ctx context.Context, node string, image nodeImage) error {
	change := map[string]any{"status": map[string]any{"nodeInfo": map[string]any{"kubeletVersion": image.Kubelet, "osImage": image.system()}}}
	if err := a.patch(ctx, node, change, "status"); err != nil {
		return err
	}
	return a.patch(ctx, node, map[string]any{"metadata": map[string]any{
		"labels": map[string]any{kubernetesVersionLabel: strings.TrimPrefix(image.Kubelet, "v")},
	}})
}

// succeed ends an update in place: new versions, no pod left from before, and the label
// for machine-controller-manager.
func (a *nodeAgent) succeed(ctx context.Context, node *corev1.Node, image nodeImage) error {
	if err := a.install(ctx, node.Name, image); err != nil {
		return err
	}
	api := a.shoot.client.CoreV1()
	pods, err := api.Pods("").List(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", node.Name).String()})
	if err != nil {
		return err
	}
	for _, pod := range pods.Items {
		if err := try.IgnoreGone(api.Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{})); err != nil {
			return err
		}
	}
	return a.patch(ctx, node.Name, map[string]any{"metadata": map[string]any{
		"labels":      map[string]any{machineapi.LabelKeyNodeUpdateResult: machineapi.LabelValueNodeUpdateSuccessful},
		"annotations": map[string]any{machineapi.AnnotationKeyMachineUpdateFailedReason: nil, rolledBackKey: nil},
	}})
}

// fail ends a try to update in place.
func (a *nodeAgent) fail(ctx context.Context, node *corev1.Node, image nodeImage, fault UpdateFault) error {
	reason := fault.Reason
	annotations := map[string]any{}
	switch {
	case fault.Rollback:
		annotations[rolledBackKey] = image.OS
		reason = fmt.Sprintf("OS update might have failed and rolled back to the previous version. Desired version: %q, Current version: %q",
			image.OS, strings.TrimPrefix(node.Status.NodeInfo.OSImage, "Garden Linux "))
	case reason == "":
		reason = "kubelet is not healthy after in-place update: context deadline exceeded"
	}
	annotations[machineapi.AnnotationKeyMachineUpdateFailedReason] = reason
	return a.patch(ctx, node.Name, map[string]any{"metadata": map[string]any{
		"labels":      map[string]any{machineapi.LabelKeyNodeUpdateResult: machineapi.LabelValueNodeUpdateFailed},
		"annotations": annotations,
	}})
}

func (a *nodeAgent) patch(ctx context.Context, node string, change any, subresource ...string) error {
	data, err := json.Marshal(change)
	if err != nil {
		return err
	}
	_, err = a.shoot.client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, data, metav1.PatchOptions{}, subresource...)
	return try.IgnoreGone(err)
}
