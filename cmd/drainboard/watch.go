package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/ui"
)

func (a *app) watchCmd() *cobra.Command {
	var where backend.Where
	var f console.Face
	cmd := &cobra.Command{
		Use:   "watch [GROUP]",
		Short: "Look at a group and at the run in it, wherever that is driven; changes nothing",
		Long: "The dashboard, to look at: a group as it is, and the run in it, wherever that is driven. It shows a run as soon as it\n" +
			"starts and how it ends, and sends nothing but reads, so q leaves at any moment. Without GROUP it lets you pick one.\n\n" +
			"With --plain everything is told in lines: how the group stands, then what comes, until ctrl-c. An empty line tells what\n" +
			"can be looked at. Lines are also what you get with TERM=dumb, or when the input or the output is no terminal; an input\n" +
			"that is none may end, and the watch goes on.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if where.CloudOnly {
				return exitcode.Usage(fmt.Errorf("watch --cloudonly: a run without Kubernetes has its record on the disk of the machine that drives it, and cannot be watched from elsewhere; drainboard status --cloudonly takes one look there"))
			}
			ctx, stop := untilSignalled(cmd.Context())
			defer stop()
			return a.watch(ctx, args, where, f.Looking())
		},
	}
	addWhere(cmd.Flags(), &where)
	cmd.Flags().SetNormalizeFunc(byKopsName)
	cmd.Flags().BoolVar(&f.Plain, "plain", false, console.PlainHelp)
	a.themeFlag(cmd)
	return cmd
}

// watch shows a group until the user leaves or a signal ends it.
func (a *app) watch(ctx context.Context, args []string, where backend.Where, f console.Face) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := a.CheckTheme(); err != nil {
		return err
	}
	rights := append(kube.ReadRights(a.namespace), kube.WatchRights(a.namespace)...)
	s, h, err := connect(ctx, a.flags, a.namespace, where, rights, true)
	if err != nil {
		return left(ctx, err)
	}
	screen := a.watcher(ctx, s, f, stop)
	group := ""
	if len(args) > 0 {
		group = args[0]
	} else if group, err = pickFrom(ctx, f, s, screen); err != nil || group == "" {
		return left(ctx, err)
	} else { // what was told to the list, and changed under it, is the board's to know too
		screen = a.watcher(ctx, s, f, stop)
	}
	return s.watch(ctx, h, group, f, screen)
}

// watcher are the options of who only looks; lines that nobody reads any more end it.
func (a *app) watcher(ctx context.Context, s *session, f console.Face, leave func()) ui.Options {
	var o ui.Options
	if f.Plain {
		signal.Ignore(syscall.SIGPIPE) // the write fails, and that is enough
		o = a.Plainly(o)
		o.Output = console.UntilGone(a.Out, leave)
	} else {
		o = a.Screen(ctx, s.Context())
	}
	o.ReadOnly = true
	return o
}

// watch shows a group until the user leaves. Nothing here could change anything: the
// session only reads, and there is no executor.
func (s *session) watch(ctx context.Context, h *inCluster, group string, f console.Face, screen ui.Options) error {
	w := &live.Watch{Clock: s.Clock(), Rules: strategy.Named, Idle: strategy.EKS{}, Cluster: s.Cluster()}
	feed := h.kube.Feed()
	feed.NodesFirst()
	screen.Unread = feed.See
	return watchOn(ctx, w, f, func(ctx context.Context) (err error) {
		h.reading = feed
		feed.Begin(ctx) // before it is known which group is meant
		at, err := s.find(ctx, group)
		if err != nil {
			return err
		}
		if run, going := s.unfinished(ctx, at.Name()); going {
			if at, err = s.asBegun(ctx, at, run); err != nil {
				return err
			}
		}
		v, err := s.look(ctx, at, w)
		w.World, w.Queue = v.world, v.intake
		return err
	}, screen)
}

// watchOn reads what is to be watched while the screen already says so, and shows it
// until the user leaves, also after the watch has ended. What is read may still be
// partial: the screen shows that, and the rest as it comes. It returns why that failed;
// where it could not be read the screen closes by itself.
func watchOn(ctx context.Context, w *live.Watch, f console.Face, read func(context.Context) error, screen ui.Options) error {
	snapshots := make(chan *engine.Snapshot, 1)
	calm := sync.OnceFunc(hurry())
	defer calm()
	w.Publish = func(s *engine.Snapshot) {
		if !s.Partial {
			calm()
		}
		select {
		case <-snapshots: // the newest only
		default:
		}
		snapshots <- s
	}
	showing, closeScreen := context.WithCancelCause(ctx)
	defer closeScreen(nil)
	watching, stop := context.WithCancel(ctx)
	defer stop()
	watched := make(chan error, 1)
	go func() {
		defer close(snapshots)
		err := live.Caught(func() error { return read(watching) })
		if err != nil {
			closeScreen(err)
			watched <- nil
			return
		}
		err = live.Caught(func() error { return w.Run(watching) })
		if err != nil && watching.Err() == nil && !f.Plain { // the log shows it
			fmt.Fprintln(console.Stderr(), "the watch stopped:", err)
		}
		w.Queue.Close()
		watched <- exitcode.Usage(err)
	}()
	screen.Snapshots, screen.Look = snapshots, w.Look
	_, err := f.Show(showing, screen)
	stop()
	if failed := <-watched; failed != nil {
		return failed
	}
	return left(ctx, err)
}

// untilSignalled is a context that ends with every signal that ends a process, so that
// a screen gives the terminal back first. Ctrl-c is a key on a screen; SIGINT comes from
// elsewhere, or before there is a screen.
func untilSignalled(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// left is the error that a screen ended with, but that a signal ended it is none.
func left(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return err
}
