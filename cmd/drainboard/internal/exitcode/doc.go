// Package exitcode has the exit codes of the process, as `drainboard --help` lists them, and
// Error, which carries one of them up to main. An error without a code is a failure; wrong use
// is marked by Usage.
//
// The code of a run's result is record.Run's ExitCode; those here are of the process.
package exitcode
