package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine"
)

// letter is a command from elsewhere, as an object that lies there until it is
// answered: whoever drives the run finds it.
type letter struct {
	command engine.Command
	ack     *engine.Ack
	checked bool
	obeyed  int // how often events tell so
}

// Give gives a command from elsewhere. One that lies there already is found again.
func (d *Driver) Give(c engine.Command) {
	c.At = d.Sim.now
	d.letters = append(d.letters, &letter{command: c})
	d.in.Commands = append(d.in.Commands, c)
	d.wake = d.Sim.now
}

// findLetters gives the run what was not answered, as a process does that begins to
// drive it.
func (d *Driver) findLetters() {
	for _, l := range d.letters {
		if l.ack == nil {
			d.in.Commands = append(d.in.Commands, l.command)
		}
	}
}

// answer writes the answers to the letters.
func (d *Driver) answer(acks []engine.Ack) {
	for _, ack := range acks {
		for _, l := range d.letters {
			if l.command.ID == ack.ID && l.ack == nil {
				l.ack = &ack
			}
		}
	}
}

// obeys reports whether one of the answers says that a command was obeyed.
func obeys(acks []engine.Ack) bool {
	for _, ack := range acks {
		if ack.Obeyed {
			return true
		}
	}
	return false
}

// checkLetters sees that no command from elsewhere was obeyed twice, by however many
// processes (events name it where its sender is named after it), and that none is said to be obeyed that the record does not know of.
func (d *Driver) checkLetters() {
	for _, l := range d.letters {
		if l.checked || l.ack == nil || !l.ack.Obeyed {
			continue
		}
		l.checked = true
		if !slices.ContainsFunc(d.saved.Taken, func(a engine.Ack) bool { return a.ID == l.command.ID }) {
			d.breaks("from elsewhere: %s was answered before the record knows of it", l.command.ID)
		}
	}
	for _, e := range d.Events[d.heard:] {
		switch e.Type {
		case engine.RunPaused, engine.RunResumed, engine.RunAborting, engine.BatchApproved:
			for _, l := range d.letters {
				if by := l.command.By; !e.Elsewhere || by != l.command.ID+"@ops" || !strings.Contains(e.Message, " "+by) {
					continue
				}
				if l.obeyed++; l.obeyed > 1 {
					d.breaks("from elsewhere: %s of %s was obeyed twice", l.command.Kind, l.command.By)
				}
			}
		}
	}
	d.heard = len(d.Events)
}

// answers lists the letters and what became of them.
func (c *Script) answers() string {
	var out strings.Builder
	for _, l := range c.Driver.letters {
		switch {
		case l.ack == nil:
			fmt.Fprintf(&out, "%s: no answer\n", l.command.ID)
		case l.ack.Obeyed:
			fmt.Fprintf(&out, "%s: obeyed: %s\n", l.command.ID, l.ack.Words)
		default:
			fmt.Fprintf(&out, "%s: refused: %s\n", l.command.ID, l.ack.Words)
		}
	}
	return out.String()
}
