package flags

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
)

// parse makes settings from a command line.
func parse(t *testing.T, auto bool, args ...string) (record.Settings, error) {
	t.Helper()
	return parseFor(t, strategy.EKS{}, auto, args...)
}

// parseFor makes settings for a strategy.
func parseFor(t *testing.T, rules engine.Strategy, auto bool, args ...string) (record.Settings, error) {
	t.Helper()
	var f Roll
	cmd := &cobra.Command{Use: "x", Run: func(*cobra.Command, []string) {}}
	f.Add(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		return record.Settings{}, err
	}
	return f.settings(cmd, rules, auto, "ann@laptop")
}

func TestSettingsDefaultsAreEKS(t *testing.T) {
	s, err := parse(t, false)
	if err != nil {
		t.Fatal(err)
	}
	if s.MaxUnavailable.String() != "1" || s.DrainTimeout != 15*time.Minute || s.Settle != time.Minute || s.OnDrainTimeout != record.TimeoutFail || s.Approve != record.ApproveBatch {
		t.Errorf("defaults are not EKS's: %+v", s)
	}
	if got := s.Origin["drain-timeout"]; got != "EKS: 15 minutes" {
		t.Errorf("origin of the drain timeout: %q", got)
	}
}

func TestSettingsFromFlags(t *testing.T) {
	s, err := parse(t, true, "--max-unavailable", "25%", "--drain-timeout=3m", "--post-drain-wait=0", "--force", "--force-unmanaged", "--expect-label=team=web", "--expect-label=ready")
	if err != nil {
		t.Fatal(err)
	}
	if s.MaxUnavailable.String() != "25%" || s.DrainTimeout != 3*time.Minute || s.Settle != 0 || !s.Unmanaged || s.EmptyDir {
		t.Errorf("flags are not in the settings: %+v", s)
	}
	if s.Approve != record.ApproveNone || s.Origin["approve"] != "flag --auto" {
		t.Errorf("--auto asks for approval: %s (%s)", s.Approve, s.Origin["approve"])
	}
	if s.OnDrainTimeout != record.TimeoutForce || s.ForcedBy != "ann@laptop" || s.Origin["on-drain-timeout"] != "flag --force" {
		t.Errorf("--force: %s by %q (%s)", s.OnDrainTimeout, s.ForcedBy, s.Origin["on-drain-timeout"])
	}
	if s.NewLabels["team"] != "web" || s.NewLabels["ready"] != "" || len(s.NewLabels) != 2 {
		t.Errorf("labels: %v", s.NewLabels)
	}
}

func TestSettingsRefuseNonsense(t *testing.T) {
	for _, c := range []struct {
		args []string
		auto bool
		says string
	}{
		{[]string{"--max-unavailable", "none"}, false, `--max-unavailable: "none" is neither`},
		{[]string{"--max-unavailable", "0"}, false, "out of range"},
		{[]string{"--max-unavailable", "101"}, false, "out of range"},
		{[]string{"--max-unavailable", "101%"}, false, "neither"},
		{[]string{"--max-surge", "much"}, false, "neither a number of nodes nor a percentage (examples: 3, 25%), nor eks or fit"},
		{[]string{"--max-surge", "0"}, false, "--strategy eks-minimal has no surge"},
		{[]string{"--approve", "maybe"}, false, "not one of batch, canary, phase, none"},
		{[]string{"--approve", "batch"}, true, "--auto never prompts"},
		{[]string{"--approve", "canary"}, true, "--auto never prompts"},
		{[]string{"--approve", "phase"}, true, "--auto never prompts"},
		{[]string{"--canary-watch", "5m"}, false, "requires --approve canary, not batch"},
		{[]string{"--canary-watch", "5m"}, true, "requires --approve canary, not none"},
		{[]string{"--approve", "canary", "--canary-watch", "0s"}, false, "too short"},
		{[]string{"--unreachable-after", "0s"}, false, "too short"},
		{[]string{"--approve", "canary", "--batch-size", "3"}, false, "requires --approve batch, not canary"},
		{[]string{"--batch-size", "3"}, true, "requires --approve batch, not none"},
		{[]string{"--order", "biggest"}, false, "not one of random, oldest, newest, name, fewest-blockers"},
		{[]string{"--order", "random,name"}, false, "what follows it (name) has no effect"},
		{[]string{"--order", "name,name"}, false, "twice"},
		{[]string{"--order", "oldest,newest"}, false, "contradict"},
		{[]string{"--order", "name,"}, false, "empty"},
		{[]string{"--unreachable", "panic"}, false, "not one of wait, terminate, fail"},
		{[]string{"--max-failed-nodes", "-1"}, false, "negative"},
		{[]string{"--until", "yesterday"}, false, "is not a time"},
		{[]string{"--until", "2001-01-01 05:00"}, false, "in the past"},
		{[]string{"--on-drain-timeout", "explode"}, false, "not one of fail, skip, force, wait"},
		{[]string{"--force", "--on-drain-timeout", "wait"}, false, "contradict"},
		{[]string{"--drain-timeout", "0s"}, false, "too short"},
		{[]string{"--post-drain-wait", "-5s"}, false, "too short"},
		{[]string{"--batch-size", "0"}, false, "too small"},
		{[]string{"--launch-template-version", "3", "--ami", "ami-1"}, false, "both set the target"},
		{[]string{"--provider", "asg", "--kubernetes-version", "1.32"}, false, "groups that EKS manages"},
		{[]string{"--expect-label", "=x"}, false, "no key"},
	} {
		_, err := parse(t, c.auto, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.args, err, c.says)
		}
	}
}

