package words

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
)

// commands are the kinds that a refusal may begin with.
var commands = []record.CommandKind{
	record.CmdApprove, record.CmdPause, record.CmdResume, record.CmdAbort, record.CmdForce, record.CmdSkip, record.CmdReturn,
	record.CmdExtend, record.CmdAccept, record.CmdMaxUnavailable,
}

// unable are what a refusal may give as its reason, and whether that is so of a run.
var unable = map[string]func(*record.Run) bool{
	"not paused":                    func(r *record.Run) bool { return r.State != record.Paused },
	"already paused":                func(r *record.Run) bool { return r.State == record.Paused },
	"the run is ending":             func(r *record.Run) bool { return r.State == record.Ending || r.State == record.Finished },
	"nothing waits for approval":    func(r *record.Run) bool { _, waits := r.Waiting(); return !waits },
	"no node is draining":           func(r *record.Run) bool { return none(r, record.Draining) },
	"no node can be skipped":        func(r *record.Run) bool { return none(r, record.Outdated, record.Queued) },
	"no node was skipped or failed": func(r *record.Run) bool { return none(r, record.Skipped, record.NodeFail) },
	"no outdated node left":         func(r *record.Run) bool { return none(r, record.Outdated, record.Queued) },
}

// none reports whether no node of a run is in one of these stages.
func none(r *record.Run, stages ...record.Stage) bool {
	for _, n := range r.Nodes.All() {
		if slices.Contains(stages, n.Stage) {
			return false
		}
	}
	return true
}

var (
	notPossible = regexp.MustCompile(`^(\S+) not possible now: (.*?)( \(.*\))?$`)
	someOf      = regexp.MustCompile(`\bhas ([0-9]+) of ([0-9]+) (machines?|instances?)`)
)

// refusals checks why a command is said not to be possible: that is so of the run, before the
// decision or after it.
func (c *Check) refusals(e record.Event, before, after *record.Run) {
	m := notPossible.FindStringSubmatch(e.Message)
	if e.Reason != "refused" || m == nil {
		return
	}
	if !slices.Contains(commands, record.CommandKind(m[1])) {
		c.says(e, "there is no such command")
	}
	if is := unable[m[2]]; is != nil && !is(before) && !is(after) {
		c.says(e, "that is not so")
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
