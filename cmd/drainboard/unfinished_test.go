package main

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	authv1 "k8s.io/api/authorization/v1"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
)

// noDeletes is a cluster in which everything is allowed but to delete pods.
func noDeletes(t *testing.T) *kube.Client {
	t.Helper()
	flags := cluster(t, func(_ *http.Request, may *authv1.ResourceAttributes) bool { return may.Verb != "delete" }, func(*http.Request) {})
	k, err := kube.Connect(t.Context(), flags, "test")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestResumeChecksTheRightToForce(t *testing.T) {
	run := record.Run{ID: "web-1", Group: "web", Strategy: "eks", State: record.Running, Started: time.Now(), Seen: time.Now()}
	run.Settings.OnDrainTimeout = record.TimeoutForce
	d := &driver{upgrade: &upgrade{app: &app{Console: console.Console{Out: io.Discard, Err: io.Discard}}}, session: &session{home: &inCluster{kube: noDeletes(t)}}, at: place{Group: anyGroup{}}}
	err := d.resume(t.Context(), run)
	var e *exitcode.Error
	if !errors.As(err, &e) || e.Code != exitcode.WrongUse {
		t.Fatalf("resume: %v, want exit code %d", err, exitcode.WrongUse)
	}
	for _, want := range []string{"web-1", "delete pods", `verbs: ["delete"]`} {
		if !strings.Contains(e.Error(), want) {
			t.Errorf("%q does not say %q", e, want)
		}
	}
}

func TestResumeAsItWasStarted(t *testing.T) {
	only := record.Target{Only: []string{"a", "b"}}
	at := record.Target{Templates: []world.Template{{ID: "lt-1", Version: 7}}}
	image := record.Target{Image: "ami-1"}
	for _, tt := range []struct {
		target record.Target
		args   []string
		want   string
	}{
		{only, nil, ""},
		{only, []string{"--only", "b, a,b"}, ""},
		{only, []string{"--only", "a"}, "--only a"},
		{only, []string{"--only", "a,c"}, "--only a,c"},
		{record.Target{}, []string{"--only", "a"}, "--only a"},
		{at, []string{"--launch-template-version", "7"}, ""},
		{at, []string{"--launch-template-version", "$Latest"}, ""},
		{at, []string{"--launch-template-version", "6"}, "--launch-template-version 6"},
		{image, []string{"--ami", "ami-1"}, ""},
		{image, []string{"--ami", "ami-2"}, "--ami ami-2"},
		{at, []string{"--ami", "ami-2"}, "--ami ami-2"},
	} {
		var f rollFlags
		cmd := &cobra.Command{Use: "x"}
		f.add(cmd)
		if err := cmd.ParseFlags(tt.args); err != nil {
			t.Fatal(err)
		}
		if got := f.contradicts(tt.target); got != tt.want {
			t.Errorf("%+v, %v: got %q, want %q", tt.target, tt.args, got, tt.want)
		}
	}
	var f rollFlags
	f.only = []string{"a"}
	d := &driver{upgrade: &upgrade{rollFlags: f}, at: place{Group: anyGroup{}}}
	err := d.resume(t.Context(), record.Run{ID: "web-1", Strategy: "eks"})
	var e *exitcode.Error
	if !errors.As(err, &e) || e.Code != exitcode.WrongUse || !strings.Contains(e.Error(), "web-1") || !strings.Contains(e.Error(), "--only a") {
		t.Errorf("resume with --only of a run of all nodes: %v", err)
	}
}

func TestResumedSaysWhichFlagsDoNotCount(t *testing.T) {
	root := newRoot(strings.NewReader(""), io.Discard, io.Discard)
	cmd, rest, err := root.Find([]string{"upgrade", "web", "--auto", "--until=05:00", "--context=prod", "--max-unavailable=3", "--control-kubeconfig=seed.yaml", "--control-namespace=shoot--dev--prod"})
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.ParseFlags(rest); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	run := record.Run{By: "bob@desk", State: record.Paused, Started: now, Seen: now.Add(-time.Minute)}
	run.Settings.Approve = record.ApproveBatch
	got := resumed(present.Standing(run, now, given(cmd), true))
	for _, want := range []string{"started by bob@desk", "last seen 1m0s ago, paused", "its own settings apply, not --max-unavailable, --until;", "nothing is asked (--auto)"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
	if got := resumed(present.Standing(run, now, nil, false)); !strings.Contains(got, "its own settings apply; found: 0 of 0 nodes replaced; next: the run starts") {
		t.Errorf("got %q", got)
	}
}

// Whoever goes on with a run reads what was found first, and may leave it.
func TestResumeAsks(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, plain := range []bool{false, true} {
		w, run := rolled()
		run.State, run.By = record.Paused, "bob@desk"
		d, out := choosing(t, w, "")
		d.Plain, d.app.In = plain, bufio.NewReader(strings.NewReader("\n"))
		err := d.resume(t.Context(), run)
		if exitOf(err) != exitcode.Aborted || !strings.Contains(err.Error(), "nothing was done") || d.audit != nil {
			t.Errorf("answered with an empty line: %v", err)
		}
		contains(t, out.String(), "/ web: the unfinished run web-1\n  started by bob@desk at ", ", paused\n", "\n  found: 0 of 0 nodes replaced", "\n  next: ", "Go on? [y/N] ")
	}
}
