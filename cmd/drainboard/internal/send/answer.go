package send

import (
	"errors"
	"fmt"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube/commands"
)

// verdict is the result of a command.
type verdict struct {
	Answered bool
	Obeyed   bool
	By       string // who drives the run
	At       time.Time
	Words    string
}

func verdictOf(a commands.Answer) verdict {
	return verdict{Answered: true, Obeyed: a.Obeyed, By: a.By, At: a.At, Words: a.Words}
}

// say prints a verdict, and returns it as an error with an exit code unless it is "obeyed".
func (o *Order) say(v verdict) error {
	if o.JSON {
		if err := present.JSON(o.Out, api.CommandResult{
			Command: string(o.Kind), Group: o.Group, Run: o.run.ID, Batch: o.Batch, Hash: o.Hash,
			Answered: v.Answered, Accepted: v.Obeyed, Driver: v.By, AnsweredAt: v.At, Message: v.Words,
		}); err != nil {
			return err
		}
		if v.Obeyed {
			return nil
		}
		return exitcode.Told(exitcode.Failed, errors.New(""))
	}
	switch {
	case v.Obeyed:
		fmt.Fprintf(o.Out, "%s: %s accepted by %s: %s\n", o.run.ID, o.Kind, v.By, v.Words)
		if o.Kind == record.CmdAbort {
			fmt.Fprintf(o.Out, "drainboard status %s shows how it ends, drainboard watch %s follows it\n", o.Group, o.Group)
		}
		return nil
	case v.Answered && o.Kind == record.CmdApprove:
		v.Words += "; drainboard approve " + o.Group + " shows the batch that waits now"
		fallthrough
	case v.Answered:
		return exitcode.With(exitcode.Failed, fmt.Errorf("%s: refused by %s: %s", o.run.ID, v.By, v.Words))
	}
	return exitcode.With(exitcode.Failed, fmt.Errorf("%s: %s: %s", o.run.ID, o.Kind, v.Words))
}

// afterwards returns what may still happen to a command without an answer. back is why it
// was not withdrawn, nil if it was; over is its expiry.
func (o *Order) afterwards(back error, over, now time.Time) string {
	var heard *commands.HeardError
	obeyed := "it may still be executed until " + over.Local().Format("15:04:05")
	if !now.Before(over) {
		obeyed = "it may have been executed"
	}
	check := fmt.Sprintf(" (check with drainboard status %s)", o.Group)
	switch {
	case back == nil:
		return "it was withdrawn"
	case errors.Is(back, commands.ErrRemoved):
		return "if the driver had received it, it may have been executed" + check
	case errors.As(back, &heard):
		return heard.Error() + ", so it cannot be withdrawn; " + obeyed + check
	}
	return fmt.Sprintf("it could not be withdrawn (%s); %s%s", back, obeyed, check)
}
