package taglock

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/awstest"
	"github.com/drainboard/drainboard/providers/asg/transport"
)

// taking is an Acquire under way.
type taking struct {
	held *Held
	err  error
	done chan struct{}
}

func take(t *testing.T, l *Lock) *taking {
	k := &taking{done: make(chan struct{})}
	go func() {
		defer close(k.done)
		k.held, k.err = l.Acquire(t.Context())
	}()
	return k
}

// taken takes a lock that nobody else wants, which takes so many waits.
func taken(t *testing.T, f *tagTime, l *Lock, waits int) *Held {
	t.Helper()
	k := take(t, l)
	for range waits {
		f.advance(t, 1, k.done)
	}
	<-k.done
	if k.err != nil {
		t.Fatal(k.err)
	}
	f.settled(t, 1)
	return k.held
}

// two are locks of two processes on group web.
func two(c *asg.Client, f *tagTime) (ann, bob *Lock) {
	return f.of(New(c, "web", "ann@laptop pid 1", "ann@laptop")), f.of(New(c, "web", "bob@desk pid 2", "bob@desk"))
}

func lost(h *Held) bool {
	select {
	case <-h.Lost():
		return true
	default:
		return false
	}
}

// One process holds the lock; a second one sees that it is alive, and takes it once it is
// released.
func TestLock(t *testing.T) {
	g, c := tagging(t)
	f := newTagTime()
	ann, bob := two(c, f)
	held := taken(t, f, ann, 1)
	if !held.Sure() || held.Left() != (Tag{}) {
		t.Errorf("sure %v, left %+v", held.Sure(), held.Left())
	}
	told := make(chan string, 2)
	bob.Waiting = func(holder string, _ time.Time) { told <- holder }
	second := take(t, bob)
	for f.advance(t, 2, second.done) { // ann renews, bob looks
	}
	var by *live.HeldError
	if !errors.As(second.err, &by) || by.Holder != "ann@laptop pid 1" || by.Since.IsZero() || len(told) != 1 {
		t.Errorf("a second process: %v, told %d times", second.err, len(told))
	}
	if !held.Sure() || lost(held) {
		t.Error("the first one is not sure any more")
	}
	held.Release()
	held.Release()
	if lost(held) || g.get() != "" {
		t.Errorf("a release is no loss, and leaves nothing: %q", g.get())
	}
	taken(t, f, bob, 1).Release()
}

// Both read that nobody holds the lock before either has written: the one whose write came
// last holds it, the other steps back.
func TestLockOfTwoAtOnce(t *testing.T) {
	g, c := tagging(t)
	f := newTagTime()
	ann, bob := two(c, f)
	var both sync.WaitGroup
	both.Add(2)
	asked := 0
	var mu sync.Mutex
	g.OnCall("DescribeTags", func(form url.Values) string {
		answer := g.describe(form)
		mu.Lock()
		asked++
		first := asked <= 2
		mu.Unlock()
		if first {
			both.Done()
			both.Wait()
		}
		return answer
	})
	a, b := take(t, ann), take(t, bob)
	f.advance(t, 2, nil) // both have written, and settle
	<-a.done
	<-b.done
	winner, loser := a, b
	if b.held != nil {
		winner, loser = b, a
	}
	var by *live.HeldError
	if winner.held == nil || loser.held != nil || !errors.As(loser.err, &by) || by.Holder != winner.held.l.holder {
		t.Fatalf("ann %v %v, bob %v %v", a.held != nil, a.err, b.held != nil, b.err)
	}
	if g.writes() != 2 || !strings.Contains(g.get(), winner.held.l.id) {
		t.Errorf("written %v, it is %q", g.written, g.get())
	}
	winner.held.Release()
}

// The lock of a process that has died is taken over when its time is over, with what it
// said of a run.
func TestLockOfADeadHolder(t *testing.T) {
	g, c := tagging(t)
	f := newTagTime()
	_, bob := two(c, f)
	began := f.cloud()
	dead := Tag{Holder: "ann@laptop pid 1", Since: began, Until: began.Add(20 * time.Second), Run: "r-1", At: "ann@laptop", id: "DEADDEAD"}
	g.set(dead.String())
	var until time.Time
	bob.Waiting = func(_ string, at time.Time) { until = at }
	held := taken(t, f, bob, 11) // looks every 2 s for 20 s, and settles
	defer held.Release()
	if took := f.cloud().Sub(began); took < 20*time.Second+settle || took > 25*time.Second+settle || !until.Equal(dead.Until) {
		t.Errorf("taken after %s, told of %s", took, until)
	}
	if left := held.Left(); !left.Of("r-1") || left.At != "ann@laptop" {
		t.Errorf("left %+v", left)
	}
	if got, err := parse("web", g.get()); err != nil || !got.Of("r-1") || got.At != "ann@laptop" || got.Holder != "bob@desk pid 2" {
		t.Errorf("the tag says %q", g.get())
	}
}

