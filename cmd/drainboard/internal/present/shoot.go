package present

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/providers/gardener/shoot"
	"github.com/drainboard/drainboard/themes"
)

// WriteChange writes what a change of a Shoot would do, as text.
func WriteChange(w io.Writer, p shoot.Plan, pools []string) {
	fmt.Fprintf(w, "Shoot %s, as of %s\n", p.Shoot, p.AsOf.Local().Format("15:04:05"))
	if p.Refused {
		fmt.Fprintf(w, "%s refused: Gardener's API rejects this change\n", themes.Unicode.Failed)
		for _, r := range p.Refusals {
			fmt.Fprintf(w, "  - %s: %s\n", fieldText(r.Field, r.Old, r.New), r.Why)
		}
		fmt.Fprintln(w, "\nWithout the refused fields:")
	} else {
		fmt.Fprintln(w, startText(p))
	}
	shown := p.Only(pools)
	var quiet []string
	for _, pool := range shown.Pools {
		if pool.Effect == shoot.Nothing && len(pool.Causes)+len(pool.Notes) == 0 {
			quiet = append(quiet, pool.Name)
			continue
		}
		fmt.Fprintln(w)
		writeVerdict(w, pool, p.Refused)
	}
	if len(quiet) > 0 {
		fmt.Fprintf(w, "\n%s nothing: the nodes of %s stay unchanged\n", effectGlyph(shoot.Nothing), strings.Join(quiet, ", "))
	}
	if hidden := len(p.Pools) - len(shown.Pools); hidden > 0 {
		fmt.Fprintf(w, "\n%s not shown: omit the POOLs to show all\n", plural(hidden, "pool"))
	}
	List(w, "\nOther changed fields, not evaluated:", short(p.Beside))
	List(w, "\nWarnings:", p.Notes)
}

// startText returns when a change is rolled out.
func startText(p shoot.Plan) string {
	at := func(t time.Time) string { return t.Local().Format("Mon 2 Jan 15:04") }
	switch {
	case p.Start.When == shoot.StartNever:
		return "When: never: " + p.Start.Why
	case p.Start.When == shoot.StartNow:
		return "When: as soon as it is applied: " + p.Start.Why
	case p.Start.Opens.IsZero():
		return "When: in the maintenance time window: " + p.Start.Why
	}
	zone, _ := p.Start.Opens.Local().Zone()
	text := fmt.Sprintf("When: in the maintenance time window, %s to %s %s", at(p.Start.Opens), p.Start.Closes.Local().Format("15:04"), zone)
	if wait := p.Start.Opens.Sub(p.AsOf); wait > 0 {
		text += fmt.Sprintf(" (opens in %s)", wait.Round(time.Minute))
	} else {
		text += " (open now)"
	}
	return text + ": " + p.Start.Why
}

// effectGlyph returns the glyph shown beside an effect's word.
func effectGlyph(e shoot.Effect) string {
	g := themes.Unicode
	switch e {
	case shoot.Rolling:
		return g.Draining
	case shoot.InPlace:
		return g.Settling
	case shoot.Forbidden:
		return g.Failed
	case shoot.Unknown:
		return g.Unknown
	case shoot.Added:
		return g.Launching
	case shoot.Removed:
		return g.Terminating
	}
	return g.Todo
}

// effectText returns the effect on a pool in words.
func effectText(p shoot.Pool) string {
	nodes := nodesText(p)
	switch p.Effect {
	case shoot.Rolling:
		return "rolling: each of its " + nodes + " is drained and replaced"
	case shoot.InPlace:
		return "in place: each of its " + nodes + " is drained and updated, and stays"
	case shoot.Forbidden:
		return "forbidden"
	case shoot.Unknown:
		return "unknown: whether its " + nodes + " are replaced is decided elsewhere"
	case shoot.Added:
		return "added: a new pool of " + nodes
	case shoot.Removed:
		return "removed: its " + nodes + " are drained and deleted"
	}
	return "nothing: its nodes stay unchanged"
}

// nodesText returns how many nodes a pool may have.
func nodesText(p shoot.Pool) string {
	switch {
	case p.Maximum == 0:
		return "nodes"
	case p.Minimum == p.Maximum:
		return plural(p.Maximum, "node")
	}
	return fmt.Sprintf("%d to %d nodes", p.Minimum, p.Maximum)
}

// fieldText returns a field with its old and new value.
func fieldText(field, old, new string) string {
	switch {
	case old == "" && new == "":
		return field
	case old == "":
		return field + " " + themes.Unicode.Arrow + " " + new
	case new == "":
		return field + " " + old + " " + themes.Unicode.Arrow + " (not set)"
	}
	return field + " " + old + " " + themes.Unicode.Arrow + " " + new
}

