package systems

import (
	"fmt"
	"github.com/drainboard/drainboard/engine/text"
	"strconv"
	"strings"
	"time"
)

// What a roll of a pool meets, where it takes no figures.
const (
	NoShareOfSurge = "no zone has a share of maxSurge: each node is drained before its replacement joins"
	// ZonePaused and ZoneFrozen are why nothing happens in a zone.
	ZonePaused = "paused: no further batch starts"
	ZoneFrozen = "frozen: no machine is created"

	UnknownUpdateStrategy = "update strategy unknown"
)

func ZoneIsPaused(zone string) string { return "zone " + zone + " is paused: no batch starts" }

func ZoneIsFrozen(zone string) string { return "zone " + zone + " is frozen: no machine is created" }

func ZoneHasNoShare(zone, atOnce string) string {
	return "zone " + zone + " has no share of maxSurge and maxUnavailable: each node is drained before its replacement joins (" + atOnce + ")"
}

// AwaitingInPlace counts candidates; label is what has to be put on each, "" where the
// controller selects them itself.
func AwaitingInPlace(n int, label string) string {
	out := text.Plural(n, "node") + " awaiting an in-place update"
	if label != "" {
		out += ": each starts when a user labels it " + label + "=true, without a limit"
	}
	return out
}

func FailedInPlace(n int) string {
	return "in-place update failed on " + text.Plural(n, "node") + ": out of service until updated"
}

// NodeFailedInPlace tells of a node; why may be "".
func NodeFailedInPlace(node, why string) string {
	return text.Because(node+": in-place update failed", why) + "; out of service until updated"
}

func NeverEvicted(pod, one, other string) string {
	return fmt.Sprintf("%s is covered by two PDBs (%s, %s), the eviction API refuses it: only the drain timeout passes them", pod, one, other)
}

// PoolBudget is a budget that lets no pod of a pool's nodes go.
type PoolBudget struct {
	text.Budget
	// Unseen: it changed, and its controller has not recomputed it.
	Unseen bool
	// Misconfigured: it allows none although all its pods are healthy.
	Misconfigured bool
	// Controller deletes a pod past it after Refusals of its evictions, which take Past (0: not
	// before the drain timeout Drain).
	Controller  string
	Refusals    int
	Past, Drain time.Duration
	// It guards so many Pods on so many Nodes.
	Pods, Nodes int
}

func (b PoolBudget) String() string {
	drained := "only the drain timeout (" + text.Span(b.Drain) + ") passes it"
	out := ""
	switch {
	case b.Misconfigured:
		what := text.Plural(b.Expected, "pod")
		if b.Expected == 1 {
			what = "a single replica"
		}
		out = fmt.Sprintf("PDB %s (%s) never allows a disruption of %s: misconfigured for %s, whose drains fail and restart; %s", b.Ref, b.Expression, what, b.Controller, drained)
	case b.Unseen:
		out = text.OfBudget(b.Ref, text.BudgetChanged)
	default:
		out = text.OfBudget(b.Ref, b.Closed(""))
		if b.Past > 0 {
			out += fmt.Sprintf("; after %d refusals (%s) %s deletes the pod past it", b.Refusals, text.Span(b.Past), b.Controller)
		} else {
			out += "; " + drained
		}
	}
	return out + fmt.Sprintf("; covers %s on %s", text.Plural(b.Pods, "pod"), text.Plural(b.Nodes, "node"))
}

func VolumesInTurn(node string, pods int, takes string) string {
	return fmt.Sprintf("%s has %d pods with volumes, evicted one after the other: %s", node, pods, takes)
}

func OnlyReplicas(pods []string) string {
	return "only replica of its owner, down while it moves: " + text.Some(pods)
}

// SickNode tells of a node that is drained by force after a time.
func SickNode(node string, sick, forced time.Duration) string {
	return fmt.Sprintf("%s not Ready or not writable for %s: after %s drained by force, past all PDBs", node, text.Span(sick), text.Span(forced))
}

func Preserved(node string, left time.Duration) string {
	return fmt.Sprintf("%s is preserved for another %s: replaced last", node, text.Span(left))
}

// KeptThoughFailed tells of a machine at the end of a run.
func KeptThoughFailed(node, by string, until time.Time) string {
	return fmt.Sprintf("%s has failed and is up to date: %s preserves its machine until %s, and nothing waits for it", node, by, until.UTC().Format("2006-01-02 15:04 MST"))
}

// InPlaceCounts are the nodes of an update in place: so many of each mark, in turn; pending:
// the Shoot says that it is.
func InPlaceCounts(marks []string, pending bool) string {
	out := strings.Join(marks, ", ")
	switch {
	case out != "" && pending:
		return out + "; pending (Shoot status)"
	case pending:
		return "pending (Shoot status)"
	}
	return out
}

// Counted is a number and its word: "3 candidates".
func Counted(n int, word string) string { return fmt.Sprintf("%d %s", n, word) }

// Limits are the times by which a controller acts.
type Limits struct {
	Drain, Health, Creation time.Duration
	// Past is what Refusals of a budget take, 0 where they lead to nothing.
	Past     time.Duration
	Refusals int
	NoHealth bool
	// Update is the time for an update in place, where the pool has these.
	Update  time.Duration
	InPlace bool
	Whose   LimitsOf
}

// LimitsOf is where limits were read.
type LimitsOf string

// Where limits were read.
const (
	LimitsOfEach   LimitsOf = "from the Shoot; each machine has its own"
	LimitsOfNewest LimitsOf = "from the newest machine; each has its own"
	LimitsGuessed  LimitsOf = "the defaults, a guess"
	LimitsOfShoot  LimitsOf = "from the Shoot"
)

func (l Limits) String() string {
	words := []string{"drain " + text.Span(l.Drain)}
	if l.Past > 0 {
		words = append(words, fmt.Sprintf("%d refusals of a PDB (%s)", l.Refusals, text.Span(l.Past)))
	}
	if l.NoHealth {
		words = append(words, "no health timeout")
	} else {
		words = append(words, "health "+text.Span(l.Health))
	}
	words = append(words, "creation "+text.Span(l.Creation))
	if l.InPlace {
		words = append(words, "update "+text.Span(l.Update))
	}
	return strings.Join(words, ", ") + " (" + string(l.Whose) + ")"
}

func ZoneCounts(updated, all, available int) string {
	return fmt.Sprintf("%d of %d updated, %d available", updated, all, available)
}

// AtOnce says how many machines may be too many and too few at a time, and what that is worked
// out from; guess: that is not known for sure.
func AtOnce(surgeAs string, surge int, unavailableAs string, unavailable int, guess bool) string {
	out := amount("surge", surgeAs, surge) + ", " + amount("unavailable", unavailableAs, unavailable)
	if guess {
		return "~" + out
	}
	return out
}

func amount(name, written string, n int) string {
	switch {
	case strings.HasSuffix(written, "%"):
		return fmt.Sprintf("%s %s = %d", name, written, n)
	case written != "" && written != strconv.Itoa(n):
		return fmt.Sprintf("%s %s, which counts as %d", name, written, n)
	}
	return fmt.Sprintf("%s %d", name, n)
}

func ShootOf(name, project string) string { return name + " of project " + project }

func ShootVersion(version string) string {
	return version + " (the Shoot's: a pool may have one of its own)"
}

// Window is a maintenance time window that opens or closes in a time, and who tells of it.
func Window(open bool, in time.Duration, from string) string {
	out := "opens in " + text.Span(in)
	if open {
		out = "open, the last operation starts in " + text.Span(in)
	}
	return out + " (from " + from + ")"
}
