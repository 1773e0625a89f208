package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab"
)

// secretPath is of the webhook's address: a program that knows it may post.
const secretPath = "/services/T0PSECRET/tokentokentoken"

// mailbox is a webhook.
type mailbox struct {
	*httptest.Server
	mu  sync.Mutex
	got []struct{ Hook, Type, Node, Message string }
}

func newMailbox(t *testing.T) *mailbox {
	m := &mailbox{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var one struct{ Hook, Type, Node, Message string }
		if err := json.NewDecoder(r.Body).Decode(&one); err != nil || r.URL.Path != secretPath {
			t.Errorf("posted to %s: %v", r.URL.Path, err)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.got = append(m.got, one)
	}))
	t.Cleanup(m.Close)
	return m
}

// of are the nodes that were told of for a hook, "" for each message without one.
func (m *mailbox) of(hook string) (nodes []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.got {
		if one.Hook == hook {
			nodes = append(nodes, one.Node)
		}
	}
	return nodes
}

// A hook before a node that says no for one of them pauses the run before anything of the
// node is touched; a second process without hooks refuses to continue, and one whose hook is
// mended does. Webhooks hear of it, and metrics can be scraped meanwhile.
func TestHooksAndMetrics(t *testing.T) {
	s := newScene(t, "hooks-around", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	s.deploy("web", "agent")
	box := newMailbox(t)
	nodes := s.nodes()
	first, refused := nodes[0].Name, nodes[1].Name

	script, stop := filepath.Join(s.home, "may-drain"), filepath.Join(s.home, "stop")
	write := func(file, text string, mode fs.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(script, fmt.Sprintf("#!/bin/sh\ngrep -q '\"type\":\"hook.started\"' || exit 5\nif test \"$DRAINBOARD_NODE\" = %s && test -e %s; then echo the backup still runs; exit 3; fi\n", refused, stop), 0o755)
	write(stop, "", 0o600)
	write(filepath.Join(s.home, ".config", "drainboard", "config.yaml"), fmt.Sprintf(`
hooks:
  - on: before-node
    run: [%s]
  - on: [after-node, run-started, run-paused, run-finished]
    webhook: %s
    format: json
`, script, box.URL+secretPath), 0o600)

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := taken.Addr().String()
	s.upgrade("--metrics", address).exits(2).says("--metrics: ", "address already in use")
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}

	p := s.upgrade("--order", "name", "--metrics", address)
	p.await("hook.passed", onNode(first))
	p.await("node.draining", onNode(first))
	s.eventually(func() error { // snapshots come ten times a second
		if n := draining(scrape(t, address)); n != 1 {
			return fmt.Errorf("the metrics tell of %v draining nodes", n)
		}
		return nil
	})
	checkMetrics(t, scrape(t, address), s.group.Name)
	p.exits(9)
	paused := p.await("run.paused")
	if want := refused + " may not start: hook may-drain: exit code 3: the backup still runs"; !strings.Contains(paused.Message, want) {
		t.Errorf("paused: %s; want %s", paused.Message, want)
	}
	if n := len(p.all("node.draining", onNode(refused))) + len(p.all("node.cordoned", onNode(refused))); n > 0 {
		t.Errorf("%s was touched", refused)
	}
	checkEvents(t, p.said())
	if _, err := http.Get("http://" + address + "/metrics"); err == nil {
		t.Error("metrics are still served")
	}

	s.extra = []string{"XDG_CONFIG_HOME=" + filepath.Join(s.home, "none")}
	other := s.upgrade().exits(2).says("has hooks on before-node", "--without-hooks")
	s.extra = nil
	if err := os.Remove(stop); err != nil {
		t.Fatal(err)
	}
	q := s.upgrade().exits(0)
	checkEvents(t, q.said())
	checkFinished(t, q.said(), "succeeded", 0)
	if n := len(q.all("hook.passed", onNode(refused), because("before-node"))); n != 1 {
		t.Errorf("the hooks before %s have let it go %d times", refused, n)
	}
	s.checkRolled()

	told := box.of("after-node")
	for _, node := range []string{first, refused} {
		if strings.Count(strings.Join(told, " ")+" ", node+" ") != 1 {
			t.Errorf("after %s: told of %q", node, told)
		}
	}
	for hook, times := range map[string]int{"run-started": 2, "run-paused": 1, "run-finished": 1} {
		if n := len(box.of(hook)); n != times {
			t.Errorf("%s was told %d times, want %d", hook, n, times)
		}
	}
	for _, one := range []*process{p, other, q} {
		if strings.Contains(one.out()+one.errOut(), "T0PSECRET") {
			t.Error("the webhook's address is in the output")
		}
	}
	s.checkKeptSecret("T0PSECRET")
}

// checkKeptSecret sees that a word is in no file that drainboard has written and in no
// record.
func (s *scene) checkKeptSecret(word string) {
	s.t.Helper()
	files := 0
	err := filepath.WalkDir(s.home, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "config.yaml" {
			return err
		}
		files++
		text, err := os.ReadFile(file)
		if strings.Contains(string(text), word) {
			s.t.Errorf("%s is in %s", word, file)
		}
		return err
	})
	if err != nil || files < 2 {
		s.t.Errorf("%d files looked at: %v", files, err)
	}
	records, err := shared.Client().CoreV1().ConfigMaps("drainboard").List(s.ctx, metav1.ListOptions{})
	if err != nil || len(records.Items) == 0 {
		s.t.Fatalf("%d records: %v", len(records.Items), err)
	}
	for _, r := range records.Items {
		if strings.Contains(fmt.Sprint(r.Data), word) {
			s.t.Errorf("%s is in the record %s", word, r.Name)
		}
	}
}

