package play

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/drive"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/world"
)

// Random plays a small random cluster with random faults to its end by a strategy,
// every step checked. It returns the script of what it did and what happened, for a
// person to shrink into a scenario, and the first broken rule, "" if none was.
func Random(c *script.Script, seed uint64, strategy string) (told string, broken string) {
	p := newPlayer(c, seed, 0xfa017, strategy)
	p.setUp(strategy)
	p.hooks(rand.New(rand.NewPCG(seed, 0x400c)))
	if edge := rand.New(rand.NewPCG(seed, 0xed9e)); edge.IntN(2) == 0 {
		p.edge = edge
		p.edgeSettings(strategy)
	}
	beside := p.besides(seed, strategy)
	if beside.out != nil {
		p.say("settings on-drain-timeout=skip")
	}
	p.say("start")
	if free := strategy == "kops" || strings.HasPrefix(strategy, "gardener"); free && strings.Contains(p.told.String(), "(allow with --") && p.broken == "" {
		p.broken = "a drain by these rules asks for no consent, and one is missed"
	}
	if p.Driver == nil || p.broken != "" {
		return p.told.String(), p.broken
	}
	p.Driver.Audit, p.Hurried = 8, true
	p.say("fault chance p=%s", p.pick("0", "0", "0.05", "0.2"))
	if p.one(6) { // what comes first comes before anything else can happen
		p.say("crash %s kind=%s for=20s", p.pick("before-save", "before-act", "mid-act", "after-act"), p.pick(p.begins...))
	}
	if p.crash != "" && p.Driver.Doom == nil {
		p.say("%s", p.crash)
	}
	if beside.large {
		p.say("fault large")
	}
	if p.raising.acts {
		p.raises()
	}
	p.keepsMaximum()
	p.lowers()
	for step := 0; p.on() && step < 60; step++ {
		beside.before(p)
		p.say("run for=%dms", 200+p.r.IntN(15000))
		for _, happens := range []func(){func() { beside.after(p) }, p.edgeCase, func() { p.resizes(20) }, p.meddle, p.selects, p.marked} {
			if p.on() {
				happens()
			}
		}
	}
	if mustEndWell(seed) {
		p.endWell()
	} else {
		p.comeToAnEnd()
	}
	p.goesOn()
	return p.told.String(), p.broken
}

// besides is what may happen beside the rest of a play. Each takes its chances elsewhere, as hooks do; nil: not in this play.
type besides struct {
	record, paces, others, unseen, out *rand.Rand
	large                              bool // records are too large for all that they would have
}

func (p *player) besides(seed uint64, strategy string) (b besides) {
	chances := func(salt uint64, oneIn int) *rand.Rand {
		r := rand.New(rand.NewPCG(seed, salt))
		if r.IntN(oneIn) != 0 {
			return nil
		}
		return r
	}
	b.record, b.paces, b.others, b.large = chances(0x9ec0, 4), chances(0x9ace, 3), chances(0x07e5, 6), chances(0x1a46e, 4) != nil
	if raises(strategy) {
		b.out = chances(0x0b07, 8)
	}
	if p.sizes.runs > 0 {
		b.unseen = chances(0x05ee, 6)
	}
	return b
}

// before is what happens before time passes.
func (b besides) before(p *player) {
	if b.paces != nil {
		p.paces(b.paces)
	}
	if b.record != nil && b.record.IntN(12) == 0 {
		p.say("fault unwritten for=%s", spans[b.record.IntN(len(spans))])
	}
	if b.others != nil && b.others.IntN(12) == 0 {
		p.twoMovers(b.others)
	}
}

// after is what happens after that.
func (b besides) after(p *player) {
	if b.unseen != nil {
		p.endsUnseen(b.unseen)
	}
	if b.out != nil && p.on() {
		p.leavesOut(b.out)
	}
}

