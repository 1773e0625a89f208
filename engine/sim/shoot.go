package sim

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// shootPrepares is how long Gardener sees to a Shoot's control plane before it comes to its
// pools; shootReports how often it brings the Shoot's status up to date.
const (
	shootPrepares = 10 * time.Second
	shootReports  = 5 * time.Second
)

// applyShoot applies the change of a pool's Shoot, which Gardener starts after that time, never
// if it is less than 0.
func (s *Sim) applyShoot(starts time.Duration) {
	s.editShoot(func(p *world.Pool) {
		p.Shoot = "garden/sim"
		p.Limits.Drain, p.Limits.Guessed = s.pool.drain, false
		p.Progress = &world.ShootProgress{Generation: 2, Observed: 1, Operation: "Reconcile", State: "Succeeded", Percent: 100}
	})
	if starts < 0 {
		return
	}
	s.after(starts, func() {
		s.editShoot(func(p *world.Pool) { p.Progress.Observed, p.Progress.State, p.Progress.Percent = 2, "Processing", 10 })
		s.after(shootPrepares, func() {
			s.beginPool()
			s.editShoot(func(p *world.Pool) { p.Pending = true })
			s.after(shootReports, s.reportShoot)
		})
	})
}

// reportShoot brings the Shoot's status up to date: nobody waits for updates by hand, and the
// pool is pending as long as a node is a candidate.
func (s *Sim) reportShoot() {
	s.after(shootReports, s.reportShoot)
	candidate := slices.ContainsFunc(s.alive(), func(m *machine) bool {
		n := s.Truth.Node(m.name)
		return n != nil && n.Labels[candidateLabel] != ""
	})
	if p := s.group.Pool; p.Progress.State == "Succeeded" && p.Pending == candidate {
		return
	}
	s.editShoot(func(p *world.Pool) { p.Progress.State, p.Progress.Percent, p.Pending = "Succeeded", 100, candidate })
}

// editShoot changes what the pool's Shoot tells.
func (s *Sim) editShoot(change func(*world.Pool)) {
	p := *s.group.Pool
	if p.Progress != nil {
		progress := *p.Progress
		p.Progress = &progress
	}
	change(&p)
	s.group.Pool = &p
	s.listMachines()
}

// shoot checks that a run that has left no node out does not succeed before Gardener is done
// with the pool.
func (c *checker) shoot() {
	d := c.d
	p := d.Sim.group.Pool
	if p == nil || p.Progress == nil || d.Run.Result != record.Succeeded {
		return
	}
	for _, n := range d.Run.Nodes.All() {
		if n.Stage == record.Skipped || n.Stage == record.NodeFail {
			return
		}
	}
	if g := p.Progress; len(d.Run.Target.Only) == 0 && (g.Observed != g.Generation || g.State != "Succeeded") {
		d.breaks("rule 4: succeeded, and Gardener is not done with the Shoot: generation %d, observed %d, %s", g.Generation, g.Observed, g.State)
	}
}
