package play

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/sim/check"
	"github.com/drainboard/drainboard/engine/world"
)

// What a repaired world has time for: first the faults with a span of their own run out, then
// the run has to end, and until then some node has to get ahead now and then.
const (
	progressTime = 6 * time.Hour
	stillTime    = 90 * time.Minute
)

// mustEndWell reports whether a seed is one of the quarter whose runs are not aborted at the
// end. It takes its chances elsewhere, as hooks do.
func mustEndWell(seed uint64) bool { return rand.New(rand.NewPCG(seed, 0x9e06)).IntN(4) == 0 }

// endWell repairs the world, approves and resumes as asked, and holds that the run ends as the
// situation at the repair lets it. What had failed or ended by then is not held against it.
func (p *player) endWell() {
	if !p.on() {
		return
	}
	p.Driver.Doom = nil
	p.say("repair")
	p.say("run for=%s", sim.RepairTime)
	if !p.on() || p.Driver.Run.State == record.Ending {
		p.comeToAnEnd()
		return
	}
	was, late, last, moved := p.Driver.Run, tooLate{tight(p.Sim, &p.Driver.Run), slow(p.Sim, &p.Driver.Run), latest(p.Sim, &p.Driver.Run)}, "", p.Sim.Now()
	for end := p.Sim.Now().Add(progressTime); p.on() && p.Sim.Now().Before(end); {
		if stages := stagesOf(&p.Driver.Run); stages != last {
			last, moved = stages, p.Sim.Now()
		} else if p.Sim.Now().Sub(moved) >= stillTime {
			break
		}
		p.say("repair") // of what has come about meanwhile
		if p.Driver.Run.State == record.Paused && p.Driver.Run.Canary.Holds() {
			p.say("operator accept") // it is not resumed otherwise
		} else if p.Driver.Run.State == record.Paused {
			p.say("operator resume")
		} else if _, waiting := p.Driver.Run.Waiting(); waiting {
			p.say("operator approve")
		}
		if p.on() {
			p.say("run for=1m")
		}
	}
	if why := lacksProgress(&was, &p.Driver.Run, late); why != "" && p.broken == "" && !p.Checker.ResizedAway(&p.Driver.Run) && !asksForever(p.Sim, &p.Driver.Run) {
		p.broken = "progress: the run does not end well by itself: " + why + ": " + p.RunLine()
	}
}

// stagesOf is how far a run and its nodes have got.
func stagesOf(r *record.Run) string {
	var out strings.Builder
	fmt.Fprint(&out, r.State, r.Phases)
	for _, id := range slices.Sorted(r.Nodes.Keys()) {
		fmt.Fprint(&out, " ", id, r.Nodes.Peek(id).Stage)
	}
	return out.String()
}

// tight lists the machines of a run whose nodes drain and have less time left than their pods
// take to be gone, from the next attempt to evict them: they may fail, and the run with them.
func tight(s *sim.Sim, r *record.Run) map[string]bool {
	out := map[string]bool{}
	for id, n := range r.Nodes.All() {
		if n.Stage != record.Draining || n.Wait == nil {
			continue
		}
		left := n.Wait.End.Sub(r.Seen) - r.Settings.EvictionRetry
		out[id] = slices.ContainsFunc(s.AllPods(), func(p *sim.Pod) bool {
			return p.Node == n.Name && min(p.Shape.Stop, p.Grace)+p.Shape.Finalized > left
		})
	}
	return out
}

// slow reports of pods ("namespace/name") whether they take longer to be gone, from the second
// attempt to evict them, than a drain may last: a node with such a pod may fail whenever it drains.
func slow(s *sim.Sim, r *record.Run) func(pod string) bool {
	left := r.Settings.DrainTimeout - r.Settings.EvictionRetry
	var begins []string
	for _, w := range s.Workloads() {
		if min(w.Shape.Stop, w.Shape.Grace)+w.Shape.Finalized > left {
			begins = append(begins, w.Namespace+"/"+w.Name+"-")
		}
	}
	return func(pod string) bool {
		return slices.ContainsFunc(begins, func(b string) bool { return strings.HasPrefix(pod, b) })
	}
}

