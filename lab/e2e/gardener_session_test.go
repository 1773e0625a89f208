package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/gardener"
)

// inSession is a user in a session of gardenctl: the kubeconfig names the Shoot and its garden
// cluster, and gardenctl's configuration that cluster's kubeconfig.
func (s *shootScene) inSession(garden string) {
	s.t.Helper()
	config, err := clientcmd.LoadFromFile(s.kubeconfig)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, cluster := range config.Clusters {
		cluster.Extensions["client.authentication.k8s.io/exec"] = &runtime.Unknown{ContentType: runtime.ContentTypeJSON,
			Raw: fmt.Appendf(nil, `{"shootRef":{"namespace":%q,"name":%q},"gardenClusterIdentity":"lab"}`, s.shoot.Namespace, s.shoot.Name)}
	}
	s.kubeconfig = filepath.Join(s.home, "session.yaml")
	if err := clientcmd.WriteToFile(*config, s.kubeconfig); err != nil {
		s.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(s.home, ".garden"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	text := fmt.Sprintf("gardens:\n- identity: lab\n  kubeconfig: %s\n", garden)
	if err := os.WriteFile(filepath.Join(s.home, ".garden", "gardenctl-v2.yaml"), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// A user in a session of gardenctl needs no flag to see the Shoot; with the garden cluster alone the
// Shoot is found as well. Both only read. Where the garden cluster cannot be read the nodes tell,
// and that is said.
func TestGardenerSession(t *testing.T) {
	s := newShootScene(t, gardener.Options{Name: "session", Pools: []gardener.Pool{{Name: "named", Size: 1, Zones: zones[:1], MaxSurge: "1", MaxUnavailable: "0"}}})
	plain := s.kubeconfig
	s.inSession(s.garden)
	ref := s.shoot.Namespace + "/session"
	for _, args := range [][]string{{"status", "named"}, {"plan", "named"}, {"status", "named", "--garden-kubeconfig", s.garden}} {
		if out := s.run(args...).exits(0).out(); !strings.Contains(out, ref) || !strings.Contains(out, "maxSurge 1, maxUnavailable 0") {
			t.Errorf("%v does not have the Shoot %s:\n%s", args, ref, out)
		}
	}
	s.inSession(plain) // a cluster where this user may not read Shoots
	if out := s.run("status", "named").exits(0).out(); !strings.Contains(out, "the garden cluster that the kubeconfig names is not read") {
		t.Errorf("it does not say what is not read:\n%s", out)
	}
	for _, r := range s.audit().Where(lab.By("drainboard/"), lab.By(s.user), lab.Request.Write) {
		if !review(r) {
			t.Errorf("not only read: %v", r)
		}
	}
}
