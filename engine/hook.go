package engine

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
)

const (
	// hooksAtOnce bounds the nodes whose hooks run at one time: they share the executor
	// with the evictions.
	hooksAtOnce = 10
	// hookValid is how long it counts that the hooks before a node let it go. If its drain
	// could not start by then, they are asked again.
	hookValid = 5 * time.Minute
	// hookSlack is what an executor may take beyond a hook's own time to end it.
	hookSlack = time.Minute
)

// hookOf is the action that runs the hooks of one phase for a node.
func hookOf(s *assess.Reader, phase record.HookPhase, machine, node, zone string) record.Action {
	limit := s.Run.Settings.BeforeNode
	if phase == record.AfterNode {
		limit = s.Run.Settings.AfterNode
	}
	return record.Action{Kind: record.RunHook, Key: record.HookKey(phase, machine), Machine: machine, Node: node, Zone: zone, Group: s.Run.Group, Phase: phase, Limit: limit}
}

// letGo reports whether the hooks before a node let it go; if not, it asks them. Who
// waits for them holds a slot, as if the node drained.
func letGo(s *Step, id string) bool {
	n := s.Run.Nodes.Get(id)
	if s.Run.Settings.BeforeNode == 0 || !n.LetGo.IsZero() && s.Now.Sub(n.LetGo) < hookValid {
		return true
	}
	if runHook(s, hookOf(&s.Reader, record.BeforeNode, id, s.Label(id, n), n.Zone)) {
		wait := s.NewWait(string(record.BeforeNode), s.Run.Settings.BeforeNode)
		if n.New {
			wait.Interrupts = n.Wait
		}
		n.LetGo, n.Wait = time.Time{}, wait
		s.SetNode(id, n)
		s.Report(record.Event{Type: record.HookStarted, Node: s.Label(id, n), Zone: n.Zone, Reason: string(record.BeforeNode), Until: until(s, n.Wait), Message: text.HooksAsked})
	}
	return false
}

// runHook asks for hooks, unless too many run or they wait to be asked again.
func runHook(s *Step, a record.Action) bool {
	if len(assess.HooksUnderWay(&s.Run, record.BeforeNode))+len(assess.HooksUnderWay(&s.Run, record.AfterNode)) >= hooksAtOnce {
		return false
	}
	if retry, waiting := s.Run.Retries[a.Key]; waiting && s.Now.Before(retry.Next) {
		s.WakeAt(retry.Next)
		return false
	}
	return s.ask(a)
}

// takeHook settles what came of a node's hooks.
func takeHook(s *Step, p record.Pending, o record.Outcome) {
	a := p.Action
	delete(s.Run.Pending, a.Key)
	said := o.Verdict == record.Done || o.Verdict == record.Refused && o.Refusal == record.RefusedHook
	if a.Phase == record.AfterNode {
		if said {
			s.Run.PendingHooks = slices.DeleteFunc(slices.Clone(s.Run.PendingHooks), func(g record.Gone) bool { return g.Machine == a.Machine })
		}
	} else if n, known := s.Run.Nodes.Find(a.Machine); known && n.Wait != nil && n.Wait.For == string(record.BeforeNode) {
		n.Wait = waitAfterHooks(n)
		if o.Verdict == record.Done {
			n.LetGo = s.Now
			if o.At.After(p.Asked) && o.At.Before(s.Now) { // a process that slept hears of it late
				n.LetGo = o.At
			}
			s.Run.HookTime = max(s.Run.HookTime, s.Now.Sub(p.Asked))
		}
		s.SetNode(a.Machine, n)
	}
	switch {
	case !said: // it could not start, or nobody knows how it ended: once more
		pauseRetry(s, o)
	case o.Verdict == record.Done:
		delete(s.Run.Retries, a.Key)
		s.Report(record.Event{Type: record.HookPassed, Node: a.Node, Zone: a.Zone, Reason: string(a.Phase), Message: text.HooksDone(a.Side())})
	default:
		delete(s.Run.Retries, a.Key)
		s.Report(record.Event{Type: record.HookFailed, Node: a.Node, Zone: a.Zone, Reason: string(a.Phase), Message: o.Message})
		if n := s.Run.Nodes.Get(a.Machine); a.Phase == record.BeforeNode && s.Run.State == record.Running && mayStart(n) {
			s.Pause(text.HookRefused(a.Node, o.Message))
		}
	}
}

// waitAfterHooks is the wait of a node whose hooks have answered: that of a new one which has not joined, or is
// unhealthy, is what it was when they were asked.
func waitAfterHooks(n record.Node) *record.Wait {
	before := n.Wait.Interrupts
	if before != nil && (before.OfHealth() || n.Stage == record.Launching) {
		return before
	}
	return nil
}

// mayStart reports whether a node is one whose drain is yet to start.
func mayStart(n record.Node) bool {
	return n.New && n.Stage == record.Launching || slices.Contains([]record.Stage{record.Outdated, record.Queued, record.Ready, record.Surplus}, n.Stage)
}

// dropHooks forgets the hooks before nodes that run: none of these nodes starts any
// more.
func dropHooks(s *Step) {
	for _, id := range assess.HooksUnderWay(&s.Run, record.BeforeNode) {
		delete(s.Run.Pending, record.HookKey(record.BeforeNode, id))
		if n, known := s.Run.Nodes.Find(id); known && n.Wait != nil && n.Wait.For == string(record.BeforeNode) {
			n.Wait = nil
			s.SetNode(id, n)
		}
	}
}

// addPendingHook notes that a node in work is gone.
func addPendingHook(s *Step, id string, n record.Node) {
	if s.Run.Settings.AfterNode > 0 && slices.Contains([]record.Stage{record.Draining, record.Settling, record.Terminating}, n.Stage) {
		s.Run.PendingHooks = append(slices.Clip(s.Run.PendingHooks), record.Gone{Machine: id, Node: s.Label(id, n), Zone: n.Zone})
	}
}

// runGoneHooks runs the hooks after the nodes that are gone. It reports whether none is
// owed any more.
func runGoneHooks(s *Step) bool {
	for _, g := range s.Run.PendingHooks {
		a := hookOf(&s.Reader, record.AfterNode, g.Machine, g.Node, g.Zone)
		if _, busy := s.Run.Pending[a.Key]; !busy {
			runHook(s, a)
		}
	}
	return len(s.Run.PendingHooks) == 0
}
