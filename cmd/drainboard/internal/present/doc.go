// Package present shows plans, runs, groups and worker pools as text and as JSON. It is pure:
// it reads no cluster, no file and no clock, and writes to the io.Writer that it is given.
//
// Each document has a type for programs and a function that makes it, and one that writes it
// for people:
//
//	a plan            Plan, PlanOf            WritePlan, WriteForApproval
//	a roll's plan     Roll, RollOf            WriteRollPlan, of a RollPlan
//	a run             Status, StatusOf        WriteStatus
//	the groups        Group, GroupsOf         WriteGroups, of GroupRow
//	a worker pool     PoolStatus, PoolPlan    WritePool, PlannedPool.Write, of a PoolLook
//	a Shoot's change  shoot.Plan              WriteChange
//	events            engine.Event            Printer
//
// The fields of the types for programs are in docs/json.md and docs/gardener.md, which tests
// hold. Settings lists every setting of a run with its flag, CommandLine makes the commands
// that people are told to give next.
package present
