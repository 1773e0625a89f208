package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// The large roll.
const (
	largeNodes, largePods = 5000, 30 // pods on each node
	largeLimit            = 100      // nodes in work
	largeApps             = 300

	largeBeat   = 100 * time.Millisecond // between two snapshots, the most there are
	largeStop   = 20 * time.Second       // of a pod
	largeSettle = 60 * time.Second
	largeEnd    = 40 * time.Second // of a machine
	largeJoin   = 40 * time.Second // of its replacement
	largeEvict  = 3 * time.Second  // between two evictions on one node
)

// crowd is a large world that moves in steps: the nodes in work evict a pod every
// few seconds each, settle, end and are replaced, and the next begins. What the engine
// would do is done to the world and the run directly, without its decisions: the
// simulator's controllers look at every pod at every turn, which is too slow for so
// many.
type crowd struct {
	w    *world.World
	run  engine.Run
	now  time.Time
	last *engine.Snapshot
	log  []engine.Event

	machines []world.Machine
	work     map[string]*worked // by machine
	queue    []string           // machines that wait for their turn
	joined   []string           // nodes that pods go to, in turn
	turn     int
	made     int
}

// worked is what is known of a node in work.
type worked struct {
	next time.Time // its next eviction, or the end of its stage
	ends []time.Time
	pods []string // that terminate, by the ends
}

func newCrowd() *crowd {
	c := &crowd{w: world.New(), now: time.Now(), work: map[string]*worked{}}
	g := &c.w.Group
	g.Name, g.Provider, g.Zones, g.TemplateSpec = "ng-large", "asg", []string{"a", "b", "c"}, "2"
	g.Template = world.Template{ID: "lt", Version: 2}
	g.Sizes = world.Sizes{Max: largeNodes, Desired: largeNodes}
	for i := range largeApps {
		c.w.SetBudget(&world.Budget{
			Namespace: "app", Name: fmt.Sprintf("app-%d", i), Current: true, Selector: labels.SelectorFromSet(labels.Set{"app": fmt.Sprintf("app-%d", i)}),
			Expression: "maxUnavailable 10%", Allowed: 40, Healthy: 500, Desired: 450, Expected: 500,
		})
	}
	for range largeNodes {
		id, name := c.join(1)
		c.queue = append(c.queue, id)
		for range largePods {
			c.place(name)
		}
	}
	c.w.SetMachines(c.machines)
	settings := strategy.EKS{}.Defaults()
	settings.Approve, settings.MaxUnavailable, settings.Settle = engine.ApproveNone, engine.Amount{N: largeLimit}, largeSettle
	c.run = engine.Start(engine.NewRun(strategy.EKS{}, "bench-large", 1, c.w, settings, engine.Target{Templates: []world.Template{g.Template}}), c.now, "bench")
	c.run.Limit, c.run.Raise, c.run.Raised = largeLimit, largeLimit, true
	for i := range 3 {
		c.run.Phases[i].Start = c.now
		if i < 2 {
			c.run.Phases[i].End = c.now
		}
	}
	for _, m := range c.machines {
		c.run.Nodes[m.ID] = engine.Node{Name: c.w.NodeOf(m.ID).Name, Zone: m.Zone, Stage: engine.Outdated, Since: c.now, Old: "v1.31.4"}
	}
	for range largeLimit {
		c.fresh()
	}
	return c
}

// join adds a machine of a template's version, and its node.
func (c *crowd) join(template int64) (id, name string) {
	i := c.made
	c.made++
	zone := c.w.Group.Zones[i%3]
	id, name = fmt.Sprintf("i-%017d", i), fmt.Sprintf("ip-10-%d-%d-%d.eu-west-1.compute.internal", i%3, i/3/250, i/3%250)
	c.machines = append(c.machines, world.Machine{ID: id, Zone: zone, State: world.MachineInService, Detail: "InService", Template: world.Template{ID: "lt", Version: template}, Type: "m5.large"})
	c.w.SetNode(&world.Node{Name: name, Machine: id, Zone: zone, Version: map[int64]string{1: "v1.31.4", 2: "v1.32.1"}[template], Ready: true, Created: c.now})
	return id, name
}

// place makes a pod on a node.
func (c *crowd) place(node string) {
	c.turn++
	app := fmt.Sprintf("app-%d", c.turn%largeApps)
	c.w.SetPod(&world.Pod{
		UID: fmt.Sprintf("pod-%d", c.turn), Namespace: "app", Name: fmt.Sprintf("%s-%d", app, c.turn), Node: node,
		Owner: world.Owner{Kind: "ReplicaSet", Name: app, UID: "set-" + app}, Labels: map[string]string{"app": app},
		Phase: world.PodRunning, Ready: true, Created: c.now, Grace: 30 * time.Second,
	})
}

// fresh adds a new machine with its node, which pods may go to.
func (c *crowd) fresh() {
	id, name := c.join(2)
	c.joined = append(c.joined, name)
	c.w.SetMachines(c.machines)
	c.run.Nodes[id] = engine.Node{Name: name, Zone: c.w.Machine(id).Zone, Stage: engine.Launching, Since: c.now, Old: "v1.32.1", New: true, Wait: c.wait("ready", largeJoin)}
	c.work[id] = &worked{next: c.now.Add(largeJoin)}
}

