package present

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
)

// GroupRow is a group and what is running on it.
type GroupRow struct {
	asg.Summary
	// InstanceGroup is its name in kops, "" for a group of no kops cluster.
	InstanceGroup string
	// Running is the state of the group's unfinished run, RunElsewhere or RunUnreadable where
	// that is not known, "" if it has none.
	Running string
	// Others are external movers of its nodes, as read from the marks on them.
	Others []snapshot.MoverView
	// Worker is what a Gardener worker pool has beyond other groups.
	Worker *api.WorkerPool
}

// What stands for the state of a run whose record another machine has, or that is damaged.
const (
	RunElsewhere  = "elsewhere"
	RunUnreadable = "unreadable"
)

// Called returns the group's name on screen.
func (g GroupRow) Called() string { return cmp.Or(g.InstanceGroup, g.Name) }

// NoGroups says why there are no groups in a cluster of so many nodes: asked is the region that
// was looked in, at the one that the nodes tell, each "" if there is none.
func NoGroups(nodes int, asked, at string) string {
	switch {
	case nodes == 0:
		return "This cluster has no nodes, so there is no group of them."
	case asked != "" && at != "" && asked != at:
		return fmt.Sprintf("No node of this cluster belongs to an Auto Scaling group in %s: its nodes are in %s (--region, AWS_REGION and the AWS profile choose).", asked, world.Clean(at))
	}
	return "No node of this cluster belongs to an Auto Scaling group or a Gardener worker pool."
}

// WriteGroupNames lists the names of groups, a line each.
func WriteGroupNames(w io.Writer, rows []GroupRow) error {
	for _, g := range rows {
		if _, err := fmt.Fprintln(w, g.Called()); err != nil {
			return err
		}
	}
	return nil
}

// WriteGroups lists groups, a line each, below their headings if those are wanted.
func WriteGroups(w io.Writer, rows []GroupRow, headings bool) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	roles := slices.ContainsFunc(rows, func(g GroupRow) bool { return g.Role != "" })
	role := func(text string) string {
		if !roles {
			return ""
		}
		return text + "\t"
	}
	if headings {
		fmt.Fprintln(t, "GROUP\tPROVIDER\t"+role("ROLE")+"NODES\tOUTDATED\tTEMPLATE\tMIN\tMAX\tDESIRED\tRUN\tOTHERS\tNOTE")
	}
	for _, g := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s%d\t%d\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", g.Called(), g.Provider, role(dash(string(g.Role))), g.Machines, g.Outdated, TemplateText(g), g.bound(g.Sizes.Min), g.bound(g.Sizes.Max), g.Sizes.Desired, dash(g.Running), dash(WhoElse(g.Others)), Refused(g))
	}
	return t.Flush()
}

// bounded reports whether the group's minimum and maximum are known.
func (g GroupRow) bounded() bool { return g.Pool == nil || g.Pool.Shoot != "" }

// bound returns the minimum or maximum, "-" if unknown.
func (g GroupRow) bound(n int) string {
	if !g.bounded() {
		return "-"
	}
	return strconv.Itoa(n)
}

// TemplateText returns the group's launch template as text, for a pool its target version of
// that it is to have, and of a managed node group its release too.
func TemplateText(g GroupRow) string {
	if g.Pool != nil {
		return dash(g.Pool.Version)
	}
	if m := g.Managed; m != nil && m.Version != "" {
		return strings.TrimSuffix(m.Version+" "+m.Release, " ")
	}
	name := cmp.Or(g.TemplateName, g.Template.ID)
	if name == "" {
		return "-"
	}
	return fmt.Sprintf("%s:%d", name, g.Template.Version)
}

// Others returns the external movers of a group's nodes. Marks of an unfinished run do not
// count; those that a finished run left do.
func Others(nodes []*world.Node, run record.Run) []snapshot.MoverView {
	all := snapshot.Movers(nodes, run.Marks)
	if run.State == record.Finished || run.ID == "" {
		return all
	}
	return slices.DeleteFunc(all, func(m snapshot.MoverView) bool { return m.By == world.MoverDrainboard })
}

// WhoElse names external movers, "" if there are none.
func WhoElse(movers []snapshot.MoverView) string {
	names := make([]string, len(movers))
	for i, m := range movers {
		names[i] = string(m.By)
	}
	return strings.Join(names, ", ")
}

// AtWork returns those that act, without those that only announced it.
func AtWork(movers []snapshot.MoverView) []snapshot.MoverView {
	return slices.DeleteFunc(slices.Clone(movers), func(m snapshot.MoverView) bool { return !m.Roll && m.Working == 0 })
}

// Refused returns why no run can start in a group now, "" if one can.
func Refused(g GroupRow) string { return cmp.Or(g.Refused, g.Refresh.Sentence(g.Name)) }
