package words

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// odd finds words that no sentence has: what fmt makes of a wrong argument, an empty part, a
// number below zero, and one of several.
var odd = regexp.MustCompile(`%!|  |\(\)|: *$|^ |(^|[ (])-[0-9]|(^|[^f] )\b1 (nodes|pods|machines|replicas|instances|attempts|validations|budgets|evictions|disruptions|containers)\b|\b0 more\b|<nil>|0001-01-01`)

// theirs is what the Sim's APIs say in words of their own, control characters and all.
var theirs = regexp.MustCompile(`[0-9]+/[0-9]+ nodes are available[^;]*?(\.|$)|\[2J.*?next line`)

// reasons are the words that the events of a type may have as their reason; a type that is not
// listed has reasons of its own.
var reasons = map[record.EventType][]string{
	record.PhaseStarted: {""}, record.PhaseFinished: {""}, record.RunFinished: {""}, record.BatchWaiting: {""},
	record.NodeOutdated: {"", record.ReasonRestored, "returned", "candidate"}, record.NodeReady: {"", record.ReasonRestored},
	record.NodeTainted: {"", "annotation", "request"}, record.NodeCordoned: {"", "label"}, record.NodeDraining: {"", "unblocked"},
	record.NodeDrained: {""}, record.NodeSettling: {"", "routes"}, record.NodeTerminating: {""}, record.NodeLaunching: {""},
	record.NodeReplaced: {"", "surplus", "given up", "in place"}, record.NodeUpdating: {""},
	record.PodEvicted: {""}, record.PodUnblocked: {""}, record.PodGone: {""}, record.CapacityChanged: {"", "not by us", "update", "update configuration"},
	record.ValidationPassed: {"validation", "canary"}, record.ValidationFailed: {"validation", "canary"},
	record.HookStarted: {"before-node", "after-node"}, record.HookPassed: {"before-node", "after-node"}, record.HookFailed: {"before-node", "after-node"},
	record.InstanceDetached: {""}, record.InstanceOut: {""}, record.WorkloadScaled: {""}, record.WorkloadPending: {""}, record.WorkloadCrashing: {""}, record.WorkloadReady: {""},
	record.Warning: {"", "refused", "rival", "rival gone", "max-unavailable", "note", "gate", "looked up", "extended", "validation", "order", "not complete",
		"unhealthy", "blind", "launch failed", "launch overdue", "given up", "single", "wave", "unreachable", "deregistering", "canary", "left behind",
		"not by us", "eks", "candidates", "command waits", "record unwritten", "record written", "in sight", "out of sight", "trace", "not heard"},
}

// answers are the reasons of warnings that an API has turned something away, or a user's order.
var answers = regexp.MustCompile(`^(busy|forbidden|conflict|stale|invalid|gone|budget|webhook|unknown|capacity|force-[0-9]+|failed|[A-Z][A-Za-z]+Failure)$`)

// others are the reasons of what another system does to a node by itself: its name.
var others = regexp.MustCompile(`^node\.\w+ [A-Z][A-Za-z ]*$`)

// Wrong says what is wrong with an event that is told now, by itself: it is no sentence, is over, or
// has a reason that its type has not. It is "" for nothing.
func Wrong(e record.Event, now time.Time) string {
	words := reasons[e.Type]
	switch {
	case e.Message == "" || e.Message == e.Node || odd.MatchString(theirs.ReplaceAllString(e.Message, "x")):
		return "that is no sentence"
	case e.Until != nil && e.Until.Before(now):
		return fmt.Sprintf("it was over %s ago", now.Sub(*e.Until))
	case words == nil && e.Reason == "" && e.By == "":
		return "it has no reason"
	case words == nil || slices.Contains(words, e.Reason) || others.MatchString(string(e.Type)+" "+e.Reason):
	case e.Type != record.Warning || !answers.MatchString(e.Reason):
		return "there is no such reason"
	}
	return ""
}

// often is how many times within a minute an event may be told with the same words.
const often = 5

// repeated are what may be told as often as it happens: commands and what they start once more,
// and pods that come back.
var repeated = []record.EventType{record.RunPaused, record.RunResumed, record.HookStarted, record.NodeDraining, record.NodeDrained, record.NodeSettling, record.PodEvicted, record.PodBlocked, record.PodForced, record.PodGone, record.WorkloadScaled}

// drainsAgain is told whenever a node drains again: pods that tolerate every taint may come as often as they are evicted.
const drainsAgain = "no longer empty and cordoned while settling: drained again"

// Repeats notes what was told. The zero value has heard nothing.
type Repeats struct {
	told map[record.Event][]time.Time // when just that was told, the last times
}

// Often reports whether an event that is told now is told over and over.
func (r *Repeats) Often(e record.Event, now time.Time) bool {
	if e.Type == record.RunResumed { // a hook that has failed is asked again
		maps.DeleteFunc(r.told, func(was record.Event, _ []time.Time) bool { return was.Type == record.HookFailed })
	}
	if e.Reason == "refused" || e.Reason == "extended" || e.Reason == "validation" || e.Message == drainsAgain || slices.Contains(repeated, e.Type) {
		return false
	}
	if e.Type == record.NodeReplaced { // the gate may be shut for the next one again
		maps.DeleteFunc(r.told, func(was record.Event, _ []time.Time) bool { return was.Reason == "gate" })
	}
	if e.Reason == record.ReasonLaunchFailed { // zones fail in turn
		maps.DeleteFunc(r.told, func(was record.Event, _ []time.Time) bool { return was.Reason == e.Reason && was.Message != e.Message })
	}
	if r.told == nil {
		r.told = map[record.Event][]time.Time{}
	}
	same := record.Event{Type: e.Type, Node: e.Node, Pod: e.Pod, Reason: e.Reason, Message: e.Message}
	at := append(r.told[same], now)
	r.told[same] = at[max(0, len(at)-often):]
	return len(at) > often && now.Sub(at[len(at)-1-often]) < time.Minute
}
