package check

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/world"
)

// instances are the machines of a group of kops as its rolling update has to treat them
// (pkg/instancegroups of kops): as many may be out of service at once as have come as a
// surge and as may be unavailable, and the slot of one that ended is free again when the
// cluster was found valid after that.
type instances struct {
	detached map[string]time.Time // that were detached, and when; zero: by an earlier roll
	out      map[string]time.Time // whose end was granted, and when, until the slot is free
	freed    map[string]bool      // whose slot is free, whether or not it is gone
	refused  map[string]bool      // whose end was asked for last, and refused
	first    time.Time            // when the first was detached
	last     time.Time            // when the last was
	begun    bool                 // the run has put its machines in order
	untried  bool                 // none had the group's specification then
}

func (k *instances) init(s *sim.Sim) {
	*k = instances{detached: map[string]time.Time{}, out: map[string]time.Time{}, freed: map[string]bool{}, refused: map[string]bool{}}
	for id, m := range s.Machines() {
		if m.Detached {
			k.detached[id] = time.Time{}
		}
	}
}

// isKops reports whether the group is one of kops's, rolled by its rules.
func (c *Checker) isKops() bool { return c.ofKops() && !c.isOwn() }

// ofKops reports whether the group is one of kops's.
func (c *Checker) ofKops() bool { return c.d.Sim.Group.Provider == "kops" }

// validates reports whether the run looks at the cluster.
func (c *Checker) validates() bool { return c.ofKops() && !c.d.Run.Settings.CloudOnly }

// joins reports whether the group's machines have nodes that the run looks at.
func (c *Checker) joins() bool { return c.validates() && c.d.Sim.Group.Role != world.RoleBastion }

// surge is how many machines may be detached at once: a share is rounded up, and none is
// for the control plane.
func (c *Checker) surge() int {
	if c.d.Sim.Group.Role == world.RoleControlPlane {
		return 0
	}
	return c.d.Run.Settings.MaxSurge.Of(c.members(), true)
}

// unavailable is how many machines may be missing at once: a share is rounded down, but
// is one at least.
func (c *Checker) unavailable() int {
	share := c.d.Run.Settings.MaxUnavailable
	if n := share.Of(c.members(), false); n > 0 || !share.Percent || share.N == 0 {
		return n
	}
	return 1
}

// members is what a share is one of: the group's machines before the run, and those that
// an earlier one has detached.
func (c *Checker) members() int {
	n := c.d.Run.Base.Desired
	for _, at := range c.kops.detached {
		if at.IsZero() {
			n++
		}
	}
	return n
}

// loose counts the detached machines whose slots are not free yet; of those only for
// which the group has another machine that was found to work, if they are to be. One that an
// earlier roll has detached, and this one leaves alone, is no part of the surge.
func (c *Checker) loose(found bool) (n int) {
	for id, at := range c.kops.detached {
		if left := c.d.Run.Nodes.Get(id); at.IsZero() && left.Stage == record.Skipped && left.Began.IsZero() {
			continue
		}
		_, out := c.kops.out[id]
		if (out || c.d.Sim.Machines()[id] != nil && !c.kops.freed[id]) && (!found || !c.validates() || at.IsZero() || at.Before(c.valid.since)) {
			n++
		}
	}
	return n
}

// unlisted counts the machines that have gone since they were detached, and of which the run does not know that yet: they may
// be on no list for a while.
func (c *Checker) unlisted() (n int) {
	for _, p := range c.d.Run.Pending {
		_, out := c.kops.out[p.Action.Machine]
		if p.Action.Kind == record.Detach && !p.Accepted.IsZero() && !out && c.d.Sim.Machines()[p.Action.Machine] == nil {
			n++
		}
	}
	return n
}

// detaches checks a Detach that is sent: it is the first thing that is done with a
// machine, and no more than may surge; the first alone if nothing has the group's
// specification yet.
func (c *Checker) detaches(a record.Action) {
	d, s, k := c.d, c.d.Sim, &c.kops
	node, m := d.Run.Nodes.Peek(a.Machine).Name, s.Machines()[a.Machine]
	if m == nil || m.Detached {
		return // it changes nothing
	}
	flying := 0
	for key := range c.open {
		if on := d.Saved.Pending[key].Action; on.Kind == record.Detach && on.Machine != a.Machine && s.Machines()[on.Machine] != nil && !s.Machines()[on.Machine].Detached {
			flying++
		}
	}
	switch {
	case !c.isKops() || s.Group.Role == world.RoleControlPlane:
		d.Breaks("detach: %s is of a group that does not surge", a.Machine)
	case d.Run.Nodes.Peek(a.Machine).New:
		d.Breaks("detach: %s is new", a.Machine)
	case c.outOfService(a.Machine), c.service.cordoned[a.Machine], c.marked[node+"/"+sim.ExcludeLabel] && s.Truth.Node(node) != nil && wears(s.Truth.Node(node), sim.ExcludeLabel):
		d.Breaks("detach: %s (%s) was taken out of service before it was detached", a.Machine, node)
	case c.loose(false)+flying >= c.surge():
		d.Breaks("detach: %s is one more than the %d that may surge", a.Machine, c.surge())
	}
	if (!k.first.IsZero() || flying > 0) && k.untried && c.validates() && !c.valid.since.After(k.first) {
		d.Breaks("detach: %s follows before the first machine of a new specification was found to work", a.Machine)
	}
}

