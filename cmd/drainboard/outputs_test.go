package main

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	sigsyaml "sigs.k8s.io/yaml"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/yaml"
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/api/apitest"
)

// What commands print is there in the forms that kubectl has.
func TestOutputs(t *testing.T) {
	at := shootCluster(t).Flags.Kubeconfig
	run := func(line string) (int, string) {
		t.Helper()
		code, out, errOut := called(t.Context(), "", append(strings.Fields(line), "--kubeconfig", at)...)
		return code, out + errOut
	}
	if code, out := run("groups -o name"); code != 0 || out != "web\n" {
		t.Errorf("%d: %q", code, out)
	}
	for line, headings := range map[string]bool{"groups": true, "groups -o wide": true, "groups --no-headers": false} {
		if code, out := run(line); code != 0 || strings.Contains(out, "GROUP ") != headings || !strings.Contains(out, "web ") {
			t.Errorf("%s: %d: %q", line, code, out)
		}
	}
	code, out := run("groups -o yaml")
	asJSON, err := sigsyaml.YAMLToJSON([]byte(out))
	var list api.GroupList
	if err == nil {
		err = json.Unmarshal(asJSON, &list)
	}
	if code != 0 || err != nil || len(list.Items) != 1 || strings.HasPrefix(out, "{") {
		t.Errorf("%d, %v: %s", code, err, out)
	}
	apitest.Valid(t, asJSON)
	if code, out := run("version -o yaml"); code != 0 || !strings.Contains(out, "kind: Version\n") {
		t.Errorf("%d: %q", code, out)
	}
	for line, lists := range map[string]string{
		"status -o xml": "text, json, yaml", "version -o wide": "text, json, yaml", "groups -o xml": "text, json, yaml, wide, name",
		"plan web -o name": "text, json, yaml, wide", "upgrade web -o name": "text, json, yaml", "upgrade web --dry-run -o name": "text, json, yaml, wide",
		"pause web -o wide": "text, json, yaml", "watch web -o name": "text, json, yaml", "demo -o wide": "text, json, yaml", "report web -o json": "markdown, html",
	} {
		if code, out := run(line); code != exitcode.WrongUse || !strings.HasSuffix(out, "is not one of "+lists+"\n") {
			t.Errorf("%s: %d: %q", line, code, out)
		}
	}
	for line, says := range map[string]string{
		"status --no-headers": "drainboard status has no flag --no-headers; it is one of groups", "plan web --no-headers": "it is one of groups",
		"upgrade web -o yaml": "-o json and -o yaml require --auto", "watch web -o yaml": "-o json and -o yaml require --auto", "approve web -o yaml": "-o json and -o yaml do not prompt",
	} {
		if code, out := run(line); code != exitcode.WrongUse || !strings.Contains(out, says) {
			t.Errorf("%s: %d: %q", line, code, out)
		}
	}
	if _, short := run("plan web"); !strings.Contains(short, "NODE") {
		t.Errorf("%s", short)
	} else if code, wide := run("plan web -o wide"); code != 0 || !strings.Contains(wide, "NODE") {
		t.Errorf("%d: %s", code, wide)
	}
}

// documents are those of a stream of YAML.
func documents(t *testing.T, stream string) (docs []map[string]any) {
	t.Helper()
	for text := range strings.SplitSeq(stream, "---\n") {
		var doc map[string]any
		if err := sigsyaml.Unmarshal([]byte(text), &doc); err != nil || doc["kind"] == nil {
			t.Fatalf("%v: %q", err, text)
		}
		asJSON, err := sigsyaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		apitest.Valid(t, asJSON)
		docs = append(docs, doc)
	}
	return docs
}

// What -o json has as lines, -o yaml has as documents: events, and what a refusal ends with.
func TestYAML(t *testing.T) {
	code, out, errOut := called(t.Context(), "", "demo", "--scenario", "stuck", "--auto", "--speed", "1000", "-o", "yaml")
	events := documents(t, out)
	if code != 4 || len(events) < 20 || strings.HasPrefix(out, "---") {
		t.Fatalf("%d, %d events: %s", code, len(events), errOut)
	}
	for _, e := range events {
		if e["kind"] != "Event" {
			t.Errorf("%v", e)
		}
	}
	if last := events[len(events)-1]; last["type"] != "run.finished" || last["exitCode"] != 4. {
		t.Errorf("%v", last)
	}
	at := shootCluster(t, damagedRecord()).Flags.Kubeconfig
	for line, kinds := range map[string]string{
		"status -o yaml": "GroupStatusList Exit", "status web -o=yaml": "Exit", "groups --output=yaml": "GroupList", "plan web --output yaml": "GroupPlan",
		"plan web --nonsense -oyaml": "Exit", "pause web -o yaml": "Exit",
	} {
		_, out, _ := called(t.Context(), "", append(strings.Fields(line), "--kubeconfig", at)...)
		var got []string
		for _, doc := range documents(t, out) {
			got = append(got, doc["kind"].(string))
		}
		if strings.Join(got, " ") != kinds {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// Each command with -o json has -o yaml, and completes both.
func TestYAMLIsWhereJSONIs(t *testing.T) {
	for _, cmd := range program().Commands() {
		format := cmd.Flag("output")
		if format == nil || cmd.Name() == "report" {
			continue
		}
		words, _ := completed(t, cmd.Name(), "-o", "")
		if !strings.Contains(format.Usage, "json or yaml") || !slices.Contains(words, "json") || !slices.Contains(words, "yaml") {
			t.Errorf("%s: %q: %q", cmd.Name(), format.Usage, words)
		}
	}
}

// A document that comes in parts is written once it is whole; what is none is passed on.
func TestYAMLWriter(t *testing.T) {
	var out strings.Builder
	y := yaml.NewWriter(&out, false)
	for _, part := range []string{`{"a"`, `:1}` + "\n{", `"b":`, `[2]} `, "not JSON\n", `{"c":3}`} {
		if n, err := io.WriteString(y, part); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if want := "a: 1\n---\nb:\n- 2\n not JSON\n---\nc: 3\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// A pipeline can ask whether there is something to do.
func TestDetailedExitCode(t *testing.T) {
	at := shootCluster(t).Flags.Kubeconfig
	for line, want := range map[string]int{"plan web": 0, "plan web --detailed-exitcode": exitcode.NodesLeft, "plan web --detailed-exitcode -o json": exitcode.NodesLeft, "plan nosuch --detailed-exitcode": exitcode.WrongUse} {
		code, out, errOut := called(t.Context(), "", append(strings.Fields(line), "--kubeconfig", at)...)
		if code != want || strings.Contains(errOut, "drainboard:") != (want == exitcode.WrongUse) {
			t.Errorf("%s: %d\n%s%s", line, code, out, errOut)
		}
	}
}

// A cluster without nodes is called so.
func TestClusterWithoutNodes(t *testing.T) {
	at := shootCluster(t, map[string]string{"/api/v1/nodes": `{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[]}`}).Flags.Kubeconfig
	code, out, errOut := called(t.Context(), "", "groups", "--provider", "gardener", "--kubeconfig", at)
	if code != 0 || out != "" || !strings.Contains(errOut, "This cluster has no nodes") {
		t.Errorf("%d: %s%s", code, out, errOut)
	}
	code, out, errOut = called(t.Context(), "", "groups", "--kubeconfig", at)
	if code != exitcode.WrongUse || !strings.Contains(errOut, "the cluster has no nodes, and no AWS region configured") {
		t.Errorf("%d: %s%s", code, out, errOut)
	}
}
