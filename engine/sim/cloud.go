package sim

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Processes of an Auto Scaling group that the simulation knows, by AWS's names.
const (
	AZRebalance = "AZRebalance"
	Launch      = "Launch"
	Terminate   = "Terminate"

	replaceUnhealthy = "ReplaceUnhealthy"
)

// Group is an Auto Scaling group as it is.
type Group struct {
	world.Group
	// NodeLabels are what nodes are labelled with as they join.
	NodeLabels map[string]string
	// ZoneRoom is how many machines a zone still has, any number where it names none; Quota how many
	// the account may run, 0 for any number.
	ZoneRoom map[string]int
	Quota    int
	// LifecycleHooks are those of the group, with who completes them.
	LifecycleHooks []LifecycleHook
	// WarmSize is how many machines the warm pool is kept at.
	WarmSize int
	// Keeps are the machines (by ID) that the group does not let go when they are to be detached.
	Keeps map[string]bool
	// Spot: new machines are Spot. Protects: they are protected from scale-in.
	Spot, Protects bool

	versions map[int64]string // images of the template's versions
	tokens   map[string]int64 // versions made, by client token
	launched map[string]bool  // LaunchInstances answered, by client token
	shrunk   map[string]bool  // machines whose end took the desired size down
	ghosts   int              // machines that are gone, and it does not know
	self     bool             // its own controller launches and ends its machines
}

func (g *Group) init(zones []string) {
	g.Name, g.Provider = "ng", "asg"
	g.Zones = zones
	g.Template = world.Template{ID: "lt", Version: 1}
	g.TemplateSpec, g.TemplateName = "1", "ng"
	g.versions = map[int64]string{1: "ami-1"}
	g.Image = "ami-1"
	g.tokens, g.launched, g.shrunk = map[string]int64{}, map[string]bool{}, map[string]bool{}
	g.ZoneRoom, g.Keeps = map[string]int{}, map[string]bool{}
}

// earlier is how long ago a launch of the group failed, before anybody looked.
const earlier = 3 * time.Hour

// AddNodes adds machines of a template version whose nodes are Ready, spread
// over the group's zones.
func (s *Sim) AddNodes(n int, version int64) {
	lately := world.Lately{Launched: map[string]time.Time{}}
	if s.Group.Lately != nil {
		maps.Copy(lately.Launched, s.Group.Lately.Launched)
	}
	lately.Launches = []world.Activity{{ID: "earlier", At: s.now.Add(-earlier), Failed: true, Zone: s.Group.Zones[0], Message: noRoomIn(s.Group.Zones[0])}}
	s.Group.Lately = &lately
	for range n {
		zone := s.emptiestZone(nil)
		m := s.newMachine(zone, world.Template{ID: s.Group.Template.ID, Version: version})
		m.State, m.Detail = world.MachineInService, "InService"
		if s.Group.Role != world.RoleBastion {
			s.join(m)
			lately.Launched[m.ID] = s.now.Add(-s.Config.Launch - s.Config.Boot)
			s.EditNode(m.Name, func(n *world.Node) { n.Ready, n.Trouble, n.Joining = true, "", s.Config.NodeReady })
		}
		s.Group.Sizes.Desired++
		s.Group.Sizes.Max = max(s.Group.Sizes.Max, s.Group.Sizes.Desired)
	}
	s.ListMachines()
}

// ListMachines brings the Truth up to date with the machines.
func (s *Sim) ListMachines() {
	s.listed = s.machinesNow(s.listed, func(*Machine) bool { return true })
	s.Truth.KeepMachines(s.listed)
	if g := s.Describe(); s.group == nil || !reflect.DeepEqual(&g, &s.described) {
		s.described = g
		s.Truth.SetGroup(g)
		g = s.Truth.Group
		s.group = &g
	}
}

// machinesNow lists machines by their ids as they are: the list that is given, if they are as they
// are there. Neither a list nor a machine of it is ever changed.
func (s *Sim) machinesNow(before []*world.Machine, which func(*Machine) bool) []*world.Machine {
	list, old := make([]*world.Machine, 0, len(s.machines)), before
	for _, m := range s.order {
		if !which(m) {
			continue
		}
		for len(old) > 0 && old[0].ID < m.ID {
			old = old[1:]
		}
		if len(old) > 0 && *old[0] == m.Machine {
			list = append(list, old[0])
			continue
		}
		now := m.Machine
		list = append(list, &now)
	}
	if slices.Equal(list, before) {
		return before
	}
	return list
}

func byID(a, b *Machine) int { return cmp.Compare(a.ID, b.ID) }

// addMachine adds a machine.
func (s *Sim) addMachine(m *Machine) {
	at, _ := slices.BinarySearchFunc(s.order, m, byID)
	s.machines[m.ID], s.order = m, slices.Insert(slices.Clip(s.order), at, m)
}

// removeMachine takes a machine away, if it is there.
func (s *Sim) removeMachine(m *Machine) {
	if at, found := slices.BinarySearchFunc(s.order, m, byID); found {
		s.order = slices.Concat(s.order[:at], s.order[at+1:])
	}
	delete(s.machines, m.ID)
}

// Describe is a copy of the group as the cloud would describe it.
func (s *Sim) Describe() world.Group {
	g := s.Group.Group
	g.Suspended, g.Zones, g.Warm = slices.Clone(g.Suspended), slices.Clone(g.Zones), slices.Clone(g.Warm) // its activities are replaced, never changed
	g.Scaling.Schedule = slices.Clone(g.Scaling.Schedule)
	for _, h := range s.Group.LifecycleHooks {
		g.Hooks = append(g.Hooks, h.Hook)
	}
	g.Peers = s.describePeers()
	s.wordGroup(&g)
	return g
}

