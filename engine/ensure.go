package engine

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// expiry is how long an accepted action may go unseen before a direct read has to
// tell; unanswered is how long one may be under way. The loop answers for every
// action in less time than that, so that none is asked again while it may still
// happen.
const (
	expiry     = 20 * time.Second
	unanswered = 3 * time.Minute
)

// Ensure asks for an action until its effect is there, and reports whether it
// is: seen in the world, or accepted by the API and not yet contradicted. It
// never has two actions with one key under way, pauses after a refusal, and ends
// the run when the API keeps saying that it will never do it.
func (s *Step) Ensure(a record.Action) bool {
	if p, ok := s.Run.Pending[a.Key]; ok {
		if a.IsSeen(s.W) && !p.Accepted.IsZero() {
			delete(s.Run.Pending, a.Key)
			delete(s.Run.Retries, a.Key)
			s.changed = true
			return true
		}
		return !p.Accepted.IsZero()
	}
	if a.IsSeen(s.W) {
		if _, refused := s.Run.Retries[a.Key]; refused { // others have done it since
			delete(s.Run.Retries, a.Key)
			s.changed = true
		}
		return true
	}
	if retry, ok := s.Run.Retries[a.Key]; ok {
		if retry.Hopeless() && s.Run.State == record.Running {
			s.Fail(record.Failed, text.Refused(a.Sentence(), retry.Message))
			return false
		}
		s.WakeAt(retry.Next)
		if s.Now.Before(retry.Next) {
			return false
		}
	}
	s.ask(a)
	return false
}

// ask records an action as pending and hands it to the executor, unless what it
// needs to know is stale.
func (s *Step) ask(a record.Action) bool {
	if s.failed && !a.ReadOnly() || s.unwritten {
		return false
	}
	for _, src := range a.Needs() {
		if !s.Fresh(src) {
			return false
		}
	}
	if _, busy := s.Run.Pending[a.Key]; busy {
		return false
	}
	expires := s.Now.Add(max(unanswered, a.Limit+hookSlack))
	s.Run.Pending[a.Key] = record.Pending{Action: a, Asked: s.Now, Expires: expires}
	s.actions = append(s.actions, a)
	s.WakeAt(expires)
	return true
}

// takeOutcomes lays what came of actions over the run.
func takeOutcomes(s *Step, outs []record.Outcome) {
	for _, o := range outs {
		o = o.Cleaned()
		p, ok := s.Run.Pending[o.Key]
		if !ok {
			continue // it expired, was looked up, and is settled
		}
		switch p.Action.Kind {
		case record.LookAtPods:
			delete(s.Run.Pending, o.Key)
			if o.Verdict == record.Done {
				s.looks[p.Action.Machine] = o
				delete(s.Run.Retries, o.Key)
			} else {
				pauseRetry(s, o)
			}
			continue
		case record.LookAtRoutes:
			delete(s.Run.Pending, o.Key)
			s.routes[p.Action.Machine] = o
			continue
		case record.LookAtBalancers:
			delete(s.Run.Pending, o.Key)
			s.balancers[p.Action.Machine] = o
			continue
		case record.CheckEffect:
			takeCheck(s, p.Action, o)
			continue
		case record.LookAtOwner:
			delete(s.Run.Pending, o.Key)
			takeOwner(s, p.Action, o)
			continue
		case record.Inspect:
			delete(s.Run.Pending, o.Key)
			takeInspection(s, p.Action.Machine, o)
			continue
		case record.Evict, record.Delete:
			takeEviction(s, p, o)
			continue
		case record.RunHook:
			takeHook(s, p, o)
			continue
		}
		switch o.Verdict {
		case record.Done:
			p.Accepted, p.Expires = s.Now, s.Now.Add(expiry)
			s.Run.Pending[o.Key] = p
			took(s, p.Action, o)
		case record.Refused:
			if p.Repeated && turnedAway(o) {
				repeatLater(s, p, o)
				continue
			}
			delete(s.Run.Pending, o.Key)
			refused(s, p.Action, o)
		case record.Unknown:
			p.Expires = s.Now
			s.Run.Pending[o.Key] = p
		}
	}
}

// doubt notes that an end with decrement may have taken nothing down: the size itself will tell.
func doubt(s *Step) {
	s.Run.Doubted++
	s.Run.DoubtedAt = s.Now
}

