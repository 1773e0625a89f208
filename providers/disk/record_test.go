package disk

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
)

const arn = "arn:aws:autoscaling:eu-west-1:1:autoScalingGroup:u:autoScalingGroupName/web"

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func testRun(id string) record.Run {
	return record.Run{Version: record.RecordVersion, ID: id, Group: "web", Provider: "asg", State: record.Finished, Nodes: shards.Of(map[string]record.Node{})}
}

// home is a store whose time continues by a second each time it is asked.
func home(t *testing.T) Store {
	now := noon
	return Store{Dir: filepath.Join(t.TempDir(), "drainboard", "records"), Now: func() time.Time {
		now = now.Add(time.Second)
		return now
	}}
}

func save(t *testing.T, r *Record, id string) {
	t.Helper()
	if err := r.Save(t.Context(), testRun(id)); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, r *Record, want string) {
	t.Helper()
	run, found, err := r.Load(t.Context())
	if err != nil || found != (want != "") || run.ID != want {
		t.Fatalf("loaded %q (%v), %v; want %q", run.ID, found, err, want)
	}
}

// What one process has written the next one reads, and nothing else is there.
func TestRecord(t *testing.T) {
	s := home(t)
	a := s.Record("web", arn)
	load(t, a, "")
	save(t, a, "r-1")
	save(t, a, "r-2")
	load(t, s.Record("web", arn), "r-2")
	load(t, s.Record("web", arn+"2"), "")
	load(t, s.Record("web2", arn), "")
	load(t, s.Record("../web", arn), "")
	files, err := os.ReadDir(s.Dir)
	if err != nil || len(files) != 1 || filepath.Join(s.Dir, files[0].Name()) != a.Path() {
		t.Errorf("files %v, %v", files, err)
	}
	if info, err := os.Stat(a.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	list, err := s.Records()
	if err != nil || len(list) != 1 || list[0].Run.ID != "r-2" || list[0].Name != a.Path() {
		t.Errorf("records %+v, %v", list, err)
	}
	if list, err := (Store{Dir: filepath.Join(s.Dir, "none")}).Records(); err != nil || len(list) != 0 {
		t.Errorf("where nothing is: %v, %v", list, err)
	}
}

// A process that slept while another one wrote writes nothing over it, nor over a record
// that it has not read.
func TestRecordOfTwo(t *testing.T) {
	s := home(t)
	a, b, c := s.Record("web", arn), s.Record("web", arn), s.Record("web", arn)
	save(t, a, "r-1")
	load(t, b, "r-1")
	save(t, a, "r-1")
	for _, r := range []*Record{b, c} {
		if err := r.Save(t.Context(), testRun("late")); !errors.Is(err, live.ErrLost) {
			t.Errorf("got %v", err)
		}
	}
	load(t, b, "r-1")
	save(t, b, "r-2")
	if err := a.Save(t.Context(), testRun("late")); !errors.Is(err, live.ErrLost) {
		t.Errorf("got %v", err)
	}
	load(t, c, "r-2")
	if err := os.Remove(c.Path()); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(t.Context(), testRun("r-3")); !errors.Is(err, live.ErrLost) || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("a record that was removed: %v", err)
	}
}

// The same run written twice by two processes are two records: the content alone does not
// tell them apart.
func TestRecordOfOneContent(t *testing.T) {
	s := home(t)
	a, b := s.Record("web", arn), s.Record("web", arn)
	save(t, a, "r-1")
	load(t, b, "r-1")
	save(t, b, "r-1")
	if err := a.Save(t.Context(), testRun("r-1")); !errors.Is(err, live.ErrLost) {
		t.Errorf("got %v", err)
	}
}

