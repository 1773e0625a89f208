package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// scope is which groups an upgrade or a plan is of, and how several follow each other.
type scope struct {
	all            bool
	named          []string // GROUP... and --instance-group, each once
	instanceGroups []string
	roles          []string
	keepGoing      bool
	bastionsAtOnce bool
}

// scopeFlagNames are flags that make no run's settings.
var scopeFlagNames = []string{"all", "instance-group", "instance-group-roles", "keep-going", "bastions-at-once"}

func (s *scope) addScope(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&s.all, "all", false, "all groups, one after the other in their provider's order")
	fl.StringSliceVar(&s.instanceGroups, "instance-group", nil, "groups by name, as kops has it: the same as to name each GROUP")
	fl.StringSliceVar(&s.roles, "instance-group-roles", nil, "only groups of these roles: bastion, control-plane (or master), apiserver, node")
	fl.BoolVar(&s.keepGoing, "keep-going", false, "several groups: after one that ended in an error go on with the others (not after an abort or a pause)")
	fl.BoolVar(&s.bastionsAtOnce, "bastions-at-once", false, "kops: groups of bastions side by side, as kops's code has it (default: one at a time, as its documentation has it)")
}

// nothing reports whether no group is asked for.
func (s *scope) nothing(args []string) bool {
	return !s.all && len(args)+len(s.instanceGroups)+len(s.roles) == 0
}

// take settles which groups are named, and refuses what contradicts itself.
func (s *scope) take(args []string) error {
	s.named = nil
	for _, name := range slices.Concat(args, s.instanceGroups) {
		if name = strings.TrimSpace(name); name == "" {
			return exitcode.Usage(errors.New("the name of a group is empty"))
		}
		if !slices.Contains(s.named, name) {
			s.named = append(s.named, name)
		}
	}
	switch {
	case s.all && len(s.named) > 0:
		return exitcode.Usage(fmt.Errorf("--all is every group, so %s need not be named: leave one of the two out", strings.Join(s.named, ", ")))
	case !s.all && len(s.named) == 0 && len(s.roles) == 0:
		return exitcode.Usage(errors.New("name a GROUP, or give --all; drainboard groups lists them"))
	}
	for _, r := range s.roles {
		if _, err := parseRole(r); err != nil {
			return exitcode.Usage(err)
		}
	}
	return nil
}

// isRoll reports whether it is a roll: of any group that is not simply the one that was
// named.
func (s *scope) isRoll() bool { return s.all || len(s.roles) > 0 || len(s.named) > 1 }

// names reports whether a group is named, by what people call it or by its own name.
func (s *scope) names(g present.GroupRow) bool {
	return slices.Contains(s.named, g.Called()) || slices.Contains(s.named, g.Name)
}

// again is the command that rolls the same groups in the same way.
func (s *scope) again(line present.CommandLine) string {
	words := slices.Clone(s.named)
	if s.all {
		words = append(words, "--all")
	}
	if len(s.roles) > 0 {
		words = append(words, "--instance-group-roles", strings.Join(s.roles, ","))
	}
	return line.Repeat(words...)
}

// parseRole reads a role as kops does (pkg/apis/kops/parse.go, ParseInstanceGroupRole):
// in any case, plural too, and master for the control plane.
func parseRole(text string) (world.Role, error) {
	role := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text)), "s")
	switch role {
	case "controlplane", "master":
		role = string(world.RoleControlPlane)
	case "api-server":
		role = string(world.RoleAPIServer)
	}
	all := []string{string(world.RoleBastion), string(world.RoleControlPlane), string(world.RoleAPIServer), string(world.RoleNode)}
	if !slices.Contains(all, role) {
		return "", fmt.Errorf("--instance-group-roles: %q is none of %s (master is control-plane)", text, strings.Join(all, ", "))
	}
	return world.Role(role), nil
}

// choose picks the groups of the roll among those that there are.
func (s *scope) choose(rows []present.GroupRow) ([]present.GroupRow, error) {
	var names, unknown []string
	for _, g := range rows {
		names = append(names, g.Called())
	}
	for _, name := range s.named {
		if !slices.ContainsFunc(rows, func(g present.GroupRow) bool { return g.Called() == name || g.Name == name }) {
			unknown = append(unknown, name)
		}
	}
	switch {
	case len(rows) == 0:
		return nil, exitcode.Usage(errors.New("no group owns a node of this cluster"))
	case len(unknown) > 0:
		return nil, exitcode.Usage(fmt.Errorf("there is no group %s; the groups are %s", strings.Join(unknown, ", "), strings.Join(names, ", ")))
	}
	var roles []world.Role
	for _, text := range s.roles {
		role, err := parseRole(text)
		if err != nil {
			return nil, exitcode.Usage(err)
		}
		roles = append(roles, role)
	}
	there := map[world.Role]bool{}
	var out []present.GroupRow
	for _, g := range rows {
		there[g.Role] = true
		if (len(s.named) == 0 || s.names(g)) && (len(roles) == 0 || slices.Contains(roles, g.Role)) {
			out = append(out, g)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	var have []string
	for role := range there {
		if role != "" {
			have = append(have, string(role))
		}
	}
	if slices.Sort(have); len(have) == 0 {
		return nil, exitcode.Usage(errors.New("--instance-group-roles: these groups have no roles, which are of kops's instance groups; name them, or give --all"))
	}
	if len(s.named) > 0 {
		return nil, exitcode.Usage(fmt.Errorf("none of %s has role %s", strings.Join(s.named, ", "), strings.Join(s.roles, ", ")))
	}
	return nil, exitcode.Usage(fmt.Errorf("no group has role %s; there are %s", strings.Join(s.roles, ", "), strings.Join(have, ", ")))
}

// rollRules are the order and the stop rules for groups: their provider's.
func (s *scope) rollRules(rows []present.GroupRow) (roll.Rules, error) {
	rules := strategy.RollByName()
	kops := slices.ContainsFunc(rows, func(g present.GroupRow) bool { return g.Role != "" })
	if kops {
		rules = strategy.RollKops(s.bastionsAtOnce)
	}
	switch {
	case s.bastionsAtOnce && !kops:
		return rules, exitcode.Usage(errors.New("--bastions-at-once is for kops's instance groups: these have no bastions"))
	case s.keepGoing && rules.Fixed != "":
		return rules, exitcode.Usage(errors.New("--keep-going: " + rules.Fixed))
	case s.keepGoing:
		rules = rules.KeepGoing()
		rules.About = "by name, one group at a time; errors do not stop the groups after it (--keep-going)"
	}
	return rules, nil
}

// fitsSeveral refuses what is for one group only; what one of several cannot honour is
// left out there from now on.
func (f *rollFlags) fitsSeveral(cmd *cobra.Command) error {
	f.several = true
	for _, c := range []struct {
		flag, why string
		is        bool
	}{
		{"only", "its nodes are of one group: name that", len(f.only) > 0},
		{"launch-template-version", "a number means another thing in each group: give $Latest or $Default, or one GROUP", f.templateVersion != "" && !strings.HasPrefix(f.templateVersion, "$")},
		{"record", "what becomes of a record is decided for one GROUP", cmd.Flags().Lookup("record") != nil && cmd.Flags().Changed("record")},
	} {
		if c.is {
			return exitcode.Usage(fmt.Errorf("--%s is not for several groups: %s", c.flag, c.why))
		}
	}
	return nil
}
