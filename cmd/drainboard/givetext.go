package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/providers/kube"
)

// verdict is what became of a command.
type verdict struct {
	Answered bool      `json:"answered"`
	Obeyed   bool      `json:"obeyed"`
	By       string    `json:"by,omitempty"` // who drives the run
	At       time.Time `json:"at,omitzero"`
	Words    string    `json:"answer"`
}

func verdictOf(a kube.Answer) verdict {
	return verdict{Answered: true, Obeyed: a.Obeyed, By: a.By, At: a.At, Words: a.Words}
}

// say prints a verdict; as an error it is the exit code of one that is not "obeyed".
func (o *order) say(v verdict) error {
	if o.json {
		enc := json.NewEncoder(o.app.out)
		if err := enc.Encode(struct {
			Command engine.CommandKind `json:"command"`
			Group   string             `json:"group"`
			Run     string             `json:"run"`
			Batch   int                `json:"batch,omitempty"`
			Hash    string             `json:"hash,omitempty"`
			verdict
		}{o.kind, o.group, o.run.ID, o.batch, o.hash, v}); err != nil {
			return err
		}
		if v.Obeyed {
			return nil
		}
		return &exitError{exitFailed, errors.New("")}
	}
	switch {
	case v.Obeyed:
		fmt.Fprintf(o.app.out, "%s: %s obeyed by %s: %s\n", o.run.ID, o.kind, v.By, v.Words)
		if o.kind == engine.CmdAbort {
			fmt.Fprintf(o.app.out, "drainboard status %s tells how it ends, drainboard watch %s shows it\n", o.group, o.group)
		}
		return nil
	case v.Answered && o.kind == engine.CmdApprove:
		v.Words += "; drainboard approve " + o.group + " shows what waits now"
		fallthrough
	case v.Answered:
		return &exitError{exitFailed, fmt.Errorf("%s: refused by %s: %s", o.run.ID, v.By, v.Words)}
	}
	return &exitError{exitFailed, fmt.Errorf("%s: %s: %s", o.run.ID, o.kind, v.Words)}
}

// noRun says why there is no run to give a command to, "" if there is one.
func noRun(group string, run engine.Run, found bool) string {
	switch {
	case !found:
		return fmt.Sprintf("group %s has no run; drainboard groups lists the groups", group)
	case run.State == engine.Finished:
		return fmt.Sprintf("no run is under way in group %s: the last one, %s, ended at %s: %s", group, run.ID, run.Finished.Local().Format("15:04:05 on 2 Jan"), run.Result)
	}
	return ""
}

// undriven says that nobody drives a run, since when, and what goes on with it.
func undriven(run engine.Run, heard, now time.Time) string {
	if heard.IsZero() || heard.Before(run.Seen) {
		heard = run.Seen
	}
	text := fmt.Sprintf("nobody drives the run: it is %s, and its driver was last heard from %s ago; drainboard upgrade %s goes on with it",
		run.State, max(0, now.Sub(heard)).Round(time.Second), run.Group)
	if run.State != engine.Ending {
		text += ", drainboard abort " + run.Group + " puts it back"
	}
	return text
}

// afterwards says what may still become of a command that was not answered. back is why it
// was not taken back, nil if it was; over is when it is over.
func (o *order) afterwards(back error, over, now time.Time) string {
	var heard *kube.HeardError
	obeyed := "it may still be obeyed until " + over.Local().Format("15:04:05")
	if !now.Before(over) {
		obeyed = "it may have been obeyed"
	}
	look := fmt.Sprintf(": drainboard status %s tells", o.group)
	switch {
	case back == nil:
		return "it was taken back"
	case errors.Is(back, kube.ErrRemoved):
		return "if the driver had heard it, it may have been obeyed" + look
	case errors.As(back, &heard):
		return heard.Error() + ", so it cannot be taken back; " + obeyed + look
	}
	return fmt.Sprintf("it could not be taken back (%s); %s%s", back, obeyed, look)
}

// writeWaiting shows the batch that waits for approval, as the record tells.
func writeWaiting(w io.Writer, run engine.Run) {
	b, _ := run.Waiting()
	what := plural(len(b.Names), "node")
	if b.Phase != "" {
		what = "the phase " + b.Phase
	}
	fmt.Fprintf(w, "%s  %s  batch %d waits for approval: %s, as of %s\n", run.Group, run.ID, b.ID, what, cmp.Or(b.Preview.AsOf, run.Seen).Local().Format("15:04:05"))
	list(w, "Nodes:", b.Names)
	if b.Preview.Evict > 0 {
		fmt.Fprintf(w, "%s will be evicted\n", plural(b.Preview.Evict, "pod"))
	}
	list(w, "Foreseen:", b.Preview.Foreseen)
	if b.Preview.NotEvaluated != "" {
		fmt.Fprintln(w, "Nothing could be foreseen: "+b.Preview.NotEvaluated)
	}
	if run.State == engine.Paused {
		fmt.Fprintln(w, "The run is paused: it takes no approval before it is resumed")
	}
}

// writeAbort says what an abort does: what stops, what finishes, what is put back.
func writeAbort(w io.Writer, run engine.Run, driver string) {
	replaced, total := run.Outdated()
	fmt.Fprintf(w, "%s  %s  %s, %d of %d nodes replaced, as of %s\n", run.Group, run.ID, run.State, replaced, total, run.Seen.Local().Format("15:04:05"))
	if driver == "" {
		fmt.Fprintln(w, "Nobody drives this run: this process takes its lock and puts back what is to be put back")
	} else {
		fmt.Fprintln(w, "Driven by "+driver)
	}
	if rules, err := strategy.Named(run.Strategy); err == nil {
		list(w, "An abort starts nothing new, and:", run.AbortPlan(rules))
	}
	list(w, notPutBack, run.Outstanding())
}

// notPutBack is the heading of what an unfinished run has changed: each line is what
// undoes a change.
const notPutBack = "Not put back yet, and what would:"

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
