package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui/uitest"
)

// Enter presses the button that has the focus, and no other.
func TestNotNowIsNotApproved(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Asking())
	ui.Expect("Press a").Press("a").Expect("41 pods will be evicted").Press("right").Press("enter").Gone("41 pods will be evicted").SentNothing()
}

// Keys do nothing while there is no room to read what they would do, nor right after.
func TestKeysOnATooSmallScreen(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Asking())
	ui.Expect("Press a").Press("x").Expect("Abort the upgrade?").Resize(40, 10).Expect("too small").Press("y", "a", "enter").SentNothing()
	ui.Resize(120, 36).Expect("Abort the upgrade?").Press("y").Expect("key ignored").SentNothing()
	ui.Later(2 * GraceMost).Press("y").Sent(record.Command{Kind: record.CmdAbort})
}

// A run whose news have ended takes no commands, in a dialog that was open either.
func TestNothingIsAskedOfARunThatSendsNoNews(t *testing.T) {
	for _, key := range []string{"x", "s", "q"} {
		ui := sit(t, 120, 36, uitest.Busy())
		ui.Expect("quit").Press("down", "down", key).Expect("[n ")
		close(ui.Snapshots)
		ui.Expect("sends no more updates").Gone("[n ").Press("y").SentNothing()
		ui.Press("ctrl+c").SentNothing().Leaves(Left)
	}
}

// What leaving means is asked again when it has become another thing.
func TestTheQuestionOfLeavingFollowsTheRun(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("quit").Press("q").Expect("pause and leave")
	ending := uitest.Busy()
	ending.State, ending.Why = record.Ending, "a node failed"
	ui.Show(ending).Expect("the run is ending now: ask again to leave").Gone("pause and leave").Press("p").SentNothing()
	ui.Later(2*GraceMost).Press("q").Expect("restoring what the run changed", "leave now")
}

// An approval that nobody took up can be given again.
func TestAnApprovalThatIsLostIsAskedForAgain(t *testing.T) {
	approve := record.Command{Kind: record.CmdApprove, Batch: 2, Hash: "h2"}
	ui := sit(t, 120, 36, uitest.Asking())
	ui.Expect("Press a").Press("a").Expect("41 pods").Press("enter").Sent(approve).Expect("batch 2 is approved, starting")
	ui.Later(approvalLost).Show(uitest.Asking()).Expect("the approval was not accepted").Press("a").Expect("41 pods").Press("enter").Sent(approve)
}

// A node that has moved on is not what was asked about.
func TestADialogAboutANodeGoesWhenItMovesOn(t *testing.T) {
	moved := func() *snapshot.Snapshot {
		s := uitest.Busy()
		s.Zones[0].Rows[0].Stage = record.Terminating
		return s
	}
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("quit").Press("down", "g", "s").Expect("Skip ip-10-0-1-23?").Show(moved()).Expect("ip-10-0-1-23 has changed its stage; nothing was requested").Press("y").SentNothing()
	ui.Later(2 * GraceMost).Show(uitest.Busy()).Expect("3/17 ▓").Press("f").Expect("to force:").Type("ip-10-0-1-23").Show(moved()).Expect("not possible now: ip-10-0-1-23 is terminating")
	ui.Press("enter").SentNothing()
}

// Forcing a node breaks the budgets of all its pods, not only of those that were
// refused already.
func TestForceOfANodeNamesEveryBudget(t *testing.T) {
	s := uitest.Busy()
	row := s.Zones[0].Rows[0]
	cart := blockers.BudgetView{Ref: "shop/cart", Desired: 4, Healthy: 5, Expected: 5}
	pod := func(name string, ready bool, b ...blockers.BudgetView) *snapshot.PodDetail {
		return &snapshot.PodDetail{Ref: "shop/" + name, UID: name, Ready: ready, Budgets: b}
	}
	s.Node = &snapshot.NodeDetail{ID: row.ID, Pods: []*snapshot.PodDetail{
		pod("cart-1", true, cart), pod("cart-2", true, cart), pod("cart-3", false, cart),
		pod("mail-1", true, blockers.BudgetView{Ref: "shop/mail", Desired: 1, Healthy: 3, Expected: 3}),
	}}
	ui := sit(t, 120, 36, s)
	ui.Expect("quit").Press("down", "g", "f").Expect("violates PDB shop/cart: it requires 4 healthy pods, has 5, will have 3").Gone("shop/mail")
}

// What is typed stays in sight however much is broken.
func TestForceOfManyPromisesShowsWhatIsTyped(t *testing.T) {
	s := uitest.Busy()
	for i := range 14 {
		b := *s.Blockers[0]
		b.UID, b.Pod = fmt.Sprint(i), fmt.Sprintf("shop/pod-%d", i)
		b.Budgets = []blockers.BudgetView{{Ref: fmt.Sprintf("shop/budget-%d", i), Healthy: 3, Desired: 3, Expected: 3}}
		s.Blockers = append(s.Blockers, &b)
	}
	ui := sit(t, 80, 24, s)
	ui.Expect("quit").Press("down", "g", "f").Expect("Type ip-10-0-1-23 to force:", "shop/budget-0").Gone("shop/budget-13")
	ui.Press("pgdown", "pgdown", "pgdown").Expect("shop/budget-13", "Type ip-10-0-1-23 to force:").Type("wrong").Press("enter").Expect("that is not the name").SentNothing()
}

// While only the cloud cannot be seen, drains continue, and the screen does not deny it.
func TestStaleBySource(t *testing.T) {
	s := uitest.Busy()
	s.Sources[1] = snapshot.SourceView{Name: world.Cloud, Fresh: uitest.Moment.Add(-time.Minute), Stale: true, Problem: "expired"}
	sit(t, 120, 36, s).Expect("cloud data 60 s old", "Drains continue; AWS calls wait").Gone("No changes")
}

// A watcher has no key to force with.
func TestAWatcherIsNotToldToForce(t *testing.T) {
	ui := sit(t, 200, 36, uitest.Busy(), readOnly)
	ui.Expect("or force where the run is driven").Gone("with f").Press("tab", "down", "enter").Expect("way out").Gone("with f")
}

// The nodes of the batch that waits are marked where they stand.
func TestTheWaitingBatchIsMarked(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Asking())
	ui.until(func(s string) string {
		for _, name := range []string{"ip-10-0-1-23 ", "ip-10-0-2-9 "} {
			if _, after, _ := strings.Cut(s, "│ "+name); !strings.Contains(strings.SplitN(after, "\n", 2)[0], " ◆ ") {
				return "does not mark " + name
			}
		}
		return ""
	})
}
