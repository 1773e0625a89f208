package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/providers/journal"
)

// Load reads a journal.
func Load(path string) (*Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	r, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.Path = path
	return r, nil
}

// Read makes the report of a journal.
func Read(in io.Reader) (*Report, error) {
	b := &builder{
		r: &Report{}, nodes: map[string]*Node{}, names: map[string]*Node{}, asked: map[lineID]*Change{}, checks: map[lineID]string{},
		drivers: map[string]int{}, byKey: map[string]*Change{}, blocks: map[string]*Block{}, orders: map[string]engine.ForceOrder{}, used: map[string]bool{}, outdated: map[string]bool{},
	}
	unread, err := journal.Read(in, func(l journal.Line) bool {
		b.take(l)
		return true
	})
	if err != nil {
		return nil, err
	}
	if b.r.Run == "" {
		return nil, errors.New("this is no journal of a run")
	}
	b.r.Unread = unread
	b.finish()
	return b.r, nil
}

// builder takes in the lines of a journal, in order.
type builder struct {
	r      *Report
	nodes  map[string]*Node // by machine
	names  map[string]*Node // by the node's name
	order  []*Node
	asked  map[lineID]*Change
	checks map[lineID]string  // what a direct read asks about: its key
	byKey  map[string]*Change // the newest of a key
	blocks map[string]*Block  // open ones, by pod
	orders map[string]engine.ForceOrder
	used   map[string]bool // orders by which something was forced
	driven bool            // a process drives the run
	pause  bool

	newest  string         // the writer that drives the run, or did so last
	drivers map[string]int // by writer: which of the report's; -1 where its beginning cannot be read

	outdated map[string]bool // machines that were to be replaced
}

// lineID names a line: two processes may number theirs alike.
type lineID struct {
	writer string
	seq    int
}

func (b *builder) take(l journal.Line) {
	r := b.r
	before := b.newest
	if b.overtaken(l) {
		b.takeLate(l)
		return
	}
	if l.Kind != journal.KindOpened && l.At.After(r.Ended) {
		r.Ended = l.At
	}
	switch l.Kind {
	case journal.KindOpened:
		b.open(l, before == l.Writer)
	case journal.KindCommand:
		r.Commands = append(r.Commands, said(l.At, *l.Command))
	case journal.KindDecision:
		b.decide(l)
	case journal.KindAction:
		b.ask(l)
	case journal.KindOutcome:
		b.answer(l)
	case journal.KindEvent:
		b.hear(*l.Event)
	case journal.KindGap:
		b.miss(l)
	case journal.KindClosed:
		b.close(l)
	}
}

// overtaken reports whether another process has taken over from the writer of a line. A
// writer drives the run from its first line on, and again where it says so.
func (b *builder) overtaken(l journal.Line) bool {
	_, known := b.drivers[l.Writer]
	if !known {
		b.drivers[l.Writer] = -1
	}
	if !known && b.driven && l.Kind != journal.KindOpened { // whose beginning cannot be read
		b.leave(b.r.Ended, silently)
	}
	if !known || l.Kind == journal.KindOpened {
		b.newest = l.Writer
	}
	return l.Writer != b.newest
}

// takeLate takes in a line of a process that slept, and woke when another had taken
// over: what came of its actions, and what it warns of. How the run stands is for the
// other to say.
func (b *builder) takeLate(l journal.Line) {
	switch l.Kind {
	case journal.KindCommand:
		b.r.Commands = append(b.r.Commands, said(l.At, *l.Command))
	case journal.KindAction:
		b.ask(l)
	case journal.KindOutcome:
		b.answer(l)
	case journal.KindEvent:
		if l.Event.Type == engine.Warning {
			b.hear(*l.Event)
		}
	case journal.KindGap:
		b.miss(l)
	case journal.KindClosed:
		if i := b.drivers[l.Writer]; i >= 0 {
			b.r.Drivers[i].End = join("it slept, and another took over", l.Closed.Error)
		}
	}
}

// silently is how a process left that did not write how.
const silently = "it stopped without a word: killed, or crashed"

