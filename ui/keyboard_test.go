package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui/term"
	"github.com/drainboard/drainboard/ui/uitest"
)

func readOnly(o *Options) { o.ReadOnly = true }

func TestApproveABatch(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Asking())
	ui.Expect("Batch 2 waits for approval (2:14). Press a: 3 nodes, 41 pods to move", "a approve batch 2 (3 nodes)")
	ui.Press("a").Expect("Approve batch 2: 3 nodes", "41 pods will be evicted", "ip-10-0-1-23, ip-10-0-2-9, ip-10-0-2-31", "PDB shop/checkout never allows", "allows 2 disruptions", "not evaluated: admission webhooks, and room for the pods", "As of 21:07:12")
	ui.SentNothing().Press("enter").Sent(record.Command{Kind: record.CmdApprove, Batch: 2, Hash: "h2"})
	ui.Expect("batch 2 is approved, starting")
	ui.Press("a").Expect("cannot approve now: batch 2 is approved already").SentNothing()
	ui.Show(uitest.Busy()).Gone("is approved, starting").Later(term.NoticeTime).Gone("cannot approve")
}

// Of a large batch the zones come first, and the names last.
func TestApproveALargeBatch(t *testing.T) {
	s := uitest.Asking()
	batch := *s.Batch
	batch.Nodes = nil
	for _, z := range s.Zones {
		for _, r := range z.Rows {
			if r.Name != "" {
				batch.Nodes = append(batch.Nodes, r.Name)
			}
		}
	}
	s.Batch = &batch
	ui := sit(t, 120, 50, s)
	ui.Expect("a approve").Press("a").Expect("eu-west-1a, ", " in eu-west-1b, ", "41 pods will be evicted", "As of 21:07:12", "ip-10-0-1-23, ")
	if screen := ui.Screen(); strings.Index(screen, " in eu-west-1b, ") > strings.Index(screen, "41 pods will be") || strings.Index(screen, "ip-10-0-1-23, ") < strings.Index(screen, "As of 21:07:12") {
		t.Errorf("the names come first:\n%s", screen)
	}
}

// A batch of a run that will fail is not approved by enter alone.
func TestApproveWhatWillFail(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Foreseen())
	ui.Press("a").Expect("not evaluated: admission webhooks; the forecast includes room on other nodes").Press("esc").Resize(80, 24)
	ui.Press("a").Expect("Approve batch 2: 3 nodes", "will fail in 4:23: PDB shop/checkout never opens, 5 of 12", "[y approve]")
	ui.Press("enter").SentNothing().Gone("Approve batch 2: 3 nodes")
	ui.Press("a").Press("y").Sent(record.Command{Kind: record.CmdApprove, Batch: 2, Hash: "h2"})
}

func TestApproveTheCanary(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Canary())
	ui.Expect("The canary waits for approval (2:14). Press a: 1 node, 14 pods to move", "a approve the canary (1 node)", "until 00:07")
	ui.Press("a").Expect("Approve the canary: 1 node", "one node first, then observed for 2m0s before approval of the others", "blocks these pods now")
	ui.Press("enter").Sent(record.Command{Kind: record.CmdApprove, Batch: 1, Hash: "h2"}).Expect("the canary is approved, starting")
	ui.Show(uitest.Watching()).Expect("watching the canary", "the other nodes follow in 1:32")
	sick := uitest.Watching()
	sick.CanaryTrouble = "app/web-7 crash-loops on ip-10-0-3-150, and web nowhere else"
	ui.Show(sick).Expect("canary unhealthy: app/web-7 crash-loops", "pauses in 1:32")
}

