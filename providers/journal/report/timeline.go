package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// Measures of a timeline, in its own units: about a pixel.
const (
	labelWidth = 190.0
	chartWidth = 890.0
	rowHeight  = 20.0
	slimHeight = 13.0 // of a row where there are many
	laneHeight = 26.0 // of the phases
	axisHeight = 22.0
	zoneHeight = 26.0
	// wordFits is how wide a bar must be to have its stage in it.
	wordFits = 86.0
)

// mostRows is up to how many rows a report has them all in one picture; those of
// larger runs are in parts, each for itself.
const (
	mostRows = 300
	partRows = 200
)

// scale turns times into places.
type scale struct {
	from time.Time
	span time.Duration
}

func (r *Report) scale() scale {
	return scale{r.Started, max(time.Second, r.Ended.Sub(r.Started))}
}

// x is the place of a moment, within the chart.
func (c scale) x(t time.Time) float64 {
	share := float64(t.Sub(c.from)) / float64(c.span)
	return labelWidth + chartWidth*math.Min(1, math.Max(0, share))
}

// ticks are round moments, at most about ten.
func (c scale) ticks(s Style) []time.Time {
	step := 24 * time.Hour
	for _, d := range []time.Duration{time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour} {
		if c.span/d <= 10 {
			step = d
			break
		}
	}
	var out []time.Time
	for t := s.in(c.from).Truncate(step); !t.After(c.from.Add(c.span)) && len(out) < 100; t = t.Add(step) {
		if !t.Before(c.from) {
			out = append(out, t)
		}
	}
	return out
}

// drawing is an SVG in the making.
type drawing struct {
	page
	scale
	style Style
}

func num(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.1f", f), "0"), ".")
}

