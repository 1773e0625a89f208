package sim

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven/mng"
	"github.com/drainboard/drainboard/engine/world"
)

// What EKS takes for the parts of an update that nothing bounds.
const (
	eksSetsUp  = 30 * time.Second // until the group has the launch template of the update
	eksSettles = time.Minute      // from the last pod to the termination, with DEFAULT
	eksShrinks = 30 * time.Second // between two steps in which the scale down lowers the sizes by one; what it takes is not documented
	eksGivesUp = 3 * world.EKSDrainLimit
)

// eksUpdate is EKS's update of a managed node group (the user guide's "Understand each phase of node updates").
type eksUpdate struct {
	*Sim
	by     mng.Controller
	phase  string
	force  bool
	olds   map[string]bool
	picked map[string]time.Time // machines that it drains, since when
	empty  map[string]time.Time // since when they have no pod left
	since  time.Time            // of the phase
	shrunk time.Time            // when the scale down lowered the sizes last
	before world.Sizes          // what the group had before it was raised
	atOnce int
	began  int // how many updates were asked for
}

// updateAsEKS has EKS continue with the update that is under way, or begin with one when it is asked to.
func (s *Sim) updateAsEKS(rules engine.Strategy, run record.Run) {
	u := &eksUpdate{Sim: s, olds: map[string]bool{}, picked: map[string]time.Time{}, empty: map[string]time.Time{}, since: s.now, atOnce: rules.AtOnce(&run)}
	s.controller = u.request
	if m := s.Group.Managed; m != nil && (m.UpdatesUnread != "" || m.ConfigOld) { // here all of it can be read
		read := *m
		read.Unread, read.UpdatesUnread, read.ConfigOld = "", "", false
		s.Group.Managed = &read
		s.ListMachines()
	}
	if request := run.Target.Update; request != nil {
		u.force = request.Force
	}
	if mng.Under(&s.Group.Group) {
		u.takesUp(rules, run)
	}
	s.every(controllerTurn, func() bool { u.turn(); return true })
}

// takesUp continues with an update where it is.
func (u *eksUpdate) takesUp(rules engine.Strategy, run record.Run) {
	u.olds = outdated(rules, u.View, u.now, run)
	u.phase = mng.Setup
	last := u.Group.Managed.Update.Since // when it took its last nodes, as far as is known
	for _, phase := range run.Phases {
		if !phase.Start.IsZero() {
			u.phase, last = phase.Name, Later(last, phase.Start)
		}
	}
	u.before = u.sizesBefore(run)
	for id, n := range run.Nodes.All() {
		switch {
		case n.Stage == record.Replaced:
			last = Later(last, n.Since)
		case u.olds[id] && slices.Contains([]record.Stage{record.Draining, record.Settling, record.Terminating}, n.Stage):
			if u.picked[id] = cmp.Or(n.Began, n.Since); n.Stage == record.Settling {
				u.empty[id] = n.Since
			}
		}
	}
	for id, n := range run.Nodes.All() { // those that it may be at although nothing shows
		if u.olds[id] && len(u.picked) < u.atOnce && slices.Contains(run.Candidates, n.Name) && u.picked[id].IsZero() {
			u.picked[id] = last
		}
	}
}

// sizesBefore are the group's sizes before the update raised them, by how many machines there were.
func (u *eksUpdate) sizesBefore(run record.Run) world.Sizes {
	sizes := u.Group.Sizes
	_, before := run.Outdated()
	for _, m := range u.Alive() {
		if n := u.Truth.Node(m.Name); n != nil && !u.olds[m.ID] && !mng.Young(&u.Group.Group, n) {
			before++
		}
	}
	if over := sizes.Desired - before; !u.Group.Managed.Minimal && u.phase != mng.Setup && over > 0 && before > 0 {
		sizes.Desired, sizes.Max = before, sizes.Max-over
	}
	return sizes
}

// request starts an update, or sets how EKS is to update the group.
func (u *eksUpdate) request(a record.Action) record.Outcome {
	m := *u.Group.Managed
	u.began++
	id := fmt.Sprintf("rehearsed-%d", u.began)
	if a.Kind == record.SetUpdateConfig {
		config := a.Update.Config.Over(m.Config())
		m.MaxUnavailable, m.Minimal = config.MaxUnavailable, config.Strategy == world.OldFirst
		m.Configured = &world.ManagedUpdate{ID: id, Kind: "ConfigUpdate", Status: world.UpdateSucceeded, Since: u.now, Config: config}
	} else {
		if m.Update != nil {
			m.Earlier = append([]world.ManagedUpdate{*m.Update}, m.Earlier...)
		}
		m.Update = &world.ManagedUpdate{ID: id, Kind: "VersionUpdate", Status: world.UpdateRuns, Since: u.now, Version: a.Update.Kubernetes, Release: a.Update.Release, TemplateVersion: a.Update.TemplateVersion}
		u.phase, u.since, u.force = mng.Setup, u.now, a.Update.Force
		if u.began == 1 {
			u.before = u.Group.Sizes
		}
		if len(u.olds) == 0 { // of one that is tried again those stay
			for _, known := range u.Alive() {
				u.olds[known.ID] = true
			}
		}
	}
	u.Group.Managed = &m
	u.ListMachines()
	return record.Outcome{Verdict: record.Done, Update: id}
}

// over ends the update.
func (u *eksUpdate) over(status string, errors ...world.ManagedIssue) {
	m := *u.Group.Managed
	update := *m.Update
	update.Status, update.Errors = status, errors
	m.Update = &update
	u.Group.Managed = &m
	u.ListMachines()
}

