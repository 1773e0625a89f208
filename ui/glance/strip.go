package glance

import (
	"fmt"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/table"
)

// run is nodes of a zone that look the same.
type run struct {
	style.Look
	n int
}

// stages are the stages in the order of a strip: what is done, what is under way, what is
// to come. A replaced node is gone; the one in its place is shown.
var stages = []record.Stage{record.Ready, record.Surplus, record.Launching, record.Terminating, record.Settling, record.Draining, record.Updating,
	record.NodeFail, record.Unreachable, record.Queued, record.Outdated, record.Skipped}

// places are the places of stages in a strip.
var places = func() map[record.Stage]int {
	out := map[record.Stage]int{}
	for at, stage := range stages {
		out[stage] = at
	}
	return out
}()

// zoneRuns are the nodes of a zone in a strip.
type zoneRuns struct {
	all   []run
	nodes int
}

// runs are the nodes of a zone by how they look: by stage; of one those that are blocked first,
// then those with another problem.
func runs(st *style.Styles, z *snapshot.ZoneView) zoneRuns {
	var out []run
	nodes := 0
	const kinds = 3
	var counts [16][kinds]int
	for _, r := range z.Rows {
		at, known := places[r.Stage]
		if !known {
			continue
		}
		kind := 2
		switch {
		case r.Problem == snapshot.PodBlocked:
			kind = 0
		case scene.IsProblem(r) && r.Stage != record.NodeFail && r.Stage != record.Unreachable:
			kind = 1
		}
		counts[at][kind]++
		nodes++
	}
	for at, stage := range stages {
		looks := [kinds]style.Look{{Glyph: st.Glyphs.Blocked, Pen: st.Warn}, {Glyph: "!", Pen: st.Bad}, table.StageLook(st, &snapshot.NodeRow{Stage: stage})}
		for kind, n := range counts[at] {
			if n > 0 {
				out = append(out, run{looks[kind], n})
			}
		}
	}
	return zoneRuns{out, nodes}
}

// Strip is a glyph a node, zone after zone, each zone on lines of its own where those are few
// enough, else one after the other. Where most lines are too few for all, a glyph stands for
// several nodes, which it says.
func Strip(sc *scene.Scene, st *style.Styles, w, most int, ownLines bool) []string {
	if most < 1 || len(sc.Zones) == 0 {
		return nil
	}
	zones, nodes := make([]zoneRuns, len(sc.Zones)), 0
	for i := range sc.Zones {
		zones[i] = runs(st, &sc.Zones[i])
		nodes += zones[i].nodes
	}
	each := 1
	for nodes/each > most*w && each <= 1<<12 { // too few even for the signs alone
		each = next(each)
	}
	for ; ; each = next(each) {
		out := strip(sc, st, zones, w, each, ownLines)
		if len(out) <= most {
			return out
		}
		if each > 1<<12 {
			return out[:most]
		}
	}
}

func next(each int) int {
	if each == 1 {
		return 2
	}
	if each == 2 {
		return 5
	}
	return each * 2
}

func strip(sc *scene.Scene, st *style.Styles, zones []zoneRuns, w, each int, ownLines bool) []string {
	var out []string
	l := style.NewLine(st, w).Space(1)
	if each > 1 {
		l.Add(st.Dim, fmt.Sprintf("one sign: %d nodes", each)).Space(3)
	}
	end := func() {
		out = append(out, l.String())
		l = style.NewLine(st, w).Space(1)
	}
	label := 0
	for i := range sc.Zones {
		label = max(label, style.Width(style.Clean(zoneLabel(sc, i, ownLines))))
	}
	for i := range sc.Zones {
		all, nodes := zones[i].all, zones[i].nodes
		text := zoneLabel(sc, i, ownLines)
		need := style.Width(style.Clean(text)) + 1 + min(nodes, 10)
		if l.Col > 1 && (ownLines || l.Left() < need+1) {
			end()
		}
		l.Add(st.Dim, text)
		if ownLines {
			l.To(1 + label)
		}
		l.Space(1)
		indent := 1
		if ownLines {
			indent = l.Col
		}
		for _, r := range all {
			for n := (r.n + each - 1) / each; n > 0; {
				if l.Left() <= 1 {
					end()
					l.To(indent % max(w/2, 2))
				}
				part := min(n, l.Left()-1)
				l.Add(r.Pen, style.Repeat(r.Glyph, part))
				n -= part
			}
		}
		if !ownLines && l.Left() > 3 {
			l.Space(3)
		}
	}
	if l.Col > 1 {
		end()
	}
	return out
}

// zoneLabel names a zone and says how far it is.
func zoneLabel(sc *scene.Scene, i int, full bool) string {
	z := &sc.Zones[i]
	name := z.Name
	if !full {
		name = sc.ShortZone(name)
	}
	if name == "" {
		name = "nodes"
	}
	if sc.State == record.NoRun {
		return name
	}
	return name + " " + sc.ZoneProgress(z)
}
