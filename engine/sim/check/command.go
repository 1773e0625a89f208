package check

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/sim/drive"
	"github.com/drainboard/drainboard/engine/text"
)

// commandLife is the longest time after which a command from elsewhere may still be obeyed.
const commandLife = 10 * time.Minute

// remote are the commands that may come from another process.
var remote = []record.CommandKind{record.CmdApprove, record.CmdPause, record.CmdResume, record.CmdAbort}

// valid reports whether a command may have an effect on the run. One that was said to the
// driver's own process may; one from another process has to be for this run, of a kind that
// is taken from there, and not too old.
func (c *Checker) validCommand(say record.Command) bool {
	now := c.d.Sim.Now()
	return say.ID == "" || slices.Contains(remote, say.Kind) && say.Run == c.d.Run.ID && !now.After(say.At.Add(commandLife)) && !now.After(say.Expires)
}

// said reports whether a valid command among those that the decision was told fits.
func (c *Checker) said(kind record.CommandKind, fits func(record.Command) bool) bool {
	return slices.ContainsFunc(c.commands, func(say record.Command) bool {
		return say.Kind == kind && c.validCommand(say) && fits(say)
	})
}

func anything(record.Command) bool { return true }

// effects checks that what only a command can bring about was said by a valid one.
func (c *Checker) effects(dec engine.Decision) {
	d, was, is := c.d, &c.clock.was, &dec.Run
	if was.State == record.Paused && is.State == record.Running && !c.said(record.CmdResume, anything) && !c.said(record.CmdAccept, anything) {
		d.Breaks("commands: the run is resumed, and no valid command says so")
	}
	if was.Result != record.Aborted && is.Result == record.Aborted && !c.said(record.CmdAbort, anything) {
		d.Breaks("commands: the run is aborted, and no valid command says so")
	}
	byCommand := text.AskedForBy("")
	if was.State != record.Paused && is.State == record.Paused && strings.HasPrefix(is.Why, byCommand) && !c.said(record.CmdPause, anything) {
		d.Breaks("commands: the run is paused (%s), and no valid command says so", is.Why)
	}
	if now := is.Settings.MaxUnavailable; now != was.Settings.MaxUnavailable && !c.said(record.CmdMaxUnavailable, func(say record.Command) bool { return now == record.Amount{N: say.Nodes} }) {
		d.Breaks("commands: max-unavailable is %s, and no valid command says so", now)
	}
	if now := is.Settings.MaxUnavailable; now != was.Settings.MaxUnavailable && now == (record.Amount{}) && c.limited(is) {
		d.Breaks("commands: max-unavailable is 0, and nothing stands in for what goes")
	}
	c.nodeCommands(was, is)
	c.canary(was, is)
	c.acks(dec.Acks)
	c.approvals(dec)
}

// limited reports whether a run makes no progress with a max-unavailable of 0: no other nodes stand in.
func (c *Checker) limited(r *record.Run) bool {
	return r.Strategy == "drainboard" && r.Settings.MaxSurge == (record.Amount{}) && r.Raise == 0
}

// canary checks that a canary in trouble is only passed by who was shown that trouble: the run that
// it holds continues, or the others follow, for nobody else.
func (c *Checker) canary(was, is *record.Run) {
	before, now := was.Canary, is.Canary
	if before == nil || now == nil || before.Passed || before.Trouble == "" {
		return
	}
	accepted := c.said(record.CmdAccept, func(say record.Command) bool { return say.ID == "" && say.Trouble == before.Trouble })
	if now.Passed && now.By != "" && !accepted {
		c.d.Breaks("commands: the canary's trouble (%s) counts as accepted, and nobody has accepted just that", before.Trouble)
	}
	if was.State == record.Paused && is.State == record.Running && before.Stands && now.Stands && !accepted {
		c.d.Breaks("commands: the run that the canary's trouble holds (%s) is resumed, and nobody has accepted that", before.Trouble)
	}
}

