package watch

import (
	"context"
	"fmt"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/forecast"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/ui"
)

// Watch is one call of `drainboard watch`.
type Watch struct {
	console.Console
	console.Face
	Options session.Options
	Where   backend.Where
	Group   string // "": the user picks one
	JSON    bool   // events of --auto
}

// Run shows a group until the user leaves or a signal ends it.
func (a *Watch) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := a.CheckTheme(); err != nil {
		return err
	}
	rights := append(kube.ReadRights(a.Options.Namespace), kube.WatchRights(a.Options.Namespace)...)
	s, h, err := a.Options.Connect(ctx, a.Where, rights, true)
	if err != nil {
		return console.Left(ctx, err)
	}
	if a.Auto {
		return a.auto(ctx, s, h)
	}
	screen := a.screen(ctx, s, stop)
	if a.Group == "" {
		if a.Group, err = PickGroup(ctx, a.Face, s, screen); err != nil || a.Group == "" {
			return console.Left(ctx, err)
		}
		// What the picker was told, and what changed since, the board needs as well.
		screen = a.screen(ctx, s, stop)
	}
	return a.onGroup(ctx, s, h, screen)
}

// screen returns the options of a read-only dashboard; plain lines without a reader end it.
func (a *Watch) screen(ctx context.Context, s *session.Session, leave func()) ui.Options {
	var o ui.Options
	if a.Plain {
		signal.Ignore(syscall.SIGPIPE) // the write fails, and that is enough
		o = a.Plainly(o)
		o.Output = console.UntilGone(a.Out, leave)
	} else {
		o = a.Screen(ctx, s.Context())
	}
	o.ReadOnly = true
	return o
}

// onGroup shows a group until the user leaves. It cannot change anything: the session
// only reads, and there is no executor.
func (a *Watch) onGroup(ctx context.Context, s *session.Session, cluster *session.InCluster, screen ui.Options) error {
	w, group := a.watching(s), a.Group
	kept := a.keep(w, s.Clock())
	defer kept.close()
	feed := cluster.NodesFirst()
	screen.Unread, screen.Log = feed.See, s.Log()
	return watchOn(ctx, w, a.Face, func(ctx context.Context) (err error) {
		feed.Begin(ctx) // before the group is known
		at, err := s.Find(ctx, group)
		if err != nil {
			return err
		}
		if run, going := s.Unfinished(ctx, at.Name()); going {
			if at, err = s.AsBegun(ctx, at, run); err != nil {
				return err
			}
		}
		v, err := s.Read(ctx, at, w)
		w.World, w.Queue = v.World, v.Queue
		return err
	}, screen)
}

// watching is a watch of the session's cluster.
func (a *Watch) watching(s *session.Session) *live.Watch {
	return &live.Watch{Clock: s.Clock(), Rules: strategy.Named, Idle: strategy.EKS{}, Follow: strategy.EKSManaged{}, Foresee: forecast.By, Roller: strategy.GardenerFollow{}, Cluster: s.Cluster(),
		NewID: func(now time.Time) string { return session.RunID(a.Group, now) }}
}

// watchOn reads the group while the dashboard already shows that, and shows it until
// the user leaves, also after the watch has ended. What is read may still be partial:
// the dashboard shows that, and the rest as it arrives. It returns why that failed;
// if the group could not be read the dashboard closes by itself.
func watchOn(ctx context.Context, w *live.Watch, f console.Face, read func(context.Context) error, screen ui.Options) error {
	snapshots := make(chan *snapshot.Snapshot, 1)
	restore := sync.OnceFunc(session.RaiseGCPercent())
	defer restore()
	w.Publish = func(s *snapshot.Snapshot) {
		if !s.Partial {
			restore()
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
	return console.Left(ctx, err)
}
