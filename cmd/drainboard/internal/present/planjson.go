package present

import (
	"reflect"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
)

// Plan is a plan for programs (docs/json.md).
type Plan struct {
	engine.Plan
	Order       []record.Order `json:"order"`
	Only        []string       `json:"only,omitempty"`
	Until       time.Time      `json:"until,omitzero"`
	Unreachable []string       `json:"unreachable,omitempty"`
	// Alias is what people call the group, Steps what is done by the rules of kops; Canary:
	// one node goes first, because none is of the current spec.
	Alias  string   `json:"alias,omitempty"`
	Steps  []string `json:"steps,omitempty"`
	Canary bool     `json:"canary,omitempty"`

	Seed     uint64         `json:"seed"`
	Settings map[string]any `json:"settings"`

	// Estimate and the hooks' timeouts are the plan's, as text.
	Estimate string `json:"estimate"`
	Hooks    []Hook `json:"hooks,omitempty"`

	// Rehearsed: Estimate is what a rehearsal took, and Rehearsal what that came to.
	Rehearsed bool       `json:"rehearsed"`
	Rehearsal *Rehearsal `json:"rehearsal,omitempty"`
}

// Rehearsal is what came of a rehearsal.
type Rehearsal struct {
	// Ends: the run would end by itself, with Result, as far as it was not cut off
	// (Extrapolated).
	Ends         bool          `json:"ends"`
	Extrapolated bool          `json:"extrapolated,omitempty"`
	Result       record.Result `json:"result,omitempty"`
	Why          string        `json:"why,omitempty"`
	Replaced     int           `json:"replaced"`
	Failed       int           `json:"failed"`
	Left         int           `json:"left"`
	Held         []string      `json:"held,omitempty"`
}

// Hook is a lifecycle hook that will hold machines.
type Hook struct {
	engine.PlannedHook
	Timeout string `json:"timeout"`
}

// forPrograms are settings by their names in the record, without those that are not set, and
// durations and amounts as flags take them ("15m0s", "25%").
func forPrograms(s record.Settings) map[string]any {
	out := map[string]any{}
	for field, value := range reflect.ValueOf(s).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if value.IsZero() {
			continue
		}
		switch v := value.Interface().(type) {
		case time.Duration:
			out[name] = v.String()
		case record.Amount:
			out[name] = v.String()
		default:
			out[name] = v
		}
	}
	return out
}

// PlanOf is a plan for programs.
func PlanOf(p engine.Plan) Plan {
	out := Plan{Plan: p, Order: p.Run.Settings.Order, Only: p.Run.Target.Only, Until: p.Run.Settings.Until, Seed: p.Run.Seed, Settings: forPrograms(p.Run.Settings), Alias: p.Run.Alias, Steps: kopsSteps(p), Estimate: p.Estimate.String()}
	if out.Nodes == nil {
		out.Nodes = []engine.PlannedNode{} // whoever goes through them need not ask first
	}
	if r := p.Rehearsal; r != nil {
		out.Rehearsed, out.Rehearsal = true, &Rehearsal{!r.Endless(), r.Extrapolated, r.Result, r.Why, r.Replaced, r.Failed, r.Left, r.Held}
	}
	for _, h := range p.Hooks {
		out.Hooks = append(out.Hooks, Hook{h, h.Timeout.String()})
	}
	out.Canary = p.Strategy == StrategyKops && kopsCanary(p)
	if len(out.Order) == 0 {
		out.Order = []record.Order{record.OrderRandom}
	}
	for _, n := range p.Nodes {
		if !n.Unreachable.IsZero() {
			out.Unreachable = append(out.Unreachable, n.Name)
		}
	}
	return out
}

// Roll is the plan of a roll for programs (docs/json.md); its plans are those of the groups
// that have no unfinished run, in their order.
type Roll struct {
	roll.Roll
	Rules string `json:"rules"`
	Plans []Plan `json:"plans"`
}

func RollOf(p RollPlan) Roll {
	out := Roll{Roll: p.Roll, Rules: p.Rules.About, Plans: []Plan{}}
	for _, g := range p.Roll.Groups {
		if plan, ok := p.Plans[g.Name]; ok {
			out.Plans = append(out.Plans, PlanOf(plan))
		}
	}
	return out
}
