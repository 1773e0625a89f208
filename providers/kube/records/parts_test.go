package records

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

const atRecords = "/api/v1/namespaces/drainboard/configmaps/"

// randomRun is a run whose record takes about so many bytes under gzip.
func randomRun(id string, bytes int) record.Run {
	run := testRun(id)
	r := rand.New(rand.NewPCG(uint64(len(id)), uint64(bytes)))
	for range bytes / 8 {
		run.Notes = append(run.Notes, fmt.Sprintf("%016x", r.Uint64()))
	}
	return run
}

// kept are the names of the ConfigMaps that are parts.
func (s *store) kept() (names []string) {
	for path := range strings.SplitSeq(s.Paths(), "\n") {
		if strings.Contains(path, "-part-") {
			names = append(names, strings.TrimPrefix(path, atRecords))
		}
	}
	return names
}

// little is what a ConfigMap takes of small's.
const little = 16 << 10

// small is a record whose ConfigMaps take little, so that it is in parts soon.
func (s *store) small() *Record {
	r := New(s.Client, "drainboard", "ng-web")
	r.limit = little
	return r
}

// loads sees that another process reads a run.
func (s *store) loads(want string) {
	s.t.Helper()
	got, found, err := New(s.Client, "drainboard", "ng-web").Load(s.t.Context())
	if err != nil || !found || got.ID != want {
		s.t.Errorf("read %q, %v, %v, want %q", got.ID, found, err, want)
	}
}

// A record that is too large for one ConfigMap is in several, and in one again when it is small:
// then its parts are gone. Every reader reads the same.
func TestRecordInParts(t *testing.T) {
	s := newStore(t)
	r := New(s.Client, "drainboard", "ng-web")
	large := randomRun("large", 1500<<10)
	for i, c := range []struct {
		run   record.Run
		parts bool
	}{{testRun("small"), false}, {large, true}, {randomRun("larger", 2500<<10), true}, {testRun("small again"), false}} {
		if err := r.Save(t.Context(), c.run); err != nil {
			t.Fatal(err)
		}
		parts := s.kept()
		if f, err := encodeRun(c.run, largest); err != nil || len(parts) != len(f.pieces) || len(parts) > 1 != c.parts {
			t.Errorf("write %d: %d parts (%v): %v", i, len(parts), err, parts)
		}
		for _, name := range parts {
			if s.Object(atRecords + name)["immutable"] != true {
				t.Errorf("%s may change", name)
			}
		}
		s.loads(c.run.ID)
		all, err := All(t.Context(), s.Client, "drainboard")
		if err != nil || len(all) != 1 || all[0].Run.ID != c.run.ID || len(all[0].Run.Notes) != len(c.run.Notes) || all[0].Err != nil {
			t.Errorf("write %d: %d records, %v", i, len(all), err)
		}
	}
}

