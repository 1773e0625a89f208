package session

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/podlog"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg/taglock"
	"github.com/drainboard/drainboard/providers/disk"
	"github.com/drainboard/drainboard/providers/journal"
	"github.com/drainboard/drainboard/providers/kube/lock"
)

// OnDisk keeps runs on this machine, for groups without Kubernetes.
type OnDisk struct {
	groups  *backend.CloudOnly
	records disk.Store
}

// openOnDisk opens the cloud for groups that kops made, and no cluster.
func openOnDisk(ctx context.Context, where backend.Where, readOnly bool) (*OnDisk, error) {
	where, err := where.Fill()
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	groups, err := backend.OpenCloudOnly(ctx, where, readOnly)
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	dir, err := journal.Dir()
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	return &OnDisk{groups, disk.Store{Dir: filepath.Join(dir, "records"), Now: groups.Clock().Now}}, nil
}

func (h *OnDisk) Clock() live.Clock { return h.groups.Clock() }

func (h *OnDisk) Cluster() string { return h.groups.Kops.Cluster() }

// Context returns the cluster's name, as kops names contexts.
func (h *OnDisk) Context() string { return h.groups.Kops.Cluster() }

func (h *OnDisk) Record(group string) RunRecord { return h.record(group) }

func (h *OnDisk) record(group string) *disk.Record {
	return h.records.Record(group, h.groups.ID(group))
}

func (h *OnDisk) Lease(group string, waiting func(holder string, until time.Time)) *Lease {
	l := taglock.New(h.groups.AWS, group, lock.Identity(), User())
	l.Waiting = waiting
	var held *taglock.Held
	record := &carried{h.record(group), group, func() *taglock.Held { return held }}
	return &Lease{Record: record, take: func(ctx context.Context) (HeldLock, error) {
		taken, err := l.Acquire(ctx)
		if err == nil {
			held = taken
		}
		return taken, err
	}}
}

func (h *OnDisk) Executor() live.Executor { return nodeless{h.Clock()} }

func (*OnDisk) Nodes(context.Context) ([]*world.Node, error) { return nil, nil }

func (*OnDisk) Open(ctx context.Context, group backend.Group, feed backend.Feed, _ *live.Watch) (*live.FeedQueue, []world.Source) {
	return live.Open(ctx, feed), []world.Source{world.Cloud}
}

func (*OnDisk) Lacks() error { return nil }

func (*OnDisk) MayForce(context.Context) error { return nil }

func (*OnDisk) MayScale(context.Context) error { return nil }

func (*OnDisk) Log() podlog.Reader { return nil }

// Free returns nil: the lock is the group's tag.
func (*OnDisk) Free(*world.Group) error { return nil }

func (*OnDisk) Shows() string { return "status" }

func (*OnDisk) Follow() string { return "show its driver with: " }

func (*OnDisk) RecordName(name string) string { return name }

// Announce does nothing: there is no cluster for Events.
func (*OnDisk) Announce(string, func(string)) Announcer { return unannounced{} }

// unannounced is an Announcer that does nothing.
type unannounced struct{}

func (unannounced) Events([]record.Event) {}
func (unannounced) Close()                {}

// Listen reports once that commands from other processes are not received.
func (*OnDisk) Listen(_ context.Context, loop *live.Loop, _ string) (stop func()) {
	loop.Tell(record.Event{Type: record.Warning, Reason: "not heard", Message: "this run cannot be watched or sent commands by other processes, and writes no Events: these are objects of the cluster (--cloudonly)"})
	return func() {}
}

// Note adds the runs of groups, as far as this machine's records and the groups' tags have them.
func (h *OnDisk) Note(_ context.Context, rows []present.GroupRow, _ []*world.Node) error {
	records, err := h.Records()
	if err != nil {
		return exitcode.Usage(err)
	}
	for i, g := range rows {
		rec, damaged := h.RecordOf(g.Name, records)
		tag, _ := taglock.Read(g.Name, g.Tags)
		switch run := rec.Run; {
		case tag.Run != "" && !tag.Of(run.ID):
			rows[i].Running = present.RunElsewhere
		case damaged != nil:
			rows[i].Running = present.RunUnreadable
		case run.State != record.Finished:
			rows[i].Running = string(run.State)
		}
	}
	return nil
}

