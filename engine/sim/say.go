package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// operator says something to the run:
//
//	operator approve | pause | resume | abort
//	operator force node=a1 [pod=web-1] [why=maintenance-window]
//	operator skip node=a1
func (c *Script) operator(a *args) error {
	d := c.Driver
	if d == nil {
		return fmt.Errorf("nothing was started")
	}
	cmd := engine.Command{Kind: engine.CommandKind(a.next()), By: "operator@laptop", Node: a.word("node"), Reason: strings.ReplaceAll(a.word("why"), "-", " ")}
	if n := len(d.Run.Batches); n > 0 {
		cmd.Batch, cmd.Hash = d.Run.Batches[n-1].ID, d.Run.Batches[n-1].Hash
	}
	if h := a.word("hash"); h != "" {
		cmd.Hash = h
	}
	if name := a.word("pod"); name != "" {
		p := c.Sim.byName("app", name)
		if p == nil {
			return fmt.Errorf("there is no pod %s", name)
		}
		cmd.UID = p.UID
	}
	d.Say(cmd)
	return nil
}

// somebody else acts on the cluster or the cloud:
//
//	somebody scale group=+2 | scale web=13
//	somebody cordon a1 | uncordon a1 | taint a1 key=k value=v effect=NoSchedule
//	somebody deletes pod=web-1 | budget=web
//	somebody clears finalizers=web-1
//	somebody sets template=3 [spec=$Latest]
//	somebody suspends AZRebalance
//	somebody kills | stands-by | detaches a1
func (c *Script) somebody(a *args) error {
	s := c.Sim
	switch verb := a.next(); verb {
	case "scale":
		return c.scale(a)
	case "cordon", "uncordon":
		return c.onNode(a.next(), func(n *world.Node) { n.Unschedulable = verb == "cordon" })
	case "taint":
		t := world.Taint{Key: a.word("key"), Value: a.word("value"), Effect: a.word("effect")}
		return c.onNode(a.next(), func(n *world.Node) { n.Taints = append(n.Taints, t) })
	case "deletes":
		if name := a.word("pod"); name != "" {
			p := s.byName("app", name)
			if p == nil {
				return fmt.Errorf("there is no pod %s", name)
			}
			s.kill(p.UID, nil)
		}
		if name := a.word("budget"); name != "" {
			s.DropBudget("app/" + name)
		}
	case "clears":
		p := s.byName("app", a.word("finalizers"))
		if p == nil {
			return fmt.Errorf("there is no such pod")
		}
		s.finalize(p)
	case "sets":
		s.SetTemplate(int64(a.int("template", 2)), a.word("spec"))
	case "suspends":
		s.group.Suspended = append(s.group.Suspended, a.next())
		s.listMachines()
	case "stands-by", "detaches":
		name := a.next()
		m := s.machines["i-"+name]
		if m == nil {
			return fmt.Errorf("there is no such machine")
		}
		switch verb {
		case "stands-by":
			m.State = world.MachineStandby
			s.group.Sizes.Desired--
		case "detaches":
			delete(s.machines, m.ID)
			s.group.Sizes.Desired--
			s.foreign.Desired--
		}
		s.listMachines()
	case "kills":
		m := s.machines["i-"+a.next()]
		if m == nil {
			return fmt.Errorf("there is no such machine")
		}
		s.end(m)
	default:
		return fmt.Errorf("somebody cannot %q", verb)
	}
	s.touch()
	return nil
}

// onNode changes a node. Marks that look like ours are remembered as not ours;
// those made while a run goes on may coincide with ours, and so may go with them.
func (c *Script) onNode(name string, edit func(*world.Node)) error {
	if !c.Sim.editNode(name, edit) {
		return fmt.Errorf("there is no node %s", name)
	}
	for _, mark := range marksOn(c.Sim.Truth.Node(name)) {
		c.Sim.marks[mark] = c.Sim.marks[mark] || c.Driver == nil
	}
	return nil
}

func (c *Script) scale(a *args) error {
	s := c.Sim
	if by := a.word("group"); by != "" {
		n, err := strconv.Atoi(by)
		if err != nil {
			return err
		}
		sizes := &s.group.Sizes
		n = max(n, sizes.Min-sizes.Desired)
		sizes.Desired += n
		s.foreign.Desired += n
		if over := sizes.Desired - sizes.Max; over > 0 {
			sizes.Max += over
			s.foreign.Max += over
		}
		s.listMachines()
		s.touch()
		return nil
	}
	for _, name := range sortedKeys(a.pair) {
		if name == "group" {
			continue
		}
		if err := s.Scale(name, a.int(name, 0)); err != nil {
			return err
		}
	}
	return nil
}

// fault makes something go wrong:
//
//	fault lose kind=evict count=2      answers get lost: done, and nobody knows
//	fault drop kind=evict count=2      requests get lost: not done, and nobody knows
//	fault refuse kind=evict as=busy count=2 [after=10s]
//	fault chance p=0.1                 each request may get lost, be refused, or its answer get lost
//	fault away source=cluster for=5m   a source cannot be reached
//	fault no-room zone=a [room=0]      a zone has no machine left
//	fault quota n=8                    the account may run no more machines
//	fault never-join | not-ready | no-labels [over] [count=1]   what becomes of new machines
//	fault never-join replaced=4m       and when the cloud replaces one
//	fault webhook web [over]           a webhook denies evictions
//	fault stale budget=web [over]      the disruption controller does not look
func (c *Script) fault(a *args) error {
	s, f := c.Sim, &c.Sim.faults
	what, over := a.next(), a.flag("over")
	kind, count := engine.ActionKind(a.word("kind")), a.int("count", 1)
	switch what {
	case "lose":
		f.lose[kind] = count
	case "drop":
		f.drop[kind] = count
	case "refuse":
		o := refuse(engine.Refusal(a.word("as")), "%s", map[string]string{"busy": "Rate exceeded", "forbidden": "you are not authorized to perform: " + string(kind)}[a.word("as")])
		o.After = a.span("after", 0)
		f.refused[kind] = refusal{o, count}
	case "chance":
		p, err := strconv.ParseFloat(a.word("p"), 64)
		f.chance = p
		return err
	case "away":
		s.Outage(world.Source(a.word("source")), a.span("for", time.Minute))
	case "no-room":
		s.group.room[a.word("zone")] = a.int("room", 0)
		if over {
			delete(s.group.room, a.word("zone"))
		}
	case "quota":
		s.group.quota = a.int("n", 0)
	case "never-join", "not-ready", "no-labels":
		f.machine[what], f.left[what] = !over, a.int("count", 0)
		f.replaced = a.span("replaced", f.replaced)
	case "webhook":
		f.webhook[a.next()] = !over
	case "stale":
		b := s.budgets["app/"+a.word("budget")]
		if b == nil {
			return fmt.Errorf("there is no such budget")
		}
		b.stuck, b.Current = !over, over
		s.setBudget(b)
	default:
		return fmt.Errorf("there is no fault %q", what)
	}
	s.touch()
	return nil
}
