package lines

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/podlog"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/uitest"
)

// The plain mode names each thing once while it lasts, and how long it may take.
func TestPlainTellsAValidation(t *testing.T) {
	p := attend(t, uitest.Validating()).
		Hears("not valid yet: group nodes-eu-west-1: has 11 of 12 machines", "not valid yet: node ip-10-0-3-80 of nodes-eu-west-1: is not Ready").
		Hears("ignored: machine i-0b19ac0ffee00d001", "fails in 12:41, passed 0 of 2 looks, next validation in 0:23")
	p.Show(uitest.Validating()).Later(5 * time.Second).Show(uitest.Valid()).Show(uitest.Validating()).Hears("not valid yet: group")
	p.Mu.Lock()
	defer p.Mu.Unlock()
	if n := strings.Count(p.text, "has 11 of 12 machines"); n != 2 {
		t.Errorf("told %d times, want once in each of two validations:\n%s", n, p.text)
	}
	if n := strings.Count(p.text, "ignored: machine"); n != 1 {
		t.Errorf("what is ignored is told %d times:\n%s", n, p.text)
	}
}

func TestPlainApprove(t *testing.T) {
	attend(t, uitest.Asking()).
		Hears("21:07:12 drainboard: prod-eu-1 / ng-web, 1.31.4 to 1.32.1", "4 of 12 nodes", "An empty line, or ?, lists the possible actions").
		Hears("Approve batch 2: 3 nodes?", "nodes: ip-10-0-1-23, ip-10-0-2-9, ip-10-0-2-31", "41 pods will be evicted, 12 stay", "foreseen: ip-10-0-1-23: shop/checkout-7d9f-x2: PDB shop/checkout never allows a disruption", "As of 21:07:12").
		Hears("\n1 or a: approve batch 2 (3 nodes)\n2: show its drains and blockers, as of now\n3 or p: pause\n4 or x: abort\n5 or q: leave\nType a number from 1 to 5.").
		SentNothing().
		Type("2").Hears("Approve batch 2: 3 nodes?", "41 pods will be evicted", "As of 21:07:12, 2 s ago", "Type a number from 1 to 5.").
		Type("6").Hears(`"6" is not one of the answers. Type a number from 1 to 5.`).
		Type("yes").Hears(`"yes" is no possible action. An empty line lists them.`).
		SentNothing().
		Type("1").Sent(record.Command{Kind: record.CmdApprove, Batch: 2, Hash: "h2"}).Hears("batch 2 approved").
		Type("1").Hears(`There is no question, so "1" chooses nothing.`).
		SentNothing()
}

// A phase and a canary are asked for like a batch.
func TestPlainApproveOthers(t *testing.T) {
	attend(t, uitest.Phase()).Hears("Approve the phase upgrade?", "phase: drains and terminates", "1 or a: approve phase upgrade").
		Type("a").Sent(record.Command{Kind: record.CmdApprove, Batch: 2, Hash: "h9"})
	attend(t, uitest.Canary()).Hears("canary: one node first, then observed for 2m0s", "1 or a: approve the canary (1 node)").
		Type("approve").Hears("1 or y: approve", "2 or n: not now").Type("2").
		Hears("Approve the canary: 1 node?", "1 or a: approve the canary (1 node)").SentNothing()
}

// What was typed before a question could be read does not answer it.
func TestPlainStaleLine(t *testing.T) {
	p := attend(t, uitest.Busy()).Hears("An empty line")
	p.Show(uitest.Asking()).Hears("Type a number from 1 to 5.").
		Blurt("1").Hears(`Ignored "1": it was typed before the question appeared.`).
		Blurt("p").Hears(`Ignored "p"`).
		SentNothing()
	changed := uitest.Asking()
	changed.Batch.ID, changed.Batch.Hash, changed.Batch.Nodes = 3, "h3", changed.Batch.Nodes[:2]
	p.Later(5*time.Second).Show(changed).Hears("Approve batch 3: 2 nodes?", "Type a number").
		Blurt("1").Hears(`Ignored "1"`).SentNothing().
		Type("1").Sent(record.Command{Kind: record.CmdApprove, Batch: 3, Hash: "h3"})

	// The same for a question that was asked for: two lines that come as one.
	attend(t, uitest.Busy()).Hears("An empty line").Blurt("x\n2").Hears("Abort the upgrade?", `Ignored "2"`).SentNothing()
}

