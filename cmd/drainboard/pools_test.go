package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	authv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/status"
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/api/apitest"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/awstest"
	"github.com/drainboard/drainboard/providers/gardener"
	"github.com/drainboard/drainboard/providers/kube"
)

// podReads counts how often the last shootCluster's pods were read.
var podReads atomic.Int32

// shootCluster is a cluster with two nodes of the worker pool web, one of which Gardener
// drains, and no cloud that could be reached. On the other are two pods with volumes, one of
// them held by its budget. more answers other paths, nil for none.
func shootCluster(t *testing.T, more ...map[string]string) *app {
	t.Helper()
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
	node := func(name string) corev1.Node {
		return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{world.GardenerPool: "web", "node.gardener.cloud/machine-name": "m-" + name, "topology.kubernetes.io/zone": "a"}}}
	}
	podReads.Store(0)
	leaves := node("n1")
	leaves.Status.Conditions = []corev1.NodeCondition{{Type: "Terminating", Status: corev1.ConditionTrue, Reason: "ScaleDown"}}
	flags := clitest.Serving(t, func(w http.ResponseWriter, r *http.Request) {
		list := func(kind string) metav1.TypeMeta { return metav1.TypeMeta{Kind: kind, APIVersion: "v1"} }
		if r.URL.Path == "/api/v1/pods" && r.URL.Query().Get("watch") == "" {
			podReads.Add(1)
		}
		var answer any = metav1.Status{TypeMeta: list("Status")}
		var review authv1.SelfSubjectAccessReview
		body, _ := io.ReadAll(r.Body)
		switch _, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, &review); {
		case err == nil && review.Spec.ResourceAttributes != nil:
			review.Status.Allowed = true
			review.Kind, review.APIVersion = "SelfSubjectAccessReview", "authorization.k8s.io/v1"
			answer = review
		case r.URL.Query().Get("watch") != "":
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		case r.URL.Path == "/api/v1/nodes" && (len(more) == 0 || more[0][r.URL.Path] == ""):
			answer = corev1.NodeList{TypeMeta: list("NodeList"), Items: []corev1.Node{leaves, node("n2")}}
		case len(more) > 0 && more[0][r.URL.Path] != "" && !strings.HasPrefix(r.URL.Query().Get("labelSelector"), "drainboard.dev/past="):
			if more[0][r.URL.Path] == "forbidden" {
				w.WriteHeader(http.StatusForbidden)
				answer = metav1.Status{TypeMeta: list("Status"), Status: "Failure", Reason: metav1.StatusReasonForbidden, Code: http.StatusForbidden, Message: "no"}
				break
			}
			_, _ = io.WriteString(w, more[0][r.URL.Path])
			return
		case strings.HasSuffix(r.URL.Path, "/pods"):
			answer = corev1.PodList{TypeMeta: list("PodList")}
		case strings.HasSuffix(r.URL.Path, "s"):
			answer = metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: "meta.k8s.io/v1"}}
			if strings.HasSuffix(r.URL.Path, "/configmaps") {
				answer = corev1.ConfigMapList{TypeMeta: list("ConfigMapList")}
			}
			if strings.HasSuffix(r.URL.Path, "/poddisruptionbudgets") {
				answer = map[string]any{"kind": "PodDisruptionBudgetList", "apiVersion": "policy/v1", "metadata": map[string]string{}, "items": []any{}}
			}
		case strings.Contains(r.URL.Path, "/configmaps/"), strings.Contains(r.URL.Path, "/leases/"):
			w.WriteHeader(http.StatusNotFound)
			answer = metav1.Status{TypeMeta: list("Status"), Status: "Failure", Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound, Message: "not found"}
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	})
	var out bytes.Buffer
	return &app{Console: console.Console{Out: &out, Err: &out}, Options: session.Options{Flags: flags, Namespace: "drainboard"}}
}

// statusOf is drainboard status of a group.
func statusOf(t *testing.T, a *app, where backend.Where, group string, asJSON bool) error {
	return (&status.Status{Out: a.Out, Options: a.Options, Where: where, Group: group, JSON: asJSON}).Run(t.Context())
}

