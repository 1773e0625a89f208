package check

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/sim/check/words"
	"github.com/drainboard/drainboard/engine/sim/drive"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// Checker holds a driver to the rules: it is the drive.Checks of every script. Begin makes it ready.
type Checker struct {
	d *drive.Driver
	// open are the keys of actions that may still happen, or may have happened
	// without our knowing: no second one may be asked for.
	open map[string]bool
	// counted are, for each budget, the evictions under way that it may count.
	counted map[string][]string
	// commands are what the operator said to the decision that is being looked at.
	commands []record.Command
	// approved are the hashes of batches that an operator has approved.
	approved map[string]bool

	service  service
	hooks    hooks
	vigils   map[string]*vigil // by machine
	reads    map[string]look   // consistent reads whose answers are on their way
	marked   map[string]bool   // marks that we have put, as MarksOn names them
	ended    map[string]bool   // machines whose end was asked for while the run ran
	clock    usableTime
	kops     instances
	due      map[string]time.Time // since when a pod was to leave, by UID
	restarts map[string]bool      // pods whose next turn is the first one again, by UID
	full     map[string]time.Time // since when a pod has been tried often enough, by UID
	sick     map[string]time.Time // since when an update that failed was to be given up in time, by machine
	// wasCordoned are the machines whose nodes have been cordoned while they drain.
	wasCordoned map[string]bool
	uncordoned  map[string]bool // machines whose nodes we have uncordoned, which the View does not show yet
	valid       validity
	shown       *snapshot.Snapshot
	early       bool                    // the run was aborted or has failed
	nodes       shards.Map[record.Node] // of the run before the decision that is being looked at
	// LookAge is how old the last look at the pods may be when a termination arrives.
	LookAge     time.Duration
	zonesServed bool           // the first outdated node of an EKS update was tainted
	held        world.Sizes    // the group's before the request that has just arrived
	unheard     *record.Action // a lowering that has happened, and of which the driver does not know; nil for none
	unclear     *record.Action // a lowering that nobody answered, and that does not show as it was asked for; nil for none
	lowered     *record.Action // the last lowering that has happened
	made        *record.Action // the raise that has happened last, nil for none
	most        int            // the highest maximum that the driver was told to be set
	sized       int            // the desired size as it was when the group was to end no machines, or as it was set since

	shownBatches map[string][]string // what the hash of each batch stood for when it was shown
	owners       map[string]string   // of the pods that were asked to go, by UID
	movedFrom    map[string]bool     // owners (by UID) whose pods we made leave
	emptied      map[place]time.Time // since when we have made pods leave
	barred       map[string]bool     // pods that a budget was seen to keep since they were asked to leave the last time, by UID
	unscaled     map[string]bool     // Deployments (by UID) whose replicas may not be set back
	raised       bool                // the group's raise was asked for
	mostRaised   int                 // the largest of the raises that were asked for
	meantAt      time.Time           // when the run wrote down what it raises from, before it asks for it
	meantFrom    world.Sizes         // what the group had then
	lostRaises   int                 // of which nobody can know whether they were made, as many machines as the largest each
	unknowable   bool                // nobody can know whether the raise was made, and the group may have machines of it
	grew         int                 // by how much it was to raise the group
	launches     launches
	lastLaunches launches             // before the decision that is being looked at
	size         int                  // the group's desired size when the run began, without what earlier ones had left
	rested       int                  // the desired size that the raise rests on, or the run
	heritage     int                  // by how much earlier runs had left it raised
	doubtful     int                  // by how much more, as far as anybody can tell
	unsure       map[string]bool      // machines whose end with decrement was asked for, until it is told that it was granted
	forced       map[string]time.Time // when a delete of a pod was granted, by UID
	atStart      map[string]bool      // machines whose nodes were known when the run began
	dark         darkness
	back         takesBack
	lacking      lacking
	others       resized
	passing      passing
	endings      endings
	drainedOnce  map[string]bool // outdated nodes that have drained
	stops        stops
	unasked      map[string]time.Time // since when a pod of a node that drains is to be asked to leave, by UID
	bare         map[string]time.Time // since when a new node is not kept from the Cluster Autoscaler, by machine
	closed       map[string]time.Time // since when an outdated node takes no pods and no new one of its zone does, by machine
	idle         time.Time            // since when a pool's controllers are waited for, zero if they are not
	apartAtStart int                  // by how many machines the zones differed when the run began
	atRest       time.Time            // since when a group that may launch none has all machines that it is to have
	words        *words.Check         // what is told
}

