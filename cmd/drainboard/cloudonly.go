package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
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

// onDisk keeps runs on this machine, for groups without Kubernetes.
type onDisk struct {
	groups  *backend.CloudOnly
	records disk.Store
}

// openOnDisk opens the cloud for groups that kops made, and no cluster.
func openOnDisk(ctx context.Context, where backend.Where, readOnly bool) (*onDisk, error) {
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
	return &onDisk{groups, disk.Store{Dir: filepath.Join(dir, "records"), Now: groups.Clock().Now}}, nil
}

func (h *onDisk) Clock() live.Clock { return h.groups.Clock() }

func (h *onDisk) Cluster() string { return h.groups.Kops.Cluster() }

// Context is the cluster's name, as kops names contexts.
func (h *onDisk) Context() string { return h.groups.Kops.Cluster() }

func (h *onDisk) Record(group string) runRecord { return h.record(group) }

func (h *onDisk) record(group string) *disk.Record {
	return h.records.Record(group, h.groups.ID(group))
}

func (h *onDisk) Lease(group string, waiting func(holder string, until time.Time)) *lease {
	lock := h.groups.AWS.TagLock(group, kube.Identity(), who())
	lock.Waiting = waiting
	var held *asg.TagHeld
	record := &carried{h.record(group), group, func() *asg.TagHeld { return held }}
	return &lease{record: record, take: func(ctx context.Context) (heldLock, error) {
		taken, err := lock.Acquire(ctx)
		if err == nil {
			held = taken
		}
		return taken, err
	}}
}

func (h *onDisk) Executor() live.Executor { return nodeless{h.Clock()} }

func (*onDisk) Nodes(context.Context) ([]*world.Node, error) { return nil, nil }

func (*onDisk) Open(ctx context.Context, group backend.Group, feed backend.Feed, _ *live.Watch) (*live.FeedQueue, []world.Source) {
	return live.Open(ctx, feed), []world.Source{world.Cloud}
}

func (*onDisk) Lacks() error { return nil }

func (*onDisk) MayForce(context.Context) error { return nil }

// Free is nil: the lock is what the group's tag says.
func (*onDisk) Free(*world.Group) error { return nil }

func (*onDisk) Shows() string { return "status" }

func (*onDisk) Follow() string { return "who drives the run now: " }

func (*onDisk) RecordName(name string) string { return name }

// Announce tells nobody: there is no cluster to tell.
func (*onDisk) Announce(string, func(string)) announcer { return unannounced{} }

// unannounced is an announcer where nobody is told.
type unannounced struct{}

func (unannounced) Events([]record.Event) {}
func (unannounced) Close()                {}

// Listen says once that no commands from elsewhere are heard.
func (*onDisk) Listen(_ context.Context, loop *live.Loop, _ string) (stop func()) {
	loop.Tell(record.Event{Type: record.Warning, Reason: "not heard", Message: "this run cannot be watched or given commands from elsewhere, and is not announced: record, commands and Events would be objects of the cluster (--cloudonly)"})
	return func() {}
}

// Note says what runs in groups, as far as this machine's records and their tags tell.
func (h *onDisk) Note(_ context.Context, rows []present.GroupRow, _ []*world.Node) error {
	records, err := h.records.Records()
	if err != nil {
		return exitcode.Usage(err)
	}
	for i, g := range rows {
		rec, _ := h.recordOf(g.Name, records) // what cannot be read, status tells
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
		return run, true, &awayError{c.group, left}
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

// awayError says that the record of a group's unfinished run is on another machine.
type awayError struct {
	group string
	left  asg.RunTag
}

func (e *awayError) Error() string {
	return fmt.Sprintf("the unfinished run %s of group %s has its record on another machine: %s", e.left.Run, e.group, cmp.Or(e.left.At, "nobody knows where"))
}

// runWithoutKubernetes says why a group may not be rolled with Kubernetes while a run without it is
// under way, or has not ended; nil if it may.
func runWithoutKubernetes(group string, tags map[string]string, now time.Time) error {
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
