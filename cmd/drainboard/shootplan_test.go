package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/api/apitest"
	"github.com/drainboard/drainboard/providers/gardener/shoot"
)

const (
	prodShoot = "../../providers/gardener/shoot/testdata/base.yaml"
	prodCloud = "../../providers/gardener/shoot/testdata/cloudprofile.yaml"
)

// planned runs drainboard plan, and returns what it wrote and its exit code.
func runPlan(t *testing.T, in string, args ...string) (out string, code int, says string) {
	t.Helper()
	var b, errs bytes.Buffer
	root := newRoot(strings.NewReader(in), &b, &errs)
	root.SetArgs(append([]string{"plan"}, args...))
	err := root.ExecuteContext(t.Context())
	var e *exitcode.Error
	switch {
	case errors.As(err, &e):
		return b.String(), e.Code, e.Error()
	case err != nil:
		return b.String(), exitcode.WrongUse, err.Error()
	}
	return b.String(), 0, ""
}

// changed is the Shoot of prodShoot with replacements.
func changed(t *testing.T, oldNew ...string) string {
	t.Helper()
	data, err := os.ReadFile(prodShoot)
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(oldNew...).Replace(string(data))
}

func TestPlanOfAChange(t *testing.T) {
	for _, c := range []struct {
		name, in string
		args     []string
		code     int
		says     []string
		not      []string
	}{
		{"a new Kubernetes", "", []string{"--provider", "gardener", "--shoot-file", prodShoot, "--cloud-profile", prodCloud, "--kubernetes-version", "1.32.0"}, 0, []string{
			"Shoot garden-shop/prod, as of ", "When: as soon as it is applied",
			"▼ web (AutoRollingUpdate): rolling: each of its 3 to 6 nodes is drained and replaced\n    spec.kubernetes.version 1.31.4 → 1.32.0\n",
			"split over the zones: a +1 −0, b +0 −0, c +0 −0", "machineDrainTimeout", "default (documented: 10)",
			"▽ metal (AutoInPlaceUpdate): in place: each of its 2 nodes is drained and updated, and stays",
		}, []string{"refused", "not checked"}},
		{"of one pool, from standard input", changed(t, "m5.large", "m6.large"), []string{"web", "--shoot-file", prodShoot, "--change", "-"}, 0, []string{
			"web (AutoRollingUpdate): rolling", "machine.type m5.large → m6.large", "\n1 pool not shown", "as by kubectl apply: pools are merged by name", "not checked without a CloudProfile",
		}, []string{"metal ("}},
		{"refused", changed(t, "r6.metal", "r7.metal", "m5.large", "m6.large"), []string{"--all", "--shoot-file", prodShoot, "--change", "-"}, exitcode.Failed, []string{
			"✗ refused: Gardener's API rejects this change\n  - spec.provider.workers[metal].machine.type r6.metal → r7.metal: cannot be changed",
			"Without the refused fields:", "▼ web (AutoRollingUpdate): rolling", "✗ metal (AutoInPlaceUpdate): forbidden",
		}, []string{"When:", "machineDrainTimeout"}},
		{"no change", changed(t), []string{"--shoot-file", prodShoot, "--change", "-"}, 0, []string{"When: never: nothing changes", "○ nothing: the nodes of web, metal stay unchanged"}, []string{"web ("}},
		{"the Shoot from standard input", changed(t), []string{"--shoot-file", "-", "--operation", "rollout-workers=web"}, 0, []string{"web (AutoRollingUpdate): rolling", "rollout-workers=web", "the nodes of metal"}, nil},
		{"pools gone and come", changed(t, "name: web", "name: shop"), []string{"--shoot-file", prodShoot, "--change", "-"}, 0, []string{"△ shop (AutoRollingUpdate): added: a new pool of 3 to 6 nodes", "× web (AutoRollingUpdate): removed: its 3 to 6 nodes are drained and deleted"}, nil},
		{"nobody knows", changed(t, "zones: [a]", "zones: [a, b]"), []string{"--shoot-file", prodShoot, "--change", "-"}, 0, []string{"? metal (AutoInPlaceUpdate): unknown: whether its 2 nodes are replaced is decided elsewhere"}, nil},
		{"confined", changed(t, "maintenance:", "maintenance:\n    confineSpecUpdateRollout: true", "1.31.4", "1.32.0"), []string{"--shoot-file", prodShoot, "--change", "-"}, 0, []string{"When: in the maintenance time window, ", "a started roll continues"}, nil},
		{"what the document says", changed(t), []string{"--shoot-file", "-", "--operation", "rollout-workers=web"}, 0, []string{"▼ web (AutoRollingUpdate): rolling", "Gardener's documentation differs: it does not name it"}, nil},
		{"systemReserved", changed(t, "version: 1.31.4", "version: 1.31.4\n    kubelet: {systemReserved: {cpu: 10m}}"), []string{"--shoot-file", prodShoot, "--change", "-"}, exitcode.Failed, []string{"systemReserved → cpu 10m: is no longer supported from Kubernetes 1.31 on"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, code, says := runPlan(t, c.in, c.args...)
			if code != c.code || (code != 0) != (says != "") {
				t.Errorf("exit %d (%s), want %d", code, says, c.code)
			}
			for _, want := range c.says {
				if !strings.Contains(out, want) {
					t.Errorf("it does not say %q:\n%s", want, out)
				}
			}
			for _, bad := range c.not {
				if strings.Contains(out, bad) {
					t.Errorf("it says %q:\n%s", bad, out)
				}
			}
		})
	}
}