// player makes a script up as it goes along.
type player struct {
	*script.Script
	r        *rand.Rand
	seed     uint64
	told     strings.Builder
	broken   string
	crash    string // to be said first, "" for none
	remote   *rand.Rand
	edge     *rand.Rand // nil: no edge cases
	own      *rand.Rand // of our own rules, nil by others
	labels   *rand.Rand // of a group whose nodes have labels, nil for none
	marks    *rand.Rand // of tools that label nodes which they will end, nil for none
	theirs   *rand.Rand // of other users who select nodes for an update in place, nil for none
	sizes    sizesPlay
	lowering lowersPlay
	raising  raisesPlay
	leaves   bool     // surplus nodes were to be left out
	late     bool     // the driver decides late whenever two nodes drain
	given    int      // commands from elsewhere
	turns    []turn   // what may happen
	begins   []string // what a run asks for first
}

// newPlayer makes one that takes its chances by a seed, for runs by a strategy.
func newPlayer(c *script.Script, seed, luck uint64, strategy string) *player {
	p := &player{
		Script: c, seed: seed, r: rand.New(rand.NewPCG(seed, luck)), remote: rand.New(rand.NewPCG(seed, 0xe15e)),
		turns: turns, begins: []string{"suspend", "set-sizes", "taint"},
	}
	if strategy == "kops" {
		p.turns, p.begins = slices.Concat(turns, kopsTurns), []string{"taint", "detach", "deregister"}
	}
	if strategy == "gardener-manual" {
		p.turns, p.begins, p.theirs = poolTurns, []string{"label"}, rand.New(rand.NewPCG(seed, 0x5e1e))
		if p.theirs.IntN(5) > 0 {
			p.theirs = nil
		}
	} else if byItself(strategy) {
		p.turns, p.begins = slices.Concat(poolTurns, byItselfTurns), []string{"suspend", "set-sizes", "label"}
	} else if strings.HasPrefix(strategy, "gardener") {
		p.turns = slices.Concat(turns, gardenerTurns)
	}
	if strategy == "drainboard" {
		p.own, p.begins = rand.New(rand.NewPCG(seed, 0x0d1a)), []string{"suspend", "set-sizes", "taint", "cordon", "routes"}
		p.turns = slices.Concat(turns, ownTurns)
	}
	if marks := rand.New(rand.NewPCG(seed, 0x1abe)); marks.IntN(8) == 0 && !strings.HasPrefix(strategy, "gardener-") {
		p.marks = marks
	}
	p.sizes, p.lowering, p.raising = newSizesPlay(seed, strategy), newLowersPlay(seed, strategy), newRaisesPlay(seed, strategy)
	p.say("seed %d", seed)
	return p
}

// setUp makes the world that a strategy is for, and says what the user asks for.
func (p *player) setUp(strategy string) {
	if strategy == "kops" {
		p.kopsWorld()
		p.kopsAsks()
		return
	}
	if strategy == "gardener-manual" {
		p.poolWorld(world.ManualInPlaceUpdate)
		p.poolAsks()
		return
	}
	if byItself(strategy) {
		p.poolWorld(world.AutoInPlaceUpdate)
		p.byItselfAsks(strategy)
		return
	}
	if p.own != nil && p.own.IntN(6) == 0 {
		p.kopsWorld()
	} else {
		p.world()
	}
	p.asks(strategy)
}

// fromElsewhere makes of some lines of the operator's a command from another process.
// It takes its chances elsewhere, as hooks do.
func (p *player) fromElsewhere(line string) string {
	words := strings.Fields(line)
	if len(words) != 2 || words[0] != "operator" || !record.CommandKind(words[1]).Remote() || p.remote.IntN(3) > 0 {
		return line
	}
	p.given++
	claimed := ""
	if p.given%2 == 1 {
		claimed = " claimed"
	}
	return fmt.Sprintf("%s id=c%d by=c%d@ops%s", line, p.given, p.given, claimed)
}

// say carries out a line, and keeps it and what it told.
func (p *player) say(format string, args ...any) {
	line := p.fromElsewhere(fmt.Sprintf(format, args...))
	out, err := p.Do(line)
	p.told.WriteString(line + "\n" + out)
	if err != nil && p.broken == "" {
		p.broken = line + ": " + err.Error()
	}
}

func (p *player) pick(of ...string) string { return of[p.r.IntN(len(of))] }

// one is true once in n times.
func (p *player) one(in int) bool { return p.r.IntN(in) == 0 }

// seldom is a word once in n times, else nothing.
func (p *player) seldom(n int, words ...string) string {
	if p.one(n) {
		return p.pick(words...)
	}
	return ""
}

