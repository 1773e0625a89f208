package gardener_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/gardener"
	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/process"
	"github.com/drainboard/drainboard/lab/try"
	"github.com/drainboard/drainboard/lab/workload"
)

// newVersion is what Shoots are rolled to.
const newVersion = "1.33.1"

// rollContext ends well before the test binary's own deadline. The steps of
// machine-controller-manager are 5 s apart, and refused evictions 20 s.
func rollContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func addShoot(ctx context.Context, t *testing.T, o gardener.Options) *gardener.Shoot {
	t.Helper()
	begin := time.Now()
	s, err := shared.AddShoot(ctx, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, (&process.Process{Log: filepath.Join(shared.Dir(), gardener.MachineControllerManager+"-"+o.Name+".log")}).Tail(30))
	}
	t.Logf("shoot %s is there after %s", o.Name, time.Since(begin).Round(100*time.Millisecond))
	return s
}

// machinesUntil follows the machines of a Shoot until enough says that it is, and returns
// their phases in the order in which each was seen first.
func machinesUntil(ctx context.Context, t *testing.T, s *gardener.Shoot, enough func(machines map[string]*machineapi.Machine) bool) []machineapi.MachinePhase {
	t.Helper()
	var phases []machineapi.MachinePhase
	seen := map[string]*machineapi.Machine{}
	api := s.Machines().Machines(s.ControlNamespace)
	for {
		list, err := api.List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		clear(seen)
		note := func(m *machineapi.Machine) {
			seen[m.Name] = m
			if phase := m.Status.CurrentStatus.Phase; !slices.Contains(phases, phase) {
				phases = append(phases, phase)
			}
		}
		for i := range list.Items {
			note(&list.Items[i])
		}
		if enough(seen) {
			return phases
		}
		w, err := api.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
		if err != nil {
			t.Fatal(err)
		}
		for e := range w.ResultChan() {
			m, ok := e.Object.(*machineapi.Machine)
			if !ok {
				break // the watch broke
			}
			note(m)
			if e.Type == watch.Deleted {
				delete(seen, m.Name)
			}
			if enough(seen) {
				w.Stop()
				return phases
			}
		}
		if ctx.Err() != nil {
			for name, m := range seen {
				t.Logf("%s: %s, %s: %s", name, m.Status.CurrentStatus.Phase, m.Status.LastOperation.State, m.Status.LastOperation.Description)
			}
			t.Fatalf("not what is waited for, seen so far: %q", phases)
		}
	}
}

// nodesUntil waits until enough nodes of a pool are as they should be.
func nodesUntil(ctx context.Context, t *testing.T, s *gardener.Shoot, pool string, n int, should func(*corev1.Node) bool) []corev1.Node {
	t.Helper()
	var nodes []corev1.Node
	err := try.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		var err error
		if nodes, err = shared.Nodes(ctx, s.Group(pool)); err != nil {
			return false, try.IgnoreUnlessDone(ctx, err)
		}
		nodes = slices.DeleteFunc(nodes, func(node corev1.Node) bool { return !should(&node) })
		return len(nodes) == n, nil
	})
	if err != nil {
		t.Fatalf("%d nodes of pool %s are as they should be, not %d: %v", len(nodes), pool, n, err)
	}
	return nodes
}

func kubelet(version string) func(*corev1.Node) bool {
	return func(node *corev1.Node) bool { return node.Status.NodeInfo.KubeletVersion == "v"+version }
}

func labelled(key string) func(*corev1.Node) bool {
	return func(node *corev1.Node) bool { return node.Labels[key] != "" }
}

func changeShoot(ctx context.Context, t *testing.T, s *gardener.Shoot, c gardener.Change) {
	t.Helper()
	if err := s.Change(ctx, c); err != nil {
		t.Fatal(err)
	}
}

func waitUpdated(ctx context.Context, t *testing.T, s *gardener.Shoot, pools ...string) {
	t.Helper()
	for _, pool := range pools {
		if err := s.WaitUpdated(ctx, pool); err != nil {
			t.Fatal(err)
		}
	}
}