// took is called once for every accepted change that is not an eviction.
func took(s *Step, a record.Action, o record.Outcome) {
	if a.Kind == record.CreateTemplate && o.Template != nil {
		s.made = o.Template
	}
	if a.Kind == record.SetSizes && a.Sizes.Max != a.From.Max {
		s.Run.MaxSet = a.Sizes.Max
	}
	if a.Key == record.RaiseKey {
		s.Run.Raised = true
	}
	if a.Kind == record.StartUpdate || a.Kind == record.SetUpdateConfig {
		a = tookUpdate(s, a, o.Update)
	}
	if n, known := s.Run.Nodes.Find(a.Machine); known && a.Kind == record.Terminate {
		n.Ends = true
		s.SetNode(a.Machine, n)
	}
	if a.Decrement && (o.Already || o.Happened && !o.Shrunk) { // the machine alone does not tell who has ended it
		doubt(s)
	}
	switch a.Kind {
	case record.Terminate:
		validateAgain(s, a.Machine)
	case record.Detach:
		observer{s}.left(a.Machine)
	}
	delete(s.Run.Retries, a.Key)
	if a.Kind == record.Scale {
		tookScale(s, a)
	}
	if a.Kind == record.Deregister {
		tookOut(s, a, o)
		return
	}
	s.reportChange(a)
}

func refused(s *Step, a record.Action, o record.Outcome) {
	if a.Kind == record.Scale {
		refusedScale(s, a, o)
		return
	}
	if (a.Kind == record.Terminate || a.Kind == record.EndWarm) && o.Refusal == record.RefusedGone {
		s.Run.Pending[a.Key] = record.Pending{Action: a, Asked: s.Now, Accepted: s.Now, Expires: s.Now.Add(expiry)}
		s.vanished(a)
		return
	}
	unasked(s, a)
	if m := s.W.Machine(a.Machine); a.Kind == record.Terminate && m != nil && m.Leaving() { // others end it, and it is not asked for again
		s.vanished(a)
	}
	reportRefusal(s, a, o)
}

// turnedAway reports whether a request was turned away before anybody looked at what it asks for: that
// does not tell what came of an earlier one with the same token.
func turnedAway(o record.Outcome) bool {
	return o.Refusal == record.RefusedBusy || o.Refusal == record.RefusedForbidden || o.Refusal == record.RefusedStale
}

// repeatLater has the fate of a request looked up again after a pause.
func repeatLater(s *Step, p record.Pending, o record.Outcome) {
	reportRefusal(s, p.Action, o)
	p.Expires = s.Run.Retries[o.Key].Next
	s.Run.Pending[o.Key] = p
}

// reportRefusal remembers a refusal, and reports it unless the one that was reported last said the same.
func reportRefusal(s *Step, a record.Action, o record.Outcome) {
	pauseRetry(s, o)
	if r := s.Run.Retries[a.Key]; o.Refusal != record.RefusedStale && r.Told != o.Message {
		r.Told = o.Message
		s.Run.Retries[a.Key] = r
		s.Report(record.Event{Type: record.Warning, Node: a.Node, Reason: string(o.Refusal), Message: a.Sentence() + ": " + o.Message})
	}
}

// unasked takes out of the record what it has of a request that nothing came of: a machine in a
// zone by name, off what the group is expected to have; a higher maximum, for one or for the raise.
func unasked(s *Step, a record.Action) {
	raise := a.Key == record.RaiseKey && !s.Run.RaiseUnsure
	if (raise || strings.HasPrefix(a.Key, maxKey)) && s.Run.MaxSet == a.Sizes.Max {
		s.Run.MaxSet = s.Run.MaxBefore
	}
	if a.Kind == record.LaunchIn {
		s.Run.AskedZones = slices.DeleteFunc(s.Run.AskedZones, func(z string) bool { return z == a.Zone })
	}
}

// pauseRetry remembers a refusal: 1, 2, 4 ... 30 s, or as long as the API asks. A run that
// ends has little time, and pauses for 8 s at most.
func pauseRetry(s *Step, o record.Outcome) {
	r := s.Run.Retries[o.Key]
	longest := 30 * time.Second
	if s.Run.State == record.Ending {
		longest = 8 * time.Second
	}
	pause := max(min(time.Second<<min(r.Tries, 5), longest), o.After)
	r.Tries++
	r.Next = s.Now.Add(pause)
	denied := o.Refusal == record.RefusedForbidden || o.Refusal == record.RefusedInvalid
	if denied {
		r.Denied++
	}
	if denied || r.Denied == 0 || o.Refusal == record.RefusedConflict { // which asks for another look
		r.Refusal, r.Message = o.Refusal, o.Message
	}
	s.Run.Retries[o.Key] = r
	s.WakeAt(r.Next)
}