// on reports whether there is still something to play.
func (p *player) on() bool { return p.broken == "" && p.Driver.Run.State != record.Finished }

// world makes a cluster with workloads and budgets.
func (p *player) world() {
	r := p.r
	p.say("timing boot=%ds ready=%ds terminate=%ds cloud-lag=%dms cluster-lag=%dms sync=%dms",
		2+r.IntN(10), 1+r.IntN(5), 2+r.IntN(15), 100+r.IntN(3000), 5+r.IntN(300), 50+r.IntN(8000))
	nodes := 1 + r.IntN(5)
	p.say("cluster zones=%s nodes=%d min=%d template=%s new=%d slots=%d warm=%d %s %s %s %s %s%s",
		p.pick("a", "a,b", "a,b,c"), nodes, r.IntN(nodes+1)*r.IntN(2), p.pick("1", "2", "2", "2"), r.IntN(2), 3+r.IntN(4),
		max(0, r.IntN(8)-5), p.seldom(6, "spot"), p.seldom(8, "protected"), p.seldom(8, "overrides=2"), p.seldom(4, "cpu=2000"), p.seldom(6, "half-spot"), p.labelled())
	p.workloads()
	p.single()
	p.say("workload logs kind=daemonset")
	if p.one(8) {
		p.say("hook %s timeout=%ds after=%ds %s", p.pick("warm-up launching", "drainer"), 5+r.IntN(40), r.IntN(20), p.seldom(6, "refuses", "abandon"))
	}
	if p.one(10) {
		p.say("autoscaler scale-up=%ds scale-down=%ds gives-up=%ds %s", 5+r.IntN(20), 60+r.IntN(200), 20+r.IntN(100), p.seldom(3, "untagged"))
	}
	if p.one(8) {
		p.say("fault hostile")
	}
	if p.one(3) {
		p.say("user cordon a1")
	}
	if p.one(4) {
		p.say("user suspends AZRebalance")
	}
}

// labelled gives the nodes of one group in six labels.
func (p *player) labelled() string {
	if p.labels = rand.New(rand.NewPCG(p.seed, 0x1abd)); p.labels.IntN(6) > 0 { // elsewhere, as hooks do
		p.labels = nil
		return ""
	}
	return " labels=team:web,tier:front"
}

// expectLabels lets the run expect them of new nodes. The first ones may lack them.
func (p *player) expectLabels() {
	if p.labels == nil {
		return
	}
	p.say("settings new-labels=%s", []string{"team:web", "team", "team:web,tier"}[p.labels.IntN(3)])
	if n := p.labels.IntN(3); n > 0 {
		p.say("fault no-labels count=%d", n)
	}
}

// workloads are what runs there, and the budgets over it.
func (p *player) workloads() {
	r := p.r
	for i := range 1 + r.IntN(3) {
		name := fmt.Sprintf("w%d", i)
		p.say("workload %s replicas=%d stop=%ds ready=%ds %s%s", name, 1+r.IntN(4), r.IntN(8), 1+r.IntN(5), p.pick(
			"", "", "", "", "kind=statefulset", "kind=statefulset volume", "tolerates-all", "never-ready", "apart=host", "apart=zone",
			"cpu=600", "finalizers=guard finalized=20s", "crashes-on=v1.32"), p.service())
		switch r.IntN(5) {
		case 0, 1:
			p.say("budget %s max=1 %s", name, p.seldom(2, "always-allow"))
		case 2:
			p.say("budget %s min=%d", name, 1+r.IntN(3))
		case 3:
			p.say("budget %s %s", name, p.pick("max=50%", "min=50%", "min=34%"))
		}
		if p.one(20) {
			p.say("budget second app=%s max=1", name)
		}
	}
}

