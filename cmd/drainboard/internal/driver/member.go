package driver

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
)

// member is what the upgrade of one group has of the roll that it is part of; that of no roll has
// nothing but its own end.
type member struct {
	group  string // as the roll has it
	roll   string
	tell   func([]record.Event) // of --auto; nil without
	before []record.Event       // what the log begins with
	// shared drives the loop behind the screen that all groups share; nil without one.
	shared func(context.Context, *live.Loop, record.Run, *operator) (record.Run, error)
	// last is the run as it was left.
	last record.Run

	mu             sync.Mutex
	begun, stopped bool
	cancel         context.CancelFunc
}

// begin reports whether the run may be driven: from then on it comes to its own end.
func (m *member) begin() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begun = !m.stopped
	return m.begun
}

// stop ends what has not begun.
func (m *member) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped = true; !m.begun {
		m.cancel()
	}
}

// unbegun reports whether it was stopped before it began.
func (m *member) unbegun() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stopped && !m.begun
}

// deferredOutput keeps what a group has to say as long as there is a screen: its run says it, its
// hooks and the clock do, at the same time.
type deferredOutput struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (a *deferredOutput) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.Write(p)
}

// tell says what was kept.
func (a *deferredOutput) tell(w io.Writer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = a.text.WriteTo(w)
}
