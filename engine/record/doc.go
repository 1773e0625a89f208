// Package record is what is known of a run: a plain value that is written as JSON before
// anything in it is acted on, and read back by the process that continues with it.
//
//	Run         one upgrade of one group, with its Nodes, Batches, Pods, Marks, Pending   run.go
//	Settings    what the operator chose, and the system's own numbers                     settings.go
//	Action      a change asked for; Outcome is what came of it                            action.go
//	Command     what the operator says; Ack answers one from another process              command.go
//	Event       what happened, for log, journal and JSON                                  event.go
//	Wait        a start and an end; what is waited for                                    wait.go
//	Result      how a run ended; exit codes                                               result.go
//	Mark        something that we put on a node                                           mark.go
//	Validation  a wait for the cluster to be valid                                        validation.go
//
// Nothing here decides. The methods of a Run tell what it says: how far it is (progress.go)
// and what an unfinished one owes the group (sizes.go, outstanding.go, progress.go).
//
// Run.Reduced is a record that is too large with less in it (reduce.go). A record that was
// read is checked by package check; package diff tells two records apart as events.
//
// It imports world, drain and text. Everything that decides, shows, stores or sends a run
// imports it. The format is that of records which exist: a field keeps its name in JSON.
package record
