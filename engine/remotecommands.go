package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

const (
	// takenFor is how long it is remembered that a command was obeyed: it is not heard
	// again after its life, and another machine's clock may be behind by a little.
	takenFor = record.CommandLife + time.Minute
	// mostTaken is how many are remembered; beyond that only what stops a run is obeyed,
	// and the oldest is forgotten.
	mostTaken = 64
)

// handleRemote obeys a command from elsewhere, once, and answers it.
func (s *Step) handleRemote(c record.Command) {
	if i := slices.IndexFunc(s.Run.HandledCommands, func(a record.Ack) bool { return a.ID == c.ID }); i >= 0 {
		s.acks = append(s.acks, s.Run.HandledCommands[i]) // the answer did not reach the sender
		return
	}
	c.Run, c.Kind = world.Clean(c.Run), record.CommandKind(world.Clean(string(c.Kind)))
	before := len(s.events)
	s.declined = false
	if why := s.unheard(c); why != "" {
		s.refuse(c, why)
	} else {
		s.handle(c)
	}
	ack := record.Ack{ID: c.ID, At: s.Now, Given: c.At, Accepted: !s.declined}
	var words []string
	for i := range s.events[before:] {
		e := &s.events[before+i]
		words = append(words, e.Message)
		if e.Remote = true; !strings.Contains(e.Message, c.Who()) {
			e.Message = text.ByCommand(e.Message, string(c.Kind), c.Who())
		}
	}
	ack.Answer = strings.Join(words, "; ")
	s.acks = append(s.acks, ack)
	if ack.Accepted {
		s.Run.HandledCommands = append(s.Run.HandledCommands, ack)
		s.Run.HandledCommands = s.Run.HandledCommands[max(0, len(s.Run.HandledCommands)-mostTaken):]
	}
}

// unheard says why a command from elsewhere is not even looked at, "" if it is.
func (s *Reader) unheard(c record.Command) string {
	switch {
	case !c.Kind.Remote():
		return text.NotTakenRemotely(string(c.Kind))
	case c.Run != s.Run.ID:
		return text.ForAnotherRun(string(c.Kind), c.Run, s.Run.ID)
	case s.Now.After(c.At.Add(record.CommandLife)), s.Now.After(c.Expires):
		return text.CommandExpired(string(c.Kind), s.Now.Sub(c.At))
	case len(s.Run.HandledCommands) >= mostTaken && !c.Kind.Stops():
		return text.TooManyCommands(string(c.Kind))
	}
	return ""
}

// forgetHandled forgets the commands that cannot be heard again.
func (s *Step) forgetHandled() {
	s.Run.HandledCommands = slices.DeleteFunc(s.Run.HandledCommands, func(a record.Ack) bool { return s.Now.After(a.Given.Add(takenFor)) })
}

// AbortPlan says what an abort would do, as far as the record and the rules of its strategy tell.
func AbortPlan(r record.Run, rules Rules) []string {
	s := &Reader{Run: r, W: world.New(), Rules: rules}
	return s.conduct().abortPlan(s)
}
