package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/sim/drive"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// marks remembers what we put on nodes, whatever came of it.
func (c *Checker) marks(a record.Action) {
	switch a.Kind {
	case record.AddTaint:
		c.marked[a.Node+"/"+a.Taint.Key] = true
	case record.Cordon:
		c.marked[a.Node+"/cordon"] = true
	case record.AddLabel:
		c.marked[a.Node+"/"+a.Label] = true
	case record.Annotate:
		c.marked[a.Node+"/"+a.Annotation] = true
	}
}

// wears reports whether a node carries a mark, as marked names it.
func wears(n *world.Node, mark string) bool {
	_, label := n.Labels[sim.ExcludeLabel]
	_, annotation := n.Annotations[mark]
	return mark == "cordon" && n.Unschedulable || mark == sim.ExcludeLabel && label || annotation || slices.ContainsFunc(n.Taints, func(t world.Taint) bool { return t.Key == mark })
}

// ending checks rule 5 on an action: once a run ends early nothing new starts.
// What restores may continue, and what ends new nodes that hold nothing.
func (c *Checker) ending(a record.Action) {
	d := c.d
	if d.Run.State != record.Ending || a.ReadOnly() {
		return
	}
	fine := false
	switch a.Kind {
	case record.RemoveTaint, record.Uncordon, record.RemoveLabel, record.Unannotate, record.Resume, record.EndWarm:
		fine = true
	case record.SetSizes:
		fine = a.Sizes.Max <= a.From.Max && a.Sizes.Min <= a.From.Min || a.Key == record.KeepKey
	case record.Suspend:
		fine = a.Process == sim.Launch || a.Process == sim.Terminate
	case record.SetTemplate:
		fine = *a.Template == d.Run.BaseTemplate
	case record.Cordon, record.AddLabel:
		fine = c.emptySurge(a.Machine)
	case record.RunHook:
		fine = a.Phase == record.AfterNode
	case record.Terminate:
		fine = c.ended[a.Machine] || c.emptySurge(a.Machine)
	case record.Scale:
		fine = a.Replicas < a.FromReplicas
	case record.HoldRoll: // what rolls the group by itself would continue
		fine = d.Run.Result == record.Aborted
	}
	if !fine {
		d.Breaks("rule 5: %s %s is asked for while the run ends", a.Kind, a.Key)
	}
}

// emptySurge reports whether a machine is new and holds nothing that would have
// to be evicted, as far as the driver can see.
func (c *Checker) emptySurge(machine string) bool {
	d, view := c.d, c.d.Sim.View
	n := view.NodeOf(machine)
	return d.Run.Nodes.Peek(machine).New && (n == nil || !slices.ContainsFunc(view.PodsOn(n.Name), func(p *world.Pod) bool {
		looks := c.vigil(machine).looks // a pod that tolerates every taint may come after them
		return drain.Judge(view, p, c.consents()).Fate != drain.Stays && !(p.ToleratesAll && len(looks) > 0 && p.Created.After(looks[len(looks)-1]))
	}))
}

// End checks rules 4 and 5 on the Truth when a run has ended.
func (c *Checker) End() {
	d, s := c.d, c.d.Sim
	r := &d.Run
	c.marksLeft()
	c.processes()
	c.sizes()
	c.template()
	c.looseEnds()
	c.shoot()
	c.replicas()
	for _, line := range r.Unrestored {
		if !slices.ContainsFunc([]string{": kubectl ", ": aws ", ": drainboard "}, func(command string) bool { return strings.Contains(line, command) }) {
			d.Breaks("rule 5: left behind without a command: %s", line)
		}
		if mayEnd(s.View, line) {
			d.Breaks("rule 5: the command may end a machine that serves: %s", line)
		}
	}
	if c.early {
		return
	}
	late := false
	for _, m := range s.Alive() {
		if !m.Began.Before(s.View.Health[world.Cloud].Fresh) {
			late = true // it stands in for one that a user ended, and nobody could know
			continue
		}
		c.replacement(m)
	}
	c.zones()
	acts := s.Faults.EtcdUntil.Add(s.Config.Controllers) // nobody did before, the group no more than others
	if n := len(s.Alive()); !s.Balanced() && !late && sim.Later(s.ShrunkAt, acts).Before(s.View.Health[world.Cloud].Fresh) && !c.stoppedShort() {
		d.Breaks("rule 4: %d machines, desired %d", n, s.Group.Sizes.Desired)
	}
}