// scrape reads metrics as Prometheus does.
func scrape(t *testing.T, address string) map[string]*dto.MetricFamily {
	t.Helper()
	resp, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := expfmt.ResponseFormat(resp.Header); got.FormatType() != expfmt.TypeTextPlain {
		t.Errorf("format %s", got)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(string(text)))
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return families
}

// draining is how many nodes drain.
func draining(families map[string]*dto.MetricFamily) float64 {
	for _, m := range families["drainboard_nodes"].GetMetric() {
		if m.Label[0].GetValue() == "draining" {
			return m.GetGauge().GetValue()
		}
	}
	return 0
}

// checkMetrics sees that metrics tell of a run whose first node drains.
func checkMetrics(t *testing.T, families map[string]*dto.MetricFamily, group string) {
	t.Helper()
	value := func(name, label, want string) float64 {
		t.Helper()
		f := families[name]
		if f == nil {
			t.Errorf("there is no %s", name)
			return -1
		}
		for _, m := range f.Metric {
			for _, l := range m.Label {
				if l.GetName() == label && l.GetValue() == want {
					return m.GetGauge().GetValue() + m.GetCounter().GetValue()
				}
			}
			if label == "" {
				return m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
		t.Errorf("%s has no %s %q: %v", name, label, want, f.Metric)
		return -1
	}
	for _, is := range []struct {
		name, label, value string
		want               float64
	}{
		{"drainboard_run_info", "group", group, 1},
		{"drainboard_run_info", "strategy", "eks", 1},
		{"drainboard_run_state", "state", "running", 1},
		{"drainboard_run_phase", "phase", "upgrade", 1},
		{"drainboard_nodes_to_replace", "", "", 2},
		{"drainboard_lock_held", "", "", 1},
		{"drainboard_source_stale", "source", "cluster", 0},
		{"drainboard_actions_total", "kind", "run-hook", 1},
	} {
		if got := value(is.name, is.label, is.value); got != is.want {
			t.Errorf("%s{%s=%q} is %v, want %v", is.name, is.label, is.value, got, is.want)
		}
	}
	if age := value("drainboard_source_age_seconds", "source", "cloud"); age < 0 || age > 60 {
		t.Errorf("the cloud was seen %v s ago", age)
	}
	if h := families["drainboard_decision_duration_seconds"]; h == nil || h.Metric[0].GetHistogram().GetSampleCount() == 0 {
		t.Errorf("no decision was timed: %v", h)
	}
	for name, f := range families {
		if f.GetHelp() == "" || !strings.HasPrefix(name, "drainboard_") || f.GetType() == dto.MetricType_UNTYPED || f.GetType() == dto.MetricType_COUNTER != strings.HasSuffix(name, "_total") {
			t.Errorf("%s is no good name or help of a %s: %q", name, f.GetType(), f.GetHelp())
		}
	}
}
