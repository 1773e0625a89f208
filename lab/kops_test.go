package lab

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/kops"
	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/try"
)

// A kops cluster comes up as kops makes one, and its machines are replaced as such.
func TestKopsCluster(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	k, err := shared.AddKopsCluster(ctx, kops.Options{
		Name: "test.k8s.local", Bucket: "kops-test", Rolling: kops.Rolling{MaxSurge: "2"},
		Groups: []kops.Group{
			{Name: "bastions", Role: kops.Bastion, Balancer: "classic"},
			{Name: "masters-a", Role: kops.ControlPlane, Balancer: "network"},
			{Name: "nodes", Size: 2, Max: 5, Rolling: kops.Rolling{MaxSurge: "0", MaxUnavailable: "25%"}, Warm: &cloud.WarmPool{MinSize: 1, MaxPrepared: new(2)}},
			{Name: "batch", Labels: map[string]string{"team": "batch"}, Taints: []string{"dedicated=batch:NoSchedule"}, Rolling: kops.Rolling{KeepOld: true}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, g := range k.Groups {
			if err := shared.RemoveGroup(context.WithoutCancel(ctx), g.Name); err != nil {
				t.Error(err)
			}
		}
	})
	if env := k.Env(); !slices.Equal(env, []string{"KOPS_STATE_STORE=s3://kops-test", "KOPS_CLUSTER_NAME=test.k8s.local"}) {
		t.Errorf("environment %q", env)
	}
	t.Run("groups", func(t *testing.T) { checkKopsGroups(t, k) })
	t.Run("nodes", func(t *testing.T) { checkKopsNodes(ctx, t, k) })
	t.Run("store", func(t *testing.T) { checkKopsStore(t) })
	t.Run("system", func(t *testing.T) { checkKopsSystem(ctx, t, k) })
	t.Run("replaced", func(t *testing.T) { checkKopsReplaced(ctx, t, k) })
}

// checkKopsGroups sees names, tags and load balancers, of groups and instances.
func checkKopsGroups(t *testing.T, k KopsCluster) {
	for ig, want := range map[string]struct {
		name string
		tags []string
	}{
		"bastions":  {"bastions.test.k8s.local", []string{"k8s.io/role/bastion"}},
		"masters-a": {"masters-a.masters.test.k8s.local", []string{"k8s.io/role/control-plane", "k8s.io/role/master", "k8s.io/cluster-autoscaler/node-template/label/node-role.kubernetes.io/control-plane"}},
		"nodes":     {"nodes.test.k8s.local", []string{"k8s.io/role/node", "k8s.io/cluster-autoscaler/node-template/label/node-role.kubernetes.io/node"}},
		"batch":     {"batch.test.k8s.local", []string{"k8s.io/cluster-autoscaler/node-template/label/team", "k8s.io/cluster-autoscaler/node-template/taint/dedicated"}},
	} {
		made := k.Groups[ig]
		g, exists := shared.Cloud().Group(made.Name)
		if !exists || g.Name != want.name || made.New != 2 {
			t.Fatalf("%s: group %+v, made %+v", ig, g, made)
		}
		for _, tags := range []map[string]string{g.Tags, g.Instances[0].Tags} {
			if tags["KubernetesCluster"] != k.Name || tags["kops.k8s.io/instancegroup"] != ig || tags["Name"] != want.name || tags["kubernetes.io/cluster/"+k.Name] != "owned" {
				t.Errorf("%s: tags %v", ig, tags)
			}
			for _, tag := range want.tags {
				if _, has := tags[tag]; !has {
					t.Errorf("%s: no tag %s in %v", ig, tag, tags)
				}
			}
		}
		if balanced := len(g.Balancers) == 1; balanced != (ig == "bastions" || ig == "masters-a") {
			t.Errorf("%s: balancers %q", ig, g.Balancers)
		} else if balanced && shared.Cloud().Targets(g.Balancers[0])[g.Instances[0].ID] != "healthy" {
			t.Errorf("%s: targets %v", ig, shared.Cloud().Targets(g.Balancers[0]))
		}
	}
	if g, _ := shared.Cloud().Group("nodes.test.k8s.local"); g.Desired != 2 || g.Min != 2 || g.Max != 5 || len(g.Warm) != 1 || g.Warm[0].TemplateVersion != 1 {
		t.Errorf("nodes: %+v", g)
	}
}

// checkKopsNodes sees labels and taints, and that a bastion is no node.
func checkKopsNodes(ctx context.Context, t *testing.T, k KopsCluster) {
	node := func(ig string) corev1.Node {
		t.Helper()
		nodes, err := shared.Nodes(ctx, k.Groups[ig].Name)
		if err != nil || len(nodes) == 0 {
			t.Fatalf("%s: %d nodes, %v", ig, len(nodes), err)
		}
		return nodes[0]
	}
	has := func(n corev1.Node, label, value string) {
		t.Helper()
		if v, there := n.Labels[label]; !there || v != value {
			t.Errorf("%s: label %s is %q, want %q", n.Name, label, v, value)
		}
	}
	if nodes, err := shared.Nodes(ctx, k.Groups["bastions"].Name); err != nil || len(nodes) != 0 {
		t.Errorf("a bastion has a node: %v, %v", nodes, err)
	}
	master := node("masters-a")
	has(master, "kops.k8s.io/instancegroup", "masters-a")
	has(master, "node-role.kubernetes.io/control-plane", "")
	has(master, "node.kubernetes.io/exclude-from-external-load-balancers", "")
	if len(master.Spec.Taints) != 1 || master.Spec.Taints[0].ToString() != "node-role.kubernetes.io/control-plane:NoSchedule" {
		t.Errorf("taints of the control plane: %v", master.Spec.Taints)
	}
	has(node("nodes"), "kops.k8s.io/instancegroup", "nodes")
	has(node("nodes"), "node-role.kubernetes.io/node", "")
	if len(node("nodes").Spec.Taints) != 0 {
		t.Errorf("taints of a node: %v", node("nodes").Spec.Taints)
	}
	has(node("batch"), "team", "batch")
	if taints := node("batch").Spec.Taints; len(taints) != 1 || taints[0].ToString() != "dedicated=batch:NoSchedule" {
		t.Errorf("taints of batch: %v", taints)
	}
}

// checkKopsStore reads the specs back.
func checkKopsStore(t *testing.T) {
	objects := shared.Cloud().S3().Objects("kops-test")
	type spec struct {
		APIVersion, Kind string
		Metadata         struct {
			Name   string
			Labels map[string]string
		}
		Spec struct {
			ConfigBase, Role string
			MinSize, MaxSize int
			NodeLabels       map[string]string
			Taints           []string
			Subnets          []any
			WarmPool         *struct{ MinSize, MaxSize int }
			RollingUpdate    *struct {
				DrainAndTerminate        *bool
				MaxSurge, MaxUnavailable any
			}
		}
	}
	read := func(key string) spec {
		t.Helper()
		var s spec
		if err := yaml.Unmarshal(objects["test.k8s.local/"+key], &s); err != nil {
			t.Fatalf("%s: %v\n%s", key, err, objects["test.k8s.local/"+key])
		}
		if s.APIVersion != "kops.k8s.io/v1alpha2" {
			t.Errorf("%s: %s\n%s", key, s.APIVersion, objects["test.k8s.local/"+key])
		}
		return s
	}
	if keys := slices.Sorted(maps.Keys(objects)); len(keys) != 5 {
		t.Errorf("keys %q", keys)
	}
	c := read("config")
	if c.Kind != "Cluster" || c.Metadata.Name != "test.k8s.local" || c.Spec.ConfigBase != "s3://kops-test/test.k8s.local" || len(c.Spec.Subnets) != 3 ||
		c.Spec.RollingUpdate.MaxSurge != 2.0 || c.Spec.RollingUpdate.MaxUnavailable != nil {
		t.Errorf("cluster %+v\n%s", c, objects["test.k8s.local/config"])
	}
	nodes := read("instancegroup/nodes")
	if nodes.Kind != "InstanceGroup" || nodes.Metadata.Labels["kops.k8s.io/cluster"] != "test.k8s.local" || nodes.Spec.Role != "Node" ||
		nodes.Spec.MinSize != 2 || nodes.Spec.MaxSize != 5 || nodes.Spec.WarmPool.MinSize != 1 || nodes.Spec.WarmPool.MaxSize != 2 ||
		nodes.Spec.RollingUpdate.MaxSurge != 0.0 || nodes.Spec.RollingUpdate.MaxUnavailable != "25%" || nodes.Spec.RollingUpdate.DrainAndTerminate != nil {
		t.Errorf("nodes %+v\n%s", nodes, objects["test.k8s.local/instancegroup/nodes"])
	}
	batch := read("instancegroup/batch")
	if batch.Spec.NodeLabels["team"] != "batch" || !slices.Equal(batch.Spec.Taints, []string{"dedicated=batch:NoSchedule"}) || *batch.Spec.RollingUpdate.DrainAndTerminate {
		t.Errorf("batch %+v", batch)
	}
	if master := read("instancegroup/masters-a"); master.Spec.Role != "Master" || master.Spec.RollingUpdate != nil {
		t.Errorf("masters %+v", master)
	}
}

// checkKopsSystem sees the system pods, and makes one and a node unready for a while.
func checkKopsSystem(ctx context.Context, t *testing.T, k KopsCluster) {
	nodes, err := shared.Nodes(ctx, k.Groups["masters-a"].Name)
	if err != nil {
		t.Fatal(err)
	}
	master := nodes[0].Name
	critical := func(prefix string) (ready, all int) {
		t.Helper()
		pods, err := shared.podsNamed(ctx, metav1.NamespaceSystem, prefix)
		if err != nil {
			t.Fatal(err)
		}
		for _, pod := range pods {
			if p := pod.Spec.PriorityClassName; !strings.HasPrefix(p, "system-") || *pod.Spec.Priority < 2000000000 {
				t.Errorf("%s has priority class %q", pod.Name, p)
			}
			if podReady(pod) && pod.Status.ContainerStatuses[0].Ready {
				ready++
			}
		}
		return ready, len(pods)
	}
	for prefix, want := range map[string]int{
		"kube-apiserver-" + master: 1, "kube-controller-manager-" + master: 1, "etcd-manager-main-" + master: 1,
		"kube-proxy-" + master: 1, "kops-controller-": 1, "coredns-": 2, "cilium-": 4,
	} {
		if ready, all := critical(prefix); ready != want || all != want {
			t.Errorf("%s: %d of %d ready, want %d", prefix, ready, all, want)
		}
	}

	system := metav1.NamespaceSystem
	if err := shared.Unready(ctx, system, "coredns-"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond) // longer than the kubelet would take to mend them
	if ready, all := critical("coredns-"); ready != 0 || all != 2 {
		t.Errorf("%d of %d are ready", ready, all)
	}
	if err := shared.ReadyAgain(ctx, system, "coredns-"); err != nil {
		t.Fatal(err)
	}
	if ready, all := critical("coredns-"); ready != 2 || all != 2 {
		t.Errorf("%d of %d are ready again", ready, all)
	}
	if err := shared.Unready(ctx, system, "nobody-"); err == nil || !strings.Contains(err.Error(), "no pod in namespace kube-system has a name that begins with nobody-") {
		t.Errorf("pods that are not there: %v", err)
	}

	ready := func() bool {
		n, err := shared.Client().CoreV1().Nodes().Get(ctx, master, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
		})
	}
	if err := shared.UnreadyNode(ctx, master); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // longer than a node takes to turn Ready
	if ready() {
		t.Error("the node is ready")
	}
	if err := shared.ReadyNode(ctx, master); err != nil {
		t.Fatal(err)
	}
	if err := shared.WaitNodes(ctx, k.Groups["masters-a"].Name, 1); err != nil {
		t.Error(err)
	}
}

// checkKopsReplaced ends the machine of the control plane and the bastion, as kops does.
func checkKopsReplaced(ctx context.Context, t *testing.T, k KopsCluster) {
	masters, bastions := k.Groups["masters-a"].Name, k.Groups["bastions"].Name
	before := map[string]string{}
	for _, group := range []string{masters, bastions} {
		before[group] = shared.Cloud().Instances(group)[0].ID
		terminate(t, before[group])
	}
	err := try.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		for group, id := range before {
			is := shared.Cloud().Instances(group)
			if len(is) != 1 || is[0].ID == id || is[0].State != cloud.InService || is[0].TemplateVersion != 2 {
				return false, nil
			}
		}
		nodes, err := shared.Nodes(ctx, masters)
		if err != nil || len(nodes) != 1 || !strings.HasSuffix(nodes[0].Spec.ProviderID, shared.Cloud().Instances(masters)[0].ID) {
			return false, try.IgnoreUnlessDone(ctx, err)
		}
		waits, err := shared.systemWaits(ctx)
		return waits == "" && machines.NodeReady(&nodes[0]), try.IgnoreUnlessDone(ctx, err)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What kops would not take either is refused before anything is made.
func TestKopsOptions(t *testing.T) {
	t.Parallel()
	node := kops.Group{Name: "nodes"}
	for want, groups := range map[string][]kops.Group{
		"no name, or one that is taken": {node, node},
		"not min 1 <= size 1 <= max -1": {{Name: "nodes", Min: 1, Max: -1}},
		`no role "king"`:                {node, {Name: "x", Role: "king"}},
		`no balancer "big"`:             {node, {Name: "x", Balancer: "big"}},
		`no zone "eu-west-1x"`:          {node, {Name: "x", Zones: []string{"eu-west-1x"}}},
		"is not key=value:Effect":       {node, {Name: "x", Taints: []string{"alone"}}},
		"no instance group of nodes":    {{Name: "bastions", Role: kops.Bastion}},
	} {
		_, err := shared.AddKopsCluster(t.Context(), kops.Options{Name: "refused.k8s.local", Bucket: "kops-refused", Groups: groups})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if shared.Cloud().S3().Objects("kops-refused") != nil {
		t.Error("a refused cluster has a state store")
	}
}