// mayEnd reports whether a command sets a size of the group so that it may choose machines to end:
// a maximum, which others may be about to exceed, or fewer than there are.
func mayEnd(w *world.World, command string) bool {
	there := 0
	for _, m := range w.Machines() {
		if !m.Leaving() && !m.Detached && m.State != world.MachineStandby {
			there++
		}
	}
	desired, set := 0, false
	if _, after, found := strings.Cut(command, " --desired-capacity "); found {
		_, err := fmt.Sscan(after, &desired)
		set = err == nil
	}
	return set && desired < there || strings.Contains(command, " --max-size ")
}

// stoppedShort reports whether the run has left its raise because others raised the group while
// it took that back, as EKS does: that is no success, and says so.
func (c *Checker) stoppedShort() bool {
	return c.d.Run.Result != record.Succeeded && c.back.raised > 0
}

// replacement checks that a machine in service is what the run was to bring: of
// the target's template, Ready and labelled.
func (c *Checker) replacement(m *sim.Machine) {
	d, s := c.d, c.d.Sim
	r := &d.Run
	n := s.Truth.NodeOf(m.ID)
	if r.Settings.KeepOld {
		return
	}
	if left := r.Nodes.Get(m.ID); r.Result != record.Succeeded && (left.Stage == record.Skipped || left.Stage == record.NodeFail) && left.Reason != "" {
		return // it was left as it was, and the record says why
	}
	if s.Pool.Update != "" {
		c.updated(m, n)
		return // it was healthy when its update was over
	}
	if !slices.Contains(r.Target.Templates, m.Template) || r.Target.All && n != nil && c.older(n) {
		d.Breaks("rule 4: %s runs %s (%s)", m.ID, m.Template, r.Nodes.Peek(m.ID).Stage)
		return
	}
	if s.Planned[m.ID] && r.Target.Image == "" && r.Target.Templates[0] == s.PlannedTo { // no plan knows which version an image gets, or what others set the group to before the run has begun
		d.Breaks("plan: %s was to be replaced, and stays (%s)", m.ID, r.Nodes.Peek(m.ID).Stage)
		return
	}
	if c.stoppedShort() || c.isKops() && !c.joins() {
		return // others may have launched it just now, or it has no node that is looked at
	}
	c.isReplacement(m, n)
}

// updated checks that a node that is updated in place awaits no update.
func (c *Checker) updated(m *sim.Machine, n *world.Node) {
	r := &c.d.Run
	if seen := c.d.Sim.View.NodeOf(m.ID); len(r.Target.Only) > 0 && (seen == nil || seen.Labels[sim.CandidateLabel] == "") {
		return // who names nodes does not wait for Gardener to begin
	}
	if n != nil && n.Labels[sim.CandidateLabel] != "" {
		c.d.Breaks("rule 4: %s awaits its update in place (%s)", n.Name, r.Nodes.Peek(m.ID).Stage)
	}
}

// isReplacement checks that a machine's node is Ready and labelled.
func (c *Checker) isReplacement(m *sim.Machine, n *world.Node) {
	d, r := c.d, &c.d.Run
	if n == nil || !n.Ready {
		if seen := d.Sim.View.NodeOf(m.ID); seen == nil || !seen.Ready { // else it has become so, or has gone, just now
			d.Breaks("rule 4: %s is not Ready", m.ID)
		}
		return
	}
	for _, label := range slices.Sorted(maps.Keys(r.Settings.NewLabels)) {
		if got, there := n.Labels[label]; r.Nodes.Peek(m.ID).New && (!there || r.Settings.NewLabels[label] != "" && got != r.Settings.NewLabels[label]) {
			d.Breaks("rule 4: %s lacks the label %s", m.ID, label)
		}
	}
}

// older reports whether a node was there when the run began. An API tells in whole seconds when one
// was made: of those made in that second only the ones that were known at the start are.
func (c *Checker) older(n *world.Node) bool {
	began := c.d.Run.Started
	return n.Created.Before(began.Truncate(time.Second)) || c.atStart[n.Machine] && !n.Created.After(began)
}