// Begin makes a checker for a run that has not begun.
func (c *Checker) Begin(d *drive.Driver) {
	*c = Checker{

		d: d, open: map[string]bool{}, counted: map[string][]string{}, approved: map[string]bool{}, due: map[string]time.Time{}, restarts: map[string]bool{}, full: map[string]time.Time{}, sick: map[string]time.Time{}, bare: map[string]time.Time{}, closed: map[string]time.Time{}, wasCordoned: map[string]bool{}, uncordoned: map[string]bool{},
		service: service{touched: map[string]bool{}, cordoned: map[string]bool{}, spare: map[string]bool{}},
		LookAge: oldLook, shownBatches: map[string][]string{}, owners: map[string]string{}, movedFrom: map[string]bool{}, emptied: map[place]time.Time{}, barred: map[string]bool{}, unscaled: map[string]bool{}, unsure: map[string]bool{}, drainedOnce: map[string]bool{}, atStart: map[string]bool{},
		forced: map[string]time.Time{}, heritage: max(0, d.Sim.Group.Sizes.Desired-d.Sim.Before.Desired-d.Sim.Foreign.Desired),
		passing:  passing{owed: map[string]string{}, ours: map[string]bool{}, past: map[string]int{}, told: map[string]int{}},
		launches: launches{joining: map[string]time.Duration{}, joined: map[string]bool{}},
		dark:     darkness{granted: map[string]bool{}},
		endings:  endings{granted: map[string]int{}, told: map[string]int{}},
		back:     takesBack{since: d.Sim.View.Health[world.Cloud].Fresh},
		reads:    map[string]look{}, vigils: map[string]*vigil{}, marked: map[string]bool{}, ended: map[string]bool{},
		clock: usableTime{used: map[wait]time.Duration{}, tried: map[string]time.Time{}},
	}
	for _, m := range d.Sim.View.Machines() {
		c.atStart[m.ID] = d.Sim.View.NodeOf(m.ID) != nil
	}
	d.Sim.Grew = d.Sim.Grew && c.heritage > 0                                               // else what earlier runs have raised is taken back
	c.size = cmp.Or(d.Sim.View.Group.Sizes.Desired, d.Sim.Group.Sizes.Desired) - c.heritage // a plan counts with what was read
	c.doubtful = d.Sim.Slack
	c.rested = c.rests(d.Sim.Group.Sizes.Desired)
	if known := c.rests(d.Sim.View.Group.Sizes.Desired); known > 0 { // others may have raised it since the plan looked
		c.rested = min(c.rested, known)
	}
	c.apartAtStart = c.apart(c.nodes, 0)
	c.words = words.New(d, c.sees)
	c.hooks.init()
	c.kops.init(d.Sim)
}

// rests is the size that a raise from a desired size rests on.
func (c *Checker) rests(desired int) int { return desired - c.heritage - c.doubtful }

