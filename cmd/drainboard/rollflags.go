package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
)

// scopeFlagNames are flags that make no run's settings.
var scopeFlagNames = []string{"all", "instance-group", "instance-group-roles", "keep-going", "bastions-at-once"}

// addScope has the flags on a command that say which groups it is of.
func addScope(cmd *cobra.Command, s *planner.Scope) {
	fl := cmd.Flags()
	fl.BoolVar(&s.All, "all", false, "all groups, one after the other in their provider's order")
	fl.StringSliceVar(&s.InstanceGroups, "instance-group", nil, "groups by name, as kops has it: the same as to name each GROUP")
	fl.StringSliceVar(&s.Roles, "instance-group-roles", nil, "only groups of these roles: bastion, control-plane (or master), apiserver, node")
	fl.BoolVar(&s.KeepGoing, "keep-going", false, "several groups: after one that ended in an error go on with the others (not after an abort or a pause)")
	fl.BoolVar(&s.BastionsAtOnce, "bastions-at-once", false, "kops: groups of bastions side by side, as kops's code has it (default: one at a time, as its documentation has it)")
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