// nodeCommands checks that a node is skipped or returned to, or its drain extended, by a valid command alone.
func (c *Checker) nodeCommands(was, is *record.Run) {
	d, byCommand := c.d, text.AskedForBy("")
	for id, n := range is.Nodes.All() {
		before := was.Nodes.Get(id)
		named := func(say record.Command) bool { return say.Node == id || say.Node == n.Name }
		forced := time.Duration(0)
		if n.Order != before.Order && before.Wait != nil { // a drain that is forced begins another drain timeout
			forced = max(0, d.Sim.Now().Add(is.Settings.DrainTimeout).Sub(before.Wait.End))
		}
		switch {
		case n.Stage == record.Draining && n.Extended > before.Extended+forced && !c.said(record.CmdExtend, named):
			d.Breaks("commands: the drain of %s is extended, and no valid command says so", n.Name)
		case n.Stage == record.Skipped && before.Stage != record.Skipped && strings.HasPrefix(n.Reason, byCommand) && !c.said(record.CmdSkip, named):
			d.Breaks("commands: %s is skipped (%s), and no valid command says so", n.Name, n.Reason)
		case !n.New && before.Stage == record.Skipped && strings.HasPrefix(before.Reason, byCommand) && n.Stage == record.Outdated && !c.said(record.CmdReturn, named):
			d.Breaks("commands: %s is returned to, and no valid command says so", n.Name)
		}
	}
}

// acks checks that only commands that a user gave are answered, and only valid ones obeyed.
func (c *Checker) acks(acks []record.Ack) {
	d := c.d
	for _, ack := range acks {
		i := slices.IndexFunc(d.Remote, func(l *drive.RemoteCommand) bool { return l.Command.ID == ack.ID })
		switch {
		case i < 0:
			d.Breaks("commands: %s is answered, and nobody has given it", ack.ID)
		case ack.Accepted && !c.validCommand(d.Remote[i].Command) && !slices.ContainsFunc(d.Saved.HandledCommands, func(a record.Ack) bool { return a.ID == ack.ID && a.At.Before(d.Sim.Now()) }):
			d.Breaks("commands: %s of %s is obeyed; it is for %s, was given %s ago and is valid until %s", d.Remote[i].Command.Kind, ack.ID, d.Remote[i].Command.Run, d.Sim.Now().Sub(d.Remote[i].Command.At), d.Remote[i].Command.Expires.Sub(sim.Epoch))
		}
	}
}

// approvals checks that a batch, or a phase, is approved by who has said just that: its
// number and its hash, which stands for the same machines whenever it is shown.
func (c *Checker) approvals(dec engine.Decision) {
	d, was, is := c.d, &c.clock.was, &dec.Run
	for _, b := range is.Batches {
		i := slices.IndexFunc(was.Batches, func(old record.Batch) bool { return old.ID == b.ID && !old.Approved.IsZero() })
		if b.Approved.IsZero() || i >= 0 && slices.Equal(was.Batches[i].Machines, b.Machines) {
			continue
		}
		how := is.Settings.Approve
		if how == record.ApproveNone || how == record.ApprovePhase && b.Phase == "" {
			continue
		}
		troubled := was.Canary != nil && was.Canary.Stands && is.Canary.Stands
		if !c.said(record.CmdApprove, func(say record.Command) bool {
			return say.Batch == b.ID && say.Hash == b.Hash && (say.ID == "" || !troubled)
		}) {
			d.Breaks("approval: batch %d (%s) counts as approved, and nobody has approved just that", b.ID, b.Hash)
		}
	}
	for _, b := range is.Batches {
		if shown, known := c.shownBatches[b.Hash]; known && !slices.Equal(shown, b.Machines) {
			d.Breaks("approval: %s stands for %v, and for %v", b.Hash, shown, b.Machines)
		}
		if b.Approved.IsZero() {
			c.shownBatches[b.Hash] = slices.Clone(b.Machines)
		}
	}
}