// Asked checks an action when it is sent.
func (c *Checker) Asked(a record.Action) {
	d := c.d
	if c.open[a.Key] {
		d.Breaks("nothing twice: %s %s asked for while the last one's fate is open", a.Kind, a.Key)
	}
	c.open[a.Key] = true
	c.written(a)
	c.fresh(a)
	if d.Run.State == record.Paused && slices.Contains([]record.ActionKind{record.Evict, record.Delete, record.Terminate, record.Detach}, a.Kind) {
		d.Breaks("paused, and %s %s", a.Kind, a.Key)
	}
	c.ending(a)
	c.validFirst(a)
	c.selects(a)
	c.templateBack(a)
	c.named(a)
	switch a.Kind {
	case record.LaunchIn:
		c.fits(a)
	case record.Detach:
		c.detaches(a)
	case record.Deregister:
		c.leaves(a)
	case record.Evict:
		c.clock.tried[a.Machine] = d.Sim.Now()
		c.eviction(a)
		c.budget(a)
		c.cordonedFirst(a)
		c.inTurn(a)
	case record.Delete:
		c.clock.tried[a.Machine] = d.Sim.Now()
		c.passing.ours[a.UID] = true
		c.deletion(a)
	case record.Terminate:
		c.takesDown(a)
		n, v := d.Sim.View.NodeOf(a.Machine), c.vigil(a.Machine)
		v.shown, v.asked, v.stops = n != nil && n.Unschedulable, slices.Clone(v.looks), map[string]bool{}
		for _, p := range d.Sim.View.PodsOn(a.Node) {
			v.stops[p.UID] = p.Terminating()
		}
		if truth := d.Sim.Truth.NodeOf(a.Machine); v.shown && truth != nil && truth.Unschedulable {
			v.lifted = false
		}
		if d.Run.State != record.Ending {
			c.ended[a.Machine] = true
		}
	}
	c.service.asked(a)
	c.hookAsked(a)
	c.limit()
}

// written checks that the saved record knows of an action, and of what it takes
// to undo it.
func (c *Checker) written(a record.Action) {
	if a.ReadOnly() {
		return
	}
	d, saved := c.d, &c.d.Saved
	if saved.Pending[a.Key].Asked.IsZero() {
		d.Breaks("write first: %s %s is not in the saved record", a.Kind, a.Key)
		return
	}
	c.served(a)
	refused := a.Kind == record.SetSizes && d.Sim.Group.Sizes != *a.From // others have changed them
	if !refused && !undoable(a, saved) {
		d.Breaks("write first: the saved record does not say how %s %s is undone", a.Kind, a.Key)
	}
}

// undoable reports whether a saved record says how an action is undone.
func undoable(a record.Action, saved *record.Run) bool {
	switch a.Kind {
	case record.AddLabel, record.AddTaint, record.Cordon, record.Annotate:
		if a.Label == sim.SelectedLabel { // nobody takes it off but who updates the node
			return saved.Nodes.Peek(a.Machine).Stage == record.Updating
		}
		return slices.ContainsFunc(saved.Marks[a.Machine], func(m record.Mark) bool { return m.Put.Key == a.Key && !m.Foreign })
	case record.Suspend:
		return slices.Contains(saved.Suspended, a.Process)
	case record.SetSizes:
		return sizesUndoable(a, saved)
	case record.LaunchIn:
		return slices.Contains(saved.AskedZones, a.Zone)
	case record.Scale:
		return slices.ContainsFunc(slices.Collect(maps.Values(saved.Singles)), func(x record.Single) bool { return x.UID == a.UID && x.Open() })
	case record.SetTemplate:
		return saved.BaseTemplate != (world.Template{}) && (*a.Template == saved.BaseTemplate || slices.Contains(saved.Target.Templates, *a.Template))
	case record.Terminate:
		return saved.Nodes.Peek(a.Machine).Decrement == a.Decrement
	}
	return true
}

// sizesUndoable reports whether a saved record says which sizes were before.
func sizesUndoable(a record.Action, saved *record.Run) bool {
	switch {
	case a.Sizes.Desired > a.From.Desired:
		return a.Key == record.KeepKey || saved.Raise >= a.Sizes.Desired-a.From.Desired && saved.RaisedFrom == *a.From && saved.Expected() == a.From.Desired && saved.MaxSet == a.Sizes.Max
	case a.Sizes.Max > a.From.Max:
		return saved.MaxSet == a.Sizes.Max
	}
	return true
}

