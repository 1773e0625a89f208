package driver

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
)

// member connects the upgrade of one group to its roll; without a roll it has only the
// upgrade's own end.
type member struct {
	group  string // its name in the roll
	roll   string
	tell   func([]record.Event) // of --auto; nil without
	before []record.Event       // what the log begins with
	// shared drives the loop behind the dashboard that all groups share; nil without one.
	shared func(context.Context, *live.Loop, record.Run, *operator) (record.Run, error)
	// last is the run's last state.
	last record.Run

	mu             sync.Mutex
	begun, stopped bool
	cancel         context.CancelFunc
}

// begin reports whether the run may be driven: from then on it ends by itself.
func (m *member) begin() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begun = !m.stopped
	return m.begun
}

// stop ends an upgrade that has not begun.
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

// deferredOutput keeps a group's output while there is a dashboard. Its run, its hooks and
// the clock write concurrently.
type deferredOutput struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (a *deferredOutput) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.Write(p)
}

// tell writes the kept output.
func (a *deferredOutput) tell(w io.Writer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = a.text.WriteTo(w)
}
