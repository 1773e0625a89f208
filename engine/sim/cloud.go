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

// Processes of an Auto Scaling group that the simulation knows.
const (
	azRebalance = "AZRebalance"
	launch      = "Launch"
	terminate   = "Terminate"

	replaceUnhealthy = "ReplaceUnhealthy"
)

// group is an Auto Scaling group as it is.
type group struct {
	world.Group
	versions map[int64]string  // images of the template's versions
	tokens   map[string]int64  // versions made, by client token
	launched map[string]bool   // LaunchInstances answered, by client token
	shrunk   map[string]bool   // machines whose end took the desired size down
	labels   map[string]string // what new nodes are labelled with
	room     map[string]int    // machines a zone still has, by zone; absent: any number
	quota    int               // machines the account may run, 0 for any number
	hooks    []hook
	ghosts   int             // machines that are gone, and it does not know
	warm     int             // machines that the warm pool is kept at
	keeps    map[string]bool // machines that it does not let go, by id
	self     bool            // its own controller launches and ends its machines
	spot     bool            // new machines are Spot
	protects bool            // new machines are protected from scale-in
}

func (g *group) init(zones []string) {
	g.Name, g.Provider = "ng", "asg"
	g.Zones = zones
	g.Template = world.Template{ID: "lt", Version: 1}
	g.TemplateSpec, g.TemplateName = "1", "ng"
	g.versions = map[int64]string{1: "ami-1"}
	g.Image = "ami-1"
	g.tokens, g.launched, g.shrunk = map[string]int64{}, map[string]bool{}, map[string]bool{}
	g.room, g.keeps = map[string]int{}, map[string]bool{}
}

// AddNodes adds machines of a template version whose nodes are Ready, spread
// over the group's zones.
func (s *Sim) AddNodes(n int, version int64) {
	lately := world.Lately{Launched: map[string]time.Time{}}
	if s.group.Lately != nil {
		maps.Copy(lately.Launched, s.group.Lately.Launched)
	}
	s.group.Lately = &lately
	for range n {
		zone := s.emptiestZone(nil)
		m := s.newMachine(zone, world.Template{ID: s.group.Template.ID, Version: version})
		m.State, m.Detail = world.MachineInService, "InService"
		if s.group.Role != world.RoleBastion {
			s.join(m)
			lately.Launched[m.ID] = s.now.Add(-s.Config.Launch - s.Config.Boot)
			s.editNode(m.name, func(n *world.Node) { n.Ready, n.Trouble, n.Joining = true, "", s.Config.NodeReady })
		}
		s.group.Sizes.Desired++
		s.group.Sizes.Max = max(s.group.Sizes.Max, s.group.Sizes.Desired)
	}
	s.listMachines()
}

// listMachines brings the Truth up to date with the machines.
func (s *Sim) listMachines() {
	s.listed = s.machinesNow(s.listed, func(*machine) bool { return true })
	s.Truth.SetMachines(s.listed)
	s.Truth.SetGroup(s.describe())
}

// machinesNow lists machines by their ids as they are: the list that is given, if they are as they
// are there. A list is replaced, never changed.
func (s *Sim) machinesNow(before []world.Machine, which func(*machine) bool) []world.Machine {
	var list []world.Machine // nil as long as it is the one before
	n := 0
	if s.ids == nil {
		s.ids = sortedKeys(s.machines)
	}
	for _, id := range s.ids {
		m := s.machines[id]
		if !which(m) {
			continue
		}
		if list == nil && (n == len(before) || before[n] != m.Machine) {
			list = append(make([]world.Machine, 0, len(s.machines)), before[:n]...)
		}
		if n++; list != nil {
			list = append(list, m.Machine)
		}
	}
	if list == nil {
		return before[:n:n]
	}
	return list
}

// describe is a copy of the group as the cloud would describe it.
func (s *Sim) describe() world.Group {
	g := s.group.Group
	g.Suspended, g.Zones, g.Warm = slices.Clone(g.Suspended), slices.Clone(g.Zones), slices.Clone(g.Warm) // its activities are replaced, never changed
	g.Scaling.Schedule = slices.Clone(g.Scaling.Schedule)
	for _, h := range s.group.hooks {
		g.Hooks = append(g.Hooks, h.Hook)
	}
	g.Peers = s.describePeers()
	return g
}

