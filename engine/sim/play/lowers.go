package play

import (
	"math/rand/v2"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// lowersPlay is what happens while a run that ends early lowers the desired size to the machines that there
// are: the group could not launch those of the raise. It takes its chances elsewhere, as hooks do.
type lowersPlay struct {
	*rand.Rand
	acts bool
}

// newLowersPlay draws it for a seed: one of twelve, by strategies that raise the group.
func newLowersPlay(seed uint64, strategy string) lowersPlay {
	r := rand.New(rand.NewPCG(seed, 0x10e5))
	return lowersPlay{r, r.IntN(12) == 0 && raises(strategy)}
}

// raises reports whether a strategy raises the group.
func raises(strategy string) bool {
	return strings.HasPrefix(strategy, "eks") || strategy == "drainboard"
}

// lowers brings a run there: the account has no machine left for it, or one, and it fails or is aborted.
func (p *player) lowers() {
	r := p.lowering
	if !r.acts || !p.on() {
		return
	}
	p.say("fault quota n=%d", p.Sim.Size()+r.IntN(2))
	for range 20 {
		if p.Driver.Run.Raised || !p.on() {
			break
		}
		if _, waiting := p.Driver.Run.Waiting(); waiting {
			p.say("operator approve")
		}
		p.runFor(time.Second)
	}
	p.runFor(time.Duration(r.IntN(8000)) * time.Millisecond)
	if p.on() && r.IntN(3) > 0 {
		p.say("operator abort%s", []string{"", " retire"}[r.IntN(2)])
	}
	for range 200 {
		if l := p.Driver.Run.Lowering; l != nil || !p.on() || p.Driver.Run.State == record.Paused {
			break
		}
		p.runFor(700 * time.Millisecond)
	}
	if l := p.Driver.Run.Lowering; l != nil && !l.Over && p.on() {
		p.whileItLowers()
	}
}

// whileItLowers is one thing that others or fate do meanwhile, or two.
func (p *player) whileItLowers() {
	r := p.lowering
	p.runFor(time.Duration(r.IntN(2000)) * time.Millisecond)
	if !p.on() {
		return
	}
	fate := []string{"", "", "", "fault drop kind=set-sizes count=1", "fault lose kind=set-sizes count=1", "crash before-act kind=set-sizes for=8s", "crash mid-act kind=set-sizes for=8s", "fault quota n=0"}[r.IntN(8)]
	if fate != "" {
		p.say("%s", fate)
		p.looksUpLate()
		for range 20 { // until it has struck
			if l := p.Driver.Run.Lowering; !p.on() || l == nil || !p.Driver.Run.Pending[record.LowerKey].Asked.IsZero() {
				break
			}
			p.runFor(300 * time.Millisecond)
		}
	}
	if !p.on() {
		return
	}
	switch by := []int{-2, -1, -1, 1, 1, 2, 0}[r.IntN(7)]; {
	case by != 0:
		p.say("user scale group=%+d", by)
	default:
		if name := p.anyNode(); name != "" {
			p.say("user kills %s", name)
		}
	}
	p.runFor(time.Duration(r.IntN(6000)) * time.Millisecond)
}

// looksUpLate lets the cloud not say at once what came of the size that was set: the group may be read before.
func (p *player) looksUpLate() {
	if r := rand.New(rand.NewPCG(p.seed, 0xc4ec)); r.IntN(3) > 0 {
		p.say("fault refuse kind=check as=busy count=%d", 1+r.IntN(5))
	}
}
