package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/snapshot"
)

const (
	// patience is how long an action waits to be written down, forcePatience how long one
	// that is forced does: after that the first goes out all the same, the other not.
	patience      = time.Second
	forcePatience = 3 * time.Second
)

// Options are what a Scribe must know.
type Options struct {
	// Dir says where journals are kept.
	Dir func() (string, error)
	// Drainboard is this program's version, By its user and host, Args its command line.
	Drainboard, By string
	Args           []string
	// Run is the run that is begun, or gone on with if it is Resumed. Plan is what it is
	// going to do, nil for a resumed run.
	Run     record.Run
	Resumed bool
	Plan    *snapshot.Plan
	// Now is the cluster's time.
	Now func() time.Time
	// Warn is told, at most once for each trouble, what the user who drives the run must know.
	// It is called on any goroutine.
	Warn func(record.Event)
}

// RunWriter keeps the journal of a run while this process drives it. Its methods Heard,
// Decided and Events are for the loop's fields of these names.
type RunWriter struct {
	w       *Writer
	path    string
	now     func() time.Time
	options Options

	mu  sync.Mutex
	run record.Run // as it was decided on last
}

// Begin opens the journal of a run. It never fails: what cannot be written is warned
// of, and nothing is forced until then.
func Begin(o Options) *RunWriter {
	s := &RunWriter{now: o.Now, options: o, run: o.Run}
	dir, homeless := o.Dir()
	s.path = Path(dir, o.Run.Cluster, o.Run.ID)
	open := func() (file, error) { return openFile(s.path) }
	if homeless != nil {
		s.path, open = o.Run.ID, func() (file, error) { return nil, homeless }
	}
	trouble := func(err error) {
		e := record.Event{Type: record.Warning, Reason: "journal", Message: fmt.Sprintf("the journal %s cannot be written: %s; nothing is forced until it can, the run continues", s.path, words(err))}
		if err == nil {
			e.Message = "the journal " + s.path + " is written again, missing lines included"
		}
		if o.Warn != nil {
			o.Warn(e)
		}
	}
	w, found, torn := startWriter(s.path, open, o.Run.ID, o.Now, trouble)
	s.w = w
	opened := opened(o)
	opened.Torn, opened.Elsewhere = torn, o.Resumed && !found
	w.Put(Line{At: o.Now(), Kind: KindOpened, Opened: opened})
	return s
}

func opened(o Options) *Opened {
	r := &o.Run
	out := &Opened{
		Drainboard: o.Drainboard, By: o.By, PID: os.Getpid(), Args: o.Args, Resumed: o.Resumed,
		Cluster: r.Cluster, Group: r.Group, GroupID: r.GroupID, Alias: r.Alias, Provider: r.Provider, Strategy: r.Strategy, Roll: r.Roll,
		Started: r.Started, StartedBy: r.By, Seen: r.Seen, State: r.State, Why: r.Why, Seed: r.Seed, Limit: r.Limit,
		Settings: r.Settings, Target: r.Target, Base: r.Base, Template: r.BaseTemplate,
		Phases: r.Phases, Batches: r.Batches, Orders: r.Orders, Plan: o.Plan,
	}
	out.Nodes, _ = stages(shards.Map[record.Node]{}, r.Nodes, slices.Sorted(r.Nodes.Keys()))
	if o.Plan != nil {
		out.From, out.To, out.Limit = o.Plan.From, o.Plan.To, o.Plan.Limit
	}
	return out
}

// Lock is next, and writes down when a lost lock is held again: another process
// may have driven the run, and written the same file.
func (s *RunWriter) Lock(next live.Lock) live.Lock { return lock{next, s} }

type lock struct {
	live.Lock
	runWriter *RunWriter
}

func (l lock) Regain(ctx context.Context) (record.Run, error) {
	run, err := l.Lock.Regain(ctx)
	if err == nil {
		l.runWriter.reopen(run)
	}
	return run, err
}

// reopen writes down that this process drives the run again, and what of the run is not
// as it wrote it last: a lock that comes and goes must not fill the disk with nodes.
func (s *RunWriter) reopen(run record.Run) {
	s.mu.Lock()
	before := s.run
	s.run = run
	s.mu.Unlock()
	o := s.options
	o.Run, o.Resumed, o.Plan = run, true, nil
	o.Run.Nodes, o.Run.Batches, o.Run.Orders = shards.Map[record.Node]{}, nil, nil
	out := opened(o)
	if d := difference(&before, &engine.Decision{Run: run, Touched: slices.Sorted(run.Nodes.Keys())}); d != nil {
		out.Nodes, out.Batches, out.Orders = d.Stages, d.Batches, d.Orders
	}
	s.w.Put(Line{At: s.now(), Kind: KindOpened, Opened: out})
}

