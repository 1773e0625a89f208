package assess

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Settled reports whether no action with this key is under way or yet to be seen.
func (s *Reader) Settled(key string) bool {
	_, busy := s.Run.Pending[key]
	return !busy
}

// LaunchRefusal is why a machine that was asked for in a zone by name did not
// come, "" if it was not refused.
func LaunchRefusal(run *record.Run, zone string) string { return run.Retries["launch/"+zone].Message }

// WhyNotReady says why a new machine does not count yet, "" if it does.
func (s *Reader) WhyNotReady(m *world.Machine) string {
	node := s.W.NodeOf(m.ID)
	switch {
	case m.State == world.MachineInService && s.Nodeless():
		return ""
	case m.State != world.MachineInService:
		return text.MachineIs(m.ID, m.Zone, cmp.Or(m.Detail, string(m.State)), s.HeldBy(m))
	case node == nil:
		return text.MachineNotJoined(m.ID, m.Zone)
	case !node.Ready:
		return text.NodeNotReady(node.Name, node.Trouble)
	case !s.ReadyForPods(m, node):
		var missing []string
		for _, k := range slices.Sorted(maps.Keys(s.Run.Settings.NewLabels)) {
			if got, ok := node.Labels[k]; !ok || s.Run.Settings.NewLabels[k] != "" && got != s.Run.Settings.NewLabels[k] {
				missing = append(missing, k+"="+s.Run.Settings.NewLabels[k])
			}
		}
		return text.NodeLacksLabels(node.Name, missing)
	}
	return ""
}

// LaunchFailure is the cloud's own reason of the newest launch that failed since
// the run began, "" if none did.
func (s *Reader) LaunchFailure() string {
	for _, a := range s.W.Group.Activities {
		if a.Failed && !a.At.Before(s.Run.Started) {
			return a.Message
		}
	}
	return ""
}

// LaunchFailedIn reports whether a launch failed since the run's start for a reason that
// names a zone, as EC2's lack of capacity does.
func (s *Reader) LaunchFailedIn(zone string) bool {
	return slices.ContainsFunc(s.W.Group.Activities, func(a world.Activity) bool {
		return a.Failed && !a.At.Before(s.Run.Started) && strings.Contains(a.Message, "("+zone+")")
	})
}

// ByPods sorts machines by how many pods would have to leave them, then by the
// run's chance.
func (s *Reader) ByPods(machines []string) []string {
	pods := map[string]int{}
	for _, id := range machines {
		pods[id], _ = s.PodsToMove(s.Run.Nodes.Peek(id).Name)
	}
	slices.SortFunc(machines, func(a, b string) int {
		return cmp.Or(cmp.Compare(pods[a], pods[b]), cmp.Compare(Chance(s.Run.Seed, a), Chance(s.Run.Seed, b)))
	})
	return machines
}

// RaiseShows reports whether the group shows our raise, even if its answer was
// lost and another user or tool has raised the desired size further since. A maximum as we
// asked for beside another desired size may be another user's.
func (s *Reader) RaiseShows() bool {
	r, sizes := &s.Run, s.W.Group.Sizes
	if r.Raise == 0 || !r.RaiseUnsure { // refused, or not asked for: what the group shows is others'
		return false
	}
	return sizes.Max >= r.MaxSet && sizes.Desired >= r.RaisedFrom.Desired+r.Raise-r.Surge()
}

// Excess is how much of the group's desired size the run takes back.
func (s *Reader) Excess() int { return s.Run.Excess(s.W.Group.Sizes.Min) }

// Goal is the desired size that the group returns to.
func (s *Reader) Goal() int { return s.Run.Goal(s.W.Group.Sizes.Min) }

// TemplateMoved says who has set the group to another template than the run's target, and
// what to, the two parts of a sentence; "" if nobody has.
func (s *Reader) TemplateMoved() (who, does string) {
	want := s.Run.Target.Templates
	if len(want) == 0 || !s.Fresh(world.Cloud) || !s.Settled("set-template/"+want[0].String()) || s.W.Group.Template == want[0] {
		return "", ""
	}
	return text.AnotherUser, text.TemplateSet(s.W.Group.Template.String(), want[0].String())
}

