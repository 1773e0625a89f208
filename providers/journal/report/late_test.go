package report

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/providers/journal"
)

// lines is a journal of lines "writer seq second kind what".
func lines(list ...[5]string) string {
	var out []string
	for _, l := range list {
		out = append(out, fmt.Sprintf(`{"v":1,"writer":%q,"seq":%s,"at":"2026-11-02T09:00:%sZ","run":"r-1","kind":%q,%q:%s}`, l[0], l[1], l[2], l[3], l[3], l[4]))
	}
	return strings.Join(out, "\n")
}

// A driver is stopped, a second takes over and finishes, and the first wakes: what it
// writes then changes nothing of how the run stands, and no outcome is another's.
func TestLateWriter(t *testing.T) {
	r, err := Read(strings.NewReader(lines(
		[5]string{"aa", "1", "00", "opened", `{"group":"web","by":"ann@laptop","started":"2026-11-02T09:00:00Z","state":"running","nodes":[{"machine":"i-1","node":"a1","to":"draining","since":"2026-11-02T09:00:00Z"}]}`},
		[5]string{"aa", "2", "01", "action", `{"kind":"cordon","key":"cordon/1","node":"a1"}`},
		[5]string{"bb", "2", "10", "opened", `{"group":"web","by":"bea@laptop","resumed":true,"started":"2026-11-02T09:00:00Z","state":"running"}`},
		[5]string{"bb", "3", "11", "action", `{"kind":"evict","key":"evict/3","namespace":"n","pod":"q","uid":"3"}`},
		[5]string{"aa", "3", "12", "action", `{"kind":"check","key":"check/cordon/1","of":{"kind":"cordon","key":"cordon/1","node":"a1"}}`},
		[5]string{"bb", "4", "13", "outcome", `{"of":3,"verdict":"done"}`},
		[5]string{"bb", "5", "20", "decision", `{"state":{"from":"running","to":"finished","result":"succeeded"},"stages":[{"machine":"i-1","node":"a1","from":"draining","to":"replaced","since":"2026-11-02T09:00:20Z"}]}`},
		[5]string{"bb", "6", "20", "event", `{"type":"run.finished","time":"2026-11-02T09:00:20Z","result":"succeeded","exitCode":0}`},
		[5]string{"bb", "7", "20", "closed", `{"state":"finished","result":"succeeded"}`},
		[5]string{"aa", "4", "40", "outcome", `{"of":2,"verdict":"unknown"}`},
		[5]string{"aa", "5", "40", "decision", `{"state":{"from":"running","to":"paused"},"stages":[{"machine":"i-1","node":"a1","to":"failed","since":"2026-11-02T09:00:40Z"}],"left":["a1 is cordoned"]}`},
		[5]string{"aa", "6", "40", "event", `{"type":"run.paused","time":"2026-11-02T09:00:40Z"}`},
		[5]string{"aa", "7", "40", "event", `{"type":"warning","reason":"journal","message":"slept","time":"2026-11-02T09:00:40Z"}`},
		[5]string{"aa", "8", "41", "closed", `{"state":"running","error":"another process drives the run","outstanding":["a1 is cordoned"]}`},
	)))
	if err != nil {
		t.Fatal(err)
	}
	if r.State != record.Finished || !r.Finished || r.Result != record.Succeeded || len(r.Left) > 0 || len(r.Paused) > 0 || r.Ended.Second() != 20 {
		t.Errorf("%s, finished %v, result %s, left %q, paused %v, ended %s", r.State, r.Finished, r.Result, r.Left, r.Paused, r.Ended)
	}
	if len(r.Nodes) != 1 || r.Nodes[0].Last() != record.Replaced {
		t.Errorf("nodes %+v", r.Nodes)
	}
	var came []string
	for _, c := range r.Changes {
		came = append(came, c.What+": "+c.Came())
	}
	if want := []string{"cordon a1: the answer was lost", "evict n/q: done"}; !slices.Equal(came, want) {
		t.Errorf("%q", came)
	}
	if len(r.Warnings) != 1 {
		t.Errorf("warnings %v", r.Warnings)
	}
	var ends []string
	for _, d := range r.Drivers {
		ends = append(ends, d.By+" "+d.End)
	}
	if want := []string{"ann@laptop suspended, and another process took over: another process drives the run", "bea@laptop drove the run to its end"}; !slices.Equal(ends, want) {
		t.Errorf("%q", ends)
	}
}

// A process whose beginning cannot be read drives the run all the same.
func TestWriterWithoutABeginning(t *testing.T) {
	r, err := Read(strings.NewReader(lines(
		[5]string{"aa", "1", "00", "opened", `{"group":"web","by":"ann@laptop","started":"2026-11-02T09:00:00Z","state":"running"}`},
		[5]string{"bb", "9", "20", "decision", `{"state":{"from":"running","to":"finished","result":"succeeded"}}`},
		[5]string{"aa", "3", "30", "closed", `{"state":"running"}`},
	)))
	if err != nil || r.State != record.Finished || r.Drivers[0].End != "suspended, and another process took over" {
		t.Errorf("%v: %s, %+v", err, r.State, r.Drivers)
	}
}

