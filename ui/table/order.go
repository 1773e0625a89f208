package table

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/scene"
)

// Order is how rows are sorted: by a column, the zero value by zone and name. Ties stay in
// the order in which they come.
type Order struct {
	By       Column
	Reversed bool
}

// orders in which a key goes through them, with their names.
var orders = []struct {
	Column
	name string
}{{Name, "name"}, {Stage, "stage"}, {Left, "time left"}, {Pods, "pods left"}, {Version, "version"}}

// Usual reports whether rows are in the order in which they come.
func (o Order) Usual() bool { return o == Order{} }

// Next sorts by the next column.
func (o Order) Next() Order {
	at := slices.IndexFunc(orders, func(x struct {
		Column
		name string
	}) bool {
		return x.Column == o.By
	})
	return Order{By: orders[(at+1)%len(orders)].Column}
}

// Choose sorts by a column, or by it the other way round if it was chosen before.
func (o Order) Choose(col Column) Order {
	switch {
	case col == Zone:
		col = Name
	case col == Wait:
		col = Left
	}
	switch {
	case col == o.By:
		return Order{col, !o.Reversed}
	case o.Sorts(col):
		return Order{By: col}
	}
	return o
}

// Sorts reports whether rows can be sorted by a column.
func (Order) Sorts(col Column) bool {
	for _, x := range orders {
		if x.Column == col {
			return true
		}
	}
	return false
}

// String is the order as a sentence has it.
func (o Order) String() string {
	out := ""
	for _, x := range orders {
		if x.Column == o.By {
			out = x.name
		}
	}
	if o.Reversed {
		out += ", reversed"
	}
	return out
}

// Sort returns rows in the order; for the usual one they are the same slice.
func (o Order) Sort(rows []*snapshot.NodeRow) []*snapshot.NodeRow {
	if o.Usual() {
		return rows
	}
	if o.By == Name {
		rows = slices.Clone(rows)
		slices.Reverse(rows)
		return rows
	}
	compare := compareBy(o.By)
	if o.Reversed {
		forward := compare
		compare = func(a, b *snapshot.NodeRow) int { return forward(b, a) }
	}
	return slices.SortedStableFunc(slices.Values(rows), compare)
}

func compareBy(col Column) func(a, b *snapshot.NodeRow) int {
	switch col {
	case Stage: // what needs an operator first, then busy nodes
		return func(a, b *snapshot.NodeRow) int { return cmp.Compare(rank(a), rank(b)) }
	case Left:
		return func(a, b *snapshot.NodeRow) int { return ends(a).Compare(ends(b)) }
	case Pods:
		return func(a, b *snapshot.NodeRow) int { return cmp.Compare(b.PodsLeft, a.PodsLeft) }
	}
	return func(a, b *snapshot.NodeRow) int { return cmp.Compare(a.Version, b.Version) }
}

// rank is how near the top a node belongs.
func rank(r *snapshot.NodeRow) int {
	if scene.IsProblem(r) {
		return 0
	}
	at := slices.Index([]record.Stage{record.Draining, record.Updating, record.Settling, record.Terminating, record.Launching,
		record.Queued, record.Outdated, record.Skipped, record.Ready, record.Surplus, record.Replaced}, r.Stage)
	if at < 0 {
		return 1
	}
	return at + 1
}

// ends is when a node's countdown ends, late without one.
func ends(r *snapshot.NodeRow) time.Time {
	if r.Wait == nil {
		return time.Unix(1<<40, 0)
	}
	return r.Wait.End
}

// Urgent puts what wants to be seen first: problems, then what is at work, then the others.
func Urgent(rows []*snapshot.NodeRow) []*snapshot.NodeRow {
	out := make([]*snapshot.NodeRow, 0, len(rows))
	var busy, others []*snapshot.NodeRow
	for _, r := range rows {
		switch {
		case scene.IsProblem(r):
			out = append(out, r)
		case scene.IsActive(r):
			busy = append(busy, r)
		default:
			others = append(others, r)
		}
	}
	return append(append(out, busy...), others...)
}
