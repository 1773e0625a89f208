package send

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/driver"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/commands"
	"github.com/drainboard/drainboard/providers/kube/lock"
	"github.com/drainboard/drainboard/providers/kube/records"
)

// Order is one call of `drainboard pause`, `resume`, `approve` or `abort`: a command to
// a run that another process drives.
type Order struct {
	console.Console
	Options session.Options
	Where   backend.Where
	Line    present.CommandLine

	Kind   record.CommandKind
	Group  string
	Batch  int    // the batch to approve, with its hash
	Hash   string // "" for the waiting batch
	Reason string
	Retire bool          // an abort also drains and terminates what is left of the surge
	Yes    bool          // no prompt
	Wait   time.Duration // for the answer
	JSON   bool

	kube *kube.Client
	run  record.Run // as recorded
}

// The longest wait for an answer, and the time added to it before the command expires: the
// driver may answer late.
const (
	DefaultWait, longestWait = 15 * time.Second, 5 * time.Minute
	overrun                  = 5 * time.Second
	longestReason            = 500
)

// asks reports whether there is a prompt before the command is sent.
func (o *Order) asks() bool {
	return !o.Yes && (o.Kind == record.CmdAbort || o.Kind == record.CmdApprove && o.Hash == "")
}

// check refuses contradicting flags before the cluster is asked.
func (o *Order) check() error {
	if _, err := o.Where.Fill(); err != nil {
		return exitcode.Usage(err)
	}
	switch {
	case o.Wait < time.Second || o.Wait > longestWait:
		return exitcode.Usage(fmt.Errorf("--wait: %s is out of range: 1s to %s", o.Wait, longestWait))
	case len(o.Reason) > longestReason:
		return exitcode.Usage(fmt.Errorf("--reason: %d characters, the maximum is %d", len(o.Reason), longestReason))
	case (o.Batch > 0) != (o.Hash != ""):
		return exitcode.Usage(errors.New("--batch and --hash must be given together: drainboard status GROUP -o json has both"))
	case o.asks() && o.JSON:
		return exitcode.Usage(errors.New("-o json and -o yaml do not prompt: give --yes" + o.orHash()))
	case o.asks() && !console.IsTerminal(os.Stdin):
		return exitcode.Usage(errors.New("not a terminal, so no prompt is possible: give --yes" + o.orHash()))
	}
	return nil
}

func (o *Order) orHash() string {
	if o.Kind == record.CmdApprove {
		return ", or --batch and --hash"
	}
	return ""
}

// Send finds the run and its driver, and sends the command. An abort of a run without a driver
// is executed here.
func (o *Order) Send(ctx context.Context) error {
	if err := o.check(); err != nil {
		return err
	}
	signalled, stop := console.UntilSignalled(ctx)
	defer stop()
	send := o.sendToDriver
	if o.Where.CloudOnly {
		send = o.findOnDisk
	}
	if driven, err := send(signalled); driven || err != nil {
		return err
	}
	return o.abortHere(ctx) // which handles signals itself
}

// sendToDriver sends the command to the process that drives the run. driven is false if there is
// none, and this process has to abort the run.
func (o *Order) sendToDriver(ctx context.Context) (driven bool, err error) {
	if o.kube, err = kube.Connect(ctx, o.Options.Flags, o.Options.Version); err != nil {
		return false, exitcode.Usage(err)
	}
	var found bool
	if o.run, found, err = records.New(o.kube, o.Options.Namespace, o.Group).Load(ctx); err != nil {
		return false, session.Unreadable(err, o.Line.Command("upgrade", o.Group))
	}
	if !found {
		if found, err = o.byAlias(ctx); err != nil {
			return false, exitcode.Usage(err)
		}
	}
	if why := present.NoRun(o.Group, o.run, found); why != "" {
		if !found && o.managed(ctx) {
			why = present.UnableManaged(o.Group, o.Kind)
		}
		return false, exitcode.Usage(errors.New(why))
	}
	driver, err := o.driver(ctx)
	if err != nil {
		return false, exitcode.Usage(err)
	}
	if driver.Holder == "" && o.Kind != record.CmdAbort {
		return true, o.say(verdict{Words: present.Undriven(o.run, driver.Heard, o.kube.Clock().Now())})
	}
	if driver.Holder != "" {
		if err := session.Allowed(ctx, o.kube, kube.CommandRights(o.Options.Namespace)); err != nil {
			return false, exitcode.Usage(err)
		}
	}
	if wanted, err := o.ask(ctx, driver.Holder); err != nil || !wanted {
		return true, err
	}
	if driver.Holder == "" {
		return false, nil
	}
	return o.await(ctx)
}