// fresh checks that what an action rests on was known well enough when it was
// decided.
func (c *Checker) fresh(a record.Action) {
	var needs []world.Source
	switch a.Kind {
	case record.LookAtPods, record.LookAtRoutes, record.LookAtBalancers, record.CheckEffect, record.Inspect, record.RunHook:
	case record.CreateTemplate, record.SetTemplate, record.SetSizes, record.Suspend, record.Resume, record.LaunchIn, record.EndWarm, record.Detach, record.Deregister:
		needs = []world.Source{world.Cloud}
	case record.Terminate:
		needs = []world.Source{world.Cluster, world.Cloud}
	default:
		needs = []world.Source{world.Cluster}
	}
	for _, source := range needs {
		if !c.sees(source) {
			c.d.Breaks("freshness: %s %s while the %s was last seen %s ago", a.Kind, a.Key, source, c.d.Sim.Now().Sub(c.d.Sim.View.Health[source].Fresh))
		}
	}
}

// sees reports whether what the driver knows of a source is young enough to act on.
func (c *Checker) sees(source world.Source) bool {
	limit := c.d.Run.Settings.ClusterMaxAge
	if source == world.Cloud {
		limit = c.d.Run.Settings.CloudMaxAge
	}
	return c.d.Sim.Now().Sub(c.d.Sim.View.Health[source].Fresh) <= limit
}

// budget checks that no more evictions are under way for a budget than it
// allows, and one probe. Pods that the budget lets pass anyway do not count.
func (c *Checker) budget(a record.Action) {
	view := c.d.Sim.View
	p := view.Pod(a.UID)
	if p == nil || drain.GateOf(view, p, func(string) int { return 0 }).Open && !p.Ready {
		return
	}
	for _, b := range view.BudgetsOf(p) {
		c.counted[b.Ref()] = slices.DeleteFunc(c.counted[b.Ref()], func(key string) bool {
			pod := view.Pod(strings.TrimPrefix(key, "evict/"))
			return !c.open[key] || key == a.Key || pod == nil || pod.Terminating() // what left shows in the budget
		})
		c.counted[b.Ref()] = append(c.counted[b.Ref()], a.Key)
		if flying := len(c.counted[b.Ref()]); flying > max(0, b.Allowed)+1 {
			c.d.Breaks("budgets: %d evictions under way for budget %s, which allows %d: %v", flying, b.Ref(), b.Allowed, c.counted[b.Ref()])
		}
	}
}

// Arrives checks an action when it reaches the API.
func (c *Checker) Arrives(a record.Action) {
	d, s := c.d, c.d.Sim
	switch a.Kind {
	case record.Evict, record.Delete:
		if a.UID == "" {
			d.Breaks("rule 2: %s of %s/%s without a UID", a.Kind, a.Namespace, a.Pod)
		}
	case record.SetSizes:
		c.held = s.Group.Sizes
		if a.Sizes.Desired != a.From.Desired {
			c.sized = a.Sizes.Desired
		}
		c.lowers(a)
	case record.Resume:
		c.resumes(a)
	case record.Terminate:
		c.ends(a)
		c.terminate(a)
	}
}

// Answered notes what an API did.
func (c *Checker) Answered(a record.Action, o record.Outcome) {
	c.service.answered(c.d.Sim, a, o)
	c.uncordons(a)
	if a.Kind == record.Delete && o.Verdict == record.Done {
		c.forced[a.UID] = c.d.Sim.Now()
	}
	c.endings.answered(a, o)
	c.looked(a, o)
	c.changed(a)
	if a.Kind == record.SetSizes {
		c.d.Sim.Grew = c.d.Sim.Grew || a.Sizes.Desired > a.From.Desired && c.d.Sim.Group.Sizes.Desired > c.held.Desired // not by what others do meanwhile
		c.overwrites(a)
		c.happened(a)
		c.setBack(a)
	}
	c.marks(a)
	c.limit()
}

