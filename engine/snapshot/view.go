package snapshot

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/assess/movers"
	"github.com/drainboard/drainboard/engine/assess/preflight"
	"github.com/drainboard/drainboard/engine/assess/workloads"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// sources are what the run rests on, and how old it is. What is read for the first time is not old.
func sources(s *assess.Reader, partial bool) (out []SourceView) {
	for _, src := range s.Run.Sources() {
		h := s.W.Health[src]
		first := src == world.Cluster && partial && h.Problem == ""
		out = append(out, SourceView{Name: src, Fresh: h.Fresh, Stale: !s.Fresh(src) && !first, Problem: h.Problem, Retry: h.Retry})
	}
	return out
}

// View makes the snapshot of a run, with the details of what is looked at. Rows
// equal to those of the snapshot before (nil for none) are the same pointers. The
// log, the cluster's name and the clock's skew are the loop's to add.
func View(rules assess.Rules, now time.Time, w *world.World, r record.Run, look Look, before *Snapshot) *Snapshot {
	s := &assess.Reader{Now: now, W: w, Run: r, Rules: rules} // it looks, and changes nothing
	if rules.Follows() != nil && s.Run.External == nil {      // it is not in the record
		s.Run.External = movers.NewActivity(now, w, nil, nil)
	}
	replaced, total := r.Outdated()
	v := &Snapshot{
		At: now, Group: cmp.Or(r.Alias, r.Group), Provider: r.Provider, Strategy: r.Strategy, RunID: r.ID,
		State: r.State, Result: r.Result, Worst: r.Worst(), Why: r.Why, Gate: r.Gate, ExternalMovers: movers.Shown(r.ExternalMovers),
		Started: r.Started, Ended: r.Finished, Done: replaced, Total: total,
		Refused: w.Group.Refused, Sizes: w.Group.Sizes, Base: r.Base, Limit: r.Limit,
		Notes: r.Notes, Unrestored: r.Unrestored, Blind: r.Blind,
		Validation: r.Validation, PassInvalid: r.Settings.PassInvalid, Partial: w.Partial(),
	}
	if a, w := r.Awaits, r.PhaseWait; a != nil && w != nil && r.State == record.Running {
		v.Awaits, v.AwaitsUntil = a.Why, w.End
	}
	if r.State == record.NoRun && s.Fresh(world.Cloud) { // of what its nodes tell Others tells
		v.ExternalMovers = slices.DeleteFunc(movers.OfGroup(s), func(r record.ExternalMover) bool { return !r.Acts })
	}
	v.MaxUnavailable, v.Bounds = r.Settings.MaxUnavailable.Of(r.Base.Desired, false), s.Bounds()
	v.From, v.To = versions(s)
	v.TimeLeft = timeLeft(s)
	v.Phases = phaseViews(s)
	v.Workloads = workloads.Of(s)
	v.Zones = zones(s, before, workloads.CrashLooping(s, v.Workloads))
	if !v.Partial {
		v.Blockers, v.Evictions = leavers(s)
	}
	if r.Update != "" && len(v.Blockers) > 0 && len(v.Evictions) == 0 {
		v.TimeLeft = 0 // nothing goes: what was replaced before is no pace for what is followed
	}
	v.Batch = batchView(s)
	v.External, v.Pool = othersView(s), poolView(s)
	if r.State != record.NoRun {
		v.Abilities, v.AbortPlan, v.AbortSurge = abilities(s), s.Conduct().AbortPlan(s), s.Excess()
	}
	v.Sources = sources(s, v.Partial)
	v.Until, v.CloudOnly = r.Settings.Until, r.Settings.CloudOnly
	v.seesCanary(r.Canary, r.Settings.CanaryWatch)
	v.UpdateFailed = r.State == record.Paused && r.FailedUpdate != nil
	v.Look = look
	if look.Machine != "" {
		v.Node = nodeDetail(s, look.Machine)
	}
	if look.Budget != "" {
		v.Budget = budgetDetail(s, look.Budget)
	}
	return v
}

// phaseViews are the phases of a run and their progress.
func phaseViews(s *assess.Reader) []PhaseView {
	var views []PhaseView
	for _, p := range s.Run.Phases {
		view := PhaseView{Name: p.Name, Start: p.Start, End: p.End}
		if !p.Start.IsZero() {
			view.Done, view.Total = s.Rules.Progress(p.Name, s.W, &s.Run)
		}
		views = append(views, view)
	}
	for i := len(views) - 2; i >= 0; i-- {
		next := views[i+1]
		views[i].Missed = views[i].Start.IsZero() && (next.Missed || !next.Start.IsZero())
	}
	return views
}

