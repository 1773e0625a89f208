package ui

import (
	"bufio"
	"io"
	"time"
)

// typed is a line of the input.
type typed struct {
	text string
	// at is when it came, by the local clock.
	at time.Time
	// end: there will be no more.
	end bool
}

// listen reads lines until the input ends or done is closed. It is one line ahead at
// most.
func listen(in io.Reader, now func() time.Time, done <-chan struct{}) <-chan typed {
	lines := make(chan typed)
	go func() {
		r := bufio.NewReader(in)
		for {
			text, err := r.ReadString('\n')
			if text != "" {
				select {
				case lines <- typed{text: text, at: now()}:
				case <-done:
					return
				}
			}
			if err != nil {
				select {
				case lines <- typed{end: true}:
				case <-done:
				}
				return
			}
		}
	}()
	return lines
}
