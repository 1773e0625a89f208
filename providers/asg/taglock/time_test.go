package taglock

import (
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/awstest"
)

// tagTime is the time of locks that are tags, as a test moves it: it jumps from one timer
// to the next once everybody waits.
type tagTime struct {
	mu          sync.Mutex
	mono        time.Time
	slept, skew time.Duration // what the wall clock shows more; what the cloud's shows more than that
	timers      []*tagTimer
	news        chan struct{} // closed, and made again, when a timer comes or goes
}

type tagTimer struct {
	at   time.Time
	over chan time.Time
}

func newTagTime() *tagTime {
	return &tagTime{mono: time.Date(2026, 11, 21, 21, 0, 0, 0, time.UTC), news: make(chan struct{})}
}

func (f *tagTime) changed() {
	close(f.news)
	f.news = make(chan struct{})
}

// of gives a lock this time.
func (f *tagTime) of(l *Lock) *Lock {
	l.time = times{
		now: func() stamp {
			f.mu.Lock()
			defer f.mu.Unlock()
			return stamp{f.mono, f.mono.Add(f.slept)}
		},
		cloud: f.cloud,
		timer: func(d time.Duration) (<-chan time.Time, func()) {
			f.mu.Lock()
			defer f.mu.Unlock()
			t := &tagTimer{f.mono.Add(d), make(chan time.Time, 1)}
			f.timers = append(f.timers, t)
			f.changed()
			return t.over, func() {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.timers = slices.DeleteFunc(f.timers, func(o *tagTimer) bool { return o == t })
				f.changed()
			}
		},
	}
	return l
}

// cloud is what the cloud's clock shows.
func (f *tagTime) cloud() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mono.Add(f.slept + f.skew)
}

// sleep is what happens to everybody's machine: the wall clock continues, and so does the
// cloud's, but no timer does.
func (f *tagTime) sleep(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slept += d
}

// advance waits until n timers run, and lets the first of them end; false if done is
// closed before.
func (f *tagTime) advance(t *testing.T, n int, done <-chan struct{}) bool {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		f.mu.Lock()
		if len(f.timers) >= n {
			first := slices.MinFunc(f.timers, func(a, b *tagTimer) int { return a.at.Compare(b.at) })
			if first.at.After(f.mono) {
				f.mono = first.at
			}
			for _, timer := range f.timers {
				if !timer.at.After(f.mono) {
					timer.over <- f.mono
				}
			}
			f.timers = slices.DeleteFunc(f.timers, func(o *tagTimer) bool { return !o.at.After(f.mono) })
			f.mu.Unlock()
			return true
		}
		news := f.news
		f.mu.Unlock()
		select {
		case <-news:
		case <-done:
			return false
		case <-limit:
			t.Fatalf("%d timers never ran", n)
		}
	}
}

// settled waits until n timers run.
func (f *tagTime) settled(t *testing.T, n int) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		f.mu.Lock()
		have, news := len(f.timers), f.news
		f.mu.Unlock()
		if have >= n {
			return
		}
		select {
		case <-news:
		case <-limit:
			t.Fatalf("%d timers never ran", n)
		}
	}
}

// tagged is the tag of group web in a service that keeps it.
type tagged struct {
	*awstest.Service
	at sync.Mutex
	// value is the tag's, "" for none; written are all that were written.
	value   string
	written []string
}

// tagging is a service that keeps the tag of group web.
func tagging(t *testing.T) (*tagged, *asg.Client) {
	t.Helper()
	s := awstest.Start(t)
	c, err := asg.Connect(t.Context(), asg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := &tagged{Service: s}
	s.OnCall("DescribeTags", g.describe)
	s.OnCall("CreateOrUpdateTags", g.write)
	s.OnCall("DeleteTags", func(f url.Values) string {
		if f.Get("Tags.member.1.Key") == Key && f.Get("Tags.member.1.ResourceId") == "web" {
			g.set("")
		}
		return ""
	})
	return g, c
}

func (g *tagged) describe(f url.Values) string {
	if f.Get("Filters.member.1.Name")+"="+f.Get("Filters.member.1.Values.member.1") != "auto-scaling-group=web" ||
		f.Get("Filters.member.2.Name")+"="+f.Get("Filters.member.2.Values.member.1") != "key="+Key {
		return awstest.Fail(400, "ValidationError", "no such filters here")
	}
	v := g.get()
	if v == "" {
		return awstest.E("Tags", "")
	}
	return awstest.Members("Tags", awstest.E("Key", Key, "PropagateAtLaunch", "false", "ResourceId", "web", "ResourceType", "auto-scaling-group", "Value", v))
}

func (g *tagged) write(f url.Values) string {
	if f.Get("Tags.member.1.Key") != Key || f.Get("Tags.member.1.ResourceId") != "web" || f.Get("Tags.member.1.ResourceType") != "auto-scaling-group" || f.Get("Tags.member.1.PropagateAtLaunch") != "false" {
		return awstest.Fail(400, "ValidationError", "that is not the tag")
	}
	v := f.Get("Tags.member.1.Value")
	g.set(v)
	g.at.Lock()
	defer g.at.Unlock()
	g.written = append(g.written, v)
	return ""
}

func (g *tagged) get() string {
	g.at.Lock()
	defer g.at.Unlock()
	return g.value
}

func (g *tagged) set(v string) {
	g.at.Lock()
	defer g.at.Unlock()
	g.value = v
}

// writes are how many times the tag was written.
func (g *tagged) writes() int {
	g.at.Lock()
	defer g.at.Unlock()
	return len(g.written)
}
