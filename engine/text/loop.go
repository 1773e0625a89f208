package text

import (
	"fmt"
	"strings"
	"time"
)

// SourceLost says that what is known of a source is too old to act on, and why, and
// SourceBack that it is fresh again.
func SourceLost(source, why string) string {
	return fmt.Sprintf("no view of the %s: %s; actions that need it wait, their deadlines stand still", source, why)
}

// NotReadWithin says that a source could not be read at the start, and why, "" where that is
// not known.
func NotReadWithin(source string, limit time.Duration, why string) string {
	words := fmt.Sprintf("the %s could not be read within %s", source, limit)
	if why != "" {
		words += ": " + why
	}
	return words
}

func NoAnswerFor(d time.Duration) string { return "no answer for " + d.String() }

// NoAnswer is why a source is lost that says nothing.
const NoAnswer = "no answer"

func SourceBack(source string, after time.Duration) string {
	return fmt.Sprintf("the %s is visible again after %s", source, after.Round(time.Second))
}

// LockLost says that the lock is lost, and why, "" where that is not known.
func LockLost(why string) string {
	return Because(WithoutLock, why) + "; nothing is done until it is held again, deadlines stand still"
}

// WithoutLock and WithoutRecord are why a command is refused, or an action waits.
const (
	WithoutLock   = "the lock of this run is lost"
	WithoutRecord = "the run record cannot be written"
)

const LockNotRenewed = "it could not be renewed in time"

func LockBack(after time.Duration) string {
	return fmt.Sprintf("the lock of this run is held again after %s: the run resumes from its record", after.Round(time.Second))
}

// CommandRefused says that a command, of a node or none, by a user or none, was refused.
func CommandRefused(command, node, by, why string) string {
	if node != "" {
		command += " " + node
	}
	if by != "" {
		command += " by " + by
	}
	return "refused " + command + ": " + why
}

func Unrecorded(err error) string { return "the run record could not be written: " + err.Error() }

// UnrecordedFor is why a run pauses itself.
func UnrecordedFor(d time.Duration, err error) string {
	return fmt.Sprintf("the run record could not be written for %s: %s", d.Round(time.Second), err)
}

func RecordedAgain(after time.Duration) string {
	return fmt.Sprintf("the run record is written again after %s; deadlines move by that time", after.Round(time.Second))
}

// CannotRecord is told again and again while the record cannot be written.
func CannotRecord(d time.Duration, err error) string {
	return fmt.Sprintf("the run record cannot be written for %s: %s; nothing new starts, deadlines stand still, what is in progress finishes", d.Round(time.Second), err)
}

// CannotRecordEnding is CannotRecord of a run that ends, whose process ends after left.
func CannotRecordEnding(d time.Duration, err error, left time.Duration) string {
	return CannotRecord(d, err) + fmt.Sprintf("; nothing is restored until it can be written, and this process exits in %s", left.Round(time.Second))
}

// CannotRecordPausing is CannotRecord of a run that pauses after left.
func CannotRecordPausing(d time.Duration, err error, left time.Duration) string {
	return CannotRecord(d, err) + fmt.Sprintf("; the run pauses in %s", left.Round(time.Second))
}

// CannotRecordEnd is said of a run that has ended; it is retried for limit.
func CannotRecordEnd(d time.Duration, err error, limit time.Duration) string {
	return fmt.Sprintf("the end of the run cannot be recorded for %s: %s; retried for up to %s", d.Round(time.Second), err, limit)
}

func EndNotRecorded(err error) string {
	return "the end of the run could not be written to its record, which still has it as running: " + err.Error()
}

// CommandWaits says that a command, of a node or none, waits for the run record, and for how long
// at most where it needs one.
func CommandWaits(command, node string, needs bool, limit time.Duration) string {
	if node != "" {
		command += " " + node
	}
	if !needs {
		return command + " waits until the current write of the run record ends"
	}
	return fmt.Sprintf("%s waits until the run record can be written, for at most %s", command, limit)
}

func NotRecordedNotObeyed(d time.Duration, err error) string {
	return fmt.Sprintf("not recorded, so not executed: the run record cannot be written for %s: %s; repeat the command when it can be written, or end the run where it is driven", d.Round(time.Second), err)
}

// SeemsUnwritten is said of a run that another process drives.
const SeemsUnwritten = "it apparently cannot be written, and nothing new starts"

func CouldNotStart(d time.Duration) string {
	return fmt.Sprintf("it could not start for %s", d.Round(time.Second))
}

func CannotShow(run string, err error) string {
	return fmt.Sprintf("the run %s cannot be shown: %s", run, err)
}

// HeldBy says who holds the lock of a group, and since when, zero where that is not known.
func HeldBy(holder string, since time.Time) string {
	s := "another run holds the group: " + holder
	if !since.IsZero() {
		s += ", since " + since.UTC().Format(time.RFC3339)
	}
	return s
}

func RecordDamaged(record, why, look string) string {
	return fmt.Sprintf("the run record %s is damaged: %s; show it with: %s", record, why, look)
}

func RecordNewer(record string, version, known int) string {
	return fmt.Sprintf("the run record %s has format version %d, of a newer Drainboard (this one reads up to %d): use that one", record, version, known)
}

func InternalError(value any) string { return fmt.Sprintf("internal error: %v", value) }

// Mismatches are what does not fit of a record.
func Mismatches(list []string) string { return strings.Join(list, "; ") }
