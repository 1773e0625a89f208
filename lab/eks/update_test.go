package eks_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	awseks "github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/aws-sdk-go-v2/service/eks/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/eks"
	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/workload"
)

// of are a node group's entries of the worker's log.
func (b bench) of(group string) []eks.Entry {
	return slices.DeleteFunc(b.Service.Log(), func(e eks.Entry) bool { return e.Group != group })
}

// nodes of a node group, by name.
func (b bench) nodes(ctx context.Context, t *testing.T, group string) map[string]corev1.Node {
	t.Helper()
	list, err := b.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: "eks.amazonaws.com/nodegroup=" + group})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]corev1.Node{}
	for _, n := range list.Items {
		all[n.Name] = n
	}
	return all
}

// steps are the log's phases, with equal neighbours once.
func steps(log []eks.Entry, of ...string) string {
	var all []string
	for _, e := range log {
		if slices.Contains(of, e.Step) && (len(all) == 0 || all[len(all)-1] != e.Step) {
			all = append(all, e.Step)
		}
	}
	return strings.Join(all, ", ")
}

// most is how many nodes were picked and not terminated at the same time.
func most(log []eks.Entry) int {
	open, most := 0, 0
	for _, e := range log {
		switch e.Step {
		case eks.Picked:
			open++
			most = max(most, open)
		case eks.Terminated:
			open--
		}
	}
	return most
}