func TestPlanOfAChangeForPrograms(t *testing.T) {
	out, code, _ := runPlan(t, changed(t, "r6.metal", "r7.metal", "m5.large", "m6.large"), "--shoot-file", prodShoot, "--change", "-", "-o", "json")
	apitest.Valid(t, []byte(out))
	var p api.ShootChangePlan
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatal(err)
	}
	if code != exitcode.Failed || !p.Refused || len(p.Refusals) != 1 || p.Refusals[0].Rule != string(shoot.RuleFixed) || len(p.Pools) != 2 || p.Pools[0].Effect != string(shoot.Rolling) || p.Pools[1].Effect != string(shoot.Forbidden) {
		t.Errorf("exit %d: %s", code, out)
	}
}

// What makes no sense is refused with the reason, before anything is read or asked.
func TestPlanOfAChangeRefusesNonsense(t *testing.T) {
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "f.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct{ args, says string }{
		{"--provider gardener --operation x", "no Shoot: give --shoot NAMESPACE/NAME with --garden-kubeconfig FILE, or --shoot-file FILE"},
		{"--provider gardener --shoot a/b --operation x", "--shoot needs --garden-kubeconfig FILE"},
		{"--provider gardener --garden-kubeconfig f --operation x", "--garden-kubeconfig needs --shoot NAMESPACE/NAME"},
		{"--provider gardener --garden-kubeconfig f --shoot b --operation x", `--shoot: "b" is not NAMESPACE/NAME`},
		{"--garden-kubeconfig f --shoot a/b/c --operation x", `--shoot: "a/b/c" is not NAMESPACE/NAME`},
		{"--garden-kubeconfig /there/is/none --shoot a/b --operation reconcile", "--garden-kubeconfig: stat /there/is/none: no such file"},
		{"--shoot-file f --shoot a/b --operation x", "--shoot-file contradicts --shoot"},
		{"web --provider gardener --shoot a/b", "--shoot needs --garden-kubeconfig, the cluster with the Shoot"},
		{"--shoot-file f", "no change: give --change FILE, --kubernetes-version, --machine-image-version or --operation"},
		{"--shoot-file f --change g --kubernetes-version 1.32.0", "--change contradicts --kubernetes-version"},
		{"--shoot-file - --change -", "only one of --shoot-file, --change and --cloud-profile can be standard input"},
		{"--shoot-file f --change=", "--change is empty"},
		{"--provider kops --change f", "--change is for Gardener Shoots and cannot be used with --provider kops"},
		{"--provider gardener --shoot-file f --operation x --max-surge 2", "--max-surge: Gardener rolls its pools by the Shoot's settings"},
		{"--provider gardener --shoot-file f --operation x --approve none", "--approve does not apply to a plan of a change"},
		{"--provider gardener --shoot-file f --operation x --context c", "--context selects the Shoot's own cluster"},
		{"web --all --shoot-file f --operation x", "--all includes web: give either --all or names"},
		{"--shoot-file /there/is/none --operation x", "open /there/is/none: no such file"},
		{"--shoot-file / --operation x", "/ is a directory: give a file"},
		{"--shoot-file /dev/zero --operation x", "/dev/zero: larger than 4 MiB, not a Shoot"},
		{"--shoot-file " + prodCloud + " --operation x", "a CloudProfile, not a Shoot"},
		{"--shoot-file " + prodShoot + " --change " + file("kind: [") + "", "f.yaml: neither YAML nor JSON"},
		{"--shoot-file " + prodShoot + " --change " + file(changed(t, "name: prod", "name: test")), "the change is for Shoot garden-shop/test, not for garden-shop/prod"},
		{"--shoot-file " + prodShoot + " --operation x --cloud-profile " + prodShoot, "a Shoot, not a CloudProfile"},
		{"--shoot-file " + file(changed(t, "name: cloud", "name: other")) + " --operation x --cloud-profile " + prodCloud, "is CloudProfile cloud, the Shoot uses CloudProfile other"},
		{"wbe --shoot-file " + prodShoot + " --operation x", `the Shoot garden-shop/prod has no pool "wbe"; it has web, metal`},
		{"--shoot-file " + prodShoot + " --kubernetes-version new", `--kubernetes-version: "new" is not a version such as 1.31.4`},
		{"--shoot-file " + prodShoot + " --machine-image-version new", `--machine-image-version: "new" is not a version such as 1.31.4`},
		{"--shoot-file " + prodShoot + " --operation x -o xml", "not one of text, json"},
	} {
		if out, code, says := runPlan(t, "", strings.Fields(c.args)...); code != exitcode.WrongUse || !strings.Contains(says, c.says) || out != "" {
			t.Errorf("%s: exit %d: %s, want %q\n%s", c.args, code, says, c.says, out)
		}
	}
}