// driver is the process that drives the run. With an unwell API its lease may be renewed late: a command
// that only it can obey waits for that, as long as for its answer.
func (o *Order) driver(ctx context.Context) (lock.Driver, error) {
	if o.Kind == record.CmdAbort { // which this process can do too
		return lock.DriverOf(ctx, o.kube, o.Options.Namespace, o.Group)
	}
	waiting, cancel := context.WithTimeout(ctx, o.Wait)
	defer cancel()
	d, err := lock.AwaitDriver(waiting, o.kube, o.Options.Namespace, o.Group, func(d lock.Driver) {
		fmt.Fprintf(o.Err, "drainboard: %s, which drove the run, was last seen %s ago: waiting until it is back, %s at most\n",
			d.Late, o.kube.Clock().Now().Sub(d.Heard).Round(time.Second), o.Wait)
	})
	if err != nil && ctx.Err() == nil && waiting.Err() != nil { // the last reading was cut off
		return lock.DriverOf(ctx, o.kube, o.Options.Namespace, o.Group)
	}
	return d, err
}

// managed reports whether nodes have the label of a managed node group of this name. Without the right to
// list nodes none has.
func (o *Order) managed(ctx context.Context) bool {
	nodes, err := o.kube.Nodes(ctx)
	return err == nil && slices.ContainsFunc(nodes, func(n *world.Node) bool { return n.Labels[world.EKSGroupKey] == o.Group })
}

// byAlias finds the run of a group by its name on screen.
func (o *Order) byAlias(ctx context.Context) (found bool, err error) {
	stored, err := records.All(ctx, o.kube, o.Options.Namespace)
	var missing *kube.ForbiddenError
	if errors.As(err, &missing) {
		return false, nil // without the right to list records, the name is the group's own
	}
	if err != nil {
		return false, err
	}
	name := session.Recorded(stored, o.Group)
	if name == o.Group {
		return false, nil
	}
	o.Group = name
	o.run, found, err = records.New(o.kube, o.Options.Namespace, name).Load(ctx)
	return found, err
}

// ask shows what the command does and prompts where needed; for an approval it sets which
// batch is approved.
func (o *Order) ask(ctx context.Context, driver string) (wanted bool, err error) {
	asks := o.asks() // before the batch is set, after which it is always false
	if o.Kind == record.CmdApprove && o.Hash == "" {
		b, waiting := o.run.Waiting()
		if !waiting {
			return false, o.say(verdict{Words: "nothing waits for approval, as of " + o.run.Seen.Local().Format("15:04:05")})
		}
		o.Batch, o.Hash = b.ID, b.Hash
	}
	if !asks {
		if !o.JSON && o.Kind == record.CmdApprove && o.Yes {
			present.WriteWaiting(o.Out, o.run)
		}
		return true, nil
	}
	question := "Abort it? [y/N] "
	if o.Kind == record.CmdApprove {
		present.WriteWaiting(o.Out, o.run)
		question = "Approve it? [y/N] "
	} else {
		present.WriteAbort(o.Out, o.run, driver)
	}
	if !o.Ask(ctx, o.Marked(o.kube.ContextName(), question)) {
		return false, exitcode.With(exitcode.Aborted, errors.New("nothing was done"))
	}
	return true, nil
}

