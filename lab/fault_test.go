package lab

import (
	"context"
	"debug/buildinfo"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/drainboard/drainboard/lab/apigate"
	"github.com/drainboard/drainboard/lab/gate"
	"github.com/drainboard/drainboard/lab/try"
	"github.com/drainboard/drainboard/lab/workload"
)

// docs/internals/lab.md has a line for each fault, with its flags and its name in Go.
func TestFaultsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/internals/lab.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range Faults {
		line := ""
		for row := range strings.Lines(string(doc)) {
			if strings.HasPrefix(row, "| `"+fault.Name+"`") || strings.HasPrefix(row, "| `"+fault.Name+" --") {
				line = row
			}
		}
		for _, flag := range fault.Flags {
			if !strings.Contains(line, "--"+flag.Name) && flag != userFlag {
				t.Errorf("%s: the line does not say --%s: %q", fault.Name, flag.Name, line)
			}
		}
		if !strings.Contains(line, "`"+fault.API+"`") || !strings.Contains(line, fault.Summary[:10]) {
			t.Errorf("%s: the line is %q", fault.Name, line)
		}
	}
}

// A gate lets everything through, watches too, and single requests go wrong there.
func TestGate(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	path, err := shared.KubeconfigFor(ctx, "gate", Rights{Cluster: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"list", "watch", "create"}}}})
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	g, err := shared.Gate("gate")
	if err != nil {
		t.Fatal(err)
	}
	api := kubernetes.NewForConfigOrDie(config).CoreV1()
	var follow watch.Interface
	err = try.Until(ctx, 50*time.Millisecond, func() (bool, error) { // a new role takes a moment
		follow, err = api.Namespaces().Watch(ctx, metav1.ListOptions{})
		return err == nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer follow.Stop()
	post := func(name string) error {
		return api.RESTClient().Post().Resource("namespaces").Body(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}).MaxRetries(0).Do(ctx).Error()
	}
	comes := func(name string) {
		t.Helper()
		for {
			select {
			case e := <-follow.ResultChan():
				if n, ok := e.Object.(*corev1.Namespace); ok && n.Name == name {
					return
				}
			case <-ctx.Done():
				t.Fatalf("%s does not come", name)
			}
		}
	}

	if err := post("gate-first"); err != nil {
		t.Error(err)
	}
	comes("gate-first")
	for i, known := range []func(error) bool{apierrors.IsTooManyRequests, apierrors.IsInternalError} {
		end := g.Fail(1, apigate.Asks("POST", "/namespaces", "gate-second"), apigate.Troubles[i])
		if err := post("gate-second"); !known(err) {
			t.Errorf("trouble %d: %v", i, err)
		}
		end()
	}
	stop := g.Stop(gate.After, apigate.Asks("POST", "/namespaces", "gate-third"))
	answer := make(chan error, 1)
	go func() { answer <- post("gate-third") }()
	<-stop.Hit()
	comes("gate-third")
	stop.Release()
	if err := <-answer; err != nil {
		t.Error(err)
	}
}

