package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// candidate is a pod that has to leave a draining node and has not been asked to.
type candidate struct {
	machine string
	node    string // its name
	pod     *world.Pod
	known   record.Pod
	gate    drain.Gate
	chance  uint64
}

// budgets is what this candidate competes for: its budgets' names.
func (c *candidate) budgets() string {
	names := make([]string, len(c.gate.Budgets))
	for i, b := range c.gate.Budgets {
		names[i] = b.Ref()
	}
	return strings.Join(names, ", ")
}

// evict sends out the evictions that may go now. Those whose budgets are open go
// first. A closed budget gets one probe, when nothing else was tried on it for
// EvictionRetry: what it shows is fresh as a rule, and a refusal costs the API as
// much as a success. Among equals the pod that was tried least goes first, so that
// budgets are served fairly across nodes.
//
// A budget has one eviction without an answer at a time: of two that arrive together
// the API server lets one wait 500 ms, because both count the budget down
// (EvictionsRetry in pkg/registry/core/pod/storage/eviction.go).
func evict(s *Step) {
	if s.Run.State != record.Running || !s.Fresh(world.Cluster) {
		return
	}
	carryOutOrders(s)
	inFlight, perBudget, asked := evictionsInFlight(&s.Reader)
	count := func(ref string) int { return perBudget[ref] }
	if inFlight >= s.Run.Settings.EvictionsAtOnce {
		return
	}
	list := allCandidates(s, count)
	if len(list) == 0 {
		return
	}
	tried := lastTries(&s.Reader)
	for _, c := range list {
		if inFlight >= s.Run.Settings.EvictionsAtOnce {
			return
		}
		gate := drain.GateOf(s.W, c.pod, count) // earlier ones in this loop count
		c.gate = gate
		if volumeLeaves(&s.Reader, c) {
			continue
		}
		due := due(&s.Reader, c)
		if due && retriesUsedUp(s, c) {
			continue
		}
		switch {
		case gate.Open && (due || c.known.Closed) && !anyOf(gate, asked):
		case !gate.Open && due && !anyOf(gate, perBudget) && mayProbe(&s.Reader, tried[c.budgets()], blockers.RetryPause(&s.Reader, gate)):
		default:
			noteClosed(s, c, gate)
			countRound(s, c, due, tried[c.budgets()])
			continue
		}
		if sendEviction(s, c) {
			inFlight++
			tried[c.budgets()] = s.Now
			for _, b := range c.gate.Budgets {
				perBudget[b.Ref()]++
				asked[b.Ref()]++
			}
		}
	}
}

// allCandidates lists the pods that may be asked to leave: those without a closed budget first,
// then those tried least.
func allCandidates(s *Step, inFlight func(string) int) []*candidate {
	var list []*candidate
	for _, id := range s.In(record.Draining) {
		if n := s.Run.Nodes.Get(id); n.Name != "" && n.Order == "" && n.Missing.IsZero() && isolated(&s.Reader, n) {
			list = append(list, candidates(s, id, n, inFlight)...)
		}
	}
	slices.SortStableFunc(list, func(a, b *candidate) int {
		return cmp.Or(
			cmp.Compare(len(a.gate.Budgets), len(b.gate.Budgets)),
			cmp.Compare(a.known.Tries, b.known.Tries),
			a.known.Last.Compare(b.known.Last),
			cmp.Compare(a.chance, b.chance))
	})
	return list
}

// candidates lists the pods of a draining node that may be asked to leave.
func candidates(s *Step, id string, n record.Node, inFlight func(string) int) []*candidate {
	var out []*candidate
	for _, p := range s.W.PodsOn(n.Name) {
		if p.Terminating() || s.Judge(p).Fate != drain.Leaves {
			continue
		}
		known := s.Run.Pods.Get(p.UID)
		if known.Forced || !s.Settled(record.EvictKey(p.UID)) || !s.Settled(record.DeleteKey(p.UID)) {
			continue
		}
		if known.Tries == 0 && s.CameBack(p) {
			known = noteReturn(s, p, n)
		}
		out = append(out, &candidate{id, n.Name, p, known, drain.GateOf(s.W, p, inFlight), assess.Chance(s.Run.Seed, p.UID)})
	}
	return out
}

// due reports whether the fallback timer lets a pod be tried (again).
func due(s *assess.Reader, c *candidate) bool {
	s.WakeAt(c.known.Next)
	return !s.Now.Before(c.known.Next)
}

// noteClosed remembers that a refused pod's budget was seen closed: the moment
// it opens the eviction goes out without waiting for the timer.
func noteClosed(s *Step, c *candidate, gate drain.Gate) {
	if !gate.Open && c.known.Tries > 0 && !c.known.Closed {
		c.known.Closed = true
		setPod(s, c.pod.UID, c.known)
		s.changed = true
	}
}

