package scene

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/style"
)

// Validating reports whether the run waits for the cluster to be valid.
func (sc *Scene) Validating() bool {
	v := sc.Validation
	return v != nil && v.Passed.IsZero() && v.Failed.IsZero() && (sc.State == record.Running || sc.State == record.Paused)
}

// InvalidCount is how many things count against the cluster's validity now: 0 too where no
// validation is under way and none has failed.
func (sc *Scene) InvalidCount() int {
	v := sc.Validation
	if v == nil || !v.Passed.IsZero() || !sc.Validating() && v.Failed.IsZero() {
		return 0
	}
	n := 0
	for _, f := range v.Failures {
		if !f.Ignored {
			n++
		}
	}
	return n
}

// Failures are what a look found: what counts first, what is ignored last.
func Failures(v *record.Validation) []record.Invalid {
	return slices.SortedStableFunc(slices.Values(v.Failures), func(a, b record.Invalid) int {
		return cmp.Compare(truth(a.Ignored), truth(b.Ignored))
	})
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// FoundText counts what is not valid, by kind: 2 nodes, 1 pod, 1 ignored.
func FoundText(v *record.Validation) string {
	counts, ignored := map[string]int{}, 0
	for _, f := range v.Failures {
		if f.Ignored {
			ignored++
		} else {
			counts[f.Kind]++
		}
	}
	var words []string
	for _, kind := range []string{"group", "machine", "node", "pod"} {
		if n := counts[kind]; n > 0 {
			words = append(words, style.Count(n, kind))
		}
	}
	if ignored > 0 {
		words = append(words, fmt.Sprintf("%d ignored", ignored))
	}
	return strings.Join(words, ", ")
}

// AfterText names what was ended before a validation.
func (sc *Scene) AfterText(v *record.Validation) string {
	const most = 2
	names := make([]string, len(v.After))
	for i, name := range v.After {
		names[i] = sc.NodeName(name)
	}
	switch {
	case len(names) == 0:
		return "at the start of the group"
	case len(names) > most:
		return "after " + style.Count(len(names), "node")
	}
	return "after " + style.List(names)
}

// PassesText is how many looks in a row found nothing, of those that it takes.
func PassesText(v *record.Validation) string {
	return fmt.Sprintf("passed %d of %s", v.Passes, style.Count(max(v.Need, 1), "look"))
}

// NextText is when the cluster is looked at again.
func (sc *Scene) NextText(v *record.Validation) string {
	what := "next validation"
	if v.Looked.IsZero() {
		what = "first validation"
	}
	switch left := v.Next.Sub(sc.Now(sc.Clock())); {
	case sc.State == record.Paused, v.Wait != nil && sc.StandsStill(v.Wait):
		return what + " waits"
	case left > 0:
		return what + " in " + style.Countdown(left)
	}
	return what + " now"
}

// LimitText is what happens when a validation's time is up, and how soon; "" where it may
// take any time.
func (sc *Scene) LimitText(v *record.Validation) string {
	if v.Wait == nil {
		return ""
	}
	word := "fails in "
	if sc.PassInvalid {
		word = "continues anyway in "
	}
	left, still := sc.Remaining(v.Wait, sc.Clock())
	if still {
		return word + style.Countdown(left) + ", stopped"
	}
	return word + style.Countdown(left)
}

// Pressing says how much of a validation's time is used up: 0 at first, 1 when half of it
// is, 2 when what is left is little.
func (sc *Scene) Pressing(v *record.Validation) int {
	if v.Wait == nil {
		return 1
	}
	left, _ := sc.Remaining(v.Wait, sc.Clock())
	switch whole := v.Wait.End.Sub(v.Wait.Start); {
	case left*4 <= whole:
		return 2
	case left*2 <= whole:
		return 1
	}
	return 0
}

// ValidationLook is how a validation stands, as words and a look.
func (sc *Scene) ValidationLook(st *style.Styles) (string, style.Look) {
	v := sc.Validation
	n := sc.InvalidCount()
	switch {
	case !v.Failed.IsZero():
		return "validation failed: " + FoundText(v), style.Look{Glyph: st.Glyphs.Failed, Pen: st.Bad}
	case !v.Passed.IsZero():
		return "the cluster is valid", style.Look{Glyph: st.Glyphs.Done, Pen: st.Good}
	case n > 0:
		pens := []style.Pen{st.Active, st.Warn, st.Bad}
		signs := []string{st.Glyphs.Running, st.Glyphs.Warning, st.Glyphs.Warning}
		at := sc.Pressing(v)
		return "not valid yet: " + FoundText(v), style.Look{Glyph: signs[at], Pen: pens[at]}
	case !sc.Validating():
		return "validation: timed out", style.Look{Glyph: st.Glyphs.Ended, Pen: st.Warn}
	case v.Looked.IsZero():
		return "validation", style.Look{Glyph: st.Glyphs.Running, Pen: st.Active}
	}
	text := "validation: no findings"
	if found := FoundText(v); found != "" {
		text += ", " + found
	}
	return text, style.Look{Glyph: st.Glyphs.Running, Pen: st.Active}
}

// ValidationSentence is how a validation stands, for a line of its own.
func (sc *Scene) ValidationSentence(st *style.Styles) string {
	v := sc.Validation
	text, _ := sc.ValidationLook(st)
	parts := []string{text}
	if sc.Validating() {
		if limit := sc.LimitText(v); limit != "" {
			parts = append(parts, limit)
		}
		parts = append(parts, PassesText(v), sc.NextText(v))
	}
	return strings.Join(parts, ", ")
}

// FailureParts are what is not valid, whose it is ("" if that says itself), and what is
// wrong with it, which the message may say after naming both.
func (sc *Scene) FailureParts(f record.Invalid) (name, group, wrong string) {
	name, wrong = f.Name, f.Message
	switch f.Kind {
	case "node":
		name = sc.NodeName(name)
	case "group":
		name = style.WithoutDomain(name)
	}
	if f.Group != "" && f.Group != f.Name {
		group = style.WithoutDomain(f.Group)
	}
	if rest, found := strings.CutPrefix(wrong, f.Kind+" "+f.Name+" "); found {
		wrong = strings.TrimPrefix(rest, "of "+f.Group+" ")
	}
	return name, group, sc.Brief(wrong)
}

// FailureText names one thing that is not valid, and what is wrong with it.
func (sc *Scene) FailureText(f record.Invalid) string {
	name, group, wrong := sc.FailureParts(f)
	text := f.Kind + " " + name
	if group != "" {
		text += " of " + group
	}
	text += ": " + wrong
	if f.Ignored {
		text = "ignored: " + text
	}
	return text
}
