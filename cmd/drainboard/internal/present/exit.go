package present

import (
	"io"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
)

// exits are the words for exit codes, those of a run's end as its result.
var exits = map[int]string{
	exitcode.Failed: string(record.Failed), exitcode.WrongUse: "wrong-use", exitcode.Aborted: string(record.Aborted), exitcode.Held: "held",
	exitcode.Paused: "paused", exitcode.Unreachable: "unreachable", exitcode.Denied: "denied",
}

// ExitOf is the exit of a process for programs.
func ExitOf(code int, message string) api.Exit {
	word := exits[code]
	for _, result := range []record.Result{record.EvictionFail, record.CreationFail, record.InvalidFail, record.NodesLeft} {
		if code == result.ExitCode() {
			word = api.Word(string(result))
		}
	}
	return api.Exit{Result: word, ExitCode: code, Message: message}
}

// WriteExit writes the exit of a process on one line, as events are.
func WriteExit(w io.Writer, code int, message string) error {
	_, err := w.Write(api.Marshal(ExitOf(code, message)))
	return err
}
