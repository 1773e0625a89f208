package sim

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Delays of the node lifecycle controller: a kubelet that has not been heard from
// for nodeGrace makes its node's condition Unknown (--node-monitor-grace-period);
// pods tolerate the taint that follows for tolerated (the default that the API
// gives every pod).
const (
	nodeGrace = 40 * time.Second
	tolerated = 5 * time.Minute
)

const unreachableTaint = "node.kubernetes.io/unreachable"

// silent reports whether nobody hears from a node's kubelet.
func (s *Sim) silent(node string) bool {
	m := s.machineOf(node)
	return m != nil && m.silent
}

// fallSilent lets a machine's kubelet fall silent. Its node is Unknown after a
// while, then its pods are asked to go, which none of them can.
func (s *Sim) fallSilent(m *machine) {
	m.silent = true
	m.lives++
	life := m.lives
	over := func() bool { // its name may be another machine's by then
		return !m.silent || m.lives != life || s.Truth.NodeOf(m.ID) == nil
	}
	s.after(nodeGrace, func() {
		if over() {
			return
		}
		s.editNode(m.name, func(n *world.Node) {
			n.Ready, n.Unreachable, n.Trouble = false, s.now, s.hostile("Ready is Unknown: Kubelet stopped posting node status.")
			for _, effect := range []string{"NoSchedule", "NoExecute"} {
				n.Taints = append(n.Taints, world.Taint{Key: unreachableTaint, Effect: effect})
			}
		})
		for _, p := range s.podsOn(m.name) {
			p.Ready = false
			s.setPod(p)
		}
	})
	s.after(nodeGrace+tolerated, func() {
		if over() {
			return
		}
		for _, p := range s.podsOn(m.name) {
			if p.Owner.Kind != DaemonSet && !p.Mirror && !p.ToleratesAll && !p.Finished() && !p.Terminating() {
				s.kill(p.UID, nil)
			}
		}
	})
}

// speak lets a silent kubelet be heard again: its node is Ready, and what was
// asked to go goes.
func (s *Sim) speak(m *machine) {
	if !m.silent {
		return
	}
	m.silent = false
	s.editNode(m.name, func(n *world.Node) {
		n.Ready, n.NoNetwork, n.Unreachable, n.Trouble = true, false, time.Time{}, ""
		n.Taints = slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return t.Key == unreachableTaint })
	})
	for _, p := range s.podsOn(m.name) {
		if p.Terminating() {
			s.after(p.shape.Stop, func() { s.stops(p, false) })
			continue
		}
		s.after(min(time.Second, p.shape.Ready), func() { s.starts(p) })
		s.after(p.shape.Ready, func() { s.becomesReady(p) })
	}
}

// podsOn lists the pods of a node, as they were made.
func (s *Sim) podsOn(node string) []*pod { return s.pods.sorted(s.Truth.PodsOn(node)) }

// evil is what nobody's message may do to a terminal: clear it, name it, turn its text round.
const evil = "\x1b[2J\x1b]0;owned\a\u202egnp.exe\u2066\u009b31m\r\n\tnext line\x00"

// hostile is a message as the API of a hostile cluster words it.
func (s *Sim) hostile(message string) string {
	if !s.faults.hostile || message == "" || strings.Contains(message, evil) {
		return message
	}
	return message + evil
}
