package play

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// leavesOut brings a run to where surplus nodes are left out, and another is one of few in its zone: others end new
// machines there that the group can launch only elsewhere, and the first surplus node that drains keeps its pods. Once in a play.
func (p *player) leavesOut(r *rand.Rand) {
	list := p.inStage(record.Surplus)
	if p.leaves || len(list) == 0 || p.Driver.Run.State != record.Running {
		return
	}
	p.leaves = true
	zone := p.Driver.Run.Nodes.Peek(list[r.IntN(len(list))]).Zone
	p.say("fault no-room zone=%s", zone)
	for _, id := range p.inStage(record.Ready) {
		if m := p.Sim.Machines()[id]; p.Driver.Run.Nodes.Peek(id).New && m != nil && m.Zone == zone && p.Sim.MachineOf(m.Name) == m && p.on() {
			p.say("user kills %s", m.Name)
		}
	}
	p.say("user scale w0=12")
	for range 300 {
		if _, waiting := p.Driver.Run.Waiting(); waiting {
			p.say("operator approve")
		}
		if !p.on() || p.Driver.Run.State != record.Running || p.leftOut() {
			break
		}
		if denied := p.Sim.Faults.Webhook["w0"]; !denied && p.retiresOne() {
			p.say("fault webhook w0")
		}
		p.runFor(time.Second)
	}
	if p.on() {
		p.say("fault webhook w0 over")
	}
}

// retiresOne reports whether a surplus node drains.
func (p *player) retiresOne() bool {
	return slices.ContainsFunc(p.inStage(record.Draining), func(id string) bool { return p.Driver.Run.Nodes.Peek(id).New })
}

// leftOut reports whether a new node was left out.
func (p *player) leftOut() bool {
	return slices.ContainsFunc(p.inStage(record.Skipped), func(id string) bool { return p.Driver.Run.Nodes.Peek(id).New })
}
