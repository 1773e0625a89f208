package term

import (
	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/themes"
)

// Appearance is what may change of the look while a dashboard is open.
type Appearance struct {
	// Theme is the look; the zero value chooses one that fits the terminal.
	Theme themes.Theme
	// Mark is a word for the header that says where one is, as "PRODUCTION"; "" is none.
	Mark string
	// Silent sends no notification to the terminal when the window is not in focus.
	Silent bool
	// Problem says what is wrong with what the operator wrote about it, until it is
	// mended; "" if nothing is.
	Problem string
}

// AppearanceMsg is a new look.
type AppearanceMsg struct{ Appearance }

// sendAppearances sends new appearances to the program, until done.
func sendAppearances(p *tea.Program, looks <-chan Appearance, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case a, ok := <-looks:
			if !ok {
				return
			}
			p.Send(AppearanceMsg{a})
		}
	}
}