// A canary's trouble is accepted by who has typed the group's name, not by one key.
func TestAcceptACanarysTrouble(t *testing.T) {
	s := uitest.Sick()
	trouble := s.CanaryTrouble
	ui := sit(t, 120, 36, s)
	ui.Expect("p accept", "paused, p accepts, x aborts: canary unhealthy").Press("p").Expect("Accept an unhealthy canary", "crash-loops on", "Type "+s.Group+" to accept").SentNothing()
	ui.Press("p", "enter").Expect("that is not the name; nothing was accepted").SentNothing()
	ui.Press("esc").Gone("Accept an unhealthy canary").Press("p").Expect("Accept an unhealthy canary").Type(s.Group).Press("tab").Type("known since Monday").Press("enter", "enter").
		Sent(record.Command{Kind: record.CmdAccept, Trouble: trouble, Reason: "known since Monday"}).Expect("acceptance requested")
	ui.Show(uitest.Accepted()).Expect("canary unhealthy, accepted by ana@laptop").Press("a").Expect("Approve batch 2: 3 nodes", "accepted by ana@laptop: shop/checkout")
}

// Trouble that is over, or another one, is not accepted by what was typed before.
func TestAcceptWhatHasChanged(t *testing.T) {
	s := uitest.Sick()
	ui := sit(t, 120, 36, s)
	other := uitest.Sick()
	other.CanaryTrouble = "group has 2 of 3 instances"
	ui.Press("p").Show(other).Expect("group has 2 of 3 instances")
	ui.Show(uitest.Stale()).Expect("no longer holds the run; nothing was accepted").Gone("Accept an unhealthy canary").SentNothing()
}

func TestApproveAPhase(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Phase())
	ui.Expect("Phase upgrade waits for approval (0:20). Press a", "a approve phase upgrade")
	ui.Press("a").Expect("Approve the phase upgrade", "drains and terminates up to 2 nodes at once", "41 pods will be evicted")
	ui.Press("enter").Sent(record.Command{Kind: record.CmdApprove, Batch: 2, Hash: "h9"})
	down := uitest.Phase()
	down.Batch = &snapshot.BatchView{ID: 3, Phase: "scale down", Hash: "h10", Does: "the machines that are too many are ended", AsOf: uitest.Moment}
	ui.Show(down).Expect("Phase scale down waits").Press("a").Expect("Approve the phase scale down", "the machines that are too many are ended").Gone("will be evicted", "webhooks")
}

// What was not judged must not look as if all were well.
func TestApproveOfWhatCannotBeJudgedPromisesNothing(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Blind())
	ui.Expect("Press a").Press("a").Expect("blockers not evaluated: data on pods and PDBs is 34s old").Gone("hold none")
}

// Nobody decides on what was true a while ago: neither from the board, nor in a
// dialog that was open when the connection was lost.
func TestNothingIsApprovedOnStaleData(t *testing.T) {
	lost := func() *snapshot.Snapshot {
		s := uitest.Asking()
		s.Sources[0].Stale, s.Sources[0].Fresh = true, uitest.Moment.Add(-40*time.Second)
		return s
	}
	ui := sit(t, 120, 36, lost())
	ui.Expect("cluster data 40 s old", "waits for approval", "(a approve", "not now: the data of the cluster is 40 s old")
	ui.Press("a").Expect("cannot approve now: the data of the cluster is 40 s old")
	ui.Show(uitest.Asking()).Expect("Press a").Press("a").Expect("41 pods will be evicted").Show(lost()).Expect("blockers not evaluated: the data of the cluster is 40 s old")
	ui.Press("enter").Expect("nothing was approved: the data of the cluster is 40 s old").SentNothing()
	ui.Show(uitest.Asking()).Expect("Press a").Press("a").Expect("41 pods").Press("enter").Sent(record.Command{Kind: record.CmdApprove, Batch: 2, Hash: "h2"})
}

