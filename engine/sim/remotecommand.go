package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// remoteCommand is a command from elsewhere, as an object that lies there until it is
// answered: the process that drives the run finds it.
type remoteCommand struct {
	command  record.Command
	ack      *record.Ack
	checked  bool
	accepted int // how often events tell so
}

// SendRemote gives a command from elsewhere, which its sender wrote some time ago. One that lies
// there already is found again.
func (d *Driver) SendRemote(c record.Command, ago time.Duration) {
	c.At = d.Sim.now.Add(-ago)
	d.remote = append(d.remote, &remoteCommand{command: c})
	d.in.Commands = append(d.in.Commands, c)
	d.wake = d.Sim.now
}

// findRemote gives the run what was not answered, as a process does that begins to
// drive it.
func (d *Driver) findRemote() {
	for _, l := range d.remote {
		if l.ack == nil {
			d.in.Commands = append(d.in.Commands, l.command)
		}
	}
}

// answer writes the answers to the commands.
func (d *Driver) answer(acks []record.Ack) {
	for _, ack := range acks {
		for _, l := range d.remote {
			if l.command.ID == ack.ID && l.ack == nil {
				l.ack = &ack
			}
		}
	}
}

// obeys reports whether one of the answers says that a command was obeyed.
func obeys(acks []record.Ack) bool {
	for _, ack := range acks {
		if ack.Accepted {
			return true
		}
	}
	return false
}

// checkRemote sees that no command from elsewhere was obeyed twice, by however many
// processes (events name it where its sender is named after it, and say where nothing but its
// own word tells who that is), and that none is said to be obeyed that the record does not
// know of.
func (d *Driver) checkRemote() {
	for _, l := range d.remote {
		if l.checked || l.ack == nil || !l.ack.Accepted {
			continue
		}
		l.checked = true
		if !slices.ContainsFunc(d.saved.HandledCommands, func(a record.Ack) bool { return a.ID == l.command.ID }) {
			d.breaks("from elsewhere: %s was answered before the record knows of it", l.command.ID)
		}
	}
	for _, e := range d.Events[d.heard:] {
		switch e.Type {
		case record.RunPaused, record.RunResumed, record.RunAborting, record.BatchApproved:
			for _, l := range d.remote {
				by := l.command.By
				if !e.Remote || by != l.command.ID+"@ops" || !strings.Contains(e.Message, " "+by) {
					continue
				}
				if says := strings.Contains(e.Message, "says it is "+by); says != l.command.Claimed {
					d.breaks("from elsewhere: of %s, given with claimed=%v, it is told: %s", by, l.command.Claimed, e.Message)
				}
				if l.accepted++; l.accepted > 1 {
					d.breaks("from elsewhere: %s of %s was obeyed twice", l.command.Kind, l.command.By)
				}
			}
		}
	}
	d.heard = len(d.Events)
}

// answers lists the commands from elsewhere and what became of them.
func (c *Script) answers() string {
	var out strings.Builder
	for _, l := range c.Driver.remote {
		switch {
		case l.ack == nil:
			fmt.Fprintf(&out, "%s: no answer\n", l.command.ID)
		case l.ack.Accepted:
			fmt.Fprintf(&out, "%s: obeyed: %s\n", l.command.ID, l.ack.Answer)
		default:
			fmt.Fprintf(&out, "%s: refused: %s\n", l.command.ID, l.ack.Answer)
		}
	}
	return out.String()
}
