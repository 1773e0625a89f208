// Package script is the small language in which simulated clusters, runs and what happens to them
// are written down: for the scenarios of engine/testdata and engine/sim/testdata, for random play
// (engine/sim/play), and for the worlds of the demo (scenarios/, listed by Scenarios).
//
// A Script (script.go, where the commands are listed) makes the cluster (build.go, systems.go), lets
// others act on it (user.go, moves.go), says what the operator says and what goes wrong (say.go), and
// tells what came of it (story.go). It drives its runs with engine/sim/drive, and every step is checked
// against the rules of engine/sim/check.
package script
