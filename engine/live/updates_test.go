package live

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/sim/check/words"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

var updatesFlag = flag.Uint64("updates", 100, "how many seeds of updates of managed node groups to follow, from -from on")

// TestFollowedUpdates follows updates of managed node groups that a worker of the test carries
// out (eksWorker): begun at any moment, seen late, through throttling, errors and a status that
// nobody knows, by watches that end and begin again. What is told is held against what the
// worker does.
func TestFollowedUpdates(t *testing.T) {
	from, seeds, start := *fromFlag, *updatesFlag, time.Now()
	t.Logf("plays seeds %d to %d", from, from+seeds-1)
	told, failed := map[string]int{}, 0
	for seed := from; seed < from+seeds && failed < 3; seed++ {
		p := newUpdatePlay(seed)
		p.play()
		for _, broken := range p.broken {
			t.Errorf("seed %d: %s", seed, broken)
		}
		if len(p.broken) > 0 {
			failed++
			t.Logf("play it again: go test ./engine/live -run TestFollowedUpdates -from=%d -updates=1", seed)
		}
		for what, n := range p.told {
			told[what] += n
		}
	}
	t.Logf("seeds %d to %d in %s: %v", from, from+seeds-1, time.Since(start).Round(time.Second), told)
	if seeds >= 100 && !t.Failed() {
		for _, what := range []string{"setup", "scale up", "upgrade", "scale down", "draining", "candidates", "exit 0", "exit 1", "exit 4", "exit 5", "blind", "restarted", "found over", "ended by others", "may be at more"} {
			if told[what] == 0 && (what != "exit 1" || seeds >= 300) { // three in a hundred come to that
				t.Errorf("no seed has come to: %s", what)
			}
		}
	}
}

// updatePlay is one update and who follows it.
type updatePlay struct {
	k      *eksWorker
	rand   *rand.Rand
	w      *Watch
	now    time.Time
	news   []eksNews
	lag    time.Duration
	broken []string
	told   map[string]int

	nextPoll, nextUpdate time.Time
	managed              *world.ManagedGroup
	// blind is until when the Kubernetes API, AWS, or EKS alone is not read.
	blind map[string]time.Time
	// fresh is when the slowest of them was read last.
	clusterFresh, cloudFresh, updateFresh time.Time
	together                              time.Time
	visible                               map[string]time.Time // nodes, by since when an eviction on them can be seen
	early                                 time.Time            // since when candidates are named, and none of them was picked
	runs                                  int
	dimmed                                time.Time // when something was not read
	came                                  time.Time // when the watch began to follow the update
	replacing                             time.Time // when MINIMAL may last have waited for replacements
	unread                                time.Time // when EKS's updates could last not be read
	unknown                               time.Time // since when the update's status is seen to be one that nobody knows
}

// unknownStatus is a status that EKS does not document.
const unknownStatus = "Hibernating"

// eksNews is a change that the Kubernetes API tells, and when.
type eksNews struct {
	at     time.Time
	change func(*world.World)
}

type playClock struct{ p *updatePlay }

func (c playClock) Now() time.Time      { return c.p.now }
func (c playClock) Skew() time.Duration { return 0 }

func newUpdatePlay(seed uint64) *updatePlay {
	p := &updatePlay{rand: rand.New(rand.NewPCG(seed, 23)), now: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC), told: map[string]int{}, blind: map[string]time.Time{}, visible: map[string]time.Time{}}
	p.lag = time.Duration(p.rand.Int64N(int64(1500 * time.Millisecond)))
	p.k = newEKSWorker(seed, p.now, func(change func(*world.World)) { p.news = append(p.news, eksNews{p.now, change}) })
	return p
}

func (p *updatePlay) breaks(format string, args ...any) {
	if len(p.broken) < 5 {
		p.broken = append(p.broken, p.now.Format("15:04:05.0 ")+fmt.Sprintf(format, args...))
	}
}

const (
	// longest is how long an update takes at most with the times that seeds draw.
	longest = 24 * time.Hour
	// afterEnd is how long after its end, or after the last fault, a watch may continue.
	afterEnd = 90 * time.Second
	// late is how much later than it happens a thing is told at most.
	late = 12 * time.Second
)