// garden is a garden cluster that answers by path; it returns a kubeconfig of it, and what
// was asked of it.
func garden(t *testing.T, objects map[string]string) (kubeconfig string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var list []string
	flags := clitest.Serving(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		list = append(list, r.Method+" "+r.URL.Path)
		mu.Unlock()
		path, known := strings.CutPrefix(r.URL.Path, "/apis/core.gardener.cloud/v1beta1")
		object, there := objects[path]
		switch {
		case r.URL.Path == "/readyz":
		case !known || len(objects) == 0:
			http.NotFound(w, r)
		case object == "403":
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"alice cannot get it"}`))
		case !there:
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,"message":"shoots \"x\" not found"}`))
		default:
			_, _ = w.Write([]byte(object))
		}
	})
	return flags.Kubeconfig, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(list)
	}
}

func asJSON(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if data, err = yaml.YAMLToJSON(data); err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The Shoot and its CloudProfile are read from the garden cluster, and nothing else is sent
// there.
func TestPlanOfAChangeReadsTheGarden(t *testing.T) {
	const shootPath, profilePath = "/namespaces/garden-shop/shoots/prod", "/cloudprofiles/cloud"
	theShoot, theCloud := asJSON(t, prodShoot), asJSON(t, prodCloud)
	for _, c := range []struct {
		name    string
		objects map[string]string
		shoot   string
		code    int
		says    string // of standard output, or of the error
	}{
		{"all is there", map[string]string{shootPath: theShoot, profilePath: theCloud}, "garden-shop/prod", exitcode.Failed, "in-place updates to it start from 1632.0.0"},
		{"no CloudProfile", map[string]string{shootPath: theShoot}, "garden-shop/prod", 0, "the CloudProfile cloud was not read: no such object"},
		{"a CloudProfile that may not be read", map[string]string{shootPath: theShoot, profilePath: "403"}, "garden-shop/prod", 0, "the CloudProfile cloud was not read: "},
		{"no such Shoot", map[string]string{shootPath: theShoot}, "garden-shop/test", exitcode.WrongUse, "no Shoot garden-shop/test (kubectl get shoots -n garden-shop lists them)"},
		{"not the garden", nil, "garden-shop/prod", exitcode.WrongUse, "this cluster has no Shoots: --garden-kubeconfig must be that of the garden cluster"},
		{"not allowed", map[string]string{shootPath: "403"}, "garden-shop/prod", exitcode.Denied, "alice cannot get it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			kubeconfig, asked := garden(t, c.objects)
			out, code, says := runPlan(t, "", "--provider", "gardener", "--garden-kubeconfig", kubeconfig, "--shoot", c.shoot, "--machine-image-version", "1640.0.0")
			if code != c.code || !strings.Contains(out+says, c.says) {
				t.Errorf("exit %d, want %d and %q: %s\n%s", code, c.code, c.says, says, out)
			}
			for _, request := range asked() {
				if !strings.HasPrefix(request, "GET ") {
					t.Errorf("%s was sent", request)
				}
			}
		})
	}
}

// What a manifest says cannot steer the terminal.
func TestPlanOfAChangeIsClean(t *testing.T) {
	out, _, says := runPlan(t, changed(t, "m5.large", `"m6\e[2J\u202e"`), "--shoot-file", prodShoot, "--change", "-")
	if !strings.Contains(out, "m6[2J") || strings.ContainsAny(out+says, "\x1b\u202e") {
		t.Errorf("%q %q", out, says)
	}
}
