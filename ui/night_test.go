package ui

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui/uitest"
)

// A night at the keyboard, from the first question to the last: what is decided is
// what was meant, whatever happens to the window and to the cluster meanwhile.
func TestANightAtTheKeyboard(t *testing.T) {
	ui := sit(t, 120, 36, nil)
	ui.Expect("reading the cluster")

	// The first batch waits. It is looked at, not approved, looked at again, approved.
	ui.Show(uitest.Asking()).Expect("Batch 2 waits for approval", "waits for you")
	ui.Press("a").Expect("Approve batch 2: 3 nodes", "41 pods will be evicted").Press("n").Gone("41 pods will be evicted").SentNothing()
	ui.Press("a").Expect("41 pods will be evicted").Press("enter").Sent(record.Command{Kind: record.CmdApprove, Batch: 2, Hash: "h2"})

	// A budget holds a pod: where, why, for how long, and what would open it.
	ui.Show(uitest.Busy()).Expect("blocked: 1 PDB, 1 pod", "shop/checkout  allows 0: 3 healthy, 3 required", "scale checkout to 4", "fails in 11:42")
	ui.Press("/").Type("blocked").Press("enter").Expect("1 of 18 nodes", "ip-10-0-1-23").Gone("ip-10-0-1-24 ")
	ui.Press("down").Press("enter").Expect(uitest.Host(1, 23)).Press("esc").Gone(uitest.Host(1, 23))

	// The window is made small, then wide; everything is still there.
	ui.Resize(60, 30).Expect("phase 3 of 4", "blocked 1").Resize(30, 8).Expect("too small").SentNothing().Resize(200, 50).Expect("ip-10-0-1-23", "scale checkout to 4").Later(2 * GraceMost)

	// The cluster goes away: nothing is decided, and the screen says since when.
	away := uitest.Busy()
	away.Sources[0] = snapshot.SourceView{Name: world.Cluster, Fresh: uitest.Moment.Add(-14 * time.Second), Stale: true, Problem: "connection refused", Retry: uitest.Moment.Add(3 * time.Second)}
	ui.Show(away).Expect("cluster data 14 s old, retry in 3 s: connection refused")
	ui.Press("f").Expect("cannot force now: the data of the cluster is 14 s old").SentNothing()
	ui.Show(uitest.Busy()).Gone("connection refused")

	// Force wants the name, and nothing but the name.
	ui.Press("f").Expect("violates PDB shop/checkout: it requires 3 healthy pods, has 3, will have 2").Type("ip-10-0-1-2").Press("enter").Expect("that is not the name; nothing was forced").SentNothing()
	ui.Type("3").Press("enter").Sent(record.Command{Kind: record.CmdForce, Node: uitest.Host(1, 23)})

	// Enough for tonight.
	ui.Press("esc").Gone("1 of 18 nodes").Press("p").Sent(record.Command{Kind: record.CmdPause}).Show(uitest.Stale()).Expect("paused: requested by ana@laptop")
	ui.Press("x").Expect("Abort the upgrade?", "surge nodes without pods to evict are terminated").Press("y").Sent(record.Command{Kind: record.CmdAbort})
	ending := uitest.Busy()
	ending.State, ending.Result, ending.Why = record.Ending, record.Aborted, "requested by ana@laptop"
	ui.Show(ending).Expect("aborting", "Nothing new starts")
	over := uitest.Failed()
	over.Result, over.Why = record.Aborted, "requested by ana@laptop"
	ui.Show(over).Expect("exit code", "3: aborted by the operator", "the group's maximum is 18, was 12").Later(2 * GraceMost).Press("q").Leaves(Finished)
}