func TestSettingsOfTheSequence(t *testing.T) {
	s, err := parse(t, false, "--approve", "canary", "--canary-watch", "5m", "--order", "fewest-blockers,oldest", "--unreachable", "terminate", "--max-failed-nodes", "2", "--until", "2100-01-01T05:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	if s.Approve != record.ApproveCanary || s.CanaryWatch != 5*time.Minute || s.Unreachable != record.UnreachableTerminate || s.MaxFailedNodes != 2 || s.Until.Year() != 2100 {
		t.Errorf("flags are not in the settings: %+v", s)
	}
	if len(s.Order) != 2 || s.Order[0] != record.OrderFewestBlockers || s.Order[1] != record.OrderOldest {
		t.Errorf("order: %v", s.Order)
	}
	for flag, want := range map[string]string{"order": "flag", "until": "flag", "only": "Drainboard", "drain-timeout": "EKS: 15 minutes", "seed": "chosen at random", "strategy": "the provider's default"} {
		if s.Origin[flag] != want {
			t.Errorf("origin of %s: %q, want %q", flag, s.Origin[flag], want)
		}
	}
}

// EKS's rules take a surge by need or by number; the flag is shown as it was given.
func TestSurgeOfEKS(t *testing.T) {
	for given, want := range map[string]record.Settings{
		"":    {},
		"eks": {},
		"fit": {Surge: record.SurgeFit},
		"3":   {Surge: record.SurgeAmount, MaxSurge: record.Amount{N: 3}},
		"25%": {Surge: record.SurgeAmount, MaxSurge: record.Amount{N: 25, Percent: true}},
	} {
		var args []string
		if given != "" {
			args = []string{"--max-surge", given}
		}
		s, err := parseFor(t, strategy.EKS{}, false, args...)
		if err != nil || s.Surge != want.Surge || s.MaxSurge != want.MaxSurge || s.SurgeText() != cmp.Or(given, "eks") {
			t.Errorf("%q: %q %v, shown as %s: %v", given, s.Surge, s.MaxSurge, s.SurgeText(), err)
		}
		if origin := s.Origin["max-surge"]; (origin == "flag") != (given != "") {
			t.Errorf("%q: from %s", given, origin)
		}
	}
}

// What a strategy has no use for is refused with the reason, and what it has none
// of by default may be asked of it.
func TestSettingsOfStrategies(t *testing.T) {
	for _, c := range []struct {
		rules engine.Strategy
		args  []string
		says  string // "" when it is honoured
		wait  time.Duration
	}{
		{strategy.EKS{}, []string{"--max-surge", "2"}, "", time.Minute},
		{strategy.EKSMinimal{}, []string{"--max-surge", "fit"}, "has no surge", 0},
		{strategy.EKSMinimal{}, []string{"--max-surge", "2"}, "has no surge, old nodes are terminated before", 0},
		{strategy.EKS{}, nil, "", time.Minute},
		{strategy.EKSMinimal{}, nil, "", 0},
		{strategy.EKSMinimal{}, []string{"--post-drain-wait", "30s"}, "", 30 * time.Second},
	} {
		s, err := parseFor(t, c.rules, false, c.args...)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s %v: %v, want %q", c.rules.Name(), c.args, err, c.says)
		}
		if c.says == "" && s.Settle != c.wait {
			t.Errorf("%s %v: waits %s after a drain, want %s", c.rules.Name(), c.args, s.Settle, c.wait)
		}
	}
	for _, name := range strategy.Names() {
		if about := strategy.About(name); about == "" || strings.Contains(strategies(), name+" ("+about+")") == (strategy.Simulated(name) || strategy.Watched(name)) {
			t.Errorf("the help does not say what %s does", name)
		}
	}
}
