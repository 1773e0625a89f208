package e2e

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/gardener"
	"github.com/drainboard/drainboard/lab/workload"
)

// Worker pools of Gardener, rolled by the real machine-controller-manager and watched by
// the program: what it shows is held against what the API server's Machines did.

// newKubernetes and newImage are what Shoots are rolled to.
const (
	newKubernetes = "1.33.1"
	newImage      = "1700.1.0"
)

// shootScene is a scene in a Shoot. Its users have just the published rights, in the
// Shoot's own cluster and in the two others.
type shootScene struct {
	*scene
	shoot           *gardener.Shoot
	garden, control string // kubeconfigs of the watcher
	users           []string
	machines        *machineHistory
}

// newShootScene makes a Shoot. The test continues beside others from here.
func newShootScene(t *testing.T, o gardener.Options) *shootScene {
	t.Helper()
	t.Parallel()
	for _, pool := range o.Pools {
		claim(t, pool.Name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	t.Cleanup(cancel)
	name := "shoot-" + o.Name
	s := &shootScene{scene: &scene{t: t, ctx: ctx, name: name, home: t.TempDir(), key: name, from: time.Now()}}
	var err error
	if s.shoot, err = shared.AddShoot(ctx, o); err != nil {
		t.Fatal(err)
	}
	s.as(name, published(t, "read", "watch", "shoot"))
	s.garden = s.kubeconfigBeside("garden-reader-"+o.Name, s.shoot.Namespace, publishedBeside(t, "rbac-garden.yaml")[0])
	s.control = s.kubeconfigBeside("control-reader-"+o.Name, s.shoot.ControlNamespace, publishedBeside(t, "rbac-control.yaml")[0])
	s.users = append(s.users, s.user)
	s.machines = s.followMachines()
	t.Cleanup(func() { // what a story that hangs waits for
		for _, pool := range o.Pools {
			if t.Failed() {
				s.machines.tell(pool.Name)
				s.machines.tellZones(pool.Name)
			}
		}
	})
	return s
}

// publishedBeside are the roles that are published for a cluster beside the Shoot's own: the first is
// to read.
func publishedBeside(t *testing.T, file string) (roles []rbacv1.Role) {
	t.Helper()
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(document(t, "docs", "reference", file)), 4096); ; {
		var role rbacv1.Role
		err := decoder.Decode(&role)
		if errors.Is(err, io.EOF) {
			return roles
		}
		if err != nil {
			t.Fatal(err)
		}
		roles = append(roles, role)
	}
}

// kubeconfigBeside is that of a user who has these rights in one namespace of a cluster beside the
// Shoot's own.
func (s *shootScene) kubeconfigBeside(user, namespace string, roles ...rbacv1.Role) string {
	s.t.Helper()
	var rules []rbacv1.PolicyRule
	for _, r := range roles {
		rules = append(rules, r.Rules...)
	}
	path, err := shared.KubeconfigFor(s.ctx, user, lab.Rights{Namespaces: map[string][]rbacv1.PolicyRule{namespace: rules}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.users = append(s.users, "system:serviceaccount:default:"+user)
	return path
}

// Flags by which the Shoot and its machines are found, as far as they are to be read.
func (s *shootScene) withShoot() []string {
	return []string{"--provider", "gardener", "--garden-kubeconfig", s.garden, "--shoot", s.shoot.Namespace + "/" + s.shoot.Name}
}

func (s *shootScene) withAll() []string {
	return append(s.withShoot(), "--control-kubeconfig", s.control, "--control-namespace", s.shoot.ControlNamespace)
}

// watches sits at a dashboard of a pool, in a terminal of that size, and notes all it shows.
func (s *shootScene) watches(pool string, columns, rows int, flags ...string) *board {
	s.t.Helper()
	return newBoard(s.sitBefore(columns, rows, append([]string{"watch", pool}, flags...)...))
}

// on is where workloads of a pool go.
func (s *shootScene) on(pool string) *scene {
	o := *s.scene
	o.place = workload.Place{Namespace: s.name + "-" + pool, Group: s.shoot.Group(pool)}
	return &o
}

func (s *shootScene) change(c gardener.Change) {
	s.t.Helper()
	if err := s.shoot.Change(s.ctx, c); err != nil {
		s.t.Fatal(err)
	}
}

// checkOnlyLooked sees that the watchers asked for nothing but to read, that they were
// allowed all of it, and that no cloud was asked.
func (s *shootScene) checkOnlyLooked() {
	s.t.Helper()
	log := s.audit()
	for _, user := range s.users {
		requests := log.Where(lab.By(user), lab.By("drainboard/"))
		if len(requests) == 0 {
			s.t.Errorf("the log shows no request of %s", user)
		}
		for _, r := range requests {
			if r.Verb != "get" && r.Verb != "list" && r.Verb != "watch" && !review(r) || r.Code == http.StatusForbidden && !strings.HasPrefix(r.Resource, "selfsubject") {
				s.t.Errorf("not only read, or not allowed: %v", r)
			}
		}
	}
	if calls := s.calls(); len(calls) > 0 {
		s.t.Errorf("%d calls to AWS, such as %s", len(calls), calls[0].Action)
	}
}