// attach begins a new watch, which reads the cluster first.
func (p *updatePlay) attach() {
	p.runs++
	w := &Watch{World: world.New(), Queue: &FeedQueue{}, Clock: playClock{p}, Rules: strategy.Named, Idle: strategy.EKS{}, Follow: strategy.EKSManaged{},
		NewID: func(time.Time) string { return fmt.Sprint("run-", p.runs) }, Publish: func(*snapshot.Snapshot) {}}
	w.Began = func(record.Run) { p.came = p.now }
	w.Decided = func(before record.Run, d engine.Decision) { p.decided(before, d) }
	repeats := words.Repeats{} // a new watch tells what it finds
	w.Events = func(list []record.Event) {
		for _, e := range list {
			if why := words.Wrong(e, p.now); why != "" {
				p.breaks("%s of %q (%s): %s: %q", e.Type, e.Node, e.Reason, why, e.Message)
			}
			if why := p.k.wrongQuiet(e, p.came, p.k.retried); why != "" {
				p.breaks("%s: %q", why, e.Message)
			}
			if why := wrongOwner(e); why != "" {
				p.breaks("%s: %q", why, e.Message)
			}
			if repeats.Often(e, p.now) {
				p.breaks("%s of %q is told over and over: %q", e.Type, e.Node, e.Message)
			}
		}
	}
	w.init()
	w.World.SetDaemonSets([]string{"agent"})
	p.w, p.managed, p.nextPoll, p.nextUpdate = w, nil, p.now, p.now
	p.blind = map[string]time.Time{}
	for _, m := range p.k.machines {
		if m.node != nil {
			w.World.SetNode(m.node)
		}
	}
	for _, pod := range p.k.pods {
		w.World.SetPod(pod)
	}
	for _, b := range p.k.budgets {
		w.World.SetBudget(b)
	}
	p.news, p.visible = nil, map[string]time.Time{}
}

// play is the update from before its beginning until it was told how it ended.
func (p *updatePlay) play() {
	begins := time.Duration(p.rand.Int64N(int64(time.Minute)))
	comes := time.Duration(p.rand.Int64N(int64(20 * time.Minute)))
	if p.rand.IntN(2) == 0 {
		comes = 0
	}
	start, over := p.now, time.Time{}
	for {
		p.k.advance()
		p.now = p.k.now
		since := p.now.Sub(start)
		if p.k.status == "" && since >= begins {
			p.k.begin()
			defer p.k.endStep()
		}
		if over.IsZero() && p.k.status != "" && p.k.status != world.UpdateRuns {
			over = p.now
		}
		if p.w == nil && since >= comes {
			p.attach()
		}
		if p.w == nil {
			continue
		}
		if p.rand.IntN(4000) == 0 && over.IsZero() { // the process ends, and another one is started
			p.told["restarted"]++
			p.attach()
		}
		if over.IsZero() {
			p.fault()
		}
		p.read()
		p.note()
		p.w.publish(context.Background())
		p.check()
		run := p.w.Followed()
		switch {
		case len(p.broken) > 0 || run.State == record.Finished:
			p.ended(run, over)
			return
		case !over.IsZero() && run.ID == "" && p.now.Sub(p.k.began) > recently && p.now.Sub(over) > late:
			return // nobody was there in time
		case !over.IsZero() && p.now.Sub(over) > 10*time.Minute+afterEnd:
			p.breaks("the update ended at %s, and the watch continues: %s", over.Format(time.TimeOnly), run.State)
		case since > longest:
			p.breaks("the update does not end")
		}
	}
}

// fault begins a fault now and then.
func (p *updatePlay) fault() {
	if p.rand.IntN(600) != 0 {
		return
	}
	what := []string{"cluster", "cloud", "eks", "status"}[p.rand.IntN(4)]
	p.told["blind"]++
	p.blind[what] = p.now.Add(time.Duration(p.rand.Int64N(int64(5 * time.Minute))))
}

func (p *updatePlay) isBlind(what string) bool { return p.now.Before(p.blind[what]) }

