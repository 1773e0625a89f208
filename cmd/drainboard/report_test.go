package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/journal"
)

// keepOne keeps the journal of a short run in the place of a user's journals.
func keepOne(t *testing.T, run string) {
	t.Helper()
	r := record.Run{ID: run, Group: "ng-web", Cluster: "prod", State: record.Running, By: "ann@laptop", Started: time.Now()}
	s := journal.Begin(journal.Options{Dir: journal.Dir, Run: r, By: r.By, Now: time.Now})
	code := 0
	s.Events([]record.Event{{Time: time.Now(), Run: run, Type: record.RunFinished, Result: "succeeded", ExitCode: &code, Message: "all well"}})
	r.State = record.Finished
	s.Close(r, nil)
}

func drainboard(args ...string) (out, errOut string, err error) {
	var o, e bytes.Buffer
	root := newRoot(strings.NewReader(""), &o, &e)
	root.SetArgs(args)
	err = root.Execute()
	return o.String(), e.String(), err
}

// A report needs the journal and nothing else: no cluster is configured here.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	t.Setenv("KUBECONFIG", filepath.Join(dir, "none"))
	if _, _, err := drainboard("report", "ng-web"); err == nil || !strings.Contains(err.Error(), "none in "+filepath.Join(dir, "drainboard")) || exitcode.Of(err) != exitcode.WrongUse {
		t.Errorf("without a journal: %v", err)
	}
	keepOne(t, "ng-web-1")
	keepOne(t, "ng-web-2")

	out, _, err := drainboard("report", "ng-web")
	if err != nil || !strings.HasPrefix(out, "# ng-web: succeeded\n") || !strings.Contains(out, "| **run** | ng-web-2 |") {
		t.Errorf("%v\n%s", err, out)
	}
	out, _, err = drainboard("report", "ng-web-1", "-o", "html")
	if err != nil || !strings.HasPrefix(out, "<!doctype html>") || !strings.Contains(out, "ng-web-1") {
		t.Errorf("%v\n%.200s", err, out)
	}
	file := filepath.Join(dir, "night.html")
	_, said, err := drainboard("report", "ng-web-1", "--to", file)
	text, readErr := os.ReadFile(file)
	if err != nil || readErr != nil || !bytes.HasPrefix(text, []byte("<!doctype html>")) || !strings.Contains(said, file) {
		t.Errorf("%v, %v, said %q\n%.200s", err, readErr, said, text)
	}
	if _, _, err := drainboard("report", "ng-db"); err == nil || !strings.Contains(err.Error(), "it has ng-web-2 (") {
		t.Errorf("another group: %v", err)
	}
	if _, _, err := drainboard("report", "ng-web", "-o", "pdf"); err == nil || exitcode.Of(err) != exitcode.WrongUse {
		t.Errorf("another form: %v", err)
	}
	if _, _, err := drainboard("report", "ng-web", "--to", filepath.Join(dir, "none", "x.md")); err == nil || exitcode.Of(err) != exitcode.WrongUse {
		t.Errorf("a place that is none: %v", err)
	}
}

// A group that two clusters have is refused, whether they have two names or one; --cluster
// chooses, and a file does.
func TestReportChoosesByCluster(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	keep := func(cluster, run, id string) string {
		r := record.Run{ID: run, Group: "ng-web", GroupID: id, Cluster: cluster, State: record.Running, Started: time.Now()}
		journal.Begin(journal.Options{Dir: journal.Dir, Run: r, Now: time.Now}).Close(r, nil)
		dir, err := journal.Dir()
		if err != nil {
			t.Fatal(err)
		}
		return journal.Path(dir, cluster, run)
	}
	keep("prod", "ng-web-1", "arn:1")
	test := keep("test", "ng-web-2", "arn:2")
	_, _, err := drainboard("report", "ng-web")
	if err == nil || !strings.Contains(err.Error(), "--cluster") || !strings.Contains(err.Error(), test+" (cluster test, group arn:2)") || exitcode.Of(err) != exitcode.WrongUse {
		t.Errorf("two clusters: %v", err)
	}
	for _, args := range [][]string{{"ng-web", "--cluster", "test"}, {"ng-web-2"}, {test}} {
		if out, _, err := drainboard(append([]string{"report"}, args...)...); err != nil || !strings.Contains(out, "| **run** | ng-web-2 |") {
			t.Errorf("%q: %v\n%.200s", args, err, out)
		}
	}
	keep("test", "ng-web-3", "arn:3")
	if _, _, err := drainboard("report", "ng-web", "--cluster", "test"); err == nil || !strings.Contains(err.Error(), "ng-web-3.jsonl (cluster test, group arn:3)") {
		t.Errorf("two clusters of one name: %v", err)
	}
}

// What a journal says is not for everybody, wherever the report is written to.
func TestReportsOwnMode(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	keepOne(t, "ng-web-1")
	file := filepath.Join(dir, "night.md")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err := drainboard("report", "ng-web-1", "--to", file)
	info, statErr := os.Stat(file)
	if err != nil || statErr != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: %v", err, statErr, info.Mode())
	}
}

func TestReportCompletes(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	keepOne(t, "ng-web-1")
	out, _, err := drainboard("__complete", "report", "")
	if err != nil || !strings.HasPrefix(out, "ng-web\tthe last run of the group\nng-web-1\t") {
		t.Errorf("%v\n%s", err, out)
	}
}
