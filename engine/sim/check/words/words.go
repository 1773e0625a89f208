package words

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/sim/drive"
	"github.com/drainboard/drainboard/engine/world"
)

// Check is the check of what one driver tells. Make one with New.
type Check struct {
	d    *drive.Driver
	sees func(world.Source) bool // whether the driver knows of a source well enough to act

	// What there is, or was: events may name nothing else.
	zones   map[string]string          // of machines by ID, and of nodes by name
	pods    map[string]bool            // by namespace/name
	budgets map[string]bool            // by namespace/name
	drains  map[string]time.Time       // when the drain of a node was told, by machine
	owned   map[string]map[string]bool // the UIDs of all pods that there were, by that of their owner
	back    map[returned]bool          // pods that were told to have come back
	passed  map[int]bool               // by lives of the driver: the canary was told to be healthy
	gone    time.Time                  // when a node was told to be replaced the last time
	repeats Repeats
	// suspended are the processes that this process of the driver has seen suspended by its run.
	suspended map[string]bool
}

// returned is a pod that has come back, as one process of the run tells it.
type returned struct {
	uid    string
	deaths int
}

// New makes the check of a driver that has told nothing yet.
func New(d *drive.Driver, sees func(world.Source) bool) *Check {
	return &Check{d: d, sees: sees, zones: map[string]string{}, pods: map[string]bool{}, budgets: map[string]bool{}, drains: map[string]time.Time{}, owned: map[string]map[string]bool{}, back: map[returned]bool{}, passed: map[int]bool{}, suspended: map[string]bool{}}
}

// Decided checks what a decision tells.
func (c *Check) Decided(before record.Run, in engine.Inputs, dec engine.Decision) {
	c.learn()
	for i, e := range dec.Events {
		c.names(e)
		if why := Wrong(e, c.d.Sim.Now()); why != "" {
			c.says(e, "%s", why)
		}
		c.budgetsOf(e)
		c.numbers(e, &dec.Run)
		c.seen(e)
		if len(in.Commands) == 1 { // else it is said in between
			c.refusals(e, &before, &dec.Run)
		}
		c.missing(e)
		c.lacking(e)
		if e.Type != record.BatchWaiting && e.Type != record.BatchApproved && !c.isPhase(e.Phase, &before, &dec.Run) {
			c.d.Breaks("told: %s %s is said to be of phase %q: %v, before %v", e.Type, e.Node, e.Phase, dec.Run.Phases, before.Phases)
		}
		if e.Pod == "" && len(in.Commands) < 2 && slices.ContainsFunc(dec.Events[:i], func(x record.Event) bool {
			return x.Type == e.Type && x.Node == e.Node && x.Pod == "" && x.Message == e.Message && x.Reason == e.Reason
		}) {
			c.d.Breaks("told: twice in one decision: %s %s: %s", e.Type, e.Node, e.Message)
		}
	}
	c.run(&before, dec)
	c.ended(dec)
	c.phases(&before, dec)
	c.batches(dec)
	c.canary(&dec.Run)
	c.nodes(&before, dec)
	c.requests(&before, in, dec)
	c.sizes(&before, dec)
	c.invalid(&dec.Run)
	if !in.Unwritten {
		c.movers(&before, &dec.Run)
	}
	c.workloads(&dec.Run)
}

// Told checks that nothing is told over and over, by the events of decisions that stand.
func (c *Check) Told(events []record.Event) {
	for _, e := range events {
		if c.repeats.Often(e, c.d.Sim.Now()) && !(e.Reason == "gate" && c.comeBack()) {
			c.says(e, "it is told over and over")
		}
		c.once(e)
	}
}

// comeBack reports whether pods may come back as often as they are evicted from a node in work: what holds the next drain is
// in turn that they are blocked there, and that too few nodes serve.
func (c *Check) comeBack() bool {
	for _, n := range c.d.Run.Nodes.All() {
		if n.Stage != record.Draining && n.Stage != record.Updating {
			continue
		}
		if slices.ContainsFunc(c.d.Sim.View.PodsOn(n.Name), func(p *world.Pod) bool { return p.ToleratesAll }) {
			return true
		}
	}
	return false
}

// lasts is how long a controller may not be done with what it has replaced before that is told.
const lasts = 25 * time.Second

// CameBack reports whether a pod was told to have come back, in this life of the driver.
func (c *Check) CameBack(uid string) bool { return c.back[returned{uid, c.d.Deaths}] }

