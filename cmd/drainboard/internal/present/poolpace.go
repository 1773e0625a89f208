package present

import (
	"fmt"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// poolPace returns the pace of a worker pool: where Gardener rolls it, the surge and the
// unavailable machines that its zones may have.
func poolPace(p snapshot.Plan) string {
	took := p.Estimate.Round(time.Second)
	if p.Strategy == (strategy.GardenerManual{}).Name() {
		return fmt.Sprintf("Up to %d at once, about %s. A node is out of service while it is updated, without a replacement.", p.Limit, took)
	}
	zones := zonesPace(p.Pool.Zones)
	if zones == "" {
		return "Gardener rolls all zones side by side. maxSurge and maxUnavailable are in the Shoot, which is not read."
	}
	return fmt.Sprintf("Gardener rolls all zones side by side, about %s. %s.", took, zones)
}

// zonesPace returns the surge and the unavailable machines that the zones may have, equal
// zones together; "" if unknown.
func zonesPace(zones []snapshot.PoolZone) string {
	var all []string
	alike, guess := map[string][]string{}, false
	for _, z := range zones {
		if z.AtOnce() == "" {
			continue
		}
		guess = guess || z.Guess
		more, miss := "none", "none"
		if z.Surge > 0 {
			more = plural(z.Surge, "machine")
		}
		if z.Unavailable > 0 {
			miss = fmt.Sprint(z.Unavailable)
		}
		text := fmt.Sprintf("may have %s more and %s unavailable", more, miss)
		if alike[text] == nil {
			all = append(all, text)
		}
		alike[text] = append(alike[text], dash(z.Name))
	}
	for i, text := range all {
		names := alike[text]
		switch n := len(names); {
		case n == 1:
			all[i] = "Zone " + names[0] + " " + text
		default:
			all[i] = "Zones " + strings.Join(names[:n-1], ", ") + " and " + names[n-1] + " " + strings.Replace(text, "may have", "may each have", 1)
		}
		if i > 0 {
			all[i] = strings.ToLower(all[i][:1]) + all[i][1:]
		}
	}
	text := strings.Join(all, "; ")
	if guess {
		text += ", by the Shoot"
	}
	return text
}

// PaceChange is what a run that is about to be driven changes of the pace of its pool, as a
// sentence without an end; "" for nothing.
func PaceChange(run record.Run, p *world.Pool) string {
	if run.Settings.Pace == nil || p == nil || p.Shoot == "" {
		return ""
	}
	now := p.Pace()
	was := now
	if run.Pace != nil {
		was = run.Pace.Was
	}
	set := run.Settings.Pace.Over(was)
	if set == now {
		return ""
	}
	s := text.SetPace(now.String(), set.String(), p.Name, p.Shoot)
	return strings.ToUpper(s[:1]) + s[1:]
}