// Rollback is the command that rolls the nodes that run the new template back to
// the one that most outdated nodes were launched from; "" if there is nothing to
// roll back, or nowhere to go.
func (s *Reader) Rollback() string {
	count := map[int64]int{}
	fresh := 0
	for _, n := range s.Run.Nodes.All() {
		if n.New {
			fresh++
		} else if n.Was.ID == s.W.Group.Template.ID && !slices.Contains(s.Run.Target.Templates, n.Was) {
			count[n.Was.Version]++
		}
	}
	if fresh == 0 || len(count) == 0 {
		return ""
	}
	if by := s.Capabilities().TemplateSetBy; by != "" {
		return text.RollbackBySpec(by, s.Run.Group)
	}
	versions := slices.Collect(maps.Keys(count))
	to := slices.MaxFunc(versions, func(a, b int64) int { return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b)) })
	return text.RollbackCommand(s.Run.Group, to)
}

// SurgeSpent reports whether nothing stands in any more for a node that is still to go, and
// none may be missing: one that was returned to, or came late, when all detached machines
// had gone.
func (s *Reader) SurgeSpent() bool {
	all, left := len(s.facts().with[outside]), len(s.facts().with[outsideStill])
	return s.Run.Surges > 0 && left == 0 && s.Run.Limit <= all && s.Count(record.Outdated, record.Queued) > 0
}

// Leaving reports whether the cluster has yet to prove valid with what stands in for a
// machine that was detached.
func (s *Reader) Leaving() bool {
	return slices.ContainsFunc(s.In(record.Outdated, record.Queued), func(id string) bool { return !s.Run.Nodes.Peek(id).PendingValidation.IsZero() })
}

// ToDetach lists the machines that a plan takes out of the group, so many.
func (s *Reader) ToDetach(count int) (out []string) {
	for _, id := range slices.Backward(s.Run.Order) {
		if s.Capabilities().Detaches && !s.Run.Nodes.Peek(id).Detached && len(out) < count {
			out = append(out, id)
		}
	}
	return out
}

// Refused returns the last refusal of an action, if it was refused.
func (s *Reader) Refused(key string) (record.Retry, bool) {
	r, ok := s.Run.Retries[key]
	return r, ok
}

// EndsOpen reports whether it is still open what became of a machine that was to be
// ended, and so what the group's size says.
func (s *Reader) EndsOpen() bool {
	open := s.Count(record.Terminating) > 0 || s.Run.Doubted > 0 && s.Run.Holds() && (s.Run.Raised || !s.Run.RaiseUnsure)
	for _, p := range s.Run.Pending {
		open = open || p.Action.Kind == record.Terminate
	}
	if open {
		s.WakeAt(s.Now.Add(time.Second))
	}
	return open
}

// Launches are the templates that the group launches from. One that was set back
// counts from the service's answer on, not only when it shows.
func (s *Reader) Launches() []world.Template {
	g := &s.W.Group
	now := g.Template
	if p, ok := s.Run.Pending[record.RestoreTemplate]; ok && !p.Accepted.IsZero() {
		now = *p.Action.Template
	}
	return append([]world.Template{now}, g.Overrides...)
}

// HoldTime is how long the group's lifecycle hooks may hold a machine that
// launches or ends: hooks of one kind run side by side.
func HoldTime(w *world.World, launching bool) (longest time.Duration) {
	for _, h := range w.Group.Hooks {
		if h.Launching == launching {
			longest = max(longest, h.Timeout)
		}
	}
	return longest
}

// HeldBy names the lifecycle hooks that hold a machine now, "" when none does.
func (s *Reader) HeldBy(m *world.Machine) string {
	if m == nil || !strings.HasSuffix(m.Detail, ":Wait") {
		return ""
	}
	var names []string
	for _, h := range s.W.Group.Hooks {
		if h.Launching == (m.State == world.MachinePending) {
			names = append(names, h.Name)
		}
	}
	return text.HeldByHooks(names, HoldTime(s.W, m.State == world.MachinePending).String())
}
