package live

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
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

var wanted = strings.Split("abcdefghijklmnopqrstuvwxyz", "")

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

// End resumes what the run has suspended.
func (suspendMany) End(s *engine.Step) bool { return s.ResumeProcesses() }

// most is how many processes others suspend in between.
const most = 150

// The words for a process.
const (
	suspended = "suspended"
	resumed   = "resumed"
)

// seen tells of each process that is newly seen as suspended, or as resumed by others.
func seen(s *engine.Step) {
	tell := func(process, what string) {
		s.SetNode(process, record.Node{Name: process, Stage: record.Replaced, Since: s.Now, Reason: what})
		s.Report(record.Event{Type: record.NodeReplaced, Node: process, Message: what})
	}
	for _, process := range slices.Sorted(slices.Values(s.W.Group.Suspended)) {
		if s.Run.Nodes.Peek(process).Reason != suspended {
			tell(process, suspended)
		}
	}
	for _, process := range slices.Sorted(s.Run.Nodes.Keys()) {
		if s.Run.Nodes.Peek(process).Reason == suspended && !s.W.Group.HasSuspended(process) {
			tell(process, resumed)
		}
	}
}

// others is a process that other users suspend, and may resume and suspend again.
type others struct {
	from  time.Time
	rest  time.Duration // between two changes
	turns int           // how many changes there are after the first
}

// suspends reports whether it is suspended at a time.
func (o others) suspends(now time.Time) bool {
	if now.Before(o.from) {
		return false
	}
	return o.turns == 0 || min(int(now.Sub(o.from)/o.rest), o.turns)%2 == 0
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
	comes   map[string]others    // what others suspend
	down    time.Time            // until then the record cannot be written
	aborts  bool                 // an operator aborts the run now and then
	aborted bool                 // one has
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
	name     string
	frozen   time.Time // until then nothing gets out and nothing gets in
	deaf     time.Time // until then it cannot renew the lease
	dead     bool
	seen     int // the version of the record that it has read or written
	lost     chan struct{}
	looked   map[string]time.Time // when it last looked whether a process is suspended, and got to know
	lostAt   time.Time            // zero: it believes that it holds the lease
	kept     time.Time            // when it last knew that it holds the lease
	terms    int                  // how often it has got the lease
	asked    map[string]int       // by key: the term in which an action, or a look whether it happened, was begun last
	said     map[string]string    // what the process has told last of each, or another one has
	recorded map[string]string    // what the record says of each, as the process knows it
	typed    []time.Time          // when it was given commands that it has not answered
	blind    time.Time            // until then it cannot read the API
	world    *world.World         // what it has read
	// unsaved counts what it has told of each process since it wrote the record; excused are those told more
	// than once when the lock was lost: what was found again is not to be told from what is new.
	unsaved  map[string]int
	excused  map[string]bool
	unseen   map[world.Source]time.Time // the sources that it has told to be out of sight, by when they were seen nevertheless
	failing  time.Time                  // since when it cannot write the record
	abort    time.Time                  // when it was told to abort
	disobeys time.Time                  // when it was seen to continue nevertheless
	ends     time.Time                  // since when it has a run that ends and that it cannot write
	stopped  func() error               // why it was told to stop, nil if it was not
	stale    bool                       // it has learned that others have written the record, and has to stop
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
	r.recalls(reasons(run))
	return run, true
}

// recalls takes over what a record says of each process, but for what was told and not written.
func (r *competitor) recalls(now map[string]string) {
	for process, is := range now {
		if r.unsaved[process] == 0 || is != r.recorded[process] { // another process has told it
			r.said[process] = is
		}
	}
	r.excused = map[string]bool{}
	for process, n := range r.unsaved {
		r.excused[process] = n > 1
	}
	r.recorded = now
}

// reasons are what a record says of each process.
func reasons(run record.Run) map[string]string {
	out := map[string]string{}
	for process, n := range run.Nodes.All() {
		out[process] = n.Reason
	}
	return out
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
	if r.chance(20) || r.isDown() {
		r.fails(run)
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
	for process := range r.unsaved { // what was told, not written, and is over by now
		if others, known := r.comes[process]; known && !others.suspends(time.Now()) && run.Nodes.Peek(process).Reason != suspended {
			r.said[process] = ""
		}
	}
	r.record, r.version, r.writer = text, r.version+1, r
	r.seen, r.recorded, r.unsaved, r.failing, r.ends = r.version, reasons(run), map[string]int{}, time.Time{}, time.Time{}
	return nil
}

// isDown reports whether nobody can write the record.
func (r *competitor) isDown() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Before(r.down)
}

