package planner

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/world"
)

// Scope selects the groups of an upgrade or a plan, and the rules for several.
type Scope struct {
	All            bool
	Named          []string // GROUP... and --instance-group, each once
	InstanceGroups []string
	Roles          []string
	KeepGoing      bool
	BastionsAtOnce bool
	// ManagedAtOnce is how many managed node groups EKS updates side by side; 0 is one.
	ManagedAtOnce int
}

// Nothing reports whether no group is selected.
func (s *Scope) Nothing(args []string) bool {
	return !s.All && len(args)+len(s.InstanceGroups)+len(s.Roles) == 0
}

// Take adds the named groups, and refuses contradictions.
func (s *Scope) Take(args []string) error {
	s.Named = nil
	for _, name := range slices.Concat(args, s.InstanceGroups) {
		if name = strings.TrimSpace(name); name == "" {
			return exitcode.Usage(errors.New("empty name of a group"))
		}
		if !slices.Contains(s.Named, name) {
			s.Named = append(s.Named, name)
		}
	}
	switch {
	case s.All && len(s.Named) > 0:
		return exitcode.Usage(fmt.Errorf("--all includes %s: give either --all or names", strings.Join(s.Named, ", ")))
	case s.ManagedAtOnce < 0:
		return exitcode.Usage(fmt.Errorf("--node-groups-at-once: %d is too small, the minimum is 1", s.ManagedAtOnce))
	case !s.All && len(s.Named) == 0 && len(s.Roles) == 0:
		return exitcode.Usage(errors.New("name a GROUP, or give --all (drainboard groups lists them)"))
	}
	for _, r := range s.Roles {
		if _, err := parseRole(r); err != nil {
			return exitcode.Usage(err)
		}
	}
	return nil
}

// IsRoll reports whether the scope is a roll: anything other than one named
// group.
func (s *Scope) IsRoll() bool { return s.All || len(s.Roles) > 0 || len(s.Named) > 1 }

// names reports whether a group is named, by its name on screen or its own name.
func (s *Scope) names(g present.GroupRow) bool {
	return slices.Contains(s.Named, g.Called()) || slices.Contains(s.Named, g.Name)
}

// Again returns the command that rolls the same groups in the same way.
func (s *Scope) Again(line present.CommandLine) string {
	words := slices.Clone(s.Named)
	if s.All {
		words = append(words, "--all")
	}
	if len(s.Roles) > 0 {
		words = append(words, "--instance-group-roles", strings.Join(s.Roles, ","))
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
		return "", fmt.Errorf("--instance-group-roles: %q is not one of %s (master is control-plane)", text, strings.Join(all, ", "))
	}
	return world.Role(role), nil
}

// Choose selects the groups of the roll among all groups.
func (s *Scope) Choose(rows []present.GroupRow) ([]present.GroupRow, error) {
	var names, unknown []string
	for _, g := range rows {
		names = append(names, g.Called())
	}
	for _, name := range s.Named {
		if !slices.ContainsFunc(rows, func(g present.GroupRow) bool { return g.Called() == name || g.Name == name }) {
			unknown = append(unknown, name)
		}
	}
	switch {
	case len(rows) == 0:
		return nil, exitcode.Usage(errors.New("no group owns a node of this cluster"))
	case len(unknown) > 0:
		return nil, exitcode.Usage(fmt.Errorf("unknown group %s; choose from %s", strings.Join(unknown, ", "), strings.Join(names, ", ")))
	}
	var roles []world.Role
	for _, text := range s.Roles {
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
		if (len(s.Named) == 0 || s.names(g)) && (len(roles) == 0 || slices.Contains(roles, g.Role)) {
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
		return nil, exitcode.Usage(errors.New("--instance-group-roles: only kops's instance groups have roles; name groups, or give --all"))
	}
	if len(s.Named) > 0 {
		return nil, exitcode.Usage(fmt.Errorf("none of %s has role %s", strings.Join(s.Named, ", "), strings.Join(s.Roles, ", ")))
	}
	return nil, exitcode.Usage(fmt.Errorf("no group has role %s; choose from %s", strings.Join(s.Roles, ", "), strings.Join(have, ", ")))
}

// Rules returns the order of the groups and when errors stop the roll: their provider's.
func (s *Scope) Rules(rows []present.GroupRow) (roll.Rules, error) {
	rules := strategy.RollByName()
	if slices.ContainsFunc(rows, func(g present.GroupRow) bool { return g.Managed != nil }) {
		rules = strategy.RollManaged(s.ManagedAtOnce)
	}
	kops := slices.ContainsFunc(rows, func(g present.GroupRow) bool { return g.Role != "" })
	if kops {
		rules = strategy.RollKops(s.BastionsAtOnce)
	}
	switch {
	case s.BastionsAtOnce && !kops:
		return rules, exitcode.Usage(errors.New("--bastions-at-once is for kops's instance groups: these groups have no bastions"))
	case s.ManagedAtOnce > 0 && !slices.ContainsFunc(rows, func(g present.GroupRow) bool { return g.Managed != nil }):
		return rules, exitcode.Usage(errors.New("--node-groups-at-once is for groups that EKS manages: none of these is one"))
	case s.KeepGoing && rules.Fixed != "":
		return rules, exitcode.Usage(errors.New("--keep-going: " + rules.Fixed))
	case s.KeepGoing:
		rules = rules.KeepGoing()
		rules.About = plans.KeepGoing(rules.About)
	}
	return rules, nil
}
