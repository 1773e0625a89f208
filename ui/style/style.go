package style

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/themes"
)

// Pen writes text in one look: the escape sequence that begins it, "" for the
// terminal's own.
type Pen string

// Styles are the pens and glyphs of a theme, made once and passed down. No other
// file of this package knows a colour.
type Styles struct {
	Glyphs themes.Glyphs
	// Plain: what is drawn is read as lines, without columns.
	Plain bool

	Text, Dim, Off, Title, Key   Pen
	Border, Focus, Cursor        Pen
	Good, Active, Warn, Bad      Pen
	Brand, Mark                  Pen
	Ask, Alarm, Calm             Pen
	Full, Rest                   Pen
	Stages                       map[record.Stage]Look
	States                       map[record.State]Look
	Input, inputCursor, Selected Pen
}

// Look is how a stage or a state shows: a glyph and a pen beside its word.
type Look struct {
	Glyph string
	Pen   Pen
}

func New(t themes.Theme) *Styles {
	g := t.Glyphs
	s := &Styles{
		Glyphs: g,
		Text:   NewPen(t.Text), Dim: NewPen(t.Dim), Off: NewPen(t.Off), Title: NewPen(t.Title), Key: NewPen(t.Key),
		Border: NewPen(t.Border), Focus: NewPen(t.Focus), Cursor: NewPen(t.Cursor),
		Good: NewPen(t.Good), Active: NewPen(t.Active), Warn: NewPen(t.Warn), Bad: NewPen(t.Bad),
		Brand: NewPen(t.Brand), Mark: NewPen(t.Mark),
		Ask: NewPen(t.Ask), Alarm: NewPen(t.Alarm), Calm: NewPen(t.Calm),
		Selected: NewPen(t.Selected), Input: NewPen(t.Input), inputCursor: NewPen(t.InputCursor),
		Full: NewPen(t.Full), Rest: NewPen(t.Rest),
	}
	s.Stages = map[record.Stage]Look{
		record.Outdated:    {g.Outdated, s.Dim},
		record.Queued:      {g.Queued, s.Text},
		record.Draining:    {g.Draining, s.Active},
		record.Settling:    {g.Settling, s.Active},
		record.Terminating: {g.Terminating, s.Active},
		record.Replaced:    {g.Done, s.Good},
		record.Launching:   {g.Launching, s.Active},
		record.Ready:       {g.Ready, s.Good},
		record.Surplus:     {g.Surplus, s.Dim},
		record.Updating:    {g.Draining, s.Active},
		record.Unreachable: {g.Unknown, s.Bad},
		record.NodeFail:    {g.Failed, s.Bad},
		record.Skipped:     {g.Skipped, s.Warn},
	}
	s.States = map[record.State]Look{
		record.NoRun:    {g.Todo, s.Dim},
		record.Planned:  {g.Todo, s.Dim},
		record.Running:  {g.Running, s.Active},
		record.Paused:   {g.Paused, s.Warn},
		record.Ending:   {g.Ended, s.Warn},
		record.Finished: {g.Done, s.Good},
	}
	return s
}

func NewPen(t themes.Style) Pen {
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
	return Pen(s.String())
}
