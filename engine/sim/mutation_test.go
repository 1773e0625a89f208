package sim

import (
	"cmp"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	mutationsFlag     = flag.Int("mutations", 0, "how many mutations of the engine to play, drawn at random; 0 for all")
	mutationsSeedFlag = flag.Uint64("mutations-seed", 0, "which of them; 0 for others each time")
)

// mutation is an engine, a provider, a simulator or a checker that was broken on purpose:
// in a file, named from engine/, an old text gives way to a new one, and the tests of a
// package have to notice, in these words.
type mutation struct {
	name, file, old, new string
	play                 string // the test that has to notice: see where; "" for TestRandom
	notices              string
}

// mutations are two or so for each rule of docs/design.md.
var mutations = []mutation{
	{"1: one drain too many", "assess/movers.go", "return s.AtOnce() - s.Unavailable() - s.takenOut()", "return s.AtOnce() - s.Unavailable() - s.takenOut() + 1", "", "rule 1: "},
	{"1: a settling node is no longer counted", "assess/gate.go", "case record.Draining, record.Settling, record.Updating:\n\t\treturn true\n\tcase record.Terminating:", "case record.Draining, record.Updating:\n\t\treturn true\n\tcase record.Terminating:", "", "rule 1: "},
	{"1: by our own rules one node fewer serves than promised", "assess/gate.go", "if s.Capabilities().SurgeServes {\n\t\treturn s.Spare()", "if s.Capabilities().SurgeServes {\n\t\treturn s.Spare() + 1", ownPlay, "gate: "},
	{"3: the wait after a drain ends while something routes to the node", "isolate.go", "n.Routes, n.LookedAt, n.Unrouted = routes, s.Now, len(routes) == 0", "n.Routes, n.LookedAt, n.Unrouted = routes, s.Now, true", ownPlay, "routes: "},
	{"3: the wait after a drain is shorter than the least one", "isolate.go", "leastRouted = 5 * time.Second", "leastRouted = 3 * time.Second", ownPlay, "rule 3: "},
	{"waves: they grow fourfold", "assess/waves/waves.go", "w.Size = min(2*w.Size, s.Run.Limit)", "w.Size = min(4*w.Size, s.Run.Limit)", ownPlay, "waves: "},
	{"waves: a node that drains is in none", "node.go", "n.Began, n.Wave = s.Now, waves.Number(&s.Run)", "n.Began, n.Wave = s.Now, 0*waves.Number(&s.Run)", "Scenario/drainboard_waves_paused", ""},
	{"waves: those that crash-loop do not hold them", "assess/waves/waves.go", "case w.Trouble != \"\":\n\t\treturn text.WaveTrouble(w.Trouble)", "case w.Trouble == \"?\":\n\t\treturn text.WaveTrouble(w.Trouble)", ownPlay, "waves: "},
	{"waves: the next begins while the last one drains", "assess/waves/waves.go", "return n.Stage == record.Draining || n.Stage == record.Queued", "return n.Stage == record.Queued", "Scenario/drainboard_waves", ""},
	{"surge: our own rules raise by one more", "strategy/drainboard.go", "return min(r.Settings.MaxSurge.Of(r.Base.Desired, true), going)", "return min(r.Settings.MaxSurge.Of(r.Base.Desired, true)+1, going)", ownPlay, "surge: "},
	{"max-unavailable: the surge of before is not counted in", "strategy/drainboard.go", "extra = max(extra, r.Raise)", "_ = r.Raise", "Scenario/drainboard_max_unavailable_changed", "1 → 2 by operator@laptop: at most 3 nodes"},
	{"order: nodes that go together share PDBs", "gate.go", "next = preflight.Apart(&s.Reader, next, slots)", "_ = preflight.Apart(&s.Reader, next, slots)", "Scenario/drainboard_pdbs_apart", ""},
	{"order: the PDB with the most pods to let go comes last", "assess/preflight/apart.go", "cmp.Compare(longest(b), longest(a))", "cmp.Compare(longest(a), longest(b))", "Scenario/drainboard_longest_pdb_first", ""},
	{"order: a new node of a zone has to go again", "assess/preflight/apart.go", "return old[zone] <= extra[zone] }", "return old[zone] < extra[zone]-99 }", "Scenario/drainboard_surge_zones", ""},
	{"5: by our own rules a Deployment keeps its second replica", "single.go", "askScale(s, x.Restore())\n\t\tdone = false", "done = done && true", "Scenario/drainboard_single_abort_crash", "Deployment app/web keeps the second replica"},
	{"kops: our own rules begin before the cluster is valid", "strategy/drainboard.go", "(goes || len(s.W.Group.Warm) > 0) && !validationwait.First(s)", "(goes && false) && !validationwait.First(s)", "Scenario/drainboard_kops_invalid", "before the cluster was found valid"},
	{"kops: our own rules validate nothing after nodes went", "strategy/drainboard.go", "proved := d.Proved(s)", "proved := true", "Scenario/drainboard_kops", ""},
	{"routes: load balancers of the group are not asked", "isolate.go", "asks := len(s.W.Group.Balancers) > 0", "asks := len(s.W.Group.Balancers) > 9", "Scenario/drainboard_balancer", "routes: "},
	{"routes: a load balancer that cannot be asked has let go", "isolate.go", "func balancersOf(o record.Outcome) []string {\n\tif o.Verdict != record.Done {", "func balancersOf(o record.Outcome) []string {\n\tif o.Verdict == \"?\" {", "Scenario/drainboard_balancer_denied", ""},
	{"singles: our own rules leave them", "strategy/drainboard.go", "\td.Singles = true\n", "", "Scenario/drainboard_single_moves", ""},
	{"2: an eviction without a UID", "evict.go", "Pod: c.pod.Name, UID: c.pod.UID}", "Pod: c.pod.Name}", "", "rule 2: "},
	{"2: a delete that names no order", "force.go", "UID: p.UID, Order: o.ID}", "UID: p.UID}", "", "rule 2: "},
	{"2: DaemonSet pods are evicted", "evict.go", "p.Terminating() || s.Judge(p).Fate != drain.Leaves {", "p.Terminating() {", "", "rule 2: "},
	{"3: no second look", "node.go", "if !s.looked(id, n) {\n\t\treturn\n\t}\n\tn = s.Run.Nodes.Get(id)\n\tif n.Empty.IsZero() {\n\t\tleaveSettling", "n.Empty = s.Now\n\tif n.Empty.IsZero() {\n\t\tleaveSettling", "", "rule 3: "},
	{"3: a look that is old", "node.go", "const lookValid = 30 * time.Second", "const lookValid = 30 * time.Hour", "", "rule 3: "},
	{"3: a look at pods that does not count them", "node.go", "if o.Unschedulable && (len(left) == 0 || released(&s.Reader, n, left)) {", "if o.Unschedulable || len(left) < 0 {", "", "rule 3: "},
	{"commands: a canary's trouble is accepted whatever was shown", "commands.go", "if c.Trouble != canary.Trouble {", "if false {", "Scenario/canary_crash_loops", ""},
	{"commands: a run that a canary's trouble holds is simply resumed", "assess/commands.go", "if r.Canary.Holds() {", "if false {", "Scenario/canary_crash_loops", ""},
	{"commands: who is elsewhere approves over a canary", "commands.go", "c.ID != \"\" && canary != nil", "c.ID == \"?\" && canary != nil", "Scenario/canary_crash_loops", ""},
	{"10: an extended drain keeps its deadline", "commands.go", "wait.End = wait.End.Add(more)\n", "", "Scenario/drain_extended", ""},
	{"commands: max-unavailable changes beyond its bounds", "commands.go", "case c.Nodes < b.Least || c.Nodes > b.Most:", "case c.Nodes < 0:", "Scenario/max_unavailable_changed", ""},
	{"1: a changed max-unavailable changes no limit", "commands.go", "s.Run.Limit = limit\n", "_ = limit\n", "Scenario/max_unavailable_changed", ""},
	{"4: marks stay", "strategy/eksdown.go", "if !s.UnmarkAll() || !s.ResumeProcesses() {", "if !s.ResumeProcesses() {", "", "rule 4: mark of ours left"},
	{"4: a process stays suspended", "strategy/eksdown.go", "if !s.UnmarkAll() || !s.ResumeProcesses() {", "if !s.UnmarkAll() {", "", "rule 4: AZRebalance"},
	{"4: the maximum stays raised", "strategy/eksdown.go", "!complete || !s.RestoreMax() {", "!complete {", "", "rule 4: the group has"},
	{"5: an end that is to retire surplus nodes does not end", "end.go", "\t\tretirement{s}.begin()\n", "", ownPlay, "the end of the run does not end"},
	{"5: drains continue after the end", "end.go", "return true // being retired: the strategy's End sees to it\n\t\t}\n\t\ts.putBack(id, n)", "return true\n\t\t}\n\t\ts.advanceDrain(id, n)", "", "rule 5: "},
	{"5: what is left on the group is not named", "end.go", "\n\ts.listUnrestoredGroup()\n", "\n", "", "rule 5: the group stays on template"},
	{"6: a reduced record forgets which pods were deleted by force", "record/reduce.go", "if forced := p.Forced && p.Gone.IsZero(); !forced && !evicts && !deletes {", "if p.Ref != \"\" && !evicts && !deletes {", "Scenario/paused_record_reduced", "app/web-1 deleted past its PDBs"},
	{"found: a reduced record forgets the name of a pod whose eviction has no answer", "record/reduce.go", "_, evicts := r.Pending[EvictKey(uid)]", "_, evicts := r.Pending[DeleteKey(uid)]", "TestReduced", "a pod asked to leave differ"},
	{"found: a reduced record forgets the name of a pod whose deletion by force has no answer", "record/reduce.go", "_, deletes := r.Pending[DeleteKey(uid)]", "_, deletes := r.Pending[EvictKey(uid)]", "TestReduced", "a pod being deleted differ"},
	{"movers: a node that the handler has cordoned and labelled is cordoned by nobody", "world/mover.go", "m.By, m.Step, m.Guess, m.Limit = MoverHandler, MoveDraining, false, handlerLimit", "_ = handlerLimit", "Scenario/handler_by_label", "a user or a tool has cordoned a2"},
	{"6: a resumed run forgets what it has suspended", "takeover.go", "r.Pending, r.Takeover = cloneMap(r.Pending), nil", "r.Pending, r.Takeover, r.Suspended = cloneMap(r.Pending), nil, nil", "", "rule 6: "},
	{"7: who leaves records what it does not ask for", "live/loop.go", "\t\treturn unrecorded(l.saveWithin(ctx, l.run, farewell, nil))\n", "", "TestLoopRecordsNoActionAsItLeaves", "as asked for"},
	{"7: actions before the record", "live/loop.go", "if failing || l.saves(d) {", "if l.dirty && time.Since(l.saved) >= saveSoon {", "TestCompetingDrivers", "rule 7: "},
	{"7: a process that slept acts", "live/permit.go", "case !p.sure():", "case false:", "TestCompetingDrivers", "rule 7: "},
	{"7: an event of before the lock was lost passes for one of another node", "live/repeats.go", "k.Type == e.Type && k.Node == e.Node && k.Pod == e.Pod && k.Reason", "k.Reason", "TestCompetingDrivers", "is suspended"},
	{"8: a plan changes the run", "record/shards/shards.go", "shards: slices.Clone(m.root.shards)}", "shards: m.root.shards}", "", "snapshot: "},
	{"8: a snapshot changes the world", "snapshot/view.go", "v.From, v.To = versions(s)", "v.From, v.To = versions(s)\n\tw.Group.Zones = append([]string{\"x\"}, w.Group.Zones...)", "", "rule 8: "},
	{"9: answers are not cleaned", "record/action.go", "o.Message = world.Clean(o.Message)", "", "", "rule 9: "},
	{"9: nodes are not cleaned", "world/world.go", "n = n.Clean()\n", "", "", "rule 9: "},
	{"10: time without sight counts", "time.go", "blind = append(blind, r.Blind...)", "blind = nil", "", "rule 10: "},
	{"10: a run continues whose record cannot be written", "decide.go", "if known && !s.unwritten {", "if known {", "", "rule 10: "},
	{"10: sleep counts", "time.go", "stopped := asleep || r.State == record.Paused", "stopped := asleep && false || r.State == record.Paused", "", "rule 10: "},
	{"10: a wrong limit is said of a drain", "node.go", "text.DrainTookTooLong(s.Run.Settings.DrainTime(n))", "text.DrainTookTooLong(s.Run.Settings.DrainTime(n) + time.Second)", "", "rule 10: "},
	{"10: every refusal pauses for as long as the last", "ensure.go", "min(r.Tries, 5)", "max(r.Tries, 5)", "", "rule 10: "},
	{"gate: it says why it is shut when it is open", "gate.go", "s.Run.GateSince = time.Time{}\n\ts.set(\"\")", "s.Run.GateSince = time.Time{}", "", "gate: it is open"},
	{"gate: it is shut without an end", "gate.go", "if !s.Now.Before(limit) && len(assess.HooksUnderWay(&s.Run, record.BeforeNode)) == 0 {", "if false {", "", "gate: it has been shut"},
	{"words: a drain begins without a word", "node.go", "s.Report(record.Event{Type: record.NodeDraining, Node: s.Label(id, n), Zone: n.Zone, Until", "_ = (record.Event{Type: record.NodeDraining, Node: s.Label(id, n), Zone: n.Zone, Until", "", "told: "},
	{"words: a drain has one pod more to move", "node.go", "text.PodsToMove(n.Pods)", "text.PodsToMove(n.Pods + 1)", "", "told: "},
	{"words: what was granted is not told", "ensure.go", "\ts.reportChange(a)\n}\n\nfunc refused", "}\n\nfunc refused", "", "told: "},
	{"words: a refusal names its reason for its command", "commands.go", "string(c.Kind), why", "why, string(c.Kind)", "", "told: "},
	{"9: what the cloud tells of earlier launches is not cleaned", "world/clean.go", "\tg.Lately = g.Lately.Clean()\n", "", "", "rule 9: the world"},
	{"9: who holds a Deployment is not cleaned", "record/action.go", "o.Deployment = o.Deployment.Clean()", "_ = o.Deployment", "Scenario/single_held_in_evil_words", "rule 9: "},
	{"movers: the autoscaler is not found by its tag", "assess/movers/group.go", "\t\t\treturn key\n", "", "", "told: a mover of the kind"},
	{"movers: a guess comes before what is certain", "world/mover.go", "boolean(a.Guess)-boolean(b.Guess)", "boolean(b.Guess)-boolean(a.Guess)", "", "snapshot: "},
	{"launches: a new node counts without the labels that are expected", "assess/nodes.go", "v != \"\" && got != v {\n\t\t\treturn false\n\t\t}", "v != \"\" && got != v {\n\t\t\tcontinue\n\t\t}", "", "rule 4: "},
	{"launches: a label of any value is expected with none", "assess/nodes.go", "v != \"\" && got != v {", "got != v {", "", "NodeCreationFailure: node"},
	{"words: what holds a pod stands in the place of its owner", "strategy/eksmanaged.go", "text.HeldPod(b.Pod, b.Owner, b.Detail)", "text.HeldPod(b.Pod, b.Detail, b.Owner)", "TestFollowedUpdates", "is of another owner"},
	{"movers: a label comes off by no command", "text/twin.go", "\t\treturn \"kubectl label node \" + node + \" \" + key + \"-\"\n", "\t\t_ = key\n", "", "by no command that does"},
	{"movers: each step of an update in place is its failure", "world/movermark.go", "c.On && c.Reason == \"UpdateFailed\"", "c.On", inPlacePlay, "snapshot: the update of"},
	{"record: the reason stands in the place of the sizes", "record/check/reconcile.go", "text.SizesMismatch(b.String(), why)", "text.SizesMismatch(why, b.String())", "", "record: "},
	{"world: the budgets are in the contrary order", "world/world.go", "cmp.Compare(a.Ref(), b.Ref()) })\n}\n\n// BudgetsOf", "cmp.Compare(b.Ref(), a.Ref()) })\n}\n\n// BudgetsOf", "", "a list is not sorted"},
	{"world: few changes are remembered", "world/changes.go", "max(leastChanges,", "min(leastChanges,", "", "the last 1000 changes"},
	{"movers: a process that others have resumed is not said to act", "assess/movers/group.go", "case g.HasSuspended(process):\n\t\t\tr.Seen = s.Now\n", "case g.HasSuspended(process):\n", "", "told: another user has resumed"},
	{"kops: a pod of the control plane stands in the place of its group", "validation/validate.go", "NoControlPlanePod(n.Name, p.Name, app)", "NoControlPlanePod(n.Name, app, p.Name)", kopsPlay, "told: "},
	{"record: a mark without a key is whole", "record/check/check.go", "a.Machine != machine || a.Node == \"\" || a.Key == \"\"", "a.Machine != machine || a.Node == \"\"", "", "record: "},
	{"world: pods that have stopped are forgotten at once", "world/world.go", "if len(w.stopping) > mostStopping+len(w.pods) {", "if len(w.stopping) <= mostStopping+len(w.pods) {", "", "was seen stopping"},
	{"words: what hooks say is the node that they hold", "hook.go", "text.HookRefused(a.Node, o.Message)", "text.HookRefused(o.Message, a.Node)", "", "told: "},
	{"words: a complete group lacks machines", "batch.go", "if have >= want {\n\t\treturn \"\"\n\t}", "_ = have", "", "told: "},
	{"words: the last phase has always begun", "assess/commands.go", "!last.Start.IsZero() && !Rolls(last.Name)", "!Rolls(last.Name)", "", "told: "},
	{"words: a workload below its PDB is well", "record/state.go", "\t\treturn BelowPDB\n", "\t\treturn NoTrouble\n", "", "snapshot: "},
	{"plan: names are sorted backwards", "assess/preflight/order.go", "strings.Compare(a.name, b.name)", "strings.Compare(b.name, a.name)", "", "plan: "},
	{"plan: a PDB that allows one is said to allow none", "assess/preflight/preflight.go", "func Budget(s *assess.Reader, p *world.Pod) string {\n\tgate := drain.GateOf(s.W, p, func(string) int { return 0 })", "func Budget(s *assess.Reader, p *world.Pod) string {\n\tgate := drain.GateOf(s.W, p, func(string) int { return 1 })", "", "plan: "},
	{"plan: a PDB that allows one does not say that its pods take turns", "assess/preflight/preflight.go", "if c.pods <= allowed {", "if c.pods <= max(2, allowed) {", "", "plan: "},
	{"kops: what a node lacks stands in the place of its group", "validation/validate.go", "text.NodeUnready(n.Name, p.Name, n.Trouble)", "text.NodeUnready(n.Name, n.Trouble, p.Name)", kopsPlay, "validation: "},
	{"kops: a group that is not complete is no group", "validation/validate.go", "v.add(InvalidGroup, p.Name, p, text.GroupIncomplete", "v.add(p.Name, InvalidGroup, p, text.GroupIncomplete", kopsPlay, "validation: "},
	{"plan: a pool has no zones before its run has begun", "strategy/gardenerzones.go", "if len(r.Zones) > 0 {", "if len(r.Zones) >= 0 {", gardenerPlay, "plan: "},
	{"10: no attempt after a gap", "node.go", "if !s.Run.Gap.IsZero() && !n.Tried.After(s.Run.Gap)", "if false", "", "rule 10: "},
	{"10: a blind run waits without end", "time.go", "if b.For >= limit && running {", "if b.For < 0 {", kopsPlay, "every wait ends: "},
	{"10: a blind run is silent", "time.go", "s.Report(record.Event{Type: record.Warning, Reason: record.ReasonBlind", "_ = (record.Event{Type: record.Warning, Reason: record.ReasonBlind", kopsPlay, "every wait is told: "},
	{"10: a blind run pauses early", "time.go", "limit := r.Settings.ValidateTimeout", "limit := r.Settings.ValidateTimeout / 2", kopsPlay, "rule 10: the run has paused"},
	{"11: pods that the controller deletes past budgets are not told", "force.go", "reportPassed(s, was)\n", "_ = was\n", manualPlay, "was deleted past its budget, and that is not told"},
	{"11: what went while nobody looked was deleted", "force.go", "case unwatched:", "case unwatched && false:", manualPlay, "was deleted past its budget 0 times"},
	{"found: the template stays though the nodes that ran it are retired", "retire.go", "!s.RestoreTemplate() || !s.UnmarkAll() || !s.ResumeEven()", "!s.UnmarkAll() || !s.ResumeEven()", "Scenario/abort_retire_template", "nodes run it"},
	{"11: a pod that went with its machine was deleted past its budget", "force.go", "case was.Inferred && s.W.Node(was.Node) == nil:", "case was.Inferred && was.Node == \"\":", "Scenario/gardener_inplace_machine_ends", broken},
	{"11: what was seen to go went unseen", "force.go", "unwatched := s.Run.Watched.IsZero() ||", "unwatched := true ||", manualPlay, "pods are told to have gone unseen"},
	{"nothing twice: a lost answer passes for a no", "ensure.go", "case record.Unknown:\n\t\t\tp.Expires = s.Now\n", "case record.Unknown:\n\t\t\tdelete(s.Run.Pending, o.Key)\n\t\t\tcontinue\n", "", "nothing twice: "},
	{"nothing twice: a resumed run forgets what it has asked for", "takeover.go", "p.Expires = now\n\t\tr.Pending[key] = p", "delete(r.Pending, key)", "", "nothing twice: "},
	{"write first: a mark that the record does not know", "mark.go", "Foreign: put.IsSeen(s.W) || named(&s.Reader, put)}\n\t\ts.remember(m)", "Foreign: put.IsSeen(s.W) || named(&s.Reader, put)}", "", "write first: "},
	{"write first: a process that the record does not know", "capacity.go", "s.Run.Suspended = append(s.Run.Suspended, process)", "", "", "write first: "},
	{"freshness: acting on what is old", "ensure.go", "if !s.Fresh(src) {\n\t\t\treturn false", "if src == \"\" {\n\t\t\treturn false", "", "freshness: "},
	{"budgets: more evictions than a budget allows", "evict.go", "case gate.Open && (due || c.known.Closed) && !anyOf(gate, asked):", "case due:", "", "budgets: "},
	{"approval: nobody is asked", "batch.go", "how == record.ApproveNone || how == record.ApprovePhase {", "how != \"\" {", "", "approval: "},
	{"hooks: a drain that they have not let go", "gate.go", "if letGo(s, id) {\n\t\ts.startDrain(id)\n\t} else {\n\t\tr.about = append(r.about, id)\n\t}", "letGo(s, id)\n\ts.startDrain(id)", "", "hooks: "},
	{"hooks: who waits for them holds no slot", "gate.go", "slots -= len(asked)", "", "", "hooks: "},
	{"hooks: the run ends before they have run", "end.go", "if len(s.Run.PendingHooks) > 0 {", "if false {", "", "hooks: "},
	{"from elsewhere: a run forgets what it has obeyed", "commands.go", "s.Run.HandledCommands = append(s.Run.HandledCommands, ack)", "", "", "from elsewhere: "},
	{"from elsewhere: what a sender says of itself counts as known", "record/command.go", "text.Sender(c.By, c.Client, c.Claimed)", "text.Sender(c.By, c.Client, false)", "", "from elsewhere: "},
	{"movers: a node that others drain is drained as well", "assess/movers.go", "return s.takenNodes()[node] }", "return \"\" }", "", "movers: "},
	{"movers: an instance refresh does not pause the run", "assess/movers/group.go", "Since: r.Since, Acts: true, Handling: record.HandlingRefused", "Since: r.Since, Acts: true, Handling: record.HandlingLeft", "", "movers: "},
	{"movers: annotations stay", "record/mark.go", "\ta.Kind = KindOf(m.Put.Kind).Undo\n", "\tif m.Put.Kind != Annotate {\n\t\ta.Kind = KindOf(m.Put.Kind).Undo\n\t}\n", "", "rule 4: mark of ours left"},
	{"snapshots: every row is a new one", "snapshot/view.go", "b.moves() {\n\t\t\t\trow = rowOf(s, was.ID, n, b.crashing)\n\t\t\t}\n\t\t\tif sameRow(was, row) {", "true {\n\t\t\t\trow = rowOf(s, was.ID, n, b.crashing)\n\t\t\t}\n\t\t\tif was == row {", "", "snapshot: "},
	{"snapshots: a pod that must leave is said to stay", "snapshot/details.go", "return StageTerminating", "return StageIgnored", "", "snapshot: "},
	{"snapshots: a budget that allows none does not say why", "snapshot/details.go", "case d.Allowed > 0 && d.Current:", "case d.Current:", "", "snapshot: "},
	{"rule 4: a run succeeds before all machines have joined", "strategy/eksdown.go", "complete := s.WatchLaunches(missing)\n", "complete := s.WatchLaunches(missing) || s.Run.Others > 0\n", "Scenario/eks_foreign_raise_never_joins", ""},
	{"sizes: a raise by others stops scale down for good", "capacity.go", "s.Run.Foreign == \"\" || s.Excess() == 0", "s.Run.Foreign == \"\"", "Scenario/eks_scale_down_foreign_raise_gone", ""},
	{"launches: nobody watches them while nodes drain", "strategy/eks.go", "\ts.WatchLaunches(s.AwaitedLaunch())\n", "", "Scenario/eks_replacement_never_joins", ""},
	{"launches: the time of what is missing never ends", "launches.go", "case s.Run.PhaseWait == nil || s.JoinedSince(", "case true || s.JoinedSince(", "", "changed: the run counts as changed"},
	{"launches: a machine's own time never ends", "assess/launches.go", "s.Run.Nodes.Peek(id).Wait != nil && s.Over(s.Run.Nodes.Peek(id).Wait) &&", "s.Run.Nodes.Peek(id).Wait == nil &&", "Scenario/eks_foreign_raise_never_joins", ""},
	{"launches: machines that are terminated count as there", "assess/launches.go", "there := s.facts().with[counted]\n\tmissing := want - len(there)\n", "there, missing := map[string]bool{}, want\n\tfor _, m := range s.W.Machines() {\n\t\tif counts(m) {\n\t\t\tmissing--\n\t\t}\n\t}\n", "Scenario/eks_overdue_while_refused", "launches: "},
	{"found: a machine whose end is refused counts as there, and its size as lowered", "assess/facts.go", "counts(m) && !n.Decrement)", "counts(m))", "Scenario/eks_overdue_while_refused", broken},
	{"launches: a drain starts beside an overdue one", "gate.go", "len(machines) == 0 || s.overdue != \"\"", "len(machines) == 0", "Scenario/eks_overdue_starts_nothing", ""},
	{"launches: a run that has drained fails", "launches.go", "if !assess.HasDrained(&s.Run) {", "if true {", "Scenario/eks_replacement_never_joins", ""},
	{"retire: a phase without a time of its own", "retire.go", "case s.Over(s.Run.PhaseWait):", "case s.Run.Retire:", "Scenario/retire_bounded", ""},
	{"retire: AZRebalance moves machines meanwhile", "retire.go", "range s.Rules.Suspends() {", "range s.Rules.Suspends()[:0] {", "Scenario/retire_later", ""},
	{"retire: the run ends before the hooks after a node", "retire.go", "if s.EndsOpen() || len(s.Run.PendingHooks) > 0 {", "if s.EndsOpen() {", "Scenario/retire_hooks", ""},
	{"retire: what is left is not named", "retire.go", "\ts.finishEarly()\n", "\ts.finish(s.Run.Result)\n", "Scenario/retire_bounded", ""},
	{"retire: the run forgets how it ended", "commands.go", "case keepsResult(&s.Run):", "case false:", "Scenario/retire_keeps_result", ""},
	{"retire: what is left counts as taken back", "retire.go", "if why := raiseStays(&s.Reader); why != \"\" {", "if why := raiseStays(&s.Reader); why == \"-\" {", "", "rule 4: the group has"},
	{"retire: a node that is marked as surplus leaves the zones uneven", "retire.go", "unmarked(byZone[zone][0]) >= 0", "unmarked(byZone[zone][0]) > 0", "", "retire: "},
	{"retire: one machine more than are too many", "retire.go", "s.Retire(s.Excess())", "s.Retire(s.Excess() + 1)", "", "retire: "},
	{"retire: what the run before left suspended stays so", "retire.go", "return !w.Group.HasSuspended(process)", "return true", "Scenario/retire_maximum", "rule 4: AZRebalance is not as it was before"},
	{"rule 4: machines are retired in whichever zone they are", "strategy/eks.go", "staying[zone] > staying[fullest]", "staying[zone] < staying[fullest]", "", "rule 4: machines in the zones"},
	{"watch: why no drain starts is not written down", "gate.go", "s.changed = s.changed || s.Run.Gate != why\n", "\n", "", "watch: "},
	{"watch: that the driver sees nothing is not written down", "decide.go", "!slices.Equal(s.Run.Blind, r.Blind) || ", "", "", "watch: "},
	{"watch: what stands still for the driver runs for who watches", "time.go", "s.countTime(nil)\n", "\n", "", "watch: "},
	{"snapshots: rows grow old", "snapshot/view.go", "if b != z.bases[j] || b.moves() {", "if b.moves() {", "", "snapshot: "},
	{"kops: no validation", "validationwait/validationwait.go", "if !validate(s, count, owed) {\n\t\t\treturn false\n\t\t}", "", kopsPlay, "rule 1: "},
	{"kops: none at the start", "strategy/kops.go", "if !k.bare(s) && !validationwait.First(s) {", "if k.bare(s) && !validationwait.First(s) {", kopsPlay, "before the cluster was found valid"},
	{"kops: one look more than is needed", "validationwait/validationwait.go", "v.Passes >= need {", "v.Passes > need {", kopsPlay, "validation: "},
	{"kops: one look is enough", "validationwait/validationwait.go", "v.Passes >= need {", "v.Passes >= 1 {", kopsPlay, "validation: it passed after"},
	{"kops: looks that see nothing", "validationwait/validationwait.go", "v.Looked, v.Failures = s.Now, s.Invalid()", "v.Looked, v.Failures = s.Now, nil", kopsPlay, "validation: a look finds"},
	{"kops: looks right after the end", "validationwait/validationwait.go", "record.NameOf(id, s.Run.Nodes.Get(id)), s.Run.Nodes.Peek(id).PendingValidation.Add(s.Run.Settings.Interval)", "record.NameOf(id, s.Run.Nodes.Get(id)), s.Run.Nodes.Peek(id).PendingValidation", kopsPlay, "rule 1: "},
	{"kops: a node without a network is Ready", "validation/validate.go", "if !n.Ready || n.NoNetwork {", "if !n.Ready {", "Scenario/kops_no_network", ""},
	{"kops: a pod behind a readiness gate fails a validation", "validation/validate.go", "case len(p.Unready) > 0:", "case !p.Ready:", "Scenario/kops_readiness_gate", ""},
	{"kops: a container that is not ready is no failure", "validation/validate.go", "case len(p.Unready) > 0:", "case false:", kopsPlay, "validation: a look finds"},
	{"kops: a node's pods count whose machine the cloud does not tell of", "validation/validate.go", "label := n.Labels[world.KopsGroup]", "label := \"\"", "Scenario/kops_other_group_pods", ""},
	{"kops: a group without its Auto Scaling group is valid", "validation/validate.go", "if p.Missing {", "if false {", "Scenario/kops_group_missing", ""},
	{"kops: a look at what the cloud said before it was due", "validationwait/validationwait.go", "read.After(last) && !read.Before(due)", "read.After(last)", kopsPlay, "validation: a look rests on"},
	{"kops: a look waits for the next poll", "validationwait/validationwait.go", "\t\ts.ReadCloud()\n", "", "Scenario/kops_look_when_due", ""},
	{"kops: no majority of the control plane", "strategy/kopsquorum.go", "left <= n/2 {", "left < 0 {", "Scenario/kops_quorum_others", "BROKEN"},
	{"kops: a majority of one less", "strategy/kopsquorum.go", "left <= n/2 {", "left < n/2 {", "Scenario/kops_quorum_others", "BROKEN"},
	{"kops: as many of the control plane at once as asked for", "strategy/kopssurge.go", "limit = min(limit, spare)", "limit = max(limit, spare)", "Scenario/kops_quorum", ""},
	{"kops: a warm pool that alone is outdated stays", "strategy/kops.go", "if s.WarmAlone() && !s.EndWarm(s.Run.Target.Templates) {", "if false {", "Scenario/kops_warm_alone", "BROKEN"},
	{"kops: a warm pool is ended whether or not the cluster is valid", "strategy/kops.go", "if s.WarmAlone() && !k.bare(s) && !validationwait.First(s) {", "if false {", "Scenario/kops_warm_alone", "BROKEN"},
	{"kops: half of the time to get valid", "validationwait/validationwait.go", "End: start.Add(s.Run.Settings.ValidateTimeout)", "End: start.Add(s.Run.Settings.ValidateTimeout / 2)", kopsPlay, "rule 10: "},
	{"kops: a slot that is free too early", "assess/gate.go", "case record.Draining, record.Settling, record.Updating:\n\t\treturn true\n\tcase record.Terminating:", "case record.Draining, record.Updating:\n\t\treturn true\n\tcase record.Terminating:", kopsPlay, "rule 1: "},
	{"kops: one more than may surge", "retire.go", "if have >= want || s.failed {", "if have > want || s.failed {", kopsPlay, "detach: "},
	{"kops: the first surge is not waited for", "strategy/kopssurge.go", "want = min(want, earlier(&s.Run)+1)", "want = min(want, 99)", kopsPlay, "detach: "},
	{"kops: the control plane surges", "strategy/kopssurge.go", "w.Group.Role == world.RoleControlPlane || ", "", kopsPlay, "a group that does not surge"},
	{"kops: detached machines are forgotten", "end.go", "\ts.listUnrestoredDetached()\n\ts.listUnrestoredGroup()\n", "\ts.listUnrestoredGroup()\n", kopsPlay, "stays detached, and nothing says so"},
	{"kops: ended through the group", "node.go", "Direct: s.Capabilities().Direct, ", "", kopsPlay, "capacity: "},
	{"kops: ended behind a load balancer", "isolate.go", " || !deregistered(s, id, n) {", " {", kopsPlay, "balancer: "},
	{"kops: out of the load balancers before the cordon", "isolate.go", "!s.Mark(record.CordonOf(id, n.Name)) || !s.Mark(record.LabelOf(id, n.Name, record.ExcludeLabel, \"true\")) || !deregistered(s, id, n) {", "!deregistered(s, id, n) || !s.Mark(record.CordonOf(id, n.Name)) || !s.Mark(record.LabelOf(id, n.Name, record.ExcludeLabel, \"true\")) {", kopsPlay, "balancer: "},
	{"10: the time of an unhealthy node begins again with its hooks", "hook.go", "n.Wait = waitAfterHooks(n)", "n.Wait = nil", gardenerPlay, "rule 10: the health timeout of"},
	{"gardener: a zone rolls without its share", "strategy/gardenerzones.go", "if z.out >= share.most() {", "if z.out >= 2*share.most() {", gardenerPlay, "zones: "},
	{"gardener: a zone with too few nodes continues", "strategy/gardenerzones.go", "z.serve-1 < floor {", "z.serve+1 < floor {", gardenerPlay, "zones: "},
	{"gardener: evictions before the cordon", "isolate.go", "return n.Isolated || !isolatesFirst(s) ||", "return true || !isolatesFirst(s) ||", gardenerPlay, "cordon: "},
	{"gardener: half of the tries are enough", "evict.go", "c.known.Rounds < n ||", "c.known.Rounds < (n+1)/2 ||", gardenerPlay, "retries: "},
	{"gardener: tries at a misconfigured budget count", "assess/blockers/forced.go", "return b.Current && b.Expected > 0 &&", "return false && b.Current && b.Expected > 0 &&", gardenerPlay, "retries: "},
	{"gardener: volumes leave together", "evict.go", "if volumeLeaves(&s.Reader, c) {", "if false {", gardenerPlay, "volumes: "},
	{"in place: others are selected beside a failed update", "strategy/gardenermanual.go", "if failed := s.FailureIn(\"\"); failed != \"\" {", "if failed := s.FailureIn(\"\"); false && failed != \"\" {", manualPlay, "in place: "},
	{"in place: budgets are not looked at", "strategy/gardenermanual.go", "if why := s.ShutBudget(n.Name); why != \"\" {", "if why := s.ShutBudget(n.Name); false && why != \"\" {", manualPlay, "in place: "},
	{"in place: one whose update has failed counts once", "strategy/gardenerinplace.go", "p.Done || p.Failed || p.Step", "p.Done || p.Step", inPlacePlay, "that count twice"},
	{"in place: a node that is selected takes no place", "strategy/gardenerzones.go", "stage == record.Terminating || stage == record.Updating || slices", "stage == record.Terminating || slices", "TestUpdatingNodeTakesItsPlace", "a1 is updating: a2 waits for"},
	{"5: what a failing decision has asked for goes out", "end.go", "if a.ReadOnly() {\n\t\t\treturn false\n\t\t}\n\t\tdelete(s.Run.Pending, a.Key)\n\t\treturn true", "return false", "", "rule 5: "},
	{"names: marks come off the next machine of a name", "mark.go", " || node != nil && node.OfAnother(m.Put.Machine) {", " {", "", "names: "},
	{"names: a drain continues with the next machine of a name", "decide.go", "\t\tdropNames(s)\n", "", "", "names: "},
	{"sizes: the raise starts from the plan's", "capacity.go", "{ // it was never asked for: what the group has now is not ours\n\t\ts.rebase()", "{\n\t\ts.Run.RaisedFrom, s.Run.RaisedAt = s.Run.Base, s.Now", "", "sizes: the raise is from"},
	{"sizes: the maximum that others set is lost", "capacity.go", "s.Settled(record.RestoreMaxKey) && g.Sizes.Max != s.Run.MaxSet {", "s.Settled(record.RestoreMaxKey) && false {", "", "sizes: the maximum"},
	{"plan: nodes that the run leaves", "observe.go", "s.Run.Target.Templates[0].Version = 1 << 40", "s.Run.Target.Templates = []world.Template{{Version: 1 << 40}}", "Scenario/mixed_group_ami", ""},
	{"zones: one without a new node is not waited for", "strategy/eks.go", "case noLaunch(&s.W.Group, &s.Run) == \"\":\n", "case false:\n", "Scenario/eks_launch_in_zone_by_name", "zones: the nodes"},
	{"surge: EKS's number whatever is asked for", "strategy/ekssurge.go", "case record.SurgeFit:\n\t\treturn fit(w, r).extra(r)\n", "", "", "surge: "},
	{"surge: fewer than go at once", "strategy/ekssurge.go", "return max(atOnce(r), r.Settings.MaxSurge.Of(r.Base.Desired, true))", "return r.Settings.MaxSurge.Of(r.Base.Desired, true)", "", "surge: "},
	{"surge: a zone without a new node is forgotten", "strategy/ekssurge.go", "return max(n.New, len(withoutNew(r, n.Zones)))", "return n.New", "Scenario/eks_surge_fit_zones", ""},
	{"surge: the room of other nodes does not count", "strategy/ekssurge.go", "return m == nil || r.Nodes.Peek(m.ID).New && !m.Leaving()", "return m == nil && false", "Scenario/eks_surge_fit", ""},
	{"surge: room is given twice", "assess/room/room.go", "\t\t\te.nodes[i].add(p)\n", "", "Scenario/eks_surge_fit_needed", ""},
	{"surge: what pods request does not count", "assess/room/room.go", "r.CPU, r.Memory = p.Needs.CPU, p.Needs.Memory", "r.CPU, r.Memory = 0, 0", "Scenario/eks_surge_fit_requests", ""},
	{"surge: a drain takes the room of pods that moved", "assess/gate.go", "launch == \"\" || stay >= floor {", "launch == \"\" || stay >= min(floor, 0) {", "Scenario/eks_surge_fit_needed", ""},
	{"surge: more than the number that was asked for", "strategy/ekssurge.go", "if r.Settings.Surge == record.SurgeAmount && g.NoLaunchInZone == \"\" {", "if false {", "Scenario/eks_surge_number", ""},
	{"zones: one that gets none is waited for", "strategy/eks.go", "case short <= 0 && !s.LaunchFailedIn(zone):", "case false:", "Scenario/eks_zones_uneven_half_spot", ""},
	{"zones: a lack of capacity in it does not count", "strategy/eks.go", "!s.LaunchFailedIn(zone):", "true:", "Scenario/eks_zone_half_spot_no_room", ""},
	{"sizes: what others set meanwhile is overwritten", "record/sizechange.go", "if a.From == nil {", "if a.From != nil {", "Scenario/sizes_changed_between", ""},
	{"sizes: the end of a machine that others end counts as ours", "node.go", "m != nil && !m.Leaving() // a termination", "m != nil // a termination", "", "sizes: nobody else"},
	{"sizes: an end that was refused counts", "observe.go", "n.Stage == record.Terminating && n.Decrement && s.Settled(", "n.Stage == record.Terminating && false && s.Settled(", "Scenario/terminate_refused_then_killed", ""},
	{"sizes: a raise by others is taken back with ours", "capacity.go", "\t\ts.Run.Others += by\n", "\t\ts.Run.Lowered -= by\n", "Scenario/eks_foreign_plus_one", ""},
	{"sizes: a later run takes what an earlier one has left for the group's size", "record/sizes.go", "r.Inherited, r.MaxSet = &left, now.Max", "r.MaxSet = now.Max", "", "rule 4: the group has"},
	{"sizes: a retry raises on top of what was left", "capacity.go", "max(0, run.Raise-run.Surge())", "run.Raise", "Scenario/eks_retry_takes_back", ""},
	{"sizes: what others may have lowered is taken back", "record/sizes.go", "sure := max(0, left.Desired+changed)", "sure := left.Desired", "Scenario/eks_retry_in_doubt", ""},
	{"sizes: what is in doubt is not named", "end.go", "case left > 0:", "case left > 99:", "Scenario/eks_retry_in_doubt", ""},
	{"sizes: a maximum that the group's size keeps up is inherited", "record/sizes.go", "min(left.Max, left.Sizes.Max-left.Sizes.Desired) <= 0", "left.Max == 0", "Scenario/eks_scale_down_minimum_raised", ""},
	{"sizes: a command lowers the maximum below what others may have set", "capacity.go", "s.AddUnrestored(text.MaxStays(g.Sizes.Max), text.TakesBack(g.Name))", "s.AddUnrestored(text.MaxStays(g.Sizes.Max), text.LowerMax(g.Name, s.Run.Base.Max))", "Scenario/eks_scale_down_foreign_raise", broken},
	{"found: a raise is in doubt where only the minimum has changed", "capacity.go", "s.Run.RaiseUnsure && (g.Sizes.Desired != before.Desired || g.Sizes.Max == to.Max && to.Max != before.Max) {", "s.Run.RaiseUnsure && before.Max > 0 {", "Scenario/raise_not_made_minimum_changed", "raise in doubt"},
	{"found: a raise in doubt is told as a change by others", "capacity.go", "if s.Run.Raised || !s.Run.RaiseUnsure {", "if s.Run.Group != \"\" {", "Scenario/raise_of_inherited_in_doubt", "desired capacity raised from 2 to 3"},
	{"kops: a machine that was detached late counts as gone", "retire.go", "p.Accepted.Add(detachShows)", "p.Asked.Add(detachShows)", "Scenario/detached_from_kops_late", ""},
	{"found: a machine that was detached counts as gone with no look since", "retire.go", "return !s.W.Health[world.Cloud].Fresh.After(shows)", "return s.Now.Before(shows)", "Scenario/detached_from_kops_unseen", ""},
	{"found: the checker knows of a raise that others have set back to what was before", "sim/check/sizes.go", "m != nil && *m.From == *a.From { // others", "m != nil && m.From == nil { // others", "Scenario/raise_of_inherited_set_back", broken},
	{"found: a machine whose detachment has no answer counts as gone", "retire.go", "return busy\n", "return false\n", "Scenario/detached_from_kops_later", ""},
	{"found: the checker has new nodes guarded before the run knows of its raise", "sim/check/mover.go", " || raiseOpen(r) {", " {", "Scenario/autoscaler_raise_unknown", broken},
	{"sizes: a minimum that was raised is not minded", "capacity.go", "\ts.takeChange(by)\n\ts.keepMinimum()\n", "\ts.takeChange(by)\n", "Scenario/eks_minimum_raised", ""},
	{"sizes: scale down continues beside a raise", "capacity.go", "by > 0 && s.Excess() > 0 {", "by > 99 && s.Excess() > 0 {", "Scenario/eks_scale_down_foreign_raise", "retire: "},
	{"sizes: a raise that nobody can know of is counted below zero", "capacity.go", "min(to.Desired-before.Desired, g.Sizes.Desired)", "min(before.Desired-to.Desired, g.Sizes.Desired)", "Scenario/raise_of_inherited_in_doubt", ""},
	{"found: a raised minimum passes for a raise of the desired size", "capacity.go", "\treturn by\n}", "\treturn by + s.Run.Others\n}", "Scenario/eks_scale_down_minimum_raised", "nodes left by choice"},
	{"found: another user's maximum passes for the run's raise", "assess/capacity.go", " && sizes.Desired >= r.RaisedFrom.Desired+r.Raise-r.Surge()", "", "Scenario/raise_not_made_maximum_same", "lowered from 5 to 3, not by this run"},
	{"found: another user's maximum and desired size pass for the run's raise", "assess/capacity.go", "sizes.Desired >= r.RaisedFrom.Desired+r.Raise-r.Surge()", "sizes.Desired != r.RaisedFrom.Desired", "Scenario/raise_not_made_maximum_and_size_set", "lowered from 4 to 3, not by this run"},
	{"found: a repeated launch that is turned away was never made", "ensure.go", "if p.Repeated && turnedAway(o) {", "if false {", "Scenario/launch_in_zone_repeated", "raised from 10 to 11, not by this run"},
	{"found: a machine by name is asked for again in vain", "capacity.go", "if slices.Contains(s.Run.AskedZones, zone) {\n\t\treturn", "if _, open := s.Run.Pending[\"launch/\"+zone]; open {\n\t\treturn", "Scenario/launch_in_zone_gone", "launch a machine in b"},
	{"found: the checker can tell what nobody can of a minimum that was not read", "sim/check/check.go", "return desired - c.heritage - c.doubtful }", "return desired - c.heritage }", "Scenario/eks_retry_minimum_unread", broken},
	{"found: the checker holds against a run what others resume as it lowers", "sim/check/sizes.go", " && !s.ResumedAt[process].After(s.View.Health[world.Cloud].Fresh)", "", "Scenario/resumed_as_it_lowers", broken},
	{"sizes: the checker forgives a run what others raised before", "sim/check/retire.go", "b.raised = c.d.Sim.RaisedBetween(b.since, read)", "b.raised = c.d.Sim.RaisedBetween(b.since.Add(-time.Hour), read)", "TestRaisedWhileTakenBack", "explained is true"},
	{"sizes: what was not launched stays desired", "lower.go", "(!s.Run.Holds() || unlaunched", "(true || unlaunched", "Scenario/eks_retry_full_quota", ""},
	{"sizes: the group may end machines while it is made smaller", "lower.go", "case s.SuspendProcess(launching) && s.SuspendProcess(ending):", "case s.SuspendProcess(launching):", "Scenario/eks_retry_full_quota", "desired capacity stays 4 above its base"},
	{"sizes: a lowering is in doubt before anybody can tell", "lower.go", "case l.Unsure > 0 && !asked && size <", "case l.Unsure > 0 && size <", "", "may still be told"},
	{"sizes: a lowering is certain before anybody can tell", "lower.go", "case l.Unsure > 0 && !asked && size >", "case l.Unsure > 0 && size >", "", "changed: "},
	{"sizes: others are blamed for what may be a lowering of our own", "capacity.go", "l.Unsure > 0 && !l.Over ||", "l.Unsure > 1 && !l.Over ||", ownPlay, "nobody can tell whether"},
	{"sizes: a run leaves ends open that nobody has asked for", "record/sizes.go", "if r.RaiseUnsure && !r.Raised {\n\t\tleft.OpenEnds", "if !r.Raised {\n\t\tleft.OpenEnds", "", "the run leaves it open"},
	{"sizes: what others lower ends a lowering", "lower.go", "case l.Unsure > 0 && !asked && size < l.Sizes.Desired:", "case l.Unsure >= 0 && !asked && size < l.Sizes.Desired:", "", "sizes: the desired size stays"},
	{"sizes: one read is enough to lower", "lower.go", "if !read.After(l.Read) {", "if false {", "TestLowerAfterTwoReads", "after the same read"},
	{"sizes: a machine that shows late is ended", "lower.go", "if there <= g.Sizes.Desired ||", "if true ||", "TestLowerKeepsWhatShowsLate", "want a desired size of 5"},
	{"sizes: the group may end machines again with one too many", "lower.go", "return len(standing(&s.Reader)) <= size || l != nil && size < l.Sizes.Desired", "return size >= 0 || l == nil", "TestLowerKeepsWhatShowsLate", "the group may act again"},
	{"template: it goes back while machines run the new one", "capacity.go", "if m.Template == s.Run.Target.Templates[0] && m.Template != s.Run.BaseTemplate {", "if m == nil {", "", "template: "},
	{"3: a pod that is forced has no time to end", "node.go", "case known.Forced && !s.Now.Before(stuck):", "case known.Forced:", "", "grace: "},
	{"3: a node that is heard from again goes with its pods", "node.go", "if n.Lost && unreachableLong(s, n.Name) {", "if n.Lost {", "", "rule 3: "},
	{"2: an order for one pod deletes all", "force.go", "if o.UID != \"\" && o.UID != p.UID || s.Judge", "if s.Judge", "", "rule 2: delete"},
	{"gate: pods that find no node do not count", "assess/gate.go", "\treturn gate{s}.unschedulableReplacement()\n", "\treturn \"\"\n", "", "gate: "},
	{"gate: one node too few", "assess/gate.go", "floor := size - (gate{s}).mayBeUnseen(); stay < floor {", "floor := size - (gate{s}).mayBeUnseen(); stay < floor-1 {", "", "gate: "},
	{"commands: those for another run", "commands.go", "case c.Run != s.Run.ID:", "case c.Run == \"\":", "", "commands: "},
	{"commands: those that have expired", "commands.go", "case s.Now.After(c.At.Add(record.CommandLife)), s.Now.After(c.Expires):", "case c.At.IsZero():", "", "commands: "},
	{"commands: those of long ago", "commands.go", "case s.Now.After(c.At.Add(record.CommandLife)), s.Now", "case s.Now", "", "commands: "},
	{"approval: of what the batch was before", "commands.go", "if c.Batch != b.ID || c.Hash != b.Hash {", "if c.Batch != b.ID {", "", "approval: "},
	{"approval: the hash does not tell batches apart", "batch.go", "h.Write([]byte(m + \"\\n\"))", "h.Write([]byte(m[:1]))", "", "approval: "},
	{"words: what was reported before the lock was lost is never reported again", "live/repeats.go", "\t\t\tr.known = slices.Delete(r.known, i, i+1)\n", "\t\t\t_ = i\n", "TestCompetingDrivers", "tells twice that"},
	{"words: a source that is seen again stays out of sight", "live/freshness.go", "case stale && !known && why == \"\" && !l.World", "case !l.World", "TestCompetingDrivers", "and has told that it does not"},
	{"10: a run that ends and cannot be recorded is kept", "live/unwritten.go", "u.able < endLimit {", "true || u.able < endLimit {", "TestCompetingDrivers", "does not leave"},
	{"an abort waits for the record", "record/command.go", "{ return k != CmdPause && k != CmdAbort }\n\n// Command is", "{ return k != CmdPause }\n\n// Command is", "TestCompetingDrivers", "which needs no record"},
	{"found: what was reported before the lock was lost twice is reported again", "live/repeats.go", "r.known = slices.Clone(r.unsaved)", "r.known, r.unsaved = r.unsaved, nil", "TestReportedOnceAfterTwoLosses", "reported twice"},
	{"7: what came of actions before the lock was lost", "live/loop.go", "if a.term == l.term {", "if a.term <= l.term {", "TestCompetingDrivers|TestLoopForgetsAnswersOfAnEarlierTerm", "earlier term"},
	{"7: a record that others have written since", "live/loop.go", "err := l.save(ctx, d.Run, l.Lock.Lost()); errors.Is(err, ErrLost) ||", "err := l.save(ctx, d.Run, l.Lock.Lost()); false && errors.Is(err, ErrLost) ||", "TestLoopLosesTheRecord", "want ErrLost at once"},

	{"found: surplus that stays is no success", "end.go", "case n > 0: // surplus", "case n > 99: // surplus", "Scenario/surplus_skipped", ""},
	{"found: a node given up holds its slot while it is cordoned", "assess/gate.go", "case record.Skipped, record.NodeFail, record.Ready, record.Surplus:\n\t\treturn !n.Began", "case record.NodeFail:\n\t\treturn !n.Began", "Scenario/surplus_skipped", ""},
	{"found: a raise of which nobody can tell is named", "capacity.go", "if s.Run.RaiseUnsure && !s.Run.Raised && g.Sizes != s.Run.Base {", "if false {", "Scenario/raise_unsure", ""},
	{"found: nothing starts beside a failure", "ensure.go", "s.failed && !a.ReadOnly() || s.unwritten {", "s.unwritten {", "Scenario/fails_and_starts_nothing", ""},
	{"found: nor what was asked for before it", "end.go", "if a.ReadOnly() {\n\t\t\treturn false\n\t\t}\n\t\tdelete(s.Run.Pending, a.Key)\n\t\treturn true", "return false", "Scenario/fails_beside_a_cordon", ""},
	{"found: what was not read is only unknown", "assess/nodes.go", "return !slices.ContainsFunc(s.Run.Sources(), func(src world.Source) bool { return s.W.Health[src].Fresh.IsZero() })", "return true", "Scenario/crash_unsynced_world", ""},
	{"found: the marks of a machine that was detached as it was ended", "observe.go", "node == nil || ours {", "node == nil || n.Stage == record.Terminating {", "Scenario/machine_detached_late", ""},
	{"found: the marks of a machine that was detached before", "observe.go", "node == nil || ours {", "node == nil || n.Stage != \"\" {", "Scenario/machine_detached_settling", ""},
	{"found: an end of what others end takes nothing down", "ensure.go", "if a.Decrement && (o.Already || o.Happened && !o.Shrunk) {", "if false {", "Scenario/node_dies_unseen", ""},
	{"found: the maximum is restored by the size that there is", "capacity.go", "busy && p.Action.Sizes.Max != to.Max {", "busy && false {", "TestRestoreMaxAgain", ""},
	{"found: a launch of which nobody can tell counts", "ensure.go", "case !o.Happened && p.Action.Kind == record.LaunchIn:", "case false:", "Scenario/launch_in_zone_lost", ""},
	{"found: a node's name is given again", "decide.go", "\t\tdropNames(s)\n", "", "Scenario/name_given_again", ""},
	{"found: a list without priority classes", "../providers/kube/objects/decode.go", "out.byNumber[number] = &out.all[i]", "if d.Name != \"PriorityClassName\" {\n\t\t\tout.byNumber[number] = &out.all[i]\n\t\t}", "TestDecodesAlike", "PriorityClassName: TerminationGrace"},
	{"found: a detached machine that others end no longer counts", "retire.go", "n.Stage != record.Outdated && n.Stage != record.Queued\n", "n.Stage != record.Outdated && n.Stage != record.Queued || s.W.Machine(id) != nil && s.W.Machine(id).Leaving()\n", "Scenario/kops_surge_ended", ""},
	{"found: detached machines that the run has not looked at are not named", "retire.go", "!s.Run.Nodes.Has(m.ID) && m.Detached && !m.Leaving() {", "!s.Run.Nodes.Has(m.ID) && false {", "Scenario/kops_abort_before_look", ""},
	{"found: a machine that others take out of the group counts as ended", "assess/validation.go", "ended := n.Ends && (", "ended := (n.Validated || !n.PendingValidation.IsZero()) && (", "Scenario/kops_silent_and_detached", ""},
	{"found: a deregistration is asked for whose time is up", "isolate.go", "Limit: limit})\n\t}\n", "Limit: limit})\n\t}\n\ts.Ensure(record.Action{Kind: record.Deregister, Key: record.DeregisterKey(id), Machine: id, Node: n.Name, Zone: n.Zone, Group: s.Run.Group, Balancers: s.Run.Balancers, Limit: limit})\n", "Scenario/kops_deregister_given_up", ""},
	{"found: how a mover is handled is not written", "record/externalmover.go", "r.How == other.How && r.WayOut == other.WayOut && ", "r.Handling == other.Handling && ", "TestRecordOfMovers", "the record is not written"},
	{"found: an eviction under way counts as a refusal of its budget", "evict.go", "blockers.GateOf(&s.Reader, c.pod.UID) // by", "c.gate // by", "Scenario/gardener_eviction_unanswered", ""},
	{"found: the run ends while the fate of its restore is open", "capacity.go", "if from == to { // once it is known what became of a lower one that was asked for before\n\t\treturn s.Settled(record.RestoreMaxKey)", "if from == to {\n\t\treturn true", "Scenario/restore_lost_then_raised", ""},
	{"found: the checker knows whose a raise without an answer is", "sim/check/end.go", "!s.Grew && c.raised", "false && c.raised", "Scenario/raise_taken_for_ours", broken},
	{"found: the checker counts nodes that serve nobody against their zone", "sim/check/gardener.go", "works && other.Zone == zone && (c.worksOn(other.ID) || c.takesPods(other)) {", "works && other.Zone == zone {", "Scenario/gardener_zone_beside_ended", broken},
	{"found: a look that is heard of late counts as one of now", "node.go", "if !o.At.IsZero() && o.At.Before(s.Now) {", "if false {", "Scenario/look_heard_late", ""},
	{"found: a machine that is ended for good is there and expected", "strategy/gardenerzones.go", "if !ours || stage != record.Terminating || !n.Decrement {", "if true {", "Scenario/gardener_zone_short", ""},
	{"found: the checker takes a detached machine that is left alone for a surge", "sim/check/kops.go", "left.Stage == record.Skipped && left.Began.IsZero() {", "false && left.Stage == \"\" {", "Scenario/kops_only_beside_detached", broken},
	{"found: the checker frees no slot where others are first", "sim/check/kops.go", "(c.ended[id] && !c.kops.refused[id] || c.d.Run.Nodes.Peek(id).Stage == record.Terminating) {", "c.ended[id] {", "Scenario/kops_ended_by_both", broken},
	{"found: the simulator makes no node for a machine that has left its group", "sim/peer.go", "&& !slices.Contains(p.outside, id) {", "{", "TestNodeOutsideReturns", "the node does not return"},
	{"found: the simulator marks what the watch has told before", "sim/script/moves.go", "maps.Clone(before.Annotations)", "before.Annotations", "TestMoveEnds", "the mark is still there"},
	{"found: a drain that begins once more does not cordon", "node.go", "\tn.Isolated = n.Isolated && !s.Capabilities().CordonsFirst //", "\t//", "Scenario/gardener_cordoned_again", ""},
	{"found: the checker looks for a new specification at the first detach", "sim/check/kops.go", "if k.begun || len(", "if !k.first.IsZero() || len(", "Scenario/kops_tried_and_gone", broken},
	{"found: the checker has bastions detached before stand in for nothing", "sim/check/kops.go", "at.IsZero() || at.Before", "at.Before", "Scenario/kops_bastions_detached_before", broken},

	{"in place: old nodes end before their zone has enough new ones", "strategy/gardenerinplace.go", ".fresh >= s.Run.Zones[zone]", ".fresh+1 >= s.Run.Zones[zone]", inPlacePlay, "is drained to be ended"},
	{"found: that a node is not detached any more is not written down", "observe.go", "n.Detached, s.changed = m.Detached, true", "n.Detached = m.Detached", "TestRecordOfDetached", "is not detached any more"},
	{"found: time to validate begins when a look was due that could not be taken", "validationwait/validationwait.go", "latest(v.Next, s.Now) // a look", "v.Next // a look", "Scenario/kops_ends_while_paused", "rule 10: "},
	{"found: the checker counts pods on machines that others end first", "sim/check/valid.go", "return out || c.kops.freed[id] || c.endedYet(id)", "return c.endedYet(id) || out && false", "Scenario/kops_ended_unreachable", broken},
	{"found: the checker takes a detached machine whose end got lost for ended", "sim/check/valid.go", "c.ended[id] && (m == nil || m.Leaving() || stage", "c.ended[id] && (m != nil || m.Leaving() || stage", "TestEndThatGotLost", "passes for ended"},
	{"found: the checker has a run of named nodes wait for Gardener", "sim/check/end.go", "len(r.Target.Only) > 0 && (seen == nil", "len(r.Target.Only) > 99 && (seen == nil", "Scenario/gardener_only_before_it_begins", broken},
	{"facts: a node of the run", "nodes.go", "s.Run.Nodes = s.nodes.With(s.Run.Nodes, id, n)\n\ts.Invalidate(id)\n", "s.Run.Nodes = s.nodes.With(s.Run.Nodes, id, n)\n", "TestFacts", "kept as"},
	{"facts: a node that the run drops", "nodes.go", "s.Run.Nodes = s.nodes.Without(s.Run.Nodes, id)\n\ts.Invalidate(id)\n", "s.Run.Nodes = s.nodes.Without(s.Run.Nodes, id)\n", "TestFacts", "kept as"},
	{"facts: a mark that is put", "mark.go", "= list\n\ts.Invalidate(m.Put.Machine)\n", "= list\n", "TestFacts", "kept as"},
	{"facts: a mark that comes off", "mark.go", "s.copyMarks()\n\ts.Invalidate(m.Put.Machine)\n\tif list", "s.copyMarks()\n\tif list", "TestFacts", "kept as"},
	{"facts: a node of the world", "world/world.go", "w.nodeOf[n.Machine] = n\n\t\tw.changed(ChangedMachine, n.Machine)\n", "w.nodeOf[n.Machine] = n\n", "TestChanges", "the changes are"},
	{"facts: a machine of the group", "world/world.go", "\t\tw.changed(ChangedMachine, m.ID)\n\t\twas :=", "\t\twas :=", "TestChanges", "the changes are"},
	{"facts: a machine that left the group", "world/world.go", "\t\tw.changed(ChangedMachine, m.ID)\n\t\tdelete(", "\t\tdelete(", "TestChanges", "the changes are"},
	{"facts: a machine whose node was deleted", "world/world.go", "w.nodeOf[old.Machine] == old {\n\t\tdelete(w.nodeOf, old.Machine)\n\t\tw.changed(ChangedMachine, old.Machine)\n", "w.nodeOf[old.Machine] == old {\n\t\tdelete(w.nodeOf, old.Machine)\n", "TestChanges", "the changes are"},
	{"facts: the machine of a name", "world/world.go", "w.changed(ChangedName, n.Name)", "_ = n.Name", "TestChanges", "the changes are"},
	{"facts: a name whose node was deleted", "world/world.go", "\tw.changed(ChangedName, name)\n", "", "TestChanges", "the changes are"},
	{"workloads: a PDB that covers other pods counts as before", "world/world.go", "if old == nil || !sameSelector(old.Selector, b.Selector) {", "if old == nil {", "TestNowFollowsBudgets", "requires"},
	{"workloads: a PDB that is gone counts", "world/world.go", "\t\tw.coverage++\n\t\tw.budgetsOf.take(b)\n", "\t\tw.budgetsOf.take(b)\n", "TestNowFollowsBudgets", ""},
	{"lists: a node that has changed stays in its list as it was", "world/world.go", "w.renewed = append(w.renewed, n)", "w.renewed = nil", "TestListsAreAsThingsAre", "the nodes are"},
	{"lists: a machine that has changed stays in its list as it was", "world/world.go", "\t\t\tw.places[i] = m\n", "", "TestListsAreAsThingsAre", "is another one than listed"},
	{"lists: a list that was given away changes", "world/world.go", "\t\tw.places = slices.Clone(w.places)\n", "", "TestListsAreAsThingsAre", "was changed"},
	{"facts: a pod that is gone", "world/world.go", "\tw.changed(ChangedPod, uid)\n\tdelete(w.pods, uid)\n", "\tdelete(w.pods, uid)\n", "TestChanges", "the changes are"},
	{"facts: a pod of the run", "nodes.go", "s.Run.Pods = s.pods.With(s.Run.Pods, uid, p)\n\tassess.InvalidatePod(&s.Reader, uid)\n", "s.Run.Pods = s.pods.With(s.Run.Pods, uid, p)\n", "TestFacts", "absent pods"},
	{"facts: a pod that the run drops", "nodes.go", "s.Run.Pods = s.pods.Without(s.Run.Pods, uid)\n\tassess.InvalidatePod(&s.Reader, uid)\n", "s.Run.Pods = s.pods.Without(s.Run.Pods, uid)\n", "TestFacts", "absent pods"},
	{"facts: the queue", "assess/facts.go", "if was.stage == record.Queued || now.stage == record.Queued {", "if now.stage == record.Queued {", "TestFacts", "queue is kept"},
	{"progress: an approved batch is not queued", "batch.go", "n.Stage == record.Outdated {\n\t\t\tn.Stage, n.Since, n.Batch = record.Queued", "n.Stage == record.Queued {\n\t\t\tn.Stage, n.Since, n.Batch = record.Queued", "", "progress: "},
	{"found: a watch that is not answered is waited for without end", "../providers/kube/transport/answer.go", "late := time.AfterFunc(limit, stop)", "late := time.AfterFunc(100*limit, stop)", "TestSilentAPI", "was given up after"},
	{"found: what a node has after its update in place passes for what it had", "snapshot/view.go", "case n.Stage == record.Replaced && n.Old != \"\" && version != n.Old:", "case false && n.Old != \"\" && version != n.Old:", "TestVersionsOfNodesUpdatedInPlace", "from \"v1.31.7, v1.32.4\""},
	{"found: an update that is over starts its phases again", "strategy/eksmanaged.go", "case ended || h != nil && h.Restoring:", "case false && (ended || h != nil):", "TestFollowedPastItsConfiguration", "phases are"},
	{"found: a node without pods is named and not named in turn", "strategy/eksmanaged.go", " || waitsEmpty(s, n)) {", ") {", "TestFollowedEmptyNodeIsNamedOnce", "told "},
	{"found: nodes are named by how quiet the phase before was", "strategy/eksmanaged.go", "s.Enter(found.Phase)\n\t\tp = Picture(&s.Reader)\n\t\tfound = mng.Infer(p)\n", "s.Enter(found.Phase)\n", "TestFollowedQuietSinceItsPhase", "named at once"},
	{"updates: when marks were put counts for nothing", "strategy/eksmanaged.go", "if known && !last.Before(s.W.Group.Managed.Update.Since) {", "if !known || last.Before(s.W.Group.Managed.Update.Since) {", "TestStartedUpdates", "it is so for"},
	{"found: a MINIMAL update that is over was in no upgrade", "strategy/eksmanaged.go", "\tcase m.Minimal:\n\t\ts.Enter(upgrade)", "\tcase m.Minimal:\n\t\ts.Enter(s.Phase())", "TestFollowedMinimalToItsEnd", "succeeded"},
	{"found: a row does not show that the end of an interrupted wait moves", "snapshot/view.go", " && sameWait(a.Interrupts, b.Interrupts)", "", "TestRowWithAnInterruptedWait", "is the same although"},
	{"found: a process counts as suspended before that could be asked for", "capacity.go", "asked && !ours {", "(asked || !ours) && !ours {", "TestSuspendedIsWhatWasAskedFor", "count as suspended"},
	{"found: zones that are not in the record count for the driver", "strategy/gardenerzones.go", "if len(r.Zones) > 0 {", "if r.Zones != nil {", "TestNoZonesInTheRecord", "the driver expects 0 machines more"},
	{"found: sizes that change while a phase waits for approval are not written", "decide.go", "s.changed || boundsChanged(&r, &s.Run) ||", "s.changed ||", "TestBoundsAreWritten", "counts as changed: false"},
	{"found: that an end by others takes nothing down is not written", "observe.go", "n.Decrement, s.changed = false, true // others", "n.Decrement = false // others", "TestEndedByOthersIsWritten", "is not written down"},
	{"found: a pod is forgotten before its deletion is answered", "observe.go", " && s.Settled(record.DeleteKey(uid)) }", " }", "Scenario/force_answer_late", ""},
	{"found: a run with nothing to replace does not wait for new machines", "strategy/kops.go", "if s.Run.State == record.Running && s.WatchLaunches(s.Missing()) {\n\t\tk.finish(s)", "if s.Now.After(s.Run.Started) {\n\t\tk.finish(s)", "Scenario/kops_killed_before_look", ""},
	{"found: the name of a queued node is given again", "assess/facts.go", "n.Stage != record.Replaced && anothers(s, ", "n.Stage != record.Replaced && n.Stage != record.Queued && anothers(s, ", "Scenario/gardener_inplace_name_given_again", ""},
	{"found: the checker has drains end in time that cannot", "sim/play/progress.go", "late.explains(id, r.Nodes.Get(id), r)", "late.explains(id, r.Nodes.Get(id), r) && false", "TestRepairTooLate", "progress: "},
	{"found: that an end is no longer in doubt is not written", "capacity.go", "s.Run.Doubted, s.changed = 0, true", "s.Run.Doubted = 0", "TestRecordOfDoubted", "the record is not written"},
	{"found: the checker has the run know of a node that is deleted as it ends", "sim/check/end.go", "seen == nil || !seen.Ready { // else", "n == nil || seen == nil || !seen.Ready { // else", "Scenario/node_deleted_at_the_end", broken},
	{"found: a run lacks the machine that its group had too many", "launches.go", "s.Run.Forgone = max(0, s.NotLaunched(s.Run.Expected()))", "s.Run.Forgone = s.NotLaunched(s.Run.Expected())", "Scenario/begun_with_one_too_many", "lacks none"},
	{"minimal: a run ends before it has looked what there is to replace", "strategy/eksminimal.go", "len(s.Run.Order) == 0 && (!choose(s) || s.AddUnrestoredLate(0, 0))", "len(s.Run.Order) == 0", "", "found after the last phase began"},
	{"canary: one is watched where none goes first", "batch.go", "!assess.CanaryStarted(&s.Run) {\n\t\treturn true\n", "!assess.CanaryStarted(&s.Run) {\n", "", "what has replaced a canary is watched"},
	{"canary: one that has passed is watched again", "batch.go", "s.Run.Canary.Passed {\n\t\treturn true\n", "s.Run.Canary.Passed {\n", "", "the canary was told to be healthy"},
	{"evictions: a pod that came back is one like any other", "evict.go", "if known.Returns > 0 {\n\t\treturn known", "if known.Returns >= 0 {\n\t\treturn known", "", "to which it has come back"},
	{"evictions: a pod that its PDB always lets go waits", "drain/drain.go", "(b.AlwaysAllow || b.Healthy", "(b.Healthy", gardenerPlay, "can be evicted at once"},
	{"retries: a PDB that never opens takes one of a pod's tries", "evict.go", "\t\tp.Rounds = 0\n", "\t\tp.Rounds = 1\n", gardenerPlay, "retries: force order"},
	{"movers: a node in Standby waits to be replaced", "observe.go", "(drains || n.Stage == record.Outdated ||", "(drains ||", kopsPlay, "stands by"},
	{"sizes: a machine is asked for before the maximum leaves room for it", "capacity.go", "\t\tif !s.Ensure(record.Action{Kind: record.SetSizes, Key: higher,", "\t\tif s.Ensure(record.Action{Kind: record.SetSizes, Key: higher,", "", "as far as is known"},
	{"singles: a run ends before they are set back", "end.go", "\tif !restoreSingles(s) {\n\t\ts.WakeAt(s.Now.Add(time.Second))\n\t\treturn\n", "\tif !restoreSingles(s) {\n\t\ts.WakeAt(s.Now.Add(time.Second))\n", ownPlay, "leaves it to others to set back"},
	{"launches: drains wait for what others have added", "assess/launches.go", "s.Run.Expected()-max(0, s.Run.Others)", "s.Run.Expected()-min(0, s.Run.Others)", "", "lacks none"},
	{"found: what others take off of the group counts as a part of what the run takes back", "capacity.go", "\ts.Run.Others += by\n\tkeep(", "\ts.Run.Lowered -= by\n\tkeep(", "Scenario/raised_then_lowered_by_others", ""},
	{"sizes: a higher minimum keeps more than the raise", "capacity.go", "kept := min(least-run.Base.Desired-run.Others, ", "kept := max(least-run.Base.Desired-run.Others, ", "Scenario/sizes_minimum_and_more", ""},
	{"sizes: a higher minimum keeps more than the raise, at random", "capacity.go", "kept := min(least-run.Base.Desired-run.Others, ", "kept := max(least-run.Base.Desired-run.Others, ", "", "rule 4: "},
	{"sizes: a refused raise passes for one that happened", "assess/capacity.go", "if r.Raise == 0 || !r.RaiseUnsure {", "if r.Raise == 0 {", "Scenario/raise_refused_beside_raise", "group: min 0, max 6, desired 4"},
	{"found: a cordon that is being lifted passes for another user's", "mark.go", " || !s.Settled(record.Mark{Put: put}.Undo().Key) {", " {", "TestMarkWaitsForItsUndo", "counts"},
	{"found: a new node that was lost serves its zone", "strategy/eks.go", "have[n.Zone] || s.ReadyForPods(m, s.W.NodeOf(m.ID))", "true", "Scenario/zone_new_node_lost", broken},
	{"found: a node of the second in which the run began is the run's, though planned", "assess/nodes.go", "return !n.Created.After(started)", "return n.Created.Before(started.Truncate(time.Second))", "TestMadeInTheSecondOfTheStart", "launched before"},
	{"found: a look-up settles what the view is too old for", "ensure.go", "unlike(s, p) && !o.Happened:", "false:", "Scenario/raise_seen_late", broken},
	{"found: the checker has a driver know of a lowering that it has not heard of", "sim/check/sizes.go", "a.From.Desired >= was.From.Desired {", "a.From.Desired < was.From.Desired {", "Scenario/lowering_lost_then_raised", broken},
	{"found: the checker has a driver know of a lowering that it has not heard of once others have raised it further", "sim/check/sizes.go", "a.From.Desired >= was.From.Desired {", "a.From.Desired == was.From.Desired {", "Scenario/lowering_lost_then_raised_more", broken},
	{"found: a machine is ended by looks from before its node was uncordoned", "node.go", "n.Empty, s.changed = (time.Time{}), true;", "s.changed = true;", "Scenario/uncordoned_and_refused", broken},
	{"found: that a node is uncordoned is not noted before the run can continue", "decide.go", "\tnoteUncordoned(s)\n", "\tif known && !s.unwritten {\n\t\tnoteUncordoned(s)\n\t}\n", "Scenario/uncordoned_while_unwritten", broken},
	{"found: a node that settles is not looked at twice again after it was uncordoned", "node.go", "\t\t\tn.Wait = nil\n", "", "Scenario/uncordoned_as_it_settles", broken},
	{"found: the checker has a pod that others stop late keep its node", "sim/check/terminate.go", " && !c.stopsLate(a.Machine, p)", "", "Scenario/force_returned_stops_late", broken},
	{"found: a machine whose end was refused is not looked at again for a pod that stops", "node.go", "s.Fresh(world.Cluster) {\n\t\tif left, _", "false {\n\t\tif left, _", "Scenario/force_returned_stops_refused", broken},
	{"found: the checker takes what others raise meanwhile for the run's raise", "sim/check/check.go", "a.Sizes.Desired > a.From.Desired && c.d.Sim.Group", "c.d.Sim.Group", "Scenario/raise_taken_for_ours_between", broken},
	{"found: the checker takes a machine whose end was never asked for for ended by the run", "sim/check/check.go", "a.Of.Kind == record.Terminate && !o.Happened", "false", "Scenario/kops_end_never_asked", broken},
	{"found: the checker knows whose a raise is that is as large as the run's", "sim/check/sizes.go", " && !c.inDoubt(a.Sizes.Desired-s.Owed())", "", "Scenario/raise_taken_for_ours_unlaunched", broken},
	{"found: a run pauses for a canary after other nodes have begun", "batch.go", "s.Run.State == record.Running && s.Over(c.Wait) {", "false {", "Scenario/canary_pauses_before_hooks", broken},
	{"found: the checker forgets what a request on its way rests on", "sim/check/terminate.go", "if len(v.asked) < 2 {", "if len(v.looks) < 2 {", "Scenario/uncordoned_while_it_ends", broken},
	{"found: the checker takes a pod that was Pending for one that was on the node", "sim/check/terminate.go", "s.PodOf(p.UID).Placed.After(look)", "p.Created.After(look)", "Scenario/uncordoned_for_a_pending_pod", broken},
	{"found: the checker takes a cordon for lifted before the watch tells of it", "sim/check/gardener.go", "seen != nil && seen.Unschedulable && !c.uncordoned[id]", "false", "Scenario/uncordoned_as_it_drains", broken},
	{"found: the checker forgets that MINIMAL waits until replacements are Ready", "live/updates_test.go", "p.k.serving() < p.k.desired {", "len(p.k.machines) < p.k.desired {", "TestStuckBesideReplacement", "while the replacement is not Ready"},
	{"found: a node that was updated before its turn is selected once more", "inplace.go", "node == nil || !s.UpToDate(m)", "node != nil || !s.UpToDate(m)", "Scenario/gardener_inplace_returned_while_updated", ""},
	{"found: the checker counts new nodes that others end while a run ends", "sim/check/service.go", "c.service.spare[id] = working", "c.service.spare[id] = false", "Scenario/retire_beside_abandoned", broken},
	{"found: a pod that came back is not waited for when it ends", "node.go", "case p.ToleratesAll && s.CameBack(p) && p.Terminating() && s.Now.Before(stuck):", "case p.ToleratesAll && s.CameBack(p) && p.Terminating() && s.Now.After(stuck):", "Scenario/force_waits_for_returned", ""},
	{"found: a group that others have set to none keeps one", "record/sizes.go", "return max(r.Base.Desired+r.Others, least) }", "return max(r.Base.Desired+r.Others, least, min(1, r.Base.Desired)) }", "Scenario/eks_lowered_to_none", "rule 4: the group has min 0, max 1, desired 1"},
	{"sizes: a group that others lower below our raise keeps none", "capacity.go", "keep(&s.Run, min(1, s.Run.Base.Desired))", "keep(&s.Run, min(0, s.Run.Base.Desired))", "Scenario/eks_lowered_to_one", broken},
	{"found: a look at a machine that ends passes for our own end of it", "ensure.go", "a.Decrement && (o.Already || o.Happened && !o.Shrunk)", "a.Decrement && o.Already", "Scenario/terminate_lost_after_kill", ""},
	{"found: more is in doubt than the group has", "capacity.go", "return min(s.Run.Doubtful+s.Run.OpenEnds(), most-left), left", "return s.Run.Doubtful + s.Run.OpenEnds(), left", "Scenario/raise_in_doubt_none_left", ""},
	{"found: an end of ours that was looked up is in doubt beside a raise by others", "ensure.go", "o.Happened && !o.Shrunk)", "o.Happened)", "Scenario/terminate_unwritten_then_raised", ""},
	{"found: the checker holds a run to a plan for another template", "sim/check/end.go", " && r.Target.Templates[0] == s.PlannedTo {", " {", "Scenario/template_set_before_setup", broken},
	{"found: the checker tells parts of a second at the start", "sim/check/end.go", "n.Created.Before(began.Truncate(time.Second))", "n.Created.Before(began.Truncate(time.Nanosecond))", "TestOlder", "older"},
	{"found: a gate that our own cordon shuts does not name the way out", "assess/gate.go", "node.Unschedulable && OurCordon(&s.Run, id, node.Name) {\n\t\t\treturn node.Name", "node.Unschedulable && !OurCordon(&s.Run, id, node.Name) {\n\t\t\treturn node.Name", "Scenario/minimal_uncordoned_for_room", ""},
	{"found: a gate that our own taint shuts does not name the way out", "assess/gate.go", "\tif s.taintedAll() {", "\tif s.taintedAll() && false {", "Scenario/tainted_for_room", ""},
	{"found: a run that keeps old machines does not wait for missing launches", "strategy/kopssurge.go", "if !s.WatchLaunches(s.Missing()) {\n\t\t\treturn // others may", "if s.Missing() == \"-\" {\n\t\t\treturn // others may", "Scenario/kops_keep_old_missing", ""},
	{"found: a node that has left its group counts as kept", "end.go", "return s.W.Machine(id) == nil }) {", "return s.W.Machine(id) == nil && id == \"\" }) {", "Scenario/kops_keep_old_missing", ""},
	{"found: the simulator's kubelet is heard again and has no network", "sim/kubelet.go", "n.Ready, n.NoNetwork, n.Unreachable, n.Trouble = true, false, ", "n.Ready, n.Unreachable, n.Trouble = true, ", "Scenario/kops_heard_without_network", ""},
	{"found: the checker knows where EKS is after others have ended all machines", "live/updates_test.go", "return ends > 0 || ended > 0 && ended == len(p.k.olds)", "return ends > 0", "TestPhaseWhereOthersEndAll", "others have ended both"},
	{"updates: any phase may be told as soon as one machine is left that nobody ends", "live/updates_test.go", "case !others:", "case !others && m.Leaving():", "TestPhaseWhereOthersEndAll", "one stays"},
	{"updates: any phase may be told once EKS has ended one", "live/updates_test.go", "ended > 0 && ended == len(p.k.olds)", "ended > 0", "TestPhaseWhereOthersEndAll", "EKS has ended one"},
	{"found: a row of looks continues with another process", "takeover.go", "again.Passes = 0", "again.Passes += 0", "Scenario/kops_look_lost", broken},
	{"found: the checker's process notices what ends before it has read the cluster", "sim/check/blind.go", "read && (m == nil", "(read || m == nil) && (m == nil", "Scenario/kops_killed_unseen", broken},
	{"found: the checker's majority is of a size that nobody has read", "sim/check/kops.go", "all := view.Group.Sizes.Desired", "all := d.Sim.Group.Sizes.Desired", "Scenario/kops_quorum_raised", broken},
	{"found: who plays resumes what a canary's trouble holds", "sim/play/progress.go", "p.Driver.Run.Canary.Holds() {", "p.Driver.Run.Canary.Holds() && false {", "TestHeldCanaryIsAccepted", "the run does not end well"},
	{"updates: nodes are named while EKS waits for a machine that others end", "selfdriven/mng/infer.go", "!unsure && p.Quiet >= quiet", "p.Quiet >= quiet", "TestInfer", "at one of: n1"},
	{"found: the checker counts a guess as under way beside others", "live/updates_test.go", "slices.Contains(run.Candidates, node.Name) && node.Reason ==", "node.Name == \"\" && node.Reason ==", "TestGuessIsNotUnderWay", "probably drained"},
	{"found: the end of a machine is told before it is in the record", "decide.go", "return e.Type == record.NodeTerminating })", "return e.Type == record.NodeTerminating && e.Message == \"\" })", "Scenario/terminating_told_once", broken},
	{"found: the loop tells the end of a machine before it is in the record", "live/loop.go", " || d.SavesFirst() ||", " ||", "TestTellsEndOnceSaved", "told before"},
	{"found: the checker has a process know what was told without a record", "sim/check/end.go", " || c.d.Failing {", " {", "Scenario/terminating_told_unwritten", broken},
	{"found: the checker does not count what a run that ends leaves to others", "sim/check/time.go", "c.leave(usable(k.ending) + usable(k.sight))", "c.leave(usable(k.sight))", "Scenario/retire_beside_handler", broken},
	{"found: a run that ends ends a node with pods that have come back", "end.go", "(!n.New || holdsPods(&s.Reader, n)) {", "!n.New {", "Scenario/abort_before_forced_end", ""},
	{"found: a run that ends ends an unreachable new node with its pods", "end.go", "\treturn pods > 0\n", "\treturn n.Order != \"\" && pods > 0\n", "Scenario/abort_before_unreachable_end", ""},
	{"found: a run that retires before it knew its limit", "retire.go", "if s.Run.Limit == 0 {", "if s.Run.Limit < 0 {", "Scenario/abort_retire_before_setup", broken},
	{"found: no node is new to a run that ended before it had a target", "retire.go", "if len(r.Target.Templates) > 0 {", "if len(r.Target.Templates) >= 0 {", "Scenario/retire_after_abort_in_setup", ""},
	{"found: a pause counts for a run that does not see its cluster", "time.go", "passed <= blackout && was != record.Paused {", "passed <= blackout {", "Scenario/kops_blind_resumed", ""},
	{"found: the checker frees slots after the drains of a decision", "sim/check/check.go", "\tc.looksAround(dec) // what a passed validation frees is free for this decision\n", "\tdefer c.looksAround(dec)\n", "Scenario/kops_free_and_begun", broken},
	{"found: a skipped machine that was detached is no part of the surge", "strategy/kopssurge.go", "aside, asked := s.DetachedAside()", "aside, asked := 0, false", "Scenario/kops_skip_detached", broken},
	{"found: that a machine has left its group is not written down", "retire.go", "n.Detached, s.changed = true, true", "n.Detached = true", "TestLeftIsWritten", "is not written down"},
	{"found: the gate pauses the run over hooks that it has just asked", "gate.go", " && len(assess.HooksUnderWay(&s.Run, record.BeforeNode)) == 0 {", " {", "Scenario/hooks_hold_the_pause", broken},
	{"found: the time of an unhealthy node begins again when its hooks let it go", "hook.go", "n.Wait = waitAfterHooks(n)", "n.Wait = nil", "Scenario/hooks_before_giving_up", ""},
	{"found: hooks that refuse to give up a launch do not pause the run", "hook.go", "return n.New && n.Stage == record.Launching || slices.Contains", "return slices.Contains", "Scenario/hooks_refuse_giving_up", ""},
	{"found: a node that is set apart is not written down", "isolate.go", "!s.Mark(record.CordonOf(id, n.Name)) {\n\t\treturn false\n\t}\n\tn.Isolated, n.Wait = true, drainWait(&s.Reader)\n\ts.SetNode(id, n)\n\ts.changed = true\n", "!s.Mark(record.CordonOf(id, n.Name)) {\n\t\treturn false\n\t}\n\tn.Isolated, n.Wait = true, drainWait(&s.Reader)\n\ts.SetNode(id, n)\n", "TestSetApartIsWritten", "is not written down"},
	{"found: a base above the maximum that others have set", "capacity.go", "min(base.Min, most), most, min(base.Desired, most)", "min(base.Min, most), most, base.Desired", "Scenario/maximum_below_base", broken},
	{"found: the checker forgets at the end of a run that its raise may be others'", "sim/check/end.go", "ours < want && c.inDoubt(ours-want) {", "ours < want && false {", "Scenario/raise_taken_for_ours_then_lowered", broken},
	{"found: the checker knows that a cordon was lifted before the watch shows it", "sim/check/kops.go", " || shown != nil && shown.Unschedulable", " || shown == nil", "Scenario/uncordoned_as_it_leaves", "balancer: "},
	{"found: the checker takes a gap before a drain for one of the drain", "sim/check/time.go", "k.gap.After(n.Since)", "!k.gap.IsZero()", "Scenario/drain_never_tried", "rule 10: "},
	{"found: a kubelet that fell silent takes the node that has its name later along", "sim/kubelet.go", " || s.Truth.NodeOf(m.ID) == nil", "", "Scenario/silent_name_given_again", "is not Ready"},
	{"found: the checker takes the raise of an earlier run for one of this", "sim/check/check.go", "d.Sim.Grew && c.heritage > 0", "d.Sim.Grew", "Scenario/raise_made_by_others_in_a_later_run", "rule 4: "},
	{"found: what does not count any more is not in the record", "decide.go", "return d.voids || slices", "return slices", "Scenario/uncordoned_before_a_crash", broken},
	{"found: the checker takes for ended what a user has taken out first", "sim/check/valid.go", "if c.d.Sim.TakenOut[id] && !c", "if false && !c", "Scenario/taken_before_its_end", broken},
	{"found: the checker holds a failed update against what begins beside it", "sim/check/inplace.go", " && other.Since.Before(d.Sim.Now())", "", "Scenario/returned_beside_another", broken},
	{"found: the checker has a run know of a raise that no read has shown", "sim/autoscaler.go", "s.Tilted, s.ShrunkAt = true, s.now", "s.Tilted = true", "Scenario/raised_as_it_ends", broken},
	{"found: what a user sets while the restoring is refused is restored over", "strategy/eksmanagedconfig.go", "(h.Update != \"\" || h.Restoring ||", "(h.Update != \"\" ||", "TestUpdateConfigOfAnotherUser", `it asks for ["set-update-config"], want []`},
	{"found: pods are evicted where EKS is only inferred to be", "evict.go", " || assess.Guessed(s.Rules.Follows().Mover(), n) {", " {", "TestHelpsNoGuess", `it asks for ["evict"], want []`},
	{"found: pods are evicted while EKS's update is not read", "evict.go", " || m.UpdatesUnread != \"\" {", " {", "TestHelpsNoUnreadUpdate", `it asks for ["evict"], want []`},
	{"found: a node is ruled out while EKS's update is not read", "selfdriven/mng/infer.go", "if p.Unread {", "if false {", "TestFollowedUnread", `updates not read: EKS may be at ["a"]`},
	{"found: a node is ruled out by a PDB that opened after the last read", "strategy/eksmanaged.go", "s.W.Health[world.Cloud].Fresh.Sub(", "s.Now.Sub(", "TestFollowedUnread", `the cloud not read: EKS may be at ["a"]`},
	{"found: a forecast never reads EKS's updates", "sim/updateseks.go", "read.Unread, read.UpdatesUnread, read.ConfigOld = \"\", \"\", false", "read.ConfigOld = false", "TestForeseeWhatOthersDrive", "from the start: "},
	{"found: another user's update passes for the run's", "../providers/eks/executor.go", "if of.Update.Contradicts(u) == \"\" {", "if of.Update != nil {", "TestStartedUpdate", "another user's update goes to"},
	{"found: what a user sets alone is restored over", "strategy/eksmanagedconfig.go", " || u.Config != h.Set)", ")", "TestUpdateConfigOfAnotherUserAlone", "restored true, want false"},
	{"found: the checker holds what others roll in standby against a run", "sim/check/mover.go", " && m.State != world.MachineStandby", "", "Scenario/standby_rolled_by_kops", broken},
	{"found: the checker forgets what others were left before all is read", "sim/check/mover.go", "if !c.readOnce() {", "if c.d.Sim.View.Health[world.Cluster].Fresh.IsZero() {", "Scenario/handler_seen_by_the_next", broken},
	{"found: the checker wants zones even although hooks have let a node go", "sim/check/end.go", " && !c.hooks.unfit", "", "Scenario/hooks_let_an_unfit_node_go", broken},
	{"found: a force order shortens an extended drain", "force.go", "n.Wait.End.After(wait.End)", "false && n.Wait.End.After(wait.End)", "Scenario/force_keeps_the_extension", "not gone after 1m5.07s"},
	{"found: outdated nodes stay closed when the new ones are gone", "strategy/drainboard.go", "closed)); known {", "closed)); known && false {", "Scenario/drainboard_opens_again", "had untolerated taint {drainboard.dev/closed"},
	{"found: a raise by others does not count while a machine ends", "assess/gate.go", "s.Goal()+Uncounted(s))", "s.Goal()+0*Uncounted(s))", "Scenario/drainboard_raised_as_one_ends", "gate: "},
	{"found: a raise by others is not still to come to a zone while a machine ends", "strategy/gardenerzones.go", "s.Run.Expected() + assess.Uncounted(s)", "s.Run.Expected() + 0*assess.Uncounted(s)", "TestZoneWaitsForWhatOthersLaunch", "desired 8: a2 waits for"},
	{"found: a row shows the wait of before", "snapshot/view.go", " && a.Start.Equal(b.Start)", "", "Scenario/force_again_within_the_extension", "snapshot: "},
	{"found: the checker does not know that a run has read its raise as undone", "sim/check/sizes.go", "\tc.readBack(a)\n", "", "Scenario/raise_set_back_and_raised", "rule 4: "},
	{"found: the checker wants load balancers asked about a machine that joins as it ends", "sim/check/terminate.go", "if v.joined { // nothing leads", "if true { // nothing leads", "Scenario/drainboard_joins_as_it_leaves", "routes: "},
	{"commands: a forced drain has more time than an order gives", "force.go", "return wait, n.Extended + wait.End.Sub(n.Wait.End)", "return wait, n.Extended + 2*s.Run.Settings.DrainTimeout", "Scenario/force_keeps_the_extension", "commands: "},
	{"found: the maximum of a raise that was refused counts as set", "ensure.go", "raise := a.Key == record.RaiseKey && !s.Run.RaiseUnsure", "raise := a.Key == \"\"", "Scenario/raise_refused_inherited", broken},
	{"found: a higher maximum that was refused counts as set", "ensure.go", "s.Run.MaxSet = s.Run.MaxBefore", "s.Run.MaxSet = a.Sizes.Max", "Scenario/launch_in_zone_max_refused", "maximum size set to 3, not by this run"},
	{"found: an inherited base beside a raise by others passes for damaged", "record/check/reconcile.go", "\t\tmost += left.Max\n", "", "Scenario/inherited_then_raised", broken},
	{"found: the sizes before a raise are taken again while it waits", "capacity.go", "if s.Run.RaisedAt.IsZero() || s.Run.RaisedFrom != sizes {", "if true {", "Scenario/raise_refused_paused", broken},
	{"found: the desired size of before is in doubt", "capacity.go", "g.Sizes.Max == to.Max && to.Max != before.Max)", "g.Sizes.Max != before.Max)", "Scenario/desired_of_before_no_doubt", ""},
	{"found: the checker holds against a run what the one before has named as in doubt", "sim/check/end.go", "if r.Result == record.NodesLeft { // what", "if r.Result == \"\" { // what", "Scenario/doubt_told_is_over", broken},
	{"found: a workload is not named once a pod of it is read", "assess/workloads/workloads.go", "if w.Kind == \"\" { // the first pod", "if false { // the first pod", "TestNowNamesTheWorkload", "it is named"},
	{"found: the checker waits for a group that ends no machine by itself", "sim/cloud.go", "s.TheirSuspended[Terminate] && s.Group.HasSuspended(Terminate) || !slices", "!slices", "Scenario/group_ends_none_by_itself", broken},
	{"found: the checker has others lower a group that they have set back", "sim/check/sizes.go", "s.Foreign.Desired, s.Slack, c.made = desired-c.heritage-s.Before.Desired, 0, nil", "s.Slack, c.made = 0, nil", "Scenario/raised_and_set_back", broken},
	{"found: a maximum that does not show yet is another user's", "record/sizes.go", "if a := p.Action; a.Kind == SetSizes &&", "if a := p.Action; a.Kind == RestoreMaxKey &&", "Scenario/abort_before_maximum_shows", broken},
	{"found: a lowering in doubt is others' doing", "lower.go", "l.By, l.Sizes.Desired = l.Unsure, is\n", "l.By = 0\n", "Scenario/lowering_in_doubt", ""},
	{"found: who took a machine out is the run's lowering", "lower.go", "s.Run.Doubtful += min(len(gone), max(0, l.By))", "_ = gone", "Scenario/lowering_or_detached", broken},
	{"found: a raise by others is a lowering in doubt", "lower.go", "size > l.Sizes.Desired: // it", "size > l.Sizes.Desired+99: // it", "Scenario/lowering_unasked_then_raised", ""},
	{"found: the desired size is lowered while the group may launch", "lower.go", "g.HasSuspended(launching) && g.HasSuspended(ending)", "g != nil", "Scenario/launch_resumed_before_lowering", ""},
	{"found: the checker has a driver know of a size that no look has shown", "sim/do.go", "if g.Sizes.Desired == 0 && !s.KnewNone { // no driver", "if g.Sizes.Desired < 0 { // no driver", "Scenario/none_then_launched", broken},
	{"found: a maximum counts as set while its request waits", "capacity.go", "s.Now.Before(r.Next) && !r.Hopeless() {", "s.Now.Before(r.Next) && r.Hopeless() {", "Scenario/launch_in_zone_max_waits", "maximum size set to 3"},
	{"found: a skipped machine that may be detached is one that surges", "strategy/kopssurge.go", "if open || asked || !validationwait", "if open || asked && false || !validationwait", "Scenario/kops_skip_while_detached", ""},
	{"found: an early end raises again what others have lowered", "lower.go", "there <= g.Sizes.Desired || g.Sizes.Desired < l.Sizes.Desired || ", "there <= g.Sizes.Desired || ", "Scenario/lowered_further_by_others", ""},
	{"found: the checker takes a size that is in doubt for one that is known", "sim/check/retire.go", "if r.Doubted > 0 {", "if false {", "Scenario/raised_while_in_doubt", broken},
	{"found: a surplus node goes and leaves the zones uneven", "retire.go", "after > max(1, spread, ", "after > max(99, spread, ", "Scenario/retire_keeps_zones_even", "machines in the zones"},
	{"found: the checker counts a machine that the run gave back and others ended", "sim/check/kops.go", "if c.kops.refused[id] && ", "if false && ", "Scenario/drainboard_retire_ended_by_others", broken},
	{"found: a surplus node stays for the zones although no other was left out", "retire.go", "return leftOut && unmarked", "return (leftOut || true) && unmarked", "Scenario/retire_the_only_new_node", ""},
	{"found: surplus nodes wait for a validation that nobody makes", "retire.go", "if v.Proved(s.Step); s.Run", "if _ = v; s.Run", "Scenario/drainboard_retire_unvalidated", ""},
	{"found: a run that retires its surplus nodes loses its result", "end.go", "if keepsResult(&s.Run) {\n\t\ts.Note", "if false {\n\t\ts.Note", "Scenario/drainboard_retire_invalid", ""},
	{"found: a check that is not answered is not told", "ensure.go", "before.Tries == 1 || before.Tries > 1 && ", "before.Tries > 1 && ", "Scenario/etcd_away", ""},
	{"found: the checker has a run wait for a machine that only others want", "sim/check/launch.go", " || c.keepsSize(dec.Run) {", " {", "Scenario/raised_marks_unanswered", broken},
	{"found: the checker asks another process for the size before the suspension", "sim/check/sizes.go", "c.sized = view.Group.Sizes.Desired", "c.sized = 0", "Scenario/size_known_before_suspended", broken},
	{"found: the checker has a later run know of a raise whose answer was lost", "sim/check/end.go", "have.Desired == c.meantFrom.Desired ||", "false ||", "Scenario/raise_lost_and_lowered_as_far", broken},
	{"found: the checker counts time whose end the run did not see", "sim/check/check.go", "c.launches = c.lastLaunches", "_ = c.lastLaunches", "Scenario/overdue_by_what_was_seen", broken},
	{"found: a pod that returned and that others stop goes with its machine after a crash", "node.go", "if s.Fresh(world.Cluster) {\n\t\tif left, _ := assess.LeavingPods(s.W, s.W.PodsOn", "if s.W == nil {\n\t\tif left, _ := assess.LeavingPods(s.W, s.W.PodsOn", "Scenario/force_returned_stops_after_crash", "grace: "},
	{"found: a node that was returned to service holds no slot while it is cordoned", "assess/gate.go", "record.NodeFail, record.Ready, record.Surplus:", "record.NodeFail:", "Scenario/retire_returned_still_cordoned", "rule 1: "},
	{"found: a node that was returned to service stays cordoned until the run ends", "assess/facts.go", "slices.ContainsFunc(s.Run.Marks[id], record.Mark.Isolates)", "false", "Scenario/retire_returned_still_cordoned", ""},
	{"found: the checker has the next process know of a lowering that is not in the record", "sim/check/check.go", "c.unheard = was // that", "_ = was // that", "Scenario/lowered_again_unwritten", broken},
	{"found: the checker has a run know of a raise while it can write nothing", "sim/check/retire.go", "!changesSize(&dec.Run) && !c.d.Failing {", "!changesSize(&dec.Run) {", "Scenario/raised_while_unwritten", broken},
	{"found: our own rules wait for a launch that does not come", "strategy/drainboard.go", "if short <= 0 && !slices", "if short < -9 && !slices", "Scenario/drainboard_lowered_as_it_raises", ""},
	{"found: that nothing is waited for any more is no change", "strategy/eks.go", "\t\ts.Run.PhaseWait = nil\n\t\ts.NoteChange()\n", "\t\ts.Run.PhaseWait = nil\n", "Scenario/drainboard_lowered_as_it_raises_waits", "changed: "},
	{"found: a node that is returned is in a wave before it begins", "commands.go", "n.Batch, n.Wave = record.Outdated, s.Now, time.Time{}, \"\", \"\", 0, 0", "n.Batch = record.Outdated, s.Now, time.Time{}, \"\", \"\", 0", "Scenario/drainboard_waves_returned", ""},
	{"found: a surplus node that is in Standby is drained further", "observe.go", "case n.New && drains:", "case n.New && drains && false:", "Scenario/retire_returned_still_cordoned", ""},
	{"found: a resumed run asks hooks before its canary pauses it again", "decide.go", "if known && r.State == record.Paused && s.Run.State == record.Running {", "if false {", "Scenario/canary_resumed_before_hooks", "hooks: "},
	{"found: the checker has a run know others' raise from its own surge", "sim/check/gate.go", "if c.raised && !d.Sim.Grew {", "if false {", "Scenario/raised_just_so_then_lowered", "gate: "},
	{"found: an early end retires what is in Standby", "retire.go", "!n.New || isAside(m) && n.Stage", "!n.New || m.Leaving() && n.Stage", "Scenario/abort_standby", ""},
	{"found: the time in which a run ended counts for a validation of its retirement", "retire.go", "s.Run.Validation = nil // while", "_ = 0 // while", "Scenario/drainboard_retire_invalid", ""},
	{"found: a size that is about to change tells whether a machine was launched", "lower.go", "if p.Accepted.IsZero() || !s.W", "if !s.W", "Scenario/launch_unknown_at_the_end", ""},
	{"found: a retirement waits without an end for a launch that nobody tells of", "lower.go", "if s.Now.Sub(p.Asked) >= lowerLimit {", "if s.Now.Sub(p.Asked) < 0 {", "Scenario/launch_never_known_retired", ""},
	{"found: an end does not wait until a launch by name shows", "lower.go", " || !s.W.Health[world.Cloud].Fresh.After(p.Accepted) {", " {", "Scenario/abort_before_launch_shows", ""},
	{"found: what went while the cluster was away was deleted past its budget", "force.go", "if s.W.Health[world.Cluster].Problem != \"\" {", "if false {", "Scenario/passed_while_away", "passed: "},
	{"found: a lost raise that was refused again, and does not show yet, has not happened", "capacity.go", " && g.Sizes != s.Run.RaisedFrom {", " {", "Scenario/raise_lost_seen_late", broken},
	{"found: a pod whose delete is looked up is counted as moved twice", "observe.go", "s.W.Pod(uid) == nil && s.Settled(record.DeleteKey(uid)) {", "s.W.Pod(uid) == nil {", "Scenario/gardener_inplace_moved_once", broken},
	{"found: the checker takes any change of the sizes for one of the desired size", "sim/check/check.go", "if a.Sizes.Desired != a.From.Desired {", "if a.Sizes != nil {", "Scenario/lowered_while_denied", broken},
	{"found: the checker has a process know what the last one has told of others", "sim/check/check.go", "\tc.others = resized{} ", "\t_ = resized{} ", "Scenario/gardener_inplace_lowered_told_again", broken},
	{"found: the checker has only a detached machine make room for the first of a new specification", "sim/check/valid.go", "\t\tc.tries(v.since)\n", "", "Scenario/kops_first_killed", broken},
	{"found: a raise that was denied once is not asked for from what others have made of the sizes", "ensure.go", "if denied || r.Denied == 0 || o.Refusal == record.RefusedConflict {", "if denied || r.Denied == 0 {", "Scenario/raise_refused_denied_before", ""},
	{"found: an end does not wait for the sizes that the run has set to show", "lower.go", "\t\t\tif key != record.RestoreMaxKey {", "\t\t\tif key == record.LowerKey {", "Scenario/abort_as_a_maximum_is_set", broken},
	{"found: an end does not wait for the answer to a launch by name", "lower.go", "if p.Accepted.IsZero() || !s.W", "if !p.Accepted.IsZero() && !s.W", "Scenario/abort_as_a_launch_is_refused", broken},
	{"found: the checker has --max-surge fit forget the room of a node that was detached", "sim/check/sizes.go", "free, plain, fresh[node.Zone] = free+c.freeFor(node), false, true", "free, plain = free+c.freeFor(node), false", "Scenario/eks_surge_fit_detached", broken},
	{"found: the checker has an end take back what others have raised the group by meanwhile", "sim/check/retire.go", "s.RaisedBetween(l.early, now) > 0 {", "s.RaisedBetween(l.early, now) < 0 {", "Scenario/raised_as_it_lowers_for_good", broken},
	{"found: the checker has a run know that a raise like its own is that of others", "sim/check/launch.go", "!c.d.Sim.Grew && c.raised {", "c.d.Sim.Grew && !c.raised {", "Scenario/drainboard_raise_taken_for_ours", broken},
	{"found: what was told before a request was denied is told again and again", "ensure.go", "r.Told != o.Message {", "(r.Told != o.Message || r.Denied > 0) {", "Scenario/denied_then_busy", ""},
	{"found: marks come off a node in work whose machine others have taken out", "capacity.go", "n.Stage == record.Settling) && !n.Missing.IsZero() {", "n.Stage == record.Settling) && n.Missing.Before(s.Run.Started) && !n.Missing.IsZero() {", "Scenario/detached_as_it_settles", broken},
	{"found: a machine that went with its place in the group is missing", "assess/validation.go", "if ended && n.Decrement && m != nil", "if false && m != nil", "Scenario/retire_lowered_ahead", "validation: "},
	{"found: the end of a wait takes that of a failed run away", "strategy/eks.go", "s.Run.PhaseWait != nil && s.Run.State == record.Running {", "s.Run.PhaseWait != nil {", "Scenario/denied_as_a_wait_ends", "no deadline for it"},
	{"found: a node returns to service that may have gone", "end.go", "return inWork && !n.Missing", "return false && inWork && !n.Missing", "Scenario/gone_while_unwritten", "returns to service, and its machine is gone"},
	{"found: a node that is updated returns to service though it may have gone", "end.go", " || n.Stage == record.Updating\n\treturn inWork", "\n\treturn inWork", "Scenario/updating_gone_at_the_end", "returns to service, and its machine is gone"},
	{"found: what is told lasts until a time that is over", "node.go", "if w == nil || w.End.Before(s.Now) {", "if w == nil {", "Scenario/blocked_past_its_deadline", "it was over"},
	{"found: a look that ends a row past the time is not the last", "validationwait/validationwait.go", "case s.Over(v.Wait): // also", "case late: // also", "Scenario/kops_late_look_fails", "it was over"},
	{"found: the checker has a run be written as it goes blind", "sim/check/blind.go", "grace += longGap", "grace += 10 * time.Second", "Scenario/kops_blind_unwritten", broken},
	{"found: a kops run guards new nodes as it ends", "strategy/kops.go", "if !allRolled(&s.Reader) { // else", "if true { // else", "Scenario/kops_guard_ends", "within a minute"},
	{"found: a drain is extended from when it was over", "commands.go", "if wait.End.Before(s.Now) {", "if false {", "Scenario/extended_past_its_time", "it was over"},
	{"found: a node drains again without its name", "node.go", "Node: s.Label(id, n), Zone: n.Zone, Message: text.DrainsAgain", "Node: n.Name, Message: text.DrainsAgain", "Scenario/drains_again_before_it_joins", "twice in one decision"},
	{"found: the checker has a run know a minimum that it has not seen", "sim/check/retire.go", "d.Sim.Owed() + d.Sim.Slack; busy", "d.Sim.Owed(); busy", "Scenario/retire_minimum_raised_meanwhile", broken},
	{"found: the wait of a canary that is open is as long as it was written", "snapshot/view.go", "End: v.At.Add(watch)", "End: v.At.Add(c.Wait.End.Sub(c.Wait.Start))", "Scenario/canary_open_seen", "watch: "},
	{"found: the checker has a cordon stop a member of etcd", "sim/check/kops.go", "serves && !ending && !slices", "serves && !ending && !c.outOfService(machine) && !slices", "Scenario/kops_quorum_skipped", broken},
	{"found: the checker has a machine without a node count for the majority", "sim/check/kops.go", "(node != nil && node.Ready || !c.validates())", "(node == nil || node.Ready)", "Scenario/kops_quorum_without_node", broken},
	{"found: the checker has a later run know a raise that passed for an earlier one's", "sim/check/end.go", "want = have.Desired // a raise by others", "_ = have // a raise by others", "Scenario/raised_as_far_by_others", broken},
	{"found: the checker has a roll rest on a size that others had lowered", "sim/check/sizes.go", "c.rested = min(c.rested, has) // others", "_ = has // others", "Scenario/lowered_before_the_roll", broken},
	{"found: the checker has a run know its own launch from a raise by others", "sim/check/check.go", "if p.Action.Kind == record.LaunchIn && p.Accepted.IsZero() {", "if p.Action.Kind == \"\" {", "Scenario/launch_lost_and_raised", broken},
	{"found: the checker has drains of the same moment begin once more", "sim/check/check.go", "was.Stage == n.Stage && was.Since.Equal(n.Since) {", "was.Stage == n.Stage && was.Since.After(n.Since) {", "Scenario/limited_as_drains_begin", broken},
	{"found: the checker takes a share of a size that no plan has read", "sim/check/check.go", "cmp.Or(d.Sim.View.Group.Sizes.Desired, d.Sim.Group.Sizes.Desired)", "cmp.Or(d.Sim.Group.Sizes.Desired)", "Scenario/share_of_what_was_read", broken},
	{"found: the checker has a run know a lowering of its own from that of others", "sim/check/sizes.go", "c.d.Sim.Doubts += max(0, a.From.Desired-a.Sizes.Desired)", "_ = was", "Scenario/lowered_by_others_as_far", broken},
	{"found: an end that is in doubt counts as one that took the size down", "observe.go", "if asked.Action.Decrement {", "if false {", "Scenario/end_in_doubt_machine_gone", broken},
	{"found: a run ends well while an end is in doubt", "assess/capacity.go", " || s.Run.Doubted > 0 && s.Run.Holds() && (s.Run.Raised || !s.Run.RaiseUnsure)", "", "Scenario/end_in_doubt_machine_gone", ""},
	{"found: the group may not end what others want less of", "lower.go", " || l != nil && size < l.Sizes.Desired", " || l == nil", "Scenario/lowered_further_by_others", ""},
	{"sizes: what our own lowering left counts as others'", "lower.go", "l.By, l.Sizes.Desired = l.Unsure, is", "l.By = l.Unsure", "TestLoweredWithoutAnAnswer", "the group may act again"},
	{"found: a node that is uncordoned is cordoned again with the next look around", "node.go", "\ts.Soon() // it is cordoned again\n", "", "Scenario/uncordoned_as_it_settles", ""},
	{"found: a wave begins with the next look around", "node.go", "\ts.Soon() // a wave may begin", "\t// a wave may begin", "Scenario/drainboard_trouble", ""},
	{"soon: the next wave waits", "node.go", "\ts.Soon() // a wave may begin", "\t// a wave may begin", ownPlay, "soon: "},
	{"told: a node is force-drained by nobody where its controller drains it", "assess/evict.go", "return DrainedByController(s.Run.Nodes.Get(id)) })", "return !DrainedByController(s.Run.Nodes.Get(id)) })", inPlacePlay, "no node is draining"},
	{"in place: a machine whose update has failed is never given up", "inplace.go", "\t\tgiveUpUpdate(s, id)\n", "", inPlacePlay, "in place: "},
	{"retries: after the first pod none is deleted", "evict.go", "return o.UID == c.pod.UID && o.Machine == c.machine && !o.Over }", "return o.UID != c.pod.UID }", gardenerPlay, "retries: "},
	{"told: a pod comes back twice", "evict.go", "if known.Returns > 0 {", "if known.Returns > 1 {", gardenerPlay, "that was told"},
	{"told: pods are counted as their own owners'", "observe.go", "p.UID, p.Owner.UID, p.Ref())\n\t\t\tif s.Run.Workloads", "p.Owner.UID, p.UID, p.Ref())\n\t\t\tif s.Run.Workloads", inPlacePlay, "were moved, and it had 0"},
	{"told: a controller is not done at once", "end.go", "\t\tnext.Told = s.Now // at the end", "\t\t// at the end", manualPlay, "a node was replaced"},
	{"told: an update before its turn is told and not noted", "inplace.go", "\t\tn.Stage, n.Since, n.Wait, n.Reason = record.Replaced, s.Now, nil, \"\"\n", "", manualPlay, "as it was, and node.replaced is told"},
	{"found: the checker has an early end need a slot", "sim/check/check.go", "begun = begun || !n.New || dec.Run.State != record.Ending", "begun = true", "Scenario/drainboard_abort_retires_unvalidated", broken},
	{"found: a difference is told whose before it is known", "capacity.go", "return l != nil && l.Unsure > 0 && !l.Over || ", "return l != nil && l.Unsure > 99 || ", "Scenario/lowering_in_doubt", "lowered from 11 to 4, not by this run"},
	{"found: an end that the minimum refuses is asked for again and again", "node.go", " || atMinimum(&s.Reader, id)) {", ") {", "Scenario/eks_scale_down_scheduled", ""},
	{"found: another surplus node goes for the one that the minimum keeps", "node.go", "return terminationAsked(s, other) })\n}", "return false && terminationAsked(s, other) })\n}", "Scenario/eks_scale_down_scheduled", ""},
	{"found: a try that is over stays in the record", "ensure.go", "delete(s.Run.Retries, a.Key)\n\t\t\ts.changed = true\n\t\t}\n\t\treturn true", "delete(s.Run.Retries, a.Key)\n\t\t}\n\t\treturn true", "Scenario/refused_then_gone", broken},
	{"found: the checker has a process know what the one before has seen", "sim/check/blind.go", "grace += longGap", "grace += 0 * longGap", "Scenario/kops_blind_after_crash", broken},
	{"found: the checker has launches come in time that cannot", "sim/play/progress.go", "late.launches && r.Result == record.CreationFail", "false", "TestLaunchTooLate", "in a repaired world"},
	{"found: pods that go unseen again under the same names are not told", "force.go", "if slices.Contains(s.Run.Notes, note) {", "if note == \"\" {", "Scenario/gardener_inplace_unseen_again", broken},
	{"found: the checker has a process look before it has read every source", "sim/check/passed.go", "c.sees(world.Cluster) && c.readOnce()", "c.sees(world.Cluster)", "Scenario/gardener_inplace_unseen_until_read", broken},
	{"found: the checker knows who was first where a delete was looked up", "sim/check/passed.go", " && !p.ours[uid] {", " {", "Scenario/gardener_inplace_force_late", broken},
	{"11: a pod that was gone before the run's delete counts as deleted by it", "evict.go", "\t\treturn // the watch will say so\n", "\t\tknown.Forced = true\n\t\tsetPod(s, a.UID, known)\n\t\treturn\n", "Scenario/gardener_inplace_force_late", broken},
	{"found: the checker learns of the end of a machine that others end with the next event", "sim/check/check.go", "\tc.endsTold(dec.Events)\n\tc.leftOut()\n", "\tc.endsTold(dec.Events)\n", "Scenario/kops_bastion_scaled_in", broken},
	{"found: the checker has a watch know where an update failed before it came", "live/updates_test.go", "p.came.Add(late).After(last.end) {", "p.came.Add(-time.Hour).After(last.end) {", "TestPhaseOfFailedUpdate", "came after the failure"},
	{"found: an old machine that others end is left to replace", "strategy/gardenerzones.go", "\t\tcase m.Leaving(): // others may end it\n\t\t\tending++\n", "\t\tcase m.Leaving() && n.Stage == record.Terminating:\n\t\t\tending++\n", "Scenario/gardener_old_one_ended", broken},
	{"found: a settled node ends by what was seen before the cloud was away", "node.go", " || !s.Fresh(world.Cloud) { // whether the size", " { // whether the size", "Scenario/gardener_settled_unseen", broken},
	{"found: a lowering in doubt leaves a group nothing that had a machine", "lower.go", "\t\tkeep(&s.Run, min(1, s.Run.Base.Desired))\n", "", "Scenario/lowering_in_doubt_none_left", ""},
	{"found: a raise in doubt is from the sizes before the first run", "capacity.go", "text.RaiseUnsure(s.Run.RaisedFrom.String(),", "text.RaiseUnsure(s.Run.Base.String(),", "Scenario/raise_of_maximum_in_doubt", ""},
	{"found: an end does not name the template that no look has shown", "capacity.go", "\tcase !s.Settled(\"set-template/\" + target.String()):\n\t\twhat = text.TemplateUnseen(target.String())\n", "", "Scenario/abort_template_unseen", broken},
	{"found: the minimum counts once the raise is asked for again", "capacity.go", "\t\ts.takeChange(sizes.Desired - s.Run.Expected())\n\t\ts.keepMinimum()\n", "\t\ts.takeChange(sizes.Desired - s.Run.Expected())\n", "Scenario/minimum_as_a_raise_is_refused", broken},
	{"found: what others take down beside a maximum did not fit it", "capacity.go", "min(-by, max(0, ours-sizes.Max), max(0, s.Run.Surge()))", "min(-by, max(0, s.Run.Surge()))", "Scenario/maximum_raised_and_size_lowered", broken},
	{"found: more is in doubt than may go", "capacity.go", "return min(s.Run.Doubtful+s.Run.OpenEnds(), most-left), left", "return s.Run.Doubtful + s.Run.OpenEnds(), left", "Scenario/doubts_add_up", ""},
	{"found: more is in doubt than the minimum lets go", "capacity.go", "most := s.W.Group.Sizes.Desired - s.W.Group.Sizes.Min", "most := s.W.Group.Sizes.Desired", "Scenario/minimum_as_a_raise_is_refused", ""},
	{"found: the checker has a raise serve that may be the run's", "sim/check/sizes.go", "raise && c.unknowable {", "raise && c.unknowable && false {", "Scenario/raise_made_answer_never_known", broken},
	{"found: the last decision of a run asks for changes", "end.go", "\ts.actions = nil // nobody", "\t// nobody", "Scenario/abort_ends_as_it_sees", "write first: "},
	{"found: the checker has a change that was looked up seen at once", "sim/check/again.go", " || o.Key == \"check/\"+key", "", "Scenario/uncordon_looked_up", "soon: "},
	{"found: the checker has new nodes guarded before their scale up may begin", "sim/check/mover.go", "return refused || !p.Asked", "return refused && false || !p.Asked", "Scenario/autoscaler_suspend_refused", "movers: "},
	{"found: the checker has a resumed run wait for no node", "sim/check/launch.go", "slices.ContainsFunc(view.Machines(), joins) || ", "slices.ContainsFunc(view.Machines()[:0], joins) || ", "Scenario/joins_after_resume", "launches: "},
	{"found: the checker has a machine gone that is on no list", "sim/check/words/node.go", " && c.d.Sim.Machines()[id] == nil: //", ": //", "Scenario/kops_returned_unlisted", "its machine is gone"},
	{"found: the checker has an end that was granted show at once", "sim/check/gardener.go", "min(view.Group.Sizes.Desired, d.Sim.Group.Sizes.Desired)", "view.Group.Sizes.Desired", "Scenario/gardener_granted_unseen", "zones: "},
	{"found: a new node that is not Ready keeps its zone closed", "strategy/drainboard.go", "zones[n.Zone] = zones[n.Zone] || node.Ready", "zones[n.Zone] = true", "Scenario/drainboard_opened_not_ready", broken},
	{"found: a machine whose end was refused for good passes for one that ends", "end.go", "if !terminationAsked(&s.Reader, id) {\n\t\ts.tookNothing(id)", "if false {\n\t\ts.tookNothing(id)", "Scenario/abort_ends_unseen", ""},
	{"found: an end with decrement that nobody answered is not in doubt", "capacity.go", "return min(s.Run.Doubtful+s.Run.OpenEnds(),", "return min(s.Run.Doubtful,", "Scenario/abort_end_unanswered", ""},
	{"found: a maximum stays for machines that have ended unseen", "capacity.go", "desired = min(desired, s.Run.Expected())", "_ = s.Run.Expected()", "Scenario/abort_end_unanswered", ""},
	{"found: machines that joined late count among those that each zone had before", "assess/zones.go", "!n.New && !n.Late", "!n.New", "Scenario/joined_late_in_zones", broken},
	{"found: the checker has zones even before the fuller one may be retired from", "sim/check/retire.go", "surplus > 0 && spare[zone] > 0", "surplus > 0 && spare[zone] > 99", "Scenario/retire_before_fuller_zone", broken},
	{"found: the checker knows of a maximum by its own answer only", "sim/check/sizes.go", "a.Kind == record.CheckEffect && o.Happened {\n\t\treturn", "a.Kind == record.CheckEffect && false {\n\t\treturn", "Scenario/launch_in_zone_maximum_looked_up", broken},
	{"found: the checker has pods that came back asked at once", "sim/check/pods.go", "Returns > 0 { // one that came back", "Returns > 99 { // one that came back", "Scenario/pods_came_back_together", broken},
	{"found: the checker has an end that is asked for long after its drain take the size down", "sim/check/gardener.go", "d.Sim.Now().Sub(n.Since) > time.Minute ||", "d.Sim.Now().Sub(n.Since) > time.Hour ||", "Scenario/end_asked_long_after_drain", "zones: "},
	{"found: a group has two scheduled actions of one name", "sim/script/moves.go", "append(slices.DeleteFunc(slices.Clone(s.Group.Scaling.Schedule), named), world", "append(slices.Clone(s.Group.Scaling.Schedule), world", "Scenario/mover_scheduled_action_moved", ""},
	{"found: the cordon before a forced drain waits for the next look", "node.go", "\t\ts.Soon() // what its strategy does before it forces\n", "", "Scenario/eks_force_tolerates_all_taints", ""},
	{"found: a maximum that others set passes for that of the raise, which is higher", "capacity.go", "g.Sizes.Max != s.Run.MaxSet {", "g.Sizes.Max != s.Run.MaxSet && g.Sizes.Max != s.Run.Base.Max+s.Run.Raise {", "Scenario/maximum_by_others_as_of_the_raise", broken},
	{"found: the checker counts what others have added from the raise on, in a run that inherits", "sim/check/launch.go", "if r.Inherited != nil { // it counts", "if false { // it counts", "Scenario/inherited_others_before_the_raise", broken},
	{"found: the checker has a size lowered while the process that launches cannot be resumed", "sim/check/retire.go", " || a.Kind == record.Resume)", ")", "Scenario/abort_resume_refused", "sizes: "},
	{"found: the checker knows of a lowering that others have set back to what was before", "sim/check/sizes.go", "a.Kind == record.CheckEffect && !o.Happened && was", "a.Kind == record.CheckEffect && false && was", "Scenario/lowering_set_back_by_others", broken},
	{"found: a launch counts as under way whenever an end is asked for again", "assess/launches.go", "there[id] && (!refused || !p.Accepted.IsZero())", "there[id] && (!refused || true || !p.Accepted.IsZero())", "Scenario/gate_while_ends_are_refused", broken},
	{"found: a new node whose machine ends keeps its zone closed", "strategy/drainboard.go", " && (m == nil || !m.Leaving()) {", " && (m == nil || true) {", "Scenario/drainboard_opened_as_new_ends", ""},
	{"found: a node that was lost and came back is ended after one look", "node.go", " || heardAgain(s, id, n)) {", ") {", "Scenario/unreachable_came_back", ""},
	{"found: the checker counts no ends that were refused and are asked for again", "sim/check/gardener.go", "m != nil && !m.Leaving() && !c.open[\"terminate/\"+id] {", "m != nil && false && !m.Leaving() && !c.open[\"terminate/\"+id] {", "Scenario/ends_refused_count", "zones: "},
	{"found: a launch that no read of the group shows yet passes for a size that others have lowered", "ensure.go", "case a.Kind == record.LaunchIn && unread(s, p):", "case a.Kind == record.LaunchIn && false && unread(s, p):", "Scenario/launched_late_by_name", broken},
	{"found: the checker has the gate tell once what pods that come back have it tell", "sim/check/words/words.go", "!(e.Reason == \"gate\" && c.comeBack())", "!(false && c.comeBack())", "Scenario/manual_gate_in_turn", broken},
	{"found: the checker has a run that waits for an approval pause for a launch", "sim/check/launch.go", "by > overdueGrace && !c.awaitsPhase(&dec.Run) {", "by > overdueGrace {", "Scenario/drainboard_approval_beside_launch", broken},
	{"found: a minimum of one machine is told in the plural", "text/capacity.go", "Plural(least, \"machine\"), base", "Plural(least, \"machine\") + \"s\", base", "TestKeepsMinimum", ""},
	{"found: the checker has a pod deleted beside one with a volume that is on its way", "sim/check/gardener.go", "c.isFull(r, uid, p) && !c.awaitsVolume(pod)", "c.isFull(r, uid, p) && pod != nil", "Scenario/gardener_kept_for_its_turn", broken},
	{"found: the checker has ends take a raise down that nobody can know of", "sim/check/gardener.go", " - d.Sim.Slack - c.lostRaises; fresh", " - d.Sim.Slack; fresh", "Scenario/ends_after_raise_in_doubt", "zones: "},
	{"found: the checker has a new node annotated while nobody knows whether it was", "sim/check/mover.go", "if !refused { // nobody", "if !refused && false { // nobody", "Scenario/guard_lookup_refused", "movers: "},
	{"found: the checker has a node that is left out in a decision left out before it", "sim/check/retire.go", "slices.Sorted(c.nodes.Keys()), func(id string) bool {\n\t\tleft := c.nodes.Get(id)", "slices.Sorted(d.Run.Nodes.Keys()), func(id string) bool {\n\t\tleft := d.Run.Nodes.Get(id)", "Scenario/retire_as_one_is_left_out", broken},
	{"found: the checker has later runs know of a raise that was lost beside an inherited one", "sim/check/end.go", " || r.Inherited != nil) {", " || false) {", "Scenario/raise_beside_inherited_unknown", broken},
	{"found: the checker has a machine that was detached, and is on no list, gone at once", "sim/check/kops.go", "c.loose(true)+c.unlisted()+c.unavailable()); out", "c.loose(true)+c.unavailable()); out", "Scenario/killed_as_detached_from_kops", broken},
	{"found: the gate stays shut once nothing is retired any more", "retire.go", "\tgate{s}.open() // no drain is to start any more\n", "", "Scenario/gate_opens_as_size_stays", broken},
	{"found: the checker has the next node selected in the decision that sees another one selected by others", "sim/check/again.go", " || selected(&before, &dec.Run) {", " || false && selected(&before, &dec.Run) {", "Scenario/manual_selected_by_others_then_next", broken},
	{"found: the checker has launches that fail in turn told once", "sim/check/words/event.go", "was.Reason == e.Reason && was.Message != e.Message", "false && was.Message != e.Message", "Scenario/launches_fail_in_turn", broken},
	{"found: the checker has the end of a run tell what is so by then", "sim/check/words/command.go", "if e.Type == record.RunFinished {", "if false {", "Scenario/not_valid_before_the_end", broken},
	{"found: the checker knows no node that only its pods show", "sim/check/words/words.go", "return seen || len(c.d.Sim.View.PodsOn(node)) > 0", "return seen", "Scenario/crash_loops_on_a_node_unseen", broken},
	{"found: the checker has a run wait for no machine that joins once more", "sim/check/launch.go", "(n == nil || !n.Ready && r.Nodes.Peek(m.ID).Stage == record.Launching)", "(n == nil)", "Scenario/waits_for_one_that_joins_again", broken},
	{"found: the checker has no node in work again whose record was lost", "sim/check/check.go", "\tc.inWorkAgain()\n", "", "Scenario/inplace_limit_of_a_lost_record", broken},
	{"found: the checker has a raise undone that the cloud refuses", "sim/check/check.go", "if !refused && !undoable", "if (!refused || true) && !undoable", "Scenario/raise_asked_from_sizes_of_before", broken},
	{"found: the checker counts the time that a process sleeps", "sim/check/inplace.go", "r.Settings.HealthTimeout+napping {", "r.Settings.HealthTimeout+Slack {", "Scenario/inplace_health_time_asleep", "in place: "},
	{"found: the checker has a pod deleted while nobody knows whether it was evicted", "sim/check/gardener.go", "!asked && c.isFull(r, uid, p)", "(!asked || true) && c.isFull(r, uid, p)", "Scenario/forced_once_its_eviction_is_known", broken},
	{"found: the checker has a batch there that the end of the run has withdrawn", "sim/check/words/run.go", "i < 0 && dec.Run.State == record.Ending {", "i < 0 && false {", "Scenario/batch_as_the_run_fails", broken},
	{"found: the checker has a drain that began in a record which was lost", "sim/check/words/record.go", "return !saved.Nodes.Peek(id).Since.Equal(began) })", "return false && !saved.Nodes.Peek(id).Since.Equal(began) })", "Scenario/drains_again_in_a_lost_record", broken},
	{"found: a try that a webhook refuses is none after a time without sight", "evict.go", " && !c.known.Last.After(s.Run.Gap)", "", "Scenario/forced_after_a_gap", ""},
	{"found: a surplus node that others drain is retired again and again", "retire.go", "\"terminate/\"+id) && !theirs", "\"terminate/\"+id) && (!theirs || true)", "Scenario/retire_left_to_who_drains", ""},
	{"zones: the last machines of a surge come back", "strategy/gardenerzones.go", "if s.Excess() <= 0 {", "if s.Excess() <= 1 {", gardenerPlay, "zones: "},
	{"drains: Gardener's rules ask for consents", "strategy/gardener.go", "\td.Unmanaged, d.EmptyDir = true, true\n", "", gardenerPlay, "asks for no consent"},
	{"drains: pods with volumes leave side by side", "strategy/gardener.go", "if g.Seed {\n\t\td.NodeReady", "if !g.Seed {\n\t\td.NodeReady", gardenerPlay, "volumes: "},
	{"movers: the Cluster Autoscaler is not kept from new nodes", "gate.go", "s.Mark(record.AnnotationOf(id, n.Name, world.KeepFromScaleDown, \"true\"))", "_ = id", "", "movers: the Cluster Autoscaler"},
	{"own: a zone stays closed where others take its new nodes", "strategy/drainboard.go", "s.Run.MarkOf(record.TaintOf(id, n.Name, closed))", "s.Run.MarkOf(record.TaintOf(n.Name, id, closed))", ownPlay, "own: "},
	{"kops: our own rules validate where nothing is to go", "strategy/drainboard.go", "len(s.W.Group.Warm) > 0) &&", "len(s.W.Group.Warm) >= 0) &&", ownPlay, "validation: the cluster is looked at"},
	{"in place: Gardener is not waited for before a node awaits its update", "strategy/gardenermanual.go", "\t\tg.succeed(s, systems.NoCandidateYet)\n", "", manualPlay, "in place: the pool's controllers"},
	{"updates: a failed update may be told at any phase", "live/updates_test.go", "p.came.Add(late).After(last.end) {", "!p.came.IsZero() && !last.end.IsZero() {", "TestPhaseOfFailedUpdate", "came in time"},
	{"updates: every marked node passes for one that EKS drains", "selfdriven/mng/next.go", "case !picked(s, left) && (s.Among != 1 || s.More > 0 || len(left) == 0):", "case !Marked(s.Moves):", "TestFollowedUpdates", "and was not picked"},
	{"updates: a deleted pod passes for an evicted one", "selfdriven/mng/next.go", "return p.Evicted && p.Terminating() })", "return p.Terminating() })", "TestFollowedUpdates", "and was not picked"},
	{"updates: who is inferred once stays so", "selfdriven/mng/next.go", " && !s.Guessed ||", " ||", "TestFollowedGuessIsTakenBack", "it is still told as draining"},
	{"updates: evictions tell nothing", "selfdriven/mng/next.go", "return p.Evicted && p.Terminating() })", "return false && p.Evicted })", "TestFollowedUpdates", "pods are evicted from"},
	{"updates: nodes are named before EKS has marked all", "selfdriven/mng/infer.go", "} else if n.Old && !n.Marked && n.Ready {", "} else if false {", "TestInfer", "at one of: n1"},
	{"updates: a node without pods is never named", "selfdriven/mng/infer.go", "case n.Left == 0 && p.Quiet < settled:", "case false:", "TestFollowedUpdates", "are named as those that EKS may be at"},
	{"updates: no node is named beside one that is known", "selfdriven/mng/infer.go", "known >= max(1, p.AtOnce)", "known > 0", "TestFollowedUpdates", "no seed has come to: may be at more"},
	{"updates: no node is ever named", "selfdriven/mng/infer.go", "if out.Phase == Upgrade {", "if out.Phase == \"\" {", "TestFollowedUpdates", "is not named"},
	{"updates: marks of a failed update pass for this one's", "selfdriven/mng/infer.go", "(c.all || p.Ended > 0) && (p.Minimal || covered(p))", "(c.all || p.Ended > 0)", "TestInfer", "phase: upgrade"},
	{"updates: a single mark passes for the upgrade", "selfdriven/mng/infer.go", "(c.all || p.Ended > 0) && ", "", "TestInfer", "phase: scale up"},
	{"updates: EKS may be at nodes after its update", "strategy/eksmanaged.go", "s.Run.Candidates, s.Run.MoreDrains = nil, 0 // it is at none any more\n\tif", "if", "TestFollowedCandidatesEnd", "EKS may be at [\"a\""},
	{"updates: AZRebalance passes for EKS", "selfdriven/mng/next.go", "return why != \"\" && why != world.EndRequested", "return false && why != \"\"", "TestFollowedEndsByOthers", "rebalance: []"},
	{"updates: what was replaced before is not counted", "strategy/eksmanaged.go", "if !known && !a.young && s.W.Machine(a.Ends) == nil {", "if known && false {", "TestFollowedUpdates", "are told as replaced"},
	{"updates: who was blind names nodes at once", "strategy/eksmanaged.go", "e != nil && e.Blind.After(last)", "e != nil && false", "TestFollowedWasBlind", "at once"},
	{"updates: nodes that a failed update has brought are outdated", "assess/nodes.go", " || s.asTarget(m)) &&", ") &&", "TestFollowedUpdates", ""},
	{"updates: a status that is not known is an end", "world/managed.go", "return u.Status == UpdateSucceeded || u.Status == UpdateFailed || u.Status == UpdateCancelled", "return u.Status != UpdateRuns", "TestFollowedUpdates", ""},
	{"updates: every failure is one of evictions", "strategy/eksmanaged.go", "\"NodeCreationFailure\": record.CreationFail", "\"NodeCreationFailure\": record.EvictionFail", "TestFollowedUpdates", "and the watch with 4"},
	{"updates: success before EKS tells it", "strategy/eksmanaged.go", "case u.Status == world.UpdateSucceeded:", "case u.Status == world.UpdateSucceeded || len(s.In(record.Outdated, record.Draining, record.Settling, record.Terminating)) == 0:", "TestFollowedUpdates", "and the update is under way"},
	{"updates: the failure of one is not told where another one follows", "strategy/eksmanagedstart.go", "asked == nil || asked.ID != u.ID {", "asked != nil {", "TestStartedUpdates", "and that was not told"},
}