func TestSkipAndReturn(t *testing.T) {
	ui := sit(t, 300, 36, uitest.Watching())
	ui.Expect("(s skip)").Press("r").Expect("cannot return now: select a skipped or failed node first")
	ui.Press("down", "g", "r").Expect("Return to ip-10-0-1-23?", "to the end of the order", "3 pods not gone after 15m0s")
	ui.Press("enter").Gone("Return to").SentNothing() // the careless answer is no
	ui.Press("r", "y").Sent(record.Command{Kind: record.CmdReturn, Node: uitest.Host(1, 23)}).Expect("return to ip-10-0-1-23 requested")
	ui.Press("down", "r").Expect("cannot return now: ip-10-0-1-24 is outdated")
	ui.Press("s", "y").Sent(record.Command{Kind: record.CmdSkip, Node: uitest.Host(1, 24)})
	ui.Press("right", "down", "r", "y").Sent(record.Command{Kind: record.CmdReturn, Node: uitest.Host(2, 44)})
	none := uitest.Watching()
	none.Abilities[5].Why = "The last phase has begun: start another run for what was left"
	none.CanaryTrouble = "x"
	ui.Show(none).Expect("canary unhealthy").Press("r").Expect("cannot return now: the last phase has begun")
}

// In a demo another user can scale a workload.
func TestScaleInADemo(t *testing.T) {
	asked := make(chan *blockers.Blocker, 1)
	ui := sit(t, 120, 36, uitest.Busy(), func(o *Options) {
		o.Scale = func(b *blockers.Blocker) string { asked <- b; return "another user scales " + b.Owner + " to 4" }
	})
	ui.Expect("w scale").Press("w").Expect("another user scales checkout to 4").SentNothing()
	if b := <-asked; b.Owner != "checkout" {
		t.Errorf("asked about %s", b.Pod)
	}
	held := uitest.Busy()
	held.Blockers[0].Kind, held.Cluster = blockers.BlockedByFinalizer, "prod-eu-2"
	ui.Show(held).Expect("prod-eu-2").Press("tab", "down", "w").Expect("cannot scale now: scaling does not help shop/checkout-7d9f-x2")
	ui.Show(uitest.Asking()).Expect("Batch 2 waits for approval").Press("w").Expect("cannot scale now: no PDB blocks a pod")
}

// A real cluster has nobody to ask: the key is not there.
func TestNoScaleElsewhere(t *testing.T) {
	ui := sit(t, 200, 48, uitest.Busy())
	ui.Expect("f force").Gone("w scale").Press("w", "?").Expect("this list of actions").Gone("demo only")
}

func TestApproveNotNow(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Asking())
	ui.Expect("Press a").Press("a").Expect("41 pods will be evicted")
	ui.Press("n").Gone("41 pods will be evicted").SentNothing()
	ui.Press("a").Expect("41 pods will be evicted").Press("esc").Gone("41 pods will be evicted").SentNothing()
}

// A key on its way must not approve what the dialog shows only since an instant.
func TestABatchThatChangesIsNotApprovedByAccident(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Asking())
	ui.Expect("Press a").Press("a").Expect("41 pods will be evicted")
	other := uitest.Asking()
	other.Batch.Hash, other.Batch.Evict = "h3", 57
	ui.Show(other).Expect("57 pods will be evicted")
	ui.Press("enter").Expect("key ignored: the screen had just changed").SentNothing()
	ui.Later(GraceQuiet).Press("enter").Sent(record.Command{Kind: record.CmdApprove, Batch: 2, Hash: "h3"}).SentNothing()
}

func TestABatchThatIsGoneTakesItsDialogAlong(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Asking())
	ui.Expect("Press a").Press("a").Expect("41 pods will be evicted")
	ui.Show(uitest.Busy()).Expect("batch 2 no longer waits").Gone("41 pods will be evicted").SentNothing()
}