// open takes in that a process begins to drive the run. again: it did so before, and
// nobody else since.
func (b *builder) open(l journal.Line, again bool) {
	r, o := b.r, l.Opened
	if r.Run == "" {
		r.Run, r.Group, r.Cluster, r.Provider, r.Strategy = l.Run, o.Group, o.Cluster, o.Provider, o.Strategy
		r.From, r.To, r.Started, r.StartedBy, r.Limit = o.From, o.To, o.Started, o.StartedBy, o.Limit
		r.Ended = l.At
		if o.Elsewhere {
			r.Missing = append(r.Missing, fmt.Sprintf("what happened before %s: the run was driven from another machine until then, and that has the journal of it", l.At.UTC().Format(time.RFC3339)))
		}
		if o.Elsewhere && o.Seen.After(r.Started) {
			r.Alone = append(r.Alone, Span{"nobody drove it", o.Seen, l.At})
		}
	} else {
		r.Alone = append(r.Alone, Span{"nobody drove it", r.Ended, l.At})
		switch {
		case b.driven && again:
			b.leave(r.Ended, "it lost the lock for a while")
		case b.driven: // it did not say goodbye
			b.leave(r.Ended, silently)
		}
	}
	if l.At.After(r.Ended) {
		r.Ended = l.At
	}
	b.driven = true
	b.drivers[l.Writer] = len(r.Drivers)
	r.Drivers = append(r.Drivers, Driver{From: l.At, By: o.By, PID: o.PID, Version: o.Drainboard, Args: o.Args, Resumed: o.Resumed})
	if r.State = o.State; r.State == engine.Paused {
		b.pauseAt(l.At)
	}
	for _, p := range o.Phases {
		b.phase(p.Name, p.Start, p.End)
	}
	for _, s := range o.Nodes {
		b.stage(s, s.Since)
	}
	b.approve(o.Batches)
	b.ordered(o.Orders)
	if o.Plan != nil {
		r.Foreseen = append(slices.Clone(o.Plan.Warnings), foreseen(o.Plan)...)
		for _, n := range o.Plan.Nodes {
			b.outdated[n.Machine] = true
		}
	}
	if len(r.Drivers) == 1 {
		for name, origin := range o.Settings.Origin {
			if origin == "flag" {
				r.Chosen = append(r.Chosen, Choice{name, origin})
			}
		}
		slices.SortFunc(r.Chosen, func(a, b Choice) int { return cmp.Compare(a.Name, b.Name) })
	}
}

func foreseen(p *engine.Plan) (out []string) {
	for _, n := range p.Nodes {
		for _, f := range n.Foreseen {
			out = append(out, n.Name+": "+f)
		}
	}
	return out
}

func (b *builder) close(l journal.Line) {
	c := l.Closed
	b.r.State = c.State
	if len(c.Outstanding) > 0 {
		b.r.Left = c.Outstanding
	}
	how := "left the run " + string(c.State)
	if c.State == engine.Finished {
		how = "drove it to its end"
	}
	b.leave(l.At, join(how, c.Error))
}

func (b *builder) leave(at time.Time, how string) {
	b.driven = false
	if len(b.r.Drivers) == 0 { // its beginning cannot be read
		return
	}
	last := &b.r.Drivers[len(b.r.Drivers)-1]
	last.To, last.End = at, how
}

// decide takes in what a decision changed.
func (b *builder) decide(l journal.Line) {
	r, d := b.r, l.Decision
	if s := d.State; s != nil {
		r.State, r.Result, r.Why = s.To, s.Result, s.Why
		if s.To == engine.Finished {
			r.Left = nil // what was left is told with the end, below
		}
	}
	for _, s := range d.Stages {
		b.stage(s, l.At)
	}
	for _, machine := range d.Gone {
		if n := b.nodes[machine]; n != nil {
			end(n, l.At)
		}
	}
	b.approve(d.Batches)
	b.ordered(d.Orders)
	r.Culprits = cmpOr(d.Culprits, r.Culprits)
	r.Left = cmpOr(d.Left, r.Left)
	r.Notes = cmpOr(d.Notes, r.Notes)
}

// miss takes in that lines are missing.
func (b *builder) miss(l journal.Line) {
	b.r.Missing = append(b.r.Missing, fmt.Sprintf("%d lines from %s on could not be written: %s", l.Gap.Lines, l.Gap.Since.UTC().Format(time.RFC3339), l.Gap.Why))
}

func cmpOr(list, otherwise []string) []string {
	if list != nil {
		return list
	}
	return otherwise
}

// stage moves a node to a stage.
func (b *builder) stage(s journal.Stage, at time.Time) {
	n := b.nodes[s.Machine]
	if n == nil {
		n = &Node{Machine: s.Machine}
		b.nodes[s.Machine] = n
		b.order = append(b.order, n)
	}
	n.Name, n.Zone = cmp.Or(s.Node, n.Name), cmp.Or(s.Zone, n.Zone)
	n.Old, n.New = cmp.Or(s.Old, n.Old), s.New
	n.Pods, n.Reason = max(n.Pods, s.Pods), s.Reason
	if n.Name != "" {
		b.names[n.Name] = n
	}
	if s.To == engine.Outdated && !s.New {
		b.outdated[s.Machine] = true
	}
	if n.Last() == s.To {
		return
	}
	end(n, at)
	n.Stages = append(n.Stages, StageSpan{Stage: s.To, From: at})
}

