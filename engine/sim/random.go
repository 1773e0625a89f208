package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
)

// Random plays a small random cluster with random faults to its end, every step
// checked. It returns the script of what it did and what happened, for a person to
// shrink into a scenario, and the first broken rule, "" if none was.
func Random(seed uint64) (told string, broken string) {
	r := rand.New(rand.NewPCG(seed, 0xfa017))
	c := NewScript()
	var script strings.Builder
	say := func(format string, args ...any) {
		line := fmt.Sprintf(format, args...)
		out, err := c.Do(line)
		script.WriteString(line + "\n" + out)
		if err != nil && broken == "" {
			broken = line + ": " + err.Error()
		}
	}
	pick := func(of ...string) string { return of[r.IntN(len(of))] }

	say("seed %d", seed)
	say("timing boot=%ds ready=%ds terminate=%ds cloud-lag=%dms cluster-lag=%dms", 2+r.IntN(10), 1+r.IntN(5), 2+r.IntN(15), 100+r.IntN(3000), 5+r.IntN(300))
	zones := pick("a", "a,b", "a,b,c")
	say("cluster zones=%s nodes=%d template=%s new=%d slots=%d", zones, 1+r.IntN(5), pick("1", "2", "2", "2"), r.IntN(2), 3+r.IntN(4))
	for i := range 1 + r.IntN(3) {
		name := fmt.Sprintf("w%d", i)
		say("workload %s %s replicas=%d stop=%ds ready=%ds %s", name, pick("", "", "kind=statefulset"), 1+r.IntN(4), r.IntN(8), 1+r.IntN(5), pick("", "", "", "tolerates-all", "never-ready"))
		switch r.IntN(4) {
		case 0, 1:
			say("budget %s max=1 %s", name, pick("", "always-allow"))
		case 2:
			say("budget %s min=%d", name, 1+r.IntN(3))
		}
	}
	say("workload logs kind=daemonset")
	say("settings max-unavailable=%s post-drain-wait=%ds drain-timeout=%ds node-ready-timeout=60s pending-limit=20s gate-pause=60s on-drain-timeout=%s %s",
		pick("1", "1", "2", "50%"), r.IntN(8), 20+r.IntN(60), pick("fail", "fail", "force", "skip"), pick("", "", "approve=batch", "ami=ami-9"))
	if r.IntN(3) == 0 {
		say("somebody cordon a1")
	}
	if r.IntN(4) == 0 {
		say("somebody suspends AZRebalance")
	}
	say("start")
	if c.Driver == nil {
		return script.String(), broken
	}
	c.Driver.Audit = 8
	say("fault chance p=%s", pick("0", "0.05", "0.2"))
	for step := 0; c.Driver.Run.State != engine.Finished && broken == "" && step < 60; step++ {
		say("run for=%dms", 200+r.IntN(15000))
		if c.Driver.Run.State == engine.Finished {
			break
		}
		c.meddle(r, say, pick, step)
	}
	if c.Driver.Run.State != engine.Finished && broken == "" {
		say("fault chance p=0")
		for try := 0; c.Driver.Run.State != engine.Finished && broken == "" && try < 3; try++ { // a crash may swallow it
			say("operator abort")
			say("run for=%s", 30*time.Minute)
		}
		if c.Driver.Run.State != engine.Finished && broken == "" {
			broken = fmt.Sprintf("the run does not end: %s", c.runLine())
		}
	}
	return script.String(), broken
}

// meddle is one random thing that an operator, somebody else or fate may do.
func (c *Script) meddle(r *rand.Rand, say func(string, ...any), pick func(...string) string, step int) {
	run := &c.Driver.Run
	if n := len(run.Batches); run.State == engine.Paused {
		say("operator resume")
		return
	} else if n > 0 && run.Batches[n-1].Approved.IsZero() && c.Driver.in.Commands == nil {
		say("operator approve")
		return
	}
	switch r.IntN(28) {
	case 0:
		say("operator pause")
	case 1:
		if step > 8 {
			say("operator abort")
		}
	case 2, 3:
		say("crash %s %s for=%ds", pick("", "before-save", "before-act", "mid-act", "after-act"), pick("", "lost"), 1+r.IntN(60))
	case 4:
		say("sleep for=%ds", 1+r.IntN(300))
	case 5:
		say("fault away source=%s for=%ds", pick("cluster", "cloud"), 1+r.IntN(120))
	case 6:
		say("fault lose kind=%s count=%d", pick("evict", "terminate", "cordon", "taint", "set-sizes", "look", "check", "resume", "launch-in"), 1+r.IntN(3))
	case 7:
		say("fault drop kind=%s count=%d", pick("evict", "terminate", "cordon", "taint", "set-sizes", "look", "check", "uncordon", "suspend"), 1+r.IntN(3))
	case 8:
		say("fault refuse kind=%s as=busy count=%d", pick("evict", "terminate", "cordon", "look", "set-sizes"), 1+r.IntN(4))
	case 9:
		if node := c.anyNode(r); node != "" {
			say("somebody cordon %s", node)
		}
	case 10:
		say("somebody scale group=%s", pick("+1", "-1"))
	case 11:
		say("somebody scale w0=%d", 1+r.IntN(5))
	case 12:
		if node := c.anyNode(r); node != "" {
			say("somebody kills %s", node)
		}
	case 13:
		say("fault no-room zone=%s room=%d", pick(c.Sim.group.Zones...), r.IntN(2))
	case 14:
		say("fault webhook w0 %s", pick("", "over"))
	case 15:
		say("fault %s %s", pick("never-join", "not-ready"), pick("", "over", "over"))
	case 16:
		say("fault refuse kind=%s as=forbidden count=%d", pick("terminate", "evict", "resume", "uncordon", "set-sizes"), 1+r.IntN(5))
	case 17:
		if node := c.anyNode(r); node != "" {
			say("operator skip node=%s", node)
		}
	case 18:
		for _, n := range sortedKeys(run.Nodes) {
			if run.Nodes[n].Stage == engine.Draining {
				say("operator force node=%s", run.Nodes[n].Name)
				return
			}
		}
	}
}

// anyNode is some node that is not on its way out.
func (c *Script) anyNode(r *rand.Rand) string {
	list := c.Sim.alive()
	if len(list) == 0 {
		return ""
	}
	m := list[r.IntN(len(list))]
	if c.Sim.Truth.Node(m.name) == nil {
		return ""
	}
	return m.name
}