func TestForceWantsTheName(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("ip-10-0-1-23")
	ui.Press("f").Expect("Force ip-10-0-1-23", "violates PDB shop/checkout: it requires 3 healthy pods, has 3, will have 2", "Type ip-10-0-1-23 to force:")
	ui.Press("enter").Expect("that is not the name").SentNothing()
	ui.Type("ip-10-0-1-24").Press("enter").Expect("to force: ip-10-0-1-24", "that is not the name").SentNothing()
	ui.Press("ctrl+u").Gone("that is not the name")
	ui.Type("ip-10-0-1-23").Expect("to force: ip-10-0-1-23").Press("enter")
	ui.Sent(record.Command{Kind: record.CmdForce, Node: uitest.Host(1, 23)}).Expect("force of ip-10-0-1-23 requested")
}

// Why something is forced may be said, and is sent along: but only the name forces.
func TestForceSaysWhy(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("ip-10-0-1-23").Press("f").Expect("Reason (optional): tab to enter it").Press("tab").Type("ip-10-0-1-23").Expect("(optional): ip-10-0-1-23", "tab name")
	ui.Press("enter").Expect("enter force").SentNothing().Press("enter").Expect("that is not the name").SentNothing()
	ui.Press("tab", "ctrl+u").Type("its disk is full").Press("tab").Type("ip-10-0-1-23").Expect("to force: ip-10-0-1-23", "(optional): its disk is full").Press("enter")
	ui.Sent(record.Command{Kind: record.CmdForce, Node: uitest.Host(1, 23), Reason: "its disk is full"})
}

func TestForceOnePod(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("blocked: 1 PDB, 1 pod").Press("tab", "down", "f").Expect("Force checkout-7d9f-x2", "Deletes shop/checkout-7d9f-x2 on ip-10-0-1-23")
	ui.Type("shop/checkout-7d9f-x2").Press("enter").Sent(record.Command{Kind: record.CmdForce, Node: uitest.Host(1, 23), UID: "u-1"})
}

func TestForceGoesOffWhenTheDataGetsStale(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("ip-10-0-1-23").Press("f").Expect("Force ip-10-0-1-23").Type("ip-10-0-1-23")
	old := uitest.Busy()
	old.Sources[0].Stale, old.Sources[0].Fresh = true, uitest.Moment.Add(-20*time.Second)
	ui.Show(old).Expect("not possible now: the data of the cluster is 20 s old")
	ui.Press("enter").Expect("not possible now").SentNothing()
	ui.Press("esc").Gone("Force ip-10").Press("f").Expect("cannot force now: the data of the cluster is 20 s old")
}

func TestForceOnlyWhereADrainIs(t *testing.T) {
	ui := sit(t, 300, 36, uitest.Busy())
	ui.Expect("ip-10-0-1-23").Press("down", "down").Expect("›ip-10-0-1-24").Press("f").Expect("cannot force now: ip-10-0-1-24 is outdated").SentNothing()
}

func TestPauseAndResume(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("p pause").Press("p").Sent(record.Command{Kind: record.CmdPause}).Expect("pause requested")
	paused := uitest.Busy()
	paused.State, paused.Why = record.Paused, "requested by ana@laptop"
	paused.Abilities = []snapshot.AbilityNow{{Kind: record.CmdResume}}
	ui.Show(paused).Expect("‖ paused: requested by ana@laptop. p resumes", "fails in 11:42, stopped")
	ui.Later(30 * time.Second).Press("p").Sent(record.Command{Kind: record.CmdResume}).Expect("11:42")
}

func TestAbortAsksAndGoesOnByDefault(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("x abort").Press("x").Expect("Abort the upgrade?", "1 settling node returns to service", "›[n continue]")
	ui.Press("enter").Gone("Abort the upgrade?").SentNothing()
	ui.Press("x").Expect("Abort the upgrade?").Press("y").Sent(record.Command{Kind: record.CmdAbort})
	ui.Press("x").Expect("Abort the upgrade?").Press("tab", "enter").Sent(record.Command{Kind: record.CmdAbort})
}

