package script

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/world"
)

// operator says something to the run:
//
//	operator approve | pause | resume | abort [retire]
//	operator accept [trouble=another]     the canary's, as it is shown
//	operator force node=a1 [pod=web-1] [why=maintenance-window]
//	operator skip node=a1
//	operator max-unavailable nodes=3
//
// With an id it comes from elsewhere, as an object:
//
//	operator pause id=c1 by=bob@ops [claimed] [client=bob@desk] [run=another] [expires=15s] [ago=11m]
func (c *Script) operator(a *args) error {
	d := c.Driver
	if d == nil {
		return fmt.Errorf("nothing was started")
	}
	cmd := record.Command{Kind: record.CommandKind(a.next()), By: "operator@laptop", Node: a.word("node"), Reason: strings.ReplaceAll(a.word("why"), "-", " ")}
	cmd.Retire, cmd.Nodes = a.flag("retire"), a.int("nodes", 0)
	if n := len(d.Run.Batches); n > 0 {
		cmd.Batch, cmd.Hash = d.Run.Batches[n-1].ID, d.Run.Batches[n-1].Hash
	}
	if canary := d.Run.Canary; cmd.Kind == record.CmdAccept && canary != nil {
		cmd.Trouble = canary.Trouble
	}
	if trouble := a.word("trouble"); trouble != "" {
		cmd.Trouble = trouble
	}
	if h := a.word("hash"); h != "" {
		cmd.Hash = h
	}
	if name := a.word("pod"); name != "" {
		p := c.Sim.PodOfApp("app", name)
		if p == nil {
			return fmt.Errorf("there is no pod %s", name)
		}
		cmd.UID = p.UID
	}
	if cmd.ID = a.word("id"); cmd.ID == "" {
		d.Say(cmd)
		return nil
	}
	cmd.By, cmd.Run, cmd.Expires = a.word("by"), d.Run.ID, c.Sim.Now().Add(record.CommandLife)
	cmd.Claimed, cmd.Client = a.flag("claimed"), a.word("client")
	if run := a.word("run"); run != "" {
		cmd.Run = run
	}
	if life := a.word("expires"); life != "" {
		cmd.Expires = c.Sim.Now().Add(a.span("expires", 0))
	}
	d.SendRemote(cmd, a.span("ago", 0))
	return nil
}

// fault makes something go wrong:
//
//	fault lose kind=evict count=2      answers get lost: done, and nobody knows
//	fault drop kind=evict count=2      requests get lost: not done, and nobody knows
//	fault refuse kind=evict as=busy count=2 [after=10s]
//	fault chance p=0.1                 each request may get lost, be refused, or its answer get lost
//	fault half-evict count=1           the budget is charged, and the pod stays
//	fault half-detach count=1          the machine is tagged, and stays in its group
//	fault slow kind=detach takes=55s   requests take so much longer to arrive
//	fault between [min=1] [desired=1]  a user changes a size by so much between the read and the write of our next change of another size
//	fault no-detach a1 [over]          the group does not let a machine go
//	fault balancer takes=20m | fails [over]   leaving the load balancer takes long, or cannot be
//	fault short masters [for=1m]       a peer has a machine less than it is to have
//	fault unjoined masters-1 [for=1m]  a peer's machine has no node
//	fault flap dns every=20s for=2m    the pods of a workload are not Ready half of the time
//	fault away source=cluster for=5m   a source cannot be reached
//	fault expired for=5m               the cloud's credentials have expired
//	fault throttled source=cloud for=1m after=5s   every request is told to come back later
//	fault etcd for=1m                  the API answers from old caches, and writes fail
//	fault no-room zone=a [room=0]      a zone has no machine left
//	fault quota n=8                    the account may run no more machines
//	fault never-join | not-ready | no-labels [over] [count=1]   what becomes of new machines
//	fault never-join replaced=4m       and when the cloud replaces one
//	fault reuses-name [over] [count=1] new nodes take the names of nodes that are gone, if there is one in their zone
//	fault webhook web [over]           a webhook denies evictions
//	fault stale budget=web [over]      the disruption controller does not look
//	fault silent a1 [for=3m] [gone=10m] [over]   a kubelet is not heard from; the cloud gives its machine up
//	fault interrupt a1                 the cloud takes a Spot machine back in two minutes
//	fault unhealthy a1                 the group finds a machine unhealthy, and replaces it
//	fault node-hook fails | hangs | takes=1m | chance=0.1   hooks before and after nodes
//	fault condition a1 KernelDeadlock [for=3m] [over]   a node has a condition (systems.go)
//	fault update a1 fails why=no-space | hangs   the next update of a node in place
//	fault hostile [over]               messages carry what must not reach a terminal
func (c *Script) fault(a *args) error {
	what, over := a.next(), a.flag("over")
	for _, kind := range []func(what string, over bool, a *args) (known bool, err error){c.callFault, c.apiFault, c.groupFault} {
		if known, err := kind(what, over, a); known {
			c.Sim.Touch()
			return err
		}
	}
	return c.otherFault(what, over, a)
}

