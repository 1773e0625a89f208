package engine

import (
	"maps"
	"slices"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// A Deployment with one replica whose pod a shut PDB keeps on a draining node (Run.MovesSingles): it is scaled to two,
// the second pod gets Ready, which opens the PDB, the first one is evicted as any other pod, and it is scaled back.
// That it is to be scaled back is in the record before it is scaled. Where anything else decides on the
// replicas it is left alone, which is told.

// moveSingles takes each such Deployment a step on.
func moveSingles(s *Step) {
	if s.Run.State != record.Running || !s.Fresh(world.Cluster) || s.W.Partial() {
		return
	}
	if s.Run.MovesSingles() {
		for _, id := range s.In(record.Draining) {
			if n := s.Run.Nodes.Get(id); n.Name != "" && n.Order == "" && n.Missing.IsZero() {
				lookAtSingles(s, n)
			}
		}
	}
	for _, owner := range slices.Sorted(maps.Keys(s.Run.Singles)) {
		advanceSingle(s, owner, s.Run.Singles[owner])
	}
}

// lookAtSingles finds the pods of a draining node that may be such, and has their Deployments read.
func lookAtSingles(s *Step, n record.Node) {
	for _, p := range s.W.PodsOn(n.Name) {
		if !assess.SingleHeld(&s.Reader, p) {
			continue
		}
		known, is := s.Run.Singles[p.Owner.UID]
		if is && (known.Open() || known.Pod == p.UID) || !s.Settled(record.EvictKey(p.UID)) {
			continue
		}
		key := record.OwnerKey(p.UID)
		if retry, ok := s.Run.Retries[key]; ok && s.Now.Before(retry.Next) {
			s.WakeAt(retry.Next)
			continue
		}
		s.ask(record.Action{Kind: record.LookAtOwner, Key: key, Namespace: p.Namespace, Pod: p.Name, UID: p.UID, Node: n.Name})
	}
}

// takeOwner takes in what is known of the Deployment behind a pod.
func takeOwner(s *Step, a record.Action, o record.Outcome) {
	p := s.W.Pod(a.UID)
	if p == nil || s.Run.Singles[p.Owner.UID].Open() {
		return
	}
	x := record.Single{Namespace: p.Namespace, Pod: p.UID, Ref: p.Ref(), Node: p.Node}
	d := o.Deployment
	switch {
	case o.Verdict != record.Done && o.Refusal == record.RefusedForbidden:
		x.Why = o.Message
	case o.Verdict != record.Done:
		pauseRetry(s, o)
		return
	case d == nil:
		x.Why = text.SingleNoDeployment
	default:
		x.Name, x.UID = d.Name, d.UID
		x.Why = whyNotRaised(s.W, p, d)
	}
	delete(s.Run.Retries, a.Key)
	if x.Why != "" {
		s.leaveSingle(p.Owner.UID, x)
		return
	}
	x.Stage = record.SingleRaising
	s.setSingle(p.Owner.UID, x)
}

// whyNotRaised says why a Deployment gets no second replica, "" if it may.
func whyNotRaised(w *world.World, p *world.Pod, d *world.Deployment) string {
	switch {
	case d.Holder != "":
		return text.SingleHeld(d.Holder)
	case d.Recreate:
		return text.SingleRecreate
	case d.Replicas != 1:
		return text.SingleReplicas(d.Replicas)
	case !assess.OpensWithOneMore(w.BudgetsOf(p)):
		return text.SingleShutAnyway
	}
	return ""
}

// leaveSingle leaves a Deployment alone, and tells why.
func (s *Step) leaveSingle(owner string, x record.Single) {
	x.Stage = ""
	s.setSingle(owner, x)
	s.Report(record.Event{Type: record.Warning, Node: x.Node, Pod: x.Ref, Reason: record.ReasonSingle, Message: text.SingleLeftAlone(x.Ref, x.Why)})
}

func (s *Step) setSingle(owner string, x record.Single) {
	s.Run.Singles[owner], s.changed = x, true
	s.Soon()
}

// advanceSingle takes one Deployment a step on.
func advanceSingle(s *Step, owner string, x record.Single) {
	old := s.W.Pod(x.Pod)
	moved := old == nil || old.Terminating()
	switch x.Stage {
	case record.SingleRaising:
		if moved && s.Settled(record.ScaleKey(x.UID)) {
			dropSingle(s, owner)
			return
		}
		askScale(s, x.Raise())
	case record.SingleRaised:
		switch {
		case moved, !stillDrains(&s.Reader, x):
		case s.Over(x.Wait):
			x.Why = text.SingleUnready(s.Run.Settings.NodeReadyTimeout)
			s.Report(record.Event{Type: record.Warning, Node: x.Node, Pod: x.Ref, Reason: record.ReasonSingle, Message: text.SingleLeftAlone(x.Ref, x.Why)})
		default:
			return // the second pod opens the PDB, and the eviction goes out
		}
		x.Stage = record.SingleRestoring
		s.setSingle(owner, x)
		askScale(s, x.Restore())
	case record.SingleRestoring:
		askScale(s, x.Restore())
	}
}

// stillDrains reports whether the node of a single's first pod is still drained.
func stillDrains(s *assess.Reader, x record.Single) bool {
	node := s.W.Node(x.Node)
	return node != nil && s.Run.Nodes.Peek(node.Machine).Stage == record.Draining
}

func dropSingle(s *Step, owner string) {
	delete(s.Run.Singles, owner)
	s.changed = true
}

// askScale asks for a number of replicas, unless it was just refused. A run does not fail of that.
func askScale(s *Step, a record.Action) {
	if retry, ok := s.Run.Retries[a.Key]; ok && s.Now.Before(retry.Next) {
		s.WakeAt(retry.Next)
		return
	}
	s.ask(a)
}

// singleOf is the owner of the pods of the Deployment that an action scales.
func singleOf(r *record.Run, a record.Action) (owner string, x record.Single) {
	for owner, x := range r.Singles {
		if x.UID == a.UID && x.Open() {
			return owner, x
		}
	}
	return "", x
}

// tookScale notes that a number of replicas was accepted.
func tookScale(s *Step, a record.Action) {
	delete(s.Run.Pending, a.Key) // no picture of the world shows it
	owner, x := singleOf(&s.Run, a)
	switch {
	case owner == "":
		return
	case a.Replicas > a.FromReplicas:
		x.Stage, x.Wait = record.SingleRaised, s.NewWait(record.WaitSecondReplica, s.Run.Settings.NodeReadyTimeout, world.Cluster)
	case x.Why != "":
		x.Stage = ""
	default:
		x.Stage, x.Wait = record.SingleRestored, nil
	}
	s.setSingle(owner, x)
}

// refusedScale notes that a number of replicas was refused.
func refusedScale(s *Step, a record.Action, o record.Outcome) {
	owner, x := singleOf(&s.Run, a)
	if owner == "" {
		return
	}
	up := a.Replicas > a.FromReplicas
	switch o.Refusal {
	case record.RefusedGone:
		dropSingle(s, owner)
	case record.RefusedConflict:
		if dropSingle(s, owner); !up {
			s.Note(text.SingleChanged(x.Namespace+"/"+x.Name, o.Message))
		}
	case record.RefusedBusy, record.RefusedStale:
		reportRefusal(s, a, o)
	default:
		if !up {
			reportRefusal(s, a, o)
			return
		}
		x.Why = o.Message
		s.leaveSingle(owner, x)
	}
}

// restoreSingles scales back what the run has scaled, at its end. It reports whether that is done, or refused for good.
func restoreSingles(s *Step) bool {
	done := true
	for _, owner := range slices.Sorted(maps.Keys(s.Run.Singles)) {
		x := s.Run.Singles[owner]
		if !x.Open() {
			continue
		}
		if p, pending := s.Run.Pending[record.ScaleKey(x.UID)]; x.Stage == record.SingleRaising && !pending {
			dropSingle(s, owner) // nothing came of it
			continue
		} else if pending && p.Accepted.IsZero() {
			done = false // whether it happened is still to be known
			continue
		}
		if x.Stage != record.SingleRestoring {
			x.Stage = record.SingleRestoring
			s.setSingle(owner, x)
		}
		if r := s.Run.Retries[record.UnscaleKey(x.UID)]; r.Hopeless() {
			continue
		}
		askScale(s, x.Restore())
		done = false
	}
	return done
}

// listUnrestoredSingles names what was not scaled back.
func listUnrestoredSingles(s *Step) {
	for _, owner := range slices.Sorted(maps.Keys(s.Run.Singles)) {
		if x := s.Run.Singles[owner]; x.Open() {
			s.AddUnrestored(x.Left())
		}
	}
}
