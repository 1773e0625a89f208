package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
)

// anyCluster is a cluster that answers everything in the same way.
func anyCluster(t *testing.T, code int, body string) *kube.Client {
	t.Helper()
	answers := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/readyz" {
			return
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
	server := httptest.NewServer(http.HandlerFunc(answers))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "config")
	config := "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: '" + server.URL + "'}}]\ncontexts: [{name: c, context: {cluster: c}}]\n"
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := genericclioptions.NewConfigFlags(false)
	flags.KubeConfig = &path
	k, err := kube.Connect(t.Context(), flags, "test")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// rolled is a group in the world with a node of it, and a run of it.
func rolled() (*world.World, record.Run) {
	w := world.New()
	lt := world.Template{ID: "lt-1", Version: 2}
	sizes := world.Sizes{Min: 1, Max: 3, Desired: 1}
	w.SetGroup(world.Group{Name: "web", ID: "arn:1", Provider: "asg", Sizes: sizes, Template: lt, TemplateSpec: "2", Suspended: []string{"AZRebalance"}})
	w.SetMachines([]world.Machine{{ID: "i-1", State: world.MachineInService}})
	w.SetNode(&world.Node{Name: "a", Machine: "i-1", Taints: []world.Taint{{Key: "drainboard.dev/surplus", Effect: "PreferNoSchedule"}}})
	now := time.Now()
	run := record.Run{
		Version: record.RecordVersion, ID: "web-1", Group: "web", GroupID: "arn:1", Provider: "asg", Strategy: "eks", State: record.Running, Limit: 1, Started: now, Seen: now,
		Base: sizes, BaseTemplate: lt, BaseTemplateSpec: "2", Phases: []record.Phase{{Name: "setup", Start: now}},
	}
	return w, run
}

// anyGroup is a group that all rules fit and that has lost no template.
type anyGroup struct{ backend.Group }

func (anyGroup) Fits(engine.Strategy) error { return nil }
func (anyGroup) Gone(context.Context, record.Run, *world.World) ([]world.Template, error) {
	return nil, nil
}

