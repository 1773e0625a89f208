package status

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/lock"
	"github.com/drainboard/drainboard/providers/kube/records"
)

// Status is one call of `drainboard status`.
type Status struct {
	Out     io.Writer
	Options session.Options
	Where   backend.Where
	Group   string // "" for all runs
	JSON    bool
}

// Run reads runs once, and shows them.
func (a *Status) Run(ctx context.Context) error {
	if a.Where.CloudOnly {
		return a.cloudOnly(ctx)
	}
	if _, err := a.Where.Fill(); err != nil {
		return exitcode.Usage(err)
	}
	k, err := kube.ConnectReadOnly(ctx, a.Options.Flags, a.Options.Version)
	if err != nil {
		return exitcode.Usage(err)
	}
	stored, err := records.All(ctx, k, a.Options.Namespace)
	if err != nil {
		return exitcode.Usage(err)
	}
	nodes, err := k.Nodes(ctx)
	if err != nil {
		return exitcode.Usage(err)
	}
	if a.Group == "" {
		return a.all(ctx, k, stored, nodes)
	}
	a.Group = session.Recorded(stored, a.Group)
	return a.group(ctx, k, stored, nodes)
}

// group shows the run of the group, or says that it has none.
func (a *Status) group(ctx context.Context, k *kube.Client, stored []live.Stored, nodes []*world.Node) error {
	past, err := records.Past(ctx, k, a.Options.Namespace, kube.RecordName(a.Group))
	if err != nil {
		return exitcode.Usage(err)
	}
	for _, r := range stored {
		if r.Err == nil && r.Run.Group == a.Group {
			of := a.statusOf(ctx, k, r.Run, nodes)
			of.Past = present.PastOf(past)
			return a.one(ctx, of, r.Run.Provider == backend.Gardener, k.Clock().Now)
		}
	}
	// An edit by hand may have removed the labels that records are found by.
	if _, found, err := records.New(k, a.Options.Namespace, a.Group).Load(ctx); found && err != nil {
		return session.Unreadable(err, present.CommandLine{}.Command("upgrade", a.Group))
	}
	return a.noRunYet(ctx, func() error { return a.group(ctx, k, stored, nodes) })
}

// all shows the recorded runs, and other movers of nodes.
func (a *Status) all(ctx context.Context, k *kube.Client, records []live.Stored, nodes []*world.Node) error {
	list := []present.Status{}
	var damaged []error
	for _, r := range records {
		if r.Err != nil {
			damaged = append(damaged, r.Err)
		} else {
			list = append(list, a.statusOf(ctx, k, r.Run, nodes))
		}
	}
	if a.JSON {
		if err := present.JSON(a.Out, present.StatusList(list, damaged)); err != nil {
			return err
		}
		return errors.Join(damaged...)
	}
	if len(list) == 0 && len(damaged) == 0 {
		fmt.Fprintln(a.Out, "No runs.")
	}
	for _, s := range list {
		present.WriteStatus(a.Out, s, k.Clock().Now())
	}
	present.WriteUnclaimed(a.Out, present.Unclaimed(records, nodes))
	return errors.Join(damaged...)
}

// one shows the run of a group, and the state of a worker pool.
func (a *Status) one(ctx context.Context, of present.Status, pool bool, now func() time.Time) error {
	var state *present.PoolState
	if pool {
		state = a.addPool(ctx, &of)
	}
	if a.JSON {
		return present.JSON(a.Out, of.JSON())
	}
	present.WriteStatus(a.Out, of, now())
	if state != nil {
		present.WritePool(a.Out, *state)
	}
	return nil
}

// statusOf returns the state of a run, its driver, and external movers of its nodes.
func (a *Status) statusOf(ctx context.Context, k *kube.Client, run record.Run, nodes []*world.Node) present.Status {
	of := present.StatusOf(run)
	of.Others = present.Others(present.NodesOf(run, nodes), run)
	if of.State != record.Finished {
		driver, err := lock.DriverOf(ctx, k, a.Options.Namespace, run.Group)
		unknown := ""
		if err != nil {
			unknown = err.Error()
		}
		of.DrivenBy(driver.Holder, unknown, k.Clock().Now())
	}
	return of
}

