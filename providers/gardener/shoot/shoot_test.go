package shoot

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/drainboard/drainboard/engine/selfdriven/mcm"
	"github.com/drainboard/drainboard/engine/world"
)

const small = `apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: prod, namespace: garden-shop}
spec: {kubernetes: {version: "1.31.4"}}
`

// What is no Shoot is told as what it is, where, and what is wanted.
func TestDecodeSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"nothing", "  \n", "f.yaml: empty; give a Shoot as YAML or JSON"},
		{"only comments", "# nothing\n---\n", "f.yaml: empty"},
		{"binary", "\x7fELF\x00\x01", "f.yaml: not a manifest"},
		{"not UTF-8", "kind: Sho\xfft", "f.yaml: not a manifest"},
		{"huge", strings.Repeat("a", Most+1), "f.yaml: larger than 4 MiB"},
		{"no YAML", "kind: [Shoot", "f.yaml: neither YAML nor JSON: "},
		{"a key twice", "kind: Shoot\nkind: Shoot\n", `key "kind" already set`},
		{"a list of things", "- kind: Shoot\n", "no object with apiVersion"},
		{"another kind", "kind: ConfigMap\n", "f.yaml: a ConfigMap, not a Shoot"},
		{"no kind", "metadata: {}\n", "kind is missing"},
		{"a list", "kind: ShootList\nitems: []\n", "f.yaml: a list; give one Shoot"},
		{"two Shoots", small + "---\n" + small, "more than one Shoot"},
		{"of another API", strings.Replace(small, "core.gardener.cloud/v1beta1", "example.com/v1", 1), `apiVersion is "example.com/v1", not core.gardener.cloud/v1beta1`},
		{"without a name", strings.Replace(small, "name: prod, ", "", 1), "no metadata.name"},
		{"without a spec", "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: a}\n", "the Shoot has no spec"},
		{"a version that YAML reads as a number", strings.Replace(small, `"1.31.4"`, "1.30", 1), `spec.kubernetes.version is a number, expected a string: write it in quotes, as "1.30"`},
		{"no version", strings.Replace(small, `"1.31.4"`, `latest`, 1), `spec.kubernetes.version: "latest" is not a version`},
		{"pools that are none", small + "  provider: {workers: 3}\n", "neither YAML"},
		{"pools that are no list", strings.Replace(small, "spec: {", "spec: {provider: {workers: 3}, ", 1), "spec.provider.workers is not a list"},
		{"a pool that is none", strings.Replace(small, "spec: {", "spec: {provider: {workers: [3]}, ", 1), "spec.provider.workers[0] is not a pool"},
		{"a pool without a name", strings.Replace(small, "spec: {", "spec: {provider: {workers: [{}]}, ", 1), "spec.provider.workers[0] has no name"},
		{"a pool twice", strings.Replace(small, "spec: {", "spec: {provider: {workers: [{name: a}, {name: a}]}, ", 1), `two pools "a"`},
		{"a list where a map belongs", strings.Replace(small, "spec: {", "spec: {provider: {workers: [{name: a, cri: []}]}, ", 1), "cri is not a map"},
		{"a number that is none", strings.Replace(small, "spec: {", "spec: {provider: {workers: [{name: a, maximum: x}]}, ", 1), "spec.provider.workers.maximum is a string, expected a whole number"},
		{"documents without end", strings.Repeat("a: 1\n---\n", 101), "more than 100 documents"},
		{"a quantity without end", strings.Replace(small, "}}", ", kubelet: {kubeReserved: {cpu: \"1e-99999999\"}}}}", 1), "is not a quantity"},
		{"a quantity that is none", strings.Replace(small, "spec: {", "spec: {provider: {workers: [{name: a, kubernetes: {kubelet: {kubeReserved: {memory: lots}}}}]}, ", 1), `"lots" is not a quantity, such as 100m or 1Gi`},
		{"maps without end", strings.Repeat("[", 100000), "f.yaml: "},
		{"escapes", "kind: \"\\e[2J\"\n", "f.yaml: a [2J, not a Shoot"},
	} {
		_, err := Decode("f.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		} else if strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%s: %q would steer a terminal", c.name, err)
		}
	}
}

