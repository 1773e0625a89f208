package present

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// Compared is a plan by some settings: the flags for them beside those of the command line.
type Compared struct {
	Flags []string
	Plan  snapshot.Plan
}

// ComparisonOf returns a comparison for JSON.
func ComparisonOf(list []Compared) api.PlanComparison {
	out := api.PlanComparison{Group: list[0].Plan.Group, AsOf: list[0].Plan.AsOf}
	for _, c := range list {
		p := planFields(c.Plan)
		row := api.ComparedSettings{
			Flags: c.Flags, Strategy: p.Strategy, NodesAtOnce: p.NodesAtOnce, SurgeNodes: p.SurgeNodes, EstimatedDuration: p.EstimatedDuration,
			Forecast: p.Forecast, Rehearsal: p.Rehearsal, NotEvaluated: unforeseen(c.Plan),
		}
		if r := c.Plan.Rehearsed(); r != nil {
			l := r.Load
			row.Load = &api.RunLoad{
				PodsMoved: l.Moved, Moves: l.Moves, LowestHeadroom: l.Spare, LowestHeadroomPDB: l.Budget, PodsWaiting: l.Waiting, LongestWaiting: api.Duration(l.WaitingFor), ExtraInstanceTime: api.Duration(l.Extra),
			}
		}
		out.Items = append(out.Items, row)
	}
	return out
}

// unforeseen is why nothing is foreseen of a plan's run, "" if something is.
func unforeseen(p snapshot.Plan) string {
	switch {
	case !p.HasWork():
		return "nothing is outdated"
	case p.Forecast == nil && len(p.Refusals) > 0:
		return "consent is missing"
	case p.Forecast == nil:
		return "the run could not start"
	}
	return p.Forecast.Unevaluated
}

// WriteComparison writes a comparison as a table, and says below it what keeps runs from ending well.
func WriteComparison(w io.Writer, list []Compared) {
	first := list[0].Plan
	fmt.Fprintf(w, "%s, as of %s; rehearsed in a copy of the cluster\n\n", headline(first), first.AsOf.Local().Format("15:04:05"))
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "SETTINGS\tTIME\tRANGE\tAT ONCE\tSURGE\tPODS\tMOVES/POD\tWITHOUT ROOM\tLEAST ABOVE PDB\tEXTRA INSTANCE TIME\tENDS")
	for _, c := range list {
		fmt.Fprintf(t, "%s\t%s\n", c.What(), strings.Join(comparedCells(c.Plan), "\t"))
	}
	_ = t.Flush()
	if len(first.Refusals) > 0 {
		fmt.Fprintln(w)
		List(w, "Consent is missing:", first.Refusals)
	}
	for _, c := range list {
		if r := c.Plan.Rehearsed(); r != nil && !r.Smooth() {
			fmt.Fprintf(w, "\n%s: %s\n", c.What(), r.Sentence())
		}
	}
}

// ComparedHeads name the cells of a comparison on the screen, those that matter most first.
var ComparedHeads = []string{"settings", "ends", "time", "at once", "surge", "without room", "range", "least above PDB", "moves/pod", "instance time", "pods"}

// Cells are the row of a comparison on the screen, as ComparedHeads has them.
func (c Compared) Cells() []string {
	cells, row := comparedCells(c.Plan), []string{c.What()}
	for _, i := range []int{9, 0, 2, 3, 6, 1, 7, 5, 8, 4} {
		row = append(row, cells[i])
	}
	return row
}

// Page is a plan for the screen.
type Page struct {
	// Title names the group and what is to be done; Verdict is how the run would end, Alarms: not well.
	Title, Verdict string
	Alarms         bool
	// Facts are what is to be known at once, Sections what follows.
	Facts    []string
	Sections []Section
}

// Section is a part of a page: sentences, or the lines of a Table. Trouble: it is about what may go wrong.
type Section struct {
	Name           string
	Lines          []string
	Table, Trouble bool
}

