package movers

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// autoscalerTag marks a group for the Cluster Autoscaler's discovery: with "enabled",
// or with the cluster's name (its AWS README, "Auto-Discovery Setup").
const autoscalerTag = "k8s.io/cluster-autoscaler/"

// dayAhead is how far ahead a scheduled action is worth naming.
const dayAhead = 24 * time.Hour

// OfGroup lists those that the cloud tells of.
func OfGroup(s *assess.Reader) []record.ExternalMover {
	g := &s.W.Group
	var out []record.ExternalMover
	if r := g.Refresh; r.ID != "" {
		out = append(out, record.ExternalMover{
			Kind: record.ExternalRefresh, Who: text.InstanceRefresh(r.ID), Does: text.RefreshDoes(r.Status, r.Percent),
			Since: r.Since, Acts: true, Handling: record.HandlingRefused, How: text.NoRunBeside,
			WayOut: text.StopRefresh(g.Name),
		})
	}
	if m := g.Managed; m != nil && m.Update != nil && !m.Update.Over() {
		u := m.Update
		out = append(out, record.ExternalMover{
			Kind: record.ExternalRoll, Who: text.EKSUpdate(u.ID), Does: text.EKSUpdateDoes(u.Version, u.Release, u.Status),
			Since: u.Since, Acts: true, Handling: record.HandlingRefused, How: text.NoRunBeside, WayOut: text.WaitForEKS,
		})
	}
	if len(s.Run.Phases) > 0 && !s.Run.Phases[0].End.IsZero() && !s.Run.Retires() { // before and after it is ours to change
		if who, does := s.TemplateMoved(); who != "" {
			out = append(out, record.ExternalMover{Kind: record.ExternalTemplate, Who: who, Does: does, Acts: true, Handling: record.HandlingRefused, How: text.RunPauses, WayOut: text.PutItRight})
		}
	}
	out = append(out, processMovers(s)...)
	out = append(out, unhealthy(s)...)
	out = append(out, scalers(s)...)
	if tag := Autoscaled(g); tag != "" {
		out = append(out, record.ExternalMover{
			Kind: record.ExternalAutoscaler, Who: string(world.MoverAutoscaler), Does: text.AutoscalerDoes(tag), Handling: record.HandlingLeft,
			How: text.AutoscalerLeft,
		})
	}
	return out
}

// OfEKS makes of the movers beside a run by EKS's rules those beside an update by EKS, which suspends and
// protects nothing.
func OfEKS(list []record.ExternalMover) {
	for i := range list {
		m := &list[i]
		switch m.Kind {
		case record.ExternalRebalance:
			m.Does, m.Handling, m.How = systems.EKSRebalanceDoes, record.HandlingLeft, systems.EKSRebalanceLeft
		case record.ExternalAutoscaler:
			m.How = systems.EKSAutoscalerLeft
		}
	}
}

// processMovers are the processes that the strategy suspends: as long as nobody else has,
// they would act.
func processMovers(s *assess.Reader) (out []record.ExternalMover) {
	g := &s.W.Group
	for _, process := range s.Rules.Suspends() {
		ours := slices.Contains(s.Run.Suspended, process)
		r := record.ExternalMover{
			Kind: record.ExternalRebalance, Who: process, Does: text.Rebalances,
			Handling: record.HandlingSuspended, How: text.SuspendedMeantime,
		}
		still := slices.ContainsFunc(s.Run.ExternalMovers, func(old record.ExternalMover) bool { return old.Who == process && !old.Seen.IsZero() })
		switch {
		case g.HasSuspended(process) && !ours:
			continue // another user has suspended it, and it stays so
		case g.HasSuspended(process):
			r.Seen = s.Now
		case ours && still && s.Settled("suspend/"+process) && s.Settled("resume/"+process):
			r.Seen = s.Now
			r.Does, r.Acts, r.Handling = text.ResumedByAnother, true, record.HandlingWarned
			r.How, r.WayOut = text.MayEndUndrained, suspendCommand(g, process)
		}
		out = append(out, r)
	}
	return out
}

func suspendCommand(g *world.Group, process string) string {
	return record.Action{Kind: record.Suspend, Group: g.Name, Process: process}.Command()
}

// unhealthy are the machines that the group will replace because they are not well.
func unhealthy(s *assess.Reader) []record.ExternalMover {
	g := &s.W.Group
	if g.HasSuspended("ReplaceUnhealthy") || g.HasSuspended("Terminate") {
		return nil
	}
	var nodes []string
	for _, id := range s.With(assess.Unhealthy) {
		m := s.W.Machine(id)
		if m.Leaving() || m.State == world.MachineStandby {
			continue
		}
		name := m.ID
		if n := s.W.NodeOf(m.ID); n != nil {
			name = n.Name
		}
		nodes = append(nodes, name)
	}
	if nodes == nil {
		return nil
	}
	return []record.ExternalMover{{
		Kind: record.ExternalUnhealthy, Who: text.HealthReplacement, Does: text.ReplacesSick, Nodes: nodes, Acts: true, Handling: record.HandlingLeft,
		How: text.NotWaitedFor,
	}}
}

// scalers are what changes the group's size by itself.
func scalers(s *assess.Reader) (out []record.ExternalMover) {
	g := &s.W.Group
	processes := map[string][]string{}
	for _, p := range g.Scaling.Policies {
		process := "AlarmNotification"
		if p.Kind == "PredictiveScaling" {
			process = "ScheduledActions"
		}
		processes[process] = append(processes[process], p.Name)
	}
	for _, process := range slices.Sorted(maps.Keys(processes)) {
		if g.HasSuspended(process) {
			continue
		}
		who, does := text.ScalingPolicies(processes[process])
		out = append(out, record.ExternalMover{
			Kind: record.ExternalPolicy, Who: who, Does: does, Handling: record.HandlingWarned,
			How:    text.PolicyLeft,
			WayOut: text.SuspendForNow(suspendCommand(g, process)),
		})
	}
	if g.HasSuspended("ScheduledActions") {
		return out
	}
	for _, a := range g.Scaling.Schedule {
		if !a.At.IsZero() && (a.At.Before(s.Now) || a.At.Sub(s.Now) > dayAhead) {
			continue
		}
		s.WakeAt(a.At)
		out = append(out, record.ExternalMover{
			Kind: record.ExternalSchedule, Who: text.ScheduledAction(a.Name), Does: text.ScheduleDoes(a.Sets(), a.At, a.Recurs), Handling: record.HandlingWarned,
			How:    text.ScheduleLeft,
			WayOut: text.SuspendForNow(suspendCommand(g, "ScheduledActions")),
		})
	}
	return out
}

// Autoscaled is the tag by which the Cluster Autoscaler finds a group, "" if it has none.
func Autoscaled(g *world.Group) string {
	for _, key := range slices.Sorted(maps.Keys(g.Tags)) {
		if rest, ok := strings.CutPrefix(key, autoscalerTag); ok && !strings.Contains(rest, "/") {
			return key
		}
	}
	return ""
}
