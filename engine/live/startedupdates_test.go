package live

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/check/words"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

var startedFlag = flag.Uint64("started", 200, "how many seeds of updates of managed node groups to start, from -from on")

// TestStartedUpdates has EKS start updates of managed node groups (eksService), with configurations that are set and restored,
// retries, help and single replicas; beside users who update the group themselves, scale Deployments and change PDBs, and
// operators who force pods and abort. Requests and answers are lost, the process is killed at any boundary, what is read is
// late or cannot be read. What is asked for, and how it ends, is held against what EKS has done.
func TestStartedUpdates(t *testing.T) {
	from, seeds, start := *fromFlag, *startedFlag, time.Now()
	t.Logf("plays seeds %d to %d", from, from+seeds-1)
	told, failed := map[string]int{}, 0
	for seed := from; seed < from+seeds && failed < 3; seed++ {
		p := newStartedPlay(seed)
		p.play()
		for _, broken := range p.broken {
			t.Errorf("seed %d: %s", seed, broken)
		}
		if len(p.broken) > 0 && seeds == 1 {
			for _, line := range p.log {
				t.Log(line)
			}
		}
		if len(p.broken) > 0 {
			failed++
			t.Logf("play it again: go test ./engine/live -run TestStartedUpdates -from=%d -started=1", seed)
		}
		for what, n := range p.told {
			told[what] += n
		}
	}
	t.Logf("seeds %d to %d in %s: %v", from, from+seeds-1, time.Since(start).Round(time.Second), told)
	if seeds >= 200 && !t.Failed() {
		for _, what := range []string{"exit 0", "exit 1", "exit 3", "exit 4", "started again", "attached", "refused", "configured", "restored", "helped", "forced", "single raised", "single restored", "killed", "request lost", "answer lost", "request late", "resumed after a failure", "ended after a failure"} {
			if told[what] == 0 {
				t.Errorf("no seed has come to: %s", what)
			}
		}
		if seeds >= 1000 && told["restored by the next"] == 0 {
			t.Errorf("no run has restored what another one has left")
		}
	}
}

// startedPlay is a run that has EKS start an update, and the world around it.
type startedPlay struct {
	e       *eksService
	rand    *rand.Rand
	seed    uint64
	now     time.Time
	broken  []string
	told    map[string]int
	log     []string // what happened, for a seed that breaks a rule
	repeats words.Repeats

	// The process; w is nil while none is there.
	w                                *world.World
	run                              record.Run
	in                               engine.Inputs
	wake                             time.Time
	dirty                            bool
	wrote                            time.Time
	flying                           []*flight
	born                             time.Time
	news                             []eksNews
	lag                              time.Duration
	blind                            map[string]time.Time
	clusterFresh, cloudFresh         time.Time
	nextPoll, nextUpdates, nextGroup time.Time
	changed                          bool // EKS was asked for something since its updates were read
	read                             world.ManagedGroup
	configRead                       string

	saved   []byte // the record
	kills   int    // how often the process may still be killed
	quiet   bool   // no more faults, and no more users
	aborted time.Time
	forces  map[string]bool // pods that an operator has forced, "" with a node before it for all of that node
	request record.UpdateRequest
	chain   int
	again   int // how often the operator has had a failed update start again
	// failures are the updates that were told to have failed, by whether the present process has told it.
	failures map[string]bool
}

// flight is an action under way: when it arrives, and when its answer does.
type flight struct {
	a                record.Action
	arrives, answers time.Time
	gives            time.Time // when the process gives it up, zero for never
	loses            string    // "request", "answer", or "" for none
	out              record.Outcome
	done             bool
}

func newStartedPlay(seed uint64) *startedPlay {
	p := &startedPlay{seed: seed, rand: rand.New(rand.NewPCG(seed, 31)), now: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC), told: map[string]int{}, blind: map[string]time.Time{}, forces: map[string]bool{}, failures: map[string]bool{}}
	p.lag = time.Duration(p.rand.Int64N(int64(1500 * time.Millisecond)))
	p.kills = p.rand.IntN(5)
	p.e = newEKSService(seed, p.now, func(change func(*world.World)) { p.news = append(p.news, eksNews{p.now, change}) }, p.breaks)
	return p
}

