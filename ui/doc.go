// Package ui is the board, the full-screen dashboard: one Bubble Tea model that renders
// engine snapshots and turns keys into engine commands. It knows nothing of providers and
// sends no request; what it shows is in the last snapshot. Only a pod's log is asked for (Options.Log).
//
// The packages around it:
//
//	ui           the board: model, panes, dialogs
//	ui/lines     the same run and the same questions in plain lines, without a screen
//	ui/picker    choosing a group, on a screen or in lines
//	ui/scene     a snapshot read with a clock: names, countdowns, and what it says in words
//	ui/news      what wants a person, and whether the terminal tells of it
//	ui/glance    the whole group: a strip of nodes, the pace, the timeline
//	ui/table     a node in a line: columns, headings, orders
//	ui/term      the terminal: size, colours, multiplexers, notifications, stderr
//	ui/style     looks of text: pens and glyphs of a theme, lines, frames, formats
//	ui/uitest    fixtures for the tests of all of these
//
// Imports point down this list: lines → ui → news, glance → table → scene and term → style.
//
// # A message, a frame
//
// Update (model.go) takes one message and changes the model. If something changed it fits
// the panes (fit in screen.go): it divides the screen (plan in screen.go) and works out
// which part of each pane and of the open dialog is visible. Then it renders the frame,
// which View returns. Rendering and View only read; TestViewHasNoSideEffects holds that.
//
//	message → update → fit → render → frame        View: the frame
//
// # Where things are
//
// A pane is a file with the functions that draw it: header.go (with banners), nodes.go with
// arrange.go (filter, order and marks), blockers.go (with evictions), roll.go,
// pool.go, validation.go, log.go, footer.go. A dialog is a type that implements dialog
// (dialog.go): questions with buttons in questions.go, force.go, menu.go, and those that
// are only read in details.go, node.go with pods.go, budget.go, end.go.
//
// What the operator can do is one list (actions.go), which keys, footer, menu and lines
// read. Whether it is possible now is the engine's judgement: a snapshot says it of every
// command (Snapshot.Able) and of every node. The board adds only what concerns itself: that
// it watches, that the cursor is on nothing, that no more snapshots come.
//
// Model is exported for ui/lines, which asks by the board's actions and dialogs.
package ui
