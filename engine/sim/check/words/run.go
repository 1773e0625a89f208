package words

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
)

// exits are the exit codes of results (docs/reference/exit-codes.md).
var exits = map[record.Result]int{
	record.Succeeded: 0, record.Failed: 1, record.Aborted: 3, record.EvictionFail: 4, record.CreationFail: 5,
	record.InvalidFail: 7, record.DeregisterFail: 1, record.NodesLeft: 8,
}

// run checks that what becomes of the run is told.
func (c *Check) run(was *record.Run, dec engine.Decision) {
	is, told := &dec.Run, map[record.EventType]int{}
	for _, e := range dec.Events {
		told[e.Type]++
	}
	paused, resumed := told[record.RunPaused], told[record.RunResumed]
	switch {
	case is.State == record.Paused && was.State != record.Paused && paused == 0:
		c.d.Breaks("told: the run pauses without a word")
	case is.State == record.Running && paused > 0 && resumed == 0 && told[record.RunAborting] == 0: // else it retires by now
		c.d.Breaks("told: the run is told to pause, and runs")
	case is.State == record.Running && was.State == record.Paused && resumed == 0:
		c.d.Breaks("told: the run is resumed without a word")
	case is.State == record.Paused && paused == 1 && resumed == 0:
		c.why(dec)
	}
	ends := was.State != record.Finished && is.State == record.Finished
	if n := told[record.RunFinished]; ends && n != 1 || !ends && n != 0 {
		c.d.Breaks("told: the run is %s, it was %s, and run.finished is told %d times", is.State, was.State, n)
	}
}

// notStarted finds the node that hooks have not let go.
var notStarted = regexp.MustCompile(`^paused: (.*) may not start: `)

// why checks that a run which pauses says why.
func (c *Check) why(dec engine.Decision) {
	for _, e := range dec.Events {
		if m := notStarted.FindStringSubmatch(e.Message); m != nil && c.zones[m[1]] == "" {
			c.says(e, "there is no node %s", m[1])
		}
		if e.Type == record.RunPaused && (dec.Run.Why == "" || e.Message != "paused: "+dec.Run.Why) {
			c.says(e, "the run is paused because of %q", dec.Run.Why)
		}
	}
}

// ended checks that run.finished has the result, and the exit code of that.
func (c *Check) ended(dec engine.Decision) {
	is := &dec.Run
	for _, e := range dec.Events {
		if e.Type != record.RunFinished {
			continue
		}
		if e.Result != string(is.Result) || e.ExitCode == nil || *e.ExitCode != exits[is.Result] && !failedWith(is, *e.ExitCode) {
			c.d.Breaks("told: the run ends as %s, and run.finished says %s", is.Result, e.Result)
		}
	}
}

// failedWith reports whether an exit code is that of a node that has failed.
func failedWith(r *record.Run, code int) bool {
	for _, n := range r.Nodes.All() {
		if n.Stage == record.NodeFail && exits[n.Result] == code {
			return true
		}
	}
	return false
}

// phases checks that each phase is told to begin and to end when it does.
func (c *Check) phases(was *record.Run, dec engine.Decision) {
	count := func(t record.EventType, phase string) (n int) {
		for _, e := range dec.Events {
			if e.Type == t && e.Phase == phase {
				n++
			}
		}
		return n
	}
	for i, p := range dec.Run.Phases {
		var before record.Phase
		if i < len(was.Phases) && was.Phases[i].Name == p.Name {
			before = was.Phases[i]
		}
		if n := count(record.PhaseStarted, p.Name); (n == 1) != (before.Start.IsZero() && !p.Start.IsZero()) || n > 1 {
			c.d.Breaks("told: phase %s (%s) is told to start %d times", p.Name, p.Start, n)
		}
		if n := count(record.PhaseFinished, p.Name); (n == 1) != (before.End.IsZero() && !p.End.IsZero()) || n > 1 {
			c.d.Breaks("told: phase %s (%s) is told to end %d times", p.Name, p.End, n)
		}
	}
}

// batches checks that the events of a batch name its nodes.
func (c *Check) batches(dec engine.Decision) {
	for _, e := range dec.Events {
		if e.Type != record.BatchWaiting && e.Type != record.BatchApproved || e.Phase != "" && e.Batch == 0 {
			continue
		}
		i := slices.IndexFunc(dec.Run.Batches, func(b record.Batch) bool { return b.ID == e.Batch })
		if i < 0 && dec.Run.State == record.Ending {
			continue // the same decision has ended the run, and nothing is to be approved any more
		}
		if i < 0 {
			c.d.Breaks("told: %s of batch %d, which there is not", e.Type, e.Batch)
			continue
		}
		b := dec.Run.Batches[i]
		for _, id := range b.Machines {
			if n, known := dec.Run.Nodes.Find(id); known && !strings.Contains(e.Message, n.Name) {
				c.d.Breaks("told: %s: %q does not name %s", e.Type, e.Message, n.Name)
			}
		}
		if len(b.Machines) > 0 && !strings.Contains(e.Message, fmt.Sprintf(" %d node", len(b.Machines))) && !strings.HasPrefix(e.Message, fmt.Sprintf("%d node", len(b.Machines))) {
			c.d.Breaks("told: %s: %q; it has %d nodes", e.Type, e.Message, len(b.Machines))
		}
	}
}

// canary checks that what has replaced a canary is watched only where one goes first, and once it is replaced.
func (c *Check) canary(r *record.Run) {
	if r.Canary != nil && (r.Settings.Approve != record.ApproveCanary || replaced(r) == 0) {
		c.d.Breaks("told: what has replaced a canary is watched, and none was replaced")
	}
}
