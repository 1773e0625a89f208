package ui

import (
	"cmp"
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
		head: func(*Model) string { return approveTitle(b) },
		text: func(m *Model, w int) []string { return approveText(m, b, w) },
		choices: []choice{
			{"enter", "approve", func(m *Model) tea.Cmd {
				if why := m.why(m.actionFor("a")); why != "" { // it may have changed while the dialog was read
					m.refuse("nothing was approved: " + why)
					return m.tick()
				}
				m.approved, m.approvedAt = b.Hash, m.opts.Now()
				m.send(engine.Command{Kind: engine.CmdApprove, Batch: b.ID, Hash: b.Hash}, batchShort(b)+" approved")
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
			m.say(batchShort(b) + " no longer waits for approval")
		case now.Hash != b.Hash || now.ID != b.ID:
			b = now
			m.grace.begin(m.opts.Now())
		default:
			b = now
		}
	}
	return d
}

// batchShort names what is approved: a batch, the canary or a phase.
func batchShort(b *engine.BatchView) string {
	switch {
	case b.Phase != "":
		return "phase " + b.Phase
	case b.Canary:
		return "the canary"
	}
	return fmt.Sprintf("batch %d", b.ID)
}

// batchName is batchShort with how much it is.
func batchName(b *engine.BatchView) string {
	if b.Phase != "" {
		return batchShort(b)
	}
	return batchShort(b) + " (" + count(len(b.Nodes), "node") + ")"
}

func approveTitle(b *engine.BatchView) string {
	if b.Phase != "" {
		return "Approve the " + batchShort(b)
	}
	return "Approve " + batchShort(b) + ": " + count(len(b.Nodes), "node")
}

func approveText(m *Model, b *engine.BatchView, w int) []string {
	st, sc := m.st, m.sc
	var out []string
	if b.Does != "" {
		out = append(out, named(st, "phase", b.Does, st.title, w)...)
	}
	if b.Canary {
		out = append(out, named(st, "canary", "one node first; then watched for "+b.Watch.String()+" before the others are asked for", st.title, w)...)
	}
	if b.Phase != "" && b.Evict+b.Ignore == 0 {
		return append(out, m.asOf(b, w)...)
	}
	var names []string
	for _, n := range b.Nodes {
		names = append(names, sc.node(n))
	}
	if len(names) > 0 {
		out = append(out, named(st, "nodes", strings.Join(names, ", "), st.title, w)...)
	}
	pods := count(b.Evict, "pod") + " will be evicted"
	if b.Ignore > 0 {
		pods += ", " + stays(b.Ignore)
	}
	out = append(out, named(st, "pods", pods, st.text, w)...)
	if sc.Limit > 0 {
		out = append(out, named(st, "at once", fmt.Sprintf("at most %s out of service", count(sc.Limit, "node")), st.text, w)...)
	}
	out = append(out, newLine(st, w).String())
	mark := st.g.Blocked
	if st.plain {
		mark = "foreseen:"
	}
	for _, f := range b.Foreseen {
		out = append(out, para(st, st.warn, mark, sc.brief(f), w)...)
	}
	switch why := cmp.Or(b.NotEvaluated, m.blind()); {
	case why != "":
		out = append(out, para(st, st.bad, st.g.Warning, "blockers are not evaluated: "+why, w)...)
	case len(b.Foreseen) == 0:
		out = append(out, para(st, st.text, st.g.Dot, "budgets, consents and finalizers hold none of these pods at this moment", w)...)
	}
	out = append(out, para(st, st.dim, st.g.Dot, "not evaluated: admission webhooks, and room for the pods elsewhere", w)...)
	return append(out, m.asOf(b, w)...)
}

// stays counts the pods that go with their nodes.
func stays(n int) string {
	verb := " stay"
	if n == 1 {
		verb = " stays"
	}
	return fmt.Sprint(n) + verb + " (DaemonSets and the like)"
}

// asOf says how old what a batch's dialog shows is.
func (m *Model) asOf(b *engine.BatchView, w int) []string {
	if b.AsOf.IsZero() {
		return nil
	}
	now := m.opts.Now()
	text := fmt.Sprintf("As of %s, %s ago. It may change until then.", b.AsOf.In(now.Location()).Format("15:04:05"), age(m.sc.now(now).Sub(b.AsOf)))
	return append([]string{newLine(m.st, w).String()}, para(m.st, m.st.dim, "", text, w)...)
}