// sendEviction asks for one eviction and counts the try.
func sendEviction(s *Step, c *candidate) bool {
	if !s.ask(record.Action{Kind: record.Evict, Key: record.EvictKey(c.pod.UID), Machine: c.machine, Node: c.node, Namespace: c.pod.Namespace, Pod: c.pod.Name, UID: c.pod.UID}) {
		return false
	}
	p := c.known
	p.Ref, p.Node, p.Owner, p.Budgets = c.pod.Ref(), c.node, c.pod.Owner.UID, nil
	p.Closed = !c.gate.Open // a budget that opens while its probe is refused has opened all the same
	for _, b := range c.gate.Budgets {
		p.Budgets = append(p.Budgets, b.Ref())
	}
	p.Tries++
	p.Last, p.Next = s.Now, s.Now.Add(s.Run.Settings.EvictionRetry)
	if p.First.IsZero() {
		p.First = s.Now
	}
	setPod(s, c.pod.UID, p)
	noteTried(s, c.machine)
	return true
}

// noteTried records the first attempt on a node after the run's last gap. Later ones change nothing, and
// writing a node copies all of them.
func noteTried(s *Step, machine string) {
	n := s.Run.Nodes.Get(machine)
	if n.Tried.After(s.Run.Gap) {
		return
	}
	n.Tried = s.Now
	s.SetNode(machine, n)
}

// evictionsInFlight counts the evictions without an answer, and for each budget
// those that it may have accepted and does not show yet, and of these the ones
// without an answer.
func evictionsInFlight(s *assess.Reader) (unanswered int, perBudget, asked map[string]int) {
	perBudget, asked = map[string]int{}, map[string]int{}
	for _, p := range s.Run.Pending {
		if p.Action.Kind != record.Evict {
			continue
		}
		if p.Accepted.IsZero() {
			unanswered++
		}
		if pod := s.W.Pod(p.Action.UID); pod != nil && !pod.Terminating() {
			for _, b := range s.W.BudgetsOf(pod) {
				perBudget[b.Ref()]++
				if p.Accepted.IsZero() {
					asked[b.Ref()]++
				}
			}
		}
	}
	return unanswered, perBudget, asked
}

// lastTries tells for each set of budgets when an eviction was last tried on it.
func lastTries(s *assess.Reader) map[string]time.Time {
	out := map[string]time.Time{}
	for _, p := range s.Run.Pods.All() {
		if set := strings.Join(p.Budgets, ", "); p.Last.After(out[set]) {
			out[set] = p.Last
		}
	}
	return out
}

// anyOf reports whether something is counted for one of a gate's budgets.
func anyOf(g drain.Gate, perBudget map[string]int) bool {
	return slices.ContainsFunc(g.Budgets, func(b *world.Budget) bool { return perBudget[b.Ref()] > 0 })
}

// mayProbe reports whether a closed budget that was last tried then may be tried.
func mayProbe(s *assess.Reader, last time.Time, pause time.Duration) bool {
	next := last.Add(pause)
	s.WakeAt(next)
	return !s.Now.Before(next)
}

// takeEviction settles the answer to an eviction or a delete.
func takeEviction(s *Step, p record.Pending, o record.Outcome) {
	a := p.Action
	known := s.Run.Pods.Get(a.UID)
	n := s.Run.Nodes.Get(a.Machine)
	switch {
	case o.Verdict == record.Unknown:
		p.Expires = s.Now
		s.Run.Pending[a.Key] = p
		return
	case o.Verdict == record.Done:
		p.Accepted, p.Expires = s.Now, s.Now.Add(expiry)
		s.Run.Pending[a.Key] = p
		takeRemoval(s, a, known)
		return
	}
	delete(s.Run.Pending, a.Key)
	if o.Refusal == record.RefusedStale {
		known.Tries = max(0, known.Tries-1)
		setPod(s, a.UID, known)
		return
	}
	if o.Refusal == record.RefusedGone {
		return // the watch will say so
	}
	first := known.Refusal == ""
	known.Refusal, known.Message = o.Refusal, o.Message
	gate := blockers.GateOf(&s.Reader, a.UID)
	known.Next = s.Now.Add(max(blockers.RetryPause(&s.Reader, gate), o.After))
	if o.Refusal == record.RefusedBudget {
		round(&s.Reader, &known, gate)
	}
	setPod(s, a.UID, known)
	s.WakeAt(known.Next)
	if first {
		reportBlocked(s, a, known, n)
	}
}

