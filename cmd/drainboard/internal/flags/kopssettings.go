package flags

import (
	"fmt"
	"maps"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kops"
)

// kopsSettingsAt returns the settings of the strategy kops for a group of some role, whose
// rolling update settings are those of the state store.
func (f *Roll) kopsSettingsAt(cmd *cobra.Command, rules engine.Strategy, auto bool, role world.Role, said kops.RollingUpdate) (record.Settings, error) {
	base, given := rules.Defaults(), *f
	base.MaxSurge, base.MaxUnavailable, base.KeepOld = said.MaxSurge, said.MaxUnavailable, said.KeepOld
	for flag, origin := range said.Origin {
		if origin != kopsDefault {
			base.Origin[flag] = origin
		}
	}
	if role == world.RoleControlPlane {
		if err := given.controlPlane(&base, &said); err != nil {
			return base, err
		}
	}
	from := maps.Clone(base.Origin)
	s, err := given.over(cmd, rules, base, auto, session.User())
	if err != nil {
		return s, err
	}
	for flag, text := range map[string]string{"max-surge": given.maxSurge, "max-unavailable": given.maxUnavailable} {
		if text == "" && s.Origin[flag] == "flag" { // which was for the other groups
			s.Origin[flag] = from[flag]
		}
	}
	if err := given.kopsUnavailable(&s, said); err != nil {
		return s, err
	}
	if flag, interval := given.interval(role); cmd.Flags().Changed(flag) {
		s.Interval, s.Origin["interval"] = interval, "flag --"+flag
	}
	return s, nil
}

// controlPlane removes the surge from flags and state store settings: each machine is a member
// of etcd.
func (f *Roll) controlPlane(base *record.Settings, said *kops.RollingUpdate) error {
	if f.maxSurge != "" && f.maxSurge != "0" && !f.several {
		return fmt.Errorf("--max-surge: the control plane has no surge, each of its instances is a member of etcd")
	}
	f.maxSurge, base.MaxSurge = "", record.Amount{}
	base.Origin["max-surge"] = "kops: not for the control plane"
	if f.several && f.maxUnavailable == "0" { // meant for those that surge
		f.maxUnavailable, said.Origin = "", map[string]string{"max-unavailable": kopsDefault}
	}
	return nil
}

// kopsUnavailable sets how many nodes are replaced at once by default, and refuses values that
// roll no node.
func (f *Roll) kopsUnavailable(s *record.Settings, said kops.RollingUpdate) error {
	if said.Origin["max-unavailable"] == kopsDefault && f.maxUnavailable == "" && !f.interactive { // kops: pkg/instancegroups/settings.go
		s.MaxUnavailable = record.Amount{}
		if s.MaxSurge.N == 0 {
			s.MaxUnavailable.N = 1
		}
	}
	if s.CloudOnly && s.MaxUnavailable.N == 0 {
		if f.maxUnavailable != "" {
			return fmt.Errorf("max-unavailable 0 (%s): --cloudonly has no surge, so no instance could be replaced; use --max-unavailable 1", s.Origin["max-unavailable"])
		}
		// A spec that counts on its surge.
		s.MaxUnavailable, s.Origin["max-unavailable"] = record.Amount{N: 1}, "kops: at least one with --cloudonly"
	}
	if s.MaxSurge.N == 0 && s.MaxUnavailable.N == 0 && f.maxSurge == "" && f.maxUnavailable == "" {
		s.MaxUnavailable, s.Origin["max-unavailable"] = record.Amount{N: 1}, "kops: one at a time, for both amounts are 0"
	}
	if s.MaxSurge.N == 0 && s.MaxUnavailable.N == 0 {
		return fmt.Errorf("max-surge 0 (%s) and max-unavailable 0 (%s): no node could ever start; --max-unavailable 1 rolls one node at a time, as kops does", s.Origin["max-surge"], s.Origin["max-unavailable"])
	}
	return nil
}

// kopsDefault is the origin of a setting that neither a flag nor the state store has.
const kopsDefault = "kops"
