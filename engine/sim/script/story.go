package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// details are events that a story leaves out unless all are asked for: what
// others of the same moment tell as well.
var details = []record.EventType{record.PodGone, record.PhaseFinished, record.NodeSettling, record.NodeOutdated, record.NodeLaunching, record.RunStarted}

// story tells the events since the last one, a line each; equal ones of one
// second share a line.
func (c *Script) story(all bool) string {
	var out strings.Builder
	events := c.Driver.Events[c.shown:]
	c.shown = len(c.Driver.Events)
	var last, nodes string
	flush := func() {
		if last != "" {
			at, text, _ := strings.Cut(last, "|")
			out.WriteString(strings.TrimRight(at+"  "+nodes+text, " ") + "\n")
		}
		last, nodes = "", ""
	}
	for _, e := range events {
		if !all && e.Reason != record.ReasonRestored && e.Reason != record.ReasonRoutes && slices.Contains(details, e.Type) {
			continue
		}
		node := e.Node
		line := c.clock(e.Time) + "|" + tell(e)
		if line != last || node == "" {
			flush()
			last = line
		}
		if node != "" && !slices.Contains(strings.Fields(strings.TrimSuffix(nodes, ": ")), node) {
			nodes = strings.TrimSuffix(nodes, ": ")
			nodes = strings.TrimSpace(nodes+" "+node) + ": "
		}
	}
	flush()
	return out.String()
}

// clock is the time since the start, "1:02:03".
func (c *Script) clock(t time.Time) string {
	d := t.Sub(c.Began).Truncate(time.Second)
	return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}

// tell says an event without its node.
func tell(e record.Event) string {
	switch e.Type {
	case record.PhaseStarted:
		return "-- " + e.Phase
	case record.Warning:
		return "warning: " + e.Message
	case record.PodEvicted, record.PodForced, record.PodBlocked, record.PodUnblocked, record.PodGone:
		return e.Pod + " " + e.Message
	case record.NodeDraining, record.NodeReplaced, record.NodeBlocked, record.NodeFailed:
		if e.Command != "" {
			return e.Message
		}
		_, stage, _ := strings.Cut(string(e.Type), ".")
		return stage + ", " + e.Message
	case record.RunFinished:
		return fmt.Sprintf("finished, exit %d: %s", *e.ExitCode, e.Message)
	}
	return e.Message
}

// ending tells what a run that has ended leaves.
func (c *Script) ending() string {
	var out strings.Builder
	r := c.Driver.Run
	for _, l := range r.BlockingPods {
		fmt.Fprintf(&out, "blocking: %s\n", l)
	}
	for _, l := range r.Notes {
		fmt.Fprintf(&out, "note: %s\n", l)
	}
	for _, l := range r.Unrestored {
		fmt.Fprintf(&out, "left: %s\n", l)
	}
	return out.String() + c.status()
}

// status tells how the group and its nodes stand in truth.
func (c *Script) status() string {
	var out strings.Builder
	s := c.Sim
	g := &s.Group
	fmt.Fprintf(&out, "group: %s, template %s", g.Sizes, g.TemplateSpec)
	if len(g.Suspended) > 0 {
		fmt.Fprintf(&out, ", %s suspended", strings.Join(g.Suspended, " "))
	}
	out.WriteString("\n")
	for _, z := range g.Zones {
		fmt.Fprintf(&out, "zone %s:", z)
		for _, id := range slices.Sorted(maps.Keys(s.Machines())) {
			if m := s.Machines()[id]; m.Zone == z {
				fmt.Fprintf(&out, " %s", c.oneNode(m))
			}
		}
		out.WriteString("\n")
	}
	for _, p := range s.Peers() {
		fmt.Fprintf(&out, "peer %s:", p.Name)
		for _, id := range p.Machines {
			fmt.Fprintf(&out, " %s", onePeer(s, p, id))
		}
		if len(p.Machines) < p.Size {
			fmt.Fprintf(&out, " (of %d)", p.Size)
		}
		out.WriteString("\n")
	}
	if r := c.Driver; r != nil && r.Run.State != record.Finished {
		fmt.Fprintf(&out, "run: %s\n", c.RunLine())
	}
	if pending := c.unplaced(); pending != "" {
		fmt.Fprintf(&out, "pending: %s\n", pending)
	}
	return out.String()
}

