package present

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// RollPlan is what a roll would do, computed from the current state of its groups. Each group
// is planned again when its turn comes.
type RollPlan struct {
	Cluster string
	Roll    roll.Roll
	Rules   roll.Rules
	Plans   map[string]snapshot.Plan // of the groups that have no unfinished run
	Runs    map[string]record.Run    // the unfinished runs
}

// WriteRollPlan writes the plan of a roll as text: its groups in their order, a line each, and
// the foreseen blockers. wide cuts no list.
func WriteRollPlan(w io.Writer, p RollPlan, now time.Time, wide bool) {
	short := short
	if wide {
		short = func(lines []string) []string { return lines }
	}
	waiting := p.Roll.Names(roll.Waiting)
	for _, name := range waiting {
		if plan, ok := p.Plans[name]; ok {
			writeUndrained(w, plan) // the same for all groups: it is a flag
			break
		}
	}
	fmt.Fprintf(w, "%s: a roll of %s, %s\n\n", p.Cluster, plural(len(waiting), "group"), p.Rules.About)
	var resumed, leftOut, hold, know, missing, open, consent []string
	add := func(to *[]string, group string, lines ...string) {
		for _, l := range lines {
			*to = append(*to, group+": "+l)
		}
	}
	roles := slices.ContainsFunc(p.Roll.Groups, func(g roll.Group) bool { return g.Role != "" })
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	head := "#\tGROUP\tROLE\tNODES\tVERSIONS\tAT ONCE\tEXTRA\tABOUT"
	row := func(cells ...string) {
		if !roles {
			cells = slices.Delete(cells, 2, 3)
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	row(strings.Split(head, "\t")...)
	for _, g := range p.Roll.Groups {
		plan, run := p.Plans[g.Name], p.Runs[g.Name]
		add(&know, g.Name, plan.Warnings...)
		add(&know, g.Name, RightsDenied(plan)...)
		add(&missing, g.Name, rightsMissing(plan)...)
		add(&open, g.Name, RightsOpen(plan)...)
		n, _ := p.Roll.Place(g.Name)
		switch {
		case g.State == roll.LeftOut:
			leftOut = append(leftOut, g.Name+": "+g.Why)
		case g.Resumes:
			row(fmt.Sprint(n), g.Name, dash(string(g.Role)), fmt.Sprintf("%d of %d left", g.Total-g.Done, g.Total), "resumes its unfinished run", "", "", "")
			add(&resumed, g.Name, fmt.Sprintf("run %s: %s", run.ID, strings.Join(Standing(run, now, nil, false), "; ")))
		default:
			row(fmt.Sprint(n), g.Name, dash(string(g.Role)), fmt.Sprint(len(plan.Nodes)), plan.From+" → "+plan.To, fmt.Sprint(plan.Limit), fmt.Sprint(plan.Extra), takesShort(plan))
			if r := plan.Rehearsed(); r != nil && !r.Smooth() {
				add(&hold, g.Name, r.Sentence())
			}
			add(&hold, g.Name, Foreseen(plan)...)
			add(&know, g.Name, moverText(plan.ExternalMovers)...)
			add(&consent, g.Name, plan.Refusals...)
		}
	}
	t.Flush()
	List(w, "\nResumed first:", resumed)
	List(w, "\nLeft out:", leftOut)
	List(w, "\nForeseen blockers and downtime:", hold)
	List(w, "\nWarnings:", short(know))
	List(w, "\nIAM rights missing, without which an upgrade does not start:", missing)
	List(w, "\nIAM rights not checked:", short(open))
	List(w, "\nConsent required before the start:", consent)
	if len(waiting) > 0 {
		fmt.Fprintln(w, "\nEach group is planned again when its turn comes; drainboard plan GROUP shows its full plan.")
	}
}
