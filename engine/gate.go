package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
)

// startDrains begins to empty nodes, at most slots of them, one after the other as
// far as the gate allows. One that does not serve takes nothing out of service, and
// goes ahead of those that the gate holds. One that another user or tool takes out of service
// is waited for.
func (s *Step) startDrains(machines []string, slots int) {
	if len(machines) == 0 {
		return
	}
	if slots <= 0 {
		if why := s.NoRoom(); why != "" {
			s.holdGate(why)
		}
		return
	}
	asked := s.HooksUnderWay(record.BeforeNode)
	slots -= len(asked)
	if slots <= 0 {
		return
	}
	in, held, waits, back := s.InService(), "", false, "" // back: why the strategy holds one back
	about := slices.Clone(asked)
	for _, id := range asked { // as if they drained
		if m := s.W.Machine(id); m != nil && s.Serves(m) {
			in--
		}
	}
	for len(machines) > 0 {
		id := machines[0]
		machines = machines[1:]
		if slices.Contains(asked, id) {
			continue
		}
		if s.TakenBy(s.Run.Nodes[id].Name) != "" {
			waits = true
			continue
		}
		m := s.W.Machine(id)
		serves := m != nil && s.Serves(m)
		stay := in
		if serves || s.WaitedFor(id) {
			stay--
		}
		if held != "" && stay < in {
			continue
		}
		if s.Conduct().InPlace(&s.Reader, id) && s.W.NodeOf(id) == nil {
			back = text.NothingToSelect(s.Label(id, s.Run.Nodes[id]))
			continue
		}
		if why := s.Held(id, about); (serves || s.Conduct().HoldsIdle()) && why != "" {
			back = why
			continue
		}
		if why := s.GateReason(stay); why != "" {
			if held == "" {
				machines = s.NotServing(machines)
			}
			held = why
			continue
		}
		if serves {
			in--
		}
		if !s.Run.GateSince.IsZero() {
			s.Run.GateSince = s.Now // a drain has passed it
		}
		if letGo(s, id) {
			s.startDrain(id)
		} else {
			about = append(about, id)
		}
		if slots--; slots == 0 {
			held, waits, back = "", false, "" // the limit holds the others, not the gate
			break
		}
	}
	if held == "" && waits && len(asked)+s.Count(record.Draining, record.Settling, record.Terminating, record.Updating) == 0 {
		held = s.WaitsFor()
	}
	if held == "" && back != "" && s.Idles() {
		held = text.HeldBack(back, s.OutOfService())
	}
	if held != "" {
		s.holdGate(held)
	} else {
		s.openGate()
	}
}

// Admit starts drains: as many queued nodes as the limit and the gate allow.
func (s *Step) Admit() {
	if s.Run.State != record.Running {
		return
	}
	s.AddUnrestoredLate(0, s.Run.Surge())
	slots := s.Slots()
	approve(s, slots)
	queued := s.Count(record.Queued)
	if why := cmp.Or(s.NoRoom(), s.Stalled()); why != "" && queued+s.Count(record.Outdated) > 0 {
		s.holdGate(why)
		return
	}
	if queued == 0 {
		s.openGate()
	}
	if slots <= 0 {
		return
	}
	s.startDrains(s.NextQueued(), slots)
}

// holdGate notes that no drain starts now; a gate that stays shut pauses the run.
func (s *Step) holdGate(why string) {
	if s.Run.GateSince.IsZero() {
		s.Run.GateSince = s.Now
		s.Report(record.Event{Type: record.Warning, Reason: "gate", Message: text.NoDrainStarts(why)})
	}
	s.setGate(why)
	limit := s.Run.GateSince.Add(s.Run.Settings.GatePause)
	s.WakeAt(limit)
	if !s.Now.Before(limit) {
		s.openGate()
		s.Pause(text.NoDrainStarted(s.Run.Settings.GatePause, why))
	}
}

func (s *Step) openGate() {
	s.Run.GateSince = time.Time{}
	s.setGate("")
}

// setGate says why no drain starts; that is written down for who watches.
func (s *Step) setGate(why string) {
	s.changed = s.changed || s.Run.Gate != why
	s.Run.Gate = why
}
