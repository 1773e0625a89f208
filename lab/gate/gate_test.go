package gate

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// behind is a gate, and how many requests its server has had.
func behind(t *testing.T) (g *Gate, url string, had *atomic.Int32) {
	t.Helper()
	had = &atomic.Int32{}
	g = New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		had.Add(1)
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, "got "+string(body))
	}))
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	return g, server.URL, had
}

// ask posts a text and says what came of it.
func ask(ctx context.Context, url, text string) string {
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(text))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "no answer"
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	return answer.Status[:3] + " " + string(body)
}

func saying(text string) func(Request) bool {
	return func(r Request) bool { return string(r.Body) == text }
}

// One request is held, before the server has it or after; others pass, and it goes
// on when it may.
func TestStop(t *testing.T) {
	g, url, had := behind(t)
	for _, at := range []Moment{Before, After} {
		had.Store(0)
		stop := g.Stop(at, saying("this"))
		if got := ask(t.Context(), url, "that"); got != "201 got that" {
			t.Errorf("%s: another request: %s", at, got)
		}
		answer := make(chan string, 1)
		go func() { answer <- ask(t.Context(), url, "this") }()
		<-stop.Hit()
		if n := had.Load(); n != int32(1+at) {
			t.Errorf("%s: the server had %d requests", at, n)
		}
		if got := ask(t.Context(), url, "this"); got != "201 got this" {
			t.Errorf("%s: the next one of the kind: %s", at, got)
		}
		select {
		case got := <-answer:
			t.Errorf("%s: it was not held: %s", at, got)
		default:
		}
		stop.Release()
		stop.Release()
		if got := <-answer; got != "201 got this" {
			t.Errorf("%s: the one that was held: %s", at, got)
		}
	}
}

// A request that is held before the server has it never gets there once its client
// is gone; one that is held after has happened.
func TestStopOfAClientThatGoes(t *testing.T) {
	g, url, had := behind(t)
	for at, want := range map[Moment]int32{Before: 0, After: 1} {
		had.Store(0)
		ctx, leave := context.WithCancel(t.Context())
		stop := g.Stop(at, saying("this"))
		answer := make(chan string, 1)
		go func() { answer <- ask(ctx, url, "this") }()
		<-stop.Hit()
		leave()
		if got := <-answer; got != "no answer" {
			t.Errorf("%s: %s", at, got)
		}
		time.Sleep(50 * time.Millisecond) // the server hears that the client is gone
		stop.Release()
		if got := ask(t.Context(), url, "that"); got != "201 got that" || had.Load() != want+1 {
			t.Errorf("%s: the server had it %d times, want %d", at, had.Load()-1, want)
		}
	}
}

// A share of the requests fails in each of the ways in turn.
func TestFail(t *testing.T) {
	g, url, had := behind(t)
	busy := func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.WriteHeader(http.StatusTooManyRequests)
	}
	end := g.Fail(0.3, saying("this"), busy, Silence, Deafness)
	short := func() string {
		ctx, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer leave()
		return ask(ctx, url, "this")
	}
	got := map[string]int{}
	const asked = 100
	for range asked {
		got[short()]++
	}
	busy429, silent, fine := got["429 "], got["no answer"], got["201 got this"]
	if failed := busy429 + silent; failed < 20 || failed > 40 || fine != asked-failed {
		t.Errorf("of %d: %v", asked, got)
	}
	if deaf := int(had.Load()) - fine; silent < 2*busy429-2 || silent > 2*busy429 || deaf < silent/2-1 || deaf > silent/2 {
		t.Errorf("%v, of which the server had %d", got, had.Load())
	}
	end()
	for range 3 {
		if got := short(); got != "201 got this" {
			t.Errorf("afterwards: %s", got)
		}
	}
}
