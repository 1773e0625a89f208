// Package send sends commands to runs that another process drives: pause, resume, approve, abort.
//
// An Order finds the run, shows what the command does and asks where there is a question, writes
// the command where the driver hears it (providers/kube), and waits for the answer; answer.go says
// what came of it, in words, JSON and exit code. A command that nobody has heard is taken back.
// A run that nobody drives is aborted by this process itself: it is resumed by internal/driver, to
// be ended.
package send
