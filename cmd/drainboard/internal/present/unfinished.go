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

// NoRun says why there is no run to give a command to, "" if there is one.
func NoRun(group string, run record.Run, found bool) string {
	switch {
	case !found:
		return fmt.Sprintf("group %s has no run; drainboard groups lists the groups", group)
	case run.State == record.Finished:
		return fmt.Sprintf("no run is under way in group %s: the last one, %s, ended at %s: %s", group, run.ID, run.Finished.Local().Format("15:04:05 on 2 Jan"), run.Result)
	}
	return ""
}

// Undriven says that nobody drives a run, since when, and what goes on with it.
func Undriven(run record.Run, heard, now time.Time) string {
	if heard.IsZero() || heard.Before(run.Seen) {
		heard = run.Seen
	}
	text := fmt.Sprintf("nobody drives the run: it is %s, and its driver was last heard from %s ago; drainboard upgrade %s goes on with it",
		run.State, max(0, now.Sub(heard)).Round(time.Second), run.Group)
	if run.State != record.Ending {
		text += ", drainboard abort " + run.Group + " puts it back"
	}
	return text
}

// WriteWaiting shows the batch that waits for approval, as the record tells.
func WriteWaiting(w io.Writer, run record.Run) {
	b, _ := run.Waiting()
	what := plural(len(b.Names), "node")
	if b.Phase != "" {
		what = "the phase " + b.Phase
	}
	fmt.Fprintf(w, "%s  %s  batch %d waits for approval: %s, as of %s\n", run.Group, run.ID, b.ID, what, cmp.Or(b.Preview.AsOf, run.Seen).Local().Format("15:04:05"))
	List(w, "Nodes:", b.Names)
	if b.Preview.Evict > 0 {
		fmt.Fprintf(w, "%s will be evicted\n", plural(b.Preview.Evict, "pod"))
	}
	List(w, "Foreseen:", b.Preview.Foreseen)
	if b.Preview.NotEvaluated != "" {
		fmt.Fprintln(w, "Nothing could be foreseen: "+b.Preview.NotEvaluated)
	}
	if run.State == record.Paused {
		fmt.Fprintln(w, "The run is paused: it takes no approval before it is resumed")
	}
}

// WriteAbort says what an abort does: what stops, what finishes, what is put back.
func WriteAbort(w io.Writer, run record.Run, driver string) {
	replaced, total := run.Outdated()
	fmt.Fprintf(w, "%s  %s  %s, %d of %d nodes replaced, as of %s\n", run.Group, run.ID, run.State, replaced, total, run.Seen.Local().Format("15:04:05"))
	if driver == "" {
		fmt.Fprintln(w, "Nobody drives this run: this process takes its lock and puts back what is to be put back")
	} else {
		fmt.Fprintln(w, "Driven by "+driver)
	}
	if rules, err := strategy.Named(run.Strategy); err == nil {
		List(w, "An abort starts nothing new, and:", assess.AbortPlan(run, rules))
	}
	List(w, NotPutBack, run.Outstanding())
}

// NotPutBack is the heading of what an unfinished run has changed: each line is what
// undoes a change.
const NotPutBack = "Not put back yet, and what would:"

// PutAside says where a record is that does not count any more, "" for nowhere.
func PutAside(where, why string) string {
	if where == "" {
		return fmt.Sprintf("the record does not count any more (%s)", why)
	}
	return fmt.Sprintf("the record was put aside as %s (%s)", where, why)
}

// Standing says what an unfinished run is, which of the flags given do not count for it,
// what was found of it, and what comes next.
func Standing(run record.Run, now time.Time, given []string, auto bool) []string {
	own := "its own settings apply"
	if len(given) > 0 {
		own += ", not " + strings.Join(given, ", ")
	}
	out := []string{fmt.Sprintf("started by %s at %s, last seen %s ago, %s", run.By, When(run.Started.Local()), now.Sub(run.Seen).Round(time.Second), run.State), own}
	if auto && run.Settings.Approve != record.ApproveNone {
		out = append(out, "nothing is asked (--auto)")
	}
	return append(out, "found: "+run.Standing(), "next: "+next(run, auto))
}

// next is what this process does first: a paused run is resumed by it.
func next(run record.Run, auto bool) string {
	if run.State == record.Paused {
		run.State = record.Running
	}
	if _, waiting := run.Waiting(); waiting && auto { // it is approved at once
		run.Batches = run.Batches[:len(run.Batches)-1]
	}
	return run.Next()
}

// WhatNext says what one does after a run that has ended; again rolls what it has left.
func WhatNext(run record.Run, again string) string {
	next := "What happened: drainboard report " + run.Group
	if run.Worst() == record.EvictionFail {
		next += "\nTo go on: free the pods, then " + again
	}
	return next
}
