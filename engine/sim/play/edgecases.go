package play

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// Edge cases are what chance alone seldom brings together: half of the seeds play them. They
// take their chances elsewhere, so that the other half plays what it would without them.

// edgeSettings adds what some of them need.
func (p *player) edgeSettings(strategy string) {
	r := p.edge
	if strategy == "gardener-manual" {
		return
	}
	if r.IntN(3) == 0 { // pods that take their time to stop
		p.say("workload slow replicas=%d stop=%ds grace=%ds ready=1s", 1+r.IntN(2), 15+r.IntN(30), 45+r.IntN(30))
	}
	if r.IntN(3) == 0 && !byItself(strategy) {
		p.say("settings unreachable=terminate unreachable-after=20s post-drain-wait=8s")
	}
	if strings.HasPrefix(strategy, "eks") {
		switch r.IntN(6) {
		case 0, 1:
			p.say("settings ami=ami-9")
		case 2: // drains that fail side by side
			p.say("workload held replicas=3 stop=1s apart=host")
			p.say("budget held max=0")
			p.say("settings max-unavailable=3 drain-timeout=25s on-drain-timeout=fail max-failed-nodes=0 approve=none")
			p.late = true
		}
	}
}

// edgeCases are those that there are; each does nothing where it does not apply.
var edgeCases = []func(*player){
	(*player).wrongCommand, (*player).wrongCommand,
	(*player).staleApproval, (*player).staleApproval,
	(*player).acceptsAnother,
	(*player).forceOne,
	(*player).otherMaximum,
	(*player).changedBetween,
	(*player).decidesLate,
	(*player).killsSettling, (*player).killsSettling,
	(*player).comesBack, (*player).comesBack,
	(*player).reusesName, (*player).reusesName,
	(*player).abortsHalfway,
}

// edgeCase plays one now and then.
func (p *player) edgeCase() {
	if p.edge == nil || p.Sim.Now().Before(p.Sim.Faults.EtcdUntil) || p.edge.IntN(3) > 0 {
		return
	}
	if p.late && len(p.inStage(record.Draining)) > 1 {
		p.decidesLate()
		return
	}
	edgeCases[p.edge.IntN(len(edgeCases))](p)
}

// wrongCommand is a command from elsewhere that must not be obeyed: for another run, or too
// old.
func (p *player) wrongCommand() {
	kinds := []record.CommandKind{record.CmdPause, record.CmdAbort}
	if p.Driver.Run.State == record.Paused {
		kinds = []record.CommandKind{record.CmdResume}
	}
	if _, waiting := p.Driver.Run.Waiting(); waiting {
		kinds = append(kinds, record.CmdApprove)
	}
	wrong := []string{"run=another", "expires=-1s", "ago=11m"}
	p.given++
	p.say("operator %s id=c%d by=c%d@ops %s", kinds[p.edge.IntN(len(kinds))], p.given, p.given, wrong[p.edge.IntN(len(wrong))])
}

// staleApproval approves what a batch was before.
func (p *player) staleApproval() {
	list := p.Driver.Run.Batches
	if _, waiting := p.Driver.Run.Waiting(); !waiting {
		return
	}
	hash := "0123456789ab"
	if len(list) > 1 {
		hash = list[len(list)-2].Hash
	}
	p.say("operator approve hash=%s", hash)
}

// acceptsAnother accepts another trouble of the canary than the one that holds the run.
func (p *player) acceptsAnother() {
	if p.Driver.Run.Canary.Holds() {
		p.say("operator accept trouble=another")
	}
}

// forceOne forces one pod of a node that drains.
func (p *player) forceOne() {
	for _, id := range p.inStage(record.Draining) {
		n := p.Driver.Run.Nodes.Get(id)
		for _, pod := range p.Sim.Truth.PodsOn(n.Name) {
			if pod.Namespace == "app" && p.edge.IntN(2) == 0 {
				p.say("operator force node=%s pod=%s", n.Name, pod.Name)
				return
			}
		}
	}
}

// otherMaximum lets another user raise the group's maximum.
func (p *player) otherMaximum() {
	p.say("user bounds max=%d", p.Sim.Group.Sizes.Max+1+p.edge.IntN(3))
}

// changedBetween lets another user raise the desired size while the run restores the maximum.
func (p *player) changedBetween() { p.say("fault between desired=%d", 1+p.edge.IntN(2)) }

