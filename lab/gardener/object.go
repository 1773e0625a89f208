package gardener

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/try"
	"github.com/drainboard/drainboard/lab/workload"
)

// object is the Shoot as Gardener's API server would keep it, with its defaults.
func (o Options) object(s *Shoot) *shootObject {
	shoot := &shootObject{
		TypeMeta:   metav1.TypeMeta{APIVersion: shootResource.GroupVersion().String(), Kind: "Shoot"},
		ObjectMeta: metav1.ObjectMeta{Name: s.Name, Namespace: s.Namespace},
		Spec: shootSpec{
			Region:     s.host.Machines.Options().Region,
			Kubernetes: shootKubernetes{Version: o.KubernetesVersion, Kubelet: &shootKubelet{KubeReserved: json.RawMessage(`{"cpu":"80m","memory":"1Gi","pid":"20k"}`)}},
			Provider:   shootProvider{Type: "aws"},
		},
	}
	shoot.Spec.Maintenance.Confine = o.Confine
	shoot.Spec.Maintenance.TimeWindow.Begin, shoot.Spec.Maintenance.TimeWindow.End = o.Begin, o.End
	for _, p := range o.Pools {
		shoot.Spec.Provider.Workers = append(shoot.Spec.Provider.Workers, p.worker(o.ImageVersion))
	}
	return shoot
}

// worker is the pool as a worker of a Shoot.
func (p Pool) worker(image string) shootWorker {
	w := shootWorker{
		Name: p.Name, Minimum: p.Size, Maximum: p.Size, UpdateStrategy: p.Update, Zones: p.Zones,
		MaxSurge: intOrPercent(p.MaxSurge), MaxUnavailable: intOrPercent(p.MaxUnavailable),
		Machine: shootMachine{Type: p.Type}, Volume: &shootVolume{Type: "gp3", Size: "50Gi"},
		Labels: p.Labels, Taints: p.Taints,
		Limits: &shootLimits{
			Drain: limit(p.Drain), Health: limit(p.Health), Creation: limit(p.Creation), InPlace: limit(p.InPlace),
		},
	}
	w.Machine.Image.Name, w.Machine.Image.Version = "gardenlinux", image
	if p.MaxEvictRetries > 0 {
		w.Limits.MaxEvictRetries = new(int32(p.MaxEvictRetries))
	}
	if p.Update != AutoRollingUpdate {
		w.Limits.NoHealth = new(!p.GiveUp)
	}
	return w
}

func intOrPercent(s string) *intstr.IntOrString {
	if s == "" {
		return nil
	}
	return new(intstr.Parse(s))
}

func limit(d time.Duration) *metav1.Duration {
	if d == 0 {
		return nil
	}
	return &metav1.Duration{Duration: d}
}

// create makes the Shoot. A kind that is new takes the API server a moment.
func (s *Shoot) create(ctx context.Context, shoot *shootObject) error {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(shoot)
	if err != nil {
		return err
	}
	delete(content, "status")
	var last error
	err = try.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		_, last = s.shoots.Create(ctx, &unstructured.Unstructured{Object: content}, metav1.CreateOptions{})
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("create the Shoot: %w: %w", err, last)
	}
	return nil
}

