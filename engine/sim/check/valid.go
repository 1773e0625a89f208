package check

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/world"
)

// validity is what was seen of the cluster's validity.
type validity struct {
	// looks of the run in a row that have found nothing.
	looks []time.Time
	// since is when the first of those was taken that the last pass rests on.
	since time.Time
}

// flaws lists what keeps the cluster from being valid, as the driver sees it: the group
// and those of the control plane are there and have as many machines as they are to have,
// all of them but bastions are nodes, Ready and with a network, the group's detached ones
// too, and the critical pods run with containers that are ready. What only concerns another
// group does not count: whose node one is, its name tells.
func (c *Checker) flaws() (out []string) {
	view := c.d.Sim.View
	for _, p := range view.Group.Peers {
		if p.Name == view.Group.Name || p.Role == world.RoleControlPlane {
			out = append(out, c.flawsOf(p)...)
		}
	}
	for _, m := range view.Machines() {
		if n := view.NodeOf(m.ID); m.Detached && !m.Leaving() && n != nil && (!n.Ready || n.NoNetwork) && !c.endedYet(m.ID) {
			out = append(out, n.Name+" is detached and not Ready")
		}
	}
	for _, w := range c.d.Sim.Workloads() {
		if w.Shape.Critical != "" {
			out = append(out, c.flawsOfPods(w)...)
		}
	}
	return out
}

// flawsOf lists what is amiss with the machines of a group.
func (c *Checker) flawsOf(p world.Peer) (out []string) {
	if p.Missing {
		return []string{p.Name + " is missing"}
	}
	if len(p.Machines) < p.Size {
		out = append(out, p.Name+" has too few machines")
	}
	for _, id := range p.Machines {
		switch n := c.d.Sim.View.NodeOf(id); {
		case p.Role == world.RoleBastion:
		case n == nil:
			out = append(out, id+" has not joined")
		case !n.Ready, n.NoNetwork:
			out = append(out, n.Name+" is not Ready, or has no network")
		default:
			if _, labelled := n.Labels[sim.ControlPlaneLabel]; labelled {
				out = append(out, n.Name+" has no pods of the control plane")
			}
		}
	}
	return out
}

// flawsOfPods lists the pods of a critical workload that are not ready, where that counts.
func (c *Checker) flawsOfPods(w *sim.Workload) (out []string) {
	view := c.d.Sim.View
	for _, p := range view.PodsIn(w.Namespace) {
		broken := p.Phase == world.PodPending || p.Phase == world.PodUnknown || p.Phase != world.PodSucceeded && len(p.Unready) > 0
		if p.Owner.UID != w.UID || !broken {
			continue
		}
		if n := view.Node(p.Node); n != nil && (c.isEnding(n.Machine) || w.Shape.Critical == world.NodeCritical && ofWorkers(c.d.Sim, n.Name)) {
			continue
		}
		out = append(out, p.Ref()+" is not ready")
	}
	return out
}

// ofWorkers reports whether a node is, or was, one of another group than the control plane's.
func ofWorkers(s *sim.Sim, node string) bool {
	for _, p := range s.Peers() {
		if number, ok := strings.CutPrefix(node, p.Name+"-"); ok && strings.Trim(number, "0123456789") == "" {
			return p.Role != world.RoleControlPlane
		}
	}
	return false
}

// isEnding reports whether a machine of kops's ends or has ended by the run's wish, also where others were first.
func (c *Checker) isEnding(id string) bool {
	_, out := c.kops.out[id]
	return out || c.kops.freed[id] || c.endedYet(id)
}

// endedYet reports whether the run's wish that a machine ends still holds: its request may have
// been lost, and the drain that followed have failed, so that the machine stays; or a user has taken the
// machine out of the group first, and it serves on.
func (c *Checker) endedYet(id string) bool {
	m, stage := c.d.Sim.Machines()[id], c.d.Run.Nodes.Peek(id).Stage
	if c.d.Sim.TakenOut[id] && !c.vigil(id).ended {
		return false
	}
	return c.ended[id] && (m == nil || m.Leaving() || stage == record.Terminating || stage == record.Replaced)
}

