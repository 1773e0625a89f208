package ui

import (
	"fmt"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// banner is a line under the phases that must be seen. The first matters most.
type banner struct {
	pen  style.Pen
	text string
}

func (m *Model) banners() []banner {
	sc, st := m.Scene, m.Styles
	now := sc.Now(m.Opts.Now())
	var out []banner
	over := sc.State == record.Finished

	alarm := func(text string) {
		if text != "" {
			out = append(out, banner{st.Alarm, st.Glyphs.Warning + " " + text})
		}
	}
	alarm(sc.UnreadableText())
	if sc.LockLost != "" && !over && !m.Ended {
		out = append(out, banner{st.Alarm, st.Glyphs.Warning + " lost the lock of this run: " + sc.Brief(sc.LockLost) + "; no changes until it is held again"})
	}
	if !m.Ended {
		alarm(sc.UnwrittenText(m.Opts.ReadOnly))
	}
	alarm(sc.ForecastText())
	if m.Scene.Between() {
		out = append(out, banner{st.Calm, st.Glyphs.Running + " " + sc.BetweenText()})
	}
	if m.interrupts > 0 && !over {
		out = append(out, banner{st.Alarm, st.Glyphs.Warning + " abort requested: work in progress finishes or is restored. ctrl-c again stops at once and restores nothing more"})
	}
	if b := sc.Batch; b != nil && !over {
		switch {
		case m.Approved == b.Hash:
			out = append(out, banner{st.Calm, st.Glyphs.Done + " " + scene.BatchName(b) + " is approved, starting"})
		default:
			text := st.Glyphs.Ask + " " + style.Upper(scene.BatchName(b)) + " waits for approval"
			if !b.Since.IsZero() {
				text += " (" + style.Countdown(now.Sub(b.Since)) + ")"
			}
			if why := m.Why(m.ActionFor("a")); why == "" {
				text += ". Press a"
			} else if !m.Opts.ReadOnly {
				text += ", not now: " + why
			}
			if b.Phase == "" {
				text += fmt.Sprintf(": %s, %s to move", style.Count(len(b.Nodes), "node"), style.Count(b.Evict, "pod"))
			}
			out = append(out, banner{st.Ask, text})
		}
	}
	if sc.CloudOnly && !over {
		out = append(out, banner{st.Ask, st.Glyphs.Warning + " " + scene.CloudOnlyText})
	}
	if src := sc.StalestSource(); src != nil && !over {
		text := st.Glyphs.Warning + " " + m.Scene.StaleText(src)
		if src.Retry.After(now) {
			text += fmt.Sprintf(", retry in %s", style.Age(src.Retry.Sub(now)+time.Second-1))
		} else {
			text += ", retrying"
		}
		if src.Problem != "" {
			text += ": " + strings.TrimPrefix(src.Problem, "the control cluster: ")
		}
		out = append(out, banner{st.Alarm, text + sc.StaleMeans(src)})
	}
	if m.Ended && !over {
		out = append(out, banner{st.Alarm, st.Glyphs.Warning + " the run sends no more updates; this is its last known state. q leaves"})
	}
	if text := m.Scene.DriverBlindText(); text != "" {
		out = append(out, banner{st.Calm, st.Glyphs.Warning + " " + text})
	}
	alarm(m.Scene.UnattendedText())
	out = append(out, m.othersBanners()...)
	alarm(sc.MismatchText())
	if b, ok := m.validationBanner(); ok {
		out = append(out, b)
	}
	switch {
	case sc.CanaryHolds():
		out = append(out, banner{st.Alarm, st.Glyphs.Paused + " paused" + m.unlessReadOnly(", p accepts, x aborts") + ": canary unhealthy: " + sc.Brief(sc.CanaryTrouble)})
	case sc.UpdateFailed:
		out = append(out, banner{st.Alarm, st.Glyphs.Paused + " update failed" + m.unlessReadOnly(", p retries, x ends the run") + ": " + sc.Brief(sc.Why)})
	case sc.State == record.Paused:
		out = append(out, banner{st.Calm, st.Glyphs.Paused + " paused" + style.Because(sc.Brief(sc.Why)) + m.unlessReadOnly(". p resumes")})
	case sc.State == record.Ending:
		word, _ := m.Scene.StateLook(m.Styles)
		out = append(out, banner{st.Calm, st.Glyphs.Ended + " " + word + style.Because(sc.Brief(sc.Why)) + ". Nothing new starts"})
	case sc.Canary != nil && !over:
		text, p := sc.CanaryText(st)
		out = append(out, banner{p, text})
	case sc.Awaits != "" && !over:
		out = append(out, banner{st.Calm, st.Glyphs.Paused + " waiting for Gardener, " + style.Age(max(0, sc.AwaitsUntil.Sub(now))) + " left: " + sc.Brief(sc.Awaits)})
	case sc.Gate != "" && !over:
		out = append(out, banner{st.Calm, st.Glyphs.Paused + " no new drain starts: " + style.Lower(sc.Brief(sc.Gate))})
	}
	if text := sc.AcceptedText(); text != "" {
		out = append(out, banner{st.Ask, st.Glyphs.Warning + " " + text})
	}
	out = append(out, m.moverBanners()...)
	if text := m.Problem(); text != "" {
		out = append(out, banner{st.Calm, text})
	}
	if sc.Skew.Abs() > scene.SkewShown {
		out = append(out, banner{st.Calm, st.Glyphs.Warning + " " + m.Scene.SkewText()})
	}
	return out
}

// moverBanners name who else moves nodes of the group now.
func (m *Model) moverBanners() []banner {
	var out []banner
	for _, r := range m.Scene.ShownMovers() {
		p := m.Styles.Calm
		if r.Handling == record.HandlingRefused || r.Handling == record.HandlingWarned {
			p = m.Styles.Ask
		}
		out = append(out, banner{p, m.Styles.Glyphs.Warning + " " + m.Scene.MoverText(r)})
	}
	return out
}

func (m *Model) unlessReadOnly(s string) string {
	if m.Opts.ReadOnly {
		return ""
	}
	return s
}

// bannerLines draws as many lines as there is room for.
func (m *Model) bannerLines(l layout) []string {
	out := make([]string, 0, l.banners.h)
	for _, b := range m.broken(l.banners.w, l.banners.h) {
		out = append(out, style.BannerLine(m.Styles, b.pen, b.text, l.banners.w))
	}
	return out
}

// bannerWraps is how many lines a banner may have at most.
const bannerWraps = 3

// broken are the banners as lines, at most room: each has one, and those that do not fit have
// more as far as there is room, those that matter most first.
func (m *Model) broken(w, room int) []banner {
	list := m.banners()
	list = list[:min(len(list), room)]
	room -= len(list)
	var out []banner
	for _, b := range list {
		parts := style.Wrap(b.text, w-3)
		lines := min(len(parts), bannerWraps, 1+room)
		if room -= lines - 1; lines < len(parts) { // the last line is cut where it ends
			parts = append(parts[:lines-1:lines-1], strings.Join(parts[lines-1:], " "))
		}
		for i, part := range parts {
			out = append(out, banner{b.pen, strings.Repeat("  ", min(i, 1)) + part})
		}
	}
	return out
}

// othersBanners say who else is at work on a group without a run, how far it has come,
// and what is not known of it.
func (m *Model) othersBanners() []banner {
	var out []banner
	for _, text := range m.Scene.OthersTexts() {
		if text != "" {
			out = append(out, banner{m.Styles.Calm, m.Styles.Glyphs.Running + " " + text})
		}
	}
	return out
}