func (p *startedPlay) breaks(format string, args ...any) {
	if len(p.broken) < 5 {
		p.broken = append(p.broken, p.now.Format("15:04:05.0 ")+fmt.Sprintf(format, args...))
	}
}

func (p *startedPlay) notes(format string, args ...any) {
	p.log = append(p.log, p.now.Format("15:04:05.0 ")+fmt.Sprintf(format, args...))
}

func (p *startedPlay) chance(n int) bool { return p.rand.IntN(n) == 0 }

func (p *startedPlay) span(most time.Duration) time.Duration {
	return time.Duration(p.rand.Int64N(int64(most)))
}

// draw makes the request of the run.
func (p *startedPlay) draw() {
	r := record.UpdateRequest{Cluster: "prod", Release: "1.32.1-9", Force: p.chance(6), Retry: max(0, p.rand.IntN(4)-1), HelpAlong: p.chance(2), HelpedBy: "ana", Asks: p.chance(3)}
	if p.chance(4) {
		r.Release = ""
	}
	if p.chance(2) {
		r.Config.MaxUnavailable = fmt.Sprint(1 + p.rand.IntN(3))
	}
	if p.chance(3) {
		r.Config.Strategy = []string{world.NewFirst, world.OldFirst}[p.rand.IntN(2)]
	}
	p.request = r
}

// settings are those of all runs here: what is waited for is waited for in less time.
func settings() record.Settings {
	s := strategy.EKSManaged{}.Defaults()
	s.NodeReadyTimeout = 2 * time.Minute
	return s
}

// begin starts a run.
func (p *startedPlay) begin(id string, inherited *record.HeldConfig) {
	p.attach()
	run := strategy.EKSManaged{}.Starts(p.w, id, settings(), p.request)
	run.UpdateConfig = inherited
	p.run = engine.Start(run, p.now, "ana")
	p.aborted = time.Time{}
	p.save()
}

func (p *startedPlay) save() {
	text, err := json.Marshal(p.run)
	if err != nil {
		p.breaks("the record cannot be written: %v", err)
	}
	p.saved, p.dirty, p.wrote = text, false, p.now
}

// attach is a process that reads everything first.
func (p *startedPlay) attach() {
	p.w, p.in, p.wake, p.flying, p.born = world.New(), engine.Inputs{}, p.now, nil, p.now
	p.w.SetDaemonSets([]string{"agent"})
	p.read, p.configRead, p.nextPoll, p.nextUpdates, p.nextGroup = world.ManagedGroup{}, "", p.now, p.now, p.now
	p.blind = map[string]time.Time{}
	for _, m := range p.e.machines {
		if m.node != nil {
			p.w.SetNode(m.node)
		}
	}
	for _, pod := range p.e.pods {
		p.w.SetPod(pod)
	}
	for _, b := range p.e.budgets {
		p.w.SetBudget(b)
	}
	p.news = nil
	p.look()
}

// kill ends the process. What it has sent may still arrive; the answers are lost.
func (p *startedPlay) kill() {
	p.repeats = words.Repeats{} // what was told may not be written
	for id := range p.failures {
		p.failures[id] = false
	}
	p.told["killed"]++
	p.notes("the process is killed")
	p.kills--
	p.w = nil
	p.born = p.now.Add(4*time.Second + p.span(40*time.Second))
	for _, f := range p.flying {
		f.arrives = minTime(f.arrives, p.now.Add(2*time.Second))
	}
}