// Delivered notes that the driver knows what came of an action.
func (c *Checker) Delivered(a record.Action, o record.Outcome) {
	c.learned(a)
	c.heard(a, o)
	c.lacking.heard(a, o)
	c.noteMoved(a, o)
	c.leftNode(a, o)
	if made := madeBy(a, o); made.Kind == record.SetSizes && o.Verdict == record.Done {
		c.most = max(c.most, made.Sizes.Max)
	}
	c.misruled(a, o)
	c.deniesScale(a, o)
	if a.Kind == record.Delete && o.Verdict == record.Refused {
		delete(c.passing.ours, a.UID)
	}
	if a.Kind == record.Terminate {
		c.terminated(a, o)
	}
	if a.Kind == record.RunHook {
		delete(c.open, a.Key)
		c.hookAnswered(a, o)
	}
	if a.Kind == record.CheckEffect && o.Verdict == record.Done {
		delete(c.open, a.Of.Key)
		if a.Of.Kind == record.Terminate && !o.Happened { // it was never asked for
			delete(c.ended, a.Of.Machine)
		}
	}
	if o.Verdict == record.Done && !a.ReadOnly() {
		delete(c.open, a.Key)
	}
	if o.Verdict == record.Refused || a.ReadOnly() {
		delete(c.open, a.Key)
	}
}

// terminated notes what the driver knows of a termination.
func (c *Checker) terminated(a record.Action, o record.Outcome) {
	if a.Decrement && (o.Verdict == record.Unknown || o.Already) {
		c.d.Sim.Doubts++
	}
	c.kops.refused[a.Machine] = o.Verdict == record.Refused && o.Refusal != record.RefusedGone
	if o.Verdict == record.Done {
		c.dark.granted[a.Machine] = true
	}
	if o.Verdict == record.Done && !o.Already {
		delete(c.unsure, a.Machine)
	}
}

// Resumed is for another process: the answers to what was under way are lost, and what was only read
// may be read again.
func (c *Checker) Resumed() {
	c.words.Record(c.d.Saved)
	c.passing.resumed(c.d.Saved)
	c.launches.forget(c.d.SavedAt, c.clock.seen, c.d.Sim.Now())
	clear(c.reads)
	clear(c.hooks.asked)
	c.kops.begun = len(c.d.Saved.Order) > 0
	c.inWorkAgain()
	c.d.Sim.Doubts += len(c.unsure) // nor may be what it was told of these
	for _, p := range c.d.Saved.Pending {
		if was := c.lowered; was != nil && p.Action.Key == was.Key && p.Accepted.IsZero() && *p.Action.From == *was.From && *p.Action.Sizes == *was.Sizes {
			c.unheard = was // that it has happened is not in the record
		}
		if p.Action.Kind == record.LaunchIn && p.Accepted.IsZero() { // a raise by others may pass for it
			c.d.Sim.Doubts++
		}
	}
	c.dark.after, c.dark.told = 0, 0 // the last of it may not be in the record
	c.others = resized{}             // likewise
	clear(c.movedFrom)               // what the last process knew of it may not be in the record
	clear(c.emptied)                 // likewise
	clear(c.barred)                  // likewise
	for key := range c.open {
		if strings.HasPrefix(key, "hook/") || strings.HasPrefix(key, "look/") || strings.HasPrefix(key, "routes/") || strings.HasPrefix(key, "owner/") || strings.HasPrefix(key, "balancers/") || strings.HasPrefix(key, "check/") || strings.HasPrefix(key, "inspect/") {
			delete(c.open, key)
		}
	}
	for key := range c.open {
		if _, known := c.d.Saved.Pending[key]; !known {
			delete(c.open, key) // it was settled before
		}
	}
}

// Deciding looks at what the driver can see and do, and at what it was told.
func (c *Checker) Deciding(in engine.Inputs) {
	c.watch()
	c.commands, c.nodes, c.dark.state = in.Commands, c.d.Run.Nodes, c.d.Run.State
	c.passing.kept = c.d.Run.Kept
	for _, say := range in.Commands {
		if say.Kind == record.CmdApprove {
			c.approved[say.Hash] = true
		}
	}
	if in.Unwritten { // it is decided once more, and what has passed counts for no wait
		c.launches = c.lastLaunches
	} else {
		c.lastLaunches = c.launches.clone()
	}
	c.count()
}

