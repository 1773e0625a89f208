package gardener

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/selfdriven/mcm"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
)

// pool web in two zones: z1 rolls, its first machine is drained; z2 is paused.
const control = `kind: MachineDeployment
metadata: {name: shoot--dev--prod-web-z1, generation: 5, labels: {worker.gardener.cloud/pool: web}}
spec:
  replicas: 3
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 34%, maxUnavailable: 0}}
status:
  observedGeneration: 4
  replicas: 4
  updatedReplicas: 2
  availableReplicas: 3
  conditions: [{type: Progressing, status: "True", reason: MachineSetUpdated, message: is progressing}]
  failedMachines: [{name: m-1, lastOperation: {description: "Drain failed due to - budget. Initiate node drain"}}]
---
kind: MachineDeployment
metadata: {name: shoot--dev--prod-web-z2, labels: {freeze: "True"}}
spec:
  replicas: 1
  paused: true
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}
  template: {spec: {nodeTemplate: {metadata: {labels: {worker.gardener.cloud/pool: web}}}}}
status: {replicas: 1, updatedReplicas: 1, availableReplicas: 1}
---
kind: MachineDeployment
metadata: {name: shoot--dev--prod-other-z1, labels: {worker.gardener.cloud/pool: other}}
spec: {replicas: 1, strategy: {type: InPlaceUpdate, inPlaceUpdate: {orchestrationType: Manual}}}
---
kind: MachineSet
metadata: {name: web-z1-old, annotations: {deployment.kubernetes.io/revision: "1"}, ownerReferences: [{kind: MachineDeployment, name: shoot--dev--prod-web-z1}]}
---
kind: MachineSet
metadata: {name: web-z1-new, annotations: {deployment.kubernetes.io/revision: "2"}, ownerReferences: [{kind: MachineDeployment, name: shoot--dev--prod-web-z1}]}
---
kind: MachineSet
metadata: {name: web-z2-new, annotations: {deployment.kubernetes.io/revision: "1"}, ownerReferences: [{kind: MachineDeployment, name: shoot--dev--prod-web-z2}]}
---
kind: Machine
metadata:
  name: m-1
  creationTimestamp: "2026-03-01T10:00:00Z"
  deletionTimestamp: "2026-03-01T12:00:00Z"
  labels: {node: n1, name: shoot--dev--prod-web-z1, force-deletion: "true"}
  annotations: {machinepriority.machine.sapcloud.io: "1"}
  ownerReferences: [{kind: MachineSet, name: web-z1-old}]
spec: {providerID: "aws:///eu-west-1/i-1", drainTimeout: 30m, maxEvictRetries: 10, nodeConditions: "KernelDeadlock,DiskPressure"}
status:
  currentStatus: {phase: Terminating, lastUpdateTime: "2026-03-01T12:00:01Z"}
  conditions: [{type: DiskPressure, status: "True", lastTransitionTime: "2026-03-01T11:00:00Z"}, {type: Ready, status: Unknown, lastTransitionTime: "2026-03-01T11:59:00Z"}]
  lastOperation: {type: Delete, state: Failed, description: "Drain failed due to - budget shop/web. Will retry in next sync. Initiate node drain"}
---
kind: Machine
metadata: {name: m-2, creationTimestamp: "2026-03-01T12:00:00Z", labels: {name: shoot--dev--prod-web-z1}, ownerReferences: [{kind: MachineSet, name: web-z1-new}]}
spec: {disableHealthTimeout: true}
status: {currentStatus: {phase: Pending, lastUpdateTime: "2026-03-01T12:00:01Z"}}
---
kind: Machine
metadata: {name: m-3, labels: {node: n3, name: shoot--dev--prod-web-z2}, ownerReferences: [{kind: MachineSet, name: web-z2-new}]}
status: {currentStatus: {phase: Running}}
---
kind: Machine
metadata: {name: o-1, labels: {name: shoot--dev--prod-other-z1}}
status: {currentStatus: {phase: Running}}`

