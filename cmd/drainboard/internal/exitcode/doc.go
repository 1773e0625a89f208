// Package exitcode has the codes that the process exits with, as `drainboard --help` lists
// them, and Error, which carries one of them up to main. An error without a code is wrong
// use: that is what cobra refuses.
//
// Codes of a run's own end are engine.Run.ExitCode; those here are of the process.
package exitcode