// A question that is of no more use is taken back.
func TestPlainQuestionTakenBack(t *testing.T) {
	attend(t, uitest.Asking()).Hears("Type a number from 1 to 5.").Show(uitest.Busy()).
		Type("1").Hears(`There is no question, so "1" chooses nothing.`).SentNothing()
	gone := uitest.Busy()
	gone.Blockers = gone.Blockers[1:]
	attend(t, uitest.Busy()).Hears("An empty line").Type("f").Hears("Force: which?", "1: pod shop/checkout-7d9f-x2 on ip-10-0-1-23, blocked: budget").
		Type("1").Hears("Force checkout-7d9f-x2", "Type checkout-7d9f-x2 to force it").
		Show(gone).Hears("checkout-7d9f-x2 no longer blocks; nothing was forced").
		Type("checkout-7d9f-x2").Hears("is no possible action").SentNothing()
}

func TestPlainMenu(t *testing.T) {
	attend(t, uitest.Busy()).Hears("An empty line").Type("").
		Hears("Possible actions:", "upgrade: 4 of 12 nodes, 2 draining, 1 settling, 1 terminating", "1 pod blocked: shop/checkout-7d9f-x2 on ip-10-0-1-23, fails in ").
		Hears("Not possible now: approve: nothing waits for approval", "Not possible now: retry a skipped or failed node: no node was skipped or failed").
		Hears("1 or f: force: delete blocked pods", "2 or p: pause", "or s: skip a node", "or x: abort", "describe a node", "or q: leave", "or the letter.").
		Type("2").Sent(record.Command{Kind: record.CmdPause}).Hears("pause requested").
		Type("?").Hears("Possible actions:").
		Type("a").Hears("Cannot approve now: nothing waits for approval.").
		SentNothing().
		Never("pane")
}

func TestPlainForce(t *testing.T) {
	force := record.Command{Kind: record.CmdForce, Node: uitest.Host(1, 23)}
	attend(t, uitest.Busy()).Hears("An empty line").
		Type("f").Hears("Force: which?", "node ip-10-0-1-23, draining, 3 of 17 pods left, blocked", "An empty line cancels.").
		Type("").Hears("Nothing was chosen.").
		Type("force").Hears("Force: which?").
		Type("nowhere").Hears(`None of them matches "nowhere".`).
		Type("1-23").Hears("Force ip-10-0-1-23", "Deletes the remaining pods of ip-10-0-1-23 instead of evicting them, bypassing every PDB.").
		Hears("warning: violates PDB shop/checkout: it requires 3 healthy pods, has 3, will have 2", "Who forced it, when and why is recorded.", "Type ip-10-0-1-23 to force it, then optionally a reason. An empty line cancels.").
		Type("ip-10-0-1-24").Hears("That is not the name; nothing was forced. Type ip-10-0-1-23").
		Type("y").Hears("That is not the name").
		SentNothing().
		Type("ip-10-0-1-23").Sent(force).Hears("force of ip-10-0-1-23 requested").
		Type("f").Hears("Force: which?").Type("1").Hears("Deletes shop/checkout-7d9f-x2 on ip-10-0-1-23 instead").
		Type("").Hears("Nothing was forced.").
		SentNothing().
		Type("f").Hears("Force: which?").Type("1-23").Hears("Type ip-10-0-1-23 to force it").Type("its disk is full").Hears("That is not the name").SentNothing().
		Type("ip-10-0-1-23  its disk is full").Sent(record.Command{Kind: record.CmdForce, Node: uitest.Host(1, 23), Reason: "its disk is full"})
}

func TestPlainAccept(t *testing.T) {
	s := uitest.Sick()
	attend(t, s).Hears("Paused: canary unhealthy", "accept").Type("p").Hears("Accept an unhealthy canary", "crash-loops on", "Type "+s.Group+" to accept it, then optionally a reason").
		Type("y").Hears("That is not the name; nothing was accepted.").SentNothing().
		Type(s.Group + " known").Sent(record.Command{Kind: record.CmdAccept, Trouble: s.CanaryTrouble, Reason: "known"})
}

func TestPlainAbort(t *testing.T) {
	attend(t, uitest.Asking()).Hears("Type a number from 1 to 5.").
		Type("4").Hears("Abort the upgrade?", "- 1 terminating node finishes", "- up to 6 surge nodes without pods to evict are terminated", "1 or n: continue", "2 or y: abort the upgrade").
		Type("").Hears("Abort the upgrade?", "Type a number from 1 to 2.").
		Type("no").Hears(`"no" is not one of the answers.`).
		Type("n").Hears("Approve batch 2: 3 nodes?", "1 or a: approve").SentNothing().
		Type("abort").Hears("Abort the upgrade?").Type("2").
		Sent(record.Command{Kind: record.CmdAbort}).Hears("abort requested")
}

