package ui

import (
	"fmt"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// leastForPool is from which height on a worker pool has a pane; lower screens have it in a
// dialog.
const leastForPool = 20

// poolHeight is how many lines a worker pool's pane takes, of those that there are.
func (m *Model) poolHeight(w, room int) int {
	if m.sc.Pool == nil || m.height < leastForPool || m.width < stackedWidth && m.focus != blockedPane {
		return 0
	}
	most := max(room*3/10, 5)
	if m.width < stackedWidth && len(m.sc.Blockers) == 0 {
		most = room / 2
	}
	return min(len(m.poolBody(w-2))+2, most)
}

// poolLines draws the pane.
func (m *Model) poolLines(r rect) []string {
	st, p := m.st, m.sc.Pool
	right := p.Strategy()
	if desired, updated, _, _ := p.Summary(); p.Control {
		right += fmt.Sprintf("  %d of %d updated", updated, desired)
	}
	body, room, more := m.poolBody(r.w-2), max(r.h-2, 0), ""
	if rest := len(body) - room; rest > 0 {
		body = body[:room]
		more = fmt.Sprintf("+%s, v shows all", count(rest, "line"))
	}
	return framed(st, st.border, "pool "+p.Name, right, more, body, r.w, r.h, false)
}

// poolBody is the pane's lines, however many: the zones, what went wrong, what is under way
// in place, what the Shoot says, the limits, and what is not known.
func (m *Model) poolBody(w int) []string {
	sc, st, p := m.sc, m.st, m.sc.Pool
	var out []string
	say := func(pen pen, glyph, text string) {
		out = append(out, newLine(st, w).space(1).add(pen, glyph+" ").add(pen, sc.brief(text)).String())
	}
	name := 0
	for _, z := range p.Zones {
		name = max(name, width(clean(z.Name)))
	}
	for _, z := range p.Zones {
		out = append(out, m.poolZone(z, p, min(name, w/3), w))
	}
	if text := m.poolTrouble(); text != "" {
		say(st.warn, st.g.Warning, text)
	}
	for _, text := range p.Failed {
		say(st.bad, st.g.Failed, text)
	}
	if text := p.InPlaceText(); text != "" {
		say(st.text, st.g.Running, "in place: "+text)
	}
	for _, text := range p.Notes {
		say(st.text, st.g.Ask, text)
	}
	if text := shootText(p); text != "" {
		say(st.dim, st.g.Todo, text)
	}
	if text := p.Window(m.sc.now(m.opts.Now())); text != "" {
		say(st.dim, st.g.Todo, "maintenance window: "+text)
	}
	say(st.dim, st.g.Todo, "limits: "+p.LimitsText())
	for _, text := range p.Unknown {
		say(st.dim, st.g.Unknown, "not known: "+text)
	}
	return out
}

// poolZone is a zone of the pool in a line: what matters most first.
func (m *Model) poolZone(z engine.PoolZone, p *engine.PoolView, name, w int) string {
	st := m.st
	l := newLine(st, w).space(1)
	l.fit(st.title, dashed(z.Name), max(name, 1)).space(2)
	if z.Deployment == "" {
		l.add(st.text, z.Counts()).add(st.dim, "  as their nodes tell")
		return l.space(2).add(st.dim, z.AtOnce()).String()
	}
	l.add(st.text, z.Counts())
	if z.Total != z.Desired {
		l.add(st.text, fmt.Sprintf(", %d in all", z.Total))
	}
	if z.Paused {
		l.space(2).add(st.warn, st.g.Paused+" "+engine.ZonePaused)
	}
	if z.Frozen {
		l.space(2).add(st.warn, st.g.Warning+" "+engine.ZoneFrozen)
	}
	if text := z.AtOnce(); text != "" {
		l.space(2).add(st.dim, text)
	}
	return l.space(2).add(st.dim, z.Progress).String()
}

func dashed(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// poolTrouble is what of the pool cannot be read now although the rest is fresh, "" if all
// can.
func (m *Model) poolTrouble() string {
	if src := m.sc.source(world.Cloud); src != nil && !src.Stale {
		return src.Problem
	}
	return ""
}

// shootText is the pool's Shoot where only its own cluster tells of it, "" else.
func shootText(p *engine.PoolView) string {
	if p.Info == nil || p.Info.Name == "" {
		return ""
	}
	return "Shoot " + p.ShootName() + ", Kubernetes " + p.VersionText()
}

// poolDialog tells all of a worker pool.
type poolDialog struct{ reader }

func (d *poolDialog) title(m *Model) string {
	if m.sc.Pool == nil {
		return "pool"
	}
	return "pool " + m.sc.Pool.Name
}

func (d *poolDialog) body(m *Model, w int) []string {
	sc, st, p := m.sc, m.st, m.sc.Pool
	if p == nil {
		return para(st, st.dim, "", "this is no worker pool", w)
	}
	var out []string
	add := func(name, value string, pen pen) {
		if value != "" {
			out = append(out, named(st, name, sc.brief(value), pen, w)...)
		}
	}
	add("updates", p.Strategy(), st.text)
	add("Shoot", p.ShootName(), st.text)
	add("version", p.VersionText(), st.text)
	if p.Surge != "" {
		add("at once", "maxSurge "+p.Surge+", maxUnavailable "+p.Unavailable+" for the whole pool", st.text)
	}
	add("limits", p.LimitsText(), st.text)
	if list := p.Limits.Conditions; len(list) > 0 {
		add("health", "a machine is not healthy if its node is not Ready, or has one of "+strings.Join(list, ", "), st.text)
	}
	add("window", p.Window(sc.now(m.opts.Now())), st.text)
	add("in place", p.InPlaceText(), st.text)
	add("trouble", m.poolTrouble(), st.warn)
	for _, z := range p.Zones {
		text := z.Counts()
		if z.Deployment != "" {
			text += fmt.Sprintf(", %d in all (%s)", z.Total, z.Deployment)
		}
		if at := z.AtOnce(); at != "" {
			text += "; at a time " + at
		}
		text = strings.Join(append([]string{text}, z.Standing()...), "; ")
		add(dashed(z.Name), text, st.text)
	}
	for _, part := range []struct {
		pen   pen
		glyph string
		list  []string
	}{{st.bad, st.g.Failed, p.Failed}, {st.text, st.g.Ask, p.Notes}, {st.dim, st.g.Unknown, p.Unknown}} {
		if len(part.list) > 0 {
			out = append(out, newLine(st, w).String())
		}
		for _, text := range part.list {
			out = append(out, para(st, part.pen, part.glyph, sc.brief(text), w)...)
		}
	}
	return out
}

// machineOfPool is a machine of a worker pool in a sentence.
func machineOfPool(mc *world.Machine, now time.Time) string {
	g := mc.Gardener
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
		words[len(words)-1] += " for " + engine.Span(now.Sub(g.Since))
	}
	if g.Forced {
		words = append(words, "ordered to go by force")
	}
	words = append(words, "of "+g.Set, fmt.Sprintf("priority %d (the lowest goes first, 3 is usual)", g.Priority), "drain "+engine.Span(g.Limits.Drain))
	text := strings.Join(words, ", ")
	if g.Operation != "" {
		text += "; last operation: " + g.Operation + ": " + g.Description
	}
	return text
}
