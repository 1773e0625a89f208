package ui

import (
	"fmt"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
)

// leastForPool is from which height on a worker pool has a pane; lower screens have it in a
// dialog.
const leastForPool = 20

// poolHeight is how many lines a worker pool's pane takes, of those that there are.
func (m *Model) poolHeight(w, room int) int {
	if m.Scene.Pool == nil || m.Height < leastForPool || m.Width < term.StackedWidth && m.Focus != BlockedPane {
		return 0
	}
	most := max(room*3/10, 5)
	if m.Width < term.StackedWidth && len(m.Scene.Blockers) == 0 {
		most = room / 2
	}
	return min(len(m.poolBody(w-2))+2, most)
}

// poolLines draws the pane.
func (m *Model) poolLines(r rect) []string {
	st, p := m.Styles, m.Scene.Pool
	right := p.Strategy()
	if desired, updated, _, _ := p.Summary(); p.Control {
		right += fmt.Sprintf("  %d of %d updated", updated, desired)
	}
	body, room, more := m.poolBody(r.w-2), max(r.h-2, 0), ""
	if rest := len(body) - room; rest > 0 {
		body = body[:room]
		more = fmt.Sprintf("+%s, v shows all", style.Count(rest, "line"))
	}
	return style.Framed(st, st.Border, "pool "+p.Name, right, more, body, r.w, r.h, false)
}

// poolBody is the pane's lines, however many: the zones, what went wrong, what is under way
// in place, what the Shoot says, the limits, and what is not known.
func (m *Model) poolBody(w int) []string {
	sc, st, p := m.Scene, m.Styles, m.Scene.Pool
	var out []string
	say := func(pen style.Pen, glyph, text string) {
		out = append(out, style.NewLine(st, w).Space(1).Add(pen, glyph+" ").Add(pen, sc.Brief(text)).String())
	}
	name := 0
	for _, z := range p.Zones {
		name = max(name, style.Width(style.Clean(z.Name)))
	}
	for _, z := range p.Zones {
		out = append(out, poolZone(m.Styles, z, p, min(name, w/3), w))
	}
	if text := m.Scene.PoolTrouble(); text != "" {
		say(st.Warn, st.Glyphs.Warning, text)
	}
	for _, text := range p.Failed {
		say(st.Bad, st.Glyphs.Failed, text)
	}
	if text := p.InPlaceText(); text != "" {
		say(st.Text, st.Glyphs.Running, "in place: "+text)
	}
	for _, text := range p.Notes {
		say(st.Text, st.Glyphs.Ask, text)
	}
	if text := shootText(p); text != "" {
		say(st.Dim, st.Glyphs.Todo, text)
	}
	if text := p.Window(m.Scene.Now(m.Opts.Now())); text != "" {
		say(st.Dim, st.Glyphs.Todo, "maintenance window: "+text)
	}
	say(st.Dim, st.Glyphs.Todo, "limits: "+p.LimitsText())
	for _, text := range p.Unknown {
		say(st.Dim, st.Glyphs.Unknown, "not known: "+text)
	}
	return out
}

// poolZone is a zone of the pool in a line: what matters most first.
func poolZone(st *style.Styles, z snapshot.PoolZone, p *snapshot.PoolView, name, w int) string {
	l := style.NewLine(st, w).Space(1)
	l.Fit(st.Title, scene.OrDash(z.Name), max(name, 1)).Space(2)
	if z.Deployment == "" {
		l.Add(st.Text, z.Counts()).Add(st.Dim, "  inferred from their nodes")
		return l.Space(2).Add(st.Dim, z.AtOnce()).String()
	}
	l.Add(st.Text, z.Counts())
	if z.Total != z.Desired {
		l.Add(st.Text, fmt.Sprintf(", %d in all", z.Total))
	}
	if z.Paused {
		l.Space(2).Add(st.Warn, st.Glyphs.Paused+" "+systems.ZonePaused)
	}
	if z.Frozen {
		l.Space(2).Add(st.Warn, st.Glyphs.Warning+" "+systems.ZoneFrozen)
	}
	if text := z.AtOnce(); text != "" {
		l.Space(2).Add(st.Dim, text)
	}
	return l.Space(2).Add(st.Dim, z.Progress).String()
}