// Where an abort may leave nodes of the surge behind, it can have them retired.
func TestAbortRetires(t *testing.T) {
	sit(t, 120, 36, uitest.Busy()).Expect("draining").Press("x").Expect("Abort the upgrade?").Gone("retire")
	larger := uitest.Busy()
	larger.AbortSurge = 6
	sit(t, 120, 36, larger).Expect("draining").Press("x").Expect("r abort, retire 6 new").Press("r").Sent(record.Command{Kind: record.CmdAbort, Retire: true})
}

func TestSkipAsks(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("(s skip)").Press("s").Expect("cannot skip now: select a node first")
	ui.Press("down").Expect("›ip-10-0-1-23", "s skip").Press("s").Expect("Skip ip-10-0-1-23?").Press("y").Sent(record.Command{Kind: record.CmdSkip, Node: uitest.Host(1, 23)})
}

// A phase that was over before it was followed is not one that is to come.
func TestAPhaseThatWasMissed(t *testing.T) {
	s := uitest.Busy()
	s.Phases[0].Start, s.Phases[0].End, s.Phases[0].Missed = time.Time{}, time.Time{}, true
	sit(t, 120, 36, s).Expect("– setup", "○ scale down")
}

func TestAMachineWithoutANodeIsNamedByItsID(t *testing.T) {
	s := uitest.Watching()
	for i, stage := range []record.Stage{record.Outdated, record.Skipped} {
		r := *s.Zones[0].Rows[i]
		r.ID, r.Name, r.Stage, r.Wait, r.Blocked = []string{"i-0aa", "i-0bb"}[i], "", stage, nil, false
		s.Zones[0].Rows[i] = &r
	}
	ui := sit(t, 120, 36, s)
	ui.Expect("i-0bb").Press("down", "g").Expect("›i-0aa").Press("s").Expect("Skip i-0aa?")
	ui.Press("y").Sent(record.Command{Kind: record.CmdSkip, Node: "i-0aa"}).Expect("skip of i-0aa requested")
	ui.Press("down").Expect("›i-0bb").Press("r").Expect("Return to i-0bb?")
	ui.Press("y").Sent(record.Command{Kind: record.CmdReturn, Node: "i-0bb"}).Expect("return to i-0bb requested")
}

func TestAGreyedKeySaysWhy(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("(a approve)").Press("a").Expect("cannot approve now: nothing waits for approval").SentNothing()
	ui.Press("down").Gone("cannot approve")
}

func TestCtrlCAbortsThenLeaves(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("ip-10-0-1-23").Press("ctrl+c").Expect("Abort the upgrade?").SentNothing()
	ui.Press("ctrl+c").Sent(record.Command{Kind: record.CmdAbort, Reason: "ctrl-c in the dashboard"})
	ui.Expect("ctrl-c again stops at once").Gone("Abort the upgrade?").Press("ctrl+c").Leaves(Interrupted)
}

// It closes a dialog, and what is typed in a search.
func TestCtrlCCloses(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Asking())
	ui.Press("a").Expect("Approve batch 2").Press("ctrl+c").Gone("Approve batch 2").SentNothing()
	ui.Press("/", "b").Press("ctrl+c").Press("x").Expect("Abort the upgrade?").Press("esc").Gone("Abort the upgrade?").SentNothing()
}

// Where no dialog has room it aborts at once.
func TestCtrlCInASmallTerminal(t *testing.T) {
	ui := sit(t, 30, 8, uitest.Busy())
	ui.Expect("too small").Press("ctrl+c").Sent(record.Command{Kind: record.CmdAbort, Reason: "ctrl-c in the dashboard"}).Press("ctrl+c").Leaves(Interrupted)
}

func TestQuitAsksTheDriver(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("q quit").Press("q").Expect("This process drives the run", "›[n stay]").Press("enter").Gone("This process").SentNothing()
	ui.Press("q").Expect("This process drives").Press("p").Sent(record.Command{Kind: record.CmdPause, Reason: "left the dashboard"}).Leaves(Left)
}

