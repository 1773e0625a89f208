package sim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// spotNotice is how long before it takes a Spot machine back the cloud says so.
const spotNotice = 2 * time.Minute

// Machine is a machine of the group with what only the cloud knows.
type Machine struct {
	world.Machine
	// Name is that of its node, also before it joins; Began is when it was launched.
	Name  string
	Began time.Time
	// what will become of it
	neverJoins, neverReady, noLabels bool

	silent bool // nobody hears from its kubelet
	// hidden: it is on no list until then.
	hidden time.Time
	// unnoticed: it was ended without asking its group, which does not know yet.
	unnoticed bool
	lives     int // how often its kubelet fell silent
	// release completes the lifecycle hooks that it waits for, nil when there are none.
	release func(proceed bool)
}

// counts reports whether a machine counts against the desired size.
func (m *Machine) counts() bool {
	return (!m.Leaving() || m.unnoticed) && m.State != world.MachineStandby && !m.Detached
}

// LifecycleHook is a lifecycle hook and who completes it.
type LifecycleHook struct {
	world.Hook
	// After is how long a user takes to complete it, 0 for never; Refuses: a machine that
	// launches is abandoned then.
	After   time.Duration
	Refuses bool
}

// newMachine makes a machine that is Pending.
func (s *Sim) newMachine(zone string, from world.Template) *Machine {
	number := s.number("node/" + zone)
	name := s.named + zone + strconv.Itoa(number)
	if from.Version > 1 {
		name += "v" + strconv.FormatInt(from.Version, 10)
	}
	m := &Machine{Began: s.now}
	s.nameMachine(m, name, zone, number)
	m.Zone, m.State, m.Detail, m.Type = zone, world.MachinePending, "Pending", "m5.large"
	m.Template, m.Spot, m.Protected = from, s.Group.Spot, s.Group.Protects
	s.addMachine(m)
	return m
}

// nextTemplate is what the group makes its next machine from: a mixed one takes
// turns between its own template and those of its overrides.
func (s *Sim) nextTemplate() world.Template {
	list := append([]world.Template{s.Group.Template}, s.Group.Overrides...)
	if len(list) == 1 {
		return list[0]
	}
	return list[s.number("launch")%len(list)]
}

// noRoomIn are EC2's words where a zone has no room.
func noRoomIn(zone string) string {
	return "We currently do not have sufficient m5.large capacity in the Availability Zone you requested (" + zone + ")"
}

// launchIn starts a machine in a zone, or says why not: with EC2's code and, as
// far as providers/asg passes them on, words.
func (s *Sim) launchIn(zone string) (code, failure string) {
	warm := slices.IndexFunc(s.Group.Warm, func(m world.Machine) bool { return m.Zone == zone && !m.Leaving() })
	room, bounded := s.Group.ZoneRoom[zone]
	switch {
	case warm >= 0:
	case s.Group.Quota > 0 && len(s.machines)+len(s.Group.Warm) >= s.Group.Quota:
		s.Tilted = true // the next try may find other zones emptier
		code, failure = "VcpuLimitExceeded", fmt.Sprintf("You have requested more vCPU capacity than your current vCPU limit of %d allows", 2*s.Group.Quota)
	case bounded && room <= 0:
		code, failure = "InsufficientInstanceCapacity", noRoomIn(zone)
	}
	failure = s.hostile(failure)
	s.tellActivity("launch in "+zone, failure)
	s.Group.Activities[0].Zone, s.Group.Activities[0].Launched = zone, failure == ""
	if failure != "" {
		return code, failure
	}
	from, boot := s.nextTemplate(), s.Config.Boot
	if warm >= 0 { // it has run before
		from, boot = s.Group.Warm[warm].Template, s.Config.Boot/4
		s.Group.Warm = slices.Delete(slices.Clone(s.Group.Warm), warm, warm+1)
	} else if bounded {
		s.Group.ZoneRoom[zone]--
	}
	m := s.newMachine(zone, from)
	s.Faults.curse(m)
	if gone := s.Faults.ReplacedAfter; m.neverJoins && gone > 0 {
		s.After(gone, func() { s.EndByOthers(m) }) // its health check fails, and balance launches another
	}
	s.After(s.Config.Launch, func() { s.hold(m, true) })
	s.After(s.Config.Launch+boot, func() { s.boots(m) })
	s.ListMachines()
	return "", ""
}

// tellActivity adds to what the group has tried; of a failure that repeats the last is told.
func (s *Sim) tellActivity(cause, failure string) {
	a, before := world.Activity{ID: "act-" + strconv.Itoa(s.number("activity")), At: s.now, Cause: cause, Failed: failure != "", Message: failure}, s.Group.Activities
	if a.Failed && len(before) > 0 && before[0].Message == failure {
		before = before[1:]
	}
	s.Group.Activities = append([]world.Activity{a}, before[:min(len(before), 20)]...)
}

// hold lets a machine wait for the group's lifecycle hooks of its kind, and then
// go into service, or out of existence.
func (s *Sim) hold(m *Machine, launching bool) {
	if s.machines[m.ID] != m || launching == m.Leaving() {
		return
	}
	s.ListMachines()
	waiting, abandon := 0, false
	proceed := func(ok bool) {
		waiting--
		abandon = abandon || !ok
		if waiting > 0 && !abandon || m.release == nil || launching == m.Leaving() {
			return
		}
		m.release = nil
		switch {
		case !launching:
			s.goes(m)
		case abandon:
			s.EndByOthers(m)
		default:
			s.enter(m)
		}
	}
	for _, h := range s.Group.LifecycleHooks {
		if h.Launching != launching || m.Detached { // the hooks are its group's
			continue
		}
		waiting++
		if h.After > 0 && h.After < h.Timeout {
			s.After(h.After, func() { proceed(!h.Refuses) })
		} else {
			s.After(h.Timeout, func() { proceed(!h.Abandon) })
		}
	}
	m.release = proceed
	if waiting == 0 {
		proceed(true)
		return
	}
	m.Detail = m.State + ":Wait"
	s.ListMachines()
}

