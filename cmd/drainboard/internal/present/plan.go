package present

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// WritePlan shows a plan to people, with all its settings. What was said before it is left out.
func WritePlan(w io.Writer, p snapshot.Plan, said []string) {
	fmt.Fprintf(w, "%s, strategy %s (%s), as of %s\n", headline(p), p.Strategy, strategy.About(p.Strategy), p.AsOf.Local().Format("15:04:05"))
	writeUndrained(w, p)
	if len(p.Nodes) == 0 {
		fmt.Fprintf(w, "%s: %s\n", p.Group, NothingToDo(p))
		List(w, "Note:", p.Warnings[len(Undrained(p.Run)):])
		return
	}
	writePlannedNodes(w, p, said)
	fmt.Fprintln(w, "\nSettings, with where each comes from (the same seed is the same order again):")
	writeSettings(w, p.Run, func(string) bool { return true })
}

// WriteForApproval shows a plan to somebody who is to say yes to it: the settings that were
// given, and last, where it is on the screen however long the rest is, what is asked.
func WriteForApproval(w io.Writer, p snapshot.Plan) {
	writePlannedNodes(w, p, nil)
	fmt.Fprintln(w, "\nSettings that were given (drainboard plan shows all):")
	writeSettings(w, p.Run, func(origin string) bool {
		return strings.HasPrefix(origin, "flag") || strings.HasPrefix(origin, "chosen")
	})
	fmt.Fprintf(w, "\n%s, strategy %s, as of %s.\n", headline(p), p.Strategy, p.AsOf.Local().Format("15:04:05"))
	writeUndrained(w, p)
	fmt.Fprintln(w, pace(p))
	writeRehearsal(w, p)
	if n := len(Foreseen(p)); n > 0 {
		fmt.Fprintf(w, "Foreseen to hold it up or be down for a while: %s, listed above.\n", plural(n, "case"))
	}
	stuck := 0
	for _, n := range p.Nodes {
		stuck += len(n.Stuck)
	}
	if stuck > 0 && p.Run.Settings.OnDrainTimeout == record.TimeoutFail {
		fmt.Fprintf(w, "%s can never be evicted: as it stands it ends in PodEvictionFailure (exit code 4).\n", plural(stuck, "pod"))
	}
}

// pace is how many nodes at once, how long it takes, and the machines beside.
func pace(p snapshot.Plan) string {
	if p.Strategy == StrategyKops {
		return kopsPace(p)
	}
	if p.Pool != nil {
		return poolPace(p)
	}
	base := p.Run.Base
	text := fmt.Sprintf("Up to %d at once, %s.", p.Limit, takes(p))
	if p.Extra > 0 {
		return text + fmt.Sprintf(" While it lasts the group has %s: desired %d → %d, max %d → %d.",
			plural(p.Extra, "extra machine"), base.Desired, base.Desired+p.Extra, base.Max, base.Max+p.Extra)
	}
	return text + fmt.Sprintf(" The group has no extra machines: while a node is replaced it has fewer than its %d.", base.Desired)
}

// takes is how long a plan's run takes, and what that rests on.
func takes(p snapshot.Plan) string {
	took, r := "about "+p.Estimate.Round(time.Second).String(), p.Rehearsal
	switch {
	case r == nil:
		return took
	case r.Endless():
		return "with no end of its own (rehearsed)"
	case r.Extrapolated:
		return took + " (rehearsed in part)"
	case r.Smooth():
		return took + " (rehearsed)"
	}
	return took + " until it ends, not all well (rehearsed)"
}

// takesShort is takes for a table.
func takesShort(p snapshot.Plan) string {
	if p.Rehearsal != nil && p.Rehearsal.Endless() {
		return "no end"
	}
	return p.Estimate.Round(time.Second).String()
}

// writeRehearsal shows what a rehearsal of the plan met, if it does not end well.
func writeRehearsal(w io.Writer, p snapshot.Plan) {
	if p.Rehearsal == nil || p.Rehearsal.Smooth() {
		return
	}
	said := p.Rehearsal.Sentence()
	fmt.Fprintf(w, "%s%s.\n", strings.ToUpper(said[:1]), said[1:])
	List(w, "Held in the rehearsal:", p.Rehearsal.Held)
}

// headline is a plan in a line.
func headline(p snapshot.Plan) string {
	where := cmp.Or(p.Run.Alias, p.Group)
	if p.Run.Cluster != "" {
		where = p.Run.Cluster + " / " + where
	}
	if p.Role != "" {
		where += " (" + string(p.Role) + ")"
	}
	what := "to replace"
	if p.Pool != nil && world.InPlace(p.Pool.Update) {
		what = "to update in place"
	}
	return fmt.Sprintf("%s: %s %s, %s", where, plural(len(p.Nodes), "node"), what, FromTo(p))
}

// FromTo is what the nodes come from and go to.
func FromTo(p snapshot.Plan) string {
	switch {
	case p.Pool == nil || p.From != "" && p.To != "":
		return p.From + " → " + p.To
	case p.To != "":
		return "to " + p.To
	case p.From != "":
		return "from " + p.From + " to what the Shoot says"
	}
	return "to what the Shoot says"
}

