package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab"
)

// journalLine is what a journal says, as far as it matters here.
type journalLine struct {
	Seq    int
	At     time.Time
	Kind   string
	Opened struct {
		By      string
		PID     int
		Resumed bool
	}
	Action struct {
		Kind, Node, Namespace, Pod, UID, Command string
		Forced                                   struct {
			Order, By, Why string
			At             time.Time
		}
	}
}

// journalFile is the journal of the scene's only run.
func (s *scene) journalFile() string {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.home, ".local", "state", "drainboard", "*", "*.jsonl"))
	if err != nil || len(files) != 1 {
		s.t.Fatalf("the journals are %v, %v", files, err)
	}
	return files[0]
}

// journalText is the journal of the scene's only run as it is.
func (s *scene) journalText() string {
	s.t.Helper()
	text, err := os.ReadFile(s.journalFile())
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// journal reads the journal of the scene's only run, and returns the run's id.
func (s *scene) journal() (run string, lines []journalLine) {
	s.t.Helper()
	file := s.journalFile()
	for in := bufio.NewReader(strings.NewReader(s.journalText())); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var l journalLine
		if err := json.Unmarshal(line, &l); err != nil {
			s.t.Fatalf("%v: %s", err, line)
		}
		lines = append(lines, l)
	}
	return strings.TrimSuffix(filepath.Base(file), ".jsonl"), lines
}

// A run that forces, killed in the middle of it and gone on with by another process:
// whatever the API server was asked to delete is in the journal before, with who, when,
// what and why; the cluster was told by Events; and the report names each.
func TestJournal(t *testing.T) {
	s := newScene(t, "journal", lab.GroupOptions{Nodes: 2, Zones: oneZone}, "read", "upgrade", "force", "events")
	s.deploy("checkout", "twice", "agent")

	first := s.upgrade("--force", "--drain-timeout", "4s")
	first.await("pod.forced")
	first.crash()
	second := s.upgrade().exits(0)
	checkFinished(t, second.said(), "succeeded", 0)

	run, lines := s.journal()
	var opened []journalLine
	for i, l := range lines {
		if l.Seq != i+1 {
			t.Errorf("line %d has number %d", i+1, l.Seq)
		}
		if l.Kind == "opened" {
			opened = append(opened, l)
		}
	}
	if len(opened) != 2 || opened[0].Opened.Resumed || !opened[1].Opened.Resumed || opened[0].Opened.PID == opened[1].Opened.PID || !strings.Contains(opened[0].Opened.By, "@") {
		t.Errorf("who drove the run: %+v", opened)
	}

	deletes := s.requests().Where(lab.Request.PodDelete)
	pods := map[string]bool{}
	for _, r := range deletes {
		pods[r.Namespace+"/"+r.Name] = true
		named := false
		for _, l := range lines {
			a := l.Action
			if a.Kind == "delete" && a.UID == r.UID() && a.UID != "" && !l.At.After(r.Received) && a.Namespace == r.Namespace && a.Pod == r.Name && a.Node != "" &&
				a.Command != "" && a.Forced.By != "" && a.Forced.Why != "" && a.Forced.Order != "" && !a.Forced.At.IsZero() && !a.Forced.At.After(l.At) {
				named = true
			}
		}
		if !named {
			t.Errorf("not in the journal before: %v", r)
		}
	}
	if len(pods) < 3 {
		t.Errorf("only %d pods were deleted: this test sees nothing", len(pods))
	}
	t.Logf("%d deletes of %d pods, each in the journal before; %d lines", len(deletes), len(pods), len(lines))

	s.checkAnnounced()
	text := s.run("report", s.group.Name).exits(0).out()
	for pod := range pods {
		if !strings.Contains(text, "deleted "+pod) {
			t.Errorf("the report does not say that %s was deleted", pod)
		}
	}
	page := filepath.Join(s.home, "report.html")
	s.run("report", run, "--to", page).exits(0).says(page)
	if html, err := os.ReadFile(page); err != nil || !bytes.Contains(html, []byte("</html>")) || !bytes.Contains(html, []byte("not driven")) {
		t.Errorf("the page: %v, %d bytes", err, len(html))
	}
}

// checkAnnounced sees that Events tell of the run on its nodes and on its record.
func (s *scene) checkAnnounced() {
	s.t.Helper()
	missing := map[string]bool{"Node NodeDraining": true, "Node NodeBlocked": true, "Node NodeDrained": true, "Node NodeTerminating": true, "Node ForceOrdered": true, "Node PodForced": true, "ConfigMap RunStarted": true, "ConfigMap CapacityChanged": true, "ConfigMap RunFinished": true}
	for _, namespace := range []string{metav1.NamespaceDefault, "drainboard"} {
		events, err := shared.Client().CoreV1().Events(namespace).List(s.ctx, metav1.ListOptions{})
		if err != nil {
			s.t.Fatal(err)
		}
		for _, e := range events.Items {
			if e.Source.Component != "drainboard" || !strings.Contains(e.Message, "(run "+s.group.Name+"-") {
				continue
			}
			delete(missing, e.InvolvedObject.Kind+" "+e.Reason)
			if alarm := e.Reason == "PodForced" || e.Reason == "NodeBlocked"; alarm != (e.Type == corev1.EventTypeWarning) && e.Reason != "ForceOrdered" {
				s.t.Errorf("%s is %s", e.Reason, e.Type)
			}
		}
	}
	for what := range missing {
		s.t.Errorf("no Event %s", what)
	}
}
