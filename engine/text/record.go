package text

import (
	"fmt"
	"strings"
	"time"
)

// OfGroup and those below say why a record, or a part of it, does not fit its group.
func OfGroup(provider, group string) string {
	return fmt.Sprintf("it belongs to the %s group %s", provider, group)
}

func GroupRecreated(was, is string) string {
	return fmt.Sprintf("the group was deleted and recreated since the run began: it was %s, now %s", was, is)
}

func SizesMismatch(sizes, why string) string {
	return fmt.Sprintf("will not restore the group's sizes %s: %s", sizes, why)
}

const SizesImpossible = "no group can have them"

func SizesUnreachable(more, fewer, limit int) string {
	return fmt.Sprintf("they do not match the run's own changes (%d more, %d less, maximum %d)", more, fewer, limit)
}

func TemplateMismatch(template, why string) string {
	return fmt.Sprintf("will not restore the group's launch template %s: %s", template, why)
}

func OtherTemplate(template string) string {
	return "the group now uses launch template " + template
}

func SetAsVersion(version string) string {
	return fmt.Sprintf("the record has it as version %q", version)
}

const NoSuchVersion = "that version does not exist"

func NotSuspendedByRuns(process string) string {
	return "will not resume " + process + ": no run suspends it"
}

func NotOfGroup(machine string) string { return "its machine " + machine + " is not in this group" }

func NodeOfOther(is, not string) string {
	return "it is the node of machine " + is + ", not of " + not
}

// Standing is a run in a line: its nodes replaced, how many are in each stage, and the
// actions that have no answer.
func Standing(replaced, total int, stages, open []string) string {
	s := strings.Join(append([]string{fmt.Sprintf("%d of %s replaced", replaced, Plural(total, "node"))}, stages...), ", ")
	if len(open) > 0 {
		s += "; in progress, without an answer: " + Some(open)
	}
	return s
}

// InStage is a part of Standing.
func InStage(n int, stage string) string { return fmt.Sprintf("%d %s", n, stage) }

// Next is what a run does first that is resumed; open reports whether actions have no answer.
func Next(open bool, what string) string {
	if open {
		return "actions without an answer are checked, then " + what
	}
	return what
}

const (
	NextEnds        = "what is in progress is finished or undone"
	NextStaysPaused = "the run stays paused until resumed"
)

func NextPhase(phase string) string { return "phase " + phase + " continues" }

const NextBegins = "the run starts"

// RunStarted and those below are events of a run that another process drives.
func RunStarted(by string) string { return "started by " + by }

func PhaseFinished(after time.Duration) string { return "finished after " + Seconds(after) }

// BatchOf is a batch as a sentence has it: its nodes, or its phase.
func BatchOf(nodes int, phase string) string {
	if phase != "" {
		return "phase " + phase
	}
	return Plural(nodes, "node")
}

func WasApproved(what, by string) string {
	if by == "" {
		return what + " approved: no approval needed"
	}
	return what + " approved by " + by
}

func WasForced(by, node, why string) string {
	return fmt.Sprintf("force ordered by %s for %s: %s", by, node, why)
}

func HasLeftGroup(node string) string { return node + " has left the group" }

func NoMarkLeft(mark string) string { return "its mark is gone: " + mark }

// Marked says what a mark on a node means, with the mark.
func Marked(means, mark string) string { return strings.TrimSpace(means + " (" + mark + ")") }

func EachOf(nodes int, what string) string { return fmt.Sprintf("each of %d nodes: %s", nodes, what) }

// Pace is how many nodes were replaced in what time.
func Pace(nodes int, took time.Duration) string {
	return Plural(nodes, "node") + " in " + strings.TrimSuffix(max(took.Round(time.Minute), time.Minute).String(), "0s")
}

// MoverActs says who does what, to which nodes (the first of them, and how many more), by
// which mark.
func MoverActs(who, does string, nodes []string, more int, mark string) string {
	s := who + " " + does
	if len(nodes) > 0 {
		s += " " + AndMore(nodes, Few, more)
	}
	if mark != "" {
		s += " (" + mark + ")"
	}
	return s
}

func MoverHandled(action, how string) string { return action + ": " + how }

func MoverGone(action string) string { return "over: " + action }

// MoreThanListed is the last of a list that was cut.
func MoreThanListed(n int) string { return fmt.Sprintf("and %d more", n) }

// DrainOf says how many pods a drain moves, and what else is known of it, "" for nothing.
func DrainOf(pods int, more string) string { return Because(PodsToMove(pods), more) }
