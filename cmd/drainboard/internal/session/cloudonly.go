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
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/disk"
	"github.com/drainboard/drainboard/providers/journal"
	"github.com/drainboard/drainboard/providers/kube"
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

// Context is the cluster's name, as kops names contexts.
func (h *OnDisk) Context() string { return h.groups.Kops.Cluster() }

func (h *OnDisk) Record(group string) RunRecord { return h.record(group) }

func (h *OnDisk) record(group string) *disk.Record {
	return h.records.Record(group, h.groups.ID(group))
}

func (h *OnDisk) Lease(group string, waiting func(holder string, until time.Time)) *Lease {
	lock := h.groups.AWS.TagLock(group, kube.Identity(), User())
	lock.Waiting = waiting
	var held *asg.TagHeld
	record := &carried{h.record(group), group, func() *asg.TagHeld { return held }}
	return &Lease{Record: record, take: func(ctx context.Context) (HeldLock, error) {
		taken, err := lock.Acquire(ctx)
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

// Free is nil: the lock is what the group's tag says.
func (*OnDisk) Free(*world.Group) error { return nil }

func (*OnDisk) Shows() string { return "status" }

func (*OnDisk) Follow() string { return "who drives the run now: " }

func (*OnDisk) RecordName(name string) string { return name }

// Announce tells nobody: there is no cluster to tell.
func (*OnDisk) Announce(string, func(string)) Announcer { return unannounced{} }

// unannounced is an Announcer where nobody is told.
type unannounced struct{}

func (unannounced) Events([]record.Event) {}
func (unannounced) Close()                {}

// Listen says once that no commands from elsewhere are heard.
func (*OnDisk) Listen(_ context.Context, loop *live.Loop, _ string) (stop func()) {
	loop.Tell(record.Event{Type: record.Warning, Reason: "not heard", Message: "this run cannot be watched or given commands from elsewhere, and is not announced: record, commands and Events would be objects of the cluster (--cloudonly)"})
	return func() {}
}

// Note says what runs in groups, as far as this machine's records and their tags tell.
func (h *OnDisk) Note(_ context.Context, rows []present.GroupRow, _ []*world.Node) error {
	records, err := h.Records()
	if err != nil {
		return exitcode.Usage(err)
	}
	for i, g := range rows {
		rec, _ := h.RecordOf(g.Name, records) // what cannot be read, status tells
		tag, _ := asg.RunTagOf(g.Name, g.Tags)
		switch run := rec.Run; {
		case tag.Run != "" && !tag.Of(run.ID):
			rows[i].Running = "elsewhere"
		case run.State != record.Finished:
			rows[i].Running = string(run.State)
		}
	}
	return nil
}

// Records are all records on this machine.
func (h *OnDisk) Records() ([]live.Stored, error) { return h.records.Records() }

// Past are the records of a group's earlier runs.
func (h *OnDisk) Past(group, id string) ([]live.Stored, error) { return h.records.Past(group, id) }

// Tag is what the tag of a group that was found or listed says of a run.
func (h *OnDisk) Tag(group string) asg.RunTag { return h.groups.Tag(group) }

// RecordOf is the record of a group among those there are, the zero value if it has none.
func (h *OnDisk) RecordOf(group string, records []live.Stored) (live.Stored, error) {
	path := h.record(group).Path()
	i := slices.IndexFunc(records, func(r live.Stored) bool { return r.Name == path })
	if i < 0 {
		return live.Stored{}, nil
	}
	return records[i], records[i].Err
}

// nodeless refuses what needs a node: nothing of that is decided without Kubernetes.
type nodeless struct{ clock live.Clock }

func (n nodeless) Do(_ context.Context, a record.Action) record.Outcome {
	return record.Outcome{Key: a.Key, At: n.clock.Now(), Verdict: record.Refused, Refusal: record.RefusedInvalid, Message: "there is no Kubernetes here (--cloudonly)"}
}

// carried is a record on the disk of this machine, of which the tag of the group tells
// others.
type carried struct {
	*disk.Record
	group string
	held  func() *asg.TagHeld // nil before the lock was taken
}

// Load reads the run. One that has not ended and whose record is not here is an error: what
// it has changed is not known.
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

// Save has the tag say that the run has not ended, once, before anything is done for it,
// and that it has after the record says so: the run must not go on from a record that says
// less than the tag, when another machine has rolled the group meanwhile.
func (c *carried) Save(ctx context.Context, run record.Run) error {
	if run.State == record.Finished {
		if err := c.Record.Save(ctx, run); err != nil {
			return err
		}
		return c.held().Carry(ctx, "")
	}
	if err := c.held().Carry(ctx, run.ID); err != nil {
		return fmt.Errorf("say in the group's tag %s that the run has not ended: %w", asg.RunTagKey, err)
	}
	return c.Record.Save(ctx, run)
}

// ElsewhereError says that the record of a group's unfinished run is on another machine.
type ElsewhereError struct {
	group string
	left  asg.RunTag
}

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("the unfinished run %s of group %s has its record on another machine: %s", e.left.Run, e.group, cmp.Or(e.left.At, "nobody knows where"))
}

// RunWithoutKubernetes says why a group may not be rolled with Kubernetes while a run without it is
// under way, or has not ended; nil if it may.
func RunWithoutKubernetes(group string, tags map[string]string, now time.Time) error {
	tag, err := asg.RunTagOf(group, tags)
	switch {
	case err != nil:
		return exitcode.Usage(err)
	case tag.Held(now):
		return exitcode.With(exitcode.Held, fmt.Errorf("group %s: %w; it is rolled without Kubernetes (--cloudonly)", group, &live.HeldError{Holder: tag.Holder, Since: tag.Since}))
	case tag.Run != "":
		return exitcode.Usage(fmt.Errorf("group %s: a run without Kubernetes has not ended: %s, whose record is on another machine or this one: %s\nNothing was changed. Go on with it there:\n  %s\nor, if that machine is gone for good, forget it:\n  aws autoscaling delete-tags --tags ResourceId=%s,ResourceType=auto-scaling-group,Key=%s",
			group, tag.Run, cmp.Or(tag.At, "nobody knows where"), present.UpgradeCloudOnly(group, tags["KubernetesCluster"]), group, asg.RunTagKey))
	}
	return nil
}