// writeVerdict writes one pool: the effect, the fields that decide it, and, unless the change
// is refused, how its nodes are rolled.
func writeVerdict(w io.Writer, p shoot.Pool, refused bool) {
	fmt.Fprintf(w, "%s %s (%s): %s\n", effectGlyph(p.Effect), p.Name, p.Strategy, effectText(p))
	if p.Effect == shoot.Forbidden {
		return // the refusals say why
	}
	decides := func(c shoot.Cause) bool { return c.Effect == p.Effect }
	for _, c := range p.Causes {
		if decides(c) && c.Effect != shoot.Added && c.Effect != shoot.Removed {
			writeCause(w, "", c)
		}
	}
	for _, c := range p.Causes {
		switch {
		case decides(c):
		case c.Effect == shoot.Nothing:
			writeCause(w, "beside: ", c)
		default:
			writeCause(w, "beside, "+string(c.Effect)+": ", c)
		}
	}
	for _, n := range p.Notes {
		fmt.Fprintln(w, "    "+n)
	}
	if p.Pace != nil && !refused {
		writePace(w, *p.Pace)
	}
}

func writeCause(w io.Writer, lead string, c shoot.Cause) {
	text := lead + fieldText(c.Field, c.Old, c.New)
	if c.Why != "" {
		text += ": " + c.Why
	}
	fmt.Fprintln(w, "    "+text)
	if c.Seed != "" {
		fmt.Fprintln(w, "      Gardener's documentation differs: it "+c.Seed)
	}
}

// writePace writes how the nodes of a pool are rolled.
func writePace(w io.Writer, p shoot.Pace) {
	if p.MaxSurge != "" {
		text := fmt.Sprintf("    at once: %s more, %s unavailable (maxSurge, maxUnavailable)", p.MaxSurge, p.MaxUnavailable)
		if len(p.Zones) > 0 {
			var zones []string
			for _, z := range p.Zones {
				zones = append(zones, fmt.Sprintf("%s +%s −%s", z.Zone, z.MaxSurge.String(), z.MaxUnavailable.String()))
			}
			text += ", split over the zones: " + strings.Join(zones, ", ")
		}
		fmt.Fprintln(w, text)
	}
	for _, n := range p.Notes {
		fmt.Fprintln(w, "    "+n)
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, l := range p.Timeouts {
		from := "set by the Shoot"
		switch {
		case l.Default && l.Seed != "":
			from = "default (documented: " + l.Seed + ")"
		case l.Default:
			from = "default"
		}
		fmt.Fprintf(t, "    %s\t%s\t%s\tthen %s\n", l.Name, l.Value, from, l.Then)
	}
	t.Flush()
}

// ChangeOf returns what a change of a Shoot would do, as a JSON document.
func ChangeOf(p shoot.Plan) api.ShootChangePlan {
	out := api.ShootChangePlan{
		Shoot: p.Shoot, AsOf: p.AsOf, Refused: p.Refused, OtherChanges: p.Beside, Notes: p.Notes,
		Start: api.ChangeStart{When: p.Start.When, OpensAt: p.Start.Opens, ClosesAt: p.Start.Closes, Message: p.Start.Why},
	}
	for _, r := range p.Refusals {
		out.Refusals = append(out.Refusals, api.ShootRefusal{Rule: string(r.Rule), Pool: r.Pool, Field: r.Field, Old: r.Old, New: r.New, Message: r.Why})
	}
	if w := p.Window; w != nil {
		out.TimeWindow = &api.ShootTimeWindow{Begin: w.Begin, End: w.End, Open: w.Open, OpensAt: w.Opens, ClosesAt: w.Closes}
	}
	for _, pool := range p.Pools {
		out.Pools = append(out.Pools, changedPoolOf(pool))
	}
	return out
}

func changedPoolOf(p shoot.Pool) api.ChangedPool {
	out := api.ChangedPool{
		Pool: p.Name, UpdateStrategy: p.Strategy, Effect: string(p.Effect), UpdatePending: p.Pending, Forced: p.Forced,
		Minimum: p.Minimum, Maximum: p.Maximum, Zones: p.Zones, Notes: p.Notes,
	}
	for _, c := range p.Causes {
		out.Causes = append(out.Causes, api.ChangeCause{
			Field: c.Field, Old: c.Old, New: c.New, Effect: string(c.Effect), Message: c.Why, Rule: string(c.Rule), Documentation: c.Seed,
		})
	}
	if s := p.Switch; s != nil {
		out.StrategySwitch = &api.StrategySwitch{From: s.From, To: s.To, Allowed: s.Allowed, Message: s.Why}
	}
	if pace := p.Pace; pace != nil {
		out.Pace = &api.RollPace{MaxSurge: pace.MaxSurge, MaxUnavailable: pace.MaxUnavailable, Notes: pace.Notes}
		for _, z := range pace.Zones {
			out.Pace.ZoneShares = append(out.Pace.ZoneShares, api.ZoneShare{Zone: z.Zone, MaxSurge: z.MaxSurge.String(), MaxUnavailable: z.MaxUnavailable.String()})
		}
		for _, l := range pace.Timeouts {
			out.Pace.Timeouts = append(out.Pace.Timeouts, api.ControllerLimit{Name: l.Name, Value: l.Value, Default: l.Default, Then: l.Then, Documentation: l.Seed})
		}
	}
	return out
}