// read is the Shoot as it is now.
func (s *Shoot) read(ctx context.Context) (*shootObject, error) {
	found, err := s.shoots.Get(ctx, s.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	data, err := found.MarshalJSON()
	if err != nil {
		return nil, err
	}
	shoot := &shootObject{}
	return shoot, json.Unmarshal(data, shoot)
}

// patch changes the Shoot, or with a subresource that.
func (s *Shoot) patch(ctx context.Context, change any, subresource ...string) error {
	data, err := json.Marshal(change)
	if err != nil {
		return err
	}
	_, err = s.shoots.Patch(ctx, s.Name, types.MergePatchType, data, metav1.PatchOptions{}, subresource...)
	return err
}

// A Change is what Change changes. What is empty stays.
type Change struct {
	KubernetesVersion string // of the whole Shoot
	ImageVersion      string // of the machine image
	ProviderConfig    string // of a pool, in JSON
	Pool              string // whose image or providerConfig it is; empty: all
	Operation         string // value of the annotation gardener.cloud/operation
}

// Change changes the Shoot as its owner does. It does not wait for what comes of it.
func (s *Shoot) Change(ctx context.Context, c Change) error {
	if err := s.change(ctx, c); err != nil {
		return fmt.Errorf("change shoot %s: %w", s.Name, err)
	}
	return nil
}

func (s *Shoot) change(ctx context.Context, c Change) error {
	spec := map[string]any{}
	if c.KubernetesVersion != "" {
		spec["kubernetes"] = map[string]any{"version": c.KubernetesVersion}
	}
	if c.ImageVersion != "" || c.ProviderConfig != "" {
		now, err := s.shoots.Get(ctx, s.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		workers, _, err := unstructured.NestedSlice(now.Object, "spec", "provider", "workers")
		if err != nil {
			return err
		}
		found := false
		for _, w := range workers {
			worker := w.(map[string]any)
			if c.Pool != "" && worker["name"] != c.Pool {
				continue
			}
			found = true
			if err := c.changeWorker(worker); err != nil {
				return err
			}
		}
		if !found {
			return fmt.Errorf("no pool %q", c.Pool)
		}
		spec["provider"] = map[string]any{"workers": workers}
	} else if c.Pool != "" {
		return fmt.Errorf("a pool alone is no change: say its image version or providerConfig as well")
	}
	change := map[string]any{"spec": spec}
	if c.Operation != "" {
		change["metadata"] = map[string]any{"annotations": map[string]string{operationKey: c.Operation}}
	}
	return s.patch(ctx, change)
}

// changeWorker changes what is given of a worker.
func (c Change) changeWorker(worker map[string]any) error {
	if c.ProviderConfig != "" {
		var config map[string]any
		if err := json.Unmarshal([]byte(c.ProviderConfig), &config); err != nil {
			return err
		}
		worker["providerConfig"] = config
	}
	if c.ImageVersion == "" {
		return nil
	}
	return unstructured.SetNestedField(worker, c.ImageVersion, "machine", "image", "version")
}

// Apply changes the Shoot by a manifest, in JSON, as kubectl apply does: pools are merged by name.
// By the server's side of it, since Gardener's patches are none that a custom resource takes.
func (s *Shoot) Apply(ctx context.Context, manifest []byte) error {
	if _, err := s.shoots.Patch(ctx, s.Name, types.ApplyPatchType, manifest, metav1.PatchOptions{FieldManager: "kubectl", Force: new(true)}); err != nil {
		return fmt.Errorf("apply to shoot %s: %w", s.Name, err)
	}
	return nil
}

// operationKey is the annotation by which a Shoot's owner asks for an operation.
const operationKey = "gardener.cloud/operation"

// WaitUpdated waits until the machines of a pool are all as the Shoot has it now, and
// their nodes can be used and name them.
func (s *Shoot) WaitUpdated(ctx context.Context, pool string) error {
	why := ""
	err := try.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		var err error
		why, err = s.unfinished(ctx, pool)
		return why == "" && err == nil, try.IgnoreUnlessDone(ctx, err)
	})
	if err != nil {
		return fmt.Errorf("pool %s: %s: %w", pool, why, err)
	}
	return nil
}

// unfinished says what keeps a pool from being up to date, nothing if it is.
func (s *Shoot) unfinished(ctx context.Context, pool string) (string, error) {
	shoot, err := s.read(ctx)
	if err != nil {
		return "", err
	}
	if shoot.Status.ObservedGeneration < shoot.Generation {
		return "the Shoot's change is not seen yet", nil
	}
	if at := shoot.Status.InPlaceUpdates; at != nil && (slices.Contains(at.Pending.Auto, pool) || slices.Contains(at.Pending.Manual, pool)) {
		return "the Shoot says that its update is pending", nil
	}
	list, err := s.machines.MachineDeployments(s.ControlNamespace).List(ctx, metav1.ListOptions{LabelSelector: poolLabel + "=" + pool})
	if err != nil {
		return "", err
	}
	if len(list.Items) == 0 {
		return "it has no machine deployments", nil
	}
	want := 0
	for i := range list.Items {
		d := &list.Items[i]
		if !complete(d) {
			return fmt.Sprintf("%s has %d of %d machines updated, %d available, %d in all", d.Name, d.Status.UpdatedReplicas, d.Spec.Replicas, d.Status.AvailableReplicas, d.Status.Replicas), nil
		}
		want += int(d.Spec.Replicas)
	}
	nodes, err := s.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: workload.GroupLabel + "=" + s.Group(pool)})
	if err != nil {
		return "", err
	}
	usable := 0
	for i := range nodes.Items {
		n := &nodes.Items[i]
		if machines.NodeReady(n) && !tainted(n, criticalTaint) && !n.Spec.Unschedulable && n.Labels[machineNameLabel] != "" {
			usable++
		}
	}
	if len(nodes.Items) != want || usable != want {
		return fmt.Sprintf("it has %d nodes, %d of them to use, not %d", len(nodes.Items), usable, want), nil
	}
	return "", nil
}

func tainted(node *corev1.Node, key string) bool {
	for _, t := range node.Spec.Taints {
		if t.Key == key {
			return true
		}
	}
	return false
}
