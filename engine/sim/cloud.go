package sim

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Processes of an Auto Scaling group that the simulation knows.
const (
	azRebalance = "AZRebalance"
	launch      = "Launch"
	terminate   = "Terminate"
)

// group is an Auto Scaling group as it is.
type group struct {
	world.Group
	versions map[int64]string  // images of the template's versions
	tokens   map[string]int64  // versions made, by client token
	launched map[string]bool   // LaunchInstances answered, by client token
	labels   map[string]string // what new nodes are labelled with
	room     map[string]int    // machines a zone still has, by zone; absent: any number
	quota    int               // machines the account may run, 0 for any number
}

func (g *group) init(zones []string) {
	g.Name, g.Provider = "ng", "asg"
	g.Zones = zones
	g.Template = world.Template{ID: "lt", Version: 1}
	g.TemplateSpec, g.TemplateName = "1", "ng"
	g.versions = map[int64]string{1: "ami-1"}
	g.Image = "ami-1"
	g.tokens, g.launched = map[string]int64{}, map[string]bool{}
	g.room = map[string]int{}
}

// machine is a machine of the group with what only the cloud knows.
type machine struct {
	world.Machine
	name string // its node's
	// what will become of it
	neverJoins, neverReady, noLabels bool
	began                            time.Time
}

// AddNodes adds machines of a template version whose nodes are Ready, spread
// over the group's zones.
func (s *Sim) AddNodes(n int, version int64) {
	for range n {
		zone := s.emptiestZone(nil)
		m := s.newMachine(zone, version)
		m.State = world.MachineInService
		s.join(m)
		s.editNode(m.name, func(n *world.Node) { n.Ready = true })
		s.group.Sizes.Desired++
		s.group.Sizes.Max = max(s.group.Sizes.Max, s.group.Sizes.Desired)
	}
	s.listMachines()
}

// newMachine makes a machine that is Pending.
func (s *Sim) newMachine(zone string, version int64) *machine {
	name := zone + strconv.Itoa(s.number("node/"+zone))
	if version > 1 {
		name += "v" + strconv.FormatInt(version, 10)
	}
	m := &machine{name: name, began: s.now}
	m.ID, m.Zone, m.State, m.Detail, m.Type = "i-"+name, zone, world.MachinePending, "Pending", "m5.large"
	m.Template = world.Template{ID: s.group.Template.ID, Version: version}
	s.machines[m.ID] = m
	return m
}

// listMachines brings the Truth up to date with the machines.
func (s *Sim) listMachines() {
	list := make([]world.Machine, 0, len(s.machines))
	for _, m := range s.machines {
		list = append(list, m.Machine)
	}
	s.Truth.SetMachines(list)
	s.Truth.Group = s.describe()
}

// describe is a copy of the group as the cloud would describe it.
func (s *Sim) describe() world.Group {
	g := s.group.Group
	g.Suspended, g.Activities, g.Zones = slices.Clone(g.Suspended), slices.Clone(g.Activities), slices.Clone(g.Zones)
	return g
}

// poll shows the group to the View from time to time.
func (s *Sim) poll() {
	s.look()
	s.after(s.Config.CloudEvery, s.poll)
}

// look shows the group to the View once.
func (s *Sim) look() {
	if s.faults.away(world.Cloud, s.now) {
		return
	}
	g, list, at, process := s.describe(), []world.Machine(nil), s.now, s.process
	for _, id := range sortedKeys(s.machines) {
		list = append(list, s.machines[id].Machine)
	}
	s.after(s.Config.CloudLag, func() {
		if s.faults.away(world.Cloud, s.now) || process != s.process || s.View.Health[world.Cloud].Fresh.After(at) {
			return
		}
		before, was := s.View.Machines(), s.View.Group
		s.show(func(w *world.World) {
			w.Group = g
			w.SetMachines(list)
		})
		s.View.Health[world.Cloud] = world.Health{Fresh: at}
		s.fresh = s.fresh || !slices.Equal(before, s.View.Machines()) || !reflect.DeepEqual(was, g)
	})
}

// alive lists the machines that count against the desired size, by id.
func (s *Sim) alive() []*machine {
	out := slices.SortedFunc(maps.Values(s.machines), func(a, b *machine) int { return cmp.Compare(a.ID, b.ID) })
	return slices.DeleteFunc(out, func(m *machine) bool { return m.Leaving() || m.State == world.MachineStandby })
}

// emptiestZone is the zone with the fewest machines, of those not in except.
func (s *Sim) emptiestZone(except map[string]bool) string {
	count := map[string]int{}
	for _, m := range s.alive() {
		count[m.Zone]++
	}
	best := ""
	for _, z := range s.group.Zones {
		if !except[z] && (best == "" || count[z] < count[best]) {
			best = z
		}
	}
	return best
}

