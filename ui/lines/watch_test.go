package lines

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/uitest"
)

func onlyWatches(o *ui.Options) { o.ReadOnly = true }

// A watch in lines tells the group as it is, the run that begins, its end, and the next
// one; whatever is typed, no command is sent.
func TestPlainWatch(t *testing.T) {
	p := attend(t, uitest.Idle(), onlyWatches).
		Hears("READ-ONLY: this watches and changes nothing", "ctrl-c leaves. Reading the cluster and the group ...\n").
		Hears("drainboard: prod-eu-1 / ng-web", "no run", "outdated").
		Hears("no run is under way; drainboard upgrade ng-web starts one\n")
	p.Later(time.Minute)
	p.Never("no run: ")
	rolls := uitest.Idle() // by the group's own controller
	f := snapshot.ForecastOf(uitest.Moment, snapshot.Rehearsal{Took: 5 * time.Minute, Result: record.Succeeded, Replaced: 8}, nil)
	rolls.Forecast = &f
	attend(t, rolls, onlyWatches).Hears("outdated, about 5 min left")
	refused := uitest.Idle()
	refused.Refused = "only its operator svc may change it"
	attend(t, refused, onlyWatches).Hears("no run is under way, and none can start: only its operator svc may change it\n").Never("drainboard upgrade")
	s := uitest.Busy()
	s.Driver = "ann@laptop pid 7"
	p.Show(s).Hears("drainboard: prod-eu-1 / ng-web, 1.31.4 to 1.32.1, eks, upgrading, 4 of 12 nodes, driven by ann@laptop pid 7").
		Hears("ip-10-0-1-23 draining, 3 of 17 pods left, blocked, drain deadline: 11:42 left\n").
		Hears("ip-10-0-1-23 draining: 17 pods to move\n").
		Hears("blocked: shop/checkout-7d9f-x2 on ip-10-0-1-23", "Way out: scale checkout to 4, loosen minAvailable 3, or force where the run is driven.")
	p.Later(30*time.Second).Hears("upgrade: 4 of 12 nodes, 2 draining", "1 pod blocked")
	for _, key := range []string{"a", "f", "p", "s", "r", "x"} {
		p.Type(key).Hears("now: this dashboard only watches.")
	}
	p.Type("").Hears("Possible actions:", "describe a node or a blocked pod", "q: leave").Never("Not possible now: approve")
	lost := uitest.Busy()
	lost.Driver = s.Driver
	lost.Sources[0] = snapshot.SourceView{Name: world.Cluster, Fresh: uitest.Moment.Add(-34 * time.Second), Stale: true, Problem: "the API answered 401", Retry: uitest.Moment.Add(3 * time.Second)}
	p.Show(lost).Hears("warning: cluster data 34 s old: the API answered 401")
	s = uitest.Busy()
	s.Driver, s.Blind = "bob@office pid 9", []world.Source{world.Cluster}
	p.Show(s).Hears("driven by bob@office pid 9 now", "the data of the cluster is fresh again", "warning: the driver of this run has no fresh data of the cluster")
	s = uitest.Busy()
	s.Unattended, s.Mismatches = uitest.Moment.Add(-3*time.Minute), "the group was deleted and recreated"
	p.Show(s).Hears("warning: no driver for 3 min; drainboard upgrade ng-web resumes the run", "warning: its record does not match the group: the group was deleted")
	p.Show(uitest.Done()).Hears("ng-web: done", "exit code: 0: done", "Still watching the group.")
	p.Later(10 * time.Minute).Show(uitest.Done())
	again := uitest.Busy()
	again.RunID = "r-8"
	p.Show(again).Hears("drainboard: prod-eu-1 / ng-web", "upgrading").SentNothing()
	if got := strings.Count(p.text, "READ-ONLY"); got != 1 {
		t.Errorf("READ-ONLY was told %d times", got)
	}
	if got := strings.Count(p.text, "exit code"); got != 1 {
		t.Errorf("the end was told %d times", got)
	}
	p.Type("q").Leaves(ui.Left)
}

// Of a run that continues already is told how it stands, not how it came to that.
func TestPlainWatchOfARunUnderWay(t *testing.T) {
	s := uitest.Busy()
	p := attend(t, s, onlyWatches).Hears("upgrading, 4 of 12 nodes", "ip-10-0-1-23 draining, 3 of 17 pods left", "blocked: shop/checkout-7d9f-x2").Never("17 pods to move")
	more := uitest.Busy()
	more.Events = append(more.Events, record.Event{Time: uitest.Moment.Add(time.Second), Type: record.NodeReady, Node: uitest.Host(2, 77), Message: "joined"})
	p.Show(more).Hears("\n21:07:13 ip-10-0-2-77 ready: joined\n").Never("17 pods to move")

	attend(t, uitest.Stale(), onlyWatches).Hears("paused", "paused: requested by ana@laptop").SentNothing()
	attend(t, uitest.Asking(), onlyWatches).Hears("Batch 2 waits for approval").Never("Type a number")
	p = attend(t, uitest.Done(), onlyWatches).Hears("ng-web: done", "Still watching the group.")
	p.cancel(errors.New("told to stop"))
	p.Leaves(ui.Left)
}