// takeRemoval notes that the API let a pod go.
func takeRemoval(s *Step, a record.Action, known record.Pod) {
	if known.Refusal != "" && a.Kind == record.Evict {
		s.Report(record.Event{Type: record.PodUnblocked, Node: a.Node, Pod: known.Ref, Budget: strings.Join(known.Budgets, ","), Message: text.EvictionAccepted(known.Tries - 1)})
	}
	if known.Evicted.IsZero() && !known.Forced {
		countMoved(s, cmp.Or(known.Last, s.Now), a.UID, known.Owner, known.Ref)
	}
	known.Evicted, known.Refusal, known.Message = s.Now, "", ""
	if a.Kind == record.Delete {
		known.Forced, known.Last = true, s.Now
	}
	setPod(s, a.UID, known)
	if known.Owner != "" && !s.Run.Evicted[known.Owner] {
		s.Run.Evicted = cloneMap(s.Run.Evicted)
		s.Run.Evicted[known.Owner] = true
	}
	if a.Kind == record.Evict {
		s.Report(record.Event{Type: record.PodEvicted, Node: a.Node, Pod: known.Ref, Message: evictedMessage(&s.Reader), Command: a.Command()})
	} else {
		s.Report(record.Event{Type: record.PodForced, Node: a.Node, Pod: known.Ref, Reason: a.Order, Message: text.DeletedByForce(a.Order), Command: a.Command()})
	}
}

// reportBlocked reports a pod's first refusal, and its node's.
func reportBlocked(s *Step, a record.Action, known record.Pod, n record.Node) {
	pod := s.W.Pod(a.UID)
	if pod == nil {
		return
	}
	b := blockers.Of(&s.Reader, pod, n, a.Machine)
	s.Report(record.Event{Type: record.PodBlocked, Node: a.Node, Pod: known.Ref, Budget: b.BudgetRefs(), Reason: string(b.Kind), Until: until(s, n.Wait), Message: b.Detail})
	if n.Stage == record.Draining && !n.Blocked {
		n.Blocked = true
		s.SetNode(a.Machine, n)
		s.Report(record.Event{Type: record.NodeBlocked, Node: a.Node, Zone: n.Zone, Pod: known.Ref, Budget: b.BudgetRefs(), Reason: string(b.Kind), Until: until(s, n.Wait), Message: b.Detail})
	}
}

// noteReturn lets a pod that came back wait longer each time before it is
// evicted again.
func noteReturn(s *Step, p *world.Pod, n record.Node) record.Pod {
	known := s.Run.Pods.Get(p.UID)
	if known.Returns > 0 {
		return known
	}
	for _, was := range s.Run.Pods.All() {
		if was.Owner == p.Owner.UID && was.Node == p.Node {
			known.Returns = max(known.Returns, was.Returns+1)
		}
	}
	pause := min(s.Run.Settings.EvictionRetry<<min(known.Returns-1, 4), time.Minute)
	known.Ref, known.Node, known.Owner, known.Next = p.Ref(), n.Name, p.Owner.UID, s.Now.Add(pause)
	setPod(s, p.UID, known)
	s.Report(record.Event{Type: record.PodBlocked, Node: n.Name, Pod: p.Ref(), Reason: string(blockers.BlockedByReturn), Message: text.CameBackToNode})
	return known
}

// retriesUsedUp reports whether a pod that is due has been tried often enough: then its delete
// is ordered, and nothing is left to evict.
func retriesUsedUp(s *Step, c *candidate) bool {
	n, gate := s.Run.Settings.Retries(), blockers.GateOf(&s.Reader, c.pod.UID) // by what its budget says: our own evictions under way refuse nothing
	if n == 0 || c.known.Rounds < n || gate.Open || gate.Double() || blockers.Misconfigured(&s.Reader, gate) || s.Now.Sub(c.known.Round) < blockers.RetryPause(&s.Reader, gate) ||
		!s.Run.Gap.IsZero() && !c.known.Round.After(s.Run.Gap) && !c.known.Last.After(s.Run.Gap) { // a try precedes it after a time without sight
		return false
	}
	if !slices.ContainsFunc(s.Run.Orders, func(o record.ForceOrder) bool { return o.UID == c.pod.UID && o.Machine == c.machine && !o.Over }) {
		orderForce(s, c.machine, c.pod.UID, cmp.Or(s.Run.Settings.ForcedBy, s.Run.By),
			text.RetriesUsedUp(n))
		s.Soon()
	}
	return true
}

// countRound counts a turn in which a pod was due and its budget shut, so that another
// pod of that budget was tried in its stead, last then. Both are due again together, and
// the one that was tried less goes first.
func countRound(s *Step, c *candidate, due bool, last time.Time) {
	if s.Run.Settings.Retries() == 0 || !due || c.gate.Open {
		return
	}
	c.known.Ref, c.known.Node, c.known.Owner = c.pod.Ref(), c.node, c.pod.Owner.UID
	c.known.Closed = true
	if c.known.Next = last.Add(blockers.RetryPause(&s.Reader, c.gate)); !c.known.Next.After(s.Now) {
		c.known.Next = s.Now.Add(blockers.RetryPause(&s.Reader, c.gate))
	}
	round(&s.Reader, &c.known, c.gate)
	setPod(s, c.pod.UID, c.known)
	s.changed = true
	s.WakeAt(c.known.Next)
}