// seesCanary shows the canary's trouble, and its wait while that lasts: all of it, as long as
// not every new node can be watched.
func (v *Snapshot) seesCanary(c *record.Canary, watch time.Duration) {
	switch {
	case c == nil:
	case c.Stands:
		v.CanaryTrouble, v.CanaryAccepted = c.Trouble, c.By
	case !c.Passed:
		v.Canary, v.CanaryTrouble = c.Wait, c.Trouble
		if c.Open {
			v.Canary = &record.Wait{For: c.Wait.For, Start: v.At, End: v.At.Add(watch), Needs: c.Wait.Needs}
		}
	}
}

// abilities says of each command whether it is possible now.
func abilities(s *assess.Reader) (out []AbilityNow) {
	for _, a := range s.Rules.Abilities() {
		now := AbilityNow{Kind: a.Kind, Why: s.Unable(a.Kind), Never: a.Answer == record.No}
		if a.Answer == record.Substitute {
			now.Instead = a.How
		}
		out = append(out, now)
	}
	return out
}

// versions names what the nodes come from and go to: kubelet versions as far as
// they are known and differ, else template versions; "" where neither is known of a pool.
func versions(s *assess.Reader) (from, to string) {
	olds, news, templates := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for id, n := range s.Run.Nodes.All() {
		version := n.Old
		if node := s.W.NodeOf(id); node != nil {
			version = node.Version
		}
		if m := s.W.Machine(id); m != nil && !n.New {
			templates[strconv.FormatInt(m.Template.Version, 10)] = true
		}
		switch {
		case version == "":
		case n.New:
			news[version] = true
		case n.Stage == record.Replaced && n.Old != "" && version != n.Old: // updated in place
			olds[n.Old], news[version] = true, true
		default:
			olds[version] = true
		}
	}
	from, to = strings.Join(slices.Sorted(maps.Keys(olds)), ", "), strings.Join(slices.Sorted(maps.Keys(news)), ", ")
	if s.Run.State == record.NoRun {
		return from, newest(s, to)
	}
	if p := s.W.Group.Pool; p != nil { // a template's number is the controller's own
		if from == to {
			to = ""
		}
		return from, cmp.Or(p.Version, to)
	}
	if from == to { // nothing known, or another image with the same kubelet
		from, to = text.Templates(slices.Sorted(maps.Keys(templates))), ""
	}
	switch {
	case to != "":
	case s.Run.Update != "" && managedTo(s) != "":
		to = managedTo(s)
	case s.Run.Target.Image != "":
		to = s.Run.Target.Image
	case len(s.Run.Target.Templates) > 0:
		to = text.Template(s.Run.Target.Templates[0].Version)
	}
	return from, to
}

// managedTo is what EKS's update that is followed goes to, as EKS tells it.
func managedTo(s *assess.Reader) string {
	m := s.W.Group.Managed
	if m == nil || m.Named(s.Run.Update) == nil {
		return ""
	}
	u := m.Named(s.Run.Update)
	return systems.EKSRelease(u.Version, u.Release)
}

// newest names what a group at rest launches from: the kubelet version of the nodes
// that are up to date, or the template's version as long as there is none.
func newest(s *assess.Reader, known string) string {
	if p := s.W.Group.Pool; p != nil { // the template's number is the controller's own
		return cmp.Or(p.Version, known)
	}
	if m := s.W.Group.Managed; known == "" && m != nil && s.Run.Target.Image != "" && m.Recommended != "" {
		return systems.EKSRelease(m.ClusterVersion, m.Recommended)
	}
	if known == "" && s.W.Group.Template.Version > 0 {
		return text.Template(s.W.Group.Template.Version)
	}
	return known
}

