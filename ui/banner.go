package ui

import (
	"fmt"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// skewShown is from which on the difference of the clocks is worth a line.
const skewShown = 2 * time.Second

// undrained is what a run without Kubernetes means.
const undrained = "no Kubernetes: nothing is drained or validated, pods die with machines"

// banner is a line under the phases that must be seen. The first matters most.
type banner struct {
	pen  pen
	text string
}

func (m *Model) banners() []banner {
	sc, st := m.sc, m.st
	now := sc.now(m.opts.Now())
	var out []banner
	over := sc.State == engine.Finished

	alarm := func(text string) {
		if text != "" {
			out = append(out, banner{st.alarm, st.g.Warning + " " + text})
		}
	}
	alarm(sc.unreadableText())
	if sc.LockLost != "" && !over && !m.ended {
		out = append(out, banner{st.alarm, st.g.Warning + " the lock of this run is lost: " + sc.brief(sc.LockLost) + "; nothing is done until it is back"})
	}
	if m.between() {
		out = append(out, banner{st.calm, st.g.Running + " " + sc.betweenText()})
	}
	if m.interrupts > 0 && !over {
		out = append(out, banner{st.alarm, st.g.Warning + " abort asked for: what is in flight is finished or put back. ctrl-c again stops at once and leaves the rest as it is"})
	}
	if b := sc.Batch; b != nil && !over {
		switch {
		case m.approved == b.Hash:
			out = append(out, banner{st.calm, st.g.Done + " " + batchShort(b) + " is approved, starting"})
		default:
			text := st.g.Ask + " " + upper(batchShort(b)) + " waits for approval"
			if !b.Since.IsZero() {
				text += " (" + countdown(now.Sub(b.Since)) + ")"
			}
			if why := m.why(m.actionFor("a")); why == "" {
				text += ". Press a"
			} else if !m.opts.ReadOnly {
				text += ", not now: " + why
			}
			if b.Phase == "" {
				text += fmt.Sprintf(": %s, %s to move", count(len(b.Nodes), "node"), count(b.Evict, "pod"))
			}
			out = append(out, banner{st.ask, text})
		}
	}
	if sc.CloudOnly && !over {
		out = append(out, banner{st.ask, st.g.Warning + " " + undrained})
	}
	if src := sc.stale(); src != nil && !over {
		text := st.g.Warning + " " + m.staleText(src)
		if src.Retry.After(now) {
			text += fmt.Sprintf(", retry in %s", age(src.Retry.Sub(now)+time.Second-1))
		} else {
			text += ", retrying"
		}
		if src.Problem != "" {
			text += ": " + strings.TrimPrefix(src.Problem, "the control cluster: ")
		}
		out = append(out, banner{st.alarm, text + sc.staleMeans(src)})
	}
	if m.ended && !over {
		out = append(out, banner{st.alarm, st.g.Warning + " the run sends no more news; this is the last that is known. q leaves"})
	}
	if text := m.blindText(); text != "" {
		out = append(out, banner{st.calm, st.g.Warning + " " + text})
	}
	alarm(m.unattendedText())
	out = append(out, m.othersBanners()...)
	alarm(sc.unfitText())
	if b, ok := m.validationBanner(); ok {
		out = append(out, b)
	}
	switch {
	case sc.State == engine.Paused:
		out = append(out, banner{st.calm, st.g.Paused + " paused" + because(sc.brief(sc.Why)) + m.unlessReadOnly(". p resumes")})
	case sc.State == engine.Ending:
		word, _ := m.state()
		out = append(out, banner{st.calm, st.g.Ended + " " + word + because(sc.brief(sc.Why)) + ". Nothing new starts"})
	case sc.Canary != nil && !over:
		out = append(out, m.canaryBanner(sc.Canary))
	case sc.Gate != "" && !over:
		out = append(out, banner{st.calm, st.g.Paused + " no new drain starts: " + lower(sc.brief(sc.Gate))})
	}
	out = append(out, m.rivalBanners(over)...)
	if m.mistake != "" {
		out = append(out, m.mistakeBanner())
	}
	if sc.Skew.Abs() > skewShown {
		out = append(out, banner{st.calm, st.g.Warning + " " + m.skewText()})
	}
	return out
}

// unreadableText says that the group's record cannot be read, "" if it can.
func (sc *scene) unreadableText() string {
	if sc.Unreadable == "" {
		return ""
	}
	return "the record of this group's run cannot be read: " + sc.brief(sc.Unreadable)
}

// staleMeans says what follows from a source that is stale.
func (sc *scene) staleMeans(src *engine.SourceView) string {
	c := sc.source(world.Cluster)
	switch {
	case sc.Pool != nil:
		return ". What Gardener does meanwhile is not seen"
	case src.Name == world.Cloud && c != nil && !c.Stale:
		return ". Drains go on; what needs the cloud waits"
	case sc.Partial:
		return "" // what is shown is no older than usual
	}
	return ". Nothing is done on stale data"
}

// blindText says to who watches that the run's driver does not see all that is seen here,
// "" if he does.
func (m *Model) blindText() string {
	blind := m.sc.driverBlind()
	if blind == "" || !m.opts.ReadOnly || m.over() || !m.sc.Unattended.IsZero() {
		return ""
	}
	return fmt.Sprintf("who drives this run does not see the %s now: what needs it stands still", blind)
}

// unattendedText says that nobody drives the run, "" if somebody does.
func (m *Model) unattendedText() string {
	sc := m.sc
	if sc.Unattended.IsZero() {
		return ""
	}
	return fmt.Sprintf("nobody has driven this run for %s; drainboard upgrade %s goes on with it", age(sc.now(m.opts.Now()).Sub(sc.Unattended)), sc.Group)
}

// unfitText says that the run's record does not fit the group, "" if it does.
func (sc *scene) unfitText() string {
	if sc.Unfit == "" {
		return ""
	}
	return "its record does not fit the group: " + sc.brief(sc.Unfit) + "; drainboard upgrade " + sc.Group + " says what can be done"
}

// rivalBanners name who else moves nodes of the group now, but those that the lines above
// speak of.
func (m *Model) rivalBanners(over bool) []banner {
	sc, st := m.sc, m.st
	if over {
		return nil
	}
	var out []banner
	for _, r := range sc.Rivals {
		told := sc.State == engine.Paused && r.Handling == engine.RivalRefused || sc.State != engine.Paused && sc.Gate != "" && r.Handling == engine.RivalWaited
		if !r.Acts || told {
			continue
		}
		p := st.calm
		if r.Handling == engine.RivalRefused || r.Handling == engine.RivalWarned {
			p = st.ask
		}
		r.Mark = "" // there is no room for it; the log has it
		out = append(out, banner{p, st.g.Warning + " " + sc.brief(r.Sentence())})
	}
	return out
}

// staleText says how old the data of a source is.
func (m *Model) staleText(src *engine.SourceView) string {
	if m.sc.Partial && src.Name == world.Cluster {
		return "the pods of the cluster are not read yet"
	}
	name := m.sc.sourceName(src.Name)
	if src.Fresh.IsZero() {
		return name + ": no data yet"
	}
	return fmt.Sprintf("%s data %s old", name, age(m.sc.now(m.opts.Now()).Sub(src.Fresh)))
}

// sourceName is what a source is called: in a worker pool the cloud is the control cluster,
// where that is read.
func (sc *scene) sourceName(name world.Source) string {
	if p := sc.Pool; p != nil && p.Control && name == world.Cloud {
		return "control cluster"
	}
	return string(name)
}

// skewText says how the clocks differ.
func (m *Model) skewText() string {
	word, whose := "ahead of", "cluster's"
	if m.sc.Skew < 0 {
		word = "behind"
	}
	if m.sc.CloudOnly {
		whose = "cloud's"
	}
	return fmt.Sprintf("this computer's clock is %.1f s %s the %s; countdowns use the %s", m.sc.Skew.Abs().Seconds(), word, whose, whose)
}

// canaryBanner counts down what replaced the canary must stay well for.
func (m *Model) canaryBanner(w *engine.Wait) banner {
	left, still := m.sc.remaining(w, m.opts.Now())
	text, p := m.st.g.Running+" the canary is replaced: the others may follow in ", m.st.calm
	if m.sc.CanaryTrouble != "" {
		text, p = m.st.g.Warning+" the canary is not well: "+m.sc.brief(m.sc.CanaryTrouble)+"; pauses in ", m.st.ask
	}
	text += countdown(left)
	if still {
		text += ", stands still"
	}
	return banner{p, text}
}

func (m *Model) unlessReadOnly(s string) string {
	if m.opts.ReadOnly {
		return ""
	}
	return s
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + lower(why)
}

// bannerLines draws as many lines as there is room for.
func (m *Model) bannerLines(l layout) []string {
	out := make([]string, 0, l.banners.h)
	for _, b := range m.broken(l.banners.w)[:l.banners.h] {
		out = append(out, m.lineOf(b, l.banners.w))
	}
	return out
}

// broken are the banners as lines: one that does not fit has two where the screen is
// narrow, and on all screens if it alarms.
func (m *Model) broken(w int) []banner {
	var out []banner
	for _, b := range m.banners() {
		if w >= stackedWidth && b.pen != m.st.alarm {
			out = append(out, b)
			continue
		}
		parts := wrap(b.text, w-3)
		if len(parts) > 2 { // the second line is cut where it ends
			parts = []string{parts[0], strings.Join(parts[1:], " ")}
		}
		for i, part := range parts {
			out = append(out, banner{b.pen, strings.Repeat("  ", min(i, 1)) + part})
		}
	}
	return out
}

// lineOf is a banner over w cells.
func (m *Model) lineOf(b banner, w int) string {
	l := newLine(m.st, w)
	l.over = &b.pen
	return l.space(1).add(b.pen, b.text).String()
}
