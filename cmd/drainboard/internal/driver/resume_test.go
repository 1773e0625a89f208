package driver

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	authv1 "k8s.io/api/authorization/v1"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
)

// noDeletes is a cluster in which everything is allowed but to delete pods.
func noDeletes(t *testing.T) *kube.Client {
	t.Helper()
	flags := clitest.Cluster(t, func(_ *http.Request, may *authv1.ResourceAttributes) bool { return may.Verb != "delete" }, func(*http.Request) {})
	k, err := kube.Connect(t.Context(), flags, "test")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestResumeChecksTheRightToForce(t *testing.T) {
	run := record.Run{ID: "web-1", Group: "web", Strategy: "eks", State: record.Running, Started: time.Now(), Seen: time.Now()}
	run.Settings.OnDrainTimeout = record.TimeoutForce
	d := &driver{Upgrade: &Upgrade{Console: console.Console{Out: io.Discard, Err: io.Discard}}, session: &session.Session{Environment: session.NewInCluster(noDeletes(t), "drainboard")}, at: anyGroup{}}
	err := d.resume(t.Context(), run)
	var e *exitcode.Error
	if !errors.As(err, &e) || e.Code != exitcode.Denied {
		t.Fatalf("resume: %v, want exit code %d", err, exitcode.Denied)
	}
	for _, want := range []string{"web-1", "delete pods", `verbs: ["delete"]`} {
		if !strings.Contains(e.Error(), want) {
			t.Errorf("%q does not say %q", e, want)
		}
	}
}

func TestResumeAsItWasStarted(t *testing.T) {
	d := &driver{Upgrade: &Upgrade{Request: planner.Request{Only: []string{"a"}}}, at: anyGroup{}}
	err := d.resume(t.Context(), record.Run{ID: "web-1", Strategy: "eks"})
	var e *exitcode.Error
	if !errors.As(err, &e) || e.Code != exitcode.WrongUse || !strings.Contains(e.Error(), "web-1") || !strings.Contains(e.Error(), "--only a") {
		t.Errorf("resume with --only of a run of all nodes: %v", err)
	}
}

// A user who resumes a run reads what was found first, and may leave it.
func TestResumeAsks(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, plain := range []bool{false, true} {
		w, run := clitest.Rolled()
		run.State, run.By = record.Paused, "bob@desk"
		d, out := choosing(t, w, "")
		d.Plain, d.In = plain, bufio.NewReader(strings.NewReader("\n"))
		err := d.resume(t.Context(), run)
		if clitest.ExitOf(err) != exitcode.Aborted || !strings.Contains(err.Error(), "nothing was done") || d.journal != nil {
			t.Errorf("answered with an empty line: %v", err)
		}
		clitest.Contains(t, out.String(), "/ web: the unfinished run web-1\n  started by bob@desk at ", ", paused\n", "\n  found: 0 of 0 nodes replaced", "\n  next: ", "Resume? [y/N] ")
	}
}
