package ui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
)

// validating reports whether the run waits for the cluster to be valid.
func (sc *scene) validating() bool {
	v := sc.Validation
	return v != nil && v.Passed.IsZero() && v.Failed.IsZero() && (sc.State == engine.Running || sc.State == engine.Paused)
}

// invalid is how many things count against the cluster's validity now: 0 too where no
// validation is under way and none has failed.
func (sc *scene) invalid() int {
	v := sc.Validation
	if v == nil || !v.Passed.IsZero() || !sc.validating() && v.Failed.IsZero() {
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

// failures are what a look found: what counts first, what is ignored last.
func failures(v *engine.Validation) []engine.Invalid {
	return slices.SortedStableFunc(slices.Values(v.Failures), func(a, b engine.Invalid) int {
		return cmp.Compare(truth(a.Ignored), truth(b.Ignored))
	})
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// foundText counts what is not valid, by kind: 2 nodes, 1 pod, 1 ignored.
func foundText(v *engine.Validation) string {
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
			words = append(words, count(n, kind))
		}
	}
	if ignored > 0 {
		words = append(words, fmt.Sprintf("%d ignored", ignored))
	}
	return strings.Join(words, ", ")
}

// afterText names what was ended before a validation.
func (sc *scene) afterText(v *engine.Validation) string {
	const most = 2
	names := make([]string, len(v.After))
	for i, name := range v.After {
		names[i] = sc.node(name)
	}
	switch {
	case len(names) == 0:
		return "at the start of the group"
	case len(names) > most:
		return "after " + count(len(names), "node")
	}
	return "after " + list(names)
}

// passesText is how many looks in a row found nothing, of those that it takes.
func passesText(v *engine.Validation) string {
	return fmt.Sprintf("passed %d of %s", v.Passes, count(max(v.Need, 1), "look"))
}

// nextText is when the cluster is looked at again.
func (m *Model) nextText(v *engine.Validation) string {
	sc := m.sc
	what := "next look"
	if v.Looked.IsZero() {
		what = "first look"
	}
	switch left := v.Next.Sub(sc.now(m.opts.Now())); {
	case sc.State == engine.Paused, v.Wait != nil && sc.still(v.Wait):
		return what + " waits"
	case left > 0:
		return what + " in " + countdown(left)
	}
	return what + " now"
}

// limitText is what happens when a validation's time is up, and how soon; "" where it may
// take any time.
func (m *Model) limitText(v *engine.Validation) string {
	if v.Wait == nil {
		return ""
	}
	word := "fails in "
	if m.sc.PassInvalid {
		word = "goes on all the same in "
	}
	left, still := m.sc.remaining(v.Wait, m.opts.Now())
	if still {
		return word + countdown(left) + ", stands still"
	}
	return word + countdown(left)
}

// pressing says how much of a validation's time is used up: 0 at first, 1 when half of it
// is, 2 when what is left is little.
func (m *Model) pressing(v *engine.Validation) int {
	if v.Wait == nil {
		return 1
	}
	left, _ := m.sc.remaining(v.Wait, m.opts.Now())
	switch whole := v.Wait.End.Sub(v.Wait.Start); {
	case left*4 <= whole:
		return 2
	case left*2 <= whole:
		return 1
	}
	return 0
}

// validationLook is how a validation stands, as words and a look.
func (m *Model) validationLook() (string, look) {
	v, st := m.sc.Validation, m.st
	n := m.sc.invalid()
	switch {
	case !v.Failed.IsZero():
		return "validation failed: " + foundText(v), look{st.g.Failed, st.bad}
	case !v.Passed.IsZero():
		return "the cluster is valid", look{st.g.Done, st.good}
	case n > 0:
		pens := []pen{st.active, st.warn, st.bad}
		signs := []string{st.g.Running, st.g.Warning, st.g.Warning}
		at := m.pressing(v)
		return "not valid yet: " + foundText(v), look{signs[at], pens[at]}
	case !m.sc.validating():
		return "validation: given up", look{st.g.Ended, st.warn}
	case v.Looked.IsZero():
		return "validation", look{st.g.Running, st.active}
	}
	text := "validation: nothing wrong is found"
	if found := foundText(v); found != "" {
		text += ", " + found
	}
	return text, look{st.g.Running, st.active}
}

// validationSentence is how a validation stands, for a line of its own.
func (m *Model) validationSentence() string {
	v := m.sc.Validation
	text, _ := m.validationLook()
	parts := []string{text}
	if m.sc.validating() {
		if limit := m.limitText(v); limit != "" {
			parts = append(parts, limit)
		}
		parts = append(parts, passesText(v), m.nextText(v))
	}
	return strings.Join(parts, ", ")
}

// failureParts are what is not valid, whose it is ("" if that says itself), and what is
// wrong with it, which the message may say after naming both.
func (sc *scene) failureParts(f engine.Invalid) (name, group, wrong string) {
	name, wrong = f.Name, f.Message
	switch f.Kind {
	case "node":
		name = sc.node(name)
	case "group":
		name = withoutDomain(name)
	}
	if f.Group != "" && f.Group != f.Name {
		group = withoutDomain(f.Group)
	}
	if rest, found := strings.CutPrefix(wrong, f.Kind+" "+f.Name+" "); found {
		wrong = strings.TrimPrefix(rest, "of "+f.Group+" ")
	}
	return name, group, sc.brief(wrong)
}

// failureText names one thing that is not valid, and what is wrong with it.
func (sc *scene) failureText(f engine.Invalid) string {
	name, group, wrong := sc.failureParts(f)
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

// invalidLong is how long the cluster may not be valid before that is news: as long as
// machines boot it never is.
const invalidLong = 5 * time.Minute

// invalidNews is that the cluster does not get valid, while a validation is under way.
func (m *Model) invalidNews(now time.Time) []news {
	sc := m.sc
	v := sc.Validation
	if !sc.validating() || sc.invalid() == 0 || v.Wait != nil && sc.now(now).Sub(v.Wait.Start) < invalidLong {
		return nil
	}
	key := "invalid"
	if v.Wait != nil {
		key += v.Wait.Start.String()
	}
	text := "the cluster is not valid: " + foundText(v)
	if limit := m.limitText(v); limit != "" {
		text += ", " + limit
	}
	return []news{{key, text}}
}

// ignoredKey begins the keys of what is ignored, which is told once for several validations.
const ignoredKey = "ignored "

// tellInvalid names what keeps the cluster from being valid, each when it appears: what
// comes and goes again is told now and then.
func (n *narrator) tellInvalid() {
	m, sc := n.m, n.m.sc
	if !sc.validating() {
		maps.DeleteFunc(n.told.invalid, func(key string, _ time.Time) bool { return !strings.HasPrefix(key, ignoredKey) })
		return
	}
	now := m.opts.Now()
	var lines []string
	for _, f := range failures(sc.Validation) {
		key := f.Kind + " " + f.Name + " " + withoutNumbers(f.Message)
		if f.Ignored {
			key = ignoredKey + key
		}
		if was, known := n.told.invalid[key]; known && now.Sub(was) < patienceWaiting {
			continue
		}
		n.told.invalid[key] = now
		line := sc.failureText(f)
		if !f.Ignored {
			line = "not valid yet: " + line
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return
	}
	for _, line := range lines {
		n.say(line)
	}
	n.say(m.validationSentence() + ".")
}