// DEFAULT raises the group by twice its zones, marks all old nodes, takes random ones up to
// maxUnavailable, and returns to the sizes of before.
func TestDefault(t *testing.T) {
	ctx := testContext(t)
	zones := lab.Zones("eu-west-1", 2)
	asg := shared.add(t, lab.Nodegroup{Name: "web", Nodes: 4, Max: 5, Zones: zones, Update: &types.NodegroupUpdateConfig{MaxUnavailable: aws.Int32(2)}})
	place := workload.Place{Namespace: "default-web", Group: asg}
	if err := shared.Apply(ctx, place.Deployment("shop", 6)); err != nil {
		t.Fatal(err)
	}
	if err := shared.WaitReady(ctx, place.Namespace); err != nil {
		t.Fatal(err)
	}
	before := shared.nodes(ctx, t, "web")
	id := shared.update(ctx, t, "web", false)
	var peak, marked int
	u := shared.await(ctx, t, "web", id, func() {
		g, _ := shared.Cloud().Group(asg)
		peak = max(peak, g.Desired)
		n := 0
		for name, node := range shared.nodes(ctx, t, "web") {
			if !node.Spec.Unschedulable || node.Labels["node.kubernetes.io/exclude-from-external-load-balancers"] != "true" {
				continue
			}
			n++
			// What the scale down ends is marked too, by the hook.
			if _, old := before[name]; !old && steps(shared.of("web"), eks.ScaleDown) == "" {
				t.Errorf("%s is new, and marked", name)
			}
		}
		marked = max(marked, n)
		if d := shared.describe(ctx, t, "web"); d.Status == types.NodegroupStatusUpdating && *d.Version != "1.31" {
			t.Errorf("it tells %s before it is through", *d.Version)
		}
	})
	log := shared.of("web")
	if u.Status != types.UpdateStatusSuccessful || len(u.Errors) > 0 || u.Type != types.UpdateTypeVersionUpdate || *u.Params[0].Value != "1.32" {
		t.Errorf("update: %+v", u)
	}
	if got := steps(log, eks.SetUp, eks.ScaleUp, eks.Marked, eks.Upgrade, eks.ScaleDown, eks.Succeeded); got != "setup, scale up, marked, upgrade, scale down, succeeded" {
		t.Error(got)
	}
	for name := range before {
		var own []string
		var drained time.Time
		for _, e := range log {
			if e.Node != name || e.Pod != "" {
				continue
			}
			own = append(own, e.Step)
			switch e.Step {
			case eks.Drained:
				drained = e.Time
			case eks.Terminated:
				if e.Time.Sub(drained) < times.Settle {
					t.Errorf("%s: terminated %s after its drain", name, e.Time.Sub(drained))
				}
			}
		}
		if got := strings.Join(own, ", "); got != "marked, picked, drained, terminated, gone" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if peak != 8 || marked != 4 || most(log) != 2 {
		t.Errorf("desired up to %d, %d marked, %d at once", peak, marked, most(log))
	}
	d := shared.describe(ctx, t, "web")
	if *d.Version != "1.32" || *d.ReleaseVersion != "1.32.1-20250203" || d.Status != types.NodegroupStatusActive {
		t.Errorf("node group: %s %s %s", *d.Version, *d.ReleaseVersion, d.Status)
	}
	if g, _ := shared.Cloud().Group(asg); g.Desired != 4 || g.Max != 5 || g.Min != 0 {
		t.Errorf("sizes: %d %d %d", g.Min, g.Desired, g.Max)
	}
	if err := shared.WaitNodes(ctx, asg, 4); err != nil {
		t.Fatal(err)
	}
	for name, node := range shared.nodes(ctx, t, "web") {
		if _, old := before[name]; old || node.Status.NodeInfo.KubeletVersion != "v1.32.1" || node.Labels["eks.amazonaws.com/nodegroup-image"] != machines.NewAMI {
			t.Errorf("%s: %s %s", name, node.Status.NodeInfo.KubeletVersion, node.Labels)
		}
	}
}

// MINIMAL has never more nodes than before, marks all of them first, and does not wait between a drain and
// the termination.
func TestMinimal(t *testing.T) {
	ctx := testContext(t)
	asg := shared.add(t, lab.Nodegroup{Name: "batch", Nodes: 3, Update: &types.NodegroupUpdateConfig{UpdateStrategy: types.NodegroupUpdateStrategiesMinimal}})
	before := shared.nodes(ctx, t, "batch")
	slow := times
	slow.Settle = 20 * time.Second
	shared.SetTimes(slow)
	t.Cleanup(func() { shared.SetTimes(times) })
	id := shared.update(ctx, t, "batch", false)
	u := shared.await(ctx, t, "batch", id, func() {
		if g, _ := shared.Cloud().Group(asg); g.Desired != 3 || g.Max != 3 {
			t.Errorf("sizes: %d %d", g.Desired, g.Max)
		}
	})
	log := shared.of("batch")
	if got := steps(log, eks.SetUp, eks.ScaleUp, eks.Marked, eks.Upgrade, eks.ScaleDown, eks.Succeeded); got != "setup, marked, upgrade, succeeded" || u.Status != types.UpdateStatusSuccessful {
		t.Error(got, u.Status)
	}
	if most(log) != 1 {
		t.Errorf("%d at once", most(log))
	}
	drained := map[string]time.Time{}
	for _, e := range log {
		switch e.Step {
		case eks.Drained:
			drained[e.Node] = e.Time
		case eks.Terminated:
			if waited := e.Time.Sub(drained[e.Node]); waited >= slow.Settle {
				t.Errorf("%s: terminated %s after its drain", e.Node, waited)
			}
		}
	}
	for name := range shared.nodes(ctx, t, "batch") {
		if _, old := before[name]; old {
			t.Errorf("%s is old", name)
		}
	}
}

// As in former years, old nodes may be tainted instead of cordoned.
func TestTaints(t *testing.T) {
	ctx := testContext(t)
	shared.add(t, lab.Nodegroup{Name: "tainted", Nodes: 1, Zones: lab.Zones("eu-west-1", 1), Update: &types.NodegroupUpdateConfig{UpdateStrategy: types.NodegroupUpdateStrategiesMinimal}})
	shared.SetTaints(true)
	defer shared.SetTaints(false)
	seen := false
	u := shared.await(ctx, t, "tainted", shared.update(ctx, t, "tainted", false), func() {
		for _, node := range shared.nodes(ctx, t, "tainted") {
			at := slices.IndexFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == "eks.amazonaws.com/nodegroup" })
			seen = seen || at >= 0 && node.Spec.Taints[at].Value == "unschedulable" && node.Spec.Taints[at].Effect == corev1.TaintEffectNoSchedule
			if log := shared.of("tainted"); node.Spec.Unschedulable && steps(log, eks.Terminated) == "" {
				t.Error("it is cordoned")
			}
		}
	})
	if u.Status != types.UpdateStatusSuccessful || !seen {
		t.Errorf("%s, the taint was seen: %t", u.Status, seen)
	}
}

