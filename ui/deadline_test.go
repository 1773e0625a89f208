package ui

import (
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/uitest"
)

// Beside the time that a node still has stands what happens to it then.
func TestADeadlineSaysWhatHappensThen(t *testing.T) {
	for policy, want := range map[record.TimeoutPolicy]string{
		record.TimeoutFail: "fails in 11:42", record.TimeoutSkip: "is skipped in 11:42", record.TimeoutForce: "is forced in 11:42",
	} {
		t.Run(string(policy), func(t *testing.T) {
			s := uitest.Busy()
			s.Blockers[0].AtDeadline = policy
			sit(t, 120, 36, s).Expect(want).Press("tab", "down", "enter").Expect("way out", want)
		})
	}
}

// In an update by EKS the deadline is an estimate, and what happens then depends on how it was started.
func TestADeadlineOfEKS(t *testing.T) {
	for what, want := range map[string]string{systems.EKSWindowEnds: "with --force deleted in about 11:42", systems.EKSGivesUp: "the update fails in about 11:42"} {
		s := uitest.Busy()
		wait := *s.Blockers[0].Deadline
		wait.For, wait.Guess = what, true
		s.Blockers[0].Deadline = &wait
		sit(t, 120, 36, s).Expect(want).Press("tab", "down", "enter").Expect("way out", want)
	}
}

// How often a budget may still refuse a pod stands on the board, in the node's details and in
// those of the blocker.
func TestScreensOfCountedRefusals(t *testing.T) {
	for _, c := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"board_60x30", 60, 30, []string{"tab"}}, {"board_120x36", 120, 36, nil}, {"board_200x50", 200, 50, nil},
		{"node_120x44", 120, 44, []string{"down", "enter"}}, {"blocker_120x36", 120, 36, []string{"tab", "down", "enter"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := board(uitest.Counted(), c.w, c.h, themes.None)
			m.settle()
			press(m, c.keys...)
			frame := m.View().Content
			uitest.CheckFrame(t, frame, c.w, c.h)
			golden.RequireEqual(t, ansi.Strip(frame)+"\n")
		})
	}
}

// The last refusal is followed by the force, a paused run by neither.
func TestNoRefusalIsLeft(t *testing.T) {
	s := uitest.Counted()
	s.Blockers[0].Refusals, s.Blockers[0].Deadline.End = 0, uitest.Moment.Add(20*time.Second)
	ui := sit(t, 120, 36, s).Expect("the pod is forced in about 0:20")
	held := uitest.Counted()
	held.State = record.Paused
	ui.Show(held).Expect("forced after 6 more refusals, in about 2:15, stopped")
	one := uitest.Counted()
	one.Blockers[0].Refusals = 1
	ui.Show(one).Expect("forced after 1 more refusal, in about 2:15")
}