// oneNode is a machine's node with what is odd about it: a1(cordoned,3 pods).
func (c *Script) oneNode(m *sim.Machine) string {
	var odd []string
	if m.State != world.MachineInService {
		odd = append(odd, strings.ToLower(m.State))
	}
	if m.Detached {
		odd = append(odd, "detached")
	}
	n := c.Sim.Truth.NodeOf(m.ID)
	switch {
	case n == nil && c.Sim.Group.Role == world.RoleBastion:
	case n == nil:
		odd = append(odd, "no node")
	case !n.Ready:
		odd = append(odd, "not ready")
	}
	if n != nil {
		for _, mark := range c.Sim.MarksOn(n) {
			odd = append(odd, mark[len(n.Name)+1:])
		}
	}
	if c.Driver != nil && c.Driver.Run.State != record.Finished {
		if stage := c.Driver.Run.Nodes.Peek(m.ID).Stage; stage != record.Ready && stage != record.Outdated {
			odd = append(odd, string(stage))
		}
	}
	if len(odd) == 0 {
		return m.Name
	}
	return m.Name + "(" + strings.Join(odd, ", ") + ")"
}

// onePeer is a peer's machine with what is odd about it.
func onePeer(s *sim.Sim, p *sim.Peer, id string) string {
	name := strings.TrimPrefix(id, "i-")
	switch n := s.Truth.Node(name); {
	case p.Role == world.RoleBastion:
	case n == nil:
		return name + "(no node)"
	case !n.Ready:
		return name + "(not ready)"
	}
	return name
}

// RunLine is the run's state with every wait that counts down.
func (c *Script) RunLine() string {
	r := c.Driver.Run
	line := string(r.State)
	left := func(w *record.Wait) time.Duration { return max(0, w.End.Sub(c.Sim.Now())).Round(time.Second) }
	if r.Why != "" {
		line += " (" + r.Why + ")"
	}
	if w := r.PhaseWait; w != nil {
		line += fmt.Sprintf("; %s %s left", w.For, left(w))
	}
	view := snapshot.View(c.Driver.Rules, c.Sim.Now(), c.Sim.View, r, snapshot.Look{}, nil)
	notes := postponed(view)
	for _, id := range slices.Sorted(r.Nodes.Keys()) {
		switch n := r.Nodes.Get(id); {
		case n.Wait == nil:
		case notes[id] != "":
			line += fmt.Sprintf("; %s %s", n.Name, notes[id])
		default:
			line += fmt.Sprintf("; %s %s %s left", record.NameOf(id, n), n.Wait.For, left(n.Wait))
		}
	}
	for _, b := range view.Blockers {
		if b.Deadline != nil && b.Deadline.For == blockers.UntilPodForced {
			line += fmt.Sprintf("; %s forced after %d more refusals, about %s left", b.Pod, b.Refusals, b.Deadline.End.Sub(c.Sim.Now()).Round(time.Second))
		}
	}
	if r.Gate != "" {
		line += "; gate: " + r.Gate
	}
	return line
}

// postponed are the notes of the nodes whose rows show no countdown.
func postponed(v *snapshot.Snapshot) map[string]string {
	notes := map[string]string{}
	for _, z := range v.Zones {
		for _, row := range z.Rows {
			if row.Wait == nil {
				notes[row.ID] = row.Note
			}
		}
	}
	return notes
}

func (c *Script) unplaced() string {
	var names []string
	for _, p := range c.Sim.AllPods() {
		if p.Node == "" {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, " ")
}

// listPods tells where the pods of a workload are.
func (c *Script) listPods(app string) string {
	var out strings.Builder
	for _, p := range c.Sim.AllPods() {
		if app != "" && p.Labels["app"] != app {
			continue
		}
		state := p.Phase
		switch {
		case p.Terminating():
			state = "terminating"
		case p.Ready:
			state = "ready"
		}
		fmt.Fprintf(&out, "%s on %s: %s\n", p.Name, p.Node, state)
	}
	return out.String()
}

// answers lists the commands from elsewhere and what became of them.
func (c *Script) answers() string {
	var out strings.Builder
	for _, l := range c.Driver.Remote {
		switch {
		case l.Ack == nil:
			fmt.Fprintf(&out, "%s: no answer\n", l.Command.ID)
		case l.Ack.Accepted:
			fmt.Fprintf(&out, "%s: obeyed: %s\n", l.Command.ID, l.Ack.Answer)
		default:
			fmt.Fprintf(&out, "%s: refused: %s\n", l.Command.ID, l.Ack.Answer)
		}
	}
	return out.String()
}