// dear are pods that not every drain takes with it, in one seed of five: of no controller, with data in an emptyDir volume, or with
// volumes. It takes its chances elsewhere, as hooks do. free: the rules ask for no consent to that.
func (p *player) dear(free bool) {
	r := rand.New(rand.NewPCG(p.seed, 0xdea4))
	if r.IntN(5) > 0 {
		return
	}
	switch r.IntN(3) {
	case 0:
		p.say("workload alone replicas=%d kind=bare stop=%ds", 1+r.IntN(2), r.IntN(8))
	case 1:
		p.say("workload cache replicas=%d empty-dir stop=%ds ready=1s", 1+r.IntN(3), r.IntN(8))
	case 2:
		p.say("workload disks replicas=%d kind=statefulset volume stop=%ds ready=1s", 3+r.IntN(3), 2+r.IntN(8))
	}
	if !free && r.IntN(4) > 0 {
		p.say("settings force-unmanaged delete-emptydir-data")
	}
}

// asks is what the user asks for.
func (p *player) asks(strategy string) {
	r := p.r
	p.dear(strings.HasPrefix(strategy, "gardener"))
	if strings.HasPrefix(strategy, "gardener") {
		p.gardenerAsks(strategy)
		return
	}
	p.say("settings strategy=%s", strategy)
	p.expectLabels()
	defer p.ownAsks()
	if surge := rand.New(rand.NewPCG(p.seed, 0x5c46)); strategy == "eks" && surge.IntN(2) == 0 { // elsewhere, as hooks do
		p.say("settings max-surge=%s", []string{"fit", "fit", "1", "2", "5", "10%", "50%"}[surge.IntN(7)])
	}
	p.say("settings max-unavailable=%s post-drain-wait=%ds drain-timeout=%ds node-ready-timeout=%ds pending-limit=20s gate-pause=60s on-drain-timeout=%s",
		p.pick("1", "1", "2", "50%"), r.IntN(8), 20+r.IntN(60), 60+r.IntN(60), p.pick("fail", "fail", "force", "skip", "wait"))
	p.say("settings %s %s %s %s %s %s",
		p.pick("", "", "", "approve=batch", "approve=batch batch-size=2", "approve=canary canary-watch=30s", "approve=phase"),
		p.seldom(4, "ami=ami-9", "all-nodes"), p.seldom(4, "order=oldest", "order=newest,name", "order=name", "order=fewest-blockers"),
		p.seldom(4, "max-failed-nodes=1", "max-failed-nodes=2"),
		p.seldom(3, "unreachable=fail unreachable-after=60s", "unreachable=terminate unreachable-after=60s", "unreachable-after=60s"),
		p.seldom(12, "only=a1", "until=4m", "until=10m"))
	if p.one(4) {
		p.say("settings retire-surge")
	}
}

// hooks are the user's commands around nodes. They take their chances elsewhere, so that
// the seeds without them play what they played before there were any.
func (p *player) hooks(r *rand.Rand) {
	if r.IntN(4) > 0 {
		return
	}
	phases := []string{"before-node=20s", "after-node=15s", "before-node=30s after-node=5s"}
	p.say("settings %s", phases[r.IntN(len(phases))])
	p.say("fault node-hook takes=%dms chance=%s", r.IntN(8000), []string{"0", "0.05", "0.2"}[r.IntN(3)])
	if r.IntN(2) == 0 {
		points := []drive.CrashPoint{drive.CrashBeforeSave, drive.CrashBeforeAct, drive.CrashMidAct, drive.CrashAfterAct}
		p.crash = fmt.Sprintf("crash %s kind=run-hook for=%ds", points[r.IntN(len(points))], 1+r.IntN(40))
	}
}

// comeToAnEnd lets a run that is still in progress end without further trouble.
func (p *player) comeToAnEnd() {
	if !p.on() {
		return
	}
	p.say("fault chance p=0")
	p.say("fault node-hook chance=0")
	if p.Driver.Run.State == record.Ending { // another abort would take back what the first one was to do
		p.say("run for=%s", 30*time.Minute)
		if p.on() && p.Driver.Run.State == record.Ending {
			p.broken = "the end of the run does not end: " + p.RunLine()
			return
		}
	}
	for try := 0; p.on() && try < 3; try++ { // a crash may swallow what the operator says
		p.say("operator abort")
		p.say("run for=%s", 30*time.Minute)
	}
	if p.on() {
		p.broken = "the run does not end: " + p.RunLine()
	}
}

