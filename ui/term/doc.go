// Package term is the terminal itself: what is known of it before and after it is asked,
// and what it receives beside a frame.
//
//	base.go        Screen: size, colours and appearance, for every full-screen program
//	appearance.go  a theme, a mark and a silence that may change while a program runs
//	program.go     a Bubble Tea program with the terminal to itself, and its restoring
//	colours.go     how many colours, light or dark, NO_COLOR
//	tty.go         which terminal, and which multiplexer (tmux, screen) before it
//	notify.go      desktop notifications: OSC 9, OSC 99, OSC 777 or the bell
//	stderr_*.go    what is written to stderr while the screen is up
package term