// end ends the stage that a node is in.
func end(n *Node, at time.Time) {
	if i := len(n.Stages) - 1; i >= 0 && n.Stages[i].To.IsZero() {
		n.Stages[i].To = at
	}
}

func (b *builder) approve(list []engine.Batch) {
	for _, batch := range list {
		i := slices.IndexFunc(b.r.Batches, func(known engine.Batch) bool { return known.ID == batch.ID })
		if i < 0 {
			b.r.Batches = append(b.r.Batches, batch)
			continue
		}
		b.r.Batches[i] = batch
	}
}

func (b *builder) ordered(list []engine.ForceOrder) {
	for _, o := range list {
		b.orders[o.ID] = o
	}
}

// ask takes in an action.
func (b *builder) ask(l journal.Line) {
	a, of := l.Action, lineID{l.Writer, l.Seq}
	if a.Kind == engine.CheckEffect {
		b.checks[of] = a.Of.Key
	}
	if a.ReadOnly() {
		return
	}
	if c := b.byKey[a.Key]; c != nil && a.Kind == engine.Evict && c.Outcome.Verdict == engine.Refused && !c.Answered.IsZero() {
		c.Tries, c.Answered, c.Outcome = c.Tries+1, time.Time{}, engine.Outcome{}
		b.asked[of] = c
		return
	}
	c := &Change{At: l.At, Tries: 1, What: a.Sentence(), Action: a.Action, Twin: a.Action.Command(), Forced: a.Forced}
	b.asked[of], b.byKey[a.Key] = c, c
	b.r.Changes = append(b.r.Changes, c)
	if n := b.nodes[a.Machine]; n != nil {
		n.Changes = append(n.Changes, c)
	}
	if a.Forced != nil {
		b.r.Forced = append(b.r.Forced, c)
		b.used[a.Forced.Order] = true
	}
}

const (
	foundDone = "done, as a look at it found: the answer was lost"
	foundNot  = "did not happen, as a look at it found"
)

// answer takes in what came of an action, or what a look found of one.
func (b *builder) answer(l journal.Line) {
	o := l.Outcome
	of := lineID{l.Writer, o.Of}
	if c := b.asked[of]; c != nil {
		c.Answered, c.Outcome = l.At, o.Outcome
		delete(b.asked, of)
		return
	}
	if c := b.byKey[b.checks[of]]; c != nil && o.Verdict == engine.Done && (c.Answered.IsZero() || c.Outcome.Verdict == engine.Unknown) {
		if c.Found = foundNot; o.Happened {
			c.Found = foundDone
		}
	}
}

func said(at time.Time, c engine.Command) Command {
	what := string(c.Kind)
	switch {
	case c.Kind == engine.CmdApprove:
		what += fmt.Sprintf(" batch %d", c.Batch)
	case c.UID != "":
		what += " one pod (" + c.UID + ") on " + c.Node
	case c.Node != "":
		what += " " + c.Node
	}
	return Command{At: at, By: c.By, What: what, Reason: c.Reason}
}

// hear takes in an event.
func (b *builder) hear(e engine.Event) {
	r := b.r
	switch e.Type {
	case engine.PhaseStarted:
		b.phase(e.Phase, e.Time, time.Time{})
	case engine.PhaseFinished:
		b.phase(e.Phase, time.Time{}, e.Time)
	case engine.RunPaused:
		b.pauseAt(e.Time)
	case engine.RunResumed, engine.RunAborting:
		b.goesOn(e.Time)
	case engine.RunFinished:
		r.Finished, r.Ended = true, e.Time
		r.Result, r.Why = engine.Result(e.Result), cmp.Or(e.Message, r.Why)
		if e.ExitCode != nil {
			r.ExitCode = *e.ExitCode
		}
	case engine.PodBlocked:
		b.blocked(e)
	case engine.PodUnblocked:
		b.freed(e, "let through")
	case engine.PodEvicted:
		r.Evicted++
		b.freed(e, "evicted")
		if n := b.names[e.Node]; n != nil {
			n.Evicted++
		}
	case engine.PodForced:
		b.freed(e, "forced by "+e.Reason)
		if n := b.names[e.Node]; n != nil {
			n.Forced++
		}
	case engine.PodGone:
		b.freed(e, "left by itself")
	case engine.NodeFailed, engine.NodeSkipped:
		_, how, _ := strings.Cut(string(e.Type), ".")
		for _, block := range b.blocks {
			if block.Node == e.Node {
				b.freed(engine.Event{Pod: block.Pod, Time: e.Time}, "its node was given up ("+how+")")
			}
		}
	case engine.Warning:
		if n := len(r.Commands); e.Reason == "refused" && n > 0 {
			r.Commands[n-1].Refused = e.Message
		}
		if e.Reason != "foreseen" {
			r.Warnings = append(r.Warnings, e)
		}
	}
}