// read takes in what can be read now: the Kubernetes API tells everything a little later, AWS is
// asked every few seconds.
func (p *updatePlay) read() {
	if p.isBlind("cluster") {
		p.w.World.SetHealth(world.Cluster, world.Health{Fresh: p.clusterFresh, Problem: "the API answers 503"})
	} else {
		p.clusterFresh = p.now
		p.deliver()
		for _, source := range []world.Source{world.Cluster, world.Nodes} {
			p.w.World.SetHealth(source, world.Health{Fresh: p.now})
		}
	}
	if p.now.Before(p.nextPoll) {
		return
	}
	p.nextPoll = p.now.Add(7 * time.Second)
	for _, m := range p.k.machines {
		if m.State != world.MachineInService {
			p.nextPoll = p.now.Add(1500 * time.Millisecond)
		}
	}
	if p.isBlind("cloud") {
		p.w.World.SetHealth(world.Cloud, world.Health{Fresh: p.cloudFresh, Problem: "ExpiredToken"})
		return
	}
	p.cloudFresh = p.now
	p.readGroup()
}

// deliver applies what the Kubernetes API has told by now.
func (p *updatePlay) deliver() {
	for len(p.news) > 0 && !p.news[0].at.Add(p.lag).After(p.now) {
		p.news[0].change(p.w.World)
		p.news = p.news[1:]
	}
}

// readGroup is one read of the Auto Scaling group, and what of EKS is due.
func (p *updatePlay) readGroup() {
	k := p.k
	g := world.Group{Name: "web", Provider: "eks", Template: world.Template{ID: "lt", Version: k.template}, Image: image(k.template), Sizes: world.Sizes{Max: k.most, Desired: k.desired}, Activities: slices.Clone(k.activities)}
	if k.template == 4 && !k.retried {
		g.Template.Version, g.Image = 1, image(1)
	}
	for z := range k.zones {
		g.Zones = append(g.Zones, fmt.Sprint("z", z))
	}
	m := world.ManagedGroup{Cluster: "prod", Name: "web", AutoScalingGroup: "eks-web", MaxUnavailable: fmt.Sprint(k.atOnce), Minimal: k.minimal}
	release := "1.32.1-9"
	if k.recommended {
		m.Recommended, m.RecommendedImage = release, image(5)
	}
	if p.managed != nil {
		m.Update, m.UpdatesKnown, m.UpdatesUnread, m.Unread = p.managed.Update, p.managed.UpdatesKnown, p.managed.UpdatesUnread, p.managed.Unread
	}
	switch {
	case p.now.Before(p.nextUpdate):
	case p.isBlind("eks"):
		m.UpdatesUnread = "its updates cannot be read: ThrottlingException"
		m.Unread = m.UpdatesUnread
		p.nextUpdate = p.now.Add(3 * time.Second)
	default:
		p.nextUpdate, p.updateFresh = p.now.Add(3*time.Second), p.now
		m.UpdatesKnown, m.UpdatesUnread, m.Unread = true, "", ""
		if k.status != "" {
			u := world.ManagedUpdate{ID: "u-1", Kind: world.VersionUpdate, Status: k.status, Since: k.began, Release: release, Errors: k.errors}
			if p.isBlind("status") && k.status == world.UpdateRuns {
				u.Status = unknownStatus
			}
			m.Update = &u
		}
	}
	p.managed = &m
	g.Managed = &m
	var machines []world.Machine
	for _, one := range k.machines {
		machines = append(machines, one.Machine)
	}
	p.w.World.SetGroup(g)
	p.w.World.SetMachines(machines)
	p.w.World.SetHealth(world.Cloud, world.Health{Fresh: p.now})
}

// seeing is the moment from which on what is told has to be true: before the slowest read, as of
// when the cluster and AWS were last seen together.
func (p *updatePlay) seeing() time.Time { return p.together.Add(-late) }

// note keeps how old the picture is, while the cluster and the cloud are both seen.
func (p *updatePlay) note() {
	if p.now.Sub(p.clusterFresh) > 0 || p.now.Sub(p.cloudFresh) > 8*time.Second {
		return
	}
	p.together = p.clusterFresh
	for _, o := range []time.Time{p.cloudFresh, p.updateFresh} {
		if o.Before(p.together) {
			p.together = o
		}
	}
}

