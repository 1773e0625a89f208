package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/strategy"
)

// writePlan shows a plan to people, with all its settings.
func writePlan(w io.Writer, p engine.Plan) {
	fmt.Fprintf(w, "%s, strategy %s (%s), as of %s\n", headline(p), p.Strategy, strategy.About(p.Strategy), p.AsOf.Local().Format("15:04:05"))
	if len(p.Nodes) == 0 {
		fmt.Fprintf(w, "%s: %s\n", p.Group, nothingToDo(p))
		list(w, "Note:", p.Warnings)
		return
	}
	writePlannedNodes(w, p)
	fmt.Fprintln(w, "\nSettings, with where each comes from (the same seed is the same order again):")
	writeSettings(w, p.Run, func(string) bool { return true })
}

// askPlan shows a plan to somebody who is to say yes to it: the settings that were
// given, and last, where it is on the screen however long the rest is, what is asked.
func askPlan(w io.Writer, p engine.Plan) {
	writePlannedNodes(w, p)
	fmt.Fprintln(w, "\nSettings that were given (drainboard plan shows all):")
	writeSettings(w, p.Run, func(origin string) bool {
		return strings.HasPrefix(origin, "flag") || strings.HasPrefix(origin, "chosen")
	})
	fmt.Fprintf(w, "\n%s, strategy %s, as of %s.\n", headline(p), p.Strategy, p.AsOf.Local().Format("15:04:05"))
	fmt.Fprintln(w, pace(p))
	if n := len(foreseen(p)); n > 0 {
		fmt.Fprintf(w, "Foreseen to hold it up or be down for a while: %s, listed above.\n", plural(n, "case"))
	}
	stuck := 0
	for _, n := range p.Nodes {
		stuck += len(n.Stuck)
	}
	if stuck > 0 && p.Run.Settings.OnDrainTimeout == engine.TimeoutFail {
		fmt.Fprintf(w, "%s can never be evicted: as it stands it ends in PodEvictionFailure (exit code 4).\n", plural(stuck, "pod"))
	}
}

// pace is how many nodes at once, how long it takes, and the machines beside.
func pace(p engine.Plan) string {
	base := p.Run.Base
	text := fmt.Sprintf("Up to %d at once, about %s.", p.Limit, p.Estimate.Round(time.Second))
	if p.Extra > 0 {
		return text + fmt.Sprintf(" While it lasts the group has %s: desired %d → %d, max %d → %d.",
			plural(p.Extra, "extra machine"), base.Desired, base.Desired+p.Extra, base.Max, base.Max+p.Extra)
	}
	return text + fmt.Sprintf(" The group has no extra machines: while a node is replaced it has fewer than its %d.", base.Desired)
}

// headline is a plan in a line.
func headline(p engine.Plan) string {
	where := p.Group
	if p.Run.Cluster != "" {
		where = p.Run.Cluster + " / " + p.Group
	}
	return fmt.Sprintf("%s: %s to replace, %s → %s", where, plural(len(p.Nodes), "node"), p.From, p.To)
}

