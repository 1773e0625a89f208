package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/providers/kube"
)

// order is one call of `drainboard pause`, `resume`, `approve` or `abort`: a command to
// a run that another process drives.
type order struct {
	app    *app
	group  string
	kind   record.CommandKind
	batch  int
	hash   string
	reason string
	yes    bool
	wait   time.Duration
	output string
	json   bool

	where backend.Where
	kube  *kube.Client
	run   record.Run // as its record says
}

// How long an answer is waited for at most, and what is added to that before the
// command is over: the driver may be slow to say what it did.
const (
	defaultWait, longestWait = 15 * time.Second, 5 * time.Minute
	overrun                  = 5 * time.Second
	longestReason            = 500
)

const giveLong = "\n\nThe command goes to the process that drives the run, wherever that is, and what it answers is printed. Exit codes:\n" +
	"0 obeyed, 1 refused or not answered, 2 wrong use, or no run is under way, 3 not given: the answer to the question was no."

func (a *app) commandCmds() (cmds []*cobra.Command) {
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
		o := &order{app: a, kind: c.kind}
		cmd := &cobra.Command{
			Use:   string(c.kind) + " GROUP",
			Short: c.short,
			Long:  c.long + giveLong,
			Args:  oneGroup,
			RunE: func(cmd *cobra.Command, args []string) error {
				o.group = args[0]
				ctx, stop := untilSignalled(cmd.Context())
				defer stop()
				return o.give(ctx, cmd)
			},
		}
		fl := cmd.Flags()
		fl.StringVar(&o.reason, "reason", "", "why, for the log and those who watch")
		fl.DurationVar(&o.wait, "wait", defaultWait, "how long to wait for the answer")
		fl.StringVarP(&o.output, "output", "o", "text", "text or json")
		if c.kind == record.CmdApprove {
			fl.IntVar(&o.batch, "batch", 0, "the batch to approve, with --hash")
			fl.StringVar(&o.hash, "hash", "", "what the batch was when it was looked at")
		}
		addWhereCloudOnly(fl, &o.where)
		if c.kind == record.CmdApprove || c.kind == record.CmdAbort {
			fl.BoolVar(&o.yes, "yes", false, "no question")
		}
		if c.kind == record.CmdAbort { // this process may have to end the run itself
			addPools(fl, &o.where.Pools)
		}
		cmds = append(cmds, cmd)
	}
	return cmds
}

// asks reports whether there is a question before the command is given.
func (o *order) asks() bool {
	return !o.yes && (o.kind == record.CmdAbort || o.kind == record.CmdApprove && o.hash == "")
}

// check refuses what makes no sense before anything is asked of the cluster.
func (o *order) check() (err error) {
	o.json, err = output(o.output)
	if err == nil {
		_, err = o.where.Fill()
		err = exitcode.Usage(err)
	}
	switch {
	case err != nil:
		return err
	case o.wait < time.Second || o.wait > longestWait:
		return exitcode.Usage(fmt.Errorf("--wait: %s is not between 1s and %s", o.wait, longestWait))
	case len(o.reason) > longestReason:
		return exitcode.Usage(fmt.Errorf("--reason has %d characters, and %d at most are kept", len(o.reason), longestReason))
	case (o.batch > 0) != (o.hash != ""):
		return exitcode.Usage(errors.New("--batch and --hash go together: drainboard status GROUP -o json tells both"))
	case o.asks() && o.json:
		return exitcode.Usage(errors.New("-o json asks nothing: give --yes" + o.orHash()))
	case o.asks() && !console.IsTerminal(os.Stdin):
		return exitcode.Usage(errors.New("this is not a terminal, so nobody can be asked: give --yes" + o.orHash()))
	}
	return nil
}

func (o *order) orHash() string {
	if o.kind == record.CmdApprove {
		return ", or --batch and --hash"
	}
	return ""
}

// give finds the run and who drives it, and gives the command.
func (o *order) give(ctx context.Context, cmd *cobra.Command) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	if o.where.CloudOnly {
		return o.giveCloudOnly(ctx, cmd)
	}
	if o.kube, err = kube.Connect(ctx, o.app.flags, version); err != nil {
		return exitcode.Usage(err)
	}
	var found bool
	if o.run, found, err = o.kube.Record(o.app.namespace, o.group).Load(ctx); err != nil {
		return exitcode.Usage(err)
	}
	if !found {
		if found, err = o.byAlias(ctx); err != nil {
			return exitcode.Usage(err)
		}
	}
	if why := present.NoRun(o.group, o.run, found); why != "" {
		return exitcode.Usage(errors.New(why))
	}
	driver, heard, err := o.kube.Driver(ctx, o.app.namespace, o.group)
	if err != nil {
		return exitcode.Usage(err)
	}
	if driver == "" && o.kind != record.CmdAbort {
		return o.say(verdict{Words: present.Undriven(o.run, heard, o.kube.Clock().Now())})
	}
	if driver != "" {
		if err := allowed(ctx, o.kube, kube.CommandRights(o.app.namespace)); err != nil {
			return exitcode.Usage(err)
		}
	}
	if wanted, err := o.ask(ctx, driver); err != nil || !wanted {
		return err
	}
	if driver == "" {
		return o.abortHere(cmd)
	}
	return o.send(ctx)
}

// byAlias looks for the run of a group that people call as this one was.
func (o *order) byAlias(ctx context.Context) (found bool, err error) {
	records, err := o.kube.Records(ctx, o.app.namespace)
	var missing *kube.ForbiddenError
	if errors.As(err, &missing) {
		return false, nil // who may give commands need not see all records: the group has its own name for him
	}
	if err != nil {
		return false, err
	}
	name := recorded(records, o.group)
	if name == o.group {
		return false, nil
	}
	o.group = name
	o.run, found, err = o.kube.Record(o.app.namespace, name).Load(ctx)
	return found, err
}

