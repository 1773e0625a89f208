package words

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/world"
)

// commands are the kinds that a refusal may begin with.
var commands = []record.CommandKind{
	record.CmdApprove, record.CmdPause, record.CmdResume, record.CmdAbort, record.CmdForce, record.CmdSkip, record.CmdReturn,
	record.CmdExtend, record.CmdAccept, record.CmdMaxUnavailable,
}

// unable are what a refusal may give as its reason, and whether that may be so of a run in between
// what it was and what it is.
var unable = map[string]func(was, is *record.Run) bool{
	"not paused":                    func(was, is *record.Run) bool { return was.State != record.Paused || is.State != record.Paused },
	"already paused":                func(was, is *record.Run) bool { return was.State == record.Paused || is.State == record.Paused },
	"the run is ending":             func(was, is *record.Run) bool { return ends(was) || ends(is) },
	"the run is paused":             func(was, is *record.Run) bool { return was.State == record.Paused || is.State == record.Paused },
	"nothing waits for approval":    func(was, is *record.Run) bool { return !waits(was) || !waits(is) },
	"no node can be skipped":        func(was, is *record.Run) bool { return none(was, is, record.Outdated, record.Queued) },
	"no node was skipped or failed": func(was, is *record.Run) bool { return none(was, is, record.Skipped, record.NodeFail) },
	"no outdated node left":         func(was, is *record.Run) bool { return none(was, is, record.Outdated, record.Queued) },
	"drains have no deadline":       func(was, is *record.Run) bool { return is.Settings.OnDrainTimeout == record.TimeoutWait },

	"no node is draining towards a deadline":                          func(was, is *record.Run) bool { return !extendable(was, is) },
	"last phase has begun: start another run for the remaining nodes": func(was, is *record.Run) bool { return inLast(is) },
}

// inLast reports whether the last phase of a run has begun.
func inLast(r *record.Run) bool {
	return len(r.Phases) > 0 && !r.Phases[len(r.Phases)-1].Start.IsZero()
}

// extendable reports whether a node drained towards a deadline, and does.
func extendable(was, is *record.Run) bool {
	drains := func(n record.Node) bool {
		return n.Stage == record.Draining && n.Wait != nil && n.Wait.For == record.WaitDrain
	}
	for id, n := range is.Nodes.All() {
		if drains(n) && drains(was.Nodes.Get(id)) {
			return true
		}
	}
	return false
}

func ends(r *record.Run) bool { return r.State == record.Ending || r.State == record.Finished }

func waits(r *record.Run) bool {
	_, waiting := r.Waiting()
	return waiting
}

// none reports whether no node was in one of these stages, and is.
func none(was, is *record.Run, stages ...record.Stage) bool {
	for id, n := range is.Nodes.All() {
		if old := was.Nodes.Get(id); slices.Contains(stages, n.Stage) && slices.Contains(stages, old.Stage) && !n.New {
			return false
		}
	}
	return true
}

var (
	notPossible = regexp.MustCompile(`^(\S+) not possible now: (.*?)( \(.*\))?$`)
	someOf      = regexp.MustCompile(`\bhas ([0-9]+) of ([0-9]+) (machines?|instances?)`)
)

// refusals checks why a command is said not to be possible.
func (c *Check) refusals(e record.Event, before, after *record.Run) {
	m := notPossible.FindStringSubmatch(e.Message)
	if e.Reason != "refused" || m == nil {
		return
	}
	if !slices.Contains(commands, record.CommandKind(m[1])) {
		c.says(e, "there is no such command")
	}
	if is := unable[m[2]]; is != nil && !is(before, after) || m[2] == "no node is draining" && c.drainsAny(before, after) {
		c.says(e, "that is not so")
	}
}

// drainsAny reports whether a node has drained before a decision and after it, by the run or by the controller that
// updates it in place.
func (c *Check) drainsAny(before, after *record.Run) bool {
	for id, n := range after.Nodes.All() {
		node := c.d.Sim.View.NodeOf(id)
		theirs := n.Stage == record.Updating && node != nil && sim.StepOf(node) == world.GardenerSelected
		if (n.Stage == record.Draining || theirs) && before.Nodes.Peek(id).Stage == n.Stage {
			return true
		}
	}
	return false
}

// lacks finds a node of the control plane that lacks one of its pods.
var lacks = regexp.MustCompile(`\bnode (\S+) of (\S+) has no (\S+) pod\b`)

// lacking checks that a node which is said to lack a pod of the control plane is one of the group that is named. The end of a run
// tells what was found before it, when the node was there.
func (c *Check) lacking(e record.Event) {
	if e.Type == record.RunFinished {
		return
	}
	for _, m := range lacks.FindAllStringSubmatch(e.Message, -1) {
		n := c.d.Sim.View.Node(c.d.Sim.Names.NodeName(m[1]))
		group := func(p world.Peer) bool { return p.Name == m[2] }
		if n == nil && c.d.Sim.Truth.Node(m[1]) == nil || !slices.ContainsFunc(c.d.Sim.View.Group.Peers, group) || !slices.Contains([]string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"}, m[3]) {
			c.says(e, "there is no node of such a group that lacks such a pod")
		}
	}
}

// missing checks that a group which is said to have too few machines has fewer than it is to have.
func (c *Check) missing(e record.Event) {
	for _, m := range someOf.FindAllStringSubmatch(e.Message, -1) {
		has, _ := strconv.Atoi(m[1])
		if wants, _ := strconv.Atoi(m[2]); has >= wants && !strings.Contains(e.Message, "updated") {
			c.says(e, "it has all")
		}
	}
}