const prod = `kind: Shoot
metadata: {name: prod}
spec:
  kubernetes: {version: 1.33.1}
  maintenance: {timeWindow: {begin: 220000+0100, end: 230000+0100}}
  provider:
    workers:
    - {name: web, minimum: 2, maximum: 6, maxSurge: 1, maxUnavailable: 0, machineControllerManager: {machineDrainTimeout: 1h0m0s, maxEvictRetries: 20}}
    - {name: manual, minimum: 1, maximum: 1, updateStrategy: ManualInPlaceUpdate, kubernetes: {version: 1.32.4}}
status:
  gardener: {version: v1.150.0}
  lastOperation: {type: Reconcile, state: Processing, progress: 60, description: Waiting until worker is ready.}
  constraints: [{type: ManualInPlaceWorkersUpdated, status: "False", reason: WorkersPending, message: the pool manual waits}]
  conditions: [{type: EveryNodeReady, status: "True"}]
  inPlaceUpdates: {pendingWorkerUpdates: {manualInPlaceUpdate: [manual]}}`

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func node(name, machine, zone, pool string) *world.Node {
	return &world.Node{Name: name, Machine: machine, Zone: zone, Version: "v1.32.4", Ready: true, Labels: map[string]string{world.GardenerPool: pool, instanceType: "m5.large"}}
}

// feeding runs a feed and gives a function that lets its changes in until the world is as
// wanted.
func feeding(t *testing.T, f *Feed) (until func(string, func(*world.World) bool) *world.World, ended <-chan error) {
	changes, done := make(chan live.Change, 100), make(chan error, 1)
	ctx := t.Context()
	go func() {
		done <- f.Run(ctx, func(c live.Change) {
			select {
			case changes <- c:
			case <-ctx.Done():
			}
		})
	}()
	w := world.New()
	w.SetNode(node("n1", "m-1", "a", "web"))
	w.SetNode(node("n3", "i-3", "b", "web")) // without its machine's name
	w.SetNode(node("o1", "o-1", "a", "other"))
	w.SetHealth(world.Cluster, world.Health{Fresh: noon})
	return func(what string, want func(*world.World) bool) *world.World {
		t.Helper()
		late := time.After(10 * time.Second)
		for !want(w) {
			select {
			case c := <-changes:
				c(w)
			case <-late:
				t.Fatalf("never: %s; health %+v", what, w.Health)
			}
		}
		return w
	}, done
}

func fresh(w *world.World) bool {
	h := w.Health[world.Cloud]
	return !h.Fresh.IsZero() && h.Problem == ""
}

