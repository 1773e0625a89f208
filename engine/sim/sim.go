package sim

import (
	"math/rand/v2"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Config is how fast and how far behind the simulated world is. Zero values
// stand for those of Defaults.
type Config struct {
	// Seed makes all that is random.
	Seed uint64
	// ClusterLag is how far a watch of the cluster is behind; CloudLag how long a
	// poll of the cloud takes to arrive, CloudEvery how often there is one.
	ClusterLag, CloudLag, CloudEvery time.Duration
	// ClusterLatency and CloudLatency are how long a request takes.
	ClusterLatency, CloudLatency time.Duration
	// Jitter is the part of its latency that is left to chance for every request:
	// most are faster, a few much slower. Requests sent together then arrive in any
	// order, and evictions under one budget get in each other's way; 0: neither.
	Jitter float64
	// Controllers is how long controllers and the scheduler take to react.
	Controllers time.Duration
	// Launch is how long a machine is Pending; Boot until its node joins after
	// that; NodeReady until the node is Ready; Terminate how long it takes to end.
	Launch, Boot, NodeReady, Terminate time.Duration
	// Sync is how long a new process takes to read the cluster.
	Sync time.Duration
	// Detach is how long a volume takes to leave a node.
	Detach time.Duration
	// Routes is how long a Service leads to a pod that is gone.
	Routes time.Duration
	// Unlisted is how long a machine that was detached is on no list: its group's does not
	// have it any more, that of the detached ones not yet.
	Unlisted time.Duration
	// Notice is how long a group takes to find that a machine was ended directly.
	Notice time.Duration
	// Slots is how many pods a node has room for, DaemonSet pods aside; CPU (in
	// thousandths) and Memory (in MiB) are what they may ask for, 0 for any amount.
	Slots, CPU, Memory int
}

// Defaults are a brisk but believable cloud.
func Defaults() Config {
	return Config{
		ClusterLag: 50 * time.Millisecond, CloudLag: 500 * time.Millisecond, CloudEvery: 2 * time.Second,
		ClusterLatency: 30 * time.Millisecond, CloudLatency: 200 * time.Millisecond,
		Controllers: 100 * time.Millisecond,
		Launch:      5 * time.Second, Boot: 25 * time.Second, NodeReady: 10 * time.Second, Terminate: 30 * time.Second,
		Sync: 400 * time.Millisecond, Detach: 5 * time.Second, Notice: 10 * time.Second,
		Slots: 8,
	}
}

// Epoch is when every simulation begins.
var Epoch = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// Sim is a simulated cluster and cloud. Make one with New.
type Sim struct {
	// Config may be changed while the world moves: what begins then follows it.
	Config Config
	// Truth is how things are, View what a driver knows of it.
	Truth, View *world.World

	// Ledger is what was really done, and by whom.
	Ledger
	// Group is the group that is rolled; ListMachines shows what is changed in it to the Truth.
	Group Group
	// Pool is what the group is beside that where it is a worker pool of Gardener's, Balancer its load
	// balancer.
	Pool     Pool
	Balancer Balancer
	// Faults are what goes wrong, NodeHooks how the user's hooks around nodes behave.
	Faults    Faults
	NodeHooks NodeHooks
	// Names is how nodes, machines and pods are named.
	Names Naming

	now   time.Time
	queue queue
	seq   int
	rand  *rand.Rand
	fresh bool // View changed since the driver last looked
	// reading: the cloud is read because the driver has asked for it.
	reading bool
	moved   bool // a controller's turn is due
	// process counts the processes that have looked at the View, lists the lists of
	// the cluster that the newest has read; synced: it has read all.
	process, lists int
	synced         bool
	// told gets every change of the View, if the caller keeps another one.
	told func(func(*world.World))
	// news is what others did since it was asked for last.
	news []string
	// cues are what others do because of what the driver does, once: "refusing web"
	// is an eviction that budget web refuses, "evicting web" one of a pod of web, "failing
	// a1" an update in place of a1 that fails.
	cues map[string][]func()

	controller func(record.Action) record.Outcome // carries out what the group's own controller is asked, nil without one
	machines   map[string]*Machine
	order      []*Machine       // of machines, by their IDs; replaced, never changed
	listed     []*world.Machine // of the Truth
	shown      []*world.Machine // of the last look of the View
	group      *world.Group     // of the Truth, another one as soon as anything of it changes
	described  world.Group      // what the cloud told last of the Truth's, in its own words
	shownGroup *world.Group     // what the View was shown last
	peers      []*Peer
	workloads  []*Workload
	pods       pods
	budgets    map[string]*Budget
	refs       []string               // of budgets, sorted; nil until asked for
	volumes    map[string]*volume     // by the pod that they are for
	routes     map[string]gone        // pods that are gone, by UID, and to which a Service led
	numbers    map[string]int         // the last number given to a name
	named      string                 // what the names of new nodes begin with
	fits       *fits                  // of a Sim that was made of a world, nil else
	model      model                  // what new nodes are like in such a Sim
	scan       int                    // the node where the scheduler looks first
	tainted    map[world.Taint]string // the scheduler's words for taints
	taint      world.Taint            // the last of them, and its words
	taintedBy  string
	freed      []string // names of nodes that are gone with their machines
}

// New returns an empty simulation of a group in some zones.
func New(c Config, zones ...string) *Sim {
	s := empty(c, Epoch)
	s.Group.init(zones)
	s.Truth.SetDaemonSets(nil)
	s.View.SetDaemonSets(nil)
	s.ListMachines()
	s.poll()
	s.rebalanceLater()
	return s
}

// empty returns a simulation in which nothing is and nothing happens.
func empty(c Config, now time.Time) *Sim {
	s := &Sim{
		Config: c, Truth: world.New(), View: world.New(), now: now,
		rand:     rand.New(rand.NewPCG(c.Seed, 0x5eed)),
		machines: map[string]*Machine{}, pods: newPods(), budgets: map[string]*Budget{},
		volumes: map[string]*volume{}, routes: map[string]gone{}, numbers: map[string]int{}, synced: true, Ledger: newLedger(), cues: map[string][]func(){}, tainted: map[world.Taint]string{},
	}
	s.Faults.init()
	return s
}

// Now is the virtual time.
func (s *Sim) Now() time.Time { return s.now }

// Next is when something happens next.
func (s *Sim) Next() (time.Time, bool) {
	if len(s.queue) == 0 {
		return time.Time{}, false
	}
	return s.queue[0].at, true
}

// Advance lets everything happen that is due by t, and sets the clock to t.
func (s *Sim) Advance(t time.Time) {
	for len(s.queue) > 0 && !s.queue[0].at.After(t) {
		e := s.queue.pop()
		s.now = e.at
		e.do()
	}
	if t.After(s.now) {
		s.now = t
	}
}

// After lets something happen in d.
func (s *Sim) After(d time.Duration, do func()) {
	s.seq++
	s.queue.push(event{s.now.Add(max(0, d)), s.seq, do})
}

// Touch gives the controllers a turn soon.
func (s *Sim) Touch() {
	if s.moved {
		return
	}
	s.moved = true
	s.After(s.Config.Controllers, func() {
		s.moved = false
		if !s.now.Before(s.Faults.EtcdUntil) {
			s.controllers()
		}
	})
}

// watch shows a change of the cluster to the View, with the lag of a watch.
func (s *Sim) watch(change func(*world.World)) {
	process, lists := s.process, s.lists
	s.After(s.Config.ClusterLag, func() {
		if !s.synced || process != s.process || lists != s.lists {
			return // nobody listens, or a list has told it already
		}
		if s.Faults.away(world.Cluster, s.now) || s.now.Before(s.Faults.EtcdUntil) {
			s.Faults.held = append(s.Faults.held, change)
			return
		}
		s.show(change)
		s.fresh = true
	})
}

// show changes the View.
func (s *Sim) show(change func(*world.World)) {
	change(s.View)
	if s.told != nil {
		s.told(change)
	}
}

// cue lets happen what waits for a thing that the driver does.
func (s *Sim) cue(what string) {
	waiting := s.cues[what]
	delete(s.cues, what)
	for _, do := range waiting {
		do()
	}
}

// number counts a name on: a1, a2, ...
func (s *Sim) number(name string) int {
	s.numbers[name]++
	return s.numbers[name]
}

// event is something that is going to happen.
type event struct {
	at  time.Time
	seq int
	do  func()
}

// queue is a heap of events, the earliest first and in order of making.
type queue []event

func (q queue) less(i, j int) bool {
	if !q[i].at.Equal(q[j].at) {
		return q[i].at.Before(q[j].at)
	}
	return q[i].seq < q[j].seq
}

func (q *queue) push(e event) {
	*q = append(*q, e)
	list := *q
	for i := len(list) - 1; i > 0 && list.less(i, (i-1)/2); i = (i - 1) / 2 {
		list[i], list[(i-1)/2] = list[(i-1)/2], list[i]
	}
}

func (q *queue) pop() event {
	list := *q
	first, last := list[0], len(list)-1
	list[0], list[last] = list[last], event{}
	list = list[:last]
	for i := 0; ; {
		next := 2*i + 1
		if next+1 < last && list.less(next+1, next) {
			next++
		}
		if next >= last || !list.less(next, i) {
			break
		}
		list[i], list[next] = list[next], list[i]
		i = next
	}
	*q = list
	return first
}

// gossip remembers what others did, if the caller asks for it.
func (s *Sim) gossip(what string) {
	if s.told != nil {
		s.news = append(s.news, what)
	}
}

// Later is the later of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Tell has every change of the View told to who keeps another one, and what others do remembered for heard.
func (s *Sim) Tell(told func(change func(*world.World))) {
	s.countChanges()
	s.told = told
}

// Heard is what others have done since it was asked for last, a sentence each.
func (s *Sim) Heard() []string {
	news := s.news
	s.news = nil
	return news
}

// Look is called when a driver looks at the View, which is up to date then: nothing has changed since.
func (s *Sim) Look() {
	s.Health()
	s.fresh = false
}

// Changed reports whether the View has changed since a driver has looked at it.
func (s *Sim) Changed() bool { return s.fresh }

// OnCue lets something happen once, when the driver does something: see cues.
func (s *Sim) OnCue(what string, do func()) { s.cues[what] = append(s.cues[what], do) }

// Made is how many machines there have been in a zone.
func (s *Sim) Made(zone string) int { return s.numbers["node/"+zone] }

// Machines are those that run, of the group, detached from it or ending, by ID.
func (s *Sim) Machines() map[string]*Machine { return s.machines }

// Peers are the other groups of the cluster, in the order in which they were added.
func (s *Sim) Peers() []*Peer { return s.peers }

// Workloads are what keeps pods alive, in the order in which they were added.
func (s *Sim) Workloads() []*Workload { return s.workloads }

// Budgets are the PodDisruptionBudgets by namespace and name ("app/web").
func (s *Sim) Budgets() map[string]*Budget { return s.budgets }
