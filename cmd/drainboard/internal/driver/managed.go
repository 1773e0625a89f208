package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// managed reports whether the group is a managed node group: EKS carries its update out, and the run has EKS
// start it, and follows it.
func (d *driver) managed() bool { return d.at.Provider() == backend.EKSManaged }

// followable is EKS's update of the group's nodes that is under way, nil for none: it is followed, and none is
// started.
func (d *driver) followable() *world.ManagedUpdate {
	if u := d.view.World.Group.Managed.Update; u != nil && !u.Over() {
		return u
	}
	return nil
}

// planManaged plans the update of a managed node group, or says why it cannot start.
func (d *driver) planManaged(ctx context.Context) (p present.PlannedManaged, err error) {
	if err := d.settle(ctx); err != nil {
		return p, err
	}
	m := d.view.World.Group.Managed
	switch {
	case m == nil:
		return p, exitcode.Usage(fmt.Errorf("group %s is no managed node group", d.Group))
	case d.AllNodes || len(d.Only) > 0:
		return p, exitcode.Usage(errors.New("--all-nodes, --only: EKS replaces the nodes that do not have the target, all of them"))
	case !m.UpdatesKnown && m.UpdatesDenied:
		return p, exitcode.With(exitcode.Denied, fmt.Errorf("EKS managed node group %s: %s", d.Group, m.UpdatesUnread))
	case !m.UpdatesKnown:
		return p, exitcode.With(exitcode.Unreachable, fmt.Errorf("EKS managed node group %s: %s", d.Group, m.UpdatesUnread))
	}
	asked := backend.UpdateOf(d.at)
	if u := d.followable(); u != nil {
		if other := asked.Contradicts(u); other != "" {
			return p, exitcode.Usage(fmt.Errorf("group %s: %s", d.Group, systems.EKSOtherTarget(u.ID, other)))
		}
		if want := asked.Config.Over(m.Config()); want != m.Config() {
			return p, exitcode.Usage(fmt.Errorf("group %s: %s", d.Group, systems.EKSOtherConfig(u.ID, m.Config().String(), want.String())))
		}
	}
	if p, err = (planner.Planner{Session: d.session, Request: &d.Request, Auto: d.Auto}).ManagedIn(ctx, d.terms, d.at, d.view.World); err != nil {
		return p, err
	}
	if s := &p.Run.Run.Settings; s.BeforeNode+s.AfterNode > 0 {
		p.Run.Warnings = append(slices.Clone(p.Run.Warnings), systems.EKSRunsNoHook)
	}
	if d.followable() != nil {
		return p, nil
	}
	return p, p.CannotStart()
}

// startManaged starts the run of a managed node group, after a prompt unless --auto or --yes.
func (d *driver) startManaged(ctx context.Context) error {
	p, err := d.planManaged(ctx)
	if err != nil {
		return err
	}
	attaches := d.followable()
	if attaches == nil && !p.Run.HasWork() {
		d.nothingToDo(p.Run)
		return nil
	}
	request := backend.UpdateOf(d.at)
	request.OnlyRestores = attaches == nil && len(p.Run.Nodes) == 0
	if !d.Auto && !d.Yes {
		question := "Start this update?"
		if attaches != nil {
			question = "Follow it?"
			fmt.Fprintf(d.Out, "%s: %s\n", d.Group, systems.EKSAttached(attaches.ID, text.EKSUpdateDoes(attaches.Version, attaches.Release, attaches.Status)))
		} else if request.OnlyRestores {
			question = "Restore it?"
			present.List(d.Out, d.Group+":", p.Run.Warnings)
		} else {
			planner.Foresee(ctx, d.terms.Rules, &p.Run, d.view.World)
			p.WriteForApproval(d.Out)
		}
		if !d.agrees(ctx, question, &request) {
			return exitcode.With(exitcode.Aborted, errors.New("not started"))
		}
	}
	request.Asks = d.attended() && !request.OnlyRestores
	rules := strategy.EKSManaged{}
	settings := rules.Defaults()
	settings.MaxUnavailable = d.terms.Settings.MaxUnavailable
	plan := p.Run
	plan.Run = rules.Starts(d.view.World, p.Run.Run.ID, settings, request)
	plan.Run.UpdateConfig = p.Run.Run.UpdateConfig
	plan.Run.Roll, plan.Run.Cluster = d.roll, p.Run.Run.Cluster
	run, events := begin(plan, d.session.Clock().Now())
	if attaches != nil {
		events = slices.DeleteFunc(events, func(e record.Event) bool { return e.Type == record.Warning }) // they are of a start
	}
	d.rules = rules
	d.keep(run, &plan)
	d.events(events...)
	return d.drive(ctx, run, nil)
}

// agrees asks whether a run begins, and with the same question once whether it helps EKS along.
func (d *driver) agrees(ctx context.Context, question string, request *record.UpdateRequest) bool {
	if request.HelpAlong || request.OnlyRestores {
		return d.Ask(ctx, d.Marked(d.session.Context(), question+" [y/N] "))
	}
	question += " [y/N, h: yes, and evict pods from the nodes that EKS picks once their PDB opens; f may delete them] "
	said := strings.ToLower(d.Answer(ctx, d.Marked(d.session.Context(), question)))
	if said == "h" {
		request.HelpAlong, request.HelpedBy = true, session.User()
	}
	return slices.Contains([]string{"y", "yes", "h"}, said)
}

// managedTerms adds to a run that is resumed the consent to help EKS along, and whether a user is there to be asked after an
// update that has failed.
func (d *driver) managedTerms(run record.Run) record.Run {
	if d.Flags == nil || run.Target.Update == nil {
		return run
	}
	with := *run.Target.Update
	if asked := d.Flags.Update(); asked.HelpAlong && !with.HelpAlong {
		with.HelpAlong, with.HelpedBy = true, asked.HelpedBy
	}
	with.Asks = d.attended()
	run.Target.Update = &with
	return run
}

// attended reports whether a user at the dashboard decides what follows on an update that has failed. In a roll its other groups
// wait for the end of each run.
func (d *driver) attended() bool { return !d.Auto && !d.Plain && d.Abort == nil && d.roll == "" }
