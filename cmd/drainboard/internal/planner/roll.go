package planner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
)

// Roll computes what a roll of the groups of a scope would do. A named group that cannot be
// part of it is an error; one that --all or a role selected is left out.
func (p Planner) Roll(ctx context.Context, of *Scope) (present.RollPlan, error) {
	s := p.Session
	out := present.RollPlan{Cluster: s.Cluster(), Plans: map[string]snapshot.Plan{}, Runs: map[string]record.Run{}}
	rows, err := s.List(ctx)
	if err != nil {
		return out, err
	}
	if rows, err = of.Choose(rows); err != nil {
		return out, err
	}
	if out.Rules, err = of.Rules(rows); err != nil {
		return out, err
	}
	id := ""
	var groups []roll.Group
	for _, row := range rows {
		g := roll.Group{Name: row.Called(), Role: row.Role}
		if g.Name != row.Name {
			g.Group = row.Name
		}
		run, found, err := s.Record(row.Name).Load(ctx)
		if err != nil {
			return out, inGroup(g.Name, exitcode.Usage(session.Unreadable(err, p.Line.Command("upgrade", g.Name))))
		}
		why := present.Refused(row)
		if row.Managed != nil {
			g.Role, why = strategy.RoleManaged, "" // an update that is under way is followed
		}
		switch {
		case found && run.State != record.Finished:
			if flag := p.Contradicts(run.Target); flag != "" {
				return out, exitcode.Usage(fmt.Errorf("group %s: its unfinished run %s keeps its own settings, which %s contradicts: omit the flag to resume", g.Name, run.ID, flag))
			}
			id = cmp.Or(id, run.Roll)
			g.Resumes, g.Run, out.Runs[g.Name] = true, run.ID, run
			g.Done, g.Total = run.Outdated()
		case why != "" && of.names(row):
			return out, exitcode.Usage(fmt.Errorf("group %s: %s", g.Name, why))
		case why != "":
			leftOut(&g, row, why)
		default:
			if err := p.plans(ctx, of, row, &g, &out); err != nil {
				return out, inGroup(g.Name, err)
			}
		}
		groups = append(groups, g)
	}
	out.Roll = roll.New(out.Rules, cmp.Or(id, rollID(s.Clock())), groups)
	out.Roll.Again = of.Again(p.Line)
	return out, nil
}

// needsRun reports whether a roll has a run of a group: something is outdated, or an earlier run
// has left the group larger or its update configuration, which this one takes back.
func needsRun(p snapshot.Plan) bool {
	return len(p.Nodes) > 0 || p.WarmAlone || p.Run.Inherited != nil || p.Run.UpdateConfig != nil
}

// leftOut leaves a group out of a roll.
func leftOut(g *roll.Group, row present.GroupRow, why string) {
	g.State, g.Why = roll.LeftOut, why
	if row.Outdated > 0 {
		g.Code = record.NodesLeft.ExitCode()
	}
}

// plans adds the plan of one group to that of a roll.
func (p Planner) plans(ctx context.Context, of *Scope, row present.GroupRow, g *roll.Group, out *present.RollPlan) error {
	plan, err := p.member(ctx, row, g.Name)
	switch {
	case err != nil && row.Managed != nil && !of.names(row) && exitcode.Of(err) == exitcode.WrongUse: // a flag that EKS does not take
		leftOut(g, row, err.Error())
		return nil
	case err != nil:
		return err
	}
	out.Plans[g.Name] = plan
	if g.Total = len(plan.Nodes); !needsRun(plan) {
		g.State, g.Why = roll.LeftOut, "no node is outdated"
	}
	return nil
}

// member plans the run of one group of a roll.
func (p Planner) member(ctx context.Context, row present.GroupRow, name string) (snapshot.Plan, error) {
	at, err := p.Session.Find(ctx, name)
	if err != nil {
		return snapshot.Plan{}, err
	}
	if row.Managed == nil {
		return p.Group(ctx, at)
	}
	plan, err := p.Managed(ctx, at)
	return plan.Run, err
}

// inGroup adds the group's name to an error.
func inGroup(group string, err error) error {
	named := fmt.Errorf("group %s: %w", group, err)
	var e *exitcode.Error
	if errors.As(err, &e) {
		return exitcode.With(e.Code, named)
	}
	return named
}

// rollID returns a roll's id: the time of its plan.
func rollID(c live.Clock) string {
	return "roll-" + c.Now().UTC().Format("20060102-150405") + fmt.Sprintf("-%04x", rand.Uint32N(1<<16))
}
