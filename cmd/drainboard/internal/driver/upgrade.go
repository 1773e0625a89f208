package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/config"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/metrics"
	"github.com/drainboard/drainboard/providers/trace"
)

// Upgrade is one call of `drainboard upgrade`: its flags and its user interface.
type Upgrade struct {
	console.Console
	console.Face
	planner.Request
	Options session.Options
	Scope   planner.Scope
	Where   backend.Where
	Group   string   // "" if there are several
	Given   []string // given flags that set settings and target
	Yes     bool     // no prompt at the start
	// Vary returns other settings to compare with those given; nil: there are none.
	Vary func(backend.Group) ([]planner.Variation, error)
	JSON bool // events of --auto
	// RecordLimit is how long the record may be unwritable before the run pauses; see
	// live.Loop.
	RecordLimit  time.Duration
	RecordChoice string          // see CheckRecordChoice
	Metrics      string          // the address to serve metrics at, "" for none
	MetricsPush  string          // a Pushgateway that gets them at the end, "" for none
	MetricsFile  string          // a file that they are written to at the end, "" for none
	Abort        *record.Command // abort the unfinished run, and start none; nil to resume it
	Retire       bool            // retire what the last run left of its surge, and upgrade nothing

	part    *member         // of a roll, or of none
	metrics *metricsServer  // nil: none
	trace   *trace.Recorder // nil: none is sent
	signals chan os.Signal
	driving chan struct{} // closed when the run is driven: from then on it handles signals
}

// Run drives the group's unfinished run or a new one, or a roll. settings are those of the flags,
// as far as they are known without the group.
func (u *Upgrade) Run(ctx context.Context, settings record.Settings) (err error) {
	if u.Metrics != "" {
		if u.metrics, err = serveMetrics(u.Metrics, u.Options.Version); err != nil {
			return exitcode.Usage(err)
		}
		defer u.metrics.close()
	}
	last, err := readLastMetrics(u.MetricsPush, u.MetricsFile)
	if err != nil {
		return exitcode.Usage(err)
	}
	if !last.none() {
		if u.metrics == nil {
			u.metrics = &metricsServer{Recorder: metrics.New(u.Options.Version)}
		}
		defer func() {
			if err := last.write(u.metrics.Recorder); err != nil {
				fmt.Fprintln(u.Err, "drainboard: "+err.Error())
			}
		}()
	}
	if u.trace, err = trace.New(os.Getenv, u.Options.Version); err != nil {
		fmt.Fprintln(u.Err, "drainboard: "+err.Error())
	} else if u.trace != nil {
		defer func() {
			if err := u.trace.Close(); err != nil {
				fmt.Fprintln(u.Err, "drainboard: "+err.Error())
			}
		}()
	}
	u.part = &member{}
	if u.Auto {
		u.part.tell = present.NewPrinter(u.Out, u.JSON, false).Events
	}
	return u.listening(ctx, settings)
}

// listening prepares and drives, and handles signals.
func (u *Upgrade) listening(ctx context.Context, settings record.Settings) error {
	u.signals = make(chan os.Signal, 4)
	signal.Notify(u.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(u.signals)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	u.driving = make(chan struct{})
	interrupted := make(chan struct{})
	go func() { // until the run is driven, a signal ends the process without a change
		select {
		case <-u.signals:
			close(interrupted)
			cancel()
		case <-u.driving:
		case <-ctx.Done():
		}
	}()
	err := u.prepare(ctx, settings)
	select {
	case <-interrupted:
		return exitcode.With(exitcode.Aborted, errors.New("interrupted; this process changed nothing"))
	default:
		return err
	}
}

// prepare connects, and drives the run or the roll.
func (u *Upgrade) prepare(ctx context.Context, settings record.Settings) error {
	rights := append(kube.ReadRights(u.Options.Namespace), kube.WriteRights(u.Options.Namespace)...)
	if settings.OnDrainTimeout == record.TimeoutForce && !u.mayBeManaged() {
		rights = append(rights, kube.ForceRights()...)
	}
	s, err := u.Options.Open(ctx, u.Where, rights, false)
	if err != nil {
		return err
	}
	if err := u.Settle(config.ConfigDir(os.Getenv), s.Context(), &settings); err != nil {
		return exitcode.Usage(err)
	}
	if u.Scope.IsRoll() {
		if err := s.Groups.Several(); err != nil {
			return exitcode.Usage(err)
		}
		return u.rollThrough(ctx, s)
	}
	return u.onGroup(ctx, s)
}

// mayBeManaged reports whether the group may be one that EKS updates, and forces by itself: whether this process needs a
// right to that is known once the group is.
func (u *Upgrade) mayBeManaged() bool {
	return !u.Scope.IsRoll() && !u.Where.CloudOnly && slices.Contains([]string{"", backend.Any, backend.EKSManaged}, u.Where.Provider)
}

// onGroup takes the lock of the group, and drives its unfinished run or a new one.
func (u *Upgrade) onGroup(ctx context.Context, s *session.Session) error {
	d := &driver{Upgrade: u, session: s}
	if err := d.find(ctx); err != nil {
		return err
	}
	v, err := s.Read(ctx, d.at, nil)
	if err != nil {
		return err
	}
	defer v.Queue.Close()
	d.view = v
	if err := s.Free(&v.World.Group); err != nil {
		return err
	}
	d.lease = s.Lease(u.Group, func(holder string, until time.Time) {
		fmt.Fprintf(u.Err, "drainboard: %s holds the lock of this group; waiting until %s at most to see whether it is alive\n", holder, until.Local().Format("15:04:05"))
	})
	if err := d.couldStart(ctx); err != nil {
		return err
	}
	if err := d.lease.Acquire(ctx); err != nil {
		var other *live.HeldError
		if errors.As(err, &other) {
			return u.held(err)
		}
		return exitcode.Usage(err)
	}
	defer d.lease.Release()
	if d.roll = u.part.roll; u.Auto {
		d.listeners = append(d.listeners, u.part.tell)
	}
	d.accompany()
	defer d.close()
	return d.fromRecord(ctx)
}

// held returns the error for a group that another process drives.
func (u *Upgrade) held(err error) error {
	if u.Where.CloudOnly {
		return exitcode.With(exitcode.Held, fmt.Errorf("group %s: %w; it accepts no commands from other processes: view and abort it there", u.Group, err))
	}
	return exitcode.With(exitcode.Held, fmt.Errorf("group %s: %w\nwatch it with: %s; abort it with: %s", u.Group, err, u.Line.Command("watch", u.Group), u.Line.Command("abort", u.Group)))
}