// What had begun before the watch, and still holds, is told first: the update that is followed, the nodes
// that EKS may be at, what cannot be read. It is told once, and not how it came to the rest.
func TestPlainWatchOfWhatBeganBefore(t *testing.T) {
	begun := func() *snapshot.Snapshot {
		s := uitest.Busy()
		at := func(ago time.Duration, kind record.EventType, reason, message string) record.Event {
			return record.Event{Time: uitest.Moment.Add(-ago), Type: kind, Reason: reason, Message: message}
		}
		s.Events = append([]record.Event{
			at(5*time.Second, record.Warning, record.ReasonEKS, "EKS update c-1 changes the configuration of the node group (InProgress)"),
			at(4*time.Second, record.RunStarted, "EKS update u-1", "EKS update u-1 replaces the group's nodes (InProgress); it began 5 min ago and is followed, read-only"),
			at(3*time.Second, record.PhaseStarted, "", ""),
			at(2*time.Second, record.Warning, "rival", "Karpenter is at work here"),
		}, s.Events...)
		s.Events = append(s.Events, at(time.Second, record.Warning, record.ReasonCandidates, "EKS has evicted nothing for 40 s: it may be at one of a, b"))
		return s
	}
	p := attend(t, begun(), onlyWatches).Hears("drainboard: prod-eu-1 / ng-web").
		Hears("warning: EKS update c-1 changes the configuration", "EKS update u-1 replaces the group's nodes (InProgress); it began 5 min ago and is followed", "warning: EKS has evicted nothing for 40 s").
		Hears("ip-10-0-1-23 draining, 3 of 17 pods left").
		Never("Karpenter").Never("17 pods to move")
	more := begun()
	more.Events = append(more.Events, record.Event{Time: uitest.Moment.Add(time.Second), Type: record.NodeReady, Node: uitest.Host(2, 77), Message: "joined"})
	p.Show(more).Hears("ip-10-0-2-77 ready: joined\n")
	for _, once := range []string{"c-1", "began 5 min ago", "may be at one of", "drainboard: prod-eu-1"} {
		if got := strings.Count(p.text, once); got != 1 {
			t.Errorf("%q was told %d times:\n%s", once, got, p.text)
		}
	}
}

// Rolls of others are told in the words of the screen, and what their nodes are freed of.
func TestPlainWatchOfOthers(t *testing.T) {
	p := attend(t, uitest.Driven(), onlyWatches).
		Hears("drainboard: prod-eu-1 / ng-web", "kops busy", "outdated", "about 31 min left").
		Hears("kops rolling-update is at work here: ip-10-0-1-23 draining", "6 to go\n").
		Hears("Karpenter is at work here: ip-10-0-3-81; cordoned by a user").
		Hears("2 nodes replaced (before: not known); 5 of 15 up to date; time left at the pace of 2 nodes in 9m\n").
		Hears("ip-10-0-1-23 draining, 3 of 17 pods left, blocked, drain limit: 11:42 left, kops rolling-update has cordoned it").
		Hears("blocked: shop/checkout-7d9f-x2")
	p.Later(30*time.Second).Hears("kops busy: ", "1 draining, 1 settling, 1 terminating", "1 pod blocked")
	free := uitest.Driven()
	free.Blockers = nil
	free.Events = append(free.Events, record.Event{Time: uitest.Moment.Add(time.Second), Type: record.NodeDrained, Node: uitest.Host(1, 23), Message: "drained by kops"})
	p.Show(free).Hears("ip-10-0-1-23 drained by kops\n", "no longer blocked: shop/checkout-7d9f-x2\n")
	p.Show(uitest.Driven()).Later(2 * time.Second).Show(free) // a pod that waits for another one for a moment
	p.Later(time.Second).Show(uitest.Driven())
	p.Later(6 * time.Second).Hears("blocked: shop/checkout-7d9f-x2").Show(free).Hears("no longer blocked: shop/checkout-7d9f-x2\n")
	if got := strings.Count(p.text, "blocked: shop/checkout-7d9f-x2"); got != 5 { // one of them in a line of the state
		t.Errorf("the blocker was told %d times in all:\n%s", got, p.text)
	}
}

