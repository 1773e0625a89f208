package live

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

var (
	competingFlag = flag.Uint64("competing", 300, "how many seeds of two competing processes to play")
	fromFlag      = flag.Uint64("from", 1, "the first of them")
)

// suspendMany wants a number of processes suspended, one after the other, and tells of each that is.
type suspendMany struct{ suspendOnce }

var wanted = []string{"a", "b", "c", "d", "e", "f"}

func (suspendMany) Step(s *engine.Step) {
	s.Enter("only")
	seen(s)
	for _, process := range wanted {
		if !s.SuspendProcess(process) || !s.W.Group.HasSuspended(process) {
			return
		}
	}
	s.Succeed()
}

// most is how many processes others suspend in between.
const most = 150

// seen tells of each process that is newly seen as suspended.
func seen(s *engine.Step) {
	for _, process := range slices.Sorted(slices.Values(s.W.Group.Suspended)) {
		if !s.Run.Nodes.Has(process) {
			s.SetNode(process, record.Node{Name: process, Stage: record.Replaced, Since: s.Now})
			s.Report(record.Event{Type: record.NodeReplaced, Node: process, Message: "suspended"})
		}
	}
}

// arena is a cluster with the lease and the record of one group, for which
// processes compete.
type arena struct {
	mu      sync.Mutex
	rand    *rand.Rand
	holder  *competitor // of the lease
	renewed time.Time
	record  []byte
	version int
	writer  *competitor          // of the record
	done    map[string]time.Time // since when a process is suspended
	comes   map[string]time.Time // since when others have one suspended
	told    map[string]int       // how often it was told that one is
	broken  []string
}

// The lease's times, as those of providers/kube: a holder that could not renew it
// for renewal gives it up, and others may take it lease after it was renewed.
const (
	lease   = 15 * time.Second
	renewal = 10 * time.Second
)

// bound is the virtual time in which two processes bring the run to its end, whichever drives it.
const bound = 6 * time.Hour

func (a *arena) breaks(format string, args ...any) {
	a.broken = append(a.broken, fmt.Sprintf(format, args...))
}

// chance is true once in n times.
func (a *arena) chance(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.rand.IntN(n) == 0
}

// span is some time of at most limit.
func (a *arena) span(limit time.Duration) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Duration(a.rand.Int64N(int64(limit)))
}

// competitor is one process: a Store, a Lock, an Executor, a Feed and a Clock.
type competitor struct {
	*arena
	name   string
	frozen time.Time // until then nothing gets out and nothing gets in
	deaf   time.Time // until then it cannot renew the lease
	dead   bool
	seen   int // the version of the record that it has read or written
	lost   chan struct{}
	looked map[string]time.Time // when it last looked whether a process is suspended, and got to know
	lostAt time.Time            // zero: it believes that it holds the lease
	kept   time.Time            // when it last knew that it holds the lease
	terms  int                  // how often it has got the lease
	asked  map[string]int       // by key: the term in which an action, or a look whether it happened, was begun last
	said   map[string]bool      // what the process has told
	typed  []time.Time          // when it was given commands that it has not answered
	stale  bool                 // it has learned that others have written the record, and has to stop
}

// thaw waits while the process is frozen.
func (r *competitor) thaw() {
	for {
		r.mu.Lock()
		left := time.Until(r.frozen)
		r.mu.Unlock()
		if left <= 0 {
			return
		}
		time.Sleep(left)
	}
}

// acquire takes the lease if it is free or has expired, and reads the record.
func (r *competitor) acquire() (run record.Run, held bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead || r.holder != nil && r.holder != r && time.Since(r.renewed) <= lease {
		return run, false
	}
	r.holder, r.renewed, r.kept = r, time.Now(), time.Now()
	r.lost, r.lostAt, r.seen = make(chan struct{}), time.Time{}, r.version
	r.terms, r.stale = r.terms+1, false
	if err := json.Unmarshal(r.record, &run); err != nil {
		r.breaks("the record cannot be read: %v", err)
	}
	return run, true
}

// renew keeps the lease until ctx ends, and notices when another process has it.
func (r *competitor) renew(ctx context.Context) {
	for ctx.Err() == nil {
		time.Sleep(2 * time.Second)
		r.thaw()
		r.mu.Lock()
		switch {
		case r.dead, !r.lostAt.IsZero():
		case r.holder == r && time.Now().After(r.deaf):
			r.renewed, r.kept = time.Now(), time.Now()
		case r.holder == r && time.Since(r.renewed) <= renewal:
		default:
			r.lostAt = time.Now()
			close(r.lost)
		}
		r.mu.Unlock()
	}
}