// A holder that was asleep is not sure of its lock when it wakes, and writes nothing any
// more: another one may have it.
func TestLockOfAHolderThatWasAsleep(t *testing.T) {
	g, c := tagging(t)
	f := newTagTime()
	ann, bob := two(c, f)
	held := taken(t, f, ann, 1)
	f.sleep(deadline)
	if held.Sure() || lost(held) {
		t.Errorf("as it wakes: sure %v, lost %v", held.Sure(), lost(held))
	}
	f.sleep(lease - deadline)
	other := take(t, bob)
	f.advance(t, 2, nil) // bob has written, and settles; ann's next renewal is later
	<-other.done
	if other.err != nil {
		t.Fatal(other.err)
	}
	f.advance(t, 2, nil)
	<-held.Lost()
	held.Release()
	got, err := parse("web", g.get())
	if err != nil || got.id != bob.id || held.Sure() || !other.held.Sure() {
		t.Errorf("the tag says %q; sure: %v, %v", g.get(), held.Sure(), other.held.Sure())
	}
	for _, w := range g.written[1:] {
		if strings.Contains(w, ann.id) {
			t.Errorf("written by the one who was asleep: %q", w)
		}
	}
	other.held.Release()
}

// A machine that falls asleep between the read that allows a write and the write does not
// send it, whatever it was for.
func TestLockSleepsBeforeItWrites(t *testing.T) {
	g, c := tagging(t)
	f := newTagTime()
	ann, _ := two(c, f)
	sleeps := true
	g.OnCall("DescribeTags", func(form url.Values) string {
		if sleeps {
			sleeps = false
			f.sleep(gap)
		}
		return g.describe(form)
	})
	k := take(t, ann)
	f.settled(t, 1)
	if g.writes() != 0 {
		t.Error("taken by what was read too long ago")
	}
	f.advance(t, 1, nil)
	f.advance(t, 1, nil)
	<-k.done
	if k.err != nil {
		t.Fatal(k.err)
	}
	f.settled(t, 1)
	before := g.writes()
	sleeps = true
	f.advance(t, 1, nil) // a renewal
	f.settled(t, 1)
	if g.writes() != before || lost(k.held) {
		t.Errorf("renewed by what was read too long ago: %v; lost %v", g.writes() != before, lost(k.held))
	}
	f.advance(t, 1, nil) // tried again
	f.settled(t, 1)
	if g.writes() != before+1 {
		t.Error("not renewed any more")
	}
	k.held.cancel() // as Release does first: nothing but Release reads from here on
	<-k.held.finished
	sleeps = true
	reads, done := len(g.Sent("DescribeTags")), make(chan struct{})
	go func() {
		defer close(done)
		k.held.Release()
	}()
	for f.advance(t, 1, done) {
	}
	if n := len(g.Sent("DescribeTags")) - reads; n != 2 || g.get() != "" {
		t.Errorf("released after %d reads, it says %q", n, g.get())
	}
}

// A tag that another process has written, or taken off, is lost at the next renewal, and not
// written over.
func TestLockThatIsTaken(t *testing.T) {
	for _, now := range []string{(Tag{Holder: "bob@desk pid 2", Until: time.Now(), id: "OTHER"}).String(), ""} {
		g, c := tagging(t)
		f := newTagTime()
		ann, _ := two(c, f)
		held := taken(t, f, ann, 1)
		g.set(now)
		f.advance(t, 1, nil)
		<-held.Lost()
		held.Release()
		if held.Sure() || g.get() != now || g.writes() != 1 {
			t.Errorf("%q became %q, written %d times", now, g.get(), g.writes())
		}
	}
}

// While AWS throttles, the lock is asked for again and again; one that is held is lost when
// it could not be renewed for too long, and not before.
func TestLockThrottled(t *testing.T) {
	g, c := tagging(t)
	f := newTagTime()
	ann, _ := two(c, f)
	throttled := 2
	g.OnCall("CreateOrUpdateTags", func(form url.Values) string {
		if throttled > 0 {
			throttled--
			return awstest.Fail(400, "Throttling", "Rate exceeded")
		}
		return g.write(form)
	})
	held := taken(t, f, ann, 3)
	if n := len(g.Sent("CreateOrUpdateTags")); n != 3 {
		t.Errorf("asked %d times", n)
	}
	throttled = 2
	for range 3 { // two that are throttled, one that is not
		f.advance(t, 1, nil)
		f.settled(t, 1)
	}
	if !held.Sure() || g.writes() != 2 {
		t.Errorf("sure %v, written %d times", held.Sure(), g.writes())
	}
	throttled = 1000
	last := f.cloud()
	for f.advance(t, 1, held.Lost()) {
	}
	if went := f.cloud().Sub(last); held.Sure() || went < deadline || went > deadline+retry {
		t.Errorf("lost after %s", went)
	}
}

