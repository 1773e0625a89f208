package main

import (
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
)

// planJSON is a plan for programs (docs/json.md).
type planJSON struct {
	engine.Plan
	Order       []engine.Order `json:"order"`
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
	Estimate string     `json:"estimate"`
	Hooks    []hookJSON `json:"hooks,omitempty"`

	// Rehearsed: Estimate is what a rehearsal took, and Rehearsal what that came to.
	Rehearsed bool           `json:"rehearsed"`
	Rehearsal *rehearsalJSON `json:"rehearsal,omitempty"`
}

// rehearsalJSON is what came of a rehearsal.
type rehearsalJSON struct {
	// Ends: the run would end by itself, with Result, as far as it was not cut off
	// (Extrapolated).
	Ends         bool          `json:"ends"`
	Extrapolated bool          `json:"extrapolated,omitempty"`
	Result       engine.Result `json:"result,omitempty"`
	Why          string        `json:"why,omitempty"`
	Replaced     int           `json:"replaced"`
	Failed       int           `json:"failed"`
	Left         int           `json:"left"`
	Held         []string      `json:"held,omitempty"`
}

// hookJSON is a lifecycle hook that will hold machines.
type hookJSON struct {
	engine.PlannedHook
	Timeout string `json:"timeout"`
}

// forPrograms are settings by their names in the record, without those that are not set, and
// durations and amounts as flags take them ("15m0s", "25%").
func forPrograms(s engine.Settings) map[string]any {
	out := map[string]any{}
	for field, value := range reflect.ValueOf(s).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if value.IsZero() {
			continue
		}
		switch v := value.Interface().(type) {
		case time.Duration:
			out[name] = v.String()
		case engine.Amount:
			out[name] = v.String()
		default:
			out[name] = v
		}
	}
	return out
}

// jsonOf is a plan for programs.
func jsonOf(p engine.Plan) planJSON {
	out := planJSON{Plan: p, Order: p.Run.Settings.Order, Only: p.Run.Target.Only, Until: p.Run.Settings.Until, Seed: p.Run.Seed, Settings: forPrograms(p.Run.Settings), Alias: p.Run.Alias, Steps: kopsSteps(p), Estimate: p.Estimate.String()}
	if out.Nodes == nil {
		out.Nodes = []engine.PlannedNode{} // whoever goes through them need not ask first
	}
	if r := p.Rehearsal; r != nil {
		out.Rehearsed, out.Rehearsal = true, &rehearsalJSON{!r.Endless(), r.Extrapolated, r.Result, r.Why, r.Replaced, r.Failed, r.Left, r.Held}
	}
	for _, h := range p.Hooks {
		out.Hooks = append(out.Hooks, hookJSON{h, h.Timeout.String()})
	}
	out.Canary = p.Strategy == kopsStrategy && kopsCanary(p)
	if len(out.Order) == 0 {
		out.Order = []engine.Order{engine.OrderRandom}
	}
	for _, n := range p.Nodes {
		if !n.Unreachable.IsZero() {
			out.Unreachable = append(out.Unreachable, n.Name)
		}
	}
	return out
}

// rollJSON is the plan of a roll for programs (docs/json.md); its plans are those of the groups
// that have no unfinished run, in their order.
type rollJSON struct {
	engine.Roll
	Rules string     `json:"rules"`
	Plans []planJSON `json:"plans"`
}

func rollForPrograms(p rollPlan) rollJSON {
	out := rollJSON{Roll: p.roll, Rules: p.rules.About, Plans: []planJSON{}}
	for _, g := range p.roll.Groups {
		if plan, ok := p.plans[g.Name]; ok {
			out.Plans = append(out.Plans, jsonOf(plan))
		}
	}
	return out
}

// indented writes a value for programs.
func indented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
