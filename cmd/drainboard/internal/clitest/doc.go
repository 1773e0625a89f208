// Package clitest is what tests of the command line share: clusters that answer as a test wants and
// a group with a run (clitest.go), and a drainboard at a pseudo-terminal (terminal.go), which is the
// test's own binary told by HelperEnv. No code but tests imports it.
package clitest
