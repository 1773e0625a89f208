package scene

import (
	"fmt"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/style"
)

// Troubled are the workloads whose moved pods are not all Ready again, those in most trouble
// first.
func (sc *Scene) Troubled() []*record.Workload {
	n := 0
	for n < len(sc.Workloads) && sc.Workloads[n].Trouble() != record.NoTrouble {
		n++
	}
	return sc.Workloads[:n]
}

// AlarmingWorkloads counts the workloads that a person should look at.
func (sc *Scene) AlarmingWorkloads() int {
	n := 0
	for _, w := range sc.Troubled() {
		if w.Alarms() {
			n++
		}
	}
	return n
}

// WorkloadLook is the mark and the look of a workload.
func WorkloadLook(st *style.Styles, w *record.Workload) style.Look {
	switch w.Trouble() {
	case record.InCrashLoop:
		return style.Look{Glyph: st.Glyphs.Failed, Pen: st.Bad}
	case record.IsPending, record.BelowPDB:
		return style.Look{Glyph: st.Glyphs.Warning, Pen: st.Warn}
	case record.IsStarting:
		return style.Look{Glyph: st.Glyphs.Launching, Pen: st.Active}
	}
	return style.Look{Glyph: st.Glyphs.Done, Pen: st.Good}
}

// WorkloadCounts says how a workload's replacements stand, the worst first.
func WorkloadCounts(w *record.Workload) string {
	var out []string
	for _, c := range []struct {
		n    int
		what string
	}{{w.CrashLooping, "crash-looping"}, {w.Pending, "Pending"}, {w.Short, "below PDB"}, {w.Starting, "starting"}, {w.Ready, "Ready"}} {
		if c.n > 0 {
			out = append(out, fmt.Sprint(c.n, " ", c.what))
		}
	}
	if len(out) == 0 {
		return "none replaced"
	}
	return strings.Join(out, ", ")
}

// WorkloadAge is for how long a workload has been in trouble, 0 where that is not known.
func (sc *Scene) WorkloadAge(w *record.Workload, now time.Time) time.Duration {
	if w.TroubleSince.IsZero() {
		return 0
	}
	return max(0, now.Sub(w.TroubleSince))
}

// WorkloadAlarm is what a headline says of the workloads: those that crash-loop, else those that
// have been Pending for too long; "" for none. One is named where that is asked for.
func (sc *Scene) WorkloadAlarm(named bool) string {
	crashing, pending, name := 0, 0, ""
	for _, w := range sc.Troubled() {
		switch {
		case w.CrashLooping > 0:
			crashing++
		case w.Pending > 0 && w.Reported == record.IsPending:
			pending++
		default:
			continue
		}
		if crashing+pending == 1 {
			name = w.Name
		}
	}
	n, verb := crashing, "crash-loop"
	if crashing == 0 {
		n, verb = pending, "pend"
	}
	switch {
	case n == 0:
		return ""
	case n > 1:
		return fmt.Sprintf("%d workloads %s", n, verb)
	case named:
		return name + " " + verb + "s"
	}
	return "1 workload " + verb + "s"
}
