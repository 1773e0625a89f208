package present

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// WritePlan writes a plan as text, with all its settings. Sentences that said has are left out;
// wide lists the nodes however many there are.
func WritePlan(w io.Writer, p snapshot.Plan, said []string, wide bool) {
	fmt.Fprintf(w, "%s, strategy %s (%s), as of %s\n", headline(p), p.Strategy, strategy.About(p.Strategy), p.AsOf.Local().Format("15:04:05"))
	writeUndrained(w, p)
	if len(p.Nodes) == 0 {
		fmt.Fprintf(w, "%s: %s\n", p.Group, WithoutNodes(p))
		List(w, "Note:", p.Warnings[len(Undrained(p.Run)):])
		return
	}
	writePlannedNodes(w, p, said, wide)
	writeAssumptions(w, p)
	fmt.Fprintln(w, "\nSettings and their origin (the same seed gives the same order):")
	writeSettings(w, p.Run, func(string) bool { return true })
}

// WriteForApproval writes a plan that the user confirms: the given settings only, and the
// summary last, so that it stays on screen however long the rest is.
func WriteForApproval(w io.Writer, p snapshot.Plan) {
	if p.WarmAlone {
		fmt.Fprintf(w, "%s: %s\n", p.Group, WarmAlone(p))
		List(w, "Note:", p.Warnings)
		return
	}
	writePlannedNodes(w, p, nil, false)
	fmt.Fprintln(w, "\nGiven settings (drainboard plan shows all):")
	writeSettings(w, p.Run, func(origin string) bool {
		return strings.HasPrefix(origin, "flag") || strings.HasPrefix(origin, "chosen")
	})
	fmt.Fprintf(w, "\n%s, strategy %s, as of %s.\n", headline(p), p.Strategy, p.AsOf.Local().Format("15:04:05"))
	writeUndrained(w, p)
	fmt.Fprintln(w, pace(p))
	writeRehearsal(w, p)
	if n := len(Foreseen(p)); n > 0 {
		fmt.Fprintf(w, "Foreseen blockers and downtime: %s, listed above.\n", plural(n, "case"))
	}
	stuck := 0
	for _, n := range p.Nodes {
		stuck += len(n.Stuck)
	}
	if stuck > 0 && p.Run.Settings.OnDrainTimeout == record.TimeoutFail {
		fmt.Fprintf(w, "%s can never be evicted: as things stand the run ends in PodEvictionFailure (exit code 4).\n", plural(stuck, "pod"))
	}
}

// pace returns how many nodes are replaced at once, how long it takes, and the surge.
func pace(p snapshot.Plan) string {
	if p.Strategy == StrategyKops {
		return kopsPace(p)
	}
	if p.Pool != nil {
		return poolPace(p)
	}
	base := p.Run.Base
	text := fmt.Sprintf("Up to %d at once, %s.", p.Limit, takes(p))
	why := ""
	if p.ExtraWhy != "" {
		why = " (" + p.ExtraWhy + ")"
	}
	if p.Extra > 0 {
		return text + fmt.Sprintf(" Surge during the run: %s, desired %d → %d, max %d → %d%s.",
			plural(p.Extra, "instance"), base.Desired, base.Desired+p.Extra, base.Max, base.Max+p.Extra, why)
	}
	if why != "" {
		return text + " No surge" + why + "."
	}
	return text + fmt.Sprintf(" No surge: while a node is replaced the group has fewer than its %d instances.", base.Desired)
}

// takes returns how long a plan's run takes, and the basis of that estimate.
func takes(p snapshot.Plan) string {
	took, r := "about "+p.Estimate.Round(time.Second).String(), p.Rehearsed()
	switch {
	case r == nil && len(p.Refusals) > 0 && !p.Run.Settings.CloudOnly:
		return took + " (not rehearsed: consent is missing)"
	case r == nil:
		return took
	case r.Endless():
		return "without an end (rehearsed)"
	case r.Extrapolated:
		return took + " (rehearsed in part)"
	case r.Smooth() && !p.Forecast.Latest.IsZero():
		return fmt.Sprintf("%s (rehearsed: %s to %s)", took, p.Forecast.Earliest.Sub(p.AsOf).Round(time.Second), p.Forecast.Latest.Sub(p.AsOf).Round(time.Second))
	case r.Smooth():
		return took + " (rehearsed)"
	}
	return took + " until it ends, with failures (rehearsed)"
}

