package play

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/world"
)

// gardenerAsks is what the user asks for of a roll by Gardener's rules.
func (p *player) gardenerAsks(strategy string) {
	r := p.r
	p.say("settings strategy=%s", strategy)
	p.say("settings %s drain-timeout=%ds node-ready-timeout=%ds health-timeout=%ds eviction-retry=%ds evict-retries=%d pending-limit=20s gate-pause=60s on-drain-timeout=%s",
		p.pick("max-surge=1", "max-surge=1", "max-surge=0 max-unavailable=1", "max-surge=0", "max-surge=2 max-unavailable=1", "max-surge=50%", "max-surge=0 max-unavailable=50%", "max-surge=3"),
		30+r.IntN(90), 60+r.IntN(60), 20+r.IntN(60), 5+r.IntN(10), 1+r.IntN(8), p.pick("force", "force", "force", "fail", "skip", "wait"))
	p.say("settings %s %s %s %s %s",
		p.pick("", "", "", "approve=batch", "approve=batch batch-size=2", "approve=canary canary-watch=30s", "approve=phase"),
		p.seldom(6, "all-nodes"), p.seldom(6, "order=newest", "order=fewest-blockers"),
		p.seldom(4, "max-failed-nodes=1", "max-failed-nodes=2"),
		p.seldom(12, "only=a1", "until=4m", "until=10m"))
}

// gardenerTurns is what may happen in a roll by Gardener's rules, beside what may happen in
// any.
var gardenerTurns = []turn{
	node(10, "user breaks %s for=%s", []string{"5s", "30s", "70s", "2m", "5m"}),
	node(10, "fault condition %s %s for=%s", []string{"KernelDeadlock", "ReadonlyFilesystem", "DiskPressure", "Other"}, []string{"5s", "30s", "70s", "2m", "5m"}),
	line(6, "fault %s count=1", []string{"never-join", "not-ready"}),
}

// poolWorld makes a worker pool whose nodes await an update in place.
func (p *player) poolWorld(update string) {
	r := p.r
	p.say("timing cloud-lag=%dms cluster-lag=%dms sync=%dms", 100+r.IntN(3000), 5+r.IntN(300), 50+r.IntN(8000))
	p.say("cluster provider=gardener update=%s zones=%s nodes=%d slots=%d takes=%ds critical=%ds %s %s",
		update, p.pick("a", "a,b", "a,b,c"), 1+r.IntN(5), 3+r.IntN(4), 5+r.IntN(60), r.IntN(20), p.applied(update), p.drains())
	p.workloads()
	p.say("workload logs kind=daemonset")
	if p.one(8) {
		p.say("fault hostile")
	}
}

// applied is a Shoot that was changed just before the run, for some of the pools whose nodes are
// selected by hand. It takes its chances elsewhere, as hooks do.
func (p *player) applied(update string) string {
	if update != world.ManualInPlaceUpdate || p.remote.IntN(3) > 0 {
		return ""
	}
	return fmt.Sprintf("shoot=%ds", p.remote.IntN(150))
}

// drains is a drain timeout that a run lasts longer than, for half of the pools. It takes chances of
// its own.
func (p *player) drains() string {
	r := rand.New(rand.NewPCG(p.seed, 0xd4a1))
	if r.IntN(2) > 0 {
		return ""
	}
	return fmt.Sprintf("drain=%ds", 20+r.IntN(120))
}

// poolAsks is what the user asks for of it.
func (p *player) poolAsks() {
	p.say("settings strategy=gardener-manual %s wait-for-start=90s pending-limit=20s gate-pause=60s node-ready-timeout=60s update-timeout=%s",
		p.pick("max-unavailable=1", "max-unavailable=1", "max-unavailable=2", "max-unavailable=50%"), p.pick("40s", "90s", "20m"))
	p.say("settings %s %s", p.pick("", "", "approve=batch", "approve=batch batch-size=2", "approve=canary canary-watch=30s", "approve=phase"), p.seldom(8, "only=a1", "until=6m"))
}

