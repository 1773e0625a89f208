package hooks

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text"
)

// blockages remembers which nodes have been blocked since when, and which hooks were told.
type blockages map[string]*blockage // by machine

type blockage struct {
	since time.Time
	told  map[int]bool // by hook
}

// see takes a snapshot in, and returns for each hook (by its place) the nodes that it is
// to be told of: those that have been blocked for its time, once until they no longer are.
func (b blockages) see(s *snapshot.Snapshot, hooks []Hook) map[int][]record.Event {
	out := map[int][]record.Event{}
	still := map[string]bool{}
	for _, zone := range s.Zones {
		for _, row := range zone.Rows {
			if !row.Blocked || row.Stage != record.Draining {
				continue
			}
			still[row.ID] = true
			if b[row.ID] == nil {
				b[row.ID] = &blockage{since: s.At, told: map[int]bool{}}
			}
			for i := range hooks {
				if is := b[row.ID]; hooks[i].Wants(Blocked) && !is.told[i] && s.At.Sub(is.since) >= hooks[i].blockedFor() {
					is.told[i] = true
					out[i] = append(out[i], blockedEvent(s, row, s.At.Sub(is.since)))
				}
			}
		}
	}
	for id := range b {
		if !still[id] {
			delete(b, id)
		}
	}
	return out
}

// blockedEvent says what keeps pods on a node, and the way out.
func blockedEvent(s *snapshot.Snapshot, row *snapshot.NodeRow, since time.Duration) record.Event {
	e := record.Event{Time: s.At, Run: s.RunID, Group: s.Group, Type: record.NodeBlocked, Node: row.Name, Zone: row.Zone}
	for _, p := range s.Phases {
		if !p.Start.IsZero() && p.End.IsZero() {
			e.Phase = p.Name
		}
	}
	if row.Wait != nil {
		e.Until = &row.Wait.End
	}
	e.Message = "blocked for " + since.Round(time.Second).String()
	more := -1
	for _, k := range s.Blockers {
		if k.Machine != row.ID {
			continue
		}
		if more++; more > 0 {
			continue
		}
		e.Pod, e.Reason = k.Pod, string(k.Kind)
		e.Message += fmt.Sprintf(": %s: %s", k.Pod, k.Detail)
		if k.WayOut != "" {
			e.Message += "; " + text.ForceInDashboard(k.WayOut)
		}
		for i, budget := range k.Budgets {
			if i > 0 {
				e.Budget += ","
			}
			e.Budget += budget.Ref
		}
	}
	if more > 0 {
		e.Message += fmt.Sprintf(" (and %d more pods)", more)
	}
	return e
}