// A worker pool is told whole once, then what becomes of it.
func TestPlainWatchOfAPool(t *testing.T) {
	p := attend(t, uitest.Pooled(), onlyWatches).
		Hears("Gardener is at work here", "pool web\n", "updates: AutoRollingUpdate\n", "Shoot: garden-dev/prod\n", "eu-west-1b: 2 of 4 updated", "paused: no further batch starts", "no capacity").
		Hears("ip-10-0-1-23 draining, 3 of 17 pods left, blocked, drain forced: 1:58:00 left")
	p.Later(30 * time.Second).Hears("4 of 12 updated")
	s := uitest.Pooled()
	s.Pool.Zones[1].Paused, s.Pool.Failed = false, nil
	p.Show(s).Hears("zone eu-west-1b continues", "no more failures")
	s = uitest.Pooled()
	s.Sources[1] = snapshot.SourceView{Name: world.Cloud, Fresh: uitest.Moment.Add(-time.Minute), Stale: true, Problem: "the control cluster: does not answer"}
	p.Show(s).Hears("warning: control cluster data ", " old: does not answer. Gardener's changes are not seen meanwhile").
		Show(uitest.Pooled()).Hears("the data of the control cluster is fresh again")
	p.Type("v").Hears("pool web\n", "limits: ")
	if got := strings.Count(p.text, "updates: AutoRollingUpdate"); got != 2 {
		t.Errorf("the pool was told whole %d times", got)
	}
}

// Before the pods are read nothing is claimed of them.
func TestPlainWatchOfWhatIsPartial(t *testing.T) {
	s := uitest.Partial(uitest.Idle)()
	s.Sources[0].Stale, s.Sources[0].Fresh = true, time.Time{}
	p := attend(t, s, onlyWatches).Hears("reading the cluster's pods; blockers are not known yet").Never("warning")
	p.Show(uitest.Idle()).Hears("all pods have been read")
	unreadable := uitest.Idle()
	unreadable.Unreadable = "it has form 9, of a newer Drainboard"
	attend(t, unreadable, onlyWatches).Hears("run not known", "warning: the record of this group's run cannot be read: it has form 9", "whether a run is under way is not known").Never("no run is under way")
}

// Details are told once they have come, a blocked pod with its budgets; those that do not
// come are told without.
func TestPlainDetailsThatCome(t *testing.T) {
	looks := make(chan snapshot.Look, 8)
	p := attend(t, uitest.Busy(), onlyWatches, func(o *ui.Options) { o.Look = func(l snapshot.Look) { looks <- l } }).Hears("blocked: ")
	p.Type("show details").Hears("Show details: which?").Type("10-0-1-23")
	want := snapshot.Look{Machine: "i-0a1b2c3d4e5f61023"}
	if got := <-looks; got != want {
		t.Fatalf("looks at %+v", got)
	}
	s := uitest.Busy()
	s.Look = want
	s.Node = &snapshot.NodeDetail{ID: want.Machine, Pods: []*snapshot.PodDetail{{Ref: "shop/checkout-7d9f-x2", UID: "u-1", Stage: snapshot.StageBlocked}}}
	p.Show(uitest.Busy()).Never("stage: draining")
	p.Show(s).Hears("ip-10-0-1-23.eu-west-1.compute.internal\n", "stage: draining", "shop/checkout-7d9f-x2")
	if got := <-looks; got != (snapshot.Look{}) {
		t.Fatalf("continues looking at %+v", got)
	}

	p.Type("show details").Hears("which?").Type("1").Hears("shop/checkout-7d9f-x2\n", "blocked by: budget\n")
	want = snapshot.Look{Budget: "shop/checkout"}
	if got := <-looks; got != want {
		t.Fatalf("looks at %+v", got)
	}
	p.Never("PDB shop/checkout\n")
	p.Later(5*time.Second).Hears("PDB shop/checkout\n", "rule: minAvailable 3", "allows: none").SentNothing()
}

// The end of a terminal's input leaves a watch; that of any other does not, and its lines
// are taken as they come.
func TestPlainWatchEndOfInput(t *testing.T) {
	attend(t, uitest.Busy(), onlyWatches).Hears("blocked: ").HangUp().SentNothing().Leaves(ui.Left)
	scripted := func(o *ui.Options) { o.Scripted = true }
	p := attend(t, uitest.Busy(), onlyWatches, scripted).Hears("READ-ONLY: this watches and changes nothing. ctrl-c leaves.", "blocked: ")
	p.Blurt("").Hears("Possible actions:").HangUp()
	p.Later(30 * time.Second).Hears("upgrade: 4 of 12 nodes")
	p.Show(uitest.Done()).Hears("ng-web: done", "Still watching the group.").SentNothing()
	close(p.Snapshots)
	p.Hears("The watch has ended: no more updates.").Leaves(ui.Left)
}

// Every picture can be told.
func TestPlainWatchOfAll(t *testing.T) {
	for _, f := range uitest.Fixtures {
		if s := f.Make(); s.Roll == nil {
			attend(t, s, onlyWatches).Type("").Hears("Possible actions:").SentNothing()
		}
	}
	attend(t, uitest.InPlaced(), onlyWatches).Hears("its in-place update failed: no space left on device")
}