// gardenerPlay is the random play of Gardener's rules, manualPlay that of updates in place by
// hand, inPlacePlay that of those by themselves.
const (
	gardenerPlay = "TestRandomGardener"
	manualPlay   = "TestRandomGardenerManual"
	inPlacePlay  = "TestRandomGardenerInPlace"
	ownPlay      = "TestRandomDrainboard"
)

// kopsPlay is the random play of kops's groups.
const kopsPlay = "TestRandomKops"

// broken is how a scenario shows that the checker has found a rule broken.
const broken = "BROKEN"

// homes are the packages of the tests that mutations name, where it is not engine/live.
var homes = map[string]string{
	"TestKeepsMinimum":                   "../text",
	"TestRestoreMaxAgain":                "..",
	"TestReduced":                        "..",
	"TestLowerAfterTwoReads":             "..",
	"TestLowerKeepsWhatShowsLate":        "..",
	"TestLoweredWithoutAnAnswer":         "..",
	"TestRecordOfMovers":                 "..",
	"TestRecordOfDetached":               "..",
	"TestEndedByOthersIsWritten":         "..",
	"TestRecordOfDoubted":                "..",
	"TestMoveEnds":                       ".",
	"TestNodeOutsideReturns":             ".",
	"TestEndThatGotLost":                 "./check",
	"TestOlder":                          "./check",
	"TestRaisedWhileTakenBack":           "./play",
	"TestHeldCanaryIsAccepted":           "./play",
	"TestRepairTooLate":                  "./play",
	"TestLaunchTooLate":                  "./play",
	"TestFacts":                          "..",
	"TestChanges":                        "../world",
	"TestListsAreAsThingsAre":            "../world",
	"TestNowFollowsBudgets":              "../assess/workloads",
	"TestDecodesAlike":                   "../../providers/kube/objects",
	"TestStartedUpdate":                  "../../providers/eks",
	"TestUpdateConfigOfAnotherUserAlone": "../strategy",
	"TestZoneWaitsForWhatOthersLaunch":   "../strategy",
	"TestUpdatingNodeTakesItsPlace":      "../strategy",
	"TestUpdateConfigOfAnotherUser":      "../strategy",
	"TestFollowedEndsByOthers":           "../strategy",
	"TestFollowedCandidatesEnd":          "../strategy",
	"TestFollowedGuessIsTakenBack":       "../strategy",
	"TestFollowedWasBlind":               "../strategy",
	"TestFollowedUnread":                 "../strategy",
	"TestHelpsNoGuess":                   "../strategy",
	"TestHelpsNoUnreadUpdate":            "../strategy",
	"TestForeseeWhatOthersDrive":         "./rehearse",
	"TestInfer":                          "../selfdriven/mng",
	"TestMarkWaitsForItsUndo":            "..",
	"TestSetApartIsWritten":              "..",
	"TestLeftIsWritten":                  "..",
	"TestNowNamesTheWorkload":            "../assess/workloads",
	"TestMadeInTheSecondOfTheStart":      "..",
	"TestNoZonesInTheRecord":             "../strategy",
	"TestBoundsAreWritten":               "..",
	"TestSuspendedIsWhatWasAskedFor":     "..",
	"TestFollowedMinimalToItsEnd":        "../strategy",
	"TestFollowedPastItsConfiguration":   "../strategy",
	"TestFollowedQuietSinceItsPhase":     "../strategy",
	"TestFollowedEmptyNodeIsNamedOnce":   "../strategy",
	"TestRowWithAnInterruptedWait":       "../snapshot",
	"TestVersionsOfNodesUpdatedInPlace":  "../snapshot",
	"TestSilentAPI":                      "../../providers/kube/mirror",
}

