package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Soon asks for another decision right after this one.
func (s *Step) Soon() { s.soon() }

// Admit starts as many approved drains as limit and gate allow.
func (s *Step) Admit() { s.admit() }

// StartPhaseWait starts a deadline of the current phase, which counts while
// cluster and cloud can be seen.
func (s *Step) StartPhaseWait(what string, d time.Duration) {
	s.Run.PhaseWait = s.newWait(what, d, world.Cluster, world.Cloud)
}

// EnsureTemplate makes (or finds) a version of the group's launch template with
// another image. The token makes it one version however often it is asked for.
func (s *Step) EnsureTemplate(image string) (world.Template, bool) {
	source := s.Run.BaseTemplate
	if s.made == nil {
		s.Ensure(Action{Kind: CreateTemplate, Key: "template", Group: s.Run.Group, Template: &source, Image: image, Token: s.Run.ID})
		return world.Template{}, false
	}
	return *s.made, true
}

// SuspendProcess keeps a process of the group from acting, and remembers that it
// was us, unless it was suspended before.
func (s *Step) SuspendProcess(process string) bool {
	if !slices.Contains(s.Run.Suspended, process) {
		if s.W.Group.HasSuspended(process) {
			return true
		}
		s.Run.Suspended = append(s.Run.Suspended, process)
	}
	return s.Ensure(Action{Kind: Suspend, Key: "suspend/" + process, Group: s.Run.Group, Process: process})
}

// ResumeProcesses lets the processes that we suspended act again.
func (s *Step) ResumeProcesses() bool {
	for _, process := range slices.Clone(s.Run.Suspended) {
		if !s.settled("suspend/" + process) {
			return false
		}
		if !s.Ensure(Action{Kind: Resume, Key: "resume/" + process, Group: s.Run.Group, Process: process}) {
			return s.hopeless("resume/" + process)
		}
		s.Run.Suspended = slices.DeleteFunc(s.Run.Suspended, func(p string) bool { return p == process })
		s.changed = true
	}
	return true
}

// settled reports whether no action with this key is under way or yet to be seen.
func (s *Step) settled(key string) bool {
	_, busy := s.Run.Pending[key]
	return !busy
}

// hopeless reports whether an action was refused for good.
func (s *Step) hopeless(key string) bool { return s.Run.Retries[key].hopeless() }

// LaunchInZone asks for one machine in a zone by name. It raises the desired
// size by one more, which is recorded first, and the bound with it.
func (s *Step) LaunchInZone(zone string) {
	key := "launch/" + zone
	g := &s.W.Group
	if !slices.Contains(s.Run.AskedZones, zone) {
		if retry, refused := s.Run.Retries[key]; refused && s.Now.Before(retry.Next) {
			s.WakeAt(retry.Next)
			return
		}
		if need := s.Run.Expected() + 1; g.Sizes.Max < need {
			s.Run.MaxSet = max(s.Run.MaxSet, need)
			from, to := g.Sizes, g.Sizes
			to.Max = need
			if !s.Ensure(Action{Kind: SetSizes, Key: fmt.Sprintf("max/%d", need), Group: g.Name, From: &from, Sizes: &to}) {
				return
			}
		}
		s.Run.AskedZones = append(s.Run.AskedZones, zone)
		slices.Sort(s.Run.AskedZones)
	}
	s.Ensure(Action{Kind: LaunchIn, Key: key, Group: g.Name, Zone: zone, Token: s.Run.ID + "/" + zone})
}

// Expected is the group's desired size as our changes left it.
func (r *Run) Expected() int { return r.Base.Desired + r.Surge() }

// WatchSizes notices that somebody else changed the group's size meanwhile. A
// raise is left alone from then on; a lowering counts as part of ours.
func (s *Step) WatchSizes() {
	if !s.Fresh(world.Cloud) || !s.Run.Raised || s.Run.Foreign != "" || s.changingSizes() {
		return
	}
	switch desired, ours := s.W.Group.Sizes.Desired, s.Run.Expected(); {
	case desired > ours:
		s.Run.Foreign = fmt.Sprintf("somebody else raised the group's desired size from %d to %d meanwhile", ours, desired)
		s.Report(Event{Type: CapacityChanged, Reason: "not by us", Message: s.Run.Foreign})
	case desired < ours:
		s.Run.Lowered += ours - desired
		s.Report(Event{Type: CapacityChanged, Reason: "not by us", Message: fmt.Sprintf("somebody else lowered the group's desired size from %d to %d meanwhile", ours, desired)})
	}
}

// changingSizes reports whether a change of ours to the sizes may not show yet.
func (s *Step) changingSizes() bool {
	for _, p := range s.Run.Pending {
		a := p.Action
		if a.Kind == CheckEffect {
			a = *a.Of
		}
		if a.Kind == SetSizes || a.Kind == LaunchIn || a.Kind == Terminate {
			return true
		}
	}
	return s.Run.Count(Terminating) > 0
}