// ask shows what the command does and asks for a yes, where there is a question; for an
// approval it settles what is approved.
func (o *order) ask(ctx context.Context, driver string) (wanted bool, err error) {
	asks := o.asks() // before what is approved is settled: then there is nothing to ask any more
	if o.kind == record.CmdApprove && o.hash == "" {
		b, waiting := o.run.Waiting()
		if !waiting {
			return false, o.say(verdict{Words: "nothing waits for approval, as of " + o.run.Seen.Local().Format("15:04:05")})
		}
		o.batch, o.hash = b.ID, b.Hash
	}
	if !asks {
		if !o.json && o.kind == record.CmdApprove && o.yes {
			present.WriteWaiting(o.app.Out, o.run)
		}
		return true, nil
	}
	question := "Abort it? [y/N] "
	if o.kind == record.CmdApprove {
		present.WriteWaiting(o.app.Out, o.run)
		question = "Approve it? [y/N] "
	} else {
		present.WriteAbort(o.app.Out, o.run, driver)
	}
	if !o.app.Ask(ctx, o.app.Marked(o.kube.ContextName(), question)) {
		return false, exitcode.With(exitcode.Aborted, errors.New("nothing was done"))
	}
	return true, nil
}

// send gives the command, waits for the answer, and takes the command back if none comes.
// One that the driver has heard cannot be taken back: its answer is waited for until the
// command is over.
func (o *order) send(ctx context.Context) error {
	now := o.kube.Clock().Now()
	over := now.Add(o.wait + overrun)
	given, err := o.kube.SendCommand(ctx, o.app.namespace, o.group, record.Command{
		Kind: o.kind, Run: o.run.ID, Batch: o.batch, Hash: o.hash, By: who(), At: now, Expires: over, Reason: o.reason,
	})
	if err != nil {
		return exitcode.Usage(err)
	}
	waiting, cancel := context.WithTimeout(ctx, o.wait)
	defer cancel()
	answer, err := given.Await(waiting)
	if err == nil {
		return o.say(verdictOf(answer))
	}
	why := "nobody has answered within " + o.wait.String()
	switch {
	case ctx.Err() != nil:
		why = "interrupted before it was answered"
	case waiting.Err() == nil:
		why = err.Error()
	}
	after := context.WithoutCancel(ctx)
	var late *kube.Answer
	back := err
	if !errors.Is(err, kube.ErrRemoved) {
		late, back = given.Withdraw(after)
	}
	var heard *kube.HeardError
	if errors.As(back, &heard) {
		longer, cancel := context.WithTimeout(ctx, over.Sub(o.kube.Clock().Now()))
		defer cancel()
		if answer, err := given.Await(longer); err == nil {
			late = &answer
		}
	}
	if late != nil {
		return o.say(verdictOf(*late))
	}
	why += "; " + o.afterwards(back, over, o.kube.Clock().Now())
	driver, seen, err := o.kube.Driver(after, o.app.namespace, o.group)
	switch {
	case err == nil && driver == "":
		why += "; by now " + present.Undriven(o.run, seen, o.kube.Clock().Now())
	case err == nil && heard == nil:
		why += fmt.Sprintf("; %s drives the run, and may be cut off or not allowed to hear commands (its log tells)", driver)
	}
	return o.say(verdict{Words: why})
}

// abortHere ends a run that nobody drives: it is resumed here, headless, and aborted.
func (o *order) abortHere(cmd *cobra.Command) error {
	u := &upgrade{
		app: o.app, cmd: cmd, line: commandLine(cmd), rollFlags: rollFlags{where: o.where}, group: o.group, Face: console.Face{Auto: true}, json: o.json,
		abort: &record.Command{Kind: record.CmdAbort, Reason: o.reason},
	}
	return u.listening(cmd.Context(), strategy.EKS{}, record.Settings{})
}

// giveCloudOnly ends a run without Kubernetes whose record is on this machine and that nobody
// drives. There is no other command from elsewhere to such a run.
func (o *order) giveCloudOnly(ctx context.Context, cmd *cobra.Command) error {
	if o.kind != record.CmdAbort {
		return exitcode.Usage(fmt.Errorf("%s --cloudonly: a run without Kubernetes hears no commands from elsewhere, which are objects of the cluster: give it where the run is driven", o.kind))
	}
	h, err := o.app.openCloudOnly(ctx, o.where, true)
	if err != nil {
		return err
	}
	s := &session{h, h.groups, o.where}
	at, err := s.find(ctx, o.group)
	if err != nil {
		return err
	}
	var found bool
	if o.run, found, err = s.Record(at.Name()).Load(ctx); err != nil {
		return unreadable(err, commandLine(cmd).Command("upgrade", o.group))
	}
	if !found {
		return exitcode.Usage(fmt.Errorf("group %s has no run whose record is on this machine; drainboard status --cloudonly tells of others", o.group))
	}
	if why := present.NoRun(o.group, o.run, found); why != "" {
		return exitcode.Usage(errors.New(why))
	}
	if tag := h.groups.Tag(at.Name()); tag.Held(s.Clock().Now()) { // a strange one is told when the lock is taken
		return exitcode.With(exitcode.Held, fmt.Errorf("group %s: %w; it hears no commands from elsewhere: abort it there", o.group, &live.HeldError{Holder: tag.Holder, Since: tag.Since}))
	}
	if o.asks() {
		present.WriteAbort(o.app.Out, o.run, "")
		if !o.app.Ask(ctx, o.app.Marked(s.Context(), "Abort it? [y/N] ")) {
			return exitcode.With(exitcode.Aborted, errors.New("nothing was done"))
		}
	}
	return o.abortHere(cmd)
}
