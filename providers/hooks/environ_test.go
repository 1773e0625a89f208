package hooks

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A command gets the variables that are listed, and those that its hook names; not the
// credentials that this process has.
func TestEnvironmentOfCommands(t *testing.T) {
	for name, value := range map[string]string{"AWS_SECRET_ACCESS_KEY": "s3cret", "SLACK_TOKEN": "xoxb", "HOOK_CHANNEL": "ops", "AWS_PROFILE": "prod", "PAGER_KEY": "named"} {
		t.Setenv(name, value)
	}
	file := filepath.Join(t.TempDir(), "env")
	h := Hook{On: []On{Failed}, Run: []string{"sh", "-c", `env > "$0"`, file}, Env: []string{"PAGER_KEY"}}
	if err := h.command(context.Background(), Message{Hook: Failed}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(string(text), "\n")
	for _, want := range []string{"HOOK_CHANNEL=ops", "AWS_PROFILE=prod", "PAGER_KEY=named", "PATH=" + os.Getenv("PATH"), "DRAINBOARD_HOOK=failed"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not there:\n%s", want, text)
		}
	}
	for _, secret := range []string{"s3cret", "xoxb"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("%s was handed on", secret)
		}
	}
}

// What a command that fails prints of its arguments is in no message.
func TestArgumentsStayOutOfMessages(t *testing.T) {
	h := Hook{On: []On{BeforeNode}, Run: []string{"sh", "-c", `echo "cannot post with $1 or ${2#*=}: no"; exit 3`, "post", "hunter2-token", "--key=0123456789"}}
	err := h.command(context.Background(), Message{Hook: BeforeNode})
	if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "0123456789") || !strings.Contains(err.Error(), "exit code 3: cannot post with … or …: no") {
		t.Errorf("%v", err)
	}
}

func TestCommandLine(t *testing.T) {
	given := []string{"upgrade", "web", "--hook", "before-node=./may --token abc", "--hook=failed=page 0123", "--webhook", "failed=env:SLACK", "--auto",
		"--metrics-push", "https://me:s3cret@push:9091/x", "--metrics-push=http://s3cret@push", "--metrics-push=http://push", "--metrics-push=http://me:s3cret@%"}
	want := []string{"upgrade", "web", "--hook", "before-node=./may …", "--hook=failed=page …", "--webhook", "failed=env:SLACK", "--auto",
		"--metrics-push", "https://push:9091/x", "--metrics-push=http://push", "--metrics-push=http://push", "--metrics-push=…"}
	if got := CommandLine(given); !slices.Equal(got, want) || given[3] != "before-node=./may --token abc" {
		t.Errorf("%q", got)
	}
}