// Path is the journal's file.
func (s *RunWriter) Path() string { return s.path }

// Heard writes down an operator's command.
func (s *RunWriter) Heard(list []record.Command) {
	for _, c := range list {
		s.w.Put(Line{At: s.now(), Kind: KindCommand, Command: &c})
	}
}

// Decided writes down what a decision changed.
func (s *RunWriter) Decided(before record.Run, d engine.Decision) {
	s.mu.Lock()
	s.run = d.Run
	s.mu.Unlock()
	if changed := difference(&before, &d); changed != nil {
		s.w.Put(Line{At: s.now(), Kind: KindDecision, Decision: changed})
	}
}

// Events writes down what was told.
func (s *RunWriter) Events(list []record.Event) {
	for _, e := range list {
		s.w.Put(Line{At: e.Time, Kind: KindEvent, Event: &e})
	}
}

// Executor carries out through next what has been written down before.
func (s *RunWriter) Executor(next live.Executor) live.Executor { return executor{s, next} }

type executor struct {
	*RunWriter
	next live.Executor
}

func (e executor) Do(ctx context.Context, a record.Action) record.Outcome {
	seq, err := e.Ask(a)
	if err != nil {
		o := record.Outcome{Key: a.Key, At: e.now(), Verdict: record.Refused, Refusal: record.RefusedJournal, Message: err.Error()}
		e.Answer(seq, o)
		return o
	}
	o := e.next.Do(ctx, a)
	e.Answer(seq, o)
	return o
}

// Ask writes down an action that is about to be carried out. What ends something for
// good is on the disk when it returns. The error says why an action that is forced must
// not go out; any other may, whatever became of the journal.
func (s *RunWriter) Ask(a record.Action) (seq int, err error) {
	l := Line{At: s.now(), Kind: KindAction, Action: &Action{Action: a}}
	if a.Kind != record.Evict {
		l.Action.Twin = a.Command()
	}
	l.Action.Forced, err = s.forced(a)
	if err != nil {
		return s.w.Put(l), err
	}
	if l.Action.Forced != nil {
		ctx, cancel := context.WithTimeout(context.Background(), forcePatience)
		defer cancel()
		if seq, err = s.w.Commit(ctx, l); err != nil {
			return seq, fmt.Errorf("not forced: the journal cannot be written: %s", words(err))
		}
		return seq, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if a.Kind == record.Terminate || a.Kind == record.EndWarm {
		seq, _ = s.w.Commit(ctx, l)
	} else {
		seq, _ = s.w.Write(ctx, l)
	}
	return seq, nil
}

// Answer writes down what came of an action, by the number that Ask gave it.
func (s *RunWriter) Answer(seq int, o record.Outcome) {
	there := len(o.Pods)
	o.Pods, o.Lines = nil, nil // what was seen, which the decision tells; a console may hold secrets
	s.w.Put(Line{At: s.now(), Kind: KindOutcome, Outcome: &Outcome{Of: seq, Outcome: o, There: there}})
}

// forced says by whose order an action breaks a promise, nil if it breaks none. The
// error says that nobody is known to have ordered it.
func (s *RunWriter) forced(a record.Action) (*Forced, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch a.Kind {
	case record.Delete, record.ForceMachine:
		for _, o := range s.run.Orders {
			if o.ID == a.Order && o.By != "" {
				return &Forced{Order: o.ID, By: o.By, At: o.At, Why: o.Why}, nil
			}
		}
		return nil, fmt.Errorf("not forced: no known order %s", a.Order)
	case record.Terminate:
		if k := s.run.Settings; k.CloudOnly && k.CloudOnlyBy == "" {
			return nil, errors.New("not terminated without a drain: no known consent to a run without Kubernetes")
		} else if k.CloudOnly {
			return &Forced{By: k.CloudOnlyBy, At: s.run.Started, Why: "started with --cloudonly: its pods end with it"}, nil
		}
		if n := s.run.Nodes.Get(a.Machine); n.Lost {
			return &Forced{By: s.run.By, At: s.run.Started, Why: "started with --unreachable=terminate: no heartbeat of " + n.Name + " for " + s.run.Settings.UnreachableAfter.String()}, nil
		}
	}
	return nil, nil
}

// Close writes down how this process leaves the run, and all that still waits.
func (s *RunWriter) Close(run record.Run, failed error) {
	c := &Closed{State: run.State, Result: run.Result, Why: run.Why}
	if failed != nil {
		c.Error = failed.Error()
	}
	if run.State != record.Finished {
		c.Outstanding = run.Outstanding()
	}
	s.w.Put(Line{At: s.now(), Kind: KindClosed, Closed: c})
	s.w.Close()
}

// words are an error's own, without the path that is told beside them.
func words(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	if err == nil {
		return ""
	}
	return err.Error()
}
