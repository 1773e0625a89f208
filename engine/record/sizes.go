package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Expected is the group's desired size as our changes left it.
func (r *Run) Expected() int { return r.Base.Desired + r.Surge() }

// TemplateBack is the action that gives the group its template back.
func (r *Run) TemplateBack() Action {
	to, spec := r.BaseTemplate, r.BaseTemplateSpec
	if spec == "$Latest" && r.Target.Image != "" { // which the version that we made is now
		spec = strconv.FormatInt(to.Version, 10)
	}
	return Action{Kind: SetTemplate, Key: RestoreTemplate, Group: r.Group, Template: &to, TemplateSpec: spec, Mixed: r.Mixed}
}

// Shrink is the command that takes machines of the surge away again, so many of a group of
// that size, each drained first, and gives the group its upper bound back as far as its size
// allows: below that the group would choose machines itself. Those that nothing was to run on
// go first.
func (r *Run) Shrink(count, desired int) string {
	var spare []string
	for _, id := range slices.Sorted(maps.Keys(r.Nodes)) {
		if n := r.Nodes[id]; n.New && !n.Detached && n.Stage != Replaced && n.Stage != Terminating {
			spare = append(spare, id)
		}
	}
	slices.SortStableFunc(spare, func(a, b string) int {
		rank := func(id string) int { return slices.Index([]Stage{Launching, Surplus}, r.Nodes[id].Stage) }
		return cmp.Compare(rank(b), rank(a))
	})
	var out []string
	whose := ""
	if len(spare) == 0 { // they were not launched, or since the run last looked
		spare, whose = []string{"INSTANCE"}, "  # one of: aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names "+r.Group
	}
	for _, id := range spare[:min(count, len(spare))] {
		if node := r.Nodes[id].Name; node != "" {
			out = append(out, "kubectl drain "+node+" --ignore-daemonsets")
		}
		out = append(out, Action{Kind: Terminate, Machine: id, Decrement: true}.Command())
		desired--
	}
	out = append(out, fmt.Sprintf("aws autoscaling update-auto-scaling-group --auto-scaling-group-name %s --max-size %d", r.Group, max(r.Base.Max, desired)))
	return strings.Join(out, " && ") + whose
}

// Larger says that a run which has ended left the group larger than it found it, and still
// does, for who plans the next: that one takes the size for the group's own. "" if it did
// not.
func (r *Run) Larger(g *world.Group) string {
	n := min(r.Surge(), g.Sizes.Desired-r.Base.Desired)
	if r.State != Finished || n <= 0 {
		return ""
	}
	return text.LargerByRun(r.ID, n, r.Base.String(), r.Shrink(n, g.Sizes.Desired))
}

// grown lists what the run has made of the group's sizes and not taken back, each with
// the command that would.
func (r *Run) grown() (out []string) {
	n := r.Surge()
	if n > 0 {
		out = append(out, text.Larger(r.Group, n, r.Base.String(), r.Shrink(n, r.Expected())))
	}
	if r.RaiseUnsure && !r.Raised {
		out = append(out, text.MaybeLarger(r.Group, r.Raise, r.Base.String(), "aws autoscaling describe-scaling-activities --auto-scaling-group-name "+r.Group))
	}
	if n <= 0 && r.Raised && r.MaxSet > r.Base.Max {
		from, to := r.Base, r.Base
		from.Max = r.MaxSet
		a := Action{Kind: SetSizes, Group: r.Group, From: &from, Sizes: &to}
		out = append(out, text.MaximumRaised(from.Max, to.Max, a.Command()))
	}
	return out
}