// With the control cluster everything of the pool is read, and followed.
func TestFeedWithTheControlCluster(t *testing.T) {
	t.Parallel()
	api := newFakeAPI(t)
	api.put(control)
	api.put(prod)
	c, err := Connect(t.Context(), Options{Garden: api.kubeconfig(), Shoot: "garden-dev/prod", Control: api.kubeconfig(), Namespace: "shoot--dev--prod"}, "test", true)
	if err != nil {
		t.Fatal(err)
	}
	until, _ := feeding(t, c.Feed("web", FeedOptions{Now: func() time.Time { return noon }}))
	w := until("fresh", fresh)
	g, p := w.Group, w.Group.Pool
	if g.Name != "web" || g.Provider != "gardener" || g.Sizes != (world.Sizes{Min: 2, Max: 6, Desired: 4}) || fmt.Sprint(g.Zones) != "[a b]" {
		t.Errorf("the group is %+v", g)
	}
	if p.Shoot != "garden-dev/prod" || p.Update != world.AutoRollingUpdate || p.Version != "1.33.1" || p.MaxSurge != "1" || p.MaxUnavailable != "0" || p.Limits.Drain != time.Hour ||
		!p.Opens.Equal(noon.Add(9*time.Hour)) || !p.Closes.Equal(noon.Add(9*time.Hour+45*time.Minute)) {
		t.Errorf("the pool is %+v", p)
	}
	if got := strings.Join(p.Notes, "; "); got != "the Shoot's last operation, Reconcile, is Processing (60 %): Waiting until worker is ready; ManualInPlaceWorkersUpdated is False (WorkersPending): the pool manual waits" {
		t.Errorf("its notes are %q", got)
	}
	first := world.MachineDeployment{Name: "shoot--dev--prod-web-z1", Zone: "a", Generation: 5, Observed: 4, Desired: 3, Updated: 2, Available: 3, Total: 4, MaxSurge: 2, Surge: "34%", Unavailable: "0", Progress: "MachineSetUpdated: is progressing",
		Failed: []string{"m-1: Drain failed due to - budget. Initiate node drain"}}
	second := world.MachineDeployment{Name: "shoot--dev--prod-web-z2", Zone: "b", Desired: 1, Updated: 1, Available: 1, Total: 1, MaxUnavailable: 1, Surge: "0", Unavailable: "0", Paused: true, Frozen: true}
	if len(p.Deployments) != 2 || fmt.Sprint(p.Deployments[0]) != fmt.Sprint(first) || fmt.Sprint(p.Deployments[1]) != fmt.Sprint(second) {
		t.Errorf("its machine deployments are %+v", p.Deployments)
	}
	m := w.Machine("m-1")
	if m == nil || m.State != world.MachineInService || m.Detail != "Terminating" || w.NodeOf("m-1") == nil || m.Template == g.Template || m.Type != "m5.large" {
		t.Fatalf("m-1 is %+v", m)
	}
	is := m.Managed
	if !is.Deleted.Equal(noon) || !is.Sick.Equal(noon.Add(-time.Minute)) || !is.Forced || is.Priority != 1 || is.Limits.Drain != 30*time.Minute || is.Limits.EvictRetries != 10 || len(is.Limits.Conditions) != 2 || is.Limits.Health != 10*time.Minute || mcm.Trouble(is) != "budget shop/web" || is.Set != "web-z1-old" {
		t.Errorf("m-1 is %+v", is)
	}
	if m := w.Machine("m-2"); m == nil || m.State != world.MachinePending || m.Zone != "a" || m.Template != g.Template || !m.Managed.Limits.NoHealth {
		t.Errorf("m-2 is %+v", m)
	}
	if w.Machine("i-3") != nil || w.Machine("m-3") == nil || w.Machine("o-1") != nil || len(w.Machines()) != 3 {
		t.Errorf("machines: %v", w.Machines())
	}
	// A node that does not say yet which Machine's it is, is known all the same, and stays
	// the same when it does.
	if n := w.NodeOf("m-3"); n == nil || n.Name != "n3" || n.Machine != "m-3" {
		t.Errorf("the node of m-3 is %+v", n)
	}

	api.put(strings.NewReplacer("phase: Pending", "phase: Running", "{name: shoot--dev--prod-web-z1}", "{node: n2, name: shoot--dev--prod-web-z1}").Replace(strings.Split(control, "\n---\n")[7]))
	until("the machine runs", func(w *world.World) bool { return w.Machine("m-2").Detail == "Running" })
	if w.Machine("m-1") != m {
		t.Error("a machine that did not change is another one")
	}

	api.set(true, "")
	until("a problem of the control cluster", func(w *world.World) bool { // that of the Shoot may be told first
		return strings.HasPrefix(w.Health[world.Cloud].Problem, "the control cluster: ")
	})
	if h := w.Health[world.Cloud]; h.Fresh.IsZero() {
		t.Errorf("the control cluster is away: %+v", h)
	}
	until("the Shoot is not known", func(w *world.World) bool {
		left := mcm.Controller{}.Unfinished(&w.Group)
		return len(left) > 0 && left[0].Kind == world.UnfinishedUnread
	})
	api.set(false, "")
	until("fresh again", fresh)
	until("the Shoot is known again", func(w *world.World) bool { return w.Group.Pool.Unread == "" })
}

// From the Nodes' side there is what has joined, as fresh as the Nodes are.
func TestFeedFromTheNodes(t *testing.T) {
	t.Parallel()
	f := (*Client)(nil).Feed("web", FeedOptions{})
	until, _ := feeding(t, f)
	w := until("fresh", fresh)
	p := w.Group.Pool
	if len(w.Machines()) != 2 || w.Machine("m-1").Managed != nil || p.Control || p.Update != "" || !p.Limits.Guessed || !w.Health[world.Cloud].Fresh.Equal(noon) {
		t.Errorf("the pool is %+v, its machines %v, %+v", p, w.Machines(), w.Health)
	}
	// A node that has just come is there as soon as it says which Machine's it is, and as an
	// other one never; it is launching as long as it is not ready for pods.
	n := node("n9", "i-9", "c", "web")
	n.Created, n.Ready, n.Taints = time.Now(), false, []world.Taint{{Key: "node.gardener.cloud/critical-components-not-ready", Effect: "NoSchedule"}}
	w.SetNode(n)
	f.NodesChanged(w)
	if len(w.Machines()) != 2 {
		t.Errorf("a node without the name of its Machine: %v", w.Machines())
	}
	named := *n
	named.Machine, named.Labels = "m-9", map[string]string{world.GardenerPool: "web", machineName: "m-9"}
	w.SetNode(&named)
	f.NodesChanged(w)
	if m := w.Machine("m-9"); m == nil || m.State != world.MachinePending {
		t.Errorf("a new node is %+v", m)
	}
	w.SetNode(node("n9", "m-9", "c", "web"))
	f.NodesChanged(w)
	if w.Machine("m-9") == nil || w.Machine("m-9").State != world.MachineInService || fmt.Sprint(w.Group.Zones) != "[a b c]" || w.Group.Sizes.Desired != 3 {
		t.Errorf("a node has come: %+v", w.Group)
	}
}

