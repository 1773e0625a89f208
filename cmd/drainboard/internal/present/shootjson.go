package present

import (
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/providers/gardener/shoot"
)

// ChangeOf returns what a change of a Shoot would do, as a JSON document.
func ChangeOf(p shoot.Plan) api.ShootChangePlan {
	out := api.ShootChangePlan{
		Shoot: p.Shoot, AsOf: p.AsOf, Refused: p.Refused, OtherChanges: p.Beside, Notes: p.Notes,
		Start: api.ChangeStart{When: p.Start.When, OpensAt: p.Start.Opens, ClosesAt: p.Start.Closes, Message: p.Start.Why},
	}
	for _, r := range p.Refusals {
		out.Refusals = append(out.Refusals, api.ShootRefusal{Rule: string(r.Rule), Pool: r.Pool, Field: r.Field, Old: r.Old, New: r.New, Message: r.Why})
	}
	if w := p.Window; w != nil {
		out.TimeWindow = &api.ShootTimeWindow{Begin: w.Begin, End: w.End, Open: w.Open, OpensAt: w.Opens, ClosesAt: w.Closes}
	}
	for _, pool := range p.Pools {
		out.Pools = append(out.Pools, changedPoolOf(pool))
	}
	return out
}

func changedPoolOf(p shoot.Pool) api.ChangedPool {
	out := api.ChangedPool{
		Pool: p.Name, UpdateStrategy: p.Strategy, Effect: string(p.Effect), UpdatePending: p.Pending, Forced: p.Forced,
		Minimum: p.Minimum, Maximum: p.Maximum, Zones: p.Zones, Notes: p.Notes,
	}
	for _, c := range p.Causes {
		out.Causes = append(out.Causes, api.ChangeCause{
			Field: c.Field, Old: c.Old, New: c.New, Effect: string(c.Effect), Message: c.Why, Rule: string(c.Rule), Documentation: c.Seed,
		})
	}
	if s := p.Switch; s != nil {
		out.StrategySwitch = &api.StrategySwitch{From: s.From, To: s.To, Allowed: s.Allowed, Message: s.Why}
	}
	if pace := p.Pace; pace != nil {
		out.Pace = &api.RollPace{MaxSurge: pace.MaxSurge, MaxUnavailable: pace.MaxUnavailable, Notes: pace.Notes}
		for _, z := range pace.Zones {
			out.Pace.ZoneShares = append(out.Pace.ZoneShares, api.ZoneShare{Zone: z.Zone, MaxSurge: z.MaxSurge.String(), MaxUnavailable: z.MaxUnavailable.String()})
		}
		for _, l := range pace.Timeouts {
			out.Pace.Timeouts = append(out.Pace.Timeouts, api.ControllerLimit{Name: l.Name, Value: l.Value, Default: l.Default, Then: l.Then, Documentation: l.Seed})
		}
	}
	return out
}
