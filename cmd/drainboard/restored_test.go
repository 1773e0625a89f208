//go:build unix

package main

import (
	"syscall"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
)

// Signals end the real program as the README says, and the terminal is as it was.
func TestSignalsRestoreTheTerminal(t *testing.T) {
	for _, c := range []struct {
		signals []syscall.Signal
		code    int
	}{
		{[]syscall.Signal{syscall.SIGTERM}, exitcode.Aborted},
		{[]syscall.Signal{syscall.SIGINT}, exitcode.Aborted},
		{[]syscall.Signal{syscall.SIGHUP}, 0}, // of a demo nothing is left to resume
	} {
		t.Run(c.signals[0].String(), func(t *testing.T) {
			t.Parallel()
			r := clitest.OpenRaw(t, "1", "demo", "--speed", "300")
			r.Shows("\x1b]9;4;1;")
			r.Shows("scale up")
			for _, s := range c.signals {
				if err := r.Cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			r.Exits(c.code)
			r.AsItWas()
		})
	}
}

// When the terminal itself goes away, the process does too.
func TestTheProgramEndsWithItsTerminal(t *testing.T) {
	t.Parallel()
	r := clitest.OpenRaw(t, "1", "demo", "--speed", "300")
	r.Shows("scale up")
	r.Tty.Close()
	r.Control.Close()
	r.Exits(0)
}
