package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/workload"
)

// zones of the lab. Those after the third are for tests that take capacity away.
var zones = lab.Zones("eu-west-1", 7)

// oneZone makes a small group: it is raised by two.
var oneZone = zones[:1]

// scene is what one story happens in: a group, a namespace, and a user who has
// just the published rights, those of AWS too. Its name is also the AWS access key, so that the
// logs of both API servers tell the stories apart.
type scene struct {
	t     *testing.T
	ctx   context.Context
	name  string
	place workload.Place
	group lab.Group
	home  string

	user, kubeconfig string
	key              string   // AWS access key
	extra            []string // environment on top
	singles          []string // Deployments that may get a second replica
	before           cloud.Group
	from             time.Time
}

// newScene makes a group (o without a name) and a user. The test continues beside
// others from here.
func newScene(t *testing.T, name string, o lab.GroupOptions, rights ...string) *scene {
	t.Helper()
	t.Parallel()
	return loneScene(t, name, o, rights...)
}

// loneScene is newScene for a test that breaks the lab for everybody: it runs
// before those that run side by side.
func loneScene(t *testing.T, name string, o lab.GroupOptions, rights ...string) *scene {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 45*time.Minute)
	t.Cleanup(cancel)
	s := &scene{t: t, ctx: ctx, name: name, home: t.TempDir(), key: name}
	o.Name = "ng-" + name
	claim(t, o.Name)
	if len(o.Zones) == 0 {
		o.Zones = zones[:3]
	}
	s.place = workload.Place{Namespace: name, Group: o.Name}
	var err error
	if s.group, err = shared.AddGroup(ctx, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shared.Cloud().DeleteGroup(o.Name) })
	if len(rights) == 0 {
		rights = []string{"read", "upgrade", "events", "hear"}
	}
	s.as(name, published(t, rights...))
	shared.Cloud().Grant(s.key, granted(t, rights...)...)
	s.mark()
	return s
}

// claimed are the groups of the lab by name, each with the test that has it.
var claimed sync.Map

// claim makes a group's name this test's: records and locks are found by it, so that no two tests
// can have one of the same name.
func claim(t *testing.T, group string) {
	t.Helper()
	if of, taken := claimed.LoadOrStore(group, t.Name()); taken && of != t.Name() {
		t.Fatalf("%s has a group %s as well: give this one a name of its own", of, group)
	}
}

// as lets drainboard be another user from here on.
func (s *scene) as(user string, rights lab.Rights) {
	s.t.Helper()
	path, err := shared.KubeconfigFor(s.ctx, user, rights)
	if err != nil {
		s.t.Fatal(err)
	}
	s.user, s.kubeconfig = "system:serviceaccount:default:"+user, path
}

// mark makes now the beginning: what the checks compare with.
func (s *scene) mark() {
	s.before, _ = shared.Cloud().Group(s.group.Name)
	s.from = time.Now()
}

// deploy creates workloads of the lab's catalog and waits until they are Ready.
func (s *scene) deploy(names ...string) *scene {
	s.t.Helper()
	if err := shared.Deploy(s.ctx, s.place, names...); err != nil {
		s.t.Fatal(err)
	}
	return s.settle()
}

// settle waits until all pods are Ready and makes now the beginning.
func (s *scene) settle() *scene {
	s.t.Helper()
	if err := shared.WaitReady(s.ctx, s.place.Namespace); err != nil {
		s.t.Fatal(err)
	}
	s.mark()
	return s
}

// other is another user in the same scene, with just these rights.
func (s *scene) other(name string, rights ...string) *scene {
	s.t.Helper()
	o := *s
	o.as(name, published(s.t, rights...))
	o.key = name
	shared.Cloud().Grant(o.key, granted(s.t, rights...)...)
	return &o
}

// env is the environment of the scene's processes.
func (s *scene) env() []string {
	env := append(environment(), "HOME="+s.home, "TERM=xterm-256color", "KUBECONFIG="+s.kubeconfig)
	env = append(env, shared.AWSEnv()...)
	env = append(env, "AWS_ACCESS_KEY_ID="+s.key)
	return append(env, s.extra...)
}

// upgrade starts the upgrade of the scene's group without a person, with short
// waits, and JSON events.
func (s *scene) upgrade(flags ...string) *process {
	s.t.Helper()
	return s.launch(append([]string{"upgrade", s.group.Name, "--auto", "-o", "json", "--post-drain-wait", "1s", "--eviction-retry", "1s"}, flags...)...)
}

// run runs any command to its end.
func (s *scene) run(args ...string) *process {
	s.t.Helper()
	p := s.launch(args...)
	select {
	case <-p.ended:
	case <-time.After(patience):
		s.t.Fatalf("drainboard %s did not end", strings.Join(args, " "))
	}
	return p
}

// scale sets the replicas of a deployment.
func (s *scene) scale(deployment string, replicas int) {
	s.t.Helper()
	s.patch("deployments", deployment, fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas))
}

func (s *scene) patch(resource, name, patch string) {
	s.t.Helper()
	client := shared.Client()
	var err error
	switch resource {
	case "deployments":
		_, err = client.AppsV1().Deployments(s.place.Namespace).Patch(s.ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	case "poddisruptionbudgets":
		_, err = client.PolicyV1().PodDisruptionBudgets(s.place.Namespace).Patch(s.ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	case "nodes":
		_, err = client.CoreV1().Nodes().Patch(s.ctx, name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	default:
		s.t.Fatalf("cannot patch %s", resource)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// nodes are the group's nodes now, sorted by name.
func (s *scene) nodes() []corev1.Node {
	s.t.Helper()
	nodes, err := shared.Nodes(s.ctx, s.group.Name)
	if err != nil {
		s.t.Fatal(err)
	}
	slices.SortFunc(nodes, func(a, b corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	return nodes
}

// pods are those of an app, "" for all of the namespace.
func (s *scene) pods(app string) []corev1.Pod {
	s.t.Helper()
	o := metav1.ListOptions{}
	if app != "" {
		o.LabelSelector = "app=" + app
	}
	pods, err := shared.Client().CoreV1().Pods(s.place.Namespace).List(s.ctx, o)
	if err != nil {
		s.t.Fatal(err)
	}
	return pods.Items
}

// eventually tries until there is no error, and fails with the last one.
func (s *scene) eventually(try func() error) {
	s.t.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if err = try(); err == nil {
			return
		}
	}
	s.t.Error(err)
}

// file writes a file of the scene.
func (s *scene) file(name, content string) string {
	s.t.Helper()
	path := filepath.Join(s.home, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// shortName is the only node's name up to its first dot, as the dashboard shows it.
func shortName(nodes []corev1.Node) string {
	name, _, _ := strings.Cut(nodes[0].Name, ".")
	return name
}
