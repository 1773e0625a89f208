package play

import (
	"math/rand/v2"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// raisesPlay is what others do to the sizes of a group while nobody knows whether the run has raised it: the answer to
// that is lost. It takes its chances elsewhere, as hooks do.
type raisesPlay struct {
	*rand.Rand
	acts  bool // in the first run
	again bool // in those that follow it
}

// newRaisesPlay draws it for a seed: one of twelve, by strategies that raise the group, and a third of the runs that follow.
func newRaisesPlay(seed uint64, strategy string) raisesPlay {
	r := rand.New(rand.NewPCG(seed, 0x4a15e))
	return raisesPlay{r, r.IntN(12) == 0 && raises(strategy), r.IntN(3) == 0 && raises(strategy)}
}

// raises brings a run there.
func (p *player) raises() {
	r := p.raising
	if !p.on() {
		return
	}
	p.say("%s", []string{"fault drop kind=set-sizes count=1", "fault lose kind=set-sizes count=1", "crash before-act kind=set-sizes for=8s", "crash mid-act kind=set-sizes for=8s"}[r.IntN(4)])
	p.say("fault lose kind=check count=%d", r.IntN(4))
	for range 100 {
		if open, asked := p.Driver.Run.Pending[record.RaiseKey]; asked && p.Sim.Now().Sub(open.Asked) > 0 || !p.on() {
			break
		}
		if _, waiting := p.Driver.Run.Waiting(); waiting {
			p.say("operator approve")
		}
		p.runFor(100 * time.Millisecond)
	}
	if !p.on() || p.Driver.Run.Raised {
		return
	}
	if r.IntN(2) == 0 { // of both at once nobody could tell what did not fit the maximum, and what others wanted
		p.othersScale()
	} else {
		p.othersBound()
	}
}

// keepsMaximum aborts a run that others follow, and has its end refused to set the group's maximum back: the next run raises the
// desired size alone.
func (p *player) keepsMaximum() {
	r := p.raising
	if !r.again || p.sizes.runs == 0 || r.IntN(2) == 0 {
		return
	}
	for range 40 {
		if !p.on() || p.Driver.Run.Raised {
			break
		}
		if _, waiting := p.Driver.Run.Waiting(); waiting {
			p.say("operator approve")
		}
		p.runFor(time.Second)
	}
	p.runFor(time.Duration(r.IntN(90)) * time.Second)
	if p.on() {
		p.say("fault refuse kind=set-sizes as=forbidden count=9")
		p.say("operator abort")
	}
}

// othersScale has another user change the desired size, but to less than the raise would.
func (p *player) othersScale() {
	by := []int{-2, -1, 1, 2}[p.raising.IntN(4)]
	if p.passesForRaise(by) {
		by = -1
	}
	if p.on() {
		p.say("user scale group=%+d", by)
	}
}

// passesForRaise reports whether a change of the desired size by others would pass for a raise whose answer is open.
func (p *player) passesForRaise(by int) bool {
	raise, asked := p.Driver.Run.Pending[record.RaiseKey]
	return asked && p.Sim.Group.Sizes.Desired+by >= raise.Action.Sizes.Desired
}

// othersBound has another user change the maximum, but not to one that a run has asked for: it would pass for its raise.
func (p *player) othersBound() {
	most := p.Sim.Group.Sizes.Desired + p.raising.IntN(4)
	if p.on() && !p.Sim.AskedMaxima[most] {
		p.say("user bounds max=%d", most)
	}
}
