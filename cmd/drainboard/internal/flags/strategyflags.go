package flags

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/kops"
)

// Rules returns the strategy and settings that the flags ask for, before the group is known.
// Flags that no strategy of the provider supports are refused before anything is connected to.
func (f *Roll) Rules(cmd *cobra.Command, auto bool) (engine.Strategy, record.Settings, error) {
	where, err := f.Where.Fill()
	if err != nil {
		return nil, record.Settings{}, err
	}
	names := []string{"eks", present.StrategyKops}
	switch {
	case f.strategy != "":
		names = []string{f.strategy}
	case where.CloudOnly, where.Provider == backend.Kops:
		names = []string{present.StrategyKops}
	case where.Provider == backend.Gardener, where.AsksForPools():
		names = present.PoolStrategies
	case where.Provider == asg.Provider, where.Provider == backend.EKSManaged:
		names = []string{"eks"}
	}
	for _, name := range names {
		rules, settings, e := f.rulesOf(cmd, name, auto)
		if e == nil {
			return rules, settings, nil
		}
		err = cmp.Or(err, e)
	}
	return nil, record.Settings{}, err
}

func (f *Roll) rulesOf(cmd *cobra.Command, name string, auto bool) (engine.Strategy, record.Settings, error) {
	rules, err := strategy.Named(name)
	switch {
	case err != nil:
		return nil, record.Settings{}, fmt.Errorf("--strategy: there is no strategy %q; choose one of %s", name, strings.Join(OfferedStrategies(), ", "))
	case strategy.Simulated(name):
		return nil, record.Settings{}, fmt.Errorf("--strategy: only the simulator has groups for %s; see it with drainboard demo --scenario inplace, and choose one of %s", name, strings.Join(OfferedStrategies(), ", "))
	case strategy.Watched(name):
		return nil, record.Settings{}, fmt.Errorf("--strategy: %s is EKS's own update of a managed node group, which drainboard watch follows; choose one of %s", name, strings.Join(OfferedStrategies(), ", "))
	}
	settings, err := f.settings(cmd, rules, auto, session.User())
	return rules, settings, err
}

// asked has what the flags ask of a run. It implements backend.Asked.
type asked struct {
	*Roll
	cmd  *cobra.Command
	auto bool
}

var _ backend.Asked = asked{}

func (a asked) Settings(rules engine.Strategy) (record.Settings, error) {
	for _, o := range KopsOnly {
		if o.validates && a.cmd.Flags().Changed(o.Flag) && rules.Capabilities().ValidatesWhereSet {
			return record.Settings{}, fmt.Errorf("--%s: only a cluster of kops is validated, and the group is none of kops's", o.Flag)
		}
	}
	return a.settings(a.cmd, rules, a.auto, session.User())
}

func (a asked) ValidatedSettings(rules engine.Strategy, role world.Role) (record.Settings, error) {
	s, err := a.over(a.cmd, rules, strategy.AsKops(rules.Defaults()), a.auto, session.User())
	if err != nil {
		return s, err
	}
	if flag, interval := a.interval(role); a.cmd.Flags().Changed(flag) {
		s.Interval, s.Origin["interval"] = interval, "flag --"+flag
	}
	return s, nil
}

func (a asked) KopsSettings(rules engine.Strategy, role world.Role, said kops.RollingUpdate) (record.Settings, error) {
	return a.kopsSettingsAt(a.cmd, rules, a.auto, role, said)
}

func (a asked) NewTarget() bool { return a.ami != "" || a.templateVersion != "" }

func (a asked) Update() record.UpdateRequest {
	u := record.UpdateRequest{Kubernetes: a.kubernetesVersion, Release: a.releaseVersion, TemplateVersion: a.templateVersion, Retry: a.retry}
	u.Config.Strategy = strings.ToUpper(a.updateStrategy)
	if a.helpAlong {
		u.HelpAlong, u.HelpedBy = true, session.User()
	}
	if n, err := record.ParseAmount(a.maxUnavailable); err == nil && a.maxUnavailable != "" {
		u.Config.MaxUnavailable = n.String()
	}
	return u
}

// Request returns what the flags ask for.
func (f *Roll) Request(cmd *cobra.Command, auto bool) planner.Request {
	return planner.Request{
		Hooks: f.Hooks, Flags: asked{f, cmd, auto}, Strategy: f.strategy, NewTarget: asg.TargetOptions{TemplateVersion: f.templateVersion, AMI: f.ami},
		Only: f.only, AllNodes: f.allNodes, Seed: f.seed, Line: CommandLineOf(cmd),
	}
}