// poll shows the group to the View from time to time.
func (s *Sim) poll() {
	s.look()
	s.after(s.Config.CloudEvery, s.poll)
}

// readNow shows the group to the View once, and tells the driver of it, unless that is under
// way. What is asked for meanwhile is asked for again.
func (s *Sim) readNow() {
	if s.reading || s.faults.away(world.Cloud, s.now) {
		return
	}
	s.reading = true
	s.look()
	s.after(s.Config.CloudLag, func() { s.reading, s.fresh = false, true })
}

// look shows the group to the View once.
func (s *Sim) look() {
	if s.faults.away(world.Cloud, s.now) {
		return
	}
	s.shown = s.machinesNow(s.shown, func(m *machine) bool { return !s.now.Before(m.hidden) })
	g, list, at, process := s.describe(), s.shown, s.now, s.process
	s.after(s.Config.CloudLag, func() {
		if s.faults.away(world.Cloud, s.now) || process != s.process || s.View.Health[world.Cloud].Fresh.After(at) {
			return
		}
		before, grown := s.View.Machines(), !reflect.DeepEqual(s.View.Group, g)
		s.show(func(w *world.World) {
			if grown || s.told != nil { // who keeps another one may have changed it
				w.SetGroup(g)
			}
			w.SetMachines(list)
		})
		s.View.SetHealth(world.Cloud, world.Health{Fresh: at})
		s.fresh = s.fresh || grown || !slices.Equal(before, s.View.Machines())
	})
}

// alive lists the machines that count against the desired size and are not ending, by id.
func (s *Sim) alive() []*machine {
	var out []*machine
	for _, m := range s.machines {
		if m.counts() && !m.Leaving() {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b *machine) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// size is how many machines count against the desired size.
func (s *Sim) size() int {
	n := s.group.ghosts
	for _, m := range s.machines {
		if m.counts() {
			n++
		}
	}
	return n
}

// emptiestZone is the zone with the fewest machines, of those not in except.
func (s *Sim) emptiestZone(except map[string]bool) string {
	count := map[string]int{}
	for _, m := range s.machines {
		if m.counts() {
			count[m.Zone]++
		}
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
	if s.group.self {
		return
	}
	for n := s.size(); n < s.group.Sizes.Desired; n++ {
		if s.group.HasSuspended(launch) || !s.launchAnywhere() {
			s.after(10*time.Second, s.touch)
			break
		}
	}
	for n := s.size(); n > max(0, s.group.Sizes.Desired) && !s.group.HasSuspended(terminate); n-- {
		list := slices.DeleteFunc(s.alive(), func(m *machine) bool { return m.Protected })
		if len(list) == 0 {
			break
		}
		s.end(list[len(list)-1])
	}
	s.fillPool()
	s.listMachines()
}

// balanced reports whether the group has as many machines as it wants, or more only
// because they are protected from scale-in, or because others have it end none by itself.
func (s *Sim) balanced() bool {
	list := s.alive()
	if over := len(list) - s.group.Sizes.Desired; over <= 0 {
		return over == 0
	}
	return s.theirs[terminate] && s.group.HasSuspended(terminate) || !slices.ContainsFunc(list, func(m *machine) bool { return !m.Protected })
}

// fillPool keeps the warm pool at its size, from what the group launches now.
func (s *Sim) fillPool() {
	for len(s.group.Warm) < s.group.warm {
		zone := s.group.Zones[s.number("warm/zone")%len(s.group.Zones)]
		id := "i-warm" + strconv.Itoa(s.number("warm"))
		s.group.Warm = append(slices.Clip(s.group.Warm), world.Machine{ID: id, Zone: zone, State: world.MachinePending, Detail: "Warmed:Stopped", Template: s.nextTemplate(), Type: "m5.large"})
	}
}

// launchAnywhere launches in the zone with the fewest machines that has one.
func (s *Sim) launchAnywhere() bool {
	full := map[string]bool{}
	for len(full) < len(s.group.Zones) {
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
		if count[high]-count[low] < 2 || len(s.alive()) != s.group.Sizes.Desired {
			return
		}
		if _, failure := s.launchIn(low); failure != "" {
			return
		}
		for _, m := range s.alive() {
			if m.Zone == high && !m.Protected {
				s.end(m)
				return
			}
		}
	})
}
