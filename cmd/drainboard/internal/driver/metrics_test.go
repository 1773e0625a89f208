package driver

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/drainboard/drainboard/engine/live"
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

// served are the names of the metrics that --metrics serves, with the labels of each.
func served(t *testing.T) map[string][]string {
	t.Helper()
	r := metrics.New("v1")
	r.See(&snapshot.Snapshot{
		Validation: &record.Validation{}, Phases: []snapshot.PhaseView{{Name: "setup"}}, Sources: []snapshot.SourceView{{Name: "cluster", Fresh: time.Now()}},
	})
	_ = r.Executor(refusing{}).Do(t.Context(), record.Action{Kind: record.Evict})
	page := httptest.NewRecorder()
	r.ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	out := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^(drainboard_\w+)(?:\{(.*)\})? \S+$`).FindAllStringSubmatch(page.Body.String(), -1) {
		if out[m[1]] == nil {
			out[m[1]] = []string{}
		}
		for _, label := range regexp.MustCompile(`(\w+)="`).FindAllStringSubmatch(m[2], -1) {
			out[m[1]] = append(out[m[1]], label[1])
		}
	}
	return out
}

// refusing refuses everything.
type refusing struct{ live.Executor }

func (refusing) Do(_ context.Context, a record.Action) record.Outcome {
	return record.Outcome{Verdict: record.Refused, Refusal: "budget"}
}

// TestBoardAndAlerts holds the Grafana board and the alert rules to the metrics that are served,
// and to their labels.
func TestBoardAndAlerts(t *testing.T) {
	known := served(t)
	const dir = "../../../../docs/guide/integrations/"
	var expressions []string
	board, err := os.ReadFile(dir + "grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var grafana struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr, LegendFormat string }
		}
		Templating struct{ List []struct{ Query string } }
	}
	if err := json.Unmarshal(board, &grafana); err != nil {
		t.Fatal(err)
	}
	legend := regexp.MustCompile(`\{\{(\w+)\}\}`)
	for _, p := range grafana.Panels {
		for _, target := range p.Targets {
			expressions = append(expressions, target.Expr)
			for _, m := range legend.FindAllStringSubmatch(target.LegendFormat, -1) {
				name := regexp.MustCompile(`drainboard_\w+`).FindString(target.Expr)
				if !slices.Contains(known[name], m[1]) {
					t.Errorf("%s: %s has no label %s", p.Title, name, m[1])
				}
			}
		}
	}
	for _, v := range grafana.Templating.List {
		expressions = append(expressions, v.Query)
	}
	rules, err := os.ReadFile(dir + "alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var alerts struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.UnmarshalStrict(rules, &struct {
		Groups []map[string]any `json:"groups"`
	}{}); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(rules, &alerts); err != nil {
		t.Fatal(err)
	}
	for _, r := range alerts.Groups[0].Rules {
		expressions = append(expressions, r.Expr)
		if r.Alert == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" {
			t.Errorf("an alert without a name, a severity or a summary: %+v", r)
		}
	}
	seen := map[string]bool{}
	for _, e := range expressions {
		for _, m := range regexp.MustCompile(`(drainboard_\w+)(?:\{([^}]*)\})?`).FindAllStringSubmatch(e, -1) {
			labels, ok := known[m[1]]
			if seen[m[1]] = true; !ok {
				t.Errorf("%s: %s is not served", e, m[1])
			}
			for _, l := range regexp.MustCompile(`(\w+)=~?"`).FindAllStringSubmatch(m[2], -1) {
				if !slices.Contains(append([]string{"job", "instance"}, labels...), l[1]) {
					t.Errorf("%s: %s has no label %s", e, m[1], l[1])
				}
			}
		}
		for _, m := range regexp.MustCompile(`by \(([^)]*)\) \(+(?:rate\()?(drainboard_\w+)`).FindAllStringSubmatch(e, -1) {
			for l := range strings.SplitSeq(m[1], ",") {
				if !slices.Contains(known[m[2]], strings.TrimSpace(l)) {
					t.Errorf("%s: %s has no label %s", e, m[2], l)
				}
			}
		}
	}
	if len(seen) < 15 {
		t.Errorf("only %d metrics are used: are the files read right?", len(seen))
	}
}
