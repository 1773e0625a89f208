package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/hooks"
)

const someHooks = `
theme: no-such-theme
hooks:
  - on: [failed, blocked]
    webhook: https://hooks.example.com/services/T0PSECRET
    blocked-for: 90s
    contexts: ["*prod*", "eu-?"]
  - on: before-node
    run: [./may-drain, --strict]
    timeout: 2m
  - on: after-node
    webhook-env: THE_URL
    format: json
`

func TestHooksOfConfig(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(someHooks), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("THE_URL", "https://other.example.com/x")
	if f := (Hooks{}); f.read(dir, "staging") == nil {
		t.Error("a command that does not exist was taken")
	}
	if err := os.WriteFile(filepath.Join(dir, "may-drain"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	f := Hooks{Commands: []string{"before-node,run-paused=/bin/true  a b"}, Webhooks: []string{"blocked=env:THE_URL"}, Timeout: time.Minute, BlockedFor: time.Second}
	if err := f.read(dir, "arn:aws:eks:eu-west-1:1:cluster/prod"); err != nil {
		t.Fatal(err)
	}
	if len(f.List) != 5 {
		t.Fatalf("%d hooks: %v", len(f.List), f.List)
	}
	a, b, c, d, e := f.List[0], f.List[1], f.List[2], f.List[3], f.List[4]
	switch {
	case !slices.Equal(a.On, []hooks.On{hooks.Failed, hooks.Blocked}), a.Name() != "hooks.example.com", a.BlockedFor != 90*time.Second:
		t.Errorf("the first is %v", a)
	case !slices.Equal(b.Run, []string{filepath.Join(dir, "may-drain"), "--strict"}), b.Timeout != 2*time.Minute:
		t.Errorf("the second is %v", b)
	case c.Name() != "other.example.com", c.Format != hooks.JSON:
		t.Errorf("the third is %v", c)
	case !slices.Equal(d.Run, []string{"/bin/true", "a", "b"}), d.Timeout != time.Minute, d.BlockedFor != 0:
		t.Errorf("the fourth is %v", d)
	case e.Name() != "other.example.com", e.BlockedFor != time.Second:
		t.Errorf("the fifth is %v", e)
	}
	s := record.Settings{Origin: map[string]string{}}
	f.Into(&s)
	if s.BeforeNode != 3*time.Minute || s.AfterNode != hooks.Timeout || s.Origin["hook"] != "flag" {
		t.Errorf("settings: before %s, after %s, %v", s.BeforeNode, s.AfterNode, s.Origin)
	}
	f = Hooks{}
	if err := f.read(dir, "staging"); err != nil || len(f.List) != 2 {
		t.Errorf("in another context %v: %v", f.List, err)
	}
	f = Hooks{Without: true}
	if err := f.read(dir, "staging"); err != nil || len(f.List) != 0 {
		t.Errorf("without hooks %v: %v", f.List, err)
	}
	t.Setenv("THE_URL", "")
	f = Hooks{}
	if err := f.read(dir, "staging"); err == nil || err.Error() != "hook on after-node: the environment variable THE_URL is empty" {
		t.Errorf("without its variable: %v", err)
	}
	f = Hooks{}
	if err := f.read(t.TempDir(), "staging"); err != nil || len(f.List) != 0 {
		t.Errorf("without a file %v: %v", f.List, err)
	}
}

// What is wrong with hooks is told with its line, and keeps an upgrade from starting; what
// is wrong with looks does not.
func TestBadHooks(t *testing.T) {
	for yaml, want := range map[string]string{
		"hoks: []":                                                                  `line 1: unknown: "hoks"; did you mean "hooks"?`,
		"hooks:\n- on: blockd\n  run: [x]":                                          `line 2: hooks[0].on: unknown: "blockd"; did you mean "blocked"?`,
		"hooks:\n- run: [x]":                                                        "line 2: hooks[0]: needs on",
		"hooks:\n- on: failed":                                                      "line 2: hooks[0]: needs run or a webhook",
		"hooks:\n- on: failed\n  run: notify-send":                                  "line 3: hooks[0].run: is a list",
		"hooks:\n- on: failed\n  run: []":                                           "line 3: hooks[0].run: needs the command",
		"hooks:\n- on: failed\n  webhook: slack.com/secretive":                      "line 3: hooks[0].webhook: is not an https:// or http:// URL",
		"hooks:\n- on: failed\n  webhook-env: A\n  webhook-file: b":                 "line 2: hooks[0]: has several webhooks",
		"hooks:\n- on: failed\n  webhook-env: A\n  run: [b]":                        "line 2: hooks[0]: has both run and a webhook",
		"hooks:\n- on: failed\n  run: [x]\n  timeout: soon":                         `line 4: hooks[0].timeout: "soon" is no time`,
		"hooks:\n- on: failed\n  run: [x]\n  timeout: 3h":                           "hooks[0]: timeout: 3h0m0s is out of range",
		"hooks:\n- on: failed\n  run: [x]\n  blocked-for: 3m":                       "hooks[0]: blocked-for is for on: blocked",
		"hooks:\n- on: failed\n  webhook-env: A\n  format: xml":                     `line 4: hooks[0].format: unknown: "xml"`,
		"hooks:\n- on: failed\n  run: [x]\n  contexts: \"[\"":                       `line 4: hooks[0].contexts: "[" is not a pattern`,
		"hooks:\n- on: failed\n  run: [x]\n  shell: x":                              `line 4: hooks[0]: unknown: "shell"`,
		"theme: 3\nbackground: nowhere\nmouse: 7\nhooks:\n- {on: failed, run: [x]}": "",
	} {
		_, err := parseHooks("config.yaml", []byte(yaml))
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secretive")) {
			t.Errorf("%q: got %v, want %q", yaml, err, want)
		}
		if _, all := parseConfig("config.yaml", []byte(yaml)); all == nil {
			t.Errorf("%q: the dashboard's banner would not tell", yaml)
		}
	}
	for _, test := range []struct {
		want string
		f    Hooks
	}{
		{`hook on before-node: its command cannot be run: exec: "no-such-command"`, Hooks{Commands: []string{"before-node=no-such-command now"}}},
		{"= is missing", Hooks{Commands: []string{"true"}}},
		{"not one of run-started", Hooks{Commands: []string{"befor-node=true"}}},
		{"needs run", Hooks{Commands: []string{"before-node="}}},
		{"other users can read a command line", Hooks{Webhooks: []string{"failed=https://hooks.example.com/secretive"}}},
		{"other users can read a command line", Hooks{Webhooks: []string{"failed=env:"}}},
		{"not one of slack, json, pagerduty, opsgenie", Hooks{Webhooks: []string{"failed=env:A"}, Format: "teams"}},
		{"is for --webhook", Hooks{Format: "json"}},
		{"is not for before-node", Hooks{Webhooks: []string{"before-node=env:A"}, Format: "opsgenie"}},
		{"--without-hooks contradicts", Hooks{Commands: []string{"failed=true"}, Without: true}},
		{"out of range", Hooks{Commands: []string{"failed=true"}, Timeout: 2 * time.Hour}},
	} {
		err := test.f.read("", "any")
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secretive") {
			t.Errorf("got %v, want %q", err, test.want)
		}
	}
}

