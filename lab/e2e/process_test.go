package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// How long a story waits for one event, and for the end. Both are far above what
// is ever needed: the machine may be busy with other things, and then it happens that
// the disruption controller takes a StatefulSet's new pod for the evicted one of the
// same name, and lets no other go for two minutes (DeletionTimeout).
const (
	patience    = 180 * time.Second
	endPatience = 7 * time.Minute
)

// process is one drainboard: what it was told, what it said, how it ended.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has ended and all it said is read

	mu     sync.Mutex
	events []Event
	lines  []string      // of stdout
	news   chan struct{} // closed, and made again, with every line
	stderr bytes.Buffer
}

// launch starts drainboard with these arguments in the scene's environment.
// Output that is JSON events is read as such while it comes.
func (s *scene) launch(args ...string) *process {
	s.t.Helper()
	p := &process{t: s.t, cmd: exec.Command(program, args...), ended: make(chan struct{}), news: make(chan struct{})}
	p.cmd.Env = s.env()
	p.cmd.SysProcAttr = childAttributes()
	p.cmd.Stderr = lockedWriter{&p.mu, &p.stderr}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	driving := slices.ContainsFunc([]string{"upgrade", "retire", "watch"}, func(command string) bool { return slices.Contains(args, command) })
	jsonEvents := driving && slices.Contains(args, "json") && !slices.Contains(args, "--dry-run")
	go func() {
		defer close(p.ended)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadString('\n')
			if line != "" {
				p.take(strings.TrimSuffix(line, "\n"), jsonEvents)
			}
			if err != nil {
				break
			}
		}
		_ = p.cmd.Wait()
	}()
	s.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
		if s.t.Failed() {
			s.t.Logf("drainboard %s\n%s", strings.Join(args, " "), p.tail())
		}
	})
	return p
}

func (p *process) take(line string, jsonEvents bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, line)
	if jsonEvents && !strings.Contains(line, `"kind":"Exit"`) { // which is the last, where there is one
		e, err := parseEvent(line)
		if err != nil {
			p.t.Errorf("%v: %s", err, line)
		}
		p.events = append(p.events, e)
	}
	close(p.news)
	p.news = make(chan struct{})
}

// await waits for an event of a type that satisfies all conditions; one that has
// been before counts.
func (p *process) await(kind string, conditions ...func(Event) bool) Event {
	p.t.Helper()
	e, ok := p.within(patience, kind, conditions...)
	if !ok {
		p.t.Fatalf("no event %s came", kind)
	}
	return e
}

// within is await with a time of its own; false if the event did not come.
func (p *process) within(limit time.Duration, kind string, conditions ...func(Event) bool) (Event, bool) {
	deadline := time.After(limit)
	for {
		p.mu.Lock()
		news := p.news
		p.mu.Unlock()
		over := false
		select {
		case <-p.ended:
			over = true
		default:
		}
		if found := p.all(kind, conditions...); len(found) > 0 {
			return found[0], true
		}
		if over {
			return Event{}, false
		}
		select {
		case <-news:
		case <-p.ended:
		case <-deadline:
			return Event{}, false
		}
	}
}

// all are the events of a type that satisfy all conditions, so far.
func (p *process) all(kind string, conditions ...func(Event) bool) []Event {
	var found []Event
	for _, e := range p.said() {
		if e.Type == kind && !slices.ContainsFunc(conditions, func(is func(Event) bool) bool { return !is(e) }) {
			found = append(found, e)
		}
	}
	return found
}

// said are all events so far.
func (p *process) said() []Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.events)
}

// signal sends a signal: SIGINT aborts, SIGKILL is a crash.
func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// crash kills the process and waits until it is gone.
func (p *process) crash() {
	p.t.Helper()
	p.signal(syscall.SIGKILL)
	<-p.ended
}

// exits waits for the end and checks the exit code.
func (p *process) exits(code int) *process {
	p.t.Helper()
	return p.exitsWithin(endPatience, code)
}

// exitsWithin is exits with a time of its own.
func (p *process) exitsWithin(limit time.Duration, code int) *process {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(limit):
		p.t.Fatalf("it did not end within %s", limit)
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Fatalf("exit code %d, want %d", got, code)
	}
	return p
}

// out is its standard output, errOut what it wrote to stderr.
func (p *process) out() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

func (p *process) errOut() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}

// says checks that stderr contains each of the texts.
func (p *process) says(texts ...string) *process {
	p.t.Helper()
	got := p.errOut()
	for _, text := range texts {
		if !strings.Contains(got, text) {
			p.t.Errorf("stderr does not say %q:\n%s", text, got)
		}
	}
	return p
}

// tells waits until it has told each of the texts, in this order.
func (p *process) tells(texts ...string) *process {
	p.t.Helper()
	late := time.After(patience)
	for {
		p.mu.Lock()
		rest, news := strings.Join(p.lines, "\n"), p.news
		p.mu.Unlock()
		missing := ""
		for _, text := range texts {
			_, after, found := strings.Cut(rest, text)
			if !found {
				missing = text
				break
			}
			rest = after
		}
		if missing == "" {
			return p
		}
		select {
		case <-news:
		case <-p.ended:
			p.t.Fatalf("it ended and has not told %q", missing)
		case <-late:
			p.t.Fatalf("%q was not told", missing)
		}
	}
}

// tail is the end of what it said, for the message of a failed test.
func (p *process) tail() string {
	var b strings.Builder
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := p.lines
	if more := len(lines) - 60; more > 0 {
		fmt.Fprintf(&b, "  ... %d lines before\n", more)
		lines = lines[more:]
	}
	for _, line := range lines {
		if e, err := parseEvent(line); err == nil {
			line = e.String()
		}
		b.WriteString("  " + line + "\n")
	}
	fmt.Fprintf(&b, "  stderr: %s\n  lab: %s", strings.ReplaceAll(p.stderr.String(), "\n", "\n    "), shared.Dir())
	return b.String()
}

// lockedWriter writes under a lock that its reader takes, too.
type lockedWriter struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// environment is this process's without what would lead drainboard elsewhere.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return strings.HasPrefix(name, "AWS_") || strings.HasPrefix(name, "XDG_") || name == "KUBECONFIG" || name == "HOME" || name == "NO_COLOR" || name == "TERM"
	})
}
