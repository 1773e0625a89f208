package present

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text"
)

// mostListed is how many nodes a plan lists; more are summed up by zone unless all are wanted.
const mostListed = 50

// writeOrder writes the nodes of a plan in their order: each of them, or where there are many
// their batches and zones summed up. wide lists all.
func writeOrder(w io.Writer, p snapshot.Plan, wide bool) {
	if len(p.Nodes) > mostListed && !wide {
		writeBatches(w, p)
		var sums nodeSums
		for _, n := range p.Nodes {
			sums.add(n, 0)
		}
		sums.write(w, "BATCHES", sumNode.batches)
		return
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	reasons := slices.ContainsFunc(p.Nodes, func(n snapshot.PlannedNode) bool { return n.Why != "" })
	why := func(text string) string {
		if !reasons {
			return ""
		}
		return text + "\t"
	}
	fmt.Fprintln(t, "BATCH\tNODE\tZONE\tVERSION\t"+why("WHY")+"EVICT\tSTAY\tNOTE\tFORESEEN")
	for _, n := range p.Nodes {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s%d\t%d\t%s\t%s\n", n.Batch, nodeName(n), n.Zone, n.Version, why(dash(n.Why)), n.Evict, n.Stay, dash(strings.Join(oddities(n), ", ")), foreseenText(n))
	}
	t.Flush()
}

// writePoolNodes writes the nodes of a worker pool like writeOrder; they have no batches.
func writePoolNodes(w io.Writer, nodes []snapshot.PoolNode, wide bool) {
	planned := func(n snapshot.PoolNode) snapshot.PlannedNode {
		return snapshot.PlannedNode{Zone: n.Zone, Version: n.Version, Name: n.Name, Evict: n.Evict, Stay: n.Stay, Foreseen: n.Foreseen, NotEvaluated: n.NotEvaluated}
	}
	if len(nodes) > mostListed && !wide {
		var sums nodeSums
		for _, n := range nodes {
			sums.add(planned(n), n.Volumes)
		}
		sums.write(w, "VOLUMES", func(s sumNode) string { return fmt.Sprint(s.volumes) })
		return
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "NODE\tZONE\tVERSION\tEVICT\tVOLUMES\tSTAY\tFORESEEN")
	for _, n := range nodes {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\t%s\n", n.Name, dash(n.Zone), dash(n.Version), n.Evict, n.Volumes, n.Stay, foreseenText(planned(n)))
	}
	t.Flush()
}

func nodeName(n snapshot.PlannedNode) string {
	return cmp.Or(n.Name, n.Machine+" (not joined)")
}

// writeBatches sums up the batches of a plan, and names the nodes of the first one.
func writeBatches(w io.Writer, p snapshot.Plan) {
	var sizes []int // of the batches, in their order
	var first []string
	for i, n := range p.Nodes {
		if i == 0 || n.Batch != p.Nodes[i-1].Batch {
			sizes = append(sizes, 0)
		}
		sizes[len(sizes)-1]++
		if len(sizes) == 1 {
			first = append(first, nodeName(n))
		}
	}
	fmt.Fprintf(w, "%s, summed up (drainboard plan %s -o wide lists all): %s.\n", plural(len(sizes), "batch"), cmp.Or(p.Run.Alias, p.Group), sizesText(sizes))
	fmt.Fprintf(w, "Batch %d: %s.\n\n", p.Nodes[0].Batch, text.Some(first))
}

// sizesText says how many nodes batches have: those of equal size in a row together, or the
// smallest and largest where sizes change often.
func sizesText(sizes []int) string {
	var spans []string
	for at := 0; at < len(sizes); {
		end := at
		for end < len(sizes) && sizes[end] == sizes[at] {
			end++
		}
		spans = append(spans, fmt.Sprintf("%s of %s", plural(end-at, "batch"), plural(sizes[at], "node")))
		at = end
	}
	if len(spans) > 4 {
		return fmt.Sprintf("of %d to %s", slices.Min(sizes), plural(slices.Max(sizes), "node"))
	}
	return strings.Join(spans, ", then ")
}

// sumNode sums up nodes of one zone and version that are replaced for one reason.
type sumNode struct {
	zone, version, why                     string
	nodes, evict, stay, volumes            int
	first, last                            int // batch
	foreseen, notEvaluated                 int // nodes
	unjoined, unreachable, spot, protected int
}

func (s sumNode) batches() string {
	if s.first == s.last {
		return fmt.Sprint(s.first)
	}
	return fmt.Sprintf("%d-%d", s.first, s.last)
}

func (s sumNode) note() string {
	return counted(s.unjoined, "not joined", s.unreachable, "unreachable", s.spot, "Spot", s.protected, "protected")
}

// foreseenText says of how many nodes blockers are foreseen: "" only where all were evaluated.
func (s sumNode) foreseenText() string {
	if s.notEvaluated == s.nodes {
		return "not evaluated"
	}
	return counted(s.foreseen, "with blockers", s.notEvaluated, "not evaluated")
}

// counted lists numbers and what they count, "-" if all are zero.
func counted(pairs ...any) string {
	var out []string
	for pair := range slices.Chunk(pairs, 2) {
		if pair[0] != 0 {
			out = append(out, fmt.Sprintf("%d %s", pair...))
		}
	}
	return dash(strings.Join(out, ", "))
}

type nodeSums []sumNode

func (all *nodeSums) add(n snapshot.PlannedNode, volumes int) {
	at := slices.IndexFunc(*all, func(s sumNode) bool { return s.zone == n.Zone && s.version == n.Version && s.why == n.Why })
	if at < 0 {
		at = len(*all)
		*all = append(*all, sumNode{zone: n.Zone, version: n.Version, why: n.Why, first: n.Batch})
	}
	s := &(*all)[at]
	s.nodes++
	s.evict += n.Evict
	s.stay += n.Stay
	s.volumes += volumes
	s.last = n.Batch
	for _, c := range []struct {
		to *int
		is bool
	}{
		{&s.foreseen, len(n.Foreseen) > 0 && n.NotEvaluated == ""}, {&s.notEvaluated, n.NotEvaluated != ""}, {&s.unjoined, n.Name == ""},
		{&s.unreachable, !n.Unreachable.IsZero()}, {&s.spot, n.Spot}, {&s.protected, n.Protected},
	} {
		if c.is {
			*c.to++
		}
	}
}

// write writes a line for each sum, by zone, with one column of the caller's.
func (all nodeSums) write(w io.Writer, heading string, column func(sumNode) string) {
	slices.SortStableFunc(all, func(a, b sumNode) int { return strings.Compare(a.zone, b.zone) })
	reasons := slices.ContainsFunc(all, func(s sumNode) bool { return s.why != "" })
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	row := func(zone, nodes, own, version, why string, rest ...any) {
		cells := []any{zone, nodes, own, version}
		if reasons {
			cells = append(cells, why)
		}
		for _, cell := range append(cells, rest[:len(rest)-1]...) {
			fmt.Fprintf(t, "%v\t", cell)
		}
		fmt.Fprintln(t, rest[len(rest)-1])
	}
	row("ZONE", "NODES", heading, "VERSION", "WHY", "EVICT", "STAY", "NOTE", "FORESEEN")
	for _, s := range all {
		row(dash(s.zone), fmt.Sprint(s.nodes), column(s), dash(s.version), dash(s.why), s.evict, s.stay, s.note(), s.foreseenText())
	}
	t.Flush()
}
