package engine

import (
	"fmt"
	"slices"
	"time"
)

// Hooks are the user's own commands around a node: those before it say whether its
// drain may start, those after it are told that its machine is gone. What they run is
// the business of whoever carries out RunHook; that there are some is in the settings.

// HookPhase says on which side of a node its hooks run.
type HookPhase string

// Hook phases.
const (
	BeforeNode HookPhase = "before-node"
	AfterNode  HookPhase = "after-node"
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

// Gone is a node whose machine is gone, and whose hooks are yet to run.
type Gone struct {
	Machine string `json:"machine"`
	Node    string `json:"node"`
	Zone    string `json:"zone,omitempty"`
}

func hookKey(phase HookPhase, machine string) string { return "hook/" + string(phase) + "/" + machine }

// hookOf is the action that runs the hooks of one phase for a node.
func (s *Reader) hookOf(phase HookPhase, machine, node, zone string) Action {
	limit := s.Run.Settings.BeforeNode
	if phase == AfterNode {
		limit = s.Run.Settings.AfterNode
	}
	return Action{Kind: RunHook, Key: hookKey(phase, machine), Machine: machine, Node: node, Zone: zone, Group: s.Run.Group, Phase: phase, Limit: limit}
}

// hooksUnderWay lists the machines whose hooks of a phase run now.
func (s *Reader) hooksUnderWay(phase HookPhase) []string {
	var out []string
	for _, p := range s.Run.Pending {
		if p.Action.Kind == RunHook && p.Action.Phase == phase {
			out = append(out, p.Action.Machine)
		}
	}
	return out
}

// letGo reports whether the hooks before a node let it go; if not, it asks them. Who
// waits for them holds a slot, as if the node drained.
func (s *Step) letGo(id string) bool {
	n := s.Run.Nodes[id]
	if s.Run.Settings.BeforeNode == 0 || !n.LetGo.IsZero() && s.Now.Sub(n.LetGo) < hookValid {
		return true
	}
	if s.runHook(s.hookOf(BeforeNode, id, s.label(id, n), n.Zone)) {
		n.LetGo, n.Wait = time.Time{}, s.newWait(string(BeforeNode), s.Run.Settings.BeforeNode)
		s.SetNode(id, n)
		s.Report(Event{Type: HookStarted, Node: s.label(id, n), Zone: n.Zone, Reason: string(BeforeNode), Until: until(n.Wait), Message: "the hooks before it are asked"})
	}
	return false
}

// runHook asks for hooks, unless too many run or they wait to be asked again.
func (s *Step) runHook(a Action) bool {
	if len(s.hooksUnderWay(BeforeNode))+len(s.hooksUnderWay(AfterNode)) >= hooksAtOnce {
		return false
	}
	if retry, waiting := s.Run.Retries[a.Key]; waiting && s.Now.Before(retry.Next) {
		s.WakeAt(retry.Next)
		return false
	}
	return s.ask(a)
}

// takeHook settles what came of a node's hooks.
func (s *Step) takeHook(p Pending, o Outcome) {
	a := p.Action
	delete(s.Run.Pending, a.Key)
	said := o.Verdict == Done || o.Verdict == Refused && o.Refusal == RefusedHook
	if a.Phase == AfterNode {
		if said {
			s.Run.PendingHooks = slices.DeleteFunc(slices.Clone(s.Run.PendingHooks), func(g Gone) bool { return g.Machine == a.Machine })
		}
	} else if n, known := s.Run.Nodes[a.Machine]; known && n.Wait != nil && n.Wait.For == string(BeforeNode) {
		n.Wait = nil
		if o.Verdict == Done {
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
		s.pauseRetry(o)
	case o.Verdict == Done:
		delete(s.Run.Retries, a.Key)
		s.Report(Event{Type: HookPassed, Node: a.Node, Zone: a.Zone, Reason: string(a.Phase), Message: "the hooks " + a.side() + " it are done"})
	default:
		delete(s.Run.Retries, a.Key)
		s.Report(Event{Type: HookFailed, Node: a.Node, Zone: a.Zone, Reason: string(a.Phase), Message: o.Message})
		if n := s.Run.Nodes[a.Machine]; a.Phase == BeforeNode && s.Run.State == Running && s.mayStart(n) {
			s.Pause(fmt.Sprintf("%s may not start: %s; resume asks again", a.Node, o.Message))
		}
	}
}

// side is "before" or "after".
func (a Action) side() string {
	if a.Phase == BeforeNode {
		return "before"
	}
	return "after"
}

// mayStart reports whether a node is one whose drain is yet to start.
func (s *Reader) mayStart(n Node) bool {
	return slices.Contains([]Stage{Outdated, Queued, Ready, Surplus}, n.Stage)
}

// dropHooks forgets the hooks before nodes that run: none of these nodes starts any
// more.
func (s *Step) dropHooks() {
	for _, id := range s.hooksUnderWay(BeforeNode) {
		delete(s.Run.Pending, hookKey(BeforeNode, id))
		if n, known := s.Run.Nodes[id]; known && n.Wait != nil && n.Wait.For == string(BeforeNode) {
			n.Wait = nil
			s.SetNode(id, n)
		}
	}
}

// addPendingHook notes that a node in work is gone.
func (s *Step) addPendingHook(id string, n Node) {
	if s.Run.Settings.AfterNode > 0 && slices.Contains([]Stage{Draining, Settling, Terminating}, n.Stage) {
		s.Run.PendingHooks = append(slices.Clip(s.Run.PendingHooks), Gone{Machine: id, Node: s.label(id, n), Zone: n.Zone})
	}
}

// runGoneHooks runs the hooks after the nodes that are gone. It reports whether none is
// owed any more.
func (s *Step) runGoneHooks() bool {
	for _, g := range s.Run.PendingHooks {
		a := s.hookOf(AfterNode, g.Machine, g.Node, g.Zone)
		if _, busy := s.Run.Pending[a.Key]; !busy {
			s.runHook(a)
		}
	}
	return len(s.Run.PendingHooks) == 0
}