func (u *eksUpdate) enter(phase string) { u.phase, u.since = phase, u.now }

// old are the machines that are still to be replaced.
func (u *eksUpdate) old() (out []*Machine) {
	for _, m := range u.Alive() {
		if u.olds[m.ID] {
			out = append(out, m)
		}
	}
	return out
}

// turn takes the update further.
func (u *eksUpdate) turn() {
	if !mng.Under(&u.Group.Group) {
		return
	}
	switch u.phase {
	case mng.Setup:
		u.setsUp()
	case mng.ScaleUp:
		u.scalesUp()
	case mng.Upgrade:
		u.upgrades()
	case mng.ScaleDown:
		u.scalesDown()
	}
}

// setsUp gives the group the launch template of the update, and raises its sizes with DEFAULT.
func (u *eksUpdate) setsUp() {
	if u.now.Sub(u.since) < eksSetsUp {
		return
	}
	g := &u.Group
	if len(u.old()) > 0 && !slices.ContainsFunc(u.Alive(), func(m *Machine) bool { return m.Template == g.Template && !u.olds[m.ID] }) {
		g.Template.Version++
		g.versions[g.Template.Version] = "ami of version " + g.Template.String()
	}
	if g.Managed.Minimal {
		u.marks()
		u.enter(mng.Upgrade)
		return
	}
	more := max(2*len(g.Zones), u.by.AtOnce(&g.Group))
	g.Sizes.Desired, g.Sizes.Max = g.Sizes.Desired+more, g.Sizes.Max+more
	u.enter(mng.ScaleUp)
	u.Touch()
}

// scalesUp waits for a new node in each zone that has an old one.
func (u *eksUpdate) scalesUp() {
	zones := map[string]bool{}
	for _, m := range u.Alive() {
		zones[m.Zone] = zones[m.Zone] || !u.olds[m.ID] && u.takesPods(m)
	}
	for _, m := range u.old() {
		if !zones[m.Zone] {
			return
		}
	}
	u.marks()
	u.enter(mng.Upgrade)
}

// scalesDown lowers the sizes to what they were, one after the other.
func (u *eksUpdate) scalesDown() {
	g := &u.Group
	switch {
	case g.Sizes.Desired <= u.before.Desired:
		g.Sizes.Max = u.before.Max
		u.over(world.UpdateSucceeded)
	case u.now.Sub(u.shrunk) >= eksShrinks:
		g.Sizes.Desired, g.Sizes.Max, u.shrunk = g.Sizes.Desired-1, g.Sizes.Max-1, u.now
		u.Touch()
	}
}

// marks keeps new pods off all old nodes.
func (u *eksUpdate) marks() {
	mark := world.Taint{Key: world.EKSGroupKey, Value: "unschedulable", Effect: "NoSchedule"}
	for _, m := range u.old() {
		u.EditByOthers(m.Name, func(n *world.Node) {
			if len(n.Moves()) == 0 {
				n.Taints = append(n.Taints, mark)
			}
		})
	}
}

// upgrades drains and ends old nodes, as many at once as the update configuration says: the next ones when those before are
// through, with MINIMAL when their replacements are Ready as well.
func (u *eksUpdate) upgrades() {
	for _, id := range sortedKeys(u.picked) {
		if m := u.machines[id]; m == nil {
			delete(u.picked, id)
		} else if !u.drains(m) {
			return
		}
	}
	minimal := u.Group.Managed.Minimal
	if len(u.picked) > 0 || minimal && u.serving() < u.Group.Sizes.Desired && !u.first() {
		return
	}
	old := u.old()
	if len(old) == 0 {
		u.enter(mng.ScaleDown)
		u.scalesDown()
		return
	}
	for _, m := range old[:min(len(old), max(1, u.atOnce))] {
		u.picked[m.ID] = u.now
		u.drains(m)
	}
}

// first reports whether no old node is gone yet.
func (u *eksUpdate) first() bool {
	for id, old := range u.olds {
		if old && u.machines[id] == nil {
			return false
		}
	}
	return true
}

// serving is how many nodes take pods.
func (u *eksUpdate) serving() (n int) {
	for _, m := range u.Alive() {
		if u.takesPods(m) {
			n++
		}
	}
	return n
}

// drains takes a node further that the update is at. It reports whether the update continues.
func (u *eksUpdate) drains(m *Machine) bool {
	if m.Leaving() {
		return true
	}
	always := func(*Pod) bool { return true }
	late := u.now.Sub(u.picked[m.ID])
	if !u.emptiesAs(m.Name, false, always, func(*Pod) bool { return u.force && late >= world.EKSDrainLimit }) {
		if delete(u.empty, m.ID); u.force || late < eksGivesUp {
			return true
		}
		u.over(world.UpdateFailed, world.ManagedIssue{Code: "PodEvictionFailure", Message: "Reached max retries while trying to evict pods from nodes in node group", Resources: []string{m.Name}})
		return false
	}
	if u.empty[m.ID].IsZero() {
		u.empty[m.ID] = u.now
	}
	if u.Group.Managed.Minimal || u.now.Sub(u.empty[m.ID]) >= eksSettles {
		u.tellActivity("a user request", "")
		u.Group.Activities[0].Ends, u.Group.Activities[0].Zone, u.Group.Activities[0].Why = m.ID, m.Zone, world.EndRequested
		u.EndByOthers(m)
	}
	return true
}
