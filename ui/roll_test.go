package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/uitest"
)

// The screen goes from one group to the next by itself, and what was asked of the one
// before is not asked of the other.
func TestDashboardGoesThroughARoll(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Rolling())
	ui.Expect("group 4 of 6", "ng-batch PodEvictionFailure", "● ng-web 4/12", "○ ng-web-b")
	ui.Press("x").Expect("Abort the upgrade?", "the roll ends with it: ng-web-b and ng-web-c are not started").Press("n")
	ui.Show(uitest.Between()).Expect("Next: ng-web-b").Gone("exit code")
	ui.Press("p").Expect("cannot pause now: the run of this group is over, and the next has not begun").SentNothing()
	ui.Press("q").Expect("No run is under way now", "drainboard upgrade --all resumes it", "The roll is held: ng-web-b and ng-web-c are not started")
	ui.Show(uitest.NextGroup()).Expect("prod-eu-1 / ng-web-b", "the group ng-web-b now, 5 of 6").Gone("Leave?")
	ui.Press("a").Expect("key ignored: the screen had just changed").SentNothing()
	ui.Later(5 * time.Second).Press("a").Expect("Approve batch 1").Later(5 * time.Second).Press("enter")
	ui.Sent(record.Command{Kind: record.CmdApprove, Batch: 1, Hash: "h-b"})
	ui.Show(uitest.RolledAll()).Expect("the roll: 5 of 6 groups done", "ng-batch: PodEvictionFailure", "ng-idle: left out: nothing is outdated", "exit code   4")
	ui.Later(5 * time.Second).Press("q").Leaves(Finished)
}

// Between two groups an abort ends the roll, and ctrl-c is one.
func TestAbortBetweenGroups(t *testing.T) {
	ui := sit(t, 80, 24, uitest.Between())
	ui.Expect("Next: ng-web-b").Press("x").Expect("no run is under way", "the roll ends with it").Press("y")
	ui.Sent(record.Command{Kind: record.CmdAbort})
	ui = sit(t, 80, 24, uitest.Between())
	ui.Expect("Next: ng-web-b").Press("ctrl+c").Expect("the roll ends with it").Press("ctrl+c").Sent(record.Command{Kind: record.CmdAbort, Reason: "ctrl-c in the dashboard"})
}

// Leaving says that the roll is held, and pauses the run.
func TestLeavingARoll(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Rolling())
	ui.Expect("ng-web-b").Press("q").Expect("The roll is held: ng-web-b and ng-web-c are not started", "drainboard upgrade --all resumes it")
	ui.Press("p").Sent(record.Command{Kind: record.CmdPause, Reason: "left the dashboard"})
	ui.Leaves(Left)
}

// Groups that go side by side are shown in turn.
func TestTurnToTheNextGroup(t *testing.T) {
	turned := make(chan bool, 1)
	turns := func(o *Options) { o.Turn = func() { turned <- true } }
	ui := sit(t, 120, 36, uitest.Rolling(), turns)
	ui.Expect("ng-web-b").Press("t").Expect("cannot turn now: no other group is under way")
	s := uitest.Rolling()
	uitest.OfRoll(s, "ng-web-b").State = roll.Running
	ui.Show(s).Expect("● ng-web-b").Press("t")
	select {
	case <-turned:
	case <-time.After(uitest.Patience):
		t.Fatal("t does not turn to the next group")
	}
	ui = sit(t, 120, 36, uitest.Rolling())
	ui.Expect("ng-web-b").Press("?").Expect("delete the blocked pods of the selected node").Gone("parallel roll")
}

// A narrow line names what is under way or went wrong, and counts the others.
func TestRollLine(t *testing.T) {
	for w, want := range map[int][]string{
		119: {"✓ bastions", "✗ ng-batch PodEvictionFailure", "● ng-web 4/12", "○ ng-web-c"},
		80:  {"✗ ng-batch PodEvictionFailure", "● ng-web 4/12", "✓ 2 done", "○ 2 waiting"},
		60:  {"● ng-web 4/12", "✗ 1 failed", "✓ 2 done", "○ 2 waiting"},
	} {
		m := board(uitest.Rolling(), w, 36, themes.None)
		line := ansi.Strip(strings.Split(m.View().Content, "\n")[m.plan().roll.y])
		for _, text := range want {
			if !strings.Contains(line, text) {
				t.Errorf("at %d columns: %q is not in %q", w, text, line)
			}
		}
	}
}
