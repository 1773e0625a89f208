package report

import (
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/journal"
)

// lineID names a line: two processes may number theirs alike.
type lineID struct {
	writer string
	seq    int
}

// ask takes in an action.
func (b *builder) ask(l journal.Line) {
	a, of := l.Action, lineID{l.Writer, l.Seq}
	if a.Kind == record.CheckEffect {
		b.checks[of] = a.Of.Key
	}
	if a.ReadOnly() {
		return
	}
	if c := b.byKey[a.Key]; c != nil && a.Kind == record.Evict && c.Outcome.Verdict == record.Refused && !c.Answered.IsZero() {
		c.Tries, c.Answered, c.Outcome = c.Tries+1, time.Time{}, record.Outcome{}
		b.asked[of] = c
		return
	}
	c := &Change{At: l.At, Tries: 1, What: a.Sentence(), Action: a.Action, Twin: a.Action.Command(), Forced: a.Forced}
	b.asked[of], b.byKey[a.Key] = c, c
	b.r.Changes = append(b.r.Changes, c)
	if n := b.nodes[a.Machine]; n != nil {
		n.Changes = append(n.Changes, c)
	}
	if a.Forced != nil {
		b.r.Forced = append(b.r.Forced, c)
		b.used[a.Forced.Order] = true
	}
}

const (
	foundDone = "done: answer lost, found by a check"
	foundNot  = "not done: found by a check"
)

// answer applies the outcome of an action, or of a check.
func (b *builder) answer(l journal.Line) {
	o := l.Outcome
	of := lineID{l.Writer, o.Of}
	if c := b.asked[of]; c != nil {
		c.Answered, c.Outcome = l.At, o.Outcome
		delete(b.asked, of)
		return
	}
	if c := b.byKey[b.checks[of]]; c != nil && o.Verdict == record.Done && (c.Answered.IsZero() || c.Outcome.Verdict == record.Unknown) {
		if c.Found = foundNot; o.Happened {
			c.Found = foundDone
		}
	}
}