// decidesLate lets the driver be late at the end of a drain's time, while the pods of the
// other nodes leave: one decision sees both.
func (p *player) decidesLate() {
	id, left := p.firstEnd(record.Draining)
	if id == "" || left > 5*time.Minute {
		return
	}
	p.runFor(left - time.Second)
	if !p.on() {
		return
	}
	p.say("sleep for=10s")
	for _, other := range p.inStage(record.Draining) {
		if other == id {
			continue
		}
		for _, pod := range p.Sim.Truth.PodsOn(p.Driver.Run.Nodes.Peek(other).Name) {
			if pod.Namespace == "app" && p.on() {
				p.say("user deletes pod=%s", pod.Name)
			}
		}
	}
	p.runFor(10 * time.Second)
}

// killsSettling ends a machine that is about to be ended.
func (p *player) killsSettling() {
	id, left := p.firstEnd(record.Settling)
	if id == "" {
		return
	}
	p.runFor(left - time.Duration(p.edge.IntN(3000))*time.Millisecond)
	if m := p.Sim.Machines()[id]; p.on() && m != nil && p.Sim.MachineOf(m.Name) == m {
		p.say("user kills %s", m.Name)
	}
}

// comesBack lets a node that drains fall silent, and be heard again when it was given up.
func (p *player) comesBack() {
	list := p.inStage(record.Draining)
	if len(list) == 0 || p.Driver.Run.Settings.Unreachable != record.UnreachableTerminate {
		return
	}
	id := list[p.edge.IntN(len(list))]
	m := p.Sim.Machines()[id]
	if m == nil || p.Sim.MachineOf(m.Name) != m || p.Sim.Truth.Node(m.Name) == nil {
		return
	}
	p.say("fault silent %s", m.Name)
	for range 60 {
		if !p.on() || p.Driver.Run.Nodes.Peek(id).Lost {
			break
		}
		p.runFor(2 * time.Second)
	}
	p.runFor(time.Duration(p.edge.IntN(6000)) * time.Millisecond)
	if p.on() && p.Sim.MachineOf(m.Name) == m {
		p.say("fault silent %s over", m.Name)
	}
}

// reusesName ends a machine that wears marks of ours while the cloud cannot be seen; its
// node's name goes to another machine, whose node another user marks.
func (p *player) reusesName() {
	list := p.inStage(record.Draining, record.Settling)
	if len(list) == 0 {
		return
	}
	m := p.Sim.Machines()[list[p.edge.IntN(len(list))]]
	if m == nil || m.Leaving() || p.Sim.MachineOf(m.Name) != m {
		return
	}
	p.say("fault reuses-name count=1")
	p.say("fault away source=cloud for=3m")
	p.say("user kills %s", m.Name)
	for range 20 {
		if n := p.Sim.Truth.Node(m.Name); !p.on() || n != nil && n.Machine != m.ID {
			break
		}
		p.runFor(3 * time.Second)
	}
	if n := p.Sim.Truth.Node(m.Name); p.on() && n != nil && n.Machine != m.ID {
		p.say("user cordon %s", m.Name)
		p.runFor(2 * time.Second)
		if p.on() && p.edge.IntN(4) > 0 {
			p.say("operator abort")
		}
	}
}

// abortsHalfway aborts a run that has replaced some nodes.
func (p *player) abortsHalfway() {
	if len(p.inStage(record.Replaced)) > 0 && p.edge.IntN(3) == 0 {
		p.say("operator abort")
	}
}

// inStage lists the machines of nodes in these stages.
func (p *player) inStage(stages ...record.Stage) (out []string) {
	for _, id := range slices.Sorted(p.Driver.Run.Nodes.Keys()) {
		for _, stage := range stages {
			if n := p.Driver.Run.Nodes.Get(id); n.Stage == stage && n.Name != "" {
				out = append(out, id)
			}
		}
	}
	return out
}

// firstEnd is the machine in a stage whose wait ends first, the last one of several, and in
// how long; "" if none does.
func (p *player) firstEnd(stage record.Stage) (first string, left time.Duration) {
	for _, id := range p.inStage(stage) {
		if w := p.Driver.Run.Nodes.Peek(id).Wait; w != nil {
			if in := w.End.Sub(p.Sim.Now()); first == "" || in <= left {
				first, left = id, in
			}
		}
	}
	return first, left
}

// runFor lets time pass, if there is any.
func (p *player) runFor(d time.Duration) {
	if d > 0 && p.on() {
		p.say("run for=%s", d)
	}
}