// poll shows the group to the View from time to time.
func (s *Sim) poll() {
	s.look()
	s.After(s.Config.CloudEvery, s.poll)
}

// ReadNow shows the group to the View once, and tells the driver of it, unless that is under
// way. What is asked for meanwhile is asked for again.
func (s *Sim) ReadNow() {
	if s.reading || s.Faults.away(world.Cloud, s.now) {
		return
	}
	s.reading = true
	s.look()
	s.After(s.Config.CloudLag, func() { s.reading, s.fresh = false, true })
}

// look shows the group to the View once, as it was listed last.
func (s *Sim) look() {
	if s.Faults.away(world.Cloud, s.now) {
		return
	}
	hidden := func(m *Machine) bool { return s.now.Before(m.hidden) }
	list := s.listed
	if slices.ContainsFunc(s.order, hidden) {
		list = s.machinesNow(s.shown, func(m *Machine) bool { return !hidden(m) })
	}
	s.shown = list
	g, at, process := s.group, s.now, s.process
	s.After(s.Config.CloudLag, func() {
		if s.Faults.away(world.Cloud, s.now) || process != s.process || s.View.Health[world.Cloud].Fresh.After(at) {
			return
		}
		before, grown := s.View.Machines(), s.shownGroup != g
		s.show(func(w *world.World) {
			if grown || s.told != nil { // who keeps another one may have changed it
				w.SetGroup(*g)
			}
			w.KeepMachines(list)
		})
		s.shownGroup = g
		s.View.SetHealth(world.Cloud, world.Health{Fresh: at})
		s.fresh = s.fresh || grown || !slices.Equal(before, s.View.Machines())
	})
}

// Alive lists the machines that count against the desired size and are not ending, by id.
func (s *Sim) Alive() []*Machine {
	var out []*Machine
	for _, m := range s.order {
		if m.counts() && !m.Leaving() {
			out = append(out, m)
		}
	}
	return out
}

// Size is how many machines count against the desired size.
func (s *Sim) Size() int {
	n := s.Group.ghosts
	for _, m := range s.order {
		if m.counts() {
			n++
		}
	}
	return n
}

// emptiestZone is the zone with the fewest machines, of those not in except.
func (s *Sim) emptiestZone(except map[string]bool) string {
	count := map[string]int{}
	for _, m := range s.order {
		if m.counts() {
			count[m.Zone]++
		}
	}
	best := ""
	for _, z := range s.Group.Zones {
		if !except[z] && (best == "" || count[z] < count[best]) {
			best = z
		}
	}
	return best
}

// balance launches and ends machines until there are as many as desired.
func (s *Sim) balance() {
	if s.Group.self {
		return
	}
	for n := s.Size(); n < s.Group.Sizes.Desired; n++ {
		if s.Group.HasSuspended(Launch) || !s.launchAnywhere() {
			s.After(10*time.Second, s.Touch)
			break
		}
	}
	for n := s.Size(); n > max(0, s.Group.Sizes.Desired) && !s.Group.HasSuspended(Terminate); n-- {
		list := slices.DeleteFunc(s.Alive(), func(m *Machine) bool { return m.Protected })
		if len(list) == 0 {
			break
		}
		s.EndByOthers(list[len(list)-1])
	}
	s.FillWarmPool()
	s.ListMachines()
}

// Balanced reports whether the group has as many machines as it wants, or more only
// because they are protected from scale-in, or because others have it end none by itself.
func (s *Sim) Balanced() bool {
	list := s.Alive()
	if over := len(list) - s.Group.Sizes.Desired; over <= 0 {
		return over == 0
	}
	return s.TheirSuspended[Terminate] && s.Group.HasSuspended(Terminate) || !slices.ContainsFunc(list, func(m *Machine) bool { return !m.Protected })
}

// FillWarmPool keeps the warm pool at its size, from what the group launches now.
func (s *Sim) FillWarmPool() {
	for len(s.Group.Warm) < s.Group.WarmSize {
		zone := s.Group.Zones[s.number("warm/zone")%len(s.Group.Zones)]
		id := "i-warm" + strconv.Itoa(s.number("warm"))
		s.Group.Warm = append(slices.Clip(s.Group.Warm), world.Machine{ID: id, Zone: zone, State: world.MachinePending, Detail: "Warmed:Stopped", Template: s.nextTemplate(), Type: "m5.large"})
	}
}

// launchAnywhere launches in the zone with the fewest machines that has one.
func (s *Sim) launchAnywhere() bool {
	full := map[string]bool{}
	for len(full) < len(s.Group.Zones) {
		zone := s.emptiestZone(full)
		if _, failure := s.launchIn(zone); failure == "" {
			return true
		}
		full[zone] = true
	}
	return false
}

// rebalanceLater lets AZRebalance act twice a minute, as long as it is not
// suspended: a machine more in the emptiest zone, one less, undrained, in the
// fullest.
func (s *Sim) rebalanceLater() {
	s.After(30*time.Second, func() {
		s.rebalanceLater()
		if s.Group.HasSuspended(AZRebalance) {
			return
		}
		count := map[string]int{}
		for _, m := range s.Alive() {
			if m.State != world.MachineInService {
				return // one thing at a time
			}
			count[m.Zone]++
		}
		low := s.emptiestZone(nil)
		high := slices.MaxFunc(s.Group.Zones, func(a, b string) int { return cmp.Compare(count[a], count[b]) })
		if count[high]-count[low] < 2 || len(s.Alive()) != s.Group.Sizes.Desired {
			return
		}
		if _, failure := s.launchIn(low); failure != "" {
			return
		}
		for _, m := range s.Alive() {
			if m.Zone == high && !m.Protected {
				s.EndByOthers(m)
				return
			}
		}
	})
}
