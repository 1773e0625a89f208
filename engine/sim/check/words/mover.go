package words

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// leavers are who puts a mark that nobody else puts: a taint's key, or its beginning, an annotation
// or a label (docs/reference/external-movers.md).
var leavers = map[string]string{
	sim.AutoscalerTaint.Key: "Cluster Autoscaler", sim.KopsTaint: "kops", "kops.k8s.io/needs-update": "kops", "karpenter.sh/": "Karpenter",
	"aws-node-termination-handler/": "Node Termination Handler", "cyclops.atlassian.com/terminate": "Cyclops", "weave.works/kured-reboot-in-progress": "kured",
}

// movers checks that those who are said to move nodes, or to change the group, are there, and that those who
// are there are said to.
func (c *Check) movers(was, is *record.Run) {
	looks := func(r *record.Run) bool { return r.State == record.Running || r.State == record.Paused }
	unread := func(source world.Source) bool { return c.d.Sim.View.Health[source].Fresh.IsZero() } // by a process that has just begun
	// its end, in which nobody looks for movers, was a part of this decision
	retires := is.Retires() && !was.Retires()
	if !looks(was) || !looks(is) || retires || !c.sees(world.Cloud) || slices.ContainsFunc(is.Sources(), unread) {
		return
	}
	c.ofGroup(is.ExternalMovers)
	c.resumed(is)
	if c.sees(world.Cluster) {
		c.ofNodes(was, is)
	}
}

// ofGroup checks who is said to change the group.
func (c *Check) ofGroup(told []record.ExternalMover) {
	g, now := &c.d.Sim.View.Group, c.d.Sim.Now()
	is := map[record.ExternalKind]bool{record.ExternalRefresh: g.Refresh.ID != ""}
	for key := range g.Tags {
		rest, of := strings.CutPrefix(key, "k8s.io/cluster-autoscaler/")
		is[record.ExternalAutoscaler] = is[record.ExternalAutoscaler] || of && !strings.Contains(rest, "/") // else it is a label of new nodes
	}
	scheduled := []string{}
	for _, a := range g.Scaling.Schedule {
		if in := a.At.Sub(now); !g.HasSuspended("ScheduledActions") && in >= 0 && in <= 24*time.Hour {
			is[record.ExternalSchedule] = true
			scheduled = append(scheduled, "scheduled action "+a.Name)
		}
	}
	said := []string{}
	for _, kind := range []record.ExternalKind{record.ExternalRefresh, record.ExternalAutoscaler, record.ExternalSchedule} {
		there := slices.ContainsFunc(told, func(m record.ExternalMover) bool { return m.Kind == kind })
		if there != is[kind] {
			c.d.Breaks("told: a mover of the kind %q is named: %t, there is one: %t: %+v", kind, there, is[kind], told)
		}
	}
	for _, m := range told {
		if m.Kind == record.ExternalSchedule {
			said = append(said, m.Who)
		}
	}
	slices.Sort(said)
	slices.Sort(scheduled)
	if !slices.Equal(said, scheduled) {
		c.d.Breaks("told: %q change the group's size, there are %q", said, scheduled)
	}
}

// resumed checks that a process which the run has suspended, and others have resumed, is said to act.
func (c *Check) resumed(r *record.Run) {
	for _, process := range r.Suspended {
		_, suspends := r.Pending["suspend/"+process]
		_, resumes := r.Pending["resume/"+process]
		switch {
		case suspends || resumes:
			delete(c.suspended, process)
		case c.d.Sim.View.Group.HasSuspended(process):
			c.suspended[process] = true
		case c.suspended[process] && process == sim.AZRebalance && !slices.ContainsFunc(r.ExternalMovers, func(m record.ExternalMover) bool { return m.Who == process && m.Acts }):
			c.d.Breaks("told: another user has resumed %s, and it is not said to act: %+v", process, r.ExternalMovers)
		}
	}
}