// timeLeft estimates the time to the end from how long nodes took so far, or,
// before the first one, from the waits that cannot be avoided.
func timeLeft(s *assess.Reader) time.Duration {
	replaced, total := s.Run.Outdated()
	left := total - replaced - s.Count(record.Skipped, record.NodeFail)
	if s.Run.External != nil && s.Run.State == record.NoRun {
		pace, _ := s.Run.External.Pace(s.Now, replaced, left)
		return pace
	}
	if s.Run.State != record.Running || left <= 0 || len(s.Run.Candidates) > 0 { // what its controller may be stuck at is no pace
		return 0
	}
	for _, p := range s.Run.Phases {
		if assess.Rolls(p.Name) && !p.Start.IsZero() && replaced > 0 {
			pace := s.Now.Sub(beganToReplace(s, p.Start)) / time.Duration(replaced) * time.Duration(left)
			if s.Run.NodeTime > 0 { // waiting for an approval is not the nodes' pace
				rounds := (left + s.Run.Limit - 1) / max(1, s.Run.Limit)
				pace = min(pace, time.Duration(rounds)*(s.Run.NodeTime+s.ValidationTime()))
			}
			return pace.Round(time.Second)
		}
	}
	return s.Estimate(left)
}

// beganToReplace is when a run began to replace nodes: with the phase that does, or with the run where a watch
// that came later found nodes replaced.
func beganToReplace(s *assess.Reader, phase time.Time) time.Time {
	for _, n := range s.Run.Nodes.All() {
		if n.Stage == record.Replaced && !n.Since.IsZero() && n.Since.Before(phase) {
			return s.Run.Started
		}
	}
	return phase
}

// zones makes the tables, a zone each. As long as no node comes, goes or gets its
// name, they are those of the snapshot before with the rows that changed.
func zones(s *assess.Reader, before *Snapshot, crashing map[string]string) []ZoneView {
	var out []ZoneView
	if before != nil {
		out = sameNodes(s, before.Zones, crashing)
	}
	if out == nil {
		out = allNodes(s, crashing)
	}
	for i := range out {
		z := &out[i]
		z.Done, z.Total = 0, 0
		for _, row := range z.Rows {
			if !row.New {
				z.Total++
			}
			if !row.New && row.Stage == record.Replaced {
				z.Done++
			}
		}
	}
	return out
}

// sameNodes makes the tables from those of before, nil if they list other nodes.
func sameNodes(s *assess.Reader, before []ZoneView, crashing map[string]string) []ZoneView {
	count := 0
	out := make([]ZoneView, len(before))
	for i, z := range before {
		out[i] = ZoneView{Name: z.Name, Rows: make([]*NodeRow, len(z.Rows)), bases: make([]basis, len(z.Rows))}
		for j, was := range z.Rows {
			n, known := s.Run.Nodes.Find(was.ID)
			if !known || n.Name != was.Name || n.Zone != was.Zone {
				return nil
			}
			b, row := basisOf(s, was.ID, n, crashing[n.Name]), was
			if b != z.bases[j] || b.moves() {
				row = rowOf(s, was.ID, n, b.crashing)
			}
			if sameRow(was, row) {
				row = was
			}
			out[i].Rows[j], out[i].bases[j] = row, b
			count++
		}
	}
	if count == 0 || count != s.Run.Nodes.Len() {
		return nil
	}
	return out
}

// allNodes makes the tables again.
func allNodes(s *assess.Reader, crashing map[string]string) []ZoneView {
	index := map[string]int{}
	var out []ZoneView
	for id, n := range s.Run.Nodes.All() {
		at, ok := index[n.Zone]
		if !ok {
			at = len(out)
			index[n.Zone] = at
			out = append(out, ZoneView{Name: n.Zone})
		}
		out[at].Rows = append(out[at].Rows, rowOf(s, id, n, crashing[n.Name]))
	}
	slices.SortFunc(out, func(a, b ZoneView) int { return cmp.Compare(a.Name, b.Name) })
	for _, z := range out {
		slices.SortFunc(z.Rows, func(a, b *NodeRow) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
		})
	}
	for i := range out {
		for _, row := range out[i].Rows {
			out[i].bases = append(out[i].bases, basisOf(s, row.ID, s.Run.Nodes.Get(row.ID), row.CrashLooping))
		}
	}
	return out
}

// basis is what a row was made from. The objects are replaced when they change, so
// equal pointers are equal rows.
type basis struct {
	stage       record.Stage
	since       time.Time
	old, reason string
	batch       int
	new         bool
	wait        *record.Wait
	taken       string // who else takes it out of service
	crashing    string // a replacement that crash-loops on it
	foreseen    bool   // the forecast names it

	machine *world.Machine
	node    *world.Node
	pods    **world.Pod
	unread  bool
	marks   *record.Mark
}