// poolTurns is what may happen while a pool is updated in place.
var poolTurns = []turn{
	{200, func(*player) {}},
	line(10, "operator pause"),
	line(4, "operator abort"),
	node(8, "operator skip node=%s"),
	node(6, "operator return node=%s"),
	line(8, "sleep for=%s", []string{"1s", "20s", "2m", "5m"}),
	line(24, "crash %s %s for=%s", []string{"", "before-save", "before-act", "mid-act", "after-act"}, []string{"", "lost"}, spans),
	line(12, "fault %s kind=%s count=%s", []string{"lose", "drop"}, []string{"label", "check"}, some),
	line(10, "fault refuse kind=label as=busy count=%s", some),
	line(8, "fault away source=%s for=%s", apis, spans),
	line(4, "fault etcd for=%s", spans),
	node(20, "fault update %s %s", []string{"hangs", "fails why=no-space"}),
	{20, func(p *player) {
		if name := p.anyNode(); name != "" && sim.StepOf(p.Sim.Truth.Node(name)) == world.GardenerFailed {
			p.say("user retries %s", name)
		}
	}},
	node(6, "user cordon %s"),
	node(6, "user uncordon %s"),
	node(6, "user breaks %s for=%s", spans),
	line(8, "user scale w0=%s", append(some, "5")),
}

// selects lets another user select a node that waits for its turn, in some seeds of pools that are updated in place.
func (p *player) selects() {
	list := p.inStage(record.Outdated, record.Queued)
	if p.theirs == nil || len(list) == 0 || p.theirs.IntN(12) > 0 {
		return
	}
	if m := p.Sim.Machines()[list[p.theirs.IntN(len(list))]]; m != nil && p.Sim.MachineOf(m.Name) == m && p.Sim.Truth.Node(m.Name) != nil {
		p.say("user selects %s", m.Name)
	}
}

// byItself reports whether a strategy updates a pool in place with nobody selecting nodes.
func byItself(strategy string) bool { return strings.HasPrefix(strategy, "gardener-inplace") }

// byItselfAsks is what the user asks for of such a pool.
func (p *player) byItselfAsks(strategy string) {
	r := p.r
	p.dear(true)
	p.say("settings strategy=%s", strategy)
	p.say("settings %s drain-timeout=%ds node-ready-timeout=%ds update-timeout=%s health-timeout=%ds eviction-retry=%ds evict-retries=%d pending-limit=20s gate-pause=60s on-drain-timeout=%s",
		p.pick("max-unavailable=1", "max-unavailable=2", "max-surge=1", "max-surge=1 max-unavailable=0", "max-surge=2 max-unavailable=0", "max-surge=2 max-unavailable=2", "max-surge=50% max-unavailable=0", "max-unavailable=50%"),
		30+r.IntN(90), 60+r.IntN(60), p.pick("40s", "90s", "20m"), r.IntN(2)*(20+r.IntN(60)), 5+r.IntN(10), 1+r.IntN(8), p.pick("force", "force", "fail", "skip", "wait"))
	p.say("settings %s %s", p.pick("", "", "", "approve=batch", "approve=batch batch-size=2", "approve=canary canary-watch=30s", "approve=phase"),
		p.seldom(10, "only=a1", "until=6m"))
}

// byItselfTurns is what may happen to it beside what may happen to any pool: machines come
// and go.
var byItselfTurns = []turn{
	{12, (*player).force},
	line(8, "fault %s", []string{"never-join count=1", "not-ready count=1", "never-join over", "not-ready over"}),
	line(12, "fault %s kind=%s count=%s", []string{"lose", "drop"}, []string{"set-sizes", "terminate", "cordon", "evict", "suspend", "resume"}, some),
	line(8, "fault refuse kind=%s as=busy count=%s", []string{"set-sizes", "terminate", "cordon", "evict", "look"}, some),
	{6, func(p *player) {
		p.say("fault no-room zone=%s %s", p.pick(p.Sim.Group.Zones...), p.pick("room=0", "room=1", "over", "over"))
	}},
	line(12, "crash %s %s %s for=%s", []string{"before-save", "before-act", "mid-act", "after-act"}, []string{"", "lost"}, []string{"kind=terminate", "kind=set-sizes", "kind=cordon", "kind=evict"}, spans),
	node(6, "user kills %s"),
	line(4, "user scale group=%s", []string{"+1", "-1"}),
}