// meddle is one thing that an operator, another user or fate does, or nothing.
func (p *player) meddle() {
	run := &p.Driver.Run
	if run.State == record.Paused {
		if run.Canary.Holds() && !p.one(4) {
			p.say("operator accept")
		} else {
			p.say("operator resume")
		}
		return
	}
	if _, waiting := run.Waiting(); waiting && p.Driver.Inputs.Commands == nil && !p.one(4) {
		p.say("operator approve")
		return
	}
	if p.Sim.Now().Before(p.Sim.Faults.EtcdUntil) {
		return // nobody else can do anything either
	}
	n := p.r.IntN(weigh(p.turns))
	for _, t := range p.turns {
		if n -= t.weight; n < 0 {
			t.take(p)
			return
		}
	}
}

// turn is something that may happen, and how often among the others.
type turn struct {
	weight int
	take   func(p *player)
}

// line is a turn that says one line. Its verbs are for the words of one of picks,
// one after the other.
func line(weight int, format string, picks ...[]string) turn {
	return turn{weight, func(p *player) {
		args := make([]any, len(picks))
		for i, of := range picks {
			args[i] = p.pick(of...)
		}
		p.say(format, args...)
	}}
}

// node is a turn that says a line about some node.
func node(weight int, format string, picks ...[]string) turn {
	return turn{weight, func(p *player) {
		name := p.anyNode()
		if name == "" {
			return
		}
		args := []any{name}
		for _, of := range picks {
			args = append(args, p.pick(of...))
		}
		p.say(format, args...)
	}}
}

// Words that turns pick from.
var (
	changes = []string{"evict", "terminate", "cordon", "taint", "untaint", "uncordon", "set-sizes", "suspend", "resume", "launch-in", "set-template", "create-template", "end-warm", "delete", "label"}
	reads   = []string{"look", "check", "inspect"}
	some    = []string{"1", "2", "3", "4"}
	spans   = []string{"1s", "5s", "12s", "30s", "70s", "2m"}
	apis    = []string{"cluster", "cloud"}
)

// turns is what may happen in a random run.
var turns = []turn{
	{300, func(*player) {}},

	line(10, "operator pause"),
	line(4, "operator abort"),
	line(3, "operator abort retire"),
	node(8, "operator skip node=%s"),
	node(6, "operator return node=%s"),
	{12, (*player).force},
	line(8, "sleep for=%s", []string{"1s", "20s", "40s", "2m", "5m"}),
	line(24, "crash %s %s %s for=%s", []string{"", "before-save", "before-act", "mid-act", "after-act"}, []string{"", "lost"},
		[]string{"", "", "kind=evict", "kind=label", "kind=terminate", "kind=delete", "kind=cordon", "kind=untaint"}, spans),

	line(8, "fault lose kind=%s count=%s", changes, some),
	line(8, "fault drop kind=%s count=%s", changes, some),
	line(6, "fault lose kind=%s count=%s", reads, some),
	line(10, "fault refuse kind=%s as=busy count=%s", append(reads, changes...), some),
	line(6, "fault refuse kind=%s as=forbidden count=%s", changes, some),
	line(8, "fault away source=%s for=%s", apis, spans),
	line(6, "fault throttled source=%s for=%s after=%s", apis, spans, []string{"1s", "5s", "10s"}),
	line(4, "fault expired for=%s", spans),
	line(4, "fault etcd for=%s", spans),
	line(4, "fault half-evict count=1"),
	line(6, "fault webhook w0 %s", []string{"", "over", "over"}),
	{4, func(p *player) {
		if p.Sim.Budgets()["app/w0"] != nil {
			p.say("fault stale budget=w0 %s", p.pick("", "over", "over"))
		}
	}},

	{10, func(p *player) {
		p.say("fault no-room zone=%s %s", p.pick(p.Sim.Group.Zones...), p.pick("room=0", "room=1", "over", "over"))
	}},
	line(6, "fault quota n=%s", []string{"2", "4", "6", "0", "0"}),
	line(8, "fault %s %s", []string{"never-join count=1", "never-join count=1 replaced=30s", "not-ready count=1", "no-labels count=1", "never-join over", "not-ready over"}, []string{""}),
	node(10, "fault silent %s %s", []string{"", "for=20s", "for=90s", "gone=30s", "gone=2m"}),
	node(3, "fault interrupt %s"),
	node(3, "fault unhealthy %s"),

	node(10, "user kills %s"),
	node(8, "user cordon %s"),
	node(4, "user uncordon %s"),
	node(4, "user taint %s key=theirs value=x effect=%s", []string{"NoSchedule", "PreferNoSchedule"}),
	node(5, "user drains %s %s", []string{"", "ends"}),
	{5, func(p *player) {
		if name := p.anyNode(); name != "" {
			p.say("user cordon %s since=%s", name, p.pick("1m", "1h"))
			p.say("user drains %s", name)
		}
	}},
	node(2, "user deletes node=%s"),
	node(3, "user protects %s"),
	node(2, "user stands-by %s"),
	node(2, "user detaches %s"),
	line(8, "user scale group=%s", []string{"+1", "-1"}),
	line(8, "user scale w0=%s", append(some, "5")),
	line(6, "user suspends %s", []string{"Launch", "ReplaceUnhealthy"}),
	line(6, "user resumes %s", []string{"Launch", "ReplaceUnhealthy"}),
	line(2, "user refreshes %s", []string{"", "over", "over"}),
	node(6, "user moves %s by=%s for=%s", []string{"autoscaler", "handler-label", "kops", "karpenter", "handler", "kured", "keeper", "asks-kops", "repair"}, spans),
	node(2, "user moves %s by=%s", []string{"autoscaler", "handler", "kured", "keeper"}),
	line(2, "user schedules night desired=%s in=%s", some, spans),
	{2, func(p *player) { p.say("user sets template=%d", 1+p.r.IntN(3)) }},
	{4, func(p *player) {
		if p.Sim.Budgets()["app/w0"] != nil {
			p.say("user %s", p.pick("deletes budget=w0", "changes budget=w0 max=2", "changes budget=w0 min=1", "changes budget=w0 max=0"))
		}
	}},
}

