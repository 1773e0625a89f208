package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Credentials that have run out are said to be so, before anything is taken or read.
func TestResumeWithExpiredCredentials(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("%s %s was sent", r.Method, r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Unauthorized","code":401}`)
	}))
	defer server.Close()
	path := filepath.Join(t.TempDir(), "config")
	config := "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: '" + server.URL + "'}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: old}}]\n"
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := newRoot(strings.NewReader(""), &out, &errs)
	cmd.SetArgs([]string{"upgrade", "web", "--auto", "--kubeconfig", path})
	err := cmd.ExecuteContext(t.Context())
	var e *exitcode.Error
	if !errors.As(err, &e) || e.Code != exitcode.Denied || !strings.Contains(err.Error(), "credentials") {
		t.Errorf("got %v", err)
	}
}

func TestFlagsThatContradictARun(t *testing.T) {
	only := record.Target{Only: []string{"a", "b"}}
	at := record.Target{Templates: []world.Template{{ID: "lt-1", Version: 7}}}
	image := record.Target{Image: "ami-1"}
	for _, tt := range []struct {
		target record.Target
		args   []string
		want   string
	}{
		{only, nil, ""},
		{only, []string{"--only", "b, a,b"}, ""},
		{only, []string{"--only", "a"}, "--only a"},
		{only, []string{"--only", "a,c"}, "--only a,c"},
		{record.Target{}, []string{"--only", "a"}, "--only a"},
		{at, []string{"--launch-template-version", "7"}, ""},
		{at, []string{"--launch-template-version", "$Latest"}, ""},
		{at, []string{"--launch-template-version", "6"}, "--launch-template-version 6"},
		{image, []string{"--ami", "ami-1"}, ""},
		{image, []string{"--ami", "ami-2"}, "--ami ami-2"},
		{at, []string{"--ami", "ami-2"}, "--ami ami-2"},
	} {
		var f flags.Roll
		cmd := &cobra.Command{Use: "x"}
		f.Add(cmd)
		if err := cmd.ParseFlags(tt.args); err != nil {
			t.Fatal(err)
		}
		asked := f.Request(cmd, false)
		if got := asked.Contradicts(tt.target); got != tt.want {
			t.Errorf("%+v, %v: got %q, want %q", tt.target, tt.args, got, tt.want)
		}
	}
}

func TestFlagsThatDoNotCount(t *testing.T) {
	root := newRoot(strings.NewReader(""), io.Discard, io.Discard)
	cmd, rest, err := root.Find([]string{"upgrade", "web", "--auto", "--until=05:00", "--context=prod", "--max-unavailable=3", "--control-kubeconfig=seed.yaml", "--control-namespace=shoot--dev--prod"})
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.ParseFlags(rest); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	run := record.Run{By: "bob@desk", State: record.Paused, Started: now, Seen: now.Add(-time.Minute)}
	run.Settings.Approve = record.ApproveBatch
	got := strings.Join(present.Standing(run, now, flags.Given(cmd), true), "; ")
	for _, want := range []string{"started by bob@desk", "last seen 1m0s ago, paused", "its own settings apply, not --max-unavailable, --until;", "no prompts (--auto)"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
	if got := strings.Join(present.Standing(run, now, nil, false), "; "); !strings.Contains(got, "its own settings apply; found: 0 of 0 nodes replaced; next: the run starts") {
		t.Errorf("got %q", got)
	}
}