// fails notes that a run cannot be written: one that ends is not kept for longer than endLimit in which the
// cluster is seen.
func (r *competitor) fails(run record.Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failing.IsZero() {
		r.failing = time.Now()
	}
	since := r.failing
	for _, t := range []time.Time{r.frozen, r.blind} {
		if t.After(since) {
			since = t
		}
	}
	if run.State != record.Ending {
		r.ends = time.Time{}
	} else if r.ends.IsZero() {
		r.ends = time.Now()
	}
	if run.State == record.Ending && r.lostAt.IsZero() && time.Since(r.ends) > 5*time.Second && time.Since(since) > endLimit+20*time.Second {
		r.breaks("%s has a run that ends and that it cannot record for %s, and does not leave", r.name, time.Since(since))
	}
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
		o.Happened = r.done[a.Of.Process].IsZero() == (a.Of.Kind == record.Resume)
		looked = time.Now()
	case record.Resume:
		delete(r.done, a.Process)
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
	r.sees()
	r.obeys(d.Run.State != record.Running)
}

// obeys checks that a run that was told to abort does so, with the decision after the one that may have been under way.
func (r *competitor) obeys(ends bool) {
	switch {
	case r.abort.IsZero():
	case ends || !r.lostAt.IsZero() || r.frozen.After(r.abort):
		r.abort, r.disobeys = time.Time{}, time.Time{}
	case r.disobeys.IsZero():
		r.disobeys = time.Now()
	case time.Since(r.disobeys) > 3*time.Second && r.stopped() == nil:
		r.breaks("%s was told to abort %s ago, and continues", r.name, time.Since(r.abort))
	}
}

// sees checks that a source that was told to be out of sight, and is seen, is told to be visible again.
func (r *competitor) sees() {
	for source, since := range r.unseen {
		switch fresh := r.world.Health[source].Fresh; {
		case !r.lostAt.IsZero() || time.Since(fresh) > 2*time.Second:
			r.unseen[source] = time.Time{}
		case since.IsZero():
			r.unseen[source] = time.Now()
		case time.Since(since) > time.Second && r.stopped() == nil:
			r.breaks("%s sees the %s since %s, and has told that it does not", r.name, source, time.Since(since))
		}
	}
}

// tells notes what the process tells.
func (r *competitor) tells(events []record.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range events {
		r.tellsSight(e)
		if strings.HasPrefix(e.Message, "refused abort: "+record.WithoutRecord) {
			r.breaks("%s refuses to abort, which needs no record: %s", r.name, e.Message)
		}
		if e.Reason == "refused" && len(r.typed) > 0 && strings.Contains(e.Message, string(record.CmdApprove)) {
			since := time.Since(r.typed[0])
			if r.typed = r.typed[1:]; strings.Contains(e.Message, record.WithoutRecord) && since < typedLimit {
				r.breaks("%s refuses what was typed %s ago: %s", r.name, since, e.Message)
			}
		}
		if e.Type != record.NodeReplaced {
			continue
		}
		r.unsaved[e.Node]++
		if r.told[e.Node]++; r.said[e.Node] == e.Message && !r.excused[e.Node] {
			r.breaks("%s tells twice that %s is %s", r.name, e.Node, e.Message)
		}
		r.said[e.Node] = e.Message
	}
}