// PageOf is a plan for the screen: the forecast first, what may go wrong before the rest.
func PageOf(p snapshot.Plan) Page {
	out := Page{Title: headline(p), Facts: slices.Concat(Undrained(p.Run), []string{pace(p)})}
	switch f := p.Forecast; {
	case f == nil || f.Headline(p.AsOf) == "":
		out.Verdict = "How it ends is not foreseen: " + unforeseen(p)
	case f.Alarms():
		line := f.Headline(p.AsOf)
		out.Verdict, out.Alarms = strings.ToUpper(line[:1])+line[1:], true
	default:
		out.Verdict = "Ends well in " + strings.Replace(f.Headline(p.AsOf), " left", "", 1)
	}
	add := func(name string, lines []string, trouble bool) {
		if len(lines) > 0 {
			out.Sections = append(out.Sections, Section{Name: name, Lines: lines, Trouble: trouble})
		}
	}
	if r := p.Rehearsed(); r != nil {
		if room := r.Room(); room != "" {
			out.Facts = append(out.Facts, strings.ToUpper(room[:1])+room[1:]+".")
		}
		if !r.Smooth() {
			add("Blocked in the rehearsal", r.Held, true)
		}
		var room []string
		for _, n := range r.NoRoom {
			room = append(room, n.String())
		}
		add("Without room in the rehearsal", room, true)
	}
	parts := planParts(p)
	for _, part := range parts {
		if part.trouble {
			add(part.title, part.lines, true)
		}
	}
	var nodes strings.Builder
	writeOrder(&nodes, p, true)
	out.Sections = append(out.Sections, Section{Name: "Nodes in their order", Table: true, Lines: strings.Split(strings.TrimSpace(nodes.String()), "\n")})
	for _, part := range parts {
		if !part.trouble {
			add(part.title, part.lines, false)
		}
	}
	known, guessed := assumptions(p)
	add("Rehearsed with measured durations", known, false)
	add("Rehearsed with guesses, for want of measurements", guessed, false)
	settings := []string{fmt.Sprintf("%-24s %s", "setting", "value (origin)")}
	for _, row := range Settings {
		if row.In(p.Run) {
			settings = append(settings, fmt.Sprintf("%-24s %s (%s)", row.Flag, row.value(p.Run), p.Run.Settings.Origin[row.Flag]))
		}
	}
	out.Sections = append(out.Sections, Section{Name: "Settings and their origin", Table: true, Lines: settings})
	return out
}

// What are the settings in a few words.
func (c Compared) What() string {
	if len(c.Flags) == 0 {
		return "as given (" + c.Plan.Strategy + ")"
	}
	return strings.Join(c.Flags, " ")
}

// comparedCells are the cells of a row but the first one.
func comparedCells(p snapshot.Plan) []string {
	r := p.Rehearsed()
	if r == nil {
		return []string{"-", "-", strconv.Itoa(p.Limit), strconv.Itoa(p.Extra), "-", "-", "-", "-", "-", "not evaluated: " + unforeseen(p)}
	}
	spread, above, waiting := "-", "-", "-"
	if l := r.Load; l.Waiting > 0 {
		waiting = fmt.Sprintf("%d for %s", l.Waiting, l.WaitingFor.Round(time.Second))
	}
	if !p.Forecast.Latest.IsZero() {
		spread = p.Forecast.Earliest.Sub(p.AsOf).Round(time.Second).String() + " to " + p.Forecast.Latest.Sub(p.AsOf).Round(time.Second).String()
	}
	if r.Load.Budget != "" {
		above = fmt.Sprintf("%d %s", r.Load.Spare, r.Load.Budget)
	}
	ends := map[record.Outlook]string{record.EndsWell: "well", record.WillFail: "fails", record.WillNotEnd: "does not end"}[p.Forecast.Outlook]
	if r.Extrapolated {
		ends = "rehearsed in part"
	}
	return []string{
		takesShort(p), spread, strconv.Itoa(p.Limit), strconv.Itoa(p.Extra), strconv.Itoa(r.Load.Moved), strconv.FormatFloat(r.Load.MovesPerPod(), 'f', 2, 64),
		waiting, above, r.Load.Extra.Round(time.Minute).String(), ends,
	}
}
