package main

import (
	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/send"
	"github.com/drainboard/drainboard/engine/record"
)

const sendLong = "\n\nThe command goes to the process that drives the run, wherever that is, and what it answers is printed. Exit codes:\n" +
	"0 obeyed, 1 refused or not answered, 2 wrong use, or no run is under way, 3 not given: the answer to the question was no,\n" +
	"10 not reachable or throttled, 11 credentials or rights missing."

// sendCmds are the commands that send one to a run which another process drives.
func (a *app) sendCmds() (cmds []*cobra.Command) {
	for _, c := range []struct {
		kind        record.CommandKind
		short, long string
	}{
		{record.CmdPause, "Pause the run of a group: nothing new starts, and its deadlines stand still", "Pause the run of a group: nothing new starts, what terminates finishes, and its deadlines stand still."},
		{record.CmdResume, "Resume the paused run of a group", "Resume the paused run of a group."},
		{record.CmdApprove, "Approve the batch that the run of a group waits for", "Approve the batch that the run of a group waits for. It shows the batch and asks; what it approves is what it showed.\n" +
			"Without a terminal: --yes approves what waits, --batch and --hash what a look before showed (drainboard status -o json)."},
		{record.CmdAbort, "Abort the run of a group: what is in flight finishes or is put back", "Abort the run of a group: nothing new starts, and what is in flight finishes or is put back.\n" +
			"If nobody drives the run any more, this process takes its lock and puts everything back itself: that needs the rights\n" +
			"of upgrade, prints its events, and ends with exit code 3 like any aborted run."},
	} {
		o, format := &send.Order{Kind: c.kind}, ""
		cmd := &cobra.Command{
			Use:   string(c.kind) + " GROUP",
			Short: c.short,
			Long:  c.long + sendLong,
			Args:  oneGroup,
			RunE: func(cmd *cobra.Command, args []string) error {
				asJSON, err := output(format)
				if err != nil {
					return err
				}
				o.Console, o.Options, o.Line, o.Group, o.JSON = a.Console, a.Options, commandLine(cmd), args[0], asJSON
				return o.Send(cmd.Context())
			},
		}
		fl := cmd.Flags()
		fl.StringVar(&o.Reason, "reason", "", "why, for the log and those who watch")
		fl.DurationVar(&o.Wait, "wait", send.DefaultWait, "how long to wait for the answer")
		fl.StringVarP(&format, "output", "o", "text", "text or json")
		if c.kind == record.CmdApprove {
			fl.IntVar(&o.Batch, "batch", 0, "the batch to approve, with --hash")
			fl.StringVar(&o.Hash, "hash", "", "what the batch was when it was looked at")
		}
		addWhereCloudOnly(fl, &o.Where)
		if c.kind == record.CmdApprove || c.kind == record.CmdAbort {
			fl.BoolVar(&o.Yes, "yes", false, "no question")
		}
		if c.kind == record.CmdAbort { // this process may have to end the run itself
			addPools(fl, &o.Where.Pools)
		}
		cmds = append(cmds, cmd)
	}
	return cmds
}