// A cut ends watches of its user only; what a line holds or refuses gets through
// when it is over.
func TestLine(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	read := Rights{Cluster: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"list", "watch"}}}}
	client := func(user string) *rest.Config {
		path, err := shared.KubeconfigFor(ctx, user, read)
		if err != nil {
			t.Fatal(err)
		}
		config, err := clientcmd.BuildConfigFromFlags("", path)
		if err != nil {
			t.Fatal(err)
		}
		return config
	}
	api, other := kubernetes.NewForConfigOrDie(client("line")), kubernetes.NewForConfigOrDie(client("line-other"))
	list := func(limit time.Duration) error {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		_, err := api.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		return err
	}
	follow := func(api kubernetes.Interface) (w watch.Interface) {
		err := try.Until(ctx, 50*time.Millisecond, func() (bool, error) { // a new role takes a moment
			var err error
			w, err = api.CoreV1().Nodes().Watch(ctx, metav1.ListOptions{})
			return err == nil, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	ends := func(w watch.Interface) {
		t.Helper()
		for {
			select {
			case _, more := <-w.ResultChan():
				if !more {
					return
				}
			case <-ctx.Done():
				t.Fatal("the watch continues")
			}
		}
	}
	line := shared.Line("line")

	mine, theirs := follow(api), follow(other)
	defer theirs.Stop()
	line.Cut()
	ends(mine)
	if err := list(20 * time.Second); err != nil {
		t.Errorf("list after a cut: %v", err)
	}

	mine = follow(api)
	line.Refuse(true)
	ends(mine)
	if err := list(300 * time.Millisecond); err == nil {
		t.Error("a list gets through while connections are refused")
	}
	line.Refuse(false)

	line.Hold(true)
	if err := list(300 * time.Millisecond); err == nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("list while held: %v, want a timeout", err)
	}
	line.Hold(false)
	line.Delay(150 * time.Millisecond)
	begin := time.Now()
	if err := list(20 * time.Second); err != nil || time.Since(begin) < 300*time.Millisecond {
		t.Errorf("list with a delay: %v after %s", err, time.Since(begin))
	}
	line.Delay(0)
	for drained := false; !drained; {
		select {
		case _, more := <-theirs.ResultChan():
			if !more {
				t.Fatal("the watch of another user ended, too")
			}
		default:
			drained = true
		}
	}
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	addGroup(ctx, t, GroupOptions{Name: "ng-webhook", Nodes: 1})
	place := workload.Place{Namespace: "webhook", Group: "ng-webhook"}
	deploy(ctx, t, place, "batch")
	const name = "test.lab.drainboard.dev"
	evict := func() error {
		pod := podOf(ctx, t, place.Namespace, "batch")
		return shared.Client().PolicyV1().Evictions(place.Namespace).Evict(ctx, &policyv1.Eviction{
			ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace},
		})
	}
	deny := func(w Webhook) {
		t.Helper()
		w.Name, w.Namespace = name, place.Namespace
		if err := shared.DenyEvictions(ctx, w); err != nil {
			t.Fatal(err)
		}
	}

	deny(Webhook{Message: "frozen until Monday"})
	if err := evict(); err == nil || !strings.Contains(err.Error(), "frozen until Monday") {
		t.Errorf("denied: %v", err)
	}
	deny(Webhook{Hang: true})
	if err := evict(); err == nil || !strings.Contains(err.Error(), "failed calling webhook") {
		t.Errorf("hanging, to be obeyed: %v", err)
	}
	deny(Webhook{Hang: true, Ignore: true})
	if err := evict(); err != nil {
		t.Errorf("hanging, to be ignored: %v", err)
	}
	for range 2 { // the second time there is none
		if err := shared.AllowEvictions(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := evict(); err != nil {
		t.Errorf("allowed: %v", err)
	}
}

// The lab's KWOK is the mended one, with which nodes are silent and come back each time:
// with the other TestSilence fails one time in eight.
func TestKwokIsMended(t *testing.T) {
	built, err := buildinfo.ReadFile(filepath.Join(shared.options.BinDir, Kwok))
	if err != nil {
		t.Fatal(err)
	}
	if built.Main.Replace == nil {
		t.Errorf("bin/kwok is %s %s as it is: go run ./cmd/build makes the mended one", built.Main.Path, built.Main.Version)
	}
}

// A silent kubelet: the real node lifecycle controller finds out, pods do not
// end, and all that is over when it is back.
func TestSilence(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	addGroup(ctx, t, GroupOptions{Name: "ng-silence", Nodes: 2})
	place := workload.Place{Namespace: "silence", Group: "ng-silence"}
	deploy(ctx, t, place, "batch")
	pod := podOf(ctx, t, place.Namespace, "batch")
	node := pod.Spec.NodeName
	if err := shared.Silence(ctx, node); err != nil {
		t.Fatal(err)
	}
	err := try.Until(ctx, 200*time.Millisecond, func() (bool, error) {
		n, err := shared.Client().CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		tainted := slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeUnreachable })
		unknown := slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status == corev1.ConditionUnknown
		})
		return tainted && unknown, nil
	})
	if err != nil {
		t.Fatalf("the node is not Unknown and tainted: %v", err)
	}
	pods, deleted := shared.Client().CoreV1().Pods(place.Namespace), time.Now()
	if err := pods.Delete(ctx, pod.Name, *metav1.NewPreconditionDeleteOptions(string(pod.UID))); err != nil {
		t.Fatal(err)
	}
	err = try.Until(ctx, 100*time.Millisecond, func() (bool, error) { // a live kubelet takes less time to end a pod than one to start its successor
		list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "app=batch"})
		if err != nil {
			return false, err
		}
		return slices.ContainsFunc(list.Items, func(p corev1.Pod) bool {
			return !p.CreationTimestamp.Time.Before(deleted.Truncate(time.Second)) && podReady(&p)
		}), nil
	})
	if err != nil {
		t.Fatalf("no pod takes the place of the deleted one: %v", err)
	}
	if left, err := pods.Get(ctx, pod.Name, metav1.GetOptions{}); err != nil || left.DeletionTimestamp == nil {
		t.Errorf("the deleted pod of a silent node: %v, %v", left.DeletionTimestamp, err)
	}
	if err := shared.Revive(ctx, node); err != nil {
		t.Fatal(err)
	}
	if err := shared.WaitNodes(ctx, "ng-silence", 2); err != nil {
		t.Fatal(err)
	}
	if err := shared.WaitReady(ctx, place.Namespace); err != nil {
		t.Fatal(err)
	}
}

func TestNeverReadyGroup(t *testing.T) {
	t.Parallel()
	ctx := testContext(t)
	shared.NeverReady("ng-unready", 1)
	waiting, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	if _, err := shared.AddGroup(waiting, GroupOptions{Name: "ng-unready", Nodes: 2}); err == nil || !strings.Contains(err.Error(), "has 2 nodes, 1 ready") {
		t.Errorf("err = %v, want one of two nodes ready", err)
	}
	if err := shared.RemoveGroup(ctx, "ng-unready"); err != nil {
		t.Fatal(err)
	}
}
