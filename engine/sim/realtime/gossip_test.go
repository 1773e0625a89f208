package realtime

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/podlog"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/world"
)

// A process that watches a World hears what others did, once, and not what changed nothing.
func TestAWallTellsWhatOthersDid(t *testing.T) {
	c := script.New()
	if _, err := c.Do("cluster zones=a nodes=2\nworkload web replicas=2\nafter 10s: user scale web=5"); err != nil {
		t.Fatal(err)
	}
	w := New(c.Sim, 1)
	var heard []string
	w.Heard = func(_ time.Time, what string) { heard = append(heard, what) }
	to := world.New()
	w.move(5 * time.Second)(to)
	if len(heard) > 0 {
		t.Errorf("heard %q before anything happened", heard)
	}
	w.move(10 * time.Second)(to)
	if n, err := w.Scale("web", func(n int) int { return n + 1 }); n != 6 || err != nil {
		t.Errorf("scaled to %d, %v", n, err)
	}
	if n, _ := w.Scale("web", func(n int) int { return n }); n != 6 {
		t.Errorf("scaled to %d", n)
	}
	w.move(time.Second)(to)
	w.move(time.Second)(to)
	if want := []string{"a user scaled web from 2 to 5", "a user scaled web from 5 to 6"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
	if _, err := w.Scale("nobody", func(int) int { return 1 }); err == nil {
		t.Error("a workload that is not there was scaled")
	}
}

// A pod has a log: of one that crash-loops what its container wrote before it ended last.
func TestLog(t *testing.T) {
	c := script.New()
	if _, err := c.Do("cluster zones=a nodes=2\nworkload web replicas=2 ready=5s\nworkload api replicas=1 crashes-on=v1.0"); err != nil {
		t.Fatal(err)
	}
	w := New(c.Sim, 1)
	w.move(time.Minute)(world.New())
	for _, p := range c.Sim.AllPods() {
		log, err := w.Log(t.Context(), podlog.PodOf(p.Ref(), p.UID, p.Crashing))
		if err != nil || len(log.Lines) < 4 || len(log.Lines) > podlog.Lines || log.Previous != p.Crashing || (log.Ended != "") != p.Crashing || p.Crashing != (p.Labels["app"] == "api") {
			t.Errorf("%s: %+v, %v", p.Ref(), log, err)
		}
		if log.At.After(c.Sim.Now()) || p.Crashing && (log.Restarts == 0 || !strings.Contains(log.Lines[len(log.Lines)-1], "fatal")) {
			t.Errorf("%s: %+v", p.Ref(), log)
		}
		if _, err := w.Log(t.Context(), podlog.PodOf(p.Ref(), "another", false)); !errors.Is(err, podlog.ErrGone) {
			t.Errorf("of another pod of the name: %v", err)
		}
	}
}