// settles notes whether a machine had the group's specification when the run put its machines
// in order, as kops looks once.
func (c *Checker) settles() {
	k, view := &c.kops, c.d.Sim.View
	if k.begun || len(c.d.Run.Order) == 0 {
		return
	}
	k.begun = true
	k.untried = !slices.ContainsFunc(view.Machines(), func(m *world.Machine) bool { return m.Template == view.Group.Template && !m.Leaving() })
}

// tries notes that the cluster was found valid since a time with a machine of the group's specification.
func (c *Checker) tries(since time.Time) {
	view := c.d.Sim.View
	for _, m := range view.Machines() {
		if n := view.NodeOf(m.ID); n != nil && m.Template == view.Group.Template && !m.Leaving() && n.Created.Before(since) {
			c.kops.untried = false
		}
	}
}

// ends checks that a machine of kops's is ended as kops does it: without its group, and
// once it has left the load balancer, if it has a node that could serve.
func (c *Checker) ends(a record.Action) {
	d, s := c.d, c.d.Sim
	if !c.isKops() {
		return
	}
	if !a.Direct || a.Decrement {
		d.Breaks("capacity: %s is ended through its group, or for good", a.Machine)
	}
	n := s.Truth.NodeOf(a.Machine)
	if m := s.Machines()[a.Machine]; m == nil || m.Leaving() || n == nil || !s.Balancer.There || !c.joins() {
		return
	}
	if _, left := s.Balancer.Out[a.Machine]; !left && n.Created.Before(c.settledSince(a.Machine)) && !c.told(n.Name, record.WaitDeregister) {
		d.Breaks("balancer: %s is ended while the load balancer has it", n.Name)
	}
}

// told reports whether a warning of a node has a reason.
func (c *Checker) told(node, reason string) bool {
	return slices.ContainsFunc(c.d.Events, func(e record.Event) bool {
		return e.Type == record.Warning && e.Node == node && e.Reason == reason
	})
}

// settledSince is when a machine's node was first seen empty.
func (c *Checker) settledSince(machine string) time.Time {
	if v := c.vigils[machine]; v != nil && len(v.looks) > 0 {
		return v.looks[0]
	}
	return time.Time{}
}

// leaves checks that a node is out of service before it is asked to leave the load balancer.
// That the one who had cordoned it has lifted that is known once the watch has shown it.
func (c *Checker) leaves(a record.Action) {
	s := c.d.Sim
	n, shown := s.Truth.NodeOf(a.Machine), s.View.NodeOf(a.Machine)
	if n == nil || n.Unschedulable || shown != nil && shown.Unschedulable || !c.joins() {
		return
	}
	if _, foreign := s.OtherMarks[n.Name+"/cordon"]; !foreign && !c.marked[n.Name+"/cordon"] {
		c.d.Breaks("balancer: %s leaves the load balancer before it is cordoned", n.Name)
	}
}

// changed notes what became of machines of kops's.
func (c *Checker) changed(a record.Action) {
	k, m := &c.kops, c.d.Sim.Machines()[a.Machine]
	if m == nil || !c.ofKops() {
		return
	}
	if _, known := k.detached[a.Machine]; m.Detached && !known {
		k.last = c.d.Sim.Now()
		if k.detached[a.Machine] = k.last; k.first.IsZero() {
			k.first = k.last
		}
	}
	c.leftOut()
}

// leftOut notes the machines that end while the run ends them, also where others were first.
func (c *Checker) leftOut() {
	if !c.ofKops() {
		return
	}
	for id, m := range c.d.Sim.Machines() {
		_, known := c.kops.out[id]
		if m.Leaving() && !known && !c.kops.freed[id] && (c.ended[id] && !c.kops.refused[id] || c.d.Run.Nodes.Peek(id).Stage == record.Terminating) {
			if c.isOwn() && c.d.Run.Nodes.Peek(id).New { // it was too many: nothing is validated after it
				c.kops.freed[id] = true
				continue
			}
			c.kops.out[id] = c.d.Sim.Now()
		}
	}
	for id := range c.kops.out {
		if c.kops.refused[id] && c.d.Run.Nodes.Peek(id).Stage == record.Outdated {
			delete(c.kops.out, id) // the run was not let end it, and has given that up: others end it
		}
	}
}

// free gives the slots free of those machines whose ends were an interval before since.
func (c *Checker) free(since time.Time) {
	for id, at := range c.kops.out {
		if !at.Add(c.d.Run.Settings.Interval).After(since) {
			delete(c.kops.out, id)
			c.kops.freed[id] = true
		}
	}
}