// In a Shoot's cluster the groups are its worker pools, and no cloud is asked for.
func TestPoolsNeedNoCloud(t *testing.T) {
	for _, provider := range []string{"", "gardener"} {
		a := shootCluster(t)
		s, err := a.Open(t.Context(), backend.Where{Provider: provider}, kube.ReadRights("drainboard"), true)
		if err != nil {
			t.Fatalf("provider %q: %v", provider, err)
		}
		rows, err := s.List(t.Context())
		if err != nil || len(rows) != 1 || rows[0].Name != "web" || rows[0].Provider != "gardener" || rows[0].Machines != 2 || rows[0].Outdated != 1 || len(rows[0].Others) != 1 {
			t.Fatalf("provider %q: %+v, %v", provider, rows, err)
		}
		at, err := s.Find(t.Context(), "web")
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Read(t.Context(), at, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Queue.Close()
		if v.World.Group.Pool == nil || v.World.Machine("m-n1") == nil || v.World.NodeOf("m-n1") == nil {
			t.Errorf("the world has the group %+v, machines %v", v.World.Group, v.World.Machines())
		}
		if _, err := s.Find(t.Context(), "wbe"); err == nil || !strings.Contains(err.Error(), `no worker pool "wbe"; choose from web`) {
			t.Error(err)
		}
	}
}

// What is not known without the Shoot is not made up, and one look says how a pool stands.
func TestStatusOfPools(t *testing.T) {
	a := shootCluster(t)
	groups := a.groupsCmd()
	groups.SetArgs(nil)
	groups.SetContext(t.Context())
	if err := groups.RunE(groups, nil); err != nil {
		t.Fatal(err)
	}
	out := a.Out.(*bytes.Buffer)
	if got := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(got, "web gardener 2 1 - - - 2 - Gardener") {
		t.Errorf("groups: %s", got)
	}
	out.Reset()
	if err := statusOf(t, a, backend.Where{}, "web", false); err != nil {
		t.Fatal(err)
	}
	clitest.Contains(t, out.String(), "web: Gardener worker pool, update strategy unknown; 1 of 2 machines outdated",
		"a: 1 of 2 updated, 0 available, inferred from their nodes", "limits: drain 2h, health 10m, creation 20m (the defaults, a guess)",
		"Gardener is at work here: n1 draining", "live: drainboard watch web", "unknown:")
}

// What Gardener writes of a Shoot into its own cluster.
const shootInfoMap = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"shoot-info","namespace":"kube-system"},
	"data":{"shootName":"prod","projectName":"shop","kubernetesVersion":"1.33.1","maintenanceBegin":"220000+0100","maintenanceEnd":"230000+0100"}}`

// claimed is a pod with a volume on n2.
func claimed(name string) string {
	return `{"metadata":{"name":"` + name + `","namespace":"shop","uid":"` + name + `","labels":{"app":"` + name + `"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","name":"` + name + `","uid":"s-` + name + `","controller":true}]},
		"spec":{"nodeName":"n2","terminationGracePeriodSeconds":30,"volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"` + name + `"}}]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`
}

// loaded is what a cluster has that a roll would meet.
func loaded() map[string]string {
	return map[string]string{
		gardener.InfoPath: shootInfoMap,
		"/api/v1/pods":    `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[` + claimed("db-0") + `,` + claimed("db-1") + `]}`,
		"/apis/policy/v1/poddisruptionbudgets": `{"kind":"PodDisruptionBudgetList","apiVersion":"policy/v1","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"db","namespace":"shop","generation":1},
			"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"db-0"}}},"status":{"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":1,"desiredHealthy":1,"expectedPods":1}}]}`,
	}
}

// Programs get all of a pool: what of it is known, what not, and what runs out.
func TestPoolForPrograms(t *testing.T) {
	a := shootCluster(t, loaded())
	out := a.Out.(*bytes.Buffer)
	if err := statusOf(t, a, backend.Where{}, "web", true); err != nil {
		t.Fatal(err)
	}
	apitest.Valid(t, out.Bytes())
	var s api.GroupStatus
	if err := json.Unmarshal(out.Bytes(), &s); err != nil || s.Pool == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := s.Pool
	if s.Group != "web" || s.LatestRun != nil || p.Instances != 2 || p.Outdated != 1 || p.ShootInfo.ShootName != "prod" || p.ShootInfo.ProjectName != "shop" || p.ShootInfo.KubernetesVersion != "1.33.1" {
		t.Errorf("the pool is %s", out)
	}
	if !p.Limits.Assumed || p.Limits.MachineDrainTimeout != api.Duration(2*time.Hour) || len(p.PoolZones) != 1 || p.PoolZones[0].Zone != "a" || p.PoolZones[0].SurgeNodes != nil || len(p.Unknown) != 2 {
		t.Errorf("its limits are %+v, its zones %v, unknown %q", p.Limits, p.PoolZones, p.Unknown)
	}
	if len(p.Members) != 2 || p.Members[0].Node != "n1" || p.Members[0].Instance != "m-n1" {
		t.Errorf("its machines are %+v", p.Members)
	}
	if len(p.Countdowns) != 1 || p.Countdowns[0].For != "window closes" || p.Countdowns[0].Until != p.MaintenanceWindow.LastStartAt || p.MaintenanceWindow.Source != "the ConfigMap kube-system/shoot-info" {
		t.Errorf("what runs out: %+v, window %+v", p.Countdowns, p.MaintenanceWindow)
	}
	out.Reset()
	root := newRoot(strings.NewReader(""), a.Out, a.Err)
	root.SetArgs([]string{"groups", "-o", "json", "--kubeconfig", a.Flags.Kubeconfig})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	apitest.Valid(t, out.Bytes())
	var list api.GroupList
	if err := json.Unmarshal(out.Bytes(), &list); err != nil || len(list.Items) != 1 || list.Items[0].MinSize != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if pool := list.Items[0].Pool; pool == nil || pool.ShootInfo == nil || pool.Limits.MachineDrainTimeout == 0 {
		t.Errorf("its pool is %v", pool)
	}
}

// Without the right to read it, what the Shoot's cluster says of its Shoot is not known, and
// nothing else suffers.
func TestShootInfoNotRead(t *testing.T) {
	for answer, says := range map[string]string{"forbidden": "shoot-info in the Shoot's cluster not read: ", "": "not read: unexpected end of JSON input"} {
		more := map[string]string{gardener.InfoPath: answer}
		if answer == "" {
			more[gardener.InfoPath] = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"shoot-info"}`
		}
		a := shootCluster(t, more)
		if err := statusOf(t, a, backend.Where{}, "web", false); err != nil {
			t.Fatal(err)
		}
		text := a.Out.(*bytes.Buffer).String()
		clitest.Contains(t, text, says, "1 of 2 machines outdated")
		if strings.Contains(text, "maintenance window: ") {
			t.Errorf("a window is shown that nobody has read:\n%s", text)
		}
	}
}

// What is Gardener's to decide is refused in a pool, before anything is written.
func TestRefusedInAPool(t *testing.T) {
	for args, says := range map[string]string{
		"upgrade --all --auto":                                      "one worker pool at a time",
		"upgrade web --auto --strategy eks":                         "web is a worker pool, whose machines Gardener manages: choose gardener-manual or gardener-follow",
		"upgrade web --auto --ami ami-1":                            "change a worker pool's version in the Shoot",
		"plan web --launch-template-version 3":                      "change a worker pool's version in the Shoot",
		"upgrade web --auto --provider gardener --drain-timeout 1h": "--drain-timeout: not supported by the",
		"plan web --strategy gardener-follow --max-unavailable 2":   "--max-unavailable: it is set in the Shoot, which is not read",
		"plan web --strategy gardener-manual --unreachable wait":    "--unreachable: not supported by the",
		"plan web --strategy gardener-manual --max-unavailable 0":   "--max-unavailable: with 0 no node is ever selected",
	} {
		a := shootCluster(t)
		root := newRoot(strings.NewReader(""), a.Out, a.Err)
		root.SetArgs(append(strings.Fields(args), "--kubeconfig", a.Flags.Kubeconfig))
		if err := root.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// nodesOfWeb are the nodes of shootCluster, of which Gardener drains one: "" for none.
func nodesOfWeb(drained string) string {
	var items []string
	for _, name := range []string{"n1", "n2"} {
		kind := "Ready"
		if name == drained {
			kind = "Terminating"
		}
		items = append(items, `{"metadata":{"name":"`+name+`","labels":{"worker.gardener.cloud/pool":"web","node.gardener.cloud/machine-name":"m-`+name+`","topology.kubernetes.io/zone":"a"}},
			"status":{"nodeInfo":{"kubeletVersion":"v1.33.1"},"conditions":[{"type":"`+kind+`","status":"True","reason":"ScaleDown"}]}}`)
	}
	return `{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[` + strings.Join(items, ",") + `]}`
}

// planOfWeb runs drainboard plan in a shootCluster that has a load, and in which a node is drained.
func planOfWeb(t *testing.T, drained string, args ...string) string {
	t.Helper()
	more := loaded()
	more["/api/v1/nodes"] = nodesOfWeb(drained)
	a := shootCluster(t, more)
	root := newRoot(strings.NewReader(""), a.Out, a.Err)
	root.SetArgs(append(append([]string{"plan", "web"}, args...), "--kubeconfig", a.Flags.Kubeconfig))
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := podReads.Load(); n != 1 {
		t.Errorf("the pods were read %d times: all of a plan is of one look", n)
	}
	return a.Out.(*bytes.Buffer).String()
}

// A pool that is not changed has a plan: how it stands and what a roll meets, and then the run,
// by its update strategy, as far as that is known. Nothing is said twice.
func TestPlanOfAPool(t *testing.T) {
	text := planOfWeb(t, "n2", "--provider", "gardener")
	at := 0
	for _, says := range []string{
		"web: Gardener worker pool", "Shoot prod of project shop, Kubernetes 1.33.1 (the Shoot's", "Foreseen blockers and downtime of the roll:",
		"PDB shop/db (minAvailable 1) never allows a disruption", "only replica of its owner, down while it moves: shop/db-0, shop/db-1", "n2 has 2 pods with volumes",
		"web: 1 node to replace, from v1.33.1 to the Shoot's version", "strategy gardener-follow", "maxSurge and maxUnavailable are in the Shoot, which is not read",
		"without the control cluster (--control-kubeconfig), the roll can be followed", "the pool's update strategy is unknown without the Shoot or the control cluster",
		"Not evaluated", "Settings",
	} {
		i := strings.Index(text[at:], says)
		if i < 0 {
			t.Fatalf("after what comes before, it does not say %q:\n%s", says, text)
		}
		at += i
	}
	for _, again := range []string{"n2: shop/db-0: PDB db", "n2: shop/db-1 is the only replica", "Gardener worker pool", "known in the control cluster only (--control"} {
		if n := strings.Count(text, again); n != strings.Count(again, "Gardener worker")+strings.Count(again, "known in") {
			t.Errorf("%q is said %d times:\n%s", again, n, text)
		}
	}
	text = planOfWeb(t, "n2", "-o", "json")
	apitest.Valid(t, []byte(text))
	var p api.GroupPlan
	if err := json.Unmarshal([]byte(text), &p); err != nil || p.Group != "web" || p.Strategy != "gardener-follow" || p.Pool.Instances != 2 || p.ControllerRoll.AllNodes || len(p.ControllerRoll.Nodes) != 1 || p.ControllerRoll.Nodes[0].Node != "n2" {
		t.Errorf("%v\n%s", err, text)
	}
	if len(p.Nodes) != 1 || len(p.Nodes[0].ForeseenBlockers) < 3 {
		t.Errorf("programs get all that is foreseen, not %+v", p.Nodes)
	}
}

// The plan of a pool without outdated nodes shows its state, and what starts a roll.
func TestPlanOfAPoolWithNothingToDo(t *testing.T) {
	text := planOfWeb(t, "")
	clitest.Contains(t, text, "web: Gardener worker pool", "0 of 2 machines outdated", "web: nothing is outdated as of", "Gardener starts a roll when the Shoot changes", "A roll would update all nodes:",
		"Foreseen blockers and downtime of a roll:", "PDB shop/db (minAvailable 1) never allows a disruption", "Not evaluated", "drainboard plan --provider gardener --shoot NAMESPACE/NAME")
	for _, run := range []string{"strategy gardener-follow", "Settings", "BATCH"} {
		if strings.Contains(text, run) {
			t.Errorf("there is nothing to run, and yet it says %q:\n%s", run, text)
		}
	}
}

// What begins a roll is said of the pool's own update strategy.
func TestWhatBeginsARoll(t *testing.T) {
	for update, says := range map[string]string{
		world.AutoRollingUpdate:   "Gardener starts a roll when the Shoot changes, in its own order.",
		world.ManualInPlaceUpdate: "when the Shoot changes, its nodes become candidates, and drainboard upgrade web selects them in batches.",
	} {
		var b bytes.Buffer
		p := present.PlannedPool{At: present.PoolState{Seen: &snapshot.Snapshot{Pool: &snapshot.PoolView{Name: "web", Update: update}}}, Roll: snapshot.PoolPlan{All: true}, Run: snapshot.Plan{Warnings: []string{"larger"}}}
		p.Write(&b, false)
		clitest.Contains(t, b.String(), says, "- larger", "No node of the pool has joined")
	}
}

// A plan of Gardener's is of a POOL, or of a change.
func TestPlanNeedsAPoolOrAChange(t *testing.T) {
	for _, args := range []string{"plan --provider gardener", "plan --shoot g/s --garden-kubeconfig f", "plan --provider gardener -o json"} {
		a := shootCluster(t)
		root := newRoot(strings.NewReader(""), a.Out, a.Err)
		root.SetArgs(append(strings.Fields(args), "--kubeconfig", a.Flags.Kubeconfig))
		var wrong *exitcode.Error
		if err := root.ExecuteContext(t.Context()); !errors.As(err, &wrong) || wrong.Code != exitcode.WrongUse || !strings.Contains(err.Error(), "name a POOL to see its state") {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// poolRun is the record of a run in the pool web, as the API has it.
func poolRun(t *testing.T) string {
	t.Helper()
	_, run := clitest.Rolled()
	run.Provider, run.Strategy = "gardener", strategy.GardenerFollow{}.Name()
	text, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(corev1.ConfigMapList{TypeMeta: metav1.TypeMeta{Kind: "ConfigMapList", APIVersion: "v1"}, Items: []corev1.ConfigMap{{
		ObjectMeta: metav1.ObjectMeta{Namespace: "drainboard", Name: kube.RecordName("web"), Annotations: map[string]string{"drainboard.dev/writer": "x"}},
		Data:       map[string]string{"run.json": string(text)},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(list)
}

const recordsPath = "/api/v1/namespaces/drainboard/configmaps"

// Beside the run of a pool status shows how the pool stands; where that cannot be read it says
// why, and shows the run.
func TestStatusOfAPoolWithARun(t *testing.T) {
	more := loaded()
	more[recordsPath] = poolRun(t)
	a := shootCluster(t, more)
	out := a.Out.(*bytes.Buffer)
	if err := statusOf(t, a, backend.Where{}, "web", false); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	clitest.Contains(t, text, "web  web-1  running", "strategy gardener-follow", "web: Gardener worker pool", "1 of 2 machines outdated", "limits: drain 2h")
	if strings.Index(text, "web-1") > strings.Index(text, "Gardener worker pool") {
		t.Errorf("the run comes first:\n%s", text)
	}
	var s api.GroupStatus
	read := func(a *app, group string) {
		t.Helper()
		out := a.Out.(*bytes.Buffer)
		out.Reset()
		s = api.GroupStatus{}
		if err := statusOf(t, a, backend.Where{}, group, true); err != nil {
			t.Fatal(err)
		}
		apitest.Valid(t, out.Bytes())
		if err := json.Unmarshal(out.Bytes(), &s); err != nil || s.LatestRun == nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if read(a, "web"); s.LatestRun.ID != "web-1" || s.Pool == nil || s.Group != "web" || s.Pool.Instances != 2 || len(s.Pool.Members) != 2 || s.PoolUnknown != "" {
		t.Errorf("%+v", s)
	}

	more["/api/v1/nodes"] = `{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`
	a = shootCluster(t, more)
	if err := statusOf(t, a, backend.Where{Provider: "gardener"}, "web", false); err != nil {
		t.Fatal(err)
	}
	clitest.Contains(t, a.Out.(*bytes.Buffer).String(), "web  web-1  running", `pool state unknown: no worker pool "web"`)
}

// status takes the flags that watch takes, and refuses the same.
func TestStatusTakesWhereFlags(t *testing.T) {
	run := func(args ...string) (string, error) {
		a := shootCluster(t)
		root := newRoot(strings.NewReader(""), a.Out, a.Err)
		root.SetArgs(append(append([]string{"status"}, args...), "--kubeconfig", a.Flags.Kubeconfig))
		err := root.ExecuteContext(t.Context())
		return a.Out.(*bytes.Buffer).String(), err
	}
	text, err := run("web", "--provider", "gardener")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Contains(t, text, "web: Gardener worker pool")
	for args, says := range map[string]string{
		"web --provider nope":                "is not supported; choose auto, asg, eks, kops or gardener",
		"--provider gardener --state s3://b": "are for kops",
		"web --provider asg --shoot a/b":     "are for --provider gardener only",
	} {
		var wrong *exitcode.Error
		if _, err := run(strings.Fields(args)...); !errors.As(err, &wrong) || wrong.Code != exitcode.WrongUse || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", args, err)
		}
	}
	root := newRoot(strings.NewReader(""), io.Discard, io.Discard)
	watch, _, _ := root.Find([]string{"watch"})
	status, _, _ := root.Find([]string{"status"})
	var where backend.Where
	of := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.AddWhere(of, &where)
	of.VisitAll(func(f *pflag.Flag) {
		for _, cmd := range []*cobra.Command{watch, status} {
			if cmd.Flags().Lookup(f.Name) == nil {
				t.Errorf("%s has no --%s", cmd.Name(), f.Name)
			}
		}
	})
}

// Flags of one provider are not those of another.
func TestFlagsOfPools(t *testing.T) {
	pools := gardener.Options{Control: "f", Namespace: "n"}
	for _, tt := range []struct {
		where backend.Where
		says  string
	}{
		{backend.Where{Pools: pools}, ""},
		{backend.Where{Provider: "gardener"}, ""},
		{backend.Where{Provider: "asg", Pools: pools}, "are for --provider gardener only"},
		{backend.Where{CloudOnly: true, Pools: pools}, "are for --provider gardener only"},
		{backend.Where{Provider: "gardener", Store: "s3://x"}, "are for kops"},
		{backend.Where{Pools: gardener.Options{Control: "f"}}, "needs --control-namespace"},
	} {
		if _, err := tt.where.Fill(); (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v: %v, want %q", tt.where, err, tt.says)
		}
	}
}

// A cluster is a Shoot's by itself only if each of its nodes is of a pool, or its kubeconfig names
// the Shoot: else, beside others, it has to be said.
func TestAShootByItself(t *testing.T) {
	const pool, other = `{"metadata":{"name":"n1","labels":{"worker.gardener.cloud/pool":"web"}}}`, `{"metadata":{"name":"n2"}}`
	for nodes, want := range map[string]bool{pool: true, pool + "," + other: false, other: false, "": false} {
		a := shootCluster(t, map[string]string{"/api/v1/nodes": `{"kind":"NodeList","apiVersion":"v1","items":[` + nodes + `]}`})
		awstest.Start(t) // shootCluster has no AWS
		t.Setenv("AWS_REGION", "eu-west-1")
		k, err := kube.ConnectReadOnly(t.Context(), a.Flags, version)
		if err != nil {
			t.Fatal(err)
		}
		inPools := func(provider string) (bool, error) {
			b, err := backend.Open(t.Context(), k, backend.Where{Provider: provider}, version, true)
			return err == nil && b.Several() != nil, err
		}
		if got, err := inPools(backend.Any); err != nil || got != want {
			t.Errorf("nodes [%s]: %t, %v, want %t", nodes, got, err, want)
		}
		if got, err := inPools(backend.Gardener); err != nil || !got {
			t.Errorf("nodes [%s], and it is said: %t, %v", nodes, got, err)
		}
		config, err := clientcmd.LoadFromFile(a.Flags.Kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		for _, cluster := range config.Clusters {
			cluster.Extensions = map[string]kruntime.Object{gardener.ExtensionName: &kruntime.Unknown{
				ContentType: kruntime.ContentTypeJSON, Raw: []byte(`{"shootRef":{"namespace":"garden-shop","name":"prod"},"gardenClusterIdentity":"live"}`)}}
		}
		if err := clientcmd.WriteToFile(*config, a.Flags.Kubeconfig); err != nil {
			t.Fatal(err)
		}
		if k, err = kube.ConnectReadOnly(t.Context(), a.Flags, version); err != nil {
			t.Fatal(err)
		}
		if got, err := inPools(backend.Any); err != nil || !got {
			t.Errorf("nodes [%s], and its kubeconfig names the Shoot: %t, %v", nodes, got, err)
		}
		if got, err := inPools(asg.Provider); err != nil || got {
			t.Errorf("nodes [%s], and another provider is asked for: %t, %v", nodes, got, err)
		}
	}
}