// ofNodes checks who is said to move nodes: by a mark that is there, and nobody is left out whose mark is
// on a node.
func (c *Check) ofNodes(was, r *record.Run) {
	view := c.d.Sim.View
	for _, m := range r.ExternalMovers {
		if !m.OfNodes() || m.Mark == "" {
			continue
		}
		if n := view.Node(append(slices.Clone(m.Nodes), "")[0]); n == nil || !Carries(n, m.Mark) {
			c.d.Breaks("told: %s; no node has that mark", m.Action())
		}
		if !unmarks(m) {
			c.d.Breaks("told: %s is to remove its mark %q, by no command that does: %q", m.Who, m.Mark, m.WayOut)
		}
	}
	for _, m := range view.Machines() {
		n := view.NodeOf(m.ID)
		ends := was.Nodes.Peek(m.ID).Stage == record.Terminating || r.Nodes.Peek(m.ID).Stage == record.Terminating // others mark what ends
		joins := n != nil && was.Nodes.Peek(m.ID).Name != n.Name                                                   // it is looked at next
		if n == nil || m.Leaving() || m.State == world.MachineStandby || ends || joins {
			continue
		}
		for _, who := range c.marked(r, m.ID, n) {
			if !slices.ContainsFunc(r.ExternalMovers, func(x record.ExternalMover) bool {
				return x.Who == who && (x.More > 0 || slices.Contains(x.Nodes, n.Name))
			}) {
				c.d.Breaks("told: %s has marked %s, and is not named: %+v", who, n.Name, r.ExternalMovers)
			}
		}
	}
}

// removes finds the command that takes a mark off a node.
var removes = regexp.MustCompile(`: kubectl (taint|label|annotate) node \S+ (\S+)-(,|$)`)

// unmarks reports whether a way out that asks for the removal of a mark has the command for that, where one
// takes it off: not a condition, which the node's own agents set, nor a cordon with what was put beside it.
func unmarks(m record.ExternalMover) bool {
	verb := map[string]string{"taint": "taint", "label": "label", "annotation": "annotate"}
	kind, what, _ := strings.Cut(m.Mark, " ")
	if verb[kind] == "" || !strings.Contains(m.WayOut, "remove ") {
		return true
	}
	what, _, _ = strings.Cut(what, ", ")
	key, _, _ := strings.Cut(what, "=")
	by := removes.FindStringSubmatch(m.WayOut)
	return by != nil && by[1] == verb[kind] && (by[2] == key || by[2] == what)
}

// Rows checks that a node whose next step is certain, by a mark on it, is not shown as another's who only may
// act.
func (c *Check) Rows(v *snapshot.Snapshot, r *record.Run) {
	for _, z := range v.Zones {
		for _, row := range z.Rows {
			n := c.d.Sim.View.NodeOf(row.ID)
			if n == nil || row.By != "EKS node repair" {
				continue
			}
			if who := c.marked(r, row.ID, n); len(who) > 0 {
				c.d.Breaks("snapshot: %s is shown as moved by %s, and %v have marked it", row.Name, row.By, who)
			}
		}
	}
}

// marked are those who have put marks on a node that are not the run's own.
func (c *Check) marked(r *record.Run, machine string, n *world.Node) (out []string) {
	keys := []string{}
	for _, t := range n.Taints {
		ours := slices.ContainsFunc(r.Marks[machine], func(m record.Mark) bool { return !m.Foreign && m.Put.Taint != nil && *m.Put.Taint == t })
		_, comesOff := r.Pending["un"+record.TaintOf(machine, n.Name, t).Key]
		if !ours && !comesOff {
			keys = append(keys, t.Key)
		}
	}
	keys = slices.AppendSeq(slices.AppendSeq(keys, maps.Keys(n.Annotations)), maps.Keys(n.Labels))
	for mark, who := range leavers {
		if slices.ContainsFunc(keys, func(key string) bool {
			return key == mark || strings.HasSuffix(mark, "/") && strings.HasPrefix(key, mark)
		}) {
			out = append(out, who)
		}
	}
	if sure := len(out) == 0 && n.Unschedulable && sim.Handled(n); sure && !c.cordonedByRun(r, machine) { // its label says nothing by itself
		out = append(out, "Node Termination Handler")
	}
	return out
}