// decided holds one decision: it asks for nothing.
func (p *updatePlay) decided(before record.Run, d engine.Decision) {
	if len(d.Actions) > 0 {
		p.breaks("it asks for %+v", d.Actions)
	}
}

// check holds what is told now against what the worker does.
func (p *updatePlay) check() {
	run := p.w.Followed()
	if run.ID == "" || run.State == record.Finished {
		return
	}
	p.checkPhase(run)
	there := map[string]*eksMachine{}
	for _, m := range p.k.machines {
		there[m.ID] = m
	}
	for id, n := range run.Nodes.All() {
		p.checkNode(run, n, there[id])
	}
	p.checkCandidates(run)
	p.checkStatus(run)
	p.checkSeen(run)
	p.checkCounts(run)
}

// checkCounts: how many machines were to be replaced and how many are is right, also for who came late.
func (p *updatePlay) checkCounts(run record.Run) {
	if p.dim() || p.now.Sub(p.came) < late || p.k.retried {
		return // what a failed update has left is told by labels and not by activities
	}
	if i := slices.IndexFunc(p.k.phases, func(ph eksPhase) bool { return ph.name != "setup" }); !p.k.recommended && (i < 0 || p.k.phases[i].start.After(p.seeing())) {
		return // what it goes to is not known before the template is changed
	}
	least, most := 0, 0
	for _, gone := range p.k.olds {
		if !gone.IsZero() {
			most++
			if gone.Before(p.seeing().Add(-assess.MissingFor)) {
				least++
			}
		}
	}
	if done, total := run.Outdated(); done < least || done > most || total != len(p.k.olds) {
		p.breaks("%d of %d are told as replaced, and it is %d to %d of %d: %s", done, total, least, most, len(p.k.olds), p.nodes(run))
	}
}

// checkStatus: a status of the update's that nobody knows is told.
func (p *updatePlay) checkStatus(run record.Run) {
	m := p.w.World.Group.Managed
	if m == nil || m.Update == nil || m.Update.Status != unknownStatus || p.now.Sub(p.clusterFresh) > 0 || p.now.Sub(p.cloudFresh) > 8*time.Second {
		p.unknown = time.Time{}
		return
	}
	if p.unknown.IsZero() {
		p.unknown = p.now
	}
	if p.now.Sub(p.unknown) > late && !slices.ContainsFunc(run.Notes, func(note string) bool { return strings.Contains(note, unknownStatus) }) {
		p.breaks("the update is %s since %s, and that is not told: %q", unknownStatus, p.unknown.Format(time.TimeOnly), run.Notes)
	}
}

// dim reports whether something is not read, or was not a moment ago.
func (p *updatePlay) dim() bool {
	if p.now.Sub(p.clusterFresh) > 0 || p.now.Sub(p.cloudFresh) > 8*time.Second {
		p.dimmed = p.now
	}
	return p.now.Sub(p.dimmed) < late
}

func (p *updatePlay) checkPhase(run record.Run) {
	i := slices.IndexFunc(run.Phases, func(ph record.Phase) bool { return !ph.Start.IsZero() && ph.End.IsZero() })
	if i < 0 {
		return
	}
	phase := run.Phases[i].Name
	p.told[phase]++
	if p.k.retried && (p.k.phase == "setup" && phase == "scale up" || p.k.phase == "scale down" && phase == "setup") {
		return // what a failed update has left looks like that of this one
	}
	for i, is := range p.k.phases {
		if i == len(p.k.phases)-1 && is.name == phase {
			return // also after its end: nodes may still be listed
		}
		if is.name == phase && (is.end.IsZero() || !is.end.Before(p.seeing())) {
			return
		}
	}
	if last := p.k.phases[len(p.k.phases)-1]; p.k.status == string(world.UpdateFailed) && p.came.Add(late).After(last.end) {
		return // it had failed before the watch saw it, and its marks were off
	}
	if p.othersEndAll() {
		return // their marks may be EKS's, or those with which it drains what others end: nothing tells
	}
	if phase == "scale down" && len(p.k.old()) == 0 {
		return // the worker is about to notice
	}
	p.breaks("phase %q is told, the worker's are %s: %s", phase, p.k.said(), p.nodes(run))
}

