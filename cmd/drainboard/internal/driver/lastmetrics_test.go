package driver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/providers/metrics"
)

// ended has the metrics of a run that has ended with an exit code.
func ended(code int) *metrics.Recorder {
	r := metrics.New("v1")
	r.See(&snapshot.Snapshot{RunID: "r-1", Cluster: "prod/eu", Group: "ng-web", Sources: []snapshot.SourceView{{Name: "cluster"}}})
	r.Events([]record.Event{{Type: record.RunStarted}, {Type: record.RunFinished, ExitCode: &code}})
	return r
}

// The last metrics replace what a Pushgateway has of the group, and a file.
func TestLastMetrics(t *testing.T) {
	var path, user, body, method string
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		path, body, method = r.URL.EscapedPath(), string(text), r.Method
		user, _, _ = r.BasicAuth()
	}))
	defer gateway.Close()
	file := filepath.Join(t.TempDir(), "drainboard.prom")
	m, err := readLastMetrics(strings.Replace(gateway.URL, "http://", "http://ann:secret@", 1)+"/push/", file)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.write(ended(4)); err != nil {
		t.Fatal(err)
	}
	if method != "PUT" || path != "/push/metrics/job/drainboard/cluster@base64/cHJvZC9ldQ/group@base64/bmctd2Vi" || user != "ann" {
		t.Errorf("%s %s by %s", method, path, user)
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != body || !strings.Contains(body, "\ndrainboard_run_exit_code 4\n") || strings.Contains(body, "drainboard_source_stale") {
		t.Errorf("pushed:\n%s\nwritten:\n%s", body, written)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o644 {
		t.Errorf("others cannot read it: %s", info.Mode())
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	body = ""
	if err := m.write(metrics.New("v1")); err != nil || body != "" { // no run was driven
		t.Errorf("%v, pushed %q", err, body)
	}
}

// What cannot be written at the end is said at the start, or at the end without its secrets.
func TestLastMetricsRefused(t *testing.T) {
	for _, c := range [][2]string{{"pushgateway:9091", ""}, {"", "drainboard.txt"}, {"", filepath.Join(t.TempDir(), "none", "x.prom")}} {
		if _, err := readLastMetrics(c[0], c[1]); err == nil {
			t.Errorf("%q is taken", c)
		}
	}
	if m, err := readLastMetrics("", ""); err != nil || !m.none() {
		t.Errorf("%v, %+v", err, m)
	}
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "text format parsing error\nin line 1", http.StatusBadRequest)
	}))
	defer gateway.Close()
	m, err := readLastMetrics(strings.Replace(gateway.URL, "http://", "http://ann:secret@", 1), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.write(ended(0)); err == nil || !strings.Contains(err.Error(), "400 Bad Request: text format parsing error in line 1") || strings.Contains(err.Error(), "secret") {
		t.Errorf("said %v", err)
	}
	gateway.Close()
	if err := m.write(ended(0)); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("said %v", err)
	}
}