func (r *competitor) Lost() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

func (r *competitor) Sure() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lostAt.IsZero() && time.Since(r.kept) < renewal
}

func (r *competitor) Regain(ctx context.Context) (record.Run, error) {
	for ctx.Err() == nil {
		time.Sleep(time.Second) // what is on its way has arrived when the lease is got again
		r.thaw()
		if run, held := r.acquire(); held {
			return run, nil
		}
		r.mu.Lock()
		given := r.dead || r.rand.IntN(3) == 0
		r.mu.Unlock()
		if given {
			break // it sees that the other one is alive
		}
		time.Sleep(2 * time.Second)
	}
	return record.Run{}, ErrLost
}

func (r *competitor) Save(_ context.Context, run record.Run) error {
	r.thaw()
	time.Sleep(r.span(50 * time.Millisecond))
	if r.chance(20) {
		return errors.New("the API is away")
	}
	if err := r.write(run); err != nil {
		return err
	}
	if r.chance(25) { // the machine goes to sleep while the answer is on its way
		r.freeze()
	}
	r.thaw()
	return nil
}

func (r *competitor) write(run record.Run) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.dead:
		return errors.New("dead")
	case r.stale:
		r.breaks("rule 7: %s continues with a record that others have written since", r.name)
		return ErrLost
	case r.version != r.seen:
		r.stale = true
		return ErrLost
	}
	text, err := json.Marshal(run)
	if err != nil {
		return err
	}
	r.record, r.version, r.writer = text, r.version+1, r
	r.seen = r.version
	return nil
}

// freeze stops the process for a while, as closing a laptop does.
func (r *competitor) freeze() {
	pause := r.span(45 * time.Second)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.frozen = time.Now().Add(pause)
}

func (r *competitor) Do(ctx context.Context, a record.Action) record.Outcome {
	r.mu.Lock()
	if r.asked[a.Key] = r.terms; a.Of != nil {
		r.asked[a.Of.Key] = r.terms
	}
	r.mu.Unlock()
	if !a.ReadOnly() { // it is looked at first, and the machine may go to sleep before it is changed
		time.Sleep(r.span(400 * time.Millisecond))
		if r.chance(20) {
			r.freeze()
		}
		r.thaw()
		if MayAct(ctx) != nil {
			return record.Outcome{Verdict: record.Unknown}
		}
	}
	r.mu.Lock()
	if r.dead {
		r.mu.Unlock()
		return record.Outcome{Verdict: record.Unknown}
	}
	if !a.ReadOnly() {
		r.acts(a)
	}
	r.mu.Unlock()
	time.Sleep(r.span(400 * time.Millisecond))
	r.mu.Lock()
	o, looked := record.Outcome{Verdict: record.Done, At: time.Now()}, time.Time{}
	switch a.Kind {
	case record.Suspend:
		if r.done[a.Process].IsZero() {
			r.done[a.Process] = time.Now()
		}
	case record.CheckEffect:
		o.Happened = !r.done[a.Of.Process].IsZero()
		looked = time.Now()
	}
	r.mu.Unlock()
	time.Sleep(r.span(400 * time.Millisecond))
	r.thaw()
	if r.chance(6) {
		return record.Outcome{Verdict: record.Unknown, At: time.Now()}
	}
	if a.Kind == record.CheckEffect {
		r.mu.Lock()
		r.looked[a.Of.Process] = looked
		r.mu.Unlock()
	}
	return o
}

// decided checks that a decision rests on no answer of an earlier term: others may have
// acted since.
func (r *competitor) decided(before record.Run, d engine.Decision) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, p := range d.Run.Pending {
		if !p.Accepted.IsZero() && before.Pending[key].Accepted.IsZero() && r.asked[key] != r.terms {
			r.breaks("rule 7: %s takes an answer of an earlier term for that to %s", r.name, key)
		}
	}
}