func TestPlainSkipAndReturn(t *testing.T) {
	attend(t, uitest.Watching()).Hears("the canary is replaced: the other nodes follow in 1:32").
		Type("s").Hears("Skip: which?").Never("node ip-10-0-1-23, failed").
		Type("ip-10-0-3-77").Hears("Skip ip-10-0-3-77?", "It stays outdated", "1 or n: cancel", "2 or y: skip it").
		Type("2").Sent(record.Command{Kind: record.CmdSkip, Node: uitest.Host(3, 77)}).
		Type("r").Hears("Return: which?", "1: node ip-10-0-1-23, failed\n2: node ", "skipped\nType a number from 1 to 2").
		Type("1").Hears("Return to ip-10-0-1-23?", "failed: 3 pods not gone after 15m0s", "2 or y: return to it").
		Type("y").Sent(record.Command{Kind: record.CmdReturn, Node: uitest.Host(1, 23)})
}

func TestPlainPace(t *testing.T) {
	attend(t, uitest.Busy()).Hears("An empty line").
		Type("u").Hears("Change max-unavailable", "now: 2: at most 2 nodes", "Type a number of nodes from 1 to 6. An empty line cancels.").
		Type("7").Hears(`"7" is not another number in that range.`).Type("2").Hears(`"2" is not another`).
		Type("").Hears("Nothing was changed.").SentNothing().
		Type("u").Hears("from 1 to 6").Type("3").Sent(record.Command{Kind: record.CmdMaxUnavailable, Nodes: 3}).Hears("max-unavailable 3 requested")
}

func TestPlainDetails(t *testing.T) {
	attend(t, uitest.Busy()).Hears("An empty line").
		Type("show details").Hears("Show details: which?", "1: pod shop/checkout-7d9f-x2", "node ip-10-0-1-23").
		Type("1").Hears("shop/checkout-7d9f-x2\n", "owner: checkout\n", "blocked by: budget\n", "way out: scale checkout to 4").
		Type("show details").Hears("Show details: which?").Type("10-0-1-23").Hears("stage: draining", "pods: 3 of 17 remain to be moved")
}

// The events of the run are told once, each in a line, also those that come late.
func TestPlainEvents(t *testing.T) {
	s := uitest.Busy()
	p := attend(t, s).Hears("\n21:03:54 ip-10-0-1-23 draining: 17 pods to move\n", "\n21:07:12 shop/cart-55c-1 on ip-10-0-2-31 gone after 2s\n").
		Hears("21:07:12 blocked: shop/checkout-7d9f-x2 on ip-10-0-1-23, PDB shop/checkout allows 0: 3 healthy, 3 required. Way out: scale checkout to 4, loosen minAvailable 3, or force with f. Fails in ").
		Never("cart-55c-2, grace")
	more := uitest.Busy()
	late := record.Event{Time: uitest.Moment.Add(-time.Second), Type: record.Warning, Message: "cart was scaled"}
	more.Events = append(more.Events[:len(more.Events)-1:len(more.Events)-1], late, s.Events[len(s.Events)-1],
		record.Event{Time: uitest.Moment.Add(time.Second), Type: record.NodeReady, Node: uitest.Host(2, 77), Message: "joined"})
	p.Show(more).Hears("21:07:11 warning: cart was scaled\n", "21:07:13 ip-10-0-2-77 ready: joined\n")
	if got := strings.Count(p.text, "gone after 2s"); got != 1 {
		t.Errorf("an event was told %d times\n%s", got, p.text)
	}
	p.Type("c").Hears("Each change is now printed").Show(func() *snapshot.Snapshot {
		s := uitest.Busy()
		s.Events = append(s.Events, record.Event{Time: uitest.Moment.Add(2 * time.Second), Type: record.NodeCordoned, Node: uitest.Host(1, 23), Command: "kubectl cordon x"})
		return s
	}()).Hears("ip-10-0-1-23 cordoned (equivalent command: kubectl cordon x)\n")
}