// asksForever reports whether a pod that needs a consent which the run was not given keeps a node that drains, in a run that
// waits for as long as that lasts, or until a retirement's time is up: such a pod was not there, or on no node to be replaced, when the run began.
func asksForever(s *sim.Sim, r *record.Run) bool {
	return r.Settings.OnDrainTimeout == record.TimeoutWait && slices.ContainsFunc(slices.Sorted(r.Nodes.Keys()), func(id string) bool {
		n := r.Nodes.Get(id)
		return (n.Stage == record.Draining || n.New && !n.Began.IsZero()) && slices.ContainsFunc(s.Truth.PodsOn(n.Name), func(p *world.Pod) bool {
			return drain.Judge(s.Truth, p, r.Consents()).Fate == drain.Asks
		})
	})
}

// latest reports whether the new nodes that a run waits for may not come in time whatever a repair
// does: machines were launched from a template that others had set, or replacements have less time left
// than a machine takes that is launched now. One that never joined may have been ended by the repair, and
// the one in its place has no time of its own, because any stands in for any other.
func latest(s *sim.Sim, r *record.Run) bool {
	takes := s.Config.Terminate + s.Config.Launch + s.Config.Boot + s.Config.NodeReady + check.Slack
	for _, h := range s.Group.LifecycleHooks {
		if h.Launching {
			takes += h.Timeout
		}
	}
	if s.Lowered > 0 && s.Group.Sizes.Desired < r.Expected() {
		return true // others have taken machines of the surge away, and the run has not noticed yet
	}
	for _, m := range s.Alive() {
		if s.Retargeted && m.Began.After(r.Started) && !slices.Contains(r.Target.Templates, m.Template) {
			return true // they were launched from what others had set the group to
		}
		if s.Truth.NodeOf(m.ID) == nil && s.Now().Sub(m.Began) > r.Settings.NodeReadyTimeout {
			return true // the repair ends it, and its time is over before that shows
		}
	}
	w := r.PhaseWait
	return w != nil && w.For == record.WaitReplacements && w.End.Sub(r.Seen) < takes
}

// tooLate is what a repair cannot help: machines whose drains have too little time left, pods
// that no drain has enough time for, and launches that cannot be over in time.
type tooLate struct {
	machines map[string]bool
	pods     func(pod string) bool
	launches bool
}

// explains reports whether a drain may have run out of time all the same: that of a machine for
// which the repair came too late, or one that only slow pods have kept.
func (l tooLate) explains(id string, n record.Node, r *record.Run) bool {
	if l.machines[id] {
		return true
	}
	kept := slices.DeleteFunc(slices.Clone(r.BlockingPods), func(line string) bool { return !strings.Contains(line, " on "+n.Name+": ") })
	return len(kept) > 0 && !slices.ContainsFunc(kept, func(line string) bool { return !l.pods(line) })
}

// lacksProgress says how the end of a run is none that its situation at the repair explains,
// "" if it is one.
func lacksProgress(was, r *record.Run, late tooLate) string {
	if r.State != record.Finished {
		return "it is stuck"
	}
	failed := slices.ContainsFunc(slices.Sorted(r.Nodes.Keys()), func(id string) bool {
		return was.Nodes.Peek(id).Stage == record.NodeFail || r.Nodes.Peek(id).Stage == record.NodeFail && r.Nodes.Peek(id).Result == record.EvictionFail && late.explains(id, r.Nodes.Get(id), r)
	})
	switch {
	case r.Result == record.Succeeded, failed, late.launches && r.Result == record.CreationFail, r.Result == was.Result: // it was retiring its surplus
		return ""
	case r.Result == record.NodesLeft:
		left := (r.Inherited != nil || was.RaiseUnsure || was.Doubtful > 0) && check.LeavesDoubt(r) || !r.Settings.Until.IsZero() || len(r.Target.Only) > 0
		for _, id := range slices.Sorted(r.Nodes.Keys()) {
			left = left || r.Nodes.Peek(id).Stage == record.Skipped
		}
		if left {
			return ""
		}
		return "it leaves nodes, and none was skipped"
	}
	return "it ends " + string(r.Result) + " in a repaired world"
}