func basisOf(s *assess.Reader, id string, n record.Node, crashing string) basis {
	b := basis{crashing: crashing, foreseen: n.Name != "" && n.Name == foreseenStuck(&s.Run), stage: n.Stage, since: n.Since, old: n.Old, reason: n.Reason, batch: n.Batch, new: n.New, wait: n.Wait, taken: s.TakenBy(n.Name), machine: s.W.Machine(id), node: s.W.NodeOf(id), unread: !s.W.KnowsPodsOn(n.Name)}
	if pods := s.W.PodsOn(n.Name); len(pods) > 0 {
		b.pods = &pods[0]
	}
	if marks := s.Run.Marks[id]; len(marks) > 0 {
		b.marks = &marks[0]
	}
	return b
}

// moves reports whether a row depends on more than its basis: on the time, on
// budgets and tries, on hooks.
func (b *basis) moves() bool {
	return b.stage == record.Draining || b.stage == record.Updating || b.stage == record.Launching || b.stage == record.Terminating || b.node != nil && !b.node.Unreachable.IsZero()
}

func rowOf(s *assess.Reader, id string, n record.Node, crashing string) *NodeRow {
	m, node := s.W.Machine(id), s.W.NodeOf(id)
	row := &NodeRow{ID: id, Name: n.Name, Zone: n.Zone, Stage: n.Stage, Since: n.Since, Version: n.Old, New: n.New, Wait: n.Wait, Batch: n.Batch, CrashLooping: crashing, Takes: s.Conduct().Takes(n),
		Detached: m != nil && m.Detached, Note: noteOf(s, id, n)}
	if n.Wait != nil && (n.Wait.For == record.WaitPostponed || n.Stage == record.Updating && n.Blocked && n.Wait.For != record.WaitUnhealthy) {
		row.Wait = nil // it is up, and the note says why nothing comes of it
	}
	if node != nil {
		row.Version, row.Ready, row.Cordoned, row.Tainted = node.Version, node.Ready, node.Unschedulable, node.HasTaint(taintOf(s.Run.Marks[id]))
		if !node.Unreachable.IsZero() && n.Stage == record.Outdated {
			row.Stage = record.Unreachable
		}
	}
	if moves := s.Run.Moves(id, node); len(moves) > 0 {
		row.By = moves[0].By
	}
	countPods(s, n, row)
	row.Problem = problemOf(s, id, n, row, n.Name != "" && n.Name == foreseenStuck(&s.Run))
	return row
}

// countPods sets how many pods a node has to lose, and whether one of them is blocked.
func countPods(s *assess.Reader, n record.Node, row *NodeRow) {
	if assess.IsDraining(n) {
		left, asks := assess.LeavingPods(s.W, s.W.PodsOn(n.Name), s.ConsentsOn(n.Name))
		row.PodsLeft = len(left)
		row.Pods = max(n.Pods, row.PodsLeft)
		row.Blocked = len(asks) > 0 || slices.ContainsFunc(left, func(p *world.Pod) bool { return blockers.Stuck(s, p) })
	}
	if n.Stage == record.Outdated || n.Stage == record.Queued || s.Run.State == record.NoRun && n.Stage != record.Draining {
		row.PodsLeft, _ = s.PodsToMove(n.Name)
		row.Pods = row.PodsLeft
	}
	if !s.W.KnowsPodsOn(n.Name) {
		row.PodsUnread, row.PodsLeft, row.Pods = true, 0, 0
	}
}

// noteOf is what there is to know of a node beside its stage: its silence, else why it is where
// it is, else what is wrong with it, else who moves it.
func noteOf(s *assess.Reader, id string, n record.Node) string {
	m, node := s.W.Machine(id), s.W.NodeOf(id)
	if node != nil && !node.Unreachable.IsZero() && n.Stage != record.Replaced {
		return text.SilentFor(s.Now.Sub(node.Unreachable))
	}
	if n.Reason != "" {
		return n.Reason
	}
	if node != nil && !node.Ready && n.Stage != record.Replaced {
		return cmp.Or(node.Trouble, "NotReady")
	}
	if by := s.TakenBy(n.Name); by != "" {
		return text.TakenOutBy(by)
	}
	if n.Stage == record.Launching && m != nil {
		if why := s.WhyNotReady(m); why != "" {
			return why
		}
	}
	if held := s.HeldBy(m); held != "" {
		return held
	}
	if moves := s.Run.Moves(id, node); len(moves) > 0 && n.Stage != record.Replaced {
		return moves[0].Means
	}
	return ""
}