func TestADemoLeavesFreely(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy(), func(o *Options) { o.KeepsNothing = true })
	ui.Expect("q quit").Press("q").SentNothing().Leaves(Left)
	ui = sit(t, 120, 36, uitest.Busy(), func(o *Options) { o.KeepsNothing = true })
	ui.Expect("q quit").Press("ctrl+c").SentNothing().Leaves(Left)
}

func TestAWatcherLeavesAndCommandsNothing(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Asking(), readOnly)
	ui.Expect("READ-ONLY").Press("a").Expect("cannot approve now: this dashboard only watches")
	ui.Press("p").Expect("cannot pause now").Press("x").Expect("cannot abort now").SentNothing()
	ui.Press("q").Leaves(Left)
}

func TestTheEnd(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("q quit").Show(uitest.Failed()).Expect("ng-web: failed", "4: pods could not be evicted in time (PodEvictionFailure)", "shop/checkout-7d9f-x2", "--max-size 12",
		"ip-10-0-1-23: 3 pods not gone after 15m0s", "ip-10-0-2-31, ip-10-0-2-44: requested by ana@laptop", "to roll the new nodes back: drainboard upgrade ng-web", "--launch-template-version 7")
	ui.Press("q").Expect("key ignored").Later(GraceQuiet).Press("esc").Gone("exit code").Expect("enter result").Press("enter").Expect("exit code")
	ui.Press("q").Leaves(Finished)
}

func TestHelp(t *testing.T) {
	ui := sit(t, 120, 54, uitest.Busy())
	ui.Expect("? help").Press("?").Expect("approve the waiting batch or phase", "not now: nothing waits for approval", "again: confirm, stop at once").Press("esc").Gone("stop at once")
}

func TestWorkloads(t *testing.T) {
	ui := sit(t, 120, 44, uitest.Moved())
	ui.Expect("1 workload crash-loops", "3 in trouble", "nightly-reconciliation-worker").Press("W")
	ui.Expect("21 pods of 5 workloads moved", "crash-looping, 1 Ready, for 4:00", "crash-loops on ip-10-0-1-88", "nodes are available: 24", "Deployment shop/web: 11 moved, 11 Ready")
	ui.Show(uitest.Busy()).Expect("the run has moved no pod yet").Press("esc").Gone("moved no pod")
}

func TestDetails(t *testing.T) {
	ui := sit(t, 120, 44, uitest.Busy())
	ui.Expect("ip-10-0-1-23").Press("down", "enter").Expect(uitest.Host(1, 23), "3 of 17 remain to be moved", "minAvailable 3", "what happened")
	ui.Press("esc").Gone("what happened").Press("tab", "down", "enter").Expect("checkout", "14 refused")
}

func TestResize(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("ip-10-0-1-23", "ip-10-0-3-77", "blocked: 1 PDB")
	ui.Resize(60, 30).Expect("›nodes 2 draining", "⚑ blocked 1").Gone("allows 0")
	ui.Press("tab").Expect("allows 0", "scale checkout to 4").Press("tab").Expect("evicted")
	ui.Resize(30, 8).Expect("too small: needs at least", "44x14")
	ui.Resize(300, 36).Expect("eu-west-1a  1/4", "blocked: 1 PDB", "q quit")
}

// The cursor is a machine: rows that come and go do not move it to another.
func TestTheCursorStaysWithItsNode(t *testing.T) {
	ui := sit(t, 300, 36, uitest.Busy())
	ui.Expect("ip-10-0-1-23").Press("down", "down", "down").Expect("›ip-10-0-1-112")
	less := uitest.Busy()
	less.Zones[0].Rows = less.Zones[0].Rows[2:]
	ui.Show(less).Gone("ip-10-0-1-24").Expect("›ip-10-0-1-112")
	less = uitest.Busy()
	less.Zones[0].Rows = less.Zones[0].Rows[3:]
	ui.Show(less).Gone("›")
	ui.Press("down").Expect("›ip-10-0-2-9").Press("left").Expect("›ip-10-0-1-201")
}

