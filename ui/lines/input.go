package lines

import (
	"bufio"
	"io"
	"time"
)

// inputLine is a line of the input.
type inputLine struct {
	text string
	// at is when it came, by the local clock.
	at time.Time
	// end: there will be no more.
	end bool
}

// readLines reads lines until the input ends or done is closed. It is one line ahead at
// most.
func readLines(in io.Reader, now func() time.Time, done <-chan struct{}) <-chan inputLine {
	lines := make(chan inputLine)
	go func() {
		r := bufio.NewReader(in)
		for {
			text, err := r.ReadString('\n')
			if text != "" {
				select {
				case lines <- inputLine{text: text, at: now()}:
				case <-done:
					return
				}
			}
			if err != nil {
				select {
				case lines <- inputLine{end: true}:
				case <-done:
				}
				return
			}
		}
	}()
	return lines
}
