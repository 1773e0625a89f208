package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// newApproveDialog shows what approving a batch will do. It follows the batch: if
// that changes under the operator's eyes, keys are ignored for a moment; if it is
// gone, so is the dialog.
func newApproveDialog(b *engine.BatchView) *choiceDialog {
	d := &choiceDialog{
		head: func(*Model) string { return fmt.Sprintf("Approve batch %d: %s", b.ID, count(len(b.Nodes), "node")) },
		text: func(m *Model, w int) []string { return approveText(m, b, w) },
		choices: []choice{
			{"enter", "approve", func(m *Model) tea.Cmd {
				m.approved = b.Hash
				m.send(engine.Command{Kind: engine.CmdApprove, Batch: b.ID, Hash: b.Hash}, fmt.Sprintf("batch %d approved", b.ID))
				return nil
			}},
			{"n", "not now", nothing},
		},
	}
	d.check = func(m *Model) {
		now := m.sc.Batch
		switch {
		case now == nil:
			m.close()
			m.grace.begin(m.opts.Now())
			m.say(fmt.Sprintf("batch %d no longer waits for approval", b.ID))
		case now.Hash != b.Hash || now.ID != b.ID:
			b = now
			m.grace.begin(m.opts.Now())
		default:
			b = now
		}
	}
	return d
}

func approveText(m *Model, b *engine.BatchView, w int) []string {
	st, sc := m.st, m.sc
	var names []string
	for _, n := range b.Nodes {
		names = append(names, sc.node(n))
	}
	out := named(st, "nodes", strings.Join(names, ", "), st.title, w)
	pods := count(b.Evict, "pod") + " will be evicted"
	if b.Ignore > 0 {
		pods += fmt.Sprintf(", %d stay (DaemonSets and the like)", b.Ignore)
	}
	out = append(out, named(st, "pods", pods, st.text, w)...)
	if sc.Limit > 0 {
		out = append(out, named(st, "at once", fmt.Sprintf("at most %s out of service", count(sc.Limit, "node")), st.text, w)...)
	}
	out = append(out, newLine(st, w).String())
	if len(b.Foreseen) == 0 {
		out = append(out, para(st, st.good, st.g.Done, "no blocker is foreseen", w)...)
	}
	for _, f := range b.Foreseen {
		out = append(out, para(st, st.warn, st.g.Blocked, sc.brief(f), w)...)
	}
	if !b.AsOf.IsZero() {
		local := m.opts.Now().Location()
		out = append(out, newLine(st, w).String())
		out = append(out, para(st, st.dim, "", fmt.Sprintf("As of %s, %s ago. Budgets may change until then.", b.AsOf.In(local).Format("15:04:05"), age(sc.now(m.opts.Now()).Sub(b.AsOf))), w)...)
	}
	return out
}
