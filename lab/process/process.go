// Package process runs the programs of a lab: each can be stopped, killed, frozen and started
// again, and none outlives the lab.
package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// stopGrace is how long a process may take to end after SIGTERM before it is
// killed. Nothing in the lab needs an orderly end, so it is short.
const stopGrace = time.Second

// A Process is one component of the control plane, a child of this process. It
// dies with its parent, whatever way the parent ends (on Linux), and belongs to
// a process group of its own, so that Ctrl-C in a terminal reaches the lab first
// and the lab ends its children in order.
type Process struct {
	Name string
	Log  string // file that its output is appended to

	command []string // program and arguments

	mu   sync.Mutex
	cmd  *exec.Cmd     // nil while stopped
	done chan struct{} // closed when cmd has ended
	err  error         // how it ended; read after done
}

// New is a process of a program with its arguments, which is not started.
func New(name, log string, command ...string) *Process {
	return &Process{Name: name, Log: log, command: command}
}

// Start starts the process if it is not running.
func (p *Process) Start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		select {
		case <-p.done: // it ended by itself
		default:
			return nil
		}
	}
	out, err := os.OpenFile(p.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.Command(p.command[0], p.command[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Dir = filepath.Dir(p.Log)
	cmd.Env = []string{"HOME=" + cmd.Dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	cmd.SysProcAttr = childAttributes()
	done, started := make(chan struct{}), make(chan error)
	go func() {
		// The kernel delivers the parent-death signal when the thread that
		// started the child ends, not the process: keep the thread until then.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer out.Close()
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		p.err = cmd.Wait()
		close(done)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	p.cmd, p.done = cmd, done
	return nil
}

// Stop ends the process and waits until it is gone: SIGTERM, then SIGKILL after
// a few seconds.
func (p *Process) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(stopGrace):
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.done
	}
	p.cmd = nil
}

// Kill ends the process at once, as a crash does, and waits until it is gone.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
	p.cmd = nil
}

// Freeze stops the process without ending it (SIGSTOP): connections stay open
// and nothing answers, as behind a network that swallows packets. Thaw ends it.
func (p *Process) Freeze() error { return p.signal(syscall.SIGSTOP) }

// Thaw lets a frozen process continue.
func (p *Process) Thaw() error { return p.signal(syscall.SIGCONT) }

func (p *Process) signal(s syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return fmt.Errorf("%s is not running", p.Name)
	}
	return p.cmd.Process.Signal(s)
}

// PID is the process id, 0 while the process is stopped.
func (p *Process) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// Alive reports an error, with the end of the log, if the process has ended.
func (p *Process) Alive() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return fmt.Errorf("%s is not running", p.Name)
	}
	select {
	case <-p.done:
		return fmt.Errorf("%s ended (%v); the end of %s:\n%s", p.Name, p.err, p.Log, p.Tail(15))
	default:
		return nil
	}
}

// Tail is the last lines of the log, or why it cannot be read, for error messages.
func (p *Process) Tail(lines int) []byte {
	data, err := os.ReadFile(p.Log)
	if err != nil {
		return []byte(err.Error())
	}
	all := bytes.Split(bytes.TrimRight(data, "\n"), []byte("\n"))
	return bytes.Join(all[max(0, len(all)-lines):], []byte("\n"))
}