// A write whose end was not seen counts if it is there, and is done again if it is not.
func TestRecordAfterAWriteInDoubt(t *testing.T) {
	s := home(t)
	for _, written := range []bool{true, false} {
		r := s.Record("web", arn)
		if _, _, err := r.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		save(t, r, "r-1")
		before, err := os.ReadFile(r.Path())
		if err != nil {
			t.Fatal(err)
		}
		save(t, r, "r-2")
		after := r.seen
		r.seen, r.tried, r.unsure = sum(before), after, true
		r.epoch--
		if !written {
			if err := os.WriteFile(r.Path(), before, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		save(t, r, "r-3")
		load(t, s.Record("web", arn), "r-3")
		r.seen, r.unsure = sum(before), false
		if err := r.Save(t.Context(), testRun("r-4")); !errors.Is(err, live.ErrLost) {
			t.Errorf("without a doubt: %v", err)
		}
	}
}

// A record that cannot be read is told apart from one that is not there, and is not
// written over unless it was put aside first.
func TestRecordThatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		name, content, says string
		newer               bool
	}{
		{"no JSON", "{", "is damaged", false},
		{"empty", "", "is damaged", false},
		{"cut off", `{"writer":"x","epoch":1,"run":{"version":1,"id":"r`, "is damaged", false},
		{"no run", `{"writer":"x","epoch":1}`, "is damaged", false},
		{"no version", `{"run":{"id":"r"}}`, "it has no version", false},
		{"no state", `{"run":{"version":1,"id":"r","group":"web","provider":"asg"}}`, "there is no state", false},
		{"another group's", `{"run":{"version":1,"id":"r","group":"api","provider":"asg","state":"finished"}}`, "it belongs to group api", false},
		{"newer", `{"run":{"version":99,"id":{"what":"is this"}}}`, "of a newer Drainboard", true},
	} {
		s := home(t)
		r := s.Record("web", arn)
		if err := os.MkdirAll(s.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.Path(), []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, found, err := r.Load(t.Context())
		var damaged *live.DamagedError
		var newer *live.NewerError
		if !found || errors.As(err, &newer) != c.newer || errors.As(err, &damaged) == c.newer || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), r.Path()) {
			t.Errorf("%s: found %v, %v", c.name, found, err)
		}
		if err := r.Save(t.Context(), testRun("r")); !errors.Is(err, live.ErrLost) {
			t.Errorf("%s was written over: %v", c.name, err)
		}
		path, err := r.Keep(t.Context(), "put aside by ann@laptop")
		if err != nil || path == "" {
			t.Errorf("%s: %q, %v", c.name, path, err)
		}
		save(t, r, "r-1")
		past, err := s.Past("web", arn)
		if err != nil || len(past) != 1 || past[0].Discarded != "put aside by ann@laptop" || past[0].Name != path || past[0].Kept.IsZero() {
			t.Errorf("%s: past %+v, %v", c.name, past, err)
		}
		if c.name == "another group's" {
			continue // whose run it is can be read
		}
		if err := past[0].Err; !errors.As(err, &newer) && !errors.As(err, &damaged) {
			t.Errorf("%s: past %v", c.name, err)
		}
		var kept struct {
			Run json.RawMessage `json:"run"`
		}
		text, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(text, &kept) != nil || c.newer && string(kept.Run) != `{"version":99,"id":{"what":"is this"}}` {
			t.Errorf("%s: kept %s, %v", c.name, text, err)
		}
	}
}

// What a record says reaches no terminal raw.
func TestRecordIsCleaned(t *testing.T) {
	const evil = "x\x1b]52;c;eA==\x07\u202ey"
	s := home(t)
	run := testRun("r")
	run.Why, run.BlockingPods = evil, []string{evil}
	a := s.Record("web", arn)
	if err := a.Save(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	got, _, err := s.Record("web", arn).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if text := got.Why + got.BlockingPods[0]; strings.ContainsAny(text, "\x1b\x07\u202e") || !strings.HasPrefix(text, "x") {
		t.Errorf("came through: %q", text)
	}
}

// The records of the last runs are kept, each once, and no more than a few.
func TestPast(t *testing.T) {
	s := home(t)
	r := s.Record("web", arn)
	if path, err := r.Keep(t.Context(), ""); path != "" || err != nil {
		t.Errorf("nothing is kept as %q, %v", path, err)
	}
	for i := range pastRuns + 2 {
		save(t, r, "r-"+string(rune('a'+i)))
		first, err := r.Keep(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if again, err := r.Keep(t.Context(), ""); again != first || err != nil {
			t.Errorf("kept twice: %q and %q, %v", first, again, err)
		}
	}
	past, err := s.Past("web", arn)
	if err != nil || len(past) != pastRuns || past[0].Run.ID != "r-g" || past[pastRuns-1].Run.ID != "r-c" || past[0].Discarded != "" {
		t.Errorf("past %+v, %v", past, err)
	}
	if list, err := s.Records(); err != nil || len(list) != 1 {
		t.Errorf("records %+v, %v", list, err)
	}
	other := s.Record("web", arn)
	load(t, other, "r-g")
	if _, err := r.Keep(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	save(t, other, "r-h")
	if err := r.Save(t.Context(), testRun("r-i")); !errors.Is(err, live.ErrLost) {
		t.Errorf("written over what was not kept: %v", err)
	}
}

// A disk that cannot be written is told with the reason, and what was there stays.
func TestRecordOfABadDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r := Store{Dir: filepath.Join(file, "records")}.Record("web", arn)
	if err := r.Save(t.Context(), testRun("r")); err == nil || errors.Is(err, live.ErrLost) || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("got %v", err)
	}
}

// A process that waits for a disk that gives no answer waits no longer than it wants.
func TestRecordOfASilentDisk(t *testing.T) {
	s := home(t)
	r := s.Record("web", arn)
	save(t, r, "r-1")
	unlock, err := lockDir(t.Context(), s.Dir) // as another process that hangs
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if err := r.Save(ctx, testRun("r-2")); err == nil || errors.Is(err, live.ErrLost) {
		t.Errorf("got %v", err)
	}
	unlock()
	save(t, r, "r-3")
	load(t, s.Record("web", arn), "r-3")
}
