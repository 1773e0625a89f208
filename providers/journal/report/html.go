package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

//go:embed page.html
var page string

var tmpl = template.Must(template.New("page").Funcs(template.FuncMap{"span": span, "plural": plural, "validated": validated}).Parse(page))

// sheet is what the page is made from.
type sheet struct {
	*Report
	style              Style
	Facts, Counts      []fact
	Overview           template.HTML
	Timelines          []part
	Stages             []record.Stage
	Listed             []*Change
	Unlisted           int
	FoldNodes, FoldAll bool
}

// HTML writes a report as one page that needs nothing else: no script, no picture and
// no font from elsewhere.
func HTML(w io.Writer, r *Report, s Style) error {
	sh := &sheet{
		Report: r, style: s, Facts: r.facts(s), Counts: r.counts(), Overview: r.overview(s), Timelines: r.timelines(s),
		Stages: []record.Stage{record.Launching, record.Draining, record.Settling, record.Terminating, record.Unreachable},
	}
	sh.Listed, sh.Unlisted = r.listed()
	sh.FoldNodes, sh.FoldAll = len(r.Nodes) > 40, len(sh.Listed) > 60
	return tmpl.Execute(w, sh)
}

// What the page asks for.

func (s *sheet) Places() []place             { return s.places() }
func (s *sheet) BlocksByTime() []*Block      { return s.blocks() }
func (s *sheet) What(b record.Batch) string  { return what(b) }
func (s *sheet) Way(n *Node) string          { return n.stages(s.style) }
func (s *sheet) Object(c *Change) string     { return c.object() }
func (s *sheet) BlockEnd(b *Block) string    { return b.end() }
func (s *sheet) CommandLine(d Driver) string { return "drainboard " + strings.Join(d.Args, " ") }
func (s *sheet) How(d Driver) string         { return "drainboard " + d.Version + resumed(d) }
func (s *sheet) Who(d Driver) string         { return fmt.Sprintf("%s, process %d", d.By, d.PID) }
func (s *sheet) Clock(t time.Time) string    { return s.style.clock(t) }
func (s *sheet) Date(t time.Time) string     { return s.style.date(t) }
func (s *sheet) ApprovedBy(b record.Batch) string {
	by, _ := approved(s.style, b)
	return by
}
func (s *sheet) ApprovedAt(b record.Batch) string {
	_, at := approved(s.style, b)
	return at
}

// Mark is the glyph and the class of how the run ended.
func (s *sheet) Mark() (glyph string) {
	switch {
	case s.Well():
		return "✓"
	case !s.Finished:
		return "…"
	case s.Result == record.Aborted, s.Result == record.NodesLeft:
		return "■"
	}
	return "✗"
}

// Tone is good, bad or open.
func (s *sheet) Tone() string {
	switch {
	case s.Well():
		return "good"
	case !s.Finished, s.Result == record.Aborted, s.Result == record.NodesLeft:
		return "open"
	}
	return "bad"
}

// Zone names the zone of the times.
func (s *sheet) Zone() string { return s.style.in(s.Started).Format("MST (UTC-07:00)") }
