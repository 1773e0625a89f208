package play

import (
	"math/rand/v2"

	"github.com/drainboard/drainboard/engine/world"
)

// kopsWorld makes a cluster of kops: the group that is rolled, others beside it, and the
// pods that it cannot do without.
func (p *player) kopsWorld() {
	r := p.r
	p.say("timing boot=%ds ready=%ds terminate=%ds notice=%ds unlisted=%dms cloud-lag=%dms cluster-lag=%dms sync=%dms",
		2+r.IntN(10), 1+r.IntN(5), 2+r.IntN(15), 1+r.IntN(20), r.IntN(8000)*r.IntN(2), 100+r.IntN(3000), 5+r.IntN(300), 50+r.IntN(8000))
	nodes, detached := 1+r.IntN(5), max(0, r.IntN(8)-5)
	role := p.pick("node", "node", "node", "node", "node", "node", "apiserver", "control-plane", "bastion")
	if p.own != nil { // our own rules roll no others, and detach none
		role, detached = "node", 0
	}
	p.say("cluster provider=kops name=ig role=%s zones=%s nodes=%d min=%d template=%s new=%d slots=%d warm=%d detached=%d %s %s",
		role, p.pick("a", "a,b", "a,b,c"), nodes, r.IntN(nodes+1)*r.IntN(2), p.pick("1", "2", "2", "2", "2", "2", "2", "2"), r.IntN(3)/2, 6+r.IntN(5),
		max(0, r.IntN(8)-5), detached, p.seldom(6, "spot"), p.seldom(4, "cpu=2000"))
	p.say("peer masters role=control-plane nodes=%d", 1+r.IntN(3))
	p.say("peer others role=node nodes=%d", 1+r.IntN(2))
	if p.one(2) {
		p.say("peer bastions role=bastion nodes=1")
	}
	if p.one(2) {
		p.say("balancer takes=%dms", r.IntN(15000))
	}
	p.say("workload dns critical=cluster replicas=%d ready=2s %s", 1+r.IntN(2), p.seldom(4, "gated")) // first, so that it has room
	p.say("workload proxy kind=daemonset critical=node ready=1s")
	p.workloads()
	p.single()
	if p.one(8) {
		p.say("fault hostile")
	}
	if p.one(6) && p.Sim.Truth.Node("a1") != nil {
		p.say("user cordon a1")
	}
	p.lateLists()
}

// lateLists has one cloud in twelve list a machine late that was detached: it is on no list for longer. It takes its chances
// elsewhere, as hooks do.
func (p *player) lateLists() {
	if r := rand.New(rand.NewPCG(p.seed, 0x510)); p.own == nil && r.IntN(12) == 0 {
		p.say("timing unlisted=%ds", 12+r.IntN(30))
	}
}

// kopsAsks is what the user asks for.
func (p *player) kopsAsks() {
	r := p.r
	p.dear(true)
	p.say("settings strategy=kops")
	p.say("settings %s post-drain-wait=%ds interval=%ds validate-count=%d validate-pause=%ds validate-retry=%ds validate-timeout=%ds deregister-limit=%ds",
		p.pick("max-surge=0 max-unavailable=1", "max-surge=0 max-unavailable=34%", "max-surge=1 max-unavailable=0", "max-surge=1", "max-surge=2 max-unavailable=1", "max-surge=50% max-unavailable=0", "max-surge=3 max-unavailable=2"),
		r.IntN(8), r.IntN(15), 1+r.IntN(3), 1+r.IntN(5), 2+r.IntN(8), 60+r.IntN(120), 5+r.IntN(20))
	p.say("settings drain-timeout=%ds node-ready-timeout=%ds pending-limit=20s gate-pause=60s on-drain-timeout=%s",
		20+r.IntN(60), 60+r.IntN(60), p.pick("fail", "fail", "force", "skip", "wait"))
	p.say("settings %s %s %s %s %s %s",
		p.pick("", "", "", "approve=batch", "approve=batch batch-size=2", "approve=canary canary-watch=30s", "approve=phase"),
		p.seldom(6, "all-nodes"), p.seldom(4, "order=oldest", "order=newest,name", "order=name", "order=fewest-blockers"),
		p.seldom(4, "max-failed-nodes=1", "max-failed-nodes=2"),
		p.seldom(3, "unreachable=fail unreachable-after=60s", "unreachable=terminate unreachable-after=60s", "unreachable-after=60s"),
		p.seldom(8, "only=a1", "until=4m", "pass-invalid", "pass-drain", "keep-old", "allow-quorum-loss"))
}

// kopsTurns is what may happen in a random run of kops's, beside what may happen in any.
var kopsTurns = []turn{
	node(8, "fault no-detach %s %s", []string{"", "", "over"}),
	line(4, "fault half-detach count=1"),
	line(10, "fault %s kind=%s count=%s", []string{"lose", "drop"}, []string{"detach", "deregister", "terminate"}, some),
	line(8, "fault refuse kind=%s as=%s count=%s", []string{"detach", "deregister"}, []string{"busy", "busy", "forbidden"}, some),
	line(12, "crash %s %s kind=%s for=%s", []string{"before-save", "before-act", "mid-act", "after-act"}, []string{"", "lost"}, []string{"detach", "deregister", "terminate"}, spans),
	line(6, "fault balancer %s", []string{"takes=0s", "takes=10s", "takes=2m", "fails", "over", "over"}),
	line(4, "fault away source=cluster for=%s", []string{"3m", "5m"}),
	line(6, "fault short %s for=%s", []string{"masters", "others"}, spans),
	{8, func(p *player) {
		if name := p.peerNode(); name != "" {
			p.say("fault unjoined %s for=%s", name, p.pick(spans...))
		}
	}},
	{8, func(p *player) {
		if name := p.peerNode(); name != "" && p.Sim.Truth.Node(name) != nil {
			p.say("user breaks %s %s for=%s", name, p.pick("", "network"), p.pick(spans...))
		}
	}},
	node(6, "user breaks %s %s for=%s", []string{"", "network"}, spans),
	{4, func(p *player) {
		if name := p.peerNode(); name != "" {
			p.say("fault outside %s", name)
		}
	}},
	line(8, "fault flap dns every=%s for=%s", []string{"4s", "10s", "20s"}, spans),
	node(3, "user moves %s by=asks-kops"),
}

// peerNode is a node of another group, "" if there is none.
func (p *player) peerNode() string {
	of := p.Sim.Peers()[p.r.IntN(len(p.Sim.Peers()))]
	if len(of.Machines) == 0 || of.Role == world.RoleBastion {
		return ""
	}
	return of.Machines[p.r.IntN(len(of.Machines))][len("i-"):]
}