// marksLeft checks that no mark of ours is left, or that it is named with the
// command that takes it off, and that no other one has gone.
func (c *Checker) marksLeft() {
	d, s := c.d, c.d.Sim
	words := map[string]string{"cordon": "kubectl uncordon "}
	for _, key := range slices.Sorted(maps.Keys(c.marked)) {
		node, mark, _ := strings.Cut(key, "/")
		n := s.Truth.Node(node)
		if n == nil || !wears(n, mark) {
			continue
		}
		if m := s.Machines()[n.Machine]; m != nil && m.Leaving() {
			continue
		}
		word := words[mark]
		if word == "" {
			word = mark
		}
		_, foreign := s.OtherMarks[key]
		if !foreign && !slices.ContainsFunc(d.Run.Unrestored, func(line string) bool { return strings.Contains(line, node) && strings.Contains(line, word) }) {
			d.Breaks("rule 4: mark of ours left: %s", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.OtherMarks)) {
		node, mark, _ := strings.Cut(key, "/")
		if n := s.Truth.Node(node); s.OtherMarks[key] && n != nil && !wears(n, mark) {
			d.Breaks("rule 4: a mark that is not ours was taken off: %s", key)
		}
	}
}

// processes checks that the group's processes are as they were, or named.
func (c *Checker) processes() {
	d, s := c.d, c.d.Sim
	if s.Group.HasSuspended(sim.AZRebalance) != s.RebalanceSuspended && !named(&d.Run, sim.AZRebalance) {
		d.Breaks("rule 4: %s is not as it was before", sim.AZRebalance)
	}
	for _, process := range []string{sim.Launch, sim.Terminate} {
		if s.Group.HasSuspended(process) && !s.TheirSuspended[process] && !named(&d.Run, process) {
			d.Breaks("rule 4: %s stays suspended", process)
		}
	}
}

// zones checks that a run that has succeeded leaves AZRebalance nothing to even out,
// unless another user had a hand in it, or a zone had no room, or hooks have let a node go that was to be replaced.
func (c *Checker) zones() {
	d, s := c.d, c.d.Sim
	if s.Group.HasSuspended(sim.AZRebalance) || d.Run.Result != record.Succeeded || len(s.Group.Zones) < 2 {
		return
	}
	var counts []int
	for _, zone := range s.Group.Zones {
		n := 0
		for _, m := range s.Alive() {
			if m.Zone == zone {
				n++
			}
		}
		counts = append(counts, n)
	}
	if slices.Max(counts)-slices.Min(counts) > 1 && !s.Tilted && !c.hooks.unfit && !reported(d, "not by us") {
		d.Breaks("rule 4: machines in the zones: %v", counts)
	}
}

// template checks that the group launches from the target, or after an early end
// from what it launched from before; else it is named.
func (c *Checker) template() {
	d, s := c.d, c.d.Sim
	r := &d.Run
	g := s.Group.Template
	switch {
	case s.Retargeted || len(r.Target.Templates) == 0:
	case !c.early:
		if g != r.Target.Templates[0] {
			d.Breaks("rule 4: the group launches from %s, the target is %s", g, r.Target.Templates[0])
		}
	case g != r.BaseTemplate && !named(r, g.String()):
		d.Breaks("rule 5: the group stays on template %s, and nothing says so", g)
	}
}

// sizes checks that the group has the sizes it had before the first run of a chain, and what
// others have changed since, or that what it has more is named. How many that are comes of
// what the cloud was asked for, and by whom; of the run only what it tells counts.
func (c *Checker) sizes() {
	d, s := c.d, c.d.Sim
	r, have := &d.Run, s.Group.Sizes
	if want := s.Before.Min + s.Foreign.Min; have.Min != want {
		d.Breaks("rule 4: the group's minimum is %d, before us it was %d", have.Min, want)
	}
	want := c.desired()
	if seen := s.View.Group.Sizes; c.unknowable && seen.Desired > seen.Min && notes(r, figureless(text.RaiseUnsure("0", "0"))) && !LeavesDoubt(r) {
		d.Breaks("rule 5: nobody can know whether the raise was made, and the run does not say how many machines that may be")
	}
	if in, most := told(r, text.RaiseDoubtful(0, "")), s.Doubts+len(c.unsure)+c.doubtful+c.mostRaised+c.lostRaises; in > most && r.Inherited == nil { // what earlier ones have left in doubt is told once more
		d.Breaks("rule 5: %d machines are in doubt, and no more than %d can be: %v", in, most, r.Unrestored)
	}
	c.leavesOpen(r)
	want = c.known(want)
	c.maximum()
	s.LastKnew = s.View.Health[world.Cloud].Fresh
	s.Foreign.Desired = want - s.Before.Desired
}

// desired checks the group's desired size, and returns what it is to be from now on.
func (c *Checker) desired() (want int) {
	d, s := c.d, c.d.Sim
	r, have := &d.Run, s.Group.Sizes
	want = s.Owed()
	if over := have.Desired - want; r.Result != record.Succeeded {
		if over < 0 && (-over <= s.Slack || c.inDoubt(over)) {
			want = have.Desired
		} else if over < 0 {
			d.Breaks("rule 5: the group's desired size is %d, it is to be %d", have.Desired, want)
		} else if over > 0 && !named(r, figureless(text.DesiredStays(0))) && !named(r, figureless(text.RaiseUnsure("0", "0"))) && !named(r, figureless(text.RaiseDoubtful(0, ""))) && !c.inDoubt(over) {
			d.Breaks("rule 5: the group's desired size is %d, it is to be %d, and nothing says so", have.Desired, want)
		}
	} else if over < 0 && -over <= s.Slack {
		want, s.Slack = have.Desired, 0
	} else if over < 0 && c.inDoubt(over) {
		want = have.Desired // a raise by others has passed for its own: no later run can tell
	} else if over != 0 && !c.inDoubt(over) {
		d.Breaks("rule 4: the group has %s, and is to have %d machines (%s before us, others: %s)", have, want, s.Before, s.Foreign)
	}
	return want
}

// leavesOpen checks that what a run leaves as open, for later ones to read off the sizes, is what it may not have heard of.
func (c *Checker) leavesOpen(r *record.Run) {
	if r.RaiseLeft == nil {
		return
	}
	if open, most := r.RaiseLeft.OpenEnds, c.d.Sim.Doubts+len(c.unsure)+c.mostRaised; open < 0 || open > most {
		c.d.Breaks("rule 5: the run leaves it open what came of %d ends of machines, of none to %d", open, most)
	}
}

// known is the desired size that the group is to have as far as later runs can know, of what it is to have.
func (c *Checker) known(want int) int {
	r, have := &c.d.Run, c.d.Sim.Group.Sizes
	if ours := have.Desired - told(r, text.DesiredStays(0)); r.Result != record.Succeeded && ours < want && c.inDoubt(ours-want) {
		want = ours // it leaves what others have raised for its own, and no later run can tell
	}
	if r.Result == record.NodesLeft { // what it has in doubt the operator decides on, and no later run asks again
		over := have.Desired - want - told(r, text.DesiredStays(0))
		want += max(0, min(over, told(r, text.RaiseDoubtful(0, ""))))
	}
	if named(r, figureless(text.RaiseUnsure("0", "0"))) && (have.Desired == c.meantFrom.Desired || r.Inherited != nil) {
		want = max(want, have.Desired) // as before the raise whose answer was lost, or beside another one: later runs take it for that
	}
	return want
}

// inDoubt reports whether the run could not know that the desired size is off by so much: of
// an end with decrement whose answer was lost, or that others had begun before, nobody can
// know whether it took the size down, nor whose a raise is that is as large as ours, whose
// answer was lost.
func (c *Checker) inDoubt(off int) bool {
	s := c.d.Sim
	unmade := !s.Grew && c.raised
	return off > 0 && off <= s.Doubted() || off < 0 && (-off <= s.Doubted() || unmade && -off <= s.RaisedBy)
}

// maximum checks that the group's maximum is what it was, or what others have set, but no less
// than its desired size was when it was set back, or that it is named.
func (c *Checker) maximum() {
	d, s := c.d, c.d.Sim
	r, have := &d.Run, s.Group.Sizes
	want := max(s.Before.Max, have.Desired)
	if have.Max == want || s.TheirMaxima[have.Max] || named(r, figureless(text.MaxStays(0))) || named(r, figureless(text.DesiredStays(0))) || named(r, figureless(text.RaiseUnsure("0", "0"))) {
		return
	}
	if s.Lowered+s.Doubted() > 0 && have.Max > want { // they were more when it was set back
		return
	}
	if len(s.TheirMaxima) > 0 && have.Max < want {
		return
	}
	d.Breaks("rule 4: the group's maximum is %d, before us it was %d", have.Max, s.Before.Max)
}

// named reports whether what the run left behind mentions something.
func named(r *record.Run, what string) bool {
	return slices.ContainsFunc(r.Unrestored, func(line string) bool { return strings.Contains(line, what) })
}

// told is the sum of the figures that what the run left behind has in place of a sentence's first one.
func told(r *record.Run, sentence string) (sum int) {
	for _, line := range r.Unrestored {
		if after, says := strings.CutPrefix(line, figureless(sentence)); says {
			n := 0
			_, _ = fmt.Sscan(after, &n)
			sum += n
		}
	}
	return sum
}

// reported reports whether the run's notes or events have one of these sentences, whatever its
// figures.
func reported(d *drive.Driver, sentences ...string) bool {
	return slices.ContainsFunc(sentences, func(sentence string) bool {
		says := func(line string) bool { return strings.Contains(line, figureless(sentence)) }
		return slices.ContainsFunc(d.Run.Notes, says) || slices.ContainsFunc(d.Events, func(e record.Event) bool { return says(e.Message) })
	})
}

// figureless is a sentence up to its first figure, which is 0.
func figureless(sentence string) string {
	words, _, _ := strings.Cut(sentence, "0")
	return words
}

// endings are how often the end of each machine was granted, and how often it was told, by whichever process.
type endings struct{ granted, told map[string]int }

// answered notes that a machine's end was granted, whether anybody hears of it or not.
func (e *endings) answered(a record.Action, o record.Outcome) {
	if a.Kind == record.Terminate && o.Verdict == record.Done {
		e.granted[a.Machine]++
	}
}

// endsTold checks that no end of a machine is told twice, also where another process has told it before.
func (c *Checker) endsTold(events []record.Event) {
	e := &c.endings
	for _, event := range events {
		if event.Type != record.NodeTerminating || c.d.Failing { // what is told without a record, no other process can know
			continue
		}
		ended, ours := strings.CutPrefix(event.Message, "terminating ")
		if !ours {
			continue // a controller's own, which it may do again
		}
		id, _, _ := strings.Cut(ended, ",")
		if e.told[id]++; e.told[id] > max(1, e.granted[id]) {
			c.d.Breaks("one end of %s is told %d times: %s", id, e.told[id], event.Message)
		}
	}
}

// replicas checks that each Deployment that the run has scaled has one replica again, unless the run names it, or others
// have scaled it since. A run that ends by itself names only one whose replicas it may not set back.
func (c *Checker) replicas() {
	for uid, n := range c.d.Sim.Scaled {
		w := c.d.Sim.Deployment(uid)
		if w == nil {
			continue
		}
		named := slices.ContainsFunc(c.d.Run.Unrestored, func(line string) bool { return strings.Contains(line, " "+w.Name+" -n "+w.Namespace+" ") })
		if keeps := w.Replicas == n && n >= 2 && w.Ours; keeps && !named {
			c.d.Breaks("rule 5: Deployment %s keeps %d replicas", w.Name, n)
		}
		if named && !c.early && !c.unscaled[uid] {
			c.d.Breaks("rule 4: the run ends by itself, and leaves it to others to set back the replicas of Deployment %s", w.Name)
		}
	}
}

// deniesScale notes that the replicas of a Deployment may not be set back.
func (c *Checker) deniesScale(a record.Action, o record.Outcome) {
	if a.Kind == record.Scale && a.Replicas < a.FromReplicas && o.Verdict == record.Refused && o.Refusal != record.RefusedBusy && o.Refusal != record.RefusedStale {
		c.unscaled[a.UID] = true
	}
}

// notes reports whether a run says something of its course.
func notes(r *record.Run, what string) bool {
	return slices.ContainsFunc(r.Notes, func(line string) bool { return strings.Contains(line, what) })
}

// LeavesDoubt reports whether a run names that nobody can tell what it leaves of a raise.
func LeavesDoubt(r *record.Run) bool { return named(r, figureless(text.RaiseDoubtful(0, ""))) }

// standby checks that a node is left out as soon as its machine is seen to stand by: a user has taken it out of service.
func (c *Checker) standby(dec engine.Decision) {
	if dec.Run.State != record.Running || !c.sees(world.Cloud) || !c.readOnce() || len(c.clock.was.Target.Templates) == 0 { // which nodes are outdated is not known yet
		return
	}
	for id, n := range dec.Run.Nodes.All() {
		m := c.d.Sim.View.Machine(id)
		if waits := n.Stage == record.Outdated || n.Stage == record.Queued; m != nil && m.State == world.MachineStandby && waits && !n.New {
			c.d.Breaks("movers: %s stands by, and is still to be replaced (%s)", id, n.Stage)
		}
	}
}
