package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/disk"
	"github.com/drainboard/drainboard/providers/journal"
	"github.com/drainboard/drainboard/providers/kops"
	"github.com/drainboard/drainboard/providers/kube"
)

const cloudOnlyHelp = "kops: without Kubernetes: no kubeconfig, nothing is drained, nothing is validated, pods die with their machines (docs/cloudonly.md)"

// alone is what a session without Kubernetes has in place of the cluster.
type alone struct {
	records disk.Store

	mu sync.Mutex // groups of a roll may be looked for side by side
	// ids tell groups from others that have had their names, by name.
	ids map[string]string
}

// connectAlone opens the cloud for groups that kops made, and no cluster: nodes, and with
// them all other groups, are known from Kubernetes only.
func connectAlone(ctx context.Context, where whereFlags, readOnly bool) (*session, error) {
	where, err := where.fill()
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	s := &session{lacks: func() error { return nil }}
	if s.aws, err = asg.Connect(ctx, asg.Options{ReadOnly: readOnly}); err != nil {
		return nil, exitcode.Usage(err)
	}
	if s.kops, err = kops.Connect(ctx, s.aws, kops.Options{Cluster: where.cluster, StateStore: where.store}); err != nil {
		return nil, exitcode.Usage(fmt.Errorf("--cloudonly is for groups that kops made: %w", err))
	}
	dir, err := journal.Dir()
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	s.alone = &alone{records: disk.Store{Dir: filepath.Join(dir, "records"), Now: s.aws.Clock().Now}, ids: map[string]string{}}
	return s, nil
}

// open is connect, or, with --cloudonly, connectAlone.
func (a *app) open(ctx context.Context, where whereFlags, rights []kube.Right, readOnly bool) (*session, error) {
	if !where.cloudOnly {
		return connect(ctx, a.flags, a.namespace, where, rights, readOnly)
	}
	for name, given := range map[string]*string{"kubeconfig": a.flags.KubeConfig, "context": a.flags.Context, "cluster": a.flags.ClusterName} {
		if given != nil && *given != "" {
			return nil, exitcode.Usage(fmt.Errorf("--%s and --cloudonly contradict each other: nothing connects to Kubernetes (--cluster-name names kops's cluster)", name))
		}
	}
	return connectAlone(ctx, where, readOnly)
}

// record is the record of a group on this machine.
func (a *alone) record(group string) *disk.Record {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.records.Record(group, a.ids[group])
}

// knows keeps the id of a group.
func (a *alone) knows(group, id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ids[group] = id
}

// findAlone is find without Kubernetes.
func (s *session) findAlone(ctx context.Context, name string) (place, error) {
	g, err := s.kops.Find(ctx, name)
	if errors.Is(err, asg.ErrNotFound) {
		if _, own := s.aws.Tags(ctx, name); own == nil {
			err = fmt.Errorf("--cloudonly is for groups that kops made, and %s is none of the cluster %s: which machines are its nodes is known from Kubernetes only", name, s.kops.Cluster())
		}
	}
	if err != nil {
		return place{}, exitcode.Usage(err)
	}
	s.alone.knows(g.Name, g.ID)
	return place{name: g.Name, kops: &g}, nil
}

// nodes carries out what is done to nodes and pods.
func (s *session) nodes() live.Executor {
	if s.alone != nil {
		return nodeless{s.clock()}
	}
	return s.kube.Executor()
}

// nodeless refuses what needs a node: nothing of that is decided without Kubernetes.
type nodeless struct{ clock live.Clock }

func (n nodeless) Do(_ context.Context, a engine.Action) engine.Outcome {
	return engine.Outcome{Key: a.Key, At: n.clock.Now(), Verdict: engine.Refused, Refusal: engine.RefusedInvalid, Message: "there is no Kubernetes here (--cloudonly)"}
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
func (c *carried) Load(ctx context.Context) (engine.Run, bool, error) {
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
func (c *carried) Save(ctx context.Context, run engine.Run) error {
	if run.State == engine.Finished {
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

// tenureAlone is the lock and the record of a group where there is no cluster.
func (s *session) tenureAlone(group string, waiting func(holder string, until time.Time)) *tenure {
	lock := s.aws.TagLock(group, kube.Identity(), who())
	lock.Waiting = waiting
	var held *asg.TagHeld
	record := &carried{s.alone.record(group), group, func() *asg.TagHeld { return held }}
	return &tenure{record: record, take: func(ctx context.Context) (heldLock, error) {
		taken, err := lock.Acquire(ctx)
		if err == nil {
			held = taken
		}
		return taken, err
	}}
}

// besideAlone says why a group may not be rolled with Kubernetes while a run without it is
// under way, or has not ended; nil if it may.
func besideAlone(group string, tags map[string]string, now time.Time) error {
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

// consents has the operator type what a run without Kubernetes is for, and reports whether
// he did.
func consents(ctx context.Context, a *app, mark, name string) bool {
	question := a.Marked(mark, fmt.Sprintf("Nothing will be drained, and pods die with their machines. Type %s to go on all the same: ", name))
	return a.Answer(ctx, question) == name
}

// cloudOnlyRefuses are the flags that nothing is done for without Kubernetes.
var cloudOnlyRefuses = []string{
	"drain-timeout", "on-drain-timeout", "force", "force-unmanaged", "delete-emptydir-data", "post-drain-wait", "eviction-retry", "evictions-at-once",
	"pending-limit", "unreachable", "unreachable-after", "expect-label", "canary-watch", "deregister-limit",
	"validate-count", "validate-pause", "validate-retry", "validation-timeout", "fail-on-validate-error", "fail-on-drain-error",
}

// cloudOnlySettings settles that a run has no Kubernetes, and who says so.
func (f *rollFlags) cloudOnlySettings(cmd *cobra.Command, rules engine.Strategy, s *engine.Settings, who string) error {
	if !f.where.cloudOnly {
		return nil
	}
	if rules.Name() != present.StrategyKops {
		return fmt.Errorf("--cloudonly: the %s strategy drains nodes, which needs the cluster; leave --strategy out", rules.Name())
	}
	for _, flag := range cloudOnlyRefuses {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s: with --cloudonly nothing is drained and nothing validated, so it would do nothing", flag)
		}
	}
	if f.maxSurge != "" && s.MaxSurge.N > 0 {
		return fmt.Errorf("--max-surge %s: with --cloudonly nothing stands in for a machine that goes, as in kops; --max-unavailable says how many go at once", s.MaxSurge)
	}
	s.MaxSurge, s.Origin["max-surge"] = engine.Amount{}, "kops: none with --cloudonly"
	for _, o := range s.Order {
		if o == engine.OrderFewestBlockers || o == engine.OrderName {
			return fmt.Errorf("--order %s: with --cloudonly neither pods nor names of nodes are known", o)
		}
	}
	s.CloudOnly, s.CloudOnlyBy = true, who
	return nil
}