// WhyNotReady says why a new machine does not count yet, "" if it does.
func (s *Step) WhyNotReady(m *world.Machine) string {
	node := s.W.NodeOf(m.ID)
	switch {
	case m.State != world.MachineInService:
		return fmt.Sprintf("machine %s in %s is %s", m.ID, m.Zone, cmp.Or(m.Detail, m.State))
	case node == nil:
		return fmt.Sprintf("machine %s in %s has not joined the cluster", m.ID, m.Zone)
	case !node.Ready:
		return fmt.Sprintf("node %s is not Ready: %s", node.Name, cmp.Or(node.Trouble, "its kubelet has not said so"))
	case !s.readyForPods(m, node):
		var missing []string
		for _, k := range sortedKeys(s.Run.Settings.NewLabels) {
			if got, ok := node.Labels[k]; !ok || s.Run.Settings.NewLabels[k] != "" && got != s.Run.Settings.NewLabels[k] {
				missing = append(missing, k+"="+s.Run.Settings.NewLabels[k])
			}
		}
		return fmt.Sprintf("node %s lacks the expected labels %s", node.Name, strings.Join(missing, ", "))
	}
	return ""
}

// LaunchFailure is the cloud's own reason of the newest launch that failed since
// the run began, "" if none did.
func (s *Step) LaunchFailure() string {
	for _, a := range s.W.Group.Activities {
		if a.Failed && !a.At.Before(s.Run.Started) {
			return a.Message
		}
	}
	return ""
}

// ByPods compares two machines by how many pods would have to leave them, then
// by the run's chance.
func (s *Step) ByPods(a, b string) int {
	pa, _ := s.podsToMove(s.Run.Nodes[a].Name)
	pb, _ := s.podsToMove(s.Run.Nodes[b].Name)
	return cmp.Or(cmp.Compare(pa, pb), cmp.Compare(Chance(s.Run.Seed, a), Chance(s.Run.Seed, b)))
}

// Retire drains and ends surplus new nodes, emptiest first, under limit and
// gate, until excess of them are gone. It reports how many are in work.
func (s *Step) Retire(excess int) int {
	var ready []string
	working, present := 0, 0
	for _, m := range s.W.Machines() {
		n := s.Run.Nodes[m.ID]
		switch {
		case n.Stage == Terminating:
			working++
			continue
		case m.Leaving():
			continue // ended by somebody else
		case n.New && (n.Stage == Draining || n.Stage == Settling):
			working++
			excess--
		case n.New && (n.Stage == Ready || n.Stage == Surplus):
			ready = append(ready, m.ID)
		}
		present++
	}
	slices.SortFunc(ready, func(a, b string) int {
		sa, sb := s.Run.Nodes[a].Stage == Surplus, s.Run.Nodes[b].Stage == Surplus
		if sa != sb {
			return map[bool]int{true: -1, false: 1}[sa]
		}
		return s.ByPods(a, b)
	})
	slots := s.Run.Limit - s.Run.Unavailable()
	for _, id := range ready[:min(len(ready), max(0, excess), max(0, slots), max(0, present-s.Run.Base.Desired))] {
		if why := s.shut(); why != "" {
			s.holdGate(why)
			return working + 1
		}
		s.openGate()
		s.startDrain(id)
		working++
	}
	return working
}

// StopRetiring puts new nodes that are being retired back into service. It
// reports whether none is ending any more.
func (s *Step) StopRetiring() bool {
	done := true
	for _, id := range sortedKeys(s.Run.Nodes) {
		n := s.Run.Nodes[id]
		switch {
		case !n.New:
		case n.Stage == Draining, n.Stage == Settling, n.Stage == Terminating && !s.terminationAsked(id):
			s.putBack(id, n)
		case n.Stage == Terminating:
			done = false
		}
	}
	return done
}

// RetireEmpty ends new nodes that hold nothing that would have to be evicted, at
// most excess of them. It reports whether none is in work any more.
func (s *Step) RetireEmpty(excess int) bool {
	done := true
	for _, n := range s.Run.Nodes {
		if n.New && (n.Stage == Draining || n.Stage == Settling) {
			excess--
		}
	}
	for _, m := range s.W.Machines() {
		n := s.Run.Nodes[m.ID]
		if !n.New || m.Leaving() && n.Stage != Terminating {
			continue
		}
		left, _ := leaving(s.W, s.W.PodsOn(n.Name), s.Consents())
		switch n.Stage {
		case Terminating:
			done = false
		case Draining, Settling:
			done = false
			switch {
			case len(left) > 0:
				s.putBack(m.ID, n)
			case n.Stage == Draining:
				s.advanceDrain(m.ID, n)
			default:
				s.advanceSettling(m.ID, n)
			}
		case Ready, Surplus, Launching:
			if excess > 0 && len(left) == 0 && s.Fresh(world.Cluster) && !s.hopeless("terminate/"+m.ID) {
				excess--
				done = false
				s.startDrain(m.ID)
				s.soon()
			}
		}
	}
	return done
}