func (c *crowd) wait(what string, span time.Duration, needs ...world.Source) *engine.Wait {
	return &engine.Wait{For: what, Start: c.now, End: c.now.Add(span), Needs: needs}
}

func (c *crowd) tell(t engine.EventType, node, pod, command string) {
	c.log = append(c.log, engine.Event{Time: c.now, Type: t, Node: node, Pod: pod, Command: command})
}

// step lets time pass until now.
func (c *crowd) step(now time.Time) {
	c.now = now
	c.w.Health[world.Cluster], c.w.Health[world.Cloud] = world.Health{Fresh: now}, world.Health{Fresh: now}
	busy := 0
	for id, k := range c.work {
		n := c.run.Nodes[id]
		if !n.New {
			busy++
		}
		switch n.Stage {
		case engine.Draining:
			c.drain(id, n, k)
		case engine.Settling:
			if now.After(k.next) {
				k.next = now.Add(largeEnd)
				c.enter(id, n, engine.Terminating, c.wait("terminating", largeEnd, world.Cloud))
				c.tell(engine.NodeTerminating, n.Name, "", "aws autoscaling terminate-instance-in-auto-scaling-group --instance-id "+id+" --no-should-decrement-desired-capacity")
			}
		case engine.Terminating:
			if now.After(k.next) {
				delete(c.work, id)
				c.leave(id, n.Name)
				c.enter(id, n, engine.Replaced, nil)
				c.tell(engine.NodeReplaced, n.Name, "", "")
				c.fresh()
			}
		case engine.Launching:
			if now.After(k.next) {
				delete(c.work, id)
				c.enter(id, n, engine.Ready, nil)
			}
		}
	}
	for ; busy < largeLimit && len(c.queue) > 0; busy++ {
		id := c.queue[0]
		c.queue = c.queue[1:]
		n := c.run.Nodes[id]
		n.Pods = largePods
		// Drains that begin together do not evict in step.
		c.work[id] = &worked{next: now.Add(time.Duration(busy) * largeEvict / largeLimit)}
		c.enter(id, n, engine.Draining, c.wait("drain deadline", 15*time.Minute, world.Cluster))
		c.tell(engine.NodeDraining, n.Name, "", "kubectl drain "+n.Name)
	}
}

func (c *crowd) enter(id string, n engine.Node, stage engine.Stage, w *engine.Wait) {
	n.Stage, n.Since, n.Wait = stage, c.now, w
	c.run.Nodes[id] = n
}

// drain lets the pods go whose time has come, each to a new node, and asks the next.
func (c *crowd) drain(id string, n engine.Node, k *worked) {
	for len(k.ends) > 0 && c.now.After(k.ends[0]) {
		p := c.w.Pod(k.pods[0])
		c.w.DeletePod(p.UID)
		c.place(c.joined[c.turn%len(c.joined)])
		c.tell(engine.PodGone, n.Name, p.Ref(), "")
		k.ends, k.pods = k.ends[1:], k.pods[1:]
	}
	on := c.w.PodsOn(n.Name)
	if len(on) == 0 {
		k.next = c.now.Add(largeSettle)
		c.enter(id, n, engine.Settling, c.wait("settling", largeSettle))
		return
	}
	if c.now.Before(k.next) {
		return
	}
	for _, p := range on {
		if p.Terminating() {
			continue
		}
		going := *p
		going.Ends = c.now.Add(p.Grace)
		c.w.SetPod(&going)
		k.ends, k.pods = append(k.ends, c.now.Add(largeStop)), append(k.pods, p.UID)
		k.next = c.now.Add(largeEvict)
		c.tell(engine.PodEvicted, n.Name, p.Ref(), "kubectl delete --raw /api/v1/namespaces/"+p.Namespace+"/pods/"+p.Name+"/eviction")
		return
	}
}

// leave removes a machine and its node.
func (c *crowd) leave(id, name string) {
	c.w.DeleteNode(name)
	for i := range c.machines {
		if c.machines[i].ID == id {
			c.machines = append(c.machines[:i:i], c.machines[i+1:]...)
			return
		}
	}
}

// snapshot is what is published, with the log's end.
func (c *crowd) snapshot() *engine.Snapshot {
	if n := len(c.log); n > 2000 {
		c.log = append([]engine.Event(nil), c.log[n-1000:]...)
	}
	s := engine.View(strategy.EKS{}, c.now, c.w, c.run, engine.Look{}, c.last)
	s.Cluster, s.Events = "bench", c.log[:len(c.log):len(c.log)]
	c.last = s
	return s
}

// largeRoll moves the large world with the wall clock.
func largeRoll(ctx context.Context, publish func(*engine.Snapshot), busy func()) error {
	c := newCrowd()
	beat := time.NewTicker(largeBeat)
	defer beat.Stop()
	for first := true; ; first = false {
		c.step(time.Now())
		publish(c.snapshot())
		if first {
			busy()
		}
		select {
		case <-beat.C:
		case <-ctx.Done():
			return nil
		}
	}
}