// shootText is the pool's Shoot where only its own cluster tells of it, "" else.
func shootText(p *snapshot.PoolView) string {
	if p.Info == nil || p.Info.Name == "" {
		return ""
	}
	return "Shoot " + p.ShootName() + ", Kubernetes " + p.VersionText()
}

// PoolDialog tells all of a worker pool.
type PoolDialog struct{ reader }

func (d *PoolDialog) Title(m *Model) string {
	if m.Scene.Pool == nil {
		return "pool"
	}
	return "pool " + m.Scene.Pool.Name
}

func (d *PoolDialog) Body(m *Model, w int) []string {
	sc, st, p := m.Scene, m.Styles, m.Scene.Pool
	if p == nil {
		return style.Paragraph(st, st.Dim, "", "this is not a worker pool", w)
	}
	var out []string
	add := func(name, value string, pen style.Pen) {
		if value != "" {
			out = append(out, style.Fact(st, name, sc.Brief(value), pen, w)...)
		}
	}
	add("updates", p.Strategy(), st.Text)
	add("Shoot", p.ShootName(), st.Text)
	add("version", p.VersionText(), st.Text)
	if p.Surge != "" {
		add("at once", "maxSurge "+p.Surge+", maxUnavailable "+p.Unavailable+" for the whole pool", st.Text)
	}
	add("limits", p.LimitsText(), st.Text)
	if list := p.Limits.Conditions; len(list) > 0 {
		add("health", "a machine is not healthy if its node is not Ready, or has one of "+strings.Join(list, ", "), st.Text)
	}
	add("window", p.Window(sc.Now(m.Opts.Now())), st.Text)
	add("in place", p.InPlaceText(), st.Text)
	add("trouble", m.Scene.PoolTrouble(), st.Warn)
	for _, z := range p.Zones {
		text := z.Counts()
		if z.Deployment != "" {
			text += fmt.Sprintf(", %d in all (%s)", z.Total, z.Deployment)
		}
		if at := z.AtOnce(); at != "" {
			text += "; at a time " + at
		}
		text = strings.Join(append([]string{text}, z.Standing()...), "; ")
		add(scene.OrDash(z.Name), text, st.Text)
	}
	for _, part := range []struct {
		pen   style.Pen
		glyph string
		list  []string
	}{{st.Bad, st.Glyphs.Failed, p.Failed}, {st.Text, st.Glyphs.Ask, p.Notes}, {st.Dim, st.Glyphs.Unknown, p.Unknown}} {
		if len(part.list) > 0 {
			out = append(out, style.NewLine(st, w).String())
		}
		for _, text := range part.list {
			out = append(out, style.Paragraph(st, part.pen, part.glyph, sc.Brief(text), w)...)
		}
	}
	return out
}

// machineOfPool is a machine of a worker pool in a sentence.
func machineOfPool(mc *world.Machine, now time.Time) string {
	g := mc.Managed
	var words []string
	for _, word := range []string{mc.ID, mc.Type, mc.Zone, mc.Detail} {
		if word != "" {
			words = append(words, word)
		}
	}
	if g == nil {
		return strings.Join(words, ", ")
	}
	if g.Phase != "" && !g.Since.IsZero() {
		words[len(words)-1] += " for " + text.Span(now.Sub(g.Since))
	}
	if g.Forced {
		words = append(words, "force deletion requested")
	}
	words = append(words, "of "+g.Set, fmt.Sprintf("priority %d (lowest first, default 3)", g.Priority), "drain "+text.Span(g.Limits.Drain))
	text := strings.Join(words, ", ")
	if g.Operation != "" {
		text += "; last operation: " + g.Operation + ": " + g.Description
	}
	return text
}
