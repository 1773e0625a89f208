package scene

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/ui/style"
)

// EventLook tells at a glance what wants attention.
func (sc *Scene) EventLook(st *style.Styles, e *engine.Event) style.Look {
	if e.Type == engine.PhaseFinished && sc.EndedIn(e.Phase) {
		return sc.StoppedLook(st)
	}
	switch e.Type {
	case engine.NodeFailed, engine.ValidationFailed, engine.HookFailed:
		return style.Look{Glyph: st.Glyphs.Failed, Pen: st.Bad}
	case engine.Warning:
		return style.Look{Glyph: st.Glyphs.Warning, Pen: st.Warn}
	case engine.NodeBlocked, engine.PodBlocked:
		return style.Look{Glyph: st.Glyphs.Blocked, Pen: st.Warn}
	case engine.PodForced, engine.RunAborting, engine.NodeSkipped:
		return style.Look{Glyph: "!", Pen: st.Warn}
	case engine.BatchWaiting:
		return style.Look{Glyph: st.Glyphs.Ask, Pen: st.Warn}
	case engine.RunPaused:
		return style.Look{Glyph: st.Glyphs.Paused, Pen: st.Warn}
	case engine.NodeReplaced, engine.NodeReady, engine.PhaseFinished, engine.ValidationPassed, engine.HookPassed:
		return style.Look{Glyph: st.Glyphs.Done, Pen: st.Good}
	case engine.RunFinished:
		if e.Result == string(engine.Succeeded) {
			return style.Look{Glyph: st.Glyphs.Done, Pen: st.Good}
		}
		return style.Look{Glyph: st.Glyphs.Failed, Pen: st.Bad}
	}
	return style.Look{Glyph: st.Glyphs.Dot, Pen: st.Text}
}

// verbs are what a sentence about an event begins with.
var verbs = map[engine.EventType]string{
	engine.RunPlanned: "planned", engine.RunStarted: "the run has started", engine.RunPaused: "paused",
	engine.RunResumed: "resumed", engine.RunAborting: "aborting", engine.RunFinished: "finished",
	engine.PhaseStarted: "begins", engine.PhaseFinished: "finished",
	engine.BatchWaiting: "waits for approval", engine.BatchApproved: "approved",
	engine.NodeOutdated: "outdated", engine.NodeTainted: "tainted", engine.NodeCordoned: "cordoned",
	engine.NodeDraining: "draining", engine.NodeBlocked: "blocked", engine.NodeDrained: "drained",
	engine.NodeSettling: "settling", engine.NodeTerminating: "terminating", engine.NodeReplaced: "replaced",
	engine.NodeLaunching: "launching", engine.NodeReady: "ready", engine.NodeUpdating: "updating",
	engine.NodeSkipped: "skipped", engine.NodeFailed: "failed",
	engine.PodEvicted: "evicted", engine.PodBlocked: "blocked", engine.PodUnblocked: "no longer blocked",
	engine.PodForced: "forced", engine.PodGone: "gone", engine.CapacityChanged: "capacity",
	engine.InstanceDetached: "detached", engine.InstanceOut: "deregistered",
	engine.ValidationPassed: "validation passed", engine.ValidationFailed: "validation failed",
	engine.HookStarted: "hook asked", engine.HookPassed: "hook done", engine.HookFailed: "hook failed",
}

// EventText is an event as a sentence: who, what, and the message unless it says
// that itself.
func (sc *Scene) EventText(e *engine.Event) string {
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
	case e.Type == engine.ValidationPassed, e.Type == engine.ValidationFailed: // of the cluster, in whichever phase
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