func (p *updatePlay) checkNode(run record.Run, n record.Node, m *eksMachine) {
	sees := p.now.Sub(p.clusterFresh) <= 0 && p.now.Sub(p.cloudFresh) <= 8*time.Second
	if node := p.w.World.Node(n.Name); sees && node != nil && strings.Contains(n.Reason, string(world.MoverEKSRepair)) && slices.ContainsFunc(node.Taints, func(t world.Taint) bool { return t.Key == eksGroupLabel }) {
		p.breaks("%s is told as %s (%s), and the update has marked it", n.Name, n.Stage, n.Reason)
	}
	switch n.Stage {
	case record.Draining, record.Settling:
		p.told["draining"]++
		if slices.Contains(run.Candidates, n.Name) || n.Reason == systems.Candidate(string(world.MoverEKS), 1) {
			return // see checkCandidates
		}
		if _, picked := p.k.picked[n.Name]; !picked && !p.k.ending[n.Name] {
			p.breaks("%s is told as %s (%s), and was not picked", n.Name, n.Stage, n.Reason)
		}
	case record.Terminating:
		if m == nil {
			return
		}
		if !m.Leaving() {
			p.breaks("%s is told to terminate, and does not", n.Name)
		}
		why := p.k.why[m.ID]
		others, end := why != world.EndRequested, systems.EKSEnds(string(why), "")
		if others {
			p.told["ended by others"]++
		}
		read := slices.ContainsFunc(p.w.World.Group.Activities, func(a world.Activity) bool { return a.Ends == m.ID })
		if read && !p.dim() && others && n.Reason != end {
			p.breaks("%s is told to terminate because %q, and it is %q", n.Name, n.Reason, end)
		}
	case record.Replaced:
		if m != nil && !m.Leaving() {
			p.breaks("%s is told as replaced, and is there", n.Name)
		}
	}
}

// checkCandidates: one of the nodes that are named was picked, and is not gone for long. Beside nodes that
// are known to be under way they are no more than EKS takes at once.
func (p *updatePlay) checkCandidates(run record.Run) {
	if run.MoreDrains > 0 && len(run.Candidates) == 0 {
		p.breaks("EKS may be at %d more nodes, and none is named", run.MoreDrains)
	}
	if len(run.Candidates) == 0 || p.dim() {
		p.early = time.Time{}
		return
	}
	p.told["candidates"]++
	if run.MoreDrains > 0 {
		p.told["may be at more"]++
		if known := p.underWay(run); known == 0 && !p.ends(run) || known+run.MoreDrains > p.k.atOnce {
			p.breaks("EKS may be at %d more nodes, %d are known and it takes %d at once: %s", run.MoreDrains, known, p.k.atOnce, p.nodes(run))
		}
		p.early = time.Time{}
		return
	}
	for _, name := range run.Candidates {
		if _, picked := p.k.picked[name]; picked {
			return
		}
	}
	if p.early.IsZero() {
		p.early = p.now
	}
	if p.now.Sub(p.early) < 5*time.Second {
		return // it is about to pick the first one
	}
	p.breaks("%q are named as those that EKS may be at: %s", run.Candidates, p.nodes(run))
}

// othersEndAll reports whether others end each old machine that is still there, shown or not yet, or have ended all
// of them.
func (p *updatePlay) othersEndAll() bool {
	ended, ends := 0, 0
	for id := range p.k.olds {
		m, why := p.w.World.Machine(id), p.k.why[id]
		others := why != "" && why != world.EndRequested
		switch {
		case m == nil && others:
			ended++
		case m == nil:
		case !others:
			return false
		default:
			ends++
		}
	}
	return ends > 0 || ended > 0 && ended == len(p.k.olds)
}

// underWay is how many of the nodes to replace are told as under way.
func (p *updatePlay) underWay(run record.Run) (n int) {
	for id, node := range run.Nodes.All() {
		if slices.Contains(run.Candidates, node.Name) && node.Reason == systems.Candidate(string(world.MoverEKS), 1) {
			continue // EKS had to be at it until another one came further: it is told as under way up to the next decision
		}
		if why, ends := p.k.why[id]; ends && why != world.EndRequested && p.w.World.NodeOf(id) == nil {
			continue // others end a machine that EKS is not at
		}
		if _, old := p.k.olds[id]; old && slices.Contains([]record.Stage{record.Draining, record.Settling, record.Terminating}, node.Stage) {
			n++
		}
	}
	return n
}