// weigh is the sum of the weights.
func weigh(turns []turn) (sum int) {
	for _, t := range turns {
		sum += t.weight
	}
	return sum
}

// paces changes at times how many nodes go at once, or how long one that drains may take.
func (p *player) paces(r *rand.Rand) {
	switch r.IntN(16) {
	case 0, 1:
		p.say("operator max-unavailable nodes=%d", r.IntN(6))
	case 2, 3:
		for _, id := range slices.Sorted(p.Driver.Run.Nodes.Keys()) {
			if n := p.Driver.Run.Nodes.Get(id); assess.Extendable(n) && n.Name != "" {
				p.say("operator extend node=%s", n.Name)
				return
			}
		}
	}
}

// twoMovers lets two others move a node: one has said so, the other may. Or a user lets zones be
// rebalanced again. In a cluster of kops's it lets a node of the
// control plane lose its static pods.
func (p *player) twoMovers(r *rand.Rand) {
	list := p.Sim.Alive()
	if len(list) == 0 || p.Sim.Now().Before(p.Sim.Faults.EtcdUntil) {
		return
	}
	if p.Sim.Group.Provider == "kops" {
		if p.Sim.Truth.Node("masters-1") != nil {
			p.say("user breaks masters-1 static for=%s", spans[r.IntN(len(spans))])
		}
		return
	}
	if r.IntN(3) == 0 && slices.Contains(p.Driver.Run.Suspended, "AZRebalance") && p.Sim.Group.HasSuspended("AZRebalance") {
		p.say("user resumes AZRebalance")
		return
	}
	name, span := list[r.IntN(len(list))].Name, spans[r.IntN(len(spans))]
	if n := p.Sim.Truth.Node(name); n == nil || len(n.Conditions) > 0 {
		return
	}
	p.say("user moves %s by=repair for=%s", name, span)
	p.say("user moves %s by=asks-kops for=%s", name, span)
}

// marked lets a tool label a node that it will end.
func (p *player) marked() {
	list := p.Sim.Alive()
	if p.marks == nil || len(list) == 0 || p.Sim.Now().Before(p.Sim.Faults.EtcdUntil) || p.marks.IntN(15) > 0 {
		return
	}
	if name := list[p.marks.IntN(len(list))].Name; p.Sim.Truth.Node(name) != nil {
		p.say("user moves %s by=%s for=%s", name, []string{"cyclops", "event"}[p.marks.IntN(2)], spans[p.marks.IntN(len(spans))])
	}
}

