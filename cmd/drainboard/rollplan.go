package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
)

// rollPlan is what a roll would do, worked out from its groups as they are. Each group is
// planned anew when its turn comes.
type rollPlan struct {
	cluster string
	roll    engine.Roll
	rules   engine.RollRules
	plans   map[string]engine.Plan // of the groups that have no unfinished run
	runs    map[string]engine.Run  // the unfinished runs
}

// planRoll works out what a roll of the groups of a scope would do. An error names a group
// that cannot be part of it; what --all or a role brought in is left out then.
func (s *session) planRoll(ctx context.Context, cmd *cobra.Command, of *scope, f *rollFlags, auto bool) (rollPlan, error) {
	p := rollPlan{cluster: s.cluster(), plans: map[string]engine.Plan{}, runs: map[string]engine.Run{}}
	rows, err := s.groups(ctx, f.where)
	if err != nil {
		return p, err
	}
	if rows, err = of.choose(rows); err != nil {
		return p, err
	}
	if p.rules, err = of.rollRules(rows); err != nil {
		return p, err
	}
	id := ""
	var groups []engine.RollGroup
	for _, row := range rows {
		g := engine.RollGroup{Name: row.called(), Role: row.Role}
		if g.Name != row.Name {
			g.Group = row.Name
		}
		run, found, err := s.record(row.Name).Load(ctx)
		if err != nil {
			return p, inGroup(g.Name, unreadable(err, command(cmd, "upgrade", g.Name)))
		}
		switch why := refused(row); {
		case found && run.State != engine.Finished:
			if flag := f.contradicts(run.Target); flag != "" {
				return p, usage(fmt.Errorf("group %s: its unfinished run %s goes on as it was started, and %s says something else: leave it out to go on", g.Name, run.ID, flag))
			}
			id = cmp.Or(id, run.Roll)
			g.Resumes, g.Run, p.runs[g.Name] = true, run.ID, run
			g.Done, g.Total = run.Outdated()
		case why != "" && of.names(row):
			return p, usage(fmt.Errorf("group %s: %s", g.Name, why))
		case why != "":
			g.State, g.Why = engine.RollLeftOut, why
			if row.Outdated > 0 {
				g.Code = engine.NodesLeft.ExitCode()
			}
		default:
			plan, err := s.planGroup(ctx, cmd, g.Name, f, auto)
			if err != nil {
				return p, inGroup(g.Name, err)
			}
			p.plans[g.Name] = plan
			if g.Total = len(plan.Nodes); g.Total == 0 {
				g.State, g.Why = engine.RollLeftOut, "nothing is outdated"
			}
		}
		groups = append(groups, g)
	}
	p.roll = engine.NewRoll(p.rules, cmp.Or(id, rollID(s.clock())), groups)
	p.roll.Again = of.again(cmd)
	return p, nil
}

// inGroup names the group that an error is about.
func inGroup(group string, err error) error {
	named := fmt.Errorf("group %s: %w", group, err)
	var e *exitError
	if errors.As(err, &e) {
		return &exitError{e.code, named}
	}
	return named
}

// rollID names a roll: when it was planned.
func rollID(c live.Clock) string {
	return "roll-" + c.Now().UTC().Format("20060102-150405") + fmt.Sprintf("-%04x", rand.Uint32N(1<<16))
}

// refuse says why a roll cannot be started, nil if it can: all its groups must be ready to.
func (p rollPlan) refuse() error {
	var why []string
	for _, g := range p.roll.Groups {
		if err := refuse(p.plans[g.Name]); err != nil && g.State == engine.RollWaiting {
			why = append(why, "group "+g.Name+": "+err.Error())
		}
	}
	if len(why) == 0 {
		return nil
	}
	return usage(errors.New(strings.Join(why, "\n")))
}

// writeRollPlan shows the plan of a roll to people: its groups in their order, each in
// short, and what will be in the way.
func writeRollPlan(w io.Writer, p rollPlan, now time.Time) {
	waiting := p.roll.Names(engine.RollWaiting)
	for _, name := range waiting {
		if plan, ok := p.plans[name]; ok {
			writeUndrained(w, plan) // of one as of all: it is a flag
			break
		}
	}
	fmt.Fprintf(w, "%s: a roll of %s, %s\n\n", p.cluster, plural(len(waiting), "group"), p.rules.About)
	var goesOn, leftOut, hold, know, consent []string
	add := func(to *[]string, group string, lines ...string) {
		for _, l := range lines {
			*to = append(*to, group+": "+l)
		}
	}
	roles := slices.ContainsFunc(p.roll.Groups, func(g engine.RollGroup) bool { return g.Role != "" })
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	head := "#\tGROUP\tROLE\tNODES\tVERSIONS\tAT ONCE\tEXTRA\tABOUT"
	row := func(cells ...string) {
		if !roles {
			cells = slices.Delete(cells, 2, 3)
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	row(strings.Split(head, "\t")...)
	for _, g := range p.roll.Groups {
		plan, run := p.plans[g.Name], p.runs[g.Name]
		add(&know, g.Name, plan.Warnings...)
		n, _ := p.roll.Place(g.Name)
		switch {
		case g.State == engine.RollLeftOut:
			leftOut = append(leftOut, g.Name+": "+g.Why)
		case g.Resumes:
			row(fmt.Sprint(n), g.Name, dash(string(g.Role)), fmt.Sprintf("%d of %d left", g.Total-g.Done, g.Total), "goes on with its unfinished run", "", "", "")
			add(&goesOn, g.Name, fmt.Sprintf("run %s: %s", run.ID, strings.Join(standing(run, now, nil, false), "; ")))
		default:
			row(fmt.Sprint(n), g.Name, dash(string(g.Role)), fmt.Sprint(len(plan.Nodes)), plan.From+" → "+plan.To, fmt.Sprint(plan.Limit), fmt.Sprint(plan.Extra), takesShort(plan))
			if r := plan.Rehearsal; r != nil && !r.Smooth() {
				add(&hold, g.Name, r.Sentence())
			}
			add(&hold, g.Name, foreseen(plan)...)
			add(&know, g.Name, rivalText(plan.ExternalMovers)...)
			add(&consent, g.Name, plan.Refusals...)
		}
	}
	t.Flush()
	list(w, "\nGoes on first, where it was:", goesOn)
	list(w, "\nLeft out:", leftOut)
	list(w, "\nWill hold it up or be down for a while:", short(hold))
	list(w, "\nKnow before you start:", short(know))
	list(w, "\nNeeds your consent before anything starts:", consent)
	if len(waiting) > 0 {
		fmt.Fprintln(w, "\nEach group is planned anew when its turn comes; drainboard plan GROUP shows all of one.")
	}
}
