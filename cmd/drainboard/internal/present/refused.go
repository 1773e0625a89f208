package present

import (
	"errors"
	"strings"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/providers/gardener"
)

// CannotStart returns why a plan cannot start, nil if it can.
func CannotStart(p snapshot.Plan) error {
	var others []string
	for _, r := range p.Opposed() {
		others = append(others, r.Action()+": "+r.WayOut)
	}
	if len(others) > 0 && len(p.Nodes) > 0 {
		return exitcode.Usage(errors.New("not started: an external mover is active in this group\n  " + strings.Join(others, "\n  ")))
	}
	if len(p.Refusals) > 0 {
		return exitcode.Usage(errors.New("not started: these pods need your consent\n  " + strings.Join(p.Refusals, "\n  ")))
	}
	return lacksRights(p)
}

// lacksRights returns why a plan cannot start for lack of rights outside the group's own cluster.
func lacksRights(p snapshot.Plan) error {
	by := "AWS"
	if p.Run.Provider == gardener.Provider {
		by = "the garden cluster"
	}
	refused := "not started, nothing was changed: " + by + " does not allow "
	switch missing := rightsMissing(p); len(missing) {
	case 0:
		return nil
	case 1:
		return exitcode.With(exitcode.Denied, errors.New(refused+missing[0]))
	default:
		return exitcode.With(exitcode.Denied, errors.New(refused+"what the run needs\n  "+strings.Join(missing, "\n  ")))
	}
}

// CannotRoll returns why a roll cannot start, nil if it can: all its groups must be able to.
func CannotRoll(p RollPlan) error {
	var why []string
	code := exitcode.Denied // unless something is worse
	for _, g := range p.Roll.Groups {
		cannotStart := CannotStart
		if g.Role == strategy.RoleManaged {
			cannotStart = cannotStartManaged
		}
		if err := cannotStart(p.Plans[g.Name]); err != nil && g.State == roll.Waiting {
			why = append(why, "group "+g.Name+": "+err.Error())
			code = min(code, exitcode.Of(err))
		}
	}
	if len(why) == 0 {
		return nil
	}
	return exitcode.With(code, errors.New(strings.Join(why, "\n")))
}
