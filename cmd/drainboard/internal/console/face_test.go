//go:build unix

package console

import (
	"bytes"
	"io"
	"syscall"
	"testing"
)

// closed is an output that nobody reads any more.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestLasting(t *testing.T) {
	var then bytes.Buffer
	l := &lasting{to: closed{}, then: &then}
	for _, text := range []string{"one\n", "two\n"} {
		if n, err := io.WriteString(l, text); n != 4 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if got, want := then.String(), "drainboard: the output is closed; continued here\none\ntwo\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