// A process dies at every request of a write in parts. Until the record itself is written the
// old one is whole; afterwards the new one is. The next process's first write leaves nothing
// behind but its own.
func TestRecordPartsSurviveCrash(t *testing.T) {
	for _, old := range []record.Run{testRun("old"), randomRun("old", 2*little)} {
		for _, carriedOut := range []bool{true, false} {
			for at := range 12 {
				s := newStore(t)
				if err := s.small().Save(t.Context(), old); err != nil {
					t.Fatal(err)
				}
				r := s.small()
				if _, _, err := r.Load(t.Context()); err != nil {
					t.Fatal(err)
				}
				left, head := at, false
				cut := func(_ http.ResponseWriter, req *http.Request) bool {
					if req.Method == http.MethodGet {
						return false
					}
					head = head || req.Method == http.MethodPut && left > 0 || req.Method == http.MethodPut && left == 0 && carriedOut
					if left--; left < 0 {
						panic(http.ErrAbortHandler)
					}
					return false
				}
				if carriedOut {
					s.Spoil(cut)
				} else {
					s.Intercept(cut)
				}
				err := r.Save(t.Context(), randomRun("new", 3*little))
				s.Spoil(nil)
				s.Intercept(nil)
				want := old.ID
				if head {
					want = "new"
				}
				if (err == nil) != (left >= 0 || head) && !(carriedOut && head) {
					t.Errorf("cut at %d (carried out %v): %v", at, carriedOut, err)
				}
				s.loads(want)
				next := s.small()
				if _, _, err := next.Load(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := next.Save(t.Context(), testRun("after")); err != nil {
					t.Fatal(err)
				}
				s.loads("after")
				if left := s.kept(); len(left) > 0 {
					t.Errorf("cut at %d (carried out %v): %d parts are left: %v", at, carriedOut, len(left), left)
				}
			}
		}
	}
}

// A write whose answer was lost is found out, whether it happened or not, and the next one leaves
// only its own parts.
func TestRecordPartsSurviveLostAnswers(t *testing.T) {
	for at := range 8 {
		s := newStore(t)
		r := s.small()
		if err := r.Save(t.Context(), testRun("old")); err != nil {
			t.Fatal(err)
		}
		left := at
		s.Spoil(func(_ http.ResponseWriter, req *http.Request) bool {
			if req.Method == http.MethodGet {
				return false
			}
			if left--; left == -1 {
				panic(http.ErrAbortHandler)
			}
			return false
		})
		_ = r.Save(t.Context(), randomRun("lost", 3*little))
		s.Spoil(nil)
		if err := r.Save(t.Context(), randomRun("next", 2*little)); err != nil {
			t.Fatalf("answer %d lost: %v", at, err)
		}
		s.loads("next")
		f, _ := encodeRun(randomRun("next", 2*little), little)
		if got := s.kept(); len(got) != len(f.pieces) {
			t.Errorf("answer %d lost: %d parts, want %d", at, len(got), len(f.pieces))
		}
	}
}

// A process that lost the record to another one while it made parts does no harm to that one's,
// which removes them.
func TestRecordPartsOfTwo(t *testing.T) {
	s := newStore(t)
	a := s.small()
	if err := a.Save(t.Context(), randomRun("a1", 2*little)); err != nil {
		t.Fatal(err)
	}
	b := s.small()
	if _, _, err := b.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	once := true
	s.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPut && once { // a's head, after its parts
			once = false
			if err := b.Save(t.Context(), randomRun("b1", 2*little)); err != nil {
				t.Error(err)
			}
		}
		return false
	})
	if err := a.Save(t.Context(), randomRun("a2", 2*little)); !errors.Is(err, live.ErrLost) {
		t.Errorf("a save over another process's: %v", err)
	}
	s.loads("b1")
	if err := b.Save(t.Context(), testRun("b2")); err != nil {
		t.Fatal(err)
	}
	s.loads("b2")
}

// A process that sleeps right after its write removes what was left behind when it wakes, and
// nothing of the record that another process has written meanwhile.
func TestRecordPartsOfTheNextDriver(t *testing.T) {
	s := newStore(t)
	dies := s.small()
	s.Put("/api/v1/namespaces/drainboard", `{"metadata":{"name":"drainboard"}}`)
	s.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodPost && !strings.Contains(req.URL.Path, "-part-") && len(s.kept()) > 1 {
			panic(http.ErrAbortHandler)
		}
		return false
	})
	_ = dies.Save(t.Context(), randomRun("never", 2*little))
	if len(s.kept()) == 0 {
		t.Fatal("nothing was left behind")
	}
	a := s.small()
	written, slept := false, false
	next := func() {
		slept = true
		b := s.small()
		if _, found, err := b.Load(t.Context()); err != nil || !found {
			t.Fatal(found, err)
		}
		if err := b.Save(t.Context(), randomRun("next", 2*little)); err != nil {
			t.Error(err)
		}
	}
	s.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
		if written && !slept {
			next()
		}
		return false
	})
	s.Spoil(func(_ http.ResponseWriter, req *http.Request) bool {
		written = written || req.Method == http.MethodPost
		return false
	})
	if err := a.Save(t.Context(), testRun("small")); err != nil {
		t.Fatal(err)
	}
	if !slept {
		t.Error("it had nothing to remove")
	}
	s.loads("next")
	if f, _ := encodeRun(randomRun("next", 2*little), little); len(s.kept()) != len(f.pieces) {
		t.Errorf("left %v", s.kept())
	}
}

