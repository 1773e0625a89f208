package gardener_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/gardener"
	"github.com/drainboard/drainboard/lab/programs"
	"github.com/drainboard/drainboard/lab/try"
	"github.com/drainboard/drainboard/providers/gardener/names"
)

// drainboard is the program.
var drainboard = sync.OnceValues(func() (string, error) { return programs.Drainboard(context.Background()) })

// poolEffect is what drainboard plan -o json says of a pool.
type poolEffect struct{ Pool, Effect string }

// planOf is what drainboard plan says of a change of a Shoot, without the rest.
func planOf(ctx context.Context, t *testing.T, s *gardener.Shoot, args ...string) (refused bool, pools []poolEffect) {
	t.Helper()
	program, err := drainboard()
	if err != nil {
		t.Fatal(err)
	}
	args = slices.Concat([]string{"plan", "--provider", "gardener", "--garden-kubeconfig", s.GardenKubeconfig, "--shoot", s.Namespace + "/" + s.Name, "-o", "json"}, args)
	cmd := exec.CommandContext(ctx, program, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var plan struct {
		Refused bool
		Pools   []poolEffect
	}
	if bad := json.Unmarshal(out, &plan); bad != nil {
		t.Fatalf("drainboard %q: %v, %v\n%s%s", args, err, bad, out, errs.String())
	}
	var exit *exec.ExitError
	if code := errors.As(err, &exit) && exit.ExitCode() == 1; code != plan.Refused || err != nil && !code {
		t.Errorf("drainboard %q: %v, refused %t\n%s", args, err, plan.Refused, errs.String())
	}
	return plan.Refused, plan.Pools
}

// poolsOf are the machine sets and machines of a Shoot's pools.
func poolsOf(ctx context.Context, t *testing.T, s *gardener.Shoot) map[string]*poolMachines {
	t.Helper()
	deployments, err := s.Machines().MachineDeployments(s.ControlNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pools, of := map[string]*poolMachines{}, map[string]*poolMachines{}
	for _, d := range deployments.Items {
		by := d.Spec.Strategy.InPlaceUpdate
		p := &poolMachines{
			desired: int(d.Spec.Replicas), byHand: by != nil && by.OrchestrationType == machineapi.OrchestrationTypeManual,
			machines: map[string]machineapi.Machine{},
		}
		pools[d.Labels[gardener.PoolLabel]], of[d.Name] = p, p // one zone each
	}
	sets, err := s.Machines().MachineSets(s.ControlNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets.Items {
		p := of[set.Labels["name"]]
		p.sets = append(p.sets, set.Name)
	}
	machines, err := s.Machines().Machines(s.ControlNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range machines.Items {
		of[m.Labels["name"]].machines[m.Name] = m
	}
	return pools
}

type poolMachines struct {
	desired  int
	byHand   bool
	sets     []string
	machines map[string]machineapi.Machine
}

// became says what was done to a pool since before, "" while that is not settled: an update
// by hand is as soon as its nodes can be selected, another one in place when it is over, and a
// roll when as many new machines run and the others end.
func (p *poolMachines) became(before *poolMachines, candidate func(machine string) bool) string {
	fresh := func(set string) bool { return !slices.Contains(before.sets, set) }
	if !slices.ContainsFunc(p.sets, fresh) {
		return "nothing"
	}
	ended, running, taken := 0, 0, 0
	for name := range before.machines {
		m, there := p.machines[name]
		switch {
		case !there || m.DeletionTimestamp != nil:
			ended++
		case p.byHand && candidate(name), !p.byHand && fresh(m.OwnerReferences[0].Name):
			taken++
		}
	}
	for name, m := range p.machines {
		if _, old := before.machines[name]; !old && m.Status.CurrentStatus.Phase == machineapi.MachineRunning {
			running++
		}
	}
	switch {
	case ended == len(before.machines) && running == p.desired:
		return "rolling"
	case ended == 0 && taken == len(before.machines) && len(p.machines) == len(before.machines):
		return "in-place"
	}
	return ""
}

// replace changes a Shoot by an update of all of it.
func replace(ctx context.Context, s *gardener.Shoot, change func(*unstructured.Unstructured)) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		now, err := s.Objects().Get(ctx, s.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(now)
		_, err = s.Objects().Update(ctx, now, metav1.UpdateOptions{})
		return err
	})
}

// set sets a field of a Shoot; a pool's is worker(NAME, ...).
func set(value any, path ...string) func(*unstructured.Unstructured) {
	return func(u *unstructured.Unstructured) { _ = unstructured.SetNestedField(u.Object, value, path...) }
}

// worker sets a field of a pool, or with nil takes it away.
func worker(pool string, value any, path ...string) func(*unstructured.Unstructured) {
	return func(u *unstructured.Unstructured) {
		list, _, _ := unstructured.NestedSlice(u.Object, "spec", "provider", "workers")
		for _, w := range list {
			w := w.(map[string]any)
			switch {
			case w["name"] != pool:
			case value == nil:
				unstructured.RemoveNestedField(w, path...)
			default:
				_ = unstructured.SetNestedField(w, value, path...)
			}
		}
		_ = unstructured.SetNestedSlice(u.Object, list, "spec", "provider", "workers")
	}
}

func both(changes ...func(*unstructured.Unstructured)) func(*unstructured.Unstructured) {
	return func(u *unstructured.Unstructured) {
		for _, change := range changes {
			change(u)
		}
	}
}

// A trial is a change of a Shoot: how drainboard plan gets it, and how it is made.
type trial struct {
	args   string // none: --change with the manifest
	change func(*unstructured.Unstructured)
	// manifest is one for kubectl apply; "" is the Shoot with the change, for kubectl replace.
	manifest string
	want     string // what becomes of the pools
}

const refused = "refused"

// hold plans a change, makes it, and holds what was done against what was said.
func (c trial) hold(ctx context.Context, t *testing.T, s *gardener.Shoot) {
	t.Helper()
	args, name := strings.Fields(c.args), c.args
	if c.args == "" {
		now, err := s.Objects().Get(ctx, s.Name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		data := []byte(c.manifest)
		if c.manifest == "" {
			c.change(now)
			for _, field := range names.Kind("core.Shoot").Unknown(now.Object) {
				if !strings.HasSuffix(field, ".kubelet.systemReserved") { // which is refused
					t.Errorf("Gardener's API has no %s", field)
				}
			}
			if data, err = json.Marshal(now.Object); err != nil {
				t.Fatal(err)
			}
		}
		file := filepath.Join(t.TempDir(), "change.json")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		args, name = []string{"--change", file}, "--change that is to be "+c.want
	}
	no, effects := planOf(ctx, t, s, args...)
	var words []string
	for _, e := range effects {
		words = append(words, e.Pool+" "+e.Effect)
	}
	said := strings.Join(words, ", ")
	if no {
		said = refused
	}
	if said != c.want {
		t.Errorf("%s: the plan says %s, want %s", name, said, c.want)
	}
	before := poolsOf(ctx, t, s)
	err := c.apply(ctx, s, args)
	if no {
		if !apierrors.IsInvalid(err) {
			t.Fatalf("%s: the plan says that it is refused, and the API server %v", name, err)
		}
		t.Logf("%s: %s", name, err)
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	begin := time.Now()
	if did := doneTo(ctx, t, s, before, effects); did != said {
		t.Fatalf("%s: the plan says %s, and done was %s", name, said, did)
	}
	t.Logf("%s: %s, after %s", name, said, time.Since(begin).Round(100*time.Millisecond))
}

// apply makes the change, with kubectl if it is a manifest of its own.
func (c trial) apply(ctx context.Context, s *gardener.Shoot, args []string) error {
	if c.manifest == "" {
		return replace(ctx, s, c.change)
	}
	root, err := programs.Repository()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(root, "bin", "lab"), "kubectl", "--kubeconfig="+shared.Kubeconfig(), "apply", "-f", args[1])
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// What drainboard plan says of a change is what the API server, the gardenlet and
// machine-controller-manager then make of it.
func TestPlanHolds(t *testing.T) {
	t.Parallel()
	ctx := rollContext(t)
	zone := lab.Zones("eu-west-1", 1)
	s := addShoot(ctx, t, gardener.Options{Name: "planned", Times: gardener.Times{Update: 200 * time.Millisecond}, Pools: []gardener.Pool{
		{Name: "web", Size: 1, Zones: zone},
		{Name: "batch", Size: 1, Zones: zone, MaxSurge: "2"},
		{Name: "metal", Size: 1, Zones: zone, Update: gardener.AutoInPlaceUpdate},
		{Name: "hand", Size: 1, Zones: zone, Update: gardener.ManualInPlaceUpdate},
	}})
	version := func(v string) func(*unstructured.Unstructured) { return set(v, "spec", "kubernetes", "version") }
	image := func(pool, v string) func(*unstructured.Unstructured) {
		return worker(pool, v, "machine", "image", "version")
	}
	operation := func(op string) func(*unstructured.Unstructured) {
		return set(op, "metadata", "annotations", gardener.OperationKey)
	}
	hold := func(trials ...trial) {
		t.Helper()
		for _, c := range trials {
			c.hold(ctx, t, s)
		}
	}
	const nothing = "web nothing, batch nothing, metal nothing, hand nothing"
	hold(
		trial{args: "--kubernetes-version 1.31.9", change: version("1.31.9"), want: refused},
		trial{args: "--kubernetes-version 1.34.0", change: version("1.34.0"), want: refused},
		trial{args: "web --kubernetes-version 1.33.0", change: worker("web", "1.33.0", "kubernetes", "version"), want: refused},
		trial{args: "metal --machine-image-version 1600.0.0", change: image("metal", "1600.0.0"), want: refused},
		trial{args: "--operation rollout-workers=*", change: operation("rollout-workers=*"), want: refused},
		trial{args: "--operation rollout-workers=web,metal", change: operation("rollout-workers=web,metal"), want: refused},
		trial{change: worker("web", gardener.AutoInPlaceUpdate, "updateStrategy"), want: refused},
		trial{change: worker("metal", gardener.AutoRollingUpdate, "updateStrategy"), want: refused},
		trial{change: worker("metal", "m5.xlarge", "machine", "type"), want: refused},
		trial{change: worker("hand", int64(1), "maxUnavailable"), want: refused},
		trial{change: set(true, "spec", "systemComponents", "nodeLocalDNS", "enabled"), want: refused},
		trial{change: set(map[string]any{"cpu": "100m"}, "spec", "kubernetes", "kubelet", "systemReserved"), want: refused},
		trial{change: worker("web", map[string]any{"cpu": "100m"}, "kubernetes", "kubelet", "systemReserved"), want: refused},

		trial{args: "--operation reconcile", change: operation("reconcile"), want: nothing},
		trial{args: "--operation retry", change: operation("retry"), want: nothing},
		trial{args: "--kubernetes-version 1.32.5", change: version("1.32.5"), want: nothing},
		trial{change: both(
			worker("web", "shop", "labels", "team"), worker("web", int64(3), "maximum"), worker("metal", "1h", "machineControllerManager", "machineDrainTimeout"),
			set(int64(75), "spec", "kubernetes", "kubelet", "imageGCHighThresholdPercent"),
		), want: nothing},
	)

	// kubectl apply was given the purpose alone, so what this does not speak of stays.
	manifest := func(rest string) string {
		return fmt.Sprintf(`{"apiVersion":"core.gardener.cloud/v1beta1","kind":"Shoot","metadata":{"name":%q,"namespace":%q},"spec":{%s}}`, s.Name, s.Namespace, rest)
	}
	if err := replace(ctx, s, both(set("test", "spec", "purpose"), set(manifest(`"purpose":"test"`), "metadata", "annotations", corev1.LastAppliedConfigAnnotation))); err != nil {
		t.Fatal(err)
	}
	hold(trial{manifest: manifest(`"kubernetes":{"version":"1.32.6"}`), want: nothing})
	if err := replace(ctx, s, func(u *unstructured.Unstructured) {
		if _, there, _ := unstructured.NestedString(u.Object, "spec", "purpose"); there {
			t.Error("kubectl apply left what it was not given again")
		}
		unstructured.RemoveNestedField(u.Object, "metadata", "annotations", corev1.LastAppliedConfigAnnotation)
	}); err != nil {
		t.Fatal(err)
	}

	hold(trial{args: "--operation rollout-workers=batch", change: operation("rollout-workers=batch"), want: "web nothing, batch rolling, metal nothing, hand nothing"})
	shootUntil(ctx, t, s, "batch is rolled", func(status gardener.Status) bool {
		return status.Rollout != nil && len(status.Rollout.Pending) == 1 && status.Rollout.Pending[0].Name == "batch"
	})
	hold(
		trial{args: "hand --kubernetes-version 1.32.6", change: worker("hand", "1.32.6", "kubernetes", "version"), want: "hand nothing"},
		trial{args: "metal hand --machine-image-version 1640.0.0", change: both(image("metal", "1640.0.0"), image("hand", "1640.0.0")), want: "metal in-place, hand in-place"},
		trial{change: worker("hand", nil, "kubernetes"), want: refused},
		trial{change: worker("hand", "b", "labels", "a"), want: refused},
		trial{args: "hand --machine-image-version 1700.1.0 --operation force-in-place-update", change: both(image("hand", "1700.1.0"), operation(gardener.ForceUpdate)), want: "hand in-place"},
	)
	nodes := nodesUntil(ctx, t, s, "hand", 1, labelled(candidateLabel))
	label(ctx, t, nodes[0].Name, selectedLabel, "true")
	waitUpdated(ctx, t, s, "metal", "hand")
	nodesUntil(ctx, t, s, "hand", 1, func(node *corev1.Node) bool {
		return node.Name == nodes[0].Name && kubelet("1.32.6")(node) && node.Status.NodeInfo.OSImage == "Garden Linux 1700.1.0"
	})
	if err := try.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		shoot, err := s.Read(ctx)
		return err == nil && shoot.Annotations[gardener.OperationKey] == "", nil
	}); err != nil {
		t.Fatalf("nothing is pending, and force-in-place-update is still asked for: %v", err)
	}
	hold(
		trial{change: both(worker("metal", gardener.ManualInPlaceUpdate, "updateStrategy"), worker("metal", nil, "maxSurge"), worker("metal", nil, "maxUnavailable")), want: nothing},
		trial{change: both(version(newVersion), worker("web", "m5.xlarge", "machine", "type")), want: "web rolling, batch rolling, metal in-place, hand nothing"},
	)
}

// doneTo waits until the gardenlet has seen to a change, and to each pool was done what is
// expected, or long enough for it; it says what was done.
func doneTo(ctx context.Context, t *testing.T, s *gardener.Shoot, before map[string]*poolMachines, expected []poolEffect) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 45*time.Second)
	defer cancel()
	var did string
	_ = try.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		shoot, err := s.Read(ctx)
		if err != nil {
			return false, nil
		}
		if asked := shoot.Annotations[gardener.OperationKey]; shoot.Status.ObservedGeneration < shoot.Generation || asked != "" && asked != gardener.ForceUpdate {
			return false, nil
		}
		deployments, err := s.Machines().MachineDeployments(s.ControlNamespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, nil
		}
		for _, d := range deployments.Items {
			if d.Status.ObservedGeneration < d.Generation {
				return false, nil
			}
		}
		list, err := shared.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: s.NodeSelector()})
		if err != nil {
			return false, nil
		}
		candidate := func(machine string) bool {
			return slices.ContainsFunc(list.Items, func(n corev1.Node) bool {
				return n.Labels[gardener.MachineNameLabel] == machine && n.Labels[candidateLabel] != ""
			})
		}
		now := poolsOf(ctx, t, s)
		var words []string
		same := true
		for _, e := range expected {
			became := now[e.Pool].became(before[e.Pool], candidate)
			words = append(words, e.Pool+" "+became)
			same = same && became == e.Effect
		}
		did = strings.Join(words, ", ")
		return same, nil
	})
	return did
}
