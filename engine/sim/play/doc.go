// Package play makes scripts up: random small clusters with random faults, what an operator and others
// do to them, and what each system alone has (kops.go, gardener.go), edge cases (edgecases.go) and runs that
// follow each other (severalruns.go). Every step is checked against the rules. A seed plays the same each time.
//
// Its tests are the random suites, and those that let the process die at every action. See
// docs/internals/faults.md for what they have found and how a seed becomes a scenario.
package play