// tellsSight notes which sources are told to be out of sight.
func (r *competitor) tellsSight(e record.Event) {
	for _, source := range []world.Source{world.Cluster, world.Cloud} {
		switch {
		case e.Reason == reasonOutOfSight && strings.HasPrefix(e.Message, "no view of the "+string(source)):
			r.unseen[source] = time.Time{}
		case e.Reason == reasonInSight && strings.HasPrefix(e.Message, "the "+string(source)):
			delete(r.unseen, source)
		}
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
	fresh := time.Now()
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
		for process, o := range r.comes {
			if o.suspends(now) {
				suspended = append(suspended, process)
			}
		}
		blind := now.Before(r.blind)
		r.mu.Unlock()
		if !blind {
			fresh = now
		}
		seen := fresh
		post(func(w *world.World) {
			w.SetGroup(world.Group{Name: "web", Suspended: suspended})
			w.SetHealth(world.Cloud, world.Health{Fresh: now})
			if blind {
				w.SetHealth(world.Cluster, world.Health{Fresh: seen, Problem: "the API answers 503"})
			} else {
				w.SetHealth(world.Cluster, world.Health{Fresh: seen})
			}
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
	r.stopped = ctx.Err
	r.said, r.typed, r.world, r.abort, r.failing, r.ends = map[string]string{}, nil, w, time.Time{}, time.Time{}, time.Time{}
	r.unsaved, r.excused, r.unseen = map[string]int{}, map[string]bool{}, map[world.Source]time.Time{}
	around.Go(func() { r.types(ctx, l) })
	began := time.Now()
	var unwritten *UnwrittenError
	if _, err := l.Run(ctx, run); err == nil {
		r.leaves(began)
	} else if errors.As(err, &unwritten) && r.aborts {
		return // the operator resumes it
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
		if r.aborts && (r.isDown() && r.chance(2) || r.chance(20)) {
			r.mu.Lock()
			r.aborted, r.abort, r.disobeys = true, time.Now(), time.Time{}
			r.mu.Unlock()
			l.Send(record.Command{Kind: record.CmdAbort, By: r.name, At: time.Now()})
		}
	}
}

// calm reports whether an operator looks on: a run that was told to abort while nothing could be recorded.
func (r *competitor) calm() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.aborted && time.Now().Before(r.down)
}

// suffer freezes the process now and then, takes its lease away, ends it, or tells it to stop; or it cannot read the API, or
// nobody can write the record.
func (r *competitor) suffer(ctx context.Context, stop context.CancelFunc) {
	for ctx.Err() == nil {
		time.Sleep(r.span(8 * time.Second))
		switch {
		case r.calm():
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
		case r.chance(12):
			cut := r.span(time.Minute)
			r.mu.Lock()
			r.blind = time.Now().Add(cut)
			r.mu.Unlock()
		case r.aborts && r.chance(12):
			cut := time.Minute + r.span(3*time.Minute)
			r.mu.Lock()
			if now := time.Now(); now.After(r.down.Add(30 * time.Second)) {
				r.down = now.Add(cut)
			}
			r.mu.Unlock()
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
	a := &arena{rand: rand.New(rand.NewPCG(seed, 7)), done: map[string]time.Time{}, comes: map[string]others{}, told: map[string]int{}}
	for at := time.Now(); len(a.comes) < most; at = at.Add(a.span(time.Second)) {
		a.comes[fmt.Sprint("other", a.rand.IntN(1000))] = others{from: at}
	}
	draw := rand.New(rand.NewPCG(seed, 0xab07)) // takes its chances elsewhere
	a.aborts = draw.IntN(4) == 0
	for _, process := range slices.Sorted(maps.Keys(a.comes)) {
		if o := a.comes[process]; draw.IntN(2) == 0 {
			o.rest, o.turns = 500*time.Millisecond+time.Duration(draw.Int64N(int64(6*time.Second))), 2*(1+draw.IntN(6))
			a.comes[process] = o
		}
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
		r := &competitor{arena: a, name: name, said: map[string]string{}, looked: map[string]time.Time{}, asked: map[string]int{}}
		both.Go(func() { r.drive(ctx, t) })
	}
	both.Wait()
	if ctx.Err() != nil {
		t.Errorf("seed %d: the run has not come to its end in %s", seed, bound)
	}
	for _, broken := range a.broken {
		t.Errorf("seed %d: %s", seed, broken)
	}
	var last record.Run
	if err := json.Unmarshal(a.record, &last); err != nil {
		t.Errorf("seed %d: the record cannot be read: %v", seed, err)
	}
	if last.Result == record.Aborted && !a.aborted {
		t.Errorf("seed %d: nobody has aborted the run, and it says so: %s", seed, last.Why)
	}
	for _, process := range wanted {
		if a.done[process].IsZero() != (last.Result == record.Aborted) {
			t.Errorf("seed %d: the run is %s, and %s is suspended: %t", seed, last.Result, process, !a.done[process].IsZero())
		}
	}
	for process := range last.Nodes.All() {
		if a.told[process] == 0 {
			t.Errorf("seed %d: the record says that %s is suspended, and that was not told", seed, process)
		}
	}
}