// Who may not tag the group is told which right is missing.
func TestLockDenied(t *testing.T) {
	for _, call := range []string{"DescribeTags", "CreateOrUpdateTags"} {
		g, c := tagging(t)
		ann, _ := two(c, newTagTime())
		g.On(call, awstest.Fail(403, "AccessDenied", "User: arn:aws:iam::1:user/ann is not authorized to perform: autoscaling:"+call+" on resource: *"))
		if _, err := ann.Acquire(t.Context()); !errors.Is(err, transport.ErrForbidden) || !strings.Contains(err.Error(), "autoscaling:"+call) {
			t.Errorf("%s: %v", call, err)
		}
	}
	// Who may write tags, and not take them off, leaves one that nobody holds.
	g, c := tagging(t)
	f := newTagTime()
	ann, bob := two(c, f)
	g.On("DeleteTags", awstest.Fail(403, "AccessDenied", "no"))
	taken(t, f, ann, 1).Release()
	if got, err := parse("web", g.get()); err != nil || got.Held(f.cloud()) || got.Holder != "" {
		t.Errorf("left: %q, %v", g.get(), err)
	}
	before := f.cloud()
	held := taken(t, f, bob, 1)
	if took := f.cloud().Sub(before); took != settle {
		t.Errorf("taken after %s", took)
	}
	held.Release()
}

// A write whose answer was lost counts if it is there.
func TestLockLostAnswer(t *testing.T) {
	g, c := tagging(t)
	f := newTagTime()
	ann, _ := two(c, f)
	g.OnCall("CreateOrUpdateTags", func(form url.Values) string {
		g.write(form)
		return awstest.Drop
	})
	taken(t, f, ann, 1).Release()
	if g.writes() != 1 {
		t.Errorf("written %d times", g.writes())
	}
}

// The tag says which run has not ended and where its record is, also when nobody holds the
// lock; the end of the run takes it off.
func TestTagCarriesTheRun(t *testing.T) {
	g, c := tagging(t)
	f := newTagTime()
	ann, bob := two(c, f)
	held := taken(t, f, ann, 1)
	for range 2 { // once a run
		if err := held.Carry(t.Context(), "r-1"); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := parse("web", g.get()); err != nil || !got.Of("r-1") || got.At != "ann@laptop" || g.writes() != 2 {
		t.Errorf("written %d times, the tag says %q", g.writes(), g.get())
	}
	held.Release()
	if got, err := parse("web", g.get()); err != nil || got.Held(f.cloud()) || !got.Of("r-1") || got.At != "ann@laptop" {
		t.Errorf("left: %q", g.get())
	}
	held = taken(t, f, bob, 1)
	if left := held.Left(); !left.Of("r-1") || left.At != "ann@laptop" {
		t.Errorf("left %+v", left)
	}
	held.Release() // bob has done nothing
	if got, err := parse("web", g.get()); err != nil || !got.Of("r-1") || got.At != "ann@laptop" {
		t.Errorf("left: %q", g.get())
	}
	held = taken(t, f, ann, 1)
	if err := held.Carry(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	held.Release()
	if g.get() != "" {
		t.Errorf("after the run: %q", g.get())
	}
	g.On("CreateOrUpdateTags", awstest.Fail(403, "AccessDenied", "no"))
	held = &Held{l: ann, finished: make(chan struct{})}
	close(held.finished)
	if err := held.Carry(t.Context(), "r-2"); !errors.Is(err, errTaken) {
		t.Errorf("a lock that is lost carries a run: %v", err)
	}
}

// A tag that Drainboard has not written is nobody's to write over.
func TestLockOfAStrangeTag(t *testing.T) {
	g, c := tagging(t)
	ann, _ := two(c, newTagTime())
	g.set("owner=team-a")
	if _, err := ann.Acquire(t.Context()); err == nil || !strings.Contains(err.Error(), "delete-tags") || g.writes() != 0 {
		t.Errorf("%v, written %d times", err, g.writes())
	}
}

// Nobody waits for a lock longer than asked for.
func TestLockInterrupted(t *testing.T) {
	g, c := tagging(t)
	f := newTagTime()
	ann, _ := two(c, f)
	g.set((Tag{Holder: "bob@desk pid 2", Until: f.cloud().Add(time.Minute), id: "OTHER"}).String())
	ctx, stop := context.WithCancel(t.Context())
	ann.Waiting = func(string, time.Time) { stop() }
	if _, err := ann.Acquire(ctx); err == nil || g.writes() != 0 {
		t.Errorf("%v, written %d times", err, g.writes())
	}
}
