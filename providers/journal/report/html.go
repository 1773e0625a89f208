package report

import (
	"cmp"
	_ "embed"
	"io"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
)

var (
	//go:embed page.css
	pageStyle string
	//go:embed patterns.svg
	patterns string
)

// Above these numbers of rows a part of the page is folded.
const (
	foldNodes   = 40
	foldChanges = 60
)

// sheet is the page of a report in the making.
type sheet struct {
	page
	*Report
	style Style
}

// HTML writes a report as one page that needs nothing else: no script, no picture and
// no font from elsewhere.
func HTML(w io.Writer, r *Report, s Style) error {
	sh := &sheet{Report: r, style: s}
	sh.head()
	sh.summary()
	sh.timeline()
	sh.blockers()
	sh.forcedActs()
	sh.said()
	sh.nodes()
	sh.changes()
	sh.validations()
	sh.warnings()
	sh.left()
	sh.drivers()
	sh.foot()
	_, err := io.WriteString(w, sh.text.String())
	return err
}

// head is everything before the first section.
func (s *sheet) head() {
	s.add(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>%s: %s</title>
<style>
%s</style>
</head>
<body>
%s<main>
`, s.Title(), s.Outcome(), markup(pageStyle), markup(patterns))
	s.add(`<header><h1>%s</h1><span class="badge %s">%s %s</span></header>`+"\n", s.Title(), s.tone(), s.mark(), s.Outcome())
	if s.Why != "" {
		s.add(`<p class="why">%s</p>`, s.Why)
	}
	s.add("\n" + `<nav><a href="#timeline">Timeline</a><a href="#blockers">Blockers</a><a href="#forced">Forced acts</a><a href="#said">Approvals and commands</a><a href="#nodes">Nodes</a><a href="#changes">Every change</a><a href="#warnings">Warnings</a><a href="#left">What was left</a><a href="#drivers">Who drove it</a></nav>` + "\n")
}

// summary is what is not in this journal, the counts and the facts.
func (s *sheet) summary() {
	if len(s.Missing) > 0 {
		s.add(`<div class="callout"><strong>Not in this journal</strong>`)
		s.list(s.Missing)
		s.add(`</div>`)
	}
	s.add("\n" + `<div class="tiles">`)
	for _, f := range s.counts() {
		s.add(`<div class="tile"><b>%s</b><span>%s</span></div>`, f.Value, f.Name)
	}
	s.add("</div>\n" + `<div class="card"><dl>`)
	for _, f := range s.facts(s.style) {
		s.add(`<dt>%s</dt><dd>%s</dd>`, f.Name, f.Value)
	}
	s.add("</dl></div>\n\n")
}

// timeline is the pictures, and their legend.
func (s *sheet) timeline() {
	s.add(`<h2 id="timeline">Timeline <small>times are %s; point at a row for its times</small></h2>`+"\n", s.zone())
	s.add(`<div class="card scroll">%s</div>`+"\n", s.overview(s.style))
	s.add("\n" + `<div class="card scroll" style="margin-top:10px">` + "\n")
	for _, p := range s.timelines(s.style) {
		if p.Folded {
			s.add(`<details><summary>%s</summary>%s</details>`, p.Name, p.Picture)
		} else {
			s.add(`%s`, p.Picture)
		}
	}
	s.add("\n" + `<div class="legend">`)
	for _, stage := range []record.Stage{record.Launching, record.Draining, record.Settling, record.Terminating, record.Unreachable} {
		s.add(`<span><svg width="26" height="12" aria-hidden="true"><rect class="s %s" width="26" height="12"/></svg>%[1]s</span>`, stage)
	}
	s.add(`
<span><svg width="26" height="12" aria-hidden="true"><line class="quiet" x1="0" y1="6" x2="26" y2="6"/></svg>waiting</span>
<span><svg width="26" height="12" aria-hidden="true"><line class="quiet new" x1="0" y1="6" x2="26" y2="6"/></svg>new and Ready</span>
<span><svg width="26" height="12" aria-hidden="true"><rect class="blocked" y="8" width="26" height="3"/></svg>a pod is blocked</span>
<span><svg width="12" height="12" aria-hidden="true"><path class="force" d="M6 11l-4.5-8h9z"/></svg>forced</span>
`)
	if len(s.Paused) > 0 {
		s.add(`<span><svg width="26" height="12" aria-hidden="true"><rect class="still paused" width="26" height="12"/></svg>the run was paused</span>`)
	}
	s.add("\n")
	if len(s.Alone) > 0 {
		s.add(`<span><svg width="26" height="12" aria-hidden="true"><rect class="still alone" width="26" height="12"/></svg>nobody drove it</span>`)
	}
	s.add("</div>\n</div>\n\n")
}

func (s *sheet) blockers() {
	s.add(`<h2 id="blockers">Blockers <small>those that lasted longest first</small></h2>` + "\n" + `<div class="card scroll">`)
	if len(s.Blocks) == 0 {
		s.none("None: every pod left when it was asked to.")
	} else {
		s.table("pod", "node", "why", "from", "until", number+"for", "how it ended")
		for _, b := range s.blocks() {
			s.add(`<tr><td class="k">%s</td><td class="k">%s</td><td>%s</td><td class="t">%s</td><td class="t">%s</td><td class="n">%s</td><td>%s</td></tr>`+"\n",
				b.Pod, b.Node, join(b.Kind, b.Detail), s.style.clock(b.From), s.style.clock(b.To), span(b.Lasted()), b.end())
		}
		s.endTable()
	}
	s.add("</div>\n\n")
}

func (s *sheet) forcedActs() {
	s.add(`<h2 id="forced">Forced acts</h2>` + "\n" + `<div class="card scroll">`)
	if len(s.Forced)+len(s.Passed) == 0 {
		s.none("None: no promise was broken.")
	}
	if len(s.Passed) > 0 {
		s.table("when", "by", "pod", "where", "PDB", "how it is known")
		for _, e := range s.Passed {
			s.add(`<tr><td class="t">%s</td><td class="k">%s</td><td>deleted %s</td><td class="k">%s</td><td>%s</td><td>%s</td></tr>`+"\n", s.style.clock(e.Time), e.By, e.Pod, e.Node, e.Budget, known(e))
		}
		s.endTable()
	}
	if len(s.Forced) > 0 {
		s.table("when", "who", "what", "where", "why", "ordered", "what came of it")
		for _, c := range s.Forced {
			s.add(`<tr><td class="t">%s</td><td class="k">%s</td><td>%s</td><td class="k">%s</td><td>%s</td><td>%s <span class="t">%s</span></td><td>%s</td></tr>`+"\n",
				s.style.clock(c.At), c.Forced.By, c.object(), c.Action.Node, c.Forced.Why, c.Forced.Order, s.style.clock(c.Forced.At), c.Came())
		}
		s.endTable()
	}
	s.add("\n")
	for _, o := range s.Unused {
		s.add(`<p>Order %s by %s for %s (%s) at %s: nothing was deleted by it.</p>`, o.ID, o.By, o.Node, o.Why, s.style.clock(o.At))
	}
	s.add("</div>\n\n")
}

// said is the batches that were approved, and the commands.
func (s *sheet) said() {
	s.add(`<h2 id="said">Approvals and commands</h2>` + "\n" + `<div class="card scroll">`)
	if len(s.Batches) == 0 {
		s.none("No batch was approved.")
	} else {
		s.table("batch", "what", "waited from", "approved", "by")
		for _, b := range s.Batches {
			by, at := approved(s.style, b)
			s.add(`<tr><td>%s</td><td>%s</td><td class="t">%s</td><td class="t">%s</td><td>%s</td></tr>`+"\n", b.ID, what(b), s.style.clock(b.Waiting), at, by)
		}
		s.endTable()
	}
	s.add("\n")
	if len(s.Commands) == 0 {
		s.none("Nobody gave a command.")
	} else {
		s.add(`<h3>Commands</h3>`)
		s.table("when", "who", "said", "why", "")
		for _, c := range s.Commands {
			s.add(`<tr><td class="t">%s</td><td>%s</td><td>%s</td><td>%s</td><td>`, s.style.clock(c.At), c.By, c.What, c.Reason)
			if c.Refused != "" {
				s.add(`<span class="open">%s</span>`, c.Refused)
			}
			s.add("</td></tr>\n")
		}
		s.endTable()
	}
	s.add("</div>\n\n")
}

func (s *sheet) nodes() {
	s.add(`<h2 id="nodes">Nodes <small>%s that something happened to`, plural(len(s.Nodes), "node"))
	if s.Untouched > 0 {
		s.add(`, %s that nothing happened to`, plural(s.Untouched, "other"))
	}
	s.add("</small></h2>\n" + `<div class="card scroll">`)
	if len(s.Nodes) == 0 {
		s.none("Nothing happened to any.")
	}
	for _, p := range s.places() {
		s.details(len(s.Nodes) <= foldNodes, cmp.Or(p.Zone, "no zone")+": "+plural(len(p.Nodes), "node"))
		s.table("node", "was", number+"pods evicted", number+"forced", "what happened")
		for _, n := range p.Nodes {
			was := n.Old
			if n.New {
				was = "new"
			}
			s.add(`<tr><td class="k">%s</td><td class="t">%s</td><td class="n">%s</td><td class="n">%s</td><td>%s</td></tr>`+"\n", n.Label(), was, n.Evicted, n.Forced, join(n.stages(s.style), n.Reason))
		}
		s.endTable()
		s.add(`</details>`)
	}
	s.add("</div>\n\n")
}

func (s *sheet) changes() {
	s.add(`<h2 id="changes">Every change <small>%s, with the command that does the same</small></h2>`+"\n"+`<div class="card scroll">`, plural(len(s.Changes), "change"))
	listed, unlisted := s.listed()
	if len(listed) == 0 {
		s.none("None.")
	} else {
		s.details(len(listed) <= foldChanges, plural(len(listed), "change"))
		s.table("when", "what, and the same by hand", "what came of it")
		for _, c := range listed {
			s.add(`<tr><td class="t">%s</td><td>%s`, s.style.clock(c.At), c.What)
			if c.Twin != "" {
				s.add(`<br><code>%s</code>`, c.Twin)
			}
			class := markup("")
			if !c.OK() {
				class = ` class="open"`
			}
			s.add(`</td><td%s>%s</td></tr>`+"\n", class, c.Came())
		}
		s.endTable()
		s.add(`</details>`)
	}
	s.add("\n")
	if unlisted > 0 {
		s.add(`<p>%s are not listed: they are counted for each node above, and each is in the journal.</p>`, plural(unlisted, "eviction"))
	}
	s.add("</div>\n\n")
}

func (s *sheet) validations() {
	if len(s.Validations) == 0 {
		return
	}
	s.add(`<h2 id="validations">Validations</h2>` + "\n" + `<div class="card scroll">`)
	s.table("when", "", "what")
	for _, e := range s.Validations {
		s.add(`<tr><td class="t">%s</td><td>%s</td><td>%s</td></tr>`+"\n", s.style.clock(e.Time), validated(e), e.Message)
	}
	s.endTable()
	s.add("</div>\n\n")
}

// warnings are those of the run, and those of its plan.
func (s *sheet) warnings() {
	s.add(`<h2 id="warnings">Warnings</h2>` + "\n" + `<div class="card scroll">`)
	if len(s.Warnings) == 0 {
		s.none("None.")
	} else {
		s.table("when", "where", "what")
		for _, e := range s.Warnings {
			s.add(`<tr><td class="t">%s</td><td>%s %s</td><td>%s</td></tr>`+"\n", s.style.clock(e.Time), e.Node, e.Pod, e.Message)
		}
		s.endTable()
	}
	s.add("\n")
	s.titled("Foreseen by the plan", s.Foreseen)
	s.add("</div>\n\n")
}

// left is what the run could not restore, and why.
func (s *sheet) left() {
	s.add(`<h2 id="left">What was left</h2>` + "\n" + `<div class="card">`)
	switch {
	case len(s.Left) > 0:
		s.list(s.Left)
	case s.Finished:
		s.none("Nothing: cluster and group hold no mark of the run.")
	default:
		s.none("The run had not ended when this journal was written last: drainboard status " + s.Group + " tells how it stands.")
	}
	s.add("\n")
	s.titled("What kept nodes", s.Culprits)
	s.add("\n")
	s.titled("Notes", s.Notes)
	s.add("</div>\n\n")
}

// drivers are the processes that drove the run, and what they were asked for.
func (s *sheet) drivers() {
	s.add(`<h2 id="drivers">Who drove it</h2>` + "\n" + `<div class="card scroll">`)
	s.table("from", "to", "who", "how", "how it ended")
	for _, d := range s.Drivers {
		s.add(`<tr><td class="t">%s</td><td class="t">%s</td><td>%s, process %s</td><td>drainboard %s%s<br><code>drainboard %s</code></td><td>%s</td></tr>`+"\n",
			s.style.date(d.From), s.style.date(d.To), d.By, d.PID, d.Version, resumed(d), strings.Join(d.Args, " "), d.End)
	}
	s.endTable()
	s.add("\n")
	var chosen []string
	for _, c := range s.Chosen {
		chosen = append(chosen, "--"+c.Name)
	}
	if len(chosen) > 0 {
		s.add(`<p>Chosen on the command line: %s.</p>`, strings.Join(chosen, ", "))
	}
	s.add("</div>\n")
}

func (s *sheet) foot() {
	s.add(`<footer>Run %s. Made by drainboard from `, s.Run)
	if s.Path != "" {
		s.add(`the journal <code>%s</code>`, s.Path)
	} else {
		s.add(`its journal`)
	}
	s.add(". This page needs nothing else, and asks nobody for anything.</footer>\n</main>\n</body>\n</html>\n")
}

// number begins the heading of a column of numbers.
const number = "#"

// table begins a table.
func (s *sheet) table(headings ...string) {
	s.add(`<table><thead><tr>`)
	for _, h := range headings {
		if name, is := strings.CutPrefix(h, number); is {
			s.add(`<th class="n">%s</th>`, name)
		} else {
			s.add(`<th>%s</th>`, h)
		}
	}
	s.add("</tr></thead><tbody>\n")
}

func (s *sheet) endTable() { s.add(`</tbody></table>`) }

// details begins a part that can be folded.
func (s *sheet) details(open bool, summary string) {
	state := markup("")
	if open {
		state = " open"
	}
	s.add(`<details%s><summary>%s</summary>`, state, summary)
}

func (s *sheet) none(why string) { s.add(`<p class="none">%s</p>`, why) }

func (s *sheet) list(items []string) {
	s.add(`<ul>`)
	for _, item := range items {
		s.add(`<li>%s</li>`, item)
	}
	s.add(`</ul>`)
}

// titled is a list with a heading, nothing if it is empty.
func (s *sheet) titled(heading string, items []string) {
	if len(items) > 0 {
		s.add(`<h3>%s</h3>`, heading)
		s.list(items)
	}
}

// mark is the glyph of how the run ended.
func (s *sheet) mark() string {
	switch {
	case s.Well():
		return "✓"
	case !s.Finished:
		return "…"
	case slices.Contains([]record.Result{record.Aborted, record.NodesLeft}, s.Result):
		return "■"
	}
	return "✗"
}

// tone is the class of how the run ended: good, bad or open.
func (s *sheet) tone() string {
	switch {
	case s.Well():
		return "good"
	case !s.Finished, s.Result == record.Aborted, s.Result == record.NodesLeft:
		return "open"
	}
	return "bad"
}

// zone names the zone of the times.
func (s *sheet) zone() string { return s.style.in(s.Started).Format("MST (UTC-07:00)") }