// A run that had hooks around nodes is not resumed without them silently.
func TestAdoptHooks(t *testing.T) {
	had := record.Run{ID: "run-1", State: record.Paused, Settings: record.Settings{BeforeNode: time.Minute, AfterNode: time.Second}, PendingHooks: []record.Gone{{Machine: "i-1"}}}
	before, after := hooks.Hook{On: []hooks.On{hooks.BeforeNode}, Run: []string{"x"}, Timeout: time.Hour}, hooks.Hook{On: []hooks.On{hooks.AfterNode}, Run: []string{"x"}}
	for _, test := range []struct {
		name  string
		f     Hooks
		state record.State
		want  string
	}{
		{"none here", Hooks{}, record.Paused, "--without-hooks"},
		{"one of them", Hooks{List: []hooks.Hook{before}}, record.Running, "hooks on after-node, and none"},
		{"both", Hooks{List: []hooks.Hook{before, after}}, record.Running, ""},
		{"consent", Hooks{Without: true}, record.Running, ""},
		{"it only ends", Hooks{}, record.Ending, ""},
	} {
		run := had
		run.State = test.state
		err := test.f.Adopt(&run)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
		if test.name == "both" && (run.Settings.BeforeNode != time.Hour || run.Settings.AfterNode != hooks.Timeout) {
			t.Errorf("%s: %+v", test.name, run.Settings)
		}
		if test.f.Without && (run.Settings.BeforeNode != 0 || run.Settings.AfterNode != 0 || len(run.PendingHooks) > 0) {
			t.Errorf("%s: %+v, owed %v", test.name, run.Settings, run.PendingHooks)
		}
	}
}

// docs/guide/notifications.md names every moment and every variable, and its example is read.
func TestHooksDocument(t *testing.T) {
	file, err := os.ReadFile("../../../../docs/guide/notifications.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(file), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	if list, err := parseHooks("hooks.md", []byte(example)); err != nil || len(list) != 4 {
		t.Errorf("%d hooks in the example: %v", len(list), err)
	}
	for _, on := range Moments() {
		if !strings.Contains(string(file), "| `"+on+"` |") {
			t.Errorf("it does not tell of %s", on)
		}
	}
	for _, pair := range (hooks.Message{}).Env() {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.Contains(string(file), "`"+name+"`") {
			t.Errorf("it does not name %s", name)
		}
	}
}
