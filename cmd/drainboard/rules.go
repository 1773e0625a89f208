package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/kops"
)

// rules are the strategy and settings that the flags ask for, before it is known which
// group they are for: where that is nobody's in particular, those of any will do, and what
// none can honour is refused before anything is connected to.
func (f *rollFlags) rules(cmd *cobra.Command, auto bool) (engine.Strategy, record.Settings, error) {
	where, err := f.where.Fill()
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
	case where.Provider == asg.Provider:
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

func (f *rollFlags) rulesOf(cmd *cobra.Command, name string, auto bool) (engine.Strategy, record.Settings, error) {
	rules, err := strategy.Named(name)
	if err != nil {
		return nil, record.Settings{}, fmt.Errorf("--strategy: %w", err)
	}
	settings, err := f.settings(cmd, rules, auto, who())
	return rules, settings, err
}

// asked is what the flags ask of a run. It implements backend.Asked.
type asked struct {
	*rollFlags
	cmd  *cobra.Command
	auto bool
}

var _ backend.Asked = asked{}

func (a asked) Settings(rules engine.Strategy) (record.Settings, error) {
	return a.settings(a.cmd, rules, a.auto, who())
}

func (a asked) KopsSettings(rules engine.Strategy, role world.Role, said kops.RollingUpdate) (record.Settings, error) {
	return a.kopsSettingsAt(a.cmd, rules, a.auto, role, said)
}

func (a asked) NewTarget() bool { return a.ami != "" || a.templateVersion != "" }

// rulesAt are the strategy and settings for a group: the flags win over what its system says
// of it. What is to be said of where they come from is added to the place.
func (f *rollFlags) rulesAt(ctx context.Context, cmd *cobra.Command, auto bool, at *place) (engine.Strategy, record.Settings, error) {
	rules, err := strategy.Named(cmp.Or(f.strategy, at.Strategy()))
	if err != nil {
		return nil, record.Settings{}, fmt.Errorf("--strategy: %w", err)
	}
	if err := at.Fits(rules); err != nil {
		return nil, record.Settings{}, err
	}
	settings, notes, err := at.Settings(ctx, rules, asked{f, cmd, auto})
	at.notes = append(at.notes, notes...)
	return rules, settings, err
}

// kopsSettingsAt are the settings of the strategy kops for a group of some role, of which
// the state store says what it does.
func (f *rollFlags) kopsSettingsAt(cmd *cobra.Command, rules engine.Strategy, auto bool, role world.Role, said kops.RollingUpdate) (record.Settings, error) {
	base, given := rules.Defaults(), *f
	base.MaxSurge, base.MaxUnavailable, base.KeepOld = said.MaxSurge, said.MaxUnavailable, said.KeepOld
	for flag, origin := range said.Origin {
		if origin != kopsDefault {
			base.Origin[flag] = origin
		}
	}
	if role == world.RoleControlPlane {
		if given.maxSurge != "" && given.maxSurge != "0" && !given.several {
			return base, fmt.Errorf("--max-surge: the control plane has no surge, each machine of it belongs to a member of etcd")
		}
		given.maxSurge, base.MaxSurge = "", record.Amount{}
		base.Origin["max-surge"] = "kops: the control plane has none"
		if given.several && given.maxUnavailable == "0" { // said for those that surge
			given.maxUnavailable, said.Origin = "", map[string]string{"max-unavailable": kopsDefault}
		}
	}
	from := maps.Clone(base.Origin)
	s, err := given.over(cmd, rules, base, auto, who())
	if err != nil {
		return s, err
	}
	for flag, text := range map[string]string{"max-surge": given.maxSurge, "max-unavailable": given.maxUnavailable} {
		if text == "" && s.Origin[flag] == "flag" { // which was for the other groups
			s.Origin[flag] = from[flag]
		}
	}
	if said.Origin["max-unavailable"] == kopsDefault && given.maxUnavailable == "" && !given.interactive { // kops: pkg/instancegroups/settings.go
		s.MaxUnavailable = record.Amount{}
		if s.MaxSurge.N == 0 {
			s.MaxUnavailable.N = 1
		}
	}
	if s.CloudOnly && s.MaxUnavailable.N == 0 {
		if given.maxUnavailable != "" {
			return s, fmt.Errorf("max-unavailable 0 (%s): with --cloudonly nothing stands in for a machine that goes, so none could go; --max-unavailable 1 rolls the group", s.Origin["max-unavailable"])
		}
		// A spec that counts on its surge.
		s.MaxUnavailable, s.Origin["max-unavailable"] = record.Amount{N: 1}, "kops: one at least with --cloudonly"
	}
	if s.MaxSurge.N == 0 && s.MaxUnavailable.N == 0 {
		return s, fmt.Errorf("max-surge 0 (%s) and max-unavailable 0 (%s): kops does not roll such a group at all; --max-unavailable 1 rolls it", s.Origin["max-surge"], s.Origin["max-unavailable"])
	}
	if flag, interval := given.interval(role); cmd.Flags().Changed(flag) {
		s.Interval, s.Origin["interval"] = interval, "flag --"+flag
	}
	return s, nil
}

// kopsDefault is the origin of what neither a flag nor the state store says.
const kopsDefault = "kops"
