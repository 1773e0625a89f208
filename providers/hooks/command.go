package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
)

const (
	// mercy is how long a command that was asked to end may take before it is killed.
	mercy = 2 * time.Second
	// leftovers is how long the output of what has left the command's group is waited for.
	leftovers = time.Second
	// keepOutput is how much of a command's output is kept, its end, for messages.
	keepOutput = 2048
)

// command runs a hook's command: with the message as JSON on its standard input and in
// its environment, in a session and process group of its own, which ends with it. What
// it prints is seen by nobody but, its end, in the error.
func (h *Hook) command(ctx context.Context, m Message) error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	cmd := exec.Command(h.Run[0], h.Run[1:]...)
	cmd.Env = append(h.environ(os.Environ()), m.Env()...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(m.json()), write, write
	cmd.WaitDelay = leftovers // for a standard input that nobody reads
	apart(cmd)
	err = cmd.Start()
	write.Close()
	if err != nil {
		return err
	}
	out := &tail{}
	drained := make(chan struct{})
	go live.Guarded(func() {
		defer close(drained)
		_, _ = io.Copy(out, read)
	}, nil)() // what it prints is only for messages
	ended := make(chan error, 1)
	go func() { ended <- live.Caught(cmd.Wait) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		endGroup(cmd, false)
		select {
		case err = <-ended:
		case <-time.After(mercy):
			endGroup(cmd, true)
			err = <-ended
		}
	}
	endGroup(cmd, true) // what it has left behind
	select {
	case <-drained:
	case <-time.After(leftovers): // a process has left the group and holds the pipe
	}
	if ctx.Err() != nil {
		return h.withOutput(context.Cause(ctx), out)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it succeeded and has not read what it was told
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = errors.New(exitText(exit))
	}
	if err != nil {
		return h.withOutput(err, out)
	}
	return nil
}

// exitText is how a process ended: "exit code 3", or "signal: killed".
func exitText(e *exec.ExitError) string {
	if code := e.ExitCode(); code >= 0 {
		return fmt.Sprintf("exit code %d", code)
	}
	return e.String()
}

// withOutput adds the end of what a command printed to its error, without its arguments.
func (h *Hook) withOutput(err error, out *tail) error {
	if last := h.withoutArguments(out.String()); last != "" {
		return fmt.Errorf("%w: %s", err, last)
	}
	return err
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
	cut  bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - keepOutput; over > 0 {
		t.kept, t.cut = append([]byte(nil), t.kept[over:]...), true
	}
	return len(b), nil
}

// maxShown is how much of a command's output an error shows.
const maxShown = 300

// String is the end as one clean line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := []rune(strings.Join(strings.Fields(world.Clean(string(t.kept))), " "))
	if over := len(text) - maxShown; over > 0 || t.cut {
		return "... " + strings.TrimSpace(string(text[max(0, over):]))
	}
	return string(text)
}
