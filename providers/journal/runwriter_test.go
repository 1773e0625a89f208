package journal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
)

// ordered is a run with a force order.
var ordered = record.Run{
	ID: "web-1", Group: "web", Cluster: "prod", State: record.Running, By: "ann@laptop", Started: time.Unix(1e9, 0),
	Orders: []record.ForceOrder{{ID: "force-1", Node: "a1", Machine: "i-a1", Pods: []string{"shop/db-0"}, By: "bob@desk", At: time.Unix(1e9+60, 0), Why: "the budget is wrong"}},
	Nodes:  shards.Of(map[string]record.Node{"i-a1": {Name: "a1", Stage: record.Draining}, "i-a2": {Name: "a2", Stage: record.Draining, Lost: true}}),
}

func deleteOf(uid string) record.Action {
	return record.Action{Kind: record.Delete, Key: "delete/" + uid, Machine: "i-a1", Node: "a1", Namespace: "shop", Pod: "db-0", UID: uid, Order: "force-1"}
}

func in(dir string) func() (string, error) { return func() (string, error) { return dir, nil } }

// hand is an executor that does what the test says.
type hand func(record.Action) record.Outcome

func (h hand) Do(_ context.Context, a record.Action) record.Outcome { return h(a) }

// What is forced is on the disk, with who, when, what and why, when it goes out.
func TestForcedIsOnTheDiskBefore(t *testing.T) {
	machine := record.Action{Kind: record.ForceMachine, Key: "force/i-a1", Machine: "i-a1", Node: "a1", Namespace: "shoot--dev--prod", Object: "i-a1", Order: "force-1"}
	for _, a := range []record.Action{deleteOf("uid-1"), machine, {Kind: record.Terminate, Key: "terminate/i-a2", Machine: "i-a2", Node: "a2"}} {
		d := &disk{}
		s, _ := scribeOn(t, d, ordered)
		var seen []Line
		o := s.Executor(hand(func(record.Action) record.Outcome {
			seen = d.lines(t, true)
			return record.Outcome{Verdict: record.Done}
		})).Do(t.Context(), a)
		if o.Verdict != record.Done || len(seen) != 1 {
			t.Fatalf("%s: %v with %d lines on the disk before", a.Kind, o, len(seen))
		}
		l := seen[0].Action
		if l == nil || l.UID != a.UID || l.Node != a.Node || l.Pod != a.Pod || l.Forced == nil || l.Forced.By == "" || l.Forced.Why == "" || l.Forced.At.IsZero() || seen[0].At.IsZero() || l.Twin == "" {
			t.Errorf("the line before says %+v", seen[0])
		}
		if a.Kind != record.Terminate && (l.Forced.By != "bob@desk" || l.Forced.Order != "force-1") {
			t.Errorf("ordered by %+v", l.Forced)
		}
	}
}

// A disk that takes nothing keeps what is forced from happening, says so once, and
// keeps nothing else.
func TestFullDisk(t *testing.T) {
	d := &disk{full: true, room: 10} // the first line is cut off
	s, warned := scribeOn(t, d, ordered)
	did := map[string]int{}
	do := s.Executor(hand(func(a record.Action) record.Outcome {
		did[a.Key]++
		return record.Outcome{Key: a.Key, Verdict: record.Done}
	}))
	for range 3 {
		if o := do.Do(t.Context(), deleteOf("uid-1")); o.Verdict != record.Refused || o.Refusal != record.RefusedJournal || !strings.Contains(o.Message, "no space left on device") || o.Key == "" {
			t.Errorf("a forced delete without a journal: %+v", o)
		}
	}
	for _, kind := range []record.ActionKind{record.Evict, record.Terminate, record.Cordon} {
		if o := do.Do(t.Context(), record.Action{Kind: kind, Key: string(kind), Machine: "i-a1", Node: "a1"}); o.Verdict != record.Done {
			t.Errorf("%s: %+v", kind, o)
		}
	}
	if len(did) != 3 || did["delete/uid-1"] != 0 {
		t.Errorf("done: %v", did)
	}
	if w := <-warned; w != "no space left on device" {
		t.Errorf("warned of %q", w)
	}

	d.set(func(d *disk) { d.full = false })
	if o := do.Do(t.Context(), deleteOf("uid-1")); o.Verdict != record.Done || did["delete/uid-1"] != 1 {
		t.Errorf("the disk takes it again, and the delete: %+v", o)
	}
	if w := <-warned; w != "" {
		t.Errorf("not told that it is over: %q", w)
	}
	if len(warned) != 0 {
		t.Errorf("told more than once: %q", <-warned)
	}
	asked, refused := 0, 0
	for i, l := range d.lines(t, false) {
		if l.Seq != i+1 {
			t.Errorf("line %d has number %d: nothing may be lost by a disk that was full for a while", i+1, l.Seq)
		}
		if l.Kind == KindAction && l.Action.Kind == record.Delete {
			asked++
		}
		if l.Kind == KindOutcome && l.Outcome.Refusal == record.RefusedJournal {
			refused++
		}
	}
	if asked != 4 || refused != 3 {
		t.Errorf("%d deletes asked for, %d refused", asked, refused)
	}
}

