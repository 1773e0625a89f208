// Package cloud is the lab's AWS: one HTTP server on loopback that speaks the
// wire protocols of EC2 Auto Scaling, EC2, Elastic Load Balancing, STS and S3 to
// the real SDK clients and behaves as the real services do where a node roll can notice: instances keep
// the launch template version they were launched with, launches go to the zone
// with the fewest instances, capacity runs out zone by zone, sizes are bounded,
// suspended processes do not act, AZRebalance does, describe calls lag and page.
//
// Start with New and Serve, point a client at URL, and set faults at run time
// (see faults.go, and package access for calls that are refused). Nothing outlives Close.
//
// How it hangs together: a request is decoded in http.go, by package wire, and answered by a
// handler in asg_*.go, ec2_*.go or elb.go, or by packages access (IAM and STS) and s3; what the
// services do by themselves is in reconcile.go and rebalance.go; everything known is in state.go, as
// records that are replaced, never changed, so that a snapshot for lagging
// describe calls is a copy of a few maps. Other packages mount services of
// their own (service.go).
package cloud

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/drainboard/drainboard/lab/cloud/access"
	"github.com/drainboard/drainboard/lab/cloud/s3"
	"github.com/drainboard/drainboard/lab/gate"
)

// Options say how the cloud behaves. The zero value works: region eu-west-1,
// three zones, no lag, the real page sizes, instances that boot and stop at once.
type Options struct {
	Region string   // empty: eu-west-1
	Zones  []string // empty: three zones of the region, a to c

	Lag       time.Duration // describe calls answer with the state of this long ago
	PageSize  int           // most items on a page, also where a caller asks for more; 0: the real limits
	Boot      time.Duration // Pending to InService; SetBoot overrides it for a group
	Terminate time.Duration // Terminating to gone

	HealthCheck time.Duration // until a group notices that EC2 stopped an instance; 0: 1 s
	Retry       time.Duration // until a zone is tried again after a failed launch, doubling to 16 times; 0: 1 s
	Rebalance   time.Duration // how long zones must be out of balance before AZRebalance acts; 0: 1 s

	Log io.Writer // one line for each launch, termination and failed launch; nil: none
}

// Machines turns instances into something that runs, in the lab into Nodes. Its
// methods are called one at a time, in the order of events, outside of any lock:
// they may take their time and may call the Cloud.
type Machines interface {
	Launch(Instance)     // the instance was started (Pending); not called for those of NeverJoin
	Terminate(id string) // the instance was told to shut down (Terminating)
}

// Cloud is the simulated region of one account. All methods may be called from
// any goroutine, before Serve too.
type Cloud struct {
	*access.Rules // which calls are refused

	o     Options
	m     Machines
	store *s3.Store

	mu       sync.Mutex
	state    state      // guarded by mu, as is all below
	history  []snapshot // oldest first; see seen
	dirty    bool       // state changed since the last snapshot
	seq      uint64     // the last number given to an id
	faults   faults
	calls    []Call
	tokens   map[string]tokenUse // client tokens and what was answered
	services map[string]Service  // of other packages, by name
	queue    []func(Machines)    // calls to Machines not yet made

	due        time.Time            // when reconcile has something to do by itself
	backoffs   map[string]backoff   // group and zone: no launch there for now
	unbalanced map[string]time.Time // group: its zones are out of balance since
	extra      map[string][]string  // group: instances that AZRebalance launched on top
	addresses  map[string]int       // zone: addresses given out

	gate   *gate.Gate
	wake   chan struct{} // something changed: reconcile now
	notify chan struct{} // queue is not empty
	server *http.Server
	url    string
	stop   context.CancelFunc
	closed sync.Once
	done   sync.WaitGroup
}