// RestoreMax gives the group its upper bound back; the desired size is never set.
func (s *Step) RestoreMax() bool {
	if !s.Run.Raised {
		return s.settleRaise()
	}
	g := &s.W.Group
	if !s.settled("raise") {
		return false
	}
	if g.Sizes.Max == s.Run.Base.Max {
		return s.settled("restore-max")
	}
	if s.settled("restore-max") && g.Sizes.Max != s.Run.MaxSet && g.Sizes.Max != s.Run.Base.Max+s.Run.Raise {
		s.Note(fmt.Sprintf("somebody else set the group's maximum to %d; it is left as it is", g.Sizes.Max))
		return true
	}
	from, to := g.Sizes, g.Sizes
	to.Max = max(s.Run.Base.Max, g.Sizes.Desired)
	if from == to {
		return true
	}
	return s.Ensure(Action{Kind: SetSizes, Key: "restore-max", Group: g.Name, From: &from, Sizes: &to}) || s.hopeless("restore-max")
}

// settleRaise waits until it is known whether a raise that was asked for happened.
func (s *Step) settleRaise() bool {
	p, busy := s.Run.Pending["raise"]
	switch {
	case !busy && s.Run.Raise > 0 && s.W.Group.Sizes.Desired == s.Run.Base.Desired+s.Run.Raise,
		busy && !p.Accepted.IsZero():
		s.Run.Raised, s.changed = true, true
		return false
	}
	return !busy
}

// RestoreTemplate points the group back to the template it had, if no machine
// runs another one.
func (s *Step) RestoreTemplate() bool {
	g := &s.W.Group
	spec := s.Run.BaseTemplateSpec
	if spec == "$Latest" && s.Run.Target.Image != "" { // which the version that we made is now
		spec = strconv.FormatInt(s.Run.BaseTemplate.Version, 10)
	}
	if len(s.Run.Target.Templates) == 0 || g.Template == s.Run.BaseTemplate && g.TemplateSpec == spec {
		return true
	}
	if !s.settled("set-template/" + s.Run.Target.Templates[0].String()) {
		return false
	}
	for _, m := range s.W.Machines() {
		if m.Template == s.Run.Target.Templates[0] && m.Template != s.Run.BaseTemplate {
			return true // named by leaveBehind
		}
	}
	back := s.Run.BaseTemplate
	key := "restore-template"
	return s.Ensure(Action{Kind: SetTemplate, Key: key, Group: g.Name, Template: &back, TemplateSpec: spec}) || s.hopeless(key)
}

// UnmarkAll takes every mark of ours off.
func (s *Step) UnmarkAll() bool {
	clean := true
	for _, key := range sortedKeys(s.Run.Marks) {
		clean = s.Unmark(key) && clean
	}
	return clean
}

// leaveGroup names what the run leaves changed on the group.
func (s *Step) leaveGroup() {
	g := &s.W.Group
	for _, process := range s.Run.Suspended {
		a := Action{Kind: Resume, Group: g.Name, Process: process}
		s.Leave(process+" stays suspended", a.Command())
	}
	s.leaveSizes()
	if len(s.Run.Target.Templates) > 0 && g.Template != s.Run.BaseTemplate && s.settled("restore-template") {
		back := s.Run.BaseTemplate
		a := Action{Kind: SetTemplate, Group: g.Name, Template: &back, TemplateSpec: s.Run.BaseTemplateSpec}
		s.Leave("the group stays on template "+g.Template.String()+", because nodes run it", a.Command())
	}
}

// leaveSizes names what the run leaves changed on the group's sizes.
func (s *Step) leaveSizes() {
	g := &s.W.Group
	if n := s.Run.Surge(); n <= 0 && g.Sizes.Desired > s.Run.Base.Desired && s.Run.Raised {
		s.Note(fmt.Sprintf("somebody else raised the group's desired size meanwhile: it is %d, and is left as it is", g.Sizes.Desired))
	} else if n > 0 {
		s.Leave(fmt.Sprintf("the group's desired size stays %d above its base, because new nodes hold pods or could not be launched; drain a node and end it", n),
			fmt.Sprintf("aws autoscaling terminate-instance-in-auto-scaling-group --instance-id INSTANCE --should-decrement-desired-capacity  # then update-auto-scaling-group --auto-scaling-group-name %s --max-size %d", g.Name, s.Run.Base.Max))
	}
	if g.Sizes.Max == s.Run.MaxSet && g.Sizes.Max > max(s.Run.Base.Max, g.Sizes.Desired) && s.settled("restore-max") {
		from, to := g.Sizes, g.Sizes
		to.Max = max(s.Run.Base.Max, g.Sizes.Desired)
		a := Action{Kind: SetSizes, Group: g.Name, From: &from, Sizes: &to}
		s.Leave(fmt.Sprintf("the group's maximum stays %d", g.Sizes.Max), a.Command())
	}
}
