package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// GroupRow is a group that can be picked.
type GroupRow struct {
	Name, Provider, Version string
	Nodes, Outdated         int
	// Running says which run is under way in it, "" for none.
	Running string
	// Refused says why the group cannot be upgraded, "" if it can.
	Refused string
}

// PickGroup lets the operator choose a group; ok is false when none was chosen.
// Of the options only the terminal and the theme are used.
func PickGroup(ctx context.Context, rows []GroupRow, o Options) (name string, ok bool, err error) {
	pk := newPicker(rows, o)
	if _, err := newProgram(ctx, o, pk).Run(); err != nil {
		if ctx.Err() != nil {
			return "", false, context.Cause(ctx)
		}
		return "", false, fmt.Errorf("choosing a group: %w", err)
	}
	return pk.picked, pk.picked != "", nil
}

// picker is a list of groups; it borrows the board's model for theme and size.
type picker struct {
	*Model
	rows   []GroupRow
	cursor string
	picked string
}

func newPicker(rows []GroupRow, o Options) *picker {
	p := &picker{Model: newModel(o), rows: rows}
	if len(rows) > 0 {
		p.cursor = rows[0].Name
	}
	return p
}

// Update moves the cursor and picks.
func (p *picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		_, cmd := p.Model.Update(msg)
		return p, cmd
	}
	p.dirty, p.notice = true, ""
	at := slices.IndexFunc(p.rows, func(r GroupRow) bool { return r.Name == p.cursor })
	switch key.String() {
	case "q", "esc", "ctrl+c":
		return p, tea.Quit
	case "up", "k":
		at--
	case "down", "j":
		at++
	case "g", "home":
		at = 0
	case "G", "end":
		at = len(p.rows) - 1
	case "enter":
		if at < 0 {
			return p, nil
		}
		if r := p.rows[at]; r.Refused != "" {
			p.refuse("cannot upgrade " + r.Name + ": " + r.Refused)
			return p, p.tick()
		}
		p.picked = p.cursor
		return p, tea.Quit
	}
	if len(p.rows) > 0 {
		p.cursor = p.rows[min(max(at, 0), len(p.rows)-1)].Name
	}
	return p, nil
}

// View is the list.
func (p *picker) View() tea.View {
	if p.dirty {
		p.frame, p.dirty = p.render(), false
	}
	v := tea.NewView(p.frame)
	v.AltScreen, v.WindowTitle = true, "drainboard"
	return v
}

func (p *picker) render() string {
	if p.width <= 0 || p.height <= 0 {
		return ""
	}
	if p.width < leastWidth || p.height < leastHeight {
		return p.tooSmall()
	}
	st, w := p.st, p.width-2
	room := p.height - 5
	at := max(slices.IndexFunc(p.rows, func(r GroupRow) bool { return r.Name == p.cursor }), 0)
	top := max(min(at-room/2, len(p.rows)-room), 0)

	body := []string{p.groupLine(newLine(st, w).space(1), st.dim, "group", "version", "provider", "outdated", "")}
	for _, r := range p.rows[top:min(top+room, len(p.rows))] {
		body = append(body, p.group(r, w))
	}
	if len(p.rows) == 0 {
		body = append(body, newLine(st, w).space(1).add(st.text, "no groups were found in this cluster").String())
	}
	more := ""
	if len(p.rows) > room {
		more = fmt.Sprintf("%d of %d", at+1, len(p.rows))
	}
	out := []string{newLine(st, p.width).space(1).add(st.brand, "drainboard").add(st.text, "   which group?").String()}
	out = append(out, framed(st, st.border, "groups", "", more, body, p.width, p.height-2, true)...)
	last := keyLine(st, p.width-1, "enter", "plan and upgrade", "up/down", "move", "q", "quit")
	if p.notice != "" {
		last = newLine(st, p.width-1).add(st.warn, "! "+p.notice).String()
	}
	return strings.Join(append(out, spaces(1)+last), "\n")
}

// group is a line of the list.
func (p *picker) group(r GroupRow, w int) string {
	st := p.st
	l := newLine(st, w)
	mark := " "
	if r.Name == p.cursor {
		mark, l.over = st.g.Cursor, &st.cursor
	}
	l.add(st.focus, mark)
	lk := look{st.g.Done, st.good}
	state := "up to date"
	switch {
	case r.Refused != "":
		lk, state = look{st.g.Skipped, st.off}, r.Refused
	case r.Running != "":
		lk, state = st.states[engine.Running], r.Running
	case r.Outdated > 0:
		lk, state = look{st.g.Outdated, st.warn}, "outdated"
	}
	outdated := fmt.Sprintf("%d of %d", r.Outdated, r.Nodes)
	return p.groupLine(l, lk.pen, r.Name, shortVersion(clean(r.Version)), r.Provider, outdated, lk.glyph+" "+state)
}

// groupLine lays the cells out: what a narrow terminal can do without goes first.
func (p *picker) groupLine(l *line, look pen, name, version, provider, outdated, state string) string {
	st := p.st
	n := min(max(l.w/4, 16), 40)
	l.fit(st.text, shorten(name, n, st.g.Ellipsis), n).space(2)
	if l.w >= stackedWidth-2 {
		l.fit(st.dim, shorten(version, min(l.w/6, 24), st.g.Ellipsis), min(l.w/6, 24)).space(1).fit(st.dim, provider, 9).space(1)
	}
	return l.right(st.text, outdated, 10).space(2).add(look, state).String()
}