// A blocker is told again when it has become another, and when its deadline is near.
func TestPlainBlockers(t *testing.T) {
	p := attend(t, uitest.Busy()).Hears("blocked: shop/checkout-7d9f-x2")
	same := uitest.Busy()
	same.Blockers[0].Tries = 15
	p.Show(same)
	opens := uitest.Busy()
	opens.Blockers[0].Budgets[0].Allowed, opens.Blockers[0].WayOut = 1, "evicted as soon as its turn comes"
	p.Show(opens).Hears("still blocked: shop/checkout-7d9f-x2", "allows 1", "Way out: evicted as soon")
	p.Later(uitest.Busy().Blockers[0].Deadline.End.Sub(uitest.Moment)-50*time.Second).Hears("still blocked: ", "Fails in 0:50.")
	if got := strings.Count(p.text, "blocked: shop/checkout-7d9f-x2"); got != 3 {
		t.Errorf("the blocker was told %d times\n%s", got, p.text)
	}
}

func TestPlainDisconnectAndReconnect(t *testing.T) {
	p := attend(t, uitest.Busy()).Hears("An empty line")
	lost := uitest.Busy()
	lost.Sources[0] = snapshot.SourceView{Name: world.Cluster, Fresh: uitest.Moment.Add(-34 * time.Second), Stale: true, Problem: "the API answered 401", Retry: uitest.Moment.Add(3 * time.Second)}
	lost.Abilities[3].Why = "the data is stale"
	p.Show(lost).Hears("warning: cluster data 34 s old: the API answered 401. No changes on stale data").
		Type("f").Hears("Cannot force now: the data of the cluster is 36 s old.").SentNothing()
	again := uitest.Busy()
	again.Sources[0] = lost.Sources[0]
	again.Sources[0].Retry = uitest.Moment.Add(8 * time.Second)
	p.Show(again).Show(uitest.Busy()).Hears("the data of the cluster is fresh again")
	if got := strings.Count(p.text, "No changes on stale data"); got != 1 {
		t.Errorf("stale data was told %d times\n%s", got, p.text)
	}
}

func TestPlainPaused(t *testing.T) {
	p := attend(t, uitest.Stale()).
		Hears("warning: cluster data 34 s old", "this computer's clock is 4.2 s ahead of the cluster's", "Paused: requested by ana@laptop. Nothing new starts, and deadlines stop.", "1 or p: resume", "or x: abort", "or q: leave").
		Type("1").Sent(record.Command{Kind: record.CmdResume}).Hears("resume requested")
	p.Later(5 * time.Second)
	p.Never("2 s agoPaused")
	p.Later(10*time.Second).Hears("Paused: requested by ana@laptop", "1 or p: resume") // it had no effect
}

// A canary that is not well is told, and so is what no drain starts for.
func TestPlainNotes(t *testing.T) {
	p := attend(t, uitest.Watching()).Hears("the canary is replaced: the other nodes follow in 1:32")
	ill := uitest.Watching()
	ill.CanaryTrouble = "shop/cart-1 restarts"
	p.Show(ill)
	ill2 := uitest.Watching()
	ill2.CanaryTrouble = "shop/cart-1 restarts"
	p.Later(time.Minute).Show(ill2).Hears("warning: canary unhealthy: shop/cart-1 restarts; pauses in ")
	held := uitest.Busy()
	held.Gate = "11 nodes are in service, and 12 must stay"
	p.Show(held).Hears("no new drain starts: 11 nodes are in service, and 12 must stay")
	held = uitest.Busy()
	held.Gate = "10 nodes are in service, and 12 must stay"
	p.Show(held).Show(uitest.Busy()).Hears("drains may start again").Never("no new drain starts: 10 nodes")
}

// How the run stands is told after a silence, more rarely when only the operator is
// waited for.
func TestPlainProgress(t *testing.T) {
	s := uitest.Busy()
	s.Blockers = s.Blockers[:1]
	p := attend(t, s).Hears("Fails in")
	p.Later(29 * time.Second)
	p.Never("4 of 12 nodes, 2 draining")
	p.Later(time.Second).Hears("21:07:42 upgrade: 4 of 12 nodes, 2 draining, 1 settling, 1 terminating, 1 launching, 1 pod blocked: shop/checkout-7d9f-x2 on ip-10-0-1-23, fails in ", "about ")
	p.Later(20 * time.Second).Later(9 * time.Second)
	if got := strings.Count(p.text, "2 draining"); got != 1 {
		t.Errorf("progress was told %d times\n%s", got, p.text)
	}
	p = attend(t, uitest.Asking()).Hears("Type a number from 1 to 5.")
	p.Later(4 * time.Minute)
	p.Never("waits for approval since")
	p.Later(time.Minute).Hears("batch 2 waits for approval since 7:14")
}