func choosing(t *testing.T, w *world.World, record string) (*driver, *bytes.Buffer) {
	var out bytes.Buffer
	k := anyCluster(t, http.StatusNotFound, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	u := &upgrade{app: &app{Console: console.Console{Out: &out, Err: &out}}, group: "web", record: record}
	return &driver{upgrade: u, session: &session{home: &inCluster{kube: k, namespace: "drainboard"}}, at: place{Group: anyGroup{}}, view: view{world: w}, lease: &lease{record: k.Record("drainboard", "web")}}, &out
}

func TestRecordThatDoesNotFit(t *testing.T) {
	w, run := rolled()
	d, _ := choosing(t, w, "")
	if got, err := d.fit(t.Context(), run); err != nil || got.ID != run.ID {
		t.Fatalf("a record that fits: %v", err)
	}
	run.Base.Max, run.MaxSet = 50, 5
	_, err := d.fit(t.Context(), run)
	var e *exitcode.Error
	if !errors.As(err, &e) || e.Code != exitcode.WrongUse {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"web-1", "min 1, max 50, desired 1", "Nothing was changed", "drainboard upgrade web --record fitting", "drainboard upgrade web --record discard"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	d, out := choosing(t, w, recordFitting)
	fitted, err := d.fit(t.Context(), run)
	if err != nil || fitted.Base != w.Group.Sizes || len(fitted.Unrestored) != 1 || !strings.Contains(out.String(), "max 50") {
		t.Errorf("fitting: %+v, %v: %s", fitted.Base, err, out)
	}
}

func TestRecordOfAGroupMadeAnew(t *testing.T) {
	w, run := rolled()
	run.GroupID = "arn:0"
	for _, record := range []string{"", recordFitting} { // nothing of it could fit
		d, _ := choosing(t, w, record)
		_, err := d.fit(t.Context(), run)
		if err == nil || !strings.Contains(err.Error(), "deleted and recreated") || strings.Contains(err.Error(), "--record fitting") || !strings.Contains(err.Error(), "--record discard") {
			t.Errorf("--record %q: %v", record, err)
		}
	}
}

func TestDiscardTellsWhatIsLeft(t *testing.T) {
	w, _ := rolled()
	d, out := choosing(t, w, recordDiscard)
	var told []record.Event
	d.listeners = append(d.listeners, func(list []record.Event) { told = append(told, list...) })
	if err := d.discard(t.Context(), nil, "the unfinished run web-1"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"left by an earlier run: remove taint drainboard.dev/surplus:PreferNoSchedule from a: kubectl taint node a drainboard.dev/surplus:PreferNoSchedule-", "or somebody's: resume AZRebalance: aws autoscaling resume-processes"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	if len(told) != 4 {
		t.Errorf("%d events", len(told))
	}
}

// What a readable record says that the run has made of the group is named, and nothing
// is named twice.
func TestDiscardNamesWhatTheRunHasChanged(t *testing.T) {
	w, run := rolled()
	target := world.Template{ID: "lt-1", Version: 3}
	run.Phases[0].End, run.Target.Templates = run.Started, []world.Template{target}
	run.Raised, run.Raise, run.MaxSet, run.Suspended = true, 2, 5, []string{"AZRebalance"}
	w.Group.Template, w.Group.Sizes = target, world.Sizes{Min: 1, Max: 5, Desired: 3}
	d, out := choosing(t, w, recordDiscard)
	if err := d.discard(t.Context(), &run, "the unfinished run web-1"); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "changed by the run web-1 and not put back: the group web is 2 machines larger than before (min 1, max 3, desired 1); to shrink it: aws autoscaling terminate-instance",
		"LaunchTemplateId=lt-1,Version=2", "not put back: resume AZRebalance", "the group's sizes and template too")
	if n := strings.Count(out.String(), "resume AZRebalance"); n != 1 {
		t.Errorf("it is named %d times:\n%s", n, out)
	}
	run.GroupID = "arn:0" // what it says is of a group that is gone
	d, out = choosing(t, w, recordDiscard)
	if err := d.discard(t.Context(), &run, "the unfinished run web-1"); err != nil || strings.Contains(out.String(), "changed by") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestUnreadableRecordOffersAChoice(t *testing.T) {
	for _, cause := range []error{&live.DamagedError{Record: "drainboard/run-web", Err: errors.New("it has no version")}, &live.NewerError{Record: "drainboard/run-web", Version: 9, Known: 1}} {
		if err := unreadable(cause, "drainboard upgrade web"); !strings.Contains(err.Error(), cause.Error()) || !strings.Contains(err.Error(), "drainboard upgrade web --record discard") {
			t.Errorf("got %v", err)
		}
	}
	if err := unreadable(errors.New("the API is away"), "drainboard upgrade web"); strings.Contains(err.Error(), "discard") {
		t.Errorf("a record that is only out of reach is offered to be discarded: %v", err)
	}
	if err := (&upgrade{record: "odd"}).checkRecord(); err == nil {
		t.Error("--record odd is taken")
	}
}

// Credentials that have run out are said to be so, before anything is taken or read.
func TestResumeWithExpiredCredentials(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("%s %s was sent", r.Method, r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Unauthorized","code":401}`)
	}))
	defer server.Close()
	path := filepath.Join(t.TempDir(), "config")
	config := "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: '" + server.URL + "'}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: old}}]\n"
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := newRoot(strings.NewReader(""), &out, &errs)
	cmd.SetArgs([]string{"upgrade", "web", "--auto", "--kubeconfig", path})
	err := cmd.ExecuteContext(t.Context())
	var e *exitcode.Error
	if !errors.As(err, &e) || e.Code != exitcode.WrongUse || !strings.Contains(err.Error(), "credentials") {
		t.Errorf("got %v", err)
	}
}

// Who goes on with a run that has paused machine deployments must give the control cluster;
// who ends it need not.
func TestRecordHoldsARoll(t *testing.T) {
	w, run := rolled()
	g := w.Group
	g.Pool = &world.Pool{Name: "web"}
	w.SetGroup(g)
	run.Strategy, run.State, run.PausedDeployments, run.PausedIn = "gardener-follow", record.Paused, []string{"web-z1"}, "shoot--dev--prod"
	d, _ := choosing(t, w, "")
	_, err := d.fit(t.Context(), run)
	if exitOf(err) != exitcode.WrongUse || !strings.Contains(err.Error(), "has paused web-z1") || !strings.Contains(err.Error(), "--control-kubeconfig") {
		t.Errorf("without the control cluster: %v", err)
	}
	d.abort = &record.Command{Kind: record.CmdAbort}
	if _, err := d.fit(t.Context(), run); err != nil {
		t.Errorf("to end it: %v", err)
	}
	d.abort = nil
	g.Pool = &world.Pool{Name: "web", Control: true}
	w.SetGroup(g)
	if _, err := d.fit(t.Context(), run); err != nil {
		t.Errorf("with the control cluster: %v", err)
	}
}