// bar is a rectangle from one moment to another; it is seen, however short.
func (d *drawing) bar(class string, from, to time.Time, y, height float64) {
	x := d.x(from)
	width := math.Max(2, d.x(to)-x)
	d.add(`<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, num(x), num(y), num(width), num(height))
}

func (d *drawing) words(class string, x, y float64, words string) {
	d.add(`<text class="%s" x="%s" y="%s">%s</text>`, class, num(x), num(y), words)
}

// grid draws the ticks, and the stretches in which the run stood still, behind rows
// down to a height.
func (d *drawing) grid(r *Report, height float64) {
	for _, list := range []struct {
		class string
		spans []Span
	}{{"still paused", r.Paused}, {"still alone", r.Alone}} {
		for _, s := range list.spans {
			d.add(`<g><title>%s</title>`, fmt.Sprintf("%s: %s–%s (%s)", s.Name, d.style.clock(s.From), d.style.clock(s.To), span(s.To.Sub(s.From))))
			d.bar(list.class, s.From, s.To, axisHeight, height-axisHeight)
			d.add("</g>")
		}
	}
	format := "15:04"
	if d.span < 10*time.Minute {
		format = "15:04:05"
	}
	for _, t := range d.ticks(d.style) {
		x := d.x(t)
		d.add(`<line class="tick" x1="%s" y1="%s" x2="%s" y2="%s"/>`, num(x), num(axisHeight-4), num(x), num(height))
		if x < labelWidth+chartWidth-24 {
			d.words("time", x+4, axisHeight-8, d.style.in(t).Format(format))
		}
	}
}

// frame is a whole drawing of a height.
func (r *Report) frame(s Style, name string, height float64, draw func(*drawing)) markup {
	d := &drawing{scale: r.scale(), style: s}
	d.add(`<svg class="timeline" role="img" aria-label="%s" viewBox="0 0 %s %s" width="%s" height="%s">`,
		name, num(labelWidth+chartWidth), num(height), num(labelWidth+chartWidth), num(height))
	d.grid(r, height)
	draw(d)
	d.add("</svg>")
	return d.markup()
}

// overview draws the phases and, below them, how many nodes were in work and replaced.
func (r *Report) overview(s Style) markup {
	const chart = 90.0
	top := axisHeight + laneHeight + 12
	return r.frame(s, "Phases, and how many nodes were replaced, over time", top+chart+8, func(d *drawing) {
		d.words("label", 0, axisHeight+17, "phases")
		for i, p := range r.Phases {
			d.add(`<g><title>%s</title>`, fmt.Sprintf("%s: %s–%s (%s)", p.Name, s.clock(p.From), s.clock(p.To), span(p.To.Sub(p.From))))
			d.bar(fmt.Sprintf("phase p%d", i%2), p.From, p.To, axisHeight, laneHeight-4)
			if label := p.Name + " " + span(p.To.Sub(p.From)); d.x(p.To)-d.x(p.From) > 7.2*float64(len(label)) {
				d.words("in", d.x(p.From)+7, axisHeight+15.5, label)
			}
			d.add("</g>")
		}
		r.progress(d, top, chart)
	})
}

// progress draws the number of nodes that are gone, and of those in work, as steps.
func (r *Report) progress(d *drawing, top, height float64) {
	type step struct {
		at         time.Time
		done, busy int
	}
	var steps []step
	for _, n := range r.Nodes {
		for _, st := range n.Stages {
			switch st.Stage {
			case record.Draining, record.Settling, record.Terminating, record.Updating:
				steps = append(steps, step{st.From, 0, 1}, step{st.To, 0, -1})
			case record.Replaced:
				if !n.New {
					steps = append(steps, step{st.From, 1, 0})
				}
			}
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return a.at.Compare(b.at) })
	most := 1
	for _, n := range []int{r.Planned, r.Replaced} {
		most = max(most, n)
	}
	y := func(n int) float64 { return top + height - height*math.Min(1, float64(n)/float64(most)) }
	line := func(of func(step) int) string {
		var path strings.Builder
		n, shown := 0, 0
		fmt.Fprintf(&path, "M%s,%s", num(labelWidth), num(y(0)))
		for i, st := range steps {
			n += of(st)
			if i+1 < len(steps) && steps[i+1].at.Sub(st.at) < time.Second || n == shown { // what happens together is one step
				continue
			}
			shown = n
			fmt.Fprintf(&path, "H%sV%s", num(d.x(st.at)), num(y(n)))
		}
		fmt.Fprintf(&path, "H%s", num(labelWidth+chartWidth))
		return path.String()
	}
	d.add(`<line class="base" x1="%s" y1="%s" x2="%s" y2="%s"/>`, num(labelWidth), num(y(0)), num(labelWidth+chartWidth), num(y(0)))
	done := line(func(s step) int { return s.done })
	d.add(`<path class="area" d="%sV%sH%sZ"/>`, done, num(y(0)), num(labelWidth))
	d.add(`<path class="busy" d="%s"/><path class="done" d="%s"/>`, line(func(s step) int { return s.busy }), done)
	d.words("label", 0, top+14, fmt.Sprintf("replaced: %d of %d", r.Replaced, most))
	d.add(`<line class="done" x1="0" y1="%s" x2="22" y2="%[1]s"/>`, num(top+24))
	d.words("label", 0, top+50, "in progress")
	d.add(`<line class="busy" x1="0" y1="%s" x2="22" y2="%[1]s"/>`, num(top+60))
}

// part is a picture of some nodes.
type part struct {
	Name    string
	Picture markup
	Folded  bool // it is opened on demand
}

// timelines are the pictures of all nodes: one, or for a large run one for each two
// hundred of a zone.
func (r *Report) timelines(s Style) []part {
	places := r.places()
	if len(r.Nodes) <= mostRows {
		height := axisHeight
		for _, p := range places {
			height += zoneHeight + rowHeight*float64(len(p.Nodes))
		}
		return []part{{"", r.frame(s, "What happened to each node, over time", height+6, func(d *drawing) {
			y := axisHeight
			for _, p := range places {
				d.words("zone", 0, y+18, cmp.Or(p.Zone, "no zone"))
				d.words("count", labelWidth-8, y+18, plural(len(p.Nodes), "node"))
				y += zoneHeight
				for _, n := range p.Nodes {
					r.row(d, n, y, rowHeight)
					y += rowHeight
				}
			}
		}), false}}
	}
	var out []part
	for _, p := range places {
		for from := 0; from < len(p.Nodes); from += partRows {
			nodes := p.Nodes[from:min(from+partRows, len(p.Nodes))]
			name := fmt.Sprintf("%s, %d to %d of %s", cmp.Or(p.Zone, "no zone"), from+1, from+len(nodes), plural(len(p.Nodes), "node"))
			height := axisHeight + slimHeight*float64(len(nodes)) + 6
			out = append(out, part{name, r.frame(s, name, height, func(d *drawing) {
				for i, n := range nodes {
					r.row(d, n, axisHeight+slimHeight*float64(i), slimHeight)
				}
			}), true})
		}
	}
	return out
}

// row draws what happened to a node.
func (r *Report) row(d *drawing, n *Node, y, height float64) {
	d.add(`<g><title>%s</title>`, n.Label()+": "+strings.TrimSuffix(join(n.stages(d.style), n.Reason), ": "))
	label, _, _ := strings.Cut(n.Label(), ".") // as the dashboard names it
	const size = 25
	if runes := []rune(label); len(runes) > size {
		label = string(runes[:size-1]) + "…"
	}
	class := "label"
	if height < rowHeight {
		class = "label slim"
	}
	d.words(class, 0, y+height*0.72, label)
	pad := 3.0
	if height < rowHeight {
		pad = 1.5
	}
	for _, st := range n.Stages {
		width := d.x(st.To) - d.x(st.From)
		switch st.Stage {
		case record.Outdated, record.Queued, record.Ready, record.Surplus:
			line := "quiet"
			if n.New {
				line = "quiet new"
			}
			if width > 0 {
				d.add(`<line class="%s" x1="%s" y1="%s" x2="%s" y2="%[3]s"/>`, line, num(d.x(st.From)), num(y+height/2), num(d.x(st.To)))
			}
		case record.Replaced, record.Skipped, record.NodeFail:
			d.words("end "+class, d.x(st.From)+3, y+height*0.72, map[record.Stage]string{record.Replaced: "", record.Skipped: "– skipped", record.NodeFail: "✗ failed"}[st.Stage])
		default:
			d.bar("s "+string(st.Stage), st.From, st.To, y+pad, height-2*pad)
			if label := string(st.Stage) + " " + span(st.To.Sub(st.From)); width > wordFits && height >= rowHeight && width > 6.6*float64(len(label))+10 {
				d.words("in", d.x(st.From)+5, y+height*0.7, label)
			}
		}
	}
	for _, b := range r.blocksOn(n) {
		d.bar("blocked", b.From, b.To, y+height-pad-3, 3)
	}
	for _, c := range n.Changes {
		if c.Forced != nil {
			x := d.x(c.At)
			d.add(`<path class="force" d="M%s,%sl-4.5,-8h9z"/>`, num(x), num(y+height*0.5+4))
		}
	}
	d.add("</g>")
}

// blocksOn are the blockers that a node had.
func (r *Report) blocksOn(n *Node) []*Block {
	if n.Name == "" {
		return nil
	}
	if r.onNode == nil {
		r.onNode = map[string][]*Block{}
		for _, b := range r.Blocks {
			r.onNode[b.Node] = append(r.onNode[b.Node], b)
		}
	}
	return r.onNode[n.Name]
}