// takesShort returns takes for a table.
func takesShort(p snapshot.Plan) string {
	if r := p.Rehearsed(); r != nil && r.Endless() {
		return "no end"
	}
	return p.Estimate.Round(time.Second).String()
}

// writeRehearsal writes how a rehearsal ended, unless it succeeded.
func writeRehearsal(w io.Writer, p snapshot.Plan) {
	r := p.Rehearsed()
	if r == nil {
		return
	}
	if room := r.Room(); room != "" {
		fmt.Fprintf(w, "%s%s.\n", strings.ToUpper(room[:1]), room[1:])
		var list []string
		for _, n := range r.NoRoom {
			list = append(list, n.String())
		}
		List(w, "Without room in the rehearsal:", list)
	}
	var holds []string
	for _, h := range r.Holds {
		holds = append(holds, plans.Held(h.Budget, h.Pods))
	}
	List(w, "PDBs that keep pods waiting in the rehearsal:", holds)
	if r.Smooth() {
		return
	}
	said := r.Sentence()
	fmt.Fprintf(w, "%s%s.\n", strings.ToUpper(said[:1]), said[1:])
	List(w, "Blocked in the rehearsal:", r.Held)
}

// writeAssumptions writes what the rehearsal rests on, guesses apart.
func writeAssumptions(w io.Writer, p snapshot.Plan) {
	if p.Rehearsed() == nil {
		return
	}
	known, guessed := assumptions(p)
	List(w, "\nRehearsed with measured durations:", known)
	List(w, "\nRehearsed with guesses, for want of measurements:", guessed)
}

// assumptions are what the rehearsal rests on: what was measured, and guesses.
func assumptions(p snapshot.Plan) (known, guessed []string) {
	if p.Forecast == nil {
		return nil, nil
	}
	for _, a := range p.Forecast.Assumptions {
		if a.Guessed() {
			guessed = append(guessed, a.String())
		} else {
			known = append(known, a.String())
		}
	}
	return known, guessed
}

// headline returns a plan in a line.
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

// FromTo returns the versions that the nodes have and get.
func FromTo(p snapshot.Plan) string {
	switch {
	case p.Pool != nil && p.From != "" && strings.TrimPrefix(p.From, "v") == strings.TrimPrefix(p.To, "v"): // another machine image, a kubelet's setting, a rotation
		return "to the Shoot's specification; Kubernetes stays " + p.To
	case p.Pool == nil || p.From != "" && p.To != "":
		return p.From + " → " + p.To
	case p.To != "":
		return "to " + p.To
	case p.From != "":
		return "from " + p.From + " to the Shoot's version"
	}
	return "to the Shoot's version"
}

// writePlannedNodes writes the nodes in their order and what will block them, without
// sentences that were written before. wide lists the nodes however many there are.
func writePlannedNodes(w io.Writer, p snapshot.Plan, said []string, wide bool) {
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
		fmt.Fprintf(w, "Free addresses in the subnets: %s.\n", strings.Join(free, ", "))
	}
	if q := p.Quota; q != nil {
		fmt.Fprintln(w, systems.EKSQuota(q.Name, q.Used, q.Limit, q.Each*p.Extra))
	}
	fmt.Fprintln(w)
	writeOrder(w, p, wide)
	for _, part := range planParts(p) {
		List(w, "\n"+part.title+":", left(part.lines))
	}
}

// planPart is a list of sentences in a plan.
type planPart struct {
	title string
	lines []string
	// trouble: they are about what may go wrong.
	trouble bool
}