// writePlannedNodes shows what will happen: the nodes in their order, and what will be in
// the way.
func writePlannedNodes(w io.Writer, p engine.Plan) {
	fmt.Fprintln(w, pace(p))
	if len(p.FreeAddresses) > 0 {
		var free []string
		for _, zone := range slices.Sorted(maps.Keys(p.FreeAddresses)) {
			free = append(free, fmt.Sprintf("%s %d", zone, p.FreeAddresses[zone]))
		}
		fmt.Fprintf(w, "Addresses left in the subnets: %s.\n", strings.Join(free, ", "))
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "BATCH\tNODE\tZONE\tVERSION\tEVICT\tSTAY\tNOTE\tFORESEEN")
	for _, n := range p.Nodes {
		name := n.Name
		if name == "" {
			name = n.Machine + " (not joined)"
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", n.Batch, name, n.Zone, n.Version, n.Evict, n.Stay, dash(strings.Join(oddities(n), ", ")), foreseenText(n))
	}
	t.Flush()
	list(w, "\nWill hold it up or be down for a while:", short(foreseen(p)))
	list(w, "\nWhat the group does beside:", cloudText(p))
	list(w, "\nWho else moves nodes of this group, or may:", rivalText(p.Rivals))
	list(w, "\nKnow before you start:", p.Warnings)
	list(w, "\nNot evaluated, so that nothing is said of it above:", p.NotEvaluated)
	list(w, "\nNeeds your consent before anything starts:", p.Refusals)
}

// nothingToDo says why a plan has no nodes.
func nothingToDo(p engine.Plan) string {
	if len(p.Run.Target.Only) > 0 {
		return "of the nodes that --only names none is outdated: there is nothing to do"
	}
	return "nothing is outdated: there is nothing to do"
}

// oddities are what is special about a node, in a word each.
func oddities(n engine.PlannedNode) []string {
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
func foreseenText(n engine.PlannedNode) string {
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

// foreseen lists what the plan foresees, each with its node.
func foreseen(p engine.Plan) []string {
	var out []string
	for _, n := range p.Nodes {
		for _, f := range n.Foreseen {
			out = append(out, n.Name+": "+f)
		}
	}
	return out
}

// cloudText tells what lifecycle hooks, warm pool and the like mean for a run.
func cloudText(p engine.Plan) []string {
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
	count := func(has func(engine.PlannedNode) bool) (n int) {
		for _, node := range p.Nodes {
			if has(node) {
				n++
			}
		}
		return n
	}
	if n := count(func(n engine.PlannedNode) bool { return n.Spot }); n > 0 {
		out = append(out, are(n, "node", "")+" Spot: the cloud may take such a machine back before its turn")
	}
	if n := count(func(n engine.PlannedNode) bool { return n.Protected }); n > 0 {
		out = append(out, are(n, "node", "")+" protected from scale in, which does not stop the upgrade")
	}
	return out
}

// rivalText tells who else moves nodes, what that means here, and what can be done.
func rivalText(rivals []engine.Rival) []string {
	var out []string
	for _, r := range rivals {
		line := fmt.Sprintf("%s: %s: %s", r.Handling, r.Deed(), r.How)
		if r.WayOut != "" {
			line += "; to change that: " + r.WayOut
		}
		out = append(out, line)
	}
	return out
}

// are is "1 node is", "3 nodes are", with more words before the verb.
func are(n int, one, more string) string {
	if n == 1 {
		return "1 " + one + more + " is"
	}
	return fmt.Sprintf("%d %ss%s are", n, one, more)
}

// short keeps what a person reads of a long list; JSON has it all.
func short(lines []string) []string {
	const most = 30
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most:most], fmt.Sprintf("and %d more (-o json has them all)", len(lines)-most))
}

func list(w io.Writer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintln(w, title)
	for _, l := range lines {
		fmt.Fprintln(w, "  - "+l)
	}
}

// planJSON is a plan for programs.
type planJSON struct {
	engine.Plan
	Order       []engine.Order  `json:"order"`
	Only        []string        `json:"only,omitempty"`
	Until       time.Time       `json:"until,omitzero"`
	Unreachable []string        `json:"unreachable,omitempty"`
	Seed        uint64          `json:"seed"`
	Settings    engine.Settings `json:"settings"`
}

// writePlanJSON shows a plan to programs.
func writePlanJSON(w io.Writer, p engine.Plan) error {
	out := planJSON{Plan: p, Order: p.Run.Settings.Order, Only: p.Run.Target.Only, Until: p.Run.Settings.Until, Seed: p.Run.Seed, Settings: p.Run.Settings}
	if len(out.Order) == 0 {
		out.Order = []engine.Order{engine.OrderRandom}
	}
	for _, n := range p.Nodes {
		if !n.Unreachable.IsZero() {
			out.Unreachable = append(out.Unreachable, n.Name)
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