// round counts a turn, unless the last one was less than a retry ago.
func round(s *assess.Reader, p *record.Pod, g drain.Gate) {
	switch {
	case blockers.Misconfigured(s, g):
		p.Rounds = 0
	case s.Now.Sub(p.Round) >= blockers.RetryPause(s, g):
		p.Rounds, p.Round = p.Rounds+1, s.Now
	}
}

// volumeLeaves reports whether a pod has a persistent volume, and another such one is on its way out of
// the node: they leave in turn, where the settings ask for that.
func volumeLeaves(s *assess.Reader, c *candidate) bool {
	return c.pod.Volume && s.Run.Settings.VolumesInTurn && slices.ContainsFunc(s.W.PodsOn(c.node), func(p *world.Pod) bool {
		return p.Volume && p.UID != c.pod.UID && (p.Terminating() || !s.Settled(record.EvictKey(p.UID)) || !s.Settled(record.DeleteKey(p.UID)))
	})
}

// helpAlong evicts the pods of nodes that the group's own controller has picked, in the moment in which their
// PDB opens, where a user has consented to it: the controller tries again only after a while. A pod whose PDB was
// not seen shut is left to the controller, and so is every pod of a node that it may not be at. While its update cannot
// be read it may be at none any more.
func helpAlong(s *Step) {
	if m := s.W.Group.Managed; !s.Run.HelpsAlong() || !s.Fresh(world.Cluster) || !s.Fresh(world.Cloud) || m == nil || m.UpdatesUnread != "" {
		return
	}
	inFlight, perBudget, asked := evictionsInFlight(&s.Reader)
	count := func(ref string) int { return perBudget[ref] }
	forgetGone(s)
	for _, c := range helped(s, count) {
		if inFlight >= s.Run.Settings.EvictionsAtOnce {
			return
		}
		c.gate = drain.GateOf(s.W, c.pod, count) // earlier ones in this loop count
		switch {
		case !c.gate.Open:
			noteHeld(s, c)
		case c.known.Ref == "" || anyOf(c.gate, asked): // it was not held, or another one of its PDB goes first
		case !c.known.Closed && !due(&s.Reader, c):
		case sendEviction(s, c):
			inFlight++
			for _, b := range c.gate.Budgets {
				perBudget[b.Ref()]++
				asked[b.Ref()]++
			}
		}
	}
}

// helped lists the pods that have to leave the nodes that the controller is seen to drain. A node of which that is only
// inferred is none.
func helped(s *Step, inFlight func(string) int) (list []*candidate) {
	for _, id := range s.In(record.Draining) {
		n := s.Run.Nodes.Get(id)
		if n.Name == "" || n.Order != "" || !n.Missing.IsZero() || assess.Guessed(s.Rules.Follows().Mover(), n) {
			continue
		}
		for _, p := range s.W.PodsOn(n.Name) {
			known := s.Run.Pods.Get(p.UID)
			if p.Terminating() || s.Judge(p).Fate != drain.Leaves || known.Forced || !s.Settled(record.EvictKey(p.UID)) || !s.Settled(record.DeleteKey(p.UID)) {
				continue
			}
			list = append(list, &candidate{id, n.Name, p, known, drain.GateOf(s.W, p, inFlight), assess.Chance(s.Run.Seed, p.UID)})
		}
	}
	return list
}

// noteHeld remembers that a pod's PDB was seen shut.
func noteHeld(s *Step, c *candidate) {
	if c.known.Closed {
		return
	}
	c.known.Ref, c.known.Node, c.known.Owner, c.known.Closed = c.pod.Ref(), c.node, c.pod.Owner.UID, true
	setPod(s, c.pod.UID, c.known)
	s.changed = true
}

// forgetGone drops held pods that are gone without an eviction of ours.
func forgetGone(s *Step) {
	for uid, p := range s.Run.Pods.All() {
		if s.W.Pod(uid) == nil && p.Evicted.IsZero() && !p.Forced && s.Settled(record.EvictKey(uid)) && s.Settled(record.DeleteKey(uid)) {
			dropPod(s, uid)
			s.changed = true
		}
	}
}

// evictedMessage is the message of an eviction.
func evictedMessage(s *assess.Reader) string {
	if s.Run.HelpsAlong() {
		return systems.EvictedToHelp(s.DrivenBy())
	}
	return "evicted"
}