// once checks that a pod is told once to have come back, the canary once to be healthy and then not to be in trouble,
// and that a controller is not done only once that lasts.
func (c *Check) once(e record.Event) {
	now := c.d.Sim.Now()
	switch p := c.d.Sim.PodNamed(e.Pod); {
	case e.Reason == "canary" && c.passed[c.d.Deaths] && !strings.HasPrefix(e.Message, "canary healthy again"):
		c.says(e, "the canary was told to be healthy, and the other nodes follow")
	case e.Reason == "canary" && e.Type == record.ValidationPassed:
		c.passed[c.d.Deaths] = !strings.HasPrefix(e.Message, "canary healthy again")
	case e.Type == record.NodeReplaced:
		c.gone = now
	case e.Reason == record.ReasonNotComplete && now.Sub(c.gone) < lasts:
		c.says(e, "a node was replaced %s ago", now.Sub(c.gone))
	case e.Type == record.PodBlocked && p != nil && e.Message == "came back to the node it was evicted from":
		key := returned{p.UID, c.d.Deaths}
		if c.back[key] {
			c.says(e, "that was told")
		}
		c.back[key] = true
	}
}

// workloads checks that pods are counted as moved with their owners, and no more of them than there were.
func (c *Check) workloads(r *record.Run) {
	for owner, w := range r.Workloads {
		if all := len(c.owned[owner]); w.Moved > all {
			c.d.Breaks("told: %d pods of %s (%s) were moved, and it had %d", w.Moved, w.Ref(), owner, all)
		}
	}
}

// owns notes whose a pod is.
func (c *Check) owns(p *world.Pod) {
	if c.owned[p.Owner.UID] == nil {
		c.owned[p.Owner.UID] = map[string]bool{}
	}
	c.owned[p.Owner.UID][p.UID] = true
}

// learn notes what there is.
func (c *Check) learn() {
	s := c.d.Sim
	for _, m := range s.View.Machines() {
		c.zones[m.ID] = m.Zone
		if n := s.View.NodeOf(m.ID); n != nil {
			c.zones[n.Name] = m.Zone
			for _, p := range s.View.PodsOn(n.Name) { // some of them may be gone by now
				c.pods[p.Ref()] = true
				c.owns(p)
			}
		}
	}
	for id, m := range s.Machines() {
		c.zones[id], c.zones[m.Name] = m.Zone, m.Zone
	}
	for _, m := range s.Group.Warm {
		c.zones[m.ID] = m.Zone
	}
	for _, p := range s.AllPods() {
		c.pods[p.Ref()] = true
		c.owns(&p.Pod)
	}
	for ref := range s.Budgets() {
		c.budgets[ref] = true
	}
}

// says reports that what an event says is not so.
func (c *Check) says(e record.Event, format string, args ...any) {
	c.d.Breaks("told: %s (%s, node %q, pod %q, reason %q): %s: %q", e.Type, e.Phase, e.Node, e.Pod, e.Reason, fmt.Sprintf(format, args...), e.Message)
}

// isPhase reports whether a run is in a phase ("": in none), was in it before, or has just been.
func (c *Check) isPhase(name string, before, r *record.Run) bool {
	in := func(r *record.Run) string {
		for _, p := range r.Phases {
			if !p.Start.IsZero() && p.End.IsZero() {
				return p.Name
			}
		}
		return ""
	}
	return name == in(before) || name == in(r) || slices.ContainsFunc(r.Phases, func(p record.Phase) bool {
		return p.Name == name && p.End.Equal(c.d.Sim.Now())
	})
}

// names checks that what an event names is there, and that it names what it has to.
func (c *Check) names(e record.Event) {
	zone := c.zones[e.Node]
	kind, _, _ := strings.Cut(string(e.Type), ".")
	switch {
	case e.Node != "" && e.Reason != "refused" && !c.knows(e.Node): // what an operator has named need not be there
		c.says(e, "there is no such node")
	case e.Node != "" && e.Zone != "" && zone != "" && e.Zone != zone:
		c.says(e, "it is in zone %s, not in %s", zone, e.Zone)
	case kind == "node" && (e.Node == "" || e.Zone == "" && zone != "" && c.d.Sim.View.Node(e.Node) != nil): // what has gone may be known by its name alone
		c.says(e, "it does not name its node and zone (%s, %s)", e.Zone, zone)
	case kind == "pod" && e.Pod == "":
		c.says(e, "it names no pod")
	case e.Pod != "" && !c.pods[e.Pod]:
		c.says(e, "there is no such pod")
	case kind == "batch" && e.Batch == 0 && e.Phase == "":
		c.says(e, "it names no batch and no phase")
	}
}

// knows reports whether a node was seen, or a pod tells that it is there, which may show before its node does.
func (c *Check) knows(node string) bool {
	_, seen := c.zones[node]
	return seen || len(c.d.Sim.View.PodsOn(node)) > 0
}

