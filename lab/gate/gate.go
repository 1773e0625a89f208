// Package gate stands before an API server and lets single requests go wrong: one
// that a test picks is held before the server has it or with its answer on the way,
// and a part of all is answered with an error, or not at all. What it does to whole
// connections is lab.Line's.
package gate

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
)

// Request is what conditions see of a request.
type Request struct {
	*http.Request
	Body []byte // all of it; not to be changed
}

// Gate passes requests on to a server. Its methods may be called from any goroutine,
// while it serves.
type Gate struct {
	next http.Handler

	mu    sync.Mutex
	stops []*Stop
	parts []*part
}

// New is a gate before a server that lets everything through.
func New(next http.Handler) *Gate { return &Gate{next: next} }

// Any is every request.
func Any(Request) bool { return true }

// Moment is when a request is held.
type Moment int

const (
	// Before: the server does not have it. If the client goes it never will.
	Before Moment = iota
	// After: the server has carried it out, and its answer is held.
	After
)

func (m Moment) String() string { return [...]string{"before", "after"}[m] }

// Stop holds one request.
type Stop struct {
	at      Moment
	is      func(Request) bool
	hit     chan struct{}
	free    chan struct{}
	release sync.Once
}

// Hit is closed when the request is held.
func (s *Stop) Hit() <-chan struct{} { return s.hit }

// Release lets the request, or its answer, continue. More than once does no harm.
func (s *Stop) Release() { s.release.Do(func() { close(s.free) }) }

// Stop holds the next request that the condition says yes to; the others pass.
func (g *Gate) Stop(at Moment, is func(Request) bool) *Stop {
	s := &Stop{at: at, is: is, hit: make(chan struct{}), free: make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stops = append(g.stops, s)
	return s
}

// Failure answers a request in place of the server, or after it.
type Failure func(w http.ResponseWriter, r *http.Request, server http.Handler)

// part is a share of the requests that fails.
type part struct {
	share  float64
	is     func(Request) bool
	how    []Failure
	chance *rand.Rand
	next   int
}

// Fail lets a share (0 to 1) of the requests that the condition says yes to fail, by
// each of the failures in turn, until end is called. Which ones is a matter of
// chance, the same each time: spread evenly, every second request would be the second
// of all pairs.
func (g *Gate) Fail(share float64, is func(Request) bool, how ...Failure) (end func()) {
	p := &part{share: share, is: is, how: how, chance: rand.New(rand.NewPCG(1, 2))}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.parts = append(g.parts, p)
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.parts = slices.DeleteFunc(g.parts, func(q *part) bool { return p == q })
	}
}

// Silence never answers, and the server never has the request: the client has to
// lose its patience.
func Silence(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// Deafness carries the request out and never answers.
func Deafness(_ http.ResponseWriter, r *http.Request, server http.Handler) {
	Unheard(r, server)
	Silence(nil, r, nil)
}

// Break breaks the connection before the server has the request.
func Break(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// BreakAfter carries the request out and breaks the connection.
func BreakAfter(_ http.ResponseWriter, r *http.Request, server http.Handler) {
	Unheard(r, server)
	panic(http.ErrAbortHandler)
}

// Unheard carries a request out and drops the answer.
func Unheard(r *http.Request, server http.Handler) { serve(nowhere{}, r, server) }

// ServeHTTP passes a request on, unless something is to become of it.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	stop, fail := g.judge(r)
	switch {
	case stop != nil:
		stop.serve(w, r, g.next)
	case fail != nil:
		fail(w, r, g.next)
	default:
		serve(w, r, g.next)
	}
}

// judge says what is to become of a request.
func (g *Gate) judge(r *http.Request) (*Stop, Failure) {
	g.mu.Lock()
	idle := len(g.stops) == 0 && len(g.parts) == 0
	g.mu.Unlock()
	if idle {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	seen := Request{r, body}
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.IndexFunc(g.stops, func(s *Stop) bool { return s.is(seen) }); i >= 0 {
		stop := g.stops[i]
		g.stops = slices.Delete(g.stops, i, i+1)
		return stop, nil
	}
	for _, p := range g.parts {
		if !p.is(seen) {
			continue
		}
		if p.chance.Float64() < p.share {
			p.next++
			return nil, p.how[(p.next-1)%len(p.how)]
		}
	}
	return nil, nil
}

func (s *Stop) serve(w http.ResponseWriter, r *http.Request, server http.Handler) {
	var answer kept
	if s.at == After {
		answer = kept{header: http.Header{}, code: http.StatusOK}
		serve(&answer, r, server)
	}
	close(s.hit)
	select {
	case <-s.free:
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
	if s.at == Before {
		serve(w, r, server)
		return
	}
	answer.send(w)
}

// serve has the server answer. What changes something is carried out though the
// client goes meanwhile: an API server that is left in the middle of it may do one
// half of an eviction, which is a fault of its own.
func serve(w http.ResponseWriter, r *http.Request, server http.Handler) {
	if r.Method != http.MethodGet {
		r = r.WithContext(context.WithoutCancel(r.Context()))
	}
	server.ServeHTTP(w, r)
}

// kept is an answer that is to wait.
type kept struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (k *kept) Header() http.Header         { return k.header }
func (k *kept) WriteHeader(code int)        { k.code = code }
func (k *kept) Write(b []byte) (int, error) { return k.body.Write(b) }

func (k *kept) send(w http.ResponseWriter) {
	for name, values := range k.header {
		w.Header()[name] = values
	}
	w.WriteHeader(k.code)
	_, _ = w.Write(k.body.Bytes())
}

// nowhere is where an answer goes that nobody gets.
type nowhere struct{}

func (nowhere) Header() http.Header         { return http.Header{} }
func (nowhere) WriteHeader(int)             {}
func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