// callFault are the faults of the run's own calls.
func (c *Script) callFault(what string, _ bool, a *args) (known bool, err error) {
	f := &c.Sim.Faults
	kind, count := record.ActionKind(a.word("kind")), a.int("count", 1)
	switch what {
	case "lose":
		f.Lose[kind] = count
	case "drop":
		f.Drop[kind] = count
	case "slow":
		f.Slow[kind] = a.span("takes", 0)
	case "refuse":
		o := sim.Refuse(record.Refusal(a.word("as")), "%s", map[string]string{"busy": "Rate exceeded", "forbidden": "you are not authorized to perform: " + string(kind)}[a.word("as")])
		o.After = a.span("after", 0)
		f.RefuseNext(kind, o, count)
	case "chance":
		f.Chance, err = strconv.ParseFloat(a.word("p"), 64)
	case "half-evict":
		f.HalfEvict = count
	case "half-detach":
		f.HalfDetach = count
	case "between":
		f.Between = world.Sizes{Min: a.int("min", 0), Desired: a.int("desired", 0)}
	default:
		return false, nil
	}
	return true, err
}

// apiFault are the faults of the APIs.
func (c *Script) apiFault(what string, over bool, a *args) (known bool, err error) {
	s, f := c.Sim, &c.Sim.Faults
	switch what {
	case "away":
		s.Outage(world.Source(a.word("source")), a.span("for", time.Minute), sim.Away)
	case "expired":
		s.Outage(world.Cloud, a.span("for", time.Minute), "AWS credentials expired (ExpiredToken): The security token included in the request is expired")
	case "throttled":
		f.Throttle(world.Source(a.word("source")), s.Now().Add(a.span("for", time.Minute)), a.span("after", 5*time.Second))
	case "etcd":
		s.EtcdOutage(a.span("for", time.Minute))
	case "unwritten":
		f.UnwrittenUntil = s.Now().Add(a.span("for", time.Minute))
	case "large":
		if c.Driver == nil {
			return true, errors.New("there is no run yet whose record could be too large")
		}
		c.Driver.Reduces = !over
	case "hostile":
		f.Hostile = !over
	case "webhook":
		f.Webhook[a.next()] = !over
	case "stale":
		b := s.Budgets()["app/"+a.word("budget")]
		if b == nil {
			return true, fmt.Errorf("there is no such budget")
		}
		b.Stuck, b.Current = !over, over
		s.SetBudget(b)
	default:
		return false, nil
	}
	return true, nil
}

// groupFault are the faults of the group and of the machines that it launches.
func (c *Script) groupFault(what string, over bool, a *args) (known bool, err error) {
	s, f := c.Sim, &c.Sim.Faults
	switch what {
	case "no-room":
		s.Tilted = true
		s.Group.ZoneRoom[a.word("zone")] = a.int("room", 0)
		if over {
			delete(s.Group.ZoneRoom, a.word("zone"))
		}
	case "quota":
		s.Group.Quota = a.int("n", 0)
	case "never-join", "not-ready", "no-labels", "reuses-name":
		f.Machines[what], f.MachinesLeft[what] = !over, a.int("count", 0)
		f.ReplacedAfter = a.span("replaced", f.ReplacedAfter)
	default:
		return false, nil
	}
	return true, nil
}

// otherFault are the faults of nodes, machines and hooks.
func (c *Script) otherFault(what string, over bool, a *args) error {
	switch what {
	case "node-hook":
		c.hookFault(a)
		c.Sim.Touch()
		return nil
	case "update":
		return c.updateFault(a)
	case "condition":
		return c.condition(over, a)
	case "no-detach", "balancer", "short", "outside", "unjoined", "flap":
		return c.kopsFault(what, over, a)
	case "silent", "interrupt", "unhealthy":
		return c.strike(what, over, a)
	}
	return fmt.Errorf("there is no fault %q", what)
}

// strike lets something happen to one machine.
func (c *Script) strike(what string, over bool, a *args) error {
	s := c.Sim
	m, err := c.machine(a.next())
	if err != nil {
		return err
	}
	switch what {
	case "interrupt":
		s.Interrupt(m)
	case "unhealthy":
		s.FindUnhealthy(m)
	case "silent":
		if over {
			s.HearAgain(m)
			break
		}
		s.Silence(m)
		if back := a.span("for", 0); back > 0 {
			s.After(back, func() { s.HearAgain(m) })
		}
		if gone := a.span("gone", 0); gone > 0 {
			s.After(gone, func() { s.FindUnhealthy(m) })
		}
	}
	return nil
}

// machine finds a machine by its node's name.
func (c *Script) machine(name string) (*sim.Machine, error) {
	m := c.Sim.MachineOf(name)
	if m == nil {
		return nil, fmt.Errorf("there is no machine %q", name)
	}
	return m, nil
}

// hookFault lets hooks before and after nodes go wrong:
//
//	fault node-hook fails [node=a1] [phase=after-node] [count=2]
//	fault node-hook hangs [node=a1] [phase=after-node] [count=2]
//	fault node-hook takes=1m
//	fault node-hook chance=0.1
func (c *Script) hookFault(a *args) {
	h := &c.Sim.NodeHooks
	if h.Fails == nil {
		h.Fails, h.Hangs = map[string]int{}, map[string]int{}
	}
	phase := a.word("phase")
	if phase == "" {
		phase = string(record.BeforeNode)
	}
	key, count := phase+"/"+a.word("node"), a.int("count", 1)
	if a.flag("fails") {
		h.Fails[key] = count
	}
	if a.flag("hangs") {
		h.Hangs[key] = count
	}
	h.Takes = a.span("takes", h.Takes)
	h.Chance = a.float("chance", h.Chance)
}