// shootUntil waits for a status of a Shoot.
func shootUntil(ctx context.Context, t *testing.T, s *gardener.Shoot, what string, is func(gardener.Status) bool) gardener.Status {
	t.Helper()
	var shoot *gardener.Object
	err := try.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		var err error
		shoot, err = s.Read(ctx)
		return err == nil && is(shoot.Status), try.IgnoreUnlessDone(ctx, err)
	})
	if err != nil {
		t.Fatalf("the Shoot's status does not say that %s: %v\n%+v", what, err, shoot.Status)
	}
	return shoot.Status
}

func phases(all []machineapi.MachinePhase, wanted ...machineapi.MachinePhase) bool {
	for _, phase := range wanted {
		if !slices.Contains(all, phase) {
			return false
		}
	}
	return true
}

// A rolling update of three zones: surge and unavailability are of the pool and split
// over its zones, so that the first has a machine more and the others take theirs away
// first.
func TestShootRolls(t *testing.T) {
	t.Parallel()
	ctx := rollContext(t)
	s := addShoot(ctx, t, gardener.Options{Name: "rolls", Pools: []gardener.Pool{{Name: "workers", Size: 3, MaxSurge: "1", MaxUnavailable: "0"}}})
	deployments, err := s.Machines().MachineDeployments(s.ControlNamespace).List(ctx, metav1.ListOptions{})
	if err != nil || len(deployments.Items) != 3 {
		t.Fatalf("%d machine deployments, want one for each zone; %v", len(deployments.Items), err)
	}
	for n, d := range deployments.Items {
		surge := 0
		if n == 0 {
			surge = 1
		}
		if u := d.Spec.Strategy.RollingUpdate; u.MaxSurge.IntValue() != surge || u.MaxUnavailable.IntValue() != 0 || d.Spec.Replicas != 1 {
			t.Errorf("%s: %d machines, surge %v, unavailable %v", d.Name, d.Spec.Replicas, u.MaxSurge, u.MaxUnavailable)
		}
	}
	before := nodesUntil(ctx, t, s, "workers", 3, kubelet(gardener.FirstVersion))
	for _, node := range before {
		if node.Labels[gardener.MachineNameLabel] == node.Name || node.Labels[gardener.PoolLabel] != "workers" || node.Spec.ProviderID == "" {
			t.Errorf("node %s: %v, %s", node.Name, node.Labels, node.Spec.ProviderID)
		}
	}
	old := map[string]bool{}
	for _, vm := range s.VMs() {
		old[vm.Name] = true
	}
	changeShoot(ctx, t, s, gardener.Change{KubernetesVersion: newVersion})
	shootUntil(ctx, t, s, "it is being reconciled", func(status gardener.Status) bool { return status.LastOperation.State == "Processing" })
	seen := machinesUntil(ctx, t, s, func(machines map[string]*machineapi.Machine) bool {
		running := 0
		for name, m := range machines {
			if old[name] {
				return false
			}
			if m.Status.CurrentStatus.Phase == machineapi.MachineRunning {
				running++
			}
		}
		return running == 3 && len(machines) == 3
	})
	t.Logf("phases: %q", seen)
	if !phases(seen, "", machineapi.MachinePending, machineapi.MachineRunning, machineapi.MachineTerminating) {
		t.Errorf("phases: %q", seen)
	}
	waitUpdated(ctx, t, s, "workers")
	after := nodesUntil(ctx, t, s, "workers", 3, kubelet(newVersion))
	for _, node := range after {
		if slices.ContainsFunc(before, func(old corev1.Node) bool { return old.Name == node.Name }) {
			t.Errorf("node %s is still there", node.Name)
		}
	}
	shootUntil(ctx, t, s, "it is done", func(status gardener.Status) bool { return status.LastOperation.State == "Succeeded" })
}

