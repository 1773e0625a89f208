package accuracy

import (
	"slices"
	"time"
)

// Row is what came of the clusters of a kind.
type Row struct {
	Kind Kind
	// Clusters is how many there were, Bad how many of their runs did not end well.
	Clusters, Bad int
	// Right is how many results were foreseen at the start. Misses ended badly and were foreseen to
	// end well, FalseAlarms the contrary, Other ended badly in another way than foreseen.
	Right, Misses, FalseAlarms, Other int
	// Warned is how many bad ends were foreseen at the start or later, Before the median time between
	// the first warning that stayed and the end.
	Warned int
	Before time.Duration
}

// Table counts outcomes by kind, in the order of Kinds; runs that were refused do not count.
func Table(list []Outcome) []Row {
	var out []Row
	for _, kind := range Kinds {
		row, before := Row{Kind: kind}, []time.Duration(nil)
		for _, o := range list {
			if o.Kind != kind || o.Refused != "" {
				continue
			}
			row.Clusters++
			if !o.Well() {
				row.Bad++
			}
			switch {
			case o.Right():
				row.Right++
			case o.Missed():
				row.Misses++
			case o.FalseAlarm():
				row.FalseAlarms++
			default:
				row.Other++
			}
			if o.Warned > 0 {
				row.Warned++
				before = append(before, o.Warned)
			}
		}
		if slices.Sort(before); len(before) > 0 {
			row.Before = before[len(before)/2]
		}
		if row.Clusters > 0 {
			out = append(out, row)
		}
	}
	return out
}

// Known sums up the rows whose causes could be known at the start.
func Known(rows []Row) (sum Row) {
	for _, r := range rows {
		if r.Kind.Known() {
			sum.Clusters, sum.Bad, sum.Right = sum.Clusters+r.Clusters, sum.Bad+r.Bad, sum.Right+r.Right
			sum.Misses, sum.FalseAlarms, sum.Other = sum.Misses+r.Misses, sum.FalseAlarms+r.FalseAlarms, sum.Other+r.Other
		}
	}
	return sum
}
