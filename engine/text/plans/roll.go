package plans

import (
	"fmt"
	"github.com/drainboard/drainboard/engine/text"
	"strings"
	"time"
)

func RollStarted(groups []string) string {
	return fmt.Sprintf("%s, in this order: %s", text.Plural(len(groups), "group"), strings.Join(groups, ", "))
}

// GroupStarts says of a group of a roll that it is its turn.
func GroupStarts(name string, resumes bool, n, of int) string {
	how := "starts"
	if resumes {
		how = "resumes"
	}
	return fmt.Sprintf("%s %s, group %d of %d", name, how, n, of)
}

func GroupAborted(name string) string { return name + " was aborted" }

func GroupPaused(name string) string { return name + " is paused" }

// AnyErrorStops says that a group of a role ended in an error, none where it has no role.
func AnyErrorStops(name, role string) string {
	what := "group"
	if role != "" {
		what = role + " group"
	}
	return fmt.Sprintf("%s ended in an error, and any error of a %s stops the roll", name, what)
}

func ResultStops(name, result string) string {
	return fmt.Sprintf("%s ended in %s, which stops the roll", name, result)
}

// RollStands says how far a roll is: how many groups are done, in what time if it is over,
// and which were not started because of why.
func RollStands(done, groups int, over bool, took time.Duration, notStarted []string, why string) string {
	s := fmt.Sprintf("%d of %s done", done, text.Plural(groups, "group"))
	if over {
		s += " in " + took.Round(time.Second).String()
	}
	if len(notStarted) > 0 {
		s += fmt.Sprintf("; not started: %s (%s)", strings.Join(notStarted, ", "), why)
	}
	return s
}

// GroupStands is a group of a roll in a line: how many of its nodes are replaced (of 0 where
// that says nothing), in what time (0 while it is not over), and why it stands so.
func GroupStands(name, word string, done, of int, over bool, took time.Duration, why string) string {
	s := name + ": " + word
	if of > 0 {
		s += fmt.Sprintf(", %d of %s replaced", done, text.Plural(of, "node"))
	}
	if over {
		s += " in " + took.Round(time.Second).String()
	}
	if why != "" {
		s += ": " + why
	}
	return s
}

// GroupTitle is a group's name and role.
func GroupTitle(name, role string) string {
	if role == "" {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, role)
}

const (
	DoneNodesLeft = "done, nodes left"
	HeldByAnother = "held by another"
)

// RollByName says the rules of a roll whose groups know nothing of each other.
const RollByName = "by name, one group at a time; an error stops the roll"

// RollManaged says the rules of a roll in which EKS updates groups, atOnce of them side by side.
func RollManaged(atOnce int) string {
	if atOnce <= 1 {
		return RollByName
	}
	return fmt.Sprintf("by name, one group at a time, then up to %d managed node groups of EKS side by side; an error stops the roll", atOnce)
}

// KeepGoing says the same rules where no error stops a roll.
func KeepGoing(rules string) string {
	order, _, _ := strings.Cut(rules, ";")
	return order + "; errors do not stop the roll (--keep-going)"
}

func RollKops(bastionsAtOnce bool) string {
	how := "one group at a time"
	if bastionsAtOnce {
		how = "bastions side by side, the others one group at a time"
	}
	return "bastions, control plane, API servers, then nodes, each by name, " + how +
		"; stops on any error of bastions or control plane, of the others on a failed validation or deregistration"
}

const KopsErrorsFixed = "kops fixes which errors stop a roll: of nodes only a failed validation or deregistration"