// Records returns all records on this machine.
func (h *OnDisk) Records() ([]live.Stored, error) { return h.records.Records() }

// Past returns the records of a group's earlier runs.
func (h *OnDisk) Past(group, id string) ([]live.Stored, error) { return h.records.Past(group, id) }

// Tag returns the run in the tag of a group that was found or listed.
func (h *OnDisk) Tag(group string) taglock.Tag { return h.groups.Tag(group) }

// RecordOf returns the record of a group among records, the zero value if it has none.
func (h *OnDisk) RecordOf(group string, records []live.Stored) (live.Stored, error) {
	path := h.record(group).Path()
	i := slices.IndexFunc(records, func(r live.Stored) bool { return r.Name == path })
	if i < 0 {
		return live.Stored{}, nil
	}
	return records[i], records[i].Err
}

// nodeless refuses actions that need a node: none of these is decided without Kubernetes.
type nodeless struct{ clock live.Clock }

func (n nodeless) Do(_ context.Context, a record.Action) record.Outcome {
	return record.Outcome{Key: a.Key, At: n.clock.Now(), Verdict: record.Refused, Refusal: record.RefusedInvalid, Message: "there is no Kubernetes here (--cloudonly)"}
}

// carried is a record on the disk of this machine, which the tag of the group announces to
// other machines.
type carried struct {
	*disk.Record
	group string
	held  func() *taglock.Held // nil before the lock was taken
}

// Load reads the run. An unfinished run whose record is not here is an error: what it has
// changed is unknown.
func (c *carried) Load(ctx context.Context) (record.Run, bool, error) {
	run, found, err := c.Record.Load(ctx)
	held := c.held()
	if err != nil || held == nil {
		return run, found, err
	}
	if left := held.Left(); left.Run != "" && !left.Of(run.ID) {
		return run, true, &ElsewhereError{c.group, left}
	}
	return run, found, nil
}

// Save notes the run in the tag once, before its first change, and removes it after the record
// has the end. A run must not resume from a record older than the tag when another machine has
// rolled the group since.
func (c *carried) Save(ctx context.Context, run record.Run) error {
	if run.State == record.Finished {
		if err := c.Record.Save(ctx, run); err != nil {
			return err
		}
		return c.held().Carry(ctx, "")
	}
	if err := c.held().Carry(ctx, run.ID); err != nil {
		return fmt.Errorf("note the run in the group's tag %s: %w", taglock.Key, err)
	}
	return c.Record.Save(ctx, run)
}

// ElsewhereError reports that the record of a group's unfinished run is on another machine.
type ElsewhereError struct {
	group string
	left  taglock.Tag
}

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("the unfinished run %s of group %s is recorded on another machine: %s", e.left.Run, e.group, cmp.Or(e.left.At, "unknown"))
}

// RunWithoutKubernetes returns why a group may not be rolled with Kubernetes while a run without it
// has not ended; nil if it may.
func RunWithoutKubernetes(group string, tags map[string]string, now time.Time) error {
	tag, err := taglock.Read(group, tags)
	switch {
	case err != nil:
		return exitcode.Usage(err)
	case tag.Held(now):
		return exitcode.With(exitcode.Held, fmt.Errorf("group %s: %w; it is rolled without Kubernetes (--cloudonly)", group, &live.HeldError{Holder: tag.Holder, Since: tag.Since}))
	case tag.Run != "":
		return exitcode.Usage(fmt.Errorf("group %s: a run without Kubernetes has not ended: %s, recorded on this or another machine: %s\nNothing was changed. Resume it there:\n  %s\nor, if that machine is permanently gone, remove its tag:\n  aws autoscaling delete-tags --tags ResourceId=%s,ResourceType=auto-scaling-group,Key=%s",
			group, tag.Run, cmp.Or(tag.At, "unknown"), present.UpgradeCloudOnly(group, tags["KubernetesCluster"]), group, taglock.Key))
	}
	return nil
}
