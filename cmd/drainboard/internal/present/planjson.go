package present

import (
	"cmp"
	"strings"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// PlanOf returns a plan as a JSON document.
func PlanOf(p snapshot.Plan) api.GroupPlan { return api.GroupPlan{GroupPlanFields: planFields(p)} }

func planFields(p snapshot.Plan) api.GroupPlanFields {
	run := p.Run
	out := api.GroupPlanFields{
		Group: p.Group, InstanceGroup: run.Alias, Role: string(p.Role), Strategy: p.Strategy, AsOf: p.AsOf, FromVersion: p.From, ToVersion: p.To,
		NodesAtOnce: p.Limit, SurgeNodes: p.Extra, SurgeReason: p.ExtraWhy, CanaryFirst: p.Strategy == StrategyKops && kopsCanary(p), Steps: kopsSteps(p),
		DetachInstances: p.Detach, WarmPoolInstances: p.Warm, FreeAddresses: p.FreeAddresses, ExternalMovers: externalMoversOf(p.ExternalMovers),
		ConsentsNeeded: p.Refusals, Warnings: p.Warnings, NotEvaluated: p.NotEvaluated, Order: ordersOf(run.Settings.Order), Only: run.Target.Only,
		Until: run.Settings.Until, Seed: run.Seed, Settings: settingsOf(run), SettingOrigins: originsOf(run.Settings.Origin),
		EstimatedDuration: api.Duration(p.Estimate), Inherited: raiseOf(run, run.Inherited), Rights: rightsOf(p),
	}
	if q := p.Quota; q != nil {
		out.Quota = &api.Quota{Name: q.Name, Limit: q.Limit, Used: q.Used, Needed: q.Each * p.Extra}
	}
	for _, n := range p.Nodes {
		out.Nodes = append(out.Nodes, api.PlannedNode{
			Instance: n.Machine, Node: n.Name, Zone: n.Zone, Version: n.Version, Batch: n.Batch, PodsToEvict: n.Evict, PodsStaying: n.Stay,
			ForeseenBlockers: n.Foreseen, NeverEvictable: n.Stuck, NotEvaluated: unlessEmpty(n.NotEvaluated), UnreachableSince: n.Unreachable,
			Spot: n.Spot, ScaleInProtected: n.Protected, Reason: api.Word(n.Why),
		})
		if !n.Unreachable.IsZero() {
			out.UnreachableNodes = append(out.UnreachableNodes, cmp.Or(n.Name, n.Machine))
		}
	}
	for _, h := range p.Hooks {
		hook := api.LifecycleHook{Name: h.Name, Transition: api.TransitionTerminating, Timeout: api.Duration(h.Timeout), Abandon: h.Abandon}
		if h.Launching {
			hook.Transition = api.TransitionLaunching
		}
		out.LifecycleHooks = append(out.LifecycleHooks, hook)
	}
	if r := p.Rehearsed(); r != nil {
		out.Rehearsal = &api.Rehearsal{
			Finishes: !r.Endless(), Extrapolated: r.Extrapolated, Result: api.Word(string(r.Result)), Message: r.Why,
			Replaced: r.Replaced, Failed: r.Failed, Remaining: r.Left, Blocked: r.Held,
			PodsWaiting: r.Load.Waiting, LongestWaiting: api.Duration(r.Load.WaitingFor), PodsLeft: r.Homeless,
		}
		for _, n := range r.NoRoom {
			out.Rehearsal.WithoutRoom = append(out.Rehearsal.WithoutRoom, n.String())
		}
	}
	if p.Forecast != nil {
		out.Forecast = forecastOf(&p.Forecast.Foreseen)
		for _, h := range p.Forecast.Rehearsal.Holds {
			out.Forecast.Holds = append(out.Forecast.Holds, api.ForecastHold{Budget: h.Budget, Pods: h.Pods})
		}
		for _, a := range p.Forecast.Assumptions {
			out.Forecast.Assumptions = append(out.Forecast.Assumptions, api.Assumption{What: string(a.What), Takes: api.Duration(a.Takes), Basis: string(a.Basis), Samples: a.Of, Message: a.String()})
		}
		for i, c := range p.Forecast.Rehearsal.Causes {
			if i == 0 {
				out.Forecast.Causes = nil
			}
			out.Forecast.Causes = append(out.Forecast.Causes, api.ForecastCause{Node: c.Node, Instance: c.Machine, Pod: c.Pod, Budget: strings.Join(c.Budgets, ","), NoLaunch: c.NoLaunch, Zone: c.Zone, Message: c.Message})
		}
	}
	return out
}

// forecastOf returns what is foreseen of a run, for JSON.
func forecastOf(f *record.Foreseen) *api.Forecast {
	out := &api.Forecast{
		Outlook: string(f.Outlook), AsOf: f.At, EndsAt: f.End, EarliestEnd: f.Earliest, LatestEnd: f.Latest, FailsAt: f.FailsAt,
		Result: api.Word(string(f.Result)), Message: cmp.Or(f.Cause, f.Unevaluated), Nodes: f.Nodes, NodesStaying: f.Stay,
	}
	if f.Cause != "" {
		out.Causes = []api.ForecastCause{{Node: f.Node, Pod: f.Pod, Budget: f.Budget, Message: f.Cause}}
	}
	return out
}

// raiseOf returns what runs have left of a raise, for JSON.
func raiseOf(run record.Run, left *record.Raise) *api.Raise {
	if left == nil {
		return nil
	}
	what, command := run.RaiseText(left)
	return &api.Raise{Run: left.Run, At: left.At, Desired: left.Desired, Max: left.Max, Unsure: left.Unsure, Doubtful: left.Doubtful, Message: what, Command: command}
}

// ordersOf returns how nodes are ordered, for JSON.
func ordersOf(orders []record.Order) []string {
	if len(orders) == 0 {
		return []string{string(record.OrderRandom)}
	}
	out := make([]string, len(orders))
	for i, o := range orders {
		out[i] = string(o)
	}
	return out
}

// settingsOf returns the settings of a run, for JSON.
func settingsOf(r record.Run) api.Settings {
	s := r.Settings
	out := api.Settings{
		AllNodes: r.Target.All, MaxUnavailable: s.MaxUnavailable.String(), Approve: string(s.Approve), BatchSize: s.BatchSize,
		CanaryWatch: api.Duration(s.CanaryWatch), MaxFailedNodes: s.MaxFailedNodes, RetireSurge: s.RetireSurge, Singles: s.Singles, Unreachable: string(s.Unreachable),
		UnreachableAfter: api.Duration(s.UnreachableAfter), DrainTimeout: api.Duration(s.DrainTimeout), OnDrainTimeout: string(s.OnDrainTimeout),
		ForcedBy: s.ForcedBy, PostDrainWait: api.Duration(s.Settle), NodeReadyTimeout: api.Duration(s.NodeReadyTimeout),
		TerminateTimeout: api.Duration(s.TerminateTimeout), ForceUnmanaged: s.Unmanaged, DeleteEmptydirData: s.EmptyDir,
		EvictionRetry: api.Duration(s.EvictionRetry), EvictionsAtOnce: s.EvictionsAtOnce, PendingLimit: api.Duration(s.PendingLimit),
		GatePause: api.Duration(s.GatePause), OnTrouble: string(s.OnTrouble), ClusterMaxAge: api.Duration(s.ClusterMaxAge), CloudMaxAge: api.Duration(s.CloudMaxAge),
		BeforeNodeTimeout: api.Duration(s.BeforeNode), AfterNodeTimeout: api.Duration(s.AfterNode), Interval: api.Duration(s.Interval),
		ValidateCount: s.ValidateCount, ValidatePause: api.Duration(s.ValidatePause), ValidateRetry: api.Duration(s.ValidateRetry),
		ValidationTimeout: api.Duration(s.ValidateTimeout), DeregisterLimit: api.Duration(s.DeregisterLimit), CloudOnly: s.CloudOnly,
		CloudOnlyBy: s.CloudOnlyBy, MaxEvictRetries: s.EvictRetries, MisconfiguredRetry: api.Duration(s.MisconfiguredRetry),
		VolumesInTurn: s.VolumesInTurn, HealthTimeout: api.Duration(s.HealthTimeout), NodeConditions: s.NodeConditions, HealthInTurn: s.HealthInTurn,
		AllowQuorumLoss: s.AllowQuorumLoss, WaitForStart: api.Duration(s.WaitForStart), UpdateTimeout: api.Duration(s.UpdateTimeout), ExpectLabels: s.NewLabels,
	}
	if s.MaxSurge != (record.Amount{}) || s.Surge != record.SurgeEKS || r.Strategy == strategyEKS {
		out.MaxSurge = surgeText(r)
	}
	if p := s.Pace; p != nil {
		out.MaxUnavailable, out.MaxSurge = cmp.Or(p.MaxUnavailable, out.MaxUnavailable), cmp.Or(p.MaxSurge, out.MaxSurge)
	}
	if r.Strategy == StrategyKops {
		validate, drain, end := !s.PassInvalid, !s.PassDrain, !s.KeepOld
		out.FailOnValidateError, out.FailOnDrainError, out.DrainAndTerminate = &validate, &drain, &end
	}
	return out
}

// originsOf returns the origins of settings, by their names in JSON.
func originsOf(byFlag map[string]string) map[string]string {
	out := map[string]string{}
	for flag, origin := range byFlag {
		out[settingName(flag)] = origin
	}
	return out
}

// settingName returns a flag's field name: drain-timeout is drainTimeout.
func settingName(flag string) string {
	parts := strings.Split(flag, "-")
	for i, p := range parts[1:] {
		parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "")
}

// RollOf returns the plan of a roll as a JSON document.
func RollOf(p RollPlan) api.RollPlan {
	out := api.RollPlan{ID: p.Roll.ID, Rules: p.Rules.About, ResumeCommand: p.Roll.Again}
	for _, g := range p.Roll.Groups {
		row := api.RollGroup{
			Group: cmp.Or(g.Group, g.Name), Role: string(g.Role), State: api.Word(string(g.State)), Message: g.Why, ExitCode: g.Code,
			Resumes: g.Resumes, Run: g.Run, Outdated: g.Total, Replaced: g.Done,
		}
		if g.Group != "" {
			row.InstanceGroup = g.Name
		}
		if plan, planned := p.Plans[g.Name]; planned {
			fields := planFields(plan)
			row.Plan = &fields
		}
		out.Groups = append(out.Groups, row)
	}
	return out
}