// A file may hold more than the Shoot, as JSON too.
func TestDecodeFindsTheShoot(t *testing.T) {
	text, err := json.Marshal(map[string]any{"apiVersion": "core.gardener.cloud/v1beta1", "kind": "Shoot", "metadata": map[string]any{"name": "prod"}, "spec": map[string]any{"kubernetes": map[string]any{"version": "1.31.4"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{string(text), "# first\n---\nkind: Secret\n---\n" + small} {
		if s, err := Decode("f", []byte(file)); err != nil || s.Metadata.Name != "prod" {
			t.Errorf("%v, %v", s, err)
		}
	}
}

func baseShoot(t *testing.T, edits string) *Shoot {
	t.Helper()
	s := newScript(t).old
	object := clone(s.object)
	if err := edit(object, edits); err != nil {
		t.Fatal(err)
	}
	s, err := read(object)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func manifest(t *testing.T, text string) *Shoot {
	t.Helper()
	s, err := Decode("change.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What the Shoot was read with, or was filled in by Gardener, is no change against the
// manifest that it was made from.
func TestTheSameManifestIsNoChange(t *testing.T) {
	base, err := os.ReadFile("testdata/base.yaml")
	if err != nil {
		t.Fatal(err)
	}
	old := baseShoot(t, `status.lastOperation: {state: Succeeded}`)
	become, how, err := old.Apply(manifest(t, string(base)))
	if err != nil || how != Adds {
		t.Fatal(how, err)
	}
	p := Change{Old: old, New: become, Now: start}.Plan()
	if p.Start.When != StartNever || p.Refused || len(p.Pools[0].Causes)+len(p.Pools[1].Causes)+len(p.Beside) != 0 {
		t.Errorf("%s", tell(p, true))
	}
	if text(become.object["status"]) != text(old.object["status"]) {
		t.Error("the status is another")
	}
}

// With what kubectl apply was given last, a manifest is laid over the Shoot: what it never
// spoke of stays, and what it no longer speaks of goes.
func TestApplyThreeWays(t *testing.T) {
	last := `{"spec":{"addons":{"a":1},"kubernetes":{"version":"1.31.4"}}}`
	old := baseShoot(t, "spec.addons: {a: 1, b: 2}\nspec.purpose: production\n")
	object := clone(old.object)
	if err := fillIn(object, last, "metadata", "annotations", lastApplied); err != nil {
		t.Fatal(err)
	}
	old, err := read(object)
	if err != nil {
		t.Fatal(err)
	}
	become, how, err := old.Apply(manifest(t, strings.Replace(small, "1.31.4", "1.32.0", 1)))
	if err != nil || how != Applies {
		t.Fatal(how, err)
	}
	if got := become.Spec.Kubernetes.Version; got != "1.32.0" {
		t.Errorf("version %s", got)
	}
	if len(become.Spec.Provider.Workers) != 2 {
		t.Errorf("the pools that the manifest does not name are gone: %v", become.Spec.Provider.Workers)
	}
	if x, there := at(become.object, "spec", "addons"); there {
		t.Errorf("addons of the last manifest are still there: %v", x)
	}
	if _, there := at(become.object, "spec", "purpose"); !there {
		t.Error("a field that another user set is gone")
	}
}

func TestApplyRefusesAnotherShoot(t *testing.T) {
	old := baseShoot(t, "")
	for _, other := range []string{strings.Replace(small, "prod", "test", 1), strings.Replace(small, "garden-shop", "garden-dev", 1)} {
		if _, _, err := old.Apply(manifest(t, other)); err == nil || !strings.Contains(err.Error(), "not for garden-shop/prod") {
			t.Errorf("%v", err)
		}
	}
	if _, _, err := old.Apply(manifest(t, strings.Replace(small, ", namespace: garden-shop", "", 1))); err != nil {
		t.Errorf("a manifest without a namespace: %v", err)
	}
}

// The short ways to say a change.
func TestShortChanges(t *testing.T) {
	old := baseShoot(t, "")
	effects := func(become *Shoot, err error) string {
		t.Helper()
		if err != nil {
			return err.Error()
		}
		p := Change{Old: old, New: become, Now: start}.Plan()
		out := ""
		for _, pool := range p.Pools {
			out += pool.Name + " " + string(pool.Effect) + " "
		}
		return strings.TrimSpace(out)
	}
	for _, c := range []struct{ got, want string }{
		{effects(old.WithKubernetes("1.32.0", nil)), "web rolling metal in-place"},
		{effects(old.WithKubernetes("1.31.5", []string{"web"})), "web forbidden metal nothing"},
		{effects(old.WithKubernetes("new", nil)), `"new" is not a version such as 1.31.4`},
		{effects(old.WithKubernetes("1.32.0", []string{"wbe"})), `the Shoot garden-shop/prod has no pool "wbe"; it has web, metal`},
		{effects(old.WithImage("1632.0.0", nil)), "web rolling metal in-place"},
		{effects(old.WithImage("1632.0.0", []string{"metal"})), "web nothing metal in-place"},
		{effects(old.WithOperation("rollout-workers=web")), "web rolling metal nothing"},
		{effects(old.WithOperation(" ")), "the operation is empty"},
		{effects(baseShoot(t, "spec.provider.workers[web].machine.image.name: flatcar\n").WithImage("1632.0.0", nil)), "the pools have different images (flatcar, gardenlinux): name the POOLs of one of them"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

// Strings of a manifest reach the answer without what steers terminals.
func TestAnswersAreClean(t *testing.T) {
	old := baseShoot(t, "")
	object := clone(old.object)
	w := workers(object)[0]
	w["machine"].(map[string]any)["type"] = "m6\x1b[2J\n" + strings.Repeat("x", 500)
	w["zones"] = []any{"a\x1b]0;x\a"}
	become, err := read(object)
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(Change{Old: old, New: become, Now: start}.Plan())
	if err != nil {
		t.Fatal(err)
	}
	var answer any
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	checked := 0
	var walk func(x any)
	walk = func(x any) {
		switch x := x.(type) {
		case string:
			checked++
			if world.Clean(x) != x || len(x) > 300 {
				t.Errorf("%q", x)
			}
		case []any:
			for _, y := range x {
				walk(y)
			}
		case map[string]any:
			for _, y := range x {
				walk(y)
			}
		}
	}
	if walk(answer); checked < 20 {
		t.Errorf("%d strings were looked at", checked)
	}
}

// A window is asked every minute of two days: it is open for its length, and what is said of
// the next one is when it opens.
func TestWindowHoldsAllDay(t *testing.T) {
	for _, c := range []struct{ begin, end string }{{"220000+0100", "230000+0100"}, {"233000-0500", "013000-0500"}, {"000000+0000", "003000+0000"}, {"230000+0000", "050000+0000"}, {"003000+1400", "013000+1400"}} {
		w, err := WindowOf(c.begin, c.end)
		if err != nil {
			t.Fatal(err)
		}
		minutes := 0
		for now := start; now.Before(start.Add(48 * time.Hour)); now = now.Add(time.Minute) {
			opens, closes, open := w.At(now)
			if open {
				minutes++
			}
			switch {
			case closes.Before(now), closes.Sub(opens) != w.length, open == now.Before(opens), opens.Sub(now) > 24*time.Hour:
				t.Fatalf("%s to %s at %s: %s to %s, open %t", c.begin, c.end, now, opens, closes, open)
			}
		}
		if want := 2 * (int(w.length/time.Minute) + 1); minutes != want {
			t.Errorf("%s to %s: open for %d minutes of two days, want %d", c.begin, c.end, minutes, want)
		}
	}
}

// What is said of a window by the clock.
func TestWindowAt(t *testing.T) {
	for _, c := range []struct{ begin, end, now, opens, closes string }{
		{"220000+0100", "230000+0100", "2026-03-01T12:00:00Z", "2026-03-01T21:00:00Z", "2026-03-01T21:45:00Z"},
		{"220000+0100", "230000+0100", "2026-03-01T21:30:00Z", "2026-03-01T21:00:00Z", "2026-03-01T21:45:00Z"},
		{"220000+0100", "230000+0100", "2026-03-01T21:50:00Z", "2026-03-02T21:00:00Z", "2026-03-02T21:45:00Z"},
		{"233000+0000", "013000+0000", "2026-03-01T00:10:00Z", "2026-02-28T23:30:00Z", "2026-03-01T01:15:00Z"},
		{"003000+0200", "023000+0200", "2026-03-01T23:00:00Z", "2026-03-01T22:30:00Z", "2026-03-02T00:15:00Z"},
	} {
		w, err := WindowOf(c.begin, c.end)
		if err != nil {
			t.Fatal(err)
		}
		now, _ := time.Parse(time.RFC3339, c.now)
		if opens, closes, _ := w.At(now); opens.Format(time.RFC3339) != c.opens || closes.Format(time.RFC3339) != c.closes {
			t.Errorf("%s to %s at %s: %s to %s", c.begin, c.end, c.now, opens, closes)
		}
	}
}

// What may stall a roll is told with what it means, to those who watch and to those who plan a
// change; one check of webhooks is told once, and what is True or about other things is not.
func TestStalls(t *testing.T) {
	s := baseShoot(t, `status.conditions: [{type: EveryNodeReady, status: "True"}, {type: ControlPlaneHealthy, status: Progressing, reason: DeploymentUnhealthy, message: "mcm is down."}, {type: ObservabilityComponentsHealthy, status: "False"}]
status.constraints: [{type: HibernationPossible, status: "False", reason: ProblematicWebhooks, message: "webhook\e a blocks pods"}, {type: MaintenancePreconditionsSatisfied, status: "False", reason: ProblematicWebhooks, message: "webhook\e a blocks pods"}, {type: CACertificateValiditiesAcceptable, status: "False", reason: ExpiringCACertificates, message: ca in March}, {type: ReadyForMigration, status: "False"}, {type: CRDsWithProblematicConversionWebhooks, status: "False", message: crd b}]
`)
	web := world.Pool{Name: "web"}
	s.Describe(&web, start)
	want := []string{
		"ControlPlaneHealthy is Progressing (DeploymentUnhealthy), machine-controller-manager runs in the control plane: it may not work: mcm is down",
		"MaintenancePreconditionsSatisfied is False (ProblematicWebhooks), a webhook may keep new nodes from joining, or pods from being evicted and started: webhook a blocks pods",
		"CACertificateValiditiesAcceptable is False (ExpiringCACertificates), a CA expires within a year: when it has, no node joins: ca in March",
		"CRDsWithProblematicConversionWebhooks is False, Gardener may not be able to reconcile the Shoot: crd b",
	}
	if !slices.Equal(web.Notes, want) {
		t.Errorf("told %q", web.Notes)
	}
	plan := Change{Old: s, New: s, Now: start}.Plan()
	for _, w := range want {
		if !slices.Contains(plan.Notes, "now "+w) {
			t.Errorf("the plan of a change does not tell %q: %q", w, plan.Notes)
		}
	}
	s.Status.Constraints[0].Message = "only while asleep"
	if s.Describe(&web, start); !slices.ContainsFunc(web.Notes, func(n string) bool { return strings.HasPrefix(n, "HibernationPossible is False") }) {
		t.Errorf("another message is not told: %q", web.Notes)
	}
}

// A user who watches a pool reads what the Shoot says of it, and what holds where it says
// nothing.
func TestDescribe(t *testing.T) {
	s := baseShoot(t, `status.lastOperation: {type: Reconcile, state: Error, progress: 40, description: "no machine\e is left."}
status.lastErrors: [{description: quota}]
status.conditions: [{type: EveryNodeReady, status: "True"}, {type: ObservabilityComponentsHealthy, status: "False"}]
status.inPlaceUpdates: {pendingWorkerUpdates: {autoInPlaceUpdate: [metal]}}
spec.provider.workers[web].machineControllerManager: {machineDrainTimeout: 30m, maxEvictRetries: 5, nodeConditions: [DiskPressure]}
spec.provider.workers[web].maxUnavailable: 20%
`)
	before := text(s.object)
	from, err := From(s.object)
	if err != nil || text(s.object) != before {
		t.Fatal(err, "what it was read from is another")
	}
	web, metal, none := world.Pool{Name: "web"}, world.Pool{Name: "metal"}, world.Pool{Name: "none", Limits: world.DefaultLimits("")}
	if sizes := from.Describe(&web, start); sizes != (world.Sizes{Min: 3, Max: 6}) {
		t.Errorf("%+v", sizes)
	}
	if l := web.Limits; web.Update != world.AutoRollingUpdate || web.MaxSurge != "1" || web.MaxUnavailable != "20%" || web.Pending || web.Version != "1.31.4" ||
		l.Drain != 30*time.Minute || l.EvictRetries != 5 || l.Health != 10*time.Minute || l.NoHealth || l.Guessed || len(l.Conditions) != 1 {
		t.Errorf("web: %+v", web)
	}
	if got := strings.Join(web.Notes, "; "); got != "the Shoot's last operation, Reconcile, is Error (40 %): no machine is left; the Shoot's last error: quota" {
		t.Errorf("%q", got)
	}
	if from.Describe(&metal, start); !metal.Pending || !metal.Limits.NoHealth || metal.MaxSurge != "0" || metal.MaxUnavailable != "1" {
		t.Errorf("metal: %+v", metal)
	}
	if sizes := from.Describe(&none, start); sizes != (world.Sizes{}) || none.Update != "" || !none.Limits.Guessed || none.Shoot != "garden-shop/prod" {
		t.Errorf("none: %+v", none)
	}
}

// How far Gardener is with a Shoot is read from its metadata and status, the lists of pending
// pools for each pool by itself.
func TestDescribeProgress(t *testing.T) {
	s := baseShoot(t, `metadata.generation: 7
status.observedGeneration: 6
status.lastOperation: {type: Reconcile, state: Succeeded, progress: 100, description: done}
status.manualWorkerPoolRollout: {pendingWorkersRollouts: [{name: web, lastInitiationTime: "2026-03-01T12:00:00Z"}]}
status.inPlaceUpdates: {pendingWorkerUpdates: {autoInPlaceUpdate: [metal]}}
spec.maintenance.confineSpecUpdateRollout: true
`)
	web, metal := world.Pool{Name: "web"}, world.Pool{Name: "metal"}
	s.Describe(&web, start)
	s.Describe(&metal, start)
	want := world.ShootProgress{Generation: 7, Observed: 6, Operation: "Reconcile", State: "Succeeded", Percent: 100, Rollout: true, Confined: true}
	if web.Progress == nil || *web.Progress != want {
		t.Errorf("web: %+v", web.Progress)
	}
	kinds := func(p *world.Pool) (out []world.UnfinishedKind) {
		for _, u := range (mcm.Controller{}).Unfinished(&world.Group{Pool: p}) {
			out = append(out, u.Kind)
		}
		return out
	}
	if got := kinds(&web); !slices.Equal(got, []world.UnfinishedKind{world.UnfinishedGeneration, world.UnfinishedRollout}) {
		t.Errorf("web: %q", got)
	}
	if got := kinds(&metal); !slices.Equal(got, []world.UnfinishedKind{world.UnfinishedGeneration, world.UnfinishedInPlace}) {
		t.Errorf("metal: %q", got)
	}
}

// A machine without a profile's image, a profile that is none, and one by another name.
func TestDecodeProfile(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{small, "f.yaml: a Shoot, not a CloudProfile"},
		{"kind: CloudProfile\nmetadata: {name: x}\n", "offers neither"},
	} {
		if _, err := DecodeProfile("f.yaml", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
	p, err := DecodeProfile("f.yaml", []byte("kind: NamespacedCloudProfile\nmetadata: {name: x}\nstatus: {cloudProfileSpec: {machineImages: [{name: a, versions: [{version: 1.0.0}]}]}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if v, why := p.image("a", "1.0.0"); v == nil {
		t.Error(why)
	}
	if v, why := p.image("b", "1.0.0"); v != nil || why != "NamespacedCloudProfile x has no image b; it has a" {
		t.Errorf("%v %s", v, why)
	}
}

// What a zone gets of a pool's surge or unavailability.
func TestOfZone(t *testing.T) {
	for _, c := range []struct {
		of   string
		all  int
		want string
	}{
		{"0", 4, "0 0 0"}, {"1", 3, "1 0 0"}, {"5", 9, "2 2 1"}, {"20%", 9, "20% 20% 20%"}, {"20%", 0, "20% 20% 20%"},
		{"20%", 10, "24% 18% 18%"}, // of 4, 3 and 3 machines
		{"50%", 2, "75% 75% 0%"},   // of 1, 1 and none
	} {
		var got []string
		for zone := range 3 {
			share := ofZone(intstr.Parse(c.of), zone, 3, c.all)
			got = append(got, share.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s of %d machines: %s, want %s", c.of, c.all, got, c.want)
		}
	}
}