// TestMutations holds that every check of the checker can fail: each mutation of
// the engine, laid over it by the compiler, breaks its rule within a few seeds.
// That the engine as it is breaks none is TestRandom's to show.
func TestMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an engine for each mutation")
	}
	for _, m := range sample(t) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			out := m.run(t)
			if !strings.Contains(out, m.notices) {
				t.Errorf("nobody has noticed (%q is not in what the tests say):\n%s", m.notices, out[max(0, len(out)-2000):])
			}
		})
	}
}

// sample is the mutations that are played: all, or as many as -mutations says, drawn by
// -mutations-seed.
func sample(t *testing.T) []mutation {
	n := *mutationsFlag
	if n <= 0 || n >= len(mutations) {
		return mutations
	}
	seed := *mutationsSeedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("%d of %d mutations, -mutations-seed=%d", n, len(mutations), seed)
	var out []mutation
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(len(mutations))[:n] {
		out = append(out, mutations[i])
	}
	return out
}

// where is the package whose tests have to notice a mutation, and their arguments: random
// play, a scenario of engine/testdata ("Scenario/NAME"), or tests of engine/live or of where
// homes says.
func (m mutation) where() (pkg string, args []string) {
	name, isScenario := strings.CutPrefix(m.play, "Scenario/")
	switch {
	case isScenario:
		return "..", []string{"-test.run=^TestScenario$/^" + name + "$"}
	case m.play == "":
		return "./play", []string{"-test.run=^TestRandom$", "-seeds=600"}
	case slices.Contains([]string{kopsPlay, gardenerPlay, manualPlay, inPlacePlay, ownPlay}, m.play):
		return "./play", []string{"-test.run=^" + m.play + "$", "-seeds=600"}
	}
	return cmp.Or(homes[m.play], "../live"), []string{"-test.run=^(" + m.play + ")$"}
}