// A drain that a budget forbids says so and continues when it is allowed.
func TestShootDrainBlocked(t *testing.T) {
	t.Parallel()
	ctx := rollContext(t)
	s := addShoot(ctx, t, gardener.Options{Name: "blocked", Pools: []gardener.Pool{{Name: "workers", Size: 1, Zones: lab.Zones("eu-west-1", 1)}}})
	place := workload.Place{Namespace: "blocked", Group: s.Group("workers")}
	deploy(ctx, t, place, "checkout")
	changeShoot(ctx, t, s, gardener.Change{KubernetesVersion: newVersion})
	machinesUntil(ctx, t, s, func(machines map[string]*machineapi.Machine) bool {
		for _, m := range machines {
			if m.Status.CurrentStatus.Phase == machineapi.MachineTerminating && strings.Contains(m.Status.LastOperation.Description, "pod disruption budget blocked/checkout is misconfigured") {
				return true
			}
		}
		return false
	})
	nodesUntil(ctx, t, s, "workers", 2, func(node *corev1.Node) bool { return !gardener.Tainted(node, gardener.CriticalTaint) })
	if err := shared.Client().PolicyV1().PodDisruptionBudgets(place.Namespace).Delete(ctx, "checkout", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	waitUpdated(ctx, t, s, "workers")
	if err := shared.WaitReady(ctx, place.Namespace); err != nil {
		t.Fatal(err)
	}
}

const (
	candidateLabel = machineapi.LabelKeyNodeCandidateForUpdate
	selectedLabel  = machineapi.LabelKeyNodeSelectedForUpdate
)

// A user who updates by hand labels the nodes, and others wait.
func TestShootInPlaceByHand(t *testing.T) {
	t.Parallel()
	ctx := rollContext(t)
	s := addShoot(ctx, t, gardener.Options{Name: "byhand", Pools: []gardener.Pool{{Name: "manual", Size: 2, Zones: lab.Zones("eu-west-1", 1), Update: gardener.ManualInPlaceUpdate}}})
	place := workload.Place{Namespace: "byhand", Group: s.Group("manual")}
	deploy(ctx, t, place, "batch", "agent")
	changeShoot(ctx, t, s, gardener.Change{KubernetesVersion: newVersion})
	nodes := nodesUntil(ctx, t, s, "manual", 2, labelled(candidateLabel))
	status := shootUntil(ctx, t, s, "an update by hand is pending", func(status gardener.Status) bool {
		return status.InPlaceUpdates != nil && len(status.Constraints) == 1 && status.LastOperation.State == "Succeeded"
	})
	if pending := status.InPlaceUpdates.Pending; !slices.Equal(pending.Manual, []string{"manual"}) || len(pending.Auto) != 0 {
		t.Errorf("pending: %+v", pending)
	}
	if c := status.Constraints[0]; c.Type != "ManualInPlaceWorkersUpdated" || c.Status != "False" || !strings.Contains(c.Message, "manual") {
		t.Errorf("constraint: %+v", c)
	}

	label(ctx, t, nodes[0].Name, selectedLabel, "true")
	seen := machinesUntil(ctx, t, s, func(machines map[string]*machineapi.Machine) bool {
		for _, m := range machines {
			if m.Status.CurrentStatus.Phase == machineapi.MachineInPlaceUpdateSuccessful {
				return true
			}
		}
		return false
	})
	if !phases(seen, machineapi.MachineRunning, machineapi.MachineInPlaceUpdating) || phases(seen, machineapi.MachineTerminating) {
		t.Errorf("phases: %q", seen)
	}
	done := func(node *corev1.Node) bool {
		return kubelet(newVersion)(node) && !labelled(candidateLabel)(node) && !labelled(selectedLabel)(node) && !node.Spec.Unschedulable && !gardener.Tainted(node, gardener.CriticalTaint)
	}
	if first := nodesUntil(ctx, t, s, "manual", 1, done); first[0].Name != nodes[0].Name {
		t.Errorf("%s was updated, not %s", first[0].Name, nodes[0].Name)
	}
	if err := shared.WaitReady(ctx, place.Namespace); err != nil { // the pods of the DaemonSet are new
		t.Fatal(err)
	}
	nodesUntil(ctx, t, s, "manual", 1, func(node *corev1.Node) bool {
		return labelled(candidateLabel)(node) && kubelet(gardener.FirstVersion)(node)
	})
	label(ctx, t, nodes[1].Name, selectedLabel, "true")
	waitUpdated(ctx, t, s, "manual")
	nodesUntil(ctx, t, s, "manual", 2, done)
	shootUntil(ctx, t, s, "nothing is pending", func(status gardener.Status) bool {
		return status.InPlaceUpdates == nil && len(status.Constraints) == 0
	})
}

// With a surge, updates in place of themselves take a new machine, and one that is old
// goes in the end.
func TestShootInPlaceAuto(t *testing.T) {
	t.Parallel()
	ctx := rollContext(t)
	s := addShoot(ctx, t, gardener.Options{Name: "auto", Pools: []gardener.Pool{
		{Name: "inplace", Size: 2, Zones: lab.Zones("eu-west-1", 1), Update: gardener.AutoInPlaceUpdate, MaxSurge: "1", MaxUnavailable: "0"},
	}})
	before := nodesUntil(ctx, t, s, "inplace", 2, kubelet(gardener.FirstVersion))
	changeShoot(ctx, t, s, gardener.Change{ImageVersion: "1700.1.0"})
	shootUntil(ctx, t, s, "an update is pending", func(status gardener.Status) bool {
		return status.InPlaceUpdates != nil && slices.Equal(status.InPlaceUpdates.Pending.Auto, []string{"inplace"}) && status.LastOperation.State == "Processing"
	})
	seen := machinesUntil(ctx, t, s, func(machines map[string]*machineapi.Machine) bool {
		for _, m := range machines {
			if m.Status.CurrentStatus.Phase == machineapi.MachineTerminating {
				return true
			}
		}
		return false
	})
	if !phases(seen, machineapi.MachinePending, machineapi.MachineInPlaceUpdating, machineapi.MachineInPlaceUpdateSuccessful) {
		t.Errorf("phases: %q", seen)
	}
	waitUpdated(ctx, t, s, "inplace")
	after := nodesUntil(ctx, t, s, "inplace", 2, func(node *corev1.Node) bool { return node.Status.NodeInfo.OSImage == "Garden Linux 1700.1.0" })
	kept := 0
	for _, node := range after {
		if slices.ContainsFunc(before, func(old corev1.Node) bool { return old.Name == node.Name }) {
			kept++
		}
	}
	if kept != 1 {
		t.Errorf("%d nodes are those of before, want one", kept)
	}
	shootUntil(ctx, t, s, "it is done", func(status gardener.Status) bool {
		return status.InPlaceUpdates == nil && status.LastOperation.State == "Succeeded"
	})
}

// An update in place that fails leaves the node cordoned and selected, and is tried
// again; one whose system was rolled back only when a user takes the annotation away.
func TestShootInPlaceFails(t *testing.T) {
	t.Parallel()
	ctx := rollContext(t)
	s := addShoot(ctx, t, gardener.Options{
		Name: "fails", Pools: []gardener.Pool{{Name: "inplace", Size: 1, Zones: lab.Zones("eu-west-1", 1), Update: gardener.AutoInPlaceUpdate}},
		Times: gardener.Times{Update: 500 * time.Millisecond, Retry: 3 * time.Second},
	})
	failed := func(reason string) {
		t.Helper()
		machinesUntil(ctx, t, s, func(machines map[string]*machineapi.Machine) bool {
			for _, m := range machines {
				if m.Status.CurrentStatus.Phase == machineapi.MachineInPlaceUpdateFailed && strings.Contains(m.Status.LastOperation.Description, reason) {
					return true
				}
			}
			return false
		})
		nodesUntil(ctx, t, s, "inplace", 1, func(node *corev1.Node) bool {
			return node.Spec.Unschedulable && labelled(selectedLabel)(node) && gardener.InPlaceReason(node) == machineapi.UpdateFailed &&
				strings.Contains(node.Annotations[machineapi.AnnotationKeyMachineUpdateFailedReason], reason)
		})
	}
	s.FailUpdates("inplace", gardener.UpdateFault{Times: 2, Reason: "the disk is full"})
	changeShoot(ctx, t, s, gardener.Change{KubernetesVersion: newVersion})
	failed("the disk is full")
	waitUpdated(ctx, t, s, "inplace")
	nodesUntil(ctx, t, s, "inplace", 1, kubelet(newVersion))

	if err := shared.SwitchOn(ctx, "update-fails", map[string]string{"shoot": s.Name, "rollback": "true"}); err != nil {
		t.Fatal(err)
	}
	changeShoot(ctx, t, s, gardener.Change{ImageVersion: "1700.1.0", Pool: "inplace"})
	failed("rolled back to the previous version")
	if err := shared.SwitchOff(ctx, "update-fails"); err != nil {
		t.Fatal(err)
	}
	nodes := nodesUntil(ctx, t, s, "inplace", 1, func(node *corev1.Node) bool { return node.Annotations[gardener.RolledBackKey] == "1700.1.0" })
	if err := s.PatchNode(ctx, nodes[0].Name, map[string]any{"metadata": map[string]any{"annotations": map[string]any{gardener.RolledBackKey: nil}}}); err != nil {
		t.Fatal(err)
	}
	waitUpdated(ctx, t, s, "inplace")
}

// A machine that does not join is given up when it may no longer take, and replaced; one
// that the provider refuses is asked for again; one whose end hangs stays until it ends.
func TestShootMachineFaults(t *testing.T) {
	t.Parallel()
	ctx := rollContext(t)
	s := addShoot(ctx, t, gardener.Options{
		Name:  "faults",
		Pools: []gardener.Pool{{Name: "workers", Size: 1, Zones: lab.Zones("eu-west-1", 1), Creation: 15 * time.Second}},
		Flags: []string{"--resource-exhausted-retry=2s"},
	})
	on := func(name string, given map[string]string) {
		t.Helper()
		given["shoot"] = s.Name
		if err := shared.SwitchOn(ctx, name, given); err != nil {
			t.Fatal(err)
		}
	}
	is := func(phase machineapi.MachinePhase, description string) {
		t.Helper()
		machinesUntil(ctx, t, s, func(machines map[string]*machineapi.Machine) bool {
			for _, m := range machines {
				if m.Status.CurrentStatus.Phase == phase && strings.Contains(m.Status.LastOperation.Description, description) {
					return true
				}
			}
			return false
		})
	}
	on("machine-refused", map[string]string{"launches": "1", "message": "no m5.large in eu-west-1a"})
	on("machine-strays", map[string]string{"launches": "1"})
	on("machine-stays", map[string]string{"pool": "workers"})
	changeShoot(ctx, t, s, gardener.Change{KubernetesVersion: newVersion})
	is(machineapi.MachineCrashLoopBackOff, "no m5.large in eu-west-1a")
	is(machineapi.MachinePending, "Creating machine")
	is(machineapi.MachineFailed, "failed to join the cluster in 15s")
	is(machineapi.MachineTerminating, "Initiate VM deletion")
	if err := shared.SwitchOff(ctx, "machine-stays"); err != nil {
		t.Fatal(err)
	}
	waitUpdated(ctx, t, s, "workers")
	nodes := nodesUntil(ctx, t, s, "workers", 1, kubelet(newVersion))
	if vms := s.VMs(); len(vms) != 1 || vms[0].Node != nodes[0].Name {
		t.Errorf("machines: %+v", vms)
	}

	if !s.Kill(nodes[0].Name) || s.Kill("ng-web-1") {
		t.Error("a machine of the Shoot is not its own, or one of another is")
	}
	nodesUntil(ctx, t, s, "workers", 1, func(node *corev1.Node) bool { return node.Name != nodes[0].Name && machines.NodeReady(node) })
	for want, given := range map[string]map[string]string{
		"no Shoot \"nobody\"": {"shoot": "nobody"},
		"no pool \"nobody\"":  {"shoot": s.Name, "pool": "nobody"},
	} {
		if err := shared.SwitchOn(ctx, "machine-stays", given); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", given, err, want)
		}
	}
}

func label(ctx context.Context, t *testing.T, node, key, value string) {
	t.Helper()
	patch := `{"metadata":{"labels":{"` + key + `":"` + value + `"}}}`
	if _, err := shared.Client().CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}
