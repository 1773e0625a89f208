package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// Style is how a report is written.
type Style struct {
	// Location is the zone of the times; nil for UTC.
	Location *time.Location
}

func (s Style) in(t time.Time) time.Time {
	if s.Location == nil {
		return t.UTC()
	}
	return t.In(s.Location)
}

// clock is the time of the day, date the day with it.
func (s Style) clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return s.in(t).Format("15:04:05")
}

func (s Style) date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return s.in(t).Format("2 Jan 2006 15:04:05 MST")
}

// span is a length of time: "41s", "3m 12s", "2h 05m".
func span(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d <= 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm %02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh %02dm", int(d.Hours()), int(d.Minutes())%60)
}

// Title is the report's heading.
func (r *Report) Title() string {
	title := r.Group
	if r.From != "" || r.To != "" {
		title += " " + versions(r.From, r.To)
	}
	return title
}

// Outcome is how the run ended, in a word or two.
func (r *Report) Outcome() string {
	switch {
	case !r.Finished && r.State == record.Paused:
		return "paused"
	case !r.Finished:
		return "not finished"
	}
	return string(r.Result)
}

// Well reports whether nothing went wrong.
func (r *Report) Well() bool { return r.Finished && r.Result == record.Succeeded }

// Took is how long the run took, as far as the journal goes.
func (r *Report) Took() time.Duration { return r.Ended.Sub(r.Started) }

// fact is one line of the summary.
type fact struct{ Name, Value string }

// facts are the summary.
func (r *Report) facts(s Style) []fact {
	out := []fact{
		{"group", r.Group}, {"cluster", r.Cluster},
		{"versions", versions(r.From, r.To)},
		{"strategy", strings.Trim(r.Strategy+", at most "+plural(r.Limit, "node")+" at once", ", ")},
		{"run", r.Run}, {"part of the roll", r.Roll}, {"started by", r.StartedBy},
		{"from", s.date(r.Started)}, {"to", s.date(r.Ended)}, {"took", span(r.Took())},
	}
	out = append(out, r.foreseen(s)...)
	if r.Finished {
		out = append(out, fact{"result", fmt.Sprintf("%s, exit code %d", r.Result, r.ExitCode)})
	} else {
		out = append(out, fact{"result", "none yet: the run was " + string(r.State) + " when this journal was last written"})
	}
	return slices.DeleteFunc(out, func(f fact) bool { return f.Value == "" })
}

// foreseen are the first forecast and the last one, beside which the result stands.
func (r *Report) foreseen(s Style) []fact {
	said := func(e record.Event) string { return s.clock(e.Time) + ": " + e.Message }
	switch n := len(r.Forecasts); n {
	case 0:
		return nil
	case 1:
		return []fact{{"foreseen", said(r.Forecasts[0])}}
	default:
		return []fact{{"foreseen first", said(r.Forecasts[0])}, {"foreseen last", said(r.Forecasts[n-1])}}
	}
}

// counts are the figures of the summary.
func (r *Report) counts() []fact {
	planned := fmt.Sprint(r.Replaced)
	if r.Planned > 0 {
		planned = fmt.Sprintf("%d of %d", r.Replaced, r.Planned)
	}
	failed := 0
	for _, n := range r.Nodes {
		if n.Last() == record.NodeFail {
			failed++
		}
	}
	facts := []fact{
		{"nodes replaced", planned}, {"nodes failed", fmt.Sprint(failed)}, {"pods evicted", fmt.Sprint(r.Evicted)},
		{"times a pod was blocked", fmt.Sprint(len(r.Blocks))}, {"forced actions", fmt.Sprint(len(r.Forced))}, {"warnings", fmt.Sprint(len(r.Warnings))},
	}
	if n := len(r.Passed); n > 0 {
		inferred := 0
		for _, e := range r.Passed {
			if e.Inferred {
				inferred++
			}
		}
		count := fmt.Sprint(n)
		if inferred > 0 {
			count += fmt.Sprintf(" (inferred: %d)", inferred)
		}
		facts = append(facts, fact{"pods deleted past PDBs by " + r.Passed[0].By, count})
	}
	return facts
}

// known is how it is known that a pod was deleted past its PDB.
func known(e record.Event) string {
	if e.Inferred {
		return "inferred"
	}
	return "seen"
}

// object is what a forced act was done to.
func (c *Change) object() string {
	if c.Action.Pod != "" {
		return fmt.Sprintf("deleted %s/%s (%s)", c.Action.Namespace, c.Action.Pod, c.Action.UID)
	}
	return "terminated " + c.Action.Machine + " with its pods"
}

// validated is how a validation ended.
func validated(e record.Event) string {
	if e.Type == record.ValidationPassed {
		return "passed"
	}
	return "failed"
}

// end is how a block ended.
func (b *Block) end() string { return cmp.Or(b.End, "it was still blocked when the journal ended") }

// blocks are the blockers, those that lasted longest first.
func (r *Report) blocks() []*Block {
	out := slices.Clone(r.Blocks)
	slices.SortStableFunc(out, func(a, b *Block) int { return cmp.Compare(b.Lasted(), a.Lasted()) })
	return out
}

// what is a batch in a few words.
func what(b record.Batch) string {
	if b.Phase != "" {
		return "phase " + b.Phase
	}
	const most = 12
	text := plural(len(b.Names), "node") + ": " + strings.Join(b.Names[:min(most, len(b.Names))], ", ")
	if more := len(b.Names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// approved is who approved a batch, and when.
func approved(s Style, b record.Batch) (by, at string) {
	if b.Approved.IsZero() {
		return "nobody", ""
	}
	return cmp.Or(b.By, "no approval needed"), s.clock(b.Approved)
}

// mostEvictions is up to how many changes every eviction is listed; beyond that they
// are counted for each node.
const mostEvictions = 5000

// listed are the changes to list, and how many evictions are left out.
func (r *Report) listed() (list []*Change, left int) {
	if len(r.Changes) <= mostEvictions {
		return r.Changes, 0
	}
	for _, c := range r.Changes {
		if c.Action.Kind == record.Evict {
			left++
			continue
		}
		list = append(list, c)
	}
	return list, left
}

// place is a zone and the nodes in it that something happened to.
type place struct {
	Zone  string
	Nodes []*Node
}

// places are the zones in order.
func (r *Report) places() []place {
	var out []place
	for _, n := range r.Nodes {
		i := slices.IndexFunc(out, func(p place) bool { return p.Zone == n.Zone })
		if i < 0 {
			out, i = append(out, place{Zone: n.Zone}), len(out)
		}
		out[i].Nodes = append(out[i].Nodes, n)
	}
	slices.SortFunc(out, func(a, b place) int { return cmp.Compare(a.Zone, b.Zone) })
	return out
}

// stages tells a node's way in words.
func (n *Node) stages(s Style) string {
	var parts []string
	for _, st := range n.Stages {
		if slices.Contains(idle, st.Stage) && st.Stage != record.Skipped {
			continue
		}
		part := string(st.Stage)
		if last := st.Stage == record.Replaced || st.Stage == record.NodeFail || st.Stage == record.Skipped; last {
			part += " at " + s.clock(st.From)
		} else {
			part += " " + s.clock(st.From) + "–" + s.clock(st.To) + " (" + span(st.To.Sub(st.From)) + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// versions are those of before and after, one where they are the same (another machine image), or
// where one is not known.
func versions(from, to string) string {
	if strings.TrimPrefix(from, "v") == strings.TrimPrefix(to, "v") {
		return to
	}
	return strings.Trim(from+" → "+to, " →")
}
