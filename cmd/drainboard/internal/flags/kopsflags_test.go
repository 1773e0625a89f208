package flags

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kops"
)

// kopsRules are the rules of kops.
func kopsRules(t *testing.T) engine.Strategy {
	t.Helper()
	rules, err := strategy.Named(present.StrategyKops)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// silent is what a state store that is not known says.
func silent() kops.RollingUpdate {
	return kops.RollingUpdate{MaxSurge: record.Amount{N: 1}, Origin: map[string]string{"max-surge": "kops", "max-unavailable": "kops", "drain-and-terminate": "kops"}}
}

// specced is what two specs say.
func specced() kops.RollingUpdate {
	return kops.RollingUpdate{
		MaxSurge: record.Amount{N: 25, Percent: true}, MaxUnavailable: record.Amount{N: 2}, KeepOld: true,
		Origin: map[string]string{"max-surge": "InstanceGroup nodes", "max-unavailable": "Cluster k8s.example.com", "drain-and-terminate": "InstanceGroup nodes"},
	}
}

// surging is what specs say that replace machines by new ones only.
func surging() kops.RollingUpdate {
	said := specced()
	said.MaxUnavailable = record.Amount{}
	return said
}

// kopsParse makes settings for a group of kops from a command line.
func kopsParse(t *testing.T, role world.Role, said kops.RollingUpdate, several bool, args ...string) (record.Settings, error) {
	t.Helper()
	var f Roll
	cmd := &cobra.Command{Use: "x", Run: func(*cobra.Command, []string) {}}
	f.Add(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		return record.Settings{}, err
	}
	f.several = several
	return f.kopsSettingsAt(cmd, kopsRules(t), false, role, said)
}

func TestKopsDefaults(t *testing.T) {
	s, err := kopsParse(t, world.RoleNode, silent(), false)
	if err != nil {
		t.Fatal(err)
	}
	// kops: cmd/kops/rolling-update_cluster.go, InitDefaults and RunRollingUpdateCluster
	if s.MaxSurge.String() != "1" || s.MaxUnavailable.String() != "0" || s.Settle != 5*time.Second || s.Interval != 15*time.Second || s.DrainTimeout != 15*time.Minute {
		t.Errorf("not kops's defaults: %+v", s)
	}
	if s.ValidateCount != 2 || s.ValidateTimeout != 15*time.Minute || s.ValidateRetry != 30*time.Second || s.ValidatePause != 10*time.Second || s.PassInvalid || s.PassDrain {
		t.Errorf("not kops's validation: %+v", s)
	}
	if !s.Unmanaged || !s.EmptyDir {
		t.Errorf("kops drains unmanaged pods, and emptyDir: %+v", s)
	}
	for _, row := range present.Settings {
		if row.Of(present.StrategyKops) && s.Origin[row.Flag] == "" {
			t.Errorf("%s has no origin", row.Flag)
		}
	}
}

// A flag wins over the specs, and these over kops's defaults.
func TestKopsFlagsWinOverSpecs(t *testing.T) {
	origin := kopsRules(t).Defaults().Origin
	bySurge, byUnavailable := origin["max-surge"], origin["max-unavailable"]
	for _, c := range []struct {
		name               string
		role               world.Role
		said               kops.RollingUpdate
		several            bool
		args               []string
		surge, unavailable string
		from               string // of the surge, and of the unavailable
	}{
		{"nothing said", world.RoleNode, silent(), false, nil, "1", "0", bySurge + ", " + byUnavailable},
		{"specs", world.RoleNode, specced(), false, nil, "25%", "2", "InstanceGroup nodes, Cluster k8s.example.com"},
		{"a flag beside specs", world.RoleNode, specced(), false, []string{"--max-surge", "3"}, "3", "2", "flag, Cluster k8s.example.com"},
		{"no surge makes one unavailable", world.RoleNode, silent(), false, []string{"--max-surge", "0"}, "0", "1", "flag, " + byUnavailable},
		{"a percentage", world.RoleNode, silent(), false, []string{"--max-unavailable", "25%"}, "1", "25%", bySurge + ", flag"},
		{"surge and nothing unavailable", world.RoleNode, silent(), false, []string{"--max-surge=2", "--max-unavailable=0"}, "2", "0", "flag, flag"},
		{"the control plane", world.RoleControlPlane, silent(), false, nil, "0", "1", "kops: not for the control plane, " + byUnavailable},
		{"the control plane among others", world.RoleControlPlane, silent(), true, []string{"--max-surge=2", "--max-unavailable=0"}, "0", "1", "kops: not for the control plane, " + byUnavailable},
		{"without Kubernetes", world.RoleNode, silent(), false, []string{"--cloudonly"}, "0", "1", "kops: none with --cloudonly, " + byUnavailable},
		{"without Kubernetes, specs", world.RoleNode, specced(), false, []string{"--cloudonly"}, "0", "2", "kops: none with --cloudonly, Cluster k8s.example.com"},
		{"without Kubernetes, specs that count on their surge", world.RoleNode, surging(), false, []string{"--cloudonly"}, "0", "1", "kops: none with --cloudonly, kops: at least one with --cloudonly"},
		{"without Kubernetes, no surge", world.RoleNode, specced(), false, []string{"--cloudonly", "--max-surge=0", "--max-unavailable=3"}, "0", "3", "flag, flag"},
		{"one by one, said twice", world.RoleNode, silent(), false, []string{"-i", "--max-surge=1", "--max-unavailable=0"}, "1", "0", "flag --interactive, flag --interactive"},
		{"one by one", world.RoleNode, specced(), false, []string{"-i"}, "1", "0", "flag --interactive, flag --interactive"},
		{"one by one, control plane", world.RoleControlPlane, silent(), false, []string{"--interactive"}, "0", "1", "flag --interactive, flag --interactive"},
	} {
		s, err := kopsParse(t, c.role, c.said, c.several, c.args...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := s.Origin["max-surge"] + ", " + s.Origin["max-unavailable"]; s.MaxSurge.String() != c.surge || s.MaxUnavailable.String() != c.unavailable || got != c.from {
			t.Errorf("%s: surge %s, unavailable %s (%s); want %s, %s (%s)", c.name, s.MaxSurge, s.MaxUnavailable, got, c.surge, c.unavailable, c.from)
		}
	}
	if s, err := kopsParse(t, world.RoleNode, specced(), false, "--drain-and-terminate"); err != nil || s.KeepOld || s.Origin["drain-and-terminate"] != "flag" {
		t.Errorf("drainAndTerminate: %v (%s), %v", s.KeepOld, s.Origin["drain-and-terminate"], err)
	}
	none := specced()
	none.MaxSurge, none.MaxUnavailable = record.Amount{}, record.Amount{}
	if s, err := kopsParse(t, world.RoleNode, none, false); err != nil || s.MaxSurge.N != 0 || s.MaxUnavailable != (record.Amount{N: 1}) || s.Origin["max-unavailable"] != "kops: one at a time, for both amounts are 0" {
		t.Errorf("both amounts 0: %s, %s (%s), %v", s.MaxSurge, s.MaxUnavailable, s.Origin["max-unavailable"], err)
	}
	if _, err := kopsParse(t, world.RoleNode, none, false, "--max-unavailable=0"); err == nil || !strings.Contains(err.Error(), "no node could ever start") {
		t.Errorf("both amounts 0, and one by a flag: %v", err)
	}
	if _, err := kopsParse(t, world.RoleControlPlane, silent(), false, "--max-surge", "1"); err == nil || !strings.Contains(err.Error(), "the control plane has no surge") {
		t.Errorf("a surge of the control plane: %v", err)
	}
}

// Each role has its own wait after a termination, and flags go by kops's names, too.
func TestKopsNames(t *testing.T) {
	args := []string{"--bastion-interval=1s", "--master-interval=2s", "--node-interval=3s", "--post-drain-delay=7s", "--name=k8s.example.com",
		"--validate-count=3", "--validation-timeout=4m", "--validate-retry=20s", "--validate-pause=5s", "--fail-on-validate-error=false", "--fail-on-drain-error=false", "--deregister-limit=1m"}
	for role, want := range map[world.Role]time.Duration{world.RoleBastion: time.Second, world.RoleControlPlane: 2 * time.Second, world.RoleNode: 3 * time.Second, world.RoleAPIServer: 3 * time.Second} {
		s, err := kopsParse(t, role, silent(), false, args...)
		if err != nil {
			t.Fatal(err)
		}
		if s.Interval != want || !strings.HasPrefix(s.Origin["interval"], "flag --") {
			t.Errorf("%s: %s (%s), want %s", role, s.Interval, s.Origin["interval"], want)
		}
		if s.Settle != 7*time.Second || s.ValidateCount != 3 || s.ValidateTimeout != 4*time.Minute || s.ValidateRetry != 20*time.Second || s.ValidatePause != 5*time.Second || !s.PassInvalid || !s.PassDrain || s.DeregisterLimit != time.Minute {
			t.Errorf("%s: %+v", role, s)
		}
	}
	if s, err := kopsParse(t, world.RoleNode, silent(), false, "-i"); err != nil || s.Approve != record.ApproveBatch || s.BatchSize != 1 {
		t.Errorf("-i: %+v, %v", s, err)
	}
}

// Groups and roles go by the names that kops takes for its flags.
func TestKopsNamesOfGroups(t *testing.T) {
	for _, c := range [][2]string{
		{"--ig=a,b --instance-groups=c", "a b c"},
		{"--role=node", "--instance-group-roles node"},
		{"--roles=node,bastion", "--instance-group-roles node,bastion"},
		{"--instance-group-role=node", "--instance-group-roles node"},
	} {
		var s planner.Scope
		var f Roll
		cmd := &cobra.Command{Use: "x"}
		AddScope(cmd, &s)
		f.Add(cmd)
		if err := errors.Join(cmd.ParseFlags(strings.Fields(c[0])), s.Take(nil)); err != nil || !strings.HasSuffix(s.Again(present.CommandLine{}), " "+c[1]) {
			t.Errorf("%s: %v, %s", c[0], err, s.Again(present.CommandLine{}))
		}
	}
}

// What the other strategies cannot honour is refused with the reason, and so is what kops's
// cannot.
func TestKopsRefusals(t *testing.T) {
	given := map[string]string{"validate-count": "3", "fail-on-validate-error": "false", "fail-on-drain-error": "false", "drain-and-terminate": "false", "allow-quorum-loss": "true"}
	for _, o := range KopsOnly {
		value := given[o.Flag]
		if value == "" {
			value = "20s"
		}
		if _, err := parse(t, false, "--"+o.Flag+"="+value); err == nil || !strings.Contains(err.Error(), "--"+o.Flag+": the eks strategy "+o.why) {
			t.Errorf("--%s: %v", o.Flag, err)
		}
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--force"}, "(use --all-nodes)"},
		{[]string{"--validate-count", "0"}, "too small"},
		{[]string{"--validation-timeout", "0s"}, "too short"},
		{[]string{"--node-interval", "-1s"}, "too short"},
		{[]string{"--max-surge", "some"}, "neither"},
		{[]string{"--max-surge=0", "--max-unavailable=0"}, "no node could ever start"},
		{[]string{"--fail-on-drain-error=false", "--on-drain-timeout=skip"}, "both set what a failed drain means"},
		{[]string{"-i", "--approve=phase"}, "contradict"},
		{[]string{"-i", "--batch-size=2"}, "contradict"},
		{[]string{"-i", "--max-unavailable=3"}, "--interactive and --max-unavailable 3 contradict"},
		{[]string{"-i", "--max-unavailable=50%"}, "contradict"},
		{[]string{"-i", "--max-surge=2"}, "--interactive and --max-surge 2 contradict"},
		{[]string{"--cloudonly", "--max-surge=1", "--max-unavailable=0"}, "--max-surge 1: not possible with --cloudonly"},
		{[]string{"--cloudonly", "--max-surge=25%"}, "not possible with --cloudonly"},
		{[]string{"--cloudonly", "--max-unavailable=0"}, "no instance could be replaced"},
		{[]string{"--cloudonly", "-i", "--max-unavailable=0"}, "contradict"},
	} {
		if _, err := kopsParse(t, world.RoleNode, silent(), false, c.args...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.args, err, c.says)
		}
	}
	if _, err := parseFor(t, kopsRules(t), true, "-i"); err == nil || !strings.Contains(err.Error(), "--auto never prompts") {
		t.Errorf("-i with --auto: %v", err)
	}
}

// Before it is known whose group it is, only what no strategy could honour is refused.
func TestRulesBeforeTheGroupIsKnown(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string // "" when it may be honoured
	}{
		{[]string{"--max-surge", "2"}, ""}, // a group of kops may have it
		{[]string{"--max-surge", "2", "--provider", "asg"}, ""},
		{[]string{"--max-surge", "fit", "--provider", "kops"}, "neither a number of nodes nor a percentage"},
		{[]string{"--max-surge", "fit"}, ""}, // one of EKS's rules may
		{[]string{"--max-surge", "2", "--strategy", "eks"}, ""},
		{[]string{"--max-surge", "2", "--strategy", "eks-minimal"}, "has no surge"},
		{[]string{"--force"}, ""},
		{[]string{"--force", "--provider", "kops"}, "(use --all-nodes)"},
		{[]string{"--max-surge", "fit", "--force", "--provider", "kops"}, "neither a number"},
		{[]string{"--provider", "gke"}, "choose auto, asg, eks, kops or gardener"},
		{[]string{"--provider", "asg", "--state", "s3://x"}, "are for kops"},
	} {
		var f Roll
		cmd := &cobra.Command{Use: "x", Run: func(*cobra.Command, []string) {}}
		f.Add(cmd)
		if err := cmd.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		_, _, err := f.Rules(cmd, false)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v: %v, want %q", c.args, err, c.says)
		}
	}
}