// planParts are the lists of a plan, those without a sentence included.
func planParts(p snapshot.Plan) []planPart {
	return []planPart{
		{"Steps, by kops's rules", kopsSteps(p), false},
		{"Foreseen blockers and downtime", Foreseen(p), true},
		{"Other effects of the group", CloudText(p), false},
		{"External movers of this group's nodes", moverText(p.ExternalMovers), true},
		{"Warnings", p.Warnings[len(Undrained(p.Run)):], true},
		{"Not evaluated", p.NotEvaluated, false},
		{"IAM rights missing, without which an upgrade does not start", rightsMissing(p), true},
		{"IAM rights missing", RightsDenied(p), true},
		{"IAM rights not checked", RightsOpen(p), false},
		{"Consent required before the start", p.Refusals, true},
	}
}

// WithoutNodes says what a plan without nodes does, or why it does nothing.
func WithoutNodes(p snapshot.Plan) string {
	if p.WarmAlone {
		return WarmAlone(p)
	}
	return NothingToDo(p)
}

// WarmAlone says what is ended where no node is outdated.
func WarmAlone(p snapshot.Plan) string {
	return fmt.Sprintf("no node is outdated; %s terminated: %s", are(len(p.Warm), "outdated machine", " of the warm pool"), strings.Join(p.Warm, ", "))
}

// NothingToDo returns why a plan has no nodes.
func NothingToDo(p snapshot.Plan) string {
	if p.Run.Inherited != nil {
		return "nothing is outdated: an upgrade takes back what an earlier run has left of its raise"
	}
	if len(p.Run.Target.Only) > 0 {
		return "nothing to do: no node of --only is outdated"
	}
	return "nothing to do: no node is outdated"
}

// oddities returns what is special about a node, in a word each.
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

// foreseenText returns the blockers of one node for a plan's table: "" only for a node that
// was evaluated.
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

// Foreseen lists the foreseen blockers, each with its node.
func Foreseen(p snapshot.Plan) []string {
	var out []string
	for _, n := range p.Nodes {
		for _, f := range n.Foreseen {
			out = append(out, n.Name+": "+f)
		}
	}
	return out
}

// CloudText returns what lifecycle hooks, warm pool and the like mean for a run.
func CloudText(p snapshot.Plan) []string {
	var out []string
	for _, h := range p.Hooks {
		switch {
		case h.Launching && h.Abandon:
			out = append(out, fmt.Sprintf("lifecycle hook %s holds every new instance until it is completed, at most %s; then the instance is terminated", h.Name, h.Timeout))
		case h.Launching:
			out = append(out, fmt.Sprintf("lifecycle hook %s holds every new instance until it is completed, at most %s", h.Name, h.Timeout))
		default:
			out = append(out, fmt.Sprintf("lifecycle hook %s holds every termination until it is completed, at most %s", h.Name, h.Timeout))
		}
	}
	if len(p.Warm) > 0 {
		out = append(out, fmt.Sprintf("%s also terminated: %s", are(len(p.Warm), "outdated instance", " of the warm pool"), strings.Join(p.Warm, ", ")))
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
		out = append(out, are(n, "node", "")+" Spot: the cloud may interrupt such an instance at any time")
	}
	if n := count(func(n snapshot.PlannedNode) bool { return n.Protected }); n > 0 {
		out = append(out, are(n, "node", "")+" protected from scale in, which does not stop the upgrade")
	}
	return out
}

// moverText returns the external movers, how the run handles them, and what can be done.
func moverText(movers []record.ExternalMover) []string {
	var out []string
	for _, r := range movers {
		line := fmt.Sprintf("%s: %s: %s", r.Handling, r.Action(), r.How)
		if r.WayOut != "" {
			line += "; to change that: " + r.WayOut
		}
		out = append(out, line)
	}
	return out
}

// NotYet returns why a plan without nodes is not done.
func NotYet(p snapshot.Plan) string {
	var left []string
	for _, u := range p.Awaited {
		left = append(left, u.Text)
	}
	return "no node is outdated yet, and Gardener has not finished: " + strings.Join(left, "; ")
}