// resume is another process with the record.
func (p *startedPlay) resume() {
	p.attach()
	p.run = record.Run{}
	if err := json.Unmarshal(p.saved, &p.run); err != nil {
		p.breaks("the record cannot be read: %v", err)
		return
	}
	p.run = engine.TakeOver(p.run, p.now)
	p.save()
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// play is a run from its beginning to its end, and the runs after it that restore what it has left.
func (p *startedPlay) play() {
	defer func() {
		if p.e.endStep != nil {
			p.e.endStep()
		}
	}()
	for range p.rand.IntN(60) {
		p.around()
	}
	p.draw()
	if p.chance(3) { // another user was first
		p.others()
		for range p.rand.IntN(120) {
			p.around()
		}
	}
	p.begin("run-1", nil)
	start, over := p.now, time.Time{}
	for len(p.broken) == 0 {
		p.around()
		if p.w == nil && !p.now.Before(p.born) {
			p.resume()
		}
		p.arrive()
		if p.w != nil {
			p.act()
		}
		if p.w != nil && p.run.State == record.Finished {
			p.save()
			p.ended()
			if !p.next() {
				return
			}
			start, over = p.now, time.Time{}
		}
		if over.IsZero() && p.e.busy() == nil {
			over = p.now
		} else if p.e.busy() != nil {
			over = time.Time{}
		}
		if p.quiet = p.quiet || p.now.Sub(start) > 5*time.Hour; p.quiet && !over.IsZero() && p.now.Sub(over) > time.Hour {
			p.breaks("nothing is under way for an hour, and the run is %s: %s %+v %+v", p.run.State, p.run.Why, p.run.Awaits, p.run.Pending)
		}
		if p.now.Sub(start) > 48*time.Hour {
			p.breaks("it does not end: %s, %v", p.run.State, p.e.busy())
		}
	}
}

// around is one tick of everything but the process.
func (p *startedPlay) around() {
	p.e.advance()
	p.now = p.e.now
	if p.quiet {
		return
	}
	if p.w != nil && p.chance(900) {
		p.blind[[]string{"cluster", "cloud", "eks"}[p.rand.IntN(3)]] = p.now.Add(p.span(3 * time.Minute))
	}
	if p.chance(1200) {
		p.others()
	}
	if p.chance(500) { // a user changes a PDB
		if i := p.rand.IntN(len(p.e.budgets)); true {
			b := *p.e.budgets[i]
			b.Desired = max(0, b.Desired+1-2*p.rand.IntN(2))
			b.Expression = fmt.Sprint("minAvailable ", b.Desired)
			b.Current = false
			p.e.budgets[i] = &b
		}
	}
	if p.chance(900) { // a user scales a Deployment of one replica
		if app := p.e.apps["single0"]; app != nil {
			if n := 1 + p.rand.IntN(3); n != app.replicas {
				app.replicas, app.ours = n, false
			}
			app.user = app.replicas
		}
	}
	if p.w != nil && p.kills > 0 && p.chance(2000) {
		p.kill()
	}
}

// others has another user update the group, or configure it.
func (p *startedPlay) others() {
	p.told["by others"]++
	defer func() { p.notes("another user: %s is under way", p.e.underWay()) }()
	token := fmt.Sprint("others-", p.now.UnixMilli())
	switch p.rand.IntN(4) {
	case 0:
		p.e.configure(token, nil, world.UpdateConfig{MaxUnavailable: fmt.Sprint(1 + p.rand.IntN(3))}, false) // also what is set already
	case 1:
		p.e.start(token, record.UpdateRequest{Release: "1.31.7-2"}, false)
	default:
		p.e.start(token, record.UpdateRequest{Release: "1.32.1-9", Force: p.chance(4)}, false)
	}
}

// arrive carries out what has reached EKS and the API server, and delivers answers.
func (p *startedPlay) arrive() {
	p.flying = slices.DeleteFunc(p.flying, func(f *flight) bool {
		if !f.done && !p.now.Before(f.arrives) {
			f.done = true
			switch {
			case f.loses == "request":
				f.out = record.Outcome{Verdict: record.Unknown, Message: "connection reset by peer"}
			case p.isBlind(p.sideOf(f.a)):
				f.out = refusedWith(record.RefusedBusy, "503")
			default:
				p.checkAsk(f.a)
				f.out = p.e.carryOut(f.a)
				p.notes("asked: %s %s: %s %s %s (loses %q)", f.a.Kind, f.a.Key, f.out.Verdict, f.out.Refusal, f.out.Update, f.loses)
				p.noteAsk(f.a, f.out)
			}
			if f.loses == "answer" {
				f.out = record.Outcome{Verdict: record.Unknown, Message: "connection reset by peer"}
			}
		}
		if p.w == nil {
			return f.done
		}
		if !f.gives.IsZero() && !p.now.Before(f.gives) {
			f.gives = time.Time{}
			p.in.Outcomes = append(p.in.Outcomes, record.Outcome{Key: f.a.Key, At: p.now, Verdict: record.Unknown, Message: "no answer"})
		}
		if f.done && f.loses == "late" {
			return true
		}
		if f.done && !p.now.Before(f.answers) {
			f.out.Key, f.out.At = f.a.Key, p.now
			p.in.Outcomes = append(p.in.Outcomes, f.out)
			return true
		}
		return false
	})
}

func (p *startedPlay) sideOf(a record.Action) string {
	if a.Of != nil {
		a = *a.Of
	}
	if a.Kind == record.StartUpdate || a.Kind == record.SetUpdateConfig {
		return "eks"
	}
	return "cluster"
}

func (p *startedPlay) isBlind(what string) bool {
	return p.now.Before(p.blind[what]) || what == "eks" && p.now.Before(p.blind["cloud"])
}

// look is what the process reads now.
func (p *startedPlay) look() (news bool) {
	if p.isBlind("cluster") {
		p.w.SetHealth(world.Cluster, world.Health{Fresh: p.clusterFresh, Problem: "the API answers 503"})
	} else {
		p.clusterFresh = p.now
		for len(p.news) > 0 && !p.news[0].at.Add(p.lag).After(p.now) {
			p.news[0].change(p.w)
			p.news, news = p.news[1:], true
		}
		for _, source := range []world.Source{world.Cluster, world.Nodes} {
			p.w.SetHealth(source, world.Health{Fresh: p.now})
		}
	}
	if p.now.Before(p.nextPoll) && !p.changed {
		return news
	}
	p.nextPoll = p.now.Add(3 * time.Second)
	if p.isBlind("cloud") {
		p.w.SetHealth(world.Cloud, world.Health{Fresh: p.cloudFresh, Problem: "ExpiredToken"})
		return true
	}
	p.cloudFresh = p.now
	p.lookAtGroup()
	return true
}

// lookAtGroup is one read of the Auto Scaling group, and what of EKS is due.
func (p *startedPlay) lookAtGroup() {
	e, m := p.e, p.read
	m.Cluster, m.Name, m.AutoScalingGroup = "prod", "web", "eks-web"
	m.UpdatesUnread, m.Unread = "", ""
	configured := func() string {
		if u := m.Configured; u != nil && u.Over() {
			return u.ID
		}
		return ""
	}
	if p.isBlind("eks") {
		m.UpdatesUnread = "its updates cannot be read: ThrottlingException"
		m.Unread = m.UpdatesUnread
	} else {
		if !p.now.Before(p.nextUpdates) || p.changed {
			p.nextUpdates, p.changed = p.now.Add(3*time.Second), false
			m.UpdatesKnown, m.Update, m.Configured, m.Earlier = true, nil, nil, nil
			for _, u := range e.updates {
				copied := u.ManagedUpdate
				switch {
				case u.Kind != world.VersionUpdate:
					if m.Configured == nil {
						m.Configured = &copied
					}
				case m.Update == nil:
					m.Update = &copied
				default:
					m.Earlier = append(m.Earlier, copied)
				}
			}
		}
		if !p.now.Before(p.nextGroup) || configured() != p.configRead {
			p.nextGroup, p.configRead = p.now.Add(10*time.Second), configured()
			m.MaxUnavailable, m.Minimal = e.config.MaxUnavailable, e.config.Strategy == world.OldFirst
		}
	}
	m.ConfigOld = configured() != p.configRead
	p.read = m
	g := world.Group{Name: "web", Provider: "eks", Template: world.Template{ID: "lt", Version: e.template}, Image: image(e.template), Sizes: world.Sizes{Max: e.most, Desired: e.desired}, Activities: slices.Clone(e.activities), Managed: &m}
	if e.template == 4 {
		g.Template.Version, g.Image = 1, image(1)
	}
	for z := range e.zones {
		g.Zones = append(g.Zones, fmt.Sprint("z", z))
	}
	var machines []world.Machine
	for _, one := range e.machines {
		machines = append(machines, one.Machine)
	}
	p.w.SetGroup(g)
	p.w.SetMachines(machines)
	p.w.SetHealth(world.Cloud, world.Health{Fresh: p.now})
}

// act is the process: it takes in what it reads and hears, decides, writes the record and sends what it asks for.
func (p *startedPlay) act() {
	news := p.look()
	p.operate()
	if !news && len(p.in.Outcomes) == 0 && len(p.in.Commands) == 0 && p.now.Before(p.wake) {
		return
	}
	d := engine.Decide(strategy.EKSManaged{}, p.now, p.w, p.run, p.in)
	p.dirty = p.dirty || d.Changed
	writes := len(d.Actions) > 0 || len(p.in.Commands) > 0 || d.SavesFirst() || p.dirty && p.now.Sub(p.wrote) >= saveSoon || p.now.Sub(p.wrote) >= saveEvery
	if writes && p.killedAt() { // before the record is written
		return
	}
	p.run, p.in, p.wake = d.Run, engine.Inputs{}, minTime(d.Wake, p.now.Add(engine.Heartbeat))
	if writes {
		p.save()
	}
	for _, event := range d.Events {
		p.notes("%s %s %s", event.Type, event.Node, event.Message)
		if why := words.Wrong(event, p.now); why != "" {
			p.breaks("%s of %q (%s): %s: %q", event.Type, event.Node, event.Reason, why, event.Message)
		}
		if p.repeats.Often(event, p.now) {
			p.breaks("%s of %q is told over and over: %q", event.Type, event.Node, event.Message)
		}
		p.checkFailure(event)
		if why := p.e.wrongQuiet(event, p.born, len(p.e.earlier) > 0); why != "" {
			p.breaks("%s: %q", why, event.Message)
		}
		if why := wrongOwner(event); why != "" {
			p.breaks("%s: %q", why, event.Message)
		}
		if event.Type == record.PodEvicted {
			p.told["helped"]++
		}
	}
	for _, a := range d.Actions {
		p.checkDecided(a)
		if p.killedAt() { // before it is sent
			return
		}
		f := &flight{a: a, arrives: p.now.Add(p.span(time.Second)), loses: p.loses(a)}
		f.answers = f.arrives.Add(p.span(time.Second))
		if f.loses == "late" { // it arrives after it was given up
			f.gives, f.arrives = f.answers, f.answers.Add(p.span(15*time.Second))
		}
		if p.chance(60) {
			f.answers = f.arrives.Add(30 * time.Second)
		}
		p.flying = append(p.flying, f)
		p.changed = p.changed || p.sideOf(a) == "eks" && !a.ReadOnly()
		if p.killedAt() { // before its answer comes
			return
		}
	}
}

// killedAt reports whether the process is killed at a boundary.
func (p *startedPlay) killedAt() bool {
	if p.kills == 0 || p.quiet || !p.chance(15) {
		return false
	}
	p.kill()
	return true
}

func (p *startedPlay) loses(a record.Action) string {
	if p.quiet {
		return ""
	}
	switch p.rand.IntN(16) {
	case 0:
		p.told["request lost"]++
		return "request"
	case 1:
		p.told["answer lost"]++
		return "answer"
	case 2:
		if p.sideOf(a) == "eks" && !a.ReadOnly() {
			p.told["request late"]++
			return "late"
		}
	}
	return ""
}

// operate is what the operator says.
func (p *startedPlay) operate() {
	say := func(c record.Command) {
		c.By, c.At = "ana", p.now
		p.in.Commands = append(p.in.Commands, c)
	}
	switch failed := p.run.FailedUpdate != nil; {
	case p.run.State != record.Paused || !p.chance(100):
	case failed && (p.again > 1 || p.chance(3)):
		p.told["ended after a failure"]++
		p.aborted = p.now
		say(record.Command{Kind: record.CmdAbort})
	default:
		if failed {
			p.again++
			p.told["resumed after a failure"]++
		}
		say(record.Command{Kind: record.CmdResume})
	}
	if p.quiet || p.run.State == record.Finished {
		return
	}
	if p.aborted.IsZero() && p.chance(12000) {
		p.aborted = p.now
		say(record.Command{Kind: record.CmdAbort})
	}
	if p.chance(400) {
		for _, n := range p.run.Nodes.All() {
			if n.Stage != record.Draining || n.Name == "" {
				continue
			}
			pods := p.w.PodsOn(n.Name)
			if len(pods) == 0 || p.chance(3) {
				p.forces[n.Name+"/"] = true
				say(record.Command{Kind: record.CmdForce, Node: n.Name})
			} else {
				uid := pods[p.rand.IntN(len(pods))].UID
				p.forces[uid] = true
				say(record.Command{Kind: record.CmdForce, Node: n.Name, UID: uid})
			}
			break
		}
	}
	if p.chance(2000) && p.run.FailedUpdate == nil { // what is not possible
		say(record.Command{Kind: []record.CommandKind{record.CmdPause, record.CmdSkip, record.CmdResume, record.CmdExtend}[p.rand.IntN(4)]})
	}
}
