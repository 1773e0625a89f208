package words

import (
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// stageEvents are the events that stages begin with.
var stageEvents = map[record.Stage]record.EventType{
	record.Draining: record.NodeDraining, record.Settling: record.NodeDrained, record.Updating: record.NodeUpdating,
	record.Replaced: record.NodeReplaced, record.NodeFail: record.NodeFailed, record.Skipped: record.NodeSkipped,
}

// nodes checks that what becomes of a node is told, and nothing else.
func (c *Check) nodes(was *record.Run, dec engine.Decision) {
	of := map[string][]record.Event{}
	for _, e := range dec.Events {
		of[e.Node] = append(of[e.Node], e)
	}
	for id, n := range dec.Run.Nodes.All() {
		told := slices.Clone(of[id])
		if n.Name != "" && n.Name != id {
			told = append(told, of[n.Name]...)
		}
		c.stage(id, was.Nodes.Get(id), n, told)
		c.left(id, n, told)
		c.foundLate(was.Nodes.Get(id), n, dec.Run.Phases)
	}
}

// foundLate checks that a node which is left out because it was found after the last phase had begun was not waiting
// to be replaced before that.
func (c *Check) foundLate(was, is record.Node, phases []record.Phase) {
	waited := was.Stage == record.Outdated || was.Stage == record.Queued
	if last := len(phases) - 1; waited && is.Stage == record.Skipped && is.Reason == "found after the last phase began" && last >= 0 && was.Since.Before(phases[last].Start) {
		c.d.Breaks("told: %s was %q, and has been outdated since %s; phase %s began at %s", is.Name, is.Reason, was.Since, phases[last].Name, phases[last].Start)
	}
}

// stage checks that a node is told to begin a stage when it does.
func (c *Check) stage(id string, was, is record.Node, told []record.Event) {
	tells := func(t record.EventType) bool {
		return slices.ContainsFunc(told, func(e record.Event) bool { return e.Type == t && e.Reason != "unblocked" })
	}
	if t := stageEvents[is.Stage]; t != "" && is.Stage != was.Stage && was.Stage != "" && !tells(t) {
		c.d.Breaks("told: %s is %s, it was %s, and %s is not told", id, is.Stage, was.Stage, t)
	}
	if is.Stage != was.Stage || !is.Since.Equal(was.Since) || is.Stage == record.Updating || is.Stage == record.Launching {
		return
	}
	for _, t := range stageEvents {
		if tells(t) && !(t == record.NodeFailed && is.New) { // that one fails with its run
			c.d.Breaks("told: %s is %s, as it was, and %s is told", id, is.Stage, t)
		}
	}
}

// left checks why a node is told to be left out or to have failed, and that one which returns to
// service is there.
func (c *Check) left(id string, n record.Node, told []record.Event) {
	for i, e := range told {
		if slices.ContainsFunc(told[i+1:], func(x record.Event) bool { return x.Type == e.Type }) {
			continue // it was returned meanwhile
		}
		switch {
		case e.Type == record.NodeSkipped && n.Stage == record.Skipped && e.Reason != n.Reason,
			e.Type == record.NodeFailed && n.Stage == record.NodeFail && e.Reason != string(n.Result):
			c.says(e, "the run has %q, %q", n.Reason, n.Result)
		case strings.HasSuffix(e.Message, "returned to service") && c.sees(world.Cloud) && c.d.Sim.View.Machine(id) == nil && c.d.Sim.Machines()[id] == nil: // or it was just detached, and is on no list
			c.says(e, "its machine is gone")
		}
	}
}