// cordonedByRun reports whether the cordon of a machine's node is the run's own, or was until just now.
func (c *Check) cordonedByRun(r *record.Run, machine string) bool {
	_, comesOff := r.Pending["uncordon/"+machine]
	return comesOff || slices.ContainsFunc(r.Marks[machine], func(m record.Mark) bool { return !m.Foreign && m.Put.Kind == record.Cordon })
}

// Carries reports whether a node has a mark, as kubectl shows it: "taint key=value:effect", "label
// key=value", "annotation key", "condition type (reason)", "condition type=False", "cordoned", or several.
func Carries(n *world.Node, mark string) bool {
	for _, part := range strings.Split(mark, ", ") {
		kind, what, _ := strings.Cut(part, " ")
		has := false
		switch kind {
		case "cordoned":
			has = n.Unschedulable
		case "taint":
			has = slices.ContainsFunc(n.Taints, func(t world.Taint) bool {
				return what == t.Key+":"+t.Effect || what == t.Key+"="+t.Value+":"+t.Effect
			})
		case "annotation":
			_, has = n.Annotations[what]
		case "label":
			key, value, valued := strings.Cut(what, "=")
			is, there := n.Labels[key]
			has = there && (!valued || is == value)
		case "condition":
			has = slices.ContainsFunc(n.Conditions, func(x world.Condition) bool {
				return x.On && what == x.Type+" ("+x.Reason+")" || x.Off && what == x.Type+"=False"
			})
		}
		if !has {
			return false
		}
	}
	return true
}

// steps are how far an update in place has come, by the reason of the condition that Gardener's machine
// controller sets.
var steps = map[string]world.MoveStep{
	"CandidateForUpdate": world.MoveForeseen, "SelectedForUpdate": world.MoveDraining, "DrainSuccessful": world.MoveUpdating,
	"ReadyForUpdate": world.MoveUpdating, "UpdateFailed": world.MoveFailed,
}

// Node checks what is shown of others at a node that is looked at: their marks are on it, what has come
// furthest is first and what is certain is before a guess, and an update in place is as far as it says.
func (c *Check) Node(d *snapshot.NodeDetail) {
	for i, m := range d.Moves {
		if d.Node != nil && !strings.HasPrefix(m.Mark, "mark ") && !Carries(d.Node, m.Mark) {
			c.d.Breaks("snapshot: %s moves %s, by a mark that it has not: %q", m.By, d.Node.Name, m.Mark)
		}
		if i == 0 {
			continue
		}
		if before := d.Moves[i-1].Step.Compare(m.Step); before < 0 || before == 0 && d.Moves[i-1].Guess && !m.Guess {
			c.d.Breaks("snapshot: of those who move %s, %s (%s, guess %t) is before %s (%s)", d.ID, d.Moves[i-1].By, d.Moves[i-1].Step, d.Moves[i-1].Guess, m.By, m.Step)
		}
	}
	if d.Node == nil {
		return
	}
	is, known := steps[sim.StepOf(d.Node)]
	i := slices.IndexFunc(d.Moves, func(m world.Move) bool { return m.By == "Gardener" })
	if !known || i < 0 || d.Node.Labels[sim.ResultLabel] != "" {
		return
	}
	if shown := d.Moves[i].Step; shown != is && !(is == world.MoveForeseen && shown == world.MoveDraining && d.Node.Unschedulable) {
		c.d.Breaks("snapshot: the update of %s in place is %s, and is shown as %s: %s", d.ID, is, shown, d.Moves[i].Means)
	}
}