// balance launches and ends machines until there are as many as desired.
func (s *Sim) balance() {
	for n := len(s.alive()); n < s.group.Sizes.Desired; n++ {
		if s.group.HasSuspended(launch) || !s.launchAnywhere() {
			s.after(10*time.Second, s.touch)
			break
		}
	}
	for n := len(s.alive()); n > max(0, s.group.Sizes.Desired) && !s.group.HasSuspended(terminate); n-- {
		list := s.alive()
		s.end(list[len(list)-1])
	}
	s.listMachines()
}

// launchAnywhere launches in the zone with the fewest machines that has one.
func (s *Sim) launchAnywhere() bool {
	full := map[string]bool{}
	for len(full) < len(s.group.Zones) {
		zone := s.emptiestZone(full)
		if s.launchIn(zone) == "" {
			return true
		}
		full[zone] = true
	}
	return false
}

// launchIn starts a machine in a zone, or says in the cloud's words why not.
func (s *Sim) launchIn(zone string) (failure string) {
	room, bounded := s.group.room[zone]
	switch {
	case s.group.quota > 0 && len(s.machines) >= s.group.quota:
		failure = fmt.Sprintf("You have requested more vCPU capacity than your current vCPU limit of %d allows.", 2*s.group.quota)
	case bounded && room <= 0:
		failure = "We currently do not have sufficient m5.large capacity in the Availability Zone you requested (" + zone + ")."
	}
	a := world.Activity{ID: "act-" + strconv.Itoa(s.number("activity")), At: s.now, Cause: "launch in " + zone, Failed: failure != "", Message: failure}
	if !a.Failed || len(s.group.Activities) == 0 || s.group.Activities[0].Message != failure {
		s.group.Activities = append([]world.Activity{a}, s.group.Activities[:min(len(s.group.Activities), 20)]...)
	}
	if failure != "" {
		return failure
	}
	if bounded {
		s.group.room[zone]--
	}
	m := s.newMachine(zone, s.group.Template.Version)
	s.faults.curse(m)
	if gone := s.faults.replaced; m.neverJoins && gone > 0 {
		s.after(gone, func() { s.end(m) }) // its health check fails, and balance launches another
	}
	s.after(s.Config.Launch, func() { s.enter(m) })
	s.after(s.Config.Launch+s.Config.Boot, func() {
		if s.machines[m.ID] == m && !m.Leaving() && !m.neverJoins {
			s.join(m)
			s.after(s.Config.NodeReady, func() {
				if !m.neverReady {
					s.editNode(m.name, func(n *world.Node) { n.Ready, n.Trouble = true, "" })
				}
			})
		}
	})
	s.listMachines()
	return ""
}

func (s *Sim) enter(m *machine) {
	if m.State == world.MachinePending {
		m.State, m.Detail = world.MachineInService, "InService"
		s.listMachines()
	}
}

// join makes the machine's node.
func (s *Sim) join(m *machine) {
	n := world.Node{
		Name: m.name, Machine: m.ID, Zone: m.Zone, Version: "v1." + strconv.FormatInt(30+m.Template.Version, 10),
		Labels: map[string]string{}, Created: s.now, Trouble: "container runtime network not ready",
	}
	if !m.noLabels {
		maps.Copy(n.Labels, s.group.labels)
	}
	s.setNode(n)
}

// end begins a machine's end; its node goes with it.
func (s *Sim) end(m *machine) {
	if m.Leaving() {
		return
	}
	m.State, m.Detail = world.MachineTerminating, "Terminating"
	s.listMachines()
	s.after(s.Config.Terminate, func() {
		delete(s.machines, m.ID)
		if n, bounded := s.group.room[m.Zone]; bounded {
			s.group.room[m.Zone] = n + 1
		}
		s.listMachines()
		s.dropNode(m.name)
		s.touch()
	})
	s.touch()
}

// rebalanceLater lets AZRebalance act twice a minute, as long as it is not
// suspended: a machine more in the emptiest zone, one less, undrained, in the
// fullest.
func (s *Sim) rebalanceLater() {
	s.after(30*time.Second, func() {
		s.rebalanceLater()
		if s.group.HasSuspended(azRebalance) {
			return
		}
		count := map[string]int{}
		for _, m := range s.alive() {
			if m.State != world.MachineInService {
				return // one thing at a time
			}
			count[m.Zone]++
		}
		low := s.emptiestZone(nil)
		high := slices.MaxFunc(s.group.Zones, func(a, b string) int { return cmp.Compare(count[a], count[b]) })
		if count[high]-count[low] < 2 || len(s.alive()) != s.group.Sizes.Desired || s.launchIn(low) != "" {
			return
		}
		for _, m := range s.alive() {
			if m.Zone == high {
				s.end(m)
				return
			}
		}
	})
}