// addPool adds the state of a worker pool to that of its run, or why it is unknown, in which
// case it returns nil.
func (a *Status) addPool(ctx context.Context, of *present.Status) *present.PoolState {
	pool, err := func() (state present.PoolState, err error) {
		s, err := a.Options.Open(ctx, a.Where, kube.ReadRights(a.Options.Namespace), true)
		if err != nil {
			return state, err
		}
		at, err := s.Find(ctx, of.Group)
		if err != nil {
			return state, err
		}
		return planner.ReadPool(ctx, s, at)
	}()
	if err != nil {
		of.PoolUnknown = err.Error()
		return nil
	}
	stands := pool.Status()
	of.Pool = &stands
	pool.Others = nil // the run has them
	return &pool
}

// noRunYet answers for a group without a run; for a worker pool, which Gardener rolls, with its
// it stands; of one that has another name than people call it by, that of its own name (again).
// An unknown group is wrong use.
func (a *Status) noRunYet(ctx context.Context, again func() error) error {
	s, err := a.Options.Open(ctx, a.Where, kube.ReadRights(a.Options.Namespace), true)
	var rows []present.GroupRow
	if err == nil {
		rows, err = s.List(ctx)
	}
	if err != nil {
		return exitcode.Usage(fmt.Errorf("group %s has no run, and whether the group exists is unknown: %w", a.Group, err))
	}
	groups := make([]world.Group, len(rows))
	for i, g := range rows {
		groups[i] = g.Group
		if m := g.Managed; m != nil && m.AutoScalingGroup == a.Group {
			a.Group = g.Name
		}
	}
	at, err := asg.Meant(a.Group, groups)
	switch {
	case err != nil:
		return exitcode.Usage(err)
	case at < 0:
		return exitcode.Usage(fmt.Errorf("unknown group %s (drainboard groups lists the groups)", a.Group))
	case rows[at].Name != a.Group && rows[at].Called() != a.Group:
		a.Group = rows[at].Name
		return again()
	}
	refused := present.Refused(rows[at])
	if m := rows[at].Managed; m != nil {
		return a.managed(ctx, s, rows[at])
	}
	switch pool := rows[at].Pool != nil; {
	case pool:
		found, err := s.Find(ctx, rows[at].Name)
		if err != nil {
			return err
		}
		state, err := planner.ReadPool(ctx, s, found)
		if err != nil {
			return err
		}
		if a.JSON {
			return present.JSON(a.Out, state.GroupStatus())
		}
		present.WritePool(a.Out, state)
		fmt.Fprintf(a.Out, "  live: drainboard watch %s\n", a.Group)
	case a.JSON:
		return present.JSON(a.Out, present.NoRunOf(rows[at]))
	case refused != "":
		fmt.Fprintf(a.Out, "%s: no run yet, and none can start: %s\n", a.Group, refused)
	default:
		fmt.Fprintf(a.Out, "%s: no run; drainboard plan %s shows what one would do\n", a.Group, a.Group)
	}
	return nil
}

// managed shows how a managed node group stands, and an update of it that is under way.
func (a *Status) managed(ctx context.Context, s *session.Session, row present.GroupRow) error {
	var of present.Status
	found, underway := false, row.Managed.Update != nil && !row.Managed.Update.Over()
	if underway {
		var err error
		if of, found, err = a.followed(ctx, s, row.Name); err != nil {
			return err
		}
	}
	switch {
	case a.JSON && found:
		return present.JSON(a.Out, of.JSONWith(row))
	case a.JSON:
		return present.JSON(a.Out, present.NoRunOf(row))
	}
	present.WriteManaged(a.Out, row.Managed)
	if found {
		fmt.Fprintln(a.Out)
		present.WriteStatus(a.Out, of, s.Clock().Now())
		fmt.Fprintf(a.Out, "  drainboard watch %s follows it\n", row.Name)
		return nil
	}
	if underway { // EKS takes no other update, so none is recommended
		fmt.Fprintf(a.Out, "  what EKS is at could not be read within %s; drainboard watch %s follows it\n", readsFor, row.Name)
		return nil
	}
	fmt.Fprintf(a.Out, "  drainboard plan %[1]s shows what its update would do, drainboard watch %[1]s follows one\n", row.Name)
	return nil
}
