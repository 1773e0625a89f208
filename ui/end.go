package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// endDialog tells how the run ended. It opens by itself.
type endDialog struct{ reader }

func NewEndDialog() *endDialog { return &endDialog{} }

// meanings of results, in the words of the list of exit codes.
var meanings = map[record.Result]string{
	record.Succeeded:    "done",
	record.Failed:       "failed",
	record.Aborted:      "aborted by the operator",
	record.EvictionFail: "pods could not be evicted in time (PodEvictionFailure)",
	record.CreationFail: "new nodes did not launch or become Ready (NodeCreationFailure)",
	record.InvalidFail:  "the cluster did not validate in time (ClusterValidationFailure)",
	record.NodesLeft:    "ended, nodes left by choice",

	record.DeregisterFail: "a node could not leave its load balancers (DeregistrationFailure)",
}

func (d *endDialog) Title(m *Model) string {
	word, lk := m.Scene.StateLook(m.Styles)
	return fmt.Sprintf("%s %s: %s", lk.Glyph, m.Scene.Group, word)
}

func (d *endDialog) Body(m *Model, w int) []string {
	st, sc := m.Styles, m.Scene
	_, lk := m.Scene.StateLook(m.Styles)
	text := fmt.Sprintf("%d of %s replaced", sc.Done, style.Count(sc.Total, "node"))
	if !sc.Started.IsZero() && !sc.Ended.IsZero() {
		text += " in " + style.Elapsed(sc.Ended.Sub(sc.Started))
	}
	out := style.Fact(st, "nodes", text, st.Title, w)
	result := cmp.Or(sc.Worst, sc.Result)
	meaning := cmp.Or(meanings[result], string(result))
	out = append(out, style.Fact(st, "exit code", fmt.Sprintf("%d: %s", result.ExitCode(), meaning), lk.Pen, w)...)
	if sc.Why != "" {
		out = append(out, style.Fact(st, "why", sc.Brief(sc.Why), st.Text, w)...)
	}
	for _, l := range leftNodes(sc) {
		p := st.Warn
		if l.stage == record.NodeFail {
			p = st.Bad
		}
		out = append(out, style.Fact(st, string(l.stage), st.Stages[l.stage].Glyph+" "+l.text(), p, w)...)
	}
	for _, b := range sc.Blockers {
		out = append(out, style.Fact(st, "blocked by", sc.KeptText(b), st.Warn, w)...)
	}
	if v := sc.Validation; v != nil && !v.Failed.IsZero() && sc.Result == record.InvalidFail {
		for _, f := range scene.Failures(v) {
			out = append(out, style.Fact(st, "not valid", sc.FailureText(f), st.Warn, w)...)
		}
	}
	if len(sc.Notes) > 0 {
		out = append(out, style.NewLine(st, w).String(), style.NewLine(st, w).Add(st.Title, "to know").String())
		for _, n := range sc.Notes {
			out = append(out, style.Paragraph(st, st.Text, st.Glyphs.Dot, n, w)...)
		}
	}
	if len(sc.Unrestored) > 0 {
		out = append(out, style.NewLine(st, w).String(), style.NewLine(st, w).Add(st.Warn, "not restored, with the command that restores it").String())
		for _, n := range sc.Unrestored {
			out = append(out, style.Paragraph(st, st.Text, st.Glyphs.Warning, n, w)...)
		}
	}
	return out
}

// left are nodes that were not rolled for one reason.
type left struct {
	stage record.Stage
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
func leftNodes(sc *scene.Scene) []left {
	var out []left
	for _, stage := range []record.Stage{record.NodeFail, record.Skipped} {
		for _, z := range sc.Zones {
			for _, r := range z.Rows {
				if r.Stage != stage {
					continue
				}
				i := slices.IndexFunc(out, func(l left) bool { return l.stage == stage && l.why == sc.Brief(r.Note) })
				if i < 0 {
					i = len(out)
					out = append(out, left{stage: stage, why: sc.Brief(r.Note)})
				}
				out[i].names = append(out[i].names, sc.Names[r.ID])
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
	if len(m.Scene.Unrestored) > 0 {
		copies = "y"
	}
	return style.KeyLine(m.Styles, w, "q", "leave", "esc", "back to the board", copies, "copy the commands", more, "more")
}

func (d *endDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	if key.String() == "q" {
		return quit(m)
	}
	return d.reader.key(m, key)
}