// slots checks rule 1 for a group of kops's, when something begins with one of its
// machines.
func (c *Checker) slots() {
	d := c.d
	if !c.ofKops() {
		return
	}
	if !c.validates() || d.Run.Settings.ValidateCount == 0 {
		c.free(d.Sim.Now())
	}
	out := len(c.kops.out)
	for id := range c.service.touched {
		if _, counted := c.kops.out[id]; !counted && c.outOfService(id) {
			out++
		}
	}
	if c.isOwn() {
		if limit := max(1, d.Run.Limit); out > limit {
			d.Breaks("rule 1: %d machines are out of service or have not been validated after, %d may be", out, limit)
		}
		return
	}
	if may := max(1, c.loose(true)+c.unlisted()+c.unavailable()); out > may {
		d.Breaks("rule 1: %d machines are out of service or were not found to be replaced, %d may be: %d have surged, %d may be unavailable", out, may, c.loose(true), c.unavailable())
	}
}

// enough checks, when a drain begins, that as many nodes serve as have to, by what the
// driver sees.
func (c *Checker) enough(id string, n record.Node) {
	d, view := c.d, c.d.Sim.View
	if !c.isKops() || d.Run.State == record.Ending {
		return
	}
	serves := func(m *world.Machine) bool {
		if !c.joins() {
			return m.State == world.MachineInService
		}
		node := view.NodeOf(m.ID)
		return node != nil && node.Ready && m.State == world.MachineInService && (!node.Unschedulable || c.ourCordon(m.ID, node.Name))
	}
	if m := view.Machine(id); m == nil || !serves(m) {
		return // nothing is lost with it
	}
	in := 0
	for _, m := range view.Machines() {
		switch d.Run.Nodes.Peek(m.ID).Stage {
		case record.Draining, record.Settling, record.Terminating:
			continue
		}
		if serves(m) {
			in++
		}
	}
	may := c.unavailable()
	if c.loose(true) == 0 {
		may = max(1, may)
	}
	if floor := min(d.Run.Base.Desired, view.Group.Sizes.Desired) - may; in < floor {
		d.Breaks("capacity: the drain of %s leaves %d nodes in service, %d have to be", n.Name, in, floor)
	}
}

// quorum checks, when something begins with a machine of a control plane, that a majority of
// it is up by what the driver sees, less those that the run has in work; unless it is allowed.
func (c *Checker) quorum(id string, n record.Node) {
	d, view := c.d, c.d.Sim.View
	if view.Group.Role != world.RoleControlPlane || d.Run.Settings.AllowQuorumLoss || d.Run.State == record.Ending {
		return
	}
	all := view.Group.Sizes.Desired // others may have changed it since
	var machines []string
	for _, m := range view.Machines() {
		machines = append(machines, m.ID)
	}
	for _, p := range d.Sim.Peers() {
		if p.Role == world.RoleControlPlane {
			all += p.Size
			machines = append(machines, p.Machines...)
		}
	}
	up := 0
	for _, machine := range machines {
		_, ending := c.kops.out[machine]
		node := view.NodeOf(machine)
		serves := node != nil && node.Ready || !c.validates()
		if machine != id && serves && !ending && !slices.Contains([]record.Stage{record.Draining, record.Settling, record.Terminating}, d.Run.Nodes.Peek(machine).Stage) {
			up++
		}
	}
	if node := view.NodeOf(id); all >= 3 && 2*up <= all && (node != nil && node.Ready || !c.validates()) { // else nothing is lost with it
		d.Breaks("quorum: the drain of %s leaves %d of the control plane's %d machines up", n.Name, up, all)
	}
}

// looseEnds checks that no detached machine is left by a run that succeeded, and that
// another one names those that it leaves.
func (c *Checker) looseEnds() {
	d := c.d
	r := &d.Run
	if c.isKops() && r.Result == record.Succeeded && len(r.Target.Only) == 0 && !d.Sim.Retargeted {
		for _, m := range d.Sim.Group.Warm {
			if m.Template != d.Sim.Group.Template && !m.Leaving() && !slices.ContainsFunc(r.Notes, func(note string) bool { return strings.Contains(note, m.ID) }) {
				d.Breaks("rule 4: %s of the warm pool is outdated, and was not ended", m.ID)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(d.Sim.Machines())) {
		m := d.Sim.Machines()[id]
		if !m.Detached || m.Leaving() {
			continue
		}
		names := func(line string) bool { return strings.Contains(line, id) || strings.Contains(line, m.Name) }
		switch {
		case r.Result == record.Succeeded && !r.Settings.KeepOld:
			d.Breaks("rule 4: %s is detached, and was not ended", id)
		case !slices.ContainsFunc(r.Unrestored, names) && !slices.ContainsFunc(r.Notes, names):
			d.Breaks("rule 5: %s stays detached, and nothing says so", id)
		}
	}
}
