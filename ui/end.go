package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// endDialog tells how the run ended. It opens by itself.
type endDialog struct{ reader }

func newEndDialog() *endDialog { return &endDialog{} }

// meanings of results, in the words of the list of exit codes.
var meanings = map[engine.Result]string{
	engine.Succeeded:    "done",
	engine.Failed:       "failed",
	engine.Aborted:      "aborted by the operator",
	engine.EvictionFail: "pods could not be evicted in time (PodEvictionFailure)",
	engine.CreationFail: "new nodes did not come or did not get ready (NodeCreationFailure)",
	engine.InvalidFail:  "the cluster did not get valid in time (ClusterValidationFailure)",
	engine.NodesLeft:    "ended, nodes left by choice",

	engine.DeregisterFail: "a node could not leave its load balancers (DeregistrationFailure)",
}

func (d *endDialog) title(m *Model) string {
	word, lk := m.state()
	return fmt.Sprintf("%s %s: %s", lk.glyph, m.sc.Group, word)
}

func (d *endDialog) body(m *Model, w int) []string {
	st, sc := m.st, m.sc
	_, lk := m.state()
	text := fmt.Sprintf("%d of %s replaced", sc.Done, count(sc.Total, "node"))
	if !sc.Started.IsZero() && !sc.Ended.IsZero() {
		text += " in " + elapsed(sc.Ended.Sub(sc.Started))
	}
	out := named(st, "nodes", text, st.title, w)
	result := cmp.Or(sc.Worst, sc.Result)
	meaning := cmp.Or(meanings[result], string(result))
	out = append(out, named(st, "exit code", fmt.Sprintf("%d: %s", result.ExitCode(), meaning), lk.pen, w)...)
	if sc.Why != "" {
		out = append(out, named(st, "why", sc.brief(sc.Why), st.text, w)...)
	}
	for _, l := range leftNodes(sc) {
		p := st.warn
		if l.stage == engine.NodeFail {
			p = st.bad
		}
		out = append(out, named(st, string(l.stage), st.stages[l.stage].glyph+" "+l.text(), p, w)...)
	}
	for _, b := range sc.Blockers {
		out = append(out, named(st, "kept a node", sc.kept(b), st.warn, w)...)
	}
	if v := sc.Validation; v != nil && !v.Failed.IsZero() && sc.Result == engine.InvalidFail {
		for _, f := range failures(v) {
			out = append(out, named(st, "not valid", sc.failureText(f), st.warn, w)...)
		}
	}
	if len(sc.Notes) > 0 {
		out = append(out, newLine(st, w).String(), newLine(st, w).add(st.title, "to know").String())
		for _, n := range sc.Notes {
			out = append(out, para(st, st.text, st.g.Dot, n, w)...)
		}
	}
	if len(sc.LeftBehind) > 0 {
		out = append(out, newLine(st, w).String(), newLine(st, w).add(st.warn, "left behind, with what puts it back").String())
		for _, n := range sc.LeftBehind {
			out = append(out, para(st, st.text, st.g.Warning, n, w)...)
		}
	}
	return out
}

// kept says which pod is kept where, and by which budgets.
func (sc *scene) kept(b *engine.Blocker) string {
	text := b.Pod + " on " + sc.node(b.Node)
	for _, v := range b.Budgets {
		text += fmt.Sprintf(", budget %s allows %d: %d healthy, %d required", v.Ref, v.Allowed, v.Healthy, v.Desired)
	}
	return text
}

// left are nodes that were not rolled for one reason.
type left struct {
	stage engine.Stage
	why   string
	names []string
}

func (l left) text() string {
	const most = 8
	text := strings.Join(l.names[:min(len(l.names), most)], ", ")
	if more := len(l.names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if l.why != "" {
		text += ": " + l.why
	}
	return text
}

// leftNodes are the nodes that failed, then those that were skipped, by why.
func leftNodes(sc *scene) []left {
	var out []left
	for _, stage := range []engine.Stage{engine.NodeFail, engine.Skipped} {
		for _, z := range sc.Zones {
			for _, r := range z.Rows {
				if r.Stage != stage {
					continue
				}
				i := slices.IndexFunc(out, func(l left) bool { return l.stage == stage && l.why == sc.brief(r.Note) })
				if i < 0 {
					i = len(out)
					out = append(out, left{stage: stage, why: sc.brief(r.Note)})
				}
				out[i].names = append(out[i].names, sc.names[r.ID])
			}
		}
	}
	return out
}

func (d *endDialog) keys(m *Model, w int) string {
	more := ""
	if d.hint() != "" {
		more = "up/down"
	}
	copies := ""
	if len(m.sc.LeftBehind) > 0 {
		copies = "y"
	}
	return keyLine(m.st, w, "q", "leave", "esc", "look at the board", copies, "copy the commands", more, "more")
}

func (d *endDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	if key.String() == "q" {
		return quit(m)
	}
	return d.reader.key(m, key)
}
