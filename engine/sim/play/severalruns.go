package play

import (
	"math/rand/v2"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// sizesPlay is what others do to the sizes of a group, and how many machines the account may
// run, while runs of the group follow each other. It takes its chances elsewhere, so that the
// seeds without it play what they played before.
type sizesPlay struct {
	*rand.Rand
	acts bool
	runs int // that follow the first one
}

// newSizesPlay draws it for a seed: a third of the seeds have none.
func newSizesPlay(seed uint64, strategy string) sizesPlay {
	r := rand.New(rand.NewPCG(seed, 0x512e))
	if !strings.HasPrefix(strategy, "eks") || r.IntN(3) == 0 {
		return sizesPlay{Rand: r}
	}
	return sizesPlay{Rand: r, acts: true, runs: r.IntN(4)}
}

// resizes may change something in any phase of a run, or between two.
func (p *player) resizes(in int) {
	if !p.sizes.acts || p.broken != "" || p.Sim.Now().Before(p.Sim.Faults.EtcdUntil) || p.sizes.IntN(in) > 0 {
		return
	}
	switch size, sizes := p.Sim.Size(), p.Sim.Group.Sizes; p.sizes.IntN(7) {
	case 0:
		if by := 1 + p.sizes.IntN(3); !p.passesForRaise(by) {
			p.say("user scale group=+%d", by)
		}
	case 1:
		p.say("user scale group=-%d", 1+p.sizes.IntN(2))
	case 2, 3:
		p.say("fault quota n=%d", size+p.sizes.IntN(3))
	case 4:
		p.say("fault quota n=0")
	case 5:
		p.say("user bounds min=%d", min(sizes.Max, sizes.Min+1+p.sizes.IntN(3)))
	case 6:
		p.say("user bounds min=%d", p.sizes.IntN(sizes.Min+1))
	}
}

// endsUnseen aborts a run whose machine may be ending, as the answer to that is lost, while the cloud cannot be seen for longer
// than an end may take.
func (p *player) endsUnseen(r *rand.Rand) {
	if list := p.inStage(record.Settling); len(list) == 0 || r.IntN(3) > 0 {
		return
	}
	p.say("fault lose kind=terminate count=1")
	for range 80 {
		if !p.on() || p.asksForAnEnd() {
			break
		}
		p.runFor(500 * time.Millisecond)
	}
	if !p.on() || !p.asksForAnEnd() {
		return
	}
	p.say("fault away source=cloud for=16m")
	p.say("operator abort")
	p.runFor(15 * time.Minute)
}

// asksForAnEnd reports whether nobody knows yet what became of a request to end a machine.
func (p *player) asksForAnEnd() bool {
	for _, open := range p.Driver.Run.Pending {
		if open.Action.Kind == record.Terminate && open.Accepted.IsZero() {
			return true
		}
	}
	return false
}

// goesOn lets further runs of the group follow the one that has ended, however it did. The
// last one is left alone, so that chains come to a good end.
func (p *player) goesOn() {
	for n := p.sizes.runs; n > 0 && p.broken == "" && p.Driver.Run.State == record.Finished; n-- {
		before := p.Driver
		p.Driver.Doom = nil
		p.say("fault chance p=0")
		p.say("repair")
		p.say("wait for=1m")
		for p.broken == "" && p.Sim.View.Health[world.Cloud].Fresh.Before(p.Sim.Now().Add(-time.Minute)) {
			p.say("wait for=1m") // no run is planned on what was read before its start
		}
		p.resizes(2)
		if p.broken != "" {
			return
		}
		if left := before.Run.RaiseLeft; left != nil && left.Desired > 0 && p.sizes.IntN(2) == 0 {
			p.say("retire")
		}
		if p.broken == "" && p.Driver == before {
			p.say("again")
		}
		if p.broken != "" || p.Driver == before {
			return
		}
		p.Driver.Audit = 8
		if p.raising.again {
			p.raises()
		}
		if n == 1 {
			p.endWell()
			return
		}
		for step := 0; p.on() && step < 20; step++ {
			p.say("run for=%dms", 200+p.sizes.IntN(15000))
			if p.on() {
				p.resizes(15)
			}
			if p.on() {
				p.meddle()
			}
		}
		p.comeToAnEnd()
	}
}