// budgetsOf checks that a pod is said to be kept by its own budgets.
func (c *Check) budgetsOf(e record.Event) {
	p := c.d.Sim.PodNamed(e.Pod)
	if e.Type != record.PodBlocked || e.Budget == "" || p == nil {
		return
	}
	seen := c.d.Sim.View.Pod(p.UID)
	if seen == nil {
		return
	}
	var own []string
	for _, b := range c.d.Sim.View.BudgetsOf(seen) {
		own = append(own, b.Ref())
	}
	for _, ref := range strings.Split(e.Budget, ",") {
		if !slices.Contains(own, ref) {
			c.d.Breaks("told: %s is kept by budget %s; it has %v", e.Pod, ref, own)
		}
	}
}

var (
	podsToMove = regexp.MustCompile(`^([0-9]+) pods? to move$`)
	emptyAfter = regexp.MustCompile(`^empty after (\S+)$`)
	runEnded   = regexp.MustCompile(`\(([0-9]+) of ([0-9]+) nodes \S+ in (\S+)\)`)
	phaseTook  = regexp.MustCompile(`^(.*) took (\S+)$`)
)

// numbers checks the numbers that a sentence has.
func (c *Check) numbers(e record.Event, r *record.Run) {
	now := c.d.Sim.Now()
	switch {
	case e.Type == record.NodeDraining && e.Reason == "":
		c.drains[machineOf(r, e.Node)] = now
		if m := podsToMove.FindStringSubmatch(e.Message); m == nil || m[1] != fmt.Sprint(c.toLeave(e.Node)) {
			c.d.Breaks("told: %s drains: %q; %d pods have to leave", e.Node, e.Message, c.toLeave(e.Node))
		}
	case e.Type == record.NodeDrained:
		began, told := c.drains[machineOf(r, e.Node)]
		if m := emptyAfter.FindStringSubmatch(e.Message); told && (m == nil || !about(m[1], now.Sub(began))) {
			c.d.Breaks("told: %s is %s; its drain began %s ago", e.Node, e.Message, now.Sub(began))
		}
	case e.Type == record.PhaseFinished:
		m := phaseTook.FindStringSubmatch(e.Message)
		for _, p := range r.Phases {
			if p.Name == e.Phase && !p.Start.IsZero() && (m == nil || m[1] != p.Name || !about(m[2], now.Sub(p.Start))) {
				c.d.Breaks("told: %q; phase %s began %s ago", e.Message, p.Name, now.Sub(p.Start))
			}
		}
	case e.Type == record.RunFinished:
		if m := runEnded.FindStringSubmatch(e.Message); m != nil && (m[1] != fmt.Sprint(replaced(r)) || !about(m[3], now.Sub(r.Started))) {
			c.d.Breaks("told: %q; %d nodes are replaced, and the run began %s ago", e.Message, replaced(r), now.Sub(r.Started))
		}
	}
}

// machineOf is the machine that an event names as its node.
func machineOf(r *record.Run, node string) string {
	for id, n := range r.Nodes.All() {
		if n.Name == node || id == node {
			return id
		}
	}
	return node
}

// about reports whether a duration is one that is told in whole seconds.
func about(told string, is time.Duration) bool {
	d, err := time.ParseDuration(told)
	return err == nil && (d-is).Abs() <= time.Second
}

// replaced counts the outdated nodes that a run has replaced.
func replaced(r *record.Run) (n int) {
	for _, x := range r.Nodes.All() {
		if !x.New && x.Stage == record.Replaced {
			n++
		}
	}
	return n
}

// toLeave counts the pods that have to leave a node, as the driver sees them: neither
// DaemonSets' nor mirror pods, and none that has run to its end.
func (c *Check) toLeave(node string) (n int) {
	for _, p := range c.d.Sim.View.PodsOn(node) {
		if p.Owner.Kind != sim.DaemonSet && !p.Mirror && p.Phase != world.PodSucceeded && p.Phase != world.PodFailed {
			n++
		}
	}
	return n
}

// seen checks that what an event says of a node or a pod can be seen.
func (c *Check) seen(e record.Event) {
	view := c.d.Sim.View
	var p *world.Pod
	if named := c.d.Sim.PodNamed(e.Pod); named != nil {
		p = view.Pod(named.UID)
	}
	n := view.Node(c.d.Sim.Names.NodeName(e.Node))
	if n == nil {
		n = view.NodeOf(e.Node)
	}
	switch {
	case e.Type == record.WorkloadPending && p != nil && p.Node != "" && p.Phase != world.PodPending,
		e.Type == record.WorkloadCrashing && p != nil && !p.Crashing,
		e.Type == record.NodeReady && strings.HasPrefix(e.Message, "joined and Ready") && (n == nil || !n.Ready):
		c.d.Breaks("told: %s %s%s: %s; that is not so", e.Type, e.Node, e.Pod, e.Message)
	}
}
