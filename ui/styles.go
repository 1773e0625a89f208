package ui

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/themes"
)

// pen writes text in one look: the escape sequence that begins it, "" for the
// terminal's own.
type pen string

// styles are the pens and glyphs of a theme, made once and passed down. No other
// file of this package knows a colour.
type styles struct {
	g themes.Glyphs
	// plain: what is drawn is read as lines, without columns.
	plain bool

	text, dim, off, title, key   pen
	border, focus, cursor        pen
	good, active, warn, bad      pen
	brand, mark                  pen
	ask, alarm, calm             pen
	full, rest                   pen
	stages                       map[engine.Stage]look
	states                       map[engine.State]look
	input, inputCursor, selected pen
}

// look is how a stage or a state shows: a glyph and a pen beside its word.
type look struct {
	glyph string
	pen   pen
}

func newStyles(t themes.Theme) *styles {
	g := t.Glyphs
	s := &styles{
		g:    g,
		text: newPen(t.Text), dim: newPen(t.Dim), off: newPen(t.Off), title: newPen(t.Title), key: newPen(t.Key),
		border: newPen(t.Border), focus: newPen(t.Focus), cursor: newPen(t.Cursor),
		good: newPen(t.Good), active: newPen(t.Active), warn: newPen(t.Warn), bad: newPen(t.Bad),
		brand: newPen(t.Brand), mark: newPen(t.Mark),
		ask: newPen(t.Ask), alarm: newPen(t.Alarm), calm: newPen(t.Calm),
		selected: newPen(t.Selected), input: newPen(t.Input), inputCursor: newPen(t.InputCursor),
		full: newPen(t.Full), rest: newPen(t.Rest),
	}
	s.stages = map[engine.Stage]look{
		engine.Outdated:    {g.Outdated, s.dim},
		engine.Queued:      {g.Queued, s.text},
		engine.Draining:    {g.Draining, s.active},
		engine.Settling:    {g.Settling, s.active},
		engine.Terminating: {g.Terminating, s.active},
		engine.Replaced:    {g.Done, s.good},
		engine.Launching:   {g.Launching, s.active},
		engine.Ready:       {g.Ready, s.good},
		engine.Surplus:     {g.Surplus, s.dim},
		engine.Updating:    {g.Draining, s.active},
		engine.Unreachable: {g.Unknown, s.bad},
		engine.NodeFail:    {g.Failed, s.bad},
		engine.Skipped:     {g.Skipped, s.warn},
	}
	s.states = map[engine.State]look{
		engine.NoRun:    {g.Todo, s.dim},
		engine.Planned:  {g.Todo, s.dim},
		engine.Running:  {g.Running, s.active},
		engine.Paused:   {g.Paused, s.warn},
		engine.Ending:   {g.Ended, s.warn},
		engine.Finished: {g.Done, s.good},
	}
	return s
}

func newPen(t themes.Style) pen {
	if t == (themes.Style{}) {
		return ""
	}
	var s ansi.Style
	if t.Bold {
		s = s.Bold()
	}
	if t.Faint {
		s = s.Faint()
	}
	if t.Underline {
		s = s.Underline(true)
	}
	if t.Invert {
		s = s.Reverse(true)
	}
	if t.FG != "" {
		s = s.ForegroundColor(lipgloss.Color(t.FG))
	}
	if t.BG != "" {
		s = s.BackgroundColor(lipgloss.Color(t.BG))
	}
	return pen(s.String())
}
