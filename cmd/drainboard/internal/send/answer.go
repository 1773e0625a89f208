package send

import (
	"errors"
	"fmt"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
)

// verdict is what became of a command.
type verdict struct {
	Answered bool
	Obeyed   bool
	By       string // who drives the run
	At       time.Time
	Words    string
}

func verdictOf(a kube.Answer) verdict {
	return verdict{Answered: true, Obeyed: a.Obeyed, By: a.By, At: a.At, Words: a.Words}
}

// say prints a verdict; as an error it is the exit code of one that is not "obeyed".
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
		fmt.Fprintf(o.Out, "%s: %s obeyed by %s: %s\n", o.run.ID, o.Kind, v.By, v.Words)
		if o.Kind == record.CmdAbort {
			fmt.Fprintf(o.Out, "drainboard status %s tells how it ends, drainboard watch %s shows it\n", o.Group, o.Group)
		}
		return nil
	case v.Answered && o.Kind == record.CmdApprove:
		v.Words += "; drainboard approve " + o.Group + " shows what waits now"
		fallthrough
	case v.Answered:
		return exitcode.With(exitcode.Failed, fmt.Errorf("%s: refused by %s: %s", o.run.ID, v.By, v.Words))
	}
	return exitcode.With(exitcode.Failed, fmt.Errorf("%s: %s: %s", o.run.ID, o.Kind, v.Words))
}

// afterwards says what may still become of a command that was not answered. back is why it
// was not taken back, nil if it was; over is when it is over.
func (o *Order) afterwards(back error, over, now time.Time) string {
	var heard *kube.HeardError
	obeyed := "it may still be obeyed until " + over.Local().Format("15:04:05")
	if !now.Before(over) {
		obeyed = "it may have been obeyed"
	}
	look := fmt.Sprintf(": drainboard status %s tells", o.Group)
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
