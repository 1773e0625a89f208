// Package validationwait has a run wait until the cluster is valid, for the strategies that ask for
// it: kops's rules, and Drainboard's own in a kops cluster.
//
//	First      before anything is done: one look has to find nothing
//	AfterEnds  after each machine that the run has ended or detached: so many looks in a row
//
// What is wrong with a cluster is found by package validation, from the world alone. Here are the
// looks: when the next one is due, on which answer of the cloud it rests, how long the cluster may
// take, and what becomes of a run where it does not get valid in time. The wait is in the run
// (record.Validation), so a process that resumes it continues the wait.
//
// Package engine notes for which machines a proof is owed, and frees no slot before it is given.
package validationwait