// ends reports whether an old node is told to terminate: who has ended its machine a watch need not know.
func (p *updatePlay) ends(run record.Run) bool {
	for id, node := range run.Nodes.All() {
		if _, old := p.k.olds[id]; old && node.Stage == record.Terminating {
			return true
		}
	}
	return false
}

// checkSeen: what can be seen is told. A node where evicted pods terminate is under way, and where
// nothing moves because PDBs keep all pods of the nodes that were picked, each of them is named.
func (p *updatePlay) checkSeen(run record.Run) {
	if p.dim() || p.now.Sub(p.dimmed) < 3*late || p.now.Sub(p.k.began) < late || p.now.Sub(p.came) < late {
		p.visible = map[string]time.Time{}
		return
	}
	stages := map[string]record.Stage{}
	for _, n := range run.Nodes.All() {
		stages[n.Name] = n.Stage
	}
	stuck := !p.k.awaits && p.k.phase == "upgrade" && p.now.Sub(p.k.moved) > 100*time.Second
	for _, m := range p.k.machines {
		stuck = stuck && !m.Leaving()
	}
	if p.k.minimal && p.k.serving() < p.k.desired {
		p.replacing = p.now // it may be waiting for the replacements: who looks cannot tell
	}
	if p.w.World.Group.Managed.UpdatesUnread != "" {
		p.unread = p.now // the update may be over
	}
	stuck = stuck && p.now.Sub(p.replacing) > late && p.now.Sub(p.unread) > late
	kept := 0
	for name := range p.k.picked {
		left := p.k.leaving(name)
		kept += len(left)
		if len(left) > 0 && slices.ContainsFunc(left, func(o *world.Pod) bool { return o.Evicted }) {
			if p.visible[name].IsZero() {
				p.visible[name] = p.now
			}
			if stage := stages[name]; p.now.Sub(p.visible[name]) > late && (stage == record.Outdated || stage == record.Ready) {
				p.breaks("pods are evicted from %s since %s, and it is told as %s", name, p.visible[name].Format(time.TimeOnly), stage)
			}
		} else {
			delete(p.visible, name)
		}
		stuck = stuck && !slices.ContainsFunc(left, func(o *world.Pod) bool { return o.Terminating() || !p.k.held(o) })
	}
	if !stuck || kept == 0 || p.k.status != world.UpdateRuns {
		return
	}
	for _, name := range p.k.names() {
		told := slices.Contains([]record.Stage{record.Draining, record.Settling, record.Terminating}, stages[name]) || slices.Contains(run.Candidates, name)
		if !told && len(p.k.leaving(name)) > 0 {
			p.breaks("nothing moves since %s, and %s is not named: %s", p.k.moved.Format(time.TimeOnly), name, p.nodes(run))
		}
	}
}

// TestStuckBesideReplacement: MINIMAL waits for the replacements of a round before the next one.
// While one is not Ready, who looks cannot tell that wait from a drain that is stuck.
func TestStuckBesideReplacement(t *testing.T) {
	p := newUpdatePlay(1)
	p.now = p.now.Add(10 * time.Minute)
	k := p.k
	k.now, k.began, k.moved = p.now, p.now.Add(-9*time.Minute), p.now.Add(-5*time.Minute)
	k.minimal, k.status, k.phase, k.desired, k.machines, k.pods = true, world.UpdateRuns, "upgrade", 2, nil, nil
	old, fresh := k.launch(0), k.launch(0)
	k.joins(old, p.now.Add(-time.Hour))
	k.ready(old)
	k.joins(fresh, p.now.Add(-4*time.Minute))
	k.picked[old.node.Name] = p.now.Add(-8 * time.Minute)
	k.budgets = []*world.Budget{{Namespace: "shop", Name: "web", Desired: 1, Healthy: 1, Expected: 1}}
	k.pods = []*world.Pod{{UID: "uid", Namespace: "shop", Name: "web", Node: old.node.Name, Phase: world.PodRunning, Ready: true, Labels: map[string]string{"app": "web"}}}
	p.attach()
	p.read()
	run := record.Run{Nodes: shards.Of(map[string]record.Node{old.ID: {Name: old.node.Name, Stage: record.Outdated}})}
	look := func() []string {
		p.clusterFresh, p.cloudFresh = p.now, p.now
		p.checkSeen(run)
		return p.broken
	}
	if broken := look(); len(broken) > 0 {
		t.Errorf("while the replacement is not Ready: %q", broken)
	}
	k.ready(fresh)
	p.now = p.now.Add(late + time.Second)
	if broken := look(); len(broken) != 1 {
		t.Errorf("no node is named, and that is not noticed: %q", broken)
	}
}