func taintOf(marks []record.Mark) world.Taint {
	for _, m := range marks {
		if m.Put.Kind == record.AddTaint {
			return m.Put.AsTaint()
		}
	}
	return world.Taint{}
}

func sameRow(a, b *NodeRow) bool {
	x, y := *a, *b
	if !sameWait(x.Wait, y.Wait) {
		return false
	}
	x.Wait, y.Wait = nil, nil
	return x == y
}

// sameWait reports whether two waits are shown alike, with what they interrupt.
func sameWait(a, b *record.Wait) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.For == b.For && a.Start.Equal(b.Start) && a.End.Equal(b.End) && sameWait(a.Interrupts, b.Interrupts)
}

// leavers lists the pods that have to leave draining nodes: what keeps them there
// now, the nearest deadline first, and those that are on their way.
func leavers(s *assess.Reader) (blocked []*blockers.Blocker, going []*Eviction) {
	for _, id := range s.In(record.Draining, record.Updating, record.NodeFail) {
		n := s.Run.Nodes.Get(id)
		if n.Stage == record.Updating && !assess.DrainedByController(n) {
			continue
		}
		for _, p := range s.W.PodsOn(n.Name) {
			switch v := s.Judge(p); {
			case v.Fate == drain.Asks, v.Fate == drain.Leaves && blockers.Stuck(s, p):
				blocked = append(blocked, blockers.Of(s, p, n, id))
			case v.Fate == drain.Leaves && p.Terminating():
				going = append(going, &Eviction{Pod: p.Ref(), UID: p.UID, Node: n.Name, Machine: id, Owner: assess.OwnerName(p), Grace: blockers.GraceOf(p)})
			}
		}
	}
	blocked = append(blocked, maybeBlocked(s)...)
	slices.SortStableFunc(blocked, func(a, b *blockers.Blocker) int {
		return cmp.Or(endOf(a.Deadline).Compare(endOf(b.Deadline)), cmp.Compare(a.Pod, b.Pod))
	})
	slices.SortStableFunc(going, func(a, b *Eviction) int {
		return cmp.Or(b.Grace.End.Compare(a.Grace.End), cmp.Compare(a.Pod, b.Pod))
	})
	return blocked, going
}

// maybeBlocked are the pods that PDBs keep on the nodes that the group's own controller may be at.
func maybeBlocked(s *assess.Reader) (out []*blockers.Blocker) {
	for _, id := range s.In(record.Outdated) {
		n := s.Run.Nodes.Get(id)
		if !slices.Contains(s.Run.Candidates, n.Name) {
			continue
		}
		for _, p := range s.W.PodsOn(n.Name) {
			if s.Judge(p).Fate == drain.Leaves && !p.Terminating() && !drain.GateOf(s.W, p, func(string) int { return 0 }).Open {
				b := blockers.Of(s, p, n, id)
				b.Guess = true
				out = append(out, b)
			}
		}
	}
	return out
}

// endOf is the end of a wait, far away without one.
func endOf(w *record.Wait) time.Time {
	if w == nil {
		return time.Unix(1<<40, 0)
	}
	return w.End
}

func batchView(s *assess.Reader) *BatchView {
	b, waiting := s.Run.Waiting()
	if !waiting || s.Run.State == record.Finished || s.Run.State == record.Ending {
		return nil
	}
	v := &BatchView{ID: b.ID, Phase: b.Phase, Hash: b.Hash, Nodes: b.Names, Since: b.Waiting}
	if b.Phase != "" {
		v.Does = s.Rules.Does(b.Phase, s.W, &s.Run)
	}
	if s.Run.Settings.Approve == record.ApproveCanary && !assess.CanaryStarted(&s.Run) {
		v.Canary, v.Watch = true, s.Run.Settings.CanaryWatch
	}
	o := b.Preview
	if o.AsOf.IsZero() { // nobody has looked yet
		if s.W.Partial() {
			return nil // what it does is not known, and soon will be
		}
		o = preflight.Batch(s, b)
	}
	v.AsOf, v.Evict, v.Ignore, v.Foreseen, v.NotEvaluated = o.AsOf, o.Evict, o.Ignore, o.Foreseen, o.NotEvaluated
	return v
}
