package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
)

// scopeFlagNames are flags that are no setting of a run.
var scopeFlagNames = []string{"all", "instance-group", "instance-group-roles", "keep-going", "bastions-at-once", "node-groups-at-once"}

// AddScope adds the flags to a command that select its groups.
func AddScope(cmd *cobra.Command, s *planner.Scope) {
	fl := cmd.Flags()
	fl.BoolVar(&s.All, "all", false, "all groups, one after the other in their provider's order")
	fl.StringSliceVar(&s.InstanceGroups, "instance-group", nil, "groups by name, as in kops: the same as naming each GROUP")
	fl.StringSliceVar(&s.Roles, "instance-group-roles", nil, "only groups of these roles: bastion, control-plane (or master), apiserver, node")
	fl.BoolVar(&s.KeepGoing, "keep-going", false, "several groups: continue with the others after one ended in an error (not after an abort or a pause)")
	fl.BoolVar(&s.BastionsAtOnce, "bastions-at-once", false, "kops: bastion groups side by side, as kops's code does (default: one at a time, as its documentation says)")
	fl.IntVar(&s.ManagedAtOnce, "node-groups-at-once", 0, "groups that EKS manages: how many of them are updated side by side (default 1)")
}

// FitsSeveral refuses flags that apply to one group only; a flag that one of several groups does
// not support is ignored for that group from now on.
func (f *Roll) FitsSeveral(cmd *cobra.Command) error {
	f.several = true
	for _, c := range []struct {
		flag, why string
		is        bool
	}{
		{"only", "a node belongs to one group, so name that GROUP", len(f.only) > 0},
		{"kubernetes-version", "EKS updates one node group by itself: name that GROUP", f.kubernetesVersion != ""},
		{"release-version", "EKS updates one node group by itself: name that GROUP", f.releaseVersion != ""},
		{"launch-template-version", "version numbers differ between groups: give $Latest or $Default, or one GROUP", f.templateVersion != "" && !strings.HasPrefix(f.templateVersion, "$")},
		{"record", "a record is handled for one GROUP at a time", cmd.Flags().Lookup("record") != nil && cmd.Flags().Changed("record")},
	} {
		if c.is {
			return exitcode.Usage(fmt.Errorf("--%s cannot be used for several groups: %s", c.flag, c.why))
		}
	}
	return nil
}
