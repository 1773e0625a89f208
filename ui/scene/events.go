package scene

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/style"
)

// EventLook tells at a glance what wants attention.
func (sc *Scene) EventLook(st *style.Styles, e *record.Event) style.Look {
	if e.Type == record.PhaseFinished && sc.EndedIn(e.Phase) {
		return sc.StoppedLook(st)
	}
	switch e.Type {
	case record.NodeFailed, record.ValidationFailed, record.HookFailed, record.WorkloadCrashing:
		return style.Look{Glyph: st.Glyphs.Failed, Pen: st.Bad}
	case record.Warning, record.WorkloadPending:
		return style.Look{Glyph: st.Glyphs.Warning, Pen: st.Warn}
	case record.NodeBlocked, record.PodBlocked:
		return style.Look{Glyph: st.Glyphs.Blocked, Pen: st.Warn}
	case record.ForecastChanged:
		if o := record.Outlook(e.Reason); o == record.WillFail || o == record.WillNotEnd {
			return style.Look{Glyph: st.Glyphs.Warning, Pen: st.Bad}
		}
	case record.PodForced, record.RunAborting, record.NodeSkipped:
		return style.Look{Glyph: "!", Pen: st.Warn}
	case record.BatchWaiting:
		return style.Look{Glyph: st.Glyphs.Ask, Pen: st.Warn}
	case record.RunPaused:
		return style.Look{Glyph: st.Glyphs.Paused, Pen: st.Warn}
	case record.NodeReplaced, record.NodeReady, record.PhaseFinished, record.ValidationPassed, record.HookPassed, record.WorkloadReady:
		return style.Look{Glyph: st.Glyphs.Done, Pen: st.Good}
	case record.RunFinished:
		if e.Result == string(record.Succeeded) {
			return style.Look{Glyph: st.Glyphs.Done, Pen: st.Good}
		}
		return style.Look{Glyph: st.Glyphs.Failed, Pen: st.Bad}
	}
	return style.Look{Glyph: st.Glyphs.Dot, Pen: st.Text}
}

// verbs are what a sentence about an event begins with.
var verbs = map[record.EventType]string{
	record.RunPlanned: "planned", record.RunStarted: "the run has started", record.RunPaused: "paused",
	record.RunResumed: "resumed", record.RunAborting: "aborting", record.RunFinished: "finished",
	record.PhaseStarted: "begins", record.PhaseFinished: "finished",
	record.BatchWaiting: "waits for approval", record.BatchApproved: "approved",
	record.NodeOutdated: "outdated", record.NodeTainted: "tainted", record.NodeCordoned: "cordoned",
	record.NodeDraining: "draining", record.NodeBlocked: "blocked", record.NodeDrained: "drained",
	record.NodeSettling: "settling", record.NodeTerminating: "terminating", record.NodeReplaced: "replaced",
	record.NodeLaunching: "launching", record.NodeReady: "ready", record.NodeUpdating: "updating",
	record.NodeSkipped: "skipped", record.NodeFailed: "failed",
	record.PodEvicted: "evicted", record.PodBlocked: "blocked", record.PodUnblocked: "no longer blocked",
	record.PodForced: "forced", record.PodGone: "gone", record.CapacityChanged: "capacity",
	record.InstanceDetached: "detached", record.InstanceOut: "deregistered",
	record.ValidationPassed: "validation passed", record.ValidationFailed: "validation failed",
	record.HookStarted: "hook started", record.HookPassed: "hook passed", record.HookFailed: "hook failed",
}

// EventText is an event as a sentence: who, what, and the message unless it says
// that itself.
func (sc *Scene) EventText(e *record.Event) string {
	switch e.Type {
	case record.ForecastChanged: // it is about the run, whichever node it names
		return "forecast: " + sc.Brief(e.Message)
	case record.WorkloadCrashing, record.WorkloadPending, record.WorkloadReady, record.WorkloadScaled: // the message names pod and node
		return sc.Brief(e.Message)
	}
	node := ""
	if e.Node != "" {
		node = sc.NodeName(e.Node)
	}
	who := node
	verb := verbs[e.Type]
	switch {
	case strings.HasPrefix(string(e.Type), "node.") && node != "":
	case e.Pod != "" && node != "":
		who = e.Pod + " on " + node
	case e.Pod != "":
		who = e.Pod
	case e.Batch != 0 && node == "":
		who = fmt.Sprintf("batch %d", e.Batch)
	case e.Type == record.ValidationPassed, e.Type == record.ValidationFailed: // of the cluster, in whichever phase
	case e.Phase != "" && node == "":
		who = e.Phase
	}
	msg := sc.Brief(strings.TrimSpace(e.Message))
	if e.Budget != "" && !strings.Contains(msg, e.Budget) {
		verb += " by " + e.Budget
	}
	switch {
	case msg == "" || msg == who:
		return strings.TrimSpace(who + " " + verb)
	case who == "" && (verb == "" || strings.HasPrefix(msg, verb)) || who != "" && mentions(msg, who):
		return msg
	case who == "":
		return verb + ": " + msg
	case verb == "" || strings.HasPrefix(who, "batch "):
		return who + ": " + msg
	case strings.HasPrefix(msg, verb):
		return who + " " + msg
	default:
		return who + " " + verb + ": " + msg
	}
}

// mentions reports whether a message begins by saying whom it is about.
func mentions(msg, who string) bool {
	who, _, _ = strings.Cut(who, " on ")
	return strings.HasPrefix(msg, who)
}