// A PDB that allows none fails the update after all windows, with the node and not the pod.
// Nothing else may start meanwhile. By force it goes through after one window.
func TestBlocked(t *testing.T) {
	ctx := testContext(t)
	asg := shared.add(t, lab.Nodegroup{Name: "api", Nodes: 1, Zones: lab.Zones("eu-west-1", 1)})
	place := workload.Place{Namespace: "blocked-api", Group: asg}
	if err := shared.Apply(ctx, place.Deployment("cart", 1), place.MaxUnavailable("cart", 0)); err != nil {
		t.Fatal(err)
	}
	if err := shared.WaitReady(ctx, place.Namespace); err != nil {
		t.Fatal(err)
	}
	var node string
	for node = range shared.nodes(ctx, t, "api") {
	}
	began := time.Now()
	id := shared.update(ctx, t, "api", false)
	_, err := shared.api.UpdateNodegroupVersion(ctx, &awseks.UpdateNodegroupVersionInput{ClusterName: aws.String(lab.EKSCluster), NodegroupName: aws.String("api")})
	if code(err) != "ResourceInUseException" {
		t.Error(err)
	}
	_, err = shared.api.UpdateNodegroupConfig(ctx, &awseks.UpdateNodegroupConfigInput{ClusterName: aws.String(lab.EKSCluster), NodegroupName: aws.String("api"), Labels: &types.UpdateLabelsPayload{AddOrUpdateLabels: map[string]string{"a": "b"}}})
	if code(err) != "ResourceInUseException" {
		t.Error(err)
	}
	u := shared.await(ctx, t, "api", id, nil)
	if u.Status != types.UpdateStatusFailed || len(u.Errors) != 1 || u.Errors[0].ErrorCode != types.ErrorCodePodEvictionFailure || !slices.Equal(u.Errors[0].ResourceIds, []string{node}) {
		t.Fatalf("update: %+v", u)
	}
	if took := time.Since(began); took < 3*times.Window {
		t.Errorf("it failed after %s, in less than three windows", took)
	}
	refused := 0
	for _, e := range shared.of("api") {
		if e.Step == eks.Refused {
			refused++
		}
	}
	events, err := shared.Client().CoreV1().Events(place.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events.Items {
		if strings.Contains(strings.ToLower(e.Reason+e.Message), "evict") {
			t.Errorf("a refused eviction left a trace: %s", e.Message)
		}
	}
	pods, err := shared.Client().CoreV1().Pods(place.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil || len(pods.Items) != 1 || refused < 10 {
		t.Fatalf("%d pods, %d refusals, %v", len(pods.Items), refused, err)
	}
	for _, c := range pods.Items[0].Status.Conditions {
		if c.Type == corev1.DisruptionTarget {
			t.Errorf("a refused eviction left a condition: %+v", c)
		}
	}

	began = time.Now()
	u = shared.await(ctx, t, "api", shared.update(ctx, t, "api", true), nil)
	if took := time.Since(began); u.Status != types.UpdateStatusSuccessful || took < times.Window {
		t.Errorf("by force: %s after %s", u.Status, took)
	}
}

// New nodes that do not come fail the update with their instances.
func TestNoNewNodes(t *testing.T) {
	ctx := testContext(t)
	asg := shared.add(t, lab.Nodegroup{Name: "late", Nodes: 1, Zones: lab.Zones("eu-west-1", 1)})
	short := times
	short.Join = 2 * time.Second
	shared.SetTimes(short)
	defer shared.SetTimes(times)
	shared.Cloud().NeverJoin(asg, 2)
	u := shared.await(ctx, t, "late", shared.update(ctx, t, "late", false), nil)
	if u.Status != types.UpdateStatusFailed || u.Errors[0].ErrorCode != types.ErrorCodeNodeCreationFailure || len(u.Errors[0].ResourceIds) != 2 || !strings.HasPrefix(u.Errors[0].ResourceIds[0], "i-") {
		t.Errorf("update: %+v", u)
	}
	if d := shared.describe(ctx, t, "late"); *d.Version != "1.31" || d.Status != types.NodegroupStatusActive {
		t.Errorf("node group: %s %s", *d.Version, d.Status)
	}
}

// plain is a client whose answers are not held against EKS's model.
func plain(o *autoscaling.Options) { o.HTTPClient = http.DefaultClient }

// An autoscaler that scales up during the scale down ends the update with the raised size.
func TestLeftRaised(t *testing.T) {
	ctx := testContext(t)
	asg := shared.add(t, lab.Nodegroup{Name: "auto", Nodes: 1, Max: 3, Zones: lab.Zones("eu-west-1", 1)})
	slow := times
	slow.Shrink = time.Second
	shared.SetTimes(slow)
	defer shared.SetTimes(times)
	raised := false
	u := shared.await(ctx, t, "auto", shared.update(ctx, t, "auto", false), func() {
		if log := shared.of("auto"); !raised && log[len(log)-1].Step == eks.Shrunk {
			raised = true
			g, _ := shared.Cloud().Group(asg)
			_, err := autoscaling.NewFromConfig(shared.cfg, plain).SetDesiredCapacity(ctx, &autoscaling.SetDesiredCapacityInput{
				AutoScalingGroupName: aws.String(asg), DesiredCapacity: aws.Int32(int32(g.Desired + 1))})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	g, _ := shared.Cloud().Group(asg)
	if u.Status != types.UpdateStatusSuccessful || !raised || g.Desired != 3 || g.Max != 4 {
		t.Errorf("%s, desired %d, max %d", u.Status, g.Desired, g.Max)
	}
}

// An update of the configuration changes sizes, labels of nodes and the update's own
// settings, and has its own entry among the updates.
func TestConfig(t *testing.T) {
	ctx := testContext(t)
	asg := shared.add(t, lab.Nodegroup{Name: "conf", Nodes: 1, Max: 2})
	in := &awseks.UpdateNodegroupConfigInput{ClusterName: aws.String(lab.EKSCluster), NodegroupName: aws.String("conf"), ClientRequestToken: aws.String("one"),
		ScalingConfig: &types.NodegroupScalingConfig{MaxSize: aws.Int32(4)}, Labels: &types.UpdateLabelsPayload{AddOrUpdateLabels: map[string]string{"team": "shop"}},
		UpdateConfig: &types.NodegroupUpdateConfig{MaxUnavailablePercentage: aws.Int32(50)}}
	out, err := shared.api.UpdateNodegroupConfig(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	again, err := shared.api.UpdateNodegroupConfig(ctx, in)
	if err != nil || *again.Update.Id != *out.Update.Id {
		t.Errorf("the same token makes another update: %v %v", again, err)
	}
	_, err = shared.api.UpdateNodegroupVersion(ctx, &awseks.UpdateNodegroupVersionInput{ClusterName: aws.String(lab.EKSCluster), NodegroupName: aws.String("conf")})
	if code(err) != "ResourceInUseException" {
		t.Error(err)
	}
	if u := shared.await(ctx, t, "conf", *out.Update.Id, nil); u.Status != types.UpdateStatusSuccessful || u.Type != types.UpdateTypeConfigUpdate || len(u.Params) != 3 {
		t.Errorf("update: %+v", u)
	}
	d := shared.describe(ctx, t, "conf")
	if *d.ScalingConfig.MaxSize != 4 || d.Labels["team"] != "shop" || aws.ToInt32(d.UpdateConfig.MaxUnavailablePercentage) != 50 || d.UpdateConfig.MaxUnavailable != nil || d.UpdateConfig.UpdateStrategy != types.NodegroupUpdateStrategiesDefault {
		t.Errorf("node group: %+v %+v", d.ScalingConfig, d.UpdateConfig)
	}
	if g, _ := shared.Cloud().Group(asg); g.Max != 4 || g.Desired != 1 {
		t.Errorf("sizes: %d %d", g.Desired, g.Max)
	}
	for name, node := range shared.nodes(ctx, t, "conf") {
		if node.Labels["team"] != "shop" {
			t.Errorf("%s has no label", name)
		}
	}
	ids, err := shared.api.ListUpdates(ctx, &awseks.ListUpdatesInput{Name: aws.String(lab.EKSCluster), NodegroupName: aws.String("conf")})
	if err != nil || !slices.Equal(ids.UpdateIds, []string{*out.Update.Id}) {
		t.Error(ids, err)
	}
}
