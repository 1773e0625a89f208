package drive

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// RemoteCommand is a command from elsewhere, as an object that lies there until it is
// answered: the process that drives the run finds it.
type RemoteCommand struct {
	// Command is what is asked for, Ack the answer, nil before there is one.
	Command  record.Command
	Ack      *record.Ack
	checked  bool
	accepted int // how often events tell so
}

// SendRemote gives a command from elsewhere, which its sender wrote some time ago. One that lies
// there already is found again.
func (d *Driver) SendRemote(c record.Command, ago time.Duration) {
	c.At = d.Sim.Now().Add(-ago)
	d.Remote = append(d.Remote, &RemoteCommand{Command: c})
	d.Inputs.Commands = append(d.Inputs.Commands, c)
	d.wake = d.Sim.Now()
}

// findRemote gives the run what was not answered, as a process does that begins to
// drive it.
func (d *Driver) findRemote() {
	for _, l := range d.Remote {
		if l.Ack == nil {
			d.Inputs.Commands = append(d.Inputs.Commands, l.Command)
		}
	}
}

// answer writes the answers to the commands.
func (d *Driver) answer(acks []record.Ack) {
	for _, ack := range acks {
		for _, l := range d.Remote {
			if l.Command.ID == ack.ID && l.Ack == nil {
				l.Ack = &ack
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
	for _, l := range d.Remote {
		if l.checked || l.Ack == nil || !l.Ack.Accepted {
			continue
		}
		l.checked = true
		if !slices.ContainsFunc(d.Saved.HandledCommands, func(a record.Ack) bool { return a.ID == l.Command.ID }) {
			d.Breaks("from elsewhere: %s was answered before the record knows of it", l.Command.ID)
		}
	}
	for _, e := range d.Events[d.heard:] {
		switch e.Type {
		case record.RunPaused, record.RunResumed, record.RunAborting, record.BatchApproved:
			for _, l := range d.Remote {
				by := l.Command.By
				if !e.Remote || by != l.Command.ID+"@ops" || !strings.Contains(e.Message, " "+by) {
					continue
				}
				if says := strings.Contains(e.Message, "says it is "+by); says != l.Command.Claimed {
					d.Breaks("from elsewhere: of %s, given with claimed=%v, it is told: %s", by, l.Command.Claimed, e.Message)
				}
				if l.accepted++; l.accepted > 1 {
					d.Breaks("from elsewhere: %s of %s was obeyed twice", l.Command.Kind, l.Command.By)
				}
			}
		}
	}
	d.heard = len(d.Events)
}