// Decided checks a decision by itself.
func (c *Checker) Decided(before record.Run, in engine.Inputs, dec engine.Decision) {
	c.sameAgain(before, in, dec)
	c.saysChanged(before, in, dec)
	c.waitsForNothing(before, in, dec)
	c.words.Decided(before, in, dec)
	c.pauses(in, dec)
	c.shut(&dec.Run)
	c.started(&dec.Run)
	c.letsGo(&dec.Run)
	c.doubts(&before, &dec.Run)
}

// Took looks at a decision before its actions are sent.
func (c *Checker) Took(dec engine.Decision) {
	d := c.d
	if dec.Wake.Before(d.Sim.Now()) {
		d.Breaks("the wake-up %s lies in the past", dec.Wake)
	}
	c.words.Told(dec.Events)
	c.settles()
	c.endsTold(dec.Events)
	c.leftOut()
	c.looksAround(dec) // what a passed validation frees is free for this decision
	begun := c.begins(dec)
	c.early = dec.Run.State == record.Ending || dec.Run.Result == record.Aborted || c.early && dec.Run.Result != record.NotStartedYet || dec.Run.OnlyRetires()
	c.effects(dec)
	c.asPlanned(dec)
	c.resizes(dec)
	c.orders(dec)
	c.asks(dec)
	c.kept(dec)
	c.healthy(dec)
	c.guards(dec)
	c.opens(dec)
	c.waits()
	c.cordons()
	c.deadlines(dec)
	c.beginsAgain(dec)
	c.awaits(dec)
	c.waves(dec)
	c.passed(dec)
	c.atOnce(dec)
	c.standby(dec)
	c.retires(dec)
	c.lacks(dec)
	c.hookedDrains(dec)
	c.sights(dec)
	c.darkens(dec)
	c.watchRaises(dec)
	c.leavesThem(dec)
	c.look(dec)
	if begun {
		c.slots()
	}
	if dec.Run.State == record.Finished {
		c.End()
	}
	c.limit()
}

// begins checks what begins with the nodes of a decision. It reports whether anything does that needs a slot.
func (c *Checker) begins(dec engine.Decision) (begun bool) {
	for id, n := range dec.Run.Nodes.All() {
		if was := c.nodes.Peek(id); was.Stage == n.Stage && was.Since.Equal(n.Since) {
			continue // it has begun in a decision of the same moment
		}
		if (n.Stage == record.Draining || n.Stage == record.Terminating) && n.Since.Equal(c.d.Sim.Now()) && n.Began.Equal(c.d.Sim.Now()) {
			begun = begun || !n.New || dec.Run.State != record.Ending // an early end needs no slot for what it retires
			c.enough(id, n)
			c.quorum(id, n)
			c.gated(id, n)
			c.zoneRolls(id, n)
			c.endsOld(n)
			c.keepsEven(n)
		}
		if n.Stage == record.Updating && n.Since.Equal(c.d.Sim.Now()) {
			c.zoneUpdates(id, n)
		}
		if (n.Stage == record.Draining || n.Stage == record.Updating) && n.Since.Equal(c.d.Sim.Now()) {
			c.service.touched[id] = true
			c.consented(id, n)
			c.alone(id, n)
		}
	}
	return begun
}

// consented checks that the drain of an outdated node rests on an approval.
func (c *Checker) consented(id string, n record.Node) {
	r := &c.d.Run
	if r.Settings.Approve != record.ApproveBatch || n.New {
		return
	}
	if i := slices.IndexFunc(r.Batches, func(b record.Batch) bool { return b.ID == n.Batch && slices.Contains(b.Machines, id) }); i < 0 || !c.approved[r.Batches[i].Hash] {
		c.d.Breaks("approval: %s drains, and nobody has approved that", id)
	}
}

// Moved watches the Truth between decisions.
func (c *Checker) Moved() {
	c.service.truth(c.d.Sim)
	c.leftOut()
}
