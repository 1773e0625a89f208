package present

import (
	"fmt"
	"io"
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
		fmt.Fprintf(t, "%s\t%s\n", c.what(), strings.Join(comparedCells(c.Plan), "\t"))
	}
	_ = t.Flush()
	if len(first.Refusals) > 0 {
		fmt.Fprintln(w)
		List(w, "Consent is missing:", first.Refusals)
	}
	for _, c := range list {
		if r := c.Plan.Rehearsed(); r != nil && !r.Smooth() {
			fmt.Fprintf(w, "\n%s: %s\n", c.what(), r.Sentence())
		}
	}
}

// what are the settings in a few words.
func (c Compared) what() string {
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
