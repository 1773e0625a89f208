// Package sim is a world that moves by itself: a simulated cluster and the
// cloud behind it on a virtual clock, for the very same engine.Decide that rolls
// real nodes.
//
// A Sim holds two pictures. Truth is how things are: what the simulated API
// servers would answer to a consistent read. View is what a driver knows: it
// follows Truth with the lag of a watch (cluster) or of a poll (cloud), and
// stands still while a source is away. Controllers act on Truth: the Auto
// Scaling group (cloud.go) and its machines (machine.go, direct.go), the other groups of
// the cluster (peer.go), the load balancer (balancer.go), kubelets and the node
// lifecycle controller (cluster.go, kubelet.go), the scheduler (place.go), workload
// and disruption controllers (workload.go, budget.go); they find pods in indexes
// (pods.go), so that a world may be large. Others act on it as well: people
// (others.go) and an autoscaler (autoscaler.go). Actions are carried out by Do
// (do.go), as far as what goes wrong lets them (fault.go).
//
// A Driver (driver.go) decides, saves and acts as engine/live does, sleeps and
// crashes (process.go), and has every step checked against the rules of
// docs/design.md (check.go). A Script (script.go) reads the language of
// engine/testdata; Random (random.go) makes scripts up. RealTime (realtime.go) lets
// engine/live's loop drive a Sim with the wall clock, for the demo, whose worlds
// are in scenarios/ (scenario.go).
//
// From (from.go) makes a Sim that continues from a real world, and Rehearse (rehearse.go)
// lets a run come to its end there: it tells how long that takes. What the group's own controller does
// meanwhile, in a run that follows one, is played too (drivesitself.go).
//
// Everything follows from the seed: two runs of one script are the same.
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

// epoch is when every simulation begins.
var epoch = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// Sim is a simulated cluster and cloud. Make one with New.
type Sim struct {
	Config Config
	// Truth is how things are, View what a driver knows of it.
	Truth, View *world.World

	// scaled are the replicas that the driver has set, by the UIDs of Deployments.
	scaled map[string]int

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

	group      group
	controller func(record.Action) record.Outcome // carries out what the group's own controller is asked, nil without one
	machines   map[string]*machine
	ids        []string        // of machines, sorted; nil until asked for
	listed     []world.Machine // of the Truth
	shown      []world.Machine // of the last look of the View
	peers      []*peer
	balancer   balancer
	workloads  []*workload
	pods       pods
	budgets    map[string]*budget
	refs       []string           // of budgets, sorted; nil until asked for
	volumes    map[string]*volume // by the pod that they are for
	routes     map[string]gone    // pods that are gone, by UID, and to which a Service led
	names      naming
	numbers    map[string]int         // the last number given to a name
	named      string                 // what the names of new nodes begin with
	fits       *fits                  // of a Sim that was made of a world, nil else
	model      model                  // what new nodes are like in such a Sim
	scan       int                    // the node where the scheduler looks first
	tainted    map[world.Taint]string // the scheduler's words for taints
	faults     faults
	nodeHooks  nodeHooks
	pool       pool
	before     world.Sizes          // the group's sizes before the run
	foreign    world.Sizes          // what others changed on the group's sizes, summed up
	slack      int                  // how much less it may be: see keepMinimum
	raised     int                  // by how much others raised the desired size
	lowered    int                  // how often others lowered it
	maxima     map[int]bool         // maximum sizes that others have set
	theirs     map[string]bool      // processes that others have suspended
	asked      map[int]bool         // maximum sizes that runs have asked for
	ended      time.Time            // what the last run that has ended knew is as old as that
	raises     map[time.Time]int    // by how much others have raised the desired size, and when
	lowerings  map[time.Time]int    // by how much others have lowered the desired size, and when
	grew       bool                 // a request of a run has raised the desired size
	readNone   bool                 // the last launch by name was asked for by a driver that knew that the group is to have none
	doubts     int                  // ends with decrement of which no driver may know whether they took the size down
	freed      []string             // names of nodes that are gone with their machines
	shrunk     time.Time            // when the group last lost a machine, or others changed how many it is to have
	tilted     bool                 // others, or a zone without room, had a hand in which zone has how many
	rolling    bool                 // the run has begun
	suspended  bool                 // AZRebalance was suspended before the run
	retargeted bool                 // another user has set the template since the start
	marks      map[string]bool      // marks that are not ours; true: from before the run, so that they must stay
	drains     map[string]bool      // machines that a user drains by hand
	taken      map[string]bool      // machines that a user took out of the group: they run on
	byHand     map[string]bool      // pods that left because of that
	planned    map[string]bool      // machines that the plan has
	plannedTo  world.Template       // what they are to become
	written    world.Sizes          // the group's sizes when our last change of them was written
	resumed    map[string]time.Time // when others last resumed a process
}

// New returns an empty simulation of a group in some zones.
func New(c Config, zones ...string) *Sim {
	s := empty(c, epoch)
	s.group.init(zones)
	s.Truth.SetDaemonSets(nil)
	s.View.SetDaemonSets(nil)
	s.poll()
	s.rebalanceLater()
	return s
}

// empty returns a simulation in which nothing is and nothing happens.
func empty(c Config, now time.Time) *Sim {
	s := &Sim{
		Config: c, Truth: world.New(), View: world.New(), now: now,
		rand:     rand.New(rand.NewPCG(c.Seed, 0x5eed)),
		machines: map[string]*machine{}, pods: newPods(), budgets: map[string]*budget{},
		volumes: map[string]*volume{}, routes: map[string]gone{}, numbers: map[string]int{}, synced: true, marks: map[string]bool{}, maxima: map[int]bool{}, asked: map[int]bool{}, theirs: map[string]bool{}, resumed: map[string]time.Time{}, raises: map[time.Time]int{}, lowerings: map[time.Time]int{}, drains: map[string]bool{}, taken: map[string]bool{}, byHand: map[string]bool{}, cues: map[string][]func(){}, tainted: map[world.Taint]string{},
	}
	s.faults.init()
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

// after lets something happen in d.
func (s *Sim) after(d time.Duration, do func()) {
	s.seq++
	s.queue.push(event{s.now.Add(max(0, d)), s.seq, do})
}

// touch gives the controllers a turn soon.
func (s *Sim) touch() {
	if s.moved {
		return
	}
	s.moved = true
	s.after(s.Config.Controllers, func() {
		s.moved = false
		if !s.now.Before(s.faults.etcd) {
			s.controllers()
		}
	})
}

// watch shows a change of the cluster to the View, with the lag of a watch.
func (s *Sim) watch(change func(*world.World)) {
	process, lists := s.process, s.lists
	s.after(s.Config.ClusterLag, func() {
		if !s.synced || process != s.process || lists != s.lists {
			return // nobody listens, or a list has told it already
		}
		if s.faults.away(world.Cluster, s.now) || s.now.Before(s.faults.etcd) {
			s.faults.held = append(s.faults.held, change)
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
