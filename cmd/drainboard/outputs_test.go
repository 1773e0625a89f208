package main

import (
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
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
	asJSON, err := yaml.YAMLToJSON([]byte(out))
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
		"plan web -o name": "text, json, yaml, wide", "upgrade web -o yaml": "text, json",
	} {
		if code, out := run(line); code != exitcode.WrongUse || !strings.HasSuffix(out, "is not one of "+lists+"\n") {
			t.Errorf("%s: %d: %q", line, code, out)
		}
	}
	if _, short := run("plan web"); !strings.Contains(short, "NODE") {
		t.Errorf("%s", short)
	} else if code, wide := run("plan web -o wide"); code != 0 || !strings.Contains(wide, "NODE") {
		t.Errorf("%d: %s", code, wide)
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