// What does not end anything for good is on the disk within a second or so, many lines
// at once: a sync each would be too much for a busy run.
func TestSyncsTogether(t *testing.T) {
	d := &disk{}
	s, _ := scribeOn(t, d, ordered)
	begin := time.Now()
	for i := range 200 {
		if _, err := s.Ask(record.Action{Kind: record.Cordon, Key: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		if n := len(d.lines(t, false)); n < i+1 {
			t.Fatalf("%d of %d lines are with the system when the action goes out", n, i+1)
		}
	}
	for len(d.lines(t, true)) < 200 {
		if time.Since(begin) > 5*syncEvery {
			t.Fatal("not on the disk")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if d.syncs > 10 {
		t.Errorf("%d syncs for 200 lines", d.syncs)
	}
}

// A disk that does not even answer holds nothing up for longer than patience, and from
// then on nothing at all but what is forced.
func TestSilentDisk(t *testing.T) {
	d := &disk{hold: make(chan struct{})}
	s, warned := scribeOn(t, d, ordered)
	do := s.Executor(hand(func(a record.Action) record.Outcome { return record.Outcome{Verdict: record.Done} }))
	begin := time.Now()
	for i := range 50 {
		do.Do(t.Context(), record.Action{Kind: record.Cordon, Key: fmt.Sprint(i)})
		s.Events([]record.Event{{Type: record.Warning}})
	}
	if took := time.Since(begin); took > 3*patience {
		t.Errorf("50 actions took %s", took)
	}
	if w := <-warned; w != errStuck.Error() {
		t.Errorf("warned of %q", w)
	}
	if o := do.Do(t.Context(), deleteOf("uid-1")); o.Refusal != record.RefusedJournal {
		t.Errorf("a forced delete: %+v", o)
	}
	close(d.hold)
	<-warned
	if _, err := s.Ask(record.Action{Kind: record.Cordon, Key: "last"}); err != nil { // it waits for all before it
		t.Error(err)
	}
	if lines := d.lines(t, false); len(lines) < 100 {
		t.Errorf("%d lines when it answers again", len(lines))
	}
}

// An order that nobody is known to have given is not carried out.
func TestForcedByNobody(t *testing.T) {
	d := &disk{}
	s, _ := scribeOn(t, d, record.Run{ID: "web-1"})
	o := s.Executor(hand(func(record.Action) record.Outcome {
		t.Error("it went out")
		return record.Outcome{}
	})).Do(t.Context(), deleteOf("uid-1"))
	if o.Refusal != record.RefusedJournal {
		t.Errorf("%+v", o)
	}
	s.Decided(record.Run{}, engine.Decision{Run: ordered})
	did := false
	s.Executor(hand(func(record.Action) record.Outcome {
		did = true
		return record.Outcome{Verdict: record.Done}
	})).Do(t.Context(), deleteOf("uid-1"))
	if !did {
		t.Error("an order that a decision gave is not known")
	}
}

// Where nobody drains a node, ending its machine is a forced act: by the user who asked for
// that, with its line on the disk first, or not at all.
func TestUndrainedIsForced(t *testing.T) {
	run := record.Run{ID: "web-1", Started: time.Now(), Settings: record.Settings{CloudOnly: true, CloudOnlyBy: "ann@laptop"}}
	end := record.Action{Kind: record.Terminate, Key: "terminate/i-1", Machine: "i-1", Direct: true}
	d := &disk{}
	s, _ := scribeOn(t, d, run)
	if _, err := s.Ask(end); err != nil {
		t.Fatal(err)
	}
	for _, a := range []record.Action{{Kind: record.Detach, Key: "detach/i-2", Machine: "i-2"}, {Kind: record.CheckEffect, Key: "check", Of: &end}} {
		if _, err := s.Ask(a); err != nil {
			t.Fatal(err)
		}
	}
	var forced []Action
	for _, l := range d.lines(t, true) {
		if l.Action != nil && l.Action.Forced != nil {
			forced = append(forced, *l.Action)
		}
	}
	if len(forced) != 1 || forced[0].Machine != "i-1" || forced[0].Forced.By != "ann@laptop" || !forced[0].Forced.At.Equal(run.Started) || !strings.Contains(forced[0].Forced.Why, "--cloudonly") {
		t.Errorf("on the disk: %+v", forced)
	}
	d.set(func(d *disk) { d.full = true })
	if _, err := s.Ask(end); err == nil {
		t.Error("ended without its line on the disk")
	}
	run.Settings.CloudOnlyBy = ""
	s, _ = scribeOn(t, &disk{}, run)
	if _, err := s.Ask(end); err == nil {
		t.Error("ended by nobody's order")
	}
}

// A journal on a real disk: who may read it, and how it continues after a crash in the
// middle of a line.
func TestGoesOnAfterACrash(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "drainboard")
	options := Options{Dir: in(dir), Drainboard: "1.2.3", By: "ann@laptop", Args: []string{"upgrade", "web"}, Run: ordered, Now: time.Now}
	first := Begin(options)
	first.Heard([]record.Command{{Kind: record.CmdPause, By: "ann@laptop"}})
	first.Close(ordered, nil)
	path := first.Path()
	if path != filepath.Join(dir, "prod", "web-1.jsonl") {
		t.Errorf("the journal is %s", path)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700, dir: 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode().Perm(), err)
		}
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	torn := append(before, before[:40]...)
	if err := os.WriteFile(path, torn, 0o600); err != nil {
		t.Fatal(err)
	}

	options.Resumed = true
	second := Begin(options)
	if _, err := second.Ask(deleteOf("uid-2")); err != nil {
		t.Error(err)
	}
	second.Close(ordered, nil)
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(after), string(torn)) {
		t.Error("what was there has changed: a journal is only appended to")
	}
	lines := linesOf(t, after)
	var kinds []string
	for i, l := range lines {
		kinds = append(kinds, string(l.Kind))
		if l.Seq != i+1 || l.Run != "web-1" || l.Version != 1 {
			t.Errorf("line %d is %+v", i+1, l)
		}
	}
	if got := strings.Join(kinds, " "); got != "opened command closed opened action closed" {
		t.Fatalf("the lines are %s", got)
	}
	if o := lines[3].Opened; !o.Resumed || !o.Torn || o.Elsewhere {
		t.Errorf("resumed: %+v", o)
	}

	options.Dir = in(t.TempDir()) // another machine
	third := Begin(options)
	third.Close(ordered, nil)
	text, err := os.ReadFile(third.Path())
	if err != nil {
		t.Fatal(err)
	}
	if o := linesOf(t, text)[0].Opened; !o.Elsewhere || o.Torn {
		t.Errorf("resumed on another machine: %+v", o)
	}
}

// A place that cannot be written is trouble, not the end.
func TestNoPlaceForTheJournal(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	if err := os.WriteFile(home, nil, 0o600); err != nil { // a file where a folder should be: root may write anywhere else
		t.Fatal(err)
	}
	warned := make(chan record.Event, 4)
	s := Begin(Options{Dir: in(home), Run: ordered, Now: time.Now, Warn: func(e record.Event) { warned <- e }})
	if _, err := s.Ask(deleteOf("uid-1")); err == nil {
		t.Error("forced without a journal")
	}
	if e := <-warned; !strings.Contains(e.Message, s.Path()) || !strings.Contains(e.Message, "nothing is forced until it can") {
		t.Errorf("warned: %s", e.Message)
	}
	if err := os.Remove(home); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ask(deleteOf("uid-1")); err != nil {
		t.Errorf("there is a place now: %v", err)
	}
	s.Close(ordered, nil)
	homeless := Begin(Options{Dir: func() (string, error) { return "", os.ErrNotExist }, Run: ordered, Now: time.Now})
	if _, err := homeless.Ask(deleteOf("uid-1")); err == nil {
		t.Error("forced without a place for the journal")
	}
	homeless.Close(ordered, nil)
	entry, err := Find(home, "web-1", "")
	if err != nil || entry.Group != "web" || entry.Cluster != "prod" {
		t.Errorf("found %+v, %v", entry, err)
	}
}

func TestDifference(t *testing.T) {
	before := record.Run{State: record.Running, Nodes: shards.Of(map[string]record.Node{"i-1": {Name: "a1", Stage: record.Outdated}, "i-2": {Name: "a2", Stage: record.Draining}})}
	if d := difference(&before, &engine.Decision{Run: before, Touched: []string{"i-1", "i-3"}}); d != nil {
		t.Errorf("nothing changed: %+v", d)
	}
	after := before
	after.State, after.Result, after.Why = record.Ending, record.EvictionFail, "1 pod kept a2"
	after.Nodes = shards.Of(map[string]record.Node{"i-2": {Name: "a2", Stage: record.NodeFail, Reason: "1 pod left"}})
	after.Batches = []record.Batch{{ID: 1, Hash: "x", Names: []string{"a2"}, By: "ann@laptop", Approved: time.Now()}}
	after.Orders = ordered.Orders
	after.Gate = "waits"
	after.Unrestored = []string{"a taint"}
	d := difference(&before, &engine.Decision{Run: after, Touched: []string{"i-1", "i-2", "i-3"}})
	if d == nil || d.State == nil || d.State.To != record.Ending || d.State.Why != after.Why || len(d.Batches) != 1 || len(d.Orders) != 1 || d.Gate == nil || *d.Gate != "waits" || len(d.Left) != 1 {
		t.Fatalf("%+v", d)
	}
	if len(d.Stages) != 1 || d.Stages[0].From != record.Draining || d.Stages[0].To != record.NodeFail || d.Stages[0].Reason != "1 pod left" || len(d.Gone) != 1 || d.Gone[0] != "i-1" {
		t.Errorf("%+v", d)
	}
}

func TestPath(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "relative")
	t.Setenv("HOME", "/home/ann")
	dir, err := Dir()
	if err != nil || dir != "/home/ann/.local/state/drainboard" {
		t.Errorf("%s, %v", dir, err)
	}
	t.Setenv("XDG_STATE_HOME", "/state")
	if dir, _ = Dir(); dir != "/state/drainboard" {
		t.Error(dir)
	}
	seen := map[string]bool{}
	for _, name := range []string{"", ".", "..", "../../etc/passwd", "arn:aws:eks:eu-west-1:1:cluster/prod", "arn:aws:eks:eu-west-1:1:cluster_prod", strings.Repeat("x", 300), "a\x00b"} {
		path := Path("/state", name, name)
		if seen[path] || filepath.Dir(filepath.Dir(path)) != "/state" || len(filepath.Base(path)) > 130 || strings.ContainsAny(filepath.Base(path), "\x00:/") {
			t.Errorf("%q is %s", name, path)
		}
		seen[path] = true
	}
}
