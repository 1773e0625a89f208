package glance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/uitest"
)

var styles = style.New(themes.None)

func shown(s *snapshot.Snapshot) *scene.Scene {
	return scene.New(uitest.Judge(s), scene.Options{Clock: func() time.Time { return uitest.Moment }, Speed: 1}, nil)
}

func text(lines []string) string { return ansi.Strip(strings.Join(lines, "\n")) }

// many is a group of n nodes in three zones, a tenth of them at work.
func many(n int) *snapshot.Snapshot {
	s := uitest.Busy()
	for z := range s.Zones {
		s.Zones[z].Rows = nil
	}
	for i := range n {
		r := &snapshot.NodeRow{ID: fmt.Sprint("i-", i), Name: uitest.Host(i%3, i), Zone: s.Zones[i%3].Name, Stage: record.Outdated, Ready: true}
		if i%10 == 0 {
			r.Stage = record.Settling
		}
		s.Zones[i%3].Rows = append(s.Zones[i%3].Rows, r)
	}
	return s
}

func TestStripTellsEveryStage(t *testing.T) {
	if got, want := text(Strip(shown(uitest.Busy()), styles, 100, 1, false)), " 1a 1/4 ●⚑○○   1b 2/4 ●●▽▼○   1c 1/4 ●△×!○"; strings.TrimRight(got, " ") != want {
		t.Errorf("the strip is %q, want %q", got, want)
	}
	own := Strip(shown(uitest.Busy()), styles, 60, 5, true)
	if len(own) != 3 || !strings.HasPrefix(text(own), " eu-west-1a 1/4 ●⚑○○") {
		t.Errorf("on lines of their own:\n%s", text(own))
	}
}

// 500 nodes are in view, a sign each, on the widths that people have.
func TestStripHolds500Nodes(t *testing.T) {
	sc := shown(many(500))
	for _, c := range []struct{ w, most int }{{100, 6}, {120, 5}, {200, 3}} {
		lines := Strip(sc, styles, c.w, c.most, false)
		got := text(lines)
		if n := strings.Count(got, "○") + strings.Count(got, "▽"); n != 500 || len(lines) > c.most {
			t.Errorf("at %d columns %d nodes on %d lines:\n%s", c.w, n, len(lines), got)
		}
		for _, l := range lines {
			if ansi.StringWidth(l) != c.w {
				t.Errorf("a line is %d cells wide, want %d: %q", ansi.StringWidth(l), c.w, l)
			}
		}
	}
	few := Strip(sc, styles, 80, 2, false)
	if got := text(few); len(few) > 2 || !strings.Contains(got, "one sign: 10 nodes") || !strings.Contains(got, "▽") {
		t.Errorf("on too few lines:\n%s", got)
	}
}

func TestPace(t *testing.T) {
	at := uitest.Moment
	for want, ago := range map[string][]time.Duration{
		"2.0 min a node":              {6 * time.Minute, 4 * time.Minute, 2 * time.Minute},
		"9.0 min a node":              {11 * time.Minute, 2 * time.Minute}, // of the last ten minutes, and the one before
		"no node replaced for 12 min": {20 * time.Minute, 12 * time.Minute},
		"":                            {time.Minute},
	} {
		s := many(30)
		for i, d := range ago {
			s.Zones[0].Rows[i].Stage, s.Zones[0].Rows[i].Since = record.Replaced, at.Add(-d)
		}
		if got := Pace(shown(s), at); got != want {
			t.Errorf("%v: %q, want %q", ago, got, want)
		}
		s.State = record.Finished
		if got := Pace(shown(s), at); got != "" {
			t.Errorf("at the end %q", got)
		}
	}
}

// The timeline climbs with the nodes that were replaced, and from now on to what is foreseen.
func TestTimeline(t *testing.T) {
	s := many(30)
	s.Started, s.Done, s.Total, s.TimeLeft = uitest.Moment.Add(-10*time.Minute), 2, 4, 10*time.Minute
	for i, ago := range []time.Duration{7 * time.Minute, 2 * time.Minute} {
		s.Zones[0].Rows[i].Stage, s.Zones[0].Rows[i].Since = record.Replaced, uitest.Moment.Add(-ago)
	}
	got := text(Timeline(shown(s), styles, uitest.Moment, 24, 5))
	const want = `
 4                    ░
                 ░░░░░░
          ▓▓▓░░░░░░░░░░
 0   ▓▓▓▓▓▓▓▓░░░░░░░░░░
   20:57          21:17`
	trim := func(s string) (out string) {
		for l := range strings.SplitSeq(strings.TrimPrefix(s, "\n"), "\n") {
			out += strings.TrimRight(l, " ") + "\n"
		}
		return out
	}
	if trim(got) != trim(want) {
		t.Errorf("the timeline is\n%s\nwant\n%s", trim(got), trim(want))
	}
	// Nodes that will stay old are not climbed to.
	s.Forecast = &snapshot.Forecast{Foreseen: record.Foreseen{Outlook: record.WillFail, At: uitest.Moment, End: uitest.Moment.Add(10 * time.Minute), FailsAt: uitest.Moment.Add(10 * time.Minute), Stay: 2, Nodes: 4}}
	if top := strings.SplitN(text(Timeline(shown(s), styles, uitest.Moment, 24, 5)), "\n", 2)[0]; strings.Contains(top, "░") {
		t.Errorf("a run that will fail is drawn up to %q", top)
	}
}
