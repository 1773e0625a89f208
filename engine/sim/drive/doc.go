// Package drive drives a run against a simulated world as engine/live drives it against a real
// one: it decides, saves the run, sends actions and hears what came of them, all on the virtual
// clock (drive.go). Its process sleeps and crashes, and another one continues with the run
// (process.go). Commands from elsewhere lie there until they are answered (remote.go).
//
// Every step goes through Checks, which the rules (engine/sim/check) implement: a driver does not
// know them. What they need of it is in its exported fields.
package drive
