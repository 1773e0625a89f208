package lab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab/machines"
	"github.com/drainboard/drainboard/lab/programs"
	"github.com/drainboard/drainboard/lab/try"
	"github.com/drainboard/drainboard/lab/workload"
)

// shared is the lab of all tests that do not break it.
var shared *Lab

func TestMain(m *testing.M) {
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	ctx := context.Background()
	// A kubelet shows a sign of life every 10 s.
	o := Options{Times: Times{NodeGrace: 20 * time.Second}}
	var err error
	if shared, err = Start(ctx, o); errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "building the lab's programs")
		if err = programs.Build(ctx); err == nil {
			shared, err = Start(ctx, o)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	shared.Stop()
	shared.Stop() // may be called again
	if _, err := os.Stat(shared.Dir()); !errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(os.Stderr, "the temporary directory is still there:", err)
		return 1
	}
	if left := processes(shared.Dir()); len(left) > 0 {
		fmt.Fprintf(os.Stderr, "still running: %q\n", left)
		return 1
	}
	return code
}

// testContext ends well before the test binary's own deadline would kill it and
// leave no message.
func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func addGroup(ctx context.Context, t *testing.T, o GroupOptions) Group {
	t.Helper()
	group, err := shared.AddGroup(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	return group
}

func deploy(ctx context.Context, t *testing.T, p workload.Place, names ...string) {
	t.Helper()
	if err := shared.Deploy(ctx, p, names...); err != nil {
		t.Fatal(err)
	}
	if err := shared.WaitReady(ctx, p.Namespace); err != nil {
		t.Fatal(err)
	}
}

func TestNodes(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	group := addGroup(ctx, t, GroupOptions{
		Name: "ng-nodes", Nodes: 3, Max: 4, EKS: true, Labels: map[string]string{"team": "web"},
	})
	nodes, err := shared.Nodes(ctx, "ng-nodes")
	if err != nil {
		t.Fatal(err)
	}
	zones := map[string]bool{}
	for _, node := range nodes {
		zones[node.Labels[corev1.LabelTopologyZone]] = true
		want := map[string]string{
			"team":                                          "web",
			corev1.LabelHostname:                            node.Name,
			corev1.LabelInstanceTypeStable:                  "m5.large",
			"eks.amazonaws.com/nodegroup":                   "ng-nodes",
			"eks.amazonaws.com/nodegroup-image":             machines.OldAMI,
			"eks.amazonaws.com/sourceLaunchTemplateId":      group.TemplateID,
			"eks.amazonaws.com/sourceLaunchTemplateVersion": "1",
		}
		for key, value := range want {
			if node.Labels[key] != value {
				t.Errorf("%s: label %s is %q, want %q", node.Name, key, node.Labels[key], value)
			}
		}
		id := node.Spec.ProviderID[strings.LastIndex(node.Spec.ProviderID, "/")+1:]
		instance, ok := shared.Cloud().Instance(id)
		if !ok || instance.PrivateDNS != node.Name {
			t.Errorf("%s: provider ID %s is not its instance", node.Name, node.Spec.ProviderID)
		}
		if v := node.Status.NodeInfo.KubeletVersion; v != "v1.31.4" {
			t.Errorf("%s: kubelet %s", node.Name, v)
		}
		if pods := node.Status.Allocatable.Pods().Value(); pods != 29 {
			t.Errorf("%s: room for %d pods", node.Name, pods)
		}
	}
	if len(zones) != 3 {
		t.Errorf("zones %v, want 3", zones)
	}
	if group.New != 2 {
		t.Errorf("new template version %d, want 2", group.New)
	}
}

func TestReplacedInstance(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	addGroup(ctx, t, GroupOptions{Name: "ng-replace", Nodes: 1})
	place := workload.Place{Namespace: "replace", Group: "ng-replace"}
	deploy(ctx, t, place, "batch", "bare", "agent")
	before, err := shared.Nodes(ctx, "ng-replace")
	if err != nil {
		t.Fatal(err)
	}
	// Out of service for EC2: the group replaces it, with the new template.
	terminate(t, shared.Cloud().Instances("ng-replace")[0].ID)
	err = try.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		nodes, err := shared.Nodes(ctx, "ng-replace")
		return len(nodes) == 1 && nodes[0].Name != before[0].Name, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := shared.WaitNodes(ctx, "ng-replace", 1); err != nil {
		t.Fatal(err)
	}
	if err := shared.WaitReady(ctx, place.Namespace); err != nil {
		t.Fatal(err)
	}
	after, err := shared.Nodes(ctx, "ng-replace")
	if err != nil {
		t.Fatal(err)
	}
	if v := after[0].Status.NodeInfo.KubeletVersion; v != "v1.32.1" {
		t.Errorf("new node's kubelet is %s", v)
	}
	if _, err := shared.Client().CoreV1().Pods(place.Namespace).Get(ctx, "bare", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the bare pod of the old node: %v, want not found", err)
	}
}

// terminate calls EC2's TerminateInstances.
func terminate(t *testing.T, id string) {
	t.Helper()
	body := strings.NewReader("Action=TerminateInstances&Version=2016-11-15&InstanceId.1=" + id)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, shared.Cloud().URL(), body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=lab/20250101/eu-west-1/ec2/aws4_request, SignedHeaders=host, Signature=0")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("TerminateInstances: %s", response.Status)
	}
}

func TestNeverReady(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	shared.SetImage("ami-0bad0bad0bad0bad0", machines.Image{Kubelet: "v1.33.0", NeverReady: true})
	waiting, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_, err := shared.AddGroup(waiting, GroupOptions{Name: "ng-bad", Nodes: 1, OldAMI: "ami-0bad0bad0bad0bad0"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("err = %v, want a timeout", err)
	}
	nodes, err := shared.Nodes(ctx, "ng-bad")
	if err != nil || len(nodes) != 1 || machines.NodeReady(&nodes[0]) {
		t.Fatalf("nodes %v (%v), want one that is not ready", nodes, err)
	}
	if err := shared.RemoveGroup(ctx, "ng-bad"); err != nil {
		t.Fatal(err)
	}
}

// TestRestart runs alone, before the parallel tests: it takes the shared lab's
// API server away.
func TestRestart(t *testing.T) {
	ctx := testContext(t)
	addGroup(ctx, t, GroupOptions{Name: "ng-restart", Nodes: 1})
	place := workload.Place{Namespace: "restart", Group: "ng-restart"}
	for _, component := range []string{APIServer, Etcd, Kwok} {
		if err := shared.Restart(ctx, component); err != nil {
			t.Fatal(err)
		}
	}
	deploy(ctx, t, place, "single")
}
