package main

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/driver"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
)

// asGiven is an upgrade as its command line has it.
func asGiven(t *testing.T, line ...string) *driver.Upgrade {
	t.Helper()
	var u upgradeFlags
	root, cmd := newRoot(nil, io.Discard, io.Discard), &cobra.Command{Use: "upgrade"}
	real, _, err := root.Find([]string{"upgrade"})
	if err != nil {
		t.Fatal(err)
	}
	root.RemoveCommand(real)
	root.AddCommand(cmd)
	cmd.Flags().BoolVar(&u.Auto, "auto", false, "")
	cmd.Flags().BoolVarP(&u.yes, "yes", "y", false, "")
	flags.AddScope(cmd, &u.scope)
	u.Add(cmd)
	if err := errors.Join(cmd.ParseFlags(line), u.scope.Take(cmd.Flags().Args())); err != nil {
		t.Fatal(err)
	}
	return (&app{}).driven(cmd, &u, false)
}

// The command that continues reaches the same groups, in the same way.
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
	if got, want := u.Line.Command("abort", "web"), `drainboard abort web --control-kubeconfig '/my files/it'\''s' --control-namespace shoot--a--b`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Each command parses what any other one may suggest with any of its flags given: no suggested
// command has a flag that it lacks.
func TestSuggestedCommandsParse(t *testing.T) {
	parsing := newRoot(nil, io.Discard, io.Discard)
	commands := newRoot(nil, io.Discard, io.Discard).Commands()
	suggested := 0
	for _, from := range commands {
		from.Flags().AddFlagSet(from.InheritedFlags())
		var names []string
		from.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		for _, name := range names {
			given := newRoot(nil, io.Discard, io.Discard)
			cmd, _, err := given.Find([]string{from.Name()})
			if err != nil {
				t.Fatal(err)
			}
			setSomehow(t, cmd, name)
			line := flags.CommandLineOf(cmd)
			all := []string{line.Repeat("web")}
			for _, verb := range commands {
				all = append(all, line.Command(verb.Name(), "web"))
			}
			for _, one := range all {
				words := strings.Fields(one)[1:]
				to, rest, err := parsing.Find(words)
				if err == nil {
					err = to.ParseFlags(rest)
				}
				if suggested++; err != nil {
					t.Errorf("%s --%s suggests %s: %v", from.Name(), name, one, err)
				}
			}
		}
	}
	t.Logf("%d commands", suggested)
	// Flags that a command has are not lost.
	if u := asGiven(t, "web", "--cluster-name", "k", "--context", "prod"); u.Line.Command("abort", "web") != "drainboard abort web --cluster-name k --context prod" {
		t.Error(u.Line.Command("abort", "web"))
	}
}

// setSomehow gives a flag the first of some values that it takes.
func setSomehow(t *testing.T, cmd *cobra.Command, name string) {
	t.Helper()
	cmd.InheritedFlags() // so that Flags has those of the root
	if err := cmd.ParseFlags(nil); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc([]string{"true", "7s", "3", "25%", "a", "a=b", "before:a", "asg"}, func(value string) bool { return cmd.Flags().Set(name, value) == nil }) {
		t.Errorf("%s --%s takes none of the values of this test", cmd.Name(), name)
	}
}