// writePlannedNodes shows what will happen: the nodes in their order, and what will be in
// the way, as far as it was not said.
func writePlannedNodes(w io.Writer, p snapshot.Plan, said []string) {
	left := func(lines []string) []string {
		return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(said, line) })
	}
	fmt.Fprintln(w, pace(p))
	writeRehearsal(w, p)
	if len(p.FreeAddresses) > 0 {
		var free []string
		for _, zone := range slices.Sorted(maps.Keys(p.FreeAddresses)) {
			free = append(free, fmt.Sprintf("%s %d", zone, p.FreeAddresses[zone]))
		}
		fmt.Fprintf(w, "Addresses left in the subnets: %s.\n", strings.Join(free, ", "))
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	reasons := slices.ContainsFunc(p.Nodes, func(n snapshot.PlannedNode) bool { return n.Why != "" })
	why := func(text string) string {
		if !reasons {
			return ""
		}
		return text + "\t"
	}
	fmt.Fprintln(t, "BATCH\tNODE\tZONE\tVERSION\t"+why("WHY")+"EVICT\tSTAY\tNOTE\tFORESEEN")
	for _, n := range p.Nodes {
		name := n.Name
		if name == "" {
			name = n.Machine + " (not joined)"
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s%d\t%d\t%s\t%s\n", n.Batch, name, n.Zone, n.Version, why(dash(n.Why)), n.Evict, n.Stay, dash(strings.Join(oddities(n), ", ")), foreseenText(n))
	}
	t.Flush()
	List(w, "\nWhat is done, by the rules of kops:", kopsSteps(p))
	List(w, "\nWill hold it up or be down for a while:", short(left(Foreseen(p))))
	List(w, "\nWhat the group does beside:", CloudText(p))
	List(w, "\nWho else moves nodes of this group, or may:", moverText(p.ExternalMovers))
	List(w, "\nKnow before you start:", left(p.Warnings[len(Undrained(p.Run)):]))
	List(w, "\nNot evaluated, so that nothing is said of it above:", left(p.NotEvaluated))
	List(w, "\nNeeds your consent before anything starts:", p.Refusals)
}

// NothingToDo says why a plan has no nodes.
func NothingToDo(p snapshot.Plan) string {
	if p.Run.Inherited != nil {
		return "nothing is outdated: an upgrade takes back what an earlier run has left of its raise"
	}
	if len(p.Run.Target.Only) > 0 {
		return "of the nodes that --only names none is outdated: there is nothing to do"
	}
	return "nothing is outdated: there is nothing to do"
}

// oddities are what is special about a node, in a word each.
func oddities(n snapshot.PlannedNode) []string {
	var out []string
	if !n.Unreachable.IsZero() {
		out = append(out, "unreachable since "+n.Unreachable.Local().Format("15:04:05"))
	}
	if n.Spot {
		out = append(out, "Spot")
	}
	if n.Protected {
		out = append(out, "protected")
	}
	return out
}

// foreseenText is what a plan's table says of one node. Silence is for nodes that
// were judged.
func foreseenText(n snapshot.PlannedNode) string {
	switch more := len(n.Foreseen) - 1; {
	case n.NotEvaluated != "":
		return "not evaluated"
	case more < 0:
		return "-"
	case more == 0:
		return n.Foreseen[0]
	default:
		return fmt.Sprintf("%s (+%d more)", n.Foreseen[0], more)
	}
}

// Foreseen lists what the plan foresees, each with its node.
func Foreseen(p snapshot.Plan) []string {
	var out []string
	for _, n := range p.Nodes {
		for _, f := range n.Foreseen {
			out = append(out, n.Name+": "+f)
		}
	}
	return out
}

// CloudText tells what lifecycle hooks, warm pool and the like mean for a run.
func CloudText(p snapshot.Plan) []string {
	var out []string
	for _, h := range p.Hooks {
		switch {
		case h.Launching && h.Abandon:
			out = append(out, fmt.Sprintf("lifecycle hook %s holds every new machine until it is completed, at most %s; then the machine is ended", h.Name, h.Timeout))
		case h.Launching:
			out = append(out, fmt.Sprintf("lifecycle hook %s holds every new machine until it is completed, at most %s", h.Name, h.Timeout))
		default:
			out = append(out, fmt.Sprintf("lifecycle hook %s holds every termination until it is completed, at most %s", h.Name, h.Timeout))
		}
	}
	if len(p.Warm) > 0 {
		out = append(out, fmt.Sprintf("%s ended, too: %s", are(len(p.Warm), "outdated machine", " of the warm pool"), strings.Join(p.Warm, ", ")))
	}
	count := func(has func(snapshot.PlannedNode) bool) (n int) {
		for _, node := range p.Nodes {
			if has(node) {
				n++
			}
		}
		return n
	}
	if n := count(func(n snapshot.PlannedNode) bool { return n.Spot }); n > 0 {
		out = append(out, are(n, "node", "")+" Spot: the cloud may take such a machine back before its turn")
	}
	if n := count(func(n snapshot.PlannedNode) bool { return n.Protected }); n > 0 {
		out = append(out, are(n, "node", "")+" protected from scale in, which does not stop the upgrade")
	}
	return out
}

// moverText tells who else moves nodes, what that means here, and what can be done.
func moverText(rivals []record.ExternalMover) []string {
	var out []string
	for _, r := range rivals {
		line := fmt.Sprintf("%s: %s: %s", r.Handling, r.Action(), r.How)
		if r.WayOut != "" {
			line += "; to change that: " + r.WayOut
		}
		out = append(out, line)
	}
	return out
}

// NotYet says why a plan without nodes is not done.
func NotYet(p snapshot.Plan) string {
	var left []string
	for _, u := range p.Awaited {
		left = append(left, u.Text)
	}
	return "no node is outdated yet, and Gardener is not done: " + strings.Join(left, "; ")
}
