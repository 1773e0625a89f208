package gardener

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/providers/kube"
)

// extended writes a kubeconfig as gardenctl and Gardener's dashboard do: with the Shoot and its
// garden cluster in an extension. The extension is what a client of it then has.
func extended(t *testing.T, server, namespace, name, garden string) (extension []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: c
clusters:
- name: shoot--dev--prod
  cluster:
    server: %s
    extensions:
    - name: client.authentication.k8s.io/exec
      extension:
        shootRef: {namespace: %s, name: %s}
        gardenClusterIdentity: %s
contexts: [{name: c, context: {cluster: shoot--dev--prod}}]
`, server, namespace, name, garden)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := kube.ConnectReadOnly(t.Context(), kube.Flags{Kubeconfig: file}, "test")
	if err != nil {
		t.Fatal(err)
	}
	return k.Extension(ExtensionName)
}

// The Shoot and its garden cluster are found by a kubeconfig of gardenctl's and the user's
// configuration, with no flag; a flag stays as it is.
func TestResolveByKubeconfig(t *testing.T) {
	t.Parallel()
	api := newFakeAPI(t)
	extension := extended(t, api.server.URL, "garden-dev", "prod", "landscape-dev")
	home := t.TempDir()
	config := func(dir, name, text string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"HOME": home}
	resolve := func(o Options) Options {
		t.Helper()
		got, err := o.Resolve(t.Context(), extension, func(name string) string { return env[name] }, nil)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := resolve(Options{}); got != (Options{}) {
		t.Errorf("without a configuration: %+v", got)
	}
	config(filepath.Join(home, ".garden"), "gardenctl-v2.yaml", "gardens:\n- {identity: other, kubeconfig: /other}\n- {identity: landscape-dev, name: dev, kubeconfig: ~/dev.yaml, context: mine}\n")
	want := Options{Garden: filepath.Join(home, "dev.yaml"), Shoot: "garden-dev/prod", implied: true, context: "mine"}
	if got := resolve(Options{}); got != want {
		t.Errorf("by gardenctl's configuration: %+v, want %+v", got, want)
	}
	if got := resolve(Options{Garden: "/flag"}); got != (Options{Garden: "/flag", Shoot: "garden-dev/prod"}) {
		t.Errorf("with --garden-kubeconfig: %+v", got)
	}
	if got := resolve(Options{Garden: "/flag", Shoot: "a/b"}); got != (Options{Garden: "/flag", Shoot: "a/b"}) {
		t.Errorf("with both flags: %+v", got)
	}
	env["GL_HOME"], env["GL_CONFIG_NAME"] = filepath.Join(home, "gl"), "mine"
	config(env["GL_HOME"], "mine.yaml", "gardens: [{identity: landscape-dev, kubeconfig: /gl.yaml}]\n")
	if got := resolve(Options{}); got.Garden != "/gl.yaml" || got.context != "" {
		t.Errorf("by gardenlogin's configuration: %+v", got)
	}
}

// With the garden cluster alone the Shoot is the one that shoot-info names.
func TestResolveByShootInfo(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"data":{"shootName":"prod","projectName":"dev"}}`:    "garden-dev/prod",
		`{"data":{"shootName":"prod","projectName":"garden"}}`: "garden/prod",
		`{"data":{"shootName":"prod"}}`:                        "needs --shoot",
	} {
		read := func(context.Context, string) ([]byte, error) { return []byte(data), nil }
		got, err := Options{Garden: "/g"}.Resolve(t.Context(), nil, os.Getenv, read)
		if got.Shoot != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v, want %s", data, got, err, want)
		}
	}
	_, err := Options{Garden: "/g"}.Resolve(t.Context(), nil, os.Getenv, func(context.Context, string) ([]byte, error) { return nil, kube.ErrNoObject })
	if err == nil || !strings.Contains(err.Error(), "shoot-info") || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("without shoot-info: %v", err)
	}
}

// A garden cluster that no flag names and that cannot be read is said to be so, and the nodes tell; one
// that a flag names is needed.
func TestImpliedGardenIsNotNeeded(t *testing.T) {
	t.Parallel()
	api := newFakeAPI(t)
	api.put(prod)
	o := Options{Garden: api.kubeconfig(), Shoot: "garden-dev/prod", implied: true}
	c, err := Connect(t.Context(), o, "test", true)
	if err != nil || c.garden == nil || c.unread != "" {
		t.Fatalf("it can be read: %v, %+v", err, c)
	}
	api.forbid("list", "shoots")
	if c, err = Connect(t.Context(), o, "test", true); err != nil || c.garden != nil || !strings.Contains(c.unread, "list shoots") {
		t.Fatalf("it may not be read: %v, %+v", err, c)
	}
	until, _ := feeding(t, c.Feed("web", FeedOptions{}))
	w := until("a picture", fresh)
	if p := w.Group.Pool; p.Unread != "" || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "the garden cluster that the kubeconfig names is not read") {
		t.Errorf("the pool: %q %q", p.Unread, p.Notes)
	}
	o.implied = false
	if _, err = Connect(t.Context(), o, "test", true); err == nil {
		t.Error("a garden cluster of a flag is not needed")
	}
}
