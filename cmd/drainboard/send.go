package main

import (
	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/send"
	"github.com/drainboard/drainboard/engine/record"
)

const sendLong = "\n\nThe command is sent to the process that drives the run, on any machine, and its answer is printed. Exit codes:\n" +
	"0 accepted, 1 refused or not answered, 2 wrong use or no run in progress, 3 not sent: answered no,\n" +
	"10 not reachable or throttled, 11 credentials or rights missing."

// sendCmds are the subcommands that send a command to a run in another process.
func (a *app) sendCmds() (cmds []*cobra.Command) {
	for _, c := range []struct {
		kind        record.CommandKind
		short, long string
	}{
		{record.CmdPause, "Pause the run of a group: nothing new starts, and its deadlines stand still", "Pause the run of a group: nothing new starts, terminating pods and instances finish, and its deadlines stand still."},
		{record.CmdResume, "Resume the paused run of a group", "Resume the paused run of a group."},
		{record.CmdApprove, "Approve the batch that the run of a group waits for", "Approve the batch that the run of a group waits for. Shows the batch and prompts; exactly the batch shown is approved.\n" +
			"Without a terminal: --yes approves the waiting batch, --batch and --hash one that drainboard status -o json showed before."},
		{record.CmdAbort, "Abort the run of a group: work in progress finishes or is undone", "Abort the run of a group: nothing new starts, and work in progress finishes or is undone.\n" +
			"If no process drives the run, this one takes its lock and restores everything itself: that needs the rights\n" +
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
				o.Console, o.Options, o.Line, o.Group, o.JSON = a.Console, a.Options, flags.CommandLineOf(cmd), args[0], asJSON
				return o.Send(cmd.Context())
			},
		}
		fl := cmd.Flags()
		fl.StringVar(&o.Reason, "reason", "", "reason, for the log and for watchers")
		fl.DurationVar(&o.Wait, "wait", send.DefaultWait, "time to wait for the answer")
		fl.StringVarP(&format, "output", "o", "text", "text, json or yaml")
		if c.kind == record.CmdApprove {
			fl.IntVar(&o.Batch, "batch", 0, "the batch to approve, with --hash")
			fl.StringVar(&o.Hash, "hash", "", "hash of the batch to approve, with --batch")
		}
		flags.AddWhereCloudOnly(fl, &o.Where)
		if c.kind == record.CmdApprove || c.kind == record.CmdAbort {
			fl.BoolVar(&o.Yes, "yes", false, "do not prompt")
		}
		if c.kind == record.CmdAbort { // this process may have to abort the run itself
			flags.AddPools(fl, &o.Where.Pools)
			fl.BoolVar(&o.Retire, "retire", false, "then drain and terminate what is left of the surge (docs/guide/abort.md)")
		}
		cmds = append(cmds, cmd)
	}
	return cmds
}
