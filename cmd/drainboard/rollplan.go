package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
)

// planRoll works out what a roll of the groups of a scope would do. An error names a group
// that cannot be part of it; what --all or a role brought in is left out then.
func (s *session) planRoll(ctx context.Context, cmd *cobra.Command, of *scope, f *rollFlags, auto bool) (present.RollPlan, error) {
	p := present.RollPlan{Cluster: s.Cluster(), Plans: map[string]engine.Plan{}, Runs: map[string]record.Run{}}
	rows, err := s.list(ctx)
	if err != nil {
		return p, err
	}
	if rows, err = of.choose(rows); err != nil {
		return p, err
	}
	if p.Rules, err = of.rollRules(rows); err != nil {
		return p, err
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
			return p, inGroup(g.Name, unreadable(err, commandLine(cmd).Command("upgrade", g.Name)))
		}
		switch why := present.Refused(row); {
		case found && run.State != record.Finished:
			if flag := f.contradicts(run.Target); flag != "" {
				return p, exitcode.Usage(fmt.Errorf("group %s: its unfinished run %s goes on as it was started, and %s says something else: leave it out to go on", g.Name, run.ID, flag))
			}
			id = cmp.Or(id, run.Roll)
			g.Resumes, g.Run, p.Runs[g.Name] = true, run.ID, run
			g.Done, g.Total = run.Outdated()
		case why != "" && of.names(row):
			return p, exitcode.Usage(fmt.Errorf("group %s: %s", g.Name, why))
		case why != "":
			g.State, g.Why = roll.LeftOut, why
			if row.Outdated > 0 {
				g.Code = record.NodesLeft.ExitCode()
			}
		default:
			at, err := s.find(ctx, g.Name)
			if err != nil {
				return p, inGroup(g.Name, err)
			}
			plan, err := s.planGroup(ctx, cmd, at, f, auto)
			if err != nil {
				return p, inGroup(g.Name, err)
			}
			p.Plans[g.Name] = plan
			if g.Total = len(plan.Nodes); g.Total == 0 {
				g.State, g.Why = roll.LeftOut, "nothing is outdated"
			}
		}
		groups = append(groups, g)
	}
	p.Roll = roll.New(p.Rules, cmp.Or(id, rollID(s.Clock())), groups)
	p.Roll.Again = of.again(commandLine(cmd))
	return p, nil
}

// inGroup names the group that an error is about.
func inGroup(group string, err error) error {
	named := fmt.Errorf("group %s: %w", group, err)
	var e *exitcode.Error
	if errors.As(err, &e) {
		return exitcode.With(e.Code, named)
	}
	return named
}

// rollID names a roll: when it was planned.
func rollID(c live.Clock) string {
	return "roll-" + c.Now().UTC().Format("20060102-150405") + fmt.Sprintf("-%04x", rand.Uint32N(1<<16))
}
