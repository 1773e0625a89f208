package driver

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/providers/metrics"
)

func TestMetricsAddress(t *testing.T) {
	for text, want := range map[string]string{
		"9090": "127.0.0.1:9090", ":9090": "127.0.0.1:9090", "0.0.0.0:9090": "0.0.0.0:9090", "[::1]:80": "[::1]:80",
		"": "", "x": "", "a:b": "", "70000": "", "-1": "",
	} {
		got, err := metricsAddress(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
	m, err := serveMetrics("0", "test")
	if err != nil {
		t.Fatal(err)
	}
	m.close()
	(*metricsServer)(nil).close()
}

// docs/reference/metrics.md names every metric.
func TestMetricsDocument(t *testing.T) {
	file, err := os.ReadFile("../../../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	r := metrics.New("v1")
	r.See(&snapshot.Snapshot{Validation: &record.Validation{}})
	page := httptest.NewRecorder()
	r.ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	count := 0
	for line := range strings.Lines(page.Body.String()) {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, _, _ = strings.Cut(name, " ")
			if count++; !strings.Contains(string(file), "`"+name+"`") {
				t.Errorf("it does not name %s", name)
			}
		}
	}
	if count < 20 {
		t.Errorf("only %d metrics seen", count)
	}
}
