package present

import (
	"cmp"
	"maps"
	"slices"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/validation"
)

// StatusList returns runs as a JSON document, with why other records cannot be read.
func StatusList(list []Status, unreadable []error) api.GroupStatusList {
	out := api.GroupStatusList{}
	for _, err := range unreadable {
		out.UnreadableRecords = append(out.UnreadableRecords, err.Error())
	}
	for _, s := range list {
		out.Items = append(out.Items, s.fields())
	}
	return out
}

// JSON returns a run as a JSON document.
func (s Status) JSON() api.GroupStatus { return api.GroupStatus{GroupStatusFields: s.fields()} }

// JSONWith is JSON with what the cloud tells of the group.
func (s Status) JSONWith(group GroupRow) api.GroupStatus {
	out := s.JSON()
	out.NodeMarks, out.NodeGroup = marksOf(group.Others), ManagedOf(group.Managed)
	return out
}

// NoRunOf returns a group without a run, as a JSON document.
func NoRunOf(group GroupRow) api.GroupStatus {
	return api.GroupStatus{GroupStatusFields: api.GroupStatusFields{Group: group.Name, InstanceGroup: group.InstanceGroup, NodeMarks: marksOf(group.Others), NodeGroup: ManagedOf(group.Managed)}}
}

func (s *Status) fields() api.GroupStatusFields {
	out := api.GroupStatusFields{
		Group: s.Group, InstanceGroup: s.Alias, EarlierRuns: s.Past, NodeMarks: marksOf(s.Others), Pool: s.Pool, PoolUnknown: s.PoolUnknown,
	}
	if s.RecordAt != "" {
		out.RemoteRun = &api.RemoteRun{ID: s.Run, Driver: s.Driver, RecordAt: s.RecordAt}
		return out
	}
	out.LatestRun = &api.Run{
		ID: s.Run, Strategy: s.Strategy, State: string(s.State), Result: api.Word(string(s.Result)), Message: s.Why, Phase: s.Phase,
		StartedAt: s.Started, StartedBy: s.By, RecordedAt: s.Seen, RecordStaleSince: s.UnwrittenSince, Driver: s.Driver, DriverUnknown: s.DriverUnknown,
		Order: ordersOf(s.Order), Only: s.Only, Until: s.Until, Outdated: s.Outdated, Replaced: s.Replaced, Stages: map[string]int{},
		WaitingBatch: batchOf(s.Waiting), Canary: canaryOf(s.Canary), DrainGate: s.Gate, ControllerWait: s.Awaits, ControllerPace: cmp.Or(s.run.Pace.Sentence(), s.run.UpdateConfig.Sentence()), Validation: validationOf(s.Validation),
		ExternalMovers: externalMoversOf(s.ExternalMovers), FailedNodes: notesOf(s.Failed), SkippedNodes: notesOf(s.Skipped),
		Candidates: s.Candidates, UnreachableNodes: s.Unreachable, Unrestored: s.Left, Inherited: raiseOf(s.run, s.run.Inherited), RaiseLeft: raiseOf(s.run, s.run.RaiseLeft),
	}
	if s.Forecast != nil {
		out.LatestRun.Forecast = forecastOf(s.Forecast)
	}
	out.LatestRun.Workloads = workloadsOf(s.Workloads)
	for stage, n := range s.Stages {
		out.LatestRun.Stages[string(stage)] = n
	}
	for _, p := range s.Blocked {
		out.LatestRun.BlockedPods = append(out.LatestRun.BlockedPods, api.BlockedPod{Pod: p.Ref, Node: p.Node, Budgets: p.Budgets, Attempts: p.Tries, Message: p.Message})
	}
	return out
}

func workloadsOf(list []*record.Workload) (out []api.Workload) {
	for _, w := range list {
		out = append(out, api.Workload{
			Namespace: w.Namespace, Kind: w.Kind, Name: w.Name, MovedPods: w.Moved, FirstMovedAt: w.Since,
			Ready: w.Ready, Starting: w.Starting, Pending: w.Pending, CrashLooping: w.CrashLooping, Trouble: string(w.Trouble()),
			Pod: w.Pod, Node: w.Node, PendingReason: w.Reason, TroubleSince: w.TroubleSince, Budget: w.Budget, MissingHealthy: w.Short, Message: w.Sentence(),
		})
	}
	return out
}

func batchOf(b *record.Batch) *api.Batch {
	if b == nil {
		return nil
	}
	out := &api.Batch{ID: b.ID, Hash: b.Hash, Phase: b.Phase, Instances: b.Machines, Nodes: b.Names, WaitingSince: b.Waiting}
	if v := b.Preview; !v.AsOf.IsZero() {
		out.Preview = &api.BatchPreview{AsOf: v.AsOf, PodsToEvict: v.Evict, PodsStaying: v.Ignore, ForeseenBlockers: v.Foreseen, NotEvaluated: unlessEmpty(v.NotEvaluated)}
	}
	return out
}

func canaryOf(c *record.Canary) *api.Canary {
	if c == nil {
		return nil
	}
	return &api.Canary{HoldsRun: c.Holds(), AcceptedBy: c.By, Wait: waitOf(c.Wait), Message: c.Trouble, UnhealthySince: c.Since, NodesLaunching: c.Open}
}

func validationOf(v *record.Validation) *api.Validation {
	if v == nil {
		return nil
	}
	out := &api.Validation{
		AfterNodes: v.After, Wait: waitOf(v.Wait), Passes: v.Passes, RequiredPasses: v.Need, NextCheckAt: v.Next, LastCheckAt: v.Looked,
		PassedAt: v.Passed, FailedAt: v.Failed,
	}
	for _, f := range v.Failures {
		about := f.Kind
		if about == validation.InvalidMachine {
			about = "instance"
		}
		out.Failures = append(out.Failures, api.ValidationFailure{Type: about, Name: f.Name, Group: f.Group, Message: f.Message, Ignored: f.Ignored})
	}
	return out
}

// notesOf returns nodes with their reasons, in the order of both.
func notesOf(byReason map[string][]string) (out []api.NodeNote) {
	for _, why := range slices.Sorted(maps.Keys(byReason)) {
		for _, node := range byReason[why] {
			out = append(out, api.NodeNote{Node: node, Message: why})
		}
	}
	return out
}
