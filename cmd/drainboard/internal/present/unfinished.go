package present

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
)

// NoRun returns why there is no run to send a command to, "" if there is one.
func NoRun(group string, run record.Run, found bool) string {
	switch {
	case !found:
		return fmt.Sprintf("group %s has no run; drainboard status lists the runs", group)
	case run.State == record.Finished:
		return fmt.Sprintf("no run in progress in group %s: the last one, %s, ended at %s: %s", group, run.ID, run.Finished.Local().Format("15:04:05 on 2 Jan"), run.Result)
	}
	return ""
}

// UnableManaged says why a command is not possible for a managed node group, which EKS updates, and what comes
// nearest to it.
func UnableManaged(group string, kind record.CommandKind) string {
	how := ""
	for _, a := range (strategy.EKSManaged{}).Abilities() {
		if a.Kind == kind {
			how = ": " + a.How
		}
	}
	return fmt.Sprintf("group %s has no run, and by their labels its nodes belong to a managed node group, which EKS updates%s", group, how)
}

// Undriven says that no process drives a run, since when, and which command resumes it.
func Undriven(run record.Run, heard, now time.Time) string {
	if heard.IsZero() || heard.Before(run.Seen) {
		heard = run.Seen
	}
	text := fmt.Sprintf("no process drives the run: it is %s, last seen %s ago; drainboard upgrade %s resumes it",
		run.State, max(0, now.Sub(heard)).Round(time.Second), run.Group)
	if run.State != record.Ending {
		text += ", drainboard abort " + run.Group + " aborts it"
	}
	return text
}

// WriteWaiting writes the batch that waits for approval, from the record.
func WriteWaiting(w io.Writer, run record.Run) {
	b, _ := run.Waiting()
	what := plural(len(b.Names), "node")
	if b.Phase != "" {
		what = "phase " + b.Phase
	}
	fmt.Fprintf(w, "%s  %s  batch %d waits for approval: %s, as of %s\n", run.Group, run.ID, b.ID, what, cmp.Or(b.Preview.AsOf, run.Seen).Local().Format("15:04:05"))
	List(w, "Nodes:", b.Names)
	if b.Preview.Evict > 0 {
		fmt.Fprintf(w, "%s will be evicted\n", plural(b.Preview.Evict, "pod"))
	}
	List(w, "Foreseen:", b.Preview.Foreseen)
	if b.Preview.NotEvaluated != "" {
		fmt.Fprintln(w, "Blockers not evaluated: "+b.Preview.NotEvaluated)
	}
	if run.State == record.Paused {
		fmt.Fprintln(w, "The run is paused: resume it before approving")
	}
}

// WriteAbort writes what an abort does: what stops, what finishes, what is restored.
func WriteAbort(w io.Writer, run record.Run, driver string) {
	replaced, total := run.Outdated()
	fmt.Fprintf(w, "%s  %s  %s, %d of %d nodes replaced, as of %s\n", run.Group, run.ID, run.State, replaced, total, run.Seen.Local().Format("15:04:05"))
	if driver == "" {
		fmt.Fprintln(w, "No process drives this run: this one takes its lock and restores what the run changed")
	} else {
		fmt.Fprintln(w, "Driven by "+driver)
	}
	if rules, err := strategy.Named(run.Strategy); err == nil {
		List(w, "An abort starts nothing new, and:", assess.AbortPlan(run, rules))
	}
	List(w, NotRestored, run.Outstanding())
}

// NotRestored is the heading of what an unfinished run has changed: each line has the command
// that undoes a change.
const NotRestored = "Not restored yet, with the command that does:"

// SetAside says where a discarded record is, "" for nowhere.
func SetAside(where, why string) string {
	if where == "" {
		return fmt.Sprintf("record discarded (%s)", why)
	}
	return fmt.Sprintf("record kept as %s (%s)", where, why)
}

// Standing describes an unfinished run: its start, given flags that do not apply to it, its
// state, and what comes next.
func Standing(run record.Run, now time.Time, given []string, auto bool) []string {
	own := "its own settings apply"
	if len(given) > 0 {
		own += ", not " + strings.Join(given, ", ")
	}
	out := []string{fmt.Sprintf("started by %s at %s, last seen %s ago, %s", run.By, When(run.Started.Local()), now.Sub(run.Seen).Round(time.Second), run.State), own}
	if auto && run.Settings.Approve != record.ApproveNone {
		out = append(out, "no prompts (--auto)")
	}
	return append(out, "found: "+run.Standing(), "next: "+next(run, auto))
}

// next returns what this process does first: it resumes a paused run.
func next(run record.Run, auto bool) string {
	if run.State == record.Paused {
		run.State = record.Running
	}
	if _, waiting := run.Waiting(); waiting && auto { // approved at once
		run.Batches = run.Batches[:len(run.Batches)-1]
	}
	return run.Next()
}

// WhatNext returns the commands to give after a run has ended; again rolls what it has left.
func WhatNext(run record.Run, again string) string {
	next := "Report: drainboard report " + run.Group
	if run.Worst() == record.EvictionFail {
		next += "\nTo continue: free the pods, then " + again
	} else if run.Target.Update != nil && run.ExitCode() != 0 {
		next += "\nTo continue: " + again
	}
	return next
}