// The same with the files' own writer: both begin at the same number.
func TestLateScribe(t *testing.T) {
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	run := record.Run{ID: "r-1", Group: "web", Cluster: "prod", State: record.Running, Started: at, By: "ann@laptop"}
	options := journal.Options{Dir: func() (string, error) { return dir, nil }, By: "ann@laptop", Run: run, Now: func() time.Time { return at }}
	cordon := record.Action{Kind: record.Cordon, Key: "cordon/1", Node: "a1"}
	uncordon := record.Action{Kind: record.Uncordon, Key: "uncordon/1", Node: "a1"}

	first := journal.Begin(options)
	if _, err := first.Ask(record.Action{Kind: record.Cordon, Key: "cordon/0", Node: "a0"}); err != nil {
		t.Fatal(err)
	}
	options.By, options.Resumed = "bea@laptop", true
	second := journal.Begin(options)
	one, _ := first.Ask(cordon)
	other, _ := second.Ask(uncordon)
	for ; one < other; one++ { // until a number of the one is a number of the other
		_, _ = first.Ask(record.Action{Kind: record.LookAtPods, Key: "look", Node: "a1"})
	}
	second.Answer(other, record.Outcome{Key: uncordon.Key, Verdict: record.Done})
	done := run
	done.State, done.Result = record.Finished, record.Succeeded
	second.Close(done, nil)
	first.Answer(one, record.Outcome{Key: cordon.Key, Verdict: record.Refused})
	first.Close(run, nil)

	r, err := Load(first.Path())
	if err != nil {
		t.Fatal(err)
	}
	var came []string
	for _, c := range r.Changes {
		came = append(came, c.What+": "+c.Came())
	}
	if r.State != record.Finished || one != other || !slices.Contains(came, "uncordon a1: done") {
		t.Errorf("%s, %d and %d: %q", r.State, one, other, came)
	}
}

// regainer is a lock that is always got again.
type regainer struct {
	live.Lock
	run record.Run
}

func (r regainer) Regain(context.Context) (record.Run, error) { return r.run, nil }

// A process that lost the lock, and got it again when the other had left, is heard again.
func TestLockAgain(t *testing.T) {
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	run := record.Run{ID: "r-1", Group: "web", Cluster: "prod", State: record.Running, Started: at, By: "ann@laptop"}
	options := journal.Options{Dir: func() (string, error) { return dir, nil }, By: "ann@laptop", Run: run, Now: func() time.Time { return at }}
	flush := record.Action{Kind: record.LookAtPods, Key: "look", Node: "a1"}
	run.Nodes = shards.Of(map[string]record.Node{})
	for i := range 1000 {
		run.Nodes = run.Nodes.With(fmt.Sprintf("i-%d", i), record.Node{Name: fmt.Sprintf("a%d", i), Stage: record.Queued, Since: at})
	}
	options.Run = run
	first := journal.Begin(options)
	lock := first.Lock(regainer{run: run})
	if _, err := lock.Regain(t.Context()); err != nil { // nobody else was there
		t.Fatal(err)
	}
	_, _ = first.Ask(flush)
	options.By, options.Resumed = "bea@laptop", true
	second := journal.Begin(options)
	paused := run
	paused.State = record.Paused
	paused.Nodes = shards.Of(map[string]record.Node{})
	for id, n := range run.Nodes.All() {
		if id == "i-7" {
			n.Stage = record.Replaced
		}
		paused.Nodes = paused.Nodes.With(id, n)
	}
	second.Close(paused, nil)
	lock = first.Lock(regainer{run: paused})
	size := func() int64 {
		_, _ = first.Ask(flush)
		info, err := os.Stat(first.Path())
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	small := size()
	if _, err := lock.Regain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if grown := size() - small; grown > 8000 {
		t.Errorf("a lock that is held again takes %d bytes of the journal", grown)
	}
	done := run
	done.State = record.Finished
	first.Close(done, nil)
	r, err := Load(first.Path())
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(r.Nodes, func(n *Node) bool { return n.Machine == "i-7" }); i < 0 || r.Nodes[i].Last() != record.Replaced {
		t.Errorf("it does not say what the other did to i-7")
	}
	var ends []string
	for _, d := range r.Drivers {
		ends = append(ends, d.By+" "+d.End)
	}
	want := []string{"ann@laptop lost the lock for a while", "ann@laptop killed or crashed", "bea@laptop left the run paused", "ann@laptop drove the run to its end"}
	if r.State != record.Finished || !slices.Equal(ends, want) {
		t.Errorf("%s: %q", r.State, ends)
	}
}