// enter puts a machine into service.
func (s *Sim) enter(m *Machine) {
	m.State, m.Detail = world.MachineInService, "InService"
	s.ListMachines()
	s.Touch()
}

// boots lets a machine's kubelet start.
func (s *Sim) boots(m *Machine) {
	if s.machines[m.ID] != m || m.Leaving() || m.neverJoins || s.Group.Role == world.RoleBastion {
		return
	}
	s.reuseName(m)
	s.join(m)
	s.After(s.Config.NodeReady, func() {
		if !m.neverReady && !m.silent {
			s.EditNode(m.Name, func(n *world.Node) { n.Ready, n.Trouble, n.Joining = true, "", s.now.Sub(n.Created) })
		}
	})
}

// reuseName gives a machine that boots the name of a node that is gone, as a network does
// that gives an address out again, if that is its lot.
func (s *Sim) reuseName(m *Machine) {
	i := slices.IndexFunc(s.freed, func(name string) bool { return strings.HasPrefix(name, s.named+m.Zone) && s.Truth.Node(name) == nil })
	if i < 0 || !s.Faults.strikes("reuses-name") {
		return
	}
	m.Name = s.freed[i]
	s.freed = slices.Delete(s.freed, i, i+1)
	maps.DeleteFunc(s.OtherMarks, func(mark string, _ bool) bool { return strings.HasPrefix(mark, m.Name+"/") })
}

// MachineOf finds the machine of a node by its name, nil if there is none.
func (s *Sim) MachineOf(node string) *Machine {
	if n := s.Truth.Node(s.Names.NodeName(node)); n != nil {
		return s.machines[n.Machine]
	}
	return s.machines["i-"+node]
}

// join makes the machine's node.
func (s *Sim) join(m *Machine) {
	n := world.Node{
		Name: m.Name, Machine: m.ID, Zone: m.Zone, Version: "v1." + strconv.FormatInt(30+m.Template.Version, 10),
		Labels: map[string]string{}, Created: s.now, Trouble: s.hostile("not ready: container runtime network not ready"),
	}
	n.Taints, n.Room = taintsOf(s.Group.Role), s.room()
	if s.fits != nil {
		n.Taints, n.Room = slices.Clone(s.model.taints), s.model.room
	}
	if !m.noLabels {
		maps.Copy(n.Labels, s.Group.NodeLabels)
	}
	s.setNode(n)
}

// room is what a node has for pods, DaemonSet pods and those of this moment's static ones included.
func (s *Sim) room() world.Room {
	pods := s.Config.Slots
	for _, w := range s.workloads {
		if w.Kind == DaemonSet || w.Kind == Mirror {
			pods++
		}
	}
	return world.Room{CPU: s.Config.CPU, Memory: s.Config.Memory, Pods: pods}
}

// roomForOneMore gives every node room for the pod of another DaemonSet.
func (s *Sim) roomForOneMore() {
	for _, w := range []*world.World{s.Truth, s.View} {
		for _, n := range w.Nodes() {
			more := *n
			more.Room.Pods++
			w.SetNode(&more)
		}
	}
}

// EndByOthers begins a machine's end.
func (s *Sim) EndByOthers(m *Machine) {
	if m.Leaving() || s.machines[m.ID] != m {
		return
	}
	m.State, m.Detail, m.release, s.ShrunkAt = world.MachineTerminating, "Terminating", nil, s.now
	s.ListMachines()
	s.hold(m, false)
	s.Touch()
}

// goes lets a machine end, without waiting for anybody; its node goes with it.
func (s *Sim) goes(m *Machine) {
	if !m.Leaving() {
		s.ShrunkAt = s.now
	}
	m.State, m.Detail, m.release = world.MachineTerminating, "Terminating", nil
	s.ListMachines()
	s.After(s.Config.Terminate, func() {
		s.drop(m)
	})
	s.Touch()
}

// drop removes a machine and its node.
func (s *Sim) drop(m *Machine) {
	if s.machines[m.ID] != m {
		return
	}
	s.removeMachine(m)
	s.freed = append(s.freed, m.Name)
	if m.unnoticed {
		s.Group.ghosts++
	}
	if n, bounded := s.Group.ZoneRoom[m.Zone]; bounded {
		s.Group.ZoneRoom[m.Zone] = n + 1
	}
	s.ListMachines()
	s.DropNode(m.Name)
	s.Touch()
}

// Interrupt lets the cloud take a Spot machine back, after its notice and whatever
// the hooks say.
func (s *Sim) Interrupt(m *Machine) {
	s.After(spotNotice, func() {
		if s.machines[m.ID] == m && m.Detail != "Terminating" {
			s.goes(m)
		}
	})
}

// FindUnhealthy lets the group find a machine unhealthy, and replace it.
func (s *Sim) FindUnhealthy(m *Machine) {
	if s.machines[m.ID] != m {
		return
	}
	m.Unhealthy = true
	s.ListMachines()
	if !s.Group.HasSuspended(replaceUnhealthy) && !m.Detached {
		s.Tilted = true
		s.EndByOthers(m)
	}
}
