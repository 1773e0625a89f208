package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/api/apitest"
)

// The last object of a command with -o json tells the exit code, when the command was refused
// too, and only once.
func TestTheLastObjectTellsTheExit(t *testing.T) {
	denied := clitest.Serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	})
	stuck := []string{"demo", "--scenario", "stuck", "--auto", "--speed", "1000"}
	for _, c := range []struct {
		args   []string
		code   int
		result string // "" if it is told by an event
	}{
		{[]string{"plan", "web", "--nonsense", "-o", "json"}, 2, "wrong-use"},
		{[]string{"plan", "web", "--order", "none", "--output=json"}, 2, "wrong-use"},
		{[]string{"status", "-o=json", "--kubeconfig", "/nonexistent"}, 2, "wrong-use"},
		{[]string{"groups", "-ojson", "--kubeconfig", denied.Kubeconfig}, 11, "denied"},
		{[]string{"abort", "web", "--yes", "-o", "json", "--kubeconfig", denied.Kubeconfig}, 11, "denied"},
		{[]string{"upgrade", "web", "--auto", "-o", "json", "--kubeconfig", denied.Kubeconfig}, 11, "denied"},
		{append(stuck, "-o", "json"), 4, ""},
	} {
		var out bytes.Buffer
		code := execute(t.Context(), newRoot(strings.NewReader(""), &out, &bytes.Buffer{}), c.args)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		last := lines[len(lines)-1]
		if code != c.code {
			t.Errorf("%q: exit code %d, want %d", c.args, code, c.code)
		}
		var exit api.Exit
		if err := json.Unmarshal([]byte(last), &exit); err != nil || exit.ExitCode != c.code || exit.Message == "" {
			t.Errorf("%q: %v: %s", c.args, err, last)
		}
		if c.result == "" {
			if strings.Contains(out.String(), `"kind":"Exit"`) {
				t.Errorf("%q: it is told twice: %s", c.args, last)
			}
			continue
		}
		apitest.Valid(t, []byte(last))
		if exit.Result != c.result || len(lines) != 1 {
			t.Errorf("%q: %s", c.args, out.String())
		}
	}
	var out bytes.Buffer
	if execute(t.Context(), newRoot(strings.NewReader(""), &out, &bytes.Buffer{}), []string{"plan"}); out.Len() > 0 {
		t.Errorf("without -o json: %s", out.String())
	}
}

// A record that cannot be read fails a status, also where other runs are shown, and is told to
// programs as well.
func TestDamagedRecordFailsAStatus(t *testing.T) {
	at := shootCluster(t, damagedRecord()).Flags.Kubeconfig
	for _, line := range []string{"status", "status web", "pause web"} {
		code, out, errOut := called(t.Context(), "", append(strings.Fields(line), "--kubeconfig", at)...)
		if code != exitcode.Failed || !strings.Contains(errOut, "is damaged") || strings.Contains(out, "No runs") {
			t.Errorf("%s: %d: %s%s", line, code, out, errOut)
		}
		code, out, _ = called(t.Context(), "", append(strings.Fields(line), "-o", "json", "--kubeconfig", at)...)
		docs := json.NewDecoder(strings.NewReader(out))
		var last struct {
			Kind, Message     string
			ExitCode          int
			UnreadableRecords []string
		}
		lists := 0
		for docs.More() {
			last.UnreadableRecords = nil
			if err := docs.Decode(&last); err != nil {
				t.Fatalf("%s: %v: %s", line, err, out)
			}
			if len(last.UnreadableRecords) == 1 && strings.Contains(last.UnreadableRecords[0], "is damaged") {
				lists++
			}
		}
		if code != exitcode.Failed || last.Kind != "Exit" || last.ExitCode != exitcode.Failed || !strings.Contains(last.Message, "is damaged") || (lists == 1) != (line == "status") {
			t.Errorf("%s -o json: %d: %s", line, code, out)
		}
	}
	if code, out, errOut := called(t.Context(), "", "groups", "--kubeconfig", at); code != 0 || !strings.Contains(out, " unreadable ") {
		t.Errorf("groups: %d: %s%s", code, out, errOut)
	}
}