// TestPhaseWhereOthersEndAll: where others end all the machines to replace, nothing tells in which phase EKS is.
// One that they leave, or that ended on request, does.
func TestPhaseWhereOthersEndAll(t *testing.T) {
	const unseen = world.EndRebalance
	for _, c := range []struct {
		name      string
		there     bool // the first of two old machines is still listed; the other one is gone, ended by others
		why       world.EndCause
		underTold bool
	}{
		{"others end the last", true, world.EndScaledIn, false},
		{"others end the last, which no read shows yet", true, unseen, false},
		{"others have ended both", false, world.EndUnhealthy, false},
		{"one stays", true, "", true},
		{"EKS ends the last", true, world.EndRequested, true},
		{"EKS has ended one", false, world.EndRequested, true},
	} {
		p := newUpdatePlay(1)
		start := p.now
		p.now = start.Add(10 * time.Minute)
		k := p.k
		k.now, k.began, k.status, k.phase, k.machines, k.pods = p.now, start, world.UpdateRuns, "scale down", nil, nil
		k.phases = []eksPhase{{"setup", start, start.Add(time.Minute)}, {"scale up", start.Add(time.Minute), start.Add(3 * time.Minute)}, {"upgrade", start.Add(3 * time.Minute), start.Add(3 * time.Minute)}, {"scale down", start.Add(3 * time.Minute), time.Time{}}}
		old := k.launch(0)
		k.olds, k.why = map[string]time.Time{old.ID: {}, "i-gone": start.Add(time.Minute)}, map[string]world.EndCause{"i-gone": world.EndScaledIn}
		if c.why != "" {
			k.why[old.ID] = c.why
			if c.why != unseen {
				old.State = world.MachineTerminating
			}
		}
		if !c.there {
			k.machines = nil
		}
		p.attach()
		p.read()
		p.together = p.now
		p.checkPhase(record.Run{Phases: []record.Phase{{Name: "scale up", Start: start.Add(time.Minute)}}})
		if broken := len(p.broken) > 0; broken != c.underTold {
			t.Errorf("%s, and scale up is told in scale down: %q", c.name, p.broken)
		}
	}
}

// TestGuessIsNotUnderWay: a node that EKS had to be at may be one of those that it can be at beside another,
// from the moment in which that comes further. It is told as drained until the next decision. One that was
// seen to drain counts.
func TestGuessIsNotUnderWay(t *testing.T) {
	for reason, breaks := range map[string]bool{systems.Candidate(string(world.MoverEKS), 1): false, text.EKSDrains: true} {
		p := newUpdatePlay(1)
		p.now = p.now.Add(10 * time.Minute)
		k := p.k
		k.now, k.began, k.status, k.atOnce, k.machines, k.pods = p.now, p.now.Add(-9*time.Minute), world.UpdateRuns, 2, nil, nil
		guess, moves := k.launch(0), k.launch(0)
		k.olds = map[string]time.Time{guess.ID: {}, moves.ID: {}}
		p.attach()
		p.read()
		p.clusterFresh, p.cloudFresh = p.now, p.now
		p.checkCandidates(record.Run{Candidates: []string{"guess"}, MoreDrains: 1, Nodes: shards.Of(map[string]record.Node{
			guess.ID: {Name: "guess", Stage: record.Draining, Reason: reason}, moves.ID: {Name: "moves", Stage: record.Terminating},
		})})
		if broken := len(p.broken) > 0; broken != breaks {
			t.Errorf("a node told as draining, %q: %q", reason, p.broken)
		}
	}
}