func TestDisconnectAndReconnect(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	away := uitest.Busy()
	away.Sources[0] = snapshot.SourceView{Name: world.Cluster, Fresh: uitest.Moment.Add(-14 * time.Second), Stale: true, Problem: "connection refused", Retry: uitest.Moment.Add(3 * time.Second)}
	ui.Show(away).Expect("cluster data 14 s old, retry in 3 s: connection refused", "stopped")
	ui.Show(uitest.Busy()).Expect("drain deadline").Gone("connection refused")
}

func TestCommandsInTheLog(t *testing.T) {
	ui := sit(t, 120, 50, uitest.Busy())
	ui.Expect("quit").Gone("$ kubectl").Press("c").Expect("$ kubectl drain ip-10-0-1-23.eu-west-1.compute.internal").Press("c").Gone("$ kubectl")
}

func TestBeforeTheFirstSnapshot(t *testing.T) {
	ui := sit(t, 80, 24, nil)
	ui.Expect("reading the cluster").Press("a", "x", "down", "tab", "enter").SentNothing()
	ui.Show(uitest.Busy()).Expect("ip-10-0-1-23")
}

// On a blocker everything that helps is at hand: its command, more time for its node, the skip of
// it; in the panel and in its details.
func TestActOnABlocker(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("draining").Press("tab", "down", "e").Expect("Extend the drain of ip-10-0-1-23?", "another drain timeout").Press("y")
	ui.Sent(record.Command{Kind: record.CmdExtend, Node: uitest.Host(1, 23)}).Expect("extension of ip-10-0-1-23 requested")
	ui.Press("s").Expect("Skip ip-10-0-1-23?").Press("esc").Gone("Skip ip-10-0-1-23?")
	ui.Press("d").Expect("way out", "f force", "y copy", "e extend", "s skip").Press("e").Expect("Extend the drain of").Press("y")
	ui.Sent(record.Command{Kind: record.CmdExtend, Node: uitest.Host(1, 23)})
	ui.Press("esc").Gone("way out", "Extend the drain").SentNothing()
}

// max-unavailable changes within the bounds that the engine says, by a number, and not to what it is.
func TestChangePace(t *testing.T) {
	ui := sit(t, 120, 36, uitest.Busy())
	ui.Expect("draining").Press("u").Expect("Change max-unavailable", "2: at most 2 nodes out of service at once", "from 1 to 6: the run launched 6 nodes more").Press("enter").SentNothing()
	ui.Press("up").Expect("set to 3").Press("pgup").Expect("set to 6").Press("up", "enter").Sent(record.Command{Kind: record.CmdMaxUnavailable, Nodes: 6}).Expect("max-unavailable 6 requested")
	ui.Press("u", "down", "down").Expect("set to 1").Press("esc").Gone("Change max-unavailable").SentNothing()
	fixed := uitest.Busy()
	for i, a := range fixed.Abilities {
		if a.Kind == record.CmdMaxUnavailable {
			fixed.Abilities[i].Why = "EKS fixes it when an update starts"
		}
	}
	sit(t, 120, 36, fixed).Expect("draining").Press("u").Expect("cannot change max-unavailable now: EKS fixes it").SentNothing()
}

// What cannot be done for a blocked pod's node says why.
func TestActOnABlockerThatWaits(t *testing.T) {
	s := uitest.Busy()
	for i, a := range s.Abilities {
		if a.Kind == record.CmdExtend {
			s.Abilities[i].Why = text.DrainsWithoutDeadline
		}
	}
	ui := sit(t, 120, 36, s)
	ui.Expect("draining").Press("tab", "down", "enter").Expect("way out", "(e extend)").Press("e").Expect("cannot extend now: drains have no deadline").SentNothing()
}