// garden is a garden cluster that has prod.
func garden(t *testing.T) (*fakeAPI, *Client) {
	t.Helper()
	api := newFakeAPI(t)
	api.put(prod)
	c, err := Connect(t.Context(), Options{Garden: api.kubeconfig(), Shoot: "garden-dev/prod"}, "test", true)
	if err != nil {
		t.Fatal(err)
	}
	return api, c
}

// What Gardener writes into the Shoot's own cluster is read where the Shoot is not: its name,
// its version, the window. What cannot be read is said, and nothing waits for it.
func TestShootInfo(t *testing.T) {
	t.Parallel()
	const info = `{"data":{"shootName":"prod","projectName":"dev","kubernetesVersion":"1.33.1","maintenanceBegin":"220000+0100","maintenanceEnd":"230000+0100"}}`
	for _, tt := range []struct {
		says string
		err  error
		want world.ShootInfo
	}{
		{info, nil, world.ShootInfo{Name: "prod", Project: "dev", Version: "1.33.1"}},
		{"", kube.ErrNoObject, world.ShootInfo{Unread: "it does not exist"}},
		{"", errors.New("this user may not\x1b[2J"), world.ShootInfo{Unread: "this user may not[2J"}},
		{"{", nil, world.ShootInfo{Unread: "unexpected end of JSON input"}},
	} {
		read := func(_ context.Context, path string) ([]byte, error) {
			if path != "/api/v1/namespaces/kube-system/configmaps/shoot-info" {
				t.Errorf("%s is read", path)
			}
			return []byte(tt.says), tt.err
		}
		o := FeedOptions{Read: read, Now: func() time.Time { return noon }}
		until, _ := feeding(t, (*Client)(nil).Feed("web", o))
		p := until("fresh", fresh).Group.Pool
		if p.Info == nil || *p.Info != tt.want || p.Shoot != "" || p.Version != "" || !p.Limits.Guessed {
			t.Errorf("%q, %v: %+v, the pool is %+v", tt.says, tt.err, p.Info, p)
		}
		if known := p.Closes.Equal(noon.Add(9*time.Hour + 45*time.Minute)); known != (tt.err == nil && tt.says == info) {
			t.Errorf("%q, %v: the window closes at %s", tt.says, tt.err, p.Closes)
		}
		list, err := (*Client)(nil).Pools(t.Context(), []*world.Node{node("n1", "m-1", "a", "web")}, o)
		if err != nil || *list[0].Pool.Info != tt.want {
			t.Errorf("%q, %v: at one look %+v, %v", tt.says, tt.err, list[0].Pool.Info, err)
		}
	}

	api := newFakeAPI(t)
	api.put(prod)
	c, err := Connect(t.Context(), Options{Garden: api.kubeconfig(), Shoot: "garden-dev/prod"}, "test", true)
	if err != nil {
		t.Fatal(err)
	}
	o := FeedOptions{Now: func() time.Time { return noon }, Read: func(context.Context, string) ([]byte, error) {
		t.Error("the Shoot is read, and its cluster is asked all the same")
		return nil, nil
	}}
	until, _ := feeding(t, c.Feed("web", o))
	if p := until("fresh", fresh).Group.Pool; p.Info != nil || p.WindowFrom != "the Shoot" {
		t.Errorf("the pool is %+v", p)
	}
}

// Without the control cluster the Shoot tells which version is wanted, and its limits.
func TestFeedWithTheShootAlone(t *testing.T) {
	t.Parallel()
	api, c := garden(t)
	until, _ := feeding(t, c.Feed("web", FeedOptions{}))
	w := until("fresh", fresh)
	if m := w.Machine("m-1"); m.Template == w.Group.Template {
		t.Error("a kubelet of another minor version than the Shoot's passes for up to date")
	}
	if l := w.Group.Pool.Limits; l.Guessed || l.EvictRetries != 20 || l.NoHealth {
		t.Errorf("its limits are %+v", l)
	}
	api.put(strings.Replace(prod, "1.33.1", "1.32.9", 1))
	until("a patch version is wanted", func(w *world.World) bool { return w.Machine("m-1").Template == w.Group.Template })

	api.set(true, "")
	until("the Shoot is away", func(w *world.World) bool {
		h := w.Health[world.Cloud]
		return strings.HasPrefix(h.Problem, "the Shoot cannot be read: ") && h.Fresh.Equal(noon)
	})
}

