package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/driver"
)

// asGiven is an upgrade as its command line has it.
func asGiven(t *testing.T, line ...string) *driver.Upgrade {
	t.Helper()
	var u upgradeFlags
	cmd := &cobra.Command{Use: "upgrade"}
	cmd.Flags().BoolVar(&u.Auto, "auto", false, "")
	cmd.Flags().BoolVarP(&u.yes, "yes", "y", false, "")
	cmd.Flags().String("context", "", "")
	addScope(cmd, &u.scope)
	u.add(cmd)
	if err := errors.Join(cmd.ParseFlags(line), u.scope.Take(cmd.Flags().Args())); err != nil {
		t.Fatal(err)
	}
	return (&app{}).driven(cmd, &u, false)
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
		if got := u.Scope.Again(u.Line); got != c.again {
			t.Errorf("%s: %s", c.given, got)
		}
	}
	u := asGiven(t, "web", "--provider", "gardener", "--control-kubeconfig", "/my files/it's", "--control-namespace", "shoot--a--b", "--max-unavailable", "2", "--auto")
	if got, want := u.Line.Command("abort", "web"), `drainboard abort web --provider gardener --control-kubeconfig '/my files/it'\''s' --control-namespace shoot--a--b`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