// TestFoundFaultsHaveMutations holds that each row of docs/internals/faults.md on a fault that was found
// names a scenario or a test, and that for each such row a mutation has to be noticed by it.
func TestFoundFaultsHaveMutations(t *testing.T) {
	page, err := os.ReadFile("../../docs/internals/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## What random faults have found\n\n| what | scenario |\n|---|---|\n")
	rows := map[string]int{} // by scenario or test
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			break // the end of the table
		}
		names := strings.Split(cells[2], "`")
		if len(names) < 3 {
			t.Errorf("no scenario or test shows that %s", strings.TrimSpace(cells[1]))
		}
		for i, name := range names {
			if i%2 == 0 {
				continue
			}
			rows[name]++
		}
	}
	for name, n := range rows {
		has := 0
		for _, m := range mutations {
			if slices.Contains(strings.Split(m.play, "|"), name) || m.play == "Scenario/"+name {
				has++
			}
		}
		if has < n {
			t.Errorf("%d rows name %s, and %d mutations have to be noticed by it", n, name, has)
		}
	}
	if len(rows) < 10 {
		t.Errorf("the table names %d scenarios and tests", len(rows))
	}
}

// TestMutationsNameTests holds that the tests that have to notice a mutation are where they are looked for: a pattern
// that finds none passes.
func TestMutationsNameTests(t *testing.T) {
	for _, m := range mutations {
		dir, _ := m.where()
		for name := range strings.SplitSeq(m.play, "|") {
			if scenario, is := strings.CutPrefix(name, "Scenario/"); is {
				if _, err := os.Stat(filepath.Join("../testdata", scenario+".txt")); err != nil {
					t.Errorf("%s: %v", m.name, err)
				}
			} else if name != "" && !declares(t, dir, name) {
				t.Errorf("%s: %s has no %s", m.name, dir, name)
			}
		}
	}
}