func TestPlainLeave(t *testing.T) {
	attend(t, uitest.Busy()).Hears("An empty line").
		Type("q").Hears("Leave?", "This process drives the run; no other process would continue it.", "1 or n: stay", "2 or p: pause and leave", "3 or x: abort ...").
		Type("3").Hears("Abort the upgrade?").Type("1").SentNothing().
		Type("q").Hears("Leave?").Type("1").SentNothing().
		Type("leave").Hears("is no possible action").
		Type("quit").Hears("Leave?").Type("p").
		Sent(record.Command{Kind: record.CmdPause, Reason: "left the dashboard"}).Leaves(ui.Left)
	free := func(o *ui.Options) { o.KeepsNothing = true }
	attend(t, uitest.Busy(), free).Hears("An empty line").Type("q").SentNothing().Leaves(ui.Left)
}

// The end of the input pauses the run, unless it is being restored already.
func TestPlainEndOfInput(t *testing.T) {
	p := attend(t, uitest.Busy()).Hears("An empty line").HangUp().
		Sent(record.Command{Kind: record.CmdPause, Reason: "the input ended"}).
		Hears("The input has ended: the run is paused. drainboard upgrade ng-web resumes it.")
	alone := func(o *ui.Options) { o.Again = "drainboard upgrade ng-web --cloudonly" }
	attend(t, uitest.Busy(), alone).Hears("An empty line").HangUp().
		Hears("the run is paused. drainboard upgrade ng-web --cloudonly resumes it.")
	p.Leaves(ui.Left)
	attend(t, uitest.Stale()).Hears("Type a number").HangUp().SentNothing().Leaves(ui.Left)
	ending := uitest.Busy()
	ending.State, ending.Result = record.Ending, record.Aborted
	p = attend(t, ending).Hears("An empty line").HangUp().Hears("The input has ended. Changes are still being restored.").SentNothing()
	p.Show(uitest.Ended(record.Aborted, "requested by ana@laptop")).Hears("ng-web: aborted").Leaves(ui.Finished)
}

// Lines of a script answer one question after the other, and wait for it.
func TestPlainScript(t *testing.T) {
	scripted := func(o *ui.Options) { o.Scripted = true }
	p := attend(t, uitest.Busy(), scripted).Hears("Each input line answers one question")
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		p.Blurt("1")
		p.Blurt("x")
		p.Blurt("y")
		p.HangUp()
	}()
	p.Show(uitest.Busy()).SentNothing()
	p.Show(uitest.Asking()).Sent(record.Command{Kind: record.CmdApprove, Batch: 2, Hash: "h2"})
	next := uitest.Asking()
	next.Batch.ID, next.Batch.Hash = 3, "h3"
	p.Show(uitest.Busy()).SentNothing()
	p.Show(next).Hears("Approve batch 3", "Abort the upgrade?").Sent(record.Command{Kind: record.CmdAbort})
	<-answered
	p.Show(uitest.Busy()).SentNothing()
	another := uitest.Asking()
	another.Batch.ID, another.Batch.Hash = 4, "h4"
	p.Show(another).Sent(record.Command{Kind: record.CmdPause, Reason: "the input ended"}).Leaves(ui.Left)
}

func TestPlainEnd(t *testing.T) {
	attend(t, uitest.Busy()).Hears("An empty line").Show(uitest.Failed()).
		Hears("ng-web: failed", "nodes: 4 of 12 nodes replaced in ", "exit code: 4: pods could not be evicted in time (PodEvictionFailure)", "why: PodEvictionFailure: 1 pod on ip-10-0-1-23 not gone after 15m0s: shop/checkout-7d9f-x2").
		Hears("failed: ip-10-0-1-23: 3 pods not gone after 15m0s", "blocked by: shop/checkout-7d9f-x2 on ip-10-0-1-23, PDB shop/checkout allows 0", "not restored, with the command that restores it", "warning: to roll the new nodes back").
		Leaves(ui.Finished)
	both := uitest.Failed()
	both.Result, both.Worst = record.InvalidFail, record.EvictionFail
	attend(t, both).Hears("exit code: 4: pods could not be evicted in time (PodEvictionFailure)").Leaves(ui.Finished)
	attend(t, uitest.Done()).Hears("the run has finished", "ng-web: done", "exit code: 0: done", "- maximum size set to 14, not by this run").Leaves(ui.Finished)

	p := attend(t, uitest.Busy()).Hears("An empty line")
	close(p.Snapshots)
	p.Hears("The run sends no more updates.").Leaves(ui.Left)
}