// looksAround checks the looks that a run takes at its cluster, by looks of our own, and
// what it makes of them.
func (c *Checker) looksAround(dec engine.Decision) {
	d, was, is := c.d, c.clock.was.Validation, dec.Run.Validation
	if is == nil || !c.validates() {
		return
	}
	if was == nil {
		was = &record.Validation{}
	}
	c.looksForSome(was, is, &dec.Run)
	v := &c.valid
	if is.Looked.Equal(d.Sim.Now()) && !was.Looked.Equal(is.Looked) {
		c.validationLook(was, is)
	}
	if !is.Passed.IsZero() && !was.Passed.Equal(is.Passed) {
		need := c.looksNeeded(is)
		if len(v.looks) < need {
			d.Breaks("validation: it passed after %d looks in a row, %d are needed", len(v.looks), need)
			return
		}
		v.since = v.looks[len(v.looks)-need]
		c.free(v.since)
		c.tries(v.since)
	}
	if !is.Failed.IsZero() && !was.Failed.Equal(is.Failed) {
		if len(is.After) > 0 {
			c.gaveUp("the validation", wait{what: "valid", start: startOf(was.Wait)}, d.Run.Settings.ValidateTimeout)
		}
		if d.Run.Settings.PassInvalid {
			v.since = d.Sim.Now()
			c.free(v.since)
		}
	}
}

// looksForSome checks that by our own rules a run looks at its cluster only where it has something to replace.
func (c *Checker) looksForSome(was, is *record.Validation, r *record.Run) {
	if !c.isOwn() || was.Wait != nil || is.Wait == nil || len(is.After) > 0 || len(c.d.Sim.View.Group.Warm) > 0 {
		return
	}
	for _, n := range r.Nodes.All() {
		if n.Stage == record.Outdated || n.Stage == record.Queued {
			return
		}
	}
	c.d.Breaks("validation: the cluster is looked at before anything is replaced, and nothing is to be")
}

// looksNeeded is how many looks in a row have to find nothing: one of those before anything is done.
func (c *Checker) looksNeeded(is *record.Validation) int {
	if len(is.After) > 0 {
		return max(1, c.d.Run.Settings.ValidateCount)
	}
	return 1
}

// validationLook checks a look by one of our own.
func (c *Checker) validationLook(was, is *record.Validation) {
	d, v := c.d, &c.valid
	c.looksWhenDue(was)
	found := c.flaws()
	counted := slices.DeleteFunc(slices.Clone(is.Failures), func(f record.Invalid) bool { return f.Ignored })
	knows := len(c.kops.out) > 0 || d.Sim.Now().Sub(c.kops.last) < time.Minute // more than it sees: what it has just done
	if len(counted) == 0 && len(found) > 0 || len(counted) > 0 && len(found) == 0 && !knows {
		d.Breaks("validation: a look finds %v, there is %v", counted, found)
	}
	if len(v.looks) > 0 && d.Sim.Now().Sub(v.looks[len(v.looks)-1]) < d.Run.Settings.ValidatePause {
		v.looks = v.looks[:len(v.looks)-1] // one and the same
	}
	if v.looks = append(v.looks, d.Sim.Now()); len(found) > 0 {
		v.looks = nil
	}
	row := 0
	for _, at := range v.looks {
		if !at.Before(startOf(is.Wait)) && !at.Before(c.launches.resumed) { // what was ended since, or a new process, has begun the row again
			row++
		}
	}
	if need := c.looksNeeded(is); row >= need && len(counted) == 0 && is.Passed.IsZero() {
		d.Breaks("validation: %d looks in a row have found nothing, %d are needed, and it is not over", row, need)
	}
}

// looksWhenDue checks that a look that follows another one rests on what was read of the cloud
// since it was due, unless it is the last before the time is up.
func (c *Checker) looksWhenDue(was *record.Validation) {
	if was.Looked.IsZero() || !was.Passed.IsZero() || !was.Failed.IsZero() {
		return
	}
	pause := c.d.Run.Settings.ValidatePause
	if slices.ContainsFunc(was.Failures, func(f record.Invalid) bool { return !f.Ignored }) {
		pause = c.d.Run.Settings.ValidateRetry
	}
	due, read := was.Looked.Add(pause), c.d.Sim.View.Health[world.Cloud].Fresh
	if read.Before(due) && !c.d.Sim.Now().Before(due) {
		c.d.Breaks("validation: a look rests on what was read of the cloud %s before it was due", due.Sub(read))
	}
}

func startOf(w *record.Wait) time.Time {
	if w == nil {
		return time.Time{}
	}
	return w.Start
}

// validFirst checks that nothing is done with the machines of a group before the cluster
// was found valid.
func (c *Checker) validFirst(a record.Action) {
	switch a.Kind {
	case record.RunHook, record.SetTemplate, record.CreateTemplate:
		return
	}
	if c.isOwn() && len(c.d.Run.Order) == 0 { // it has nothing to replace
		return
	}
	if !c.joins() || a.ReadOnly() || !c.valid.since.IsZero() || c.d.Run.State != record.Running {
		return
	}
	c.d.Breaks("validation: %s %s before the cluster was found valid", a.Kind, a.Key)
}
