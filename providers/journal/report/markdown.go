package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
)

// Markdown writes a report as Markdown, with the tables of GitHub's.
func Markdown(w io.Writer, r *Report, s Style) error {
	m := &markdown{bufio.NewWriter(w)}
	m.line("# %s: %s", text(r.Title()), text(r.Outcome()))
	if r.Why != "" {
		m.line("\n%s", text(r.Why))
	}
	m.table([]string{"", ""}, func(row func(...string)) {
		for _, f := range append(r.facts(s), r.counts()...) {
			row("**"+text(f.Name)+"**", text(f.Value))
		}
	})
	if len(r.Missing) > 0 {
		m.section("Not in this journal")
		m.list(r.Missing)
	}
	m.section("Phases")
	m.table([]string{"phase", "from", "to", "took"}, func(row func(...string)) {
		for _, p := range r.Phases {
			row(text(p.Name), s.clock(p.From), s.clock(p.To), span(p.To.Sub(p.From)))
		}
		for _, list := range [][]Span{r.Paused, r.Alone} {
			for _, p := range list {
				row("*"+text(p.Name)+"*", s.clock(p.From), s.clock(p.To), span(p.To.Sub(p.From)))
			}
		}
	})
	m.section("Nodes")
	m.nodes(r, s)
	m.section("Blockers")
	m.table([]string{"pod", "node", "why", "from", "until", "for", "how it ended"}, func(row func(...string)) {
		for _, b := range r.blocks() {
			row(text(b.Pod), text(b.Node), text(join(b.Kind, b.Detail)), s.clock(b.From), s.clock(b.To), span(b.Lasted()), text(b.end()))
		}
	})
	m.section("Forced actions")
	m.table([]string{"when", "who", "what", "where", "why", "ordered", "what came of it"}, func(row func(...string)) {
		for _, c := range r.Forced {
			row(s.clock(c.At), text(c.Forced.By), text(c.object()), text(c.Action.Node), text(c.Forced.Why), text(strings.TrimSpace(c.Forced.Order+" "+s.clock(c.Forced.At))), text(c.Came()))
		}
	})
	if len(r.Passed) > 0 {
		m.section("Pods deleted past their PDBs by the group's own controller")
		m.table([]string{"when", "by", "pod", "where", "PDB", "how it is known"}, func(row func(...string)) {
			for _, e := range r.Passed {
				row(s.clock(e.Time), text(e.By), text(e.Pod), text(e.Node), text(e.Budget), known(e))
			}
		})
	}
	for _, o := range r.Unused {
		m.line("Order %s by %s for %s (%s) at %s: no pod was deleted.\n", text(o.ID), text(o.By), text(o.Node), text(o.Why), s.clock(o.At))
	}
	m.section("Approvals and commands")
	m.said(r, s)
	if len(r.Validations) > 0 {
		m.section("Validations")
		m.table([]string{"when", "", "what"}, func(row func(...string)) {
			for _, e := range r.Validations {
				row(s.clock(e.Time), validated(e), text(e.Message))
			}
		})
	}
	m.section("Warnings")
	m.table([]string{"when", "where", "what"}, func(row func(...string)) {
		for _, e := range r.Warnings {
			row(s.clock(e.Time), text(strings.TrimSpace(e.Node+" "+e.Pod)), text(e.Message))
		}
	})
	if len(r.Foreseen) > 0 {
		m.section("Foreseen by the plan")
		m.list(r.Foreseen)
	}
	m.section("Not restored")
	m.left(r)
	m.section("Changes")
	m.changes(r, s)
	m.section("Driving processes")
	m.table([]string{"from", "to", "who", "how", "command line", "how it ended"}, func(row func(...string)) {
		for _, d := range r.Drivers {
			row(s.date(d.From), s.date(d.To), text(fmt.Sprintf("%s, process %d", d.By, d.PID)), text("drainboard "+d.Version+resumed(d)), code("drainboard "+strings.Join(d.Args, " ")), text(d.End))
		}
	})
	if r.Path != "" {
		m.line("From the journal %s.", code(r.Path))
	}
	return m.Flush()
}

func resumed(d Driver) string {
	if d.Resumed {
		return ", resumed the run"
	}
	return ""
}

type markdown struct{ *bufio.Writer }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *markdown) section(name string) { m.line("\n## %s\n", name) }

func (m *markdown) list(items []string) {
	for _, item := range items {
		m.line("- %s", text(item))
	}
}

// table writes a table, or that there is nothing to say.
func (m *markdown) table(head []string, rows func(row func(...string))) {
	n := 0
	rows(func(cells ...string) {
		if n++; n == 1 {
			m.line("\n| %s |\n|%s", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
		}
		m.line("| %s |", strings.Join(cells, " | "))
	})
	if n == 0 {
		m.line("None.")
	}
}

func (m *markdown) nodes(r *Report, s Style) {
	for _, p := range r.places() {
		m.line("\n### %s", text(p.Zone))
		m.table([]string{"node", "was", "pods evicted", "forced", "what happened"}, func(row func(...string)) {
			for _, n := range p.Nodes {
				was := n.Old
				if n.New {
					was = "new"
				}
				row(text(n.Label()), text(was), fmt.Sprint(n.Evicted), fmt.Sprint(n.Forced), text(strings.TrimSuffix(join(n.stages(s), n.Reason), ": ")))
			}
		})
	}
	if len(r.Nodes) == 0 {
		m.line("No node changed.")
	}
	if r.Untouched > 0 {
		m.line("\n%s did not change.", plural(r.Untouched, "more node"))
	}
}

func (m *markdown) said(r *Report, s Style) {
	m.table([]string{"batch", "what", "waited from", "approved", "by"}, func(row func(...string)) {
		for _, b := range r.Batches {
			by, at := approved(s, b)
			row(fmt.Sprint(b.ID), text(what(b)), s.clock(b.Waiting), at, text(by))
		}
	})
	m.table([]string{"when", "who", "said", "why", ""}, func(row func(...string)) {
		for _, c := range r.Commands {
			row(s.clock(c.At), text(c.By), text(c.What), text(c.Reason), text(c.Refused))
		}
	})
}

func (m *markdown) left(r *Report) {
	switch {
	case len(r.Left) > 0:
	case !r.Finished:
		m.line("The run had not ended when this journal was last written: see drainboard status %s.\n", text(r.Group))
	default:
		m.line("Nothing: no mark of the run is left on cluster or group.\n")
	}
	m.list(r.Left)
	for _, c := range r.Culprits {
		m.line("- blocked a node: %s", text(c))
	}
	for _, n := range r.Notes {
		m.line("- note: %s", text(n))
	}
}

func (m *markdown) changes(r *Report, s Style) {
	list, left := r.listed()
	m.table([]string{"when", "what", "the same by hand", "what came of it"}, func(row func(...string)) {
		for _, c := range list {
			twin := ""
			if c.Twin != "" {
				twin = code(c.Twin)
			}
			row(s.clock(c.At), text(c.What), twin, text(c.Came()))
		}
	})
	if left > 0 {
		m.line("\n%s are not listed; they are in the journal (`kind` %q, `action.kind` %q).", plural(left, "eviction"), "action", record.Evict)
	}
}

// text keeps what a Markdown renderer would take for its own from being that, and an
// address from becoming a link.
func text(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_[]<>|&~", r) {
			b.WriteByte('\\')
		}
		if r == '\n' || r == '\r' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.NewReplacer("://", ":\\//", "www.", "www\\.").Replace(b.String())
}

// code is a piece of code in a table's cell.
func code(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + strings.NewReplacer("|", `\|`, "\n", " ").Replace(s) + fence
}