// tells notes what the process tells.
func (r *competitor) tells(events []record.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range events {
		if e.Reason == "refused" && len(r.typed) > 0 {
			since := time.Since(r.typed[0])
			if r.typed = r.typed[1:]; strings.Contains(e.Message, record.WithoutRecord) && since < typedLimit {
				r.breaks("%s refuses what was typed %s ago: %s", r.name, since, e.Message)
			}
		}
		if e.Type != record.NodeReplaced {
			continue
		}
		if r.told[e.Node]++; r.said[e.Node] {
			r.breaks("%s tells twice that %s is suspended", r.name, e.Node)
		}
		r.said[e.Node] = true
	}
}

// leaves checks the record of who was told to stop: what it has as asked for was asked for.
func (r *competitor) leaves(since time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead || r.holder != r || r.writer != r || r.seen != r.version {
		return
	}
	var saved record.Run
	if err := json.Unmarshal(r.record, &saved); err != nil {
		r.breaks("the record cannot be read: %v", err)
	}
	for key, p := range saved.Pending {
		slept := r.frozen.After(p.Asked) || r.deaf.After(p.Asked) // then it may have been too late to begin
		if !p.Action.ReadOnly() && p.Asked.After(since) && r.asked[key] != r.terms && !slept {
			r.breaks("rule 7: %s leaves, and has %s recorded as asked for, which it is not", r.name, key)
		}
	}
}

// acts checks rule 7 when an action that changes something is sent.
func (r *competitor) acts(a record.Action) {
	var saved record.Run
	if err := json.Unmarshal(r.record, &saved); err != nil {
		r.breaks("the record cannot be read: %v", err)
	}
	switch {
	case r.holder != r:
		r.breaks("rule 7: %s acts (%s) and another process may hold the lease", r.name, a.Key)
	case r.writer != r || r.seen != r.version:
		r.breaks("rule 7: %s acts (%s) on a record that it was not the last to write", r.name, a.Key)
	case a.Kind == record.Suspend && !r.done[a.Process].IsZero() && !r.looked[a.Process].Before(r.done[a.Process]):
		r.breaks("nothing twice: %s acts (%s) on what has happened", r.name, a.Key)
	case saved.Pending[a.Key].Asked.IsZero():
		r.breaks("rule 7: %s acts (%s) before the record says so", r.name, a.Key)
	case !r.lostAt.IsZero() && time.Now().After(r.lostAt):
		r.breaks("rule 7: %s acts (%s) and has lost the lock %s ago", r.name, a.Key, time.Since(r.lostAt))
	}
}

func (r *competitor) Run(ctx context.Context, post func(Change)) error {
	for ctx.Err() == nil {
		r.thaw()
		r.mu.Lock()
		var suspended []string
		for _, process := range wanted {
			if !r.done[process].IsZero() {
				suspended = append(suspended, process)
			}
		}
		now := time.Now()
		for process, at := range r.comes {
			if now.After(at) {
				suspended = append(suspended, process)
			}
		}
		r.mu.Unlock()
		post(func(w *world.World) {
			w.SetGroup(world.Group{Name: "web", Suspended: suspended})
			w.SetHealth(world.Cluster, world.Health{Fresh: now})
			w.SetHealth(world.Cloud, world.Health{Fresh: now})
		})
		time.Sleep(300 * time.Millisecond)
	}
	return nil
}

func (r *competitor) Now() time.Time      { return time.Now() }
func (r *competitor) Skew() time.Duration { return 0 }

// drive takes the group over whenever it can, until the run is finished.
func (r *competitor) drive(ctx context.Context, t *testing.T) {
	for ctx.Err() == nil {
		r.thaw()
		run, held := r.acquire()
		if run.State == record.Finished {
			return
		}
		if held {
			r.term(ctx, t, engine.TakeOver(run, time.Now()))
		}
		r.mu.Lock()
		r.dead = false // another process on the same machine
		if r.holder == r {
			r.holder = nil
		}
		r.mu.Unlock()
		time.Sleep(2*time.Second + r.span(time.Second))
	}
}

// term is the life of one process.
func (r *competitor) term(ctx context.Context, t *testing.T, run record.Run) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var around sync.WaitGroup
	defer around.Wait()
	defer stop()
	around.Go(func() { r.renew(ctx) })
	around.Go(func() { r.suffer(ctx, stop) })
	in := Open(ctx, r)
	defer in.Close()
	w := world.New()
	if in.Fill(ctx, w, time.Minute, world.Cluster, world.Cloud) != nil {
		return
	}
	l := &Loop{Rules: suspendMany{}, World: w, Queue: in, Executor: r, Store: r, Lock: r, Clock: r, Decided: r.decided, Events: r.tells}
	r.said, r.typed = map[string]bool{}, nil
	around.Go(func() { r.types(ctx, l) })
	began := time.Now()
	if _, err := l.Run(ctx, run); err == nil {
		r.leaves(began)
	} else if !errors.Is(err, ErrLost) && ctx.Err() == nil {
		t.Errorf("%s: %v", r.name, err)
	}
}

