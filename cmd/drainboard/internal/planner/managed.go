package planner

import (
	"context"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/assess/movers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Managed looks at a managed node group once: how it stands, and what an update by EKS would
// do to its nodes, as Drainboard's own rules for EKS rehearse it.
func (p Planner) Managed(ctx context.Context, at backend.Group) (present.PlannedManaged, error) {
	terms, err := p.TermsFor(ctx, at)
	if err != nil {
		return present.PlannedManaged{}, exitcode.Usage(err)
	}
	w, err := ReadManaged(ctx, p.Session, at)
	if err != nil {
		return present.PlannedManaged{}, err
	}
	out, err := p.ManagedIn(ctx, terms, at, w)
	if err == nil {
		Foresee(ctx, terms.Rules, &out.Run, w)
	}
	return out, err
}

// ManagedIn is the same for a group that was read, without how it ends.
func (p Planner) ManagedIn(ctx context.Context, terms Terms, at backend.Group, w *world.World) (present.PlannedManaged, error) {
	out := present.PlannedManaged{Group: *w.Group.Managed, Image: w.Group.Image, Asked: backend.UpdateOf(at)}
	refused := w.Group.Refused
	w.Group.Refused = "" // it is EKS that carries the update out
	run, err := p.Plan(ctx, terms, at, w)
	w.Group.Refused = refused
	if out.Run = run; err != nil {
		return out, err
	}
	was := out.Group.Config()
	if left := run.Run.UpdateConfig; left != nil {
		was = left.Was
		out.Run.Warnings = append(out.Run.Warnings, systems.ConfigLeft(left.Set.String(), left.Was.String()))
	}
	if set := out.Asked.Config.Over(was); set != was && len(run.Nodes) > 0 {
		out.Run.Warnings = append(out.Run.Warnings, systems.ConfigPlanned(was.String(), set.String()))
	}
	if out.Asked.HelpAlong {
		out.Run.Warnings = append(out.Run.Warnings, systems.HelpsAlong(out.Asked.HelpedBy))
	}
	movers.OfEKS(out.Run.ExternalMovers)
	_, known := out.Group.Behind(out.Image)
	switch asked := out.Asked.Kubernetes+out.Asked.Release+out.Asked.TemplateVersion != ""; {
	case !known && !asked:
		out.Run.Warnings = append(out.Run.Warnings, "which release is recommended is not known, so a node counts as outdated only by the launch template of its Auto Scaling group")
	case asked && out.Run.Run.Target.All && !p.AllNodes:
		out.Run.Warnings = append(out.Run.Warnings, "the AMI of the version or release that is asked for is not known, so every node counts as outdated")
	}
	if out.Run.HasWork() && out.Run.Extra > 0 {
		addQuota(ctx, at, w, &out.Run)
	}
	return out, nil
}

// configLeft is the update configuration that the last run of a managed node group has set and not restored, if the group
// still has it; nil for none.
func (p Planner) configLeft(ctx context.Context, g *world.Group) *record.HeldConfig {
	last, found, err := p.Session.Record(g.Name).Load(ctx)
	if err != nil || !found || last.State != record.Finished || last.GroupID != g.ID || last.UpdateConfig == nil {
		return nil
	}
	h := *last.UpdateConfig
	if now := g.Managed.Config(); now != h.Set && now != h.From || now == h.Was {
		return nil
	}
	h.Restoring, h.Asked, h.Update = false, 0, ""
	return &h
}

// addQuota compares the account's quota with the machines that an update adds; what cannot be read is said.
func addQuota(ctx context.Context, at backend.Group, w *world.World, p *snapshot.Plan) {
	var machines []string
	for _, m := range w.Machines() {
		machines = append(machines, m.ID)
	}
	q, err := backend.QuotaOf(ctx, at, machines)
	if err != nil {
		p.NotEvaluated = append(p.NotEvaluated, systems.EKSQuotaUnread(p.Extra, err.Error()))
		return
	}
	p.Quota = &q
	if room := q.Room(); room < p.Extra {
		p.Warnings = append(p.Warnings, systems.EKSQuotaShort(q.Name, room, p.Extra))
	}
}

// ReadManaged reads a managed node group and its cluster once.
func ReadManaged(ctx context.Context, s *session.Session, at backend.Group) (*world.World, error) {
	v, err := s.Read(ctx, at, nil)
	if err != nil {
		return nil, err
	}
	v.Queue.Close()
	return v.World, nil
}
