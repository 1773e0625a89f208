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

// RollPlan is what a roll would do, worked out from its groups as they are. Each group is
// planned anew when its turn comes.
type RollPlan struct {
	Cluster string
	Roll    roll.Roll
	Rules   roll.Rules
	Plans   map[string]snapshot.Plan // of the groups that have no unfinished run
	Runs    map[string]record.Run    // the unfinished runs
}

// WriteRollPlan shows the plan of a roll to people: its groups in their order, each in
// short, and what will be in the way.
func WriteRollPlan(w io.Writer, p RollPlan, now time.Time) {
	waiting := p.Roll.Names(roll.Waiting)
	for _, name := range waiting {
		if plan, ok := p.Plans[name]; ok {
			writeUndrained(w, plan) // of one as of all: it is a flag
			break
		}
	}
	fmt.Fprintf(w, "%s: a roll of %s, %s\n\n", p.Cluster, plural(len(waiting), "group"), p.Rules.About)
	var goesOn, leftOut, hold, know, consent []string
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
		n, _ := p.Roll.Place(g.Name)
		switch {
		case g.State == roll.LeftOut:
			leftOut = append(leftOut, g.Name+": "+g.Why)
		case g.Resumes:
			row(fmt.Sprint(n), g.Name, dash(string(g.Role)), fmt.Sprintf("%d of %d left", g.Total-g.Done, g.Total), "goes on with its unfinished run", "", "", "")
			add(&goesOn, g.Name, fmt.Sprintf("run %s: %s", run.ID, strings.Join(Standing(run, now, nil, false), "; ")))
		default:
			row(fmt.Sprint(n), g.Name, dash(string(g.Role)), fmt.Sprint(len(plan.Nodes)), plan.From+" → "+plan.To, fmt.Sprint(plan.Limit), fmt.Sprint(plan.Extra), takesShort(plan))
			if r := plan.Rehearsal; r != nil && !r.Smooth() {
				add(&hold, g.Name, r.Sentence())
			}
			add(&hold, g.Name, Foreseen(plan)...)
			add(&know, g.Name, moverText(plan.ExternalMovers)...)
			add(&consent, g.Name, plan.Refusals...)
		}
	}
	t.Flush()
	List(w, "\nGoes on first, where it was:", goesOn)
	List(w, "\nLeft out:", leftOut)
	List(w, "\nWill hold it up or be down for a while:", short(hold))
	List(w, "\nKnow before you start:", short(know))
	List(w, "\nNeeds your consent before anything starts:", consent)
	if len(waiting) > 0 {
		fmt.Fprintln(w, "\nEach group is planned anew when its turn comes; drainboard plan GROUP shows all of one.")
	}
}