// types gives the process a command now and then, which is refused as there is nothing to approve: not because the record cannot
// be written for a moment.
func (r *competitor) types(ctx context.Context, l *Loop) {
	for ctx.Err() == nil {
		time.Sleep(2*typedLimit + r.span(typedLimit))
		r.mu.Lock()
		r.typed = append(r.typed, time.Now())
		r.mu.Unlock()
		l.Send(record.Command{Kind: record.CmdApprove, By: r.name, At: time.Now()})
	}
}

// suffer freezes the process now and then, takes its lease away, ends it, or tells it to stop.
func (r *competitor) suffer(ctx context.Context, stop context.CancelFunc) {
	for ctx.Err() == nil {
		time.Sleep(r.span(8 * time.Second))
		switch {
		case r.chance(4):
			r.freeze()
		case r.chance(3):
			cut := r.span(30 * time.Second)
			r.mu.Lock()
			r.deaf = time.Now().Add(cut)
			r.mu.Unlock()
		case r.chance(12):
			r.mu.Lock()
			r.dead = true
			r.mu.Unlock()
			stop()
		case r.chance(8):
			stop()
		}
	}
}

// Two processes compete for one group, on machines that sleep, die and lose the
// lease. Whatever happens, the process that acts was the last to write the record, and
// nothing is asked for again that was seen to have happened.
func TestCompetingDrivers(t *testing.T) {
	from, seeds, start := *fromFlag, *competingFlag, time.Now()
	t.Logf("plays seeds %d to %d", from, from+seeds-1)
	t.Run("seeds", func(t *testing.T) {
		for half := range uint64(2) {
			t.Run(fmt.Sprint(half), func(t *testing.T) {
				t.Parallel()
				for n := half; n < seeds && !t.Failed(); n += 2 {
					synctest.Test(t, func(t *testing.T) { compete(t, from+n) })
					if t.Failed() {
						t.Logf("play it again: go test ./engine/live -run TestCompetingDrivers -from=%d -competing=1", from+n)
					}
				}
			})
		}
	})
	t.Logf("seeds %d to %d in %s", from, from+seeds-1, time.Since(start).Round(time.Second))
}

func compete(t *testing.T, seed uint64) {
	a := &arena{rand: rand.New(rand.NewPCG(seed, 7)), done: map[string]time.Time{}, comes: map[string]time.Time{}, told: map[string]int{}}
	for at := time.Now(); len(a.comes) < most; at = at.Add(a.span(time.Second)) {
		a.comes[fmt.Sprint("other", a.rand.IntN(1000))] = at
	}
	w := world.New()
	w.SetGroup(world.Group{Name: "web"})
	run := engine.Start(assess.NewRun(suspendMany{}, "run-1", seed, w, suspendMany{}.Defaults(), record.Target{}), time.Now(), "ann@laptop")
	text, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	a.record = text
	ctx, stop := context.WithTimeout(t.Context(), bound)
	defer stop()
	var both sync.WaitGroup
	for _, name := range []string{"ann's laptop", "bob's laptop"} {
		r := &competitor{arena: a, name: name, looked: map[string]time.Time{}, asked: map[string]int{}}
		both.Go(func() { r.drive(ctx, t) })
	}
	both.Wait()
	if ctx.Err() != nil {
		t.Errorf("seed %d: the run has not come to its end in %s", seed, bound)
	}
	for _, broken := range a.broken {
		t.Errorf("seed %d: %s", seed, broken)
	}
	for _, process := range wanted {
		if a.done[process].IsZero() {
			t.Errorf("seed %d: %s was not suspended", seed, process)
		}
	}
	var last record.Run
	if err := json.Unmarshal(a.record, &last); err != nil {
		t.Errorf("seed %d: the record cannot be read: %v", seed, err)
	}
	for process := range last.Nodes.All() {
		if a.told[process] == 0 {
			t.Errorf("seed %d: the record says that %s is suspended, and that was not told", seed, process)
		}
	}
}
