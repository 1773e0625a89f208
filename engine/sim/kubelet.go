package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/podlog"
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
	m := s.MachineOf(node)
	return m != nil && m.silent
}

// Silence lets a machine's kubelet fall silent. Its node is Unknown after a
// while, then its pods are asked to go, which none of them can.
func (s *Sim) Silence(m *Machine) {
	m.silent = true
	m.lives++
	life := m.lives
	over := func() bool { // its name may be another machine's by then
		return !m.silent || m.lives != life || s.Truth.NodeOf(m.ID) == nil
	}
	s.After(nodeGrace, func() {
		if over() {
			return
		}
		s.EditNode(m.Name, func(n *world.Node) {
			n.Ready, n.Unreachable, n.Trouble = false, s.now, s.hostile("Ready is Unknown: Kubelet stopped posting node status.")
			for _, effect := range []string{"NoSchedule", "NoExecute"} {
				n.Taints = append(n.Taints, world.Taint{Key: unreachableTaint, Effect: effect})
			}
		})
		for _, p := range s.podsOn(m.Name) {
			p.Ready = false
			s.setPod(p)
		}
	})
	s.After(nodeGrace+tolerated, func() {
		if over() {
			return
		}
		for _, p := range s.podsOn(m.Name) {
			if p.Owner.Kind != DaemonSet && !p.Mirror && !p.ToleratesAll && !p.Finished() && !p.Terminating() {
				s.Kill(p.UID, nil)
			}
		}
	})
}

// HearAgain lets a silent kubelet be heard again: its node is Ready, and what was
// asked to go goes.
func (s *Sim) HearAgain(m *Machine) {
	if !m.silent {
		return
	}
	m.silent = false
	s.EditNode(m.Name, func(n *world.Node) {
		n.Ready, n.NoNetwork, n.Unreachable, n.Trouble = true, false, time.Time{}, ""
		n.Taints = slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return t.Key == unreachableTaint })
	})
	for _, p := range s.podsOn(m.Name) {
		if p.Terminating() {
			s.After(p.Shape.Stop, func() { s.stops(p, false) })
			continue
		}
		s.After(min(time.Second, p.Shape.Ready), func() { s.starts(p) })
		s.After(p.Shape.Ready, func() { s.becomesReady(p) })
	}
}

// podsOn lists the pods of a node, as they were made.
func (s *Sim) podsOn(node string) []*Pod { return s.pods.sorted(s.Truth.PodsOn(node)) }

// evil is what nobody's message may do to a terminal: clear it, name it, turn its text round.
const evil = "\x1b[2J\x1b]0;owned\a\u202egnp.exe\u2066\u009b31m\r\n\tnext line\x00"

// hostile is a message as the API of a hostile cluster words it.
func (s *Sim) hostile(message string) string {
	if !s.Faults.Hostile || message == "" || strings.Contains(message, evil) {
		return message
	}
	return message + evil
}

// LogOf is the end of a pod's log. The kubelet starts a container that crashes again after 10 s,
// 20 s, and so on, at most 5 minutes.
func (s *Sim) LogOf(p *Pod) (podlog.Log, error) {
	switch {
	case p.Node == "":
		return podlog.Log{}, fmt.Errorf("the pod has no node yet")
	case s.silent(p.Node):
		return podlog.Log{}, fmt.Errorf("the kubelet of %s does not answer", p.Node)
	}
	app := p.Name
	if p.owner != nil {
		app = p.owner.Name
	}
	log, at := podlog.Log{Container: app}, p.Created
	say := func(after time.Duration, level, message string) {
		at = at.Add(after)
		log.Lines = append(log.Lines, fmt.Sprintf("%s %-5s %s", at.UTC().Format("2006-01-02T15:04:05.000Z"), level, message))
	}
	if p.Crashing {
		const ran = 2 * time.Second
		for wait := 10 * time.Second; ; wait = min(2*wait, 5*time.Minute) {
			if next := at.Add(ran + wait); next.Add(ran).After(s.now) {
				break
			} else {
				at = next
			}
			log.Restarts++
		}
		log.Previous, log.Ended, log.At = true, "exit code 1 (Error)", at.Add(ran)
	}
	say(0, "info", fmt.Sprintf("starting %s 3.14.2 on %s", app, p.Node))
	say(140*time.Millisecond, "info", "configuration read from /etc/"+app+"/config.yaml")
	if p.Crashing {
		say(310*time.Millisecond, "info", "reading the memory limit of this container")
		say(12*time.Millisecond, "warn", "open /sys/fs/cgroup/memory/memory.limit_in_bytes: no such file or directory")
		say(1480*time.Millisecond, "fatal", "cannot size the cache: the node has cgroup v2, this release reads cgroup v1 only")
		return log, nil
	}
	say(600*time.Millisecond, "info", "connected to postgres://db."+p.Namespace+".svc:5432/"+app)
	say(20*time.Millisecond, "info", "listening on :8080")
	if !p.up {
		say(5*time.Second, "warn", "GET /readyz 503: caches are not warm yet")
		return log, nil
	}
	at = s.now.Truncate(10 * time.Second).Add(-40 * time.Second)
	for range 4 {
		say(10*time.Second, "info", "GET /readyz 200 in 1 ms")
	}
	return log, nil
}

// Reject has a pod Failed as one is that its kubelet does not admit.
func (s *Sim) Reject(p *Pod) {
	p.Phase, p.Ready, p.up = world.PodFailed, false, false
	s.setPod(p)
}
