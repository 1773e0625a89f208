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
	zones   map[string]string            // of machines by ID, and of nodes by name
	pods    map[string]bool              // by namespace/name
	budgets map[string]bool              // by namespace/name
	drains  map[string]time.Time         // when the drain of a node was told, by machine
	told    map[record.Event][]time.Time // when just that was told, the last times
}

// New makes the check of a driver that has told nothing yet.
func New(d *drive.Driver, sees func(world.Source) bool) *Check {
	return &Check{d: d, sees: sees, zones: map[string]string{}, pods: map[string]bool{}, budgets: map[string]bool{}, drains: map[string]time.Time{}, told: map[record.Event][]time.Time{}}
}

// Decided checks what a decision tells.
func (c *Check) Decided(before record.Run, in engine.Inputs, dec engine.Decision) {
	c.learn()
	for i, e := range dec.Events {
		c.names(e)
		c.sentence(e)
		c.reason(e)
		c.budgetsOf(e)
		c.numbers(e, &dec.Run)
		c.seen(e)
		if len(in.Commands) == 1 { // else it is said in between
			c.refusals(e, &before, &dec.Run)
		}
		c.missing(e)
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
	c.nodes(&before, dec)
	c.requests(&before, in, dec)
	c.sizes(&before, dec)
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
	}
	for ref := range s.Budgets() {
		c.budgets[ref] = true
	}
}

// says reports that what an event says is not so.
func (c *Check) says(e record.Event, format string, args ...any) {
	c.d.Breaks("told: %s (%s, node %q, pod %q, reason %q): %s: %q", e.Type, e.Phase, e.Node, e.Pod, e.Reason, fmt.Sprintf(format, args...), e.Message)
}

// often is how many times within a minute an event may be told with the same words.
const often = 5

// repeated are what may be told as often as it happens: commands and what they start once more,
// and pods that come back.
var repeated = []record.EventType{record.RunPaused, record.RunResumed, record.HookStarted, record.NodeDraining, record.NodeDrained, record.NodeSettling, record.PodEvicted, record.PodBlocked, record.PodForced, record.PodGone, record.WorkloadScaled}

// Told checks that nothing is told over and over, by the events of decisions that stand.
func (c *Check) Told(events []record.Event) {
	for _, e := range events {
		if e.Reason == "refused" || e.Reason == "extended" || e.Reason == "validation" || slices.Contains(repeated, e.Type) {
			continue
		}
		same := record.Event{Type: e.Type, Node: e.Node, Pod: e.Pod, Reason: e.Reason, Message: e.Message}
		at := append(c.told[same], c.d.Sim.Now())
		if len(at) > often && at[len(at)-1].Sub(at[len(at)-1-often]) < time.Minute {
			c.says(e, "it is told for the %dth time within a minute", often+1)
		}
		c.told[same] = at[max(0, len(at)-often):]
	}
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
	zone, known := c.zones[e.Node]
	kind, _, _ := strings.Cut(string(e.Type), ".")
	switch {
	case e.Node != "" && !known && e.Reason != "refused": // what an operator has named need not be there
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

// odd finds words that no sentence has: what fmt makes of a wrong argument, an empty part, a
// number below zero, and one of several.
var odd = regexp.MustCompile(`%!|  |\(\)|: *$|^ |(^|[ (])-[0-9]|(^|[^f] )\b1 (nodes|pods|machines|replicas|instances|attempts|validations|budgets|evictions|disruptions|containers)\b|\b0 more\b|<nil>|0001-01-01`)

// theirs is what the Sim's APIs say in words of their own, control characters and all.
var theirs = regexp.MustCompile(`[0-9]+/[0-9]+ nodes are available[^;]*?(\.|$)|\[2J.*?next line`)

// sentence checks that an event says something, and that it lasts until a time to come.
func (c *Check) sentence(e record.Event) {
	if e.Message == "" || e.Message == e.Node || odd.MatchString(theirs.ReplaceAllString(e.Message, "x")) {
		c.says(e, "that is no sentence")
	}
	if e.Until != nil && e.Until.Before(c.d.Sim.Now()) {
		c.says(e, "it was over %s ago", c.d.Sim.Now().Sub(*e.Until))
	}
}

// reasons are the words that the events of a type may have as their reason; a type that is not
// listed has reasons of its own.
var reasons = map[record.EventType][]string{
	record.PhaseStarted: {""}, record.PhaseFinished: {""}, record.RunFinished: {""}, record.BatchWaiting: {""},
	record.NodeOutdated: {"", "put back", "returned", "candidate"}, record.NodeReady: {"", "put back"},
	record.NodeTainted: {"", "annotation", "request"}, record.NodeCordoned: {"", "label"}, record.NodeDraining: {"", "unblocked"},
	record.NodeDrained: {""}, record.NodeSettling: {"", "routes"}, record.NodeTerminating: {""}, record.NodeLaunching: {""},
	record.NodeReplaced: {"", "surplus", "given up", "in place"}, record.NodeUpdating: {""},
	record.PodEvicted: {""}, record.PodUnblocked: {""}, record.PodGone: {""}, record.CapacityChanged: {"", "not by us"},
	record.ValidationPassed: {"validation", "canary"}, record.ValidationFailed: {"validation", "canary"},
	record.HookStarted: {"before-node", "after-node"}, record.HookPassed: {"before-node", "after-node"}, record.HookFailed: {"before-node", "after-node"},
	record.InstanceDetached: {""}, record.InstanceOut: {""}, record.WorkloadScaled: {""}, record.WorkloadPending: {""}, record.WorkloadCrashing: {""}, record.WorkloadReady: {""},
	record.Warning: {"", "refused", "rival", "rival gone", "max-unavailable", "note", "gate", "looked up", "extended", "validation", "order", "not complete",
		"unhealthy", "blind", "launch failed", "launch overdue", "given up", "single", "wave", "unreachable", "deregistering", "canary", "left behind",
		"not by us", "eks", "candidates", "command waits", "record unwritten", "record written", "in sight", "out of sight", "trace", "not heard"},
}

// refusals are the reasons of warnings that an API has turned something away, or a user's order.
var refusals = regexp.MustCompile(`^(busy|forbidden|conflict|stale|invalid|gone|budget|webhook|unknown|capacity|force-[0-9]+|failed|[A-Z][A-Za-z]+Failure)$`)

// reason checks that an event has one of the reasons of its type.
func (c *Check) reason(e record.Event) {
	words := reasons[e.Type]
	if words == nil && e.Reason == "" && e.By == "" {
		c.says(e, "it has no reason")
	}
	if words != nil && !slices.Contains(words, e.Reason) && !(e.Type == record.Warning && refusals.MatchString(e.Reason)) {
		c.says(e, "there is no such reason")
	}
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
	p := view.Pod("")
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
		e.Type == record.NodeReady && e.Message == "joined and Ready" && (n == nil || !n.Ready):
		c.d.Breaks("told: %s %s%s: %s; that is not so", e.Type, e.Node, e.Pod, e.Message)
	}
}
