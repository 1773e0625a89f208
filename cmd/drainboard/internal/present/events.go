package present

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/record"
)

// Printer writes events to a stream, one per line.
type Printer struct {
	mu     sync.Mutex
	w      io.Writer
	json   bool
	groups bool // see newPrinter
}

// NewPrinter writes events as text or JSON. groups: there are several, and each line of
// text names its group.
func NewPrinter(w io.Writer, json, groups bool) *Printer {
	return &Printer{w: w, json: json, groups: groups}
}

func (p *Printer) Events(list []record.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range list {
		if p.json {
			_, _ = p.w.Write(api.Marshal(api.EventOf(e))) // at once, because each write must hold whole characters
			continue
		}
		fmt.Fprintln(p.w, p.line(e))
	}
}

// line returns an event as text: time, type, subject, message.
func (p *Printer) line(e record.Event) string {
	var about []string
	if p.groups && e.Group != "" {
		about = append(about, e.Group)
	}
	for _, s := range []string{e.Node, e.Pod} {
		if s != "" {
			about = append(about, s)
		}
	}
	line := fmt.Sprintf("%s  %-16s", e.Time.Local().Format("15:04:05"), e.Type)
	if len(about) > 0 {
		line += "  " + strings.Join(about, " ")
	}
	if e.Message != "" {
		line += "  " + e.Message
	}
	if e.Budget != "" && !strings.Contains(e.Message, e.Budget) {
		line += " (" + e.Budget + ")"
	}
	return line
}
