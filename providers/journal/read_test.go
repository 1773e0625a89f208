package journal

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

const good = `{"v":1,"seq":1,"at":"2026-11-02T09:00:00Z","run":"r","kind":"command","command":{"kind":"pause","by":"ann@laptop","at":"2026-11-02T09:00:00Z"}}`

func TestReadGoesOnAfterWhatItCannotRead(t *testing.T) {
	text := strings.Join([]string{
		good, `{"v":1,"seq":2,"kind":"comm`, "", good, `{"v":2,"seq":3,"kind":"dream"}`, `{"v":1,"kind":"command"}`, `[1]`, `null`, "\x00\x01",
		`{"v":1,"kind":"action","action":{"kind":"taint","key":"k"}}`, `{"v":1,"kind":"action","action":{"kind":"check","key":"k"}}`, good,
	}, "\n")
	n := 0
	unread, err := Read(strings.NewReader(text), func(Line) bool { n++; return true })
	if err != nil || n != 3 || unread.Newer != 1 || unread.Broken != 7 {
		t.Errorf("%d lines, %+v, %v", n, unread, err)
	}
}

func TestReadCleans(t *testing.T) {
	l := Line{Version: 1, Kind: KindEvent, Event: &record.Event{Message: "\x1b[2Jgone\u202e"}}
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	if got := linesOf(t, text)[0].Event.Message; got != world.Clean(l.Event.Message) || strings.ContainsRune(got, '\x1b') {
		t.Errorf("%q", got)
	}
}

func TestLookAtEnd(t *testing.T) {
	long := `{"v":1,"seq":41,"at":"2026-11-02T09:00:00Z","run":"r","kind":"event","event":{"message":"` + strings.Repeat("x", 3*tail) + `"}}`
	for text, want := range map[string]end{
		"":                           {},
		good + "\n":                  {lines: 1, seq: 1},
		good + "\n" + good[:50]:      {lines: 1, seq: 1, torn: true},
		good[:50]:                    {torn: true},
		long + "\n" + good[:20]:      {lines: 1, seq: 41, torn: true}, // the line that counts is longer than the part that is looked at
		long + "\n" + good + "\n":    {lines: 1, seq: 1},
		"no journal\n" + good + "\n": {lines: 1, seq: 1},
	} {
		path := filepath.Join(t.TempDir(), "j.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := lookAtEnd(path); got != want || err != nil {
			t.Errorf("%.60q: %+v, %v, want %+v", text, got, err, want)
		}
	}
}

// FuzzRead: whatever is in the file, reading it neither fails nor loses a good line
// that stands by itself.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"", good, good[:60], "\n\n", `{"v":1,"kind":"action","action":{"kind":"check","of":{"kind":"set-sizes"}}}`, `{"v":1e99}`, `{"v":1,"kind":"opened","opened":{"nodes":[{}],"plan":{}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		whole := append(append(bytes.Clone(text), '\n'), good+"\n"...)
		var last Line
		if _, err := Read(bytes.NewReader(whole), func(l Line) bool {
			last = l
			if l.Action != nil {
				_ = l.Action.Command()
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if last.Kind != KindCommand || last.Command.By != "ann@laptop" {
			t.Errorf("the last line is %+v", last)
		}
	})
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for i, run := range []string{"web-1", "web-2", "db-1"} {
		group, _, _ := strings.Cut(run, "-")
		s := Begin(Options{Dir: in(dir), Run: record.Run{ID: run, Group: group, Cluster: "prod", Started: time.Unix(int64(1e9+i), 0)}, Now: time.Now})
		s.Close(record.Run{State: record.Finished}, nil)
	}
	if err := os.WriteFile(filepath.Join(dir, "prod", "notes.jsonl"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"web-1": "web-1", "web": "web-2", "db": "db-1", filepath.Join(dir, "prod", "web-1.jsonl"): "web-1"} {
		if e, err := Find(dir, name, ""); err != nil || e.Run != want {
			t.Errorf("%s is %+v, %v", name, e, err)
		}
	}
	if _, err := Find(dir, "nothing", ""); err == nil || !strings.Contains(err.Error(), "it has db-1 (") {
		t.Errorf("%v", err)
	}
	if _, err := Find(t.TempDir(), "nothing", ""); err == nil || !strings.Contains(err.Error(), "none in") {
		t.Errorf("%v", err)
	}
	if _, err := Find(dir, filepath.Join(dir, "prod", "notes.jsonl"), ""); err == nil {
		t.Error("what is not a journal was taken for one")
	}
}
