package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/strategy"
)

// asGiven is an upgrade as its command line has it.
func asGiven(t *testing.T, line ...string) *upgrade {
	t.Helper()
	a := &app{Console: console.Console{Out: io.Discard, Err: io.Discard}}
	u := &upgrade{app: a, cmd: &cobra.Command{Use: "upgrade"}}
	u.cmd.Flags().BoolVar(&u.Auto, "auto", false, "")
	u.cmd.Flags().BoolVarP(&u.yes, "yes", "y", false, "")
	u.cmd.Flags().String("context", "", "")
	u.addScope(u.cmd)
	u.add(u.cmd)
	if err := errors.Join(u.cmd.ParseFlags(line), u.take(u.cmd.Flags().Args())); err != nil {
		t.Fatal(err)
	}
	u.line = commandLine(u.cmd)
	return u
}

// The command that goes on reaches the same groups, in the same way.
func TestTheCommandThatGoesOn(t *testing.T) {
	for _, c := range []struct{ given, again string }{
		{"--all --cloudonly --name k8s.example.com", "drainboard upgrade --all --cloudonly --cluster-name k8s.example.com"},
		{"b a --auto -y --keep-going --context prod", "drainboard upgrade b a --keep-going --context prod"},
		{"--ig b,a --bastions-at-once --state s3://x --provider kops", "drainboard upgrade b a --bastions-at-once --state s3://x --provider kops"},
		{"--all --ami ami-1 --max-unavailable 25% --drain-and-terminate=false", "drainboard upgrade --all --ami ami-1 --max-unavailable 25% --drain-and-terminate=false"},
		{"--all --launch-template-version $Latest --order oldest,name", "drainboard upgrade --all --launch-template-version '$Latest' --order oldest,name"},
	} {
		u := asGiven(t, strings.Fields(c.given)...)
		if got := u.again(u.line); got != c.again {
			t.Errorf("%s: %s", c.given, got)
		}
	}
	u := asGiven(t, "web", "--provider", "gardener", "--control-kubeconfig", "/my files/it's", "--control-namespace", "shoot--a--b", "--max-unavailable", "2", "--auto")
	if got, want := u.line.Command("abort", "web"), `drainboard abort web --provider gardener --control-kubeconfig '/my files/it'\''s' --control-namespace shoot--a--b`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Where no node tells that it was rolled, groups that are done are not named again.
func TestAllNodesOfWhatIsLeft(t *testing.T) {
	u := asGiven(t, "--all", "--all-nodes", "--cloudonly")
	r, _, _ := rollOf(t, strategy.RollByName(), u, "a", "b", "c")
	r.value.Again = u.again(u.line)
	r.value.Groups = []roll.Group{
		{Name: "a", State: roll.Finished}, {Name: "b", State: roll.Finished, Code: exitcode.Paused},
		{Name: "c", State: roll.NotStarted}, {Name: "d", State: roll.LeftOut},
	}
	if got := r.goesOn(); got != "drainboard upgrade b c --all-nodes --cloudonly" {
		t.Error(got)
	}
}

// Of a run without Kubernetes nobody is sent to a command that refuses it.
func TestHeldAlone(t *testing.T) {
	by := &live.HeldError{Holder: "bob"}
	u := asGiven(t, "web", "--context", "prod")
	u.group = "web"
	contains(t, u.held(by).Error(), "drainboard watch web --context prod", "drainboard abort web --context prod")
	u = asGiven(t, "web", "--cloudonly")
	if err := u.held(by); strings.Contains(err.Error(), "drainboard ") || !strings.Contains(err.Error(), "hears no commands") {
		t.Error(err)
	}
}
