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

	"github.com/drainboard/drainboard/engine/record"
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
		drivers: map[string]int{}, byKey: map[string]*Change{}, blocks: map[string]*Block{}, orders: map[string]record.ForceOrder{}, used: map[string]bool{}, outdated: map[string]bool{},
	}
	unread, err := journal.Read(in, func(l journal.Line) bool {
		b.take(l)
		return true
	})
	if err != nil {
		return nil, err
	}
	if b.r.Run == "" {
		return nil, errors.New("not a journal of a run")
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
	orders map[string]record.ForceOrder
	used   map[string]bool // orders by which something was forced
	driven bool            // a process drives the run
	pause  bool

	newest  string         // the writer that drives the run, or did so last
	drivers map[string]int // by writer: which of the report's; -1 where its beginning cannot be read

	outdated map[string]bool // machines that were to be replaced
}

func (b *builder) take(l journal.Line) {
	r := b.r
	before := b.newest
	if b.overtaken(l) {
		b.takeLate(l)
		return
	}
	if l.Kind != journal.KindOpened && l.At.After(r.Ended) && !r.Finished {
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

// decide takes in what a decision changed.
func (b *builder) decide(l journal.Line) {
	r, d := b.r, l.Decision
	if s := d.State; s != nil {
		r.State, r.Result, r.Why = s.To, s.Result, s.Why
		if s.To == record.Finished {
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
	b.r.Missing = append(b.r.Missing, fmt.Sprintf("%d lines since %s could not be written: %s", l.Gap.Lines, l.Gap.Since.UTC().Format(time.RFC3339), l.Gap.Why))
}

func cmpOr(list, otherwise []string) []string {
	if list != nil {
		return list
	}
	return otherwise
}

func (b *builder) approve(list []record.Batch) {
	for _, batch := range list {
		i := slices.IndexFunc(b.r.Batches, func(known record.Batch) bool { return known.ID == batch.ID })
		if i < 0 {
			b.r.Batches = append(b.r.Batches, batch)
			continue
		}
		b.r.Batches[i] = batch
	}
}

func (b *builder) ordered(list []record.ForceOrder) {
	for _, o := range list {
		b.orders[o.ID] = o
	}
}

func said(at time.Time, c record.Command) Command {
	what := string(c.Kind)
	switch {
	case c.Kind == record.CmdApprove:
		what += fmt.Sprintf(" batch %d", c.Batch)
	case c.UID != "":
		what += " one pod (" + c.UID + ") on " + c.Node
	case c.Node != "":
		what += " " + c.Node
	}
	return Command{At: at, By: c.Sender(), What: what, Reason: c.Reason}
}

// hear takes in an event.
func (b *builder) hear(e record.Event) {
	r := b.r
	switch e.Type {
	case record.PhaseStarted:
		b.phase(e.Phase, e.Time, time.Time{})
	case record.PhaseFinished:
		b.phase(e.Phase, time.Time{}, e.Time)
	case record.RunPaused:
		b.pauseAt(e.Time)
	case record.RunResumed, record.RunAborting:
		b.goesOn(e.Time)
	case record.RunFinished:
		r.Finished, r.Ended = true, e.Time
		r.Result, r.Why = record.Result(e.Result), cmp.Or(e.Message, r.Why)
		if e.ExitCode != nil {
			r.ExitCode = *e.ExitCode
		}
	case record.PodBlocked:
		b.blocked(e)
	case record.PodUnblocked:
		b.freed(e, "evicted")
	case record.PodEvicted:
		r.Evicted++
		b.freed(e, "evicted")
		if n := b.names[e.Node]; n != nil {
			n.Evicted++
		}
	case record.NodeBlocked:
		if e.Pod != "" {
			b.blocked(e)
		}
	case record.NodeDraining:
		if e.Reason == "unblocked" {
			b.leftNode(e, "unblocked")
		}
	case record.NodeReplaced, record.NodeTerminating:
		b.leftNode(e, "left")
	case record.PodForced:
		if e.By != "" {
			r.Passed = append(r.Passed, e)
			b.freed(e, "deleted by "+e.By)
		} else {
			b.freed(e, "forced by "+e.Reason)
		}
		if n := b.names[e.Node]; n != nil {
			n.Forced++
		}
	case record.PodGone:
		b.freed(e, "left")
	case record.NodeFailed, record.NodeSkipped:
		_, how, _ := strings.Cut(string(e.Type), ".")
		b.leftNode(e, "node given up ("+how+")")
	case record.ForecastChanged:
		r.Forecasts = append(r.Forecasts, e)
	case record.ValidationPassed, record.ValidationFailed:
		r.Validations = append(r.Validations, e)
	case record.Warning:
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
		if n.Last() == record.Replaced && b.outdated[n.Machine] {
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
		last.To, last.End = r.Ended, "still driving, or killed"
		if r.Finished {
			last.End = "drove the run to its end"
		}
	}
	if n := r.Unread.Broken; n > 0 {
		r.Missing = append(r.Missing, plural(n, "line")+" of the journal not readable: a crash cuts off the last one")
	}
	if n := r.Unread.Newer; n > 0 {
		r.Missing = append(r.Missing, plural(n, "line")+" written by a newer Drainboard: use that one for the report")
	}
}

func sortedOrders(orders map[string]record.ForceOrder) []string {
	ids := make([]string, 0, len(orders))
	for id := range orders {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(orders[a].At.Compare(orders[b].At), cmp.Compare(a, b))
	})
	return ids
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