// declares reports whether the tests of a directory have a function of this name.
func declares(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), "\nfunc "+name+"(t *testing.T)")
	})
}

// TestMutationTexts holds that each mutation still has its place in the engine and leaves
// something that compiles: known in a few seconds, before any engine is built.
func TestMutationTexts(t *testing.T) {
	var files []string
	for _, m := range mutations {
		file, err := filepath.Abs(filepath.Join("..", m.file))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	compiler := newCompiler(t, files)
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			if err := compiler.check(m.mutated(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// mutated returns the file that the mutation changes, and its text afterwards.
func (m mutation) mutated(t *testing.T) (file, text string) {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("..", m.file))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(whole), m.old); n != 1 {
		t.Fatalf("%s has this %d times, not once; what does the mutation have to change now?\n%s", m.file, n, m.old)
	}
	return file, strings.Replace(string(whole), m.old, m.new, 1)
}

// run builds the tests with the mutation in place and runs them to the first
// failures. It returns what they say.
func (m mutation) run(t *testing.T) string {
	t.Helper()
	file, text := m.mutated(t)
	dir := t.TempDir()
	broken, overlay, tests := filepath.Join(dir, "broken.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "mutated.test")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: broken}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{broken: text, overlay: string(replace)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	where, args := m.where()
	if out, err := exec.Command("go", "test", "-c", "-overlay", overlay, "-ldflags=-s -w", "-o", tests, where).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(tests, append(args, "-test.timeout=5m")...)
	cmd.Dir = where
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("the tests pass")
	}
	return string(out)
}