// A process that reads a record whose parts are replaced meanwhile reads the newer one; one whose parts
// are removed or changed for good is damaged.
func TestRecordPartsGone(t *testing.T) {
	s := newStore(t)
	r := s.small()
	if err := r.Save(t.Context(), randomRun("one", 2*little)); err != nil {
		t.Fatal(err)
	}
	once := true
	s.Intercept(func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodGet && strings.Contains(req.URL.Path, "-part-") && once {
			once = false
			if err := r.Save(t.Context(), randomRun("two", 2*little)); err != nil {
				t.Error(err)
			}
		}
		return false
	})
	s.loads("two")
	s.Intercept(nil)
	var damaged *live.DamagedError
	one, other := s.Object(atRecords+s.kept()[0]), s.Object(atRecords+s.kept()[1])
	one["binaryData"], other["binaryData"] = other["binaryData"], one["binaryData"]
	if _, _, err := s.small().Load(t.Context()); !errors.As(err, &damaged) || !strings.Contains(err.Error(), "sum differs") {
		t.Errorf("a record whose parts have changed: %v", err)
	}
	one["binaryData"], other["binaryData"] = other["binaryData"], one["binaryData"]
	s.loads("two")
	s.Remove(atRecords + s.kept()[0])
	if _, _, err := s.small().Load(t.Context()); !errors.As(err, &damaged) {
		t.Errorf("a record without a part: %v", err)
	}
}

// An API that takes less than a ConfigMap can hold gets smaller pieces, down to a limit.
func TestRecordUnderALowerLimit(t *testing.T) {
	for limit, fits := range map[int]bool{300 << 10: true, 40 << 10: true, 900: false} {
		s := newStore(t)
		r := New(s.Client, "drainboard", "ng-web")
		s.Put("/api/v1/namespaces/drainboard", `{"metadata":{"name":"drainboard"}}`)
		s.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
			if req.ContentLength > int64(limit) {
				kubetest.Say(w, 413, kubetest.Status(413, "RequestEntityTooLarge", "etcdserver: request is too large", ""))
				return true
			}
			return false
		})
		err := r.Save(t.Context(), randomRun("large", 200<<10))
		s.Intercept(nil)
		if fits {
			if err != nil {
				t.Errorf("limit %d: %v", limit, err)
			}
			s.loads("large")
		} else if !errors.Is(err, live.ErrTooLarge) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

// Where an admission webhook refuses the parts of a record and nothing else, that is a limit of
// size: it is told in the webhook's words, after one try, and a record with less in it is written.
// The parts that were made before are gone.
func TestRecordPartsRefused(t *testing.T) {
	for at := 1; at <= 3; at++ {
		s := newStore(t)
		s.Put("/api/v1/namespaces/drainboard", `{"metadata":{"name":"drainboard"}}`)
		r := s.small()
		if err := r.Save(t.Context(), testRun("old")); err != nil {
			t.Fatal(err)
		}
		made := 0
		s.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
			if req.Method != http.MethodPost {
				return false
			}
			if made++; made < at {
				return false
			}
			kubetest.Say(w, 403, kubetest.Status(403, "Forbidden", `admission webhook "sizes" denied the request: no binary data here`, ""))
			return true
		})
		err := r.Save(t.Context(), randomRun("large", 3*little))
		if !errors.Is(err, live.ErrTooLarge) || !strings.Contains(err.Error(), "no binary data here") || made != at {
			t.Errorf("part %d refused: %d were tried: %v", at, made, err)
		}
		if left := s.kept(); len(left) > 0 {
			t.Errorf("part %d refused: left %v", at, left)
		}
		s.loads("old")
		if err := r.Save(t.Context(), testRun("less")); err != nil {
			t.Fatal(err)
		}
		s.loads("less")
	}
}