// TestPhaseOfFailedUpdate: in which phase an update has failed cannot be seen once it has. A watch that
// came in time has to tell it.
func TestPhaseOfFailedUpdate(t *testing.T) {
	for _, c := range []struct {
		name   string
		came   time.Duration // from the failure on
		breaks bool
	}{
		{"after the failure", 5 * time.Second, false},
		{"seconds before it", 2*time.Second - late, false},
		{"in time", -late - time.Second, true},
	} {
		p := newUpdatePlay(1)
		start := p.now
		failed := start.Add(10 * time.Minute)
		p.now = failed.Add(2 * late)
		k := p.k
		k.now, k.began, k.status, k.phase = p.now, start, world.UpdateFailed, "upgrade"
		k.phases = []eksPhase{{"setup", start, start.Add(time.Minute)}, {"scale up", start.Add(time.Minute), start.Add(3 * time.Minute)}, {"upgrade", start.Add(3 * time.Minute), failed}}
		p.attach()
		p.read()
		p.came, p.together = failed.Add(c.came), p.now
		p.checkPhase(record.Run{Phases: []record.Phase{{Name: "scale up", Start: p.came}}})
		if broken := len(p.broken) > 0; broken != c.breaks {
			t.Errorf("a watch that came %s tells scale up: %q", c.name, p.broken)
		}
	}
}

// said are the phases, with when each began.
func (k *eksWorker) said() (out string) {
	for _, ph := range k.phases {
		out += ph.start.Format(ph.name + " from 15:04:05.0 ")
	}
	return out + k.status
}

// nodes says how the machines stand, and how they are told to.
func (p *updatePlay) nodes(run record.Run) string {
	told := map[string]record.Stage{}
	for _, n := range run.Nodes.All() {
		told[n.Name] = n.Stage
	}
	r := assess.NewReader(strategy.EKSManaged{}, p.now, p.w.World, run)
	return fmt.Sprintf("%s\nwhat is seen: %+v", p.k.nodes(told), strategy.Picture(&r))
}

func (k *eksWorker) nodes(told map[string]record.Stage) (out string) {
	for _, m := range k.machines {
		out += fmt.Sprintf("\n%s %s template %d, %s", m.ID, m.Zone, m.Template.Version, m.State)
		if m.node == nil {
			continue
		}
		left := k.leaving(m.node.Name)
		held := 0
		for _, p := range left {
			if k.held(p) {
				held++
			}
		}
		out += fmt.Sprintf(", Ready %v, marked %v, %d of %d pods held, picked %v, told as %s", m.node.Ready, m.marked, held, len(left), !k.picked[m.node.Name].IsZero(), told[m.node.Name])
	}
	return out
}

// names are the nodes that were picked and are still there.
func (k *eksWorker) names() (out []string) {
	for _, m := range k.machines {
		if m.node != nil {
			if _, was := k.picked[m.node.Name]; was {
				out = append(out, m.node.Name)
			}
		}
	}
	return out
}

// ended holds how a watch ended against how the update did.
func (p *updatePlay) ended(run record.Run, over time.Time) {
	if len(p.broken) > 0 {
		return
	}
	if over.IsZero() {
		p.breaks("the watch ends with %s, and the update is under way", run.Result)
		return
	}
	want := 0
	if p.k.status != world.UpdateSucceeded {
		want = map[string]int{"PodEvictionFailure": 4, "NodeCreationFailure": 5}[p.k.end]
		if want == 0 {
			want = 1
		}
	}
	if code := run.ExitCode(); code != want {
		p.breaks("the update ended %s %s, and the watch with %d: %s; %q", p.k.status, p.k.end, code, run.Why, run.Notes)
	}
	p.told[fmt.Sprint("exit ", want)]++
	if done, total := run.Outdated(); want == 0 && done < total && !p.dim() && p.now.Sub(over) < late {
		p.breaks("it ends with %d of %d nodes told as replaced, %s after the update: %s", done, total, p.now.Sub(over), p.nodes(run))
	}
	if run.Started.Equal(p.k.began) && len(run.Phases) > 0 && run.Phases[0].Start.IsZero() {
		p.told["found over"]++
	}
}