// takeCheck settles an action whose fate was looked up directly.
func takeCheck(s *Step, check record.Action, o record.Outcome) {
	delete(s.Run.Pending, check.Key)
	p, ok := s.Run.Pending[check.Of.Key]
	if !ok {
		return
	}
	switch {
	case o.Verdict != record.Done:
		checkLater(s, check, o)
	case unlike(s, p) && !o.Happened:
		pauseRetry(s, o)
	case !o.Happened && p.Action.Kind == record.LaunchIn:
		launchAgain(s, p.Action, o)
	case o.Happened && p.Action.Kind == record.CreateTemplate && o.Template == nil,
		!o.Happened:
		foundOut(s, p.Action, false)
		unasked(s, p.Action)
		delete(s.Run.Pending, check.Of.Key)
		delete(s.Run.Retries, check.Key)
	default:
		foundOut(s, p.Action, true)
		delete(s.Run.Retries, check.Key)
		first := p.Accepted.IsZero()
		p.Expires = s.Now.Add(expiry)
		if first {
			p.Accepted = s.Now
		}
		s.Run.Pending[check.Of.Key] = p
		if first && (p.Action.Kind == record.Evict || p.Action.Kind == record.Delete) {
			takeEviction(s, p, record.Outcome{Key: p.Action.Key, At: o.At, Verdict: record.Done})
		} else if first {
			took(s, p.Action, o)
		}
	}
}

// checkLater has a direct read asked again after a pause, and tells why it has not been answered
// from the second time on: the run waits for it.
func checkLater(s *Step, check record.Action, o record.Outcome) {
	before := s.Run.Retries[check.Key]
	pauseRetry(s, o)
	if before.Tries == 1 || before.Tries > 1 && before.Message != o.Message {
		s.Report(record.Event{Type: record.Warning, Node: check.Of.Node, Reason: string(o.Refusal), Message: check.Sentence() + ": " + o.Message})
	}
}

// unlike reports whether sizes that were accepted are not in the group as it is known: that is from
// before, and would pass for what others have made of it.
func unlike(s *Step, p record.Pending) bool {
	return p.Action.Kind == record.SetSizes && unread(s, p)
}

// unread reports whether the group has not been read since an action was accepted.
func unread(s *Step, p record.Pending) bool {
	return !p.Accepted.IsZero() && !s.W.Health[world.Cloud].Fresh.After(p.Accepted)
}

// launchAgain asks again for a machine that nobody knows of: a cloud need not tell
// which request a machine came of, and one with the same token is answered with what
// came of the first. Only that answer says what the group's size is to be; until
// then, and while nothing may be asked, the machine counts as asked for.
func launchAgain(s *Step, a record.Action, o record.Outcome) {
	if s.Run.State == record.Paused || !s.Fresh(world.Cloud) || s.unwritten {
		pauseRetry(s, o) // look again later
		return
	}
	delete(s.Run.Pending, a.Key)
	delete(s.Run.Retries, o.Key)
	if s.Run.State == record.Running && s.ask(a) {
		p := s.Run.Pending[a.Key]
		p.Repeated = true
		s.Run.Pending[a.Key] = p
		return
	}
	if s.W.Group.Sizes.Desired < s.Run.Expected() {
		unasked(s, a)
	}
}

// checkPending drops what the world shows as done and looks up what has expired.
func checkPending(s *Step) {
	for _, key := range slices.Sorted(maps.Keys(s.Run.Pending)) {
		p := s.Run.Pending[key]
		if !p.Accepted.IsZero() && p.Action.IsSeen(s.W) {
			delete(s.Run.Pending, key)
			s.changed = true
			continue
		}
		if s.Now.Before(p.Expires) {
			s.WakeAt(p.Expires)
			continue
		}
		switch a := p.Action; {
		case a.Kind == record.RunHook: // it has ended by now, and nobody can tell how: once more
			delete(s.Run.Pending, key)
			s.Soon()
		case a.Kind == record.Inspect:
			delete(s.Run.Pending, key)
			takeInspection(s, a.Machine, record.Outcome{})
			s.Soon()
		case a.Kind == record.LaunchIn && unread(s, p): // the size that is known is without it
			s.WakeAt(s.Now.Add(time.Second))
		case a.ReadOnly(), a.OnlyAnswered() && !p.Accepted.IsZero():
			delete(s.Run.Pending, key)
		default:
			lookUp(s, a)
		}
	}
}

func lookUp(s *Step, a record.Action) {
	if a.Key == record.RaiseKey {
		s.Run.RaiseUnsure = true
	}
	if l := s.Run.Lowering; a.Key == record.LowerKey && l != nil && l.SetAt.IsZero() && l.Unsure == 0 {
		unsure := *l
		unsure.Unsure = a.From.Desired - a.Sizes.Desired
		sizeLowering{s}.set(unsure)
	}
	key := "check/" + a.Key
	if retry, ok := s.Run.Retries[key]; ok && s.Now.Before(retry.Next) {
		s.WakeAt(retry.Next)
		return
	}
	s.ask(record.Action{Kind: record.CheckEffect, Key: key, Of: &a})
}