func (b *builder) phase(name string, from, to time.Time) {
	i := slices.IndexFunc(b.r.Phases, func(p Span) bool { return p.Name == name })
	if i < 0 && from.IsZero() {
		return
	}
	if i < 0 {
		b.r.Phases, i = append(b.r.Phases, Span{Name: name, From: from}), len(b.r.Phases)
	}
	if !to.IsZero() {
		b.r.Phases[i].To = to
	}
}

func (b *builder) pauseAt(at time.Time) {
	if !b.pause {
		b.pause = true
		b.r.Paused = append(b.r.Paused, Span{Name: "paused", From: at})
	}
}

func (b *builder) goesOn(at time.Time) {
	if b.pause {
		b.pause = false
		b.r.Paused[len(b.r.Paused)-1].To = at
	}
}

func (b *builder) blocked(e engine.Event) {
	if known := b.blocks[e.Pod]; known != nil {
		known.Detail, known.Budget = cmp.Or(e.Message, known.Detail), cmp.Or(e.Budget, known.Budget)
		return
	}
	block := &Block{Pod: e.Pod, Node: e.Node, Budget: e.Budget, Kind: e.Reason, Detail: e.Message, From: e.Time}
	b.blocks[e.Pod] = block
	b.r.Blocks = append(b.r.Blocks, block)
}

func (b *builder) freed(e engine.Event, how string) {
	if block := b.blocks[e.Pod]; block != nil {
		block.To, block.End = e.Time, how
		delete(b.blocks, e.Pod)
	}
}

// finish settles what the journal's end leaves open.
func (b *builder) finish() {
	r := b.r
	for _, block := range b.blocks {
		block.To = r.Ended
		if r.Finished {
			block.End = "the run ended"
		}
	}
	b.goesOn(r.Ended)
	for i := range r.Phases {
		if r.Phases[i].To.IsZero() {
			r.Phases[i].To = r.Ended
		}
	}
	for _, n := range b.order {
		end(n, r.Ended)
		if n.Last() == engine.Replaced && b.outdated[n.Machine] {
			r.Replaced++
		}
		if n.touched() {
			r.Nodes = append(r.Nodes, n)
		} else {
			r.Untouched++
		}
	}
	for i, batch := range r.Batches { // an approved batch names its machines only
		names := make([]string, len(batch.Machines))
		for j, machine := range batch.Machines {
			if names[j] = machine; b.nodes[machine] != nil {
				names[j] = b.nodes[machine].Label()
			}
		}
		if len(names) > 0 {
			r.Batches[i].Names = names
		}
	}
	slices.SortStableFunc(r.Nodes, func(a, b *Node) int { return a.began().Compare(b.began()) })
	r.Planned = len(b.outdated)
	for _, id := range sortedOrders(b.orders) {
		if !b.used[id] {
			r.Unused = append(r.Unused, b.orders[id])
		}
	}
	if b.driven && len(r.Drivers) > 0 {
		last := &r.Drivers[len(r.Drivers)-1]
		last.To, last.End = r.Ended, "it drives the run, or stopped without a word"
		if r.Finished {
			last.End = "drove it to its end"
		}
	}
	if n := r.Unread.Broken; n > 0 {
		r.Missing = append(r.Missing, plural(n, "line")+" of the journal cannot be read: a crash cuts the last one off")
	}
	if n := r.Unread.Newer; n > 0 {
		r.Missing = append(r.Missing, plural(n, "line")+" written by a newer drainboard: make the report with that one")
	}
}

func sortedOrders(orders map[string]engine.ForceOrder) []string {
	ids := make([]string, 0, len(orders))
	for id := range orders {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(orders[a].At.Compare(orders[b].At), cmp.Compare(a, b))
	})
	return ids
}

// idle are the stages in which nothing happens to a node.
var idle = []engine.Stage{engine.Outdated, engine.Queued, engine.Ready, engine.Surplus, engine.Skipped}

// touched reports whether anything happened to a node.
func (n *Node) touched() bool {
	return len(n.Changes) > 0 || slices.ContainsFunc(n.Stages, func(s StageSpan) bool { return !slices.Contains(idle, s.Stage) })
}

// began is when something first happened to a node.
func (n *Node) began() time.Time {
	for _, s := range n.Stages {
		if !slices.Contains(idle, s.Stage) {
			return s.From
		}
	}
	if len(n.Stages) > 0 {
		return n.Stages[0].From
	}
	return time.Time{}
}

// Worked is the stretch in which a node was being replaced: from the start of its drain
// until it was gone; zero if it was not.
func (n *Node) Worked() time.Duration {
	return n.In(engine.Draining, engine.Settling, engine.Terminating, engine.Updating)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
