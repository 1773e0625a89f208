// Package present shows plans, runs, groups and worker pools as text and as JSON. It is pure:
// it reads no cluster, no file and no clock, and writes to the io.Writer that it is given.
//
// JSON documents are types of package api, and JSON writes them. Each document has a function
// that makes it, and one that writes the same as text:
//
//	a plan            PlanOf                          WritePlan, WriteForApproval
//	a roll's plan     RollOf                          WriteRollPlan, of a RollPlan
//	a run             Status.JSON, StatusList         WriteStatus
//	the groups        GroupsOf                        WriteGroups, of GroupRow
//	a worker pool     PoolState.Status, .GroupStatus   WritePool, of a PoolState
//	its plan          PlannedPool.JSON                PlannedPool.Write
//	a Shoot's change  ChangeOf                        WriteChange
//	events            api.EventOf                     Printer
//
// The tests here make the schemas in docs/reference/schema and the reference in docs/reference/json.md
// from the types of package api, and hold that each of their fields is filled in. Settings lists every setting of a run with its flag, CommandLine makes the commands
// that are suggested to the user.
package present