// A record in parts that cannot be written, again and again, leaves no parts where it is refused,
// and where that is not known none that is older than any request; what the record names stays.
func TestRecordPartsDoNotPileUp(t *testing.T) {
	for code, reason := range map[int]string{403: "Forbidden", 500: "InternalError"} {
		s := newStore(t)
		s.Put("/api/v1/namespaces/drainboard", `{"metadata":{"name":"drainboard"}}`)
		r := s.small()
		old := randomRun("old", 2*little)
		if err := r.Save(t.Context(), old); err != nil {
			t.Fatal(err)
		}
		named := len(s.kept())
		s.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
			if req.Method != http.MethodPut {
				return false
			}
			kubetest.Say(w, code, kubetest.Status(code, reason, "it cannot be written now", ""))
			return true
		})
		for range 3 {
			if err := r.Save(t.Context(), randomRun("new", 2*little)); err == nil {
				t.Fatal("it was written")
			}
		}
		want := named
		if code == 500 { // each may have been carried out
			want += 3 * named
		}
		if got := len(s.kept()); got != want {
			t.Errorf("%d: %d parts are there, want %d", code, got, want)
		}
		for name := range r.pieces {
			r.pieces[name] = time.Now().Add(-partLife - time.Second)
		}
		_ = r.Save(t.Context(), randomRun("new", 2*little))
		if got := len(s.kept()); got != min(want, 2*named) {
			t.Errorf("%d: %d parts are there later, want %d", code, got, min(want, 2*named))
		}
		s.loads("old")
		s.Intercept(nil)
		if err := r.Save(t.Context(), testRun("small")); err != nil {
			t.Fatal(err)
		}
		if left := s.kept(); len(left) > 0 {
			t.Errorf("%d: left %v", code, left)
		}
	}
}

// Records do not follow each other faster than the API's store is to be filled: by their size, and
// a second and a half at most.
func TestRecordRests(t *testing.T) {
	s := newStore(t)
	r := New(s.Client, "drainboard", "ng-web")
	for _, run := range []record.Run{testRun("small"), randomRun("large", 600<<10), randomRun("largest", 6<<20)} {
		f, err := encodeRun(run, largest)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Until(r.rested))
		begun := time.Now()
		if err := r.Save(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		took := time.Since(begun)
		want := min(time.Duration(f.total())*time.Second/writeRate, 1500*time.Millisecond)
		if rest := r.rested.Sub(begun); rest < want || rest > want+took {
			t.Errorf("%d KiB are followed by a rest of %s, want %s", f.total()>>10, rest, want)
		}
		free := r.rested
		if err := r.Save(t.Context(), testRun("next")); err != nil || time.Now().Before(free) {
			t.Errorf("the next was written %s early: %v", time.Until(free), err)
		}
	}
}

// A record in parts is kept beside those of earlier runs, with parts of its own, and those go
// when its place is taken.
func TestKeepRecordInParts(t *testing.T) {
	s := newStore(t)
	for i := range pastRuns + 2 {
		r := s.small()
		if _, _, err := r.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Keep(t.Context(), "discarded"); err != nil {
			t.Fatal(err)
		}
		if err := r.Save(t.Context(), randomRun(fmt.Sprint("run ", i), 2*little)); err != nil {
			t.Fatal(err)
		}
	}
	past, err := Past(t.Context(), s.Client, "drainboard", kube.RecordName("ng-web"))
	if err != nil || len(past) != pastRuns {
		t.Fatalf("%d are kept: %v", len(past), err)
	}
	for i, p := range past {
		if want := fmt.Sprint("run ", pastRuns-i); p.Run.ID != want || p.Err != nil {
			t.Errorf("%s is %q, want %q: %v", p.Name, p.Run.ID, want, p.Err)
		}
	}
	f, _ := encodeRun(randomRun("run 0", 2*little), little)
	if got, want := len(s.kept()), (pastRuns+1)*len(f.pieces); got != want {
		t.Errorf("%d parts are there, want %d", got, want)
	}
}