// force orders force for a node that drains.
func (p *player) force() {
	nodes := p.Driver.Run.Nodes
	for _, id := range slices.Sorted(nodes.Keys()) {
		if stage := nodes.Peek(id).Stage; (stage == record.Draining || stage == record.Updating) && nodes.Peek(id).Name != "" {
			p.say("operator force node=%s", nodes.Peek(id).Name)
			return
		}
	}
}

// anyNode is some node that is not on its way out, "" if there is none.
func (p *player) anyNode() string {
	list := p.Sim.Alive()
	if len(list) == 0 {
		return ""
	}
	m := list[p.r.IntN(len(list))]
	if p.Sim.Truth.Node(m.Name) == nil {
		return ""
	}
	return m.Name
}

// What is drawn for runs by our own rules alone (strategy drainboard), so that the seeds of others play
// what they played before there were any.

// service lets a Service lead to a workload's pods.
func (p *player) service() string {
	if p.own == nil || p.own.IntN(2) == 0 {
		return ""
	}
	return " service"
}

// single is a Deployment of one replica that its PDB keeps where it is.
func (p *player) single() {
	if p.own == nil || p.own.IntN(3) == 0 {
		return
	}
	pick := func(of ...string) string { return of[p.own.IntN(len(of))] }
	p.say("workload s0 replicas=1 stop=%ds ready=%ds %s", p.own.IntN(8), 1+p.own.IntN(5), pick("", "", "", "", "holder=Flux", "recreate", "scale-denied", "never-ready", "crashes-on=v1.32"))
	p.say("budget s0 %s", pick("min=1", "min=1", "min=100%", "max=0"))
}

// ownAsks is what the user asks for beside what is asked of all.
func (p *player) ownAsks() {
	if p.own == nil {
		return
	}
	pick := func(of ...string) string { return of[p.own.IntN(len(of))] }
	p.say("settings max-surge=%s max-unavailable=%s post-drain-wait=%s on-trouble=%s",
		pick("1", "1", "2", "3", "50%", "100%"), pick("0", "0", "1", "2", "50%"), pick("60s", "20s", "5s", "2s"), pick("hold", "pause"))
	if p.own.IntN(4) == 0 {
		p.say("settings singles=false")
	}
	p.say("timing routes=%dms", p.own.IntN(9000))
	if p.Sim.Group.Provider == "kops" {
		p.say("settings interval=%ds validate-count=%d validate-pause=%ds validate-retry=%ds validate-timeout=%ds %s",
			p.own.IntN(15), 1+p.own.IntN(3), 1+p.own.IntN(5), 2+p.own.IntN(8), 60+p.own.IntN(120), pick("", "", "", "", "", "", "", "pass-invalid"))
	}
	if p.own.IntN(4) == 0 {
		p.say("balancer takes=%ds %s", p.own.IntN(20), pick("", "follows", "follows"))
	}
}

// ownTurns are what may happen besides.
var ownTurns = []turn{
	line(8, "fault lose kind=routes count=%s", some),
	line(4, "fault lose kind=balancers count=%s", some),
	line(4, "fault refuse kind=balancers as=%s count=%s", []string{"busy", "forbidden"}, some),
	line(3, "crash %s kind=balancers for=%s", []string{"before-act", "mid-act", "after-act"}, spans),
	line(8, "fault refuse kind=routes as=%s count=%s", []string{"busy", "forbidden"}, some),
	line(6, "timing routes=%s", []string{"0s", "3s", "12s", "2m"}),
	line(6, "fault lose kind=%s count=%s", []string{"scale", "look-owner"}, some),
	line(4, "fault drop kind=scale count=%s", some),
	line(6, "fault refuse kind=%s as=%s count=%s", []string{"scale", "look-owner"}, []string{"busy", "forbidden"}, some),
	line(6, "crash %s kind=scale for=%s", []string{"before-save", "before-act", "mid-act", "after-act"}, spans),
	{4, func(p *player) {
		if p.Sim.Budgets()["app/s0"] != nil {
			p.say("user scale s0=%s", p.pick("0", "1", "2", "3"))
		}
	}},
	line(3, "crash %s kind=routes for=%s", []string{"before-act", "mid-act", "after-act"}, spans),
}