// New makes a cloud without groups. m may be nil.
func New(o Options, m Machines) *Cloud {
	if o.Region == "" {
		o.Region = "eu-west-1"
	}
	if len(o.Zones) == 0 {
		o.Zones = []string{o.Region + "a", o.Region + "b", o.Region + "c"}
	}
	for _, d := range []*time.Duration{&o.HealthCheck, &o.Retry, &o.Rebalance} {
		if *d == 0 {
			*d = time.Second
		}
	}
	rules := access.New()
	c := &Cloud{
		o:      o,
		m:      m,
		state:  newState(),
		faults: newFaults(),
		Rules:  rules,
		store:  s3.New(o.Region, rules),
		tokens: map[string]tokenUse{},

		services:   map[string]Service{},
		backoffs:   map[string]backoff{},
		unbalanced: map[string]time.Time{},
		extra:      map[string][]string{},
		addresses:  map[string]int{},

		wake:   make(chan struct{}, 1),
		notify: make(chan struct{}, 1),
	}
	c.gate = gate.New(c)
	c.history = []snapshot{{at: time.Now(), state: c.state.clone()}}
	return c
}

// tick is how often the cloud looks for something to do when nothing wakes it.
// It bounds how late a boot or a termination is noticed.
const tick = 20 * time.Millisecond

// Serve listens on a free port of 127.0.0.1 and returns; it serves, and runs the
// groups, until ctx ends or Close is called.
func (c *Cloud) Serve(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening for AWS requests: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	c.server = &http.Server{Handler: c.gate}
	c.url = "http://" + l.Addr().String()
	c.stop = cancel
	c.mu.Unlock()

	c.done.Add(4)
	go func() { defer c.done.Done(); c.server.Serve(l) }()
	go func() { defer c.done.Done(); c.reconcileLoop(ctx) }()
	go func() { defer c.done.Done(); c.notifyLoop(ctx) }()
	go func() { defer c.done.Done(); <-ctx.Done(); c.server.Close() }()
	return nil
}

// URL is the endpoint of all services, without a slash at its end. Empty before Serve.
func (c *Cloud) URL() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.url
}

// S3 is the buckets that there are.
func (c *Cloud) S3() *s3.Store { return c.store }

// Region is the region that the cloud plays.
func (c *Cloud) Region() string { return c.o.Region }

// Close stops serving and waits until nothing runs any more, calls to Machines
// included. It may be called more than once and before Serve.
func (c *Cloud) Close() {
	c.mu.Lock()
	stop := c.stop
	c.mu.Unlock()
	if stop == nil {
		return
	}
	c.closed.Do(stop)
	c.done.Wait()
}

// reconcileLoop lets the groups act when something changed or a time has come.
func (c *Cloud) reconcileLoop(ctx context.Context) {
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		woken := false
		select {
		case <-ctx.Done():
			return
		case <-c.wake:
			woken = true
		case <-t.C:
		}
		c.mu.Lock()
		if now := time.Now(); woken || !now.Before(c.due) {
			c.reconcile(now)
		}
		c.remember(time.Now())
		c.mu.Unlock()
	}
}

// notifyLoop makes the calls to Machines, so that a slow one holds up nobody.
func (c *Cloud) notifyLoop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.notify:
		}
		c.mu.Lock()
		queue := c.queue
		c.queue = nil
		c.mu.Unlock()
		for _, call := range queue {
			if ctx.Err() != nil {
				return
			}
			call(c.m)
		}
	}
}

// tell queues a call to Machines. The caller holds mu.
func (c *Cloud) tell(call func(Machines)) {
	if c.m == nil {
		return
	}
	c.queue = append(c.queue, call)
	poke(c.notify)
}

// changed wakes the groups after a change. The caller holds mu.
func (c *Cloud) changed() {
	c.dirty = true
	poke(c.wake)
}

func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

func (c *Cloud) logf(format string, args ...any) {
	if c.o.Log != nil {
		fmt.Fprintf(c.o.Log, "cloud: "+format+"\n", args...)
	}
}