// A context that ends leaves at once; that the run is over by then is still told.
func TestPlainStopped(t *testing.T) {
	p := attend(t, uitest.Busy()).Hears("An empty line")
	p.cancel(errors.New("told to stop"))
	p.Leaves(ui.Left)
}

func TestPlainWatches(t *testing.T) {
	watch := func(o *ui.Options) { o.ReadOnly = true }
	attend(t, uitest.Asking(), watch).Hears("READ-ONLY: this watches and changes nothing. An empty line, or ?, lists what can be shown; q or ctrl-c leaves.", "Batch 2 waits for approval").
		Type("a").Hears("Cannot approve now: this dashboard only watches.").SentNothing().
		HangUp().Leaves(ui.Left)
}

// No string reaches the output raw, and none is cut: the terminal breaks long lines.
func TestPlainHostileAndWide(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 10 {
		for _, f := range uitest.Fixtures {
			if s := f.Make(); s.State != record.Finished || s.Roll != nil && !s.Roll.Over() {
				attend(t, uitest.Hostile(s, r)).Type("").Hears("Possible actions:")
			} else {
				attend(t, uitest.Hostile(s, r)).Leaves(ui.Finished)
			}
		}
	}
	s := uitest.Asking()
	long := strings.Repeat("漢字", 300)
	s.Batch.Foreseen = []string{long}
	s.Batch.Nodes = nil
	for i := range 200 {
		s.Batch.Nodes = append(s.Batch.Nodes, uitest.Host(9, i))
	}
	attend(t, s).Hears("foreseen: "+long+"\n", "ip-10-0-9-199")
}

// The plain mode tells the end of each group and continues with the next.
func TestPlainGoesThroughARoll(t *testing.T) {
	p := attend(t, uitest.Rolling())
	p.Hears("prod-eu-1 / ng-web,", "group 4 of 6").Show(uitest.Between()).Hears("ng-web: done", "12 of 12 nodes replaced")
	p.Later(patienceAtWork).Hears("Next: ng-web-b", "ng-web: done, 12 of 12 nodes replaced")
	p.Show(uitest.NextGroup()).Hears("prod-eu-1 / ng-web-b", "group 5 of 6", "Approve batch 1")
	p.Type("a").Sent(record.Command{Kind: record.CmdApprove, Batch: 1, Hash: "h-b"})
	p.Show(uitest.RolledAll()).Hears("the roll: 5 of 6 groups done", "ng-batch: PodEvictionFailure", "exit code: 4").Leaves(ui.Finished)
	p.Never("Next: ng-web-c")

	p = attend(t, uitest.Between())
	p.Hears("ng-web: done").HangUp().Hears("The input has ended: the roll is held. drainboard upgrade --all resumes it.").Leaves(ui.Left)
}

// The end of a pod's log is printed once it has been read; meanwhile the run is told.
func TestPlainPodLog(t *testing.T) {
	answers := make(chan error)
	p := attend(t, uitest.Moved(), func(o *ui.Options) {
		o.Log = func(_ context.Context, of podlog.Pod) (podlog.Log, error) {
			return podlog.Log{Container: "web", Previous: true, Ended: "exit code 1 (Error)", Lines: []string{"first of " + of.Name, "last"}}, <-answers
		}
	})
	p.Type("L").Hears("Show the pod's log: which?", "1: pod shop/checkout-7d9f-x2").Type("1")
	p.Show(uitest.Busy()).Later(time.Minute)
	answers <- nil
	p.Hears("log of shop/checkout-7d9f-x2", "container: web, the previous one: ended, exit code 1 (Error)", "--previous --tail=20", "first of checkout-7d9f-x2\n", "last\n").Never("reading ...")
	p.Type("L").Hears("which?").Type("1").Later(time.Second)
	answers <- podlog.ErrGone
	p.Hears("log of shop/checkout-7d9f-x2", "The pod is gone")
}

func TestPlainWithoutLogs(t *testing.T) {
	attend(t, uitest.Busy()).Type("L").Hears("Cannot show the pod's log now: no pod is blocked or crash-loops, or no log can be read")
}