// A right that is missing is named with its cluster, before and while the pool is followed.
func TestForbidden(t *testing.T) {
	t.Parallel()
	api := newFakeAPI(t)
	api.put(control)
	o := Options{Control: api.kubeconfig(), Namespace: "shoot--dev--prod"}
	c, err := Connect(t.Context(), o, "test", true)
	if err != nil {
		t.Fatal(err)
	}
	api.set(false, "machinesets")
	const may = "the control cluster: this user "
	if _, err := Connect(t.Context(), o, "test", true); err == nil || !strings.HasPrefix(err.Error(), may+"lacks 2 of the needed rights") || !strings.Contains(err.Error(), "list machinesets in namespace shoot--dev--prod") {
		t.Errorf("without the right to list: %v", err)
	}
	_, ended := feeding(t, c.Feed("web", FeedOptions{}))
	select {
	case err := <-ended:
		if err == nil || !strings.HasPrefix(err.Error(), may+"may not list machinesets in namespace shoot--dev--prod") {
			t.Errorf("the feed ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the feed continues")
	}
}

// Pools are found by the nodes, the Shoot and the machine deployments.
func TestPools(t *testing.T) {
	t.Parallel()
	api := newFakeAPI(t)
	api.put(control)
	api.put(prod)
	c, err := Connect(t.Context(), Options{Garden: api.kubeconfig(), Shoot: "garden-dev/prod", Control: api.kubeconfig(), Namespace: "shoot--dev--prod"}, "test", true)
	if err != nil {
		t.Fatal(err)
	}
	nodes := []*world.Node{node("n1", "m-1", "a", "web"), node("x1", "x-1", "a", "by-label")}
	list, err := c.Pools(t.Context(), nodes, FeedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range list {
		got = append(got, fmt.Sprintf("%s %d/%d", p.Name, p.Outdated, p.Machines))
	}
	if strings.Join(got, ", ") != "by-label 0/0, manual 0/0, other 0/1, web 1/3" {
		t.Errorf("pools: %q", got)
	}
	if m := list[1].Pool; !m.Pending || m.Version != "1.32.4" || m.Update != world.ManualInPlaceUpdate || !m.Limits.NoHealth {
		t.Errorf("the pool manual is %+v", m)
	}
	alone, err := (*Client)(nil).Pools(t.Context(), nodes, FeedOptions{})
	if err != nil || len(alone) != 2 || alone[1].Machines != 1 {
		t.Errorf("by the nodes: %+v, %v", alone, err)
	}
	if p, err := c.Find(t.Context(), "manual", nodes); err != nil || p.Update != world.ManualInPlaceUpdate {
		t.Errorf("the pool manual is %+v, %v", p, err)
	}
	if _, err := c.Find(t.Context(), "wbe", nodes); err == nil || err.Error() != `no worker pool "wbe"; choose from by-label, manual, other, web` {
		t.Error(err)
	}
}

// A Shoot that cannot be read is told as that, and hides nothing else.
func TestFeedWithAShootThatIsNone(t *testing.T) {
	t.Parallel()
	api, c := garden(t)
	until, _ := feeding(t, c.Feed("web", FeedOptions{}))
	until("fresh", fresh)
	api.put(strings.Replace(prod, "minimum: 2", "minimum: two", 1))
	w := until("what is wrong with it", func(w *world.World) bool {
		return w.Health[world.Cloud].Problem == "the Shoot cannot be read: spec.provider.workers.minimum is a string, expected a whole number"
	})
	if p := w.Group.Pool; len(w.Machines()) != 2 || p.Shoot != "" || !p.Limits.Guessed {
		t.Errorf("the pool is %+v, its machines %v", p, w.Machines())
	}
	if _, err := c.Pools(t.Context(), nil, FeedOptions{}); err == nil || !strings.HasPrefix(err.Error(), "the Shoot garden-dev/prod: spec.provider.workers.minimum is") {
		t.Error(err)
	}
	api.put(prod)
	until("fresh again", fresh)
}

func TestCheckOptions(t *testing.T) {
	for _, tt := range []struct {
		o    Options
		says string
	}{
		{Options{}, ""},
		{Options{Garden: "f", Shoot: "a/b", Control: "f", Namespace: "n"}, ""},
		{Options{Garden: "f"}, ""}, // the cluster itself may name its Shoot
		{Options{Shoot: "a/b"}, "needs --garden-kubeconfig"},
		{Options{Garden: "f", Shoot: "prod"}, `"prod" is not NAMESPACE/NAME`},
		{Options{Control: "f"}, "needs --control-namespace"},
		{Options{Namespace: "n"}, "needs --control-kubeconfig"},
	} {
		if err := tt.o.Check(); (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v: %v, want %q", tt.o, err, tt.says)
		}
	}
}