// await sends the command, waits for the answer, and withdraws the command if there is none.
// One that the driver has received cannot be withdrawn: its answer is waited for until the
// command expires. driven is false for an abort that was withdrawn because the process that drove the
// run has died since: this one has to abort the run.
func (o *Order) await(ctx context.Context) (driven bool, err error) {
	now := o.kube.Clock().Now()
	given, err := commands.Send(ctx, o.kube, o.Options.Namespace, o.Group, record.Command{
		Kind: o.Kind, Run: o.run.ID, Batch: o.Batch, Hash: o.Hash, Client: session.User(), At: now, Expires: now.Add(o.Wait + overrun), Reason: o.Reason, Retire: o.Retire,
	})
	if err != nil {
		return true, exitcode.Usage(err)
	}
	over := given.Over
	waiting, cancel := context.WithTimeout(ctx, o.Wait)
	defer cancel()
	answer, err := given.Await(waiting)
	if err == nil {
		return true, o.say(verdictOf(answer))
	}
	why := "no answer within " + o.Wait.String()
	switch {
	case ctx.Err() != nil:
		why = "interrupted before the answer"
	case waiting.Err() == nil:
		why = err.Error()
	}
	after := context.WithoutCancel(ctx)
	var late *commands.Answer
	back := err
	if !errors.Is(err, commands.ErrRemoved) {
		late, back = given.Withdraw(after)
	}
	var heard *commands.HeardError
	if errors.As(back, &heard) {
		longer, cancel := context.WithTimeout(ctx, over.Sub(o.kube.Clock().Now()))
		defer cancel()
		if answer, err := given.Await(longer); err == nil {
			late = &answer
		}
	}
	if late != nil {
		return true, o.say(verdictOf(*late))
	}
	why += "; " + o.afterwards(back, over, o.kube.Clock().Now())
	driver, err := lock.DriverOf(after, o.kube, o.Options.Namespace, o.Group)
	switch {
	case ctx.Err() == nil && back == nil && err == nil && driver.Holder == "" && o.Kind == record.CmdAbort:
		fmt.Fprintf(o.Err, "drainboard: %s, and no process drives the run any more: this one aborts it\n", why)
		return false, nil
	case err == nil && driver.Holder == "":
		why += "; now " + present.Undriven(o.run, driver.Heard, o.kube.Clock().Now())
	case err == nil && heard == nil:
		why += fmt.Sprintf("; %s drives the run, and may be disconnected or lack the rights to receive commands (see its log)", driver.Holder)
	}
	return true, o.say(verdict{Words: why})
}

// abortHere aborts a run without a driver: it is resumed here, headless, and aborted.
func (o *Order) abortHere(ctx context.Context) error {
	if o.run.Provider == backend.Gardener { // which the nodes may not tell, and abort has no --provider
		o.Where.Provider = backend.Gardener
	}
	u := &driver.Upgrade{
		Console: o.Console, Face: console.Face{Auto: true}, Request: planner.Request{Line: o.Line}, Options: o.Options, Where: o.Where, Group: o.Group, JSON: o.JSON,
		Abort: &record.Command{Kind: record.CmdAbort, Reason: o.Reason, Retire: o.Retire},
	}
	return u.Run(ctx, record.Settings{})
}

// findOnDisk finds a run without Kubernetes that is recorded on this machine and has no driver,
// to abort it here. Other commands from another process are impossible for such a run.
func (o *Order) findOnDisk(ctx context.Context) (driven bool, err error) {
	if o.Kind != record.CmdAbort {
		return false, exitcode.Usage(fmt.Errorf("%s --cloudonly: a run without Kubernetes accepts no commands from other processes, which are objects of the cluster: give it where the run is driven", o.Kind))
	}
	s, disk, err := o.Options.OpenCloudOnly(ctx, o.Where, true)
	if err != nil {
		return false, err
	}
	at, err := s.Find(ctx, o.Group)
	if err != nil {
		return false, err
	}
	var found bool
	if o.run, found, err = s.Record(at.Name()).Load(ctx); err != nil {
		return false, session.Unreadable(err, o.Line.Command("upgrade", o.Group))
	}
	if !found {
		return false, exitcode.Usage(fmt.Errorf("group %s has no run recorded on this machine (drainboard status --cloudonly shows others)", o.Group))
	}
	if why := present.NoRun(o.Group, o.run, found); why != "" {
		return false, exitcode.Usage(errors.New(why))
	}
	if tag := disk.Tag(at.Name()); tag.Held(s.Clock().Now()) { // an unreadable tag is reported when the lock is taken
		return false, exitcode.With(exitcode.Held, fmt.Errorf("group %s: %w; it accepts no commands from other processes: abort it there", o.Group, &live.HeldError{Holder: tag.Holder, Since: tag.Since}))
	}
	if o.asks() {
		present.WriteAbort(o.Out, o.run, "")
		if !o.Ask(ctx, o.Marked(s.Context(), "Abort it? [y/N] ")) {
			return false, exitcode.With(exitcode.Aborted, errors.New("nothing was done"))
		}
	}
	return false, nil
}
